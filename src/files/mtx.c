/* Reading and writing files of the Matrix Market (see mtx.h):
 *
 *   %%MatrixMarket matrix coordinate real symmetric
 *   % comments, which may stand between entries too
 *   rows columns entries
 *   row column value            a line an entry, counted from 1
 *
 * An array has no third size and a value a line, column after column; a pattern has no values; complex values are two
 * numbers. */
#include "files/mtx.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { GENERAL, SYMMETRIC, SKEW, HERMITIAN };
enum { REAL, INTEGER, COMPLEX, PATTERN };
static const int64_t most = (int64_t)1 << 53; /* rows, columns, entries */

typedef struct reader {
    rw_context *ctx;
    const char *name, *at, *end;
    int64_t line;
    int field, symmetry;
    bool sums;     /* entries given twice are added, else refused */
    int64_t given; /* entries that the sizes announce */
    rw_mtx *m;
    int64_t room; /* entries that the memory holds */
    /* values that f64 cannot represent: their number, the line and the text of the first */
    int64_t changed, changed_line;
    char changed_text[60];
    double changed_to;
} reader;

#define fail(r, ...) rw_fail_line((r)->ctx, (r)->name, (r)->line, __VA_ARGS__)

/* ---- lines, words, numbers --------------------------------------------------------------------------------------- */

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static void skip_space(reader *r)
{
    while (r->at < r->end && is_space(*r->at)) ++r->at;
}

static bool at_end_of_line(reader *r)
{
    skip_space(r);
    return r->at >= r->end || *r->at == '\n';
}

static void next_line(reader *r)
{
    while (r->at < r->end && *r->at != '\n') ++r->at;
    if (r->at < r->end) {
        ++r->at;
        ++r->line;
    }
}

/* To the next line that is neither empty nor a comment; false at the end of the file. */
static bool find_line(reader *r)
{
    while (r->at < r->end) {
        if (!at_end_of_line(r) && *r->at != '%') return true;
        next_line(r);
    }
    return false;
}

/* The word at hand, cut to `size`, for messages. */
static const char *word_of(const char *at, const char *end, char *word, size_t size)
{
    size_t n = 0;
    for (; at < end && !is_space(*at) && *at != '\n' && n + 1 < size; ++at) word[n++] = *at;
    word[n] = 0;
    return word;
}

static rw_status read_integer(reader *r, const char *what, int64_t low, int64_t high, int64_t *value)
{
    char word[40];
    int64_t v = 0;
    skip_space(r);
    const char *from = r->at;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9' && v <= most; ++r->at) v = 10 * v + (*r->at - '0');
    if (r->at == from || (r->at < r->end && !is_space(*r->at) && *r->at != '\n' && v <= most)) {
        word_of(from, r->end, word, sizeof word);
        return *word ? fail(r, "%s: '%s' is not an integer of at least %lld", what, word, (long long)low)
                     : fail(r, "%s is missing", what);
    }
    if (v < low || v > high)
        return fail(r, "%s = %s is outside [%lld, %lld]", what, word_of(from, r->end, word, sizeof word),
                    (long long)low, (long long)high);
    *value = v;
    return RW_OK;
}

/* Digits that a double holds, times a power of ten that it holds, are one rounding (W. Clinger 1990); what is longer
 * goes to the library. */
