/**
 * What the walk knows of a type: how its instances are laid out, which words
 * have names, what it is called. Worked out once per type and capture.
 */
#include "walk.h"

#include <string.h>

/** Whether PyMemberDef declares an object word inside the struct. */
static bool
is_object_member(const PyTypeObject *type, const PyMemberDef *member)
{
    return (member->type == T_OBJECT || member->type == T_OBJECT_EX) &&
           member->offset >= (Py_ssize_t)sizeof(PyObject) &&
           member->offset + (Py_ssize_t)sizeof(PyObject *) <=
               type->tp_basicsize;
}

typedef struct known_shape {
    const PyTypeObject *type;
    lg_shape shape;
    const lg_field *fields;
    size_t count;
} known_shape;

#define FIELDS(table) table, LG_COUNT(table)

/** The shape of a type that CPython has a struct for; those that it does not
 *  export are known by name. */
static known_shape
shape_of(PyTypeObject *type)
{
    const known_shape known[] = {
        {&PyList_Type, LG_SHAPE_LIST, NULL, 0},
        {&PyTuple_Type, LG_SHAPE_TUPLE, NULL, 0},
        {&PyDict_Type, LG_SHAPE_DICT, NULL, 0},
        {&PySet_Type, LG_SHAPE_SET, NULL, 0},
        {&PyFrozenSet_Type, LG_SHAPE_SET, NULL, 0},
        {&PyUnicode_Type, LG_SHAPE_STR, NULL, 0},
        {&PyLong_Type, LG_SHAPE_INT, NULL, 0},
        {&PyBytes_Type, LG_SHAPE_BYTES, NULL, 0},
        {&PyByteArray_Type, LG_SHAPE_BYTEARRAY, NULL, 0},
        {&PyType_Type, LG_SHAPE_TYPE, NULL, 0},
        {&PyRange_Type, LG_SHAPE_PLAIN, FIELDS(lg_range_fields)},
        {&PyFunction_Type, LG_SHAPE_FUNCTION, FIELDS(lg_function_fields)},
        {&PyCode_Type, LG_SHAPE_CODE, FIELDS(lg_code_fields)},
        {&PyFrame_Type, LG_SHAPE_FRAME, FIELDS(lg_frame_object_fields)},
        {&PyGen_Type, LG_SHAPE_GENERATOR, FIELDS(lg_generator_fields)},
        {&PyCoro_Type, LG_SHAPE_GENERATOR, FIELDS(lg_coroutine_fields)},
        {&PyAsyncGen_Type, LG_SHAPE_GENERATOR, FIELDS(lg_coroutine_fields)},
        {&PyModule_Type, LG_SHAPE_MODULE, FIELDS(lg_module_fields)},
        {&_PyWeakref_RefType, LG_SHAPE_WEAKREF, FIELDS(lg_weakref_fields)},
        {&_PyWeakref_ProxyType, LG_SHAPE_WEAKREF, FIELDS(lg_weakref_fields)},
        {&_PyWeakref_CallableProxyType, LG_SHAPE_WEAKREF,
         FIELDS(lg_weakref_fields)},
        {&PyCell_Type, LG_SHAPE_PLAIN, FIELDS(lg_cell_fields)},
        {&PyMethod_Type, LG_SHAPE_PLAIN, FIELDS(lg_method_fields)},
        {&PyTraceBack_Type, LG_SHAPE_PLAIN, FIELDS(lg_traceback_fields)},
        {&PyCFunction_Type, LG_SHAPE_BUILTIN, FIELDS(lg_builtin_method_fields)},
        {&PyMemoryView_Type, LG_SHAPE_PLAIN, FIELDS(lg_memoryview_fields)},
        {&PyMemberDescr_Type, LG_SHAPE_DESCRIPTOR,
         FIELDS(lg_descriptor_fields)},
        {&PyGetSetDescr_Type, LG_SHAPE_DESCRIPTOR,
         FIELDS(lg_descriptor_fields)},
        {&PyMethodDescr_Type, LG_SHAPE_DESCRIPTOR,
         FIELDS(lg_descriptor_fields)},
        {&PyWrapperDescr_Type, LG_SHAPE_DESCRIPTOR,
         FIELDS(lg_descriptor_fields)},
        {&PyClassMethodDescr_Type, LG_SHAPE_DESCRIPTOR,
         FIELDS(lg_descriptor_fields)},
        {(PyTypeObject *)PyExc_BaseException, LG_SHAPE_EXCEPTION,
         FIELDS(lg_exception_fields)},
    };
    for (size_t i = 0; i < LG_COUNT(known); i++)
        if (known[i].type == type)
            return known[i];
    known_shape other = {type, LG_SHAPE_PLAIN, NULL, 0};
    if (strcmp(type->tp_name, "managedbuffer") == 0) {
        other.fields = lg_managed_buffer_fields;
        other.count = LG_COUNT(lg_managed_buffer_fields);
    } else if (strcmp(type->tp_name, "collections.deque") == 0) {
        other.shape = LG_SHAPE_DEQUE;
    } else if (strcmp(type->tp_name, "functools._lru_cache_wrapper") == 0) {
        other.shape = LG_SHAPE_LRU_CACHE;
    }
    return other;
}

