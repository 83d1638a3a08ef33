/* Parses equations and expressions into a syntax tree, by recursive descent. Precedence from loose to tight:
 *
 *   or   and   not   < <= > >= == !=   + -   * / ·   - (sign)   ^ ** (to the right)   call, ( )
 *
 * Lines end statements, but not inside brackets or after an operator. Nesting is limited, so hostile text cannot
 * exhaust the stack. */
#include "expr/parse.h"

#include <stdlib.h>
#include <string.h>

#include "expr/words.h"

enum { MAX_DEPTH = 200, MAX_TREES = 100000 };

typedef struct parser {
    rw_context *ctx;
    const rw_source *source;
    const char *text;
    int at;       /* next character */
    int brackets; /* open ones: line ends do not count */
    int depth, trees;
    rw_parsed *out;
    rw_status status;
} parser;

/* "#@line:column name" and a line end. */
static const char mark[] = "#@";

void rw_add_place(rw_text *text, const char *name, int line, int column)
{
    rw_text_add(text, "%s%d:%d %s\n", mark, RW_MAX(line, 1), RW_MAX(column, 1), name);
}

/* Takes a mark at `at` over into name, line and column; its end, or NULL when it is none. */
static const char *read_mark(const char *at, char *name, size_t size, int *line, int *column)
{
    char *p;
    if (strncmp(at, mark, strlen(mark)) || at[2] < '1' || at[2] > '9') return NULL;
    long l = strtol(at + 2, &p, 10);
    if (*p != ':' || p[1] < '1' || p[1] > '9') return NULL;
    long c = strtol(p + 1, &p, 10);
    size_t n = strcspn(p, "\n");
    if (*p != ' ' || p[n] != '\n' || l > 1 << 28 || c > 1 << 28) return NULL;
    snprintf(name, size, "%.*s", (int)n - 1, p + 1);
    *line = (int)l;
    *column = (int)c;
    return p + n + 1;
}

void rw_place_text(const rw_source *source, int at, char *text, size_t size)
{
    int line = source->line > 0 ? source->line : 1, column = source->column > 0 ? source->column : 1, first = 1;
    char name[256];
    const char *end = source->text + at, *next;
    snprintf(name, sizeof name, "%s", source->name ? source->name : "expression");
    for (const char *p = source->text; p < end && *p; ++p) {
        if (*p == '#' && (next = read_mark(p, name, sizeof name, &line, &column))) {
            p = next - 1;
            first = column;
        } else if (*p == '\n') {
            line++;
            column = first;
        } else if (((unsigned char)*p & 0xc0) != 0x80) column++;
    }
    rw_place(text, size, name, (size_t)line, (size_t)column);
}

rw_status rw_fail_at(rw_context *ctx, const rw_source *source, int at, const char *format, ...)
{
    char message[1024], place[320];
    va_list list;
    va_start(list, format);
    rw_vsnprintf(message, sizeof message, format, list);
    va_end(list);
    rw_place_text(source, at, place, sizeof place);
    return rw_fail(ctx, RW_ERR_INPUT, "%s: %s", place, message);
}

#define FAIL(p, where, ...)                                                                                            \
    do {                                                                                                               \
        if ((p)->status == RW_OK) (p)->status = rw_fail_at((p)->ctx, (p)->source, where, __VA_ARGS__);                 \
    } while (0)

/* Not <ctype.h>: what is a letter must not depend on the locale. */
static bool digit(char c) { return c >= '0' && c <= '9'; }
static bool name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool name_char(char c) { return name_start(c) || digit(c); }

/* Bytes of the UTF-8 character at s, for messages. */
static int character(const char *s)
{
    int n = 1;
    while (((unsigned char)s[0] & 0xc0) == 0xc0 && n < 4 && ((unsigned char)s[n] & 0xc0) == 0x80) n++;
    return n;
}

