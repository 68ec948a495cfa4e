// The rows of a dominator tree, their order, and what they leave out.
#include "asked.h"

#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/columns.h>
#include "drawn.h"
#include "heaps.h"
#include "story.h"
#include "test.h"

// A module holds a list of ten parts of 1 to 10 KiB, and a chain of five links.
static lg_graph *
plant(uint32_t *list, uint32_t *links)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t held = story_add(&made, "list", NULL, 64);
    story_attribute(&made, app, "held", held);
    for (uint32_t i = 1; i <= 10; i++) {
        char name[16];
        snprintf(name, sizeof name, "part%u", i);
        story_attribute(&made, held, name,
                        story_add(&made, "app.Part", NULL, 1024 * i));
    }
    uint32_t above = app;
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t link = story_add(&made, "app.Link", NULL, 4096);
        story_attribute(&made, above, "next", link);
        links[i] = above = link;
    }
    *list = held;
    return story_end(&made);
}

static lg_dominator_tree
ask(const lg_analysis *analysis, lg_dominator_options options)
{
    options.size = sizeof options;
    lg_dominator_tree tree = {0};
    REQUIRE(lg_analysis_dominator_tree(analysis, &options, NULL, &tree, NULL) ==
            LG_OK);
    return tree;
}

// The parent of each row is its dominator. A row comes after its bigger
// siblings and everything below them.
static void
check_tree(const lg_analysis *analysis, const lg_dominator_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        const lg_dominator_row *row = &tree->rows[i];
        uint64_t sum = 0;
        for (uint32_t device = 0; device <= tree->devices; device++)
            sum += row->retained[device];
        CHECK(sum == row->total);
        if (row->parent == LG_NONE) {
            CHECK(row->depth == 0);
            continue;
        }
        const lg_dominator_row *above = &tree->rows[row->parent];
        CHECK(row->parent < i && row->depth == above->depth + 1);
        CHECK(lg_node_owner(analysis, row->node) == above->node);
        for (size_t j = row->parent + 1; j < i; j++)
            CHECK(tree->rows[j].depth > above->depth);
        for (size_t j = i + 1; j < tree->count; j++)
            if (tree->rows[j].parent == row->parent)
                CHECK(tree->rows[j].total <= row->total);
    }
}

