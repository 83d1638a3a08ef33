/* State of the thread that runs a case, since it compiles the programs: a callback before each compilation, and the
 * flag that ends a compiler. */
#include "core/core.h"

static _Thread_local struct {
    rw_compiling_function *function;
    void *user;
    const volatile sig_atomic_t *interrupt;
} waiting;

void rw_compiling_set(rw_compiling_function *function, void *user)
{
    waiting.function = function;
    waiting.user = user;
}

void rw_compiling(const char *program, int known)
{
    if (waiting.function) waiting.function(waiting.user, program, known);
}

void rw_interrupt_set(const volatile sig_atomic_t *flag) { waiting.interrupt = flag; }
const volatile sig_atomic_t *rw_interrupt(void) { return waiting.interrupt; }
