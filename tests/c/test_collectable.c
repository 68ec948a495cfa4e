// Compares the collectable nodes with the definition: the greatest set of
// objects whose references, as far as the collector sees them, all come from
// the set.
#include "drawn.h"

#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/retained.h>
#include "story.h"
#include "test.h"

enum { NODES = 14, GRAPHS = 4000 };

static void
check_definition(const lg_graph *graph, const uint8_t *flags)
{
    const lg_columns *columns = lg_graph_columns(graph);
    bool in[NODES];
    for (uint32_t node = 0; node < columns->node_count; node++)
        in[node] = (lg_columns_flags(columns, node) &
                    (LG_NODE_TRACKED | LG_NODE_FROZEN)) == LG_NODE_TRACKED;
    for (bool changed = true; changed;) {
        changed = false;
        uint32_t seen[NODES] = {0};
        for (uint64_t edge = 0; edge < columns->edge_count; edge++)
            if (in[lg_edge_source(graph, edge)] &&
                (lg_columns_kind(columns, edge) & LG_EDGE_TRAVERSED))
                seen[lg_columns_target(columns, edge)]++;
        for (uint32_t node = 0; node < columns->node_count; node++)
            if (in[node] && lg_columns_refcount(columns, node) > seen[node])
                changed = !(in[node] = false);
    }
    for (uint32_t node = 0; node < columns->node_count; node++)
        CHECK(flags[node] == in[node]);
}

static lg_graph *
tell(uint64_t seed)
{
    uint64_t state = seed * 7919 + 1;
    story made = story_begin();
    for (uint32_t i = 0; i < NODES; i++) {
        uint32_t dice = test_random(&state) % 20;
        made.flags = dice == 0   ? LG_NODE_TRACKED | LG_NODE_FROZEN
                     : dice == 1 ? 0
                                 : LG_NODE_TRACKED;
        story_add(&made, "list", NULL, 56);
    }
    uint32_t edges = test_random(&state) % (2 * NODES);
    for (uint32_t i = 0; i < edges; i++) {
        made.edge_flags = test_random(&state) % 12 == 0 ? 0 : LG_EDGE_TRAVERSED;
        story_edge(&made, test_random(&state) % NODES,
                   test_random(&state) % NODES, LG_EDGE_INDEX, 0);
    }
    if (test_random(&state) % 2)
        story_hold(&made, test_random(&state) % NODES, 1);
    if (test_random(&state) % 2) {
        uint32_t root = test_random(&state) % NODES;
        lg_builder_add_root(made.builder, root, LG_ROOT_STATIC, "", 0);
        lg_builder_add_found(made.builder, root, 1);
        story_hold(&made, root, 1);
    }
    return story_end(&made);
}

// The kind of each cycle follows from the same definition and from
// reachability.
static void
check_kinds(const lg_graph *graph, const uint8_t *flags)
{
    const lg_columns *columns = lg_graph_columns(graph);
    lg_analysis *analysis = analysed(graph);
    lg_cycle_options options = {.size = sizeof options, .min_bytes = 0};
    lg_cycles cycles;
    lg_path path;
    REQUIRE(lg_analysis_cycles(analysis, &options, NULL, &cycles, NULL) ==
            LG_OK);
    CHECK(cycles.count == lg_analysis_component_count(analysis));
    for (size_t i = 0; i < cycles.count; i++) {
        const lg_cycle *cycle = &cycles.items[i];
        lg_component component =
            lg_analysis_component(analysis, cycle->component);
        uint32_t tracked = 0;
        uint32_t free_ones = 0;
        for (uint32_t j = 0; j < component.count; j++) {
            tracked += (lg_columns_flags(columns, component.nodes[j]) &
                        LG_NODE_TRACKED) != 0;
            free_ones += flags[component.nodes[j]];
        }
        lg_status found =
            lg_path_from_root(graph, component.nodes[0], NULL, &path, NULL);
        bool held = found == LG_OK && path.root.kind != LG_ROOT_NATIVE;
        lg_cycle_kind kind = tracked > 0 && free_ones == tracked
                                 ? LG_CYCLE_COLLECTABLE
                             : held ? LG_CYCLE_HELD
                                    : LG_CYCLE_UNCOLLECTABLE;
        CHECK(cycle->kind == kind);
        CHECK((cycle->reason != LG_REASON_NONE) ==
                  (kind == LG_CYCLE_UNCOLLECTABLE && tracked > 0) ||
              tracked == 0);
        CHECK((cycle->culprit != LG_NONE) == (cycle->reason != 0));
        if (found == LG_OK)
            lg_path_free(&path);
    }
    lg_cycles_free(&cycles);
    lg_analysis_free(analysis);
}

static void
random_graphs(void)
{
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        lg_graph *graph = tell(seed);
        uint8_t *flags = NULL;
        REQUIRE(lg_graph_collectable(graph, &flags, NULL) == LG_OK);
        check_definition(graph, flags);
        check_kinds(graph, flags);
        free(flags);
        lg_graph_free(graph);
    }
}

// A list has `references` to itself, and `more` that no edge explains. Returns
// whether the collector would free it.
static bool
is_freed(uint32_t references, uint32_t more)
{
    story made = story_begin();
    const uint32_t list = story_add(&made, "list", NULL, 56);
    for (uint32_t i = 0; i < references; i++)
        story_edge(&made, list, list, LG_EDGE_INDEX, i);
    story_hold(&made, list, more);
    lg_graph *graph = story_end(&made);
    uint8_t *flags = NULL;
    REQUIRE(lg_graph_collectable(graph, &flags, NULL) == LG_OK);
    const bool is_free = flags[list];
    free(flags);
    lg_graph_free(graph);
    return is_free;
}

// Counts that a byte has no room for, and those beside them.
static void
many_references(void)
{
    for (uint32_t references = 250; references < 260; references++) {
        CHECK(is_freed(references, 0));
        CHECK(!is_freed(references, 1));
        CHECK(!is_freed(references, 256));
    }
    CHECK(is_freed(1000, 0) && !is_freed(1000, 1));
}

// Objects that are immortal or whose count exceeds the column count as held.
static void
countless(void)
{
    story made = story_begin();
    uint32_t a = story_add(&made, "list", NULL, 56);
    made.flags = LG_NODE_TRACKED | LG_NODE_IMMORTAL;
    uint32_t b = story_add(&made, "list", NULL, 56);
    made.flags = LG_NODE_TRACKED;
    uint32_t c = story_add(&made, "list", NULL, 56);
    story_edge(&made, a, a, LG_EDGE_INDEX, 0);
    story_edge(&made, b, b, LG_EDGE_INDEX, 0);
    story_edge(&made, c, c, LG_EDGE_INDEX, 0);
    made.count[c] = UINT32_MAX;
    lg_graph *graph = story_end(&made);
    uint8_t *flags = NULL;
    REQUIRE(lg_graph_collectable(graph, &flags, NULL) == LG_OK);
    CHECK(flags[a] == 1 && flags[b] == 0 && flags[c] == 0);
    free(flags);
    lg_graph_free(graph);
}

static void
partial(void)
{
    story made = story_begin();
    uint8_t *flags = NULL;
    lg_error err;
    story_add(&made, "list", NULL, 56);
    lg_builder_set_partial(made.builder, "a test");
    lg_graph *graph = story_end(&made);
    CHECK(lg_graph_collectable(graph, &flags, &err) == LG_EPARTIAL);
    CHECK(flags == NULL);
    lg_graph_free(graph);
}

SUITE(collectable)
{
    RUN(random_graphs);
    RUN(many_references);
    RUN(countless);
    RUN(partial);
    return test_result();
}
