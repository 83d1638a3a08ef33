#!/usr/bin/env python3
"""Memory that NumPy, PyTorch and CuPy share with Rechenwerk, without a copy, in the order of their streams.

    python3 examples/share.py cpu        NumPy
    python3 examples/share.py cuda:0     PyTorch and CuPy, those that are there

It uses the module rechenwerk.py (docs/how-to/use-from-python.md). $RECHENWERK_LIBRARY is the path of librechenwerk.so
where that module does not find it. docs/how-to/share-memory.md
"""
import ctypes
import sys
from ctypes import POINTER, c_char_p, c_void_p, cast, py_object
from pathlib import Path

above = Path(__file__).resolve().parents
sys.path += [str(above[1] / "tools" / "python"), str(above[3] / "rechenwerk")]  # in a checkout; installed
from rechenwerk import *

python = ctypes.pythonapi
python.PyCapsule_GetPointer.restype, python.PyCapsule_GetPointer.argtypes = c_void_p, [py_object, c_char_p]
python.PyCapsule_SetName.argtypes = [py_object, c_char_p]
python.PyCapsule_New.restype, python.PyCapsule_New.argtypes = py_object, [c_void_p, c_char_p, c_void_p]
DLTENSOR, USED = b"dltensor", b"used_dltensor"  # names of capsules: they must stay alive


def share(device, tensor, **order):
    """An array on the tensor's own memory. order: stream=…, after whose work the memory is to be used."""
    capsule = tensor.__dlpack__(**order)
    pointer = cast(python.PyCapsule_GetPointer(capsule, DLTENSOR), POINTER(rw_managed_tensor))
    array = rw_array_import(device, pointer)
    python.PyCapsule_SetName(capsule, USED)  # the array owns the tensor: it calls its deleter
    return array


class Shared:
    """An array's memory for others: numpy.from_dlpack(Shared(…)), torch.from_dlpack(Shared(…)) …"""

    def __init__(self, array, queue, place):
        self.array, self.queue, self.place = array, queue, place

    def __dlpack_device__(self):
        return self.place

    def __dlpack__(self, **order):
        tensor = rw_array_export(self.array, self.queue)
        return python.PyCapsule_New(cast(tensor, c_void_p), DLTENSOR, None)


TEXT = """
KERNEL(update, GLOBAL f32 *y, f32 a, f32 b, long n)
{
    const long first = GROUP_ID(0) * 4096L, end = first + 4096 < n ? first + 4096 : n;
    EACH_IN(i, first, end) { y[i] = a * y[i] + b; }
}
"""


def update(queue, program, array, n, a, b):
    """y <- a y + b in the queue, where the memory lies."""
    kernel = rw_program_kernel(program, "update")
    arguments = [rw_arg_array(array), rw_arg_real(a), rw_arg_real(b), rw_arg_int(n)]
    rw_launch(queue, kernel, ((n + 4095) // 4096, 1, 1), arguments, 4)


def transform(device, queue, array, shape):
    """array <- the Fourier transform of its rows, where they lie; c64."""
    fft = rw_fft_create(device, rw_fft_spec(single=True, ndim=2, shape=shape, axes=2))
    before = copies(device)  # its factors are there
    rw_fft_execute(fft, array, array, queue)
    assert copies(device) == before
    rw_fft_destroy(fft)


def copies(device):
    counters = rw_device_get_counters(device)
    return counters.copies_in + counters.copies_out + counters.copies_device


def with_numpy(device, program):
    import numpy

    x = numpy.arange(1000, dtype=numpy.float32)
    before = copies(device)
    array, queue = share(device, x), rw_device_queue(device)
    update(queue, program, array, x.size, 2, 1)
    assert (x == 2 * numpy.arange(1000) + 1).all()
    back = numpy.from_dlpack(Shared(array, queue, (1, 0)))
    x[0] = -5
    assert back[0] == -5 and copies(device) == before
    rw_array_destroy(array)
    z = numpy.exp(1j * numpy.arange(6000)).reshape(6, 1000).astype(numpy.complex64)
    want, array = numpy.fft.fft(z), share(device, z)
    transform(device, queue, array, z.shape)
    assert abs(z - want).max() < 1e-5 * abs(want).max()
    rw_array_destroy(array)
    print("NumPy", numpy.__version__, "shares its memory, and it is transformed there")


def with_torch(device, program):
    import torch

    stream = torch.cuda.Stream()
    queue = rw_queue_import(device, stream.cuda_stream)
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
    rw_array_destroy(array)
    with torch.cuda.stream(stream):
        z = torch.randn(64, 1000, device="cuda", dtype=torch.complex64)
        want, array = torch.fft.fft(2 * z), share(device, z, stream=stream.cuda_stream)
        z *= 2
        transform(device, queue, array, z.shape)  # after the product, before the difference
        error = (z - want).abs().max() / want.abs().max()
    assert error.item() < 1e-5, error.item()
    rw_queue_destroy(queue)
    rw_array_destroy(array)
    print("PyTorch", torch.__version__, "shares its memory and its stream, and it is transformed there")


def with_cupy(device, program):
    import cupy

    stream = cupy.cuda.Stream(non_blocking=True)
    queue = rw_queue_import(device, stream.ptr)
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
    rw_array_destroy(array)
    with stream:
        z = (cupy.random.random((64, 1000)) + 1j).astype(cupy.complex64)
        want, array = cupy.fft.fft(2 * z), share(device, z, stream=stream.ptr)
        z *= 2
        transform(device, queue, array, z.shape)
        error = float(abs(z - want).max() / abs(want).max())
    assert error < 1e-5, error
    rw_queue_destroy(queue)
    rw_array_destroy(array)
    print("CuPy", cupy.__version__, "shares its memory and its stream, and it is transformed there")


def main():
    name = sys.argv[1] if len(sys.argv) > 1 else "cpu"
    device = rw_device_open(rw_context_create(), name)
    program = rw_program_create(device, "share", TEXT, [rw_define(name="GROUP", value="256")], 1)
    ran = 0
    for module, run in (("numpy", with_numpy),) if name == "cpu" else (("torch", with_torch), ("cupy", with_cupy)):
        try:
            __import__(module)
        except ImportError:
            print("python3 has no", module)
            continue
        run(device, program)
        ran += 1
    rw_program_destroy(program)
    rw_device_close(device)
    sys.exit(0 if ran else 77)


main()
