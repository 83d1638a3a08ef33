# difference A B: the largest difference of two pictures, of 255. Environment: RECHENWERK.
difference() {
    "$RECHENWERK" image "$1" a.pnm --op clip -q --force
    "$RECHENWERK" image "$2" b.pnm --op clip -q --force
    cmp -l a.pnm b.pnm | awk '
        function octal(s) { return int(s / 100) * 64 + int(s / 10) % 10 * 8 + s % 10 }
        { d = octal($2) - octal($3); if (d < 0) d = -d; if (d > most) most = d }
        END { print most + 0 }'
}
