/* Names of numbered files: text, one number (%d, or %04d with zeros in front), text. Two percent signs mean one in
 * such a name; a name without a number is text throughout, "my%20dog.png" too. */
#include <ctype.h>
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "stream/stream.h"

/* The length of "%d" or "%04d" at this place; 0: text. */
static size_t number_at(const char *s, int *width)
{
    size_t n = 1;
    *width = 0;
    if (s[0] != '%') return 0;
    if (s[1] == '0')
        for (n = 2; n < 4 && isdigit((unsigned char)s[n]); ++n) *width = 10 * *width + s[n] - '0';
    return s[n] == 'd' && (n == 1 || *width > 0) ? n + 1 : 0;
}

static int count_numbers(const char *name)
{
    int width, numbers = 0;
    for (const char *s = name; *s; ++s) {
        if (s[0] == '%' && s[1] == '%') ++s;
        else if (number_at(s, &width)) ++numbers;
    }
    return numbers;
}

bool rw_stream_is_numbered(const char *name) { return name && count_numbers(name) > 0; }

/* Adds text of a pattern, in which %% is %. */
static void add(char *to, size_t size, size_t *used, const char *s, size_t n)
{
    for (size_t i = 0; i < n && *used + 1 < size; ++i) {
        to[(*used)++] = s[i];
        if (s[i] == '%' && i + 1 < n && s[i + 1] == '%') ++i;
    }
    to[*used] = 0;
}

rw_status rw_numbered_parse(rw_context *ctx, const char *name, rw_numbered *p)
{
    const int numbers = count_numbers(name);
    size_t used = 0;
    *p = (rw_numbered){.width = -1};
    if (strlen(name) >= sizeof p->before)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%.60s…: a name of %zu bytes: at most %zu are possible", name,
                       strlen(name), sizeof p->before - 1);
    if (numbers > 1)
        return rw_fail(ctx, RW_ERR_ARGUMENT,
                       "%s: a file name may have one %%d or %%04d, for the number of a picture; %%%% is a percent sign",
                       name);
    if (numbers == 0) {
        strcpy(p->before, name);
        return RW_OK;
    }
    for (const char *s = name; *s; ++s) {
        int width;
        const size_t n = number_at(s, &width);
        if (s[0] == '%' && s[1] == '%') ++s;
        else if (n) {
            add(p->before, sizeof p->before, &used, name, (size_t)(s - name));
            used = 0;
            p->width = width;
            add(p->after, sizeof p->after, &used, s + n, strlen(s + n));
            return RW_OK;
        }
    }
    return RW_OK;
}

rw_status rw_numbered_name(rw_context *ctx, const rw_numbered *p, int64_t number, char path[RW_PATH_BYTES])
{
    const int n = p->width < 0
                      ? snprintf(path, RW_PATH_BYTES, "%s", p->before)
                      : snprintf(path, RW_PATH_BYTES, "%s%0*lld%s", p->before, p->width, (long long)number, p->after);
    if (n >= 0 && n < RW_PATH_BYTES) return RW_OK;
    return rw_fail(ctx, RW_ERR_ARGUMENT, "%.60s…: the name of a picture has %d bytes: at most %d are possible", path, n,
                   RW_PATH_BYTES - 1);
}

/* ---- what fits a name -------------------------------------------------------------------------------------------- */

/* The part of a path after its last slash. */
static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The number of a file whose name in the folder fits; -1: it does not. */
static int64_t number_of(const rw_numbered *p, const char *file)
{
    const char *before = base_of(p->before);
    const size_t n = strlen(file), nb = strlen(before), na = strlen(p->after);
    if (n <= nb + na || strncmp(file, before, nb) != 0 || strcmp(file + n - na, p->after) != 0) return -1;
    const char *digits = file + nb;
    const size_t ndigits = n - nb - na;
    int64_t number = 0;
    for (size_t i = 0; i < ndigits; ++i) {
        if (!isdigit((unsigned char)digits[i]) || i >= 18) return -1;
        number = 10 * number + digits[i] - '0';
    }
    const size_t width = p->width > 1 ? (size_t)p->width : 1;
    return ndigits < width || (ndigits > width && digits[0] == '0') ? -1 : number;
}

