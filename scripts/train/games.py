"""Reads files of games, as `tesla datagen` writes them and package games describes them.

    for game in games.read(path):
        game.number, game.result (White's: 1, 0, -1), game.fen (None: the initial position), game.opening, game.plies

A move is (from, to, promotion), squares 0 (a1) to 63 in White's view, promotion None or one of "nbrq", castling king takes rook; a
ply is (move, score, choices): the mover's centipawns before it, and a list of (move, score), empty where none were kept. Damage is a
ValueError that names the byte; the games before it have been given.
"""

import json
import struct
import sys
import zlib
from typing import NamedTuple

MAGIC = b"TESLAGMS"
VERSION = 1
CHOICES = 1 << 15


class Game(NamedTuple):
    number: int
    result: int
    fen: str | None
    opening: list
    plies: list


class Body:
    """The bytes of a record, read from the front."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        if self.at + n > len(self.data):
            raise ValueError("the record ends too early")
        self.at += n
        return self.data[self.at - n : self.at]

    def uvarint(self):
        x = shift = 0
        while True:
            b = self.take(1)[0]
            x |= (b & 127) << shift
            if b < 128:
                return x
            shift += 7

    def varint(self):
        x = self.uvarint()
        return x >> 1 ^ -(x & 1)

    def code(self):
        return struct.unpack("<H", self.take(2))[0]


def move_of(code):
    promotion = code >> 12 & 7
    return code & 63, code >> 6 & 63, "nbrq"[promotion - 1] if promotion else None


def decode(data):
    body = Body(data)
    number, kind = body.uvarint(), body.take(1)[0]
    fen = body.take(body.uvarint()).decode() if kind & 4 else None
    opening = [move_of(body.code()) for _ in range(body.uvarint())]
    plies, before = [], 0
    for _ in range(body.uvarint()):
        code = body.code()
        score = body.varint() - before
        choices = []
        if code & CHOICES:
            choices = [(move_of(body.code()), score + body.varint()) for _ in range(body.uvarint())]
        plies.append((move_of(code & ~CHOICES), score, choices))
        before = score
    if body.at != len(data):
        raise ValueError("bytes too many")
    return Game(number, (kind & 3) - 1, fen, opening, plies)


def read(path):
    with open(path, "rb") as f:
        head = f.read(16)
        if head[:8] != MAGIC or len(head) < 16:
            raise ValueError(f"{path}: byte 0: no file of games")
        version, size = struct.unpack("<II", head[8:])
        if version != VERSION:
            raise ValueError(f"{path}: byte 8: version {version}, want {VERSION}")
        json.loads(f.read(size))
        data = f.read()
    at, base = 0, 16 + size
    while at < len(data):
        try:
            prefix = Body(data[at : at + 10])
            length = prefix.uvarint()
            begin = at + prefix.at
            body, sum = data[begin : begin + length], data[begin + length : begin + length + 4]
            if len(sum) < 4:
                raise ValueError("the file ends within a record")
            if zlib.crc32(body) != struct.unpack("<I", sum)[0]:
                raise ValueError("the record's checksum is wrong")
            game = decode(body)
        except ValueError as e:
            raise ValueError(f"{path}: byte {base + at}: {e}") from e
        yield game
        at = begin + length + 4


if __name__ == "__main__":
    for path in sys.argv[1:]:
        games = positions = 0
        for game in read(path):
            games += 1
            positions += len(game.plies)
        print(f"{path}: games {games}, positions {positions}")
