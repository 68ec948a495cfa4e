// Formats figures as a table with their holders.
#include "answers/answers_private.h"
#include "report/table.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct report {
    lg__figures figures;
    lg__holders *holders; // [shown]
    lg_table *table;
    uint64_t open; // pyplot has them
    uint64_t closed;
    uint64_t own; // pyplot never had them
    uint64_t garbage;
    uint64_t canvas;
    uint64_t *retained; // [device_count + 1]
} report;

static lg_status
add_up(report *to, lg_error *err)
{
    uint32_t devices = to->figures.graph->device_count;
    to->retained = calloc((size_t)devices + 1, sizeof *to->retained);
    if (to->retained == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < to->figures.rows.count; i++) {
        const lg_figure_row *row = &to->figures.rows.items[i];
        to->open += !row->closed;
        if (row->closed && !row->reachable)
            to->garbage++;
        else if (row->closed)
            *(row->number < 0 ? &to->own : &to->closed) += 1;
        to->canvas += row->canvas;
        for (uint32_t device = 0; device <= devices; device++)
            to->retained[device] += row->retained[device];
    }
    return LG_OK;
}

static void
format_where(const lg_graph *graph, const lg__holder *holder, lg_text *out)
{
    if (holder->kind == LG__HOLDER_NATIVE) {
        lg__format_node(graph, holder->node, out);
        lg_text_add(out, " (");
        lg__format_unseen(lg_node_unexplained(graph, holder->node), out);
        lg_text_add(out, ")");
    } else if (holder->kind != LG__HOLDER_PYPLOT) {
        lg_path_label(graph, &holder->path, out);
    }
}

static void
format_holder(const lg_graph *graph, const lg__holder *holder, lg_text *out)
{
    static const char *const names[] = {"pyplot's registry", "animation ",
                                        "callback ", "", "native code: "};
    lg_text_add(out, names[holder->kind]);
    format_where(graph, holder, out);
}

static void
format_holders(const lg_graph *graph, const lg_figure_row *row,
               const lg__holders *holders, lg_text *out)
{
    if (!row->reachable) {
        lg_text_add(out, "nobody: garbage that the collector has yet to free");
        return;
    }
    for (size_t i = 0; i < holders->count; i++) {
        lg_text_add(out, i > 0 ? "; " : "");
        format_holder(graph, &holders->items[i], out);
    }
    if (holders->more > 0)
        lg_text_addf(out, "; %" PRIu64 " more", holders->more);
    if (holders->count == 0)
        lg_text_add(out, "the interpreter");
}

static void
format_extent(const lg_figure_row *row, lg_text *out)
{
    if (row->width > 0)
        lg_text_addf(out, "%ux%u", row->width, row->height);
    else
        lg_text_add(out, "?");
}

enum {
    NODE,
    RETAINED,
    CANVAS,
    NUMBER,
    WIDTH,
    HEIGHT,
    EXTENT,
    AXES,
    ARTISTS,
    CLOSED,
    REACHABLE,
    STATE,
    HELD_BY,
    HOLDERS,
    MORE_HOLDERS,
    COLUMNS
};

static const lg__column columns[COLUMNS] = {
    [NODE] = {"node", .type = LG_COLUMN_NODE, .faces = LG__IN_DATA},
    [RETAINED] = {"retained", .type = LG_COLUMN_SIZE, .least = 12},
    [CANVAS] = {"canvas", .type = LG_COLUMN_BYTES, .gap = 2, .least = 9,
                .none = "not drawn"},
    [NUMBER] = {"number", .type = LG_COLUMN_NUMBER, .gap = 2},
    [WIDTH] = {"width", .type = LG_COLUMN_COUNT, .faces = LG__IN_DATA},
    [HEIGHT] = {"height", .type = LG_COLUMN_COUNT, .faces = LG__IN_DATA},
    [EXTENT] = {NULL, "size", .faces = LG__SHOWN, .flush = LG__RIGHT, .gap = 2,
                .least = 9},
    [AXES] = {"axes", .type = LG_COLUMN_COUNT, .gap = 2},
    [ARTISTS] = {"artists", .type = LG_COLUMN_COUNT, .gap = 2},
    [CLOSED] = {"closed", .type = LG_COLUMN_BOOL, .faces = LG__IN_DATA},
    [REACHABLE] = {"reachable", .type = LG_COLUMN_BOOL, .faces = LG__IN_DATA},
    [STATE] = {NULL, "state", .faces = LG__SHOWN, .gap = 2, .least = 6},
    [HELD_BY] = {NULL, "held by", .faces = LG__SHOWN, .gap = 2},
    [HOLDERS] = {"held_by", .type = LG_COLUMN_LIST, .faces = LG__IN_DATA},
    [MORE_HOLDERS] = {"more_holders", .type = LG_COLUMN_COUNT,
                      .faces = LG__IN_DATA},
};

