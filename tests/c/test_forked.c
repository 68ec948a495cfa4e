// A process forks while another thread makes a graph's indexes or is inside
// igraph. The child finds finished indexes, or makes its own.
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include <leakgraph/internal/lock.h>
#include <leakgraph/internal/retained.h>

#include "drawn.h"
#include "forked.h"
#include "sample.h"
#include "test.h"

#include "analysis/solver.h"

static void
await(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0)
        continue;
}

/** A graph that a thread reads until it stops at an allocation, or has its
 *  answer. It then waits for the fork: a thread that ended meanwhile could hold
 *  a lock of the C library's or a sanitizer's, for ever in the child. */
typedef struct asked {
    lg_graph *graph;
    void (*ask)(const lg_graph *);
    long allocations; /* allocations until it stops; negative: never */
    bool stopped;
    sem_t came;
    sem_t may_go_on;
} asked;

static void
wait_for_the_fork(asked *self)
{
    sem_post(&self->came);
    await(&self->may_go_on);
}

static void *
resize(void *context, void *old, size_t old_size, size_t new_size)
{
    asked *self = context;
    lg_allocator plain = lg_allocator_default();
    if (self->allocations >= 0 && self->allocations-- == 0) {
        self->stopped = true;
        wait_for_the_fork(self);
    }
    return plain.resize(plain.context, old, old_size, new_size);
}

static void *
ask(void *context)
{
    asked *self = context;
    self->ask(self->graph);
    self->allocations = -1;
    if (!self->stopped)
        wait_for_the_fork(self);
    return NULL;
}

/** Returns whether the indexes of two graphs give the same answers. */
static bool
same_indexes(const lg_graph *a, const lg_graph *b)
{
    for (uint32_t node = 0; node < SAMPLE_COUNT; node++) {
        uint64_t in_a[64] = {0};
        uint64_t in_b[64] = {0};
        uint64_t address = SAMPLE_ADDRESS(node);
        if (lg_node_folded_into(a, node) != lg_node_folded_into(b, node) ||
            lg_node_bytes_on(a, node, 0) != lg_node_bytes_on(b, node, 0) ||
            lg_graph_find(a, address) != lg_graph_find(b, address) ||
            lg_node_referrers(a, node, in_a, 64) !=
                lg_node_referrers(b, node, in_b, 64) ||
            memcmp(in_a, in_b, sizeof in_a) != 0)
            return false;
    }
    return true;
}

static bool
equals_a_new_one(void *context)
{
    asked *self = context;
    lg_graph *other = NULL;
    REQUIRE(sample_new(NULL, &other, NULL) == LG_OK);
    self->allocations = -1;
    bool same = same_indexes(self->graph, other);
    lg_graph_free(other);
    return same;
}

/** Whether the thread stopped at that allocation. */
static bool
forked_at(long allocation, void (*question)(const lg_graph *))
{
    pthread_t thread;
    asked self = {.ask = question, .allocations = -1};
    lg_allocator allocator = {resize, NULL, &self, NULL};
    REQUIRE(sem_init(&self.came, 0, 0) == 0);
    REQUIRE(sem_init(&self.may_go_on, 0, 0) == 0);
    REQUIRE(sample_new(&allocator, &self.graph, NULL) == LG_OK);
    self.allocations = allocation;
    REQUIRE(pthread_create(&thread, NULL, ask, &self) == 0);
    await(&self.came);
    CHECK(forked_says(equals_a_new_one, &self));
    sem_post(&self.may_go_on);
    pthread_join(thread, NULL);
    CHECK(equals_a_new_one(&self));
    lg_graph_free(self.graph);
    return self.stopped;
}

static long
stops_of(void (*question)(const lg_graph *))
{
    long allocation = 0;
    while (forked_at(allocation, question))
        allocation++;
    return allocation;
}

static void
ask_folds(const lg_graph *graph)
{
    lg_node_folded_into(graph, 0);
}

static void
ask_referrers(const lg_graph *graph)
{
    lg_node_referrers(graph, 0, NULL, 0);
}

static void
ask_addresses(const lg_graph *graph)
{
    for (unsigned i = 0; i < 100; i++)
        lg_graph_find(graph, SAMPLE_ADDRESS(SAMPLE_LOSS));
}

static void
indexes_in_the_making(void)
{
    CHECK(stops_of(ask_folds) > 2);
    CHECK(stops_of(ask_referrers) >= 1);
    CHECK(stops_of(ask_addresses) >= 2);
}

