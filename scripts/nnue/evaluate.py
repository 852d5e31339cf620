"""Held-out figures of a value and a policy checkpoint: of the float nets, and of the integers that the file holds.

The integers are computed in numpy from the exported arrays, apart from the training's kernels, on a sample.
"""
import argparse

import numpy as np

import data
import export
import nets
from kernel import unpack


def value_report(y, games, rows):
    score, result, q = data.targets(games, rows)
    p = 1 / (1 + np.exp(-y[:, 0].astype(np.float64)))
    close = np.abs(score - 0.5) < 0.35  # about 600 centipawns; outside a game is decided
    parts = nets.Value.losses(y, games, rows)
    print(f"  mse {np.mean((p - score) ** 2):.5f} (constant {score.var():.5f}), correlation "
          f"{np.corrcoef(p, score)[0, 1]:.4f}; within 600 cp "
          f"{np.mean((p - score)[close] ** 2):.5f}, correlation {np.corrcoef(p[close], score[close])[0, 1]:.4f}")
    played = games.score[rows, 1] != data.MISSING  # as in the losses
    change = np.abs(q - (2 * p - 1))[played]
    sigma = np.log1p(np.exp(y[played, 1].astype(np.float64)))
    share = np.bincount((2 * result[played]).astype(int), minlength=3) / played.sum()
    print(f"  wdl cross-entropy {parts['draw']:.4f} (constant {-(share * np.log(share)).sum():.4f}); sigma likelihood "
          f"{parts['sigma']:.4f} (constant {np.log(change.mean()) + 1:.4f}), predicted/found by tenths: "
          + " ".join(f"{sigma[i].mean():.3f}/{change[i].mean():.3f}" for i in np.array_split(np.argsort(sigma), 10)))


def value_outputs(net, w, games, rows, integers):
    """Head outputs of the exported arrays, or of the float net, one position at a time."""
    ft, bias, layer1 = unpack(w["ft"]), w["bias"].reshape(-1), w["layer1"]
    step = nets.row_steps(layer1, 2)
    if integers:
        ft, bias = (export.integers(array, nets.QA, "<i2").astype(np.int64) for array in (ft, bias))
        layer1 = export.integers(layer1, 1 / step, "<i1").astype(np.int64)
    else:
        ft, bias, layer1 = ft.numpy(), bias.numpy(), layer1.numpy()
    w = {name: tensor.numpy() for name, tensor in w.items()}
    y = np.empty((len(rows), 3), np.float32)
    for i, row in enumerate(rows):
        f = games.features[games.foffset[row]:games.foffset[row] + games.men[row]].astype(np.int64)
        piece, square = f // 256, f % 64
        own, other = int(games.kings[row, 0]), int(games.kings[row, 1]) ^ 56
        mirror = 7 if other & 7 > 3 else 0
        a = net.table[own] * nets.PIECES + piece * 64 + square
        b = net.table[other ^ mirror] * nets.PIECES + (piece + 6) % 12 * 64 + (square ^ 56 ^ mirror)
        hidden = (np.stack([ft[a].sum(0), ft[b].sum(0)]) + bias).reshape(-1)
        bucket = (len(f) - 1) // 4
        if integers:
            hidden = (np.clip(hidden, 0, nets.QA) ** 2 + 128) >> 8
            z = layer1[bucket] @ hidden * step[bucket, :, 0].numpy() / nets.PH
        else:
            z = layer1[bucket] @ np.clip(hidden, 0, 1) ** 2
        z = z + w["bias1"][bucket]
        z = np.concatenate([np.minimum(z * z, 1), np.clip(z, 0, 1)])
        z = np.clip(w["layer2"][bucket] @ z + w["bias2"][bucket], 0, 1)
        y[i] = w["layer3"][bucket] @ z + w["bias3"][bucket]
    return y


