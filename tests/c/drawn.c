#include "drawn.h"
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/internal/capture_builder.h>

static uint32_t
letter(char name)
{
    return (uint32_t)(name - 'a');
}

static uint32_t
count_nodes(const char *roots, const char *edges)
{
    uint32_t count = 0;
    for (const char *at = roots; *at; at++)
        if (letter(*at) >= count)
            count = letter(*at) + 1;
    for (const char *at = edges; *at; at++)
        if (*at != ' ' && letter(*at) >= count)
            count = letter(*at) + 1;
    return count;
}

static lg_graph *
finish(lg_builder *builder)
{
    lg_graph *graph = NULL;
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    return graph;
}

lg_graph *
draw(const char *roots, const char *edges, const char *big)
{
    lg_builder *builder;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    uint32_t count = count_nodes(roots, edges);
    for (uint32_t node = 0; node < count; node++) {
        lg_builder_add_node(builder, 16 * ((uint64_t)node + 1));
        bool is_big = big != NULL && strchr(big, 'a' + (int)node) != NULL;
        lg_builder_set_size(builder, node, is_big ? DRAWN_BIG : DRAWN_SIZE);
    }
    for (const char *at = edges; *at; at++)
        if (*at != ' ') {
            lg_builder_add_late_edge(builder, letter(at[0]), letter(at[1]),
                                     LG_EDGE_INDEX, 0);
            at++;
        }
    for (const char *at = roots; *at; at++)
        lg_builder_add_root(builder, letter(*at), LG_ROOT_THREAD, "", 0);
    return finish(builder);
}

lg_analysis *
analysed(const lg_graph *graph)
{
    lg_analysis *analysis = NULL;
    lg_error err;
    lg_status status = lg_analysis_new(graph, NULL, &analysis, &err);
    if (status != LG_OK)
        fprintf(stderr, "%s\n", err.message);
    REQUIRE(status == LG_OK);
    return analysis;
}

lg_graph *
draw_random(uint64_t seed, uint32_t nodes)
{
    lg_builder *builder;
    uint64_t state = seed;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t node = 0; node < nodes; node++) {
        lg_builder_add_node(builder, 16 * ((uint64_t)node + 1));
        lg_builder_set_size(builder, node, test_random(&state) % 1000);
    }
    for (uint32_t node = 0; node < nodes; node++) {
        lg_builder_open(builder, node);
        for (uint32_t i = test_random(&state) % 4; i > 0; i--) {
            uint32_t near = node + test_random(&state) % 9;
            uint32_t far = test_random(&state) % nodes;
            uint32_t target = test_random(&state) % 8 ? near : far;
            if (target > node + 2 || test_random(&state) % 3 == 0)
                lg_builder_add_edge(builder, target % nodes, LG_EDGE_INDEX, i);
            else
                lg_builder_add_edge(builder, (node + nodes - 3) % nodes,
                                    LG_EDGE_INDEX, i);
        }
    }
    for (uint32_t i = 0; i < 3; i++)
        lg_builder_add_root(builder, test_random(&state) % nodes,
                            LG_ROOT_THREAD, "", 0);
    return finish(builder);
}

lg_graph *
draw_cycle(uint32_t nodes)
{
    lg_builder *builder;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t node = 0; node < nodes; node++) {
        lg_builder_add_node(builder, 16 * ((uint64_t)node + 1));
        lg_builder_set_size(builder, node, 1);
    }
    for (uint32_t node = 0; node < nodes; node++) {
        lg_builder_open(builder, node);
        lg_builder_add_edge(builder, (node + 1) % nodes, LG_EDGE_INDEX, 0);
    }
    lg_builder_add_root(builder, 0, LG_ROOT_THREAD, "", 0);
    return finish(builder);
}

lg_graph *
drawn_with_devices(void)
{
    lg_builder *builder;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    CHECK(lg_builder_add_device(builder, "cuda:0") == 1);
    CHECK(lg_builder_add_device(builder, "cuda:1") == 2);
    for (uint32_t node = 0; node < 6; node++) {
        lg_builder_add_node(builder, 16 * ((uint64_t)node + 1));
        lg_builder_set_size(builder, node, 1u << node);
    }
    lg_builder_add_late_edge(builder, 0, 1, LG_EDGE_INDEX, 0);
    lg_builder_add_late_edge(builder, 1, 2, LG_EDGE_INDEX, 0);
    lg_builder_add_late_edge(builder, 2, 1, LG_EDGE_INDEX, 0);
    lg_builder_add_late_edge(builder, 2, 3, LG_EDGE_INDEX, 1);
    lg_builder_add_late_edge(builder, 2, 5, LG_EDGE_INDEX, 2);
    lg_builder_add_late_edge(builder, 4, 4, LG_EDGE_INDEX, 0);
    lg_builder_add_root(builder, 0, LG_ROOT_THREAD, "", 0);
    lg_builder_set_size(builder, 3, (uint64_t)8 << 30);
    lg_builder_set_device(builder, 5, 1);
    lg_builder_set_device(builder, 3, 1);
    lg_builder_set_device(builder, 3, 2);
    lg_builder_set_device(builder, 4, 2);
    lg_builder_set_device(builder, 1, 2);
    lg_builder_set_device(builder, 1, 0);
    return finish(builder);
}

lg_status
why_report(const lg_analysis *analysis, const uint32_t *nodes, size_t count,
           const char *note, lg_format format, lg_text *out)
{
    lg_why why;
    uint32_t node = lg_nodes_biggest(analysis, nodes, count);
    lg_status status = lg_node_why(analysis, node, NULL, &why, NULL);
    if (status != LG_OK)
        return status;
    const lg_merged_options options = {.size = sizeof options,
                                       .limit = LG_WHY_PATHS};
    lg_merged_paths merged = {0};
    lg_table *paths = NULL;
    status = lg_analysis_merged_paths(analysis, count > 1 ? nodes : &why.node,
                                      count, &options, NULL, &merged, NULL);
    if (status == LG_OK)
        status = lg_tabulate_paths(lg_analysis_graph(analysis), &merged, &paths,
                                   NULL);
    if (status == LG_OK)
        status = lg_report_why(&why, paths, note, format, out, NULL);
    lg_table_free(paths);
    lg_merged_paths_free(&merged);
    lg_why_clear(&why);
    return status;
}
