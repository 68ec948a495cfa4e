// Opens the bridge to igraph and calls it.
#include "analysis/solver.h"

#include <string.h>

#include <leakgraph/lock.h>
#include <leakgraph/plugin.h>

static lg_status
open_igraph(lg__solver **out, lg_error *err)
{
    void *symbol;
    lg_status status = lg_plugin_open(
        "libleakgraph-igraph.so", LG__SOLVER_SYMBOL, "igraph",
        "install it (on Debian: apt install libigraph-dev)", &symbol, err);
    if (status == LG_OK)
        memcpy(out, &symbol, sizeof symbol);
    return status;
}

// Debian builds igraph without thread-local storage: one lock covers every
// call.
lg_status
lg__solver_ask(const lg__problem *problem, uint32_t *dominator, lg_error *err)
{
    static lg_lock lock;
    lg__problem locked = *problem;
    lg__solver *solve;
    lg_status status = open_igraph(&solve, err);
    if (status != LG_OK)
        return status;
    locked.left = lg_lock_take(&lock) == LG_LOCK_LEFT;
    status = solve(&locked, dominator, err);
    lg_lock_give(&lock);
    return status;
}
