// Chooses the reference by which a node's dominator holds it.
//
// A place must have the same name in every snapshot, while the order of
// references changes from one to the next. So no choice depends on that order:
// of several references from the dominator, or from a part of it, such as its
// namespace, the one that is_preferred puts first stays, whichever comes first.
// Of the number of a reference, only the lower 32 bits are kept: its source is
// the dominator or a part of it, whose references are a range of numbers, so
// the bits say which of them it is.
#include "growth/place_walk.h"

#include <ctype.h>

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

// How many references, and nodes, one step lists.
enum { HELD = 1024, BLOCK = 256 };

// How many references ahead to prefetch a dominator.
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
is_preferred(lg__labels *labels, lg__reference reference, lg__reference other)
{
    const lg_graph *graph = labels->graph;
    uint32_t name = lg__label_name(labels, reference);
    uint32_t known = lg__label_name(labels, other);
    // An attribute is one, whether or not the instance has a namespace.
    uint8_t rank =
        name != LG_NONE ? 0 : ranks[lg__edge_kind(graph, reference.edge)];
    uint8_t least =
        known != LG_NONE ? 0 : ranks[lg__edge_kind(graph, other.edge)];
    int order = rank - least;
    if (order == 0 && name != LG_NONE)
        order = compare_strings(graph, name, known);
    return order < 0;
}

// Returns the node with the reference whose number ends with these bits. That
// node is folded into `above`. There is one candidate for each 2^32 references.
static lg__reference
search_reference(lg__place_walk *walk, uint32_t node, uint32_t above,
                 uint32_t bits)
{
    const lg_columns *columns = &walk->graph->columns;
    for (uint64_t edge = bits; edge < columns->edge_count;
         edge += (uint64_t)1 << 32) {
        uint32_t source = lg_edge_source(walk->graph, edge);
        if (lg_columns_target(columns, edge) != node ||
            lg__fold_owner(walk->labels.folds, source) != above)
            continue;
        walk->spaces[above % LG__SPACES_KNOWN] =
            (lg__known_space){above, source};
        return (lg__reference){source, edge};
    }
    return (lg__reference){LG_NONE, LG__NO_EDGE};
}

lg__reference
lg__dominator_reference_search(lg__place_walk *walk, uint32_t node,
                               uint32_t above)
{
    const lg_columns *columns = &walk->graph->columns;
    uint32_t bits = walk->reference[node];
    lg__reference reference;
    lg__known_space *space = &walk->spaces[above % LG__SPACES_KNOWN];
    if (space->above == above &&
        lg__has_reference(columns, space->source, bits, node, &reference))
        return reference;
    return search_reference(walk, node, above, bits);
}

static inline uint32_t
step_named(lg__place_walk *walk, uint32_t name)
{
    if (name >= LG__STEP_NAMES_MOST)
        return LG__STEP_LOOK;
    lg__label_expect(&walk->labels, true, name);
    return LG__STEP_NAMES + name;
}

static inline uint32_t
step_of(lg__place_walk *walk, lg__reference reference, bool space)
{
    const lg_graph *graph = walk->graph;
    uint32_t kind = lg__edge_kind(graph, reference.edge);
    if (kind == LG_EDGE_ATTRIBUTE) {
        const uint32_t payload = lg_columns_payload_from(
            &graph->columns, reference.source, reference.edge);
        return payload < graph->string_count ? step_named(walk, payload)
                                             : LG__STEP_LOOK;
    }
    if (kind != LG_EDGE_VALUE || !(space || walk->labels.has_locals))
        return LG__STEP_KIND + kind;
    uint32_t name = lg__label_name(&walk->labels, reference);
    return name == LG_NONE ? LG__STEP_KIND + LG_EDGE_VALUE
                           : step_named(walk, name);
}

static bool
is_better(lg__place_walk *walk, lg__reference reference, uint32_t target)
{
    uint32_t above = lg__dominator_of(walk->analysis, target);
    return is_preferred(&walk->labels, reference,
                        lg__dominator_reference(walk, target, above));
}

// Chooses the reference if it labels its target better than the one before.
// `space` says whether its source is a namespace if it is a part. GCC would
// call this: records take a tenth longer then.
static inline __attribute__((always_inline)) void
consider(lg__place_walk *walk, lg__reference reference, bool space)
{
    const lg_columns *columns = &walk->graph->columns;
    uint32_t target = lg_columns_target(columns, reference.edge);
    if (lg_columns_kind(columns, reference.edge) & LG_EDGE_WEAK)
        return;
    if (walk->place[target] != LG__STEP_NONE &&
        !is_better(walk, reference, target))
        return;
    walk->place[target] = step_of(walk, reference, space);
    walk->reference[target] = (uint32_t)reference.edge;
}

