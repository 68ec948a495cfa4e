// Writes tables as HTML: a piece of a page, with styles in place or from the
// page's sheet.
#include "table/table_private.h"
#include "base/base_private.h"

#include <leakgraph/internal/wording.h>

#include <stdio.h>
#include <string.h>

// Charts: cells as lines and bars, which are pictures in the page itself,
// without scripts. A style sheet may stretch bars, and may give the classes of
// their parts other colours.

// A line, in pixels.
enum { LINE_WIDTH = 80, LINE_HEIGHT = 20, INSET = 3 };

// Bars side by side: each in a step of its own, 100 units high at most.
enum { BAR_STEP = 10, BAR_WIDTH = 8, BAR_HEIGHT = 100 };

// A bar of parts is as many units wide if the parts make a whole.
enum { PARTS_WIDTH = 1000 };

// The columns of a list that is drawn as bars.
enum { NAME, BYTES, SHARE };

// Returns the greatest number in a column, so that its lines have one scale.
static uint64_t
greatest_in(const lg_table *table, size_t column)
{
    uint64_t most = 0;
    for (size_t row = 0; row < lg_table_row_count(table); row++) {
        lg_cell cell = lg_table_cell(table, row, column);
        for (uint64_t i = 0; cell.numbers != NULL && i < cell.count; i++)
            most = cell.numbers[i] > most ? cell.numbers[i] : most;
    }
    return most;
}

// Draws a line through the numbers, from zero to the greatest of the column,
// with a dot at the last one.
static bool
draw_line(const lg_cell *cell, uint64_t top, lg_text *out)
{
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    unsigned x = INSET;
    unsigned y = LINE_HEIGHT / 2;
    for (uint64_t i = 0; i < cell->count; i++) {
        least = cell->numbers[i] < least ? cell->numbers[i] : least;
        most = cell->numbers[i] > most ? cell->numbers[i] : most;
    }
    if (cell->count == 0)
        return false;
    lg_text_addf(out,
                 "<svg width=\"%d\" height=\"%d\" role=\"img\" "
                 "aria-label=\"from %llu to %llu\">"
                 "<polyline fill=\"none\" stroke=\"#BC4C00\" "
                 "stroke-width=\"1.5\" points=\"",
                 LINE_WIDTH, LINE_HEIGHT, (unsigned long long)least,
                 (unsigned long long)most);
    for (uint64_t i = 0; i < cell->count; i++) {
        double part =
            cell->count > 1 ? (double)i / (double)(cell->count - 1) : 0;
        x = INSET + (unsigned)(part * (LINE_WIDTH - 2 * INSET));
        if (top > 0)
            y = LINE_HEIGHT - INSET -
                (unsigned)((double)cell->numbers[i] / (double)top *
                           (LINE_HEIGHT - 2 * INSET));
        lg_text_addf(out, "%s%u,%u", i > 0 ? " " : "", x, y);
    }
    lg_text_addf(out,
                 "\"/><circle cx=\"%u\" cy=\"%u\" r=\"2\" "
                 "fill=\"#BC4C00\"/></svg>",
                 x, y);
    return true;
}

static void
begin_bars(size_t width, int height, lg_text *out)
{
    lg_text_addf(out,
                 "<svg class=\"bars\" width=\"%d\" height=\"%d\" "
                 "viewBox=\"0 0 %zu %d\" preserveAspectRatio=\"none\" "
                 "aria-hidden=\"true\">",
                 LINE_WIDTH, LINE_HEIGHT, width, height);
}

// Begins a rectangle of the colour that its part has. Of those that no mark
// distinguishes, parts of one bar differ in colour, and bars are alike.
static void
begin_part(const lg_table *list, size_t at, bool alike, lg_text *out)
{
    static const char *const colours[] = {"#0969DA", "#E69F00", "#1A7F37",
                                          "#8250DF", "#BF3989", "#54AEFF"};
    enum { COLOURS = sizeof colours / sizeof *colours };
    uint8_t mark = lg__cell_at(list, at, BYTES)->mark;
    if (mark == LG__APART)
        lg_text_add(out, "<rect class=\"apart\" fill=\"#BC4C00\"");
    else if (mark == LG__QUIET || alike)
        lg_text_add(out, "<rect class=\"quiet\" fill=\"#C4CCD4\"");
    else
        lg_text_addf(out, "<rect class=\"c%zu\" fill=\"%s\"", at % COLOURS,
                     colours[at % COLOURS]);
}

