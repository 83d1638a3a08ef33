#!/usr/bin/env bash
# The examples, one per group of the API, compiled from an installed prefix by pkg-config and by CMake, with the shared
# and with the static library, as C17 and as C++20, without a warning, and run on the cpu device. With
# RECHENWERK_TEST_LONG=1 as C++20 by CMake too, and under valgrind: no error, nothing lost.
# TEST: optimised
set -euo pipefail
. "$SOURCE/tests/install/installed.sh"

names=(own_kernel expression early_stop own_operator two_threads)
warnings=(-Wall -Wextra -pedantic -Werror -pthread)
install_prefix
static_only
export LD_LIBRARY_PATH=$libdir
compilers=("$CC -std=c17 -xc")
if command -v c++ >/dev/null; then compilers+=("c++ -std=c++20 -xc++"); else echo "without C++: no c++"; fi

runs() { "$@" cpu >"$work/log" 2>&1 || fail "$*: exit code $?: $(cat "$work/log")"; }

# pkg-config: an object, and with it a program per kind of library
flags() { PKG_CONFIG_PATH=$1/pkgconfig pkg-config "${@:2}" rechenwerk; }
read -ra cflags <<<"$(flags "$linkdir" --cflags)"
read -ra shared <<<"$(flags "$linkdir" --libs)"
read -ra static <<<"$(flags "$work/static-only" --static --libs)"
for name in "${names[@]}"; do
    source=$(find "$prefix" -path "*/examples/$name.c")
    [ -f "$source" ] || fail "$name.c is not installed"
    for i in "${!compilers[@]}"; do
        read -ra compiler <<<"${compilers[i]}"
        program=$work/$name-$i
        "${compiler[@]}" "${warnings[@]}" "${cflags[@]}" -c "$source" -o "$program.o" || fail "${compiler[*]} $name.c"
        "${compiler[0]}" "$program.o" -o "$program" -pthread "${shared[@]}" -lm || fail "$name with the shared library"
        "${compiler[0]}" "$program.o" -o "$program-static" -pthread "${static[@]}" -lm ||
            fail "$name with the static library"
        runs "$program"
        LD_LIBRARY_PATH='' runs "$program-static"
    done
done

# all other examples, too, are C17 and C++20
folder=$(dirname "$(find "$prefix" -path "*/examples/implicit.c")")
for source in "$folder"/*.c; do
    for compiler in "${compilers[@]}"; do
        read -ra compiler <<<"$compiler"
        "${compiler[@]}" "${cflags[@]}" -fsyntax-only "$source" || fail "${compiler[*]} $source"
    done
done

# CMake
languages=C
[ -z "${RECHENWERK_TEST_LONG-}" ] || [ ${#compilers[@]} = 1 ] || languages='C;CXX'
folder=$(dirname "$source")
{
    cmake -S "$SOURCE/tests/install/examples" -B "$work/cmake" -DCMAKE_C_COMPILER="$CC" \
        -DCMAKE_PREFIX_PATH="$prefix" -DFOLDER="$folder" -DLANGUAGES="$languages" \
        -DNAMES="$(IFS=';' && echo "${names[*]}")"
    cmake --build "$work/cmake"
} >"$work/log" 2>&1 || fail "CMake: $(cat "$work/log")"
for program in "$work"/cmake/*-rechenwerk "$work"/cmake/*-rechenwerk-static; do LD_LIBRARY_PATH='' runs "$program"; done

[ -n "${RECHENWERK_TEST_LONG-}" ] || exit 0
if ! command -v valgrind >/dev/null; then
    echo "without valgrind: it is not installed"
    exit 0
fi
for name in "${names[@]}"; do
    runs valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
        --show-leak-kinds=definite "$work/$name-0"
done
