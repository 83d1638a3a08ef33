#!/usr/bin/env bash
# NULL for each argument of each public function that is not optional. The calls are made from the headers, so a new
# function is tested as soon as it is declared: one that returns a status returns RW_ERR_ARGUMENT and says which
# argument it was; the others do nothing, or return 0, NULL or "". All other arguments point to memory of zeros, which a
# function that checks first never looks at. Each call is a process of its own: a crash is reported with its call.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# function, then its optional arguments: as the headers say
cat >"$work/optional" <<'END'
rw_array_create_from data
rw_array_transpose axes
rw_array_view strides
rw_blocks_local user
rw_blocks_read_gmsh surfaces
rw_context_set_cache folder
rw_context_set_log function user
rw_depgraph_add_task task
rw_depgraph_check_separate set
rw_depgraph_dot partition
rw_depgraph_find_path from to
rw_depgraph_partition part names
rw_event_import native
rw_check_case options
rw_explain_case options
rw_explain_text options
rw_explain_graph options dot
rw_expr_get im
rw_fft_set_work work
rw_fft_tune options result
rw_convolution_set_work work
rw_figure_write_bars page
rw_figure_write_field page
rw_figure_write_images page
rw_figure_write_lines page
rw_figure_write_pattern title
rw_figure_write_residuals title residual
rw_figure_write_surface page
rw_figure_write_volume page
rw_integrand_mass user x dv dw
rw_integrand_stiffness user x
rw_image_filter_tiles info
rw_context_fail context
rw_image_own_register context
rw_image_save_tags tags
rw_launch args
rw_message context
rw_multiblock_multiply alpha beta
rw_multiblock_pattern layout
rw_nearest_word names
rw_operator_multiply alpha beta
rw_params_resolve context where
rw_ode_depgraph graph tiles text
rw_ode_get_method reason
rw_ode_get_rate steady
rw_ode_save names values
rw_plot_results options written user
rw_precond_memory layout all
rw_program_create defines
rw_queue_import native
rw_reducer_run y
rw_reducer_value y im
rw_run_case options report
rw_signal_run report
rw_sparse_add_blocks row column values
rw_sparse_add_blocks_of row column values
rw_stream_file_read end
rw_stream_find_output context
rw_stream_format_register context
rw_stream_run report
rw_sparse_free_entries row column values
rw_sparse_multiply alpha beta
rw_spectrogram_run report
END

# one declaration a line, without comments and preprocessor
for header in "$SOURCE"/include/rechenwerk/*.h; do
    sed -e '/^ *#/d' "$header" | tr '\n' ' ' | sed -e 's|/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/||g' | tr ';' '\n' |
        sed -n 's/.*RW_API *//p'
done | sed -e 's/  */ /g' -e 's/ *$//' >"$work/declarations"

awk -v optional="$work/optional" '
BEGIN {
    while ((getline line < optional) > 0) {
        n = split(line, word, " ")
        for (i = 2; i <= n; ++i) may[word[1] " " word[i]] = 1
    }
}
/\(\*rw_/ { next } # a function that returns a pointer to an array: called by hand below
{
    open = index($0, "(")
    head = substr($0, 1, open - 1)
    args = substr($0, open + 1)
    sub(/\)[^)]*$/, "", args)
    name = head
    sub(/.*[ *]/, "", name)
    status = head ~ /^rw_status /
    base = name
    sub(/_sized$/, "", base)
    nargs = 0; depth = 0; arg = ""
    for (i = 1; i <= length(args) + 1; ++i) {
        c = i > length(args) ? "," : substr(args, i, 1)
        if (c == "(") ++depth
        if (c == ")") --depth
        if (c == "," && depth == 0) { list[++nargs] = arg; arg = "" } else arg = arg c
    }
    for (i = 1; i <= nargs; ++i) {
        a = list[i]
        pointer[i] = a ~ /[*[]/ || a ~ /(_function|rw_integrand) /
        calls[i] = a ~ /(_function|rw_integrand) /
        if (match(a, /\(\*[a-z_0-9]+\)/)) a = substr(a, RSTART + 2, RLENGTH - 3)
        sub(/\[.*/, "", a); sub(/ *$/, "", a); sub(/.*[ *]/, "", a)
        label[i] = a
    }
    for (i = 1; i <= nargs; ++i) {
        known[base " " label[i]] = 1
        if (!pointer[i] || (base " " label[i]) in may) continue
        call = name "("
        for (j = 1; j <= nargs; ++j)
            call = call (j > 1 ? ", " : "") \
                (j == i ? "NULL" : calls[j] ? "(void *)nothing" : pointer[j] ? "zeros" : "0")
        printf "%s(\"%s\", \"%s\", %s))\n", status ? "REFUSED" : "QUIET", base, label[i], call
    }
    ++functions
}
END {
    for (row in may) if (!(row in known)) { print "optional, but not declared: " row > "/dev/stderr"; exit 1 }
    if (functions < 200) { print functions " functions found" > "/dev/stderr"; exit 1 }
}' "$work/declarations" >"$work/calls.h"

for header in "$SOURCE"/include/rechenwerk/*.h; do
    printf '#include "rechenwerk/%s"\n' "$(basename "$header")"
done >"$work/headers.h"

cat >"$work/null.c" <<'END'
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "headers.h"

static _Alignas(64) char memory[1 << 16];
static void *zeros = memory;
static void nothing(void) {}
static int calls, failures;

static int check(const char *function, const char *argument, rw_status status)
{
    char is[128], equals[128];
    snprintf(is, sizeof is, "%s: %s is NULL", function, argument),
        snprintf(equals, sizeof equals, "%s = NULL", argument);
    if (status == RW_ERR_ARGUMENT && (strstr(rw_message(NULL), is) || strstr(rw_message(NULL), equals))) return 0;
    printf("%s with %s = NULL: %s: %s\n", function, argument, rw_status_name(status), rw_message(NULL));
    return 1;
}

#define CHILD(function, argument, code)                                                                                \
    do {                                                                                                               \
        fflush(stdout);                                                                                                \
        pid_t pid = fork();                                                                                            \
        if (pid == 0) {                                                                                                \
            int bad = 0;                                                                                               \
            alarm(30);                                                                                                 \
            code;                                                                                                      \
            fflush(stdout);                                                                                            \
            _exit(bad);                                                                                                \
        }                                                                                                              \
        int status = -1;                                                                                               \
        while (waitpid(pid, &status, 0) < 0) {}                                                                        \
        if (WIFSIGNALED(status)) printf("%s with %s = NULL: signal %d\n", function, argument, WTERMSIG(status));       \
        ++calls, failures += status != 0;                                                                              \
    } while (0);
#define REFUSED(function, argument, call) CHILD(function, argument, bad = check(function, argument, call))
#define QUIET(function, argument, call) CHILD(function, argument, (void)(call))

int main(void)
{
#include "calls.h"
    QUIET("rw_blocks_coordinates", "grid", rw_blocks_coordinates(NULL))
    /* what getters without a status return */
    if (rw_array_size(NULL) != 0 || rw_array_device(NULL) != NULL)
        printf("a getter returns something for NULL\n"), ++failures;
    printf("%d calls, %d wrong\n", calls, failures);
    return failures != 0;
}
END
# shellcheck disable=SC2086
${CC:-cc} -std=gnu17 -w -g ${SANITIZE:+-fsanitize=$SANITIZE} -I"$SOURCE/include" -I"$work" "$work/null.c" \
    -o "$work/null" "$BUILD/librechenwerk-run.so" "$BUILD/librechenwerk.so" -Wl,-rpath,"$BUILD"
"$work/null"
