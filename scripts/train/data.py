"""Positions as EUT reads them, computed from the records of shards, as batches of tensors."""
import os
import queue
import sys
import threading

import numpy as np
import torch

import model

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "shards"))
from shards import MATE, MISSING, Shards, kernel, starts  # noqa: E402


class Games(Shards):
    """The shards of a folder, and constants on the device on which batches are wanted, because a copy would make the CPU wait: the feature
    of (square, piece), where an empty square has a column that is cut off later; the bits of a byte; a byte with its bits reversed."""

    def __init__(self, folder, device="cpu"):
        super().__init__(folder)
        self.device = torch.device(device)
        self.threads = 1 if self.device.type == "cpu" else os.cpu_count()  # on the CPU each process trains with one
        code, bit = torch.arange(model.PIECE_CODES), torch.arange(8)
        feature = torch.where(code > 0, (code - 1) * 64 + torch.arange(64)[:, None], model.FEATURES)
        bits = torch.arange(256)[:, None] >> bit & 1
        self.squares, self.feature = torch.arange(64, device=device), feature.to(device)
        self.bits, self.reverse = bits.bfloat16().to(device), (bits.flip(1) << bit).sum(1).to(torch.uint8).to(device)


class Positions:
    """Records as tensors on the device of games. M is the number of legal moves of all n records together.

    code     uint8 [n, 64]     piece on each square: 0 none, 1..6 ours, 7..12 theirs, from pawn to king
    attack   uint8 [n, 64]     attacks on each square: 16 times our code plus theirs, see eut.AttackCodes
    kings    uint8 [n, 64]     eut.KingCodes of each square
    attacks  uint8 [n, 64, 8]  the squares that the piece on each square attacks, a byte for each rank
    flags    uint8 [n, 2]      castling rights (bit 0 ours kingside, 1 ours queenside, 2 theirs kingside, 3 theirs queenside), then en
                               passant file (8: none)
    score    int16 [n, 2]      the mover's score, and the same side's score two plies later, in centipawns; MISSING: none
    result   int8 [n]          the mover's result: 1, 0 or -1
    played   uint8 [n]         index of the best move among the legal ones
    offset   int64 [n + 1]     where each position's legal moves start
    moves    int16 [M]         from * 64 + to, plus 4096 * {1 knight, 2 bishop, 3 rook} for an underpromotion
    """

    def __init__(self, games, records):
        n, offset = len(records), starts(records["moves"])
        code, attack, kings = (np.empty((n, 64), np.uint8) for _ in range(3))
        attacks, flags = np.empty((n, 64, 8), np.uint8), np.empty((n, 2), np.uint8)
        moves, played = np.empty(offset[-1], np.int16), np.empty(n, np.uint8)
        damaged = kernel.call("eut_inputs", records, n, offset, games.threads, code, attack, kings, attacks, flags, moves, played)
        if damaged:
            raise ValueError(f"{damaged} records are damaged")

        def tensor(array):
            return torch.from_numpy(np.ascontiguousarray(array)).to(games.device, non_blocking=True)

        self.code, self.attack, self.kings, self.attacks, self.flags = map(tensor, (code, attack, kings, attacks, flags))
        self.moves, self.offset, self.played = map(tensor, (moves, offset, played))
        self.score, self.result = tensor(records["score"]), tensor(records["result"])

    def __len__(self):
        return len(self.code)


_NEVER = torch.zeros(1, dtype=torch.bool)  # of flip, for positions on the CPU


def mirrored(squares, flip):
    """Arrays over squares [n, 64]; the files are mirrored where flip is true."""
    return torch.where(flip[:, None], squares.view(-1, 8, 8).flip(2).view(-1, 64), squares)


