/* What another program measured, for the study `precision`: a table in the form of files/csv.h but for the words in
 * front,
 *
 *   problem,method,rtol,steps,rejected,rhs,stages,error,seconds
 *   front,rkc2,1e-02,25,0,410,54,8.865e-03,2.8612e-03
 *
 * The words are taken out and spaces put in their places, so that the reader of numbers finds a table of numbers, with
 * gaps, and its messages have the right line and column. The row above of sundials.csv is a point of the curve
 * "sundials rkc2". */
#include <math.h>
#include <string.h>

#include "files/csv.h"
#include "lab/precision.h"

enum { WORD = 24, SIZE_MOST = 1 << 26 };
static const char head[] = "problem,method,";

typedef struct row {
    long line;
    char problem[WORD + 1], method[WORD + 1];
} row;

typedef struct reader {
    rw_context *ctx;
    const char *path;
    row *rows;
    int n, capacity;
} reader;

static bool is_word(const char *text, size_t n)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_+";
    return n > 0 && n <= WORD && strspn(text, allowed) >= n;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* Reads the word up to the next comma and moves *at past it. */
static rw_status take_word(const reader *r, long line, char **at, char *comma, char word[WORD + 1])
{
    char *from = *at, *to = comma;
    while (from < to && is_blank(*from)) ++from;
    while (from < to && is_blank(to[-1])) --to;
    size_t n = (size_t)(to - from);
    if (!is_word(from, n))
        return rw_fail(r->ctx, RW_ERR_INPUT,
                       "%s:%ld: '%.*s' is not a valid name of a problem or method: it must have 1 to %d letters, "
                       "digits, . - _ +",
                       r->path, line, (int)RW_MIN(n, 40), from, (int)WORD);
    memcpy(word, from, n);
    memset(*at, ' ', (size_t)(comma - *at));
    *at = comma + 1;
    return RW_OK;
}

/* A line with fewer cells than two is left to the reader of numbers, which refuses it. */
static rw_status take_words(reader *r, long line, char *at, const char *end)
{
    row w = {.line = line};
    char *first = memchr(at, ',', (size_t)(end - at));
    char *second = first ? memchr(first + 1, ',', (size_t)(end - first - 1)) : NULL;
    if (!second) return RW_OK;
    RW_TRY(take_word(r, line, &at, first, w.problem));
    RW_TRY(take_word(r, line, &at, second, w.method));
    if (!rw_grow(&r->rows, &r->capacity, r->n + 1, sizeof w)) return rw_fail_memory(r->ctx, sizeof w, r->path);
    r->rows[r->n++] = w;
    return RW_OK;
}

static bool is_row(const char *at, const char *end)
{
    while (at < end && is_blank(*at)) ++at;
    return at < end && *at != '#';
}

