/* Compiling a program with the system's C compiler.
 *
 * The text gets one entry point a kernel behind it, which unpacks the arguments and calls the kernel for a range of
 * groups; the kernel itself is inlined into that loop. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/cpu/cc.h"
#include "device/opencl/build_log.h"

extern char **environ;

char *rw_cc_find_on_path(const char *name)
{
    if (strchr(name, '/')) return access(name, X_OK) == 0 ? rw_strdup(name) : NULL;
    const char *path = getenv("PATH");
    for (const char *s = path ? path : "/usr/bin:/bin"; *s;) {
        size_t n = strcspn(s, ":");
        char *full = rw_format("%.*s/%s", (int)n, s, name);
        if (full && access(full, X_OK) == 0) return full;
        rw_free(full);
        s += n + (s[n] == ':');
    }
    return NULL;
}

char *rw_cc_find(void)
{
    const char *own = getenv("RECHENWERK_CC");
    if (own && *own) return rw_cc_find_on_path(own);
    static const char *const names[] = {"cc", "gcc", "clang"};
    for (int i = 0; i < RW_COUNT(names); ++i) {
        char *path = rw_cc_find_on_path(names[i]);
        if (path) return path;
    }
    return NULL;
}

/* The processor as /proc/cpuinfo names it: what -march=native depends on. */
static void add_processor(rw_text *t)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
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
    char *cc = rw_cc_find();
    if (!cc)
        return rw_fail(dev->ctx, RW_ERR_UNSUPPORTED,
                       "no C compiler found on PATH (cc, gcc, clang) nor in RECHENWERK_CC: install gcc");
    char real[4096];
    struct stat st = {0};
    if (!realpath(cc, real)) snprintf(real, sizeof real, "%s", cc);
    stat(real, &st);
    rw_text_add(identity, "%s\n%s %lld %lld.%09ld\n%s\n", dev->ops->kind, real, (long long)st.st_size,
                (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, options);
    add_processor(identity);
    rw_free(cc);
    return RW_OK;
}

static void add_entries(rw_text *t, const rw_program *p)
{
    rw_text_add(t, "#line 1 \"entry points\"\n");
    for (int i = 0; i < p->nkernels; ++i) {
        const rw_kernel *k = p->kernels + i;
        rw_text_add(t,
                    "__attribute__((visibility(\"default\"))) void rw_entry_%s(void *const *rw_a, const int *rw_n, long rw_first, "
                    "long rw_last)\n{\n    (void)rw_a;\n    for (long rw_i = rw_first; rw_i < rw_last; ++rw_i) {\n        const "
                    "rw_group rw_g = {{(int)(rw_i %% rw_n[0]), (int)(rw_i / rw_n[0] %% rw_n[1]), (int)(rw_i / rw_n[0] / rw_n[1])}, "
                    "{rw_n[0], rw_n[1], rw_n[2]}};\n        %s(rw_g",
                    k->name, k->name);
        for (int j = 0; j < k->nparameters; ++j) {
            const rw_parameter *q = k->parameters + j;
            if (q->kind == RW_ARG_GLOBAL)
                rw_text_add(t, ", *(%s%s *const *)rw_a[%d]", q->constant ? "const " : "", q->type, j);
            else
                rw_text_add(t, ", *(const %s *)rw_a[%d]", q->type, j);
        }
        rw_text_add(t, ");\n    }\n}\n");
    }
}

static rw_status write_source(rw_context *ctx, const char *path, const rw_text *text)
{
    FILE *f = fopen(path, "w");
    size_t done = f ? fwrite(text->data, 1, text->length, f) : 0;
    bool ok = f && done == text->length;
    if (f && fclose(f) != 0) ok = false;
    return ok ? RW_OK : rw_fail(ctx, RW_ERR_FILE, "kernel source %s: %s", path, strerror(errno));
}

int rw_cc_run(char *const *argv, const char *log)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t pid;
    int status = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (status != 0) {
        errno = status; /* posix_spawn returns it only */
        return -1;
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

#define MAX_OPTIONS 48
static int split(char *options, char **argv, int n)
{
    for (char *save, *word = strtok_r(options, " ", &save); word && n < MAX_OPTIONS; word = strtok_r(NULL, " ", &save))
        argv[n++] = word;
    return n;
}

rw_status rw_cc_compile(rw_device *dev, rw_program *p, const char *text, const char *options, rw_text *binary)
{
    rw_context *ctx = dev->ctx;
    rw_text source = {0};
    const char *tmp = getenv("TMPDIR");
    char *cc = rw_cc_find(), *words = rw_strdup(options);
    char *folder = rw_format("%s/rechenwerk-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    char *src = NULL, *out = NULL, *log = NULL, *data = NULL;
    size_t n = 0;
    bool made = false;
    rw_status status = RW_OK;
    rw_text_add_bytes(&source, text, strlen(text));
    add_entries(&source, p);
    if (!folder || !words || source.failed) {
        status = rw_fail_memory(ctx, source.length, "the source of a program");
        goto out;
    }
    if (!cc) {
        status = rw_fail(ctx, RW_ERR_UNSUPPORTED, "no C compiler found: install gcc, or set RECHENWERK_CC");
        goto out;
    }
    if (!mkdtemp(folder)) {
        status = rw_fail(ctx, RW_ERR_FILE, "temporary folder %s: %s: set TMPDIR", folder, strerror(errno));
        goto out;
    }
    made = true;
    src = rw_format("%s/program.c", folder), out = rw_format("%s/program.so", folder);
    log = rw_format("%s/program.log", folder);
    if (!src || !out || !log) {
        status = rw_fail_memory(ctx, 256, "paths");
        goto out;
    }
    RW_TRY_GOTO(write_source(ctx, src, &source), out);
    char *argv[MAX_OPTIONS + 8] = {cc};
    int m = split(words, argv, 1);
    argv[m++] = "-o", argv[m++] = out, argv[m++] = src, argv[m++] = "-lm", argv[m] = NULL;
    int code = rw_cc_run(argv, log);
    if (code < 0) {
        status = rw_fail(ctx, RW_ERR_COMPILE, "the C compiler %s cannot be started: %s", cc, strerror(errno));
        goto out;
    }
    if (code > 0) {
        status = rw_file_read(ctx, log, (size_t)1 << 24, &data, &n);
        if (status == RW_OK) status = rw_build_failed(ctx, p->name, ".c", source.data, data);
        goto out;
    }
    RW_TRY_GOTO(rw_file_read(ctx, out, (size_t)1 << 28, &data, &n), out);
    rw_text_add_bytes(binary, data, n);
    if (binary->failed) status = rw_fail_memory(ctx, n, "a compiled program");
out:
    if (out) unlink(out);
    if (src) unlink(src);
    if (log) unlink(log);
    if (made) rmdir(folder);
    rw_text_free(&source);
    rw_free(data), rw_free(src), rw_free(out), rw_free(log), rw_free(folder), rw_free(words), rw_free(cc);
    return status;
}
