#include "binding/objects/py_analysis.h"
#include "binding/support/binding_support.h"

#include <leakgraph/analysis.h>

/* Waits without the GIL for the thread that analyses, if any; Ctrl-C ends the
 * wait. Refuses to wait for itself, as a progress callback would that asks the
 * snapshot. */
static bool
start_work(lg__snapshot_object *self)
{
    if (lg_lock_try(&self->at_work) != LG_LOCK_BUSY)
        return true;
    if (self->analyst == PyThread_get_thread_ident()) {
        PyErr_SetString(lg__object_state(self)->errors[LG__ERROR_BASE],
                        "This very thread is analysing the snapshot; ask it "
                        "once that is done.");
        return false;
    }
    /* The other thread can no longer get the GIL, so do not wait for it. */
    if (Py_IsFinalizing()) {
        PyErr_SetString(lg__object_state(self)->errors[LG__ERROR_BASE],
                        "A thread was analysing the snapshot when the "
                        "interpreter began to end: join the thread first.");
        return false;
    }
    for (;;) {
        lg_lock_result result;
        Py_BEGIN_ALLOW_THREADS
        result = lg_lock_take_or_signal(&self->at_work);
        Py_END_ALLOW_THREADS
        if (result != LG_LOCK_BUSY)
            return true;
        if (PyErr_CheckSignals() < 0)
            return false;
    }
}

static void
end_work(lg__snapshot_object *self)
{
    self->analyst = 0;
    lg_lock_give(&self->at_work);
}

/* Takes the analysis that was saved with the graph, or makes one. */
static lg_status
find_analysis(const lg_graph *graph, const lg_monitor *monitor,
              lg_analysis **out, lg_error *error)
{
    if (lg_analysis_load(graph, out, NULL) == LG_OK)
        return LG_OK;
    return lg_analysis_new(graph, monitor, out, error);
}

static bool
analyse(lg__snapshot_object *self, const lg_graph *graph,
        const lg_monitor *monitor)
{
    if (!start_work(self))
        return false;
    lg_analysis *analysis = self->analysis;
    lg_error error;
    lg_status status = LG_OK;
    self->analyst = PyThread_get_thread_ident();
    if (analysis == NULL) {
        Py_BEGIN_ALLOW_THREADS
        status = find_analysis(graph, monitor, &analysis, &error);
        Py_END_ALLOW_THREADS
    }
    if (status == LG_OK)
        self->analysis = analysis;
    end_work(self);
    if (status != LG_OK)
        lg__error_raise(lg__object_state(self), status, &error);
    return status == LG_OK;
}

const lg_analysis *
lg__analysis_acquire(lg__snapshot_object *snapshot, const lg_monitor *monitor)
{
    lg_graph *graph = lg__snapshot_acquire(snapshot);
    if (graph == NULL)
        return NULL;
    if (snapshot->analysis != NULL || analyse(snapshot, graph, monitor))
        return snapshot->analysis;
    lg__snapshot_release(snapshot);
    return NULL;
}

const lg_analysis *
lg__analysis_get(lg__snapshot_object *snapshot)
{
    if (lg__snapshot_graph(snapshot) == NULL)
        return NULL;
    if (snapshot->analysis != NULL)
        return snapshot->analysis;
    lg__progress watch;
    if (!lg__progress_begin(&watch, NULL))
        return NULL;
    const lg_analysis *made = lg__analysis_acquire(snapshot, &watch.monitor);
    if (made != NULL)
        lg__snapshot_release(snapshot);
    if (!lg__progress_finish(&watch, made ? LG_OK : LG_ECANCELLED))
        return NULL;
    /* Another thread may have closed the snapshot meanwhile. */
    return lg__snapshot_graph(snapshot) ? snapshot->analysis : NULL;
}
