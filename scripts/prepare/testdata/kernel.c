/* Writes what the kernel makes of the records on standard input, one position after the other, as kernel_test.go wants it. */
#include "../../shards/position.c"

#include <stdio.h>
#include <stdlib.h>

#define PUT(array, at, number) fwrite((array) + (at), sizeof *(array), number, stdout)

int main(void) {
    static uint8_t records[RECORD << 16];
    int64_t n = fread(records, RECORD, 1 << 16, stdin);
    int64_t *start = calloc(n + 1, sizeof *start);
    for (int64_t i = 0; i < n; i++) start[i + 1] = start[i] + records[RECORD * i + MOVES];
    uint16_t *features = calloc(n, 2 * MAX_FEATURES), *row1 = calloc(start[n], 2), *row2 = calloc(start[n], 2), *moves = calloc(start[n], 2);
    uint8_t *number = calloc(n, 1), *men = calloc(n, 1), *kings = calloc(n, 2), *scalar = calloc(start[n], 1), *played = calloc(n, 1);
    uint8_t *code = calloc(n, 64), *attack = calloc(n, 64), *codes = calloc(n, 64), *flags = calloc(n, 2), *same = calloc(n, 1);
    bitboard *attacks = calloc(n, 512);
    int64_t damaged = nnue_inputs(records, n, start, features, number, men, kings, row1, row2, scalar, played);
    damaged += eut_inputs(records, n, start, 1, code, attack, codes, attacks, flags, moves, same);
    for (int64_t i = 0; i < n; i++) {
        int64_t legal = start[i + 1] - start[i];
        PUT(features, MAX_FEATURES * i, number[i]);
        PUT(men, i, 1), PUT(kings, 2 * i, 2), PUT(played, i, 1), PUT(same, i, 1);
        PUT(row1, start[i], legal), PUT(row2, start[i], legal), PUT(scalar, start[i], legal);
        PUT(code, 64 * i, 64), PUT(attack, 64 * i, 64), PUT(codes, 64 * i, 64), PUT(attacks, 64 * i, 64), PUT(flags, 2 * i, 2);
        PUT(moves, start[i], legal);
    }
    return damaged != 0;
}
