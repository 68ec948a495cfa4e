// The last step to every node, in the order of nodes: their references lie in
// memory in the same order, and those of the dominator tree do not.
#include "growth/place_walk.h"

#include <stdlib.h>

typedef struct typing {
    uint32_t *name; // [type] the number of its name in the table
    uint32_t code;  // that of "code"
    uint32_t str;   // that of "str"
} typing;

static bool
name_types(const lg__place_walk *walk, typing *out)
{
    lg_places *places = walk->places;
    uint32_t count = walk->graph->type_count;
    out->name = malloc(((size_t)count + 1) * sizeof *out->name);
    if (out->name == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        out->name[i] =
            lg__places_string(places, lg_graph_type(walk->graph, i).name);
        if (out->name[i] == LG_NONE)
            return false;
    }
    out->code = lg__places_string(places, (lg_string){"code", 4});
    out->str = lg__places_string(places, (lg_string){"str", 3});
    return out->code != LG_NONE && out->str != LG_NONE;
}

// The texts and the code of a function never change: they are part of it, and
// so is all that a code object has.
static bool
is_part_of_code(const lg__place_walk *walk, const typing *types, uint32_t type,
                uint32_t above)
{
    uint32_t holder = walk->graph->columns.type[above];
    return types->name[holder] == types->code ||
           ((type == types->code || type == types->str) &&
            walk->graph->type_trait[holder].category == LG_CATEGORY_FUNCTION);
}

// Whether the node is part of its dominator, or of what that one is part of.
// What lies deeper in a code object is found by the walk.
static bool
is_part(const lg__place_walk *walk, const typing *types, uint32_t node,
        uint32_t type)
{
    const lg__fold *folds = walk->labels.folds;
    uint32_t owner = folds[node].owner;
    uint32_t above = walk->analysis->dominator[node];
    if (above >= walk->graph->columns.node_count)
        return false;
    return (owner != LG_NONE &&
            (owner == above || owner == folds[above].owner)) ||
           is_part_of_code(walk, types, type, above);
}

static bool
is_at_top_of_garbage(const lg__place_walk *walk, uint32_t node)
{
    return walk->analysis->dominator[node] ==
           walk->graph->columns.node_count + 1;
}

// A namespace whose instance is garbage, too, and dominates nothing more than
// it does: before CPython 3.11 a cycle leads through it.
static bool
is_loose_part(const lg__place_walk *walk, uint32_t node)
{
    uint32_t owner = walk->labels.folds[node].owner;
    return owner != LG_NONE && is_at_top_of_garbage(walk, node) &&
           is_at_top_of_garbage(walk, owner);
}

// Dominators lie anywhere: those of some nodes ahead are read.
static void
read_ahead(const lg__place_walk *walk, uint32_t node)
{
    enum { AHEAD = 16 };
    uint32_t nodes = walk->graph->columns.node_count;
    if (node + AHEAD >= nodes)
        return;
    uint32_t above = walk->analysis->dominator[node + AHEAD];
    if (above < nodes)
        __builtin_prefetch(&walk->graph->columns.type[above]);
}

static bool
find_step(lg__place_walk *walk, const typing *types, uint32_t node)
{
    const uint32_t *type = walk->graph->columns.type;
    uint32_t name = types->name[type[node]];
    uint32_t marks = name == types->code ? LG__PLACE_CODE : 0;
    uint32_t named = node;
    lg__step step;
    if (is_part(walk, types, node, name)) {
        walk->place[node] = marks | LG__PLACE_PART;
        return true;
    }
    if (is_loose_part(walk, node)) {
        marks |= LG__PLACE_LOOSE;
        named = walk->labels.folds[node].owner;
    }
    if (!lg__label_step(&walk->labels, named, &step))
        return false;
    walk->place[node] = marks | (uint32_t)step.kind;
    walk->step[node] = (lg__node_step){step.label, types->name[type[named]]};
    return true;
}

lg_status
lg__place_steps(lg__place_walk *walk, lg_error *err)
{
    typing types = {0};
    bool enough = name_types(walk, &types);
    lg_status status =
        enough ? lg__labels_begin(&walk->labels, err) : lg__error_memory(err);
    uint32_t nodes = walk->graph->columns.node_count;
    for (uint32_t node = 0; node < nodes && status == LG_OK; node++) {
        read_ahead(walk, node);
        if (!find_step(walk, &types, node))
            status = lg__error_memory(err);
    }
    free(types.name);
    return status;
}
