/* The table of words, and what may be a name. */
#include "expr/words.h"

#include <string.h>

static const rw_language_word words[] = {
#define WORD(name, form, line) {#name, form, line, false},
#define CONSTANT(name, form, line) {#name, form, line, true},
#include "expr/words.def"
#undef WORD
#undef CONSTANT
};

int rw_language_words(const rw_language_word **list)
{
    *list = words;
    return RW_COUNT(words);
}

int rw_derivative_word(const char *name, int axes[4])
{
    if (name[0] != 'd') return 0;
    int n = 0;
    for (const char *s = name + 1; *s; ++s) {
        if (*s < 'x' || *s > 'z' || n == 4) return 0;
        axes[n++] = *s - 'x';
    }
    return n;
}

static const rw_language_word *find_word(const char *name)
{
    for (int i = 0; i < RW_COUNT(words); ++i)
        if (!strcmp(words[i].name, name)) return words + i;
    return NULL;
}

bool rw_is_reserved(const char *name)
{
    int axes[4];
    const rw_language_word *word = find_word(name);
    return rw_derivative_word(name, axes) || (word && !word->free);
}

bool rw_is_operation(const char *name)
{
    int axes[4];
    const rw_language_word *word = find_word(name);
    return rw_derivative_word(name, axes) || (word && !word->free && strchr(word->form, '('));
}

static bool is_axis(const char *name) { return name[0] >= 'x' && name[0] <= 'z' && !name[1]; }

bool rw_is_reserved_on(const rw_grid *grid, const char *name)
{
    return rw_is_reserved(name) && !(grid->ndim == 0 && is_axis(name));
}

rw_status rw_check_name(rw_context *ctx, const char *where, const char *name)
{
    static const rw_grid line = {.ndim = 1};
    return rw_check_name_on(ctx, &line, where, name);
}

rw_status rw_check_name_on(rw_context *ctx, const rw_grid *grid, const char *where, const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    bool ok = name[0] && strspn(name, letters) == strlen(name) && !(name[0] >= '0' && name[0] <= '9');
    if (!ok || strlen(name) > 31)
        return rw_fail(ctx, RW_ERR_INPUT,
                       "%s: \"%s\" is not a name: letters, digits and _ with a letter first, at most 31", where, name);
    if (rw_is_reserved_on(grid, name))
        return rw_fail(ctx, RW_ERR_INPUT,
                       "%s: \"%s\" is a coordinate, operator or function of the language: choose another name", where,
                       name);
    return RW_OK;
}
