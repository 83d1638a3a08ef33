/* Elements of arrays from one type to another on the host. */
#ifndef RW_CONVERT_H
#define RW_CONVERT_H

#include "core/core.h"
#include "rechenwerk/core.h"

/* n elements, as rw_array_copy converts them; real ones become complex, not the other way round (the imaginary part is
 * dropped). */
void rw_dtype_convert(rw_dtype to, void *dst, rw_dtype from, const void *src, size_t n);
/* v as an element of this real type keeps it. */
double rw_dtype_round(rw_dtype dtype, double v);

#endif
