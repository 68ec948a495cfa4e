// The sentence about a row of growth.
#include "growing.h"
#include "growth/growth_private.h"
#include "story.h"
#include "test.h"

#include <leakgraph/internal/report.h>

#include <string.h>

// Compares heaps, and checks the sentence about the first row.
static void
expect_sentence(const growing_heap *heaps, uint32_t count,
                const lg_growth_options *options, const char *expected)
{
    growing_series made = growing_compare(heaps, count, options);
    lg_text text = {0};
    REQUIRE(made.growth.count > 0);
    lg_growth_row_format(&made.growth, made.graph[count - 1],
                         &made.growth.rows[0], &text);
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
    growing_forget(&made);
}

static void
a_row_is_a_sentence(void)
{
    const growing_heap items[] = {{.items = 5}, {.items = 10}, {.items = 15}};
    const growing_heap blobs[] = {
        {.blob = 1000}, {.blob = 2000}, {.blob = 3000}};
    const growing_heap garbage[] = {
        {.garbage = 5}, {.garbage = 10}, {.garbage = 15}};
    const growing_heap native[] = {
        {.malloc = 9 << 20}, {.malloc = 10 << 20}, {.malloc = 11 << 20}};
    const growing_heap batches[] = {
        {.batches = 1}, {.batches = 2}, {.batches = 3}};
    const double steps[] = {0, 10, 20};
    lg_growth_options options = LG_GROWTH_OPTIONS_INIT;
    expect_sentence(items, 3, &options,
                    "app.items[*]: Item accumulates, 5 → 10 → 15 objects, "
                    "+9.84 KiB in all, +4.92 KiB per snapshot");
    expect_sentence(garbage, 3, &options,
                    "garbage Item: Item garbage piles up: gc.freeze() hides it "
                    "from the collector, 5 → 10 → 15 objects, +2.93 KiB in "
                    "all, +1.46 KiB per snapshot");
    options.steps = steps;
    expect_sentence(blobs, 3, &options,
                    "app.blob: bytearray grows in place, 1 object, +1.95 KiB "
                    "in all, +100 B per step");
    options.unit = LG_PER_CALL;
    expect_sentence(native, 3, &options,
                    "memory that no object explains: native memory grows, "
                    "+2.00 MiB in all, +102 KiB per call");
    options.unit = LG_PER_SECOND;
    expect_sentence(batches, 3, &options,
                    "app.batches[*]: Item accumulates, 1 → 2 → 3 objects, "
                    "+2.00 MiB cuda:0 in all, +102 KiB per second");
}

// What the interpreter keeps for atexit from Python 3.14 on: a list of tuples,
// each of a function and a tuple of its arguments, the newest first.
static lg_graph *
handlers_of_exit(uint32_t count)
{
    static const char label[] = "atexit handlers";
    story made = story_begin();
    uint32_t state = story_module(&made, "state");
    uint32_t list = story_add(&made, "list", NULL, 64);
    story_edge(&made, state, list, LG_EDGE_NATIVE,
               lg_builder_intern(made.builder, label, strlen(label)));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t handler = story_add(&made, "tuple", NULL, 64);
        bool oldest = i + 1 == count;
        uint32_t called =
            story_add(&made, "function", oldest ? "shutdown" : "bye", 48);
        uint32_t arguments = story_add(&made, "tuple", NULL, 48);
        story_edge(&made, list, handler, LG_EDGE_INDEX, i);
        story_edge(&made, handler, called, LG_EDGE_INDEX, 0);
        story_edge(&made, handler, arguments, LG_EDGE_INDEX, 1);
    }
    return story_end(&made);
}

// Compares three graphs that have 20 elements, 40, and 60, and checks what the
// first row says.
static void
expect_of_graphs(lg_graph *(*make)(uint32_t count), const char *expected)
{
    lg_graph *const graphs[3] = {make(20), make(40), make(60)};
    growing_series made = growing_of_graphs(graphs, 3);
    lg_text text = {0};
    REQUIRE(made.growth.count > 0);
    lg_growth_row_format(&made.growth, made.graph[2], &made.growth.rows[0],
                         &text);
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
    growing_forget(&made);
}

static void
a_handler_of_atexit_counts_once(void)
{
    expect_of_graphs(handlers_of_exit,
                     "state atexit handlers[*]: function bye or similar "
                     "accumulates, 20 → 40 → 60 objects, +6.25 KiB in all, "
                     "+3.13 KiB per snapshot");
}

// An object of C++ that grows, with structs that it keeps.
static lg_graph *
unit_with_nodes(uint32_t count)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t unit = story_add(&made, "jit.Unit (C++)", NULL, count * 4096);
    story_attribute(&made, app, "unit", unit);
    for (uint32_t i = 0; i < count; i++)
        story_edge(&made, unit, story_add(&made, "jit::Node", NULL, 2048),
                   LG_EDGE_NATIVE,
                   lg_builder_intern(made.builder, "member", 6));
    return story_end(&made);
}

