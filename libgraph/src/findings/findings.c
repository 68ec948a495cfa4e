// Runs every detector, and computes what the matches retain. Leaves out
// findings that a baseline knows.
#include "findings/alike.h"
#include "findings/detectors.h"
#include "paths/paths_private.h"

#include <stdlib.h>
#include <string.h>

static lg_status
look(lg__detection *detection, const lg_monitor *monitor, lg_error *err)
{
    for (uint32_t i = 0; i < lg__detector_count; i++) {
        double done = (double)i / (double)lg__detector_count;
        if (!lg__monitor_goes_on(monitor, "looking for mistakes", done, err))
            return LG_ECANCELLED;
        detection->pattern = i;
        detection->hops = 0;
        lg__detectors[i]->look(detection);
        if (detection->failed)
            return lg__error_memory(err);
    }
    return LG_OK;
}

// Returns what findings like this one must keep, all together.
static uint64_t
least_of(const lg_finding *finding)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < finding->holder_count; i++)
        for (size_t j = 0; j < lg__detector_count; j++)
            if (finding->holders[i].pattern == &lg__detectors[j]->pattern &&
                lg__detectors[j]->least < least)
                least = lg__detectors[j]->least;
    return least;
}

// Leaves out what keeps too little to matter, also together with what is alike:
// a thousand small ones are much.
static bool
leave_out_small(lg_findings *found)
{
    size_t groups = 0;
    size_t items = 0;
    size_t *number = lg__alloc((found->count + 1) * sizeof *number);
    if (number == NULL)
        return false;
    for (size_t i = 0; i < found->count; i++)
        number[i] = SIZE_MAX;
    for (size_t i = 0; i < found->group_count; i++)
        if (found->groups[i].total >=
            least_of(&found->items[found->groups[i].first])) {
            number[found->groups[i].first] = 0;
            found->groups[groups++] = found->groups[i];
        }
    // The first of a group is its biggest, and so comes before the others.
    for (size_t i = 0; i < found->count; i++) {
        lg_finding item = found->items[i];
        if (number[item.alike] == SIZE_MAX)
            continue;
        if (item.alike == i)
            number[i] = items;
        item.alike = number[item.alike];
        found->items[items++] = item;
    }
    for (size_t i = 0; i < groups; i++)
        found->groups[i].first = number[found->groups[i].first];
    found->count = items;
    found->group_count = groups;
    lg__free(number);
    return true;
}

// Weighs all matches, or those that concern the marked nodes, and groups those
// that are alike. Each match has at most one row of bytes as a holder, two as a
// finding and two as a group. One row is of zeros.
static lg_status
judge(lg__detection *detection, const uint8_t *marked,
      const lg_monitor *monitor, lg_findings *out, lg_error *err)
{
    size_t most = detection->match_count;
    size_t devices = (size_t)detection->graph->device_count + 1;
    lg_findings found = {
        .items = lg__calloc(most + 1, sizeof *found.items),
        .groups = lg__calloc(most + 1, sizeof *found.groups),
        .holders = lg__calloc(most * (1 + LG_OTHERS_LISTED) + 1,
                              sizeof *found.holders),
        .bytes = lg__calloc((5 * most + 1) * devices, sizeof *found.bytes),
    };
    lg_status status =
        found.items && found.groups && found.holders && found.bytes
            ? LG_OK
            : lg__error_memory(err);
    if (status == LG_OK)
        status = lg__matches_weigh(detection, marked, monitor, &found, err);
    if (status == LG_OK)
        status = lg__findings_fold(detection, monitor, &found,
                                   found.bytes + (3 * most + 1) * devices, err);
    if (status == LG_OK && !leave_out_small(&found))
        status = lg__error_memory(err);
    if (status == LG_OK)
        *out = found;
    else
        lg_findings_free(&found);
    return status;
}

// The matches of an analysis. They are kept because finding them takes most of
// the time, and they do not depend on the nodes that a caller asks about.
typedef struct settled {
    lg__cached cached;
    lg__detection detection; // without what only detectors need
} settled;

static void
free_settled(lg__cached *cached)
{
    settled *matches = (settled *)cached;
    lg__detection_free(&matches->detection);
    lg__free(matches);
}

static lg_status
settle(const lg_analysis *analysis, const lg_monitor *monitor, settled **out,
       lg_error *err)
{
    settled *made = lg__calloc(1, sizeof *made);
    if (made == NULL)
        return lg__error_memory(err);
    made->cached.free = free_settled;
    lg_status status = lg__detection_new(analysis, &made->detection, err);
    if (status == LG_OK)
        status = look(&made->detection, monitor, err);
    if (status == LG_OK)
        status = lg__matches_settle(&made->detection, monitor, err);
    if (status != LG_OK) {
        free_settled(&made->cached);
        return status;
    }
    lg__detection_close(&made->detection);
    *out =
        (settled *)lg__cached_keep(analysis, LG__CACHE_MATCHES, &made->cached);
    return LG_OK;
}

