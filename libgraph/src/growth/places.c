// Puts every node into its place, in order of nodes, because the columns of
// nodes lie in memory in that order, and the dominator tree does not. A node
// whose dominator comes later waits for it.
#include "growth/place_walk.h"

#include <leakgraph/internal/native.h>

#include <stdlib.h>
#include <string.h>

// Which places the path to a node has visited. Below a step that leads back to
// a place above, it may visit a place again, and then another member of that
// place dominates the node. A place can only be left for one above it, so
// whatever a path leads back to, it has visited.

static const lg__place_visit *
visit_at(const lg__place_walk *walk, uint32_t visit)
{
    return (const lg__place_visit *)walk->visits.data + visit;
}

static bool
has_visited(const lg__place_walk *walk, uint32_t visit, uint32_t place)
{
    const lg__place_visit *last = visit_at(walk, visit);
    while (place <= last->highest) {
        if (last->before == LG_NONE)
            return lg__place_is_below(walk->places, last->place, place);
        if (last->place == place)
            return true;
        last = visit_at(walk, last->before);
    }
    return false;
}

static lg__visit_step *
step_at(const lg__place_walk *walk, uint32_t from, uint32_t place)
{
    // Fibonacci hashing: 2^64 divided by the golden ratio.
    uint64_t mixed =
        ((uint64_t)from << 32 | place) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t at = (uint32_t)(mixed >> 32) & walk->step_mask;
    for (;; at = (at + 1) & walk->step_mask) {
        lg__visit_step *step = &walk->step[at];
        if (step->to == 0 || (step->from == from && step->place == place))
            return step;
    }
}

static size_t
steps_size(const lg__place_walk *walk)
{
    return ((size_t)walk->step_mask + 1) * sizeof *walk->step;
}

// Keeps half of the slots free.
static bool
reserve_step(lg__place_walk *walk)
{
    enum { FIRST = 1024, FACTOR = 4 };
    lg__place_walk old = *walk;
    size_t slots = old.step != NULL ? (size_t)old.step_mask + 1 : 0;
    if (2 * ((size_t)old.step_count + 1) <= slots)
        return true;
    size_t grown = slots != 0 ? FACTOR * slots : FIRST;
    walk->step = lg__huge_calloc(grown * sizeof *walk->step);
    if (walk->step == NULL) {
        walk->step = old.step;
        return false;
    }
    walk->step_mask = (uint32_t)(grown - 1);
    for (size_t i = 0; i < slots; i++)
        if (old.step[i].to != 0)
            *step_at(walk, old.step[i].from, old.step[i].place) = old.step[i];
    if (slots != 0)
        lg__huge_free(old.step, steps_size(&old));
    return true;
}

static uint32_t
add_visit(lg__place_walk *walk, lg__place_visit visit)
{
    lg_allocator allocator = lg_allocator_default();
    lg__place_visit *last = lg__vector_extend(&allocator, &walk->visits, 1);
    if (last == NULL)
        return LG_NONE;
    *last = visit;
    return (uint32_t)walk->visits.count - 1;
}

static uint32_t
find_next(lg__place_walk *walk, uint32_t visit, uint32_t place)
{
    if (visit == LG_NONE)
        return add_visit(walk, (lg__place_visit){LG_NONE, place, place});
    if (has_visited(walk, visit, place))
        return visit;
    uint32_t highest = visit_at(walk, visit)->highest;
    if (highest < place)
        highest = place;
    return add_visit(walk, (lg__place_visit){visit, place, highest});
}

// Returns the visit of a path that steps down to a place after that visit: the
// same one if the path has visited the place. LG_NONE when memory ran out. The
// visits of a path are read once for each such step, unless the place is new.
static uint32_t
visit_next(lg__place_walk *walk, uint32_t visit, uint32_t place)
{
    if (!reserve_step(walk))
        return LG_NONE;
    lg__visit_step *step = step_at(walk, visit, place);
    if (step->to != 0)
        return step->to - 1;
    uint32_t next = find_next(walk, visit, place);
    if (next == LG_NONE)
        return LG_NONE;
    *step = (lg__visit_step){visit, place, next + 1};
    walk->step_count++;
    return next;
}

