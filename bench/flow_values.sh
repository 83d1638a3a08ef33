#!/usr/bin/env bash
# Plane flow compared with published values and with another program of the same scheme: runs a case for each row, and
# prints one table of all checks.
#   bench/flow_values.sh [-d DEVICE] [quick|usual|all] [FOLDER]
# quick: coarse grids; usual (default): up to 129^2 nodes; all: also 257^2. Most of the time of a first run compiles.
# FOLDER (results/flow-values) gets the results of the runs and table.md. Environment: RECHENWERK, the command.
# Sources: V de Vahl Davis 1983; S a program of the same scheme, to the digits given; E exact for the discrete
# equations. The exit code is 1 if a value is outside its tolerance.
set -euo pipefail
device=cpu
if [ "${1:-}" = -d ]; then device=$2; shift 2; fi
reach=${1:-usual} folder=${2:-results/flow-values}
rechenwerk=${RECHENWERK:-rechenwerk}
case $reach in
quick) level=0 ;; usual) level=1 ;; all) level=2 ;;
*) echo "flow_values.sh: $reach is unknown: quick, usual or all" >&2; exit 2 ;;
esac
mkdir -p "$folder"
table=$folder/table.md
printf '| flow | value | found | expected | allowed | source |\n|---|---|---|---|---|---|\n' >"$table"

