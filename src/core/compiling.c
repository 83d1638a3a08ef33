/* A callback of the thread that runs a case before each compilation. */
#include "core/core.h"

static _Thread_local struct {
    rw_compiling_function *function;
    void *user;
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
