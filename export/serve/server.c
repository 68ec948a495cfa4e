// Answers questions: finds the page, makes it, and keeps it. Threads make the
// pages of a server that is started, so that nobody waits for another client's
// page, and a slow page reports its progress.
#include "serve/server.h"

#include <leakgraph/internal/hops.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Whether two requests ask the same. An empty question equals none.
static bool
same_question(const lg_text *a, const lg_text *b)
{
    return a->data && a->length == b->length &&
           !memcmp(a->data, b->data, a->length);
}

static lg__kept *
find(lg__server *server, const lg_text *question)
{
    for (size_t i = 0; i < LG__KEPT_PAGES && question->data; i++)
        if (same_question(&server->kept[i].question, question))
            return &server->kept[i];
    return NULL;
}

bool
lg__server_recall(lg__server *server, const lg_text *question, lg_text *out)
{
    pthread_mutex_lock(&server->lock);
    lg__kept *kept = find(server, question);
    if (kept) {
        if (kept->used != LG__PINNED)
            kept->used = ++server->asked;
        lg_text_add_bytes(out, kept->body.data, kept->body.length);
    }
    pthread_mutex_unlock(&server->lock);
    return kept != NULL;
}

static void
forget(lg__server *server, lg__kept *kept)
{
    server->kept_bytes -= kept->body.length;
    lg_text_free(&kept->question);
    lg_text_free(&kept->body);
    kept->used = 0;
}

// Returns the page asked for the longest ago, but not before `since`.
static lg__kept *
oldest(lg__server *server, uint64_t since)
{
    lg__kept *found = NULL;
    for (size_t i = 0; i < LG__KEPT_PAGES; i++) {
        lg__kept *one = &server->kept[i];
        if (one->used >= since && one->used != LG__PINNED &&
            (!found || one->used < found->used))
            found = one;
    }
    return found;
}

static bool
keep(lg__server *server, lg__kept *made)
{
    // A free place counts as the oldest. A page for this question, kept
    // meanwhile, has the same content.
    lg__kept *place = find(server, &made->question);
    place = place ? place : oldest(server, 0);
    if (!place)
        return false;
    if (place->used == LG__PINNED)
        return true;
    forget(server, place);
    if (made->used != LG__PINNED)
        made->used = ++server->asked;
    *place = *made;
    *made = (lg__kept){0};
    server->kept_bytes += place->body.length;
    while (server->kept_bytes > LG__KEPT_BYTES && (place = oldest(server, 1)))
        forget(server, place);
    return true;
}

bool
lg__server_keep(lg__server *server, const lg_text *question,
                const lg_text *body, bool pinned)
{
    lg__kept made = {.used = pinned ? LG__PINNED : 0};
    bool kept = false;
    if (question->failed || (!pinned && body->length > LG__KEPT_BYTES / 4))
        return false;
    lg_text_add_bytes(&made.question, question->data, question->length);
    lg_text_add_bytes(&made.body, body->data, body->length);
    pthread_mutex_lock(&server->lock);
    if (!made.question.failed && !made.body.failed)
        kept = keep(server, &made);
    pthread_mutex_unlock(&server->lock);
    lg_text_free(&made.question);
    lg_text_free(&made.body);
    return kept;
}

static const lg__sheet_kind *const kinds[] = {
    &lg__object_sheet,  &lg__why_sheet,   &lg__tree_sheet,
    &lg__picture_sheet, &lg__cycle_sheet, &lg__search_sheet,
    &lg__paths_sheet,   &lg__table_sheet, &lg__what_if_sheet,
};

static const char icon[] =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\">"
    "<path d=\"M4 4L12 8L6 13\" fill=\"none\" stroke=\"#8c959f\" "
    "stroke-width=\"1.5\"/><circle cx=\"4\" cy=\"4\" r=\"3\" fill=\"#0969da\"/>"
    "<circle cx=\"12\" cy=\"8\" r=\"3\" fill=\"#e69f00\"/>"
    "<circle cx=\"6\" cy=\"13\" r=\"2.5\" fill=\"#1a7f37\"/></svg>\n";

