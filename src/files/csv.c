/* Tables as text (see csv.h). The writer keeps whole rows in its own buffer and hands them over in one go: after a full
 * disk the file is cut back to the last whole row, so that what is there can always be read and continued. */
#include "files/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct rw_csv {
    rw_context *ctx;
    char *path;
    int file, n;
    uint64_t position; /* bytes in the file, always whole rows */
    rw_text rows;      /* not yet in the file */
};

enum { BUFFER = 1 << 16, CELL = 64, NAMES_LIMIT = 1 << 20 };

static bool is_mark(const char *text) { return strncmp(text, "\xEF\xBB\xBF", 3) == 0; } /* of byte order */

static rw_status check_names(rw_context *ctx, const char *path, int n, const char *const *names)
{
    if (n < 1) return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: %d columns: a table has at least one", path, n);
    for (int i = 0; i < n; i++) {
        /* the reader removes blanks at both ends and a byte order mark */
        bool bad = !names[i] || !*names[i] || strpbrk(names[i], ",\"#") || names[i][0] == ' ' ||
                   names[i][strlen(names[i]) - 1] == ' ' || is_mark(names[i]);
        for (const char *c = names[i]; !bad && *c; c++) bad = (unsigned char)*c < 32;
        if (bad)
            return rw_fail(ctx, RW_ERR_ARGUMENT,
                           "%s: column %d is named '%s': it must not be empty, hold , \" # or control characters, nor "
                           "begin or end with a blank or a byte order mark",
                           path, i + 1, names[i] ? names[i] : "");
        for (int j = 0; j < i; j++)
            if (strcmp(names[i], names[j]) == 0)
                return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: columns %d and %d are both named '%s': rename one", path,
                               j + 1, i + 1, names[i]);
    }
    return RW_OK;
}

/* "a,b,c\n" and "# s, m, 1\n" */
static void add_header(rw_text *text, int n, const char *const *names, const char *const *units)
{
    for (int i = 0; i < n; i++) rw_text_add(text, "%s%s", i ? "," : "", names[i]);
    rw_text_add(text, "\n");
    if (!units) return;
    for (int i = 0; i < n; i++) rw_text_add(text, "%s%s", i ? ", " : "# ", units[i] && *units[i] ? units[i] : "1");
    rw_text_add(text, "\n");
}

static void destroy(rw_csv **csv)
{
    rw_csv *c = *csv;
    *csv = NULL;
    if (!c) return;
    if (c->file >= 0) close(c->file);
    rw_text_free(&c->rows);
    rw_free(c->path);
    rw_context_destroy(&c->ctx);
    rw_free(c);
}

/* The object with its file open at `position`. */
static rw_status open_at(rw_context *ctx, const char *path, uint64_t position, int n, rw_csv **csv)
{
    rw_csv *c = rw_calloc(1, sizeof *c);
    if (!c) return rw_fail_memory(ctx, sizeof *c, path);
    c->ctx = rw_context_retain(ctx);
    c->n = n;
    c->position = position;
    c->path = rw_strdup(path);
    errno = 0;
    c->file = c->path ? rw_open(path, O_RDWR, 0) : -1;
    if (c->file >= 0) {
        *csv = c;
        return RW_OK;
    }
    rw_status status = rw_fail_memory(ctx, strlen(path) + 1, path);
    if (c->path) status = rw_fail(ctx, RW_ERR_FILE, "%s: cannot be opened for writing: %s", path, strerror(errno));
    destroy(&c);
    return status;
}

rw_status rw_csv_create(rw_context *ctx, const char *path, int n, const char *const *names, const char *const *units,
                        rw_csv **csv)
{
    rw_text head = {0};
    *csv = NULL;
    RW_TRY(check_names(ctx, path, n, names));
    for (int i = 0; units && i < n; i++)
        if (units[i] && strpbrk(units[i], ",\n\r"))
            return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: unit '%s' of column %s: it must not hold a comma or a line break",
                           path, units[i], names[i]);
    add_header(&head, n, names, units);
    rw_status status =
        head.failed ? rw_fail_memory(ctx, head.length + 1, path) : rw_file_write(ctx, path, head.data, head.length);
    if (status == RW_OK) status = open_at(ctx, path, head.length, n, csv);
    rw_text_free(&head);
    return status;
}

