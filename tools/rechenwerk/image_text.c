#include "image_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    rw_boundary_kind kind;
} borders[] = {
#define RW_X(name, text, ...) {text, RW_BOUNDARY_##name},
    RW_BORDER_LIST(RW_X)
#undef RW_X
};

/* Whether some statement is "o = …". */
static bool assigns_o(const char *text)
{
    for (const char *p = text; p; p = strpbrk(p, ";\n"), p = p ? p + 1 : NULL) {
        p += strspn(p, " \t\r");
        if (*p != 'o') continue;
        const char *q = p + 1 + strspn(p + 1, " \t");
        if (q[0] == '=' && q[1] != '=') return true;
    }
    return false;
}

static int read_setting(image_text *t, const char *setting)
{
    const char *names[COUNT(borders) + 1] = {NULL}, *const known[] = {"border", "value", NULL};
    const char *value = strchr(setting, '=');
    char name[16];
    if (!value) return usage("image: --set %s: must be NAME=VALUE, such as border=wrap", setting);
    snprintf(name, sizeof name, "%.*s", (int)(value++ - setting), setting);
    if (strcmp(name, "value") == 0) {
        char *end;
        strtod(value, &end);
        t->border.a = value;
        return isalpha((unsigned char)*value) || end == value || *end
                   ? usage("image: --set %s: the value must be a number", setting)
                   : 0;
    }
    if (strcmp(name, "border") != 0)
        return usage("image: --set %s: --text has no such setting%s", setting, suggest(name, known));
    for (int i = 0; i < COUNT(borders); i++) {
        names[i] = borders[i].name;
        if (strcmp(value, borders[i].name) != 0) continue;
        t->border.kind = borders[i].kind;
        return 0;
    }
    return usage("image: --set %s: unknown border%s", setting, suggest(value, names));
}

int read_image_text(const arguments *a, image_text *t)
{
    int code = 0;
    *t = (image_text){.text = value_of(a, "text"), .border = {.kind = RW_BOUNDARY_REFLECT101}};
    if (!t->text) return 0;
    if (given(a, "op"))
        return usage("image: --text and --op exclude each other: filter the output file of one with the other");
    if (!assigns_o(t->text))
        return usage("image: --text does not assign o: write the result as \"o = max(u[i+1, j], u[i-1, j]) - u\"");
    for (int i = 0; i < a->ngiven && code == 0; i++)
        if (strcmp(a->given[i].option->name, "set") == 0) code = read_setting(t, a->given[i].value);
    return code;
}

rw_status create_image_text(image_text *t, rw_array *x, rw_array *y, rw_expr_plan *plan)
{
    const rw_dtype dtype = rw_array_dtype(x) == RW_F64 || rw_array_dtype(y) == RW_F64 ? RW_F64 : RW_F32;
    const int64_t shape[] = {rw_array_shape(x, 0), rw_array_shape(x, 1)};
    rw_expr_field fields[] = {{.name = "u", .dtype = dtype}, {.name = "o", .dtype = dtype}};
    for (int side = 0; side < 4; side++) fields[0].boundary[side] = fields[1].boundary[side] = t->border;
    const rw_expr_spec spec = {.name = "--text",
                               .text = t->text,
                               .fields = fields,
                               .nfields = COUNT(fields),
                               .grid = {.ndim = 2, .size = {shape[1], shape[0], 1}, .spacing = {1, 1, 1}}};
    rw_device *device = rw_array_device(x);
    t->x = x;
    t->y = y;
    rw_status status = rw_expr_create(device, &spec, &t->e);
    if (status == RW_OK) status = rw_expr_get_plan(t->e, plan);
    if (status == RW_OK) status = rw_array_create(device, dtype, 2, shape, RW_MEMORY_DEVICE, &t->u);
    if (status == RW_OK) status = rw_array_create(device, dtype, 2, shape, RW_MEMORY_DEVICE, &t->o);
    if (status == RW_OK) status = rw_expr_bind(t->e, "u", t->u);
    if (status == RW_OK) status = rw_expr_bind(t->e, "o", t->o);
    return status;
}

static rw_status view_channel(rw_array *image, int c, rw_array **view)
{
    const int64_t shape[] = {rw_array_shape(image, 0), rw_array_shape(image, 1)};
    return rw_array_ndim(image) == 3 ? rw_array_select(image, 2, c, view) : rw_array_reshape(image, 2, shape, view);
}

rw_status run_image_text(void *user, rw_queue *queue)
{
    image_text *t = user;
    const int channels = (int)rw_array_shape(t->y, 2), alpha = channels % 2 ? -1 : channels - 1;
    rw_status status = RW_OK;
    for (int c = 0; c < channels && status == RW_OK; c++) {
        rw_array *from = NULL, *to = NULL;
        status = view_channel(t->x, c, &from);
        if (status == RW_OK) status = view_channel(t->y, c, &to);
        if (status == RW_OK) status = rw_array_copy(c == alpha ? to : t->u, from, queue);
        if (status == RW_OK && c != alpha) status = rw_expr_run(t->e, queue);
        if (status == RW_OK && c != alpha) status = rw_array_copy(to, t->o, queue);
        rw_array_destroy(&from);
        rw_array_destroy(&to);
    }
    return status;
}

void destroy_image_text(image_text *t)
{
    rw_expr_destroy(&t->e);
    rw_array_destroy(&t->u);
    rw_array_destroy(&t->o);
}
