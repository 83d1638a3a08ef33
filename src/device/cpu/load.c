/* Loading a shared object from memory.
 *
 * The dynamic linker only takes a path. The bytes are copied into an anonymous file (memfd), sealed so that nothing can
 * change them, and opened as /proc/PID/fd/N: what runs is what the caller has checked. The path must be a new one each
 * time, since the linker takes equal paths for the same object and numbers of descriptors come again: a count and its
 * address, which differs between copies of the library in one process, are written into it as "./" and "/".
 * Where there is no memfd or no /proc, a private temporary file does, removed once it is loaded. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/temporary.h"
#include "device/cpu/cc.h"

static bool write_all(int fd, const rw_text *binary)
{
    for (size_t done = 0; done < binary->length;) {
        ssize_t n = write(fd, binary->data + done, binary->length - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

/* Sealed; -1 where the system has none or does not let it be executed. */
static int anonymous_file(const rw_program *p RW_UNUSED, const rw_text *binary RW_UNUSED)
{
#ifdef MFD_ALLOW_SEALING
    char name[80];
    snprintf(name, sizeof name, "rechenwerk %s", p->name);
    int fd = rw_fd_above(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (fd < 0) return -1;
    if (write_all(fd, binary) && fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) == 0)
        return fd;
    close(fd);
#endif
    return -1;
}

static void spell(rw_text *path, uint64_t value, int n)
{
    for (int k = 0; k < n; ++k) rw_text_add(path, "%s", value >> k & 1 ? "./" : "/");
}

/* NULL: the linker cannot, or there is no memory. */
static void *open_anonymous(int fd)
{
    static unsigned count;
    rw_text path = {0};
    rw_text_add(&path, "/proc/%ld/fd/", (long)getpid());
    spell(&path, (uintptr_t)&count, 64);
    spell(&path, __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED), 32);
    rw_text_add(&path, "%d", fd);
    void *module = path.failed ? NULL : dlopen(path.data, RTLD_NOW | RTLD_LOCAL);
    rw_text_free(&path);
    return module;
}

static rw_status open_temporary(rw_device *dev, rw_program *p, const rw_text *binary)
{
    rw_temporary folder;
    RW_TRY(rw_temporary_create(dev->ctx, &folder));
    char *name = rw_format("%s/program.so", folder.path);
    int fd = name ? rw_open(name, O_WRONLY | O_CREAT | O_EXCL, 0600) : -1;
    rw_status status = RW_OK;
    if (!name) status = rw_fail_memory(dev->ctx, 64, "a path");
    else if (fd < 0 || !write_all(fd, binary))
        status = rw_fail(dev->ctx, RW_ERR_FILE, "temporary file %s: %s: set TMPDIR to a folder with room", name,
                         strerror(errno));
    if (fd >= 0) close(fd);
    if (status == RW_OK && !(p->module = dlopen(name, RTLD_NOW | RTLD_LOCAL))) {
        const char *why = dlerror();
        status = rw_fail(dev->ctx, RW_ERR_COMPILE, "program %s: %s%s", p->name, why,
                         strstr(why, "undefined symbol") ? "" : ": is the folder mounted noexec?");
    }
    rw_temporary_remove(&folder);
    rw_free(name);
    return status;
}

rw_status rw_cc_load(rw_device *dev, rw_program *p, const rw_text *binary)
{
    int fd = anonymous_file(p, binary);
    if (fd >= 0) {
        p->module = open_anonymous(fd);
        close(fd); /* the mapping stays */
    }
    if (!p->module) RW_TRY(open_temporary(dev, p, binary));
    for (int i = 0; i < p->nkernels; ++i) {
        char name[80];
        snprintf(name, sizeof name, "rw_entry_%s", p->kernels[i].name);
        p->kernels[i].handle = dlsym(p->module, name);
        if (!p->kernels[i].handle)
            return rw_fail(dev->ctx, RW_ERR_COMPILE, "program %s: kernel %s is not in its shared object", p->name,
                           p->kernels[i].name);
    }
    return RW_OK;
}

void rw_cc_unload(rw_program *p)
{
    if (p->module) dlclose(p->module);
    p->module = NULL;
}