// Ends it with the words that a browser shows at the pointer.
static void
end_part(const lg_table *list, size_t at, lg_text *out)
{
    lg_string name = lg_table_cell(list, at, NAME).text;
    lg_text_add(out, "><title>");
    lg_text_add_html(out, name.data, name.length);
    lg_text_add(out, ": ");
    lg_text_add_size(out, lg_table_cell(list, at, BYTES).count);
    lg_text_add(out, "</title></rect>");
}

static void
add_number(const char *name, double number, lg_text *out)
{
    lg_text_addf(out, " %s=\"", name);
    lg_text_add_fixed(out, number, 2);
    lg_text_add(out, "\"");
}

static void
draw_bars(const lg_table *list, lg_text *out)
{
    size_t count = lg_table_row_count(list);
    begin_bars(count * BAR_STEP, BAR_HEIGHT, out);
    for (size_t i = 0; i < count; i++) {
        double height = BAR_HEIGHT * lg_table_cell(list, i, SHARE).share;
        begin_part(list, i, true, out);
        lg_text_addf(out, " x=\"%zu\" width=\"%d\"", i * BAR_STEP + 1,
                     BAR_WIDTH);
        add_number("y", BAR_HEIGHT - height, out);
        add_number("height", height, out);
        end_part(list, i, out);
    }
    lg_text_add(out, "</svg>");
}

static void
draw_parts(const lg_table *list, lg_text *out)
{
    double x = 0;
    begin_bars(PARTS_WIDTH, 1, out);
    for (size_t i = 0; i < lg_table_row_count(list); i++) {
        double width = PARTS_WIDTH * lg_table_cell(list, i, SHARE).share;
        if (lg_table_cell(list, i, BYTES).count == 0)
            continue;
        begin_part(list, i, false, out);
        lg_text_add(out, " height=\"1\"");
        add_number("x", x, out);
        add_number("width", width, out);
        end_part(list, i, out);
        x += width;
    }
    lg_text_add(out, "</svg>");
}

// Draws a cell as its column says. Returns false if the cell has nothing to
// draw.
static bool
cell_draw(const lg_table *table, size_t row, size_t column, lg_text *out)
{
    lg_cell cell = lg_table_cell(table, row, column);
    lg__chart chart = table->columns[column].chart;
    if (chart == LG__LINE)
        return draw_line(&cell, greatest_in(table, column), out);
    if (chart == LG__NO_CHART || cell.table == NULL)
        return false;
    (chart == LG__BARS ? draw_bars : draw_parts)(cell.table, out);
    return true;
}

lg_table *
lg__put_parts(lg_table *table, size_t column)
{
    static const lg__column columns[] = {
        [NAME] = {.name = "name"},
        [BYTES] = {"bytes", .type = LG_COLUMN_BYTES},
        [SHARE] = {"share", .type = LG_COLUMN_SHARE},
    };
    return lg__put_table(table, column, columns,
                         sizeof columns / sizeof *columns);
}

void
lg__put_part(lg_table *list, const lg_text *name, uint64_t bytes,
             uint64_t whole)
{
    lg__table_row(list);
    lg__put_string(list, NAME, (lg_string){name->data, (uint32_t)name->length});
    if (list != NULL)
        list->failed |= name->failed;
    lg__put_count(list, BYTES, bytes);
    lg__put_share(list, SHARE, bytes, whole);
}

void
lg__mark_part(lg_table *list, lg__mark mark)
{
    lg__mark_cell(list, BYTES, mark);
}

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
    size_t changes;  // where the columns of changes of the table stand
    size_t linked;   // the column of the table that links to a row's object
    uint32_t object; // of the row
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

// Returns where changes stand on the page: behind the first bytes and the other
// numbers beside these, or else before the first text.
static size_t
place_of_changes(const lg_table *table)
{
    size_t numbers = 0;
    while (numbers < table->changes && !is_of_bytes(&table->columns[numbers]))
        numbers++;
    if (numbers == table->changes)
        numbers = 0;
    while (numbers < table->changes &&
           (!is_shown(&table->columns[numbers]) ||
            lg__column_is_right(&table->columns[numbers])))
        numbers++;
    return numbers;
}

