// Writes words as rows, and lists those that do not fit.
#include "native/word_rows.h"

#include <leakgraph/internal/ascending.h>

void
lg__word_rows_open(lg__word_rows *rows)
{
    *rows = (lg__word_rows){.bytes.element = 1,
                            .width = sizeof(lg__word_row),
                            .listed.element = sizeof(lg__listed_word)};
}

void
lg__word_rows_free(const lg_allocator *allocator, lg__word_rows *rows)
{
    lg__vector_free(allocator, &rows->bytes);
    lg__vector_free(allocator, &rows->listed);
}

// Lists the word of the last row.
static bool
list(const lg_allocator *allocator, lg__word_rows *rows, const lg__word *word)
{
    lg__listed_word *place = lg__vector_extend(allocator, &rows->listed, 1);
    if (place != NULL)
        *place = (lg__listed_word){(uint32_t)rows->count - 1, word->target,
                                   word->place};
    return place != NULL;
}

static bool
is_near(uint32_t block, uint32_t target)
{
    const int64_t distance = (int64_t)target - block;
    return distance < LG__MOST_DISTANCE && distance >= -LG__MOST_DISTANCE;
}

// Writes what a short row has of a word that nobody has looked at, or of one
// that is weighed.
static void
write_word(lg__word_row *row, uint32_t block, const lg__word *word, bool listed)
{
    const uint32_t distance = word->target - block;
    for (unsigned i = 0; i < sizeof row->distance; i++)
        row->distance[i] = (uint8_t)(distance >> 8 * i);
    row->state = (uint8_t)(word->level | word->doubt << LG__DOUBT_SHIFT |
                           (word->handle ? LG__HANDLE_BIT : 0) |
                           (word->spare ? LG__SPARE_BIT : 0) |
                           (listed ? LG__LISTED_BIT : 0));
}

// Rows grow by little, because they are the most that the rule has.
static lg__word_row *
add_row(const lg_allocator *allocator, lg__word_rows *rows)
{
    enum { SHARE = 8, LEAST = 1 << 14 };
    lg__vector *bytes = &rows->bytes;
    if (bytes->count + rows->width > bytes->capacity &&
        !lg__vector_reserve(allocator, bytes,
                            bytes->count + bytes->count / SHARE + LEAST))
        return NULL;
    lg__vector_extend(allocator, bytes, rows->width);
    return lg__word_row_at(rows, (uint32_t)rows->count++);
}

bool
lg__word_add(const lg_allocator *allocator, lg__word_rows *rows, uint32_t block,
             uint32_t before, uint32_t target, uint64_t place)
{
    const lg__word word = {.target = target, .place = (uint32_t)place};
    const uint32_t step = word.place - before;
    const bool fits =
        word.place >= before && step <= UINT8_MAX && is_near(block, target);
    lg__word_row *row = add_row(allocator, rows);
    if (row == NULL)
        return false;
    write_word(row, block, &word, !fits);
    row->step = (uint8_t)step;
    row->trait = 0;
    return fits || list(allocator, rows, &word);
}

bool
lg__word_add_short(const lg_allocator *allocator, lg__word_rows *rows,
                   uint32_t block, const lg__word *word)
{
    const bool fits = is_near(block, word->target);
    write_word(lg__word_row_at(rows, (uint32_t)rows->count++), block, word,
               !fits);
    return fits || list(allocator, rows, word);
}

lg__word_rows
lg__word_rows_short(const lg__word_rows *rows)
{
    lg__word_rows short_rows = *rows;
    short_rows.width = LG__SHORT_ROW;
    short_rows.count = 0;
    short_rows.listed = (lg__vector){.element = rows->listed.element};
    return short_rows;
}

void
lg__word_rows_trim(const lg_allocator *allocator, lg__word_rows *rows)
{
    rows->bytes.count = rows->count * rows->width;
    lg__vector_trim(allocator, &rows->bytes);
}

const lg__listed_word *
lg__word_listed(const lg__word_rows *rows, uint32_t number)
{
    const lg__listed_word *listed = rows->listed.data;
    return listed + lg_items_place(listed, rows->listed.count,
                                   LG_ITEM_KEY(lg__listed_word, number),
                                   number);
}