static bool
has_field_at(const lg_type_info *info, uint32_t offset)
{
    for (uint32_t i = 0; i < info->field_count; i++)
        if (info->fields[i].offset == offset)
            return true;
    return false;
}

static void
add_field(lg_type_info *info, uint32_t offset, uint32_t name, unsigned kind)
{
    if (has_field_at(info, offset))
        return;
    info->fields[info->field_count++] =
        (lg_named_field){offset, name, (uint8_t)kind};
}

/** An upper bound on the named words of a type: its own and its bases'. */
static size_t
field_bound(PyTypeObject *type)
{
    size_t count = 1;
    for (PyTypeObject *base = type; base != NULL; base = base->tp_base) {
        count += shape_of(base).count;
        for (PyMemberDef *m = base->tp_members; m != NULL && m->name != NULL;
             m++)
            count++;
    }
    return count;
}

/** Fills fields and shape from the chain of bases, structs before members. */
static bool
collect_fields(lg_walk *walk, lg_type_info *info)
{
    PyTypeObject *type = info->type;
    info->fields = lg_walk_keep(walk, field_bound(type) * sizeof *info->fields);
    if (info->fields == NULL)
        return false;
    for (PyTypeObject *base = type; base != NULL; base = base->tp_base) {
        known_shape known = shape_of(base);
        if (info->shape == LG_SHAPE_PLAIN)
            info->shape = (uint8_t)known.shape;
        for (size_t i = 0; i < known.count; i++)
            add_field(info, known.fields[i].offset,
                      lg_walk_intern(walk, known.fields[i].name),
                      known.fields[i].kind);
    }
    for (PyTypeObject *base = type; base != NULL; base = base->tp_base)
        for (PyMemberDef *m = base->tp_members; m != NULL && m->name != NULL;
             m++)
            if (is_object_member(type, m))
                add_field(info, (uint32_t)m->offset,
                          lg_walk_intern(walk, m->name), LG_EDGE_ATTRIBUTE);
    return true;
}

static void
find_dict(lg_type_info *info)
{
    PyTypeObject *type = info->type;
    if (lg_type_has_managed_dict(type))
        info->dict_kind = LG_DICT_MANAGED;
    else if (type->tp_dictoffset > 0)
        add_field(info, (uint32_t)type->tp_dictoffset, 0, LG_EDGE_DICT);
    else if (type->tp_dictoffset < 0)
        info->dict_kind = LG_DICT_OFFSET;
}

/** Whether tp_traverse of this type reports exactly its __slots__, its
 *  attributes or dict, and itself (Objects/typeobject.c, subtype_traverse). */
static bool
is_simple_class(const lg_type_info *info)
{
    PyTypeObject *type = info->type;
    if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE) || type->tp_itemsize ||
        type->tp_is_gc != NULL || info->shape != LG_SHAPE_PLAIN ||
        info->dict_kind == LG_DICT_OFFSET)
        return false;
    PyTypeObject *base = type;
    while (base != NULL && base->tp_traverse == lg_subtype_traverse) {
        for (PyMemberDef *m = base->tp_members; m != NULL && m->name != NULL;
             m++)
            if (m->type == T_OBJECT)
                return false;
        base = base->tp_base;
    }
    /* Words declared beyond are not reported: the careful way sees to that. */
    return base == &PyBaseObject_Type;
}

static bool
is_leaf(const lg_type_info *info)
{
    PyTypeObject *type = info->type;
    switch ((lg_shape)info->shape) {
    case LG_SHAPE_PLAIN:
    case LG_SHAPE_STR:
    case LG_SHAPE_INT:
    case LG_SHAPE_BYTES:
    case LG_SHAPE_BYTEARRAY:
        return !(type->tp_flags & Py_TPFLAGS_HAVE_GC) &&
               info->field_count == 0 && info->dict_kind == LG_DICT_NONE;
    default:
        return false;
    }
}

/** Untracked objects that may be traversed all the same: complete from birth,
 *  only not worth tracking. Capsules and half-made objects are not. */
