/* Rows as a table for people (text, Markdown) or as JSON for programs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "core/json.h"
#include "rechenwerk_build.h"

enum { COLUMNS = 8, NUMBERS = 1 << 2 | 1 << 4 /* aligned right */ };
static const char *const head[COLUMNS] = {"benchmark", "size",     "time",          "quartiles",
                                          "GB/s",      "of limit", "compared with", "error"};

/* "1.234 ms" with four digits. */
static void format_seconds(char *text, size_t size, double s)
{
    if (s >= 1) snprintf(text, size, "%.4g s", s);
    else if (s >= 1e-3) snprintf(text, size, "%.4g ms", s * 1e3);
    else snprintf(text, size, "%.4g us", s * 1e6);
}

/* "2.04x FFTW, 1.1x C loop; >= 0.95 FFTW reached" */
static void format_against(char *text, size_t size, const rw_bench_result *r)
{
    size_t n = 0;
    text[0] = 0;
    for (int i = 0; i < r->npeers && n < size; ++i)
        n += (size_t)snprintf(text + n, size - n, "%s%.2fx %s", i ? ", " : "", r->peers[i].ratio, r->peers[i].name);
    if (r->target[0] && n < size)
        snprintf(text + n, size - n, "%s%s%s", n ? "; " : "", r->target,
                 r->met < 0 ? ""
                 : r->met   ? " reached"
                            : " below target");
}

static void format_limit(char *text, size_t size, const rw_bench_result *r)
{
    char why[32];
    if (!(r->bytes > 0)) snprintf(text, size, "%.4g steps/s", r->steps / r->seconds);
    else if (!rw_bench_plausible(r)) snprintf(text, size, "no plausible limit: %.2g GB/s", r->limit / 1e9);
    else if (r->cold > 0 && rw_bench_doubt(r, why, sizeof why)) snprintf(text, size, "%s", why);
    else snprintf(text, size, "%.1f %% of %s %.1f", 100 * r->share, r->limit_name, r->limit / 1e9);
}

static void format_cell(const void *user, bool markdown RW_UNUSED, int line, int column, char cell[RW_CELL])
{
    const rw_bench_result *r = user;
    if (line < 0) {
        snprintf(cell, RW_CELL, "%s", head[column]);
        return;
    }
    r += line;
    switch (column) {
    case 0:
        snprintf(cell, RW_CELL, "%s%s%s%s", r->what, r->variant[0] ? " (" : "", r->variant, r->variant[0] ? ")" : "");
        break;
    case 1: snprintf(cell, RW_CELL, "%s", r->size); break;
    case 2: format_seconds(cell, RW_CELL, r->seconds); break;
    case 3:
        snprintf(cell, RW_CELL, "-%.1f +%.1f %%", 100 * (1 - r->lower / r->seconds), 100 * (r->upper / r->seconds - 1));
        break;
    case 4:
        if (r->bytes > 0) snprintf(cell, RW_CELL, "%.1f", r->bytes / r->seconds / 1e9);
        else snprintf(cell, RW_CELL, "-");
        break;
    case 5: format_limit(cell, RW_CELL, r); break;
    case 6: format_against(cell, RW_CELL, r); break;
    default: snprintf(cell, RW_CELL, "%s%.1e", r->error <= r->tolerance ? "" : "WRONG ", r->error);
    }
}

static void add_header(rw_text *t, const rw_device *dev, const char *mark)
{
    const rw_device_properties *p = rw_device_info(dev);
    rw_text_add(t, "%s%s: %s; %s; rechenwerk %s, commit %s\n", mark, p->name, p->hardware, p->driver, rw_version(),
                RW_BUILD_COMMIT);
}

/* The bandwidth of the memory, with which the rows are compared: the limit of the first row that has one. */
static void add_limit(rw_text *t, const rw_bench_result *rows, int n)
{
    for (int i = 0; i < n; ++i) {
        if (!(rows[i].limit > 0)) continue;
        rw_text_add(t, "copy rate in this run: %.1f GB/s (%s)%s\n", rows[i].limit / 1e9, rows[i].limit_name,
                    rw_bench_plausible(rows + i) ? "" : ", which is implausible: results are not compared with it");
        return;
    }
}

