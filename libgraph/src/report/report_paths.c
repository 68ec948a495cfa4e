// Merged paths as an indented tree with counts and bytes.
#include "paths/paths_private.h"
#include "report/report_private.h"

#include <leakgraph/internal/merged_paths.h>

typedef struct report {
    const lg_graph *graph;
    const lg_merged_paths *paths;
    lg_table *table;
} report;

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
format_name(const report *to, const lg_merged_row *row,
            void (*title)(const lg_graph *, uint32_t, lg_text *), lg_text *out)
{
    if (row->kind == LG_MERGED_NODES && row->count == 1) {
        title(to->graph, row->node, out);
        return;
    }
    lg_text_add_count(out, row->count);
    lg_text_add(out, row->kind == LG_MERGED_REST     ? " more"
                     : row->kind == LG_MERGED_PASSED ? " references further on"
                                                     : " ");
    if (row->kind == LG_MERGED_NODES)
        lg__text_add_string(out, lg_graph_type(to->graph, row->type).name);
}

static void
format_title(const lg_graph *graph, uint32_t node, lg_text *out)
{
    lg_node_title(graph, node, false, out);
}

// Returns whether only native code is known to hold the objects.
static bool
is_native(const report *to, const lg_merged_row *row)
{
    return row->root != LG_NONE &&
           lg__root_rank(to->graph, row->root) == LG__RANK_NATIVE;
}

static void
format_line(const report *to, const lg_merged_row *row, lg_text *out)
{
    if (row->hop.edge_count > 0) {
        lg_merged_label(to->graph, row, out);
        lg_text_add(out, "  ");
    }
    if (is_native(to, row))
        lg_text_add(out, "native code: ");
    format_name(to, row, lg__format_step, out);
}

enum {
    DEPTH,
    PARENT,
    OBJECTS,
    RETAINED,
    SEEN_OBJECTS,
    LINE,
    ROOT,
    LABEL,
    NODES,
    NAME,
    NODE,
    COUNT,
    MORE,
    PASSED,
    COLUMNS
};

static const lg__column columns[COLUMNS] = {
    [DEPTH] = {"depth", .type = LG_COLUMN_COUNT, .faces = LG__IN_DATA},
    [PARENT] = {"parent", .type = LG_COLUMN_COUNT, .faces = LG__IN_DATA},
    [OBJECTS] = {"objects", .type = LG_COLUMN_COUNT, .faces = LG__IN_DATA},
    [RETAINED] = {"retained", .type = LG_COLUMN_SIZE, .least = 12},
    [SEEN_OBJECTS] = {NULL, "objects", .type = LG_COLUMN_COUNT,
                      .faces = LG__SHOWN, .least = 10},
    [LINE] = {NULL, "how the roots reach them", .faces = LG__SHOWN, .gap = 2,
              .tree = LG__BRANCHED},
    [ROOT] = {"root", .type = LG_COLUMN_RECORD, .faces = LG__IN_JSON,
              .optional = true},
    [LABEL] = {"label", .type = LG_COLUMN_PATH, .faces = LG__IN_DATA,
               .optional = true},
    [NODES] = {"count", .type = LG_COLUMN_COUNT, .faces = LG__IN_JSON,
               .optional = true},
    [NAME] = {"name", .faces = LG__IN_PROGRAMS},
    [NODE] = {"node", .type = LG_COLUMN_NODE, .faces = LG__IN_DATA,
              .optional = true},
    [COUNT] = {"count", .type = LG_COLUMN_COUNT, .faces = LG__IN_PROGRAMS},
    [MORE] = {"more", .type = LG_COLUMN_COUNT, .faces = LG__IN_JSON,
              .optional = true},
    [PASSED] = {"passed", .type = LG_COLUMN_COUNT, .faces = LG__IN_JSON,
                .optional = true},
};

static void
put_root(report *to, const lg_merged_row *row)
{
    static const lg__column of[] = {
        {.name = "kind"}, {.name = "name"}, {"node", .type = LG_COLUMN_COUNT}};
    lg_root root = lg_graph_root(to->graph, row->root);
    lg_table *record = lg__put_table(to->table, ROOT, of, 3);
    lg__table_row(record);
    lg__put_literal(record, 0, lg_root_kind_name(root.kind));
    if (root.name.length > 0)
        lg__put_string(record, 1, root.name);
    else
        lg__put_literal(record, 1, "");
    lg__put_count(record, 2, root.node);
}

