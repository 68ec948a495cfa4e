// Formats tensors as a table with a row for each storage.
#include "report/report_tensors.h"
#include "report/report_private.h"

#include <leakgraph/options.h>

#include <stdlib.h>
#include <string.h>

static const char ALLOCATED_IN[] = "allocated in ";

// Returns the autograd node that made the tensor.
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

// Writes `float32[512, 512]`, or what is known of it.
static void
format_shape(const lg__tensor_report *to, const lg_tensor_row *row,
             lg_text *out)
{
    lg_string dtype = lg__tensor_fact(to->graph, row, "dtype");
    if (dtype.length == 0) {
        lg_node_title(to->graph, row->buffer, false, out);
        return;
    }
    lg__text_add_string(out, dtype);
    lg_text_add(out, "[");
    lg__text_add_string(out, lg__tensor_fact(to->graph, row, "shape"));
    lg_text_add(out, "]");
}

/* --------------------------------------------------------------- rows --- */

enum {
    NODE,
    TENSOR,
    BYTES,
    USED,
    USED_SHARE,
    WHAT,
    SHAPE_OF,
    DEVICE,
    DTYPE,
    SHAPE,
    KIND,
    TENSORS,
    AUTOGRAD,
    BLOCK,
    HELD_BY,
    ALLOCATION,
    COLUMNS
};

static const lg__column columns[COLUMNS] = {
    [NODE] = {"node", .type = LG_COLUMN_NODE, .faces = LG__IN_DATA},
    [TENSOR] = {"tensor", .type = LG_COLUMN_NODE, .faces = LG__IN_DATA},
    [BYTES] = {"bytes", .type = LG_COLUMN_BYTES, .least = 11},
    [USED] = {"used", .type = LG_COLUMN_BYTES, .faces = LG__IN_DATA},
    [USED_SHARE] = {NULL, "used", .type = LG_COLUMN_SHARE, .faces = LG__SHOWN,
                    .least = 9},
    [WHAT] = {NULL, "tensor", .faces = LG__IN_TEXT, .gap = 2, .least = 43},
    [SHAPE_OF] = {NULL, "tensor", .faces = LG__IN_HTML},
    [DEVICE] = {"device", .faces = LG__IN_HTML | LG__IN_DATA},
    [DTYPE] = {"dtype", .faces = LG__IN_DATA},
    [SHAPE] = {"shape", .type = LG_COLUMN_NUMBERS, .faces = LG__IN_DATA},
    [KIND] = {"kind", .gap = 1, .least = 15},
    [TENSORS] = {"tensors", .type = LG_COLUMN_COUNT, .faces = LG__IN_DATA},
    [AUTOGRAD] = {"autograd", "made by", .faces = LG__IN_HTML | LG__IN_DATA},
    [BLOCK] = {"block", .type = LG_COLUMN_RECORD, .faces = LG__IN_DATA},
    [HELD_BY] = {"held_by", "held by", .type = LG_COLUMN_PATH, .gap = 1},
    [ALLOCATION] = {"allocation", .faces = LG__IN_TEXT | LG__IN_DATA,
                    .below = ALLOCATED_IN},
};

// Puts shape, device and autograd node, which text shows in one column and HTML
// in three.
static void
put_what(lg__tensor_report *to, const lg_tensor_row *row)
{
    lg_text what = {0};
    lg_text shape = {0};
    lg_string autograd = autograd_of(to, row);
    lg_string device = lg_graph_device_name(to->graph, row->device);
    format_shape(to, row, &what);
    format_shape(to, row, &shape);
    if (to->graph->device_count > 0) {
        lg_text_add(&what, " ");
        lg__text_add_string(&what, device);
    }
    if (row->tensor_count > 1) {
        lg_text_addf(&what, " ×%u", row->tensor_count);
        lg_text_addf(&shape, " ×%u", row->tensor_count);
    }
    if (autograd.length > 0) {
        lg_text_add(&what, " ");
        lg__text_add_string(&what, autograd);
    }
    lg__put_formatted(to->table, WHAT, &what);
    lg__put_formatted(to->table, SHAPE_OF, &shape);
    lg__put_string(to->table, DEVICE, device);
    lg__put_string(to->table, AUTOGRAD, autograd);
}

// Writes numbers, or a text if the shape has something else (`s0, 3`). A scalar
// has the shape "".
static void
put_shape(lg_table *table, lg_string shape)
{
    enum { MOST = 64 };
    uint64_t numbers[MOST];
    uint32_t count = 0;
    bool digit = false;
    for (uint32_t i = 0; i < shape.length; i++) {
        char c = shape.data[i];
        bool is_digit = c >= '0' && c <= '9';
        if ((!is_digit && strchr(", ", c) == NULL) || count == MOST) {
            lg__put_string(table, SHAPE, shape);
            return;
        }
        if (is_digit && !digit)
            numbers[count++] = 0;
        if (is_digit)
            numbers[count - 1] = numbers[count - 1] * 10 + (uint64_t)(c - '0');
        digit = is_digit;
    }
    lg__put_numbers(table, SHAPE, numbers, count);
}

