"""The value and the policy net as the kernels train them; nnue's documentation says what they compute.

Weights are kept within what the file's integers hold, and rounded to those integers where a forward pass reads them;
gradients pass through the rounding (Bengio et al. 2013).
"""
import numpy as np
import torch

from kernel import LANES, call

SQUARES, PIECES = 64, 768
POLICY_FEATURES, ROWS1, ROWS2, SCALARS = 3200, 3716, 768, 144
OUTPUTS, LAYER1, LAYER2, HEADS = 8, 16, 32, 3  # of the value net: buckets, by the number of pieces, and sizes of the layers
# Integers that stand for 1.0: in the first layers, and in their activations, whose integers are squares of sums in steps of 1 / QA,
# shifted by 8 bits. Each row of bytes has a step of its own, see row_steps. Two activations of 254 times two neighbours, which are
# 129 together where both were rounded up from PAIR, fit int16.
QA, PH, ROW, PAIR, INT8 = 255, 255 * 255 / 256, 127, 128, 127


def king_buckets(k):
    """A table of 64: the bucket of the own king's square, which is on files a to d."""
    table = np.zeros((8, 8), np.uint8)
    if k == 4:
        table[0, 2:], table[1], table[2:] = 1, 2, 3
    elif k == 8:
        table[0, 2], table[0, 3:], table[1, :2], table[1, 2:] = 1, 2, 3, 4
        table[2], table[3:5], table[5:] = 5, 6, 7
    elif k != 1:
        raise ValueError(f"{k} king buckets")
    table[:, 4:] = table[:, 3::-1]
    return table.reshape(-1)


class Parameter:
    """A tensor with its gradient, moments and running average; every entry stays within +-limit."""

    def __init__(self, value, limit=float("inf")):
        self.value, self.limit = value.contiguous(), limit
        self.grad, self.first, self.second = (torch.zeros_like(self.value) for _ in range(3))
        self.average = self.value.clone()


class Net:
    """The part that both nets share: parameters, Adam, checkpoints. shares says by name what rows of a matrix share: the name of the
    matrix, and of each of its first rows the number of the shared row, int32."""

    BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8

    def __init__(self):
        self.parameters, self.shares, self.steps, self.decay, self.drop = {}, {}, 0, 0.0, 0.0
        self.trust = 0.0  # share of the policy's target that is not the played move

    def update(self, rate):
        self.steps += 1
        # The bias corrections of the moments, moved out of the loop.
        scale = (1 - self.BETA2 ** self.steps) ** 0.5
        keep = min(0.999, (1 + self.steps) / (10 + self.steps))
        for p in self.parameters.values():
            call("adam", p.value, p.first, p.second, p.grad, p.average, p.value.numel(),
                 rate * scale / (1 - self.BETA1 ** self.steps), rate * self.decay, self.BETA1, self.BETA2,
                 self.EPSILON * scale, float(p.limit), keep)

    def state(self):
        return {"steps": self.steps, **{f"{name}.{part}": getattr(p, part) for name, p in self.parameters.items()
                                        for part in ("value", "first", "second", "average")}}

    def load(self, state):
        self.steps = state["steps"]
        for name, p in self.parameters.items():
            for part in ("value", "first", "second", "average"):
                getattr(p, part).copy_(state[f"{name}.{part}"])

    def compose(self, name, average, limit=1e9, steps=0.0, kind=torch.float32):
        """The rows of the matrix that is parameter `name`, with what they share, within +-limit; as multiples of 1 / steps, or in these
        units if kind is int16."""
        p = self.parameters[name]
        own, table = p.average if average else p.value, self.table_of(name, average)
        out = torch.empty(own.shape, dtype=kind)
        if kind == torch.int16:
            call("compose_integers", own, self.chunks, own.shape[1], table, len(table), float(steps), out)
        else:
            call("compose", own, self.chunks, own.shape[1], table, len(table), float(limit), float(steps), out)
        return out

    def table_of(self, name, part):
        """What the rows of a matrix share, as the struct share of weights.c: of the weights, their averages or, for None, gradients."""
        found = [(self.parameters[other], index) for other, (matrix, index) in self.shares.items() if matrix == name]
        return np.array([((p.grad if part is None else p.average if part else p.value).data_ptr(), index.ctypes.data, p.value.shape[1],
                          len(index)) for p, index in found], np.int64).reshape(-1, 4)

    def share(self, name):
        """Adds the gradients of a matrix to those of what its rows share."""
        g, table = self.parameters[name].grad, self.table_of(name, None)
        call("share_gradients", g, self.chunks, g.shape[1], table, len(table))


