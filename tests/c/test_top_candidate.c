// Groups candidates: those of one place are side by side.
#include "answers/answers_private.h"
#include "drawn.h"
#include "story.h"
#include "test.h"

#include <stdlib.h>

static void
check(const lg__top_candidate *all, uint32_t count, uint32_t places)
{
    bool *left = calloc(places, sizeof *left);
    uint32_t nodes = 0;
    REQUIRE(left != NULL);
    for (uint32_t i = 0; i < count; i++) {
        const lg__top_candidate *one = &all[i];
        uint64_t place = one->place >> 32 ? one->place >> 32 : one->place;
        nodes += one->node;
        CHECK(!left[place % places]);
        left[place % places] = i + 1 == count || one[1].place != one->place;
        CHECK(i == 0 || (uint32_t)one[-1].place <= (uint32_t)one->place);
    }
    CHECK(nodes == count * (count - 1) / 2);
    free(left);
}

// Places that differ in their upper half, or in the lower one.
static void
group(uint32_t count, uint32_t places, unsigned shift)
{
    uint64_t seed = count + places + shift;
    lg__top_candidate *all = calloc(count + 1, sizeof *all);
    REQUIRE(all != NULL);
    for (uint32_t i = 0; i < count; i++)
        all[i] = (lg__top_candidate){
            (uint64_t)((uint32_t)test_random(&seed) % places) << shift, i};
    lg__top_candidates_group(all, count);
    check(all, count, places);
    free(all);
}

static void
few_and_many(void)
{
    for (unsigned shift = 0; shift <= 32; shift += 32) {
        group(0, 1, shift);
        group(1, 1, shift);
        group(100, 10, shift);
        group(1000, 10, shift);
        group(5000, 3000, shift);
    }
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
    RUN(the_biggest_leads);
    RUN(places_of_objects);
    return test_result();
}
