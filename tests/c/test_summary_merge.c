// Sums of summaries: the same in any order, in any grouping, and through bytes.
#include "growing.h"
#include "growth/growth_private.h"
#include "test.h"

#include <stdlib.h>

static growing_series series;

static lg_summary *
sum_of(lg_summary *const *parts, size_t count)
{
    lg_summary *sum = NULL;
    REQUIRE(
        !lg_summary_merge((const lg_summary *const *)parts, count, &sum, NULL));
    return sum;
}

static lg_summary *
through_bytes(lg_summary *summary)
{
    void *data = NULL;
    size_t length = 0;
    lg_summary *again = NULL;
    REQUIRE(!lg_summary_save_memory(summary, &data, &length, NULL));
    REQUIRE(!lg_summary_load_memory(data, length, &again, NULL));
    free(data);
    lg_summary_free(summary);
    return again;
}

static void
check_places(const lg_places *a, const lg_places *b)
{
    CHECK(lg_places_count(a) == lg_places_count(b));
    for (uint32_t i = 0; i < lg_places_count(a); i++) {
        lg_place left = lg_places_at(a, i);
        uint32_t at = lg_places_find(b, left.key);
        REQUIRE(at != LG_NONE);
        lg_place right = lg_places_at(b, at);
        CHECK(left.members == right.members);
        CHECK(left.own[0] == right.own[0]);
        CHECK(left.retained[0] == right.retained[0]);
    }
}

static const uint64_t *
bytes_of_type(const lg_summary *summary, const char *name)
{
    const lg__type_sum *types = summary->types.data;
    for (size_t i = 0; i < summary->types.count; i++)
        if (lg__string_is(lg__places_text(summary->places, types[i].name),
                          name))
            return lg__summary_bytes_at(summary, types[i].bytes);
    return NULL;
}

static void
check_types(const lg_summary *a, const lg_summary *b, const char *name)
{
    const uint64_t *left = bytes_of_type(a, name);
    const uint64_t *right = bytes_of_type(b, name);
    REQUIRE(left != NULL && right != NULL);
    CHECK(left[0] == right[0] && left[1] == right[1]);
}

static void
check_same(const lg_summary *a, const lg_summary *b)
{
    check_places(lg_summary_places(a), lg_summary_places(b));
    CHECK(a->objects == b->objects && a->large == b->large);
    CHECK(a->small == b->small && a->mapped == b->mapped);
    CHECK(a->rest == b->rest);
    CHECK(a->types.count == b->types.count);
    CHECK(a->tallies.count == b->tallies.count);
    check_types(a, b, "list");
    check_types(a, b, "app.Item");
    CHECK(lg__summary_bytes(a, "snapshots") ==
          lg__summary_bytes(b, "snapshots"));
    CHECK(lg__summary_bytes(a, "memory.rss") ==
          lg__summary_bytes(b, "memory.rss"));
}

static void
test_any_order(void)
{
    lg_summary *reversed[4];
    for (int i = 0; i < 4; i++)
        reversed[i] = series.summary[3 - i];
    lg_summary *one = sum_of(series.summary, 4);
    lg_summary *other = sum_of(reversed, 4);
    check_same(one, other);
    CHECK(lg__summary_bytes(one, "snapshots") == 4);
    CHECK(lg__summary_bytes(one, "memory.rss") == 4 * 5000000 + 6);
    CHECK(lg__summary_text(one, "pid").length == 0);
    lg_summary_free(one);
    lg_summary_free(other);
}

static void
test_any_grouping(void)
{
    lg_summary *halves[2] = {
        through_bytes(sum_of(series.summary, 1)),
        through_bytes(sum_of(series.summary + 1, 3)),
    };
    lg_summary *whole = sum_of(series.summary, 4);
    lg_summary *sum = through_bytes(sum_of(halves, 2));
    check_same(whole, sum);
    lg_summary_free(halves[0]);
    lg_summary_free(halves[1]);
    lg_summary_free(whole);
    lg_summary_free(sum);
}

static void
test_it_is_the_sum(void)
{
    lg_summary *sum = sum_of(series.summary, 4);
    const lg_places *all = lg_summary_places(sum);
    for (uint32_t i = 0; i < lg_places_count(all); i++) {
        lg_place place = lg_places_at(all, i);
        uint64_t members = 0;
        uint64_t retained = 0;
        for (int part = 0; part < 4; part++) {
            const lg_places *of = lg_summary_places(series.summary[part]);
            uint32_t at = lg_places_find(of, place.key);
            if (at == LG_NONE)
                continue;
            members += lg_places_at(of, at).members;
            retained += lg_places_at(of, at).retained[0];
        }
        CHECK(place.members == members && place.retained[0] == retained);
    }
    const uint64_t *items = bytes_of_type(sum, "app.Item");
    REQUIRE(items != NULL && lg_places_device_count(all) == 1);
    CHECK(items[0] == 60 * 1000 + 6 * 300 && items[1] == 5 << 20);
    lg_summary_free(sum);
}

static void
test_bytes_of_places(void)
{
    lg_summary *sum = sum_of(series.summary, 4);
    int64_t expected = 0;
    for (int i = 0; i < 4; i++)
        expected += lg__summary_bytes(series.summary[i], "places.host");
    CHECK(expected > 0);
    CHECK(lg__summary_bytes(sum, "places.host") == expected);
    lg_summary_free(sum);
}

static void
test_none(void)
{
    lg_summary *sum = NULL;
    lg_error error;
    CHECK(lg_summary_merge(NULL, 0, &sum, &error) == LG_EINVAL);
    CHECK(sum == NULL);
}

SUITE(summary_merge)
{
    growing_heap heaps[4];
    for (uint32_t i = 0; i < 4; i++)
        heaps[i] = (growing_heap){.items = 10 * i,
                                  .entries = 100,
                                  .blob = 1000 * i,
                                  .garbage = i,
                                  .batches = i > 1 ? i : 0,
                                  .pid = 70 + i,
                                  .malloc = 3000000,
                                  .rss = 5000000 + i};
    series = growing_compare(heaps, 4, NULL);
    RUN(test_any_order);
    RUN(test_any_grouping);
    RUN(test_it_is_the_sum);
    RUN(test_bytes_of_places);
    RUN(test_none);
    growing_forget(&series);
    return test_result();
}
