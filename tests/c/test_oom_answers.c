// Every allocation of a question to an analysis fails once.
#include "asked.h"
#include "drawn.h"
#include "growing.h"
#include "heaps.h"
#include "native_heap.h"
#include "scarce.h"
#include "story.h"
#include "test.h"
#include "twins.h"

#include <leakgraph/internal/heap_map.h>
#include <leakgraph/internal/merged_paths.h>
#include <leakgraph/internal/columns.h>

// Questions to an existing analysis.
static const lg_analysis *asked;

static lg_status
do_cycles(const lg_graph *graph)
{
    const lg_cycle_options options = {
        .size = sizeof options, .min_bytes = 0, .holding = "tensor"};
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
    lg_why why;
    const lg_merged_options merging = {
        .size = sizeof merging, .limit = 2, .head = 1, .tail = 1};
    lg_merged_paths merged = {0};
    lg_text text = {0};
    (void)graph;
    lg_status status = LG_OK;
    for (size_t i = 0; i < 5 && status == LG_OK; i++) {
        status = lg_node_why(asked, targets[i], NULL, &why, NULL);
        if (status == LG_OK)
            lg_why_clear(&why);
    }
    if (status == LG_OK)
        status = lg_analysis_merged_paths(asked, targets, 5, &merging, NULL,
                                          &merged, NULL);
    lg_merged_paths_free(&merged);
    for (int i = 0; i < 2 && status == LG_OK; i++)
        status = paths_report(asked, targets, 5, 2,
                              i ? LG_FORMAT_JSON : LG_FORMAT_TEXT, &text);
    lg_text_free(&text);
    return status;
}

static lg_status
thread_rows(const lg_graph *graph, lg_text *text)
{
    lg_table *table = NULL;
    lg_status status =
        question_table("threads", graph, asked, NULL, &table, NULL);
    if (status == LG_OK)
        status = lg_table_html(table, 0, text, NULL);
    lg_table_free(table);
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
            status = top_report(asked, &TOP_OPTIONS((lg_group)by, LG_NONE, 5),
                                format, &text, NULL);
        if (status == LG_OK)
            status = lg_report_dominators(asked, NULL, format, &text, NULL);
        if (status == LG_OK)
            status =
                question_report("threads", graph, asked, NULL, format, &text);
        if (status == LG_OK)
            status = thread_rows(graph, &text);
        for (uint32_t node = 0; node < nodes && status == LG_OK; node++)
            status = why_report(asked, &node, 1, "a note", format, &text);
    }
    lg_text_free(&text);
    return status;
}

static lg_status
do_findings(const lg_graph *graph)
{
    lg_findings findings = {0};
    lg_text text = {0};
    lg_status status = lg_analysis_findings(asked, NULL, NULL, &findings, NULL);
    for (int i = 0; i < 2 && status == LG_OK; i++)
        status = lg_report_findings(
            asked, &findings, i ? LG_FORMAT_JSON : LG_FORMAT_TEXT, &text, NULL);
    for (int i = 0; i < 2 && status == LG_OK; i++)
        status = question_report("tensors", graph, asked, NULL,
                                 i ? LG_FORMAT_JSON : LG_FORMAT_TEXT, &text);
    lg_text_free(&text);
    lg_findings_free(&findings);
    return status;
}

static lg_status
do_map(const lg_graph *graph)
{
    (void)graph;
    lg_places *places = NULL;
    lg_summary *summary = NULL;
    lg_heap_map map = {0};
    lg_status status = lg_summary_new(asked, NULL, &summary, NULL);
    const lg_heap_map_options options = {
        .size = sizeof options,
        .older = (const lg_summary *const *)&summary,
        .older_count = 1};
    if (status == LG_OK)
        status = lg_places_new(asked, NULL, &places, NULL);
    if (status == LG_OK)
        status = lg_heap_map_find(asked, places, &options, NULL, &map, NULL);
    lg_heap_map_free(&map);
    lg_places_free(places);
    lg_summary_free(summary);
    return status;
}

