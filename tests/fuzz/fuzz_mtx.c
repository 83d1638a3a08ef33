/* Any bytes as a file of the Matrix Market: the reader answers OK or ERR_INPUT, holds no more than the file explains, and entries lie in the matrix. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/mtx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void require(int fact, const char *what)
{
    if (fact) return;
    fprintf(stderr, "%s; message: %s\n", what, rw_message(NULL));
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    rw_mtx m;
    char *text = rw_calloc(n + 1, 1);
    if (!text) return 0;
    memcpy(text, data, n);
    rw_status status = rw_mtx_parse(NULL, "fuzz.mtx", text, n, &m);
    rw_free(text);
    require(status == RW_OK || (status == RW_ERR_INPUT && !m.value && !m.row && !m.column), "a failure is ERR_INPUT and leaves no matrix");
    if (status != RW_OK) return 0;
    require((size_t)m.n <= 2 * n * (m.dense ? n : 1), "each entry takes some bytes of the file, or stands opposite to one that does");
    for (int64_t i = 0; i < m.n; ++i) {
        require(m.dense || (m.row[i] >= 0 && m.row[i] < m.rows && m.column[i] >= 0 && m.column[i] < m.columns), "entries lie in the matrix");
        require(isfinite(m.value[i]), "values are finite");
    }
    rw_mtx_free(&m);
    return 0;
}
