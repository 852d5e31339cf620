"""The efficiently updatable transformer (EUT), size S.

The first layer is a cross-attention from fixed latent queries to the pieces on the board. Queries are constants, so
exp(q.k) and exp(q.k) v are constants of a (piece, square) feature, and numerator and denominator are sums over the
pieces: an accumulator, updated by a few additions a move as in NNUE (Nasu 2018). `EUT.table` computes those constants
and `EUT.trunk` maps a sum of them to WDL, sigma and the policy.

The latents know where pieces are, not what they attack. So a second stream, of the 64 squares, reads codes of each
square and passes messages along the position's attacks, which cost a chess program almost nothing to compute. Both
heads read it.

Layout of an accumulator (see SEGMENTS): numerators, latent-major [latents, heads, dim]; denominators [latents, heads];
the plain sum path.
"""
import math

import torch
from torch import nn
from torch.nn import functional as F

FEATURES = 780  # 768 piece-squares, 4 castling rights, 8 en passant files; all from the side to move's view
PIECES = 768
SQUARES = 64
PIECE_CODES, ATTACK_CODES, KING_CODES = 13, 10, 32  # codes of a square; see models.Squares in Go
POLICY = 4096 + 24  # from * 64 + to, then to-file * 3 + {knight, bishop, rook}
LATENTS, HEADS, DIM, BLOCKS, SUM = 16, 4, 16, 2, 256
WIDTH = HEADS * DIM
SQUARE_WIDTH, SQUARE_HEADS = 32, 2
CLAMP = 5.0  # bound of |q.k|, so that int32 fixed point cannot overflow
V_CLAMP = 6.0  # bound of |v|, likewise

SEGMENTS, SUMS = {}, 0
for _name, _length in (("num", LATENTS * HEADS * DIM), ("den", LATENTS * HEADS), ("sum", SUM)):
    SEGMENTS[_name] = [SUMS, _length]
    SUMS += _length


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
        """float [780, SUMS]: exp(q.k) v, exp(q.k) and the sum path's weights."""
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


class AttackBlock(nn.Module):
    """Each square hears the sum of what stands on the squares that attack it and of those that its own piece attacks;
    then a multi-layer perceptron. A graph convolution (Kipf and Welling 2017) whose graph is the position's."""

    def __init__(self):
        super().__init__()
        w = SQUARE_WIDTH
        self.norm = Norm(w)
        self.up, self.down = nn.Linear(3 * w, 2 * w), nn.Linear(2 * w, w)

    def forward(self, x, attacks):
        n = self.norm(x).to(attacks.dtype)
        heard = torch.cat([n, torch.matmul(attacks.transpose(1, 2), n), torch.matmul(attacks, n)], 2)
        return x + self.down(F.relu(self.up(heard)))


class Squares(nn.Module):
    """64 static squares plus their codes and a row of the sum path each. They attend once to the latents, between two
    rounds of messages along the attacks."""

    def __init__(self):
        super().__init__()
        w = SQUARE_WIDTH
        self.piece = nn.Parameter(torch.randn(SQUARES * PIECE_CODES, w) * 0.5)
        self.attacked = nn.Parameter(torch.zeros(PIECE_CODES * ATTACK_CODES ** 2, w))
        self.king = nn.Parameter(torch.zeros(PIECE_CODES * KING_CODES, w))
        self.sum = nn.Linear(SUM, SQUARES * w)
        self.norm_x, self.norm_z, self.norm = Norm(w), Norm(WIDTH), Norm(w)
        self.q, self.kv, self.out = nn.Linear(w, w), nn.Linear(WIDTH, 2 * w), nn.Linear(w, w)
        self.before, self.after = AttackBlock(), AttackBlock()

    def forward(self, z, h, codes, attacks):
        """z [N, 16, 64] latents, h [N, 256] sum path -> [N, 64, SQUARE_WIDTH]; codes and attacks as in EUT.trunk."""
        w, n, d = SQUARE_WIDTH, SQUARE_HEADS, SQUARE_WIDTH // SQUARE_HEADS
        x = self.sum(h).view(-1, SQUARES, w)
        for i, table in enumerate((self.piece, self.attacked, self.king)):
            x = x + F.embedding(codes[:, i], table)
        x = self.before(x, attacks)
        q = self.q(self.norm_x(x)).view(-1, SQUARES, n, d).transpose(1, 2)
        kv = self.kv(self.norm_z(z)).view(-1, LATENTS, 2 * n, d).transpose(1, 2)
        a = torch.matmul(q * (1 / math.sqrt(d)), kv[:, :n].transpose(2, 3))
        a = torch.matmul(a.softmax(-1), kv[:, n:]).transpose(1, 2).reshape(-1, SQUARES, w)
        return self.norm(self.after(x + self.out(a), attacks))


class Policy(nn.Module):
    """From x to is a bilinear form of the squares' vectors; underpromotions see everything that is summed."""

    def __init__(self):
        super().__init__()
        self.ends = nn.Linear(SQUARE_WIDTH, 2 * SQUARE_WIDTH)
        self.promotion = nn.Linear(SUM + LATENTS * WIDTH, 24)

    def forward(self, x, flat, h):
        w = SQUARE_WIDTH
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
        self.squares = Squares()
        self.hidden = nn.Linear(LATENTS * WIDTH + SQUARES * SQUARE_WIDTH, 128)
        self.wdl = nn.Linear(128, 3)
        self.sigma = nn.Linear(128, 1)
        self.policy = Policy()
        nn.init.constant_(self.sigma.bias, -2.0)

    def trunk(self, acc, codes, attacks):
        """acc float [N, SUMS]; codes int64 [N, 3, 64], for each square its row in the tables of Squares; attacks float
        [N, 64, 64], 1 where the piece on the second index attacks the third -> wdl logits [N, 3], sigma [N, 1] in q
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
        x = self.squares(z, h, codes, attacks)
        hidden = F.relu(self.hidden(torch.cat([flat, x.reshape(-1, SQUARES * SQUARE_WIDTH)], 1)))
        sigma = F.softplus(self.sigma(hidden).float()) + 1e-4
        return self.wdl(hidden).float(), sigma, self.policy(x, flat, h)

    def forward(self, hot, codes, attacks):
        """hot float [N, 780], one for each feature present; the rest as in trunk."""
        acc = F.linear(hot, self.first().t()).float()
        return self.trunk(acc, codes, attacks)
