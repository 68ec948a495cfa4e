// Opens the bridge to igraph and calls it.
#include "analysis/solver.h"

#include <leakgraph/internal/lock.h>
#include <leakgraph/internal/plugin.h>
#include <leakgraph/internal/writing.h>

#include <stdatomic.h>
#include <string.h>

// Opens igraph once, and keeps its function: later questions do not depend on
// the loader, which a fork may have left half way.
static lg_status
open_igraph(lg__solver **out, lg_error *err)
{
    static lg__solver *_Atomic known;
    void *symbol = NULL;
    *out = atomic_load(&known);
    if (*out != NULL)
        return LG_OK;
    lg_status status = lg_plugin_open(
        "libleakgraph-igraph.so", LG__SOLVER_SYMBOL, "igraph",
        "install it (on Debian: apt install libigraph-dev)", &symbol, err);
    if (status == LG_OK) {
        memcpy(out, &symbol, sizeof symbol);
        atomic_store(&known, *out);
    }
    return status;
}

// The monitor of a call that holds the lock.
typedef struct parked {
    const lg_monitor *monitor;
    lg_lock *lock;
} parked;

// Parks the lock while it asks the monitor: the monitor may ask an interpreter
// for its lock, which never comes once the interpreter ends.
static bool
tick(void *context, const char *phase, double done)
{
    const parked *self = context;
    lg_lock_park(self->lock);
    bool goes_on = self->monitor->tick(self->monitor->context, phase, done);
    lg_lock_unpark(self->lock);
    return goes_on;
}

// Debian builds igraph without thread-local storage, so one lock covers every
// call.
lg_status
lg__solver_ask(const lg__problem *problem, uint32_t *dominator, lg_error *err)
{
    static lg_lock lock;
    lg__problem locked = *problem;
    parked context = {problem->monitor, &lock};
    lg_monitor monitor = {tick, &context};
    lg__solver *solve;
    lg_status status = open_igraph(&solve, err);
    if (status != LG_OK)
        return status;
    lg_lock_result result = lg_lock_take(&lock);
    if (result == LG_LOCK_BUSY)
        return lg_error_set(err, LG_EUNSUPPORTED,
                            "igraph answers another question of this very "
                            "thread: ask once that is done");
    locked.left = result == LG_LOCK_LEFT;
    if (problem->monitor != NULL && problem->monitor->tick != NULL)
        locked.monitor = &monitor;
    status = solve(&locked, dominator, err);
    lg_lock_give(&lock);
    return status;
}
