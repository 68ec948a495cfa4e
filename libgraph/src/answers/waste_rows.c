// The rows of the answer: what could be saved, by kind and place.
#include "answers/waste_search.h"

#include <leakgraph/internal/retained.h>

#include <stdlib.h>
#include <string.h>

// The sums of all rows, each by device.
enum { WASTE, LIBRARIES, SUMS };

// Returns numbers by device. They are in one array, which may move until all
// rows exist.
static uint64_t *
sum_of(const lg__wasting *to, size_t which)
{
    return to->out.bytes + which * to->each;
}

static uint64_t *
bytes_at(const lg__wasting *to, size_t row, size_t which)
{
    return to->out.bytes + (SUMS + 2 * row + which) * to->each;
}

static bool
make_room(lg__wasting *to)
{
    size_t sizes = to->each * sizeof *to->out.bytes;
    const lg__row_array arrays[] = {
        {&to->out.rows, sizeof *to->out.rows, 0},
        {&to->last, sizeof *to->last, 0},
        {&to->out.bytes, 2 * sizes, SUMS * sizes},
    };
    size_t rows = to->out.total_rows;
    if (!lg__rows_room(arrays, 3, rows, &to->capacity))
        return false;
    memset(bytes_at(to, rows, 0), 0, 2 * sizes);
    return true;
}

bool
lg__waste_begin_rows(lg__wasting *to)
{
    to->out.bytes = lg__calloc(SUMS * to->each, sizeof *to->out.bytes);
    return to->out.bytes != NULL;
}

// Returns whether the interpreter interns the text, or code refers to the node
// as a constant or docstring.
static bool
is_of_code(const lg__wasting *to, uint32_t node)
{
    uint32_t owner = lg_node_dominator(to->analysis, node);
    if (to->graph->columns.node_flags[node] & LG_NODE_NAME)
        return true;
    if (owner != LG_NONE && lg__node_role(to->graph, owner) == LG__ROLE_TUPLE)
        owner = lg_node_dominator(to->analysis, owner);
    return owner != LG_NONE &&
           lg__node_category(to->graph, owner) == LG_CATEGORY_FUNCTION;
}

// Returns whether only native code holds the node. It is native code's own,
// unless programs make such objects.
static bool
is_kept_by_native_code(lg__wasting *to, uint32_t node)
{
    return lg__keepers_of(&to->keepers, node) == LG_NONE &&
           lg_node_is_reachable(to->analysis, node) &&
           lg__node_origin(to->graph, node, NULL) != LG__ORIGIN_PROGRAM;
}

// Returns whether a library keeps the object or, for slots, defines its class,
// which only the library can change.
static bool
is_library_table(lg__wasting *to, const lg__saving *saving)
{
    uint32_t node = saving->node;
    if (to->options->libraries)
        return false;
    if (saving->kind == LG_WASTE_SLOTS)
        return lg__type_is_well_known(to->graph, to->graph->columns.type[node]);
    return is_of_code(to, node) || is_kept_by_native_code(to, node) ||
           lg__library_tables_keeper(&to->tables, node,
                                     lg__keepers_of(&to->keepers, node))
                   .length > 0;
}

// Adds to a row. The object with the most waste represents the row.
static void
add_to_row(lg__wasting *to, uint32_t index, const lg__saving *saving)
{
    lg_waste_row *row = &to->out.rows[index];
    if (row->node == LG_NONE || saving->waste > row->weight) {
        row->node = saving->node;
        row->weight =
            saving->waste; // so far this is the waste of the row's node
    }
    row->count++;
    row->at_most |= saving->at_most;
    row->of += saving->of;
    bytes_at(to, index, 0)[saving->device] += saving->size;
    bytes_at(to, index, 1)[saving->device] += saving->waste;
    sum_of(to, WASTE)[saving->device] += saving->waste;
    switch (saving->kind) {
    case LG_WASTE_EQUAL: // `of` is 1 + the number of the contents here
        row->used += to->last[index] != saving->used;
        to->last[index] = (uint32_t)saving->used;
        break;
    case LG_WASTE_SLOTS:
    case LG_WASTE_RECORDS:
        row->used = saving->used;
        break;
    default:
        row->used += saving->used;
    }
}

static bool
begin_row(lg__wasting *to, const lg__saving *saving, uint32_t *row)
{
    uint32_t type = to->graph->columns.type[saving->node];
    if (!make_room(to))
        return false;
    to->last[to->out.total_rows] = 0;
    to->out.rows[to->out.total_rows++] =
        (lg_waste_row){.kind = saving->kind,
                       .node = LG_NONE,
                       .type = lg_graph_type(to->graph, type).name};
    *row = (uint32_t)to->out.total_rows;
    return true;
}

bool
lg__waste_add(lg__wasting *to, const lg__saving *saving, uint32_t *row)
{
    uint32_t seen = lg__seen_node(to->folds, saving->node);
    if (saving->waste == 0 || !lg_scope_has(to->options->scope, seen))
        return true;
    if (is_library_table(to, saving)) {
        sum_of(to, LIBRARIES)[saving->device] += saving->waste;
        to->out.library_objects++;
        return true;
    }
    if (row == NULL)
        row = &to->row_at[(size_t)saving->kind * lg_places_count(to->places) +
                          to->place[saving->node]];
    if (*row == 0 && !begin_row(to, saving, row))
        return false;
    add_to_row(to, *row - 1, saving);
    return true;
}

static int
most_first(const void *left, const void *right)
{
    const lg_waste_row *a = left;
    const lg_waste_row *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

void
lg__waste_end_rows(lg__wasting *to)
{
    lg_waste *out = &to->out;
    out->waste = sum_of(to, WASTE);
    out->libraries = sum_of(to, LIBRARIES);
    for (size_t i = 0; i < out->total_rows; i++) {
        lg_waste_row *row = &out->rows[i];
        row->size = bytes_at(to, i, 0);
        row->waste = bytes_at(to, i, 1);
        row->weight = lg_bytes_sum(row->waste, to->each);
    }
    if (out->total_rows > 0)
        qsort(out->rows, out->total_rows, sizeof *out->rows, most_first);
    out->count = to->options->limit > 0 && to->options->limit < out->total_rows
                     ? to->options->limit
                     : out->total_rows;
}
