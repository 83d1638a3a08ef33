/* Fields and programs of the problem rates.
 *
 *   dN/dt     = -gain N sum_k(Phi_k U_k) - N/tau_f + R (1 - N/N_tot)             gain = sigma c / L
 *   dPhi_k/dt = Phi_k (gain sum_cells(volume N U_k) - 1/tau_c - loss(t)) + S
 *
 * M. Wohlmuth et al., Dynamic multimode analysis of Q-switched solid state laser cavities, Opt. Express 17 (2009)
 * 17303; the step is that of P. Herbst (2020): N implicitly with the old Phi, then Phi explicitly where it grows,
 * implicitly where it falls. So 0 <= N < N_tot and Phi > 0 for any step. One pass of 40 bytes a cell and mode 1 (8 more
 * a mode) does all of it. */
#include <math.h>
#include <string.h>

#include "expr/parse.h"
#include "field/finite.h"
#include "run/rates/rates.h"

enum { MOST_FIELDS = 4 + RATES_MODES, MOST_SCALARS = 64 };

static int list_fields(const rates_problem *p, rw_expr_field *fields, char names[RATES_MODES][16], rw_array **arrays)
{
    int n = 0;
    arrays[n] = p->inversion;
    fields[n++] = (rw_expr_field){.name = "N", .dtype = RW_F64};
    arrays[n] = p->pumping;
    fields[n++] = (rw_expr_field){.name = "pump", .dtype = RW_F64};
    for (int k = 0; k < p->nmodes; ++k) {
        snprintf(names[k], 16, p->nmodes == 1 ? "mode" : "mode%d", k + 1);
        arrays[n] = p->mode[k];
        fields[n++] = (rw_expr_field){.name = names[k], .dtype = RW_F64};
    }
    if (!p->half) return n;
    arrays[n] = p->half;
    fields[n++] = (rw_expr_field){.name = "H", .dtype = RW_F64};
    arrays[n] = p->offered;
    fields[n++] = (rw_expr_field){.name = "G", .dtype = RW_F64};
    return n;
}

rw_status rates_program(rates_problem *p, const rw_expr_spec *given, rw_expr **e)
{
    rw_expr_field fields[MOST_FIELDS];
    rw_array *arrays[MOST_FIELDS];
    char names[RATES_MODES][16];
    rw_expr_spec spec = *given;
    spec.fields = fields;
    spec.nfields = list_fields(p, fields, names, arrays);
    RW_TRY(rw_blocks_expr_create(p->blocks, p->device, RW_BLOCKS_CELLS, &spec, e));
    for (int f = 0; f < spec.nfields; ++f) RW_TRY(rw_expr_bind(*e, fields[f].name, arrays[f]));
    return RW_OK;
}

/* ---- profiles ---------------------------------------------------------------------------------------------------- */

/* A value that makes no sense, with its place. */
static rw_status check_values(const rw_case *c, const rates_problem *p, const char *setting, const rw_tree *node,
                              rw_array *array)
{
    const void *data;
    RW_TRY(rw_array_read(array, &data));
    const double *v = data;
    for (int64_t i = 0; i < rw_array_size(array); ++i) {
        if (isfinite(v[i]) && v[i] >= 0) continue;
        int at[3], block = rw_blocks_find(p->blocks, i, at);
        int64_t points[8];
        double x[3] = {0};
        rw_blocks_cell_points(p->blocks, i, points);
        for (int k = 0; k < 8; ++k)
            for (int d = 0; d < 3; ++d) x[d] += rw_blocks_coordinates(p->blocks)[points[k]][d] / 8;
        return rw_case_fail(
            c, node,
            "%s is %s in cell (%d, %d, %d) of block %d, at x = %g, y = %g, z = %g: values must be finite and 0 or "
            "more",
            setting, isfinite(v[i]) ? "negative" : rw_finite_word(v[i]), at[0], at[1], at[2], block, x[0], x[1], x[2]);
    }
    return RW_OK;
}

