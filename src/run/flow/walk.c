/* psi on the sides: u = dpsi/dy and v = -dpsi/dx, integrated along the boundary by one walk round the domain, clockwise
 * from the lower left corner, or from the end of the outflow, whose psi nothing gives. What flows in makes psi grow. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/flow/flow.h"

enum { GAUSS = 4 }; /* pairs of points: exact for polynomials of degree 15 */
static const double at[GAUSS] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363},
                    weight[GAUSS] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};

static double end_of(const flow *f, int axis) { return f->origin[axis] + f->length[axis]; }

/* The point of a side at a coordinate along it. */
static void place(const flow *f, int side, double along, double x[2])
{
    const int axis = flow_axis_along(side), across = 1 - axis;
    x[axis] = along;
    x[across] = side % 2 ? end_of(f, across) : f->origin[across];
}

static double node_of(const flow *f, int axis, int64_t i)
{
    return i == f->size[axis] - 1 && !f->periodic[axis] ? end_of(f, axis)
                                                        : f->origin[axis] + (double)i * flow_spacing(f, axis);
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/* The part of a side that holds at a coordinate along it; -1: none. `twice`: a later one with a condition of its own
 * holds there, too; -1. */
static rw_status part_at(const flow *f, int side, double along, int *part, int *twice)
{
    const flow_side *s = f->side + side;
    double x[2], holds;
    place(f, side, along, x);
    *part = *twice = -1;
    for (int i = 0; i < s->n; ++i) {
        holds = *part < 0;
        if (s->part[i].where) RW_TRY(flow_value(f, s->part[i].where, x[0], x[1], &holds));
        if (isnan(holds))
            return rw_case_fail(f->c, s->part[i].where, "where is not a number at x = %g, y = %g", x[0], x[1]);
        if (!holds) continue;
        if (*part < 0) *part = i;
        else if (s->part[i].where && *twice < 0) *twice = i;
    }
    return RW_OK;
}

static rw_status check_cover(const flow *f, int side, double along, int part, int twice)
{
    const flow_side *s = f->side + side;
    const char *axis = side < FLOW_SOUTH ? "y" : "x";
    if (part < 0)
        return rw_case_fail(f->c, s->node,
                            "the side %s is not covered at %s = %g: no part has a where that holds there; "
                            "write the last part without where",
                            flow_side_names[side], axis, along);
    if (twice >= 0)
        return rw_case_fail(f->c, s->part[twice].where, "the side %s is covered twice at %s = %g, by parts %d and %d",
                            flow_side_names[side], axis, along, part + 1, twice + 1);
    return RW_OK;
}

/* Where part `of` ends, between two nodes. */
static rw_status find_end(const flow *f, int side, double low, double high, int of, double *end)
{
    enum { HALVINGS = 60 };
    char text[40];
    for (int i = 0; i < HALVINGS; ++i) {
        const double middle = low + (high - low) / 2;
        int part, twice;
        RW_TRY(part_at(f, side, middle, &part, &twice));
        *(part == of ? &low : &high) = middle;
    }
    snprintf(text, sizeof text, "%.14g", high); /* a comparison with 0.5 ends there, not at the next number */
    *end = rw_strtod(text, NULL);
    return RW_OK;
}

static rw_status add_piece(flow *f, int side, int part, double from)
{
    flow_piece *p = f->piece + f->npieces;
    int number = 1;
    if (f->npieces == FLOW_PIECES)
        return rw_case_fail(f->c, f->side[side].node, "the sides have more than %d pieces", FLOW_PIECES);
    for (int i = 0; i < f->npieces; ++i) number += f->piece[i].side == side;
    *p = (flow_piece){.side = side, .part = f->side[side].part + part, .from = from, .until = INFINITY};
    snprintf(p->name, sizeof p->name, "%s_%d", flow_side_names[side], number);
    f->npieces++;
    return RW_OK;
}

static rw_status divide(flow *f, int side)
{
    const int axis = flow_axis_along(side);
    int before = -1;
    for (int64_t i = 0; i < f->size[axis]; ++i) {
        const double here = node_of(f, axis, i);
        int part, twice;
        double end;
        RW_TRY(part_at(f, side, here, &part, &twice));
        RW_TRY(check_cover(f, side, here, part, twice));
        if (part == before) continue;
        if (before < 0) RW_TRY(add_piece(f, side, part, here));
        else {
            flow_piece *last = f->piece + f->npieces - 1;
            RW_TRY(find_end(f, side, node_of(f, axis, i - 1), here, before, &end));
            last->to = end;
            last->until = here - flow_spacing(f, axis) / 2;
            RW_TRY(add_piece(f, side, part, end));
        }
        before = part;
    }
    f->piece[f->npieces - 1].to = end_of(f, axis);
    return RW_OK;
}

/* ---- what flows in ----------------------------------------------------------------------------------------------- */

static rw_status velocity_at(const flow *f, const flow_piece *p, double along, double *value)
{
    double x[2];
    const rw_tree *node = flow_across(p->part, p->side);
    place(f, p->side, along, x);
    RW_TRY(flow_value(f, node, x[0], x[1], value));
    if (isfinite(*value)) return RW_OK;
    return rw_case_fail(f->c, node, "the velocity at x = %g, y = %g is not a finite number", x[0], x[1]);
}

static rw_status integrate(const flow *f, flow_piece *p)
{
    const int axis = flow_axis_along(p->side);
    const double half = (p->to - p->from) / 2;
    double value;
    for (int64_t i = 0; i < f->size[axis]; ++i) {
        const double here = node_of(f, axis, i);
        if (here >= p->from && here <= p->to) RW_TRY(velocity_at(f, p, here, &value));
    }
    for (int i = 0; i < 2 * GAUSS; ++i) {
        RW_TRY(velocity_at(f, p, p->from + half * (1 + (i % 2 ? at[i / 2] : -at[i / 2])), &value));
        p->net += half * weight[i / 2] * value;
    }
    if (p->side >= FLOW_SOUTH) p->net = -p->net;
    return RW_OK;
}

/* ---- the walk ---------------------------------------------------------------------------------------------------- */

/* West and north along their axis, east and south against it. */
static int order_of(const flow *f, int ring[FLOW_PIECES])
{
    static const int sides[] = {FLOW_WEST, FLOW_NORTH, FLOW_EAST, FLOW_SOUTH};
    int n = 0;
    for (int k = 0; k < FLOW_SIDES; ++k) {
        const bool forward = k < 2;
        for (int i = 0; i < f->npieces; ++i) {
            const int piece = forward ? i : f->npieces - 1 - i;
            if (f->piece[piece].side == sides[k]) ring[n++] = piece;
        }
    }
    return n;
}

static rw_status take_piece(const flow *f, flow_piece *p, rw_text *psi, double *number)
{
    const bool inflow = p->part->kind == FLOW_INFLOW, forward = p->side == FLOW_WEST || p->side == FLOW_NORTH;
    if (!forward && inflow) {
        rw_text_add(psi, " - flow_%s(%.15g)", p->name, p->to);
        *number -= p->net;
    }
    const char *text = psi->data ? psi->data : "";
    p->psi = rw_format("%s", strncmp(text, " + ", 3) ? (*text ? text : "0") : text + 3);
    p->begin = *number;
    if (!p->psi || psi->failed) return rw_fail_memory(f->ctx, 64, "psi on the sides");
    if (forward && inflow) {
        rw_text_add(psi, " + flow_%s(%.15g)", p->name, p->to);
        *number += p->net;
    }
    return RW_OK;
}

static rw_status check_balance(const flow *f, double excess)
{
    double in = 0, out = 0;
    for (int i = 0; i < f->npieces; ++i) {
        const flow_piece *p = f->piece + i;
        const double inward = p->side == FLOW_WEST || p->side == FLOW_NORTH ? p->net : -p->net;
        *(inward > 0 ? &in : &out) += fabs(inward);
    }
    if (fabs(excess) <= 1e-9 * fmax(in, out)) return RW_OK;
    return rw_case_fail(f->c, rw_case_node(f->c, "sides"),
                        "%.9g flows in through the sides and %.9g out, %.3g too %s: correct the velocities, or make a "
                        "part outflow, which takes what is left",
                        in, out, fabs(excess), excess > 0 ? "much" : "little");
}

static rw_status walk(flow *f)
{
    int ring[FLOW_PIECES], first = -1;
    const int n = order_of(f, ring);
    rw_text psi = {0};
    double number = 0;
    rw_status status = RW_OK;
    for (int i = 0; i < n; ++i) {
        const flow_part *part = f->piece[ring[i]].part;
        if (part->kind != FLOW_OUTFLOW) continue;
        if (first >= 0)
            return rw_case_fail(f->c, part->node,
                                "a second outflow: nothing says how much leaves through each: give one of them its "
                                "velocity as inflow");
        first = i;
    }
    for (int i = 1; i <= n && status == RW_OK; ++i) {
        flow_piece *p = f->piece + ring[(first < 0 ? i - 1 : first + i) % n];
        if (p->part->kind != FLOW_OUTFLOW) status = take_piece(f, p, &psi, &number);
    }
    rw_text_free(&psi);
    return status == RW_OK && first < 0 ? check_balance(f, number) : status;
}

/* Next to periodic sides there is one psi for each wall: nothing flows along the periodic axis. */
static rw_status check_periodic(const flow *f)
{
    for (int i = 0; i < f->npieces; ++i) {
        const flow_part *p = f->piece[i].part;
        if (p->kind == FLOW_INFLOW || p->kind == FLOW_OUTFLOW)
            return rw_case_fail(f->c, p->node, "%s next to periodic sides: take walls or symmetry",
                                flow_kind_names[p->kind]);
    }
    return RW_OK;
}

rw_status flow_walk(flow *f)
{
    for (int s = 0; s < FLOW_SIDES; ++s)
        if (!f->periodic[s / 2]) RW_TRY(divide(f, s));
    for (int i = 0; i < f->npieces; ++i)
        if (f->piece[i].part->kind == FLOW_INFLOW) RW_TRY(integrate(f, f->piece + i));
    if (f->periodic[0] || f->periodic[1]) RW_TRY(check_periodic(f));
    return f->npieces ? walk(f) : RW_OK;
}

void flow_free_pieces(flow *f)
{
    for (int i = 0; i < f->npieces; ++i) rw_free(f->piece[i].psi);
    f->npieces = 0;
}
