/* Status codes: name, text and exit code of each, all read from RW_STATUS_LIST.
 *
 * A number that is no status (a cast, a newer library) gets a name and a text too, so a message never holds NULL. */
#include "rechenwerk/core.h"

#include <stddef.h>

typedef struct row {
    const char *name, *text;
    int exit_code;
} row;

static row row_of(rw_status status)
{
    switch (status) {
#define X(name, value, exit_code, text)                                                                                \
    case RW_##name: return (row){"RW_" #name, text, exit_code};
        RW_STATUS_LIST(X)
#undef X
    }
    return (row){"RW_UNKNOWN_STATUS", "not a status of this version of the library", 1};
}

const char *rw_status_name(rw_status status) { return row_of(status).name; }

const char *rw_status_text(rw_status status) { return row_of(status).text; }

int rw_status_exit_code(rw_status status) { return row_of(status).exit_code; }
