"""The generated module alone runs an expression, an integration, solves and what fails."""
import importlib.util
import math
import os
import shutil
import tempfile
import unittest
from unittest import mock
from ctypes import POINTER, byref, c_double, c_int64, cast

import rechenwerk
from rechenwerk import *

try:
    import numpy
except ImportError:
    numpy = None

context = rw_context_create()
device = rw_device_open(context, "cpu:1")
queue = rw_device_queue(device)


def array(values):
    """A one-dimensional array of f64 with these values."""
    data = (c_double * len(values))(*values)
    return rw_array_create_from(device, RW_F64, 1, [len(values)], data, RW_COPY)


def values(a):
    """What an array of f64 holds."""
    return cast(rw_array_read(a), POINTER(c_double))[:rw_array_size(a)]


def poisson(n):
    """The matrix of -u'' on n points: rows (-1, 2, -1). A x of it is `product`."""
    places = [(i, j) for i in range(n) for j in (i - 1, i, i + 1) if 0 <= j < n]
    return rw_entries(rows=n, columns=n, n=len(places), row=[i for i, _ in places], column=[j for _, j in places],
                      value=[2.0 if i == j else -1.0 for i, j in places])


def product(x):
    """A x of the matrix of `poisson`."""
    padded = [0.0, *x, 0.0]
    return [2*b - a - c for a, b, c in zip(padded, padded[1:], padded[2:])]


def norm(x):
    return math.sqrt(sum(v*v for v in x))


def load_copy(folder, name):
    """The module with a library of its own, another file with the same content."""
    path = shutil.copy(os.path.realpath(os.environ["RECHENWERK_LIBRARY"]), os.path.join(folder, name + ".so"))
    spec = importlib.util.spec_from_file_location(name, rechenwerk.__file__)
    module = importlib.util.module_from_spec(spec)
    with mock.patch.dict(os.environ, RECHENWERK_LIBRARY=path):
        spec.loader.exec_module(module)
        module.rw_version()  # opens it
    return module


