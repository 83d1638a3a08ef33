/* Random numbers of a node, from integers: the same bits on every device, in kernels and on the host (src/expr/noise.c,
 * compiled without contraction). Read where a text uses one.
 *
 *   bits      the first 64 bits of Philox4x32-10 with key = seed, counter = index, as rw_random_u64
 *             (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3, SC'11)
 *   noise     the upper 53 bits (f32: 24) as a number in [0, 1)
 *   normal    the quantile of the normal distribution at (m + 1/2)/2^52, m the upper 52 bits; sums, products, quotients
 *             and square roots only, which are exactly rounded everywhere; absolute error below 1e-15 |value| + 1e-15
 *             (Wichura: Algorithm AS 241, Applied Statistics 37, 1988, PPND16; the logarithm is a series) */
DEVICE u64 rw_noise_bits(u64 seed, u64 index)
{
    u32 c0 = (u32)index, c1 = (u32)(index >> 32), c2 = 0, c3 = 0, k0 = (u32)seed, k1 = (u32)(seed >> 32);
    for (int round = 0; round < 10; ++round) {
        const u64 p0 = (u64)0xD2511F53u * c0, p1 = (u64)0xCD9E8D57u * c2;
        c0 = (u32)(p1 >> 32) ^ c1 ^ k0;
        c1 = (u32)p1;
        c2 = (u32)(p0 >> 32) ^ c3 ^ k1;
        c3 = (u32)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return (u64)c1 << 32 | c0;
}

DEVICE f64 f64_noise(u64 seed, u64 index)
{
    return (f64)(rw_noise_bits(seed, index) >> 11) * 1.1102230246251565e-16;
}
DEVICE f32 f32_noise(u64 seed, u64 index)
{
    return (f32)(u32)(rw_noise_bits(seed, index) >> 40) * (f32)5.9604644775390625e-08;
}

/* log((n + 1/2)/2^52), 0 <= n < 2^51 */
DEVICE f64 rw_log_of_part(u64 n)
{
    const u64 odd = 2 * n + 1;
    int e = 0;
    f64 power = 1;
    while (odd >> (e + 1)) {
        ++e;
        power *= 2;
    }
    f64 f = (f64)odd / power; /* odd = f 2^e, 1 <= f < 2 */
    if (f > 1.4142135623730951) {
        f *= 0.5;
        ++e;
    }
    const f64 s = (f - 1) / (f + 1), q = s * s;
    f64 sum = 1. / 21;
    for (int k = 19; k > 0; k -= 2) sum = sum * q + 1. / k;
    return 2 * s * sum + (e - 53) * 0.69314718055994531;
}

DEVICE f64 f64_normal(u64 seed, u64 index)
{
    const u64 m = rw_noise_bits(seed, index) >> 12, middle = (u64)1 << 51;
    const f64 q = ((f64)m - (f64)middle + 0.5) * 2.220446049250313e-16; /* p - 1/2 */
    f64 r, top, bottom;
    if (q > -0.425 && q < 0.425) {
        r = 0.180625 - q * q;
        top = ((((((2509.0809287301226727 * r + 33430.575583588128105) * r + 67265.770927008700853) * r +
                  45921.953931549871457) * r + 13731.693765509461125) * r + 1971.5909503065514427) * r +
               133.14166789178437745) * r + 3.387132872796366608;
        bottom = ((((((5226.495278852854561 * r + 28729.085735721942674) * r + 39307.89580009271061) * r +
                     21213.794301586595867) * r + 5394.1960214247511077) * r + 687.1870074920579083) * r +
                  42.313330701600911252) * r + 1;
        return q * top / bottom;
    }
    r = sqrt(-rw_log_of_part(m < middle ? m : 2 * middle - 1 - m));
    if (r <= 5) {
        r -= 1.6;
        top = ((((((7.7454501427834140764e-4 * r + 0.0227238449892691845833) * r + 0.24178072517745061177) * r +
                  1.27045825245236838258) * r + 3.64784832476320460504) * r + 5.7694972214606914055) * r +
               4.6303378461565452959) * r + 1.42343711074968357734;
        bottom = ((((((1.05075007164441684324e-9 * r + 5.475938084995344946e-4) * r + 0.0151986665636164571966) * r +
                     0.14810397642748007459) * r + 0.68976733498510000455) * r + 1.6763848301838038494) * r +
                  2.05319162663775882187) * r + 1;
    } else {
        r -= 5;
        top = ((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r + 0.0012426609473880784386) * r +
                  0.026532189526576123093) * r + 0.29656057182850489123) * r + 1.7848265399172913358) * r +
               5.4637849111641143699) * r + 6.6579046435011037772;
        bottom = ((((((2.04426310338993978564e-15 * r + 1.4215117583164458887e-7) * r + 1.8463183175100546818e-5) * r +
                     7.868691311456132591e-4) * r + 0.0148753612908506148525) * r + 0.13692988092273580531) * r +
                  0.59983220655588793769) * r + 1;
    }
    return q < 0 ? -(top / bottom) : top / bottom;
}
DEVICE f32 f32_normal(u64 seed, u64 index) { return (f32)f64_normal(seed, index); }
