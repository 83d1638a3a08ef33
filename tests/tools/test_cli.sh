#!/bin/bash
# The command as a person uses it: every subcommand with one argument too few and one too many, help, unknown options
# with the nearest name, exit codes, JSON, completion, the manual page, and a run with all that can go wrong with it.
# Environment: RECHENWERK, the command; RECHENWERK_TEST_LONG.
# shellcheck source=tests/tools/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh" || exit 1
export RECHENWERK_CACHE="${RECHENWERK_CACHE:-$work/cache}"

# ---- usage -----------------------------------------------------------------------------------------------------------

expect 2 "usage: rechenwerk COMMAND"
expect 0 "usage: rechenwerk COMMAND" --help
expect 0 "usage: rechenwerk COMMAND" -h
expect 2 "" --help run
expect 0 "rechenwerk 0." --version
expect 2 "takes no argument" --version x
expect 2 "unknown subcommand 'rum'; nearest is run" rum case.yaml
expect 2 "unknown option '--hepl'" --hepl
commands="run check explain plot init list help info cache selftest bench lab matrix generate solve spmv tune convert"
commands+=" fft convolve image spectrum signal spectrogram completion"
for c in $commands; do
    expect 0 "usage: rechenwerk $c" "$c" --help
    expect 0 "usage: rechenwerk $c" "$c" -h
    expect 0 "usage: rechenwerk $c" help "$c"
    expect 2 "unknown option '--nosuch'" "$c" --nosuch
    expect 2 "unknown option '-Z'" "$c" -Z
done
# one too few
for c in run check explain plot init completion lab matrix generate solve spmv tune convert fft convolve; do
    expect 2 "$c: an argument is missing" "$c"
done
# empty ones
for c in run check explain plot solve lab; do expect 2 "$c: argument 1 is empty; usage: rechenwerk $c" "$c" ""; done
expect 2 "image: argument 2 is empty" image in.png ""
# one too many
for c in run check explain plot init completion list help bench lab matrix generate spmv tune convert; do
    expect 2 "unexpected argument" "$c" a b
done
expect 2 "unexpected argument" solve a b c
expect 2 "unexpected argument" fft a b c
expect 2 "unexpected argument" convolve a b c d
for c in info cache selftest; do expect 2 "'a': unexpected argument" "$c" a; done
# options
expect 2 "nearest is --restart" run case.yaml --restar
expect 2 "--output needs a value" run case.yaml --output
expect 2 "--output needs a value" run case.yaml -o
expect 2 "--force takes no value" run case.yaml --force=yes
expect 2 "exclude each other" run case.yaml --force --restart
expect 2 "--until soon is not a number" run case.yaml --until soon
expect 2 "--time now is not a number" plot results --time now
expect 2 "unexpected argument" run -- -a -b
expect 2 "exclude each other: give one of them" cache --clear --path
expect 2 "--device needs --trace" cache -d cpu
expect 2 "--output needs --graph" explain case.yaml -o step.dot
expect 2 "--stages needs --graph" explain case.yaml -n 9
expect 2 "--stages many is not a number" explain --graph case.yaml --stages many
for n in 0 -3 7.5 1e9; do
    expect 2 "--stages $n is not an integer from 1 to 100000" explain --graph case.yaml --stages $n
done

# ---- what there is ---------------------------------------------------------------------------------------------------

expect 0 "pde" list problems
expect 0 "time.rtol" list settings
expect 0 "laplace" list functions
expect 0 "    sigma=1                 standard deviation in pixels (number in (0, 1000])" list filters
[ "$(awk 'length($0) > 100' out | wc -l)" = 0 ] || fail "list filters: lines of more than 100 columns"
[ "$(grep -c '^[a-z]' out)" -ge 39 ] && grep -q '^close      dilation, then erosion$' out ||
    fail "list filters: $(grep '^close' out)"
