// Finds the figures with their holders: references from outside to a figure or
// to its parts.
#include "answers/answers_private.h"
#include "bytes/bytes_private.h"

#include <stdlib.h>

// Holders beyond these are only counted.
enum { SHOWN = 4, LOOKED_AT = 256 };

typedef struct search {
    const lg__figures *figures;
    const lg__roottree *tree;
    uint32_t number;
    lg_figure_holders found;
    uint32_t looked_at;
} search;

static bool
is_registry(const lg_graph *graph, uint32_t node)
{
    return lg__node_category(graph, node) == LG_CATEGORY_TYPE &&
           lg__string_is(lg_node_text(graph, node),
                         "matplotlib._pylab_helpers.Gcf");
}

// Returns the kind of a holder that a node of the path shows, or
// LG_HOLDER_VARIABLE.
static lg_figure_holder_kind
kind_by(const search *state, uint32_t node)
{
    const lg_graph *graph = state->figures->graph;
    if (is_registry(graph, node))
        return LG_HOLDER_PYPLOT;
    if (lg__figures_class(state->figures, node) & LG__IS_ANIMATION)
        return LG_HOLDER_ANIMATION;
    // A folded cell on the path belongs to a closure. Any other cell belongs to
    // a local variable.
    return lg__node_category(graph, node) == LG_CATEGORY_FUNCTION &&
                   lg__node_role(graph, node) != LG__ROLE_CELL
               ? LG_HOLDER_CALLBACK
               : LG_HOLDER_VARIABLE;
}

static lg_figure_holder_kind
kind_of(const search *state, const lg_path *path)
{
    lg_figure_holder_kind best = kind_by(state, path->root.node);
    for (size_t i = 0; i < path->count; i++) {
        lg_figure_holder_kind kind = kind_by(state, path->hops[i].source);
        best = kind < best ? kind : best;
    }
    return best;
}

static bool
goes_through(const search *state, const lg_path *path)
{
    const uint32_t *label = state->figures->label;
    for (size_t i = 0; i < path->count; i++)
        if (label[path->hops[i].source] == state->number)
            return true;
    return false;
}

// Returns whether two edges have the same kind and the same name, index or key.
static bool
edges_alike(const lg_columns *columns, uint64_t a, uint64_t b)
{
    return lg_columns_kind(columns, a) == lg_columns_kind(columns, b) &&
           lg_columns_payload(columns, a) == lg_columns_payload(columns, b);
}

// Returns whether two paths differ only in their targets. Paths of one tree are
// equal up to a common source.
static bool
paths_alike(const lg_graph *graph, const lg_path *a, const lg_path *b)
{
    if (a->count != b->count || a->root.node != b->root.node)
        return false;
    if (a->count == 0)
        return true;
    const lg_hop *one = &a->hops[a->count - 1];
    const lg_hop *other = &b->hops[b->count - 1];
    if (one->source != other->source || one->edge_count != other->edge_count)
        return false;
    for (uint32_t i = 0; i < one->edge_count; i++)
        if (!edges_alike(&graph->columns, one->edges[i], other->edges[i]))
            return false;
    return true;
}

static bool
is_known(const search *state, const lg_figure_holder *holder)
{
    for (size_t i = 0; i < state->found.count; i++) {
        const lg_figure_holder *known = &state->found.items[i];
        if (known->kind == holder->kind &&
            (holder->kind == LG_HOLDER_PYPLOT ||
             (known->node == holder->node &&
              paths_alike(state->figures->graph, &known->path, &holder->path))))
            return true;
    }
    return false;
}

static int
compare(const lg_figure_holder *a, const lg_figure_holder *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    size_t one = a->path.count;
    size_t other = b->path.count;
    return one < other ? -1 : one > other;
}

