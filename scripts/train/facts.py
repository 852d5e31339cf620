"""Prints facts about shards of positions that belong on a model card: results, duplicates, targets."""
import argparse

import numpy as np

import data


def hashes(records):
    """A number for each position with its rights. Two 64-bit hashes would be needed for a proof; one counts 100 M positions well
    enough."""
    found = records["occupied"].copy()
    for word in records["pieces"].copy().view("<u8").T:
        found = (found ^ found >> np.uint64(32)) * np.uint64(0x9E3779B97F4A7C15)
        found = (found ^ found >> np.uint64(29)) + word
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="folder of shards, see prepare")
    games = data.Games(parser.parse_args().data)
    n = games.positions
    key, held = np.empty(n, np.uint64), np.zeros(n, bool)
    held[games.held] = True
    results, mates, rights, moves = np.zeros(3, int), 0, 0, 0
    for i, part in enumerate(games.parts):
        key[i * games.size:][:len(part)] = hashes(part)
        results += np.bincount(part["result"] + 1, minlength=3)
        mates += np.count_nonzero(part["flags"] & data.MATE)
        # Codes 12 and 13 are rooks that may castle.
        rights += np.count_nonzero(((part["pieces"] & 14 == 12) | (part["pieces"] >> 4 & 14 == 12)).any(1))
        moves += part["moves"].sum(dtype=np.int64)
    distinct = len(np.unique(key))
    print(f"positions {n}, distinct {distinct}, duplicates {1 - distinct / n:.2%}")
    print(f"held-out positions that also occur in training games {np.isin(key[held], key[~held]).mean():.2%}")
    for name, count in zip(("losses", "draws", "wins"), results):
        print(f"{name} for the mover {count / n:.2%}")
    print(f"mate scores {mates / n:.2%}")
    print(f"castling rights present {rights / n:.2%}")
    print(f"legal moves a position {moves / n:.2f}")


if __name__ == "__main__":
    main()
