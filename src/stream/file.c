/* Files and pipes of streams. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stream/stream.h"

rw_context *rw_stream_file_context(const rw_stream_file *f) { return f ? f->ctx : NULL; }
const char *rw_stream_file_name(const rw_stream_file *f) { return f && f->name ? f->name : ""; }

enum { BUFFER = 1 << 20 };

/* Up to n bytes, 0 at the end, -1 after a failure; waits in short pieces, so that another thread can stop it. */
static ssize_t read_some(rw_stream_file *f, void *bytes, size_t n)
{
    struct pollfd ready = {.fd = f->fd, .events = POLLIN};
    for (;;) {
        if (rw_fault_hit(RW_FAULT_READ)) {
            errno = EIO;
            return -1;
        }
        if (__atomic_load_n(&f->stop, __ATOMIC_RELAXED)) {
            errno = ECANCELED;
            return -1;
        }
        const int some = poll(&ready, 1, 200);
        if (some == 0 || (some < 0 && errno == EINTR)) continue;
        const ssize_t got = read(f->fd, bytes, RW_MIN(n, (size_t)1 << 30));
        if (got >= 0 || (errno != EINTR && errno != EAGAIN)) return got;
    }
}

static rw_status fail_read(const rw_stream_file *f, const char *what)
{
    return rw_fail(f->ctx, RW_ERR_FILE, "%s: reading %s failed: %s", f->name, what, strerror(errno));
}

rw_status rw_stream_file_open(rw_context *ctx, const char *name, rw_stream_file *f)
{
    struct stat info;
    *f = (rw_stream_file){.ctx = ctx, .name = name, .standard = strcmp(name, "-") == 0, .fd = 0};
    if (f->standard) f->name = "standard input";
    else f->fd = rw_open(name, O_RDONLY, 0);
    f->opened = true;
    if (f->fd < 0 || fstat(f->fd, &info) != 0) {
        rw_status status =
            rw_fail(ctx, RW_ERR_FILE, "cannot open '%s': %s: %s", name, strerror(errno), rw_file_advice(errno));
        rw_stream_file_close(f);
        return status;
    }
    if (S_ISDIR(info.st_mode)) {
        rw_stream_file_close(f);
        return rw_fail(ctx, RW_ERR_FILE, "%s is a folder: name a file, or a pattern such as %s/%%04d.png", name, name);
    }
    if (S_ISFIFO(info.st_mode)) fcntl(f->fd, F_SETPIPE_SZ, BUFFER); /* the largest pipe buffer; failure is ignored */
    while (f->nstart < sizeof f->start) {
        const ssize_t got = read_some(f, f->start + f->nstart, sizeof f->start - f->nstart);
        if (got < 0) {
            rw_status status = fail_read(f, "the first bytes");
            rw_stream_file_close(f);
            return status;
        }
        if (!got) break;
        f->nstart += (size_t)got;
    }
    return RW_OK;
}

/* Short reads (headers) are buffered; long ones go directly to their destination. */
rw_status rw_stream_file_read_most(rw_stream_file *f, void *bytes, size_t n, const char *what, size_t *done)
{
    size_t have = *done = 0;
    while (have < n) {
        const bool start = f->used < f->nstart, kept = !start && f->at < f->filled;
        const size_t left = n - have;
        ssize_t got;
        if (start) {
            got = (ssize_t)RW_MIN(left, f->nstart - f->used);
            memcpy((char *)bytes + have, f->start + f->used, (size_t)got);
            f->used += (size_t)got;
        } else if (kept) {
            got = (ssize_t)RW_MIN(left, f->filled - f->at);
            memcpy((char *)bytes + have, f->buffer + f->at, (size_t)got);
            f->at += (size_t)got;
        } else if (left >= sizeof f->buffer) {
            got = read_some(f, (char *)bytes + have, left);
        } else {
            f->at = f->filled = 0;
            got = read_some(f, f->buffer, sizeof f->buffer);
            if (got > 0) {
                f->filled = (size_t)got;
                continue;
            }
        }
        if (got < 0) return fail_read(f, what);
        if (!got) break;
        *done = have += (size_t)got;
    }
    return RW_OK;
}

rw_status rw_stream_file_read(rw_stream_file *f, void *bytes, size_t n, const char *what, bool *end)
{
    size_t have;
    RW_NEED(f, "file");
    RW_NEED(bytes, "bytes");
    RW_NEED(what, "what");
    if (end) *end = false;
    RW_TRY(rw_stream_file_read_most(f, bytes, n, what, &have));
    if (have == n) return RW_OK;
    if (end && !have) {
        *end = true;
        return RW_OK;
    }
    return rw_fail(f->ctx, RW_ERR_INPUT, "%s: the stream ends inside %s, after %zu of %zu bytes", f->name, what, have,
                   n);
}

