#!/usr/bin/env python3
"""Memory that NumPy, PyTorch and CuPy share with Rechenwerk, without a copy, in the order of their streams.

    python3 examples/share.py cpu        NumPy
    python3 examples/share.py cuda:0     PyTorch and CuPy, those that are there

$RECHENWERK_LIBRARY is the path of librechenwerk.so where the linker does not find it. docs/how-to/share-memory.md
"""
import ctypes
import os
import sys
from ctypes import (Structure, byref, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint, c_void_p, py_object,
                    sizeof)

lib = ctypes.CDLL(os.environ.get("RECHENWERK_LIBRARY", "librechenwerk.so.0.1"))
python = ctypes.pythonapi
python.PyCapsule_GetPointer.restype, python.PyCapsule_GetPointer.argtypes = c_void_p, [py_object, c_char_p]
python.PyCapsule_SetName.argtypes = [py_object, c_char_p]
python.PyCapsule_New.restype, python.PyCapsule_New.argtypes = py_object, [c_void_p, c_char_p, c_void_p]
DLTENSOR, USED = b"dltensor", b"used_dltensor"  # names of capsules: they must stay alive


class Counters(Structure):
    _fields_ = [(name, c_int64) for name in (
        "copies_in", "copies_out", "copies_device", "bytes_in", "bytes_out", "bytes_device", "launches", "replays",
        "compilations", "cache_hits", "shared", "bytes_allocated", "bytes_allocated_peak")] + [("seconds", c_double)]


class Argument(Structure):  # rw_arg
    _fields_ = [("array", c_void_p), ("re", c_double), ("im", c_double), ("integer", c_int64), ("is_integer", c_bool),
                ("is_memory", c_bool)]


class Define(Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p)]


class Transform(Structure):  # rw_fft_spec
    _fields_ = [("kind", c_int), ("inverse", c_bool), ("single", c_bool), ("ndim", c_int), ("shape", c_int64 * 8),
                ("axes", c_uint), ("scale", c_double), ("x_dtype", c_int), ("y_dtype", c_int),
                ("x_shape", c_int64 * 8), ("y_shape", c_int64 * 8), ("x_stride", c_int64 * 8),
                ("y_stride", c_int64 * 8), ("load", c_char_p), ("store", c_char_p)]


lib.rw_message.restype, lib.rw_message.argtypes = c_char_p, [c_void_p]
lib.rw_device_queue.restype, lib.rw_device_queue.argtypes = c_void_p, [c_void_p]
context = c_void_p()


def call(function, *arguments):
    """A function of the library; what it says when it fails becomes an exception."""
    if getattr(lib, function)(*arguments) != 0:
        raise RuntimeError(lib.rw_message(context).decode())


def made(function, *arguments):
    """The object that a function of the library makes."""
    thing = c_void_p()
    call(function, *arguments, byref(thing))
    return thing


def share(device, tensor, **order):
    """An array on the tensor's own memory. order: stream=…, after whose work the memory is to be used."""
    capsule = tensor.__dlpack__(**order)
    array = made("rw_array_import", device, c_void_p(python.PyCapsule_GetPointer(capsule, DLTENSOR)))
    python.PyCapsule_SetName(capsule, USED)  # the tensor is the array's now, which ends it
    return array


class Shared:
    """An array's memory for others: numpy.from_dlpack(Shared(…)), torch.from_dlpack(Shared(…)) …"""

    def __init__(self, array, queue, place):
        self.array, self.queue, self.place = array, queue, place

    def __dlpack_device__(self):
        return self.place

    def __dlpack__(self, **order):
        return python.PyCapsule_New(made("rw_array_export", self.array, self.queue), DLTENSOR, None)


TEXT = b"""
KERNEL(update, GLOBAL f32 *y, f32 a, f32 b, long n)
{
    const long first = GROUP_ID(0) * 4096L, end = first + 4096 < n ? first + 4096 : n;
    EACH_IN(i, first, end) { y[i] = a * y[i] + b; }
}
"""


