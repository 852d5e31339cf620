"""The trunk of EUT rewritten for ONNX Runtime on the CPU: the same function, up to rounding.

ONNX Runtime's LayerNormalization is scalar code and took 38 % of the time, additions of biases 11 %. Here:
- The latents' residual stream is kept at mean zero, by centring the outputs of every layer that writes to it; layer
  norm then is x / sqrt(mean(x^2) + eps), and its gain and bias fold into the layer that reads it.
- The squares' stream is read raw by `ends`, so there the centring folds into the readers and the variance is
  mean(x^2) - mean(x)^2.
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


def fold(norm, weight, bias, gain, centred):
    """The layer (weight, bias) after norm's gain and bias, on an input scaled by 1 / gain."""
    w = weight * norm.weight
    if not centred:
        w = w - w.mean(1, keepdim=True)
    return w * gain, bias + weight @ norm.bias


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
        w, n, d = model.WIDTH, model.HEADS, model.DIM
        qkv, bias = fold(b.norm1, b.qkv.weight, b.qkv.bias, math.sqrt(w), True)
        out, out_bias = centre(b.out.weight, w), centre(b.out.bias, w)
        shift = solve(out, out_bias)
        self.rest = None if shift is not None else nn.Parameter(out_bias)
        v_bias = bias[2 * w:] if shift is None else bias[2 * w:] + shift
        scale = 1 / math.sqrt(d)
        self.q = Linear(qkv[:w] * scale, bias[:w] * scale)
        self.k, self.v = Linear(qkv[w:2 * w], bias[w:2 * w]), Linear(qkv[2 * w:], v_bias)
        self.bias = nn.Parameter(b.bias.clone())
        self.out = Linear(out)
        self.up = Linear(*fold(b.norm2, b.up.weight, b.up.bias, math.sqrt(w), True))
        self.down = Linear(centre(b.down.weight, w), centre(b.down.bias, w))

    def forward(self, z, eps):
        t, w, n, d = model.LATENTS, model.WIDTH, model.HEADS, model.DIM
        x = z / torch.sqrt(SumSquare.apply(z) + eps)
        q = self.q(x).view(-1, t, n, d).transpose(1, 2)
        k = self.k(x).view(-1, t, n, d).transpose(1, 2)
        v = self.v(x).view(-1, t, n, d).transpose(1, 2)
        a = (torch.matmul(q, k.transpose(2, 3)) + self.bias).softmax(-1)
        a = torch.matmul(a, v).transpose(1, 2).reshape(-1, w)
        if self.rest is not None:
            z = z + self.rest
        z = self.out(a, z)
        x = z / torch.sqrt(SumSquare.apply(z) + eps)
        return z + self.down(F.relu(self.up(x)))


