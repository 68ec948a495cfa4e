// Makes tables, and reads them for programs.
#include "table/table_private.h"

#include <stdlib.h>
#include <string.h>

static char *
copy_string(const char *data, size_t length)
{
    char *copy = lg__alloc(length + 1);
    if (copy != NULL) {
        memcpy(copy, data, length);
        copy[length] = '\0';
    }
    return copy;
}

static bool
copy_columns(lg_table *table, const lg__column *columns, size_t count)
{
    table->columns = lg__calloc(count + 1, sizeof *table->columns);
    table->names = lg__calloc(count + 1, sizeof *table->names);
    if (table->columns == NULL || table->names == NULL)
        return false;
    table->column_count = count;
    for (size_t i = 0; i < count; i++) {
        const char *name = columns[i].name;
        if (name != NULL)
            table->names[i] = copy_string(name, strlen(name));
        if (name != NULL && table->names[i] == NULL)
            return false;
        table->columns[i] = columns[i];
        table->columns[i].name = table->names[i];
    }
    return true;
}

static lg_table *
make(const lg_table *root, lg__layout layout, const lg__column *columns,
     size_t count)
{
    lg_table *table = lg__calloc(1, sizeof *table);
    if (table == NULL)
        return NULL;
    table->root = root == NULL ? table : root;
    table->layout = layout;
    if (copy_columns(table, columns, count))
        return table;
    lg_table_free(table);
    return NULL;
}

// Makes room for `count` devices, the host among them.
static bool
reserve_devices(lg_table *table, uint32_t count)
{
    table->devices = lg__calloc(count, sizeof *table->devices);
    if (table->devices != NULL)
        table->device_count = count - 1;
    return table->devices != NULL;
}

static bool
copy_device(lg_table *table, uint32_t device, lg_string name)
{
    table->devices[device] = copy_string(name.data, name.length);
    return table->devices[device] != NULL;
}

static bool
copy_devices(lg_table *table, const lg_graph *graph)
{
    uint32_t count = lg_graph_device_count(graph) + 1;
    bool enough = reserve_devices(table, count);
    for (uint32_t i = 0; i < count && enough; i++)
        enough = copy_device(table, i, lg_graph_device_name(graph, i));
    return enough;
}

lg_table *
lg__table_new_on(const lg_string *devices, uint32_t count, lg__layout layout,
                 const lg__column *columns, size_t column_count)
{
    lg_table *table = make(NULL, layout, columns, column_count);
    bool enough = table != NULL && reserve_devices(table, count);
    for (uint32_t i = 0; i < count && enough; i++)
        enough = copy_device(table, i, devices[i]);
    if (enough)
        return table;
    lg_table_free(table);
    return NULL;
}

lg_table *
lg__table_new(const lg_graph *graph, lg__layout layout,
              const lg__column *columns, size_t count)
{
    lg_table *table = make(NULL, layout, columns, count);
    if (table != NULL && !copy_devices(table, graph)) {
        lg_table_free(table);
        return NULL;
    }
    return table;
}

void
lg_table_free(lg_table *table)
{
    if (table == NULL)
        return;
    if (table->borrows) {
        lg__free(table->rows);
        lg__free(table->cells);
        lg__free(table);
        return;
    }
    for (size_t i = 0; i < table->column_count; i++)
        lg__free(table->names[i]);
    for (size_t i = 0; i < table->table_count; i++)
        lg_table_free(table->tables[i]);
    for (uint32_t i = 0; table->devices != NULL && i <= table->device_count;
         i++)
        lg__free(table->devices[i]);
    for (lg_table *part = table->first_part; part != NULL;) {
        lg_table *next = part->next_part;
        lg_table_free(part);
        part = next;
    }
    lg_table_free(table->facts);
    lg_text_free(&table->strings);
    lg_text_free(&table->above);
    lg_text_free(&table->below);
    lg_text_free(&table->text);
    lg__free(table->names);
    lg__free(table->columns);
    lg__free(table->rows);
    lg__free(table->cells);
    lg__free(table->numbers);
    lg__free(table->tables);
    lg__free(table->devices);
    lg__free(table);
}

static bool
is_whole(const lg_table *table)
{
    if (table->failed || table->strings.failed || table->above.failed ||
        table->below.failed)
        return false;
    for (size_t i = 0; i < table->table_count; i++)
        if (!is_whole(table->tables[i]))
            return false;
    for (const lg_table *part = table->first_part; part != NULL;
         part = part->next_part)
        if (!is_whole(part))
            return false;
    return table->facts == NULL || is_whole(table->facts);
}

lg_status
lg__table_finish(lg_table *made, lg_table **out, lg_error *err)
{
    if (made == NULL || !is_whole(made)) {
        lg_table_free(made);
        return lg__error_memory(err);
    }
    *out = made;
    return LG_OK;
}

