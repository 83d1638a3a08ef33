/* PETSc's part of bench/solvers.sh, real or complex as the library is: products and solvers on the systems that
 * bench/peers/solvers.c writes; see there for files and arguments.
 *
 *   petsc FOLDER WORK VARIANT ITERATIONS RTOL OUTPUT [OPTION]...      under mpirun: rows are spread over the processes
 *
 * VARIANT is a type of matrix, baij or aij (which finds equal rows and reads their columns once), aijno (which does not
 * look for them) or hypre, with a preconditioner after a slash: baij/ilu, aij/boomeramg, aij/gamg, aij/jacobi. WORK is
 * product, cg, gmres (restart 30, classical Gram-Schmidt once, as PETSc has it by default) or gmres2 (twice).
 * Preconditioned from the right, so that residuals are those of A x = b. Options are PETSc's. With several processes
 * ilu is that of each one's rows.
 *
 * Needs PETSc, which nothing else here does, so no build includes this file:
 *   mpicc -O3 -march=native bench/peers/petsc.c $(pkg-config --cflags --libs petsc) -o petsc */
#include <petscksp.h>
#include <stdlib.h>
#include <string.h>

enum { PRODUCTS = 10 };

typedef struct raw_system {
    long rows, block, blocks, is_complex;
    long lo, hi; /* block rows of this process */
    PetscInt *first, *column;
    PetscScalar *value, *right;
} raw_system;

static void *load(const char *folder, const char *name, size_t size, long from, long n)
{
    char path[4096];
    void *data = malloc(size * (size_t)n + 1);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    if (!data || !f || fseek(f, (long)size * from, SEEK_SET) != 0 || fread(data, size, (size_t)n, f) != (size_t)n) {
        fprintf(stderr, "petsc: cannot read %s\n", path);
        exit(1);
    }
    fclose(f);
    return data;
}

static raw_system read_system(const char *folder, int rank, int ranks)
{
    long *size = load(folder, "size.i64", 8, 0, 4);
    raw_system s = {.rows = size[0], .block = size[1], .blocks = size[2], .is_complex = size[3]};
    free(size);
    s.lo = s.rows * rank / ranks, s.hi = s.rows * (rank + 1) / ranks;
    s.first = load(folder, "first.i32", 4, s.lo, s.hi - s.lo + 1);
    const long begin = s.first[0], n = s.first[s.hi - s.lo] - begin;
    for (long i = 0; i <= s.hi - s.lo; ++i) s.first[i] -= (PetscInt)begin;
    s.column = load(folder, "column.i32", 4, begin, n);
    s.value = load(folder, "value.f64", sizeof(PetscScalar), begin * s.block * s.block, n * s.block * s.block);
    s.right = load(folder, "right.f64", sizeof(PetscScalar), s.lo * s.block, (s.hi - s.lo) * s.block);
    return s;
}

/* Blocks as single rows. */
static void expand(raw_system *s)
{
    const long n = s->hi - s->lo, b = s->block;
    PetscInt *first = malloc(sizeof *first * (size_t)(n * b + 1)),
             *column = malloc(sizeof *column * (size_t)(s->first[n] * b * b));
    PetscScalar *value = malloc(sizeof *value * (size_t)(s->first[n] * b * b));
    long to = 0;
    first[0] = 0;
    for (long i = 0; i < n; ++i)
        for (long r = 0; r < b; ++r) {
            for (long k = s->first[i]; k < s->first[i + 1]; ++k)
                for (long c = 0; c < b; ++c, ++to)
                    column[to] = (PetscInt)(s->column[k] * b + c), value[to] = s->value[(k * b + r) * b + c];
            first[i * b + r + 1] = (PetscInt)to;
        }
    free(s->first), free(s->column), free(s->value);
    s->first = first, s->column = column, s->value = value;
}

