// Finds what says little of who keeps something: methods of containers in
// variables, and what only a debugger adds to a program: its frames and its
// objects, and the copies of variables that Python made for it. They lead to
// what the program keeps, often by fewer references than its own names do.
#include "paths/keepers.h"
#include "paths/measure.h"

#include <leakgraph/internal/hops.h>

#include <stdlib.h>
#include <string.h>

// Returns whether the edge leads to the builtins, which every function and
// frame reads besides its module's names.
static bool
is_builtins(const lg_graph *graph, uint64_t edge)
{
    lg_string name =
        lg_graph_string(graph, lg_columns_payload(&graph->columns, edge));
    return lg__string_is(name, "f_builtins") ||
           lg__string_is(name, "__builtins__");
}

// Returns the module whose names a function or a frame reads; LG_NONE if it has
// none.
static uint32_t
module_read_by(const lg_graph *graph, uint32_t node)
{
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(graph, edge) == LG_EDGE_GLOBALS &&
            !is_builtins(graph, edge)) {
            uint32_t module =
                lg_node_folded_into(graph, lg_columns_target(columns, edge));
            if (module != LG_NONE)
                return module;
        }
    return LG_NONE;
}

// Returns whether the target tells which module's names a frame, generator or
// coroutine reads. Some Pythons know only a frame's function, others only a
// generator's frame.
static bool
tells_module(const lg_graph *graph, uint32_t frame, uint32_t target)
{
    return lg__node_role(graph, target) == LG__ROLE_FUNCTION ||
           (lg__node_role(graph, frame) == LG__ROLE_SUSPENDED &&
            lg__node_category(graph, target) == LG_CATEGORY_FRAME);
}

uint32_t
lg__frame_module(const lg_graph *graph, uint32_t frame)
{
    const lg_columns *columns = &graph->columns;
    uint32_t module = module_read_by(graph, frame);
    uint64_t end = lg_columns_first_edge(columns, frame + 1);
    for (uint64_t edge = lg_columns_first_edge(columns, frame);
         edge < end && module == LG_NONE; edge++) {
        uint32_t target = lg_columns_target(columns, edge);
        if (lg__edge_kind(graph, edge) == LG_EDGE_ATTRIBUTE &&
            tells_module(graph, frame, target))
            module = module_read_by(graph, target);
    }
    return module != LG_NONE ? module : LG__KEPT_BY_PROGRAM;
}

typedef struct marking {
    const lg_graph *graph;
    uint8_t *level; // [node]
    bool any;
} marking;

static void
mark(marking *state, uint32_t node, uint8_t level)
{
    state->any = true;
    if (state->level[node] < level)
        state->level[node] = level;
}

static bool
is_debugger_module(lg_string name)
{
    static const char *const names[] = {
        "pdb",
        "bdb",
        "code",
        "IPython.core.debugger",
        "IPython.terminal.debugger",
        "IPython.core.ultratb",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (lg__string_is(name, names[i]))
            return true;
    return false;
}

static bool
runs_debugger(const lg_graph *graph, uint32_t frame)
{
    uint32_t module = lg__frame_module(graph, frame);
    return module < graph->columns.node_count &&
           is_debugger_module(lg_node_text(graph, module));
}

// Returns whether the frame has a variable with that value.
static bool
has_variable(const lg_graph *graph, uint32_t frame, uint32_t value)
{
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, frame);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(graph, edge) == LG_EDGE_LOCAL &&
            lg_columns_target(columns, edge) == value)
            return true;
    return false;
}

// Returns whether a dict copies variables of the frame. That of a running class
// statement, or of exec(), is where the variables are.
static bool
is_copy(const lg_graph *graph, uint32_t frame, uint32_t dict)
{
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, dict);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(graph, edge) == LG_EDGE_VALUE &&
            has_variable(graph, frame, lg_columns_target(columns, edge)))
            return true;
    return false;
}

static void
mark_copies(marking *state, uint32_t frame)
{
    const lg_columns *columns = &state->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, frame);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(state->graph, edge) == LG_EDGE_ATTRIBUTE &&
            lg__string_is(lg__edge_name(state->graph, edge), "f_locals") &&
            is_copy(state->graph, frame, lg_columns_target(columns, edge)))
            mark(state, lg_columns_target(columns, edge), LG__LATE_COPY);
}

// Returns whether the value is a method of a list, dict, set or deque.
static bool
is_method_of_container(const lg_graph *graph, uint32_t value)
{
    static const char *const containers[] = {
        "list", "dict", "set", "bytearray", "collections.deque",
    };
    lg_string type =
        lg_graph_type(graph, lg_columns_type(&graph->columns, value)).name;
    if (!lg__string_is(type, "builtin_function_or_method"))
        return false;
    uint32_t self = lg__node_attribute(graph, value, "__self__");
    if (self == LG_NONE)
        return false;
    type = lg_graph_type(graph, lg_columns_type(&graph->columns, self)).name;
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++)
        if (lg__string_is(type, containers[i]))
            return true;
    return false;
}

