/* Any text as equations: the first line is what stands at a side, the rest the statements; two bytes before them choose
 * grid, layout, order and kinds of sides. The answer is OK or ERR_INPUT with a place inside the text; what is accepted
 * has a plan, kernel texts without holes, and runs in the plain evaluator (no compiler is started). Equations of the
 * text are paired with the fields that have no rate: pairs in their order, or ERR_INPUT with a place. */
#include <string.h>

#include "expr/equations.h"
#include "expr/program.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed);

enum { FIELDS = 4, LONGEST = 4096 };
static rw_context *ctx;
static rw_device *dev;

/* "fuzz:3:7: …" with a line and column that the text has. */
static void require_place(const char *name, const char *text)
{
    int line = 0, column = 0, lines = 1, longest = 0, length = 0;
    const char *m = rw_message(NULL);
    require(!strncmp(m, name, strlen(name)) && sscanf(m + strlen(name), ":%d:%d: ", &line, &column) == 2,
            "a mistake has a place");
    for (const char *s = text; *s; ++s) {
        lines += *s == '\n';
        length = *s == '\n' ? 0 : length + 1;
        longest = RW_MAX(longest, length);
    }
    require(line >= 1 && line <= lines && column >= 1 && column <= longest + 1, "the place lies in the text");
}

static void run(rw_expr *e, const rw_grid *grid, const rw_expr_field *fields)
{
    rw_array *a[FIELDS];
    int64_t shape[3], cells = grid->size[0] * grid->size[1] * grid->size[2];
    for (int d = 0; d < grid->ndim; ++d) shape[d] = grid->size[grid->ndim - 1 - d];
    for (int i = 0; i < FIELDS; ++i) {
        void *data;
        require(rw_array_create(dev, fields[i].dtype, grid->ndim, shape, RW_MEMORY_DEVICE, &a[i]) == RW_OK, "an array");
        require(rw_array_write(a[i], &data) == RW_OK, "its values");
        memset(data, 0x3f, (size_t)cells * rw_dtype_size(fields[i].dtype));
        require(rw_expr_bind(e, fields[i].name, a[i]) == RW_OK, "it is bound");
    }
    require(rw_expr_set(e, "a", 0.5) == RW_OK, "a is set");
    for (int k = 0; k < 2; ++k) require(rw_expr_run(e, rw_device_queue(dev)) == RW_OK, "it runs");
    for (int r = 0; r < e->plan.nresults; ++r) {
        double re, im;
        require(rw_expr_get(e, e->plan.results[r].name, &re, &im) == RW_OK, "a result is there");
    }
    for (int i = 0; i < FIELDS; ++i) rw_array_destroy(&a[i]);
}

/* Each unknown has an equation that comes once, systems follow each other. */
static void require_pairs(const rw_parsed *parsed, const rw_pairs *pairs, int nunknowns)
{
    int equations = 0;
    for (int i = 0; i < parsed->n; ++i) equations += parsed->statements[i].kind == RW_EQUATION;
    require(pairs->n == equations && pairs->n == nunknowns, "as many equations as unknowns");
    require(pairs->first[0] == 0 && pairs->first[pairs->nsystems] == pairs->n, "each pair is in a system");
    for (int s = 0; s < pairs->nsystems; ++s) require(pairs->first[s] < pairs->first[s + 1], "a system has pairs");
    for (int i = 0; i < pairs->n; ++i) {
        require(parsed->statements[pairs->pair[i].statement].kind == RW_EQUATION, "a pair has an equation");
        for (int k = 0; k < i; ++k)
            require(pairs->pair[k].statement != pairs->pair[i].statement &&
                        pairs->pair[k].unknown != pairs->pair[i].unknown,
                    "it comes once");
    }
}

/* The statements in their order, as an integrator lowers them. */
static rw_status lower(rw_lowering *l, const rw_source *source, const rw_parsed *parsed, bool *has, rw_node *f)
{
    for (int i = 0; i < parsed->n; ++i) {
        const rw_statement *s = parsed->statements + i;
        const int field = rw_graph_find_field(l->graph, s->name);
        rw_value v;
        if (s->kind == RW_EQUATION) RW_TRY(rw_lower_equation(l, source, s, f + i));
        if (s->kind == RW_RATE && field >= 0) has[field] = true;
        if (s->kind != RW_ASSIGN) continue;
        RW_TRY(rw_lower(l, source, s->value, &v));
        RW_TRY(rw_lower_local(l, source, s->at, s->name, v));
    }
    return RW_OK;
}

static void pair(const rw_expr_spec *spec)
{
    const rw_source source = {spec->name, spec->text, 1, 1};
    rw_graph *g;
    rw_lowering l;
    rw_parsed parsed;
    rw_unknown unknowns[FIELDS];
    rw_pairs pairs = {0};
    bool has[FIELDS] = {0};
    int n = 0;
    if (rw_parse_statements(ctx, &source, &parsed) != RW_OK) return;
    rw_find_equations(&parsed, spec->fields, spec->nfields);
    require(rw_graph_create(ctx, &spec->grid, spec->order, &g) == RW_OK, "a graph");
    g->layout = spec->layout;
    rw_lowering_begin(&l, ctx, g);
    rw_node *f = calloc((size_t)parsed.n + 1, sizeof *f);
    if (rw_expr_declare(ctx, spec, g, &l, &source, &parsed) == RW_OK && lower(&l, &source, &parsed, has, f) == RW_OK) {
        for (int i = 0; i < FIELDS; ++i)
            if (!has[i]) unknowns[n++] = (rw_unknown){spec->fields[i].name, i};
        const rw_status status = rw_pair_equations(&l, &source, &parsed, f, unknowns, n, &pairs);
        require(status == RW_OK || status == RW_ERR_INPUT, "pairs or a mistake");
        if (status == RW_OK) require_pairs(&parsed, &pairs, n);
        else require_place("fuzz", spec->text);
    }
    free(f);
    rw_pairs_free(&pairs);
    rw_parsed_free(&parsed);
    rw_lowering_end(&l);
    rw_graph_destroy(&g);
}

