/* The tuning constants of a class of devices (tuning.def). */
#ifndef RW_EXPR_TUNING_H
#define RW_EXPR_TUNING_H

#include "device/device.h"

typedef struct rw_tuning {
#define TUNE(type, name, processor, gpu) type name;
#define SAME(type, name, value) type name;
#include "expr/tuning.def"
#undef TUNE
#undef SAME
} rw_tuning;

extern const rw_tuning rw_tuning_of[RW_DEVICE_CLASSES];

#endif
