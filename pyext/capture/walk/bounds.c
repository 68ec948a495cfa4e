/**
 * Which numbers in the code of a program bound its containers.
 *
 * The names that code uses are in the order of their first use. So the
 * container whose length is taken follows `len`, or was the last one named
 * before it, and the number that the length is compared with
 * follows. What a container already exceeds is no bound of it. Other containers
 * that the code names are bounded, too, while they have no more elements.
 */
#include "capture/walk/bounds.h"
#include "capture/walk/names.h"

#include <stdio.h>
#include <string.h>

/** A container with more elements than this many halves of a number does not
 *  heed it: some make room late. */
enum { HALVES = 3 };

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
    Py_ssize_t length;          /**< where `len` is among the names */
    PyObject *main;             /**< whose length is taken */
    Py_ssize_t filled;          /**< that length */
    Py_ssize_t bound;           /**< -1: not found yet */
} reading;

/** Does something with a value that code may use. Returns false to end. */
typedef bool (*visitor)(reading *of, PyObject *value);

static const char *const removers[] = {
    "popitem", "popleft", "pop",         "clear",       "discard",
    "remove",  "heappop", "heappushpop", "heapreplace",
};

static bool
is_remover(PyObject *name)
{
    for (size_t i = 0; i < LG__COUNT(removers); i++)
        if (lg__str_equals(name, removers[i]))
            return true;
    return false;
}

#if LG__INTERNALS
/** Returns whether the instruction deletes an element, or makes or takes a
 *  slice. */
static bool
cuts(uint8_t opcode)
{
#ifdef BINARY_SLICE
    if (opcode == BINARY_SLICE || opcode == STORE_SLICE)
        return true;
#endif
    return opcode == DELETE_SUBSCR || opcode == BUILD_SLICE;
}

static bool
has_cuts(const PyCodeObject *code)
{
    size_t length = lg__code_length(code);
    const uint8_t *instructions = lg__code_instructions(code);
    for (size_t i = 0; i + 1 < length; i += 2)
        if (cuts(instructions[i]))
            return true;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_consts); i++)
        if (PySlice_Check(PyTuple_GET_ITEM(code->co_consts, i)))
            return true;
    return false;
}
#else
static bool
has_cuts(const PyCodeObject *code)
{
    (void)code;
    return false;
}
#endif

/** Returns where `len` is among the names of code that takes a length and
 *  removes elements; -1: it does not. */
static Py_ssize_t
find_length(const lg__heap_walk *walk, const PyCodeObject *code)
{
    const PyObject *names = code->co_names;
    Py_ssize_t found = -1, count = PyTuple_GET_SIZE(names);
    for (Py_ssize_t i = 0; i < count && found < 0; i++)
        if (PyTuple_GET_ITEM(names, i) == walk->keys.len)
            found = i;
    if (found < 0 || walk->keys.len == NULL)
        return -1;
    for (Py_ssize_t i = 0; i < count; i++)
        if (is_remover(PyTuple_GET_ITEM(names, i)))
            return found;
    return has_cuts(code) ? found : -1;
}

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

/** Takes a number as the bound, if the container has not exceeded it. */
static void
consider(reading *of, PyObject *value)
{
    int overflow = 0;
    if (of->bound >= 0 || !PyLong_CheckExact(value))
        return;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    number = number < 0 ? -number : number;
    if (overflow == 0 && number > 1 && number <= INT32_MAX &&
        2 * of->filled <= HALVES * number)
        of->bound = (Py_ssize_t)number;
}

static bool
use_number(reading *of, PyObject *value)
{
    consider(of, value);
    return of->bound < 0;
}

static bool
use_main(reading *of, PyObject *value)
{
    Py_ssize_t length = length_of(of->walk, value);
    if (length < 0)
        return true;
    of->main = value;
    of->filled = length;
    return false;
}

/** The same in code that runs: a whole program has others, too. */
static bool
use_filled(reading *of, PyObject *value)
{
    return length_of(of->walk, value) == 0 || use_main(of, value);
}

/** Returns what a name is of the instance, the class or the module; NULL:
 *  nothing is known. */
static PyObject *
named(const reading *of, PyObject *name)
{
    PyObject *found = NULL;
    if (!PyUnicode_IS_COMPACT_ASCII(name))
        return NULL;
    const char *text = PyUnicode_DATA(name);
    if (of->self != NULL)
        found = lg__instance_find(of->walk, of->self, text);
    for (PyTypeObject *type = of->type; type != NULL && found == NULL;
         type = type->tp_base)
        if (lg__type_is_pythons(type))
            found = lg__dict_find_common(
                of->walk, lg__walk_type_state(of->walk, type).dict, name, text);
    return found == NULL && of->globals != NULL
               ? lg__dict_find_common(of->walk, of->globals, name, text)
               : found;
}

/** Uses what some of the names are, in this order. Returns false if it ended.
 */
static bool
use_names(reading *of, Py_ssize_t from, Py_ssize_t to, visitor use)
{
    for (Py_ssize_t i = from; i != to; i += from < to ? 1 : -1) {
        PyObject *value = named(of, PyTuple_GET_ITEM(of->code->co_names, i));
        if (value != NULL && !use(of, value))
            return false;
    }
    return true;
}

