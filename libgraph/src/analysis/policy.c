// Finds the implicit roots: what lasts as long as the process, so that it is no
// news what holds it.
//
// They are the immortal objects, the modules, and the named classes. A class is
// named if a namespace of a module has it, or that of a named class, or if it
// is a base of one. The list of named classes grows while it is searched; a
// mark keeps a class from being listed twice, so each is searched once, and
// nothing recurses. A namespace of a module is none of these: it is marked as
// one, and the first module that has it owns it.
#include "analysis/policy.h"

#include <string.h>

// Marks that only the search uses.
enum {
    MARK_MODULE = LG__MARK_MANY, // it is a module root
    MARK_NAMED = LG__MARK_EARLY, // it is a named class
};

typedef struct class_type {
    uint32_t node;
    uint32_t type;
} class_type;

typedef struct furnishing {
    const lg_graph *graph;
    lg__policy *policy;
    lg__vector modules;  // lg__module
    lg__vector named;    // uint32_t: named classes still to be searched
    class_type *classes; // ascending by node
    uint32_t class_count;
    bool failed;
} furnishing;

static bool
is_class(const lg_graph *graph, uint32_t node)
{
    return lg__node_category(graph, node) == LG_CATEGORY_TYPE;
}

static bool
is_namespace_edge(const lg_graph *graph, uint64_t edge)
{
    return lg__edge_kind(graph, edge) == LG_EDGE_DICT &&
           !(lg_columns_kind(&graph->columns, edge) & LG_EDGE_WEAK);
}

// Synthetic nodes are flagged immortal because they have no count. They are
// still no implicit roots: a thread holds its frames.
static void
mark_roots(const lg_graph *graph, uint8_t *mark)
{
    const unsigned lasting = LG_NODE_IMMORTAL | LG_NODE_SYNTHETIC;
    for (uint32_t node = 0; node < graph->columns.node_count; node++)
        if ((lg_columns_flags(&graph->columns, node) & lasting) ==
            LG_NODE_IMMORTAL)
            mark[node] = LG__MARK_IMPLICIT_ROOT;
    for (uint32_t i = 0; i < graph->root_count; i++) {
        unsigned kind = graph->root_kind[i];
        bool implicit_root = kind == LG_ROOT_MODULE || kind == LG_ROOT_STATIC;
        mark[graph->root_node[i]] |=
            implicit_root ? LG__MARK_IMPLICIT_ROOT : LG__MARK_ENTRY;
        if (kind == LG_ROOT_MODULE)
            mark[graph->root_node[i]] |= MARK_MODULE;
    }
}

static void
add_module(furnishing *state, uint32_t module, uint32_t dict)
{
    uint8_t *mark = &state->policy->mark[dict];
    if (*mark & (MARK_MODULE | LG__MARK_NAMESPACE))
        return;
    lg__module *place =
        lg__vector_extend(&state->policy->allocator, &state->modules, 1);
    if (place == NULL) {
        state->failed = true;
        return;
    }
    *place = (lg__module){dict, module};
    *mark = LG__MARK_NAMESPACE;
}

// If several modules share a namespace, it belongs to the first. A namespace
// that is a module root itself belongs to itself.
static void
find_modules(furnishing *state)
{
    const lg_graph *graph = state->graph;
    for (uint32_t i = 0; i < graph->root_count; i++) {
        uint32_t module = graph->root_node[i];
        if (graph->root_kind[i] != LG_ROOT_MODULE)
            continue;
        const lg_edge_range edges = lg_columns_edges(&graph->columns, module);
        for (uint64_t e = edges.begin; e < edges.end; e++)
            if (is_namespace_edge(graph, e))
                add_module(state, module,
                           lg_columns_target(&graph->columns, e));
    }
    for (uint32_t i = 0; i < graph->root_count; i++)
        state->policy->mark[graph->root_node[i]] &= (uint8_t)~MARK_MODULE;
}

static void
name_class(furnishing *state, uint32_t node)
{
    uint8_t *mark = &state->policy->mark[node];
    if (*mark & MARK_NAMED)
        return;
    uint32_t *place =
        lg__vector_extend(&state->policy->allocator, &state->named, 1);
    if (place == NULL) {
        state->failed = true;
        return;
    }
    *place = node;
    *mark |= MARK_NAMED;
    if (!(*mark & LG__MARK_NAMESPACE))
        *mark |= LG__MARK_IMPLICIT_ROOT;
}

static void
name_values(furnishing *state, uint32_t dict)
{
    const lg_columns *columns = &state->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, dict);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t target = lg_columns_target(columns, edge);
        if (lg__edge_kind(state->graph, edge) == LG_EDGE_VALUE &&
            !(lg_columns_kind(columns, edge) & LG_EDGE_WEAK) &&
            is_class(state->graph, target))
            name_class(state, target);
    }
}

