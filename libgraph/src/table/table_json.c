// Writes tables as JSON, with the names of their columns.
#include "table/table_private.h"

#include <string.h>

static void write_rows(const lg_table *table, const char *name, bool lines,
                       lg_json *json);

// Writes name and value of a string.
static void
add_string(lg_json *json, const char *name, lg_string string)
{
    lg_json_string(json, name, string.data, string.length);
}

static void
add_size(lg_json *json, const lg_table *table, const lg__column *column,
         const lg__cell *cell)
{
    const uint64_t *bytes = table->numbers + cell->value;
    lg_json_object(json, column->name);
    for (uint32_t i = 0; i < cell->length; i++) {
        lg_string name = lg_table_device_name(table, i);
        lg_json_name(json, name.data, name.length);
        lg_json_count(json, NULL, bytes[i]);
    }
    lg_json_end(json);
}

static void
add_numbers(lg_json *json, const char *name, const uint64_t *numbers,
            uint64_t count)
{
    lg_json_array(json, name);
    for (uint64_t i = 0; i < count; i++)
        lg_json_count(json, NULL, numbers[i]);
    lg_json_end(json);
}

static bool
has_column(const lg_table *table, const char *name)
{
    return lg_table_column_find(table, name) != SIZE_MAX;
}

// Writes a node. The one called node is what the row is about: its type and
// title stand beside it, unless they are columns, or it stands alone.
static void
add_node(lg_json *json, const lg_table *table, const lg__column *column,
         const lg_cell *cell)
{
    if (cell->present)
        lg_json_count(json, column->name, cell->node);
    else
        lg_json_null(json, column->name);
    if (strcmp(column->name, "node") != 0 || column->alone)
        return;
    if (!has_column(table, "type"))
        add_string(json, "type", cell->type);
    if (!has_column(table, "title"))
        add_string(json, "title", cell->text);
}

static void write_members(const lg_table *table, size_t row, lg_json *json);
static void write_values(const lg_table *table, const char *name,
                         lg_json *json);

// Returns whether the table is a list of values: its only column has no name.
static bool
is_plain(const lg_table *table)
{
    return table->column_count == 1 && table->columns[0].name == NULL;
}

static void
add_table(lg_json *json, const lg__column *column, const lg_table *table)
{
    if (column->type == LG_COLUMN_LIST && is_plain(table)) {
        write_values(table, column->name, json);
        return;
    }
    if (column->type == LG_COLUMN_LIST) {
        write_rows(table, column->name, column->lines, json);
        return;
    }
    lg_json_object(json, column->name);
    if (lg_table_row_count(table) > 0)
        write_members(table, 0, json);
    lg_json_end(json);
}

static void
add_value(lg_json *json, const lg_table *table, size_t row, size_t index)
{
    const lg__column *column = &table->columns[index];
    const lg__cell *stored = lg__cell_at(table, row, index);
    const lg_cell cell = lg_table_cell(table, row, index);
    if (!cell.present && column->optional)
        return;
    if (!cell.present && column->type != LG_COLUMN_NODE) {
        if (column->always)
            add_string(json, column->name, (lg_string){"", 0});
        else
            lg_json_null(json, column->name);
        return;
    }
    if (column->type == LG_COLUMN_NODE) {
        add_node(json, table, column, &cell);
        return;
    }
    switch ((lg_column_type)(stored->kind - 1)) {
    case LG_COLUMN_NUMBER:
        lg_json_integer(json, column->name, cell.number);
        break;
    case LG_COLUMN_SIZE:
        add_size(json, table, column, stored);
        break;
    case LG_COLUMN_NUMBERS:
        add_numbers(json, column->name, cell.numbers, cell.count);
        break;
    case LG_COLUMN_SHARE:
        lg_json_number(json, column->name, cell.share);
        break;
    case LG_COLUMN_REAL:
        lg_json_number(json, column->name, cell.real);
        break;
    case LG_COLUMN_BOOL:
        lg_json_bool(json, column->name, cell.count != 0);
        break;
    case LG_COLUMN_LIST:
    case LG_COLUMN_RECORD:
        add_table(json, column, cell.table);
        break;
    case LG_COLUMN_TEXT:
    case LG_COLUMN_PATH:
        add_string(json, column->name, cell.text);
        break;
    default:
        lg_json_count(json, column->name, cell.count);
    }
}

static void
write_values(const lg_table *table, const char *name, lg_json *json)
{
    lg_json_array(json, name);
    for (size_t row = 0; row < lg_table_row_count(table); row++)
        add_value(json, table, row, 0);
    lg_json_end(json);
}

static void
write_members(const lg_table *table, size_t row, lg_json *json)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (lg__column_is_in(&table->columns[i], LG__IN_JSON))
            add_value(json, table, row, i);
}

static void
write_rows(const lg_table *table, const char *name, bool lines, lg_json *json)
{
    (lines ? lg_json_lines : lg_json_array)(json, name);
    for (size_t row = 0; row < lg_table_row_count(table); row++) {
        if (table->rows[row].heading)
            continue;
        lg_json_object(json, NULL);
        write_members(table, row, json);
        lg_json_end(json);
    }
    lg_json_end(json);
}

void
lg__table_write(const lg_table *table, const char *name, lg_json *json)
{
    lg_json_object(json, name);
    if (table->facts != NULL)
        write_members(table->facts, 0, json);
    if (table->column_count > 0 && lg__table_is_in(table, LG__IN_JSON))
        write_rows(table, "rows", true, json);
    lg_json_end(json);
}

lg_status
lg_table_json(const lg_table *table, lg_text *out, lg_error *err)
{
    lg_json json = {.out = out};
    lg__table_write(table, NULL, &json);
    return lg_json_finish(&json, err);
}
