/* Levels of optimisation. Without optimisation a compiler takes a tenth of the time, and code that runs once need not
 * be fast: a text that is written out, such as a transform, with many statements for each loop, is compiled so first.
 * Others, such as passes over pixels or grids, are optimised at once: their compiler takes less time than their first
 * run without optimisation, which is thirty times slower.
 * The compiler makes the optimised code in the background when launches have taken `after` seconds, or when the present
 * one will. Launches take it over when it is there, a long one between two slices. Results do not change: the bits of a
 * text do not depend on the level (MULADD in dialect_math.h). Destroying the program before waits for the compiler, so
 * that the next process finds the optimised code in the cache:
 *                                         after     waits at most
 *   compiled in this process              0.2 s     as long as launches took, 0.25 s
 *   quick code from the cache: used again 0.02 s    2 s
 * $RECHENWERK_OPTIMISE: `first`, nothing is quick; `never`, everything is and stays so; all else, as above.
 * Not here: devices whose table has no quick_suffix. */
#include <stdlib.h>
#include <string.h>

#include "device/device.h"

/* Statements of a text that is written out, all and for each loop. Transforms have 250 to 1800 and more than 80 a loop
 * (gcc 12 takes 0.1 to 3 s for them at -O3); passes over grids and windows of pixels less than 50 a loop. */
enum { MANY_STATEMENTS = 200, MANY_A_LOOP = 64 };
#define NEW_AFTER 0.2
#define NEW_WAIT 0.25
#define AGAIN_AFTER 0.02
#define AGAIN_WAIT 2.0

enum { NOT_YET, STARTED, TAKING };

static bool is_set_to(const char *value)
{
    const char *own = getenv("RECHENWERK_OPTIMISE");
    return own && !strcmp(own, value);
}

bool rw_program_may_be_quick(const rw_program *p)
{
    if (!p->device->ops->quick_suffix || is_set_to("first")) return false;
    return is_set_to("never") || (!p->device->ctx->optimise_first && p->written_out);
}

bool rw_text_is_written_out(const char *text)
{
    long statements = 0, loops = 1;
    for (const char *at = text; (at = strchr(at, ';')); ++at) ++statements;
    for (const char *at = text; (at = strstr(at, "for (")); ++at) ++loops;
    return statements >= MANY_STATEMENTS && statements >= MANY_A_LOOP * loops;
}

bool rw_program_may_improve(void) { return !is_set_to("never"); }

/* The optimised program has the kernels of p, whose parameters it shares. */
static rw_program *copy_of(rw_program *p)
{
    rw_program *o = rw_calloc(1, sizeof *o);
    rw_kernel *kernels = rw_calloc((size_t)p->nkernels, sizeof *kernels);
    if (!o || !kernels || p->text.failed) {
        rw_free(o);
        rw_free(kernels);
        return NULL;
    }
    *o = *p;
    memcpy(kernels, p->kernels, (size_t)p->nkernels * sizeof *kernels);
    o->kernels = kernels;
    o->references = 1;
    o->text = (rw_text){0};
    o->quick = false;
    o->job = NULL;
    o->module = NULL;
    return o;
}

static void start(rw_program *p)
{
    if (rw_fault_armed() || !p->text.length) return; /* a test counts the events of one thread */
    rw_program *o = copy_of(p);
    if (!o) return;
    const rw_cancel *of_thread = rw_cancel_current(); /* which may end before the compiler */
    rw_cancel_leave(NULL);
    const rw_status status = rw_background_add(o, &p->text);
    rw_cancel_leave(of_thread);
    if (status == RW_OK) {
        rw_count(p->device, &p->device->counters.compilations, -1); /* the program has been counted */
        __atomic_store_n(&p->optimised, o, __ATOMIC_RELEASE);
        return;
    }
    rw_free(o->kernels);
    rw_free(o);
}

static void take_over(rw_program *p, rw_program *o)
{
    if (rw_program_ready(o) != RW_OK) {
        rw_log(p->device->ctx, RW_LOG_WARNING, "program %s is not optimised: %s", p->name, rw_message(p->device->ctx));
        return;
    }
    for (int i = 0; i < p->nkernels; ++i) {
        __atomic_store_n(&p->kernels[i].handle, o->kernels[i].handle, __ATOMIC_RELEASE);
        p->kernels[i].group_seconds = 0;
    }
    __atomic_store_n(&p->quick, false, __ATOMIC_RELAXED);
}

/* Several threads may launch kernels of the program: one of them takes each step. */
void rw_program_worked(rw_program *p, double seconds, double more)
{
    int state = __atomic_load_n(&p->improving, __ATOMIC_ACQUIRE);
    p->worked = p->worked + seconds; /* what two threads add at once may be lost */
    if (state == NOT_YET && p->worked + more >= (p->again ? AGAIN_AFTER : NEW_AFTER)) {
        if (__atomic_compare_exchange_n(&p->improving, &state, STARTED, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            start(p);
    } else if (state == STARTED) {
        rw_program *o = __atomic_load_n(&p->optimised, __ATOMIC_ACQUIRE);
        if (o && rw_background_is_done(o) &&
            __atomic_compare_exchange_n(&p->improving, &state, TAKING, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            take_over(p, o);
    }
}

void rw_program_end_optimised(rw_program *p)
{
    rw_program *o = p->optimised;
    if (!o) return;
    rw_background_wait(o, p->again ? AGAIN_WAIT : RW_MIN(p->worked, NEW_WAIT));
    rw_background_end(o);
    p->device->ops->unload(p->device, o);
    rw_free(o->kernels);
    rw_free(o);
}