static void add_json_row(rw_json_writer *w, const rw_bench_result *r)
{
    rw_json_object(w);
    rw_json_add_string(w, "name", r->name);
    rw_json_add_string(w, "what", r->what);
    rw_json_add_string(w, "size", r->size);
    rw_json_add_string(w, "variant", r->variant);
    rw_json_add_number(w, "rounds", r->rounds);
    rw_json_add_number(w, "seconds", r->seconds);
    rw_json_add_number(w, "lower", r->lower);
    rw_json_add_number(w, "upper", r->upper);
    if (r->cold > 0) {
        rw_json_add_number(w, "cold", r->cold);
        rw_json_add_number(w, "cold_lower", r->cold_lower);
        rw_json_add_number(w, "cold_upper", r->cold_upper);
    }
    rw_json_add_number(w, "bytes", r->bytes);
    rw_json_add_number(w, "steps", r->steps);
    rw_json_add_number(w, "bytes_per_second", r->bytes / r->seconds);
    rw_json_add_number(w, "steps_per_second", r->steps / r->seconds);
    rw_json_add_string(w, "limit_name", r->limit_name);
    rw_json_add_number(w, "limit", r->limit);
    rw_json_add_number(w, "share", rw_bench_plausible(r) ? r->share : NAN);
    rw_json_add_array(w, "peers");
    for (int i = 0; i < r->npeers; ++i) {
        rw_json_object(w);
        rw_json_add_string(w, "name", r->peers[i].name);
        rw_json_add_number(w, "seconds", r->peers[i].seconds);
        rw_json_add_number(w, "ratio", r->peers[i].ratio);
        rw_json_close(w);
    }
    rw_json_close(w);
    rw_json_add_number(w, "error", r->error);
    rw_json_add_number(w, "tolerance", r->tolerance);
    rw_json_add_bool(w, "correct", r->error <= r->tolerance);
    rw_json_add_string(w, "target", r->target[0] ? r->target : NULL);
    if (r->met >= 0) { rw_json_add_bool(w, "met", r->met == 1); }
    rw_json_close(w);
}

static void add_json(rw_text *t, const rw_device *dev, const rw_bench_result *rows, int n)
{
    const rw_device_properties *p = rw_device_info(dev);
    rw_json_writer w;
    rw_json_begin(&w, t, 2);
    rw_json_object(&w);
    rw_json_add_string(&w, "device", p->name);
    rw_json_add_string(&w, "hardware", p->hardware);
    rw_json_add_string(&w, "driver", p->driver);
    rw_json_add_string(&w, "version", rw_version());
    rw_json_add_string(&w, "commit", RW_BUILD_COMMIT);
    rw_json_add_array(&w, "rows");
    for (int i = 0; i < n; ++i) add_json_row(&w, rows + i);
    rw_json_close(&w);
    rw_json_close(&w);
    rw_text_add(t, "\n");
}

rw_status rw_bench_format(const rw_device *dev, const rw_bench_result *rows, int n, rw_bench_style style, char **text)
{
    RW_NEED(text, "text");
    *text = NULL;
    RW_NEED(dev, "device");
    RW_NEED(rows, "rows");
    rw_text t = {0};
    if (style == RW_BENCH_JSON) {
        add_json(&t, dev, rows, n);
    } else {
        add_header(&t, dev, "");
        add_limit(&t, rows, n);
        if (style == RW_BENCH_MARKDOWN) rw_text_add(&t, "\n");
        rw_table_add(&t, &(rw_table){COLUMNS, n, 1, ~(uint64_t)NUMBERS, "---", format_cell, rows},
                     style == RW_BENCH_MARKDOWN);
    }
    *text = t.failed || !t.data ? NULL : strdup(t.data);
    rw_text_free(&t);
    return *text ? RW_OK : rw_fail_memory(rw_device_context(dev), 4096, "a table");
}
