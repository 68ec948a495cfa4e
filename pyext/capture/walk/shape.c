/**
 * The layout of instances of a type in C, and the names of their words.
 */
#include "capture/walk/heap_walk.h"
#include "capture/walk/layouts.h"
#include "capture/common/capture_common.h"

#include <string.h>

/** Returns whether a member is declared as an object word inside the struct.
 *  Leaves out the dict and the list of weak references: only the type says
 *  where they are, although bases may declare them (mypyc's traits). */
static bool
is_object_member(const PyTypeObject *type, const PyMemberDef *member)
{
    return (member->type == T_OBJECT || member->type == T_OBJECT_EX) &&
           member->offset >= (Py_ssize_t)sizeof(PyObject) &&
           member->offset % (Py_ssize_t)sizeof(PyObject *) == 0 &&
           member->offset + (Py_ssize_t)sizeof(PyObject *) <=
               type->tp_basicsize &&
           member->offset != type->tp_weaklistoffset &&
           strcmp(member->name, "__dict__") != 0 &&
           strcmp(member->name, "__weakref__") != 0;
}

typedef struct known_shape {
    const PyTypeObject *type;
    lg__shape shape;
    const lg__field *fields;
    size_t count;
} known_shape;

#define FIELDS(table) table, LG__FIELD_COUNT(table)

/** The shape of a type that CPython has a struct for. */
static known_shape
shape_of(const lg__heap_walk *walk, PyTypeObject *type)
{
    const known_shape known[] = {
        {&PyList_Type, LG__SHAPE_LIST, NULL, 0},
        {&PyTuple_Type, LG__SHAPE_TUPLE, NULL, 0},
        {&PyDict_Type, LG__SHAPE_DICT, NULL, 0},
        {lg__frozen_dict_type(), LG__SHAPE_DICT, NULL, 0},
        {&PySet_Type, LG__SHAPE_SET, NULL, 0},
        {&PyFrozenSet_Type, LG__SHAPE_SET, NULL, 0},
        {&PyUnicode_Type, LG__SHAPE_STR, NULL, 0},
        {&PyLong_Type, LG__SHAPE_INT, NULL, 0},
        {&PyBytes_Type, LG__SHAPE_BYTES, NULL, 0},
        {&PyType_Type, LG__SHAPE_TYPE, NULL, 0},
        {&PyRange_Type, LG__SHAPE_PLAIN, FIELDS(lg__range_fields)},
        {&PyFunction_Type, LG__SHAPE_FUNCTION, FIELDS(lg__function_fields)},
        {&PyCode_Type, LG__SHAPE_CODE, FIELDS(lg__code_fields)},
        {&PyFrame_Type, LG__SHAPE_FRAME, FIELDS(lg__frame_object_fields)},
        {&PyGen_Type, LG__SHAPE_GENERATOR, FIELDS(lg__generator_fields)},
        {&PyCoro_Type, LG__SHAPE_GENERATOR, FIELDS(lg__coroutine_fields)},
        {&PyAsyncGen_Type, LG__SHAPE_GENERATOR, FIELDS(lg__coroutine_fields)},
        {&PyModule_Type, LG__SHAPE_MODULE, FIELDS(lg__module_fields)},
        {&_PyWeakref_RefType, LG__SHAPE_WEAKREF, FIELDS(lg__weakref_fields)},
        {&_PyWeakref_ProxyType, LG__SHAPE_WEAKREF, FIELDS(lg__weakref_fields)},
        {&_PyWeakref_CallableProxyType, LG__SHAPE_WEAKREF,
         FIELDS(lg__weakref_fields)},
        {&PyCell_Type, LG__SHAPE_PLAIN, FIELDS(lg__cell_fields)},
        {&PyMethod_Type, LG__SHAPE_PLAIN, FIELDS(lg__method_fields)},
        {&PyTraceBack_Type, LG__SHAPE_PLAIN, FIELDS(lg__traceback_fields)},
        {&PyCFunction_Type, LG__SHAPE_BUILTIN,
         FIELDS(lg__builtin_method_fields)},
        {&PyCMethod_Type, LG__SHAPE_BUILTIN, FIELDS(lg__class_method_fields)},
        {&PyMemoryView_Type, LG__SHAPE_PLAIN, FIELDS(lg__memoryview_fields)},
        {walk->known.type[LG__KNOWN_MANAGED_BUFFER], LG__SHAPE_PLAIN,
         FIELDS(lg__managed_buffer_fields)},
        {walk->known.type[LG__KNOWN_DEQUE], LG__SHAPE_DEQUE, NULL, 0},
        {walk->known.type[LG__KNOWN_LRU_CACHE], LG__SHAPE_LRU_CACHE, NULL, 0},
        {&PyMemberDescr_Type, LG__SHAPE_DESCRIPTOR,
         FIELDS(lg__descriptor_fields)},
        {&PyGetSetDescr_Type, LG__SHAPE_DESCRIPTOR,
         FIELDS(lg__descriptor_fields)},
        {&PyMethodDescr_Type, LG__SHAPE_DESCRIPTOR,
         FIELDS(lg__descriptor_fields)},
        {&PyWrapperDescr_Type, LG__SHAPE_DESCRIPTOR,
         FIELDS(lg__descriptor_fields)},
        {&PyClassMethodDescr_Type, LG__SHAPE_DESCRIPTOR,
         FIELDS(lg__descriptor_fields)},
        {(PyTypeObject *)PyExc_BaseException, LG__SHAPE_EXCEPTION,
         FIELDS(lg__exception_fields)},
    };
    for (size_t i = 0; i < LG__COUNT(known); i++)
        if (known[i].type == type)
            return known[i];
    return (known_shape){type, LG__SHAPE_PLAIN, NULL, 0};
}

