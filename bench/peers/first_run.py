#!/usr/bin/env python3
"""The first run of a problem on a processor: nothing compiled yet, beside a loop by hand in Numba and Devito.

    first_run.py [--rechenwerk build/rechenwerk] [--rounds 3] [--cases gray-scott-256 …]

Each is a process of its own that begins with empty caches and ends with the solution in a file: its wall time counts,
imports and compilers included. Rows take turns; medians, and their spread. `again` is a second run with what the first
has compiled. All solve the same equations on the same nodes, Dirichlet values on the sides, f64, to the same end time;
Numba and Devito by Euler steps of 0.9 of the largest stable one, as a loop by hand does, Rechenwerk with its defaults
(auto, rtol 1e-4). The last column is the largest difference from Rechenwerk with rtol 1e-8.

Numba and Devito are installed from the package index into a folder that is removed at the end.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

CASES = {
    "gray-scott-256": dict(n=256, ndim=2, end=100.0),
    "gray-scott-1024": dict(n=1024, ndim=2, end=20.0),
    "heat-128": dict(n=128, ndim=3, end=2e-3),
}
EXTENT, DU, DV, F, K = 2.5, 2e-5, 1e-5, 0.037, 0.06  # of Gray-Scott; the heat equation: 1, diffusivity 1


def spacing(case):
    return (EXTENT if case["ndim"] == 2 else 1.0) / (case["n"] + 1)


def steps(case):
    h = spacing(case)
    largest = h**2 / (4 * DU) if case["ndim"] == 2 else h**2 / 6
    return -int(-case["end"] // (0.9 * largest))


# ---- Rechenwerk ------------------------------------------------------------------------------------------------------

def write_case(case, path, rtol, atol):
    n, end = case["n"], case["end"]
    if case["ndim"] == 2:
        spot = "where(hypot(x-1.25, y-1.25) < 0.25, 1, 0)"
        body = f"""grid: {{size: [{n}, {n}], extent: [{EXTENT}, {EXTENT}]}}
fields:
  u: {{initial: "1 - 0.5*{spot}", boundary: "1"}}
  v: {{initial: "0.25*{spot}", boundary: "0"}}
equations: |
  r = u*v^2
  du/dt = {DU}*laplace(u) - r + {F}*(1 - u)
  dv/dt = {DV}*laplace(v) + r - {F + K}*v
"""
    else:
        body = f"""grid: {{size: [{n}, {n}, {n}], extent: [1, 1, 1]}}
fields: {{u: {{initial: "sin(pi*x)*sin(pi*y)*sin(2*pi*z)", boundary: "0"}}}}
equations: "du/dt = laplace(u)"
"""
    saved = "v" if case["ndim"] == 2 else "u"
    with open(path, "w") as f:
        f.write(f"problem: pde\n{body}time: {{end: {end}, rtol: {rtol}, atol: {atol}}}\n"
                f"output: {{fields: [{saved}], figures: []}}\n")


def solution_of(folder, case):
    import h5py
    with h5py.File(os.path.join(folder, "fields.h5")) as f:
        last = f["v" if case["ndim"] == 2 else "u"][-1]
    return last[(slice(1, -1),) * case["ndim"]].reshape(-1, case["n"], case["n"])  # without the nodes on the sides


# ---- peers, each run in a process of its own -----------------------------------------------------------------------

NUMBA = """
import sys
import numpy as np
from numba import njit, prange

