/* rechenwerk solve A.mtx [b], or --stencil EQUATION [b]: a linear system on a device. Its memory is printed before, the
 * residuals after. */
#include "solve.h"
#include "rechenwerk/figure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- residuals --------------------------------------------------------------------------------------------------- */

static rw_status watch(void *user, int64_t iteration, double residual)
{
    history *h = user;
    if (h->n == h->room && !h->failed) {
        const int64_t room = 2 * h->room + 1024;
        double *more = realloc(h->residual, (size_t)room * sizeof *more);
        if (more) {
            h->residual = more;
            h->room = room;
        } else h->failed = true;
    }
    if (h->n < h->room && h->n == iteration) h->residual[h->n++] = residual;
    if (!h->terminal || time(NULL) == h->shown) return RW_OK;
    h->shown = time(NULL);
    fprintf(stderr, "\r\033[Kiteration %lld  |r| = %.3e", (long long)iteration, residual);
    fflush(stderr);
    return RW_OK;
}

/* 0, 1, 2, 5, 10, 20, 50, … */
static bool in_table(int64_t i)
{
    while (i >= 10 && i % 10 == 0) i /= 10;
    return i == 0 || i == 1 || i == 2 || i == 5;
}

/* Of |b|; |r| itself where b is 0. */
static double relative(const solve *s, double residual)
{
    return s->result.right_side > 0 ? residual / s->result.right_side : residual;
}

static void print_residuals(const solve *s)
{
    const history *h = &s->h;
    printf("\n   %-10s %12s %12s\n", "iteration", "|r|", "|r| / |b|");
    for (int64_t i = 0; i < h->n; i++)
        if (in_table(i) || i == h->n - 1)
            printf("   %-10lld %12.4e %12.4e\n", (long long)i, h->residual[i], relative(s, h->residual[i]));
}

static int write_history(const char *path, const solve *s)
{
    char *temporary = malloc(strlen(path) + 8);
    if (!temporary) return usage("solve: no memory for '%s'", path);
    sprintf(temporary, "%s.part", path);
    FILE *file = fopen(temporary, "w");
    bool good = file && fprintf(file, "iteration,residual,relative\n") > 0;
    for (int64_t i = 0; good && i < s->h.n; i++)
        good = fprintf(file, "%lld,%.17g,%.17g\n", (long long)i, s->h.residual[i], relative(s, s->h.residual[i])) > 0;
    if (file) good = fclose(file) == 0 && good;
    good = good && rename(temporary, path) == 0;
    if (!good) fprintf(stderr, "rechenwerk: solve: '%s' cannot be written: %s\n", path, strerror(errno));
    if (!good && file) remove(temporary);
    free(temporary);
    return good ? 0 : 1;
}

/* ---- report ------------------------------------------------------------------------------------------------------ */

/* Preconditioner of the solver, or of its inner solver. */
static const rw_precond_spec *precond_of(const solve *s)
{
    return s->spec.inner ? &s->spec.inner->precond : &s->spec.precond;
}

static rw_status forecast_precond(solve *s)
{
    rw_sparse_size size = s->layout.size;
    size.rows = s->e.rows; /* of a stencil too */
    if (!s->stencil)
        return rw_precond_estimate(s->device, precond_of(s), &s->layout.layout, &s->e, s->vectors, &s->precond_bytes);
    const int64_t bytes =
        rw_precond_memory(precond_of(s), s->stencil ? NULL : &s->layout.layout, &size, s->vectors, NULL);
    s->precond_bytes = (rw_precond_bytes){.device = bytes, .least = bytes, .most = bytes, .device_setup = bytes};
    return RW_OK;
}

/* ", preconditioner 12.4 MB", or with "(0.3 MB to 2.6 MB)" where the values of the matrix decide. */
static void print_precond_memory(FILE *file, const solve *s)
{
    const rw_precond_bytes *b = &s->precond_bytes;
    if (!precond_of(s)->method) return;
    fprintf(file, ", preconditioner %s", in_units((double)b->device).text);
    if (b->most > b->least)
        fprintf(file, " (%s to %s)", in_units((double)b->least).text, in_units((double)b->most).text);
}

/* Vectors of the solver, b and x. */
static double vectors_of(const solve *s)
{
    return (double)rw_krylov_memory(&s->spec, s->e.rows, s->vectors) +
           2 * (double)s->e.rows * (double)rw_dtype_size(s->vectors);
}

