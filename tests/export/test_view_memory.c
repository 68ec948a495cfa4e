// Memory runs out at every allocation in turn. Each time there is an error and
// no leak. With an argument, the test does the same with pictures that need an
// analysis.

#include "serve/server.h"
#include "shapes.h"
#include "test.h"

#include <leakgraph/internal/page.h>
#include <leakgraph/internal/answer_views.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static long left = -1; // allocations still to succeed; -1: all

static bool
is_refused(void)
{
    if (left < 0)
        return false;
    return left == 0 || left-- == 0;
}

void *
__wrap_malloc(size_t size)
{
    return is_refused() ? NULL : __real_malloc(size);
}

void *
__wrap_calloc(size_t count, size_t size)
{
    return is_refused() ? NULL : __real_calloc(count, size);
}

void *
__wrap_realloc(void *old, size_t size)
{
    return is_refused() ? NULL : __real_realloc(old, size);
}

static lg_status
draw(const lg_graph *graph, uint32_t subject, lg_direction direction)
{
    lg_view *view = NULL;
    lg_text dot = {0}, text = {0}, json = {0};
    lg_view_options options = {.size = sizeof options,
                               .direction = direction,
                               .max_nodes = 20,
                               .weak = true};
    lg_status status =
        lg_view_new(graph, &subject, 1, &options, NULL, &view, NULL);
    if (!status)
        status = lg_view_dot(view, NULL, &dot, NULL);
    if (!status)
        status = lg_view_text(view, &text, NULL);
    if (!status)
        status = lg_view_json(view, &json, NULL);
    lg_text_free(&dot);
    lg_text_free(&text);
    lg_text_free(&json);
    lg_view_free(view);
    return status;
}

static void
sweep(const test_shape *shape)
{
    uint32_t subject;
    lg_graph *graph = shape->make(&subject);
    lg_direction direction = (lg_direction)shape->direction;
    lg_status status = LG_ENOMEM;
    long tries = 0;
    for (; status && tries < 100000; tries++) {
        left = tries;
        status = draw(graph, subject, direction);
        left = -1;
        CHECK(status == LG_OK || status == LG_ENOMEM);
    }
    CHECK(!status);
    CHECK(tries > 5); // fewer tries would mean that no allocation failed
    lg_graph_free(graph);
}

typedef lg_status (*drawer)(const lg_analysis *analysis, uint32_t node,
                            const lg_cycle *cycle, lg_view **out);

static lg_status
draw_why(const lg_analysis *analysis, uint32_t node, const lg_cycle *cycle,
         lg_view **out)
{
    (void)cycle;
    return view_why(analysis, node, NULL, out);
}

static lg_status
draw_cycle(const lg_analysis *analysis, uint32_t node, const lg_cycle *cycle,
           lg_view **out)
{
    (void)node;
    return lg_view_cycle(analysis, cycle, out, NULL);
}

static lg_status
draw_dominators(const lg_analysis *analysis, uint32_t node,
                const lg_cycle *cycle, lg_view **out)
{
    (void)node;
    (void)cycle;
    return lg_view_dominators(analysis, NULL, NULL, NULL, out, NULL);
}

static lg_status
draw_paths(const lg_analysis *analysis, uint32_t node, const lg_cycle *cycle,
           lg_view **out)
{
    (void)cycle;
    return lg_view_paths(analysis, &node, 1, NULL, NULL, out, NULL);
}

static void
sweep_drawer(const lg_analysis *analysis, uint32_t node, const lg_cycle *cycle,
             drawer draw_it)
{
    lg_status status = LG_ENOMEM;
    long tries = 0;
    for (; status && tries < 100000; tries++) {
        lg_view *view = NULL;
        left = tries;
        status = draw_it(analysis, node, cycle, &view);
        left = -1;
        CHECK(status == LG_OK || (status == LG_ENOMEM && !view));
        lg_view_free(view);
    }
    CHECK(!status);
    CHECK(tries > 5);
}

