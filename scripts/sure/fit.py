"""Fits the models of sureness (search/sure) to the rows that "go run ./scripts/sure -rows LOG" writes, and measures them.

    python3 scripts/sure/fit.py rows.jsonl --models search/sure/models --held search/sure/testdata/held.jsonl.gz

Positions are split by game into five folds. The models that are written are fitted to four of them; the fifth is held out, for
the tests of the package. The tables that are printed are of all five: each fold as the other four predict it.
"""

import argparse
import gzip
import hashlib
import json
import math
import os

import numpy as np

import score
from diagram import draw

FOLDS = 5
LEAST, MOST = 0.01, 0.99  # as in model.go

# The sign that a weight must have: the statement rises with the feature (+1), falls with it (-1), or either (0).
SIGNS = {"one": 0, "effort": 0, "age": 1, "turmoil": -1, "changes": -1, "share": 1, "next": -1, "swing": -1, "drop": -1, "open": -1,
         "draws": 0, "moves": -1, "depth": 0, "own": 1, "gap": 1, "lead": 1, "prior": 1, "error": -1, "untried": -1}
WIDTH = ["one", "effort", "swing", "open", "draws", "error", "untried"]  # features of an interval's width

# What each player is to the engine, and the least effort at which it states anything.
PLAYERS = {
    "lazysmp": {"search": "lazysmp", "leaf_depth": 0, "least": 2000},
    "bestfirst": {"search": "bestfirst", "leaf_depth": 4, "least": 12},
    "bestfirst-plain": {"search": "bestfirst", "leaf_depth": 0, "least": 200},
}


def logistic(x):
    return 1 / (1 + np.exp(-np.clip(x, -30, 30)))


def fold(game):
    return int(hashlib.sha256(game.encode()).hexdigest(), 16) % FOLDS


def shares(rows):
    """The weight of each row: the rows of a position weigh one together."""
    count = {}
    for r in rows:
        count[r["game"]] = count.get(r["game"], 0) + 1
    return np.array([1 / count[r["game"]] for r in rows])


def descend(loss, x, signs, steps=3000):
    """Minimizes loss, which returns a value and its gradient, by projected gradient steps that keep the signs."""
    def project(v):
        return np.where(signs > 0, np.maximum(v, 0), np.where(signs < 0, np.minimum(v, 0), v))
    value, grad = loss(x)
    rate = 1.0
    for _ in range(steps):
        while True:
            new = project(x - rate * grad)
            v, g = loss(new)
            if v <= value + grad @ (new - x) / 2 or rate < 1e-12:
                break
            rate /= 2
        if value - v < 1e-10:
            break
        x, value, grad = new, v, g
        rate *= 1.5
    return x


def standardize(x, weights):
    mean = (weights[:, None] * x).sum(0) / weights.sum()
    scale = np.sqrt((weights[:, None] * (x - mean) ** 2).sum(0) / weights.sum())
    mean[0], scale[0] = 0, 1  # the feature "one"
    scale[scale < 1e-9] = np.inf  # a feature that does not vary gets no weight
    return mean, scale


def raw(w, mean, scale):
    """The weights of features as they are, from those of standardized ones."""
    out = w / scale
    out[0] = w[0] - (w[1:] * mean[1:] / scale[1:]).sum()
    return out


def fit_logistic(x, y, weights, signs, shrink):
    """A logistic model with signs; shrink is the weight of the squared standardized weights, in positions."""
    mean, scale = standardize(x, weights)
    z = (x - mean) / scale
    total = weights.sum()

    def loss(w):
        p = logistic(z @ w)
        pull = np.r_[0, w[1:]]
        value = -(weights * (y * np.log(p + 1e-12) + (1 - y) * np.log(1 - p + 1e-12))).sum() + shrink * (pull ** 2).sum() / 2
        return value / total, (z.T @ (weights * (p - y)) + shrink * pull) / total

    return raw(descend(loss, np.zeros(x.shape[1]), signs), mean, scale)


def fit_centre(q, score, weights):
    """a and b of the middle logistic(a + b s), by least squares of the expected points."""
    s = own_logit(q)

    def loss(w):
        p = logistic(w[0] + w[1] * s)
        d = p - score
        g = weights * d * p * (1 - p)
        return (weights * d * d).sum() / 2 / weights.sum() * 100, np.array([g.sum(), (g * s).sum()]) / weights.sum() * 100

    return descend(loss, np.array([0.0, 1.0]), np.zeros(2))


def own_logit(q):
    p = np.clip((1 + q) / 2, 0.005, 0.995)
    return np.log(p / (1 - p))


