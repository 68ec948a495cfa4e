/** Baselines for the package's own Python code. */
#ifndef LEAKGRAPH_PY_BASELINE_H
#define LEAKGRAPH_PY_BASELINE_H

#include "binding/support/binding_support.h"
#include <leakgraph/internal/growth.h>

/** The arguments baseline and update_baseline of an answer. */
typedef struct lg__baseline_request {
    PyObject *path;        /* borrowed; or NULL */
    lg_baseline *baseline; /* or NULL; the caller frees it */
    bool update;           /* add what the baseline does not know */
} lg__baseline_request;

/** Reads the file now, so that a missing file fails before a snapshot is taken.
 *  False with an exception. */
bool lg__baseline_parse(lg__baseline_request *self, lg__core_state *state,
                        PyObject *path, PyObject *update);
/** Leaves out what the baseline knows. With `update`, adds the rest to the
 *  baseline. */
lg_status lg__baseline_take_growth(const lg__baseline_request *self,
                                   lg_growth *growth, lg_error *error);
/** Writes the file if that was asked for. False with an exception. */
bool lg__baseline_write(const lg__baseline_request *self,
                        lg__core_state *state);

PyObject *lg__core_baseline(PyObject *module, PyObject *args);
extern const char lg__core_baseline_doc[];
PyObject *lg__core_extend_baseline(PyObject *module, PyObject *args);
extern const char lg__core_extend_baseline_doc[];

#endif
