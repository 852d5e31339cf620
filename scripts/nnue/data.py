"""Positions as both nets read them, computed from the records of shards, and the targets."""
import os
import sys

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "shards"))
from shards import CHECK, MATE, MISSING, TACTICAL, Shards, is_quiet, kernel, starts  # noqa: E402

MAX_FEATURES = 48


class Positions:
    """The inputs of n records. F is the number of features and M that of legal moves of all of them together:

    features uint16 [F]    active features of the policy net (see package nnue); those of pieces precede those of pins
    foffset  uint32 [n+1]  where each position's features start
    men      uint8 [n]     number of pieces, kings and pawns included: the number of their features
    kings    uint8 [n][2]  squares of the mover's king and the opponent's, in the frame of the features
    flags    uint8 [n]     sum of 1: the mover is in check, 2: the best move is a capture or pawn promotion, 4: a mate score
    score    int16 [n][2]  the mover's score, and the same side's score two plies later; MISSING: none
    result   int8 [n]      the mover's result: 1, 0 or -1
    game     uint32 [n]    number of the game

    and with moves

    played   uint8 [n]     index of the best move among the legal ones
    moffset  uint32 [n+1]  where each position's legal moves start
    row1     uint16 [M]    2 * geometry + exchange; exchange is 1 if the static exchange does not lose material, else 0
    row2     uint16 [M]    (2 * type after the move + check) * 64 + to
    scalar   uint8 [M]     ((captured + 1, or 0) * 6 + type) * 4 + 2 * exchange + check
    target   float32 [M]   in proportion to the probabilities that the policy shall give, see soft_target; None: the best move alone

    The frame is the mover's view, with files mirrored if its king stands on a file from e to h. A piece's feature is
    ((side*6 + type)*4 + 2*attacked + defended)*64 + square. The value net's feature of a piece has no such states: it is
    (side*6 + type)*64 + square.
    """

    def __init__(self, records, moves=True, target=None):
        n = len(records)
        wide, count = np.empty((n, MAX_FEATURES), np.uint16), np.empty(n, np.uint8)
        self.men, self.kings = np.empty(n, np.uint8), np.empty((n, 2), np.uint8)
        self.moffset = self.row1 = self.row2 = self.scalar = self.played = None
        if moves:
            at = starts(records["moves"])
            self.moffset, self.played = at.astype(np.uint32), np.empty(n, np.uint8)
            self.row1, self.row2, self.scalar = (np.empty(at[-1], t) for t in (np.uint16, np.uint16, np.uint8))
        damaged = kernel.call("nnue_inputs", records, n, at if moves else None, wide, count, self.men, self.kings, self.row1,
                              self.row2, self.scalar, self.played)
        if damaged:
            raise ValueError(f"{damaged} records are damaged")
        self.foffset = starts(count).astype(np.uint32)
        self.features = np.empty(self.foffset[-1], np.uint16)
        kernel.call("compact", wide, MAX_FEATURES, count, self.foffset, n, self.features)
        self.flags = records["flags"] & (CHECK | TACTICAL | MATE)
        self.score, self.result, self.game = (np.ascontiguousarray(records[name]) for name in ("score", "result", "game"))
        self.target, self.all = target, np.arange(n)


SCORE_STEP, NOT_JUDGED = 4, 255  # of the bytes of scores, see prepare


def soft_target(beside, tau, power):
    """The policy's target from what lies beside the positions: the teacher's probabilities to that power, times exp(score / tau). Where
    there is only one of the two it is that one, and 0 for all moves of a position where there is none."""
    byte, target = np.arange(256), 1.0
    if "teacher" in beside:
        target = ((np.maximum(byte, 0.5 if "scores" in beside else 0) / 255) ** (2 * power)).astype(np.float32)[beside["teacher"]]
    if "scores" in beside:
        target = target * np.where(byte == NOT_JUDGED, 1, np.exp(-SCORE_STEP / tau * byte)).astype(np.float32)[beside["scores"]]
        known = beside["scores"] != NOT_JUDGED
        target = np.where(known | (beside["teacher"] > 0) if "teacher" in beside else known, target, np.float32(0))
    return target


def held_out(shards, file=None, quiet=False):
    """The held-out records, those of one file and quiet ones only if so asked."""
    records = shards.records(shards.held)
    chosen = np.ones(len(records), bool) if file is None else records["file"] == file
    return records[chosen & is_quiet(records) if quiet else chosen]


def targets(games, rows):
    """For each position, as float32: the expected score of the centipawns, the result as 0, 1/2 or 1, and q."""
    q = np.tanh(games.score[rows, 0].astype(np.float32) / 700)
    return (q + 1) / 2, (games.result[rows].astype(np.float32) + 1) / 2, q