/* The largest device memory at once, for a preconditioner of `bytes`; it is made before the vectors of the
 * solver. */
static double memory_of(const solve *s, int64_t precond)
{
    const double before = 2 * (double)s->e.rows * (double)rw_dtype_size(s->vectors),
                 temporaries = (double)(s->precond_bytes.device_setup - s->precond_bytes.device);
    return (double)s->layout.size.bytes + (double)precond + fmax(vectors_of(s), before + temporaries);
}

bool restarts(const solve *s)
{
    rw_krylov_spec one = s->spec, two = s->spec;
    one.restart = 1;
    two.restart = 2;
    return rw_krylov_memory(&one, 1, s->vectors) != rw_krylov_memory(&two, 1, s->vectors);
}

static const char *format_of(const solve *s) { return s->stencil ? "none" : text_of(&s->layout.layout); }

static void print_before(const solve *s)
{
    const rw_device_properties *d = rw_device_info(s->device);
    const rw_krylov_spec *k = &s->spec;
    if (s->stencil) print_stencil(s);
    else print_matrix(s->matrix, &s->e);
    printf("  device     %s\n  format     %s%s%s\n", d->name, format_of(s), *s->reason ? ": " : "", s->reason);
    printf("  memory     %s on the device: matrix %s, vectors %s", in_units(memory_of(s, s->precond_bytes.device)).text,
           in_units((double)s->layout.size.bytes).text, in_units(vectors_of(s)).text);
    print_precond_memory(stdout, s);
    if (s->precond_bytes.device_setup > s->precond_bytes.device)
        printf(", %s during its setup", in_units((double)s->precond_bytes.device_setup).text);
    if (d->memory_free > 0) printf("; free %s", in_units((double)d->memory_free).text);
    if (s->precond_bytes.host_setup > 0)
        printf("\n             %s of host memory during setup of the preconditioner",
               in_units((double)s->precond_bytes.host_setup).text);
    printf("\n  method     %s, ", rw_krylov_method_name(k->method));
    if (restarts(s)) printf("restart %d, ", k->restart);
    if (k->inner) printf("inner solver %s; ", s->inner_text);
    else printf("preconditioner %s; ", s->precond);
    printf("vectors %s\n", rw_dtype_name(s->vectors));
    printf("  stops      at |r| <= max(%.3g |b|, %.3g), or after %lld iterations\n", fmax(k->rtol, 0), fmax(k->atol, 0),
           (long long)k->iterations);
    fflush(stdout);
}

static void print_precond(const solve *s)
{
    const rw_precond_info *i = &s->info;
    char of[40] = "entries";
    if (i->block > 1) snprintf(of, sizeof of, "blocks of %d x %d", i->block, i->block);
    printf("\n  %s: %.4g %s, %s, %lld levels, setup %s\n", s->precond, (double)i->blocks, of,
           in_units((double)i->bytes).text, (long long)i->levels, in_time(i->seconds).text);
    if (i->shift > 0)
        printf("    factors of A + %.3g diag(A): unshifted, the pivot of row %lld, counted from 0, is not "
               "positive\n",
               i->shift, (long long)i->shift_row);
}

static void print_after(const solve *s, bool converged, double error)
{
    const rw_krylov_result *r = &s->result;
    if (s->spec.precond.method) print_precond(s);
    print_residuals(s);
    printf("\n  %s after %lld iterations, %s: %s\n", converged ? "converged" : "stopped", (long long)r->iterations,
           in_time(r->seconds).text, rw_krylov_reason_text(r->reason));
    if (r->right_side > 0)
        printf("  |b - A x| = %.4e, %.4e of |b|; by the recurrence %.4e\n", r->residual, relative(s, r->residual),
               r->estimate);
    else printf("  |b - A x| = %.4e; b is 0\n", r->residual);
    if (!s->right_side)
        printf("  largest error of x: %.3e%s\n", error,
               s->known ? ", which may include a part in the null space of A" : "");
}

