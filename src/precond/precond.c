/* Specifications of preconditioners as text, their defaults and limits; create, apply, destroy. */
#include "precond/precond.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define RW_X(name, text, line) text,
    RW_PRECOND_METHOD_LIST(RW_X)
#undef RW_X
};
static const rw_precond_ops *const methods[] = {
    [RW_PRECOND_NONE] = NULL,
    [RW_PRECOND_JACOBI] = &rw_precond_jacobi,
    [RW_PRECOND_SSOR] = &rw_precond_ssor,
    [RW_PRECOND_ILU] = &rw_precond_ilu,
    [RW_PRECOND_MILU] = &rw_precond_ilu,
    [RW_PRECOND_ILUT] = &rw_precond_ilut,
    [RW_PRECOND_CHEBYSHEV] = &rw_precond_chebyshev,
    [RW_PRECOND_AMG] = &rw_precond_amg,
    [RW_PRECOND_ICC] = &rw_precond_icc,
};
enum {
    LEVELS = 10,
    FOR_ILU = 1 << RW_PRECOND_ILU | 1 << RW_PRECOND_MILU,
    FOR_LEVELS = FOR_ILU | 1 << RW_PRECOND_ICC,
    FOR_FACTORS = FOR_LEVELS | 1 << RW_PRECOND_SSOR | 1 << RW_PRECOND_ILUT,
    FOR_SMOOTHER = 1 << RW_PRECOND_CHEBYSHEV | 1 << RW_PRECOND_AMG,
    FOR_ALL = ((1 << RW_PRECOND_METHODS) - 1) & ~(1 << RW_PRECOND_NONE),
};

const char *rw_precond_method_name(rw_precond_method method) { return (unsigned)method < RW_COUNT(names) ? names[method] : "?"; }

/* ---- options ------------------------------------------------------------------------------------------------------------------------------ */

/* Options that are numbers: name, where in the specification, which methods have it, from, to, and for the message. */
typedef struct option {
    const char *name;
    size_t at;
    bool real;
    int methods;
    double least, most; /* real: least is excluded */
    const char *allowed;
} option;
#define AT(member) offsetof(rw_precond_spec, member)
static const option options[] = {
    {"level", AT(level), false, FOR_LEVELS, 0, LEVELS, "0 to 10"},
    {"drop", AT(drop), true, 1 << RW_PRECOND_ILUT, 0, 1, "above 0, below 1"},
    {"fill", AT(fill), false, 1 << RW_PRECOND_ILUT, 1, 1000, "1 to 1000"},
    {"omega", AT(omega), true, 1 << RW_PRECOND_SSOR, 0, 2, "above 0, below 2"},
    {"degree", AT(degree), false, FOR_SMOOTHER, 1, 100, "1 to 100"},
    {"theta", AT(theta), true, 1 << RW_PRECOND_AMG, 0, 1, "above 0, below 1"},
    {"iterations", AT(iterations), false, FOR_ILU, 1, 100, "1 to 100"},
    {"sweeps", AT(sweeps), false, FOR_FACTORS, 1, 100, "1 to 100"},
    {"block", AT(block), false, FOR_ALL, 1, RW_SPARSE_BLOCK_MOST, "1 to 16"},
};
#undef AT

static double option_of(const rw_precond_spec *s, const option *o) { return o->real ? *(const double *)((const char *)s + o->at) : *(const int *)((const char *)s + o->at); }

static void option_set(rw_precond_spec *s, const option *o, double value)
{
    if (o->real) *(double *)((char *)s + o->at) = value;
    else *(int *)((char *)s + o->at) = (int)value;
}

static bool inside(const option *o, double v) { return o->real ? v > o->least && v < o->most : v >= o->least && v <= o->most && v == floor(v); }

