// Asks every verb's questions about a graph that the reader accepted but nobody
// captured.
#include "asked.h"
#include "exercise.h"

#include <leakgraph/question.h>
#include <leakgraph/internal/heap_map.h>
#include <leakgraph/internal/merged_paths.h>
#include <leakgraph/internal/report.h>
#include <leakgraph/view.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/questions.h>
#include <leakgraph/internal/answer_views.h>
#include <leakgraph/internal/hops.h>
#include <leakgraph/internal/retained.h>

#define TOP_OPTIONS(by, most)                                                  \
    ((lg_top_options){.size = sizeof(lg_top_options),                          \
                      .group = (by),                                           \
                      .device = LG_NONE,                                       \
                      .limit = (most)})

enum { NODES = 12, LIMIT = 9, LARGE = 20000 };

static void
show(lg_view *view)
{
    lg_dot_options look = {
        .size = sizeof look, .title = "title", .legend = true};
    lg_text text = {0};
    lg_view_text(view, &text, NULL);
    lg_view_json(view, &text, NULL);
    lg_view_dot(view, &look, &text, NULL);
    lg_text_free(&text);
    lg_view_free(view);
}

// refs, referrers, path and render.
static void
draw_near(const lg_graph *graph, const lg_analysis *analysis,
          const uint32_t *nodes, size_t count)
{
    static const uint32_t most[] = {3, 8, 40, 120};
    for (unsigned i = 0; i < 12; i++) {
        lg_view *view = NULL;
        lg_view_options options = {
            .size = sizeof options,
            .direction = (lg_direction)(i % 3),
            .max_depth = 1 + i % 5,
            .max_nodes = most[i % 4],
            .weak = i & 1,
            .types = i & 2,
            .analysis = i & 4 ? analysis : NULL,
        };
        size_t few = i % 2 || count == 0 ? 1 : count < 8 ? count : 8;
        if (lg_view_new(graph, nodes, few, &options, NULL, &view, NULL) ==
            LG_OK)
            show(view);
    }
}

static void
draw_analysed(const lg_analysis *analysis, const uint32_t *nodes, size_t count)
{
    static const uint32_t most[] = {3, 16, 120};
    for (size_t i = 0; i < count; i++) {
        lg_view *view = NULL;
        if (lg_view_dominators(analysis, &TREE(&nodes[i], 0),
                               &BOXES(most[i % 3]), NULL, &view, NULL) == LG_OK)
            show(view);
    }
    lg_view *view = NULL;
    if (lg_view_paths(analysis, nodes, count, NULL, NULL, &view, NULL) == LG_OK)
        show(view);
    if (lg_view_dominators(analysis, &TREE(NULL, 0.01), NULL, NULL, &view,
                           NULL) == LG_OK)
        show(view);
}

static void
ask_what_if(const lg_analysis *analysis, const uint32_t *nodes, size_t count,
            lg_text *text)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    const lg_columns *columns = lg_graph_columns(graph);
    uint64_t edges[NODES];
    size_t cut = 0;
    for (size_t i = 0; i < count && cut < NODES; i++)
        if (lg_columns_first_edge(columns, nodes[i]) < columns->edge_count)
            edges[cut++] = lg_columns_first_edge(columns, nodes[i]);
    lg_what_if answer;
    const lg_what_if_options few = {.size = sizeof few, .limit = 3};
    if (lg_analysis_what_if(analysis, edges, cut, &few, NULL, &answer, NULL) !=
        LG_OK)
        return;
    lg_report_what_if(graph, &answer, LIMIT, LG_FORMAT_TEXT, text, NULL);
    lg_report_what_if(graph, &answer, LIMIT, LG_FORMAT_JSON, text, NULL);
    lg_what_if_free(&answer);
}

static void
ask_question(const lg_question *question, const lg_ask *ask, lg_text *text)
{
    lg_table *table = NULL;
    if (lg_question_ask(question, ask, &table, NULL) != LG_OK)
        return;
    lg_table_text(table, 0, text, NULL);
    lg_table_json(table, text, NULL);
    lg_table_html(table, 0, text, NULL);
    lg_table_free(table);
}

