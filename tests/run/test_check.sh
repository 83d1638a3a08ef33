#!/usr/bin/env bash
# rechenwerk check: all mistakes, memory, the stable step, steps and time, without compiling. Environment: RECHENWERK.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -m 700 cache
export RECHENWERK_CACHE=$work/cache

has() { # pattern: in the last output
    grep -q -- "$1" out || { echo "not in the output: $1"; cat out; exit 1; }
}

cat >bad.yaml <<'EOF'
problem: pde
grid: {size: [8]}
fields: {u: {initial: "0", boundry: "0"}}
equations: "du/dt = laplce(u)"
time: {end: 1, rtl: 1}
EOF
code=0
"$RECHENWERK" check bad.yaml >out 2>&1 || code=$?
[ "$code" -eq 2 ]
has 'bad.yaml:3:28: fields.u.boundry is unknown'
has 'bad.yaml:4:21: function laplce is unknown'
has 'bad.yaml:5:16: time.rtl is unknown'

# of outputs too, each once
cat >bad.yaml <<'EOF'
problem: pde
grid: {size: [8]}
fields: {u: {initial: "x"}}
equations: "du/dt = laplace(u)"
time: {end: 1}
output: {every: 0.1, figures: [z, q], fields: [y], animation: [w], limits: [1, 0]}
EOF
code=0
"$RECHENWERK" check bad.yaml >out 2>&1 || code=$?
[ "$code" -eq 2 ]
has "bad.yaml:6:32: output.figures: 'z' is not a field; u is one"
has "bad.yaml:6:35: output.figures: 'q' is not a field"
has "bad.yaml:6:48: output.fields: 'y' is not a field"
has "bad.yaml:6:64: output.animation: 'w' is not a field"
has 'bad.yaml:6:77: output.limits = \[1, 0\]: the first must be below the second'
[ "$(wc -l <out)" -eq 5 ] || { echo "more than five mistakes:"; cat out; exit 1; }

# heat with a given step: 8/h^2 is the radius, 2.78 over that the limit; outputs shorten steps
cat >heat.yaml <<'EOF'
problem: pde
grid: {size: [32, 32]}
fields: {u: {initial: "sin(2*pi*x)", boundary: periodic}}
equations: "du/dt = laplace(u)"
time: {end: 0.01, method: rk4, step: 0.0003}
output: {every: 0.001, figures: [], fields: []}
EOF
"$RECHENWERK" check heat.yaml >out
has 'case     heat.yaml: problem pde, no mistakes'
has 'memory   32.0 KiB on the device'
has 'radius   8.19e+03'
has 'stable up to 0.000339; time.step = 0.0003'
has 'steps    40: time.step'
has 'time     not known: .* rechenwerk selftest'
[ -z "$(ls cache)" ] || { echo "the cache is no longer empty"; ls cache; exit 1; }
"$RECHENWERK" check heat.yaml -s time.step=0.001 >out
has 'time.step = 0.001 may be unstable'

# with a field without a rate, which is solved for before each stage
cat >unknown.yaml <<'EOF'
problem: pde
grid: {size: [16, 17], layout: node}
fields: {w: {initial: "x", boundary: "0"}, psi: {initial: "0", boundary: "0"}}
equations: ["laplace(psi) = -w", "dw/dt = laplace(w) + psi"]
time: {end: 0.1, method: rk4, step: 1e-4}
output: {figures: [], fields: []}
EOF
"$RECHENWERK" check unknown.yaml >out
has 'plan     a step of 4 stages: '
has 'steps    1000: time.step'

# a run, and what it took is known
"$RECHENWERK" run heat.yaml -o results -q
grep -q '"steps": 40,' results/run.json
"$RECHENWERK" check heat.yaml >out
has 'steps    40: an earlier run of this case'
has 'time     [0-9.e-]* s of steps, at [0-9.e+-]* GB/s (of an earlier run of this case)'
"$RECHENWERK" check heat.yaml -s 'fields.u.initial=x' >out # another case
has 'steps    40: time.step'

