/* Any text as a specification of each kind: OK or ERR_ARGUMENT, and what was read survives being written and read
 * again. */
#include <string.h>

#include "fuzz.h"
#include "rechenwerk/image.h"
#include "rechenwerk/krylov.h"
#include "rechenwerk/multiblock.h"
#include "rechenwerk/ode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const rw_params *(*const tables[])(void) = {rw_krylov_params, rw_precond_params, rw_sparse_params,
                                                       rw_multiblock_params, rw_image_op_params};
    static rw_context *ctx;
    char text[1024], printed[2048];
    if (!ctx) require(rw_context_create(&ctx) == RW_OK, "a context");
    if (n == 0 || n > sizeof(text)) return 0;
    const rw_params *p = tables[data[0] % 5]();
    memcpy(text, data + 1, n - 1), text[n - 1] = 0;
    _Alignas(16) char spec[512] = {0}, again[512] = {0};
    const rw_status status = rw_params_parse_sized(ctx, p, text, spec, p->size);
    require(status == RW_OK || status == RW_ERR_ARGUMENT, "a failure is ERR_ARGUMENT");
    if (status != RW_OK) return 0;
    rw_params_print_sized(p, spec, printed, sizeof(printed), p->size);
    if (!*printed) return 0;
    require(rw_params_parse_sized(ctx, p, printed, again, p->size) == RW_OK, "what was written can be read");
    (void)rw_params_resolve_sized(ctx, p, NULL, spec, p->size);
    return 0;
}
