/* .npy files (format: see npy.h):
 *
 *   \x93NUMPY  major minor  length(2 bytes, from 2.0 on 4)  {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
 *   then the elements, first index slowest unless fortran_order
 *
 * The header is a Python literal; the parser accepts exactly a dictionary of these three keys in any order. Cost of a
 * read: one pass, and a second buffer of the file's size only when bytes, order or types have to change. */
#include "files/npy.h"

#include <string.h>

#include "core/convert.h"

enum { HEADER_LIMIT = 1 << 16 };

typedef struct header {
    char order; /* '<' '>' '=' '|' */
    rw_dtype type;
    size_t size; /* bytes of an element */
    bool fortran, have_descr, have_order, have_shape;
    int ndim;
    size_t shape[RW_NPY_RANK];
} header;

static void skip_space(const char **c)
{
    while (**c == ' ' || **c == '\n' || **c == '\t' || **c == '\r') (*c)++;
}

static bool take(const char **c, const char *word)
{
    skip_space(c);
    size_t n = strlen(word);
    if (strncmp(*c, word, n) != 0) return false;
    *c += n;
    return true;
}

/* 'text' or "text" without escapes, at most size - 1 characters. */
static bool take_string(const char **c, char *text, size_t size)
{
    skip_space(c);
    char quote = **c;
    if (quote != '\'' && quote != '"') return false;
    const char *end = strchr(*c + 1, quote);
    if (!end || (size_t)(end - *c - 1) >= size) return false;
    size_t n = (size_t)(end - *c - 1);
    memcpy(text, *c + 1, n);
    text[n] = '\0';
    *c = end + 1;
    return true;
}

/* (3, 4), (3,), () ; "3L" of Python 2 too. ndim becomes RW_NPY_RANK + 1 when there are more. */
static bool take_shape(const char **c, header *h)
{
    if (!take(c, "(")) return false;
    while (!take(c, ")")) {
        size_t n = 0;
        skip_space(c);
        if (**c < '0' || **c > '9') return false;
        for (; **c >= '0' && **c <= '9'; (*c)++)
            if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, (size_t)(**c - '0'), &n)) return false;
        if (**c == 'L') (*c)++;
        if (h->ndim < RW_NPY_RANK) h->shape[h->ndim] = n;
        if (h->ndim <= RW_NPY_RANK) h->ndim++;
        if (!take(c, ",")) return take(c, ")");
    }
    return true;
}

static bool take_header(const char *c, header *h, char descr[16])
{
    char key[16];
    if (!take(&c, "{")) return false;
    while (!take(&c, "}")) {
        if (!take_string(&c, key, sizeof key) || !take(&c, ":")) return false;
        if (strcmp(key, "descr") == 0 && !h->have_descr) {
            h->have_descr = take_string(&c, descr, 16);
            if (!h->have_descr) return false;
        } else if (strcmp(key, "fortran_order") == 0 && !h->have_order) {
            h->fortran = take(&c, "True");
            if (!h->fortran && !take(&c, "False")) return false;
            h->have_order = true;
        } else if (strcmp(key, "shape") == 0 && !h->have_shape) {
            h->have_shape = take_shape(&c, h);
            if (!h->have_shape) return false;
        } else {
            return false;
        }
        if (!take(&c, ",")) {
            if (!take(&c, "}")) return false;
            break;
        }
    }
    skip_space(&c);
    return *c == '\0' && h->have_descr && h->have_order && h->have_shape;
}

static const struct {
    const char *name;
    rw_dtype type;
} types[] = {{"f2", RW_F16}, {"f4", RW_F32}, {"f8", RW_F64}, {"c8", RW_C64}, {"c16", RW_C128},
             {"i1", RW_I8},  {"i2", RW_I16}, {"i4", RW_I32}, {"i8", RW_I64}, {"u1", RW_U8},
             {"u2", RW_U16}, {"u4", RW_U32}, {"u8", RW_U64}, {"b1", RW_BOOL}};

/* "<f8" -> order and type; false when it is not one of the types we read. */
static bool take_type(const char *descr, header *h)
{
    if (!strchr("<>=|", descr[0]) || descr[0] == '\0') return false;
    h->order = descr[0];
    for (int i = 0; i < RW_COUNT(types); i++) {
        if (strcmp(descr + 1, types[i].name) != 0) continue;
        h->type = types[i].type;
        h->size = rw_dtype_size(h->type);
        return h->order != '|' || h->size == 1;
    }
    return false;
}

