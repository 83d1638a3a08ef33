#!/usr/bin/env bash
# A structure of the headers that may grow does grow, in all of them: programs compiled with the longer headers run with
# the library of today, and with RECHENWERK_TEST_LONG=1 programs compiled with the headers of today run with a library
# that is built with the longer ones. Needs SOURCE, BUILD and CC, as ctest sets them.
# TEST: optimised
set -euo pipefail

case "${SANITIZE-}" in ?*) exit 77 ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    printf 'test_growth.sh: %s\n' "$*" >&2
    exit 1
}

# each structure whose size a macro passes gets a member at its end
mkdir "$work/source"
(cd "$SOURCE" && tar cf - CMakeLists.txt LICENSE ./*.md CITATION.cff include src cmake tools examples cases docs \
    packaging bench) |
    tar xf - -C "$work/source"
headers=("$work/source/include/rechenwerk/"*.h)
structures=$(grep -ohE 'sizeof\(rw_[a-z_]+\)' "$SOURCE/include/rechenwerk/"*.h | sed 's/sizeof(//; s/)//' | sort -u)
for structure in $structures; do
    grep -q "^} $structure;" "${headers[@]}" || fail "no header has the structure $structure"
    sed -i "s/^} $structure;/    int64_t added_member;\n} $structure;/" "${headers[@]}"
done
sed -i 's/#include <stddef.h>/&\n#include <stdint.h>/' "$work/source/include/rechenwerk/core.h"
echo "$(wc -w <<<"$structures") structures grow"

cat >"$work/growth.yaml" <<'END'
problem: pde
grid: {size: [16], extent: [1]}
fields: {u: {initial: "x"}}
equations: "du/dt = laplace(u)"
time: {end: 0.01}
output: {every: 0.01, figures: []}
END
# build NAME HEADERS LIBRARY FLAG…, run NAME LIBRARY
build() {
    "$CC" -std=c17 -Wall -Wextra -Werror "${@:4}" -I"$2" "$SOURCE/tests/install/growth.c" -o "$work/$1" -L"$3" \
        -lrechenwerk-run -lrechenwerk -lm || fail "growth.c does not compile with $2"
}
run() { (cd "$work" && LD_LIBRARY_PATH=$2 "./$1") || fail "$1 fails with the library in $2"; }
same() { diff "$work/$1" "$work/$2" >&2 || fail "$1 and $2 differ"; }

build today "$SOURCE/include" "$BUILD"
build longer "$work/source/include" "$BUILD"
build set "$work/source/include" "$BUILD" -DMEMBER
run today "$BUILD" >"$work/as-today"
run longer "$BUILD" >"$work/longer-with-today"
same longer-with-today as-today
run set "$BUILD" >"$work/set-with-today"
head -1 "$work/set-with-today" | grep -q '^RW_ERR_ARGUMENT: rw_expr_spec: a member is set that this version' ||
    fail "a member that the library does not know is not refused: $(head -1 "$work/set-with-today")"
cat "$work/as-today"
[ -n "${RECHENWERK_TEST_LONG-}" ] || exit 0

cmake -S "$work/source" -B "$work/build" -DCMAKE_C_COMPILER="$CC" -DCMAKE_BUILD_TYPE=Debug >"$work/log" 2>&1 &&
    cmake --build "$work/build" -j "$(nproc)" --target rechenwerk run >>"$work/log" 2>&1 ||
    fail "the longer library: $(tail -5 "$work/log")"
run today "$work/build" >"$work/today-with-longer"
same today-with-longer as-today
run longer "$work/build" >"$work/longer-with-longer"
same longer-with-longer as-today
echo "the library with longer structures gives the same"
