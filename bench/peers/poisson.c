/* The peers' part of bench/elliptic.sh: the problem of bench/peers/poisson.h solved by multigrid of PETSc or of hypre.
 *
 *   poisson N^NDIM [OPTION]...    under mpirun: the planes of the last axis are spread over the processes
 *
 * PETSc: KSP and PCMG on a hierarchy of DMDA grids; coarse grids are discretised again, values are constant in coarse
 * cells (DMDA_Q0, as in PETSc's ex32 and ex34), and options are PETSc's, for example:
 *   -ksp_type richardson -pc_type mg -pc_mg_levels 8 -mg_levels_ksp_type richardson -mg_levels_pc_type sor
 * hypre: PFMG of the Struct interface. Options: pcg (PFMG as the preconditioner), full (also stores the upper half of
 * the symmetric matrix), relax=2, rap=0, pre=1, post=1, skip=1 as of HYPRE_StructPFMGSet..., with these defaults.
 *
 * Prints "ITERATIONS SECONDS SETUP RESIDUAL" of the second solve from 0. SETUP is everything from the grid on: matrices
 * and the hierarchy. Exit code: 0, 1 a failure or a wrong solution, 2 a wrong call.
 *
 * Needs PETSc or hypre, which nothing else here does, so no build includes this file:
 *   mpicc -O3 -march=native -DPETSC bench/peers/poisson.c $(pkg-config --cflags --libs petsc) -lm -o poisson-petsc
 *   mpicc -O3 -march=native -DHYPRE bench/peers/poisson.c -I/usr/include/hypre -lHYPRE -lm -o poisson-hypre */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "poisson.h"

typedef struct part {
    poisson p;
    int rank, ranks;
    int64_t lo, hi; /* planes of this process */
} part;

/* As DMDA divides them. */
static int64_t first_plane(const part *s, int rank)
{
    const int64_t each = s->p.n / s->ranks, more = s->p.n % s->ranks;
    return rank * each + (rank < more ? rank : more);
}

static double now(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime();
}

/* The matrix is that of -laplace(u) h^ndim, as finite volumes have it: -h^(ndim-2) for each neighbour. Returns how
 * often this is on the diagonal: once for each neighbour, twice for each side, where the value beyond is that of -u. */
static int diagonal(const int64_t *at, int ndim, int64_t n)
{
    int sum = 2 * ndim;
    for (int d = 0; d < ndim; ++d) sum += (at[d] == 0) + (at[d] == n - 1);
    return sum;
}

static double coupling(int ndim, int64_t n) { return -pow(1 / (double)n, ndim - 2); }

static int64_t cells(const part *s) { return (s->hi - s->lo) * poisson_plane(&s->p); }

/* The right-hand side of cell i of this process. */
static double source(const part *s, int64_t i)
{
    return -pow(1 / (double)s->p.n, s->p.ndim) * poisson_source(s->lo * poisson_plane(&s->p) + i);
}

/* ---- PETSc ------------------------------------------------------------------------------------------------------- */

#ifdef PETSC
#include <petscdm.h>
#include <petscdmda.h>
#include <petscksp.h>

