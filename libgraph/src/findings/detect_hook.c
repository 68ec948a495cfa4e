// Activations that hooks and closures keep, together with their graphs.
#include "findings/context.h"

#include <stdlib.h>
#include <string.h>

enum { STORES_DEEP = 6 };

// ----------------------------------------------------------------- globals ---

static uint32_t
namespace_of(const lg__scene *scene, uint32_t function)
{
    const lg_columns *columns = &scene->graph->columns;
    uint64_t end = columns->first_edge[function + 1];
    for (uint64_t edge = columns->first_edge[function]; edge < end; edge++)
        if (lg__edge_kind(scene->graph, edge) == LG_EDGE_GLOBALS &&
            lg__string_is(
                lg_graph_string(scene->graph, columns->edge_payload[edge]),
                "__globals__"))
            return columns->edge_target[edge];
    return LG_NONE;
}

static bool
is_named_by(const lg__scene *scene, uint32_t names, uint32_t key)
{
    const lg_columns *columns = &scene->graph->columns;
    uint64_t end = columns->first_edge[names + 1];
    for (uint64_t edge = columns->first_edge[names]; edge < end; edge++)
        if (columns->edge_target[edge] == key)
            return true;
    return false;
}

// Searches the globals that a function's code names.
static void
search_globals(lg__scene *scene, uint32_t function, const lg__search *search,
               lg__gathered *out)
{
    const lg_columns *columns = &scene->graph->columns;
    uint32_t globals = namespace_of(scene, function);
    uint32_t code = lg__scene_attribute(scene, function, "__code__");
    uint32_t names = code == LG_NONE
                         ? LG_NONE
                         : lg__scene_attribute(scene, code, "co_names");
    if (globals == LG_NONE || names == LG_NONE)
        return;
    uint64_t end = columns->first_edge[globals + 1];
    for (uint64_t edge = columns->first_edge[globals]; edge < end; edge++) {
        uint32_t value = columns->edge_target[edge];
        if (lg__edge_kind(scene->graph, edge) == LG_EDGE_VALUE &&
            !(lg__cast_of(scene, value) & LG__CAST_OPAQUE) &&
            is_named_by(scene, names, columns->edge_payload[edge]))
            lg__scene_search(scene, value, search, out);
    }
}

// ------------------------------------------------------------------- hooks ---

static bool
is_activation(const lg__scene *scene, uint32_t tensor)
{
    return !scene->is_kept[tensor] && lg__has_graph(scene, tensor);
}

static const lg__search stores = {
    .depth = STORES_DEEP,
    .wanted = LG__CAST_TENSOR,
    .through = LG__CAST_CONTAINER | LG__CAST_CALLABLE | LG__CAST_MODULE,
    .instances = true,
    .accept = is_activation,
};

static uint32_t
function_of(const lg__scene *scene, uint32_t callable)
{
    for (int i = 0; i < 4; i++) {
        if (lg__node_role(scene->graph, callable) == LG__ROLE_FUNCTION)
            return callable;
        uint32_t inner = lg__scene_attribute(scene, callable, "__func__");
        if (inner == LG_NONE)
            inner = lg__scene_attribute(scene, callable, "func");
        if (inner == LG_NONE)
            break;
        callable = inner;
    }
    return LG_NONE;
}

static void
note_hook(lg__scene *scene, uint32_t hook)
{
    lg__gathered found = {0};
    uint32_t function = function_of(scene, hook);
    lg__scene_search(scene, hook, &stores, &found);
    if (function != LG_NONE)
        search_globals(scene, function, &stores, &found);
    for (size_t i = 0; i < found.count; i++)
        lg__scene_note(scene, hook, found.items[i]);
    free(found.items);
}

static void
note_hooks_of(lg__scene *scene, uint32_t hooks)
{
    const lg_columns *columns = &scene->graph->columns;
    uint64_t end = columns->first_edge[hooks + 1];
    for (uint64_t edge = columns->first_edge[hooks]; edge < end; edge++)
        if (lg__edge_kind(scene->graph, edge) == LG_EDGE_VALUE)
            note_hook(scene, columns->edge_target[edge]);
}

static void
look_at_modules(lg__scene *scene)
{
    static const char *const names[] = {
        "_forward_hooks",
        "_forward_pre_hooks",
        "_backward_hooks",
        "_backward_pre_hooks",
    };
    const lg__gathered *modules = lg__scene_all(scene, LG__CAST_MODULE);
    for (size_t i = 0; i < modules->count; i++)
        for (size_t j = 0; j < sizeof names / sizeof *names; j++) {
            uint32_t hooks =
                lg__scene_attribute(scene, modules->items[i], names[j]);
            if (hooks != LG_NONE)
                note_hooks_of(scene, hooks);
        }
}

// ---------------------------------------------------------------- closures ---

typedef struct enclosing {
    lg__scene *scene;
    uint32_t tensor;
    lg__gathered containers;
} enclosing;

// A cell that a running function shares is that function's variable.
static bool
is_running_variable(const lg__scene *scene, uint32_t cell)
{
    const lg__reverse *reverse = &scene->walk.reverse;
    for (uint64_t i = reverse->first[cell]; i < reverse->first[cell + 1]; i++)
        if (lg__node_category(scene->graph, reverse->edge[i].source) ==
            LG_CATEGORY_FRAME)
            return true;
    return false;
}

// PyTorch's own closures are how it works.
static bool
is_users(const lg__scene *scene, uint32_t function)
{
    uint32_t globals = namespace_of(scene, function);
    uint32_t owner =
        globals == LG_NONE ? LG_NONE : scene->walk.fold[globals].owner;
    lg_string name = owner == LG_NONE ? (lg_string){"", 0}
                                      : lg_node_text(scene->graph, owner);
    return !lg__name_begins(name, "torch.") && !lg__string_is(name, "torch");
}

static bool
visit_holder(void *context, const lg_hop *hop)
{
    enclosing *to = context;
    lg__scene *scene = to->scene;
    const lg_columns *columns = &scene->graph->columns;
    uint64_t last = hop->edges[hop->edge_count - 1];
    if (hop->weak)
        return true;
    if (lg__edge_kind(scene->graph, last) == LG_EDGE_CELL &&
        hop->edge_count == 3) {
        uint32_t cell = columns->edge_target[hop->edges[1]];
        if (!is_running_variable(scene, cell) &&
            lg__scene_is_stored(scene, hop->source) &&
            is_users(scene, hop->source))
            lg__scene_note(scene, hop->source, to->tensor);
    } else if ((lg__cast_of(scene, hop->source) & LG__CAST_CONTAINER) &&
               !lg__gather_append(&to->containers, hop->source)) {
        scene->failed = true;
    }
    return !scene->failed;
}

static void
look_at_tensors(lg__scene *scene)
{
    const lg__gathered *tensors = lg__scene_all(scene, LG__CAST_TENSOR);
    enclosing to = {.scene = scene};
    lg__walk walk = scene->walk;
    walk.visit = visit_holder;
    walk.context = &to;
    for (size_t i = 0; i < tensors->count && !scene->failed; i++) {
        to.tensor = tensors->items[i];
        to.containers.count = 0;
        if (!is_activation(scene, to.tensor))
            continue;
        lg__hops_in_walk(&walk, to.tensor);
        size_t begin = 0;
        for (int level = 0; level < 2; level++)
            for (size_t end = to.containers.count; begin < end; begin++)
                lg__hops_in_walk(&walk, to.containers.items[begin]);
    }
    free(to.containers.items);
}

void
lg__look_for_activations(lg__scene *scene)
{
    look_at_modules(scene);
    look_at_tensors(scene);
}