class Test(unittest.TestCase):
    def test_two_copies_of_the_library(self):
        with tempfile.TemporaryDirectory() as folder:
            copies = [load_copy(folder, name) for name in ("first", "second")]
            devices = [m.rw_device_open(m.rw_context_create(), "cpu:1") for m in copies]
            for i in range(3):
                for k, (m, device) in enumerate(zip(copies, devices)):
                    grid, field = m.rw_grid(ndim=1, size=(3, 1, 1), spacing=(1, 1, 1)), m.rw_expr_field(name="u")
                    program = m.rw_expr_create(device, m.rw_expr_spec(text=f"u = u + {10*i + k}", grid=grid,
                                                                      fields=[field], nfields=1))
                    u = m.rw_array_create_from(device, RW_F64, 1, [3], (c_double * 3)(), RW_COPY)
                    m.rw_expr_bind(program, "u", u)
                    m.rw_expr_run(program, m.rw_device_queue(device))
                    self.assertEqual(cast(m.rw_array_read(u), POINTER(c_double))[:3], [10.0*i + k]*3)

    def test_expression(self):
        n, tau = 100, 0.25
        u, v = [0.01*i for i in range(n)], [math.cos(i) for i in range(n)]
        spec = rw_expr_spec(text="u = (u + tau*v)/(1 + tau*u); total = sum(u)",
                            grid=rw_grid(ndim=1, size=(n, 1, 1), spacing=(1, 1, 1)),
                            fields=[rw_expr_field(name="u", dtype=RW_F64), rw_expr_field(name="v", dtype=RW_F64)],
                            nfields=2, scalars=[rw_expr_scalar(name="tau", value=1)], nscalars=1)
        program = rw_expr_create(device, spec)
        a, b, total = array(u), array(v), c_double()
        rw_expr_bind(program, "u", a)
        rw_expr_bind(program, "v", b)
        rw_expr_set(program, "tau", tau)
        rw_expr_run(program, queue)
        rw_expr_get(program, "total", total, None)
        expected = [(x + tau*y)/(1 + tau*x) for x, y in zip(u, v)]
        for found, wanted in zip(values(a), expected, strict=True):
            self.assertAlmostEqual(found, wanted, delta=1e-14)
        self.assertAlmostEqual(total.value, sum(expected), delta=1e-12)
        self.assertGreater(rw_expr_get_plan(program).passes, 0)
        text = rw_expr_explain(program)
        self.assertIn(b"pass", text.value)
        free(text)
        rw_expr_destroy(program)
        self.assertFalse(program)  # the caller's handle is NULL

    def test_integration(self):
        """u = sin(pi x) of du/dt = u'' with u = 0 at the ends decays with exp(-l t), l = (2/h sin(pi h/2))^2."""
        n, end = 63, 0.1
        h = 1/(n + 1)
        zero = rw_boundary(kind=RW_BOUNDARY_DIRICHLET, a="0")
        field = rw_expr_field(name="u", dtype=RW_F64, boundary=[zero]*6)
        spec = rw_ode_spec(equations="du/dt = laplace(u)", fields=[field], nfields=1, method=RW_ODE_RKC2, rtol=1e-7,
                           atol=1e-10,
                           grid=rw_grid(ndim=1, size=(n, 1, 1), spacing=(h, 1, 1), origin=(h, 0, 0)))
        ode = rw_ode_create(device, spec)
        start = [math.sin(math.pi*h*(i + 1)) for i in range(n)]
        u = array(start)
        rw_ode_bind(ode, "u", u)
        while rw_ode_time(ode) < end:
            rw_ode_step(ode, end)
        decay = math.exp(-(2/h*math.sin(math.pi*h/2))**2*end)
        for found, first in zip(values(u), start, strict=True):
            self.assertAlmostEqual(found, decay*first, delta=1e-5)
        method = c_int()
        rw_ode_get_method(ode, method, None)
        self.assertEqual(rw_ode_method_name(method.value), "rkc2")
        self.assertGreater(rw_ode_get_statistics(ode).steps, 1)
        rw_ode_destroy(ode)

    def test_solve(self):
        n, residuals = 200, []
        matrix = rw_sparse_from_entries(device, rw_sparse_layout_parse(context, "csr"), poisson(n))
        spec = rw_krylov_spec(method=RW_KRYLOV_CG, rtol=1e-10,
                              monitor=lambda user, iteration, residual: residuals.append(residual))
        solver = rw_krylov_create(rw_sparse_operator(matrix), RW_F64, spec)
        right = [1 + math.sin(i) for i in range(n)]
        b, x = array(right), array([0]*n)
        result = rw_krylov_solve(solver, b, x)
        residual = norm([p - q for p, q in zip(right, product(values(x)), strict=True)])
        self.assertLess(residual, 1.01e-10*norm(right))
        self.assertEqual(result.reason, RW_KRYLOV_CONVERGED)
        self.assertEqual(len(residuals), result.iterations + 1)
        rw_krylov_destroy(solver)
        rw_sparse_destroy(matrix)

    def operator(self, multiply):
        spec = rw_operator_spec(rows=20, columns=20, type=RW_F64, multiply=multiply, direct=True)
        operator = rw_operator_create(device, spec)
        solver = rw_krylov_create(operator, RW_F64, rw_krylov_spec(method=RW_KRYLOV_CG))
        rw_krylov_solve(solver, array([1]*20), x := array([0]*20))
        return values(x)

    def test_operator_in_python(self):
        def multiply(user, op, x, y, queue):
            (c_double * 20).from_address(rw_array_write(y).value)[:] = product(values(x))

        for found in product(self.operator(multiply)):
            self.assertAlmostEqual(found, 1, delta=1e-6)

    def test_an_exception_in_a_callback_ends_the_call(self):
        def multiply(user, op, x, y, queue):
            raise ValueError("from the product")

        with self.assertRaises(Error) as caught:
            self.operator(multiply)
        self.assertIsInstance(caught.exception.__cause__, ValueError)

    def test_errors(self):
        with self.assertRaises(Error) as caught:
            rw_device_open(context, "cpuu")
        self.assertEqual(caught.exception.status, RW_ERR_DEVICE)
        self.assertIn("cpu", caught.exception.message)
        self.assertIn("RW_ERR_DEVICE: ", str(caught.exception))
        with self.assertRaisesRegex(Error, "nearest is restart"):
            rw_krylov_parse(context, "gmres:restrat=3")
        with self.assertRaisesRegex(TypeError, "rw_expr_set.*2 arguments given"):
            rw_expr_set(None, "tau")
        with self.assertRaisesRegex(TypeError, "rw_launch: groups: 2 elements are given, 3 are needed"):
            rw_launch(queue, None, (1, 1), [], 0)
        with self.assertRaises(AttributeError):
            rw_grid().siez = (1,)
        with self.assertRaises(AttributeError):
            rw_grid(siez=(1,))

    def test_conventions(self):
        self.assertEqual(rw_arg_int(3).re, 3)
        self.assertTrue(rw_arg_int(3).is_integer)
        self.assertFalse(rw_arg_array(None).array)
        self.assertEqual(rw_status_name(RW_ERR_MEMORY), "RW_ERR_MEMORY")
        self.assertEqual(rw_version(), RW_VERSION)
        self.assertTrue(rw_stream_report().in_.width == 0)
        self.assertIn(rechenwerk.rw_boundary_kind.RW_BOUNDARY_WRAP, list(rw_boundary_kind))
        spec = rw_krylov_spec()
        rw_params_parse(context, rw_krylov_params(), "idr:rtol=1e-3", byref(spec))
        self.assertEqual((spec.method, spec.rtol), (RW_KRYLOV_IDR, 1e-3))
        matrix = rw_sparse_from_entries(device, rw_sparse_layout(), poisson(3))
        n = c_int64()
        row, column, value = rw_sparse_entries(matrix, n)
        self.assertEqual((n.value, value[:n.value]), (7, [2, -1, -1, 2, -1, -1, 2]))
        rw_sparse_free_entries(row, column, value)
        self.assertIn(b'"specifications"', (text := rw_describe(context)).value)  # of librechenwerk-run
        free(text)


