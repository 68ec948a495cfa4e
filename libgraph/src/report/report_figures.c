// Formats figures as a table with their holders.
#include "answers/answers_private.h"

#include <leakgraph/internal/wording.h>
#include "report/report_private.h"

#include <inttypes.h>

typedef struct figures_options {
    size_t limit;
    const lg_scope *scope;
} figures_options;

typedef struct figures_answer {
    lg_figures figures;
    lg_findings mistakes;
} figures_answer;

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

static const lg_figure_holders *
holders_of(const void *answer, const lg_figure_row *row)
{
    const lg_figures *figures = &((const figures_answer *)answer)->figures;
    return &figures->held_by[row - figures->rows.items];
}

static void
write_held_by(const lg_ask *ask, const void *answer, const void *of,
              lg_text *out)
{
    const lg_figure_row *row = of;
    const lg_figure_holders *holders = holders_of(answer, row);
    if (!row->reachable) {
        lg_text_add(out, "nobody: garbage that the collector has yet to free");
        return;
    }
    for (size_t i = 0; i < holders->count; i++) {
        lg_text_add(out, i > 0 ? "; " : "");
        format_holder(ask->graph, &holders->items[i], out);
    }
    if (holders->more > 0)
        lg_text_addf(out, "; %" PRIu64 " more", holders->more);
    if (holders->count == 0)
        lg_text_add(out, "the interpreter");
}

static void
write_extent(const lg_ask *ask, const void *answer, const void *of,
             lg_text *out)
{
    const lg_figure_row *row = of;
    (void)ask, (void)answer;
    if (row->width > 0)
        lg_text_addf(out, "%" PRIu64 "x%" PRIu64, row->width, row->height);
    else
        lg_text_add(out, "?");
}

static void
write_state(const lg_ask *ask, const void *answer, const void *of, lg_text *out)
{
    const lg_figure_row *row = of;
    (void)ask, (void)answer;
    lg_text_add(out, row->number < 0 ? "" : row->closed ? "closed" : "open");
}

static void
write_place(const lg_ask *ask, const void *answer, const void *holder,
            lg_text *out)
{
    (void)answer;
    format_where(ask->graph, holder, out);
}

static void
put_holders(const lg_ask *ask, const void *answer, const void *row,
            const lg_field *field, lg_table *table, size_t column)
{
    const lg_figure_holders *holders = holders_of(answer, row);
    const lg__rows rows = {holders->items, holders->count,
                           sizeof *holders->items};
    lg__put_list(ask, answer, field, &rows, table, column);
}

static void
put_more(const lg_ask *ask, const void *answer, const void *row,
         const lg_field *field, lg_table *table, size_t column)
{
    (void)ask, (void)field;
    lg__put_count(table, column, holders_of(answer, row)->more);
}

