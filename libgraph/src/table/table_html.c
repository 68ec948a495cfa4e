// Writes tables as HTML: a piece of a page, with styles in place or from the
// page's sheet.
#include "table/table_chart.h"

#include <leakgraph/internal/wording.h>
#include "base/base_private.h"

#include <string.h>

// Longer texts are folded after their beginning.
enum { LONG = 160, LONG_PROSE = 400, BEGINNING = 80 };

// A table shows its first rows and folds the others, unless these are few.
enum { ROWS_FIRST = 12, ROWS_FOLDED = 9 };

// A page with a strict content policy allows no styles in place.
enum { DEEPEST_CLASS = 12 };

typedef struct writer {
    bool classes;
    lg_table_links links;
    lg_text cell;
    lg_text *out;
} writer;

static bool
is_shown(const lg__column *column)
{
    return lg__column_is_in(column, LG__IN_HTML);
}

static bool
is_of_bytes(const lg__column *column)
{
    return is_shown(column) &&
           (column->type == LG_COLUMN_SIZE || column->type == LG_COLUMN_BYTES);
}

// Returns the column at a place on the page: changes stand behind the first
// bytes and the other numbers beside these, or else before the first text.
static size_t
column_at(const lg_table *table, size_t place)
{
    size_t numbers = 0;
    if (table->changes == 0)
        return place;
    while (numbers < table->changes && !is_of_bytes(&table->columns[numbers]))
        numbers++;
    if (numbers == table->changes)
        numbers = 0;
    while (numbers < table->changes &&
           (!is_shown(&table->columns[numbers]) ||
            lg__column_is_right(&table->columns[numbers])))
        numbers++;
    if (place < numbers)
        return place;
    return place < numbers + LG__CHANGES ? table->changes + place - numbers
                                         : place - LG__CHANGES;
}

static void
add_class(const lg__column *column, uint32_t depth, bool apart, lg_text *out)
{
    if (lg__column_is_right(column))
        lg_text_addf(out, " class=\"n%s\"", apart ? " apart" : "");
    else if (column->tree != LG__FLAT && depth > 0)
        lg_text_addf(out, " class=\"d%u%s\"",
                     depth < DEEPEST_CLASS ? depth : DEEPEST_CLASS,
                     column->type == LG_COLUMN_PATH ? " path" : "");
    else if (column->type == LG_COLUMN_PATH)
        lg_text_add(out, " class=\"path\"");
}

// Adds the exact value, which scripts sort by, where people read a rounded one.
static void
add_value(const lg_column_type type, const lg_cell *cell, lg_text *out)
{
    if (!cell->present || cell->text.length > 0)
        return;
    if (type == LG_COLUMN_SHARE) {
        lg_text_add(out, " data-v=\"");
        lg_text_add_fixed(out, cell->share, 6);
        lg_text_add(out, "\"");
    } else if (type == LG_COLUMN_COUNT || type == LG_COLUMN_BYTES ||
               type == LG_COLUMN_SIZE) {
        lg_text_addf(out, " data-v=\"%llu\"", (unsigned long long)cell->count);
    } else if (type == LG_COLUMN_NUMBER) {
        lg_text_addf(out, " data-v=\"%lld\"", (long long)cell->number);
    }
}

static void
add_style(const lg__column *column, uint32_t depth, bool apart, lg_text *out)
{
    if (lg__column_is_right(column))
        lg_text_addf(out, " style=\"text-align:right;white-space:nowrap%s\"",
                     apart ? ";color:#BC4C00;font-weight:600" : "");
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
    size_t shown = lg__utf8_cut(bytes, BEGINNING);
    const char *line = memchr(bytes, '\n', shown);
    lg_text_add(out, "<details><summary>");
    lg_text_add_html(out, bytes, line ? (size_t)(line - bytes) : shown);
    lg_text_add(out, "...</summary>");
    lg_text_add_html(out, bytes, length);
    lg_text_add(out, "</details>");
}

static bool
is_called(const lg__column *column, const char *name)
{
    return column->name != NULL && strcmp(column->name, name) == 0;
}

