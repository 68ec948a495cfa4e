// Looks for the tree of all paths while the thread that will need it does
// something else.
#include "paths/root_tree.h"

#include <stdatomic.h>

// From this many nodes on, the search takes much longer than to start a thread.
enum { FOR_HELPER = 1 << 17 };

// How often whoever waits asks the monitor.
enum { MILLISECONDS = 50 };

struct lg__tree_ahead {
    lg_helper *helper;
    const lg_graph *graph;
    atomic_bool stop;
    _Atomic double done; // part of the search
};

static bool
goes_on(void *context, const char *phase, double done)
{
    lg__tree_ahead *ahead = context;
    (void)phase;
    atomic_store(&ahead->done, done);
    return !atomic_load(&ahead->stop);
}

// The graph keeps the tree. A failure is not told: whoever needs the tree looks
// for it then.
static void
search(void *context)
{
    lg__tree_ahead *ahead = context;
    const lg_monitor monitor = {goes_on, ahead};
    lg__roottree tree;
    lg_error error;
    if (lg__roottree_new(ahead->graph, &monitor, &tree, &error) == LG_OK)
        lg__roottree_free(&tree);
}

lg__tree_ahead *
lg__tree_ahead_begin(const lg_graph *graph)
{
    lg__hop_walk both; // its indexes, which both threads use, are made here
    if (graph->columns.node_count < FOR_HELPER || graph->lazy->has_paths ||
        !lg__paths_walk(graph, &both))
        return NULL;
    lg__tree_ahead *ahead = lg__calloc(1, sizeof *ahead);
    if (ahead == NULL)
        return NULL;
    ahead->graph = graph;
    ahead->helper = lg_helper_start(search, ahead);
    if (ahead->helper != NULL)
        return ahead;
    lg__free(ahead);
    return NULL;
}

lg_status
lg__tree_ahead_wait(lg__tree_ahead *ahead, const lg_monitor *monitor,
                    lg_error *err)
{
    while (ahead != NULL && !lg_helper_wait_for(ahead->helper, MILLISECONDS))
        if (!lg__monitor_goes_on(monitor, "looking for paths",
                                 atomic_load(&ahead->done), err))
            return LG_ECANCELLED;
    return LG_OK;
}

void
lg__tree_ahead_end(lg__tree_ahead *ahead)
{
    if (ahead == NULL)
        return;
    atomic_store(&ahead->stop, true);
    lg_helper_end(ahead->helper);
    lg__free(ahead);
}