/* The file must start with this header and hold whole lines up to the position. */
static rw_status check_file(rw_csv *c, const char *const *names)
{
    rw_text want = {0};
    struct stat info;
    char byte = 0;
    add_header(&want, c->n, names, NULL);
    char *have = want.failed ? NULL : rw_calloc(want.length, 1);
    rw_status status = RW_OK;
    if (!have) status = rw_fail_memory(c->ctx, want.length, c->path);
    else if (rw_fault_hit(RW_FAULT_READ) || fstat(c->file, &info) != 0)
        status = rw_fail(c->ctx, RW_ERR_FILE, "%s: cannot be read: %s", c->path, strerror(errno ? errno : EIO));
    else if ((uint64_t)info.st_size < c->position || c->position < want.length)
        status = rw_fail(c->ctx, RW_ERR_INPUT,
                         "%s: has %llu bytes, but the checkpoint continues at byte %llu: it is not the file of "
                         "that checkpoint",
                         c->path, (unsigned long long)info.st_size, (unsigned long long)c->position);
    else if (pread(c->file, have, want.length, 0) != (ssize_t)want.length || memcmp(have, want.data, want.length) != 0)
        status = rw_fail(c->ctx, RW_ERR_INPUT, "%s: its columns are not '%.*s': start a new table in another folder",
                         c->path, (int)RW_MIN(want.length - 1, 200), want.data);
    else if (pread(c->file, &byte, 1, (off_t)c->position - 1) != 1 || byte != '\n')
        status = rw_fail(c->ctx, RW_ERR_INPUT, "%s: no row ends at byte %llu: it is not the file of that checkpoint",
                         c->path, (unsigned long long)c->position);
    else if (rw_fault_hit(RW_FAULT_WRITE) || ftruncate(c->file, (off_t)c->position) != 0)
        status = rw_fail(c->ctx, RW_ERR_FILE, "%s: cannot be truncated to %llu bytes: %s", c->path,
                         (unsigned long long)c->position, strerror(errno ? errno : EIO));
    rw_free(have);
    rw_text_free(&want);
    return status;
}

rw_status rw_csv_append(rw_context *ctx, const char *path, uint64_t position, int n, const char *const *names,
                        rw_csv **csv)
{
    *csv = NULL;
    RW_TRY(check_names(ctx, path, n, names));
    RW_TRY(open_at(ctx, path, position, n, csv));
    rw_status status = check_file(*csv, names);
    if (status != RW_OK) destroy(csv);
    return status;
}

/* Writes the buffered rows at the position; all of them or none. */
static rw_status hand_over(rw_csv *c)
{
    if (c->rows.failed) {
        rw_text_free(&c->rows);
        return rw_fail_memory(c->ctx, BUFFER, c->path);
    }
    size_t done = 0;
    errno = 0;
    bool bad = c->rows.length > 0 && rw_fault_hit(RW_FAULT_WRITE);
    while (!bad && done < c->rows.length) {
        ssize_t n = pwrite(c->file, c->rows.data + done, c->rows.length - done, (off_t)(c->position + done));
        if (n < 0 && errno == EINTR) continue;
        bad = n <= 0;
        if (!bad) done += (size_t)n;
    }
    if (bad) {
        int reason = errno ? errno : EIO;
        bool cut = ftruncate(c->file, (off_t)c->position) == 0;
        return rw_fail(c->ctx, RW_ERR_FILE, "%s: writing rows failed: %s%s", c->path, strerror(reason),
                       cut ? "; earlier rows are retained" : "");
    }
    c->position += done;
    c->rows.length = 0;
    return RW_OK;
}

rw_status rw_csv_row(rw_csv *csv, const double *values)
{
    for (int i = 0; i < csv->n; i++) {
        const char *end = i + 1 < csv->n ? "," : "\n";
        if (isnan(values[i])) rw_text_add(&csv->rows, "nan%s", end); /* never "-nan" */
        else rw_text_add(&csv->rows, "%.17g%s", values[i], end);
    }
    return csv->rows.failed || csv->rows.length >= BUFFER ? hand_over(csv) : RW_OK;
}

