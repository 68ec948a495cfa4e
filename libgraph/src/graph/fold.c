// Finds the namespaces, closure tuples, cells and buffers that are folded into
// their owners.
//
// A folded node's owner is never folded itself, so a hop has at most three
// edges, and one step finds the owner of a node.
#include "graph/graph_private.h"

#include <leakgraph/internal/hops.h>
#include <leakgraph/internal/retained.h>

#include <string.h>

// Finds attributes that no program can change: those of frozen dataclasses, of
// frozen classes of attrs, and of frozen models of pydantic.

enum {
    DATACLASS = 1, // the class is a frozen dataclass itself
    ATTRS = 2,     // it is a frozen class of attrs itself
    FIELDS = 4,    // nobody can change fields of frozen dataclasses
    ALL = 8,       // nobody can change any attribute
    MODEL = 16,    // it is a class of models: each says which fields are frozen
};

static lg_string
text_of_attribute(const lg_graph *graph, uint32_t node, const char *name)
{
    uint32_t found =
        node != LG_NONE ? lg__node_attribute(graph, node, name) : LG_NONE;
    return found != LG_NONE ? lg_node_text(graph, found) : (lg_string){"", 0};
}

static uint8_t
made_as(const lg_graph *graph, uint32_t class)
{
    uint32_t options = lg__node_attribute(graph, class, "__dataclass_params__");
    if (lg__string_is(text_of_attribute(graph, options, "frozen"), "True"))
        return DATACLASS;
    return lg__string_is(text_of_attribute(graph, class, "__setattr__"),
                         "attr._make._frozen_setattrs")
               ? ATTRS
               : 0;
}

static bool
is_model(const lg_graph *graph, uint32_t type)
{
    lg_type of = lg_graph_type(graph, type);
    for (uint32_t i = 0; i < of.mro_count; i++) {
        lg_string base = lg_graph_type(graph, of.mro[i]).name;
        if (lg__string_is(base, "pydantic.main.BaseModel") ||
            lg__string_is(base, "pydantic.v1.main.BaseModel"))
            return true;
    }
    return false;
}

// A class that only derives from a frozen dataclass may have attributes besides
// the fields (Lib/dataclasses.py, _frozen_get_del_attr, 3.9 to 3.15); one that
// derives from a frozen class of attrs may not.
static uint8_t
derived_as(const lg_graph *graph, const uint8_t *frozen, uint32_t type)
{
    lg_type of = lg_graph_type(graph, type);
    uint8_t bases = frozen[type] & (DATACLASS | ATTRS);
    if (bases != 0)
        return ALL;
    for (uint32_t i = 0; i < of.mro_count; i++)
        bases |= frozen[of.mro[i]];
    return bases & ATTRS ? ALL : bases & DATACLASS ? FIELDS : 0;
}

// Returns for each type what is frozen in its instances, [type_count]; NULL
// when memory ran out. O(types and attributes of classes).
static uint8_t *
frozen_types(const lg_graph *graph)
{
    uint8_t *frozen = lg__allocate(&graph->allocator, graph->type_count);
    if (frozen == NULL)
        return NULL;
    for (uint32_t type = 0; type < graph->type_count; type++) {
        uint32_t class = graph->type_node[type];
        frozen[type] = class != LG_NONE ? made_as(graph, class) : 0;
        if (class != LG_NONE && is_model(graph, type))
            frozen[type] |= MODEL;
    }
    for (uint32_t type = 0; type < graph->type_count; type++)
        frozen[type] |= derived_as(graph, frozen, type);
    return frozen;
}

static bool
is_frozen_field(const lg_graph *graph, uint32_t type, lg_string name)
{
    const uint8_t *frozen = graph->lazy->frozen;
    lg_type of = lg_graph_type(graph, type);
    for (uint32_t i = 0; i < of.mro_count; i++) {
        if (!(frozen[of.mro[i]] & DATACLASS))
            continue;
        uint32_t fields = lg__node_attribute(graph, graph->type_node[of.mro[i]],
                                             "__dataclass_fields__");
        if (fields != LG_NONE && lg__dict_value(graph, fields, name) != LG_NONE)
            return true;
    }
    return false;
}