def features(games, p, flip=_NEVER):
    """The features of positions, mirrored where flip is true, float [n, 780]; and the pieces on the squares."""
    device = games.device
    code, flags = mirrored(p.code, flip).long(), p.flags.long()
    file = torch.where(flip & (flags[:, 1] < 8), 7 - flags[:, 1], flags[:, 1])
    hot = torch.zeros(len(p), model.FEATURES + 1, device=device)
    hot.scatter_(1, games.feature[games.squares, code], 1.0)
    hot = hot[:, :model.FEATURES]
    hot[:, model.PIECES:model.PIECES + 4] = flags[:, :1] >> torch.arange(4, device=device) & 1
    hot[:, model.PIECES + 4:] = file[:, None] == torch.arange(8, device=device)
    return hot, code


def inputs(games, p, flip=_NEVER):
    """The inputs of EUT.forward for positions, mirrored where flip is true: hot, codes, attacks."""
    hot, piece = features(games, p, flip)
    attack, kings = mirrored(p.attack, flip).long(), mirrored(p.kings, flip).long()
    other = games.reverse[p.attacks.long()].view(-1, 8, 8, 8).flip(2).view(-1, 64, 8)
    attacks = torch.where(flip[:, None, None], other, p.attacks)
    attacks = torch.nn.functional.embedding(attacks.int(), games.bits).view(-1, 64, 64)
    attacked = (piece * model.ATTACK_CODES + (attack >> 4)) * model.ATTACK_CODES + (attack & 15)
    codes = torch.stack([games.squares * model.PIECE_CODES + piece, attacked, piece * model.KING_CODES + kings], 1)
    return hot, codes, attacks


def batch(games, records, generator=None):
    """The positions of records as a dict of tensors, with half of those without castling rights mirrored if a generator is given.

    hot, codes, attacks: see inputs; moves int64 [n, m] (from * 64 + to) and promotion int64 [n, m] (to-file * 3 + kind, 24
    none), padded; legal bool [n, m]; played int64 [n]; value float [n], expected score in [0, 1]:
    sigmoid(cp / 350); change float [n], |q two plies on - q| or nan; result int64 [n], 0 win .. 2 loss.
    """
    device, n, p = games.device, len(records), Positions(games, records)
    flip = torch.zeros(n, dtype=torch.bool, device=device)
    if generator:
        flip = (p.flags[:, 0] == 0) & (torch.rand(n, generator=generator, device=device) < 0.5)
    start, count = p.offset[:-1], p.offset.diff()
    step = torch.arange(games.most, device=device)
    legal = step < count[:, None]
    at = torch.where(legal, start[:, None] + step, 0)
    moves = p.moves[at].long()
    moves = torch.where(flip[:, None], moves ^ (7 << 6 | 7), moves)  # from * 64 + to + 4096 * underpromotion, mirrored in the files
    kind = moves >> 12
    hot, codes, attacks = inputs(games, p, flip)
    q = torch.tanh(p.score.float() / 700)
    change = (q[:, 1] - q[:, 0]).abs().masked_fill(p.score[:, 1] == MISSING, torch.nan)
    return {
        "hot": hot, "codes": codes, "attacks": attacks,
        "moves": moves & 4095, "promotion": torch.where(kind > 0, (moves & 7) * 3 + kind - 1, 24), "legal": legal,
        "played": p.played.long(), "value": (q[:, 0] + 1) / 2, "change": change, "result": 1 - p.result.long(),
    }


def stream(games, size, seed, seen, rank=0, of=1):
    """Endless training batches from position number `seen` on, shuffled anew each epoch. A thread makes them a few steps ahead. Each
    process gets its share of each batch."""
    games.check_batch(size)  # here, for an error within the thread would be lost
    ready, stopped = queue.Queue(4), threading.Event()

    def fill():
        generator = torch.Generator(games.device)
        for epoch, before, pool, index in games.batches(size, seed, seen):
            if stopped.is_set():
                return
            generator.manual_seed(int(np.random.SeedSequence([seed, epoch, before, rank]).generate_state(1)[0]))
            ready.put(batch(games, pool.take(index[rank::of])[0], generator))

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
