// Turns targets of references into codes and the bytes that these call for, and
// back.
#include "base/base_private.h"
#include "file/targets.h"
#include "file/folded.h"

#include <stdlib.h>
#include <string.h>

// What a code says of a target. From DISTANCE on, it is a distance back to an
// earlier reference to the same node, from 1.
enum {
    NEXT = 0, // the next new node
    AGAIN,    // the last target in the same context
    ONWARD,   // as far back as the last distance
    OTHER,    // its difference to the next new node is in the last piece
    DISTANCE,
};

// Distances, with DISTANCE - 1 added, are codes below PLAIN. Larger ones keep
// their four highest bits, and the lower bits, at most SHIFT_MAX, go to other
// pieces: the lowest eight, the next eight, and the rest.
enum { TOP_BITS = 3, PLAIN = 2 << TOP_BITS, SHIFT_MAX = 24 };
enum { CODES = (SHIFT_MAX << TOP_BITS) + PLAIN };
#define DISTANCE_MAX ((1u << (SHIFT_MAX + TOP_BITS + 1)) - DISTANCE)

// How many nodes a writer remembers references to: 8 MiB.
enum { MET = 1 << 21 };

// How many references ahead a writer asks for the memory of what it remembers.
enum { AHEAD = 16 };

// A difference nearer than this leads to a new node: later ones follow it.
enum { NEAR = 1 << 16 };

// The first pieces with bytes of distances, and of other targets.
enum { OF_DISTANCES = 1, OF_OTHERS = 4 };

static unsigned
shift_of(uint8_t code)
{
    return code < PLAIN ? 0 : (code >> TOP_BITS) - 1u;
}

bool
lg__targets_begin(lg__targets *targets, bool split)
{
    targets->met = split ? lg__calloc(MET, sizeof *targets->met) : NULL;
    return lg__contexts_begin(&targets->contexts, UINT32_MAX) &&
           (!split || targets->met != NULL);
}

void
lg__targets_end(lg__targets *targets)
{
    lg__contexts_end(&targets->contexts);
    lg__free(targets->met);
    targets->met = NULL;
}

// Returns the distance back to the last reference to the target; 0 if it is
// not known. Entries may be of other nodes, or of none.
static uint32_t
distance_back(const lg__targets *targets, const lg_edge_targets *column,
              uint64_t edge)
{
    uint32_t target = lg_edge_targets_at(column, edge);
    uint32_t distance = (uint32_t)edge - targets->met[target % MET];
    bool is = distance > 0 && distance <= edge && distance <= DISTANCE_MAX &&
              lg_edge_targets_at(column, edge - distance) == target;
    return is ? distance : 0;
}

// What is written or read next, of each piece.
typedef struct cursor {
    uint8_t *at[LG__TARGETS_PIECES];
} cursor;

static void
put_distance(cursor *to, uint32_t distance)
{
    uint32_t number = distance + DISTANCE - 1;
    unsigned shift = 0;
    if (number >= PLAIN)
        shift = 31u - TOP_BITS - (unsigned)__builtin_clz(number);
    *to->at[0]++ = (uint8_t)((shift << TOP_BITS) + (number >> shift));
    uint32_t rest = number & ((1u << shift) - 1);
    for (unsigned i = 0; shift > 8 * i; i++)
        *to->at[OF_DISTANCES + i]++ = (uint8_t)(rest >> 8 * i);
}

static void
put_other(cursor *to, lg__targets *targets, uint32_t target)
{
    uint32_t folded = lg__folded32(target - targets->next);
    if (folded < NEAR)
        targets->next = target + 1;
    *to->at[0]++ = OTHER;
    for (unsigned i = 0; i < 4; i++)
        *to->at[OF_OTHERS + i]++ = (uint8_t)(folded >> 8 * i);
}

static void
put_target(cursor *to, lg__targets *targets, const lg_edge_targets *column,
           uint64_t edge, uint32_t *last)
{
    uint32_t target = lg_edge_targets_at(column, edge);
    uint32_t distance;
    if (target == targets->next) {
        *to->at[0]++ = NEXT;
        targets->next++;
    } else if (target == *last) {
        *to->at[0]++ = AGAIN;
    } else if (targets->distance > 0 &&
               lg_edge_targets_at(column, edge - targets->distance) == target) {
        *to->at[0]++ = ONWARD;
    } else if ((distance = distance_back(targets, column, edge)) > 0) {
        put_distance(to, distance);
        targets->distance = distance;
    } else {
        put_other(to, targets, target);
    }
    *last = target;
    targets->met[target % MET] = (uint32_t)edge;
}

