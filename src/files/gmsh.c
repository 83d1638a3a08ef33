/* Reading MSH files (see gmsh.h). A file is a list of sections, $Nodes … $EndNodes; both versions are numbers between
 * spaces:
 *
 *   2.2   $Nodes      n, then n times: tag x y z
 *         $Elements   n, then n times: tag type ntags tags… nodes…
 *   4.1   $Nodes      nblocks n min max, then blocks: dim tag parametric n, n tags, n times x y z (and as many
 *                     parameters as dim)
 *         $Elements   nblocks n min max, then blocks: dim tag type n, n times: tag nodes…
 *
 * Nothing is taken for granted: memory grows with what is there, not with what a count says. */
#include "files/gmsh.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct node {
    int64_t tag;
    double x[3];
} node;

typedef struct reader {
    rw_context *ctx;
    const char *name, *at, *end;
    int line;
    bool version4;
    node *nodes;
    int64_t (*hexahedra)[8]; /* tags of nodes */
    int nnodes, nodes_capacity, nhexahedra, hexahedra_capacity;
} reader;

#define fail(r, ...) rw_fail_line((r)->ctx, (r)->name, (r)->line, __VA_ARGS__)

/* ---- words and numbers ------------------------------------------------------------------------------------------- */

static void skip_space(reader *r)
{
    for (; r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at; ++r->at) r->line += *r->at == '\n';
}

/* The next word, cut to `size`; "" at the end of the file. */
static void next_word(reader *r, char *word, size_t size)
{
    size_t n = 0;
    skip_space(r);
    for (; r->at < r->end && !strchr(" \t\r\n", *r->at); ++r->at)
        if (n + 1 < size) word[n++] = *r->at;
    word[n] = 0;
}

static rw_status read_integer(reader *r, const char *what, int64_t low, int64_t high, int64_t *value)
{
    char word[40], *rest;
    next_word(r, word, sizeof word);
    long long v = strtoll(word, &rest, 10);
    if (!*word) return fail(r, "the file ends where %s is expected: it is truncated", what);
    if (*rest) return fail(r, "%s: '%s' is not an integer", what, word);
    if (v < low || v > high)
        return fail(r, "%s = %lld is outside [%lld, %lld]", what, v, (long long)low, (long long)high);
    *value = v;
    return RW_OK;
}

static rw_status read_real(reader *r, const char *what, double *value)
{
    char word[64], *rest;
    next_word(r, word, sizeof word);
    if (!*word) return fail(r, "the file ends where %s is expected: it is truncated", what);
    *value = rw_strtod(word, &rest);
    if (*rest || rest == word) return fail(r, "%s: '%s' is not a number", what, word);
    if (!isfinite(*value)) return fail(r, "%s = %s: coordinates must be finite", what, word);
    return RW_OK;
}

/* ---- nodes and elements ------------------------------------------------------------------------------------------ */

static rw_status new_node(reader *r, int64_t tag, node **n)
{
    if (!rw_grow(&r->nodes, &r->nodes_capacity, r->nnodes + 1, sizeof *r->nodes))
        return rw_fail_memory(r->ctx, (size_t)r->nnodes * sizeof *r->nodes, r->name);
    *n = r->nodes + r->nnodes++;
    **n = (node){.tag = tag};
    return RW_OK;
}

static rw_status read_place(reader *r, node *n)
{
    for (int d = 0; d < 3; ++d) RW_TRY(read_real(r, "a coordinate", n->x + d));
    return RW_OK;
}

static rw_status read_nodes_2(reader *r)
{
    int64_t n, tag;
    node *new;
    RW_TRY(read_integer(r, "the number of nodes", 0, INT_MAX, &n));
    for (int64_t i = 0; i < n; ++i) {
        RW_TRY(read_integer(r, "the number of a node", 1, INT64_MAX, &tag));
        RW_TRY(new_node(r, tag, &new));
        RW_TRY(read_place(r, new));
    }
    return RW_OK;
}

static rw_status read_nodes_4(reader *r)
{
    int64_t blocks, total, ignored, dim, parametric, n;
    RW_TRY(read_integer(r, "the number of blocks of nodes", 0, INT_MAX, &blocks));
    RW_TRY(read_integer(r, "the number of nodes", 0, INT_MAX, &total));
    for (int i = 0; i < 2; ++i)
        RW_TRY(read_integer(r, "the lowest or highest number of a node", INT64_MIN, INT64_MAX, &ignored));
    for (int64_t b = 0; b < blocks; ++b) {
        RW_TRY(read_integer(r, "the dimension of a block of nodes", 0, 3, &dim));
        RW_TRY(read_integer(r, "the number of an entity", INT64_MIN, INT64_MAX, &ignored));
        RW_TRY(read_integer(r, "whether nodes have parameters", 0, 1, &parametric));
        RW_TRY(read_integer(r, "the number of nodes of a block", 0, total, &n));
        int first = r->nnodes;
        for (int64_t i = 0; i < n; ++i) {
            int64_t tag;
            node *new;
            RW_TRY(read_integer(r, "the number of a node", 1, INT64_MAX, &tag));
            RW_TRY(new_node(r, tag, &new));
        }
        for (int64_t i = 0; i < n; ++i) {
            double parameter;
            RW_TRY(read_place(r, r->nodes + first + i));
            for (int64_t k = 0; k < (parametric ? dim : 0); ++k)
                RW_TRY(read_real(r, "a parameter of a node", &parameter));
        }
    }
    return RW_OK;
}

