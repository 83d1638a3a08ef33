/* What the tests of programs and of the dialect share. */
#ifndef PROGRAM_TEST_H
#define PROGRAM_TEST_H

#include "../devices.h"

static inline rw_program *build(const char *name, const char *text, const char *group, const char *more, const char *value)
{
    const rw_define defines[] = {{"GROUP", group}, {more, value}};
    rw_program *p;
    OK(rw_program_create(dev, name, text, defines, more ? 2 : 1, &p));
    return p;
}

static const int64_t one[3] = {1, 1, 1};

static inline rw_array *zeros(rw_dtype dtype, int64_t n)
{
    rw_array *a = new_array(dtype, n, RW_MEMORY_DEVICE);
    OK(rw_array_zero(a, queue));
    return a;
}

static inline const int *ints_of(rw_array *a)
{
    const void *p;
    OK(rw_array_read(a, &p));
    return p;
}

#endif
