/* For C compilers, in front of dialect_cpu.h or dialect_check.h: the types, and what <math.h> and <tgmath.h> declare
 * for real numbers. Reading those headers takes longer than compiling a short kernel. */
typedef float f32;
typedef double f64;
typedef int i32;
typedef long i64;
typedef signed char i8;
typedef short i16;
typedef unsigned char u8, b8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long u64;
typedef struct { u16 bits; } f16, bf16;
typedef struct { int id[3], n[3]; } rw_group;

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VAL __builtin_inf()
#define M_PI 3.14159265358979323846
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf_sign(x)
#define isfinite(x) __builtin_isfinite(x)
#define signbit(x) __builtin_signbit(x)

/* In f32 when the arguments are, else in f64. */
#define RW_REAL1(name, x) _Generic((x), f32: __builtin_##name##f(x), default: __builtin_##name(x))
#define RW_REAL2(name, x, y) _Generic((x) + (y), f32: __builtin_##name##f(x, y), default: __builtin_##name(x, y))
/* Functions are chosen, not calls: the text of an argument that has a call in it does not grow fivefold. */
f64 fma(f64 x, f64 y, f64 z);
f32 fmaf(f32 x, f32 y, f32 z);
#define fma(x, y, z) _Generic((x) + (y) + (z), f32: fmaf, default: fma)(x, y, z)
#define RW_REAL_BY(name, x, n) _Generic((x), f32: __builtin_##name##f(x, n), default: __builtin_##name(x, n))
#define fabs(x) RW_REAL1(fabs, x)
#define sqrt(x) RW_REAL1(sqrt, x)
#define cbrt(x) RW_REAL1(cbrt, x)
#define exp(x) RW_REAL1(exp, x)
#define exp2(x) RW_REAL1(exp2, x)
#define expm1(x) RW_REAL1(expm1, x)
#define log(x) RW_REAL1(log, x)
#define log2(x) RW_REAL1(log2, x)
#define log10(x) RW_REAL1(log10, x)
#define log1p(x) RW_REAL1(log1p, x)
#define sin(x) RW_REAL1(sin, x)
#define cos(x) RW_REAL1(cos, x)
#define tan(x) RW_REAL1(tan, x)
#define asin(x) RW_REAL1(asin, x)
#define acos(x) RW_REAL1(acos, x)
#define atan(x) RW_REAL1(atan, x)
#define sinh(x) RW_REAL1(sinh, x)
#define cosh(x) RW_REAL1(cosh, x)
#define tanh(x) RW_REAL1(tanh, x)
#define asinh(x) RW_REAL1(asinh, x)
#define acosh(x) RW_REAL1(acosh, x)
#define atanh(x) RW_REAL1(atanh, x)
#define erf(x) RW_REAL1(erf, x)
#define erfc(x) RW_REAL1(erfc, x)
#define tgamma(x) RW_REAL1(tgamma, x)
#define lgamma(x) RW_REAL1(lgamma, x)
#define floor(x) RW_REAL1(floor, x)
#define ceil(x) RW_REAL1(ceil, x)
#define trunc(x) RW_REAL1(trunc, x)
#define round(x) RW_REAL1(round, x)
#define rint(x) RW_REAL1(rint, x)
#define nearbyint(x) RW_REAL1(nearbyint, x)
#define logb(x) RW_REAL1(logb, x)
#define ilogb(x) RW_REAL1(ilogb, x)
#define lrint(x) RW_REAL1(lrint, x)
#define lround(x) RW_REAL1(lround, x)
#define llrint(x) RW_REAL1(llrint, x)
#define llround(x) RW_REAL1(llround, x)
#define pow(x, y) RW_REAL2(pow, x, y)
#define hypot(x, y) RW_REAL2(hypot, x, y)
#define atan2(x, y) RW_REAL2(atan2, x, y)
#define fmod(x, y) RW_REAL2(fmod, x, y)
#define remainder(x, y) RW_REAL2(remainder, x, y)
#define copysign(x, y) RW_REAL2(copysign, x, y)
#define nextafter(x, y) RW_REAL2(nextafter, x, y)
#define fdim(x, y) RW_REAL2(fdim, x, y)
#define fmax(x, y) RW_REAL2(fmax, x, y)
#define fmin(x, y) RW_REAL2(fmin, x, y)
#define ldexp(x, n) RW_REAL_BY(ldexp, x, n)
#define scalbn(x, n) RW_REAL_BY(scalbn, x, n)
#define scalbln(x, n) RW_REAL_BY(scalbln, x, n)
#define frexp(x, n) RW_REAL_BY(frexp, x, n)

#if defined __x86_64__
#define CLOCK() ((i64)__builtin_ia32_rdtsc())
#else
#define CLOCK() ((i64)0)
#endif