// Asks each question, with each word of its choice.
static void
ask_questions(const lg_analysis *analysis, lg_text *text)
{
    lg_given given[LG_MOST_OPTIONS] = {{0}};
    const lg_ask ask = {.graph = lg_analysis_graph(analysis),
                        .analysis = analysis,
                        .given = given};
    for (size_t i = 0; lg_question_at(i) != NULL; i++) {
        const lg_question *question = lg_question_at(i);
        size_t at = lg_question_option(question, "group");
        bool needs_objects = lg_option_is_required(question->options);
        given[0] = (lg_given){.given = needs_objects,
                              .text = needs_objects ? "type:*" : NULL};
        ask_question(question, &ask, text);
        for (size_t word = 1;
             at != SIZE_MAX && question->options[at].words[word] != NULL;
             word++) {
            given[at] = (lg_given){.given = true, .number = word};
            ask_question(question, &ask, text);
        }
        if (at != SIZE_MAX)
            given[at] = (lg_given){0};
    }
}

static void
ask_cycles(const lg_analysis *analysis, lg_text *text)
{
    lg_cycles cycles;
    lg_cycle_options options = {
        .size = sizeof options, .holding = "tensor", .limit = LIMIT};
    if (lg_analysis_cycles(analysis, &options, NULL, &cycles, NULL) == LG_OK)
        lg_cycles_free(&cycles);
    options =
        (lg_cycle_options){.size = sizeof(lg_cycle_options), .limit = LIMIT};
    if (lg_analysis_cycles(analysis, &options, NULL, &cycles, NULL) != LG_OK)
        return;
    for (int format = 0; format < 2; format++)
        lg_report_cycles(analysis, &cycles, (lg_format)format, text, NULL);
    for (size_t i = 0; i < cycles.count; i++) {
        lg_view *view = NULL;
        if (lg_view_cycle(analysis, &cycles.items[i], &view, NULL) == LG_OK)
            show(view);
    }
    lg_cycles_free(&cycles);
}

static void
ask_findings(const lg_analysis *analysis, const uint32_t *nodes, size_t count,
             lg_text *text)
{
    lg_findings findings;
    if (lg_analysis_findings(analysis, NULL, NULL, &findings, NULL) == LG_OK) {
        for (int format = 0; format < 2; format++)
            lg_report_findings(analysis, &findings, (lg_format)format, text,
                               NULL);
        lg_findings_free(&findings);
    }
    if (lg_nodes_findings(analysis, nodes, count, NULL, &findings, NULL) ==
        LG_OK)
        lg_findings_free(&findings);
}

static void
ask_sizes(const lg_analysis *analysis, const uint32_t *nodes, size_t count)
{
    lg_bytes bytes;
    lg_figures figures;
    const lg_merged_options merging = {
        .size = sizeof merging, .limit = 2, .head = 1, .tail = 1};
    lg_merged_paths merged;
    uint32_t below[4];
    lg_nodes_retained(analysis, nodes, count, NULL, &bytes, NULL);
    if (lg_analysis_figures(analysis, NULL, 0, &figures, NULL) == LG_OK)
        lg_figures_free(&figures);
    if (lg_analysis_merged_paths(analysis, nodes, count, &merging, NULL,
                                 &merged, NULL) == LG_OK) {
        lg_text text = {0};
        for (int format = 0; format < 2; format++)
            lg_report_paths(lg_analysis_graph(analysis), &merged,
                            (lg_format)format, &text, NULL);
        lg_text_free(&text);
        lg_merged_paths_free(&merged);
    }
    for (size_t i = 0; i < count; i++) {
        lg_cuts cuts;
        lg_node_dominated(analysis, nodes[i], below, 4);
        if (lg_node_cuts(analysis, nodes[i], NULL, 4, NULL, &cuts, NULL) ==
            LG_OK)
            lg_cuts_free(&cuts);
    }
}

static void
ask_map(const lg_analysis *analysis)
{
    const lg_heap_map_options options = {.size = sizeof options,
                                         .limit = LIMIT};
    lg_places *places = NULL;
    lg_heap_map map;
    if (lg_places_new(analysis, NULL, &places, NULL) == LG_OK &&
        lg_heap_map_find(analysis, places, &options, NULL, &map, NULL) == LG_OK)
        lg_heap_map_free(&map);
    lg_places_free(places);
}

