/** Finds what a caller asks about, as nodes of a Snapshot: for other answers,
 * and for select(), find() and the operators [] and `in`. */
#ifndef LEAKGRAPH_TARGET_H
#define LEAKGRAPH_TARGET_H

#include "binding/objects/py_snapshot.h"

/** What a text stands for in a graph: lg_graph_select() and its like. */
typedef lg_status lg__look_up(const lg_graph *graph, const char *text,
                              const lg_monitor *monitor, void *out,
                              lg_error *error);
/** Looks a text up without the GIL, and fills `out`. `what` names the text in
 *  messages: "the selector". False with an exception. */
bool lg__target_look_up(lg__snapshot_object *snapshot, const char *what,
                        PyObject *text, lg__look_up *look_up, void *out);

/** Finds the nodes of a target: a str is a selector, a Node is itself, anything
 *  else is an object. Fails if there is none. */
bool lg__target_resolve(lg__snapshot_object *snapshot, PyObject *target,
                        lg_nodes *nodes);

/** Whether the target is an object, and not a str, a Node or several of
 *  them. */
bool lg__target_is_live(lg__core_state *state, PyObject *target);

/** False with ArgumentError for a str that reads as a selector, which only
 *  snapshots take. */
bool lg__target_is_object(lg__core_state *state, const char *function,
                          PyObject *object);

/** Like lg__target_resolve, but also takes a Nodes, a list of Node, and a list
 * or tuple of targets that is no object of the snapshot. */
bool lg__target_resolve_set(lg__snapshot_object *snapshot, PyObject *target,
                            lg_nodes *nodes);

/** Finds the nodes of objects in a graph that was just captured here. */
bool lg__target_locate(lg__core_state *state, lg_graph *graph,
                       PyObject *const *objects, size_t count, lg_nodes *nodes);

/** Whether the object has the type of the node, by the address of the type. */
bool lg__target_has_type(const lg_graph *graph, uint32_t node,
                         PyObject *object);
/** Whether the graph is of this process. */
bool lg__target_is_here(const lg_graph *graph);

/** Appends `more` to `nodes`. */
bool lg__nodes_extend(lg_nodes *nodes, const uint32_t *more, size_t count);

extern const char lg__snapshot_select_doc[];
PyObject *lg__snapshot_select(PyObject *snapshot, PyObject *const *args,
                              Py_ssize_t nargs, PyObject *kwnames);
/** The node of a live object, or None; of a str that is a selector, the only
 * node that it selects. A text such as '# a remark' or '#ff7700' is an object.
 */
PyObject *lg__snapshot_find(PyObject *snapshot, PyObject *object);
/** The node of a name, a selector or a live object; NotFoundError if there is
 *  none. */
PyObject *lg__snapshot_item(PyObject *snapshot, PyObject *key);
/** Whether lg__snapshot_item() finds it; -1 with an exception. */
int lg__snapshot_has(PyObject *snapshot, PyObject *key);

#endif