/* Elements by Gmsh's numbers of their types: nodes, dimension. */
static const struct {
    int nodes, dim;
    const char *name;
} types[] = {{0, 0, ""},
             {2, 1, "line"},
             {3, 2, "triangle"},
             {4, 2, "quadrangle"},
             {4, 3, "tetrahedron"},
             {8, 3, "hexahedron"},
             {6, 3, "prism"},
             {5, 3, "pyramid"},
             {3, 1, "line of second order"},
             {6, 2, "triangle of second order"},
             {9, 2, "quadrangle of second order"},
             {10, 3, "tetrahedron of second order"},
             {27, 3, "hexahedron of second order"},
             {18, 3, "prism of second order"},
             {14, 3, "pyramid of second order"},
             {1, 0, "point"},
             {8, 2, "quadrangle of second order"},
             {20, 3, "hexahedron of second order"}};

static rw_status read_element(reader *r, int64_t type)
{
    if (type < 1 || type >= RW_COUNT(types))
        return fail(r, "elements of type %lld are not supported: write a mesh of first order", (long long)type);
    bool hexahedron = type == 5;
    if (types[type].dim == 3 && !hexahedron)
        return fail(r,
                    "the mesh has a %s: all volumes must be hexahedra of first order (transfinite volumes, recombined)",
                    types[type].name);
    if (hexahedron && !rw_grow(&r->hexahedra, &r->hexahedra_capacity, r->nhexahedra + 1, sizeof *r->hexahedra))
        return rw_fail_memory(r->ctx, (size_t)r->nhexahedra * sizeof *r->hexahedra, r->name);
    for (int i = 0; i < types[type].nodes; ++i) {
        int64_t tag;
        RW_TRY(read_integer(r, "a node of an element", 1, INT64_MAX, &tag));
        if (hexahedron) r->hexahedra[r->nhexahedra][i] = tag;
    }
    r->nhexahedra += hexahedron;
    return RW_OK;
}

static rw_status read_elements_2(reader *r)
{
    int64_t n, ignored, type, tags;
    RW_TRY(read_integer(r, "the number of elements", 0, INT_MAX, &n));
    for (int64_t i = 0; i < n; ++i) {
        RW_TRY(read_integer(r, "the number of an element", INT64_MIN, INT64_MAX, &ignored));
        RW_TRY(read_integer(r, "the type of an element", 0, INT_MAX, &type));
        RW_TRY(read_integer(r, "the number of tags", 0, 1000, &tags));
        for (int64_t k = 0; k < tags; ++k) RW_TRY(read_integer(r, "a tag", INT64_MIN, INT64_MAX, &ignored));
        RW_TRY(read_element(r, type));
    }
    return RW_OK;
}

