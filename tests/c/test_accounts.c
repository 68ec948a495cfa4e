// Accounts: the sample by hand, and random ones against a map of bytes.
#include <leakgraph/builder.h>
#include <leakgraph/internal/bytes.h>
#include <leakgraph/internal/capture_builder.h>

#include "stored.h"
#include "test.h"

enum { KIB = 1024, MIB = 1024 * 1024 };

// What bytes.h promises about every account.
static void
check_identities(const lg_account *at, uint64_t buffers)
{
    uint64_t kinds = 0;
    uint64_t evidence = 0;
    for (size_t i = 0; i < LG_TENSOR_KIND_COUNT; i++)
        kinds += at->by_kind[i];
    for (size_t i = 0; i < LG_EVIDENCE_COUNT; i++)
        evidence += at->by_evidence[i];
    CHECK(at->reserved == at->allocated + at->pending + at->inactive);
    CHECK(at->allocated == at->attributed + at->unattributed);
    CHECK(at->attributed == at->used + at->rounding + at->slack);
    CHECK(at->attributed == kinds);
    CHECK(at->unattributed == evidence);
    CHECK(at->private_inactive <= at->inactive);
    CHECK(buffers == at->used + at->outside + at->stale);
}

static void
sample(void)
{
    lg_graph *graph;
    lg_accounts accounts;
    REQUIRE(stored_new(NULL, &graph, NULL) == LG_OK);
    REQUIRE(lg_graph_accounts(graph, NULL, &accounts, NULL) == LG_OK);
    REQUIRE(accounts.count == 1);
    const lg_account *at = &accounts.items[0];
    check_identities(at, 3 * MIB + 100 + 400 * KIB);
    CHECK(at->device == 1 && at->known);
    CHECK(at->reserved == 6 * MIB);
    CHECK(at->allocated == 4 * MIB + 512 + 400 * KIB);
    CHECK(at->pending == MIB && at->private_inactive == 0);
    CHECK(at->rounding == 412 && at->slack == 0);
    CHECK(at->by_kind[LG_TENSOR_PARAMETER] == MIB);
    CHECK(at->by_kind[LG_TENSOR_GRADIENT] == MIB);
    CHECK(at->by_kind[LG_TENSOR_OPTIMIZER_STATE] == MIB);
    CHECK(at->by_kind[LG_TENSOR_ACTIVATION] == 512);
    CHECK(at->by_kind[LG_TENSOR_TEMPORARY] == 400 * KIB);
    CHECK(at->by_evidence[LG_EVIDENCE_IN_FLUX] == MIB);
    CHECK(at->evidence_blocks[LG_EVIDENCE_IN_FLUX] == 1);
    CHECK(at->residual == 512);
    CHECK(at->beyond == 85899345920 - 85000000000 - 6 * MIB);
    CHECK(at->outside == 0 && at->stale == 0);
    const int64_t *host = accounts.host;
    CHECK(host[LG_HOST_PYTHON] == 20 * 100 + 5 * 160 - 160);
    CHECK(host[LG_HOST_CPP] == 200 + 160);
    CHECK(host[LG_HOST_TENSORS] == 4 + 172 && host[LG_HOST_ARRAYS] == 8016);
    CHECK(host[LG_HOST_MAPPED] == 64 * KIB && host[LG_HOST_PINNED] == 0);
    CHECK(host[LG_HOST_RSS] == 123456789 && host[LG_HOST_SWAP] == -1);
    lg_accounts_free(&accounts);
    lg_graph_free(graph);
}

static lg_graph *
graph_with(const lg_span *spans, size_t count, uint32_t devices)
{
    lg_builder *builder;
    lg_graph *graph;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    uint32_t tensor =
        lg_builder_add_type(builder, "torch.Tensor", 12, LG_NONE, NULL, 0);
    for (uint32_t i = 0; i < devices; i++)
        lg_builder_add_device(builder, i == 0 ? "cuda:0" : "cuda:1");
    lg_builder_add_node(builder, 16);
    lg_builder_put_type(builder, 0, tensor);
    for (size_t i = 0; i < count; i++)
        lg_builder_add_span(builder, &spans[i]);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    return graph;
}

