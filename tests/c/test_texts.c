// The index of texts, compared with a search for each node.
#include "graph/graph_private.h"
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/internal/allocator.h>
#include <stdio.h>

enum { NODES = 1000 };

// Texts for about half of the nodes, in runs that begin and end anywhere.
static bool
has_text(uint32_t node)
{
    return (node * 2654435761u >> 24 & 1) != 0 || node / 64 == 3;
}

static lg_graph *
with_texts(void)
{
    lg_builder *builder;
    lg_graph *graph;
    char text[16];
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    for (uint32_t node = 0; node < NODES; node++) {
        lg_builder_add_node(builder, 16 * ((uint64_t)node + 1));
        snprintf(text, sizeof text, "text %u", node);
        if (has_text(node))
            lg_builder_set_text(builder, node, text, strlen(text));
    }
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    return graph;
}

static bool
is_right(const lg_graph *graph, uint32_t node)
{
    char text[16] = "";
    if (node < NODES && has_text(node))
        snprintf(text, sizeof text, "text %u", node);
    return lg__string_is(lg_node_text(graph, node), text);
}

static void
index_and_search_agree(void)
{
    lg_graph *graph = with_texts();
    uint64_t before = lg_own_bytes_now().all;
    for (uint32_t node = 0; node < NODES + 100; node++)
        CHECK(is_right(graph, node));
    const lg__marked_block *texts = lg__graph_texts(graph);
    REQUIRE(texts != NULL);
    CHECK(lg__graph_texts(graph) == texts);
    for (uint32_t node = 0; node < NODES + 100; node++)
        CHECK(is_right(graph, node));
    CHECK(lg_own_bytes_now().all ==
          before + (NODES / 64 + 1) * sizeof(lg__marked_block));
    lg_graph_free(graph);
}

static void
bits_are_counted(void)
{
    CHECK(lg__count_bits(0) == 0);
    CHECK(lg__count_bits(UINT64_MAX) == 64);
    for (unsigned i = 0; i < 64; i++) {
        CHECK(lg__count_bits(UINT64_C(1) << i) == 1);
        CHECK(lg__count_bits((UINT64_C(1) << i) - 1) == i);
    }
}

// Modules are left out of names, but a file's name has no module.
static void
last_parts(void)
{
    static const char *const parts[][2] = {
        {"torch.nn.Linear", "Linear"},
        {"dict", "dict"},
        {"torch.Tensor (C++)", "Tensor (C++)"},
        {"64-byte block of libpython3.11", "64-byte block of libpython3.11"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        CHECK(lg__string_is(lg__last_part((lg_string){
                                parts[i][0], (uint32_t)strlen(parts[i][0])}),
                            parts[i][1]));
}

SUITE(texts)
{
    RUN(last_parts);
    RUN(index_and_search_agree);
    RUN(bits_are_counted);
    return test_result();
}
