// Formats cells for readers.
#include "table/table_private.h"

#include <leakgraph/internal/wording.h>

#include <inttypes.h>
#include <string.h>

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
    lg__text_add_string(out, lg__cell_string(table, cell));
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
is_blank(const lg__cell *cell)
{
    if (cell->kind == 0)
        return true;
    bool counted =
        cell->kind == LG_COLUMN_COUNT + 1 || cell->kind == LG_COLUMN_BYTES + 1;
    return counted && cell->value == 0;
}

void
lg__cell_format(const lg_table *table, size_t row, size_t column, lg_text *out)
{
    const lg__cell *cell = lg__cell_at(table, row, column);
    const lg__column *of = &table->columns[column];
    const uint64_t *numbers = table->numbers;
    if (is_blank(cell) && (of->none != NULL || cell->kind == 0)) {
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
        lg__text_add_string(out, lg__cell_string(table, cell));
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