static lg_account
account_of(const lg_graph *graph, const lg_allocator_state *state)
{
    lg_accounts accounts;
    REQUIRE(lg_graph_accounts(graph, state, &accounts, NULL) == LG_OK);
    lg_account first = accounts.items[0];
    lg_accounts_free(&accounts);
    return first;
}

// The graph knows only the buffers of a device.
static void
unknown_device(void)
{
    const lg_span spans[] = {{.device = 1, .address = 64, .length = 100},
                             {.device = 1, .address = 0, .length = 11}};
    lg_graph *graph = graph_with(spans, 2, 1);
    lg_account at = account_of(graph, NULL);
    check_identities(&at, 111);
    CHECK(!at.known && at.outside == 111 && at.reserved == 0);
    CHECK(at.beyond == -1 && at.residual == 0);
    lg_graph_free(graph);
}

// An allocator that counts bytes and lists no blocks, as cudaMallocAsync's.
static void
unlisted(void)
{
    static const struct {
        const char *reserved;
        uint64_t whole;
    } cases[] = {{"5000", 5000}, {"10", 3000}, {"", 3000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg_builder *builder;
        lg_graph *graph;
        REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
        lg_builder_add_device(builder, "cuda:0");
        lg_builder_add_node(builder, 16);
        lg_builder_set_info(builder, "device.cuda:0.allocated", "3000");
        lg_builder_set_info(builder, "device.cuda:0.reserved",
                            cases[i].reserved);
        const lg_span span = {.device = 1, .address = 64, .length = 1000};
        lg_builder_add_span(builder, &span);
        REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
        lg_account at = account_of(graph, NULL);
        check_identities(&at, 1000);
        CHECK(at.known && at.residual == 0 && at.outside == 1000);
        CHECK(at.reserved == cases[i].whole && at.allocated == 3000);
        CHECK(at.by_evidence[LG_EVIDENCE_UNLISTED] == 3000);
        CHECK(at.evidence_blocks[LG_EVIDENCE_UNLISTED] == 0);
        lg_graph_free(graph);
    }
}

// A buffer across blocks, one in a free block, one that begins before its
// segment, and one that covers a part of the requested bytes.
static void
odd_places(void)
{
    const lg_segment segments[] = {
        {.address = 4096, .size = 4096, .device = 1}};
    const lg_block blocks[] = {
        {.address = 4096, .size = 512, .requested = 500},
        {.address = 4608, .size = 512, .requested = 512},
        {.address = 5120, .size = 512, .state = LG_BLOCK_INACTIVE},
        {.address = 5632, .size = 1024, .requested = 1000},
    };
    const lg_span spans[] = {
        {.device = 1, .address = 4090, .length = 16},
        {.device = 1, .address = 4600, .length = 20},
        {.device = 1, .address = 5200, .length = 30},
        {.device = 1, .address = 5632, .length = 40},
        {.device = 1, .address = 6700, .length = 50},
    };
    const lg_allocator_state state = {.segments = segments,
                                      .segment_count = 1,
                                      .blocks = blocks,
                                      .block_count = 4};
    lg_graph *graph = graph_with(spans, 5, 1);
    lg_account at = account_of(graph, &state);
    check_identities(&at, 156);
    CHECK(at.outside == 6 && at.stale == 80 && at.used == 70);
    CHECK(at.allocated == 2048 && at.attributed == 2048);
    CHECK(at.rounding == 12 + 24 && at.slack == 482 + 500 + 960);
    CHECK(at.inactive == 2048 && at.beyond == -1);
    lg_graph_free(graph);
}

static void
refused(void)
{
    const lg_segment good[] = {{.address = 4096, .size = 4096, .device = 1},
                               {.address = 8192, .size = 4096, .device = 1}};
    const lg_block fine[] = {{.address = 4096, .size = 512},
                             {.address = 4608, .size = 512}};
    lg_graph *graph = graph_with(NULL, 0, 1);
    lg_segment segments[2];
    lg_block blocks[2];
    const lg_allocator_state state = {.segments = segments,
                                      .segment_count = 2,
                                      .blocks = blocks,
                                      .block_count = 2};
    const struct {
        uint64_t segment;
        uint32_t device;
        uint64_t address;
        uint64_t size;
        uint32_t of;
        const char *says;
    } cases[] = {
        {8192, 1, 4608, 512, 0, NULL},
        {8191, 1, 4608, 512, 0, "segment 1 at 0x1fff begins inside of"},
        {8192, 2, 4608, 512, 0, "segment 1 is on device 2"},
        {8192, 0, 4608, 512, 0, "segment 1 is on device 0"},
        {UINT64_MAX - 5, 1, 4608, 512, 0, "segment 1 ends beyond"},
        {8192, 1, 4607, 512, 0, "block 1 at 0x11ff begins inside of block 0"},
        {8192, 1, 7681, 512, 0, "block 1 at 0x1e01 (512 bytes) is not inside"},
        {8192, 1, 4000, 512, 0, "block 1 at 0xfa0 (512 bytes) is not inside"},
        {8192, 1, 4608, UINT64_MAX, 0, "is not inside"},
        {8192, 1, 4608, 512, 2, "block 1 is of segment 2, and there are 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg_accounts accounts;
        lg_error err = {0};
        memcpy(segments, good, sizeof segments);
        memcpy(blocks, fine, sizeof blocks);
        segments[1].address = cases[i].segment;
        segments[1].device = cases[i].device;
        blocks[1].address = cases[i].address;
        blocks[1].size = cases[i].size;
        blocks[1].segment = cases[i].of;
        lg_status status = lg_graph_accounts(graph, &state, &accounts, &err);
        CHECK(status == (cases[i].says ? LG_EINVAL : LG_OK));
        if (cases[i].says != NULL)
            CHECK(strstr(err.message, cases[i].says) != NULL);
        else if (status == LG_OK)
            lg_accounts_free(&accounts);
    }
    lg_graph_free(graph);
}

// Blocks in an unknown state count as allocated, and the account names the
// state.
static void
strange_states(void)
{
    const lg_segment segment = {.address = 4096, .size = 4096, .device = 1};
    const lg_block blocks[] = {
        {.address = 4096, .size = 1024, .state = LG_BLOCK_STRANGE},
        {.address = 5120, .size = 512, .state = LG_BLOCK_STRANGE},
        {.address = 5632, .size = 512, .state = LG_BLOCK_INACTIVE},
    };
    const lg_span span = {.device = 1, .address = 5120, .length = 512};
    const lg_allocator_state state = {.segments = &segment,
                                      .segment_count = 1,
                                      .blocks = blocks,
                                      .block_count = 3,
                                      .strange_states = "asleep"};
    lg_graph *graph = graph_with(&span, 1, 1);
    lg_account at = account_of(graph, &state);
    check_identities(&at, 512);
    CHECK(at.allocated == 1536 && at.attributed == 512 && at.stale == 0);
    CHECK(at.by_evidence[LG_EVIDENCE_STATE] == 1024);
    CHECK(at.strange_states.length == 6);
    CHECK(at.process == -1 && at.peak_allocated == -1);
    lg_graph_free(graph);
}

enum { BYTES = 600, BLOCKS = 40, SPANS = 12 };

typedef struct layout {
    lg_segment segments[4];
    size_t segment_count;
    lg_block blocks[BLOCKS];
    size_t block_count;
    lg_span spans[SPANS];
    size_t span_count;
} layout;

static layout
random_layout(uint64_t *state)
{
    layout made = {0};
    for (uint64_t at = 1 + test_random(state) % 30;
         made.segment_count < 4 && at < 400; at += test_random(state) % 40) {
        lg_segment *segment = &made.segments[made.segment_count];
        segment->address = at;
        segment->device = 1;
        for (uint32_t i = test_random(state) % 8; i > 0; i--) {
            lg_block *block = &made.blocks[made.block_count++];
            block->address = at;
            block->size = 1 + test_random(state) % 20;
            block->requested = test_random(state) % (block->size + 3);
            block->segment = (uint32_t)made.segment_count;
            block->state = test_random(state) % 3;
            at += block->size;
        }
        at += test_random(state) % 9;
        segment->size = at - segment->address;
        made.segment_count++;
    }
    made.span_count = test_random(state) % SPANS;
    for (size_t i = 0; i < made.span_count; i++)
        made.spans[i] = (lg_span){.device = 1,
                                  .address = 1 + test_random(state) % 500,
                                  .length = test_random(state) % 60};
    return made;
}

// Finds who has each byte: 0 nobody, 1 only a segment, 2 an unused block, 3 an
// allocated block.
static void
check_layout(const layout *made, const lg_account *at)
{
    uint8_t what[BYTES] = {0};
    bool covered[BYTES] = {false};
    uint64_t used = 0, stale = 0, outside = 0, allocated = 0, attributed = 0;
    for (size_t i = 0; i < made->segment_count; i++)
        memset(what + made->segments[i].address, 1, made->segments[i].size);
    for (size_t i = 0; i < made->block_count; i++)
        memset(what + made->blocks[i].address,
               made->blocks[i].state == LG_BLOCK_ALLOCATED ? 3 : 2,
               made->blocks[i].size);
    for (size_t i = 0; i < made->span_count; i++)
        memset(covered + made->spans[i].address, true, made->spans[i].length);
    for (size_t i = 0; i < BYTES; i++) {
        used += covered[i] && what[i] == 3;
        stale += covered[i] && (what[i] == 1 || what[i] == 2);
        outside += covered[i] && what[i] == 0;
        allocated += what[i] == 3;
    }
    for (size_t i = 0; i < made->block_count; i++) {
        const lg_block *block = &made->blocks[i];
        if (block->state == LG_BLOCK_ALLOCATED &&
            memchr(covered + block->address, true, block->size) != NULL)
            attributed += block->size;
    }
    check_identities(at, used + stale + outside);
    CHECK(at->used == used && at->stale == stale && at->outside == outside);
    CHECK(at->allocated == allocated && at->attributed == attributed);
}

static void
random_layouts(void)
{
    for (uint64_t seed = 0; seed < 3000 && test_failures < 5; seed++) {
        uint64_t state = seed * 31 + 7;
        layout made = random_layout(&state);
        // Adds the buffers in reverse order.
        lg_block reversed[BLOCKS];
        for (size_t i = 0; i < made.block_count; i++)
            reversed[i] = made.blocks[made.block_count - 1 - i];
        const lg_allocator_state given = {
            .segments = made.segments,
            .segment_count = made.segment_count,
            .blocks = reversed,
            .block_count = made.block_count,
        };
        lg_graph *graph = graph_with(made.spans, made.span_count, 2);
        lg_account at = account_of(graph, &given);
        check_layout(&made, &at);
        lg_graph_free(graph);
    }
}

// A recorded state may contain devices on which the graph has nothing.
static void
other_devices(void)
{
    lg_graph *graph = graph_with(NULL, 0, 1);
    const char *const more[] = {"cuda:3", "cuda:7"};
    const lg_segment segments[] = {
        {.address = 4096, .size = 8192, .device = 3},
        {.address = 4096, .size = 512, .device = 1},
    };
    const lg_block block = {.address = 4096, .size = 1024, .requested = 1000};
    const lg_allocator_state state = {
        .segments = segments,
        .segment_count = 2,
        .blocks = &block,
        .block_count = 1,
        .more_devices = more,
        .more_device_count = 2,
    };
    lg_accounts accounts;
    REQUIRE(lg_graph_accounts(graph, &state, &accounts, NULL) == LG_OK);
    REQUIRE(accounts.count == 3);
    CHECK(accounts.items[0].reserved == 512 && !accounts.items[1].known);
    CHECK(memcmp(accounts.items[1].name.data, "cuda:3", 6) == 0);
    CHECK(memcmp(accounts.items[2].name.data, "cuda:7", 6) == 0);
    CHECK(accounts.items[2].reserved == 8192);
    CHECK(accounts.items[2].unattributed == 1024);
    check_identities(&accounts.items[2], 0);
    lg_accounts_free(&accounts);
    lg_graph_free(graph);
}

SUITE(accounts)
{
    RUN(sample);
    RUN(unknown_device);
    RUN(unlisted);
    RUN(odd_places);
    RUN(refused);
    RUN(strange_states);
    RUN(other_devices);
    RUN(random_layouts);
    return test_result();
}