def fit_width(x, residual, weights, shrink):
    """The weights of the log of the 90 % quantile of residuals, by the pinball loss of logarithms."""
    mean, scale = standardize(x, weights)
    z, target = (x - mean) / scale, np.log(residual + 1e-3)
    w = np.zeros(x.shape[1])
    w[0] = np.quantile(target, 0.9)
    best, least = w, math.inf
    for step in range(4000):
        d = target - z @ w
        pull = np.r_[0, w[1:]]
        value = (weights * np.where(d > 0, 0.9 * d, -0.1 * d)).sum() + shrink * (pull ** 2).sum() / 2
        if value < least:
            best, least = w, value
        g = -(z.T @ (weights * np.where(d > 0, 0.9, -0.1))) + shrink * pull
        w = w - 0.5 / math.sqrt(step + 1) * g / weights.sum()
    return raw(best, mean, scale)


def conformal(x, w, residual, weights):
    """The factor that makes the widths hold 90 of 100 residuals."""
    ratio = residual / np.exp(x @ w)
    order = np.argsort(ratio)
    reached = np.cumsum(weights[order]) / weights.sum()
    return ratio[order][np.searchsorted(reached, 0.9)]


def predict(x, w):
    return np.clip(logistic(x @ w), LEAST, MOST)


class Data:
    """The rows of a player, as arrays."""

    def __init__(self, rows, names):
        self.rows = rows
        self.names = names
        self.x = np.array([r["x"] for r in rows])
        self.fold = np.array([fold(r["game"]) for r in rows])
        self.weights = shares(rows)
        self.effort = np.array([r["effort"] for r in rows])
        self.signs = np.array([SIGNS[n] for n in names])

    def only(self, keep):
        return Data([r for r, k in zip(self.rows, keep) if k], self.names)

    def column(self, name):
        return np.array([r[name] for r in self.rows], float)

    def features(self, wanted):
        return self.x[:, [self.names.index(n) for n in wanted]]


def out_of_fold(d, fit, apply):
    """What models of the other folds say of each row."""
    out = np.zeros(len(d.rows))
    for k in range(FOLDS):
        out[d.fold == k] = apply(d.only(d.fold == k), fit(d.only(d.fold != k)))
    return out


def mean(x, w):
    return (w * x).sum() / w.sum()


def brier(p, y, w):
    return mean((p - y) ** 2, w)


def reliability(p, y, w):
    """Rows by tenths of the claim: count of positions, claimed, found. And the expected calibration error."""
    table, error = [], 0
    for t in range(10):
        at = (p >= t / 10) & (p < (t + 1) / 10 if t < 9 else p <= 1)
        n = w[at].sum()
        if n > 0:
            claimed, found = (w[at] * p[at]).sum() / n, (w[at] * y[at]).sum() / n
            table.append((t, n, claimed, found))
            error += n / w.sum() * abs(claimed - found)
    return table, error


def bootstrap_error(p, w, games, seed):
    """What the calibration error would be of claims that are true: the mean over outcomes drawn by the claims themselves, one draw
    for each position."""
    random = np.random.default_rng(seed)
    ids = {g: i for i, g in enumerate(sorted(set(games)))}
    index = np.array([ids[g] for g in games])
    return np.mean([reliability(p, (random.random(len(ids))[index] < p).astype(float), w)[1] for _ in range(200)])


def at_effort(d, effort):
    """The look of each position that is nearest to an effort, within a factor of 1.35."""
    keep = {}
    for i, r in enumerate(d.rows):
        off = abs(math.log(r["effort"] / effort))
        if off < 0.3 and (r["game"] not in keep or off < keep[r["game"]][0]):
            keep[r["game"]] = (off, i)
    at = np.zeros(len(d.rows), bool)
    at[[i for _, i in keep.values()]] = True
    return at


