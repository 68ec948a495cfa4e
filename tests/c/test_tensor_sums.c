// Tensors added up by kind, device, dtype or shape.
#include <leakgraph/internal/bytes.h>

#include "stored.h"
#include "test.h"

#include <string.h>

static void
by_device(void)
{
    lg_graph *graph;
    lg_tensor_rows rows;
    lg_tensor_sums sums;
    lg_error err;
    REQUIRE(stored_new(NULL, &graph, NULL) == LG_OK);
    REQUIRE(lg_graph_storages(graph, LG_NONE, 0, &rows, NULL) == LG_OK);
    REQUIRE(lg_tensors_sum(graph, &rows, LG_TENSORS_BY_DEVICE, &sums, NULL) ==
            LG_OK);
    REQUIRE(sums.count == 2);
    CHECK(sums.items[0].key.length == 6);
    CHECK(memcmp(sums.items[0].key.data, "cuda:0", 6) == 0);
    CHECK(sums.items[0].count == 5 && sums.items[1].count == 1);
    CHECK(sums.items[0].total == rows.bytes - 4 && sums.items[1].total == 4);
    CHECK(sums.items[0].bytes[0] == 0 && sums.items[1].bytes[0] == 4);
    CHECK(sums.items[0].bytes[1] == rows.bytes - 4);
    CHECK(sums.items[0].shape.length == 0);
    CHECK(sums.items[1].items[0].buffer == STORED_LOSS_DATA);
    lg_tensor_sums_free(&sums);
    CHECK(lg_tensors_sum(graph, &rows, LG_TENSORS_EACH, &sums, &err) ==
          LG_EINVAL);
    lg_tensor_rows_free(&rows);
    lg_graph_free(graph);
}

SUITE(tensor_sums)
{
    RUN(by_device);
    return test_result();
}
