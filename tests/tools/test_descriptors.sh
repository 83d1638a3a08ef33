#!/usr/bin/env bash
# Commands whose parent has closed standard descriptors: nothing that is printed gets into a file, and nothing else goes
# wrong. (The library alone: core.file.)
# shellcheck disable=SC2154
set -u
. "$SOURCE/tests/tools/expect.sh"
run=(run "$SOURCE/cases/heat-1d.yaml" --force)
"$command" "${run[@]}" -o plain > out 2> err || fail "run: $(cat err)"

# same WHAT: the folder has the files of a run with all descriptors, with the same series and list
same() {
    for name in series.csv checkpoint.h5; do
        cmp -s plain/$name closed/$name || fail "$1: another $name: $(diff plain/$name closed/$name)"
    done
    # its first line has the time and the process; pictures are drawn beside the run, so their places differ
    diff <(tail -n +2 plain/run.files | sort) <(tail -n +2 closed/run.files | sort) > out ||
        fail "$1: another run.files: $(cat out)"
    rm -rf closed
}
"$command" "${run[@]}" -o closed -q <&- || fail "<&-"
same "<&-"
"$command" "${run[@]}" -o closed <&- 2>&- > out || fail "<&- 2>&-"
same "<&- 2>&-"
"$command" "${run[@]}" -o closed <&- >&- 2>&- || fail "<&- >&- 2>&-"
same "<&- >&- 2>&-"
"$command" "${run[@]}" -o closed >&- 2> err || fail ">&-: $(cat err)"
same ">&-"

# a message of a failure goes nowhere, the exit code stays
"$command" run none.yaml >&- 2>&- <&-
[ $? -eq 2 ] || fail "a missing case with closed descriptors: exit code not 2"
# from nothing: an empty input
"$command" image - x.y4m --op invert 2> err <&-
[ $? -eq 2 ] || fail "image from a closed input: $(cat err)"
printf 'P5 2 2 255\nabcd' | "$command" image - x.pgm --op invert <&0 >&- 2>&- || fail "image, >&- 2>&-"
printf 'P5\n2 2\n255\n\236\235\234\233' | cmp -s - x.pgm || fail "image, >&- 2>&-: $(od -c x.pgm)"
exit $((bad > 0))
