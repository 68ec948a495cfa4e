// Tensors: each storage once, with the kind that its holders imply.
#include <leakgraph/bytes.h>

#include "stored.h"
#include "story.h"
#include "test.h"

enum { MIB = 1024 * 1024 };

static const lg_tensor_row *
row_of(const lg_tensor_rows *rows, uint32_t buffer)
{
    const lg_tensor_row *found = NULL;
    for (size_t i = 0; i < rows->count && found == NULL; i++)
        if (rows->items[i].buffer == buffer)
            found = &rows->items[i];
    REQUIRE(found != NULL);
    return found;
}

static void
sample(void)
{
    lg_graph *graph;
    lg_tensor_rows rows;
    REQUIRE(stored_new(NULL, &graph, NULL) == LG_OK);
    REQUIRE(lg_graph_tensors(graph, LG_NONE, 0, &rows, NULL) == LG_OK);
    CHECK(rows.count == 6 && rows.total == 6);
    CHECK(rows.bytes == 3 * MIB + 100 + 409600 + 4);
    CHECK(rows.items[0].buffer == STORED_WEIGHT_DATA);
    const lg_tensor_row *row = row_of(&rows, STORED_BATCH_DATA);
    CHECK(row->tensor == STORED_BATCH && row->tensor_count == 2);
    CHECK(row->bytes == 409600 && row->used == 409600 && row->device == 1);
    CHECK(row->kind == LG_TENSOR_TEMPORARY && row->allocation == 5);
    row = row_of(&rows, STORED_LOSS_DATA);
    CHECK(row->bytes == 4 && row->device == 0 && row->allocation == 0);
    CHECK(row->kind == LG_TENSOR_OTHER);
    CHECK(row_of(&rows, STORED_WEIGHT_DATA)->kind == LG_TENSOR_PARAMETER);
    CHECK(row_of(&rows, STORED_GRADIENT_DATA)->kind == LG_TENSOR_GRADIENT);
    CHECK(row_of(&rows, STORED_MOMENT_DATA)->kind == LG_TENSOR_OPTIMIZER_STATE);
    row = row_of(&rows, STORED_SAVED_DATA);
    CHECK(row->kind == LG_TENSOR_ACTIVATION && row->tensor == STORED_SAVED);
    lg_tensor_rows_free(&rows);
    lg_graph_free(graph);
}

static void
limits_and_devices(void)
{
    lg_graph *graph;
    lg_tensor_rows rows;
    lg_error err;
    REQUIRE(stored_new(NULL, &graph, NULL) == LG_OK);
    REQUIRE(lg_graph_tensors(graph, 1, 2, &rows, NULL) == LG_OK);
    CHECK(rows.count == 2 && rows.total == 5);
    CHECK(rows.bytes == 3 * MIB + 100 + 409600);
    lg_tensor_rows_free(&rows);
    REQUIRE(lg_graph_tensors(graph, 0, 9, &rows, NULL) == LG_OK);
    CHECK(rows.count == 1 && rows.items[0].buffer == STORED_LOSS_DATA);
    lg_tensor_rows_free(&rows);
    CHECK(lg_graph_tensors(graph, 2, 0, &rows, &err) == LG_EINVAL);
    lg_graph_free(graph);
}

typedef struct detection {
    story story;
    uint32_t storage; // type
    uint32_t tensor;
} detection;

// A tensor with a storage of 1,000 bytes, of which it shows that many.
static uint32_t
add_tensor(detection *to, const char *type, uint64_t address, uint64_t shown)
{
    char digits[24];
    lg_builder *builder = to->story.builder;
    uint32_t tensor = story_add(&to->story, type, NULL, 72);
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)shown);
    lg_builder_add_fact(builder, tensor, "bytes", digits, strlen(digits));
    lg_span span = {.holder = tensor,
                    .address = address,
                    .length = 1000,
                    .extra = 50,
                    .type = to->storage,
                    .label = lg_builder_intern(builder, "data", 4)};
    lg_builder_add_span(builder, &span);
    return tensor;
}

