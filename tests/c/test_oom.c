// Every allocation fails once: the call must fail cleanly, or succeed without
// that memory.
//
// The suite counts two kinds: the allocations of its own lg_allocator, and, by
// the linker's --wrap, those of malloc itself.
#include <unistd.h>

#include <leakgraph/file.h>
#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/second_thread.h>

#include "asked.h"
#include "drawn.h"
#include "native_heap.h"
#include "sample.h"
#include "scarce.h"
#include "stored.h"
#include "test.h"
#include "twins.h"

typedef struct budget {
    long left; // allocations that still succeed
    size_t held;
    unsigned released;
} budget;

static void *
budget_resize(void *context, void *old, size_t old_size, size_t new_size)
{
    budget *state = context;
    if (new_size == 0) {
        state->held -= old_size;
        free(old);
        return NULL;
    }
    if (state->left-- <= 0)
        return NULL;
    char *block = realloc(old, new_size);
    if (block == NULL)
        return NULL;
    state->held += new_size - old_size;
    if (new_size > old_size)
        memset(block + old_size, UINT8_MAX, new_size - old_size);
    return block;
}

static void
budget_release(void *context)
{
    ((budget *)context)->released++;
}

static void
finish_with_budgets(lg_status (*make)(const lg_allocator *, lg_graph **,
                                      lg_error *))
{
    lg_status status = LG_ENOMEM;
    long allowed = 0;
    for (; status != LG_OK && allowed < 10000; allowed++) {
        budget state = {.left = allowed};
        lg_allocator allocator = {budget_resize, budget_release, &state, NULL};
        lg_graph *graph = NULL;
        lg_error err;
        status = make(&allocator, &graph, &err);
        CHECK(status == LG_OK || status == LG_ENOMEM);
        CHECK((status == LG_OK) == (graph != NULL));
        CHECK(state.released == (status != LG_OK));
        if (status == LG_OK)
            CHECK(state.held > 0);
        lg_graph_free(graph);
        CHECK(state.held == 0);
        CHECK(state.released == 1);
    }
    CHECK(status == LG_OK && allowed > 20);
}

// Nodes whose numbers are too large for the columns. A number may be asked for
// that there was no memory for, or that has not been set.
static lg_status
with_large_numbers(const lg_allocator *allocator, lg_graph **out, lg_error *err)
{
    enum { NODES = 300 };
    lg_builder *builder;
    lg_status status = lg_builder_new_in(allocator, &builder, err);
    if (status != LG_OK)
        return status;
    for (uint32_t i = 0; i < NODES; i++) {
        if (lg_builder_number_node(builder, UINT64_MAX - i) == LG_NONE)
            break;
        lg_builder_address(builder, i);
        lg_builder_size(builder, i);
        lg_builder_refcount(builder, i);
        lg_builder_put_type(builder, i, 0);
        lg_builder_put_size(builder, i, 1000000 + i);
        lg_builder_put_refcount(builder, i, 1000 + i);
        lg_builder_add_found(builder, i, 1000);
        lg_builder_size(builder, i);
        lg_builder_refcount(builder, i);
    }
    status = lg_builder_finish(builder, out, err);
    if (status != LG_OK)
        return status;
    const lg_columns *columns = lg_graph_columns(*out);
    CHECK(lg_columns_address(columns, NODES - 1) == UINT64_MAX - (NODES - 1));
    CHECK(lg_columns_size(columns, NODES - 1) == 1000000 + NODES - 1);
    CHECK(lg_node_unexplained(*out, NODES - 1) == NODES - 1);
    return status;
}

// A few hundred nodes with texts and counts of a second thread.
static lg_status
with_additions(const lg_allocator *allocator, lg_graph **out, lg_error *err)
{
    enum { NODES = 300 };
    lg_builder *builder;
    lg_status status = lg_builder_new_in(allocator, &builder, err);
    lg_additions *additions =
        status == LG_OK ? lg_builder_additions(builder) : NULL;
    if (status == LG_OK && additions == NULL) {
        lg_builder_free(builder);
        return LG_ENOMEM;
    }
    for (uint32_t i = 0; status == LG_OK && i < NODES; i++) {
        if (lg_builder_add_node(builder, 16 * (i + 1)) == LG_NONE)
            break;
        lg_builder_open(builder, i);
        lg_builder_add_edge(builder, 0, i % 2 ? LG_EDGE_DICT : LG_EDGE_INDEX,
                            i);
        const lg_reached reached = lg_builder_reached(builder);
        lg_additions_count_edges(additions, builder, &reached, 2);
        if (!lg_additions_set_text(additions, i, "a text", 6))
            builder->status = LG_ENOMEM;
    }
    size_t namespaces;
    lg_edge listed;
    lg_additions_namespaces(additions, &namespaces, &listed);
    CHECK(namespaces == listed / 2);
    if (status == LG_OK)
        status = lg_builder_finish(builder, out, err);
    if (status == LG_OK)
        CHECK(lg_columns_found(lg_graph_columns(*out), 0) == NODES);
    return status;
}

