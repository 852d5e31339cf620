/* The sparse layers of both nets, forward and backward: sums of the rows of the features that are present, and dot
   products with the rows of the legal moves. A dense product would multiply mostly zeros.

   Forward, threads share the positions; backward, they share the chunks, so that no two add to one gradient and a run
   repeats bit for bit with the same number of threads, and but for a last digit with another. */
#include "vectors.h"

#define AHEAD 6 /* rows that are read beyond the one in use */

/* Asks the cache for a chunk. */
static inline void fetch(const chunk *a) {
    for (int v = 0; v < LANES / 16; v++) __builtin_prefetch((const float *)a + 16 * v);
}

/* The squared clipped sum of bias and rows. */
static inline chunk activate(const chunk *w, const chunk *bias, const uint16_t *index, int count) {
    chunk a = *bias;
    for (int j = 0; j < count; j++) add(&a, &w[index[j]]);
    for (int i = 0; i < VECTORS; i++) {
        vector x = a.v[i], one = splat(1);
        x = pick(x < 0, (vector){0}, x);
        x = pick(x > one, one, x);
        a.v[i] = x * x;
    }
    return a;
}

/* Activations rounded to multiples of 1 / steps, as they are if steps is 0. */
static inline chunk rounded(chunk a, float steps) {
    if (steps != 0)
        for (int i = 0; i < VECTORS; i++)
            a.v[i] = __builtin_convertvector(__builtin_convertvector(a.v[i] * steps + 0.5f, integers), vector) / steps;
    return a;
}

/* Activations with a share of about drop, the same for the same seed, made 0 and the others greater (Srivastava et al.
   2014). */
static inline chunk dropped(chunk a, float drop, uint32_t seed) {
    if (drop == 0) return a;
    integers lane;
    for (int l = 0; l < WIDTH; l++) lane[l] = l;
    for (int i = 0; i < VECTORS; i++) {
        bits x = (bits)(lane + WIDTH * i) * 0x9e3779b9u + seed * 0x85ebca6bu;
        x = (x ^ x >> 16) * 0x7feb352du;
        x = (x ^ x >> 15) * 0x846ca68bu;
        x = x ^ x >> 16;
        vector u = __builtin_convertvector(x >> 8, vector) * 0x1p-24f;
        a.v[i] = pick(u < splat(drop), (vector){0}, a.v[i] * (1 / (1 - drop)));
    }
    return a;
}

/* Adds the gradient d of the activation out to the rows and the bias. */
static inline void scatter(chunk *gw, chunk *gbias, const uint16_t *index, int count, chunk d, const chunk *out) {
    float *x = (float *)&d;
    const float *y = (const float *)out;
    for (int i = 0; i < LANES; i++) x[i] = y[i] > 0 && y[i] < 1 ? 2 * sqrtf(y[i]) * x[i] : 0;
    for (int j = 0; j < count; j++) add(&gw[index[j]], &d);
    add(gbias, &d);
}

/* Features of n positions for the value net, [n][2][32]: the mover's, then the other side's; see prepare. order [2 n] are the sides of
   all positions by their king's bucket, so that the rows that follow each other share a cache. */
void value_index(const uint16_t *features, const uint32_t *offset, const uint8_t *men, const uint8_t *kings,
                 const uint8_t *bucket, const int64_t *rows, int64_t n, uint16_t *index, uint8_t *count, int32_t *order) {
#pragma omp parallel for schedule(dynamic, BLOCK)
    for (int64_t i = 0; i < n; i++) {
        int64_t row = rows[i];
        int own = kings[2 * row], other = kings[2 * row + 1] ^ 56;
        int mirror = (other & 7) > 3 ? 7 : 0;
        int b0 = bucket[own] * 768, b1 = bucket[other ^ mirror] * 768;
        uint16_t *a = index + 64 * i, *b = a + 32;
        for (int j = 0; j < men[row]; j++) {
            int f = features[offset[row] + j], piece = f >> 8, square = f & 63;
            a[j] = b0 + piece * 64 + square;
            b[j] = b1 + (piece < 6 ? piece + 6 : piece - 6) * 64 + (square ^ 56 ^ mirror);
        }
        count[2 * i] = count[2 * i + 1] = men[row];
    }
    int32_t next[64] = {0};
    for (int64_t i = 0; i < 2 * n; i++) next[index[32 * i] / 768 + 1]++;
    for (int b = 1; b < 64; b++) next[b] += next[b - 1];
    for (int64_t i = 0; i < 2 * n; i++) order[next[index[32 * i] / 768]++] = i;
}