static bool
reply_asset(const char *name, lg__reply *reply)
{
    const struct {
        const char *name;
        const char *type;
        const void *bytes;
        size_t length;
    } assets[] = {
        {"page.js", "text/javascript; charset=utf-8", lg__page_script,
         lg__page_script_length},
        {"view.js", "text/javascript; charset=utf-8", lg__page_view,
         lg__page_view_length},
        {"page.css", "text/css; charset=utf-8", lg__page_style,
         lg__page_style_length},
        {"icon.svg", "image/svg+xml", icon, sizeof icon - 1},
    };
    for (size_t i = 0; i < sizeof assets / sizeof *assets; i++) {
        if (strcmp(name, assets[i].name))
            continue;
        *reply =
            (lg__reply){.status = 200, .type = assets[i].type, .lasting = true};
        lg_text_add_bytes(&reply->body, assets[i].bytes, assets[i].length);
        return true;
    }
    return false;
}

static unsigned
status_of(lg_status status)
{
    switch (status) {
    case LG_OK:
        return 200;
    case LG_EINVAL:
        return 400;
    case LG_ENOTFOUND:
        return 404;
    case LG_ECANCELLED:
        return 503;
    default:
        return 500;
    }
}

// Puts a page together. The head comes last, because the body decides the
// title.
static void
frame(lg__sheet *sheet, const lg_text *body, lg_text *out)
{
    lg__page *page = &sheet->page;
    page->out = out;
    lg__page_head(page, sheet->title.data);
    lg_text_add(out, "<header>\n");
    lg__page_search(page, sheet->query ? sheet->query : "");
    lg__page_notes(page);
    lg_text_add(out, "</header>\n");
    if (page->nav.length > 0) {
        lg_text_add(out, "<nav aria-label=\"Sections\">");
        lg_text_add_bytes(out, page->nav.data, page->nav.length);
        lg_text_add(out, "</nav>\n");
    }
    lg_text_add(out, "<main>\n");
    lg_text_add_bytes(out, body->data ? body->data : "", body->length);
    lg_text_add(out, "</main>\n");
    lg__page_tail(page);
    out->failed |= body->failed || page->nav.failed || sheet->title.failed ||
                   sheet->location.failed;
}

// Adds a message, with its suggestion as a link.
static void
add_message(lg_text *body, const char *message)
{
    static const char before[] = "did you mean ";
    const char *start = strstr(message, before);
    const char *end = start ? strrchr(start, '?') : NULL;
    start = end ? start + strlen(before) : message + strlen(message);
    end = end ? end : start;
    lg_text_add_html(body, message, (size_t)(start - message));
    if (end > start) {
        lg_text_addf(body, "<a href=\"%s", lg__page_links.selector);
        lg_text_add_url(body, start, (size_t)(end - start));
        lg_text_add(body, "\">");
        lg_text_add_html(body, start, (size_t)(end - start));
        lg_text_add(body, "</a>");
    }
    lg_text_add_html(body, end, strlen(end));
}

static void
explain(lg__sheet *sheet, lg_text *body, const lg_error *error)
{
    body->length = 0;
    lg_text_free(&sheet->page.nav);
    lg_text_free(&sheet->title);
    lg_text_add(body, "<h1>This question has no answer</h1><p>");
    add_message(body, error->message);
    lg_text_add(body, "</p>\n");
}

static lg__sheet
sheet_of(lg__server *server, const lg__request *request,
         const lg_monitor *monitor, lg_text *body)
{
    return (lg__sheet){.server = server,
                       .request = request,
                       .page = {.analysis = server->analysis,
                                .graph = server->graph,
                                .options = &server->options,
                                .changes = server->options.changes,
                                .monitor = monitor,
                                .served = true,
                                .out = body}};
}

static void
make(lg__server *server, const lg__request *request, lg__sheet_maker *maker,
     const lg_monitor *monitor, lg__reply *reply)
{
    lg_text body = {0};
    lg_error error = {0};
    lg__sheet sheet = sheet_of(server, request, monitor, &body);
    lg_status status = maker(&sheet, &error);
    if (status)
        explain(&sheet, &body, &error);
    reply->status = status_of(status);
    reply->passing = sheet.page.undrawn;
    if (!status && sheet.location.length > 0) {
        reply->status = 302;
        lg_text_add(&reply->body, sheet.location.data);
        reply->location = reply->body.data;
    } else {
        frame(&sheet, &body, &reply->body);
    }
    lg_text_free(&body);
    lg_text_free(&sheet.title);
    lg_text_free(&sheet.location);
    lg_text_free(&sheet.page.nav);
}

static const lg__sheet_kind *
kind_of(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!strcmp(name, kinds[i]->name))
            return kinds[i];
    }
    return NULL;
}

static lg_status
no_page(lg__sheet *sheet, lg_error *err)
{
    (void)sheet;
    return lg_error_set(err, LG_ENOTFOUND,
                        "There is no such page: begin at the overview.");
}

