/**
 * Texts: the names of functions, modules, frames and keys. Reads the memory of
 * str, int and bytes objects; Python prints nothing.
 */
#include "capture/walk/names.h"

#include <stdio.h>
#include <string.h>

PyObject *
lg__named_word(lg__heap_walk *walk, PyObject *object, const lg__type_info *info,
               const char *name)
{
    char dotted[32];
    snprintf(dotted, sizeof dotted, ".%s", name);
    uint32_t plain = lg__walk_intern(walk, name);
    uint32_t read_only = lg__walk_intern(walk, dotted);
    for (uint32_t i = 0; i < info->field_count; i++) {
        const lg__named_field *field = &info->fields[i];
        if (field->kind != LG_EDGE_INDEX &&
            (field->name == plain || field->name == read_only))
            return *(PyObject **)((char *)object + field->offset);
    }
    return NULL;
}

PyObject *
lg__instance_find(lg__heap_walk *walk, PyObject *object, const char *name)
{
    PyTypeObject *type = Py_TYPE(object);
    PyObject *dict = NULL;
    if (lg__type_has_managed_dict(type)) {
        lg__inline_values inlined = lg__inline_values_of(object);
        lg__type_info *info = lg__walk_type_info(walk, type);
        uint32_t wanted = inlined.count > 0 ? lg__walk_intern(walk, name) : 0;
        for (Py_ssize_t i = 0; info != NULL && i < inlined.count; i++)
            if (inlined.values[i] != NULL &&
                lg__attribute_name(walk, info, i) == wanted)
                return inlined.values[i];
        dict = lg__managed_dict(object);
    } else if (type->tp_dictoffset > 0) {
        dict = *(PyObject **)((char *)object + type->tp_dictoffset);
    }
    return dict != NULL ? lg__dict_find(dict, name) : NULL;
}

static void
add_if_str(lg__name *name, PyObject *text)
{
    if (text != NULL && PyUnicode_Check(text))
        lg__name_add_str(name, text, LG__NAME_LIMIT);
}

/** Adds the last part of a path, which is enough to recognise the file. */
static void
add_file_name(lg__name *name, PyObject *path)
{
    if (path == NULL || !PyUnicode_Check(path) || !PyUnicode_IS_READY(path))
        return;
    Py_ssize_t length = PyUnicode_GET_LENGTH(path);
    Py_ssize_t start = length;
    int kind = (int)PyUnicode_KIND(path);
    const char *data = PyUnicode_DATA(path);
    if (kind == PyUnicode_1BYTE_KIND) {
        const char *slash = memrchr(data, '/', (size_t)length);
        start = slash != NULL ? slash + 1 - data : 0;
    } else {
        while (start > 0 && PyUnicode_READ(kind, data, start - 1) != '/')
            start--;
    }
    lg__name_add_str_from(name, path, start < length ? start : 0,
                          LG__NAME_LIMIT);
}

/** `:12` */
static void
add_line(lg__name *name, int line)
{
    lg__name_add(name, ":");
    lg__name_add_int(name, line);
}

/** Text `train.step train.py:10` of a code object. */
static void
name_code(lg__name *name, const PyCodeObject *code)
{
    add_if_str(name, lg__code_qualified_name(code));
    lg__name_add(name, " ");
    add_file_name(name, code->co_filename);
    add_line(name, code->co_firstlineno);
}

/** Adds `() train.py:12`: where a frame of this code is. */
static void
add_place(lg__name *name, const lg__frame *frame, const PyCodeObject *code)
{
    lg__name_add(name, "() ");
    add_file_name(name, code->co_filename);
    int line = PyCode_Addr2Line((PyCodeObject *)code,
                                lg__frame_instruction(frame, code));
    add_line(name, line > 0 ? line : code->co_firstlineno);
}

