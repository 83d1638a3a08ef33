/* Any bytes as an HDF5 file: all that the layer can ask is asked, and each answer is a status. The parser behind it is
 * that of libhdf5; a crash in there alone belongs to its maintainers, but we want to know. */
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "io/h5.h"

/* HDF5 1.10 forgets some of its own blocks when it refuses a damaged file; ours must all come back. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libhdf5\n"; }

/* Reads what `name` is, as an array, a group and an owner of attributes. */
static void visit(rw_h5 *f, const char *name, int depth)
{
    static const char *const attributes[] = {"case", "time", "step", "text"};
    enum { LIMIT = 1 << 20 };
    rw_dtype type;
    int rank, n;
    size_t shape[RW_IO_RANK], bytes;
    char **names, *text, path[512];
    double number;
    int64_t integer;
    if (rw_h5_shape(f, name, &type, &rank, shape) == RW_OK) {
        require(rank >= 0 && rank <= RW_IO_RANK, "the rank is allowed");
        require(rw_io_bytes(RW_IO_RANK, shape, rw_dtype_size(type), &bytes), "the size is a size");
        void *values = bytes <= LIMIT ? malloc(bytes + 1) : NULL;
        if (values) (void)rw_h5_read(f, name, type, rank, shape, values);
        free(values);
    }
    for (int i = 0; i < RW_COUNT(attributes); i++) {
        (void)rw_h5_get_number(f, name, attributes[i], &number);
        (void)rw_h5_get_integer(f, name, attributes[i], &integer);
        if (rw_h5_get_text(f, name, attributes[i], &text) == RW_OK) rw_free(text);
    }
    if (depth > 2 || rw_h5_list(f, name, &names, &n) != RW_OK) return;
    for (int i = 0; i < n && i < 8; i++) {
        snprintf(path, sizeof path, "%s/%s", strcmp(name, "/") == 0 ? "" : name, names[i]);
        visit(f, path, depth + 1);
    }
    rw_h5_names_free(&names, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char path[64];
    rw_h5 *f;
    snprintf(path, sizeof path, "/tmp/rw-fuzz-h5-%d.h5", (int)getpid());
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, n, file) != n || fclose(file) != 0) return 0;
    rw_status status = rw_h5_open(NULL, path, &f);
    require(status == RW_OK || (status == RW_ERR_INPUT && !f), "opening is OK or ERR_INPUT");
    if (status == RW_OK) visit(f, "/", 0);
    rw_h5_close(&f);
    unlink(path);
    return 0;
}
