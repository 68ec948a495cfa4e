// The report on memory.
#include <leakgraph/builder.h>
#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/report.h>

#include "asked.h"
#include "stored.h"
#include "test.h"

static const char sample_text[] =
    "host\n"
    "  resident                        118 MiB   memory that the process has "
    "(RSS)\n"
    "  Python objects                 2.58 KiB\n"
    "  arrays and bytes               7.83 KiB   data of arrays, bytearrays, "
    "memoryviews\n"
    "  tensors                           176 B\n"
    "  C++ objects                       360 B   autograd graphs, tensors "
    "without a Python object\n"
    "  allocators' rounding              228 B   a Python object takes a "
    "multiple of 16 bytes\n"
    "  anything else                   118 MiB   what no line above explains\n"
    "\n"
    "  other counters\n"
    "  mapped                         64.0 KiB   arrays in files and in shared "
    "memory\n"
    "\n"
    "cuda:0\n"
    "  reserved                       6.00 MiB   PyTorch's allocator has it "
    "from "
    "the driver\n"
    "    allocated                    4.39 MiB\n"
    "      attributed                 3.39 MiB   blocks of objects of the "
    "snapshot\n"
    "        parameter                1.00 MiB\n"
    "        gradient                 1.00 MiB\n"
    "        optimizer state          1.00 MiB\n"
    "        activation                  512 B\n"
    "        temporary                 400 KiB\n"
    "        of that, unused             412 B   rounded up by 412 B\n"
    "      unattributed               1.00 MiB   blocks of no known object\n"
    "        in flux                  1.00 MiB   1 block: allocated or freed "
    "while the snapshot was taken\n"
    "    pending                      1.00 MiB   freed, but a stream may still "
    "use it\n"
    "    inactive                      624 KiB   free, kept for reuse\n"
    "  beyond                          852 MiB   contexts, other libraries, "
    "other "
    "processes; this process's share is unknown\n"
    "\n"
    "  the allocator's own count of allocated bytes is 512 bytes more than its "
    "blocks\n";

// Four lines are there even if they are empty, so that nobody wonders.
static void
usual_lines(void)
{
    static const char *const lines[] = {
        "\n  Python objects                    100 B\n",
        "\n  arrays and bytes                    0 B ",
        "\n  tensors                             0 B\n",
        "\n  C++ objects                         0 B "};
    lg_builder *builder;
    lg_graph *graph;
    lg_text text = {0};
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    lg_builder_add_node(builder, 64);
    lg_builder_set_size(builder, 0, 100);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    REQUIRE(lg_report_memory(graph, NULL, LG_FORMAT_TEXT, &text, NULL) ==
            LG_OK);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (strstr(text.data, lines[i]) == NULL)
            CHECK_TEXT(text, lines[i]);
    CHECK(strstr(text.data, "files") == NULL);
    lg_text_free(&text);
    lg_graph_free(graph);
}

