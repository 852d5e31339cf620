/* Weights: Adam, what rows share, and rounding. */
#include "vectors.h"

/* One step of Adam (Kingma and Ba 2015) with decoupled decay (Loshchilov and Hutter 2019), weights kept within +-limit and
   averaged over steps; clears g. rate and eps hold the corrections of the first steps. */
void adam(float *w, float *m, float *v, float *g, float *average, int64_t n, float rate, float decay, float beta1,
          float beta2, float eps, float limit, float keep) {
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; i++) {
        m[i] = beta1 * m[i] + (1 - beta1) * g[i];
        v[i] = beta2 * v[i] + (1 - beta2) * g[i] * g[i];
        float x = w[i] * (1 - decay) - rate * m[i] / (sqrtf(v[i]) + eps);
        x = x > limit ? limit : x < -limit ? -limit : x;
        w[i] = x;
        average[i] = keep * average[i] + (1 - keep) * x;
        g[i] = 0;
    }
}

/* What rows of a matrix share with others: row r has row index[r] of values [H / LANES][rows][LANES], for r < length. */
typedef struct {
    chunk *values;
    const int32_t *index;
    int64_t rows, length;
} share;

/* The sum of a row of its own and what it shares. */
static inline chunk sum_of(chunk a, const share *s, int64_t n, int64_t c, int64_t r) {
    for (int64_t i = 0; i < n; i++)
        if (r < s[i].length) add(&a, &s[i].values[c * s[i].rows + s[i].index[r]]);
    return a;
}

/* out: the rows of a matrix, each its own and what it shares, within +-limit, and rounded to multiples of 1 / steps, as they are if
   steps is 0. */
void compose(const chunk *own, int64_t chunks, int64_t rows, const share *shares, int64_t n, float limit, float steps, chunk *out) {
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t c = 0; c < chunks; c++)
        for (int64_t r = 0; r < rows; r++) {
            chunk a = sum_of(own[c * rows + r], shares, n, c, r);
            float *x = (float *)&a;
            for (int l = 0; l < LANES; l++) x[l] = x[l] > limit ? limit : x[l] < -limit ? -limit : x[l];
            if (steps != 0)
                for (int l = 0; l < LANES; l++) x[l] = nearbyintf(x[l] * steps) / steps;
            out[c * rows + r] = a;
        }
}

/* The same in units of 1 / steps. */
void compose_integers(const chunk *own, int64_t chunks, int64_t rows, const share *shares, int64_t n, float steps, int16_t *out) {
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t c = 0; c < chunks; c++)
        for (int64_t r = 0; r < rows; r++) {
            chunk a = sum_of(own[c * rows + r], shares, n, c, r);
            const float *x = (const float *)&a;
            for (int l = 0; l < LANES; l++) out[(c * rows + r) * LANES + l] = (int16_t)nearbyintf(x[l] * steps);
        }
}

/* Adds the gradients of rows to those of what they share. */
void share_gradients(const chunk *g, int64_t chunks, int64_t rows, const share *shares, int64_t n) {
#pragma omp parallel for schedule(dynamic)
    for (int64_t c = 0; c < chunks; c++)
        for (int64_t r = 0; r < rows; r++)
            for (int64_t i = 0; i < n; i++)
                if (r < shares[i].length) add(&shares[i].values[c * shares[i].rows + shares[i].index[r]], &g[c * rows + r]);
}

/* Rounds rows of bytes in place, to steps of their own: the least by which each weight is at most `most`, and two neighbours of
   columns 2k and 2k + 1 are at most `pair` together; 1 for a row of zeros. A row is `chunks` parts of so many columns; a part begins
   `apart` after the one before, a row `stride`. */
void round_rows(float *w, int64_t rows, int64_t chunks, int64_t columns, int64_t stride, int64_t apart, float most, float pair) {
#pragma omp parallel for schedule(static)
    for (int64_t r = 0; r < rows; r++) {
        float step = 0;
        for (int64_t c = 0; c < chunks; c++) {
            const float *x = w + r * stride + c * apart;
            float one = 0, two = 0;
            for (int64_t i = 0; i < columns; i += 2) {
                float a = fabsf(x[i]), b = fabsf(x[i + 1]);
                one = a > one ? a : one, one = b > one ? b : one, two = a + b > two ? a + b : two;
            }
            step = one / most > step ? one / most : step, step = two / pair > step ? two / pair : step;
        }
        if (step == 0) step = 1;
        for (int64_t c = 0; c < chunks; c++) {
            float *x = w + r * stride + c * apart;
            for (int64_t i = 0; i < columns; i++) x[i] = nearbyintf(x[i] / step) * step;
        }
    }
}