/* Over blanks and comments; over line ends too where they do not count. */
static void skip(parser *p)
{
    for (;;) {
        char c = p->text[p->at];
        if (c == ' ' || c == '\t' || c == '\r' || (c == '\n' && p->brackets)) p->at++;
        else if (c == '#')
            while (p->text[p->at] && p->text[p->at] != '\n') p->at++;
        else return;
    }
}

static void skip_lines(parser *p)
{
    p->brackets++;
    skip(p);
    p->brackets--;
}

static bool take(parser *p, const char *sign)
{
    skip(p);
    size_t n = strlen(sign);
    if (strncmp(p->text + p->at, sign, n)) return false;
    if (name_start(sign[0]) && name_char(p->text[p->at + (int)n])) return false;
    p->at += (int)n;
    return true;
}

static rw_syntax *make(parser *p, rw_syntax_kind kind, int at, const char *name, int n)
{
    rw_syntax *s = ++p->trees <= MAX_TREES ? rw_calloc(1, sizeof *s) : NULL;
    if (s && n && !(s->args = rw_calloc((size_t)n, sizeof *s->args))) {
        rw_free(s);
        s = NULL;
    }
    if (!s) {
        if (p->status == RW_OK && p->trees > MAX_TREES) FAIL(p, at, "the text has more than %d terms", MAX_TREES);
        if (p->status == RW_OK) p->status = rw_fail_memory(p->ctx, sizeof *s, "an expression");
        return NULL;
    }
    s->kind = kind;
    s->at = at;
    s->n = n;
    snprintf(s->name, sizeof s->name, "%s", name);
    s->next = p->out->all;
    p->out->all = s;
    return s;
}

static rw_syntax *operate(parser *p, int at, const char *sign, rw_syntax *a, rw_syntax *b)
{
    if (!a || (!b && sign[0] != 'u' && strcmp(sign, "not"))) return NULL;
    rw_syntax *s = make(p, RW_SYNTAX_OPERATOR, at, sign, b ? 2 : 1);
    if (!s) return NULL;
    s->args[0] = a;
    if (b) s->args[1] = b;
    return s;
}

static rw_syntax *expression(parser *p);

static bool take_name(parser *p, char name[32])
{
    skip(p);
    int n = 0, start = p->at;
    if (!name_start(p->text[p->at])) return false;
    while (name_char(p->text[p->at])) {
        if (n < 31) name[n++] = p->text[p->at];
        p->at++;
    }
    name[n] = 0;
    if (p->at - start > 31) FAIL(p, start, "the name beginning with %s has more than 31 characters", name);
    return true;
}

/* The value of the digits, a point and an exponent among them, if it is an integer below 2^126: 12, 1.5e3, 120e-1. */
static bool exact_integer(const char *digits, rw_int128 *exact)
{
    const rw_int128 most = (rw_int128)1 << 126;
    rw_int128 value = 0;
    int scale = 0;
    const char *s = digits;
    for (bool fraction = false; digit(*s) || *s == '.'; ++s) {
        if (*s == '.') fraction = true;
        else if (value >= most / 10) return false;
        else {
            value = 10 * value + (*s - '0');
            scale -= fraction;
        }
    }
    if (*s) scale += (int)RW_MAX(-1000, RW_MIN(1000, strtol(s + 1, NULL, 10)));
    for (; value && scale > 0; --scale) {
        if (value >= most / 10) return false;
        value *= 10;
    }
    for (; value && scale < 0; ++scale) {
        if (value % 10) return false;
        value /= 10;
    }
    *exact = value;
    return true;
}

