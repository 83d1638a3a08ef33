/* Options by their table: --name VALUE, --name=VALUE, -n VALUE, -nVALUE, switches together (-qv), -- ends them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "rechenwerk/run.h"

enum { MOST = 32 }; /* options of a subcommand */

static bool fail_option(const command *c, const char *text)
{
    const char *list[MOST];
    char given[64];
    int n = 0;
    for (; n < c->noptions && n < MOST - 1; n++) list[n] = c->options[n].name;
    list[n++] = "help";
    const char *name = text + strspn(text, "-"); /* dashes would make all names alike */
    snprintf(given, sizeof(given), "%.*s", (int)strcspn(name, "="), name);
    const char *nearest = rw_nearest_word(given, list, n);
    usage("%s: unknown option '%s'%s%s: see rechenwerk %s --help", c->name, text, nearest ? "; nearest is --" : "",
          nearest ? nearest : "", c->name);
    return false;
}

static const option *find_long(const command *c, const char *text, size_t n)
{
    for (int i = 0; i < c->noptions; i++)
        if (strlen(c->options[i].name) == n && strncmp(c->options[i].name, text, n) == 0) return &c->options[i];
    return NULL;
}

char letter_of(const option *o)
{
    static const char *const by_initial[] = {"device", "force", "output", "quiet", "set", "verbose"};
    for (int i = 0; i < COUNT(by_initial); i++)
        if (strcmp(by_initial[i], o->name) == 0) return *o->name;
    return o->letter;
}

static const option *find_letter(const command *c, char letter)
{
    for (int i = 0; i < c->noptions; i++)
        if (letter_of(&c->options[i]) == letter) return &c->options[i];
    return NULL;
}

static void add(arguments *a, const option *o, const char *value)
{
    a->given[a->ngiven].option = o;
    a->given[a->ngiven].value = value;
    a->ngiven++;
}

/* The value of option o: what follows it in the same word, or else the next word. */
static bool take_value(const command *c, const option *o, const char *rest, int argc, char **argv, int *i, arguments *a)
{
    if (!rest && *i + 1 < argc) rest = argv[++*i];
    if (!rest) {
        usage("%s: --%s needs a value: --%s %s", c->name, o->name, o->name, o->value);
        return false;
    }
    add(a, o, rest);
    return true;
}

static bool parse_long(const command *c, int argc, char **argv, int *i, arguments *a)
{
    const char *text = argv[*i] + 2;
    size_t n = strcspn(text, "=");
    const option *o = find_long(c, text, n);
    if (!o) return fail_option(c, argv[*i]);
    if (o->value) return take_value(c, o, text[n] ? text + n + 1 : NULL, argc, argv, i, a);
    if (text[n]) {
        usage("%s: --%s takes no value", c->name, o->name);
        return false;
    }
    add(a, o, NULL);
    return true;
}

static bool parse_letters(const command *c, int argc, char **argv, int *i, arguments *a)
{
    for (const char *p = argv[*i] + 1; *p; p++) {
        const option *o = find_letter(c, *p);
        char text[3] = {'-', *p, 0};
        if (!o) return fail_option(c, p == argv[*i] + 1 ? argv[*i] : text);
        if (o->value) return take_value(c, o, p[1] ? p + 1 : NULL, argc, argv, i, a);
        add(a, o, NULL);
    }
    return true;
}

bool parse(const command *c, int argc, char **argv, arguments *a)
{
    size_t most = 1; /* no more options than letters, no more operands than words */
    for (int i = 0; i < argc; i++) most += strlen(argv[i]) + 1;
    *a = (arguments){.command = c};
    a->operands = calloc((size_t)argc + 1, sizeof(*a->operands));
    a->given = calloc(most, sizeof(*a->given));
    bool good = a->operands && a->given, options = true;
    if (!good) usage("no memory for %d arguments", argc);
    for (int i = 0; i < argc && good; i++) {
        const char *text = argv[i];
        if (options && strcmp(text, "--") == 0) options = false;
        else if (options && text[0] == '-' && text[1] == '-') good = parse_long(c, argc, argv, &i, a);
        else if (options && text[0] == '-' && text[1]) good = parse_letters(c, argc, argv, &i, a);
        else a->operands[a->noperands++] = text;
    }
    if (good && (a->noperands < c->least || a->noperands > c->most)) {
        bool few = a->noperands < c->least;
        usage("%s: %s%s%s; usage: rechenwerk %s %s", c->name, few ? "an argument is missing" : "'",
              few ? "" : a->operands[c->most], few ? "" : "': unexpected argument", c->name, c->operands);
        good = false;
    }
    for (int i = 0; i < a->noperands && good; i++) {
        if (*a->operands[i]) continue;
        usage("%s: argument %d is empty; usage: rechenwerk %s %s", c->name, i + 1, c->name, c->operands);
        good = false;
    }
    if (!good) release(a);
    return good;
}

void release(arguments *a)
{
    free(a->operands);
    free(a->given);
    a->operands = NULL;
    a->given = NULL;
}