// Returns the visit of a path that leads back for the first time, from the
// place `before`; LG_NONE when memory ran out.
static uint32_t
visit_first(lg__place_walk *walk, uint32_t before)
{
    return visit_next(walk, LG_NONE, before);
}

static void
visits_free(lg__place_walk *walk)
{
    lg_allocator allocator = lg_allocator_default();
    lg__vector_free(&allocator, &walk->visits);
    if (walk->step != NULL)
        lg__huge_free(walk->step, steps_size(walk));
}

// Adds up the nodes of each place, in order of nodes and after all have one.
// While the walk looks for places, it mostly waits for steps that it cannot
// predict; here the processor reads several places at a time.

// How many nodes ahead to prefetch a place.
enum { AHEAD = 16 };

// Returns the `reference` of a node that only the super-root dominates.
static uint32_t
top_dominator_label(const lg__place_walk *walk, uint32_t name)
{
    const lg__module_name *names = walk->names.data;
    if (name == 0)
        return LG_NONE;
    return walk->graph->columns.edge_count > LG_NONE
               ? name - 1
               : (uint32_t)names[name - 1].edge;
}

// Returns the number of the reference to a member. Those of a graph with more
// than 2^32 references have more bits than `reference`.
static uint64_t
whole_reference(lg__place_walk *walk, uint32_t node)
{
    const lg__module_name *names = walk->names.data;
    uint32_t above = lg__dominator_of(walk->analysis, node);
    return above < walk->graph->columns.node_count
               ? lg__dominator_reference(walk, node, above).edge
               : names[walk->reference[node]].edge;
}

// Adds a member that no other member dominates. The example is the member whose
// reference is the last; of two, the later one.
static inline void
count_member(lg__place_item *item, uint32_t node, uint64_t retained,
             uint64_t reference)
{
    item->members++;
    item->host[1] += retained;
    if (reference >= item->reference) {
        item->example = node;
        item->reference = reference & LG__REFERENCE_MASK;
    }
}

// The walk has kept bits of steps where the numbers of references belong.
static void
forget_steps(lg_places *places)
{
    for (uint32_t i = 0; i < places->items.count; i++)
        lg__place_at(places, i)->references = 0;
}

// Counts what a native node stands for: its blocks. They are its references,
// too: which of its words point to other blocks is partly chance.
static void
count_blocks(const lg__place_walk *walk)
{
    const lg_columns *columns = &walk->graph->columns;
    for (uint32_t node = lg__first_native(walk->graph);
         node < walk->graph->columns.node_count; node++) {
        lg__place_item *item =
            lg__place_at(walk->places, walk->place[node] & ~LG__PLACE_MARKS);
        uint64_t blocks = lg_node_blocks(walk->graph, node);
        item->references -= lg_columns_first_edge(columns, node + 1) -
                            lg_columns_first_edge(columns, node);
        item->references += blocks;
        if (!(walk->place[node] & LG__PLACE_INNER) && blocks > 1)
            item->members += blocks - 1;
    }
}

