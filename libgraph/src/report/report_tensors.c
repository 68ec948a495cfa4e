// Tensors as a table: a row a storage.
#include "report/report_tensors.h"

#include <stdlib.h>
#include <string.h>

enum { WHAT_WIDTH = 44, KIND_WIDTH = 16, LONGEST_CHAIN = 8 };

lg_string
lg__tensor_fact(const lg__tensor_report *to, const lg_tensor_row *row,
                const char *key)
{
    return row->tensor == LG_NONE ? (lg_string){"", 0}
                                  : lg_node_fact(to->graph, row->tensor, key);
}

// The autograd node that made the tensor.
static lg_string
autograd_of(const lg__tensor_report *to, const lg_tensor_row *row)
{
    const lg_columns *columns = &to->graph->columns;
    if (row->tensor == LG_NONE)
        return (lg_string){"", 0};
    uint32_t node = lg__tensor_grad_fn(to->graph, row->tensor);
    return node == LG_NONE ? (lg_string){"", 0}
                           : lg_graph_type(to->graph, columns->type[node]).name;
}

static const lg_block *
block_of(const lg__tensor_report *to, const lg_tensor_row *row)
{
    return row->allocation == 0 ? NULL : &to->graph->block[row->allocation - 1];
}

static lg_string
frames_of(const lg__tensor_report *to, const lg_tensor_row *row)
{
    const lg_block *block = block_of(to, row);
    lg_string frames = lg_node_fact(to->graph, row->buffer, "allocation");
    if (frames.length == 0 && block != NULL)
        frames = lg_graph_string(to->graph, block->frames);
    return frames;
}

// `float32[512, 512]`; what there is of it.
static void
format_shape(const lg__tensor_report *to, const lg_tensor_row *row,
             lg_text *out)
{
    lg_string dtype = lg__tensor_fact(to, row, "dtype");
    if (dtype.length == 0) {
        lg_node_title(to->graph, row->buffer, false, out);
        return;
    }
    lg__text_add_string(out, dtype);
    lg_text_add(out, "[");
    lg__text_add_string(out, lg__tensor_fact(to, row, "shape"));
    lg_text_add(out, "]");
}

// The way from a root to the storage, without its last step: that leads from
// whichever tensor is nearest into the storage.
static lg_status
nearest_way(const lg__tensor_report *to, uint32_t buffer, lg_path *out,
            lg_error *err)
{
    bool folded = to->tree.walk.fold[buffer].owner != LG_NONE;
    lg_status status = lg__roottree_path(&to->tree, buffer, out, err);
    if (status == LG_OK && !folded)
        out->count -= out->count > 0;
    return status;
}

// The way by who gives the tensor its kind: the model of a parameter, and not
// the optimizer that has it too.
static lg_status
proper_way(const lg__tensor_report *to, uint32_t tensor, lg_path *out,
           lg_error *err)
{
    uint32_t chain[LONGEST_CHAIN] = {tensor};
    size_t count = 1;
    const uint32_t *via = to->storages.via;
    while (count < LONGEST_CHAIN && via[chain[count - 1]] != 0) {
        chain[count] = via[chain[count - 1]] - 1;
        count++;
    }
    lg_path path;
    lg_status status =
        count == 1 ? LG_ENOTFOUND
                   : lg__roottree_path(&to->tree, chain[count - 1], &path, err);
    if (status != LG_OK)
        return status;
    lg_hop *hops = realloc(path.hops, (path.count + count) * sizeof *path.hops);
    if (hops == NULL) {
        lg_path_free(&path);
        return lg__error_memory(err);
    }
    path.hops = hops;
    while (--count > 0)
        hops[path.count++] =
            lg__hop_between(&to->tree.walk, chain[count], chain[count - 1]);
    *out = path;
    return LG_OK;
}

