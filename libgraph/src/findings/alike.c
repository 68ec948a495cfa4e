// Finds findings that are alike, by facts: their pattern, what keeps what, and
// where.
#include "findings/alike.h"

#include <leakgraph/internal/facts.h>
#include "paths/paths_private.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

typedef struct entry {
    size_t index;  // index of the finding
    lg_text facts; // equal for findings that are alike
} entry;

// Adds the facts of garbage: what it is part of.
static void
add_garbage(const lg__detection *detection, uint32_t node, lg_text *out)
{
    const lg__hop_walk *walk = &detection->walk;
    if (lg__garbage_component_of(detection->analysis, node) != LG_NONE) {
        lg_text_add(out, "\ncycle");
        return;
    }
    uint32_t dominator = lg_node_dominator(detection->analysis, node);
    dominator = lg__seen_node(walk->fold, dominator);
    lg__sort_common(detection->graph, dominator, out);
    if (dominator == LG_NONE || dominator == node)
        return;
    lg_hop hop = lg__hop_between(walk, dominator, node);
    if (hop.edge_count > 0)
        lg__hop_facts(detection->graph, &hop, out);
}

// Finds the path to a holder, and the reference to the kept thing where that is
// the one to cut.
static lg_status
find_path(const lg__detection *detection, const lg_monitor *monitor,
          lg__finder *finder, lg_holder *holder, lg_error *err)
{
    uint32_t end = holder->source != LG_NONE ? holder->source : holder->node;
    lg_status status =
        lg__finder_path(finder, end, monitor, &holder->path, err);
    if (status != LG_OK || holder->source == LG_NONE)
        return status;
    lg_hop hop = lg__hop_between(&detection->walk, end, holder->node);
    return hop.edge_count == 0 ? LG_OK
                               : lg__path_extend(&holder->path, &hop, 1, err);
}

static lg_status
find_facts(const lg__detection *detection, const lg_monitor *monitor,
           lg__finder *finder, lg_holder *holder, lg_text *out, lg_error *err)
{
    lg_status status = LG_OK;
    lg_text_add(out, holder->pattern->name);
    lg__sort_common(detection->graph, holder->node, out);
    lg__sort_common(detection->graph, holder->example, out);
    if (holder->node != LG_NONE &&
        !lg_node_is_reachable(detection->analysis, holder->node)) {
        add_garbage(detection, holder->node, out);
    } else if (holder->node != LG_NONE) {
        status = find_path(detection, monitor, finder, holder, err);
        if (status == LG_OK)
            lg__path_common(detection->graph, &holder->path, out);
        else if (status == LG_ENOTFOUND)
            status = LG_OK;
    }
    return status == LG_OK && out->failed ? lg__error_memory(err) : status;
}

static bool
strings_differ(lg_string a, lg_string b)
{
    return a.length != b.length || memcmp(a.data, b.data, a.length) != 0;
}

bool
lg__examples_differ(const lg_graph *graph, uint32_t a, uint32_t b)
{
    if (a == LG_NONE || b == LG_NONE)
        return false;
    lg_category category = lg__node_category(graph, a);
    if (category == LG_CATEGORY_CONTAINER || category == LG_CATEGORY_FIGURE)
        return false;
    return strings_differ(lg_node_text(graph, a), lg_node_text(graph, b)) ||
           strings_differ(lg_node_fact_text(graph, a, "device"),
                          lg_node_fact_text(graph, b, "device"));
}

static int
compare_facts(const entry *a, const entry *b)
{
    size_t shorter =
        a->facts.length < b->facts.length ? a->facts.length : b->facts.length;
    int order = memcmp(a->facts.data, b->facts.data, shorter);
    return order != 0 ? order
                      : (a->facts.length > b->facts.length) -
                            (a->facts.length < b->facts.length);
}

static int
by_facts(const void *left, const void *right)
{
    const entry *a = left;
    const entry *b = right;
    int order = compare_facts(a, b);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static int
biggest_first(const void *left, const void *right)
{
    const lg_finding_group *a = left;
    const lg_finding_group *b = right;
    if (a->total != b->total)
        return a->total > b->total ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static void
join(const lg_graph *graph, lg_findings *findings, size_t index,
     lg_finding_group *group, uint64_t *bytes)
{
    lg_finding *finding = &findings->items[index];
    uint32_t example = findings->items[group->first].holders->example;
    finding->alike = group->first;
    group->findings++;
    group->count += finding->count;
    group->of_type += finding->of_type;
    group->total += finding->total;
    group->freed_total += finding->freed_total;
    group->varied |=
        finding->varied ||
        lg__examples_differ(graph, example, finding->holders->example);
    for (uint32_t i = 0; i <= graph->device_count; i++) {
        bytes[i] += finding->retained[i];
        bytes[graph->device_count + 1 + i] += finding->freed[i];
    }
}

static void
group(const lg_graph *graph, entry *entries, lg_findings *findings,
      uint64_t *bytes)
{
    size_t devices = (size_t)graph->device_count + 1;
    qsort(entries, findings->count, sizeof *entries, by_facts);
    for (size_t i = 0; i < findings->count; i++) {
        if (i == 0 || compare_facts(&entries[i], &entries[i - 1]) != 0) {
            bytes += i > 0 ? 2 * devices : 0;
            findings->groups[findings->group_count++] =
                (lg_finding_group){.first = entries[i].index,
                                   .retained = bytes,
                                   .freed = bytes + devices};
        }
        join(graph, findings, entries[i].index,
             &findings->groups[findings->group_count - 1], bytes);
    }
    qsort(findings->groups, findings->group_count, sizeof *findings->groups,
          biggest_first);
}

lg_status
lg__findings_fold(const lg__detection *detection, const lg_monitor *monitor,
                  lg_findings *findings, uint64_t *bytes, lg_error *err)
{
    lg__finder finder = {.graph = detection->graph};
    entry *entries = lg__calloc(findings->count + 1, sizeof *entries);
    lg_status status = entries ? LG_OK : lg__error_memory(err);
    for (size_t i = 0; i < findings->count && status == LG_OK; i++) {
        const lg_finding *finding = &findings->items[i];
        lg_holder *holder =
            &findings->holders[finding->holders - findings->holders];
        entries[i].index = i;
        for (size_t j = 0; j < finding->holder_count && status == LG_OK; j++)
            status = find_facts(detection, monitor, &finder, &holder[j],
                                &entries[i].facts, err);
    }
    for (size_t i = 0; i < findings->count && status == LG_OK; i++)
        findings->items[i].key =
            XXH3_64bits(entries[i].facts.data, entries[i].facts.length);
    if (status == LG_OK)
        group(detection->graph, entries, findings, bytes);
    for (size_t i = 0; entries != NULL && i < findings->count; i++)
        lg_text_free(&entries[i].facts);
    lg__free(entries);
    lg__finder_free(&finder);
    return status;
}
