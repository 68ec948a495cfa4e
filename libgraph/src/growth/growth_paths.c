// Finds the paths to an example of each row, and to its other holders.
#include "growth/growth_comparison.h"

#include <leakgraph/internal/hops.h>

#include <stdlib.h>
#include <string.h>

enum {
    OTHERS = 3,
    STOPPED = 8, // stopped rows, of which reports show fewer
};

static lg_status
find_path(lg__finder *finder, uint32_t node, const lg_monitor *monitor,
          lg_path *out, lg_error *err)
{
    lg_status status = lg__finder_path(finder, node, monitor, out, err);
    return status == LG_ENOTFOUND ? LG_OK : status;
}

// Finds the path to the hop's source, and appends the hop.
static lg_status
find_other(lg__finder *finder, const lg_hop *hop, const lg_monitor *monitor,
           lg_path *out, lg_error *err)
{
    lg_path path = {0};
    lg_status status = find_path(finder, hop->source, monitor, &path, err);
    if (status != LG_OK || path.start == LG_STARTS_NOWHERE)
        return status;
    status = lg__path_extend(&path, hop, 1, err);
    if (status == LG_OK)
        *out = path;
    else
        lg_path_free(&path);
    return status;
}

static bool
is_holder(const lg_growth_row *row, const lg_hop *hop)
{
    uint32_t shown = row->path.count > 0
                         ? row->path.hops[row->path.count - 1].source
                         : LG_NONE;
    bool known = hop->weak || hop->source == shown;
    for (size_t i = 0; i < row->other_count; i++)
        known |=
            row->others[i].hops[row->others[i].count - 1].source == hop->source;
    return !known;
}

typedef void format(const lg_graph *graph, const lg_path *path, lg_text *out);

// Sets *alike if both paths have the same text.
static lg_status
compare_texts(const lg_graph *graph, const lg_path *one, const lg_path *other,
              format *write, bool *alike, lg_error *err)
{
    lg_text text = {0};
    lg_text same = {0};
    write(graph, one, &text);
    write(graph, other, &same);
    bool failed = text.failed || same.failed;
    if (!failed && text.length == same.length &&
        memcmp(text.data, same.data, text.length) == 0)
        *alike = true;
    lg_text_free(&text);
    lg_text_free(&same);
    return failed ? lg__error_memory(err) : LG_OK;
}

// Sets *alike if both paths are the same apart from indexes and keys, or along
// one chain.
static lg_status
compare(const lg_graph *graph, const lg_path *one, const lg_path *other,
        bool *alike, lg_error *err)
{
    lg_status status =
        compare_texts(graph, one, other, lg__path_common, alike, err);
    if (status == LG_OK && !*alike)
        status = compare_texts(graph, one, other, lg__format_folded_path, alike,
                               err);
    return status;
}

// Keeps the path that was found last, unless the row has one like it.
static lg_status
keep_other(const lg_graph *graph, lg_growth_row *row, lg_error *err)
{
    lg_path *found = &row->others[row->other_count];
    bool known = found->count == 0;
    lg_status status = compare(graph, &row->path, found, &known, err);
    for (size_t i = 0; i < row->other_count && status == LG_OK; i++)
        status = compare(graph, &row->others[i], found, &known, err);
    if (known || status != LG_OK)
        lg_path_free(found);
    else
        row->other_count++;
    return status;
}

static lg_status
find_others(const lg__comparison *state, lg__finder *finder, lg_growth_row *row,
            lg_error *err)
{
    lg_hops hops = {0};
    row->others = lg__calloc(OTHERS, sizeof *row->others);
    if (row->others == NULL)
        return lg__error_memory(err);
    lg_status status =
        lg_node_hops_in(state->analysis->graph, row->node, &hops, err);
    for (size_t i = 0;
         i < hops.count && status == LG_OK && row->other_count < OTHERS; i++) {
        if (!is_holder(row, &hops.items[i]))
            continue;
        status = find_other(finder, &hops.items[i], state->monitor,
                            &row->others[row->other_count], err);
        if (status == LG_OK)
            status = keep_other(state->analysis->graph, row, err);
    }
    lg_hops_free(&hops);
    return status;
}

// Returns whether the example has several holders. If several paths lead from
// a dominator to a node, the dominator is not its holder.
static bool
has_others(const lg__comparison *state, const lg_growth_row *row)
{
    unsigned kind = lg__place_at(state->newest, row->place)->kind;
    return kind == LG_PLACE_SEVERAL || kind == LG_PLACE_ROOT;
}

void
lg__growth_paths_free(lg_growth_row *row)
{
    lg_path_free(&row->path);
    for (size_t i = 0; i < row->other_count; i++)
        lg_path_free(&row->others[i]);
    lg__free(row->others);
    row->others = NULL;
    row->other_count = 0;
    lg__growth_holders_free(row);
}

// Drops what only frames of leakgraph and its modules refer to. The capture
// passes over these frames, so nobody would see why it is there.
static void
drop_own(lg_growth *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++) {
        const lg_path *path = &out->rows[i].path;
        if (path->start == LG_STARTS_AT_ROOT &&
            path->root.kind == LG_ROOT_MODULE &&
            lg__growth_is_own(path->root.name))
            lg__growth_paths_free(&out->rows[i]);
        else
            out->rows[kept++] = out->rows[i];
    }
    out->count = kept;
}

// Ends a path at the first tensor whose autograd graph it enters, as the place
// of its row does.
static void
end_at_tensor(const lg_graph *graph, lg_path *path)
{
    for (size_t i = 0; i < path->count; i++) {
        lg__reference last = lg__hop_reference(graph, &path->hops[i]);
        if (lg__string_is(lg__edge_name(graph, last.edge), "grad_fn"))
            path->count = i;
    }
}

// A module is a root. Of many modules, what holds them says more: it is
// sys.modules. What else refers to a module is in it.
static void
lead_with_holder(const lg_graph *graph, lg_growth_row *row)
{
    if (row->path.count > 0 || row->other_count == 0 ||
        lg__node_category(graph, row->node) != LG_CATEGORY_MODULE)
        return;
    lg_path_free(&row->path);
    row->path = row->others[0];
    while (row->other_count > 1)
        lg_path_free(&row->others[--row->other_count]);
    row->other_count = 0;
}

static lg_status
find_paths(const lg__comparison *state, lg__finder *finder, lg_growth_row *row,
           lg_error *err)
{
    if (row->node == LG_NONE)
        return LG_OK;
    lg_status status =
        find_path(finder, row->node, state->monitor, &row->path, err);
    end_at_tensor(state->analysis->graph, &row->path);
    if (status == LG_OK && has_others(state, row))
        status = find_others(state, finder, row, err);
    lead_with_holder(state->analysis->graph, row);
    return status;
}

lg_status
lg__growth_paths(const lg__comparison *state, lg_growth *out, lg_error *err)
{
    if (state->analysis == NULL)
        return LG_OK;
    lg__finder finder = {.graph = state->analysis->graph};
    lg_status status = LG_OK;
    for (size_t i = 0; i < out->count && status == LG_OK; i++)
        status = find_paths(state, &finder, &out->rows[i], err);
    for (size_t i = 0; i < out->stopped_count && i < STOPPED && status == LG_OK;
         i++)
        status = find_paths(state, &finder, &out->stopped[i], err);
    lg__finder_free(&finder);
    drop_own(out);
    return status;
}