uint32_t
lg__class_attribute(const lg_graph *graph, uint32_t class, const char *name)
{
    uint32_t found = lg__node_attribute(graph, class, name);
    uint32_t order = lg__node_attribute(graph, class, "__mro__");
    const lg_columns *columns = &graph->columns;
    if (order == LG_NONE)
        return found;
    const lg_edge_range edges = lg_columns_edges(columns, order);
    for (uint64_t edge = edges.begin; edge < edges.end && found == LG_NONE;
         edge++)
        found =
            lg__node_attribute(graph, lg_columns_target(columns, edge), name);
    return found;
}

// Returns whether a setting of a class is that truth value.
static bool
has_set(const lg_graph *graph, uint32_t class, const char *name,
        const char *value)
{
    uint32_t found = lg__class_attribute(graph, class, name);
    return found != LG_NONE && lg__string_is(lg_node_text(graph, found), value);
}

// Version 1 (pydantic/main.py, BaseModel.__setattr__, 1.0 to 1.10). It lets
// programs delete such a field, which leaves a model without it.
static bool
is_frozen_of_old_model(const lg_graph *graph, uint32_t class, uint32_t config,
                       lg_string name)
{
    uint32_t fields = lg__node_attribute(graph, class, "__fields__");
    uint32_t field =
        fields != LG_NONE ? lg__dict_value(graph, fields, name) : LG_NONE;
    if (field == LG_NONE)
        return false;
    uint32_t declared = lg__node_attribute(graph, field, "field_info");
    return has_set(graph, config, "allow_mutation", "False") ||
           has_set(graph, config, "frozen", "True") ||
           (has_set(graph, config, "validate_assignment", "True") &&
            lg__string_is(text_of_attribute(graph, declared, "allow_mutation"),
                          "False"));
}

// A class of models has the fields and the settings of its bases, too
// (pydantic/main.py, _check_frozen, 2.0 to 2.14).
static bool
is_frozen_of_model(const lg_graph *graph, uint32_t type, lg_string name)
{
    uint32_t class = graph->type_node[type];
    uint32_t old = lg__node_attribute(graph, class, "__config__");
    if (old != LG_NONE)
        return is_frozen_of_old_model(graph, class, old, name);
    uint32_t fields = lg__node_attribute(graph, class, "__pydantic_fields__");
    if (fields == LG_NONE) // up to 2.9
        fields = lg__node_attribute(graph, class, "model_fields");
    uint32_t field =
        fields != LG_NONE ? lg__dict_value(graph, fields, name) : LG_NONE;
    if (field == LG_NONE)
        return false;
    uint32_t config = lg__node_attribute(graph, class, "model_config");
    uint32_t frozen =
        config != LG_NONE
            ? lg__dict_value(graph, config, (lg_string){"frozen", 6})
            : LG_NONE;
    return lg__string_is(text_of_attribute(graph, field, "frozen"), "True") ||
           (frozen != LG_NONE &&
            lg__string_is(lg_node_text(graph, frozen), "True"));
}

bool
lg__attribute_is_frozen(const lg_graph *graph, uint32_t node, lg_string name)
{
    uint32_t type = lg_columns_type(&graph->columns, node);
    if (lg__graph_folds(graph) == NULL)
        return false;
    uint8_t frozen = graph->lazy->frozen[type];
    return (frozen & ALL) ||
           ((frozen & MODEL) && is_frozen_of_model(graph, type, name)) ||
           ((frozen & FIELDS) && is_frozen_field(graph, type, name));
}

// Few pages of `fold` and `more_holders` are written.
typedef struct folding {
    const lg_graph *graph;
    lg__fold *fold;   // 1 + the owner, or 0; and the rank
    uint8_t *holders; // number of strong counted in-edges that do not open the
                      // node: its last byte
    uint32_t *more_holders; // and the bytes above that
    uint8_t *openers;       // number of edges that would open it, up to 2
    uint8_t *state;
} folding;