grep -q '^    mask=1 2 1/2 4 2/1 2 1  rows of weights' out || fail "list filters: $(grep '^    mask' out)"
expect 0 "" list exit-codes
[ "$(awk 'length($0) > 100' out | wc -l)" = 0 ] || fail "list exit-codes: lines of more than 100 columns"
expect 0 "rkc2" list methods
expect 0 "gmres" list solvers
expect 0 "ilut" list preconditioners
expect 0 "bsell" list formats
expect 0 "130" list exit-codes
expect 0 "problems" list
expect 2 "nearest is problems" list problem
expect 0 "relative tolerance per step" help time.rtol
expect 0 "relative tolerance per step" help rtol
expect 0 "time.method" help time
expect 0 "equations" help pde
printf '%s\n' 'problem: pde' 'grid: {size: [8]}' 'fields: {u: {initial: "0"}}' 'equations: "du/dt = D*dxx(u)"' \
    'time: {end: 1}' >undeclared.yaml
expect 2 "declare a parameter in the case as parameters: {D: …}, or with --set 'parameters.D!=…'" run undeclared.yaml
expect 0 "" explain undeclared.yaml --set 'parameters.D!=2'
# words that are no problem lead to what solves it, and so does a case that names one
for word in poisson Schroedinger ode wave heat Helmholtz eigenvalue steady; do
    expect 0 "" help $word
    [ "$(awk 'length($0) > 110' out | wc -l)" = 0 ] || fail "help $word: long lines"
    printf 'problem: %s\n' $word >wrong.yaml
    expect 2 "wrong.yaml:1:10: problem = $word is unknown: " run wrong.yaml
    grep -q "(rechenwerk help $word)" err || fail "problem $word: $(cat err)"
    [ $word = poisson ] || expect 2 "see rechenwerk help $word" init $word # poisson is a case
done
expect 0 "rechenwerk solve --stencil '4*u - laplace(u)' --grid 100x100" help helmholtz
expect 0 "du/dt = v; dv/dt = c^2*laplace(u)" help d2u/dt2
expect 0 "grid: none" help ode
expect 0 "u_mean" help integral
expect 0 "abs, conj, exp, sin" help complex
sed -n '/^  problem: pde/,/^$/s/^  //p' <("$RECHENWERK" help ode) >ode.yaml
expect 0 "t = 10" run ode.yaml -o ode
sed -n '/^  problem: pde/,/^The section/s/^  //p' <("$RECHENWERK" help poisson) >poisson.yaml
expect 0 "residual" run poisson.yaml -o poisson
expect 0 "method   transform: " explain poisson.yaml
expect 0 "laplace" help laplace
expect 2 "nearest is time.rtol" help time.rtoll
expect 2 "takes no name" help --man run
expect 0 "cpu" info
expect 0 "folder" cache
expect 0 "/" cache --path
expect 0 "entries" cache --json
expect 0 "reduce" selftest
expect 4 "cpu" selftest -d cpuu
expect 0 "" bench
expect 0 "rock4: " lab list
expect 2 "nearest is rock4" lab rock
expect 2 "nearest is markdown" lab rock4 --format markdwn
expect 2 "omit --format" lab rock4 --format csv -o folder
expect 2 "nearest is sizes" lab rock4 --set size=16
expect 2 "tol = 0 is outside [1e-11, 0.1]" lab rock4 -s tol=0
expect 2 "nearest is precision" lab rock4 -t precison
expect 4 "cpuu" lab rock4 -d cpuu
expect 0 "published" lab rock4 -s sizes=8,16 -s tol=1e-3 -s runs=1 -d cpu:1 -d cpu -t times
expect 0 "lab/rock4-seconds.png" lab rock4 -s sizes=8,16 -s tol=1e-3 -s runs=1 -d cpu:1 -o lab
for file in rock4.txt rock4.md rock4.json rock4-times.csv rock4-work.csv rock4-precision.csv rock4-solution.png; do
    [ -s "lab/$file" ] || fail "lab -o lab: $file is missing"