def measure(title, d, y, p, baselines, efforts):
    """Prints how good a statement is, at all looks and at one look of each position."""
    games = [r["game"] for r in d.rows]
    print(f"\n### {title}: {len(set(games))} positions, {len(games)} looks, true in {100 * mean(y, d.weights):.1f} %\n")
    table, error = reliability(p, y, d.weights)
    print("| claimed | positions | mean claim | found |\n|---|---|---|---|")
    for t, n, claimed, found in table:
        print(f"| {t / 10:.1f} to {(t + 1) / 10:.1f} | {n:.1f} | {claimed:.3f} | {found:.3f} |")
    own = brier(p, y, d.weights)
    others = [(name, brier(q, y, d.weights)) for name, q in baselines]
    print(f"\nECE {error:.3f}, of true claims {bootstrap_error(p, d.weights, games, 1):.3f}; Brier {own:.4f}; " +
          "; ".join(f"{name} {other:.4f} ({100 * (1 - own / other):+.1f} %)" for name, other in others))
    for effort in efforts:
        at = at_effort(d, effort)
        if at.sum() < 20:
            continue
        one = np.ones(at.sum())
        g = [x for x, k in zip(games, at) if k]
        print(f"\nat effort {effort:g}: {at.sum()} positions, true {100 * y[at].mean():.1f} %, "
              f"ECE {reliability(p[at], y[at], one)[1]:.3f}, "
              f"of true claims {bootstrap_error(p[at], one, g, 2):.3f}, Brier {brier(p[at], y[at], one):.4f}; " +
              "; ".join(f"{name} {brier(q[at], y[at], one):.4f}" for name, q in baselines))
        for threads in (1, 2):
            of = at & (d.column("threads") == threads)
            print(f"  {threads} threads: {of.sum()} positions, claimed {p[of].mean():.3f}, found {y[of].mean():.3f}")


def tenths(panels):
    """Prints the tables of the page: for each tenth of the claims, the positions and what was found."""
    for line in panels:
        print("\n| claimed |" + "".join(f" {title} |" for title, *_ in line) + "\n|---|" + "---|" * len(line))
        tables = [{t: (n, found) for t, n, _, found in reliability(p, y, w)[0]} for _, p, y, w in line]
        for t in range(10):
            if any(t in table for table in tables):
                cells = [f"{table[t][1]:.2f} ({table[t][0]:.0f})" if t in table and table[t][0] >= 0.5 else "" for table in tables]
                print(f"| {t / 10:.1f} to {(t + 1) / 10:.1f} | " + " | ".join(cells) + " |")


def stopping(d, p, limits):
    """Prints what a search costs and loses that ends at the first look that is as sure as a limit, beside searches of one effort for
    all positions that lose the same."""
    games = {}
    for i in np.argsort(d.effort, kind="stable"):
        games.setdefault(d.rows[i]["game"], []).append(i)
    regret = d.column("regret")
    grid = np.geomspace(d.effort.min(), d.effort.max(), 40)
    fixed = []
    for effort in grid:
        last = [max((i for i in at if d.effort[i] <= effort), key=lambda i: d.effort[i], default=at[0]) for at in games.values()]
        fixed.append((d.effort[last].mean(), regret[last].mean()))
    cost, loss = np.array(fixed).T
    loss = np.minimum.accumulate(loss)  # more effort is never chosen where less loses as little
    print("\n| ends when sure | mean effort | mean regret | effort for all with that regret | share |\n|---|---|---|---|---|")
    for limit in limits:
        ends = [next((i for i in at if p[i] >= limit), at[-1]) for at in games.values()]
        spent, lost = d.effort[ends].mean(), regret[ends].mean()
        enough = np.flatnonzero(loss <= lost)
        if len(enough):
            same = f"{cost[enough[0]]:.0f} | {100 * spent / cost[enough[0]]:.0f} %"
        else:
            same = f"more than {cost[-1]:.0f} | less than {100 * spent / cost[-1]:.0f} %"
        print(f"| {limit} | {spent:.0f} | {lost:.4f} | {same} |")
    print(f"\nto the end: {cost[-1]:.0f}, {regret[[at[-1] for at in games.values()]].mean():.4f}")


def statement(title, d, y, names, shrink, efforts):
    """Fits and measures a probability. Returns its weights, and a panel of the diagram."""
    for r, v in zip(d.rows, y):
        r["y"] = float(v)
    signs = np.array([SIGNS[n] for n in names])

    def on(wanted, signs):
        def fit(t):
            return fit_logistic(t.features(wanted), t.column("y"), t.weights, signs, shrink)
        return fit, lambda t, w: predict(t.features(wanted), w)
    p = out_of_fold(d, *on(names, signs))
    baselines = [("constant", out_of_fold(d, *on(["one"], np.zeros(1)))), ("age alone", out_of_fold(d, *on(["one", "age"], np.zeros(2))))]
    if "gap" in names:
        baselines.append(("gap alone", out_of_fold(d, *on(["one", "gap", "lead"], np.zeros(3)))))
    measure(title, d, y, p, baselines, efforts)
    if title.endswith("best"):
        stopping(d, p, [0.7, 0.75, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97])
        hard = np.abs(d.column("q")) < 0.5
        w = d.weights[hard]
        print(f"\nwhere q is -0.5 to 0.5: {w.sum():.0f} positions, claimed {mean(p[hard], w):.3f}, found {mean(y[hard], w):.3f}, "
              f"ECE {reliability(p[hard], y[hard], w)[1]:.3f}")
    train = d.only(d.fold != 0)
    w = on(names, signs)[0](train)
    return {n: round(float(v), 4) for n, v in zip(names, w) if abs(v) > 5e-5}, (title, p, y, d.weights)


