/* Shared by the tests of raster files: a picture of random samples, and a file that a test makes byte by byte. */
#ifndef RW_TEST_RASTER_H
#define RW_TEST_RASTER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/picture.h"

static rw_context *ctx;

static inline rw_raster make(size_t width, size_t height, int channels, int bytes)
{
    rw_raster r = {0};
    assert_int_equal(rw_raster_create(ctx, "made", width, height, channels, bytes, 0, &r), RW_OK);
    for (size_t i = 0; i < width * height * (size_t)channels * (size_t)bytes; ++i)
        ((uint8_t *)r.samples)[i] = (uint8_t)(rw_random_u64(7, i) >> 20);
    return r;
}

typedef struct made_file {
    unsigned char b[1 << 14];
    size_t n;
} made_file;

static inline void put(made_file *f, uint64_t v, int n)
{
    for (int i = 0; i < n; ++i) f->b[f->n++] = (unsigned char)(v >> 8 * i);
}
static inline void put_at(made_file *f, size_t at, uint64_t v, int n)
{
    for (int i = 0; i < n; ++i) f->b[at + (size_t)i] = (unsigned char)(v >> 8 * i);
}
static inline uint32_t draw(uint64_t i) { return (uint32_t)(rw_random_u64(11, i) >> 20); }

#endif
