/* Positions as nets read them, from the records that scripts/prepare writes: the rules of package board, the policy features of
   package nnue and the codes of package eut, bit for bit the same and in the same order; a test of scripts/prepare compares.

   Squares are from the side to move's view, a1 = 0. A move has 18 bits: from, to << 6, moved type after the move << 12,
   captured type << 15; king as captured type is castling, and to is then the square of the rook. */
#include <stdint.h>
#include <string.h>

#define RECORD 39 /* bytes */
#define BEST 32   /* where a record has its best move, and next its number of moves */
#define MOVES 34
#define MAX_MOVES 218
#define MAX_PIECES 32
#define MAX_FEATURES (MAX_PIECES + 2 * 8) /* pieces, and eight pins for each king */
#define BLOCK 256                         /* positions that a thread takes at once */

typedef uint64_t bitboard;
enum { NONE, PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING };
enum { NO_SQUARE = 64 };
#define FILE_A 0x0101010101010101ull
#define FILE_H (FILE_A << 7)
#define RANK(r) (0xffull << 8 * (r))
#define BIT(s) (1ull << (s))

/* by[t] are the pieces of type t of both sides. */
typedef struct {
    bitboard ours, theirs, by[7], castling;
    int en_passant, king;
} position;

static inline int first(bitboard b) { return __builtin_ctzll(b); }
static inline int count(bitboard b) { return __builtin_popcountll(b); }
static inline int pop(bitboard *b) {
    int s = first(*b);
    *b &= *b - 1;
    return s;
}

static bitboard knight_table[64], king_table[64], rook_rays[64], bishop_rays[64], between[64][64], line[64][64];
static bitboard file_mask[64], diagonal[64], antidiagonal[64];
static uint8_t rank_table[64][8];
static struct { bitboard empty, walk; } castling_paths[8][8];
static uint16_t geometry[64][64], underpromotion[8][8];
#define PAWN_PAIRS 22 /* pairs of files between which a pawn promotes */

/* Hyperbola quintessence (Pulleyblank 2007), for lines other than ranks. */
static inline bitboard hyperbola(bitboard occupied, bitboard bit, bitboard mask) {
    bitboard f = occupied & mask;
    bitboard r = __builtin_bswap64(f) - (__builtin_bswap64(bit) << 1);
    return ((f - (bit << 1)) ^ __builtin_bswap64(r)) & mask;
}

static inline bitboard rook_attacks(int s, bitboard occupied) {
    int row = s & 56;
    bitboard rank = (bitboard)rank_table[occupied >> (row + 1) & 63][s & 7] << row;
    return rank | hyperbola(occupied, BIT(s), file_mask[s]);
}

static inline bitboard bishop_attacks(int s, bitboard occupied) {
    return hyperbola(occupied, BIT(s), diagonal[s]) | hyperbola(occupied, BIT(s), antidiagonal[s]);
}

static inline bitboard pawn_attacks(bitboard b) { return (b & ~FILE_A) << 7 | (b & ~FILE_H) << 9; }
static inline bitboard pawn_attacks_down(bitboard b) { return (b & ~FILE_A) >> 9 | (b & ~FILE_H) >> 7; }

static bitboard knight_attacks(bitboard b) {
    const bitboard ab = FILE_A | FILE_A << 1, gh = FILE_H | FILE_H >> 1;
    bitboard one = (b & ~FILE_A) >> 1 | (b & ~FILE_H) << 1, two = (b & ~ab) >> 2 | (b & ~gh) << 2;
    return one << 16 | one >> 16 | two << 8 | two >> 8;
}

static inline void castling_squares(int king, int rook, int *king_to, int *rook_to) {
    *king_to = rook > king ? 6 : 2, *rook_to = rook > king ? 5 : 3;
}

static bitboard span(int a, int b) {
    int low = a < b ? a : b, high = a < b ? b : a;
    return (BIT(high) << 1) - BIT(low);
}