enum { IS_GIVEN = 1, IS_CANDIDATE = 2 };

// Returns the owner that a node is folded into so far, or LG_NONE.
static uint32_t
owner_of(const folding *state, uint32_t node)
{
    return state->fold[node].owner - 1;
}

static void
fold_into(folding *state, uint32_t node, uint32_t owner, uint32_t rank)
{
    state->fold[node] = (lg__fold){owner + 1, rank};
}

static void
unfold(folding *state, uint32_t node)
{
    if (owner_of(state, node) != LG_NONE)
        state->fold[node] = (lg__fold){0, 0};
}

// Most nodes have fewer than 256 holders. What overflows the byte is counted in
// an array of which few pages are ever written.
static inline void
add_holder(folding *state, uint32_t node)
{
    if (++state->holders[node] == 0)
        state->more_holders[node]++;
}

static void
drop_holder(folding *state, uint32_t node)
{
    if (state->holders[node]-- == 0)
        state->more_holders[node]--;
}

static bool
has_holders(const folding *state, uint32_t node)
{
    return state->holders[node] != 0 || state->more_holders[node] != 0;
}

static bool
is_namespace_owner(const lg_graph *graph, uint32_t node)
{
    lg_category category = lg__node_category(graph, node);
    return category == LG_CATEGORY_MODULE || category == LG_CATEGORY_TYPE;
}

static bool
is_namespace(const lg_graph *graph, uint32_t node)
{
    return lg__node_category(graph, node) == LG_CATEGORY_CONTAINER &&
           lg__node_role(graph, node) != LG__ROLE_TUPLE;
}

static bool
is_closure_edge(const lg_graph *graph, uint32_t source, uint64_t edge)
{
    const lg_columns *columns = &graph->columns;
    return lg__edge_kind(graph, edge) == LG_EDGE_ATTRIBUTE &&
           lg__node_role(graph, source) == LG__ROLE_FUNCTION &&
           lg__node_role(graph, lg_columns_target(columns, edge)) ==
               LG__ROLE_TUPLE &&
           lg__string_is(lg_graph_string(graph, lg_columns_payload_from(
                                                    columns, source, edge)),
                         "__closure__");
}

// Notes an edge that may open its target. Remembers the first such edge, but
// prefers one of a module or a class.
static void
note_opener(folding *state, uint32_t source, uint32_t rank, uint32_t target)
{
    const uint32_t owner = owner_of(state, target);
    if (state->openers[target] < 2)
        state->openers[target]++;
    if (owner == LG_NONE || (is_namespace_owner(state->graph, source) &&
                             !is_namespace_owner(state->graph, owner)))
        fold_into(state, target, source, rank);
}

static void
note_edges_of(folding *state, uint32_t node)
{
    const lg_graph *graph = state->graph;
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    bool has_closure = false;
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint8_t kind = lg_columns_kind(columns, edge);
        uint32_t target = lg_columns_target(columns, edge);
        uint32_t rank = (uint32_t)(edge - edges.begin);
        if ((kind & LG_EDGE_WEAK) ||
            (kind & LG_EDGE_KIND_MASK) == LG_EDGE_GLOBALS)
            continue;
        bool closure = !has_closure && is_closure_edge(graph, node, edge);
        has_closure |= closure;
        if (closure || ((kind & LG_EDGE_KIND_MASK) == LG_EDGE_DICT &&
                        target != node && is_namespace(graph, target)))
            note_opener(state, node, rank, target);
        else if (!(kind & LG_EDGE_UNCOUNTED))
            add_holder(state, target);
    }
}

// Returns whether a node has unseen holders. Those outside of a partial capture
// count as references not found.
static bool
has_unseen_holders(const lg_graph *graph, uint32_t node)
{
    return graph->partial && lg_columns_refcount(&graph->columns, node) >
                                 lg_columns_found(&graph->columns, node);
}

