/* rechenwerk completion bash|zsh|fish: completion of subcommands, options, devices, settings, methods, operations and
 * cases, from the tables.
 *
 *   bash   source <(rechenwerk completion bash)
 *   zsh    rechenwerk completion zsh > DIRECTORY-OF-FPATH/_rechenwerk
 *   fish   rechenwerk completion fish > ~/.config/fish/completions/rechenwerk.fish */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "lab/studies.h"
#include "rechenwerk/run.h"

#define DEVICES "cpu check auto cuda:0 opencl:0"

enum { SETTINGS, PROBLEMS, METHODS, SOLVERS, PRECONDS, FILTERS, SIGNALS, FORMATS, LISTS };
static const char *const lists[LISTS] = {"settings",        "problems", "methods", "solvers",
                                         "preconditioners", "filters",  "signals", "formats"};
static rw_word *words[LISTS];
static int64_t nwords[LISTS];

/* The list of words that the value of an option is one of, or begins with; -1: none. */
static int list_of(const command *c, const option *o)
{
    static const struct {
        const char *command, *option;
        int list;
    } rows[] = {{"solve", "method", SOLVERS}, {"solve", "inner", SOLVERS},    {"solve", "precond", PRECONDS},
                {"solve", "format", FORMATS}, {"convert", "format", FORMATS}, {"spmv", "format", FORMATS},
                {"image", "op", FILTERS},     {"signal", "op", SIGNALS}};
    for (int i = 0; i < COUNT(rows); i++)
        if (strcmp(c->name, rows[i].command) == 0 && strcmp(o->name, rows[i].option) == 0) return rows[i].list;
    return -1;
}

static void print_names(int list, const char *ending)
{
    for (int i = 0; i < nwords[list]; i++) printf("%s%s%s", i ? " " : "", words[list][i].name, ending);
}

static void print_cases(void)
{
    int n;
    ready_case *cases = find_cases(&n);
    for (int i = 0; i < n; i++) printf(" %s", cases[i].name);
    free(cases);
}

static void print_commands(const char *separator)
{
    for (int i = 0; commands[i]; i++) printf("%s%s", i ? separator : "", commands[i]->name);
}

static void print_studies(void)
{
    int n;
    const rw_lab_entry *const *list = rw_lab_list(&n);
    for (int i = 0; i < n; i++) printf(" %s", list[i]->name);
}

/* A study before number n has a parameter of this name. */
static bool is_printed(const rw_lab_entry *const *list, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < list[i]->nparameters; k++)
            if (strcmp(list[i]->parameters[k].name, name) == 0) return true;
    return false;
}

/* What --set takes: settings of cases, for `lab` the parameters of the studies, each name once. */
static void print_settings(bool of_lab, const char *ending)
{
    int n;
    const rw_lab_entry *const *list = rw_lab_list(&n);
    if (!of_lab) print_names(SETTINGS, ending);
    for (int i = 0; of_lab && i < n; i++)
        for (int k = 0; k < list[i]->nparameters; k++)
            if (!is_printed(list, i, list[i]->parameters[k].name))
                printf("%s%s%s", i || k ? " " : "", list[i]->parameters[k].name, ending);
}

static bool is_lab(const command *c) { return strcmp(c->name, "lab") == 0; }

/* What the operand of a subcommand is: words to choose from, or a file. */
static void print_operands(const command *c)
{
    if (strcmp(c->name, "help") == 0) {
        print_commands(" ");
        printf(" ");
        print_names(PROBLEMS, "");
        printf(" ");
        print_names(METHODS, "");
    } else if (strcmp(c->name, "init") == 0) {
        print_names(PROBLEMS, "");
        print_cases();
    } else if (c->words) {
        for (const char *const *w = c->words(); *w; w++) printf("%s%s", *w == *c->words() ? "" : " ", *w);
    } else if (is_lab(c)) {
        printf("list");
        print_studies();
    }
}

static bool takes_file(const command *c)
{
    static const char *const names[] = {"run",  "explain", "plot",    "matrix", "spmv",
                                        "tune", "solve",   "convert", "fft",    "convolve"};
    for (int i = 0; i < COUNT(names); i++)
        if (strcmp(c->name, names[i]) == 0) return true;
    return false;
}