static bool quick_real(const char *p, const char *end, double *value, const char **after)
{
    static const double tens[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    uint64_t digits = 0;
    int ten = 0, seen = 0, written = 0;
    bool minus = p < end && *p == '-', point = false, less = false;
    p += p < end && (*p == '-' || *p == '+');
    for (; p < end && ((*p >= '0' && *p <= '9') || (*p == '.' && !point)); ++p) {
        if (*p == '.') point = true;
        else {
            digits = 10 * digits + (uint64_t)(*p - '0');
            ten -= point;
            seen += digits > 0;
            ++written;
        }
        if (seen > 18) return false;
    }
    if (!written) return false;
    if (p < end && ((*p | 32) == 'e' || (*p | 32) == 'd')) { /* 1.5D-3: Fortran's double precision */
        int e = 0;
        ++p;
        less = p < end && *p == '-';
        p += p < end && (*p == '-' || *p == '+');
        if (p >= end || *p < '0' || *p > '9') return false;
        for (; p < end && *p >= '0' && *p <= '9' && e < 1000; ++p) e = 10 * e + (*p - '0');
        ten += less ? -e : e;
    }
    if (digits > (uint64_t)1 << 53 || ten < -22 || ten > 22) return false;
    double x = ten < 0 ? (double)digits / tens[-ten] : (double)digits * tens[ten];
    *value = minus ? -x : x;
    *after = p;
    return true;
}

enum { DIGITS = 400 };

/* A word as C reads it: Fortran's d and q become e, and 1.5-3, an exponent of three digits without room for its letter,
 * 1.5e-3. */
static void as_c(const char *word, char *c)
{
    const char *digits = word + strspn(word, "+-"), *exponent = digits + strspn(digits, ".0123456789");
    const size_t n = (size_t)(exponent - word);
    memcpy(c, word, n);
    c += n;
    if (n > 0 && strchr("dDqQ", *exponent) && *exponent) {
        ++exponent;
        *c++ = 'e';
    } else if ((*exponent == '-' || *exponent == '+') && exponent > digits) *c++ = 'e';
    strcpy(c, exponent);
}

static void note_change(reader *r, const char *word, double value)
{
    if (r->changed++) return;
    r->changed_line = r->line;
    r->changed_to = value;
    snprintf(r->changed_text, sizeof r->changed_text, "%.59s", word);
}

/* Whether the decimal number has a digit that is not 0. */
static bool has_digits(const char *c)
{
    c += strspn(c, "+-0.");
    return *c >= '1' && *c <= '9';
}

static rw_status read_real(reader *r, const char *what, double *value)
{
    char word[DIGITS + 20], c[DIGITS + 24], *rest;
    const char *after;
    skip_space(r);
    if (quick_real(r->at, r->end, value, &after) && (after == r->end || is_space(*after) || *after == '\n')) {
        r->at = after;
        return RW_OK;
    }
    word_of(r->at, r->end, word, sizeof word);
    if (!*word) return fail(r, "%s is missing", what);
    if (strlen(word) > DIGITS + 10)
        return fail(r, "%s: '%.40s...' has more than %d characters", what, word, DIGITS + 10);
    as_c(word, c);
    *value = rw_strtod(c, &rest);
    if (*rest) return fail(r, "%s: '%.60s' is not a number", what, word);
    if (!isfinite(*value)) return fail(r, "%s = %.60s: values must be finite", what, word);
    if (fabs(*value) < DBL_MIN && has_digits(c)) note_change(r, word, *value);
    r->at += strlen(word);
    return RW_OK;
}

static rw_status end_line(reader *r)
{
    char word[40];
    if (!at_end_of_line(r)) return fail(r, "unexpected '%s' in this line", word_of(r->at, r->end, word, sizeof word));
    next_line(r);
    return RW_OK;
}

/* ---- the head ---------------------------------------------------------------------------------------------------- */

static rw_status read_word(reader *r, const char *what, const char *const *words, int n, int *which)
{
    char word[40];
    skip_space(r);
    word_of(r->at, r->end, word, sizeof word);
    r->at += strlen(word);
    for (int i = 0; i < n; ++i)
        if (!strcasecmp(word, words[i])) {
            *which = i;
            return RW_OK;
        }
    rw_text all = {0};
    for (int i = 0; i < n; ++i) rw_text_add(&all, "%s%s", i ? ", " : "", words[i]);
    rw_status status = fail(r, "%s = '%s' is none of %s", what, word, all.data ? all.data : "");
    rw_text_free(&all);
    return status;
}

static rw_status read_head(reader *r)
{
    static const char *const objects[] = {"matrix"}, *const formats[] = {"coordinate", "array"},
                             *const fields[] = {"real", "integer", "complex", "pattern"},
                             *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
    static const char banner[] = "%%MatrixMarket";
    rw_mtx *m = r->m;
    int object, format;
    size_t n = sizeof banner - 1;
    if (r->end - r->at >= 2 && (unsigned char)r->at[0] == 0x1f && (unsigned char)r->at[1] == 0x8b)
        return fail(r, "compressed by gzip, which is not supported: run gunzip first, such as gunzip -k %s", r->name);
    if ((size_t)(r->end - r->at) <= n || strncasecmp(r->at, banner, n) || (r->at[n] != ' ' && r->at[n] != '\t'))
        return fail(r,
                    "not a Matrix Market file: it must begin with a line such as '%s matrix coordinate real general'",
                    banner);
    r->at += n;
    RW_TRY(read_word(r, "the object", objects, 1, &object));
    RW_TRY(read_word(r, "the format", formats, 2, &format));
    RW_TRY(read_word(r, "the field", fields, 4, &r->field));
    RW_TRY(read_word(r, "the symmetry", symmetries, 4, &r->symmetry));
    m->dense = format == 1;
    m->is_complex = r->field == COMPLEX;
    if (m->dense && r->field == PATTERN) return fail(r, "an array has values: it cannot be a pattern");
    if (r->symmetry == HERMITIAN && r->field != COMPLEX)
        return fail(r, "a hermitian matrix is complex: write symmetric");
    if (r->symmetry == SKEW && r->field == PATTERN)
        return fail(r, "a skew-symmetric matrix has values: it cannot be a pattern");
    RW_TRY(end_line(r));
    if (!find_line(r)) return fail(r, "the file ends where its sizes are expected: it is truncated");
    RW_TRY(read_integer(r, "the number of rows", 0, most, &m->rows));
    RW_TRY(read_integer(r, "the number of columns", 0, most, &m->columns));
    if (m->columns && m->rows > most / m->columns && m->dense)
        return fail(r, "an array of %lld x %lld is too large", (long long)m->rows, (long long)m->columns);
    if (r->symmetry != GENERAL && m->rows != m->columns)
        return fail(r, "a matrix of %lld x %lld cannot be %s", (long long)m->rows, (long long)m->columns,
                    symmetries[r->symmetry]);
    if (m->dense) {
        r->given = m->rows * (r->symmetry == GENERAL ? m->columns : m->rows + (r->symmetry == SKEW ? -1 : 1)) /
                   (r->symmetry == GENERAL ? 1 : 2);
    } else {
        int64_t all = r->sums || (m->columns && m->rows > most / m->columns) ? most : m->rows * m->columns;
        RW_TRY(read_integer(r, "the number of entries", 0, all, &r->given));
    }
    return end_line(r);
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

static rw_status make_room(reader *r, int64_t n)
{
    rw_mtx *m = r->m;
    size_t width = m->is_complex ? 2 : 1;
    if (n <= r->room) return RW_OK;
    int64_t room = RW_MAX(n, r->room + r->room / 2 + 1024);
    void *value = rw_realloc(m->value, (size_t)room * width * sizeof *m->value);
    if (value) m->value = value;
    void *row = m->dense || !value ? m->row : rw_realloc(m->row, (size_t)room * sizeof *m->row);
    if (row) m->row = row;
    void *column = m->dense || !row ? m->column : rw_realloc(m->column, (size_t)room * sizeof *m->column);
    if (column) m->column = column;
    if (!value || (!m->dense && (!row || !column)))
        return rw_fail_memory(r->ctx, (size_t)room * 8 * (width + 2), r->name);
    r->room = room;
    return RW_OK;
}

static rw_status read_value(reader *r, double value[2])
{
    value[0] = 1;
    value[1] = 0;
    switch (r->field) {
    case PATTERN: return RW_OK;
    case INTEGER: { /* of any size: f64 holds them to the nearest */
        char word[DIGITS + 20], exact[DIGITS + 20];
        skip_space(r);
        const char *const begin = r->at, *at = begin + (begin < r->end && (*begin == '-' || *begin == '+')), *end = at;
        while (end < r->end && *end >= '0' && *end <= '9') ++end;
        if (at > r->at && (at == r->end || is_space(*at))) return fail(r, "the value is a sign without digits");
        if (end == at || (end < r->end && !is_space(*end) && *end != '\n')) {
            word_of(r->at, r->end, word, sizeof word);
            return *word ? fail(r, "the value: '%s' is not an integer", word) : fail(r, "the value is missing");
        }
        RW_TRY(read_real(r, "the value", value));
        if (fabs(value[0]) < 9007199254740992) return RW_OK; /* 2^53 */
        snprintf(exact, sizeof exact, "%.0f", fabs(value[0]));
        word_of(at + strspn(at, "0"), r->at, word, sizeof word);
        if (strcmp(word, exact)) note_change(r, word_of(begin, r->at, word, sizeof word), value[0]);
        return RW_OK;
    }
    case COMPLEX: RW_TRY(read_real(r, "the real part", value)); return read_real(r, "the imaginary part", value + 1);
    default: return read_real(r, "the value", value);
    }
}

static void put(rw_mtx *m, int64_t i, int64_t row, int64_t column, const double value[2])
{
    if (!m->dense) {
        m->row[i] = row;
        m->column[i] = column;
    }
    if (m->is_complex) {
        m->value[2 * i] = value[0];
        m->value[2 * i + 1] = value[1];
    } else m->value[i] = value[0];
}

static rw_status check_place(reader *r, int64_t row, int64_t column, const double value[2])
{
    if (r->symmetry == GENERAL) return RW_OK;
    if (column > row)
        return fail(r, "entry (%lld, %lld) is above the diagonal: a symmetric matrix stores the lower triangle",
                    (long long)row + 1, (long long)column + 1);
    if (r->symmetry == SKEW && row == column)
        return fail(r, "entry (%lld, %lld): the diagonal of a skew-symmetric matrix is 0 and must be omitted",
                    (long long)row + 1, (long long)column + 1);
    if (r->symmetry == HERMITIAN && row == column && value[1] != 0)
        return fail(r, "entry (%lld, %lld) has the imaginary part %g: the diagonal of a hermitian matrix is real",
                    (long long)row + 1, (long long)column + 1, value[1]);
    return RW_OK;
}

/* A row or column, from 1 to `high`. */
static rw_status read_index(reader *r, const char *what, int64_t high, int64_t *index)
{
    skip_space(r);
    const char *after = r->at + 1;
    if (r->at < r->end && *r->at == '0' && (after == r->end || is_space(*after)))
        return fail(
            r,
            "%s = 0 is outside [1, %lld]: a Matrix Market file counts from 1; add 1 to rows and columns that are "
            "counted from 0",
            what, (long long)high);
    return read_integer(r, what, 1, high, index);
}

static rw_status read_coordinates(reader *r)
{
    rw_mtx *m = r->m;
    for (m->n = 0; m->n < r->given; ++m->n) {
        int64_t row, column;
        double value[2];
        if (!find_line(r))
            return fail(r, "the file ends after %lld of %lld entries: it is truncated", (long long)m->n,
                        (long long)r->given);
        RW_TRY(read_index(r, "the row", m->rows, &row));
        RW_TRY(read_index(r, "the column", m->columns, &column));
        RW_TRY(read_value(r, value));
        RW_TRY(check_place(r, row - 1, column - 1, value));
        RW_TRY(end_line(r));
        RW_TRY(make_room(r, m->n + 1));
        put(m, m->n, row - 1, column - 1, value);
    }
    return RW_OK;
}

/* Values as they come; row and column are counted along for what symmetry asks of a place. */
static rw_status read_array(reader *r)
{
    rw_mtx *m = r->m;
    int64_t row = r->symmetry == SKEW, column = 0;
    for (m->n = 0; m->n < r->given; ++m->n) {
        double value[2];
        if (!find_line(r))
            return fail(r, "the file ends after %lld of %lld values: it is truncated", (long long)m->n,
                        (long long)r->given);
        RW_TRY(read_value(r, value));
        RW_TRY(check_place(r, row, column, value));
        RW_TRY(end_line(r));
        RW_TRY(make_room(r, m->n + 1));
        put(m, m->n, 0, 0, value);
        if (++row == m->rows) {
            ++column;
            row = r->symmetry == GENERAL ? 0 : column + (r->symmetry == SKEW);
        }
    }
    return RW_OK;
}

/* ---- sorting and lines ------------------------------------------------------------------------------------------- */

/* `order` sorted by key[order[i]], equal keys as they were: by 16 bits at a time. */
static void sort_by(const int64_t *key, int64_t largest, int64_t *order, int64_t *spare, int64_t n)
{
    static _Thread_local int64_t count[65537];
    int64_t *from = order, *to = spare;
    for (int shift = 0; shift < 64 && largest >> shift; shift += 16) {
        memset(count, 0, sizeof count);
        for (int64_t i = 0; i < n; ++i) ++count[(key[from[i]] >> shift & 0xffff) + 1];
        for (int d = 0; d < 65536; ++d) count[d + 1] += count[d];
        for (int64_t i = 0; i < n; ++i) to[count[key[from[i]] >> shift & 0xffff]++] = from[i];
        int64_t *last = from;
        from = to;
        to = last;
    }
    if (from != order) memcpy(order, from, (size_t)n * sizeof *order);
}

/* The line of an entry; start: after the head. */
static int64_t line_of(const reader *start, int64_t entry)
{
    reader r = *start;
    for (int64_t i = 0; find_line(&r) && i < entry; ++i) next_line(&r);
    return r.line;
}

/* ---- symmetry ---------------------------------------------------------------------------------------------------- */

/* What stands opposite. */
static void mirror(const reader *r, const double value[2], double out[2])
{
    bool negative = r->symmetry == SKEW;
    out[0] = negative ? -value[0] : value[0];
    out[1] = negative || r->symmetry == HERMITIAN ? -value[1] : value[1];
}

static void value_at(const rw_mtx *m, int64_t i, double value[2])
{
    value[0] = m->value[m->is_complex ? 2 * i : i];
    value[1] = m->is_complex ? m->value[2 * i + 1] : 0;
}

static rw_status unfold_coordinates(reader *r)
{
    rw_mtx *m = r->m;
    int64_t given = m->n, off = 0;
    for (int64_t i = 0; i < given; ++i) off += m->row[i] != m->column[i];
    RW_TRY(make_room(r, given + off));
    for (int64_t i = 0; i < given; ++i) {
        double value[2], opposite[2];
        if (m->row[i] == m->column[i]) continue;
        value_at(m, i, value);
        mirror(r, value, opposite);
        put(m, m->n++, m->column[i], m->row[i], opposite);
    }
    return RW_OK;
}

static rw_status unfold_array(reader *r)
{
    rw_mtx *m = r->m;
    size_t width = m->is_complex ? 2 : 1, n = (size_t)m->rows;
    double *half = m->value;
    m->value = rw_calloc(n * n, width * sizeof *m->value);
    if (!m->value && n) {
        m->value = half;
        return rw_fail_memory(r->ctx, n * n * width * 8, r->name);
    }
    const rw_mtx given = {.is_complex = m->is_complex, .value = half};
    int64_t i = 0;
    for (int64_t column = 0; column < m->rows; ++column)
        for (int64_t row = column + (r->symmetry == SKEW); row < m->rows; ++row, ++i) {
            double value[2], opposite[2];
            value_at(&given, i, value);
            mirror(r, value, opposite);
            if (row != column) put(m, row * m->rows + column, 0, 0, opposite);
            put(m, column * m->rows + row, 0, 0, value);
        }
    rw_free(half);
    m->n = m->rows * m->rows;
    return RW_OK;
}

/* ---- order ------------------------------------------------------------------------------------------------------ */

/* The entry of the file that entry i is, or is opposite to. */
static int64_t given_entry(const reader *r, int64_t i)
{
    int64_t k = 0;
    if (i < r->given) return i;
    for (i -= r->given; i > 0 || r->m->row[k] == r->m->column[k]; ++k) i -= r->m->row[k] != r->m->column[k];
    return k;
}

/* Entries a and b are at the same place: b is refused, or added to a. */
static rw_status join(reader *r, const reader *start, int64_t a, int64_t b)
{
    rw_mtx *m = r->m;
    const int width = m->is_complex ? 2 : 1;
    const char *wrong = "the sum of its values is not finite";
    bool good = r->sums;
    for (int p = 0; p < width && good && r->field != PATTERN; ++p) {
        m->value[width * a + p] += m->value[width * b + p];
        good = isfinite(m->value[width * a + p]);
    }
    if (good) return RW_OK;
    const int64_t first = given_entry(r, a), second = given_entry(r, b);
    const long long row = (long long)m->row[second] + 1, column = (long long)m->column[second] + 1;
    r->line = line_of(start, second);
    if (r->sums) return fail(r, "entry (%lld, %lld): %s", row, column, wrong);
    return fail(r,
                "entry (%lld, %lld) is given twice, first in line %lld: give it once, or sum such entries "
                "(--duplicates sum, RW_DUPLICATES_SUM)",
                row, column, (long long)line_of(start, first));
}

/* Elements from[order[i]] of n, in new memory; NULL: there is none. */
static void *arranged(const void *from, size_t size, const int64_t *order, int64_t n)
{
    char *to = rw_calloc((size_t)RW_MAX(n, 1), size);
    for (int64_t i = 0; to && i < n; ++i)
        memcpy(to + size * (size_t)i, (const char *)from + size * (size_t)order[i], size);
    return to;
}

/* One array at a time, so that no more than that is there twice. */
static bool arrange(rw_mtx *m, const int64_t *order, int64_t n)
{
    int64_t *row = arranged(m->row, sizeof *row, order, n), *column;
    if (!row) return false;
    rw_free(m->row);
    m->row = row;
    if (!(column = arranged(m->column, sizeof *column, order, n))) return false;
    rw_free(m->column);
    m->column = column;
    double *value = arranged(m->value, (m->is_complex ? 2 : 1) * sizeof *value, order, n);
    if (!value) return false;
    rw_free(m->value);
    m->value = value;
    m->n = n;
    return true;
}

static bool is_sorted(const rw_mtx *m)
{
    for (int64_t i = 1; i < m->n; ++i)
        if (m->row[i] < m->row[i - 1] || (m->row[i] == m->row[i - 1] && m->column[i] <= m->column[i - 1])) return false;
    return true;
}

/* Entries by rows, columns ascending, each place once. */
static rw_status sort(reader *r, const reader *start)
{
    rw_mtx *m = r->m;
    if (is_sorted(m)) return RW_OK;
    int64_t *order = rw_calloc((size_t)m->n, sizeof *order), *spare = rw_calloc((size_t)m->n, sizeof *spare), n = 0;
    rw_status status = order && spare ? RW_OK : rw_fail_memory(r->ctx, (size_t)m->n * 16, r->name);
    if (status == RW_OK) {
        for (int64_t i = 0; i < m->n; ++i) order[i] = i;
        sort_by(m->column, m->columns, order, spare, m->n);
        sort_by(m->row, m->rows, order, spare, m->n);
    }
    rw_free(spare);
    for (int64_t i = 0; i < m->n && status == RW_OK; ++i) {
        const int64_t a = n ? order[n - 1] : 0, b = order[i];
        if (n && m->row[a] == m->row[b] && m->column[a] == m->column[b]) status = join(r, start, a, b);
        else order[n++] = b;
    }
    if (status == RW_OK && !arrange(m, order, n)) status = rw_fail_memory(r->ctx, (size_t)n * 16, r->name);
    rw_free(order);
    return status;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static rw_status parse(reader *r)
{
    RW_TRY(read_head(r));
    const reader start = *r;
    RW_TRY(r->m->dense ? read_array(r) : read_coordinates(r));
    if (find_line(r))
        return fail(r, "more lines than the %lld %s declared by the sizes", (long long)r->given,
                    r->m->dense ? "values" : "entries");
    if (r->symmetry != GENERAL) RW_TRY(r->m->dense ? unfold_array(r) : unfold_coordinates(r));
    if (!r->m->dense) RW_TRY(sort(r, &start));
    if (r->changed) {
        char more[60] = "";
        if (r->changed > 1) snprintf(more, sizeof more, "; %lld more values change", (long long)r->changed - 1);
        rw_log(r->ctx, RW_LOG_WARNING, "%s:%lld: %s is read as %.17g, the nearest number of f64%s", r->name,
               (long long)r->changed_line, r->changed_text, r->changed_to, more);
    }
    return RW_OK;
}

static rw_status parse_text(rw_context *ctx, const char *name, const char *text, size_t n, bool sums, rw_mtx *m)
{
    text = rw_skip_mark(text, &n);
    reader r = {.ctx = ctx, .name = name, .at = text, .end = text + n, .line = 1, .sums = sums, .m = m};
    memset(m, 0, sizeof *m);
    rw_status status = parse(&r);
    if (status != RW_OK) rw_mtx_free(m);
    return status;
}

rw_status rw_mtx_parse(rw_context *ctx, const char *name, const char *text, size_t n, rw_mtx *m)
{
    return parse_text(ctx, name, text, n, false, m);
}

rw_status rw_mtx_read(rw_context *ctx, const char *path, bool sums, rw_mtx *m)
{
    char *text;
    size_t n;
    memset(m, 0, sizeof *m);
    RW_TRY(rw_file_read(ctx, path, 0, &text, &n));
    rw_status status = parse_text(ctx, path, text, n, sums, m);
    rw_free(text);
    return status;
}

void rw_mtx_free(rw_mtx *m)
{
    rw_free(m->row);
    rw_free(m->column);
    rw_free(m->value);
    memset(m, 0, sizeof *m);
}

rw_status rw_mtx_thin(rw_context *ctx, rw_mtx *m)
{
    if (!m->dense) return RW_OK;
    int64_t n = 0;
    size_t width = m->is_complex ? 2 : 1;
    m->row = rw_calloc((size_t)RW_MAX(m->n, 1), sizeof *m->row);
    m->column = rw_calloc((size_t)RW_MAX(m->n, 1), sizeof *m->column);
    if (!m->row || !m->column) return rw_fail_memory(ctx, (size_t)m->n * 16, "a matrix");
    for (int64_t i = 0; i < m->n; ++i) {
        if (m->value[width * (size_t)i] == 0 && (!m->is_complex || m->value[width * (size_t)i + 1] == 0)) continue;
        m->row[n] = i % m->rows;
        m->column[n] = i / m->rows;
        memmove(m->value + width * (size_t)n++, m->value + width * (size_t)i, width * sizeof *m->value);
    }
    m->n = n;
    m->dense = false;
    return RW_OK;
}

rw_status rw_mtx_write(rw_context *ctx, const char *path, const rw_mtx *m)
{
    rw_text t = {0};
    rw_text_add(&t, "%%%%MatrixMarket matrix %s %s general\n%lld %lld", m->dense ? "array" : "coordinate",
                m->is_complex ? "complex" : "real", (long long)m->rows, (long long)m->columns);
    if (m->dense) rw_text_add(&t, "\n");
    else rw_text_add(&t, " %lld\n", (long long)m->n);
    for (int64_t i = 0; i < m->n && !t.failed; ++i) {
        double value[2];
        value_at(m, i, value);
        if (!m->dense) rw_text_add(&t, "%lld %lld ", (long long)m->row[i] + 1, (long long)m->column[i] + 1);
        if (m->is_complex) rw_text_add(&t, "%.17g %.17g\n", value[0], value[1]);
        else rw_text_add(&t, "%.17g\n", value[0]);
    }
    rw_status status = t.failed ? rw_fail_memory(ctx, t.length, path) : rw_file_write(ctx, path, t.data, t.length);
    rw_text_free(&t);
    return status;
}
