/**
 * Reads arrays, tables and buffers of pyarrow from memory: in a forked child,
 * where pyarrow's code may not run.
 */
#include "bytes/libraries/pyarrow.h"
#include "bytes/common/bytes_common.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    PARENTS_MAX = 64,
    BUFFERS_MAX = 1 << 12,
    PARTS_MAX = 1 << 20,
    PENDING_MAX = 256,
    NAME_MAX_SHOWN = 80
};

/** An object that is being read. */
typedef struct reader {
    lg__arrow_holder to;
    const lg__arrow_layout *layout;
    lg__memory *memory;
} reader;

static uintptr_t
word_at(const reader *self, uintptr_t address)
{
    return lg__memory_word(self->memory, address);
}

/** Charges the memory of a buffer, or of the buffer that it is a slice of. */
static bool
add_buffer(const reader *self, uintptr_t buffer)
{
    const lg__arrow_layout *layout = self->layout;
    uintptr_t whole = buffer;
    for (int i = 0; i < PARENTS_MAX; i++) {
        uintptr_t parent = word_at(self, whole + layout->buffer_parent);
        if (parent == 0)
            break;
        whole = parent;
    }
    uintptr_t extent[2];
    if (!lg__arrow_buffer_is_cpu(self->memory, whole) ||
        !lg__memory_copy(self->memory, whole + layout->buffer_data, extent,
                         sizeof extent))
        return false;
    if (extent[0] != 0 && extent[1] > 0 && extent[1] < (uintptr_t)1 << 47)
        lg__arrow_add_span(&self->to, extent[0], extent[1], whole == buffer);
    return true;
}

static bool
add_buffers(const reader *self, uintptr_t data)
{
    uintptr_t begin;
    size_t count;
    if (!lg__arrow_vector(self->memory, data + self->layout->data_buffers,
                          BUFFERS_MAX, &begin, &count))
        return false;
    bool known = true;
    for (size_t i = 0; i < count; i++) {
        uintptr_t buffer = lg__arrow_element(self->memory, begin, i);
        known = (buffer == 0 || add_buffer(self, buffer)) && known;
    }
    return known;
}

/** ArrayData that is yet to be read. */
typedef struct pending {
    uintptr_t data[PENDING_MAX];
    size_t count;
    bool full;
} pending;

static void
push(pending *to, uintptr_t data)
{
    if (data == 0)
        return;
    if (to->count < PENDING_MAX)
        to->data[to->count++] = data;
    else
        to->full = true;
}

static bool
push_parts(const reader *self, pending *to, uintptr_t data)
{
    uintptr_t begin;
    size_t count;
    push(to, word_at(self, data + self->layout->data_dictionary));
    if (!lg__arrow_vector(self->memory, data + self->layout->data_children,
                          PENDING_MAX, &begin, &count))
        return false;
    for (size_t i = 0; i < count; i++)
        push(to, lg__arrow_element(self->memory, begin, i));
    return true;
}

/** Charges the buffers of an ArrayData, its children and its dictionary. The
 *  count of parts bounds what memory in the middle of a change can cost. */
static bool
add_data(const reader *self, uintptr_t data)
{
    pending state = {.count = 0};
    bool known = data != 0;
    push(&state, data);
    for (size_t i = 0; state.count > 0 && i < PARTS_MAX; i++) {
        uintptr_t at = state.data[--state.count];
        known = add_buffers(self, at) && push_parts(self, &state, at) && known;
    }
    return known && !state.full && state.count == 0;
}

static uintptr_t
data_of(const reader *self, uintptr_t array)
{
    return word_at(self, array + self->layout->array_data);
}

/** The name of the elements' type; empty if it has parameters. */
static const char *
type_of(const reader *self, uintptr_t data)
{
    uintptr_t type = word_at(self, data + self->layout->data_type);
    uint32_t id = (uint32_t)word_at(self, type + self->layout->type_id);
    return type != 0 && id < LG__ARROW_TYPES ? self->layout->types[id] : "";
}

/** Gives the buffers their text: `int64[3000]`, after the name of a column. */
static void
name_buffers(reader *self, const char *type, uint64_t length,
             const char *column)
{
    self->to.text =
        *type ? lg__arrow_format_array(&self->to, type, length, column) : 0;
}

static void
describe_array(reader *self, const char *type, uint64_t length)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, length);
    lg__arrow_add_fact(&self->to, "shape", text);
    name_buffers(self, type, length, "");
    if (!*type)
        return;
    lg__arrow_add_fact(&self->to, "dtype", type);
    lg_builder_set_text_id(lg__pass_builder(self->to.pass),
                           self->to.instance->node, self->to.text);
}

static bool
read_array(reader *self, uintptr_t array)
{
    uintptr_t data = data_of(self, array);
    if (data == 0)
        return false;
    describe_array(self, type_of(self, data),
                   word_at(self, data + self->layout->data_length));
    return add_data(self, data);
}

/** What the chunks of a column have in common. */
typedef struct column {
    uintptr_t begin; /**< of the vector of Arrays */
    size_t count;
    uint64_t length;
    const char *type;
} column;

