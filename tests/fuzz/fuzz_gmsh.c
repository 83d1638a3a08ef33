/* Any bytes as a mesh of Gmsh: the reader answers OK or ERR_INPUT, holds no more than the file explains, and hexahedra
 * name vertices that exist. */
#include <string.h>

#include "files/gmsh.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    rw_gmsh m;
    char *text = rw_strndup((const char *)data, n);
    if (!text || strlen(text) != n) { /* bytes of 0 are refused; rw_strndup stops at them */
        rw_free(text);
        return 0;
    }
    rw_status status = rw_gmsh_parse(NULL, "fuzz.msh", text, n, &m);
    rw_free(text);
    require(status == RW_OK || (status == RW_ERR_INPUT && !m.vertices && !m.hexahedra),
            "a failure is ERR_INPUT and leaves no mesh");
    if (status != RW_OK) return 0;
    require((size_t)m.nvertices * 8 <= n && (size_t)m.nhexahedra * 16 <= n, "each takes some bytes of the file");
    for (int h = 0; h < m.nhexahedra; ++h)
        for (int i = 0; i < 8; ++i)
            require(m.hexahedra[h][i] >= 0 && m.hexahedra[h][i] < m.nvertices, "corners are vertices");
    rw_gmsh_free(&m);
    return 0;
}
