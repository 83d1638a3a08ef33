/* Requests to stop early. A function that may take long enters the request of its object, and what it calls looks at
 * that of the thread. */
#include "core/core.h"

static _Thread_local const rw_cancel *current;

void rw_cancel_request(rw_cancel *cancel)
{
    if (cancel) __atomic_store_n(&cancel->requested, 1, __ATOMIC_RELAXED);
}

void rw_cancel_reset(rw_cancel *cancel)
{
    if (cancel) __atomic_store_n(&cancel->requested, 0, __ATOMIC_RELAXED);
}

bool rw_cancel_requested(const rw_cancel *cancel)
{
    return cancel && __atomic_load_n(&cancel->requested, __ATOMIC_RELAXED);
}

const rw_cancel *rw_cancel_enter(const rw_cancel *cancel)
{
    const rw_cancel *outer = current;
    if (cancel) current = cancel;
    return outer;
}

void rw_cancel_leave(const rw_cancel *outer) { current = outer; }
const rw_cancel *rw_cancel_current(void) { return current; }

rw_status rw_cancel_check(rw_context *ctx, const char *what)
{
    if (!rw_cancel_requested(current)) return RW_OK;
    return rw_fail(ctx, RW_ERR_INTERRUPTED, "%s: interrupted by a request to stop", what);
}
