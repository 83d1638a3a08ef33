#!/usr/bin/env bash
# Installs to a fresh prefix, moves it, and builds a stranger's project against it with CMake and with pkg-config.
# Needs SOURCE, BUILD and CC, as ctest sets them.
# TEST: optimised
set -euo pipefail

. "$SOURCE/tests/install/installed.sh"

install_prefix
pc=$libdir/pkgconfig/rechenwerk.pc
[ -f "$pc" ] || fail "rechenwerk.pc is not beside the library"
if grep -rlF -e "$BUILD" -e "$SOURCE" -e "$work/first" "$libdir/pkgconfig" "$libdir/cmake"; then
    fail "the files above name a folder of this build"
fi

# Each public header stands alone, in C and, where there is a compiler for it, in C++.
for header in "$prefix"/include/rechenwerk/*.h; do
    name=rechenwerk/$(basename "$header")
    echo "#include <$name>" | "$CC" -std=c17 -Wall -Wextra -pedantic -Werror -fsyntax-only -I"$prefix/include" -xc - ||
        fail "$name does not compile alone as C17"
    if command -v c++ >/dev/null; then
        echo "#include <$name>" |
            c++ -std=c++20 -Wall -Wextra -pedantic -Werror -fsyntax-only -I"$prefix/include" -xc++ - ||
            fail "$name does not compile alone as C++20"
    fi
done

[ -f "$prefix/include/rechenwerk/rechenwerk.f90" ] && [ -s "$prefix/include/rechenwerk/rechenwerk_options.inc" ] ||
    fail "the Fortran module is not beside the headers"

# Way one: CMake.
{
    cmake -S "$SOURCE/tests/install" -B "$work/cmake" -DCMAKE_C_COMPILER="$CC" -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$work/cmake"
} >"$work/log" 2>&1 || fail "CMake: $(cat "$work/log")"
by_cmake=$("$work/cmake/stranger")
[ "$("$work/cmake/stranger-static")" = "$by_cmake" ] || fail "the static library says another version"

# A case, with the shared and with the static librechenwerk-run.
cat >"$work/case.yaml" <<'END'
problem: pde
grid: {size: [16], extent: [1]}
fields: {u: {initial: "x"}}
equations: "du/dt = laplace(u)"
time: {end: 0.01}
output: {every: 0.01, figures: []}
END
runs() {
    "$1" "$work/case.yaml" "$work/$2" || fail "$1: exit code $?"
    [ -f "$work/$2/run.json" ] || fail "$1 wrote no run.json"
}
runs "$work/cmake/stranger-run" shared
runs "$work/cmake/stranger-run-static" static

# Way two: pkg-config. The shell of a Makefile would split the space, so this one goes through a link without it.
mkdir "$work/make"
cp "$SOURCE/tests/install/"*.c "$SOURCE/tests/install/Makefile" "$work/make"
PKG_CONFIG_PATH=$linkdir/pkgconfig make -C "$work/make" CC="$CC" >"$work/log" 2>&1 || fail "make: $(cat "$work/log")"
by_make=$(LD_LIBRARY_PATH=$libdir "$work/make/stranger")
LD_LIBRARY_PATH=$libdir runs "$work/make/stranger-run" by-make
static_only
PKG_CONFIG_PATH=$work/static-only/pkgconfig make -C "$work/make" CC="$CC" static >"$work/log" 2>&1 ||
    fail "make static: $(cat "$work/log")"
[ "$("$work/make/stranger-static")" = "$by_make" ] || fail "the static library, by pkg-config, says another version"
runs "$work/make/stranger-run-static" by-make-static
[ "$by_cmake" = "$by_make" ] || fail "by CMake: $by_cmake, by pkg-config: $by_make"

# The README's lines, in a home of its own.
home=$work/home
mkdir "$home"
cmake --install "$BUILD" --prefix "$home/rechenwerk" >"$work/log" || fail "cmake --install: $(cat "$work/log")"
awk '/^## Install/ { on = 1 } on && /^```/ { if (open) exit; open = 1; next } open && !/^make install/' \
    "$SOURCE/README.md" >"$work/lines"
grep -q '^cc ' "$work/lines" || fail "README.md does not say how a program is compiled"
(cd "$home" && ln -s "$SOURCE/examples" examples && HOME=$home bash -e "$work/lines") >"$work/log" 2>&1 ||
    fail "README.md: $(cat "$work/log")"

# The library needs libc, libm and threads only.
if command -v ldd >/dev/null; then
    others=$(ldd "$library" | awk '{print $1}' |
        grep -vE '^(linux-vdso|libc|libm|libgomp|libdl|libpthread|/lib.*/ld-linux)' || true)
    [ -z "$others" ] || fail "librechenwerk.so links $others"
