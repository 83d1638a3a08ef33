"""Solutions of steady cases against matrices that this script assembles and SciPy factorises.

div(a*grad(u)) - c*u = f on a box: fluxes through the faces between nodes, with the mean of a of both nodes. Sides:
left u = 1 + y; right du/dn = 1/2; bottom 2 u + du/dn = 1; top u = 0. usage: scipy_elliptic.py RECHENWERK"""
import subprocess
import sys

import h5py
import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spl

SOLVERS = ["method: auto", "method: krylov, precond: transform", "method: krylov, precond: multigrid",
           "method: krylov, precond: diagonal", "method: multigrid"]
OF_ONE_AXIS = ["method: transform", "method: multigrid", "method: auto"]


def place(layout, n):
    """Nodes of the unit interval and their spacing."""
    if layout == "cell":
        return (np.arange(n) + 0.5) / n, 1 / n
    return np.linspace(0, 1, n), 1 / (n - 1)


def continued(layout, a):
    """Data one node beyond each side: mirrored about the side."""
    return np.pad(a, 1, mode="symmetric" if layout == "cell" else "reflect")


def matrix(layout, nx, ny, a, c, f):
    """a: with one node more beyond each side."""
    x, hx = place(layout, nx)
    y, hy = place(layout, ny)
    A = sp.lil_matrix((nx * ny, nx * ny))
    b = f.ravel().copy()
    cell = layout == "cell"

    def row(i, j):
        return j * nx + i

    def add(r, i, j, value):
        A[r, row(i, j)] += value

    for j in range(ny):
        for i in range(nx):
            r = row(i, j)
            if not cell and (i == 0 or j == ny - 1):  # the node has the value of the side
                A[r, r] = 1
                corner = i == 0 and j == ny - 1
                b[r] = ((1 + y[j]) / 2 if corner else 1 + y[j]) if i == 0 else 0
                continue
            A[r, r] -= c[j, i]
            for di, dj, h in ((-1, 0, hx), (1, 0, hx), (0, -1, hy), (0, 1, hy)):
                k, m = i + di, j + dj
                w = (a[j + 1, i + 1] + a[m + 1, k + 1]) / 2 / h**2
                if 0 <= k < nx and 0 <= m < ny:
                    add(r, k, m, w)
                    A[r, r] -= w
                    continue
                # beyond a side: u = share u(here) + mirror u(inside) + part
                if cell:
                    share, mirror, part = {(-1, 0): (-1, 0, 2 * (1 + y[j])), (1, 0): (1, 0, h / 2),
                                           (0, -1): ((1 - h) / (1 + h), 0, h / (1 + h)),
                                           (0, 1): (-1, 0, 0)}[di, dj]
                else:
                    share, mirror, part = {(1, 0): (0, 1, 2 * h / 2), (0, -1): (-4 * h, 1, 2 * h)}[di, dj]
                A[r, r] += w * (share - 1)
                if mirror:
                    add(r, i - di, j - dj, w)
                b[r] -= w * part
    return A.tocsr(), b


def solve(command, layout, equation, solver):
    settings = f"solvers: {{u: {{{solver}, rtol: 1e-11}}}}"
    with open("case.yaml", "w", encoding="utf-8") as case:
        case.write(f"""problem: pde
grid: {{size: [33, 20], layout: {layout}}}
data: {{a: {{file: a.npy}}, c: {{file: c.npy}}, f: {{file: f.npy}}}}
fields:
  u:
    initial: "0"
    boundary: {{left: "1 + y", right: {{neumann: "0.5"}}, bottom: {{robin: ["2", "1", "1"]}}, top: "0"}}
equations: "{equation}"
{settings}
time: {{end: steady}}
output: {{fields: [u], figures: []}}
""")
    subprocess.run([command, "run", "case.yaml", "--output", "results", "--force", "-q"], check=True)
    with h5py.File("results/fields/000001.h5", "r") as file:
        found = []
        file.visititems(lambda name, item: found.append(item[()]) if name.split("/")[-1] == "u" else None)
        return np.squeeze(found[0])


def main():
    rng = np.random.default_rng(45)
    nx, ny = 33, 20
    worst = 0
    for layout in ("cell", "node"):
        y, h = place(layout, ny)
        f, c = rng.standard_normal((ny, nx)), rng.uniform(0, 5, (ny, nx))
        a = np.exp(rng.uniform(-1.5, 1.5, (ny, nx)))
        beyond = np.tile(1 + np.concatenate([[y[0] - h], y, [y[-1] + h]])[:, None], (1, nx + 2))
        for equation, padded, damping, solvers in (
                ("div(a*grad(u)) - c*u = f", continued(layout, a), c, SOLVERS),
                ("div((1 + y)*grad(u)) - y*u = f", beyond, np.tile(y[:, None], (1, nx)), OF_ONE_AXIS)):
            for name, values in (("a", a), ("c", c), ("f", f)):
                np.save(name + ".npy", values)
            A, b = matrix(layout, nx, ny, padded, damping, f)
            exact = spl.spsolve(A, b).reshape(ny, nx)
            for solver in solvers:
                u = solve(sys.argv[1], layout, equation, solver)
                error = np.abs(u - exact).max() / np.abs(exact).max()
                print(f"{layout}, {equation}, {solver}: {error:.1e}")
                worst = max(worst, error)
    return 0 if worst < 1e-8 else 1


sys.exit(main())