static lg_status
format_holder(const lg__tensor_report *to, const lg_tensor_row *row,
              lg_text *out, lg_error *err)
{
    lg_path path;
    lg_status status = LG_ENOTFOUND;
    if (row->tensor != LG_NONE)
        status = proper_way(to, row->tensor, &path, err);
    if (status == LG_ENOTFOUND)
        status = nearest_way(to, row->buffer, &path, err);
    if (status == LG_ENOTFOUND) {
        lg__where where = {.analysis = to->analysis};
        if (to->analysis != NULL && row->tensor != LG_NONE)
            return lg__where_format(&where, row->tensor, NULL, out, err);
        lg_text_add(out, "garbage");
        return LG_OK;
    }
    if (status != LG_OK)
        return status;
    lg_path_label(to->graph, &path, out);
    lg_path_free(&path);
    return LG_OK;
}

/* --------------------------------------------------------------- rows --- */

static void
add_what(const lg__tensor_report *to, const lg_tensor_row *row, lg_text *out)
{
    size_t start = out->length;
    lg_string autograd = autograd_of(to, row);
    format_shape(to, row, out);
    if (to->graph->device_count > 0) {
        lg_text_add(out, " ");
        lg__text_add_string(out, lg_graph_device_name(to->graph, row->device));
    }
    if (row->tensor_count > 1)
        lg_text_addf(out, " ×%u", row->tensor_count);
    if (autograd.length > 0) {
        lg_text_add(out, " ");
        lg__text_add_string(out, autograd);
    }
    lg__text_pad(out, start, WHAT_WIDTH);
}

static lg_status
row_text(lg__tensor_report *to, const lg_tensor_row *row, lg_error *err)
{
    lg_text *out = &to->text;
    lg_text cell = {0};
    lg_text_add_size(&cell, row->bytes);
    lg__format_right(&cell, 11, out);
    if (row->used > 0 && row->used < row->bytes)
        lg__format_share(row->used, row->bytes, &cell);
    lg__format_right(&cell, 9, out);
    lg_text_free(&cell);
    lg_text_add(out, "  ");
    add_what(to, row, out);
    size_t start = out->length;
    lg_text_add(out, lg_tensor_kind_name(row->kind));
    lg__text_pad(out, start, KIND_WIDTH);
    lg_status status = format_holder(to, row, out, err);
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
json_block(const lg__tensor_report *to, const lg_tensor_row *row, lg_text *out)
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
json_tensor(const lg__tensor_report *to, const lg_tensor_row *row, lg_text *out)
{
    lg_text_addf(out, "{\"node\": %u, \"tensor\": ", row->buffer);
    if (row->tensor == LG_NONE)
        lg_text_add(out, "null");
    else
        lg_text_addf(out, "%u", row->tensor);
    lg_text_add(out, ", \"device\": ");
    lg__text_add_json_string(out, lg_graph_device_name(to->graph, row->device));
    lg_string dtype = lg__tensor_fact(to, row, "dtype");
    json_string("dtype", dtype, out);
    lg_text_add(out, ", \"shape\": ");
    if (dtype.length > 0)
        json_shape(lg__tensor_fact(to, row, "shape"), out);
    else
        lg_text_add(out, "null");
}

static lg_status
row_json(lg__tensor_report *to, const lg_tensor_row *row, lg_error *err)
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
    lg_status status = format_holder(to, row, &where, err);
    lg__json_formatted(&where, out);
    lg_text_add(out, "}");
    return status;
}

/* -------------------------------------------------------------- totals --- */

uint64_t
lg__tensor_bytes_on(const void *rows, uint32_t device)
{
    const lg_tensor_rows *of = rows;
    uint64_t bytes = 0;
    for (size_t i = 0; i < of->total; i++)
        bytes += of->items[i].device == device ? of->items[i].bytes : 0;
    return bytes;
}

