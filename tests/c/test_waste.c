// Equal contents, views, whose waste gets rows, and what reports say.
#include "asked.h"
#include "test.h"
#include "twins.h"
#include "wasted.h"

#include <leakgraph/internal/capture_builder.h>

// app.view shows the first bytes of an array that nothing else holds.
static answer
make_view(uint64_t shown, bool held, unsigned flags, uint64_t length)
{
    heap to = wasted_begin();
    char bytes[24];
    uint32_t base = wasted_add(&to, NDARRAY, 112);
    uint32_t view = wasted_add(&to, NDARRAY, 112);
    lg_span span = {.holder = base,
                    .address = 1 << 20,
                    .length = length,
                    .type = NDARRAY,
                    .label = wasted_intern(&to, "data"),
                    .flags = LG_SPAN_OWNER | flags};
    lg_builder_add_span(to.builder, &span);
    snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)shown);
    lg_builder_add_fact(to.builder, view, "bytes", bytes, strlen(bytes));
    lg_builder_add_fact(to.builder, base, "bytes", "8000", 4);
    wasted_refer(&to, view, base, LG_EDGE_ATTRIBUTE,
                 wasted_intern(&to, "base"));
    wasted_name(&to, "view", view);
    if (held)
        wasted_name(&to, "whole", base);
    return wasted_end(&to);
}

static void
test_views(void)
{
    answer got = make_view(4000, false, 0, 8000);
    EXPECT(got, LG_WASTE_VIEW, 2, 4000, 4000, 8000);
    CHECK(!got.waste.rows[0].at_most);
    wasted_free(&got);
    got = make_view(4001, false, 0, 8000);
    CHECK(got.waste.count == 0);
    wasted_free(&got);
    got = make_view(8, true, 0, 8000);
    CHECK(got.waste.count == 0);
    wasted_free(&got);
    got = make_view(8, false, LG_SPAN_MAPPED, 8000);
    CHECK(got.waste.count == 0);
    wasted_free(&got);
    got = make_view(8, false, 0, 4095);
    CHECK(got.waste.count == 0);
    wasted_free(&got);
}

static void
test_equal(void)
{
    lg_graph *graph;
    REQUIRE(twins_new(NULL, &graph, NULL) == LG_OK);
    answer got = wasted_asked(graph, NULL);
    CHECK(got.waste.compared && got.waste.count == 2);
    // Of two equal objects the first stays.
    EXPECT(got, LG_WASTE_EQUAL, TWIN_SAME, 112, 1, 0);
    const lg_waste_row *row = &got.waste.rows[0];
    CHECK(row->weight == 112 + TWIN_MEMORY && row->at_most);
    CHECK(row->where.kind == LG_WHERE_PATH && row->where.path.count == 2);
    wasted_free(&got);
}

// The one with the most references stays.
static void
test_equal_and_shared(void)
{
    heap to = wasted_begin();
    lg_comparison options = twins_options();
    lg_builder_compare_contents(to.builder, &options);
    uint32_t list = wasted_list(&to, 3, 3, STR, 50);
    for (uint32_t i = 1; i <= 3; i++)
        lg_builder_add_contents(to.builder, list + i, 1, "epochs", 6);
    wasted_name(&to, "texts", list);
    wasted_name(&to, "second", list + 2);
    wasted_name(&to, "third", list + 3);
    answer got = wasted_end(&to);
    EXPECT(got, LG_WASTE_EQUAL, list + 1, 64, 1, 0);
    EXPECT(got, LG_WASTE_EQUAL, list + 3, 64, 1, 0);
    CHECK(got.waste.count == 2);
    wasted_free(&got);
}