static rw_status take_all_words(reader *r, char *text, size_t size)
{
    char *stop = text + size;
    long line = 0;
    if (strncmp(text, head, strlen(head)) != 0)
        return rw_fail(r->ctx, RW_ERR_INPUT,
                       "%s:1: the first line does not begin with '%s': the file must be a table as written by "
                       "bench/peers/sundials.c",
                       r->path, head);
    for (char *at = text, *end; at < stop; at = end + 1) {
        end = memchr(at, '\n', (size_t)(stop - at));
        if (!end) end = stop;
        if (++line > 1 && is_row(at, end)) RW_TRY(take_words(r, line, at, end));
    }
    return RW_OK;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

enum { TOLERANCE, STEPS, REJECTED, RHS, STAGES, ERROR, SECONDS, COLUMNS };
static const struct {
    const char *name;
    double least, most;
} columns[COLUMNS] =
    {[TOLERANCE] = {"rtol", 1e-16, 1}, [STEPS] = {"steps", 0, 1e15},  [REJECTED] = {"rejected", 0, 1e15},
     [RHS] = {"rhs", 0, 1e15},         [STAGES] = {"stages", 0, 1e9}, [ERROR] = {"error", 0, 1e300},
     [SECONDS] = {"seconds", 0, 1e9}};

static rw_status check_numbers(const reader *r, const row *w, const double *v)
{
    for (int c = 0; c < COLUMNS; ++c)
        if (!(v[c] >= columns[c].least && v[c] <= columns[c].most))
            return rw_fail(r->ctx, RW_ERR_INPUT, "%s:%ld: %s = %g is outside [%g, %g]", r->path, w->line,
                           columns[c].name, v[c], columns[c].least, columns[c].most);
    return RW_OK;
}

static rw_status find_problem(const reader *r, const row *w, const char *const *problems, int n, int *problem)
{
    for (*problem = 0; *problem < n; ++*problem)
        if (!strcmp(problems[*problem], w->problem)) return RW_OK;
    char what[512];
    snprintf(what, sizeof what, "%s:%ld: problem", r->path, w->line);
    return rw_lab_refuse(r->ctx, what, w->problem, problems, n);
}

/* "sundials rkc2" of results/sundials.csv */
static rw_status name_curve(rw_lab *lab, const reader *r, const char *method, int *name)
{
    char text[2 * WORD + 2];
    const char *slash = strrchr(r->path, '/'), *file = slash ? slash + 1 : r->path;
    size_t n = strcspn(file, ".");
    if (!is_word(file, n))
        return rw_fail(r->ctx, RW_ERR_ARGUMENT,
                       "%s: curves are named after the file: name it PROGRAM.csv, where PROGRAM has 1 to %d letters, "
                       "digits, - _ +",
                       r->path, (int)WORD);
    snprintf(text, sizeof text, "%.*s %s", (int)n, file, method);
    return rw_lab_name(lab, text, true, name);
}

static rw_status add_points(rw_lab *lab, const reader *r, const rw_csv_table *t, const char *const *problems,
                            int nproblems, rw_lab_points *points)
{
    const double *column[COLUMNS];
    for (int c = 0; c < COLUMNS; ++c) {
        rw_status status = rw_csv_column(r->ctx, t, columns[c].name, &column[c]);
        if (status != RW_OK) return rw_fail_prefix(r->ctx, status, "%s:1", r->path);
    }
    for (int i = 0; i < r->n; ++i) {
        double v[COLUMNS];
        for (int c = 0; c < COLUMNS; ++c) v[c] = column[c][i];
        RW_TRY(check_numbers(r, r->rows + i, v));
        rw_lab_point p = {.tolerance = v[TOLERANCE],
                          .error = v[ERROR],
                          .seconds = v[SECONDS],
                          .work = {.steps = (int64_t)v[STEPS],
                                   .rejected = (int64_t)v[REJECTED],
                                   .rhs = (int64_t)v[RHS],
                                   .max_stages = (int)v[STAGES]}};
        RW_TRY(find_problem(r, r->rows + i, problems, nproblems, &p.problem));
        RW_TRY(name_curve(lab, r, r->rows[i].method, &p.name));
        RW_TRY(rw_lab_add_point(lab, points, &p));
    }
    return RW_OK;
}

rw_status rw_lab_add_point(rw_lab *lab, rw_lab_points *points, const rw_lab_point *point)
{
    if (!rw_grow(&points->at, &points->capacity, points->n + 1, sizeof *point))
        return rw_fail_memory(lab->ctx, sizeof *point, "a point");
    points->at[points->n++] = *point;
    return RW_OK;
}

rw_status rw_lab_read_peers(rw_lab *lab, const char *path, const char *const *problems, int nproblems,
                            rw_lab_points *points)
{
    char *text;
    size_t size;
    rw_csv_table table = {0};
    reader r = {.ctx = lab->ctx, .path = path};
    RW_TRY(rw_file_read(lab->ctx, path, SIZE_MOST, &text, &size));
    rw_status status = take_all_words(&r, text, size);
    if (status == RW_OK) status = rw_csv_parse(lab->ctx, path, text, size, &table);
    if (status == RW_OK) status = add_points(lab, &r, &table, problems, nproblems, points);
    rw_csv_free(&table);
    rw_free(r.rows);
    rw_free(text);
    return status;
}
