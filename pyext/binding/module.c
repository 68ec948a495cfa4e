/**
 * The extension module leakgraph._core: its table of contents.
 */
#include "binding/support/signal_fd.h"
#include "binding/objects/column.h"
#include "binding/answers/py_cycle.h"
#include "binding/answers/py_cycles.h"
#include "binding/answers/py_dominators.h"
#include "binding/pictures/drawing.h"
#include "binding/objects/py_edge.h"
#include "binding/support/errors.h"
#include "binding/answers/py_figures.h"
#include "binding/capture/snapshot_file.h"
#include "binding/answers/py_findings.h"
#include "binding/answers/py_memory.h"
#include "binding/answers/py_merged_paths.h"
#include "binding/objects/py_node.h"
#include "binding/objects/py_path.h"
#include "binding/capture/keep_memory.h"
#include "binding/capture/recorder.h"
#include "binding/answers/py_report.h"
#include "binding/answers/cycle_search.h"
#include "binding/objects/result.h"
#include "binding/objects/row.h"
#include "binding/objects/sequence.h"
#include "binding/objects/size.h"
#include "binding/pictures/show.h"
#include "binding/objects/py_snapshot.h"
#include "binding/objects/type_table_object.h"
#include "binding/answers/py_tensors.h"
#include "binding/answers/py_top.h"
#include "binding/answers/py_why.h"
#include "capture/run/capture.h"

#define KEYWORDS (METH_FASTCALL | METH_KEYWORDS)

static PyMethodDef core_methods[] = {
    {"snapshot", FASTCALL(core_snapshot), KEYWORDS, core_snapshot_doc},
    {"save_snapshot", FASTCALL(core_save_snapshot), KEYWORDS,
     core_save_snapshot_doc},
    {"keep_memory", core_keep_memory, METH_O, core_keep_memory_doc},
    {"load", FASTCALL(core_load), KEYWORDS, core_load_doc},
    {"show_refs", FASTCALL(core_show_refs), KEYWORDS, core_show_refs_doc},
    {"show_backrefs", FASTCALL(core_show_backrefs), KEYWORDS,
     core_show_backrefs_doc},
    {"show_path", FASTCALL(core_show_path), KEYWORDS, core_show_path_doc},
    {"cycles", FASTCALL(core_cycles), KEYWORDS, core_cycles_doc},
    {"top", FASTCALL(core_top), KEYWORDS, core_top_doc},
    {"tensors", FASTCALL(core_tensors), KEYWORDS, core_tensors_doc},
    {"figures", FASTCALL(core_figures), KEYWORDS, core_figures_doc},
    {"why", FASTCALL(core_why), KEYWORDS, core_why_doc},
    {"memory", FASTCALL(core_memory), KEYWORDS, core_memory_doc},
    {"_attribute", FASTCALL(core_attribute), METH_FASTCALL, core_attribute_doc},
    {"findings", FASTCALL(core_findings), KEYWORDS, core_findings_doc},
    {"_open_signal_fd", core_open_signal_fd, METH_O, core_open_signal_fd_doc},
    {"_close_signal_fd", core_close_signal_fd, METH_NOARGS,
     core_close_signal_fd_doc},
    {NULL, NULL, 0, NULL},
};

/* --------------------------------------------------------------- types --- */

typedef struct type_entry {
    core_type id;
    PyType_Spec *spec;
    PyObject *base;     /* NULL: object, or for a result Result */
    const char *name;   /* NULL: not a name of the module */
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
    /* Python 3.9 takes the bases as a tuple only. */
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
        {TYPE_TABLE, &table_spec, NULL, "TypeTable", false, true},
        {TYPE_INFO, &info_spec, INFO_BASE, "Info", false, false},
        {TYPE_REPORT, &report_spec, REPORT_BASE, "Report", true, false},
        {TYPE_DRAWING, &drawing_spec, NULL, "Drawing", false, false},
        {TYPE_DOMINATORS, &dominators_spec, NULL, "Dominators", false, false},
        {TYPE_CYCLES, &cycles_spec, NULL, "Cycles", false, false},
        {TYPE_CYCLE, &cycle_spec, NULL, "Cycle", false, false},
        {TYPE_PATH, &path_spec, NULL, "Path", false, false},
        {TYPE_TOP, &top_spec, NULL, "Top", false, true},
        {TYPE_TENSORS, &tensors_spec, NULL, "Tensors", false, true},
        {TYPE_TENSOR_GROUPS, &tensor_groups_spec, NULL, "TensorGroups", false,
         true},
        {TYPE_FIGURES, &figures_spec, NULL, "Figures", false, true},
        {TYPE_ACCOUNTING, &accounting_spec, NULL, "Accounting", false, true},
        {TYPE_FINDINGS, &findings_spec, NULL, "Findings", false, true},
        {TYPE_MERGED, &merged_spec, NULL, "MergedPaths", false, true},
        {TYPE_WHY, &why_spec, NULL, "Why", false, false},
    };
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (type_add(module, &entries[i]) < 0)
            return -1;
    return 0;
}

