/**
 * The extension module leakgraph._core: its table of contents.
 */
#include "binding/support/signal_fd.h"
#include "binding/objects/column.h"
#include "binding/named_tuples.h"
#include "binding/answers/py_cycles.h"
#include "binding/answers/py_dominators.h"
#include "binding/pictures/drawing.h"
#include "binding/objects/py_edge.h"
#include "binding/support/errors.h"
#include "binding/answers/py_figures.h"
#include "binding/capture/counters.h"
#include "binding/capture/snapshot_file.h"
#include "binding/answers/py_findings.h"
#include "binding/answers/py_fleet.h"
#include "binding/answers/py_growth.h"
#include "binding/answers/py_pages.h"
#include "binding/answers/py_ranks.h"
#include "binding/answers/py_baseline.h"
#include "binding/answers/py_line.h"
#include "binding/answers/py_memory.h"
#include "binding/answers/py_merged_paths.h"
#include "binding/objects/py_node.h"
#include "binding/objects/py_path.h"
#include "binding/capture/keep_memory.h"
#include "binding/capture/recorder.h"
#include "binding/capture/referrers.h"
#include "binding/capture/attaching.h"
#include "binding/answers/py_report.h"
#include "binding/answers/cycle_search.h"
#include "binding/objects/result.h"
#include "binding/objects/kept.h"
#include "binding/objects/row.h"
#include "binding/objects/sequence.h"
#include "binding/objects/size.h"
#include "binding/pictures/render_dot.h"
#include "binding/pictures/show.h"
#include "binding/objects/py_snapshot.h"
#include "binding/objects/type_table_object.h"
#include "binding/answers/py_tensors.h"
#include "binding/answers/py_text_table.h"
#include "binding/answers/py_threads.h"
#include "binding/answers/py_top.h"
#include "binding/answers/py_waste.h"
#include "binding/answers/py_what_if.h"
#include "binding/answers/py_why.h"
#include "capture/run/capture.h"

#include <leakgraph/version.h>

#define KEYWORDS (METH_FASTCALL | METH_KEYWORDS)

static PyMethodDef core_methods[] = {
    {"snapshot", FASTCALL(core_snapshot), KEYWORDS, core_snapshot_doc},
    {"save_snapshot", FASTCALL(core_save_snapshot), KEYWORDS,
     core_save_snapshot_doc},
    {"_attach", FASTCALL(core_attach), KEYWORDS, core_attach_doc},
    {"_attach_version", core_attach_version, METH_VARARGS,
     core_attach_version_doc},
    {"keep_memory", core_keep_memory, METH_O, core_keep_memory_doc},
    {"load", FASTCALL(core_load), KEYWORDS, core_load_doc},
    {"show_refs", FASTCALL(core_show_refs), KEYWORDS, core_show_refs_doc},
    {"show_backrefs", FASTCALL(core_show_backrefs), KEYWORDS,
     core_show_backrefs_doc},
    {"show_path", FASTCALL(core_show_path), KEYWORDS, core_show_path_doc},
    {"cycles", FASTCALL(core_cycles), KEYWORDS, core_cycles_doc},
    {"top", FASTCALL(core_top), KEYWORDS, core_top_doc},
    {"waste", FASTCALL(core_waste), KEYWORDS, core_waste_doc},
    {"tensors", FASTCALL(core_tensors), KEYWORDS, core_tensors_doc},
    {"figures", FASTCALL(core_figures), KEYWORDS, core_figures_doc},
    {"why", FASTCALL(core_why), KEYWORDS, core_why_doc},
    {"memory", FASTCALL(core_memory), KEYWORDS, core_memory_doc},
    {"_attribute", FASTCALL(core_attribute), METH_FASTCALL, core_attribute_doc},
    {"diff", FASTCALL(core_diff), KEYWORDS, core_diff_doc},
    {"ranks", FASTCALL(core_ranks), KEYWORDS, core_ranks_doc},
    {"_rank", core_rank, METH_NOARGS, core_rank_doc},
    {"_text_table", core_text_table, METH_VARARGS, core_text_table_doc},
    {"_render", core_render, METH_VARARGS, core_render_doc},
    {"_resident_bytes", core_resident_bytes, METH_NOARGS,
     core_resident_bytes_doc},
    {"_malloc_bytes", core_malloc_bytes, METH_NOARGS, core_malloc_bytes_doc},
    {"_children", core_children, METH_NOARGS, core_children_doc},
    {"_referrers", core_referrers, METH_VARARGS, core_referrers_doc},
    {"_line", core_line, METH_VARARGS, core_line_doc},
    {"_copied_pages", core_copied_pages, METH_VARARGS, core_copied_pages_doc},
    {"_held_in", core_held_in, METH_VARARGS, core_held_in_doc},
    {"_merge_summaries", core_merge_summaries, METH_VARARGS,
     core_merge_summaries_doc},
    {"_summary_places", core_summary_places, METH_O, core_summary_places_doc},
    {"_baseline", core_baseline, METH_VARARGS, core_baseline_doc},
    {"_extend_baseline", core_extend_baseline, METH_VARARGS,
     core_extend_baseline_doc},
    {"findings", FASTCALL(core_findings), KEYWORDS, core_findings_doc},
    {"_recalled", core_recalled, METH_O, core_recalled_doc},
    {"_open_signal_fd", core_open_signal_fd, METH_O, core_open_signal_fd_doc},
    {"_close_signal_fd", core_close_signal_fd, METH_NOARGS,
     core_close_signal_fd_doc},
    {NULL, NULL, 0, NULL},
};

