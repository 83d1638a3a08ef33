/* The cases that came with the program: in $RECHENWERK_CASES, next to the program as installed (share/rechenwerk/cases)
 * or as built (cases/ of the source, above build/ or build/PRESET/), or in ./cases. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

enum { MOST = 256 };

/* The first line of comment says what a case is: its first sentence, or as much of it as the line holds. */
static void read_line(ready_case *c)
{
    FILE *file = fopen(c->path, "r");
    c->line[0] = '\0';
    if (!file) return;
    char text[512];
    if (fgets(text, sizeof(text), file) && text[0] == '#') {
        char *p = text + 1 + strspn(text + 1, " ");
        p[strcspn(p, "\r\n")] = '\0';
        char *end = strstr(p, ". ");
        size_t n = strlen(p);
        if (end) *end = '\0';
        else if (n > 0 && p[n - 1] == '.') p[n - 1] = '\0';
        snprintf(c->line, sizeof(c->line), "%.140s%s", p, end || (n > 0 && !p[n - 1]) ? "" : " …");
    }
    fclose(file);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const ready_case *)a)->name, ((const ready_case *)b)->name);
}

static int read_folder(const char *path, ready_case *cases)
{
    DIR *folder = opendir(path);
    int n = 0;
    if (!folder) return 0;
    for (struct dirent *e; n < MOST && (e = readdir(folder));) {
        size_t length = strlen(e->d_name);
        if (length < 6 || length - 5 >= sizeof(cases[n].name)) continue;
        if (strcmp(e->d_name + length - 5, ".yaml") != 0) continue;
        snprintf(cases[n].name, sizeof(cases[n].name), "%.*s", (int)length - 5, e->d_name);
        if (snprintf(cases[n].path, sizeof(cases[n].path), "%s/%s", path, e->d_name) >= (int)sizeof(cases[n].path))
            continue;
        read_line(&cases[n++]);
    }
    closedir(folder);
    qsort(cases, (size_t)n, sizeof(*cases), by_name);
    return n;
}

ready_case *find_cases(int *n)
{
    static const char *const beside[] = {"../share/rechenwerk/cases", "../cases", "../../cases"};
    char program[600], path[800];
    const char *given_folder = getenv("RECHENWERK_CASES");
    ready_case *cases = calloc(MOST, sizeof(*cases));
    *n = 0;
    if (!cases) return NULL;
    if (given_folder) {
        *n = read_folder(given_folder, cases);
        return cases;
    }
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    for (int i = 0; slash && i < COUNT(beside) && *n == 0; i++) {
        snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - program), program, beside[i]);
        *n = read_folder(path, cases);
    }
    if (*n == 0) *n = read_folder("cases", cases);
    return cases;
}
