// Detects functions, classes and ids that a program piles up.
#include "findings/detectors.h"
#include "findings/in_use.h"
#include "findings/registries.h"
#include "findings/weak_entries.h"

#include <leakgraph/internal/retained.h>

#include <ctype.h>
#include <stdlib.h>
#include <xxhash.h>

enum {
    MANY_CLASSES = 16,   // classes of one name
    MANY_NUMBERED = 100, // classes whose names differ in a number: a loop that
                         // makes one for each table or plugin has dozens
    MANY_TRACES = 8,     // times that torch.jit traced a model
    LENGTHS = 256,       // lengths of names that are told apart
    MANY_WRAPPERS = 16,  // wrappers around one function
    MANY_IDS = 16,       // ids that are keys of one dict
    NAMES = 64,          // names of attributes that are remembered
    ALIGNED = 8,         // alignment of objects' addresses
    LONG_CHAIN = 100000,
    CLIMBS = 8, // most steps from a dict to its module
};

// The names of such classes are alike: `Payload7` and `Payload8`, or `Row_3fa8`
// and `Row_d01c`. So the last name of a class counts without its hexadecimal
// numbers, which have at least one decimal digit. What comes before it counts
// as it is, because `Meta` of `Payload7` and `Meta` of `Payload8` are written
// down.

// Returns the length of the hexadecimal number at the beginning of a text,
// with its dashes; 0: there is none.
static uint32_t
number_length(const char *text, uint32_t length)
{
    uint32_t end = 0;
    bool decimal = false;
    for (; end < length; end++)
        if (isdigit((unsigned char)text[end]))
            decimal = true;
        else if (!isxdigit((unsigned char)text[end]) && text[end] != '_' &&
                 text[end] != '-')
            break;
    return decimal ? end : 0;
}

static uint32_t
last_name(lg_string name)
{
    uint32_t at = name.length;
    while (at > 0 && name.data[at - 1] != '.')
        at--;
    return at;
}

// Returns a hash that classes with names like this one have.
static uint32_t
hash_of(lg_string name)
{
    uint32_t at = last_name(name);
    uint32_t hash = XXH32(name.data, at, 0);
    while (at < name.length) {
        uint32_t number = number_length(name.data + at, name.length - at);
        hash =
            number > 0 ? XXH32("*", 1, hash) : XXH32(name.data + at, 1, hash);
        at += number > 0 ? number : 1;
    }
    return hash;
}

static bool
are_namesakes(const lg_graph *graph, const lg__one_of_many *members,
              size_t count)
{
    lg_string name = lg_node_text(graph, members[0].node);
    for (size_t i = 1; i < count; i++)
        if (!lg__string_same(lg_node_text(graph, members[i].node), name))
            return false;
    return true;
}

// Notes a class for the container that has it. What no container has is noted
// for the first such class.
static void
note_class(lg__detection *detection, uint32_t class, uint32_t *loose)
{
    uint32_t container = lg__detection_container(detection, class, true);
    if (container == LG_NONE && *loose == LG_NONE)
        *loose = class;
    lg__detection_note(detection, container != LG_NONE ? container : *loose,
                       class);
}

static void
note_classes(lg__detection *detection, const lg__one_of_many *members,
             size_t count)
{
    uint32_t loose = LG_NONE;
    if (count < MANY_NUMBERED &&
        !are_namesakes(detection->graph, members, count))
        return;
    for (size_t i = 0; i < count; i++)
        note_class(detection, members[i].node, &loose);
}

// Returns how often a model was traced. Each trace makes a class for each
// module in it, with the name of that module's class. A snapshot knows how long
// these names are. So the rarest length is that of what a model has once, such
// as the model itself: a large model that is traced once has one of these.
static size_t
count_traces(const lg__detection *detection, const lg__gathered *classes)
{
    size_t of_length[LENGTHS] = {0};
    size_t least = classes->count;
    for (size_t i = 0; i < classes->count; i++) {
        uint32_t name = lg__detection_attribute(detection, classes->items[i],
                                                "_jit_override_qualname");
        if (name != LG_NONE)
            of_length[lg_node_bytes(detection->graph, name).host % LENGTHS]++;
    }
    for (size_t i = 0; i < LENGTHS; i++)
        if (of_length[i] > 0 && of_length[i] < least)
            least = of_length[i];
    return least;
}

static void
note_traced(lg__detection *detection, const lg__gathered *classes)
{
    uint32_t loose = LG_NONE;
    if (detection->failed || count_traces(detection, classes) < MANY_TRACES)
        return;
    for (size_t i = 0; i < classes->count; i++)
        note_class(detection, classes->items[i], &loose);
}