static rw_status read_header(rw_io_file *s, header *h, uint64_t *data_at)
{
    unsigned char start[12];
    char *text = NULL, descr[16] = "";
    RW_TRY(rw_io_read(s, start, 10, "the magic string"));
    if (memcmp(start, "\x93NUMPY", 6) != 0)
        return rw_fail(s->ctx, RW_ERR_INPUT, "%s: is not a .npy file: save it with numpy.save", s->path);
    if (start[6] < 1 || start[6] > 3)
        return rw_fail(s->ctx, RW_ERR_INPUT, "%s: .npy format version %d.%d: versions 1.0, 2.0 and 3.0 can be read",
                       s->path, start[6], start[7]);
    size_t n = (size_t)start[8] | (size_t)start[9] << 8, at = 10;
    if (start[6] > 1) {
        RW_TRY(rw_io_read(s, start + 10, 2, "the header length"));
        n |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
        at = 12;
    }
    if (n > HEADER_LIMIT || n > s->size - at)
        return rw_fail(s->ctx, RW_ERR_INPUT, "%s: header of %zu bytes in a file of %llu: damaged or truncated", s->path,
                       n, (unsigned long long)s->size);
    text = rw_calloc(n + 1, 1);
    if (!text) return rw_fail_memory(s->ctx, n + 1, s->path);
    rw_status status = rw_io_read(s, text, n, "the header");
    if (status == RW_OK && !take_header(text, h, descr))
        status = rw_fail(s->ctx, RW_ERR_INPUT,
                         "%s: header '%.80s' is not {'descr': type, 'fortran_order': bool, 'shape': (sizes)}", s->path,
                         text);
    else if (status == RW_OK && !take_type(descr, h))
        status = rw_fail(s->ctx, RW_ERR_INPUT,
                         "%s: element type '%s' cannot be read: f2, f4, f8, c8, c16, i1..i8, u1..u8 and b1 can; "
                         "convert with array.astype(float)",
                         s->path, descr);
    else if (status == RW_OK && h->ndim > RW_NPY_RANK)
        status = rw_fail(s->ctx, RW_ERR_INPUT, "%s: more than %d dimensions: reshape the array", s->path, RW_NPY_RANK);
    rw_free(text);
    *data_at = at + n;
    return status;
}

/* Bytes of one number in reading order -> the machine's. */
static void copy_real(unsigned char *to, const unsigned char *from, size_t size, bool swap)
{
    for (size_t b = 0; b < size; b++) to[b] = from[swap ? size - 1 - b : b];
}

/* raw (file order and bytes) -> array->data (C order, machine bytes). */
static void convert(const header *h, const unsigned char *raw, rw_npy *array, bool swap)
{
    size_t index[RW_NPY_RANK] = {0}, stride[RW_NPY_RANK], step = 1; /* stride of each index in the file, in elements */
    for (int a = 0; a < RW_NPY_RANK; a++) {
        int axis = h->fortran ? a : RW_NPY_RANK - 1 - a;
        stride[axis] = step;
        step *= array->shape[axis];
    }
    size_t out = rw_dtype_size(array->type), real = rw_io_real_size(array->type);
    unsigned char *to = array->data;
    for (size_t n = rw_npy_count(array); n > 0; n--, to += out) {
        size_t from = 0;
        for (int a = 0; a < RW_NPY_RANK; a++) from += index[a] * stride[a];
        const unsigned char *p = raw + from * h->size;
        for (size_t part = 0; part < out; part += real) copy_real(to + part, p + part, real, swap);
        for (int a = RW_NPY_RANK - 1; a >= 0 && ++index[a] == array->shape[a]; a--) index[a] = 0;
    }
}

static rw_status read_array(rw_io_file *s, rw_npy *array)
{
    header h = {.ndim = 0};
    for (int a = 0; a < RW_NPY_RANK; a++) h.shape[a] = 1;
    uint64_t data_at = 0;
    RW_TRY(read_header(s, &h, &data_at));
    size_t bytes;
    array->ndim = h.ndim;
    memcpy(array->shape, h.shape, sizeof h.shape);
    array->type = h.type;
    if (!rw_io_bytes(h.ndim, h.shape, h.size, &bytes) || bytes > s->size - data_at)
        return rw_fail(s->ctx, RW_ERR_INPUT,
                       "%s: the shape in the header needs more bytes than the %llu in the file: truncated or damaged",
                       s->path, (unsigned long long)(s->size - data_at));
    bool big = h.order == '>', machine_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    bool swap = h.size > 1 && h.order != '=' && big != machine_big;
    array->data = rw_calloc(bytes, 1);
    if (!array->data) return rw_fail_memory(s->ctx, bytes, s->path);
    if (!swap && (!h.fortran || h.ndim < 2)) return rw_io_read(s, array->data, bytes, "the data");

    unsigned char *raw = rw_calloc(bytes, 1);
    if (!raw) return rw_fail_memory(s->ctx, bytes, s->path);
    rw_status status = rw_io_read(s, raw, bytes, "the data");
    if (status == RW_OK) convert(&h, raw, array, swap);
    rw_free(raw);
    return status;
}

