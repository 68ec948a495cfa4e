// Merged paths as an indented tree with counts and bytes.
#include "paths/paths_private.h"
#include "report/report_private.h"

#include <leakgraph/internal/merged_paths.h>

// Writes labels that differ as one.
void
lg_merged_label(const lg_graph *graph, const lg_merged_row *row, lg_text *out)
{
    uint64_t last = row->hop.edges[row->hop.edge_count - 1];
    switch (row->varied ? lg__edge_kind(graph, last) : LG_EDGE_KIND_COUNT) {
    case LG_EDGE_INDEX:
    case LG_EDGE_VALUE:
        lg_text_add(out, "[*]");
        return;
    case LG_EDGE_ELEMENT:
        lg_text_add(out, "elements");
        return;
    case LG_EDGE_KEY:
        lg_text_add(out, "keys");
        return;
    case LG_EDGE_FRAME:
        lg_text_add(out, "frames");
        return;
    case LG_EDGE_STACK:
        lg_text_add(out, "temporaries");
        return;
    case LG_EDGE_REFERENCE:
        lg_text_add(out, "references");
        return;
    default:
        lg_hop_label(graph, &row->hop, out);
    }
}

// Writes the name of a row without its label. For one object, that is its
// title.
static void
format_name(const lg_graph *graph, const lg_merged_row *row,
            void (*title)(const lg_graph *, uint32_t, lg_text *), lg_text *out)
{
    if (row->kind == LG_MERGED_NODES && row->count == 1) {
        title(graph, row->node, out);
        return;
    }
    lg_text_add_count(out, row->count);
    lg_text_add(out, row->kind == LG_MERGED_REST     ? " more"
                     : row->kind == LG_MERGED_PASSED ? " references further on"
                                                     : " ");
    if (row->kind == LG_MERGED_NODES)
        lg__text_add_string(out, lg_graph_type(graph, row->type).name);
}

static void
format_title(const lg_graph *graph, uint32_t node, lg_text *out)
{
    lg_node_title(graph, node, false, out);
}

// Returns whether only native code is known to hold the objects.
static bool
is_native(const lg_graph *graph, const lg_merged_row *row)
{
    return row->root != LG_NONE &&
           lg__root_rank(graph, row->root) == LG__RANK_NATIVE;
}

static void
write_label(const lg_ask *ask, const void *paths, const void *row, lg_text *out)
{
    const lg_merged_row *of = row;
    (void)paths;
    if (of->kind == LG_MERGED_NODES && of->root == LG_NONE)
        lg_merged_label(ask->graph, of, out);
}

static void
write_name(const lg_ask *ask, const void *paths, const void *row, lg_text *out)
{
    (void)paths;
    format_name(ask->graph, row, format_title, out);
}

static void
write_line(const lg_ask *ask, const void *paths, const void *row, lg_text *out)
{
    const lg_merged_row *of = row;
    (void)paths;
    if (of->hop.edge_count > 0) {
        lg_merged_label(ask->graph, of, out);
        lg_text_add(out, "  ");
    }
    if (is_native(ask->graph, of))
        lg_text_add(out, "native code: ");
    format_name(ask->graph, of, lg__format_step, out);
}

static void
write_root(const lg_ask *ask, const void *paths, const void *row, lg_text *out)
{
    const lg_merged_row *of = row;
    (void)paths;
    if (of->root != LG_NONE)
        lg_text_add(
            out, lg_root_kind_name(lg_graph_root(ask->graph, of->root).kind));
}

static void
set_depth(const lg_ask *ask, const void *paths, size_t row, lg_table *table)
{
    (void)ask;
    lg__table_set_depth(table,
                        ((const lg_merged_paths *)paths)->rows[row].depth);
}

// In the order of lg_merged_kind.
static const char *const kinds[] = {"objects", "passed", "rest", NULL};

#define ROW(member) .offset = offsetof(lg_merged_row, member)
#define IN_DATA .look = {.in = LG_IN_DATA}

static const lg_field fields[] = {
    {"depth", NULL, "0 at a root", LG_COLUMN_COUNT, ROW(depth),
     .of = LG_FIELD_SHORT, IN_DATA},
    {"label", NULL,
     "of the reference from the row above: `.x`, `[*]`; None at a root",
     LG_COLUMN_PATH, .write = write_label, .optional = true, IN_DATA},
    {"name", NULL, "the object in a few words", .write = write_name, IN_DATA},
    {"node", NULL, "one of the nodes; None for rows left out", LG_COLUMN_NODE,
     ROW(node), .optional = true, IN_DATA},
    {"count", NULL, "number of nodes, or of rows left out", LG_COLUMN_COUNT,
     ROW(count), .of = LG_FIELD_SHORT, IN_DATA},
    {"objects", NULL, "number of the objects that are here or below",
     LG_COLUMN_COUNT, ROW(targets), IN_DATA},
    {"retained", NULL, "what these retain, each byte counted once",
     LG_COLUMN_SIZE, ROW(retained), .look = {.none = "", .least = 12}},
    {.heading = "objects",
     .type = LG_COLUMN_COUNT,
     ROW(targets),
     .look = {.in = LG_SHOWN, .least = 10}},
    {.heading = "how the roots reach them",
     .write = write_line,
     .look = {.in = LG_SHOWN, .gap = 2, .branched = true}},
    {"kind", NULL,
     "nodes, or what is left out: the middle of a path without branches, or "
     "smaller siblings",
     .words = kinds, ROW(kind), IN_DATA},
    {"parent", NULL, "index of the row above; None at a root", LG_COLUMN_COUNT,
     ROW(parent), .of = LG_FIELD_SHORT, .optional = true, IN_DATA},
    {"root", NULL, "the kind of a root; None of the others",
     .write = write_root, .optional = true, IN_DATA},
    {"type", NULL, "module and qualified name of the type of the node",
     ROW(node), .of = LG_FIELD_TYPE, .optional = true, IN_DATA},
    {0},
};

