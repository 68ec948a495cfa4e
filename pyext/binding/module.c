/**
 * The extension module leakgraph._core: its table of contents, and the named
 * tuples with their fields, as help() shows them.
 */
#include "binding/objects/binding_objects.h"
#include "binding/support/binding_support.h"
#include "binding/answers/binding_answers.h"
#include "binding/pictures/binding_pictures.h"
#include "binding/capture/binding_capture.h"
#include "bytes/python/bytes_python.h"
#include "capture/run/capture_run.h"
#include "heap/heap.h"

#include <leakgraph/version.h>

#define KEYWORDS (METH_FASTCALL | METH_KEYWORDS)

static PyMethodDef core_methods[] = {
    {"snapshot", LG__FASTCALL(lg__core_snapshot), KEYWORDS,
     lg__core_snapshot_doc},
    {"save_snapshot", LG__FASTCALL(lg__core_save_snapshot), KEYWORDS,
     lg__core_save_snapshot_doc},
    {"_attach", LG__FASTCALL(lg__core_attach), KEYWORDS, lg__core_attach_doc},
    {"_attach_version", lg__core_attach_version, METH_VARARGS,
     lg__core_attach_version_doc},
    {"_native_blocks", lg__core_native_blocks, METH_NOARGS,
     lg__core_native_blocks_doc},
    {"keep_memory", lg__core_keep_memory, METH_O, lg__core_keep_memory_doc},
    {"load", LG__FASTCALL(lg__core_load), KEYWORDS, lg__core_load_doc},
    {"show_refs", LG__FASTCALL(lg__core_show_refs), KEYWORDS,
     lg__core_show_refs_doc},
    {"show_backrefs", LG__FASTCALL(lg__core_show_backrefs), KEYWORDS,
     lg__core_show_backrefs_doc},
    {"show_path", LG__FASTCALL(lg__core_show_path), KEYWORDS,
     lg__core_show_path_doc},
    {"why", LG__FASTCALL(lg__core_why), KEYWORDS, lg__core_why_doc},
    {"_attribute", LG__FASTCALL(lg__core_attribute), METH_FASTCALL,
     lg__core_attribute_doc},
    {"diff", LG__FASTCALL(lg__core_diff), KEYWORDS, lg__core_diff_doc},
    {"ranks", LG__FASTCALL(lg__core_ranks), KEYWORDS, lg__core_ranks_doc},
    {"_rank", lg__core_rank, METH_NOARGS, lg__core_rank_doc},
    {"_text_table", lg__core_text_table, METH_VARARGS, lg__core_text_table_doc},
    {"info", LG__FASTCALL(lg__core_info), KEYWORDS, lg__core_info_doc},
    {"export", LG__FASTCALL(lg__core_export), KEYWORDS, lg__core_export_doc},
    {"report", LG__FASTCALL(lg__core_report), KEYWORDS, lg__core_report_doc},
    {"retained", LG__FASTCALL(lg__core_retained), KEYWORDS,
     lg__core_retained_doc},
    {"_render", lg__core_render, METH_VARARGS, lg__core_render_doc},
    {"_resident_bytes", lg__core_resident_bytes, METH_NOARGS,
     lg__core_resident_bytes_doc},
    {"_malloc_bytes", lg__core_malloc_bytes, METH_NOARGS,
     lg__core_malloc_bytes_doc},
    {"_snapshot_need", lg__core_snapshot_need, METH_NOARGS,
     lg__core_snapshot_need_doc},
    {"_control_groups", lg__core_control_groups, METH_O,
     lg__core_control_groups_doc},
    {"_group_room", lg__core_group_room, METH_O, lg__core_group_room_doc},
    {"_children", lg__core_children, METH_NOARGS, lg__core_children_doc},
    {"_referrers", lg__core_referrers, METH_VARARGS, lg__core_referrers_doc},
    {"_is_installed", lg__core_is_installed, METH_O, lg__core_is_installed_doc},
    {"_object_traceback", lg__core_object_traceback, METH_O,
     lg__core_object_traceback_doc},
    {"_questions", lg__core_questions, METH_NOARGS, lg__core_questions_doc},
    {"_json", lg__core_json, METH_O, lg__core_json_doc},
    {"_line", lg__core_line, METH_VARARGS, lg__core_line_doc},
    {"_copied_pages", lg__core_copied_pages, METH_VARARGS,
     lg__core_copied_pages_doc},
    {"_held_in", lg__core_held_in, METH_VARARGS, lg__core_held_in_doc},
    {"_merge_summaries", lg__core_merge_summaries, METH_VARARGS,
     lg__core_merge_summaries_doc},
    {"_summary_places", lg__core_summary_places, METH_O,
     lg__core_summary_places_doc},
    {"_baseline", lg__core_baseline, METH_VARARGS, lg__core_baseline_doc},
    {"_extend_baseline", lg__core_extend_baseline, METH_VARARGS,
     lg__core_extend_baseline_doc},
    {"_edge", lg__core_edge, METH_VARARGS, lg__core_edge_doc},
    {"_path", lg__core_path, METH_VARARGS, lg__core_path_doc},
    {"_recalled", lg__core_recalled, METH_O, lg__core_recalled_doc},
    {"_open_signal_fd", lg__core_open_signal_fd, METH_VARARGS,
     lg__core_open_signal_fd_doc},
    {"_die_by_signal", lg__core_die_by_signal, METH_O,
     lg__core_die_by_signal_doc},
    {"_hears_signal", lg__core_hears_signal, METH_O, lg__core_hears_signal_doc},
    {"_close_signal_fd", lg__core_close_signal_fd, METH_O,
     lg__core_close_signal_fd_doc},
    {NULL, NULL, 0, NULL},
};

