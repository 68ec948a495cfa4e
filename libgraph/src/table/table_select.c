// Makes a table of some rows, which borrows everything else.
#include "table/table_private.h"

#include <stdlib.h>
#include <string.h>

static bool
copy_rows(const lg_table *from, const size_t *rows, size_t count, lg_table *to)
{
    size_t columns = from->column_count;
    to->rows = lg__alloc((count + 1) * sizeof *to->rows);
    to->cells = lg__alloc((count * columns + 1) * sizeof *to->cells);
    if (to->rows == NULL || to->cells == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        to->rows[i] = from->rows[rows[i]];
        to->rows[i].hidden = false;
        memcpy(to->cells + i * columns, from->cells + rows[i] * columns,
               columns * sizeof *to->cells);
    }
    to->row_count = to->row_capacity = count;
    to->shown_of = 0;
    return true;
}

lg_status
lg_table_select(const lg_table *table, const size_t *rows, size_t count,
                lg_table **out, lg_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i] >= lg_table_row_count(table))
            return lg_error_set(err, LG_EINVAL, "the table has no row %zu",
                                rows[i]);
    lg_table *some = lg__alloc(sizeof *some);
    if (some == NULL)
        return lg__error_memory(err);
    *some = *table;
    some->borrows = true;
    some->rows = NULL;
    some->cells = NULL;
    some->first_part = NULL;
    some->text = (lg_text){0};
    if (copy_rows(table, rows, count, some)) {
        *out = some;
        return LG_OK;
    }
    lg_table_free(some);
    return lg__error_memory(err);
}
