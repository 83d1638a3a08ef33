/* Any bytes as a case of the problem pde: a message with a place in the text, or a case whose effective settings are
 * the same case again, that has an outline, an estimate of its memory, a plan, and, on small grids, an initial state
 * with its row of series.csv and derived fields, by the plain evaluator (no compiler is started). Files are seeds of
 * other targets: ../npy/matrix, ../png/…
 *
 * The last lines may hold a --set: "…\n--set grid.layout=cell". */
#include <math.h>
#include <string.h>

#include "device/device.h"
#include "expr/lower.h"
#include "fuzz.h"
#include "io/yaml.h"
#include "run/problem.h"
#include "run/run_settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed);

enum { LONGEST = 8192, NODES = 512 };
static rw_context *ctx;
static rw_device *dev;
static char path[1024];

static void start(void)
{
    const char *seeds = getenv("RW_FUZZ_SEEDS");
    snprintf(path, sizeof path, "%s/pde/case.yaml", seeds ? seeds : "no-folder");
    setenv("RECHENWERK_CC", "none", 1);
    require(rw_context_create(&ctx) == RW_OK && rw_device_open(ctx, "cpu", &dev) == RW_OK, "the cpu is there");
}

/* What an accepted case may still fail with: files, values that are not finite, plans too large. */
static int may_fail(rw_status status)
{
    return status == RW_OK || status == RW_ERR_INPUT || status == RW_ERR_FILE || status == RW_ERR_UNSUPPORTED ||
           status == RW_ERR_MEMORY || status == RW_ERR_NOT_CONVERGED;
}

static void require_same_again(const rw_case *c)
{
    char hash[65], hash_again[65];
    rw_case *again;
    rw_text written = {0};
    require(rw_case_write(c, &written) == RW_OK && rw_case_hash(c, hash) == RW_OK, "settings are written");
    if (written.length < RW_YAML_BYTES) { /* provenance may take a large case over the limit */
        require(rw_case_parse(ctx, path, written.data, written.length, NULL, 0, rw_problems, &again) == RW_OK,
                "settings are a case");
        require(rw_case_hash(again, hash_again) == RW_OK && !strcmp(hash, hash_again), "of the same numbers");
        rw_case_free(&again);
    }
    rw_text_free(&written);
}

static void run(const rw_case *c, const rw_problem_ops *ops)
{
    rw_problem *p;
    rw_text text = {0};
    int64_t bytes;
    const rw_status status = ops->create(c, dev, false, &bytes, &p);
    require(may_fail(status), "a case can be started");
    if (status != RW_OK) return;
    double *row = malloc((size_t)p->ncolumns * sizeof *row);
    require(row && may_fail(ops->row(p, row)), "a row");
    require(may_fail(ops->derive(p)), "derived fields");
    require(may_fail(ops->explain(p, &text)), "the plan as text");
    free(row);
    rw_text_free(&text);
    ops->destroy(&p);
}

static void use(const rw_case *c)
{
    const rw_problem_ops *ops = rw_case_problem(c);
    rw_problem *p;
    rw_problem_forecast f;
    int64_t bytes, nodes = 1;
    require_same_again(c);
    if (strcmp(ops->name, "pde")) return;
    const rw_status status = ops->outline(c, &p);
    require(may_fail(status), "a case has an outline");
    if (status != RW_OK) return;
    for (int d = 0; d < 3; ++d) nodes = nodes < NODES ? nodes * RW_MAX(p->grid.size[d], 1) : nodes;
    ops->destroy(&p);
    require(may_fail(ops->create(c, dev, true, &bytes, NULL)), "a case has its memory");
    require(may_fail(ops->forecast(c, dev, NAN, NAN, &f)), "a case has a plan");
    if (nodes <= NODES) run(c, ops);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (!dev) start();
    if (n > LONGEST) return 0;
    char *text = strndup((const char *)data, n);
    n = strlen(text);
    char *set = strstr(text, "\n--set ");
    const size_t length = set ? (size_t)(set - text) + 1 : n;
    const char *assignment = set ? set + 7 : NULL;
    rw_case *c;
    const rw_status status = rw_case_parse(ctx, path, text, length, &assignment, set ? 1 : 0, rw_problems, &c);
    require(status == RW_OK || status == RW_ERR_INPUT, "a case or a mistake");
    if (status == RW_OK) {
        use(c);
        rw_case_free(&c);
    } else {
        require(!c && *rw_message(ctx), "a mistake has a message");
    }
    free(text);
    return 0;
}

/* ---- what is put in ---------------------------------------------------------------------------------------------- */