// Returns whether the program made the class, maybe with types.new_class(),
// which gives its classes the name of its own module.
static bool
is_of_program(const lg_graph *graph, uint32_t class)
{
    return lg__node_origin(graph, class, NULL) == LG__ORIGIN_PROGRAM ||
           lg__string_begins(lg_node_text(graph, class), "types.");
}

// Looks for classes of like names that no module names: a function makes one at
// each call, and torch.jit a set of them whenever it traces a model. A class
// that nobody keeps waits for the collector, as each refers to itself.
static void
look_for_classes(lg__detection *detection)
{
    const lg_graph *graph = detection->graph;
    const lg_columns *columns = &graph->columns;
    lg__detected_group group = {0};
    lg__gathered traced = {0};
    for (uint32_t node = 0; node < columns->node_count && !detection->failed;
         node++) {
        if (lg__is_traced_class(graph, node))
            detection->failed |= !lg__gather_append(&traced, node);
        if (lg__node_category(graph, node) == LG_CATEGORY_TYPE &&
            !(detection->analysis->policy.mark[node] &
              LG__MARK_IMPLICIT_ROOT) &&
            lg_node_is_reachable(detection->analysis, node) &&
            is_of_program(graph, node))
            lg__detected_group_add(
                detection, &group,
                (lg__one_of_many){0, hash_of(lg_node_text(graph, node)), node,
                                  node});
    }
    lg__detected_group_each(detection, &group, MANY_CLASSES, note_classes);
    note_traced(detection, &traced);
    lg__free(group.items);
    lg__free(traced.items);
}

const lg__detector lg__detect_per_call_classes = {
    .pattern = {.name = "per-call-classes",
                .cause = "A function makes a class on each call, and objects "
                         "and caches keep all these classes.",
                .fix = "Define the class once, at module level, or cache it."},
    .least = LG__MUCH,
    .look = look_for_classes,
    .effect = LG__FIX_ALL,
    .kind = LG__ACCUMULATES,
};

typedef struct wrapping {
    const lg__detection *detection;
    uint32_t outer;
    uint32_t inner; // a function with the same code, in a variable of the
                    // closure, a default value or __wrapped__
} wrapping;

static bool
have_same_code(const wrapping *to, uint32_t function)
{
    uint32_t code =
        lg__detection_attribute(to->detection, to->outer, "__code__");
    return code != LG_NONE &&
           code == lg__detection_attribute(to->detection, function, "__code__");
}

static void
look_at_function(wrapping *to, uint32_t node)
{
    uint32_t function = lg__detection_function(to->detection, node);
    if (function != LG_NONE && function != to->outer &&
        have_same_code(to, function))
        to->inner = function;
}

static bool
look_at_variable(void *context, const lg_hop *hop)
{
    wrapping *to = context;
    uint64_t edge = hop->edges[hop->edge_count - 1];
    if (!hop->weak &&
        (lg__edge_kind(to->detection->graph, edge) == LG_EDGE_CELL ||
         lg__string_is(lg__detection_name(to->detection, edge), "__wrapped__")))
        look_at_function(to, hop->target);
    return to->inner == LG_NONE;
}

// Looks at the default values of arguments.
static void
look_at_defaults(wrapping *to, const char *name)
{
    const lg_columns *columns = &to->detection->graph->columns;
    uint32_t values = lg__detection_attribute(to->detection, to->outer, name);
    if (values == LG_NONE)
        return;
    const lg_edge_range edges = lg_columns_edges(columns, values);
    for (uint64_t edge = edges.begin; edge < edges.end && to->inner == LG_NONE;
         edge++)
        look_at_function(to, lg_columns_target(columns, edge));
}

// Returns whether hops that begin with this edge of a function may lead to the
// content of a closure variable or to __wrapped__. Few edges do.
static bool
may_enclose(const lg__detection *detection, uint32_t function, uint64_t edge)
{
    const lg_graph *graph = detection->graph;
    switch (lg__edge_kind(graph, edge)) {
    case LG_EDGE_CELL:
        return true;
    case LG_EDGE_ATTRIBUTE:
        return lg__string_is(
            lg_graph_string(graph, lg_columns_payload_from(&graph->columns,
                                                           function, edge)),
            "__closure__");
    case LG_EDGE_DICT:
        return lg__edge_opens(&detection->walk, function, edge);
    default:
        return false;
    }
}

