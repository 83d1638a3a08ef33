/* Grids from CGNS files: files are written through libcgns, in any order of zones, and read back; files that are none,
 * and grids that are no such grid. A build without the library says so. */
#include <unistd.h>

#include "../devices.h"
#include "rechenwerk/multiblock.h"

#if RW_WITH_CGNS
#include <cgnslib.h>

#define CG(call)                                                                                                       \
    do {                                                                                                               \
        if ((call) != CG_OK) fail_msg("%s: %s", #call, cg_get_error());                                                \
    } while (0)

static char path[64];

/* What is written: grid blocks of equal size, and mistakes. */
typedef struct drawn {
    int cells[3], blocks[3], axes;
    bool ring, told; /* theta closes; told: as a periodic interface */
    int turn;        /* zones are numbered from here on */
    enum {
        GOOD,
        HALF_FACE,
        TURNED,
        LARGER_ZONE,
        ALONE,
        GAP,
        HALF_RING,
        RING_IN_X,
        SLIT,
        TWICE,
        UNSTRUCTURED,
        NO_DONOR,
        NO_ZONE,
        NO_BASE
    } mistake;
} drawn;

static void name_of(const drawn *d, const int at[3], char name[33])
{
    const int n = d->blocks[0] * d->blocks[1] * d->blocks[2];
    /* the library sorts nothing */
    snprintf(name, 33, "Zone%04d", (at[0] + d->blocks[0] * (at[1] + d->blocks[1] * at[2]) + d->turn) % n);
}

/* The interface of the zone at `at` with the one on a side, if there is one. */
static void write_interface(const drawn *d, int file, int zone, const int at[3], int axis, int side)
{
    int beyond[3] = {at[0], at[1], at[2]}, transform[3] = {1, 2, 3};
    const bool first = !at[0] && !at[1] && !at[2];
    cgsize_t range[6], donor[6];
    char name[33], label[40];
    beyond[axis] += side ? 1 : -1;
    const bool end = beyond[axis] < 0 || beyond[axis] == d->blocks[axis];
    if (end && !(d->ring && axis == 1) && !(d->mistake == RING_IN_X && axis == 0)) return;
    if (end && d->mistake == HALF_RING && at[0]) return;
    if (d->mistake == ALONE && (first || (!beyond[0] && !beyond[1] && !beyond[2]))) return;
    if (d->mistake == SLIT && first && axis == 1) return;
    beyond[axis] = (beyond[axis] + d->blocks[axis]) % d->blocks[axis];
    for (int a = 0; a < d->axes; ++a) {
        const cgsize_t last = d->cells[a] + 1;
        range[a] = donor[a] = 1, range[d->axes + a] = donor[d->axes + a] = last;
        if (a == axis) range[a] = range[d->axes + a] = side ? last : 1, donor[a] = donor[d->axes + a] = side ? 1 : last;
    }
    if (d->mistake == HALF_FACE && first) range[axis == 0 ? 1 : 0] = 2, donor[axis == 0 ? 1 : 0] = 2;
    if (d->mistake == TURNED && first) transform[axis == 0 ? 1 : 0] *= -1;
    name_of(d, beyond, name);
    if (d->mistake == NO_DONOR && first) snprintf(name, sizeof name, "Nowhere");
    for (int k = 0; k <= (d->mistake == TWICE && first); ++k) {
        int i;
        snprintf(label, sizeof label, "I%d%d%d", axis, side, k);
        CG(cg_1to1_write(file, 1, zone, label, name, range, donor, transform, &i));
        const float zero[3] = {0, 0, 0}, angle[3] = {1.5f, 0, 0};
        if (end && (d->told || axis == 0)) CG(cg_1to1_periodic_write(file, 1, zone, i, zero, angle, zero));
    }
}

static void draw(const drawn *d)
{
    int file, base, zone, n = d->blocks[0] * d->blocks[1] * d->blocks[2];
    unlink(path);
    CG(cg_open(path, CG_MODE_WRITE, &file));
    if (d->mistake != NO_BASE) CG(cg_base_write(file, "Base", d->axes, 3, &base));
    for (int number = 0; number < n && d->mistake < NO_ZONE; ++number) {
        const int k = (number + n - d->turn) % n,
                  at[3] = {k % d->blocks[0], k / d->blocks[0] % d->blocks[1], k / d->blocks[0] / d->blocks[1]};
        cgsize_t size[9] = {0};
        char name[33];
        if (d->mistake == GAP && k == n - 1) continue;
        name_of(d, at, name);
        for (int a = 0; a < d->axes; ++a) size[a] = d->cells[a] + 1, size[d->axes + a] = d->cells[a];
        if (d->mistake == LARGER_ZONE && k == 1) size[0] += 1, size[d->axes] += 1;
        if (d->mistake == UNSTRUCTURED && k == 0) size[0] = 8, size[1] = 1, size[2] = 0;
        CG(cg_zone_write(file, 1, name, size,
                         d->mistake == UNSTRUCTURED && k == 0 ? CGNS_ENUMV(Unstructured) : CGNS_ENUMV(Structured),
                         &zone));
        for (int f = 0; f < 2 * d->axes && d->mistake != UNSTRUCTURED; ++f) {
            int beyond[3] = {at[0], at[1], at[2]};
            beyond[f / 2] += f % 2 ? 1 : -1;
            if (d->mistake == GAP && beyond[0] + d->blocks[0] * (beyond[1] + d->blocks[1] * beyond[2]) == n - 1)
                continue;
            write_interface(d, file, zone, at, f / 2, f % 2);
        }
    }
    CG(cg_close(file));
}

static void test_read(void **state)
{
    (void)state;
    int count = 0;
    for (int type = CG_FILE_ADF; type <= CG_FILE_HDF5; ++type) {
        if (cg_set_file_type(type) != CG_OK) continue;
        for (int arrangement = 0; arrangement < 8; ++arrangement)
            for (int ring = 0; ring < 3; ++ring, ++count) {
                static const int blocks[8][3] = {{1, 1, 1}, {8, 1, 1}, {1, 4, 1}, {2, 2, 2},
                                                 {3, 2, 2}, {1, 2, 1}, {2, 3, 1}, {1, 1, 3}};
                drawn d = {.cells = {4, 3, 2}, .axes = arrangement == 6 ? 2 : 3, .ring = ring > 0, .told = ring == 1};
                memcpy(d.blocks, blocks[arrangement], sizeof d.blocks);
                d.turn = arrangement % (d.blocks[0] * d.blocks[1] * d.blocks[2]);
                rw_multiblock_spec s = {.cells = {7, 7, 7},
                                        .stencil = RW_MULTIBLOCK_EULER3D,
                                        .seed = 5,
                                        .periodic = !ring};
                draw(&d);
                if (rw_multiblock_read_cgns(ctx, path, &s) != RW_OK)
                    fail_msg("file type %d, arrangement %d, ring %d: %s", type, arrangement, ring, rw_message(ctx));
                for (int a = 0; a < 3; ++a) {
                    assert_int_equal(s.cells[a], a < d.axes ? d.cells[a] : 1);
                    assert_int_equal(s.blocks[a], d.blocks[a]);
                }
                assert_int_equal(s.periodic, ring > 0);
                assert_int_equal(s.seed, 5);
            }
    }
    assert_true(count >= 24);
}

static void refuses(const char *part, drawn d)
{
    rw_multiblock_spec s = {.cells = {7, 8, 9}};
    draw(&d);
    FAILS(RW_ERR_INPUT, part, rw_multiblock_read_cgns(ctx, path, &s));
    assert_true(s.cells[0] == 7 && s.cells[1] == 8 && s.cells[2] == 9);
}

static void test_refused(void **state)
{
    drawn d = {.cells = {4, 3, 2}, .blocks = {2, 2, 2}, .axes = 3};
    (void)state;
    d.mistake = HALF_FACE,
    refuses("zone 'Zone0000', interface 'I010': only whole faces with the same orientation may be connected", d);
    d.mistake = TURNED, refuses("only whole faces with the same orientation may be connected", d);
    d.mistake = TWICE, refuses("zone 'Zone0000', interface 'I011': this face has more than one interface", d);
    d.mistake = NO_DONOR, refuses("there is no zone 'Nowhere'", d);
    d.mistake = UNSTRUCTURED, refuses("zone 'Zone0000' is not structured", d);
    d.mistake = ALONE, refuses("is not connected to 'Zone0000' by 1-to-1 interfaces", d);
    d.mistake = GAP, refuses("7 zones do not fill an array of 2 x 2 x 2 zones", d);
    d.mistake = SLIT, refuses("zone 'Zone0000', the high face of j: grid blocks must form a regular array", d);
    d.mistake = RING_IN_X,
    refuses(
        "the low face of i: grid blocks must form a regular array in x, theta and r, and only theta may be periodic",
        d);
    d.mistake = NO_ZONE, refuses("base 'Base' has 0 zones of 3 dimensions", d);
    d.mistake = NO_BASE, refuses("the file has no base", d);
    d.ring = d.told = true, d.mistake = HALF_RING,
    refuses("4 of 8 faces at the ends of theta have neighbours: all or none must have one", d);
    d.ring = false, d.blocks[1] = d.blocks[2] = 1, d.mistake = LARGER_ZONE;
    refuses("zone 'Zone0001' has 5 x 3 x 2 cells, but 'Zone0000' has 4 x 3 x 2: all zones must have the same size", d);
    d.mistake = GOOD, d.blocks[0] = 1;
    draw(&d);
    rw_multiblock_spec s = {.stencil = RW_MULTIBLOCK_NS2D};
    FAILS(RW_ERR_INPUT, "ns2d with 2 cells along r", rw_multiblock_read_cgns(ctx, path, &s));
    assert_int_equal(s.cells[0], 0);
}

/* Files that are none, or cut off, give a message. */
static void test_broken(void **state)
{
    const drawn d = {.cells = {4, 3, 2}, .blocks = {2, 1, 1}, .axes = 3};
    rw_multiblock_spec s = {.cells = {1, 1, 1}};
    char *bytes;
    size_t n;
    (void)state;
    FAILS(RW_ERR_FILE, "/nowhere.cgns", rw_multiblock_read_cgns(ctx, "/nowhere.cgns", &s));
    OK(rw_file_write(ctx, path, "zones\n", 6));
    FAILS(RW_ERR_INPUT, "CGNS: ", rw_multiblock_read_cgns(ctx, path, &s));
    OK(rw_file_write(ctx, path, "", 0));
    FAILS(RW_ERR_INPUT, "CGNS: ", rw_multiblock_read_cgns(ctx, path, &s));
    draw(&d);
    OK(rw_file_read(ctx, path, 0, &bytes, &n));
    for (size_t part = 0; part < 8; ++part) {
        OK(rw_file_write(ctx, path, bytes, n * part / 8));
        rw_status status = rw_multiblock_read_cgns(ctx, path, &s);
        if (status == RW_OK) fail_msg("%zu bytes of %zu are a grid", n * part / 8, n);
    }
    rw_free(bytes);
}

static void make_path(void)
{
    snprintf(path, sizeof path, "/tmp/rechenwerk-cgns-XXXXXX");
    close(mkstemp(path));
}
#else
static void test_without(void **state)
{
    rw_multiblock_spec s = {.cells = {1, 1, 1}};
    (void)state;
    assert_int_equal(rw_context_create(&ctx), RW_OK);
    FAILS(RW_ERR_UNSUPPORTED, "grid.cgns: this build cannot read CGNS files: install libcgns-dev and build again",
          rw_multiblock_read_cgns(ctx, "grid.cgns", &s));
    rw_context_destroy(&ctx);
}
#endif

int main(void)
{
#if RW_WITH_CGNS
    setenv("RECHENWERK_TEST_DEVICES", "cpu", 1); /* no device has a part in it */
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_read), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_broken)};
    make_path();
    const int failed = run_on_devices("cgns", tests, RW_COUNT(tests));
    unlink(path);
    return failed;
#else
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_without)};
    return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