// Adds up the nodes of each place, after all nodes have one. `reference` of a
// member is then LG_NONE if it has no reference, and what top_dominator_label
// returns if only the super-root dominates it.
static void
places_add_up(lg__place_walk *walk)
{
    const lg_columns *columns = &walk->graph->columns;
    const lg__sums retained = walk->analysis->host;
    const uint32_t *place = walk->place;
    lg__place_item *items = lg__place_at(walk->places, 0);
    uint32_t nodes = columns->node_count;
    forget_steps(walk->places);
    bool narrow = columns->edge_count <= LG_NONE;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t ahead = node + AHEAD < nodes ? node + AHEAD : node;
        __builtin_prefetch(&items[place[ahead] & ~LG__PLACE_MARKS]);
        lg__place_item *item = &items[place[node] & ~LG__PLACE_MARKS];
        uint64_t size = lg_columns_size(columns, node);
        if (size == UINT32_MAX)
            size = lg_node_size(walk->graph, node);
        item->host[0] += size;
        item->references += lg_columns_first_edge(columns, node + 1) -
                            lg_columns_first_edge(columns, node);
        if (place[node] & LG__PLACE_INNER)
            continue;
        uint64_t reference = walk->reference[node];
        if (reference == LG_NONE)
            reference = LG__REFERENCE_MASK;
        else if (!narrow)
            reference = whole_reference(walk, node) & LG__REFERENCE_MASK;
        count_member(item, node, lg__sum_of(&retained, node), reference);
    }
    count_blocks(walk);
}

// Divides what is in each place among devices.

static void
move_own(lg__place_walk *walk)
{
    const lg_graph *graph = walk->graph;
    for (uint32_t i = 0; i < graph->placed_count; i++) {
        uint32_t node = graph->device_node[i];
        uint64_t bytes = lg_node_size(graph, node);
        uint64_t *own =
            lg__place_own(walk->places, walk->place[node] & ~LG__PLACE_MARKS);
        own[0] -= bytes;
        own[graph->device_id[i]] += bytes;
    }
}

// Writes the bytes of a table with devices, and moves them to their devices.
static void
places_on_devices(lg__place_walk *walk)
{
    const lg__on_device *entries = walk->analysis->device.data;
    if (walk->places->each == 1)
        return;
    for (uint32_t i = 0; i < walk->places->items.count; i++) {
        lg__place_own(walk->places, i)[0] =
            lg__place_at(walk->places, i)->host[0];
        lg__place_retained(walk->places, i)[0] =
            lg__place_at(walk->places, i)->host[1];
    }
    move_own(walk);
    for (size_t i = 0; i < walk->analysis->device.count; i++) {
        uint32_t node = entries[i].node;
        if (node >= walk->graph->columns.node_count ||
            (walk->place[node] & LG__PLACE_INNER))
            continue;
        uint32_t place = walk->place[node] & ~LG__PLACE_MARKS;
        lg__place_retained(walk->places, place)[entries[i].device] +=
            entries[i].bytes;
    }
}

// The low bits of lg__taken_step.by that hold the step; the number of the type
// has the rest.
enum { STEP_BITS = 6 };

// The steps without a name that alone decide the label: a bit for each.
#define STEP_BIT(kind) (UINT64_C(1) << (LG__STEP_KIND + (kind)))
#define STEPS_ALIKE                                                            \
    (STEP_BIT(LG_EDGE_VALUE) | STEP_BIT(LG_EDGE_KEY) |                         \
     STEP_BIT(LG_EDGE_INDEX) | STEP_BIT(LG_EDGE_ELEMENT) |                     \
     STEP_BIT(LG_EDGE_STACK) | STEP_BIT(LG_EDGE_DICT) |                        \
     STEP_BIT(LG_EDGE_GLOBALS) | STEP_BIT(LG_EDGE_TYPE) |                      \
     STEP_BIT(LG_EDGE_REFERENT))

// Describes a step. `number` is what decides its label, if the number of the
// type's name and `kind` do not.
static inline lg__taken_step
step_taken(uint32_t parent, uint32_t number, uint32_t type, uint32_t kind)
{
    return (lg__taken_step){.from = (uint64_t)parent << 32 | number,
                            .by = type << STEP_BITS | kind};
}

// Returns where the step is, or where it belongs.
static inline lg__taken_step *
taken_at(lg__place_walk *walk, const lg__taken_step *step)
{
    // Odd multipliers, whose products mix all bits into the highest.
    uint64_t mixed = step->from * UINT64_C(0x9e3779b97f4a7c15) ^
                     step->by * UINT64_C(0xc2b2ae3d27d4eb4f);
    return &walk->taken[mixed >> (64 - LG__TAKEN_BITS)];
}