def interval(title, d, names, shrink):
    """Fits and measures the interval. Returns it as the model holds it."""
    def centre(t):
        return fit_centre(t.column("q"), t.column("score"), t.weights)

    def middle(t, c):
        return logistic(c[0] + c[1] * own_logit(t.column("q")))

    def fit(t):
        c = centre(t)
        residual = np.abs(out_of_fold(t, centre, middle) - t.column("score"))
        x = t.features(names)
        w = fit_width(x, residual, t.weights, shrink)
        w[0] += math.log(conformal(x, w, residual, t.weights))
        return c, w

    held = np.zeros(len(d.rows))
    half = np.zeros(len(d.rows))
    for k in range(FOLDS):
        t = d.only(d.fold == k)
        c, w = fit(d.only(d.fold != k))
        half[d.fold == k] = np.exp(t.features(names) @ w)
        held[d.fold == k] = np.abs(middle(t, c) - t.column("score")) <= half[d.fold == k]
    print(f"\n### {title}: intervals of 90 % hold {100 * mean(held, d.weights):.1f} of 100; mean half-width {mean(half, d.weights):.3f}")
    edges = np.quantile(half, [0, 1 / 3, 2 / 3, 1])
    for a, b in zip(edges, edges[1:]):
        at = (half >= a) & (half <= b)
        print(f"half-width {a:.3f} to {b:.3f}: {100 * mean(held[at], d.weights[at]):.1f} of 100")
    c, w = fit(d.only(d.fold != 0))
    return {"centre": [round(float(v), 4) for v in c],
            "width": {"most": 0, "weights": {n: round(float(v), 4) for n, v in zip(names, w) if abs(v) > 5e-5}}}


def pairs(title, d):
    """Fits and measures which of two root moves is better. Returns its weights."""
    rows = []
    for r in d.rows:
        for y, *x in r["pairs"] or []:
            rows.append({"game": r["game"], "effort": r["effort"], "x": x, "y": y, "threads": r["threads"]})
    if not rows:
        return None
    p = PairData(rows)
    signs = np.array([0, 1, 1])
    claims = out_of_fold(p, lambda t: fit_logistic(t.x, t.column("y"), t.weights, signs, 1), lambda t, w: predict(t.x, w))
    y = p.column("y")
    constant = out_of_fold(p, lambda t: (t.weights * t.column("y")).sum() / t.weights.sum(), lambda t, c: c)
    measure(title, p, y, claims, [("constant", constant)], [])
    train = p.only(p.fold != 0)
    return [round(float(v), 4) for v in fit_logistic(train.x, train.column("y"), train.weights, signs, 1)]


class PairData(Data):
    """Rows of pairs, whose features have no names."""

    def __init__(self, rows):
        self.rows = rows
        self.x = np.array([r["x"] for r in rows])
        self.fold = np.array([fold(r["game"]) for r in rows])
        self.weights = shares(rows)

    def only(self, keep):
        return PairData([r for r, k in zip(self.rows, keep) if k])


def held_out(d, most, random):
    """Looks of each held-out position, for the tests: any three, and three at which it is stated whether the first move stays."""
    games = {}
    for i in np.flatnonzero(d.fold == 0):
        games.setdefault(d.rows[i]["game"], []).append(i)
    for number, at in enumerate(games.values()):
        early = [i for i in at if d.effort[i] <= most / 10 and d.rows[i]["stays"] is not None]
        for i in sorted({i for of in (at, early) if of for i in random.choice(of, min(3, len(of)), replace=False)}):
            r = d.rows[i]
            yield {"player": r["player"], "position": number, "facts": r["facts"], "regret": round(r["regret"], 4),
                   "score": round(r["score"], 4), "stays": r["stays"]}


