// Compares summaries, finds the paths to an example of each row and to its
// other holders, says why garbage piles up (what the collector was told, or
// what stops it), and leaves out growth that a baseline knows.
#include "growth/growth_comparison.h"

#include <leakgraph/internal/cycles.h>
#include <leakgraph/internal/hops.h>
#include <leakgraph/internal/native.h>
#include <leakgraph/internal/options.h>
#include <leakgraph/internal/samples.h>

#include <stdlib.h>
#include <string.h>

const char *
lg_growth_reason_text(lg_growth_reason reason)
{
    static const char *const texts[] = {
        [LG_GROWTH_NO_REASON] = "",
        [LG_GROWTH_DISABLED] = "the collector is disabled",
        [LG_GROWTH_NO_THRESHOLD] = "the collector's threshold is 0",
        [LG_GROWTH_NOT_RUN] = "the collector has not run",
        [LG_GROWTH_SAVED] = "gc.DEBUG_SAVEALL lets gc.garbage keep it",
        [LG_GROWTH_LISTED] = "gc.garbage keeps it",
        [LG_GROWTH_FROZEN] = "gc.freeze() hides it from the collector",
        [LG_GROWTH_NATIVE_HOLDER] = "native code refers to it",
        [LG_GROWTH_UNTRAVERSED] =
            "the collector does not see a reference in it",
        [LG_GROWTH_UNTRACKED] = "the collector does not track an object in it",
        [LG_GROWTH_WAITS] =
            "garbage that goes when the collector reaches its threshold",
    };
    return (unsigned)reason < LG_GROWTH_REASON_COUNT ? texts[reason] : "";
}

// Returns the reason for garbage that the collector could free.
static lg_growth_reason
reason_of_rest(const lg_summary *newest)
{
    lg_string thresholds = lg__summary_text(newest, "gc.thresholds");
    if (lg__string_is(lg__summary_text(newest, "gc.enabled"), "no"))
        return LG_GROWTH_DISABLED;
    return thresholds.length > 1 && thresholds.data[0] == '0' &&
                   thresholds.data[1] == ','
               ? LG_GROWTH_NO_THRESHOLD
               : LG_GROWTH_NOT_RUN;
}