def row_steps(rows, dims=(0, 2)):
    """The real value of one unit of each row of bytes, whose columns are the dimensions dims, which the result has as 1: the least
    by which each weight is at most ROW, and two neighbours of columns 2k and 2k + 1 are at most PAIR together; 1 for a row of zeros.
    round_rows of weights.c rounds to it."""
    size = rows.abs()
    most = torch.maximum(size.amax(dims, keepdim=True) / ROW, size.unflatten(-1, (-1, 2)).sum(-1).amax(dims, keepdim=True) / PAIR)
    return torch.where(most > 0, most, 1.0)


class Value(Net):
    HEAD = ("layer1", "bias1", "layer2", "bias2", "layer3", "bias3")

    def __init__(self, hidden=512, buckets=4, seed=1):
        super().__init__()
        self.hidden, self.buckets = hidden, buckets
        self.chunks, self.table = hidden // LANES, king_buckets(buckets)
        torch.manual_seed(seed)

        def uniform(bound, *shape):
            return torch.empty(shape).uniform_(-bound, bound)

        # A row of a bucket is the sum of its own row and one that all buckets share, so that rare buckets learn too.
        self.parameters = {
            "shared": Parameter(uniform(0.1, self.chunks, PIECES, LANES), 0.99),
            "own": Parameter(torch.zeros(self.chunks, buckets * PIECES, LANES), 0.99),
            "bias": Parameter(uniform(0.1, self.chunks, LANES), 1.98),
            "layer1": Parameter(uniform((2 * hidden) ** -0.5, OUTPUTS, LAYER1, 2 * hidden)),
            "bias1": Parameter(torch.zeros(OUTPUTS, LAYER1)),
            "layer2": Parameter(uniform((2 * LAYER1) ** -0.5, OUTPUTS, LAYER2, 2 * LAYER1)),
            "bias2": Parameter(torch.zeros(OUTPUTS, LAYER2)),
            "layer3": Parameter(uniform(LAYER2 ** -0.5, OUTPUTS, HEADS, LAYER2)),
            "bias3": Parameter(torch.zeros(OUTPUTS, HEADS)),
        }
        self.shares["shared"] = "own", np.tile(np.arange(PIECES, dtype=np.int32), buckets)

    def weights(self, average=False, rounded=False):
        """The weights of a forward pass by name, the current ones or their running average. Rounded ones of the first layer are in
        units of 1 / QA."""
        found = {name: p.average if average else p.value for name, p in self.parameters.items()}
        del found["own"], found["shared"]
        if not rounded:
            return {"ft": self.compose("own", average), **found}
        layer1 = found["layer1"].clone()
        call("round_rows", layer1, OUTPUTS * LAYER1, 1, 2 * self.hidden, 2 * self.hidden, 0, float(ROW), float(PAIR))
        return {**found, "ft": self.compose("own", average, steps=QA, kind=torch.int16),
                "bias": (found["bias"] * QA).round().to(torch.int16), "layer1": layer1}

    def hidden_layer(self, w, games, rows):
        """The sums of both sides, [n, 2 hidden], from 0 to QA, and the features that backward needs."""
        n = len(rows)
        index, count = torch.empty(2 * n, 32, dtype=torch.int16), torch.empty(2 * n, dtype=torch.uint8)
        order = torch.empty(2 * n, dtype=torch.int32)
        call("value_index", games.features, games.foffset, games.men, games.kings, self.table, rows, n, index, count, order)
        x = torch.empty(n, 2 * self.hidden, dtype=torch.uint8)
        call("value_forward", w["ft"], w["ft"].shape[1], w["bias"], self.chunks, index, count, order, n, x)
        return x, index, count, order

    WEIGHTS = {"value": 1.0, "sigma": 0.02, "draw": 0.02}  # of the losses

    def head(self, w, x, games, rows, sizes, d=None):
        """The outputs [n, 3] of positions that are ordered by bucket, sizes[b] of bucket b. With d, a tensor for the gradients of the
        sums, also the losses by name; gradients of weights are added up."""
        y, parts = torch.empty(len(rows), HEADS), np.zeros(HEADS)
        g = [self.parameters[name].grad if d is not None else None for name in self.HEAD]
        call("value_head", x, 2 * self.hidden, *(w[name] for name in self.HEAD), games.score, games.result, rows, sizes,
             torch.get_num_threads(), self.WEIGHTS["sigma"], self.WEIGHTS["draw"], y, parts, d, *g)
        return y, dict(zip(self.WEIGHTS, parts))

    def forward(self, w, games, rows, size=16384):
        """The outputs [n, 3] by rounded weights."""
        y = torch.empty(len(rows), HEADS)
        for at in range(0, len(rows), size):
            part, order, sizes = by_bucket(games, rows[at:at + size])
            y[at + order] = self.head(w, self.hidden_layer(w, games, part)[0], games, part, sizes)[0]
        return y

    @classmethod
    def losses(cls, y, games, rows):
        """The losses of outputs [n, 3]."""
        parts = np.zeros(HEADS)
        call("value_losses", y, games.score, games.result, rows, len(rows), parts)
        return dict(zip(cls.WEIGHTS, parts.tolist()))

    def step(self, games, rows, rate):
        w = self.weights(rounded=True)
        rows, _, sizes = by_bucket(games, rows)
        x, index, count, order = self.hidden_layer(w, games, rows)
        d = torch.empty(len(rows), 2 * self.hidden)
        _, parts = self.head(w, x, games, rows, sizes, d)
        g = self.parameters["own"].grad
        call("value_backward", g, g.shape[1], self.parameters["bias"].grad, self.chunks, index, count, order, len(rows), d)
        self.share("own")
        self.update(rate)
        return parts

    def evaluate(self, games, rows):
        return self.losses(self.forward(self.weights(average=True, rounded=True), games, rows), games, rows)


