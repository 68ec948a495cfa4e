/**
 * Which numbers in the code of a program bound its containers.
 *
 * Code bounds a container if it compares the container's length with a number,
 * and removes elements where the container has more. `len(C) > N` and
 * `N < len(C)` are followed by a jump past the code that runs if it is true, so
 * an element goes before the target of the jump; after `len(C) <= N`, from
 * there on, and after `len(C) - N`, anywhere. Elements go by a method of C that
 * removes, a function that removes from its first argument, `del C[...]`, and a
 * slice of C that becomes C. Nothing else counts, and what the code assigns is
 * no bound: a container without a limit that looks like one with a limit would
 * leak unseen.
 *
 * Only the program's own code is read. What it names is looked up where the
 * code would find it. What a container already exceeds is no bound of it. Other
 * containers from which the same code removes elements are bounded, too, while
 * they have no more elements.
 */
#include "capture/walk/bounds.h"
#include "capture/walk/names.h"

#include <stdio.h>
#include <string.h>

/** A value that code names: a variable or a constant, or an attribute of a
 *  variable. */
typedef struct named_value {
    uint32_t kind;       /**< lg__step_kind of the first step */
    uint32_t arg;        /**< its argument */
    uint32_t attributes; /**< how many names follow */
    uint32_t name[2];    /**< the first of them, among the names of the code */
} named_value;

/** How many containers of one function are known. */
enum { CUT_MOST = 4 };

typedef struct bounding {
    named_value main;          /**< the container whose length is compared */
    named_value bound;         /**< the number */
    named_value cut[CUT_MOST]; /**< from which elements go; `main` is
                                            one of them */
    uint32_t cut_count;
} bounding;

/** Longer code is not read. */
enum { STEPS_MOST = 768 };

typedef struct reader {
    const lg__common_keys *keys;
    const PyCodeObject *code;
    size_t count;
    lg__step steps[STEPS_MOST];
} reader;

/** A length that is compared, and the steps where elements go then. */
typedef struct comparison {
    size_t begin;
    uint32_t end; /**< an offset */
} comparison;

/** How many of the names that remove are those of methods; the others are those
 *  of functions, which remove from their first argument. */
enum { METHODS = 6 };

/** Returns which of the names that remove this is; their count: none. */
static size_t
find_removing(const lg__common_keys *keys, const PyCodeObject *code,
              Py_ssize_t name)
{
    const PyObject *text = PyTuple_GET_ITEM(code->co_names, name);
    size_t i = 0;
    while (i < LG__COUNT(keys->removing) && keys->removing[i] != text)
        i++;
    return i;
}

static bool
is_kind(const reader *of, size_t at, lg__step_kind kind)
{
    return at < of->count && of->steps[at].kind == kind;
}

/** Reads a value. Returns the step after it; `at`: there is none. */
static size_t
read_value(const reader *of, size_t at, named_value *out)
{
    if (at >= of->count || of->steps[at].kind < LG__STEP_LOCAL ||
        of->steps[at].kind > LG__STEP_NUMBER)
        return at;
    *out = (named_value){of->steps[at].kind, of->steps[at].arg, 0, {0, 0}};
    for (at++; is_kind(of, at, LG__STEP_ATTRIBUTE); at++) {
        if (out->attributes < LG__COUNT(out->name))
            out->name[out->attributes] = of->steps[at].arg;
        out->attributes++;
    }
    return at;
}

/** Returns whether these are one value: of the second, only so many attributes
 *  count. */
static bool
is_same(const named_value *one, const named_value *other, uint32_t attributes)
{
    if (one->attributes != attributes || one->kind != other->kind ||
        one->arg != other->arg || attributes > LG__COUNT(one->name))
        return false;
    for (uint32_t i = 0; i < attributes; i++)
        if (one->name[i] != other->name[i])
            return false;
    return true;
}

static void
add_cut(bounding *to, const named_value *value, uint32_t attributes)
{
    for (uint32_t i = 0; i < to->cut_count; i++)
        if (is_same(&to->cut[i], value, attributes))
            return;
    if (to->cut_count < CUT_MOST) {
        to->cut[to->cut_count] = *value;
        to->cut[to->cut_count++].attributes = attributes;
    }
}

