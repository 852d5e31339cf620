"""The trunk of EUT rewritten for ONNX Runtime on the CPU: the same function, up to rounding.

ONNX Runtime's LayerNormalization is scalar code and took 38 % of the time, additions of biases 11 %. Here:
- The residual streams of latents and squares are kept at mean zero, by centring the outputs of every layer that writes
  to them; layer norm then is x / sqrt(mean(x^2) + eps), and its gain and bias fold into the layer that reads it.
- Everything is two-dimensional, so that biases, residuals and ReLU are part of a Gemm. Biases of the attentions'
  output layers fold into the values' biases, since attention weights sum to one.
"""
import math

import torch
from torch import nn
from torch.nn import functional as F

import model


class SumSquare(torch.autograd.Function):
    """Sum of squares over the last dimension, kept; ONNX's ReduceSumSquare."""

    @staticmethod
    def forward(ctx, x):
        return (x * x).sum(-1, keepdim=True)

    @staticmethod
    def symbolic(g, x):
        return g.op("ReduceSumSquare", x, axes_i=[-1], keepdims_i=1)


def centre(w, width):
    """Subtracts the mean over each group of width outputs (dimension 0)."""
    g = w.view(-1, width, *w.shape[1:])
    return (g - g.mean(1, keepdim=True)).reshape(w.shape)


def fold(norm, weight, bias):
    """The layer (weight, bias) with the gain and bias of norm folded in; its input is the output of `unit`."""
    return weight * norm.weight * math.sqrt(norm.normalized_shape[0]), bias + weight @ norm.bias


def unit(x, eps):
    """x divided by its length, for rows of mean zero: layer norm without gain and bias, times 1 / sqrt(width)."""
    return x / torch.sqrt(SumSquare.apply(x) + eps * x.shape[-1])


def solve(weight, bias):
    """x with weight @ x = bias, or None."""
    x = torch.linalg.lstsq(weight.double(), bias.double()[:, None], driver="gelsd").solution[:, 0].float()
    return x if (weight @ x - bias).abs().max() < 1e-4 and x.abs().max() < 50 else None


class Linear(nn.Module):
    def __init__(self, weight, bias=None):
        super().__init__()
        self.weight = nn.Parameter(weight.t().contiguous())
        self.bias = None if bias is None else nn.Parameter(bias.clone())

    def forward(self, x, add=None):
        """x W + bias, or x W + add; add is [rows, out]."""
        add = self.bias if add is None else add
        return x @ self.weight if add is None else torch.addmm(add, x, self.weight)


class Block(nn.Module):
    def __init__(self, b):
        super().__init__()
        self.size = size = b.size
        w, d = size.width, size.dim
        self.eps = b.norm1.eps
        qkv, bias = fold(b.norm1, b.qkv.weight, b.qkv.bias)
        out, out_bias = centre(b.out.weight, w), centre(b.out.bias, w)
        shift = solve(out, out_bias)
        self.rest = None if shift is not None else nn.Parameter(out_bias)
        v_bias = bias[2 * w:] if shift is None else bias[2 * w:] + shift
        scale = 1 / math.sqrt(d)
        self.q = Linear(qkv[:w] * scale, bias[:w] * scale)
        self.k, self.v = Linear(qkv[w:2 * w], bias[w:2 * w]), Linear(qkv[2 * w:], v_bias)
        self.bias = nn.Parameter(b.bias.clone())
        self.out = Linear(out)
        self.up = Linear(*fold(b.norm2, b.up.weight, b.up.bias))
        self.down = Linear(centre(b.down.weight, w), centre(b.down.bias, w))

    def forward(self, z):
        t, w, n, d = self.size.latents, self.size.width, self.size.heads, self.size.dim
        x = unit(z, self.eps)
        q = self.q(x).view(-1, t, n, d).transpose(1, 2)
        k = self.k(x).view(-1, t, n, d).transpose(1, 2)
        v = self.v(x).view(-1, t, n, d).transpose(1, 2)
        a = (torch.matmul(q, k.transpose(2, 3)) + self.bias).softmax(-1)
        a = torch.matmul(a, v).transpose(1, 2).reshape(-1, w)
        if self.rest is not None:
            z = z + self.rest
        z = self.out(a, z)
        x = unit(z, self.eps)
        return z + self.down(F.relu(self.up(x)))


class AttackBlock(nn.Module):
    def __init__(self, b):
        super().__init__()
        self.width = w = b.norm.normalized_shape[0]
        self.eps = b.norm.eps
        self.gain = nn.Parameter(b.norm.weight * math.sqrt(w))
        self.bias = nn.Parameter(b.norm.bias.clone())
        up = b.up.weight
        self.own, self.attackers, self.attacked = Linear(up[:, :w], b.up.bias), Linear(up[:, w:2 * w]), Linear(up[:, 2 * w:])
        self.down = Linear(centre(b.down.weight, w), centre(b.down.bias, w))

    def forward(self, x, attacks):
        w = self.width
        n = unit(x, self.eps) * self.gain + self.bias
        board = n.view(-1, model.SQUARES, w)
        up = self.attackers(torch.matmul(attacks.transpose(1, 2), board).view(-1, w), self.own(n))
        up = self.attacked(torch.matmul(attacks, board).view(-1, w), up)
        return x + self.down(F.relu(up))