def by_bucket(games, rows):
    """rows in the order of their output buckets, the place where each stood, and how many each bucket has."""
    bucket = (games.men[rows].astype(np.int64) - 1) // 4
    order = np.argsort(bucket, kind="stable")
    return rows[order], order, np.bincount(bucket, minlength=OUTPUTS)


def policy_shares():
    """(name, matrix, index) of what rows of the policy's matrices share: row i is its own and row index[i] of name, so
    that rare ones learn too. Pins and underpromotions, which come last, share nothing."""
    piece, state, square = np.unravel_index(np.arange(12 * 4 * SQUARES), (12, 4, SQUARES))
    yield "ft.square", "ft", piece * SQUARES + square
    yield "ft.state", "ft", piece * 4 + state
    yield "ft.rank", "ft", (piece * 4 + state) * 8 + square // 8
    yield "ft.file", "ft", (piece * 4 + state) * 8 + square % 8
    source, target = np.divmod(np.arange(SQUARES * SQUARES), SQUARES)
    files, ranks = target % 8 - source % 8, target // 8 - source // 8
    queen = (files == 0) | (ranks == 0) | (abs(files) == abs(ranks))
    pairs = np.flatnonzero((queen | (abs(files * ranks) == 2)) & (source != target)).repeat(2)
    good = np.arange(len(pairs)) % 2
    yield "rows1.from", "rows1", 2 * source[pairs] + good
    yield "rows1.to", "rows1", 2 * target[pairs] + good
    yield "rows1.step", "rows1", 2 * (15 * (ranks[pairs] + 7) + files[pairs] + 7) + good
    kind, check, square = np.unravel_index(np.arange(ROWS2), (6, 2, SQUARES))
    yield "rows2.to", "rows2", kind * SQUARES + square
    yield "rows2.check", "rows2", kind * 2 + check


