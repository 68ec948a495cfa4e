// The stacks that allocated blocks without an owner.
#include <leakgraph/builder.h>
#include <leakgraph/internal/bytes.h>

#include "test.h"

// Blocks of one stack are one row; another evidence or device makes another
// row. Owned blocks and those of unknown stacks are left out.
static void
once_each(void)
{
    const lg_segment segments[] = {
        {.address = 4096, .size = 8192, .device = 1},
        {.address = 65536, .size = 8192, .device = 2}};
    const lg_block blocks[] = {
        {.address = 4096, .size = 512},
        {.address = 4608, .size = 512, .in_flux = 1},
        {.address = 5120, .size = 1024},
        {.address = 6144, .size = 2048},
        {.address = 65536, .size = 3072, .segment = 1},
        {.address = 68608,
         .size = 512,
         .segment = 1,
         .state = LG_BLOCK_INACTIVE},
    };
    const char *const frames[] = {"a", "a", "a", "", "a", "a"};
    const char *const more[] = {"cuda:1"};
    const lg_allocator_state state = {.segments = segments,
                                      .segment_count = 2,
                                      .blocks = blocks,
                                      .block_count = 6,
                                      .block_frames = frames,
                                      .more_devices = more,
                                      .more_device_count = 1};
    const lg_block_stack expected[] = {
        {{"a", 1}, 3072, 1, 2, LG_EVIDENCE_FRAMES},
        {{"a", 1}, 1536, 2, 1, LG_EVIDENCE_FRAMES},
        {{"a", 1}, 512, 1, 1, LG_EVIDENCE_IN_FLUX}};
    lg_builder *builder;
    lg_graph *graph;
    lg_accounts all;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    lg_builder_add_device(builder, "cuda:0");
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    REQUIRE(lg_graph_accounts(graph, &state, &all, NULL) == LG_OK);
    REQUIRE(all.stack_count == 3);
    for (size_t i = 0; i < 3; i++) {
        const lg_block_stack *at = &all.stacks[i];
        CHECK(at->bytes == expected[i].bytes);
        CHECK(at->blocks == expected[i].blocks);
        CHECK(at->device == expected[i].device);
        CHECK(at->evidence == expected[i].evidence);
        CHECK(at->frames.length == 1 && at->frames.data[0] == 'a');
    }
    lg_accounts_free(&all);
    lg_graph_free(graph);
}

SUITE(stacks)
{
    RUN(once_each);
    return test_result();
}
