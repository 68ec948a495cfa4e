// Formats the dominator tree as an indented tree of shares.
#include "analysis/analysis_private.h"
#include "paths/paths_private.h"
#include "report/report_private.h"

#include <leakgraph/internal/options.h>

// The depth is limited, because a list of a million links dominates itself link
// by link.
enum { DEPTH_SHOWN = 24, ROWS_SHOWN = 400 };

// Names a direct reference from the dominator: `.x`, or `Other.x` if another
// member of its cycle has it. Several objects have none in common but `[*]`.
static void
write_label(const lg_ask *ask, const void *tree, const void *row, lg_text *out)
{
    const lg_dominator_row *of = row;
    (void)tree;
    if (of->hop.edge_count == 0)
        return;
    if (of->count > 1) {
        if (lg__hop_is_position(ask->graph, &of->hop))
            lg_text_add(out, "[*]");
        return;
    }
    if (!of->by_member) {
        lg_hop_label(ask->graph, &of->hop, out);
        return;
    }
    lg__format_node(ask->graph, of->hop.source, out);
    lg__format_label(ask->graph, &of->hop, out);
}

// Writes `12 x list #17`: titles differ, and the biggest has the number.
static void
write_several(const lg_graph *graph, const lg_dominator_row *row, lg_text *out)
{
    uint32_t type = lg_columns_type(&graph->columns, row->node);
    lg_text_add_count(out, row->count);
    lg_text_add(out, " x ");
    lg__text_add_string(out, lg__last_part(lg_graph_type(graph, type).name));
    lg_text_addf(out, " #%u", row->node);
}

static void
write_object(const lg_ask *ask, const void *tree, const void *row, lg_text *out)
{
    const lg_dominator_row *of = row;
    if (of->top != LG_TOP_OBJECT) {
        lg_text_add(out, of->top == LG_TOP_GARBAGE
                             ? "garbage"
                             : "everything that the roots reach");
        return;
    }
    write_label(ask, tree, row, out);
    if (out->length > 0)
        lg_text_add(out, "  ");
    if (of->count > 1) {
        write_several(ask->graph, of, out);
        return;
    }
    lg_node_title(ask->graph, of->node, false, out);
    lg_text_addf(out, " #%u", of->node);
    lg__format_garbage_component(ask->analysis, of->node, out);
}

static void
put_dominator(const lg_ask *ask, const void *tree, const void *row,
              const lg_field *field, lg_table *table, size_t column)
{
    const uint32_t parent = ((const lg_dominator_row *)row)->parent;
    const lg_dominator_row *rows = ((const lg_dominator_tree *)tree)->rows;
    (void)field;
    lg__put_node(table, column, ask->graph,
                 parent == LG_NONE ? LG_NONE : rows[parent].node);
}

static bool
is_top(const void *row)
{
    return ((const lg_dominator_row *)row)->top != LG_TOP_OBJECT;
}

static void
set_depth(const lg_ask *ask, const void *tree, size_t row, lg_table *table)
{
    (void)ask;
    lg__table_set_depth(table,
                        ((const lg_dominator_tree *)tree)->rows[row].depth);
}

#define ROW(member) .offset = offsetof(lg_dominator_row, member)
#define IN_DATA .look = {.in = LG_IN_DATA}

static const lg_field fields[] = {
    {"node", NULL, "the object; of several, the biggest", LG_COLUMN_NODE,
     ROW(node), IN_DATA},
    {"count", NULL,
     "1, or number of objects of a type that have a row together",
     LG_COLUMN_COUNT, ROW(count), IN_DATA},
    {"type", NULL, "module and qualified name of its type", ROW(node),
     .of = LG_FIELD_TYPE, IN_DATA},
    {"title", NULL, "the object in a few words", ROW(node),
     .of = LG_FIELD_TITLE, IN_DATA},
    {"depth", NULL, "1 below the roots, 0 of a target", LG_COLUMN_COUNT,
     ROW(depth), .of = LG_FIELD_SHORT, IN_DATA},
    {"dominator", NULL, "its immediate dominator, or None", LG_COLUMN_NODE,
     .put = put_dominator, .optional = true, IN_DATA},
    {"label", NULL,
     "of a reference from the dominator: `.x`, `[0]`; None if there is none",
     LG_COLUMN_PATH, .write = write_label, .optional = true, IN_DATA},
    {"retained", NULL, "what you would free with it, or with all of them",
     LG_COLUMN_SIZE, ROW(retained), .look = {.least = 12}},
    {.heading = "share",
     .type = LG_COLUMN_SHARE,
     ROW(total),
     .whole = offsetof(lg_dominator_tree, total),
     .look = {.in = LG_SHOWN, .least = 9}},
    {.heading = "object",
     .write = write_object,
     .look = {.in = LG_SHOWN, .gap = 2, .branched = true}},
    {0},
};

typedef struct tree_options {
    lg_dominator_options tree; // comes first: options name its members
    lg_node target;
} tree_options;

static void
put_reachable(const lg_ask *ask, const void *tree, const void *row,
              const lg_field *field, lg_table *table, size_t column)
{
    (void)tree, (void)row, (void)field;
    lg__put_retained(table, column, ask->analysis, lg__dominated_on,
                     ask->graph->columns.node_count);
}

static void
put_garbage(const lg_ask *ask, const void *tree, const void *row,
            const lg_field *field, lg_table *table, size_t column)
{
    (void)tree, (void)row, (void)field;
    lg__put_retained(table, column, ask->analysis, lg__dominated_on,
                     ask->graph->columns.node_count + 1);
}

