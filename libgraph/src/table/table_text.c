// Writes tables as text, with columns as wide as their content, or narrower to
// fit the layout.
#include "table/fit.h"
#include "table/table_private.h"

#include <stdlib.h>
#include <string.h>

// The number of further rows stands below the first text, if that is not far
// away.
enum { DEEPEST = 64, FARTHEST = 40, NEAR = 9 };

// The columns that a text keeps, however narrow the layout is.
enum { NARROWEST = 12 };

// The gap before columns that touch the one before.
enum { APART = 2 };

// A cell below its row moves to the left until it has this width.
enum { ROOM_BELOW = 56 };

// The last text of a row moves below it if it lacks room, and has fewer columns
// than these beside the others.
enum { NARROW = 24 };

// A cell, in lines.
typedef struct cell_lines {
    lg_text text;
    size_t taken; // of its bytes
} cell_lines;

typedef struct writer {
    const lg_table *table;
    lg_text *out;
    size_t shown;
    size_t *width;      // [column] 0: the column is not shown
    size_t columns;     // of the layout; 0: any number
    size_t left;        // where the first flush-left column begins
    size_t moved;       // the column that lacks room beside others, or SIZE_MAX
    bool *is_last;      // [row] whether it is the last of its siblings, if
                        // there are branches
    bool open[DEEPEST]; // [depth] whether siblings follow
    cell_lines *lines;  // [column] of one row
    lg_text cell;       // scratch memory
} writer;

static bool
is_beside(const writer *to, size_t index)
{
    const lg__column *column = &to->table->columns[index];
    return lg__column_is_in(column, LG__IN_TEXT) && column->below == NULL &&
           index != to->moved;
}

static size_t
width_of(const lg_text *text)
{
    return text->data ? lg__display_width(text->data, text->length) : 0;
}

// Returns the index of a row. Totals come after the shown rows.
static size_t
row_at(const writer *to, size_t i)
{
    return i < to->shown ? i : lg_table_row_count(to->table) + (i - to->shown);
}

static size_t
count_rows(const writer *to)
{
    return to->shown + to->table->row_count - lg_table_row_count(to->table);
}

// Returns the depth to which a row is indented.
static size_t
shown_depth(const writer *to, size_t row)
{
    size_t depth = to->table->rows[row].depth;
    return depth < DEEPEST ? depth : DEEPEST - 1;
}

// Finds the last siblings: a row is one if a less deep row comes before the
// next row of the same depth.
static bool
find_last(writer *to)
{
    bool seen[DEEPEST + 1] = {false};
    to->is_last = lg__calloc(to->shown + 1, sizeof *to->is_last);
    for (size_t i = to->shown; to->is_last != NULL && i-- > 0;) {
        size_t depth = shown_depth(to, i);
        to->is_last[i] = !seen[depth];
        seen[depth] = true;
        memset(seen + depth + 1, 0, DEEPEST - depth);
    }
    return to->is_last != NULL;
}

static void
add_branches(writer *to, size_t row, bool begins, lg_text *out)
{
    if (row >= to->shown)
        return;
    size_t depth = shown_depth(to, row);
    for (size_t i = 1; i < depth; i++)
        lg_text_add(out, to->open[i] ? "│  " : "   ");
    if (depth > 0 && begins)
        lg_text_add(out, to->is_last[row] ? "└─ " : "├─ ");
    else if (depth > 0)
        lg_text_add(out, to->is_last[row] ? "   " : "│  ");
    to->open[depth] = !to->is_last[row];
}

// Adds what stands before the first line of a cell, or before the others.
static void
add_depth(writer *to, size_t row, size_t column, bool begins, lg_text *out)
{
    switch (to->table->columns[column].tree) {
    case LG__INDENTED:
        lg__add_spaces(out, 2 * (size_t)to->table->rows[row].depth);
        break;
    case LG__BRANCHED:
        add_branches(to, row, begins, out);
        break;
    default:
        break;
    }
}

