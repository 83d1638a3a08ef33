/* A stranger's program that runs a case: the exit code of the command. */
#include <stdio.h>

#include <rechenwerk/run.h>

int main(int argc, char **argv)
{
    rw_context *ctx;
    if (argc != 3 || rw_context_create(&ctx) != RW_OK) return 2;
    rw_status status = rw_run_case(ctx, argv[1], &(rw_run_options){.folder = argv[2], .device = "cpu"}, NULL);
    if (status != RW_OK) fprintf(stderr, "%s\n", rw_message(ctx));
    rw_context_destroy(&ctx);
    return rw_status_exit_code(status);
}