/** Adds what a value that is read there removes from: its object, or the first
 *  argument. */
static void
add_removed(const reader *of, const named_value *value, size_t next,
            bounding *to)
{
    named_value argument;
    uint32_t last = value->attributes;
    if (last > LG__COUNT(value->name) ||
        (last == 0 && value->kind != LG__STEP_GLOBAL))
        return;
    uint32_t name = last > 0 ? value->name[last - 1] : value->arg;
    size_t removing = find_removing(of->keys, of->code, name);
    if (last > 0 && removing < METHODS)
        add_cut(to, value, last - 1);
    if (removing >= METHODS && removing < LG__COUNT(of->keys->removing) &&
        read_value(of, next, &argument) > next)
        add_cut(to, &argument, argument.attributes);
}

/** Returns whether a step assigns to the value, whose object, if it is an
 *  attribute, was read right before. */
static bool
assigns_to(const lg__step *step, const named_value *value,
           const named_value *object)
{
    if (step->kind == LG__STEP_STORE_ATTRIBUTE)
        return value->attributes == 1 && step->arg == value->name[0] &&
               is_same(object, value, 0);
    return value->attributes == 0 && step->arg == value->arg &&
           ((step->kind == LG__STEP_STORE_LOCAL &&
             value->kind == LG__STEP_LOCAL) ||
            (step->kind == LG__STEP_STORE_GLOBAL &&
             value->kind == LG__STEP_GLOBAL));
}

static bool
ends_statement(lg__step_kind kind)
{
    return kind == LG__STEP_END || kind == LG__STEP_COMPARE ||
           kind == LG__STEP_JUMP_FALSE || kind == LG__STEP_DELETE_ITEM ||
           (kind >= LG__STEP_STORE_LOCAL && kind <= LG__STEP_STORE_ITEM);
}

/** Adds the containers from which elements go in some of the steps. The
 *  container of `del`, and of a slice, is the first value of its statement. */
static void
find_cuts(const reader *of, const comparison *in, bounding *to)
{
    named_value first = {0}, last = {0};
    bool began = false, sliced = false;
    for (size_t i = in->begin, next; i < of->count && of->steps[i].at < in->end;
         i = next) {
        const lg__step *step = &of->steps[i];
        next = read_value(of, i, &last);
        if (next > i) {
            first = began ? first : last;
            began = true;
            add_removed(of, &last, next, to);
            continue;
        }
        next = i + 1;
        sliced = sliced || step->kind == LG__STEP_SLICE;
        if (began && (step->kind == LG__STEP_DELETE_ITEM ||
                      (sliced && (step->kind == LG__STEP_STORE_ITEM ||
                                  assigns_to(step, &first, &last)))))
            add_cut(to, &first, first.attributes);
        if (ends_statement(step->kind))
            began = sliced = false;
    }
}

/** Returns whether the code assigns to what it compares with, or to an
 * attribute of that name. */
static bool
is_assigned(const reader *of, const named_value *value)
{
    const named_value object = {value->kind, value->arg, 0, {0, 0}};
    for (size_t i = 0; i < of->count; i++)
        if (assigns_to(&of->steps[i], value, &object))
            return true;
    return false;
}

/** Returns the first step from an offset on. */
static size_t
step_at(const reader *of, uint32_t offset)
{
    size_t at = 0;
    while (at < of->count && of->steps[at].at < offset)
        at++;
    return at;
}

/** Reads what follows the two values, of which the length is the first or the
 *  second. Returns false if it is no comparison. */
static bool
read_comparison(const reader *of, size_t at, bool length_first, comparison *out)
{
    *out = (comparison){at + 1, UINT32_MAX};
    if (is_kind(of, at, LG__STEP_SUBTRACT))
        return length_first;
    if (!is_kind(of, at, LG__STEP_COMPARE) ||
        !is_kind(of, at + 1, LG__STEP_JUMP_FALSE))
        return false;
    uint32_t operator= of->steps[at].arg;
    uint32_t target = of->steps[at + 1].arg;
    bool above = operator== Py_GT || operator== Py_GE;
    if (operator== Py_EQ ||(operator!= Py_NE && above == length_first))
        out->end = target;
    else
        out->begin = step_at(of, target);
    return operator!= Py_NE;
}

