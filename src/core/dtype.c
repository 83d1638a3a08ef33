/* Types of elements: of arrays, in kernels and in files. */
#include "rechenwerk/core.h"

#include "core/core.h"

static const struct {
    const char *name;
    size_t bytes;
} dtypes[] = {{"default", 0},
#define RW_X(name, text, bytes) {text, bytes},
              RW_DTYPE_LIST(RW_X)
#undef RW_X
};

size_t rw_dtype_size(rw_dtype dtype) { return (unsigned)dtype < RW_COUNT(dtypes) ? dtypes[dtype].bytes : 0; }
bool rw_dtype_is_number(rw_dtype dtype) { return dtype >= RW_F32 && dtype <= RW_C128; }
bool rw_dtype_is_integer(rw_dtype dtype) { return dtype >= RW_I8 && dtype <= RW_U64; }
bool rw_dtype_is_complex(rw_dtype dtype) { return dtype == RW_C64 || dtype == RW_C128; }
