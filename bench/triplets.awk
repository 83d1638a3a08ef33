# A Matrix Market file from triplets "row column value", complex ones with two numbers. Exit code 1: no square matrix.
#
#   awk -v head=1 -f triplets.awk FILE    CHOLMOD: a first line "rows columns entries type" (type -1: lower, 1: upper
#                                         half of a hermitian matrix, 0: all), rows from 0 or from 1
#   awk -v head=0 -f triplets.awk FILE    CSparse: no such line, rows from 0

/^%/ || NF == 0 { next }
/[^-+.0-9eE \t\r]/ { exit }
head && !rows { rows = $1; columns = $2; half = NF > 3 ? $4 : 0; next }
{
    row[n += 0] = $1; column[n] = $2; re[n] = $3; im[n++] = $4
    if (NF == 4) complex = 1
    if (NF == 2) pattern = 1
    if ($1 == 0 || $2 == 0) from_0 = 1
    if ($1 > most) most = $1
    if ($2 > widest) widest = $2
    if (NF < 2 || NF > 4) { n = 0; exit }
}
END {
    if (!head) { rows = most + 1; columns = widest + 1; from_0 = 1 }
    if (!n || rows != columns || most + from_0 > rows || widest + from_0 > rows) exit 1
    print "%%MatrixMarket matrix coordinate", pattern ? "pattern" : complex ? "complex" : "real",
          !half ? "general" : complex ? "hermitian" : "symmetric"
    print rows, columns, n
    for (k = 0; k < n; k++) {
        i = row[k] + from_0; j = column[k] + from_0
        turn = half && j > i # the lower half is given
        value = pattern ? "" : complex ? re[k] " " (turn ? -im[k] : im[k]) : re[k]
        print (turn ? j : i), (turn ? i : j), value
    }
}
