// Recognises tables that a library or a part of the interpreter keeps for
// itself.
#include "answers/answers_private.h"

#include <stdlib.h>
#include <string.h>

// Returns whether a program made the node: an object of a class of its own,
// data that libraries compute with, a figure, or code that waits to run.
// Functions and classes do not count, because programs hand them to libraries;
// nor do bytes, because code has constants of that type.
static bool
is_of_program(const lg_graph *graph, uint32_t node)
{
    switch (lg__node_category(graph, node)) {
    case LG_CATEGORY_FIGURE:
        return true;
    case LG_CATEGORY_FRAME:
        return lg__node_role(graph, node) == LG__ROLE_SUSPENDED;
    case LG_CATEGORY_FUNCTION:
    case LG_CATEGORY_TYPE:
        return false;
    case LG_CATEGORY_ARRAY: {
        lg_string type =
            lg_graph_type(graph, lg_columns_type(&graph->columns, node)).name;
        return memchr(type.data, '.', type.length) != NULL;
    }
    default:
        return lg__node_origin(graph, node, NULL) == LG__ORIGIN_PROGRAM;
    }
}

enum { NO = 1, YES = 2, RETAINS = 4 };

static bool
holds_of_program(lg__library_tables *tables, uint32_t node)
{
    const lg_graph *graph = tables->analysis->graph;
    lg_category category = lg__node_category(graph, node);
    // Some frames wait to run, and others are on a stack.
    if (category == LG_CATEGORY_FRAME)
        return is_of_program(graph, node);
    uint8_t *known = &tables->type[lg_columns_type(&graph->columns, node)];
    if (*known == 0)
        *known = is_of_program(graph, node) ? YES : NO;
    return *known == YES;
}

// Marks each node once, whatever hangs from it.
static void
mark_dominators(lg__library_tables *tables, uint32_t node)
{
    uint32_t nodes = tables->analysis->graph->columns.node_count;
    for (; node < nodes && !(tables->known[node] & RETAINS);
         node = lg__dominator_of(tables->analysis, node))
        tables->known[node] |= RETAINS;
}

bool
lg__library_tables_begin(lg__library_tables *tables,
                         const lg_analysis *analysis)
{
    const lg_graph *graph = analysis->graph;
    tables->analysis = analysis;
    tables->known = lg__calloc((size_t)graph->columns.node_count + 1, 1);
    tables->type = lg__calloc((size_t)graph->type_count + 1, 1);
    return tables->known != NULL && tables->type != NULL;
}

void
lg__library_tables_end(lg__library_tables *tables)
{
    lg__free(tables->known);
    lg__free(tables->type);
    *tables = (lg__library_tables){0};
}

static bool
is_library(lg__library_tables *tables, uint32_t module)
{
    uint8_t *known = &tables->known[module];
    if (!(*known & (YES | NO)))
        *known |=
            lg__module_is_library(tables->analysis->graph, module) ? YES : NO;
    return *known & YES;
}

// What native code keeps counts as a library's if it belongs to one.
lg_string
lg__library_tables_keeper(lg__library_tables *tables, uint32_t node,
                          uint32_t keeper)
{
    const lg_graph *graph = tables->analysis->graph;
    lg_string owner = {"", 0};
    if (keeper == LG__KEPT_BY_INTERPRETER) {
        owner = (lg_string){"the interpreter", 15};
    } else if (keeper == LG_NONE) {
        if (lg_node_is_reachable(tables->analysis, node) &&
            lg__node_origin(graph, node, &owner) != LG__ORIGIN_LIBRARY)
            owner.length = 0;
    } else if (keeper != LG__KEPT_BY_PROGRAM && is_library(tables, keeper)) {
        lg_string name = lg_node_text(graph, keeper);
        owner = lg__package_of(name);
        owner = owner.length > 0 ? owner : name;
    }
    return owner;
}

void
lg__library_tables_mark(lg__library_tables *tables)
{
    uint32_t nodes = tables->analysis->graph->columns.node_count;
    for (uint32_t node = 0; node < nodes; node++)
        if (holds_of_program(tables, node))
            mark_dominators(tables, node);
}

bool
lg__library_tables_retains(const lg__library_tables *tables, uint32_t node)
{
    return (tables->known[node] & RETAINS) != 0;
}
