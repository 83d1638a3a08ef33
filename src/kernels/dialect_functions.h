/* Real functions of the expression language that a device's own would not give exactly enough; read once with RT = f32,
 * RF(log2) = f32_log2, HALF_ULP = 2^-24, and once with f64. */

/* a - b floor(a/b), in [0, b) or (b, 0]. The quotient's floor is right or one too large or small, and then a - q b has
 * no rounding error. A sum that rounds to b becomes the number next to it; b - b/inf is NaN. */
DEVICE RT RF(mod)(RT a, RT b)
{
    const RT quotient = a / b, q = RW_FLOOR(quotient);
    RT m = FMA(-q, b, a);
    if (!(fabs(q) * HALF_ULP < (RT)0.125) || m != m) m = fmod(a, b);
    if (b > 0 ? m >= b : m <= b) m = FMA(-(q + 1), b, a);
    if (b > 0 ? m < 0 : m > 0) {
        m += b;
        if (m == b) m = b - b * HALF_ULP;
    }
    return m;
}

/* Where the result of a function below is an integer, a device may miss it by an ulp (OpenCL allows 3 for log2, 16 for
 * pow), and floor(log2(8)) would be 2. The candidate is the nearest integer k; it is right if its inverse gives a. */
#if defined WITH_FUNCTIONS || defined WITH_COMPLEX
/* Squares may underflow below 1. */
DEVICE RT RF(hypot)(RT a, RT b)
{
    const RT r = hypot(a, b), k = RW_RINT(r);
    return r >= 1 && k * k == MULADD(a, a, b * b) ? k : r;
}
#endif

#ifdef WITH_FUNCTIONS
DEVICE RT RF(exp2)(RT a)
{
    if (a == RW_RINT(a) && fabs(a) < 1080) return ldexp((RT)1, (int)a);
    return RW_CALL(exp2, a);
}
DEVICE RT RF(log2)(RT a)
{
    const RT r = RW_CALL(log2, a), k = RW_RINT(r);
    if (fabs(k) < 1080 && ldexp((RT)1, (int)k) == a) return k;
    return r;
}
/* 10^22 is the largest power of 10 in f64; of 10^-k the nearest number counts. */
DEVICE RT RF(log10)(RT a)
{
    const RT r = RW_CALL(log10, a), k = RW_RINT(r);
    f64 p = 1, b = 10;
    if (!(fabs(k) <= 22)) return r;
    for (int m = (int)fabs(k), bit = 0; bit < 5; ++bit, m /= 2, b *= b)
        if (m % 2) p *= b;
    return (RT)(k < 0 ? 1 / p : p) == a ? k : r;
}
DEVICE RT RF(cbrt)(RT a)
{
    const RT r = RW_CALL(cbrt, a), k = RW_RINT(r);
    return k * k * k == a ? k : r;
}
/* Integers to a power that is one: 32 ulp of what is below 2^46 (2^17) are less than 1/2. */
DEVICE RT RF(pow)(RT a, RT b)
{
    const RT r = pow(a, b);
    return a == RW_RINT(a) && b == RW_RINT(b) && b >= 0 && fabs(r) < (RT)0.0078125 / HALF_ULP ? RW_RINT(r) : r;
}
#endif
