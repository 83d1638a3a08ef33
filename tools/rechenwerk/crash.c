/* Ends that no status can report: HDF5 does not survive every lack of memory.
 *
 * A signal, or a call of exit, that comes while the library is inside HDF5 becomes a message and the exit code of a
 * failure; what runs have written so far is whole, as after kill -9. A signal that comes anywhere else is a defect of
 * our own and ends the program as it always does. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "rechenwerk/core.h"

static void put(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(1);
}

static void report(const char *library, bool memory)
{
    put("rechenwerk: ");
    put(library);
    put(memory ? " ran out of memory and failed: free some memory, or choose a smaller size"
               : " crashed: out of memory, or a damaged file");
    put("; files written so far remain: continue a run with --restart\n");
    _exit(memory ? 5 : 1);
}

/* Only calls that are allowed in a signal handler. */
static void on_crash(int number)
{
    bool memory = errno == ENOMEM;
    const char *library = rw_within();
    if (library) report(library, memory);
    signal(number, SIG_DFL);
    raise(number);
}

/* HDF5 1.10 calls exit(-1) where it has no memory for an identifier. */
static void on_exit_inside(void)
{
    const char *library = rw_within();
    if (library) report(library, true);
}

void catch_crashes(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE};
    static char stack[1 << 16]; /* of its own: the crash may be an endless recursion */
    struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof(stack)}, NULL);
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < COUNT(numbers); i++) sigaction(numbers[i], &action, NULL);
    atexit(on_exit_inside);
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is then a failed write with a message */
}
