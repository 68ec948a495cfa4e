// Checks the score of each rule about where to cut, one rule a row: the cut has
// the highest score. Also checks the other references that must be cut.
#include "cycles/cut_rule.h"
#include "table/words.h"

#include "drawn.h"
#include "story.h"
#include "test.h"

#define OBJECT "app.Object"
#define FIGURE "matplotlib.figure.Figure"
#define PATCH "matplotlib.patches.Rectangle"
#define CONTEXT "torch.autograd.function.FunctionCtx"

// A hop from a source to a target, in a cycle whose other hop is called `with`.
typedef struct row {
    const char *source;
    const char *label;
    const char *target;
    const char *with;
    int score;
    const char *reason; // the beginning
} row;

static const row rows[] = {
    // A class and its parts: never worth a cut.
    {OBJECT, "__class__", "type", ".x", 1, "a class always refers to itself"},
    {"type", ".__mro__", "tuple", "[0]", 2, "a class always"},
    {"type", ".__bases__", "tuple", "[0]", 2, "a class always"},
    {"type", ".__base__", "type", ".x", 2, "a class always"},
    {"function", "closure __class__", "type", ".x", 2, "a class always"},
    {"function", ".__objclass__", "type", ".x", 2, "a class always"},
    {"tuple", "[0]", "type", ".__mro__", 2, "a class always"},
    {"tuple", "[0]", "type", ".x", 20, "the element that closes"},
    {"type", ".__dict__", "getset_descriptor", ".__objclass__", 2, "a class"},
    {"type", ".copy", "function", "closure Local", 2, "a class always refers"},
    {"enum.EnumType", ".RED", OBJECT, ".x", 2, "a class always refers"},
    {OBJECT, ".__objclass__", "type", ".RED", 2, "a class always refers"},
    {"dict", "['RED']", OBJECT, "._member_map_", 2, "a class always refers"},
    {"enum.EnumMeta", ".RED", OBJECT, ".x", 2, "a class always refers"},
    // Autograd.
    {"torch.Tensor", ".grad", "torch.Tensor", ".x", 92, "a gradient that"},
    {"torch.Tensor", ".grad", OBJECT, ".x", 40, "the attribute that closes"},
    {OBJECT, "._raw_saved_self", "tuple", ".grad_fn", 90, "a hook on saved"},
    {OBJECT, "._raw_saved_self", "tuple", ".x", 40, "the attribute that"},
    {"torch.Tensor", ".grad_fn", OBJECT, ".x", 4, "inside of the autograd"},
    // Exceptions, and the frames that they keep.
    {"BaseException", ".__traceback__", "traceback", ".x", 90, "an exception"},
    {"frame", "local error", "BaseException", ".x", 60, "an exception kept"},
    {"traceback", ".tb_frame", "frame", ".x", 10, "an exception kept"},
    {"traceback", ".tb_next", "traceback", ".x", 5, "an exception kept"},
    {"frame", ".f_back", "frame", ".x", 5, "a local variable of a frame"},
    {"BaseException", ".__context__", "BaseException", ".x", 70, "an exc"},
    {"BaseException", ".__cause__", "BaseException", ".x", 65, "an exc"},
    {"frame", "local x", OBJECT, ".x", 50, "a local variable of a frame"},
    {"generator", "local x", OBJECT, ".x", 52, "a generator or coroutine"},
    // Callables, by the place where they are stored.
    {"function", "closure self", OBJECT, "._hooks", 88, "a hook captures"},
    {"method", ".__self__", OBJECT, "._hooks", 88, "a hook captures"},
    {"function", "closure self", OBJECT, "._cache", 80, "a cache keeps"},
    {"function", "closure f", "function", "closure g", 86, "a nested function"},
    {"method", ".__self__", OBJECT, ".press", 78, "a bound method stored"},
    {"function", "closure self", OBJECT, ".press", 76, "what is stored here"},
    {"function", ".__defaults__[0]", OBJECT, ".press", 74, "what is stored"},
    {"functools.partial", ".args", OBJECT, ".press", 48, "what is stored"},
    {"functools.partial", ".keywords", OBJECT, ".press", 48, "what is stored"},
    {"function", ".__wrapped__", "function", ".x", 30, "a wrapper and what"},
    // From a child to its parent.
    {OBJECT, ".parent", OBJECT, ".x", 84, "the back reference from child"},
    {OBJECT, "._parent", OBJECT, ".x", 84, "the back reference from child"},
    {OBJECT, ".my_parent", OBJECT, ".x", 82, "the back reference from child"},
    {OBJECT, ".parent_of", OBJECT, ".x", 82, "the back reference from child"},
    {OBJECT, ".owner", OBJECT, ".x", 84, "the back reference from child"},
    {OBJECT, ".its_owner", OBJECT, ".x", 82, "the back reference from child"},
    {OBJECT, ".outer", OBJECT, ".x", 80, "the back reference from child"},
    {OBJECT, ".container", OBJECT, ".x", 80, "the back reference from child"},
    {OBJECT, ".root", OBJECT, ".x", 78, "the back reference from child"},
    {OBJECT, "._root", OBJECT, ".x", 78, "the back reference from child"},
    {OBJECT, ".master", OBJECT, ".x", 78, "the back reference from child"},
    {OBJECT, ".figure", FIGURE, ".x", 80, "the back reference from child"},
    // Objects of a library: the program cannot cut these references, or not
    // easily.
    {PATCH, "._parent_figure", FIGURE, ".x", 80, "the structure of a library"},
    {PATCH, ".callback", OBJECT, ".x", 16, "an object of a library refers"},
    {"list", "[0]", PATCH, ".items", 20, "the structure of a library"},
    {PATCH, ".items", "list", ".x", 40, "the structure of a library"},
    {OBJECT, "._modules", "dict", ".x", 3, "the structure of a library"},
    {CONTEXT, ".result", "torch.Tensor", ".x", 91, "an output stored on ctx"},
    {OBJECT, ".figure", OBJECT, ".x", 80, "the back reference from child"},
    {OBJECT, ".axes", OBJECT, ".x", 79, "the back reference from child"},
    {OBJECT, "._axes", OBJECT, ".x", 79, "the back reference from child"},
    {OBJECT, ".axis", OBJECT, ".x", 79, "the back reference from child"},
    {OBJECT, ".canvas", OBJECT, ".x", 60, "the back reference from child"},
    {OBJECT, ".manager", OBJECT, ".x", 62, "the back reference from child"},
    // Linked structures.
    {OBJECT, ".prev", OBJECT, ".x", 80, "the back reference of a linked"},
    {OBJECT, ".previous", OBJECT, ".x", 80, "the back reference of a linked"},
    {OBJECT, "._prev", OBJECT, ".x", 80, "the back reference of a linked"},
    {OBJECT, ".back", OBJECT, ".x", 60, "the back reference of a linked"},
    {OBJECT, ".link_back", OBJECT, ".x", 60, "the back reference of a linked"},
    // Registered objects.
    {OBJECT, ".my_hooks", OBJECT, ".x", 66, "a hook captures"},
    {OBJECT, ".callback", OBJECT, ".x", 66, "a registered callback"},
    {OBJECT, ".on_callback", OBJECT, ".x", 66, "a registered callback"},
    {OBJECT, ".callbacks", OBJECT, ".x", 66, "a registered callback"},
    {OBJECT, ".listeners", OBJECT, ".x", 66, "a registered callback"},
    {OBJECT, ".observers", OBJECT, ".x", 66, "a registered callback"},
    {OBJECT, ".subscribers", OBJECT, ".x", 66, "a registered callback"},
    {OBJECT, ".handlers", OBJECT, ".x", 60, "a registered callback"},
    {OBJECT, "._cache", OBJECT, ".x", 64, "a cache keeps"},
    {OBJECT, ".memo", OBJECT, ".x", 64, "a cache keeps"},
    // Anything else.
    {"type", ".other", "type", ".x", 45, "two classes refer to each other"},
    {"type", ".instance", OBJECT, ".x", 55, "an instance stored on its own"},
    {OBJECT, ".group", OBJECT, "[0]", 58, "the reference from an element"},
    {OBJECT, ".group", OBJECT, ".x", 40, "the attribute that closes"},
    {"numpy.ndarray", "[0]", OBJECT, ".x", 35, "an array of objects"},
    {"dict", "['k']", OBJECT, ".x", 30, "the entry that closes"},
    {"list", "[0]", OBJECT, ".x", 20, "the element that closes"},
    {OBJECT, "native", OBJECT, ".x", 10, "the reference that closes"},
};