/** Uses the values of a tuple, or of the cells in it. */
static bool
use_tuple(reading *of, PyObject *tuple, visitor use)
{
    for (Py_ssize_t i = 0; tuple != NULL && i < PyTuple_GET_SIZE(tuple); i++) {
        PyObject *value = PyTuple_GET_ITEM(tuple, i);
        if (PyCell_Check(value))
            value = PyCell_GET(value);
        if (value != NULL && !use(of, value))
            return false;
    }
    return true;
}

/** Uses the values of local variables, and of those in cells. */
static bool
use_locals(reading *of, visitor use)
{
    for (Py_ssize_t i = 0; of->view != NULL && i < of->view->local_count; i++) {
        PyObject *value = lg__slot_object(of->view->slots[i]);
        if (value != NULL && PyCell_Check(value))
            value = PyCell_GET(value);
        if (value != NULL && !use(of, value))
            return false;
    }
    return true;
}

/** Uses the values of variables that have no name in the module: those of
 *  enclosing functions, defaults and locals. */
static bool
use_own(reading *of, visitor use)
{
    const PyFunctionObject *function = of->function;
    Py_ssize_t position = 0;
    PyObject *name, *value;
    if (!use_locals(of, use) || function == NULL)
        return function == NULL && of->view == NULL;
    if (!use_tuple(of, function->func_closure, use) ||
        !use_tuple(of, function->func_defaults, use))
        return false;
    while (function->func_kwdefaults != NULL &&
           PyDict_Next(function->func_kwdefaults, &position, &name, &value))
        if (!use(of, value))
            return false;
    return true;
}

static void
find_main(reading *of)
{
    Py_ssize_t count = PyTuple_GET_SIZE(of->code->co_names);
    Py_ssize_t next = of->length + 1;
    if (next < count && !use_names(of, next, next + 1, use_main))
        return;
    if (of->length > 0 && !use_names(of, of->length - 1, -1,
                                     of->view != NULL ? use_filled : use_main))
        return;
    if (of->self != NULL && !use_main(of, of->self))
        return;
    if (use_own(of, use_main) && next < count)
        use_names(of, next, count, use_main);
}

/** Takes the largest number among the constants. */
static void
consider_constants(reading *of)
{
    PyObject *constants = of->code->co_consts;
    Py_ssize_t most = -1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constants); i++) {
        consider(of, PyTuple_GET_ITEM(constants, i));
        most = of->bound > most ? of->bound : most;
        of->bound = -1;
    }
    of->bound = most;
}

/** Finds the container and its bound. Returns false if there is none. */
static bool
find_bound(reading *of)
{
    Py_ssize_t count = PyTuple_GET_SIZE(of->code->co_names);
    of->bound = -1;
    find_main(of);
    if (of->main == NULL)
        return false;
    use_names(of, of->length, count, use_number);
    use_names(of, 0, of->length, use_number);
    use_own(of, use_number);
    if (of->bound < 0)
        consider_constants(of);
    return of->bound > 0;
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

/** Notes the bound of a container that has no more elements than the one whose
 *  length is taken. */
static bool
use_bounded(reading *of, PyObject *value)
{
    char text[24];
    Py_ssize_t length = value != of->self ? length_of(of->walk, value) : -1;
    uint32_t node = length >= 0 && length <= of->filled
                        ? lg__walk_node(of->walk, value)
                        : LG_NONE;
    if (node == LG_NONE || !is_new(of->walk, node))
        return true;
    int digits = snprintf(text, sizeof text, "%zd", of->bound);
    lg_builder_add_fact(of->walk->builder, node, "maxlen", text,
                        (size_t)digits);
    return true;
}

/** The same of a container that something else than the instance holds, too. */
static bool
use_held(reading *of, PyObject *value)
{
    return Py_REFCNT(value) < 2 || use_bounded(of, value);
}

/** Notes the containers that the code names. */
static void
note(reading *of)
{
    of->length = find_length(of->walk, of->code);
    if (of->length < 0 || !find_bound(of))
        return;
    use_bounded(of, of->main);
    use_names(of, 0, PyTuple_GET_SIZE(of->code->co_names), use_bounded);
    use_own(of, use_bounded);
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

void
lg__bounds_find_methods(lg__heap_walk *walk, lg__type_info *info)
{
    size_t count = 0;
    info->learns_bounds = false;
    for (PyTypeObject *type = info->type;
         type != NULL && lg__type_is_pythons(type); type = type->tp_base) {
        Py_ssize_t position = 0;
        PyObject *name, *value;
        PyObject *names = lg__walk_type_state(walk, type).dict;
        if (names == NULL || !PyDict_CheckExact(names))
            return;
        while (count < LG__COUNT(info->bounding) &&
               PyDict_Next(names, &position, &name, &value)) {
            PyObject *method = method_of(value);
            if (method != NULL &&
                find_length(walk, read_function(walk, method).code) >= 0)
                info->bounding[count++] = method;
        }
    }
}

Py_ssize_t
lg__bounds_of_instance(lg__heap_walk *walk, PyObject *object,
                       const lg__type_info *info)
{
    for (size_t i = 0;
         i < LG__COUNT(info->bounding) && info->bounding[i] != NULL; i++) {
        reading of = read_function(walk, info->bounding[i]);
        of.self = object;
        of.type = info->type;
        of.length = find_length(walk, of.code);
        if (of.length < 0 || !find_bound(&of))
            continue;
        if (may_note(walk))
            use_names(&of, 0, PyTuple_GET_SIZE(of.code->co_names), use_held);
        return of.bound;
    }
    return -1;
}