static void init_lines(void) {
    for (int s = 0; s < 64; s++)
        for (int t = 0; t < 64; t++) {
            int files = (t & 7) - (s & 7), ranks = (t >> 3) - (s >> 3);
            if (s == t) continue;
            if (files == 0) file_mask[s] |= BIT(t);
            if (files == ranks) diagonal[s] |= BIT(t);
            if (files == -ranks) antidiagonal[s] |= BIT(t);
        }
    for (int occupied = 0; occupied < 64; occupied++)
        for (int f = 0; f < 8; f++) {
            int a = 0;
            for (int t = f + 1; t < 8; t++) {
                a |= 1 << t;
                if (occupied << 1 >> t & 1) break;
            }
            for (int t = f - 1; t >= 0; t--) {
                a |= 1 << t;
                if (occupied << 1 >> t & 1) break;
            }
            rank_table[occupied][f] = a;
        }
}

static void init_moves(void) {
    int next = 0;
    for (int from = 0; from < 64; from++)
        for (bitboard b = rook_rays[from] | bishop_rays[from] | knight_table[from]; b;) geometry[from][pop(&b)] = next++;
    for (int from = 0; from < 8; from++)
        for (int to = from ? from - 1 : 0; to <= from + 1 && to < 8; to++) underpromotion[from][to] = next++;
    for (int k = 0; k < 8; k++)
        for (int r = 0; r < 8; r++) {
            int king_to, rook_to;
            if (r == k) continue;
            castling_squares(k, r, &king_to, &rook_to);
            castling_paths[k][r].empty = (span(k, king_to) | span(r, rook_to)) & ~(BIT(k) | BIT(r));
            castling_paths[k][r].walk = span(k, king_to) & ~BIT(k);
        }
}

/* Fills the tables when the library is loaded. */
__attribute__((constructor)) static void init(void) {
    init_lines();
    for (int s = 0; s < 64; s++) {
        bitboard b = BIT(s), side = (b & ~FILE_A) >> 1 | (b & ~FILE_H) << 1, column = b | side;
        knight_table[s] = knight_attacks(b), king_table[s] = side | column << 8 | column >> 8;
        rook_rays[s] = rook_attacks(s, 0), bishop_rays[s] = bishop_attacks(s, 0);
    }
    for (int a = 0; a < 64; a++)
        for (int b = 0; b < 64; b++) {
            if (a == b) continue;
            if (rook_rays[a] >> b & 1) {
                between[a][b] = rook_attacks(a, BIT(b)) & rook_attacks(b, BIT(a));
                line[a][b] = (rook_rays[a] & rook_rays[b]) | BIT(a) | BIT(b);
            } else if (bishop_rays[a] >> b & 1) {
                between[a][b] = bishop_attacks(a, BIT(b)) & bishop_attacks(b, BIT(a));
                line[a][b] = (bishop_rays[a] & bishop_rays[b]) | BIT(a) | BIT(b);
            }
        }
    init_moves();
}

static inline bitboard load(const uint8_t *record) {
    bitboard b;
    memcpy(&b, record, sizeof b);
    return b;
}

static inline int u16(const uint8_t *at) { return at[0] | at[1] << 8; }

/* Reads the position of a record; false where the record is damaged. */
static inline int decode(const uint8_t *record, position *p) {
    /* The type and side of each code; the last are castling rooks and a pawn that may be taken en passant. */
    static const uint8_t type[16] = {PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING,
                                     ROOK, ROOK, PAWN, NONE};
    bitboard sides[2] = {0}, castling = 0;
    bitboard by[7] = {0};
    int en_passant = NO_SQUARE, i = 0;
    for (bitboard b = load(record); b && i < MAX_PIECES; i++) {
        bitboard bit = b & -b;
        int code = record[8 + i / 2] >> 4 * (i & 1) & 15;
        b ^= bit;
        sides[code >= 6 && code != 12] |= bit;
        by[type[code]] |= bit;
        if (code >= 12) {
            if (code == 14) en_passant = first(bit) + 8;
            else castling |= bit;
        }
    }
    p->ours = sides[0], p->theirs = sides[1], p->castling = castling, p->en_passant = en_passant;
    memcpy(p->by, by, sizeof by);
    if (by[NONE] || count(by[KING] & sides[0]) != 1 || count(by[KING] & sides[1]) != 1 || en_passant > NO_SQUARE) return 0;
    p->king = first(by[KING] & sides[0]);
    return 1;
}

