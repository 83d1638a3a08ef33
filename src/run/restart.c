/* Which settings a run that continues from a checkpoint may change.
 *
 * A checkpoint holds the settings that decide the numbers, one a line:  time.rtol <tab> first digits of a hash <tab>
 * 1e-05 What only says how the rest of the run is computed and written (outputs, tolerances, the end) may change and is
 * reported; what says what the state means (grid, fields, equations, parameters, method) may not: the first such
 * setting is named with both values. A problem may know better: rw_problem_ops.may_change. */
#include "io/yaml.h"
#include "run/case_private.h"
#include "run/run_private.h"

#include <math.h>
#include <string.h>

#define GROUP "/run/settings"
enum { PART = 60000 }; /* bytes of an attribute */

/* "key<tab>hash<tab>value": the three parts, in place. */
typedef struct entry {
    char *key, *hash, *value;
} entry;

typedef struct entries {
    char *text; /* owned */
    entry *item;
    int n, capacity;
} entries;

static void free_entries(entries *e)
{
    rw_free(e->text);
    rw_free(e->item);
    *e = (entries){0};
}

/* Takes the text over. Lines that are no entries are left out. */
static rw_status split(rw_context *ctx, rw_text *from, entries *e)
{
    char *text = from->data;
    *e = (entries){.text = text};
    *from = (rw_text){0};
    if (!text) return RW_OK;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        char *hash = strchr(line, '\t'), *value = hash ? strchr(hash + 1, '\t') : NULL;
        if (!value) continue;
        *hash++ = *value++ = '\0';
        if (!rw_grow(&e->item, &e->capacity, e->n + 1, sizeof(*e->item)))
            return rw_fail_memory(ctx, (size_t)e->n * sizeof(*e->item), "the settings of a checkpoint");
        e->item[e->n++] = (entry){line, hash, value};
    }
    return RW_OK;
}

static const entry *find(const entries *e, const char *key)
{
    for (int i = 0; i < e->n; i++)
        if (strcmp(e->item[i].key, key) == 0) return &e->item[i];
    return NULL;
}

/* ---- in the checkpoint ------------------------------------------------------------------------------------------- */

rw_status rw_restart_save(rw_run *r, rw_h5 *file)
{
    rw_text text = {0};
    char name[16], *part = rw_calloc(PART + 1, 1);
    rw_status status =
        part ? rw_case_settings(r->c, &text) : rw_fail_memory(r->ctx, PART, "the settings of a checkpoint");
    if (status == RW_OK) status = rw_h5_group(file, GROUP);
    for (size_t at = 0; status == RW_OK && at < text.length; at += PART) {
        size_t n = RW_MIN(text.length - at, PART);
        memcpy(part, text.data + at, n);
        part[n] = '\0';
        snprintf(name, sizeof(name), "%06d", (int)(at / PART));
        status = rw_h5_set_text(file, GROUP, name, part);
    }
    rw_free(part);
    rw_text_free(&text);
    return status;
}

static rw_status read_saved(rw_run *r, rw_h5 *file, entries *e)
{
    rw_text text = {0};
    char name[16], *part;
    rw_status status = RW_OK;
    for (int i = 0; status == RW_OK; i++) {
        snprintf(name, sizeof(name), "%06d", i);
        if (!rw_h5_has_attribute(file, GROUP, name)) break;
        if ((status = rw_h5_get_text(file, GROUP, name, &part)) == RW_OK) rw_text_add(&text, "%s", part);
        if (status == RW_OK) rw_free(part);
    }
    if (status == RW_OK && text.failed) status = rw_fail_memory(r->ctx, text.length, "the settings of a checkpoint");
    if (status == RW_OK) status = split(r->ctx, &text, e);
    rw_text_free(&text);
    return status;
}

/* The value of a setting that is a number in the checkpoint, in the unit of its row; unchanged where it is not set. */
static rw_status read_number(rw_run *r, const entries *saved, const char *section, const char *name, double *value)
{
    char key[64];
    rw_tree *node = NULL;
    const rw_section *s = rw_case_find_section(r->c, section);
    const rw_param *row = s ? rw_case_find_row(s, name) : NULL;
    snprintf(key, sizeof(key), "%s.%s", section, name);
    const entry *e = find(saved, key);
    if (!row || !e) return RW_OK;
    rw_param alone = *row;
    alone.offset = 0;
    rw_status status = rw_yaml_parse(r->ctx, "checkpoint.h5", e->value, strlen(e->value), &node);
    if (status == RW_OK) status = rw_param_read(r->ctx, &alone, key, NULL, node, value);
    rw_tree_free(&node);
    return status;
}

/* ---- the end of the earlier run ---------------------------------------------------------------------------------- */

/* Whether the earlier run, had it gone on, would have ended a step at time t: at its outputs, unless it interpolates
 * them. */
static bool is_hit(const rw_run *r, double t)
{
    double every = r->earlier_every;
    return every > 0 && !(r->earlier_interpolate > 0) && r->start + round((t - r->start) / every) * every == t;
}

