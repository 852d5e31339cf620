"""Compiles C for this processor and calls it."""
import ctypes
import os
import re
import subprocess
import tempfile

import numpy as np

_FLAGS = ["-O3", "-march=native", "-ffast-math", "-fopenmp", "-shared", "-fPIC"]


def _convert(a):
    if a is None:
        return ctypes.c_void_p()
    if isinstance(a, np.ndarray):
        assert a.flags.c_contiguous
        return ctypes.c_void_p(a.ctypes.data)
    if hasattr(a, "data_ptr"):  # a tensor
        assert a.is_contiguous()
        return ctypes.c_void_p(a.data_ptr())
    return ctypes.c_float(a) if isinstance(a, float) else ctypes.c_int64(a)


class Library:
    """The functions of C files. Their arguments are contiguous tensors or arrays, None, int64 and float."""

    def __init__(self, *sources):
        folder = tempfile.mkdtemp()
        path = os.path.join(folder, "library.so")
        subprocess.run(["cc", *_FLAGS, "-o", path, *sources, "-lm"], check=True)
        self.functions = ctypes.CDLL(path)
        os.remove(path)
        os.rmdir(folder)

    def call(self, name, *args):
        """Calls a function that returns an int64 or nothing."""
        function = getattr(self.functions, name)
        function.restype = ctypes.c_int64
        return function(*map(_convert, args))


def keep_memory():
    """Lets glibc keep the memory that a step frees for the next step. Giving it back and having it zeroed can take most of the time."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        for parameter, value in ((-4, 0), (-1, 1 << 30), (-2, 1 << 26)):  # M_MMAP_MAX, M_TRIM_THRESHOLD, M_TOP_PAD
            libc.mallopt(parameter, value)


def check_blas():
    """Ends the program if PyTorch multiplies with the reference BLAS, which Debian's package brings where nothing better is installed:
    dense layers then take several times as long."""
    with open("/proc/self/maps", encoding="utf-8") as f:
        slow = re.search(r"\S*/blas/libblas\.so[.0-9]*$", f.read(), re.MULTILINE)
    if slow:
        raise SystemExit(f"{slow[0]}: PyTorch uses the reference BLAS, several times slower than OpenBLAS: "
                         "install libopenblas0-pthread (or set the alternative libblas.so.3)")
