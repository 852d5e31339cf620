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
    """All positions, as tensors. On the CPU they are mapped into memory, so that several trainings share them; to another device
    they are copied.
    `train` and `held` are index arrays, split by game."""

    def __init__(self, folder, device="cpu"):
        def read(name, dtype, *shape):
            path = f"{folder}/{name}"
            # Copy on write, because a tensor cannot be read-only.
            flat = np.memmap(path, dtype, "c") if os.path.getsize(path) else np.empty(0, dtype)
            return torch.from_numpy(np.asarray(flat)).view(-1, *shape).to(device)

        self.device = torch.device(device)
        self.code = read("code.u8", np.uint8, 64)
        self.attack = read("attack.u8", np.uint8, 64)
        self.kings = read("kings.u8", np.uint8, 64)
        self.attacks = read("attacks.u64", np.uint8, 64, 8)
        self.flags = read("flags.u8", np.uint8, 2)
        self.score = read("score.i16", np.int16, 2)
        self.result = read("result.i8", np.int8)
        self.played = read("played.u8", np.uint8)
        self.context = read("context.u32", np.int32, 2)
        self.offset = read("offset.u32", np.int32)
        self.moves = read("moves.u16", np.int16)
        self.shallow, self.share = read("shallow.i16", np.int16), read("share.u8", np.uint8)  # empty without -shallow
        # Constants on the device, because a copy would make the CPU wait: the feature of (square, piece), where an empty square has a
        # column that is cut off later; the bits of a byte; a byte with its bits reversed.
        code, bit = torch.arange(model.PIECE_CODES), torch.arange(8)
        feature = torch.where(code > 0, (code - 1) * 64 + torch.arange(64)[:, None], model.FEATURES)
        bits = torch.arange(256)[:, None] >> bit & 1
        self.squares, self.feature = torch.arange(64, device=device), feature.to(device)
        self.bits, self.reverse = bits.bfloat16().to(device), (bits.flip(1) << bit).sum(1).to(torch.uint8).to(device)
        self.most = int(self.offset.diff().max())  # legal moves
        held = np.memmap(f"{folder}/game.u32", np.uint32, "r") % HELD_OUT == 0
        self.train, self.held = np.flatnonzero(~held), np.flatnonzero(held)


_NEVER = torch.zeros(1, dtype=torch.bool)  # of flip, for positions on the CPU


def mirrored(squares, flip):
    """Arrays over squares [n, 64]; the files are mirrored where flip is true."""
    return torch.where(flip[:, None], squares.view(-1, 8, 8).flip(2).view(-1, 64), squares)


def features(games, rows, flip=_NEVER):
    """The features of the positions `rows`, mirrored where flip is true, float [n, 780]; and the pieces on the squares."""
    device = games.device
    code, flags = mirrored(games.code[rows], flip).long(), games.flags[rows].long()
    file = torch.where(flip & (flags[:, 1] < 8), 7 - flags[:, 1], flags[:, 1])
    hot = torch.zeros(len(rows), model.FEATURES + 1, device=device)
    hot.scatter_(1, games.feature[games.squares, code], 1.0)
    hot = hot[:, :model.FEATURES]
    hot[:, model.PIECES:model.PIECES + 4] = flags[:, :1] >> torch.arange(4, device=device) & 1
    hot[:, model.PIECES + 4:] = file[:, None] == torch.arange(8, device=device)
    return hot, code


def inputs(games, rows, flip=_NEVER):
    """The inputs of EUT.forward for the positions `rows`, mirrored where flip is true: hot, codes, attacks."""
    hot, piece = features(games, rows, flip)
    attack, kings = mirrored(games.attack[rows], flip).long(), mirrored(games.kings[rows], flip).long()
    attacks = games.attacks[rows]  # a byte for each rank
    other = games.reverse[attacks.long()].view(-1, 8, 8, 8).flip(2).view(-1, 64, 8)
    attacks = torch.where(flip[:, None, None], other, attacks)
    attacks = torch.nn.functional.embedding(attacks.int(), games.bits).view(-1, 64, 64)
    attacked = (piece * model.ATTACK_CODES + (attack >> 4)) * model.ATTACK_CODES + (attack & 15)
    codes = torch.stack([games.squares * model.PIECE_CODES + piece, attacked, piece * model.KING_CODES + kings], 1)
    return hot, codes, attacks


_NONE, _OTHER_SIDE = -1, -2**31  # of context.u32