static lg__verdict
judge(const row *at)
{
    story made = story_begin();
    lg_hop hops[2] = {0};
    size_t ends[] = {strlen(at->label), strlen(at->label) + strlen(at->with)};
    lg__labels labels = {.end = ends};
    hops[0].source = hops[1].target = story_add(&made, at->source, NULL, 48);
    hops[0].target = hops[1].source = story_add(&made, at->target, NULL, 48);
    lg_graph *graph = story_end(&made);
    lg_hops round_trip = {.items = hops, .count = 2};
    lg_text_addf(&labels.text, "%s%s", at->label, at->with);
    lg__verdict found = lg__rule_judge(graph, &round_trip, &labels, 0);
    lg_text_free(&labels.text);
    lg_graph_free(graph);
    return found;
}

static void
each_rule(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lg__verdict found = judge(&rows[i]);
        bool right = found.score == rows[i].score &&
                     strncmp(lg__cut_words(found.reason), rows[i].reason,
                             strlen(rows[i].reason)) == 0;
        if (!right)
            fprintf(stderr, "%s %s: %d, %s\n", rows[i].source, rows[i].label,
                    found.score, lg__cut_words(found.reason));
        CHECK(right);
    }
}

// Nobody can cut a reference of a C++ object, except one to what a hook saved.
static void
out_of_reach(void)
{
    static const char *const labels[] = {".next_functions", "._raw_saved_self"};
    for (size_t i = 0; i < 2; i++) {
        story made = story_begin();
        lg_hop hops[2] = {0};
        size_t ends[] = {2, 2 + strlen(labels[i])};
        lg__labels all = {.end = ends};
        hops[0].source = hops[1].target = story_add(&made, OBJECT, NULL, 48);
        made.flags |= LG_NODE_CPP;
        hops[1].source = hops[0].target = story_add(&made, OBJECT, NULL, 48);
        lg_graph *graph = story_end(&made);
        lg_hops round_trip = {.items = hops, .count = 2};
        lg_text_addf(&all.text, ".x%s", labels[i]);
        lg__verdict found = lg__rule_judge(graph, &round_trip, &all, 1);
        CHECK(found.cut == 1);
        CHECK(found.fixed == (i == 0) && (found.score == 0) == (i == 0));
        CHECK((found.reason == LG_STAYS_CPP) == (i == 0));
        lg_text_free(&all.text);
        lg_graph_free(graph);
    }
}