/* Whether bytes of an output that was not opened here can be written again: a file that does not append. */
static bool is_seekable(int fd)
{
    struct stat info;
    const int flags = fcntl(fd, F_GETFL);
    return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && flags >= 0 && !(flags & O_APPEND);
}

rw_status rw_stream_file_create(rw_context *ctx, const char *name, rw_stream_file *f)
{
    struct stat info;
    *f = (rw_stream_file){.ctx = ctx, .name = name, .standard = strcmp(name, "-") == 0};
    if (f->standard) {
        f->name = "standard output";
        f->file = stdout;
        fcntl(STDOUT_FILENO, F_SETPIPE_SZ, BUFFER);
        fflush(stdout);
        f->origin = lseek(STDOUT_FILENO, 0, SEEK_CUR);
        f->seekable = f->origin >= 0 && is_seekable(STDOUT_FILENO);
    } else if (stat(name, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
        f->file = rw_fopen(name, "wb"); /* a pipe or a device: opened directly */
    } else {
        RW_TRY(rw_file_replace_begin(ctx, name, &f->temporary));
        if (!rw_fault_hit(RW_FAULT_WRITE)) f->file = rw_fopen(f->temporary, "wb");
        f->seekable = true;
    }
    if (f->file) {
        setvbuf(f->file, NULL, _IOFBF, BUFFER);
        return RW_OK;
    }
    const int reason = errno ? errno : EIO;
    rw_status status =
        rw_fail(ctx, RW_ERR_FILE, "cannot create '%s': %s: %s", name, strerror(reason), rw_file_advice(reason));
    rw_stream_file_close(f);
    return status;
}

static rw_status fail_write(const rw_stream_file *f)
{
    const int reason = errno ? errno : EIO;
    const char *advice = reason == EPIPE ? "the program that reads the pipe has ended" : rw_file_advice(reason);
    return rw_fail(f->ctx, RW_ERR_FILE, "%s: writing failed: %s: %s", f->name, strerror(reason), advice);
}

rw_status rw_stream_file_write(rw_stream_file *f, const void *bytes, size_t n)
{
    RW_NEED(f, "file");
    RW_NEED(bytes, "bytes");
    errno = 0;
    if (rw_fault_hit(RW_FAULT_WRITE) || fwrite(bytes, 1, n, f->file) != n) return fail_write(f);
    return RW_OK;
}

rw_status rw_stream_file_flush(rw_stream_file *f)
{
    errno = 0;
    return rw_fault_hit(RW_FAULT_WRITE) || fflush(f->file) != 0 ? fail_write(f) : RW_OK;
}

void rw_stream_file_set_head(rw_stream_file *f, const void *bytes, size_t n)
{
    f->nhead = RW_MIN(n, sizeof f->head);
    memcpy(f->head, bytes, f->nhead);
}

static bool write_head(const rw_stream_file *f)
{
    return !f->nhead || !f->seekable ||
           pwrite(fileno(f->file), f->head, f->nhead, (off_t)f->origin) == (ssize_t)f->nhead;
}

/* An existing file is not replaced; the incomplete output gets the name NAME.partial.EXT. */
static rw_status commit_cut(rw_stream_file *f)
{
    char *partial = rw_file_partial_name(f->name);
    if (!partial) return rw_fail_memory(f->ctx, strlen(f->name) + 9, "a path");
    rw_status status = rw_file_replace_commit(f->ctx, partial, &f->temporary);
    if (status == RW_OK)
        status = rw_fail(f->ctx, RW_ERR_INTERRUPTED,
                         "interrupted by a request to stop: the results so far are in '%s', '%s' is left as it was",
                         partial, f->name);
    rw_free(partial);
    return status;
}

rw_status rw_stream_file_commit(rw_stream_file *f)
{
    if (!f->file) return RW_OK;
    errno = 0;
    bool bad = rw_fault_hit(RW_FAULT_WRITE) || fflush(f->file) != 0 || !write_head(f);
    if (!f->standard) {
        bad = fclose(f->file) != 0 || bad;
        f->file = NULL;
    }
    rw_status status = bad             ? fail_write(f)
                       : !f->temporary ? RW_OK
                       : f->cut        ? commit_cut(f)
                                       : rw_file_replace_commit(f->ctx, f->name, &f->temporary);
    rw_stream_file_close(f);
    return status;
}

void rw_stream_file_close(rw_stream_file *f)
{
    if (f->opened && f->fd > 0) close(f->fd);
    f->opened = false;
    if (f->file && !f->standard) fclose(f->file);
    f->file = NULL;
    if (f->temporary) rw_file_replace_discard(&f->temporary);
}