def check(rows, header, folder):
    """Prints what models claim of rows of other games, and what was found."""
    print("| searcher | statement | positions, looks | claimed | found | ECE | of true claims | Brier | of a constant |")
    print("|---" * 9 + "|")
    tails = []
    for player in header["players"]:
        with open(os.path.join(folder, player + ".json"), encoding="utf-8") as f:
            m = json.load(f)
        first, last = m["efforts"]
        mine = [r for r in rows if r["player"] == player and first <= r["effort"] <= last]
        d = Data([r for r in mine if player == "lazysmp" or r["gap"] is not None], header["features"])

        def line(what, d, p, y):
            games = [r["game"] for r in d.rows]
            found = mean(y, d.weights)
            print(f"| {player} | {what} | {len(set(games))}, {len(games)} | {mean(p, d.weights):.3f} | {found:.3f} "
                  f"| {reliability(p, y, d.weights)[1]:.3f} | {bootstrap_error(p, d.weights, games, 1):.3f} "
                  f"| {brier(p, y, d.weights):.4f} | {found * (1 - found):.4f} |")

        def weights(of):
            return np.array([of["weights"].get(n, 0) for n in d.names])
        line("best", d, predict(d.x, weights(m["best"])), (d.column("regret") <= header["within"]).astype(float))
        s = d.only([r["stays"] is not None and r["effort"] <= m["stays"]["most"] for r in d.rows])
        line("stays", s, predict(s.x, weights(m["stays"])), s.column("stays"))
        a, b = m["interval"]["centre"]
        off = np.abs(logistic(a + b * own_logit(d.column("q"))) - d.column("score"))
        line("interval", d, np.full(len(off), 0.9), (off <= np.exp(d.x @ weights(m["interval"]["width"]))).astype(float))
        for part, a, e, _, _ in score.slopes(d, score.points(d.column("q"), m.get("stretch", 1))):
            tails.append(f"| {player} | {part} | {a:.3f} +- {e:.3f} |")
    print("\n| searcher | positions | slope of the reference on the score |\n|---|---|---|")
    print("\n".join(tails))


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("rows")
    args.add_argument("--check", metavar="FOLDER", help="fit nothing: hold the models of this folder against the rows, of other games")
    args.add_argument("--net", help="hash of the net, as tesla doctor prints it")
    args.add_argument("--effort", type=float, default=1, help="the -effort of the searches: nothing is stated of longer ones")
    args.add_argument("--models", help="folder to write the models to")
    args.add_argument("--held", help="file to write held-out looks to")
    args.add_argument("--plot", help="SVG file to draw claimed against found in")
    args.add_argument("--shrink", type=float, default=6.0, help="weight of the squared standardized weights, in positions")
    o = args.parse_args()
    with open(o.rows, encoding="utf-8") as f:
        header = json.loads(f.readline())
        rows = [json.loads(line) for line in f]
    if o.check:
        check(rows, header, o.check)
        return
    if not o.net:
        args.error("--net is needed: the model says which net it is for")
    random = np.random.default_rng(1)
    held, panels = [], ([], [])
    for player, most in zip(header["players"], header["efforts"]):
        how, most = PLAYERS[player], most * o.effort
        mine = [r for r in rows if r["player"] == player and r["effort"] >= how["least"]]
        names = header["features"] if mine[0]["gap"] is not None else header["features"][:header["features"].index("own")]
        if player != "lazysmp":
            names = [n for n in names if n != "depth"]
        mine = [r for r in mine if player == "lazysmp" or r["gap"] is not None]
        d = Data(mine, header["features"])
        efforts = [most / 100, most / 10, most * 0.85]
        best, panel = statement(f"{player}, best", d, (d.column("regret") <= header["within"]).astype(float), names, o.shrink, efforts)
        s = d.only([r["stays"] is not None for r in mine])
        panels[0].append(panel)
        stays, panel = statement(f"{player}, stays", s, s.column("stays"), names, o.shrink, efforts[:2])
        panels[1].append(panel)
        span = interval(f"{player}", d, [n for n in WIDTH if n in names], o.shrink)
        span["width"]["most"] = most
        better = pairs(f"{player}, pairs", d)
        stretch = score.correct(player, d, out_of_fold)
        model = {"search": how["search"], "net": o.net, "leaf_depth": how["leaf_depth"], "efforts": [how["least"], most],
                 "stays": {"most": most / 10, "weights": stays}, "best": {"most": most, "weights": best}, "interval": span}
        if stretch:
            model["stretch"] = stretch
        if better:
            model["better"] = {"most": most, "weights": better}
        if o.models:
            with open(os.path.join(o.models, player + ".json"), "w", encoding="utf-8") as f:
                json.dump(model, f, indent=1)
                f.write("\n")
        held += held_out(d, most, random)
    tenths(panels)
    if o.plot:
        draw(o.plot, panels, reliability)
    if o.held:
        with gzip.GzipFile(o.held, "w", mtime=0) as f:
            for r in held:
                f.write((json.dumps(r) + "\n").encode())


if __name__ == "__main__":
    main()
