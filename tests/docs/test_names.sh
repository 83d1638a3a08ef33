#!/usr/bin/env bash
# Names in comments and pages exist: functions, types and constants (rw_*, RW_*), tests (test_x, fuzz_x), files (a.c,
# x/b.md) and folders (src/x); links of pages lead to files. Words in capitals stand for others (src/NAME.c,
# rw_study_NAME, src/X); rw_x_* is a family. CHANGELOG.md is history.
set -euo pipefail
cd "${SOURCE:-$(dirname "$0")/../..}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

folders=(src include tools tests examples docs cases bench cmake packaging)
{ find . -maxdepth 1 -type f -printf "%f\n"; find "${folders[@]}" -type f; } | sort >"$work/files"
grep -E '^(src|include|tools)/.*\.(c|h|k|def|f90)$' "$work/files" >"$work/commented"
grep -E '^docs/.*\.md$|^README|^CONTRIBUTING' "$work/files" >"$work/pages"
grep -vE '^docs/|^cases/|^tests/fuzz/corpus|\.(md|txt|csv)$' "$work/files" >"$work/sources"

# part code FILE…: what is outside of comments; part comments FILE…: what is inside, as FILE:LINE: text
part() {
    local what=$1
    shift
    awk -v what="$what" '
        function put(kind, text) { if (kind == what) print (what == "comments" ? FILENAME ":" FNR ": " : "") text }
        FNR == 1 { inside = 0; c = FILENAME ~ /\.(c|h|k|def|f90)$/ }
        !c { put("code", $0); next }
        {
            line = $0
            if (FILENAME ~ /f90$/) { gsub(/\/\*|\*\//, "", line); sub(/!/, "/*", line); inside = 0 }
            while (line != "") {
                i = index(line, inside ? "*/" : "/*")
                text = i ? substr(line, 1, i - 1) : line
                put(inside ? "comments" : "code", text)
                line = i ? substr(line, i + 2) : ""
                if (i) inside = !inside
            }
        }' "$@"
}

# api.json has the constants that the tables of the headers make
{
    xargs -a "$work/sources" bash -c "$(declare -f part); part code \"\$@\"" part
    grep -oE '"name": "[A-Za-z0-9_]+"' docs/reference/api.json
} | grep -oE '[A-Za-z0-9_]+' | sort -u >"$work/words"
mapfile -t commented <"$work/commented"
mapfile -t pages <"$work/pages"
{ part comments "${commented[@]}"; awk '{ print FILENAME ":" FNR ": " $0 }' "${pages[@]}"; } >"$work/text"

awk -v words="$work/words" -v files="$work/files" '
    function any(name) { return name ~ /(^|[^A-Za-z])(NAME|KIND|STUDY|TABLE|FIGURE|X)([^A-Za-z]|$)/ }
    function family(name, w) { for (w in word) if (index(w, name) == 1) return 1; return 0 }
    function missing(name) { seen++; if (!any(name)) { print place name " does not exist"; bad = 1 } else seen-- }
    BEGIN {
        while ((getline w < words) > 0) word[w]
        while ((getline f < files) > 0) {
            full[f]
            for (rest = f; rest != ""; rest = substr(rest, i + 1)) { file[rest]; if (!(i = index(rest, "/"))) break }
            if (match(rest, /^[A-Za-z0-9_]+/)) word[substr(rest, 1, RLENGTH)]
            for (folder = f; sub(/\/[^\/]*$/, "", folder);) file[folder]
        }
    }
    {
        match($0, /^[^:]*:[0-9]+: /)
        place = substr($0, 1, RLENGTH)
        text = " " substr($0, RLENGTH + 1) " "
        for (rest = text; match(rest, /[^A-Za-z0-9_](rw|RW|test|fuzz)_[A-Za-z0-9_]+/);
            rest = substr(rest, RSTART + RLENGTH)) {
            name = substr(rest, RSTART + 1, RLENGTH - 1)
            if (substr(rest, RSTART + RLENGTH, 1) ~ /[.\/]/ && substr(rest, RSTART + RLENGTH + 1, 1) ~ /[a-z]/) continue
            if (name in word || name ~ /_$/ && family(name)) seen++
            else missing(name)
        }
        for (rest = text; place ~ /\.md:/ && match(rest, /\]\([^):#]+/); rest = substr(rest, RSTART + RLENGTH)) {
            name = substr(rest, RSTART + 2, RLENGTH - 2)
            if (name ~ /^https?$/) continue
            folder = place
            sub(/:.*/, "", folder)
            if (!sub(/\/[^\/]*$/, "/", folder)) folder = ""
            for (name = folder name; sub(/[^\/]+\/\.\.\//, "", name);) {}
            if (name in full) seen++
            else missing(name)
        }
        gsub(/<[^>]*>|https?:[^ )]*/, " ", text)
        while (match(text, /[A-Za-z0-9_.\/-]+/)) {
            name = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            sub(/[.\/]+$/, "", name)
            while (sub(/^\.\.?\//, "", name)) {}
            if (name !~ /[A-Za-z0-9_]\.(c|h|k|md|def|sh|cmake)$/ &&
                name !~ /^(src|include|tools|tests|examples|docs|cases|bench|cmake|packaging)\//) continue
            if (substr(text, 1, 1) ~ /[*{]/) continue
            if (name in file) seen++
            else missing(name)
        }
    }
    END {
        if (seen < 1000) { print "only " seen + 0 " names found: is SOURCE right?"; bad = 1 }
        if (!bad) print seen " names, all exist"
        exit bad
    }' "$work/text"