/** Reads a comparison of the length that is taken at a step; `before` is the
 *  value read right before, or NULL. */
static bool
read_length(const reader *of, size_t at, const named_value *before,
            bounding *out, comparison *in)
{
    size_t call = read_value(of, at + 1, &out->main);
    if (call == at + 1 || !is_kind(of, call, LG__STEP_CALL) ||
        of->steps[call].arg != 1)
        return false;
    size_t next = read_value(of, call + 1, &out->bound);
    if (next > call + 1)
        return read_comparison(of, next, true, in);
    if (before == NULL)
        return false;
    out->bound = *before;
    return read_comparison(of, next, false, in);
}

/** Returns whether elements go from the container whose length is compared. */
static bool
is_cut(const reader *of, const comparison *in, bounding *out)
{
    out->cut_count = 0;
    find_cuts(of, in, out);
    for (uint32_t i = 0; i < out->cut_count; i++)
        if (is_same(&out->cut[i], &out->main, out->main.attributes))
            return !is_assigned(of, &out->bound);
    return false;
}

/** Returns whether the code may delete elements or take slices. Words of caches
 *  look like instructions, too. */
static bool
may_cut(const PyCodeObject *code)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_consts); i++)
        if (PySlice_Check(PyTuple_GET_ITEM(code->co_consts, i)))
            return true;
    return lg__code_may_cut(code);
}

/** Returns whether the code takes a length and may remove elements. Most code
 *  does not, and need not be read. */
static bool
is_worth_reading(const lg__common_keys *keys, const PyCodeObject *code)
{
    const PyObject *names = code->co_names;
    bool takes = false, removes = false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names) && !(takes && removes);
         i++) {
        takes = takes || PyTuple_GET_ITEM(names, i) == keys->len;
        removes =
            removes || find_removing(keys, code, i) < LG__COUNT(keys->removing);
    }
    return takes && (removes || may_cut(code));
}

/** Returns whether code comes from a folder of libraries, or is part of the
 *  interpreter. */
static bool
is_in_library(const PyObject *file)
{
    if (!PyUnicode_CheckExact(file) || !PyUnicode_IS_COMPACT_ASCII(file))
        return false;
    const char *text = PyUnicode_DATA(file);
    return text[0] == '<' ? strncmp(text, "<frozen ", 8) == 0
                          : strstr(text, "/lib/python3") != NULL ||
                                strstr(text, "/site-packages/") != NULL;
}

/** Returns whether the code is the program's own. Libraries have most of the
 *  code, and reading it would cost more than the bounds of their containers are
 *  worth. Code of one file stands together. */
static bool
is_own_code(lg__heap_walk *walk, const PyCodeObject *code)
{
    if (walk->code_file != code->co_filename) {
        walk->code_file = code->co_filename;
        walk->code_is_own = !is_in_library(code->co_filename);
    }
    return walk->code_is_own;
}

/** Returns whether the code bounds a container. */
static bool
code_bounds(lg__heap_walk *walk, const PyCodeObject *code, bounding *out)
{
    const lg__common_keys *keys = &walk->keys;
    reader of;
    named_value value, before;
    bool has_before = false;
    if (keys->len == NULL || !is_own_code(walk, code) ||
        !is_worth_reading(keys, code))
        return false;
    of.keys = keys;
    of.code = code;
    of.count = lg__code_steps(code, of.steps, STEPS_MOST);
    for (size_t i = 0, next; i < of.count; i = next) {
        comparison in;
        if (of.steps[i].kind == LG__STEP_GLOBAL &&
            PyTuple_GET_ITEM(code->co_names, of.steps[i].arg) == keys->len &&
            read_length(&of, i, has_before ? &before : NULL, out, &in) &&
            is_cut(&of, &in, out))
            return true;
        next = read_value(&of, i, &value);
        has_before = next > i;
        before = value;
        next += next == i;
    }
    return false;
}

/** A container with more elements than this many halves of a number does not
 *  heed it: some make room late. */
enum { HALVES = 3 };

/** So many instances are asked for their containers: a program with more of
 *  them has no caches, but records. */
enum { ASKED_MOST = 1 << 11 };

/** So many containers of modules, closures and classes are noted. */
enum { BOUNDED_MOST = LG__COUNT(((lg__heap_walk *)NULL)->bounded) };

