/* Names that come from the tables of other headers. */
#include "rechenwerk/krylov.h"
#include "rechenwerk/run.h"

#include "core/core.h"

static const rw_word formats[] = {
#define RW_X(name, text, blocks, line) {text, line},
    RW_SPARSE_FORMAT_LIST(RW_X)
#undef RW_X
};
static const rw_word solvers[] = {
#define RW_X(name, text, line) {text, line},
    RW_KRYLOV_METHOD_LIST(RW_X)
#undef RW_X
};

static const rw_word preconds[] = {{"none", "no preconditioner"},
#define RW_X(name, text, line) {text, line},
                                   RW_PRECOND_METHOD_LIST(RW_X)
#undef RW_X
};

const rw_word *rw_format_words(int *n)
{
    *n = RW_COUNT(formats);
    return formats;
}

const rw_word *rw_solver_words(int *n)
{
    *n = RW_COUNT(solvers);
    return solvers;
}

const rw_word *rw_precond_words(int *n)
{
    *n = RW_COUNT(preconds);
    return preconds;
}