// What the pages of `view` ask besides.
static void
ask_pages(const lg_analysis *analysis, const uint32_t *nodes, size_t count,
          lg_text *text)
{
    static const char *const begun[] = {"type:", "module:", "a", "m.", "n.x["};
    static const lg_table_links links = {"n=", "q=", "c="};
    const lg_graph *graph = lg_analysis_graph(analysis);
    lg_table *table;
    lg_nodes owned;
    size_t total;
    for (size_t i = 0; i < 2 * count; i++) {
        lg_hops hops;
        if (lg_node_hops_range(graph, nodes[i / 2], i % 2, i % 3, LIMIT, &hops,
                               NULL) == LG_OK) {
            if (lg_tabulate_references(analysis, &hops, i % 2, &table, NULL) ==
                LG_OK) {
                lg_table_html_linked(table, 0, &links, text, NULL);
                lg_table_free(table);
            }
            lg_hops_free(&hops);
        }
        if (lg_node_owned_range(analysis, nodes[i / 2], i % 3, LIMIT, &owned,
                                &total, NULL) == LG_OK)
            lg_nodes_free(&owned);
    }
    if (lg_nodes_ranked(analysis, nodes, count, 1, 4, &owned, NULL) == LG_OK) {
        if (lg_tabulate_nodes(analysis, owned.items, owned.count, &table,
                              NULL) == LG_OK)
            lg_table_free(table);
        lg_nodes_free(&owned);
    }
    for (size_t i = 0; i < sizeof begun / sizeof *begun; i++)
        lg_graph_complete(graph, begun[i], LIMIT, text, NULL);
}

static void
ask_why(const lg_analysis *analysis, const uint32_t *nodes, size_t count,
        lg_text *text)
{
    static const uint32_t most[] = {3, 16, 120};
    for (size_t i = 0; i < count; i++) {
        lg_why why;
        lg_view *view = NULL;
        lg_view_options options = {.size = sizeof options,
                                   .max_nodes = most[i % 3]};
        if (lg_node_why(analysis, nodes[i], NULL, &why, NULL) != LG_OK)
            continue;
        lg_table *paths = NULL;
        lg_merged_paths merged = {0};
        if (lg_analysis_merged_paths(why.analysis, nodes, count, NULL, NULL,
                                     &merged, NULL) == LG_OK)
            lg_tabulate_paths(lg_analysis_graph(analysis), &merged, &paths,
                              NULL);
        lg_merged_paths_free(&merged);
        for (int format = 0; format < 2; format++) {
            lg_report_why(&why, paths, "a note", (lg_format)format, text, NULL);
            lg_report_why(&why, NULL, NULL, (lg_format)format, text, NULL);
        }
        lg_table_free(paths);
        if (lg_view_why(&why, &options, NULL, &view, NULL) == LG_OK)
            show(view);
        lg_why_clear(&why);
    }
}

static void
ask_reports(const lg_analysis *analysis, const uint32_t *nodes, lg_text *text)
{
    for (int i = 0; i < 2; i++) {
        lg_format format = (lg_format)i;
        lg_report_dominators(analysis, &TREE(&nodes[0], 0.01), format, text,
                             NULL);
        lg_report_dominators(analysis, NULL, format, text, NULL);
    }
}

static void
ask_all(const lg_analysis *analysis, const uint32_t *nodes, size_t count)
{
    lg_text text = {0};
    ask_reports(analysis, nodes, &text);
    ask_why(analysis, nodes, count, &text);
    ask_cycles(analysis, &text);
    ask_what_if(analysis, nodes, count, &text);
    ask_questions(analysis, &text);
    ask_pages(analysis, nodes, count, &text);
    ask_findings(analysis, nodes, count, &text);
    ask_sizes(analysis, nodes, count);
    ask_map(analysis);
    lg_text_free(&text);
    draw_near(lg_analysis_graph(analysis), analysis, nodes, count);
    draw_analysed(analysis, nodes, count);
}

void
exercise_answers(const lg_graph *graph)
{
    uint32_t nodes[NODES];
    uint32_t all = lg_graph_columns(graph)->node_count;
    uint32_t count = all < NODES ? all : NODES;
    lg_analysis *analysis = NULL;
    if (all == 0 || all > LARGE)
        return;
    for (uint32_t i = 0; i < count; i++)
        nodes[i] = (uint32_t)((uint64_t)i * all / count);
    if (lg_analysis_load(graph, &analysis, NULL) == LG_OK) {
        ask_all(analysis, nodes, count);
        lg_analysis_free(analysis);
    }
    if (lg_analysis_new(graph, NULL, &analysis, NULL) == LG_OK) {
        ask_all(analysis, nodes, count);
        lg_analysis_free(analysis);
    } else {
        draw_near(graph, NULL, nodes, count);
    }
}