const char *
lg__column_heading(const lg__column *column)
{
    if (column->heading != NULL)
        return column->heading;
    return column->name != NULL ? column->name : "";
}

bool
lg__column_is_in(const lg__column *column, unsigned face)
{
    return column->shown_in == 0 || (column->shown_in & face) != 0;
}

static bool
reserve_row(lg_table *table)
{
    const size_t cell = sizeof *table->cells;
    const lg__row_array arrays[] = {
        {&table->rows, sizeof *table->rows, 0},
        {&table->cells, table->column_count * cell, cell},
    };
    return lg__rows_room(arrays, 2, table->row_count, &table->row_capacity);
}

void
lg__table_row(lg_table *table)
{
    if (table == NULL || table->failed)
        return;
    if (!reserve_row(table)) {
        table->failed = true;
        return;
    }
    size_t columns = table->column_count;
    memset(table->cells + table->row_count * columns, 0,
           columns * sizeof *table->cells);
    table->rows[table->row_count++] = (lg__row){0};
}

void
lg__table_total_row(lg_table *table)
{
    lg__table_row(table);
    if (table != NULL && !table->failed)
        table->rows[table->row_count - 1].total = true;
}

void
lg__table_heading_row(lg_table *table)
{
    lg__table_row(table);
    if (table != NULL && !table->failed)
        table->rows[table->row_count - 1].heading = true;
}

void
lg__table_hide_row(lg_table *table)
{
    if (table != NULL && table->row_count > 0)
        table->rows[table->row_count - 1].hidden = true;
}

void
lg__table_set_depth(lg_table *table, uint32_t depth)
{
    if (table != NULL && table->row_count > 0)
        table->rows[table->row_count - 1].depth =
            (uint16_t)(depth < UINT16_MAX ? depth : UINT16_MAX);
}

void
lg__table_set_count(lg_table *table, size_t count)
{
    if (table != NULL)
        table->shown_of = count;
}

lg_table *
lg__table_within(const lg_table *table, const lg__column *columns, size_t count)
{
    return make(table->root, (lg__layout){0}, columns, count);
}

lg_table *
lg__table_facts(lg_table *table, const lg__column *columns, size_t count)
{
    if (table == NULL)
        return NULL;
    table->facts = lg__table_within(table, columns, count);
    table->failed |= table->facts == NULL;
    lg__table_row(table->facts);
    return table->facts;
}

lg_table *
lg__table_part(lg_table *table, lg__layout layout, const lg__column *columns,
               size_t count)
{
    if (table == NULL)
        return NULL;
    lg_table **end = &table->first_part;
    while (*end != NULL)
        end = &(*end)->next_part;
    *end = make(table->root, layout, columns, count);
    table->failed |= *end == NULL;
    return *end;
}

static void
add_formatted(lg_table *table, lg_text *text, lg_text *to)
{
    if (table != NULL && text->data != NULL)
        lg_text_add_bytes(to, text->data, text->length);
    if (table != NULL)
        table->failed |= text->failed;
    lg_text_free(text);
}

void
lg__table_format_above(lg_table *table, lg_text *text)
{
    add_formatted(table, text, table == NULL ? NULL : &table->above);
}

void
lg__table_format_below(lg_table *table, lg_text *text)
{
    add_formatted(table, text, table == NULL ? NULL : &table->below);
}

size_t
lg_table_column_count(const lg_table *table)
{
    return table->column_count;
}

size_t
lg_table_column_find(const lg_table *table, const char *name)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].name != NULL &&
            strcmp(table->columns[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

static lg_string
string_of(const char *string)
{
    return (lg_string){string, (uint32_t)strlen(string)};
}

lg_column
lg_table_column(const lg_table *table, size_t index)
{
    const lg__column *column = &table->columns[index];
    return (lg_column){
        .name = string_of(column->name != NULL ? column->name : ""),
        .heading = string_of(lg__column_heading(column)),
        .type = column->type,
        .data = lg__column_is_in(column, LG__IN_PROGRAMS),
    };
}

size_t
lg_table_row_count(const lg_table *table)
{
    size_t count = table->row_count;
    while (count > 0 && table->rows[count - 1].total)
        count--;
    return count;
}

bool
lg_table_is_heading(const lg_table *table, size_t row)
{
    return table->rows[row].heading;
}

const lg_table *
lg_table_facts(const lg_table *table)
{
    return table->facts;
}

uint32_t
lg_table_device_count(const lg_table *table)
{
    return table->root->device_count;
}

lg_string
lg_table_device_name(const lg_table *table, uint32_t device)
{
    return string_of(table->root->devices[device]);
}
