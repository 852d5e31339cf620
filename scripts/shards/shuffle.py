"""Writes the positions of shards in a random order, as shards again:

    shuffle.py SHARDS FOLDER --seed 1 --shard 131072

Each part of the result is a fair sample of all positions, so a teacher may judge the first shards and leave the others for later.
Memory holds half a gigabyte: positions are first thrown into as many bins as that takes, then each bin is put in order.
"""
import argparse
import json
import os

import numpy as np

import shards

BIN = 10_000_000  # positions, about


def throw(source, folder, bins, random):
    """Writes each position into one of bins files, drawn at random, and returns their names."""
    names = [f"{folder}/{i:05d}.bin" for i in range(bins)]
    files = [open(name, "wb") for name in names]
    for part in source.parts:
        bin_of = random.integers(0, bins, len(part))
        for i, file in enumerate(files):
            part[bin_of == i].tofile(file)
    for file in files:
        file.close()
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="folder of shards, see prepare")
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shard", type=int, default=1 << 20, help="positions of each shard but the last")
    args = parser.parse_args()
    if args.shard < shards.BLOCK or args.shard % shards.BLOCK:
        parser.error(f"--shard {args.shard}: want a multiple of {shards.BLOCK}")
    if os.path.exists(f"{args.folder}/manifest.json"):
        parser.error(f"{args.folder} holds positions already")
    os.makedirs(args.folder, exist_ok=True)
    source, random = shards.Shards(args.source), np.random.default_rng(args.seed)
    rest, number = np.empty(0, shards.RECORD), 0
    for name in throw(source, args.folder, -(-source.positions // BIN), random):
        records = np.fromfile(name, shards.RECORD)
        os.remove(name)
        random.shuffle(records)
        rest = np.concatenate([rest, records])
        whole = len(rest) // args.shard * args.shard
        for at in range(0, whole, args.shard):
            rest[at:at + args.shard].tofile(f"{args.folder}/{number:05d}.positions")
            number += 1
        rest = rest[whole:]
    if len(rest):
        rest.tofile(f"{args.folder}/{number:05d}.positions")
    with open(f"{args.source}/manifest.json", encoding="utf-8") as f:
        manifest = {**json.load(f), "shard": args.shard, "shuffled": args.seed}
    with open(f"{args.folder}/manifest.json.new", "w", encoding="utf-8") as f:
        json.dump(manifest, f, indent=1)
    os.replace(f"{args.folder}/manifest.json.new", f"{args.folder}/manifest.json")


if __name__ == "__main__":
    main()
