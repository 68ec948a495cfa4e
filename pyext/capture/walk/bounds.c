/**
 * Which numbers in the code of a program bound its containers.
 *
 * Elements may also leave by their age. That limits a container only if
 * whatever adds elements also calls what removes the old ones, or if a thread
 * or a task that sleeps in between does: nobody else is known to.
 *
 * What code names is looked up where the code would find it. What a container
 * already exceeds is no bound of it. Other containers from which the same code
 * removes elements are bounded, too, while they have no more elements.
 */
#include "capture/walk/bounds.h"
#include "capture/walk/bounds_code.h"
#include "capture/walk/expiry_code.h"
#include "capture/walk/names.h"

#include <string.h>

/** A container with more elements than this many halves of a number does not
 *  heed it: some make room late. */
enum { HALVES = 3 };

/** So many instances are asked for their containers: a program with more of
 *  them has no caches, but records. */
enum { ASKED_MOST = 1 << 11 };

/** So often is code looked at for what hands out a container: a program with
 *  more code, and more such containers, is not kept waiting. */
enum { LOOKS_MOST = 1 << 18 };

/** So often are the classes of a module read: a program whose modules take
 *  turns is not kept waiting. */
enum { MODULES_MOST = 1 << 11 };

/** The most containers of modules, closures and classes that are noted. */
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
    lg__bounding found;
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

/** Returns the slot that a variable of code has in the function around it,
 * whose code that is, too; -1: none. */
static Py_ssize_t
outer_slot(const reading *of, const PyCodeObject *code, Py_ssize_t slot)
{
    if (code == of->code)
        return slot;
    Py_ssize_t found = lg__code_slot_count(of->code) - 1;
    while (found >= 0 && lg__code_slot_name(of->code, found) !=
                             lg__code_slot_name(code, slot))
        found--;
    return found;
}

/** Returns what a variable or a constant of the code is, which may be that of a
 *  comprehension in the function; NULL: unknown. */
static PyObject *
variable(const reading *of, const PyCodeObject *code,
         const lg__named_value *value)
{
    if (value->kind == LG__STEP_CONSTANT)
        return PyTuple_GET_ITEM(code->co_consts, value->arg);
    if (value->kind == LG__STEP_LOCAL) {
        Py_ssize_t slot = outer_slot(of, code, value->arg);
        return slot >= 0 ? local(of, slot) : NULL;
    }
    if (value->kind != LG__STEP_GLOBAL || of->globals == NULL)
        return NULL;
    PyObject *name = PyTuple_GET_ITEM(code->co_names, value->arg);
    return PyUnicode_IS_COMPACT_ASCII(name)
               ? lg__dict_find_common(of->walk, of->globals, name,
                                      PyUnicode_DATA(name))
               : NULL;
}

/** Returns what a value is that the code names; NULL: unknown. Of objects that
 *  are neither the instance nor classes, no attribute is known. */
static PyObject *
lookup_in(const reading *of, const PyCodeObject *code,
          const lg__named_value *value)
{
    PyObject *object = variable(of, code, value);
    if (object == NULL || value->attributes == 0)
        return object;
    PyObject *name = PyTuple_GET_ITEM(code->co_names, value->name[0]);
    if (value->attributes > 1 || !PyUnicode_IS_COMPACT_ASCII(name))
        return NULL;
    if (PyType_Check(object))
        return in_class(of, (PyTypeObject *)object, name);
    if (object != of->self)
        return NULL;
    PyObject *own = lg__instance_find(of->walk, object, PyUnicode_DATA(name));
    return own != NULL ? own : in_class(of, Py_TYPE(object), name);
}

static PyObject *
lookup(const reading *of, const lg__named_value *value)
{
    return lookup_in(of, of->code, value);
}

/** Begins to read the code of a function. */
static reading
read_function(lg__heap_walk *walk, const PyFunctionObject *function)
{
    return (reading){.walk = walk,
                     .function = function,
                     .code = (PyCodeObject *)function->func_code,
                     .globals = function->func_globals};
}

