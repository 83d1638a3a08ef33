#!/usr/bin/env bash
# Circles: in each folder of src the largest set of files of which each needs all others, directly or through others. A
# file needs another if its object has an undefined symbol that the other one defines. tests/core/circles.txt has the
# largest size allowed for each folder; a folder without a line there has none (1).
# Cost: one call of nm, and Tarjan's algorithm (R. Tarjan, SIAM J. Comput. 1, 1972).
set -euo pipefail
case "${SANITIZE:-}" in ?*) echo "skipped: objects with sanitizers need the same files"; exit 77 ;; esac
objects=()
while read -r object; do
    source=${object##*-objects.dir/}
    [ -f "${SOURCE:?}/${source%.o}" ] || continue # the object of a file that is gone stays in the build folder
    objects+=("$object")
done < <(find "$BUILD/CMakeFiles" -path '*-objects.dir/src/*.o')
[ ${#objects[@]} -ge 300 ] || { echo "only ${#objects[@]} objects: is BUILD right?"; exit 1; }
${NM:-nm} -gA "${objects[@]}" | awk '
function visit(v,    i, w, n, names) {
    low[v] = number[v] = ++count
    stack[++top] = v
    on[v] = 1
    for (i = 1; i <= degree[v]; ++i) {
        w = edge[v, i]
        if (!(w in number)) {
            visit(w)
            if (low[w] < low[v]) low[v] = low[w]
        } else if (on[w] && number[w] < low[v]) low[v] = number[w]
    }
    if (low[v] != number[v]) return
    do {
        w = stack[top--]
        on[w] = 0
        ++n
        names = names " " w
    } while (w != v)
    if (n > largest[folder[v]]) {
        largest[folder[v]] = n
        members[folder[v]] = names
    }
}
FILENAME != "-" {
    if ($1 !~ /^#/ && NF == 2) limit[$1] = $2
    next
}
{
    file = $1
    sub(/:.*/, "", file)
    sub(/.*-objects\.dir\/src\//, "", file)
    sub(/\.c\.o$/, "", file)
    split(file, part, "/")
    folder[file] = part[1]
    if ($(NF - 1) == "U") needs[++nneeds] = file SUBSEP $NF
    else definer[$NF] = file
}
END {
    for (i = 1; i <= nneeds; ++i) {
        split(needs[i], pair, SUBSEP)
        to = definer[pair[2]]
        if (to != "" && to != pair[1] && folder[to] == folder[pair[1]] && !known[pair[1], to]++)
            edge[pair[1], ++degree[pair[1]]] = to
    }
    for (file in folder) if (!(file in number)) visit(file)
    for (name in largest) {
        allowed = name in limit ? limit[name] : 1
        if (largest[name] > 1 || allowed > 1) print name ": " largest[name] " files, at most " allowed ":" members[name]
        if (largest[name] > allowed) bad = 1
    }
    exit bad
}' "$(dirname "$0")/circles.txt" - | sort
