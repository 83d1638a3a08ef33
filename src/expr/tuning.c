/* The tuning constants of both classes of devices. */
#include "expr/tuning.h"

#define SAME(type, name, value) .name = value,
/* clang-format off */
const rw_tuning rw_tuning_of[RW_DEVICE_CLASSES] = {[RW_PROCESSOR] = {
#define TUNE(type, name, processor, gpu) .name = processor,
#include "expr/tuning.def"
#undef TUNE
}, [RW_GPU] = {
#define TUNE(type, name, processor, gpu) .name = gpu,
#include "expr/tuning.def"
}};