static lg_status
find(const lg_analysis *analysis, const uint8_t *marked,
     const lg_monitor *monitor, lg_findings *out, lg_error *err)
{
    settled *matches = (settled *)lg__cached_of(analysis, LG__CACHE_MATCHES);
    lg_status status =
        matches != NULL ? LG_OK : settle(analysis, monitor, &matches, err);
    if (status != LG_OK)
        return status;
    // A copy, because several threads may judge the same matches.
    lg__detection detection = matches->detection;
    size_t nodes = detection.graph->columns.node_count;
    detection.seen = lg__calloc(nodes + 1, sizeof *detection.seen);
    detection.searches = 0;
    status = detection.seen != NULL
                 ? judge(&detection, marked, monitor, out, err)
                 : lg__error_memory(err);
    lg__free(detection.seen);
    return status;
}

lg_status
lg_analysis_findings(const lg_analysis *analysis, const lg_scope *scope,
                     const lg_monitor *monitor, lg_findings *out, lg_error *err)
{
    return find(analysis, lg__scope_marks(scope), monitor, out, err);
}

// Marks a node and all its dominators, because what keeps them keeps the node.
static void
mark_dominators(const lg_analysis *analysis, uint32_t node, uint8_t *marked)
{
    for (; node != LG_NONE && !marked[node];
         node = lg_node_dominator(analysis, node))
        marked[node] = 1;
}

lg_status
lg_nodes_findings(const lg_analysis *analysis, const lg_node *nodes,
                  size_t count, const lg_monitor *monitor, lg_findings *out,
                  lg_error *err)
{
    uint32_t node_count = lg_analysis_graph(analysis)->columns.node_count;
    for (size_t i = 0; i < count; i++)
        if (nodes[i] >= node_count)
            return lg_error_set(err, LG_EINVAL, "there is no node %u",
                                nodes[i]);
    if (count == 0) {
        *out = (lg_findings){0};
        return LG_OK;
    }
    uint8_t *marked = lg__calloc(node_count, sizeof *marked);
    if (marked == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < count; i++)
        mark_dominators(analysis, nodes[i], marked);
    lg_status status = find(analysis, marked, monitor, out, err);
    lg__free(marked);
    return status;
}

lg_status
lg_node_findings(const lg_analysis *analysis, lg_node node,
                 const lg_monitor *monitor, lg_findings *out, lg_error *err)
{
    return lg_nodes_findings(analysis, &node, 1, monitor, out, err);
}

void
lg_findings_free(lg_findings *findings)
{
    for (size_t i = 0; i < findings->holder_count; i++)
        lg_path_free(&findings->holders[i].path);
    lg__free(findings->items);
    lg__free(findings->holders);
    lg__free(findings->groups);
    lg__free(findings->bytes);
    *findings = (lg_findings){0};
}

// Keeps the groups that the baseline does not know.
static void
leave_out_groups(lg_findings *findings, const lg_baseline *baseline)
{
    size_t kept = 0;
    for (size_t i = 0; i < findings->group_count; i++) {
        const lg_finding *first = &findings->items[findings->groups[i].first];
        if (!lg_baseline_knows(baseline, LG_BASELINE_FINDING, first->key))
            findings->groups[kept++] = findings->groups[i];
    }
    findings->group_count = kept;
}

// Keeps the findings that the baseline does not know. moved[i] is the new index
// of a finding. Findings that are alike have one key, and the one that they are
// like comes first.
static void
leave_out_items(lg_findings *findings, const lg_baseline *baseline,
                size_t *moved)
{
    size_t kept = 0;
    for (size_t i = 0; i < findings->count; i++) {
        lg_finding finding = findings->items[i];
        moved[i] = kept;
        if (lg_baseline_knows(baseline, LG_BASELINE_FINDING, finding.key))
            continue;
        finding.alike = moved[finding.alike];
        findings->items[kept++] = finding;
    }
    findings->known += findings->count - kept;
    findings->count = kept;
}

lg_status
lg_findings_leave_out(lg_findings *findings, const lg_baseline *baseline,
                      lg_error *err)
{
    size_t *moved = lg__alloc((findings->count + 1) * sizeof *moved);
    if (moved == NULL)
        return lg__error_memory(err);
    leave_out_groups(findings, baseline);
    leave_out_items(findings, baseline, moved);
    for (size_t i = 0; i < findings->group_count; i++)
        findings->groups[i].first = moved[findings->groups[i].first];
    lg__free(moved);
    return LG_OK;
}

lg_status
lg_findings_note(const lg_graph *graph, const lg_findings *findings,
                 lg_baseline *baseline, lg_error *err)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < findings->group_count && status == LG_OK; i++) {
        const lg_finding *finding = &findings->items[findings->groups[i].first];
        const lg_holder *holder = finding->holders;
        lg_text note = {0};
        lg_text_addf(&note, "%s: ", finding->pattern->name);
        if (holder->path.start != LG_STARTS_NOWHERE)
            lg_path_label(graph, &holder->path, &note);
        else if (holder->node != LG_NONE)
            lg_node_title(graph, holder->node, false, &note);
        lg_string text = {note.data, (uint32_t)note.length};
        status = note.failed ? lg__error_memory(err)
                             : lg_baseline_add(baseline, LG_BASELINE_FINDING,
                                               finding->key, text, err);
        lg_text_free(&note);
    }
    return status;
}