static int print_as_json(const solve *s, bool converged, double error)
{
    const rw_krylov_result *r = &s->result;
    const rw_precond_bytes *p = &s->precond_bytes;
    rw_json_writer *w = json_begin(0);
    rw_json_add_string(w, "file", s->matrix);
    rw_json_add_integer(w, "rows", s->e.rows);
    rw_json_add_integer(w, "entries", s->e.n);
    rw_json_add_string(w, "device", rw_device_info(s->device)->name);
    rw_json_add_string(w, "format", format_of(s));
    rw_json_add_string(w, "method", rw_krylov_method_name(s->spec.method));
    rw_json_add_string(w, "preconditioner", s->precond);
    if (s->inner_text) rw_json_add_string(w, "inner", s->inner_text);
    rw_json_add_string(w, "vectors", rw_dtype_name(s->vectors));
    rw_json_add_bool(w, "converged", converged);
    rw_json_add_string(w, "reason", rw_krylov_reason_text(r->reason));
    rw_json_add_integer(w, "iterations", r->iterations);
    rw_json_add_number(w, "first", r->first);
    rw_json_add_number(w, "residual", r->residual);
    rw_json_add_number(w, "estimate", r->estimate);
    rw_json_add_number(w, "right_side", r->right_side);
    rw_json_add_integer(w, "precond_block", s->info.block);
    rw_json_add_number(w, "precond_shift", s->info.shift);
    rw_json_add_number(w, "seconds", r->seconds);
    rw_json_add_number(w, "precond_seconds", s->info.seconds);
    rw_json_add_integer(w, "precond_bytes", s->info.bytes);
    rw_json_add_number(w, "memory", memory_of(s, p->device));
    rw_json_add_integer(w, "precond_expected", p->device);
    rw_json_add_integer(w, "precond_least", p->least);
    rw_json_add_integer(w, "precond_most", p->most);
    rw_json_add_integer(w, "precond_setup", p->device_setup);
    rw_json_add_integer(w, "precond_host_setup", p->host_setup);
    rw_json_add_string(w, "b", right_side_text(s));
    if (!s->right_side) rw_json_add_number(w, "error", error);
    return json_end();
}

/* ---- work -------------------------------------------------------------------------------------------------------- */

/* What takes less where the largest part of the memory does, of what is not done yet. */
static const char *advice_of(const solve *s, double matrix, double vectors, double precond)
{
    const bool double_vectors = s->vectors == RW_F64 || s->vectors == RW_C128,
               double_values = s->layout.layout.values == RW_F64 || s->layout.layout.values == RW_C128;
    const bool fewer = restarts(s) && s->spec.restart > 1;
    if (precond > matrix && precond > vectors)
        return "a preconditioner that needs less: jacobi, or one with :f32, :scaled or less fill";
    if (matrix > vectors) return !s->stencil && double_values ? "--values f32" : "a device with more memory: -d";
    return fewer            ? double_vectors ? "a smaller --restart, or --vectors f32" : "a smaller --restart"
           : double_vectors ? "--vectors f32"
                            : "a device with more memory: -d";
}

static int check_memory(const solve *s)
{
    const rw_device_properties *d = rw_device_info(s->device);
    const double whole = memory_of(s, s->precond_bytes.least), matrix = (double)s->layout.size.bytes,
                 precond = (double)s->precond_bytes.least, vectors = vectors_of(s);
    if (d->memory_free <= 0 || whole <= (double)d->memory_free) return 0;
    fprintf(stderr, "rechenwerk: solve: needs %s on %s (matrix %s, vectors %s", in_units(whole).text, d->name,
            in_units(matrix).text, in_units(vectors).text);
    print_precond_memory(stderr, s);
    fprintf(stderr, "), but %s are free: use %s\n", in_units((double)d->memory_free).text,
            advice_of(s, matrix, vectors, precond));
    return 5;
}

/* The file that an option names; after an interruption NAME.partial.EXT, so that a complete file is not replaced. */
static const char *output_of(const arguments *a, const char *which, bool cut, char name[4096])
{
    const char *path = value_of(a, which);
    if (!path || !cut) return path;
    const char *ending = strrchr(path, '.'); /* not NULL: check_files */
    snprintf(name, 4096, "%.*s.partial%s", (int)(ending - path), path, ending);
    return name;
}

