"""Compiles kernel.c for this processor and calls it."""
import ctypes
import os
import subprocess
import tempfile

import numpy as np
import torch

LANES = 64
_FLAGS = ["-O3", "-march=native", "-ffast-math", "-fopenmp", "-shared", "-fPIC"]


def _load():
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel.c")
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "kernel.so")
    subprocess.run(["cc", *_FLAGS, "-o", path, source, "-lm"], check=True)
    library = ctypes.CDLL(path)
    os.remove(path)
    os.rmdir(folder)
    return library


_library = _load()


def call(name, *args):
    """Calls a function of kernel.c with contiguous tensors or arrays, int64 and float."""
    def convert(a):
        if isinstance(a, torch.Tensor):
            assert a.is_contiguous()
            return ctypes.c_void_p(a.data_ptr())
        if isinstance(a, np.ndarray):
            assert a.flags.c_contiguous
            return ctypes.c_void_p(a.ctypes.data)
        return ctypes.c_float(a) if isinstance(a, float) else ctypes.c_int64(a)
    getattr(_library, name)(*map(convert, args))


def pack(matrix):
    """[rows, H] in the order of the kernels, [H / LANES, rows, LANES]."""
    return matrix.view(matrix.shape[0], -1, LANES).transpose(0, 1).contiguous()


def unpack(chunks):
    """The inverse of pack."""
    return chunks.transpose(0, 1).reshape(chunks.shape[1], -1)
