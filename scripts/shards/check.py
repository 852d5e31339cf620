"""Checks what shards.py reads: that an epoch has each position to train on once, in another order for another seed or epoch; that a run
goes on where it was; and that each position has its own legal moves' bytes of the teacher. Small blocks and pools make a few games do."""
import argparse
import itertools

import numpy as np

import shards

SIZE = 50  # of a batch


def check(name, fine):
    print(name, "right" if fine else "WRONG")
    if not fine:
        raise SystemExit(1)


def epoch(games, size, seed, seen=0):
    """The records of the epoch that has position number `seen`, from there on, and the number of the epoch."""
    found = []
    for number, batches in itertools.groupby(games.batches(size, seed, seen), lambda b: b[0]):
        for _, _, pool, index in batches:
            found.append(pool.take(index)[0])
        return np.concatenate(found), number


def same(a, b):
    return np.array_equal(np.sort(a.view(f"V{shards.RECORD.itemsize}")), np.sort(b.view(f"V{shards.RECORD.itemsize}")))


def order(folder, quiet):
    games = shards.Shards(folder, quiet=quiet)
    everything = np.concatenate(games.parts)
    chosen = everything["game"] % shards.HELD_OUT != 0
    if quiet:
        chosen &= everything["flags"] & 7 == 0
    want = everything[chosen]
    check(f"quiet {quiet}: positions {games.train}", games.train == len(want) and games.train > 3 * shards.POOL)
    check("held-out games", np.array_equal(games.records(games.held), everything[everything["game"] % shards.HELD_OUT == 0]))
    first, _ = epoch(games, 1, 1)
    again, _ = epoch(games, 1, 1)
    other, _ = epoch(games, 1, 2)
    later, number = epoch(games, 1, 1, games.train)
    check("an epoch", same(first, want) and np.array_equal(first, again))
    check("another seed", same(other, want) and not np.array_equal(first, other))
    check("another epoch", number == 1 and same(later, want) and not np.array_equal(first, later))
    whole, _ = epoch(games, SIZE, 1)
    pools = -(-games.train // shards.POOL)
    check("whole batches", games.train - pools * SIZE < len(whole) <= games.train)
    for seen in (SIZE, len(whole) // SIZE // 2 * SIZE, len(whole) - SIZE):
        check(f"from position {seen} on", np.array_equal(epoch(games, SIZE, 1, seen)[0], whole[seen:]))
    part = shards.Shards(folder, quiet=quiet, limit=777)
    check("a limit", part.train == 777 and same(epoch(part, 1, 1)[0], want[:777]))


def teacher(folder):
    games = shards.Shards(folder, parts=["teacher"])
    everything, shares = np.concatenate(games.parts), np.concatenate(games.beside["teacher"])
    at = shards.starts(everything["moves"])
    names = everything.view(f"V{shards.RECORD.itemsize}")
    unique, rows, number = np.unique(names, return_index=True, return_counts=True)
    known = {name.tobytes(): row for name, row in zip(unique[number == 1], rows[number == 1])}
    compared = 0
    for _, _, pool, index in itertools.islice(games.batches(SIZE, 1, 0), 40):
        records, found = pool.take(index)
        for record, mine in zip(records, np.split(found["teacher"], shards.starts(records["moves"])[1:-1])):
            row = known.get(record.tobytes())
            if row is not None:
                compared += 1
                if not np.array_equal(mine, shares[at[row]:at[row + 1]]):
                    check("a teacher's bytes", False)
    check(f"a teacher's bytes of {compared} positions", compared > 1000)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="folder of shards with a teacher, of a hundred games or so")
    folder = parser.parse_args().data
    shards.BLOCK, shards.POOL = 64, 1500
    for quiet in (False, True):
        order(folder, quiet)
    teacher(folder)


if __name__ == "__main__":
    main()
