// Writes the text of a cycle: the group that it represents, what to cut, and
// what keeps it.
#include "report/cycle_text.h"

enum { TYPES_SHOWN = 4 };

static const lg_cycle *
cycle_of(const lg__cycle_text *to)
{
    return &to->cycles->items[to->index];
}

static const lg_cycle_group *
group_of(const lg__cycle_text *to)
{
    return &to->cycles->groups[cycle_of(to)->group];
}

static void
format_count(uint64_t count, const char *one, const char *many, lg_text *out)
{
    lg_text_add_count(out, count);
    lg_text_add(out, count == 1 ? one : many);
}

static void
format_members(const lg_graph *graph, const lg_cycle *cycle, lg_text *out)
{
    format_count(cycle->objects, " object (", " objects (", out);
    for (size_t i = 0; i < cycle->type_count && i < TYPES_SHOWN; i++) {
        const lg_cycle_type *type = &cycle->types[i];
        lg_text_add(out, i > 0 ? ", " : "");
        if (type->count > 1) {
            lg_text_add_count(out, type->count);
            lg_text_add(out, " ");
        }
        lg__text_add_string(out, lg_graph_type(graph, type->type).name);
    }
    if (cycle->type_count > TYPES_SHOWN)
        lg_text_addf(out, ", %zu more type%s", cycle->type_count - TYPES_SHOWN,
                     cycle->type_count - TYPES_SHOWN == 1 ? "" : "s");
    lg_text_add(out, ")");
}

static bool
is_library(const lg_cycle *cycle)
{
    return cycle->library.length > 0;
}

// Writes the headline of a cycle, or of some cycles of one library.
static void
format_headline(const lg_graph *graph, const lg_cycle *cycle, size_t count,
                const uint64_t *retained, lg_text *out)
{
    lg_text_addf(out, "%s · ", lg_cycle_kind_name(cycle->kind));
    if (is_library(cycle)) {
        format_count(count, " cycle of ", " cycles of ", out);
        lg__text_add_string(out, cycle->library);
    } else {
        format_members(graph, cycle, out);
    }
    lg_text_add(out, count == 1 ? " · retains " : " · retain ");
    lg__format_each(graph, retained, out);
}

void
lg_cycle_headline(const lg_graph *graph, const lg_cycle *cycle, lg_text *out)
{
    format_headline(graph, cycle, 1, cycle->retained, out);
}

void
lg__cycle_format_headline(const lg__cycle_text *to, lg_text *out)
{
    const lg_cycle *cycle = cycle_of(to);
    const lg_cycle_group *group = group_of(to);
    lg_text_addf(out, "%2zu. ", to->index + 1);
    if (is_library(cycle))
        format_headline(to->graph, cycle, group->count, group->retained, out);
    else
        lg_cycle_headline(to->graph, cycle, out);
}

static uint32_t
owner_type(const lg_graph *graph, uint32_t node)
{
    return graph->columns.type[lg__graph_seen_node(graph, node)];
}

// Writes that objects of other types have references of this name, too.
static void
format_other_types(const lg_graph *graph, const lg_cycle_cut *cut, lg_text *out)
{
    uint32_t own = owner_type(graph, cut->hop.source);
    uint32_t other = own;
    for (size_t i = 0; i < cut->alike; i++) {
        uint32_t type = owner_type(graph, lg_edge_source(graph, cut->edges[i]));
        if (type == own || type == other)
            continue;
        if (other != own) {
            lg_text_add(out, " and other types");
            return;
        }
        lg_text_add(out, ", also of ");
        lg__text_add_string(out,
                            lg__last_part(lg_graph_type(graph, type).name));
        other = type;
    }
}

static void
format_alike(const lg_graph *graph, const lg_cycle_cut *cut, lg_text *out)
{
    if (cut->alike == 0)
        return;
    lg_text_add(out, "and ");
    if (cut->alike == 1)
        lg_text_add(out, "one");
    else
        lg_text_add_count(out, cut->alike);
    lg_text_add(out, " more like it");
    format_other_types(graph, cut, out);
    lg_text_add(out, "\n");
}