static inline bitboard occupied(const position *p) { return p->ours | p->theirs; }
static inline bitboard straight(const position *p) { return p->by[ROOK] | p->by[QUEEN]; }
static inline bitboard slanted(const position *p) { return p->by[BISHOP] | p->by[QUEEN]; }

/* The pieces of both sides that attack s, also those outside occ. */
static inline bitboard attackers_to(const position *p, int s, bitboard occ) {
    return (pawn_attacks_down(BIT(s)) & p->by[PAWN] & p->ours) | (pawn_attacks(BIT(s)) & p->by[PAWN] & p->theirs) |
           (knight_table[s] & p->by[KNIGHT]) | (king_table[s] & p->by[KING]) | (rook_attacks(s, occ) & straight(p)) |
           (bishop_attacks(s, occ) & slanted(p));
}

/* Squares that the enemy attacks once our king has left its square, complete within want. */
static bitboard attacked(const position *p, bitboard want) {
    bitboard theirs = p->theirs, a = pawn_attacks_down(p->by[PAWN] & theirs) | knight_attacks(p->by[KNIGHT] & theirs);
    a |= king_table[first(p->by[KING] & theirs)];
    if (!(want & ~a)) return a;
    bitboard occ = occupied(p) ^ BIT(p->king);
    for (bitboard b = slanted(p) & theirs; b;) a |= bishop_attacks(pop(&b), occ);
    for (bitboard b = straight(p) & theirs; b;) a |= rook_attacks(pop(&b), occ);
    return a;
}

static bitboard en_passant_capturers(const position *p) {
    int ep = p->en_passant;
    bitboard victim = BIT(ep) >> 8, legal = 0;
    for (bitboard b = pawn_attacks_down(BIT(ep)) & p->by[PAWN] & p->ours; b; b &= b - 1) {
        bitboard capturer = b & -b, occ = (occupied(p) ^ capturer ^ victim) | BIT(ep);
        if (!(attackers_to(p, p->king, occ) & p->theirs & ~victim)) legal |= capturer;
    }
    return legal;
}

/* A list of moves that is being filled; lo, mid and hi hold the three bits of the type of the enemy piece on each square. */
typedef struct {
    uint32_t *next;
    bitboard lo, mid, hi;
} list;

static inline uint32_t target(const list *l, int s) {
    return (l->lo >> s & 1) << 15 | (l->mid >> s & 1) << 16 | (l->hi >> s & 1) << 17;
}

static inline void add(list *l, int from, int moved, bitboard targets) {
    while (targets) {
        int to = pop(&targets);
        *l->next++ = from | to << 6 | moved << 12 | target(l, to);
    }
}

static inline void add_pawns(list *l, bitboard targets, int shift) {
    static const uint8_t promotions[4] = {QUEEN, KNIGHT, ROOK, BISHOP};
    while (targets) {
        int to = pop(&targets);
        uint32_t base = (to - shift) | to << 6 | target(l, to);
        if (to < 56) *l->next++ = base | PAWN << 12;
        else
            for (int i = 0; i < 4; i++) *l->next++ = base | promotions[i] << 12;
    }
}

static inline void advance(list *l, const position *p, bitboard set, bitboard targets) {
    bitboard empty = ~occupied(p), once = set << 8 & empty;
    add_pawns(l, (set & ~FILE_A) << 7 & p->theirs & targets, 7);
    add_pawns(l, (set & ~FILE_H) << 9 & p->theirs & targets, 9);
    add_pawns(l, once & targets, 8);
    add_pawns(l, (once & RANK(2)) << 8 & empty & targets, 16);
}

/* The enemy pieces that give check, and our pieces that are pinned. */
static inline bitboard checkers_of(const position *p, bitboard *pinned) {
    int king = p->king;
    bitboard checkers = ((knight_table[king] & p->by[KNIGHT]) | (pawn_attacks(BIT(king)) & p->by[PAWN])) & p->theirs;
    bitboard snipers = ((rook_rays[king] & straight(p)) | (bishop_rays[king] & slanted(p))) & p->theirs;
    *pinned = 0;
    while (snipers) {
        int s = pop(&snipers);
        bitboard b = between[king][s] & occupied(p);
        if (!b) checkers |= BIT(s);
        if (!(b & (b - 1))) *pinned |= b;
    }
    *pinned &= p->ours;
    return checkers;
}