static rw_syntax *number(parser *p)
{
    char digits[64];
    int start = p->at, n = 0;
    const char *t = p->text;
    while (digit(t[p->at]) || t[p->at] == '.') p->at++;
    if (t[p->at] == 'e' || t[p->at] == 'E') {
        int e = p->at + 1;
        if (t[e] == '+' || t[e] == '-') e++;
        if (digit(t[e])) {
            while (digit(t[e])) e++;
            p->at = e;
        }
    }
    n = p->at - start;
    if (n > 63) {
        FAIL(p, start, "a number has more than 63 characters");
        return NULL;
    }
    memcpy(digits, t + start, (size_t)n);
    digits[n] = 0;
    char *end;
    double value = rw_strtod(digits, &end);
    if (*end || n == 0) {
        const bool word = strcmp(digits, ".") == 0 && name_start(t[p->at]); /* .nan, .inf of YAML */
        FAIL(p, start, word ? "\"%s%c…\" is not a number: values must be finite numbers" : "\"%s\" is not a number",
             digits, t[p->at]);
        return NULL;
    }
    rw_syntax *s = make(p, RW_SYNTAX_NUMBER, start, digits, 0);
    if (!s) return NULL;
    s->value = value;
    s->is_exact = exact_integer(digits, &s->exact);
    if (t[p->at] == 'i' && !name_char(t[p->at + 1])) {
        s->imaginary = true;
        p->at++;
    } else if (t[p->at] == 'j' && !name_char(t[p->at + 1])) {
        FAIL(p, p->at, "%sj: write the imaginary unit as 1i, here %si", digits, digits);
        return NULL;
    } else if (name_start(t[p->at])) {
        char better[64];
        const int foreign = rw_foreign_number(t + start, better);
        if (foreign) FAIL(p, start, "%.*s is not a number here: write %s", foreign, t + start, better);
        FAIL(p, p->at, "a number is followed directly by a name: write a product as %s*%c…", digits, t[p->at]);
        return NULL;
    }
    return s;
}

/* Arguments up to the closing bracket: of a function, or with the name "[" the components of a vector. */
static rw_syntax *call(parser *p, int at, const char *name)
{
    const char *const end = *name == '[' ? "]" : ")", *const what = *name == '[' ? "a vector" : name;
    rw_syntax *args[16];
    int n = 0;
    p->brackets++;
    skip(p);
    if (!take(p, end)) {
        for (;;) {
            if (n == 16) {
                FAIL(p, at, "%s has more than 16 arguments", what);
                break;
            }
            if (!(args[n] = expression(p))) break;
            n++;
            if (take(p, ",")) continue;
            if (!take(p, end)) FAIL(p, p->at, "expected ',' or '%s' in the arguments of %s", end, what);
            break;
        }
    }
    p->brackets--;
    if (p->status != RW_OK) return NULL;
    rw_syntax *s = make(p, RW_SYNTAX_CALL, at, name, n);
    for (int i = 0; s && i < n; ++i) s->args[i] = args[i];
    return s;
}

/* "[i + 1, j - 2]" after a value: the value at a neighbour, shift(value, 1, -2). */
static rw_syntax *neighbour(parser *p, rw_syntax *value)
{
    static const char letters[] = "ijk";
    rw_syntax *args[4] = {value};
    const int at = p->at - 1;
    int n = 1;
    p->brackets++;
    for (;;) {
        skip(p);
        const int place = p->at;
        if (n == 4) {
            FAIL(p, place, "more than three indices: nodes have i, j and k");
            break;
        }
        if (p->text[place] != letters[n - 1] || name_char(p->text[place + 1])) {
            FAIL(p, place, "write index %d of a node as %c, %c+1, %c-2, …", n, letters[n - 1], letters[n - 1],
                 letters[n - 1]);
            break;
        }
        p->at++;
        skip(p);
        const int sign = p->text[p->at] == '+' ? 1 : p->text[p->at] == '-' ? -1 : 0;
        rw_syntax *by = NULL;
        if (sign) {
            p->at++;
            skip(p);
            if (!digit(p->text[p->at])) {
                FAIL(p, p->at, "an integer is expected after %c%c", letters[n - 1], sign > 0 ? '+' : '-');
                break;
            }
            by = number(p);
        } else by = make(p, RW_SYNTAX_NUMBER, place, "0", 0);
        if (!by) break;
        if (sign < 0) {
            by->value = -by->value;
            by->exact = -by->exact;
        }
        args[n++] = by;
        if (take(p, ",")) continue;
        if (!take(p, "]")) FAIL(p, p->at, "expected ',' or ']' in the indices of a node");
        break;
    }
    p->brackets--;
    if (p->status != RW_OK) return NULL;
    rw_syntax *s = make(p, RW_SYNTAX_CALL, at, "shift", n);
    for (int i = 0; s && i < n; ++i) s->args[i] = args[i];
    return s;
}