static void folder_of(const char *path, char folder[RW_PATH_BYTES])
{
    const size_t n = (size_t)(base_of(path) - path);
    snprintf(folder, RW_PATH_BYTES, "%.*s", n ? (int)n : 2, n ? path : "./");
}

static bool same_folder(const char *one, const char *other)
{
    char a[RW_PATH_BYTES], b[RW_PATH_BYTES];
    struct stat s, t;
    folder_of(one, a);
    folder_of(other, b);
    return stat(a, &s) == 0 && stat(b, &t) == 0 && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

/* One begins (or ends, with `back`) with the other, and the rest that adjoins the number is digits. */
static bool may_meet(const char *one, const char *other, bool back)
{
    const size_t n = strlen(one), m = strlen(other), common = RW_MIN(n, m), rest = RW_MAX(n, m) - common;
    const char *longer = n > m ? one : other;
    if (back ? strcmp(one + n - common, other + m - common) != 0 : strncmp(one, other, common) != 0) return false;
    for (size_t i = 0; i < rest; ++i)
        if (!isdigit((unsigned char)longer[back ? i : common + i])) return false;
    return true;
}

static bool meet(const rw_numbered *a, const rw_numbered *b)
{
    if (!same_folder(a->before, b->before)) return false;
    if (a->width < 0 && b->width < 0) return !strcmp(base_of(a->before), base_of(b->before));
    if (a->width < 0) return number_of(b, base_of(a->before)) >= 0;
    if (b->width < 0) return number_of(a, base_of(b->before)) >= 0;
    return may_meet(base_of(a->before), base_of(b->before), false) && may_meet(a->after, b->after, true);
}

rw_status rw_numbered_check(rw_context *ctx, const char *in, const char *out)
{
    rw_numbered a, b;
    if (!rw_stream_is_numbered(in) && !rw_stream_is_numbered(out)) return RW_OK;
    RW_TRY(rw_numbered_parse(ctx, in, &a));
    RW_TRY(rw_numbered_parse(ctx, out, &b));
    if (!meet(&a, &b)) return RW_OK;
    return rw_fail(ctx, RW_ERR_ARGUMENT,
                   "%s would be written over the input %s while it is read: give another name or folder", out, in);
}

rw_status rw_numbered_find(rw_context *ctx, const rw_numbered *p, int64_t from, char path[RW_PATH_BYTES])
{
    char folder[RW_PATH_BYTES];
    int64_t least = -1;
    *path = 0;
    folder_of(p->before, folder);
    DIR *d = opendir(folder);
    if (!d) return RW_OK; /* no folder, no files */
    for (const struct dirent *e; (e = readdir(d));) {
        const int64_t number = number_of(p, e->d_name);
        if (number < from || (least >= 0 && number >= least)) continue;
        least = number;
    }
    closedir(d);
    return least < 0 ? RW_OK : rw_numbered_name(ctx, p, least, path);
}

rw_status rw_stream_find_output(rw_context *ctx, const char *name, char **path)
{
    char found[RW_PATH_BYTES] = "";
    rw_numbered p;
    struct stat info;
    RW_NEED(path, "path");
    *path = NULL;
    RW_NEED(name, "name");
    RW_TRY(rw_numbered_parse(ctx, name, &p));
    if (p.width >= 0) RW_TRY(rw_numbered_find(ctx, &p, 0, found));
    else if (lstat(name, &info) == 0) snprintf(found, sizeof found, "%s", name);
    if (!*found) return RW_OK;
    const size_t n = strlen(found) + 1;
    *path = rw_calloc(n, 1);
    if (!*path) return rw_fail_memory(ctx, n, "the name of a file");
    memcpy(*path, found, n);
    return RW_OK;
}
