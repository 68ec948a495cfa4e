// Formats figures as a table with their holders.
#include "answers/answers_private.h"
#include "report/report_private.h"

#include <inttypes.h>

typedef struct report {
    const lg_analysis *analysis;
    const lg_graph *graph;
    lg_figures figures;
    lg_table *table;
} report;

static void
format_where(const lg_graph *graph, const lg_figure_holder *holder,
             lg_text *out)
{
    if (holder->kind == LG_HOLDER_NATIVE) {
        lg__format_node(graph, holder->node, out);
        lg_text_add(out, " (");
        lg_unexplained_format(
            (uint64_t)lg_node_unexplained(graph, holder->node), out);
        lg_text_add(out, ")");
    } else if (holder->kind != LG_HOLDER_PYPLOT) {
        lg_path_label(graph, &holder->path, out);
    }
}

static void
format_holder(const lg_graph *graph, const lg_figure_holder *holder,
              lg_text *out)
{
    static const char *const names[] = {"pyplot's registry", "animation ",
                                        "callback ", "", "native code: "};
    lg_text_add(out, names[holder->kind]);
    format_where(graph, holder, out);
}

static void
format_holders(const lg_graph *graph, const lg_figure_row *row,
               const lg_figure_holders *holders, lg_text *out)
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
put_holders(report *to, const lg_figure_row *row,
            const lg_figure_holders *holders)
{
    static const lg__column of[] = {{.name = "kind"}, {.name = "where"}};
    const lg_graph *graph = to->graph;
    lg_text formatted = {0};
    lg_table *list = lg__put_table(to->table, HOLDERS, of, 2);
    for (size_t i = 0; i < holders->count; i++) {
        const lg_figure_holder *holder = &holders->items[i];
        lg__table_row(list);
        lg_text where = {0};
        format_where(graph, holder, &where);
        lg__put_literal(list, 0, lg_figure_holder_kind_name(holder->kind));
        if (holder->kind == LG_HOLDER_PYPLOT)
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
    lg__put_node(table, NODE, to->graph, row->node);
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
put_rows(report *to)
{
    for (size_t i = 0; i < to->figures.rows.count; i++) {
        const lg_figure_row *row = &to->figures.rows.items[i];
        put_row(to, row);
        put_holders(to, row, &to->figures.held_by[i]);
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
    const lg_figures *all = &to->figures;
    const uint64_t counts[] = {all->total, all->open,    all->closed,
                               all->own,   all->garbage, all->canvas};
    lg_table *known = lg__table_facts(to->table, of, sizeof of / sizeof *of);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        lg__put_count(known, i, counts[i]);
    lg__put_each(known, 6, all->retained);
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
    const lg_figures *all = &to->figures;
    const char *between = ": ";
    lg_text_add(out, "\n");
    lg_text_add_count(out, all->total);
    lg_text_add(out, all->total == 1 ? " figure" : " figures");
    count_text(all->open, "open in pyplot", &between, out);
    count_text(all->closed, "closed", &between, out);
    count_text(all->own, "not pyplot's", &between, out);
    count_text(all->garbage, "garbage", &between, out);
    lg_text_add(out, "; together ");
    lg__format_each(to->graph, all->retained, out);
    lg_text_add(out, ", of which ");
    lg_text_add_size(out, all->canvas);
    lg_text_add(out, " is canvas\n");
}

// Adds the lines below the rows. `mistakes`: the table lists known mistakes.
static void
format_below(report *to, bool mistakes)
{
    lg_text text = {0};
    format_totals(to, &text);
    if (to->figures.open > 0 && !mistakes)
        lg_text_add(&text,
                    "A figure that pyplot knows lives until "
                    "plt.close(figure); "
                    "matplotlib.figure.Figure() makes one that goes with "
                    "its last reference.\n");
    lg__table_format_below(to->table, &text);
}

static lg_status
fill(report *to, lg_error *err)
{
    bool mistakes = false;
    const lg_nodes *nodes = &to->figures.nodes;
    lg__table_set_count(to->table, to->figures.total);
    lg_table *facts = put_facts(to);
    put_rows(to);
    lg_status status =
        lg__put_mistakes(to->table, facts, FINDINGS, to->analysis, nodes->items,
                         nodes->count, &mistakes, err);
    if (to->figures.total > 0)
        format_below(to, mistakes);
    return status;
}

lg_status
lg_tabulate_figures(const lg_analysis *analysis, const lg_scope *scope,
                    size_t limit, lg_table **out, lg_error *err)
{
    report to = {.analysis = analysis, .graph = lg_analysis_graph(analysis)};
    lg_text none = {0};
    lg_status status =
        lg_analysis_figures(analysis, scope, limit, &to.figures, err);
    if (status != LG_OK)
        return status;
    to.table = lg__table_new(to.graph, (lg__layout){.rows = "figures"}, columns,
                             COLUMNS);
    if (to.figures.total == 0)
        lg_text_add(&none, scope == NULL
                               ? "There is no figure of matplotlib.\n"
                               : "The chosen modules hold no figure of "
                                 "matplotlib.\n");
    lg__table_format_above(to.table, &none);
    status = fill(&to, err);
    lg_figures_free(&to.figures);
    if (status == LG_OK)
        return lg__table_finish(to.table, out, err);
    lg_table_free(to.table);
    return status;
}

lg_status
lg_report_figures(const lg_analysis *analysis, const lg_scope *scope,
                  size_t limit, lg_format format, lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    lg_status status = lg_tabulate_figures(analysis, scope, limit, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}

/* ---------------------------------------------------------- the question */

typedef struct figures_options {
    size_t limit;
    const lg_scope *scope;
} figures_options;

static lg_status
ask_figures(const lg_ask *ask, lg_table **out, lg_error *err)
{
    const figures_options *options = ask->options;
    return lg_tabulate_figures(ask->analysis, options->scope, options->limit,
                               out, err);
}

static const figures_options usual = {0};

static const lg_option options[] = {
    LG__LIMIT(figures_options, "the biggest first"),
    LG__MINE(figures_options),
    LG__MODULE(figures_options),
    {0},
};

static const lg_field none[] = {{0}};

static const lg_answering in_c = {
    .options_size = sizeof usual, .usual = &usual, .table = ask_figures};

const lg_question lg__ask_figures = {
    .name = "figures",
    .title = "Figures",
    .help = "list matplotlib figures",
    .about =
        "Lists matplotlib's figures: number, size, axes, artists, the pixels "
        "of the canvas, the retained size, and who holds the figure (pyplot's "
        "registry of open figures, an animation, a callback, a variable). The "
        "option mine includes the figures that pyplot holds.",
    .order = "the biggest first",
    .example = NULL,
    .needs = LG_NEEDS_ANALYSIS,
    .options = options,
    .fields = none,
    .facts = none,
    .in_c = &in_c,
};