// A growing object of C++, and structs of a type and of so many bytes that an
// object of Python in some module seems to have.
static lg_graph *
unit_beside(uint32_t count, const char *where, const char *type, uint32_t bytes)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app.jit");
    uint32_t unit = story_add(&made, "jit.Unit (C++)", NULL, count * 4096);
    story_attribute(&made, app, "unit", unit);
    uint32_t schema = story_add(&made, "app.Schema", NULL, 64);
    story_attribute(&made, story_module(&made, where), "schema", schema);
    for (uint32_t i = 0; i < count; i++)
        story_edge(&made, schema, story_add(&made, type, NULL, bytes),
                   LG_EDGE_NATIVE,
                   lg_builder_intern(made.builder, "member", 6));
    return story_end(&made);
}

static lg_graph *
unit_with_strays(uint32_t count)
{
    return unit_beside(count, "app.nodes", "c10::Value", 200);
}

static lg_graph *
unit_with_strays_of_its_library(uint32_t count)
{
    return unit_beside(count, "other", "64-byte block of libjit_core", 200);
}

static lg_graph *
unit_with_strays_of_its_namespace(uint32_t count)
{
    return unit_beside(count, "other", "jit::Value", 200);
}

static lg_graph *
unit_with_others(uint32_t count)
{
    return unit_beside(count, "app.nodes", "c10::Value", 2000);
}

static lg_graph *
unit_with_those_of_a_stranger(uint32_t count)
{
    return unit_beside(count, "other", "64-byte block of libother", 200);
}

static lg_graph *
unit_with_unknown_ones(uint32_t count)
{
    return unit_beside(count, "other", "64-byte block", 200);
}

static void
structs_go_with_what_keeps_them(void)
{
    expect_of_graphs(unit_with_nodes,
                     "app.unit: Unit (C++) grows in place with jit::Node, 1 "
                     "object, +240 KiB in all, +120 KiB per snapshot");
}

static void
strays_go_with_structs_of_one_origin(void)
{
    static const char alone[] =
        "app.jit.unit: Unit (C++) grows in place, 1 object, +160 KiB in all, "
        "+80.0 KiB per snapshot";
    expect_of_graphs(unit_with_strays,
                     "app.jit.unit: Unit (C++) grows in place with c10::Value, "
                     "1 object, +168 KiB in all, +83.9 KiB per snapshot");
    expect_of_graphs(unit_with_strays_of_its_library,
                     "app.jit.unit: Unit (C++) grows in place with 64-byte "
                     "block of libjit_core, 1 object, +168 KiB in all, +83.9 "
                     "KiB per snapshot");
    expect_of_graphs(unit_with_strays_of_its_namespace,
                     "app.jit.unit: Unit (C++) grows in place with jit::Value, "
                     "1 object, +168 KiB in all, +83.9 KiB per snapshot");
    expect_of_graphs(unit_with_others, alone);
    expect_of_graphs(unit_with_those_of_a_stranger, alone);
    expect_of_graphs(unit_with_unknown_ones, alone);
}

// Adds tuples, each in the one before, and returns the last.
static uint32_t
nest(story *made, uint32_t holder, uint32_t index, uint32_t depth)
{
    for (uint32_t i = 0; i < depth; i++) {
        uint32_t tuple = story_add(made, "tuple", NULL, 64);
        story_edge(made, holder, tuple, LG_EDGE_INDEX, i == 0 ? index : 0);
        holder = tuple;
    }
    return holder;
}

// A list of tuples, each of which has a tuple that has a tuple that has one.
static lg_graph *
nested_rows(uint32_t count)
{
    enum { DEPTH = 4 };
    story made = story_begin();
    uint32_t module = story_module(&made, "app");
    uint32_t list = story_add(&made, "list", NULL, 64);
    story_attribute(&made, module, "rows", list);
    for (uint32_t i = 0; i < count; i++)
        nest(&made, list, i, DEPTH);
    return story_end(&made);
}

// A tuple that has the one before it, again and again.
static lg_graph *
chain_of_tuples(uint32_t count)
{
    story made = story_begin();
    uint32_t module = story_module(&made, "app");
    uint32_t first = story_add(&made, "tuple", NULL, 64);
    story_attribute(&made, module, "stack", first);
    nest(&made, first, 0, count);
    return story_end(&made);
}

static void
tuples_in_tuples_are_parts(void)
{
    expect_of_graphs(nested_rows,
                     "app.rows[*]: tuple accumulates, 20 → 40 → 60 objects, "
                     "+10.0 KiB in all, +5.00 KiB per snapshot");
    expect_of_graphs(chain_of_tuples,
                     "app.stack[*]: tuple accumulates, 18 → 38 → 58 objects, "
                     "+2.50 KiB in all, +1.25 KiB per snapshot");
}