/* -------------------------------------------------------- named tuples --- */

static PyStructSequence_Field root_fields[] = {
    {"node", "where it stands"},
    {"kind", "'module', 'thread', 'interpreter', 'static', 'native', 'given'"},
    {"name", "its name, or ''"},
    {NULL, NULL},
};

static PyStructSequence_Field type_row_fields[] = {
    {"name", "module and qualified name of the type"},
    {"count", "how many objects"},
    {"bytes", "their shallow sizes together"},
    {NULL, NULL},
};

static PyStructSequence_Field top_row_fields[] = {
    {"name", "the object in a few words, or the name of the group"},
    {"node", "the object's node; None for a group"},
    {"count", "how many objects"},
    {"size", "their shallow sizes together: a Size"},
    {"retained", "what only they keep alive: a Size"},
    {"held_by",
     "the way from a root; of garbage, its cycle; empty for a group"},
    {NULL, NULL},
};

static PyStructSequence_Field tensor_row_fields[] = {
    {"node", "the storage"},
    {"tensor", "the widest tensor that looks at it, or None"},
    {"device", "'cuda:0', 'host'"},
    {"dtype", "'float32', or None"},
    {"shape", "of the tensor: a tuple, a str if it is symbolic, or None"},
    {"kind", "what it is for: 'parameter', 'gradient', 'activation' ..."},
    {"bytes", "of the storage"},
    {"used", "of those, what the tensor shows; 0: not known"},
    {"tensors", "how many look at it"},
    {"autograd", "the node that made the tensor: 'MulBackward0', or None"},
    {"held_by", "the way from a root, or 'garbage'"},
    {"allocation", "where it was allocated, innermost first, or None"},
    {"block", "the allocator's: a dict of address, size, requested, stream; "
              "or None"},
    {NULL, NULL},
};

static PyStructSequence_Field tensor_group_fields[] = {
    {"name", "the kind, device, dtype or shape"},
    {"storages", "how many"},
    {"bytes", "of all of them, by device"},
    {NULL, NULL},
};

static PyStructSequence_Field merged_row_fields[] = {
    {"depth", "0 at a root"},
    {"label", "of the reference from the row above: '.x', '[*]'; '' at a root"},
    {"name", "what is there, in a few words"},
    {"node", "one of the nodes; None for rows left out"},
    {"count", "how many nodes, or rows left out"},
    {"objects", "of those asked about, how many lie here or below"},
    {"retained", "host bytes that those retain, no byte twice"},
    {"device", "the same on all devices together"},
    {NULL, NULL},
};

static PyStructSequence_Field figure_row_fields[] = {
    {"node", "the figure"},
    {"number", "pyplot's, or None"},
    {"width", "of its canvas, in pixels"},
    {"height", "of its canvas, in pixels"},
    {"axes", "how many"},
    {"artists", "how many, axes included"},
    {"canvas", "bytes of pixels; 0: it was never drawn"},
    {"retained", "bytes that would be freed with it, canvas included; by "
                 "device"},
    {"closed", "whether pyplot does not know it"},
    {"reachable", "False for garbage"},
    {"held_by", "pairs of a kind and where that is"},
    {NULL, NULL},
};

static PyStructSequence_Field account_fields[] = {
    {"device", "its name: 'cuda:0'"},
    {"known",
     "whether its allocator told its blocks; else only outside counts"},
    {"reserved", "= allocated + pending + inactive"},
    {"allocated", "= attributed + unattributed"},
    {"pending", "freed, but a stream may still use it"},
    {"inactive", "free, kept for reuse"},
    {"private_inactive", "of that, in private pools"},
    {"attributed", "= used + rounding + slack; blocks that an object has"},
    {"used", "by tensors and arrays"},
    {"rounding", "to the allocator's block sizes"},
    {"slack", "asked for and used by nothing"},
    {"unattributed", "blocks that no object has"},
    {"outside", "buffers in no segment"},
    {"stale", "buffers in blocks that are not allocated"},
    {"residual", "the allocator's own count less allocated"},
    {"beyond", "the driver's use beyond reserved; None: not told"},
    {"by_kind", "dict of attributed bytes by kind of tensor"},
    {"by_evidence", "dict of (bytes, blocks) of unattributed ones"},
    {NULL, NULL},
};

