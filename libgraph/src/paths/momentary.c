// Lists the references that last only as long as something runs. Where things
// are must not depend on any of them:
//
// - A thread refers to the frames that it runs.
// - asyncio refers to the task that runs, and to each other task by what will
//   wake it: now a queue, then a timer or another task.
// - A frame that waits for a task, such as that of asyncio.run(), refers to it
//   until the event loop ends, while other tasks come and go. So its reference
//   counts before those to other tasks, and before what any task refers to.
// - A stack refers to the arguments of a call and to what a loop iterates over.
//   In C code, and up to CPython 3.13, stacks are hidden: their references show
//   as ones that nothing explains.
#include "paths/paths_private.h"

#include <string.h>

// What a type is to asyncio.
enum { OTHER, TASK, CONTEXT };
// Whether a container is asyncio's table of running tasks. Many tasks may be in
// each of many containers, so the referrers of each are looked at only once.
enum { NOT_KNOWN, TABLE, PLAIN };

typedef struct listing {
    const lg_graph *graph;
    lg__reverse reverse;
    lg__vector *out;    // lg__momentary
    uint8_t *type;      // [type]
    uint8_t *container; // [node]
    bool any;           // there are tasks
    bool failed;
} listing;

// Appends the frames of a thread that are not listed yet.
static bool
list_frames(const lg_graph *graph, uint32_t thread, uint8_t *listed,
            lg__vector *out)
{
    const lg_allocator allocator = lg_allocator_default();
    const lg_edge_range edges = lg_columns_edges(&graph->columns, thread);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t frame = lg_columns_target(&graph->columns, edge);
        if (lg__edge_kind(graph, edge) != LG_EDGE_FRAME || listed[frame])
            continue;
        lg__running *added = lg__vector_extend(&allocator, out, 1);
        if (added == NULL)
            return false;
        *added = (lg__running){thread, frame, edge};
        listed[frame] = 1;
    }
    return true;
}

bool
lg__running_list(const lg_graph *graph, lg__vector *out)
{
    uint8_t *listed = lg__calloc((size_t)graph->columns.node_count + 1, 1);
    bool enough = listed != NULL;
    for (uint32_t i = 0; i < graph->root_count && enough; i++) {
        uint32_t thread = graph->root_node[i];
        if (graph->root_kind[i] != LG_ROOT_THREAD || listed[thread])
            continue;
        listed[thread] = 1;
        enough = list_frames(graph, thread, listed, out);
    }
    lg__free(listed);
    return enough;
}

bool
lg__root_is_momentary(const lg_graph *graph, uint32_t index)
{
    return graph->root_kind[index] == LG_ROOT_NATIVE &&
           lg_graph_string(graph, graph->root_name[index]).length == 0;
}

static bool
is_strong(const lg_graph *graph, uint64_t edge)
{
    return !(lg_columns_kind(&graph->columns, edge) & LG_EDGE_WEAK);
}

static bool
is_task(const listing *state, uint32_t node)
{
    uint32_t type = lg_columns_type(&state->graph->columns, node);
    return state->type[type] == TASK;
}

static void
add(listing *state, lg__in_edge in, lg__moment moment)
{
    const lg_allocator allocator = lg_allocator_default();
    lg__momentary *added = lg__vector_extend(&allocator, state->out, 1);
    if (added != NULL)
        *added = (lg__momentary){in.edge, in.source, moment};
    else
        state->failed = true;
}

// Returns whether a frame refers to a task.
static bool
has_task(const listing *state, uint32_t frame)
{
    const lg_edge_range edges = lg_columns_edges(&state->graph->columns, frame);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (is_strong(state->graph, edge) &&
            is_task(state, lg_columns_target(&state->graph->columns, edge)))
            return true;
    return false;
}

// Adds the frames of a thread, from outermost to innermost. The first one that
// refers to a task, and those that it calls and that do so, too, wait for the
// task: they run the event loop. The frame of a generator or coroutine is also
// on the hidden stack of its caller.
static void
add_frames_of(listing *state, const lg__running *items, size_t count)
{
    enum { BEFORE, IN, AFTER } loop = BEFORE;
    for (size_t i = count; i-- > 0;) {
        bool held =
            lg__node_role(state->graph, items[i].frame) == LG__ROLE_SUSPENDED;
        if (held || (loop == IN && !has_task(state, items[i].frame)))
            loop = AFTER;
        else if (loop == BEFORE && has_task(state, items[i].frame))
            loop = IN;
        add(state, (lg__in_edge){items[i].edge, items[i].thread},
            held         ? LG__MOMENT_STACK
            : loop == IN ? LG__MOMENT_LOOP
                         : LG__MOMENT_FRAME);
    }
}

static void
add_frames(listing *state)
{
    const lg_allocator allocator = lg_allocator_default();
    lg__vector running = {.element = sizeof(lg__running)};
    state->failed |= !lg__running_list(state->graph, &running);
    const lg__running *items = running.data;
    size_t end;
    for (size_t i = 0; i < running.count && !state->failed; i = end) {
        end = i + 1;
        while (end < running.count && items[end].thread == items[i].thread)
            end++;
        add_frames_of(state, items + i, end - i);
    }
    lg__vector_free(&allocator, &running);
}

static lg_string
type_name(const lg_graph *graph, uint32_t node)
{
    return lg_graph_type(graph, lg_columns_type(&graph->columns, node)).name;
}

