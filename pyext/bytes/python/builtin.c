/**
 * Python's own objects that keep their bytes elsewhere: bytearray, array, mmap,
 * ctypes and StringIO; and memoryview, which shows bytes that another object
 * keeps. The structs are the same from CPython 3.9 to 3.15, but for StringIO's
 * and bytearray's.
 */
#include "bytes/common/bytes_common.h"
#include "capture/common/capture_common.h"

#include <leakgraph/internal/capture_builder.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    KIND_BYTEARRAY = 1,
    KIND_ARRAY,
    KIND_MMAP,
    KIND_CTYPES,
    KIND_STRINGIO,
    KIND_MEMORYVIEW,
    KIND_BYTESIO,
    KIND_BYTESIO_VIEW,
};

/** Modules/arraymodule.c: arrayobject and arraydescr. */
typedef struct array_layout {
    PyObject_VAR_HEAD char *items;
    Py_ssize_t allocated;
    const struct {
        char code;
        int item_size;
    } * descriptor;
} array_layout;

/** Modules/mmapmodule.c: mmap_object. */
typedef struct mmap_layout {
    PyObject_HEAD
    char *data;
    Py_ssize_t size;
    Py_ssize_t position;
    off_t offset;
    Py_ssize_t exports;
    int descriptor;
} mmap_layout;

/** Modules/_ctypes/ctypes.h: CDataObject. */
typedef struct ctypes_layout {
    PyObject_HEAD
    char *data;
    int needs_free;
    PyObject *base;
    Py_ssize_t size;
} ctypes_layout;

/** Modules/_io/bytesio.c: the first fields of bytesio and bytesiobuf. */
typedef struct bytesio_layout {
    PyObject_HEAD
    PyObject *content; /**< bytes; in a view: the bytesio */
} bytesio_layout;

typedef struct builtin {
    const lg__known *known;
    const lg__mapped_files *files; /**< NULL: not read yet */
} builtin;

static bool
prepare(lg__adapter_pass *pass, void **state)
{
    builtin *own = lg__pass_keep(pass, sizeof *own);
    if (own == NULL)
        return false;
    own->known = lg__pass_types(pass);
    *state = own;
    return true;
}

static unsigned
kind_of(void *state, PyTypeObject *type)
{
    const lg__known *known = ((const builtin *)state)->known;
    if (PyType_IsSubtype(type, &PyByteArray_Type))
        return KIND_BYTEARRAY;
    if (type == &PyMemoryView_Type)
        return KIND_MEMORYVIEW;
    return lg__known_is(known, type, LG__KNOWN_ARRAY)   ? KIND_ARRAY
           : lg__known_is(known, type, LG__KNOWN_MMAP)  ? KIND_MMAP
           : lg__known_is(known, type, LG__KNOWN_CDATA) ? KIND_CTYPES
           : lg__known_is(known, type, LG__KNOWN_STRINGIO) &&
                   lg__stringio_is_known(known->type[LG__KNOWN_STRINGIO])
               ? KIND_STRINGIO
           : lg__known_is(known, type, LG__KNOWN_BYTESIO) ? KIND_BYTESIO
           : lg__known_is(known, type, LG__KNOWN_BYTESIO_VIEW)
               ? KIND_BYTESIO_VIEW
               : 0;
}

static void
visit_stringio(lg__adapter_pass *pass, const PyObject *stream)
{
    lg__stringio_parts parts = lg__stringio_read(stream);
    for (size_t i = 0; i < LG__STRINGIO_OBJECTS; i++) {
        PyObject *part = parts.objects[i];
        if (part != NULL && PyUnicode_CheckExact(part))
            lg__pass_leave_out(pass, part);
        lg__pass_name_edge(pass, part, LG_EDGE_NATIVE, "content");
    }
}

/** The contents of a BytesIO are an object. The __sizeof__ of the BytesIO
 *  counts it, too, and its tp_traverse reports it from 3.13 on. */