static PyStructSequence_Field finding_fields[] = {
    {"pattern", "its name: 'loss-history'"},
    {"cause", "what keeps the memory, in a sentence"},
    {"fix", "what to do, in a line"},
    {"holder", "node to cut at; None for C++ that no snapshot sees"},
    {"held_by", "where the holder is, in words"},
    {"example", "node of one thing that is kept; None likewise"},
    {"count", "how many things are kept"},
    {"retained", "bytes that only they keep alive, by device"},
    {"alike", "index of the biggest finding that it is like"},
    {NULL, NULL},
};

static PyStructSequence_Field hop_fields[] = {
    {"label", "as Python would write it: '.x', '[0]', \"['key']\""},
    {"source", "node that holds"},
    {"target", "node that is held"},
    {"reason", "why it is the one to cut; '' for any other"},
    {NULL, NULL},
};

static PyStructSequence_Field bytes_fields[] = {
    {"host", "bytes of host memory"},
    {"device", "bytes of all devices together"},
    {NULL, NULL},
};

static PyStructSequence_Field capture_info_fields[] = {
    {"nodes", "objects"},
    {"edges", "references"},
    {"seconds", "from the call to the finished file"},
    {"bytes", "size of the file"},
    {"path", "where it is, {pid} and {n} filled in"},
    {"method", "'internal', or 'public: reason'"},
    {"pause", "seconds that the process stood still"},
    {NULL, NULL},
};

static int
tuple_add(PyObject *module, core_type id, PyStructSequence_Desc *desc)
{
    PyTypeObject *type = PyStructSequence_NewType(desc);
    if (type == NULL || row_type_finish(type, desc) < 0) {
        Py_XDECREF((PyObject *)type);
        return -1;
    }
    module_state(module)->types[id] = type;
    return PyModule_AddType(module, type);
}

static int
tuples_add(PyObject *module)
{
    const struct {
        core_type id;
        PyStructSequence_Desc desc;
    } tuples[] = {
        {TYPE_ROOT,
         {"leakgraph.Root", "Where reachability starts.", root_fields, 3}},
        {TYPE_TYPE_ROW,
         {"leakgraph.TypeRow", "A row of Snapshot.types().", type_row_fields,
          3}},
        {TYPE_TOP_ROW,
         {"leakgraph.TopRow", "A row of top().", top_row_fields, 6}},
        {TYPE_TENSOR_ROW,
         {"leakgraph.TensorRow", "A row of tensors().", tensor_row_fields, 13}},
        {TYPE_TENSOR_GROUP,
         {"leakgraph.TensorGroup", "A row of tensors() with a group.",
          tensor_group_fields, 3}},
        {TYPE_FIGURE_ROW,
         {"leakgraph.FigureRow", "A row of figures().", figure_row_fields, 11}},
        {TYPE_ACCOUNT,
         {"leakgraph.Account", "The bytes of a device.", account_fields, 18}},
        {TYPE_FINDING,
         {"leakgraph.Finding", "A known mistake that a snapshot shows.",
          finding_fields, 9}},
        {TYPE_MERGED_ROW,
         {"leakgraph.MergedRow", "A row of MergedPaths.", merged_row_fields,
          8}},
        {TYPE_HOP,
         {"leakgraph.Hop", "A step from a holder to what it holds.", hop_fields,
          4}},
        {TYPE_BYTES, {"leakgraph.Bytes", "Sizes, in bytes.", bytes_fields, 2}},
        {TYPE_CAPTURE_INFO,
         {"leakgraph.CaptureInfo", "What save_snapshot() did.",
          capture_info_fields, 7}},
    };
    for (size_t i = 0; i < sizeof tuples / sizeof *tuples; i++) {
        PyStructSequence_Desc desc = tuples[i].desc;
        if (tuple_add(module, tuples[i].id, &desc) < 0)
            return -1;
    }
    return 0;
}

/* -------------------------------------------------------------- module --- */

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
        types_add(module) < 0 || tuples_add(module) < 0)
        return -1;
    return PyModule_AddStringConstant(module, "__version__", LG_VERSION);
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
