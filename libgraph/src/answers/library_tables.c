// Recognises tables that a library or a part of the interpreter keeps for
// itself, and adds up what each library keeps.
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
        lg_string type = lg_graph_type(graph, graph->columns.type[node]).name;
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
    uint8_t *known = &tables->type[graph->columns.type[node]];
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
         node = tables->analysis->dominator[node])
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

// Marks the nodes that retain something that a program made. O(nodes).
static void
library_tables_mark(lg__library_tables *tables)
{
    uint32_t nodes = tables->analysis->graph->columns.node_count;
    for (uint32_t node = 0; node < nodes; node++)
        if (holds_of_program(tables, node))
            mark_dominators(tables, node);
}

// Returns whether the node retains something that a program made. Needs the
// marks.
static bool
library_tables_retains(const lg__library_tables *tables, uint32_t node)
{
    return (tables->known[node] & RETAINS) != 0;
}

typedef struct package {
    lg_string name;
    uint64_t bytes;
} package;

lg_status
lg__top_packages_begin(lg__top_packages *packages, const lg_analysis *analysis,
                       bool mark, const lg_monitor *monitor, lg_error *err)
{
    const lg_graph *graph = analysis->graph;
    size_t nodes = (size_t)graph->columns.node_count + 1;
    packages->monitor = monitor;
    packages->err = err;
    packages->allocator = lg_allocator_default();
    packages->all.element = sizeof(package);
    packages->of_module = lg__sparse_calloc(nodes, sizeof *packages->of_module);
    if (packages->of_module == NULL ||
        !lg__library_tables_begin(&packages->tables, analysis))
        return lg__error_memory(err);
    if (mark) {
        packages->ahead = lg__tree_ahead_begin(graph);
        library_tables_mark(&packages->tables);
    }
    return LG_OK;
}

static lg_status
wait_for_paths(const lg__top_packages *packages)
{
    return lg__tree_ahead_wait(packages->ahead, packages->monitor,
                               packages->err);
}

// Finds the keeper of a node. Returns false on failure.
static bool
find_keeper(lg__top_packages *packages, uint32_t node, uint32_t *out)
{
    lg__keepers *keepers = &packages->keepers;
    if (keepers->shifted == NULL) {
        packages->status = wait_for_paths(packages);
        if (packages->status == LG_OK)
            packages->status =
                lg__keepers_begin(packages->tables.analysis->graph,
                                  packages->monitor, keepers, packages->err);
    }
    if (packages->status == LG_OK)
        *out = lg__keepers_of(keepers, node);
    if (packages->status == LG_OK && keepers->failed)
        packages->status = lg__error_memory(packages->err);
    return packages->status == LG_OK;
}

// Returns the number of the package with that name; LG_NONE when memory ran
// out.
static uint32_t
find_package(lg__top_packages *packages, lg_string name)
{
    const package *known = packages->all.data;
    for (size_t at = 0; at < packages->all.count; at++)
        if (lg__string_same(known[at].name, name))
            return (uint32_t)at;
    package *added = lg__vector_extend(&packages->allocator, &packages->all, 1);
    if (added == NULL)
        return LG_NONE;
    *added = (package){name, 0};
    return (uint32_t)packages->all.count - 1;
}

bool
lg__top_packages_owner(lg__top_packages *packages, uint32_t node, uint32_t *out)
{
    const lg_graph *graph = packages->tables.analysis->graph;
    *out = LG_NONE;
    if (library_tables_retains(&packages->tables, node))
        return true;
    uint32_t keeper;
    if (!find_keeper(packages, node, &keeper))
        return false;
    uint32_t *known = keeper < graph->columns.node_count
                          ? &packages->of_module[keeper]
                          : NULL;
    if (known != NULL && *known != 0) {
        *out = *known - 1;
        return true;
    }
    lg_string name = lg__library_tables_keeper(&packages->tables, node, keeper);
    if (name.length == 0)
        return true;
    *out = find_package(packages, name);
    if (*out == LG_NONE)
        packages->status = lg__error_memory(packages->err);
    if (known != NULL && *out != LG_NONE)
        *known = *out + 1;
    return *out != LG_NONE;
}

bool
lg__top_packages_is_standard(const lg__top_packages *packages, uint32_t owner)
{
    const package *all = packages->all.data;
    return lg__package_is_standard(all[owner].name);
}

void
lg__top_packages_add(lg__top_packages *packages, uint32_t owner, uint64_t bytes)
{
    ((package *)packages->all.data)[owner].bytes += bytes;
}

static int
by_bytes(const void *left, const void *right)
{
    const package *a = left;
    const package *b = right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return a->name.data < b->name.data ? -1 : a->name.data > b->name.data;
}

void
lg__top_packages_name(lg__top_packages *packages, lg_top *out)
{
    package *all = packages->all.data;
    size_t count = packages->all.count;
    if (count > 0)
        qsort(all, count, sizeof *all, by_bytes);
    while (out->package_count < LG_TOP_PACKAGES && out->package_count < count &&
           all[out->package_count].bytes > 0) {
        out->package[out->package_count] = all[out->package_count].name;
        out->package_count++;
    }
}

static void
forget_owners(lg__top_packages *packages)
{
    lg__library_tables_end(&packages->tables);
    lg__keepers_end(&packages->keepers);
    lg__free(packages->of_module);
    packages->of_module = NULL;
}

lg_status
lg__top_packages_close(lg__top_packages *packages)
{
    lg_status status = wait_for_paths(packages);
    forget_owners(packages);
    return status;
}

void
lg__top_packages_end(lg__top_packages *packages)
{
    lg__tree_ahead_end(packages->ahead);
    lg__vector_free(&packages->allocator, &packages->all);
    forget_owners(packages);
}
