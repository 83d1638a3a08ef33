/* What every fuzz target has. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/core.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Ends the program where a fact does not hold. */
static inline void require(int fact, const char *what)
{
    if (fact) return;
    fprintf(stderr, "%s; message: %s\n", what, rw_message(NULL));
    abort();
}

#endif
