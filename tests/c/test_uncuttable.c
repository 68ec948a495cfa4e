// References that no program can cut, because it cannot reach them.
#include "drawn.h"
#include "paths/paths_private.h"
#include "story.h"
#include "test.h"

#include <leakgraph/why.h>

#include <string.h>

// A program cannot reach a list in a tuple of which it has only an iterator:
// itertools.chain([x]).
static void
only_viewed_tuple(void)
{
    for (int named = 0; named < 2; named++) {
        story made = story_begin();
        uint32_t module = story_module(&made, "app");
        uint32_t view = story_add(&made, "tuple_iterator", NULL, 48);
        uint32_t tuple = story_add(&made, "tuple", NULL, 48);
        uint32_t list = story_add(&made, "list", NULL, 64);
        uint32_t thing = story_add(&made, "app.Kept", NULL, 48);
        story_attribute(&made, module, "view", view);
        story_edge(&made, view, tuple, LG_EDGE_FIELD, 16);
        story_edge(&made, tuple, list, LG_EDGE_INDEX, 0);
        story_edge(&made, list, thing, LG_EDGE_INDEX, 0);
        if (named)
            story_attribute(&made, module, "tuple", tuple);
        lg_graph *graph = story_end(&made);
        const lg_columns *columns = lg_graph_columns(graph);
        CHECK(lg__edge_can_be_cut(
                  graph, lg_columns_first_edge(columns, list)) == (named == 1));
        lg_graph_free(graph);
    }
}

