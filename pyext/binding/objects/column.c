/** Columns of a graph as read-only buffers. */
#include "binding/objects/binding_objects.h"

#include <leakgraph/internal/columns.h>
#include "binding/support/binding_support.h"

typedef struct column_object {
    PyObject_HEAD
    lg__snapshot_object *snapshot;
    void *copy; /**< of a narrow column; or NULL */
    const void *data;
    Py_ssize_t count;
    Py_ssize_t itemsize;
    const char *format;
} column_object;

typedef struct column_view {
    const char *name;
    const void *data; /**< NULL: the column is narrow */
    lg_narrow_name narrow;
    uint64_t count;
    Py_ssize_t itemsize;
    const char *format;
} column_view;

static bool
column_lookup(const lg_columns *of, PyObject *name, column_view *found)
{
    uint64_t nodes = of->node_count, edges = of->edge_count;
    const column_view views[] = {
        {"address", of->address.wide, LG_NARROW_ADDRESS, nodes, 8, "Q"},
        {"type", of->type.shift == 2 ? of->type.numbers : NULL, LG_NARROW_TYPE,
         nodes, 4, "I"},
        {"size", of->size.wide, LG_NARROW_SIZE, nodes, 4, "I"},
        {"refcount", of->refcount.wide, LG_NARROW_REFCOUNT, nodes, 4, "I"},
        {"found", of->found.wide, LG_NARROW_FOUND, nodes, 4, "I"},
        {"node_flags", of->node_flags, LG_NARROW_FLAGS, nodes, 2, "H"},
        {"first_edge", NULL, LG_NARROW_FIRST_EDGE, nodes + 1, 8, "Q"},
        {"edge_target", NULL, LG_NARROW_TARGET, edges, 4, "I"},
        {"edge_payload", of->payload.wide, LG_NARROW_PAYLOAD, edges, 4, "I"},
        {"edge_kind", NULL, LG_NARROW_KIND, edges, 1, "B"},
    };
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (PyUnicode_CompareWithASCIIString(name, views[i].name) == 0) {
            *found = views[i];
            return true;
        }
    return false;
}

/** The numbers of a narrow column, as a block. */
static void *
copy_of(const lg_columns *columns, const column_view *view)
{
    void *copy = PyMem_Malloc((size_t)view->count * (size_t)view->itemsize);
    if (copy == NULL)
        return PyErr_NoMemory();
    lg_columns_write(columns, view->narrow, 0, (size_t)view->count, copy);
    return copy;
}

static PyObject *
column_new(lg__core_state *state, lg__snapshot_object *snapshot,
           const lg_columns *columns, const column_view *view)
{
    void *copy = view->data == NULL ? copy_of(columns, view) : NULL;
    if (view->data == NULL && copy == NULL)
        return NULL;
    column_object *self = lg__object_new(state, LG__TYPE_COLUMN);
    if (self == NULL) {
        PyMem_Free(copy);
        return NULL;
    }
    Py_INCREF(snapshot);
    self->snapshot = snapshot;
    self->copy = copy;
    self->data = copy != NULL ? copy : view->data;
    self->count = (Py_ssize_t)view->count;
    self->itemsize = view->itemsize;
    self->format = view->format;
    return (PyObject *)self;
}

PyObject *
lg__snapshot_column(PyObject *self, PyObject *name)
{
    lg__snapshot_object *snapshot = (lg__snapshot_object *)self;
    lg__core_state *state = lg__object_state(self);
    lg_graph *graph = lg__snapshot_graph(snapshot);
    if (graph == NULL)
        return NULL;
    column_view view;
    if (!PyUnicode_Check(name))
        return PyErr_Format(PyExc_TypeError, "a column's name is a str");
    if (!column_lookup(lg_graph_columns(graph), name, &view))
        return PyErr_Format(state->errors[LG__ERROR_ARGUMENT],
                            "There is no column '%U'; see help(column).", name);
    PyObject *column =
        column_new(state, snapshot, lg_graph_columns(graph), &view);
    PyObject *memory = column ? PyMemoryView_FromObject(column) : NULL;
    Py_XDECREF(column);
    return memory;
}

static void
column_dealloc(column_object *self)
{
    Py_XDECREF(self->snapshot);
    PyMem_Free(self->copy);
    lg__object_free(self);
}

static int
column_getbuffer(column_object *self, Py_buffer *view, int flags)
{
    view->obj = NULL;
    if (flags & PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError, "a snapshot is read-only");
        return -1;
    }
    if (lg__snapshot_graph(self->snapshot) == NULL)
        return -1;
    Py_INCREF(self);
    self->snapshot->exports++;
    *view = (Py_buffer){
        .obj = (PyObject *)self,
        .buf = (void *)(uintptr_t)self->data,
        .len = self->count * self->itemsize,
        .readonly = 1,
        .itemsize = self->itemsize,
        .ndim = 1,
        .format = flags & PyBUF_FORMAT ? (char *)(uintptr_t)self->format : NULL,
        .shape = flags & PyBUF_ND ? &self->count : NULL,
        .strides =
            (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? &self->itemsize : NULL,
    };
    return 0;
}

static void
column_releasebuffer(column_object *self, Py_buffer *Py_UNUSED(view))
{
    self->snapshot->exports--;
}

static PyType_Slot column_slots[] = {
    LG__SLOT(Py_tp_dealloc, column_dealloc),
    LG__SLOT(Py_bf_getbuffer, column_getbuffer),
    LG__SLOT(Py_bf_releasebuffer, column_releasebuffer),
    {Py_tp_doc, "The exporter behind the memoryview of Snapshot.column()."},
    {0, NULL},
};

PyType_Spec lg__column_spec = {
    .name = "leakgraph._core.Column",
    .basicsize = sizeof(column_object),
    .flags = LG__FINAL_TYPE,
    .slots = column_slots,
};
