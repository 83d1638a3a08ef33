"""SciPy's own tests of scipy.fft, with the transforms of this library.

    RECHENWERK_LIBRARY=build/librechenwerk.so PYTHONPATH=tools/python python3 bench/peers/scipy_fft_tests.py [OPTION...]

The transforms become a backend of scipy.fft (uarray). Then pytest runs scipy.fft.tests as they are installed. Options
are those of pytest: `-k rfft -x`. Environment: RECHENWERK_DEVICE (default: cpu:1).
Needs: scipy with its tests, pytest (Debian's python3-scipy has no tests: pip install scipy pytest).

SciPy's part: the meaning of n, s, axes and workers. The library's part: every transform of f32 and f64, zeros beyond
the input, and the factor of a norm. The backend itself orders axes, makes real input complex, and applies the weights
of orthogonal cosine and sine transforms. The Hankel transform (fht) is SciPy's, on transforms of the library.
Tests may fail for one reason only: long double, which the library does not have.
Status: 0 if all others pass.
"""
import functools
import math
import os
import sys
import threading

import numpy as np
import pytest
import scipy
import scipy.fft
from scipy.fft import _fftlog_backend
from scipy.fft._pocketfft.helper import _asfarray, _init_nd_shape_and_axes, _workers

from rechenwerk import *

LONG_DOUBLE = "the library has no long double"
device = rw_device_open(rw_context_create(), os.environ.get("RECHENWERK_DEVICE", "cpu:1"))
queue = rw_device_queue(device)
lock = threading.Lock()  # executions of a plan share its work area
count = 0