done
expect 0 "" lab rock4 -s sizes=8,16 -s tol=1e-3 -s runs=1 -d cpu:1 -t times -q -o lab
[ -s out ] && fail "lab -q prints $(cat out)"
expect 0 "precision: " lab list
expect 0 "rock4" lab precision -s problems=front -s methods=rock4 -s tolerances=1e-2 -s runs=1 -t work
expect 2 "2 devices are given, but this study runs on one" lab precision -d cpu:1 -d cpu
expect 2 "methods = rock5 is none of rkc2, rkl2, rock2, rock4, dp5, auto" lab precision -s methods=rock5
expect 1 "no.csv" lab precision -s peers=no.csv
expect 0 "E.7: grey, global memory" lab convolution -t e7 -s masks=3 -s sizes=16,512 -s seconds=0 -d cpu:1
if [ "${RECHENWERK_TEST_LONG:-}" = 1 ]; then # many kernels
    expect 0 "" lab convolution -s masks=3 -s sizes=16 -s seconds=0 -d cpu:1 -q -o conv
    for table in e7 e8 e9 e10 e11 e12 e13 e14 e15 e16 e17 e18 e19 e20 e21 e22 e23 speedups; do
        grep -q "^[a-z,]*mask,.*16" "conv/convolution-$table.csv" ||
            fail "no column of 16 pixels in convolution-$table.csv"
    done
fi
expect 2 "masks: 4 is even" lab convolution -s masks=4 -d cpu:1
expect 2 "seconds = -1 is outside" lab convolution -s seconds=-1 -d cpu:1
expect 2 "unknown shell" completion tcsh
for shell in bash zsh fish; do expect 0 "rechenwerk" completion $shell; done

if command -v python3 > /dev/null; then
    for call in "info --json" "list --json" "list settings --json" "help --json" "cache --json" "selftest --json" \
        "lab rock4 -s sizes=8 -s runs=1 -d cpu:1 -t times --format json"; do
        # shellcheck disable=SC2086
        "$command" $call | python3 -c 'import json, sys; json.load(sys.stdin)' || fail "rechenwerk $call is no JSON"
    done
fi
"$command" completion bash > completion.bash && bash -n completion.bash || fail "completion bash"
words() { # words LINE...: what the completion offers for the last word
    (
        # shellcheck disable=SC1091
        . ./completion.bash
        compopt() { :; }
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rechenwerk; echo "${COMPREPLY[*]}"
    )
}
[ "$(words rechenwerk ru)" = run ] || fail "completion of ru: $(words rechenwerk ru)"
[ "$(words rechenwerk run --rest)" = --restart ] || fail "completion of --rest"
[ "$(words rechenwerk run -s time.rt)" = time.rtol= ] ||
    fail "completion of time.rt: $(words rechenwerk run -s time.rt)"
[ "$(words rechenwerk lab rock4 -s siz)" = sizes= ] ||
    fail "completion of a parameter: $(words rechenwerk lab rock4 -s siz)"
[ "$(words rechenwerk generate tr)" = trace ] || fail "completion of a kind of matrix: $(words rechenwerk generate tr)"
[ "$(words rechenwerk lab ro)" = rock4 ] || fail "completion of a study: $(words rechenwerk lab ro)"
[ "$(words rechenwerk help pd)" = pde ] || fail "completion of pd"
[ "$(words rechenwerk solve a.mtx -m fgm)" = fgmres ] || fail "completion of a method"
[ "$(words rechenwerk solve a.mtx --precond ilut)" = ilut ] || fail "completion of a preconditioner"
[ "$(words rechenwerk image a.png b.png --op equal)" = equalize ] || fail "completion of an operation of images"
[ "$(words rechenwerk signal a.wav b.wav --op lowp)" = lowpass ] || fail "completion of an operation of signals"
[ "$(words rechenwerk init heat-2)" = heat-2d ] || fail "completion of a case: $(words rechenwerk init heat-2)"
[ "$(words rechenwerk convert a.mtx --format bsel)" = bsell ] || fail "completion of a format"

# these letters mean the same in every command, and these options have their letter in each
for c in $commands; do
    "$command" "$c" --help > out
    grep -oE '^ +(-[dfoqsv], --|--(device|force|output|quiet|set|verbose)\b).*' out |
        grep -vE '^ +-(d, --device|f, --force|o, --output|q, --quiet|s, --set|v, --verbose)\b' &&
        fail "$c --help: a letter that is another option's"
done

# help fits into 80 columns, or into those of the terminal
for columns in '' 60 120; do
    for c in $commands; do
        COLUMNS=$columns "$command" "$c" --help > out
        # characters, of lines that could have been broken
        widest=$(tr -d '\200-\277' < out | awk 'NF > 1 && length > n { n = length } END { print n }')
        [ "$widest" -le "${columns:-80}" ] || fail "$c --help with ${columns:-80} columns has $widest"
    done
