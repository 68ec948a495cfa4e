// The cells of tables: puts them, reads them for programs, and formats them for
// readers.
#include "table/table_private.h"

#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/wording.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void
put(lg_table *table, size_t column, lg_column_type type, uint64_t value,
    uint32_t length)
{
    if (table == NULL || table->failed || table->row_count == 0)
        return;
    size_t row = table->row_count - 1;
    table->cells[row * table->column_count + column] =
        (lg__cell){value, length, (uint8_t)(type + 1), LG__UNMARKED};
}

void
lg__mark_cell(lg_table *table, size_t column, lg__mark mark)
{
    if (table == NULL || table->failed || table->row_count == 0)
        return;
    size_t row = table->row_count - 1;
    table->cells[row * table->column_count + column].mark = (uint8_t)mark;
}

void
lg__put_count(lg_table *table, size_t column, uint64_t count)
{
    if (table != NULL)
        put(table, column, table->columns[column].type, count, 0);
}

void
lg__put_number(lg_table *table, size_t column, int64_t number)
{
    put(table, column, LG_COLUMN_NUMBER, (uint64_t)number, 0);
}

void
lg__put_bool(lg_table *table, size_t column, bool value)
{
    put(table, column, LG_COLUMN_BOOL, value, 0);
}

void
lg__put_real(lg_table *table, size_t column, double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    put(table, column, LG_COLUMN_REAL, bits, 0);
}

// Returns where to write this many numbers; NULL if memory ran out.
static uint64_t *
reserve_numbers(lg_table *table, size_t count)
{
    if (table == NULL || table->failed)
        return NULL;
    if (table->number_count + count >= table->number_capacity) {
        size_t capacity = 2 * table->number_capacity + count + 1;
        uint64_t *numbers =
            lg__realloc(table->numbers, capacity * sizeof *numbers);
        table->failed = numbers == NULL;
        if (numbers == NULL)
            return NULL;
        table->numbers = numbers;
        table->number_capacity = capacity;
    }
    table->number_count += count;
    return table->numbers + table->number_count - count;
}

static void
put_numbers(lg_table *table, size_t column, lg_column_type type,
            const uint64_t *numbers, uint32_t count)
{
    uint64_t *to = reserve_numbers(table, count);
    if (to == NULL)
        return;
    if (count > 0)
        memcpy(to, numbers, count * sizeof *numbers);
    put(table, column, type, (uint64_t)(to - table->numbers), count);
}

void
lg__put_numbers(lg_table *table, size_t column, const uint64_t *numbers,
                uint32_t count)
{
    put_numbers(table, column, LG_COLUMN_NUMBERS, numbers, count);
}

void
lg__put_nodes(lg_table *table, size_t column, const lg_nodes *nodes)
{
    uint64_t *numbers = lg__alloc((nodes->count + 1) * sizeof *numbers);
    if (numbers == NULL) {
        if (table != NULL)
            table->failed = true;
        return;
    }
    for (size_t i = 0; i < nodes->count; i++)
        numbers[i] = nodes->items[i];
    lg__put_numbers(table, column, numbers, (uint32_t)nodes->count);
    lg__free(numbers);
}

void
lg__put_share(lg_table *table, size_t column, uint64_t part, uint64_t whole)
{
    put_numbers(table, column, LG_COLUMN_SHARE, (uint64_t[]){part, whole}, 2);
}

void
lg__put_vector(lg_table *table, size_t column, lg__vector_on *on,
               const void *context)
{
    uint32_t count = table == NULL ? 0 : table->root->device_count + 1;
    uint64_t *to = reserve_numbers(table, count);
    if (to == NULL)
        return;
    for (uint32_t device = 0; device < count; device++)
        to[device] = on(context, device);
    put(table, column, LG_COLUMN_SIZE, (uint64_t)(to - table->numbers), count);
}

void
lg__put_each(lg_table *table, size_t column, const uint64_t *bytes)
{
    if (table != NULL)
        put_numbers(table, column, LG_COLUMN_SIZE, bytes,
                    table->root->device_count + 1);
}

void
lg__put_retained(lg_table *table, size_t column, const lg_analysis *analysis,
                 lg__retained_on *on, uint32_t which)
{
    const lg__retainer of = {analysis, on, which};
    lg__put_vector(table, column, lg__retainer_on, &of);
}