/* Writes the results of a solver that has run, converged or not. */
static int write_files(rw_context *ctx, const arguments *a, const solve *s, bool cut)
{
    char names[3][4096];
    const char *output = output_of(a, "output", cut, names[0]), *csv = output_of(a, "history", cut, names[1]),
               *plot = output_of(a, "plot", cut, names[2]);
    const rw_krylov_result *r = &s->result;
    rw_status status = output ? rw_array_save(s->x, output) : RW_OK;
    if (status == RW_OK && plot)
        status = rw_figure_write_residuals(ctx, plot, s->matrix, s->h.n, s->h.residual, r->right_side,
                                           fmax(s->spec.rtol * r->right_side, s->spec.atol));
    if (status != RW_OK) return failed(ctx, status);
    return csv ? write_history(csv, s) : 0;
}

static int solve_system(rw_context *ctx, const arguments *a, solve *s)
{
    rw_krylov *solver = NULL;
    double error = 0;
    s->spec.monitor = watch;
    s->spec.user = &s->h;
    s->spec.cancel = stop_request();
    s->h.terminal = isatty(STDERR_FILENO) && !given(a, "quiet");
    rw_status status = rw_krylov_create(s->a, s->vectors, &s->spec, &solver);
    if (status == RW_OK) {
        rw_krylov_get_precond(solver, &s->info);
        status = rw_krylov_solve(solver, s->b, s->x, &s->result);
    }
    rw_krylov_destroy(&solver);
    if (s->h.terminal) fputs("\r\033[K", stderr);
    /* interrupted before the first residual, as while kernels are compiled: there is no x to write */
    const bool begun = status == RW_OK || s->h.n > 0;
    if (!begun || (status != RW_OK && status != RW_ERR_NOT_CONVERGED && status != RW_ERR_INTERRUPTED))
        return failed(ctx, status);
    char *message = strdup(rw_message(ctx));
    rw_status read = error_of_known(s, &error);
    const bool cut = status == RW_ERR_INTERRUPTED;
    int code = read == RW_OK ? write_files(ctx, a, s, cut) : failed(ctx, read);
    if (given(a, "json")) {
        const int printed = print_as_json(s, status == RW_OK, error);
        code = code ? code : printed;
    } else if (!given(a, "quiet")) print_after(s, status == RW_OK, error);
    fflush(stdout);
    if (status != RW_OK) fprintf(stderr, "rechenwerk: %s\n", message ? message : rw_status_text(status));
    char partial[4096];
    if (cut && value_of(a, "output") && code == 0)
        fprintf(stderr, "To continue:  --guess %s\n", output_of(a, "output", true, partial));
    free(message);
    return code ? code : rw_status_exit_code(status);
}

/* With an equation the first operand is b. */
static int find_operands(const arguments *a, solve *s)
{
    static const char *const of_equations[] = {"grid", "spacing", "boundary"};
    const int from = (s->stencil = value_of(a, "stencil")) ? 0 : 1;
    for (int i = 0; from && i < COUNT(of_equations); i++)
        if (given(a, of_equations[i]))
            return usage("solve: --%s needs an equation: --stencil 'u - 0.01*laplace(u)'", of_equations[i]);
    if (a->noperands < from)
        return usage("solve: an argument is missing; usage: rechenwerk solve A.mtx [b], or rechenwerk solve --stencil "
                     "EQUATION --grid SIZE [b]");
    if (a->noperands > from + 1)
        return usage("solve: '%s': unexpected argument: --stencil replaces the matrix", a->operands[from + 1]);
    s->matrix = from ? a->operands[0] : s->stencil;
    s->right_side = a->noperands > from ? a->operands[from] : NULL;
    return 0;
}

static int check_files(const arguments *a, const solve *s)
{
    static const output_file outputs[] = {{.name = "output", .ending = ".npy", .or_ending = ".mtx"},
                                          {.name = "history", .ending = ".csv"},
                                          {.name = "plot", .ending = ".png"}};
    /* x may take the place of the first guess */
    const char *const inputs[] = {s->stencil ? NULL : s->matrix, s->right_side};
    const char *const guess = value_of(a, "guess");
    const int missing = check_inputs(a, 1, &guess);
    return missing ? missing : check_outputs(a, COUNT(outputs), outputs, COUNT(inputs), inputs);
}