static PetscErrorCode make(raw_system *s, const char *type, Mat *a)
{
    const PetscBool blocks = !strcmp(type, "baij") ? PETSC_TRUE : PETSC_FALSE;
    const PetscInt n = (PetscInt)((s->hi - s->lo) * s->block), b = (PetscInt)s->block;
    PetscFunctionBeginUser;
    if (!blocks) expand(s);
    PetscCall(MatCreate(PETSC_COMM_WORLD, a));
    PetscCall(MatSetSizes(*a, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetBlockSize(*a, b));
    PetscCall(MatSetType(*a, blocks ? MATBAIJ : MATAIJ));
    if (!strcmp(type, "aijno")) PetscCall(PetscOptionsSetValue(NULL, "-mat_no_inode", "true"));
    PetscCall(MatSetFromOptions(*a));
    if (blocks) {
        PetscCall(MatSeqBAIJSetPreallocationCSR(*a, b, s->first, s->column, s->value));
        PetscCall(MatMPIBAIJSetPreallocationCSR(*a, b, s->first, s->column, s->value));
    } else {
        PetscCall(MatSeqAIJSetPreallocationCSR(*a, s->first, s->column, s->value));
        PetscCall(MatMPIAIJSetPreallocationCSR(*a, s->first, s->column, s->value));
    }
    free(s->first), free(s->column), free(s->value);
    if (!strcmp(type, "hypre")) PetscCall(MatConvert(*a, MATHYPRE, MAT_INPLACE_MATRIX, a));
    PetscFunctionReturn(0);
}

static PetscErrorCode now(double *seconds)
{
    PetscFunctionBeginUser;
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    *seconds = MPI_Wtime();
    PetscFunctionReturn(0);
}

static PetscErrorCode multiply(Mat a, Vec right, Vec x)
{
    double begin, end;
    PetscFunctionBeginUser;
    for (int round = -1; round < PRODUCTS; ++round) {
        PetscCall(now(&begin));
        PetscCall(MatMult(a, right, x));
        PetscCall(now(&end));
        if (round >= 0) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "1 %.6g\n", end - begin));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode precondition(KSP ksp, const char *name)
{
    PC pc;
    PetscFunctionBeginUser;
    PetscCall(KSPGetPC(ksp, &pc));
    if (!strcmp(name, "none")) PetscCall(PCSetType(pc, PCNONE));
    else if (!strcmp(name, "jacobi")) PetscCall(PCSetType(pc, PCPBJACOBI)); /* blocks on the diagonal */
    else if (!strcmp(name, "ilu")) PetscCall(PCSetType(pc, PCBJACOBI));     /* a block a process, in it ILU(0) */
    else if (!strcmp(name, "gamg")) PetscCall(PCSetType(pc, PCGAMG));
#ifdef PETSC_HAVE_HYPRE
    else if (!strcmp(name, "boomeramg")) {
        PetscCall(PCSetType(pc, PCHYPRE));
        PetscCall(PCHYPRESetType(pc, "boomeramg"));
    }
#endif
    else
        SETERRQ(PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "preconditioner %s", name);
    PetscFunctionReturn(0);
}

static PetscErrorCode solve(Mat a, Vec right, Vec x, const char *work, const char *precond, PetscInt iterations,
                            double rtol)
{
    double begin, ready, end;
    KSP ksp;
    PetscInt made;
    PetscFunctionBeginUser;
    for (int round = 0; round < 2; ++round) { /* the first touches the memory */
        PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
        PetscCall(KSPSetOperators(ksp, a, a));
        PetscCall(KSPSetType(ksp, !strcmp(work, "cg") ? KSPCG : KSPGMRES));
        if (strcmp(work, "cg")) {
            PetscCall(KSPGMRESSetRestart(ksp, 30));
            PetscCall(KSPGMRESSetCGSRefinementType(ksp, !strcmp(work, "gmres2") ? KSP_GMRES_CGS_REFINE_ALWAYS
                                                                                : KSP_GMRES_CGS_REFINE_NEVER));
            PetscCall(KSPSetPCSide(ksp, PC_RIGHT));
        }
        PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
        PetscCall(KSPSetTolerances(ksp, rtol > 0 ? rtol : 1e-300, 1e-300, 1e10, round ? iterations : 2));
        PetscCall(precondition(ksp, precond));
        PetscCall(KSPSetFromOptions(ksp));
        PetscCall(VecSet(x, 0));
        PetscCall(now(&begin));
        PetscCall(KSPSetUp(ksp));
        PetscCall(KSPSetUpOnBlocks(ksp));
        PetscCall(now(&ready));
        PetscCall(KSPSolve(ksp, right, x));
        PetscCall(now(&end));
        PetscCall(KSPGetIterationNumber(ksp, &made));
        if (round) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d %.6g %.6g\n", (int)made, end - ready, ready - begin));
        PetscCall(KSPDestroy(&ksp));
    }
    PetscFunctionReturn(0);
}

/* One process writes after the other. */
static PetscErrorCode write_result(const char *path, Vec x, int rank, int ranks)
{
    const PetscScalar *p;
    PetscInt n;
    int bad = 0;
    PetscFunctionBeginUser;
    PetscCall(VecGetArrayRead(x, &p));
    PetscCall(VecGetLocalSize(x, &n));
    for (int r = 0; r < ranks; ++r) {
        FILE *f = r == rank ? fopen(path, r ? "ab" : "wb") : NULL;
        if (r == rank) bad = !f || fwrite(p, sizeof *p, (size_t)n, f) != (size_t)n || fclose(f) != 0;
        PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    }
    PetscCall(VecRestoreArrayRead(x, &p));
    PetscCheck(!bad, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "%s", path);
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    Mat a;
    Vec right, x;
    char type[32];
    if (argc < 7) {
        fputs("petsc FOLDER WORK VARIANT ITERATIONS RTOL OUTPUT [OPTION]...\n", stderr);
        return 2;
    }
    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
    raw_system s = read_system(argv[1], rank, ranks);
    PetscCheck(s.is_complex == (sizeof(PetscScalar) > 8), PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG,
               "numbers of the system and of PETSc differ");
    const char *slash = strchr(argv[3], '/');
    snprintf(type, sizeof type, "%.*s", (int)strcspn(argv[3], "/"), argv[3]);
    PetscScalar *const b = s.right;
    PetscCall(make(&s, type, &a));
    PetscCall(MatCreateVecs(a, &x, &right));
    PetscScalar *p;
    PetscCall(VecGetArrayWrite(right, &p));
    memcpy(p, b, sizeof *b * (size_t)((s.hi - s.lo) * s.block));
    PetscCall(VecRestoreArrayWrite(right, &p));
    free(b);
    if (!strcmp(argv[2], "product")) PetscCall(multiply(a, right, x));
    else PetscCall(solve(a, right, x, argv[2], slash ? slash + 1 : "none", (PetscInt)atol(argv[4]), atof(argv[5])));
    PetscCall(write_result(argv[6], x, rank, ranks));
    PetscCall(MatDestroy(&a));
    PetscCall(VecDestroy(&right));
    PetscCall(VecDestroy(&x));
    return PetscFinalize();
}
