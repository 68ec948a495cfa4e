// How much of an answer the report page shows, and which parts of a bar it
// shows as quiet.
#include "heap.h"
#include "test.h"
#include "text_count.h"

#include <leakgraph/analysis.h>
#include <leakgraph/internal/page.h>
#include <leakgraph/internal/segments.h>
#include <leakgraph/internal/writing.h>

// The page of a heap. Closes the heap.
static lg_text
page_of(test_heap *heap)
{
    lg_text page = {0};
    lg_analysis *analysis = NULL;
    lg_graph *graph = heap_close(heap);
    REQUIRE(!lg_analysis_new(graph, NULL, &analysis, NULL));
    REQUIRE(!lg_page_html(analysis, NULL, NULL, &page, NULL));
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return page;
}

// The section of that id, without what comes after it.
static lg_text
section_of(const lg_text *page, const char *id)
{
    char mark[64];
    lg_text section = {0};
    snprintf(mark, sizeof mark, "<section id=\"%s\"", id);
    const char *begin = strstr(page->data, mark);
    REQUIRE(begin != NULL);
    const char *end = strstr(begin, "</section>");
    REQUIRE(end != NULL);
    lg_text_add_bytes(&section, begin, (size_t)(end - begin));
    return section;
}

// Counts the words in a section of the heap's page. Closes the heap.
static size_t
count_in(test_heap *heap, const char *id, const char *what)
{
    lg_text page = page_of(heap);
    lg_text section = section_of(&page, id);
    size_t count = count_of(&section, what);
    lg_text_free(&section);
    lg_text_free(&page);
    return count;
}

// Of four holders that are nobody's mistake, the page lists three, and gives
// no advice.
static void
three_cards(void)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    test_heap heap;
    heap_open(&heap);
    uint32_t app = heap_add_module(&heap, "app");
    for (size_t i = 0; i < 4; i++)
        heap_attribute(&heap, app, heap_add(&heap, "bytearray", 1 << 20),
                       names[i]);
    lg_text page = page_of(&heap);
    lg_text section = section_of(&page, "advice");
    CHECK(count_of(&section, "<li><b>1.00 MiB</b> bytearray") == 3);
    CHECK(count_of(&section, "<b>No known mistake,</b>") == 1);
    CHECK(count_of(&section, "leakgraph why") == 0);
    lg_text_free(&section);
    lg_text_free(&page);
}

// Of five cycles, the page draws four.
static void
four_cycles(void)
{
    static const char *const types[] = {"app.A", "app.B", "app.C", "app.D",
                                        "app.E"};
    test_heap heap;
    heap_open(&heap);
    for (size_t i = 0; i < 5; i++) {
        uint32_t one = heap_add(&heap, types[i], 1 << 20);
        heap_track(&heap, one);
        heap_attribute(&heap, one, one, "me");
    }
    CHECK(count_in(&heap, "cycles", "<figure>") == 4);
}

// Of 21 lists with room to spare, the table has 20.
static void
twenty_rows_of_waste(void)
{
    enum { LISTS = 21 };
    test_heap heap;
    heap_open(&heap);
    uint32_t app = heap_add_module(&heap, "app");
    for (unsigned i = 0; i < LISTS; i++) {
        char name[16];
        snprintf(name, sizeof name, "list%u", i);
        heap_attribute(&heap, app, heap_add(&heap, "list", 56 + 80000), name);
    }
    CHECK(count_in(&heap, "waste", ">app.list") == 20);
}

// A local variable says whether something else holds its value.
static void
what_is_held_elsewhere(void)
{
    for (uint32_t elsewhere = 0; elsewhere < 2; elsewhere++) {
        test_heap heap;
        heap_open(&heap);
        uint32_t app = heap_add_module(&heap, "app");
        uint32_t thread = heap_add(&heap, "thread", 0);
        uint32_t frame = heap_add(&heap, "frame", 400);
        uint32_t value = heap_add(&heap, "app.Data", 1 << 20);
        heap_root(&heap, thread, LG_ROOT_THREAD, "MainThread");
        heap_edge(&heap, thread, frame, LG_EDGE_FRAME, 0);
        heap_set_text(&heap, frame, "run() app.py:3");
        heap_local(&heap, frame, value, "data");
        if (elsewhere)
            heap_attribute(&heap, app, value, "data");
        CHECK(count_in(&heap, "threads", ">app.data<") == elsewhere);
    }
}

