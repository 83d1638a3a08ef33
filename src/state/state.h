/* The state of a problem: named fields, each on a layout, in memory of a device.
 *
 *   rw_state state = {.device = dev};
 *   rw_state_add(&state, "u", "K", RW_F64, &grid, RW_MEMORY_DEVICE);      an array on the layout
 *   rw_state_observe(&state, "t", "step", NULL);                          columns t, step, u_min, u_max, u_mean
 *   rw_state_save(&state, "/state", file);  rw_state_load(&state, "/state", file);
 *   rw_state_free(&state);
 *
 * Sides, integrators and equations are not here: they belong to the problem. */
#ifndef RW_STATE_H
#define RW_STATE_H

#include "io/h5.h"
#include "rechenwerk/device.h"
#include "rechenwerk/expr.h"
#include "state/layout.h"

typedef struct rw_state_field {
    const char *name, *unit; /* live as long as the state */
    rw_array *array;         /* NULL without a device */
    const rw_layout *layout; /* NULL: the grid of the problem */
    bool derived;            /* computed from the others when an output is due */
    const char *vector;      /* name of the vector that it is a component of, with those after it; NULL: none */
    int component;           /* its number */
} rw_state_field;

/* The name that settings and pictures have: that of the vector. */
static inline const char *rw_state_shown(const rw_state_field *f) { return f->vector ? f->vector : f->name; }
/* The components of the vector that begins at f, the first of n fields; 1: it is none. */
static inline int rw_state_components(const rw_state_field *f, int n)
{
    int m = 1;
    while (f->vector && m < n && f[m].vector == f->vector) m++;
    return m;
}

/* A column of series.csv. Reductions are made when a row is due, not at each step. */
typedef struct rw_state_column {
    const char *name, *unit;
} rw_state_column;

/* Numbers of the case's own, columns after those of the fields. They are results of spec->text, computed in the same
 * pass as minimum, maximum and mean of the fields, which spec->fields lists as the state does, all on one layout. */
typedef struct rw_state_own {
    const rw_expr_spec *spec; /* `t` is among its scalars */
    int n, names;             /* the first `names` of the n are names in the text, and no columns */
    const rw_state_column *columns;
} rw_state_own;

enum { RW_STATE_NUMBERS = 4 };

typedef struct rw_state {
    rw_device *device; /* NULL: names and layouts only */
    int nfields, capacity;
    rw_state_field *fields;
    int ncolumns, nown;
    rw_state_column *columns;
    /* columns after those of fields that the caller sets before each row; set their names before rw_state_observe */
    int nnumbers;
    const char *numbers[RW_STATE_NUMBERS];
    double number[RW_STATE_NUMBERS];
    char prefix[32];     /* of the names of results in the observers, which no other name begins with */
    rw_expr **observers; /* [nfields] of each layout, at its first field; otherwise NULL */
} rw_state;

/* Adds a field with an array, to which nothing is written yet. ERR_MEMORY, ERR_DEVICE. */
rw_status rw_state_add(rw_state *s, const char *name, const char *unit, rw_dtype type, const rw_layout *layout,
                       rw_memory memory);
void rw_state_free(rw_state *s);

/* A program over fields on a layout, whose coordinates are those of the layout; of points and curves x, y and z are
 * fields of that name. spec->grid is not read. */
rw_status rw_state_program(rw_device *device, const rw_layout *layout, const rw_expr_spec *spec, rw_expr **program);

/* Makes the columns: `first` ("t", or RW_ITERATION of a stationary problem), `second` ("step"), minimum, maximum and
 * mean of each field, of a complex one of its modulus (A_abs_min, …), and those of `own` (NULL: none); all of a layout
 * in one pass.
 * Of a field with one value (RW_LAYOUT_VALUE) this value, which has the name of the field. */
rw_status rw_state_observe(rw_state *s, const char *first, const char *second, const rw_state_own *own);
/* The beginning of names that no scalar and field of own->spec and no own column has, for numbers to follow. */
void rw_state_prefix(const rw_state_own *own, char prefix[32]);
/* The column of the mean of field f, or of its only value: it is not finite where a value is not. */
int rw_state_mean(const rw_state *s, int f);
/* The values of these columns for the present state. */
rw_status rw_state_row(rw_state *s, double first, double second, double *values);

/* Fields as datasets GROUP/NAME with checksums. Loading: ERR_INPUT for another shape. */
rw_status rw_state_save(const rw_state *s, const char *group, rw_h5 *file);
rw_status rw_state_load(const rw_state *s, const char *group, rw_h5 *file);
/* The same of one field whose values are in `array`. */
rw_status rw_state_save_field(const rw_state_field *f, const char *group, rw_array *array, rw_h5 *file);
rw_status rw_state_load_field(const rw_state_field *f, const char *group, rw_array *array, rw_h5 *file);

#endif