#define FACT(member) .offset = offsetof(lg_merged_paths, member)

static const lg_field facts[] = {
    [LG__PATHS_OBJECTS] = {"objects", NULL, "number of objects",
                           LG_COLUMN_COUNT, FACT(targets)},
    {"unreachable", NULL, "of these, those that no root reaches",
     LG_COLUMN_COUNT, FACT(unreachable)},
    {"retained", NULL, "what only they together keep alive", LG_COLUMN_SIZE,
     FACT(retained)},
    {0},
};

static void
add_unreachable(const lg_merged_paths *paths, lg_text *out)
{
    uint64_t lost = paths->unreachable;
    lg_text_add(out, "; no root reaches ");
    if (lost == paths->targets)
        lg_text_add(out, lost == 1 ? "it" : "any of them");
    else
        lg_text_add_count(out, lost);
    lg_text_add(out, lost == 1 ? ", which is garbage" : ", which are garbage");
}

static void
write_above(const lg_ask *ask, const void *answer, lg_text *out)
{
    const lg_merged_paths *paths = answer;
    lg_text_add_count(out, paths->targets);
    lg_text_add(out,
                paths->targets == 1 ? " object retains " : " objects retain ");
    lg__format_each(ask->graph, paths->retained, out);
    if (paths->targets > 1)
        lg_text_add(out, " together");
    if (paths->unreachable > 0)
        add_unreachable(paths, out);
    lg_text_add(out, paths->count > 0 ? "\n\n" : "\n");
}

// Returns whether a row has no bytes, because others count them.
static bool
has_blank_row(const lg_merged_paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        if (paths->rows[i].total == 0)
            return true;
    return false;
}

static void
add_below(const lg_ask *ask, const void *answer, lg_table *table)
{
    const lg_merged_paths *paths = answer;
    lg_text below = {0};
    (void)ask;
    if (paths->count > 0)
        lg_text_add(&below, "\neach branch shows what its objects retain, "
                            "each byte counted once");
    if (has_blank_row(paths))
        lg_text_add(&below, "; where there are none, another row has them");
    if (paths->count > 0)
        lg_text_add(&below, "\n");
    lg__table_format_below(table, &below);
}

typedef struct paths_options {
    lg_merged_options merged; // comes first: options name its members
    lg_nodes target;
} paths_options;

static lg_status
ask_paths(const lg_ask *ask, void *answer, lg_error *err)
{
    const paths_options *options = ask->options;
    return lg_analysis_merged_paths(ask->analysis, options->target.items,
                                    options->target.count, &options->merged,
                                    ask->monitor, answer, err);
}

static void
free_paths(void *answer)
{
    lg_merged_paths_free(answer);
}

static const paths_options usual = {.merged = LG_MERGED_OPTIONS_INIT};

static const lg_option options[] = {
    LG__OBJECTS(paths_options),
    LG__LIMIT(lg_merged_options, "the biggest first, each with all above it"),
    {0},
};

static const lg_answering in_c = {
    .options_size = sizeof usual,
    .usual = &usual,
    .answer_size = sizeof(lg_merged_paths),
    .ask = ask_paths,
    .free = free_paths,
    .row_size = sizeof(lg_merged_row),
    .rows = offsetof(lg_merged_paths, rows),
    .count = offsetof(lg_merged_paths, count),
    .above = write_above,
    .after = set_depth,
    .below = add_below,
};

const lg_question lg__ask_paths = {
    .name = "paths",
    .title = "Paths from the roots",
    .help = "see how the roots reach many objects",
    .about = "Lists the shortest paths from the roots to all the objects, "
             "merged into a tree wherever references and types agree. Each "
             "row says how many of the objects its branch leads to, and what "
             "they retain. Elements of a list and values of a dict count as "
             "one.",
    .order = "a tree from the roots down, the biggest branch first",
    .example = "type:torch.Tensor+",
    .result = "MergedPaths",
    .row = "MergedRow",
    .needs = LG_NEEDS_ANALYSIS,
    .options = options,
    .fields = fields,
    .facts = facts,
    .in_c = &in_c,
};

lg_status
lg_tabulate_paths(const lg_graph *graph, const lg_merged_paths *paths,
                  lg_table **out, lg_error *err)
{
    const lg_ask ask = {.graph = graph};
    return lg_question_tabulate(&lg__ask_paths, &ask, paths, out, err);
}

lg_status
lg_report_paths(const lg_graph *graph, const lg_merged_paths *paths,
                lg_format format, lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    lg_status status = lg_tabulate_paths(graph, paths, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}