static void
put_text(lg_table *table, size_t column, const char *data, size_t length)
{
    if (table == NULL)
        return;
    put(table, column, LG_COLUMN_TEXT, table->strings.length, (uint32_t)length);
    lg_text_add_bytes(&table->strings, data, length);
}

void
lg__put_string(lg_table *table, size_t column, lg_string string)
{
    if (string.length > 0)
        put_text(table, column, string.data, string.length);
}

void
lg__put_literal(lg_table *table, size_t column, const char *string)
{
    put_text(table, column, string, strlen(string));
}

void
lg__put_formatted(lg_table *table, size_t column, lg_text *text)
{
    if (table != NULL)
        table->failed |= text->failed || text->length > UINT32_MAX;
    lg__put_string(table, column,
                   (lg_string){text->data, (uint32_t)text->length});
    lg_text_free(text);
}

// Stores title and type, each with a NUL behind it.
void
lg__put_node(lg_table *table, size_t column, const lg_graph *graph,
             uint32_t node)
{
    if (table == NULL || node == LG_NONE)
        return;
    lg_text *strings = &table->strings;
    put(table, column, LG_COLUMN_NODE, strings->length, node);
    lg_node_title(graph, node, false, strings);
    lg_text_add_bytes(strings, "", 1);
    lg__text_add_string(
        strings,
        lg_graph_type(graph, lg_columns_type(&graph->columns, node)).name);
    lg_text_add_bytes(strings, "", 1);
}

lg_table *
lg__put_table(lg_table *table, size_t column, const lg__column *columns,
              size_t count)
{
    if (table == NULL || table->failed)
        return NULL;
    size_t used = table->table_count;
    lg_table *made = lg__table_within(table, columns, count);
    if (made == NULL ||
        !lg__array_room(&table->tables, used, sizeof *table->tables)) {
        lg_table_free(made);
        table->failed = true;
        return NULL;
    }
    table->tables[table->table_count++] = made;
    put(table, column, table->columns[column].type, used, 0);
    return made;
}

// Stores names that are no literals, each with a NUL behind it.
static lg__column *
name_columns(const lg_string *pairs, size_t count, lg_text *names)
{
    for (size_t i = 0; i < count; i++) {
        lg__text_add_string(names, pairs[2 * i]);
        lg_text_add_bytes(names, "", 1);
    }
    lg__column *columns =
        names->failed ? NULL : lg__calloc(count + 1, sizeof *columns);
    const char *name = names->data;
    for (size_t i = 0; columns != NULL && i < count; i++) {
        columns[i].name = name;
        name += strlen(name) + 1;
    }
    return columns;
}

void
lg__put_pairs(lg_table *table, size_t column, const lg_string *pairs,
              size_t count)
{
    lg_text names = {0};
    if (table == NULL)
        return;
    lg__column *columns =
        pairs == NULL ? NULL : name_columns(pairs, count, &names);
    table->failed |= columns == NULL;
    if (columns != NULL) {
        lg_table *record = lg__put_table(table, column, columns, count);
        lg__table_row(record);
        for (size_t i = 0; i < count; i++)
            if (record != NULL)
                put_text(record, i, pairs[2 * i + 1].data,
                         pairs[2 * i + 1].length);
    }
    lg__free(columns);
    lg_text_free(&names);
}

const lg__cell *
lg__cell_at(const lg_table *table, size_t row, size_t column)
{
    return &table->cells[row * table->column_count + column];
}

// Returns the string of a cell that has one.
static lg_string
cell_string(const lg_table *table, const lg__cell *cell)
{
    const char *data = table->strings.data + cell->value;
    if (cell->kind != LG_COLUMN_NODE + 1)
        return (lg_string){data, cell->length};
    return (lg_string){data, (uint32_t)strlen(data)};
}

static const lg_table *
cell_table(const lg_table *table, const lg__cell *cell)
{
    return table->tables[cell->value];
}

static void
read_node(const lg_table *table, const lg__cell *cell, lg_cell *out)
{
    const char *type;
    out->text = cell_string(table, cell);
    type = out->text.data + out->text.length + 1;
    out->type = (lg_string){type, (uint32_t)strlen(type)};
    out->node = cell->length;
}

static void
read_size(const lg_table *table, const lg__cell *cell, lg_cell *out)
{
    out->size = table->numbers + cell->value;
    out->count = lg_bytes_sum(out->size, cell->length);
}

