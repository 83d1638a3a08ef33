/* Pairs of rows and columns by augmenting paths, and their systems by Tarjan's algorithm with a stack of its own: text
 * of any length must not exhaust the stack of the thread. */
#include "depgraph/pairing.h"

#include <stdlib.h>
#include <string.h>

rw_status rw_pairing_create(rw_context *ctx, int nrows, int ncolumns, rw_pairing **pairing)
{
    const size_t rows = (size_t)nrows + 1, columns = (size_t)ncolumns + 1;
    rw_pairing *p = *pairing = rw_calloc(1, sizeof *p);
    const bool made =
        p && (p->has = rw_calloc(rows * columns, sizeof(bool))) &&
        (p->needs = rw_calloc(rows * columns, sizeof(bool))) && (p->column_of = rw_calloc(rows, sizeof(int))) &&
        (p->row_of = rw_calloc(columns, sizeof(int))) && (p->in_rows = rw_calloc(rows, sizeof(bool))) &&
        (p->in_columns = rw_calloc(columns, sizeof(bool))) && (p->order = rw_calloc(rows, sizeof(int))) &&
        (p->first = rw_calloc(rows, sizeof(int))) && (p->work = rw_calloc(5 * RW_MAX(rows, columns), sizeof(int)));
    if (!made) {
        rw_pairing_destroy(pairing);
        return rw_fail_memory(ctx, 2 * rows * columns, "pairs of equations and unknowns");
    }
    p->nrows = nrows;
    p->ncolumns = ncolumns;
    for (int i = 0; i < nrows; ++i) p->column_of[i] = -1;
    for (int i = 0; i < ncolumns; ++i) p->row_of[i] = -1;
    return RW_OK;
}

void rw_pairing_destroy(rw_pairing **pairing)
{
    rw_pairing *p = *pairing;
    *pairing = NULL;
    if (!p) return;
    rw_free(p->has);
    rw_free(p->needs);
    rw_free(p->column_of);
    rw_free(p->row_of);
    rw_free(p->in_rows);
    rw_free(p->in_columns);
    rw_free(p->order);
    rw_free(p->first);
    rw_free(p->work);
    rw_free(p);
}

/* ---- matching ---------------------------------------------------------------------------------------------------- */

/* The pattern as seen from one side: rows looking for columns, or columns for rows. */
typedef struct view {
    const bool *has;
    int n, nothers;
    size_t step, other_step; /* has[i * step + k * other_step] */
    int *partner, *partner_of_other;
    bool *reached, *reached_other;
    int *from; /* [nothers] where the search came from */
} view;

static view rows_of(rw_pairing *p)
{
    return (view){p->has,       p->nrows,  p->ncolumns, (size_t)p->ncolumns, 1,
                  p->column_of, p->row_of, p->in_rows,  p->in_columns,       p->work};
}

static view columns_of(rw_pairing *p)
{
    return (view){p->has,    p->ncolumns,  p->nrows,      1,          (size_t)p->ncolumns,
                  p->row_of, p->column_of, p->in_columns, p->in_rows, p->work};
}

/* Breadth first along alternating paths from an unpaired `start`: to an unpaired one of the other side, or -1. */
static int search(const view *v, int start, int *queue)
{
    int n = 1;
    memset(v->reached, 0, (size_t)v->n);
    memset(v->reached_other, 0, (size_t)v->nothers);
    queue[0] = start;
    v->reached[start] = true;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < v->nothers; ++k) {
            if (!v->has[(size_t)queue[i] * v->step + (size_t)k * v->other_step] || v->reached_other[k]) continue;
            v->reached_other[k] = true;
            v->from[k] = queue[i];
            if (v->partner_of_other[k] < 0) return k;
            queue[n++] = v->partner_of_other[k];
            v->reached[v->partner_of_other[k]] = true;
        }
    return -1;
}

static int *queue_of(rw_pairing *p) { return p->work + RW_MAX(p->nrows, p->ncolumns); }

void rw_pairing_match(rw_pairing *p)
{
    const view v = rows_of(p);
    for (int row = 0; row < p->nrows; ++row) {
        int column = p->column_of[row] < 0 ? search(&v, row, queue_of(p)) : -1;
        while (column >= 0) { /* pairs along the path change places */
            const int by = v.from[column], next = p->column_of[by];
            p->column_of[by] = column;
            p->row_of[column] = by;
            column = next;
        }
    }
}

void rw_pairing_row_excess(rw_pairing *p, int row)
{
    const view v = rows_of(p);
    search(&v, row, queue_of(p));
}

void rw_pairing_column_excess(rw_pairing *p, int column)
{
    const view v = columns_of(p);
    search(&v, column, queue_of(p));
}

/* ---- systems ----------------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Rows: number[row] 0 until it is met; `member` holds those whose system is open, `path` those being visited. */
typedef struct components {
    int *number, *low, *member, *path, *next;
    int count, nmembers, npath, norder;
} components;

static void enter(components *c, int row)
{
    c->number[row] = c->low[row] = ++c->count;
    c->member[c->nmembers++] = c->path[c->npath++] = row;
    c->next[row] = 0;
}

/* Closes the row on top of the path; a system when nothing in it reaches further up. */
static void leave(rw_pairing *p, components *c)
{
    const int row = c->path[--c->npath], begin = c->norder;
    if (c->npath) c->low[c->path[c->npath - 1]] = RW_MIN(c->low[c->path[c->npath - 1]], c->low[row]);
    if (c->low[row] != c->number[row]) return;
    int member;
    do {
        member = c->member[--c->nmembers];
        c->low[member] = p->nrows + 1; /* closed */
        p->order[c->norder++] = member;
    } while (member != row);
    qsort(p->order + begin, (size_t)(c->norder - begin), sizeof *p->order, compare);
    p->first[++p->nsystems] = c->norder;
}

void rw_pairing_order(rw_pairing *p)
{
    const int n = p->nrows;
    components c = {p->work, p->work + n, p->work + 2 * n, p->work + 3 * n, p->work + 4 * n, 0, 0, 0, 0};
    memset(c.number, 0, (size_t)n * sizeof *c.number);
    p->nsystems = 0;
    for (int root = 0; root < n; ++root) {
        if (!c.number[root]) enter(&c, root);
        while (c.npath) {
            const int row = c.path[c.npath - 1], column = c.next[row]++;
            if (column == n) leave(p, &c);
            else if (p->needs[(size_t)row * (size_t)n + (size_t)column]) {
                const int to = p->row_of[column];
                if (!c.number[to]) enter(&c, to);
                else if (c.low[to] <= n) c.low[row] = RW_MIN(c.low[row], c.number[to]);
            }
        }
    }
}
