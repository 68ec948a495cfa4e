// Sorting by a number: the result is ascending, has the same items, and keeps
// the order of items with equal numbers.
#include "base/base_private.h"
#include "test.h"

typedef struct item {
    uint32_t number;
    uint32_t stamp;
    uint32_t other;
} item;

static void
check_sorted(uint32_t count, uint32_t mask, uint64_t seed)
{
    lg_allocator allocator = lg_allocator_default();
    item *items = calloc(count + 1, sizeof *items);
    uint32_t *number_of = calloc(count + 1, sizeof *number_of);
    bool *seen = calloc(count + 1, sizeof *seen);
    REQUIRE(items != NULL && number_of != NULL && seen != NULL);
    for (uint32_t i = 0; i < count; i++) {
        number_of[i] = (uint32_t)test_random(&seed) & mask;
        items[i] = (item){number_of[i], i, ~i};
    }
    REQUIRE(lg__radix_sort(&allocator, items, count, sizeof *items));
    for (uint32_t i = 0; i < count; i++) {
        REQUIRE(items[i].stamp < count);
        CHECK(!seen[items[i].stamp]);
        seen[items[i].stamp] = true;
        CHECK(items[i].number == number_of[items[i].stamp]);
        CHECK(items[i].other == ~items[i].stamp);
        if (i > 0)
            CHECK(items[i - 1].number < items[i].number ||
                  (items[i - 1].number == items[i].number &&
                   items[i - 1].stamp < items[i].stamp));
    }
    free(items);
    free(number_of);
    free(seen);
}

static void
sorts(void)
{
    for (uint32_t count = 0; count < 40; count++)
        check_sorted(count, 7, count);
    check_sorted(5000, 0, 1);
    check_sorted(5000, 0x7ff, 2);
    check_sorted(5000, 0x3ff800, 3);
    check_sorted(5000, 0xffc00000, 4);
    check_sorted(5000, 0xffc007ff, 5);
    check_sorted(5000, UINT32_MAX, 6);
}

static void *
refuse(void *context, void *old, size_t old_size, size_t new_size)
{
    (void)context;
    (void)old;
    (void)old_size;
    (void)new_size;
    return NULL;
}

static void
without_memory(void)
{
    lg_allocator none = {refuse, NULL, NULL, NULL};
    uint32_t items[] = {3, 1, 2};
    uint32_t sorted[] = {1, 1, 2};
    CHECK(!lg__radix_sort(&none, items, 3, sizeof *items));
    CHECK(items[0] == 3 && items[1] == 1 && items[2] == 2);
    CHECK(lg__radix_sort(&none, sorted, 3, sizeof *sorted));
}

SUITE(radix)
{
    RUN(sorts);
    RUN(without_memory);
    return test_result();
}