// Lists the references of the nodes in [begin, end) to what a node in there
// dominates. Returns their number. Whether a reference is one of these is hard
// to predict, so the loop has no branch for it, and the processor reads several
// dominators at a time, which are far apart in memory.
static size_t
list_held(const lg__place_walk *walk, uint32_t begin, uint32_t end,
          uint64_t from, uint64_t to, uint64_t held[HELD])
{
    const lg_analysis *analysis = walk->analysis;
    const lg_columns *columns = &walk->graph->columns;
    uint32_t nodes = end - begin;
    size_t count = 0;
    for (uint64_t edge = from; edge < to; edge++) {
        held[count] = edge;
        count += lg__dominator_of(analysis, lg_columns_target(columns, edge)) -
                     begin <
                 nodes;
    }
    return count;
}

// Chooses the reference if it comes from the dominator of its target. What a
// code object dominates is a part of it.
static inline void
consider_own(lg__place_walk *walk, uint64_t edge)
{
    const lg_columns *columns = &walk->graph->columns;
    uint32_t above =
        lg__dominator_of(walk->analysis, lg_columns_target(columns, edge));
    const lg__place_walk_type *type =
        &walk->types[lg_columns_type(columns, above)];
    if (edge >= lg_columns_first_edge(columns, above) &&
        edge < lg_columns_first_edge(columns, above + 1) && !type->code)
        consider(walk, (lg__reference){above, edge}, type->space);
}

static void
choose_own(lg__place_walk *walk, uint32_t begin, uint32_t end)
{
    const lg_columns *columns = &walk->graph->columns;
    uint64_t last = lg_columns_first_edge(columns, end);
    uint64_t held[HELD];
    for (uint64_t from = lg_columns_first_edge(columns, begin), to; from < last;
         from = to) {
        to = last - from < HELD ? last : from + HELD;
        size_t count = list_held(walk, begin, end, from, to, held);
        for (size_t i = 0; i < count; i++)
            consider_own(walk, held[i]);
    }
}

// Chooses references of a part for what its owner dominates.
static void
choose_for(lg__place_walk *walk, uint32_t part, uint32_t owner, bool space)
{
    const lg_columns *columns = &walk->graph->columns;
    const lg_analysis *analysis = walk->analysis;
    const lg_edge_range edges = lg_columns_edges(columns, part);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        if (edge + AHEAD < columns->edge_count)
            __builtin_prefetch(
                lg__compact_block_of(&analysis->dominators,
                                     lg_columns_target(columns, edge + AHEAD)));
        if (lg__dominator_of(analysis, lg_columns_target(columns, edge)) ==
            owner)
            consider(walk, (lg__reference){part, edge}, space);
    }
}

// Returns whether the module of that name defines the class of an object.
static bool
is_of_class(const lg_graph *graph, uint32_t module, uint32_t object)
{
    lg_string name = lg_graph_string(graph, module);
    lg_string type =
        lg_graph_type(graph, lg_columns_type(&graph->columns, object)).name;
    return type.length > name.length &&
           memcmp(type.data, name.data, name.length) == 0 &&
           type.data[name.length] == '.';
}

// Returns whether a module's name for a value comes before another's: that of
// the module that defines its class, or else the first in byte order.
static bool
is_first_name(const lg_graph *graph, uint32_t value,
              const lg__module_name *name, const lg__module_name *other)
{
    bool first = is_of_class(graph, name->module, value);
    if (first != is_of_class(graph, other->module, value))
        return first;
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
    if (*known != 0) {
        lg__module_name *names = walk->names.data;
        if (is_first_name(walk->graph, target, &name, &names[*known - 1]))
            names[*known - 1] = name;
        return true;
    }
    lg__module_name *place = lg__vector_extend(&allocator, &walk->names, 1);
    if (place == NULL)
        return false;
    *place = name;
    *known = (uint32_t)walk->names.count;
    return true;
}

static bool
name_values(lg__place_walk *walk, uint32_t module, uint32_t space)
{
    const lg_columns *columns = &walk->graph->columns;
    const lg_analysis *analysis = walk->analysis;
    uint32_t text = lg__label_text(&walk->labels, module);
    const lg_edge_range edges = lg_columns_edges(columns, space);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t target = lg_columns_target(columns, edge);
        if (lg__dominator_of(analysis, target) != columns->node_count ||
            lg__edge_kind(walk->graph, edge) != LG_EDGE_VALUE)
            continue;
        uint32_t name =
            lg__label_name(&walk->labels, (lg__reference){space, edge});
        if (name != LG_NONE &&
            !name_top(walk, target, (lg__module_name){edge, text, name}))
            return false;
    }
    return true;
}

// A name, by the hash of its text without the numbers.
typedef struct name_like {
    uint32_t hash;
    uint32_t name;
} name_like;

// Returns a hash of the text without its numbers, as FNV-1a makes one.
static uint32_t
hash_uncounted(lg_string text)
{
    uint32_t hash = 2166136261;
    bool inside = false;
    for (uint32_t i = 0; i < text.length; i++) {
        unsigned char character = (unsigned char)text.data[i];
        bool digit = isdigit(character);
        if (!digit || !inside)
            hash = (hash ^ (digit ? '*' : character)) * 16777619;
        inside = digit;
    }
    return hash;
}

