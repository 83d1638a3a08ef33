/* From an address in a loaded program to the line of its text, through addr2line of binutils (or llvm-addr2line). The
 * program's file may be gone by then, so its bytes are kept and written out again. Without addr2line a report says
 * after which EACH or BARRIER it was. */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/check/check.h"
#include "device/cpu/cc.h"
#include "device/process.h"

static bool write_image(const char *path, const rw_check_module *m)
{
    FILE *f = rw_fopen(path, "w");
    const bool ok = f && fwrite(m->image, 1, m->image_bytes, f) == m->image_bytes;
    return f && fclose(f) == 0 && ok;
}

/* First and last address of the object that was loaded at `base`. */
static int find_extent(struct dl_phdr_info *info, size_t size RW_UNUSED, void *user)
{
    rw_check_module *m = user;
    if ((const char *)info->dlpi_addr != m->base) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr) *h = info->dlpi_phdr + i;
        if (h->p_type != PT_LOAD) continue;
        const char *low = m->base + h->p_vaddr, *high = low + h->p_memsz;
        if (!m->low || low < m->low) m->low = low;
        if (high > m->high) m->high = high;
    }
    return 1;
}

rw_status rw_check_module_create(rw_check_state *s, const rw_program *p, const char *image, size_t bytes)
{
    rw_context *ctx = p->device->ctx;
    struct link_map *map = NULL;
    const rw_check_hooks **hooks = dlsym(p->module, "rw_check");
    if (!hooks || dlinfo(p->module, RTLD_DI_LINKMAP, &map) != 0)
        return rw_fail(ctx, RW_ERR_COMPILE, "program %s: no hooks of the check device are in it", p->name);
    rw_check_module *m = rw_calloc(1, sizeof *m);
    if (m) m->image = rw_calloc(bytes, 1);
    if (!m || !m->image) {
        rw_free(m);
        return rw_fail_memory(ctx, bytes, "a program");
    }
    memcpy(m->image, image, bytes);
    m->image_bytes = bytes;
    m->program = p;
    m->base = (const char *)map->l_addr;
    dl_iterate_phdr(find_extent, m);
    *hooks = &rw_check_table;
    m->next = s->modules;
    s->modules = m;
    return RW_OK;
}

void rw_check_module_destroy(rw_check_state *s, const rw_program *p)
{
    for (rw_check_module **at = &s->modules; *at; at = &(*at)->next) {
        rw_check_module *m = *at;
        if (m->program != p) continue;
        *at = m->next;
        rw_free(m->image);
        rw_free(m);
        return;
    }
}

/* Is "…/name" the text called `name`? Names are cut to what rw_program keeps. */
static bool is_text(const char *path, size_t n, const char *name)
{
    size_t m = strlen(name), longest = sizeof((rw_program *)NULL)->name - 1;
    for (size_t i = 0; i + m <= n; ++i)
        if ((i == 0 || path[i - 1] == '/') && !strncmp(path + i, name, m) && (i + m == n || m == longest)) return true;
    return false;
}

int rw_check_line(const rw_check_module *m, const void *from)
{
    static const char *const tools[] = {"addr2line", "llvm-addr2line"};
    rw_context *ctx = m->program->device->ctx;
    rw_temporary folder;
    char address[32], tool[RW_CC_PATH], *answer = NULL;
    int line = 0;
    if (rw_temporary_create(ctx, &folder) != RW_OK) return 0;
    char *image = rw_format("%s/image.so", folder.path);
    const bool written = image && write_image(image, m);
    snprintf(address, sizeof address, "0x%lx", (unsigned long)((const char *)from - m->base - 1)); /* in the call */
    for (int i = 0; i < RW_COUNT(tools) && written && !answer; ++i) {
        if (!rw_cc_find_on_path(tools[i], tool)) continue;
        char *argv[] = {tool, "-i", "-e", image, address, NULL}; /* -i: the callers of what was inlined, too */
        answer = rw_process_ask(ctx, argv, 60);
    }
    rw_temporary_remove(&folder);
    rw_free(image);
    for (char *save, *s = answer ? strtok_r(answer, "\n", &save) : NULL; s && !line; s = strtok_r(NULL, "\n", &save)) {
        const char *colon = strrchr(s, ':');
        if (colon && is_text(s, (size_t)(colon - s), m->program->name)) line = atoi(colon + 1);
    }
    rw_free(answer);
    return line;
}

void rw_check_ask_compiler(rw_check_state *s, rw_context *ctx)
{
    char cc[RW_CC_PATH];
    if (rw_cc_find(cc) && strcmp(cc, s->compiler) != 0) {
        char *argv[] = {cc, "--version", NULL}, *answer = rw_process_ask(ctx, argv, 60);
        __atomic_store_n(&s->clang, answer && strstr(answer, "clang"), __ATOMIC_RELAXED);
        snprintf(s->compiler, sizeof s->compiler, "%s", answer ? cc : ""); /* without an answer it is asked again */
        rw_free(answer);
    }
}
