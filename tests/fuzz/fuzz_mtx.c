/* Any bytes as a file of the Matrix Market: the reader answers OK or ERR_INPUT, holds no more than the file explains;
 * entries lie in the matrix, each place once, and opposite to each of a matrix with a symmetry is what that asks
 * for. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "files/mtx.h"
#include "fuzz.h"

static double part(const rw_mtx *m, int64_t i, int which)
{
    return m->is_complex ? m->value[2 * i + which] : which ? 0 : m->value[i];
}

/* Place by place: small matrices only. */
static void check_places(const rw_mtx *m, const char *symmetry)
{
    if (m->n > 200) return;
    const int general = !strncasecmp(symmetry, "general", 7), skew = !strncasecmp(symmetry, "skew", 4),
              hermitian = !strncasecmp(symmetry, "herm", 4);
    for (int64_t i = 0; i < m->n; ++i) {
        const int64_t row = m->dense ? i % m->rows : m->row[i], column = m->dense ? i / m->rows : m->column[i];
        int64_t here = 0, opposite = 0;
        for (int64_t k = 0; k < m->n; ++k) {
            const int64_t r = m->dense ? k % m->rows : m->row[k], c = m->dense ? k / m->rows : m->column[k];
            here += r == row && c == column;
            if (general || r != column || c != row) continue;
            ++opposite;
            require(part(m, k, 0) == (skew ? -part(m, i, 0) : part(m, i, 0)), "opposite real parts suit the symmetry");
            require(part(m, k, 1) == (skew || hermitian ? -part(m, i, 1) : part(m, i, 1)),
                    "opposite imaginary parts suit the symmetry");
        }
        require(here == 1, "a place is there once");
        require(general || opposite == 1, "what stands opposite is there");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    rw_mtx m;
    char *text = rw_calloc(n + 1, 1);
    if (!text) return 0;
    memcpy(text, data, n);
    rw_status status = rw_mtx_parse(NULL, "fuzz.mtx", text, n, &m);
    char symmetry[8] = "";
    const size_t mark = strncmp(text, "\xEF\xBB\xBF", 3) ? 0 : 3; /* of byte order */
    if (status == RW_OK) sscanf(text + mark + strlen("%%MatrixMarket"), "%*s %*s %*s %7s", symmetry);
    rw_free(text);
    require(status == RW_OK || (status == RW_ERR_INPUT && !m.value && !m.row && !m.column),
            "a failure is ERR_INPUT and leaves no matrix");
    if (status != RW_OK) return 0;
    require((size_t)m.n <= 2 * n * (m.dense ? n : 1),
            "each entry takes some bytes of the file, or stands opposite to one that does");
    for (int64_t i = 0; i < m.n; ++i) {
        require(m.dense || (m.row[i] >= 0 && m.row[i] < m.rows && m.column[i] >= 0 && m.column[i] < m.columns),
                "entries lie in the matrix");
        require(isfinite(part(&m, i, 0)) && isfinite(part(&m, i, 1)), "values are finite");
    }
    check_places(&m, symmetry);
    rw_mtx_free(&m);
    return 0;
}