static void
put_nodes(report *to, const lg_merged_row *row)
{
    lg_text label = {0};
    if (row->root != LG_NONE)
        put_root(to, row);
    else
        lg_merged_label(to->graph, row, &label);
    lg__put_formatted(to->table, LABEL, &label);
    lg__put_count(to->table, NODES, row->count);
    lg__put_node(to->table, NODE, to->graph, row->node);
}

static void
put_row(report *to, const lg_merged_row *row)
{
    lg_table *table = to->table;
    lg_text name = {0};
    lg_text line = {0};
    lg__table_row(table);
    lg__table_set_depth(table, row->depth);
    lg__put_count(table, DEPTH, row->depth);
    if (row->parent != LG_NONE)
        lg__put_count(table, PARENT, row->parent);
    lg__put_count(table, OBJECTS, row->targets);
    lg__put_count(table, SEEN_OBJECTS, row->targets);
    lg__put_each(table, RETAINED, row->retained);
    lg__put_count(table, COUNT, row->count);
    format_name(to, row, format_title, &name);
    lg__put_formatted(table, NAME, &name);
    format_line(to, row, &line);
    lg__put_formatted(table, LINE, &line);
    if (row->kind == LG_MERGED_NODES)
        put_nodes(to, row);
    else
        lg__put_count(table, row->kind == LG_MERGED_REST ? MORE : PASSED,
                      row->count);
}

static void
put_facts(report *to)
{
    static const lg__column facts[] = {
        [LG__PATHS_OBJECTS] = {"objects", .type = LG_COLUMN_COUNT},
        {"unreachable", .type = LG_COLUMN_COUNT},
        {"retained", .type = LG_COLUMN_SIZE},
    };
    lg_table *known = lg__table_facts(to->table, facts, 3);
    lg__put_count(known, LG__PATHS_OBJECTS, to->paths->targets);
    lg__put_count(known, 1, to->paths->unreachable);
    lg__put_each(known, 2, to->paths->retained);
}

static void
format_unreachable(const report *to, lg_text *out)
{
    uint64_t lost = to->paths->unreachable;
    lg_text_add(out, "; no root reaches ");
    if (lost == to->paths->targets)
        lg_text_add(out, lost == 1 ? "it" : "any of them");
    else
        lg_text_add_count(out, lost);
    lg_text_add(out, lost == 1 ? ", which is garbage" : ", which are garbage");
}

static void
put_head(report *to)
{
    lg_text head = {0};
    lg_text_add_count(&head, to->paths->targets);
    lg_text_add(&head, to->paths->targets == 1 ? " object retains "
                                               : " objects retain ");
    lg__format_each(to->graph, to->paths->retained, &head);
    if (to->paths->targets > 1)
        lg_text_add(&head, " together");
    if (to->paths->unreachable > 0)
        format_unreachable(to, &head);
    lg_text_add(&head, to->paths->count > 0 ? "\n\n" : "\n");
    lg__table_format_above(to->table, &head);
}

static void
put_end(report *to)
{
    lg_text end = {0};
    if (to->paths->count > 0)
        lg_text_add(&end, "\neach branch shows what its objects retain, "
                          "each byte counted once\n");
    lg__table_format_below(to->table, &end);
}

lg_status
lg_tabulate_paths(const lg_graph *graph, const lg_merged_paths *paths,
                  lg_table **out, lg_error *err)
{
    report to = {.graph = graph, .paths = paths};
    to.table = lg__table_new(to.graph, (lg__layout){0}, columns, COLUMNS);
    for (size_t i = 0; i < to.paths->count; i++)
        put_row(&to, &to.paths->rows[i]);
    put_facts(&to);
    put_head(&to);
    put_end(&to);
    return lg__table_finish(to.table, out, err);
}

lg_status
lg_report_paths(const lg_graph *graph, const lg_merged_paths *paths,
                lg_format format, lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    lg_status status = lg_tabulate_paths(graph, paths, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}
