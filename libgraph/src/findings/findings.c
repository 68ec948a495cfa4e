// Runs every detector, and computes what the matches retain.
#include "findings/context.h"

#include <stdlib.h>
#include <string.h>

enum {
    WEIGHED_EXACTLY = 64
}; // for the others, the sum of what each thing retains alone

const lg_pattern *
lg_pattern_at(size_t index)
{
    return index < lg__detector_count ? &lg__detectors[index].pattern : NULL;
}

static lg_status
look(lg__detection *detection, const lg_monitor *monitor, lg_error *err)
{
    for (uint32_t i = 0; i < lg__detector_count; i++) {
        double done = (double)i / (double)lg__detector_count;
        if (!lg__monitor_goes_on(monitor, "looking for mistakes", done, err))
            return LG_ECANCELLED;
        detection->pattern = i;
        lg__detectors[i].look(detection);
        if (detection->failed)
            return lg__error_memory(err);
    }
    return LG_OK;
}

// The container that owns the holder of a match, with others like it; LG_NONE.
static uint32_t
shelf_of(const lg__detection *detection, const lg__match *match)
{
    uint32_t owner =
        match->holder == LG_NONE
            ? LG_NONE
            : lg_node_dominator(detection->analysis, match->holder);
    return owner != LG_NONE &&
                   (lg__type_bits_of(detection, owner) & LG__TYPE_CONTAINER) &&
                   detection->walk.fold[owner].owner == LG_NONE
               ? owner
               : LG_NONE;
}

static bool
append_all(lg__gathered *to, const lg__gathered *from)
{
    for (size_t i = 0; i < from->count; i++)
        if (!lg__gather_append(to, from->items[i]))
            return false;
    return true;
}

static bool
take_over(lg__match *to, lg__match *from)
{
    bool taken = append_all(&to->kept, &from->kept) &&
                 append_all(&to->along, &from->along);
    if (taken)
        lg__match_free(from);
    return taken;
}

// Merges exceptions in one list, or callbacks in one dict, to one finding about
// the container.
static lg_status
merge(lg__detection *detection, lg_error *err)
{
    uint32_t *first = calloc(detection->graph->columns.node_count + (size_t)1,
                             sizeof *first); // 1 + the match of that container
    size_t kept = 0;
    if (first == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < detection->match_count && !detection->failed; i++) {
        lg__match *match = &detection->matches[i];
        uint32_t shelf = shelf_of(detection, match);
        lg__match *before = shelf != LG_NONE && first[shelf] != 0
                                ? &detection->matches[first[shelf] - 1]
                                : NULL;
        if (before != NULL && before->pattern == match->pattern) {
            before->holder = shelf;
            detection->failed |= !take_over(before, match);
            continue;
        }
        if (kept < i) {
            detection->matches[kept] = *match;
            *match = (lg__match){.holder = LG_NONE};
        }
        if (shelf != LG_NONE)
            first[shelf] = (uint32_t)++kept;
        else
            kept++;
    }
    if (!detection->failed)
        detection->match_count = kept;
    free(first);
    return detection->failed ? lg__error_memory(err) : LG_OK;
}

static void
add_retained(const lg__detection *detection, uint32_t node, uint64_t *bytes)
{
    for (uint32_t i = 0; i <= detection->graph->device_count; i++)
        bytes[i] += lg_node_retained_on(detection->analysis, node, i);
}

// A lower bound of what the match keeps: each thing alone, each byte counted
// once.
static void
weigh_roughly(lg__detection *detection, const lg__match *match, uint64_t *bytes)
{
    detection->searches++;
    for (size_t i = 0; i < match->kept.count; i++)
        detection->seen[match->kept.items[i]] = detection->searches;
    for (size_t i = 0; i < match->kept.count; i++) {
        uint32_t node = match->kept.items[i];
        uint32_t at = lg_node_dominator(detection->analysis, node);
        while (at != LG_NONE && detection->seen[at] != detection->searches)
            at = lg_node_dominator(detection->analysis, at);
        if (at == LG_NONE)
            add_retained(detection, node, bytes);
    }
}

// What would be freed if the match's things, and what goes with them, went.
static lg_status
weigh_exactly(lg__detection *detection, const lg__match *match,
              const lg_monitor *monitor, uint64_t *bytes, lg_error *err)
{
    lg__gathered all = {0};
    lg_status status =
        append_all(&all, &match->kept) && append_all(&all, &match->along)
            ? lg_nodes_retained_each(detection->analysis, all.items, all.count,
                                     monitor, bytes, err)
            : lg__error_memory(err);
    free(all.items);
    return status;
}