static void
builder_and_finish(void)
{
    finish_with_budgets(with_large_numbers);
    finish_with_budgets(with_additions);
    finish_with_budgets(sample_new);
    finish_with_budgets(stored_new);
    finish_with_budgets(twins_new);
}

static native_heap heap;

static lg_status
with_native_memory(const lg_allocator *allocator, lg_graph **out, lg_error *err)
{
    return native_heap_join(&heap, allocator, out, err);
}

// Blocks that objects hold, that variables hold, and that are lost; of known
// kinds, and so many that tables grow.
static void
native_memory(void)
{
    native_heap_open(&heap);
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t *object = native_heap_object(&heap, i > 0);
        object[2] = native_heap_address(native_heap_list(&heap, 200 + i));
        object[3] = native_heap_address(native_heap_lock(&heap));
    }
    uint64_t *variables =
        native_heap_range(&heap, LG_RANGE_DATA, "libheld.so", 4);
    variables[1] = native_heap_address(native_heap_list(&heap, 3));
    native_heap_int(&heap, native_heap_address(native_heap_block(&heap, 64)),
                    true);
    native_heap_list(&heap, 5);
    native_heap_finish(&heap);
    finish_with_budgets(with_native_memory);
    native_heap_close(&heap);
}

// The graph's own indexes use its allocator, too.
static void
indexes(void)
{
    bool done = false;
    for (long allowed = 0; !done && allowed < 100; allowed++) {
        budget state = {.left = 100000};
        lg_allocator allocator = {budget_resize, budget_release, &state, NULL};
        lg_graph *graph;
        lg_hops hops = {0};
        REQUIRE(sample_new(&allocator, &graph, NULL) == LG_OK);
        state.left = allowed;
        lg_status status = lg_node_hops_in(graph, SAMPLE_LOSSES, &hops, NULL);
        CHECK(status == LG_OK || status == LG_ENOMEM);
        uint64_t referrers = lg_node_referrers(graph, SAMPLE_LOSSES, NULL, 0);
        CHECK(referrers == 4 || referrers == UINT64_MAX);
        for (int i = 0; i < 40; i++) // scans, then the index
            CHECK(lg_graph_find(graph, SAMPLE_ADDRESS(3)) == 3);
        done = status == LG_OK && state.left > 0;
        lg_hops_free(&hops);
        lg_graph_free(graph);
        CHECK(state.held == 0);
    }
    CHECK(done);
}

static char folder[] = "/tmp/leakgraph-XXXXXX";
static char analysis_folder[] = "/tmp/leakgraph-XXXXXX";
static char path[64];

static lg_status
do_save(const lg_graph *graph)
{
    return lg_graph_save(graph, path, NULL, NULL, NULL);
}

static lg_status
do_save_compressed(const lg_graph *graph)
{
    lg_save_options options = {.size = sizeof options, .compress = 3};
    return lg_graph_save(graph, path, &options, NULL, NULL);
}

static lg_status
do_load(const lg_graph *graph)
{
    lg_graph *again = NULL;
    lg_status status = lg_graph_load(path, 0, NULL, &again, NULL);
    if (status == LG_OK) {
        malloc_left = -1;
        CHECK(sample_equal(graph, again));
    }
    lg_graph_free(again);
    return status;
}

static lg_status
do_load_mapped(const lg_graph *graph)
{
    lg_graph *again = NULL;
    lg_status status = lg_graph_load(path, LG_LOAD_MAPPED, NULL, &again, NULL);
    (void)graph;
    lg_graph_free(again);
    return status;
}

static lg_status
do_strip(const lg_graph *graph)
{
    lg_graph *copy = NULL;
    lg_status status = lg_graph_strip(graph, &copy, NULL);
    lg_graph_free(copy);
    return status;
}

static lg_status
select_nodes(const lg_graph *graph, const char *selector)
{
    lg_nodes nodes = {0};
    lg_status status = lg_graph_select(graph, selector, NULL, &nodes, NULL);
    lg_nodes_free(&nodes);
    return status;
}

static lg_status
do_select_type(const lg_graph *graph)
{
    return select_nodes(graph, "type:torch.*");
}

static lg_status
do_select_name(const lg_graph *graph)
{
    return select_nodes(graph, "name:train.losses[1]['it\\'s']");
}

static lg_status
do_path(const lg_graph *graph)
{
    lg_path found = {0};
    lg_status status =
        lg_path_from_root(graph, SAMPLE_CAPTURED, NULL, &found, NULL);
    lg_path_free(&found);
    return status;
}