static void
mark_methods(marking *state, uint32_t frame)
{
    const lg_columns *columns = &state->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, frame);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(state->graph, edge) == LG_EDGE_LOCAL &&
            is_method_of_container(state->graph,
                                   lg_columns_target(columns, edge)))
            mark(state, lg_columns_target(columns, edge), LG__LATE_METHOD);
}

static void
mark_frame(marking *state, uint32_t frame)
{
    mark_methods(state, frame);
    if (runs_debugger(state->graph, frame))
        mark(state, frame, LG__LATE_DEBUGGER);
    else
        mark_copies(state, frame);
}

// From Python 3.13 on, pdb keeps its `$variables` in the module that it stopped
// in.
static void
mark_conveniences(marking *state, uint32_t module)
{
    uint32_t found =
        lg__node_attribute(state->graph, module, "__pdb_convenience_variables");
    if (found != LG_NONE)
        mark(state, found, LG__LATE_DEBUGGER);
}

// A console has variables of its own, often copies of a function's.
static void
mark_debugger(marking *state, uint32_t debugger)
{
    uint32_t names = lg__node_attribute(state->graph, debugger, "locals");
    mark(state, debugger, LG__LATE_DEBUGGER);
    if (names != LG_NONE && lg_node_folded_into(state->graph, names) == LG_NONE)
        mark(state, names, LG__LATE_COPY);
}

// What the objects of a type are to a debugger.
typedef enum part {
    NOTHING,
    FRAME,
    DEBUGGER,
    VIEW, // of a frame's variables, from Python 3.13 on
} part;

static part
part_of_type(const lg_graph *graph, uint32_t node)
{
    lg_string type =
        lg_graph_type(graph, lg_columns_type(&graph->columns, node)).name;
    if (lg__node_category(graph, node) == LG_CATEGORY_FRAME)
        return FRAME;
    if (lg__string_is(type, "FrameLocalsProxy"))
        return VIEW;
    return lg__node_is_a(graph, node, "bdb.Bdb") ||
                   lg__node_is_a(graph, node, "code.InteractiveInterpreter") ||
                   lg__node_is_a(graph, node, "IPython.core.ultratb.VerboseTB")
               ? DEBUGGER
               : NOTHING;
}

static void
mark_node(marking *state, part is, uint32_t node)
{
    if (is == FRAME)
        mark_frame(state, node);
    else if (is == VIEW)
        mark(state, node, LG__LATE_COPY);
    else if (is == DEBUGGER)
        mark_debugger(state, node);
}

// Marks all nodes. `known` has 1 + the part of each type that was met.
static void
mark_all(marking *state, uint8_t *known)
{
    const lg_graph *graph = state->graph;
    for (uint32_t node = 0; node < graph->columns.node_count; node++) {
        uint8_t *is = &known[lg_columns_type(&graph->columns, node)];
        if (*is == 0)
            *is = (uint8_t)(1 + part_of_type(graph, node));
        if (*is != 1 + NOTHING)
            mark_node(state, (part)(*is - 1), node);
    }
    for (uint32_t i = 0; state->any && i < graph->root_count; i++)
        if (graph->root_kind[i] == LG_ROOT_MODULE)
            mark_conveniences(state, graph->root_node[i]);
}

// Gives the levels to the graph unless another thread was faster.
static void
keep(const lg_graph *graph, uint8_t *level)
{
    lg__lazy *lazy = graph->lazy;
    lg_lock_take(&lazy->lock);
    if (lazy->has_late) {
        lg__free(level);
    } else {
        lazy->late = level;
        lazy->has_late = true;
    }
    lg_lock_give(&lazy->lock);
}

bool
lg__late_find(const lg_graph *graph, const uint8_t **out)
{
    if (!graph->lazy->has_late) {
        marking state = {.graph = graph};
        uint8_t *known = lg__calloc((size_t)graph->type_count + 1, 1);
        state.level = lg__calloc((size_t)graph->columns.node_count + 1, 1);
        bool enough = known != NULL && state.level != NULL;
        if (enough)
            mark_all(&state, known);
        lg__free(known);
        if (!enough || !state.any) {
            lg__free(state.level);
            state.level = NULL;
        }
        if (!enough)
            return false;
        keep(graph, state.level);
    }
    *out = graph->lazy->late;
    return true;
}

unsigned
lg__late_level(const uint8_t *late, const lg_path *path)
{
    unsigned level = 0;
    for (size_t i = 0; late != NULL && i < path->count; i++)
        if (late[path->hops[i].source] > level)
            level = late[path->hops[i].source];
    return level;
}
