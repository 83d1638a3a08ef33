#!/usr/bin/env bash
# Every command and every whole case shown in README.md, the tutorial, the pages of methods and how-to pages runs.
# Lines that need a GPU or NumPy are left out where there is none; `make` has its own tests. Short: README.md and the
# pages a new user reads first. Environment: SOURCE, RECHENWERK, RECHENWERK_TEST_LONG.
# TEST: optimised
set -euo pipefail
source "$SOURCE/tests/python.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$RECHENWERK" "$work/bin/rechenwerk"
export PATH="$work/bin:$PATH"
cd "$work"
ln -s "$SOURCE/cases" cases
ln -s "$SOURCE/bench" bench
ln -s "$SOURCE/examples" examples
ln -s "$SOURCE/docs" docs
ln -s "$SOURCE/cases/pictures" pictures # which the case under Data of docs/methods/pde.md reads
RECHENWERK_LIBRARY=$(dirname "$RECHENWERK")/librechenwerk.so
export RECHENWERK_LIBRARY
gpu=no
rechenwerk info --json | grep -q '"name": *"cuda:0"' && gpu=yes

# blocks KIND FILE: the fenced blocks of a page, one file each in blocks/
blocks() {
    rm -rf blocks
    mkdir blocks
    awk -v kind="$1" '/^```/ { if (open) open = 0; else { open = ($0 == "```" kind); if (open) n++ } next }
        open { print > ("blocks/" sprintf("%03d", n)) }' "$SOURCE/$2"
}

ran=0
run_line() {
    local line=${1%%#*}
    case $line in "" | make*) return ;; *cuda:*) [ $gpu = yes ] || return 0 ;; esac
    case $line in python3*) line="$(python_with numpy) -B ${line#python3}" || return 0 ;; esac
    line=${line//build\/rechenwerk/rechenwerk}
    line=${line/rechenwerk run/rechenwerk run --set checks=\{\} --set time.end=0.001 -q}
    case $line in *--restart* | *--force*) ;; *) line=${line/rechenwerk run/rechenwerk run --force} ;; esac
    echo "+ $line"
    bash -ec "$line" >log 2>&1 || { cat log; echo "FAILED: $1"; exit 1; }
    ran=$((ran + 1))
}

short="README.md docs/tutorial/first-case.md docs/how-to/solve-a-system.md docs/how-to/run-a-case.md"
for page in README.md docs/tutorial/first-case.md docs/methods/{pde,depgraph,rates,sparse,multiblock,precond,fft}.md \
    docs/how-to/{laboratory,solve-a-system,run-a-case,share-memory}.md; do
    [ "${RECHENWERK_TEST_LONG:-}" = 1 ] || [[ " $short " = *" $page "* ]] || continue
    blocks yaml $page
    for block in blocks/*; do
        grep -q '^problem:' "$block" || continue
        name=$(basename "$page" .md)
        cp "$block" "$name.yaml"
        [ "$page" = docs/tutorial/first-case.md ] && cp "$block" plate.yaml
        echo "+ case of $page"
        short_end=(--set time.end=0.001)
        grep -q 'end: steady' "$block" && short_end=()
        rechenwerk run "$name.yaml" -o "results/$name" -q "${short_end[@]}" --force
        ran=$((ran + 1))
    done
    blocks sh $page
    for block in blocks/*; do
        [ -f "$block" ] || continue
        # a line that ends in a backslash goes on in the next
        while IFS= read -r line; do
            run_line "$line"
        done < <(sed -e ':a' -e '/\\$/ { N; s/\\\n *//; ta' -e '}' "$block")
    done
done

# the mistake that the tutorial shows
sed 's/laplace/laplce/' plate.yaml >wrong.yaml
rechenwerk run wrong.yaml -o results/wrong 2>message && exit 1
grep -q ':5:23: function laplce is unknown; nearest is laplace' message ||
    { cat message; echo "FAILED: the tutorial's message"; exit 1; }
[ $ran -ge 8 ] || { echo "only $ran commands found"; exit 1; }
echo "$ran commands and cases"
