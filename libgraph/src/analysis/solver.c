// The door to igraph.
#include "analysis/solver.h"

#include <string.h>

lg_status
lg__solver_open(lg__solver **out, lg_error *err)
{
    void *symbol;
    lg_status status = lg_plugin_open(
        "libleakgraph-igraph.so", LG__SOLVER_SYMBOL, "igraph",
        "install it (on Debian: apt install libigraph-dev)", &symbol, err);
    if (status == LG_OK)
        memcpy(out, &symbol, sizeof symbol);
    return status;
}
