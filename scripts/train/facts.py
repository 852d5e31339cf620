"""Prints facts about prepared arrays that belong on a model card: results, duplicates, targets."""
import argparse

import numpy as np

import data


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="folder written by prepare")
    games = data.Games(parser.parse_args().data)
    n = len(games.code)
    boards = np.concatenate([games.code.numpy(), games.flags.numpy()], 1)
    # Two 64-bit hashes would be needed for a proof; one random linear hash counts 4.4 M positions well enough.
    key = np.random.default_rng(0).integers(1 << 62, size=boards.shape[1], dtype=np.uint64) | np.uint64(1)
    hashes = np.zeros(n, np.uint64)
    for i in range(boards.shape[1]):
        hashes = hashes * np.uint64(0x9E3779B97F4A7C15) + boards[:, i] * key[i] + (hashes >> np.uint64(29))
    seen, first = np.unique(hashes, return_index=True)
    held = np.isin(hashes[games.held], hashes[games.train]).mean()
    print(f"positions {n}, distinct {len(seen)}, duplicates {1 - len(seen) / n:.2%}")
    print(f"held-out positions that also occur in training games {held:.2%}")
    for name, value in (("wins", 1), ("draws", 0), ("losses", -1)):
        print(f"{name} for the mover {(games.result == value).float().mean():.2%}")
    print(f"mate scores {(games.score[:, 0].int().abs() > 30000).float().mean():.2%}")
    print(f"castling rights present {(games.flags[:, 0] != 0).float().mean():.2%}")
    print(f"legal moves a position {games.offset[-1] / n:.2f}")


if __name__ == "__main__":
    main()