static inline bool
taken_is(const lg__taken_step *step, const lg__taken_step *other)
{
    return step->from == other->from && step->by == other->by &&
           step->place != LG_NONE;
}

// Returns whether the node is in the definition of a function, class or module:
// its code, texts, annotations, bases ... They never change, so they are parts,
// and so is everything in them. `marks` are those of its dominator, which has
// the definition, or is the namespace of what has it.
static inline bool
is_definition(lg__place_walk *walk, const lg__place_walk_type *type,
              uint32_t node, uint32_t marks)
{
    uint32_t step = walk->place[node];
    return (marks & type->within) ||
           (step >= LG__STEP_NAMES &&
            lg__label_defines(&walk->labels, step - LG__STEP_NAMES));
}

// Returns whether the node is folded into its dominator, or into what that is
// folded into.
static inline bool
is_folded(const lg__place_walk *walk, uint32_t node, uint32_t above)
{
    const lg__folds *folds = walk->labels.folds;
    uint32_t owner = lg__fold_owner(folds, node);
    return owner != LG_NONE &&
           (owner == above || owner == lg__fold_owner(folds, above));
}

// Returns whether the node is native memory that an object holds, directly or
// by other native memory: a part of that object. What a library's variables
// hold, a stack, or nothing, is nobody's part.
static inline bool
is_native_part(const lg__place_walk *walk, const lg__place_walk_type *type,
               uint32_t above, uint32_t marks)
{
    return type->native && (!lg__node_is_native(walk->graph, above) ||
                            (marks & LG__PLACE_INNER));
}

// Returns the marks of a node that is a part, or 0. `marks` are those of its
// dominator.
static inline uint32_t
part_marks(lg__place_walk *walk, const lg__place_walk_type *type, uint32_t node,
           uint32_t above, uint32_t marks)
{
    if ((marks & LG__PLACE_DEFINITION) ||
        ((marks & LG__PLACE_DEFINED) && is_definition(walk, type, node, marks)))
        return LG__PLACE_INNER | LG__PLACE_DEFINITION;
    if (type->piece || is_native_part(walk, type, above, marks))
        return LG__PLACE_INNER;
    return type->may_fold && is_folded(walk, node, above) ? LG__PLACE_INNER : 0;
}

// Finds the place to which a step below another place leads.

_Static_assert(LG__STEPS + LG_PLACE_SEVERAL < 1 << STEP_BITS,
               "steps and kinds of places have the same bits");

static uint32_t
add_place(lg__place_walk *walk, uint32_t parent, const lg__step *step,
          uint32_t type)
{
    uint32_t place =
        lg__places_put(walk->places, parent, step->kind, step->label, type);
    return place < LG__PLACES_MOST ? place : LG_NONE;
}

// Finds the place by a step that `sought` describes. Remembers the last step
// with each hash, in an array that a new step overwrites. A process repeats few
// steps, and a step that was forgotten is found in the table of places.
static uint32_t
find(lg__place_walk *walk, uint32_t parent, const lg__step *step, uint32_t type,
     lg__taken_step sought)
{
    lg__taken_step *taken = taken_at(walk, &sought);
    if (taken_is(taken, &sought))
        return taken->place;
    // Field by field: to copy what was just put together, the processor waits.
    taken->from = sought.from;
    taken->by = sought.by;
    taken->place = add_place(walk, parent, step, type);
    return taken->place;
}

static uint32_t
find_labelled(lg__place_walk *walk, uint32_t parent, const lg__step *step,
              uint32_t type)
{
    return find(walk, parent, step, type,
                step_taken(parent, step->label, type, LG__STEPS + step->kind));
}

// Finds the place by an attribute.
static uint32_t
find_attribute(lg__place_walk *walk, uint32_t parent, uint32_t number,
               uint32_t type)
{
    lg__step step;
    if (!lg__label_attribute(&walk->labels, number - LG__STEP_NAMES, &step))
        return LG_NONE;
    return find(walk, parent, &step, type, step_taken(parent, number, type, 0));
}

