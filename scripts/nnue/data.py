"""The arrays that scripts/nnue/prepare writes; their layout is in prepare/main.go."""
import numpy as np

MISSING = -32768
HELD_OUT = 40  # every 40th game is held out
CHECK, TACTICAL, MATE = 1, 2, 4


class Games:
    """All positions, mapped; train and held are index arrays, split by game, as scripts/train splits them."""

    def __init__(self, folder):
        def read(name, dtype, *shape):
            return np.memmap(f"{folder}/{name}", dtype, "r").reshape(-1, *shape)

        self.features = read("features.u16", np.uint16)
        self.foffset = read("foffset.u32", np.uint32)
        self.men = read("men.u8", np.uint8)
        self.kings = read("kings.u8", np.uint8, 2)
        self.flags = read("flags.u8", np.uint8)
        self.score = read("score.i16", np.int16, 2)
        self.result = read("result.i8", np.int8)
        self.played = read("played.u8", np.uint8)
        self.game = read("game.u32", np.uint32)
        self.file = read("file.u8", np.uint8)
        self.moffset = read("moffset.u32", np.uint32)
        self.row1 = read("row1.u16", np.uint16)
        self.row2 = read("row2.u16", np.uint16)
        self.scalar = read("scalar.u8", np.uint8)
        held = self.game % HELD_OUT == 0
        self.train, self.held = np.flatnonzero(~held), np.flatnonzero(held)

    def quiet(self, rows):
        """The quiet ones of rows, where a static value can be right: no check, no capture or promotion played, no mate score."""
        return rows[self.flags[rows] == 0]


def targets(games, rows):
    """For each position, as float32: the expected score of the centipawns, the result as 0, 1/2 or 1, and q."""
    q = np.tanh(games.score[rows, 0].astype(np.float32) / 700)
    return (q + 1) / 2, (games.result[rows].astype(np.float32) + 1) / 2, q
