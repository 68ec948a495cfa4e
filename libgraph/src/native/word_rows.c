// Writes words as rows, and lists those that do not fit.
#include "native/word_rows.h"

#include <leakgraph/internal/ascending.h>

static bool
list(const lg_allocator *allocator, lg__word_rows *rows, uint32_t number,
     const lg__word *word)
{
    lg__listed_word *place = lg__vector_extend(allocator, &rows->listed, 1);
    if (place != NULL)
        *place = (lg__listed_word){number, word->target, word->place};
    return place != NULL;
}

bool
lg__word_write(const lg_allocator *allocator, lg__word_rows *rows,
               uint32_t number, uint32_t block, uint32_t before,
               const lg__word *word)
{
    const int64_t distance = (int64_t)word->target - block;
    const uint32_t step = word->place - before;
    const bool fits = word->place >= before && step < LG__STEP_LISTED &&
                      distance < LG__MOST_DISTANCE &&
                      distance >= -LG__MOST_DISTANCE;
    lg__word_row *row = lg__word_row_at(rows, number);
    const uint8_t trait = row->trait;
    *row = (lg__word_row){
        .distance = {(uint8_t)distance, (uint8_t)(distance >> 8),
                     (uint8_t)(distance >> 16)},
        .step = (uint8_t)(fits ? step : LG__STEP_LISTED),
        .state = (uint8_t)(word->level | word->doubt << LG__DOUBT_SHIFT |
                           (word->freed ? LG__FREED_BIT : 0) |
                           (word->spare ? LG__SPARE_BIT : 0)),
        .trait = trait,
    };
    return fits || list(allocator, rows, number, word);
}

// Rows grow by little, because they are the most that the rule has.
bool
lg__word_add(const lg_allocator *allocator, lg__word_rows *rows, uint32_t block,
             uint32_t before, uint32_t target, uint64_t place)
{
    enum { SHARE = 8, LEAST = 1 << 12 };
    lg__vector *row = &rows->row;
    const uint32_t number = (uint32_t)row->count;
    const lg__word word = {.target = target, .place = (uint32_t)place};
    if (row->count == row->capacity &&
        !lg__vector_reserve(allocator, row,
                            row->count + row->count / SHARE + LEAST))
        return false;
    lg__word_row *added = lg__vector_extend(allocator, row, 1);
    added->trait = 0;
    return lg__word_write(allocator, rows, number, block, before, &word);
}

const lg__listed_word *
lg__word_listed(const lg__word_rows *rows, uint32_t number)
{
    const lg__listed_word *listed = rows->listed.data;
    return listed + lg_items_place(listed, rows->listed.count,
                                   LG_ITEM_KEY(lg__listed_word, number),
                                   number);
}