/* out [n][2][H]: the sums of both sides, from 0 to 255, in the units of the rounded weights. */
void value_forward(const short_chunk *w, int64_t inputs, const short_chunk *bias, int64_t chunks, const uint16_t *index,
                   const uint8_t *count, const int32_t *order, int64_t n, uint8_t *out) {
#pragma omp parallel for schedule(dynamic)
    for (int64_t from = 0; from < 2 * n; from += BLOCK) {
        int64_t to = from + BLOCK < 2 * n ? from + BLOCK : 2 * n;
        for (int64_t c = 0; c < chunks; c++)
            for (int64_t k = from; k < to; k++) {
                int64_t i = order[k];
                short_chunk a = bias[c];
                for (int j = 0; j < count[i]; j++) {
                    const short_chunk *b = &w[c * inputs + index[32 * i + j]];
                    for (int v = 0; v < VECTORS / 2; v++) a.v[v] += b->v[v];
                }
                const int16_t *x = (const int16_t *)&a;
                uint8_t *y = out + (i * chunks + c) * LANES;
                for (int l = 0; l < LANES; l++) y[l] = x[l] < 0 ? 0 : x[l] > 255 ? 255 : x[l];
            }
    }
}

/* Adds the gradients d [n][2][H] of the sums to the rows and the bias. */
void value_backward(chunk *gw, int64_t inputs, chunk *gbias, int64_t chunks, const uint16_t *index, const uint8_t *count,
                    const int32_t *order, int64_t n, const chunk *d) {
#pragma omp parallel for schedule(dynamic)
    for (int64_t c = 0; c < chunks; c++)
        for (int64_t k = 0; k < 2 * n; k++) {
            int64_t i = order[k];
            chunk mine = d[i * chunks + c];
            if (k + AHEAD < 2 * n) fetch(&d[order[k + AHEAD] * chunks + c]);
            for (int j = 0; j < count[i]; j++) add(&gw[c * inputs + index[32 * i + j]], &mine);
            add(gbias + c, &mine);
        }
}

/* Features [n][48] and, from start[i] on, moves of n positions for the policy net. */
void policy_index(const uint16_t *features, const uint32_t *foffset, const uint32_t *moffset, const uint16_t *row1,
                  const uint16_t *row2, const uint8_t *scalar, const int64_t *rows, int64_t n, const int64_t *start,
                  uint16_t *index, uint8_t *count, uint16_t *r1, uint16_t *r2, uint8_t *t) {
#pragma omp parallel for schedule(dynamic, BLOCK)
    for (int64_t i = 0; i < n; i++) {
        int64_t row = rows[i], moves = moffset[row + 1] - moffset[row];
        count[i] = foffset[row + 1] - foffset[row];
        memcpy(index + 48 * i, features + foffset[row], count[i] * 2);
        memcpy(r1 + start[i], row1 + moffset[row], moves * 2);
        memcpy(r2 + start[i], row2 + moffset[row], moves * 2);
        memcpy(t + start[i], scalar + moffset[row], moves);
    }
}

/* out [chunks][n], before rounding to 1 / steps, and logits [moves]. */
void policy_forward(const chunk *w, int64_t inputs, const chunk *bias, const chunk *w1, int64_t rows1, const chunk *w2,
                    int64_t rows2, const float *b1, const float *b2, const float *b3, int64_t chunks, float steps, float drop,
                     int64_t seed,
                    const uint16_t *index, const uint8_t *count, const int64_t *start, const uint16_t *r1,
                    const uint16_t *r2, const uint8_t *t, int64_t n, chunk *out, float *logits) {
#pragma omp parallel for schedule(dynamic)
    for (int64_t from = 0; from < n; from += BLOCK) {
        int64_t to = from + BLOCK < n ? from + BLOCK : n;
        for (int64_t m = start[from]; m < start[to]; m++) logits[m] = b1[r1[m]] + b2[r2[m]] + b3[t[m]];
        for (int64_t c = 0; c < chunks; c++)
            for (int64_t i = from; i < to; i++) {
                chunk h = activate(w + c * inputs, bias + c, index + 48 * i, count[i]);
                out[c * n + i] = h;
                h = dropped(rounded(h, steps), drop, seed * 7919 + c * n + i);
                for (int64_t m = start[i]; m < start[i + 1]; m++) {
                    if (m + AHEAD < start[n]) fetch(&w1[c * rows1 + r1[m + AHEAD]]);
                    chunk r = w1[c * rows1 + r1[m]];
                    add(&r, &w2[c * rows2 + r2[m]]);
                    logits[m] += dot(&h, &r);
                }
            }
    }
}

