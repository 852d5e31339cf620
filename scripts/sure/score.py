"""How far the score of a search falls short of the reference's, and the factor that mends it.

The slope is that of the reference's expected points on the search's own, both less a half. It is taken of all positions, and of open
ones: in the others both are near 0 or 1, which hides what is off between.
"""

import math

import numpy as np

SCALE = 250  # centipawns, as in sure.Points
CP_SCALE = 700  # as in search.CPToQ
DECIDED = 0.99999  # |q| from which scores are mates, wins by tables or near them
OPEN = 0.5  # |q| up to which a position is open
HONEST = (0.95, 1.05)  # slopes of a score that is not off


def points(q, stretch):
    """The search's own expected points, with its score stretched."""
    return 1 / (1 + np.exp(-stretch * CP_SCALE / SCALE * np.arctanh(np.clip(q, -DECIDED, DECIDED))))


def slope(p, y, w):
    """The slope of y on p."""
    x = p - (w * p).sum() / w.sum()
    return (w * x * y).sum() / (w * x * x).sum()


def error(p, y, w, games):
    """The standard error of the slope, by the jackknife over games: the looks of one are not independent."""
    names, index = np.unique(games, return_inverse=True)
    left = [slope(p[index != k], y[index != k], w[index != k]) for k in range(len(names))]
    return math.sqrt((len(names) - 1) * np.var(left))


def fit(q, y, w):
    """The factor of the score with the least squares of expected points, by Gauss and Newton."""
    stretch, cp = 1.0, CP_SCALE / SCALE * np.arctanh(np.clip(q, -DECIDED, DECIDED))
    for _ in range(50):
        p = points(q, stretch)
        d = p * (1 - p) * cp
        stretch -= (w * d * (p - y)).sum() / (w * d * d).sum()
    return stretch


def parts(d):
    """All rows of data whose score is not decided, and the open ones of them."""
    q = np.abs(d.column("q"))
    yield "all", q < DECIDED
    yield "open", q <= OPEN


def slopes(d, p):
    """The slopes on expected points p, each with its part of the positions, standard error, number of positions and mean square."""
    y, games = d.column("score"), np.array([r["game"] for r in d.rows])
    for name, at in parts(d):
        of = p[at], y[at], d.weights[at]
        square = (of[2] * (of[0] - of[1]) ** 2).sum() / of[2].sum()
        yield name, slope(*of), error(*of, games[at]), len(set(games[at])), square


def correct(title, d, out_of_fold):
    """Fits and measures the factor. It is None where no slope is off without it, by two standard errors."""
    def stretch(t):
        at = np.abs(t.column("q")) < DECIDED
        return fit(t.column("q")[at], t.column("score")[at], t.weights[at])
    raw = points(d.column("q"), 1)
    fitted = out_of_fold(d, stretch, lambda t, s: points(t.column("q"), s))
    print(f"\n### {title}: slope of the reference's expected points on the score's\n")
    print("| positions | | slope | stretched | root of the mean square | stretched |\n|---|---|---|---|---|---|")
    for (part, a, e, n, square), (_, b, f, _, after) in zip(slopes(d, raw), slopes(d, fitted)):
        print(f"| {part} | {n} | {a:.3f} +- {e:.3f} | {b:.3f} +- {f:.3f} | {math.sqrt(square):.4f} | {math.sqrt(after):.4f} |")
    train = d.only(d.fold != 0)
    off = any(not HONEST[0] + 2 * e <= a <= HONEST[1] - 2 * e for _, a, e, _, _ in slopes(train, points(train.column("q"), 1)))
    factor = round(float(stretch(train)), 3)
    print(f"\nfactor {factor}: {'taken' if off else 'not taken, no slope is off'}")
    return factor if off else None
