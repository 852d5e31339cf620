"""The efficiently updatable transformer (EUT), size S.

The first layer is a cross-attention from fixed latent queries to the pieces on the board. Queries are constants, so
exp(q.k) and exp(q.k) v are constants of a (piece, square) feature, and numerator and denominator are sums over the
pieces: an accumulator, updated by a few additions a move as in NNUE (Nasu 2018). `EUT.table` computes those constants
and `EUT.trunk` maps a sum of them to WDL, sigma and the policy.

Layout of an accumulator row (see SEGMENTS): numerators, latent-major [latents, heads, dim]; denominators
[latents, heads]; the plain sum path; and one code a square (0 empty, 1..6 ours, 7..12 theirs), which is additive too
because a square holds at most one piece.
"""
import math

import torch
from torch import nn
from torch.nn import functional as F

FEATURES = 780  # 768 piece-squares, 4 castling rights, 8 en passant files; all from the side to move's view
PIECES = 768
SQUARES = 64
CODES = 13  # what a square holds: nothing, our six, their six
POLICY = 4096 + 24  # from * 64 + to, then to-file * 3 + {knight, bishop, rook}
LATENTS, HEADS, DIM, BLOCKS, SUM = 16, 4, 16, 2, 256
WIDTH = HEADS * DIM
POLICY_WIDTH, POLICY_HEADS = 32, 2
CLAMP = 5.0  # bound of |q.k|, so that int32 fixed point cannot overflow
V_CLAMP = 6.0  # bound of |v|, likewise

SEGMENTS = {}
_offset = 0
for _name, _length in (("num", LATENTS * HEADS * DIM), ("den", LATENTS * HEADS), ("sum", SUM), ("square", SQUARES)):
    SEGMENTS[_name] = [_offset, _length]
    _offset += _length
ROW = _offset
DENSE = SEGMENTS["square"][0]  # columns that are summed as real numbers; the rest are codes


