/* A stranger's program: what somebody compiles who has only the installed library. */
#include <stdio.h>
#include <string.h>

#include <rechenwerk/core.h>

int main(void)
{
    rw_context *context = NULL;
    rw_status status = rw_context_create(&context);
    if (status != RW_OK) {
        fprintf(stderr, "rw_context_create: %s: %s\n", rw_status_name(status), rw_status_text(status));
        return rw_status_exit_code(status);
    }
    rw_context_destroy(&context);
    if (strcmp(rw_version(), RW_VERSION) != 0) {
        fprintf(stderr, "compiled with %s, running with %s\n", RW_VERSION, rw_version());
        return 1;
    }
    printf("rechenwerk %s\n", rw_version());
    return 0;
}