// Lists selectors that begin so, one a line.
static void
complete(const lg__server *server, const lg__request *request, lg__reply *reply)
{
    enum { MOST = 20 };
    lg_error error = {0};
    const char *text = lg__request_text(request, "q", "");
    lg_status status =
        lg_graph_complete(server->graph, text, MOST, &reply->body, &error);
    reply->type = "text/plain; charset=utf-8";
    reply->status = status_of(status);
}

static void
make_page(lg__server *server, const lg__request *request,
          const lg_text *question, const lg_monitor *monitor, bool pinned,
          lg__reply *reply)
{
    const lg__sheet_kind *kind = kind_of(request->page);
    make(server, request, kind ? kind->make : no_page, monitor, reply);
    if (reply->status == 200 && !reply->body.failed && !reply->passing)
        (void)lg__server_keep(server, question, &reply->body, pinned);
}

static void
say_wait(lg__server *server, const char *phase, double done, lg__reply *reply)
{
    static const lg__request nothing = {.page = ""};
    lg_text body = {0};
    lg_text title = {0};
    lg__sheet sheet = sheet_of(server, &nothing, NULL, &body);
    lg_text_add(&title, "This page is being made");
    lg__sheet_heading(&sheet, &title, NULL);
    lg_text_add(&body, "<p role=\"status\">It takes a walk through the whole "
                       "snapshot: ");
    lg_text_add_html(&body, phase, strlen(phase));
    if (*phase)
        lg_text_addf(&body, ", %.0f %%. ", 100 * done);
    else
        lg_text_add(&body, "it starts when the pages before it are ready. ");
    lg_text_add(&body, "The page appears here as soon as it is ready.</p>\n");
    *reply = (lg__reply){.status = 202, .type = reply->type, .again = 1};
    frame(&sheet, &body, &reply->body);
    lg_text_free(&body);
    lg_text_free(&sheet.title);
}

bool
lg__server_prepare(lg__server *server, const lg_monitor *monitor)
{
    lg__request request;
    lg__reply reply = {0};
    lg_text question = {0};
    if (!lg__table_prepared(server->prepared, &request))
        return false;
    lg__request_write(&request, &question);
    make_page(server, &request, &question, monitor, true, &reply);
    // A cancelled page is made another time.
    if (reply.status != status_of(LG_ECANCELLED))
        server->prepared++;
    lg_text_free(&question);
    lg_text_free(&reply.body);
    return true;
}

// Replies within a tenth of a second, and most pages need no second request.
#define PATIENCE_MILLISECONDS 60u

static bool
is_for(const lg__job *job, const lg_text *question)
{
    return job->state != LG__JOB_FREE &&
           same_question(&job->question, question);
}

static void
release(const char *text)
{
    free((void *)(uintptr_t)text);
}

// Frees a request that is a copy.
static void
request_free(lg__request *copy)
{
    release(copy->page);
    for (size_t i = 0; i < copy->count; i++) {
        release(copy->pairs[i].name);
        release(copy->pairs[i].value);
    }
    *copy = (lg__request){0};
}

static void
clear(lg__job *job)
{
    request_free(&job->request);
    lg_text_free(&job->question);
    lg_text_free(&job->reply.body);
    *job = (lg__job){0};
}

// Returns the job of that state and queue that came first, or NULL.
static lg__job *
first(lg__server *server, lg__job_state state, lg__queue_kind queue)
{
    lg__job *found = NULL;
    for (size_t i = 0; i < LG__JOBS; i++) {
        lg__job *job = &server->jobs[i];
        if (job->state == state &&
            (queue == LG__QUEUES || job->queue == queue) &&
            (!found || job->number < found->number))
            found = job;
    }
    return found;
}

// A page made in advance gives way when somebody asks for one.
static bool
tick(void *context, const char *phase, double done)
{
    lg__queue *queue = context;
    lg__server *server = queue->server;
    lg__queue_kind kind = (lg__queue_kind)(queue - server->queues);
    pthread_mutex_lock(&server->lock);
    snprintf(queue->phase, sizeof queue->phase, "%s", phase);
    queue->done = done;
    bool goes_on = !server->ending && !(queue->is_preparing &&
                                        first(server, LG__JOB_WAITING, kind));
    pthread_mutex_unlock(&server->lock);
    return goes_on;
}

