/* Meshes of hexahedra from Gmsh: MSH files of versions 2.2 and 4.1, ASCII.
 *
 * Source: Gmsh reference manual, "MSH file format" and "MSH file format version 2 (Legacy)". Read are the nodes and the
 * hexahedra of eight nodes (type 5); points, lines and faces are left out, as are nodes that no hexahedron has. Not
 * read: binary files, other volumes, elements of higher order. */
#ifndef RW_GMSH_H
#define RW_GMSH_H

#include "core/core.h"

typedef struct rw_gmsh {
    int nvertices, nhexahedra;
    double (*vertices)[3];
    int (*hexahedra)[8]; /* numbers of vertices, in Gmsh's and VTK's order of corners */
} rw_gmsh;

/* ERR_INPUT with the line: no MSH file, another version, binary, cut off, numbers that are none, a node that is missing
 * or defined twice, volumes that are no hexahedra, none at all; ERR_FILE; ERR_MEMORY. On failure *mesh is zeroed. */
rw_status rw_gmsh_read(rw_context *ctx, const char *path, rw_gmsh *mesh);
/* The same from memory, with a NUL after the n bytes; `name` stands in messages. */
rw_status rw_gmsh_parse(rw_context *ctx, const char *name, const char *text, size_t n, rw_gmsh *mesh);
void rw_gmsh_free(rw_gmsh *mesh);

#endif
