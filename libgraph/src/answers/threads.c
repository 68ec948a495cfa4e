// What each thread was doing, and the suspended frames: generators, coroutines
// and tasks. That is the first question after running out of memory.
#include "answers/answers_private.h"
#include "bytes/bytes_private.h"

#include <leakgraph/internal/retained.h>

#include <stdlib.h>
#include <string.h>

typedef struct listing {
    const lg_graph *graph;
    const lg_analysis *analysis; // or NULL
    const lg_scope *scope;       // or NULL
    lg__gathered suspended;      // the largest retained size first
    lg_threads out;
} listing;

static void
mark_stacks(const lg_graph *graph, bool *on_stack)
{
    const lg_columns *columns = &graph->columns;
    for (uint64_t edge = 0; edge < columns->edge_count; edge++)
        if (lg__edge_kind(graph, edge) == LG_EDGE_FRAME)
            on_stack[lg_columns_target(columns, edge)] = true;
}

static bool
has_locals(const lg_graph *graph, uint32_t node)
{
    const lg_columns *columns = &graph->columns;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(graph, edge) == LG_EDGE_LOCAL)
            return true;
    return false;
}

static int
biggest_first(const void *left, const void *right, void *context)
{
    const lg_analysis *analysis = context;
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    lg_bytes one = lg_node_retained(analysis, a);
    lg_bytes other = lg_node_retained(analysis, b);
    uint64_t more = one.host + one.devices;
    uint64_t less = other.host + other.devices;
    if (more != less)
        return more > less ? -1 : 1;
    return a < b ? -1 : a > b;
}

// Lists the generators, coroutines and tasks that have local variables and that
// no thread is running: the largest retained size first, or in order of nodes
// without an analysis (NULL). O(nodes + edges).
static lg_status
list_suspended(const lg_graph *graph, const lg_analysis *analysis,
               lg__gathered *out, lg_error *err)
{
    uint32_t nodes = graph->columns.node_count;
    lg__gathered found = {0};
    bool *on_stack = lg__calloc((size_t)nodes + 1, sizeof *on_stack);
    bool enough = on_stack != NULL;
    if (enough)
        mark_stacks(graph, on_stack);
    for (uint32_t node = 0; node < nodes && enough; node++)
        if (lg__node_role(graph, node) == LG__ROLE_SUSPENDED &&
            !on_stack[node] && has_locals(graph, node))
            enough = lg__gather_append(&found, node);
    lg__free(on_stack);
    if (!enough) {
        lg__free(found.items);
        return lg__error_memory(err);
    }
    if (analysis != NULL && found.count > 0)
        qsort_r(found.items, found.count, sizeof *found.items, biggest_first,
                (void *)(uintptr_t)analysis);
    *out = found;
    return LG_OK;
}

// Returns the content of the cell of a variable that an inner function uses, or
// the cell itself if it is empty.
static uint32_t
value_of(const lg_graph *graph, uint32_t target)
{
    const lg_columns *columns = &graph->columns;
    if (lg__node_role(graph, target) != LG__ROLE_CELL)
        return target;
    const lg_edge_range edges = lg_columns_edges(columns, target);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++)
        if (lg__edge_kind(graph, edge) == LG_EDGE_CELL)
            return lg_columns_target(columns, edge);
    return target;
}

// Returns whether the frame is the only holder, so that freeing the local's
// value frees what it retains.
static bool
is_only_holder(const listing *to, uint32_t frame, uint32_t target)
{
    uint32_t value = value_of(to->graph, target);
    return lg_node_dominator(to->analysis, target) == frame &&
           (value == target ||
            lg_node_dominator(to->analysis, value) == target);
}

// The interpreter has one object for each small int, each name and each short
// constant. A module that gives it a name, as posix calls 0 F_OK, is no holder
// that anybody looks for. An object of a program's own subclass refers to its
// class.
static bool
is_shared(const lg_graph *graph, lg_node value)
{
    enum { SMALL = 64 };
    const lg_columns *columns = &graph->columns;
    return lg__node_category(graph, value) == LG_CATEGORY_ATOM &&
           lg_node_size(graph, value) <= SMALL &&
           lg_columns_first_edge(columns, value) ==
               lg_columns_first_edge(columns, value + 1);
}

