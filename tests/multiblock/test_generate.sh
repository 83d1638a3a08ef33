#!/usr/bin/env bash
# rechenwerk generate: sizes before the fact and files that agree with them, both kinds, what options mean, what is
# refused.
# Environment: RECHENWERK, the command.
# shellcheck source=tests/tools/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tools/expect.sh" || exit 1

# number NAME: of the JSON in out
number() { sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" out; }

# file_agrees ARGUMENTS...: the file has the rows, columns and entries that were announced, and about the bytes
file_agrees() {
    expect 0 '"file": "a.mtx"' generate "$@" --json -f -o a.mtx
    local sizes bytes file
    sizes=$(sed -n 2p a.mtx)
    [ "$sizes" = "$(number rows) $(number columns) $(number entries)" ] ||
        fail "generate $*: the file has $sizes: $(cat out)"
    [ "$(($(wc -l <a.mtx) - 2))" = "$(number entries)" ] || fail "generate $*: other entries"
    bytes=$(wc -c <a.mtx) file=$(number file_bytes)
    if [ $((bytes * 95)) -gt $((file * 100)) ] || [ $((file * 95)) -gt $((bytes * 100 + 10000)) ]; then
        fail "generate $*: $bytes bytes, announced were $file"
    fi
}

# what the document says of its fourth case
expect 0 'euler3d, truncated, compact index, complex' generate trace --stencil euler3d --cells 10x40x80 --complex
for line in 'rows  *160000$' 'blocks  *389600 of 5 x 5' 'entries  *9740000$'; do
    grep -q "$line" out || fail "sizes: no $line in $(cat out)"
done
[ -e A.mtx ] && fail "a file without --output"
expect 0 '"blocks": 416000' generate trace --cells 10x40x80 --mode full --index extended --json
[ "$(number rows)" = 258720 ] || fail "extended rows: $(cat out)"
expect 0 '"blocks": 208000' generate trace --cells 20x40x20 --mode full --index stored --json
[ "$(number rows) $(number columns)" = "80000 126720" ] || fail "stored rows: $(cat out)"

file_agrees trace --cells 4x5x6
file_agrees trace --cells 4x5x6 --complex --omega 0.5 --seed 3 --zeros
file_agrees trace --cells 7x6 --stencil ns2d --complex
file_agrees trace --cells 3x4x5 --stencil ns3d --blocks 2x2x1 --mode inner --periodic
file_agrees trace --cells 3x4x5 --blocks 2 --mode full --index extended --block 1
file_agrees laplace --cells 100
file_agrees laplace --cells 20x30
file_agrees laplace --cells 8x9x10
"$RECHENWERK" matrix a.mtx >out
grep -q '720 x 720, 4556 entries, real, symmetric' out || fail "laplace: $(head -1 out)"
expect 0 '' generate laplace --cells 3 -f -o three.mtx
printf '3 3 7\n1 1 2\n1 2 -1\n2 1 -1\n2 2 2\n2 3 -1\n3 2 -1\n3 3 2\n' >expected
sed 1d three.mtx | cmp -s - expected || fail "laplace of three cells: $(cat three.mtx)"
expect 0 '' generate laplace --cells 1 -f -o one.mtx
[ "$(tail -1 one.mtx)" = "1 1 2" ] || fail "laplace of one cell"

# the same numbers again, other ones of another seed; one grid block of the document is a part of the whole
expect 0 '' generate trace --cells 3x3x3 -o first.mtx
expect 0 '' generate trace --cells 3x3x3 --seed 0 -o second.mtx
cmp -s first.mtx second.mtx || fail "the same call gives another file"
expect 0 '' generate trace --cells 3x3x3 --seed 1 -o third.mtx
cmp -s first.mtx third.mtx && fail "seeds do not matter"

# refused
expect 2 "'first.mtx' exists already: use --force to overwrite it" generate trace --cells 3x3x3 -o first.mtx
expect 2 "unknown kind of matrix 'trac'; nearest is trace" generate trac --cells 3
expect 2 "the grid is missing: give --cells" generate trace
expect 2 'cells = 3x0 is outside [1, 1000000]' generate trace --cells 3x0
expect 2 'nearest is euler3d' generate trace --cells 3x3x3 --stencil euler3
expect 2 'nearest is truncated' generate trace --cells 3x3x3 --mode trunkated
expect 2 'nearest is compact' generate trace --cells 3x3x3 --index compakt
expect 2 "unknown option '--complx'; nearest is --complex" generate trace --cells 3x3x3 --complx
expect 2 "seed = 1.5 is not an integer" generate trace --cells 3x3x3 --seed 1.5
expect 2 "seed = -1 is outside" generate trace --cells 3x3x3 --seed -1
expect 2 "omega = much is not a number" generate trace --cells 3x3x3 --omega much
expect 2 "omega = 1 with a real matrix" generate trace --cells 3x3x3 --omega 1
expect 2 "--periodic needs --mode inner or full" generate trace --cells 3x3x3 --periodic
expect 2 "a compact index has no ghost cells" generate trace --cells 3x3x3 --mode full
expect 2 "a compact index has no ghost cells" generate trace --cells 3x3x3 --mode inner --blocks 2 --block 0
expect 2 "grid block 2 does not exist: there are 2" generate trace --cells 3x3x3 --blocks 2 --block 2
expect 2 "euler2d with 3 cells along r" generate trace --cells 3x3x3 --stencil euler2d
expect 2 "--stencil applies to trace only" generate laplace --cells 3x3 --stencil euler3d
expect 2 "a grid of 1e+12 cells is too large: at most 1e8" generate laplace --cells 1000000x1000000
expect 2 "--cgns defines cells, grid blocks and periodic axes: omit --cells" \
    generate trace --cgns g.cgns --cells 3x3x3
expect 2 "omit --periodic" generate trace --cgns g.cgns --periodic
expect 2 "--cgns applies to trace only" generate laplace --cgns g.cgns
expect 2 "nowhere.cgns" generate trace --cgns nowhere.cgns
expect 1 "the file takes about" generate trace --cells 10000x10000x1000 -o x.mtx
expect 1 "nowhere/x.mtx" generate trace --cells 3x3x3 -o nowhere/x.mtx
[ -e x.mtx ] && fail "a refused matrix leaves a file"

[ $bad -eq 0 ] || exit 1
echo "all good"
