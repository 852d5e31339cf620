"""The efficiently updatable transformer (EUT).

The first layer is a cross-attention from fixed latent queries to the pieces on the board. Queries are constants, so
exp(q.k) and exp(q.k) v are constants of a (piece, square) feature, and numerator and denominator are sums over the
pieces: an accumulator, updated by a few additions a move as in NNUE (Nasu 2018). `EUT.table` computes those constants
and `EUT.trunk` maps a sum of them to WDL, sigma and the policy.

The latents know where pieces are, not what they attack. So a second stream, of the 64 squares, reads codes of each
square and passes messages along the position's attacks, which cost a chess program almost nothing to compute. Both
heads read it.

Layout of an accumulator (see Size.segments): numerators, latent-major [latents, heads, dim]; denominators [latents, heads];
the plain sum path.
"""
import dataclasses
import math

import torch
from torch import nn
from torch.nn import functional as F

FEATURES = 780  # 768 piece-squares, 4 castling rights, 8 en passant files; all from the side to move's view
PIECES = 768
SQUARES = 64
PIECE_CODES, ATTACK_CODES, KING_CODES = 13, 10, 32  # codes of a square; see models.Squares in Go
POLICY = 4096 + 24  # from * 64 + to, then to-file * 3 + {knight, bishop, rook}
CLAMP = 5.0  # bound of |q.k|, so that int32 fixed point cannot overflow
V_CLAMP = 6.0  # bound of |v|, for the same reason


@dataclasses.dataclass(frozen=True)
class Size:
    """The sizes of a net. heads divides width, square_heads divides square_width."""

    name: str
    latents: int
    heads: int
    dim: int  # of a head
    blocks: int
    sum: int  # of the sum path
    square_width: int
    square_heads: int
    hidden: int  # of the value's layer
    rounds: int  # of messages along attacks, one of them before the squares attend to the latents

    @property
    def width(self):
        return self.heads * self.dim

    @property
    def segments(self):
        """{name: [offset, length]} of an accumulator's columns."""
        found, at = {}, 0
        for name, length in (("num", self.latents * self.width), ("den", self.latents * self.heads), ("sum", self.sum)):
            found[name], at = [at, length], at + length
        return found

    @property
    def sums(self):
        """Columns of an accumulator."""
        return self.latents * (self.width + self.heads) + self.sum


SIZES = {size.name: size for size in (
    Size("S", 8, 4, 16, 1, 256, 48, 2, 128, 2),
    Size("M", 8, 4, 32, 2, 256, 128, 4, 256, 6),
    Size("L", 8, 8, 32, 4, 512, 256, 8, 512, 8),
)}


def size_of(text):
    """A size by its name, with changes: "S" or "S,latents=16,blocks=2"."""
    name, *changes = text.split(",")
    if name not in SIZES:
        raise ValueError(f"size {name!r}: want one of {', '.join(SIZES)}")
    changes = dict(change.split("=") for change in changes)
    unknown = set(changes) - {f.name for f in dataclasses.fields(Size)}
    if unknown:
        raise ValueError(f"size {text!r}: there is no {', '.join(sorted(unknown))}")
    return dataclasses.replace(SIZES[name], **{k: int(v) for k, v in changes.items()})


class FirstLayer(nn.Module):
    """Keys and values of the features, factored into piece, square and free parts, and the latents' fixed queries."""

    def __init__(self, size):
        super().__init__()
        self.size = size
        self.query = nn.Parameter(torch.randn(size.latents, size.heads, size.dim))
        self.key = self._factored(0.7)
        self.value = self._factored(0.7)
        self.sum = nn.Parameter(torch.empty(FEATURES, size.sum).uniform_(-1, 1) / math.sqrt(30.0))

    def _factored(self, scale):
        part, shape = scale / math.sqrt(3.0), (self.size.heads, self.size.dim)
        return nn.ParameterList([nn.Parameter(torch.randn(n, *shape) * part) for n in (FEATURES, 12, SQUARES)])

    def _join(self, parts):
        free, piece, square = parts
        both = (piece[:, None] + square[None]).reshape(PIECES, self.size.heads, self.size.dim)
        return free + F.pad(both, (0, 0, 0, 0, 0, FEATURES - PIECES))

    def forward(self):
        """float [780, size.sums]: exp(q.k) v, exp(q.k) and the sum path's weights."""
        k, v = self._join(self.key), self._join(self.value).clamp(-V_CLAMP, V_CLAMP)
        # The temperature 1/sqrt(dim) keeps a first exp(q.k) within a few times of 1.
        score = torch.einsum("lhd,fhd->flh", self.query, k) / math.sqrt(self.size.dim)
        e = score.clamp(-CLAMP, CLAMP).exp()
        num = e[..., None] * v[:, None]
        return torch.cat([num.flatten(1), e.flatten(1), self.sum], 1)


