// Looks for the tree of all paths while the thread that will need it does
// something else.
#include "paths/paths_private.h"

// From this many nodes on, the search takes much longer than to start a thread.
enum { FOR_HELPER = 1 << 17 };

// How often whoever waits asks the monitor.
enum { MILLISECONDS = 50 };

static const char what[] = "looking for paths";

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
static void *
search(void *context)
{
    lg__tree_ahead *ahead = context;
    const lg_monitor monitor = {goes_on, ahead};
    lg__roottree tree;
    lg_error error;
    if (lg__roottree_new(ahead->graph, &monitor, &tree, &error) == LG_OK)
        lg__roottree_free(&tree);
    return NULL;
}

void
lg__tree_ahead_begin(lg__tree_ahead *ahead, const lg_graph *graph)
{
    // Both threads use this.
    lg__walk walk;
    ahead->graph = graph;
    if (graph->columns.node_count >= FOR_HELPER && !graph->lazy->has_paths &&
        lg__paths_walk(graph, &walk))
        lg__helper_start(&ahead->helper, search, ahead);
}

lg_status
lg__tree_ahead_wait(lg__tree_ahead *ahead, const lg_monitor *monitor,
                    lg_error *err)
{
    while (!lg__helper_wait_for(&ahead->helper, MILLISECONDS))
        if (!lg__monitor_goes_on(monitor, what, atomic_load(&ahead->done),
                                 err)) {
            lg__tree_ahead_stop(ahead);
            return LG_ECANCELLED;
        }
    return LG_OK;
}

void
lg__tree_ahead_stop(lg__tree_ahead *ahead)
{
    atomic_store(&ahead->stop, true);
    lg__helper_wait(&ahead->helper);
}
