// Writes what memory a program could do without.
#include "graph/graph_private.h"
#include "paths/paths_private.h"
#include "report/report_private.h"

enum {
    WASTE,
    KIND,
    WHAT,
    TYPE,
    COUNT,
    SIZE,
    USED,
    OF,
    AT_MOST,
    NODE,
    HELD_BY,
    COLUMNS
};

static const lg__column columns[COLUMNS] = {
    [WASTE] = {"waste", "could save", .type = LG_COLUMN_SIZE, .least = 12},
    [KIND] = {"kind", .gap = 2, .least = 7},
    [WHAT] = {NULL, "what", .faces = LG__SHOWN, .gap = 2, .least = 34},
    [TYPE] = {"type", .faces = LG__IN_DATA},
    [COUNT] = {"count", .type = LG_COLUMN_COUNT, .faces = LG__IN_DATA},
    [SIZE] = {"size", .type = LG_COLUMN_SIZE,
              .faces = LG__IN_HTML | LG__IN_DATA},
    [USED] = {"used", .type = LG_COLUMN_COUNT, .faces = LG__IN_DATA},
    [OF] = {"of", .type = LG_COLUMN_COUNT, .faces = LG__IN_DATA},
    [AT_MOST] = {"at_most", .type = LG_COLUMN_BOOL, .faces = LG__IN_DATA},
    [NODE] = {"node", .type = LG_COLUMN_NODE, .faces = LG__IN_DATA},
    [HELD_BY] = {"held_by", "held by", .type = LG_COLUMN_PATH, .gap = 1},
};

// Writes `12 values`.
static void
format_number(uint64_t count, const char *one, const char *many, lg_text *out)
{
    lg_text_add_count(out, count);
    lg_text_add(out, " ");
    lg_text_add(out, count == 1 ? one : many);
}

// Writes what a row says about its kind, after its objects.
static void
format_detail(const lg_waste_row *row, lg_text *out)
{
    switch (row->kind) {
    case LG_WASTE_EQUAL:
        lg_text_add(out, row->count == 1 ? "duplicate of " : "duplicates of ");
        format_number(row->used, "value", "values", out);
        break;
    case LG_WASTE_VIEW:
        lg_text_add(out, row->count == 1 ? "shows " : "show ");
        lg_text_add_size(out, row->used);
        lg_text_add(out, " of ");
        lg_text_add_size(out, row->of);
        break;
    case LG_WASTE_ROOM:
        format_number(row->used, "item", "items", out);
        lg_text_add(out, ", room for ");
        lg_text_add_count(out, row->of);
        break;
    case LG_WASTE_SLOTS:
        lg_text_add(out, "a dict each, ");
        format_number(row->used, "attribute", "attributes", out);
        break;
    case LG_WASTE_RECORDS:
        lg_text_add(out, "the same ");
        format_number(row->used, "key", "keys", out);
        break;
    default:
        format_number(row->used, "number", "numbers", out);
    }
}

static void
format_what(const lg_waste_row *row, lg_text *out)
{
    if (row->count > 1) {
        lg_text_add_count(out, row->count);
        lg_text_add(out, " ");
    }
    lg_text_add_bytes(out, row->type.data, row->type.length);
    lg_text_add(out, ": ");
    format_detail(row, out);
}

static void
put_row(lg_table *table, const lg_analysis *analysis, const lg_waste_row *row)
{
    const lg_graph *graph = analysis->graph;
    lg_text what = {0};
    lg_text where = {0};
    format_what(row, &what);
    if (row->count > 1 && row->where.kind == LG_WHERE_PATH)
        lg__format_folded_path(graph, &row->where.path, &where);
    else
        lg__where_write(graph, analysis, row->node, &row->where, &where);
    lg__table_row(table);
    lg__put_each(table, WASTE, row->waste);
    lg__put_literal(table, KIND, lg_waste_kind_name(row->kind));
    lg__put_formatted(table, WHAT, &what);
    lg__put_string(table, TYPE, row->type);
    lg__put_count(table, COUNT, row->count);
    lg__put_each(table, SIZE, row->size);
    lg__put_count(table, USED, row->used);
    lg__put_count(table, OF, row->of);
    lg__put_bool(table, AT_MOST, row->at_most);
    lg__put_node(table, NODE, graph, row->node);
    lg__put_formatted(table, HELD_BY, &where);
}

