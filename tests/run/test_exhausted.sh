#!/bin/bash
# Runs and pictures where the system gives no more: file systems of twenty sizes, a limit on the size of files, and
# each of HDF5's allocations in turn (short: five sizes, a part of the allocations). Every end is a normal exit with a
# message, and what was written before is whole. Environment: RECHENWERK, RECHENWERK_TEST_LONG.
# shellcheck source=tests/tools/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tools/expect.sh" || exit 1
export RECHENWERK_CACHE="${RECHENWERK_CACHE:-$work/cache}"
pace=5
[ "${RECHENWERK_TEST_LONG:-}" = 1 ] && pace=1

cat > heat.yaml <<'END'
problem: pde
grid: {size: [64, 64], extent: [1, 1]}
fields: {u: {initial: "sin(pi*x)*sin(pi*y)", boundary: "0"}}
equations: "du/dt = laplace(u)"
time: {end: 0.02, rtol: 1e-4}
output: {every: 0.002, figures: []}
checkpoint: {steps: 5}
END

# whole FOLDER: every HDF5 file in it can be read, run.json is JSON
whole() {
    local file
    for file in "$1"/fields/*.h5; do
        [ -e "$file" ] || continue
        "$command" plot "$file" -o "$work/whole" -q 2> whole.err || fail "$file is damaged: $(cat whole.err)"
    done
    if [ -s "$1/run.json" ] && command -v python3 > /dev/null; then
        python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$1/run.json" || fail "$1/run.json is damaged"
    fi
}

# ends_well WHAT CODE FOLDER: a normal exit with one of the codes allowed, and a message in err where it is not 0
ends_well() {
    case $2 in
    0) ;;
    1 | 5) grep -q '^rechenwerk: ' err || fail "$1: exit code $2 without a message: $(head -3 err)" ;;
    *) fail "$1: exit code $2: $(head -3 err)" ;;
    esac
    whole "$3"
}

# ---- a limit on memory, reached by the command, by the library it loads, and by the compiler: exit code 5, with a
# reason (sanitizers need more than any limit) ----
number=0
if (ulimit -v 60000 && "$command" --version) > /dev/null 2>&1; then
    for kilobytes in 24000 28000 32000 36000 38000 40000 42000 44000 46000 48000 50000 54000; do
        [ $((number++ % (pace > 1 ? 2 : 1))) -eq 0 ] || continue
        code=0
        (ulimit -v $kilobytes && exec "$command" run heat.yaml -o memory -f -q --no-cache -d cpu:1) 2> err || code=$?
        [ $code -eq 0 ] || [ $code -eq 5 ] || fail "with $kilobytes kB of memory: exit code $code: $(head -3 err)"
        [ $code -eq 0 ] || grep -qi 'memory' err || fail "with $kilobytes kB of memory: $(head -3 err)"
    done
fi

# ---- a file system of twenty sizes: in a mount namespace of its own, as root of it and as nobody in it ----
expect 0 "" run heat.yaml -o warm -q # fills the cache: no compiler is asked below
mkdir -m 755 tiny
chmod 755 "$work"
export heat=$work/heat.yaml out=$work/tiny command
# shellcheck disable=SC2016
full='mount -t tmpfs -o mode=777,size=${size}k none "$out" || exit 77
    if [ "$who" = nobody ]; then run="setpriv --reuid=65534 --regid=65534 --clear-groups"; else run=; fi
    $run "$command" run "$heat" -o "$out/r" -q; code=$?
    cp -r "$out/r" "$work/kept"; exit $code'
export work
mounts=0
for who in root nobody; do
    number=0
    for size in 40 60 80 100 120 140 160 180 200 220 240 260 280 300 340 380 420 460 500 600; do
        [ $who = nobody ] && [ $((size % 40)) -ne 0 ] && continue
        [ $((number++ % pace)) -eq 0 ] || continue
        rm -rf kept
        who=$who size=$size unshare -m bash -c "$full" > out 2> err
        code=$?
        if [ $code -eq 77 ] || grep -q '^unshare: \|setpriv: ' err; then break 2; fi
        mounts=$((mounts + 1))
        ends_well "a file system of $size kB as $who" $code kept
        [ $code -eq 0 ] || grep -q 'No space left on device' err || fail "a file system of $size kB: $(head -3 err)"
    done
done

# ---- ulimit -f ----
for blocks in 2 5 10 20 40 80 120; do # of 1024 bytes
    rm -rf limited
    (ulimit -f $blocks && exec "$command" run heat.yaml -o limited -q) > out 2> err
    code=$?
    ends_well "ulimit -f $blocks" $code limited
    [ $code -eq 0 ] || grep -q 'the file size limit is reached: raise it (ulimit -f)' err ||
        fail "ulimit -f $blocks: $(head -3 err)"
done

(ulimit -f 1 && exec "$command" plot warm -F u -o one.png) > out 2> err && fail "plot writes a picture beyond ulimit -f"
grep -q 'the file size limit is reached: raise it (ulimit -f)' err || fail "plot beyond ulimit -f: $(head -3 err)"

# ---- the n-th allocation of HDF5 ----
cat > fail.c <<'END'
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
static unsigned long low, high;
static long wanted = -1, seen;
static void begin(void)
{
    static int busy;
    char line[600];
    if (busy) return;
    busy = 1;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long a, b;
        if (!strstr(line, "/libhdf5") || sscanf(line, "%lx-%lx", &a, &b) != 2) continue;
        if (!low || a < low) low = a;
        if (b > high) high = b;
    }
    if (maps) fclose(maps);
    wanted = getenv("FAIL_AT") ? atol(getenv("FAIL_AT")) : 0;
}
static int fails(void *caller)
{
    if (wanted < 0) begin();
    if (wanted < 0 || (unsigned long)caller < low || (unsigned long)caller >= high) return 0;
    if (__sync_add_and_fetch(&seen, 1) != wanted) return 0;
    errno = ENOMEM;
    return 1;
}
void *malloc(size_t n) { return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t m) { return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, n); }
static void __attribute__((destructor)) end(void)
{
    FILE *file = getenv("FAIL_COUNT") ? fopen(getenv("FAIL_COUNT"), "w") : NULL;
    if (file) fprintf(file, "%ld\n", seen), fclose(file);
}
END
short=(heat.yaml -q -s output.every=0.02 -s 'grid.size=[8, 8]')
failures=0
if "${CC:-cc}" -O1 -shared -fPIC -o fail.so fail.c 2> /dev/null &&
    FAIL_COUNT=$work/count FAIL_AT=0 LD_PRELOAD=$work/fail.so "$command" run "${short[@]}" -o short 2> err &&
    [ "$(cat count)" -gt 100 ]; then
    total=$(cat count)
    for ((n = 1; n <= total; n += pace * (n < 20 ? 3 : n < total - 1000 ? 97 : 23))); do
        rm -rf starved
        FAIL_AT=$n LD_PRELOAD=$work/fail.so "$command" run "${short[@]}" -o starved > out 2> err
        code=$?
        ends_well "HDF5's allocation $n of $total in run" $code starved
        [ $code -eq 0 ] || failures=$((failures + 1))
        [ $code -eq 0 ] || [ ! -e starved/checkpoint.h5 ] || expect 0 "" run "${short[@]}" -o starved --restart
    done
    FAIL_COUNT=$work/count FAIL_AT=0 LD_PRELOAD=$work/fail.so "$command" plot short -o pictures -q
    total=$(cat count)
    for ((n = 1; n <= total; n += pace * (n < 20 ? 3 : 61))); do
        FAIL_AT=$n LD_PRELOAD=$work/fail.so "$command" plot short -o pictures -q > out 2> err
        code=$?
        ends_well "HDF5's allocation $n of $total in plot" $code nowhere
        [ $code -eq 0 ] || failures=$((failures + 1))
    done
    [ $failures -ge $((10 / pace)) ] || fail "only $failures of HDF5's allocations made a difference"
else
    echo "no compiler, sanitizer in the way or static HDF5: HDF5's allocations are not tried"
fi

# ---- a limit on the memory of a C program, which has no handler for crashes: a status, at every limit ----
cat > own.c <<'END'
#include <stdio.h>
#include <rechenwerk/core.h>
#include <rechenwerk/run.h>
int main(int argc, char **argv)
{
    rw_context *ctx;
    rw_run_options options = {.folder = argv[2], .force = true};
    (void)argc;
    if (rw_context_create(&ctx) != RW_OK) return 3;
    rw_status status = rw_run_case(ctx, argv[1], &options, NULL);
    if (status != RW_OK) fprintf(stderr, "%s\n", rw_message(ctx));
    rw_context_destroy(&ctx);
    return status == RW_OK ? 0 : 3;
}
END
# limited KB: the exit code of the program with that much address space; 127 where it does not even start
limited() {
    (ulimit -v "$1" && exec "${fixed[@]}" ./own heat.yaml own.d) > out 2> err
}
fixed=(setarch -R) # the same addresses in each run
"${fixed[@]}" true 2> /dev/null || fixed=()
export OMP_NUM_THREADS=1 # threads have stacks
if [ -z "${SANITIZE:-}" ] && [ -n "${BUILD:-}" ] &&
    "${CC:-cc}" -I "$SOURCE/include" -o own own.c -L "$BUILD" -lrechenwerk -Wl,-rpath,"$BUILD" 2> err &&
    limited 4000000; then
    low=1000 high=4000000
    while [ $((high - low)) -gt 100 ]; do
        middle=$(((low + high) / 2))
        if limited $middle 2> /dev/null; then high=$middle; else low=$middle; fi
    done
    refused=0
    for ((kb = high - 3000; kb < high + 100; kb += 40 * pace)); do
        { limited $kb; code=$?; } 2> /dev/null
        case $code in
        0 | 127) ;;
        3) refused=$((refused + 1)) ;;
        *) fail "a C program with $kb kB: exit code $code: $(head -3 err)" ;;
        esac
    done
    [ $refused -ge 5 ] || fail "a C program has met only $refused limits"
    echo "a C program with $high kB and less: $refused messages"
else
    echo "no library to link with, or a sanitizer in the way: memory of a C program is not limited"
fi

if [ $bad -gt 0 ]; then echo "$bad failures"; exit 1; fi
echo "$mounts full file systems, $failures failed allocations: all good"
[ $mounts -gt 0 ] || exit 77