// Writes the cuts after the first one, and what is not listed.
static void
format_more(const lg_graph *graph, const lg_cycle *cycle, lg_text *out)
{
    for (size_t i = 1; i < cycle->cut_count; i++) {
        lg_text_add(out, "and ");
        lg__format_cut(graph, cycle, &cycle->cuts[i], out);
        lg_text_add(out, "\n");
        format_alike(graph, &cycle->cuts[i], out);
    }
    if (cycle->more > 0) {
        lg_text_add(out, cycle->more_least ? "and at least " : "and ");
        format_count(cycle->more, " other reference\n", " other references\n",
                     out);
    }
}

void
lg__cycle_format_cuts(const lg_graph *graph, const lg_cycle *cycle,
                      lg_text *out)
{
    if (cycle->cut_count == 0) {
        if (cycle->left != LG_CUT_NONE)
            lg_text_addf(out, "nothing to cut: %s\n",
                         lg__cut_words(cycle->left));
        return;
    }
    lg_text_add(out, "cut ");
    lg_cycle_advice(graph, cycle, out);
    lg_text_add(out, "\n");
    format_alike(graph, &cycle->cuts[0], out);
    format_more(graph, cycle, out);
    if (cycle->cut_count > 1 || cycle->cuts[0].alike > 0 || cycle->more > 0) {
        lg__text_cut(out, out->length > 0 ? out->length - 1 : 0);
        lg_text_add(out, cycle->left == LG_CUT_NONE
                             ? ": cut them all to leave no cycle\n"
                             : ": cut them all to leave no other cycle\n");
    }
    if (cycle->left != LG_CUT_NONE)
        lg_text_addf(out, "a cycle is left: %s\n", lg__cut_words(cycle->left));
}

void
lg__cycle_format_holder(const lg_graph *graph, const lg_cycle *cycle,
                        lg_text *out)
{
    if (cycle->path.start != LG_STARTS_NOWHERE)
        lg_path_label(graph, &cycle->path, out);
    else
        lg_text_add(out, "the interpreter");
}

static void
format_keeper(const lg_graph *graph, const lg_cycle *cycle, lg_text *out)
{
    switch (cycle->kind) {
    case LG_CYCLE_COLLECTABLE:
        lg_text_add(out, "the next gc.collect() frees it");
        break;
    case LG_CYCLE_UNCOLLECTABLE:
        lg_text_add(out, "gc.collect() cannot free it: ");
        lg__format_reason(graph, cycle->reason, cycle->culprit, out);
        break;
    default:
        lg_text_add(out, "held by ");
        lg__cycle_format_holder(graph, cycle, out);
    }
}

static void
format_group(const lg__cycle_text *to, lg_text *out)
{
    const lg_cycle_group *group = group_of(to);
    if (group->count == 1)
        return;
    lg_text_add(out, to->cycles->grouped < to->cycles->total ? "\nand at least "
                                                             : "\nand ");
    lg_text_add_count(out, group->count - 1);
    lg_text_add(out, " more like it; together they retain ");
    lg__format_each(to->graph, group->retained, out);
}

void
lg__cycle_format_kept(const lg__cycle_text *to, lg_text *out)
{
    format_keeper(to->graph, cycle_of(to), out);
    format_group(to, out);
}

// Writes the lines about some cycles of one library.
static void
format_library(const lg_graph *graph, const lg_cycle *cycle, size_t count,
               lg_text *out)
{
    lg_text_add(out,
                "the library's own structure, where there is nothing to cut");
    if (cycle->kind == LG_CYCLE_COLLECTABLE) {
        lg_text_add(out, count == 1 ? "; the next gc.collect() frees it"
                                    : "; the next gc.collect() frees them");
        return;
    }
    lg_text_add(out, "\n");
    format_keeper(graph, cycle, out);
}

void
lg_cycle_explanation(const lg_graph *graph, const lg_cycle *cycle, lg_text *out)
{
    if (is_library(cycle)) {
        format_library(graph, cycle, 1, out);
        return;
    }
    lg__cycle_format_cuts(graph, cycle, out);
    format_keeper(graph, cycle, out);
}

void
lg__cycle_format_body(const lg__cycle_text *to, lg_text *out)
{
    const lg_cycle *cycle = cycle_of(to);
    if (is_library(cycle)) {
        format_library(to->graph, cycle, group_of(to)->count, out);
        return;
    }
    if (cycle->shortest.count > 0)
        lg__format_cycle(to->graph, &cycle->shortest, cycle->cut, "", out);
    lg_cycle_explanation(to->graph, cycle, out);
    format_group(to, out);
}