def context(games, rows, flip):
    """The context of the positions `rows` for EUT.forward, mirrored where flip is true: hot, side, value, known."""
    found = games.context[rows]
    known, side = found != _NONE, (found < 0).long()
    at = torch.where(known, found & ~_OTHER_SIDE, 0).long()
    flip = flip[:, None].expand(-1, 2)
    known = known & ~(flip & (games.flags[at, 0] > 0))
    hot, _ = features(games, at.reshape(-1), flip.reshape(-1))
    q = torch.tanh(games.score[at, 0].float() / 700)
    return hot, side, torch.where(side == 1, -q, q), known


def batch(games, rows, generator=None, with_context=False):
    """The positions `rows` as a dict of tensors, with half of those without castling rights mirrored if a generator is given.
    Nothing here makes the CPU wait for a device.

    hot, codes, attacks: see inputs; moves int64 [n, m] (from * 64 + to) and promotion int64 [n, m] (to-file * 3 + kind, 24
    none), padded; legal bool [n, m]; played int64 [n]; value float [n], expected score in [0, 1]:
    sigmoid(cp / 350); change float [n], |q two plies on - q| or nan; result int64 [n], 0 win .. 2 loss; and
    where prepare looked for it share float [n, m], probabilities by a shallow search; then change is |its q - q|. context:
    see there, where with_context.
    """
    device, n = games.device, len(rows)
    rows = torch.as_tensor(rows, device=device)
    flip = torch.zeros(n, dtype=torch.bool, device=device)
    if generator:
        flip = (games.flags[rows, 0] == 0) & (torch.rand(n, generator=generator, device=device) < 0.5)
    start = games.offset[rows].long()
    count = games.offset[rows + 1].long() - start
    step = torch.arange(games.most, device=device)
    legal = step < count[:, None]
    at = torch.where(legal, start[:, None] + step, 0)
    moves = games.moves[at].long()
    moves = torch.where(flip[:, None], moves ^ (7 << 6 | 7), moves)  # from * 64 + to + 4096 * underpromotion, mirrored in the files
    kind = moves >> 12
    hot, codes, attacks = inputs(games, rows, flip)
    score = games.score[rows]
    q = torch.tanh(score.float() / 700)
    change = (q[:, 1] - q[:, 0]).abs().masked_fill(score[:, 1] == MISSING, torch.nan)
    if len(games.shallow):
        change = (torch.tanh(games.shallow[rows].float() / 700) - q[:, 0]).abs()
    found = {
        "hot": hot, "codes": codes, "attacks": attacks,
        "moves": moves & 4095, "promotion": torch.where(kind > 0, (moves & 7) * 3 + kind - 1, 24), "legal": legal,
        "played": games.played[rows].long(), "value": (q[:, 0] + 1) / 2, "change": change, "result": 1 - games.result[rows].long(),
    }
    if len(games.share):
        share = torch.where(legal, games.share[at], 0).float()
        found["share"] = share / share.sum(1, keepdim=True)
    if with_context:
        found["context"] = context(games, rows, flip)
    return found


def stream(games, size, seed, seen, with_context=False, rank=0, of=1):
    """Endless training batches from position number `seen` on, shuffled anew each epoch. A thread makes them a few steps ahead. Each
    process gets its share of each batch."""
    if len(games.train) < size:
        raise ValueError(f"{len(games.train)} positions to train on: fewer than a batch of {size}")
    ready, stopped = queue.Queue(4), threading.Event()

    def fill():
        epoch, at = divmod(seen, len(games.train) // size * size)
        generator = torch.Generator(games.device)
        while True:
            order = torch.from_numpy(np.random.default_rng([seed, epoch]).permutation(games.train)).to(games.device)
            for i in range(at, len(order) - size + 1, size):
                if stopped.is_set():
                    return
                generator.manual_seed(int(np.random.SeedSequence([seed, epoch, i, rank]).generate_state(1)[0]))
                ready.put(batch(games, order[i + rank:i + size:of], generator, with_context))
            epoch, at = epoch + 1, 0

    worker = threading.Thread(target=fill, daemon=True)
    worker.start()
    try:
        while True:
            yield ready.get()
    finally:
        # A thread that is inside PyTorch when Python ends would abort the process.
        stopped.set()
        while worker.is_alive():
            try:
                ready.get(timeout=0.1)
            except queue.Empty:
                pass
