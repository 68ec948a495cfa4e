/** ranks(): how the processes of one job differ. */
#include "binding/answers/binding_answers.h"
#include "binding/answers/answer.h"
#include "binding/answers/compared.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"

#include <leakgraph/internal/page.h>
#include <leakgraph/internal/ranks.h>
#include <leakgraph/internal/report.h>

#include <stdlib.h>

/* How many rows the text shows; Python sees all. */
#define SHOWN_ROWS 20

typedef struct ranks_request {
    lg__compared given;
    lg_ranks_options options;
    lg__progress progress;
} ranks_request;

#define ANSWER_NAME "leakgraph.ranks"

static void
drop_answer(PyObject *capsule)
{
    lg_ranks *ranks = PyCapsule_GetPointer(capsule, ANSWER_NAME);
    lg_ranks_free(ranks);
    free(ranks);
}

/* A capsule that takes over the answer, from which the page is written. */
static PyObject *
keep_answer(lg_ranks *ranks)
{
    lg_ranks *kept = malloc(sizeof *kept);
    PyObject *capsule = NULL;
    if (kept == NULL)
        PyErr_NoMemory();
    else
        capsule = PyCapsule_New(kept, ANSWER_NAME, NULL);
    if (capsule == NULL) {
        free(kept);
        lg_ranks_free(ranks);
        return NULL;
    }
    *kept = *ranks;
    PyCapsule_SetDestructor(capsule, drop_answer);
    return capsule;
}

static lg_status
find_ranks(const ranks_request *self, lg_ranks *out, lg_table **table,
           lg_error *error)
{
    lg_status status =
        lg_ranks_find((const lg_summary *const *)self->given.summaries,
                      (size_t)self->given.count, &self->options, out, error);
    if (status != LG_OK)
        return status;
    const lg_ask ask = {0};
    status = lg_question_tabulate(lg_question_find("ranks"), &ask, out, table,
                                  error);
    if (status != LG_OK)
        lg_ranks_free(out);
    return status;
}

/* Takes over what was found and the table. The sizes belong to no snapshot. */
static PyObject *
answer(lg__core_state *state, lg_ranks *found, lg_table *table)
{
    PyObject *capsule = keep_answer(found);
    PyObject *gone = lg__compared_gone(state, table);
    PyObject *ranks = NULL;
    if (gone != NULL && capsule != NULL) {
        ranks =
            lg__answer_of((lg__snapshot_object *)gone, "ranks", table, capsule);
    } else {
        lg_table_free(table);
        Py_XDECREF(capsule);
    }
    Py_XDECREF(gone);
    return ranks;
}

static PyObject *
request_run(ranks_request *self, lg__core_state *state, PyObject *const *args)
{
    Py_ssize_t last = self->given.count - 1;
    const lg_analysis *newest;
    self->given.words = true;
    if (!lg__compared_enough(&self->given, state, "ranks") ||
        !lg__compared_open(&self->given, state, args, &self->progress.monitor,
                           &newest))
        return NULL;
    lg_ranks found;
    lg_table *table = NULL;
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = find_ranks(self, &found, &table, &error);
    Py_END_ALLOW_THREADS
    if (newest != NULL)
        lg__snapshot_release(
            (lg__snapshot_object *)self->given.snapshots[last]);
    return status == LG_OK ? answer(state, &found, table)
                           : lg__error_raise(state, status, &error);
}

const char lg__core_ranks_doc[] =
    "ranks($module, first, second, /, *more, min_bytes=1048576,\n"
    "      progress=None)\n"
    "--\n\n"
    "How the processes of one job differ, and what they all repeat.\n\n"
    "A sequence of RankRow, the furthest from the usual first. Snapshots are "
    "Snapshot\n"
    "objects, or paths of saved snapshots or summaries, of the same moment.\n\n"
    "min_bytes  leave out smaller differences: a number, or '64 MiB'\n"
    "progress   as in snapshot()";

PyObject *
lg__core_ranks(PyObject *module, PyObject *const *args, Py_ssize_t nargs,
               PyObject *kwnames)
{
    static const char *const names[] = {"min_bytes", "progress", NULL};
    static const lg__arg_list list = {"ranks", names, 0, 0};
    lg__core_state *state = lg__module_state(module);
    PyObject *values[2] = {NULL};
    ranks_request request = {.options = LG_RANKS_OPTIONS_INIT};
    PyObject *ranks = NULL;
    if (!lg__args_take(&list, args + nargs, 0, kwnames, values))
        return NULL;
    if (lg__compared_begin(&request.given, nargs) &&
        lg__arg_bytes("min_bytes", values[0], 0, &request.options.min_bytes) &&
        lg__progress_begin(&request.progress, values[1])) {
        ranks = request_run(&request, state, args);
        ranks = lg__progress_end(&request.progress, ranks);
    }
    lg__compared_end(&request.given);
    return ranks;
}

static PyObject *
save_page(lg__result_object *self, PyObject *path,
          const lg_page_options *options)
{
    Py_ssize_t last = PyTuple_GET_SIZE(self->facts) - 1;
    PyObject *capsule = PyTuple_GET_ITEM(self->facts, last);
    lg_error error;
    lg_status status;
    Py_BEGIN_ALLOW_THREADS
    status = lg_page_ranks_save(PyCapsule_GetPointer(capsule, ANSWER_NAME),
                                options, PyBytes_AS_STRING(path), &error);
    Py_END_ALLOW_THREADS
    if (status != LG_OK)
        return lg__error_raise(lg__object_state(self), status, &error);
    return PyUnicode_DecodeFSDefault(PyBytes_AS_STRING(path));
}

static PyObject *
ranks_report(lg__result_object *self, PyObject *const *args, Py_ssize_t nargs,
             PyObject *kwnames)
{
    static const char *const names[] = {"path", "title", NULL};
    static const lg__arg_list list = {"report", names, 1, 1};
    PyObject *values[2] = {NULL};
    lg_page_options options = LG_PAGE_OPTIONS_INIT;
    if (!lg__args_take(&list, args, nargs, kwnames, values) ||
        !lg__arg_text("title", values[1], &options.title))
        return NULL;
    PyObject *path = lg__pathname_filled(values[0]);
    PyObject *saved = path ? save_page(self, path, &options) : NULL;
    Py_XDECREF(path);
    return saved;
}

static PyMethodDef ranks_methods[] = {
    {"report", (PyCFunction)(void (*)(void))ranks_report,
     METH_FASTCALL | METH_KEYWORDS,
     "report($self, /, path, *, title=None)\n"
     "--\n\n"
     "Write all of it as one web page to a file and return its path.\n\n"
     "{pid}, {rank} and {n} in path stand for the same as in "
     "Snapshot.save().\n\n"
     "title  the page's title; the default is the number of ranks"},
    {NULL, NULL, 0, NULL},
};

const lg__answer_extras lg__ranks_extras = {
    .question = "ranks",
    .shown = SHOWN_ROWS,
    .methods = ranks_methods,
};

const char lg__core_rank_doc[] =
    "_rank($module, /)\n--\n\n"
    "The number of this process in its job, as text; None: it is in no job.";

PyObject *
lg__core_rank(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    const char *rank = lg_process_rank();
    if (rank == NULL)
        Py_RETURN_NONE;
    return PyUnicode_FromString(rank);
}