static detection
detection_begin(uint64_t shown)
{
    detection made = {.story = story_begin()};
    story *to = &made.story;
    made.storage =
        lg_builder_add_type(to->builder, "torch.storage", 13, LG_NONE, NULL, 0);
    story_type(to, "torch.nn.parameter.Parameter", "torch.Tensor");
    story_type(to, "torch.nn.parameter.Buffer", "torch.Tensor");
    story_type(to, "torch.Tensor (C++)", "torch.Tensor");
    story_type(to, "MulBackward0", "torch.autograd.Node");
    story_type(to, "train.MyBackward", "torch._C._FunctionBase");
    story_type(to, "train.Net", "torch.nn.modules.module.Module");
    story_type(to, "train.Sgd", "torch.optim.optimizer.Optimizer");
    story_type(to, "torch.storage.UntypedStorage", "torch._C.StorageBase");
    made.tensor = add_tensor(&made, "torch.Tensor", 10000, shown);
    return made;
}

// The kind of the scene's first storage; *out, if it is not NULL, gets its row.
static lg_tensor_kind
detection_end(detection *to, lg_tensor_row *out)
{
    lg_tensor_rows rows;
    lg_graph *graph = story_end(&to->story);
    REQUIRE(lg_graph_tensors(graph, LG_NONE, 0, &rows, NULL) == LG_OK);
    lg_tensor_row row = {0};
    for (size_t i = 0; i < rows.count; i++)
        if (lg_graph_columns(graph)->address[rows.items[i].buffer] == 10000)
            row = rows.items[i];
    CHECK(row.bytes == 1000);
    if (out != NULL)
        *out = row;
    lg_tensor_rows_free(&rows);
    lg_graph_free(graph);
    return row.kind;
}

static void
frames(void)
{
    detection to = detection_begin(1000);
    story_attribute(&to.story, story_module(&to.story, "train"), "x",
                    to.tensor);
    CHECK(detection_end(&to, NULL) == LG_TENSOR_OTHER);

    to = detection_begin(1000);
    uint32_t frame = story_add(&to.story, "frame", "f()", 400);
    story_local(&to.story, frame, "x", to.tensor);
    CHECK(detection_end(&to, NULL) == LG_TENSOR_TEMPORARY);

    to = detection_begin(1000);
    frame = story_add(&to.story, "frame", "f()", 400);
    story_edge(&to.story, frame, to.tensor, LG_EDGE_STACK, 0);
    story_edge(&to.story, story_add(&to.story, "list", NULL, 64), to.tensor,
               LG_EDGE_INDEX, 0);
    CHECK(detection_end(&to, NULL) == LG_TENSOR_OTHER);

    to = detection_begin(1000);
    CHECK(detection_end(&to, NULL) == LG_TENSOR_OTHER);
}

// A dict entry with a str key.
static uint32_t
add_dict(story *to, const char *key, uint32_t value)
{
    uint32_t dict = story_add(to, "dict", NULL, 200);
    uint32_t name = story_add(to, "str", key, 50);
    story_edge(to, dict, name, LG_EDGE_KEY, 0);
    story_edge(to, dict, value, LG_EDGE_VALUE, name);
    return dict;
}

// The layouts of modules, with and without their own namespace.
static void
modules(void)
{
    const struct {
        const char *table;
        lg_tensor_kind kind;
    } cases[] = {
        {"_parameters", LG_TENSOR_PARAMETER},
        {"_buffers", LG_TENSOR_BUFFER},
        {"_modules", LG_TENSOR_OTHER},
    };
    for (size_t i = 0; i < 6; i++) {
        detection to = detection_begin(1000);
        uint32_t net = story_add(&to.story, "train.Net", NULL, 48);
        uint32_t table = add_dict(&to.story, "weight", to.tensor);
        const char *name = cases[i % 3].table;
        if (i < 3)
            story_attribute(&to.story, net, name, table);
        else
            story_edge(&to.story, net, add_dict(&to.story, name, table),
                       LG_EDGE_DICT, 0);
        CHECK(detection_end(&to, NULL) == cases[i % 3].kind);
    }
    detection to = detection_begin(1000);
    add_tensor(&to, "torch.nn.parameter.Parameter", 10000, 10);
    CHECK(detection_end(&to, NULL) == LG_TENSOR_PARAMETER);
    to = detection_begin(1000);
    add_tensor(&to, "torch.nn.parameter.Buffer", 10000, 10);
    CHECK(detection_end(&to, NULL) == LG_TENSOR_BUFFER);
}