/** A datetime.timedelta, 3.9 to 3.15 (Include/datetime.h). */
typedef struct timedelta_layout {
    PyObject_HEAD
    Py_hash_t hash;
    int days;
    int seconds;
    int microseconds;
} timedelta_layout;

/** Returns whether the type is that of C code. A class of Python, and so of any
 *  layout, may have the same name. */
static bool
is_timedelta(const PyTypeObject *type)
{
    return !lg__type_is_pythons(type) &&
           type->tp_basicsize == sizeof(timedelta_layout) &&
           strcmp(type->tp_name, "datetime.timedelta") == 0;
}

/** Returns the number that a float, an int or the seconds of a timedelta are;
 *  -1: it is none of them. */
static double
number_in(const PyObject *value)
{
    int overflow = 0;
    if (PyFloat_CheckExact(value))
        return PyFloat_AS_DOUBLE(value);
    if (PyLong_CheckExact(value)) {
        long long number = PyLong_AsLongLongAndOverflow(
            (PyObject *)(uintptr_t)value, &overflow);
        return overflow == 0 ? (double)number : -1;
    }
    if (!is_timedelta(Py_TYPE(value)))
        return -1;
    const timedelta_layout *span =
        (const timedelta_layout *)(const void *)value;
    return 86400.0 * span->days + span->seconds + span->microseconds / 1e6;
}

/** Returns a number of seconds in milliseconds; -1: it is none. */
static Py_ssize_t
in_milliseconds(double seconds)
{
    return seconds > 0 && seconds < INT32_MAX ? (Py_ssize_t)(seconds * 1e3)
                                              : -1;
}

Py_ssize_t
lg__milliseconds_of(const PyObject *seconds)
{
    return in_milliseconds(number_in(seconds));
}

/** Returns after how many milliseconds elements go; -1: unknown. */
static Py_ssize_t
find_lifetime(const reading *of)
{
    const lg__bounding *found = &of->found;
    if (found->bound_code == NULL)
        return -1;
    if (found->bound.kind == LG__STEP_NUMBER)
        return in_milliseconds(found->bound.arg * found->seconds_each);
    reading by = *of;
    if (found->bound_by != NULL) {
        by = read_function(of->walk, found->bound_by);
        by.self = of->self;
        by.type = of->type;
    }
    PyObject *number = lookup_in(&by, found->bound_code, &found->bound);
    return number != NULL
               ? in_milliseconds(number_in(number) * found->seconds_each)
               : -1;
}

/** Returns how many elements the code leaves in its main container, which has
 *  `filled`, or for how many milliseconds; -1: unknown. */
