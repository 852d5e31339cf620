"""What history would be worth: the net trained with and without the keys and values of earlier positions of the game.

Batches are runs of consecutive positions. In each block the latents of a position attend to their own and to those of the
positions before it, of which the KEPT that were attended to most are remembered. --without masks the latter out: the same
batches, the same order, the same operations but for these keys.

    python3 scripts/train/history.py --data ../arrays --positions 6000000 [--without]
"""
import argparse
import math
import time

import numpy as np
import torch

import data
import model
import train

RUN = 8  # positions in a row
KEPT = 32  # remembered keys, two positions' worth


class Block(model.Block):
    """A block whose latents also attend to remembered ones, with a learned bias for each age."""

    def __init__(self, size, without):
        super().__init__(size)
        self.without = without
        self.ages = torch.nn.Parameter(torch.zeros(RUN, size.heads, size.latents, size.latents))

    def forward(self, x):
        t, n, d = self.size.latents, self.size.heads, self.size.dim
        qkv = self.qkv(self.norm1(x)).view(-1, RUN, t, 3 * n, d).permute(0, 3, 1, 2, 4)
        q, k, v = qkv[:, :n], qkv[:, n:2 * n], qkv[:, 2 * n:]
        games = len(q)
        received, kept = x.new_zeros(games, 0), x.new_zeros(games, 0, dtype=torch.bool)
        found = []
        for at in range(RUN):
            first = at if self.without else 0
            keys, values = (a[:, :, first:at + 1].flatten(2, 3) for a in (k, v))
            bias = torch.cat([self.bias if age == 0 else self.ages[age] for age in range(at - first, -1, -1)], 2)
            a = torch.matmul(q[:, :, at] * (1 / math.sqrt(d)), keys.transpose(2, 3)).float() + bias
            if not self.without:
                kept = torch.cat([kept, kept.new_ones(games, t)], 1)
                a = a.masked_fill(~kept[:, None, None], -1e9)
            a = a.softmax(-1)
            found.append(torch.matmul(a.to(values.dtype), values))
            if not self.without:
                received = torch.nn.functional.pad(received, (0, t)) + a.detach().sum((1, 2))
                most = received.masked_fill(~kept, -1).topk(min(KEPT, received.shape[1]), 1).indices
                kept = torch.zeros_like(kept).scatter_(1, most, True)
        found = torch.stack(found, 2).permute(0, 2, 3, 1, 4).reshape(-1, t, n * d)
        x = x + self.out(found)
        return x + self.down(torch.relu(self.up(self.norm2(x))))


def starts(games, rows):
    """The rows among `rows` from which RUN positions of one game follow."""
    rows = rows[rows + RUN <= len(games.game)]
    return rows[games.game[rows] == games.game[rows + RUN - 1]]


def runs(first):
    return (first[:, None] + np.arange(RUN)).ravel()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder written by prepare, of whole games")
    parser.add_argument("--positions", type=int, required=True, help="to train on")
    parser.add_argument("--without", action="store_true", help="no history")
    parser.add_argument("--size", default="S")
    parser.add_argument("--batch", type=int, default=512, help="positions")
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    games = data.Games(args.data)
    net = model.EUT(model.size_of(args.size))
    net.blocks = torch.nn.ModuleList(Block(net.size, args.without) for _ in net.blocks)
    optimizer = torch.optim.AdamW(net.parameters(), lr=args.lr, betas=(0.9, 0.99), weight_decay=0.01)
    held = np.random.default_rng(0).choice(starts(games, games.held), 2048, replace=False)
    first, done, began = starts(games, games.train), 0, time.time()
    report = args.positions // 8

    @torch.no_grad()
    def evaluate():
        net.eval()
        found = {}
        for at in range(0, len(held), 128):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                for name, value in train.losses(net, data.batch(games, runs(held[at:at + 128]))).items():
                    found[name] = found.get(name, 0.0) + value.item() * 128 / len(held)
        net.train()
        return found

    while done < args.positions:
        for group in optimizer.param_groups:
            group["lr"] = args.lr * min(1, (done / args.batch + 1) / train.WARMUP) * (1.01 + math.cos(math.pi * done / args.positions)) / 2.01
        with torch.autocast("cpu", dtype=torch.bfloat16):
            parts = train.losses(net, data.batch(games, runs(rng.choice(first, args.batch // RUN))))
        loss = sum(weight * parts[name] for name, weight in train.WEIGHTS.items())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), train.CLIP)
        optimizer.step()
        if (done + args.batch) // report > done // report:
            print(f"{done + args.batch} positions, {done / (time.time() - began):.0f} a second:",
                  " ".join(f"{k} {v:.4f}" for k, v in evaluate().items()), flush=True)
        done += args.batch


if __name__ == "__main__":
    main()
