// igraph behind two functions: the only file that knows it, and all of the
// shared object that is opened at the first analysis.
//
// Debian builds igraph without thread-local storage: one lock covers every
// call, and its handlers, which abort or print unless they are replaced, are
// ours only while we hold it.
#include "solver.h"

#include <igraph.h>

#include <pthread.h>
#include <stdio.h>

#if IGRAPH_VERSION_MAJOR == 0
typedef igraph_integer_t igraph_int_t;
#endif

LG_API lg__solver_function lg_igraph_solver;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// What the handlers need of the call under way. By thread: igraph calls them on
// the caller's, and another user of igraph may be at work in another.
static _Thread_local struct {
    const lg_monitor *monitor;
    const char *phase;
    unsigned asked;
    bool cancelled;
    char reason[200];
} call;

static void
on_error(const char *reason, const char *file, int line, igraph_error_t code)
{
    (void)file;
    (void)line;
    (void)code;
    snprintf(call.reason, sizeof call.reason, "%s", reason);
    IGRAPH_FINALLY_FREE();
}

static void
on_warning(const char *reason, const char *file, int line)
{
    (void)reason;
    (void)file;
    (void)line;
}

// igraph asks for every node: one tick for many of them.
static bool
goes_on(void)
{
    const lg_monitor *monitor = call.monitor;
    const unsigned often = (1 << 14) - 1;
    if ((call.asked++ & often) == 0 && monitor != NULL &&
        monitor->tick != NULL && !call.cancelled)
        call.cancelled = !monitor->tick(monitor->context, call.phase, 0.5);
    return !call.cancelled;
}

#if IGRAPH_VERSION_MAJOR == 0
static igraph_error_t
on_interruption(void *data)
{
    (void)data;
    if (goes_on())
        return IGRAPH_SUCCESS;
    IGRAPH_FINALLY_FREE();
    return IGRAPH_INTERRUPTED;
}
#else
static igraph_bool_t
on_interruption(void)
{
    return !goes_on();
}
#endif

typedef struct handlers {
    igraph_error_handler_t *error;
    igraph_warning_handler_t *warning;
    igraph_interruption_handler_t *interruption;
} handlers;

static handlers
enter(const lg__problem *problem, const char *phase)
{
    pthread_mutex_lock(&lock);
#if IGRAPH_VERSION_MAJOR > 0
    igraph_setup();
#endif
    call.monitor = problem->monitor;
    call.phase = phase;
    call.asked = 0;
    call.cancelled = false;
    call.reason[0] = '\0';
    return (handlers){
        igraph_set_error_handler(on_error),
        igraph_set_warning_handler(on_warning),
        igraph_set_interruption_handler(on_interruption),
    };
}

// The status of igraph's code, and everything as it was.
static lg_status
leave(handlers old, igraph_error_t code, lg_error *err)
{
    igraph_set_error_handler(old.error);
    igraph_set_warning_handler(old.warning);
    igraph_set_interruption_handler(old.interruption);
    call.monitor = NULL;
    lg_status status = call.cancelled          ? LG_ECANCELLED
                       : code == IGRAPH_ENOMEM ? LG_ENOMEM
                                               : LG_EUNSUPPORTED;
    if (code == IGRAPH_SUCCESS && !call.cancelled)
        status = LG_OK;
    if (status != LG_OK && err != NULL) {
        err->status = status;
        if (status == LG_ECANCELLED)
            snprintf(err->message, sizeof err->message, "cancelled while %s",
                     call.phase);
        else if (status == LG_ENOMEM)
            snprintf(err->message, sizeof err->message, "memory ran out");
        else
            snprintf(err->message, sizeof err->message,
                     "igraph %s failed while %s: %s", IGRAPH_VERSION,
                     call.phase, call.reason);
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static igraph_error_t
make_graph(const lg__problem *problem, igraph_t *out)
{
    igraph_vector_int_t edges;
    igraph_int_t count = (igraph_int_t)problem->edge_count;
    igraph_error_t code = igraph_vector_int_init(&edges, 2 * count);
    if (code != IGRAPH_SUCCESS)
        return code;
    for (igraph_int_t i = 0; i < count; i++) {
        VECTOR(edges)[2 * i] = problem->source[i];
        VECTOR(edges)[2 * i + 1] = problem->target[i];
    }
    code = igraph_create(out, &edges, problem->node_count, IGRAPH_DIRECTED);
    igraph_vector_int_destroy(&edges);
    return code;
}

static void
copy_out(const igraph_vector_int_t *vector, uint32_t count, uint32_t *out)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = (uint32_t)VECTOR(*vector)[i];
}

static lg_status
solve_components(const lg__problem *problem, uint32_t *component, lg_error *err)
{
    handlers old = enter(problem, "looking for knots");
    igraph_t graph;
    igraph_vector_int_t membership;
    igraph_error_t code = make_graph(problem, &graph);
    if (code != IGRAPH_SUCCESS)
        return leave(old, code, err);
    code = igraph_vector_int_init(&membership, 0);
    if (code == IGRAPH_SUCCESS) {
        code = igraph_connected_components(&graph, &membership, NULL, NULL,
                                           IGRAPH_STRONG);
        if (code == IGRAPH_SUCCESS)
            copy_out(&membership, problem->node_count, component);
        igraph_vector_int_destroy(&membership);
    }
    igraph_destroy(&graph);
    return leave(old, code, err);
}

static lg_status
solve_dominators(const lg__problem *problem, uint32_t *dominator, lg_error *err)
{
    handlers old = enter(problem, "solving knots");
    igraph_t graph;
    igraph_vector_int_t dominators;
    igraph_error_t code = make_graph(problem, &graph);
    if (code != IGRAPH_SUCCESS)
        return leave(old, code, err);
    code = igraph_vector_int_init(&dominators, 0);
    if (code == IGRAPH_SUCCESS) {
        code = igraph_dominator_tree(&graph, 0, &dominators, NULL, NULL,
                                     IGRAPH_OUT);
        if (code == IGRAPH_SUCCESS)
            copy_out(&dominators, problem->node_count, dominator);
        igraph_vector_int_destroy(&dominators);
    }
    igraph_destroy(&graph);
    if (code == IGRAPH_SUCCESS)
        dominator[0] = 0;
    return leave(old, code, err);
}

const lg__solver *
lg_igraph_solver(void)
{
    static const lg__solver solver = {solve_components, solve_dominators};
    return &solver;
}
