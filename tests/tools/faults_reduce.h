/* Rows of test_faults.c: reductions. */

static rw_status create_reducer(rw_reducer **r) { return rw_reducer_create(dev, RW_REDUCE_OP_DOT, RW_F64, 0, r); }
static rw_status call_reducer(void)
{
    reducer = poison;
    return made(create_reducer(&reducer), &reducer);
}
static void before_reduce(void)
{
    x = new_ramp(N, 1, 0.25);
    y = new_array(RW_F64, 2, RW_MEMORY_DEVICE);
    OK(rw_array_zero(y, queue));
    OK(create_reducer(&reducer));
}
static void after_reduce(void)
{
    rw_reducer_destroy(&reducer);
    rw_array_destroy(&x), rw_array_destroy(&y);
}
static void result_reducer(void)
{
    x = new_ramp(N, 1, 0.25);
    OK(rw_reducer_value(reducer, queue, x, x, &value, NULL));
    note("%.17g", value);
    rw_array_destroy(&x);
}
static void after_reducer(void) { rw_reducer_destroy(&reducer); }
static rw_status call_reduce(void) { return rw_reducer_run(reducer, queue, x, x, y, 1); }
static rw_status call_reduce_value(void) { return rw_reducer_value(reducer, queue, x, x, &value, &imaginary); }