rw_status rw_csv_flush(rw_csv *csv, uint64_t *position)
{
    RW_TRY(hand_over(csv));
    if (rw_fault_hit(RW_FAULT_WRITE) || fsync(csv->file) != 0)
        return rw_fail(csv->ctx, RW_ERR_FILE, "%s: cannot be written to disk: %s", csv->path,
                       strerror(errno ? errno : EIO));
    if (position) *position = csv->position;
    return RW_OK;
}

rw_status rw_csv_close(rw_csv **csv)
{
    if (!*csv) return RW_OK;
    rw_status status = rw_csv_flush(*csv, NULL);
    destroy(csv);
    return status;
}

typedef struct reader {
    rw_context *ctx;
    const char *name, *at, *end;
    long line; /* of the text returned last, from 1 */
} reader;

/* The next line without its end; false after the last. */
static bool next_line(reader *r, const char **text, size_t *n)
{
    if (r->at == r->end) return false;
    const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
    *text = r->at;
    *n = (size_t)((stop ? stop : r->end) - r->at);
    if (*n > 0 && (*text)[*n - 1] == '\r') --*n;
    r->at = stop ? stop + 1 : r->end;
    r->line++;
    return true;
}

/* Cuts spaces at both ends. */
static void trim(const char **text, size_t *n)
{
    while (*n > 0 && (**text == ' ' || **text == '\t')) {
        ++*text;
        --*n;
    }
    while (*n > 0 && ((*text)[*n - 1] == ' ' || (*text)[*n - 1] == '\t')) --*n;
}

/* The next cell of a line; false after the last. */
static bool next_cell(const char **line, size_t *n, const char **cell, size_t *cell_n)
{
    if (!*line) return false;
    const char *comma = memchr(*line, ',', *n);
    *cell = *line;
    *cell_n = comma ? (size_t)(comma - *line) : *n;
    *n -= comma ? *cell_n + 1 : *n;
    *line = comma ? comma + 1 : NULL;
    trim(cell, cell_n);
    return true;
}

/* Cells of a line as texts; `names` has room for n_names, missing ones become "". */
static rw_status copy_cells(reader *r, const char *line, size_t n, int n_names, char **names)
{
    const char *cell = "";
    size_t cell_n = 0;
    for (int i = 0; i < n_names; i++) {
        if (!next_cell(&line, &n, &cell, &cell_n)) cell_n = 0;
        names[i] = rw_strndup(cell, cell_n);
        if (!names[i]) return rw_fail_memory(r->ctx, cell_n + 1, r->name);
    }
    return RW_OK;
}

static int count_cells(const char *line, size_t n)
{
    int cells = 1;
    for (size_t i = 0; i < n; i++) cells += line[i] == ',';
    return cells;
}

static bool is_row(const char *line, size_t n)
{
    trim(&line, &n);
    return n > 0 && line[0] != '#';
}

/* Names, units, and the memory for all rows. */
static rw_status read_header(reader *r, rw_csv_table *t)
{
    const char *line = NULL;
    size_t n = 0, rows = 0;
    while (r->end - r->at >= 3 && is_mark(r->at)) r->at += 3;
    if (!next_line(r, &line, &n) || !is_row(line, n) || n > NAMES_LIMIT)
        return rw_fail(r->ctx, RW_ERR_INPUT, "%s:1: the column names are missing: is it a table?", r->name);
    int columns = count_cells(line, n);
    t->names = rw_calloc((size_t)columns, sizeof *t->names);
    t->units = rw_calloc((size_t)columns, sizeof *t->units);
    t->columns = rw_calloc((size_t)columns, sizeof *t->columns);
    if (!t->names || !t->units || !t->columns) return rw_fail_memory(r->ctx, 24 * (size_t)columns, r->name);
    t->n_columns = columns;
    RW_TRY(copy_cells(r, line, n, columns, t->names));

    reader ahead = *r;
    bool has_units = next_line(&ahead, &line, &n) && n > 0 && line[0] == '#' && count_cells(line, n) == columns;
    RW_TRY(copy_cells(r, has_units ? line + 1 : NULL, has_units ? n - 1 : 0, columns, t->units));

    ahead = *r;
    while (next_line(&ahead, &line, &n)) rows += is_row(line, n);
    if (rows > (size_t)(r->end - r->at + 1) / (size_t)columns) /* each has columns - 1 commas and an end */
        return rw_fail(r->ctx, RW_ERR_INPUT, "%s: %zu rows of %d columns do not fit in %zu bytes: cells are missing",
                       r->name, rows, columns, (size_t)(r->end - r->at));
    for (int i = 0; i < columns; i++) {
        t->columns[i] = rw_calloc(rows, sizeof(double));
        if (!t->columns[i]) return rw_fail_memory(r->ctx, rows * sizeof(double), r->name);
    }
    return RW_OK;
}