def update(queue, program, array, n, a, b):
    """y <- a y + b in the queue, where the memory lies."""
    kernel = c_void_p()
    call("rw_program_kernel", program, b"update", byref(kernel))
    arguments = (Argument * 4)(Argument(array=array.value), Argument(re=a), Argument(re=b),
                               Argument(re=n, integer=n, is_integer=True))
    call("rw_launch", queue, kernel, (c_int64 * 3)((n + 4095) // 4096, 1, 1), arguments, 4)


def transform(device, queue, array, shape):
    """array <- the Fourier transform of its rows, where they lie; c64."""
    spec = Transform(single=True, ndim=2, shape=(c_int64 * 8)(*shape), axes=2)
    fft = made("rw_fft_create", device, byref(spec))
    before = copies(device)  # its factors are there
    call("rw_fft_execute", fft, array, array, queue)
    assert copies(device) == before
    call_void("rw_fft_destroy", fft)


def copies(device):
    counters = Counters()
    call("rw_device_get_counters_sized", device, byref(counters), c_size_t(sizeof(counters)))
    return counters.copies_in + counters.copies_out + counters.copies_device


def with_numpy(device, program):
    import numpy

    x = numpy.arange(1000, dtype=numpy.float32)
    before = copies(device)
    array, queue = share(device, x), c_void_p(lib.rw_device_queue(device))
    update(queue, program, array, x.size, 2, 1)
    assert (x == 2 * numpy.arange(1000) + 1).all()
    back = numpy.from_dlpack(Shared(array, queue, (1, 0)))
    x[0] = -5
    assert back[0] == -5 and copies(device) == before
    call_void("rw_array_destroy", array)
    z = numpy.exp(1j * numpy.arange(6000)).reshape(6, 1000).astype(numpy.complex64)
    want, array = numpy.fft.fft(z), share(device, z)
    transform(device, queue, array, z.shape)
    assert abs(z - want).max() < 1e-5 * abs(want).max()
    call_void("rw_array_destroy", array)
    print("NumPy", numpy.__version__, "shares its memory, and it is transformed there")


def with_torch(device, program):
    import torch

    stream = torch.cuda.Stream()
    queue = made("rw_queue_import", device, c_void_p(stream.cuda_stream))
    with torch.cuda.stream(stream):
        x = torch.zeros(1 << 22, device="cuda")
        array = share(device, x, stream=stream.cuda_stream)
        before = copies(device)
        for _ in range(20):  # in turns, in one stream, without waiting
            x += 1
            update(queue, program, array, x.numel(), 2, 0)
        total = x.sum()
    assert total.item() == x.numel() * (2 ** 21 - 2.0), total.item()
    y = torch.from_dlpack(Shared(array, queue, (2, 0)))
    assert y.data_ptr() == x.data_ptr() and copies(device) == before
    call_void("rw_array_destroy", array)
    with torch.cuda.stream(stream):
        z = torch.randn(64, 1000, device="cuda", dtype=torch.complex64)
        want, array = torch.fft.fft(2 * z), share(device, z, stream=stream.cuda_stream)
        z *= 2
        transform(device, queue, array, z.shape)  # after the product, before the difference
        error = (z - want).abs().max() / want.abs().max()
    assert error.item() < 1e-5, error.item()
    call_void("rw_queue_destroy", queue)
    call_void("rw_array_destroy", array)
    print("PyTorch", torch.__version__, "shares its memory and its stream, and it is transformed there")


def with_cupy(device, program):
    import cupy

    stream = cupy.cuda.Stream(non_blocking=True)
    queue = made("rw_queue_import", device, c_void_p(stream.ptr))
    with stream:
        x = cupy.zeros(1 << 22, dtype=cupy.float32)
        array = share(device, x, stream=stream.ptr)
        before = copies(device)
        for _ in range(20):
            x += 1
            update(queue, program, array, x.size, 2, 0)
        total = float(x.sum())
    assert total == x.size * (2 ** 21 - 2.0), total
    y = cupy.from_dlpack(Shared(array, queue, (2, 0)))
    assert y.data.ptr == x.data.ptr and copies(device) == before
    call_void("rw_array_destroy", array)
    with stream:
        z = (cupy.random.random((64, 1000)) + 1j).astype(cupy.complex64)
        want, array = cupy.fft.fft(2 * z), share(device, z, stream=stream.ptr)
        z *= 2
        transform(device, queue, array, z.shape)
        error = float(abs(z - want).max() / abs(want).max())
    assert error < 1e-5, error
    call_void("rw_queue_destroy", queue)
    call_void("rw_array_destroy", array)
    print("CuPy", cupy.__version__, "shares its memory and its stream, and it is transformed there")


def call_void(function, thing):
    getattr(lib, function)(byref(thing))


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "cpu"
    lib.rw_context_create(byref(context))
    device = made("rw_device_open", context, name.encode())
    defines = (Define * 1)(Define(b"GROUP", b"256"))
    program = made("rw_program_create", device, b"share", TEXT, defines, 1)
    ran = 0
    for module, run in (("numpy", with_numpy),) if name == "cpu" else (("torch", with_torch), ("cupy", with_cupy)):
        try:
            __import__(module)
        except ImportError:
            print("python3 has no", module)
            continue
        run(device, program)
        ran += 1
    call_void("rw_program_destroy", program)
    call_void("rw_device_close", device)
    sys.exit(0 if ran else 77)


main()
