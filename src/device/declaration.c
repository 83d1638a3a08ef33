/* The declarations KERNEL(name, parameters) of a text, so that a launch can check and convert arguments.
 *
 * This is not a preprocessor: a kernel inside a false #if is declared all the same, and a type that is
 * defined under two conditions may be either. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"

const char *rw_define_value(const rw_define *d, int n, const char *name)
{
    for (int i = 0; i < n; ++i)
        if (!strcmp(d[i].name, name)) return d[i].value;
    return NULL;
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The last character of the comment, string or character constant that begins at s; s itself where none does, NULL
 * where it has no end. */
static const char *skip(const char *s)
{
    if (s[0] == '/' && s[1] == '*') {
        const char *end = strstr(s + 2, "*/");
        return end ? end + 1 : NULL;
    }
    if (s[0] == '/' && s[1] == '/') {
        while (s[1] && s[1] != '\n') ++s;
        return s;
    }
    if (*s != '"' && *s != '\'') return s;
    for (const char *end = s + 1; *end && *end != '\n'; ++end) {
        if (*end == *s) return end;
        if (*end == '\\' && end[1]) ++end;
    }
    return s; /* a lone quote: an error for the compiler */
}

/* The next occurrence of `word` as a whole word outside comments and strings, lines of the preprocessor left out. */
static const char *find_word(const char *s, const char *word)
{
    size_t n = strlen(word);
    bool line_start = true, directive = false;
    char before = ' ';
    for (; *s; before = *s, ++s) {
        const char *end = skip(s);
        if (!end) return NULL;
        if (end > s) {
            s = end;
            continue;
        }
        if (*s == '\n') {
            if (!(directive && before == '\\')) directive = false;
            line_start = true;
            continue;
        }
        if (line_start && *s == '#') directive = true;
        if (!isspace((unsigned char)*s)) line_start = false;
        if (*s == *word && !directive && !is_word(before) && !strncmp(s, word, n) && !is_word(s[n])) return s;
    }
    return NULL;
}

static rw_arg_kind value_kind(const char *type, const char *real, bool *known)
{
    static const struct {
        const char *type;
        rw_arg_kind kind;
    } kinds[] = {{"int", RW_ARG_INT},  {"i32", RW_ARG_INT},    {"u32", RW_ARG_UINT}, {"long", RW_ARG_LONG},
                 {"i64", RW_ARG_LONG}, {"u64", RW_ARG_ULONG},  {"f32", RW_ARG_F32},  {"float", RW_ARG_F32},
                 {"f64", RW_ARG_F64},  {"double", RW_ARG_F64}, {"c64", RW_ARG_C64},  {"c128", RW_ARG_C128}};
    *known = true;
    bool f32 = !strcmp(real, "f32");
    if (!strcmp(type, "real")) return f32 ? RW_ARG_F32 : RW_ARG_F64;
    if (!strcmp(type, "complex")) return f32 ? RW_ARG_C64 : RW_ARG_C128;
    for (int i = 0; i < RW_COUNT(kinds); ++i)
        if (!strcmp(type, kinds[i].type)) return kinds[i].kind;
    *known = false;
    return RW_ARG_INT;
}

/* ---- types of arrays ----------------------------------------------------------------------------------------- */

/* Where a type's name is looked up. */
typedef struct names {
    const char *text, *real;
    const rw_define *defines;
    int ndefines;
} names;

static unsigned elements_of(const names *in, const char *type, int depth);

/* The first name in s … end that can be a type, looked up. */
static unsigned elements_of_first(const names *in, const char *s, const char *end, int depth)
{
    static const char *const passed[] = {"const", "struct", "volatile", "ALIGNED"};
    while (s < end) {
        char word[64];
        int n = 0;
        if (*s == '/' && skip(s)) s = skip(s);
        if (!is_word(*s)) {
            ++s;
            continue;
        }
        while (s < end && is_word(*s)) {
            if (n < 63) word[n++] = *s;
            ++s;
        }
        word[n] = 0;
        bool pass = false;
        for (int i = 0; i < RW_COUNT(passed); ++i) pass = pass || !strcmp(word, passed[i]);
        if (!pass) return elements_of(in, word, depth);
        for (int open = 0; !strcmp(word, "ALIGNED") && s < end; ++s) { /* its argument is no type */
            open += (*s == '(') - (*s == ')');
            if (*s == ')' && open == 0) break;
        }
    }
    return 0;
}

