// The sort that needs no memory: the result is ascending and has the same
// items.
#include "base/base_private.h"
#include "test.h"

typedef struct item {
    uint32_t key;
    uint32_t stamp; // distinguishes items with equal keys
    char rest[96];  // larger than the sort's bounce buffer
} item;

static int
by_key(const void *left, const void *right)
{
    const item *a = left;
    const item *b = right;
    return a->key < b->key ? -1 : a->key > b->key;
}

static void
check_sorted(uint32_t count, uint32_t keys, uint64_t seed)
{
    item *items = calloc(count + 1, sizeof *items);
    bool *seen = calloc(count + 1, sizeof *seen);
    uint32_t *key_of = calloc(count + 1, sizeof *key_of);
    REQUIRE(items != NULL && seen != NULL && key_of != NULL);
    for (uint32_t i = 0; i < count; i++) {
        items[i].key = key_of[i] = test_random(&seed) % keys;
        items[i].stamp = i;
        snprintf(items[i].rest, sizeof items[i].rest, "%090u", i);
    }
    lg__sort(items, count, sizeof *items, by_key);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(i == 0 || items[i - 1].key <= items[i].key);
        REQUIRE(items[i].stamp < count);
        CHECK(!seen[items[i].stamp]);
        seen[items[i].stamp] = true;
        CHECK(items[i].key == key_of[items[i].stamp]);
        CHECK((uint32_t)atol(items[i].rest) == items[i].stamp);
    }
    free(items);
    free(seen);
    free(key_of);
}

static void
sorts(void)
{
    for (uint32_t count = 0; count < 40; count++)
        for (uint32_t keys = 1; keys < 50; keys += 12)
            check_sorted(count, keys, count * 64 + keys);
    check_sorted(5000, 3, 1);
    check_sorted(5000, 1u << 30, 2);
    check_sorted(5000, 1, 3);
}

// Orders that are bad for quicksort, with a counting comparison.
static uint64_t compared;

static int
by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    compared++;
    return a < b ? -1 : a > b;
}

static uint32_t
number_at(int order, uint32_t i, uint32_t count)
{
    switch (order) {
    case 0:
        return i;
    case 1:
        return count - i;
    case 2:
        return i < count / 2 ? i : count - i;
    case 3:
        return i % 2 ? i : count - i;
    case 4:
        return i % 7;
    default:
        return (i & 1 ? i : i ^ 0x5555) % count;
    }
}

static void
stays_fast(void)
{
    enum { COUNT = 20000, LOG = 15 };
    static uint32_t numbers[COUNT];
    for (int order = 0; order < 6; order++) {
        for (uint32_t i = 0; i < COUNT; i++)
            numbers[i] = number_at(order, i, COUNT);
        compared = 0;
        lg__sort(numbers, COUNT, sizeof *numbers, by_number);
        CHECK(compared < (order == 0 ? COUNT : 8ull * COUNT * LOG));
        for (uint32_t i = 1; i < COUNT; i++)
            CHECK(numbers[i - 1] <= numbers[i]);
    }
}

static void
reverses(void)
{
    enum { MOST = 5 };
    for (uint32_t count = 0; count <= MOST; count++) {
        item items[MOST + 1];
        for (uint32_t i = 0; i <= MOST; i++)
            items[i].stamp = i;
        lg__items_reverse(items, count, sizeof *items);
        for (uint32_t i = 0; i <= MOST; i++)
            CHECK(items[i].stamp == (i < count ? count - 1 - i : i));
    }
}

typedef struct placed {
    char name;
    uint64_t wide;
    uint32_t narrow;
} placed;

// Compares both kinds of keys with a linear search, for numbers that repeat.
static void
finds(void)
{
    enum { MOST = 9 };
    static placed items[MOST];
    const lg_item_key wide = LG_ITEM_KEY(placed, wide);
    const lg_item_key narrow = LG_ITEM_KEY(placed, narrow);
    for (uint32_t i = 0; i < MOST; i++)
        items[i] = (placed){'x', (1ull << 40) + 2 * (i / 2), 1 + 2 * (i / 3)};
    for (uint32_t count = 0; count <= MOST; count++)
        for (uint32_t wanted = 0; wanted < 2 * MOST; wanted++) {
            const uint64_t far = (1ull << 40) + wanted;
            size_t at = 0, far_at = 0;
            while (at < count && items[at].narrow < wanted)
                at++;
            while (far_at < count && items[far_at].wide < far)
                far_at++;
            bool has = at < count && items[at].narrow == wanted;
            bool has_far = far_at < count && items[far_at].wide == far;
            CHECK(lg_items_place(items, count, narrow, wanted) == at);
            CHECK(lg_items_place(items, count, wide, far) == far_at);
            CHECK(lg_items_find(items, count, narrow, wanted) ==
                  (has ? &items[at] : NULL));
            CHECK(lg_items_find(items, count, wide, far) ==
                  (has_far ? &items[far_at] : NULL));
        }
    CHECK(lg_items_find(NULL, 0, narrow, 1) == NULL);
}

SUITE(sort)
{
    RUN(sorts);
    RUN(stays_fast);
    RUN(reverses);
    RUN(finds);
    return test_result();
}
