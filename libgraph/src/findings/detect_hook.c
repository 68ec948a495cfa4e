// Detects activations that hooks and closures keep together with their graphs.
#include "findings/autograd.h"
#include "findings/detectors.h"
#include "findings/in_use.h"

#include <stdlib.h>
#include <string.h>

// Detects hooks of tensors that refer back, through C++, to what they are
// registered on.

static bool
is_hooks(lg_string name)
{
    static const char *const names[] = {
        "_backward_hooks",
        "_post_accumulate_grad_hooks",
        "hooks",
        "pre_hooks",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (lg__name_is(name, names[i]))
            return true;
    return false;
}

// Returns the hook in a dict of hooks that is in the component, or LG_NONE.
static uint32_t
hook_in(const lg__detection *detection, uint32_t hooks, uint32_t component)
{
    const lg_columns *columns = &detection->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, hooks);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t value = lg_columns_target(columns, edge);
        if (lg__edge_kind(detection->graph, edge) == LG_EDGE_VALUE &&
            lg_node_component(detection->analysis, value) == component)
            return value;
    }
    return LG_NONE;
}

static uint32_t
find_hook(const lg__detection *detection, const lg_component *component)
{
    const lg_columns *columns = &detection->graph->columns;
    uint32_t number =
        lg_node_component(detection->analysis, component->nodes[0]);
    for (uint32_t i = 0; i < component->count; i++) {
        uint32_t node = component->nodes[i];
        if (!(lg__type_bits_of(detection, node) & LG__TYPE_TENSOR) &&
            !(lg_columns_flags(columns, node) & LG_NODE_CPP))
            continue;
        const lg_edge_range edges = lg_columns_edges(columns, node);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
            uint32_t hook =
                is_hooks(lg__detection_name(detection, edge))
                    ? hook_in(detection, lg_columns_target(columns, edge),
                              number)
                    : LG_NONE;
            if (hook != LG_NONE)
                return hook;
        }
    }
    return LG_NONE;
}

static void
look_for_hook_cycles(lg__detection *detection)
{
    const lg_analysis *analysis = detection->analysis;
    uint32_t count = lg_analysis_component_count(analysis);
    for (uint32_t i = 0; i < count && !detection->failed; i++) {
        lg_component component = lg_analysis_component(analysis, i);
        uint32_t hook =
            component.reachable ? LG_NONE : find_hook(detection, &component);
        if (hook == LG_NONE ||
            lg__detection_reason(detection, hook) == LG_REASON_NONE)
            continue;
        for (uint32_t j = 0; j < component.count; j++)
            if (lg__type_bits_of(detection, component.nodes[j]) &
                LG__TYPE_TENSOR)
                lg__detection_note(detection, hook, component.nodes[j]);
    }
}

const lg__detector lg__detect_hook_cycle = {
    .pattern =
        {.name = "hook-cycle",
         .cause = "A hook of a tensor, or of its autograd node, refers back to "
                  "what it is registered on: a cycle through C++ that the "
                  "collector cannot free.",
         .fix =
             "Call remove() on the hook's handle before you drop the tensor, "
             "or let the hook refer to a weakref, or to tensor.detach()."},
    .least = LG__ANY,
    .look = look_for_hook_cycles,
    .effect = LG__FIX_ALL,
};

enum { STORES_DEEP = 6 };

static uint32_t
namespace_of(const lg__detection *detection, uint32_t function)
{
    const lg_columns *columns = &detection->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, function);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(detection->graph, edge) == LG_EDGE_GLOBALS &&
            lg__string_is(lg_graph_string(detection->graph,
                                          lg_columns_payload(columns, edge)),
                          "__globals__"))
            return lg_columns_target(columns, edge);
    return LG_NONE;
}