/* array <- scale * (the setting's expression). */
static rw_status by_expression(const rw_case *c, rates_problem *p, const char *setting, const rw_tree *node,
                               const char *standard, double scale, rw_array **array)
{
    rw_context *ctx = rw_case_context(c);
    rw_text t = {0};
    rw_expr_scalar scalars[MOST_SCALARS];
    const rw_expr_field field = {.name = "f_", .dtype = RW_F64};
    rw_expr *e = NULL;
    if (p->nscalars + 1 > MOST_SCALARS) return rw_case_fail(c, NULL, "more than %d parameters", MOST_SCALARS - 1);
    if (p->nscalars) memcpy(scalars, p->scalars, (size_t)p->nscalars * sizeof *scalars);
    scalars[p->nscalars] = (rw_expr_scalar){.name = "s_", .value = scale};
    rw_text_add(&t, "r2 = x^2 + y^2\nf_ = s_*(");
    rw_add_place(&t, node ? node->text_source : setting, node ? node->text_line : 1, node ? node->text_column : 1);
    rw_text_add(&t, "%s\n)", node ? node->text : standard);
    rw_status status = rw_add_functions(c, &t);
    rw_expr_spec spec = {.name = node ? node->source : setting,
                         .text = t.data,
                         .fields = &field,
                         .nfields = 1,
                         .scalars = scalars,
                         .nscalars = p->nscalars + 1};
    if (status == RW_OK) status = rw_blocks_array(p->blocks, p->device, RW_BLOCKS_CELLS, RW_F64, array);
    if (status == RW_OK) status = rw_blocks_expr_create(p->blocks, p->device, RW_BLOCKS_CELLS, &spec, &e);
    if (status == RW_OK) status = rw_expr_bind(e, "f_", *array);
    if (status == RW_OK) status = rw_expr_run(e, rw_device_queue(p->device));
    rw_expr_destroy(&e);
    rw_text_free(&t);
    if (status == RW_ERR_MEMORY) return rw_fail_prefix(ctx, status, "%s", setting);
    return status == RW_OK ? check_values(c, p, setting, node, *array) : status;
}

/* The profile of a single mode; NULL: none. settings.yaml of a case with several modes has an empty one. */
static const rw_tree *single_mode(const rw_case *c)
{
    const rw_tree *profile = rw_case_node(c, "mode.profile");
    return profile && (profile->kind != RW_TREE_SCALAR || *profile->text) ? profile : NULL;
}

rw_status rates_name_modes(const rw_case *c, rates_problem *p)
{
    const rw_tree *map = rw_case_node(c, "modes"), *one = single_mode(c);
    if ((map && map->n > 0) == (one != NULL))
        return rw_case_fail(c, map,
                            one ? "mode and modes are both given: use mode for a single mode, modes for several"
                                : "there is no mode: add mode: {profile: \"…\"}");
    if (map && map->n > RATES_MODES)
        return rw_case_fail(c, map, "modes: %d are given, at most %d are allowed", map->n, RATES_MODES);
    p->nmodes = one ? 1 : map->n;
    for (int k = 0; k < p->nmodes; ++k)
        snprintf(p->mode_name[k], sizeof p->mode_name[k], "%.31s", one ? "" : map->keys[k]);
    return RW_OK;
}

static rw_status make_modes(const rw_case *c, rates_problem *p)
{
    const rw_tree *map = rw_case_node(c, "modes"), *one = single_mode(c);
    RW_TRY(rates_name_modes(c, p));
    for (int k = 0; k < p->nmodes; ++k) {
        char setting[80] = "mode.profile";
        rates_mode single;
        rates_modes entry;
        if (one) RW_TRY(rw_case_section(c, "mode", &single));
        else RW_TRY(rw_case_entry(c, "modes", k, &entry));
        if (!one) snprintf(setting, sizeof setting, "modes.%.40s.profile", map->keys[k]);
        p->photons[k] = one ? single.photons : entry.photons;
        RW_TRY(by_expression(c, p, setting, one ? one : rw_tree_get(map->items[k], "profile"), NULL, 1, &p->mode[k]));
    }
    return RW_OK;
}

