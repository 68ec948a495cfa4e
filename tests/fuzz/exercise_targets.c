// Joins targets from any bytes.
#include "exercise.h"

#include <stdlib.h>
#include <string.h>

#include "file/targets.h"

enum { NODES = 4 };

// Copies bytes to a block of their own, so that a sanitizer sees what is read
// beyond them.
static bool
join(lg__targets *targets, const uint8_t *data,
     const lg__targets_pieces *pieces)
{
    bool sound = false;
    uint8_t *block = malloc(pieces->total);
    uint32_t *column = malloc(targets->count * sizeof *column);
    if (block != NULL && column != NULL && lg__targets_begin(targets, false)) {
        memcpy(block, data, pieces->total);
        sound = lg__targets_join(targets, column, 0, pieces, block);
    }
    lg__targets_end(targets);
    free(block);
    free(column);
    return sound;
}

// The bytes are the number of targets, first edges, types, and a block.
bool
exercise_targets(const uint8_t *data, size_t size)
{
    uint16_t count;
    uint32_t first[NODES + 1];
    uint32_t type[NODES];
    const size_t before = sizeof count + sizeof first + sizeof type;
    if (size < before)
        return false;
    memcpy(&count, data, sizeof count);
    memcpy(first, data + sizeof count, sizeof first);
    memcpy(type, data + sizeof count + sizeof first, sizeof type);
    if (count == 0 || size - before < count)
        return false;
    lg__targets_pieces pieces = lg__targets_measure(data + before, count);
    lg__targets targets = {.count = count,
                           .contexts = {.first_edge = {.wide = first},
                                        .type = lg_type_ids_wide(type),
                                        .node_count = NODES}};
    return pieces.total <= size - before &&
           join(&targets, data + before, &pieces);
}
