// Words for known mistakes: what is kept, who keeps it, and what to do.
#include "report/words_findings.h"
#include "analysis/analysis_private.h"
#include "report/report_private.h"

#include <string.h>

enum { HOLDERS_SHOWN = 8 }; // most holders of one finding

lg_status
lg__format_holder_place(const lg_analysis *analysis, const lg_holder *holder,
                        lg_text *out, lg_error *err)
{
    if (holder->node == LG_NONE)
        lg_text_add(out, "C++, which no snapshot sees");
    else if (holder->path.start != LG_STARTS_NOWHERE)
        lg_path_label(lg_analysis_graph(analysis), &holder->path, out);
    else if (lg_node_is_reachable(analysis, holder->node))
        lg_text_add(out, "the interpreter");
    else
        return lg__garbage_format(analysis, holder->node, out, err);
    return LG_OK;
}

// Writes a holder: its place, title and number.
lg_status
lg__format_holder(const lg_analysis *analysis, const lg_holder *holder,
                  lg_text *out, lg_error *err)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    lg_status status = lg__format_holder_place(analysis, holder, out, err);
    if (holder->node == LG_NONE)
        return status;
    lg_text_add(out, "  ");
    lg_node_title(graph, holder->node, false, out);
    lg_text_addf(out, " #%u", holder->node);
    return status;
}

size_t
lg__count_mistakes(const lg_finding *finding)
{
    size_t listed =
        finding->others < LG_OTHERS_LISTED ? finding->others : LG_OTHERS_LISTED;
    return finding->holder_count - listed;
}

// Writes the holders that share what they keep, each with what it frees alone.
lg_status
lg__format_holders(const lg_analysis *analysis, const lg_finding *finding,
                   lg_text *out, lg_error *err)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    size_t shown = finding->holder_count;
    size_t mistakes = lg__count_mistakes(finding);
    if (shown > HOLDERS_SHOWN)
        shown = HOLDERS_SHOWN;
    lg_status status = LG_OK;
    for (size_t i = 0; i < shown && status == LG_OK; i++) {
        lg_text_add(out, i > 0 ? "\nand by " : "");
        status = lg__format_holder(analysis, &finding->holders[i], out, err);
        if (finding->holder_count == 1)
            continue;
        if (i >= mistakes)
            continue;
        lg_text_add(out, ", which frees ");
        lg__format_each(graph, finding->holders[i].retained, out);
        lg_text_add(out, " alone");
    }
    if (shown < mistakes + finding->others) {
        lg_text_add(out, "\nand by ");
        lg_text_add_count(out, mistakes + finding->others - shown);
        lg_text_add(out, " more");
    }
    return status;
}

// Returns the cause at a holder, or the fix.
static const char *
advice_at(const lg_graph *graph, const lg_holder *holder, bool fix)
{
    const char *registry = fix ? lg_holder_registry(graph, holder) : "";
    lg_string name = {registry, (uint32_t)strlen(registry)};
    return fix ? lg_pattern_fix(holder->pattern, name) : holder->pattern->cause;
}

// Returns whether no earlier holder has the same cause or fix.
static bool
is_first(const lg_graph *graph, const lg_finding *finding, size_t index,
         bool fix)
{
    const char *advice = advice_at(graph, &finding->holders[index], fix);
    for (size_t i = 0; i < index; i++)
        if (advice_at(graph, &finding->holders[i], fix) == advice)
            return false;
    return true;
}

// Returns whether the text of the last holder is that of an earlier one, too.
static bool
is_repeated(const lg_text *text, const lg_text *one)
{
    return text->length > 0 && strstr(text->data, one->data) != NULL;
}

// Writes what the snapshot knows of the holders, a sentence each.
void
lg__format_evidence(const lg_graph *graph, const lg_finding *finding,
                    lg_text *out)
{
    for (size_t i = 0; i < finding->holder_count && i < HOLDERS_SHOWN; i++) {
        lg_text one = {0};
        lg_holder_evidence_format(graph, &finding->holders[i], &one);
        if (one.length > 0 && !is_repeated(out, &one))
            lg_text_addf(out, "%s%s", out->length > 0 ? " " : "", one.data);
        out->failed |= one.failed;
        lg_text_free(&one);
    }
}

// Returns whether the holders have several causes, or several fixes.
static bool
has_several(const lg_graph *graph, const lg_finding *finding, bool fix)
{
    for (size_t i = 1; i < finding->holder_count; i++)
        if (is_first(graph, finding, i, fix))
            return true;
    return false;
}

// Writes the causes of all holders, or their fixes, each once. If there are
// several, each has a line that begins with its mistake.
void
lg__format_advice(const lg_graph *graph, const lg_finding *finding, bool fix,
                  lg_text *out)
{
    bool several = has_several(graph, finding, fix);
    for (size_t i = 0; i < finding->holder_count; i++) {
        const lg_holder *holder = &finding->holders[i];
        if (!is_first(graph, finding, i, fix))
            continue;
        lg_text_add(out, i > 0 ? "\n" : "");
        if (several)
            lg_text_addf(out, "%s: ", holder->pattern->name);
        lg_text_add(out, advice_at(graph, holder, fix));
    }
}

// Writes one of the kept objects as an example; none for blocks. A figure's
// title would be that of one among several.
static void
format_kept(const lg_graph *graph, uint32_t example, bool varied, lg_text *out)
{
    if (!varied && lg__node_category(graph, example) != LG_CATEGORY_FIGURE) {
        lg__format_node(graph, example, out);
        return;
    }
    uint32_t type = lg_columns_type(&graph->columns, example);
    lg__text_add_string(out, lg__last_part(lg_graph_type(graph, type).name));
}

void
lg__format_kept(const lg_graph *graph, uint64_t count, uint64_t of_type,
                uint32_t example, bool varied, lg_text *out)
{
    lg_text_add_count(out, count);
    if (example == LG_NONE) {
        lg_text_add(out, count == 1 ? " block" : " blocks");
        return;
    }
    if (of_type < count) {
        lg_text_add(out, " objects, ");
        lg_text_add_count(out, of_type);
        lg_text_add(out, " of them");
    } else {
        lg_text_add(out, " x");
    }
    lg_text_add(out, " ");
    format_kept(graph, example, varied || of_type < count, out);
}

void
lg__format_freed(const lg_graph *graph, const uint64_t *retained,
                 const uint64_t *freed, lg_text *out)
{
    uint64_t kept = 0;
    for (uint32_t i = 0; i <= lg_graph_device_count(graph); i++)
        kept += retained[i] - freed[i];
    if (kept == 0)
        return;
    lg_text_add(out, "; the fix alone frees ");
    lg__format_each(graph, freed, out);
}

void
lg__format_mistake(const lg_graph *graph, const lg_pattern *pattern,
                   const uint64_t *retained, lg_text *out)
{
    lg_text_addf(out, "%s: ", pattern->name);
    lg__format_each(graph, retained, out);
    lg_text_add(out, ", ");
}
