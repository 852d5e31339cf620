"""Held-out figures of a checkpoint as it ships: averaged weights, quantized first layer, float32 graph."""
import argparse
import json

import numpy as np
import torch

import data
import export
import fast
import model


@torch.no_grad()
def predictions(graph, table, games, rows, size=512):
    """Arrays over rows: wdl [n, 3], sigma [n], log-probability and rank of the played move [n], and the targets'
    score (expected score of the centipawns), change and result."""
    out = []
    for at in range(0, len(rows), size):
        records = games.records(rows[at:at + size])
        b = data.batch(games, records)
        wdl, sigma, logits = graph(export.rows(games, table, data.Positions(games, records)))
        move = logits[:, :4096].gather(1, b["moves"])
        move = move + torch.nn.functional.pad(logits[:, 4096:], (0, 1)).gather(1, b["promotion"])
        move = move.masked_fill(~b["legal"], -1e9).log_softmax(1)
        chosen = move.gather(1, b["played"][:, None])
        rank = (move > chosen).sum(1)
        out.append((wdl.numpy(), sigma[:, 0].numpy(), chosen[:, 0].numpy(), rank.numpy(), b["value"].numpy(), b["change"].numpy(),
                    b["result"].numpy()))
    return [np.concatenate(column) for column in zip(*out)]


def report(wdl, sigma, chosen, rank, score, change, result):
    expected = wdl[:, 0] + wdl[:, 1] / 2
    known = ~np.isnan(change)
    s, d = sigma[known], change[known]
    share = np.bincount(result, minlength=3) / len(result)
    print(f"positions {len(score)}")
    print(f"policy cross-entropy {-chosen.mean():.4f} nats over legal moves; top-1 {np.mean(rank < 1):.4f}, "
          f"top-3 {np.mean(rank < 3):.4f}, top-5 {np.mean(rank < 5):.4f}, top-10 {np.mean(rank < 10):.4f}")
    print(f"value mse {np.mean((expected - score) ** 2):.5f} (constant {score.var():.5f}), correlation {np.corrcoef(expected, score)[0, 1]:.4f}")
    # Outside this window a game is decided and the error says little.
    close = np.abs(score - 0.5) < 0.35
    print(f"  of positions within about 600 centipawns ({close.mean():.3f}): "
          f"mse {np.mean((expected - score)[close] ** 2):.5f} (constant {score[close].var():.5f}), "
          f"correlation {np.corrcoef(expected[close], score[close])[0, 1]:.4f}")
    print(f"wdl cross-entropy {-np.log(wdl[np.arange(len(result)), result]).mean():.4f} "
          f"(constant {-(share * np.log(share)).sum():.4f})")
    print(f"sigma likelihood {np.mean(np.log(s) + d / s):.4f} (constant {np.log(d.mean()) + 1:.4f}); mean {s.mean():.4f},"
          f" mean |change| {d.mean():.4f}")
    print("  by tenth of sigma, predicted and found: " + " ".join(
        f"{s[i].mean():.3f}/{d[i].mean():.3f}" for i in np.array_split(np.argsort(s), 10)))
    figures = {"policy": -chosen.mean(), **{f"top{k}": np.mean(rank < k) for k in (1, 3, 5, 10)},
               "value_mse": np.mean((expected - score) ** 2), "value_correlation": np.corrcoef(expected, score)[0, 1],
               "wdl": -np.log(wdl[np.arange(len(result)), result]).mean(), "sigma": np.mean(np.log(s) + d / s)}
    return {"positions": len(score), **{name: float(value) for name, value in figures.items()}}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--data", required=True, help="folder of shards, see prepare")
    parser.add_argument("--limit", type=int, default=0, help="use a random sample of this many held-out positions")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", metavar="FILE", help="write the main figures here too")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    net, _ = model.load(args.checkpoint)
    games = data.Games(args.data)
    rows = games.held
    if args.limit:
        rows = np.sort(np.random.default_rng(0).choice(rows, min(args.limit, len(rows)), replace=False))
    figures = report(*predictions(export.Graph(fast.FastTrunk(net), net.size).eval(), export.quantize(net), games, rows))
    if args.json:
        with open(args.json, "w") as f:
            json.dump(figures, f)


if __name__ == "__main__":
    main()