rw_status rw_restart_check_end(const rw_run *r)
{
    const char *reason = "", *method = r->ops->method ? r->ops->method(r->problem, &reason) : "";
    double end = r->earlier_end, t = rw_run_time(r), now = r->problem->end;
    if (r->stationary) return RW_OK;
    if (now < t - 1e-9 * (t - r->start)) /* an end that an output stands for may be that little before it */
        return rw_case_fail(r->c, rw_case_node(r->c, "time.end"),
                            "time.end = %.12g is before the state in '%s/checkpoint.h5', t = %.12g: give an end of "
                            "%.12g or later, or begin again with rw_run_options.force",
                            now, r->folder, t, t);
    if (isnan(end)) return RW_OK;
    bool cut = fabs(t - end) <= 1e-9 * RW_MAX(r->earlier_every, 1e-3 * fabs(end)) && !is_hit(r, t);
    if (cut)
        rw_log(r->ctx, RW_LOG_WARNING,
               "the earlier end, t = %.9g, may have cut a step: later results may differ from those of an "
               "uninterrupted run within the tolerance of the method; an end at an output time avoids this",
               t);
    if (*reason)
        rw_log(r->ctx, RW_LOG_WARNING,
               "the run continues with the method %s, which auto chose for the earlier end, t = %.9g: a run started "
               "with the new end may use another",
               method, end);
    return RW_OK;
}

/* ---- compared ---------------------------------------------------------------------------------------------------- */

static bool may_change(const rw_run *r, const char *key)
{
    if (r->ops->may_change) {
        int answer = r->ops->may_change(r->c, key);
        if (answer >= 0) return answer;
    }
    /* tables go on: columns of series.csv may read derived fields, and probes have a column for each */
    const bool tables = r->output.series || r->output.probes;
    if (strcmp(key, "output.series") == 0 || strcmp(key, "output.probes") == 0) return false;
    if (strcmp(key, "output.derived") == 0 && tables) return false;
    if (strncmp(key, "output.", 7) == 0 || strcmp(key, "reproducible") == 0) return true;
    return strncmp(key, "time.", 5) == 0 && strcmp(key, "time.start") != 0 && strcmp(key, "time.method") != 0;
}

/* Settings of output that say where steps end, and so change what is computed within the tolerance. Outputs within
 * steps end none of them, but steps are as short as output.interpolate asks for. output.every_steps takes steps as
 * they are. */
static bool ends_steps(const rw_run *r, const char *key)
{
    if (strcmp(key, "output.interpolate") == 0) return true;
    return strcmp(key, "output.every") == 0 && !(r->earlier_interpolate > 0 && r->output.interpolate > 0);
}

static rw_status compare(rw_run *r, const char *path, const entry *theirs, const entry *ours)
{
    static const char none[] = "not set";
    const char *key = theirs ? theirs->key : ours->key, *before = theirs ? theirs->value : none,
               *now = ours ? ours->value : none;
    if (theirs && ours && strcmp(theirs->hash, ours->hash) == 0) return RW_OK;
    bool history = !theirs && strcmp(key, "output.interpolate") == 0; /* it needs states that were not kept */
    if (history || !may_change(r, key))
        return rw_fail(r->ctx, RW_ERR_INPUT,
                       "'%s' is the checkpoint of another case: %s: %s in the checkpoint, %s in the case: use the "
                       "case and the rw_run_options.set of that run, or begin again with rw_run_options.force",
                       path, key, before, now);
    if (strcmp(key, "output.every") == 0) r->every_changed = true;
    if (strcmp(key, "time.end") == 0) return RW_OK; /* rw_restart_check_end reports it */
    if (strncmp(key, "output.", 7) == 0 && !ends_steps(r, key)) return RW_OK;
    rw_log(r->ctx, RW_LOG_WARNING, "the run continues with %s: %s instead of %s", key, now, before);
    return RW_OK;
}

rw_status rw_restart_check(rw_run *r, rw_h5 *file, const char *path, bool *known)
{
    rw_text text = {0};
    entries saved = {0}, now = {0};
    double end = NAN;
    r->earlier_every = r->output.every;
    r->earlier_interpolate = r->output.interpolate;
    *known = rw_h5_exists(file, GROUP);
    if (!*known) return RW_OK;
    rw_status status;
    RW_TRY_GOTO(read_saved(r, file, &saved), done);
    RW_TRY_GOTO(read_number(r, &saved, "time", "end", &end), done);
    if (end != r->problem->end) r->earlier_end = end;
    r->earlier_interpolate = 0; /* its default */
    RW_TRY_GOTO(read_number(r, &saved, "output", "every", &r->earlier_every), done);
    RW_TRY_GOTO(read_number(r, &saved, "output", "interpolate", &r->earlier_interpolate), done);
    RW_TRY_GOTO(rw_case_settings(r->c, &text), done);
    RW_TRY_GOTO(split(r->ctx, &text, &now), done);
    for (int i = 0; i < now.n; i++) RW_TRY_GOTO(compare(r, path, find(&saved, now.item[i].key), &now.item[i]), done);
    for (int i = 0; i < saved.n; i++)
        if (!find(&now, saved.item[i].key)) RW_TRY_GOTO(compare(r, path, &saved.item[i], NULL), done);
done:
    rw_text_free(&text);
    free_entries(&saved);
    free_entries(&now);
    return status;
}