// Takes the holder over. Drops the last one if there are too many.
static bool
keep(search *state, lg_figure_holder holder)
{
    lg_figure_holders *found = &state->found;
    if (found->items == NULL)
        found->items = lg__alloc((SHOWN + 1) * sizeof *found->items);
    if (found->items == NULL || is_known(state, &holder)) {
        lg_path_free(&holder.path);
        return found->items != NULL;
    }
    size_t at = found->count++;
    for (; at > 0 && compare(&holder, &found->items[at - 1]) < 0; at--)
        found->items[at] = found->items[at - 1];
    found->items[at] = holder;
    if (found->count > SHOWN) {
        lg_path_free(&found->items[--found->count].path);
        found->more++;
    }
    return true;
}

// Visits a reference to a member from `source`, which is not folded.
static lg_status
add_path(search *state, uint32_t source, uint32_t member, lg_error *err)
{
    lg_hop last = lg__hop_between(&state->figures->walk, source, member);
    lg_path path;
    lg_status status = lg__roottree_path(state->tree, source, &path, err);
    if (status == LG_ENOTFOUND)
        return LG_OK;
    if (status != LG_OK)
        return status;
    if (goes_through(state, &path)) {
        lg_path_free(&path);
        return LG_OK;
    }
    if (last.edge_count > 0)
        status = lg__path_extend(&path, &last, 1, err);
    if (status != LG_OK) {
        lg_path_free(&path);
        return status;
    }
    lg_figure_holder holder = {
        .kind = kind_of(state, &path), .node = LG_NONE, .path = path};
    return keep(state, holder) ? LG_OK : lg__error_memory(err);
}

static lg_status
look_at(search *state, uint32_t member, lg_error *err)
{
    const lg_columns *columns = &state->figures->graph->columns;
    const lg__reverse *reverse = &state->figures->walk.reverse;
    const uint32_t *label = state->figures->label;
    lg_status status = LG_OK;
    for (uint64_t i = lg__first_in(reverse, member);
         i < lg__first_in(reverse, member + 1) && status == LG_OK; i++) {
        uint32_t source = lg__in_source(reverse, i);
        uint64_t edge = lg__in_number(reverse, i);
        if ((lg_columns_kind(columns, edge) & LG_EDGE_WEAK) ||
            label[source] == state->number)
            continue;
        if (state->looked_at++ < LOOKED_AT)
            status = add_path(state,
                              lg__seen_node(state->figures->walk.fold, source),
                              member, err);
    }
    return status;
}

static lg_status
add_native(search *state, uint32_t member, lg_error *err)
{
    lg_figure_holder holder = {.kind = LG_HOLDER_NATIVE, .node = member};
    if (lg_node_unexplained(state->figures->graph, member) <= 0 ||
        state->found.count > 0)
        return LG_OK;
    return keep(state, holder) ? LG_OK : lg__error_memory(err);
}

static void
free_holders(lg_figure_holders *holders)
{
    for (size_t i = 0; i < holders->count; i++)
        lg_path_free(&holders->items[i].path);
    lg__free(holders->items);
    *holders = (lg_figure_holders){0};
}

static lg_status
find_holders(const lg__figures *figures, const lg__roottree *tree,
             uint32_t figure, lg_figure_holders *out, lg_error *err)
{
    search state = {
        .figures = figures, .tree = tree, .number = figures->label[figure]};
    const uint32_t *first = figures->first.items;
    lg_status status = LG_OK;
    for (uint32_t i = first[state.number - 1];
         i < first[state.number] && status == LG_OK; i++)
        status = look_at(&state, figures->members.items[i], err);
    for (uint32_t i = first[state.number - 1];
         i < first[state.number] && status == LG_OK; i++)
        status = add_native(&state, figures->members.items[i], err);
    if (status == LG_OK)
        *out = state.found;
    else
        free_holders(&state.found);
    return status;
}

// Adds up all figures. The memory for the sums exists.
static void
add_up(const lg_figure_rows *rows, uint32_t devices, lg_figures *out)
{
    out->total = rows->count;
    for (size_t i = 0; i < rows->count; i++) {
        const lg_figure_row *row = &rows->items[i];
        out->open += !row->closed;
        if (row->closed && !row->reachable)
            out->garbage++;
        else if (row->closed)
            *(row->number < 0 ? &out->own : &out->closed) += 1;
        out->canvas += row->canvas;
        for (uint32_t device = 0; device <= devices; device++)
            out->retained[device] += row->retained[device];
    }
}