static rw_syntax *primary_value(parser *p);

static rw_syntax *primary(parser *p)
{
    rw_syntax *s = primary_value(p);
    for (;;) {
        const char *at = p->text + p->at;
        if (s && at[0] == '.' && at[1] >= 'x' && at[1] <= 'z' && !name_char(at[2])) {
            s = operate(p, p->at, (const char[]){'u', '.', at[1], 0}, s, NULL);
            p->at += 2;
        } else if (s && take(p, "[")) s = neighbour(p, s);
        else return s;
    }
}

/* How a sign of mathematics is written here; NULL: it is none. */
static const char *foreign_sign(const char *text)
{
    static const struct {
        const char *sign, *text;
    } signs[] = {{"\xce\x94", "write the Laplacian as laplace(u)"},     /* capital delta */
                 {"\xe2\x88\x86", "write the Laplacian as laplace(u)"}, /* increment */
                 {"\xe2\x88\x87", "write a gradient as grad(u), a divergence as div(q), the Laplacian as laplace(u)"},
                 {"\xe2\x88\x82", "write derivatives as dx(u), dxx(u), dxy(u)"},
                 {"\xe2\x88\x9a", "write a square root as sqrt(a)"},
                 {"\xcf\x80", "write pi"}};
    for (int i = 0; i < RW_COUNT(signs); ++i)
        if (!strncmp(text, signs[i].sign, strlen(signs[i].sign))) return signs[i].text;
    return NULL;
}

static rw_syntax *primary_value(parser *p)
{
    skip(p);
    int at = p->at;
    char c = p->text[at], name[32];
    if (digit(c) || c == '.') return number(p);
    if (take(p, "(")) {
        p->brackets++;
        rw_syntax *s = expression(p);
        skip(p);
        p->brackets--;
        if (s && p->text[p->at] != ')') {
            FAIL(p, p->at, "expected ')' to close the bracket");
            return NULL;
        }
        if (s) p->at++;
        return s;
    }
    if (take(p, "[")) return call(p, at, "[");
    if (take_name(p, name)) {
        if (!strcmp(name, "not") || !strcmp(name, "and") || !strcmp(name, "or")) {
            FAIL(p, at, "'%s' is not allowed here: put brackets around the condition", name);
            return NULL;
        }
        int next = p->at;
        while (p->text[next] == ' ' || p->text[next] == '\t') next++;
        if (p->text[next] == '(') {
            p->at = next + 1;
            return call(p, at, name);
        }
        return make(p, RW_SYNTAX_NAME, at, name, 0);
    }
    if (!c || c == '\n' || c == ';') FAIL(p, at, "the expression ends where a value is expected");
    else if (foreign_sign(p->text + at))
        FAIL(p, at, "unexpected '%.*s': %s", character(p->text + at), p->text + at, foreign_sign(p->text + at));
    else FAIL(p, at, "unexpected '%.*s': a number, name or '(' is expected", character(p->text + at), p->text + at);
    return NULL;
}

static rw_syntax *unary(parser *p);

static rw_syntax *power(parser *p)
{
    rw_syntax *base = primary(p);
    skip(p);
    int at = p->at;
    if (base && (take(p, "^") || take(p, "**"))) {
        skip_lines(p);
        return operate(p, at, "^", base, unary(p));
    }
    return base;
}