// What is known of names of attributes, by their numbers. All functions have
// the same few.
typedef struct names {
    const lg__detection *detection;
    struct {
        uint32_t string;
        bool known;
        bool leads; // to what a function may wrap
        bool codes; // to the code of a function
    } at[NAMES];
} names;

static bool
is_leading(lg_string name)
{
    return lg__string_is(name, "__closure__") ||
           lg__string_is(name, "__defaults__") ||
           lg__string_is(name, "__kwdefaults__");
}

static size_t
look_up(names *all, uint64_t edge)
{
    uint32_t string = lg_columns_payload(&all->detection->graph->columns, edge);
    size_t at = string % NAMES;
    if (!all->at[at].known || all->at[at].string != string) {
        lg_string name = lg__detection_name(all->detection, edge);
        all->at[at].string = string;
        all->at[at].known = true;
        all->at[at].leads = is_leading(name);
        all->at[at].codes = lg__string_is(name, "__code__");
    }
    return at;
}

// Returns whether another function may have the same code: the code of most
// functions is only theirs, and in the constants of other code.
static bool
may_share(const lg__detection *detection, uint32_t function, uint32_t code)
{
    const lg__reverse *reverse = &detection->walk.reverse;
    for (uint64_t i = lg__first_in(reverse, code);
         i < lg__first_in(reverse, code + 1); i++) {
        uint32_t source = lg__in_source(reverse, i);
        if (source != function &&
            lg__node_role(detection->graph, source) != LG__ROLE_TUPLE)
            return true;
    }
    return false;
}

// Returns whether the function may wrap another one of the same code. Few do.
static bool
may_wrap(names *all, uint32_t function)
{
    const lg_graph *graph = all->detection->graph;
    const lg_columns *columns = &graph->columns;
    uint32_t code = LG_NONE;
    bool found = false;
    const lg_edge_range edges = lg_columns_edges(columns, function);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        unsigned kind = lg__edge_kind(graph, edge);
        found |= kind == LG_EDGE_CELL || kind == LG_EDGE_DICT;
        if (kind != LG_EDGE_ATTRIBUTE && kind != LG_EDGE_NATIVE)
            continue;
        size_t name = look_up(all, edge);
        found |= all->at[name].leads;
        if (all->at[name].codes && code == LG_NONE &&
            !(lg_columns_kind(&graph->columns, edge) & LG_EDGE_WEAK))
            code = lg_columns_target(&graph->columns, edge);
    }
    return found &&
           (code == LG_NONE || may_share(all->detection, function, code));
}

// Returns the function of the same code that this one wraps, or LG_NONE.
static uint32_t
wrapped_by(const lg__detection *detection, uint32_t function)
{
    const lg_columns *columns = &detection->graph->columns;
    wrapping to = {detection, function, LG_NONE};
    lg__hop_walk walk = detection->walk;
    walk.visit = look_at_variable;
    walk.context = &to;
    uint64_t end = lg_columns_first_edge(columns, function + 1);
    for (uint64_t edge = lg_columns_first_edge(columns, function);
         edge < end && to.inner == LG_NONE; edge++)
        if (may_enclose(detection, function, edge))
            lg__hops_by_walk(&walk, function, edge);
    if (to.inner == LG_NONE)
        look_at_defaults(&to, "__defaults__");
    if (to.inner == LG_NONE)
        look_at_defaults(&to, "__kwdefaults__");
    return to.inner;
}

// Notes the chain below a function that no other function of the chain wraps.
// Of a function that wraps another one, `wrapped` has that one's number and 1.
static void
note_chain(lg__detection *detection, uint32_t head, const uint32_t *wrapped)
{
    size_t length = 1;
    uint32_t at = wrapped[head];
    for (; at != 0 && length < LONG_CHAIN; at = wrapped[at - 1])
        length++;
    if (length < MANY_WRAPPERS || length == LONG_CHAIN)
        return;
    for (at = wrapped[head]; at != 0; at = wrapped[at - 1])
        lg__detection_note(detection, head, at - 1);
}