// Searches the globals that the code of a function names.
static void
search_globals(lg__detection *detection, uint32_t function,
               const lg__search *search, lg__gathered *out)
{
    const lg_columns *columns = &detection->graph->columns;
    uint32_t globals = namespace_of(detection, function);
    uint32_t code = lg__detection_attribute(detection, function, "__code__");
    if (globals == LG_NONE || code == LG_NONE)
        return;
    const lg_edge_range edges = lg_columns_edges(columns, globals);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t value = lg_columns_target(columns, edge);
        if (lg__edge_kind(detection->graph, edge) == LG_EDGE_VALUE &&
            !(lg__type_bits_of(detection, value) & LG__TYPE_OPAQUE) &&
            lg__detection_names(detection, code,
                                lg_columns_payload(columns, edge)))
            lg__detection_search(detection, value, search, out);
    }
}

static bool
is_activation(const lg__detection *detection, uint32_t tensor)
{
    return !detection->is_kept[tensor] && lg__has_graph(detection, tensor);
}

static const lg__search stores = {
    .depth = STORES_DEEP,
    .wanted = LG__TYPE_TENSOR,
    .through = LG__TYPE_CONTAINER | LG__TYPE_CALLABLE | LG__TYPE_MODULE,
    .instances = true,
    .accept = is_activation,
};

static bool
can_be_emptied(const lg__detection *detection, uint32_t store)
{
    return (lg__type_bits_of(detection, store) & LG__TYPE_CONTAINER) &&
           lg__node_role(detection->graph, store) != LG__ROLE_TUPLE;
}

// Returns what keeps what is in the store: the store itself, or the collection
// that owns it where a program cannot empty the store, if that would live on
// without the hook or closure; otherwise the hook or closure.
static uint32_t
keeper_of(const lg__detection *detection, uint32_t callable, uint32_t store)
{
    uint32_t all = can_be_emptied(detection, store)
                       ? store
                       : lg__detection_collection(detection, store);
    bool outlives = all != LG_NONE &&
                    !lg__detection_owns(detection, callable, all) &&
                    !lg__detection_owns(detection, all, callable);
    return outlives ? all : callable;
}

static void
note_hook(lg__detection *detection, uint32_t hook)
{
    lg__gathered found = {0};
    lg__gathered holding = {0};
    lg__search search = stores;
    search.stores = &holding;
    uint32_t function = lg__detection_function(detection, hook);
    lg__detection_search(detection, hook, &search, &found);
    if (function != LG_NONE)
        search_globals(detection, function, &search, &found);
    for (size_t i = 0; i < holding.count; i++) {
        uint32_t keeper = keeper_of(detection, hook, holding.items[i]);
        lg__detection_note(detection, keeper, found.items[i]);
        lg__detection_note_store(detection, keeper, holding.items[i]);
    }
    lg__free(found.items);
    lg__free(holding.items);
}

static void
note_hooks_of(lg__detection *detection, uint32_t hooks)
{
    const lg_columns *columns = &detection->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, hooks);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(detection->graph, edge) == LG_EDGE_VALUE)
            note_hook(detection, lg_columns_target(columns, edge));
}

static void
look_at_modules(lg__detection *detection)
{
    static const char *const names[] = {
        "_forward_hooks",
        "_forward_pre_hooks",
        "_backward_hooks",
        "_backward_pre_hooks",
    };
    const lg__gathered *modules = lg__detection_all(detection, LG__TYPE_MODULE);
    for (size_t i = 0; i < modules->count; i++)
        for (size_t j = 0; j < sizeof names / sizeof *names; j++) {
            uint32_t hooks =
                lg__detection_attribute(detection, modules->items[i], names[j]);
            if (hooks != LG_NONE)
                note_hooks_of(detection, hooks);
        }
}

typedef struct enclosing {
    lg__detection *detection;
    uint32_t tensor;
    lg__gathered containers;
    lg__gathered inner; // [container] the container in it, or LG_NONE
    uint32_t at;        // index of the container whose holders are visited;
                        // LG_NONE: those of the tensor
} enclosing;

// Returns whether a running function shares the cell, which is then a variable
// of that function.
static bool
is_running_variable(const lg__detection *detection, uint32_t cell)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    for (uint64_t i = lg__first_in(reverse, cell);
         i < lg__first_in(reverse, cell + 1); i++)
        if (lg__node_category(detection->graph, lg__in_source(reverse, i)) ==
            LG_CATEGORY_FRAME)
            return true;
    return false;
}

