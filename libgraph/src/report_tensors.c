// Tensors as a table: a row a storage, or a row a group of them.
#include "roottree.h"
#include "storage.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

enum { WHAT_WIDTH = 44, KIND_WIDTH = 16, KEY_WIDTH = 26 };

typedef struct report {
    const lg_graph *graph;
    const lg_analysis *analysis; // or NULL
    lg__roottree tree;
    lg_tensor_rows rows;
    lg_text text;
} report;

// What is known of a row's tensor; empty if there is none.
static lg_string
fact_of(const report *to, const lg_tensor_row *row, const char *key)
{
    return row->tensor == LG_NONE ? (lg_string){"", 0}
                                  : lg_node_fact(to->graph, row->tensor, key);
}

// The autograd node that made the tensor.
static lg_string
autograd_of(const report *to, const lg_tensor_row *row)
{
    const lg_columns *columns = &to->graph->columns;
    if (row->tensor == LG_NONE)
        return (lg_string){"", 0};
    uint32_t node = lg__tensor_grad_fn(to->graph, row->tensor);
    return node == LG_NONE ? (lg_string){"", 0}
                           : lg_graph_type(to->graph, columns->type[node]).name;
}

static const lg_block *
block_of(const report *to, const lg_tensor_row *row)
{
    return row->allocation == 0 ? NULL : &to->graph->block[row->allocation - 1];
}

static lg_string
frames_of(const report *to, const lg_tensor_row *row)
{
    const lg_block *block = block_of(to, row);
    lg_string frames = lg_node_fact(to->graph, row->buffer, "allocation");
    if (frames.length == 0 && block != NULL)
        frames = lg_graph_string(to->graph, block->frames);
    return frames;
}

// `float32[512, 512]`; what there is of it.
static void
say_shape(const report *to, const lg_tensor_row *row, lg_text *out)
{
    lg_string dtype = fact_of(to, row, "dtype");
    if (dtype.length == 0) {
        lg_node_title(to->graph, row->buffer, false, out);
        return;
    }
    lg__text_add_string(out, dtype);
    lg_text_add(out, "[");
    lg__text_add_string(out, fact_of(to, row, "shape"));
    lg_text_add(out, "]");
}

// The way from a root to the storage, without its last step: that leads from
// whichever tensor is nearest into the storage.
static lg_status
say_holder(const report *to, const lg_tensor_row *row, lg_text *out,
           lg_error *err)
{
    lg_path path;
    lg_status status = lg__roottree_path(&to->tree, row->buffer, &path, err);
    if (status == LG_ENOTFOUND) {
        if (to->analysis != NULL && row->tensor != LG_NONE)
            return lg__say_where(to->analysis, row->tensor, out, err);
        lg_text_add(out, "garbage");
        return LG_OK;
    }
    if (status != LG_OK)
        return status;
    path.count -= path.count > 0;
    lg__say_path(to->graph, &path, out);
    lg_path_free(&path);
    return LG_OK;
}

/* --------------------------------------------------------------- rows --- */

static void
add_what(const report *to, const lg_tensor_row *row, lg_text *out)
{
    size_t start = out->length;
    lg_string autograd = autograd_of(to, row);
    say_shape(to, row, out);
    lg_text_add(out, " ");
    lg__text_add_string(out, lg_graph_device_name(to->graph, row->device));
    if (row->tensor_count > 1)
        lg_text_addf(out, " ×%u", row->tensor_count);
    if (autograd.length > 0) {
        lg_text_add(out, " ");
        lg__text_add_string(out, autograd);
    }
    lg__text_pad(out, start, WHAT_WIDTH);
}

static lg_status
row_text(report *to, const lg_tensor_row *row, lg_error *err)
{
    lg_text *out = &to->text;
    lg_text cell = {0};
    lg_text_add_size(&cell, row->bytes);
    lg__say_right(&cell, 11, out);
    if (row->used > 0 && row->used < row->bytes)
        lg__say_share(row->used, row->bytes, &cell);
    lg__say_right(&cell, 9, out);
    lg_text_free(&cell);
    lg_text_add(out, "  ");
    add_what(to, row, out);
    size_t start = out->length;
    lg_text_add(out, lg_tensor_kind_name(row->kind));
    lg__text_pad(out, start, KIND_WIDTH);
    lg_status status = say_holder(to, row, out, err);
    lg_text_add(out, "\n");
    lg_string frames = frames_of(to, row);
    if (frames.length > 0) {
        lg_text_addf(out, "%22sallocated in ", "");
        lg__text_add_string(out, frames);
        lg_text_add(out, "\n");
    }
    return status;
}