// Pages show text trees here, because this test leaves out the renderer.
static void
sweep_page(const lg_analysis *analysis)
{
    lg_status status = LG_ENOMEM;
    long tries = 0;
    setenv("LEAKGRAPH_RENDERER", "/nonexistent/renderer", 1);
    for (; status && tries < 100000; tries++) {
        lg_text page = {0};
        left = tries;
        status = lg_page_html(analysis, NULL, NULL, &page, NULL);
        left = -1;
        CHECK(status == LG_OK || (status == LG_ENOMEM && !page.data));
        lg_text_free(&page);
    }
    CHECK(!status);
    CHECK(tries > 100);
    unsetenv("LEAKGRAPH_RENDERER");
}

// A page of the server is whole, or says that memory ran out, or is absent.
static void
sweep_question(lg__server *server, const char *page, const char *name,
               const char *value)
{
    unsigned status = 0;
    long tries = 0;
    for (; status != 200 && tries < 100000; tries++) {
        lg__reply reply = {0};
        lg__request request = {
            .page = page, .pairs = {{name, value}}, .count = 1};
        left = tries;
        lg__server_answer(server, &request, &reply);
        left = -1;
        status = reply.body.failed ? 0 : reply.status;
        CHECK(status == 0 || status == 200 || status == 500);
        lg_text_free(&reply.body);
    }
    CHECK(status == 200);
    CHECK(tries > 1);
}

static void
sweep_server(const lg_analysis *analysis)
{
    static const lg_page_options options = LG_PAGE_OPTIONS_INIT;
    lg__server *server = NULL;
    setenv("LEAKGRAPH_RENDERER", "/nonexistent/renderer", 1);
    REQUIRE(!lg__server_new(analysis, &options, NULL, &server, NULL));
    sweep_question(server, "object", "node", "1");
    sweep_question(server, "why", "node", "1");
    sweep_question(server, "picture", "node", "1");
    sweep_question(server, "search", "q", "type:*");
    sweep_question(server, "complete", "q", "type:");
    sweep_question(server, "table", "of", "types");
    sweep_question(server, "what-if", "cut", "*->#1");
    lg__server_free(server);
    unsetenv("LEAKGRAPH_RENDERER");
}

// Makes the analysis and the cycles before memory runs out: other tests cover
// their allocations.
static void
sweep_analysed(const char *name)
{
    uint32_t subject;
    lg_analysis *analysis = NULL;
    lg_cycles cycles = {0};
    lg_cycle_options all = {.size = sizeof all, .min_bytes = 0};
    lg_graph *graph = shape_find(name)->make(&subject);
    REQUIRE(!lg_analysis_new(graph, NULL, &analysis, NULL));
    REQUIRE(!lg_analysis_cycles(analysis, &all, NULL, &cycles, NULL));
    sweep_drawer(analysis, subject, NULL, draw_why);
    sweep_drawer(analysis, subject, NULL, draw_dominators);
    for (size_t i = 0; i < cycles.count; i++)
        sweep_drawer(analysis, subject, &cycles.items[i], draw_cycle);
    if (lg_node_is_reachable(analysis, subject))
        sweep_drawer(analysis, subject, NULL, draw_paths);
    if (!strcmp(name, "held"))
        sweep_page(analysis);
    if (!strcmp(name, "family"))
        sweep_server(analysis);
    lg_cycles_free(&cycles);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

SUITE(view_memory)
{
    static const char *const names[] = {"losses",    "who",   "loop", "dicts",
                                        "held-path", "chain", "names"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        test_name = names[i];
        sweep(shape_find(names[i]));
    }
    static const char *const analysed[] = {"family", "disjoint", "held",
                                           "loop"};
    for (size_t i = 0; argc > 1 && i < 4; i++) {
        test_name = analysed[i];
        sweep_analysed(analysed[i]);
    }
    return test_result();
}