/** Code, and where its names lead. */
typedef struct reading {
    lg__heap_walk *walk;
    const PyCodeObject *code;
    const PyFunctionObject *function; /**< or NULL */
    PyObject *globals;
    PyObject *self;             /**< an instance, or NULL */
    PyTypeObject *type;         /**< whose method it is, or NULL */
    const lg__frame_view *view; /**< of running code, or NULL */
    bounding found;
} reading;

/** Returns how many elements a container has; -1: the object is none. */
static Py_ssize_t
length_of(const lg__heap_walk *walk, PyObject *object)
{
    if (PyList_Check(object) ||
        lg__known_is(&walk->known, Py_TYPE(object), LG__KNOWN_DEQUE))
        return Py_SIZE(object);
    if (PyDict_Check(object))
        return PyDict_GET_SIZE(object);
    return PyAnySet_Check(object) ? PySet_GET_SIZE(object) : -1;
}

/** Returns a number as the bound, if the container has not exceeded it; or -1.
 */
static Py_ssize_t
number_of(PyObject *value, Py_ssize_t filled)
{
    int overflow = 0;
    if (!PyLong_CheckExact(value))
        return -1;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    return overflow == 0 && number > 1 && number <= INT32_MAX &&
                   2 * filled <= HALVES * number
               ? (Py_ssize_t)number
               : -1;
}

/** Returns what an attribute is of a class or its bases; NULL: unknown. */
static PyObject *
in_class(const reading *of, PyTypeObject *type, PyObject *name)
{
    const char *text = PyUnicode_DATA(name);
    PyObject *found = NULL;
    for (; type != NULL && found == NULL; type = type->tp_base)
        if (lg__type_is_pythons(type))
            found = lg__dict_find_common(
                of->walk, lg__walk_type_state(of->walk, type).dict, name, text);
    return found;
}

/** Returns the default of a parameter, or NULL. */
static PyObject *
default_of(const reading *of, Py_ssize_t slot)
{
    const PyFunctionObject *function = of->function;
    PyObject *defaults = function->func_defaults;
    Py_ssize_t count = defaults != NULL ? PyTuple_GET_SIZE(defaults) : 0;
    Py_ssize_t position = 0, first = of->code->co_argcount - count;
    PyObject *name, *value;
    if (slot < of->code->co_argcount)
        return slot >= first ? PyTuple_GET_ITEM(defaults, slot - first) : NULL;
    while (function->func_kwdefaults != NULL &&
           PyDict_Next(function->func_kwdefaults, &position, &name, &value))
        if (name == lg__code_slot_name(of->code, slot))
            return value;
    return NULL;
}

/** Returns what is in a cell, or the value itself if it is none. */
static PyObject *
content_of(PyObject *value)
{
    return value != NULL && PyCell_Check(value) ? PyCell_GET(value) : value;
}

/** Returns what a local variable, or one of an enclosing function, is; NULL:
 *  unknown. */
static PyObject *
local(const reading *of, Py_ssize_t slot)
{
    if (of->view != NULL)
        return slot < of->view->local_count
                   ? content_of(lg__slot_object(of->view->slots[slot]))
                   : NULL;
    PyObject *closure = of->function->func_closure;
    Py_ssize_t free = closure != NULL ? PyTuple_GET_SIZE(closure) : 0;
    Py_ssize_t first = lg__code_slot_count(of->code) - free;
    if (slot >= first)
        return slot - first < free
                   ? content_of(PyTuple_GET_ITEM(closure, slot - first))
                   : NULL;
    if (slot == 0 && of->type != NULL)
        return of->self != NULL ? of->self : (PyObject *)of->type;
    return default_of(of, slot);
}

/** Returns what a variable or a constant is; NULL: unknown. */
static PyObject *
variable(const reading *of, const named_value *value)
{
    if (value->kind == LG__STEP_CONSTANT)
        return PyTuple_GET_ITEM(of->code->co_consts, value->arg);
    if (value->kind == LG__STEP_LOCAL)
        return local(of, value->arg);
    PyObject *name = PyTuple_GET_ITEM(of->code->co_names, value->arg);
    return value->kind == LG__STEP_GLOBAL && of->globals != NULL &&
                   PyUnicode_IS_COMPACT_ASCII(name)
               ? lg__dict_find_common(of->walk, of->globals, name,
                                      PyUnicode_DATA(name))
               : NULL;
}