static void
put_mistakes(const lg_ask *ask, const void *answer, const void *row,
             const lg_field *field, lg_table *table, size_t column)
{
    (void)row, (void)field;
    lg__put_findings(table, column, ask,
                     &((const figures_answer *)answer)->mistakes);
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
format_totals(const lg_graph *graph, const lg_figures *all, lg_text *out)
{
    const char *between = ": ";
    lg_text_add(out, "\n");
    lg_text_add_count(out, all->total);
    lg_text_add(out, all->total == 1 ? " figure" : " figures");
    count_text(all->open, "open in pyplot", &between, out);
    count_text(all->closed, "closed", &between, out);
    count_text(all->own, "not pyplot's", &between, out);
    count_text(all->garbage, "garbage", &between, out);
    lg_text_add(out, "; together ");
    lg__format_each(graph, all->retained, out);
    lg_text_add(out, ", of which ");
    lg_text_add_size(out, all->canvas);
    lg_text_add(out, " is canvas\n");
}

static void
add_lines(const lg_ask *ask, const void *answer, lg_table *table)
{
    const figures_answer *of = answer;
    const figures_options *options = ask->options;
    lg_text above = {0};
    lg_text below = {0};
    if (of->figures.total == 0)
        lg_text_add(&above, options->scope == NULL
                                ? "There is no figure of matplotlib.\n"
                                : "The chosen modules hold no figure of "
                                  "matplotlib.\n");
    else
        format_totals(ask->graph, &of->figures, &below);
    if (of->figures.open > 0 && of->mistakes.count == 0)
        lg_text_add(&below,
                    "A figure that pyplot knows lives until "
                    "plt.close(figure); "
                    "matplotlib.figure.Figure() makes one that goes with "
                    "its last reference.\n");
    lg__table_format_above(table, &above);
    lg__table_format_below(table, &below);
    lg__add_mistakes(table, ask, &of->mistakes);
}

static void
free_figures(void *answer)
{
    figures_answer *of = answer;
    lg_findings_free(&of->mistakes);
    lg_figures_free(&of->figures);
}

static lg_status
ask_figures(const lg_ask *ask, void *answer, lg_error *err)
{
    figures_answer *of = answer;
    const figures_options *options = ask->options;
    const lg_nodes *nodes = &of->figures.nodes;
    lg_status status = lg_analysis_figures(ask->analysis, options->scope,
                                           options->limit, &of->figures, err);
    if (status != LG_OK)
        return status;
    status = lg_nodes_findings(ask->analysis, nodes->items, nodes->count,
                               ask->monitor, &of->mistakes, err);
    if (status != LG_OK)
        lg_figures_free(&of->figures);
    return status;
}

static const figures_options usual = {0};

static const lg_option options[] = {
    LG__LIMIT(figures_options, "the biggest first"),
    LG__MINE(figures_options),
    LG__MODULE(figures_options),
    {0},
};

static const char *const holder_kinds[] = {
    [LG_HOLDER_PYPLOT] = "pyplot",     [LG_HOLDER_ANIMATION] = "animation",
    [LG_HOLDER_CALLBACK] = "callback", [LG_HOLDER_VARIABLE] = "variable",
    [LG_HOLDER_NATIVE] = "native",     NULL,
};

static const lg_field holder_fields[] = {
    {"kind", NULL, "what it is", LG_COLUMN_TEXT,
     .offset = offsetof(lg_figure_holder, kind), .words = holder_kinds},
    {"held_by", NULL, "where it is", LG_COLUMN_PATH, .write = write_place,
     .optional = true},
    {0},
};

#define ROW(member) .offset = offsetof(lg_figure_row, member)

static const lg_field fields[] = {
    {"retained", NULL, "what you would free with it, canvas included",
     LG_COLUMN_SIZE, ROW(retained), .look = {.least = 12}},
    {"canvas", NULL, "bytes of pixels; 0: it was never drawn", LG_COLUMN_BYTES,
     ROW(canvas), .look = {.none = "not drawn", .gap = 2, .least = 9}},
    {"number", NULL, "pyplot's number, if it ever had it", LG_COLUMN_NUMBER,
     ROW(number), .optional = true, .look = {.gap = 2}},
    {NULL, "size", NULL, LG_COLUMN_TEXT, .write = write_extent,
     .look = {.right = true, .gap = 2, .least = 9}},
    {"axes", NULL, "number of axes", LG_COLUMN_COUNT, ROW(axes),
     .look = {.gap = 2}},
    {"artists", NULL, "number of artists, axes included", LG_COLUMN_COUNT,
     ROW(artists), .look = {.gap = 2}},
    {NULL, "state", NULL, LG_COLUMN_TEXT, .write = write_state,
     .look = {.gap = 2, .least = 6}},
    {"node", NULL, "the figure", LG_COLUMN_NODE, ROW(node),
     .look = {.in = LG_IN_DATA}},
    {"type", NULL, "module and qualified name of its type", LG_COLUMN_TEXT,
     ROW(node), .of = LG_FIELD_TYPE, .look = {.in = LG_IN_DATA}},
    {"title", NULL, "the figure in a few words", LG_COLUMN_TEXT, ROW(node),
     .of = LG_FIELD_TITLE, .look = {.in = LG_IN_DATA}},
    {"width", NULL, "of the canvas, in pixels; 0: unknown", LG_COLUMN_COUNT,
     ROW(width), .look = {.in = LG_IN_DATA}},
    {"height", NULL, "of the canvas, in pixels; 0: unknown", LG_COLUMN_COUNT,
     ROW(height), .look = {.in = LG_IN_DATA}},
    {"closed", NULL, "whether pyplot does not have it", LG_COLUMN_BOOL,
     ROW(closed), .look = {.in = LG_IN_DATA}},
    {"reachable", NULL, "false for garbage", LG_COLUMN_BOOL, ROW(reachable),
     .look = {.in = LG_IN_DATA}},
    {"held_by", "held by", "who holds it, in words", LG_COLUMN_TEXT,
     .write = write_held_by, .look = {.gap = 2}},
    {"holders", NULL, "the same as pairs of a kind and a path", LG_COLUMN_LIST,
     .put = put_holders, .inner = holder_fields, .look = {.in = LG_IN_DATA}},
    {"more_holders", NULL, "number of holders that are left out",
     LG_COLUMN_COUNT, .put = put_more, .look = {.in = LG_IN_DATA}},
    {0},
};

#define FACT(member) .offset = offsetof(figures_answer, figures.member)

static const lg_field facts[] = {
    {"figures", NULL, "number of figures, before the limit", LG_COLUMN_COUNT,
     FACT(total)},
    {"open", NULL, "number of those that pyplot has", LG_COLUMN_COUNT,
     FACT(open)},
    {"closed", NULL, "number of those that pyplot no longer has",
     LG_COLUMN_COUNT, FACT(closed)},
    {"own", NULL, "number of those that pyplot never had", LG_COLUMN_COUNT,
     FACT(own)},
    {"garbage", NULL, "number of those that no root reaches", LG_COLUMN_COUNT,
     FACT(garbage)},
    {"canvas", NULL, "bytes of all pixels", LG_COLUMN_BYTES, FACT(canvas)},
    {"retained", NULL, "what all figures retain, before the limit",
     LG_COLUMN_SIZE, FACT(retained)},
    LG__MISTAKES(put_mistakes),
    {0},
};

static const void *const every[] = {&usual, NULL};

// pyplot's number tells a figure from others; else its place does.
static bool
is_about(const lg_ask *ask, const void *answer, const void *of, lg_thing *out)
{
    const lg_figure_row *row = of;
    bool numbered = row->number >= 0;
    (void)ask, (void)answer;
    *out = (lg_thing){.kind = LG_THING_ROW,
                      .node = numbered ? LG_NONE : row->node,
                      .number = numbered ? (uint64_t)row->number + 1 : 0,
                      .count = 1,
                      .bytes = row->total};
    return true;
}

static const lg_answering in_c = {
    .options_size = sizeof usual,
    .usual = &usual,
    .answer_size = sizeof(figures_answer),
    .ask = ask_figures,
    .free = free_figures,
    .row_size = sizeof(lg_figure_row),
    .rows = offsetof(figures_answer, figures.rows.items),
    .count = offsetof(figures_answer, figures.rows.count),
    .total = offsetof(figures_answer, figures.total),
    .thing = is_about,
    .every = every,
    .counted = "Δ figures",
    .tallied = "figures",
    .tally = LG_TALLY_FIGURE,
    .noun = "figure",
    .below = add_lines,
};

const lg_question lg__ask_figures = {
    .name = "figures",
    .title = "Figures",
    .help = "list matplotlib figures",
    .about =
        "Lists matplotlib's figures: number, size, axes, artists, the pixels "
        "of the canvas, the retained size, and who holds the figure (pyplot's "
        "registry of open figures, an animation, a callback, a variable). Each "
        "byte counts for one figure only. The option mine includes the figures "
        "that pyplot holds.",
    .order = "the biggest first",
    .example = "--mine",
    .result = "Figures",
    .row = "FigureRow",
    .needs = LG_NEEDS_ANALYSIS,
    .options = options,
    .fields = fields,
    .facts = facts,
    .in_c = &in_c,
};
