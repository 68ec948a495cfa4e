// Tells to which libraries the items belong that a list of objects leaves out,
// and how many bytes each has.
#include "answers/answers_private.h"

#include <stdlib.h>

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
    packages->of_module = lg__wide_calloc(nodes, sizeof *packages->of_module);
    if (packages->of_module == NULL ||
        !lg__library_tables_begin(&packages->tables, analysis))
        return lg__error_memory(err);
    if (mark) {
        packages->ahead = lg__tree_ahead_begin(graph);
        lg__library_tables_mark(&packages->tables);
    }
    return LG_OK;
}

lg_status
lg__top_packages_wait(const lg__top_packages *packages)
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
        packages->status = lg__top_packages_wait(packages);
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
    if (lg__library_tables_retains(&packages->tables, node))
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

void
lg__top_packages_end(lg__top_packages *packages)
{
    lg__tree_ahead_end(packages->ahead);
    lg__library_tables_end(&packages->tables);
    lg__vector_free(&packages->allocator, &packages->all);
    lg__wide_free(packages->of_module);
    lg__keepers_end(&packages->keepers);
}