// Returns the column that links to the object of a row: the object itself, or
// else its path, or else the last text.
static size_t
linked_column(const lg_table *table)
{
    size_t path = table->column_count;
    size_t text = table->column_count;
    for (size_t i = table->column_count; i-- > 0;) {
        const lg__column *column = &table->columns[i];
        if (!is_shown(column) || is_called(column, "cut"))
            continue;
        if (column->type == LG_COLUMN_NODE)
            return i;
        if (column->type == LG_COLUMN_PATH)
            path = i;
        if (column->type == LG_COLUMN_TEXT && text == table->column_count)
            text = i;
    }
    return path < table->column_count ? path : text;
}

// Returns the object of a row: the one in the column, or else what programs
// get; of several, the one called node.
static uint32_t
linked_node(const lg_table *table, size_t row, size_t column)
{
    const lg__cell *shown = lg__cell_at(table, row, column);
    uint32_t found = LG_NONE;
    if (shown->kind == LG_COLUMN_NODE + 1)
        return shown->length;
    for (size_t i = 0; i < table->column_count; i++) {
        const lg__cell *cell = lg__cell_at(table, row, i);
        if (cell->kind == LG_COLUMN_NODE + 1 &&
            (found == LG_NONE || is_called(&table->columns[i], "node")))
            found = cell->length;
    }
    return found;
}

static void
add_query(const writer *to, const char *before, const char *kind)
{
    lg_text_addf(to->out, "<a href=\"%s%s", before, kind);
    lg_text_add_url(to->out, to->cell.data, to->cell.length);
    lg_text_add(to->out, "\">");
}

// Opens a link around the text of a cell. Returns false if the cell has none.
static bool
open_link(const writer *to, const lg_table *table, size_t row, size_t column)
{
    const lg__column *of = &table->columns[column];
    bool leads = of->type == LG_COLUMN_NODE || column == linked_column(table);
    uint32_t node = to->links.node != NULL && leads
                        ? linked_node(table, row, column)
                        : LG_NONE;
    if (to->cell.length == 0 || table->rows[row].total)
        return false;
    if (to->links.reference != NULL && is_called(of, "cut"))
        add_query(to, to->links.reference, "");
    else if (to->links.selector != NULL && is_called(of, "type"))
        add_query(to, to->links.selector, "type%3A");
    else if (node != LG_NONE)
        lg_text_addf(to->out, "<a href=\"%s%u\">", to->links.node, node);
    else
        return false;
    return true;
}

static void
add_cell(writer *to, const lg_table *table, size_t row, size_t column)
{
    const lg__column *of = &table->columns[column];
    lg_cell cell = lg_table_cell(table, row, column);
    uint32_t depth = table->rows[row].depth;
    bool apart = lg__cell_at(table, row, column)->mark == LG__APART;
    lg_text *out = to->out;
    to->cell.length = 0;
    lg__cell_format(table, row, column, &to->cell);
    lg_text_add(out, "<td");
    (to->classes ? add_class : add_style)(of, depth, apart, out);
    add_value(of->type, &cell, out);
    lg_text_add(out, ">");
    if (!lg__cell_draw(table, row, column, out)) {
        bool linked = open_link(to, table, row, column);
        add_text(of, to->cell.data ? to->cell.data : "", to->cell.length, out);
        lg_text_add(out, linked ? "</a>" : "");
    }
    lg_text_add(out, "</td>");
}

static void
add_row(writer *to, const lg_table *table, size_t row)
{
    lg_text_add(to->out, "<tr>");
    for (size_t i = 0; i < table->column_count; i++) {
        size_t column = column_at(table, i);
        if (is_shown(&table->columns[column]))
            add_cell(to, table, row, column);
    }
    lg_text_add(to->out, "</tr>");
}

static void
add_headings(const writer *to, const lg_table *table)
{
    lg_text *out = to->out;
    lg_text_add(out, "<thead><tr>");
    for (size_t i = 0; i < table->column_count; i++) {
        const lg__column *column = &table->columns[column_at(table, i)];
        const char *heading = lg__column_heading(column);
        if (!is_shown(column))
            continue;
        const char *tag = *heading ? "th" : "td";
        lg_text_addf(out, to->classes && *heading ? "<%s scope=\"col\"" : "<%s",
                     tag);
        (to->classes ? add_class : add_style)(column, 0, false, out);
        lg_text_add(out, ">");
        lg_text_add_html(out, heading, strlen(heading));
        lg_text_addf(out, "</%s>", tag);
    }
    lg_text_add(out, "</tr></thead>");
}