class Norm(nn.LayerNorm):
    """Layer norm in float32, whatever autocast says: the bfloat16 kernel is ten times slower and less exact."""

    def forward(self, x):
        return super().forward(x.float())


class Block(nn.Module):
    """A pre-norm transformer block over the latents with a learned static attention bias a head."""

    def __init__(self, size):
        super().__init__()
        self.size, w = size, size.width
        self.norm1, self.norm2 = Norm(w), Norm(w)
        self.qkv = nn.Linear(w, 3 * w)
        self.out = nn.Linear(w, w)
        self.bias = nn.Parameter(torch.zeros(size.heads, size.latents, size.latents))
        self.up, self.down = nn.Linear(w, 4 * w), nn.Linear(4 * w, w)

    def forward(self, x):
        """x [N, latents, width]."""
        t, n, d = self.size.latents, self.size.heads, self.size.dim
        qkv = self.qkv(self.norm1(x)).view(-1, t, 3 * n, d).transpose(1, 2)
        q, k, v = qkv.chunk(3, 1)
        a = torch.matmul(q * (1 / math.sqrt(d)), k.transpose(2, 3)) + self.bias
        a = torch.matmul(a.softmax(-1), v).transpose(1, 2).reshape(-1, t, n * d)
        x = x + self.out(a)
        return x + self.down(F.relu(self.up(self.norm2(x))))


class AttackBlock(nn.Module):
    """Each square receives the sum over the squares that attack it and over those that its own piece attacks, then goes
    through a multi-layer perceptron. A graph convolution (Kipf and Welling 2017) whose graph is the position's."""

    def __init__(self, w):
        super().__init__()
        self.norm = Norm(w)
        self.up, self.down = nn.Linear(3 * w, 2 * w), nn.Linear(2 * w, w)

    def forward(self, x, attacks):
        n = self.norm(x).to(attacks.dtype)
        heard = torch.cat([n, torch.matmul(attacks.transpose(1, 2), n), torch.matmul(attacks, n)], 2)
        return x + self.down(F.relu(self.up(heard)))


class Squares(nn.Module):
    """64 static squares plus their codes and a row of the sum path each. They attend once to the latents, after the
    first round of messages along the attacks."""

    def __init__(self, size):
        super().__init__()
        self.size, w = size, size.square_width
        self.piece = nn.Parameter(torch.randn(SQUARES * PIECE_CODES, w) * 0.5)
        self.attacked = nn.Parameter(torch.zeros(PIECE_CODES * ATTACK_CODES ** 2, w))
        self.king = nn.Parameter(torch.zeros(PIECE_CODES * KING_CODES, w))
        self.sum = nn.Linear(size.sum, SQUARES * w)
        self.norm_x, self.norm_z, self.norm = Norm(w), Norm(size.width), Norm(w)
        self.q, self.kv, self.out = nn.Linear(w, w), nn.Linear(size.width, 2 * w), nn.Linear(w, w)
        self.rounds = nn.ModuleList([AttackBlock(w) for _ in range(size.rounds)])

    def forward(self, z, h, codes, attacks):
        """z [N, latents, width], h [N, sum] -> [N, 64, square_width]; codes and attacks as in EUT.trunk."""
        w, n = self.size.square_width, self.size.square_heads
        d = w // n
        x = self.sum(h).view(-1, SQUARES, w)
        for i, table in enumerate((self.piece, self.attacked, self.king)):
            x = x + F.embedding(codes[:, i], table)
        x = self.rounds[0](x, attacks)
        q = self.q(self.norm_x(x)).view(-1, SQUARES, n, d).transpose(1, 2)
        k, v = self.kv(self.norm_z(z)).view(-1, self.size.latents, 2 * n, d).transpose(1, 2).chunk(2, 1)
        a = torch.matmul(q * (1 / math.sqrt(d)), k.transpose(2, 3))
        a = torch.matmul(a.softmax(-1), v).transpose(1, 2).reshape(-1, SQUARES, w)
        x = x + self.out(a)
        for messages in self.rounds[1:]:
            x = messages(x, attacks)
        return self.norm(x)


