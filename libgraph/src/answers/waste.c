// Memory that a program could do without: makes what the searches need, and
// describes the table of what they find.
#include "answers/waste_search.h"
#include "growth/growth_private.h"

#include "table/table_private.h"

#include <leakgraph/internal/options.h>
#include <leakgraph/internal/retained.h>

#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"equal",   "view",  "room", "slots",
                                    "records", "boxed", NULL};

const char *
lg_waste_kind_name(lg_waste_kind kind)
{
    return (unsigned)kind < LG_WASTE_KIND_COUNT ? kinds[kind] : "unknown";
}

static lg_status
find_where(lg__wasting *to, lg_error *err)
{
    lg__finder finder = {.graph = to->graph};
    lg_status status = LG_OK;
    for (size_t i = 0; i < to->out.count && status == LG_OK; i++) {
        lg_waste_row *row = &to->out.rows[i];
        status = lg__where_find(&finder, to->analysis, row->node, to->monitor,
                                &row->where, err);
        row->where.in_modules =
            lg__place_is_in_modules(to->places, to->place[row->node]);
    }
    lg__finder_free(&finder);
    return status;
}

static void
note_layouts(lg__wasting *to)
{
    static const struct {
        const char *name;
        uint8_t layout;
    } known[] = {
        {"list", LG__LAYOUT_LIST},     {"tuple", LG__LAYOUT_TUPLE},
        {"dict", LG__LAYOUT_DICT},     {"set", LG__LAYOUT_SET},
        {"frozenset", LG__LAYOUT_SET}, {"int", LG__LAYOUT_INT},
        {"float", LG__LAYOUT_FLOAT},   {"str", LG__LAYOUT_STR},
    };
    for (uint32_t type = 0; type < to->graph->type_count; type++)
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (lg__string_is(lg_graph_type(to->graph, type).name,
                              known[i].name))
                to->layout[type] = known[i].layout;
}

static lg_status
prepare(lg__wasting *to, lg_error *err)
{
    size_t nodes = (size_t)to->graph->columns.node_count + 1;
    to->folds = lg__graph_folds(to->graph);
    to->layout = lg__calloc((size_t)to->graph->type_count + 1, 1);
    to->counted = lg__calloc(nodes, 1);
    if (!to->folds || !to->layout || !to->counted ||
        !lg__library_tables_begin(&to->tables, to->analysis))
        return lg__error_memory(err);
    note_layouts(to);
    lg_status status =
        lg__keepers_begin(to->graph, to->monitor, &to->keepers, err);
    if (status == LG_OK)
        status = lg__places_walk(to->analysis, to->monitor, &to->places,
                                 &to->place, err);
    if (status != LG_OK)
        return status;
    to->row_at = lg__calloc(
        (size_t)LG_WASTE_KIND_COUNT * lg_places_count(to->places) + 1,
        sizeof *to->row_at);
    return to->row_at ? LG_OK : lg__error_memory(err);
}

static lg_status
search(lg__wasting *to, lg_error *err)
{
    lg_status status = prepare(to, err);
    if (status == LG_OK &&
        !lg__monitor_goes_on(to->monitor, "finding waste", 0, err))
        status = LG_ECANCELLED;
    if (status == LG_OK)
        status = lg__waste_search(to, err);
    return status == LG_OK ? find_where(to, err) : status;
}

lg_status
lg_analysis_waste(const lg_analysis *analysis, const lg_waste_options *given,
                  const lg_monitor *monitor, lg_waste *out, lg_error *err)
{
    const lg_graph *graph = analysis->graph;
    lg_waste_options options = LG_WASTE_OPTIONS_INIT;
    lg_status status =
        lg_options_read(&options, given, "lg_waste_options", err);
    if (status != LG_OK)
        return status;
    lg__wasting to = {
        .analysis = analysis,
        .graph = graph,
        .monitor = monitor,
        .options = &options,
        .each = (size_t)graph->device_count + 1,
        .out = {.devices = graph->device_count,
                .compared = lg__string_is(lg_graph_info_find(graph, "contents"),
                                          "yes")}};
    status = search(&to, err);
    if (status == LG_OK)
        *out = to.out;
    else
        lg_waste_free(&to.out);
    lg__library_tables_end(&to.tables);
    lg_places_free(to.places);
    lg__keepers_end(&to.keepers);
    lg__places_of_free(to.place, analysis);
    lg__free(to.layout);
    lg__free(to.counted);
    lg__free(to.row_at);
    lg__free(to.last);
    return status;
}

void
lg_waste_free(lg_waste *waste)
{
    for (size_t i = 0; i < waste->count; i++)
        lg_where_free(&waste->rows[i].where);
    lg__free(waste->rows);
    lg__free(waste->bytes);
    *waste = (lg_waste){0};
}

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
write_what(const lg_ask *ask, const void *answer, const void *of, lg_text *out)
{
    const lg_waste_row *row = of;
    (void)ask;
    (void)answer;
    if (row->count > 1) {
        lg_text_add_count(out, row->count);
        lg_text_add(out, " ");
    }
    lg_text_add_bytes(out, row->type.data, row->type.length);
    lg_text_add(out, ": ");
    format_detail(row, out);
}