enum { LONG = 5000 }; // below igraph's minimum size

/** A problem on which a thread has stopped. */
typedef struct solving {
    lg__problem problem;
    lg_monitor monitor;
    uint32_t from[LONG - 1];
    uint32_t to[LONG - 1];
    sem_t came;
    sem_t may_go_on;
} solving;

static bool
stop(void *context, const char *phase, double done)
{
    solving *self = context;
    (void)phase;
    (void)done;
    sem_post(&self->came);
    await(&self->may_go_on);
    return true;
}

static bool
refuse(void *context, const char *phase, double done)
{
    (void)context;
    (void)phase;
    (void)done;
    return false;
}

static bool
solves(const lg__problem *problem)
{
    uint32_t found[LONG];
    if (lg__solver_ask(problem, found, NULL) != LG_OK)
        return false;
    for (uint32_t i = 1; i < LONG; i++)
        if (found[i] != i - 1)
            return false;
    return true;
}

static bool
solves_its_own(void *context)
{
    const solving *self = context;
    static const lg_monitor impatient = {refuse, NULL};
    lg__problem problem = self->problem;
    uint32_t found[LONG];
    problem.monitor = &impatient;
    // A cancelled call frees only the memory that igraph holds for it.
    if (lg__solver_ask(&problem, found, NULL) != LG_ECANCELLED)
        return false;
    problem.monitor = NULL;
    return solves(&problem) && solves(&problem);
}

static void *
solve(void *context)
{
    const solving *self = context;
    return solves(&self->problem) ? context : NULL;
}

/** A path of nodes. */
static void
fill(solving *self)
{
    self->problem = (lg__problem){.node_count = LONG,
                                  .edge_count = LONG - 1,
                                  .source = self->from,
                                  .target = self->to,
                                  .monitor = &self->monitor};
    for (uint32_t i = 0; i < LONG - 1; i++) {
        self->from[i] = i;
        self->to[i] = i + 1;
    }
}

static void
igraph_at_work(void)
{
    static solving self = {.monitor = {stop, &self}};
    pthread_t thread;
    void *answer = NULL;
    fill(&self);
    REQUIRE(sem_init(&self.came, 0, 0) == 0);
    REQUIRE(sem_init(&self.may_go_on, 0, 0) == 0);
    REQUIRE(pthread_create(&thread, NULL, solve, &self) == 0);
    await(&self.came);
    CHECK(forked_says(solves_its_own, &self));
    // The same object may answer more than one question.
    for (unsigned i = 0; i < 1000; i++)
        sem_post(&self.may_go_on);
    pthread_join(thread, &answer);
    CHECK(answer == &self);
}

/** Stops as a thread does when an interpreter ends. */
static bool
vanish(void *context, const char *phase, double done)
{
    (void)context;
    (void)phase;
    (void)done;
    pthread_exit(NULL);
}

static bool
solves_after_a_thread_has_vanished(void *context)
{
    solving *self = context;
    pthread_t thread;
    void *answer = context;
    bool vanished = pthread_create(&thread, NULL, solve, self) == 0 &&
                    pthread_join(thread, &answer) == 0 && answer == NULL;
    lg_process_ends();
    return vanished && solves_its_own(self);
}

static void
igraph_when_all_ends(void)
{
    static solving self = {.monitor = {vanish, NULL}};
    fill(&self);
    CHECK(forked_says(solves_after_a_thread_has_vanished, &self));
}

/** Whether a monitor may ask igraph, too. */
static bool
ask_again(void *context, const char *phase, double done)
{
    solving *self = context;
    lg_error err;
    lg__problem problem = self->problem;
    uint32_t found[LONG];
    (void)phase;
    (void)done;
    problem.monitor = NULL;
    CHECK(lg__solver_ask(&problem, found, &err) == LG_EUNSUPPORTED);
    CHECK(strstr(err.message, "this very thread") != NULL);
    sem_post(&self->came);
    return true;
}

static void
igraph_asked_by_a_monitor(void)
{
    static solving self = {.monitor = {ask_again, &self}};
    fill(&self);
    REQUIRE(sem_init(&self.came, 0, 0) == 0);
    CHECK(solves(&self.problem));
    CHECK(sem_trywait(&self.came) == 0);
}

SUITE(forked)
{
    RUN(igraph_when_all_ends);
    RUN(igraph_asked_by_a_monitor);
    RUN(indexes_in_the_making);
    RUN(igraph_at_work);
    return test_result();
}