// A name that the interpreter has interned stays, and an equal str goes.
static void
test_equal_to_a_name(void)
{
    heap to = wasted_begin();
    lg_comparison options = twins_options();
    lg_builder_compare_contents(to.builder, &options);
    uint32_t texts[4];
    for (uint32_t i = 0; i < 4; i++) {
        texts[i] = wasted_add(&to, STR, 50);
        lg_builder_add_contents(to.builder, texts[i], 1, "epochs", 6);
    }
    uint32_t list = wasted_list(&to, 3, 0, STR, 0);
    for (uint32_t i = 0; i < 3; i++)
        wasted_refer(&to, list, texts[i], LG_EDGE_INDEX, i);
    wasted_name(&to, "texts", list);
    // Names, and what a function refers to, are nobody's waste.
    uint32_t function = wasted_add(&to, FUNCTION, 136);
    wasted_name(&to, "function", function);
    wasted_refer(&to, function, texts[3], LG_EDGE_ATTRIBUTE,
                 wasted_intern(&to, "__doc__"));
    to.builder->node_flags[texts[1]] |= LG_NODE_NAME;
    answer got = wasted_end(&to);
    CHECK(got.waste.count == 1 && got.waste.rows[0].count == 2);
    EXPECT(got, LG_WASTE_EQUAL, texts[0], 128, 1, 0);
    CHECK(got.waste.libraries[0] == 64 && got.waste.library_objects == 1);
    wasted_free(&got);
}

static lg_graph *
make_library_tables(void)
{
    heap to = wasted_begin();
    uint32_t library = wasted_add(&to, MODULE, 72);
    lg_builder_add_root(to.builder, library, LG_ROOT_MODULE, "logging", 7);
    lg_builder_set_text(to.builder, library, "logging", 7);
    wasted_refer(&to, library, wasted_list(&to, 100, 0, STR, 0),
                 LG_EDGE_ATTRIBUTE, wasted_intern(&to, "cache"));
    wasted_name(&to, "mine", wasted_list(&to, 1000, 0, STR, 0));
    wasted_name(&to, "more", wasted_list(&to, 200, 0, STR, 0));
    return wasted_graph(&to);
}

static void
test_choice(void)
{
    lg_waste_options options = LG_WASTE_OPTIONS_INIT;
    answer got = wasted_asked(make_library_tables(), &options);
    CHECK(got.waste.count == 2 && got.waste.total_rows == 2);
    CHECK(got.waste.libraries[0] == 816 && got.waste.library_objects == 1);
    CHECK(got.waste.waste[0] == 8016 + 1616);
    wasted_free(&got);
    options.limit = 1;
    got = wasted_asked(make_library_tables(), &options);
    CHECK(got.waste.count == 1 && got.waste.total_rows == 2);
    CHECK(got.waste.rows[0].weight == 8016);
    wasted_free(&got);
    options.limit = 0;
    options.libraries = true;
    got = wasted_asked(make_library_tables(), &options);
    CHECK(got.waste.count == 3 && got.waste.libraries[0] == 0);
    wasted_free(&got);
    lg_graph *graph = make_library_tables();
    lg_scope *scope = scope_of(graph, false, "logging");
    options.scope = scope;
    got = wasted_asked(graph, &options);
    CHECK(got.waste.count == 1 && got.waste.rows[0].weight == 816);
    lg_scope_free(scope);
    wasted_free(&got);
}

// What only native code holds belongs to it; a class of the program does not.
static void
test_native_code(void)
{
    heap to = wasted_begin();
    uint32_t list = wasted_list(&to, 100, 0, STR, 0);
    uint32_t thing =
        wasted_add(&to, wasted_type(&to, "app.Thing", LG_NONE, LG_NONE), 48);
    uint32_t held = wasted_list(&to, 1000, 0, STR, 0);
    lg_span span = {
        .holder = thing, .address = 64, .length = 8000, .flags = LG_SPAN_OWNER};
    lg_builder_add_span(to.builder, &span);
    lg_builder_add_fact(to.builder, thing, "bytes", "8", 1);
    to.builder->refcount[list] = to.builder->refcount[thing] = 1;
    wasted_name(&to, "held", held);
    answer got = wasted_end(&to);
    EXPECT(got, LG_WASTE_ROOM, held, 8016, 0, 1000);
    EXPECT(got, LG_WASTE_VIEW, thing, 7992, 8, 8000);
    CHECK(got.waste.count == 2 && got.waste.libraries[0] == 816);
    wasted_free(&got);
}

static void
test_refusals(void)
{
    lg_graph *graph = make_library_tables();
    lg_analysis *analysis = analysed(graph);
    lg_waste_options options = LG_WASTE_OPTIONS_INIT;
    lg_waste waste;
    options.size = 1;
    CHECK(lg_analysis_waste(analysis, &options, NULL, &waste, NULL) ==
          LG_EINVAL);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    CHECK(strcmp(lg_waste_kind_name(LG_WASTE_BOXED), "boxed") == 0);
    CHECK(strcmp(lg_waste_kind_name(LG_WASTE_KIND_COUNT), "unknown") == 0);
}

