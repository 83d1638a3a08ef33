/* rechenwerk help [NAME]: on a subcommand, problem, section, setting or function; the manual page; the tables as
 * JSON. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "rechenwerk/run.h"

/* The library wraps descriptions, which are indented by six, at 100 columns: they are wrapped again. Other lines are
 * wrapped only if they are too long. */
static void print_lines(char *text)
{
    enum { DESCRIPTION = 6 };
    for (char *line = text, *end; *line; line = end) {
        const size_t indent = strspn(line, " ");
        end = line + strcspn(line, "\n");
        while (indent == DESCRIPTION && *end && strspn(end + 1, " ") == DESCRIPTION) {
            *end = ' ';
            end += strcspn(end, "\n");
        }
        const int length = (int)(end - line);
        if (indent != DESCRIPTION && length <= help_width()) printf("%.*s\n", length, line);
        else {
            printf("%*s", (int)indent, "");
            print_wrapped(stdout, line + indent, (size_t)length - indent, (int)indent);
        }
        end += *end == '\n';
    }
}

static int help_on(rw_context *ctx, const char *name)
{
    char *text;
    for (int i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0) {
            print_help(stdout, commands[i]);
            return 0;
        }
    rw_status status = rw_help(ctx, name, &text);
    if (status != RW_OK) return failed(ctx, status);
    print_lines(text);
    rw_free(text);
    return 0;
}

static int run(const arguments *a)
{
    char *text;
    const bool fortran = given(a, "fortran");
    if ((given(a, "man") || given(a, "json") || fortran) && a->noperands)
        return usage("help: --%s takes no name", given(a, "man") ? "man" : fortran ? "fortran" : "json");
    rw_context *ctx = make_context(a);
    int code = 0;
    if (!ctx) return 5;
    if (given(a, "man")) {
        code = print_manual(ctx);
    } else if (given(a, "json") || fortran) {
        rw_status status = fortran ? rw_describe_fortran(ctx, &text) : rw_describe(ctx, &text);
        if (status == RW_OK) {
            fputs(text, stdout);
            rw_free(text);
        } else {
            code = failed(ctx, status);
        }
    } else if (a->noperands) {
        code = help_on(ctx, a->operands[0]);
    } else {
        print_usage(stdout);
    }
    rw_context_destroy(&ctx);
    return code;
}

static const option options[] = {
    {"man", 0, NULL, "print the manual page (roff)"},
    {"json", 0, NULL, "print all tables of settings as JSON, for language bindings"},
    {"fortran", 0, NULL, "print the option constants for the Fortran module"},
};

const command command_help = {
    .name = "help",
    .operands = "[NAME]",
    .most = 1,
    .line = "print help on a subcommand, problem, section, setting or function",
    .more = "For example: rechenwerk help run, help pde, help time, help time.rtol, help laplace.",
    .options = options,
    .noptions = COUNT(options),
    .run = run,
};
