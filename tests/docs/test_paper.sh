#!/usr/bin/env bash
# The page "From equations on paper to a case": each of its cases is checked by the command and runs to its end with its
# own checks, by the commands of the page. Lines shown of a case in cases/ are lines of that file, and numbers that the
# text names are those of the results. Environment: SOURCE, RECHENWERK.
set -euo pipefail
export LC_ALL=C
source "$SOURCE/tests/python.sh"
page=$SOURCE/docs/how-to/from-paper-to-case.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir bin
ln -s "$RECHENWERK" bin/rechenwerk
export PATH="$work/bin:$PATH"
ln -s "$SOURCE/cases" cases
fail() { echo "FAILED: $*"; exit 1; }

# Blocks of yaml are named by their first line; the lines of sh blocks are in the file `commands`.
awk '/^```/ { kind = kind ? "" : substr($0, 4); name = ""; next }
    kind == "sh" { print > "commands" }
    kind == "yaml" && !name { name = $2; if (name ~ /^cases\//) { sub(/^cases/, "shown", name) } }
    kind == "yaml" { if (name ~ /^shown/) print > ("shown-" substr(name, 7)); else print > name }' "$page"

for shown in shown-*; do
    while IFS= read -r line; do
        grep -qxF -- "$line" "cases/${shown#shown-}" || fail "cases/${shown#shown-} has no line '$line'"
    done < <(tail -n +2 "$shown")
done

python=$(python_with numpy) || echo "skipped: no NumPy, which writes k.npy"
for case in *.yaml; do
    case $case in shown-*) continue ;; esac
    grep -q "^rechenwerk run $case" commands || fail "no command runs $case"
done
ran=0
while IFS= read -r line; do
    line=${line%%#*}
    case $line in
    python3*) [ -n "$python" ] || continue; line="$python -B ${line#python3}" ;;
    *layers.yaml*) [ -n "$python" ] || continue ;;
    esac
    echo "+ $line"
    bash -ec "$line" >log 2>&1 || { cat log; fail "$line"; }
    case $line in *" run "*)
        grep -q '^checks: \([0-9]*\) of \1 passed$' log || { cat log; fail "$line: no checks"; }
        ran=$((ran + 1)) ;;
    esac
done <commands
[ $ran -eq 12 ] || [ -z "$python" ] || fail "$ran cases, not 12"

# says CASE ROW EXPRESSION FORMAT: the page has this number of series.csv; ROW: 2 is the first, $ the last
says() {
    local number
    number=$(sed -n "$2p" "results/$1/series.csv" | awk -F, "{ printf \"$4\", $3 }")
    grep -q "[^0-9]${number//./\\.}[^0-9]" "$page" || fail "$1: $3 in line $2 of series.csv is $number, not on the page"
}
head -1 results/fisher/series.csv | grep -qx 't,step,u_min,u_max,u_mean,position' || fail "columns of fisher.yaml"
says fisher 2 '$6' %.2f
says fisher '$' '$6' %.2f
says schnakenberg '$' '$5' %.3f
says schnakenberg '$' '$4' %.1f
says allen-cahn '$' '$6/$7' %.2f
echo "$ran cases"
