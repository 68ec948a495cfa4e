// Figures as a table, each with who holds it.
#include "bytes/bytes_private.h"
#include "report/words.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct report {
    lg__figures figures;
    lg__roottree tree;
    lg_text text;
    uint64_t open; // pyplot knows them
    uint64_t closed;
    uint64_t own; // pyplot never knew them
    uint64_t garbage;
    uint64_t canvas;
    lg_bytes retained;
} report;

static void
add_up(report *to)
{
    for (size_t i = 0; i < to->figures.rows.count; i++) {
        const lg_figure_row *row = &to->figures.rows.items[i];
        to->open += !row->closed;
        if (row->closed && !row->reachable)
            to->garbage++;
        else if (row->closed)
            *(row->number < 0 ? &to->own : &to->closed) += 1;
        to->canvas += row->canvas;
        to->retained.host += row->retained.host;
        to->retained.device += row->retained.device;
    }
}

/* ---------------------------------------------------------------- text --- */

static void
format_holder(const lg__holder *holder, lg_text *out)
{
    static const char *const said[] = {"pyplot's registry", "animation ",
                                       "callback ", "", "native code: "};
    lg_text_add(out, said[holder->kind]);
    if (holder->where.length > 0)
        lg_text_add_bytes(out, holder->where.data, holder->where.length);
}

