/** What the module's table of contents needs of the answers. */
#ifndef LEAKGRAPH_BINDING_ANSWERS_H
#define LEAKGRAPH_BINDING_ANSWERS_H

#include "binding/answers/answer.h"
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"

/* Cycle: a row of Cycles, with what only its snapshot can say. */

/** Its attributes, such as nodes and drawing. Each Cycle of cycles() keeps its
 *  types and, of the first 20, its path and picture, because the snapshot goes
 *  with the call. */
extern const lg__answer_extras lg__cycle_extras;

/* Dominators: the top of a Snapshot's dominator tree. */

/** Its attributes: components and tops. */
extern const lg__answer_extras lg__dominators_extras;

/* Growth: what several snapshots have more and more of. */

extern const lg__answer_extras lg__growth_extras;

PyObject *lg__core_diff(PyObject *module, PyObject *const *args,
                        Py_ssize_t nargs, PyObject *kwnames);

extern const char lg__core_diff_doc[];

/* Baselines for the package's own Python code. */

PyObject *lg__core_baseline(PyObject *module, PyObject *args);
extern const char lg__core_baseline_doc[];
PyObject *lg__core_extend_baseline(PyObject *module, PyObject *args);
extern const char lg__core_extend_baseline_doc[];

/* Plain values of Python as JSON. */

/** _core._json(value): dicts, lists, tuples, texts, numbers, bools and None. */
PyObject *lg__core_json(PyObject *module, PyObject *value);

extern const char lg__core_json_doc[];

/* Whether noisy numbers rise. */

PyObject *lg__core_line(PyObject *module, PyObject *args);

extern const char lg__core_line_doc[];

/* Accounts of a recorded state of PyTorch's allocator. */

PyObject *lg__core_attribute(PyObject *module, PyObject *const *args,
                             Py_ssize_t nargs);

extern const char lg__core_attribute_doc[];

/* What MergedPaths have besides rows and facts: a picture. */

extern const lg__answer_extras lg__merged_extras;

/* Memory of a process and its children, by the places of its objects. */

PyObject *lg__core_copied_pages(PyObject *module, PyObject *args);
PyObject *lg__core_held_in(PyObject *module, PyObject *args);

extern const char lg__core_copied_pages_doc[], lg__core_held_in_doc[];

/* Ranks: how the processes of one job differ. */

extern const lg__answer_extras lg__ranks_extras;

PyObject *lg__core_ranks(PyObject *module, PyObject *const *args,
                         Py_ssize_t nargs, PyObject *kwnames);

extern const char lg__core_ranks_doc[];

PyObject *lg__core_rank(PyObject *module, PyObject *unused);

extern const char lg__core_rank_doc[];

/* Summaries: one of a snapshot in a file; of several as bytes, their sum and
 * its places. */

PyObject *lg__core_merge_summaries(PyObject *module, PyObject *args);
PyObject *lg__core_summary_places(PyObject *module, PyObject *summary);

extern const char lg__core_merge_summaries_doc[], lg__core_summary_places_doc[];

/* Texts laid out as a table, for the package. */

PyObject *lg__core_text_table(PyObject *module, PyObject *args);

extern const char lg__core_text_table_doc[];

/* Info: a dict that a REPL shows as the text that the command prints. */

extern PyType_Spec lg__info_spec;

/** The base type of Info. */
#define LG__INFO_BASE ((PyObject *)&PyDict_Type)

/* Why: what keeps one object alive. */

extern PyType_Spec lg__why_spec;

PyObject *lg__core_why(PyObject *module, PyObject *const *args,
                       Py_ssize_t nargs, PyObject *kwnames);

extern const char lg__core_why_doc[];

#endif