lg_cell
lg_table_cell(const lg_table *table, size_t row, size_t column)
{
    const lg__cell *cell = lg__cell_at(table, row, column);
    lg_cell out = {.present = cell->kind != 0};
    const uint64_t *numbers = table->numbers;
    if (cell->kind == 0)
        return out;
    switch ((lg_column_type)(cell->kind - 1)) {
    case LG_COLUMN_NODE:
        read_node(table, cell, &out);
        break;
    case LG_COLUMN_NUMBER:
        out.number = (int64_t)cell->value;
        break;
    case LG_COLUMN_SIZE:
        read_size(table, cell, &out);
        break;
    case LG_COLUMN_NUMBERS:
        out.numbers = numbers + cell->value;
        out.count = cell->length;
        break;
    case LG_COLUMN_SHARE:
        if (numbers[cell->value + 1] > 0)
            out.share =
                (double)numbers[cell->value] / (double)numbers[cell->value + 1];
        break;
    case LG_COLUMN_REAL:
        memcpy(&out.real, &cell->value, sizeof out.real);
        break;
    case LG_COLUMN_LIST:
    case LG_COLUMN_RECORD:
        out.table = cell_table(table, cell);
        break;
    case LG_COLUMN_TEXT:
    case LG_COLUMN_PATH:
        out.text = cell_string(table, cell);
        break;
    default:
        out.count = cell->value;
    }
    return out;
}

// The columns and cells of a table, one value at a time.

lg_string
lg_table_column_name(const lg_table *table, size_t column)
{
    return lg_table_column(table, column).name;
}

lg_string
lg_table_column_heading(const lg_table *table, size_t column)
{
    return lg_table_column(table, column).heading;
}

lg_column_type
lg_table_column_type(const lg_table *table, size_t column)
{
    return lg_table_column(table, column).type;
}

bool
lg_table_is_present(const lg_table *table, size_t row, size_t column)
{
    return lg_table_cell(table, row, column).present;
}

lg_string
lg_table_text_at(const lg_table *table, size_t row, size_t column)
{
    lg_cell cell = lg_table_cell(table, row, column);
    return cell.text.data != NULL ? cell.text : (lg_string){"", 0};
}

lg_node
lg_table_node_at(const lg_table *table, size_t row, size_t column)
{
    lg_cell cell = lg_table_cell(table, row, column);
    bool is_node = lg_table_column_type(table, column) == LG_COLUMN_NODE;
    return cell.present && is_node ? cell.node : LG_NONE;
}

uint64_t
lg_table_count_at(const lg_table *table, size_t row, size_t column)
{
    return lg_table_cell(table, row, column).count;
}

uint64_t
lg_table_bytes_at(const lg_table *table, size_t row, size_t column,
                  uint32_t device)
{
    lg_cell cell = lg_table_cell(table, row, column);
    bool fine = cell.size != NULL && device <= lg_table_device_count(table);
    return fine ? cell.size[device] : 0;
}

double
lg_table_real_at(const lg_table *table, size_t row, size_t column)
{
    lg_cell cell = lg_table_cell(table, row, column);
    switch (lg_table_column_type(table, column)) {
    case LG_COLUMN_NUMBER:
        return (double)cell.number;
    case LG_COLUMN_SHARE:
        return cell.share;
    default:
        return cell.real;
    }
}

const lg_table *
lg_table_table_at(const lg_table *table, size_t row, size_t column)
{
    return lg_table_cell(table, row, column).table;
}

// Tables of texts that a program brings.

enum { MOST_COLUMNS = 32, GAP = 2 };

lg_status
lg_table_of_texts(const lg_table_texts *texts, lg_table **out, lg_error *err)
{
    static const lg_string host = {"host", 4};
    lg__column columns[MOST_COLUMNS] = {{0}};
    if (texts->columns > MOST_COLUMNS)
        return lg_error_set(err, LG_EINVAL,
                            "a table of texts has at most %d columns",
                            (int)MOST_COLUMNS);
    for (size_t i = 0; i < texts->columns; i++)
        columns[i] = (lg__column){
            .name = texts->headings[i],
            .gap = i > 0 ? GAP : 0,
            .flush = i < texts->right ? LG__RIGHT : LG__LEFT,
        };
    lg_table *table =
        lg__table_new_on(&host, 1, (lg__layout){0}, columns, texts->columns);
    for (size_t row = 0; row < texts->rows; row++) {
        lg__table_row(table);
        for (size_t i = 0; i < texts->columns; i++)
            lg__put_string(table, i, texts->cells[row * texts->columns + i]);
    }
    return lg__table_finish(table, out, err);
}

