// The index of texts, compared with a search for each node.
#include "build/build_private.h"
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/internal/allocator.h>
#include <leakgraph/internal/draft.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { NODES = 1000 };

// Texts for about half of the nodes, in runs that begin and end anywhere, or
// for few of them.
static bool sparse;

static bool
has_text(uint32_t node)
{
    return sparse ? node % 97 == 5
                  : (node * 2654435761u >> 24 & 1) != 0 || node / 64 == 3;
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

// Few texts are searched until somebody needs the index. Many have it at once,
// in place of their nodes.
static void
index_and_search_agree(void)
{
    for (int i = 0; i < 2; i++) {
        sparse = i == 0;
        lg_graph *graph = with_texts();
        const uint64_t before = lg_own_bytes_now().all;
        const size_t index = (NODES / 64 + 1) * sizeof(lg__marked_block);
        CHECK((graph->text_node != NULL) == sparse);
        CHECK((graph->array[LG__TEXT_NODE].owned != NULL) == sparse);
        for (uint32_t node = 0; node < NODES + 100; node++)
            CHECK(is_right(graph, node));
        const lg__marked_block *texts = lg__graph_texts(graph);
        REQUIRE(texts != NULL);
        CHECK(lg__graph_texts(graph) == texts);
        for (uint32_t node = 0; node < NODES + 100; node++)
            CHECK(is_right(graph, node));
        CHECK(lg_own_bytes_now().all == before + (sparse ? index : 0));
        CHECK(lg_graph_check(graph, NULL) == LG_OK);
        lg_graph_free(graph);
    }
}

// The nodes of texts, and where strings begin, are copied as files have them.
static void
columns_are_copied(void)
{
    for (int i = 0; i < 2; i++) {
        sparse = i == 0;
        lg_graph *graph = with_texts();
        uint32_t expected[NODES], copied[NODES];
        uint32_t count = 0;
        for (uint32_t node = 0; node < NODES; node++)
            if (has_text(node))
                expected[count++] = node;
        REQUIRE(graph->text_count == count);
        for (uint32_t from = 0; from <= count; from++) {
            lg__array_copy(graph, LG__TEXT_NODE, from, count - from, copied);
            CHECK(!memcmp(copied, expected + from,
                          (count - from) * sizeof *copied));
        }
        uint64_t begin[NODES + 100];
        const uint32_t strings = graph->string_count;
        lg__array_copy(graph, LG__STRING_OFFSET, 0, strings + 1, begin);
        for (uint32_t id = 0; id < strings; id++)
            CHECK(graph->string_bytes + begin[id] ==
                      lg_graph_string(graph, id).data &&
                  begin[id + 1] - begin[id] ==
                      lg_graph_string(graph, id).length);
        CHECK(begin[strings] == graph->array[LG__STRING_BYTES].count);
        CHECK((graph->string_offset == NULL) == !sparse);
        lg_graph_free(graph);
    }
}

// A copy that borrows has the same texts, as has one of a file.
static void
copies_have_texts(void)
{
    char path[] = "/tmp/leakgraph-XXXXXX";
    int descriptor = mkstemp(path);
    REQUIRE(descriptor >= 0);
    close(descriptor);
    for (int i = 0; i < 4; i++) {
        sparse = i % 2 == 0;
        lg_save_options options = LG_SAVE_OPTIONS_INIT;
        lg_graph *graph = with_texts();
        lg_graph *copy;
        options.compress = i / 2;
        REQUIRE(lg_graph_save(graph, path, &options, NULL, NULL) == LG_OK);
        REQUIRE(lg__graph_without(graph, NULL, 0, &copy, NULL) == LG_OK);
        for (uint32_t node = 0; node < NODES; node++)
            CHECK(is_right(copy, node));
        CHECK(lg__graph_texts(copy) == lg__graph_texts(graph));
        lg_graph_free(copy);
        lg_graph_free(graph);
        for (unsigned way = 0; way < 2; way++) {
            const unsigned how = way == 0 ? 0 : LG_LOAD_MAPPED;
            REQUIRE(lg_graph_load(path, how, NULL, &copy, NULL) == LG_OK);
            CHECK((copy->text_node == NULL) ==
                  (!sparse && (way == 0 || options.compress != 0)));
            for (uint32_t node = 0; node < NODES + 100; node++)
                CHECK(is_right(copy, node));
            lg_graph_free(copy);
        }
    }
    unlink(path);
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
    RUN(columns_are_copied);
    RUN(copies_have_texts);
    RUN(bits_are_counted);
    return test_result();
}
