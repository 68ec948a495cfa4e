// The columns and cells of a table, one value at a time.
#include "table/table_private.h"

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