fi

# Pages that headers name are there, and what these link to.
doc=$(dirname "$(dirname "$(find "$prefix/share/doc" -name methods -type d)")")
for page in $(grep -ohE 'docs/[a-z/-]+\.md' "$prefix"/include/rechenwerk/*.h | sort -u); do
    [ -f "$doc/$page" ] || fail "headers name $page, which is not installed"
done
while IFS= read -r page; do
    for link in $(grep -oE '\]\([^):#]+' "$page" | sed 's/^](//' | grep -v '^https*$'); do
        [ -f "$(dirname "$page")/$link" ] || fail "${page#"$doc/"} links to $link, which is not installed"
    done
done < <(echo "$doc/README.md"; find "$doc/docs" -name '*.md')
for page in README.md CHANGELOG.md LICENSE; do
    cmp -s "$SOURCE/$page" "$doc/$page" || fail "$page is not installed as share/doc/rechenwerk/$page"
done
[ -d "$doc/examples" ] || fail "the examples are not installed"

# The Python module finds the libraries of its prefix.
if command -v python3 >/dev/null; then
    (cd "$prefix/share/rechenwerk" && unset RECHENWERK_LIBRARY && python3 -B -c 'from rechenwerk import *
rw_context_destroy(rw_context_create()), rw_word_kinds()') >"$work/log" 2>&1 || fail "rechenwerk.py: $(cat "$work/log")"
fi
source "$SOURCE/tests/python.sh"
if python=$(python_with numpy); then
    (unset RECHENWERK_LIBRARY PYTHONPATH; "$python" -B "$doc/examples/share.py" cpu) >"$work/log" 2>&1 ||
        fail "share.py: $(cat "$work/log")"
fi
[ -s "$prefix/share/rechenwerk/api.json" ] || fail "api.json is not installed"

# The command finds its libraries without help, and they export nothing but their own names.
if [ -x "$RECHENWERK" ]; then
    "$prefix/bin/rechenwerk" list problems >"$work/log" 2>&1 || fail "the installed command: $(cat "$work/log")"
    "$prefix/bin/rechenwerk" --version >"$work/log" 2>&1 || fail "the installed command: $(cat "$work/log")"
    grep -qF "${by_make#rechenwerk }" "$work/log" || fail "rechenwerk --version says: $(cat "$work/log")"
fi
if command -v nm >/dev/null; then
    others=$(nm -D --defined-only "$library" "$libdir/librechenwerk-run.so" |
        awk 'NF == 3 && $3 !~ /^(rw_|RECHENWERK_)/ {print $3}')
    [ -z "$others" ] || fail "exported without the prefix rw_: $others"
    # Of the version are the functions of the public headers, no others; all others are called by librechenwerk-run or
    # the command.
    sed -n 's/.*\<\(rw_[a-z0-9_]*\)(.*/\1/p' "$prefix"/include/rechenwerk/*.h | sort -u >"$work/declared"
    for one in "$library" "$libdir/librechenwerk-run.so"; do
        nm -D --defined-only "$one" | awk '$3 ~ /@@RECHENWERK_[0-9]/ { sub(/@.*/, "", $3); print $3 }' |
            sort >"$work/exported"
        others=$(comm -13 "$work/declared" "$work/exported")
        [ -s "$work/exported" ] && [ -z "$others" ] || fail "$one exports what no header declares: $others"
    done
    nm -D --undefined-only "$libdir/librechenwerk-run.so" "$RECHENWERK" | awk '{ sub(/@.*/, "", $2); print $2 }' |
        sort -u >"$work/called"
    others=$(nm -D --defined-only "$library" "$libdir/librechenwerk-run.so" |
        awk '$3 ~ /@@RECHENWERK_PRIVATE/ { sub(/@.*/, "", $3); print $3 }' | sort -u | comm -13 "$work/called" -)
    [ -z "$others" ] || fail "private functions are exported that nothing calls: $others"
fi
echo "$by_make"