static void
say(writer *to, size_t row, size_t column, lg_text *out)
{
    size_t start = out->length;
    add_depth(to, row, column, true, out);
    size_t begin = out->length;
    lg__cell_format(to->table, row, column, out);
    if (out->length == begin && to->table->columns[column].tree == LG__INDENTED)
        lg__text_cut(out, start);
}

// Returns whether a cell of the row stands beside others behind this one.
static bool
is_followed(writer *to, size_t row, size_t index)
{
    to->cell.length = 0;
    for (size_t i = index + 1; i < to->table->column_count; i++)
        if (is_beside(to, i))
            lg__cell_format(to->table, row, i, &to->cell);
    return to->cell.length > 0;
}

static bool
is_last_beside(const writer *to, size_t index)
{
    size_t i = index + 1;
    while (i < to->table->column_count && !is_beside(to, i))
        i++;
    return i == to->table->column_count;
}

// Returns whether the width of a cell says how wide its column is. In a layout,
// a text with nothing behind it takes the room of the columns behind.
static bool
widens(writer *to, size_t row, size_t index, size_t width)
{
    const lg__column *column = &to->table->columns[index];
    size_t most = column->most > 0 ? column->most : LG__WIDEST;
    if (lg__column_is_right(column))
        return true;
    return to->columns == 0
               ? width <= most
               : is_last_beside(to, index) || is_followed(to, row, index);
}

// Returns whether the cells of a column would touch those before it, were they
// as wide as the column.
static bool
touches(const writer *to, size_t index)
{
    const lg__column *column = &to->table->columns[index];
    bool first = true;
    for (size_t i = 0; i < index; i++)
        first &= !is_beside(to, i);
    return !first && column->gap == 0 && lg__column_is_right(column);
}

static void
measure_column(writer *to, size_t index)
{
    const lg__column *column = &to->table->columns[index];
    size_t widest = column->least;
    size_t apart = touches(to, index) ? APART : 0;
    if (!to->table->layout.bare) {
        size_t width = strlen(lg__column_heading(column));
        widest = width > widest ? width : widest;
    }
    for (size_t i = 0; i < count_rows(to); i++) {
        to->cell.length = 0;
        if (to->table->rows[row_at(to, i)].hidden)
            continue;
        say(to, row_at(to, i), index, &to->cell);
        size_t width = width_of(&to->cell) + apart;
        if (width > widest && widens(to, row_at(to, i), index, width))
            widest = width;
    }
    to->width[index] = widest;
}

static bool
is_text_beside(const writer *to, size_t index)
{
    return is_beside(to, index) &&
           !lg__column_is_right(&to->table->columns[index]);
}

// Returns how wide the table is if no text beside others is wider than `most`.
static size_t
width_with(const writer *to, size_t most)
{
    size_t width = to->table->layout.indent;
    for (size_t i = 0; i < to->table->column_count; i++) {
        const lg__column *column = &to->table->columns[i];
        size_t own = to->width[i];
        if (is_beside(to, i))
            width += column->gap +
                     (is_text_beside(to, i) && own > most ? most : own);
    }
    return width;
}

// Returns how wide the widest texts may be for the table to fit the layout.
static size_t
width_that_fits(const writer *to)
{
    size_t most = to->columns;
    while (most > NARROWEST && width_with(to, most) > to->columns)
        most--;
    return most;
}

// Returns the last column if it is one of several texts, has no tree, and is to
// get too few columns, while there are enough below; otherwise SIZE_MAX.
static size_t
find_narrow(const writer *to, size_t most)
{
    size_t last = SIZE_MAX;
    size_t texts = 0;
    for (size_t i = 0; i < to->table->column_count; i++) {
        last = is_beside(to, i) ? i : last;
        texts += is_text_beside(to, i);
    }
    bool narrow = most < NARROW && to->columns > ROOM_BELOW && texts > 1 &&
                  is_text_beside(to, last) && to->width[last] > most &&
                  to->table->columns[last].tree == LG__FLAT;
    return narrow ? last : SIZE_MAX;
}