static void
rows(void)
{
    uint32_t list, links[5];
    lg_graph *graph = plant(&list, links);
    lg_analysis *analysis = analysed(graph);
    lg_dominator_tree tree =
        ask(analysis, (lg_dominator_options){.node = NULL});
    CHECK(tree.count == 18 && tree.left_out == 0);
    CHECK(tree.rows[0].top == LG_TOP_REACHABLE && tree.rows[0].node == LG_NONE);
    CHECK(tree.rows[0].total == tree.total);
    check_tree(analysis, &tree);
    CHECK(tree.rows[2].node == list && tree.rows[2].owned == 10);
    CHECK(tree.rows[2].left_out == 0 && tree.rows[2].left_out_bytes == 0);
    CHECK(tree.rows[2].hop.edge_count == 1);
    CHECK(tree.rows[3].total == 10240 && tree.rows[12].total == 1024);
    lg_dominator_tree_free(&tree);
    tree = ask(analysis, (lg_dominator_options){.node = &list});
    CHECK(tree.count == 11 && tree.rows[0].node == list);
    CHECK(tree.total == 64 + 55 * 1024 && tree.rows[0].depth == 0);
    check_tree(analysis, &tree);
    lg_dominator_tree_free(&tree);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// A library holds a figure, which is the program's: it leads there, and what
// else it holds has no row. The class of garbage decides.
static void
scopes(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t json = story_module(&made, "json");
    uint32_t kept = story_add(&made, "list", NULL, 4096);
    uint32_t cache = story_add(&made, "dict", NULL, 64);
    uint32_t figure = story_add(&made, "matplotlib.figure.Figure", NULL, 1024);
    uint32_t other = story_add(&made, "list", NULL, 2048);
    uint32_t ring = story_add(&made, "app.Ring", NULL, 512);
    uint32_t held = story_add(&made, "bytes", NULL, 256);
    story_attribute(&made, app, "kept", kept);
    story_attribute(&made, json, "cache", cache);
    story_attribute(&made, json, "other", other);
    story_attribute(&made, cache, "figure", figure);
    story_attribute(&made, ring, "ring", ring);
    story_attribute(&made, ring, "held", held);
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    const struct {
        const char *module;
        double share;
        size_t count;
        uint32_t nodes[8];
    } cases[] = {
        {NULL, 0, 8, {LG_NONE, app, kept, json, cache, figure, LG_NONE, ring}},
        {"app", 0, 5, {LG_NONE, app, kept, LG_NONE, ring}},
        {NULL, 0.2, 4, {LG_NONE, app, kept, LG_NONE}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg_scope *scope = scope_of(graph, true, cases[i].module);
        lg_dominator_tree tree =
            ask(analysis, (lg_dominator_options){.scope = scope,
                                                 .min_share = cases[i].share});
        check_tree(analysis, &tree);
        CHECK(tree.count == cases[i].count);
        for (size_t row = 0; row < tree.count && row < 8; row++)
            CHECK(tree.rows[row].node == cases[i].nodes[row]);
        lg_dominator_tree_free(&tree);
        lg_scope_free(scope);
    }
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

static void
limits(void)
{
    uint32_t list, links[5];
    lg_graph *graph = plant(&list, links);
    lg_analysis *analysis = analysed(graph);
    lg_dominator_tree tree =
        ask(analysis, (lg_dominator_options){.node = &list, .limit = 4});
    CHECK(tree.count == 4 && tree.left_out == 7);
    CHECK(tree.rows[3].total == 8192 && tree.rows[0].left_out == 7);
    CHECK(tree.rows[0].left_out_bytes == 28 * 1024);
    lg_dominator_tree_free(&tree);
    tree = ask(analysis, (lg_dominator_options){.node = &list, .alike = 2});
    CHECK(tree.count == 3 && tree.rows[0].left_out == 8);
    lg_dominator_tree_free(&tree);
    tree = ask(analysis,
               (lg_dominator_options){.node = &list, .min_share = 0.125});
    CHECK(tree.count == 5 && tree.left_out == 0 && tree.rows[4].total == 7168);
    lg_dominator_tree_free(&tree);
    tree = ask(analysis, (lg_dominator_options){.node = &links[0], .links = 2});
    CHECK(tree.count == 3 && tree.rows[2].node == links[2]);
    CHECK(tree.rows[2].left_out == 1 && tree.rows[2].left_out_bytes == 8192);
    lg_dominator_tree_free(&tree);
    tree = ask(analysis, (lg_dominator_options){.node = &links[0], .depth = 3});
    CHECK(tree.count == 4 && tree.rows[3].node == links[3]);
    lg_dominator_tree_free(&tree);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Of elements of 10 to 1 KiB, those of 9, 8, 6 and 4 KiB are like others, and
// have a row behind the first; with a least share, the small ones are in it.
static void
equal_together(const lg_analysis *analysis, lg_node list)
{
    static const uint64_t kept[] = {10, 27, 7, 5, 3, 2, 1};
    lg_dominator_options options = {
        .node = &list, .equals = true, .together = true};
    lg_dominator_tree tree = ask(analysis, options);
    REQUIRE(tree.count == 7 + 1);
    for (size_t i = 0; i < 7; i++) {
        CHECK(tree.rows[i + 1].total == 1024 * kept[i]);
        CHECK(tree.rows[i + 1].count == (i == 1 ? 4 : 1));
    }
    CHECK(lg_node_retained_on(analysis, tree.rows[2].node, 0) == 9 * 1024);
    CHECK(tree.rows[0].left_out == 0 && tree.rows[0].left_out_bytes == 0);
    CHECK(tree.rows[0].equal == 4 && tree.rows[2].retained[0] == 27 * 1024);
    lg_dominator_tree_free(&tree);
    options.min_share = 0.15;
    tree = ask(analysis, options);
    REQUIRE(tree.count == 3);
    CHECK(tree.rows[1].count == 9 && tree.rows[1].total == 45 * 1024);
    CHECK(tree.rows[0].left_out == 0 && tree.rows[2].total == 10 * 1024);
    lg_dominator_tree_free(&tree);
}

// Ten elements have 10 to 1 KiB: 10 KiB stand for 9 and 8, 7 for 6, and so on.
// Attributes have names, so each has its row.
static void
equal_branches(void)
{
    static const uint64_t kept[] = {10, 7, 5, 3, 2, 1};
    uint32_t app, list, links[5];
    story made = heap_begin(&app);
    list = heap_list(&made, LG_NONE);
    story_attribute(&made, app, "parts", list);
    for (uint32_t i = 1; i <= 10; i++)
        heap_append(&made, list, story_add(&made, "app.Part", NULL, 1024 * i));
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    const lg_dominator_options options = {.node = &list, .equals = true};
    lg_dominator_tree tree = ask(analysis, options);
    CHECK(tree.rows[0].equal == 4 && tree.rows[0].left_out == 4);
    REQUIRE(tree.count == 7);
    for (size_t i = 0; i < 6; i++)
        CHECK(tree.rows[i + 1].total == 1024 * kept[i]);
    lg_dominator_tree_free(&tree);
    equal_together(analysis, list);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    graph = plant(&list, links);
    analysis = analysed(graph);
    tree = ask(analysis, options);
    CHECK(tree.count == 11 && tree.rows[0].equal == 0);
    lg_dominator_tree_free(&tree);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Of two like elements, the second one stands for itself: its parts have rows.
static void
two_alike(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t list = heap_list(&made, LG_NONE);
    uint32_t parts[2];
    story_attribute(&made, app, "parts", list);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t part = story_add(&made, "app.Part", NULL, 2048);
        parts[i] = story_add(&made, "bytearray", NULL, 20480 - 1024 * i);
        story_attribute(&made, part, "data", parts[i]);
        heap_append(&made, list, part);
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_dominator_options options = {
        .node = &list, .equals = true, .together = true};
    lg_dominator_tree tree = ask(analysis, options);
    check_tree(analysis, &tree);
    REQUIRE(tree.count == 5);
    CHECK(tree.rows[2].node == parts[0] && tree.rows[4].node == parts[1]);
    CHECK(tree.rows[3].count == 1 && tree.rows[3].total == 21504);
    CHECK(tree.rows[0].left_out == 0 && tree.rows[0].left_out_bytes == 0);
    lg_dominator_tree_free(&tree);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// One member stands for a cycle of garbage. A row says whether that member has
// the reference to it.
static void
another_member_has_it(void)
{
    uint32_t pair[2], data[2];
    story made = story_begin();
    story_module(&made, "app");
    for (int i = 0; i < 2; i++) {
        pair[i] = story_add(&made, i ? "app.Right" : "app.Left", NULL, 48);
        data[i] = story_add(&made, "bytearray", NULL, i ? 1024 : 4096);
        story_attribute(&made, pair[i], "data", data[i]);
    }
    for (int i = 0; i < 2; i++)
        story_attribute(&made, pair[i], "other", pair[1 - i]);
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_dominator_tree tree = ask(analysis, (lg_dominator_options){0});
    const lg_dominator_row *found[2] = {NULL, NULL};
    for (size_t i = 0; i < tree.count; i++)
        for (int j = 0; j < 2; j++)
            if (tree.rows[i].node == data[j])
                found[j] = &tree.rows[i];
    REQUIRE(found[0] != NULL && found[1] != NULL);
    CHECK(tree.rows[found[1]->parent].node == pair[0]);
    CHECK(found[0]->hop.source == pair[0] && !found[0]->by_member);
    CHECK(found[1]->hop.source == pair[1] && found[1]->by_member);
    lg_dominator_tree_free(&tree);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Of the list's 55 KiB, the part of 10 KiB has a row, and the nine of 1 to 9
// KiB have one together, which comes first.
static void
small_together(void)
{
    uint32_t list, links[5];
    lg_graph *graph = plant(&list, links);
    lg_analysis *analysis = analysed(graph);
    lg_dominator_options options = {
        .node = &list, .min_share = 0.17, .together = true};
    lg_dominator_tree tree = ask(analysis, options);
    check_tree(analysis, &tree);
    REQUIRE(tree.count == 3 && tree.left_out == 0);
    CHECK(tree.rows[0].left_out == 0 && tree.rows[0].left_out_bytes == 0);
    CHECK(tree.rows[0].count == 1 && tree.rows[2].count == 1);
    CHECK(tree.rows[1].count == 9 && tree.rows[1].total == 45 * 1024);
    CHECK(lg_node_retained_on(analysis, tree.rows[1].node, 0) == 9 * 1024);
    CHECK(tree.rows[1].hop.source == list && tree.rows[1].owned == 0);
    CHECK(tree.rows[1].component == LG_NONE && tree.rows[2].total == 10240);
    lg_dominator_tree_free(&tree);
    options.min_share = 1;
    tree = ask(analysis, options);
    CHECK(tree.count == 1 && tree.rows[0].left_out == 10);
    lg_dominator_tree_free(&tree);
    options.min_share = 0;
    tree = ask(analysis, options);
    CHECK(tree.count == 11);
    lg_dominator_tree_free(&tree);
    options.min_share = 0.17;
    options.depth = 1;
    options.limit = 2;
    tree = ask(analysis, options);
    CHECK(tree.count == 2 && tree.left_out == 1 && tree.rows[1].count == 9);
    lg_dominator_tree_free(&tree);
    options.limit = 1;
    tree = ask(analysis, options);
    CHECK(tree.count == 1 && tree.left_out == 10);
    lg_dominator_tree_free(&tree);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Garbage belongs to the modules of its classes: here one has parts on a GPU,
// and another one on the host. The sum of the tiny ones is too small.
static void
small_of_a_scope(void)
{
    story made = story_begin();
    uint32_t gpu = lg_builder_add_device(made.builder, "cuda:0");
    story_module(&made, "app");
    story_module(&made, "json");
    uint32_t held = story_add(&made, "list", NULL, 64);
    heap_append(&made, held, held);
    for (uint32_t i = 0; i < 10; i++) {
        uint32_t part = story_add(&made, "app.Part", NULL, 1024);
        lg_builder_set_device(made.builder, part, gpu);
        heap_append(&made, held, part);
        heap_append(&made, held, story_add(&made, "json.Part", NULL, 1024));
        heap_append(&made, held, story_add(&made, "app.Tiny", NULL, 8));
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_scope *scope = scope_of(graph, false, "app");
    lg_dominator_options options = {
        .node = &held, .min_share = 0.1, .together = true};
    lg_dominator_tree tree = ask(analysis, options);
    check_tree(analysis, &tree);
    CHECK(tree.count == 3);
    lg_dominator_tree_free(&tree);
    options.scope = scope;
    tree = ask(analysis, options);
    check_tree(analysis, &tree);
    REQUIRE(tree.count == 2 && tree.rows[1].count == 10);
    CHECK(tree.rows[1].retained[0] == 0 && tree.rows[1].retained[1] == 10240);
    CHECK(tree.rows[0].left_out == 20);
    lg_dominator_tree_free(&tree);
    lg_scope_free(scope);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

static void
owned(void)
{
    uint32_t list, links[5];
    lg_graph *graph = plant(&list, links);
    lg_analysis *analysis = analysed(graph);
    lg_nodes nodes = {0};
    REQUIRE(lg_node_owned(analysis, list, &nodes, NULL) == LG_OK);
    CHECK(nodes.count == 10);
    for (size_t i = 0; i < nodes.count; i++) {
        CHECK(lg_node_size(graph, nodes.items[i]) == 1024 * (10 - i));
        CHECK(lg_node_owner(analysis, nodes.items[i]) == list);
    }
    lg_nodes_free(&nodes);
    CHECK(lg_node_owned(analysis, LG_NONE, &nodes, NULL) == LG_EINVAL);
    REQUIRE(lg_roots_owned(analysis, &nodes, NULL) == LG_OK);
    for (size_t i = 0; i < nodes.count; i++)
        CHECK(lg_node_owner(analysis, nodes.items[i]) == LG_NONE);
    CHECK(nodes.count == lg_node_dominated(analysis, LG_NONE, NULL, 0));
    lg_nodes_free(&nodes);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// A holder owns what it dominates at once, and what that dominates; not itself.
static void
kept_if_owned(void)
{
    uint32_t list, links[5];
    lg_graph *graph = plant(&list, links);
    lg_analysis *analysis = analysed(graph);
    lg_nodes nodes = {0};
    REQUIRE(lg_nodes_reserve(&nodes, 4));
    const uint32_t some[] = {links[4], list, links[0], links[2]};
    memcpy(nodes.items, some, sizeof some);
    nodes.count = 4;
    REQUIRE(lg_nodes_keep_owned(analysis, &links[1], 1, &nodes, NULL) == LG_OK);
    CHECK(nodes.count == 2);
    CHECK(nodes.items[0] == links[4] && nodes.items[1] == links[2]);
    const uint32_t none = 9999;
    CHECK(lg_nodes_keep_owned(analysis, &none, 1, &nodes, NULL) == LG_EINVAL);
    CHECK(nodes.count == 2);
    REQUIRE(lg_nodes_keep_owned(analysis, &list, 1, &nodes, NULL) == LG_OK);
    CHECK(nodes.count == 0);
    lg_nodes_free(&nodes);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// What takes no bytes itself counts among what is left out.
static void
owned_without_bytes(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t list = story_add(&made, "list", NULL, 64);
    story_attribute(&made, app, "held", list);
    for (uint32_t i = 0; i < 3; i++)
        story_edge(&made, list, story_add(&made, "app.Mark", NULL, 16 * i),
                   LG_EDGE_INDEX, i);
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_dominator_tree tree =
        ask(analysis, (lg_dominator_options){.node = &list});
    CHECK(tree.count == 3 && tree.rows[0].owned == 3);
    CHECK(tree.rows[0].left_out == 1 && tree.rows[0].left_out_bytes == 0);
    lg_dominator_tree_free(&tree);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Pages of what is owned put together are all of it.
static void
owned_pages(void)
{
    uint32_t list, links[5];
    size_t total = 0;
    lg_nodes all, page;
    lg_graph *graph = plant(&list, links);
    lg_analysis *analysis = analysed(graph);
    REQUIRE(lg_node_owned(analysis, list, &all, NULL) == LG_OK);
    REQUIRE(all.count == 10);
    for (size_t first = 0; first <= all.count; first += 2) {
        size_t left = all.count - first;
        REQUIRE(lg_node_owned_range(analysis, list, first, 2, &page, &total,
                                    NULL) == LG_OK);
        CHECK(total == all.count && page.count == (left < 2 ? left : 2));
        for (size_t i = 0; i < page.count; i++)
            CHECK(page.items[i] == all.items[first + i]);
        lg_nodes_free(&page);
    }
    lg_node three[] = {all.items[3], all.items[1], all.items[2]};
    REQUIRE(lg_nodes_ranked(analysis, three, 3, 1, 9, &page, NULL) == LG_OK);
    CHECK(page.count == 2 && page.items[0] == all.items[2] &&
          page.items[1] == all.items[3]);
    lg_nodes_free(&page);
    three[0] = 9999;
    CHECK(lg_nodes_ranked(analysis, three, 3, 1, 9, &page, NULL) == LG_EINVAL);
    CHECK(lg_node_owned_range(analysis, 9999, 0, 2, &page, &total, NULL) ==
          LG_EINVAL);
    lg_nodes_free(&all);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

static void
refusals(void)
{
    uint32_t list, links[5];
    lg_graph *graph = plant(&list, links);
    lg_analysis *analysis = analysed(graph);
    lg_dominator_tree tree = {0};
    lg_dominator_options wrong[] = {
        {.size = sizeof *wrong, .node = &(lg_node){9999}},
        {.size = sizeof *wrong, .node = &(lg_node){LG_NONE}},
        {.size = sizeof *wrong, .node = &list, .min_share = 1.5}};
    for (size_t i = 0; i < 3; i++)
        CHECK(lg_analysis_dominator_tree(analysis, &wrong[i], NULL, &tree,
                                         NULL) == LG_EINVAL);
    CHECK(tree.rows == NULL);
    lg_dominator_tree_free(&tree);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

SUITE(dominator_tree)
{
    RUN(rows);
    RUN(scopes);
    RUN(limits);
    RUN(equal_branches);
    RUN(two_alike);
    RUN(another_member_has_it);
    RUN(small_together);
    RUN(small_of_a_scope);
    RUN(owned);
    RUN(kept_if_owned);
    RUN(owned_without_bytes);
    RUN(owned_pages);
    RUN(refusals);
    return test_result();
}