// Lists the names of the namespace that have numbers. Returns how many.
static size_t
list_numbered(lg__labels *labels, uint32_t space, name_like *out)
{
    const lg_edge_range edges =
        lg_columns_edges(&labels->graph->columns, space);
    size_t count = 0;
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        if (lg__edge_kind(labels->graph, edge) != LG_EDGE_VALUE)
            continue;
        uint32_t name = lg__label_name(labels, (lg__reference){space, edge});
        lg_string text = name == LG_NONE ? (lg_string){"", 0}
                                         : lg_graph_string(labels->graph, name);
        if (lg__label_has_digit(text))
            out[count++] = (name_like){hash_uncounted(text), name};
    }
    return count;
}

// Marks names that are alike. A label that one has already is made again.
static bool
mark_numbered(lg__labels *labels, const name_like *names, size_t count)
{
    if (labels->numbered == NULL)
        labels->numbered =
            lg__calloc(labels->graph->string_count / 64 + 1, sizeof(uint64_t));
    for (size_t i = 0; i < count && labels->numbered != NULL; i++) {
        const uint32_t name = names[i].name;
        uint32_t *entry = lg__label_entry(labels, true, name);
        labels->numbered[name / 64] |= UINT64_C(1) << name % 64;
        *entry = *entry == LG__LABEL_EXPECTED ? *entry : 0;
    }
    return labels->numbered != NULL;
}

// Leaves out the numbers in labels of the names of a namespace that has many
// alike, as programs make them: `app.req_1`, `app.req_2` ... The names must not
// have been needed yet. Returns false when memory ran out.
static bool
note_numbered(lg__labels *labels, uint32_t space)
{
    enum { MANY = 32 };
    const lg_allocator allocator = lg_allocator_default();
    const lg_edge_range edges =
        lg_columns_edges(&labels->graph->columns, space);
    // Each has a key and a value.
    if (edges.end - edges.begin < 2 * (uint64_t)MANY)
        return true;
    name_like *names = lg__alloc((edges.end - edges.begin) * sizeof *names);
    size_t count = names != NULL ? list_numbered(labels, space, names) : 0;
    bool enough = names != NULL &&
                  lg__radix_sort(&allocator, names, count, sizeof *names);
    for (size_t i = 0, end; i < count && enough; i = end) {
        end = i + 1;
        while (end < count && names[end].hash == names[i].hash)
            end++;
        enough = end - i < MANY || mark_numbered(labels, names + i, end - i);
    }
    lg__free(names);
    return enough;
}

// Nodes of one block.
typedef struct listed {
    uint32_t parts[BLOCK]; // that may be folded
    uint32_t plain[BLOCK]; // whose own names are labels
    uint32_t part_count;
    uint32_t plain_count;
} listed;

// Lists the nodes in [begin, end) that may be folded, and those whose own names
// are labels.
static void
list_nodes(const lg__place_walk *walk, uint32_t begin, uint32_t end,
           listed *out)
{
    const lg_columns *columns = &walk->graph->columns;
    uint32_t parts = 0;
    uint32_t plain = 0;
    for (uint32_t node = begin; node < end; node++) {
        const lg__place_walk_type *known =
            &walk->types[lg_columns_type(columns, node)];
        out->parts[parts] = node;
        out->plain[plain] = node;
        parts += known->may_fold;
        plain += known->plain;
    }
    out->part_count = parts;
    out->plain_count = plain;
}

// Expects the names of nodes that nothing dominates.
static void
expect_titles(lg__place_walk *walk, const listed *block)
{
    for (uint32_t i = 0; i < block->plain_count; i++) {
        uint32_t node = block->plain[i];
        uint32_t name = lg__dominator_of(walk->analysis, node) <
                                walk->graph->columns.node_count
                            ? LG_NONE
                            : lg__label_text(&walk->labels, node);
        if (name != LG_NONE)
            lg__label_expect(&walk->labels, false, name);
    }
}

static bool
choose_by_parts(lg__place_walk *walk, const listed *block)
{
    const lg_graph *graph = walk->graph;
    for (uint32_t i = 0; i < block->part_count; i++) {
        uint32_t part = block->parts[i];
        uint32_t owner = lg__fold_owner(walk->labels.folds, part);
        if (owner == LG_NONE)
            continue;
        bool space = walk->types[lg_columns_type(&graph->columns, part)].space;
        if (space && lg__node_category(graph, owner) == LG_CATEGORY_MODULE &&
            !name_values(walk, owner, part))
            return false;
        if (space && !note_numbered(&walk->labels, part))
            return false;
        choose_for(walk, part, owner, space);
    }
    return true;
}

bool
lg__dominator_labels_choose(lg__place_walk *walk)
{
    uint32_t nodes = walk->graph->columns.node_count;
    for (uint32_t begin = 0, end; begin < nodes; begin = end) {
        end = nodes - begin < BLOCK ? nodes : begin + BLOCK;
        listed block;
        list_nodes(walk, begin, end, &block);
        choose_own(walk, begin, end);
        expect_titles(walk, &block);
        if (!choose_by_parts(walk, &block))
            return false;
    }
    lg__labels_add_expected(&walk->labels, false);
    lg__labels_add_expected(&walk->labels, true);
    return true;
}
