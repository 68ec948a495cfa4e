// Knows the registries of the interpreter, of asyncio and of executors, and how
// a program takes a handler out of each.
#include "findings/registries.h"
#include "findings/weak_entries.h"

#include <string.h>

static const struct {
    const char *label; // of the reference to the registry
    lg__registry_kind kind;
} labels[] = {
    {"atexit handlers", LG__REGISTRY_EXIT},
    {"before_forkers", LG__REGISTRY_FORK},
    {"after_forkers_parent", LG__REGISTRY_FORK},
    {"after_forkers_child", LG__REGISTRY_FORK},
    {"audit_hooks", LG__REGISTRY_AUDIT},
};

static const struct {
    const char *name;
    const char *fix;
} registries[] = {
    [LG__REGISTRY_NONE] = {"", NULL},
    [LG__REGISTRY_EXIT] = {"atexit",
                           "Call atexit.unregister(object.method) when you "
                           "are done with the object, or register one "
                           "function, once, that closes the objects of a "
                           "weakref.WeakSet()."},
    [LG__REGISTRY_FORK] = {"os.register_at_fork",
                           "Nothing takes a function out again. Register one "
                           "function, once, that calls the objects of a "
                           "weakref.WeakSet(), or pass a function that has a "
                           "weakref.ref() of the object."},
    [LG__REGISTRY_AUDIT] = {"sys.addaudithook",
                            "Nothing takes a hook out again. Add one hook, "
                            "once, that has a weakref.ref() of what it needs."},
    [LG__REGISTRY_FUTURE] = {"future",
                             "Call future.remove_done_callback(object.method) "
                             "when you are done with the object, or add a "
                             "callback that has a "
                             "weakref.WeakMethod(object.method)."},
    [LG__REGISTRY_SCHEDULER] = {"sched.scheduler",
                                "Call scheduler.cancel(event), with what "
                                "enter() returned, when you are done with the "
                                "object, or schedule a function that has a "
                                "weakref.WeakMethod(object.method)."},
    [LG__REGISTRY_LOOP] = {"event loop",
                           "Call handle.cancel(), with what call_later() or "
                           "call_at() returned, when you are done with the "
                           "object."},
    [LG__REGISTRY_THREADS] = {"threading.Thread",
                              "Remove each thread from the container when it "
                              "has ended, and call cancel() on a timer that "
                              "you no longer need."},
    [LG__REGISTRY_JOBS] = {"Future",
                           "Drop each future when it is done, as "
                           "future.add_done_callback(futures.discard) does, "
                           "or keep only future.result()."},
    [LG__REGISTRY_POOL] = {"ThreadPoolExecutor",
                           "Make one executor and share it, or use it in a "
                           "with block, which waits for its tasks. Give what "
                           "the tasks wait for a timeout."},
    [LG__REGISTRY_JIT] = {"torch.jit",
                          "torch.jit keeps what it compiles until the process "
                          "ends. Trace or script a model once, and call the "
                          "result as often as you like."},
    [LG__REGISTRY_FUNCTIONS] = {LG_REGISTRY_OF_FUNCTIONS,
                                "Keep the function that you register, and "
                                "remove this one when you are done with what "
                                "it refers to: a new lambda or partial is "
                                "another handler."},
};

lg__registry_kind
lg__registry_of(const lg_graph *graph, uint64_t edge)
{
    if (lg__edge_kind(graph, edge) != LG_EDGE_NATIVE)
        return LG__REGISTRY_NONE;
    lg_string name =
        lg_graph_string(graph, lg_columns_payload(&graph->columns, edge));
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (lg__string_is(name, labels[i].label))
            return labels[i].kind;
    return LG__REGISTRY_NONE;
}

static const struct {
    const char *type; // of the owner of a list
    lg__registry_kind kind;
} owners[] = {
    {"sched.scheduler", LG__REGISTRY_SCHEDULER},
    {"asyncio.base_events.BaseEventLoop", LG__REGISTRY_LOOP},
};

// Returns the kind of registry whose list the reference leads to.
static lg__registry_kind
kind_of_list(const lg_graph *graph, uint32_t source, uint64_t edge)
{
    if (lg__node_category(graph, source) == LG_CATEGORY_ROOT)
        return lg__registry_of(graph, edge);
    source = lg__graph_seen_node(graph, source);
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++)
        if (lg__node_is_a(graph, source, owners[i].type))
            return owners[i].kind;
    return LG__REGISTRY_NONE;
}

// Returns the registry that the node is, or whose list it is: the interpreter
// keeps handlers of atexit without a list.
static lg__registry_kind
kind_at(const lg_graph *graph, uint32_t node)
{
    lg__reverse reverse;
    if (lg__node_category(graph, node) == LG_CATEGORY_ROOT)
        return LG__REGISTRY_EXIT;
    if (lg__node_is_a(graph, node, "_asyncio.Future") ||
        lg__node_is_a(graph, node, "asyncio.futures.Future"))
        return LG__REGISTRY_FUTURE;
    if (!lg__graph_reverse(graph, &reverse))
        return LG__REGISTRY_NONE;
    for (uint64_t i = lg__first_in(&reverse, node);
         i < lg__first_in(&reverse, node + 1); i++) {
        lg__registry_kind kind = kind_of_list(graph, lg__in_source(&reverse, i),
                                              lg__in_number(&reverse, i));
        if (kind != LG__REGISTRY_NONE)
            return kind;
    }
    return LG__REGISTRY_NONE;
}

