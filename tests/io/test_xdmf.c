/* XDMF: what it says about the HDF5 files beside it is true, VTK opens it where it is installed, faults. */
#include "io_test.h"

#include <math.h>

#include "io/h5.h"
#include "io/xdmf.h"

static const rw_grid volume = {3, {4, 3, 2}, {0.5, 0.25, 1e-3}, {-1, 0.1, 5}, {0}, {0}};
static const rw_grid plane = {2, {4, 3, 0}, {1, 2, 3}, {1, 2, 0}, {0}, {0}};
static const rw_xdmf_field fields[] = {{"u", RW_F64}, {"p & q", RW_F32}};
static const char *const first[] = {"f0.h5:/u", "f0.h5:/fields/p"}, *const second[] = {"f1.h5:/u", "f1.h5:/fields/p"};
static const rw_xdmf_step steps[] = {{0, first}, {0.1, second}};

static rw_status write_series(void) { return rw_xdmf_write(NULL, "s.xdmf", &volume, 2, fields, 2, steps); }

static void write_data(void)
{
    for (int s = 0; s < 2; s++) {
        rw_h5 *f;
        double u[24];
        float p[24];
        for (int i = 0; i < 24; i++) u[i] = i + 100 * s, p[i] = (float)(-i - 100 * s);
        ASSERT_OK(rw_h5_create(NULL, s ? "f1.h5" : "f0.h5", &f));
        ASSERT_OK(rw_h5_write(f, "/u", RW_F64, 3, (size_t[]){2, 3, 4}, u, RW_H5_CHECKSUM));
        ASSERT_OK(rw_h5_write(f, "/plane", RW_F64, 3, (size_t[]){1, 3, 4}, u, 0));
        ASSERT_OK(rw_h5_write(f, "/fields/p", RW_F32, 3, (size_t[]){2, 3, 4}, p, 0));
        ASSERT_OK(rw_h5_commit(&f));
    }
}

static void test_text(void **state)
{
    (void)state;
    char *file;
    size_t n;
    ASSERT_OK(write_series());
    read_whole("s.xdmf", &file, &n);
    assert_non_null(strstr(file, "CollectionType=\"Temporal\""));
    assert_non_null(strstr(file, "Dimensions=\"2 3 4\""));
    assert_non_null(strstr(file, "5 0.10000000000000001 -1</DataItem>"));
    assert_non_null(strstr(file, "f1.h5:/fields/p"));
    assert_non_null(strstr(file, "Name=\"p &amp; q\""));
    free(file);
    ASSERT_OK(rw_xdmf_write(NULL, "p.xdmf", &plane, 1, fields, 1, steps));
    read_whole("p.xdmf", &file, &n);
    assert_non_null(strstr(file, "\"3DCoRectMesh\" Dimensions=\"1 3 4\""));
    assert_non_null(strstr(file, "Precision=\"8\" Dimensions=\"1 3 4\""));
    free(file);
    ASSERT_OK(rw_xdmf_write(NULL, "none.xdmf", &plane, 1, fields, 0, NULL));
}

static void test_refuses(void **state)
{
    (void)state;
    static const rw_xdmf_field complex_field[] = {{"psi", RW_C128}}, unnamed[] = {{"", RW_F64}};
    static const char *const nothing[] = {NULL}, *const no_colon[] = {"f0.h5"};
    rw_grid g = volume;
    g.spacing[1] = -1;
    ASSERT_FAILS(rw_xdmf_write(NULL, "s.xdmf", &g, 2, fields, 2, steps), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_xdmf_write(NULL, "s.xdmf", &plane, 1, complex_field, 2, steps), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_xdmf_write(NULL, "s.xdmf", &plane, 1, unnamed, 2, steps), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_xdmf_write(NULL, "s.xdmf", &plane, 1, fields, 1, &(rw_xdmf_step){0, nothing}), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_xdmf_write(NULL, "s.xdmf", &plane, 1, fields, 1, &(rw_xdmf_step){0, no_colon}), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_xdmf_write(NULL, "s.xdmf", &plane, 1, fields, 1, &(rw_xdmf_step){NAN, first}), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_xdmf_write(NULL, "no/s.xdmf", &plane, 1, fields, 1, steps), RW_ERR_FILE);
    assert_int_equal(count_files(), 0);
}

static void test_faults(void **state)
{
    (void)state;
    assert_true(each_fault(write_series, false) > 3);
    assert_int_equal(count_files(), 1);
}

static void test_python(void **state)
{
    (void)state;
    static const char *const plane_set[] = {"f0.h5:/plane"};
    write_data();
    ASSERT_OK(write_series());
    ASSERT_OK(rw_xdmf_write(NULL, "p.xdmf", &plane, 1, fields, 1, &(rw_xdmf_step){3, plane_set}));
    run_python("h5py", "import h5py, numpy as np, xml.etree.ElementTree as E\n"
                       "for name in 's.xdmf', 'p.xdmf':\n"
                       "    root = E.parse(name).getroot()\n"
                       "    assert root.get('Version') == '3.0'\n"
                       "    for item in root.iter('DataItem'):\n"
                       "        if item.get('Format') != 'HDF': continue\n"
                       "        file, path = item.text.strip().split(':')\n"
                       "        data = h5py.File(file)[path]\n"
                       "        assert list(data.shape) == [int(n) for n in item.get('Dimensions').split()]\n"
                       "        assert data.dtype.itemsize == int(item.get('Precision'))\n"
                       "try:\n"
                       "    from vtkmodules.vtkIOXdmf2 import vtkXdmfReader\n"
                       "    from vtkmodules.util.numpy_support import vtk_to_numpy\n"
                       "except ImportError:\n"
                       "    print('no vtk: its reader is not asked')\n"
                       "    raise SystemExit\n"
                       "def load(name, time):\n"
                       "    r = vtkXdmfReader(); r.SetFileName(name); r.UpdateInformation()\n"
                       "    r.UpdateTimeStep(time); return r.GetOutputDataObject(0)\n"
                       "for s in 0, 1:\n"
                       "    o = load('s.xdmf', 0.1*s)\n"
                       "    assert o.GetDimensions() == (4, 3, 2), o.GetDimensions()\n"
                       "    assert o.GetOrigin() == (-1, 0.1, 5) and o.GetSpacing() == (0.5, 0.25, 1e-3)\n"
                       "    assert (vtk_to_numpy(o.GetPointData().GetArray('u')) == np.arange(24) + 100*s).all()\n"
                       "    assert (vtk_to_numpy(o.GetPointData().GetArray('p & q')) == -np.arange(24) - 100*s).all()\n"
                       "o = load('p.xdmf', 3)\n"
                       "assert o.GetDimensions() == (4, 3, 1)\n"
                       "assert (vtk_to_numpy(o.GetPointData().GetArray('u')) == np.arange(12)).all()\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IO_TEST(test_text),
        IO_TEST(test_refuses),
        IO_TEST(test_faults),
        IO_TEST(test_python),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
