// Pages of forked processes: which are older than the fork, and who touched
// them.
#include <leakgraph/builder.h>
#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/page_counts.h>

#include "base/base_private.h"
#include "growing.h"
#include "scarce.h"
#include "test.h"

enum { PAGE = 4096, HERE = 100 };

// An object by its address: a page and a distance from its beginning.
typedef struct object {
    uint64_t page;
    uint32_t offset;
    uint32_t type; // 0 or 1
    uint32_t size; // a buffer of so many bytes; 0: an object
    uint16_t flags;
    bool away; // on a device
} object;

static lg_graph *
graph_of(const object *objects, uint32_t count)
{
    lg_error err;
    lg_graph *graph = NULL;
    lg_builder *builder = NULL;
    REQUIRE(lg_builder_new(&builder, &err) == LG_OK);
    uint32_t class[2];
    for (uint32_t i = 0; i < 2; i++)
        class[i] = lg_builder_add_node(builder, 64 * (i + 1));
    uint32_t type[2];
    for (uint32_t i = 0; i < 2; i++) {
        type[i] = lg_builder_add_type(builder, &"AB"[i], 1, class[i], NULL, 0);
        lg_builder_put_type(builder, class[i], type[i]);
    }
    uint32_t cuda = lg_builder_add_device(builder, "cuda:0");
    for (uint32_t i = 0; i < count; i++) {
        const object *at = &objects[i];
        uint32_t node =
            lg_builder_add_node(builder, at->page * PAGE + at->offset);
        lg_builder_put_type(builder, node, type[at->type]);
        builder->node_flags[node] =
            (uint16_t)(at->flags | (at->size > 0 ? LG_NODE_BUFFER : 0));
        lg_builder_set_size(builder, node, at->size > 0 ? at->size : 64);
        if (at->away)
            lg_builder_set_device(builder, node, cuda);
    }
    REQUIRE(lg_builder_finish(builder, &graph, &err) == LG_OK);
    return graph;
}

// The first objects are the parent's, with a place each; classes have none.
static lg_page_counts
count(const object *parent, uint32_t older, const object *child, uint32_t now,
      const uint64_t *entries, size_t pages)
{
    lg_error err;
    lg_page_counts out;
    uint32_t place_of[16] = {LG_NONE, LG_NONE};
    for (uint32_t i = 0; i < older; i++)
        place_of[i + 2] = i;
    lg_graph *before = graph_of(parent, older);
    lg_graph *after = graph_of(child, now);
    const lg_page_list list = {entries, pages, PAGE};
    REQUIRE(lg_page_counts_make(after, before, &list, place_of, older, &out,
                                &err) == LG_OK);
    lg_graph_free(before);
    lg_graph_free(after);
    return out;
}

static void
test_only_what_the_parent_has_too_is_older(void)
{
    const object parent[] = {
        {.page = HERE}, {.page = HERE + 1}, {.page = HERE + 2}};
    const object child[] = {{.page = HERE},
                            {.page = HERE + 1, .type = 1},
                            {.page = HERE + 2, .offset = 64}};
    const uint64_t pages[] = {HERE << 1 | 1, (HERE + 1) << 1 | 1,
                              (HERE + 2) << 1 | 1};
    lg_page_counts counts = count(parent, 3, child, 3, pages, 3);
    CHECK(counts.all_shared == 1 && counts.all_copied == 1);
    CHECK(counts.shared[0] == 1 && counts.copied[0] == 1);
    CHECK(counts.shared[1] == 0 && counts.shared[2] == 0);
    lg_page_counts_free(&counts);
}

static void
test_a_page_is_of_the_place_that_has_the_most_there(void)
{
    const object both[] = {{.page = HERE},
                           {.page = HERE, .offset = 64},
                           {.page = HERE, .offset = 128}};
    uint32_t place_of[] = {LG_NONE, LG_NONE, 1, 0, 0};
    const uint64_t pages[] = {HERE << 1};
    const lg_page_list list = {pages, 1, PAGE};
    lg_graph *graph = graph_of(both, 3);
    lg_page_counts counts;
    lg_error err;
    REQUIRE(lg_page_counts_make(graph, graph, &list, place_of, 2, &counts,
                                &err) == LG_OK);
    CHECK(counts.shared[0] == 1 && counts.shared[1] == 0);
    CHECK(counts.all_shared == 1 && counts.all_copied == 0);
    lg_page_counts_free(&counts);
    lg_graph_free(graph);
}

