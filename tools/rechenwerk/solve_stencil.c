/* rechenwerk solve --stencil: a system whose matrix is an equation on a grid. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rechenwerk/run.h"
#include "rechenwerk/stencil.h"
#include "solve.h"

/* Boundary conditions whose values may be 0. */
#define OF_0(text) text,
#define OF_1(text) text,
#define OF_3(text)
#define RW_X(name, text, line, values) OF_##values(text)
static const char *const names[] = {RW_BOUNDARY_LIST(RW_X) NULL};
#undef RW_X

/* One to three numbers with a letter between them; how many, 0: something else stands there. */
static int numbers_of(const char *text, char between, double number[3])
{
    for (int n = 0; n < 3;) {
        char *end;
        number[n] = strtod(text, &end);
        if (end == text) return 0;
        n++;
        if (!*end) return n;
        if (*end != between) return 0;
        text = end + 1;
    }
    return 0;
}

static int read_grid(const arguments *a, solve *s)
{
    const char *grid = value_of(a, "grid"), *spacing = value_of(a, "spacing");
    double size[3], h[3], cells = 1, most = 0;
    if (!grid) return usage("solve: --stencil needs a grid: give --grid, such as --grid 64x64");
    const int ndim = numbers_of(grid, 'x', size);
    for (int d = 0; d < ndim; d++) {
        if (!(size[d] >= 1 && size[d] <= 1e9 && floor(size[d]) == size[d]))
            return usage("solve: --grid %s: must be integers from 1 to 1000000000, such as 64x64x32", grid);
        cells *= size[d];
        most = fmax(most, size[d]);
    }
    if (ndim == 0 || cells > 1e12)
        return usage("solve: --grid %s: must be one to three numbers of cells, such as 64x64x32, 1e12 cells at most",
                     grid);
    const int given_spacings = spacing ? numbers_of(spacing, ',', h) : 0;
    if (spacing && given_spacings != 1 && given_spacings != ndim)
        return usage("solve: --spacing %s: must be one number, or one for each of %d axes: 0.1,0.2", spacing, ndim);
    s->grid = (rw_grid){.ndim = ndim, .size = {1, 1, 1}, .spacing = {1, 1, 1}};
    for (int d = 0; d < ndim; d++) {
        s->grid.size[d] = (int64_t)size[d];
        s->grid.spacing[d] = !spacing ? 1 / (most + 1) : h[given_spacings == 1 ? 0 : d];
        if (!(s->grid.spacing[d] > 0 && s->grid.spacing[d] < 1e300))
            return usage("solve: --spacing %s: must be above 0", spacing);
    }
    s->e.rows = s->e.columns = (int64_t)cells;
    return 0;
}

/* --boundary: one name, or one for each axis. */
static int read_boundary(rw_context *ctx, const arguments *a, solve *s)
{
    const char *text = value_of(a, "boundary") ? value_of(a, "boundary") : "dirichlet";
    int n = 0;
    for (const char *word = text;; word = strchr(word, ',') + 1) {
        const int length = (int)strcspn(word, ",");
        char name[32];
        int i = 0;
        snprintf(name, sizeof name, "%.*s", length, word);
        while (names[i] && strcmp(names[i], name) != 0) i++;
        if (!names[i]) return usage("solve: --boundary %s: unknown boundary%s", name, suggest(name, names));
        if (n == s->grid.ndim)
            return usage("solve: --boundary %s: must be one name, or one for each of %d axes", text, s->grid.ndim);
        rw_boundary_kind_parse(ctx, name, &s->boundary[n++]);
        if (!word[length]) break;
    }
    if (n != 1 && n != s->grid.ndim)
        return usage("solve: --boundary %s: must be one name, or one for each of %d axes", text, s->grid.ndim);
    for (; n < s->grid.ndim; n++) s->boundary[n] = s->boundary[0];
    return 0;
}

int read_stencil(rw_context *ctx, const arguments *a, solve *s)
{
    static const char *const of_matrices[] = {"format", "values"};
    for (int i = 0; i < COUNT(of_matrices); i++)
        if (given(a, of_matrices[i])) return usage("solve: --%s applies to matrices, not to --stencil", of_matrices[i]);
    int code = read_grid(a, s);
    if (code == 0) code = read_boundary(ctx, a, s);
    if (code != 0) return code;
    rw_status status = open_device(ctx, a, &s->device);
    if (status != RW_OK) return failed(ctx, status);
    code = find_vectors(ctx, a, s);
    s->layout.layout.values = s->vectors;
    return code;
}

rw_status make_stencil(solve *s)
{
    rw_expr_field fields[] = {{.name = "u", .dtype = s->vectors}, {.name = "Au", .dtype = s->vectors}};
    char *text = malloc(strlen(s->stencil) + 8);
    if (!text) return RW_ERR_MEMORY;
    sprintf(text, "Au = %s", s->stencil);
    for (int side = 0; side < 2 * s->grid.ndim; side++)
        fields[0].boundary[side] = (rw_boundary){.kind = s->boundary[side / 2]};
    const rw_expr_spec spec = {.name = text, .text = text, .grid = s->grid, .fields = fields, .nfields = 2};
    const rw_status status = rw_operator_from_expr(s->device, &spec, "u", "Au", &s->a);
    free(text);
    return status;
}

void print_stencil(const solve *s)
{
    printf("%s: ", s->stencil);
    for (int d = 0; d < s->grid.ndim; d++) printf("%s%lld", d ? " x " : "", (long long)s->grid.size[d]);
    printf(" cells");
    for (int d = 0; d < s->grid.ndim; d++)
        printf("; %c: spacing %.4g, %s", "xyz"[d], s -> grid.spacing[d], rw_boundary_kind_name(s->boundary[d]));
    printf("\n");
}