// What an item of a container is, and whether the container can let it go. A
// class derived from one that never changes may have attributes that do.
static void
items(void)
{
    static const struct {
        const char *type, *base;
        lg_edge_kind kind;
        bool can;
    } cases[] = {
        {"frozenset", NULL, LG_EDGE_ELEMENT, false},
        {"set", NULL, LG_EDGE_ELEMENT, true},
        {"app.Tags", "frozenset", LG_EDGE_ELEMENT, false},
        {"app.Tags", "frozenset", LG_EDGE_ATTRIBUTE, true},
        {"frozendict", NULL, LG_EDGE_VALUE, false},
        {"frozendict", NULL, LG_EDGE_KEY, false},
        {"dict", NULL, LG_EDGE_KEY, true},
        {"app.Settings", "frozendict", LG_EDGE_VALUE, false},
        {"app.Settings", "frozendict", LG_EDGE_KEY, false},
        {"app.Settings", "frozendict", LG_EDGE_ATTRIBUTE, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        story made = story_begin();
        if (cases[i].base != NULL)
            story_type(&made, cases[i].type, cases[i].base);
        uint32_t module = story_module(&made, "app");
        uint32_t holder = story_add(&made, cases[i].type, NULL, 64);
        uint32_t thing = story_add(&made, "app.Kept", NULL, 48);
        story_attribute(&made, module, "holder", holder);
        story_edge(&made, holder, thing, cases[i].kind, 0);
        lg_graph *graph = story_end(&made);
        uint64_t edge = lg_columns_first_edge(lg_graph_columns(graph), holder);
        CHECK(lg__edge_can_be_cut(graph, edge) == cases[i].can);
        lg_graph_free(graph);
    }
}

// codecs.unregister() is newer than CPython 3.9.
static void
codecs(void)
{
    static const char *const versions[] = {"3.9.18", "3.10.2", "3.13.0"};
    for (int i = 0; i < 3; i++) {
        story made = story_begin();
        uint32_t module = story_module(&made, "app");
        uint32_t list = story_add(&made, "list", NULL, 64);
        uint32_t thing = story_add(&made, "app.Kept", NULL, 48);
        story_edge(&made, module, list, LG_EDGE_NATIVE,
                   lg_builder_intern(made.builder, "codec_search_path", 17));
        story_edge(&made, list, thing, LG_EDGE_INDEX, 0);
        lg_builder_set_info(made.builder, "python", versions[i]);
        lg_graph *graph = story_end(&made);
        lg_analysis *analysis = analysed(graph);
        lg_why why;
        REQUIRE(lg_node_why(analysis, thing, NULL, &why, NULL) == LG_OK);
        CHECK(why.frees_count == (i > 0));
        CHECK(why.cuts.is_kept == (i == 0));
        CHECK(why.hint == (i == 0 ? LG_HINT_NONE : LG_HINT_CALL));
        CHECK(why.call == (i == 0 ? LG_CALL_NONE : LG_CALL_CODECS));
        lg_why_clear(&why);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

// A program cannot reach the dict of a call that is running, `f(**kwargs)`.
static void
only_called_with(void)
{
    for (int named = 0; named < 2; named++) {
        story made = story_begin();
        uint32_t module = story_module(&made, "app");
        uint32_t frame = story_add(&made, "frame", "f() app.py:3", 64);
        uint32_t dict = story_add(&made, "dict", NULL, 64);
        uint32_t key = story_add(&made, "str", "x", 50);
        uint32_t thing = story_add(&made, "app.Kept", NULL, 48);
        lg_builder_add_root(made.builder, frame, LG_ROOT_THREAD, "main", 4);
        story_edge(&made, frame, dict, LG_EDGE_STACK, 2);
        story_edge(&made, dict, thing, LG_EDGE_VALUE, key);
        story_edge(&made, frame, thing, LG_EDGE_STACK, 1);
        if (named)
            story_attribute(&made, module, "dict", dict);
        lg_graph *graph = story_end(&made);
        lg_analysis *analysis = analysed(graph);
        const lg_columns *columns = lg_graph_columns(graph);
        lg_why why;
        CHECK(lg__edge_can_be_cut(
                  graph, lg_columns_first_edge(columns, dict)) == (named == 1));
        REQUIRE(lg_node_why(analysis, thing, NULL, &why, NULL) == LG_OK);
        // What the call holds lasts as long as the call. The rest can go.
        CHECK(why.cuts.is_kept && why.cuts.kept.count > 0);
        CHECK(why.cuts.count == (size_t)named);
        lg_why_clear(&why);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

// Returns whether a program can cut the attribute of an object of that type, or
// of one that is an operation with others before it.
static bool
can_cut(const char *type, const char *name, bool operation, bool in_python)
{
    story made = story_begin();
    uint32_t module = story_module(&made, "app");
    uint32_t total = story_add(&made, "torch.Tensor", NULL, 64);
    story_attribute(&made, module, "total", total);
    made.flags = in_python ? 0 : LG_NODE_CPP;
    uint32_t last = story_add(&made, type, NULL, 100);
    uint32_t before = story_add(&made, "MulBackward0", NULL, 100);
    story_attribute(&made, total, "grad_fn", last);
    story_attribute(&made, last, name, before);
    if (operation)
        story_attribute(&made, last, "next_functions[0][0]", before);
    lg_graph *graph = story_end(&made);
    const lg_columns *columns = lg_graph_columns(graph);
    CHECK(lg__edge_can_be_cut(graph, lg_columns_first_edge(columns, total)));
    bool can = lg__edge_can_be_cut(graph, lg_columns_first_edge(columns, last));
    lg_graph_free(graph);
    return can;
}

// A tensor can let go of the graph that made it; nothing takes an operation, or
// what it has saved, out of that graph. An operation may have an object of
// Python, to which a program can give attributes.
static void
operations_of_autograd(void)
{
    for (int in_python = 0; in_python < 2; in_python++) {
        CHECK(
            !can_cut("AddBackward0", "next_functions[1][0]", true, in_python));
        CHECK(!can_cut("AddBackward0", "_saved_self", true, in_python));
        CHECK(
            !can_cut("AddBackward0", "_raw_saved_self.data", true, in_python));
        CHECK(!can_cut("AddBackward", "saved_tensors[0]", true, in_python));
        CHECK(!can_cut("AccumulateGrad", "variable", false, in_python));
    }
    CHECK(can_cut("AddBackward0", "note", true, true));
    CHECK(can_cut("app.Model", "_saved_state", false, true));
    CHECK(can_cut("app.Solver", "variable", false, true));
}

SUITE(uncuttable)
{
    RUN(only_viewed_tuple);
    RUN(items);
    RUN(operations_of_autograd);
    RUN(codecs);
    RUN(only_called_with);
    return test_result();
}