static bool
ends_with(lg_string string, const char *end)
{
    const size_t length = strlen(end);
    return string.length >= length &&
           memcmp(string.data + string.length - length, end, length) == 0;
}

// Since CPython 3.14, a future has the task that waits for it, or a set of
// tasks: in its struct, or as an attribute of a class in Python.
static bool
names_waiting(const lg_graph *graph, uint64_t edge)
{
    lg_string name = lg__edge_name(graph, edge);
    if (lg__edge_kind(graph, edge) == LG_EDGE_NATIVE)
        name =
            lg_graph_string(graph, lg_columns_payload(&graph->columns, edge));
    return ends_with(name, "awaited_by");
}

static bool
names_table(const lg_graph *graph, uint64_t edge)
{
    lg_string name = lg__edge_name(graph, edge);
    return lg__string_is(name, "_current_tasks") ||
           lg__string_is(name, "_eager_tasks") || names_waiting(graph, edge);
}

// Returns whether asyncio has its running tasks in the node, or those that wait
// for one future.
static bool
is_table(const listing *state, uint32_t node)
{
    uint8_t *known = &state->container[node];
    if (*known == NOT_KNOWN &&
        lg__node_category(state->graph, node) == LG_CATEGORY_CONTAINER) {
        uint64_t end = lg__first_in(&state->reverse, node + 1);
        uint64_t at = lg__first_in(&state->reverse, node);
        while (at < end &&
               !names_table(state->graph, lg__in_number(&state->reverse, at)))
            at++;
        *known = at < end ? TABLE : PLAIN;
    }
    return *known == TABLE;
}

// Returns whether a reference to a task is what wakes it, or says that it runs.
static bool
wakes(const listing *state, lg__in_edge in)
{
    const lg_graph *graph = state->graph;
    lg_string type = type_name(graph, in.source);
    if (ends_with(type, "TaskStepMethWrapper") ||
        ends_with(type, "TaskWakeupMethWrapper") ||
        names_waiting(graph, in.edge))
        return true;
    if (lg__node_category(graph, in.source) == LG_CATEGORY_FUNCTION)
        return lg__string_is(lg__edge_name(graph, in.edge), "__self__");
    return lg__string_is(type, "thread") || is_table(state, in.source);
}

// Adds what wakes a task, and what it waits for.
static void
add_task(listing *state, uint32_t task)
{
    const lg_graph *graph = state->graph;
    uint64_t end = lg__first_in(&state->reverse, task + 1);
    for (uint64_t i = lg__first_in(&state->reverse, task); i < end; i++) {
        lg__in_edge in = lg__in_at(&state->reverse, i);
        if (is_strong(graph, in.edge) && wakes(state, in))
            add(state, in, LG__MOMENT_TASK);
    }
    const lg_edge_range edges = lg_columns_edges(&graph->columns, task);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (is_strong(graph, edge) &&
            lg__string_is(lg__edge_name(graph, edge), "_fut_waiter"))
            add(state, (lg__in_edge){edge, task}, LG__MOMENT_STACK);
}

// Adds the references to a task's context that are not the task's own: those of
// what wakes the task, and of the thread that runs it.
static void
add_context(listing *state, uint32_t context)
{
    const lg__reverse *reverse = &state->reverse;
    uint64_t begin = lg__first_in(reverse, context);
    uint64_t end = lg__first_in(reverse, context + 1);
    bool of_task = false;
    for (uint64_t i = begin; i < end && !of_task; i++)
        of_task = is_task(state, lg__in_at(reverse, i).source);
    for (uint64_t i = begin; i < end && of_task; i++) {
        lg__in_edge in = lg__in_at(reverse, i);
        if (!is_task(state, in.source) && is_strong(state->graph, in.edge) &&
            (lg__string_begins(lg__edge_name(state->graph, in.edge),
                               "_context") ||
             lg__string_is(type_name(state->graph, in.source), "thread")))
            add(state, in, LG__MOMENT_STACK);
    }
}

static void
add_tasks(listing *state)
{
    const lg_columns *columns = &state->graph->columns;
    state->container = lg__calloc((size_t)columns->node_count + 1, 1);
    state->failed = state->container == NULL ||
                    !lg__graph_reverse(state->graph, &state->reverse);
    for (uint32_t node = 0; node < columns->node_count && !state->failed;
         node++) {
        uint8_t is = state->type[lg_columns_type(columns, node)];
        if (is == TASK)
            add_task(state, node);
        else if (is == CONTEXT)
            add_context(state, node);
    }
    lg__free(state->container);
}

static void
find_types(listing *state)
{
    const lg_graph *graph = state->graph;
    for (uint32_t type = 0; type < graph->type_count; type++) {
        lg_string name = lg_graph_type(graph, type).name;
        bool task = lg__type_is_task(graph, type);
        bool context = lg__string_is(name, "_contextvars.Context");
        state->type[type] = task ? TASK : context ? CONTEXT : OTHER;
        state->any |= task;
    }
}

bool
lg__momentary_list(const lg_graph *graph, lg__vector *out)
{
    listing state = {.graph = graph,
                     .out = out,
                     .type = lg__calloc((size_t)graph->type_count + 1, 1)};
    state.failed = state.type == NULL;
    if (!state.failed) {
        find_types(&state);
        add_frames(&state);
    }
    if (!state.failed && state.any)
        add_tasks(&state);
    lg__free(state.type);
    return !state.failed;
}