def piece_codes():
    """int64 [780]: the code that a feature writes into its own square's slot (0 for flags)."""
    f = torch.arange(FEATURES)
    return torch.where(f < PIECES, f // SQUARES + 1, torch.zeros_like(f))


class FirstLayer(nn.Module):
    """Keys and values of the features, factored into piece, square and free parts, and the latents' fixed queries."""

    def __init__(self):
        super().__init__()
        self.query = nn.Parameter(torch.randn(LATENTS, HEADS, DIM))
        self.key = self._factored(0.7)
        self.value = self._factored(0.7)
        self.sum = nn.Parameter(torch.empty(FEATURES, SUM).uniform_(-1, 1) / math.sqrt(30.0))

    @staticmethod
    def _factored(scale):
        part = scale / math.sqrt(3.0)
        return nn.ParameterList([nn.Parameter(torch.randn(n, HEADS, DIM) * part) for n in (FEATURES, 12, SQUARES)])

    @staticmethod
    def _join(parts):
        free, piece, square = parts
        both = (piece[:, None] + square[None]).reshape(PIECES, HEADS, DIM)
        return free + F.pad(both, (0, 0, 0, 0, 0, FEATURES - PIECES))

    def forward(self):
        """float [780, DENSE]: exp(q.k) v, exp(q.k) and the sum path's weights."""
        k, v = self._join(self.key), self._join(self.value).clamp(-V_CLAMP, V_CLAMP)
        # The temperature 1/sqrt(dim) keeps a first exp(q.k) within a few times of 1.
        score = torch.einsum("lhd,fhd->flh", self.query, k) / math.sqrt(DIM)
        e = score.clamp(-CLAMP, CLAMP).exp()
        num = e[..., None] * v[:, None]
        return torch.cat([num.reshape(FEATURES, -1), e.reshape(FEATURES, -1), self.sum], 1)


class Norm(nn.LayerNorm):
    """Layer norm in float32, whatever autocast says: the bfloat16 kernel is ten times slower and less exact."""

    def forward(self, x):
        return super().forward(x.float())


class Block(nn.Module):
    """A pre-norm transformer block over the latents with a learned static attention bias a head."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = Norm(WIDTH), Norm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.bias = nn.Parameter(torch.zeros(HEADS, LATENTS, LATENTS))
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        qkv = self.qkv(self.norm1(x)).view(-1, LATENTS, 3 * HEADS, DIM).transpose(1, 2)
        q, k, v = qkv[:, :HEADS], qkv[:, HEADS:2 * HEADS], qkv[:, 2 * HEADS:]
        a = torch.matmul(q * (1 / math.sqrt(DIM)), k.transpose(2, 3)) + self.bias
        a = torch.matmul(a.softmax(-1), v).transpose(1, 2).reshape(-1, LATENTS, WIDTH)
        x = x + self.out(a)
        return x + self.down(F.relu(self.up(self.norm2(x))))


class PolicyHead(nn.Module):
    """64 static square queries plus what stands there and a row of the sum path each; they attend once to the
    latents; from x to is a bilinear form of the squares' vectors."""

    def __init__(self):
        super().__init__()
        w = POLICY_WIDTH
        self.piece = nn.Parameter(torch.randn(SQUARES * CODES, w) * 0.5)
        self.sum = nn.Linear(SUM, SQUARES * w)
        self.norm_x, self.norm_z, self.norm_mlp = Norm(w), Norm(WIDTH), Norm(w)
        self.q, self.kv, self.out = nn.Linear(w, w), nn.Linear(WIDTH, 2 * w), nn.Linear(w, w)
        self.up, self.down = nn.Linear(w, 2 * w), nn.Linear(2 * w, w)
        self.ends = nn.Linear(w, 2 * w)
        self.promotion = nn.Linear(SUM + LATENTS * WIDTH, 24)

    def forward(self, z, h, flat, squares):
        w, n, d = POLICY_WIDTH, POLICY_HEADS, POLICY_WIDTH // POLICY_HEADS
        x = self.sum(h).view(-1, SQUARES, w) + F.embedding(squares, self.piece)
        q = self.q(self.norm_x(x)).view(-1, SQUARES, n, d).transpose(1, 2)
        kv = self.kv(self.norm_z(z)).view(-1, LATENTS, 2 * n, d).transpose(1, 2)
        a = torch.matmul(q * (1 / math.sqrt(d)), kv[:, :n].transpose(2, 3))
        a = torch.matmul(a.softmax(-1), kv[:, n:]).transpose(1, 2).reshape(-1, SQUARES, w)
        x = x + self.out(a)
        x = x + self.down(F.relu(self.up(self.norm_mlp(x))))
        ends = self.ends(x)
        logits = torch.matmul(ends[..., :w] * (1 / math.sqrt(w)), ends[..., w:].transpose(1, 2))
        return torch.cat([logits.reshape(-1, SQUARES * SQUARES), self.promotion(torch.cat([flat, h], 1))], 1)


class EUT(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = FirstLayer()
        self.mix = nn.Linear(WIDTH, WIDTH)
        self.latent = nn.Parameter(torch.randn(LATENTS, WIDTH) * 0.5)
        self.sum_bias = nn.Parameter(torch.zeros(SUM))
        self.from_sum = nn.Linear(SUM, LATENTS * WIDTH)
        self.blocks = nn.ModuleList([Block() for _ in range(BLOCKS)])
        self.norm = Norm(WIDTH)
        self.hidden = nn.Linear(LATENTS * WIDTH, 128)
        self.wdl = nn.Linear(128, 3)
        self.sigma = nn.Linear(128, 1)
        self.policy = PolicyHead()
        nn.init.constant_(self.sigma.bias, -2.0)

    def trunk(self, acc, squares):
        """acc float [N, DENSE], squares int64 [N, 64] (square * 13 + code) -> wdl logits [N, 3], sigma [N, 1] in q
        units, policy logits [N, 4120]."""
        nums, dens = LATENTS * WIDTH, LATENTS * HEADS
        num = acc[:, :nums].reshape(-1, LATENTS * HEADS, DIM)
        x = num / acc[:, nums:nums + dens].reshape(-1, LATENTS * HEADS, 1)
        h = F.relu(acc[:, nums + dens:] + self.sum_bias)
        z = self.mix(x.reshape(-1, LATENTS, WIDTH)) + self.latent
        z = z + self.from_sum(h).view(-1, LATENTS, WIDTH)
        for block in self.blocks:
            z = block(z)
        flat = self.norm(z).reshape(-1, LATENTS * WIDTH)
        hidden = F.relu(self.hidden(flat))
        sigma = F.softplus(self.sigma(hidden).float()) + 1e-4
        return self.wdl(hidden).float(), sigma, self.policy(z, h, flat, squares)

    def forward(self, hot, squares):
        """hot float [N, 780] (one for each feature present) and squares as in trunk."""
        acc = F.linear(hot, self.first().t()).float()
        return self.trunk(acc, squares)
