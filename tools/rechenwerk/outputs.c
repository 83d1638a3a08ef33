/* What commands read and write, checked before the work: inputs exist, existing files are overwritten with --force
 * alone, names end as what is written there does, folders can be written, and nothing that is read is written over. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

static bool ends_with(const char *path, const char *ending)
{
    const size_t n = strlen(path), m = strlen(ending);
    return n > m && !strcmp(path + n - m, ending) && path[n - m - 1] != '/';
}

/* Both are there and one file, by whatever names. */
static bool same_file(const char *a, const char *b)
{
    struct stat one, other;
    return a && b && stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

static const char *path_of(const arguments *a, const output_file *o)
{
    return o->operand ? o->operand : value_of(a, o->name);
}
/* "--" before the name of an option. */
static const char *dashes(const output_file *o) { return o->operand ? "" : "--"; }

/* Files are written next to their final path, so their folder is needed. */
static int check_folder(const arguments *a, const output_file *o, const char *path)
{
    const char *slash = strrchr(path, '/');
    struct stat at;
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    const bool good = folder && access(folder, W_OK) == 0, is_folder = stat(path, &at) == 0 && S_ISDIR(at.st_mode);
    int code = 0;
    if (!good)
        code = unusable("%s: %s%s %s: cannot write to the folder %s: %s", a->command->name, dashes(o), o->name, path,
                        folder ? folder : "?", strerror(errno));
    else if (is_folder)
        code = unusable("%s: %s%s %s is a folder: give a file name", a->command->name, dashes(o), o->name, path);
    free(folder);
    return code;
}

int check_inputs(const arguments *a, int n, const char *const *paths)
{
    for (int i = 0; i < n; i++)
        if (paths[i] && access(paths[i], R_OK) != 0)
            return usage("%s: cannot open '%s': %s: check the path", a->command->name, paths[i], strerror(errno));
    return 0;
}

/* As `run` does: what is there stays, unless --force is given. */
int check_exists(const arguments *a, const char *path)
{
    struct stat info;
    if (given(a, "force") || lstat(path, &info) != 0 || S_ISCHR(info.st_mode) || S_ISFIFO(info.st_mode)) return 0;
    return usage("%s: '%s' exists already: use --force to overwrite it", a->command->name, path);
}

int check_outputs(const arguments *a, int n, const output_file *outputs, int ninputs, const char *const *inputs)
{
    const char *who = a->command->name;
    const int missing = check_inputs(a, ninputs, inputs);
    if (missing != 0) return missing;
    for (int i = 0; i < n; i++) {
        const output_file *o = &outputs[i];
        const char *path = path_of(a, o);
        if (!path) continue;
        if (o->ending && !ends_with(path, o->ending) && !(o->or_ending && ends_with(path, o->or_ending)))
            return usage("%s: %s%s %s: the file name must end in %s%s%s", who, dashes(o), o->name, path, o->ending,
                         o->or_ending ? " or " : "", o->or_ending ? o->or_ending : "");
        const int code = check_folder(a, o, path);
        if (code != 0) return code;
        for (int k = 0; k < ninputs; k++)
            if (same_file(path, inputs[k]))
                return usage("%s: %s%s %s is %s%san input file and would be overwritten: give another name", who,
                             dashes(o), o->name, path, strcmp(path, inputs[k]) ? inputs[k] : "",
                             strcmp(path, inputs[k]) ? ", which is " : "");
        for (int k = 0; k < i; k++)
            if (same_file(path, path_of(a, &outputs[k])))
                return usage("%s: --%s and --%s name the same file, %s: change one of them", who, outputs[k].name,
                             o->name, path);
    }
    for (int i = 0; i < n; i++) {
        const int exists = path_of(a, &outputs[i]) ? check_exists(a, path_of(a, &outputs[i])) : 0;
        if (exists != 0) return exists;
    }
    return 0;
}
