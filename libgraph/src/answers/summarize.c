// Makes summaries: the places and types of a snapshot, and the counts of each
// answer.
#include "answers/answers_private.h"
#include "growth/growth_private.h"

#include <leakgraph/internal/cycles.h>
#include <leakgraph/internal/findings.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// A summary keeps this many findings and cycles, the biggest.
enum { MOST = 256, HOPS_NAMED = 6 };

typedef struct summing {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_monitor *monitor;
    lg_summary *summary;
    uint32_t *place; // [node]
    lg_text text;
} summing;

static uint64_t
key_at(const summing *state, lg_node node)
{
    uint32_t place = node == LG_NONE ? LG_NONE : state->place[node];
    return place == LG_NONE ? 0
                            : lg__place_at(state->summary->places, place)->key;
}

// Adds a tally named by the text, with bytes by device of the graph, and
// empties the text.
static bool
count(summing *state, lg_tally_kind kind, const char *detail, lg__tally tally,
      const uint64_t *bytes)
{
    lg_places *places = state->summary->places;
    lg_text *text = &state->text;
    lg_string name = {text->data != NULL ? text->data : "",
                      (uint32_t)text->length};
    tally.kind = (uint32_t)kind;
    tally.name = text->failed ? LG_NONE : lg__places_string(places, name);
    tally.detail = lg__places_string(
        places, (lg_string){detail, (uint32_t)strlen(detail)});
    text->length = 0;
    return tally.name != LG_NONE && tally.detail != LG_NONE &&
           lg__summary_count(state->summary, tally, bytes, places->each);
}

static lg_status
count_findings(summing *state, lg_error *err)
{
    lg_findings found;
    lg_status status = lg_analysis_findings(state->analysis, NULL,
                                            state->monitor, &found, err);
    if (status != LG_OK)
        return status;
    for (size_t i = 0; i < found.group_count && i < MOST; i++) {
        const lg_finding_group *group = &found.groups[i];
        const lg_finding *finding = &found.items[group->first];
        lg_text_add(&state->text, finding->pattern->name);
        const char *registry = lg_holder_registry(
            lg_analysis_graph(state->analysis), finding->holders);
        if (!count(state, LG_TALLY_FINDING, registry,
                   (lg__tally){
                       .holder = key_at(state, finding->holders[0].node),
                       .kept = key_at(state, finding->holders[0].example),
                       .count = group->count,
                   },
                   group->retained))
            status = lg__error_memory(err);
    }
    lg_findings_free(&found);
    return status;
}

static const char *
detail_of(const lg_cycle *cycle)
{
    return cycle->kind == LG_CYCLE_UNCOLLECTABLE
               ? lg_cycle_reason_name(cycle->reason)
               : lg_cycle_kind_name(cycle->kind);
}

// Writes `Session.log`, `list[*]`: all positions of a list are one.
static void
name_hop(const lg_graph *graph, const lg_hop *hop, lg_text *out)
{
    lg_text label = {0};
    uint32_t type = lg_columns_type(&graph->columns, hop->source);
    lg_string name = lg__last_part(lg_graph_type(graph, type).name);
    lg_text_add_bytes(out, name.data, name.length);
    lg_hop_label(graph, hop, &label);
    bool position = label.length > 2 && label.data[0] == '[' &&
                    isdigit((unsigned char)label.data[1]);
    if (position)
        lg_text_add(out, "[*]");
    else
        lg_text_add_bytes(out, label.data, label.length);
    out->failed |= label.failed;
    lg_text_free(&label);
}

