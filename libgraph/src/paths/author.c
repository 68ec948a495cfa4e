// Whose code sets an attribute: the program's or a library's.
#include "paths/paths_private.h"
#include "paths/measure.h"

#include <leakgraph/internal/hops.h>

enum {
    DEEPEST = 16, // code in code: functions in functions
    MANY = 1000,  // references to a name
};

// Whose code has a name.
typedef struct users {
    const lg_graph *graph;
    lg__reverse reverse;
    uint32_t type; // of the object that has the attribute
    bool program;
    bool library; // one that the type or a base of it comes from
} users;

static bool
is_attribute(const users *to, uint64_t edge, const char *name)
{
    return lg__edge_kind(to->graph, edge) == LG_EDGE_ATTRIBUTE &&
           lg__string_is(lg__edge_name(to->graph, edge), name);
}

// Returns the object that has a node as its attribute; LG_NONE if there is
// none.
static uint32_t
owner_of(const users *to, uint32_t node, const char *name)
{
    const lg__reverse *reverse = &to->reverse;
    for (uint64_t i = lg__first_in(reverse, node);
         i < lg__first_in(reverse, node + 1); i++)
        if (is_attribute(to, lg__in_number(reverse, i), name))
            return lg__in_source(reverse, i);
    return LG_NONE;
}

// Returns the code that has another code object among its constants.
static uint32_t
code_around(const users *to, uint32_t code)
{
    const lg__reverse *reverse = &to->reverse;
    uint32_t around = LG_NONE;
    for (uint64_t i = lg__first_in(reverse, code);
         i < lg__first_in(reverse, code + 1) && around == LG_NONE; i++)
        if (lg__node_role(to->graph, lg__in_source(reverse, i)) ==
            LG__ROLE_TUPLE)
            around = owner_of(to, lg__in_source(reverse, i), "co_consts");
    return around;
}

// Returns the module whose variables a function has; LG_NONE if none does.
static uint32_t
module_of(const lg_graph *graph, uint32_t function)
{
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, function);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(graph, edge) == LG_EDGE_GLOBALS)
            return lg_node_folded_into(graph, lg_columns_target(columns, edge));
    return LG_NONE;
}

// Returns the origin of what runs the code: that of its module, if it shows.
static lg__origin
origin_of_user(const users *to, uint32_t code, const char *name,
               lg_string *package)
{
    uint32_t user = owner_of(to, code, name);
    if (user == LG_NONE)
        return LG__ORIGIN_ANYBODY;
    uint32_t module = module_of(to->graph, user);
    if (module == LG_NONE)
        return lg__node_origin(to->graph, user, package);
    lg_string full = lg_node_text(to->graph, module);
    *package = lg__package_of(full);
    if (package->length == 0)
        *package = full;
    return lg__module_is_library(to->graph, module) ? LG__ORIGIN_LIBRARY
                                                    : LG__ORIGIN_PROGRAM;
}

// Returns the origin of code: that of a function or frame which runs it, or of
// the code around it.
static lg__origin
origin_of_code(const users *to, uint32_t code, lg_string *package)
{
    lg__origin origin = LG__ORIGIN_ANYBODY;
    for (int depth = 0; depth < DEEPEST && code != LG_NONE; depth++) {
        origin = origin_of_user(to, code, "__code__", package);
        if (origin == LG__ORIGIN_ANYBODY)
            origin = origin_of_user(to, code, "f_code", package);
        if (origin != LG__ORIGIN_ANYBODY)
            break;
        code = code_around(to, code);
    }
    return origin;
}

static bool
is_from(const users *to, lg_string package)
{
    lg_type type = lg_graph_type(to->graph, to->type);
    for (uint32_t i = 0; i < type.mro_count; i++)
        if (lg__string_same(
                lg__package_of(lg_graph_type(to->graph, type.mro[i]).name),
                package))
            return true;
    return false;
}

// Notes whose code uses the names in a tuple.
static void
note_users(users *to, uint32_t names)
{
    const lg__reverse *reverse = &to->reverse;
    for (uint64_t i = lg__first_in(reverse, names);
         i < lg__first_in(reverse, names + 1); i++) {
        lg_string package = {"", 0};
        if (!is_attribute(to, lg__in_number(reverse, i), "co_names"))
            continue;
        lg__origin origin =
            origin_of_code(to, lg__in_source(reverse, i), &package);
        to->program |= origin == LG__ORIGIN_PROGRAM;
        to->library |= origin == LG__ORIGIN_LIBRARY && is_from(to, package);
    }
}

uint32_t
lg__attribute_key(const lg_graph *graph, uint32_t owner, uint64_t edge)
{
    const lg_columns *columns = &graph->columns;
    uint32_t class = lg_graph_type(graph, lg_columns_type(columns, owner)).node;
    lg_string name = lg__edge_name(graph, edge);
    if (lg__edge_kind(graph, edge) == LG_EDGE_VALUE)
        return lg_columns_payload(columns, edge);
    if (lg__edge_kind(graph, edge) != LG_EDGE_ATTRIBUTE || class == LG_NONE)
        return LG_NONE;
    const lg_edge_range edges = lg_columns_edges(columns, class);
    for (uint64_t at = edges.begin; at < edges.end; at++)
        if (lg__edge_kind(graph, at) == LG_EDGE_KEY &&
            lg__string_same(lg_node_text(graph, lg_columns_target(columns, at)),
                            name))
            return lg_columns_target(columns, at);
    return LG_NONE;
}

bool
lg__attributes_have_authors(const lg_graph *graph, uint32_t owner)
{
    lg_category category = lg__node_category(graph, owner);
    return category != LG_CATEGORY_TYPE && category != LG_CATEGORY_MODULE;
}

// Returns whether what has the name tells whose it is: not for a name that much
// code has.
static bool
is_telling(const users *to, uint32_t owner, uint32_t key)
{
    return lg__attributes_have_authors(to->graph, owner) && key != LG_NONE &&
           lg__count_in(&to->reverse, key) <= MANY;
}

// Finds whose code has the name of an attribute, until both have it.
// `until_library`: or until a library has it.
static users
find_users(const lg_graph *graph, uint32_t owner, uint64_t edge,
           bool until_library)
{
    users to = {.graph = graph,
                .type = lg_columns_type(&graph->columns, owner)};
    uint32_t key = lg__attribute_key(graph, owner, edge);
    if (!lg__graph_reverse(graph, &to.reverse) || !is_telling(&to, owner, key))
        return to;
    for (uint64_t i = lg__first_in(&to.reverse, key);
         i < lg__first_in(&to.reverse, key + 1) &&
         !(to.library && (to.program || until_library));
         i++)
        if (lg__node_role(graph, lg__in_source(&to.reverse, i)) ==
            LG__ROLE_TUPLE)
            note_users(&to, lg__in_source(&to.reverse, i));
    return to;
}

lg__origin
lg__attribute_author(const lg_graph *graph, uint32_t owner, uint64_t edge)
{
    users found = find_users(graph, owner, edge, false);
    if (found.program == found.library)
        return LG__ORIGIN_ANYBODY;
    return found.program ? LG__ORIGIN_PROGRAM : LG__ORIGIN_LIBRARY;
}

bool
lg__attribute_is_of_program(const lg_graph *graph, uint32_t owner,
                            uint64_t edge)
{
    users found = find_users(graph, owner, edge, true);
    return found.program && !found.library;
}
