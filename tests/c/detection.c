#include "detection.h"

#include <leakgraph/internal/columns.h>

#include "test.h"

#include <stdio.h>
#include <string.h>

// Adds a tensor with a storage of 1,000 bytes, and shows `shown` of them.
uint32_t
detection_tensor(detection *to, const char *type, uint64_t address,
                 uint64_t shown)
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

detection
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
    made.tensor = detection_tensor(&made, "torch.Tensor", 10000, shown);
    return made;
}

// Returns the kind of the heap's first storage. *out, if it is not NULL, gets
// its row.
lg_tensor_kind
detection_end(detection *to, lg_tensor_row *out)
{
    lg_tensor_rows rows;
    lg_graph *graph = story_end(&to->story);
    REQUIRE(lg_graph_storages(graph, LG_NONE, 0, &rows, NULL) == LG_OK);
    lg_tensor_row row = {0};
    for (size_t i = 0; i < rows.count; i++)
        if (lg_columns_address(lg_graph_columns(graph), rows.items[i].buffer) ==
            10000)
            row = rows.items[i];
    CHECK(row.bytes == 1000);
    if (out != NULL)
        *out = row;
    lg_tensor_rows_free(&rows);
    lg_graph_free(graph);
    return row.kind;
}

// Adds a dict entry with a str key.
uint32_t
detection_dict(story *to, const char *key, uint32_t value)
{
    uint32_t dict = story_add(to, "dict", NULL, 200);
    uint32_t name = story_add(to, "str", key, 50);
    story_edge(to, dict, name, LG_EDGE_KEY, 0);
    story_edge(to, dict, value, LG_EDGE_VALUE, name);
    return dict;
}
