/* Local matrices of trilinear finite elements on the cells of a block-structured grid. Gradients by x are J^-T times
 * those by the reference coordinates. Abscissas and weights: Gauss and Legendre, on [0, 1]. */
#include <string.h>

#include "field/blocks.h"
#include "field/hexahedron.h"

enum { MOST_GAUSS = 4 };

static const double abscissa[MOST_GAUSS][MOST_GAUSS] = {{0.5},
                                                        {0.21132486540518711775, 0.78867513459481288225},
                                                        {0.11270166537925831148, 0.5, 0.88729833462074168852},
                                                        {0.069431844202973712388, 0.33000947820757186760,
                                                         0.66999052179242813240, 0.93056815579702628761}};
static const double weight[MOST_GAUSS][MOST_GAUSS] = {{1},
                                                      {0.5, 0.5},
                                                      {5 / 18.0, 8 / 18.0, 5 / 18.0},
                                                      {0.17392742256872692869, 0.32607257743127307131,
                                                       0.32607257743127307131, 0.17392742256872692869}};

double rw_integrand_mass(void *user RW_UNUSED, const double x[3] RW_UNUSED, double v, const double dv[3] RW_UNUSED,
                         double w, const double dw[3] RW_UNUSED)
{
    return v * w;
}

double rw_integrand_stiffness(void *user RW_UNUSED, const double x[3] RW_UNUSED, double v RW_UNUSED, const double dv[3],
                              double w RW_UNUSED, const double dw[3])
{
    if (!dv || !dw) return 0;
    return dot(dv, dw);
}

typedef struct task {
    rw_integrand *f;
    void *user;
    int gauss;
    double (*matrices)[8][8];
} task;

/* One point of the rule: adds to M. */
static void add_point(const task *t, const double corner[8][3], const double u[3], double factor, double M[8][8])
{
    double N[8], x[3] = {0}, gradient[8][3];
    double det = rw_hexahedron_gradients(corner, u, N, gradient);
    for (int c = 0; c < 8; ++c) add_scaled(x, N[c], corner[c]);
    for (int p = 0; p < 8; ++p)
        for (int q = 0; q < 8; ++q) {
            int v = rw_corner_of(p), w = rw_corner_of(q);
            M[p][q] += factor * det * t->f(t->user, x, N[v], gradient[v], N[w], gradient[w]);
        }
}

static void integrate(void *user, int64_t cell, const double corner[8][3])
{
    const task *t = user;
    const double *at = abscissa[t->gauss - 1], *by = weight[t->gauss - 1];
    double M[8][8] = {{0}};
    for (int i = 0; i < t->gauss; ++i)
        for (int j = 0; j < t->gauss; ++j)
            for (int k = 0; k < t->gauss; ++k)
                add_point(t, corner, (double[3]){at[i], at[j], at[k]}, by[i] * by[j] * by[k], M);
    memcpy(t->matrices[cell], M, sizeof M);
}

rw_status rw_blocks_local(const rw_blocks *g, rw_integrand *f, void *user, int gauss, double (*matrices)[8][8])
{
    RW_NEED(g, "grid");
    RW_NEED(f, "f");
    RW_NEED(matrices, "matrices");
    if (gauss < 1 || gauss > MOST_GAUSS)
        return rw_fail(g->ctx, RW_ERR_ARGUMENT, "%d Gauss points per axis: 1 to %d are allowed", gauss, MOST_GAUSS);
    task t = {f, user, gauss, matrices};
    return rw_blocks_visit(g, integrate, &t) ? RW_OK : rw_fail_memory(g->ctx, 0, "rows of points");
}

void rw_blocks_integrate(const rw_blocks *g, const double (*matrices)[8][8], double *values)
{
    if (!g || !matrices || !values) return;
    for (int64_t c = 0; c < g->ncells; ++c) {
        double sum = 0;
        for (int p = 0; p < 8; ++p)
            for (int q = 0; q < 8; ++q) sum += matrices[c][p][q];
        values[c] *= sum;
    }
}
