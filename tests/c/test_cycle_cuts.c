// The references to cut so that no cycle is left, and those that nobody can
// cut.
#include "drawn.h"
#include "test.h"
#include "expected_cycles.h"

#include <leakgraph/internal/writing.h>

// Two back references with different names and one that cannot be cut: the
// report names all of them.
static void
several_cuts(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t ring = story_add(&made, "app.Ring", NULL, 2 << 20);
    uint32_t list = story_add(&made, "list", NULL, 80);
    story_attribute(&made, app, "ring", ring);
    story_attribute(&made, ring, "items", list);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t item = story_add(&made, "app.Item", NULL, 48);
        story_edge(&made, list, item, LG_EDGE_INDEX, i);
        story_attribute(&made, item, i < 2 ? "parent" : "home", ring);
    }
    expect_cycles(
        &made,
        "1 cycle: 1 held\n"
        "\n"
        " 1. held · 6 objects (4 app.Item, app.Ring, list) · retains 2.00 "
        "MiB\n"
        "     Ring.items -> list[0] -> Item.parent -> back to Ring\n"
        "                                  ~~~~~~~\n"
        "     cut Item.parent: the back reference from child to parent: make "
        "it a weakref\n"
        "     and one more like it\n"
        "     and Item.home: the reference from an element back to what "
        "holds it: make it a weakref\n"
        "     and one more like it: cut them all to leave no cycle\n"
        "     held by app.ring\n");
}

// Tasks in a set that drop out of it when they are done: whatever their ranks
// in the set, its elements are alike.
static void
elements_of_a_set(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t set = story_add(&made, "set", NULL, 2 << 20);
    story_attribute(&made, app, "background", set);
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t task = story_add(&made, "app.Task", NULL, 48);
        uint32_t done =
            story_add(&made, "builtin_function_or_method", "set.discard", 72);
        story_edge(&made, set, task, LG_EDGE_ELEMENT, i);
        story_edge(&made, task, done, LG_EDGE_NATIVE, 0);
        story_attribute(&made, done, "__self__", set);
    }
    expect_cycles(
        &made,
        "1 cycle: 1 held\n"
        "\n"
        " 1. held · 25 objects (12 app.Task, 12 builtin_function_or_method, "
        "set) · retains 2.00 MiB\n"
        "     Task native\n"
        "     -> builtin_function_or_method set.discard.__self__\n"
        "     -> set element\n"
        "           ~~~~~~~~\n"
        "     -> back to Task\n"
        "     cut set element: the reference that closes the cycle\n"
        "     and 11 more like it: cut them all to leave no cycle\n"
        "     held by app.background element\n");
}

