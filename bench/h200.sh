#!/usr/bin/env bash
# The spine and the expression compiler on a GPU machine that has gcc and cmake but not the libraries that the rest of
# Rechenwerk links: builds the library and the benchmarks alone, checks every kernel and 2,000 random
# expressions on CUDA and on the GPU's OpenCL driver, then measures and prints one table a device.
#
#   bench/h200.sh                  all but `formats`, which takes minutes alone
#   bench/h200.sh sparse krylov    these, without the peers in Python
#   bench/h200.sh variants         the other parameters of the kernels too, a row each, cuda:0 only
#
# Tables and JSON also go to $OUT when that is set. Needs gcc with OpenMP, cmake, pkg-config, libcuda,
# libnvrtc; libcufft, libcusparse, libOpenCL and python3 with CuPy and PyTorch where they are there.
set -u
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-/tmp/rechenwerk-spine}
out=${OUT:-$build/out}
mkdir -p "$build" "$out"
export RECHENWERK_CACHE=$build/cache OMP_WAIT_POLICY=passive
start=$SECONDS
say() { printf '\n== %s  [%d s]\n' "$*" $((SECONDS - start)); }

# ---- build ---------------------------------------------------------------------------------------------------------
cmake -S . -B "$build" -DRECHENWERK_RUN=OFF >"$build/cmake.log" 2>&1 &&
    cmake --build "$build" --target spine --parallel >>"$build/cmake.log" 2>&1 || { cat "$build/cmake.log"; exit 1; }
spine=$build/spine

# ---- which OpenCL device is the GPU: the one whose name says so ----------------------------------------------------
opencl=
for i in 0 1 2 3; do
    name=$("$spine" run "opencl:$i" launch quick no-peers 2>/dev/null | head -1)
    case $name in *NVIDIA*) opencl=opencl:$i && break ;; esac
done
say "built; CUDA device cuda:0, OpenCL device ${opencl:-none}"
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader 2>/dev/null

if [ "${1:-}" = variants ]; then
    for name in fft256 filter; do "$spine" run cuda:0 $name variants | tee "$out/variants_$name.txt"; done
    say done
    exit 0
fi

# ---- correct first -------------------------------------------------------------------------------------------------
jobs=()
bad=0
for dev in cuda:0 $opencl; do # at once: most of the time is compiling
    "$spine" check "$dev" >"$out/check_${dev%%:*}.txt" 2>&1 &
    jobs+=($!)
    "$spine" reference "$dev" tests/expr/random_expressions.txt >"$out/reference_${dev%%:*}.txt" 2>&1 &
    jobs+=($!)
done
for job in "${jobs[@]}"; do wait "$job" || bad=1; done
cat "$out"/check_*.txt "$out"/reference_*.txt
say "checked"

# ---- then fast -----------------------------------------------------------------------------------------------------
for dev in cuda:0 $opencl; do
    : >"$out/bench_${dev%%:*}.txt"
    all="fft256 filter dot fft convolution elliptic flow rates laser rkc rock launch sparse precond krylov"
    for name in ${*:-$all}; do
        "$spine" run "$dev" "$name" >"$build/rows.txt" || bad=1
        tee -a "$out/bench_${dev%%:*}.txt" <"$build/rows.txt"
    done
    say "$dev measured"
done
[ $# = 0 ] && command -v python3 >/dev/null &&
    timeout 90 python3 bench/peers/gpu_peers.py 2>&1 | grep -v Warning | tee "$out/peers.txt"
say "done, $([ $bad = 0 ] && echo all correct || echo WITH WRONG RESULTS)"
exit $bad