static void
put_holders(report *to, const lg_figure_row *row, const lg__holders *holders)
{
    static const lg__column of[] = {{.name = "kind"}, {.name = "where"}};
    static const char *const kinds[] = {"pyplot", "animation", "callback",
                                        "variable", "native"};
    const lg_graph *graph = to->figures.graph;
    lg_text formatted = {0};
    lg_table *list = lg__put_table(to->table, HOLDERS, of, 2);
    for (size_t i = 0; i < holders->count; i++) {
        const lg__holder *holder = &holders->items[i];
        lg__table_row(list);
        lg_text where = {0};
        format_where(graph, holder, &where);
        lg__put_literal(list, 0, kinds[holder->kind]);
        if (holder->kind == LG__HOLDER_PYPLOT)
            lg__put_literal(list, 1, "");
        else
            lg__put_formatted(list, 1, &where);
    }
    format_holders(graph, row, holders, &formatted);
    lg__put_formatted(to->table, HELD_BY, &formatted);
    lg__put_count(to->table, MORE_HOLDERS, holders->more);
}

static void
put_row(report *to, const lg_figure_row *row)
{
    lg_table *table = to->table;
    lg_text extent = {0};
    lg__table_row(table);
    lg__put_node(table, NODE, to->figures.graph, row->node);
    lg__put_each(table, RETAINED, row->retained);
    lg__put_count(table, CANVAS, row->canvas);
    if (row->number >= 0)
        lg__put_number(table, NUMBER, row->number);
    lg__put_count(table, WIDTH, row->width);
    lg__put_count(table, HEIGHT, row->height);
    format_extent(row, &extent);
    lg__put_formatted(table, EXTENT, &extent);
    lg__put_count(table, AXES, row->axes);
    lg__put_count(table, ARTISTS, row->artists);
    lg__put_bool(table, CLOSED, row->closed);
    lg__put_bool(table, REACHABLE, row->reachable);
    lg__put_literal(table, STATE,
                    row->number < 0 ? ""
                    : row->closed   ? "closed"
                                    : "open");
}

static void
put_rows(report *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const lg_figure_row *row = &to->figures.rows.items[i];
        put_row(to, row);
        put_holders(to, row, &to->holders[i]);
    }
}

enum { FINDINGS = 7 };

static lg_table *
put_facts(report *to)
{
    static const lg__column of[] = {
        {"count", .type = LG_COLUMN_COUNT},
        {"open", .type = LG_COLUMN_COUNT},
        {"closed", .type = LG_COLUMN_COUNT},
        {"own", .type = LG_COLUMN_COUNT},
        {"garbage", .type = LG_COLUMN_COUNT},
        {"canvas", .type = LG_COLUMN_BYTES},
        {"retained", .type = LG_COLUMN_SIZE},
        [FINDINGS] = {"findings", .type = LG_COLUMN_LIST, .lines = true},
    };
    const uint64_t counts[] = {to->figures.rows.count,
                               to->open,
                               to->closed,
                               to->own,
                               to->garbage,
                               to->canvas};
    lg_table *known = lg__table_facts(to->table, of, sizeof of / sizeof *of);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        lg__put_count(known, i, counts[i]);
    lg__put_each(known, 6, to->retained);
    return known;
}

static void
count_text(uint64_t count, const char *what, const char **between, lg_text *out)
{
    if (count == 0)
        return;
    lg_text_add(out, *between);
    lg_text_add_count(out, count);
    lg_text_addf(out, " %s", what);
    *between = ", ";
}

