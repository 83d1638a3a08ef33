#!/usr/bin/env python3
"""What a user of Python would pick instead, on an NVIDIA GPU: CuPy and PyTorch, whichever is there.

The pieces of work of `rechenwerk bench`, same sizes, same formulas, random inputs, and a copy beside them. Each row:
median of device events, quartiles, GB/s by the least bytes, share of the copy.

    gpu_peers.py [--rounds 20] [--cells 67108864] [--points 8192] [--transforms 262144]
"""
import argparse
import statistics

try:
    import cupy
except ImportError:
    cupy = None
try:
    import torch
    if not torch.cuda.is_available():
        torch = None
except ImportError:
    torch = None

RATES = dict(tau=0.5, isf=0.3, sp=0.7 * 0.4)
C = (-0.2, 1.9, -0.7, 1e-9, -4e-10)


def events_of_cupy():
    def measure(call):
        a, b = cupy.cuda.Event(), cupy.cuda.Event()
        a.record()
        call()
        b.record()
        return lambda: (b.synchronize(), cupy.cuda.get_elapsed_time(a, b) * 1e-3)[1]
    return measure


def events_of_torch():
    def measure(call):
        a, b = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        a.record()
        call()
        b.record()
        return lambda: (b.synchronize(), a.elapsed_time(b) * 1e-3)[1]
    return measure


def print_rows(work, rounds, measure):
    """Everyone has one turn a round; the first three rounds do not count. The first entry is the copy."""
    pending = {name: [] for name in work}
    for r in range(rounds + 3):
        for name, (call, _) in work.items():
            later = measure(call)
            if r >= 3:
                pending[name].append(later)
    limit = None
    for name, later in pending.items():
        s = [f() for f in later]
        q, median = statistics.quantiles(s, n=4), statistics.median(s)
        rate = work[name][1] / median / 1e9
        limit = limit or rate
        low, high = 100 * (q[0] / median - 1), 100 * (q[2] / median - 1)
        print(f"{name:52s} {median * 1e3:9.4f} ms  {low:+5.1f} {high:+5.1f} %"
              f"  {rate:8.1f} GB/s  {100 * rate / limit:6.1f} % of copy", flush=True)


def of_cupy(a):
    n = a.cells
    N, P, M = (cupy.random.random(n) for _ in range(3))
    Nm, out = 1 + cupy.random.random(n), cupy.empty(n)

    @cupy.fuse()
    def update(N, P, M, Nm, tau, isf, sp):
        return (N + tau * P) / (1.0 + tau * (isf + sp * M + P / Nm))

    work = {"copy f64 (CuPy)": (lambda: cupy.copyto(out, N), 16 * n),
            f"rate equation f64, {n} cells, cupy.fuse": (lambda: update(N, P, M, Nm, *RATES.values()), 40 * n)}
    U, V, start = M, cupy.random.random(n), cupy.random.random(n)

    def laser():  # the update, a product, and cuBLAS for the sum: 1.5 ms; cupy.ReductionKernel(v*n*u) took 58 ms
        update(start, P, U, Nm, *RATES.values())
        return cupy.dot(V, product(start, U))

    @cupy.fuse()
    def product(n, u):
        return n * u

    work[f"laser step f64, {n} cells, cupy.fuse and its sum"] = (laser, 48 * n)
    x = (cupy.random.random((a.transforms, 256), dtype=cupy.float32) - 0.5).astype(cupy.complex64)
    work["FFT 256 c64, CuPy (cuFFT)"] = (lambda: cupy.fft.fft(x, axis=1), 16 * x.size)
    work["dot product f64, CuPy (cuBLAS)"] = (lambda: cupy.dot(N, P), 16 * n)
    print_rows(work, a.rounds, events_of_cupy())


def of_torch(a):
    n, m = a.cells, a.points
    N, P, M, Nm = (torch.rand(n, dtype=torch.float64, device="cuda") for _ in range(4))
    Nm += 1
    out = torch.empty_like(N)
    tau, isf, sp = RATES.values()
    update = torch.compile(lambda N, P, M, Nm: (N + tau * P) / (1.0 + tau * (isf + sp * M + P / Nm)))
    work = {"copy f64 (PyTorch)": (lambda: out.copy_(N), 16 * n),
            f"rate equation f64, {n} cells, torch.compile": (lambda: update(N, P, M, Nm), 40 * n)}
    print_rows(work, a.rounds, events_of_torch())
    del N, P, M, Nm, out, work
    y0, y1, y2 = (torch.rand(m, m, dtype=torch.float64, device="cuda") - 0.5 for _ in range(3))
    out, h = torch.empty_like(y0), 1 / (m + 1)
    d, q = 0.1 / h**2, 0.5 / h

    def f(u):
        p = torch.nn.functional.pad(u, (1, 1, 1, 1))
        left, right, lower, upper = p[1:-1, :-2], p[1:-1, 2:], p[:-2, 1:-1], p[2:, 1:-1]
        return d * (left + right + lower + upper - 4 * u) - q * (right - left + upper - lower) + 10 * (u - u * u * u)

    def stage(y0, y1, y2):
        return C[0] * y0 + C[1] * y1 + C[2] * y2 + C[3] * f(y1) + C[4] * f(y0)

    compiled = torch.compile(stage)
    if not torch.allclose(compiled(y0, y1, y2), stage(y0, y1, y2), rtol=1e-10, atol=1e-11):
        print("torch.compile disagrees with eager PyTorch")
    work = {"copy f64 (PyTorch)": (lambda: out.copy_(y0), 16 * m * m),
            f"RKC stage f64, {m}^2 points, torch.compile": (lambda: compiled(y0, y1, y2), 32 * m * m),
            f"RKC stage f64, {m}^2 points, PyTorch": (lambda: stage(y0, y1, y2), 32 * m * m)}
    print_rows(work, a.rounds, events_of_torch())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--cells", type=int, default=1 << 26)
    parser.add_argument("--points", type=int, default=8192)
    parser.add_argument("--transforms", type=int, default=1 << 18)
    a = parser.parse_args()
    print(f"CuPy {cupy.__version__ if cupy else 'missing'}, PyTorch {torch.__version__ if torch else 'missing'}")
    if cupy:
        of_cupy(a)
        cupy.get_default_memory_pool().free_all_blocks()
    if torch:
        of_torch(a)


if __name__ == "__main__":
    main()