// Makes the widest texts narrower until the table fits the layout. If the last
// text would get too few columns, it moves below its row instead.
static void
shrink(writer *to)
{
    size_t most = width_that_fits(to);
    to->moved = find_narrow(to, most);
    most = to->moved == SIZE_MAX ? most : width_that_fits(to);
    for (size_t i = 0; i < to->table->column_count; i++)
        if (is_text_beside(to, i) && to->width[i] > most)
            to->width[i] = most;
}

static bool
measure(writer *to)
{
    const lg_table *table = to->table;
    size_t at = table->layout.indent;
    bool branched = false;
    to->columns = lg_layout_columns();
    to->moved = SIZE_MAX;
    to->width = lg__calloc(table->column_count + 1, sizeof *to->width);
    to->lines = lg__calloc(table->column_count + 1, sizeof *to->lines);
    for (size_t i = 0; i < table->column_count; i++)
        branched |= table->columns[i].tree == LG__BRANCHED;
    if (to->width == NULL || to->lines == NULL || (branched && !find_last(to)))
        return false;
    to->left = SIZE_MAX;
    for (size_t i = 0; i < table->column_count; i++)
        if (is_beside(to, i))
            measure_column(to, i);
    if (to->columns > 0)
        shrink(to);
    for (size_t i = 0; i < table->column_count; i++) {
        const lg__column *column = &table->columns[i];
        if (!is_beside(to, i))
            continue;
        at += column->gap;
        if (!lg__column_is_right(column) && to->left == SIZE_MAX)
            to->left = at;
        at += to->width[i];
    }
    to->left = to->left == SIZE_MAX ? table->layout.indent : to->left;
    return true;
}

// Adds a cell, whose text is in to->cell. `pending` counts the spaces before
// it, which are put off so that no line ends with them.
static void
add_cell(writer *to, size_t index, size_t *pending)
{
    const lg__column *column = &to->table->columns[index];
    size_t width = width_of(&to->cell);
    size_t room = to->width[index] > width ? to->width[index] - width : 0;
    bool right = lg__column_is_right(column);
    *pending += column->gap + (right ? room : 0);
    if (to->cell.length > 0) {
        lg__add_spaces(to->out, *pending);
        lg_text_add_bytes(to->out, to->cell.data, to->cell.length);
        *pending = 0;
    } else {
        *pending += width;
    }
    *pending += right ? 0 : room;
}

// Moves the next line of a cell to to->cell. Returns whether others follow.
static bool
take_line(writer *to, size_t index)
{
    cell_lines *cell = &to->lines[index];
    to->cell.length = 0;
    if (cell->taken >= cell->text.length)
        return false;
    const char *line = cell->text.data + cell->taken;
    size_t length = cell->text.length - cell->taken;
    const char *end = memchr(line, '\n', length);
    length = end ? (size_t)(end - line) : length;
    lg_text_add_bytes(&to->cell, line, length);
    cell->taken += length + (end != NULL);
    return end != NULL;
}

// Adds the cells of to->lines side by side, in as many lines as the longest
// has.
static void
add_lines(writer *to)
{
    size_t count = to->table->column_count;
    for (bool more = true; more;) {
        size_t pending = to->table->layout.indent;
        more = false;
        for (size_t i = 0; i < count; i++) {
            if (!is_beside(to, i))
                continue;
            more |= take_line(to, i);
            add_cell(to, i, &pending);
        }
        lg_text_add(to->out, "\n");
    }
    for (size_t i = 0; i < count; i++) {
        to->cell.failed |= to->lines[i].text.failed;
        to->lines[i].text.length = to->lines[i].taken = 0;
    }
}

