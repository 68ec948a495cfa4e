// Formats the dominator tree as an indented tree of shares.
#include "analysis/analysis_private.h"
#include "paths/paths_private.h"
#include "report/report_private.h"

#include <leakgraph/options.h>

// The depth is limited, because a list of a million links dominates itself link
// by link.
enum { DEPTH_SHOWN = 24, ROWS_SHOWN = 400 };

typedef struct report {
    const lg_analysis *analysis;
    const lg_graph *graph;
    lg_dominator_tree tree;
    lg_table *table;
} report;

static uint32_t
dominator_of(const report *to, const lg_dominator_row *row)
{
    return row->parent == LG_NONE ? LG_NONE : to->tree.rows[row->parent].node;
}

// Names a direct reference from the dominator: `.x`, or `Other.x` if another
// member of its cycle has it.
static void
format_reference(const report *to, const lg_dominator_row *row, lg_text *out)
{
    if (row->hop.edge_count == 0)
        return;
    if (row->hop.source == dominator_of(to, row)) {
        lg_hop_label(to->graph, &row->hop, out);
        return;
    }
    lg__format_node(to->graph, row->hop.source, out);
    lg__format_label(to->graph, &row->hop, out);
}

enum { NODE, DEPTH, DOMINATOR, LABEL, RETAINED, SHARE, OBJECT, COLUMNS };

static const lg__column columns[COLUMNS] = {
    [NODE] = {"node", .type = LG_COLUMN_NODE, .faces = LG__IN_DATA},
    [DEPTH] = {"depth", .type = LG_COLUMN_COUNT, .faces = LG__IN_DATA},
    [DOMINATOR] = {"dominator", .type = LG_COLUMN_NODE, .faces = LG__IN_DATA},
    [LABEL] = {"label", .type = LG_COLUMN_PATH, .faces = LG__IN_DATA},
    [RETAINED] = {"retained", .type = LG_COLUMN_SIZE, .least = 12},
    [SHARE] = {NULL, "share", .type = LG_COLUMN_SHARE, .faces = LG__SHOWN,
               .least = 9},
    [OBJECT] = {NULL, "object", .faces = LG__SHOWN, .gap = 2,
                .tree = LG__BRANCHED},
};

static void
put_sizes(report *to, const lg_dominator_row *row)
{
    lg__put_each(to->table, RETAINED, row->retained);
    lg__put_share(to->table, SHARE, row->total, to->tree.total);
}

static void
put_top(report *to, const lg_dominator_row *row)
{
    lg__table_heading_row(to->table);
    put_sizes(to, row);
    lg__put_literal(to->table, OBJECT,
                    row->top == LG_TOP_GARBAGE
                        ? "garbage"
                        : "everything that the roots reach");
}

static void
put_row(report *to, const lg_dominator_row *row)
{
    lg_table *table = to->table;
    lg_text label = {0};
    lg_text object = {0};
    lg__table_row(table);
    lg__table_set_depth(table, row->depth);
    lg__put_node(table, NODE, to->graph, row->node);
    lg__put_count(table, DEPTH, row->depth);
    lg__put_node(table, DOMINATOR, to->graph, dominator_of(to, row));
    format_reference(to, row, &object);
    format_reference(to, row, &label);
    if (object.length > 0)
        lg_text_add(&object, "  ");
    lg_node_title(to->graph, row->node, false, &object);
    lg_text_addf(&object, " #%u", row->node);
    lg__format_garbage_component(to->analysis, row->node, &object);
    lg__put_formatted(table, LABEL, &label);
    lg__put_formatted(table, OBJECT, &object);
    put_sizes(to, row);
}

static void
put_facts(report *to)
{
    static const lg__column facts[] = {
        {"left_out", .type = LG_COLUMN_COUNT},
        {"reachable", .type = LG_COLUMN_SIZE},
        {"garbage", .type = LG_COLUMN_SIZE},
    };
    lg_table *known = lg__table_facts(to->table, facts, 3);
    uint32_t root = to->graph->columns.node_count;
    lg__put_count(known, 0, to->tree.left_out);
    lg__put_retained(known, 1, to->analysis, lg__dominated_on, root);
    lg__put_retained(known, 2, to->analysis, lg__dominated_on, root + 1);
}

static void
put_end(report *to, bool scoped, double min_share)
{
    lg_text below = {0};
    lg_text_add(&below, "\neach object shows what is freed with it");
    if (min_share > 0) {
        lg_text_add(&below, "; objects that retain less than ");
        lg__format_share((uint64_t)(min_share * 1000 + 0.5), 1000, &below);
        lg_text_add(&below, " are left out");
    }
    if (to->tree.left_out > 0) {
        lg_text_add(&below, min_share > 0 ? ", and " : "; ");
        lg_text_add_count(&below, to->tree.left_out);
        lg_text_add(&below, min_share > 0 ? " more" : " more are left out");
    }
    if (scoped)
        lg_text_add(&below, "; only what the chosen modules hold is shown, and "
                            "what leads there");
    lg_text_add(&below, "\n");
    lg__table_format_below(to->table, &below);
}

lg_status
lg_tabulate_dominators(const lg_analysis *analysis,
                       const lg_dominator_options *given, lg_table **out,
                       lg_error *err)
{
    report to = {.analysis = analysis, .graph = analysis->graph};
    lg_dominator_options asked = LG_DOMINATOR_OPTIONS_INIT;
    lg_status status =
        lg_options_read(&asked, given, "lg_dominator_options", err);
    const lg_dominator_options options = {.size = sizeof options,
                                          .node = asked.node,
                                          .min_share = asked.min_share,
                                          .limit = ROWS_SHOWN,
                                          .depth = DEPTH_SHOWN,
                                          .scope = asked.scope};
    if (status == LG_OK)
        status =
            lg_analysis_dominator_tree(analysis, &options, NULL, &to.tree, err);
    if (status != LG_OK)
        return status;
    to.table = lg__table_new(to.graph, (lg__layout){0}, columns, COLUMNS);
    for (size_t i = 0; i < to.tree.count; i++) {
        const lg_dominator_row *row = &to.tree.rows[i];
        (row->top == LG_TOP_OBJECT ? put_row : put_top)(&to, row);
    }
    put_facts(&to);
    put_end(&to, asked.scope != NULL, asked.min_share);
    lg_dominator_tree_free(&to.tree);
    return lg__table_finish(to.table, out, err);
}

lg_status
lg_report_dominators(const lg_analysis *analysis,
                     const lg_dominator_options *options, lg_format format,
                     lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    lg_status status = lg_tabulate_dominators(analysis, options, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}
