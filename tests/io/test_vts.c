/* .vts and .vtm: the bytes where the header says they are, VTK's own reader where it is installed, faults. */
#include "io_test.h"

#include "io/vts.h"

enum { NX = 3, NY = 2, NZ = 1, POINTS = (NX + 1) * (NY + 1) * (NZ + 1), CELLS = NX * NY * NZ };
static const int cells[3] = {NX, NY, NZ};
static double points[POINTS][3], density[CELLS];
static float block[CELLS];

static void fill(void)
{
    for (int i = 0; i < POINTS; i++) { /* sheared */
        points[i][0] = i % (NX + 1) + 0.1 * (i / (NX + 1) % (NY + 1)), points[i][1] = i / (NX + 1) % (NY + 1),
        points[i][2] = 0.5 * (i / ((NX + 1) * (NY + 1)));
    }
    fill_random(density, CELLS, 5);
    for (int i = 0; i < CELLS; i++) block[i] = (float)i;
}

static rw_status write_block(void)
{
    const rw_vti_array arrays[] = {{"N <&\">", RW_F64, density, 0}, {"block", RW_F32, block, 0}};
    return rw_vts_write(NULL, "a.vts", cells, (const double(*)[3])points, 2, arrays);
}

static rw_status write_join(void) { return rw_vtm_write(NULL, "a.vtm", 2, (const char *const[]){"a.vts", "b&c.vts"}); }

static void test_bytes(void **state)
{
    (void)state;
    char *file;
    size_t n;
    fill();
    ASSERT_OK(write_block());
    read_whole("a.vts", &file, &n);
    assert_non_null(strstr(file, "WholeExtent=\"0 3 0 2 0 1\""));
    assert_non_null(strstr(file, "Name=\"N &lt;&amp;&quot;&gt;\""));
    const char *data = strstr(file, "encoding=\"raw\">\n_");
    assert_non_null(data);
    data += strlen("encoding=\"raw\">\n_");
    const struct {
        const char *name;
        const void *values;
        uint64_t bytes;
    } rows[] = {{"Name=\"points\"", points, sizeof points},
                {"Name=\"N ", density, sizeof density},
                {"Name=\"block\"", block, sizeof block}};
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
    free(file);
    ASSERT_OK(write_join());
    read_whole("a.vtm", &file, &n);
    assert_non_null(strstr(file, "index=\"1\" name=\"block 1\" file=\"b&amp;c.vts\""));
    free(file);
}

static void test_refuses(void **state)
{
    (void)state;
    static const rw_vti_array twice[] = {{"u", RW_F64, density, 0}, {"u", RW_F64, density, 0}};
    for (int a = 0; a < 3; a++) {
        int n[3] = {NX, NY, NZ};
        n[a] = 0;
        ASSERT_FAILS(rw_vts_write(NULL, "a.vts", n, (const double(*)[3])points, 1, twice), RW_ERR_ARGUMENT);
    }
    ASSERT_FAILS(rw_vts_write(NULL, "a.vts", cells, (const double(*)[3])points, 2, twice), RW_ERR_ARGUMENT);
    ASSERT_FAILS(rw_vts_write(NULL, "no/a.vts", cells, (const double(*)[3])points, 1, twice), RW_ERR_FILE);
    assert_int_equal(count_files(), 0);
}

static void test_faults(void **state)
{
    (void)state;
    fill();
    assert_true(each_fault(write_block, false) > 8);
    assert_true(each_fault(write_join, false) > 3);
    assert_int_equal(count_files(), 2);
}

static void test_python(void **state)
{
    (void)state;
    fill();
    ASSERT_OK(write_block());
    ASSERT_OK(rw_vtm_write(NULL, "a.vtm", 1, (const char *const[]){"a.vts"}));
    run_python("vtkmodules",
               "import numpy as np\n"
               "from vtkmodules.vtkIOXML import vtkXMLStructuredGridReader, vtkXMLMultiBlockDataReader\n"
               "from vtkmodules.vtkFiltersVerdict import vtkCellSizeFilter\n"
               "from vtkmodules.util.numpy_support import vtk_to_numpy\n"
               "r = vtkXMLStructuredGridReader(); r.SetFileName('a.vts'); r.Update(); o = r.GetOutput()\n"
               "assert o.GetExtent() == (0, 3, 0, 2, 0, 1) and o.GetNumberOfCells() == 6\n"
               "assert o.GetPoint(5) == (1.1, 1.0, 0.0) and o.GetPoint(23) == (3.2, 2.0, 0.5)\n"
               "assert (vtk_to_numpy(o.GetCellData().GetArray('block')) == np.arange(6)).all()\n"
               "s = vtkCellSizeFilter(); s.SetInputData(o); s.Update()\n"
               "assert abs(vtk_to_numpy(s.GetOutput().GetCellData().GetArray('Volume')) - 0.5).max() < 1e-14\n"
               "m = vtkXMLMultiBlockDataReader(); m.SetFileName('a.vtm'); m.Update()\n"
               "assert m.GetOutput().GetNumberOfBlocks() == 1 and m.GetOutput().GetBlock(0).GetNumberOfCells() == 6\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {IO_TEST(test_bytes), IO_TEST(test_refuses), IO_TEST(test_faults),
                                       IO_TEST(test_python)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
