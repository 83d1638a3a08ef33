#!/bin/bash
# tests/retry.sh and tests/times.sh: a test that fails and passes alone is unstable, one that fails twice has failed,
# one that measures time decides nothing; costs are written, and budgets hold on a machine that is slow.
# shellcheck source=tests/tools/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tools/expect.sh" || exit 1

mkdir build
again="sh -c \"test -e seen || { : >seen; echo 'no <x>'; exit 1; }\""
cat > build/CTestTestfile.cmake <<END
add_test(a.good true)
add_test(a.unstable $again)
add_test(a.clock false)
set_tests_properties(a.clock PROPERTIES LABELS timing)
END
# twice: the status of retry.sh after a first run of all tests
twice() {
    rm -f build/{seen,unstable.txt}
    ctest --test-dir build --output-junit all.xml > out 2>&1
    bash "$SOURCE/tests/retry.sh" build all > out 2> err
}
twice || fail "no test has failed twice, but $(cat out err)"
grep -q '^== timing: a.clock failed twice' out || fail "a.clock: $(cat out err)"
[ "$(cat build/unstable.txt)" = "== unstable: a.unstable failed and passed alone. It printed at first:
no <x>" ] || fail "unstable.txt: $(cat build/unstable.txt)"
echo 'add_test(a.bad false)' >> build/CTestTestfile.cmake
twice && fail "a test that fails twice: $(cat out err)"
[ "$(grep '^== failed twice' out)" = "== failed twice: a.bad" ] || fail "a.bad: $(cat out err)"

cp "$SOURCE/tests/times.sh" .
printf '# head\na.x 10.0\na.y 10.0\nb.x 10.0\nb.y 5.0\n' > costs.txt
printf '# head\nall 40\na 22\nb 16\n' > budgets.txt
# times A.X A.Y B.X B.Y: a file as ctest writes it
times() {
    local name
    for name in a.x a.y b.x b.y; do
        printf '\t<testcase name="%s" classname="%s" time="%s" status="run">\n' $name $name "$1"
        shift
    done > times.xml
}
times 10 10 10 5
[ -z "$(bash times.sh budgets times.xml)" ] || fail "budgets: $(bash times.sh budgets times.xml)"
times 20 20 20 10
[ -z "$(bash times.sh budgets times.xml)" ] || fail "a slow machine: $(bash times.sh budgets times.xml)"
times 20 20 20 40
[ "$(bash times.sh budgets times.xml)" = "all: 50 s of one core, its budget in tests/budgets.txt is 40 s
b: 30 s of one core, its budget in tests/budgets.txt is 16 s" ] || fail "budgets: $(bash times.sh budgets times.xml)"
times 50 50 50 25
[ "$(bash times.sh budgets times.xml | wc -l)" = 3 ] || fail "five times slower: $(bash times.sh budgets times.xml)"
times 10 10 12.34 5
[ "$(bash times.sh costs times.xml | tr '\n' ' ')" = "# head a.x 10.0 a.y 10.0 b.x 12.3 b.y 5.0 " ] ||
    fail "costs: $(bash times.sh costs times.xml)"

if [ $bad -gt 0 ]; then echo "$bad failures"; exit 1; fi
