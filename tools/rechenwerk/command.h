/* What the files of the command share: a table of subcommands, each with a table of its options.
 *
 * From the tables come parsing, usage errors with the nearest name, --help, the manual page and completion. The command
 * uses the public headers of the library only, and its writer of JSON. */
#ifndef COMMAND_H
#define COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/json.h"
#include "rechenwerk/core.h"
#include "rechenwerk/device.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(*(array))))

typedef struct option {
    const char *name;  /* "output", given as --output */
    char letter;       /* 'm', given as -m; 0: none, or that of the name in all commands (letter_of) */
    const char *value; /* "DIR", or NULL for a switch */
    /* "WORDS@member": WORDS and the line of that row of the command's parameters, with its default; NULL: of the row of
     * this name. Such options are read by set_options. */
    const char *line;
} option;

typedef struct arguments arguments;

typedef struct command {
    const char *name;      /* "run" */
    const char *operands;  /* "CASE.yaml", for help */
    int least, most;       /* number of operands */
    const char *line;      /* one line */
    const char *more;      /* a paragraph for help, or NULL */
    const option *options; /* besides --help */
    int noptions;
    const char *const *(*words)(void); /* (optional) what the operand is one of, for completion; NULL-terminated */
    const rw_params *(*rows)(void);    /* (optional) parameters of a specification among the options */
    int (*run)(const arguments *a);    /* gives the exit code */
} command;

struct arguments {
    const command *command;
    int noperands;
    const char **operands;
    int ngiven; /* options in the order they were given */
    struct given {
        const option *option;
        const char *value;
    } * given;
    int argc; /* as typed, after "rechenwerk" */
    char **argv;
};

extern const command command_bench, command_cache, command_check, command_completion, command_explain, command_generate,
    command_help, command_image, command_info, command_init, command_lab, command_list, command_matrix, command_plot,
    command_run, command_selftest, command_convert, command_convolve, command_fft, command_solve, command_signal,
    command_spectrogram, command_spectrum, command_spmv, command_tune;
extern const command *const commands[];        /* NULL-terminated */
const command *find_command(const char *name); /* NULL when unknown; says so, with the nearest */

/* options.c */
/* The letter of an option; 0: none. Those of --device, --output, --force, --set, --verbose and --quiet are the same in
 * every command. */
char letter_of(const option *o);
/* Parses argv after the subcommand; false after a usage error was printed. */
bool parse(const command *c, int argc, char **argv, arguments *a);
void release(arguments *a);
bool given(const arguments *a, const char *name);
const char *value_of(const arguments *a, const char *name); /* the last one given; NULL when none */
/* A number; false after a message. Leaves *number when the option was not given. */
bool number_of(const arguments *a, const char *name, double *number);
/* Reads an integer from least to most; false after a message. */
bool whole_of(const arguments *a, const char *name, double least, double most, double *number);
/* Reads the options that have rows into members of the command's specification; false after a message. */
bool set_options(const arguments *a, void *spec);
/* The value of a row for a text, which is the option's or a part of it; false after a message. */
bool choice_of(const arguments *a, const char *name, const rw_params *rows, const char *member, const char *text,
               int *value);

/* outputs.c */
typedef struct output_file {
    const char *name;               /* of the option: "output"; of an operand: "Y.npy" */
    const char *ending, *or_ending; /* of the file's name: ".npy"; both NULL: any */
    const char *operand;            /* the file, where an operand names it; NULL: the option does */
} output_file;
/* Before the work: what options name as files to write. Gives an exit code, 0 to go on, after a message: a name that
 * ends otherwise, a folder that is not there or cannot be written, one of the files that are read (NULL ones are left
 * out), or one file for two outputs; a file that exists, without --force; a file to read that is not there. */
int check_outputs(const arguments *a, int n, const output_file *outputs, int ninputs, const char *const *inputs);
/* The two of them alone. */
int check_inputs(const arguments *a, int n, const char *const *paths);
int check_exists(const arguments *a, const char *path);
#define OPTION_FORCE                                                                                                   \
    {                                                                                                                  \
        "force", 0, NULL, "overwrite existing files"                                                                   \
    }

/* report.c */
int usage(const char *format, ...) RW_PRINTF(1, 2);    /* "rechenwerk: …" and exit code 2 */
int unusable(const char *format, ...) RW_PRINTF(1, 2); /* the same of a file that cannot be written: exit code 1 */
/* The message with the options of the command for members of rw_run_options and rw_plot_options; free it. */
char *with_options(const char *message);
int failed(rw_context *ctx, rw_status status); /* the library's message and its exit code */
/* For a message on a word that is none of `names`, NULL-terminated: "; nearest is X", else "; known are A, B, C". Valid
 * until the next call. */