static lg_growth_reason
reason_of_cycle(const lg_summary *newest, lg_string detail)
{
    static const struct {
        lg_cycle_reason why;
        lg_growth_reason reason;
    } reasons[] = {
        {LG_REASON_FROZEN, LG_GROWTH_FROZEN},
        {LG_REASON_NATIVE, LG_GROWTH_NATIVE_HOLDER},
        {LG_REASON_UNTRAVERSED, LG_GROWTH_UNTRAVERSED},
        {LG_REASON_UNTRACKED, LG_GROWTH_UNTRACKED},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (lg__string_is(detail, lg_cycle_reason_name(reasons[i].why)))
            return reasons[i].reason;
    return lg__string_is(detail, lg_cycle_kind_name(LG_CYCLE_COLLECTABLE))
               ? reason_of_rest(newest)
               : LG_GROWTH_NO_REASON;
}

// Finds the reason. The cycles that gained the most come first. A summary has a
// limited number of cycles; the missing ones count as similar.
static lg_growth_reason
find_reason(const lg_summary *newest, const lg_growth *growth)
{
    for (size_t i = 0; i < growth->tally_count; i++)
        if (growth->tallies[i].kind == LG_TALLY_CYCLE)
            return reason_of_cycle(newest, growth->tallies[i].detail);
    return LG_GROWTH_NO_REASON;
}

// Sets why a row of garbage piles up, or that it has settled because it waits.
static void
set_reason(const lg__comparison *state, lg_growth_reason usual,
           lg_growth_row *row)
{
    lg_string flags =
        lg__summary_text(state->summaries[state->count - 1], "gc.debug");
    bool saves = lg__string_contains(flags, "DEBUG_SAVEALL");
    if (state->is_waiting && row->verdict == LG_GROWTH_SETTLED &&
        lg__place_is_garbage(state->newest, row->place))
        row->reason = LG_GROWTH_WAITS;
    if (row->verdict != LG_GROWTH_GARBAGE)
        return;
    if (lg__place_is_listed(state->newest, row->place))
        row->reason = saves ? LG_GROWTH_SAVED : LG_GROWTH_LISTED;
    else
        row->reason = usual;
}

// Finds out why garbage piles up. The tallies must be complete.
static void
set_reasons(const lg__comparison *state, lg_growth *out)
{
    lg_growth_reason usual =
        find_reason(state->summaries[state->count - 1], out);
    for (size_t i = 0; i < out->count; i++)
        set_reason(state, usual, &out->rows[i]);
    for (size_t i = 0; i < out->stopped_count; i++)
        set_reason(state, usual, &out->stopped[i]);
}

const char *const lg__growth_verdicts[] = {"accumulates",      "grows in place",
                                           "garbage piles up", "native",
                                           "settled",          NULL};

const char *
lg_growth_verdict_name(lg_growth_verdict verdict)
{
    return (unsigned)verdict < LG_GROWTH_VERDICT_COUNT
               ? lg__growth_verdicts[verdict]
               : "unknown";
}

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
compare_paths(const lg_graph *graph, const lg_path *one, const lg_path *other,
              bool *alike, lg_error *err)
{
    lg_status status =
        compare_texts(graph, one, other, lg__path_common, alike, err);
    if (status == LG_OK && !*alike)
        status = compare_texts(graph, one, other, lg__format_folded_path, alike,
                               err);
    return status;
}

// Returns whether a path to a node has visited it before: a class has a tuple
// of classes in which it is itself.
static bool
leads_back(const lg_path *path, uint32_t node)
{
    bool back = path->root.node == node;
    for (size_t i = 0; i + 1 < path->count; i++)
        back |= path->hops[i].target == node;
    return back;
}

// Keeps the path that was found last, unless the row has one like it.
static lg_status
keep_other(const lg_graph *graph, lg_growth_row *row, lg_error *err)
{
    lg_path *found = &row->others[row->other_count];
    bool known = found->count == 0 || leads_back(found, row->node);
    lg_status status = compare_paths(graph, &row->path, found, &known, err);
    for (size_t i = 0; i < row->other_count && status == LG_OK; i++)
        status = compare_paths(graph, &row->others[i], found, &known, err);
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

static void
free_holders(lg_growth_row *row)
{
    for (size_t i = 0; i < row->holder_count; i++)
        lg_path_free(&row->holders[i].path);
    lg__free(row->holders);
    lg__free((void *)(uintptr_t)row->freed);
    row->holders = NULL;
    row->holder_count = 0;
    row->freed = NULL;
}

static void
free_paths(lg_growth_row *row)
{
    lg_path_free(&row->path);
    for (size_t i = 0; i < row->other_count; i++)
        lg_path_free(&row->others[i]);
    lg__free(row->others);
    row->others = NULL;
    row->other_count = 0;
    free_holders(row);
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
            free_paths(&out->rows[i]);
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

// Returns the member of the node's place that retains the most, of those beside
// the node in its container. Where some grow and others do not, the newest one
// need not be one that does.
static uint32_t
largest_beside(const lg_analysis *analysis, uint32_t node)
{
    const lg_columns *columns = &analysis->graph->columns;
    uint32_t holder = lg_node_dominator(analysis, node);
    uint32_t largest = node;
    if (holder == LG_NONE)
        return node;
    const lg_edge_range edges = lg_columns_edges(columns, holder);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        uint32_t beside = lg_columns_target(columns, edge);
        if (lg_columns_type(columns, beside) ==
                lg_columns_type(columns, node) &&
            lg_node_dominator(analysis, beside) == holder &&
            lg__sum_of(&analysis->host, beside) >
                lg__sum_of(&analysis->host, largest))
            largest = beside;
    }
    return largest;
}

static bool
is_one_of_many_in_place(const lg__comparison *state, const lg_growth_row *row)
{
    if (row->verdict != LG_GROWTH_IN_PLACE || row->place == LG_NONE)
        return false;
    const lg__place_item *item = lg__place_at(state->newest, row->place);
    return item->kind == LG_PLACE_ITEM && item->members > 1;
}

typedef struct block_count {
    const lg_graph *graph;
    uint64_t blocks;
} block_count;

static void
add_blocks(void *context, uint32_t node)
{
    block_count *count = context;
    count->blocks += lg_node_blocks(count->graph, node);
}

// Sets what native memory the member has, if that is most of what it retains.
static lg_status
count_blocks(const lg_analysis *analysis, lg_growth_row *row, lg_error *err)
{
    uint64_t bytes = 0;
    if (!lg__graph_has_native(analysis->graph) ||
        lg_node_blocks(analysis->graph, row->node) > 0)
        return LG_OK;
    lg_status status = lg_node_native(analysis, row->node, &bytes, err);
    if (status != LG_OK ||
        2 * bytes < lg_node_retained(analysis, row->node).host)
        return status;
    block_count count = {analysis->graph, 0};
    status = lg__retained_each(analysis, row->node, add_blocks, &count, err);
    row->blocks = count.blocks;
    row->blocks_bytes = bytes;
    return status;
}

static lg_status
find_paths(const lg__comparison *state, lg__finder *finder, lg_growth_row *row,
           lg_error *err)
{
    if (row->node == LG_NONE)
        return LG_OK;
    if (is_one_of_many_in_place(state, row))
        row->node = largest_beside(state->at_rest, row->node);
    lg_status status =
        find_path(finder, row->node, state->monitor, &row->path, err);
    if (status == LG_OK)
        status = count_blocks(state->analysis, row, err);
    end_at_tensor(state->analysis->graph, &row->path);
    if (status == LG_OK && lg__growth_is_held_by_several(state, row))
        status = find_others(state, finder, row, err);
    lead_with_holder(state->analysis->graph, row);
    return status;
}

static lg_status
find_all_paths(const lg__comparison *state, lg_growth *out, lg_error *err)
{
    if (state->analysis == NULL)
        return LG_OK;
    lg__finder finder = {.graph = state->analysis->graph, .at_rest = true};
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

// Moves a row to an index at most as high, or into the row there. LG_NONE: the
// row is left out, and rows that it led lead themselves.
static void
move_row(lg_growth *growth, size_t from, uint32_t to)
{
    for (size_t i = 0; i < growth->tally_count; i++)
        if (growth->tallies[i].row == from)
            growth->tallies[i].row = to;
    for (uint32_t i = 0; i < growth->count; i++)
        if (growth->rows[i].lead == from && i >= from)
            growth->rows[i].lead = to != LG_NONE ? to : i;
}

// Exchanges two rows, and what tallies say of them.
static void
swap_rows(lg_growth *growth, uint32_t one, uint32_t other)
{
    lg_growth_row row = growth->rows[one];
    for (size_t i = 0; i < growth->tally_count; i++)
        if (growth->tallies[i].row == one)
            growth->tallies[i].row = other;
        else if (growth->tallies[i].row == other)
            growth->tallies[i].row = one;
    growth->rows[one] = growth->rows[other];
    growth->rows[other] = row;
}

// Exchanges two rows of a leak, so that the second one leads it.
static void
exchange(lg_growth *growth, uint32_t lead, uint32_t other)
{
    lg_growth_row *now = &growth->rows[lead];
    lg_growth_row *first = &growth->rows[other];
    swap_rows(growth, lead, other);
    now->holders = first->holders;
    now->holder_count = first->holder_count;
    now->freed = first->freed;
    now->freed_total = first->freed_total;
    now->minor = first->minor;
    first->holders = NULL;
    first->holder_count = 0;
    first->freed = NULL;
    first->freed_total = 0;
}

// Returns whether a row belongs before the one that is there. What fills up or
// is minor stays behind the others, and a row behind the one that leads it.
static bool
belongs_at(const lg_growth *growth, const lg_growth_row *row, uint32_t index)
{
    const lg_growth_row *there = &growth->rows[index];
    return row->gained > there->gained && row->minor == there->minor &&
           (row->degree == LG_GROWTH_FILLING) ==
               (there->degree == LG_GROWTH_FILLING) &&
           (row->verdict == LG_GROWTH_SETTLED) ==
               (there->verdict == LG_GROWTH_SETTLED) &&
           row->lead != index;
}

static void
raise_row(lg_growth *growth, uint32_t at)
{
    swap_rows(growth, at - 1, at);
    for (size_t i = 0; i < growth->count; i++)
        if (growth->rows[i].lead == at)
            growth->rows[i].lead = at - 1;
        else if (growth->rows[i].lead == at - 1)
            growth->rows[i].lead = at;
}

// Moves rows that took others over before those that gained less.
static void
raise_rows(lg_growth *growth)
{
    for (uint32_t i = 1; i < growth->count; i++)
        for (uint32_t at = i;
             at > 0 && belongs_at(growth, &growth->rows[at], at - 1); at--)
            raise_row(growth, at);
}

// Returns the row of a leak whose members, objects of a class of the program or
// of a library, are in the container that frees the most, if the row that leads
// it has members with several holders, such as the threads of executors in a
// list; else the number of rows.
static uint32_t
find_held(const lg__comparison *state, const lg_growth *growth, uint32_t lead)
{
    const lg_growth_row *first = &growth->rows[lead];
    bool shared = first->holder_count > 0 && first->place != LG_NONE &&
                  first->verdict == LG_GROWTH_ACCUMULATES &&
                  lg__growth_is_held_by_several(state, first);
    uint32_t at = shared ? lead + 1 : (uint32_t)growth->count;
    for (; at < growth->count; at++) {
        const lg_growth_row *row = &growth->rows[at];
        uint32_t above = row->place != LG_NONE
                             ? lg__place_at(state->newest, row->place)->parent
                             : LG_NONE;
        if (row->lead == lead && row->verdict == LG_GROWTH_ACCUMULATES &&
            above != LG_NONE && lg__growth_is_telling(row->type) &&
            lg__place_at(state->newest, above)->key == first->holders[0].key &&
            lg__growth_goes_along(state, growth, row))
            break;
    }
    return at;
}

// Returns whether the hop leads to what an object has inside, which is
// nobody's: a program empties the object itself. What a subclass keeps besides
// is its own.
static bool
leads_inside(const lg_graph *graph, const lg_hop *hop)
{
    lg_string name = lg__edge_name(graph, hop->edges[hop->edge_count - 1]);
    return lg__string_is(name, "data") &&
           (lg__node_is_a(graph, hop->source, "_weakrefset.WeakSet") ||
            lg__type_is_weak_dict(
                graph, lg_columns_type(&graph->columns, hop->source)));
}

// Names a weak dictionary or set in place of the container that it has inside.
static void
name_wholes(const lg_graph *graph, lg_growth_row *row)
{
    for (size_t i = 0; i < row->holder_count; i++) {
        lg_growth_holder *holder = &row->holders[i];
        lg_path *path = &holder->path;
        const lg_hop *last =
            path->count > 1 ? &path->hops[path->count - 1] : NULL;
        if (last == NULL || !leads_inside(graph, last))
            continue;
        holder->node = last->source;
        path->count--;
    }
}

// Gives what a row has to the row that leads its leak. What members retain has
// what lies below them.
static void
take(const lg__comparison *state, const lg_growth *growth, lg_growth_row *row)
{
    lg_growth_row *lead = &growth->rows[row->lead];
    if (lead->verdict != LG_GROWTH_ACCUMULATES ||
        !lg__place_is_below(state->newest, row->place, lead->place))
        lg__growth_add_bytes(state, growth, row, lead);
    lg__growth_note(row, lead);
    free_paths(row);
}

// Tells a leak as one row, as far as its rows grow in step.
static void
join_leaks(const lg__comparison *state, lg_growth *out)
{
    size_t kept = 0;
    for (uint32_t i = 0; i < out->count; i++) {
        uint32_t held = find_held(state, out, i);
        if (held < out->count)
            exchange(out, i, held);
    }
    for (size_t i = 0; i < out->count; i++) {
        lg_growth_row *row = &out->rows[i];
        bool joins = lg__growth_goes_along(state, out, row);
        if (joins)
            take(state, out, row);
        move_row(out, i, joins ? row->lead : (uint32_t)kept);
        if (!joins)
            out->rows[kept++] = *row;
    }
    out->count = kept;
    raise_rows(out);
}

// Marks the last row that has not settled if it gained next to nothing beside
// the first one.
static void
mark_last_minor(lg_growth *out)
{
    size_t count = out->count;
    while (count > 0 && out->rows[count - 1].verdict == LG_GROWTH_SETTLED)
        count--;
    if (count > 1 && lg__growth_goes_on(&out->rows[0]))
        out->rows[count - 1].minor |=
            lg_growth_is_minor(&out->rows[count - 1], &out->rows[0]);
}

static bool
has_device(const lg__comparison *state, lg_string name)
{
    for (uint32_t i = 0; i < state->each; i++)
        if (lg__string_same(state->devices[i], name))
            return true;
    return false;
}

// Lists the devices, the newest snapshot's first, so that their numbers are
// those of its graph.
static bool
list_devices(lg__comparison *state)
{
    size_t most = 0;
    for (uint32_t i = 0; i < state->count; i++)
        most += state->summaries[i]->places->each;
    state->devices = lg__calloc(most + 1, sizeof *state->devices);
    if (state->devices == NULL)
        return false;
    for (uint32_t i = state->count; i-- > 0;) {
        const lg_places *places = state->summaries[i]->places;
        for (uint32_t j = 0; j < places->each; j++) {
            lg_string name = lg_places_device_name(places, j);
            if (!has_device(state, name))
                state->devices[state->each++] = name;
        }
    }
    return true;
}

// Reads the seconds since the first snapshot, which only some summaries have.
// Returns false if they are not known, or do not ascend.
static bool
read_seconds(lg__comparison *state)
{
    double first = lg_summary_time(state->summaries[0]);
    for (uint32_t i = 0; i < state->count; i++) {
        double time = lg_summary_time(state->summaries[i]);
        state->x[i] = time - first;
        if (time < 0 || (i > 0 && !(state->x[i] > state->x[i - 1])))
            return false;
    }
    return true;
}

static lg_status
read_steps(lg__comparison *state, lg_error *err)
{
    const double *steps = state->options.steps;
    state->has_steps = steps != NULL;
    if (steps == NULL && state->options.unit == LG_PER_SECOND) {
        state->has_steps = read_seconds(state);
        if (state->has_steps)
            return LG_OK;
    }
    for (uint32_t i = 0; i < state->count; i++) {
        state->x[i] = steps != NULL ? steps[i] : (double)i;
        if (i > 0 && !(state->x[i] > state->x[i - 1]))
            return lg_error_set(err, LG_EINVAL,
                                "the steps of snapshots must ascend, and step "
                                "%u does not: give the oldest snapshot first",
                                i + 1);
    }
    return LG_OK;
}

static lg_status
begin(lg__comparison *state, lg_error *err)
{
    size_t places = state->newest->items.count;
    state->x = lg__calloc(state->count, sizeof *state->x);
    state->y = lg__calloc(state->count, sizeof *state->y);
    state->at = lg__calloc(state->count, sizeof *state->at);
    state->members = lg__calloc(state->count, sizeof *state->members);
    state->above = lg__calloc(state->count, sizeof *state->above);
    state->least = lg__calloc(state->count, sizeof *state->least);
    state->parts = lg__calloc(places + 1, sizeof *state->parts);
    state->told = lg__calloc(places + 1, 1);
    if (!state->x || !state->y || !state->at || !state->members ||
        !state->above || !state->least || !state->parts || !state->told ||
        !list_devices(state) || !lg__activations_list(state) ||
        !lg__growth_imports_list(state))
        return lg__error_memory(err);
    for (uint32_t i = 0; i < state->count; i++) {
        int64_t least =
            lg__summary_bytes(state->summaries[i], LG__SUMMARY_LEAST);
        state->least[i] = least > 0 ? (double)least : 0;
    }
    return read_steps(state, err);
}

static void
end(lg__comparison *state)
{
    lg_allocator allocator = lg_allocator_default();
    lg__vector_free(&allocator, &state->found);
    lg__vector_free(&allocator, &state->numbers);
    lg__vector_free(&allocator, &state->imported);
    lg__free(state->x);
    lg__free(state->y);
    lg__free(state->at);
    lg__free(state->members);
    lg__free(state->above);
    lg__free(state->least);
    lg__free(state->parts);
    lg__free(state->told);
    lg__free(state->devices);
    lg__activations_forget(state);
}

// Leaves out types, and all tallies but the findings that belong to rows: the
// rest is not known by module.
static void
keep_related(lg_growth *out)
{
    out->type_count = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < out->tally_count; i++) {
        if (out->tallies[i].row == LG_NONE)
            continue;
        for (size_t row = 0; row < out->count; row++)
            if (out->rows[row].finding == i)
                out->rows[row].finding = kept;
        out->tallies[kept++] = out->tallies[i];
    }
    out->tally_count = kept;
}

static lg_status
compare(lg__comparison *state, lg_growth *out, lg_error *err)
{
    lg_status status = begin(state, err);
    if (status != LG_OK)
        return status;
    out->snapshots = state->count;
    out->has_steps = state->has_steps;
    out->unit = out->has_steps ? state->options.unit : LG_PER_SNAPSHOT;
    out->devices = state->each - 1;
    out->places = state->newest;
    out->has_native =
        lg__summary_has_native(state->summaries[state->count - 1]);
    out->note = state->options.note;
    out->min_bytes = state->options.min_bytes;
    out->scoped = state->options.scope != NULL;
    if (!lg__growth_search(state))
        return lg__error_memory(err);
    status = lg__growth_accounts(state, out, err);
    if (status == LG_OK && !lg__growth_search_moving(state, out))
        status = lg__error_memory(err);
    if (status == LG_OK)
        status = lg__growth_rows(state, out, err);
    if (status == LG_OK)
        status = find_all_paths(state, out, err);
    if (status == LG_OK)
        status = lg__growth_tallies(state, out, err);
    if (status == LG_OK)
        set_reasons(state, out);
    if (out->scoped)
        keep_related(out);
    if (status == LG_OK)
        status = lg__growth_holders(state, out, err);
    if (status == LG_OK)
        join_leaks(state, out);
    mark_last_minor(out);
    for (size_t i = 0; i < out->count && state->analysis != NULL; i++)
        name_wholes(state->analysis->graph, &out->rows[i]);
    out->device_names = state->devices;
    state->devices = NULL;
    out->steps = state->x;
    state->x = NULL;
    return status;
}

lg_status
lg_growth_find(const lg_summary *const *summaries, size_t count,
               const lg_analysis *newest, const lg_growth_options *options,
               const lg_monitor *monitor, lg_growth *out, lg_error *err)
{
    lg_growth_options whole = LG_GROWTH_OPTIONS_INIT;
    lg_status status =
        lg_options_read(&whole, options, "lg_growth_options", err);
    if (status != LG_OK)
        return status;
    if (count < 2)
        return lg_error_set(err, LG_EINVAL,
                            "growth needs two snapshots, and there is %zu: "
                            "take one before the work and one after it",
                            count);
    if (whole.scope != NULL && newest == NULL)
        return lg_error_set(err, LG_EINVAL,
                            "modules can be chosen only if the newest is a "
                            "snapshot, not a summary");
    lg__comparison state = {
        .summaries = summaries,
        .count = (uint32_t)count,
        .newest = summaries[count - 1]->places,
        .analysis = newest,
        .monitor = monitor,
        .options = whole,
        .found = {.element = sizeof(lg__grown)},
        .numbers = {.element = sizeof(uint64_t)},
    };
    lg_growth made = {0};
    if (newest != NULL)
        status = lg__analysis_at_rest(newest, monitor, &state.at_rest, err);
    if (status == LG_OK)
        status = compare(&state, &made, err);
    end(&state);
    if (status == LG_OK)
        *out = made;
    else
        lg_growth_free(&made);
    return status;
}

bool
lg_growth_check(lg_growth *growth, int64_t max_growth)
{
    growth->is_checked = true;
    growth->max_growth = max_growth;
    return lg_growth_kept(growth) <= max_growth;
}

void
lg_growth_free(lg_growth *growth)
{
    for (size_t i = 0; i < growth->count; i++)
        free_paths(&growth->rows[i]);
    for (size_t i = 0; i < growth->stopped_count; i++)
        free_paths(&growth->stopped[i]);
    lg__free(growth->device_names);
    lg__free(growth->steps);
    lg__free(growth->rows);
    lg__free(growth->types);
    lg__free(growth->numbers);
    lg__free(growth->sums);
    lg__free(growth->tallies);
    lg__free(growth->series);
    *growth = (lg_growth){0};
}

void
lg_growth_leave_out(lg_growth *growth, const lg_baseline *baseline)
{
    size_t kept = 0;
    for (size_t i = 0; i < growth->count; i++) {
        lg_growth_row *row = &growth->rows[i];
        bool known = lg_baseline_knows(baseline, LG_BASELINE_GROWTH, row->key);
        move_row(growth, i, known ? LG_NONE : (uint32_t)kept);
        if (known)
            free_paths(row);
        else
            growth->rows[kept++] = *row;
    }
    growth->known += growth->count - kept;
    growth->count = kept;
}

lg_status
lg_growth_note(const lg_growth *growth, lg_baseline *baseline, lg_error *err)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < growth->count && status == LG_OK; i++) {
        const lg_growth_row *row = &growth->rows[i];
        lg_text note = {0};
        if (row->verdict == LG_GROWTH_SETTLED)
            continue;
        if (row->place != LG_NONE) {
            lg_place_format(growth->places, row->place, &note);
            lg_text_add(&note, " · ");
        }
        lg_text_add_bytes(&note, row->type.data, row->type.length);
        lg_string text = {note.data, (uint32_t)note.length};
        status = note.failed ? lg__error_memory(err)
                             : lg_baseline_add(baseline, LG_BASELINE_GROWTH,
                                               row->key, text, err);
        lg_text_free(&note);
    }
    return status;
}