/* Length of the "[4]" that ends here. */
static ptrdiff_t size_of_brackets(const char *begin, const char *end)
{
    const char *s = end - 1;
    while (s > begin && *s != '[') --s;
    return end - s;
}

/* `typedef … name;`: of a struct the type of its first member. A name may be there twice, under conditions. */
static unsigned elements_of_typedef(const names *in, const char *type, int depth)
{
    unsigned found = 0;
    size_t n = strlen(type);
    for (const char *s = find_word(in->text, "typedef"); s; s = find_word(s, "typedef")) {
        const char *brace = NULL, *end = s += strlen("typedef");
        for (int open = 0; *end && (*end != ';' || open); ++end) {
            if (!brace && *end == '{') brace = end;
            open += (*end == '{') - (*end == '}');
        }
        const char *last = end;
        while (last > s && !is_word(last[-1])) last -= last[-1] == ']' ? size_of_brackets(s, last) : 1;
        if (last - n < s || strncmp(last - n, type, n) || is_word(last[-(ptrdiff_t)n - 1])) continue;
        found |= elements_of_first(in, brace ? brace : s, brace ? end : last - n, depth);
    }
    return found;
}

/* `#define name …` in the text. */
static unsigned elements_of_macro(const names *in, const char *type, int depth)
{
    unsigned found = 0;
    size_t n = strlen(type);
    for (const char *s = strchr(in->text, '#'); s; s = strchr(s + 1, '#')) {
        const char *name = s + 1 + strspn(s + 1, " \t");
        if (strncmp(name, "define", strlen("define"))) continue;
        name += strlen("define");
        name += strspn(name, " \t");
        if (!strncmp(name, type, n) && (name[n] == ' ' || name[n] == '\t'))
            found |= elements_of_first(in, name + n, name + n + strcspn(name + n, "\n"), depth);
    }
    return found;
}

/* Elements of an array passed as a pointer to such a type: a bit for each dtype of a real element (of a complex one's
 * parts) that it may be; 0 for a type that is not known. */
static unsigned elements_of(const names *in, const char *type, int depth)
{
    static const struct {
        const char *type;
        rw_dtype dtype;
    } kinds[] = {{"f32", RW_F32},  {"float", RW_F32}, {"f64", RW_F64}, {"double", RW_F64}, {"c64", RW_F32},
                 {"c128", RW_F64}, {"i8", RW_I8},     {"i16", RW_I16}, {"i32", RW_I32},    {"int", RW_I32},
                 {"i64", RW_I64},  {"long", RW_I64},  {"u8", RW_U8},   {"char", RW_U8},    {"u16", RW_U16},
                 {"u32", RW_U32},  {"u64", RW_U64},   {"f16", RW_F16}, {"bf16", RW_BF16},  {"b8", RW_BOOL}};
    if (!strcmp(type, "real") || !strcmp(type, "complex")) return 1u << (strcmp(in->real, "f32") ? RW_F64 : RW_F32);
    for (int i = 0; i < RW_COUNT(kinds); ++i)
        if (!strcmp(type, kinds[i].type)) return 1u << kinds[i].dtype;
    if (depth > 8) return 0; /* a name that means itself */
    const char *value = rw_define_value(in->defines, in->ndefines, type);
    if (value) return elements_of_first(in, value, value + strlen(value), depth + 1);
    return elements_of_typedef(in, type, depth + 1) | elements_of_macro(in, type, depth + 1);
}

/* ---- parameters ------------------------------------------------------------------------------------------------ */

/* One parameter, "GLOBAL const real *RESTRICT y" or "int n", between s and end. */
static bool parse_parameter(const char *s, const char *end, const names *in, rw_parameter *p)
{
    char word[64], last[64] = "", type[64] = "";
    bool global = false, any = false;
    int stars = 0;
    memset(p, 0, sizeof *p);
    while (s < end) {
        if (*s == '/') s = skip(s) + 1;
        else if (*s == '*') {
            ++stars;
            ++s;
        } else if (is_word(*s)) {
            int n = 0;
            while (s < end && is_word(*s)) {
                if (n < 63) word[n++] = *s;
                ++s;
            }
            word[n] = 0;
            if (!strcmp(word, "GLOBAL")) global = true;
            else if (!strcmp(word, "ANY")) any = true;
            else if (!strcmp(word, "const")) p->constant = p->constant || !stars; /* of what is pointed to */
            else if (!strcmp(word, "RESTRICT")) continue;
            else if (!type[0]) memcpy(type, word, 64);
            else memcpy(last, word, 64);
        } else ++s;
    }
    if (!type[0] || !last[0] || stars != global || strlen(type) > 15) return false;
    memcpy(p->name, last, 64);
    snprintf(p->type, sizeof p->type, "%.15s", type);
    bool known = true;
    p->kind = global ? RW_ARG_GLOBAL : value_kind(type, in->real, &known);
    p->elements = !global ? 0 : any ? ~0u : elements_of(in, type, 0);
    return known;
}