const char *suggest(const char *word, const char *const *names);
/* A text such as a file name for a terminal: control characters are printed as \x1b. Valid until the eighth
 * next call. */
const char *shown(const char *text);
/* Of a file that was written, without --quiet; user: the arguments. */
void print_written(void *user, const char *path);
/* With --json: the last failure as JSON on stdout, unless the command has printed its own. */
void print_failure(int code);
/* A context that logs to stderr: warnings; with --verbose more, with --quiet less. NULL after a message. */
rw_context *make_context(const arguments *a);
/* The device of -d, else "cpu". */
rw_status open_device(rw_context *ctx, const arguments *a, rw_device **device);
/* "24.8 kB": bytes for a person, in the unit that suits them. */
typedef struct bytes_text {
    char text[16];
} bytes_text;
bytes_text in_units(double bytes);
/* "41.2 µs", "2.68 s", "3 min 20 s": seconds for a person. */
typedef struct time_text {
    char text[32];
} time_text;
time_text in_time(double seconds);
/* Seconds since the program was started. */
double elapsed_seconds(void);
/* An object of JSON on stdout: what is written in between; indent 0: one line. json_end gives the exit code 0, or
 * that of exhausted memory after a message, and nothing was printed. */
rw_json_writer *json_begin(int indent);
int json_end(void);

/* crash.c */
/* From now on a crash inside a library of others ends with a message, and a write beyond the limit on the size of files
 * fails. */
void catch_crashes(void);

/* interrupt.c */
/* From now on SIGINT, SIGTERM and SIGHUP (unless the parent has it ignored, as nohup does) end the program with exit
 * code 130. No temporary file and no compiler remains; an output file has its old content or the new. */
void catch_signals(void);
/* From now on the first signal only sets this request, and the command ends by itself. The next one, a second or two
 * later, ends the program. */
const rw_cancel *stop_request(void);
/* The exit code of a command that ends with `code`: 130 after one of these signals. */
int code_after_signals(int code);

/* Sets members of a specification from the options that have its rows' names; false after a message. */
bool set_members(rw_context *ctx, const arguments *a, const rw_params *rows, void *spec);
/* The line of an option, valid until the next call. */
const char *line_of(const command *c, const option *o);

/* manual.c */
/* Columns of help: those of $COLUMNS or of the terminal, 80 where there is none. */
int help_width(void);
/* n bytes of text from this column on, wrapped at spaces within help_width; further lines begin at the same column. */
void print_wrapped(FILE *file, const char *text, size_t n, int column);
void print_help(FILE *file, const command *c);
void print_usage(FILE *file);
int print_manual(rw_context *ctx);

/* cases.c */
typedef struct ready_case {
    char name[64], line[160], path[1024];
} ready_case;
/* The cases that came with the program; free(). NULL and n = 0 when there are none. */
ready_case *find_cases(int *n);

#define OPTION_DEVICE                                                                                                  \
    {                                                                                                                  \
        "device", 0, "DEV", "device: cpu, cpu:4, cuda:0, opencl:0, check or auto (default: cpu)"                       \
    }
#define OPTION_DEVICE_OF_CASE                                                                                          \
    {                                                                                                                  \
        "device", 0, "DEV", "device: cpu, cpu:4, cuda:0, opencl:0, check or auto (default: device of the case)"        \
    }
#define OPTION_JSON                                                                                                    \
    {                                                                                                                  \
        "json", 0, NULL, "print JSON instead of text"                                                                  \
    }
#define OPTION_VERBOSE                                                                                                 \
    {                                                                                                                  \
        "verbose", 0, NULL, "log compiler runs, cache lookups and selected devices"                                    \
    }
#define OPTION_QUIET                                                                                                   \
    {                                                                                                                  \
        "quiet", 0, NULL, "no progress, summary or warnings"                                                           \
    }
#define OPTION_SET                                                                                                     \
    {                                                                                                                  \
        "set", 0, "KEY=VALUE",                                                                                         \
            "change a setting of the case, such as grid.size=[64,64]; != adds a new name (parameters.new!=0.4); "      \
            "may be repeated"                                                                                          \
    }
#define OPTION_NO_CACHE                                                                                                \
    {                                                                                                                  \
        "no-cache", 0, NULL, "do not read or write compiled programs on disk"                                          \
    }

#endif
