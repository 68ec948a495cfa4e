// Every allocation fails once: the call must fail cleanly, or do without.
//
// Two kinds are counted: those of an lg_allocator of our own, and, by the
// linker's --wrap, malloc itself.
#include <unistd.h>

#include "drawn.h"
#include "sample.h"
#include "story.h"
#include "test.h"

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
    void *block = realloc(old, new_size);
    if (block != NULL)
        state->held += new_size - old_size;
    return block;
}

static void
budget_release(void *context)
{
    ((budget *)context)->released++;
}

static void
builder_and_finish(void)
{
    lg_status status = LG_ENOMEM;
    long allowed = 0;
    for (; status != LG_OK && allowed < 10000; allowed++) {
        budget state = {.left = allowed};
        lg_allocator allocator = {budget_resize, budget_release, &state};
        lg_graph *graph = NULL;
        lg_error err;
        status = sample_new(&allocator, &graph, &err);
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

// The graph's own indexes come from its allocator as well.
static void
indexes(void)
{
    bool done = false;
    for (long allowed = 0; !done && allowed < 100; allowed++) {
        budget state = {.left = 100000};
        lg_allocator allocator = {budget_resize, budget_release, &state};
        lg_graph *graph;
        lg_hops hops = {0};
        REQUIRE(sample_new(&allocator, &graph, NULL) == LG_OK);
        state.left = allowed;
        lg_status status = lg_node_hops_in(graph, SAMPLE_LOSSES, &hops, NULL);
        CHECK(status == LG_OK || status == LG_ENOMEM);
        uint64_t referrers = lg_node_referrers(graph, SAMPLE_LOSSES, NULL, 0);
        CHECK(referrers == 4 || referrers == UINT64_MAX);
        CHECK(lg_graph_find(graph, SAMPLE_ADDRESS(3)) == 3);
        done = status == LG_OK && state.left > 0;
        lg_hops_free(&hops);
        lg_graph_free(graph);
        CHECK(state.held == 0);
    }
    CHECK(done);
}

static long malloc_left = -1; // negative: no limit

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static bool
may_allocate(void)
{
    return malloc_left < 0 || malloc_left-- > 0;
}

void *
__wrap_malloc(size_t size)
{
    return may_allocate() ? __real_malloc(size) : NULL;
}

void *
__wrap_calloc(size_t count, size_t size)
{
    return may_allocate() ? __real_calloc(count, size) : NULL;
}

void *
__wrap_realloc(void *old, size_t size)
{
    return may_allocate() ? __real_realloc(old, size) : NULL;
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
    lg_save_options options = {.compress = 3};
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
    lg_status status = lg_graph_select(graph, selector, &nodes, NULL);
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
                lg_report_types(graph, LG_SORT_BYTES, 5, format, &text, NULL);
        if (status == LG_OK)
            status = lg_report_threads(graph, format, &text, NULL);
    }
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

// Questions to an analysis that is there already.
static const lg_analysis *asked;

static lg_status
do_cycles(const lg_graph *graph)
{
    const lg_cycle_options options = {.min_bytes = 0, .holding = "tensor"};
    lg_cycles cycles = {0};
    lg_text text = {0};
    uint8_t *flags = NULL;
    lg_status status = lg_graph_collectable(graph, &flags, NULL);
    free(flags);
    if (status == LG_OK)
        status = lg_analysis_cycles(asked, &options, NULL, &cycles, NULL);
    for (int i = 0; i < 2 && status == LG_OK; i++)
        status = lg_report_cycles(
            asked, &cycles, i ? LG_FORMAT_JSON : LG_FORMAT_TEXT, &text, NULL);
    lg_text_free(&text);
    lg_cycles_free(&cycles);
    return status;
}

static lg_status
do_paths(const lg_graph *graph)
{
    const uint32_t targets[] = {1, 2, 3, 4, 5};
    lg_paths paths = {0};
    lg_merged_paths merged = {0};
    (void)graph;
    lg_status status = LG_OK;
    for (size_t i = 0; i < 5 && status == LG_OK; i++) {
        status = lg_paths_disjoint(asked, targets[i], 0, NULL, &paths, NULL);
        lg_paths_free(&paths);
    }
    if (status == LG_OK)
        status = lg_paths_merged(asked, targets, 5, NULL, &merged, NULL);
    lg_merged_paths_free(&merged);
    return status;
}

static lg_status
do_analysis_reports(const lg_graph *graph)
{
    lg_text text = {0};
    lg_status status = LG_OK;
    uint32_t nodes = lg_graph_columns(graph)->node_count;
    for (int i = 0; i < 2 && status == LG_OK; i++) {
        lg_format format = i ? LG_FORMAT_JSON : LG_FORMAT_TEXT;
        for (int by = 0; by < 3 && status == LG_OK; by++)
            status = lg_report_top(asked, (lg_group)by, 5, NULL, format, &text,
                                   NULL);
        if (status == LG_OK)
            status =
                lg_report_dominators(asked, LG_NONE, 0, format, &text, NULL);
        for (uint32_t node = 0; node < nodes && status == LG_OK; node++)
            status =
                lg_report_why(asked, node, "a note", NULL, format, &text, NULL);
    }
    lg_text_free(&text);
    return status;
}

static void
sweep(const lg_graph *graph, lg_status (*work)(const lg_graph *))
{
    lg_status status = LG_ENOMEM;
    for (long allowed = 0; status != LG_OK && allowed < 10000; allowed++) {
        malloc_left = allowed;
        status = work(graph);
        malloc_left = -1;
        CHECK(status == LG_OK || status == LG_ENOMEM);
    }
    CHECK(status == LG_OK);
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
        sweep(graph, works[i]);
        lg_graph_free(graph);
    }
    CHECK(unlink(path) == 0);
    CHECK(rmdir(folder) == 0);
}

// A family that is alive and one that is garbage: see test_cycles.c.
static lg_graph *
tell(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    for (int i = 0; i < 2; i++) {
        uint32_t parent = story_add(&made, "app.Parent", NULL, 100);
        uint32_t list = story_add(&made, "list", NULL, 80);
        uint32_t child = story_add(&made, "app.Child", NULL, 48);
        uint32_t tensor = story_add(&made, "torch.Tensor", NULL, 48);
        story_attribute(&made, parent, "children", list);
        story_edge(&made, list, child, LG_EDGE_INDEX, 0);
        story_attribute(&made, child, "parent", parent);
        story_attribute(&made, child, "data", tensor);
        if (i == 0) {
            story_attribute(&made, app, "first", parent);
            story_attribute(&made, app, "last", child);
        }
    }
    return story_end(&made);
}

static void
answers(void)
{
    lg_status (*const works[])(const lg_graph *) = {do_cycles, do_paths,
                                                    do_analysis_reports};
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        lg_graph *graph = tell();
        lg_analysis *analysis = analysed(graph);
        asked = analysis;
        sweep(graph, works[i]);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

// A graph with knots and devices; from a file, its analysis with it.
static void
analyses(void)
{
    lg_graph *again;
    REQUIRE(mkdtemp(analysis_folder) != NULL);
    snprintf(path, sizeof path, "%s/graph", analysis_folder);
    lg_graph *graph = drawn_with_devices();
    lg_analysis *analysis = analysed(graph);
    sweep(graph, do_analyse);
    lg_save_options options = {3, analysis};
    REQUIRE(lg_graph_save(graph, path, &options, NULL, NULL) == LG_OK);
    REQUIRE(lg_graph_load(path, 0, NULL, &again, NULL) == LG_OK);
    sweep(again, do_load_analysis);
    lg_graph_free(again);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    CHECK(unlink(path) == 0);
    CHECK(rmdir(analysis_folder) == 0);
}

int
main(void)
{
    RUN(builder_and_finish);
    RUN(indexes);
    RUN(everything_else);
    RUN(analyses);
    RUN(answers);
    return test_result();
}