static void
mark_candidates(folding *state)
{
    const lg_graph *graph = state->graph;
    for (uint32_t i = 0; i < graph->root_count; i++)
        if (graph->root_kind[i] == LG_ROOT_GIVEN)
            state->state[graph->root_node[i]] = IS_GIVEN;
    for (uint32_t node = 0; node < graph->columns.node_count; node++) {
        uint32_t owner = owner_of(state, node);
        if (owner == LG_NONE || (state->state[node] & IS_GIVEN))
            continue;
        if (is_namespace_owner(graph, owner) ||
            (state->openers[node] == 1 && !has_holders(state, node) &&
             !has_unseen_holders(graph, node)))
            state->state[node] |= IS_CANDIDATE;
    }
}

static void
drop_the_rest(folding *state)
{
    for (uint32_t node = 0; node < state->graph->columns.node_count; node++) {
        uint32_t owner = owner_of(state, node);
        if (owner != LG_NONE &&
            (!(state->state[node] & IS_CANDIDATE) ||
             (state->state[owner] & IS_CANDIDATE) ||
             lg__node_role(state->graph, owner) == LG__ROLE_CELL))
            state->state[node] &= (uint8_t)~IS_CANDIDATE;
    }
    for (uint32_t node = 0; node < state->graph->columns.node_count; node++)
        if (!(state->state[node] & IS_CANDIDATE))
            unfold(state, node);
}

// Subtracts the edges of a folded closure tuple from the holders of its cells.
// A cell without other holders is reached only through such tuples.
static void
note_cells_of(folding *state, uint32_t tuple)
{
    const lg_columns *columns = &state->graph->columns;
    uint64_t begin = lg_columns_first_edge(columns, tuple);
    uint64_t end = lg_columns_first_edge(columns, tuple + 1);
    for (uint64_t edge = begin; edge < end; edge++) {
        uint8_t kind = lg_columns_kind(columns, edge);
        uint32_t cell = lg_columns_target(columns, edge);
        if ((kind & LG_EDGE_WEAK) ||
            (kind & LG_EDGE_KIND_MASK) != LG_EDGE_INDEX ||
            lg__node_role(state->graph, cell) != LG__ROLE_CELL)
            continue;
        if (!(kind & LG_EDGE_UNCOUNTED))
            drop_holder(state, cell);
        const uint32_t owner = owner_of(state, tuple);
        if (owner < owner_of(state, cell))
            fold_into(state, cell, owner, (uint32_t)(edge - begin));
    }
}

static void
fold_cells(folding *state)
{
    const lg_graph *graph = state->graph;
    for (uint32_t node = 0; node < graph->columns.node_count; node++)
        if (owner_of(state, node) != LG_NONE &&
            lg__node_role(graph, node) == LG__ROLE_TUPLE)
            note_cells_of(state, node);
    for (uint32_t node = 0; node < graph->columns.node_count; node++)
        if (lg__node_role(graph, node) == LG__ROLE_CELL &&
            (has_holders(state, node) || (state->state[node] & IS_GIVEN) ||
             has_unseen_holders(graph, node)))
            unfold(state, node);
}

static bool
has_no_edges(const lg_columns *columns, uint32_t node)
{
    const lg_edge_range edges = lg_columns_edges(columns, node);
    return edges.begin == edges.end;
}

static inline bool
is_buffer(const lg_graph *graph, uint32_t node)
{
    return (lg_columns_flags(&graph->columns, node) & LG_NODE_BUFFER) &&
           has_no_edges(&graph->columns, node);
}

// Counts the edges into each buffer, up to 2, and returns whether there are
// any.
static bool
count_buffer_edges(folding *state)
{
    const lg_columns *columns = &state->graph->columns;
    bool any = false;
    for (uint32_t node = 0; node < columns->node_count; node++)
        if (is_buffer(state->graph, node)) {
            state->openers[node] = 0;
            any = true;
        }
    for (uint64_t edge = 0; edge < columns->edge_count && any; edge++) {
        uint32_t target = lg_columns_target(columns, edge);
        if (is_buffer(state->graph, target) && state->openers[target] < 2)
            state->openers[target]++;
    }
    return any;
}

