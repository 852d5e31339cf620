"""Reads shards of positions, which scripts/prepare writes and describes, in an order that a seed gives.

The files are mapped into memory, and a pool of some million positions is copied from them: an epoch takes blocks of consecutive
positions in random order, fills a pool with the next thousand blocks, and takes its positions in random order. So a file is read
in large pieces, memory is bounded, and where all positions fit one pool their order is a random one.
"""
import json
import os

import numpy as np

from native import Library

RECORD = np.dtype([("occupied", "<u8"), ("pieces", "u1", 16), ("game", "<u4"), ("score", "<i2", 2), ("best", "<u2"), ("moves", "u1"),
                   ("result", "i1"), ("file", "u1"), ("flags", "u1"), ("halfmove", "u1")])
VERSION = 2
MISSING = -32768  # score
CHECK, TACTICAL, MATE = 1, 2, 4  # flags
HELD_OUT = 40  # every 40th game is held out
BLOCK = 4096  # positions; it divides the size of a shard
POOL = 1 << 22  # positions

kernel = Library(os.path.join(os.path.dirname(os.path.abspath(__file__)), "position.c"))


def is_quiet(records):
    """Where a static value can be right: no check, no capture or promotion as the best move, no mate score."""
    return records["flags"] & (CHECK | TACTICAL | MATE) == 0


def starts(lengths):
    """Where each of consecutive parts starts, and the end of the last, int64."""
    at = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=at[1:])
    return at


class Pool:
    """Positions that were read: records, the bytes of their moves by the name of the part, and where each record's bytes start."""

    def __init__(self, records, beside, at):
        self.records, self.beside, self.at = records, beside, at

    def take(self, index):
        """The records at index, and the bytes of their moves by the name of the part."""
        records = self.records[index]
        if not self.beside:
            return records, {}
        moves = records["moves"].astype(np.int64)
        rows = np.repeat(self.at[index] - starts(moves)[:-1], moves) + np.arange(moves.sum())
        return records, {name: part[rows] for name, part in self.beside.items()}


class Shards:
    """All positions of a folder. Those of every 40th game are held out: `held` are their rows. Of the others, `train` in number, the quiet
    ones are trained on, if so asked, and the first `limit` of these if it is not 0. `parts` names what lies beside the positions and is
    read with them, a byte for each legal move: teacher, scores. Shards beyond the limit need not have them."""

    def __init__(self, folder, quiet=False, limit=0, parts=()):
        with open(f"{folder}/manifest.json", encoding="utf-8") as f:
            manifest = json.load(f)
        if manifest["version"] != VERSION or manifest["record"] != RECORD.itemsize or manifest["shard"] % BLOCK:
            raise ValueError(f"{folder}/manifest.json: version {manifest['version']}, want {VERSION}")
        self.size, self.positions, self.quiet = manifest["shard"], manifest["positions"], quiet
        self.parts = [np.memmap(f"{folder}/{i:05d}.positions", RECORD, "r") for i in range(-(-self.positions // self.size))]
        if sum(map(len, self.parts)) != self.positions:
            raise ValueError(f"{folder}: {sum(map(len, self.parts))} positions, want {self.positions}")
        self.most, held, counts, self.beside, self.move_at = 0, [], [], {name: [] for name in parts}, []
        # One pass over all positions counts those to train on, block by block.
        for i, part in enumerate(self.parts):
            blocks = np.arange(0, len(part), BLOCK)
            held.append(np.flatnonzero(part["game"] % HELD_OUT == 0) + i * self.size)
            counts.append(np.add.reduceat(self._trained(part), blocks, dtype=np.int64))
            self.most = max(self.most, int(part["moves"].max()))  # legal moves
            self.move_at.append(starts(np.add.reduceat(part["moves"], blocks, dtype=np.int64)))
        self.held, self.counts = np.concatenate(held), np.concatenate(counts)
        if limit:
            self.counts = np.diff(np.minimum(starts(self.counts), limit))
        self.train = int(self.counts.sum())
        needed = range(-(-(np.flatnonzero(self.counts)[-1] + 1) * BLOCK // self.size) if self.train else 0)
        for name, files in self.beside.items():
            for i in needed:
                files.append(np.memmap(f"{folder}/{i:05d}.{name}", np.uint8, "r"))
                if len(files[i]) != self.move_at[i][-1]:
                    raise ValueError(f"{folder}/{i:05d}.{name}: {len(files[i])} moves, want {self.move_at[i][-1]}")

    def _trained(self, records):
        trained = records["game"] % HELD_OUT != 0
        return trained & is_quiet(records) if self.quiet else trained

    def records(self, rows):
        """The records of any rows."""
        found = np.empty(len(rows), RECORD)
        shard = rows // self.size
        for i in np.unique(shard):
            at = np.flatnonzero(shard == i)
            found[at] = self.parts[i][rows[at] - i * self.size]
        return found

    def pool(self, blocks):
        """The positions of these blocks to train on."""
        records = np.empty(self.counts[blocks].sum(), RECORD)
        beside, ats, filled, size = {name: [] for name in self.beside}, [], 0, 0
        for block in blocks:
            shard, at = divmod(int(block) * BLOCK, self.size)
            part = self.parts[shard][at:at + BLOCK]
            chosen = np.flatnonzero(self._trained(part))[:self.counts[block]]
            records[filled:filled + len(chosen)] = part[chosen]
            filled += len(chosen)
            if beside:
                first, last = self.move_at[shard][at // BLOCK:][:2]
                ats.append(size + starts(part["moves"])[chosen])
                for name, files in self.beside.items():
                    beside[name].append(files[shard][first:last])
                size += last - first
        return Pool(records, {name: np.concatenate(parts) for name, parts in beside.items()}, np.concatenate(ats) if beside else None)

    def check_batch(self, size):
        """Raises an error if there are fewer positions than a batch of this size."""
        if self.train < size:
            raise ValueError(f"{self.train} positions to train on: fewer than a batch of {size}")

    def batches(self, size, seed, seen):
        """Endless batches from position number `seen` on, shuffled anew each epoch, as (epoch, positions of the epoch before the batch,
        pool, index of the batch in the pool)."""
        self.check_batch(size)
        pools, epoch = -(-self.train // POOL), 0
        while True:
            random, before = np.random.default_rng([seed, epoch]), 0
            blocks = np.flatnonzero(self.counts)
            if pools > 1:
                blocks = random.permutation(blocks)
            for part in np.array_split(blocks, pools):
                order = random.permutation(self.counts[part].sum())
                whole = len(order) // size * size
                if seen < whole:
                    pool = self.pool(np.sort(part))
                    for i in range(seen, len(order) - size + 1, size):
                        yield epoch, before + i, pool, order[i:i + size]
                before, seen = before + whole, max(0, seen - whole)
            epoch += 1