// Names a cycle by its hops. A search begins anywhere, so the name begins with
// the hop that comes first in byte order.
static bool
name_cycle(summing *state, const lg_hops *cycle)
{
    lg_text *hops = lg__calloc(cycle->count + 1, sizeof *hops);
    size_t first = 0;
    if (hops == NULL)
        return false;
    for (size_t i = 0; i < cycle->count; i++) {
        name_hop(state->graph, &cycle->items[i], &hops[i]);
        state->text.failed |= hops[i].failed;
        if (!state->text.failed && strcmp(hops[i].data, hops[first].data) < 0)
            first = i;
    }
    for (size_t i = 0; i < cycle->count && !state->text.failed; i++) {
        const lg_text *hop = &hops[(first + i) % cycle->count];
        if (i >= HOPS_NAMED) {
            lg_text_add(&state->text, "... -> ");
            break;
        }
        lg_text_add_bytes(&state->text, hop->data, hop->length);
        lg_text_add(&state->text, " -> ");
    }
    lg_text_add(&state->text, "back");
    for (size_t i = 0; i < cycle->count; i++)
        lg_text_free(&hops[i]);
    lg__free(hops);
    return !state->text.failed;
}

// Returns whether blocks of C code refer to each other: no collector frees
// them, and rows of native memory have them.
static bool
is_of_blocks(const lg_graph *graph, const lg_hops *cycle)
{
    for (size_t i = 0; i < cycle->count; i++)
        if (!lg__node_is_native(graph, cycle->items[i].source))
            return false;
    return true;
}

static lg_status
count_cycles(summing *state, lg_error *err)
{
    lg_cycle_options options = LG_CYCLE_OPTIONS_INIT;
    lg_cycles found;
    options.kinds = 1u << LG_CYCLE_COLLECTABLE | 1u << LG_CYCLE_UNCOLLECTABLE;
    options.limit = MOST;
    lg_status status = lg_analysis_cycles(state->analysis, &options,
                                          state->monitor, &found, err);
    if (status != LG_OK)
        return status;
    for (size_t i = 0; i < found.count && status == LG_OK; i++) {
        if (is_of_blocks(state->graph, &found.items[i].shortest))
            continue;
        if (!name_cycle(state, &found.items[i].shortest) ||
            !count(state, LG_TALLY_CYCLE, detail_of(&found.items[i]),
                   (lg__tally){.count = 1}, found.items[i].retained))
            status = lg__error_memory(err);
    }
    lg_cycles_free(&found);
    return status;
}

static lg_status
count_tensors(summing *state, lg_error *err)
{
    lg_tensor_rows rows;
    lg_tensor_sums sums = {0};
    lg_status status = lg_graph_storages(state->graph, LG_NONE, 0, &rows, err);
    if (status != LG_OK)
        return status;
    status =
        lg_tensors_sum(state->graph, &rows, LG_TENSORS_BY_KIND, &sums, err);
    for (size_t i = 0; i < sums.count && status == LG_OK; i++) {
        const lg_tensor_sum *sum = &sums.items[i];
        lg_text_add_bytes(&state->text, sum->key.data, sum->key.length);
        if (!count(state, LG_TALLY_TENSOR, "", (lg__tally){.count = sum->count},
                   sum->bytes))
            status = lg__error_memory(err);
    }
    lg_tensor_sums_free(&sums);
    lg_tensor_rows_free(&rows);
    return status;
}

static bool
has_figures(const lg_graph *graph)
{
    for (uint32_t node = 0; node < graph->columns.node_count; node++)
        if (lg__node_category(graph, node) == LG_CATEGORY_FIGURE)
            return true;
    return false;
}

static lg_status
count_figures(summing *state, lg_error *err)
{
    uint32_t each = lg_graph_device_count(state->graph) + 1;
    lg__figures found;
    // Searching for figures takes as long as everything else here, so this
    // looks for their types first.
    if (!has_figures(state->graph))
        return LG_OK;
    lg_status status = lg__figures_find(state->analysis, &found, err);
    uint64_t *bytes = lg__calloc(each, sizeof *bytes);
    lg__tally tally = {.count = status == LG_OK ? found.rows.count : 0};
    for (size_t i = 0; i < tally.count && bytes != NULL; i++)
        for (uint32_t on = 0; on < each; on++)
            bytes[on] += found.rows.items[i].retained[on];
    lg_text_add(&state->text, "figure");
    if (tally.count > 0 &&
        (bytes == NULL || !count(state, LG_TALLY_FIGURE, "", tally, bytes)))
        status = lg__error_memory(err);
    state->text.length = 0;
    lg__free(bytes);
    lg__figures_free(&found);
    return status;
}