static rw_status parse_kernel(rw_program *p, const char *at, const names *in, int *capacity, const char **after)
{
    rw_context *ctx = p->device->ctx;
    const char *s = at + strlen("KERNEL");
    while (isspace((unsigned char)*s)) ++s;
    const char *end = *s == '(' ? s + 1 : NULL;
    for (int depth = 1; end && *end; ++end) {
        depth += (*end == '(') - (*end == ')');
        if (depth == 0) break;
        if (!(end = skip(end))) break;
    }
    if (!end || !*end) return rw_fail(ctx, RW_ERR_COMPILE, "program %s: KERNEL( has no closing parenthesis", p->name);
    *after = end;
    if (!rw_grow(&p->kernels, capacity, p->nkernels + 1, sizeof *p->kernels))
        return rw_fail_memory(ctx, sizeof *p->kernels, "a kernel");
    rw_kernel *k = p->kernels + p->nkernels;
    memset(k, 0, sizeof *k);
    ++s;
    while (isspace((unsigned char)*s)) ++s;
    int n = 0;
    while (is_word(*s) && n < 63) k->name[n++] = *s++;
    k->parameters = rw_calloc(RW_MAX_PARAMETERS, sizeof *k->parameters);
    if (!k->parameters) return rw_fail_memory(ctx, RW_MAX_PARAMETERS * sizeof *k->parameters, "a kernel");
    p->nkernels++;
    if (!n || is_word(*s))
        return rw_fail(ctx, RW_ERR_COMPILE, "program %s: KERNEL(%s…: %s", p->name, k->name,
                       n ? "the name has more than 63 characters" : "the kernel's name is missing");
    while (isspace((unsigned char)*s)) ++s;
    if (*s != ',')
        return rw_fail(ctx, RW_ERR_COMPILE, "program %s: kernel %s has no parameters: give it an array to write to",
                       p->name, k->name);
    while (*s == ',') {
        const char *next = ++s;
        while (next < end && *next != ',') next = skip(next) + 1;
        if (k->nparameters == RW_MAX_PARAMETERS)
            return rw_fail(ctx, RW_ERR_COMPILE, "kernel %s has more than %d parameters", k->name, RW_MAX_PARAMETERS);
        const rw_parameter *q = k->parameters + k->nparameters;
        if (!parse_parameter(s, next, in, k->parameters + k->nparameters))
            return rw_fail(
                ctx, RW_ERR_COMPILE,
                "kernel %s: parameter %d, \"%.*s\", is neither \"GLOBAL [const] TYPE *name\" nor \"TYPE name\"",
                k->name, k->nparameters + 1, (int)(next - s), s);
        if (q->kind == RW_ARG_GLOBAL && !q->elements)
            return rw_fail(
                ctx, RW_ERR_COMPILE,
                "kernel %s: parameter %d, %s: unknown type %s: an array can have the type real, complex, f32, f64, "
                "c64, c128, i8 … i64, u8 … u64, f16, bf16, b8, or a typedef or macro of one of these; GLOBAL ANY %s "
                "* accepts arrays of any type",
                k->name, k->nparameters + 1, q->name, q->type, q->type);
        k->nparameters++;
        s = next;
    }
    return RW_OK;
}

rw_status rw_parse_kernels(rw_program *p, const char *text, const char *real, const rw_define *defines, int ndefines)
{
    const names in = {text, real, defines, ndefines};
    int capacity = 0;
    for (const char *s = find_word(text, "KERNEL"); s; s = find_word(s, "KERNEL"))
        RW_TRY(parse_kernel(p, s, &in, &capacity, &s));
    for (int i = 0; i < p->nkernels; ++i) p->kernels[i].program = p; /* after the last move of the table */
    if (!p->nkernels) return rw_fail(p->device->ctx, RW_ERR_COMPILE, "program %s declares no KERNEL(name, …)", p->name);
    return RW_OK;
}

void rw_free_kernels(rw_program *p)
{
    for (int i = 0; i < p->nkernels; ++i) rw_free(p->kernels[i].parameters);
    rw_free(p->kernels);
    p->kernels = NULL;
    p->nkernels = 0;
}
