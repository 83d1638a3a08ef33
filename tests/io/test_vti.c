/* .vti and .pvd: the bytes where the header says they are, VTK's own reader where it is installed, faults. */
#include "io_test.h"

#include "io/vti.h"

static const rw_grid grid = {3, {4, 3, 2}, {0.5, 0.25, 1e-3}, {-1, 0.1, 5}, {0}, {0}};
static float pressure[24];
static double speed[48];

static void fill(void)
{
    for (int i = 0; i < 24; i++) pressure[i] = (float)i / 3;
    fill_random(speed, 48, 5);
}

static rw_status write_arrays(void)
{
    const rw_vti_array arrays[] = {{"p <&\">", RW_F32, pressure, 0},
                                   {"psi", RW_C128, speed, 0},
                                   {"v", RW_F64, speed, 0}};
    return rw_vti_write(NULL, "a.vti", &grid, 3, arrays);
}

static void test_bytes(void **state)
{
    (void)state;
    char *file;
    size_t n;
    fill();
    ASSERT_OK(write_arrays());
    read_whole("a.vti", &file, &n);
    assert_non_null(strstr(file, "WholeExtent=\"0 3 0 2 0 1\""));
    assert_non_null(strstr(file, "Name=\"p &lt;&amp;&quot;&gt;\""));
    const char *data = strstr(file, "encoding=\"raw\">\n_");
    assert_non_null(data);
    data += strlen("encoding=\"raw\">\n_");
    const struct {
        const char *name;
        const void *values;
        uint64_t bytes;
    } rows[] = {{"Name=\"p ", pressure, 96}, {"Name=\"psi\"", speed, 384}, {"Name=\"v\"", speed, 192}};
    uint64_t expected = 0;
    for (int i = 0; i < 3; i++) {
        const char *at = strstr(file, rows[i].name);
        unsigned long long offset;
        uint64_t length;
        assert_non_null(at);
        assert_int_equal(sscanf(strstr(at, "offset="), "offset=\"%llu\"", &offset), 1);
        assert_int_equal(offset, expected);
        memcpy(&length, data + offset, 8);
        assert_int_equal(length, rows[i].bytes);
        assert_memory_equal(data + offset + 8, rows[i].values, rows[i].bytes);
        expected += 8 + length;
    }
    assert_memory_equal(data + expected, "\n  </AppendedData>\n</VTKFile>\n", 31);
    assert_int_equal((size_t)(data - file) + expected + 30, n);
    free(file);
}

static void test_refuses(void **state)
{
    (void)state;
    static const rw_vti_array twice[] = {{"u", RW_F32, pressure, 0}, {"u", RW_F32, pressure, 0}};
    static const rw_vti_array bad[][1] = {{{"", RW_F32, pressure, 0}},
                                          {{NULL, RW_F32, pressure, 0}},
                                          {{"u", RW_F32, NULL, 0}}};
    for (int a = 0; a < 3; a++) {
        rw_grid g = grid;
        g.size[a] = 0;
        ASSERT_FAILS(rw_vti_write(NULL, "a.vti", &g, 1, twice), RW_ERR_ARGUMENT);
        g = grid, g.spacing[a] = 0;
        ASSERT_FAILS(rw_vti_write(NULL, "a.vti", &g, 1, twice), RW_ERR_ARGUMENT);
        g = grid, g.origin[a] = strtod("nan", NULL);
        ASSERT_FAILS(rw_vti_write(NULL, "a.vti", &g, 1, twice), RW_ERR_ARGUMENT);
        g = grid, g.size[a] = INT64_MAX;
        ASSERT_FAILS(rw_vti_write(NULL, "a.vti", &g, 1, twice), RW_ERR_ARGUMENT);
        ASSERT_FAILS(rw_vti_write(NULL, "a.vti", &grid, 1, bad[a]), RW_ERR_ARGUMENT);
    }
    ASSERT_FAILS(rw_vti_write(NULL, "a.vti", &grid, 2, twice), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_vti_write(NULL, "a.vti", &grid, -1, twice), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_vti_write(NULL, "no/a.vti", &grid, 1, twice), RW_ERR_FILE);
    ASSERT_FAILS(rw_pvd_write(NULL, "a.pvd", 1, (double[]){strtod("inf", NULL)}, (const char *const[]){"a"}),
                 RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_pvd_write(NULL, "a.pvd", 1, (double[]){0}, (const char *const[]){NULL}), RW_ERR_ARGUMENT);
    assert_int_equal(count_files(), 0);
}

