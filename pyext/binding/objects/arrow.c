#include "binding/objects/arrow_parts.h"

#include <stdlib.h>
#include <string.h>

lg__arrow_batch *
lg__arrow_batch_new(size_t rows)
{
    lg__arrow_batch *batch = calloc(1, sizeof *batch);
    if (batch != NULL)
        batch->rows = rows;
    return batch;
}

void
lg__arrow_batch_free(lg__arrow_batch *batch)
{
    for (uint32_t i = 0; batch != NULL && i < batch->count; i++) {
        lg__column_object *one = &batch->columns[i];
        free(one->name);
        free(one->validity);
        free(one->values);
        free(one->bytes);
    }
    free(batch);
}

static size_t
width_of(const char *format)
{
    return strchr("Lglu", *format) ? 8 : *format == 'I' ? 4 : 1;
}

/* Texts have 64-bit offsets (Arrow's "U"), so that a column of any size
   fits. */
static lg__column_object *
add_column(lg__arrow_batch *batch, lg_string name, const char *format,
           size_t width)
{
    if (batch == NULL || batch->count == LG__MOST_COLUMNS)
        return NULL;
    lg__column_object *one = &batch->columns[batch->count++];
    strcpy(one->format, *format == 'u' ? "U" : format);
    one->parent = batch->within;
    one->name = strndup(name.data, name.length);
    one->values = calloc(batch->rows + 1, width);
    batch->failed |= one->name == NULL || one->values == NULL;
    return one;
}

void *
lg__arrow_numbers(lg__arrow_batch *batch, lg_string name, const char *format,
                  size_t width)
{
    lg__column_object *one = add_column(batch, name, format, width);
    if (one == NULL)
        return NULL;
    one->count = batch->rows;
    return one->values;
}

void
lg__arrow_open(lg__arrow_batch *batch, lg_string name, const char *format)
{
    bool record = *format == '+';
    lg__column_object *one = add_column(batch, name, format, width_of(format));
    if (one != NULL && record) {
        one->count = batch->rows;
        batch->within = batch->count;
    }
}

void
lg__arrow_end(lg__arrow_batch *batch)
{
    if (batch != NULL)
        batch->within = 0;
}

/* The open column, if it has a row left to fill. */
static lg__column_object *
current(lg__arrow_batch *batch)
{
    if (batch == NULL || batch->failed)
        return NULL;
    lg__column_object *one = &batch->columns[batch->count - 1];
    return one->count < batch->rows ? one : NULL;
}

static bool
make_room(lg__column_object *one, size_t more)
{
    if (one->bytes_length + more <= one->bytes_room)
        return true;
    size_t room = 2 * (one->bytes_length + more) + 64;
    char *bytes = realloc(one->bytes, room);
    if (bytes != NULL) {
        one->bytes = bytes;
        one->bytes_room = room;
    }
    return bytes != NULL;
}

static void
end_text(lg__column_object *one)
{
    int64_t end = (int64_t)one->bytes_length;
    memcpy(one->values + 8 * ++one->count, &end, sizeof end);
}

void
lg__arrow_add_text(lg__arrow_batch *batch, lg_string text)
{
    lg__column_object *one = current(batch);
    if (one == NULL)
        return;
    if (!make_room(one, text.length)) {
        batch->failed = true;
        return;
    }
    if (text.length > 0)
        memcpy(one->bytes + one->bytes_length, text.data, text.length);
    one->bytes_length += text.length;
    end_text(one);
}

void
lg__arrow_add_value(lg__arrow_batch *batch, uint64_t bits)
{
    lg__column_object *one = current(batch);
    if (one == NULL)
        return;
    if (*one->format == 'b')
        one->values[one->count / 8] |= (char)((bits & 1) << one->count % 8);
    else
        memcpy(one->values + 8 * one->count, &bits, sizeof bits);
    one->count++;
}

void
lg__arrow_add_null(lg__arrow_batch *batch)
{
    lg__column_object *one = current(batch);
    if (one == NULL)
        return;
    if (one->validity == NULL) {
        one->validity = malloc(batch->rows / 8 + 1);
        if (one->validity == NULL) {
            batch->failed = true;
            return;
        }
        memset(one->validity, 0xff, batch->rows / 8 + 1);
    }
    one->validity[one->count / 8] &= (uint8_t) ~(1u << one->count % 8);
    one->nulls++;
    if (*one->format == 'U')
        end_text(one);
    else
        one->count++;
}