static void
gradients(void)
{
    detection to = detection_begin(1000);
    uint32_t leaf = add_tensor(&to, "torch.Tensor", 20000, 1000);
    story_attribute(&to.story, leaf, "grad", to.tensor);
    CHECK(detection_end(&to, NULL) == LG_TENSOR_GRADIENT);

    to = detection_begin(1000);
    uint32_t other = story_add(&to.story, "train.Step", NULL, 48);
    story_attribute(&to.story, other, "grad", to.tensor);
    CHECK(detection_end(&to, NULL) == LG_TENSOR_OTHER);
}

// {parameter: {'moments': [tensor]}}, at any depth, but not the parameter
// itself.
static void
optimizers(void)
{
    detection to = detection_begin(1000);
    story *heap = &to.story;
    uint32_t sgd = story_add(heap, "train.Sgd", NULL, 48);
    uint32_t list = story_add(heap, "list", NULL, 64);
    uint32_t state = story_add(heap, "dict", NULL, 200);
    uint32_t key = add_tensor(&to, "torch.Tensor", 20000, 1000);
    story_edge(heap, list, to.tensor, LG_EDGE_INDEX, 0);
    story_edge(heap, list, list, LG_EDGE_INDEX, 1);
    story_edge(heap, state, key, LG_EDGE_KEY, 0);
    story_edge(heap, state, add_dict(heap, "moments", list), LG_EDGE_VALUE,
               key);
    story_attribute(heap, sgd, "state", state);
    lg_graph *graph = story_end(heap);
    lg_tensor_rows rows;
    REQUIRE(lg_graph_tensors(graph, LG_NONE, 0, &rows, NULL) == LG_OK);
    REQUIRE(rows.count == 2);
    CHECK(rows.items[0].kind == LG_TENSOR_OPTIMIZER_STATE);
    CHECK(rows.items[1].kind == LG_TENSOR_OTHER);
    lg_tensor_rows_free(&rows);
    lg_graph_free(graph);
}

// What an optimizer is given is a parameter, but for what else a group has.
static void
groups(void)
{
    const struct {
        const char *key;
        lg_tensor_kind kind;
    } cases[] = {{"params", LG_TENSOR_PARAMETER}, {"lr", LG_TENSOR_OTHER}};
    for (size_t i = 0; i < 2; i++) {
        detection to = detection_begin(1000);
        story *heap = &to.story;
        uint32_t sgd = story_add(heap, "train.Sgd", NULL, 48);
        uint32_t list = story_add(heap, "list", NULL, 64);
        uint32_t all = story_add(heap, "list", NULL, 64);
        story_edge(heap, list, to.tensor, LG_EDGE_INDEX, 0);
        story_edge(heap, all, add_dict(heap, cases[i].key, list), LG_EDGE_INDEX,
                   0);
        story_attribute(heap, sgd, "param_groups", all);
        CHECK(detection_end(&to, NULL) == cases[i].kind);
    }
}

