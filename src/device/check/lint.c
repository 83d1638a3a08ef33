/* What no run shows: a local variable that is declared outside EACH and changed inside. On a cpu all items share it,
 * on a GPU each has its own, so
 *
 *     real sum = 0;
 *     EACH(i, n) { sum += x[i]; }
 *
 * is a sum on one and not on the other. Compilers put no hook at such variables, so the text is read for them: names
 * declared in a function (or its parameters) outside EACH, and assignments, ++ and -- inside. Macros are not expanded;
 * what is not understood is passed over. */
#include <ctype.h>
#include <string.h>

#include "device/check/check.h"

typedef struct token {
    const char *s;
    int n, line;
} token;

typedef struct name {
    const token *token;
    bool array;
} name;

typedef struct lint {
    token *tokens;
    int n, capacity;
    name outside[256], inside[256];
    int noutside, ninside;
    const token *changed, *declared; /* the finding */
} lint;

static bool is(const token *t, const char *text)
{
    return (int)strlen(text) == t->n && !strncmp(t->s, text, (size_t)t->n);
}
static bool same(const token *a, const token *b) { return a->n == b->n && !strncmp(a->s, b->s, (size_t)a->n); }
static bool is_word(const token *t) { return isalpha((unsigned char)*t->s) || *t->s == '_'; }

static bool is_one_of(const token *t, const char *const *words)
{
    while (*words && !is(t, *words)) ++words;
    return *words;
}

static bool is_control(const token *t)
{
    static const char *const words[] = {"for", "if", "while", "do", "else", "switch", "return", "goto", "case", NULL};
    return is_one_of(t, words);
}

static bool is_each(const token *t)
{
    static const char *const words[] = {"EACH", "EACH_IN", "EACH2", "EACH2_STREAM", "EACH_SERIAL", NULL};
    return is_one_of(t, words);
}

static bool changes(const token *t)
{
    static const char *const words[] = {"=",  "+=", "-=",  "*=",  "/=", "%=", "&=",
                                        "|=", "^=", "<<=", ">>=", "++", "--", NULL};
    return is_one_of(t, words);
}

/* ---- tokens ------------------------------------------------------------------------------------------------ */

static const char *skip_line(const char *s, int *line)
{
    for (; *s && *s != '\n'; ++s)
        if (s[0] == '\\' && s[1] == '\n') {
            ++s;
            ++*line;
        }
    return s;
}

static int operator_length(const char *s)
{
    static const char *const operators[] = {"<<=", ">>=", "==", "<=", ">=", "!=", "+=", "-=", "*=", "/=", "%=",
                                            "&=",  "|=",  "^=", "++", "--", "->", "&&", "||", "<<", ">>"};
    for (int i = 0; i < RW_COUNT(operators); ++i)
        if (!strncmp(s, operators[i], strlen(operators[i]))) return (int)strlen(operators[i]);
    return 1;
}

static bool read_tokens(lint *l, const char *s)
{
    bool line_start = true;
    for (int line = 1; *s;) {
        if (*s == '\n') {
            ++line;
            ++s;
            line_start = true;
        } else if (isspace((unsigned char)*s)) {
            ++s;
        } else if (s[0] == '/' && s[1] == '*') {
            for (s += 2; *s && !(s[0] == '*' && s[1] == '/'); ++s) line += *s == '\n';
            s += *s ? 2 : 0;
        } else if ((s[0] == '/' && s[1] == '/') || (*s == '#' && line_start)) {
            s = skip_line(s, &line);
        } else {
            if (!rw_grow(&l->tokens, &l->capacity, l->n + 1, sizeof *l->tokens)) return false;
            const char *end = s;
            if (isalnum((unsigned char)*s) || *s == '_')
                while (isalnum((unsigned char)*end) || *end == '_') ++end;
            else if (*s == '"' || *s == '\'')
                for (++end; *end && *end != *s; ++end) end += end[0] == '\\' && end[1];
            end = end == s ? s + operator_length(s) : end + (*end && (*s == '"' || *s == '\''));
            l->tokens[l->n++] = (token){s, (int)(end - s), line};
            s = end;
            line_start = false;
        }
    }
    return true;
}

/* The bracket that closes the one at i; n when there is none. */
static int closing(const lint *l, int i)
{
    for (int depth = 0; i < l->n; ++i) {
        char c = l->tokens[i].n == 1 ? *l->tokens[i].s : 0;
        depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
        if (depth == 0) return i;
    }
    return i;
}

/* ---- names ------------------------------------------------------------------------------------------------- */

static void add(name *names, int *n, const token *t, bool array)
{
    if (*n < 256) names[(*n)++] = (name){t, array};
}

static const name *find(const name *names, int n, const token *t)
{
    for (int i = n - 1; i >= 0; --i)
        if (same(names[i].token, t)) return names + i;
    return NULL;
}