static rw_status read_cell(reader *r, const char *cell, size_t n, int column, double *value)
{
    char text[CELL], *end = text;
    *value = NAN;
    if (n == 0) return RW_OK;
    if (n < CELL) {
        memcpy(text, cell, n);
        text[n] = '\0';
        *value = rw_strtod(text, &end);
    }
    if (n < CELL && end == text + n) return RW_OK;
    return rw_fail(r->ctx, RW_ERR_INPUT, "%s:%ld: '%.*s' in column %d is not a number", r->name, r->line,
                   (int)RW_MIN(n, 40), cell, column + 1);
}

static rw_status read_table(reader *r, rw_csv_table *t)
{
    const char *line, *cell;
    size_t n, cell_n;
    RW_TRY(read_header(r, t));
    while (next_line(r, &line, &n)) {
        if (!is_row(line, n)) continue;
        int cells = count_cells(line, n);
        if (cells != t->n_columns)
            return rw_fail(r->ctx, RW_ERR_INPUT, "%s:%ld: %d cells, but the header names %d columns", r->name, r->line,
                           cells, t->n_columns);
        for (int i = 0; next_cell(&line, &n, &cell, &cell_n); i++)
            RW_TRY(read_cell(r, cell, cell_n, i, &t->columns[i][t->n_rows]));
        t->n_rows++;
    }
    return RW_OK;
}

rw_status rw_csv_parse(rw_context *ctx, const char *name, const char *text, size_t n, rw_csv_table *table)
{
    reader r = {ctx, name, text, text + n, 0};
    *table = (rw_csv_table){0};
    const char *zero = n ? memchr(text, 0, n) : NULL;
    rw_status status = zero ? rw_fail(ctx, RW_ERR_INPUT, "%s: byte %td is 0: a table must be text", name, zero - text)
                            : read_table(&r, table);
    if (status != RW_OK) rw_csv_free(table);
    return status;
}

rw_status rw_csv_read(rw_context *ctx, const char *path, rw_csv_table *table)
{
    char *text;
    size_t n;
    *table = (rw_csv_table){0};
    RW_TRY(rw_file_read(ctx, path, SIZE_MAX / 2, &text, &n));
    rw_status status = rw_csv_parse(ctx, path, text, n, table);
    rw_free(text);
    return status;
}

rw_status rw_csv_column(rw_context *ctx, const rw_csv_table *table, const char *name, const double **values)
{
    *values = NULL;
    for (int i = 0; i < table->n_columns && !*values; i++)
        if (strcmp(table->names[i], name) == 0) *values = table->columns[i];
    if (*values) return RW_OK;
    const char *near = rw_nearest(name, (const char *const *)table->names, table->n_columns);
    return rw_fail(ctx, RW_ERR_INPUT, "there is no column '%s'%s%s%s", name, near ? ": did you mean '" : "",
                   near ? near : "", near ? "'?" : "");
}

void rw_csv_free(rw_csv_table *table)
{
    for (int i = 0; i < table->n_columns; i++) {
        rw_free(table->names[i]);
        rw_free(table->units[i]);
        rw_free(table->columns[i]);
    }
    rw_free(table->names);
    rw_free(table->units);
    rw_free(table->columns);
    *table = (rw_csv_table){0};
}