static void
name_bases(furnishing *state, uint32_t type)
{
    const lg_graph *graph = state->graph;
    for (uint32_t i = graph->type_first_base[type];
         i < graph->type_first_base[type + 1]; i++) {
        uint32_t base = graph->type_node[graph->type_base[i]];
        if (base != LG_NONE && is_class(graph, base))
            name_class(state, base);
    }
}

static void
look_into_class(furnishing *state, uint32_t node)
{
    const lg_graph *graph = state->graph;
    const lg_edge_range edges = lg_columns_edges(&graph->columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (is_namespace_edge(graph, edge))
            name_values(state, lg_columns_target(&graph->columns, edge));
    for (size_t i = lg_items_place(state->classes, state->class_count,
                                   LG_ITEM_KEY(class_type, node), node);
         i < state->class_count && state->classes[i].node == node; i++)
        name_bases(state, state->classes[i].type);
}

static int
compare_classes(const void *left, const void *right)
{
    const class_type *a = left;
    const class_type *b = right;
    return a->node < b->node ? -1 : a->node > b->node;
}

static size_t
classes_size(const lg_graph *graph)
{
    return (graph->type_count + 1) * sizeof(class_type);
}

static bool
list_classes(furnishing *state)
{
    const lg_graph *graph = state->graph;
    state->classes =
        lg__allocate(&state->policy->allocator, classes_size(graph));
    if (state->classes == NULL)
        return false;
    for (uint32_t type = 0; type < graph->type_count; type++)
        if (graph->type_node[type] != LG_NONE)
            state->classes[state->class_count++] =
                (class_type){graph->type_node[type], type};
    lg__sort(state->classes, state->class_count, sizeof(class_type),
             compare_classes);
    return true;
}

static void
name_classes(furnishing *state)
{
    uint8_t *mark = state->policy->mark;
    for (size_t i = 0; i < state->modules.count; i++)
        name_values(state, ((lg__module *)state->modules.data)[i].dict);
    for (size_t i = 0; i < state->named.count && !state->failed; i++)
        look_into_class(state, ((uint32_t *)state->named.data)[i]);
    for (size_t i = 0; i < state->named.count; i++)
        mark[((uint32_t *)state->named.data)[i]] &= (uint8_t)~MARK_NAMED;
}

static int
compare_modules(const void *left, const void *right)
{
    const lg__module *a = left;
    const lg__module *b = right;
    return a->dict < b->dict ? -1 : a->dict > b->dict;
}

static size_t
mark_size(const lg_graph *graph)
{
    return (size_t)graph->columns.node_count + 1;
}

static void
find_implicit_roots(furnishing *state)
{
    lg__policy *policy = state->policy;
    policy->mark_size = mark_size(state->graph);
    policy->mark = lg__allocate(&policy->allocator, policy->mark_size);
    state->failed = policy->mark == NULL || !list_classes(state);
    if (state->failed)
        return;
    memset(policy->mark, 0, policy->mark_size);
    mark_roots(state->graph, policy->mark);
    find_modules(state);
    name_classes(state);
}

lg_status
lg__policy_new(const lg_graph *graph, const lg_allocator *allocator,
               lg__policy *out, lg_error *err)
{
    lg__policy policy = {
        .allocator = allocator != NULL ? *allocator : lg_allocator_default()};
    furnishing state = {
        .graph = graph,
        .policy = &policy,
        .modules = {.element = sizeof(lg__module)},
        .named = {.element = sizeof(uint32_t)},
    };
    find_implicit_roots(&state);
    lg__vector_free(&policy.allocator, &state.named);
    lg__deallocate(&policy.allocator, state.classes, classes_size(graph));
    policy.modules = state.modules.data;
    policy.module_count = (uint32_t)state.modules.count;
    policy.module_room = state.modules.capacity;
    if (state.failed) {
        lg__policy_free(&policy);
        return lg__error_memory(err);
    }
    if (policy.module_count > 0)
        lg__sort(policy.modules, policy.module_count, sizeof(lg__module),
                 compare_modules);
    *out = policy;
    return LG_OK;
}

void
lg__policy_free(lg__policy *policy)
{
    lg__deallocate(&policy->allocator, policy->mark, policy->mark_size);
    lg__deallocate(&policy->allocator, policy->modules,
                   policy->module_room * sizeof(lg__module));
    *policy = (lg__policy){0};
}

uint32_t
lg__policy_module(const lg__policy *policy, uint32_t dict)
{
    const lg__module *found =
        lg_items_find(policy->modules, policy->module_count,
                      LG_ITEM_KEY(lg__module, dict), dict);
    return found != NULL ? found->module : LG_NONE;
}