// An attribute that can only be read is not advised as one to set to None.
static void
unremovable(void)
{
    for (int read_only = 0; read_only < 2; read_only++) {
        story made = story_begin();
        uint32_t node = story_add(&made, "numpy.ndarray", NULL, 112);
        story_attribute(&made, node, read_only ? "base" : "other", node);
        lg_graph *graph = story_end(&made);
        uint64_t edge = lg_columns_first_edge(lg_graph_columns(graph), node);
        lg_hop hop = {
            .source = node, .target = node, .edges = {edge}, .edge_count = 1};
        lg_hops round_trip = {.items = &hop, .count = 1};
        size_t end = 0;
        lg__labels all = {.end = &end};
        lg_hop_label(graph, &hop, &all.text);
        end = all.text.length;
        lg__verdict found = lg__rule_judge(graph, &round_trip, &all, 0);
        CHECK(found.fixed == read_only);
        CHECK(found.reason == (read_only ? LG_STAYS_FIXED : LG_CUT_ATTRIBUTE));
        lg_text_free(&all.text);
        lg_graph_free(graph);
    }
}

// A program removes the entry of a registry, not the registry.
static void
entry_of_a_registry(void)
{
    static const struct {
        const char *name;
        const char *type;
        size_t cut;
    } cases[] = {
        {"on_hooks", "list", 1},
        {"my_cache", "dict", 1},
        {"on_hooks", "tuple", 0},
        {"on_hooks", "app.Hooks", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        story made = story_begin();
        uint32_t node = story_add(&made, "app.Node", NULL, 48);
        uint32_t registry = story_add(&made, cases[i].type, NULL, 48);
        story_attribute(&made, node, cases[i].name, registry);
        story_edge(&made, registry, node, LG_EDGE_INDEX, 0);
        lg_graph *graph = story_end(&made);
        const lg_columns *columns = lg_graph_columns(graph);
        lg_hop hops[] = {
            {node, registry, {lg_columns_first_edge(columns, node)}, 1, false},
            {registry,
             node,
             {lg_columns_first_edge(columns, registry)},
             1,
             false},
        };
        lg_hops round_trip = {.items = hops, .count = 2};
        size_t ends[2];
        lg__labels all = {.end = ends};
        for (size_t hop = 0; hop < 2; hop++) {
            lg_hop_label(graph, &hops[hop], &all.text);
            ends[hop] = all.text.length;
        }
        lg__verdict found = lg__rule_judge(graph, &round_trip, &all, 0);
        CHECK(found.cut == cases[i].cut && !found.fixed);
        lg_text_free(&all.text);
        lg_graph_free(graph);
    }
}

// Ends the story, which has one component.
static void
check_alike(story *made, size_t cuts, size_t alike)
{
    lg_cycles cycles;
    lg_graph *graph = story_end(made);
    lg_analysis *analysis = analysed(graph);
    REQUIRE(lg_analysis_cycles(analysis, NULL, NULL, &cycles, NULL) == LG_OK);
    REQUIRE(cycles.count == 1);
    REQUIRE(cycles.items[0].cut_count == cuts);
    if (cycles.items[0].cuts[0].alike != alike)
        fprintf(stderr, "%zu alike, not %zu\n", cycles.items[0].cuts[0].alike,
                alike);
    CHECK(cycles.items[0].cuts[0].alike == alike);
    CHECK(cycles.items[0].more == 0 && cycles.items[0].left == LG_CUT_NONE);
    lg_cycles_free(&cycles);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// A chain of four objects; each refers back to the previous one by these names.
static void
chain(const char *first, const char *second, const char *third, size_t cuts,
      size_t alike)
{
    const char *const names[] = {first, second, third};
    story made = story_begin();
    for (uint32_t i = 0; i < 4; i++)
        story_add(&made, "app.Node", NULL, 48);
    for (uint32_t i = 0; i < 3; i++) {
        story_attribute(&made, i, "next", i + 1);
        story_attribute(&made, i + 1, names[i], i);
    }
    check_alike(&made, cuts, alike);
}

// Two containers, each of which contains the other twice.
static void
mutual(const char *type, unsigned kind, unsigned other_kind, size_t cuts,
       size_t alike)
{
    story made = story_begin();
    for (uint32_t i = 0; i < 2; i++)
        story_add(&made, type, NULL, 72);
    uint32_t key = story_add(&made, "str", "one", 50);
    uint32_t other_key = story_add(&made, "str", "two", 50);
    for (uint32_t i = 0; i < 2; i++) {
        bool index = kind == LG_EDGE_INDEX;
        story_edge(&made, i, 1 - i, kind, index ? 0 : key);
        story_edge(&made, i, 1 - i, other_kind, index ? 1 : other_key);
    }
    check_alike(&made, cuts, alike);
}

// References of the same name, and elements of containers with any index or
// key.
static void
alike(void)
{
    chain("prev", "prev", "prev", 1, 2);
    chain("prev", "prec", "prev", 2, 1);
    chain("prev", "previous", "prev", 2, 1);
    mutual("list", LG_EDGE_INDEX, LG_EDGE_INDEX, 1, 1);
    mutual("dict", LG_EDGE_VALUE, LG_EDGE_VALUE, 1, 1);
    mutual("list", LG_EDGE_INDEX, LG_EDGE_REFERENCE, 2, 0);
}

SUITE(cut_rule)
{
    RUN(each_rule);
    RUN(out_of_reach);
    RUN(unremovable);
    RUN(entry_of_a_registry);
    RUN(alike);
    return test_result();
}