void
lg__name_frame(lg__name *name, const lg__frame *frame, const PyCodeObject *code)
{
    add_if_str(name, lg__code_qualified_name(code));
    add_place(name, frame, code);
}

/** Adds `module.qualified_name` of a function. */
static void
name_function(PyObject *object, lg__name *name)
{
    const PyFunctionObject *function = (PyFunctionObject *)object;
    if (function->func_module != NULL &&
        PyUnicode_Check(function->func_module)) {
        lg__name_add_str(name, function->func_module, LG__NAME_LIMIT);
        lg__name_add(name, ".");
    }
    add_if_str(name, function->func_qualname);
}

/** The same for an object that functools.update_wrapper() has made look like a
 *  function. */
static void
name_wrapper(lg__heap_walk *walk, PyObject *object, lg__name *name)
{
    PyObject *module = lg__instance_find(walk, object, "__module__");
    PyObject *own = lg__instance_find(walk, object, "__qualname__");
    if (own == NULL || !PyUnicode_Check(own))
        return;
    if (module != NULL && PyUnicode_Check(module)) {
        lg__name_add_str(name, module, LG__NAME_LIMIT);
        lg__name_add(name, ".");
    }
    lg__name_add_str(name, own, LG__NAME_LIMIT);
}

/** A module has its name in a word, or, if that word is unknown, in its
 *  namespace. */
static void
name_module(PyObject *object, lg__name *name)
{
    PyObject *own = lg__module_name(object);
    PyObject *names = lg__module_dict(object);
    if (own == NULL && names != NULL)
        own = lg__dict_find(names, "__name__");
    add_if_str(name, own);
}

static void
name_builtin(PyObject *object, lg__name *name)
{
    const PyCFunctionObject *function = (PyCFunctionObject *)object;
    PyObject *module = function->m_module;
    if (module != NULL && PyUnicode_Check(module) &&
        !lg__str_equals(module, "builtins")) {
        lg__name_add_str(name, module, LG__NAME_LIMIT);
        lg__name_add(name, ".");
    } else if (function->m_self != NULL && !PyModule_Check(function->m_self)) {
        lg__name_add(name, Py_TYPE(function->m_self)->tp_name);
        lg__name_add(name, ".");
    }
    if (function->m_ml != NULL && function->m_ml->ml_name != NULL)
        lg__name_add(name, function->m_ml->ml_name);
}

static void
name_generator(PyObject *object, lg__name *name)
{
    add_if_str(name, lg__generator_name(object));
    lg__frame *frame = lg__frame_of_generator(object);
    PyObject *owner = lg__generator_frame_object(object);
    if (frame == NULL && owner != NULL)
        frame = lg__frame_of_object(owner);
    const PyCodeObject *code =
        frame != NULL ? lg__frame_view_of(frame).code : NULL;
    if (code != NULL)
        add_place(name, frame, code);
}

static void
name_frame_object(PyObject *object, lg__name *name)
{
    const lg__frame *frame = lg__frame_of_object(object);
    const PyCodeObject *code =
        frame != NULL ? lg__frame_view_of((lg__frame *)frame).code : NULL;
    if (code != NULL)
        lg__name_frame(name, frame, code);
}

/** Adds `Task-3 crawl() crawler.py:12`: the task's name, and where it is. From
 *  3.12 on the name is a number until a program asks for it. */
static void
name_task(lg__heap_walk *walk, PyObject *object, const lg__type_info *info,
          lg__name *name)
{
    PyObject *own = lg__named_word(walk, object, info, "_name");
    PyObject *coroutine = lg__named_word(walk, object, info, "_coro");
    int overflow = 0;
    if (own != NULL && PyLong_CheckExact(own))
        lg__name_addf(name, "Task-%lld",
                      PyLong_AsLongLongAndOverflow(own, &overflow));
    add_if_str(name, own);
    if (!walk->internal || coroutine == NULL || !PyCoro_CheckExact(coroutine))
        return;
    lg__name_add(name, " ");
    name_generator(coroutine, name);
}

