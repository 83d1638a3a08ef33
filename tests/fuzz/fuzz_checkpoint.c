/* Any bytes as checkpoint.h5: a state is loaded, or a message says why not; nothing is read beyond its end.
 *
 * The first byte chooses: F, a checkpoint that is whole but holds numbers from the input; E, a good one in which bytes
 * are changed (offset in two bytes, value in one, again and again); otherwise the input is the file. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../run/fake.h"
#include "run/run_private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
const char *__lsan_default_suppressions(void);

/* HDF5 1.10 loses memory of its own on files that it refuses. */
const char *__lsan_default_suppressions(void) { return "leak:libhdf5"; }

static const rw_problem_ops *const problems[] = {&fake, NULL};
static const char text[] = "problem: fake\ngrid: {size: [5, 3]}\nfields: {u: {initial: 1}}\ntime: {end: 1}\n";

static void check(bool holds)
{
    if (!holds) abort();
}

static void make(rw_context *ctx, rw_run *r, rw_run_report *report)
{
    static char folder[] = "/tmp/rechenwerk-fuzz-XXXXXX";
    int64_t bytes;
    memset(r, 0, sizeof(*r));
    r->ctx = ctx;
    r->report = report;
    r->log = r->lock = -1;
    r->folder = mkdtemp(folder);
    check(r->folder && rw_case_parse(ctx, "case.yaml", text, strlen(text), NULL, 0, problems, &r->c) == RW_OK);
    check(rw_device_open(ctx, "cpu:1", &r->device) == RW_OK);
    r->ops = &fake;
    check(fake.create(r->c, r->device, false, &bytes, &r->problem) == RW_OK);
    rw_run_take_problem(r);
    check(rw_case_hash(r->c, r->hash) == RW_OK);
}

/* A checkpoint with numbers taken from the input, whole in every other way. */
static void write_forged(rw_run *r, const char *path, const uint8_t *data, size_t n)
{
    static const char *const names[] = {"outputs", "next_output", "last_row", "series_position", "restarts", "step"};
    rw_h5 *file;
    int64_t numbers[RW_COUNT(names)] = {2, 1, 3, 40, 0, 3};
    if (n) memcpy(numbers, data, RW_MIN(n, sizeof(numbers)));
    double times[4] = {0, 1, 2, 3};
    size_t ntimes = 1 + (n ? data[n - 1] % 4 : 1);
    check(rw_h5_create(r->ctx, path, &file) == RW_OK);
    rw_h5_set_integer(file, "/", "rechenwerk_checkpoint", 1);
    rw_h5_set_text(file, "/", "problem", "fake");
    rw_h5_set_text(file, "/", "case_hash", r->hash);
    rw_h5_set_text(file, "/", "device", "cpu");
    rw_h5_set_number(file, "/", "start", 0);
    for (int i = 0; i < RW_COUNT(names); i++) rw_h5_set_integer(file, "/", names[i], numbers[i]);
    rw_h5_write(file, "/run/times", RW_F64, 1, &ntimes, times, RW_H5_CHECKSUM);
    fake.save(r->problem, file);
    check(rw_h5_commit(&file) == RW_OK);
}

/* Changes bytes of a good checkpoint, or cuts it: offset 65535 cuts at the next offset. */
static void write_edited(rw_run *r, const char *path, const uint8_t *data, size_t n)
{
    static char *good;
    static size_t length;
    if (!good) {
        write_forged(r, path, NULL, 0);
        check(rw_file_read(r->ctx, path, 0, &good, &length) == RW_OK);
    }
    char *copy = malloc(length);
    size_t size = length;
    check(copy);
    memcpy(copy, good, length);
    for (size_t i = 0; i + 3 <= n; i += 3) {
        size_t offset = data[i] | (size_t)data[i + 1] << 8;
        if (offset == 65535) size = data[i + 2] * length / 256;
        else copy[offset % length] = (char)data[i + 2];
    }
    FILE *file = fopen(path, "wb");
    check(file && fwrite(copy, 1, size, file) == size && fclose(file) == 0);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static rw_context *ctx;
    static rw_run r;
    static rw_run_report report;
    static char path[RW_PATH_SIZE];
    uint64_t position;
    if (!ctx) {
        check(rw_context_create(&ctx) == RW_OK);
        make(ctx, &r, &report);
        rw_run_path(&r, "checkpoint.h5", path);
    }
    if (n > 0 && data[0] == 'F') {
        write_forged(&r, path, data + 1, n - 1);
    } else if (n > 0 && data[0] == 'E') {
        write_edited(&r, path, data + 1, n - 1);
    } else {
        FILE *file = fopen(path, "wb");
        check(file && fwrite(data, 1, n, file) == n && fclose(file) == 0);
    }
    rw_status status = rw_checkpoint_load(&r, &position);
    check(status == RW_OK || status == RW_ERR_INPUT || status == RW_ERR_FILE || status == RW_ERR_MEMORY);
    if (status == RW_OK) check(r.noutputs >= 0 && r.noutputs <= r.times_capacity);
    else check(*rw_message(ctx));
    return 0;
}