static void
json_string(const char *name, lg_string string, lg_text *out)
{
    lg_text_addf(out, ", \"%s\": ", name);
    if (string.length > 0)
        lg__text_add_json_string(out, string);
    else
        lg_text_add(out, "null");
}

static void
json_block(const report *to, const lg_tensor_row *row, lg_text *out)
{
    const lg_block *block = block_of(to, row);
    lg_text_add(out, ", \"block\": ");
    if (block == NULL) {
        lg_text_add(out, "null");
        return;
    }
    lg_text_addf(out,
                 "{\"address\": %llu, \"size\": %llu, \"requested\": %llu, "
                 "\"stream\": %llu}",
                 (unsigned long long)block->address,
                 (unsigned long long)block->size,
                 (unsigned long long)block->requested,
                 (unsigned long long)to->graph->segment[block->segment].stream);
}

// A list of numbers, but a string where it is more than that (`s0, 3`). A
// scalar has the shape "".
static void
json_shape(lg_string shape, lg_text *out)
{
    bool numbers = true;
    for (uint32_t i = 0; i < shape.length; i++)
        numbers = numbers && strchr("0123456789, ", shape.data[i]) != NULL;
    if (!numbers) {
        lg__text_add_json_string(out, shape);
        return;
    }
    lg_text_add(out, "[");
    lg__text_add_string(out, shape);
    lg_text_add(out, "]");
}

static void
json_tensor(const report *to, const lg_tensor_row *row, lg_text *out)
{
    lg_text_addf(out, "{\"node\": %u, \"tensor\": ", row->buffer);
    if (row->tensor == LG_NONE)
        lg_text_add(out, "null");
    else
        lg_text_addf(out, "%u", row->tensor);
    lg_text_add(out, ", \"device\": ");
    lg__text_add_json_string(out, lg_graph_device_name(to->graph, row->device));
    lg_string dtype = fact_of(to, row, "dtype");
    json_string("dtype", dtype, out);
    lg_text_add(out, ", \"shape\": ");
    if (dtype.length > 0)
        json_shape(fact_of(to, row, "shape"), out);
    else
        lg_text_add(out, "null");
}

static lg_status
row_json(report *to, const lg_tensor_row *row, lg_error *err)
{
    lg_text *out = &to->text;
    lg_text where = {0};
    json_tensor(to, row, out);
    lg_text_addf(out,
                 ", \"kind\": \"%s\", \"bytes\": %llu, \"used\": %llu, "
                 "\"tensors\": %u",
                 lg_tensor_kind_name(row->kind), (unsigned long long)row->bytes,
                 (unsigned long long)row->used, row->tensor_count);
    json_string("autograd", autograd_of(to, row), out);
    json_block(to, row, out);
    json_string("allocation", frames_of(to, row), out);
    lg_text_add(out, ", \"held_by\": ");
    lg_status status = say_holder(to, row, &where, err);
    lg__json_said(&where, out);
    lg_text_add(out, "}");
    return status;
}

/* -------------------------------------------------------------- totals --- */

static uint64_t
bytes_on(const void *context, uint32_t device)
{
    const lg_tensor_rows *rows = context;
    uint64_t bytes = 0;
    for (size_t i = 0; i < rows->total; i++)
        bytes += rows->items[i].device == device ? rows->items[i].bytes : 0;
    return bytes;
}