/** Returns what a value is that the code names; NULL: unknown. Of objects that
 *  are neither the instance nor classes, no attribute is known. */
static PyObject *
lookup(const reading *of, const named_value *value)
{
    PyObject *object = variable(of, value);
    if (object == NULL || value->attributes == 0)
        return object;
    PyObject *name = PyTuple_GET_ITEM(of->code->co_names, value->name[0]);
    if (value->attributes > 1 || !PyUnicode_IS_COMPACT_ASCII(name))
        return NULL;
    if (PyType_Check(object))
        return in_class(of, (PyTypeObject *)object, name);
    if (object != of->self)
        return NULL;
    PyObject *own = lg__instance_find(of->walk, object, PyUnicode_DATA(name));
    return own != NULL ? own : in_class(of, Py_TYPE(object), name);
}

/** Returns how many elements the code leaves in its main container, which has
 *  `filled`; -1: unknown. */
static Py_ssize_t
find_bound(const reading *of, Py_ssize_t *filled)
{
    const named_value *bound = &of->found.bound;
    PyObject *main = lookup(of, &of->found.main);
    *filled = main != NULL ? length_of(of->walk, main) : -1;
    if (*filled < 0)
        return -1;
    if (bound->kind == LG__STEP_NUMBER)
        return bound->arg > 1 && 2 * *filled <= HALVES * (Py_ssize_t)bound->arg
                   ? (Py_ssize_t)bound->arg
                   : -1;
    PyObject *number = lookup(of, bound);
    return number != NULL ? number_of(number, *filled) : -1;
}

/** Returns whether the container is new, and there is room for another. */
static bool
is_new(lg__heap_walk *walk, uint32_t node)
{
    for (uint32_t i = 0; i < walk->bounded_count; i++)
        if (walk->bounded[i] == node)
            return false;
    if (node == LG_NONE || walk->bounded_count == BOUNDED_MOST)
        return false;
    walk->bounded[walk->bounded_count++] = node;
    return true;
}

/** Notes the bound of a container, once if others may have it, too. */
static void
note_bound(lg__heap_walk *walk, PyObject *container, Py_ssize_t bound)
{
    char text[24];
    uint32_t node = lg__walk_node(walk, container);
    if (node == LG_NONE || (Py_REFCNT(container) > 1 && !is_new(walk, node)))
        return;
    int digits = snprintf(text, sizeof text, "%zd", bound);
    lg_builder_add_fact(walk->builder, node, "maxlen", text, (size_t)digits);
}

/** Notes the containers that the code bounds, in a function whose code was
 *  read. */
static void
note_found(const reading *of)
{
    Py_ssize_t filled;
    Py_ssize_t bound = find_bound(of, &filled);
    for (uint32_t i = 0; i < of->found.cut_count && bound > 0; i++) {
        PyObject *container = lookup(of, &of->found.cut[i]);
        Py_ssize_t length =
            container != NULL ? length_of(of->walk, container) : -1;
        if (length >= 0 && length <= filled)
            note_bound(of->walk, container, bound);
    }
}

static void
note(reading *of)
{
    if (code_bounds(of->walk, of->code, &of->found))
        note_found(of);
}

/** Begins to read the code of a function. */
static reading
read_function(lg__heap_walk *walk, PyObject *object)
{
    const PyFunctionObject *function = (PyFunctionObject *)object;
    return (reading){.walk = walk,
                     .function = function,
                     .code = (PyCodeObject *)function->func_code,
                     .globals = function->func_globals};
}

static bool
may_note(const lg__heap_walk *walk)
{
    return walk->internal && !walk->partial &&
           walk->bounded_count < BOUNDED_MOST;
}

void
lg__bounds_note_function(lg__heap_walk *walk, PyObject *function)
{
    reading of = read_function(walk, function);
    if (may_note(walk) && of.code != NULL)
        note(&of);
}

void
lg__bounds_note_frame(lg__heap_walk *walk, const lg__frame_view *view)
{
    reading of = {.walk = walk,
                  .code = view->code,
                  .globals = view->globals,
                  .view = view};
    if (may_note(walk))
        note(&of);
}

