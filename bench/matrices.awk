# A matrix in a Matrix Market file, with the entries that its symmetry leaves out.
#
#   awk -v mode=b -v matrix=A -f matrices.awk A
#       writes b = A x for x_i = 1 + (i mod 7) / 10
#   awk -v mode=check -v eps=EPS -v matrix=A -v x_file=X -v b_file=B -f matrices.awk X B A
#       prints |b - A x| / |b| and the rounding error of the vectors, eps | |A| |x| | / |b|, in double precision

function magnitude(re, im) { return (re < 0 ? -re : re) + (im < 0 ? -im : im) }

# y_i <- y_i + a_ij x_j
function put(i, j, re, im) {
    yr[i] += re * xr[j] - im * xi[j]
    yi[i] += re * xi[j] + im * xr[j]
    size[i] += magnitude(re, im) * magnitude(xr[j], xi[j])
}

# Vectors: a head, the sizes, a value in each line.
FILENAME != matrix && /^%/ { is_complex = /complex/; sizes = 1; next }
FILENAME != matrix && sizes { sizes = 0; next }
FILENAME == x_file { xr[++nx] = $1; xi[nx] = is_complex ? $2 : 0; next }
FILENAME == b_file { br[++nb] = $1; bi[nb] = is_complex ? $2 : 0; next }

# The matrix.
FNR == 1 {
    head = tolower($0)
    complex = head ~ /complex/; pattern = head ~ /pattern/
    skew = head ~ /skew-/; hermitian = head ~ /hermitian/; half = skew || hermitian || head ~ / symmetric/
    next
}
/^%/ || NF == 0 { next }
!n { n = $1; for (i = 1; mode == "b" && i <= n; i++) { xr[i] = 1 + i % 7 / 10; xi[i] = 0 } next }
{
    re = pattern ? 1 : $3; im = complex ? $4 : 0
    put($1, $2, re, im)
    if (half && $1 != $2) put($2, $1, skew ? -re : re, skew || hermitian ? -im : im)
}

END {
    if (mode == "b") {
        printf "%%%%MatrixMarket matrix array %s general\n%d 1\n", complex ? "complex" : "real", n
        for (i = 1; i <= n; i++) printf complex ? "%.17g %.17g\n" : "%.17g\n", yr[i], yi[i]
        exit
    }
    for (i = 1; i <= n; i++) {
        rr += (br[i] - yr[i]) ^ 2 + (bi[i] - yi[i]) ^ 2
        bb += br[i] ^ 2 + bi[i] ^ 2
        ss += size[i] ^ 2
    }
    norm = bb > 0 ? sqrt(bb) : 1
    printf "%.6e %.6e\n", sqrt(rr) / norm, eps * sqrt(ss) / norm
}
