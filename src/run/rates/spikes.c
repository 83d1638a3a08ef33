/* Spikes of the photon number and the relaxation oscillation that they end in: Phi - final ~ exp(-t/damping) cos(omega
 * t). Peaks near the end, where the oscillation is linear, are equally far apart, and their heights above the final
 * value fall exponentially. */
#include <math.h>

#include "run/rates/rates.h"

/* Heights of peaks above the final value, as parts of it: where the oscillation is linear; where roundings begin. */
#define LINEAR 0.03
#define SEEN 1e-6
#define SEEN_ADAPTIVE 1e3 /* times the tolerance */

static double lowest(const rates_spikes *s) { return fmax(SEEN, SEEN_ADAPTIVE * s->rtol); }

int rates_count(const rates_spikes *s, double final)
{
    int n = 0;
    for (int i = 0; i < s->npeaks; ++i) n += s->peak[i].photons > final * (1 + lowest(s));
    return n;
}

/* Through the logarithms of the last two steps and of this one. */
static rates_peak top_of_parabola(const rates_spikes *s, double t, double photons)
{
    double h = s->t[1] - s->t[0], k = t - s->t[1], y = log(s->photons[1]), below = (y - log(s->photons[0])) / h,
           above = (log(photons) - y) / k;
    double curvature = 2 * (above - below) / (h + k), slope = (below * k + above * h) / (h + k);
    if (!(curvature < 0)) return (rates_peak){s->t[1], s->photons[1]};
    return (rates_peak){s->t[1] - slope / curvature, exp(y - slope * slope / curvature / 2)};
}

void rates_watch(rates_spikes *s, double t, double photons, double lambda)
{
    if (isnan(s->threshold) && lambda > 0) s->threshold = t;
    if (s->seen >= 2 && s->photons[1] > s->photons[0] && s->photons[1] >= photons && s->npeaks < RATES_PEAKS)
        s->peak[s->npeaks++] = s->rtol > 0 ? top_of_parabola(s, t, photons) : (rates_peak){s->t[1], s->photons[1]};
    s->t[0] = s->t[1];
    s->photons[0] = s->photons[1];
    s->t[1] = t;
    s->photons[1] = photons;
    s->seen++;
}

void rates_relaxation(const rates_spikes *s, double final, double *omega, double *damping)
{
    double n = 0, st = 0, sy = 0, stt = 0, sty = 0, first = 0, last = 0;
    *omega = *damping = NAN;
    for (int i = 0; i < s->npeaks; ++i) {
        double part = s->peak[i].photons / final - 1, t = s->peak[i].t, y = log(part);
        if (!(part < LINEAR && part > lowest(s))) continue;
        if (n == 0) first = t;
        last = t;
        n += 1;
        st += t;
        sy += y;
        stt += t * t;
        sty += t * y;
    }
    if (n < 3) return;
    *omega = 2 * acos(-1) * (n - 1) / (last - first);
    *damping = -(n * stt - st * st) / (n * sty - st * sy);
}
