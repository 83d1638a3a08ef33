#!/bin/bash
# A run that is killed while its last pictures are drawn, after its last checkpoint, ends after a restart with all
# pictures of a run that nobody has killed. A library that ends the command when it is about to move its n-th picture
# after the last checkpoint into place finds the moment. Environment: RECHENWERK.
# shellcheck source=tests/tools/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tools/expect.sh" || exit 1
export RECHENWERK_CACHE="${RECHENWERK_CACHE:-$work/cache}"

cat > kill.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int rename(const char *from, const char *to)
{
    static int checkpoints;
    static long pictures;
    __typeof__(&rename) next = (__typeof__(&rename))dlsym(RTLD_NEXT, "rename");
    if (strstr(to, "checkpoint.h5")) checkpoints++;
    else if (checkpoints && strstr(to, "/figures/") && ++pictures == atol(getenv("KILL_AT"))) {
        kill(getpid(), SIGKILL);
        pause();
    }
    return next(from, to);
}
END

# values grow, so that limits are final at the end only; outputs come faster than pictures are drawn
cat > grow.yaml <<'END'
problem: pde
grid: {size: [8, 6]}
fields: {u: {initial: "x"}, A: {type: complex, initial: "x + 1i*y"}}
equations: ["du/dt = 2*u - y", "dA/dt = (1 + 2i)*A"]
time: {end: 1, method: rk4, step: 0.05}
output: {every: 0.1, figures: [u, A, q], fields: [u, A, q], derived: {q: "[dx(u), dy(u)]"}}
END
pictures() { (cd "$1/figures" && sha256sum ./*.png); }

missing=0
# killed KILL_AT LIMITS
killed() {
    local whole
    whole=$(pictures "$2")
    rm -rf k
    { (LD_PRELOAD=$work/kill.so KILL_AT=$1 exec "$command" run grow.yaml -o k -q -s output.limits="$2"); } > out 2> err
    [ $? -eq 137 ] || fail "not killed at picture $1 with limits $2: $(head -3 err)"
    missing=$((missing + $(wc -l <<< "$whole") - $(find k/figures -name '*.png' | wc -l)))
    expect 0 "" run grow.yaml -o k -q --restart -s output.limits="$2"
    [ "$(pictures k)" = "$whole" ] || fail "killed at picture $1, limits $2: $(diff <(echo "$whole") <(pictures k))"
}
if "${CC:-cc}" -O1 -shared -fPIC -o kill.so kill.c -ldl 2> /dev/null &&
    LD_PRELOAD=$work/kill.so KILL_AT=0 "$command" run grow.yaml -o auto -q 2> err; then
    expect 0 "" run grow.yaml -o frame -q -s output.limits=frame
    killed 1 auto
    killed 4 auto
    killed 1 frame
    [ $missing -gt 0 ] || fail "no picture is missing after kills: the test shows nothing"
    echo "$missing pictures drawn by restarts"
else
    echo "no compiler, or a sanitizer in the way: kills are not tried"
fi

if [ $bad -gt 0 ]; then echo "$bad failures"; exit 1; fi
echo "all good"