static void
format_holders(const lg_figure_row *row, const lg__holders *holders,
               lg_text *out)
{
    if (!row->reachable) {
        lg_text_add(out, "nobody: garbage that the collector has yet to free");
        return;
    }
    for (size_t i = 0; i < holders->count; i++) {
        lg_text_add(out, i > 0 ? "; " : "");
        format_holder(&holders->items[i], out);
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

static void
row_text(report *to, const lg_figure_row *row, const lg__holders *holders)
{
    lg_text *out = &to->text;
    lg_text cell = {0};
    lg__format_bytes(to->figures.graph, row->retained, &cell);
    lg__format_right(&cell, 12, out);
    if (row->canvas > 0)
        lg_text_add_size(&cell, row->canvas);
    else
        lg_text_add(&cell, "not drawn");
    lg__format_right(&cell, 11, out);
    if (row->number >= 0)
        lg_text_addf(&cell, "%" PRIi64, row->number);
    lg__format_right(&cell, 8, out);
    format_extent(row, &cell);
    lg__format_right(&cell, 11, out);
    lg_text_addf(&cell, "%u", row->axes);
    lg__format_right(&cell, 6, out);
    lg_text_add_count(&cell, row->artists);
    lg__format_right(&cell, 9, out);
    lg_text_free(&cell);
    lg_text_add(out, row->number < 0 ? "          "
                     : row->closed   ? "  closed  "
                                     : "  open    ");
    format_holders(row, holders, out);
    lg_text_add(out, "\n");
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
add_totals(report *to, size_t shown)
{
    size_t count = to->figures.rows.count;
    const char *between = ": ";
    lg_text *out = &to->text;
    if (shown < count) {
        lg_text_add(out, "         ... and ");
        lg_text_add_count(out, count - shown);
        lg_text_add(out, " more\n");
    }
    lg_text_add(out, "\n");
    lg_text_add_count(out, count);
    lg_text_add(out, count == 1 ? " figure" : " figures");
    count_text(to->open, "open in pyplot", &between, out);
    count_text(to->closed, "closed", &between, out);
    count_text(to->own, "not pyplot's", &between, out);
    count_text(to->garbage, "garbage", &between, out);
    lg_text_add(out, "; together ");
    lg__format_bytes(to->figures.graph, to->retained, out);
    lg_text_add(out, ", of which canvas ");
    lg_text_add_size(out, to->canvas);
    lg_text_add(out, "\n");
}

static void
add_hint(report *to)
{
    if (to->open > 0)
        lg_text_add(&to->text,
                    "A figure that pyplot knows lives until "
                    "plt.close(figure); "
                    "matplotlib.figure.Figure() makes one that goes with "
                    "its last reference.\n");
}

/* ---------------------------------------------------------------- JSON --- */

static void
row_json(report *to, const lg_figure_row *row, const lg__holders *holders)
{
    lg_text *out = &to->text;
    lg_text_add(out, "{");
    lg__json_node(to->figures.graph, row->node, out);
    lg_text_add(out, ", \"number\": ");
    if (row->number >= 0)
        lg_text_addf(out, "%" PRIi64, row->number);
    else
        lg_text_add(out, "null");
    lg_text_addf(out,
                 ", \"width\": %u, \"height\": %u, \"axes\": %u, "
                 "\"artists\": %u, \"closed\": %s, \"reachable\": %s, "
                 "\"canvas\": %" PRIu64 ", \"retained\": ",
                 row->width, row->height, row->axes, row->artists,
                 row->closed ? "true" : "false",
                 row->reachable ? "true" : "false", row->canvas);
    lg__json_bytes(row->retained, out);
    lg_text_add(out, ", \"held_by\": [");
    for (size_t i = 0; i < holders->count; i++) {
        const lg__holder *holder = &holders->items[i];
        lg_text_addf(out, "%s{\"kind\": \"%s\", \"where\": ", i > 0 ? ", " : "",
                     lg__holder_name(holder->kind));
        lg_text_add_json(out, holder->where.data ? holder->where.data : "",
                         holder->where.length);
        lg_text_add(out, "}");
    }
    lg_text_addf(out, "], \"more_holders\": %" PRIu64 "}", holders->more);
}

static void
json_totals(report *to)
{
    lg_text_addf(&to->text,
                 "\n], \"count\": %zu, \"open\": %" PRIu64
                 ", \"closed\": %" PRIu64 ", \"own\": %" PRIu64
                 ", \"garbage\": %" PRIu64 ", \"canvas\": %" PRIu64
                 ", \"retained\": ",
                 to->figures.rows.count, to->open, to->closed, to->own,
                 to->garbage, to->canvas);
    lg__json_bytes(to->retained, &to->text);
}

/* -------------------------------------------------------------- report --- */

static lg_status
add_rows(report *to, size_t count, lg_format format, lg_error *err)
{
    bool json = format == LG_FORMAT_JSON;
    lg_status status = LG_OK;
    for (size_t i = 0; i < count && status == LG_OK; i++) {
        const lg_figure_row *row = &to->figures.rows.items[i];
        lg__holders holders = {0};
        status = lg__figure_holders(&to->figures, &to->tree, row->node,
                                    &holders, err);
        if (status != LG_OK)
            break;
        if (json)
            lg_text_add(&to->text, i > 0 ? ",\n  " : "\n  ");
        (json ? row_json : row_text)(to, row, &holders);
        lg__holders_free(&holders);
    }
    return status;
}

// The nodes that belong to the first so many figures.
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
add_mistakes(report *to, size_t shown, lg_format format, lg_error *err)
{
    uint32_t *nodes = NULL;
    size_t count = 0;
    lg_status status = members_of(to, shown, &nodes, &count, err);
    if (status != LG_OK)
        return status;
    status = lg__report_mistakes(to->figures.analysis, nodes, count, format,
                                 &to->text, err);
    free(nodes);
    return status;
}

static lg_status
write_report(report *to, size_t limit, lg_format format, lg_error *err)
{
    size_t count = to->figures.rows.count;
    size_t shown = limit > 0 && limit < count ? limit : count;
    if (format == LG_FORMAT_TEXT && count == 0) {
        lg_text_add(&to->text, "There is no figure of matplotlib.\n");
        return LG_OK;
    }
    lg_text_add(&to->text,
                format == LG_FORMAT_JSON
                    ? "{\"figures\": ["
                    : "    retained     canvas  number       size  axes  "
                      "artists  state   held by\n");
    lg_status status =
        lg__roottree_new(to->figures.graph, NULL, &to->tree, err);
    if (status == LG_OK)
        status = add_rows(to, shown, format, err);
    if (format == LG_FORMAT_JSON) {
        json_totals(to);
        lg_text_add(&to->text, ", ");
        if (status == LG_OK)
            status = add_mistakes(to, shown, format, err);
        lg_text_add(&to->text, "}\n");
        return status;
    }
    add_totals(to, shown);
    size_t length = to->text.length;
    if (status == LG_OK)
        status = add_mistakes(to, shown, format, err);
    if (to->text.length == length)
        add_hint(to);
    return status;
}

lg_status
lg_report_figures(const lg_analysis *analysis, size_t limit, lg_format format,
                  lg_text *out, lg_error *err)
{
    report to = {0};
    lg_status status = lg__figures_find(analysis, &to.figures, err);
    if (status == LG_OK) {
        add_up(&to);
        status = write_report(&to, limit, format, err);
    }
    lg__roottree_free(&to.tree);
    lg__figures_free(&to.figures);
    if (status == LG_OK)
        return lg__report_finish(&to.text, out, err);
    lg_text_free(&to.text);
    return status;
}