// `bytes` are zero.
static lg_status
weigh(lg__detection *detection, const lg__match *match, bool exactly,
      const lg_monitor *monitor, uint64_t *bytes, lg_finding *out,
      lg_error *err)
{
    *out = (lg_finding){
        .pattern = &lg__detectors[match->pattern].pattern,
        .holder = match->holder,
        .example = match->kept.count > 0 ? match->kept.items[0] : LG_NONE,
        .count = match->kept.count + match->unseen,
        .retained = bytes,
        .path = {.root = {.node = LG_NONE, .kind = LG_ROOT_NONE}},
    };
    lg_status status = LG_OK;
    if (match->kept.count == 1 && match->along.count == 0)
        add_retained(detection, out->example, bytes);
    else if (exactly && match->kept.count > 0)
        status = weigh_exactly(detection, match, monitor, bytes, err);
    else
        weigh_roughly(detection, match, bytes);
    for (uint32_t i = 0; i <= detection->graph->device_count; i++) {
        bytes[i] += match->unseen_bytes != NULL ? match->unseen_bytes[i] : 0;
        out->total += bytes[i];
    }
    return status;
}

static int
biggest_first(const void *left, const void *right)
{
    const lg_finding *a = left;
    const lg_finding *b = right;
    if (a->total != b->total)
        return a->total > b->total ? -1 : 1;
    if (a->pattern != b->pattern)
        return a->pattern < b->pattern ? -1 : 1;
    return a->holder < b->holder ? -1 : a->holder > b->holder;
}

// Returns whether a node on the path is the holder of the match or one of the
// things that it keeps.
static bool
concerns(const lg__match *match, const uint8_t *marked)
{
    if (match->holder != LG_NONE && marked[match->holder])
        return true;
    for (size_t i = 0; i < match->kept.count; i++)
        if (marked[match->kept.items[i]])
            return true;
    return false;
}

static lg_status
weigh_all(lg__detection *detection, const uint8_t *marked,
          const lg_monitor *monitor, lg_findings *found, lg_error *err)
{
    size_t devices = (size_t)detection->graph->device_count + 1;
    bool exactly = detection->match_count <= WEIGHED_EXACTLY;
    lg_status status = LG_OK;
    for (size_t i = 0; i < detection->match_count && status == LG_OK; i++) {
        const lg__match *match = &detection->matches[i];
        uint64_t *bytes = found->bytes + found->count * devices;
        lg_finding *at = &found->items[found->count];
        if (marked != NULL && !concerns(match, marked))
            continue;
        memset(bytes, 0, devices * sizeof *bytes);
        status = weigh(detection, match, exactly, monitor, bytes, at, err);
        if (status == LG_OK && at->total >= lg__detectors[match->pattern].least)
            found->count++;
    }
    qsort(found->items, found->count, sizeof *found->items, biggest_first);
    return status;
}

// Of all matches, or of those that concern the marked nodes: weighed, and
// those that are alike together.
static lg_status
judge(lg__detection *detection, const uint8_t *marked,
      const lg_monitor *monitor, lg_findings *out, lg_error *err)
{
    size_t most = detection->match_count;
    size_t devices = (size_t)detection->graph->device_count + 1;
    lg_findings found = {
        .items = calloc(most + 1, sizeof *found.items),
        .groups = calloc(most + 1, sizeof *found.groups),
        .bytes = calloc(2 * most * devices + 1, sizeof *found.bytes),
    };
    lg_status status = found.items && found.groups && found.bytes
                           ? LG_OK
                           : lg__error_memory(err);
    if (status == LG_OK)
        status = weigh_all(detection, marked, monitor, &found, err);
    if (status == LG_OK)
        status = lg__findings_fold(detection, monitor, &found,
                                   found.bytes + most * devices, err);
    if (status == LG_OK)
        *out = found;
    else
        lg_findings_free(&found);
    return status;
}

static lg_status
find(const lg_analysis *analysis, const uint8_t *marked,
     const lg_monitor *monitor, lg_findings *out, lg_error *err)
{
    lg__detection detection;
    lg_status status = lg__detection_new(analysis, &detection, err);
    if (status != LG_OK)
        return status;
    status = look(&detection, monitor, err);
    if (status == LG_OK)
        status = merge(&detection, err);
    if (status == LG_OK)
        status = judge(&detection, marked, monitor, out, err);
    lg__detection_free(&detection);
    return status;
}

lg_status
lg_analysis_findings(const lg_analysis *analysis, const lg_monitor *monitor,
                     lg_findings *out, lg_error *err)
{
    return find(analysis, NULL, monitor, out, err);
}

// Marks a node and all its dominators: what keeps them keeps the node.
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
    uint8_t *marked = calloc(node_count, sizeof *marked);
    if (marked == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < count; i++)
        mark_dominators(analysis, nodes[i], marked);
    lg_status status = find(analysis, marked, monitor, out, err);
    free(marked);
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
    for (size_t i = 0; i < findings->count; i++)
        lg_path_free(&findings->items[i].path);
    free(findings->items);
    free(findings->groups);
    free(findings->bytes);
    *findings = (lg_findings){0};
}
