#!/bin/sh
# A C compiler for tests that compile the same programs hundreds of times (RECHENWERK_CC): a text that was compiled
# before, with the same options by the same compiler, is copied from $BUILD/tests/compiled; others go to cc.
set -eu
compiler=$(command -v cc) options= object= source= next=
for word; do
    case $next$word in
    o*) object=$word next= ;;
    -o) next=o ;;
    *.c) source=$word ;;
    *) options="$options $word" ;;
    esac
done
key=$({ ls -lL "$compiler" && echo "$options" && cat "$source"; } | sha256sum)
kept=$BUILD/tests/compiled/${key%% *}.so
cp "$kept" "$object" 2>/dev/null && exit
"$compiler" "$@"
mkdir -p "${kept%/*}"
cp "$object" "$kept.$$" && mv "$kept.$$" "$kept"
