// The door to igraph.
#include "solver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

// A bare name: the loader looks along the run path of the caller.
#define PLUGIN "libleakgraph-igraph.so"

lg_status
lg__solver_open(lg__solver **out, lg_error *err)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static lg__solver *solver;
    lg_status status = LG_OK;
    pthread_mutex_lock(&lock);
    if (solver == NULL) {
        void *handle = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
        void *symbol = handle ? dlsym(handle, LG__SOLVER_SYMBOL) : NULL;
        memcpy(&solver, &symbol, sizeof solver);
        if (solver == NULL)
            status = lg_error_set(err, LG_EUNSUPPORTED,
                                  "igraph cannot be opened: %s; install it (on "
                                  "Debian: apt install libigraph-dev)",
                                  dlerror());
    }
    if (status == LG_OK)
        *out = solver;
    pthread_mutex_unlock(&lock);
    return status;
}
