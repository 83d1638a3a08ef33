#!/usr/bin/env bash
# Every array and enumeration in a structure that a public function reads: an array that is NULL and has elements, a
# negative number of elements, and numbers that are no value of the enumeration are RW_ERR_ARGUMENT with the member's
# name. The calls are made from the description of the API (docs/reference/api.json) and the generated table
# (src/core/members.h), so a new member is tested as soon as it is declared. Contexts, devices, operators and matrices
# are real, other arguments point to zeros. Each call is a process of its own.
set -euo pipefail
case "${SANITIZE:-}" in ?*) echo "skipped: arguments of zeros are no objects"; exit 77 ;; esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for PYTHON in python3 /usr/bin/python3 none; do
    "$PYTHON" -c '' 2>/dev/null && break
done
[ "$PYTHON" != none ] || { echo "skipped: no python3"; exit 77; }
"$PYTHON" -B "$SOURCE/tests/tools/members_test.py" "$SOURCE" >"$work/calls.h"
for header in "$SOURCE"/include/rechenwerk/*.h; do
    printf '#include "rechenwerk/%s"\n' "$(basename "$header")"
done >"$work/headers.h"

cat >"$work/members.c" <<'END_OF_C'
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "headers.h"

static _Alignas(64) char memory[1 << 16];
static void *zeros = memory;
static rw_context *ctx;
static rw_device *dev;
static rw_sparse *matrix;
static rw_operator *operator;
static int calls, failures;

#define CALL(function, member, type, set, call)                                                                        \
    do {                                                                                                               \
        fflush(stdout);                                                                                                \
        pid_t pid = fork();                                                                                            \
        if (pid == 0) {                                                                                                \
            type bad;                                                                                                  \
            alarm(30);                                                                                                 \
            memset(&bad, 0, sizeof bad);                                                                               \
            set;                                                                                                       \
            const rw_status status = call;                                                                             \
            if (status == RW_ERR_ARGUMENT && strstr(rw_message(NULL), #type "." member)) _exit(0);                     \
            printf("%s, %s.%s, %s: %s: %s\n", function, #type, member, #set, rw_status_name(status),                   \
                   rw_message(NULL));                                                                                  \
            fflush(stdout);                                                                                            \
            _exit(1);                                                                                                  \
        }                                                                                                              \
        int status = -1;                                                                                               \
        while (waitpid(pid, &status, 0) < 0) {}                                                                        \
        if (WIFSIGNALED(status)) printf("%s, %s, %s: signal %d\n", function, member, #set, WTERMSIG(status));          \
        ++calls, failures += status != 0;                                                                              \
    } while (0);

int main(void)
{
    int64_t place = 0;
    double value = 2;
    const rw_sparse_layout layout = {.format = RW_SPARSE_CSR};
    const rw_entries entries = {.rows = 1, .columns = 1, .n = 1, .row = &place, .column = &place, .value = &value};
    if (rw_context_create(&ctx) != RW_OK || rw_device_open(ctx, "cpu", &dev) != RW_OK ||
        rw_sparse_from_entries(dev, &layout, &entries, &matrix) != RW_OK)
        return printf("%s\n", rw_message(NULL)), 1;
    operator = rw_sparse_operator(matrix);
#include "calls.h"
    rw_sparse_free_entries(NULL, NULL, NULL);
    rw_sparse_destroy(&matrix);
    rw_device_close(&dev);
    rw_context_destroy(&ctx);
    printf("%d calls, %d wrong\n", calls, failures);
    return failures != 0 || calls < 100;
}
END_OF_C
${CC:-cc} -std=gnu17 -w -g -I"$SOURCE/include" -I"$work" "$work/members.c" -o "$work/members" \
    "$BUILD/librechenwerk-run.so" "$BUILD/librechenwerk.so" -Wl,-rpath,"$BUILD"
"$work/members"
