// Chooses the reference by which a node's dominator holds it.
#include "growth/place_walk.h"

// If a dominator refers to a node several times, the label comes from the kind
// with the lowest rank; within a kind, it is the first in byte order. So it
// never depends on the order of references.
static const uint8_t ranks[LG_EDGE_KIND_COUNT] = {
    [LG_EDGE_ATTRIBUTE] = 0, [LG_EDGE_LOCAL] = 1,      [LG_EDGE_VALUE] = 2,
    [LG_EDGE_INDEX] = 3,     [LG_EDGE_ELEMENT] = 4,    [LG_EDGE_CELL] = 5,
    [LG_EDGE_FRAME] = 6,     [LG_EDGE_DICT] = 7,       [LG_EDGE_NATIVE] = 8,
    [LG_EDGE_REFERENT] = 9,  [LG_EDGE_KEY] = 10,       [LG_EDGE_STACK] = 11,
    [LG_EDGE_FIELD] = 12,    [LG_EDGE_REFERENCE] = 13, [LG_EDGE_GLOBALS] = 14,
    [LG_EDGE_TYPE] = 15,
};

// How many references ahead to prefetch a dominator, because targets are far
// apart in memory.
enum { AHEAD = 16 };

static int
compare_strings(const lg_graph *graph, uint32_t left, uint32_t right)
{
    return left == right ? 0
                         : lg__string_compare(lg_graph_string(graph, left),
                                              lg_graph_string(graph, right));
}

// Returns whether a reference labels its target better than another.
static bool
is_preferred(lg__labels *labels, lg__via via, lg__via other)
{
    const lg_graph *graph = labels->graph;
    uint32_t name = lg__label_name(labels, via);
    uint32_t known = lg__label_name(labels, other);
    // An attribute is one, whether or not the instance has a namespace.
    uint8_t rank = name != LG_NONE ? 0 : ranks[lg__edge_kind(graph, via.edge)];
    uint8_t least =
        known != LG_NONE ? 0 : ranks[lg__edge_kind(graph, other.edge)];
    int order = rank - least;
    if (order == 0 && name != LG_NONE)
        order = compare_strings(graph, name, known);
    return order < 0;
}

// Returns the node with the reference whose number ends with these bits. That
// node is folded into `above`.
static lg__via
search_via(lg__place_walk *walk, uint32_t node, uint32_t above, uint32_t bits)
{
    const lg_columns *columns = &walk->graph->columns;
    for (uint64_t edge = bits; edge < columns->edge_count;
         edge += (uint64_t)1 << 32) {
        uint32_t source = lg_edge_source(walk->graph, edge);
        if (columns->edge_target[edge] != node ||
            walk->labels.folds[source].owner != above)
            continue;
        walk->spaces[above % LG__SPACES_KNOWN] =
            (lg__known_space){above, source};
        return (lg__via){edge, source};
    }
    return (lg__via){LG__NO_EDGE, LG_NONE};
}

lg__via
lg__via_search(lg__place_walk *walk, uint32_t node, uint32_t above)
{
    const lg_columns *columns = &walk->graph->columns;
    uint32_t bits = walk->place[node];
    lg__via via = {LG__NO_EDGE, LG_NONE};
    lg__known_space *space = &walk->spaces[above % LG__SPACES_KNOWN];
    if (bits == LG_NONE ||
        (space->above == above &&
         lg__has_reference(columns, space->source, bits, node, &via)))
        return via;
    return search_via(walk, node, above, bits);
}

// Chooses references for the nodes that the source, or its owner, dominates.
static void
choose_of(lg__place_walk *walk, uint32_t source, uint32_t owner)
{
    const lg_columns *columns = &walk->graph->columns;
    const uint32_t *dominator = walk->analysis->dominator;
    uint64_t end = columns->first_edge[source + 1];
    for (uint64_t edge = columns->first_edge[source]; edge < end; edge++) {
        uint32_t target = columns->edge_target[edge];
        uint32_t above = dominator[target];
        if (edge + AHEAD < columns->edge_count)
            __builtin_prefetch(&dominator[columns->edge_target[edge + AHEAD]]);
        if ((above != source && above != owner) ||
            (columns->edge_kind[edge] & LG_EDGE_WEAK))
            continue;
        if (walk->place[target] == LG_NONE ||
            is_preferred(&walk->labels, (lg__via){edge, source},
                         lg__via_of(walk, target, above)))
            walk->place[target] = (uint32_t)edge;
    }
}

// Returns whether a module's name for a value comes before another's.
static bool
is_first_name(const lg_graph *graph, const lg__module_name *name,
              const lg__module_name *other)
{
    int order = compare_strings(graph, name->module, other->module);
    if (order == 0)
        order = compare_strings(graph, name->name, other->name);
    return order < 0;
}

static bool
name_top(lg__place_walk *walk, uint32_t target, lg__module_name name)
{
    lg_allocator allocator = lg_allocator_default();
    uint32_t *known = &walk->place[target];
    if (*known != LG_NONE) {
        lg__module_name *names = walk->names.data;
        if (is_first_name(walk->graph, &name, &names[*known]))
            names[*known] = name;
        return true;
    }
    lg__module_name *place = lg__vector_extend(&allocator, &walk->names, 1);
    if (place == NULL)
        return false;
    *place = name;
    *known = (uint32_t)(walk->names.count - 1);
    return true;
}

static bool
name_values(lg__place_walk *walk, uint32_t module, uint32_t space)
{
    const lg_columns *columns = &walk->graph->columns;
    const uint32_t *dominator = walk->analysis->dominator;
    uint32_t text = lg__label_text(&walk->labels, module);
    uint64_t end = columns->first_edge[space + 1];
    for (uint64_t edge = columns->first_edge[space]; edge < end; edge++) {
        uint32_t target = columns->edge_target[edge];
        if (edge + AHEAD < columns->edge_count)
            __builtin_prefetch(&dominator[columns->edge_target[edge + AHEAD]]);
        if (dominator[target] != columns->node_count ||
            lg__edge_kind(walk->graph, edge) != LG_EDGE_VALUE)
            continue;
        uint32_t name = lg__label_name(&walk->labels, (lg__via){edge, space});
        if (name != LG_NONE &&
            !name_top(walk, target, (lg__module_name){edge, text, name}))
            return false;
    }
    return true;
}

// Returns whether all that the node dominates is a part of a code object.
static bool
is_code(const lg__place_walk *walk, uint32_t node, const lg__walk_type *type)
{
    const lg_columns *columns = &walk->graph->columns;
    uint32_t above = walk->analysis->dominator[node];
    return type->code || (above < columns->node_count &&
                          walk->types[columns->type[above]].code);
}

bool
lg__vias_choose(lg__place_walk *walk)
{
    const lg_graph *graph = walk->graph;
    const uint32_t *first_child = walk->analysis->first_child;
    const lg__fold *folds = walk->labels.folds;
    for (uint32_t node = 0; node < graph->columns.node_count; node++) {
        const lg__walk_type *type = &walk->types[graph->columns.type[node]];
        uint32_t owner = type->may_fold ? folds[node].owner : LG_NONE;
        if (owner == LG_NONE) {
            if (first_child[node] != first_child[node + 1] &&
                !is_code(walk, node, type))
                choose_of(walk, node, LG_NONE);
            continue;
        }
        if (lg__node_category(graph, owner) == LG_CATEGORY_MODULE &&
            lg__label_is_namespace(&walk->labels, node) &&
            !name_values(walk, owner, node))
            return false;
        choose_of(walk, node, owner);
    }
    return true;
}
