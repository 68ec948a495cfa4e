// igraph behind one function. This is the only file that includes igraph, and
// the only source of the shared object that an analysis opens when it needs
// igraph.
//
// igraph's default handlers abort or print. Ours replace them, but only during
// a call.
#include "analysis/solver.h"

#include <igraph.h>

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>

// igraph asks at every node whether to stop, and since 1.0 at every thousandth.
// One tick counts for this many questions.
#if IGRAPH_VERSION_MAJOR == 0
typedef igraph_integer_t igraph_int_t;
enum { OFTEN = 1 << 14 };
#else
enum { OFTEN = 1 << 4 };
#endif

LG_API lg__solver lg_igraph_dominators;

static const char phase[] = "solving components";

// The handlers that ours replaced.
static struct {
    igraph_error_handler_t *error;
    igraph_warning_handler_t *warning;
    igraph_fatal_handler_t *fatal;
    igraph_interruption_handler_t *interruption;
} others;

// The current call. It is per thread, because igraph calls a handler on its
// caller's thread and another thread may use igraph at the same time.
static _Thread_local struct {
    bool active;
    const lg_monitor *monitor;
    unsigned asked;
    bool cancelled;
    igraph_error_t code;
    char reason[200];
    jmp_buf escape;
} call;

// Leaves igraph by a jump instead of returning through it, because igraph_dfs
// of 0.10 goes on with what it has just freed. igraph's own stack of things to
// free holds all memory of ours and of igraph.
_Noreturn static void
escape(void)
{
    IGRAPH_FINALLY_FREE();
    longjmp(call.escape, 1);
}

static void
on_error(const char *reason, const char *file, int line, igraph_error_t code)
{
    if (!call.active) {
        others.error(reason, file, line, code);
        return;
    }
    call.code = code;
    snprintf(call.reason, sizeof call.reason, "%s", reason);
    escape();
}

static void
on_warning(const char *reason, const char *file, int line)
{
    (void)reason;
    (void)file;
    (void)line;
}

// Handles a failed assertion of igraph; must not return. igraph_dfs of 0.10
// asserts that allocations succeed. After other assertions, nobody knows what
// igraph holds: that memory leaks, but the process survives.
static void
on_fatal(const char *reason, const char *file, int line)
{
    bool no_memory = errno == ENOMEM;
    if (!call.active)
        others.fatal(reason, file, line);
    call.code = no_memory ? IGRAPH_ENOMEM : IGRAPH_FAILURE;
    snprintf(call.reason, sizeof call.reason, "%s", reason);
    if (!no_memory)
        IGRAPH_FINALLY_CLEAN(IGRAPH_FINALLY_STACK_SIZE());
    escape();
}

static void
ask(void)
{
    const lg_monitor *monitor = call.monitor;
    if (!call.active || monitor == NULL || monitor->tick == NULL ||
        call.asked++ % OFTEN != 0)
        return;
    call.cancelled = !monitor->tick(monitor->context, phase, 0.5);
    if (call.cancelled)
        escape();
}

#if IGRAPH_VERSION_MAJOR == 0
static igraph_error_t
on_interruption(void *data)
{
    (void)data;
    ask();
    return IGRAPH_SUCCESS;
}
#else
static igraph_bool_t
on_interruption(void)
{
    ask();
    return false;
}
#endif

// A call that a fork interrupted left our handlers in place, and the previous
// ones in `others`.
#define REPLACE(kind, ours)                                                    \
    do {                                                                       \
        igraph_##kind##_handler_t *before = igraph_set_##kind##_handler(ours); \
        if (before != (ours))                                                  \
            others.kind = before;                                              \
    } while (0)

static void
enter(const lg__problem *problem)
{
    // What such a call had to free is on the stack of a thread that no longer
    // exists, so it leaks.
    if (problem->left)
        IGRAPH_FINALLY_CLEAN(IGRAPH_FINALLY_STACK_SIZE());
#if IGRAPH_VERSION_MAJOR > 0
    igraph_setup();
#endif
    call.monitor = problem->monitor;
    call.asked = 0;
    call.cancelled = false;
    call.code = IGRAPH_SUCCESS;
    call.reason[0] = '\0';
    call.active = true;
    errno = 0;
    REPLACE(error, on_error);
    REPLACE(warning, on_warning);
    REPLACE(fatal, on_fatal);
    REPLACE(interruption, on_interruption);
}

static void
leave(void)
{
    igraph_set_error_handler(others.error);
    igraph_set_warning_handler(others.warning);
    igraph_set_fatal_handler(others.fatal);
    igraph_set_interruption_handler(others.interruption);
    call.monitor = NULL;
    call.active = false;
}

// Describes the result in a sentence. This object links nothing of ours, not
// even lg_error_set.
static lg_status
conclude(lg_error *err)
{
    lg_error unused;
    lg_error *to = err != NULL ? err : &unused;
    size_t size = sizeof to->message;
    if (call.cancelled) {
        to->status = LG_ECANCELLED;
        snprintf(to->message, size, "cancelled while %s", phase);
    } else if (call.code == IGRAPH_SUCCESS) {
        return LG_OK;
    } else if (call.code == IGRAPH_ENOMEM) {
        to->status = LG_ENOMEM;
        snprintf(to->message, size, "memory ran out");
    } else {
        to->status = LG_EUNSUPPORTED;
        snprintf(to->message, size, "igraph %s failed while %s: %s",
                 IGRAPH_VERSION, phase, call.reason);
    }
    return to->status;
}

// From here on, an error does not return to solve: see escape.
static void
make_graph(const lg__problem *problem, igraph_t *out)
{
    igraph_vector_int_t edges;
    igraph_int_t count = (igraph_int_t)problem->edge_count;
    igraph_vector_int_init(&edges, 2 * count);
    IGRAPH_FINALLY(igraph_vector_int_destroy, &edges);
    for (igraph_int_t i = 0; i < count; i++) {
        VECTOR(edges)[2 * i] = problem->source[i];
        VECTOR(edges)[2 * i + 1] = problem->target[i];
    }
    igraph_create(out, &edges, problem->node_count, IGRAPH_DIRECTED);
    igraph_vector_int_destroy(&edges);
    IGRAPH_FINALLY_CLEAN(1);
}

static void
solve(const lg__problem *problem, uint32_t *out)
{
    igraph_t graph;
    igraph_vector_int_t result;
    make_graph(problem, &graph);
    IGRAPH_FINALLY(igraph_destroy, &graph);
    igraph_vector_int_init(&result, 0);
    IGRAPH_FINALLY(igraph_vector_int_destroy, &result);
    igraph_dominator_tree(&graph, 0, &result, NULL, NULL, IGRAPH_OUT);
    for (uint32_t i = 0; i < problem->node_count; i++)
        out[i] = (uint32_t)VECTOR(result)[i];
    igraph_vector_int_destroy(&result);
    igraph_destroy(&graph);
    IGRAPH_FINALLY_CLEAN(2);
}

lg_status
lg_igraph_dominators(const lg__problem *problem, uint32_t *dominator,
                     lg_error *err)
{
    enter(problem);
    if (setjmp(call.escape) == 0)
        solve(problem, dominator);
    lg_status status = conclude(err);
    leave();
    if (status == LG_OK)
        dominator[0] = 0;
    return status;
}