# LEVEL NAME TITLE SOURCE, the case on standard input: its checks become rows.
run() {
    [ "$1" -le "$level" ] || { cat >/dev/null; return 0; }
    local name=$2 status=0
    cat >"$folder/$name.yaml"
    "$rechenwerk" run "$folder/$name.yaml" -d "$device" -o "$folder/$name" -f -q 2>"$folder/$name.log" || status=$?
    if ! grep -q '"checks": \[' "$folder/$name/run.json" 2>/dev/null; then
        printf '| %s | the run failed (%s) | | | | |\n' "$3" "$status" >>"$table"
        cat "$folder/$name.log" >&2
        return 0
    fi
    awk -v title="$3" -v source="$4" '
        function of(line) { sub(/^[^:]*: /, "", line); sub(/,$/, "", line); gsub(/"/, "", line); return line }
        /"checks": \[/ { inside = 1 }
        inside && /"name"/ { name = of($0) }
        inside && /"value"/ { value = of($0) }
        inside && /"expect"/ { expect = of($0) }
        inside && /"tolerance"/ { allowed = of($0) }
        inside && /"passed"/ {
            ok = of($0) == "true"
            printf "| %s | %s | %.6g | %.6g | %.1e | %s%s |\n", title, name, value, expect, allowed, source,
                   ok ? "" : ", **outside**"
            title = ""
        }
        inside && /\]/ { inside = 0 }' "$folder/$name/run.json" >>"$table"
}

quiet='output: {figures: [], fields: []}'

# LEVEL NODES RE SCHEME SOURCE TOLERANCE PSI_MIN OMEGA U_MIN V_MAX V_MIN [TOLERANCE of OMEGA]
cavity() {
    local name=cavity-$2-$3${4:+-$4} title="cavity, Re = $3, $2², ${4:-central}"
    {
        printf 'problem: flow\ngrid: {size: [%s, %s]}\nfluid: {re: %s}\n' "$2" "$2" "$3"
        printf 'sides: {north: {wall: {u: 1}}, south: wall, east: wall, west: wall}\n'
        [ -z "$4" ] || printf 'scheme: {convection: %s}\n' "$4"
        printf 'time: {method: newton, end: steady}\n%s\nchecks:\n' "$quiet"
        row psi_min 'min(psi)' "$7" "$6"
        row omega_there 'max(where(psi == min(psi), w, -1e300))' "$8" "${12:-$6}"
        row u_min 'min(where(abs(x - 0.5) < 0.51*hx, dy(psi), 1e300))' "$9" "$6"
        row v_max 'max(where(abs(y - 0.5) < 0.51*hy, -dx(psi), -1e300))' "${10}" "$6"
        row v_min 'min(where(abs(y - 0.5) < 0.51*hy, -dx(psi), 1e300))' "${11}" "$6"
    } | run "$1" "$name" "$title" "$5"
}

row() { printf '  %s: {value: "%s", expect: %s, tolerance: %s}\n' "$1" "$2" "$3" "$4"; }

# LEVEL NODES RA INSULATED TIME SOURCE TOLERANCE PSI_MID PSI_MAX U_MAX V_MAX NU [TOLERANCE of NU]; "-": none
box() {
    {
        printf 'problem: flow\ngrid: {size: [%s, %s]}\nfluid: {ra: %s, pr: 0.71}\n' "$2" "$2" "$3"
        printf 'initial: {temperature: "1 - x"}\nsides:\n  west: {wall: {}, temperature: "1"}\n'
        printf '  east: {wall: {}, temperature: "0"}\n  south: {wall: {}, insulated: %s}\n' "$4"
        printf '  north: {wall: {}, insulated: %s}\ntime: {%s}\n%s\nchecks:\n' "$4" "$5" "$quiet"
        some psi_mid 'max(where(abs(x - 0.5) < hx/2 and abs(y - 0.5) < hy/2, abs(psi), 0))' "$8" "$7"
        some psi_max 'max(abs(psi))' "$9" "$7"
        some u_max 'max(where(abs(x - 0.5) < hx/2, dy(psi), -1e300))' "${10}" "$7"
        some v_max 'max(where(abs(y - 0.5) < hy/2, -dx(psi), -1e300))' "${11}" "$7"
        some nusselt "sum(where(x < hx/2, $slope*hy*where(abs(2*y - 1) > 1 - hy, 0.5, 1), 0))" "${12}" "${13:-$7}"
    } | run "$1" "box-$2-$3-$4" "box heated from the side, Ra = $3, $2², insulated: $4" "$6"
}

# With a relative tolerance.
some() {
    [ "$3" = - ] || row "$1" "$2" "$3" "$(awk -v e="$3" -v r="$4" 'BEGIN { printf "%.3g", e < 0 ? -e*r : e*r }')"
}

# LEVEL NODES WALL TIME SOURCE TOLERANCE PSI_ERROR OMEGA U_MAX TOLERANCE
channel() {
    {
        printf 'problem: flow\ngrid: {size: [%s, %s], extent: [4, 1]}\nfluid: {re: 100}\n' $((4 * $2 - 3)) "$2"
        printf 'sides: {west: {inflow: {u: "6*y*(1 - y)"}}, east: outflow, south: wall, north: wall}\n'
        printf 'scheme: {wall: %s}\ntime: {%s}\n%s\nchecks:\n' "$3" "$4" "$quiet"
        row psi_error 'max(where(x > 4 - hx/2, abs(psi - 3*y^2 + 2*y^3), 0))' "$7" "$6"
        row omega_wall 'min(where(x > 4 - hx/2, w, 1e300))' "$8" "${10}"
        row u_max 'max(where(x > 4 - hx/2 and y > hy/2 and y < 1 - hy/2, dy(psi), 0))' "$9" "${10}"
    } | run "$1" "channel-$2-$3" "channel, Re = 100, $2 nodes across, $3" "$5"
}

slope='(3*T - 4*T[i+1, j] + T[i+2, j])/(2*hx)'
newton='method: newton, end: steady'
cavity 0 33 1 '' S 2e-5 -0.099616 -3.01594 -0.20616 0.18245 -0.18318
cavity 0 65 100 '' S 2e-5 -0.102954 -3.09417 -0.21205 0.17762 -0.25125
cavity 0 65 100 upwind S 2e-5 -0.102912 -3.07977 -0.20934 0.17854 -0.25069
cavity 1 65 1 '' S 2e-5 -0.100020 -3.21710 -0.20732 0.18358 -0.18437
cavity 1 65 400 '' S 2e-5 -0.110553 -2.24628 -0.31562 0.29025 -0.43601
cavity 1 129 1 '' S 2e-5 -0.100060 -3.21900 -0.20763 0.18398 -0.18473 1e-4
cavity 1 129 100 '' S 2e-5 -0.103380 -3.16525 -0.21356 0.17909 -0.25315
cavity 1 129 1000 '' S 2e-5 -0.116513 -2.03271 -0.37896 0.36726 -0.51423
channel 0 17 woods 'method: ark2, step: 0.02, end: steady, tolerance: 1e-10' E 1e-9 0 -6 1.4921875 1e-8
channel 1 33 woods 'method: ark2, step: 0.01, end: steady, tolerance: 1e-10' E 1e-9 0 -6 1.498046875 1e-8
channel 0 17 thom "$newton" S 1e-6 7.25e-4 -5.952331 1.488523 5e-5
channel 1 33 thom "$newton" S 1e-6 1.838e-4 -5.988029 1.497111 2e-5
box 0 65 1e3 copy "$newton" S 2e-4 1.1761 1.1761 3.646 3.691 1.1205
box 0 65 1e3 second "$newton" S 2e-4 1.1769 1.1769 3.648 3.693 1.1187
box 1 65 1e4 copy "$newton" S 2e-4 5.0724 5.0724 16.131 19.531 2.2657
box 1 65 1e4 second "$newton" S 2e-4 5.0798 5.0798 16.154 19.559 2.2566
box 1 65 1e5 second 'method: imex1, courant: 0.5, end: 0.5' S 2e-4 9.1586 9.6664 34.684 68.215 4.6108 5e-4
box 0 65 1e3 mirror "$newton" V 1e-2 1.174 - 3.649 3.697 1.118
box 1 129 1e4 mirror "$newton" V 1e-2 5.071 - 16.178 19.617 2.243
box 1 129 1e5 mirror "$newton" V 1e-2 9.111 9.612 34.73 68.59 4.519
cavity 2 257 1000 '' 'Botella and Peyret 1998' 1e-3 -0.1189366 -2.067753 -0.3885698 0.3769447 -0.5270771 1e-2
cat "$table"
! grep -q 'outside\|the run failed' "$table"
