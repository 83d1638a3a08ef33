/* Help and the manual page, from the tables of subcommands and options and from the library's tables of settings. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command.h"
#include "rechenwerk/run.h"

/* "-o, --output DIR" */
static void name_option(const option *o, char *text, size_t size)
{
    char letter[8] = "    ";
    if (letter_of(o)) snprintf(letter, sizeof(letter), "-%c, ", letter_of(o));
    snprintf(text, size, "%s--%s%s%s", letter, o->name, o->value ? " " : "", o->value ? o->value : "");
}

int help_width(void)
{
    enum { NONE = 80, LEAST = 40, MOST = 500 };
    const char *given = getenv("COLUMNS");
    struct winsize size;
    int columns = given ? atoi(given) : 0;
    if (columns <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
    return columns <= 0 ? NONE : columns < LEAST ? LEAST : columns > MOST ? MOST : columns;
}

/* Columns of n bytes of UTF-8. */
static int columns_of(const char *text, size_t n)
{
    int columns = 0;
    for (size_t i = 0; i < n; i++) columns += ((unsigned char)text[i] & 0xC0) != 0x80;
    return columns;
}

void print_wrapped(FILE *file, const char *text, size_t n, int column)
{
    const char *end = text + n;
    const int width = help_width();
    for (int at = column; text < end;) {
        const char *word = text;
        while (text < end && *text != ' ') text++;
        const int columns = columns_of(word, (size_t)(text - word));
        if (at > column && at + 1 + columns > width) {
            fprintf(file, "\n%*s", column, "");
            at = column;
        } else if (at > column) at += fprintf(file, " ");
        at += columns;
        fprintf(file, "%.*s", (int)(text - word), word);
        while (text < end && *text == ' ') text++;
    }
    fprintf(file, "\n");
}

/* A line of a table: a name, and what it is from this column on, below it where the name is too long. */
static void print_row(FILE *file, const char *name, const char *what, int column)
{
    const int columns = 2 + columns_of(name, strlen(name));
    fprintf(file, "  %s", name);
    if (columns < column) fprintf(file, "%*s", column - columns, "");
    else fprintf(file, "\n%*s", column, "");
    print_wrapped(file, what, strlen(what), column);
}

void print_usage(FILE *file)
{
    fprintf(file, "rechenwerk %s: numerical methods on processors and accelerators\n\n", rw_version());
    fprintf(file, "usage: rechenwerk COMMAND [OPTION]... [ARGUMENT]...\n\n");
    for (int i = 0; commands[i]; i++) {
        char call[64];
        snprintf(call, sizeof(call), "%s %s", commands[i]->name, commands[i]->operands);
        print_row(file, call, commands[i]->line, 27);
    }
    fprintf(file, "\n  --help prints help, also after a command; --version prints the version\n\n");
    fprintf(file, "A first case:  rechenwerk init pde -o first.yaml  and  rechenwerk run first.yaml\n");
}

void print_help(FILE *file, const command *c)
{
    char text[80];
    fprintf(file, "usage: rechenwerk %s%s%s%s\n\n", c->name, c->noptions ? " [OPTION]..." : "", *c->operands ? " " : "",
            c->operands);
    print_wrapped(file, c->line, strlen(c->line), 0);
    if (c->more) {
        fputc('\n', file);
        print_wrapped(file, c->more, strlen(c->more), 0);
    }
    fputc('\n', file);
    for (int i = 0; i < c->noptions; i++) {
        name_option(&c->options[i], text, sizeof(text));
        const char *line = line_of(c, &c->options[i]);
        print_row(file, text, line, 29);
    }
    print_row(file, "-h, --help", "print this help", 29);
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
    printf(".TP\n.B COLUMNS\nWidth of help (default: that of the terminal, or 80).\n");
    printf(".TP\n.B OMP_NUM_THREADS\nThreads of the device cpu.\n");
    printf(".TP\n"
           ".B RECHENWERK_CC\n"
           "C compiler of the devices cpu and check, a name or a path (default: cc, gcc or clang on PATH); with "
           "none, equations run in the plain evaluator.\n");
    printf(".TP\n"
           ".B RECHENWERK_CC_SECONDS\n"
           "Time limit of the C compiler in seconds; it is then stopped and run once more with -O1 (default: "
           "120).\n");
    printf(
        ".TP\n"
        ".B RECHENWERK_OPTIMISE\n"
        "When the C compiler optimises kernels: auto, long ones such as transforms after they have run for some time, "
        "others before they run; first, all before they run; never. Results are the same (default: auto).\n");
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
