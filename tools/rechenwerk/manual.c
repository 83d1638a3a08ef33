/* Help and the manual page, from the tables of subcommands and options and from the library's tables of settings. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "rechenwerk/run.h"

/* "-o, --output DIR" */
static void name_option(const option *o, char *text, size_t size)
{
    char letter[8] = "    ";
    if (o->letter) snprintf(letter, sizeof(letter), "-%c, ", o->letter);
    snprintf(text, size, "%s--%s%s%s", letter, o->name, o->value ? " " : "", o->value ? o->value : "");
}

void print_usage(FILE *file)
{
    fprintf(file, "rechenwerk %s: numerical methods on processors and accelerators\n\n", rw_version());
    fprintf(file, "usage: rechenwerk COMMAND [OPTION]... [ARGUMENT]...\n\n");
    for (int i = 0; commands[i]; i++) {
        char call[64];
        snprintf(call, sizeof(call), "%s %s", commands[i]->name, commands[i]->operands);
        fprintf(file, "  %-24s %s\n", call, commands[i]->line);
    }
    fprintf(file, "\n  --help prints help, also after a command; --version prints the version\n\n");
    fprintf(file, "A first case:  rechenwerk init pde -o first.yaml  and  rechenwerk run first.yaml\n");
}

/* Broken at 100 columns. */
static void print_wrapped(FILE *file, const char *text)
{
    int column = 0;
    for (const char *p = text; *p;) {
        int n = (int)strcspn(p, " ");
        if (column && column + n >= 100) {
            fputc('\n', file);
            column = 0;
        }
        column += fprintf(file, "%s%.*s", column ? " " : "", n, p);
        p += n;
        while (*p == ' ') p++;
    }
    fputc('\n', file);
}

void print_help(FILE *file, const command *c)
{
    char text[80];
    fprintf(file, "usage: rechenwerk %s%s%s%s\n\n%s\n", c->name, c->noptions ? " [OPTION]..." : "",
            *c->operands ? " " : "", c->operands, c->line);
    if (c->more) {
        fputc('\n', file);
        print_wrapped(file, c->more);
    }
    fputc('\n', file);
    for (int i = 0; i < c->noptions; i++) {
        name_option(&c->options[i], text, sizeof(text));
        fprintf(file, "  %-26s %s\n", text, line_of(c, &c->options[i]));
    }
    fprintf(file, "  %-26s %s\n", "-h, --help", "print this help");
}

/* ---- manual page ------------------------------------------------------------------------------------------------- */

static void print_roff(const char *text)
{
    for (const char *p = text; *p; p++) {
        if ((*p == '.' || *p == '\'') && p == text) printf("\\&");
        if (*p == '\\') printf("\\e");
        else if (*p == '-') printf("\\-");
        else putchar(*p);
    }
}

static void print_command(const command *c)
{
    printf(".SS rechenwerk %s ", c->name);
    print_roff(c->operands);
    printf("\n");
    print_roff(c->line);
    printf(".\n");
    if (c->more) {
        print_roff(c->more);
        printf("\n");
    }
    for (int i = 0; i < c->noptions; i++) {
        char text[80];
        name_option(&c->options[i], text, sizeof(text));
        printf(".TP\n.B ");
        print_roff(text + strspn(text, " "));
        printf("\n");
        print_roff(line_of(c, &c->options[i]));
        printf(".\n");
    }
}

static int print_exit_codes(rw_context *ctx)
{
    rw_word *words;
    int64_t n;
    rw_status status = rw_list_words(ctx, "exit-codes", &words, &n);
    if (status != RW_OK) return failed(ctx, status);
    printf(".SH EXIT STATUS\n");
    for (int i = 0; i < n; i++) {
        printf(".TP\n.B %s\n", words[i].name);
        print_roff(words[i].line);
        printf(".\n");
    }
    rw_free(words);
    return 0;
}

int print_manual(rw_context *ctx)
{
    char *settings;
    rw_status status = rw_describe_manual(ctx, &settings);
    if (status != RW_OK) return failed(ctx, status);
    printf(".TH RECHENWERK 1 \"\" \"rechenwerk %s\" \"User Commands\"\n", rw_version());
    printf(".SH NAME\nrechenwerk \\- numerical methods on processors and accelerators\n");
    printf(".SH SYNOPSIS\n.B rechenwerk\n.I COMMAND\n[OPTION]... [ARGUMENT]...\n");
    printf(".SH DESCRIPTION\n"
           "A case is a YAML file: equations as text, a grid, a time interval, the output. The command runs it on "
           "processors, OpenCL devices and CUDA devices from the same text, and writes results, pictures and "
           "checkpoints to a folder.\n");
    printf(".SH COMMANDS\n");
    for (int i = 0; commands[i]; i++) print_command(commands[i]);
    fputs(settings, stdout);
    rw_free(settings);
    int code = print_exit_codes(ctx);
    printf(".SH ENVIRONMENT\n");
    printf(".TP\n.B RECHENWERK_CACHE\nFolder of the compiled programs.\n");
    printf(".TP\n.B RECHENWERK_CASES\nFolder of the ready cases.\n");
    printf(".TP\n.B OMP_NUM_THREADS\nThreads of the device cpu.\n");
    printf(".TP\n"
           ".B RECHENWERK_CC\n"
           "C compiler of the devices cpu and check, a name or a path (default: cc, gcc or clang on PATH); with "
           "none, equations run in the plain evaluator.\n");
    printf(".TP\n"
           ".B RECHENWERK_CC_SECONDS\n"
           "Time limit of the C compiler in seconds; it is then stopped and run once more with -O1 (default: "
           "120).\n");
    printf(".TP\n"
           ".B RECHENWERK_PICTURE_MB\n"
           "Limit of a picture that is read, in MB of its samples: a small compressed file can contain gigabytes "
           "(default: 512).\n");
    printf(".TP\n"
           ".B TMPDIR\n"
           "Folder for temporary files and for compiler logs, which are deleted after a day (default: /tmp).\n");
    printf(".SH SEE ALSO\nhttps://docs.paraview.org for viewing fields.xdmf and fields.pvd\n");
    return code;
}