static void
put_facts(lg_table *table, const lg_waste *waste)
{
    static const lg__column facts[] = {
        {"compared", .type = LG_COLUMN_BOOL},
        {"total", .type = LG_COLUMN_SIZE},
        {"libraries", .type = LG_COLUMN_SIZE},
        {"library_objects", .type = LG_COLUMN_COUNT},
    };
    lg_table *known = lg__table_facts(table, facts, 4);
    lg__put_bool(known, 0, waste->compared);
    lg__put_each(known, 1, waste->waste);
    lg__put_each(known, 2, waste->libraries);
    lg__put_count(known, 3, waste->library_objects);
}

// Writes what to do about each kind that has a row.
static void
format_advice(const lg_waste *waste, lg_text *out)
{
    static const char *const advice[LG_WASTE_KIND_COUNT] = {
        [LG_WASTE_EQUAL] = "share one object: sys.intern() for str, a dict of "
                           "values for others; share arrays only if nothing "
                           "writes to them",
        [LG_WASTE_VIEW] = "copy what the view shows: x.copy(), x.clone(), "
                          "bytes(x)",
        [LG_WASTE_ROOM] = "make a copy: list(x), dict(x.items()), set(x)",
        [LG_WASTE_SLOTS] = "give the class __slots__, for example with "
                           "@dataclass(slots=True); saves at most this",
        [LG_WASTE_RECORDS] = "make them instances of a class with __slots__; "
                             "saves at most this",
        [LG_WASTE_BOXED] = "use array.array or a NumPy array",
    };
    for (size_t kind = 0; kind < LG_WASTE_KIND_COUNT; kind++)
        for (size_t i = 0; i < waste->count; i++)
            if (waste->rows[i].kind == (lg_waste_kind)kind) {
                lg_text_addf(out, "%s: %s\n",
                             lg_waste_kind_name((lg_waste_kind)kind),
                             advice[kind]);
                break;
            }
}

static void
format_below(const lg_graph *graph, const lg_waste *waste, lg_text *out)
{
    if (waste->count > 0) {
        lg_text_add(out, "\n");
        format_advice(waste, out);
        lg_text_add(out, "\nIn all, you could save ");
        lg__format_each(graph, waste->waste, out);
    } else {
        lg_text_add(out, "There is nothing to save");
    }
    lg_text_add(out, ".\n");
    if (waste->library_objects > 0) {
        lg_text_add(out, "Of what libraries and code keep, ");
        lg__format_each(graph, waste->libraries, out);
        lg_text_add(out, " could be saved, too (");
        format_number(waste->library_objects, "object).\n", "objects).\n", out);
    }
    if (!waste->compared)
        lg_text_add(out, "Contents were not compared: to find equal strs, "
                         "bytes and arrays, take the snapshot with "
                         "contents=True or --contents.\n");
    if (lg_graph_info_find(graph, "contents.left_out").length > 0)
        lg_text_add(out, "Some large arrays were not compared: a capture reads "
                         "8 GiB of contents at most.\n");
}

lg_status
lg_tabulate_waste(const lg_analysis *analysis, const lg_waste *waste,
                  lg_table **out, lg_error *err)
{
    const lg_graph *graph = analysis->graph;
    lg_text below = {0};
    lg_table *table = lg__table_new(
        graph, (lg__layout){.noun = "row", .bare = waste->count == 0}, columns,
        COLUMNS);
    for (size_t i = 0; i < waste->count; i++)
        put_row(table, analysis, &waste->rows[i]);
    lg__table_set_count(table, waste->total_rows);
    put_facts(table, waste);
    format_below(graph, waste, &below);
    lg__table_format_below(table, &below);
    return lg__table_finish(table, out, err);
}

lg_status
lg_report_waste(const lg_analysis *analysis, const lg_waste_options *options,
                const lg_monitor *monitor, lg_format format, lg_text *out,
                lg_error *err)
{
    lg_waste waste;
    lg_table *table = NULL;
    lg_status status =
        lg_analysis_waste(analysis, options, monitor, &waste, err);
    if (status != LG_OK)
        return status;
    status = lg_tabulate_waste(analysis, &waste, &table, err);
    lg_waste_free(&waste);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}