static void
format_totals(const report *to, lg_text *out)
{
    size_t count = to->figures.rows.count;
    const char *between = ": ";
    lg_text_add(out, "\n");
    lg_text_add_count(out, count);
    lg_text_add(out, count == 1 ? " figure" : " figures");
    count_text(to->open, "open in pyplot", &between, out);
    count_text(to->closed, "closed", &between, out);
    count_text(to->own, "not pyplot's", &between, out);
    count_text(to->garbage, "garbage", &between, out);
    lg_text_add(out, "; together ");
    lg__format_each(to->figures.graph, to->retained, out);
    lg_text_add(out, ", of which canvas ");
    lg_text_add_size(out, to->canvas);
    lg_text_add(out, "\n");
}

// Adds the lines below the rows. `mistakes`: the table lists known mistakes.
static void
format_below(report *to, bool mistakes)
{
    lg_text text = {0};
    format_totals(to, &text);
    if (to->open > 0 && !mistakes)
        lg_text_add(&text,
                    "A figure that pyplot knows lives until "
                    "plt.close(figure); "
                    "matplotlib.figure.Figure() makes one that goes with "
                    "its last reference.\n");
    lg__table_format_below(to->table, &text);
}

// Lists the nodes that belong to the first `limit` figures.
static lg_status
members_of(const report *to, size_t shown, uint32_t **out, size_t *count,
           lg_error *err)
{
    const lg__figures *figures = &to->figures;
    uint32_t node_count = figures->graph->columns.node_count;
    bool *is_shown = calloc(figures->rows.count + 1, sizeof *is_shown);
    uint32_t *nodes = malloc((node_count + (size_t)1) * sizeof *nodes);
    if (is_shown == NULL || nodes == NULL) {
        free(is_shown);
        free(nodes);
        return lg__error_memory(err);
    }
    for (size_t i = 0; i < shown; i++)
        is_shown[figures->label[figures->rows.items[i].node]] = true;
    *count = 0;
    for (uint32_t node = 0; node < node_count; node++)
        if (figures->label[node] != 0 && figures->label[node] != LG__SHARED &&
            is_shown[figures->label[node]])
            nodes[(*count)++] = node;
    free(is_shown);
    *out = nodes;
    return LG_OK;
}

static lg_status
fill(report *to, size_t limit, lg_error *err)
{
    size_t count = to->figures.rows.count;
    size_t shown = limit > 0 && limit < count ? limit : count;
    uint32_t *nodes = NULL;
    size_t members = 0;
    bool mistakes = false;
    lg__table_set_count(to->table, count);
    lg_table *facts = put_facts(to);
    lg_status status =
        lg__figures_holders(&to->figures, shown, &to->holders, err);
    if (status == LG_OK) {
        put_rows(to, shown);
        lg__figures_holders_free(to->holders, shown);
        status = members_of(to, shown, &nodes, &members, err);
    }
    if (status == LG_OK)
        status =
            lg__put_mistakes(to->table, facts, FINDINGS, to->figures.analysis,
                             nodes, members, &mistakes, err);
    free(nodes);
    if (count > 0)
        format_below(to, mistakes);
    return status;
}

lg_status
lg_tabulate_figures(const lg_analysis *analysis, size_t limit, lg_table **out,
                    lg_error *err)
{
    report to = {0};
    lg_text none = {0};
    lg_status status = lg__figures_find(analysis, &to.figures, err);
    if (status == LG_OK)
        status = add_up(&to, err);
    if (status == LG_OK) {
        to.table =
            lg__table_new(to.figures.graph, (lg__layout){.rows = "figures"},
                          columns, COLUMNS);
        if (to.figures.rows.count == 0)
            lg_text_add(&none, "There is no figure of matplotlib.\n");
        lg__table_format_above(to.table, &none);
        status = fill(&to, limit, err);
    }
    free(to.retained);
    lg__figures_free(&to.figures);
    if (status == LG_OK)
        return lg__table_finish(to.table, out, err);
    lg_table_free(to.table);
    return status;
}

lg_status
lg_report_figures(const lg_analysis *analysis, size_t limit, lg_format format,
                  lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    lg_status status = lg_tabulate_figures(analysis, limit, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}