static bool
has_field_at(const lg__type_info *info, uint32_t offset)
{
    for (uint32_t i = 0; i < info->field_count; i++)
        if (info->fields[i].offset == offset)
            return true;
    return false;
}

static void
add_field(lg__type_info *info, lg__named_field field)
{
    if (!has_field_at(info, field.offset))
        info->fields[info->field_count++] = field;
}

/** An upper bound on the named words of a type: its own and its bases', and
 *  its dict. */
static size_t
field_bound(const lg__heap_walk *walk, PyTypeObject *type)
{
    size_t count = 1;
    PyMemberDef member;
    for (PyTypeObject *base = type; base != NULL; base = base->tp_base) {
        count += shape_of(walk, base).count;
        if (lg__type_layout_of(base) != NULL)
            count += lg__word_count(base);
        for (size_t i = 0; lg__member_at(base, i, &member); i++)
            count++;
    }
    return count;
}

/** The words that CPython's own structs give names to. */
static void
add_known(lg__heap_walk *walk, lg__type_info *info)
{
    for (PyTypeObject *base = info->type; base != NULL; base = base->tp_base) {
        known_shape known = shape_of(walk, base);
        if (info->shape == LG__SHAPE_PLAIN)
            info->shape = (uint8_t)known.shape;
        for (size_t i = 0; i < known.count; i++)
            add_field(info, (lg__named_field){
                                .offset = known.fields[i].offset,
                                .name = lg__walk_intern_literal(
                                    walk, known.fields[i].name),
                                .kind = known.fields[i].kind,
                            });
    }
}

static void
find_dict(lg__type_info *info)
{
    PyTypeObject *type = info->type;
    if (lg__type_has_managed_dict(type))
        info->dict_kind = LG__DICT_MANAGED;
    else if (type->tp_dictoffset > 0)
        add_field(info, (lg__named_field){
                            .offset = (uint32_t)type->tp_dictoffset,
                            .kind = LG_EDGE_DICT,
                        });
    else if (type->tp_dictoffset < 0)
        info->dict_kind = LG__DICT_OFFSET;
}

/** Adds the words that the type and its bases declare. In a named tuple of C,
 *  such as os.stat_result, they are the elements of the tuple. */
static void
add_declared(lg__heap_walk *walk, lg__type_info *info)
{
    PyMemberDef member;
    if (PyType_HasFeature(info->type, Py_TPFLAGS_TUPLE_SUBCLASS))
        return;
    for (PyTypeObject *base = info->type; base != NULL; base = base->tp_base)
        for (size_t i = 0; lg__member_at(base, i, &member); i++)
            if (is_object_member(info->type, &member))
                add_field(info, (lg__named_field){
                                    .offset = (uint32_t)member.offset,
                                    .name = lg__walk_intern(walk, member.name),
                                    .kind = LG_EDGE_ATTRIBUTE,
                                    .declared = true,
                                });
}

/** Returns whether all words from this one on are elements. */
static bool
is_element(const char *name)
{
    return *name == '#' || *name == '*';
}

/** One word of a layout. An attribute that cannot be set is like a part of the
 *  struct: nobody can cut the reference. */
static lg__named_field
word_named(lg__heap_walk *walk, const char *name, size_t length, uint32_t rank)
{
    lg__named_field field = {.declared = true, .kind = LG_EDGE_NATIVE};
    if (is_element(name)) {
        field.kind = LG_EDGE_INDEX;
        field.name = rank;
        field.stale = *name == '*';
        return field;
    }
    bool settable = *name == '=';
    if (settable)
        field.kind = LG_EDGE_ATTRIBUTE;
    field.name =
        lg_builder_intern(walk->builder, name + settable, length - settable);
    return field;
}

/** Adds the words of one layout, whose contents the traverser must confirm. */
static void
add_words(lg__heap_walk *walk, lg__type_info *info,
          const lg__type_layout *layout, size_t words)
{
    const char *name = layout->names;
    uint32_t rank = 0;
    for (size_t i = layout->start; i < words && *name != '\0'; i++) {
        size_t length = strcspn(name, " ");
        bool element = is_element(name);
        lg__named_field field =
            word_named(walk, name, length, element ? rank++ : 0);
        field.offset = (uint32_t)(sizeof(PyObject) + i * sizeof(PyObject *));
        if (*name != '-')
            add_field(info, field);
        if (!element)
            name += length + (name[length] == ' ');
    }
}

/** Adds the words of structs that are in no header, if there is a traverser. */
static void
add_layouts(lg__heap_walk *walk, lg__type_info *info)
{
    if (!(info->type->tp_flags & Py_TPFLAGS_HAVE_GC))
        return;
    for (PyTypeObject *base = info->type; base != NULL; base = base->tp_base) {
        const lg__type_layout *layout = lg__type_layout_of(base);
        if (layout == NULL)
            continue;
        if (info->shape == LG__SHAPE_PLAIN)
            info->shape = (uint8_t)layout->shape;
        add_words(walk, info, layout, lg__word_count(base));
    }
}

bool
lg__type_lay_out(lg__heap_walk *walk, lg__type_info *info)
{
    info->fields = lg__walk_keep(walk, field_bound(walk, info->type) *
                                           sizeof *info->fields);
    if (info->fields == NULL)
        return false;
    add_known(walk, info);
    find_dict(info);
    add_declared(walk, info);
    add_layouts(walk, info);
    return true;
}
