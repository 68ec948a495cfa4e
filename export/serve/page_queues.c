// Threads that make pages, so that nobody waits for another client's page, and
// a slow page reports its progress.

#include "serve/server.h"

#include <leakgraph/internal/writing.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// Replies within a tenth of a second, and most pages need no second request.
#define PATIENCE_MILLISECONDS 60u

static bool
is_for(const lg__job *job, const lg_text *question)
{
    return job->state != LG__JOB_FREE &&
           lg__same_question(&job->question, question);
}

static void
clear(lg__job *job)
{
    lg__request_free(&job->request);
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

/* ------------------------------------------- in the thread of a queue --- */

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
    server->makers->make(server, &job->request, &job->question, &queue->monitor,
                         false, &reply);
    pthread_mutex_lock(&server->lock);
    job->reply = reply;
    job->state = LG__JOB_DONE;
    pthread_cond_broadcast(&server->changed);
}

static bool
prepare(lg__queue *queue)
{
    lg__server *server = queue->server;
    queue->is_preparing = true;
    pthread_mutex_unlock(&server->lock);
    bool more = server->makers->prepare(server, &queue->monitor);
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
            to_prepare = prepare(queue);
        else
            pthread_cond_wait(&server->changed, &server->lock);
    }
    pthread_mutex_unlock(&server->lock);
    return NULL;
}

/* -------------------------------------------------------- the caller --- */

// Returns a place for a new job: a free one, or that of a page never fetched.
static lg__job *
place(lg__server *server)
{
    lg__job *job = first(server, LG__JOB_FREE, LG__QUEUES);
    if (!job && (job = first(server, LG__JOB_DONE, LG__QUEUES)))
        clear(job);
    return job;
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
    if (!job || !lg__request_copy(request, &job->request))
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

void
lg__server_delegate(lg__server *server, const lg__request *request,
                    const lg_text *question, lg__queue_kind queue,
                    lg__reply *reply)
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
        server->makers->say_wait(server, phase, done, reply);
}

/* --------------------------------------------------- start and end --- */

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