/* Options that the method has, for messages. */
static void list_options(rw_precond_method m, rw_text *t)
{
    for (int i = 0; i < RW_COUNT(options); ++i)
        if (options[i].methods >> m & 1) rw_text_add(t, "%s=… (%s), ", options[i].name, options[i].allowed);
    if (FOR_FACTORS >> m & 1) rw_text_add(t, "order=natural or order=colours, ");
    rw_text_add(t, "f32 (stored in single precision), scaled (stored with 16 bits)");
}

static rw_status fail_option(rw_context *ctx, rw_precond_method m, const char *word)
{
    rw_text t = {0};
    list_options(m, &t);
    rw_status status = rw_fail(ctx, RW_ERR_ARGUMENT, "preconditioner %s: \"%s\" is no option of it; options are %s", names[m], word, t.failed ? "?" : t.data);
    rw_text_free(&t);
    return status;
}

static rw_status parse_option(rw_context *ctx, const char *word, rw_precond_spec *s)
{
    const char *equals = strchr(word, '=');
    if (!strcmp(word, "f32")) return s->single = true, RW_OK;
    if (!strcmp(word, "scaled")) return s->scaled = true, RW_OK;
    if (!strcmp(word, "block=auto") && s->method == RW_PRECOND_AMG) return s->block = RW_PRECOND_BLOCK_AUTO, RW_OK;
    for (int i = 0; equals && i < RW_COUNT(options); ++i) {
        const option *o = &options[i];
        char *end;
        if (strlen(o->name) != (size_t)(equals - word) || strncmp(o->name, word, strlen(o->name)) || !(o->methods >> s->method & 1)) continue;
        const double v = strtod(equals + 1, &end);
        if (end == equals + 1 || *end || !inside(o, v)) return rw_fail(ctx, RW_ERR_ARGUMENT, "preconditioner %s: %s: %s is needed", names[s->method], word, o->allowed);
        return option_set(s, o, v), RW_OK;
    }
    if (FOR_FACTORS >> s->method & 1) {
        if (!strcmp(word, "order=natural")) return s->order = RW_ORDER_NATURAL, RW_OK;
        if (!strcmp(word, "order=colours")) return s->order = RW_ORDER_COLOURS, RW_OK;
    }
    return fail_option(ctx, s->method, word);
}

/* "ilu", and "ilu2" with its level, which may be one that there is not: *level is where it stands, else NULL. */
static bool parse_name(const char *word, rw_precond_spec *s, const char **level)
{
    for (int i = 0; i < RW_COUNT(names); ++i) {
        const size_t n = strlen(names[i]);
        if (strncmp(word, names[i], n)) continue;
        *level = (FOR_LEVELS >> i & 1) && word[n] && !word[n + strspn(word + n, "0123456789")] ? word + n : NULL;
        if (word[n] && !*level) continue;
        s->method = (rw_precond_method)i;
        return true;
    }
    return false;
}

static rw_status parse_level(rw_context *ctx, const char *text, const char *level, rw_precond_spec *s)
{
    const double v = strtod(level, NULL);
    const char *name = names[s->method];
    if (v > LEVELS) return rw_fail(ctx, RW_ERR_ARGUMENT, "preconditioner \"%s\": level %s: 0 to %d is needed, such as %s1, or %s:level=1", text, level, LEVELS, name, name);
    if (strstr(text, ":level=")) return rw_fail(ctx, RW_ERR_ARGUMENT, "preconditioner \"%s\": its level is given twice: write %s%s, or %s:level=%s", text, name, level, name, level);
    return s->level = (int)v, RW_OK;
}

