// Tensors: each storage once, and what stands for it.
#include <leakgraph/internal/bytes.h>

#include "detection.h"
#include "stored.h"
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
    REQUIRE(lg_graph_storages(graph, LG_NONE, 0, &rows, NULL) == LG_OK);
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
    REQUIRE(lg_graph_storages(graph, 1, 2, &rows, NULL) == LG_OK);
    CHECK(rows.count == 2 && rows.total == 5);
    CHECK(rows.bytes == 3 * MIB + 100 + 409600);
    lg_tensor_rows_free(&rows);
    REQUIRE(lg_graph_storages(graph, 0, 9, &rows, NULL) == LG_OK);
    CHECK(rows.count == 1 && rows.items[0].buffer == STORED_LOSS_DATA);
    lg_tensor_rows_free(&rows);
    CHECK(lg_graph_storages(graph, 2, 0, &rows, &err) == LG_EINVAL);
    lg_graph_free(graph);
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

// One storage and several tensors: the first kind that applies to any of them
// counts, and a view's base that nothing else keeps shows nothing.
static void
views(void)
{
    lg_tensor_row row;
    detection to = detection_begin(1000);
    uint32_t frame = story_add(&to.story, "frame", "f()", 400);
    uint32_t view = detection_tensor(&to, "torch.Tensor", 10000, 10);
    story_local(&to.story, frame, "view", view);
    story_attribute(&to.story, view, "_base", to.tensor);
    CHECK(detection_end(&to, &row) == LG_TENSOR_TEMPORARY);
    CHECK(row.tensor_count == 2 && row.used == 10 && row.tensor == view);

    // A narrow Python tensor describes a wide C++ tensor, and a tensor
    // describes a storage object.
    to = detection_begin(10);
    to.story.flags |= LG_NODE_SYNTHETIC | LG_NODE_CPP;
    uint32_t wide = detection_tensor(&to, "torch.Tensor (C++)", 10000, 500);
    to.story.flags = LG_NODE_TRACKED;
    detection_tensor(&to, "torch.storage.UntypedStorage", 10000, 1000);
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
    REQUIRE(lg_graph_storages(graph, LG_NONE, 0, &rows, NULL) == LG_OK);
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
    RUN(views);
    RUN(waste);
    RUN(lone);
    return test_result();
}