static const lg_field facts[] = {
    {"left_out", NULL, "number of objects for which there is no room",
     LG_COLUMN_COUNT, .offset = offsetof(lg_dominator_tree, left_out)},
    {"reachable", NULL, "bytes of everything that the roots reach",
     LG_COLUMN_SIZE, .put = put_reachable},
    {"garbage", NULL, "bytes of what no root reaches", LG_COLUMN_SIZE,
     .put = put_garbage},
    {0},
};

static bool
has_several(const lg_dominator_tree *tree)
{
    size_t row = 0;
    while (row < tree->count && tree->rows[row].count < 2)
        row++;
    return row < tree->count;
}

static void
add_below(const lg_ask *ask, const void *answer, lg_table *table)
{
    const lg_dominator_tree *tree = answer;
    const tree_options *options = ask->options;
    double share = options->tree.min_share;
    lg_text below = {0};
    lg_text_add(&below, "\neach object shows what is freed with it");
    if (share > 0) {
        lg_text_add(&below, "; objects that retain less than ");
        lg__format_share((uint64_t)(share * 1000 + 0.5), 1000, &below);
        lg_text_add(&below, " are left out");
    }
    if (tree->left_out > 0) {
        lg_text_add(&below, share > 0 ? ", and " : "; ");
        lg_text_add_count(&below, tree->left_out);
        lg_text_add(&below, share > 0 ? " more" : " more are left out");
    }
    if (has_several(tree))
        lg_text_add(&below, "; objects of one type that are small, or like "
                            "one before, have a row together");
    if (options->tree.scope != NULL)
        lg_text_add(&below, "; only what the chosen modules hold is shown, and "
                            "what leads there");
    lg_text_add(&below, "\n");
    lg__table_format_below(table, &below);
}

static lg_status
ask_dominators(const lg_ask *ask, void *answer, lg_error *err)
{
    const tree_options *options = ask->options;
    lg_dominator_options tree = options->tree;
    tree.equals = tree.min_share > 0;
    if (options->target != LG_NONE)
        tree.node = &options->target;
    return lg_analysis_dominator_tree(ask->analysis, &tree, ask->monitor,
                                      answer, err);
}

static void
free_tree(void *answer)
{
    lg_dominator_tree_free(answer);
}

static const tree_options usual = {.tree = {.size = sizeof usual.tree,
                                            .limit = ROWS_SHOWN,
                                            .depth = DEPTH_SHOWN,
                                            .together = true},
                                   .target = LG_NONE};

static const lg_option options[] = {
    {"target", LG_OPTION_OBJECT, NULL, NULL, "only what is below this object",
     offsetof(tree_options, target)},
    {"min_share", LG_OPTION_SHARE, NULL, "0.01",
     "leave out objects that retain a smaller part of the whole: 0.01, or 1%",
     offsetof(lg_dominator_options, min_share)},
    LG__MINE(lg_dominator_options),
    LG__MODULE(lg_dominator_options),
    {0},
};

static const lg_answering in_c = {
    .options_size = sizeof usual,
    .usual = &usual,
    .answer_size = sizeof(lg_dominator_tree),
    .ask = ask_dominators,
    .free = free_tree,
    .row_size = sizeof(lg_dominator_row),
    .rows = offsetof(lg_dominator_tree, rows),
    .count = offsetof(lg_dominator_tree, count),
    .heads = is_top,
    .node = offsetof(lg_dominator_row, node),
    .retained = offsetof(lg_dominator_row, retained),
    .after = set_depth,
    .below = add_below,
};

const lg_question lg__ask_dominators = {
    .name = "dominators",
    .title = "Dominator tree",
    .help = "see which objects own the bytes",
    .about = "Lists the dominator tree of the heap, or the part of it below an "
             "object. Each object owns what is below it, because every path "
             "from a root goes through it. With mine and module, lists what "
             "the modules hold, and what leads there. Below one object, "
             "objects of one type have a row together if each is too small "
             "for a row, or if they are elements of about the same size as "
             "one that has a row; with a min_share of 0, each has its own. "
             "The parent of a row is "
             "the nearest row before it with a depth smaller by one.",
    .order = "parents before children, the biggest first",
    .example = "--mine --min-share 5%",
    .result = "Dominators",
    .row = "DominatorRow",
    .needs = LG_NEEDS_ANALYSIS,
    .options = options,
    .fields = fields,
    .facts = facts,
    .in_c = &in_c,
};

lg_status
lg_report_dominators(const lg_analysis *analysis,
                     const lg_dominator_options *given, lg_format format,
                     lg_text *out, lg_error *err)
{
    lg_dominator_tree tree;
    lg_table *table = NULL;
    tree_options asked = usual;
    const lg_ask ask = {
        .graph = analysis->graph, .analysis = analysis, .options = &asked};
    lg_status status =
        lg_options_read(&asked.tree, given, "lg_dominator_options", err);
    asked.tree.limit = ROWS_SHOWN;
    asked.tree.depth = DEPTH_SHOWN;
    asked.tree.together = true;
    asked.tree.equals = asked.tree.min_share > 0;
    if (status == LG_OK)
        status =
            lg_analysis_dominator_tree(analysis, &asked.tree, NULL, &tree, err);
    if (status != LG_OK)
        return status;
    status =
        lg_question_tabulate(&lg__ask_dominators, &ask, &tree, &table, err);
    lg_dominator_tree_free(&tree);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}
