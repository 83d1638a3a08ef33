#include "krylov/basis.h"

enum { PLENTY = 16 }; /* partial sums beyond which a launch adds them up */

static int64_t pieces(const rw_krylov *k)
{
    const rw_basis *b = rw_basis_of(k);
    return (rw_basis_tiles(k) + b->tiles - 1) / b->tiles;
}

void rw_basis_define(rw_krylov *k, int columns, rw_text *d)
{
    rw_basis *b = rw_basis_of(k);
    const bool threads = rw_device_has_threads(k->device);
    const int64_t some = k->n / RW_KRYLOV_TILE /
                         (4 * RW_MAX(k->device->info.units, 1)); /* enough groups for a GPU, of few enough sums */
    b->pitch = rw_basis_pitch(k->n);
    b->deep = rw_dtype_is_complex(k->type) || !threads ? 4 : 8;
    b->tiles = threads ? (int)RW_MIN(RW_MAX(some, 1), 8) : 8;
    rw_text_add(d, " RESTART=%d DEEP=%d TILES=%d SERIAL=%d", columns, b->deep, b->tiles, !threads);
}

rw_status rw_basis_allocate(rw_krylov *k, int64_t vectors, int64_t small, int64_t sums, int single)
{
    rw_basis *b = rw_basis_of(k);
    const int64_t all = vectors * b->pitch;
    const rw_dtype number = rw_dtype_is_complex(k->type) ? RW_C128 : RW_F64;
    RW_TRY(rw_array_create(k->device, k->type, 1, &all, RW_MEMORY_DEVICE, &b->vectors));
    RW_TRY(rw_array_zero(b->vectors, k->queue));
    RW_TRY(rw_array_create(k->device, number, 1, &small, RW_MEMORY_DEVICE, &b->small));
    RW_TRY(rw_array_zero(b->small, k->queue));
    RW_TRY(rw_array_create(k->device, RW_F64, 1, &sums, RW_MEMORY_DEVICE, &b->totals));
    RW_TRY(rw_array_zero(b->totals, k->queue));
    for (int i = 0; i < 2; ++i) RW_TRY(rw_krylov_sums(k, &b->one[i], rw_basis_tiles(k), single));
    return rw_krylov_sums(k, &b->dots, pieces(k), (int)sums);
}

void rw_basis_free(rw_krylov *k)
{
    rw_basis *b = rw_basis_of(k);
    rw_array_destroy(&b->vectors);
    rw_array_destroy(&b->small);
    rw_array_destroy(&b->totals);
    rw_krylov_sums_free(&b->dots);
    rw_krylov_sums_free(&b->one[0]);
    rw_krylov_sums_free(&b->one[1]);
}

rw_status rw_basis_sums(rw_krylov *k, int last, int64_t w, rw_array **sums, int64_t *n)
{
    const rw_basis *b = rw_basis_of(k);
    const int64_t chunks = (last + b->deep) / b->deep, all = pieces(k);
    const rw_arg d[] = {rw_arg_array(b->vectors), rw_arg_array(b->dots.part), rw_arg_int(b->pitch), rw_arg_int(last),
                        rw_arg_int(w)};
    RW_TRY(rw_krylov_launch(k, "gm_dots", all * chunks, 1, d, 5));
    *sums = all > PLENTY ? b->totals : b->dots.part;
    *n = all > PLENTY ? 1 : all;
    const int64_t count = (rw_dtype_is_complex(k->type) ? 4 : 2) * (last + 1);
    const rw_arg t[] = {rw_arg_array(b->dots.part), rw_arg_int(all), rw_arg_array(b->totals)};
    if (all > PLENTY) RW_TRY(rw_krylov_launch(k, "gm_totals", count, 1, t, 3));
    return rw_ranks_combine(k->queue, RW_RANK_SUM, *sums, 0, *n * 4 * (last + 1)); /* of real numbers every other */
}
