// What a debugger adds to a program leads to a node only if nothing else does.
#include "paths/paths_private.h"
#include "heaps.h"
#include "story.h"
#include "test.h"

#include <leakgraph/text.h>
#include <leakgraph/why.h>
#include <leakgraph/internal/why_facts.h>

// A program that stopped in a function with a variable `data`, as pdb sees it.
typedef struct session {
    story made;
    uint32_t thread;
    uint32_t frame; // of the function
    uint32_t data;
    uint32_t copy; // of the variables
} session;

// Adds a frame of the thread that runs a function of a module.
static uint32_t
add_frame(session *to, const char *text, uint32_t names, uint32_t level)
{
    uint32_t frame = story_add(&to->made, "frame", text, 100);
    uint32_t function = story_add(&to->made, "function", NULL, 100);
    story_edge(&to->made, to->thread, frame, LG_EDGE_FRAME, level);
    story_attribute(&to->made, frame, "function", function);
    story_edge(&to->made, function, names, LG_EDGE_GLOBALS,
               lg_builder_intern(to->made.builder, "f_globals", 9));
    return frame;
}

static uint32_t
add_module(session *to, const char *name)
{
    uint32_t module = story_module(&to->made, name);
    uint32_t names = story_add(&to->made, "dict", NULL, 200);
    story_edge(&to->made, module, names, LG_EDGE_DICT, 0);
    return names;
}

static session
begin(void)
{
    session to = {.made = story_begin()};
    story_type(&to.made, "bdb.Bdb", NULL);
    story_type(&to.made, "pdb.Pdb", "bdb.Bdb");
    to.thread = story_add(&to.made, "thread", "MainThread", 0);
    lg_builder_add_root(to.made.builder, to.thread, LG_ROOT_THREAD,
                        "MainThread", 10);
    to.frame = story_add(&to.made, "frame", "inner() app.py:6", 100);
    to.data = story_add(&to.made, "app.Data", NULL, 1000);
    story_local(&to.made, to.frame, "data", to.data);
    return to;
}

// Lets pdb look at the frame: from a frame of its own, and by the copy of the
// variables with which it runs what is typed.
static void
debug(session *to, const char *type, const char *module)
{
    uint32_t app = add_module(to, "app");
    uint32_t pdb =
        add_frame(to, "default() pdb.py:4", add_module(to, module), 1);
    uint32_t self = story_add(&to->made, type, NULL, 48);
    uint32_t copy = story_add(&to->made, "dict", NULL, 200);
    to->copy = copy;
    uint32_t typed = add_frame(to, "<module>() <stdin>:1", app, 0);
    story_local(&to->made, pdb, "self", self);
    story_attribute(&to->made, self, "curframe", to->frame);
    story_attribute(&to->made, self, "curframe_locals", copy);
    story_attribute(&to->made, to->frame, "f_locals", copy);
    story_attribute(&to->made, typed, "f_locals", copy);
    heap_item(&to->made, copy, "data", to->data);
}

static void
keep_traceback(session *to)
{
    uint32_t names = add_module(to, "sys");
    uint32_t before = story_add(&to->made, "traceback", NULL, 56);
    heap_item(&to->made, names, "last_traceback", before);
    for (int i = 0; i < 3; i++) {
        uint32_t next = story_add(&to->made, "traceback", NULL, 56);
        story_attribute(&to->made, before, "tb_next", next);
        before = next;
    }
    story_attribute(&to->made, before, "tb_frame", to->frame);
}

// Returns whether the search for one path and the tree of all paths agree.
static bool
agrees(const lg_graph *graph, uint32_t node)
{
    lg_path one = {0};
    lg_path other = {0};
    lg__roottree tree = {0};
    lg_status status = lg_path_from_root(graph, node, NULL, &one, NULL);
    REQUIRE(lg__roottree_new(graph, NULL, &tree, NULL) == LG_OK);
    bool same = lg__roottree_path(&tree, node, &other, NULL) == status &&
                one.count == other.count && one.root.node == other.root.node;
    for (size_t i = 0; same && i < one.count; i++)
        same = one.hops[i].source == other.hops[i].source;
    lg_path_free(&one);
    lg_path_free(&other);
    lg__roottree_free(&tree);
    return same;
}

