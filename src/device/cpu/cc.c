/* Compiling a program with the system's C compiler.
 *
 * The text is followed by one entry point per kernel, which unpacks the arguments and calls the kernel for a range of
 * groups; the kernel itself is inlined into that loop. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/build_log.h"
#include "device/cpu/cc.h"
#include "device/process.h"

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

bool rw_cc_find_on_path(const char *name, char path[RW_CC_PATH])
{
    if (strchr(name, '/')) return snprintf(path, RW_CC_PATH, "%s", name) < RW_CC_PATH && is_program(path);
    const char *folders = getenv("PATH");
    for (const char *s = folders ? folders : "/usr/bin:/bin"; *s;) {
        const size_t n = strcspn(s, ":");
        if (snprintf(path, RW_CC_PATH, "%.*s/%s", (int)n, s, name) < RW_CC_PATH && is_program(path)) return true;
        s += n + (s[n] == ':');
    }
    return false;
}

bool rw_cc_find(char path[RW_CC_PATH])
{
    const char *own = getenv("RECHENWERK_CC");
    if (own && !strcmp(own, "none")) return false;
    if (own && *own) return rw_cc_find_on_path(own, path);
    return rw_cc_find_on_path("cc", path) || rw_cc_find_on_path("gcc", path) || rw_cc_find_on_path("clang", path);
}

/* Why there is none. A wish that cannot be fulfilled is an error; without a compiler equations run in the evaluator. */
static rw_status fail_no_compiler(rw_context *ctx)
{
    const char *own = getenv("RECHENWERK_CC");
    if (own && !strcmp(own, "none")) return rw_fail(ctx, RW_ERR_UNSUPPORTED, "no C compiler: RECHENWERK_CC is none");
    if (own && *own)
        return rw_fail(
            ctx, RW_ERR_DEVICE,
            "RECHENWERK_CC = %s is no program that can be run: give the path or name of a C compiler, none to do "
            "without, or unset it",
            own);
    return rw_fail(
        ctx, RW_ERR_UNSUPPORTED,
        "no C compiler found on PATH (cc, gcc, clang): install gcc, or set RECHENWERK_CC to the path of one");
}

/* The processor as /proc/cpuinfo names it: what -march=native depends on. */
static void add_processor(rw_text *t)
{
    FILE *f = rw_fopen("/proc/cpuinfo", "r");
    char line[4096];
    for (bool done = false; f && !done && fgets(line, sizeof line, f);) {
        if (!strncmp(line, "model name", 10) || !strncmp(line, "flags", 5) || !strncmp(line, "Features", 8))
            rw_text_add(t, "%s", line);
        done = line[0] == '\n';
    }
    if (f) fclose(f);
}

