#!/usr/bin/env bash
# Installs to a fresh prefix, moves it, and builds a stranger's project against it with CMake and with pkg-config.
# Needs SOURCE, BUILD and CC, as ctest sets them.
set -euo pipefail

if [ -n "${SANITIZE-}" ]; then
    echo "skipped: a library with sanitizers is not installed"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset DESTDIR MAKEFLAGS CFLAGS LDFLAGS LDLIBS PKG_CONFIG_PATH CMAKE_PREFIX_PATH LD_LIBRARY_PATH

fail() {
    printf 'test_install.sh: %s\n' "$*" >&2
    exit 1
}

# A path with a space, and moved after the installation: nothing may depend on where it was built or installed first.
cmake --install "$BUILD" --prefix "$work/first" >"$work/log" || fail "cmake --install: $(cat "$work/log")"
prefix="$work/moved prefix"
mv "$work/first" "$prefix"

library=$(find "$prefix" -name 'librechenwerk.so')
[ -n "$library" ] || fail "librechenwerk.so is not installed"
libdir=$(dirname "$library")
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
        echo "#include <$name>" | c++ -Wall -Wextra -Werror -fsyntax-only -I"$prefix/include" -xc++ - ||
            fail "$name does not compile alone as C++"
    fi
done

[ -f "$prefix/include/rechenwerk/rechenwerk.f90" ] || fail "the Fortran module is not beside the headers"

# Way one: CMake.
{
    cmake -S "$SOURCE/tests/install" -B "$work/cmake" -DCMAKE_C_COMPILER="$CC" -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$work/cmake"
} >"$work/log" 2>&1 || fail "CMake: $(cat "$work/log")"
by_cmake=$("$work/cmake/stranger")

# Way two: pkg-config. The shell of a Makefile would split the space, so this one goes through a link without it.
ln -s "$prefix" "$work/link"
mkdir "$work/make"
cp "$SOURCE/tests/install/main.c" "$SOURCE/tests/install/Makefile" "$work/make"
linkdir=$work/link${libdir#"$prefix"}
PKG_CONFIG_PATH=$linkdir/pkgconfig make -C "$work/make" CC="$CC" >"$work/log" 2>&1 || fail "make: $(cat "$work/log")"
by_make=$(LD_LIBRARY_PATH=$libdir "$work/make/stranger")
[ "$by_cmake" = "$by_make" ] || fail "by CMake: $by_cmake, by pkg-config: $by_make"

# The command finds its library without help, and the library exports nothing but its own names.
if [ -x "$RECHENWERK" ]; then
    "$prefix/bin/rechenwerk" --version >"$work/log" 2>&1 || fail "the installed command: $(cat "$work/log")"
    grep -qF "${by_make#rechenwerk }" "$work/log" || fail "rechenwerk --version says: $(cat "$work/log")"
fi
if command -v nm >/dev/null; then
    others=$(nm -D --defined-only "$library" | awk '$3 !~ /^rw_/ {print $3}')
    [ -z "$others" ] || fail "exported without the prefix rw_: $others"
fi
echo "$by_make"