static lg_status
count_threads(summing *state, lg_error *err)
{
    uint32_t each = lg_graph_device_count(state->graph) + 1;
    uint64_t *bytes = lg__alloc(each * sizeof *bytes);
    bool enough = bytes != NULL;
    for (uint32_t i = 0; i < lg_graph_root_count(state->graph) && enough; i++) {
        lg_root root = lg_graph_root(state->graph, i);
        if (root.kind != LG_ROOT_THREAD)
            continue;
        for (uint32_t on = 0; on < each; on++)
            bytes[on] = lg_node_retained_on(state->analysis, root.node, on);
        lg__text_add_uncounted(root.name, &state->text);
        enough =
            count(state, LG_TALLY_THREAD, "", (lg__tally){.count = 1}, bytes);
    }
    lg__free(bytes);
    return enough ? LG_OK : lg__error_memory(err);
}

// Adds what the kernel counts and no account explains. Deducts bytes that are
// counted but not resident.
static lg_status
add_rest(summing *state, lg_error *err)
{
    lg_accounts accounts;
    lg_status status = lg_graph_accounts(state->graph, NULL, &accounts, err);
    if (status != LG_OK)
        return status;
    int64_t rest = accounts.host[LG_HOST_ELSE];
    int64_t absent = accounts.host[LG_HOST_ABSENT];
    if (rest >= 0 && absent >= 0 && (uint64_t)absent < LG__RESIDENT_ZERO &&
        (uint64_t)rest < LG__RESIDENT_ZERO)
        state->summary->rest =
            LG__RESIDENT_ZERO + (uint64_t)rest - (uint64_t)absent;
    lg_accounts_free(&accounts);
    return LG_OK;
}

// Makes a summary, with or without the words of its places.
static lg_status
summarize(const lg_analysis *analysis, bool words, const lg_monitor *monitor,
          lg_summary **out, lg_error *err)
{
    summing state = {.analysis = analysis,
                     .graph = lg_analysis_graph(analysis),
                     .monitor = monitor};
    lg_status status =
        lg__summary_make(analysis, monitor, &state.summary, &state.place, err);
    if (status == LG_OK && words)
        status = lg__places_find_words(state.summary->places, state.place,
                                       analysis, monitor, err);
    if (status == LG_OK)
        status = count_findings(&state, err);
    if (status == LG_OK)
        status = count_cycles(&state, err);
    if (status == LG_OK)
        status = count_tensors(&state, err);
    if (status == LG_OK)
        status = count_figures(&state, err);
    if (status == LG_OK)
        status = count_threads(&state, err);
    if (status == LG_OK)
        status = add_rest(&state, err);
    if (status == LG_OK)
        status = lg__summary_count_limits(state.summary, analysis, state.place,
                                          monitor, err);
    if (status == LG_OK)
        status = lg__summary_count_activations(state.summary, analysis,
                                               state.place, monitor, err);
    lg__places_of_free(state.place, analysis);
    lg_text_free(&state.text);
    if (status != LG_OK) {
        lg_summary_free(state.summary);
        return status;
    }
    lg__summary_join_tallies(state.summary);
    *out = state.summary;
    return LG_OK;
}

lg_status
lg_summary_new(const lg_analysis *analysis, const lg_monitor *monitor,
               lg_summary **out, lg_error *err)
{
    return summarize(analysis, true, monitor, out, err);
}

lg_status
lg_summary_new_compared(const lg_analysis *analysis, bool newest,
                        const lg_monitor *monitor, lg_summary **out,
                        lg_error *err)
{
    return summarize(analysis, newest, monitor, out, err);
}