@njit(parallel=True, fastmath=True)
def gray_scott(u, v, u1, v1, cu, cv, f, k, dt):
    for i in prange(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            a, b = u[i, j], v[i, j]
            r = a * b * b
            u1[i, j] = a + cu * (u[i-1, j] + u[i+1, j] + u[i, j-1] + u[i, j+1] - 4 * a) + dt * (f * (1 - a) - r)
            v1[i, j] = b + cv * (v[i-1, j] + v[i+1, j] + v[i, j-1] + v[i, j+1] - 4 * b) + dt * (r - (f + k) * b)

@njit(parallel=True, fastmath=True)
def heat(u, u1, c):
    for i in prange(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            for k in range(1, u.shape[2] - 1):
                u1[i, j, k] = u[i, j, k] + c * (u[i-1, j, k] + u[i+1, j, k] + u[i, j-1, k] + u[i, j+1, k]
                                               + u[i, j, k-1] + u[i, j, k+1] - 6 * u[i, j, k])

u, v, n, h, dt = start()
if u.ndim == 2:
    u1, v1 = u.copy(), v.copy()
    for _ in range(n):
        gray_scott(u, v, u1, v1, DU * dt / h**2, DV * dt / h**2, F, K, dt)
        u, u1, v, v1 = u1, u, v1, v
    result = v
else:
    u1 = u.copy()
    for _ in range(n):
        heat(u, u1, dt / h**2)
        u, u1 = u1, u
    result = u
np.save(sys.argv[3], result[(slice(1, -1),) * result.ndim])
"""

DEVITO = """
import os, sys
os.environ.setdefault("DEVITO_LANGUAGE", "openmp")
os.environ.setdefault("DEVITO_LOGGING", "ERROR")
import numpy as np
from devito import Constant, Eq, Grid, Operator, TimeFunction, solve

u0, v0, n, h, dt = start()
grid = Grid(shape=u0.shape, extent=tuple(h * (s - 1) for s in u0.shape), dtype=np.float64)
inner = grid.interior
u = TimeFunction(name="u", grid=grid, time_order=1, space_order=2)
u.data[:] = u0
if u0.ndim == 2:
    v = TimeFunction(name="v", grid=grid, time_order=1, space_order=2)
    v.data[:] = v0
    r = u * v**2
    op = Operator([Eq(u.forward, solve(Eq(u.dt, DU * u.laplace - r + F * (1 - u)), u.forward), subdomain=inner),
                   Eq(v.forward, solve(Eq(v.dt, DV * v.laplace + r - (F + K) * v), v.forward), subdomain=inner)])
else:
    v = u
    op = Operator([Eq(u.forward, solve(Eq(u.dt, u.laplace), u.forward), subdomain=inner)])
op(time_M=n - 1, dt=dt)
result = v.data[n % 2]
np.save(sys.argv[3], np.asarray(result)[(slice(1, -1),) * result.ndim])
"""

START = f"""
import sys, ast
import numpy as np
DU, DV, F, K, EXTENT = {DU}, {DV}, {F}, {K}, {EXTENT}
def start():
    case, n = ast.literal_eval(sys.argv[1]), int(sys.argv[2])
    m = case["n"] + 2
    h = (EXTENT if case["ndim"] == 2 else 1.0) / (m - 1)
    x = h * np.arange(m)
    if case["ndim"] == 2:
        spot = np.where(np.hypot(x[None, :] - 1.25, x[:, None] - 1.25) < 0.25, 1.0, 0.0)
        u, v = 1 - 0.5 * spot, 0.25 * spot
    else:
        s, t = np.sin(np.pi * x), np.sin(2 * np.pi * x)
        u, v = t[:, None, None] * s[None, :, None] * s[None, None, :], None
        for axis in range(3):
            np.moveaxis(u, axis, 0)[[0, -1]] = 0
    return u, v, n, h, case["end"] / n
"""


class Contest:
    def __init__(self, rechenwerk, folder, rounds):
        self.rechenwerk, self.folder, self.rounds = os.path.abspath(rechenwerk), folder, rounds
        self.python = None
        self.missing = {}

    def install(self):
        venv = os.path.join(self.folder, "python")
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        self.python = os.path.join(venv, "bin", "python")
        for name in ("h5py", "numba", "devito"):
            pip = [self.python, "-m", "pip", "install", "-q", "numpy", name]
            done = subprocess.run(pip, capture_output=True, text=True)
            if done.returncode:
                self.missing[name] = done.stderr.strip().splitlines()[-1]
        for name, text in ("numba", NUMBA), ("devito", DEVITO):
            with open(os.path.join(self.folder, f"by_{name}.py"), "w") as f:
                f.write(START + text)

    def process(self, command, caches):
        """Seconds of a process whose caches lie in that folder, which is made where it is missing."""
        os.makedirs(caches, exist_ok=True)
        env = dict(os.environ, RECHENWERK_CACHE=caches, NUMBA_CACHE_DIR=caches, XDG_CACHE_HOME=caches, TMPDIR=caches,
                   PYTHONDONTWRITEBYTECODE="1", OMP_WAIT_POLICY="passive")
        start = time.perf_counter()
        done = subprocess.run(command, env=env, cwd=self.folder, capture_output=True, text=True)
        seconds = time.perf_counter() - start
        if done.returncode:
            raise SystemExit(f"{' '.join(command[:2])}: {done.stderr[-800:]}")
        return seconds

    def run(self, name, case):
        file, out = os.path.join(self.folder, name + ".yaml"), os.path.join(self.folder, "out")
        write_case(case, file, 1e-8, 1e-10)
        caches = os.path.join(self.folder, "caches")
        self.process([self.rechenwerk, "run", file, "-d", "cpu", "-o", out, "--force"], caches)
        npy = os.path.join(self.folder, "exact.npy")
        self.to_npy(out, case, npy)
        write_case(case, file, 1e-4, 1e-6)
        seconds, solutions = {}, {}
        for _ in range(self.rounds):
            for who in ("rechenwerk", "numba", "devito"):
                if who in self.missing:
                    continue
                shutil.rmtree(caches, ignore_errors=True)
                result = os.path.join(self.folder, who + ".npy")
                if who == "rechenwerk":
                    command = [self.rechenwerk, "run", file, "-d", "cpu", "-o", out, "--force"]
                else:
                    script = os.path.join(self.folder, f"by_{who}.py")
                    command = [self.python, script, repr(case), str(steps(case)), result]
                seconds.setdefault(who, []).append(self.process(command, caches))
                seconds.setdefault(who + ", again", []).append(self.process(command, caches))
                if who == "rechenwerk":
                    self.to_npy(out, case, result)
                solutions[who] = result
        for who, s in seconds.items():
            base = who.split(",")[0]
            print(f"{name:18s} {who:20s} {statistics.median(s):8.2f} s  {min(s):7.2f} {max(s):7.2f}"
                  f"   {self.difference(npy, solutions[base]):10.2e}", flush=True)
        for who, why in self.missing.items():
            print(f"{name:18s} {who:20s} not installed: {why}", flush=True)

    def to_npy(self, out, case, path):
        subprocess.run([self.python, __file__, "--solution", out, repr(case), path], check=True)

    def difference(self, a, b):
        text = "import numpy as np, sys; print(abs(np.load(sys.argv[1]) - np.load(sys.argv[2])).max())"
        return float(subprocess.run([self.python, "-c", text, a, b], check=True, capture_output=True, text=True).stdout)


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "--solution":
        import ast

        import numpy
        numpy.save(sys.argv[4], solution_of(sys.argv[2], ast.literal_eval(sys.argv[3])))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rechenwerk", default="build/rechenwerk")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="first-run-")
    try:
        contest = Contest(options.rechenwerk, folder, options.rounds)
        contest.install()
        print(f"{'case':18s} {'who':20s} {'median':>8s}    {'least':>7s} {'most':>7s}   {'difference':>10s}")
        for name in options.cases:
            contest.run(name, CASES[name])
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