// Cuts what leads to the children of the live family.
static lg_status
do_what_if(const lg_graph *graph)
{
    static const char *const cuts[] = {"app.*", "*->type:list",
                                       "app.first.children[*]"};
    lg_text text = {0};
    lg_status status = LG_OK;
    for (size_t i = 0; i < 3 && status == LG_OK; i++) {
        lg_edges edges = {0};
        lg_what_if answer = {0};
        status = lg_graph_references(graph, cuts[i], NULL, &edges, NULL);
        if (status == LG_OK)
            status = lg_analysis_what_if(asked, edges.items, edges.count, NULL,
                                         NULL, &answer, NULL);
        for (int json = 0; json < 2 && status == LG_OK; json++)
            status = lg_report_what_if(graph, &answer, 1,
                                       json ? LG_FORMAT_JSON : LG_FORMAT_TEXT,
                                       &text, NULL);
        lg_what_if_free(&answer);
        lg_edges_free(&edges);
    }
    lg_text_free(&text);
    return status;
}

static lg_status
do_waste(const lg_graph *graph)
{
    (void)graph;
    lg_text text = {0};
    lg_status status = LG_OK;
    for (int json = 0; json < 2 && status == LG_OK; json++)
        status = question_report("waste", lg_analysis_graph(asked), asked, NULL,
                                 json ? LG_FORMAT_JSON : LG_FORMAT_TEXT, &text);
    lg_text_free(&text);
    return status;
}

static lg_graph *
tell_twins(void)
{
    lg_graph *graph = NULL;
    REQUIRE(twins_new(NULL, &graph, NULL) == LG_OK);
    return graph;
}

// Losses with graphs, and three that are garbage, exceptions in a list, a hook.
static lg_graph *
tell_mistakes(void)
{
    story made = story_begin();
    story_type(&made, "app.Net", "torch.nn.modules.module.Module");
    uint32_t app = story_module(&made, "app");
    uint32_t losses = heap_list(&made, LG_NONE);
    uint32_t errors = heap_list(&made, LG_NONE);
    story_attribute(&made, app, "losses", losses);
    story_attribute(&made, app, "errors", errors);
    for (int i = 0; i < 3; i++) {
        uint32_t node = heap_grad_fn(&made, "AddBackward0", LG_NONE, LG_NONE);
        heap_append(&made, losses, heap_tensor(&made, 4, node));
        uint32_t error = story_add(&made, "ValueError", NULL, 80);
        uint32_t trace = story_add(&made, "traceback", NULL, 64);
        uint32_t frame = story_add(&made, "frame", NULL, 300);
        uint32_t tensor = heap_tensor(&made, HEAP_BIG, LG_NONE);
        heap_memory(&made, tensor);
        heap_append(&made, errors, error);
        story_attribute(&made, error, "__traceback__", trace);
        story_attribute(&made, trace, "tb_frame", frame);
        story_local(&made, frame, "x", tensor);
    }
    uint32_t epoch = story_add(&made, "app.Epoch", NULL, 48);
    uint32_t lost = heap_list(&made, LG_NONE);
    story_attribute(&made, epoch, "losses", lost);
    for (int i = 0; i < 3; i++)
        heap_append(&made, lost, heap_loss(&made));
    uint32_t net = story_add(&made, "app.Net", NULL, 48);
    uint32_t hooks = story_add(&made, "dict", NULL, 100);
    uint32_t node = heap_grad_fn(&made, "ReluBackward0", LG_NONE, LG_NONE);
    story_attribute(&made, app, "net", net);
    story_attribute(&made, net, "_forward_hooks", hooks);
    heap_item(&made, hooks, "0",
              heap_function(&made, heap_tensor(&made, 400, node)));
    return story_end(&made);
}

// A family that is alive and one that is garbage, as in test_cycles.c.
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

static lg_status
do_figures(const lg_graph *graph)
{
    lg_figures figures = {0};
    lg_text text = {0};
    (void)graph;
    lg_status status = lg_analysis_figures(asked, NULL, 0, &figures, NULL);
    lg_figures_free(&figures);
    for (int i = 0; i < 2 && status == LG_OK; i++)
        status = question_report("figures", lg_analysis_graph(asked), asked,
                                 "limit=all",
                                 i ? LG_FORMAT_JSON : LG_FORMAT_TEXT, &text);
    lg_text_free(&text);
    return status;
}

