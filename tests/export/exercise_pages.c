// Asks `report` and `view` for every page about a graph that the reader
// accepted but nobody captured.
#include "exercise.h"

#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/retained.h>

#include <stdio.h>

#include "serve/server.h"

enum { LARGE = 20000, NODES = 4, CYCLES = 8 };

static void
ask(lg__server *server, const lg__request *request)
{
    lg__reply reply = {0};
    lg__server_answer(server, request, &reply);
    lg_text_free(&reply.body);
}

static void
ask_one(lg__server *server, const char *page, const char *name,
        const char *value)
{
    const lg__request request = {
        .page = page, .pairs = {{name, value}}, .count = *name ? 1 : 0};
    ask(server, &request);
}

static void
ask_of_node(lg__server *server, uint32_t node)
{
    static const char *const pages[] = {"object", "why", "picture"};
    char number[16];
    char reference[32];
    snprintf(number, sizeof number, "%u", node);
    snprintf(reference, sizeof reference, "*->#%u", node);
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        ask_one(server, pages[i], "node", number);
    ask_one(server, "what-if", "cut", reference);
}

static void
ask_of_cycles(lg__server *server, const lg_analysis *analysis)
{
    char number[16];
    uint32_t count = lg_analysis_component_count(analysis);
    for (uint32_t i = 0; i < count && i < CYCLES; i++) {
        snprintf(number, sizeof number, "%u", i);
        ask_one(server, "cycle", "of", number);
    }
}

static void
view(const lg_analysis *analysis)
{
    lg_page_options options = LG_PAGE_OPTIONS_INIT;
    lg__server *server = NULL;
    lg__request table;
    uint32_t all = lg_graph_columns(lg_analysis_graph(analysis))->node_count;
    if (lg__server_new(analysis, &options, NULL, &server, NULL) != LG_OK)
        return;
    ask_one(server, "", "", "");
    for (uint32_t i = 0; i < NODES; i++)
        ask_of_node(server, (uint32_t)((uint64_t)i * all / NODES));
    ask_of_cycles(server, analysis);
    for (uint32_t i = 0; lg__table_prepared(i, &table); i++)
        ask(server, &table);
    ask_one(server, "search", "q", "type:*");
    ask_one(server, "paths", "q", "type:*");
    ask_one(server, "complete", "q", "a");
    lg__server_free(server);
}

// A report of the snapshot alone, and one that compares it with itself.
static void
report(const lg_analysis *analysis)
{
    lg_page_options options = LG_PAGE_OPTIONS_INIT;
    lg_summary *summary = NULL;
    lg_text page = {0};
    lg_page_html(analysis, &options, NULL, &page, NULL);
    if (lg_summary_new(analysis, NULL, &summary, NULL) == LG_OK) {
        const lg_summary *const both[] = {summary, summary};
        options.summaries = both;
        options.summary_count = 2;
        lg_page_html(analysis, &options, NULL, &page, NULL);
        lg_summary_free(summary);
    }
    lg_text_free(&page);
}

static void
exercise_analysis(const lg_analysis *analysis)
{
    report(analysis);
    view(analysis);
}

void
exercise_pages(const lg_graph *graph)
{
    lg_analysis *analysis = NULL;
    uint32_t all = lg_graph_columns(graph)->node_count;
    if (all == 0 || all > LARGE)
        return;
    if (lg_analysis_load(graph, &analysis, NULL) == LG_OK) {
        exercise_analysis(analysis);
        lg_analysis_free(analysis);
    }
    if (lg_analysis_new(graph, NULL, &analysis, NULL) == LG_OK) {
        exercise_analysis(analysis);
        lg_analysis_free(analysis);
    }
}
