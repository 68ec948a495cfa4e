// Leaves out findings that a baseline knows.
#include "findings/context.h"

#include <stdlib.h>

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
