/* Contiguous basis vectors, and dot products of many of them at once: shared by GMRES and IDR. */
#ifndef RW_KRYLOV_BASIS_H
#define RW_KRYLOV_BASIS_H

#include "krylov/krylov.h"

/* The first member of k->method of these methods. */
typedef struct rw_basis {
    rw_array *vectors, *small, *totals; /* small: scalars of the method, see gmres.k and idr.k */
    int64_t pitch;                      /* from one vector to the next */
    int deep, tiles;                    /* vectors, and tiles of vectors, per workgroup of the dot products */
    rw_sums dots, one[2];               /* one: they take turns */
} rw_basis;

static inline rw_basis *rw_basis_of(const rw_krylov *k) { return k->method; }
static inline int64_t rw_basis_pitch(int64_t n)
{
    return RW_MAX((n + RW_KRYLOV_TILE - 1) / RW_KRYLOV_TILE, 1) * RW_KRYLOV_TILE;
}
static inline int64_t rw_basis_tiles(const rw_krylov *k) { return rw_basis_pitch(k->n) / RW_KRYLOV_TILE; }
/* Capacity of the least squares problem in columns: one of few sizes, so that few programs are compiled. */
static inline int rw_basis_room(int restart) { return restart <= 31 ? 31 : restart <= 127 ? 127 : 1000; }
/* The definitions of gmres.k, with room for this number of columns. */
void rw_basis_define(rw_krylov *k, int columns, rw_text *definitions);
/* Allocates `vectors` vectors of zeros, `small` scalars, and room for dot products of `sums` vectors at once; single:
 * dot products of one vector. */
rw_status rw_basis_allocate(rw_krylov *k, int64_t vectors, int64_t small, int64_t sums, int single);
void rw_basis_free(rw_krylov *k);
/* Sums of vectors 0 … last with vectors `last` and w: n of each in the array. */
rw_status rw_basis_sums(rw_krylov *k, int last, int64_t w, rw_array **sums, int64_t *n);

#endif
