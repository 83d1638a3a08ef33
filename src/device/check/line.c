/* From an address in a loaded program to the line of its text, through addr2line of binutils (or llvm-addr2line). The
 * program's file may be gone by then, so its bytes are kept and written out again. Without addr2line a report says
 * behind which EACH or BARRIER it was. */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/check/check.h"
#include "device/cpu/cc.h"
#include "device/cpu/process.h"

static bool write_image(const char *path, const char *image, size_t n)
{
    FILE *f = image ? rw_fopen(path, "w") : NULL;
    bool ok = f && fwrite(image, 1, n, f) == n;
    return (!f || fclose(f) == 0) && (ok || !image);
}

/* Runs argv with its output in a file and gives what it wrote (to be freed with rw_free), or NULL. `image` is first
 * written to a file whose name takes the place of the argument "IMAGE". */
static char *ask(rw_context *ctx, char **argv, const char *image, size_t image_bytes)
{
    rw_temporary folder;
    char *answer = NULL;
    if (rw_temporary_create(ctx, &folder) != RW_OK) return NULL;
    char *in = rw_format("%s/image.so", folder.path), *out = rw_format("%s/answer", folder.path);
    size_t n;
    if (in && out && write_image(in, image, image_bytes)) {
        for (char **word = argv; *word; ++word)
            if (!strcmp(*word, "IMAGE")) *word = in;
        const int code = rw_process_run(argv, &folder, out, 60);
        if ((code == 0 || code == RW_PROCESS_UNKNOWN) && rw_file_read(ctx, out, 1 << 20, &answer, &n) != RW_OK)
            answer = NULL;
    }
    rw_temporary_remove(&folder);
    rw_free(in);
    rw_free(out);
    return answer;
}

/* First and last address of the object that was loaded at `base`. */
static int find_extent(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
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
    char address[32], tool[RW_CC_PATH], *answer = NULL;
    int line = 0;
    snprintf(address, sizeof address, "0x%lx", (unsigned long)((const char *)from - m->base - 1)); /* in the call */
    for (int i = 0; i < RW_COUNT(tools) && !answer; ++i) {
        if (!rw_cc_find_on_path(tools[i], tool)) continue;
        char *argv[] = {tool, "-i", "-e", "IMAGE", address, NULL}; /* -i: the callers of what was inlined, too */
        answer = ask(m->program->device->ctx, argv, m->image, m->image_bytes);
    }
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
        char *argv[] = {cc, "--version", NULL}, *answer = ask(ctx, argv, NULL, 0);
        __atomic_store_n(&s->clang, answer && strstr(answer, "clang"), __ATOMIC_RELAXED);
        snprintf(s->compiler, sizeof s->compiler, "%s", answer ? cc : ""); /* without an answer it is asked again */
        rw_free(answer);
    }
}
