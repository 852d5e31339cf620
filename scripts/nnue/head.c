/* The layers of the value net behind its accumulators, forward and backward, and its losses. Positions come in the order of their
   buckets and are taken sixteen at a time, all of one bucket. The columns of the first layer are then dense products; in the layers
   after it a lane is a position. Each thread has sums of gradients of its own, which are added in the order of the threads. */
#include <stdlib.h>

#include "vectors.h"

enum { OUTPUTS = 8, LAYER1 = 16, LAYER2 = 32, HEADS = 3, TOGETHER = 16, HALF = 8, SLICE = 4, MISSING = -32768 };
#define MOST 255 /* an activation of 1.0 before it is squared */

typedef float lanes __attribute__((vector_size(4 * TOGETHER)));
typedef int32_t masks __attribute__((vector_size(4 * TOGETHER)));

/* The weights of all buckets: layer [OUTPUTS][outputs][inputs], bias [OUTPUTS][outputs]. */
typedef struct { float *layer1, *bias1, *layer2, *bias2, *layer3, *bias3; } layers;

/* Layer 1 in two other orders: for the way forward [OUTPUTS][columns][LAYER1], and back [OUTPUTS][columns / 16][LAYER1][16]. */
typedef struct { lanes *forward, *back; } orders;

/* What a thread has for itself: activations and gradients of a block, and sums. */
typedef struct {
    float *y, *slope;    /* [TOGETHER][columns + 16] squared activations, and their slopes; rows a power of two apart would share
                            sets of the cache */
    lanes *second;       /* [LAYER2][2 LAYER1] gradients of layer 2 of one bucket, a lane for each position */
    float *sums;         /* gradients of all weights, those of layer 1 in the order of turned.back */
    double parts[HEADS]; /* losses */
} worker;

/* The labels of all positions. */
typedef struct {
    const int16_t *score;
    const int8_t *result;
    const int64_t *rows;
    int64_t n, followed; /* positions; those that a game follows */
} labels;

/* a where the mask is set, else b. A loop over lanes would take them out one by one. */
static inline lanes either(masks mask, lanes a, lanes b) { return (lanes)((mask & (masks)a) | (~mask & (masks)b)); }

static inline lanes limited(lanes x, float least, float most) {
    lanes low = (lanes){0} + least, high = (lanes){0} + most;
    x = either(x < low, low, x);
    return either(x > high, high, x);
}

static inline float total(lanes x) {
    float sum = 0;
    for (int l = 0; l < TOGETHER; l++) sum += x[l];
    return sum;
}

/* The losses of one position with the outputs y, added to parts, and their gradients: the squared error of the value; the likelihood
   of its error under sigma; the cross-entropy of the result. The result is not a target of the value: a hundred positions of a game
   share it, and a net of this size learns games by heart. A position that no game follows has no result of its own, and often a
   shallow label. sigma and draw are weights of the last two in the gradients. */
static inline void loss(const float *y, const labels *want, int64_t i, float sigma_weight, float draw_weight, double *parts, float *d) {
    int64_t row = want->rows[i];
    float q = tanhf(want->score[2 * row] / 700.0f), p = 1 / (1 + expf(-y[0])), error = p - (q + 1) / 2, mine = 2 * p - 1;
    parts[0] += error * error / want->n;
    d[0] = 2 * error * p * (1 - p) / want->n, d[1] = d[2] = 0;
    if (want->score[2 * row + 1] == MISSING) return;
    float share = 1.0f / want->followed, rise = 1 / (1 + expf(-y[1]));
    float soft = y[1] > 20 ? y[1] : log1pf(expf(y[1])), sigma = soft < 1e-4f ? 1e-4f : soft, off = fabsf(q - mine);
    parts[1] += (logf(sigma) + off / sigma) * share;
    if (soft >= 1e-4f) d[1] = sigma_weight * share * (1 / sigma - off / (sigma * sigma)) * rise;
    float draws = 1 / (1 + expf(-y[2])), room = 1 - fabsf(mine), drawn = room * draws;
    int result = want->result[row];
    float likely = result == 0 ? drawn : (1 - drawn + result * mine) / 2, slope = result == 0 ? 1 : -0.5f;
    parts[2] -= logf(likely < 1e-6f ? 1e-6f : likely) * share;
    if (likely >= 1e-6f) d[2] = -draw_weight * share / likely * slope * room * draws * (1 - draws);
}