static bool
open_chunks(const reader *self, uintptr_t chunked, column *out)
{
    *out = (column){.type = ""};
    if (!lg__arrow_vector(self->memory, chunked + self->layout->chunked_chunks,
                          PARTS_MAX, &out->begin, &out->count))
        return false;
    for (size_t i = 0; i < out->count; i++) {
        uintptr_t data =
            data_of(self, lg__arrow_element(self->memory, out->begin, i));
        if (data == 0)
            return false;
        out->length += word_at(self, data + self->layout->data_length);
        out->type = type_of(self, data);
    }
    return true;
}

static bool
add_chunks(const reader *self, const column *chunks)
{
    bool known = true;
    for (size_t i = 0; i < chunks->count; i++)
        known = add_data(self,
                         data_of(self, lg__arrow_element(self->memory,
                                                         chunks->begin, i))) &&
                known;
    return known;
}

static bool
read_chunks(reader *self, uintptr_t chunked)
{
    column chunks;
    if (!open_chunks(self, chunked, &chunks))
        return false;
    describe_array(self, chunks.type, chunks.length);
    return add_chunks(self, &chunks);
}

/* -------------------------------------------------------------- tables ---- */

/** The name of a column; false if it is not readable. */
static bool
read_name(const reader *self, uintptr_t fields, size_t i,
          char name[NAME_MAX_SHOWN + 1])
{
    uintptr_t begin, text[2];
    size_t count;
    if (!lg__arrow_vector(self->memory, fields, PARTS_MAX, &begin, &count) ||
        i >= count)
        return false;
    uintptr_t field = lg__arrow_element(self->memory, begin, i);
    if (!lg__memory_copy(self->memory, field + self->layout->field_name, text,
                         sizeof text))
        return false;
    size_t length = text[1] < NAME_MAX_SHOWN ? text[1] : NAME_MAX_SHOWN;
    name[length] = '\0';
    return lg__memory_copy(self->memory, text[0], name, length);
}

static uintptr_t
fields_of(const reader *self, uintptr_t table)
{
    uintptr_t schema = word_at(self, table + self->layout->table_schema);
    return word_at(self, schema + self->layout->schema_fields);
}

static void
describe_table(const reader *self, uintptr_t table, size_t columns)
{
    char name[NAME_MAX_SHOWN + 1];
    lg__arrow_columns list = {.count = columns};
    uintptr_t fields = fields_of(self, table);
    lg__arrow_describe_table(
        &self->to, word_at(self, table + self->layout->table_rows), columns);
    for (size_t i = 0; i < columns && i < LG__ARROW_NAMES_SHOWN; i++)
        lg__arrow_list_column(&list,
                              read_name(self, fields, i, name) ? name : "?");
    lg__arrow_list_end(&self->to, &list);
}

/** Charges one column under its name: chunks in a table, an ArrayData in a
 *  batch. */
static bool
add_column(reader *self, uintptr_t at, bool is_batch, const char *name)
{
    column chunks;
    self->to.label = lg__arrow_column_label(&self->to, name);
    if (!is_batch) {
        if (!open_chunks(self, at, &chunks))
            return false;
        name_buffers(self, chunks.type, chunks.length, name);
        return add_chunks(self, &chunks);
    }
    name_buffers(self, type_of(self, at),
                 word_at(self, at + self->layout->data_length), name);
    return add_data(self, at);
}

/** Only tables of the classes whose layout is known, because these alone
 *  decide where their columns are. */
static bool
read_table(reader *self, uintptr_t table)
{
    const lg__arrow_layout *layout = self->layout;
    char name[NAME_MAX_SHOWN + 1];
    uintptr_t class = word_at(self, table), begin;
    size_t count;
    bool is_batch = class == layout->batch_class;
    if ((!is_batch && class != layout->table_class) ||
        !lg__arrow_vector(self->memory, table + layout->table_columns,
                          PARTS_MAX, &begin, &count))
        return false;
    describe_table(self, table, count);
    uintptr_t fields = fields_of(self, table);
    bool known = true;
    for (size_t i = 0; i < count; i++)
        known = add_column(self, lg__arrow_element(self->memory, begin, i),
                           is_batch,
                           read_name(self, fields, i, name) ? name : "?") &&
                known;
    return known;
}

bool
lg__arrow_read(lg__arrow_holder *to)
{
    reader self = {
        .to = *to, .layout = to->arrow->layout, .memory = to->arrow->memory};
    uintptr_t native = lg__arrow_native(to->instance->object);
    char text[24];
    uintptr_t size;
    switch (to->instance->kind) {
    case LG__ARROW_BUFFER:
        size =
            word_at(&self, native + self.layout->buffer_data + sizeof native);
        snprintf(text, sizeof text, "%" PRIuPTR, size);
        lg__arrow_add_fact(to, "bytes", text);
        return add_buffer(&self, native);
    case LG__ARROW_ARRAY:
        return read_array(&self, native);
    case LG__ARROW_CHUNKED:
        return read_chunks(&self, native);
    default:
        return read_table(&self, native);
    }
}
