#!/usr/bin/env bash
# The Fortran module: its types and constants against those of C, its calls, and the example. Needs SOURCE, BUILD and
# CC, as ctest sets them; without a Fortran compiler (FC, else gfortran) it is skipped.
set -euo pipefail

fc=${FC:-gfortran}
command -v "$fc" >/dev/null || { echo "skipped: no Fortran compiler"; exit 77; }
[ -z "${SANITIZE-}" ] || { echo "skipped: a library with sanitizers"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$fc" -std=f2018 -Wall -Wextra -pedantic -Werror -I"$BUILD/generated" -c "$SOURCE/include/rechenwerk/rechenwerk.f90"
"$CC" -std=c17 -Wall -Wextra -Werror -I"$SOURCE/include" -c "$SOURCE/tests/fortran/layouts.c" -o layouts-c.o
link=(-L"$BUILD" -lrechenwerk "-Wl,-rpath,$BUILD")
"$fc" -std=f2018 "$SOURCE/tests/fortran/layouts.f90" layouts-c.o rechenwerk.o "${link[@]}" -o layouts
"$fc" -std=f2018 "$SOURCE/examples/solve.f90" rechenwerk.o "${link[@]}" -o solve
"$fc" -std=f2018 -Wall -Wextra -Werror "$SOURCE/examples/own_operator.f90" rechenwerk.o "${link[@]}" -o own_operator
./layouts
./solve cpu
./own_operator cpu