/* The losses of outputs y [n][HEADS]. */
void value_losses(const float *y, const int16_t *score, const int8_t *result, const int64_t *rows, int64_t n, double *parts) {
    labels want = {score, result, rows, n, 0};
    for (int64_t i = 0; i < n; i++) want.followed += score[2 * rows[i] + 1] != MISSING;
    float unused[HEADS];
    for (int64_t i = 0; i < n; i++) loss(y + HEADS * i, &want, i, 0, 0, parts, unused);
}

/* The first layer of eight positions, whose activations are `apart` after each other: z[p] are the outputs of position p. */
static inline void first_layer(const lanes *turned, const float *y, int64_t columns, int64_t apart, lanes bias, lanes *z) {
    lanes a[HALF];
    for (int p = 0; p < HALF; p++) a[p] = bias;
    for (int64_t k = 0; k < columns; k++)
        for (int p = 0; p < HALF; p++) a[p] += turned[k] * y[p * apart + k];
    for (int p = 0; p < HALF; p++) z[p] = a[p];
}

/* Gradients of layer 1, added to g1 [columns / 16][LAYER1], and of the sums before activation, dx [TOGETHER][columns], from those of
   its outputs dz. w1 has the order of g1. */
static inline void first_back(const lanes *w1, const float *y, const float *slope, int64_t apart, const float (*dz)[LAYER1], int count,
                              int64_t columns, lanes *g1, float *dx) {
    for (int64_t from = 0; from < columns / TOGETHER; from += SLICE) {
        for (int p = 0; p < count; p++)
            for (int64_t k = from; k < from + SLICE; k++) {
                const lanes *w = w1 + k * LAYER1;
                lanes a = w[0] * dz[p][0], b = w[1] * dz[p][1], mine;
                for (int o = 2; o < LAYER1; o += 2) a += w[o] * dz[p][o], b += w[o + 1] * dz[p][o + 1];
                memcpy(&mine, slope + p * apart + k * TOGETHER, sizeof mine);
                a = (a + b) * mine;
                memcpy(dx + p * columns + k * TOGETHER, &a, sizeof a);
            }
        for (int64_t k = from; k < from + SLICE; k++) {
            lanes g[LAYER1], mine;
            memcpy(g, g1 + k * LAYER1, sizeof g);
            for (int p = 0; p < count; p++) {
                memcpy(&mine, y + p * apart + k * TOGETHER, sizeof mine);
                for (int o = 0; o < LAYER1; o++) g[o] += mine * dz[p][o];
            }
            memcpy(g1 + k * LAYER1, g, sizeof g);
        }
    }
}

/* Adds up the lanes of the gradients of layer 2 of a bucket, and clears them. */
static void end_bucket(lanes *second, float *g2) {
    for (int i = 0; i < LAYER2 * 2 * LAYER1; i++) g2[i] += total(second[i]), second[i] = (lanes){0};
}