static void print_bash(void)
{
    printf("# Completion of rechenwerk for bash, made by: rechenwerk completion bash\n"
           "_rechenwerk()\n{\n"
           "    local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\" options= operands=\n"
           "    COMPREPLY=()\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W \"");
    print_commands(" ");
    printf(" --help --version\" -- \"$word\"))\n        return\n    fi\n"
           "    case \"${COMP_WORDS[1]} $before\" in\n");
    for (int i = 0; commands[i]; i++)
        for (int k = 0; k < commands[i]->noptions; k++) {
            const option *o = &commands[i]->options[k];
            const int list = list_of(commands[i], o);
            if (list < 0) continue;
            printf("    ");
            if (letter_of(o)) printf("\"%s -%c\"|", commands[i]->name, letter_of(o));
            printf("\"%s --%s\") COMPREPLY=($(compgen -W \"", commands[i]->name, o->name);
            print_names(list, "");
            printf("\" -- \"$word\")); return ;;\n");
        }
    printf("    esac\n    case \"$before\" in\n"
           "    -d|--device) COMPREPLY=($(compgen -W \"" DEVICES "\" -- \"$word\")); return ;;\n"
           "    -s|--set)\n        compopt -o nospace\n        options=\"");
    print_settings(false, "=");
    printf("\"\n        [ \"${COMP_WORDS[1]}\" = lab ] && options=\"");
    print_settings(true, "=");
    printf("\"\n        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n        return ;;\n"
           "    -o|--output|--trace) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n    esac\n"
           "    case \"${COMP_WORDS[1]}\" in\n");
    for (int i = 0; commands[i]; i++) {
        printf("    %s)\n        options=\"", commands[i]->name);
        for (int k = 0; k < commands[i]->noptions; k++) {
            if (letter_of(&commands[i]->options[k])) printf("-%c ", letter_of(&commands[i]->options[k]));
            printf("--%s ", commands[i]->options[k].name);
        }
        printf("--help\"\n        operands=\"");
        print_operands(commands[i]);
        printf("\" ;;\n");
    }
    printf("    esac\n"
           "    if [ \"${word:0:1}\" = - ]; then\n        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
           "    elif [ -n \"$operands\" ]; then\n        COMPREPLY=($(compgen -W \"$operands\" -- \"$word\"))\n"
           "    else\n        COMPREPLY=($(compgen -f -- \"$word\"))\n    fi\n}\n"
           "complete -o filenames -F _rechenwerk rechenwerk\n");
}

/* Text inside [...] of a zsh specification, or inside single quotes. */
static void print_escaped(const char *text, const char *special, const char *before)
{
    for (; *text; text++) {
        if (*text == '\'') printf("'\\''");
        else printf("%s%c", strchr(special, *text) ? before : "", *text);
    }
}

static void print_zsh(void)
{
    printf("#compdef rechenwerk\n# Completion of rechenwerk for zsh, made by: rechenwerk completion zsh\n"
           "_rechenwerk() {\n  local -a commands\n  commands=(\n");
    for (int i = 0; commands[i]; i++) {
        printf("    '%s:", commands[i]->name);
        print_escaped(commands[i]->line, ":\\", "\\");
        printf("'\n");
    }
    printf("  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
           "  case $words[2] in\n");
    for (int i = 0; commands[i]; i++) {
        const command *c = commands[i];
        printf("  %s)\n    _arguments -s", c->name);
        for (int k = 0; k < c->noptions; k++) {
            const option *o = &c->options[k];
            const char *action = strcmp(o->name, "device") == 0 ? "(" DEVICES ")" : "_files";
            const int list = list_of(c, o);
            for (int form = 0; form < 2; form++) {
                if (form == 0 && !letter_of(o)) continue;
                printf(" \\\n      '");
                if (strcmp(o->name, "set") == 0 || (is_lab(c) && strcmp(o->name, "device") == 0)) printf("*");
                if (form == 0) printf("-%c", letter_of(o));
                else printf("--%s", o->name);
                printf("[");
                print_escaped(line_of(c, o), "[]:\\", "\\");
                printf("]");
                if (o->value && strcmp(o->name, "set") == 0) {
                    printf(":setting:(");
                    print_settings(is_lab(c), "\\=");
                    printf(")");
                } else if (list >= 0) {
                    printf(":%s:(", o->name);
                    print_names(list, "");
                    printf(")");
                } else if (o->value) {
                    printf(":%s:%s", o->name, action);
                }
                printf("'");
            }
        }
        printf(" \\\n      '(-h --help)'{-h,--help}'[print this help]'");
        if (takes_file(c)) printf(" \\\n      '2:file:_files'");
        else if (c->most) {
            printf(" \\\n      '2:name:(");
            print_operands(c);
            printf(")'");
        }
        printf(" ;;\n");
    }
    printf("  esac\n}\n_rechenwerk \"$@\"\n");
}