static rw_syntax *unary(parser *p)
{
    if (p->status != RW_OK) return NULL;
    if (++p->depth > MAX_DEPTH) {
        FAIL(p, p->at, "brackets, signs and powers are nested more than %d deep", MAX_DEPTH);
        return NULL;
    }
    skip(p);
    int at = p->at;
    rw_syntax *s;
    bool minus = take(p, "-"), sign = minus || take(p, "+");
    if (sign) skip_lines(p);
    s = sign ? unary(p) : power(p);
    if (minus) s = operate(p, at, "u-", s, NULL);
    p->depth--;
    return s;
}

/* Left-associative levels: the signs of a level, longest first. */
static const char *const levels[][7] = {{"or", "||", NULL},
                                        {"and", "&&", NULL},
                                        {"<=", ">=", "==", "!=", "<", ">", NULL},
                                        {"+", "-", NULL},
                                        {"*", "/", "\xc2\xb7", NULL}};
enum { LEVELS = 5, NOT_LEVEL = 2, COMPARISONS = 2 };

static const char *take_sign(parser *p, int level)
{
    for (int i = 0; levels[level][i]; ++i) {
        const char *sign = levels[level][i];
        skip(p);
        if (sign[0] == '*' && p->text[p->at + 0] == '*' && p->text[p->at + 1] == '*') continue;
        if (take(p, sign)) return sign;
    }
    return NULL;
}

static rw_syntax *level(parser *p, int l)
{
    if (l == LEVELS) return unary(p);
    skip(p);
    int at = p->at;
    if (l == NOT_LEVEL && (take(p, "not") || (p->text[p->at] == '!' && p->text[p->at + 1] != '=' && take(p, "!")))) {
        if (++p->depth > MAX_DEPTH) {
            FAIL(p, at, "not is nested more than %d deep", MAX_DEPTH);
            return NULL;
        }
        skip_lines(p);
        rw_syntax *s = operate(p, at, "not", level(p, l), NULL);
        p->depth--;
        return s;
    }
    bool compared = false;
    rw_syntax *a = level(p, l + 1);
    while (a && p->status == RW_OK) {
        skip(p);
        at = p->at;
        const char *sign = take_sign(p, l);
        if (!sign) break;
        if (l == COMPARISONS && compared) {
            FAIL(p, at,
                 "comparisons cannot be chained: write a < b and b < c, or brackets to compare a truth value, 0 or 1");
            return NULL;
        }
        compared = true;
        skip_lines(p);
        if (!strcmp(sign, "||")) sign = "or";
        if (!strcmp(sign, "&&")) sign = "and";
        a = operate(p, at, sign, a, level(p, l + 1));
    }
    return p->status == RW_OK ? a : NULL;
}

static rw_syntax *expression(parser *p)
{
    if (++p->depth > MAX_DEPTH) {
        FAIL(p, p->at, "brackets, signs and powers are nested more than %d deep", MAX_DEPTH);
        return NULL;
    }
    rw_syntax *s = level(p, 0);
    p->depth--;
    return s;
}

static const char forms[] = "u = …, f(a, b) = …, du/dt = …, or an equation such as laplace(u) = v";

/* What may follow an expression, or how what was meant by signs of other languages is written here. */
static const char *advice_after(const char *text, const char *otherwise)
{
    if (*text == '%') return ": write a remainder as mod(a, b)";
    if (*text == '?' || !strncmp(text, "if ", 3)) return ": write a choice as where(condition, a, b)";
    return otherwise;
}

/* "=", and not "==". */
static bool take_equals(parser *p)
{
    skip(p);
    return p->text[p->at] == '=' && p->text[p->at + 1] != '=' && take(p, "=");
}