static rw_status finish(rw_io_file *s, rw_npy *array, rw_status status)
{
    rw_io_close(s);
    if (status != RW_OK) rw_npy_free(array);
    return status;
}

rw_status rw_npy_read(rw_context *ctx, const char *path, rw_npy *array)
{
    rw_io_file s;
    *array = (rw_npy){0};
    RW_TRY(rw_io_open(ctx, path, &s));
    return finish(&s, array, read_array(&s, array));
}

rw_status rw_npy_parse(rw_context *ctx, const char *name, const void *bytes, size_t n, rw_npy *array)
{
    rw_io_file s;
    *array = (rw_npy){0};
    RW_TRY(rw_io_open_memory(ctx, name, bytes, n, &s));
    return finish(&s, array, read_array(&s, array));
}

void rw_npy_free(rw_npy *array)
{
    rw_free(array->data);
    *array = (rw_npy){0};
}

rw_status rw_npy_to_f64(rw_context *ctx, rw_npy *array)
{
    if (array->type == RW_F64 || rw_dtype_is_complex(array->type)) return RW_OK;
    const size_t n = rw_npy_count(array);
    void *numbers = rw_calloc(n, sizeof(double));
    if (!numbers) return rw_fail_memory(ctx, n * sizeof(double), "the numbers of a file");
    rw_dtype_convert(RW_F64, numbers, array->type, array->data, n);
    rw_free(array->data);
    array->data = numbers;
    array->type = RW_F64;
    return RW_OK;
}

size_t rw_npy_count(const rw_npy *array)
{
    size_t n = 1;
    for (int a = 0; a < array->ndim; a++) n *= array->shape[a];
    return n;
}

rw_status rw_npy_write(rw_context *ctx, const char *path, rw_dtype type, int ndim, const size_t *shape,
                       const void *data)
{
    size_t bytes = 0;
    const char *descr = NULL;
    for (int i = 0; i < RW_COUNT(types); i++)
        if (types[i].type == type) descr = types[i].name;
    if (!descr)
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: NumPy has no %s: convert to f32 first", path, rw_dtype_name(type));
    if (ndim < 0 || ndim > RW_NPY_RANK || !rw_io_bytes(ndim, shape, rw_dtype_size(type), &bytes))
        return rw_fail(ctx, RW_ERR_ARGUMENT, "%s: %d dimensions: 0 to %d can be written, of a size that fits in memory",
                       path, ndim, RW_NPY_RANK);
    rw_text head = {0};
    rw_text_add(&head, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                rw_dtype_size(type) == 1                 ? '|'
                : __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? '>'
                                                         : '<',
                descr);
    for (int a = 0; a < ndim; a++) rw_text_add(&head, a == 0 ? "%zu," : " %zu,", shape[a]);
    if (ndim > 1 && head.data) head.data[--head.length] = '\0'; /* (3,) but (3, 4) */
    rw_text_add(&head, "), }");
    while ((10 + head.length + 1) % 64 != 0 && !head.failed) rw_text_add(&head, " ");
    rw_text_add(&head, "\n");
    if (head.failed) {
        rw_text_free(&head);
        return rw_fail_memory(ctx, 256, path);
    }
    unsigned char start[10] =
        {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(head.length & 255), (unsigned char)(head.length >> 8)};
    rw_io_file s = {0};
    rw_status status = rw_io_create(ctx, path, &s);
    if (status == RW_OK) status = rw_io_write(&s, start, sizeof start);
    if (status == RW_OK) status = rw_io_write(&s, head.data, head.length);
    if (status == RW_OK) status = rw_io_write(&s, data, bytes);
    if (status == RW_OK) status = rw_io_commit(&s);
    rw_text_free(&head);
    rw_io_close(&s);
    return status;
}
