// Compares paths with a plain search over the hops.
#include "paths/paths_private.h"
#include "sample.h"
#include "story.h"
#include "test.h"

#include <leakgraph/internal/hops.h>
#include <leakgraph/internal/capture_builder.h>

static void
expect(const lg_graph *graph, uint32_t target, const char *expected)
{
    lg_path path;
    lg_text text = {0};
    REQUIRE(lg_path_from_root(graph, target, NULL, &path, NULL) == LG_OK);
    lg_text_addf(&text, "%s %.*s", lg_root_kind_name(path.root.kind),
                 (int)path.root.name.length, path.root.name.data);
    for (size_t i = 0; i < path.count; i++) {
        lg_text_add(&text, " ");
        lg_hop_label(graph, &path.hops[i], &text);
    }
    CHECK_TEXT(text, expected);
    lg_text_free(&text);
    lg_path_free(&path);
}

static void
sample_paths(void)
{
    lg_graph *graph;
    lg_path path;
    lg_error err;
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    expect(graph, SAMPLE_TRAIN, "module train");
    expect(graph, SAMPLE_LOSSES, "module train .losses");
    expect(graph, SAMPLE_LOSS, "thread MainThread frame 0 local loss");
    expect(graph, SAMPLE_MODEL, "module train .trainer .model");
    expect(graph, SAMPLE_CAPTURED,
           "module train .losses [1] ['it\\'s'] closure captured");
    expect(graph, SAMPLE_TRAINER_DICT, "module train .trainer");
    expect(graph, SAMPLE_LOSSES_KEY, "module train key 'losses'");
    expect(graph, SAMPLE_HUGE, "native  [0]");
    CHECK(lg_path_from_root(graph, SAMPLE_GARBAGE, NULL, &path, &err) ==
          LG_ENOTFOUND);
    CHECK(lg_path_from_root(graph, SAMPLE_COUNT, NULL, &path, &err) ==
          LG_EINVAL);
    lg_graph_free(graph);
    graph = sample_random(1, 20, true);
    CHECK(lg_path_from_root(graph, 0, NULL, &path, &err) == LG_EPARTIAL);
    lg_graph_free(graph);
}

// A partial graph has a path if its references prove that nothing else refers
// to what the path leads through.
static void
partial_paths(void)
{
    enum { WHOLE, HELD, HELD_BEFORE, ROOT_HELD, TWICE, GIVEN, CASES };
    for (unsigned i = 0; i < CASES; i++) {
        lg_path path;
        story made = story_begin();
        uint32_t app = story_module(&made, "app");
        uint32_t list = story_add(&made, "app.Queue", NULL, 56);
        uint32_t item = story_add(&made, "app.Item", NULL, 48);
        story_attribute(&made, app, "waiting", list);
        story_attribute(&made, list, "first", item);
        uint32_t other = story_add(&made, "app.Queue", NULL, 56);
        story_attribute(&made, app, "other", other);
        if (i == TWICE)
            story_attribute(&made, other, "first", item);
        if (i == HELD || i == HELD_BEFORE || i == ROOT_HELD)
            story_hold(&made,
                       i == HELD          ? item
                       : i == HELD_BEFORE ? list
                                          : app,
                       1);
        if (i == GIVEN)
            lg_builder_add_root(made.builder, other, LG_ROOT_GIVEN, "", 0);
        lg_builder_set_partial(made.builder, "a part");
        lg_graph *graph = story_end(&made);
        if (i == WHOLE || i == ROOT_HELD)
            expect(graph, item, "module app .waiting .first");
        else
            CHECK(lg_path_from_root(graph, item, NULL, &path, NULL) ==
                  LG_EPARTIAL);
        lg_graph_free(graph);
    }
}

// The name of a class comes from the module that defines it, not from one that
// imports it.
static void
imported(void)
{
    static const char *const others[] = {"app", "lib", "lib.parts.most"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        story made = story_begin();
        uint32_t other = story_module(&made, others[i]);
        uint32_t own = story_module(&made, "lib.parts");
        uint32_t part = story_add(&made, "type", "lib.parts.Part", 1000);
        story_attribute(&made, other, "Part", part);
        story_attribute(&made, own, "Part", part);
        lg_graph *graph = story_end(&made);
        expect(graph, part, "module lib.parts .Part");
        lg_graph_free(graph);
    }
}