static rw_status write_collection(void)
{
    return rw_pvd_write(NULL, "a.pvd", 2, (double[]){0, 0.1}, (const char *const[]){"a.vti", "b&c.vti"});
}

static void test_collection(void **state)
{
    (void)state;
    char *file;
    size_t n;
    ASSERT_OK(write_collection());
    read_whole("a.pvd", &file, &n);
    assert_non_null(strstr(file, "timestep=\"0\" part=\"0\" file=\"a.vti\""));
    assert_non_null(strstr(file, "timestep=\"0.10000000000000001\" part=\"0\" file=\"b&amp;c.vti\""));
    free(file);
    ASSERT_OK(rw_pvd_write(NULL, "a.pvd", 0, NULL, NULL));
}

static void test_faults(void **state)
{
    (void)state;
    assert_true(each_fault(write_arrays, false) > 8);
    assert_true(each_fault(write_collection, false) > 3);
    assert_int_equal(count_files(), 2);
}

static void test_python(void **state)
{
    (void)state;
    fill();
    ASSERT_OK(write_arrays());
    ASSERT_OK(write_collection());
    const rw_grid line = {1, {5, 1, 1}, {1, 1, 1}, {0}, {0}, {0}};
    ASSERT_OK(rw_vti_write(NULL, "line.vti", &line, 1, &(rw_vti_array){"v", RW_F64, speed, 0}));
    ASSERT_OK(rw_vti_write(NULL, "none.vti", &line, 0, NULL));
    run_python("numpy",
               "import numpy as np, xml.etree.ElementTree as E\n"
               "for name, sizes in ('a', (4, 3, 2)), ('line', (5, 1, 1)), ('none', (5, 1, 1)):\n"
               "    raw = open(name + '.vti', 'rb').read()\n"
               "    cut = raw.index(b'>\\n_') + 3\n"
               "    data = raw[cut:raw.rindex(b'\\n  </AppendedData>')]\n"
               "    root = E.fromstring(raw[:cut] + b'\\n  </AppendedData>\\n</VTKFile>')\n"
               "    assert root.get('type') == 'ImageData' and root.get('header_type') == 'UInt64'\n"
               "    end = 0\n"
               "    for a in root.iter('DataArray'):\n"
               "        at = int(a.get('offset'))\n"
               "        n = int(np.frombuffer(data, '<u8', 1, at)[0])\n"
               "        v = np.frombuffer(data[at+8:at+8+n], '<f4' if a.get('type') == 'Float32' else '<f8')\n"
               "        assert v.size == np.prod(sizes)*int(a.get('NumberOfComponents', 1))\n"
               "        assert at == end; end = at + 8 + n\n"
               "        if a.get('Name') == 'p <&\">': assert (v == (np.arange(24)/np.float32(3)).astype('f4')).all()\n"
               "    assert end == len(data)\n"
               "assert [d.get('timestep') for d in E.parse('a.pvd').getroot().iter('DataSet')][0] == '0'\n"
               "try:\n"
               "    from vtkmodules.vtkIOXML import vtkXMLImageDataReader\n"
               "    from vtkmodules.util.numpy_support import vtk_to_numpy\n"
               "except ImportError:\n"
               "    print('no vtk: its reader is not asked')\n"
               "    raise SystemExit\n"
               "r = vtkXMLImageDataReader(); r.SetFileName('a.vti'); r.Update(); o = r.GetOutput()\n"
               "assert o.GetDimensions() == (4, 3, 2) and o.GetSpacing() == (0.5, 0.25, 1e-3)\n"
               "assert o.GetOrigin() == (-1, 0.1, 5) and o.GetPointData().GetNumberOfArrays() == 3\n"
               "assert (vtk_to_numpy(o.GetPointData().GetArray('p <&\">')) == "
               "(np.arange(24)/np.float32(3)).astype('f4')).all()\n"
               "assert o.GetPointData().GetArray('psi').GetNumberOfComponents() == 2\n"
               "v = vtk_to_numpy(o.GetPointData().GetArray('v'))\n"
               "assert (v == vtk_to_numpy(o.GetPointData().GetArray('psi')).ravel()[:24]).all()\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IO_TEST(test_bytes),  IO_TEST(test_refuses), IO_TEST(test_collection),
        IO_TEST(test_faults), IO_TEST(test_python),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
