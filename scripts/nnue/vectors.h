/* Vectors of the kernels. A matrix of [rows][H] is kept as [H / LANES][rows][LANES], so that a chunk of lanes of all rows fits the cache. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#define LANES 64
#ifdef __AVX512F__
#define WIDTH 16 /* floats of a vector register */
#else
#define WIDTH 8
#endif
#define VECTORS (LANES / WIDTH)
#define BLOCK 512 /* positions that a thread takes at once */

typedef float vector __attribute__((vector_size(4 * WIDTH)));
typedef int32_t integers __attribute__((vector_size(4 * WIDTH)));
typedef uint32_t bits __attribute__((vector_size(4 * WIDTH)));
typedef struct { vector v[VECTORS]; } chunk;

typedef int16_t shorts __attribute__((vector_size(4 * WIDTH)));
typedef struct { shorts v[VECTORS / 2]; } short_chunk; /* the weights of a chunk in 16 bits */

/* a where the mask is set, else b. A loop over lanes would take them out one by one. */
static inline vector pick(integers mask, vector a, vector b) { return (vector)((mask & (integers)a) | (~mask & (integers)b)); }

static inline vector splat(float x) { return x - (vector){0}; }

/* The sum of the lanes, by halves. */
static inline float reduce(vector v) {
    float sum[WIDTH];
    memcpy(sum, &v, sizeof sum);
    for (int half = WIDTH / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) sum[l] += sum[l + half];
    return sum[0];
}

static inline float dot(const chunk *a, const chunk *b) {
    vector s = a->v[0] * b->v[0];
    for (int i = 1; i < VECTORS; i++) s += a->v[i] * b->v[i];
    return reduce(s);
}

static inline void add(chunk *a, const chunk *b) {
    for (int i = 0; i < VECTORS; i++) a->v[i] += b->v[i];
}

static inline void add_times(chunk *a, const chunk *b, float x) {
    for (int i = 0; i < VECTORS; i++) a->v[i] += b->v[i] * x;
}
