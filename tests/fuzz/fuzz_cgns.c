/* Any bytes as a CGNS file: the answer is OK, ERR_INPUT or ERR_FILE (ERR_UNSUPPORTED in a build without libcgns); zones
 * have cells, and their neighbours exist. The parsers in use are those of libcgns and libhdf5; a crash in there
 * alone belongs to their maintainers, but we want to know.
 *
 * The first byte chooses: E, a good file (the seed "zones" of the folder in $RW_FUZZ_SEEDS, where there is one) in
 * which bytes are changed (offset in three bytes, value in one, again and again); otherwise the input is the file. */
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "io/cgns.h"

/* HDF5 1.10 forgets some of its own blocks when it refuses a damaged file, and so does libcgns; ours must all come
 * back. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libhdf5\nleak:libcgns\n"; }

/* The good file with changes; NULL without one. */
static uint8_t *edit(const uint8_t *data, size_t n, size_t *size)
{
    static char *good;
    static size_t length;
    const char *folder = getenv("RW_FUZZ_SEEDS");
    char path[512];
    if (!folder) return NULL;
    snprintf(path, sizeof path, "%s/cgns/zones", folder);
    if (!good && rw_file_read(NULL, path, 0, &good, &length) != RW_OK) return NULL;
    uint8_t *copy = malloc(length);
    require(copy != NULL, "memory");
    memcpy(copy, good, length);
    for (size_t i = 0; i + 4 <= n; i += 4)
        copy[(data[i] | (size_t)data[i + 1] << 8 | (size_t)data[i + 2] << 16) % length] = data[i + 3];
    *size = length;
    return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char path[64];
    rw_cgns g;
    uint8_t *edited = n > 0 && data[0] == 'E' ? edit(data + 1, n - 1, &n) : NULL;
    snprintf(path, sizeof path, "/tmp/rw-fuzz-cgns-%d.cgns", (int)getpid());
    FILE *file = fopen(path, "wb");
    const uint8_t *bytes = edited ? edited : data;
    bool written = file && fwrite(bytes, 1, n, file) == n;
    if (file && fclose(file) != 0) written = false;
    free(edited);
    if (!written) return 0;
    rw_status status = rw_cgns_read(NULL, path, &g);
    require(status == RW_OK || status == RW_ERR_INPUT || status == RW_ERR_FILE || status == RW_ERR_UNSUPPORTED ||
                status == RW_ERR_MEMORY,
            "the answer is one that the header names");
    if (status == RW_OK) {
        require(g.nzones > 0, "there is a zone");
        for (int z = 0; z < g.nzones; ++z)
            for (int d = 0; d < 3; ++d) {
                require(g.zones[z].cells[d] > 0, "a zone has cells");
                for (int side = 0; side < 2; ++side)
                    require(g.zones[z].next[d][side] >= -1 && g.zones[z].next[d][side] < g.nzones,
                            "a neighbour is a zone");
            }
        rw_cgns_free(&g);
    }
    unlink(path);
    return 0;
}
