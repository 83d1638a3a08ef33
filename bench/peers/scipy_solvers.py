"""SciPy's part of bench/solvers.sh: products and solvers on the systems that bench/peers/solvers.c writes; see there
for files and arguments.

    scipy_solvers.py FOLDER WORK VARIANT ITERATIONS RTOL OUTPUT

VARIANT is bsr, csr or dia, with a preconditioner after a slash: none or jacobi. WORK is product, cg or gmres (restart
30, modified Gram-Schmidt, preconditioned from the right by scaling columns). SciPy's products use one core.
"""
import inspect
import sys
import time

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as la

PRODUCTS = 10
RESTART = 30


def read_system(folder):
    rows, block, blocks, is_complex = np.fromfile(f"{folder}/size.i64", np.int64, 4)
    kind = np.complex128 if is_complex else np.float64
    first, column = np.fromfile(f"{folder}/first.i32", np.int32), np.fromfile(f"{folder}/column.i32", np.int32)
    value = np.fromfile(f"{folder}/value.f64", kind).reshape(blocks, block, block)
    return (sp.bsr_matrix((value, column, first), shape=(rows * block, rows * block)),
            np.fromfile(f"{folder}/right.f64", kind))


def diagonal_scale(a):
    return sp.diags(1 / a.diagonal())


def solve(a, b, method, scaled, iterations, rtol):
    """Iterations, seconds, seconds of the preconditioner, x."""
    begin = time.perf_counter()
    d = diagonal_scale(a) if scaled else None
    ready = time.perf_counter()
    made = [0]

    def count(_):
        made[0] += 1

    call = la.cg if method == "cg" else la.gmres
    options = {"atol": 0.0, "callback": count}
    options["rtol" if "rtol" in inspect.signature(call).parameters else "tol"] = rtol if rtol > 0 else 1e-300
    if method == "cg":
        options["maxiter"] = iterations
        if scaled:
            options["M"] = d
        x, _ = call(a, b, **options)
    else:  # maxiter counts restarts
        options.update(restart=min(RESTART, iterations), maxiter=-(-iterations // RESTART), callback_type="pr_norm")
        x, _ = call(a @ d if scaled else a, b, **options)
        if scaled:
            x = d @ x
    return made[0], time.perf_counter() - ready, ready - begin, x


def main():
    if len(sys.argv) != 7:
        sys.exit("scipy_solvers.py FOLDER WORK VARIANT ITERATIONS RTOL OUTPUT")
    folder, work, variant, iterations, rtol, output = sys.argv[1:]
    form, _, precond = variant.partition("/")
    a, b = read_system(folder)
    a = a.asformat(form)
    if work == "product":
        for _ in range(PRODUCTS):
            begin = time.perf_counter()
            x = a @ b
            print(1, f"{time.perf_counter() - begin:.6g}")
    else:
        made, seconds, setup, x = solve(a, b, work, precond == "jacobi", int(iterations), float(rtol))
        print(made, f"{seconds:.6g} {setup:.6g}")
    x.tofile(output)


main()
