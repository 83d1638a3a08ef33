/* Temporary files NAME.PROCESS-COUNT.tmp (file.c) of processes that have been killed.
 *
 * When a file is written again, those of the same name whose process has ended are removed. A process reads each folder
 * once and lists its temporary files of ended processes, also if it writes a hundred thousand frames there. Processes
 * of other systems or containers that share the folder have numbers of their own, and files that are written for the
 * first time hold no lock. So a file is removed only if it belongs to this user and has not changed for an hour.
 * Not here: files of more than FOLDERS folders in one process, more than FILES files; they stay. */
#include "core/leftover.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FOLDERS = 16, FILES = 64, UNUSED_SECONDS = 3600 };

/* Under the lock of leftover.c. */
static struct {
    dev_t device;
    ino_t number;
} folders[FOLDERS];
static int nfolders;
static struct {
    int folder; /* -1: removed */
    char name[256];
} files[FILES];
static int nfiles;

size_t rw_file_temporary_of(const char *name, long *process)
{
    const size_t n = strlen(name);
    if (n < 8 || strcmp(name + n - 4, ".tmp") != 0) return 0;
    const char *p = name + n - 5;
    while (p > name && isdigit((unsigned char)*p)) p--;
    if (*p != '-' || p[1] == '.') return 0;
    const char *end = p--;
    while (p > name && isdigit((unsigned char)*p)) p--;
    if (*p != '.' || p + 1 == end) return 0;
    if (process) *process = strtol(p + 1, NULL, 10);
    return (size_t)(p - name);
}

static bool has_ended(long process)
{
    return process > 0 && (pid_t)process == process && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

static bool is_unused(int folder, const char *name)
{
    struct stat info;
    return fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && time(NULL) - info.st_mtime >= UNUSED_SECONDS;
}

/* The folder's number in the list; -1: the list is full. The folder is read when it is new. */
static int find_folder(int fd, const char *path)
{
    struct stat info;
    if (fstat(fd, &info) != 0) return -1;
    for (int i = 0; i < nfolders; i++)
        if (folders[i].device == info.st_dev && folders[i].number == info.st_ino) return i;
    if (nfolders == FOLDERS) return -1;
    folders[nfolders].device = info.st_dev;
    folders[nfolders].number = info.st_ino;
    DIR *d = fdopendir(rw_open(path, O_RDONLY | O_DIRECTORY, 0));
    long process;
    for (struct dirent *e; d && (e = readdir(d)) && nfiles < FILES;) {
        if (!rw_file_temporary_of(e->d_name, &process) || !has_ended(process) || !is_unused(fd, e->d_name)) continue;
        files[nfiles].folder = nfolders;
        snprintf(files[nfiles++].name, sizeof files->name, "%s", e->d_name);
    }
    if (d) closedir(d);
    return nfolders++;
}

void rw_file_sweep_abandoned(const char *folder, const char *name)
{
    const int fd = rw_open(folder, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0) return;
    rw_leftover_lock();
    const int number = find_folder(fd, folder);
    const size_t n = RW_MIN(strlen(name), RW_TEMPORARY_NAME);
    for (int i = 0; number >= 0 && i < nfiles; i++) {
        if (files[i].folder != number || rw_file_temporary_of(files[i].name, NULL) != n) continue;
        if (memcmp(files[i].name, name, n) != 0) continue;
        rw_file_sweep(fd, files[i].name);
        files[i].folder = -1;
    }
    rw_leftover_unlock();
    close(fd);
}