// A process whose C code has a tenth and more is told how to look into that,
// unless the snapshot did.
static void
native_memory_is_advised(void)
{
    static const struct {
        const char *malloc;
        unsigned flags;
        bool advised;
    } cases[] = {
        {"1096", 0, true},
        {"1095", 0, false},
        {"1096", LG_NODE_NATIVE | LG_NODE_SYNTHETIC, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg_builder *builder;
        lg_graph *graph;
        lg_text text = {0};
        REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
        lg_builder_add_node(builder, 64);
        lg_builder_set_size(builder, 0, 96);
        builder->node_flags[0] = (uint16_t)cases[i].flags;
        lg_builder_set_info(builder, "memory.rss", "9999");
        lg_builder_set_info(builder, "memory.malloc", cases[i].malloc);
        REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
        REQUIRE(lg_report_memory(graph, NULL, LG_FORMAT_TEXT, &text, NULL) ==
                LG_OK);
        CHECK((strstr(text.data, "a snapshot with native=True (--native) says "
                                 "who holds the other allocations\n") !=
               NULL) == cases[i].advised);
        lg_text_free(&text);
        lg_graph_free(graph);
    }
}

// A snapshot that was asked for native memory, and has none, says why.
static void
native_memory_that_is_not_inspected_is_told(void)
{
    lg_builder *builder;
    lg_graph *graph;
    lg_text text = {0};
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    lg_builder_add_node(builder, 64);
    lg_builder_set_info(builder, "memory.rss", "9999");
    lg_builder_set_info(builder, "memory.malloc", "5000");
    lg_builder_set_info(builder, "native", "not inspected: no luck");
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    REQUIRE(lg_report_memory(graph, NULL, LG_FORMAT_TEXT, &text, NULL) ==
            LG_OK);
    CHECK(strstr(text.data,
                 "\nwho holds the other allocations is not known: no "
                 "luck\n") != NULL);
    CHECK(strstr(text.data, "native=True") == NULL);
    lg_text_free(&text);
    lg_graph_free(graph);
}

static void
sample(void)
{
    lg_graph *graph;
    lg_text text = {0};
    REQUIRE(stored_new(NULL, &graph, NULL) == LG_OK);
    REQUIRE(lg_report_memory(graph, NULL, LG_FORMAT_TEXT, &text, NULL) ==
            LG_OK);
    CHECK_TEXT(text, sample_text);
    lg_text_free(&text);
    lg_graph_free(graph);
}

static void
says(const lg_graph *graph, const lg_allocator_state *state, lg_format format,
     const char *what)
{
    lg_text text = {0};
    REQUIRE(lg_report_memory(graph, state, format, &text, NULL) == LG_OK);
    if (strstr(text.data, what) == NULL) {
        test_failures++;
        fprintf(stderr, "in %s: no '%s' in\n%s", test_name, what, text.data);
    }
    lg_text_free(&text);
}

static void
recorded_state(void)
{
    enum { MIB = 1 << 20 };
    const lg_segment segments[] = {
        {.address = STORED_GPU, .size = 40 * MIB, .device = 1},
        {.address = STORED_GPU + 40 * MIB, .size = 2 * MIB, .device = 1}};
    const lg_block blocks[] = {
        {.address = STORED_GPU, .size = MIB},
        {.address = STORED_GPU + 4 * MIB, .size = 8519680},
        {.address = STORED_GPU + 20 * MIB, .size = 1024},
        {.address = STORED_GPU + 21 * MIB, .size = 2048},
        {.address = STORED_GPU + 22 * MIB, .size = 512},
        {.address = STORED_GPU + 23 * MIB,
         .size = 2048,
         .state = LG_BLOCK_STRANGE},
        {.address = STORED_GPU + 40 * MIB,
         .size = MIB,
         .segment = 1,
         .state = LG_BLOCK_INACTIVE},
    };
    const char *const frames[] = {
        NULL, "", "keep a.cpp:1", "keep a.cpp:1", "step b.py:2", NULL, NULL};
    const char *const pools[] = {NULL, "1.0"};
    const lg_allocator_state state = {.segments = segments,
                                      .segment_count = 2,
                                      .blocks = blocks,
                                      .block_count = 7,
                                      .block_frames = frames,
                                      .segment_pools = pools,
                                      .strange_states = "asleep, dead"};
    lg_graph *graph;
    REQUIRE(stored_new(NULL, &graph, NULL) == LG_OK);
    says(graph, &state, LG_FORMAT_TEXT,
         "        probably cuBLAS workspace   8.13 MiB   1 block: "
         "judged by its size; torch._C._cuda_clearCublasWorkspaces() frees "
         "one\n");
    says(
        graph, &state, LG_FORMAT_TEXT,
        "        unknown state               2.00 KiB   1 block: asleep, dead");
    says(graph, &state, LG_FORMAT_TEXT,
         "3 blocks: no object of the snapshot has it; probably C++");
    says(graph, &state, LG_FORMAT_TEXT,
         "innermost first\n   3.00 KiB  keep a.cpp:1\n      512 B  step b.py");
    says(graph, &state, LG_FORMAT_TEXT, "1.00 MiB of it by private pools");
    says(graph, &state, LG_FORMAT_TEXT, "= allocated: to the byte");
    says(graph, &state, LG_FORMAT_JSON,
         "{\"bytes\": 3072, \"blocks\": 2, \"evidence\": \"held by C++\", "
         "\"frames\": \"keep a.cpp:1\"}");
    says(graph, &state, LG_FORMAT_JSON,
         "\"residual\": 0, \"beyond\": null, \"process\": null");
    lg_graph_free(graph);
}

// Buffers in free memory of the allocator have a line of their own.
static void
stale(void)
{
    const lg_segment segments[] = {{.address = 4096, .size = 512, .device = 1}};
    const lg_block blocks[] = {
        {.address = 4096, .size = 512, .state = LG_BLOCK_INACTIVE}};
    const lg_allocator_state state = {.segments = segments,
                                      .segment_count = 1,
                                      .blocks = blocks,
                                      .block_count = 1};
    const lg_span span = {.device = 1, .address = 4096, .length = 1};
    lg_builder *builder;
    lg_graph *graph;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    lg_builder_add_node(builder, 16);
    lg_builder_add_device(builder, "cuda:0");
    lg_builder_add_span(builder, &span);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    says(graph, &state, LG_FORMAT_TEXT,
         "\n  stale                               1 B   buffers in blocks that "
         "are not allocated\n");
    lg_graph_free(graph);
}

static void
partial(void)
{
    lg_builder *builder;
    lg_graph *graph;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    lg_builder_add_node(builder, 16);
    lg_builder_add_device(builder, "cuda:0");
    lg_builder_set_info(builder, "memory.malloc", "1048576");
    lg_builder_set_partial(builder, "from 1 object");
    const lg_span span = {.device = 1, .address = 4096, .length = 4096};
    lg_builder_add_span(builder, &span);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    says(graph, NULL, LG_FORMAT_TEXT, "the snapshot is partial");
    says(graph, NULL, LG_FORMAT_TEXT,
         "  buffers                        4.00 KiB   its allocator was not");
    says(graph, NULL, LG_FORMAT_JSON, "\"malloc\": 1048576, \"arenas\": null");
    lg_graph_free(graph);
}

// Leakgraph's own memory is not part of the unexplained memory.
static void
own(void)
{
    lg_builder *builder;
    lg_graph *graph;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    lg_builder_set_info(builder, "memory.rss", "10485760");
    lg_builder_set_info(builder, "memory.leakgraph", "4194304");
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    says(graph, NULL, LG_FORMAT_TEXT,
         "  leakgraph                      4.00 MiB   open snapshots");
    says(graph, NULL, LG_FORMAT_TEXT,
         "  anything else                  6.00 MiB   what");
    says(graph, NULL, LG_FORMAT_JSON, "\"leakgraph\": 4194304");
    lg_graph_free(graph);
}

// A line is there when it has bytes, or a number.
static void
process(void)
{
    lg_builder *builder;
    lg_graph *graph;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    lg_builder_set_info(builder, "memory.rss", "10485760");
    lg_builder_set_info(builder, "memory.swap", "1048576");
    lg_builder_set_info(builder, "memory.shared", "2097152");
    lg_builder_set_info(builder, "memory.files", "3145728");
    lg_builder_set_info(builder, "memory.stacks", "0");
    lg_builder_set_info(builder, "process.threads", "12");
    lg_builder_set_info(builder, "process.descriptors", "1500");
    lg_builder_set_info(builder, "process.descriptors_most", "4096");
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    says(graph, NULL, LG_FORMAT_TEXT,
         "host\n"
         "  resident                       10.0 MiB   memory that the process "
         "has (RSS)\n"
         "    of that, shared              2.00 MiB   other processes map it, "
         "too\n"
         "  swapped out                    1.00 MiB\n"
         "  Python objects                      0 B\n");
    says(graph, NULL, LG_FORMAT_TEXT,
         "  files                          3.00 MiB   code of libraries, and "
         "files that are mapped\n"
         "  anything else                  8.00 MiB   what");
    says(
        graph, NULL, LG_FORMAT_TEXT,
        "  other counters\n"
        "  threads                                   12\n"
        "  open descriptors                          1,500 of at most 4,096\n");
    says(graph, NULL, LG_FORMAT_JSON,
         "\"stacks\": 0, \"leakgraph\": null, \"else\": 8388608, "
         "\"absent\": 0");
    lg_graph_free(graph);
}

// What the driver and PyTorch count, if they say.
static void
totals(void)
{
    lg_builder *builder;
    lg_graph *graph;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    lg_builder_add_node(builder, 16);
    lg_builder_add_device(builder, "cuda:0");
    const lg_segment segment = {
        .address = STORED_GPU, .size = 2 << 20, .device = 1};
    const lg_block block = {.address = STORED_GPU, .size = 2 << 20};
    lg_builder_add_segment(builder, &segment);
    lg_builder_add_block(builder, &block);
    lg_builder_set_info(builder, "device.cuda:0.peak_allocated", "3145728");
    lg_builder_set_info(builder, "device.cuda:0.peak_reserved", "4194304");
    lg_builder_set_info(builder, "device.cuda:0.driver_total", "16777216");
    lg_builder_set_info(builder, "device.cuda:0.driver_free", "4194304");
    lg_builder_set_info(builder, "device.cuda:0.driver_process", "6291456");
    lg_builder_set_info(builder, "memory.pinned_pool", "2097152");
    lg_builder_set_info(builder, "memory.pinned_used", "1048576");
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    says(graph, NULL, LG_FORMAT_TEXT,
         "PyTorch's allocator has it from the driver; at most 4.00 MiB so far\n"
         "    allocated                    2.00 MiB   at most 3.00 MiB so "
         "far\n");
    says(graph, NULL, LG_FORMAT_TEXT,
         "  beyond                         10.0 MiB   what else all "
         "processes use of the device\n"
         "  this process                   6.00 MiB   as the driver counts");
    says(
        graph, NULL, LG_FORMAT_TEXT,
        "  PyTorch's pinned pool          2.00 MiB   page-locked, with what is "
        "free in it\n"
        "  pinned, in use                 1.00 MiB   of that pool\n");
    says(graph, NULL, LG_FORMAT_JSON,
         "\"process\": 6291456, \"peak_allocated\": 3145728, "
         "\"peak_reserved\": 4194304");
    lg_graph_free(graph);
}

// The report names a library that the capture could not read, and so does the
// report on tensors.
static void
uninspected(void)
{
    static const char in_text[] =
        "memory of torch was not inspected: an \"odd\" layout\n"
        "memory of pillow was not inspected: no images\n";
    static const char in_json[] =
        "\"not_inspected\": {\"torch\": \"an \\\"odd\\\" layout\", "
        "\"pillow\": \"no images\"}";
    lg_builder *builder;
    lg_graph *graph;
    lg_text text = {0};
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    lg_builder_add_node(builder, 16);
    lg_builder_set_info(builder, "adapter.torch",
                        "not inspected: an \"odd\" layout");
    lg_builder_set_info(builder, "adapter.numpy", "inspected: 2.0.0");
    lg_builder_set_info(builder, "adapter.pillow", "not inspected: no images");
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    says(graph, NULL, LG_FORMAT_TEXT, in_text);
    says(graph, NULL, LG_FORMAT_JSON, in_json);
    for (int json = 0; json < 2; json++) {
        REQUIRE(question_report("tensors", graph, NULL, NULL,
                                json ? LG_FORMAT_JSON : LG_FORMAT_TEXT,
                                &text) == LG_OK);
        CHECK(strstr(text.data, json ? in_json : in_text) != NULL);
        CHECK(strstr(text.data, "numpy") == NULL);
        lg_text_free(&text);
    }
    lg_graph_free(graph);
}

SUITE(report_memory)
{
    RUN(uninspected);
    RUN(sample);
    RUN(recorded_state);
    RUN(stale);
    RUN(partial);
    RUN(own);
    RUN(process);
    RUN(totals);
    RUN(usual_lines);
    RUN(native_memory_is_advised);
    RUN(native_memory_that_is_not_inspected_is_told);
    return test_result();
}