/* Writes the legal moves in the order of board.LegalMoves and returns their number. */
static int legal_moves(const position *p, uint32_t *moves) {
    int king = p->king;
    bitboard ours = p->ours, theirs = p->theirs, occ = ours | theirs, wanted = ~ours, targets = ~0ull, pinned;
    bitboard checkers = checkers_of(p, &pinned);
    list l = {moves, (p->by[PAWN] | p->by[BISHOP] | p->by[QUEEN]) & theirs,
              (p->by[KNIGHT] | p->by[BISHOP] | p->by[KING]) & theirs, (p->by[ROOK] | p->by[QUEEN] | p->by[KING]) & theirs};
    bitboard flights = king_table[king] & wanted;
    add(&l, king, KING, flights & ~attacked(p, flights));
    if (checkers) {
        if (checkers & (checkers - 1)) return l.next - moves;
        targets = between[king][first(checkers)] | checkers;
    } else
        for (bitboard b = p->castling & RANK(0) & ~pinned; b;) {
            int rook = pop(&b);
            bitboard walk = castling_paths[king & 7][rook & 7].walk;
            if (!(castling_paths[king & 7][rook & 7].empty & occ) && !(attacked(p, walk) & walk))
                *l.next++ = king | rook << 6 | KING << 12 | KING << 15;
        }
    if (p->en_passant != NO_SQUARE)
        for (bitboard b = en_passant_capturers(p); b;)
            *l.next++ = pop(&b) | p->en_passant << 6 | PAWN << 12 | PAWN << 15;
    bitboard pawns = p->by[PAWN] & ours;
    advance(&l, p, pawns & ~pinned, targets);
    for (bitboard b = pawns & pinned; b; b &= b - 1) advance(&l, p, b & -b, targets & line[king][first(b)]);
    wanted &= targets;
    for (bitboard b = p->by[KNIGHT] & ours & ~pinned; b;) {
        int from = pop(&b);
        add(&l, from, KNIGHT, knight_table[from] & wanted);
    }
    for (int type = BISHOP; type <= QUEEN; type++)
        for (bitboard b = p->by[type] & ours; b;) {
            int from = pop(&b);
            bitboard a = (type != ROOK ? bishop_attacks(from, occ) : 0) | (type != BISHOP ? rook_attacks(from, occ) : 0);
            add(&l, from, type, a & wanted & (pinned >> from & 1 ? line[king][from] : ~0ull));
        }
    return l.next - moves;
}

static inline int from_of(uint32_t m) { return m & 63; }
static inline int to_of(uint32_t m) { return m >> 6 & 63; }
static inline int moved_of(uint32_t m) { return m >> 12 & 7; }
static inline int target_of(uint32_t m) { return m >> 15; }

/* The type to which a move promotes a pawn, or NONE. */
static inline int promotion_of(const position *p, uint32_t m) {
    return moved_of(m) != PAWN && p->by[PAWN] >> from_of(m) & 1 ? moved_of(m) : NONE;
}

/* The move as records have it. */
static inline int code_of(const position *p, uint32_t m) {
    int promoted = promotion_of(p, m);
    return from_of(m) << 6 | to_of(m) | (promoted != NONE && promoted != QUEEN ? (promoted - KNIGHT + 1) << 12 : 0);
}

/* The number of the record's best move among the legal ones, or -1 where the record is damaged. */
static int best_of(const uint8_t *record, const position *p, const uint32_t *moves, int n) {
    int want = u16(record + BEST), best = -1;
    if (n != record[MOVES]) return -1;
    for (int i = 0; i < n; i++)
        if (code_of(p, moves[i]) == want) best = i;
    return best;
}