typedef struct type_entry {
    lg__core_type id;
    PyType_Spec *spec;
    PyObject *base;     /* NULL: object, or Result if `result` is set */
    const char *name;   /* NULL: the module does not export the type */
    bool constructible; /* Python code may make instances */
    bool result;
} type_entry;

static PyObject *
base_of(PyObject *module, const type_entry *entry)
{
    return entry->result
               ? (PyObject *)lg__module_state(module)->types[LG__TYPE_RESULT]
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
    lg__module_state(module)->types[entry->id] = type;
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
        {LG__TYPE_SNAPSHOT, &lg__snapshot_spec, NULL, "Snapshot", false, false},
        {LG__TYPE_NODE, &lg__node_spec, NULL, "Node", false, false},
        {LG__TYPE_EDGE, &lg__edge_spec, NULL, "Edge", false, false},
        {LG__TYPE_NODES, &lg__nodes_spec, NULL, "Nodes", false, false},
        {LG__TYPE_EDGES, &lg__edges_spec, NULL, "Edges", false, false},
        {LG__TYPE_ROOTS, &lg__roots_spec, NULL, "Roots", false, false},
        {LG__TYPE_COLUMN, &lg__column_spec, NULL, NULL, false, false},
        {LG__TYPE_SIZE, &lg__size_spec, LG__SIZE_BASE, "Size", true, false},
        {LG__TYPE_RESULT, &lg__result_spec, NULL, "Result", false, false},
        {LG__TYPE_INFO, &lg__info_spec, LG__INFO_BASE, "Info", false, false},
        {LG__TYPE_DRAWING, &lg__drawing_spec, NULL, "Drawing", false, false},
        {LG__TYPE_PATH, &lg__path_spec, NULL, "Path", false, false},
        {LG__TYPE_WHY, &lg__why_spec, NULL, "Why", false, false},
    };
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (type_add(module, &entries[i]) < 0)
            return -1;
    return 0;
}

static PyStructSequence_Field root_fields[] = {
    {"node", "its node"},
    {"kind", "'module', 'thread', 'interpreter', 'static', 'native', 'given'"},
    {"name", "its name, or ''"},
    {NULL, NULL},
};

static PyStructSequence_Field capture_info_fields[] = {
    {"nodes", "objects"},
    {"edges", "references"},
    {"seconds", "from the call to the finished file"},
    {"bytes", "size of the file"},
    {"path", "its path, with {pid}, {rank} and {n} filled in"},
    {"method", "'internal', or 'public: reason'"},
    {"pause", "seconds for which the process stopped"},
    {NULL, NULL},
};

static const struct {
    lg__core_type id;
    PyStructSequence_Desc desc;
} tuples[] = {
    {LG__TYPE_ROOT,
     {"leakgraph.Root", "Where reachability starts.", root_fields, 3}},
    {LG__TYPE_CAPTURE_INFO,
     {"leakgraph.CaptureInfo", "What save_snapshot() did.", capture_info_fields,
      7}},
};

/** Makes each type and adds it to the module; -1 with an exception. */
static int
named_tuples_add(PyObject *module)
{
    for (size_t i = 0; i < sizeof tuples / sizeof *tuples; i++) {
        PyStructSequence_Desc desc = tuples[i].desc;
        if (lg__row_type_new(module, tuples[i].id, &desc) < 0)
            return -1;
    }
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
    lg__capture_self_check();
    lg__malloc_cached_find();
    lg__native_open();
    static const lg__answer_extras *const extras[] = {&lg__cycle_extras,
                                                      &lg__dominators_extras,
                                                      &lg__merged_extras,
                                                      &lg__what_if_extras,
                                                      &lg__growth_extras,
                                                      &lg__ranks_extras,
                                                      NULL};
    if (lg__capture_announce() < 0 || lg__errors_add(module) < 0 ||
        types_add(module) < 0 || named_tuples_add(module) < 0 ||
        lg__answers_add(module, extras) < 0)
        return -1;
    return PyModule_AddStringConstant(module, "__version__", lg_version());
}

static int
core_traverse(PyObject *module, visitproc visit, void *arg)
{
    lg__core_state *state = lg__module_state(module);
    for (int i = 0; i < LG__TYPES; i++)
        Py_VISIT(state->types[i]);
    for (int i = 0; i < LG__ERRORS; i++)
        Py_VISIT(state->errors[i]);
    return 0;
}

static int
core_clear(PyObject *module)
{
    lg__core_state *state = lg__module_state(module);
    for (int i = 0; i < LG__TYPES; i++)
        Py_CLEAR(state->types[i]);
    for (int i = 0; i < LG__ERRORS; i++)
        Py_CLEAR(state->errors[i]);
    return 0;
}

static void
core_free(void *module)
{
    core_clear(module);
}

static PyModuleDef_Slot core_slots[] = {
    LG__SLOT(Py_mod_exec, core_exec),
    LG__NO_SUBINTERPRETERS LG__NO_GIL{0, NULL},
};

static struct PyModuleDef core_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "leakgraph._core",
    .m_doc = "Captures, snapshots and pictures; import leakgraph instead.",
    .m_size = sizeof(lg__core_state),
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