typedef struct type_entry {
    core_type id;
    PyType_Spec *spec;
    PyObject *base;     /* NULL: object, or Result if `result` is set */
    const char *name;   /* NULL: the module does not export the type */
    bool constructible; /* Python code may make instances */
    bool result;
} type_entry;

static PyObject *
base_of(PyObject *module, const type_entry *entry)
{
    return entry->result ? (PyObject *)module_state(module)->types[TYPE_RESULT]
                         : entry->base;
}

static int
type_add(PyObject *module, const type_entry *entry)
{
    /* Python 3.9 takes the bases only as a tuple. */
    PyObject *base = base_of(module, entry);
    PyObject *bases = base ? PyTuple_Pack(1, base) : NULL;
    if (base != NULL && bases == NULL)
        return -1;
    PyObject *made = PyType_FromModuleAndSpec(module, entry->spec, bases);
    Py_XDECREF(bases);
    if (made == NULL)
        return -1;
    PyTypeObject *type = (PyTypeObject *)made;
    module_state(module)->types[entry->id] = type;
    if (!entry->constructible)
        type->tp_new = NULL;
    if (entry->name == NULL)
        return 0;
    Py_INCREF(made);
    if (PyModule_AddObject(module, entry->name, made) == 0)
        return 0;
    Py_DECREF(made);
    return -1;
}

static int
types_add(PyObject *module)
{
    const type_entry entries[] = {
        {TYPE_SNAPSHOT, &snapshot_spec, NULL, "Snapshot", false, false},
        {TYPE_NODE, &node_spec, NULL, "Node", false, false},
        {TYPE_EDGE, &edge_spec, NULL, "Edge", false, false},
        {TYPE_NODES, &nodes_spec, NULL, "Nodes", false, false},
        {TYPE_EDGES, &edges_spec, NULL, "Edges", false, false},
        {TYPE_ROOTS, &roots_spec, NULL, "Roots", false, false},
        {TYPE_COLUMN, &column_spec, NULL, NULL, false, false},
        {TYPE_SIZE, &size_spec, NULL, "Size", true, false},
        {TYPE_RESULT, &result_spec, NULL, "Result", false, false},
        {TYPE_DOMINATORS, &dominators_spec, NULL, "Dominators", false, true},
        {TYPE_TABLE, &table_spec, NULL, "TypeTable", false, true},
        {TYPE_INFO, &info_spec, INFO_BASE, "Info", false, false},
        {TYPE_THREADS, &threads_spec, NULL, "Threads", false, true},
        {TYPE_DRAWING, &drawing_spec, NULL, "Drawing", false, false},
        {TYPE_CYCLES, &cycles_spec, NULL, "Cycles", false, true},
        {TYPE_PATH, &path_spec, NULL, "Path", false, false},
        {TYPE_TOP, &top_spec, NULL, "Top", false, true},
        {TYPE_TENSORS, &tensors_spec, NULL, "Tensors", false, true},
        {TYPE_TENSOR_GROUPS, &tensor_groups_spec, NULL, "TensorGroups", false,
         true},
        {TYPE_FIGURES, &figures_spec, NULL, "Figures", false, true},
        {TYPE_ACCOUNTING, &accounting_spec, NULL, "Accounting", false, true},
        {TYPE_FINDINGS, &findings_spec, NULL, "Findings", false, true},
        {TYPE_GROWTH, &growth_spec, NULL, "Growth", false, true},
        {TYPE_RANKS, &ranks_spec, NULL, "Ranks", false, true},
        {TYPE_MERGED, &merged_spec, NULL, "MergedPaths", false, true},
        {TYPE_WASTE, &waste_spec, NULL, "Waste", false, true},
        {TYPE_WHAT_IF, &what_if_spec, NULL, "WhatIf", false, true},
        {TYPE_WHY, &why_spec, NULL, "Why", false, false},
    };
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (type_add(module, &entries[i]) < 0)
            return -1;
    return 0;
}

static int
core_exec(PyObject *module)
{
    if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
        PyErr_SetString(PyExc_ImportError,
                        "leakgraph works in the main interpreter only, not in "
                        "a subinterpreter");
        return -1;
    }
    lg_capture_self_check();
    if (lg_capture_announce() < 0 || errors_add(module) < 0 ||
        types_add(module) < 0 || named_tuples_add(module) < 0)
        return -1;
    return PyModule_AddStringConstant(module, "__version__", lg_version());
}

static int
core_traverse(PyObject *module, visitproc visit, void *arg)
{
    core_state *state = module_state(module);
    for (int i = 0; i < TYPE_COUNT; i++)
        Py_VISIT(state->types[i]);
    for (int i = 0; i < ERROR_COUNT; i++)
        Py_VISIT(state->errors[i]);
    return 0;
}

static int
core_clear(PyObject *module)
{
    core_state *state = module_state(module);
    for (int i = 0; i < TYPE_COUNT; i++)
        Py_CLEAR(state->types[i]);
    for (int i = 0; i < ERROR_COUNT; i++)
        Py_CLEAR(state->errors[i]);
    return 0;
}

static void
core_free(void *module)
{
    core_clear(module);
}

static PyModuleDef_Slot core_slots[] = {
    SLOT(Py_mod_exec, core_exec),
    NO_SUBINTERPRETERS NO_GIL{0, NULL},
};

static struct PyModuleDef core_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "leakgraph._core",
    .m_doc = "Captures, snapshots and pictures; import leakgraph instead.",
    .m_size = sizeof(core_state),
    .m_methods = core_methods,
    .m_slots = core_slots,
    .m_traverse = core_traverse,
    .m_clear = core_clear,
    .m_free = core_free,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC
PyInit__core(void)
{
    return PyModuleDef_Init(&core_module);
}