def policy_integers(w, games, rows):
    """Losses and first choices by the exported arrays, one position at a time."""
    step1, step2 = (nets.row_steps(w[name]).reshape(-1) for name in ("rows1", "rows2"))
    steps = {"ft": nets.QA, "rows1": 1 / step1[:, None], "rows2": 1 / step2[:, None]}
    ft, rows1, rows2 = (export.integers(unpack(w[name]), by, "<i1").astype(np.int64) for name, by in steps.items())
    step1, step2 = step1.numpy(), step2.numpy()
    bias = export.integers(w["bias"].reshape(-1), nets.QA, "<i2").astype(np.int64)
    loss, first = np.empty(len(rows)), np.empty(len(rows), int)
    for i, row in enumerate(rows):
        a = np.clip(ft[games.features[games.foffset[row]:games.foffset[row + 1]]].sum(0) + bias, 0, nets.QA)
        h = (a * a + 128) >> 8
        moves = slice(games.moffset[row], games.moffset[row + 1])
        r1, r2, t = (c[moves].astype(np.int64) for c in (games.row1, games.row2, games.scalar))
        z = (step1[r1] * (rows1[r1] @ h) + step2[r2] * (rows2[r2] @ h)) / nets.PH
        z = z + w["bias1"].numpy()[r1] + w["bias2"].numpy()[r2] + w["bias3"].numpy()[t]
        loss[i] = np.log(np.exp(z - z.max()).sum()) + z.max() - z[games.played[row]]
        first[i] = z.argmax()
    return loss, first


def float_first(net, w, games, rows):
    logits, (_, _, start, *_) = net.forward(w, games, rows, 0.0)
    return np.array([logits[start[i]:start[i + 1]].argmax().item() for i in range(len(rows))])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--value")
    parser.add_argument("--policy")
    parser.add_argument("--data", required=True, help="folder of shards, see prepare")
    parser.add_argument("--integers", type=int, default=4000, help="positions of the sample that is also computed in integers")
    args = parser.parse_args()
    shards = data.Shards(args.data)
    files = {"first file": data.held_out(shards, file=0), "all files": data.held_out(shards)}

    def sample(records, moves):
        rows = np.random.default_rng(0).choice(len(records), min(args.integers, len(records)), replace=False)
        return data.Positions(records[np.sort(rows)], moves)

    if args.value:
        net, w, _ = export.load(args.value)
        rounded = net.weights(average=True, rounded=True)
        for name, records in files.items():
            for kind, part in (("quiet", records[data.is_quiet(records)]), ("all positions", records)):
                print(f"value, {name}, {kind}, {len(part)}:")
                games = data.Positions(part, moves=False)
                value_report(net.forward(rounded, games, games.all).numpy(), games, games.all)
        games = sample(data.held_out(shards, file=0, quiet=True), moves=False)
        rows = games.all
        whole, exact = (value_outputs(net, w, games, rows, integers) for integers in (False, True))
        steps = net.forward(rounded, games, rows).numpy()
        print(f"value of integers: {350 * np.abs(whole - exact)[:, 0].mean():.2f} cp from the float net on average, "
              f"{350 * np.abs(steps - exact)[:, 0].max():.4f} at most from the training's, which does not round activations")
        value_report(whole, games, rows)
        value_report(exact, games, rows)
    if args.policy:
        net, w, _ = export.load(args.policy)
        for name, records in files.items():
            games = data.Positions(records)
            figures = net.evaluate(games, games.all)
            print(f"policy, {name}, {len(records)}: " + " ".join(f"{k} {v:.4f}" for k, v in figures.items()))
        games = sample(files["first file"], moves=True)
        rows = games.all
        loss, first = policy_integers(w, games, rows)
        steps = net.evaluate(games, rows)["policy"]
        logits, (_, _, start, *_) = net.forward(w, games, rows, 0.0)
        whole = net.losses(logits, start, games, rows)[0].mean().item()
        print(f"policy of integers: cross-entropy {loss.mean():.5f} (training's {steps:.5f}, float {whole:.5f}); same first "
              f"choice as the float net {np.mean(first == float_first(net, w, games, rows)):.4f}")


if __name__ == "__main__":
    main()