// The penalty of each kind of reference, in references to keys: a path with one
// reference of the kind costs as much as a path with that many keys. On a tie,
// the path from the first module wins.
static const struct {
    unsigned kind;
    unsigned keys;
} costs[] = {
    {LG_EDGE_ATTRIBUTE, 0}, {LG_EDGE_VALUE, 0},   {LG_EDGE_INDEX, 0},
    {LG_EDGE_ELEMENT, 0},   {LG_EDGE_LOCAL, 0},   {LG_EDGE_CELL, 0},
    {LG_EDGE_FRAME, 0},     {LG_EDGE_KEY, 1},     {LG_EDGE_STACK, 1},
    {LG_EDGE_REFERENCE, 2}, {LG_EDGE_FIELD, 2},   {LG_EDGE_NATIVE, 2},
    {LG_EDGE_TYPE, 8},      {LG_EDGE_GLOBALS, 8},
};

enum { STEPS = 10 };

// A path from a new module: first references of the given kind, then
// attributes.
static void
add_path(story *made, const char *module, unsigned kind, unsigned count,
         uint32_t target)
{
    uint32_t at = story_module(made, module);
    uint32_t name = lg_builder_intern(made->builder, "x", 1);
    uint32_t key = story_add(made, "str", "x", 50);
    for (unsigned i = 0; i < STEPS; i++) {
        uint32_t next =
            i + 1 < STEPS ? story_add(made, "app.Step", NULL, 48) : target;
        unsigned each = i < count ? kind : LG_EDGE_ATTRIBUTE;
        story_edge(made, at, next, each, each == LG_EDGE_VALUE ? key : name);
        at = next;
    }
}

// Returns whether the path to the target starts at the first of two modules
// that lead there.
static bool
first_wins(unsigned kind, unsigned count, unsigned other, unsigned others)
{
    lg_path path;
    story made = story_begin();
    uint32_t target = story_add(&made, "app.Data", NULL, 1000);
    add_path(&made, "first", kind, count, target);
    add_path(&made, "second", other, others, target);
    lg_graph *graph = story_end(&made);
    REQUIRE(lg_path_from_root(graph, target, NULL, &path, NULL) == LG_OK);
    REQUIRE(path.count == STEPS);
    bool first = path.root.name.data[0] == 'f';
    lg_path_free(&path);
    lg_graph_free(graph);
    return first;
}

static void
penalties(void)
{
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        unsigned kind = costs[i].kind;
        unsigned keys = costs[i].keys;
        bool ties = first_wins(kind, 1, LG_EDGE_KEY, keys) &&
                    first_wins(LG_EDGE_KEY, keys, kind, 1);
        if (!ties || first_wins(LG_EDGE_KEY, keys + 1, kind, 1))
            fprintf(stderr, "a reference of kind %u is not worth %u keys\n",
                    kind, keys);
        CHECK(ties);
        CHECK(!first_wins(LG_EDGE_KEY, keys + 1, kind, 1));
    }
}

// An import costs something, but less than any other reference.
static void
least_cost(void)
{
    static const unsigned kinds[] = {LG_EDGE_ATTRIBUTE, LG_EDGE_KEY,
                                     LG_EDGE_STACK};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        story made = story_begin();
        uint32_t user = story_module(&made, "app");
        uint32_t own = story_module(&made, "lib");
        uint32_t part = story_add(&made, "type", "lib.Part", 1000);
        story_attribute(&made, user, "Part", part);
        story_edge(&made, own, part, kinds[i],
                   lg_builder_intern(made.builder, "Part", 4));
        lg_graph *graph = story_end(&made);
        expect(graph, part,
               kinds[i] == LG_EDGE_ATTRIBUTE ? "module lib .Part"
                                             : "module app .Part");
        lg_graph_free(graph);
    }
}

// Modules that keep things by their purpose come after a module of the user
// that keeps the same; all other modules are the user's.
static void
bookkeeping(void)
{
    static const char *const names[] = {"sys",
                                        "gc",
                                        "builtins",
                                        "linecache",
                                        "IPython",
                                        "ipykernel",
                                        "weakref",
                                        "_weakrefset",
                                        "atexit",
                                        "functools",
                                        "logging",
                                        "warnings",
                                        "importlib",
                                        "_frozen_importlib",
                                        "_frozen_importlib_external",
                                        "logging.handlers",
                                        "loggings",
                                        "log",
                                        "app.logging"};
    enum { COUNT = sizeof names / sizeof *names, USERS = 3 };
    for (size_t i = 0; i < COUNT; i++) {
        story made = story_begin();
        uint32_t data = story_add(&made, "list", NULL, 1000);
        lg_text expected = {0};
        story_attribute(&made, story_module(&made, names[i]), "kept", data);
        story_attribute(&made, story_module(&made, "user"), "kept", data);
        lg_graph *graph = story_end(&made);
        lg_text_addf(&expected, "module %s .kept",
                     i < COUNT - USERS ? "user" : names[i]);
        expect(graph, data, expected.data);
        lg_text_free(&expected);
        lg_graph_free(graph);
    }
}

