"""The arrays that scripts/train/prepare writes, as batches of tensors. See prepare/main.go for their layout."""
import os
import queue
import threading

import numpy as np
import torch

import model

MISSING = -32768
HELD_OUT = 40  # every 40th game is held out


class Games:
    """All positions, mapped into memory, which trainings side by side share; `train` and `held` are index arrays, split by game."""

    def __init__(self, folder):
        def read(name, dtype, *shape):
            path = f"{folder}/{name}"
            flat = np.memmap(path, dtype, "r") if os.path.getsize(path) else np.empty(0, dtype)
            return np.asarray(flat).reshape(-1, *shape)

        self.code = read("code.u8", np.uint8, 64)
        self.attack = read("attack.u8", np.uint8, 64)
        self.kings = read("kings.u8", np.uint8, 64)
        self.attacks = read("attacks.u64", np.uint8, 64, 8)
        self.flags = read("flags.u8", np.uint8, 2)
        self.score = read("score.i16", np.int16, 2)
        self.result = read("result.i8", np.int8)
        self.played = read("played.u8", np.uint8)
        self.game = read("game.u32", np.uint32)
        self.context = read("context.u32", np.uint32, 2)
        self.offset = read("offset.u32", np.uint32)
        self.moves = read("moves.u16", np.uint16)
        self.shallow, self.share = read("shallow.i16", np.int16), read("share.u8", np.uint8)  # empty without -shallow
        held = self.game % HELD_OUT == 0
        self.train, self.held = np.flatnonzero(~held), np.flatnonzero(held)


# Feature of (square, code); an empty square goes to a column that is cut off.
_FEATURE = np.full((64, model.PIECE_CODES), model.FEATURES, np.int64)
for _code in range(1, model.PIECE_CODES):
    _FEATURE[:, _code] = (_code - 1) * 64 + np.arange(64)
# Mirror of a move (from * 64 + to + 4096 * underpromotion) in the files.
_MIRROR = np.arange(1 << 14) ^ (7 << 6 | 7)
_SQUARES = np.arange(64)


def features(games, rows, flip):
    """The features present of the positions `rows`, mirrored where flip, float [n, 780]; and what stands on the squares."""
    code, flags = games.code[rows], games.flags[rows]
    code[flip] = code[flip].reshape(-1, 8, 8)[:, :, ::-1].reshape(-1, 64)
    flags[flip, 1] = np.where(flags[flip, 1] < 8, 7 - flags[flip, 1], 8)
    hot = torch.zeros(len(rows), model.FEATURES + 1)
    hot.scatter_(1, torch.from_numpy(_FEATURE[_SQUARES, code]), 1.0)
    hot = hot[:, :model.FEATURES]
    bits = (flags[:, :1] >> np.arange(4)) & 1
    files = flags[:, 1:] == np.arange(8)
    hot[:, model.PIECES:] = torch.from_numpy(np.concatenate([bits, files], 1).astype(np.float32))
    return hot, code


def inputs(games, rows, flip):
    """What EUT.forward reads of the positions `rows`, mirrored where flip: hot, codes, attacks."""
    n = len(rows)
    hot, code = features(games, rows, flip)
    attack, kings = games.attack[rows], games.kings[rows]
    attacks = np.unpackbits(games.attacks[rows], 2, bitorder="little").reshape(n, 8, 8, 8, 8)
    for a in (attack, kings):
        a[flip] = a[flip].reshape(-1, 8, 8)[:, :, ::-1].reshape(-1, 64)
    attacks[flip] = attacks[flip][:, :, ::-1, :, ::-1]
    piece = code.astype(np.int64)
    attacked = (piece * model.ATTACK_CODES + (attack >> 4)) * model.ATTACK_CODES + (attack & 15)
    codes = np.stack([_SQUARES * model.PIECE_CODES + piece, attacked, piece * model.KING_CODES + kings], 1)
    return hot, torch.from_numpy(codes), torch.from_numpy(attacks.reshape(n, 64, 64)).bfloat16()


