#!/usr/bin/env bash
# Each row of docs/reference/bad-input.md names a test that exists and is run: `program: function, function`, `program`
# (a script) or `path`. Environment: SOURCE.
set -euo pipefail
cd "$SOURCE"
page=docs/reference/bad-input.md
bad=0 rows=0 names=0

fail() { echo "FAIL: $page:$1: $2"; bad=$((bad + 1)); }

# source_of PROGRAM: its file; of two of one name (test_run, test_json, test_reference) the page means that of run or
# ode
source_of() {
    local file
    for file in tests/{run,ode}/"$1".{c,sh} tests/*/"$1".{c,sh}; do
        [ -f "$file" ] && echo "$file" && return
    done
    return 1
}

# check LINE NAME: a name in backquotes of the last column
check() {
    local line=$1 name=$2 program file functions function
    names=$((names + 1))
    case $name in
    tests/*/*.c | tests/*/*.sh) [ -f "$name" ] || fail "$line" "there is no $name"; return ;;
    tests/*) fail "$line" "$name is no single test"; return ;;
    esac
    program=${name%%:*}
    file=$(source_of "$program") || { fail "$line" "there is no program $program"; return; }
    [ "$program" = "$name" ] && { case $file in *.c) fail "$line" "$program: which function?" ;; esac; return; }
    functions=${name#*: }
    for function in ${functions//,/ }; do
        grep -q "^static void $function(void \*\*state)" "$file" || fail "$line" "$file has no $function"
        [ "$(grep -c "$function\b" "$file")" -ge 2 ] || fail "$line" "$file does not run $function"
    done
}

line=0
while IFS= read -r text; do
    line=$((line + 1))
    case $text in "| wrong | message "* | "|---"*) continue ;; "| "*) ;; *) continue ;; esac
    rows=$((rows + 1))
    tests=${text%|}
    tests=${tests##*|}
    [[ $tests == *'`'* ]] || fail $line "no test is named"
    while [[ $tests =~ \`([^\`]+)\` ]]; do
        check $line "${BASH_REMATCH[1]}"
        tests=${tests#*"${BASH_REMATCH[0]}"}
    done
done <"$page"

[ $rows -ge 50 ] || { echo "only $rows rows were found"; exit 1; }
[ $bad -eq 0 ] || exit 1
echo "$rows rows, $names names of tests"