class FastTrunk(nn.Module):
    def __init__(self, net):
        super().__init__()
        with torch.no_grad():
            self._build(net.eval())

    def _build(self, net):
        w, t, p = model.WIDTH, model.LATENTS, net.policy
        self.eps = net.norm.eps * w
        self.sum_bias = nn.Parameter(net.sum_bias.clone())
        self.mix = Linear(centre(net.mix.weight, w))
        start = net.from_sum.bias + (net.latent + net.mix.bias).reshape(-1)
        self.from_sum = Linear(centre(net.from_sum.weight, w), centre(start, w))
        self.blocks = nn.ModuleList([Block(b) for b in net.blocks])
        gain = math.sqrt(w)
        flat_w, flat_b = net.norm.weight.repeat(t), net.norm.bias.repeat(t)
        self.hidden = Linear(net.hidden.weight * flat_w * gain, net.hidden.bias + net.hidden.weight @ flat_b)
        self.wdl, self.sigma = net.wdl, net.sigma
        pro = p.promotion.weight[:, :t * w]
        self.promotion_flat = Linear(pro * flat_w * gain)
        self.promotion_sum = Linear(p.promotion.weight[:, t * w:], p.promotion.bias + pro @ flat_b)
        self._build_policy(p)

    def _build_policy(self, p):
        w = model.POLICY_WIDTH
        d = w // model.POLICY_HEADS
        self.piece = nn.Parameter(p.piece + p.sum.bias.view(model.SQUARES, 1, w)
                                  .expand(-1, model.CODES, -1).reshape(-1, w))
        self.sum = Linear(p.sum.weight)
        gz, scale = math.sqrt(model.WIDTH), 1 / math.sqrt(d)
        self.q = Linear(*(x * scale for x in fold(p.norm_x, p.q.weight, p.q.bias, 1.0, False)))
        kv, bias = fold(p.norm_z, p.kv.weight, p.kv.bias, gz, True)
        shift = solve(p.out.weight, p.out.bias)
        self.rest = None if shift is not None else nn.Parameter(p.out.bias.clone())
        self.k = Linear(kv[:w], bias[:w])
        self.v = Linear(kv[w:], bias[w:] if shift is None else bias[w:] + shift)
        self.out = Linear(p.out.weight)
        self.up = Linear(*fold(p.norm_mlp, p.up.weight, p.up.bias, 1.0, False))
        self.down = Linear(p.down.weight)
        ends, bias = p.ends.weight, p.ends.bias + p.ends.weight @ p.down.bias
        self.start = Linear(ends[:w] / math.sqrt(w), bias[:w] / math.sqrt(w))
        self.end = Linear(ends[w:], bias[w:])
        self.policy_eps = p.norm_x.eps

    def square_norm(self, x):
        mean = x.mean(-1, keepdim=True)
        return x / torch.sqrt(SumSquare.apply(x) * (1 / x.shape[-1]) - mean * mean + self.policy_eps)

    def policy(self, x, zn, flat, h):
        w, n, s = model.POLICY_WIDTH, model.POLICY_HEADS, model.SQUARES
        d, t = w // n, model.LATENTS
        q = self.q(self.square_norm(x)).view(-1, s, n, d).transpose(1, 2)
        k = self.k(zn).view(-1, t, n, d).transpose(1, 2)
        v = self.v(zn).view(-1, t, n, d).transpose(1, 2)
        a = torch.matmul(q, k.transpose(2, 3)).softmax(-1)
        a = torch.matmul(a, v).transpose(1, 2).reshape(-1, w)
        if self.rest is not None:
            x = x + self.rest
        x = self.out(a, x)
        x = self.down(F.relu(self.up(self.square_norm(x))), x)
        start, end = self.start(x).view(-1, s, w), self.end(x).view(-1, s, w)
        logits = torch.matmul(start, end.transpose(1, 2)).reshape(-1, s * s)
        return torch.cat([logits, self.promotion_flat(flat, self.promotion_sum(h))], 1)

    def forward(self, acc, squares):
        """As EUT.trunk."""
        t, w, nums = model.LATENTS, model.WIDTH, model.LATENTS * model.WIDTH
        dens = t * model.HEADS
        x = acc[:, :nums].reshape(-1, dens, model.DIM) / acc[:, nums:nums + dens].reshape(-1, dens, 1)
        h = F.relu(acc[:, nums + dens:] + self.sum_bias)
        z = self.mix(x.reshape(-1, w), self.from_sum(h).reshape(-1, w))
        for block in self.blocks:
            z = block(z, self.eps)
        zn = z / torch.sqrt(SumSquare.apply(z) + self.eps)
        flat = zn.reshape(-1, t * w)
        hidden = F.relu(self.hidden(flat))
        sigma = F.softplus(self.sigma(hidden)) + 1e-4
        x = self.sum(h).reshape(-1, model.POLICY_WIDTH) + F.embedding(squares.reshape(-1), self.piece)
        return self.wdl(hidden), sigma, self.policy(x, zn, flat, h)