/* Entries of maps that are trees of the problem's own, and values. */
static const char *const entries[] = {
    "left: [{where: \"y > 0.5\", dirichlet: \"1\"}, neumann]",
    "right: [{mask: ../npy/mask, robin: [\"1\", \"2\", \"0\"]}, {where: \"y < a\", neumann: \"t\"}, symmetric]",
    "x: periodic",
    "y: [{dirichlet: \"-2*(inner(u, 1) - u)/hn^2\"}]",
    "west: {robin: [\"u^2\", 1, \"1\"]}",
    "top: {neumann: \"-u^4\"}",
    "boundary: {north: antisymmetric, south: reflect}",
    "boundary: {x: {dirichlet: \"1i\"}}",
    "type: complex",
    "layout: node",
    "size: none",
    "size: [1, 2]",
    "data: {k: {file: ../npy/matrix}, q: \"exp(-x^2)\", m: {picture: ../png/grey, low: 0, high: 1}}",
    "data: {k: {run: results, field: u}}",
    "initial: {file: ../npy/vector}",
    "initial: {run: results, field: u}",
    "series: {energy: \"integral(u^2)/2\", m: {value: \"max(u)\", unit: J}}",
    "derived: {w: \"dx(u)\", q: \"[u, u]\", s: {value: \"abs(u)\", unit: K}}",
    "probes: {p: {at: [0.5, 0.1]}, l: {from: [0, 0], to: [1, 0.5], points: 5}}",
    "animation: [all]",
    "figures: [u, w]",
    "streamlines: all",
    "checks: {c: {value: \"mean(u)\", expect: 1, tolerance: 1}}",
    "grid: none",
    "parameters: {a: \"b + 1\", b: 2}",
    "functions: [\"f(s) = s^2\"]",
    "equations: [\"du/dt = v\", \"0 = laplace(v) + u\"]",
    "equations: [\"laplace(u) = v\", \"dx(v) + k*u = 1\", \"f(u) = v\"]",
};

static const char *const words[] = {
    "noise(1)",     "normal(2)", "inner(u, 1)", "inner(k, 2)", "hn",        "integral(u)",
    "curl([u, v])", "[u, v].x",  "layers",      "periodic",    "symmetric", "antisymmetric",
    "null",         "~",         "{}",          "[]",          "\"\"",      ", ",
    ": ",           "\n",        "\n  ",        "- ",          "&a ",       "*a",
    "!!str ",       ".inf",      ".nan",        "1e400",       "-1",        "0",
    "1i",           "u",         "t",           "x",           "k",         "# ",
    " = ",          "0 = ",      "2*u = ",      "f(u) = ",     "dx(u) = ",  "dv/dt = ",
};

/* A setting of a table as "name: default", and where it may stand; 0: no such one. */
static size_t setting(unsigned pick, char *text, size_t size, int with_section)
{
    const int nsections = rw_nrun_sections + rw_problems[0]->nsections;
    const int k = (int)(pick % (unsigned)nsections);
    const rw_section *s = k < rw_nrun_sections ? &rw_run_sections[k] : &rw_problems[0]->sections[k - rw_nrun_sections];
    if (s->form != RW_SECTION_TABLE && s->form != RW_SECTION_EACH) return 0;
    const rw_param *row = rw_section_row(s, (int)(pick / 64 % (unsigned)rw_section_count(s)));
    const char *value = *row->standard ? row->standard : "u";
    return (size_t)(with_section ? snprintf(text, size, "\n--set %s.%s=%s", s->name, row->name, value)
                                 : snprintf(text, size, "%s: %s, ", row->name, value));
}

static size_t insert(uint8_t *data, size_t n, size_t max, size_t at, const char *text)
{
    const size_t length = strlen(text);
    if (n + length > max) return LLVMFuzzerMutate(data, n, max);
    memmove(data + at + length, data + at, n - at);
    memcpy(data + at, text, length);
    return n + length;
}

/* Settings, entries after a "{", words of cases and of expressions: bytes alone would take long to find them. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed)
{
    const unsigned pick = seed / 6;
    char text[256] = "";
    const rw_language_word *language;
    const unsigned nlanguage = (unsigned)rw_language_words(&language);
    size_t at = n ? pick / 4096 % (n + 1) : 0;
    switch (seed % 6) {
    case 0: snprintf(text, sizeof text, "%s", words[pick % RW_COUNT(words)]); break;
    case 1: snprintf(text, sizeof text, "%s(", language[pick % nlanguage].name); break;
    case 2: snprintf(text, sizeof text, "%s, ", entries[pick % RW_COUNT(entries)]); break;
    case 3: setting(pick, text, sizeof text, 0); break;
    case 4: setting(pick, text, sizeof text, 1); break;
    default: return LLVMFuzzerMutate(data, n, max);
    }
    if (!*text) return LLVMFuzzerMutate(data, n, max);
    if (seed % 6 == 4) return insert(data, n, max, n, text);
    if (seed % 6 > 1) { /* after the next brace, if there is one */
        const uint8_t *brace = memchr(data + at, '{', n - at);
        if (brace) at = (size_t)(brace - data) + 1;
    }
    return insert(data, n, max, at, text);
}
