// Draws cells of tables as lines and bars. A style sheet may stretch bars, and
// may give the classes of their parts other colours.
#include "table/table_chart.h"

#include <leakgraph/internal/wording.h>

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

bool
lg__cell_draw(const lg_table *table, size_t row, size_t column, lg_text *out)
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