# tolerances choose the steps, and stages follow from them; the radius depends on the state
cat >react.yaml <<'EOF'
problem: pde
grid: {size: [64]}
fields: {u: {initial: "2 + cos(2*pi*x)", boundary: periodic}}
equations: "du/dt = 1e-9*laplace(u) - u^3"
time: {end: 1, method: rkc2, rtol: 1e-4}
output: {every: 0.5, figures: [], fields: []}
EOF
"$RECHENWERK" check react.yaml >out
has 'radius   27, ' # 3 u^2 where u is 3
has 'steps    at least 2: stability and outputs'
"$RECHENWERK" run react.yaml -o react -q
steps=$(grep -o '"steps": [0-9]*' react/run.json | head -1 | tr -dc 0-9)
"$RECHENWERK" check react.yaml >out
has "steps    $steps: an earlier run of this case"
has ' s of steps, at '

# stages are those of the earlier run too: here steps grow by a factor of thousands, and stages with their square root
cat >decay.yaml <<'EOF'
problem: pde
grid: {size: [200]}
fields: {u: {initial: "where(x < 0.5, 1, 0)", boundary: neumann}}
equations: "du/dt = laplace(u)"
time: {end: 1, method: rkc2, rtol: 1e-5}
output: {figures: [], fields: []}
EOF
"$RECHENWERK" run decay.yaml -o decay -q
number() { grep -o "\"$1\": [0-9]*" decay/run.json | head -1 | tr -dc 0-9; }
stages=$((($(number rhs) - $(number spectral_rhs)) / ($(number steps) + $(number rejected)) - 1))
"$RECHENWERK" check decay.yaml >out
found=$(grep -o 'a step of [0-9]* stages on average' out | tr -dc 0-9)
[ "$found" -ge $((stages - 1)) ] && [ "$found" -le $((stages + 1)) ] || { echo "stages: not $stages"; cat out; exit 1; }

# initial values that are complex, or read data; data in equations
cat >complex.yaml <<'EOF'
problem: pde
grid: {size: [32], extent: [32]}
data: {k: "1 + x/31", m: "3*k"}
fields: {u: {initial: "m"}}
equations: "du/dt = k*laplace(u) - m*u"
time: {end: 1, method: rkc2}
output: {every: 0.5}
EOF
"$RECHENWERK" check complex.yaml >out
has 'radius   13.7,' # (4/h^2 + 3) k at the upper side
"$RECHENWERK" check complex.yaml -s 'fields={u: {type: complex, initial: "(1 + 2i)*m"}}' -s 'equations=du/dt = 2*u' >out
has 'no mistakes'

# outputs of names and settings that do not fit the fields
mistake() { # setting, pattern
    code=0
    "$RECHENWERK" check complex.yaml -s "$1" >out 2>&1 || code=$?
    [ "$code" -ne 0 ] || { echo "$1 is no mistake"; cat out; exit 1; }
    has "$2"
}
mistake output.figures=[w] "output.figures: 'w' is not a field"
mistake output.animation=[w] "output.animation: 'w' is not a field"
mistake output.limits=some 'output.limits = some is none of'
mistake 'data={k: {file: none.npy}, m: "1"}' 'none.npy: cannot be opened'
header="{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"
printf '\x93NUMPY\x01\x00\x76\x00%-117s\n\x00\x00\x80\x3f\x00\x00\xc0\x7f' "$header" >nan.npy # 1, NaN
"$RECHENWERK" check complex.yaml -s grid.size=2 -s 'data={k: {file: nan.npy}, m: "1"}' >out 2>&1 || true
has 'data.k is not a number at node (1), x = 32: finite values are needed at every node'
mistake 'fields={u: {initial: {run: nowhere, field: u}}}' 'nowhere/checkpoint.h5'
mistake output.every=1e-7 'output.every = 1e-07 makes'

# what needs the device is not known: norms of fields have derivatives that are not finite
"$RECHENWERK" check react.yaml -s 'equations=du/dt = -sqrt(abs(u - 1))' >out
has 'no mistakes'
"$RECHENWERK" check heat.yaml -s 'grid=none' -s 'fields={x: {initial: "1"}}' -s 'equations=dx/dt = -5*x' >out
has 'radius   5, '
has 'memory   32 bytes on the device'
code=0
"$RECHENWERK" check heat.yaml -s 'grid.size=[2000000, 2000000]' >out 2>&1 || code=$?
[ "$code" -eq 5 ]
has 'free'