static int run(const arguments *a)
{
    solve *s = calloc(1, sizeof *s);
    rw_context *ctx = s ? make_context(a) : NULL;
    int code = 5;
    if (ctx) {
        code = find_operands(a, s);
        if (code == 0) code = parse_spec(ctx, a, s);
        if (code == 0) code = check_files(a, s);
        if (code == 0) code = s->stencil ? read_stencil(ctx, a, s) : read_system(ctx, a, s);
        if (code == 0) {
            const rw_status status = forecast_precond(s);
            code = status == RW_OK ? 0 : failed(ctx, status);
        }
        if (code == 0 && !given(a, "json") && !given(a, "quiet")) print_before(s);
        if (code == 0) code = check_memory(s);
        if (code == 0 && !given(a, "quiet")) warn_unless_hermitian(s);
        if (code == 0) code = make_system(ctx, a, s);
        if (code == 0 && !given(a, "json") && !given(a, "quiet")) {
            printf("  b          %s\n", right_side_text(s));
            fflush(stdout);
        }
        if (code == 0) code = solve_system(ctx, a, s);
        rw_array_destroy(&s->b);
        rw_array_destroy(&s->x);
        rw_array_destroy(&s->known);
        rw_operator_destroy(&s->a);
        rw_sparse_destroy(&s->assembled);
        rw_entries_free(&s->e);
        rw_device_close(&s->device);
        free(s->h.residual);
    }
    free(s);
    rw_context_destroy(&ctx);
    return code;
}

static const option options[] = {
    {"output", 0, "FILE", "output file for x: .npy or .mtx"},
    {"stencil", 0, "EQUATION",
     "matrix-free operator A u on a grid instead of a matrix, such as 'u - "
     "0.01*laplace(u)'"},
    {"grid", 0, "SIZE", "with --stencil: number of cells along x, y, z, such as 64x64x32"},
    {"spacing", 0, "H",
     "with --stencil: grid spacing, or one per axis as 0.1,0.2,0.1 (default: 1 / (cells of the longest axis + 1))"},
    {"boundary", 0, "NAME",
     "with --stencil: boundary condition, such as neumann or periodic (see rechenwerk help boundary), with values 0; "
     "or one per axis, separated by commas (default: dirichlet)"},
    {"method", 'm', "NAME", NULL},
    {"precond", 'p', "PRECOND", NULL},
    {"inner", 0, "SOLVER",
     "fgmres: inner solver as preconditioner, METHOD[:ITERATIONS[:PRECOND]] such as bicgstab:20:ilu0 (default: 10 "
     "iterations)"},
    {"format", 0, "FORMAT",
     "storage format such as csr or bsell:5x5 (see rechenwerk list formats), or auto: least predicted cost "
     "(default: auto)"},
    OPTION_DEVICE,
    OPTION_VALUES,
    OPTION_DUPLICATES,
    {"vectors", 0, "TYPE", "precision of vectors and sums: f64 or f32 (default: f64)"},
    {"rtol", 't', "X", NULL},
    {"atol", 0, "X", NULL},
    {"restart", 'r', "N", NULL},
    {"iterations", 'n', "N", NULL},
    {"orthogonal", 0, "NAME", NULL},
    {"guess", 'g', "FILE", "initial guess: .npy or .mtx (default: 0)"},
    {"history", 0, "FILE.csv", "output file for the residuals of all iterations, as a table"},
    {"plot", 0, "FILE.png", "output file for the residuals of all iterations, as a figure"},
    OPTION_FORCE,
    OPTION_JSON,
    OPTION_VERBOSE,
    OPTION_QUIET,
    OPTION_NO_CACHE,
};

const command command_solve = {
    .name = "solve",
    .operands = "[A.mtx] [b.npy|b.mtx]",
    .least = 0,
    .most = 2,
    .line = "solve a linear system A x = b on a device",
    .more = "If b is omitted, it is A times ones, and the error of x is reported. If A times ones is 0 (a pure Neumann "
            "or periodic problem), b is A times an x in the row space of A. Residuals are those of A x = b; the final "
            "one is computed from x again. The exit code is 3 if the method stopped before the tolerance, 130 after "
            "Ctrl-C; x is written in both cases, unless the interruption came before the first iteration. "
            "With --stencil, A is an equation in u on a grid; x, y and z are the "
            "coordinates of a cell, cell 0 is at 0. No matrix is assembled; the preconditioners are jacobi and "
            "chebyshev.",
    .options = options,
    .noptions = COUNT(options),
    .rows = rw_krylov_params,
    .run = run,
};
