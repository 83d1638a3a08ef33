/* rechenwerk: numerical methods on processors and accelerators, from the shell. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "rechenwerk/run.h"

const command *const commands[] = {
    &command_run,        &command_check, &command_explain,  &command_plot,     &command_init,        &command_list,
    &command_help,       &command_info,  &command_cache,    &command_selftest, &command_bench,       &command_lab,
    &command_matrix,     &command_solve, &command_spmv,     &command_tune,     &command_convert,     &command_fft,
    &command_convolve,   &command_image, &command_spectrum, &command_signal,   &command_spectrogram, &command_generate,
    &command_completion, NULL,
};

const command *find_command(const char *name)
{
    const char *names[32];
    int n = 0;
    for (; commands[n]; n++) {
        names[n] = commands[n]->name;
        if (strcmp(names[n], name) == 0) return commands[n];
    }
    names[n] = NULL;
    usage("unknown subcommand '%s'%s: see rechenwerk --help", name, suggest(name, names));
    return NULL;
}

/* The output must have been written: a full disk in `rechenwerk list > file` is a failure. */
static int finish(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    if (code) return code; /* which has been reported: a broken pipe is one failure */
    fprintf(stderr, "rechenwerk: cannot write to standard output\n");
    return 1;
}

/* Whether --json is among the options, also of a command line that is wrong. */
static bool wants_json(const command *c, int argc, char **argv)
{
    bool known = false;
    for (int i = 0; i < c->noptions; i++) known = known || strcmp(c->options[i].name, "json") == 0;
    for (int i = 2; known && i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0) return true;
    return false;
}

/* A descriptor that the parent has closed (<&- 2>&-) would be that of the first file we open, and progress would be
 * written into it. */
static void open_descriptors(void)
{
    for (int fd; (fd = open("/dev/null", O_RDWR)) >= 0;)
        if (fd > STDERR_FILENO) {
            close(fd);
            return;
        }
}

int main(int argc, char **argv)
{
    open_descriptors();
    const char *name = argc > 1 ? argv[1] : NULL;
    catch_crashes();
    if (!name) {
        print_usage(stderr);
        return 2;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_usage(stdout);
        return finish(argc > 2 ? usage("--help takes no argument: see rechenwerk help %s", argv[2]) : 0);
    }
    if (strcmp(name, "--version") == 0) {
        if (argc > 2) return usage("--version takes no argument");
        printf("rechenwerk %s\n", rw_version());
        return finish(0);
    }
    if (name[0] == '-') return usage("unknown option '%s' in place of a subcommand: see rechenwerk --help", name);
    const command *c = find_command(name);
    if (!c) return 2;
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") != 0 && strcmp(argv[i], "-h") != 0) continue;
        print_help(stdout, c);
        return finish(0);
    }
    arguments a;
    int code = 2;
    catch_signals();
    if (parse(c, argc - 2, argv + 2, &a)) {
        a.argc = argc - 1;
        a.argv = argv + 1;
        code = code_after_signals(c->run(&a));
        release(&a);
    }
    if (code != 0 && wants_json(c, argc, argv)) print_failure(code);
    return finish(code);
}
