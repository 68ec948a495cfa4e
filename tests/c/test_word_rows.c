// Words of blocks in rows: near and far targets, small and large steps, short
// rows; and ids of three and four bytes.
#include "test.h"

#include "native/ids.h"
#include "native/word_rows.h"

enum { BLOCK = 3 << 23, MOST_WORDS = 64 };

typedef struct rows_made {
    lg_allocator allocator;
    lg__word_rows rows;
    uint32_t target[MOST_WORDS];
    uint32_t place[MOST_WORDS];
    uint32_t count;
} rows_made;

static rows_made
open_rows(void)
{
    rows_made made = {.allocator = lg_allocator_default()};
    lg__word_rows_open(&made.rows);
    return made;
}

static void
close_rows(rows_made *made)
{
    lg__word_rows_free(&made->allocator, &made->rows);
}

static void
add(rows_made *made, int64_t distance, uint32_t place)
{
    const uint32_t before = made->count > 0 ? made->place[made->count - 1] : 0;
    const uint32_t target = (uint32_t)(BLOCK + distance);
    REQUIRE(lg__word_add(&made->allocator, &made->rows, BLOCK, before, target,
                         place));
    made->target[made->count] = target;
    made->place[made->count++] = place;
}

static void
check_rows(const rows_made *made)
{
    lg__word_walk at = lg__word_walk_over(&made->rows, BLOCK, 0, made->count);
    for (uint32_t i = 0; i < made->count; i++) {
        CHECK(lg__word_target(&made->rows, BLOCK, i) == made->target[i]);
        REQUIRE(lg__word_walk_next(&at));
        CHECK(at.number == i && at.word.target == made->target[i]);
        CHECK(at.word.place == made->place[i]);
        CHECK(at.word.level == 0 && at.word.doubt == 0);
    }
    CHECK(!lg__word_walk_next(&at));
}

// A target may lie 2^23 blocks before a word and nearly as far behind it.
static void
far_targets(void)
{
    static const int64_t distances[] = {
        0,
        1,
        -1,
        127,
        128,
        -128,
        -129,
        32767,
        32768,
        -32768,
        65535,
        65536,
        -65536,
        -65537,
        (1 << 23) - 1,
        1 << 23,
        -(1 << 23),
        -(1 << 23) - 1,
        (1 << 24) - 1,
        1 << 24,
        -(1 << 24),
        2,
        -(3 << 23),
        UINT32_MAX - 1 - (int64_t)BLOCK,
        3,
    };
    enum { FAR = 7 };
    rows_made made = open_rows();
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++)
        add(&made, distances[i], (uint32_t)i);
    check_rows(&made);
    CHECK(made.rows.listed.count == FAR);
    close_rows(&made);
}

// A place may lie less than 256 words behind the one before it.
static void
large_steps(void)
{
    static const uint32_t places[] = {0,    0,    254,  509,          763,
                                      1019, 1020, 1274, 1 << 20,      1 << 20,
                                      7,    8,    262,  (1 << 25) - 1};
    enum { LARGE = 4 };
    rows_made made = open_rows();
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        add(&made, (int64_t)i, places[i]);
    check_rows(&made);
    CHECK(made.rows.listed.count == LARGE);
    close_rows(&made);
}

// What a word is worth changes nothing else that its row says.
static void
weights(void)
{
    enum { LEVEL = 7, DOUBT = 3 };
    rows_made made = open_rows();
    add(&made, 1 << 23, 3);
    add(&made, -5, 4);
    for (uint32_t i = 0; i < made.count; i++) {
        lg__word_row *row = lg__word_row_at(&made.rows, i);
        row->state |= LG__FREED_BIT | LG__SPARE_BIT;
        row->trait = UINT8_MAX;
        lg__word_weigh(&made.rows, i, LEVEL, 0);
        lg__word_weigh(&made.rows, i, i, DOUBT);
    }
    lg__word_walk at = lg__word_walk_over(&made.rows, BLOCK, 0, made.count);
    while (lg__word_walk_next(&at)) {
        CHECK(at.word.level == at.number && at.word.doubt == DOUBT);
        CHECK(at.word.freed && at.word.spare);
        CHECK(at.word.target == made.target[at.number]);
        CHECK(at.word.place == made.place[at.number]);
        CHECK(lg__word_row_at(&made.rows, at.number)->trait == UINT8_MAX);
    }
    close_rows(&made);
}

// Short rows take the place of every other row, of which some were listed, and
// say the same of a word but for its place.
static void
short_rows(void)
{
    enum { LEVEL = 5, DOUBT = 2, WORDS = 40 };
    rows_made made = open_rows();
    for (uint32_t i = 0; i < WORDS; i++)
        add(&made, i % 8 < 2 ? (1 << 23) + i : -(int64_t)i, 300 * i);
    lg__word_rows kept = lg__word_rows_short(&made.rows);
    lg__word_walk at = lg__word_walk_over(&made.rows, BLOCK, 0, made.count);
    while (lg__word_walk_next(&at)) {
        at.word.level = LEVEL;
        at.word.doubt = DOUBT;
        at.word.handle = at.number % 4 == 0;
        if (at.number % 2 == 0)
            REQUIRE(
                lg__word_add_short(&made.allocator, &kept, BLOCK, &at.word));
    }
    lg__vector_free(&made.allocator, &made.rows.listed);
    lg__word_rows_trim(&made.allocator, &kept);
    CHECK(kept.bytes.capacity == WORDS / 2 * LG__SHORT_ROW);
    CHECK(kept.listed.count == WORDS / 8);
    at = lg__word_walk_over(&kept, BLOCK, 0, WORDS / 2);
    while (lg__word_walk_next(&at)) {
        CHECK(at.word.target == made.target[2 * at.number]);
        CHECK(at.word.level == LEVEL && at.word.doubt == DOUBT);
        CHECK(at.word.handle == (at.number % 2 == 0) && !at.word.freed);
    }
    made.rows = kept;
    close_rows(&made);
}

static void
check_ids(uint64_t limit, uint32_t width)
{
    enum { COUNT = 5 };
    uint8_t bytes[COUNT * LG__WIDE_ID + 1] = {0};
    lg__ids ids = lg__ids_below(limit);
    const uint32_t most = (uint32_t)limit - 1;
    CHECK(ids.width == width && lg__ids_bytes(ids, COUNT) <= sizeof bytes);
    ids.bytes = bytes;
    lg__id_set(ids, 1, most);
    lg__id_set(ids, 2, LG_NONE);
    lg__id_set(ids, 4, 1);
    lg__id_set(ids, 3, most);
    lg__id_set(lg__ids_from(ids, 2), 1, 7);
    CHECK(lg__id_at(ids, 0) == 0 && lg__id_at(ids, 1) == most);
    CHECK(lg__id_at(ids, 2) == LG_NONE && lg__id_at(ids, 3) == 7);
    CHECK(lg__id_at(lg__ids_from(ids, 1), 3) == 1);
}

static void
ids(void)
{
    check_ids((1 << 24) - 1, LG__NARROW_ID);
    check_ids(1 << 24, LG__WIDE_ID);
    check_ids(UINT32_MAX, LG__WIDE_ID);
}

SUITE(word_rows)
{
    RUN(far_targets);
    RUN(large_steps);
    RUN(weights);
    RUN(short_rows);
    RUN(ids);
    return test_result();
}