// What C++ keeps: the buckets of a reducer, and the packed weights of a module,
// but not what another attribute of it has.
static void
members(void)
{
    const struct {
        const char *type;
        const char *name;
        lg_tensor_kind kind;
    } cases[] = {
        {"torch._C._distributed_c10d.Reducer", "x", LG_TENSOR_GRADIENT},
        {"torch.ScriptObject", "_packed_params", LG_TENSOR_PARAMETER},
        {"torch.ScriptObject", "_tokens", LG_TENSOR_OTHER},
        {"train.Packed", "_packed_params", LG_TENSOR_OTHER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (unsigned bare = 0; bare < 2; bare++) {
            detection to = detection_begin(1000);
            story *heap = &to.story;
            uint32_t net = story_add(heap, "train.Net", NULL, 48);
            uint32_t object = story_add(heap, cases[i].type, NULL, 48);
            uint32_t label = lg_builder_intern(heap->builder, "C++ member", 10);
            lg_span span = {.holder = object,
                            .address = bare ? 10000 : 50000,
                            .length = 1000,
                            .type = to.storage,
                            .label = label};
            lg_builder_add_span(heap->builder, &span);
            if (!bare)
                story_edge(heap, object, to.tensor, LG_EDGE_NATIVE, label);
            story_attribute(heap, net, cases[i].name, object);
            CHECK(detection_end(&to, NULL) == cases[i].kind);
        }
    }
}

// Parts of tensors: those that C++ names, and all that a tensor without a
// storage has, also in its dict, and below another such tensor.
static void
parts(void)
{
    const struct {
        const char *name;
        bool storage; // the whole has a storage of its own
        bool dict;
        bool part;
    } cases[] = {
        {"_values", false, false, true},
        {"_values", true, false, true},
        {"_local", false, false, true},
        {"_local", true, false, false},
        {"_local", false, true, true},
        {"grad_fn", false, false, false},
        {"_base", false, false, false},
        {"_rev_view_func", false, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        detection to = detection_begin(1000);
        story *heap = &to.story;
        uint32_t net = story_add(heap, "train.Net", NULL, 48);
        uint32_t outer = story_add(heap, "torch.Tensor", NULL, 72);
        uint32_t whole = cases[i].storage
                             ? add_tensor(&to, "torch.Tensor", 20000, 1000)
                             : story_add(heap, "torch.Tensor", NULL, 72);
        story_attribute(heap, net, "_buffers", add_dict(heap, "x", outer));
        story_attribute(heap, outer, "inner", whole);
        if (cases[i].dict)
            story_edge(heap, whole, add_dict(heap, cases[i].name, to.tensor),
                       LG_EDGE_DICT, 0);
        else
            story_attribute(heap, whole, cases[i].name, to.tensor);
        CHECK(detection_end(&to, NULL) ==
              (cases[i].part ? LG_TENSOR_BUFFER : LG_TENSOR_OTHER));
    }
}

// A storage belongs to an autograd node, also through an object that a hook
// made or a ctx, but not to the leaf of an AccumulateGrad node, or to other
// objects with such a name.
static void
activations(void)
{
    enum { CPP = LG_NODE_SYNTHETIC | LG_NODE_CPP };
    const struct {
        const char *type;
        unsigned flags;
        const char *name;
        bool packed;
        lg_tensor_kind kind;
    } cases[] = {
        {"MulBackward0", CPP, "_saved_self", false, LG_TENSOR_ACTIVATION},
        {"MulBackward0", CPP, "_saved_tensors[3]", false, LG_TENSOR_ACTIVATION},
        {"MulBackward0", CPP, "_raw_saved_self.data", true,
         LG_TENSOR_ACTIVATION},
        {"MulBackward0", CPP, "tensor", false, LG_TENSOR_ACTIVATION},
        {"MulBackward0", CPP, "variable", false, LG_TENSOR_OTHER},
        {"train.MyBackward", 0, "saved_tensors[0]", false,
         LG_TENSOR_ACTIVATION},
        {"train.MyBackward", 0, "_raw_saved_tensors[0].data", true,
         LG_TENSOR_ACTIVATION},
        {"train.MyBackward", 0, "scale", false, LG_TENSOR_ACTIVATION},
        {"train.MyBackward", 0, "scales", true, LG_TENSOR_ACTIVATION},
        {"torch.utils.checkpoint._VersionWrapper", 0, "val", false,
         LG_TENSOR_ACTIVATION},
        {"torch._C._autograd.SavedTensor", 0, "data", false,
         LG_TENSOR_ACTIVATION},
        {"train.Net", 0, "saved_tensors", false, LG_TENSOR_OTHER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        detection to = detection_begin(1000);
        to.story.flags = cases[i].flags;
        uint32_t node = story_add(&to.story, cases[i].type, NULL, 500);
        uint32_t saved = to.tensor;
        if (cases[i].packed) {
            saved = story_add(&to.story, "tuple", NULL, 56);
            story_edge(&to.story, saved, to.tensor, LG_EDGE_INDEX, 1);
        }
        story_attribute(&to.story, node, cases[i].name, saved);
        CHECK(detection_end(&to, NULL) == cases[i].kind);
    }
}

// One storage and several tensors: the first kind that applies to any of them
// counts, and a view's base that nothing else keeps shows nothing.
static void
views(void)
{
    lg_tensor_row row;
    detection to = detection_begin(1000);
    uint32_t frame = story_add(&to.story, "frame", "f()", 400);
    uint32_t view = add_tensor(&to, "torch.Tensor", 10000, 10);
    story_local(&to.story, frame, "view", view);
    story_attribute(&to.story, view, "_base", to.tensor);
    CHECK(detection_end(&to, &row) == LG_TENSOR_TEMPORARY);
    CHECK(row.tensor_count == 2 && row.used == 10 && row.tensor == view);

    // A narrow Python tensor describes a wide C++ tensor, and a tensor
    // describes a storage object.
    to = detection_begin(10);
    to.story.flags |= LG_NODE_SYNTHETIC | LG_NODE_CPP;
    uint32_t wide = add_tensor(&to, "torch.Tensor (C++)", 10000, 500);
    to.story.flags = LG_NODE_TRACKED;
    add_tensor(&to, "torch.storage.UntypedStorage", 10000, 1000);
    uint32_t list = story_add(&to.story, "list", NULL, 64);
    story_edge(&to.story, list, wide, LG_EDGE_INDEX, 0);
    story_edge(&to.story, list, to.tensor, LG_EDGE_INDEX, 1);
    detection_end(&to, &row);
    CHECK(row.tensor_count == 2 && row.used == 500 && row.tensor == to.tensor);
}

static void
waste(void)
{
    lg_tensor_row row;
    detection to = detection_begin(8);
    detection_end(&to, &row);
    CHECK(row.used == 8 && row.bytes == 1000);
    to = detection_begin(4000000);
    detection_end(&to, &row);
    CHECK(row.used == 1000 && row.bytes == 1000);
}

// A storage whose tensors leakgraph does not know has a row, too.
static void
lone(void)
{
    lg_tensor_row row;
    detection to = detection_begin(1000);
    lg_span span = {.holder = story_add(&to.story, "thing", NULL, 48),
                    .address = 30000,
                    .length = 77,
                    .type = to.storage};
    lg_builder_add_span(to.story.builder, &span);
    lg_graph *graph = story_end(&to.story);
    lg_tensor_rows rows;
    REQUIRE(lg_graph_tensors(graph, LG_NONE, 0, &rows, NULL) == LG_OK);
    REQUIRE(rows.count == 2);
    row = rows.items[1];
    CHECK(row.bytes == 77 && row.tensor == LG_NONE && row.tensor_count == 0);
    lg_tensor_rows_free(&rows);
    lg_graph_free(graph);
}

SUITE(tensors)
{
    RUN(sample);
    RUN(limits_and_devices);
    RUN(frames);
    RUN(modules);
    RUN(gradients);
    RUN(optimizers);
    RUN(groups);
    RUN(members);
    RUN(parts);
    RUN(activations);
    RUN(views);
    RUN(waste);
    RUN(lone);
    return test_result();
}
