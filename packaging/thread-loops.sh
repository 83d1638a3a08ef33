#!/usr/bin/env bash
# The loops of the host under the thread sanitizer, with several OpenMP threads. gcc's libgomp hides its barriers from
# the sanitizer; clang's libomp reports them through the tool Archer, so that a race in a loop is found and a barrier is
# not taken for one.
#   packaging/thread-loops.sh [BUILD]        (default: build/thread-omp)
# Builds the tests of the folders with such loops and runs them. Status 77, with the reason, where a tool is missing.
set -euo pipefail

build=${1:-build/thread-omp}
skip() {
    echo "thread-loops.sh: skipped: $1" >&2
    exit 77
}
command -v clang >/dev/null || skip "clang is missing (Debian, Ubuntu: apt install clang)"
archer=$(find /usr/lib/llvm-* "$(dirname "$(clang -print-libgcc-file-name)")" -name libarcher.so 2>/dev/null |
    head -n 1 || true)
[ -n "$archer" ] || skip "libomp with Archer is missing (Debian, Ubuntu: apt install libomp-dev)"
probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
printf '%s\n' '#include <omp.h>' 'int main(void) { int n = 0;' '#pragma omp parallel for reduction(+ : n)' \
    'for (int i = 0; i < 100; ++i) n += i;' 'return n != 4950; }' >"$probe/probe.c"
clang -fopenmp -fsanitize=thread "$probe/probe.c" -o "$probe/probe" 2>"$probe/log" ||
    skip "clang does not compile OpenMP with -fsanitize=thread: $(head -n 1 "$probe/log")"

cmake --log-level=NOTICE --preset thread-omp -B "$build" -DRECHENWERK_ARCHER="$archer"
folders="sparse precond field multiblock"
targets=()
for folder in $folders; do
    for test in tests/"$folder"/test_*.c; do
        name=$(basename "$test" .c)
        targets+=("test-$folder-${name#test_}")
    done
done
cmake --build "$build" --parallel "${JOBS:-$(nproc)}" --target "${targets[@]}"
ctest --test-dir "$build" -L "^(${folders// /|})$" -LE '^short$' --no-tests=error --output-on-failure