static void
check_part(const lg_text *page, const char *name, bool quiet)
{
    char legend[100];
    snprintf(legend, sizeof legend, "</svg>%s <b>", name);
    size_t parts = count_of(page, legend);
    size_t greys = 0;
    for (int grey = 0; grey < 4; grey++) {
        snprintf(legend, sizeof legend, "class=\"quiet q%d\"/></svg>%s <b>",
                 grey, name);
        greys += count_of(page, legend);
    }
    if (parts != 1 || greys != quiet)
        fprintf(stderr, "%s: %zu parts, %zu of them quiet\n", name, parts,
                greys);
    CHECK(parts == 1 && greys == quiet);
}

// Memory that is free, or that nobody knows the owner of, is quiet.
static void
quiet_parts_of_the_host(void)
{
    static const char *const facts[][2] = {
        {"memory.rss", "90000"},      {"memory.files", "2000"},
        {"memory.changed", "300"},    {"memory.shmem", "400"},
        {"memory.jit", "50"},         {"memory.stacks", "60"},
        {"memory.leakgraph", "70"},   {"memory.malloc", "15000"},
        {"memory.malloc_free", "70"}, {"memory.python", "9000"},
        {"memory.python_used", "60"}};
    static const char *const loud[] = {"Python objects",
                                       "allocators' rounding",
                                       "files",
                                       "shared memory",
                                       "changed pages of files",
                                       "code of JITs",
                                       "thread stacks",
                                       "leakgraph"};
    static const char *const quiet[] = {"other allocations", "free in malloc",
                                        "free in arenas", "anything else"};
    test_heap heap;
    heap_open(&heap);
    heap_add(&heap, "app.Data", 1001);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        lg_builder_set_info(heap.builder, facts[i][0], facts[i][1]);
    lg_text page = page_of(&heap);
    for (size_t i = 0; i < sizeof loud / sizeof *loud; i++)
        check_part(&page, loud[i], false);
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++) {
        char legend[100];
        check_part(&page, quiet[i], true);
        snprintf(legend, sizeof legend, "\"quiet q%zu\"/></svg>%s <b>", i,
                 quiet[i]);
        CHECK(count_of(&page, legend) == 1);
    }
    CHECK(count_of(&page, "class=\"c0\"/></svg>Python objects <b>") == 1);
    CHECK(count_of(&page, "class=\"c0\"><title>Python objects: ") == 1);
    CHECK(count_of(&page, "class=\"c1\"/></svg>allocators' rounding <b>") == 1);
    CHECK(count_of(&page, "class=\"c1\"><title>allocators' rounding: ") == 1);
    lg_text_free(&page);
}

static void
quiet_parts_of_a_device(void)
{
    test_heap heap;
    heap_open(&heap);
    uint32_t device = lg_builder_add_device(heap.builder, "cuda:0");
    uint32_t tensor = heap_add(&heap, "torch.Tensor", 80);
    const lg_span memory = {.holder = tensor,
                            .device = device,
                            .address = 0x10000,
                            .length = 512,
                            .flags = LG_SPAN_OWNER};
    const lg_segment segment = {
        .address = 0x10000, .size = 2048, .device = device};
    heap_root(&heap, tensor, LG_ROOT_GIVEN, "");
    lg_builder_add_span(heap.builder, &memory);
    uint32_t at = lg_builder_add_segment(heap.builder, &segment);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t states[] = {LG_BLOCK_ALLOCATED, LG_BLOCK_ALLOCATED,
                                   LG_BLOCK_PENDING, LG_BLOCK_INACTIVE};
        const lg_block block = {.address = 0x10000 + 512 * i,
                                .size = 512,
                                .segment = at,
                                .state = states[i]};
        lg_builder_add_block(heap.builder, &block);
    }
    lg_text page = page_of(&heap);
    check_part(&page, "unattributed", true);
    check_part(&page, "pending", true);
    check_part(&page, "inactive", true);
    check_part(&page, "other", false);
    lg_text_free(&page);
}

SUITE(page_limits)
{
    // The other suites test the pictures of pages.
    setenv("LEAKGRAPH_RENDERER", "/nonexistent/renderer", 1);
    RUN(three_cards);
    RUN(four_cycles);
    RUN(twenty_rows_of_waste);
    RUN(what_is_held_elsewhere);
    RUN(quiet_parts_of_the_host);
    RUN(quiet_parts_of_a_device);
    return test_result();
}