static bool
may_be_untracked(const PyTypeObject *type)
{
    return type == &PyTuple_Type || type == &PyDict_Type ||
           type == &PyFrozenSet_Type || type == &PyContextVar_Type ||
           type == &PyFrame_Type ||
           PyType_IsSubtype((PyTypeObject *)type, &PyTuple_Type);
}

static lg_plan
plan_of(lg_walk *walk, const lg_type_info *info)
{
    PyTypeObject *type = info->type;
    if (type == &PyList_Type)
        return LG_PLAN_LIST;
    if (type == &PyTuple_Type)
        return LG_PLAN_TUPLE;
    if (type == &PySet_Type || type == &PyFrozenSet_Type)
        return LG_PLAN_SET;
    if (type == &PyDict_Type && walk->internal)
        return LG_PLAN_DICT;
    if (is_leaf(info))
        return LG_PLAN_LEAF;
    if (walk->internal && type->tp_traverse == lg_subtype_traverse &&
        is_simple_class(info))
        return LG_PLAN_INSTANCE;
    return LG_PLAN_NAMED;
}

/** Library types whose C __sizeof__ counts memory behind their struct. Others'
 *  may run anything and are not called; struct.Struct's crashes on an instance
 *  that was never initialised. */
static bool
has_library_sizeof(PyTypeObject *type)
{
    static const char *const names[] = {
        "collections.deque",
        "array.array",
        "collections.OrderedDict",
        "decimal.Decimal",
        "_io.BytesIO",
        "_io.StringIO",
        "_io.BufferedReader",
        "_io.BufferedWriter",
        "_io.BufferedRandom",
        "_io.BufferedRWPair",
        "_io._Buffered",
        "_ctypes._CData",
        "StgDict",
        "re.Pattern",
        "re.Match",
        "xml.etree.ElementTree.Element",
        "_pickle.Pickler",
        "_pickle.Unpickler",
        "mmap.mmap",
    };
    for (size_t i = 0; i < LG_COUNT(names); i++)
        if (strcmp(type->tp_name, names[i]) == 0)
            return true;
    return false;
}

/** Without their layouts, dicts and types are asked as well. */
static bool
may_be_asked(const lg_walk *walk, PyTypeObject *base)
{
    if (!walk->internal && (base == &PyDict_Type || base == &PyType_Type))
        return true;
    return has_library_sizeof(base);
}

/** The C function behind the type's __sizeof__, if a library type defines it
 * and nothing in Python overrides it. */
PyCFunction
lg_type_sizeof(lg_walk *walk, PyTypeObject *type)
{
    PyObject *mro = type->tp_mro;
    if (mro == NULL || !PyTuple_CheckExact(mro))
        return NULL;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mro); i++) {
        PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
        PyObject *dict = lg_type_state_of(walk->interpreter, base).dict;
        PyObject *found =
            dict != NULL ? lg_dict_find(dict, "__sizeof__") : NULL;
        if (found == NULL)
            continue;
        if (Py_TYPE(found) != &PyMethodDescr_Type || !may_be_asked(walk, base))
            return NULL;
        const PyMethodDef *method = ((PyMethodDescrObject *)found)->d_method;
        return method->ml_flags == METH_NOARGS ? method->ml_meth : NULL;
    }
    return NULL;
}

void
lg_type_name(lg_walk *walk, PyTypeObject *type, lg_name *out)
{
    out->length = 0;
    if (!(type->tp_flags & Py_TPFLAGS_HEAPTYPE)) {
        lg_name_add(out, type->tp_name);
        return;
    }
    (void)walk;
    PyObject *module = type->tp_dict != NULL
                           ? lg_dict_find(type->tp_dict, "__module__")
                           : NULL;
    if (module != NULL && PyUnicode_CheckExact(module) &&
        !lg_str_equals(module, "builtins")) {
        lg_name_add_str(out, module, 512);
        lg_name_add(out, ".");
    }
    PyObject *name = ((PyHeapTypeObject *)type)->ht_qualname;
    if (name != NULL && PyUnicode_Check(name))
        lg_name_add_str(out, name, 512);
    else
        lg_name_add(out, type->tp_name);
}

/** Ids of the bases, itself left out. The bases are known already. */
static uint32_t
declare_type(lg_walk *walk, PyTypeObject *type, uint32_t node)
{
    lg_name name;
    lg_type_name(walk, type, &name);
    PyObject *mro = type->tp_mro;
    Py_ssize_t count =
        mro != NULL && PyTuple_CheckExact(mro) ? PyTuple_GET_SIZE(mro) : 0;
    uint32_t ids[256];
    uint32_t known = 0;
    for (Py_ssize_t i = 0; i < count && known < LG_COUNT(ids); i++) {
        PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
        const lg_type_info *info =
            base != type ? lg_type_lookup(walk, base) : NULL;
        if (info != NULL)
            ids[known++] = info->id;
    }
    return lg_builder_add_type(walk->builder, name.data, name.length, node, ids,
                               known);
}