static bool
add_row(listing *to, lg_thread_row row)
{
    if (!lg__array_room(&to->out.rows, to->out.count, sizeof row))
        return false;
    if (row.parent != LG_NONE)
        row.depth = to->out.rows[row.parent].depth + 1;
    to->out.rows[to->out.count++] = row;
    return true;
}

static bool
add_local(listing *to, uint32_t parent, uint64_t edge)
{
    const lg_columns *columns = &to->graph->columns;
    uint32_t target = lg_columns_target(columns, edge);
    uint32_t frame = to->out.rows[parent].node;
    lg_thread_row row = {
        .kind = LG_THREAD_LOCAL,
        .parent = parent,
        .node = value_of(to->graph, target),
        .name = lg_graph_string(to->graph, lg_columns_payload(columns, edge)),
        .held_elsewhere =
            to->analysis != NULL && !is_only_holder(to, frame, target),
    };
    row.shared = is_shared(to->graph, row.node);
    return add_row(to, row);
}

// Adds a frame on a thread, or a suspended one, with its variables.
static bool
add_frame(listing *to, lg_thread_row row)
{
    const lg_columns *columns = &to->graph->columns;
    uint32_t at = (uint32_t)to->out.count;
    bool going = add_row(to, row);
    const lg_edge_range edges = lg_columns_edges(columns, row.node);
    for (uint64_t edge = edges.begin; edge < edges.end && going; edge++)
        if (lg__edge_kind(to->graph, edge) == LG_EDGE_LOCAL)
            going = add_local(to, at, edge);
    return going;
}

static bool
add_thread(listing *to, const lg_root *root)
{
    const lg_columns *columns = &to->graph->columns;
    uint32_t at = (uint32_t)to->out.count;
    bool going = add_row(
        to, (lg_thread_row){.kind = LG_THREAD_STACK,
                            .parent = LG_NONE,
                            .node = root->node,
                            .name = root->name.length > 0
                                        ? root->name
                                        : lg_node_text(to->graph, root->node)});
    const lg_edge_range edges = lg_columns_edges(columns, root->node);
    for (uint64_t edge = edges.begin; edge < edges.end && going; edge++)
        if (lg__edge_kind(to->graph, edge) == LG_EDGE_FRAME &&
            lg__scope_runs(to->scope, lg_columns_target(columns, edge)))
            going = add_frame(
                to, (lg_thread_row){.kind = LG_THREAD_FRAME,
                                    .parent = at,
                                    .number = lg_columns_payload(columns, edge),
                                    .node = lg_columns_target(columns, edge)});
    if (to->scope != NULL && to->out.count == at + 1)
        to->out.count = at;
    return going;
}

static bool
add_all(listing *to)
{
    bool going = true;
    for (uint32_t i = 0; i < to->graph->root_count && going; i++) {
        lg_root root = lg_graph_root(to->graph, i);
        if (root.kind == LG_ROOT_THREAD)
            going = add_thread(to, &root);
    }
    for (size_t i = 0; i < to->suspended.count && going; i++)
        if (lg__scope_runs(to->scope, to->suspended.items[i]))
            going =
                add_frame(to, (lg_thread_row){.kind = LG_THREAD_SUSPENDED,
                                              .parent = LG_NONE,
                                              .node = to->suspended.items[i]});
    return going;
}

static bool
weigh(listing *to)
{
    lg_threads *out = &to->out;
    size_t each = (size_t)to->graph->device_count + 1;
    // Without them, sizes would leave out the namespaces.
    if (lg__graph_folds(to->graph) == NULL)
        return false;
    out->devices = to->graph->device_count;
    out->analysed = to->analysis != NULL;
    out->bytes = lg__calloc(2 * each * out->count + 1, sizeof *out->bytes);
    for (size_t i = 0; i < out->count && out->bytes != NULL; i++) {
        uint64_t *bytes = out->bytes + 2 * each * i;
        lg_thread_row *row = &out->rows[i];
        row->size = bytes;
        row->retained = bytes + each;
        for (uint32_t on = 0; on < each; on++) {
            bytes[on] = lg_node_bytes_on(to->graph, row->node, on);
            if (out->analysed)
                bytes[each + on] =
                    lg_node_retained_on(to->analysis, row->node, on);
        }
    }
    return out->bytes != NULL;
}

