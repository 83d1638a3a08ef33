# For scripts that run a small case, sourced first: what expect.sh gives, a cache of compiled programs, and heat.yaml,
# which makes three outputs. Environment: RECHENWERK, the command.
# shellcheck source=tests/tools/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tools/expect.sh" || exit 1
export RECHENWERK_CACHE="${RECHENWERK_CACHE:-$work/cache}"

cat > heat.yaml <<'END'
problem: pde
grid: {size: [12, 12], extent: [1, 1]}
fields: {u: {initial: "sin(pi*x)*sin(pi*y)", boundary: "0"}}
equations: "du/dt = laplace(u)"
time: {end: 0.02, rtol: 1e-4}
output: {every: 0.01}
END
# all files with their contents, but for what tells times or counts restarts
state() {
    (
        cd "$1" && find . -type f ! -name run.json ! -name log.jsonl ! -name run.files ! -name checkpoint.h5 \
            -exec sha256sum {} + | sort -k2
        find . ! -type f | sort
    )
}