static void
expect_report(lg_graph *graph, lg_format format, const char *expected)
{
    lg_analysis *analysis = analysed(graph);
    lg_text text = {0};
    CHECK(question_report("waste", graph, analysis, "limit=all", format,
                          &text) == LG_OK);
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

#define COLUMNS                                                                \
    "  could save  kind     what                               held by\n"

static void
test_report(void)
{
    lg_graph *graph;
    expect_report(
        make_library_tables(), LG_FORMAT_TEXT,
        COLUMNS
        "    7.83 KiB  room     list: 0 items, room for 1,000      app.mine\n"
        "    1.58 KiB  room     list: 0 items, room for 200        app.more\n"
        "\n"
        "room: make a copy: list(x), dict(x.items()), set(x)\n"
        "\n"
        "In all, you could save 9.41 KiB.\n"
        "Of what libraries and code keep, 816 B could be saved, too (1 "
        "object).\n"
        "Contents were not compared: to find equal strs, bytes and arrays, "
        "take the snapshot with contents=True or --contents.\n");
    REQUIRE(twins_new(NULL, &graph, NULL) == LG_OK);
    expect_report(
        graph, LG_FORMAT_JSON,
        "{\"compared\": true, \"total\": {\"host\": 6224, \"cuda:0\": 0}, "
        "\"libraries\": {\"host\": 0, \"cuda:0\": 0}, \"library_objects\": 0, "
        "\"rows\": [\n"
        "  {\"waste\": {\"host\": 6112, \"cuda:0\": 0}, \"kind\": \"equal\", "
        "\"type\": \"numpy.ndarray\", \"count\": 1, \"size\": {\"host\": 6112, "
        "\"cuda:0\": 0}, \"used\": 1, \"of\": 0, \"at_most\": true, \"node\": "
        "9, \"title\": \"ndarray\", \"held_by\": \"app.all[7]\"},\n"
        "  {\"waste\": {\"host\": 112, \"cuda:0\": 0}, \"kind\": \"equal\", "
        "\"type\": \"str\", \"count\": 1, \"size\": {\"host\": 112, "
        "\"cuda:0\": 0}, \"used\": 1, \"of\": 0, \"at_most\": false, \"node\": "
        "3, \"title\": \"str\", \"held_by\": \"app.all[1]\"}\n"
        "]}\n");
    heap to = wasted_begin();
    REQUIRE(lg_builder_finish(to.builder, &graph, NULL) == LG_OK);
    expect_report(
        graph, LG_FORMAT_TEXT,
        "There is nothing to save.\n"
        "Contents were not compared: to find equal strs, bytes and arrays, "
        "take the snapshot with contents=True or --contents.\n");
}

// What the report says of many objects, by kind.
static void
test_report_of_many(void)
{
    heap to = wasted_begin();
    lg_comparison options = twins_options();
    uint32_t list = wasted_list(&to, 10, 0, STR, 0);
    uint32_t first = to.builder->node_count;
    lg_builder_compare_contents(to.builder, &options);
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t text = wasted_add(&to, STR, 100);
        lg_builder_add_contents(to.builder, text, 1, i < 3 ? "one" : "two", 3);
        wasted_refer(&to, list, text, LG_EDGE_INDEX, i);
    }
    wasted_name(&to, "texts", list);
    answer got = wasted_end(&to);
    lg_text text = {0};
    CHECK(question_report("waste", lg_analysis_graph(got.analysis),
                          got.analysis, NULL, LG_FORMAT_TEXT, &text) == LG_OK);
    CHECK(strstr(text.data, "4 str: duplicates of 2 values"));
    CHECK(strstr(text.data, "app.texts[*]\n"));
    EXPECT(got, LG_WASTE_EQUAL, first + 1, (uint64_t)4 * 112, 2, 0);
    lg_text_free(&text);
    wasted_free(&got);
}

SUITE(waste)
{
    RUN(test_views);
    RUN(test_equal);
    RUN(test_equal_and_shared);
    RUN(test_equal_to_a_name);
    RUN(test_choice);
    RUN(test_native_code);
    RUN(test_refusals);
    RUN(test_report);
    RUN(test_report_of_many);
    return test_result();
}
