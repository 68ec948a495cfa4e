// The kind of a tensor, which its holders imply.
#include "detection.h"
#include "test.h"

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
        uint32_t table = detection_dict(&to.story, "weight", to.tensor);
        const char *name = cases[i % 3].table;
        if (i < 3)
            story_attribute(&to.story, net, name, table);
        else
            story_edge(&to.story, net, detection_dict(&to.story, name, table),
                       LG_EDGE_DICT, 0);
        CHECK(detection_end(&to, NULL) == cases[i % 3].kind);
    }
    detection to = detection_begin(1000);
    detection_tensor(&to, "torch.nn.parameter.Parameter", 10000, 10);
    CHECK(detection_end(&to, NULL) == LG_TENSOR_PARAMETER);
    to = detection_begin(1000);
    detection_tensor(&to, "torch.nn.parameter.Buffer", 10000, 10);
    CHECK(detection_end(&to, NULL) == LG_TENSOR_BUFFER);
}

static void
gradients(void)
{
    detection to = detection_begin(1000);
    uint32_t leaf = detection_tensor(&to, "torch.Tensor", 20000, 1000);
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
    uint32_t key = detection_tensor(&to, "torch.Tensor", 20000, 1000);
    story_edge(heap, list, to.tensor, LG_EDGE_INDEX, 0);
    story_edge(heap, list, list, LG_EDGE_INDEX, 1);
    story_edge(heap, state, key, LG_EDGE_KEY, 0);
    story_edge(heap, state, detection_dict(heap, "moments", list),
               LG_EDGE_VALUE, key);
    story_attribute(heap, sgd, "state", state);
    lg_graph *graph = story_end(heap);
    lg_tensor_rows rows;
    REQUIRE(lg_graph_storages(graph, LG_NONE, 0, &rows, NULL) == LG_OK);
    REQUIRE(rows.count == 2);
    CHECK(rows.items[0].kind == LG_TENSOR_OPTIMIZER_STATE);
    CHECK(rows.items[1].kind == LG_TENSOR_OTHER);
    lg_tensor_rows_free(&rows);
    lg_graph_free(graph);
}

// What an optimizer is given is a parameter, unlike what else a group has.
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
        story_edge(heap, all, detection_dict(heap, cases[i].key, list),
                   LG_EDGE_INDEX, 0);
        story_attribute(heap, sgd, "param_groups", all);
        CHECK(detection_end(&to, NULL) == cases[i].kind);
    }
}

// What C++ keeps: the buckets of a reducer, and the packed weights of a module,
// but not what else the module has.
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
        uint32_t whole =
            cases[i].storage
                ? detection_tensor(&to, "torch.Tensor", 20000, 1000)
                : story_add(heap, "torch.Tensor", NULL, 72);
        story_attribute(heap, net, "_buffers",
                        detection_dict(heap, "x", outer));
        story_attribute(heap, outer, "inner", whole);
        if (cases[i].dict)
            story_edge(heap, whole,
                       detection_dict(heap, cases[i].name, to.tensor),
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

SUITE(tensor_kinds)
{
    RUN(modules);
    RUN(gradients);
    RUN(optimizers);
    RUN(groups);
    RUN(members);
    RUN(parts);
    RUN(activations);
    return test_result();
}