static bool
is_cell_or_tuple(const lg_graph *graph, uint32_t node)
{
    const lg__role role = lg__node_role(graph, node);
    return role == LG__ROLE_CELL || role == LG__ROLE_TUPLE;
}

static bool
is_part_of(const folding *state, uint32_t holder, uint64_t edge)
{
    const lg_graph *graph = state->graph;
    uint32_t buffer = lg_columns_target(&graph->columns, edge);
    return is_buffer(graph, buffer) && state->openers[buffer] == 1 &&
           !(lg_columns_kind(&graph->columns, edge) & LG_EDGE_WEAK) &&
           !(state->state[buffer] & IS_GIVEN) && !is_buffer(graph, holder) &&
           owner_of(state, buffer) == LG_NONE &&
           owner_of(state, holder) == LG_NONE &&
           !is_cell_or_tuple(graph, holder);
}

// Folds each buffer with one edge into the source of that edge.
static bool
fold_buffers(folding *state, lg__vector *buffers)
{
    const lg_columns *columns = &state->graph->columns;
    if (!count_buffer_edges(state))
        return true;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        const lg_edge_range edges = lg_columns_edges(columns, node);
        for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
            if (!is_part_of(state, node, edge))
                continue;
            uint32_t buffer = lg_columns_target(columns, edge);
            lg__folded_buffer *place =
                lg__vector_extend(&state->graph->allocator, buffers, 1);
            if (place == NULL)
                return false;
            *place = (lg__folded_buffer){node, buffer};
            fold_into(state, buffer, node, (uint32_t)(edge - edges.begin));
        }
    }
    return true;
}

// The first pass notes for each node the edge that may open it, and counts its
// other holders. The second takes the nodes that have one owner and no other
// holder, and all namespaces of modules and classes. The third gives up those
// whose owner is taken itself: an owner that remains unfolded never becomes
// folded later, so the rule at the head of this file holds. Cells come last,
// because their owners are those of the tuples that remain.
static void
fill(folding *state)
{
    uint32_t nodes = state->graph->columns.node_count;
    for (uint32_t node = 0; node < nodes; node++)
        note_edges_of(state, node);
    mark_candidates(state);
    drop_the_rest(state);
    fold_cells(state);
}

// Marks the nodes that have a fold. Returns how many.
static size_t
mark_folded(const folding *state, lg__folds *out)
{
    const uint32_t nodes = state->graph->columns.node_count;
    const size_t blocks = lg__marked_blocks(nodes);
    memset(out->marked, 0, blocks * sizeof *out->marked);
    for (uint32_t node = 0; node < nodes; node++)
        if (owner_of(state, node) != LG_NONE)
            lg__mark_node(out->marked, node);
    return lg__count_marks(out->marked, blocks);
}

// Keeps the folds of the nodes that have one, in their order.
static bool
keep_folds(const folding *state, lg__folds *out)
{
    const lg_graph *graph = state->graph;
    const uint32_t nodes = graph->columns.node_count;
    const size_t size = lg__marked_blocks(nodes) * sizeof *out->marked;
    out->marked = lg__allocate(&graph->allocator, size);
    out->items = (lg__vector){.element = sizeof(lg__fold)};
    if (out->marked == NULL)
        return false;
    const size_t count = mark_folded(state, out);
    lg__fold *items =
        lg__allocate(&graph->allocator, (count + 1) * sizeof *items);
    if (items == NULL) {
        lg__deallocate(&graph->allocator, out->marked, size);
        return false;
    }
    size_t kept = 0;
    for (uint32_t node = 0; node < nodes; node++)
        if (owner_of(state, node) != LG_NONE)
            items[kept++] =
                (lg__fold){owner_of(state, node), state->fold[node].rank};
    out->items = (lg__vector){items, count, count + 1, sizeof *items};
    return true;
}