// Holds the lock when it is called and when it returns.
static void
run(lg__queue *queue, lg__job *job)
{
    lg__server *server = queue->server;
    lg__reply reply = {.type = job->reply.type};
    job->state = LG__JOB_RUNNING;
    queue->phase[0] = '\0';
    pthread_mutex_unlock(&server->lock);
    make_page(server, &job->request, &job->question, &queue->monitor, false,
              &reply);
    pthread_mutex_lock(&server->lock);
    job->reply = reply;
    job->state = LG__JOB_DONE;
    pthread_cond_broadcast(&server->changed);
}

static bool
prepare_on(lg__queue *queue)
{
    lg__server *server = queue->server;
    queue->is_preparing = true;
    pthread_mutex_unlock(&server->lock);
    bool more = lg__server_prepare(server, &queue->monitor);
    pthread_mutex_lock(&server->lock);
    queue->is_preparing = false;
    return more;
}

static void *
work(void *context)
{
    lg__queue *queue = context;
    lg__server *server = queue->server;
    lg__queue_kind kind = (lg__queue_kind)(queue - server->queues);
    bool to_prepare = kind == LG__SLOW;
    pthread_mutex_lock(&server->lock);
    while (!server->ending) {
        lg__job *job = first(server, LG__JOB_WAITING, kind);
        if (job)
            run(queue, job);
        else if (to_prepare)
            to_prepare = prepare_on(queue);
        else
            pthread_cond_wait(&server->changed, &server->lock);
    }
    pthread_mutex_unlock(&server->lock);
    return NULL;
}

// Returns a place for a new job: a free one, or that of a page never fetched.
static lg__job *
place(lg__server *server)
{
    lg__job *job = first(server, LG__JOB_FREE, LG__QUEUES);
    if (!job && (job = first(server, LG__JOB_DONE, LG__QUEUES)))
        clear(job);
    return job;
}

// Copies a request and its strings; free it with request_free. False:
// memory ran out.
static bool
copy_request(const lg__request *request, lg__request *out)
{
    bool fine = (*out = (lg__request){.page = strdup(request->page)}).page;
    for (size_t i = 0; i < request->count && fine; i++) {
        out->pairs[i] = (lg__pair){strdup(request->pairs[i].name),
                                   strdup(request->pairs[i].value)};
        out->count++;
        fine = out->pairs[i].name && out->pairs[i].value;
    }
    if (!fine)
        request_free(out);
    return fine;
}

// NULL: there is no room now.
static lg__job *
job_for(lg__server *server, const lg__request *request, const lg_text *question,
        lg__queue_kind queue)
{
    for (size_t i = 0; i < LG__JOBS; i++)
        if (is_for(&server->jobs[i], question))
            return &server->jobs[i];
    lg__job *job = place(server);
    if (!job || !copy_request(request, &job->request))
        return NULL;
    lg_text_add_bytes(&job->question, question->data, question->length);
    if (job->question.failed) {
        clear(job);
        return NULL;
    }
    job->state = LG__JOB_WAITING;
    job->queue = queue;
    job->number = ++server->job_count;
    pthread_cond_broadcast(&server->changed);
    return job;
}

static struct timespec
soon(unsigned milliseconds)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += milliseconds / 1000;
    at.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    if (at.tv_nsec >= 1000000000) {
        at.tv_sec++;
        at.tv_nsec -= 1000000000;
    }
    return at;
}

// Has the thread of a queue make the page. If that takes long, the reply is a
// page that reports the progress.
static void
delegate(lg__server *server, const lg__request *request,
         const lg_text *question, lg__queue_kind queue, lg__reply *reply)
{
    char phase[sizeof server->queues->phase] = "";
    double done = 0;
    const char *type = reply->type;
    struct timespec until = soon(server->patience);
    pthread_mutex_lock(&server->lock);
    lg__job *job = job_for(server, request, question, queue);
    while (job && job->state != LG__JOB_DONE &&
           !pthread_cond_timedwait(&server->changed, &server->lock, &until))
        continue;
    bool there = job && job->state == LG__JOB_DONE;
    if (there) {
        *reply = job->reply;
        reply->type = type;
        job->reply = (lg__reply){0};
        clear(job);
    } else if (job && job->state == LG__JOB_RUNNING) {
        memcpy(phase, server->queues[queue].phase, sizeof phase);
        done = server->queues[queue].done;
    }
    pthread_mutex_unlock(&server->lock);
    if (!there)
        say_wait(server, phase, done, reply);
}