rw_status rw_precond_parse(rw_context *ctx, const char *text, rw_precond_spec *spec)
{
    RW_NEED(ctx, "context");
    RW_NEED(text, "text");
    RW_NEED(spec, "spec");
    *spec = (rw_precond_spec){0};
    char *copy = rw_strdup(text), *rest = NULL;
    if (!copy) return rw_fail_memory(ctx, strlen(text), "the name of a preconditioner");
    const char *word = strtok_r(copy, ":", &rest), *level = NULL;
    rw_status status = RW_OK;
    if (!word || !parse_name(word, spec, &level)) {
        const char *nearest = rw_nearest(word ? word : "", names, RW_COUNT(names));
        status = rw_fail(
            ctx, RW_ERR_ARGUMENT,
            "preconditioner \"%s\": there is none of that name%s%s%s; there are none, jacobi, ssor, ilu0, ilu1 …, "
            "milu, ilut, chebyshev, amg, icc0, icc1 …",
            text, nearest ? ", did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    }
    if (status == RW_OK && level) status = parse_level(ctx, text, level, spec);
    while (status == RW_OK && (word = strtok_r(NULL, ":", &rest))) status = parse_option(ctx, word, spec);
    rw_free(copy);
    return status;
}

void rw_precond_print(const rw_precond_spec *s, char *text, size_t size)
{
    if (!s || !text) return;
    size_t n = (size_t)snprintf(text, size, "%s%s", rw_precond_method_name(s->method),
                                (s->method == RW_PRECOND_ILU || s->method == RW_PRECOND_ICC) && !s->level ? "0" : "");
    for (int i = 0; i < RW_COUNT(options) && n < size; ++i)
        if (option_of(s, &options[i]) != 0 && option_of(s, &options[i]) != RW_PRECOND_BLOCK_AUTO)
            n += (size_t)snprintf(text + n, size - n, ":%s=%g", options[i].name, option_of(s, &options[i]));
    if (s->block == RW_PRECOND_BLOCK_AUTO && n < size) n += (size_t)snprintf(text + n, size - n, ":block=auto");
    if (s->order && n < size) n += (size_t)snprintf(text + n, size - n, ":order=%s", s->order == RW_ORDER_COLOURS ? "colours" : "natural");
    if ((s->single || s->scaled) && n < size) snprintf(text + n, size - n, s->scaled ? ":scaled" : ":f32");
}

static rw_status check(rw_context *ctx, const rw_sparse *m, rw_dtype vectors, const rw_precond_spec *s)
{
    if ((unsigned)s->method >= RW_PRECOND_METHODS || s->method == RW_PRECOND_NONE) return rw_fail(ctx, RW_ERR_ARGUMENT, "preconditioner %d is not one of rw_precond_method, or none", (int)s->method);
    for (int i = 0; i < RW_COUNT(options); ++i) {
        const double v = option_of(s, &options[i]);
        if (s->method == RW_PRECOND_AMG && options[i].at == offsetof(rw_precond_spec, block) &&
            s->block == RW_PRECOND_BLOCK_AUTO)
            continue;
        if (v != 0 && !inside(&options[i], v)) return rw_fail(ctx, RW_ERR_ARGUMENT, "preconditioner %s: %s = %g: %s is needed", names[s->method], options[i].name, v, options[i].allowed);
    }
    if ((unsigned)s->order > RW_ORDER_COLOURS) return rw_fail(ctx, RW_ERR_ARGUMENT, "preconditioner %s: order = %d is not one of rw_precond_order", names[s->method], (int)s->order);
    if (m->rows != m->columns) return rw_fail(ctx, RW_ERR_ARGUMENT, "a matrix of %lld x %lld: preconditioners need square ones", (long long)m->rows, (long long)m->columns);
    if (vectors > RW_C128) return rw_fail(ctx, RW_ERR_ARGUMENT, "vectors of %s: f32, f64, c64 or c128 is needed", rw_dtype_name(vectors));
    if (rw_sparse_is_free(m) && s->method != RW_PRECOND_JACOBI && s->method != RW_PRECOND_CHEBYSHEV)
        return rw_fail(ctx, RW_ERR_UNSUPPORTED, "preconditioner %s needs entries, and this map of %lld x %lld has none: use jacobi or chebyshev, or put the matrix together", names[s->method],
                       (long long)m->rows, (long long)m->columns);
    return rw_product_check(m, RW_OP_NONE, vectors);
}

/* On a GPU a level is a launch, and the launches of the natural order cost more than the iterations that colours need beside. Fill joins colours to levels again; rows that wait for nobody
 * (sweeps, iterations) have none; milu is poor where neighbours do not follow each other. */
static rw_precond_order order_of(bool threads, const rw_precond_spec *s)
{
    const bool by_launches = (s->method == RW_PRECOND_ILU || s->method == RW_PRECOND_ICC) && !s->level && !s->sweeps &&
                             !s->iterations && threads;
    return s->method == RW_PRECOND_SSOR || by_launches ? RW_ORDER_COLOURS : RW_ORDER_NATURAL;
}

rw_precond_spec rw_precond_defaults(bool threads, rw_precond_spec s)
{
    if (s.drop == 0) s.drop = 1e-3;
    if (!s.fill) s.fill = 10;
    if (s.omega == 0) s.omega = 1;
    if (!s.degree) s.degree = s.method == RW_PRECOND_AMG ? 2 : 4;
    if (!s.order) s.order = order_of(threads, &s);
    return s;
}

int64_t rw_precond_memory(const rw_precond_spec *s, const rw_sparse_layout *l, const rw_sparse_size *size, rw_dtype vectors, bool *all)
{
    if (!s || !l || !size) return 0;
    const rw_host h = {.r = RW_MAX(l->block_rows, 1), .parts = 1 + rw_dtype_is_complex(l->values)};
    const rw_sparse_layout kept = rw_host_layout(&h, false, s);
    const int64_t r = h.r, vector = size->rows * (int64_t)rw_dtype_size(vectors), block = r * r * (int64_t)rw_sparse_value_size(&kept) + 4;
    const int64_t scales = s->scaled ? (int64_t)sizeof(uint16_t) * size->rows : 0, diagonal = size->rows / r * block + scales;
    if (all)
        *all = s->method != RW_PRECOND_AMG && s->method != RW_PRECOND_ILUT &&
               !(FOR_LEVELS >> s->method & 1 && s->level > 0);
    switch (s->method) {
    case RW_PRECOND_JACOBI:
    case RW_PRECOND_AMG:
    case RW_PRECOND_ILUT: return diagonal;
    case RW_PRECOND_CHEBYSHEV: return diagonal + 3 * vector;
    case RW_PRECOND_SSOR:
    case RW_PRECOND_ILU:
    case RW_PRECOND_ICC:
    case RW_PRECOND_MILU: return size->blocks * block + 3 * scales + (s->sweeps ? 2 * vector : 0);
    default: return 0;
    }
}

/* ---- create, apply, destroy ---------------------------------------------------------------------------------------------------------------- */

enum { GROUP = 256, EACH_ITEM = 4 };

static rw_status build(rw_precond *p)
{
    const rw_define d[] = {{"GROUP", "256"}, {"EACH_ITEM", "4"}, {"REAL", p->type == RW_F32 || p->type == RW_C64 ? "f32" : "f64"}};
    RW_TRY(rw_program_create(p->device, "precond.k", rw_embedded_text("precond.k"), d, RW_COUNT(d), &p->program));
    return rw_program_kernel(p->program, "add", &p->add);
}

rw_status rw_precond_add(const rw_precond *p, rw_array *x, int64_t from, rw_array *y, bool zero, rw_queue *q)
{
    const int64_t parts = 1 + rw_dtype_is_complex(p->type), n = y->size * parts, piece = GROUP * EACH_ITEM;
    const rw_arg a[] = {rw_arg_array(x), rw_arg_int(from * parts), rw_arg_array(y), rw_arg_int(n), rw_arg_int(zero)};
    return rw_launch(q, p->add, (int64_t[3]){(n + piece - 1) / piece, 1, 1}, a, 5);
}

/* Once, so that programs are there and everything is on the device when a solver records it. */
static rw_status rehearse(rw_precond *p)
{
    rw_array *x = NULL, *y = NULL;
    rw_status status = rw_array_create(p->device, p->type, 1, &p->n, RW_MEMORY_DEVICE, &x);
    if (status == RW_OK) status = rw_array_create(p->device, p->type, 1, &p->n, RW_MEMORY_DEVICE, &y);
    if (status == RW_OK) status = rw_array_zero(x, p->device->queue);
    if (status == RW_OK) status = rw_array_zero(y, p->device->queue);
    if (status == RW_OK) status = p->ops->apply(p, x, 0, y, p->device->queue);
    rw_array_destroy(&x), rw_array_destroy(&y);
    return status;
}

rw_status rw_precond_create(rw_sparse *m, rw_dtype vectors, const rw_precond_spec *spec, rw_precond **precond)
{
    RW_NEED(precond, "precond");
    *precond = NULL;
    RW_NEED(m, "matrix");
    RW_NEED(spec, "spec");
    const double start = rw_seconds();
    RW_TRY(check(m->device->ctx, m, vectors, spec));
    rw_precond *p = rw_calloc(1, sizeof *p);
    if (!p) return rw_fail_memory(m->device->ctx, sizeof *p, "a preconditioner");
    p->device = rw_device_retain(m->device), p->spec = rw_precond_defaults(m->threads, *spec),
    p->ops = methods[spec->method], p->type = vectors, p->n = m->rows, p->info.shift_row = -1;
    rw_sparse *copy = NULL;
    int block = 1;
    rw_status status = build(p);
    if (status == RW_OK) status = rw_precond_blocks(m, spec, &block, &copy);
    if (status == RW_OK) status = p->ops->create(p, copy ? copy : m);
    if (status == RW_OK && copy && p->ops->use) p->ops->use(p, m);
    rw_sparse_destroy(&copy);
    p->info.block = block;
    if (status == RW_OK && p->n) status = rehearse(p);
    p->info.seconds = rw_seconds() - start;
    if (status == RW_OK) *precond = p;
    else rw_precond_destroy(&p);
    return status;
}

void rw_precond_destroy(rw_precond **precond)
{
    if (!precond) return;
    rw_precond *p = *precond;
    *precond = NULL;
    if (!p) return;
    rw_sparse_destroy(&p->inverse), rw_sparse_destroy(&p->lower.t), rw_sparse_destroy(&p->upper.t);
    rw_free(p->lower.at), rw_free(p->upper.at);
    rw_array_destroy(&p->work[0]), rw_array_destroy(&p->work[1]);
    rw_smoother_free(&p->smoother);
    rw_amg_destroy(&p->grid);
    rw_program_destroy(&p->program);
    rw_device_close(&p->device);
    rw_free(p);
}

rw_status rw_precond_run(rw_precond *p, rw_array *x, int64_t from, rw_array *y, rw_queue *q) { return p->n ? p->ops->apply(p, x, from, y, q) : RW_OK; }
rw_sparse *rw_precond_product(const rw_precond *p) { return p && p->spec.method == RW_PRECOND_JACOBI ? p->inverse : NULL; }
rw_precond_info rw_precond_get_info(const rw_precond *p) { return p ? p->info : (rw_precond_info){0}; }

rw_status rw_precond_apply(rw_precond *p, rw_array *r, rw_array *z, rw_queue *q)
{
    RW_NEED(p, "precond");
    RW_NEED(r, "r");
    RW_NEED(z, "z");
    RW_NEED(q, "queue");
    const rw_array *both[] = {r, z};
    for (int i = 0; i < 2; ++i)
        if (both[i]->device != p->device || both[i]->dtype != p->type || both[i]->size != p->n)
            return rw_fail(p->device->ctx, RW_ERR_ARGUMENT, "%s is %lld numbers of %s on %s: the preconditioner is for %lld of %s on %s", i ? "z" : "r", (long long)both[i]->size,
                           rw_dtype_name(both[i]->dtype), both[i]->device->info.name, (long long)p->n, rw_dtype_name(p->type), p->device->info.name);
    if (r == z) return rw_fail(p->device->ctx, RW_ERR_ARGUMENT, "r and z are the same array: a preconditioner needs two");
    return rw_precond_run(p, r, 0, z, q);
}
