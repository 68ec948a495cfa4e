// Groups candidates: those of one place are side by side.
#include "answers/answers_private.h"
#include "drawn.h"
#include "story.h"
#include "test.h"

#include <stdlib.h>

// The hash of each node.
static uint64_t
hash_of(uint32_t node, uint32_t places, unsigned shift)
{
    uint64_t seed = node + places + shift;
    return (uint64_t)((uint32_t)test_random(&seed) % places) << shift;
}

static void
check(const lg__top_candidate *all, uint32_t count, uint32_t places,
      unsigned shift)
{
    bool *left = calloc(places, sizeof *left);
    uint64_t nodes = 0;
    REQUIRE(left != NULL);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t hash = hash_of(all[i].node, places, shift);
        const bool ends = i + 1 == count || all[i + 1].place != all[i].place;
        nodes += all[i].node;
        CHECK(!left[hash >> shift]);
        left[hash >> shift] = ends;
        if (i + 1 < count) {
            const uint64_t next = hash_of(all[i + 1].node, places, shift);
            CHECK((next != hash) == ends && next >= hash);
        }
    }
    CHECK(nodes == (uint64_t)count * (count > 0 ? count - 1 : 0) / 2);
    free(left);
}

// Places that differ in their upper half, or in the lower one.
static void
group(lg__top_candidates *all, uint32_t count, uint32_t places, unsigned shift)
{
    for (uint32_t i = 0; i < count; i++)
        REQUIRE(lg__top_candidates_add(all, hash_of(i, places, shift), i));
    CHECK(all->item.count == count);
    check(lg__top_candidates_group(all), count, places, shift);
    lg__top_candidates_clear(all);
}

static void
few_and_many(void)
{
    lg__top_candidates all = lg__top_candidates_open();
    for (unsigned shift = 0; shift <= 32; shift += 32) {
        group(&all, 0, 1, shift);
        group(&all, 1, 1, shift);
        group(&all, 100, 10, shift);
        group(&all, 5000, 3000, shift);
        group(&all, 1000, 10, shift);
    }
    lg__top_candidates_free(&all);
}

// The halves of a hash count, the lower one first.
static void
order_of_places(void)
{
    static const uint64_t hashes[] = {UINT64_C(2) << 32 | 1, 2,
                                      UINT64_C(1) << 32 | 1, 1};
    static const uint32_t nodes[] = {3, 2, 0, 1};
    lg__top_candidates all = lg__top_candidates_open();
    for (uint32_t i = 0; i < 4; i++)
        REQUIRE(lg__top_candidates_add(&all, hashes[i], i));
    const lg__top_candidate *grouped = lg__top_candidates_group(&all);
    for (uint32_t i = 0; i < 4; i++)
        CHECK(grouped[i].node == nodes[i]);
    lg__top_candidates_free(&all);
}

static void
the_biggest_leads(void)
{
    static const uint32_t sizes[] = {90, 70, 90, 50};
    story made = story_begin();
    uint32_t module = story_module(&made, "app");
    lg__top_candidate all[4];
    for (uint32_t i = 4; i-- > 0;) {
        all[i] = (lg__top_candidate){
            1, story_add(&made, "app.Item", NULL, sizes[i])};
        story_edge(&made, module, all[i].node, LG_EDGE_REFERENCE, 0);
    }
    const uint32_t later = all[0].node, last = all[3].node;
    const uint32_t earlier = all[2].node;
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    CHECK(lg__top_candidates_weigh(analysis, LG_NONE, all, 4) == 300);
    CHECK(lg__top_candidates_weigh(analysis, 0, all, 0) == 0);
    CHECK(lg__top_candidates_lead(analysis, LG_NONE, all, 4) == 90);
    CHECK(all[0].node == earlier && all[3].node == last);
    CHECK(lg__top_candidates_lead(analysis, 0, all + 1, 3) == 90);
    CHECK(all[1].node == later);
    CHECK(lg__top_candidates_lead(analysis, LG_NONE, all, 1) == 90);
    CHECK(lg__top_weight(analysis, last, 0) == 50);
    CHECK(all[0].node == earlier);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Objects of one type have one place, if the hops to them give the same name or
// an index, and they lie below the same.
static void
places_of_objects(void)
{
    story made = story_begin();
    uint32_t module = story_module(&made, "app");
    uint32_t list = story_add(&made, "list", NULL, 80);
    story_attribute(&made, module, "items", list);
    lg__gathered below = {0};
    for (uint32_t i = 0; i < 12; i++) {
        const char *type = i == 5 ? "app.Other" : "app.Item";
        REQUIRE(lg__gather_append(&below, story_add(&made, type, NULL, 50)));
        story_edge(&made, list, below.items[i], LG_EDGE_INDEX, i);
    }
    story_attribute(&made, module, "last", below.items[11]);
    lg_graph *graph = story_end(&made);
    const uint32_t root = lg_graph_columns(graph)->node_count;
    lg__top_places places = {0};
    lg__hop_walk walk = {
        .graph = graph, .fold = lg__graph_folds(graph), .everything = true};
    REQUIRE(walk.fold != NULL && lg__graph_texts(graph));
    REQUIRE(lg__graph_reverse(graph, &walk.reverse));
    for (size_t count = 6; count <= below.count; count += 6) {
        const lg__gathered some = {below.items, count, 0};
        REQUIRE(lg__top_places_find(&places, &walk, list, 1, &some));
        const uint64_t first = places.items[0];
        for (size_t i = 1; i < count; i++)
            CHECK((places.items[i] == first) == (i != 5));
        REQUIRE(lg__top_places_find(&places, &walk, list, 2, &some));
        CHECK(places.items[0] != first);
        REQUIRE(lg__top_places_find(&places, &walk, root, 1, &some));
        CHECK(places.items[0] != first && places.items[1] == places.items[0]);
    }
    REQUIRE(lg__top_places_find(&places, &walk, module, 1, &below));
    CHECK(places.items[11] != places.items[10]);
    lg__top_places_free(&places);
    lg__free(below.items);
    lg_graph_free(graph);
}

SUITE(top_candidate)
{
    RUN(few_and_many);
    RUN(order_of_places);
    RUN(the_biggest_leads);
    RUN(places_of_objects);
    return test_result();
}
