/* Results of the library as values, for tests. */
#ifndef RW_TESTS_VALUES_H
#define RW_TESTS_VALUES_H

#include "rechenwerk/krylov.h"
#include "rechenwerk/ode.h"

static inline rw_counters counters_of(const rw_device *device)
{
    rw_counters counters = {0};
    rw_device_get_counters(device, &counters);
    return counters;
}

static inline rw_sparse_size matrix_size_of(const rw_sparse *matrix)
{
    rw_sparse_size size = {0};
    rw_sparse_get_size(matrix, &size);
    return size;
}

static inline rw_precond_info precond_info_of(const rw_precond *precond)
{
    rw_precond_info info = {0};
    rw_precond_get_info(precond, &info);
    return info;
}

static inline rw_precond_info solver_precond_of(const rw_krylov *solver)
{
    rw_precond_info info = {0};
    rw_krylov_get_precond(solver, &info);
    return info;
}

static inline rw_ode_statistics statistics_of(const rw_ode *ode)
{
    rw_ode_statistics statistics = {0};
    rw_ode_get_statistics(ode, &statistics);
    return statistics;
}

static inline const char *method_of(const rw_ode *ode)
{
    rw_ode_method method = RW_ODE_DEFAULT;
    rw_ode_get_method(ode, &method, NULL);
    return rw_ode_method_name(method);
}

static inline const char *reason_of(const rw_ode *ode)
{
    rw_ode_method method;
    const char *reason = "";
    rw_ode_get_method(ode, &method, &reason);
    return reason;
}

#endif
