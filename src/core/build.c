/* The commit that this library was built from; the only file that is compiled again when it changes. */
#include "core/core.h"
#include "rechenwerk_build.h"

const char *rw_build_commit(void) { return RW_BUILD_COMMIT; }