/* Of the grid of any level. */
static PetscErrorCode fill(KSP ksp, Mat unused, Mat a, void *user)
{
    const int ndim = ((const part *)user)->p.ndim;
    DM da;
    PetscInt n, lo[3], size[3];
    PetscFunctionBeginUser;
    (void)unused;
    PetscCall(KSPGetDM(ksp, &da));
    PetscCall(DMDAGetInfo(da, NULL, &n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    PetscCall(DMDAGetCorners(da, lo, lo + 1, lo + 2, size, size + 1, size + 2));
    const double off = coupling(ndim, n);
    for (PetscInt k = lo[2]; k < lo[2] + size[2]; ++k)
        for (PetscInt j = lo[1]; j < lo[1] + size[1]; ++j)
            for (PetscInt i = lo[0]; i < lo[0] + size[0]; ++i) {
                const int64_t at[3] = {i, j, k};
                const MatStencil row = {.i = i, .j = j, .k = k};
                MatStencil column[7] = {row};
                PetscScalar value[7] = {-off * diagonal(at, ndim, n)};
                int m = 1;
                for (int side = 0; side < 2 * ndim; ++side) {
                    const PetscInt step = side % 2 ? 1 : -1, to = (PetscInt)at[side / 2] + step;
                    if (to < 0 || to >= n) continue;
                    column[m] = row;
                    value[m] = off;
                    *(side < 2 ? &column[m].i : side < 4 ? &column[m].j : &column[m].k) = to;
                    ++m;
                }
                PetscCall(MatSetValuesStencil(a, 1, &row, m, column, value, INSERT_VALUES));
            }
    PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

static PetscErrorCode make_grid(const part *s, DM *da)
{
    const PetscInt n = (PetscInt)s->p.n, last = s->ranks;
    const DMBoundaryType none = DM_BOUNDARY_NONE;
    PetscFunctionBeginUser;
    if (s->p.ndim == 2)
        PetscCall(DMDACreate2d(PETSC_COMM_WORLD, none, none, DMDA_STENCIL_STAR, n, n, 1, last, 1, 1, NULL, NULL, da));
    else
        PetscCall(DMDACreate3d(PETSC_COMM_WORLD, none, none, none, DMDA_STENCIL_STAR, n, n, n, 1, 1, last, 1, 1, NULL,
                               NULL, NULL, da));
    PetscCall(DMSetFromOptions(*da));
    PetscCall(DMSetUp(*da));
    PetscCall(DMDASetInterpolationType(*da, DMDA_Q0));
    PetscFunctionReturn(0);
}

static PetscErrorCode solve_petsc(const part *s, double *u, poisson_result *r)
{
    DM da;
    KSP ksp;
    Vec x, b;
    PetscInt iterations;
    PetscScalar *right;
    const PetscScalar *values;
    PetscFunctionBeginUser;
    const double begin = now();
    PetscCall(make_grid(s, &da));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetDM(ksp, da));
    PetscCall(KSPSetComputeOperators(ksp, fill, (void *)s));
    PetscCall(KSPSetTolerances(ksp, POISSON_RTOL, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(KSPSetUp(ksp));
    r->setup = now() - begin;
    PetscCall(DMCreateGlobalVector(da, &x));
    PetscCall(VecDuplicate(x, &b));
    PetscCall(VecGetArrayWrite(b, &right));
    for (int64_t i = 0; i < cells(s); ++i) right[i] = source(s, i);
    PetscCall(VecRestoreArrayWrite(b, &right));
    for (int round = 0; round < 2; ++round) {
        PetscCall(VecSet(x, 0));
        const double start = now();
        PetscCall(KSPSolve(ksp, b, x));
        r->seconds = now() - start;
    }
    PetscCall(KSPGetIterationNumber(ksp, &iterations));
    r->iterations = iterations;
    PetscCall(VecGetArrayRead(x, &values));
    memcpy(u, values, sizeof *u * (size_t)cells(s));
    PetscCall(VecRestoreArrayRead(x, &values));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(DMDestroy(&da));
    PetscFunctionReturn(0);
}

#endif

/* ---- hypre ------------------------------------------------------------------------------------------------------- */

#ifdef HYPRE
#include <HYPRE_struct_ls.h>

typedef struct hypre_options {
    int pcg, full, relax, rap, pre, post, skip;
} hypre_options;

static int parse_hypre(int argc, char **argv, hypre_options *o)
{
    *o = (hypre_options){.relax = 2, .pre = 1, .post = 1, .skip = 1};
    for (int i = 0; i < argc; ++i)
        if (!strcmp(argv[i], "pcg")) o->pcg = 1;
        else if (!strcmp(argv[i], "full")) o->full = 1;
        else if (sscanf(argv[i], "relax=%d", &o->relax) != 1 && sscanf(argv[i], "rap=%d", &o->rap) != 1 &&
                 sscanf(argv[i], "pre=%d", &o->pre) != 1 && sscanf(argv[i], "post=%d", &o->post) != 1 &&
                 sscanf(argv[i], "skip=%d", &o->skip) != 1) {
            fprintf(stderr, "poisson: unknown option %s\n", argv[i]);
            return 0;
        }
    return 1;
}

typedef struct hypre_system {
    HYPRE_StructGrid grid;
    HYPRE_StructMatrix a;
    HYPRE_StructVector b, x;
    HYPRE_Int lo[3], hi[3];
} hypre_system;

/* The entries of one matrix row: the diagonal, then lower neighbours, then upper ones. */
static void make_matrix(const part *s, hypre_system *h, int full)
{
    const int ndim = s->p.ndim;
    const int64_t n = s->p.n, plane = poisson_plane(&s->p);
    HYPRE_Int m = 1 + ndim * (full ? 2 : 1), entries[7] = {0, 1, 2, 3, 4, 5, 6};
    HYPRE_StructStencil stencil;
    double *value = calloc((size_t)(cells(s) * m), sizeof *value);
    if (!value) MPI_Abort(MPI_COMM_WORLD, 1);
    HYPRE_StructStencilCreate(ndim, m, &stencil);
    for (int e = 0; e < m; ++e) {
        HYPRE_Int offset[3] = {0};
        if (e > 0) offset[(e - 1) % ndim] = e <= ndim ? -1 : 1;
        HYPRE_StructStencilSetElement(stencil, e, offset);
    }
    for (int64_t i = 0; i < cells(s); ++i) {
        const int64_t k = s->lo * plane + i, at[3] = {k % n, k / n % n, k / n / n};
        double *row = value + i * m;
        row[0] = -coupling(ndim, n) * diagonal(at, ndim, n);
        for (int e = 1; e < m; ++e)
            if (at[(e - 1) % ndim] != (e <= ndim ? 0 : n - 1)) row[e] = coupling(ndim, n);
    }
    HYPRE_StructMatrixCreate(MPI_COMM_WORLD, h->grid, stencil, &h->a);
    HYPRE_StructMatrixSetSymmetric(h->a, !full);
    HYPRE_StructMatrixInitialize(h->a);
    HYPRE_StructMatrixSetBoxValues(h->a, h->lo, h->hi, m, entries, value);
    HYPRE_StructMatrixAssemble(h->a);
    HYPRE_StructStencilDestroy(stencil);
    free(value);
}

static HYPRE_StructVector make_vector(hypre_system *h, double *values)
{
    HYPRE_StructVector v;
    HYPRE_StructVectorCreate(MPI_COMM_WORLD, h->grid, &v);
    HYPRE_StructVectorInitialize(v);
    HYPRE_StructVectorSetBoxValues(v, h->lo, h->hi, values);
    HYPRE_StructVectorAssemble(v);
    return v;
}

static HYPRE_StructSolver make_pfmg(const hypre_options *o)
{
    HYPRE_StructSolver pfmg;
    HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &pfmg);
    HYPRE_StructPFMGSetRelaxType(pfmg, o->relax);
    HYPRE_StructPFMGSetRAPType(pfmg, o->rap);
    HYPRE_StructPFMGSetNumPreRelax(pfmg, o->pre);
    HYPRE_StructPFMGSetNumPostRelax(pfmg, o->post);
    HYPRE_StructPFMGSetSkipRelax(pfmg, o->skip);
    HYPRE_StructPFMGSetZeroGuess(pfmg);
    HYPRE_StructPFMGSetTol(pfmg, o->pcg ? 0 : POISSON_RTOL);
    HYPRE_StructPFMGSetMaxIter(pfmg, o->pcg ? 1 : 1000);
    return pfmg;
}

static void solve_hypre(const part *s, const hypre_options *o, double *u, poisson_result *r)
{
    hypre_system h = {.hi = {(HYPRE_Int)s->p.n - 1, (HYPRE_Int)s->p.n - 1, 0}};
    HYPRE_StructSolver pfmg, pcg = NULL;
    HYPRE_Int iterations;
    h.lo[s->p.ndim - 1] = (HYPRE_Int)s->lo, h.hi[s->p.ndim - 1] = (HYPRE_Int)s->hi - 1;
    const double begin = now();
    HYPRE_StructGridCreate(MPI_COMM_WORLD, s->p.ndim, &h.grid);
    HYPRE_StructGridSetExtents(h.grid, h.lo, h.hi);
    HYPRE_StructGridAssemble(h.grid);
    make_matrix(s, &h, o->full);
    for (int64_t i = 0; i < cells(s); ++i) u[i] = source(s, i);
    h.b = make_vector(&h, u);
    h.x = make_vector(&h, u);
    pfmg = make_pfmg(o);
    if (o->pcg) {
        HYPRE_StructPCGCreate(MPI_COMM_WORLD, &pcg);
        HYPRE_StructPCGSetTol(pcg, POISSON_RTOL);
        HYPRE_StructPCGSetTwoNorm(pcg, 1);
        HYPRE_StructPCGSetMaxIter(pcg, 1000);
        HYPRE_StructPCGSetPrecond(pcg, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, pfmg);
        HYPRE_StructPCGSetup(pcg, h.a, h.b, h.x);
    } else HYPRE_StructPFMGSetup(pfmg, h.a, h.b, h.x);
    r->setup = now() - begin;
    for (int round = 0; round < 2; ++round) {
        HYPRE_StructVectorSetConstantValues(h.x, 0);
        const double start = now();
        if (pcg) HYPRE_StructPCGSolve(pcg, h.a, h.b, h.x), HYPRE_StructPCGGetNumIterations(pcg, &iterations);
        else HYPRE_StructPFMGSolve(pfmg, h.a, h.b, h.x), HYPRE_StructPFMGGetNumIterations(pfmg, &iterations);
        r->seconds = now() - start;
    }
    r->iterations = iterations;
    HYPRE_StructVectorGetBoxValues(h.x, h.lo, h.hi, u);
    if (pcg) HYPRE_StructPCGDestroy(pcg);
    HYPRE_StructPFMGDestroy(pfmg);
    HYPRE_StructVectorDestroy(h.b), HYPRE_StructVectorDestroy(h.x);
    HYPRE_StructMatrixDestroy(h.a), HYPRE_StructGridDestroy(h.grid);
}

#endif

/* ---- both -------------------------------------------------------------------------------------------------------- */

/* Gathers the parts of all processes in all[], on process 0. */
static int report(const part *s, const poisson_result *r, const double *u)
{
    int *count = malloc(sizeof *count * (size_t)s->ranks), *from = malloc(sizeof *from * (size_t)s->ranks), code = 0;
    double *all = s->rank ? NULL : malloc(sizeof *all * (size_t)(poisson_plane(&s->p) * s->p.n));
    if (!count || !from || (!s->rank && !all)) MPI_Abort(MPI_COMM_WORLD, 1);
    for (int k = 0; k < s->ranks; ++k) {
        from[k] = (int)(first_plane(s, k) * poisson_plane(&s->p));
        count[k] = (int)(first_plane(s, k + 1) * poisson_plane(&s->p)) - from[k];
    }
    MPI_Gatherv(u, (int)cells(s), MPI_DOUBLE, all, count, from, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (!s->rank) code = poisson_report(&s->p, r, all);
    free(count), free(from), free(all);
    return code;
}

int main(int argc, char **argv)
{
    part s;
    poisson_result r;
    if (argc < 2 || !poisson_parse(argv[1], &s.p)) {
        fputs("poisson N^NDIM [OPTION]...\n", stderr);
        return 2;
    }
#ifdef HYPRE
    hypre_options options;
    if (!parse_hypre(argc - 2, argv + 2, &options)) return 2;
#endif
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &s.ranks);
    s.lo = first_plane(&s, s.rank);
    s.hi = first_plane(&s, s.rank + 1);
    double *u = malloc(sizeof *u * (size_t)(cells(&s) + 1));
    if (!u) MPI_Abort(MPI_COMM_WORLD, 1);
#ifdef HYPRE
    HYPRE_Init();
    solve_hypre(&s, &options, u, &r);
    HYPRE_Finalize();
#else
    PetscCallAbort(MPI_COMM_WORLD, PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCallAbort(MPI_COMM_WORLD, solve_petsc(&s, u, &r));
    PetscCallAbort(MPI_COMM_WORLD, PetscFinalize());
#endif
    const int code = report(&s, &r, u);
    free(u);
    MPI_Finalize();
    return code;
}