// Returns the row after those that belong to a row.
static size_t
end_of(const lg_threads *threads, size_t at)
{
    size_t end = at + 1;
    while (end < threads->count &&
           threads->rows[end].depth > threads->rows[at].depth)
        end++;
    return end;
}

static bool
are_same(const listing *to, const lg_thread_row *a, const lg_thread_row *b)
{
    size_t each = (size_t)to->graph->device_count + 1;
    return a->kind == b->kind && a->held_elsewhere == b->held_elsewhere &&
           lg__string_same(a->name, b->name) &&
           memcmp(a->size, b->size, each * sizeof *a->size) == 0 &&
           memcmp(a->retained, b->retained, each * sizeof *a->retained) == 0 &&
           lg__nodes_alike(to->graph, a->node, b->node);
}

// Returns whether two suspended frames are at the same line of the same
// function, with similar variables.
static bool
are_alike(const listing *to, size_t one, size_t other)
{
    size_t count = end_of(&to->out, one) - one;
    if (end_of(&to->out, other) - other != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!are_same(to, &to->out.rows[one + i], &to->out.rows[other + i]))
            return false;
    return true;
}

static void
count_repeats(listing *to)
{
    size_t first = 0;
    for (size_t at = 0, end; at < to->out.count; at = end) {
        bool repeated = at > first &&
                        to->out.rows[at].kind == LG_THREAD_SUSPENDED &&
                        are_alike(to, first, at);
        end = end_of(&to->out, at);
        for (size_t i = at; i < end; i++)
            to->out.rows[i].repeated = repeated;
        if (repeated)
            to->out.rows[first].repeats++;
        else
            first = at;
    }
}

static bool
leads_through(const lg_path *path, lg_node node)
{
    for (size_t i = 0; i < path->count; i++)
        if (path->hops[i].source == node)
            return true;
    return false;
}

// Finds who else holds the values of variables. The shortest path to a value
// may be that of its frame; then nobody else is known.
static lg_status
find_elsewhere(listing *to, lg_error *err)
{
    lg__finder finder = {.graph = to->graph};
    lg_status status = LG_OK;
    for (size_t i = 0; i < to->out.count && status == LG_OK; i++) {
        lg_thread_row *row = &to->out.rows[i];
        if (!row->held_elsewhere || row->shared)
            continue;
        status = lg__where_find(&finder, to->analysis, row->node, NULL,
                                &row->elsewhere, err);
        if (status == LG_OK && leads_through(&row->elsewhere.path,
                                             to->out.rows[row->parent].node)) {
            lg_where_free(&row->elsewhere);
            row->elsewhere.kind = LG_WHERE_INTERPRETER;
        }
    }
    lg__finder_free(&finder);
    return status;
}

lg_status
lg_graph_threads(const lg_graph *graph, const lg_analysis *analysis,
                 const lg_scope *scope, lg_threads *out, lg_error *err)
{
    listing to = {.graph = graph,
                  .analysis = analysis,
                  .scope = scope,
                  .out = {.scoped = scope != NULL}};
    lg_status status = list_suspended(graph, analysis, &to.suspended, err);
    if (status == LG_OK && (!add_all(&to) || !weigh(&to)))
        status = lg__error_memory(err);
    if (status == LG_OK)
        status = find_elsewhere(&to, err);
    if (status == LG_OK)
        count_repeats(&to);
    lg__free(to.suspended.items);
    if (status == LG_OK)
        *out = to.out;
    else
        lg_threads_free(&to.out);
    return status;
}

void
lg_threads_free(lg_threads *threads)
{
    for (size_t i = 0; i < threads->count; i++)
        lg_where_free(&threads->rows[i].elsewhere);
    lg__free(threads->rows);
    lg__free(threads->bytes);
    *threads = (lg_threads){0};
}
