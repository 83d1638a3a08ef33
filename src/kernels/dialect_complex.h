/* Complex arithmetic for all three compilers; read once with CT = c64, RT = f32 and once with c128, f64.
 * CF(add) is c64_add or c128_add. Division by Smith (1962), square root without overflow of the sum of squares. */
DEVICE CT CF(make)(RT re, RT im) { CT z; z.re = re; z.im = im; return z; }
DEVICE CT CF(add)(CT a, CT b) { return CF(make)(a.re + b.re, a.im + b.im); }
DEVICE CT CF(sub)(CT a, CT b) { return CF(make)(a.re - b.re, a.im - b.im); }
DEVICE CT CF(mul)(CT a, CT b)
{
    return CF(make)(MULADD(a.re, b.re, -(a.im * b.im)), MULADD(a.re, b.im, a.im * b.re));
}
DEVICE CT CF(scale)(CT a, RT s) { return CF(make)(a.re * s, a.im * s); }
/* s a + b */
DEVICE CT CF(axpy)(CT a, RT s, CT b) { return CF(make)(MULADD(a.re, s, b.re), MULADD(a.im, s, b.im)); }
/* acc <- acc + a b */
DEVICE CT CF(mad)(CT a, CT b, CT acc)
{
    return CF(make)(FMA(a.re, b.re, FMA(-a.im, b.im, acc.re)), FMA(a.re, b.im, FMA(a.im, b.re, acc.im)));
}
DEVICE CT CF(neg)(CT a) { return CF(make)(-a.re, -a.im); }
DEVICE CT CF(conj)(CT a) { return CF(make)(a.re, -a.im); }
DEVICE RT CF(abs)(CT a) { return RF(hypot)(a.re, a.im); }
DEVICE RT CF(abs2)(CT a) { return MULADD(a.re, a.re, a.im * a.im); }
DEVICE CT CF(div)(CT a, CT b)
{
    if (fabs(b.re) >= fabs(b.im)) {
        RT r = b.im / b.re, d = MULADD(b.im, r, b.re);
        return CF(make)(MULADD(a.im, r, a.re) / d, MULADD(-a.re, r, a.im) / d);
    }
    RT r = b.re / b.im, d = MULADD(b.re, r, b.im);
    return CF(make)(MULADD(a.re, r, a.im) / d, MULADD(a.im, r, -a.re) / d);
}
DEVICE CT CF(sqrt)(CT a)
{
    if (a.re == 0 && a.im == 0) return CF(make)(0, a.im);
    RT t = sqrt((fabs(a.re) + hypot(a.re, a.im)) * (RT)0.5);
    if (a.re >= 0) return CF(make)(t, a.im / (2 * t));
    return CF(make)(fabs(a.im) / (2 * t), a.im < 0 ? -t : t);
}
DEVICE CT CF(exp)(CT a)
{
    RT e = RW_CALL(exp, a.re);
    return CF(make)(e * RW_CALL(cos, a.im), e * RW_CALL(sin, a.im));
}
/* |a| near 1: hypot would round what the logarithm is made of. */
DEVICE CT CF(log)(CT a)
{
    const RT x = fabs(a.re), y = fabs(a.im), m = x > y ? x : y, n = x > y ? y : x, size = hypot(a.re, a.im);
    const RT above = MULADD(m - 1, m + 1, n * n);
    const RT re = m > (RT)0.5 && m < 2 ? (RT)0.5 * log1p(above) : RW_CALL(log, size);
    return CF(make)(re, atan2(a.im, a.re));
}
DEVICE CT CF(pow)(CT a, CT b)
{
    if (a.re == 0 && a.im == 0) return CF(make)(b.re == 0 && b.im == 0 ? 1 : 0, 0);
    return CF(exp)(CF(mul)(b, CF(log)(a)));
}
DEVICE CT CF(sin)(CT a) { return CF(make)(RW_CALL(sin, a.re) * RW_CALL(cosh, a.im),
        RW_CALL(cos, a.re) * RW_CALL(sinh, a.im)); }
DEVICE CT CF(cos)(CT a) { return CF(make)(RW_CALL(cos, a.re) * RW_CALL(cosh, a.im),
        -RW_CALL(sin, a.re) * RW_CALL(sinh, a.im)); }
DEVICE CT CF(sinh)(CT a) { return CF(make)(RW_CALL(sinh, a.re) * RW_CALL(cos, a.im),
        RW_CALL(cosh, a.re) * RW_CALL(sin, a.im)); }
DEVICE CT CF(cosh)(CT a) { return CF(make)(RW_CALL(cosh, a.re) * RW_CALL(cos, a.im),
        RW_CALL(sinh, a.re) * RW_CALL(sin, a.im)); }
/* tanh by t = tan(im), s = sinh(re): no overflow for large |re| where it is +-1. */
DEVICE CT CF(tanh)(CT a)
{
    if (fabs(a.re) > 22) return CF(make)(a.re > 0 ? 1 : -1,
        4 * RW_CALL(sin, a.im) * RW_CALL(cos, a.im) * exp(-2 * fabs(a.re)));
    return CF(div)(CF(sinh)(a), CF(cosh)(a));
}
/* tan(a) = -i tanh(i a), which does not overflow either. */
DEVICE CT CF(tan)(CT a)
{
    const CT t = CF(tanh)(CF(make)(-a.im, a.re));
    return CF(make)(t.im, -t.re);
}