rw_status rw_cc_identity(rw_device *dev, const char *options, rw_text *identity)
{
    char cc[RW_CC_PATH], real[4096];
    if (!rw_cc_find(cc)) return fail_no_compiler(dev->ctx);
    struct stat st = {0};
    if (!realpath(cc, real)) snprintf(real, sizeof real, "%s", cc);
    stat(real, &st);
    rw_text_add(identity, "%s\n%s %lld %lld.%09ld\n%s\n", dev->ops->kind, real, (long long)st.st_size,
                (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, options);
    add_processor(identity);
    return RW_OK;
}

void rw_cc_version(rw_device *dev, char *line, size_t size)
{
    char cc[RW_CC_PATH], real[4096], *argv[] = {real, "--version", NULL};
    *line = 0;
    if (!rw_cc_find(cc)) return;
    if (!realpath(cc, real)) argv[0] = cc;
    char *answer = rw_process_ask(dev->ctx, argv, 2);
    if (answer) snprintf(line, size, "%.*s", (int)strcspn(answer, "\n"), answer);
    for (char *c = line; *c; ++c)
        if ((unsigned char)*c < ' ') *c = ' ';
    rw_free(answer);
}

static void add_entries(rw_text *t, const rw_program *p)
{
    rw_text_add(t, "#line 1 \"entry points\"\n");
    for (int i = 0; i < p->nkernels; ++i) {
        const rw_kernel *k = p->kernels + i;
        rw_text_add(
            t,
            "__attribute__((visibility(\"default\"))) void rw_entry_%s(void *const *rw_a, const int *rw_n, long "
            "rw_first, "
            "long rw_last)\n{\n    (void)rw_a;\n    for (long rw_i = rw_first; rw_i < rw_last; ++rw_i) {\n"
            "        const "
            "rw_group rw_g = {{(int)(rw_i %% rw_n[0]), (int)(rw_i / rw_n[0] %% rw_n[1]), (int)(rw_i / rw_n[0] / "
            "rw_n[1])}, "
            "{rw_n[0], rw_n[1], rw_n[2]}};\n        %s(rw_g",
            k->name, k->name);
        for (int j = 0; j < k->nparameters; ++j) {
            const rw_parameter *q = k->parameters + j;
            if (q->kind == RW_ARG_GLOBAL)
                rw_text_add(t, ", *(%s%s *const *)rw_a[%d]", q->constant ? "const " : "", q->type, j);
            else rw_text_add(t, ", *(const %s *)rw_a[%d]", q->type, j);
        }
        rw_text_add(t, ");\n    }\n}\n");
    }
}

static rw_status write_source(rw_context *ctx, const char *path, const rw_text *text)
{
    FILE *f = rw_fopen(path, "w");
    size_t done = f ? fwrite(text->data, 1, text->length, f) : 0;
    bool ok = f && done == text->length;
    if (f && fclose(f) != 0) ok = false;
    int reason = errno;
    return ok ? RW_OK
              : rw_fail(ctx, RW_ERR_FILE, "kernel source %s: %s: %s", path, strerror(reason), rw_file_advice(reason));
}

#define MAX_OPTIONS 48
static int split(char *options, char **argv, int n)
{
    for (char *save, *word = strtok_r(options, " ", &save); word && n < MAX_OPTIONS; word = strtok_r(NULL, " ", &save))
        argv[n++] = word;
    return n;
}

/* The files of one compilation. */
typedef struct job {
    rw_device *dev;
    rw_program *program;
    rw_temporary folder;
    char cc[RW_CC_PATH], *source, *object, *log;
} job;

/* gcc takes vectors of 256 bits where the processor has longer ones, unless it is told. clang knows the word too. */
#if defined(__x86_64__)
#define WIDE "-mprefer-vector-width=512"
#else
#define WIDE ""
#endif

/* Runs the compiler with these options and more (NULL: none); what rw_process_run returns. */
static rw_status run(job *j, const char *options, const char *more, double seconds, int *code)
{
    const rw_program *p = j->program;
    char *argv[MAX_OPTIONS + 8] = {j->cc};
    char *words = rw_format("%s %s %s %s", options, p->unswitch ? "" : "-fno-unswitch-loops", p->wide ? WIDE : "",
                            more ? more : "");
    if (!words) return rw_fail_memory(j->dev->ctx, 256, "the options of a compiler");
    int m = split(words, argv, 1);
    argv[m++] = "-o";
    argv[m++] = j->object;
    argv[m++] = j->source;
    argv[m++] = "-lm";
    argv[m] = NULL;
    *code = rw_process_run(argv, &j->folder, j->log, seconds);
    const int error = errno; /* why it was not started */
    rw_free(words);
    errno = error;
    return RW_OK;
}

/* Why the compiler could not write its own files, from what it said; 0: that is not the reason. */
static int unwritten(const char *output)
{
    static const int reasons[] = {EFBIG, ENOSPC, EDQUOT};
    for (int i = 0; i < RW_COUNT(reasons); ++i)
        if (strstr(output, strerror(reasons[i]))) return reasons[i];
    return 0;
}

static rw_status refused(const job *j, const char *source)
{
    char *output = NULL;
    rw_status status = rw_process_output(j->dev->ctx, j->log, &output);
    int reason = status == RW_OK ? unwritten(output) : 0;
    if (reason)
        status = rw_fail(j->dev->ctx, RW_ERR_FILE, "program %s: the C compiler %s cannot write its files in %s: %s: %s",
                         j->program->name, j->cc, j->folder.path, strerror(reason), rw_file_advice(reason));
    else if (status == RW_OK) status = rw_build_failed(j->dev->ctx, j->program->name, ".c", source, output);
    rw_free(output);
    return status;
}

/* The best code first; a compiler that does not come to an end with that may with less (loops of thousands of lines).
 * Scalar loops, as well: where gcc 12 has made vectors, its pass that combines instructions takes 190 s for a transform
 * of 128 points, at -O1 as at -O3, and without them 13 s for the whole. */
#define LESS "-fno-openmp-simd -O1"
static rw_status compile(job *j, const char *options, const char *source)
{
    rw_context *ctx = j->dev->ctx;
    double seconds;
    int code;
    RW_TRY(rw_process_limit(ctx, &seconds));
    RW_TRY(run(j, options, j->program->quick ? "-O0" : NULL, seconds, &code));
    const bool less = code == RW_PROCESS_LATE && strstr(options, "-O3") && !j->program->quick;
    if (less) {
        rw_log(ctx, RW_LOG_WARNING, "program %s: %s took more than %g s at -O3: trying -O1", j->program->name, j->cc,
               seconds);
        RW_TRY(run(j, options, LESS, seconds, &code));
        j->program->makeshift = true;
    }
    switch (code) {
    case 0: return RW_OK;
    case RW_PROCESS_UNKNOWN: return access(j->object, R_OK) == 0 ? RW_OK : refused(j, source);
    case RW_PROCESS_FAILED:
        if (errno == ENOMEM) return rw_fail_memory(ctx, 4096, "the process of a compiler");
        return rw_fail(ctx, RW_ERR_COMPILE, "the C compiler %s cannot be started: %s", j->cc, strerror(errno));
    case RW_PROCESS_LATE:
        return rw_fail(
            ctx, RW_ERR_COMPILE,
            "program %s: the C compiler %s was ended after %g s%s: set RECHENWERK_CC_SECONDS to allow more, or "
            "RECHENWERK_CC to another compiler",
            j->program->name, j->cc, seconds, less ? ", at -O3 and again at -O1" : "");
    case RW_PROCESS_INTERRUPTED:
        return rw_fail(ctx, RW_ERR_INTERRUPTED, "interrupted while program %s was compiled", j->program->name);
    case RW_PROCESS_TALKS:
        return rw_fail(ctx, RW_ERR_COMPILE, "program %s: the C compiler %s was ended: its output had %lld bytes",
                       j->program->name, j->cc, (long long)RW_PROCESS_MOST_OUTPUT);
    default: return refused(j, source);
    }
}

rw_status rw_cc_compile(rw_device *dev, rw_program *p, const char *text, const char *options, rw_text *binary)
{
    rw_context *ctx = dev->ctx;
    rw_text source = {0};
    job j = {.dev = dev, .program = p};
    char *data = NULL;
    size_t n = 0;
    rw_status status = RW_OK;
    rw_text_add_bytes(&source, text, strlen(text));
    add_entries(&source, p);
    if (source.failed) {
        status = rw_fail_memory(ctx, source.length, "the source of a program");
        goto out;
    }
    if (!rw_cc_find(j.cc)) {
        status = fail_no_compiler(ctx);
        goto out;
    }
    RW_TRY_GOTO(rw_temporary_create(ctx, &j.folder), out);
    j.source = rw_format("%s/program.c", j.folder.path);
    j.object = rw_format("%s/program.so", j.folder.path);
    j.log = rw_format("%s/program.log", j.folder.path);
    if (!j.source || !j.object || !j.log) {
        status = rw_fail_memory(ctx, 256, "paths");
        goto out;
    }
    RW_TRY_GOTO(write_source(ctx, j.source, &source), out);
    RW_TRY_GOTO(compile(&j, options, source.data), out);
    RW_TRY_GOTO(rw_file_read(ctx, j.object, (size_t)1 << 28, &data, &n), out);
    rw_text_add_bytes(binary, data, n);
    if (binary->failed) status = rw_fail_memory(ctx, n, "a compiled program");
out:
    rw_temporary_remove(&j.folder);
    rw_text_free(&source);
    rw_free(data);
    rw_free(j.source);
    rw_free(j.object);
    rw_free(j.log);
    return status;
}
