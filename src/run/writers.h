/* Formats that fields are written in. A new one is a row here and a file write_NAME.c with its rw_field_writer. */
#ifndef RW_WRITERS_H
#define RW_WRITERS_H

/* X(name, folder, files, index, line), in the order in which they write.
 *   name     of output.formats
 *   folder   of the results folder; a file there begins with the six digits or more of its output
 *   files    patterns of fnmatch() for the rest of the name
 *   index    files over all outputs, in the results folder; ParaView's collection belongs to both its formats
 *   line     what it is, for help */
#define RW_FIELD_WRITERS(X)                                                                                            \
    X(hdf5, "fields", ".h5", "fields.h5 fields.xdmf", "with XDMF")                                                     \
    X(vti, "vti", ".vti", "fields.pvd", "VTK, uniform grids")                                                          \
    X(vtm, "vtm", ".vtm -*.vts", "fields.pvd", "VTK, blocks")                                                          \
    X(npy, "npy", "-*.npy", "", "NumPy")

#endif