// Finds the place by a reference.
static uint32_t
find_by_reference(lg__place_walk *walk, uint32_t parent, uint32_t node,
                  lg__reference reference, uint32_t type)
{
    lg__step step;
    uint32_t number = walk->place[node];
    if (!lg__label_step(&walk->labels, node, reference, &step))
        return LG_NONE;
    if (!(STEPS_ALIKE >> number & 1))
        return find_labelled(walk, parent, &step, type);
    return find(walk, parent, &step, type, step_taken(parent, number, type, 0));
}

// Finds the place by the local variable of a frame, or by what native code
// calls the reference, which the payload of the reference decides.
static uint32_t
find_payload(lg__place_walk *walk, uint32_t parent, uint32_t node,
             lg__reference reference, uint32_t type)
{
    uint32_t payload =
        lg_columns_payload(&walk->graph->columns, reference.edge);
    lg__taken_step sought =
        step_taken(parent, payload, type, walk->place[node]);
    const lg__taken_step *taken = taken_at(walk, &sought);
    lg__step step;
    if (taken_is(taken, &sought))
        return taken->place;
    return lg__label_step(&walk->labels, node, reference, &step)
               ? find(walk, parent, &step, type, sought)
               : LG_NONE;
}

// Like place_find, for a step that is not known, or not by itself.
static uint32_t
place_seek(lg__place_walk *walk, uint32_t parent, uint32_t node, uint32_t above,
           uint32_t type)
{
    uint32_t number = walk->place[node];
    if (number >= LG__STEP_NAMES)
        return find_attribute(walk, parent, number, type);
    if (number == LG__STEP_NONE) {
        walk->reference[node] = LG_NONE;
        return find_by_reference(walk, parent, node,
                                 (lg__reference){LG_NONE, LG__NO_EDGE}, type);
    }
    lg__reference reference = lg__dominator_reference(walk, node, above);
    bool by_payload = number == LG__STEP_KIND + LG_EDGE_LOCAL ||
                      number == LG__STEP_KIND + LG_EDGE_NATIVE;
    return by_payload ? find_payload(walk, parent, node, reference, type)
                      : find_by_reference(walk, parent, node, reference, type);
}

// Returns the place of a node that `above` dominates, a child of `parent` or
// one above it; LG_NONE when memory ran out.
static inline uint32_t
place_find(lg__place_walk *walk, uint32_t parent, uint32_t node, uint32_t above,
           uint32_t type)
{
    uint32_t step = walk->place[node];
    if (step < LG__STEP_NAMES && !(STEPS_ALIKE >> step & 1))
        return place_seek(walk, parent, node, above, type);
    lg__taken_step sought = step_taken(parent, step, type, 0);
    const lg__taken_step *taken = taken_at(walk, &sought);
    return taken_is(taken, &sought)
               ? taken->place
               : place_seek(walk, parent, node, above, type);
}

// Returns the place of a node that nothing dominates; LG_NONE when memory ran
// out.
static uint32_t
place_find_top(lg__place_walk *walk, const lg__step *step, uint32_t type)
{
    return find_labelled(walk, LG_NONE, step, type);
}

typedef struct walking {
    lg__place_walk shared;
    lg__gathered waiting; // nodes, each dominated by the next
} walking;

static const lg__place_walk_type *
type_of(const lg__place_walk *walk, uint32_t node)
{
    return &walk->types[lg_columns_type(&walk->graph->columns, node)];
}

// Notes what the path to a member has visited, which leads back to a place or
// is below such a step. Returns the marks of the member; LG_NONE when memory
// ran out.
static uint32_t
visit(lg__place_walk *walk, uint32_t node, uint32_t above, uint32_t place)
{
    bool turned = walk->place[above] & LG__PLACE_BACK;
    uint32_t parent = walk->place[above] & ~LG__PLACE_MARKS;
    uint32_t last = turned ? walk->visited[above] : LG_NONE;
    uint32_t next = last;
    if (place > parent)
        next = visit_next(walk, last, place);
    else if (!turned)
        next = visit_first(walk, parent);
    if (next == LG_NONE)
        return LG_NONE;
    walk->visited[node] = next;
    bool inner = place <= parent || next == last;
    return LG__PLACE_BACK | (inner ? LG__PLACE_INNER : 0);
}