/* Outputs and losses of the positions from..from + count - 1 of bucket b; with dx also gradients. */
static void block(const layers *w, const orders *turned, const uint8_t *x, int64_t columns, int b, const labels *want, int64_t from,
                  int count, float sigma_weight, float draw_weight, worker *me, const layers *g, float *out, float *dx) {
    int64_t apart = columns + TOGETHER;
    const lanes *ahead = turned->forward + b * columns;
    x += from * columns;
    for (int p = 0; p < count; p++) {
        float *y = me->y + p * apart, *slope = me->slope + p * apart;
        for (int64_t i = 0; i < columns; i++) {
            float a = x[p * columns + i] * (1.0f / MOST);
            y[i] = a * a, slope[i] = x[p * columns + i] < MOST ? 2 * a : 0;
        }
    }
    lanes row[TOGETHER], z1[LAYER1], h1[2 * LAYER1], z2[LAYER2], h2[LAYER2], bias;
    memcpy(&bias, w->bias1 + b * LAYER1, sizeof bias);
    first_layer(ahead, me->y, columns, apart, bias, row);
    first_layer(ahead, me->y + HALF * apart, columns, apart, bias, row + HALF);
    for (int o = 0; o < LAYER1; o++)
        for (int p = 0; p < TOGETHER; p++) ((float *)&z1[o])[p] = ((const float *)&row[p])[o];
    for (int o = 0; o < LAYER1; o++) h1[o] = limited(z1[o] * z1[o], 0, 1), h1[LAYER1 + o] = limited(z1[o], 0, 1);
    const float *w2 = w->layer2 + b * LAYER2 * 2 * LAYER1, *b2 = w->bias2 + b * LAYER2, *w3 = w->layer3 + b * HEADS * LAYER2;
    for (int j = 0; j < LAYER2; j++) {
        z2[j] = (lanes){0} + b2[j];
        for (int i = 0; i < 2 * LAYER1; i++) z2[j] += h1[i] * w2[j * 2 * LAYER1 + i];
        h2[j] = limited(z2[j], 0, 1);
    }
    lanes y3[HEADS], d3[HEADS] = {{0}};
    for (int k = 0; k < HEADS; k++) {
        y3[k] = (lanes){0} + w->bias3[b * HEADS + k];
        for (int j = 0; j < LAYER2; j++) y3[k] += h2[j] * w3[k * LAYER2 + j];
    }
    for (int p = 0; p < count; p++) {
        float one[HEADS] = {y3[0][p], y3[1][p], y3[2][p]}, d[HEADS];
        memcpy(out + (from + p) * HEADS, one, sizeof one);
        if (!dx) continue;
        loss(one, want, from + p, sigma_weight, draw_weight, me->parts, d);
        for (int k = 0; k < HEADS; k++) d3[k][p] = d[k];
    }
    if (!dx) return;
    for (int k = 0; k < HEADS; k++) {
        for (int j = 0; j < LAYER2; j++) g->layer3[(b * HEADS + k) * LAYER2 + j] += total(d3[k] * h2[j]);
        g->bias3[b * HEADS + k] += total(d3[k]);
    }
    /* Only the value moves what comes before the last layer: sigma costs it accuracy there, and draws learn games by heart. */
    lanes dh1[2 * LAYER1] = {{0}};
    for (int j = 0; j < LAYER2; j++) {
        lanes d = d3[0] * w3[j];
        d = either((z2[j] > 0) & (z2[j] < 1), d, (lanes){0});
        for (int i = 0; i < 2 * LAYER1; i++) {
            me->second[j * 2 * LAYER1 + i] += d * h1[i];
            dh1[i] += d * w2[j * 2 * LAYER1 + i];
        }
        g->bias2[b * LAYER2 + j] += total(d);
    }
    float dz[TOGETHER][LAYER1];
    for (int o = 0; o < LAYER1; o++) {
        lanes z = z1[o], d = either((z > -1) & (z < 1), 2 * z * dh1[o], (lanes){0});
        d += either((z > 0) & (z < 1), dh1[LAYER1 + o], (lanes){0});
        for (int p = 0; p < TOGETHER; p++) dz[p][o] = ((const float *)&d)[p];
        g->bias1[b * LAYER1 + o] += total(d);
    }
    first_back(turned->back + b * LAYER1 * columns / TOGETHER, me->y, me->slope, apart, dz, count, columns,
               (lanes *)(g->layer1 + b * LAYER1 * columns), dx + from * columns);
}

enum { PARTS = 6 };

/* The numbers of weights of layers, in the order of the struct. */
static void lengths_of(int64_t columns, int64_t length[PARTS]) {
    const int64_t each[PARTS] = {LAYER1 * columns, LAYER1, LAYER2 * 2 * LAYER1, LAYER2, HEADS * LAYER2, HEADS};
    for (int i = 0; i < PARTS; i++) length[i] = OUTPUTS * each[i];
}

/* Layers that follow each other in memory. */
static layers layers_at(float *at, const int64_t *length) {
    layers w;
    float **part[PARTS] = {&w.layer1, &w.bias1, &w.layer2, &w.bias2, &w.layer3, &w.bias3};
    for (int i = 0; i < PARTS; i++) *part[i] = at, at += length[i];
    return w;
}