// More names of references than the report lists.
static void
many_cuts(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t hub = story_add(&made, "app.Hub", NULL, 2 << 20);
    story_attribute(&made, app, "hub", hub);
    for (uint32_t i = 0; i < 11; i++) {
        char name[2] = {(char)('a' + i), '\0'};
        uint32_t item = story_add(&made, "app.Item", NULL, 48);
        story_attribute(&made, hub, name, item);
        story_attribute(&made, item, name, hub);
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_cycles cycles;
    lg_text text = {0};
    REQUIRE(lg_analysis_cycles(analysis, NULL, NULL, &cycles, NULL) == LG_OK);
    CHECK(cycles.count == 1);
    CHECK(cycles.items[0].cut_count == LG_CYCLE_CUTS_NAMED);
    CHECK(cycles.items[0].more + LG_CYCLE_CUTS_NAMED == 11);
    CHECK(cycles.items[0].left == LG_CUT_NONE);
    lg_report_cycles(analysis, &cycles, LG_FORMAT_TEXT, &text, NULL);
    CHECK(strstr(text.data, "     and 3 other references: cut them all to "
                            "leave no cycle\n") != NULL);
    lg_text_free(&text);
    lg_cycles_free(&cycles);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// An object refers to itself by an attribute, which its dict has, too: these
// are one reference to cut.
static void
stored_twice(void)
{
    for (int with_dict = 0; with_dict < 2; with_dict++) {
        story made = story_begin();
        uint32_t key = story_add(&made, "str", "me", 50);
        uint32_t thing = story_add(&made, "app.Thing", NULL, 48);
        uint32_t dict = story_add(&made, "dict", NULL, 64);
        story_attribute(&made, thing, "me", thing);
        story_edge(&made, thing, dict, LG_EDGE_DICT, 0);
        if (with_dict)
            story_edge(&made, dict, thing, LG_EDGE_VALUE, key);
        else
            story_attribute(&made, thing, "me", thing);
        lg_graph *graph = story_end(&made);
        lg_analysis *analysis = analysed(graph);
        lg_cycles cycles;
        REQUIRE(lg_analysis_cycles(analysis, NULL, NULL, &cycles, NULL) ==
                LG_OK);
        REQUIRE(cycles.count == 1);
        CHECK(cycles.items[0].cut_count == 1 && cycles.items[0].more == 0);
        CHECK(cycles.items[0].cuts[0].alike == 0);
        CHECK(cycles.items[0].left == LG_CUT_NONE);
        lg_cycles_free(&cycles);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

// Two items refer to their owner, and each stores the reference twice.
static void
alike_and_stored_twice(void)
{
    story made = story_begin();
    uint32_t ring = story_add(&made, "app.Ring", NULL, 48);
    uint32_t list = story_add(&made, "list", NULL, 80);
    story_attribute(&made, ring, "items", list);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t item = story_add(&made, "app.Item", NULL, 48);
        story_edge(&made, list, item, LG_EDGE_INDEX, i);
        story_attribute(&made, item, "parent", ring);
        story_attribute(&made, item, "parent", ring);
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_cycles cycles;
    REQUIRE(lg_analysis_cycles(analysis, NULL, NULL, &cycles, NULL) == LG_OK);
    REQUIRE(cycles.count == 1 && cycles.items[0].cut_count == 1);
    CHECK(cycles.items[0].cuts[0].alike == 1);
    lg_cycles_free(&cycles);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// A library's cycles come last in one entry, and are not leaks.
static void
libraries(void)
{
    story made = story_begin();
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t manager = story_add(&made, "logging.Manager", NULL, 4000);
        uint32_t root = story_add(&made, "logging.RootLogger", NULL, 48);
        story_attribute(&made, manager, "root", root);
        story_attribute(&made, root, "manager", manager);
    }
    uint32_t thing = story_add(&made, "app.Thing", NULL, 48);
    story_attribute(&made, thing, "me", thing);
    expect_cycles(
        &made,
        "4 cycles: 4 collectable\n"
        "\n"
        " 1. collectable · 1 object (app.Thing) · retains 48 B\n"
        "     Thing.me -> itself\n"
        "          ~~~\n"
        "     cut Thing.me: the attribute that closes the cycle: make it a "
        "weakref, or set it to None when done\n"
        "     the next gc.collect() frees it\n"
        "\n"
        " 2. collectable · 3 cycles of logging · retain 11.9 KiB\n"
        "     the library's own structure, where there is nothing to cut; "
        "the next gc.collect() frees them\n");
}

// The words for one of them alone.
static void
one_of_a_library(void)
{
    story made = story_begin();
    uint32_t manager = story_add(&made, "logging.Manager", NULL, 48);
    story_attribute(&made, manager, "manager", manager);
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    lg_cycles cycles;
    lg_text text = {0};
    REQUIRE(lg_analysis_cycles(analysis, NULL, NULL, &cycles, NULL) == LG_OK);
    REQUIRE(cycles.count == 1);
    lg_cycle_headline(graph, cycles.items, &text);
    lg_text_add(&text, "\n");
    lg_cycle_explanation(graph, cycles.items, &text);
    CHECK_TEXT(text, "collectable · 1 cycle of logging · retains 48 B\n"
                     "the library's own structure, where there is nothing to "
                     "cut; the next gc.collect() frees it");
    lg_text_free(&text);
    lg_cycles_free(&cycles);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

SUITE(cycle_cuts)
{
    RUN(several_cuts);
    RUN(elements_of_a_set);
    RUN(many_cuts);
    RUN(stored_twice);
    RUN(alike_and_stored_twice);
    RUN(libraries);
    RUN(one_of_a_library);
    return test_result();
}