static bool
is_thread(const lg_graph *graph, uint32_t node)
{
    return lg__node_is_a(graph, lg__graph_seen_node(graph, node),
                         "threading.Thread");
}

// Returns whether a thread has the handler, as its target or as the function of
// a timer, and calls it.
static bool
has_thread(const lg_graph *graph, uint32_t handler)
{
    lg__reverse reverse;
    bool found = false;
    if (!lg__graph_reverse(graph, &reverse))
        return false;
    for (uint64_t i = lg__first_in(&reverse, handler);
         i < lg__first_in(&reverse, handler + 1) && !found; i++)
        found = is_thread(graph, lg__in_source(&reverse, i));
    return found;
}

bool
lg__is_traced_class(const lg_graph *graph, uint32_t node)
{
    return lg__node_category(graph, node) == LG_CATEGORY_TYPE &&
           lg__string_is(lg_node_text(graph, node),
                         "torch.jit._trace.TracedModule.__init__.<locals>."
                         "QualnameWrapper");
}

// A weak reference to the executor and the executor's queue are arguments of
// the target of each thread of a ThreadPoolExecutor.
static bool
is_worker(lg_string function)
{
    return lg__string_is(function, "concurrent.futures.thread._worker");
}

// Returns the argument of the thread's target of that type, or LG_NONE.
static uint32_t
argument_of(const lg__detection *detection, uint32_t thread, const char *type)
{
    const lg_columns *columns = &detection->graph->columns;
    uint32_t target = lg__detection_attribute(detection, thread, "_target");
    uint32_t all = lg__detection_attribute(detection, thread, "_args");
    if (target == LG_NONE || all == LG_NONE ||
        !is_worker(lg_node_text(detection->graph, target)))
        return LG_NONE;
    const lg_edge_range edges = lg_columns_edges(columns, all);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(detection->graph, edge) == LG_EDGE_INDEX &&
            lg__node_is_a(detection->graph, lg_columns_target(columns, edge),
                          type))
            return lg_columns_target(columns, edge);
    return LG_NONE;
}

uint32_t
lg__pool_queue(const lg__detection *detection, uint32_t thread)
{
    return argument_of(detection, thread, "_queue.SimpleQueue");
}

bool
lg__pool_is_gone(const lg__detection *detection, uint32_t thread, uint32_t root)
{
    uint32_t reference =
        argument_of(detection, thread, "weakref.ReferenceType");
    if (reference == LG_NONE)
        reference = argument_of(detection, thread, "weakref"); // CPython 3.9
    if (reference == LG_NONE || lg__pool_queue(detection, thread) == LG_NONE)
        return false;
    uint32_t executor = lg__weak_referent(detection->graph, reference);
    return executor == LG_NONE || lg__detection_owns(detection, root, executor);
}

static bool
has_worker(const lg_graph *graph, uint32_t node)
{
    const lg_columns *columns = &graph->columns;
    bool found = false;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end && !found; edge++) {
        uint32_t target = lg_columns_target(columns, edge);
        found = lg__node_role(graph, target) == LG__ROLE_FUNCTION &&
                is_worker(lg_node_text(graph, target));
    }
    return found;
}

// Returns whether the thread belongs to a pool.
static bool
is_pool_thread(const lg_graph *graph, uint32_t thread)
{
    const lg_columns *columns = &graph->columns;
    bool found = has_worker(graph, thread);
    const lg_edge_range edges = lg_columns_edges(columns, thread);
    for (uint64_t edge = edges.begin; edge < edges.end && !found; edge++)
        found = lg__edge_kind(graph, edge) == LG_EDGE_DICT &&
                has_worker(graph, lg_columns_target(columns, edge));
    return found;
}

// Returns the registry that tells how to take a handler out: that of the
// interpreter or of asyncio; of others, whether the handlers are functions, of
// which there is no weakref.WeakMethod.
static lg__registry_kind
kind_of_handlers(const lg_graph *graph, const lg_holder *holder)
{
    lg__registry_kind kind = has_thread(graph, holder->example)
                                 ? LG__REGISTRY_THREADS
                                 : kind_at(graph, holder->node);
    bool function =
        lg__node_category(graph, holder->example) == LG_CATEGORY_FUNCTION &&
        !lg__node_is_a(graph, holder->example, "method");
    return kind == LG__REGISTRY_NONE && function ? LG__REGISTRY_FUNCTIONS
                                                 : kind;
}

const char *
lg_holder_registry(const lg_graph *graph, const lg_holder *holder)
{
    if (holder->node == LG_NONE)
        return "";
    if (strcmp(holder->pattern->name, "endless-threads") == 0 &&
        is_pool_thread(graph, holder->example))
        return registries[LG__REGISTRY_POOL].name;
    if (lg__is_traced_class(graph, holder->example))
        return registries[LG__REGISTRY_JIT].name;
    if (strcmp(holder->pattern->name, "done-tasks") == 0 &&
        lg__node_is_a(graph, holder->example, LG__JOB))
        return registries[LG__REGISTRY_JOBS].name;
    if (strcmp(holder->pattern->name, "event-handlers") != 0)
        return "";
    return registries[kind_of_handlers(graph, holder)].name;
}

const char *
lg_pattern_fix(const lg_pattern *pattern, lg_string registry)
{
    for (size_t i = 1; i < sizeof registries / sizeof *registries; i++)
        if (lg__string_is(registry, registries[i].name))
            return registries[i].fix;
    return pattern->fix;
}
