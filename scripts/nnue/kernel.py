"""Calls kernel.c, head.c and weights.c, and converts to the order of its matrices and back."""
import os

import data  # noqa: F401 - it finds the folder of native
from native import Library

LANES = 64

call = Library(*(os.path.join(os.path.dirname(os.path.abspath(__file__)), name) for name in ("kernel.c", "head.c", "weights.c"))).call


def pack(matrix):
    """[rows, H] in the order of the kernels, [H / LANES, rows, LANES]."""
    return matrix.view(matrix.shape[0], -1, LANES).transpose(0, 1).contiguous()


def unpack(chunks):
    """The inverse of pack."""
    return chunks.transpose(0, 1).reshape(chunks.shape[1], -1)