// One figure in a global and in a list of its artists, and one that is garbage.
static lg_graph *
tell_figures(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t artists = story_add(&made, "list", NULL, 80);
    story_attribute(&made, app, "artists", artists);
    for (int i = 0; i < 2; i++) {
        uint32_t figure =
            story_add(&made, "matplotlib.figure.Figure", "1", 100);
        uint32_t canvas = story_add(
            &made, "matplotlib.backend_bases.FigureCanvasBase", NULL, 100);
        uint32_t artist =
            story_add(&made, "matplotlib.artist.Artist", NULL, 100);
        lg_builder_add_fact(made.builder, figure, "size", "640x480", 7);
        story_attribute(&made, figure, "canvas", canvas);
        story_attribute(&made, canvas, "figure", figure);
        story_attribute(&made, figure, "patch", artist);
        story_attribute(&made, artist, "_parent_figure", figure);
        if (i == 0) {
            story_attribute(&made, app, "figure", figure);
            story_edge(&made, artists, artist, LG_EDGE_INDEX, 0);
        }
    }
    return story_end(&made);
}

static lg_status
do_few(const lg_graph *graph)
{
    lg_top top = {0};
    (void)graph;
    lg_status status = lg_analysis_top(
        asked, &TOP_OPTIONS(LG_GROUP_OBJECT, LG_NONE, 2), NULL, &top, NULL);
    lg_top_free(&top);
    return status;
}

// Two objects of a module, and a larger one that another has.
static lg_graph *
tell_larger(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t other = story_module(&made, "other");
    story_attribute(&made, app, "a",
                    story_add(&made, "app.Task", NULL, 300000));
    story_attribute(&made, app, "b",
                    story_add(&made, "app.Task", NULL, 400000));
    story_attribute(&made, other, "c",
                    story_add(&made, "app.Task", NULL, 500000));
    return story_end(&made);
}

static lg_status
do_native(const lg_graph *graph)
{
    lg_native native = {0};
    (void)graph;
    lg_status status = lg_analysis_native(asked, NULL, NULL, &native, NULL);
    lg_native_free(&native);
    return status;
}

// Objects that have memory of C code.
static void
native_answers(void)
{
    native_heap heap;
    native_heap_open(&heap);
    for (uint32_t i = 0; i < 4; i++)
        native_heap_object(&heap, true)[2] =
            native_heap_address(native_heap_block(&heap, 400));
    native_heap_finish(&heap);
    asked = heap.found;
    CHECK(sweep(heap.joined, do_native) == 0);
    CHECK(sweep(heap.joined, do_few) == 0);
    native_heap_close(&heap);
}

static growing_series grown;

static lg_status
do_growth(const lg_graph *graph)
{
    const lg_growth_options options = LG_GROWTH_OPTIONS_INIT;
    lg_growth growth = {0};
    (void)graph;
    lg_status status =
        lg_growth_find((const lg_summary *const *)grown.summary, grown.count,
                       grown.analysis[2], &options, NULL, &growth, NULL);
    CHECK(status != LG_OK || growth.rows[0].holder_count == 2);
    lg_growth_free(&growth);
    return status;
}

// Two lists have what grows, and another one accumulates beside it.
static void
holders_of_growth(void)
{
    const growing_heap heaps[] = {{.shared = 10, .items = 2},
                                  {.shared = 20, .items = 4},
                                  {.shared = 30, .items = 6}};
    grown = growing_compare(heaps, 3, NULL);
    CHECK(sweep(grown.graph[2], do_growth) == 0);
    growing_forget(&grown);
}

static void
answers(void)
{
    lg_status (*const works[])(const lg_graph *) = {
        do_cycles,  do_paths,    do_analysis_reports,
        do_figures, do_findings, do_what_if,
        do_waste,   do_map,      do_few};
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        lg_graph *graph = works[i] == do_figures    ? tell_figures()
                          : works[i] == do_findings ? tell_mistakes()
                          : works[i] == do_waste    ? tell_twins()
                          : works[i] == do_few      ? tell_larger()
                                                    : tell();
        lg_analysis *analysis = analysed(graph);
        asked = analysis;
        CHECK(sweep(graph, works[i]) == 0);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

SUITE(oom_answers)
{
    RUN(answers);
    RUN(native_answers);
    RUN(holders_of_growth);
    return test_result();
}