static rw_status read_elements_4(reader *r)
{
    int64_t blocks, total, ignored, type, n;
    RW_TRY(read_integer(r, "the number of blocks of elements", 0, INT_MAX, &blocks));
    RW_TRY(read_integer(r, "the number of elements", 0, INT_MAX, &total));
    for (int i = 0; i < 2; ++i)
        RW_TRY(read_integer(r, "the lowest or highest number of an element", INT64_MIN, INT64_MAX, &ignored));
    for (int64_t b = 0; b < blocks; ++b) {
        for (int i = 0; i < 2; ++i)
            RW_TRY(read_integer(r, "the dimension or number of an entity", INT64_MIN, INT64_MAX, &ignored));
        RW_TRY(read_integer(r, "the type of elements", 0, INT_MAX, &type));
        RW_TRY(read_integer(r, "the number of elements of a block", 0, total, &n));
        for (int64_t i = 0; i < n; ++i) {
            RW_TRY(read_integer(r, "the number of an element", INT64_MIN, INT64_MAX, &ignored));
            RW_TRY(read_element(r, type));
        }
    }
    return RW_OK;
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

static rw_status read_format(reader *r)
{
    double version;
    int64_t binary, size;
    RW_TRY(read_real(r, "the version", &version));
    RW_TRY(read_integer(r, "the type of the file", 0, 1, &binary));
    RW_TRY(read_integer(r, "the size of a number", 0, 64, &size));
    if (version != 2.2 && version != 4.1)
        return fail(r, "version %g: only 2.2 and 4.1 are supported: write it with gmsh -format msh41", version);
    if (binary) return fail(r, "the file is binary: write it as text (gmsh without -bin, Mesh.Binary = 0)");
    r->version4 = version > 4;
    return RW_OK;
}

static rw_status skip_section(reader *r, const char *section)
{
    char word[64];
    for (;;) {
        next_word(r, word, sizeof word);
        if (!*word) return fail(r, "section %s has no end: the file is truncated", section);
        if (!strncmp(word, "$End", 4)) return RW_OK;
    }
}

static rw_status read_sections(reader *r)
{
    char word[64], end[64];
    next_word(r, word, sizeof word);
    if (strcmp(word, "$MeshFormat")) return fail(r, "a mesh of Gmsh begins with $MeshFormat");
    RW_TRY(read_format(r));
    RW_TRY(skip_section(r, "$MeshFormat"));
    for (;;) {
        next_word(r, word, sizeof word);
        if (!*word) return RW_OK;
        bool nodes = !strcmp(word, "$Nodes"), elements = !strcmp(word, "$Elements");
        if (word[0] != '$') return fail(r, "'%s' found where a section should begin", word);
        if (nodes) RW_TRY(r->version4 ? read_nodes_4(r) : read_nodes_2(r));
        if (elements) RW_TRY(r->version4 ? read_elements_4(r) : read_elements_2(r));
        if (!nodes && !elements) {
            RW_TRY(skip_section(r, word));
            continue;
        }
        next_word(r, end, sizeof end);
        if (strncmp(end, "$End", 4) || strcmp(end + 4, word + 1))
            return fail(r, "'%s' found where %s should end", end, word);
    }
}

/* ---- the mesh ---------------------------------------------------------------------------------------------------- */

static int by_tag(const void *a, const void *b)
{
    const node *x = a, *y = b;
    return x->tag < y->tag ? -1 : x->tag > y->tag;
}

/* Hexahedra with numbers of vertices instead of tags; vertices in the order of their tags. */
static rw_status make_mesh(reader *r, rw_gmsh *m)
{
    if (!r->nhexahedra) return rw_fail(r->ctx, RW_ERR_INPUT, "%s: there are no hexahedra in the mesh", r->name);
    if (r->nnodes) qsort(r->nodes, (size_t)r->nnodes, sizeof *r->nodes, by_tag);
    for (int i = 1; i < r->nnodes; ++i)
        if (r->nodes[i].tag == r->nodes[i - 1].tag)
            return rw_fail(r->ctx, RW_ERR_INPUT, "%s: node %lld is defined twice", r->name, (long long)r->nodes[i].tag);
    m->hexahedra = rw_calloc((size_t)r->nhexahedra, sizeof *m->hexahedra);
    m->vertices = rw_calloc((size_t)r->nnodes + 1, sizeof *m->vertices);
    int *number = rw_calloc((size_t)r->nnodes + 1, sizeof *number);
    rw_status status = m->hexahedra && m->vertices && number
                           ? RW_OK
                           : rw_fail_memory(r->ctx, (size_t)r->nnodes * sizeof *m->vertices, r->name);
    m->nhexahedra = r->nhexahedra;
    for (int pass = 0; pass < 2 && status == RW_OK; ++pass) { /* which are used; their numbers */
        for (int h = 0; h < r->nhexahedra && status == RW_OK; ++h)
            for (int i = 0; i < 8; ++i) {
                node key = {.tag = r->hexahedra[h][i]},
                     *n = r->nnodes ? bsearch(&key, r->nodes, (size_t)r->nnodes, sizeof key, by_tag) : NULL;
                if (!n) {
                    status = rw_fail(r->ctx, RW_ERR_INPUT, "%s: a hexahedron has node %lld, which is not defined",
                                     r->name, (long long)key.tag);
                    break;
                }
                if (pass) m->hexahedra[h][i] = number[n - r->nodes];
                else number[n - r->nodes] = 1;
            }
        for (int n = 0; n < r->nnodes && !pass && status == RW_OK; ++n)
            if (number[n]) {
                memcpy(m->vertices[m->nvertices], r->nodes[n].x, sizeof *m->vertices);
                number[n] = m->nvertices++;
            }
    }
    rw_free(number);
    return status;
}

rw_status rw_gmsh_parse(rw_context *ctx, const char *name, const char *text, size_t n, rw_gmsh *mesh)
{
    text = rw_skip_mark(text, &n);
    reader r = {.ctx = ctx, .name = name, .at = text, .end = text + n, .line = 1};
    memset(mesh, 0, sizeof *mesh);
    rw_status status = memchr(text, 0, n) ? fail(&r, "the file is not text") : read_sections(&r);
    if (status == RW_OK) status = make_mesh(&r, mesh);
    rw_free(r.nodes);
    rw_free(r.hexahedra);
    if (status != RW_OK) rw_gmsh_free(mesh);
    return status;
}

rw_status rw_gmsh_read(rw_context *ctx, const char *path, rw_gmsh *mesh)
{
    char *text;
    size_t n;
    memset(mesh, 0, sizeof *mesh);
    RW_TRY(rw_file_read(ctx, path, 0, &text, &n));
    rw_status status = rw_gmsh_parse(ctx, path, text, n, mesh);
    rw_free(text);
    return status;
}

void rw_gmsh_free(rw_gmsh *mesh)
{
    rw_free(mesh->vertices);
    rw_free(mesh->hexahedra);
    memset(mesh, 0, sizeof *mesh);
}