static void
add_line(const lg_graph *graph, const lg_path *path, lg_text *out)
{
    lg_path_label(graph, path, out);
    lg_text_add(out, "\n");
}

// Ends the session. Checks the best path to the data, and then what to cut.
static void
expect(session *to, const char *expected)
{
    lg_graph *graph = story_end(&to->made);
    lg_analysis *analysis;
    lg_why why;
    lg_text text = {0};
    for (uint32_t i = 0; i < lg_graph_columns(graph)->node_count; i++)
        CHECK(agrees(graph, i));
    REQUIRE(lg_analysis_new(graph, NULL, &analysis, NULL) == LG_OK);
    REQUIRE(lg_node_why(analysis, to->data, NULL, &why, NULL) == LG_OK);
    add_line(graph, &why.path, &text);
    for (size_t i = 0; i < why.cuts.count; i++)
        add_line(graph, &why.cuts.items[i].path, &text);
    CHECK_TEXT(text, expected);
    CHECK((why.hint == LG_HINT_LOCALS) ==
          (strstr(expected, "f_locals") != NULL));
    lg_text_free(&text);
    lg_why_clear(&why);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

static void
after_an_error(void)
{
    session to = begin();
    debug(&to, "pdb.Pdb", "pdb");
    keep_traceback(&to);
    expect(&to,
           "sys.last_traceback.tb_next.tb_next.tb_next.tb_frame local data\n"
           "sys.last_traceback.tb_next.tb_next.tb_next.tb_frame local data\n"
           "thread MainThread in <module>() <stdin>:1.f_locals['data']\n");
}

// What a debugger adds comes last even where it is a root.
static void
root_of_a_debugger(void)
{
    session to = begin();
    debug(&to, "pdb.Pdb", "pdb");
    keep_traceback(&to);
    lg_builder_add_root(to.made.builder, to.copy, LG_ROOT_INTERPRETER, "copy",
                        4);
    lg_graph *graph = story_end(&to.made);
    lg_path path = {0};
    lg_text text = {0};
    REQUIRE(lg_path_from_root(graph, to.data, NULL, &path, NULL) == LG_OK);
    add_line(graph, &path, &text);
    CHECK_TEXT(text, "sys.last_traceback.tb_next.tb_next.tb_next.tb_frame "
                     "local data\n");
    lg_text_free(&text);
    lg_path_free(&path);
    lg_graph_free(graph);
}

// Nothing but the debugger keeps the frame; a class of the user's debugs.
static void
only_the_debugger(void)
{
    session to = begin();
    story_type(&to.made, "app.Debugger", "bdb.Bdb");
    debug(&to, "app.Debugger", "app2");
    story_hold(&to.made, to.frame, 1);
    expect(&to,
           "thread MainThread in default() pdb.py:4 local self.curframe local "
           "data\n"
           "thread MainThread in default() pdb.py:4 local self.curframe local "
           "data\n"
           "thread MainThread in <module>() <stdin>:1.f_locals['data']\n");
}

// The frames of a debugger's module come as late as its objects.
static void
frames_of_a_debugger(void)
{
    session to = begin();
    debug(&to, "app.Thing", "pdb");
    uint32_t app = add_module(&to, "app3");
    uint32_t list = story_add(&to.made, "list", NULL, 80);
    for (int i = 0; i < 3; i++) {
        uint32_t inner = story_add(&to.made, "list", NULL, 80);
        story_edge(&to.made, list, inner, LG_EDGE_INDEX, 0);
        if (i == 0)
            heap_item(&to.made, app, "frames", list);
        list = inner;
    }
    story_edge(&to.made, list, to.frame, LG_EDGE_INDEX, 0);
    expect(&to, "app3.frames[0][0][0][0] local data\n"
                "app3.frames[0][0][0][0] local data\n"
                "thread MainThread in <module>() <stdin>:1.f_locals['data']\n");
}

// The namespace of a class statement is no copy, though it has what a closure
// variable has.
static void
class_statement(void)
{
    session to = begin();
    uint32_t frame =
        add_frame(&to, "Rows() app.py:2", add_module(&to, "app"), 0);
    uint32_t names = story_add(&to.made, "dict", NULL, 200);
    story_attribute(&to.made, frame, "f_locals", names);
    heap_item(&to.made, names, "rows", to.data);
    story_edge(&to.made, to.thread, to.frame, LG_EDGE_FRAME, 1);
    lg_graph *graph = story_end(&to.made);
    const uint8_t *late = NULL;
    CHECK(lg__late_find(graph, &late));
    CHECK(late == NULL);
    lg_graph_free(graph);
}

// A console has variables of its own, unless they are a module's.
static void
console(void)
{
    for (int of_module = 0; of_module < 2; of_module++) {
        session to = begin();
        story_type(&to.made, "code.InteractiveConsole",
                   "code.InteractiveInterpreter");
        uint32_t self =
            story_add(&to.made, "code.InteractiveConsole", NULL, 48);
        uint32_t names = of_module ? add_module(&to, "app")
                                   : story_add(&to.made, "dict", NULL, 200);
        story_attribute(&to.made, self, "locals", names);
        lg_graph *graph = story_end(&to.made);
        const uint8_t *late = NULL;
        CHECK(lg__late_find(graph, &late));
        REQUIRE(late != NULL);
        CHECK(late[self] == LG__LATE_DEBUGGER);
        CHECK(late[names] == (of_module ? 0 : LG__LATE_COPY));
        lg_graph_free(graph);
    }
}

// From Python 3.13 on, pdb keeps the frame in the program's module.
static void
conveniences(void)
{
    session to = begin();
    debug(&to, "pdb.Pdb", "pdb");
    uint32_t names = add_module(&to, "app4");
    uint32_t own = story_add(&to.made, "dict", NULL, 64);
    uint32_t view = story_add(&to.made, "FrameLocalsProxy", NULL, 32);
    heap_item(&to.made, names, "__pdb_convenience_variables", own);
    heap_item(&to.made, own, "_frame", to.frame);
    lg_graph *graph = story_end(&to.made);
    const uint8_t *late = NULL;
    CHECK(lg__late_find(graph, &late));
    REQUIRE(late != NULL);
    CHECK(late[own] == LG__LATE_DEBUGGER);
    CHECK(late[view] == LG__LATE_COPY);
    lg_graph_free(graph);
}

// A method of a container in a variable is a handle: the name of the object
// that has the container says more, if it is one step longer.
static void
method_of_a_container(void)
{
    for (int i = 0; i < 2; i++) {
        session to = begin();
        uint32_t names = add_module(&to, "app");
        uint32_t model = story_add(&to.made, "app.Model", NULL, 48);
        uint32_t part = story_add(&to.made, "app.Part", NULL, 48);
        uint32_t rows = heap_list(&to.made, LG_NONE);
        uint32_t method =
            story_add(&to.made, "builtin_function_or_method", NULL, 72);
        heap_item(&to.made, names, "model", model);
        story_attribute(&to.made, model, "part", part);
        story_attribute(&to.made, part, "rows", i == 0 ? rows : to.data);
        story_attribute(&to.made, method, "__self__", rows);
        story_edge(&to.made, to.thread, to.frame, LG_EDGE_FRAME, 0);
        story_local(&to.made, to.frame, "clear", method);
        lg_graph *graph = story_end(&to.made);
        lg_path path = {0};
        lg_text text = {0};
        CHECK(agrees(graph, rows));
        REQUIRE(lg_path_from_root(graph, rows, NULL, &path, NULL) == LG_OK);
        add_line(graph, &path, &text);
        CHECK_TEXT(text, i == 0 ? "app.model.part.rows\n"
                                : "thread MainThread in inner() app.py:6 "
                                  "local clear.__self__\n");
        lg_text_free(&text);
        lg_path_free(&path);
        lg_graph_free(graph);
    }
}

SUITE(debugging)
{
    RUN(method_of_a_container);
    RUN(after_an_error);
    RUN(root_of_a_debugger);
    RUN(only_the_debugger);
    RUN(frames_of_a_debugger);
    RUN(class_statement);
    RUN(console);
    RUN(conveniences);
    return test_result();
}