// Returns the column at a place on the page.
static size_t
column_at(const writer *to, const lg_table *table, size_t place)
{
    if (table->changes == 0 || place < to->changes)
        return place;
    return place < to->changes + LG__CHANGES
               ? table->changes + place - to->changes
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

// Adds a text whose arrows stay whole: a browser may break a line after a
// hyphen.
static void
add_whole_arrows(const char *bytes, size_t length, lg_text *out)
{
    static const char arrow[] = " -> ";
    size_t begin = 0;
    for (size_t at = 0; at + sizeof arrow - 1 <= length; at++) {
        if (memcmp(bytes + at, arrow, sizeof arrow - 1) != 0)
            continue;
        lg_text_add_html(out, bytes + begin, at - begin);
        lg_text_add(out, " <nobr>-&gt;</nobr>");
        begin = at + sizeof arrow - 2;
        at = begin - 1;
    }
    lg_text_add_html(out, bytes + begin, length - begin);
}

static void
add_text(const lg__column *column, const char *bytes, size_t length,
         lg_text *out)
{
    if (length <= (column->type == LG_COLUMN_TEXT ? LONG_PROSE : LONG)) {
        add_whole_arrows(bytes, length, out);
        return;
    }
    size_t shown = lg__utf8_cut(bytes, BEGINNING);
    const char *line = memchr(bytes, '\n', shown);
    lg_text_add(out, "<details><summary>");
    add_whole_arrows(bytes, line ? (size_t)(line - bytes) : shown, out);
    lg_text_add(out, "...</summary>");
    add_whole_arrows(bytes, length, out);
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

// Returns the object of a row that programs get; of several, the one called
// node.
static uint32_t
object_of(const lg_table *table, size_t row)
{
    uint32_t found = LG_NONE;
    for (size_t i = 0; i < table->column_count; i++) {
        const lg__cell *cell = lg__cell_at(table, row, i);
        if (cell->kind == LG_COLUMN_NODE + 1 &&
            (found == LG_NONE || is_called(&table->columns[i], "node")))
            found = cell->length;
    }
    return found;
}

// Returns the object that a cell links to, if it does: its own, or else that of
// its row.
static uint32_t
linked_object(const writer *to, const lg_table *table, size_t row,
              size_t column)
{
    const lg__cell *cell = lg__cell_at(table, row, column);
    if (to->links.node == NULL)
        return LG_NONE;
    return cell->kind == LG_COLUMN_NODE + 1 ? cell->length : to->object;
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
    bool leads = of->type == LG_COLUMN_NODE || column == to->linked;
    uint32_t node = leads ? linked_object(to, table, row, column) : LG_NONE;
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

// Adds the text of a cell. Where it ends with the number of the row's object,
// as in `such as #17`, the number leads there.
static void
add_words(const writer *to, const lg_table *table, size_t row, size_t column)
{
    char number[16];
    const char *bytes = to->cell.data ? to->cell.data : "";
    size_t length = to->cell.length;
    uint32_t node = linked_object(to, table, row, column);
    size_t most = (size_t)snprintf(number, sizeof number, "#%u", node);
    bool leads = node != LG_NONE && length > most &&
                 memcmp(bytes + length - most, number, most) == 0;
    add_text(&table->columns[column], bytes, leads ? length - most : length,
             to->out);
    if (leads)
        lg_text_addf(to->out, "<a href=\"%s%u\">%s</a>", to->links.node, node,
                     number);
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
    if (!cell_draw(table, row, column, out)) {
        if (open_link(to, table, row, column)) {
            add_text(of, to->cell.data, to->cell.length, out);
            lg_text_add(out, "</a>");
        } else {
            add_words(to, table, row, column);
        }
    }
    lg_text_add(out, "</td>");
}

static void
add_row(writer *to, const lg_table *table, size_t row)
{
    lg_text_add(to->out, "<tr>");
    to->object = to->links.node != NULL ? object_of(table, row) : LG_NONE;
    for (size_t i = 0; i < table->column_count; i++) {
        size_t column = column_at(to, table, i);
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
        const lg__column *column = &table->columns[column_at(to, table, i)];
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
    to->changes = place_of_changes(table);
    to->linked = linked_column(table);
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