// Formats cells for readers.

bool
lg__column_is_right(const lg__column *column)
{
    if (column->flush != LG__BY_TYPE)
        return column->flush == LG__RIGHT;
    return column->type == LG_COLUMN_REAL ||
           (column->type >= LG_COLUMN_COUNT && column->type <= LG_COLUMN_SHARE);
}

bool
lg__table_is_in(const lg_table *table, unsigned face)
{
    return table->layout.shown_in == 0 || (table->layout.shown_in & face) != 0;
}

static void
format_share(const uint64_t *parts, lg_text *out)
{
    lg__format_share(parts[0], parts[1], out);
}

static void
format_size(const lg_table *table, const uint64_t *bytes, lg_text *out)
{
    bool any = false;
    for (uint32_t i = 1; i <= lg_table_device_count(table); i++)
        lg__text_add_part(out, bytes[i], lg_table_device_name(table, i), &any);
    lg__text_add_host(out, bytes[0], lg_table_device_name(table, 0), any);
}

static void
format_node(const lg_table *table, const lg__cell *cell, lg_text *out)
{
    lg__text_add_string(out, cell_string(table, cell));
    lg_text_addf(out, " #%u", cell->length);
}

static void
format_number(int64_t number, lg__delta delta, lg_text *out)
{
    if (delta == LG__NO_DELTA)
        lg_text_addf(out, "%" PRIi64, number);
    else
        lg_text_add_delta(out, number, delta == LG__BYTES_MORE);
}

static bool
is_blank(const lg_table *table, const lg__cell *cell)
{
    switch (cell->kind) {
    case 0:
        return true;
    case LG_COLUMN_COUNT + 1:
    case LG_COLUMN_BYTES + 1:
        return cell->value == 0;
    case LG_COLUMN_SIZE + 1:
        return lg_bytes_sum(table->numbers + cell->value,
                            (size_t)lg_table_device_count(table) + 1) == 0;
    default:
        return false;
    }
}

void
lg__cell_format(const lg_table *table, size_t row, size_t column, lg_text *out)
{
    const lg__cell *cell = lg__cell_at(table, row, column);
    const lg__column *of = &table->columns[column];
    const uint64_t *numbers = table->numbers;
    if (is_blank(table, cell) && (of->none != NULL || cell->kind == 0)) {
        lg_text_add(out, of->none != NULL ? of->none : "");
        return;
    }
    switch ((lg_column_type)(cell->kind - 1)) {
    case LG_COLUMN_NODE:
        format_node(table, cell, out);
        break;
    case LG_COLUMN_COUNT:
        lg_text_add_count(out, cell->value);
        break;
    case LG_COLUMN_NUMBER:
        format_number((int64_t)cell->value, of->delta, out);
        break;
    case LG_COLUMN_BYTES:
        lg_text_add_size(out, cell->value);
        break;
    case LG_COLUMN_SIZE:
        format_size(table, numbers + cell->value, out);
        break;
    case LG_COLUMN_SHARE:
        format_share(numbers + cell->value, out);
        break;
    case LG_COLUMN_REAL:
        lg_text_add_fixed(out, lg_table_cell(table, row, column).real, 1);
        break;
    case LG_COLUMN_BOOL:
        lg_text_add(out, cell->value ? "yes" : "no");
        break;
    case LG_COLUMN_TEXT:
    case LG_COLUMN_PATH:
        lg__text_add_string(out, cell_string(table, cell));
        break;
    default: // numbers, lists and records are for programs only
        break;
    }
}

size_t
lg__table_shown(const lg_table *table, size_t limit)
{
    size_t count = lg_table_row_count(table);
    return limit > 0 && limit < count ? limit : count;
}

bool
lg__table_format_more(const lg_table *table, size_t shown, lg_text *out)
{
    size_t all = lg_table_row_count(table);
    if (table->shown_of > all)
        all = table->shown_of;
    if (all == shown)
        return false;
    lg_text_add(out, "... and ");
    lg_text_add_count(out, all - shown);
    lg_text_add(out, " more");
    if (table->layout.noun != NULL)
        lg_text_addf(out, " %s%s", table->layout.noun,
                     all - shown == 1 ? "" : "s");
    lg_text_add(out, "\n");
    return true;
}