static void
visit(lg__adapter_pass *pass, void *state, PyObject *object, unsigned kind)
{
    PyObject *content = ((bytesio_layout *)object)->content;
    (void)state;
    if (kind == KIND_STRINGIO)
        visit_stringio(pass, object);
    if (kind == KIND_BYTESIO || kind == KIND_BYTESIO_VIEW)
        lg__pass_name_edge(pass, content, LG_EDGE_ATTRIBUTE,
                           kind == KIND_BYTESIO ? "content" : "source");
}

static void
finish(void *state)
{
    (void)state;
}

static void
set_text(lg__adapter_pass *pass, uint32_t node, const char *text)
{
    lg_builder_set_text(lg__pass_builder(pass), node, text, strlen(text));
}

static void
add_fact(lg__adapter_pass *pass, uint32_t node, const char *key,
         const char *value)
{
    lg_builder_add_fact(lg__pass_builder(pass), node, key, value,
                        strlen(value));
}

static void
add_bytes(lg__adapter_pass *pass, uint32_t node, Py_ssize_t bytes)
{
    lg_builder_add_fact_number(lg__pass_builder(pass), node, "bytes",
                               (uint64_t)bytes);
}

/** `d[100]` for an array('d') of 100. */
static void
describe_items(lg__adapter_pass *pass, uint32_t node, const char *code,
               Py_ssize_t count)
{
    char text[64];
    snprintf(text, sizeof text, "%.32s[%zd]", code, count);
    set_text(pass, node, text);
    add_fact(pass, node, "dtype", code);
    snprintf(text, sizeof text, "%zd", count);
    add_fact(pass, node, "shape", text);
}

/** Finds the file of a mapping through its descriptor. */
static bool
describe_file(lg__adapter_pass *pass, uint32_t node, int descriptor)
{
    char link[64], path[256];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    set_text(pass, node, length > 0 ? path : "anonymous");
    return true;
}

/** A mapping without a descriptor may have a file all the same. Shared memory
 *  without a name has /dev/zero. */
static bool
describe_anonymous(lg__adapter_pass *pass, builtin *own, uint32_t node,
                   const char *data)
{
    char name[256];
    if (own->files == NULL)
        own->files = lg__mapped_files_read(pass);
    bool mapped =
        own->files != NULL &&
        lg__mapped_files_name(own->files, (uintptr_t)data, name, sizeof name);
    bool unnamed = mapped && strncmp(name, "/dev/zero", 9) == 0;
    set_text(pass, node,
             unnamed  ? "anonymous, shared"
             : mapped ? name
                      : "anonymous");
    return mapped;
}

static lg__shown_memory
memory_of_bytearray(PyObject *object)
{
    lg__shown_memory memory = {0};
    memory.address = lg__bytearray_memory(object, &memory.length);
    return memory;
}

static lg__shown_memory
memory_of_array(lg__adapter_pass *pass, uint32_t node, PyObject *object)
{
    const array_layout *array = (array_layout *)object;
    char code[2] = {array->descriptor->code};
    describe_items(pass, node, code, Py_SIZE(array));
    add_bytes(pass, node, Py_SIZE(array) * array->descriptor->item_size);
    return (lg__shown_memory){
        .address = array->items,
        .length = (uint64_t)(array->allocated * array->descriptor->item_size)};
}

static lg__shown_memory
memory_of_mmap(lg__adapter_pass *pass, builtin *own, uint32_t node,
               PyObject *object)
{
    const mmap_layout *map = (mmap_layout *)object;
    if (map->data == NULL) {
        set_text(pass, node, "closed");
        return (lg__shown_memory){0};
    }
    bool mapped = map->descriptor >= 0
                      ? describe_file(pass, node, map->descriptor)
                      : describe_anonymous(pass, own, node, map->data);
    return (lg__shown_memory){.address = map->data,
                              .length = (uint64_t)map->size,
                              .flags = mapped ? LG_SPAN_MAPPED : 0};
}