rw_status rates_make_fields(const rw_case *c, rates_problem *p)
{
    double quantum = p->constants.planck * p->constants.light / p->pump.wavelength;
    RW_TRY(make_modes(c, p));
    RW_TRY(by_expression(c, p, "pump.profile", rw_case_node(c, "pump.profile"), NULL, p->pump.power / quantum,
                         &p->pumping));
    RW_TRY(by_expression(c, p, "crystal.inversion", rw_case_node(c, "crystal.inversion"), "0", 1, &p->inversion));
    if (!p->time.method) return RW_OK;
    RW_TRY(rw_blocks_array(p->blocks, p->device, RW_BLOCKS_CELLS, RW_F64, &p->half));
    RW_TRY(by_expression(c, p, "crystal.inversion", rw_case_node(c, "crystal.inversion"), "0", 1, &p->offered));
    return RW_OK;
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

const char *rates_number(const rates_problem *p, int k, char text[8])
{
    *text = 0;
    if (p->nmodes > 1) snprintf(text, 8, "%d", (k + 1) % 10000); /* there are few */
    return text;
}

static void write_step(const rates_problem *p, rw_text *t)
{
    char n[8];
    rw_text_add(t, "t = t + tau\nN = (N + tau*pump)/(1 + tau*(spontaneous + gain*(");
    for (int k = 0; k < p->nmodes; ++k) rw_text_add(t, "%sPhi%s*mode%s", k ? " + " : "", rates_number(p, k, n), n);
    rw_text_add(t, ") + pump*filling))\nlosses = mirror + (%s)", p->cavity.loss);
    for (int k = 0; k < p->nmodes; ++k)
        rw_text_add(t, "\nlambda%s = gain*sum(volume*N*mode%s) - losses", rates_number(p, k, n), n);
    for (int k = 0; k < p->nmodes; ++k) {
        rates_number(p, k, n);
        rw_text_add(
            t,
            "\nPhi%s = where(lambda%s > 0, Phi%s*(1 + tau*lambda%s) + tau*seed, (Phi%s + tau*seed)/(1 - tau*lambda%s))",
            n, n, n, n, n, n);
    }
    rw_text_add(t, "\nphotons = ");
    for (int k = 0; k < p->nmodes; ++k) rw_text_add(t, "%sPhi%s", k ? " + " : "", rates_number(p, k, n));
    rw_text_add(t, "\nlargest = ");
    for (int k = 0; k < p->nmodes; ++k)
        rw_text_add(t, "%slambda%s", k ? ", " : p->nmodes > 1 ? "max(" : "", rates_number(p, k, n));
    rw_text_add(t, p->nmodes > 1 ? ")" : "");
}

/* The losses by themselves, so that mistakes have their place in the case; they must be finite and not negative at the
 * beginning. */
static rw_status check_loss(const rw_case *c, rates_problem *p)
{
    const rw_tree *node = rw_case_node(c, "cavity.loss");
    if (!node) return RW_OK;
    rw_expr_scalar scalars[MOST_SCALARS];
    rw_text t = {0};
    double loss = 0;
    if (p->nscalars) memcpy(scalars, p->scalars, (size_t)p->nscalars * sizeof *scalars);
    scalars[p->nscalars] = (rw_expr_scalar){.name = "t"};
    rw_text_add(&t, "loss = ");
    rw_add_place(&t, node->text_source, node->text_line, node->text_column);
    rw_text_add(&t, "%s", node->text);
    rw_status status = rw_add_functions(c, &t);
    rw_expr_spec spec = {.name = node->source,
                         .text = t.data,
                         .grid = {1, {1, 1, 1}, {1, 1, 1}, {0}},
                         .scalars = scalars,
                         .nscalars = p->nscalars + 1};
    if (status == RW_OK) status = rw_expr_create(p->device, &spec, &p->loss);
    if (status == RW_OK && rw_expr_get(p->loss, "loss", &loss, NULL) != RW_OK)
        status = rw_case_fail(c, node, "cavity.loss depends on coordinates: it must be a scalar of time");
    if (status == RW_OK && !(loss >= 0 && isfinite(loss)))
        status = rw_case_fail(c, node, "cavity.loss = %g at t = 0: it must be 0 or more", loss);
    p->first_loss = loss;
    if (status == RW_OK) status = rates_find_switches(p);
    rw_text_free(&t);
    return status;
}

static rw_status make_step(const rw_case *c, rates_problem *p)
{
    rw_text t = {0};
    rw_expr_scalar scalars[MOST_SCALARS + 8 + 2 * RATES_MODES];
    char names[RATES_MODES][16], more[RATES_MODES][16], n[8];
    int count = p->nscalars;
    if (count) memcpy(scalars, p->scalars, (size_t)count * sizeof *scalars);
    const rw_expr_scalar own[] = {{.name = "tau", .value = p->time.end / (double)p->time.steps},
                                  {.name = "spontaneous", .value = 1 / p->crystal.lifetime},
                                  {.name = "gain", .value = p->gain},
                                  {.name = "filling", .value = 1 / p->crystal.doping},
                                  {.name = "mirror", .value = 1 / p->tau_c},
                                  {.name = "seed", .value = p->cavity.seed},
                                  {.name = "t", .state = true}};
    /* adaptive steps have a tau of their own */
    for (int i = p->time.method != 0; i < RW_COUNT(own); ++i) scalars[count++] = own[i];
    for (int k = 0; k < p->nmodes; ++k) {
        snprintf(names[k], sizeof names[k], "Phi%s", rates_number(p, k, n));
        scalars[count++] = (rw_expr_scalar){.name = names[k], .value = p->photons[k], .state = true};
    }
    if (p->time.method) {
        count += rates_adaptive_scalars(p, more, scalars + count);
        rates_write_adaptive(p, &t);
    } else write_step(p, &t);
    rw_status status = rw_add_functions(c, &t);
    rw_expr_spec spec = {.name = "the step of rates",
                         .text = t.data,
                         .scalars = scalars,
                         .nscalars = count,
                         .trace = p->batch};
    if (status == RW_OK) status = rates_program(p, &spec, &p->step);
    rw_text_free(&t);
    return status;
}

/* inversion = sum(volume*N), gain1 = gain*sum(volume*N*mode1), …: of the present state. */
static rw_status make_observe(rates_problem *p)
{
    rw_text t = {0};
    char n[8];
    const rw_expr_scalar gain = {.name = "gain", .value = p->gain};
    rw_text_add(&t, "inversion = sum(volume*N)");
    for (int k = 0; k < p->nmodes; ++k)
        rw_text_add(&t, "\ngain%d = gain*sum(volume*N*mode%s)", k + 1, rates_number(p, k, n));
    rw_expr_spec spec = {.name = "the series of rates", .text = t.data, .scalars = &gain, .nscalars = 1};
    rw_status status =
        t.failed ? rw_fail_memory(p->device->ctx, t.length, "a program") : rates_program(p, &spec, &p->observe);
    rw_text_free(&t);
    return status;
}

/* Names of the programs here, without the numbers of modes. */
static bool is_own(const char *name, size_t n)
{
    static const char *const own[] = {"N",         "pump",   "mode",        "volume",     "block",     "boundary",
                                      "r2",        "H",      "G",           "F",          "Q",         "Phi",
                                      "lambda",    "tau",    "spontaneous", "gain",       "filling",   "mirror",
                                      "seed",      "losses", "photons",     "power",      "largest",   "rtol",
                                      "longest",   "wish",   "limit",       "quota",      "taken",     "attempts",
                                      "offered",   "grow",   "relax",       "begin",      "last",      "finish",
                                      "whole",     "first",  "losses_half", "losses_end", "gain_half", "once",
                                      "middle",    "twice",  "ratio",       "error",      "good",      "next",
                                      "inversion", "f_",     "s_"};
    while (n > 1 && name[n - 1] >= '0' && name[n - 1] <= '9' && strncmp(name, "r2", n)) --n;
    for (int i = 0; i < RW_COUNT(own); ++i)
        if (strlen(own[i]) == n && !memcmp(own[i], name, n)) return true;
    return false;
}

rw_status rates_check_names(const rw_case *c)
{
    static const char message[] = "%.*s is a reserved name of the problem rates: choose another";
    const rw_tree *parameters = rw_case_node(c, "parameters"), *functions = rw_case_node(c, "functions");
    for (int i = 0; parameters && i < parameters->n; ++i) {
        int n = (int)strlen(parameters->keys[i]);
        if (is_own(parameters->keys[i], (size_t)n))
            return rw_case_fail_key(c, parameters, i, message, n, parameters->keys[i]);
    }
    for (int i = 0; functions && i < functions->n; ++i) {
        const char *text = functions->items[i]->text + strspn(functions->items[i]->text, " \t");
        int n = (int)strcspn(text, " (");
        if (is_own(text, (size_t)n)) return rw_case_fail(c, functions->items[i], message, n, text);
    }
    return RW_OK;
}

rw_status rates_make_programs(const rw_case *c, rates_problem *p)
{
    RW_TRY(check_loss(c, p));
    RW_TRY(make_step(c, p));
    if (p->time.method) RW_TRY(rates_program(p, &(rw_expr_spec){.name = "settle", .text = "N = G"}, &p->settle));
    return make_observe(p);
}
