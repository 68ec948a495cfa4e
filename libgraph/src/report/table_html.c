// Tables as HTML: a piece of a page, styled in place.
#include "report/table.h"
#include "base/base_private.h"

#include <string.h>

// Longer texts are folded behind their beginning.
enum { LONG = 160, LONG_PROSE = 400, BEGINNING = 80 };

// A chart in a cell, in pixels.
enum { CHART_WIDTH = 80, CHART_HEIGHT = 20, INSET = 3 };

static bool
is_shown(const lg__column *column)
{
    return lg__column_is_in(column, LG__IN_HTML);
}

static void
add_style(const lg__column *column, uint32_t depth, lg_text *out)
{
    if (lg__column_is_right(column))
        lg_text_add(out, " style=\"text-align:right;white-space:nowrap\"");
    else if (column->tree != LG__FLAT && depth > 0)
        lg_text_addf(out, " style=\"text-align:left;padding-left:%u.%uem\"",
                     (depth * 3 + 1) / 2, depth % 2 == 0 ? 5 : 0);
    else
        lg_text_add(out, " style=\"text-align:left\"");
}

static void
add_text(const lg__column *column, const char *bytes, size_t length,
         lg_text *out)
{
    if (length <= (column->type == LG_COLUMN_TEXT ? LONG_PROSE : LONG)) {
        lg_text_add_html(out, bytes, length);
        return;
    }
    lg_text_add(out, "<details><summary>");
    lg_text_add_html(out, bytes, lg__utf8_cut(bytes, BEGINNING));
    lg_text_add(out, "...</summary>");
    lg_text_add_html(out, bytes, length);
    lg_text_add(out, "</details>");
}

// A line through the numbers, from the least to the most of them, with a dot at
// the last one. A picture of its own in the page: no script, no style sheet.
static void
add_chart(const lg_cell *cell, lg_text *out)
{
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    unsigned x = INSET;
    unsigned y = CHART_HEIGHT / 2;
    for (uint64_t i = 0; i < cell->count; i++) {
        least = cell->numbers[i] < least ? cell->numbers[i] : least;
        most = cell->numbers[i] > most ? cell->numbers[i] : most;
    }
    lg_text_addf(out,
                 "<svg width=\"%d\" height=\"%d\" role=\"img\" "
                 "aria-label=\"from %llu to %llu\">"
                 "<polyline fill=\"none\" stroke=\"#BC4C00\" "
                 "stroke-width=\"1.5\" points=\"",
                 CHART_WIDTH, CHART_HEIGHT, (unsigned long long)least,
                 (unsigned long long)most);
    for (uint64_t i = 0; i < cell->count; i++) {
        double way =
            cell->count > 1 ? (double)i / (double)(cell->count - 1) : 0;
        x = INSET + (unsigned)(way * (CHART_WIDTH - 2 * INSET));
        if (most > least)
            y = CHART_HEIGHT - INSET -
                (unsigned)((double)(cell->numbers[i] - least) /
                           (double)(most - least) * (CHART_HEIGHT - 2 * INSET));
        lg_text_addf(out, "%s%u,%u", i > 0 ? " " : "", x, y);
    }
    lg_text_addf(out,
                 "\"/><circle cx=\"%u\" cy=\"%u\" r=\"2\" "
                 "fill=\"#BC4C00\"/></svg>",
                 x, y);
}

static void
add_row(const lg_table *table, size_t row, lg_text *cell, lg_text *out)
{
    lg_text_add(out, "<tr>");
    for (size_t i = 0; i < table->column_count; i++) {
        if (!is_shown(&table->columns[i]))
            continue;
        cell->length = 0;
        lg__cell_format(table, row, i, cell);
        lg_text_add(out, "<td");
        add_style(&table->columns[i], table->rows[row].depth, out);
        lg_text_add(out, ">");
        lg_cell numbers = lg_table_cell(table, row, i);
        if (table->columns[i].chart && numbers.count > 0)
            add_chart(&numbers, out);
        else
            add_text(&table->columns[i], cell->data ? cell->data : "",
                     cell->length, out);
        lg_text_add(out, "</td>");
    }
    lg_text_add(out, "</tr>");
    out->failed |= cell->failed;
}

static void
add_headings(const lg_table *table, lg_text *out)
{
    lg_text_add(out, "<thead><tr>");
    for (size_t i = 0; i < table->column_count; i++) {
        const char *heading = lg__column_heading(&table->columns[i]);
        if (!is_shown(&table->columns[i]))
            continue;
        lg_text_add(out, "<th");
        add_style(&table->columns[i], 0, out);
        lg_text_add(out, ">");
        lg_text_add_html(out, heading, strlen(heading));
        lg_text_add(out, "</th>");
    }
    lg_text_add(out, "</tr></thead>");
}

// A paragraph for each line.
static void
add_lines(const lg_text *lines, lg_text *out)
{
    const char *end = lines->data + lines->length;
    for (const char *at = lines->data; at < end;) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((next ? next : end) - at);
        if (length > 0) {
            lg_text_add(out, "<p>");
            lg_text_add_html(out, at, length);
            lg_text_add(out, "</p>");
        }
        at = next == NULL ? end : next + 1;
    }
}

static void
write_rows(const lg_table *table, size_t limit, lg_text *out)
{
    lg_text cell = {0};
    size_t shown = lg__table_shown(table, limit);
    size_t count = lg_table_row_count(table);
    lg_text_add(out, "<table>");
    if (!table->layout.bare)
        add_headings(table, out);
    lg_text_add(out, "<tbody>");
    for (size_t row = 0; row < shown; row++)
        if (!table->rows[row].hidden)
            add_row(table, row, &cell, out);
    lg_text_add(out, "</tbody>");
    if (table->row_count > count)
        lg_text_add(out, "<tfoot>");
    for (size_t row = count; row < table->row_count; row++)
        add_row(table, row, &cell, out);
    lg_text_add(out,
                table->row_count > count ? "</tfoot></table>" : "</table>");
    cell.length = 0;
    if (lg__table_format_more(table, shown, &cell))
        add_lines(&cell, out);
    out->failed |= cell.failed;
    lg_text_free(&cell);
}

static void
write_table(const lg_table *table, size_t limit, lg_text *out)
{
    add_lines(&table->above, out);
    if (table->row_count > 0 && lg__table_is_in(table, LG__IN_HTML))
        write_rows(table, limit, out);
    add_lines(&table->below, out);
    for (const lg_table *part = table->first_part; part != NULL;
         part = part->next_part)
        if (lg__table_is_in(part, LG__IN_HTML))
            write_table(part, 0, out);
}

lg_status
lg_table_html(const lg_table *table, size_t limit, lg_text *out, lg_error *err)
{
    size_t start = out->length;
    write_table(table, limit, out);
    if (!out->failed)
        return LG_OK;
    lg__text_cut(out, start);
    return lg__error_memory(err);
}