class Squares(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.size = size = s.size
        w, squares = size.square_width, model.SQUARES
        start = centre(s.sum.bias, w).view(squares, 1, w).expand(-1, model.PIECE_CODES, -1).reshape(-1, w)
        self.piece = nn.Parameter(centre(s.piece.t(), w).t() + start)
        self.attacked = nn.Parameter(centre(s.attacked.t(), w).t())
        self.king = nn.Parameter(centre(s.king.t(), w).t())
        self.sum = Linear(centre(s.sum.weight, w))
        self.eps, scale = s.norm.eps, 1 / math.sqrt(w // size.square_heads)
        self.q = Linear(*(x * scale for x in fold(s.norm_x, s.q.weight, s.q.bias)))
        kv, bias = fold(s.norm_z, s.kv.weight, s.kv.bias)
        out, out_bias = centre(s.out.weight, w), centre(s.out.bias, w)
        shift = solve(out, out_bias)
        self.rest = None if shift is not None else nn.Parameter(out_bias)
        self.k = Linear(kv[:w], bias[:w])
        self.v = Linear(kv[w:], bias[w:] if shift is None else bias[w:] + shift)
        self.out = Linear(out)
        self.rounds = nn.ModuleList([AttackBlock(r) for r in s.rounds])

    def forward(self, zn, h, codes, attacks):
        """zn [N * latents, width] is the latents' unit vectors -> unit vectors [N * 64, square_width]."""
        w, n, s, t = self.size.square_width, self.size.square_heads, model.SQUARES, self.size.latents
        d = w // n
        x = self.sum(h).reshape(-1, w)
        for i, table in enumerate((self.piece, self.attacked, self.king)):
            x = x + F.embedding(codes[:, i].reshape(-1), table)
        x = self.rounds[0](x, attacks)
        q = self.q(unit(x, self.eps)).view(-1, s, n, d).transpose(1, 2)
        k = self.k(zn).view(-1, t, n, d).transpose(1, 2)
        v = self.v(zn).view(-1, t, n, d).transpose(1, 2)
        a = torch.matmul(q, k.transpose(2, 3)).softmax(-1)
        a = torch.matmul(a, v).transpose(1, 2).reshape(-1, w)
        if self.rest is not None:
            x = x + self.rest
        x = self.out(a, x)
        for messages in self.rounds[1:]:
            x = messages(x, attacks)
        return unit(x, self.eps)


class FastTrunk(nn.Module):
    def __init__(self, net):
        super().__init__()
        with torch.no_grad():
            self._build(net.eval())

    def _build(self, net):
        self.size = size = net.size
        w, t, p = size.width, size.latents, net.policy
        self.eps = net.norm.eps
        self.sum_bias = nn.Parameter(net.sum_bias.clone())
        self.mix = Linear(centre(net.mix.weight, w))
        start = net.from_sum.bias + (net.latent + net.mix.bias).reshape(-1)
        self.from_sum = Linear(centre(net.from_sum.weight, w), centre(start, w))
        self.blocks = nn.ModuleList([Block(b) for b in net.blocks])
        self.squares = Squares(net.squares)
        flat, on_squares = net.hidden.weight[:, :t * w], net.hidden.weight[:, t * w:]
        on_squares, bias = self._flat(net.squares.norm, on_squares, net.hidden.bias)
        self.hidden_flat, self.hidden_squares = Linear(*self._flat(net.norm, flat, bias)), Linear(on_squares)
        self.wdl, self.sigma = net.wdl, net.sigma
        self.promotion_flat = Linear(*self._flat(net.norm, p.promotion.weight[:, :t * w], p.promotion.bias))
        self.promotion_sum = Linear(p.promotion.weight[:, t * w:])
        w = size.square_width
        ends, bias = fold(net.squares.norm, p.ends.weight, p.ends.bias)
        self.start, self.end = Linear(ends[:w] / math.sqrt(w), bias[:w] / math.sqrt(w)), Linear(ends[w:], bias[w:])

    @staticmethod
    def _flat(norm, weight, bias):
        """fold for a layer that reads all rows of a stream at once."""
        width = norm.normalized_shape[0]
        n = weight.shape[1] // width
        return weight * norm.weight.repeat(n) * math.sqrt(width), bias + weight @ norm.bias.repeat(n)

    def forward(self, acc, codes, attacks):
        """As EUT.trunk."""
        size, s = self.size, model.SQUARES
        t, w, sw = size.latents, size.width, size.square_width
        nums, dens = t * w, t * size.heads
        x = acc[:, :nums].reshape(-1, dens, size.dim) / acc[:, nums:nums + dens].reshape(-1, dens, 1)
        h = F.relu(acc[:, nums + dens:] + self.sum_bias)
        z = self.mix(x.reshape(-1, w), self.from_sum(h).reshape(-1, w))
        for block in self.blocks:
            z = block(z)
        zn = unit(z, self.eps)
        flat = zn.reshape(-1, t * w)
        x = self.squares(zn, h, codes, attacks)
        hidden = F.relu(self.hidden_squares(x.reshape(-1, s * sw), self.hidden_flat(flat)))
        sigma = F.softplus(self.sigma(hidden)) + 1e-4
        start, end = self.start(x).view(-1, s, sw), self.end(x).view(-1, s, sw)
        logits = torch.matmul(start, end.transpose(1, 2)).reshape(-1, s * s)
        policy = torch.cat([logits, self.promotion_sum(h, self.promotion_flat(flat))], 1)
        return self.wdl(hidden), sigma, policy
