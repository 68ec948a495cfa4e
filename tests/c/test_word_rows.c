// Words of blocks in rows: near and far targets, small and large steps.
#include "test.h"

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
    return (rows_made){
        .allocator = lg_allocator_default(),
        .rows = {.row.element = sizeof(lg__word_row),
                 .listed.element = sizeof(lg__listed_word)},
    };
}

static void
close_rows(rows_made *made)
{
    lg__vector_free(&made->allocator, &made->rows.row);
    lg__vector_free(&made->allocator, &made->rows.listed);
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

// A place may lie less than 255 words behind the one before it.
static void
large_steps(void)
{
    static const uint32_t places[] = {0,    0,    254,  509,          763,
                                      1019, 1020, 1274, 1 << 20,      1 << 20,
                                      7,    8,    262,  (1 << 25) - 1};
    enum { LARGE = 5 };
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
        row->state = LG__FREED_BIT | LG__SPARE_BIT;
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

SUITE(word_rows)
{
    RUN(far_targets);
    RUN(large_steps);
    RUN(weights);
    return test_result();
}