const char *value_of(const arguments *a, const char *name)
{
    for (int i = a->ngiven - 1; i >= 0; i--)
        if (strcmp(a->given[i].option->name, name) == 0) return a->given[i].value;
    return NULL;
}

bool given(const arguments *a, const char *name)
{
    for (int i = 0; i < a->ngiven; i++)
        if (strcmp(a->given[i].option->name, name) == 0) return true;
    return false;
}

bool number_of(const arguments *a, const char *name, double *number)
{
    const char *text = value_of(a, name);
    char *end;
    if (!text) return true;
    errno = 0;
    double x = strtod(text, &end);
    if (end != text && !*end && !errno && x - x == 0) {
        *number = x;
        return true;
    }
    usage("%s: --%s %s is not a number", a->command->name, name, text);
    return false;
}

bool whole_of(const arguments *a, const char *name, double least, double most, double *number)
{
    if (!number_of(a, name, number)) return false;
    if (!given(a, name) || (*number >= least && *number <= most && *number == floor(*number))) return true;
    usage("%s: --%s %s is not an integer from %.0f to %.0f", a->command->name, name, value_of(a, name), least, most);
    return false;
}

/* ---- options that have rows -------------------------------------------------------------------------------------- */

static const rw_param *row_named(const rw_params *rows, const char *name)
{
    for (int i = 0; rows && i < rows->n; i++)
        if (strcmp(rows->row[i].name, name) == 0) return &rows->row[i];
    return NULL;
}

/* NULL: the option is the command's own. */
static const rw_param *row_of(const command *c, const option *o)
{
    const char *at = o->line ? strchr(o->line, '@') : NULL;
    return (o->line && !at) || !c->rows ? NULL : row_named(c->rows(), at ? at + 1 : o->name);
}

bool choice_of(const arguments *a, const char *name, const rw_params *rows, const char *member, const char *text,
               int *value)
{
    const rw_param *row = row_named(rows, member);
    char words[256], *rest = NULL;
    const char *names[32] = {NULL};
    int n = 0;
    snprintf(words, sizeof(words), "%s", row->allowed);
    for (char *word = strtok_r(words, "|", &rest); word; word = strtok_r(NULL, "|", &rest)) {
        names[n++] = word;
        if (strcmp(word, text) != 0) continue;
        *value = n - (row->kind == RW_PARAM_CHOICE);
        return true;
    }
    const char *of = strstr(row->line, " of ");
    const int what = of ? (int)(of - row->line) : (int)strcspn(row->line, ":");
    const bool part = strcmp(text, value_of(a, name)) != 0;
    usage("%s: --%s %s: unknown %.*s%s%s%s", a->command->name, name, value_of(a, name), what, row->line,
          part ? " " : "", part ? text : "", suggest(text, names));
    return false;
}

static bool set_integer(const arguments *a, const char *name, const rw_param *row, void *to)
{
    double x, least = 0, most = 0;
    sscanf(row->allowed, "[%lf, %lf]", &least, &most);
    if (!whole_of(a, name, least, most, &x)) return false;
    if (row->size == sizeof(int)) *(int *)to = (int)x;
    else *(int64_t *)to = (int64_t)x;
    return true;
}

bool set_options(const arguments *a, void *spec)
{
    bool good = true;
    for (int i = 0; good && i < a->ngiven; i++) {
        const option *o = a->given[i].option;
        const rw_param *row = row_of(a->command, o);
        if (!row) continue;
        void *to = (char *)spec + row->offset;
        const char *text = value_of(a, o->name);
        if (row->kind == RW_PARAM_BOOL) *(bool *)to = true;
        else if (row->kind == RW_PARAM_TEXT) *(const char **)to = text;
        else if (row->kind == RW_PARAM_INT) good = set_integer(a, o->name, row, to);
        else if (row->kind != RW_PARAM_REAL) good = choice_of(a, o->name, a->command->rows(), row->name, text, to);
        else if ((good = number_of(a, o->name, to)) && *(double *)to == 0 && *row->standard) *(double *)to = RW_ZERO;
    }
    return good;
}

bool set_members(rw_context *ctx, const arguments *a, const rw_params *rows, void *spec)
{
    for (int i = 0; i < rows->n; i++) {
        const rw_param *row = &rows->row[i];
        if (!given(a, row->name)) continue;
        const char *text = row->kind == RW_PARAM_BOOL ? "true" : value_of(a, row->name);
        rw_status status = rw_params_set_sized(ctx, rows, a->command->name, row->name, text, spec, rows->size);
        if (status != RW_OK) {
            failed(ctx, status);
            return false;
        }
    }
    return true;
}

const char *line_of(const command *c, const option *o)
{
    static char line[400];
    const rw_param *row = row_of(c, o);
    if (!row) return o->line;
    const bool standard = row->kind != RW_PARAM_BOOL && *row->standard && !row->required;
    snprintf(line, sizeof(line), "%.*s%s%s%s%s", o->line ? (int)strcspn(o->line, "@") : 0, o->line ? o->line : "",
             row->line, standard ? " (default: " : "", standard ? row->standard : "", standard ? ")" : "");
    return line;
}
