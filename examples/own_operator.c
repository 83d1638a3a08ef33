/* A linear system with an operator and a preconditioner of your own: A x is computed by a kernel of your own, no matrix
 * is stored. A = -d2/dx2 + c(x) on a line, in units of the spacing, with c between 0.1 and 1000; the preconditioner
 * divides by the diagonal 2 + c.
 *
 *   cc -std=c17 own_operator.c $(pkg-config --cflags --libs rechenwerk) -lm -o own_operator
 *   ./own_operator [DEVICE]                auto (default), cpu, cuda:0, opencl:0, check */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rechenwerk/krylov.h"
#include "rechenwerk/program.h"

#define N 2000
#define GROUP 128

static const char text[] = "KERNEL(product, GLOBAL real *y, GLOBAL const real *x, GLOBAL const real *c, int n)\n"
                           "{\n"
                           "    int lo = GROUP_ID(0) * GROUP, hi = lo + GROUP < n ? lo + GROUP : n;\n"
                           "    EACH_IN(i, lo, hi) {\n"
                           "        y[i] = (2 + c[i])*x[i] - (i > 0 ? x[i - 1] : 0) - (i < n - 1 ? x[i + 1] : 0);\n"
                           "    }\n"
                           "}\n"
                           "KERNEL(jacobi, GLOBAL real *z, GLOBAL const real *r, GLOBAL const real *c, int n)\n"
                           "{\n"
                           "    int lo = GROUP_ID(0) * GROUP, hi = lo + GROUP < n ? lo + GROUP : n;\n"
                           "    EACH_IN(i, lo, hi) { z[i] = r[i]/(2 + c[i]); }\n"
                           "}\n";

/* What an operator needs; it is destroyed with the operator. */
typedef struct part {
    rw_program *program;
    rw_kernel *kernel;
    rw_array *c;
} part;

static int fail(void)
{
    fprintf(stderr, "own_operator: %s\n", rw_message(NULL)); /* of this thread; no context is needed */
    return 1;
}

/* y <- A x or z <- M r in the queue. It only launches kernels, so solvers record it. */
static rw_status multiply(void *user, rw_op op, rw_array *x, rw_array *y, rw_queue *queue)
{
    const part *p = (const part *)user;
    const rw_arg args[] = {rw_arg_array(y), rw_arg_array(x), rw_arg_array(p->c), rw_arg_int(N)};
    const int64_t groups[] = {(N + GROUP - 1) / GROUP, 1, 1};
    (void)op; /* the operator is symmetric */
    return rw_launch(queue, p->kernel, groups, args, 4);
}

static void destroy(void *user)
{
    part *p = (part *)user;
    rw_program_destroy(&p->program);
    rw_array_destroy(&p->c);
    free(p);
}

static rw_status create(rw_device *dev, const char *kernel, double *c, rw_operator **op)
{
    const rw_define defines[] = {{"GROUP", "128"}, {"REAL", "f64"}};
    const int64_t n = N;
    part *p = (part *)calloc(1, sizeof *p);
    if (!p) return rw_context_fail(NULL, RW_ERR_MEMORY, "no memory");
    rw_operator_spec spec; /* a zeroed member has its default */
    memset(&spec, 0, sizeof spec);
    spec.rows = spec.columns = N, spec.hermitian = true;
    spec.multiply = multiply, spec.destroy = destroy, spec.user = p;
    rw_status status = rw_program_create(dev, "own_operator", text, defines, 2, &p->program);
    if (status == RW_OK) status = rw_program_kernel(p->program, kernel, &p->kernel);
    if (status == RW_OK) status = rw_array_create_from(dev, RW_F64, 1, &n, c, RW_COPY, &p->c);
    if (status == RW_OK) status = rw_operator_create(dev, &spec, op);
    if (status != RW_OK) destroy(p);
    return status;
}

int main(int argc, char **argv)
{
    static double c[N], zeros[N];
    const int64_t n = N;
    rw_context *ctx;
    rw_device *dev;
    rw_operator *A, *M;
    rw_krylov *solver[2];
    rw_krylov_result result[2];
    rw_array *x, *b;
    rw_krylov_spec spec;
    void *host;
    const void *data;
    double error = 0;
    for (int i = 0; i < N; ++i) c[i] = 0.1 * pow(10, 4. * i / N);
    if (rw_context_create(&ctx) != RW_OK) return fail();
    if (rw_device_open(ctx, argc > 1 ? argv[1] : "auto", &dev) != RW_OK) return fail();
    if (create(dev, "product", c, &A) != RW_OK || create(dev, "jacobi", c, &M) != RW_OK) return fail();

    memset(&spec, 0, sizeof spec);
    spec.method = RW_KRYLOV_CG, spec.rtol = 1e-12;
    if (rw_krylov_create(A, RW_F64, &spec, &solver[0]) != RW_OK) return fail();
    spec.precond_operator = M;
    if (rw_krylov_create(A, RW_F64, &spec, &solver[1]) != RW_OK) return fail();

    /* b = A x for a known x */
    if (rw_array_create_from(dev, RW_F64, 1, &n, zeros, RW_COPY, &x) != RW_OK) return fail();
    if (rw_array_create(dev, RW_F64, 1, &n, RW_MEMORY_DEVICE, &b) != RW_OK) return fail();
    if (rw_array_write(x, &host) != RW_OK) return fail();
    for (int i = 0; i < N; ++i) ((double *)host)[i] = 1 + i % 7;
    if (rw_operator_multiply(A, RW_OP_NONE, NULL, x, NULL, b, rw_device_queue(dev)) != RW_OK) return fail();

    /* The order of destruction does not matter, as handles are counted. The solvers retain both operators and the
     * device; the device retains the context. */
    rw_queue *queue = rw_device_queue(dev);
    rw_context_destroy(&ctx);
    rw_device_close(&dev);
    rw_operator_destroy(&M), rw_operator_destroy(&A);

    for (int k = 0; k < 2; ++k) {
        if (rw_array_zero(x, queue) != RW_OK) return fail();
        if (rw_krylov_solve(solver[k], b, x, &result[k]) != RW_OK) return fail();
        if (rw_array_read(x, &data) != RW_OK) return fail();
        for (int i = 0; i < N; ++i) error = fmax(error, fabs(((const double *)data)[i] - (1 + i % 7)));
    }
    printf("%lld iterations, preconditioned %lld; largest error %.1e\n", (long long)result[0].iterations,
           (long long)result[1].iterations, error);
    rw_array_destroy(&b), rw_array_destroy(&x);
    rw_krylov_destroy(&solver[0]), rw_krylov_destroy(&solver[1]);
    return error < 1e-6 && 2 * result[1].iterations < result[0].iterations ? 0 : 1;
}