static lg_status
do_hops(const lg_graph *graph)
{
    lg_hops hops = {0};
    lg_status status = lg_node_hops_in(graph, SAMPLE_LOSSES, &hops, NULL);
    lg_hops_free(&hops);
    return status;
}

static lg_status
do_reports(const lg_graph *graph)
{
    lg_text text = {0};
    lg_status status = LG_OK;
    for (int i = 0; i < 2 && status == LG_OK; i++) {
        lg_format format = i ? LG_FORMAT_JSON : LG_FORMAT_TEXT;
        status = lg_report_info(graph, format, &text, NULL);
        if (status == LG_OK)
            status =
                question_report("types", graph, NULL, "limit=5", format, &text);
        if (status == LG_OK)
            status =
                question_report("threads", graph, NULL, NULL, format, &text);
    }
    lg_text_free(&text);
    return status;
}

static lg_status
do_bytes(const lg_graph *graph)
{
    lg_text text = {0};
    lg_tensor_rows rows = {0};
    lg_status status = lg_graph_storages(graph, LG_NONE, 0, &rows, NULL);
    for (int format = 0; format < 2 && status == LG_OK; format++)
        status = lg_report_memory(graph, NULL, (lg_format)format, &text, NULL);
    for (int group = 0; group < 5 && status == LG_OK; group++)
        status = tensors_report(graph, NULL, LG_NONE, (lg_tensor_group)group, 0,
                                (lg_format)(group % 2), &text);
    lg_tensor_rows_free(&rows);
    lg_text_free(&text);
    return status;
}

static lg_status
do_analyse(const lg_graph *graph)
{
    lg_analysis *analysis = NULL;
    lg_status status = lg_analysis_new(graph, NULL, &analysis, NULL);
    lg_bytes bytes;
    const uint32_t node = 3;
    if (status == LG_OK)
        status = lg_nodes_retained(analysis, &node, 1, NULL, &bytes, NULL);
    lg_analysis_free(analysis);
    return status;
}

static lg_status
do_load_analysis(const lg_graph *graph)
{
    lg_analysis *analysis = NULL;
    lg_status status = lg_analysis_load(graph, &analysis, NULL);
    lg_analysis_free(analysis);
    return status;
}

static void
everything_else(void)
{
    lg_status (*const works[])(const lg_graph *) = {
        do_save,        do_load,        do_load_mapped, do_save_compressed,
        do_load,        do_load_mapped, do_strip,       do_select_type,
        do_select_name, do_path,        do_hops,        do_reports,
    };
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/graph", folder);
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        lg_graph *graph;
        REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
        CHECK(sweep(graph, works[i]) == 0);
        lg_graph_free(graph);
    }
    lg_graph *stored;
    REQUIRE(stored_new(NULL, &stored, NULL) == LG_OK);
    CHECK(sweep(stored, do_save) == 0 && sweep(stored, do_load) == 0);
    CHECK(sweep(stored, do_strip) == 0 && sweep(stored, do_bytes) == 0);
    lg_graph_free(stored);
    CHECK(unlink(path) == 0);
    CHECK(rmdir(folder) == 0);
}

// Small components and one that igraph computes; some lie within others.
static void
irreducible(void)
{
    lg_graph *graph = draw_random(5, 600);
    CHECK(sweep(graph, do_analyse) == 0);
    lg_graph_free(graph);
}

static const lg_analysis *kept;

static lg_status
do_save_analysis(const lg_graph *graph)
{
    lg_save_options options = {
        .size = sizeof options, .compress = 3, .analysis = kept};
    return lg_graph_save(graph, path, &options, NULL, NULL);
}

// A graph with components and devices; a file of it also contains its analysis.
static void
analyses(void)
{
    lg_graph *again;
    REQUIRE(mkdtemp(analysis_folder) != NULL);
    snprintf(path, sizeof path, "%s/graph", analysis_folder);
    lg_graph *graph = drawn_with_devices();
    lg_analysis *analysis = analysed(graph);
    CHECK(sweep(graph, do_analyse) == 0);
    kept = analysis;
    CHECK(sweep(graph, do_save_analysis) == 0);
    REQUIRE(do_save_analysis(graph) == LG_OK);
    REQUIRE(lg_graph_load(path, 0, NULL, &again, NULL) == LG_OK);
    CHECK(sweep(again, do_load_analysis) == 0);
    lg_graph_free(again);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    CHECK(unlink(path) == 0);
    CHECK(rmdir(analysis_folder) == 0);
}

SUITE(oom)
{
    RUN(builder_and_finish);
    RUN(native_memory);
    RUN(indexes);
    RUN(everything_else);
    RUN(irreducible);
    RUN(analyses);
    return test_result();
}