/* "real a = 1, *b, c[3];" at i: two words, or a word and a star, begin a declaration. */
static void add_declared(const lint *l, int i, int end, name *names, int *n)
{
    const token *t = l->tokens;
    if (!is_word(t + i) || is_control(t + i) || i + 1 >= end) return;
    if (!is(t + i + 1, "*") && (!is_word(t + i + 1) || is_control(t + i + 1) || is_each(t + i + 1))) return;
    while (i < end) {
        while (i < end && (is_word(t + i) || is(t + i, "*"))) ++i;
        if (i == end || !(is(t + i, "=") || is(t + i, ",") || is(t + i, ";") || is(t + i, "["))) return;
        add(names, n, t + i - 1, is(t + i, "["));
        while (i < end && !is(t + i, ",") && !is(t + i, ";"))
            i = is(t + i, "(") || is(t + i, "[") || is(t + i, "{") ? closing(l, i) + 1 : i + 1;
        if (i == end || is(t + i, ";")) return;
        ++i;
    }
}

/* Whether a statement begins after this token. UNROLL and the like stand alone before a keyword. */
static bool begins(const token *t, int i)
{
    if (is(t + i - 1, ";") || is(t + i - 1, "{") || is(t + i - 1, "}") || is(t + i - 1, "else")) return true;
    return is(t + i - 1, "(") && i >= 2 && is(t + i - 2, "for");
}

/* name, name[…], name.part before = or the like, or between ++ and --. */
static void look_at(lint *l, int i, int end)
{
    const token *t = l->tokens;
    const token *before = t + i - 1;
    bool element = false;
    int j = i + 1;
    while (j < end && (is(t + j, "[") || is(t + j, "."))) {
        element = element || is(t + j, "[");
        j = is(t + j, "[") ? closing(l, j) + 1 : j + 2;
    }
    if (is(before, ".") || is(before, "->") || is(before, "*")) return;
    if (!(j < end && changes(t + j)) && !is(before, "++") && !is(before, "--")) return;
    if (find(l->inside, l->ninside, t + i)) return;
    const name *declared = find(l->outside, l->noutside, t + i);
    if (!declared || (element && !declared->array) || l->changed) return;
    l->changed = t + i;
    l->declared = declared->token;
}

/* EACH at i; returns the last token of its body. */
static int read_each(lint *l, int i, int end)
{
    const token *t = l->tokens;
    int last = closing(l, i + 1), body = last + 1;
    l->ninside = 0;
    for (int k = i + 2; k < last; ++k) /* all words of the head: the indices are among them */
        if (is_word(t + k) && (is(t + k - 1, "(") || is(t + k - 1, ",")) && is(t + k + 1, ","))
            add(l->inside, &l->ninside, t + k, false);
    int stop = body;
    while (stop < end && !is(t + stop, ";") && !is(t + stop, "{"))
        stop = is(t + stop, "(") ? closing(l, stop) + 1 : stop + 1;
    if (stop < end && is(t + stop, "{")) stop = closing(l, stop);
    for (int k = body; k < stop; ++k) {
        if (begins(t, k)) add_declared(l, k, stop, l->inside, &l->ninside);
        if (is_word(t + k)) look_at(l, k, stop);
    }
    return stop;
}

/* A function with its parameters between open and close and its body from begin to end. */
static void read_function(lint *l, int open, int close, int begin, int end)
{
    const token *t = l->tokens;
    l->noutside = 0;
    for (int i = open + 1; i < close; ++i)
        if (is_word(t + i) && (i + 1 == close || is(t + i + 1, ",")) && !is(t + i - 1, "("))
            add(l->outside, &l->noutside, t + i, false);
    for (int i = begin + 1; i < end; ++i) {
        if (is_each(t + i) && is(t + i + 1, "(")) i = read_each(l, i, end);
        else if (begins(t, i)) add_declared(l, i, end, l->outside, &l->noutside);
    }
}

rw_status rw_check_lint(rw_context *ctx, const char *program, const char *text)
{
    rw_status status = RW_OK;
    lint *l = rw_calloc(1, sizeof *l);
    if (!l || !read_tokens(l, text)) status = rw_fail_memory(ctx, sizeof *l, "the reading of a program");
    for (int i = 0; status == RW_OK && i < l->n; ++i) {
        if (!is(l->tokens + i, "(") && !is(l->tokens + i, "{")) continue;
        int close = closing(l, i);
        if (is(l->tokens + i, "(") && close + 1 < l->n && is(l->tokens + close + 1, "{")) {
            int end = closing(l, close + 1);
            read_function(l, i, close, close + 1, end);
            close = end;
        }
        i = close;
    }
    if (status == RW_OK && l->changed)
        status = rw_fail(ctx, RW_ERR_CHECK,
                         "dialect: program %s, line %d: '%.*s', declared in line %d outside EACH, is changed inside: "
                         "on a cpu it is one for all items, on a GPU one for each; declare it inside, or use PRIVATE "
                         "or SHARED",
                         program, l->changed->line, l->changed->n, l->changed->s, l->declared->line);
    if (l) rw_free(l->tokens);
    rw_free(l);
    return status;
}