static void
put_block(lg__tensor_report *to, const lg_tensor_row *row)
{
    static const lg__column of[] = {
        {"address", .type = LG_COLUMN_COUNT},
        {"size", .type = LG_COLUMN_BYTES},
        {"requested", .type = LG_COLUMN_BYTES},
        {"stream", .type = LG_COLUMN_COUNT},
    };
    const lg_block *block = block_of(to, row);
    if (block == NULL)
        return;
    lg_table *record = lg__put_table(to->table, BLOCK, of, 4);
    lg__table_row(record);
    lg__put_count(record, 0, block->address);
    lg__put_count(record, 1, block->size);
    lg__put_count(record, 2, block->requested);
    lg__put_count(record, 3, to->graph->segment[block->segment].stream);
}

static void
put_row(lg__tensor_report *to, const lg_tensor_row *row,
        const lg_where *held_by)
{
    lg_table *table = to->table;
    lg_text holder = {0};
    lg_string dtype = lg__tensor_fact(to->graph, row, "dtype");
    lg__table_row(table);
    lg__put_node(table, NODE, to->graph, row->buffer);
    lg__put_node(table, TENSOR, to->graph, row->tensor);
    lg__put_count(table, BYTES, row->bytes);
    lg__put_count(table, USED, row->used);
    if (row->used > 0 && row->used < row->bytes)
        lg__put_share(table, USED_SHARE, row->used, row->bytes);
    put_what(to, row);
    lg__put_string(table, DTYPE, dtype);
    if (dtype.length > 0)
        put_shape(table, lg__tensor_fact(to->graph, row, "shape"));
    lg__put_literal(table, KIND, lg_tensor_kind_name(row->kind));
    lg__put_count(table, TENSORS, row->tensor_count);
    put_block(to, row);
    lg__put_string(table, ALLOCATION,
                   lg__buffer_allocation(to->graph, row->buffer));
    lg__where_write(to->graph, to->analysis, lg__tensor_node(row), held_by,
                    &holder);
    lg__put_formatted(table, HELD_BY, &holder);
}

/* -------------------------------------------------------------- totals --- */

static void
format_total(const lg__tensor_report *to, bool each, lg_text *out)
{
    lg_text_add(out, "\n");
    if (to->tensors.rows.count < to->tensors.rows.total) {
        lg_text_add_count(out, to->tensors.rows.count);
        lg_text_add(out, " of ");
    }
    lg_text_add_count(out, to->tensors.rows.total);
    lg_text_addf(out, " storage%s, ", to->tensors.rows.total == 1 ? "" : "s");
    lg__format_vector(to->graph, lg__tensor_bytes_on, &to->tensors.rows, out);
    lg_text_add(out, " in all; each counts once, however many tensors use it");
    if (each)
        lg_text_add(out, " (×2: two); used is what the widest view shows");
    lg_text_add(out, "\n");
}

static void
tabulate_each(lg__tensor_report *to)
{
    to->table = lg__table_new(to->graph, (lg__layout){0}, columns, COLUMNS);
    for (size_t i = 0; i < to->tensors.rows.count; i++)
        put_row(to, &to->tensors.rows.items[i], &to->tensors.held_by[i]);
}

// Adds the facts of the rows' storages and of their tensors.
static lg_status
put_mistakes(lg__tensor_report *to, bool each, lg_error *err)
{
    size_t count = 0;
    size_t shown = each ? to->tensors.rows.count : 0;
    bool any;
    uint32_t *nodes = lg__wide_alloc((2 * shown + 1) * sizeof *nodes);
    if (nodes == NULL)
        return lg__error_memory(err);
    for (size_t i = 0; i < shown; i++) {
        const lg_tensor_row *row = &to->tensors.rows.items[i];
        nodes[count++] = row->buffer;
        if (row->tensor != LG_NONE)
            nodes[count++] = row->tensor;
    }
    lg_status status =
        lg__put_mistakes(to->table, to->facts, LG__TENSORS_FINDINGS,
                         to->analysis, nodes, count, &any, err);
    lg__wide_free(nodes);
    return status;
}

static void
put_facts(lg__tensor_report *to, lg_tensor_group group)
{
    static const lg__column of[] = {
        [LG__TENSORS_GROUP] = {.name = "group"},
        [LG__TENSORS_STORAGES] = {"storages", .type = LG_COLUMN_COUNT},
        [LG__TENSORS_BYTES] = {"bytes", .type = LG_COLUMN_SIZE},
        [LG__TENSORS_NOT_INSPECTED] = {"not_inspected",
                                       .type = LG_COLUMN_RECORD},
        [LG__TENSORS_FINDINGS] = {"findings", .type = LG_COLUMN_LIST,
                                  .lines = true},
    };
    to->facts = lg__table_facts(to->table, of, sizeof of / sizeof *of);
    if (group != LG_TENSORS_EACH)
        lg__put_literal(to->facts, LG__TENSORS_GROUP,
                        lg__tensor_group_name(group));
    lg__put_count(to->facts, LG__TENSORS_STORAGES, to->tensors.rows.total);
    lg__put_vector(to->facts, LG__TENSORS_BYTES, lg__tensor_bytes_on,
                   &to->tensors.rows);
    lg__put_uninspected(to->facts, LG__TENSORS_NOT_INSPECTED, to->graph);
}