static int gives_check(const position *p, uint32_t m) {
    int from = from_of(m), to = to_of(m), moved = moved_of(m), king = first(p->by[KING] & p->theirs);
    bitboard occ = (occupied(p) & ~BIT(from)) | BIT(to), rooks = straight(p) & ~BIT(to), bishops = slanted(p) & ~BIT(to);
    if (target_of(m) == KING) {
        int king_to, rook_to;
        castling_squares(from, to, &king_to, &rook_to);
        occ = (occ & ~BIT(to)) | BIT(king_to) | BIT(rook_to);
        return (rook_attacks(king, occ) & ((rooks & p->ours) | BIT(rook_to))) || (bishop_attacks(king, occ) & bishops & p->ours);
    }
    if (moved == PAWN) {
        if (pawn_attacks(BIT(to)) >> king & 1) return 1;
        if (to == p->en_passant) occ &= ~(BIT(to) >> 8);
    }
    if (moved == KNIGHT && knight_table[to] >> king & 1) return 1;
    if (moved == BISHOP || moved == QUEEN) bishops |= BIT(to);
    if (moved == ROOK || moved == QUEEN) rooks |= BIT(to);
    bitboard attackers = (p->ours | BIT(to)) & ~BIT(from);
    rooks &= attackers & rook_rays[king], bishops &= attackers & bishop_rays[king];
    return (rooks && rook_attacks(king, occ) & rooks) || (bishops && bishop_attacks(king, occ) & bishops);
}

static const int worth[8] = {0, 100, 300, 300, 500, 900, 0, 0}; /* board.Worth */

/* Whether the move, not castling, wins at least nothing when both sides then capture on its square; see board.SEE. */
static int wins_nothing_less(const position *p, uint32_t m) {
    int to = to_of(m), balance = worth[target_of(m)], our_turn = 0;
    if (promotion_of(p, m)) balance += worth[moved_of(m)] - worth[PAWN];
    balance -= worth[moved_of(m)];
    if (balance >= 0) return 1;
    bitboard occ = (occupied(p) & ~BIT(from_of(m))) | BIT(to);
    if (target_of(m) == PAWN && to == p->en_passant) occ &= ~(BIT(to) >> 8);
    bitboard attackers = attackers_to(p, to, occ) & occ & ~BIT(to);
    for (;;) {
        bitboard side = our_turn ? p->ours : p->theirs, mine = attackers & side;
        int type = PAWN;
        if (!mine) return !our_turn;
        while (type < KING && !(mine & p->by[type])) type++;
        if (type == KING) return our_turn == !(attackers & ~side); /* a king may not capture a defended piece */
        mine &= p->by[type];
        occ ^= mine & -mine;
        if (type == PAWN || type == BISHOP || type == QUEEN) attackers |= bishop_attacks(to, occ) & slanted(p);
        if (type == ROOK || type == QUEEN) attackers |= rook_attacks(to, occ) & straight(p);
        attackers &= occ & ~BIT(to);
        our_turn = !our_turn;
        balance = -balance - 1 - worth[type];
        if (balance >= 0) return !our_turn;
    }
}

/* The squares that the pieces of a side, without its pawns, attack. */
static bitboard piece_attacks(const position *p, bitboard side, bitboard occ) {
    bitboard a = king_table[first(p->by[KING] & side)] | knight_attacks(p->by[KNIGHT] & side);
    for (bitboard b = slanted(p) & side; b;) a |= bishop_attacks(pop(&b), occ);
    for (bitboard b = straight(p) & side; b;) a |= rook_attacks(pop(&b), occ);
    return a;
}

/* The pieces of either side that stand alone between the king of side and a line piece of the other side. */
static bitboard blockers(const position *p, bitboard side) {
    int king = first(p->by[KING] & side);
    bitboard found = 0;
    for (bitboard b = ((bishop_rays[king] & slanted(p)) | (rook_rays[king] & straight(p))) & ~side; b;) {
        bitboard alone = between[king][pop(&b)] & occupied(p);
        if (!(alone & (alone - 1))) found |= alone;
    }
    return found;
}