static void
add_total(lg__tensor_report *to, bool each)
{
    lg_text *out = &to->text;
    lg_text_add(out, "\n");
    if (to->rows.count < to->rows.total) {
        lg_text_add_count(out, to->rows.count);
        lg_text_add(out, " of ");
    }
    lg_text_add_count(out, to->rows.total);
    lg_text_addf(out, " storage%s, ", to->rows.total == 1 ? "" : "s");
    lg__format_vector(to->graph, lg__tensor_bytes_on, &to->rows, out);
    lg_text_add(out, " in all; each counts once, however many tensors look at "
                     "it");
    if (each)
        lg_text_add(out, " (×2: two), and used is what the widest shows");
    lg_text_add(out, "\n");
}

static lg_status
add_rows(lg__tensor_report *to, lg_format format, lg_error *err)
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

// Of the storages shown and the tensors that look at them.
static lg_status
add_mistakes(lg__tensor_report *to, bool each, lg_format format, lg_error *err)
{
    size_t count = 0;
    size_t shown = each ? to->rows.count : 0;
    uint32_t *nodes = malloc((2 * shown + 1) * sizeof *nodes);
    if (nodes == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < shown; i++) {
        const lg_tensor_row *row = &to->rows.items[i];
        nodes[count++] = row->buffer;
        if (row->tensor != LG_NONE)
            nodes[count++] = row->tensor;
    }
    lg_status status =
        lg__report_mistakes(to->analysis, nodes, count, format, &to->text, err);
    free(nodes);
    return status;
}

// What comes below the rows.
static lg_status
add_end(lg__tensor_report *to, bool each, lg_format format, lg_error *err)
{
    if (format == LG_FORMAT_TEXT) {
        add_total(to, each);
        lg__format_uninspected(to->graph, &to->text);
        return add_mistakes(to, each, format, err);
    }
    lg_text_addf(&to->text,
                 "\n], \"storages\": %zu, \"bytes\": ", to->rows.total);
    lg__json_vector(to->graph, lg__tensor_bytes_on, &to->rows, &to->text);
    lg_text_add(&to->text, ", ");
    lg__json_uninspected(to->graph, &to->text);
    lg_text_add(&to->text, ", ");
    lg_status status = add_mistakes(to, each, format, err);
    lg_text_add(&to->text, "}\n");
    return status;
}

static void
format_none(lg__tensor_report *to, uint32_t device)
{
    lg_text_add(&to->text, "There is no tensor");
    if (device != LG_NONE) {
        lg_text_add(&to->text, " on ");
        lg__text_add_string(&to->text, lg_graph_device_name(to->graph, device));
    }
    lg_text_add(&to->text, ".\n");
    lg__format_uninspected(to->graph, &to->text);
}

static lg_status
add_all(lg__tensor_report *to, lg_tensor_group group, size_t limit,
        lg_format format, lg_error *err)
{
    bool each = group == LG_TENSORS_EACH;
    lg_status status =
        each ? add_rows(to, format, err)
             : lg__report_tensor_groups(to, group, limit, format, err);
    return status == LG_OK ? add_end(to, each, format, err) : status;
}

lg_status
lg_report_tensors(const lg_graph *graph, const lg_analysis *analysis,
                  uint32_t device, lg_tensor_group group, size_t limit,
                  lg_format format, lg_text *out, lg_error *err)
{
    lg__tensor_report to = {.graph = graph, .analysis = analysis};
    size_t rows = group == LG_TENSORS_EACH ? limit : 0;
    if ((unsigned)group > LG_TENSORS_BY_SHAPE)
        return lg_error_set(err, LG_EINVAL,
                            "tensors are grouped by kind, device, dtype or "
                            "shape");
    lg_status status =
        lg__storages_list(graph, device, rows, &to.storages, &to.rows, err);
    if (status != LG_OK)
        return status;
    if (to.rows.total == 0 && format == LG_FORMAT_TEXT)
        format_none(&to, device);
    else
        status = add_all(&to, group, limit, format, err);
    lg_tensor_rows_free(&to.rows);
    lg__storages_free(&to.storages);
    if (status == LG_OK)
        return lg__report_finish(&to.text, out, err);
    lg_text_free(&to.text);
    return status;
}