// Lists the nodes that belong to the first `shown` figures.
static bool
list_nodes(const lg__figures *figures, size_t labels, size_t shown,
           lg_nodes *out)
{
    uint32_t node_count = figures->graph->columns.node_count;
    bool *is_shown = lg__calloc(labels + 1, sizeof *is_shown);
    out->items = lg__alloc((node_count + (size_t)1) * sizeof *out->items);
    bool enough = is_shown != NULL && out->items != NULL;
    for (size_t i = 0; i < shown && enough; i++)
        is_shown[figures->label[figures->rows.items[i].node]] = true;
    for (uint32_t node = 0; node < node_count && enough; node++)
        if (figures->label[node] != 0 && figures->label[node] != LG__SHARED &&
            is_shown[figures->label[node]])
            out->items[out->count++] = node;
    lg__free(is_shown);
    return enough;
}

static lg_status
fill(lg__figures *figures, size_t labels, size_t shown, lg_figures *out,
     lg_error *err)
{
    lg__roottree tree = {0};
    uint32_t devices = figures->graph->device_count;
    out->held_by = lg__calloc(shown + 1, sizeof *out->held_by);
    out->retained = lg__calloc((size_t)devices + 1, sizeof *out->retained);
    if (out->held_by == NULL || out->retained == NULL ||
        !list_nodes(figures, labels, shown, &out->nodes))
        return lg__error_memory(err);
    add_up(&figures->rows, devices, out);
    lg_status status = lg__roottree_new(figures->graph, NULL, &tree, err);
    for (; out->rows.count < shown && status == LG_OK; out->rows.count++) {
        const lg_figure_row *row = &figures->rows.items[out->rows.count];
        status = find_holders(figures, &tree, row->node,
                              &out->held_by[out->rows.count], err);
    }
    lg__roottree_free(&tree);
    out->rows.items = figures->rows.items;
    out->rows.bytes = figures->rows.bytes;
    figures->rows = (lg_figure_rows){0};
    return status;
}

static void
leave_scope(const lg_scope *scope, lg_figure_rows *rows)
{
    size_t kept = 0;
    for (size_t i = 0; i < rows->count; i++)
        if (lg_scope_has(scope, rows->items[i].node))
            rows->items[kept++] = rows->items[i];
    rows->count = kept;
}

lg_status
lg_analysis_figures(const lg_analysis *analysis, const lg_scope *scope,
                    size_t limit, lg_figures *out, lg_error *err)
{
    lg__figures figures;
    lg_figures found = {0};
    lg_status status = lg__figures_find(analysis, &figures, err);
    size_t labels = figures.rows.count;
    if (status == LG_OK)
        leave_scope(scope, &figures.rows);
    size_t count = figures.rows.count;
    if (status == LG_OK)
        status = fill(&figures, labels,
                      limit > 0 && limit < count ? limit : count, &found, err);
    lg__figures_free(&figures);
    if (status == LG_OK)
        *out = found;
    else
        lg_figures_free(&found);
    return status;
}

void
lg_figures_free(lg_figures *figures)
{
    for (size_t i = 0; i < figures->rows.count; i++)
        free_holders(&figures->held_by[i]);
    lg__free(figures->held_by);
    lg__free(figures->rows.items);
    lg__free(figures->rows.bytes);
    lg__free(figures->nodes.items);
    lg__free(figures->retained);
    *figures = (lg_figures){0};
}

const char *
lg_figure_holder_kind_name(lg_figure_holder_kind kind)
{
    static const char *const names[LG_HOLDER_KIND_COUNT] = {
        [LG_HOLDER_PYPLOT] = "pyplot",     [LG_HOLDER_ANIMATION] = "animation",
        [LG_HOLDER_CALLBACK] = "callback", [LG_HOLDER_VARIABLE] = "variable",
        [LG_HOLDER_NATIVE] = "native",
    };
    return (unsigned)kind < LG_HOLDER_KIND_COUNT ? names[kind] : "unknown";
}