// A tuple gains no elements, so tuples in the tuples of a list are parts of
// these. What nests deeper is a list that a program makes of tuples.
enum { NESTED_PARTS = 4 };

static bool
is_tuple(const lg__place_walk *walk, uint32_t node)
{
    return node < walk->graph->columns.node_count &&
           lg__node_role(walk->graph, node) == LG__ROLE_TUPLE;
}

// Returns whether the node is a tuple that is a part of another one.
static bool
is_part_of_tuple(const lg__place_walk *walk, uint32_t node, uint32_t above)
{
    unsigned depth = 0;
    while (depth < NESTED_PARTS && is_tuple(walk, above)) {
        above = lg__dominator_of(walk->analysis, above);
        depth++;
    }
    return depth > 0 && depth < NESTED_PARTS && is_tuple(walk, node);
}

// Adds a member below a step that leads back to a place above. An inner member
// is counted at once, because later it looks like a part.
static bool
add_turned(lg__place_walk *walk, uint32_t node, uint32_t above, uint32_t place,
           const lg__place_walk_type *type)
{
    uint32_t marks = visit(walk, node, above, place);
    if (marks == LG_NONE)
        return false;
    walk->place[node] = place | marks | type->marks;
    if (marks & LG__PLACE_INNER)
        lg__place_at(walk->places, place)->members +=
            !is_part_of_tuple(walk, node, above);
    return true;
}

// Adds a member below another node, whose place and marks are `at`. If its
// place is not a child of that place, it leads back there.
static bool
add_member(lg__place_walk *walk, uint32_t node, uint32_t above, uint32_t at,
           const lg__place_walk_type *type)
{
    uint32_t parent = at & ~LG__PLACE_MARKS;
    uint32_t place = place_find(walk, parent, node, above, type->name);
    if (place == LG_NONE)
        return false;
    if (place <= parent || (at & LG__PLACE_BACK))
        return add_turned(walk, node, above, place, type);
    walk->place[node] = place | type->marks;
    return true;
}

// Returns whether the node is a namespace that is loose: its instance is
// garbage, too, and does not dominate it. Before CPython 3.11, a cycle leads
// through it.
static bool
is_loose(const lg__place_walk *walk, uint32_t node)
{
    const lg_analysis *analysis = walk->analysis;
    uint32_t owner = lg__fold_owner(walk->labels.folds, node);
    return owner != LG_NONE && lg__dominator_of(analysis, owner) ==
                                   lg__dominator_of(analysis, node);
}

// Many nodes of a type are in one place: strings, numbers, and what several
// modules refer to.
static uint32_t
find_top(lg__place_walk *walk, uint32_t node, lg_place_kind kind, uint32_t name)
{
    lg__place_walk_type *type =
        &walk->types[lg_columns_type(&walk->graph->columns, node)];
    bool unnamed = name == 0 || !(type->by_module || type->titled);
    bool plain = kind == LG_PLACE_ROOT && unnamed && !type->titled;
    if (plain && type->top != LG_NONE)
        return type->top;
    const lg__module_name *names = walk->names.data;
    lg__step step;
    if (!lg__label_top(&walk->labels, node, kind,
                       unnamed ? NULL : &names[name - 1], &step))
        return LG_NONE;
    uint32_t place = place_find_top(walk, &step, type->name);
    if (plain)
        type->top = place;
    return place;
}