static Py_ssize_t
find_bound(const reading *of, Py_ssize_t *filled)
{
    const lg__named_value *bound = &of->found.bound;
    PyObject *main = lookup(of, &of->found.main);
    *filled = main != NULL ? length_of(of->walk, main) : -1;
    if (*filled < 0)
        return -1;
    if (of->found.by_age)
        return find_lifetime(of);
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
note_bound(lg__heap_walk *walk, PyObject *container, const char *key,
           Py_ssize_t bound)
{
    uint32_t node = lg__walk_node(walk, container);
    if (bound >= 0 && node != LG_NONE &&
        (Py_REFCNT(container) == 1 || is_new(walk, node)))
        lg_builder_add_fact_number(walk->builder, node, key, (uint64_t)bound);
}

/** A container that code bounds by adding no more, or by removing what is
 *  old. */
typedef struct filled_container {
    lg__called_container called;
    PyObject *container;
    Py_ssize_t bound;
    bool by_age;
    bool must_run;  /**< not all that adds elements calls that code */
    bool knows_age; /**< that code says how long elements stay */
} filled_container;

/** Remembers such a container until all code is known. Without memory, it has
 *  no bound. */
static void
remember_filled(const reading *of, const lg__named_value *value,
                PyObject *container, Py_ssize_t bound)
{
    lg__heap_walk *walk = of->walk;
    const filled_container filled = {
        lg__code_name_of(of->code, value),
        container,
        bound,
        of->found.by_age,
        of->found.must_run,
        of->found.bound_by == NULL,
    };
    if (lg__walk_scratch(walk, &walk->filled,
                         (walk->filled_count + (size_t)1) * sizeof filled))
        ((filled_container *)walk->filled.data)[walk->filled_count++] = filled;
}

/** Notes the containers that the code bounds, in a function whose code was
 *  read. */
static void
note_found(const reading *of)
{
    Py_ssize_t filled;
    Py_ssize_t bound = find_bound(of, &filled);
    for (uint32_t i = 0; i < of->found.cut_count && bound > 0; i++) {
        const lg__named_value *cut = &of->found.cut[i];
        PyObject *container =
            lg__value_is_variable(cut) ? lookup(of, cut) : NULL;
        Py_ssize_t length =
            container != NULL ? length_of(of->walk, container) : -1;
        if (length < 0 || length > filled)
            continue;
        if (of->found.by_adding || of->found.by_age)
            remember_filled(of, cut, container, bound);
        else
            note_bound(of->walk, container, "maxlen", bound);
    }
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

/** Returns whether a key of a namespace may be a name: a class can have any. */
static bool
is_name(PyObject *key)
{
    return PyUnicode_CheckExact(key) && PyUnicode_IS_COMPACT_ASCII(key);
}

/** Returns whether a class that comes before has the name, too. */
static bool
is_overridden(const reading *of, PyTypeObject *by, const PyTypeObject *base,
              PyObject *name)
{
    for (; by != base && is_name(name); by = by->tp_base)
        if (lg__dict_find_common(of->walk,
                                 lg__walk_type_state(of->walk, by).dict, name,
                                 PyUnicode_DATA(name)) != NULL)
            return true;
    return false;
}

/** Returns whether code adds elements to a container of that name, which is a
 *  global variable or an attribute of the first parameter, without the same
 *  bound. */
static bool
adds_freely(lg__heap_walk *walk, const PyCodeObject *code, const PyObject *name,
            bool is_global)
{
    uint32_t at = 0;
    uint32_t names = (uint32_t)PyTuple_GET_SIZE(code->co_names);
    while (at < names && PyTuple_GET_ITEM(code->co_names, at) != name)
        at++;
    if (at == names)
        return false;
    const lg__named_value container =
        is_global ? (lg__named_value){LG__STEP_GLOBAL, at, 0, {0, 0}}
                  : (lg__named_value){LG__STEP_LOCAL, 0, 1, {at, 0}};
    return lg__code_adds(walk, code, &container);
}

/** Returns whether code asks clocks, and none that the other code asks. */
static bool
asks_other_clocks(lg__heap_walk *walk, const PyCodeObject *code,
                  const PyCodeObject *other)
{
    uint32_t asked = lg__code_clocks(walk, code);
    uint32_t known = lg__code_clocks(walk, other);
    return asked != 0 && known != 0 && (asked & known) == 0;
}

/** Notes a function that adds elements which the code removes by age. Returns
 *  whether it is known how long they stay. */
static bool
note_adding(reading *of, const PyFunctionObject *function)
{
    const PyCodeObject *code = (PyCodeObject *)function->func_code;
    lg__bounding *found = &of->found;
    if (asks_other_clocks(of->walk, code, of->code))
        return false;
    found->must_run =
        found->must_run || !lg__code_uses(code, of->code->co_name);
    if (found->bound_code != NULL && found->bound_by == NULL)
        return true;
    if (!lg__code_lifetime(of->walk, code, found))
        return false;
    found->bound_by = function;
    return true;
}

/** Returns whether a function in a namespace adds elements to the container
 *  that the code bounds, and that code does not remove. Of the namespace of a
 *  class, methods that a derived class replaces do not count, nor does what
 *  begins an instance. */
static bool
is_filled_in(reading *of, PyObject *names, PyTypeObject *class)
{
    const lg__named_value *main = &of->found.main;
    bool is_global = main->attributes == 0;
    const PyObject *container = lg__code_name_of(of->code, main).name;
    Py_ssize_t position = 0;
    PyObject *name, *value;
    while (names != NULL && PyDict_CheckExact(names) &&
           PyDict_Next(names, &position, &name, &value)) {
        PyObject *function = method_of(value);
        PyObject *code =
            function != NULL ? ((PyFunctionObject *)function)->func_code : NULL;
        if (code != NULL && code != (PyObject *)of->code &&
            (class == NULL ||
             (!(is_name(name) && lg__str_equals(name, "__init__")) &&
              !is_overridden(of, of->type, class, name))) &&
            adds_freely(of->walk, (PyCodeObject *)code, container, is_global) &&
            !(of->found.by_age &&
              note_adding(of, (PyFunctionObject *)function)))
            return true;
    }
    return false;
}

/** Returns whether a function of the class, or of the module, adds elements to
 *  the container that the code bounds, without the bound. What only this code
 *  names, only this code fills. */
static bool
is_filled_freely(reading *of)
{
    const lg__named_value *main = &of->found.main;
    if (main->attributes == 0)
        return main->kind != LG__STEP_LOCAL &&
               is_filled_in(of, of->globals, NULL);
    if (of->type == NULL || main->kind != LG__STEP_LOCAL || main->arg != 0 ||
        main->attributes > 1)
        return true;
    for (PyTypeObject *type = of->type;
         type != NULL && lg__type_is_pythons(type); type = type->tp_base)
        if (is_filled_in(of, lg__walk_type_state(of->walk, type).dict, type))
            return true;
    return false;
}

/** Returns whether no other code known so far adds elements to the container
 *  that the code bounds by adding none, or by removing old ones. */
static bool
fills_alone(reading *of)
{
    lg__bounding *found = &of->found;
    if (!found->by_adding && !found->by_age)
        return true;
    found->must_run = false;
    return !is_filled_freely(of);
}

/** Returns the code of a function, or of a property; NULL: it is neither. */
static const PyCodeObject *
code_of(PyObject *value)
{
    if (value != NULL && Py_TYPE(value) == &PyProperty_Type)
        value = *(PyObject **)(value + 1);
    PyObject *function = value != NULL ? method_of(value) : NULL;
    return function != NULL
               ? (PyCodeObject *)((PyFunctionObject *)function)->func_code
               : NULL;
}

/** Returns the index of a name, or the count. */
static uint32_t
timely_at(const lg__timely_names *known, const PyObject *name)
{
    uint32_t at = 0;
    while (at < known->count && known->name[at] != name)
        at++;
    return at;
}

/** Adds what knows the time in the namespace of a class. */
static void
add_timely(lg__heap_walk *walk, PyObject *names, lg__timely_names *to)
{
    Py_ssize_t position = 0;
    PyObject *name, *value;
    while (names != NULL && PyDict_CheckExact(names) &&
           PyDict_Next(names, &position, &name, &value) &&
           to->count < LG__COUNT(to->name)) {
        const PyCodeObject *code = is_name(name) ? code_of(value) : NULL;
        if (code == NULL || !lg__code_may_know_time(&walk->keys, code) ||
            timely_at(to, name) < to->count)
            continue;
        to->name[to->count] = name;
        to->code[to->count++] = code;
    }
}

/** Forgets the code of names that a class has for other code. */
static void
forget_others(const reading *of, PyTypeObject *class, lg__timely_names *known)
{
    for (uint32_t i = 0; i < known->count; i++) {
        PyObject *value = in_class(of, class, known->name[i]);
        if (value != NULL && code_of(value) != known->code[i])
            known->code[i] = NULL;
    }
}

/** Finds what knows the time in the classes of the module: once, as long as
 *  code of few modules is read in turn. NULL: it has read too many. Modules
 *  whose namespaces share a slot replace each other there; MODULES_MOST bounds
 *  what that costs. */
static const lg__timely_names *
timely_names(const reading *of)
{
    const size_t count = LG__COUNT(of->walk->timely);
    lg__timely_names *known =
        &of->walk->timely[((uintptr_t)of->globals >> 6) % count];
    PyObject *key, *value;
    if (known->globals == of->globals)
        return known;
    if (of->walk->modules_read == MODULES_MOST)
        return NULL;
    of->walk->modules_read++;
    *known = (lg__timely_names){.globals = of->globals};
    for (Py_ssize_t at = 0; PyDict_Next(of->globals, &at, &key, &value);)
        if (PyType_Check(value) && lg__type_is_pythons((PyTypeObject *)value))
            add_timely(
                of->walk,
                lg__walk_type_state(of->walk, (PyTypeObject *)value).dict,
                known);
    for (Py_ssize_t at = 0; PyDict_Next(of->globals, &at, &key, &value);)
        if (PyType_Check(value))
            forget_others(of, (PyTypeObject *)value, known);
    return known;
}

/** Returns the code of the method, or property, of that name that one class of
 *  the module has, if it may know the time; NULL: none has, or several have. */
static const PyCodeObject *
code_in_classes(const reading *of, const PyObject *name)
{
    if (of->globals == NULL || !PyDict_CheckExact(of->globals))
        return NULL;
    const lg__timely_names *known = timely_names(of);
    if (known == NULL)
        return NULL;
    uint32_t at = timely_at(known, name);
    return at < known->count ? known->code[at] : NULL;
}

/** Returns the code that other code calls: a function, a method of the
 * instance, or one of what a variable has, whose class is unknown. */
static const PyCodeObject *
find_called(const void *context, const PyCodeObject *code,
            const lg__named_value *called)
{
    const reading *of = context;
    const PyCodeObject *found = code_of(lookup_in(of, code, called));
    if (found != NULL || called->kind != LG__STEP_LOCAL ||
        called->attributes != 1)
        return found;
    PyObject *name = PyTuple_GET_ITEM(code->co_names, called->name[0]);
    return is_name(name) ? code_in_classes(of, name) : NULL;
}

/** Returns whether the code bounds a container, or lets its elements expire. */
static bool
reads_bound(reading *of)
{
    const lg__callees callees = {find_called, of};
    return lg__code_bounds(of->walk, of->code, &of->found) ||
           lg__code_expires(of->walk, of->code, &callees, &of->found);
}

/** Notes what the code bounds, unless other code adds to it. */
static void
note_alone(reading *of)
{
    if (reads_bound(of) && fills_alone(of))
        note_found(of);
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
    reading of = read_function(walk, (PyFunctionObject *)function);
    if (may_note(walk) && of.code != NULL)
        note_alone(&of);
}

void
lg__bounds_note_frame(lg__heap_walk *walk, const lg__frame_view *view)
{
    reading of = {.walk = walk,
                  .code = view->code,
                  .globals = view->globals,
                  .view = view};
    if (may_note(walk))
        note_alone(&of);
}

/** Returns whether a class has a container of its own. */
static bool
has_containers(const lg__heap_walk *walk, PyObject *names)
{
    Py_ssize_t position = 0;
    PyObject *name, *value;
    while (PyDict_Next(names, &position, &name, &value))
        if (length_of(walk, value) >= 0 && is_name(name) &&
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
        reading of = read_function(walk, (PyFunctionObject *)method);
        of.type = type;
        note_alone(&of);
    }
}

/** How many methods of a type that bound a container are looked at. */
enum { METHODS_MOST = 3 };

struct lg__bounding_method {
    PyObject *function;
    lg__bounding found;
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
        reading of = read_function(walk, (PyFunctionObject *)method);
        of.type = info->type;
        if (reads_bound(&of) && fills_alone(&of) &&
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
        reading of =
            read_function(walk, (PyFunctionObject *)info->bounding[i].function);
        of.self = object;
        of.type = info->type;
        of.found = info->bounding[i].found;
        note_found(&of);
    }
}

void
lg__bounds_note_code(lg__heap_walk *walk, PyObject *code)
{
    if (may_note(walk) && lg__code_is_own(walk, (const PyCodeObject *)code) &&
        lg__walk_scratch(walk, &walk->own_codes,
                         (walk->own_code_count + (size_t)1) * sizeof code))
        ((PyObject **)walk->own_codes.data)[walk->own_code_count++] = code;
}

void
lg__bounds_note_running(lg__heap_walk *walk, const PyCodeObject *code)
{
    if (walk->waiting_count == LG__COUNT(walk->waiting) ||
        (walk->waiting_count > 0 &&
         walk->waiting[walk->waiting_count - 1] == code) ||
        !may_note(walk) || !lg__code_is_own(walk, code))
        return;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(code->co_names); i++) {
        PyObject *name = PyTuple_GET_ITEM(code->co_names, i);
        if (lg__str_equals(name, "sleep") || lg__str_equals(name, "wait")) {
            walk->waiting[walk->waiting_count++] = code;
            return;
        }
    }
}

/** Returns whether code that runs, and sleeps now and then, is that code or
 *  calls it. */
static bool
is_run(const lg__heap_walk *walk, const PyCodeObject *code)
{
    for (uint32_t i = 0; i < walk->waiting_count; i++)
        if (walk->waiting[i] == code ||
            lg__code_uses(walk->waiting[i], code->co_name))
            return true;
    return false;
}

/** Returns whether code lets others add to the container what nothing removes,
 *  or may. Of what goes by age, what adds elements has to call what removes old
 *  ones, unless this runs by itself, and to say how long they stay, unless that
 *  does. */
static bool
lets_others_add(lg__heap_walk *walk, const PyCodeObject *code,
                const filled_container *filled, bool runs)
{
    lg__bounding by;
    if (!lg__code_hands_out(walk, code, &filled->called))
        return false;
    if (!filled->by_age ||
        (!runs && !lg__code_uses(code, filled->called.code->co_name)) ||
        asks_other_clocks(walk, code, filled->called.code))
        return true;
    return !filled->knows_age && !lg__code_lifetime(walk, code, &by);
}

/** Returns whether any code of the program hands out the container, or may. In
 *  doubt the container has no bound. */
static bool
is_handed_out(lg__heap_walk *walk, const filled_container *filled,
              uint32_t *looks)
{
    bool runs = filled->by_age && is_run(walk, filled->called.code);
    PyObject *const *codes = walk->own_codes.data;
    if ((filled->must_run && !runs) ||
        walk->own_code_count > LOOKS_MOST - *looks)
        return true;
    *looks += walk->own_code_count;
    for (uint32_t i = 0; i < walk->own_code_count; i++)
        if (lets_others_add(walk, (const PyCodeObject *)codes[i], filled, runs))
            return true;
    return false;
}

void
lg__bounds_finish(lg__heap_walk *walk)
{
    const filled_container *all = walk->filled.data;
    bool handed_out = false;
    uint32_t looks = 0;
    for (uint32_t i = 0; i < walk->filled_count; i++) {
        const lg__called_container *called = &all[i].called;
        if (i == 0 || called->code != all[i - 1].called.code ||
            called->name != all[i - 1].called.name)
            handed_out = is_handed_out(walk, &all[i], &looks);
        if (!handed_out)
            note_bound(walk, all[i].container,
                       all[i].by_age ? "lifetime" : "maxlen", all[i].bound);
    }
    walk->filled_count = 0;
}