/* Writes the policy features, see nnue.PolicyInput, and returns their number. */
static int features_of(const position *p, bitboard our_attacks, bitboard their_attacks, int mirror, uint16_t *rows) {
    uint16_t *next = rows;
    for (int side = 0; side < 2; side++) {
        bitboard pieces = side ? p->theirs : p->ours;
        bitboard in_danger = side ? our_attacks : their_attacks, defended = side ? their_attacks : our_attacks;
        for (int type = PAWN; type <= KING; type++)
            for (bitboard b = p->by[type] & pieces; b;) {
                int s = pop(&b), state = (in_danger >> s & 1) << 1 | (defended >> s & 1);
                *next++ = ((side * 6 + type - PAWN) * 4 + state) * 64 + (s ^ mirror);
            }
    }
    for (int side = 0; side < 2; side++) {
        bitboard pieces = side ? p->theirs : p->ours;
        for (bitboard b = blockers(p, pieces) & pieces; b;) *next++ = 12 * 4 * 64 + side * 64 + (pop(&b) ^ mirror);
    }
    return next - rows;
}

/* For n records: the policy features [n][48], those of pieces before those of pins, and their number; the number of pieces; the
   squares of the mover's king and the opponent's in the frame of the features: the mover's view, its files mirrored if its king
   stands on a file from e to h. Where start [n + 1] says at which move of all each position's moves begin, also row1, row2 and
   scalar of each legal move, see nnue.PolicyMove, and the number of the best move. Returns the number of damaged records. */
int64_t nnue_inputs(const uint8_t *records, int64_t n, const int64_t *start, uint16_t *features, uint8_t *features_count,
                    uint8_t *men, uint8_t *kings, uint16_t *row1, uint16_t *row2, uint8_t *scalar, uint8_t *played) {
    int64_t damaged = 0;
#pragma omp parallel for schedule(dynamic, BLOCK) reduction(+ : damaged)
    for (int64_t i = 0; i < n; i++) {
        const uint8_t *record = records + RECORD * i;
        position p;
        if (!decode(record, &p)) {
            damaged++;
            continue;
        }
        int mirror = p.king & 4 ? 7 : 0;
        bitboard ours = pawn_attacks(p.by[PAWN] & p.ours) | piece_attacks(&p, p.ours, occupied(&p));
        bitboard theirs = pawn_attacks_down(p.by[PAWN] & p.theirs) | piece_attacks(&p, p.theirs, occupied(&p));
        features_count[i] = features_of(&p, ours, theirs, mirror, features + MAX_FEATURES * i);
        men[i] = count(occupied(&p));
        kings[2 * i] = p.king ^ mirror, kings[2 * i + 1] = first(p.by[KING] & p.theirs) ^ mirror;
        if (!start) continue;
        uint32_t moves[MAX_MOVES];
        int legal = legal_moves(&p, moves), best = best_of(record, &p, moves, legal);
        if (best < 0) {
            damaged++;
            continue;
        }
        played[i] = best;
        for (int k = 0; k < legal; k++) {
            uint32_t m = moves[k];
            int from = from_of(m) ^ mirror, to = to_of(m) ^ mirror, type = moved_of(m) - PAWN, captured = target_of(m);
            int promoted = promotion_of(&p, m), shape = geometry[from][to];
            if (promoted != NONE && promoted != QUEEN) shape = underpromotion[from & 7][to & 7] + PAWN_PAIRS * (promoted - KNIGHT);
            /* A quiet move loses nothing on a square that no enemy attacks, unless it opens a line on which it was attacked. */
            int quiet = captured == NONE && !((theirs >> to_of(m) | theirs >> from_of(m)) & 1);
            int good = quiet || captured == KING || wins_nothing_less(&p, m), check = gives_check(&p, m);
            if (captured == KING) captured = NONE;
            row1[start[i] + k] = 2 * shape + good;
            row2[start[i] + k] = (2 * type + check) * 64 + to;
            scalar[start[i] + k] = (captured * 6 + type) * 4 + 2 * good + check;
        }
    }
    return damaged;
}

/* Rows of a table of n rows of width items, of which count[i] are used, one after the other from offset[i] on. */
void compact(const uint16_t *table, int64_t width, const uint8_t *count, const uint32_t *offset, int64_t n, uint16_t *to) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) memcpy(to + offset[i], table + width * i, count[i] * sizeof *to);
}

static inline void mark(uint8_t *codes, bitboard b, int code) {
    while (b) codes[pop(&b)] += code;
}

/* The codes of the attacks of side on all squares, times unit, and the squares that each of its pieces attacks; see
   eut.Squares. */