/** Adds `package.module` of an import that waits, or `package.module.name`. One
 *  of `from package import name` waits for the import of the package. */
static void
name_lazy_import(lg__heap_walk *walk, PyObject *object,
                 const lg__type_info *info, lg__name *name)
{
    PyObject *from = lg__named_word(walk, object, info, "from");
    PyObject *attribute = lg__named_word(walk, object, info, "attribute");
    if (from != NULL && Py_TYPE(from) == Py_TYPE(object))
        from = lg__named_word(walk, from, info, "from");
    add_if_str(name, from);
    if (attribute == NULL || !PyUnicode_Check(attribute))
        return;
    lg__name_add(name, ".");
    add_if_str(name, attribute);
}

void
lg__name_part(const lg__heap_walk *walk, PyObject *object,
              const lg__type_info *info, lg__name *out)
{
    out->length = 0;
    switch ((lg__shape)info->shape) {
    case LG__SHAPE_FUNCTION:
        name_function(object, out);
        break;
    case LG__SHAPE_BUILTIN:
        name_builtin(object, out);
        break;
    case LG__SHAPE_CODE:
        name_code(out, (PyCodeObject *)object);
        break;
    case LG__SHAPE_TYPE:
        lg__type_name(walk, (PyTypeObject *)object, out);
        break;
    case LG__SHAPE_MODULE:
        name_module(object, out);
        break;
    case LG__SHAPE_DESCRIPTOR:
        add_if_str(out, ((PyDescrObject *)object)->d_name);
        break;
    default:
        break;
    }
}

/** Writes the names that take more than an object's own words. */
static void
name_other(lg__heap_walk *walk, PyObject *object, const lg__type_info *info,
           lg__name *name)
{
    switch ((lg__shape)info->shape) {
    case LG__SHAPE_LRU_CACHE:
        name_wrapper(walk, object, name);
        break;
    case LG__SHAPE_GENERATOR:
        if (walk->internal)
            name_generator(object, name);
        break;
    case LG__SHAPE_FRAME:
        if (walk->internal)
            name_frame_object(object, name);
        break;
    case LG__SHAPE_CONTEXT_VARIABLE:
        add_if_str(name, lg__named_word(walk, object, info, "name"));
        break;
    case LG__SHAPE_TASK:
        name_task(walk, object, info, name);
        break;
    case LG__SHAPE_SENTINEL:
        add_if_str(name, lg__named_word(walk, object, info, "__name__"));
        break;
    case LG__SHAPE_LAZY:
        name_lazy_import(walk, object, info, name);
        break;
    default:
        break;
    }
}

void
lg__name_object(lg__heap_walk *walk, PyObject *object,
                const lg__type_info *info)
{
    lg__name name;
    if (info->is_part && walk->follower.thread != NULL)
        return;
    name.length = 0;
    if (info->is_part)
        lg__name_part(walk, object, info, &name);
    else
        name_other(walk, object, info, &name);
    if (name.length)
        lg_builder_set_text(walk->builder, walk->builder->open_node, name.data,
                            name.length);
}

bool
lg__attribute_names_learn(lg__heap_walk *walk, lg__type_info *info)
{
    lg__dict_keys *keys = lg__type_cached_keys(info->type);
    lg__dict_table table = lg__dict_table_of(keys, lg__general_lookup);
    uint32_t *names =
        lg__walk_keep(walk, (size_t)table.count * sizeof *names + 1);
    if (names == NULL)
        return false;
    for (Py_ssize_t i = 0; i < table.count; i++) {
        PyObject *key = lg__dict_entry_word(&table, i, table.key);
        names[i] = key != NULL ? lg__walk_intern_str(walk, key)
                               : lg__walk_intern(walk, "?");
    }
    info->attribute_names = names;
    info->attribute_capacity = (uint32_t)table.count;
    return true;
}