// A reference puts at most one byte into each piece, so each piece has room for
// a block.
lg__targets_pieces
lg__targets_split(lg__targets *targets, const lg_edge_targets *column,
                  uint64_t at, uint8_t *room)
{
    cursor to;
    lg__targets_pieces out = {.total = 0};
    uint64_t end = at + lg__block_count(targets->count, at);
    for (size_t i = 0; i < LG__TARGETS_PIECES; i++)
        to.at[i] = room + i * LG__BLOCK_ELEMENTS;
    for (uint64_t edge = at; edge < end;) {
        lg__run run = lg__contexts_run(&targets->contexts, edge, end);
        for (; edge < run.end; edge++) {
            if (edge + AHEAD < end)
                __builtin_prefetch(
                    &targets
                         ->met[lg_edge_targets_at(column, edge + AHEAD) % MET]);
            put_target(&to, targets, column, edge, lg__run_next(&run));
        }
    }
    for (size_t i = 0; i < LG__TARGETS_PIECES; i++) {
        out.size[i] = (size_t)(to.at[i] - room) - i * LG__BLOCK_ELEMENTS;
        out.total += out.size[i];
    }
    return out;
}

// Counts the codes. Two counts of each code, because equal codes in a row would
// wait for each other.
static void
count_codes(const uint8_t *codes, size_t count, size_t out[256])
{
    uint32_t sums[2][256] = {{0}, {0}};
    for (size_t i = 0; i < count; i++)
        sums[i & 1][codes[i]]++;
    for (size_t code = 0; code < 256; code++)
        out[code] = (size_t)sums[0][code] + sums[1][code];
}

// The codes alone say how long the other pieces are. So a reader that follows
// the same codes does not read behind a piece, whatever a damaged file has in
// it.
lg__targets_pieces
lg__targets_measure(const uint8_t *codes, size_t count)
{
    lg__targets_pieces out = {.size = {count}};
    size_t counts[256];
    count_codes(codes, count, counts);
    for (unsigned code = PLAIN; code < CODES; code++)
        for (unsigned i = 0; shift_of((uint8_t)code) > 8 * i; i++)
            out.size[OF_DISTANCES + i] += counts[code];
    for (size_t piece = OF_OTHERS; piece < LG__TARGETS_PIECES; piece++)
        out.size[piece] = counts[OTHER];
    for (size_t piece = 0; piece < LG__TARGETS_PIECES; piece++)
        out.total += out.size[piece];
    return out;
}

typedef struct reader {
    const uint8_t *at[LG__TARGETS_PIECES]; // what is read next
} reader;

static uint32_t
get_distance(reader *from, uint8_t code)
{
    if (code < PLAIN)
        return code - (DISTANCE - 1u);
    unsigned shift = shift_of(code);
    uint32_t number = (PLAIN / 2 + (code & (PLAIN / 2 - 1u))) << shift;
    for (unsigned i = 0; shift > 8 * i; i++)
        number += (uint32_t)*from->at[OF_DISTANCES + i]++ << 8 * i;
    return number - (DISTANCE - 1u);
}

static uint32_t
get_other(reader *from, lg__targets *targets)
{
    uint32_t folded = 0;
    for (unsigned i = 0; i < 4; i++)
        folded |= (uint32_t)*from->at[OF_OTHERS + i]++ << 8 * i;
    uint32_t target = targets->next + lg__unfolded32(folded);
    if (folded < NEAR)
        targets->next = target + 1;
    return target;
}

// Reads a target that an earlier reference has. Returns false if there is none.
static bool
get_back(reader *from, lg__targets *targets, uint8_t code, uint32_t *column,
         uint64_t edge)
{
    if (code >= CODES)
        return false;
    if (code != ONWARD)
        targets->distance = get_distance(from, code);
    if (targets->distance == 0 || targets->distance > edge)
        return false;
    column[edge] = column[edge - targets->distance];
    return true;
}

// Keeps the same state as the writer: the next new node, the last distance, and
// the last target in each context. So each code means what it meant to the
// writer.
static bool
get_target(reader *from, lg__targets *targets, uint32_t *column, uint64_t edge,
           uint32_t *last)
{
    uint8_t code = *from->at[0]++;
    if (code == NEXT)
        column[edge] = targets->next++;
    else if (code == AGAIN)
        column[edge] = *last;
    else if (code == OTHER)
        column[edge] = get_other(from, targets);
    else if (!get_back(from, targets, code, column, edge))
        return false;
    *last = column[edge];
    return true;
}

bool
lg__targets_join(lg__targets *given, uint32_t *column, uint64_t at,
                 const lg__targets_pieces *pieces, const uint8_t *bytes)
{
    lg__targets targets = *given; // where compilers see that nothing else is
    uint64_t end = at + lg__block_count(given->count, at);
    reader from;
    for (size_t i = 0; i < LG__TARGETS_PIECES; i++) {
        from.at[i] = bytes;
        bytes += pieces->size[i];
    }
    for (uint64_t edge = at; edge < end;) {
        lg__run run = lg__contexts_run(&targets.contexts, edge, end);
        for (; edge < run.end; edge++)
            if (!get_target(&from, &targets, column, edge, lg__run_next(&run)))
                return false;
    }
    *given = targets;
    return true;
}