done
[ "$widest" -gt 60 ] || fail "help does not use a wide terminal"
expect 0 "derivative g along the outward normal" help neumann
expect 0 "fields.NAME.boundary" help boundary
expect 0 "the domain continues at the other side" help periodic
expect 0 "type: complex" help complex
awk '/^[A-Z]/ && length($0) < 50 && !/[.:]$/ { exit 1 }' out || fail "help complex: $(cat out)"
command -v zsh > /dev/null && { "$command" completion zsh > c.zsh; zsh -n c.zsh || fail "completion zsh"; }
command -v fish > /dev/null && { "$command" completion fish > c.fish; fish -n c.fish || fail "completion fish"; }
"$command" help --man > rechenwerk.1 || fail "help --man"
grep -q '^\.SH EXIT STATUS' rechenwerk.1 || fail "the manual page has no exit status"
if command -v man > /dev/null; then
    warnings=$(LC_ALL=C.UTF-8 MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 -Z rechenwerk.1 2>&1 > /dev/null)
    [ -z "$warnings" ] || fail "the manual page: $warnings"
fi
"$command" list > /dev/full 2> err && fail "a full disk behind list is no failure"

# ---- cases -----------------------------------------------------------------------------------------------------------

expect 0 "problem: pde" init pde
expect 0 "problem: flow" init flow
expect 2 "'pdee' is neither a problem nor a ready case; nearest is pde" init pdee
expect 2 "nearest is gray-scott" init gray-scot
expect 0 "" init pde -o first.yaml
expect 2 "it is not overwritten" init pde -o first.yaml
# each ready case runs where init put it, with the files that it reads; files that exist stay as they are
"$RECHENWERK" list cases | awk '/^[a-z]/ { print $1 }' >cases
mkdir ready
[ "$(wc -l <cases)" -ge 9 ] || fail "list cases: $(cat cases)"
while read -r name; do
    expect 0 "" init "$name" -o "ready/$name.yaml" </dev/null
    expect 0 "" explain "ready/$name.yaml" </dev/null
done <cases
expect 0 "" run ready/allen-cahn.yaml -o ready/run -s time.end=1e-4 -s output.every=1e-4 -s checks={}
echo mine >ready/pictures/letters.png
expect 0 "'ready/pictures/letters.png' exists and is not overwritten" init allen-cahn -o ready/second.yaml
[ "$(cat ready/pictures/letters.png)" = mine ] || fail "init overwrites a picture"
expect 2 "second.yaml:7:26: ready/pictures/letters.png: is not in a supported format" run ready/second.yaml -o ready/out
expect 0 "the case reads pictures/letters.png; init -o FILE.yaml copies it too" init allen-cahn
expect 0 "outputs" run first.yaml -o template --set grid.size=[16,16]
expect 0 "" run template/settings.yaml -o again -q
[ -s out ] && fail "run -q prints $(cat out)"
cmp -s template/series.csv again/series.csv || fail "settings.yaml does not run the same case again"

cat > heat.yaml <<'END'
problem: pde
grid: {size: [24, 20], extent: [1, 1]}
fields: {u: {initial: "sin(pi*x)*sin(pi*y)", boundary: "0", unit: K}}
equations: "du/dt = laplace(u)"
time: {end: 0.05, rtol: 1e-4}
output: {every: 0.01}
END
expect 0 "heat" run heat.yaml
[ -s results/heat/figures/u-000005.png ] || fail "no picture of the last output"
expect 2 "is not empty" run heat.yaml
expect 0 "" run heat.yaml --force
expect 0 '"reason": "done"' run heat.yaml -f --json
expect 0 "" run heat.yaml --restart --until 0.06
expect 2 "checkpoint of another case" run heat.yaml --restart -s grid.size=[20,20]
expect 0 "results/heat/figures/u-000006.png" plot results/heat
expect 0 "u.png" plot results/heat --field u --time 0.02 -o u.png
expect 0 "u_mean" plot results/heat --field u_mean -o pictures
expect 0 "u-000001.png" plot results/heat/fields/000001.h5 -o pictures
expect 2 "holds no field 'w'; there is u" plot results/heat -F w
expect 2 "cannot open 'nowhere'" plot nowhere
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '4 6 9' '1 1 1' '1 4 2' '2 2 3' '2 3 4' '2 4 5' '3 5 6' \
    '3 6 7' '4 5 8' '4 6 9' > m.mtx