static int hole(const char *text)
{
    return strstr(text, "(null)") || strstr(text, "nan") || strstr(text, ", inf") || strstr(text, ")inf") ||
           strstr(text, "-inf");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (!dev) {
        setenv("RECHENWERK_CC", "none", 1);
        require(rw_context_create(&ctx) == RW_OK && rw_device_open(ctx, "cpu", &dev) == RW_OK, "the cpu is there");
    }
    if (n < 2 || n > LONGEST || memchr(data, 0, n)) return 0;
    char *text = strndup((const char *)data + 2, n - 2), *statements = strchr(text, '\n');
    if (statements) *statements++ = 0;
    else statements = text + strlen(text);
    int ndim = 1 + data[0] % 3;
    rw_grid grid = {.ndim = ndim,
                    .size = {3, ndim > 1 ? 2 : 1, ndim > 2 ? 2 : 1},
                    .spacing = {0.5, 0.25, 2},
                    .origin = {0.1, 0, -1}};
    if (data[0] & 64) grid.size[0] = data[0] & 128 ? 0 : 6;
    rw_expr_field fields[FIELDS] = {{.name = "u", .dtype = RW_F64},
                                    {.name = "v", .dtype = RW_F64},
                                    {.name = "s", .dtype = RW_F32},
                                    {.name = "w", .dtype = RW_C128}};
    for (int i = 0; i < FIELDS; ++i)
        for (int side = 0; side < 2 * ndim; ++side) { /* an axis is periodic or has two sides of other kinds */
            int kind = (data[1] + i + side / 2) % 5;
            if (kind != RW_BOUNDARY_PERIODIC) kind = (kind + side) % RW_BOUNDARY_PERIODIC;
            fields[i].boundary[side] = (rw_boundary){(rw_boundary_kind)kind, i ? "x + t" : text, "1 + x", "a"};
        }
    static const rw_grid_layout layouts[] = {RW_GRID_AUTO, RW_GRID_CELL, RW_GRID_NODE, RW_GRID_CELL};
    static const rw_expr_scalar scalars[] = {{.name = "a", .value = 2},
                                             {.name = "b", .value = -0.5},
                                             {.name = "c", .is_complex = true, .imaginary = 1}};
    rw_expr_spec spec = {.name = "fuzz",
                         .text = statements,
                         .grid = grid,
                         .order = data[0] & 32 ? 4 : 2,
                         .fields = fields,
                         .nfields = FIELDS,
                         .scalars = scalars,
                         .nscalars = 3,
                         .layout = layouts[data[0] >> 3 & 3]};
    rw_expr *e;
    pair(&spec);
    rw_status status = rw_expr_create(dev, &spec, &e);
    if (status == RW_OK) {
        char *plan;
        for (int p = 0; p < e->plan.npasses; ++p)
            require(!hole(e->passes[p].kernel.text), "kernel texts have no holes");
        require(rw_expr_explain(e, &plan) == RW_OK, "the plan as text");
        free(plan);
        run(e, &grid, fields);
        rw_expr_destroy(&e);
    } else if (status == RW_ERR_INPUT) {
        require(!e, "nothing is left of it");
        const char *m = rw_message(NULL);
        if (!strncmp(m, "boundary of u: a complex value for a real field", 47)) {
        } else if (!strncmp(m, "boundary of u", 13)) require_place("boundary of u", text);
        else require_place("fuzz", statements);
    } else {
        require(status == RW_ERR_UNSUPPORTED &&
                    strstr(rw_message(NULL), "more than the 150 arguments that a kernel can have") != NULL,
                "OK, ERR_INPUT, or too many arguments");
    }
    free(text);
    return 0;
}

/* Words of the language put in now and then: bytes alone would take long to find "laplace(". */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed)
{
    static const char *const more[] = {"u",           "v",      "s",       "w",         "a",
                                       "b",           "c",      "(u)",     "(w)",       "(u, v)",
                                       " = ",         "u = ",   "r = ",    "w = ",      "; ",
                                       "\n",          " and ",  " or ",    "not ",      "^2",
                                       "^0.5",        "2i",     "1e400",   "f(q) = ",   "f(",
                                       "\xc2\xb7",    "<=",     "==",      "#",         "grad(u)",
                                       "dxyz(",       "dyyyy(", "/sum(u)", "**",        "inner(u, 1)",
                                       "inner(v, 0)", "hn",     "0 = ",    "dv/dt = u", "laplace(s) = ",
                                       "f(u) = "};
    const rw_language_word *words;
    int nwords = rw_language_words(&words);
    if (seed % 3) return LLVMFuzzerMutate(data, n, max);
    unsigned pick = seed / 3;
    char word[40];
    if (pick % 2) snprintf(word, sizeof word, "%s", more[pick / 2 % RW_COUNT(more)]);
    else snprintf(word, sizeof word, "%s%s", words[pick / 2 % (unsigned)nwords].name, pick / 512 % 2 ? "(" : "");
    size_t length = strlen(word), at = n > 2 ? 2 + pick / 7 % (n - 1) : n;
    if (at > n) at = n;
    if (n + length > max) return LLVMFuzzerMutate(data, n, max);
    memmove(data + at + length, data + at, n - at);
    memcpy(data + at, word, length);
    return n + length;
}