// Two roots hold the same object: the path starts at the more telling root,
// wherever it stands.
static void
root_kinds(void)
{
    static const struct {
        lg_root_kind kind;
        const char *name;
    } roots[] = {
        {LG_ROOT_THREAD, "main"},      {LG_ROOT_MODULE, "app"},
        {LG_ROOT_MODULE, "sys"},       {LG_ROOT_INTERPRETER, "codecs"},
        {LG_ROOT_STATIC, "immortals"},
    };
    enum { COUNT = sizeof roots / sizeof *roots };
    for (size_t i = 0; i < (COUNT - 1) * 2; i++) {
        const size_t order[] = {i / 2 + i % 2, i / 2 + !(i % 2)};
        lg_path path;
        story made = story_begin();
        uint32_t data = story_add(&made, "list", NULL, 1000);
        for (size_t j = 0; j < 2; j++) {
            uint32_t root = story_add(&made, "app.Root", NULL, 16);
            const char *name = roots[order[j]].name;
            lg_builder_add_root(made.builder, root, roots[order[j]].kind, name,
                                strlen(name));
            story_attribute(&made, root, "x", data);
        }
        lg_graph *graph = story_end(&made);
        REQUIRE(lg_path_from_root(graph, data, NULL, &path, NULL) == LG_OK);
        CHECK(path.root.name.data[0] == roots[i / 2].name[0]);
        lg_path_free(&path);
        lg_graph_free(graph);
    }
}

// A thread is called by the name of its root, however short; without one, by
// that of its object.
static void
thread_names(void)
{
    static const char *const names[] = {"", "M"};
    for (size_t i = 0; i < 2; i++) {
        lg_path path;
        lg_text text = {0};
        story made = story_begin();
        uint32_t thread = story_add(&made, "thread", "Worker", 0);
        uint32_t data = story_add(&made, "list", NULL, 1000);
        story_attribute(&made, thread, "data", data);
        lg_builder_add_root(made.builder, thread, LG_ROOT_THREAD, names[i], i);
        lg_graph *graph = story_end(&made);
        REQUIRE(lg_path_from_root(graph, data, NULL, &path, NULL) == LG_OK);
        lg_path_label(graph, &path, &text);
        CHECK_TEXT(text, i > 0 ? "thread M.data" : "thread Worker.data");
        lg_text_free(&text);
        lg_path_free(&path);
        lg_graph_free(graph);
    }
}

static bool
refuse(void *context, const char *phase, double done)
{
    (void)phase;
    (void)done;
    ++*(int *)context;
    return false;
}

static void
cancelled(void)
{
    lg_graph *graph = sample_chain(10);
    lg_path path;
    int calls = 0;
    lg_monitor monitor = {refuse, &calls};
    CHECK(lg_path_from_root(graph, 9, &monitor, &path, NULL) == LG_ECANCELLED);
    CHECK(calls == 1);
    lg_graph_free(graph);
}

static uint32_t
seen(const lg_graph *graph, uint32_t node)
{
    uint32_t owner = lg_node_folded_into(graph, node);
    return owner == LG_NONE ? node : owner;
}

// The distance of every node from the roots, either native or others, by
// relaxation until nothing changes. It leaves out strings and types of folded
// namespaces, because no hop shows them.
static void
distances(const lg_graph *graph, bool native, uint32_t *distance)
{
    uint32_t nodes = lg_graph_columns(graph)->node_count;
    memset(distance, 0xff, nodes * sizeof *distance);
    for (uint32_t i = 0; i < lg_graph_root_count(graph); i++) {
        lg_root root = lg_graph_root(graph, i);
        if ((root.kind == LG_ROOT_NATIVE) == native)
            distance[seen(graph, root.node)] = 0;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = 0; n < nodes; n++) {
            lg_hops hops;
            REQUIRE(lg_node_hops_out(graph, n, &hops, NULL) == LG_OK);
            for (size_t i = 0; i < hops.count; i++) {
                uint32_t target = hops.items[i].target;
                if (hops.items[i].weak || distance[n] == LG_NONE ||
                    distance[target] <= distance[n] + 1)
                    continue;
                distance[target] = distance[n] + 1;
                changed = true;
            }
            lg_hops_free(&hops);
        }
    }
}