/* "f(a, b)" at the beginning of the statement, f no operator or function of the language. */
static bool is_head(const rw_statement *s)
{
    const rw_syntax *left = s->left;
    bool is = left->kind == RW_SYNTAX_CALL && left->at == s->at && *left->name != '[' && !rw_is_operation(left->name);
    for (int i = 0; i < left->n; ++i) is = is && left->args[i]->kind == RW_SYNTAX_NAME;
    return is;
}

static void take_parameters(parser *p, rw_statement *s)
{
    const rw_syntax *left = s->left;
    memcpy(s->name, left->name, sizeof s->name);
    if (!left->n) FAIL(p, left->at, "function %s has no parameters: write %s = …", s->name, s->name);
    for (int i = 0; i < left->n; ++i) {
        const rw_syntax *a = left->args[i];
        for (int k = 0; k < i; ++k)
            if (!strcmp(left->args[k]->name, a->name))
                FAIL(p, a->at, "function %s has two parameters %s", s->name, a->name);
        if (i == RW_COUNT(s->parameters))
            FAIL(p, a->at, "function %s has more than %d parameters", s->name, RW_COUNT(s->parameters));
        if (p->status != RW_OK) return;
        memcpy(s->parameters[s->nparameters++], a->name, sizeof a->name);
    }
}

/* The left side of a definition or an equation, and the sign after it. */
static bool take_left(parser *p, rw_statement *s)
{
    if (p->text[p->at] == '=') FAIL(p, p->at, "the left side is missing: a statement is %s", forms);
    else s->left = expression(p);
    if (!s->left) return false;
    if (!take_equals(p)) {
        FAIL(p, p->at, "expected '=' after the left side: a statement is %s", forms);
        return false;
    }
    s->kind = is_head(s) ? RW_DEFINE : RW_EQUATION;
    if (s->kind == RW_DEFINE) take_parameters(p, s);
    return p->status == RW_OK;
}

/* After the name d2u: "/dt2 =", "/dt^2 =", or after d: "^2u/dt^2 =". */
static bool is_second_rate(parser *p, const char *name, char field[32])
{
    char second[32], by[32];
    const int start = p->at;
    bool is = name[0] == 'd';
    if (is && !name[1]) is = take(p, "^") && take(p, "2") && take_name(p, field);
    else is = is && name[1] == '2' && snprintf(field, 32, "%s", name + 2) > 0;
    is = is && *field && take(p, "/") && take_name(p, by);
    snprintf(second, sizeof second, "%s", is && p->text[p->at] == '^' ? "dt" : "dt2");
    is = is && !strcmp(by, second);
    p->at = start;
    return is;
}

const rw_statement *rw_second_rate(const rw_parsed *parsed, const char *field)
{
    for (int i = 0; i < parsed->n; ++i) {
        const rw_statement *s = parsed->statements + i;
        const size_t n = strlen(field);
        const bool begins = !strncmp(s->name, field, n);
        if (s->kind == RW_ASSIGN && begins && (!strcmp(s->name + n, "_tt") || !strcmp(s->name + n, "tt"))) return s;
        if (s->kind == RW_DEFINE && !strcmp(s->name, "dtt") && s->nparameters == 1 && !strcmp(s->parameters[0], field))
            return s;
        if (s->kind == RW_RATE && s->name[0] == 'd' && !strcmp(s->name + 1, field)) return s;
    }
    return NULL;
}