static void
add_headings(writer *to)
{
    for (size_t i = 0; i < to->table->column_count; i++) {
        const char *heading = lg__column_heading(&to->table->columns[i]);
        if (is_beside(to, i))
            lg__fit_words(heading, strlen(heading), to->width[i],
                          &to->lines[i].text);
    }
    add_lines(to);
}

// Writes what stands before a cell below its row.
static void
say_before(const writer *to, size_t index, lg_text *out)
{
    const lg__column *column = &to->table->columns[index];
    if (column->below != NULL)
        lg_text_add(out, column->below);
    else
        lg_text_addf(out, "  %s  ", lg__column_heading(column));
}

// Returns where a cell below its row starts: where its column says, or further
// left if that leaves little room.
static size_t
start_below(const writer *to, const lg_text *before)
{
    size_t start = to->left + width_of(before);
    size_t least = to->table->layout.indent + before->length -
                   strspn(before->data, " ") + 2;
    size_t most = to->columns > ROOM_BELOW ? to->columns - ROOM_BELOW : 0;
    most = most > least ? most : least;
    return to->columns > 0 && start > most ? most : start;
}

// Adds the text of a cell that starts at a column, and its further lines there.
static void
add_lines_at(writer *to, size_t start)
{
    const char *end = to->cell.data + to->cell.length;
    for (const char *line = to->cell.data; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((next ? next : end) - line);
        if (line > to->cell.data)
            lg__add_spaces(to->out, start);
        lg_text_add_bytes(to->out, line, length);
        lg_text_add(to->out, "\n");
        line += length + (next != NULL);
        line = next == NULL ? end : line;
    }
}

static void
fit_cell(writer *to, size_t columns)
{
    lg_text whole = to->cell;
    to->cell = (lg_text){0};
    lg__fit_words(whole.data, whole.length, columns, &to->cell);
    to->cell.failed |= whole.failed;
    lg_text_free(&whole);
}

// Adds a cell below its row.
static void
add_below(writer *to, size_t row, size_t index)
{
    lg_text before = {0};
    to->cell.length = 0;
    lg__cell_format(to->table, row, index, &to->cell);
    say_before(to, index, &before);
    if (to->cell.length > 0 && !before.failed) {
        size_t start = start_below(to, &before);
        const char *said = before.data + strspn(before.data, " ");
        lg__add_spaces(to->out, start - lg__display_width(said, strlen(said)));
        lg_text_add(to->out, said);
        if (index == to->moved)
            fit_cell(to, to->columns - start);
        add_lines_at(to, start);
    }
    to->cell.failed |= before.failed;
    lg_text_free(&before);
}

static size_t
start_of(const writer *to, size_t index)
{
    size_t start = to->table->layout.indent;
    for (size_t i = 0; i < index; i++)
        if (is_beside(to, i))
            start += to->table->columns[i].gap + to->width[i];
    return start + to->table->columns[index].gap;
}

// Returns how many columns a cell may take.
static size_t
room_for(writer *to, size_t row, size_t index)
{
    size_t start = start_of(to, index);
    if (to->columns == 0 || !is_text_beside(to, index))
        return SIZE_MAX;
    return is_followed(to, row, index) || start + to->width[index] > to->columns
               ? to->width[index]
               : to->columns - start;
}

// Adds a text of several lines with `before` at the begin of all but the first.
static void
add_after_lines(const lg_text *text, const lg_text *before, lg_text *out)
{
    for (size_t i = 0; i < text->length; i++) {
        lg_text_add_bytes(out, &text->data[i], 1);
        if (text->data[i] == '\n' && before->length > 0)
            lg_text_add_bytes(out, before->data, before->length);
    }
}

