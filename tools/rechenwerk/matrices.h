/* What the subcommands on matrices share (matrices.c). */
#ifndef MATRICES_H
#define MATRICES_H

#include "command.h"
#include "rechenwerk/sparse.h"

/* The words of --values, --vectors and --duplicates, and that --format does not contradict --values: what can be said
 * before the matrix is read. false after a message. */
bool check_types(const arguments *a);
/* The type that --NAME asks for (which has been checked), else that of *type; complex where the numbers are. false
 * after a message: a complex one for real numbers. */
bool precision_of(const arguments *a, const char *name, bool is_complex, rw_dtype *type);
/* A layout from text, with the precision of --values where that is given (which has been checked and fits), complex for
 * a complex matrix. */
rw_status layout_of(rw_context *ctx, const arguments *a, const char *text, bool is_complex, rw_sparse_layout *layout);
/* The layout of --format, `preset` where it is not given, chosen where that is "auto": then with the reason, else with
 * "". */
rw_status find_layout(rw_context *ctx, const arguments *a, const char *preset, rw_device *device, const rw_entries *e,
                      rw_dtype vectors, rw_sparse_candidate *c, char reason[240]);
const char *text_of(const rw_sparse_layout *layout); /* until the next call */
/* "A.mtx: 5000 x 5000, 33000 entries, real" */
void print_matrix(const char *path, const rw_entries *e);

/* The rule of --duplicates. false after a message. */
bool duplicates_of(const arguments *a, rw_duplicates *duplicates);

/* The matrix of a file, by --duplicates. */
rw_status read_entries(rw_context *ctx, const arguments *a, const char *path, rw_entries *e);

#define OPTION_DUPLICATES                                                                                              \
    {                                                                                                                  \
        "duplicates", 0, "RULE",                                                                                       \
            "entries given twice in the matrix file: refuse, naming both lines, or sum their values (default: "        \
            "refuse)"                                                                                                  \
    }
#define OPTION_VALUES                                                                                                  \
    {                                                                                                                  \
        "values", 0, "TYPE", "precision of the stored matrix: f64 or f32 (default: f64)"                               \
    }

#endif