static void
write_held_by(const lg_ask *ask, const void *answer, const void *of,
              lg_text *out)
{
    const lg_waste_row *row = of;
    (void)answer;
    lg__where_write_row(ask, row->node, row->count, &row->where, out);
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
                lg_text_addf(out, "%s: %s\n", kinds[kind], advice[kind]);
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

static void
add_below(const lg_ask *ask, const void *waste, lg_table *table)
{
    lg_text below = {0};
    format_below(ask->graph, waste, &below);
    lg__table_format_below(table, &below);
}

static lg_status
ask_waste(const lg_ask *ask, void *answer, lg_error *err)
{
    return lg_analysis_waste(ask->analysis, ask->options, ask->monitor, answer,
                             err);
}

static void
free_waste(void *answer)
{
    lg_waste_free(answer);
}

static const lg_option options[] = {
    LG__LIMIT(lg_waste_options, "the most waste first"),
    LG__LIBRARIES(lg_waste_options, "libraries and code keep"),
    LG__MINE(lg_waste_options),
    LG__MODULE(lg_waste_options),
    {0},
};

#define ROW(member) .offset = offsetof(lg_waste_row, member)

static const lg_field fields[] = {
    {"waste", "could save", "what you could save", LG_COLUMN_SIZE, ROW(waste),
     .look = {.least = 12}},
    {"kind", NULL, "what kind of waste", LG_COLUMN_TEXT, ROW(kind),
     .words = kinds, .look = {.gap = 2, .least = 7}},
    {NULL, "what", NULL, LG_COLUMN_TEXT, .write = write_what,
     .look = {.gap = 2, .least = 34}},
    {"type", NULL, "module and qualified name of the type of the objects",
     LG_COLUMN_TEXT, ROW(type), .look = {.in = LG_IN_DATA}},
    {"count", NULL, "number of objects; of equal ones, without those that stay",
     LG_COLUMN_COUNT, ROW(count), .look = {.in = LG_IN_DATA}},
    {"size", NULL, "what they take now", LG_COLUMN_SIZE, ROW(size),
     .look = {.in = LG_IN_HTML | LG_IN_DATA}},
    {"used", NULL,
     "equal: number of different contents; view: bytes shown; room: items; "
     "slots: attributes; records: keys; boxed: numbers",
     LG_COLUMN_COUNT, ROW(used), .look = {.in = LG_IN_DATA}},
    {"of", NULL, "view: bytes kept; room: items that fit; else 0",
     LG_COLUMN_COUNT, ROW(of), .look = {.in = LG_IN_DATA}},
    {"at_most", NULL, "whether the waste is an upper bound", LG_COLUMN_BOOL,
     ROW(at_most), .look = {.in = LG_IN_DATA}},
    {"node", NULL, "the object with the most waste", LG_COLUMN_NODE, ROW(node),
     .look = {.in = LG_IN_DATA}},
    {"title", NULL, "that object in a few words", LG_COLUMN_TEXT, ROW(node),
     .of = LG_FIELD_TITLE, .look = {.in = LG_IN_DATA}},
    {"held_by", "held by",
     "the path to it from a root; with `[*]` for several objects",
     LG_COLUMN_PATH, .write = write_held_by, .look = {.gap = 1}},
    {0},
};

#define FACT(member) .offset = offsetof(lg_waste, member)

static const lg_field facts[] = {
    {"compared", NULL, "whether the capture compared contents", LG_COLUMN_BOOL,
     FACT(compared)},
    {"total", NULL, "all that you could save, without what libraries keep",
     LG_COLUMN_SIZE, FACT(waste)},
    {"libraries", NULL,
     "what you could save of what libraries and code keep for themselves, "
     "unless it has rows",
     LG_COLUMN_SIZE, FACT(libraries)},
    {"library_objects", NULL, "number of those objects", LG_COLUMN_COUNT,
     FACT(library_objects)},
    {0},
};

static const lg_waste_options usual = LG_WASTE_OPTIONS_INIT;
static const void *const every[] = {&usual, NULL};

static bool
is_about(const lg_ask *ask, const void *answer, const void *of, lg_thing *out)
{
    const lg_waste_row *row = of;
    const char *kind = kinds[row->kind];
    (void)ask, (void)answer;
    *out = (lg_thing){.kind = LG_THING_ROW,
                      .node = row->node,
                      .name = lg__string_of(kind),
                      .count = row->count,
                      .bytes = row->weight};
    return true;
}

static const lg_answering in_c = {
    .options_size = sizeof usual,
    .usual = &usual,
    .answer_size = sizeof(lg_waste),
    .ask = ask_waste,
    .free = free_waste,
    .row_size = sizeof(lg_waste_row),
    .rows = offsetof(lg_waste, rows),
    .count = offsetof(lg_waste, count),
    .total = offsetof(lg_waste, total_rows),
    .thing = is_about,
    .every = every,
    .bare = true,
    .below = add_below,
};

const lg_question lg__ask_waste = {
    .name = "waste",
    .title = "Memory that you could save",
    .help = "find memory that the program could do without",
    .about = "Lists memory that the program could do without, with who holds "
             "it and what to do. Finds equal str, bytes and arrays only in a "
             "snapshot taken with contents=True or --contents. What libraries "
             "keep for themselves is one line.",
    .order = "the most waste first",
    .example = "--module train --limit 5",
    .result = "Waste",
    .row = "WasteRow",
    .needs = LG_NEEDS_ANALYSIS | LG_NEEDS_CONTENTS,
    .options = options,
    .fields = fields,
    .facts = facts,
    .in_c = &in_c,
};