static void
format_none(const lg__tensor_report *to, bool scoped, uint32_t device,
            lg_text *out)
{
    lg_text_add(out, scoped ? "The chosen modules hold no tensor"
                            : "There is no tensor");
    if (device != LG_NONE) {
        lg_text_add(out, " on ");
        lg__text_add_string(out, lg_graph_device_name(to->graph, device));
    }
    lg_text_add(out, ".\n");
}

static lg_status
fill(lg__tensor_report *to, const lg_tensor_options *options, lg_error *err)
{
    bool each = options->group == LG_TENSORS_EACH;
    lg_text below = {0};
    lg_status status = LG_OK;
    if (each)
        tabulate_each(to);
    else
        status =
            lg__tabulate_tensor_groups(to, options->group, options->limit, err);
    put_facts(to, options->group);
    if (to->tensors.rows.total == 0)
        format_none(to, options->scope != NULL, options->device, &below);
    else
        format_total(to, each, &below);
    lg__format_uninspected(to->graph, &below);
    lg__table_format_below(to->table, &below);
    return status == LG_OK ? put_mistakes(to, each, err) : status;
}

void
lg_report_allocation(const lg_why *why, lg_text *out)
{
    if (why->allocation.length == 0)
        return;
    lg_text_add(out, ALLOCATED_IN);
    lg__text_add_string(out, why->allocation);
}

static lg_status
list_storages(lg__tensor_report *to, const lg_tensor_options *options,
              lg_error *err)
{
    lg__storages storages = {0};
    if ((unsigned)options->group > LG_TENSORS_BY_SHAPE)
        return lg_error_set(err, LG_EINVAL,
                            "tensors are grouped by kind, device, dtype or "
                            "shape");
    if (options->group == LG_TENSORS_EACH)
        return lg_graph_tensors(to->graph, to->analysis, options, &to->tensors,
                                err);
    lg_status status =
        lg__storages_list(to->graph, options->scope, options->device, 0,
                          &storages, &to->tensors.rows, err);
    lg__storages_free(&storages);
    return status;
}

lg_status
lg_tabulate_tensors(const lg_graph *graph, const lg_analysis *analysis,
                    const lg_tensor_options *given, lg_table **out,
                    lg_error *err)
{
    lg__tensor_report to = {.graph = graph, .analysis = analysis};
    lg_tensor_options options = LG_TENSOR_OPTIONS_INIT;
    lg_status status =
        lg_options_read(&options, given, "lg_tensor_options", err);
    if (status == LG_OK)
        status = list_storages(&to, &options, err);
    if (status != LG_OK)
        return status;
    status = fill(&to, &options, err);
    lg_tensors_free(&to.tensors);
    if (status == LG_OK)
        return lg__table_finish(to.table, out, err);
    lg_table_free(to.table);
    return status;
}

lg_status
lg_report_tensors(const lg_graph *graph, const lg_analysis *analysis,
                  const lg_tensor_options *options, lg_format format,
                  lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    lg_status status =
        lg_tabulate_tensors(graph, analysis, options, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}

/* ---------------------------------------------------------- the question */

static lg_status
ask_tensors(const lg_ask *ask, lg_table **out, lg_error *err)
{
    return lg_tabulate_tensors(ask->graph, ask->analysis, ask->options, out,
                               err);
}

static const char *const groups[] = {"storage", "kind",  "device",
                                     "dtype",   "shape", NULL};
static const lg_tensor_options usual = LG_TENSOR_OPTIONS_INIT;

static const lg_option options[] = {
    LG__LIMIT(lg_tensor_options, "the biggest first"),
    {"device", LG_OPTION_DEVICE, NULL, NULL,
     "only storages on this device: `cuda:0`, `host`",
     offsetof(lg_tensor_options, device)},
    {"group", LG_OPTION_CHOICE, groups, NULL,
     "what a row is: a storage, or all of one kind, device, dtype or shape",
     offsetof(lg_tensor_options, group)},
    LG__MINE(lg_tensor_options),
    LG__MODULE(lg_tensor_options),
    {0},
};

static const lg_field none[] = {{0}};

static const lg_answering in_c = {
    .options_size = sizeof usual, .usual = &usual, .table = ask_tensors};

const lg_question lg__ask_tensors = {
    .name = "tensors",
    .title = "Tensors",
    .help = "list the storages of tensors, each byte counted once",
    .about =
        "Lists the storages of tensors: what each is for, in PyTorch's words, "
        "and who holds it. A storage counts once, however many tensors use it. "
        "Rows include tensors that only the autograd graph keeps. If a view "
        "keeps more than it shows, `used` says how much it shows.",
    .order = "the biggest first",
    .example = "--group kind",
    .needs = LG_USES_ANALYSIS | LG_UNLESS_CHOSEN,
    .options = options,
    .fields = none,
    .facts = none,
    .in_c = &in_c,
};
