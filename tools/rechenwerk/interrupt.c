/* Ctrl-C: the library is asked to stop, and what it has come to is kept. */
#include <time.h>

#include "command.h"

static rw_cancel cancel;
static struct timespec interrupted_at;

/* The first signal asks to stop where nothing is lost; one that comes a second or two after it ends the program at
 * once.
   Before that it is taken for the same one: `timeout` and some terminals send it to the program and again to its
   group. */
static void on_signal(int number)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!rw_cancel_requested(&cancel)) interrupted_at = now;
    else if (now.tv_sec - interrupted_at.tv_sec > 1) {
        signal(number, SIG_DFL);
        raise(number);
    }
    rw_cancel_request(&cancel);
}

const rw_cancel *catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &cancel;
}