static void
look_for_wrappers(lg__detection *detection)
{
    const lg__gathered *all = lg__detection_all(detection, LG__TYPE_CALLABLE);
    size_t nodes = (size_t)detection->graph->columns.node_count + 1;
    uint32_t *wrapped = lg__sparse_calloc(nodes, sizeof *wrapped);
    uint8_t *is_inner = lg__sparse_calloc(nodes, 1);
    names all_names = {.detection = detection};
    detection->failed |= !wrapped || !is_inner;
    for (size_t i = 0; i < all->count && !detection->failed; i++) {
        uint32_t node = all->items[i];
        const bool may =
            lg__node_role(detection->graph, node) == LG__ROLE_FUNCTION &&
            may_wrap(&all_names, node);
        const uint32_t inner = may ? wrapped_by(detection, node) : LG_NONE;
        if (inner == LG_NONE)
            continue;
        wrapped[node] = inner + 1;
        is_inner[inner] = 1;
    }
    for (size_t i = 0; i < all->count && !detection->failed; i++)
        if (!is_inner[all->items[i]])
            note_chain(detection, all->items[i], wrapped);
    lg__free(wrapped);
    lg__free(is_inner);
}

const lg__detector lg__detect_wrapped_functions = {
    .pattern = {.name = "wrapped-functions",
                .cause = "Code wraps a function again and again, and each "
                         "wrapper keeps the previous one.",
                .fix = "Keep the original function and wrap it, or wrap the "
                       "function that inspect.unwrap() returns."},
    .least = LG__ANY,
    .look = look_for_wrappers,
    .effect = LG__FIX_ALL,
};

// The addresses where objects are.
typedef struct span {
    uint64_t first, last;
    bool known;
} span;

static void
find_addresses(const lg_graph *graph, span *all)
{
    *all = (span){UINT64_MAX, 0, true};
    for (uint32_t node = 0; node < graph->columns.node_count; node++) {
        uint64_t address = lg_columns_address(&graph->columns, node);
        if (address == 0 ||
            (lg_columns_flags(&graph->columns, node) & LG_NODE_SYNTHETIC))
            continue;
        all->first = address < all->first ? address : all->first;
        all->last = address > all->last ? address : all->last;
    }
}

// Returns whether a key can be an id. Hardly any dict has a number for its
// first key, so the addresses are not looked for before.
static bool
is_id(const lg__detection *detection, lg_string key, span *all)
{
    uint64_t number;
    if (!lg__decimal_read(key, &number) || number % ALIGNED != 0)
        return false;
    if (!all->known)
        find_addresses(detection->graph, all);
    return number >= all->first && number <= all->last;
}

// Returns whether each key is a number where objects have their addresses, and
// no value is a weak reference.
static bool
has_ids(const lg__detection *detection, uint32_t dict, span *all)
{
    const lg_columns *columns = &detection->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, dict);
    size_t count = 0;
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        if (lg__edge_kind(detection->graph, edge) != LG_EDGE_VALUE)
            continue;
        if (!is_id(detection, lg__detection_name(detection, edge), all) ||
            lg__weak_referent(detection->graph,
                              lg_columns_target(columns, edge)) != LG_NONE)
            return false;
        count++;
    }
    return count >= MANY_IDS;
}

static bool
is_of_library(const lg__detection *detection, uint32_t dict)
{
    for (int i = 0; i < CLIMBS && dict != LG_NONE; i++) {
        dict = lg_node_dominator(detection->analysis, dict);
        if (dict != LG_NONE &&
            lg__node_category(detection->graph, dict) == LG_CATEGORY_MODULE)
            return lg__module_is_library(detection->graph, dict);
    }
    return false;
}

static void
note_values(lg__detection *detection, uint32_t dict)
{
    const lg_columns *columns = &detection->graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, dict);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(detection->graph, edge) == LG_EDGE_VALUE)
            lg__detection_note(detection, dict,
                               lg_columns_target(columns, edge));
}

static void
look_for_id_keys(lg__detection *detection)
{
    const lg_columns *columns = &detection->graph->columns;
    span all = {.known = false};
    for (uint32_t node = 0; node < columns->node_count && !detection->failed;
         node++)
        if (lg_columns_first_edge(columns, node + 1) -
                    lg_columns_first_edge(columns, node) >=
                MANY_IDS &&
            (lg__type_bits_of(detection, node) & LG__TYPE_CONTAINER) &&
            lg__fold_owner(detection->walk.fold, node) == LG_NONE &&
            has_ids(detection, node, &all) && !is_of_library(detection, node) &&
            !lg__detection_is_local(detection, node))
            note_values(detection, node);
}

const lg__detector lg__detect_id_keyed_cache = {
    .pattern =
        {.name = "id-keyed-cache",
         .cause =
             "A dict keyed by id(object) keeps its values after the objects "
             "are gone, and may return them for new objects with the same ids.",
         .fix = "Use a weakref.WeakKeyDictionary, or remove the key with "
                "weakref.finalize()."},
    .least = LG__MUCH,
    .look = look_for_id_keys,
    .effect = LG__FIX_DROPS,
};