// Writes a paragraph for each line.
static void
add_lines(const lg_text *lines, lg_text *out)
{
    if (lines->length == 0)
        return;
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

// Returns the first row from `row` on that follows `most` visible rows. Sets
// how many there are.
static size_t
skip_rows(const lg_table *table, size_t row, size_t end, size_t most,
          size_t *count)
{
    for (*count = 0; row < end && *count < most; row++)
        *count += !table->rows[row].hidden;
    return row;
}

static void
open_table(writer *to, const lg_table *table, size_t row, size_t end)
{
    lg_text_add(to->out, "<table>");
    if (!table->layout.bare)
        add_headings(to, table);
    lg_text_add(to->out, "<tbody>");
    for (; row < end; row++)
        if (!table->rows[row].hidden)
            add_row(to, table, row);
    lg_text_add(to->out, "</tbody>");
}

// Folds rows in a way that needs no script in a notebook. A script, if one
// runs, moves the rows back into the table before.
static void
fold_rows(writer *to, const lg_table *table, size_t row, size_t end,
          size_t count)
{
    lg_text *out = to->out;
    lg_text_add(out, "<details class=\"more\"><summary>");
    lg_text_add_count(out, count);
    lg_text_add(out, " more rows</summary>");
    open_table(to, table, row, end);
    lg_text_add(out, "</table></details>");
}

static void
write_rows(writer *to, const lg_table *table, size_t limit)
{
    size_t shown = lg__table_shown(table, limit);
    size_t count = lg_table_row_count(table);
    size_t rest = 0;
    lg_text *out = to->out;
    size_t first = skip_rows(table, 0, shown, ROWS_FIRST, &rest);
    skip_rows(table, first, shown, shown, &rest);
    bool folded = !to->classes && rest >= ROWS_FOLDED;
    open_table(to, table, 0, folded ? first : shown);
    if (table->row_count > count)
        lg_text_add(out, "<tfoot>");
    for (size_t row = count; row < table->row_count; row++)
        add_row(to, table, row);
    lg_text_add(out,
                table->row_count > count ? "</tfoot></table>" : "</table>");
    if (folded)
        fold_rows(to, table, first, shown, rest);
    to->cell.length = 0;
    if (lg__table_format_more(table, shown, &to->cell))
        add_lines(&to->cell, out);
}

static void
write_table(writer *to, const lg_table *table, size_t limit)
{
    add_lines(&table->above, to->out);
    if (table->row_count > 0 && lg__table_is_in(table, LG__IN_HTML))
        write_rows(to, table, limit);
    add_lines(&table->below, to->out);
    for (const lg_table *part = table->first_part; part != NULL;
         part = part->next_part)
        if (lg__table_is_in(part, LG__IN_HTML))
            write_table(to, part, 0);
}

static lg_status
write_whole(const lg_table *table, size_t limit, bool classes,
            const lg_table_links *links, lg_text *out, lg_error *err)
{
    size_t start = out->length;
    writer to = {.classes = classes, .out = out};
    if (links)
        to.links = *links;
    write_table(&to, table, limit);
    bool failed = out->failed || to.cell.failed;
    lg_text_free(&to.cell);
    if (!failed)
        return LG_OK;
    lg__text_cut(out, start);
    return lg__error_memory(err);
}

lg_status
lg_table_html(const lg_table *table, size_t limit, lg_text *out, lg_error *err)
{
    return write_whole(table, limit, false, NULL, out, err);
}

lg_status
lg_table_html_plain(const lg_table *table, size_t limit, lg_text *out,
                    lg_error *err)
{
    return write_whole(table, limit, true, NULL, out, err);
}

lg_status
lg_table_html_linked(const lg_table *table, size_t limit,
                     const lg_table_links *links, lg_text *out, lg_error *err)
{
    return write_whole(table, limit, true, links, out, err);
}