/** A small value lies in the object itself. A ctypes object with a base shows
 *  the memory of its base. */
static lg__shown_memory
memory_of_ctypes(lg__adapter_pass *pass, uint32_t node, PyObject *object)
{
    const ctypes_layout *data = (ctypes_layout *)object;
    Py_ssize_t size = Py_TYPE(object)->tp_basicsize;
    if (size < 96 || size > 112) {
        add_fact(pass, node, "not inspected", "an unknown layout of ctypes");
        return (lg__shown_memory){0};
    }
    if (!data->needs_free ||
        (uintptr_t)data->data - (uintptr_t)object < (size_t)size)
        return (lg__shown_memory){0};
    return (lg__shown_memory){.address = data->data,
                              .length = (uint64_t)data->size};
}

static lg__shown_memory
memory_of_stringio(const PyObject *object)
{
    lg__stringio_parts parts = lg__stringio_read(object);
    return (lg__shown_memory){.address = parts.buffer, .length = parts.bytes};
}

static void
scan_memoryview(lg__adapter_pass *pass, const lg__instance *instance)
{
    const PyMemoryViewObject *shown = (PyMemoryViewObject *)instance->object;
    if (shown->flags & _Py_MEMORYVIEW_RELEASED || shown->mbuf == NULL) {
        set_text(pass, instance->node, "released");
        return;
    }
    const Py_buffer *view = &shown->view;
    describe_items(pass, instance->node, view->format ? view->format : "B",
                   view->itemsize ? view->len / view->itemsize : 0);
    add_bytes(pass, instance->node, view->len);
    if (instance->frontier || view->len <= 0 || shown->mbuf->master.len <= 0)
        return;
    lg__shown_memory memory = {
        .address = shown->mbuf->master.buf,
        .length = (uint64_t)shown->mbuf->master.len,
        .type = lg__pass_type(pass, "memoryview.memory", LG_NONE),
    };
    lg__exporter_add(pass, shown->mbuf->master.obj, instance->node, &memory);
}

static const char *const buffer_types[] = {
    [KIND_BYTEARRAY] = "bytearray.memory", [KIND_ARRAY] = "array.memory",
    [KIND_MMAP] = "mmap.memory",           [KIND_CTYPES] = "ctypes.memory",
    [KIND_STRINGIO] = "StringIO.memory",
};

static void
scan_owner(lg__adapter_pass *pass, builtin *own, const lg__instance *instance)
{
    lg__shown_memory memory = {0};
    switch (instance->kind) {
    case KIND_BYTEARRAY:
        memory = memory_of_bytearray(instance->object);
        break;
    case KIND_ARRAY:
        memory = memory_of_array(pass, instance->node, instance->object);
        break;
    case KIND_MMAP:
        memory = memory_of_mmap(pass, own, instance->node, instance->object);
        break;
    case KIND_STRINGIO:
        memory = memory_of_stringio(instance->object);
        break;
    default:
        memory = memory_of_ctypes(pass, instance->node, instance->object);
    }
    memory.flags |= LG_SPAN_OWNER;
    memory.type = lg__pass_type(pass, buffer_types[instance->kind], LG_NONE);
    if (instance->frontier)
        lg__pass_add_size(pass, instance->node, (int64_t)memory.length);
    else
        lg__shown_memory_add(pass, instance->node, &memory);
}

static void
scan_all(lg__adapter_pass *pass, void *state)
{
    lg__instance instance;
    while (lg__pass_next(pass, &instance))
        if (instance.kind == KIND_MEMORYVIEW)
            scan_memoryview(pass, &instance);
        else if (instance.kind < KIND_MEMORYVIEW)
            scan_owner(pass, state, &instance);
}

const lg__adapter lg__builtin_adapter = {
    .name = "builtin",
    .prepare = prepare,
    .kind = kind_of,
    .visit = visit,
    .pass = scan_all,
    .finish = finish,
};