static void
check_connected(const lg_path *path, uint32_t target)
{
    uint32_t at = path->root.node;
    for (size_t i = 0; i < path->count; i++) {
        CHECK(path->hops[i].source == at && !path->hops[i].weak);
        CHECK(path->hops[i].edge_count > 0);
        at = path->hops[i].target;
    }
    CHECK(at == target);
}

// A path may be shorter than the shown hops suggest, because it uses what they
// leave out.
static void
check_target(const lg_graph *graph, uint32_t node, const uint32_t *near,
             const uint32_t *native)
{
    lg_path path;
    uint32_t target = seen(graph, node);
    lg_status status = lg_path_from_root(graph, node, NULL, &path, NULL);
    if (status == LG_ENOTFOUND) {
        CHECK(near[target] == LG_NONE && native[target] == LG_NONE);
        return;
    }
    REQUIRE(status == LG_OK);
    check_connected(&path, target);
    if (near[target] != LG_NONE) {
        CHECK(path.root.kind != LG_ROOT_NATIVE);
        CHECK(path.count <= near[target]);
    } else if (path.root.kind == LG_ROOT_NATIVE) {
        CHECK(path.count <= native[target]);
    }
    bool hidden = false;
    for (size_t i = 0; i < path.count; i++) {
        unsigned last =
            lg_columns_kind(lg_graph_columns(graph),
                            path.hops[i].edges[path.hops[i].edge_count - 1]);
        last &= LG_EDGE_KIND_MASK;
        hidden |= path.hops[i].edge_count == 2 &&
                  (last == LG_EDGE_KEY || last == LG_EDGE_TYPE);
    }
    if (!hidden)
        CHECK(path.count == (path.root.kind == LG_ROOT_NATIVE ? native[target]
                                                              : near[target]));
    lg_path_free(&path);
}

static void
random_paths(void)
{
    uint32_t near[60];
    uint32_t native[60];
    for (uint64_t seed = 0; seed < 200; seed++) {
        uint32_t nodes = 3 + (uint32_t)(seed % 57);
        lg_graph *graph = sample_random(seed, nodes, false);
        distances(graph, false, near);
        distances(graph, true, native);
        for (uint32_t node = 0; node < nodes; node++)
            check_target(graph, node, near, native);
        lg_graph_free(graph);
    }
}

// A chain of objects is one step of a folded path.
static void
chains(void)
{
    static const struct {
        uint32_t links;
        bool in_lists;
        const char *expected;
    } cases[] = {
        {3, false, "app.head.next.next.next"},
        {4, false, "app.head.next"},
        {30, false, "app.head.next"},
        {3, true, "app.head.all[*].all[*].all[*]"},
        {4, true, "app.head.all[*]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        story made = story_begin();
        uint32_t at = story_add(&made, "app.Node", NULL, 48);
        lg_path path = {0};
        lg_text text = {0};
        story_attribute(&made, story_module(&made, "app"), "head", at);
        for (uint32_t link = 0; link < cases[i].links; link++) {
            uint32_t next = story_add(&made, "app.Node", NULL, 48);
            uint32_t list =
                cases[i].in_lists ? story_add(&made, "list", NULL, 64) : next;
            story_attribute(&made, at, cases[i].in_lists ? "all" : "next",
                            list);
            if (cases[i].in_lists)
                story_edge(&made, list, next, LG_EDGE_INDEX, link);
            at = next;
        }
        lg_graph *graph = story_end(&made);
        REQUIRE(lg_path_from_root(graph, at, NULL, &path, NULL) == LG_OK);
        lg__format_folded_path(graph, &path, &text);
        CHECK_TEXT(text, cases[i].expected);
        lg_text_free(&text);
        lg_path_free(&path);
        lg_graph_free(graph);
    }
}

SUITE(path)
{
    RUN(chains);
    RUN(sample_paths);
    RUN(partial_paths);
    RUN(imported);
    RUN(penalties);
    RUN(least_cost);
    RUN(bookkeeping);
    RUN(root_kinds);
    RUN(thread_names);
    RUN(cancelled);
    RUN(random_paths);
    return test_result();
}