/** Returns the function in a class's namespace, which may be a class method; or
 *  NULL. */
static PyObject *
method_of(PyObject *value)
{
    if (Py_TYPE(value) == &PyClassMethod_Type ||
        Py_TYPE(value) == &PyStaticMethod_Type)
        value = *(PyObject **)((PyObject *)value + 1);
    return value != NULL && PyFunction_Check(value) &&
                   ((PyFunctionObject *)value)->func_code != NULL
               ? value
               : NULL;
}

/** Returns whether a class has a container of its own. */
static bool
has_containers(const lg__heap_walk *walk, PyObject *names)
{
    Py_ssize_t position = 0;
    PyObject *name, *value;
    while (PyDict_Next(names, &position, &name, &value))
        if (length_of(walk, value) >= 0 && PyUnicode_CheckExact(name) &&
            PyUnicode_IS_COMPACT_ASCII(name) &&
            strncmp(PyUnicode_DATA(name), "__", 2) != 0)
            return true;
    return false;
}

void
lg__bounds_note_class(lg__heap_walk *walk, PyTypeObject *type)
{
    Py_ssize_t position = 0;
    PyObject *name, *value;
    PyObject *names = may_note(walk) && lg__type_is_pythons(type)
                          ? lg__walk_type_state(walk, type).dict
                          : NULL;
    if (names == NULL || !PyDict_CheckExact(names) ||
        !has_containers(walk, names))
        return;
    while (PyDict_Next(names, &position, &name, &value)) {
        PyObject *method = method_of(value);
        if (method == NULL)
            continue;
        reading of = read_function(walk, method);
        of.type = type;
        note(&of);
    }
}

/** Returns whether a class that comes before has the name, too. */
static bool
is_overridden(const reading *of, PyTypeObject *by, const PyTypeObject *base,
              PyObject *name)
{
    for (; by != base && PyUnicode_IS_COMPACT_ASCII(name); by = by->tp_base)
        if (lg__dict_find_common(of->walk,
                                 lg__walk_type_state(of->walk, by).dict, name,
                                 PyUnicode_DATA(name)) != NULL)
            return true;
    return false;
}

/** How many methods of a type that bound a container are looked at. */
enum { METHODS_MOST = 3 };

struct lg__bounding_method {
    PyObject *function;
    bounding found;
};

static void
add_method(lg__heap_walk *walk, lg__type_info *info, const reading *of)
{
    if (info->bounding == NULL)
        info->bounding =
            lg__walk_keep(walk, METHODS_MOST * sizeof *info->bounding);
    if (info->bounding != NULL)
        info->bounding[info->bounding_count++] =
            (struct lg__bounding_method){(PyObject *)of->function, of->found};
}

/** Adds the methods of a class that bound a container, of a type derived from
 *  it. */
static void
add_methods(lg__heap_walk *walk, lg__type_info *info, PyTypeObject *base)
{
    Py_ssize_t position = 0;
    PyObject *name, *value;
    PyObject *names = lg__walk_type_state(walk, base).dict;
    while (names != NULL && PyDict_CheckExact(names) &&
           info->bounding_count < METHODS_MOST &&
           PyDict_Next(names, &position, &name, &value)) {
        PyObject *method = method_of(value);
        if (method == NULL)
            continue;
        reading of = read_function(walk, method);
        if (code_bounds(walk, of.code, &of.found) &&
            !is_overridden(&of, info->type, base, name))
            add_method(walk, info, &of);
    }
}

void
lg__bounds_find_methods(lg__heap_walk *walk, lg__type_info *info)
{
    info->learns_bounds = false;
    for (PyTypeObject *type = info->type;
         type != NULL && lg__type_is_pythons(type); type = type->tp_base)
        add_methods(walk, info, type);
}

void
lg__bounds_note_instance(lg__heap_walk *walk, PyObject *object,
                         const lg__type_info *info)
{
    if (walk->bounds_asked == ASKED_MOST)
        return;
    walk->bounds_asked++;
    for (size_t i = 0; i < info->bounding_count && may_note(walk); i++) {
        reading of = read_function(walk, info->bounding[i].function);
        of.self = object;
        of.type = info->type;
        of.found = info->bounding[i].found;
        note_found(&of);
    }
}