/* Turns logits into the gradient of the summed cross-entropy times scale, and gives each position's loss and the rank of
   the played move. */
void policy_softmax(float *logits, const int64_t *start, const uint8_t *played, int64_t n, float scale, float *loss,
                    int32_t *rank) {
#pragma omp parallel for schedule(dynamic, BLOCK)
    for (int64_t i = 0; i < n; i++) {
        float *z = logits + start[i], best = -INFINITY, sum = 0;
        int64_t moves = start[i + 1] - start[i];
        float chosen = z[played[i]];
        rank[i] = 0;
        for (int64_t m = 0; m < moves; m++) {
            if (z[m] > best) best = z[m];
            rank[i] += z[m] > chosen;
        }
        for (int64_t m = 0; m < moves; m++) sum += z[m] = expf(z[m] - best);
        loss[i] = logf(sum) + best - chosen;
        for (int64_t m = 0; m < moves; m++) z[m] *= scale / sum;
        z[played[i]] -= scale;
    }
}

/* Makes target [moves] the target in place of the played move, to the part amount / scale of policy_softmax. The target of a position
   is divided by its sum; a position that nothing judged has zeros, and its played move stays. */
void policy_trust(float *g, const int64_t *start, const uint8_t *played, const float *target, int64_t n, float amount) {
#pragma omp parallel for schedule(dynamic, BLOCK)
    for (int64_t i = 0; i < n; i++) {
        float sum = 0;
        for (int64_t m = start[i]; m < start[i + 1]; m++) sum += target[m];
        if (sum == 0) continue;
        for (int64_t m = start[i]; m < start[i + 1]; m++) g[m] -= amount / sum * target[m];
        g[start[i] + played[i]] += amount;
    }
}

/* Adds to the gradients what the gradient g of the logits implies. */
void policy_backward(chunk *gw, int64_t inputs, chunk *gbias, const chunk *w1, chunk *g1, int64_t rows1, const chunk *w2,
                     chunk *g2, int64_t rows2, float *gb1, float *gb2, float *gb3, int64_t chunks, float steps, float drop,
                     int64_t seed,
                     const uint16_t *index, const uint8_t *count, const int64_t *start, const uint16_t *r1, const uint16_t *r2,
                     const uint8_t *t, int64_t n, const chunk *out, const float *g) {
#pragma omp parallel for schedule(dynamic)
    for (int64_t c = -1; c < chunks; c++) {
        if (c < 0) {
            for (int64_t m = 0; m < start[n]; m++) gb1[r1[m]] += g[m], gb2[r2[m]] += g[m], gb3[t[m]] += g[m];
            continue;
        }
        for (int64_t i = 0; i < n; i++) {
            const chunk *a = out + c * n + i;
            uint32_t mask = seed * 7919 + c * n + i;
            chunk h = dropped(rounded(*a, steps), drop, mask), d = {0};
            for (int64_t m = start[i]; m < start[i + 1]; m++) {
                int64_t at1 = c * rows1 + r1[m], at2 = c * rows2 + r2[m];
                if (m + AHEAD < start[n]) fetch(&w1[c * rows1 + r1[m + AHEAD]]), fetch(&g1[c * rows1 + r1[m + AHEAD]]);
                add_times(&d, &w1[at1], g[m]);
                add_times(&d, &w2[at2], g[m]);
                add_times(&g1[at1], &h, g[m]);
                add_times(&g2[at2], &h, g[m]);
            }
            scatter(gw + c * inputs, gbias + c, index + 48 * i, count[i], dropped(d, drop, mask), a);
        }
    }
}
