/* The nearest of a list of names to a mistyped one: "did you mean …".
 *
 * Distance: inserted, deleted, replaced bytes and swapped neighbours count one each (optimal string alignment; Damerau
 * 1964, Levenshtein 1966). Cost |a| |b|, in fixed memory: what differs between the texts after their common beginning
 * and end are taken off must fit in LONGEST bytes, else the answer is the upper bound max(|a|, |b|) of that rest.
 * Near means at most 1 + length/5 changes, with the mean length of both texts: "cdua" finds "cuda", "cpu" does not find "fft", nor
 * "hello" "ell" or "dirk" "idr". Bytes, not characters. */
#include "core/core.h"

#include <string.h>

#define LONGEST 255

static char lower(char c) /* not tolower: names do not depend on the locale */
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same(char a, char b, bool fold) { return a == b || (fold && lower(a) == lower(b)); }

static int distance(const char *a, const char *b, bool fold)
{
    while (*a && *b && same(*a, *b, fold)) a++, b++;
    size_t na = strlen(a), nb = strlen(b);
    while (na && nb && same(a[na - 1], b[nb - 1], fold)) na--, nb--;
    if (na == 0 || nb == 0 || na > LONGEST || nb > LONGEST) return (int)RW_MAX(na, nb);

    /* d(i,j), of a[0..i) to b[0..j), from rows i, i-1, i-2:
     *   d(i,j) = min( d(i-1,j) + 1, d(i,j-1) + 1, d(i-1,j-1) + [a_i != b_j], d(i-2,j-2) + 1 if swapped ) */
    int rows[3][LONGEST + 1], *row = rows[0], *above = rows[1], *above2 = rows[2];
    for (size_t j = 0; j <= nb; j++) row[j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int *free_row = above2;
        above2 = above, above = row, row = free_row;
        row[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int d = above[j - 1] + !same(a[i - 1], b[j - 1], fold);
            d = RW_MIN(d, above[j] + 1);
            d = RW_MIN(d, row[j - 1] + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2], fold) && same(a[i - 2], b[j - 1], fold))
                d = RW_MIN(d, above2[j - 2] + 1);
            row[j] = d;
        }
    }
    return row[nb];
}

int rw_edit_distance(const char *a, const char *b) { return distance(a, b, false); }

const char *rw_nearest(const char *given, const char *const *names, int n)
{
    const char *best = NULL;
    int best_folded = 0, best_exact = 0;
    for (int i = 0; i < n; i++) {
        /* CUDA:0 is cuda:0 mistyped once, not four times: case decides only between equals */
        int folded = distance(given, names[i], true), exact = distance(given, names[i], false);
        int na = (int)strlen(given), nb = (int)strlen(names[i]);
        if (folded > 1 + (na + nb) / 10 || folded >= RW_MAX(na, nb)) continue;
        if (best && (folded > best_folded || (folded == best_folded && exact >= best_exact))) continue;
        best = names[i], best_folded = folded, best_exact = exact;
    }
    return best;
}