class Policy(Net):
    def __init__(self, hidden=512, seed=1):
        super().__init__()
        self.hidden, self.chunks = hidden, hidden // LANES
        torch.manual_seed(seed)

        def uniform(bound, *shape):
            return torch.empty(shape).uniform_(-bound, bound)

        self.parameters = {
            "ft": Parameter(uniform(0.1, self.chunks, POLICY_FEATURES, LANES), INT8 / QA),
            "bias": Parameter(uniform(0.1, self.chunks, LANES), 8.0),
            "rows1": Parameter(uniform(hidden ** -0.5, self.chunks, ROWS1, LANES)),
            "rows2": Parameter(uniform(hidden ** -0.5, self.chunks, ROWS2, LANES)),
            "bias1": Parameter(torch.zeros(ROWS1)),
            "bias2": Parameter(torch.zeros(ROWS2)),
            "bias3": Parameter(torch.zeros(SCALARS)),
        }

        self.shares = {name: (matrix, index.astype(np.int32)) for name, matrix, index in policy_shares()}
        for name, (_, index) in self.shares.items():
            self.parameters[name] = Parameter(torch.zeros(self.chunks, int(index.max()) + 1, LANES))

    def weights(self, average=False, rounded=False):
        """The weights of a forward pass by name, the current ones or their running average."""
        w = {name: p.average if average else p.value for name, p in self.parameters.items() if name not in self.shares}
        w["ft"] = self.compose("ft", average, INT8 / QA, QA if rounded else 0)
        for name in ("rows1", "rows2"):
            w[name] = self.compose(name, average)
            if rounded:
                rows = w[name].shape[1]
                call("round_rows", w[name], rows, self.chunks, LANES, LANES, rows * LANES, float(ROW), float(PAIR))
        if rounded:
            w["bias"] = (w["bias"] * QA).round().div_(QA)
        return w

    def forward(self, w, games, rows, steps=PH, drop=0.0):
        """Logits of all moves, one position after the other, and what backward needs."""
        n = len(rows)
        start = np.zeros(n + 1, np.int64)
        np.cumsum(games.moffset[rows + 1].astype(np.int64) - games.moffset[rows], out=start[1:])
        moves = start[-1]
        index, count = torch.empty(n, 48, dtype=torch.int16), torch.empty(n, dtype=torch.uint8)
        r1, r2 = torch.empty(moves, dtype=torch.int16), torch.empty(moves, dtype=torch.int16)
        t = torch.empty(moves, dtype=torch.uint8)
        call("policy_index", games.features, games.foffset, games.moffset, games.row1, games.row2, games.scalar, rows, n,
             start, index, count, r1, r2, t)
        out, logits = torch.empty(self.chunks, n, LANES), torch.empty(moves)
        call("policy_forward", w["ft"], POLICY_FEATURES, w["bias"], w["rows1"], ROWS1, w["rows2"], ROWS2, w["bias1"],
             w["bias2"], w["bias3"], self.chunks, steps, drop, self.steps, index, count, start, r1, r2,
             t, n, out, logits)
        return logits, (index, count, start, r1, r2, t, out)

    @staticmethod
    def losses(logits, start, games, rows):
        """Losses and ranks of the played moves; logits become the gradient of the mean loss."""
        n = len(rows)
        loss, rank = torch.empty(n), torch.empty(n, dtype=torch.int32)
        call("policy_softmax", logits, start, np.ascontiguousarray(games.played[rows]), n, 1 / n, loss, rank)
        return loss, rank

    def step(self, games, rows, rate):
        w = self.weights(rounded=True)
        logits, (index, count, start, r1, r2, t, out) = self.forward(w, games, rows, drop=self.drop)
        loss, rank = self.losses(logits, start, games, rows)
        if self.trust:
            call("policy_trust", logits, start, games.played, games.target, len(rows), self.trust / len(rows))
        g = {name: p.grad for name, p in self.parameters.items()}
        call("policy_backward", g["ft"], POLICY_FEATURES, g["bias"], w["rows1"], g["rows1"], ROWS1, w["rows2"], g["rows2"],
             ROWS2, g["bias1"], g["bias2"], g["bias3"], self.chunks, PH, self.drop, self.steps, index, count, start, r1,
             r2, t, len(rows), out, logits)
        for name in ("ft", "rows1", "rows2"):
            self.share(name)
        self.update(rate)
        return {"policy": loss.mean().item(), "top1": (rank < 1).float().mean().item()}

    def evaluate(self, games, rows, w=None, size=8192):
        w = w or self.weights(average=True, rounded=True)
        loss, rank = [], []
        for at in range(0, len(rows), size):
            part = rows[at:at + size]
            logits, (_, _, start, *_) = self.forward(w, games, part)
            found = self.losses(logits, start, games, part)
            loss.append(found[0])
            rank.append(found[1])
        rank = torch.cat(rank)
        return {"policy": torch.cat(loss).mean().item(),
                **{f"top{k}": (rank < k).float().mean().item() for k in (1, 3, 5, 10)}}
