/* Callbacks of the thread that runs a case before and after each compilation. */
#include "core/core.h"

static _Thread_local struct {
    rw_compiling_function *function;
    void *user;
} waiting;

static _Thread_local struct {
    rw_compiled_function *function;
    void *user;
} done;

void rw_compiling_set(rw_compiling_function *function, void *user)
{
    waiting.function = function;
    waiting.user = user;
}

void rw_compiling(const char *program, int known)
{
    if (waiting.function) waiting.function(waiting.user, program, known);
}

void rw_compiled_set(rw_compiled_function *function, void *user)
{
    done.function = function;
    done.user = user;
}

void rw_compiled(void)
{
    if (done.function) done.function(done.user);
}