static void attack_codes(const position *p, bitboard side, int up, int unit, uint8_t *codes, bitboard *attacks) {
    static const uint8_t kind[7] = {0, 0, 1, 1, 2, 3, 4};
    bitboard by[5] = {0}, once = 0, twice = 0, occ = occupied(p);
    for (int type = PAWN; type <= KING; type++)
        for (bitboard b = p->by[type] & side; b;) {
            int s = pop(&b);
            bitboard a = 0;
            if (type == PAWN) a = up ? pawn_attacks(BIT(s)) : pawn_attacks_down(BIT(s));
            if (type == KNIGHT) a = knight_table[s];
            if (type == KING) a = king_table[s];
            if (type == BISHOP || type == QUEEN) a = bishop_attacks(s, occ);
            if (type == ROOK || type == QUEEN) a |= rook_attacks(s, occ);
            attacks[s] = a;
            by[kind[type]] |= a, twice |= once & a, once |= a;
        }
    for (int k = 0; k < 5; k++) {
        mark(codes, by[k] & once, (k + 1) * unit);
        once &= ~by[k];
    }
    mark(codes, twice, 5 * unit);
}

/* For n records, by so many threads: on each square [n][64] the piece (0 none, 1..6 ours, 7..12 theirs), the attacks (16 times
   our code plus theirs, see eut.AttackCodes), eut.KingCodes, and the squares that the piece attacks; castling rights (bit 0 ours
   kingside, 1 ours queenside, 2 and 3 theirs) and en passant file (8: none) [n][2]; from start [n + 1] on the codes of the legal
   moves, as in records; the number of the best one. Returns the number of damaged records. */
int64_t eut_inputs(const uint8_t *records, int64_t n, const int64_t *start, int64_t threads, uint8_t *code, uint8_t *attack,
                   uint8_t *kings, bitboard *attacks, uint8_t *flags, uint16_t *moves, uint8_t *played) {
    int64_t damaged = 0;
    memset(code, 0, 64 * n), memset(attack, 0, 64 * n), memset(kings, 0, 64 * n), memset(attacks, 0, 512 * n);
#pragma omp parallel for schedule(dynamic, BLOCK) reduction(+ : damaged) num_threads(threads)
    for (int64_t i = 0; i < n; i++) {
        const uint8_t *record = records + RECORD * i;
        position p;
        if (!decode(record, &p)) {
            damaged++;
            continue;
        }
        for (int type = PAWN; type <= KING; type++) {
            mark(code + 64 * i, p.by[type] & p.ours, type);
            mark(code + 64 * i, p.by[type] & p.theirs, type + 6);
        }
        attack_codes(&p, p.ours, 1, 16, attack + 64 * i, attacks + 64 * i);
        attack_codes(&p, p.theirs, 0, 1, attack + 64 * i, attacks + 64 * i);
        for (int side = 0; side < 2; side++) {
            int king = first(p.by[KING] & (side ? p.theirs : p.ours)), unit = side ? 1 : 4;
            mark(kings + 64 * i, knight_table[king], unit);
            mark(kings + 64 * i, bishop_attacks(king, occupied(&p)), 2 * unit);
            mark(kings + 64 * i, rook_attacks(king, occupied(&p)), 3 * unit);
        }
        mark(kings + 64 * i, blockers(&p, p.ours) | blockers(&p, p.theirs), 16);
        int rights = 0;
        for (bitboard b = p.castling; b;) {
            int s = pop(&b), king = s < 32 ? p.king : first(p.by[KING] & p.theirs);
            rights |= 1 << ((s < 32 ? 0 : 2) + ((s & 7) < (king & 7)));
        }
        flags[2 * i] = rights, flags[2 * i + 1] = p.en_passant == NO_SQUARE ? 8 : p.en_passant & 7;
        uint32_t legal[MAX_MOVES];
        int number = legal_moves(&p, legal), best = best_of(record, &p, legal, number);
        if (best < 0) {
            damaged++;
            continue;
        }
        played[i] = best;
        for (int k = 0; k < number; k++) moves[start[i] + k] = code_of(&p, legal[k]);
    }
    return damaged;
}
