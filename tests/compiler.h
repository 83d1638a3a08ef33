/* The C compiler that devices find: off for a while. */
#ifndef RW_TEST_COMPILER_H
#define RW_TEST_COMPILER_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Off: expressions run in the plain evaluator, and a program costs microseconds. On: the compiler that the test's
 * environment names, else the system's. */
static inline void compiler(bool on)
{
    static char own[4096];
    static bool known;
    const char *now = getenv("RECHENWERK_CC");
    if (!known) snprintf(own, sizeof own, "%s", now ? now : "");
    known = true;
    if (!on) setenv("RECHENWERK_CC", "none", 1);
    else if (*own) setenv("RECHENWERK_CC", own, 1);
    else unsetenv("RECHENWERK_CC");
}

#endif