/* Adds the statement that begins here, unless it is wrong. */
static bool statement(parser *p)
{
    if (!rw_grow(&p->out->statements, &p->out->capacity, p->out->n + 1, sizeof *p->out->statements)) {
        p->status = rw_fail_memory(p->ctx, sizeof *p->out->statements, "a statement");
        return false;
    }
    rw_statement *s = p->out->statements + p->out->n;
    memset(s, 0, sizeof *s);
    skip(p);
    s->at = p->at;
    char dt[32], field[32];
    const bool named = take_name(p, s->name);
    const int after = p->at;
    if (named && is_second_rate(p, s->name, field)) {
        FAIL(p, s->at, RW_SECOND_RATE_ADVICE, field);
        return false;
    }
    if (named && s->name[0] == 'd' && s->name[1] && take(p, "/") && take_name(p, dt) && !strcmp(dt, "dt") &&
        take(p, "=")) {
        s->kind = RW_RATE;
        memmove(s->name, s->name + 1, sizeof s->name - 1);
    } else {
        p->at = after;
        if (!named || !take_equals(p)) {
            p->at = s->at;
            s->name[0] = 0;
            if (p->status != RW_OK || !take_left(p, s)) return false;
        }
    }
    skip_lines(p);
    if (!(s->value = expression(p))) return false;
    p->out->n++;
    skip(p);
    char c = p->text[p->at];
    if (c && c != '\n' && c != ';') {
        FAIL(p, p->at, "unexpected '%.*s' after the expression%s", character(p->text + p->at), p->text + p->at,
             advice_after(p->text + p->at, ": ';' or a line end separates statements"));
        return false;
    }
    return true;
}

static void begin(parser *p, rw_context *ctx, const rw_source *source, rw_parsed *out)
{
    memset(out, 0, sizeof *out);
    *p = (parser){.ctx = ctx, .source = source, .text = source->text, .out = out};
}

static rw_status finish(parser *p)
{
    if (p->status != RW_OK) rw_parsed_free(p->out);
    return p->status;
}

/* Whether the text up to the next ';' or line end has the '=' of a statement, outside of brackets. */
static bool assigns(const char *text)
{
    int depth = 0;
    for (const char *c = text; *c && *c != ';' && *c != '\n' && *c != '#'; ++c) {
        depth += *c == '(' ? 1 : *c == ')' ? -1 : 0;
        if (*c == '=' && !depth && c > text && c[1] != '=' && !strchr("=<>!", c[-1])) return true;
    }
    return false;
}

rw_status rw_parse_statements(rw_context *ctx, const rw_source *source, rw_parsed *out)
{
    parser p;
    begin(&p, ctx, source, out);
    rw_status first = RW_OK;
    for (;;) {
        do skip_lines(&p);
        while (take(&p, ";"));
        if (!p.text[p.at]) break;
        if (statement(&p)) continue;
        if (!rw_mistake(ctx, p.status)) break;
        first = p.status;
        p.status = RW_OK;
        p.brackets = p.depth = 0; /* one of several: on at the next statement */
        do {
            p.at += (int)strcspn(p.text + p.at, ";\n");
            p.at += p.text[p.at] != 0;
        } while (p.text[p.at] && !assigns(p.text + p.at));
    }
    if (p.status == RW_OK) p.status = first;
    return finish(&p);
}

rw_status rw_parse_expression(rw_context *ctx, const rw_source *source, rw_parsed *out)
{
    parser p;
    begin(&p, ctx, source, out);
    p.brackets = 1; /* line ends do not matter */
    if (!rw_grow(&out->statements, &out->capacity, 1, sizeof *out->statements)) {
        p.status = rw_fail_memory(ctx, sizeof *out->statements, "an expression");
        return finish(&p);
    }
    memset(out->statements, 0, sizeof *out->statements);
    out->statements[0].value = expression(&p);
    out->n = 1;
    skip(&p);
    if (p.status == RW_OK && p.text[p.at])
        FAIL(&p, p.at, "unexpected '%.*s' after the expression%s", character(p.text + p.at), p.text + p.at,
             advice_after(p.text + p.at, ""));
    return finish(&p);
}

void rw_parsed_free(rw_parsed *parsed)
{
    for (rw_syntax *s = parsed->all; s;) {
        rw_syntax *next = s->next;
        rw_free(s->args);
        rw_free(s);
        s = next;
    }
    rw_free(parsed->statements);
    memset(parsed, 0, sizeof *parsed);
}