static void
add_total(report *to, bool each)
{
    lg_text *out = &to->text;
    lg_text_add(out, "\n");
    if (to->rows.count < to->rows.total) {
        lg_text_add_count(out, to->rows.count);
        lg_text_add(out, " of ");
    }
    lg_text_add_count(out, to->rows.total);
    lg_text_addf(out, " storage%s, ", to->rows.total == 1 ? "" : "s");
    lg__say_vector(to->graph, bytes_on, &to->rows, out);
    lg_text_add(out, " in all; each counts once, however many tensors look at "
                     "it");
    if (each)
        lg_text_add(out, " (×2: two), and used is what the widest shows");
    lg_text_add(out, "\n");
}

static lg_status
add_rows(report *to, lg_format format, lg_error *err)
{
    bool json = format == LG_FORMAT_JSON;
    lg_status status = lg__roottree_new(to->graph, NULL, &to->tree, err);
    lg_text_add(&to->text,
                json ? "{\"group\": null, \"rows\": ["
                     : "      bytes     used  tensor                      "
                       "                kind            held by\n");
    for (size_t i = 0; i < to->rows.count && status == LG_OK; i++) {
        if (json)
            lg_text_add(&to->text, i > 0 ? ",\n  " : "\n  ");
        status = (json ? row_json : row_text)(to, &to->rows.items[i], err);
    }
    lg__roottree_free(&to->tree);
    return status;
}

/* -------------------------------------------------------------- groups --- */

typedef struct member {
    lg_string first;
    lg_string second; // dtype of a shape
    const lg_tensor_row *row;
} member;

typedef struct sum {
    const member *example;
    lg_tensor_rows rows; // those of the group; `items` in order of members
} sum;

static int
compare_strings(lg_string a, lg_string b)
{
    uint32_t length = a.length < b.length ? a.length : b.length;
    int order = memcmp(a.data, b.data, length);
    if (order != 0)
        return order;
    return a.length < b.length ? -1 : a.length > b.length;
}

static int
by_key(const void *left, const void *right)
{
    const member *a = left;
    const member *b = right;
    int order = compare_strings(a->second, b->second);
    return order != 0 ? order : compare_strings(a->first, b->first);
}

static int
biggest_first(const void *left, const void *right)
{
    const sum *a = left;
    const sum *b = right;
    if (a->rows.bytes != b->rows.bytes)
        return a->rows.bytes > b->rows.bytes ? -1 : 1;
    return by_key(a->example, b->example);
}

static member
member_of(const report *to, const lg_tensor_row *row, lg_tensor_group group)
{
    member made = {.row = row, .first = {"", 0}, .second = {"", 0}};
    const char *kind = lg_tensor_kind_name(row->kind);
    switch (group) {
    case LG_TENSORS_BY_KIND:
        made.first = (lg_string){kind, (uint32_t)strlen(kind)};
        break;
    case LG_TENSORS_BY_DEVICE:
        made.first = lg_graph_device_name(to->graph, row->device);
        break;
    case LG_TENSORS_BY_SHAPE:
        made.second = fact_of(to, row, "shape");
        made.first = fact_of(to, row, "dtype");
        break;
    default:
        made.first = fact_of(to, row, "dtype");
    }
    return made;
}

static const char *
group_name(lg_tensor_group group)
{
    static const char *const names[] = {"", "kind", "device", "dtype", "shape"};
    return names[group];
}

static void
say_key(const member *of, lg_tensor_group group, lg_text *out)
{
    if (of->first.length == 0)
        lg_text_add(out, "unknown");
    lg__text_add_string(out, of->first);
    if (group == LG_TENSORS_BY_SHAPE && of->first.length > 0) {
        lg_text_add(out, "[");
        lg__text_add_string(out, of->second);
        lg_text_add(out, "]");
    }
}

static void
group_text(report *to, const sum *of, lg_tensor_group group)
{
    lg_text *out = &to->text;
    lg_text cell = {0};
    lg_text_add_size(&cell, of->rows.bytes);
    lg__say_right(&cell, 11, out);
    lg__say_share(of->rows.bytes, to->rows.bytes, &cell);
    lg__say_right(&cell, 9, out);
    lg_text_add_count(&cell, of->rows.total);
    lg__say_right(&cell, 10, out);
    lg_text_free(&cell);
    lg_text_add(out, "  ");
    size_t start = out->length;
    say_key(of->example, group, out);
    if (group != LG_TENSORS_BY_DEVICE && to->graph->device_count > 0) {
        lg__text_pad(out, start, KEY_WIDTH);
        lg__say_vector(to->graph, bytes_on, &of->rows, out);
    }
    lg_text_add(out, "\n");
}