// Returns whether the closure is the user's. Those of PyTorch itself are no
// mistake.
static bool
is_users(const lg__detection *detection, uint32_t function)
{
    uint32_t globals = namespace_of(detection, function);
    uint32_t owner = globals == LG_NONE
                         ? LG_NONE
                         : lg__fold_owner(detection->walk.fold, globals);
    lg_string name = owner == LG_NONE ? (lg_string){"", 0}
                                      : lg_node_text(detection->graph, owner);
    return !lg__string_begins(name, "torch.") && !lg__string_is(name, "torch");
}

// Notes the tensor, and the containers in which the closure has it.
static void
note_enclosed(enclosing *to, uint32_t function)
{
    uint32_t store = LG_NONE;
    uint32_t inner = LG_NONE;
    if (to->at != LG_NONE) {
        store = to->containers.items[to->at];
        inner = to->inner.items[to->at];
    }
    uint32_t closest = inner != LG_NONE ? inner : store;
    uint32_t keeper = closest == LG_NONE
                          ? function
                          : keeper_of(to->detection, function, closest);
    lg__detection_note(to->detection, keeper, to->tensor);
    if (store != LG_NONE)
        lg__detection_note_store(to->detection, keeper, store);
    if (inner != LG_NONE)
        lg__detection_note_store(to->detection, keeper, inner);
}

static bool
visit_holder(void *context, const lg_hop *hop)
{
    enclosing *to = context;
    lg__detection *detection = to->detection;
    const lg_columns *columns = &detection->graph->columns;
    uint64_t last = hop->edges[hop->edge_count - 1];
    if (hop->weak)
        return true;
    if (lg__edge_kind(detection->graph, last) == LG_EDGE_CELL &&
        hop->edge_count == 3) {
        uint32_t cell = lg_columns_target(columns, hop->edges[1]);
        if (!is_running_variable(detection, cell) &&
            lg__detection_is_stored(detection, hop->source) &&
            is_users(detection, hop->source))
            note_enclosed(to, hop->source);
    } else if (lg__type_bits_of(detection, hop->source) & LG__TYPE_CONTAINER) {
        uint32_t inner =
            to->at == LG_NONE ? LG_NONE : to->containers.items[to->at];
        detection->failed |= !lg__gather_append(&to->containers, hop->source) ||
                             !lg__gather_append(&to->inner, inner);
    }
    return !detection->failed;
}

static void
look_at_tensors(lg__detection *detection)
{
    const lg__gathered *tensors = lg__detection_all(detection, LG__TYPE_TENSOR);
    enclosing to = {.detection = detection};
    lg__hop_walk walk = detection->walk;
    walk.visit = visit_holder;
    walk.context = &to;
    for (size_t i = 0; i < tensors->count && !detection->failed; i++) {
        to.tensor = tensors->items[i];
        to.containers.count = to.inner.count = 0;
        to.at = LG_NONE;
        if (!is_activation(detection, to.tensor))
            continue;
        lg__hops_in_walk(&walk, to.tensor);
        size_t begin = 0;
        for (int level = 0; level < 2; level++)
            for (size_t end = to.containers.count; begin < end; begin++) {
                to.at = (uint32_t)begin;
                lg__hops_in_walk(&walk, to.containers.items[begin]);
            }
    }
    lg__free(to.containers.items);
    lg__free(to.inner.items);
}

static void
look_for_activations(lg__detection *detection)
{
    look_at_modules(detection);
    look_at_tensors(detection);
}

const lg__detector lg__detect_kept_activations = {
    .pattern =
        {.name = "kept-activations",
         .cause = "A hook or closure keeps outputs of a forward pass with "
                  "their autograd graph.",
         .fix = "Store output.detach(), which keeps the values and frees their "
                "graphs, or only the numbers that you need, and call remove() "
                "on the hook's handle when you no longer need it."},
    .least = LG__ANY,
    .look = look_for_activations,
    .effect = LG__FIX_GRAPHS,
};