class Policy(nn.Module):
    """The logit of a move is a bilinear form of the vectors of its two squares; underpromotions read the sum path."""

    def __init__(self, size):
        super().__init__()
        self.width = size.square_width
        self.ends = nn.Linear(self.width, 2 * self.width)
        self.promotion = nn.Linear(size.sum + size.latents * size.width, 24)

    def forward(self, x, flat, h):
        start, end = self.ends(x).chunk(2, 2)
        logits = torch.matmul(start * (1 / math.sqrt(self.width)), end.transpose(1, 2))
        return torch.cat([logits.reshape(-1, SQUARES * SQUARES), self.promotion(torch.cat([flat, h], 1))], 1)


class EUT(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size, w = size, size.width
        self.first = FirstLayer(size)
        self.mix = nn.Linear(w, w)
        self.latent = nn.Parameter(torch.randn(size.latents, w) * 0.5)
        self.sum_bias = nn.Parameter(torch.zeros(size.sum))
        self.from_sum = nn.Linear(size.sum, size.latents * w)
        self.blocks = nn.ModuleList([Block(size) for _ in range(size.blocks)])
        self.norm = Norm(w)
        self.squares = Squares(size)
        self.hidden = nn.Linear(size.latents * w + SQUARES * size.square_width, size.hidden)
        self.wdl = nn.Linear(size.hidden, 3)
        self.sigma = nn.Linear(size.hidden, 1)
        self.policy = Policy(size)
        nn.init.constant_(self.sigma.bias, -2.0)

    def start(self, acc):
        """acc float [N, size.sums] -> latents before the first block [N, latents, width], the sum path [N, sum]."""
        latents, w = self.size.latents, self.size.width
        num, den, h = acc.split([length for _, length in self.size.segments.values()], 1)
        x = num.reshape(*den.shape, self.size.dim) / den[..., None]
        h = F.relu(h + self.sum_bias)
        return self.mix(x.reshape(-1, latents, w)) + self.latent + self.from_sum(h).view(-1, latents, w), h

    def trunk(self, acc, codes, attacks):
        """acc float [N, size.sums]; codes int64 [N, 3, 64], for each square its row in the tables of Squares; attacks float
        [N, 64, 64], 1 where the piece on the second index attacks the third -> wdl logits [N, 3], sigma [N, 1] in q units,
        policy logits [N, 4120]."""
        z, h = self.start(acc)
        for block in self.blocks:
            z = block(z)
        flat = self.norm(z).flatten(1)
        x = self.squares(z, h, codes, attacks)
        hidden = F.relu(self.hidden(torch.cat([flat, x.flatten(1)], 1)))
        sigma = F.softplus(self.sigma(hidden).float()) + 1e-4
        return self.wdl(hidden).float(), sigma, self.policy(x, flat, h)

    def sums(self, hot):
        """hot float [N, 780], one for each feature present -> float [N, size.sums]."""
        return (hot @ self.first()).float()

    def forward(self, hot, codes, attacks):
        """hot as in sums, the rest as in trunk."""
        return self.trunk(self.sums(hot), codes, attacks)


def load(path):
    """A checkpoint's net with the averaged weights, and its training facts."""
    state = torch.load(path, map_location="cpu")
    net = EUT(size_of(state.get("size", "S"))).eval()
    net.load_state_dict(state["average"])
    return net, state["training"]
