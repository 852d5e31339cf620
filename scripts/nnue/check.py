"""Checks the gradients of the kernels against PyTorch's, on positions and weights drawn at random."""
import argparse

import numpy as np
import torch

import data
import nets
from kernel import pack, unpack

ROWS = 300


def close(name, found, want):
    error = (found - want).abs().max() / want.abs().max()
    print(f"{name}: relative error {error:.1e}")
    if not error < 1e-3:
        raise SystemExit(f"{name} is wrong")


def leaf(t):
    return t.detach().clone().requires_grad_(True)


def activated(w, features):
    """The activations of a side. A sum of rounded weights is often 1, where the gradient ends, so it is added up in the order of the
    kernels."""
    a = sum(w["ft"][features], w["bias"])
    return torch.where(a >= 1, 1.0, a.clamp(min=0)) ** 2


def policy(games, rows, trust):
    net = nets.Policy(128)
    net.trust = trust
    w = {k: leaf(unpack(v) if v.dim() == 3 else v.reshape(-1)) for k, v in net.quantized(net.weights()).items()}
    loss = soft = 0
    for row in rows:
        h = activated(w, games.features[games.foffset[row]:games.foffset[row + 1]].astype(np.int64))
        h = h + ((h * nets.PH + 0.5).floor() / nets.PH - h).detach()
        r1, r2, t = (torch.from_numpy(c[games.moffset[row]:games.moffset[row + 1]].astype(np.int64))
                     for c in (games.row1, games.row2, games.scalar))
        z = (w["rows1"][r1] + w["rows2"][r2]) @ h + w["bias1"][r1] + w["bias2"][r2] + w["bias3"][t]
        z = z.log_softmax(0)
        share = torch.from_numpy(games.shares[games.moffset[row]:games.moffset[row + 1]].astype(np.float32)) ** 2
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


def value(games, rows):
    net = nets.Value(128)
    w = {k: leaf(unpack(v) if k == "ft" else v.reshape(-1) if k == "bias" else v) for k, v in net.quantized(net.weights()).items()}
    y = []
    for row in rows:
        f = games.features[games.foffset[row]:games.foffset[row] + games.men[row]].astype(np.int64)
        piece, square = f // 256, f % 64
        own, other = int(games.kings[row, 0]), int(games.kings[row, 1]) ^ 56
        mirror = 7 if other & 7 > 3 else 0
        a = int(net.table[own]) * nets.PIECES + piece * 64 + square
        b = int(net.table[other ^ mirror]) * nets.PIECES + (piece + 6) % 12 * 64 + (square ^ 56 ^ mirror)
        x = torch.cat([activated(w, a), activated(w, b)])
        bucket = (len(f) - 1) // 4
        z = w["layer1"][bucket] @ x + w["bias1"][bucket]
        z = torch.cat([(z * z).clamp(max=1), z.clamp(0, 1)])
        z = (w["layer2"][bucket] @ z + w["bias2"][bucket]).clamp(0, 1)
        z = torch.stack([z, z.detach(), z.detach()])  # only the value moves what comes before
        y.append((w["layer3"][bucket] * z).sum(1) + w["bias3"][bucket])
    parts = net.losses(torch.stack(y), games, rows)
    sum(weight * parts[name] for name, weight in net.WEIGHTS.items()).backward()
    net.update = lambda rate: None
    found = net.step(games, rows, 0.0)
    for name in parts:
        close("value's " + name, torch.tensor(found[name]), parts[name].detach())
    grads = {"ft" if name == "own" else name: p.grad for name, p in net.parameters.items() if name != "shared"}
    for name, g in grads.items():
        close("value " + name, unpack(g) if name == "ft" else g.reshape(w[name].shape), w[name].grad)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="folder of shards, see prepare")
    shards = data.Shards(parser.parse_args().data)
    rows = np.random.default_rng(0).choice(shards.positions, ROWS, replace=False)
    games = data.Positions(shards.records(np.sort(rows)))
    games.shares = np.random.default_rng(0).integers(0, 256, len(games.scalar), dtype=np.uint8)
    games.shares[:games.moffset[ROWS // 2]] = 0  # half of the positions have no teacher
    for trust in (0.0, 0.7):
        policy(games, games.all, trust)
    value(games, games.all)


if __name__ == "__main__":
    main()
