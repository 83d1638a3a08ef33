#!/bin/bash
# A run that is killed, or fails, before it has output more than the initial state leaves no folder that the next run
# needs --force for; any other folder stays as it is. A library that ends the command at its n-th call on files finds
# every place on the way (short: every fifth). Environment: RECHENWERK, RECHENWERK_TEST_LONG.
# shellcheck source=tests/run/heat.sh
. "$(dirname "${BASH_SOURCE[0]}")/heat.sh" || exit 1

cat > kill.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
static void count(void)
{
    static long seen, wanted = -1;
    if (wanted < 0) wanted = getenv("KILL_AT") ? atol(getenv("KILL_AT")) : 0;
    if (++seen == wanted) kill(getpid(), SIGKILL), pause();
}
#define NEXT(name) __typeof__(&name) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
int openat(int folder, const char *path, int flags, ...)
{
    NEXT(openat);
    va_list args;
    va_start(args, flags);
    int mode = va_arg(args, int);
    va_end(args);
    if (flags & O_CREAT) count();
    return next(folder, path, flags, mode);
}
int rename(const char *from, const char *to) { NEXT(rename); count(); return next(from, to); }
int renameat(int a, const char *from, int b, const char *to)
{
    NEXT(renameat);
    count();
    return next(a, from, b, to);
}
int mkdirat(int folder, const char *path, mode_t mode) { NEXT(mkdirat); count(); return next(folder, path, mode); }
int mkdir(const char *path, mode_t mode) { NEXT(mkdir); count(); return next(path, mode); }
ssize_t write(int file, const void *data, size_t n) { NEXT(write); count(); return next(file, data, n); }
ssize_t pwrite(int file, const void *data, size_t n, off_t at)
{
    NEXT(pwrite);
    count();
    return next(file, data, n, at);
}
END
# a folder may be replaced: no second output, no second row, no checkpoint
is_beginning() {
    local rows=0
    [ -e "$1/series.csv" ] && rows=$(wc -l < "$1/series.csv")
    [ ! -e "$1/checkpoint.h5" ] && [ "$rows" -le 2 ] && ! find "$1" -name '*00000[1-9]*' ! -name '*.tmp' | grep -q .
}

expect 0 "" run heat.yaml -o warm -q
whole=$(state warm)
replaced=0 kept=0 pace=5 least=3
[ "${RECHENWERK_TEST_LONG:-}" = 1 ] && pace=1 least=10
if "${CC:-cc}" -O1 -shared -fPIC -o kill.so kill.c -ldl 2> /dev/null &&
    LD_PRELOAD=$work/kill.so KILL_AT=0 "$command" run heat.yaml -o tried -q 2> err; then
    for ((n = 1; n < 300; n += n < 70 ? pace : 4 * pace)); do
        rm -rf k
        {
            (LD_PRELOAD=$work/kill.so KILL_AT=$n exec "$command" run heat.yaml -o k -q) > out 2> err
            code=$?
        } 2> /dev/null # the shell's "Killed"
        [ $code -eq 0 ] && break
        [ $code -eq 137 ] || fail "killed at call $n: exit code $code: $(head -3 err)"
        if [ ! -e k ] || is_beginning k; then
            expect 0 "" run heat.yaml -o k -q
            [ "$(state k)" = "$whole" ] || fail "after a kill at call $n: $(diff <(echo "$whole") <(state k))"
            replaced=$((replaced + 1))
        else
            before=$(state k)
            expect 2 "is not empty" run heat.yaml -o k -q
            [ "$(state k)" = "$before" ] || fail "after a kill at call $n a refused run changes the folder"
            kept=$((kept + 1))
        fi
    done
    if [ $replaced -lt $least ] || [ $kept -lt $least ]; then
        fail "only $replaced folders replaced, $kept kept: the library counts nothing"
    fi
    echo "killed at one of about $n calls: $replaced folders replaced, $kept kept"
else
    echo "no compiler, or a sanitizer in the way: kills are not tried"
fi

# ---- a run that fails: in its first output nothing stays, in its first step the initial state does ----
expect 3 "'u_mean' is infinite" run heat.yaml -o first -s fields.u.initial=1e308
[ -e first ] && fail "a run without an output leaves $(find first)"
fails='equations=du/dt = laplace(u) + 1/(u-u)'
expect 3 "there is no checkpoint yet" run heat.yaml -o first -s "$fails"
[ -e first/fields/000000.h5 ] || fail "the initial state of a run that failed in its first step is gone"
expect 3 "there is no checkpoint yet" run heat.yaml -o first -s "$fails"
cp -r first second
expect 0 "" run heat.yaml -o first -q
[ "$(state first)" = "$whole" ] || fail "after a failure in the first step: $(diff <(echo "$whole") <(state first))"
expect 2 "is not empty" run heat.yaml -o first

# ---- what else lies there keeps the folder as it is ----
# keeps WHAT: the folder t, made from `second`, is refused and stays
keeps() {
    local before
    before=$(state t)
    expect 2 "is not empty" run heat.yaml -o t
    [ "$(state t)" = "$before" ] || fail "$1: a refused run changes the folder"
}
echo precious > data
for what in "touch t/notes" "touch t/fields/mine.h5" "mkdir t/mine" "mkdir t/fields/mine" \
    "ln -sf ../data t/log.jsonl" "ln -sf ../../data t/fields/000000.h5" \
    "mkdir t/.previous" "cp warm/checkpoint.h5 t/" "cp warm/fields/000001.h5 t/fields/" \
    "echo fields/000001.h5 >> t/run.files; cp warm/fields/000001.h5 t/fields/" \
    "cp warm/series.csv t/" "cp warm/run.json t/" "echo nonsense > t/run.json" "rm t/run.files" \
    "echo ../data >> t/run.files" "echo nonsense > t/run.files" \
    "rm t/run.json; ln -s ../data t/run.json" "rm -r t/figures; ln -s ../second/figures t/figures"; do
    rm -rf t && cp -r second t
    eval "$what"
    keeps "$what"
    [ "$(cat data)" = precious ] || fail "$what: the file of a link is changed"
done
rm -rf t && cp -r second t
rm t/run.json # killed before it was written
printf half > t/fields/000000.h5.4711-1.tmp
expect 0 "" run heat.yaml -o t -q
[ "$(state t)" = "$whole" ] || fail "half-written files: $(diff <(echo "$whole") <(state t))"

# ---- a run that is on its way ----
rm -rf t && cp -r second t
if command -v flock > /dev/null; then
    flock t "$command" run heat.yaml -o t -q 2> err && fail "a folder that is in use is replaced"
    grep -q 'another run is writing into it' err || fail "a folder in use: $(cat err)"
fi

if [ $bad -gt 0 ]; then echo "$bad failures"; exit 1; fi
echo "all good"
