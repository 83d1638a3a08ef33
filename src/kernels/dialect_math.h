/* Words of the expression language that the three compilers lack or define differently. They are macros for f32 and
 * f64 alike and may evaluate an argument more than once: give them names, not calls. NaN goes through all of them. */
#define RW_MIN(a, b) (((a) < (b) || (a) != (a)) ? (a) : (b))
#define RW_MAX(a, b) (((a) > (b) || (a) != (a)) ? (a) : (b))
#define RW_SIGN(a) ((a) > 0 ? 1 : (a) < 0 ? -1 : (a))
#define RW_MOD(a, b) ((a) - (b) * floor((a) / (b))) /* the sign of b, as in mathematics */
#define RW_INF (1e300 * 1e300)