expect 0 "-> bcsr:2x2:f64: its product moves the fewest bytes" matrix m.mtx -o m.png
grep -qE '^-> bcsr:2x2:f64 +128 B +208 B +1\.333$' out || fail "memory and product of bcsr:2x2: $(grep bcsr out)"
expect 0 '"best": "bcsr:2x2:f64"' matrix m.mtx --json
expect 0 '{"name": "bcsr:2x2:f64", "bytes": 128, "moved": 208,' matrix m.mtx --json
expect 0 "no size from 2 x 2 to 8 x 8" matrix m.mtx
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '4 4 8' '1 1 1' '1 2 2' '2 1 3' '2 2 4' '3 1 5' '3 2 6' \
    '4 1 7' '4 2 8' > full.mtx
expect 0 "2 of 2 x 2 hold all entries, 100 % full" matrix full.mtx
expect 0 '"block": 2,' matrix full.mtx --json
[ -s m.png ] || { echo "no m.png"; bad=1; }
expect 0 "bcsr:2x2:f64" spmv m.mtx --quick
expect 0 "vectors f32" spmv m.mtx --quick --format csr,bsell:2x3,dia --values f32
expect 0 '"format": "bcsr:2x2:f64", "bytes": 128' spmv m.mtx --quick --format auto --json
expect 0 "-> " tune m.mtx --quick --vectors f32
expect 0 '"chosen": "' tune m.mtx --quick --json
expect 2 "nearest is bcsr" spmv m.mtx --format csr,bscr:5
expect 2 "format = \"\" is empty" spmv m.mtx --format csr,
expect 2 "4 x 6 cannot be divided into blocks of 5 x 5" spmv m.mtx --format bsell:5x5
expect 2 "--values f16: must be f32 or f64" tune m.mtx --values f16
for n in 0 -1 2.5 100001; do
    for c in "spmv m.mtx" "tune m.mtx" "bench copy"; do
        # shellcheck disable=SC2086
        expect 2 "--rounds $n is not an integer from 1 to 100000" $c -n $n
    done
done
expect 2 "41 formats are given, at most 40 are allowed" spmv m.mtx --format "csr$(printf ',csr%.0s' $(seq 40))"
# every column of a table is explained below it, sizes have a unit
for c in "matrix m.mtx" "spmv m.mtx --quick" "tune m.mtx --quick"; do
    [ "${c%% *}" != tune ] || [ "${RECHENWERK_TEST_LONG:-}" = 1 ] || continue
    # shellcheck disable=SC2086
    expect 0 "" $c
    for column in $(sed -n 's/of copy/copy/; s/GB.s//; s,/us,,g; s/^   format //p' out); do
        awk '/^$/ { below = NR } { text[NR] = $0 } END { for (i = below; i <= NR; i++) print text[i] }' out |
            grep -q "$column: " || fail "$c says nothing on the column $column"
    done
    grep -qE '^(->|  ) csr:f64 +[0-9.]+ B ' out || fail "$c: no size in bytes: $(cat out)"