/* Readies a thread's memory. */
static void ready(worker *me, int64_t columns, int64_t size) {
    const size_t second = LAYER2 * 2 * LAYER1 * sizeof(lanes);
    const size_t y = TOGETHER * (columns + TOGETHER) * sizeof(float);
    me->y = memset(aligned_alloc(64, y), 0, y), me->slope = aligned_alloc(64, y);
    me->second = memset(aligned_alloc(64, second), 0, second);
    me->sums = aligned_alloc(64, (size * sizeof(float) + 63) / 64 * 64);
    memset(me->sums, 0, size * sizeof(float));
}

/* The outputs [n][HEADS] of positions in the order of their buckets, sizes[b] of bucket b, for activations x [n][columns] before they
   are squared. With dx, [n][columns], the losses of the labels, added to parts, and gradients: dx of the sums before activation, and
   those of weights, added to g. */
void value_head(const uint8_t *x, int64_t columns, float *layer1, float *bias1, float *layer2, float *bias2, float *layer3,
                float *bias3, const int16_t *score, const int8_t *result, const int64_t *rows, const int64_t *sizes, int64_t threads,
                float sigma_weight, float draw_weight, float *out, double *parts, float *dx, float *g1, float *gb1, float *g2,
                float *gb2, float *g3, float *gb3) {
    layers w = {layer1, bias1, layer2, bias2, layer3, bias3};
    int64_t n = 0, blocks = 0, first[OUTPUTS + 1] = {0}, length[PARTS], size = 0;
    lengths_of(columns, length);
    for (int i = 0; i < PARTS; i++) size += length[i];
    for (int b = 0; b < OUTPUTS; b++) n += sizes[b], blocks += (sizes[b] + TOGETHER - 1) / TOGETHER, first[b + 1] = blocks;
    labels want = {score, result, rows, n, 0};
    for (int64_t i = 0; dx && i < n; i++) want.followed += score[2 * rows[i] + 1] != MISSING;
    orders turned = {aligned_alloc(64, 4 * length[0]), aligned_alloc(64, 4 * length[0])};
    worker *all = calloc(threads, sizeof *all);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t i = 0; i < OUTPUTS * columns; i++)
        for (int o = 0; o < LAYER1; o++) {
            float x = layer1[(i / columns * LAYER1 + o) * columns + i % columns];
            ((float *)turned.forward)[i * LAYER1 + o] = x;
            ((float *)turned.back)[(i / TOGETHER * LAYER1 + o) * TOGETHER + i % TOGETHER] = x;
        }
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int64_t t = 0; t < threads; t++) {
        worker *me = &all[t];
        ready(me, columns, size);
        layers g = layers_at(me->sums, length);
        int64_t start = 0;
        int b = 0;
        for (int64_t k = blocks * t / threads; k < blocks * (t + 1) / threads; k++) {
            while (k >= first[b + 1]) {
                end_bucket(me->second, g.layer2 + b * LAYER2 * 2 * LAYER1);
                start += sizes[b++];
            }
            int64_t at = (k - first[b]) * TOGETHER, left = sizes[b] - at;
            block(&w, &turned, x, columns, b, &want, start + at, left < TOGETHER ? left : TOGETHER, sigma_weight, draw_weight, me, &g,
                  out, dx);
        }
        end_bucket(me->second, g.layer2 + b * LAYER2 * 2 * LAYER1);
    }
    float *to[PARTS] = {g1, gb1, g2, gb2, g3, gb3};
    for (int64_t t = 0; t < threads; t++) {
        const float *from = all[t].sums;
        for (int i = 0; dx && i < HEADS; i++) parts[i] += all[t].parts[i];
        for (int64_t i = 0; dx && i < OUTPUTS * columns; i++)
            for (int o = 0; o < LAYER1; o++)
                g1[(i / columns * LAYER1 + o) * columns + i % columns] += from[(i / TOGETHER * LAYER1 + o) * TOGETHER + i % TOGETHER];
        for (int i = 1; dx && i < PARTS; i++) {
            from += length[i - 1];
            for (int64_t k = 0; k < length[i]; k++) to[i][k] += from[k];
        }
        free(all[t].y), free(all[t].slope), free(all[t].second), free(all[t].sums);
    }
    free(all), free(turned.forward), free(turned.back);
}