// Adds a node that nothing dominates. A loose namespace goes into the place of
// its instance, but is no member, and no example.
static bool
add_top(walking *state, uint32_t node)
{
    lg__place_walk *walk = &state->shared;
    const lg_analysis *analysis = walk->analysis;
    bool garbage =
        lg__dominator_of(analysis, node) != walk->graph->columns.node_count;
    bool loose = garbage && is_loose(walk, node);
    uint32_t name = walk->place[node];
    uint32_t named = loose ? lg__fold_owner(walk->labels.folds, node) : node;
    uint32_t place =
        find_top(walk, named, garbage ? LG_PLACE_GARBAGE : LG_PLACE_ROOT, name);
    if (place == LG_NONE)
        return false;
    walk->place[node] = place | type_of(walk, node)->marks;
    walk->reference[node] = loose ? 0 : top_dominator_label(walk, name);
    if (loose)
        lg__place_at(walk->places, place)->members--;
    return true;
}

static bool
add_node(walking *state, uint32_t node)
{
    lg__place_walk *walk = &state->shared;
    uint32_t above = lg__dominator_of(walk->analysis, node);
    if (above >= walk->graph->columns.node_count)
        return add_top(state, node);
    const lg__place_walk_type *type = type_of(walk, node);
    uint32_t at = walk->place[above];
    uint32_t part = part_marks(walk, type, node, above, at);
    if (part == 0)
        return add_member(walk, node, above, at, type);
    walk->place[node] = (at & ~LG__PLACE_FUNCTION) | part | type->marks;
    if (at & LG__PLACE_BACK)
        walk->visited[node] = walk->visited[above];
    return true;
}

static bool
is_early(const walking *state, uint32_t node)
{
    return state->shared.early[node / 64] >> node % 64 & 1;
}

// Lets a node wait, and each dominator above it that has no place yet but the
// highest. Returns that one, or the node; LG_NONE when memory ran out.
static uint32_t
wait_below(walking *state, uint32_t node)
{
    const lg_analysis *analysis = state->shared.analysis;
    uint32_t nodes = state->shared.graph->columns.node_count;
    uint32_t next = node;
    for (uint32_t above = lg__dominator_of(analysis, node);
         above > node && above < nodes && !is_early(state, above);
         above = lg__dominator_of(analysis, above)) {
        if (!lg__gather_append(&state->waiting, next))
            return LG_NONE;
        next = above;
    }
    return next;
}

// Returns the node that waits for `done`, which gets its place early.
static uint32_t
next_below(walking *state, uint32_t done)
{
    state->shared.early[done / 64] |= UINT64_C(1) << done % 64;
    return state->waiting.items[--state->waiting.count];
}

// Adds a node, and before it the nodes above it that have no place yet. Adds
// nodes from the highest that waits down to the node itself, so each finds the
// place of its dominator. A node that got its place early is passed over when
// its turn comes.
static bool
add_with_above(walking *state, uint32_t node)
{
    uint32_t next = wait_below(state, node);
    for (;; next = next_below(state, next)) {
        if (next == LG_NONE || !add_node(state, next))
            return false;
        if (next == node)
            return true;
    }
}

static bool
add_range(walking *state, uint32_t begin, uint32_t end)
{
    const lg_analysis *analysis = state->shared.analysis;
    uint32_t nodes = state->shared.graph->columns.node_count;
    for (uint32_t node = begin; node < end; node++) {
        uint32_t above = lg__dominator_of(analysis, node);
        if (is_early(state, node))
            continue;
        if (!(above > node && above < nodes ? add_with_above(state, node)
                                            : add_node(state, node)))
            return false;
    }
    return true;
}

static lg_status
add_nodes(walking *state, const lg_monitor *monitor, lg_error *err)
{
    enum { ONE_REPORT = 65536 };
    uint32_t nodes = state->shared.graph->columns.node_count;
    for (uint32_t begin = 0, end; begin < nodes; begin = end) {
        end = nodes - begin < ONE_REPORT ? nodes : begin + ONE_REPORT;
        if (!add_range(state, begin, end))
            return lg__error_memory(err);
        if (end < nodes && !lg__monitor_goes_on(monitor, "finding places",
                                                (double)end / nodes, err))
            return LG_ECANCELLED;
    }
    return LG_OK;
}