// Writes the cell into its lines. Each begins with what shows the depth of the
// row, or, where that leaves no room, the cell has one line.
static void
say_within(writer *to, size_t row, size_t index)
{
    size_t room = room_for(to, row, index);
    lg_text *out = &to->lines[index].text;
    lg_text depth = {0}, whole = {0}, words = {0};
    add_depth(to, row, index, false, &depth);
    size_t taken = width_of(&depth);
    lg__cell_format(to->table, row, index, &words);
    if (taken > 0 && taken + NARROWEST > room) {
        say(to, row, index, &whole);
        lg__fit_word(whole.data, whole.length, room, out);
    } else if (words.length > 0) {
        lg__fit_words(words.data, words.length, room - taken, &whole);
        add_depth(to, row, index, true, out);
        add_after_lines(&whole, &depth, out);
    }
    out->failed |= depth.failed || whole.failed || words.failed;
    lg_text_free(&depth);
    lg_text_free(&whole);
    lg_text_free(&words);
}

static void
add_row(writer *to, size_t row)
{
    if (to->table->layout.blocks)
        lg_text_add(to->out, "\n");
    for (size_t i = 0; i < to->table->column_count; i++)
        if (is_beside(to, i))
            say_within(to, row, i);
    add_lines(to);
    for (size_t i = 0; i < to->table->column_count; i++) {
        const lg__column *column = &to->table->columns[i];
        if (lg__column_is_in(column, LG__IN_TEXT) && !is_beside(to, i))
            add_below(to, row, i);
    }
}

static void
add_rows(writer *to)
{
    const lg_table *table = to->table;
    if (!table->layout.bare && !table->layout.blocks && table->row_count > 0)
        add_headings(to);
    for (size_t i = 0; i < to->shown; i++)
        if (!table->rows[i].hidden)
            add_row(to, i);
    to->cell.length = 0;
    if (lg__table_format_more(table, to->shown, &to->cell)) {
        lg__add_spaces(to->out, to->left < FARTHEST ? to->left : NEAR);
        lg_text_add(to->out, to->cell.data ? to->cell.data : "");
    }
    for (size_t i = to->shown; i < count_rows(to); i++)
        add_row(to, row_at(to, i));
}

static bool
write_rows(const lg_table *table, size_t limit, lg_text *out)
{
    writer to = {
        .table = table, .out = out, .shown = lg__table_shown(table, limit)};
    bool enough = measure(&to);
    if (enough) {
        to.cell.length = 0;
        add_rows(&to);
    }
    enough = enough && !to.cell.failed;
    lg_text_free(&to.cell);
    for (size_t i = 0; to.lines != NULL && i < table->column_count; i++)
        lg_text_free(&to.lines[i].text);
    lg__free(to.lines);
    lg__free(to.width);
    lg__free(to.is_last);
    return enough;
}

// Writes the table and its parts. Parts have no parts.
static bool
write_table(const lg_table *table, size_t limit, lg_text *out)
{
    bool enough = true;
    lg_text_add(out, table->above.data ? table->above.data : "");
    if (table->column_count > 0 && lg__table_is_in(table, LG__IN_TEXT))
        enough = write_rows(table, limit, out);
    lg_text_add(out, table->below.data ? table->below.data : "");
    for (const lg_table *part = table->first_part; part != NULL && enough;
         part = part->next_part)
        if (lg__table_is_in(part, LG__IN_TEXT))
            enough = write_table(part, 0, out);
    return enough;
}

lg_status
lg_table_text(const lg_table *table, size_t limit, lg_text *out, lg_error *err)
{
    size_t start = out->length;
    if (table->text.length > 0) {
        lg_text_add_bytes(out, table->text.data, table->text.length);
        return out->failed ? lg__error_memory(err) : LG_OK;
    }
    if (write_table(table, limit, out) && !out->failed)
        return LG_OK;
    lg__text_cut(out, start);
    return lg__error_memory(err);
}

lg_status
lg__table_report(lg_table *table, lg_format format, lg_text *out, lg_error *err)
{
    lg_status status = format == LG_FORMAT_JSON
                           ? lg_table_json(table, out, err)
                           : lg_table_text(table, 0, out, err);
    lg_table_free(table);
    return status;
}