static void
group_json(report *to, const sum *of, lg_tensor_group group)
{
    lg_text *out = &to->text;
    lg_text key = {0};
    say_key(of->example, group, &key);
    lg_text_addf(out, "{\"%s\": ", group_name(group));
    lg__json_said(&key, out);
    lg_text_addf(out, ", \"storages\": %zu, \"bytes\": ", of->rows.total);
    lg__json_vector(to->graph, bytes_on, &of->rows, out);
    lg_text_add(out, "}");
}

// Members of one key lie together; each sum has a run of them.
static size_t
sum_up(const member *members, size_t count, lg_tensor_row *sorted, sum *sums)
{
    size_t groups = 0;
    for (size_t i = 0; i < count; i++) {
        sorted[i] = *members[i].row;
        if (i == 0 || by_key(&members[i], &members[i - 1]) != 0)
            sums[groups++] =
                (sum){&members[i], {.items = &sorted[i], .total = 0}};
        sums[groups - 1].rows.total++;
        sums[groups - 1].rows.bytes += members[i].row->bytes;
    }
    qsort(sums, groups, sizeof *sums, biggest_first);
    return groups;
}

static lg_status
add_groups(report *to, lg_tensor_group group, size_t limit, lg_format format,
           lg_error *err)
{
    bool json = format == LG_FORMAT_JSON;
    size_t count = to->rows.total;
    member *members = malloc((count + 1) * sizeof *members);
    lg_tensor_row *sorted = malloc((count + 1) * sizeof *sorted);
    sum *sums = malloc((count + 1) * sizeof *sums);
    bool enough = members && sorted && sums;
    for (size_t i = 0; i < count && enough; i++)
        members[i] = member_of(to, &to->rows.items[i], group);
    if (enough)
        qsort(members, count, sizeof *members, by_key);
    size_t groups = enough ? sum_up(members, count, sorted, sums) : 0;
    size_t shown = limit > 0 && limit < groups ? limit : groups;
    lg_text_addf(&to->text,
                 json ? "{\"group\": \"%s\", \"rows\": ["
                      : "      bytes    share  storages  %s\n",
                 group_name(group));
    for (size_t i = 0; i < shown; i++) {
        if (json)
            lg_text_add(&to->text, i > 0 ? ",\n  " : "\n  ");
        (json ? group_json : group_text)(to, &sums[i], group);
    }
    free(members);
    free(sorted);
    free(sums);
    return enough ? LG_OK : lg__error_memory(err);
}

lg_status
lg_report_tensors(const lg_graph *graph, const lg_analysis *analysis,
                  uint32_t device, lg_tensor_group group, size_t limit,
                  lg_format format, lg_text *out, lg_error *err)
{
    report to = {.graph = graph, .analysis = analysis};
    size_t rows = group == LG_TENSORS_EACH ? limit : 0;
    if ((unsigned)group > LG_TENSORS_BY_SHAPE)
        return lg_error_set(err, LG_EINVAL,
                            "tensors are grouped by kind, device, dtype or "
                            "shape");
    lg_status status = lg_graph_tensors(graph, device, rows, &to.rows, err);
    if (status != LG_OK)
        return status;
    status = group == LG_TENSORS_EACH
                 ? add_rows(&to, format, err)
                 : add_groups(&to, group, limit, format, err);
    if (status == LG_OK && format == LG_FORMAT_TEXT)
        add_total(&to, group == LG_TENSORS_EACH);
    if (status == LG_OK && format == LG_FORMAT_JSON) {
        lg_text_addf(&to.text,
                     "\n], \"storages\": %zu, \"bytes\": ", to.rows.total);
        lg__json_vector(graph, bytes_on, &to.rows, &to.text);
        lg_text_add(&to.text, "}\n");
    }
    lg_tensor_rows_free(&to.rows);
    if (status == LG_OK)
        return lg__report_finish(&to.text, out, err);
    lg_text_free(&to.text);
    return status;
}