class Plan:
    """A transform of the last axes of an array (batch, ...). x_shape: of the input, without the batch."""

    def __init__(self, kind, inverse, single, batch, x_shape, shape, scale):
        ndim = 1 + len(shape)
        real = RW_F32 if single else RW_F64
        half = [*shape[:-1], shape[-1]//2 + 1]
        pair = RW_C64 if single else RW_C128
        x_type, y_type, y_shape = real, real, shape
        if kind == RW_FFT_COMPLEX:
            x_type = y_type = pair
        elif kind == RW_FFT_REAL and inverse:
            x_type = pair
        elif kind == RW_FFT_REAL:
            y_type, y_shape = pair, half
        self.spec = rw_fft_spec(kind=kind, inverse=inverse, single=single, ndim=ndim, shape=[batch, *shape],
                                axes=2**ndim - 2, scale=scale, x_shape=[batch, *x_shape])
        self.fft = rw_fft_create(device, self.spec)
        self.x = rw_array_create(device, x_type, ndim, [batch, *x_shape], RW_MEMORY_DEVICE)
        self.y = rw_array_create(device, y_type, ndim, [batch, *y_shape], RW_MEMORY_DEVICE)

    def __call__(self, x):
        global count
        with lock:
            count += 1
            np.asarray(rw_array_write(self.x))[...] = x
            rw_fft_execute(self.fft, self.x, self.y, queue)
            return to_numpy(self.y)

    def __del__(self):
        rw_fft_destroy(self.fft)
        rw_array_destroy(self.x)
        rw_array_destroy(self.y)


@functools.lru_cache(maxsize=64)
def plan(*description):
    return Plan(*description)


def transform(kind, inverse, x, shape, axes, scale):
    """Transforms axes of an array; shape: points on these axes (REAL: of real values)."""
    if x.dtype.itemsize > (16 if x.dtype.kind == "c" else 8):
        raise TypeError(LONG_DOUBLE)
    stored = [*shape[:-1], shape[-1]//2 + 1] if kind == RW_FFT_REAL and inverse else shape
    index = [slice(None)]*x.ndim
    for n, axis in zip(stored, axes):
        index[axis] = slice(0, n)
    x = x[tuple(index)]
    rest = [i for i in range(x.ndim) if i not in axes]
    moved = x.transpose(rest + axes)
    first, x_shape = moved.shape[:len(rest)], moved.shape[len(rest):]
    batch = math.prod(first)
    single = x.dtype in (np.float32, np.complex64)
    y_shape = [*shape[:-1], shape[-1]//2 + 1] if kind == RW_FFT_REAL and not inverse else shape
    if batch == 0:
        y = np.zeros([*first, *y_shape], x.dtype)
    else:
        y = plan(kind, inverse, single, batch, tuple(x_shape), tuple(shape), scale)(moved.reshape(batch, *x_shape))
    return y.reshape(*first, *y_shape).transpose(np.argsort(rest + axes))


def factor(norm, forward, n):
    """n: what a round trip multiplies by."""
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f'Invalid norm value {norm!r}, should be "backward", "ortho" or "forward"')
    if norm == "ortho":
        return 1/math.sqrt(n)
    return 1/n if forward == (norm == "forward") else 1.0


def prepare(x, s, axes, plan, workers):
    """Array, shape and axes as SciPy means them."""
    if plan is not None:
        raise NotImplementedError("Passing a precomputed plan is not yet supported by scipy.fft functions")
    _workers(workers)
    x = _asfarray(x)
    return x, *_init_nd_shape_and_axes(x, s, axes)


def complex_nd(forward):
    def call(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
        x, shape, axes = prepare(x, s, axes, plan, workers)
        scale = factor(norm, forward, math.prod(shape))
        if not axes:
            return x
        x = x if x.dtype.kind == "c" else x + x.dtype.type(0)*1j
        return transform(RW_FFT_COMPLEX, not forward, x, list(shape), axes, scale)
    return call


def real_to_half(forward):
    def call(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
        x, shape, axes = prepare(x, s, axes, plan, workers)
        if x.dtype.kind == "c":
            raise TypeError("x must be a real sequence")
        if not axes:
            raise ValueError("at least 1 axis must be transformed")
        y = transform(RW_FFT_REAL, False, x, list(shape), axes, factor(norm, forward, math.prod(shape)))
        return y if forward else y.conj()
    return call


def half_to_real(forward):
    def call(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None):
        x, shape, axes = prepare(x, s, axes, plan, workers)
        if not axes:
            raise ValueError("at least 1 axis must be transformed")
        x = x if x.dtype.kind == "c" else x + x.dtype.type(0)*1j
        shape = list(shape)
        if s is None or s[-1] == -1:
            shape[-1] = 2*(x.shape[axes[-1]] - 1)
        if shape[-1] < 1:
            raise ValueError(f"Invalid number of data points ({shape[-1]}) specified")
        scale = factor(norm, forward, math.prod(shape))
        return transform(RW_FFT_REAL, True, x.conj() if forward else x, shape, axes, scale)
    return call


WEIGHTED = {"c1": ((0, -1), (0, -1)), "c2": ((), (0,)), "c3": ((0,), ()), "s2": ((), (-1,)), "s3": ((-1,), ())}


def weigh(x, axes, shape, ends, weight):
    """Multiplies the first or last points of axes by a weight. Elements beyond the input are 0."""
    if not ends:
        return x
    x = x.copy()
    for axis, n in zip(axes, shape):
        for end in ends:
            if x.shape[axis] >= n:
                x[(slice(None),)*axis + (end % n,)] *= weight
            elif end == 0:
                x[(slice(None),)*axis + (0,)] *= weight
    return x


def trigonometric(letter, forward):
    def call(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None):
        x, shape, axes = prepare(x, s, axes, None, workers)
        if type not in (1, 2, 3, 4):
            raise ValueError(f"unsupported type {type}")
        if not axes:
            return x
        if not forward:
            type = {2: 3, 3: 2}.get(type, type)
        name = f"{letter}{type}"
        kind = globals()[f"RW_FFT_D{letter.upper()}T{type}"]
        more = {"c1": -1, "s1": 1}.get(name, 0)
        scale = factor(norm, forward, math.prod(2*(n + more) for n in shape)) if min(shape) + more > 0 else 1.0
        orthogonal = norm == "ortho" if orthogonalize is None else orthogonalize
        before, after = WEIGHTED.get(name, ((), ())) if orthogonal else ((), ())

        def part(u):
            u = weigh(u[tuple(slice(0, shape[axes.index(i)]) if i in axes else slice(None) for i in range(u.ndim))],
                      axes, shape, before, u.dtype.type(math.sqrt(2)))
            try:
                u = transform(kind, False, u, list(shape), axes, scale)
            except Error as error:
                raise ValueError(error.message) from error
            return weigh(u, axes, shape, after, u.dtype.type(math.sqrt(0.5)))

        return part(x.real) + 1j*part(x.imag) if x.dtype.kind == "c" else part(x)
    return call


def one_axis(nd, transform_type=False):
    """The transform of one axis, of one of several."""
    def call(x, n=None, axis=-1, *more, **named):
        return nd(x, None if n is None else (n,), (axis,), *more, **named)

    def typed(x, type=2, n=None, axis=-1, *more, **named):
        return nd(x, type, None if n is None else (n,), (axis,), *more, **named)
    return typed if transform_type else call


def two_axes(nd):
    def call(x, s=None, axes=(-2, -1), *more, **named):
        return nd(x, s, axes, *more, **named)
    return call


class Backend:
    __ua_domain__ = "numpy.scipy.fft"
    table = {}

    @classmethod
    def __ua_function__(cls, method, args, kwargs):
        function = cls.table.get(method.__name__)
        return function(*args, **kwargs) if function else NotImplemented


for name, forward in (("", True), ("i", False)):
    for stem, make in (("fft", complex_nd), ("rfft", real_to_half if forward else half_to_real),
                       ("hfft", half_to_real if forward else real_to_half)):
        # the inverse of rfft, and hfft, make real values; hfft has the sign and the norm of a forward transform
        nd = make(forward)
        Backend.table |= {f"{name}{stem}": one_axis(nd), f"{name}{stem}2": two_axes(nd), f"{name}{stem}n": nd}
    for letter in "cs":
        nd = trigonometric(letter, forward)
        Backend.table |= {f"{name}d{letter}t": one_axis(nd, True), f"{name}d{letter}tn": nd}
Backend.table |= {name: getattr(_fftlog_backend, name) for name in ("fht", "ifht")}


class Plugin:
    """Counts results. Before each test the backend is set, as tests of the mechanism set others."""

    def __init__(self):
        self.passed, self.long_double, self.failed = 0, 0, []

    def pytest_runtest_setup(self, item):
        scipy.fft.set_global_backend(Backend)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = (yield).get_result()
        if report.passed and call.when == "call":
            self.passed += 1
        elif report.failed and LONG_DOUBLE in str(report.longrepr):
            self.long_double += 1
        elif report.failed:
            self.failed.append(report.nodeid)


def main():
    plugin = Plugin()
    pytest.main(["--pyargs", "scipy.fft", "-q", "--tb=short", "--disable-warnings", "-p", "no:cacheprovider",
                 *sys.argv[1:]], plugins=[plugin])
    print(f"SciPy {scipy.__version__}: {plugin.passed} passed, {len(plugin.failed)} failed, {plugin.long_double} "
          f"failed for long double; {count} transforms in this process")
    print(*plugin.failed, sep="\n")
    sys.exit(1 if plugin.failed or not plugin.passed or not count else 0)


scipy.fft.set_global_backend(Backend)  # in processes that tests start, too
if __name__ == "__main__":
    main()
