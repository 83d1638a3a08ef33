/* A unit is a product of names with whole powers. Powers of ten are counted apart. */
#include "param/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"

static const struct {
    const char *name;
    double factor;
    int ten, power[RW_UNIT_BASES];
} names[] = {{"m", 1, 0, {1}},
             {"g", 1, -3, {0, 1}},
             {"s", 1, 0, {0, 0, 1}},
             {"A", 1, 0, {0, 0, 0, 1}},
             {"K", 1, 0, {0, 0, 0, 0, 1}},
             {"mol", 1, 0, {0, 0, 0, 0, 0, 1}},
             {"Hz", 1, 0, {0, 0, -1}},
             {"N", 1, 0, {1, 1, -2}},
             {"Pa", 1, 0, {-1, 1, -2}},
             {"J", 1, 0, {2, 1, -2}},
             {"W", 1, 0, {2, 1, -3}},
             {"C", 1, 0, {0, 0, 1, 1}},
             {"V", 1, 0, {2, 1, -3, -1}},
             {"eV", 1.602176634, -19, {2, 1, -2}},
             {"min", 60, 0, {0, 0, 1}},
             {"h", 3600, 0, {0, 0, 1}}};
static const struct {
    const char *sign;
    int ten;
} prefixes[] = {{"", 0},   {"f", -15}, {"p", -12}, {"n", -9}, {"u", -6}, {"\xC2\xB5", -6}, {"\xCE\xBC", -6},
                {"m", -3}, {"c", -2},  {"d", -1},  {"k", 3},  {"M", 6},  {"G", 9},         {"T", 12}};

/* A prefix and a name, or a name that is all of it. */
static bool find(const char *text, size_t n, rw_unit *u)
{
    for (int p = 0; p < RW_COUNT(prefixes); ++p) {
        size_t k = strlen(prefixes[p].sign);
        if (k >= n || memcmp(text, prefixes[p].sign, k)) continue;
        for (int i = 0; i < RW_COUNT(names); ++i) {
            if (strlen(names[i].name) != n - k || memcmp(text + k, names[i].name, n - k)) continue;
            *u = (rw_unit){.factor = names[i].factor, .ten = names[i].ten + prefixes[p].ten};
            memcpy(u->power, names[i].power, sizeof u->power);
            return true;
        }
    }
    return false;
}

static void multiply(rw_unit *u, const rw_unit *by, int power)
{
    u->ten += power * by->ten;
    u->factor *= pow(by->factor, power);
    for (int i = 0; i < RW_UNIT_BASES; ++i) u->power[i] += power * by->power[i];
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80); }

/* Products up to the end or ')'. */
static bool product(const char **at, rw_unit *u, int depth, const char **bad, int *n)
{
    int sign = 1;
    *u = (rw_unit){.factor = 1};
    for (const char *p = *at;; *at = p) {
        p += strspn(p, " *");
        if (!*p || *p == ')') {
            *at = *bad = p;
            *n = 1;
            return sign == 1;
        }
        rw_unit part = {.factor = 1};
        *bad = p;
        *n = 1;
        if (*p == '/') {
            if (sign < 0) return false;
            ++p;
            sign = -1;
            continue;
        }
        if (*p == '(') {
            ++p;
            if (depth > 3 || !product(&p, &part, depth + 1, bad, n) || *p != ')') return false;
            ++p;
        } else if (is_letter(*p)) {
            while (is_letter(*p)) ++p;
            *n = (int)(p - *bad);
            if (!find(*bad, (size_t)*n, &part)) return false;
        } else if (*p == '1' && !strchr("0123456789.", p[1] ? p[1] : ' ')) {
            ++p;
        } else return false;
        char *end = (char *)p;
        long power = strchr("^-0123456789", *p) && *p ? strtol(p + (*p == '^'), &end, 10) : 1;
        if ((*p == '^' && end == p + 1) || labs(power) > 9) return false;
        p = end;
        multiply(u, &part, sign * (int)power);
        sign = 1;
    }
}

bool rw_unit_parse(const char *text, rw_unit *unit, const char **bad, int *n)
{
    return product(&text, unit, 0, bad, n) && !*text;
}

bool rw_unit_same(const rw_unit *a, const rw_unit *b) { return !memcmp(a->power, b->power, sizeof a->power); }

double rw_unit_read(const char *text, const char **end, const rw_unit *from, const rw_unit *to)
{
    char digits[80], *after;
    size_t n = strspn(text, "+-.0123456789");
    long ten = 0;
    *end = text + n;
    if ((text[n] == 'e' || text[n] == 'E') && strspn(text + n + 1, "+-0123456789")) {
        ten = strtol(text + n + 1, &after, 10);
        *end = after;
    }
    if (n + 1 > 60 || labs(ten) > 9999) n = 0;
    snprintf(digits, sizeof digits, "%.*se%ld", (int)n, text, ten + from->ten - to->ten);
    double value = rw_strtod(digits, &after);
    if (!n || *after) *end = text;
    return value * (from->factor / to->factor);
}
