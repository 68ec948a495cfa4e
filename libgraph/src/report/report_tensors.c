// Lists storages of tensors, or adds them up by kind, device, dtype or shape,
// and describes the table of both.
#include "bytes/bytes_private.h"
#include "report/report_private.h"

#include <leakgraph/internal/options.h>

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static const char ALLOCATED_IN[] = "allocated in ";

// The index of the option.
enum { LIMIT = 0 };

// A storage, or all of a group. Empty strings are unknown, or differ.
typedef struct tensor_line {
    const lg_tensor_row *storage; // NULL of a group
    const lg_where *held_by;
    lg_node node;
    lg_node tensor;
    uint64_t bytes;
    uint64_t used;
    uint64_t storages;
    uint64_t tensors;
    uint64_t retained;    // by the tensors, on all devices
    const uint64_t *size; // by device
    lg_string kind;
    lg_string device;
    lg_string dtype;
    lg_string shape;
    lg_string autograd;
} tensor_line;

typedef struct tensors_answer {
    lg_tensor_group group;
    lg_tensors tensors; // of groups all, without the holders
    lg_tensor_sums sums;
    lg_findings mistakes;
    tensor_line *lines;
    size_t count;
    size_t total;  // lines, before the limit if somebody must be told
    size_t places; // before the limit
    uint64_t storages;
    uint64_t bytes;
    const uint64_t *size;
    uint64_t *sizes; // what the sizes point into
} tensors_answer;

// Returns the type of the autograd node that made the tensor.
static lg_string
autograd_of(const lg_graph *graph, const lg_tensor_row *row)
{
    uint32_t node = row->tensor == LG_NONE
                        ? LG_NONE
                        : lg__tensor_grad_fn(graph, row->tensor);
    return node == LG_NONE
               ? (lg_string){"", 0}
               : lg_graph_type(graph, lg_columns_type(&graph->columns, node))
                     .name;
}

static uint64_t
retained_by(const lg_ask *ask, lg_node node)
{
    uint64_t bytes = 0;
    for (uint32_t on = 0;
         ask->analysis != NULL && on <= ask->graph->device_count; on++)
        bytes += lg_node_retained_on(ask->analysis, node, on);
    return bytes;
}

// Returns what keeps a storage alone: its widest tensor, or else itself.
static lg_node
keeper_of(const lg_ask *ask, const lg_tensor_row *row)
{
    return row->tensor != LG_NONE && retained_by(ask, row->tensor) >= row->bytes
               ? row->tensor
               : row->buffer;
}

static void
add_storage(const lg_ask *ask, tensors_answer *to, size_t index, size_t at,
            uint64_t *size)
{
    const lg_graph *graph = ask->graph;
    const lg_tensor_row *row = &to->tensors.rows.items[index];
    size[row->device] = row->bytes;
    to->lines[at] = (tensor_line){
        .storage = row,
        .held_by = &to->tensors.held_by[index],
        .node = row->buffer,
        .tensor = row->tensor,
        .bytes = row->bytes,
        .used = row->used,
        .storages = 1,
        .tensors = row->tensor_count,
        .retained = retained_by(ask, keeper_of(ask, row)),
        .size = size,
        .kind = lg__string_of(lg_tensor_kind_name(row->kind)),
        .device = lg_graph_device_name(graph, row->device),
        .dtype = lg__tensor_fact(graph, row, "dtype"),
        .shape = lg__tensor_fact(graph, row, "shape"),
        .autograd = autograd_of(graph, row),
    };
}

static void
add_group(tensors_answer *to, size_t index)
{
    const lg_tensor_sum *sum = &to->sums.items[index];
    tensor_line *line = &to->lines[index];
    *line = (tensor_line){.node = LG_NONE,
                          .tensor = LG_NONE,
                          .bytes = sum->total,
                          .storages = sum->count,
                          .size = sum->bytes,
                          .shape = sum->shape};
    for (size_t i = 0; i < sum->count; i++)
        line->tensors += sum->items[i].tensor_count;
    *(to->group == LG_TENSORS_BY_KIND     ? &line->kind
      : to->group == LG_TENSORS_BY_DEVICE ? &line->device
                                          : &line->dtype) = sum->key;
}