// Leaves signals that end the process to the caller's thread.
static bool
start(lg__queue *queue)
{
    sigset_t ends, before;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    queue->monitor = (lg_monitor){tick, queue};
    pthread_sigmask(SIG_BLOCK, &ends, &before);
    bool started = !pthread_create(&queue->thread, NULL, work, queue);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

bool
lg__server_start(lg__server *server)
{
    pthread_condattr_t by_clock;
    if (pthread_condattr_init(&by_clock))
        return false;
    pthread_condattr_setclock(&by_clock, CLOCK_MONOTONIC);
    bool fine = !pthread_cond_init(&server->changed, &by_clock);
    pthread_condattr_destroy(&by_clock);
    if (!fine)
        return false;
    server->patience = PATIENCE_MILLISECONDS;
    server->ending = false;
    for (size_t i = 0; i < LG__QUEUES; i++)
        server->queues[i].server = server;
    while (fine && server->started < LG__QUEUES) {
        fine = start(&server->queues[server->started]);
        server->started += fine;
    }
    if (!fine)
        lg__server_stop(server);
    return fine;
}

void
lg__server_stop(lg__server *server)
{
    if (server->started == 0)
        return;
    pthread_mutex_lock(&server->lock);
    server->ending = true;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
    while (server->started > 0)
        pthread_join(server->queues[--server->started].thread, NULL);
    for (size_t i = 0; i < LG__JOBS; i++)
        clear(&server->jobs[i]);
    pthread_cond_destroy(&server->changed);
}

static void
answer(lg__server *server, const lg__sheet_kind *kind,
       const lg__request *request, lg__reply *reply)
{
    lg_text question = {0};
    lg__request_write(request, &question);
    if (lg__server_recall(server, &question, &reply->body))
        reply->status = 200;
    else if (server->started > 0 && kind)
        delegate(server, request, &question, kind->queue, reply);
    else
        make_page(server, request, &question, server->monitor, false, reply);
    lg_text_free(&question);
}

void
lg__server_answer(void *context, const lg__request *request, lg__reply *reply)
{
    lg__server *server = context;
    lg__request plain = {.page = ""}; // the first page takes no parameters
    if (reply_asset(request->page, reply))
        return;
    *reply = (lg__reply){.type = "text/html; charset=utf-8"};
    if (!strcmp(request->page, "complete")) {
        complete(server, request, reply);
        return;
    }
    const lg__sheet_kind *kind = kind_of(request->page);
    if (kind != NULL && kind->reduce != NULL)
        kind->reduce(request, &plain);
    else if (*request->page)
        plain = *request;
    answer(server, kind, &plain, reply);
}

// Whether `table?of=` takes this name.
static bool
has_table(const char *name)
{
    return lg_question_find(name) != NULL;
}

// Makes the first page, and with it the index of referrers and the tree of
// paths from the roots, which the graph keeps for all other pages.
static lg_status
make_first_page(lg__server *server, lg_error *err)
{
    lg_text home = {0};
    lg_text question = {0};
    lg_page_options *options = &server->options;
    lg_status status = lg_changes_new(
        options->summaries, options->summary_count, options->steps,
        server->analysis, server->monitor, &server->changes, err);
    if (status)
        return status;
    options->changes = server->changes;
    status = lg__page_serve(server->analysis, options, has_table,
                            server->monitor, &home, err);
    lg_text_add(&question, "");
    if (!status && !lg__server_keep(server, &question, &home, true))
        status = lg_error_set(err, LG_ENOMEM, "memory ran out");
    lg_text_free(&question);
    lg_text_free(&home);
    return status;
}

lg_status
lg__server_new(const lg_analysis *analysis, const lg_page_options *options,
               const lg_monitor *monitor, lg__server **out, lg_error *err)
{
    lg__server *server = calloc(1, sizeof *server);
    if (!server)
        return lg_error_set(err, LG_ENOMEM, "memory ran out");
    server->analysis = analysis;
    server->graph = lg_analysis_graph(analysis);
    server->monitor = monitor;
    server->options = *options;
    pthread_mutex_init(&server->lock, NULL);
    lg_status status = make_first_page(server, err);
    if (status)
        lg__server_free(server);
    else
        *out = server;
    return status;
}

void
lg__server_free(lg__server *server)
{
    if (!server)
        return;
    lg__server_stop(server);
    for (size_t i = 0; i < LG__KEPT_PAGES; i++) {
        lg_text_free(&server->kept[i].question);
        lg_text_free(&server->kept[i].body);
    }
    pthread_mutex_destroy(&server->lock);
    lg_changes_free(server->changes);
    free(server);
}
