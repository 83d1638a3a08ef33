#!/usr/bin/env bash
# Runs the tests that failed once more, each alone.
#   tests/retry.sh BUILD NAME    those of BUILD/NAME.xml, which ctest --output-junit has written
# What fails again has failed: status 1. What passes is unstable: its first output is added to BUILD/unstable.txt. Tests
# with the label timing are reported and decide nothing.
set -euo pipefail

build=$1 name=$2 status=0
timing=$(ctest --test-dir "$build" -N -L '^timing$' | sed -n 's/^ *Test *#[0-9]*: //p')
# output TEST: what it printed, from the file of the first run
output() {
    sed -n '/<testcase name="'"$1"'" /,/<\/testcase>/p' "$build/$name.xml" | sed '1d;$d' |
        sed 's/^\t*<[^>]*>//; s/<[^>]*>$//; /^$/d; s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/\&/g' | tail -n 100
}
while read -r test <&3; do
    if ctest --test-dir "$build" -R "^${test//./[.]}\$" --output-on-failure --no-tests=error; then
        printf '== unstable: %s failed and passed alone. It printed at first:\n%s\n' "$test" "$(output "$test")" |
            tee -a "$build/unstable.txt"
    elif grep -qxF -- "$test" <<<"$timing"; then
        printf '== timing: %s failed twice, which decides nothing\n' "$test"
    else
        printf '== failed twice: %s\n' "$test"
        status=1
    fi
done 3< <(sed -n 's/.*<testcase name="\([^"]*\)".* status="fail".*/\1/p' "$build/$name.xml")
exit "$status"