done
expect 2 "cannot open 'nowhere.mtx'" tune nowhere.mtx
expect 4 "cpuu" spmv m.mtx -d cpuu
expect 2 "cases/laser.yaml:1: not a Matrix Market file" matrix "$SOURCE/cases/laser.yaml"
expect 2 "cannot open 'nowhere.mtx'" matrix nowhere.mtx
expect 2 "is not a results folder" plot pictures
expect 2 "heat.yaml" plot heat.yaml
expect 0 "" run heat.yaml -o bare -q -s output.fields=[] -s output.figures=[]
expect 2 "no column 'w'" plot bare -F w
expect 2 "choose one column" plot bare -o bare.png
expect 0 "u_mean" plot bare
expect 0 "memory" explain heat.yaml
expect 0 "one part per tile through the whole step: not possible" explain --graph heat.yaml
expect 0 ", 12 stages;" explain -g -n 12 heat.yaml -s time.method=rock4
expect 0 "possible, the parts are disjoint" explain --graph heat.yaml -o step.dot
grep -q '^  subgraph cluster_0 {' step.dot || fail "no box in step.dot"
command -v dot > /dev/null && { dot -Tsvg step.dot > step.svg || fail "Graphviz does not read step.dot"; }
expect 2 "--output heat.yaml is an input file and would be overwritten" explain --graph heat.yaml -o heat.yaml
expect 1 "nowhere/step.dot" explain --graph heat.yaml -o nowhere/step.dot
expect 2 "nowhere.yaml" explain --graph nowhere.yaml
expect 0 "" cache --trace heat.yaml
expect 2 "nowhere.yaml" run nowhere.yaml
expect 2 "nowhere.yaml" explain nowhere.yaml
expect 2 "time.ende is unknown; nearest is time.end" run heat.yaml -o x -s time.ende=1
sed 's/\[24, 20\]/[0, 20]/' heat.yaml > zero.yaml
expect 2 "zero.yaml:2:15: grid.size = 0 is outside" run zero.yaml
expect 5 "free: choose a smaller size" run heat.yaml -o x -s grid.size=[30000000,30000000]
expect 4 "cuda" run heat.yaml -o x -d cuda:99
expect 4 "cpu" run heat.yaml -o x -d cpuu
expect 4 'rechenwerk: -d: device "cpu:" is unknown' run heat.yaml -o x -d cpu:
expect 4 "rechenwerk: --set device=gpu: device" run heat.yaml -o x --set device=gpu
expect 2 "parameters.new is not in the case" run heat.yaml -o x -s parameters.new=1
expect 2 "parameters.new is not in the case" explain heat.yaml -s parameters.new=1
expect 0 "problem pde" explain heat.yaml -s 'parameters.new!=1'
expect 2 "rechenwerk: --set equations, 1:9: function lapl is unknown; nearest is laplace" \
    run heat.yaml -o x -s 'equations=du/dt = lapl(u)'
expect 2 "fields.u.initial is not a number at node" run heat.yaml -o x -s 'fields.u.initial=sqrt(x - 0.5)'
[ -e x ] && fail "a refused case leaves a folder"
[ -e x ] && fail "a refused run leaves a folder behind"
expect 1 "/proc/results" run heat.yaml -o /proc/results
expect 1 "Not a directory" run heat.yaml -o heat.yaml/x

# Ctrl-C: the step is finished, the state saved, and what is printed continues the run.
cp heat.yaml long.yaml
"$command" run long.yaml -o 'l o' -s time.end=50 -s time.max_step=1e-5 -s output.every=10 \
    -s output.series_steps=1000 > out 2> err &
pid=$!
steps() { sed -n 's/^  "steps": \([0-9]*\).*/\1/p' 'l o/run.json'; }
rows() { [ "$(wc -l < 'l o/series.csv')" -gt "$1" ]; }
await rows 5 # more than names, units and t = 0
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail "interrupted: not exit code 130: $(cat err)"
grep -q '"reason": "interrupted"' 'l o/run.json' || fail "run.json does not say interrupted"
line=$(sed -n 's/^To continue:  rechenwerk //p' err)
[ -n "$line" ] || fail "nothing says how to continue"
step=$(steps) known=$(wc -l < 'l o/series.csv')
eval "\"\$command\" $line > out 2> err &"
pid=$!
await rows "$known"
kill -INT $pid $pid # as timeout does: to the program and to its group
wait $pid
grep -q "'l o/checkpoint.h5'" err || fail "the printed line does not continue: $(cat err)"
[ "$(steps)" -gt "$step" ] || fail "continued at step $step, and is at step $(steps)"

# A file system of one megabyte, where that may be made.
if [ "$(id -u)" = 0 ] && mkdir tiny && mount -t tmpfs -o size=300k none tiny 2> /dev/null; then
    expect 1 "No space left" run heat.yaml -o tiny/r -s grid.size=[64,64] -s output.figures=[]
    grep -q '"exit_code": 1' tiny/r/run.json 2> /dev/null || [ ! -s tiny/r/run.json ] || fail "full disk: run.json"
    umount tiny
fi

if [ $bad -gt 0 ]; then echo "$bad failures"; exit 1; fi
echo "all good"
