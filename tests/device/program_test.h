/* What the tests of programs and of the dialect share. */
#ifndef PROGRAM_TEST_H
#define PROGRAM_TEST_H

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../devices.h"

static inline rw_program *build(const char *name, const char *text, const char *group, const char *more,
                                const char *value)
{
    const rw_define defines[] = {{"GROUP", group}, {more, value}};
    rw_program *p;
    OK(rw_program_create(dev, name, text, defines, more ? 2 : 1, &p));
    return p;
}

static const int64_t one[3] = {1, 1, 1};

static inline rw_array *zeros(rw_dtype dtype, int64_t n)
{
    rw_array *a = new_array(dtype, n, RW_MEMORY_DEVICE);
    OK(rw_array_zero(a, queue));
    return a;
}

static inline const int *ints_of(rw_array *a)
{
    const void *p;
    OK(rw_array_read(a, &p));
    return p;
}

/* y[0] = a VALUE */
#define TINY "KERNEL(k, GLOBAL f64 *y, f64 a) { EACH(i, 1) { y[i] = a VALUE; } }\n"

/* A thread that makes programs: what it got. */
typedef struct worker {
    rw_device *dev;
    int number;
    rw_status status;
    double got;
} worker;

/* The path between "whole log: " and the next comma, with its contents. */
static inline char *read_log(void)
{
    const char *at = strstr(rw_message(ctx), "whole log: ");
    assert_non_null(at);
    char path[512], *data;
    snprintf(path, sizeof path, "%.*s", (int)strcspn(at + 11, ",)"), at + 11);
    OK(rw_file_read(ctx, path, 0, &data, NULL));
    unlink(path);
    char *slash = strrchr(path, '/');
    *slash = 0;
    DIR *d = opendir(path); /* the source beside it */
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.') unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
    rmdir(path);
    return data;
}

/* ---- programs in the place of a compiler, in a folder of their own ---- */

static char folder[256];

static inline void make_folder(void)
{
    snprintf(folder, sizeof folder, "%s/rw-test-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    assert_non_null(mkdtemp(folder));
}

static inline void write_script(const char *name, const char *text, char path[512])
{
    snprintf(path, 512, "%.200s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(chmod(path, 0755), 0);
}

static inline void remove_folder(void)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.') unlinkat(dirfd(d), e->d_name, 0);
    if (d) closedir(d);
    rmdir(folder);
}

#endif
