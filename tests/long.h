/* Tests with a short and a long version. ctest registers a program whose source calls test_long(), or brief() or
 * in_turn() of devices.h, twice: F.N (`make check`), and F.N.long with RECHENWERK_TEST_LONG=1 (`make check-long`),
 * which runs all that the short version runs and more: whole sweeps instead of a part of each, more sizes, more
 * seeds. */
#ifndef RW_TEST_LONG_H
#define RW_TEST_LONG_H

#include <stdbool.h>
#include <stdlib.h>

static inline bool test_long(void)
{
    const char *wish = getenv("RECHENWERK_TEST_LONG");
    return wish && wish[0] == '1';
}

#endif