_NONE, _OTHER_SIDE = 2**32 - 1, 2**31  # of context.u32


def context(games, rows, flip):
    """The context of the positions `rows` as EUT.forward reads it, mirrored where flip: hot, side, value, known."""
    found = games.context[rows]
    known, side = found != _NONE, (found & _OTHER_SIDE > 0).astype(np.int64)
    at = np.where(known, found & (_OTHER_SIDE - 1), 0)
    flip = np.repeat(flip[:, None], 2, 1)
    known &= ~(flip & (games.flags[at, 0] > 0))
    hot, _ = features(games, at.reshape(-1), flip.reshape(-1))
    q = np.tanh(games.score[at, 0].astype(np.float32) / 700)
    return hot, *(torch.from_numpy(a) for a in (side, np.where(side == 1, -q, q), known))


def batch(games, rows, rng=None, with_context=False):
    """The positions `rows` as a dict of tensors, with half of those without castling rights mirrored if rng is given.

    hot, codes, attacks: see inputs; moves int64 [n, m] (from * 64 + to) and promotion int64 [n, m] (to-file * 3 + kind, 24
    none), padded; legal bool [n, m]; played int64 [n]; value float [n], expected score in [0, 1]:
    sigmoid(cp / 350); change float [n], |q two plies on - q| or nan; result int64 [n], 0 win .. 2 loss; and
    where prepare looked for it share float [n, m], probabilities by a shallow search; then change is |its q - q|. context:
    see there, where with_context.
    """
    n = len(rows)
    start = games.offset[rows].astype(np.int64)
    count = games.offset[rows + 1].astype(np.int64) - start
    step = np.arange(count.max())
    legal = step < count[:, None]
    moves = games.moves[np.where(legal, start[:, None] + step, 0)].astype(np.int64)
    flip = np.zeros(n, bool)
    if rng is not None:
        flip = (games.flags[rows, 0] == 0) & (rng.random(n) < 0.5)
        moves[flip] = _MIRROR[moves[flip]]
    kind = moves >> 12
    hot, codes, attacks = inputs(games, rows, flip)
    score = games.score[rows].astype(np.float32)
    q = np.tanh(score / 700)
    result = games.result[rows]
    change = np.where(games.score[rows, 1] == MISSING, np.nan, np.abs(q[:, 1] - q[:, 0]))
    if len(games.shallow):
        change = np.abs(np.tanh(games.shallow[rows].astype(np.float32) / 700) - q[:, 0])
    tensors = {
        "moves": moves & 4095, "promotion": np.where(kind > 0, (moves & 7) * 3 + kind - 1, 24), "legal": legal,
        "played": games.played[rows].astype(np.int64), "value": (q[:, 0] + 1) / 2,
        "change": change.astype(np.float32), "result": 1 - result.astype(np.int64),
    }
    if len(games.share):
        share = np.where(legal, games.share[np.where(legal, start[:, None] + step, 0)], 0).astype(np.float32)
        tensors["share"] = share / share.sum(1, keepdims=True)
    found = {"hot": hot, "codes": codes, "attacks": attacks, **{k: torch.from_numpy(v) for k, v in tensors.items()}}
    if with_context:
        found["context"] = context(games, rows, flip)
    return found


def stream(games, size, seed, seen, with_context=False, rank=0, of=1):
    """Endless training batches from the seen-th position on, shuffled anew each epoch, made by a thread that stays a few ahead: of each
    the share of one of several processes."""
    if len(games.train) < size:
        raise ValueError(f"{len(games.train)} positions to train on: fewer than a batch of {size}")
    ready = queue.Queue(4)

    def fill():
        epoch, at = divmod(seen, len(games.train) // size * size)
        while True:
            order = np.random.default_rng([seed, epoch]).permutation(games.train)
            for i in range(at, len(order) - size + 1, size):
                ready.put(batch(games, order[i + rank:i + size:of], np.random.default_rng([seed, epoch, i, rank]), with_context))
            epoch, at = epoch + 1, 0

    threading.Thread(target=fill, daemon=True).start()
    while True:
        yield ready.get()