static bool
folding_begin(const lg_graph *graph, folding *out)
{
    const size_t nodes = (size_t)graph->columns.node_count + 1;
    *out = (folding){
        .graph = graph,
        .fold = lg__sparse_calloc(nodes, sizeof(lg__fold)),
        .holders = lg__calloc(nodes, 1),
        .more_holders = lg__sparse_calloc(nodes, sizeof(uint32_t)),
        .openers = lg__calloc(nodes, 1),
        .state = lg__calloc(nodes, 1),
    };
    return out->fold && out->holders && out->more_holders && out->openers &&
           out->state;
}

static void
folding_end(folding *state)
{
    lg__free(state->fold);
    lg__free(state->holders);
    lg__free(state->more_holders);
    lg__free(state->openers);
    lg__free(state->state);
}

static bool
make_folds(const lg_graph *graph, lg__vector *buffers, lg__folds *out)
{
    folding state;
    bool enough = folding_begin(graph, &state);
    if (enough) {
        fill(&state);
        enough = fold_buffers(&state, buffers) && keep_folds(&state, out);
    }
    folding_end(&state);
    if (!enough)
        lg__vector_free(&graph->allocator, buffers);
    return enough;
}

// Makes the folds, and what every reader of them may ask for.
static bool
make_with_folds(const lg_graph *graph, lg__lazy *lazy)
{
    const lg_allocator *allocator = &graph->allocator;
    lazy->buffers = (lg__vector){.element = sizeof(lg__folded_buffer)};
    lazy->frozen = frozen_types(graph);
    const bool made =
        lazy->frozen != NULL && make_folds(graph, &lazy->buffers, &lazy->folds);
    if (!made)
        lg__deallocate(allocator, lazy->frozen, graph->type_count);
    return made;
}

const lg__folds *
lg__graph_folds(const lg_graph *graph)
{
    lg__lazy *lazy = graph->lazy;
    if (lazy->has_folds)
        return &lazy->folds;
    lg_lock_take(&lazy->lock);
    if (!lazy->has_folds)
        lazy->has_folds = make_with_folds(graph, lazy);
    lg_lock_give(&lazy->lock);
    return lazy->has_folds ? &lazy->folds : NULL;
}

lg_node
lg_node_folded_into(const lg_graph *graph, lg_node node)
{
    const lg__folds *folds = lg__graph_folds(graph);
    return folds == NULL ? LG_NONE : lg__fold_owner(folds, node);
}

uint32_t
lg__graph_seen_node(const lg_graph *graph, uint32_t node)
{
    const lg__folds *folds = lg__graph_folds(graph);
    return folds == NULL ? node : lg__seen_node(folds, node);
}

// Returns the place of a holder's first buffer, or where it would be.
static size_t
first_buffer(const lg__vector *buffers, uint32_t holder)
{
    return lg_items_place(buffers->data, buffers->count,
                          LG_ITEM_KEY(lg__folded_buffer, holder), holder);
}

// Computes a node's size. Without memory for the folds, that is its own size
// only.
uint64_t
lg_node_bytes_on(const lg_graph *graph, lg_node node, uint32_t device)
{
    bool here = device == LG_NONE || lg_node_device(graph, node) == device;
    uint64_t bytes = here ? lg_node_size(graph, node) : 0;
    if (lg__graph_folds(graph) == NULL)
        return bytes;
    const lg__vector *buffers = &graph->lazy->buffers;
    const lg__folded_buffer *items = buffers->data;
    for (size_t i = first_buffer(buffers, node);
         i < buffers->count && items[i].holder == node; i++)
        if (device == LG_NONE ||
            lg_node_device(graph, items[i].buffer) == device)
            bytes += lg_node_size(graph, items[i].buffer);
    return bytes;
}

lg_bytes
lg_node_bytes(const lg_graph *graph, lg_node node)
{
    uint64_t host = lg_node_bytes_on(graph, node, 0);
    return (lg_bytes){host, lg_node_bytes_on(graph, node, LG_NONE) - host};
}