static lg_status
run(walking *state, const lg_monitor *monitor, lg_error *err)
{
    lg__place_walk *walk = &state->shared;
    lg_status status =
        lg__analysis_at_rest(walk->analysis, monitor, &walk->analysis, err);
    walk->labels.analysis = walk->analysis;
    if (status == LG_OK)
        status = lg__place_walk_begin(walk, err);
    if (status == LG_OK && !(lg__dominator_labels_choose(walk) &&
                             lg__place_walk_types_merge(walk)))
        status = lg__error_memory(err);
    if (status == LG_OK)
        status = add_nodes(state, monitor, err);
    if (status == LG_OK) {
        lg__places_index(walk->places);
        places_add_up(walk);
        places_on_devices(walk);
    }
    return status;
}

static void
free_walk(walking *state)
{
    lg_allocator allocator = lg_allocator_default();
    lg__place_walk *walk = &state->shared;
    lg__vector_free(&allocator, &walk->names);
    lg__labels_free(&walk->labels);
    visits_free(walk);
    lg__free(state->waiting.items);
    lg__free(state);
}

static walking *
begin_walk(const lg_analysis *analysis)
{
    walking *state = lg__alloc(sizeof *state);
    if (state == NULL)
        return NULL;
    state->waiting = (lg__gathered){0};
    state->shared = (lg__place_walk){
        .analysis = analysis,
        .graph = analysis->graph,
        .labels = {.graph = analysis->graph},
        .names = {.element = sizeof(lg__module_name)},
        .visits = {.element = sizeof(lg__place_visit)},
    };
    return state;
}

// The places of nodes still contain their marks.
static lg_status
find_places(const lg_analysis *analysis, const lg_monitor *monitor,
            lg_places **out, uint32_t **place_of, lg_error *err)
{
    walking *state = begin_walk(analysis);
    if (state == NULL)
        return lg__error_memory(err);
    lg_status status = run(state, monitor, err);
    if (status == LG_OK) {
        *out = state->shared.places;
        *place_of = state->shared.place;
    } else {
        lg_places_free(state->shared.places);
        lg__places_of_free(state->shared.place, analysis);
    }
    free_walk(state);
    return status;
}

lg_status
lg__places_walk(const lg_analysis *analysis, const lg_monitor *monitor,
                lg_places **out, uint32_t **place_of, lg_error *err)
{
    lg_status status = find_places(analysis, monitor, out, place_of, err);
    uint32_t nodes = analysis->graph->columns.node_count;
    for (uint32_t i = 0; i < nodes && status == LG_OK; i++)
        (*place_of)[i] &= ~LG__PLACE_MARKS;
    return status;
}

// Copies the places of nodes, so that free() frees them.
lg_status
lg_places_walk(const lg_analysis *analysis, const lg_monitor *monitor,
               lg_places **out, uint32_t **place_of, lg_error *err)
{
    lg_places *places = NULL;
    uint32_t *place = NULL;
    lg_status status = lg__places_walk(analysis, monitor, &places, &place, err);
    if (status != LG_OK)
        return status;
    size_t size =
        ((size_t)analysis->graph->columns.node_count + 1) * sizeof *place;
    uint32_t *copy = malloc(size);
    if (copy != NULL)
        memcpy(copy, place, size);
    lg__places_of_free(place, analysis);
    if (copy == NULL) {
        lg_places_free(places);
        return lg__error_memory(err);
    }
    *out = places;
    *place_of = copy;
    return LG_OK;
}

lg_status
lg_places_new(const lg_analysis *analysis, const lg_monitor *monitor,
              lg_places **out, lg_error *err)
{
    uint32_t *place_of = NULL;
    lg_status status = find_places(analysis, monitor, out, &place_of, err);
    if (status == LG_OK)
        lg__places_of_free(place_of, analysis);
    return status;
}
