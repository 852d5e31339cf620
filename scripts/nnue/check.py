"""Checks the gradients of the kernels against PyTorch's, and their rounding, on positions and weights drawn at random."""
import argparse

import numpy as np
import torch
import torch.nn.functional as F

import data
import nets
from kernel import unpack

ROWS = 300


def close(name, found, want):
    error = (found - want).abs().max() / want.abs().max()
    print(f"{name}: relative error {error:.1e}")
    if not error < 1e-3:
        raise SystemExit(f"{name} is wrong")


def leaf(t):
    return t.detach().clone().requires_grad_(True)


def activated(w, features, units=1):
    """The activations of a side, of weights in units to 1. A sum of rounded weights is often 1, where the gradient ends, so it
    is added up in the order of the kernels, and exactly where they add integers."""
    a = sum(w["ft"][features], w["bias"]) / units
    return torch.where(a >= 1, 1.0, a.clamp(min=0)) ** 2


def policy(games, rows, trust):
    net = nets.Policy(128)
    for name in net.shares:
        torch.nn.init.uniform_(net.parameters[name].value, -0.05, 0.05)
    rounding(net)
    net.trust = trust
    w = {k: leaf(unpack(v) if v.dim() == 3 else v.reshape(-1)) for k, v in net.weights(rounded=True).items()}
    loss = soft = 0
    for row in rows:
        h = activated(w, games.features[games.foffset[row]:games.foffset[row + 1]].astype(np.int64))
        h = h + ((h * nets.PH + 0.5).floor() / nets.PH - h).detach()
        r1, r2, t = (torch.from_numpy(c[games.moffset[row]:games.moffset[row + 1]].astype(np.int64))
                     for c in (games.row1, games.row2, games.scalar))
        z = (w["rows1"][r1] + w["rows2"][r2]) @ h + w["bias1"][r1] + w["bias2"][r2] + w["bias3"][t]
        z = z.log_softmax(0)
        share = torch.from_numpy(games.target[games.moffset[row]:games.moffset[row + 1]])
        label = -z[int(games.played[row])] / len(rows)
        loss = loss + label
        soft = soft + (-(share / share.sum() * z).sum() / len(rows) if share.sum() > 0 else label)
    torch.lerp(loss, soft, trust).backward()
    net.update = lambda rate: None  # leaves the gradients where they are
    found = net.step(games, rows, 0.0)
    close("policy loss", torch.tensor(found["policy"]), loss.detach())
    for name in w:
        p = net.parameters[name]
        close("policy " + name, unpack(p.grad) if p.grad.dim() == 3 else p.grad.reshape(-1), w[name].grad)
    shared(net, w)


def shared(net, w):
    """Checks the gradients of what rows share."""
    for name, (matrix, index) in net.shares.items():
        want = torch.zeros(net.parameters[name].grad.shape[1], net.hidden)
        want.index_add_(0, torch.from_numpy(index).long(), w[matrix].grad[:len(index)])
        close("shared " + name, unpack(net.parameters[name].grad), want)


def rounding(net):
    """Checks the rounded weights of a net against those of its float weights."""
    w, found = net.weights(), net.weights(rounded=True)
    for name, x in w.items():
        if name in ("ft", "bias"):
            want = (x * nets.QA).round() / nets.QA
            close("rounded " + name, found[name] / nets.QA if found[name].dtype == torch.int16 else found[name], want)
        elif name in ("rows1", "rows2", "layer1"):
            step = nets.row_steps(x, 2 if name == "layer1" else (0, 2))
            close("rounded " + name, found[name], (x / step).round() * step)


def value_losses(y, games, rows):
    """The losses of the value's outputs."""
    score, result, q = map(torch.from_numpy, data.targets(games, rows))
    p = y[:, 0].sigmoid()
    mine = 2 * p.detach() - 1
    sigma = F.softplus(y[:, 1]).clamp(min=1e-4)
    drawn = (1 - mine.abs()) * y[:, 2].sigmoid()
    wdl = torch.stack([(1 - drawn - mine) / 2, drawn, (1 - drawn + mine) / 2], 1)
    likelihood = wdl.gather(1, (2 * result).long()[:, None]).clamp(min=1e-6)[:, 0]
    share = torch.from_numpy(games.score[rows, 1] != data.MISSING).float()
    share /= share.sum().clamp(min=1)
    return {"value": ((p - score) ** 2).mean(), "sigma": (sigma.log() + (q - mine).abs() / sigma) @ share,
            "draw": -likelihood.log() @ share}


def value(games, rows):
    net = nets.Value(128)
    torch.nn.init.uniform_(net.parameters["own"].value, -0.1, 0.1)
    rounding(net)
    w = net.weights(rounded=True)
    w = {k: leaf(unpack(v).float() if k == "ft" else v.reshape(-1).float() if k == "bias" else v) for k, v in w.items()}
    y = []
    for row in rows:
        f = games.features[games.foffset[row]:games.foffset[row] + games.men[row]].astype(np.int64)
        piece, square = f // 256, f % 64
        own, other = int(games.kings[row, 0]), int(games.kings[row, 1]) ^ 56
        mirror = 7 if other & 7 > 3 else 0
        a = int(net.table[own]) * nets.PIECES + piece * 64 + square
        b = int(net.table[other ^ mirror]) * nets.PIECES + (piece + 6) % 12 * 64 + (square ^ 56 ^ mirror)
        x = torch.cat([activated(w, a, nets.QA), activated(w, b, nets.QA)])
        bucket = (len(f) - 1) // 4
        z = w["layer1"][bucket] @ x + w["bias1"][bucket]
        z = torch.cat([(z * z).clamp(max=1), z.clamp(0, 1)])
        z = (w["layer2"][bucket] @ z + w["bias2"][bucket]).clamp(0, 1)
        z = torch.stack([z, z.detach(), z.detach()])  # only the value moves what comes before
        y.append((w["layer3"][bucket] * z).sum(1) + w["bias3"][bucket])
    y = torch.stack(y)
    parts = value_losses(y, games, rows)
    sum(weight * parts[name] for name, weight in net.WEIGHTS.items()).backward()
    for name in ("ft", "bias"):
        w[name].grad *= nets.QA
    close("value's outputs", net.forward(net.weights(rounded=True), games, rows), y.detach())
    net.update = lambda rate: None
    found = net.step(games, rows, 0.0)
    for name, loss in net.losses(y.detach(), games, rows).items():
        close("value's " + name, torch.tensor(found[name]), parts[name].detach())
        close("value's " + name + " of outputs", torch.tensor(loss), parts[name].detach())
    for name, p in net.parameters.items():
        if name not in net.shares:
            name, grad = ("ft", unpack(p.grad)) if name == "own" else (name, p.grad)
            close("value " + name, grad.reshape(w[name].shape), w[name].grad)
    shared(net, {"own": w["ft"]})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="folder of shards, see prepare")
    shards = data.Shards(parser.parse_args().data)
    rows = np.random.default_rng(0).choice(shards.positions, ROWS, replace=False)
    games = data.Positions(shards.records(np.sort(rows)))
    games.target = np.random.default_rng(0).random(len(games.scalar), np.float32)
    games.target[:games.moffset[ROWS // 2]] = 0  # nothing judged half of the positions
    for trust in (0.0, 0.7):
        policy(games, games.all, trust)
    value(games, games.all)


if __name__ == "__main__":
    main()
