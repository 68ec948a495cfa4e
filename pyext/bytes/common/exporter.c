#include "bytes/common/exporter.h"

#include "bytes/common/numpy_array.h"

#include <leakgraph/internal/capture_builder.h>

/** How many views of views to follow. */
enum { CHAIN_MAX = 64 };

void
lg__shown_memory_add(lg__adapter_pass *pass, uint32_t holder,
                     const lg__shown_memory *memory)
{
    lg_builder *builder = lg__pass_builder(pass);
    lg_span span = {
        .holder = holder,
        .address = (uint64_t)(uintptr_t)memory->address,
        .length = memory->length,
        .type = memory->type,
        .text = memory->text,
        .label = memory->label != 0 ? memory->label
                                    : lg_builder_intern(builder, "data", 4),
        .flags = memory->flags,
    };
    lg_builder_add_span(builder, &span);
}

/** NULL after a release. */
static PyObject *
exporter_of_view(PyObject *view)
{
    const _PyManagedBufferObject *managed = ((PyMemoryViewObject *)view)->mbuf;
    return managed != NULL ? managed->master.obj : NULL;
}

/** The object behind a chain of arrays and memoryviews that owns the memory. */
static PyObject *
origin(const lg__known *known, PyObject *exporter)
{
    for (int i = 0; i < CHAIN_MAX; i++) {
        PyObject *next = NULL;
        const lg__numpy_array *array = (lg__numpy_array *)exporter;
        if (PyMemoryView_Check(exporter))
            next = exporter_of_view(exporter);
        else if (lg__known_is(known, Py_TYPE(exporter), LG__KNOWN_NDARRAY) &&
                 !(array->flags & LG__ARRAY_OWNS_DATA))
            next = array->base;
        if (next == NULL)
            break;
        exporter = next;
    }
    return exporter;
}

/** Returns whether the memory of such objects counts anyway: an adapter adds
 *  it, or their own size includes it. */
static bool
is_counted(const lg__known *known, PyObject *exporter)
{
    static const lg__known_name names[] = {
        LG__KNOWN_ARRAY,
        LG__KNOWN_MMAP,
        LG__KNOWN_BYTESIO,
        LG__KNOWN_BYTESIO_VIEW,
    };
    const PyTypeObject *type = Py_TYPE(exporter);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (lg__known_is(known, type, names[i]))
            return true;
    if (PyByteArray_Check(exporter))
        return true;
    return lg__known_is(known, type, LG__KNOWN_NDARRAY) &&
           ((lg__numpy_array *)exporter)->flags & LG__ARRAY_OWNS_DATA;
}

/** Returns whether the memory begins inside the object itself. */
static bool
is_inside(PyObject *object, const void *address)
{
    const PyTypeObject *type = Py_TYPE(object);
    Py_ssize_t size = type->tp_basicsize;
    if (type->tp_itemsize > 0)
        size += Py_ABS(Py_SIZE(object)) * type->tp_itemsize;
    return (uintptr_t)address - (uintptr_t)object < (size_t)size;
}

/** Returns whether the memory begins at an item of an array that owns its
 *  memory. */
static bool
has_item(const lg__known *known, PyObject *object, const void *address)
{
    const lg__numpy_array *array = (lg__numpy_array *)object;
    if (!lg__known_is(known, Py_TYPE(object), LG__KNOWN_NDARRAY) ||
        !(array->flags & LG__ARRAY_OWNS_DATA))
        return false;
    size_t last = 0;
    for (int i = 0; i < array->dimension_count; i++)
        if (array->dimensions[i] > 0)
            last += (size_t)(array->dimensions[i] - 1) *
                    (size_t)Py_ABS(array->strides[i]);
    return (uintptr_t)address - (uintptr_t)array->data <= last;
}

/** Returns whether the node, or its own namespace, refers to an array that owns
 *  the memory. as_strided() and an __array_interface__ put such an object in
 *  between. */
static bool
passes_on(lg__adapter_pass *pass, uint32_t node, const void *address)
{
    const lg_builder *builder = lg__pass_builder(pass);
    const lg__known *known = lg__pass_types(pass);
    uint64_t edge, end;
    while (node != LG_NONE && lg__pass_edges(pass, node, &edge, &end)) {
        node = LG_NONE;
        for (; edge < end; edge++) {
            uint32_t target = lg_builder_target(builder, edge);
            unsigned kind = lg_builder_kind(builder, edge) & LG_EDGE_KIND_MASK;
            PyObject *object =
                (PyObject *)(uintptr_t)lg_builder_address(builder, target);
            if (kind == LG_EDGE_DICT)
                node = target;
            if ((kind == LG_EDGE_ATTRIBUTE || kind == LG_EDGE_VALUE) &&
                has_item(known, origin(known, object), address))
                return true;
        }
    }
    return false;
}

void
lg__exporter_add(lg__adapter_pass *pass, PyObject *exporter, uint32_t holder,
                 const lg__shown_memory *memory)
{
    const lg__known *known = lg__pass_types(pass);
    lg__shown_memory shown = *memory;
    uint32_t node = LG_NONE;
    if (exporter != NULL) {
        exporter = origin(known, exporter);
        if (is_counted(known, exporter))
            return;
        node = lg__pass_known(pass, exporter);
    }
    if (node == LG_NONE)
        node = holder;
    else if (is_inside(exporter, memory->address))
        shown.flags |= LG_SPAN_INLINE;
    else if (passes_on(pass, node, memory->address))
        return;
    lg__shown_memory_add(pass, node, &shown);
}
