// Segments and blocks: the builder sorts them, and refuses invalid ones.
#include "stored.h"
#include "test.h"

#include <leakgraph/builder.h>
#include <leakgraph/graph.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/segments.h>

static void
sorted(void)
{
    lg_graph *graph;
    size_t segments;
    size_t blocks;
    REQUIRE(stored_new(NULL, &graph, NULL) == LG_OK);
    const lg_segment *segment = lg_graph_segments(graph, &segments);
    const lg_block *block = lg_graph_blocks(graph, &blocks);
    REQUIRE(segments == 3 && blocks == 8);
    CHECK(segment[0].address == STORED_GPU && segment[0].pool == 0);
    CHECK(segment[2].stream == 7 && segment[2].expandable == 1);
    lg_string pool = lg_graph_string(graph, segment[2].pool);
    CHECK(pool.length == 3 && memcmp(pool.data, "1.0", 3) == 0);
    for (size_t i = 0; i < blocks; i++) {
        const lg_segment *in = &segment[block[i].segment];
        CHECK(block[i].address >= in->address);
        CHECK(block[i].address + block[i].size <= in->address + in->size);
        CHECK(i == 0 || block[i].address > block[i - 1].address);
    }
    CHECK(block[4].frames != 0 && block[6].in_flux == 1);
    lg_graph_free(graph);
}

static lg_status
finish_with(const lg_segment *segment, const lg_block *block)
{
    lg_builder *builder;
    lg_graph *graph = NULL;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    lg_builder_add_device(builder, "cuda:0");
    lg_builder_add_segment(builder, segment);
    if (block != NULL)
        lg_builder_add_block(builder, block);
    lg_status status = lg_builder_finish(builder, &graph, NULL);
    CHECK((status == LG_OK) == (graph != NULL));
    lg_graph_free(graph);
    return status;
}

static void
misuse(void)
{
    const lg_segment good = {.address = 4096, .size = 4096, .device = 1};
    lg_segment segment = good;
    CHECK(finish_with(&good, NULL) == LG_OK);
    segment.device = 0;
    CHECK(finish_with(&segment, NULL) == LG_EINVAL);
    segment.device = 2;
    CHECK(finish_with(&segment, NULL) == LG_EINVAL);
    segment = good;
    segment.size = UINT64_MAX - 4095;
    CHECK(finish_with(&segment, NULL) == LG_EINVAL);
    segment = good;
    segment.pool = 1000;
    CHECK(finish_with(&segment, NULL) == LG_EINVAL);
    const lg_block fine = {.address = 4096, .size = 512, .requested = 4};
    lg_block block = fine;
    CHECK(finish_with(&good, &fine) == LG_OK);
    block.segment = 1;
    CHECK(finish_with(&good, &block) == LG_EINVAL);
    block = fine;
    block.state = LG_BLOCK_STRANGE + 1;
    CHECK(finish_with(&good, &block) == LG_EINVAL);
    block = fine;
    block.frames = 1000;
    CHECK(finish_with(&good, &block) == LG_EINVAL);
}

SUITE(blocks)
{
    RUN(sorted);
    RUN(misuse);
    return test_result();
}
