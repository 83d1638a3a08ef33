/* The warnings of a context: how many there were, and the last one. */
#ifndef RW_TEST_WARNINGS_H
#define RW_TEST_WARNINGS_H

#include <stdio.h>

#include "rechenwerk/core.h"

typedef struct warnings {
    int n;
    char text[600];
} warnings;

/* For rw_context_set_log, with a `warnings` as its user data. */
static inline void note_warning(void *user, rw_log_level level, const char *text)
{
    warnings *w = user;
    if (level != RW_LOG_WARNING) return;
    w->n++;
    snprintf(w->text, sizeof w->text, "%s", text);
}

#endif