/** None, True and their like are static objects whatever their count says. */
static bool
is_singleton_type(const PyTypeObject *type)
{
    return type == Py_TYPE(Py_None) || type == &PyBool_Type ||
           type == Py_TYPE(Py_Ellipsis) || type == Py_TYPE(Py_NotImplemented);
}

/** What the edges are that remain unnamed when all claims are made. */
static uint8_t
rest_kind(const lg_walk *walk, const lg_type_info *info)
{
    /* The public method cannot tell attribute values from elements. */
    if (!walk->internal && info->dict_kind == LG_DICT_MANAGED)
        return LG_EDGE_REFERENCE;
    if (info->shape == LG_SHAPE_SET)
        return LG_EDGE_ELEMENT;
    if (info->shape == LG_SHAPE_DEQUE)
        return LG_EDGE_INDEX;
    if (info->shape == LG_SHAPE_DICT &&
        PyType_IsSubtype(info->type, &PyODict_Type))
        return LG_EDGE_KEY;
    return LG_EDGE_REFERENCE;
}

static bool
fill(lg_walk *walk, lg_type_info *info)
{
    PyTypeObject *type = info->type;
    info->node = lg_walk_node(walk, type);
    info->id = declare_type(walk, type, info->node);
    if (!collect_fields(walk, info))
        return false;
    find_dict(info);
    if (walk->numpy.ndarray != NULL &&
        PyType_IsSubtype(type, walk->numpy.ndarray))
        info->shape = LG_SHAPE_NDARRAY;
    info->traverse =
        (type->tp_flags & Py_TPFLAGS_HAVE_GC) && type->tp_traverse != NULL;
    info->untracked_too = may_be_untracked(type);
    info->immortal = is_singleton_type(type);
    info->rest_kind = rest_kind(walk, info);
    info->has_sizeof = lg_type_sizeof(walk, type) != NULL;
    info->base_size =
        (uint32_t)((size_t)type->tp_basicsize + lg_preheader_size(type));
    info->item_size = (uint32_t)type->tp_itemsize;
    info->plan = (uint8_t)plan_of(walk, info);
    return true;
}

static size_t
slot_for(const lg_type_table *table, const PyTypeObject *type)
{
    size_t mask = table->capacity - 1;
    size_t i = ((uintptr_t)type >> 4) * 0x9E3779B97F4A7C15u >> 32 & mask;
    while (table->slots[i] != NULL && table->slots[i]->type != type)
        i = (i + 1) & mask;
    return i;
}

static bool
grow_table(lg_walk *walk)
{
    lg_type_table old = walk->types;
    lg_type_table *table = &walk->types;
    size_t capacity = old.capacity ? old.capacity * 2 : 4096;
    lg_type_info **slots = lg_walk_keep(walk, capacity * sizeof(*slots));
    if (slots == NULL)
        return false;
    table->slots = slots;
    table->capacity = capacity;
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i] != NULL)
            slots[slot_for(table, old.slots[i]->type)] = old.slots[i];
    return true;
}

lg_type_info *
lg_type_lookup(lg_walk *walk, PyTypeObject *type)
{
    if (walk->types.capacity == 0)
        return NULL;
    return walk->types.slots[slot_for(&walk->types, type)];
}

static lg_type_info *
make(lg_walk *walk, PyTypeObject *type)
{
    if (walk->types.count * 2 >= walk->types.capacity && !grow_table(walk))
        return NULL;
    lg_type_info *info = lg_walk_keep(walk, sizeof *info);
    if (info == NULL)
        return NULL;
    info->type = type;
    if (!fill(walk, info))
        return NULL;
    walk->types.slots[slot_for(&walk->types, type)] = info;
    walk->types.count++;
    return info;
}

lg_type_info *
lg_walk_type(lg_walk *walk, PyTypeObject *type)
{
    lg_type_info *info = lg_type_lookup(walk, type);
    if (info != NULL)
        return info;
    /* Bases first, the furthest foremost: each then finds its own bases made.
     */
    PyObject *mro = type->tp_mro;
    if (mro != NULL && PyTuple_CheckExact(mro))
        for (Py_ssize_t i = PyTuple_GET_SIZE(mro); i-- > 0;) {
            PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
            if (base != type && lg_type_lookup(walk, base) == NULL &&
                make(walk, base) == NULL)
                return NULL;
        }
    return make(walk, type);
}
