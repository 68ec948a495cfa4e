/** Finds what Agg's rasterizer keeps for its next drawing: the cells of the
 *  largest path that it has drawn. */
#include "bytes/libraries/matplotlib.h"

#include <string.h>

/** The fields of agg::rasterizer_cells_aa, as matplotlib compiles it
 *  (extern/agg24-svn/include/agg_rasterizer_cells_aa.h, 3.11). Numbers that do
 *  not fit each other are those of another version. */
typedef struct cells_layout {
    uint32_t blocks;
    uint32_t most_blocks;
    uint32_t current_block;
    uint32_t cells;
    uint32_t limit; /**< of blocks */
    uint64_t *block;
    uint64_t current_cell;
    uint32_t sorted_size, sorted_room;
    uint64_t sorted;
    uint32_t rows_size, rows_room;
    uint64_t rows;
} cells_layout;

enum {
    CELLS = 4096,     /**< of a block */
    CELL = 16,        /**< bytes: four ints */
    ITEM = 8,         /**< bytes: a pointer, or two ints */
    LIMITS = 1 << 20, /**< more than any version of matplotlib allows */
    WORDS = 128,      /**< of RendererAgg, its rasterizer among them */
};

static bool
is_consistent(const cells_layout *at)
{
    return at->limit >= 256 && at->limit < LIMITS && at->limit % 256 == 0 &&
           at->blocks > 0 && at->blocks <= at->most_blocks &&
           at->blocks <= at->limit && at->current_block > 0 &&
           at->current_block <= at->blocks && at->cells / CELLS <= at->blocks &&
           at->sorted_room / CELLS <= at->blocks &&
           at->sorted_size <= at->sorted_room &&
           (at->sorted_room == 0) == (at->sorted == 0) &&
           at->rows_size <= at->rows_room &&
           (at->rows_room == 0) == (at->rows == 0);
}

/** Returns whether the current cell lies in the current block. */
static bool
is_in_block(const cells_layout *at)
{
    uint64_t first = 0;
    lg__memory_piece piece = {&at->block[at->current_block - 1], &first,
                              sizeof first, false};
    lg__pass_read(&piece, 1);
    return piece.read && at->current_cell - first <= CELLS * CELL;
}

static uint64_t
bytes_of(const cells_layout *at)
{
    uint64_t items =
        (uint64_t)at->most_blocks + at->sorted_room + at->rows_room;
    return (uint64_t)at->blocks * CELLS * CELL + items * ITEM;
}

uint64_t
lg__renderer_cells(const void *renderer)
{
    uint64_t words[WORDS] = {0};
    cells_layout at;
    lg__memory_piece piece = {renderer, words, sizeof words, false};
    if (renderer != NULL)
        lg__pass_read(&piece, 1);
    for (size_t i = 0; piece.read && i + sizeof at / sizeof *words <= WORDS;
         i++) {
        memcpy(&at, &words[i], sizeof at);
        if (is_consistent(&at) && is_in_block(&at))
            return bytes_of(&at);
    }
    return 0;
}
