// Threads make pages: each client gets the page, or one that reports the
// progress.

#include "heap.h"
#include "serve/server.h"
#include "shapes.h"
#include "test.h"
#include "text_count.h"

#include <leakgraph/internal/writing.h>

static lg_graph *graph;
static lg_analysis *analysis;
static lg__server *server;

static void
open_server(void)
{
    static const lg_page_options options = LG_PAGE_OPTIONS_INIT;
    uint32_t subject;
    graph = shape_find("family")->make(&subject);
    REQUIRE(!lg_analysis_new(graph, NULL, &analysis, NULL));
    REQUIRE(!lg__server_new(analysis, &options, NULL, &server, NULL));
}

static void
close_server(void)
{
    lg__server_free(server);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

static lg__reply
ask(const char *page, const char *name, const char *value)
{
    lg__reply reply = {0};
    const lg__request request = {
        .page = page, .pairs = {{name, value}}, .count = 1};
    lg__server_answer(server, &request, &reply);
    REQUIRE(reply.body.data && reply.type && !reply.body.failed);
    return reply;
}

// Asks again until the page is there.
static lg__reply
fetch(const char *page, const char *name, const char *value)
{
    lg__reply reply = ask(page, name, value);
    while (reply.status == 202) {
        lg_text_free(&reply.body);
        reply = ask(page, name, value);
    }
    return reply;
}

// The threads give the same answer as the caller's own thread.
static void
test_same_pages(void)
{
    static const char *const asked[][3] = {
        {"object", "node", "1"},  {"why", "node", "1"},
        {"table", "of", "types"}, {"what-if", "cut", "*->type:*"},
        {"cycle", "of", "0"},     {"search", "q", "type:*"},
        {"paths", "q", "type:*"}, {"object", "node", "x"},
        {"table", "of", "none"},  {"search", "q", "#1"},
        {"nothing", "", ""},
    };
    enum { PAGES = sizeof asked / sizeof *asked };
    lg__reply replies[PAGES];
    open_server();
    for (size_t i = 0; i < PAGES; i++)
        replies[i] = ask(asked[i][0], asked[i][1], asked[i][2]);
    close_server();
    open_server();
    REQUIRE(lg__server_start(server));
    for (size_t i = 0; i < PAGES; i++) {
        lg__reply reply = fetch(asked[i][0], asked[i][1], asked[i][2]);
        CHECK(reply.status == replies[i].status);
        CHECK(!reply.location == !replies[i].location);
        CHECK_TEXT(reply.body, replies[i].body.data);
        lg_text_free(&reply.body);
        lg_text_free(&replies[i].body);
    }
    close_server();
}

// A thread makes the tables, and ends with the server.
static void
test_prepared(void)
{
    lg__request request;
    open_server();
    REQUIRE(lg__server_start(server));
    for (uint32_t i = 0; lg__table_prepared(i, &request); i++) {
        lg__reply reply = fetch("table", "of", request.pairs[0].value);
        CHECK(reply.status == 200);
        lg_text_free(&reply.body);
    }
    close_server();
    open_server();
    REQUIRE(lg__server_start(server));
    close_server();
    open_server();
    REQUIRE(lg__server_start(server));
    lg__server_stop(server);
    lg__reply reply = ask("object", "node", "0");
    CHECK(reply.status == 200);
    lg_text_free(&reply.body);
    close_server();
}

// Adds a job that no thread takes.
static lg__job *
plant(size_t index, lg__job_state state, const char *question)
{
    lg__job *job = &server->jobs[index];
    pthread_mutex_lock(&server->lock);
    *job = (lg__job){.state = state, .queue = LG__QUEUES, .number = index};
    lg_text_add(&job->question, question);
    pthread_mutex_unlock(&server->lock);
    return job;
}

static void
test_waiting(void)
{
    open_server();
    while (lg__server_prepare(server, NULL))
        continue;
    REQUIRE(lg__server_start(server));
    server->patience = 1;
    lg__job *job = plant(0, LG__JOB_WAITING, "why?node=1");
    lg__reply reply = ask("why", "node", "1");
    CHECK(reply.status == 202 && reply.again == 1 && !reply.location);
    CHECK(count_of(&reply.body, "it starts when the pages before it") == 1);
    CHECK(count_of(&reply.body, "</html>") == 1);
    lg_text_free(&reply.body);
    lg__queue *slow = &server->queues[LG__SLOW];
    pthread_mutex_lock(&server->lock);
    job->state = LG__JOB_RUNNING;
    snprintf(slow->phase, sizeof slow->phase, "weighing <nodes>");
    slow->done = 0.4;
    pthread_mutex_unlock(&server->lock);
    reply = ask("why", "node", "1");
    CHECK(count_of(&reply.body, "weighing &lt;nodes&gt;, 40 %") == 1);
    lg_text_free(&reply.body);
    pthread_mutex_lock(&server->lock);
    job->state = LG__JOB_DONE;
    job->reply = (lg__reply){.status = 404};
    lg_text_add(&job->reply.body, "here");
    pthread_mutex_unlock(&server->lock);
    reply = ask("why", "node", "1");
    CHECK(reply.status == 404 && reply.again == 0);
    CHECK_TEXT(reply.body, "here");
    CHECK(job->state == LG__JOB_FREE);
    lg_text_free(&reply.body);
    close_server();
}

// With all places taken, a page waits until a job is done, and then replaces
// the earliest one that no client fetched.
static void
test_many(void)
{
    char question[16];
    open_server();
    REQUIRE(lg__server_start(server));
    server->patience = 1;
    for (size_t i = 0; i < LG__JOBS; i++) {
        snprintf(question, sizeof question, "%zu", i);
        plant(i, LG__JOB_WAITING, question);
    }
    lg__reply reply = ask("object", "node", "0");
    CHECK(reply.status == 202 && server->job_count == 0);
    lg_text_free(&reply.body);
    pthread_mutex_lock(&server->lock);
    server->jobs[7].state = LG__JOB_DONE;
    server->jobs[3].state = LG__JOB_DONE;
    pthread_mutex_unlock(&server->lock);
    reply = fetch("object", "node", "0");
    CHECK(reply.status == 200 && server->job_count == 1);
    CHECK(server->jobs[7].state == LG__JOB_DONE);
    CHECK(server->jobs[3].state == LG__JOB_FREE);
    lg_text_free(&reply.body);
    close_server();
}

SUITE(page_queues)
{
    RUN(test_same_pages);
    RUN(test_prepared);
    RUN(test_waiting);
    RUN(test_many);
    return test_result();
}