static void
test_an_object_is_on_its_first_page_and_a_buffer_on_all(void)
{
    const object both[] = {{.page = HERE, .offset = PAGE - 16},
                           {.page = HERE + 4, .offset = 100, .size = 2 * PAGE}};
    uint64_t pages[8];
    for (uint64_t i = 0; i < 8; i++)
        pages[i] = (HERE + i) << 1 | (i == 6);
    lg_page_counts counts = count(both, 2, both, 2, pages, 8);
    CHECK(counts.shared[0] == 1 && counts.copied[0] == 0);
    CHECK(counts.shared[1] == 3 && counts.copied[1] == 1);
    lg_page_counts_free(&counts);
}

static void
test_only_listed_pages_count(void)
{
    const object both[] = {{.page = HERE},
                           {.page = HERE + 1},
                           {.page = HERE + 2, .flags = LG_NODE_SYNTHETIC},
                           {.page = HERE + 3, .away = true}};
    const uint64_t pages[] = {(HERE - 1) << 1, (HERE + 1) << 1, (HERE + 2) << 1,
                              (HERE + 3) << 1};
    lg_page_counts counts = count(both, 4, both, 4, pages, 4);
    CHECK(counts.all_shared == 1 && counts.shared[1] == 1);
    lg_page_counts_free(&counts);
    counts = count(both, 4, both, 4, NULL, 0);
    CHECK(counts.all_shared == 0);
    lg_page_counts_free(&counts);
}

static void
test_small_places_go_to_those_above(void)
{
    const growing_heap heaps[] = {{.items = 2}, {.items = 2}};
    growing_series made = growing_compare(heaps, 2, NULL);
    lg_error err;
    lg_places *places;
    REQUIRE(lg_places_new(made.analysis[0], NULL, &places, &err) == LG_OK);
    uint32_t all = lg_places_count(places);
    lg_page_counts counts = {.shared = lg__calloc(all, sizeof *counts.shared),
                             .copied = lg__calloc(all, sizeof *counts.copied)};
    REQUIRE(counts.shared != NULL && counts.copied != NULL);
    uint32_t below = all - 1;
    uint32_t above = lg_places_at(places, below).parent;
    REQUIRE(above != LG_NONE);
    counts.shared[below] = 9;
    counts.copied[below] = 4;
    lg_page_counts_fold(&counts, places, 4);
    CHECK(counts.shared[below] == 9 && counts.copied[below] == 4);
    lg_page_counts_fold(&counts, places, 5);
    CHECK(counts.shared[below] == 0 && counts.copied[below] == 0);
    while (lg_places_at(places, above).parent != LG_NONE)
        above = lg_places_at(places, above).parent;
    CHECK(counts.shared[above] == 9 && counts.copied[above] == 4);
    lg_page_counts_free(&counts);
    lg_places_free(places);
    growing_forget(&made);
}

static lg_status
count_own_pages(const lg_graph *graph)
{
    lg_page_counts counts;
    const uint32_t place_of[3] = {0};
    const uint64_t pages[] = {HERE << 1};
    const lg_page_list list = {pages, 1, PAGE};
    lg_status status =
        lg_page_counts_make(graph, graph, &list, place_of, 1, &counts, NULL);
    if (status == LG_OK)
        lg_page_counts_free(&counts);
    return status;
}

static void
test_memory_that_runs_out(void)
{
    const object one[] = {{.page = HERE}};
    lg_graph *graph = graph_of(one, 1);
    CHECK(sweep(graph, count_own_pages) == 0);
    lg_graph_free(graph);
}

SUITE(page_counts)
{
    RUN(test_only_what_the_parent_has_too_is_older);
    RUN(test_a_page_is_of_the_place_that_has_the_most_there);
    RUN(test_an_object_is_on_its_first_page_and_a_buffer_on_all);
    RUN(test_only_listed_pages_count);
    RUN(test_small_places_go_to_those_above);
    RUN(test_memory_that_runs_out);
    return test_result();
}
