# For scripts that use the command as a person does, sourced first: an empty folder to work in, expect, and the number
# of failures in bad.
# Environment: RECHENWERK, the command.
set -u
export LC_ALL=C
command="${RECHENWERK:?the path of the command}"
[ -x "$command" ] || { echo "no command at $command"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
bad=0

fail() { echo "FAIL: $*"; bad=$((bad + 1)); }

# expect CODE TEXT ARGUMENTS...: exit code, and TEXT somewhere in what is printed
expect() {
    local code=$1 text=$2 got
    shift 2
    "$command" "$@" > out 2> err < /dev/null
    got=$?
    [ $got -eq "$code" ] || fail "rechenwerk $*: exit code $got, not $code: $(head -3 err)"
    [ -z "$text" ] || grep -qF -- "$text" out err || fail "rechenwerk $*: no '$text' in: $(cat out err | head -5)"
}

# await COMMAND...: until it succeeds, while the process $pid is alive
await() {
    until "$@" > /dev/null 2>&1; do
        kill -0 "${pid:?}" 2> /dev/null || { fail "ended before: $*"; return 1; }
        sleep 0.05
    done
}
# has_worked TICKS: $pid has used so much time of the processors, 100 a second, which no load of the machine changes
has_worked() { [ "$(awk '{ print $14 + $15 }' "/proc/${pid:?}/stat")" -ge "$1" ]; }