static void print_fish(void)
{
    printf("# Completion of rechenwerk for fish, made by: rechenwerk completion fish\n"
           "complete -c rechenwerk -f\n"
           "complete -c rechenwerk -n __fish_use_subcommand -l help -s h -d 'help'\n"
           "complete -c rechenwerk -n __fish_use_subcommand -l version -d 'version'\n");
    for (int i = 0; commands[i]; i++) {
        const command *c = commands[i];
        printf("complete -c rechenwerk -n __fish_use_subcommand -a %s -d '", c->name);
        print_escaped(c->line, "'\\", "\\");
        printf("'\n");
        if (takes_file(c)) printf("complete -c rechenwerk -n '__fish_seen_subcommand_from %s' -F\n", c->name);
        else if (c->most) {
            printf("complete -c rechenwerk -n '__fish_seen_subcommand_from %s' -a '", c->name);
            print_operands(c);
            printf("'\n");
        }
        for (int k = 0; k < c->noptions; k++) {
            const option *o = &c->options[k];
            printf("complete -c rechenwerk -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
            if (letter_of(o)) printf(" -s %c", letter_of(o));
            if (o->value) printf(" -r");
            if (o->value && strcmp(o->name, "device") == 0) {
                printf(" -a '" DEVICES "'");
            } else if (o->value && strcmp(o->name, "set") == 0) {
                printf(" -a '");
                print_settings(is_lab(c), "=");
                printf("'");
            } else if (list_of(c, o) >= 0) {
                printf(" -a '");
                print_names(list_of(c, o), "");
                printf("'");
            } else if (o->value) {
                printf(" -F");
            }
            printf(" -d '");
            print_escaped(line_of(c, o), "\\", "\\");
            printf("'\n");
        }
    }
}

static const struct {
    const char *shell;
    void (*print)(void);
} shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

static const char *const *shell_names(void)
{
    static const char *names[COUNT(shells) + 1];
    for (int k = 0; k < COUNT(shells); k++) names[k] = shells[k].shell;
    return names;
}

static int run(const arguments *a)
{
    int k = 0;
    while (k < COUNT(shells) && strcmp(shells[k].shell, a->operands[0]) != 0) k++;
    if (k == COUNT(shells))
        return usage("completion: unknown shell '%s'%s", a->operands[0], suggest(a->operands[0], shell_names()));
    rw_context *ctx = make_context(a);
    if (!ctx) return 5;
    rw_status status = RW_OK;
    for (int i = 0; i < LISTS && status == RW_OK; i++) status = rw_list_words(ctx, lists[i], &words[i], &nwords[i]);
    int code = status == RW_OK ? 0 : failed(ctx, status);
    if (status == RW_OK) shells[k].print();
    for (int i = 0; i < LISTS; i++) rw_free(words[i]);
    rw_context_destroy(&ctx);
    return code;
}

const command command_completion = {
    .name = "completion",
    .operands = "bash|zsh|fish",
    .least = 1,
    .most = 1,
    .words = shell_names,
    .line = "print the completion script of a shell: source <(rechenwerk completion bash)",
    .run = run,
};