// Two lists and a dict that two modules hold each: one list of many small
// objects, and one of large ones, which grows.
static lg_graph *
lists_held_twice(uint32_t count)
{
    static const struct {
        const char *name;
        uint32_t size;
    } lists[] = {{"few", 9000}, {"many", 16}};
    const uint32_t items[] = {count, 500};
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t plugin = story_module(&made, "plugin");
    uint32_t options = story_add(&made, "dict", NULL, 64);
    story_attribute(&made, app, "options", options);
    story_attribute(&made, plugin, "options", options);
    for (size_t i = 0; i < 2; i++) {
        uint32_t list = story_add(&made, "list", NULL, 64);
        story_attribute(&made, app, lists[i].name, list);
        story_attribute(&made, plugin, lists[i].name, list);
        for (uint32_t j = 0; j < items[i]; j++)
            story_edge(&made, list,
                       story_add(&made, "app.Item", NULL, lists[i].size),
                       LG_EDGE_INDEX, j);
    }
    return story_end(&made);
}

static void
a_place_is_called_after_the_list_with_the_most_bytes(void)
{
    expect_of_graphs(lists_held_twice,
                     "app.few[*]: Item accumulates, 520 → 540 → 560 objects, "
                     "+352 KiB in all, +176 KiB per snapshot");
}

static size_t
count_words(const lg_summary *summary)
{
    const lg__place_words *words = summary->places->words.data;
    size_t count = 0;
    for (size_t i = 0; i < summary->places->words.count; i++)
        count += words[i].holder != LG_NONE || words[i].title != LG_NONE;
    return count;
}

// Only the newest of several snapshots has words.
static void
only_the_newest_has_words(void)
{
    lg_graph *const graphs[3] = {lists_held_twice(20), lists_held_twice(40),
                                 lists_held_twice(60)};
    growing_series made = growing_of_graphs(graphs, 3);
    lg_growth growth = {0};
    lg_text text = {0};
    size_t all = count_words(made.summary[2]);
    CHECK(all > 0);
    for (size_t i = 0; i < 3; i++) {
        lg_summary_free(made.summary[i]);
        REQUIRE(lg_summary_new_compared(made.analysis[i], i == 2, NULL,
                                        &made.summary[i], NULL) == LG_OK);
        CHECK(count_words(made.summary[i]) == (i == 2 ? all : 0));
    }
    REQUIRE(lg_growth_find((const lg_summary *const *)made.summary, 3,
                           made.analysis[2], NULL, NULL, &growth,
                           NULL) == LG_OK);
    lg_growth_row_format(&growth, made.graph[2], &growth.rows[0], &text);
    CHECK_TEXT(text, "app.few[*]: Item accumulates, 520 → 540 → 560 objects, "
                     "+352 KiB in all, +176 KiB per snapshot");
    lg_text_free(&text);
    lg_growth_free(&growth);
    growing_forget(&made);
}

// Two snapshots tell nothing about a rate.
static void
two_snapshots_have_no_rate(void)
{
    const growing_heap heaps[] = {{.items = 5}, {.items = 10}};
    expect_sentence(
        heaps, 2, NULL,
        "app.items[*]: Item accumulates, 5 → 10 objects, +4.92 KiB; "
        "two snapshots cannot tell a leak from memory that is "
        "allocated once");
}

// What shrinks on one device and grows on another has one sum.
static void
moved_bytes_are_added_up(void)
{
    const growing_heap heaps[] = {
        {.batches = 1}, {.batches = 2}, {.batches = 3}};
    const uint64_t bytes[3][2] = {{0, 2048}, {4096, 2048}, {8192, 1024}};
    const uint64_t counts[3] = {7, 7, 7};
    growing_series made = growing_compare(heaps, 3, NULL);
    lg_growth_row row = made.growth.rows[0];
    lg_text text = {0};
    row.bytes = bytes[0];
    row.counts = counts;
    row.gained = 7168;
    lg_growth_row_format(&made.growth, NULL, &row, &text);
    CHECK(strstr(text.data, ", 7 objects, +7.00 KiB in all, ") != NULL);
    lg_text_free(&text);
    growing_forget(&made);
}

SUITE(growth_words)
{
    RUN(a_row_is_a_sentence);
    RUN(a_handler_of_atexit_counts_once);
    RUN(structs_go_with_what_keeps_them);
    RUN(strays_go_with_structs_of_one_origin);
    RUN(tuples_in_tuples_are_parts);
    RUN(a_place_is_called_after_the_list_with_the_most_bytes);
    RUN(only_the_newest_has_words);
    RUN(two_snapshots_have_no_rate);
    RUN(moved_bytes_are_added_up);
    return test_result();
}
