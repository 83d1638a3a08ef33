#!/usr/bin/env python3
"""What a user of Python would pick instead, on the processor: NumPy and NumExpr.

The pieces of work of `rechenwerk bench rates`, `bench laser` and `bench rkc`, same sizes, same formulas, random inputs.
Each row: median seconds of the rounds, quartiles, GB/s by the least bytes (each input read once, the output written
once). Rows take turns, and a copy takes part, so that a busy machine slows all alike.

    numpy_peers.py [--rounds 20] [--cells 16777216] [--points 4096] [--threads N]
"""
import argparse
import os
import statistics
import time

import numpy as np

try:
    import numexpr
except ImportError:
    numexpr = None


def take_turns(work, rounds):
    """name -> seconds of each round; everyone has one turn a round, the first two rounds do not count."""
    seconds = {name: [] for name in work}
    for r in range(rounds + 2):
        for name, (call, _) in work.items():
            start = time.perf_counter()
            call()
            if r >= 2:
                seconds[name].append(time.perf_counter() - start)
    return seconds


def print_rows(work, rounds):
    for name, s in take_turns(work, rounds).items():
        q = statistics.quantiles(s, n=4) if len(s) > 1 else [s[0]] * 3
        median = statistics.median(s)
        low, high = 100 * (q[0] / median - 1), 100 * (q[2] / median - 1)
        print(f"{name:44s} {median * 1e3:10.3f} ms  {low:+6.1f} {high:+6.1f} %"
              f"  {work[name][1] / median / 1e9:8.2f} GB/s", flush=True)


def rates(n, rounds, random):
    N, P, M = (random.random(n) for _ in range(3))
    Nm = 1 + random.random(n)
    tau, isf, sp = 0.5, 0.3, 0.7 * 0.4
    out, work = np.empty(n), {}

    def numpy():
        np.divide(N + tau * P, 1 + tau * (isf + sp * M + P / Nm), out=out)

    numpy()
    expected = out.copy()
    work["copy (NumPy)"] = (lambda: np.copyto(out, N), 16 * n)
    work[f"rate equation f64, {n} cells, NumPy"] = (numpy, 40 * n)
    if numexpr:
        names = dict(N=N, P=P, M=M, Nm=Nm, tau=tau, isf=isf, sp=sp)

        def compiled():
            numexpr.evaluate("(N + tau*P)/(1 + tau*(isf + sp*M + P/Nm))", out=out, local_dict=names)

        compiled()
        assert np.allclose(out, expected, rtol=1e-14)
        work[f"rate equation f64, {n} cells, NumExpr"] = (compiled, 40 * n)
    print_rows(work, rounds)


def laser(n, rounds, random):
    start, P, U, V = (random.random(n) for _ in range(4))
    Nm = 1 + random.random(n)
    tau, isf, sigma, loss, seed = 0.05, 0.3, 0.7, 0.1, 1e-3
    weight, work = sigma / n, {}

    def photons(phi, total):
        growth = weight * total - loss
        return phi * (1 + tau * growth) + tau * seed if growth > 0 else (phi + tau * seed) / (1 - tau * growth)

    def by_numpy(N, phi):
        np.divide(N + tau * P, 1 + tau * (isf + sigma * phi * U + P / Nm), out=N)
        return photons(phi, np.dot(V, N * U))

    def by_numexpr(N, phi):
        names = dict(N=N, P=P, U=U, V=V, Nm=Nm, tau=tau, isf=isf, rate=sigma * phi)
        numexpr.evaluate("(N + tau*P)/(1 + tau*(isf + rate*U + P/Nm))", out=N, local_dict=names)
        return photons(phi, float(numexpr.evaluate("sum(V*N*U)", local_dict=names)))

    def stepping(step):
        state = [start.copy(), 0.4]

        def call():
            state[1] = step(*state)
        return call

    assert np.isclose(by_numpy(start.copy(), 0.4),
                      by_numexpr(start.copy(), 0.4) if numexpr else by_numpy(start.copy(), 0.4), rtol=1e-12)
    work[f"laser step f64, {n} cells, NumPy"] = (stepping(by_numpy), 48 * n)
    if numexpr:
        work[f"laser step f64, {n} cells, NumExpr"] = (stepping(by_numexpr), 48 * n)
    print_rows(work, rounds)


def rkc(n, rounds, random):
    h = 1 / (n + 1)
    c0, c1, c2, c3, c4 = -0.2, 1.9, -0.7, 1e-9, -4e-10
    d, q = 0.1 / h**2, 0.5 / h
    y0, y1, y2 = (random.random((n, n)) - 0.5 for _ in range(3))
    p0, p1 = (np.zeros((n + 2, n + 2)) for _ in range(2))  # with the zeros outside
    out, work = np.empty((n, n)), {}

    def parts(p):
        return p[1:-1, 1:-1], p[1:-1, :-2], p[1:-1, 2:], p[:-2, 1:-1], p[2:, 1:-1]

    def f(p):
        u, left, right, lower, upper = parts(p)
        return d * (left + right + lower + upper - 4 * u) - q * (right - left + upper - lower) + 10 * (u - u * u * u)

    def numpy():
        p0[1:-1, 1:-1] = y0
        p1[1:-1, 1:-1] = y1
        np.add(c0 * y0 + c1 * y1 + c2 * y2 + c3 * f(p1), c4 * f(p0), out=out)

    numpy()
    expected = out.copy()
    work["copy (NumPy)"] = (lambda: np.copyto(out, y0), 16 * n * n)
    work[f"RKC stage f64, {n}^2 points, NumPy"] = (numpy, 32 * n * n)
    if numexpr:
        def term(k):
            return (f"(d*(l{k} + r{k} + b{k} + t{k} - 4*u{k}) - q*(r{k} - l{k} + t{k} - b{k})"
                    f" + 10*(u{k} - u{k}*u{k}*u{k}))")

        text = f"c0*u0 + c1*u1 + c2*y2 + c3*{term(1)} + c4*{term(0)}"
        scalars = dict(c0=c0, c1=c1, c2=c2, c3=c3, c4=c4, d=d, q=q)

        def compiled():
            p0[1:-1, 1:-1] = y0
            p1[1:-1, 1:-1] = y1
            u0, l0, r0, b0, t0 = parts(p0)
            u1, l1, r1, b1, t1 = parts(p1)
            numexpr.evaluate(text, out=out, local_dict=dict(u0=u0, l0=l0, r0=r0, b0=b0, t0=t0, u1=u1, l1=l1, r1=r1,
                                                            b1=b1, t1=t1, y2=y2, **scalars))

        compiled()
        assert np.allclose(out, expected, rtol=1e-11, atol=1e-12)
        work[f"RKC stage f64, {n}^2 points, NumExpr"] = (compiled, 32 * n * n)
    print_rows(work, rounds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--cells", type=int, default=1 << 24)
    parser.add_argument("--points", type=int, default=4096)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    a = parser.parse_args()
    if numexpr:
        numexpr.set_num_threads(a.threads)
    version = f", NumExpr {numexpr.__version__} with {a.threads} threads" if numexpr else ", no NumExpr"
    print(f"NumPy {np.__version__}{version}")
    random = np.random.default_rng(1)
    rates(a.cells, a.rounds, random)
    laser(a.cells, a.rounds, random)
    laser(625, 50 * a.rounds, random)
    rkc(a.points, a.rounds, random)


if __name__ == "__main__":
    main()