@unittest.skipUnless(numpy, "python3 has no NumPy")
class NumPy(unittest.TestCase):
    def test_arrays_in_and_out(self):
        for dtype in ("f4", "f8", "c8", "c16", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "?"):
            values = (numpy.arange(12).reshape(3, 4) % 2).astype(dtype)
            array = from_numpy(device, values)
            found = to_numpy(array)
            self.assertEqual((found.dtype, found.shape), (values.dtype, values.shape))
            self.assertTrue((found == values).all())
            view = rw_array_transpose(array, None)
            self.assertTrue((to_numpy(view) == values.T).all())
            numpy.asarray(rw_array_write(array))[...] = 1
            self.assertTrue((numpy.asarray(rw_array_read(array)) == 1).all())
            with self.assertRaises(ValueError):
                numpy.asarray(rw_array_read(array))[0, 0] = 0  # it must not be changed
            rw_array_destroy(array)

    def test_borrowed(self):
        values = numpy.arange(6.0)
        array = from_numpy(device, values, RW_BORROW)
        numpy.asarray(rw_array_update(array))[:] *= 2
        self.assertEqual(values.tolist(), [0, 2, 4, 6, 8, 10])
        rw_array_destroy(array)
        with self.assertRaisesRegex(TypeError, "not contiguous"):
            rw_array_create_from(device, RW_F64, 1, [3], values[::2], RW_BORROW)
        with self.assertRaisesRegex(TypeError, "float64.*float32"):
            rw_array_create_from(device, RW_F32, 1, [6], values, RW_COPY)
        with self.assertRaisesRegex(TypeError, "a list has no memory"):
            rw_array_create_from(device, RW_F64, 1, [2], [1.0, 2.0], RW_BORROW)
        with self.assertRaisesRegex(TypeError, "elements of type <U1"):
            from_numpy(device, numpy.array(["a"]))

    def test_lists_for_void_pointers(self):
        array = rw_array_create_from(device, RW_F32, 1, [3], [1, 2, 3.5], RW_COPY)
        self.assertEqual(to_numpy(array).tolist(), [1, 2, 3.5])

    def test_members_and_arguments(self):
        n, size = 50, numpy.int64(50)
        row, column = (numpy.arange(n, dtype=numpy.int32), numpy.arange(2*n, dtype=numpy.int64)[::2] // 2)
        entries = rw_entries(rows=size, columns=size, n=size, row=row, column=column,
                             value=numpy.full(n, 2, numpy.float32))
        matrix = rw_sparse_from_entries(device, rw_sparse_layout(), entries)
        x, y = from_numpy(device, numpy.arange(50.0)), from_numpy(device, [0.0]*n)
        rw_sparse_multiply(matrix, RW_OP_NONE, numpy.array([3.0, 0]), x, [0, 0], y, queue)
        self.assertEqual(to_numpy(y).tolist(), [6.0*i for i in range(n)])
        shape = numpy.array([5, 10], numpy.int32)
        view = rw_array_reshape(x, numpy.int32(2), shape)
        self.assertEqual(to_numpy(view).shape, (5, 10))
        with self.assertRaisesRegex(TypeError, "rw_entries.value: an array of complex128"):
            entries.value = numpy.ones(n, complex)
        with self.assertRaisesRegex(TypeError, "rw_entries.row: an array of float64"):
            entries.row = numpy.ones(n)
        grid = rw_grid(ndim=2, size=numpy.array([3, 4, 1]), spacing=numpy.array([0.5, 0.5, 1]))
        self.assertEqual((grid.size[1], grid.spacing[0]), (4, 0.5))

    def test_results_are_written_where_they_lie(self):
        n = numpy.zeros(1, numpy.int64)
        matrix = rw_sparse_from_entries(device, rw_sparse_layout(), poisson(3))
        row, column, value = rw_sparse_entries(matrix, n)
        self.assertEqual(numpy.ctypeslib.as_array(value, n.tolist()).tolist(), [2, -1, -1, 2, -1, -1, 2])
        rw_sparse_free_entries(row, column, value)
        with self.assertRaisesRegex(TypeError, "rw_sparse_entries: n: .*int32"):
            rw_sparse_entries(matrix, numpy.zeros(1, numpy.int32))
        n.flags.writeable = False
        with self.assertRaisesRegex(TypeError, "read-only"):
            rw_sparse_entries(matrix, n)


if __name__ == "__main__":
    unittest.main()