// A storage, and what those have in common that share a line with it.
typedef struct placed {
    lg_string key;
    size_t row;
} placed;

static int
compare_placed(const void *left, const void *right)
{
    const placed *a = left;
    const placed *b = right;
    int order = lg__string_compare(a->key, b->key);
    return order != 0 ? order : a->row < b->row ? -1 : a->row > b->row;
}

static int
compare_lines(const void *left, const void *right)
{
    const tensor_line *a = left;
    const tensor_line *b = right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static void
write_key_of(const lg_ask *ask, const lg_tensor_row *row,
             const lg_where *held_by, lg_text *out)
{
    if (held_by->kind == LG_WHERE_PATH)
        lg__format_folded_path(ask->graph, &held_by->path, out);
    else
        lg_text_addf(out, "#%u", row->buffer);
    lg_text_addf(out, " %u %u ", (unsigned)row->kind, row->device);
    lg__text_add_string(out, lg__tensor_fact(ask->graph, row, "dtype"));
    lg_text_add(out, " ");
    lg__text_add_string(out, lg__tensor_fact(ask->graph, row, "shape"));
    lg_text_add(out, " ");
    lg__text_add_string(out, autograd_of(ask->graph, row));
}

// Sorts storages so that those of one line stand together, the biggest first.
// The text holds the keys.
static placed *
sort_placed(const lg_ask *ask, const tensors_answer *of, lg_text *text)
{
    size_t count = of->tensors.rows.count;
    placed *rows = lg__alloc((count + 1) * sizeof *rows);
    for (size_t i = 0; i < count && rows != NULL; i++) {
        size_t start = text->length;
        write_key_of(ask, &of->tensors.rows.items[i], &of->tensors.held_by[i],
                     text);
        rows[i] = (placed){{NULL, (uint32_t)(text->length - start)}, i};
    }
    if (rows == NULL || text->failed) {
        lg__free(rows);
        return NULL;
    }
    for (size_t i = 0, start = 0; i < count; i++) {
        rows[i].key.data = text->data + start;
        start += rows[i].key.length;
    }
    if (count > 0)
        qsort(rows, count, sizeof *rows, compare_placed);
    return rows;
}

static void
add_to_line(const lg_ask *ask, const lg_tensor_row *row, uint64_t *size,
            tensor_line *line)
{
    line->bytes += row->bytes;
    line->used = line->used > 0 && row->used > 0 ? line->used + row->used : 0;
    line->storages++;
    line->tensors += row->tensor_count;
    line->retained += retained_by(ask, keeper_of(ask, row));
    size[row->device] += row->bytes;
}

static bool
is_little(const lg_ask *ask, const tensors_answer *of, size_t row)
{
    return of->group == LG_TENSORS_BY_PLACE &&
           lg__row_is_little(ask, LIMIT, row, of->lines[row].bytes, of->bytes);
}

// Makes a line of all storages that are held in the same way and are alike.
static bool
add_places(const lg_ask *ask, tensors_answer *to)
{
    lg_text text = {0};
    size_t devices = (size_t)ask->graph->device_count + 1;
    placed *rows = sort_placed(ask, to, &text);
    size_t made = 0;
    for (size_t i = 0; i < to->tensors.rows.count && rows != NULL; i++) {
        uint64_t *size = to->sizes + (made + 1) * devices;
        if (i == 0 || lg__string_compare(rows[i - 1].key, rows[i].key) != 0)
            add_storage(ask, to, rows[i].row, made++, size);
        else
            add_to_line(ask, &to->tensors.rows.items[rows[i].row],
                        size - devices, &to->lines[made - 1]);
    }
    if (made > 0)
        qsort(to->lines, made, sizeof *to->lines, compare_lines);
    to->places = made;
    to->count = to->count < made ? to->count : made;
    to->total =
        to->count > 0 && is_little(ask, to, to->count - 1) ? to->count : made;
    lg_text_free(&text);
    bool enough = rows != NULL;
    lg__free(rows);
    return enough;
}

static bool
add_lines(const lg_ask *ask, tensors_answer *to)
{
    const lg_graph *graph = ask->graph;
    size_t devices = (size_t)graph->device_count + 1;
    bool each = to->group == LG_TENSORS_EACH;
    bool placed_too = to->group == LG_TENSORS_BY_PLACE;
    size_t sizes = placed_too ? to->total + 1 : each ? to->count + 1 : 1;
    to->lines = lg__calloc(to->total + 1, sizeof *to->lines);
    to->sizes = lg__calloc(sizes * devices, sizeof *to->sizes);
    if (to->lines == NULL || to->sizes == NULL)
        return false;
    for (uint32_t on = 0; on < devices; on++)
        to->sizes[on] = lg__tensor_bytes_on(&to->tensors.rows, on);
    to->size = to->sizes;
    if (placed_too)
        return add_places(ask, to);
    for (size_t i = 0; i < to->count; i++)
        if (each)
            add_storage(ask, to, i, i, to->sizes + (i + 1) * devices);
        else
            add_group(to, i);
    return true;
}

// Whether a row says who holds it.
static bool
has_holders(const tensors_answer *of)
{
    return of->group == LG_TENSORS_EACH || of->group == LG_TENSORS_BY_PLACE;
}

static lg_status
list_storages(const lg_ask *ask, const lg_tensor_options *options,
              tensors_answer *to, lg_error *err)
{
    lg__storages storages = {0};
    lg_tensor_options all = *options;
    if (to->group == LG_TENSORS_BY_PLACE)
        all.limit = 0;
    if (has_holders(to))
        return lg_graph_tensors(ask->graph, ask->analysis, &all, &to->tensors,
                                err);
    lg_status status =
        lg__storages_list(ask->graph, options->scope, options->device, 0,
                          &storages, &to->tensors.rows, err);
    lg__storages_free(&storages);
    return status == LG_OK ? lg_tensors_sum(ask->graph, &to->tensors.rows,
                                            to->group, &to->sums, err)
                           : status;
}

// Finds the known mistakes that concern the storages of the rows, and their
// tensors.
static lg_status
find_mistakes(const lg_ask *ask, tensors_answer *to, lg_error *err)
{
    size_t count = 0;
    const lg_tensor_rows *rows = &to->tensors.rows;
    if (ask->analysis == NULL || !has_holders(to))
        return LG_OK;
    uint32_t *nodes = lg__alloc((2 * rows->count + 1) * sizeof *nodes);
    if (nodes == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < rows->count; i++) {
        nodes[count++] = rows->items[i].buffer;
        if (rows->items[i].tensor != LG_NONE)
            nodes[count++] = rows->items[i].tensor;
    }
    lg_status status = lg_nodes_findings(ask->analysis, nodes, count,
                                         ask->monitor, &to->mistakes, err);
    lg__free(nodes);
    return status;
}

static void
free_tensors(void *answer)
{
    tensors_answer *of = answer;
    lg_findings_free(&of->mistakes);
    lg_tensor_sums_free(&of->sums);
    lg_tensors_free(&of->tensors);
    lg__free(of->lines);
    lg__free(of->sizes);
}

static lg_status
ask_tensors(const lg_ask *ask, void *answer, lg_error *err)
{
    tensors_answer *to = answer;
    const lg_tensor_options *options = ask->options;
    to->group = options->group;
    lg_status status = list_storages(ask, options, to, err);
    size_t limit = options->limit > 0 ? options->limit : SIZE_MAX;
    to->storages = to->tensors.rows.total;
    to->bytes = to->tensors.rows.bytes;
    to->total = has_holders(to) ? to->tensors.rows.count : to->sums.count;
    to->count = to->total < limit ? to->total : limit;
    if (status == LG_OK && !add_lines(ask, to))
        status = lg__error_memory(err);
    if (status == LG_OK)
        status = find_mistakes(ask, to, err);
    if (status != LG_OK)
        free_tensors(to);
    return status;
}

// Writes `float32[512, 512]`, or what is known of it.
static void
format_shape(const lg_graph *graph, const tensor_line *line, lg_text *out)
{
    if (line->dtype.length == 0) {
        lg_node_title(graph, line->node, false, out);
        return;
    }
    lg__text_add_string(out, line->dtype);
    lg_text_add(out, "[");
    lg__text_add_string(out, line->shape);
    lg_text_add(out, "]");
}

static void
add_number(const tensor_line *line, lg_text *out)
{
    if (line->tensors > line->storages) {
        lg_text_add(out, " ×");
        lg_text_addf(out, "%zu", (size_t)line->tensors);
    }
}

// Writes what text shows in one column: shape, device and autograd node.
static void
write_what(const lg_ask *ask, const void *answer, const void *of, lg_text *out)
{
    const tensor_line *line = of;
    (void)answer;
    format_shape(ask->graph, line, out);
    if (ask->graph->device_count > 0) {
        lg_text_add(out, " ");
        lg__text_add_string(out, line->device);
    }
    add_number(line, out);
    if (line->autograd.length > 0) {
        lg_text_add(out, " ");
        lg__text_add_string(out, line->autograd);
    }
}

static void
write_shape(const lg_ask *ask, const void *answer, const void *of, lg_text *out)
{
    (void)answer;
    format_shape(ask->graph, of, out);
    add_number(of, out);
}

static void
write_held_by(const lg_ask *ask, const void *answer, const void *of,
              lg_text *out)
{
    const tensor_line *line = of;
    (void)answer;
    if (line->storages > 1 && line->storage != NULL &&
        line->held_by->kind == LG_WHERE_PATH)
        lg__format_folded_path(ask->graph, &line->held_by->path, out);
    else if (line->storage != NULL)
        lg__where_write(ask->graph, ask->analysis,
                        lg__tensor_node(line->storage), line->held_by, out);
}

static void
write_allocation(const lg_ask *ask, const void *answer, const void *of,
                 lg_text *out)
{
    const tensor_line *line = of;
    (void)answer;
    if (line->storage != NULL)
        lg__text_add_string(out, lg__buffer_allocation(ask->graph, line->node));
}

// Writes what the storages of a group have in common.
static void
write_key(const lg_ask *ask, const void *answer, const void *of, lg_text *out)
{
    const tensor_line *line = of;
    const lg_string *key = line->kind.length > 0     ? &line->kind
                           : line->device.length > 0 ? &line->device
                                                     : &line->dtype;
    (void)ask;
    if (key->length == 0) {
        lg_text_add(out, "unknown");
        return;
    }
    lg__text_add_string(out, *key);
    if (((const tensors_answer *)answer)->group == LG_TENSORS_BY_SHAPE) {
        lg_text_add(out, "[");
        lg__text_add_string(out, line->shape);
        lg_text_add(out, "]");
    }
}

// Writes numbers, or a text if the shape has something else (`s0, 3`). A scalar
// has the shape "".
static void
put_numbers(lg_table *table, size_t column, lg_string shape)
{
    enum { MOST = 64 };
    uint64_t numbers[MOST];
    uint32_t count = 0;
    bool digit = false;
    for (uint32_t i = 0; i < shape.length; i++) {
        char c = shape.data[i];
        bool is_digit = c >= '0' && c <= '9';
        if ((!is_digit && strchr(", ", c) == NULL) || count == MOST) {
            lg__put_string(table, column, shape);
            return;
        }
        if (is_digit && !digit)
            numbers[count++] = 0;
        if (is_digit)
            numbers[count - 1] = numbers[count - 1] * 10 + (uint64_t)(c - '0');
        digit = is_digit;
    }
    lg__put_numbers(table, column, numbers, count);
}

static void
put_kind(const lg_ask *ask, const void *answer, const void *of,
         const lg_field *field, lg_table *table, size_t column)
{
    (void)ask, (void)answer, (void)field;
    lg__put_string(table, column, ((const tensor_line *)of)->kind);
}

static void
put_shape(const lg_ask *ask, const void *answer, const void *of,
          const lg_field *field, lg_table *table, size_t column)
{
    const tensor_line *line = of;
    lg_tensor_group group = ((const tensors_answer *)answer)->group;
    (void)ask, (void)field;
    if (line->dtype.length > 0 && group != LG_TENSORS_BY_DTYPE)
        put_numbers(table, column, line->shape);
}

static bool
shows_part(const tensor_line *line)
{
    return line->used > 0 && line->used < line->bytes;
}

static bool
has_parts(const tensors_answer *of)
{
    for (size_t i = 0; i < of->count; i++)
        if (shows_part(&of->lines[i]))
            return true;
    return false;
}

static bool
has_shared(const tensors_answer *of)
{
    for (size_t i = 0; i < of->count; i++)
        if (of->lines[i].tensors > of->lines[i].storages)
            return true;
    return false;
}

// Puts the part of a storage that its widest tensor shows, unless that is all.
static void
put_used(const lg_ask *ask, const void *answer, const void *of,
         const lg_field *field, lg_table *table, size_t column)
{
    const tensor_line *line = of;
    (void)ask, (void)answer, (void)field;
    if (shows_part(line))
        lg__put_share(table, column, line->used, line->bytes);
}

static void
put_block(const lg_ask *ask, const void *answer, const void *of,
          const lg_field *field, lg_table *table, size_t column)
{
    const tensor_line *line = of;
    if (line->storage == NULL || line->storage->allocation == 0)
        return;
    const lg__rows block = {&ask->graph->block[line->storage->allocation - 1],
                            1, sizeof *ask->graph->block};
    lg__put_list(ask, answer, field, &block, table, column);
}

static void
put_stream(const lg_ask *ask, const void *answer, const void *block,
           const lg_field *field, lg_table *table, size_t column)
{
    (void)answer, (void)field;
    lg__put_count(
        table, column,
        ask->graph->segment[((const lg_block *)block)->segment].stream);
}

static void
put_mistakes(const lg_ask *ask, const void *answer, const void *row,
             const lg_field *field, lg_table *table, size_t column)
{
    (void)row, (void)field;
    if (ask->analysis != NULL)
        lg__put_findings(table, column, ask,
                         &((const tensors_answer *)answer)->mistakes);
}

static void
format_total(const lg_graph *graph, const tensors_answer *of, lg_text *out)
{
    const lg_tensor_rows *rows = &of->tensors.rows;
    lg_text_add(out, "\n");
    if (rows->count < rows->total) {
        lg_text_add_count(out, rows->count);
        lg_text_add(out, " of ");
    }
    lg_text_add_count(out, rows->total);
    lg_text_addf(out, " storage%s, ", rows->total == 1 ? "" : "s");
    lg__format_each(graph, of->size, out);
    lg_text_add(out, " in all; each counts once, however many tensors use it");
    if (has_holders(of) && has_shared(of))
        lg_text_add(out, " (×2: two)");
    if (has_parts(of))
        lg_text_add(out, "; used is what the widest view shows");
    lg_text_add(out, "\n");
}

static void
format_none(const lg_graph *graph, const lg_tensor_options *options,
            lg_text *out)
{
    lg_text_add(out, options->scope != NULL
                         ? "The chosen modules hold no tensor"
                         : "There is no tensor");
    if (options->device != LG_NONE) {
        lg_text_add(out, " on ");
        lg__text_add_string(out, lg_graph_device_name(graph, options->device));
    }
    lg_text_add(out, ".\n");
}

static void
hide_little(const lg_ask *ask, const void *answer, size_t row, lg_table *table)
{
    if (is_little(ask, answer, row))
        lg__table_hide_row(table);
}

// Says in one line what the rows have that people do not see. Those after a
// little row are little, too, because the biggest come first.
static void
format_little(const lg_ask *ask, const tensors_answer *of, lg_text *out)
{
    uint64_t bytes = 0;
    size_t places = 0;
    size_t end = of->total > of->count ? of->count : of->places;
    for (size_t row = 0; row < end; row++) {
        places += is_little(ask, of, row);
        bytes += is_little(ask, of, row) ? of->lines[row].bytes : 0;
    }
    if (places == 0)
        return;
    lg_text_add(out, "\n");
    lg_text_add_count(out, places);
    lg_text_addf(out, " more place%s with less than 0.1 %% each: ",
                 places == 1 ? "" : "s");
    lg_text_add_size(out, bytes);
    lg_text_add(out, "\n");
}

static void
add_below(const lg_ask *ask, const void *answer, lg_table *table)
{
    const tensors_answer *of = answer;
    lg_text below = {0};
    format_little(ask, of, &below);
    if (of->storages == 0)
        format_none(ask->graph, ask->options, &below);
    else
        format_total(ask->graph, of, &below);
    lg__format_uninspected(ask->graph, &below);
    lg__table_format_below(table, &below);
    lg__add_mistakes(table, ask, &of->mistakes);
}

void
lg_report_allocation(const lg_why *why, lg_text *out)
{
    if (why->allocation.length == 0)
        return;
    lg_text_add(out, ALLOCATED_IN);
    lg__text_add_string(out, why->allocation);
}

static lg_tensor_group
group_of(const void *answer)
{
    return ((const tensors_answer *)answer)->group;
}

#define SHOWN(name, condition)                                                 \
    static bool name(const lg_ask *ask, const void *answer)                    \
    {                                                                          \
        (void)ask;                                                             \
        return condition;                                                      \
    }

SHOWN(has_storages, has_holders(answer))
SHOWN(has_used, has_holders(answer) && has_parts(answer))
SHOWN(has_groups, !has_holders(answer))
SHOWN(has_several_devices, has_holders(answer) && ask->graph->device_count > 0)
SHOWN(has_counts, group_of(answer) != LG_TENSORS_EACH)
SHOWN(has_kinds, group_of(answer) == LG_TENSORS_BY_KIND)
SHOWN(has_devices, group_of(answer) == LG_TENSORS_BY_DEVICE)
SHOWN(has_dtypes, group_of(answer) == LG_TENSORS_BY_DTYPE)
SHOWN(has_shapes, group_of(answer) == LG_TENSORS_BY_SHAPE)
SHOWN(has_sizes, has_groups(ask, answer) && !has_devices(ask, answer) &&
                     ask->graph->device_count > 0)

static const char *const kinds[] = {
    "parameter",  "buffer",    "gradient", "optimizer state",
    "activation", "temporary", "other",    NULL};

static const lg_field block_fields[] = {
    {"address", NULL, "where it begins", LG_COLUMN_COUNT,
     .offset = offsetof(lg_block, address)},
    {"size", NULL, "of the block", LG_COLUMN_BYTES,
     .offset = offsetof(lg_block, size)},
    {"requested", NULL, "what the program asked for", LG_COLUMN_BYTES,
     .offset = offsetof(lg_block, requested)},
    {"stream", NULL, "of the segment", LG_COLUMN_COUNT, .put = put_stream},
    {0},
};

#define ROW(member) .offset = offsetof(tensor_line, member)
#define KEY(heading, shown_if)                                                 \
    {                                                                          \
        NULL, heading, NULL, LG_COLUMN_TEXT, .write = write_key, .look = {     \
            .gap = 2,                                                          \
            .least = 25,                                                       \
            .shown = shown_if                                                  \
        }                                                                      \
    }

static const lg_field fields[] = {
    {"bytes", NULL, "of the storage, or of all of a place or group",
     LG_COLUMN_BYTES, ROW(bytes), .look = {.least = 11}},
    {NULL, "used", NULL, LG_COLUMN_SHARE, .put = put_used,
     .look = {.least = 9, .shown = has_used}},
    {NULL, "share", NULL, LG_COLUMN_SHARE, ROW(bytes),
     .whole = offsetof(tensors_answer, bytes),
     .look = {.least = 9, .shown = has_groups}},
    {"storages", NULL, "number of storages: 1, or those of a place or group",
     LG_COLUMN_COUNT, ROW(storages),
     .look = {.gap = 2, .least = 8, .shown = has_counts}},
    KEY("kind", has_kinds),
    KEY("device", has_devices),
    KEY("dtype", has_dtypes),
    KEY("shape", has_shapes),
    {"size", "where", "the bytes by device", LG_COLUMN_SIZE, ROW(size),
     .look = {.left = true, .gap = 1, .shown = has_sizes}},
    {NULL, "tensor", NULL, LG_COLUMN_TEXT, .write = write_what,
     .look = {.in = LG_IN_TEXT, .gap = 2, .least = 43, .shown = has_storages}},
    {NULL, "tensor", NULL, LG_COLUMN_TEXT, .write = write_shape,
     .look = {.in = LG_IN_HTML, .shown = has_storages}},
    {"device", NULL, "`cuda:0`, `host`", LG_COLUMN_TEXT, ROW(device),
     .optional = true,
     .look = {.in = LG_IN_HTML | LG_IN_DATA, .shown = has_several_devices}},
    {"kind", NULL, "what it is for", LG_COLUMN_TEXT, .put = put_kind,
     .words = kinds, .optional = true,
     .look = {.gap = 1, .least = 15, .shown = has_storages}},
    {"autograd", "made by", "the node that made the tensor: `MulBackward0`",
     LG_COLUMN_TEXT, ROW(autograd), .optional = true,
     .look = {.in = LG_IN_HTML | LG_IN_DATA, .shown = has_storages}},
    {"dtype", NULL, "`float32`, if known", LG_COLUMN_TEXT, ROW(dtype),
     .optional = true, .look = {.in = LG_IN_DATA}},
    {"shape", NULL, "of the tensor: numbers, or a text if it is symbolic",
     LG_COLUMN_NUMBERS, .put = put_shape, .optional = true, .or_text = true,
     .look = {.in = LG_IN_DATA}},
    {"used", NULL,
     "bytes of the storage that its widest tensor shows; 0: "
     "unknown",
     LG_COLUMN_BYTES, ROW(used), .look = {.in = LG_IN_DATA}},
    {"tensors", NULL, "number of tensors that use it", LG_COLUMN_COUNT,
     ROW(tensors), .look = {.in = LG_IN_DATA}},
    {"node", NULL, "the storage, of a place the biggest; none for a group",
     LG_COLUMN_NODE, ROW(node), .optional = true, .look = {.in = LG_IN_DATA}},
    {"type", NULL, "module and qualified name of the type of the storage",
     LG_COLUMN_TEXT, ROW(node), .of = LG_FIELD_TYPE, .optional = true,
     .look = {.in = LG_IN_DATA}},
    {"title", NULL, "the storage in a few words", LG_COLUMN_TEXT, ROW(node),
     .of = LG_FIELD_TITLE, .optional = true, .look = {.in = LG_IN_DATA}},
    {"tensor", NULL, "the widest tensor that uses it", LG_COLUMN_NODE,
     ROW(tensor), .optional = true, .look = {.in = LG_IN_DATA}},
    {"block", NULL, "the block of the allocator that it lies in",
     LG_COLUMN_RECORD, .put = put_block, .inner = block_fields,
     .optional = true, .look = {.in = LG_IN_DATA}},
    {"held_by", "held by",
     "the path from a root; for garbage, what it is "
     "part of",
     LG_COLUMN_PATH, .write = write_held_by, .optional = true,
     .look = {.gap = 1, .shown = has_storages}},
    {"allocation", NULL, "where it was allocated, innermost first",
     LG_COLUMN_TEXT, .write = write_allocation, .optional = true,
     .look = {.in = LG_IN_TEXT | LG_IN_DATA, .below = ALLOCATED_IN}},
    {0},
};

static const char *const groups[] = {"place", "storage", "kind", "device",
                                     "dtype", "shape",   NULL};

#define FACT(member) .offset = offsetof(tensors_answer, member)

static const lg_field facts[] = {
    {"group", NULL, "what a row is", LG_COLUMN_TEXT, FACT(group),
     .words = groups},
    {"storages", NULL, "number of storages, before the limit", LG_COLUMN_COUNT,
     FACT(storages)},
    {"size", NULL, "their bytes, before the limit", LG_COLUMN_SIZE, FACT(size)},
    {"not_inspected", NULL,
     "libraries whose memory the capture could not inspect, each with the "
     "reason",
     LG_COLUMN_RECORD, .put = lg__put_uninspected},
    LG__MISTAKES(put_mistakes),
    {0},
};

static const lg_tensor_options usual = LG_TENSOR_OPTIONS_INIT;

#define BY(what)                                                               \
    {                                                                          \
        .size = sizeof(lg_tensor_options), .device = LG_NONE, .group = what    \
    }
static const lg_tensor_options by_device = BY(LG_TENSORS_BY_DEVICE);
static const lg_tensor_options by_dtype = BY(LG_TENSORS_BY_DTYPE);
static const lg_tensor_options by_shape = BY(LG_TENSORS_BY_SHAPE);
static const void *const every[] = {&usual, &by_device, &by_dtype, &by_shape,
                                    NULL};

static const lg_option options[] = {
    [LIMIT] = LG__LIMIT(lg_tensor_options, "the biggest first"),
    {"device", LG_OPTION_DEVICE, NULL, NULL,
     "only storages on this device: `cuda:0`, `host`",
     offsetof(lg_tensor_options, device)},
    {"group", LG_OPTION_CHOICE, groups, NULL,
     "what a row is: the storages of a place that are alike, one storage, or "
     "all of one kind, device, dtype or shape",
     offsetof(lg_tensor_options, group)},
    LG__MINE(lg_tensor_options),
    LG__MODULE(lg_tensor_options),
    {0},
};

// Finds the number that the row has in every snapshot. A storage to which no
// path leads has none.
static bool
find_number(const lg_ask *ask, const tensors_answer *of,
            const tensor_line *line, uint64_t *out)
{
    lg_text words = {0};
    if (line->storage == NULL) {
        lg_text_addf(&words, "%s ", groups[of->group]);
        write_key(ask, of, line, &words);
    } else if (line->held_by->kind == LG_WHERE_PATH) {
        write_key_of(ask, line->storage, line->held_by, &words);
    }
    bool found = words.length > 0 && !words.failed;
    *out = found ? XXH3_64bits(words.data, words.length) : 0;
    lg_text_free(&words);
    return found;
}

// Returns whether all snapshots know the row. The rows are counted where there
// is nothing yet to ask for changes.
static bool
is_known(const lg_ask *ask, const lg_thing *row)
{
    lg_change change;
    return ask->changes == NULL ||
           ask->changes->find(ask->changes, row, &change);
}

// Storages of a row are compared with those of the same row. Where a snapshot
// does not know its rows, what their place retains stands for them.
static bool
is_about(const lg_ask *ask, const void *answer, const void *of, lg_thing *out)
{
    const tensor_line *line = of;
    bool tallied = group_of(answer) == LG_TENSORS_BY_KIND;
    *out = (lg_thing){.kind = tallied ? LG_THING_TALLY : LG_THING_ROW,
                      .node = LG_NONE,
                      .tally = LG_TALLY_TENSOR,
                      .name = line->kind,
                      .count = line->storages,
                      .bytes = line->bytes};
    if (tallied)
        return true;
    bool numbered = find_number(ask, answer, line, &out->number);
    out->detail = lg__string_of(lg__ask_tensors.name);
    if (line->storage == NULL || (numbered && is_known(ask, out)))
        return numbered;
    *out = (lg_thing){.node = keeper_of(ask, line->storage),
                      .bytes = line->retained};
    return ask->changes != NULL;
}

static const lg_answering in_c = {
    .options_size = sizeof usual,
    .usual = &usual,
    .answer_size = sizeof(tensors_answer),
    .ask = ask_tensors,
    .free = free_tensors,
    .row_size = sizeof(tensor_line),
    .rows = offsetof(tensors_answer, lines),
    .count = offsetof(tensors_answer, count),
    .total = offsetof(tensors_answer, total),
    .thing = is_about,
    .every = every,
    .counted = "Δ storages",
    .tallied = "storages of tensors",
    .tally = LG_TALLY_TENSOR,
    .after = hide_little,
    .below = add_below,
};

const lg_question lg__ask_tensors = {
    .name = "tensors",
    .title = "Tensors",
    .help = "list the storages of tensors, each byte counted once",
    .about =
        "Lists the storages of tensors: what they are for, in PyTorch's words, "
        "and who holds them. Those that are held in the same way and are alike "
        "share a row. A storage counts once, however many tensors use it. "
        "Rows include tensors that only the autograd graph keeps. If a view "
        "keeps more than it shows, `used` says how much it shows.",
    .order = "the biggest first",
    .example = "--group kind",
    .analysed = 2,
    .result = "Tensors",
    .row = "TensorRow",
    .needs = LG_USES_ANALYSIS,
    .options = options,
    .fields = fields,
    .facts = facts,
    .in_c = &in_c,
};
