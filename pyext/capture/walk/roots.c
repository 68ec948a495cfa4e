/**
 * The roots: the interpreter's own references, the threads with their frames,
 * the modules. Each becomes a synthetic node, because it has no Python object,
 * with ordinary edges.
 */
#include "capture/cpython/capture_cpython.h"
#include "capture/walk/bounds.h"
#include "capture/walk/roots.h"
#include "capture/walk/edge_names.h"
#include "capture/walk/names.h"
#include "capture/walk/running.h"
#include "capture/walk/thread_locals.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/*
 * The arguments of calls with a tuple, `f(*args, **kwargs)`, such as those of
 * a thread's target. Up to 3.13 only C variables of the interpreter hold them:
 * see compat_calls.h. On all versions, an array of C code holds them once more
 * if the call has keywords. A word of a stack that may be stale is a reference
 * if it is the address of a captured object that misses one.
 */

/** A call: the nodes of the function, of the tuple and of the dict, and where
 *  the tuple is on the stack. */
typedef struct call {
    uint32_t frame;
    uint32_t function;
    uint32_t tuple;
    uint32_t dict; /**< LG_NONE: none, or not met: nobody else refers to it, and
                      the collector does not track it */
    uint32_t depth;
    bool has_keywords;
} call;

/** The node of an object that the walk has met at exactly this address, or
 *  LG_NONE. */
static uint32_t
met(const lg__heap_walk *walk, lg__slot word)
{
    const void *address = lg__slot_object(word);
    uint32_t node = lg__address_map_find(&walk->address_map, address) - 1;
    return node != LG_NONE && lg_builder_address(walk->builder, node) ==
                                  (uint64_t)(uintptr_t)address
               ? node
               : LG_NONE;
}

static bool
is_of_type(const lg__heap_walk *walk, uint32_t node, const PyTypeObject *type)
{
    const lg__type_info *info =
        node != LG_NONE ? lg__walk_info(walk, node) : NULL;
    return info != NULL && info->type == type;
}

/** Returns whether the word leads to a dict, and in *filled whether the dict
 * has items. Reads it, which is safe if the word is stale. */
static bool
is_dict(lg__slot word, bool *filled)
{
    PyDictObject dict;
    if (!lg__peek(&dict, lg__slot_object(word), sizeof dict) ||
        Py_TYPE(&dict) != &PyDict_Type)
        return false;
    *filled = dict.ma_used > 0;
    return true;
}

/** Finds the words of a call. Of those above the top of the stack, the lowest
 *  that look like them are in use, or were last. */
static bool
find_call(const lg__heap_walk *walk, const lg__frame_view *view,
          const lg__tuple_call *in, call *out)
{
    const lg__slot *stack = lg__frame_stack(view);
    for (uint32_t i = in->first; i < in->last; i++) {
        out->function = met(walk, stack[i - LG__CALLED_BELOW]);
        out->tuple = met(walk, stack[i]);
        out->depth = i;
        if (out->function == LG_NONE ||
            !is_of_type(walk, out->tuple, &PyTuple_Type))
            continue;
        if (!in->with_dict)
            return true;
        out->dict = met(walk, stack[i + 1]);
        if (is_dict(stack[i + 1], &out->has_keywords))
            return true;
    }
    return false;
}

static void
add_word(lg__heap_walk *walk, const call *it, uint32_t target, uint32_t depth)
{
    lg_builder_add_tentative_edge(walk->builder, it->frame, target,
                                  LG_EDGE_STACK, depth);
}

/** Adds the words that the visible stack lacks. */
static void
add_call(lg__heap_walk *walk, const call *it)
{
    if (LG__STACK_IS_VISIBLE)
        return;
    add_word(walk, it, it->function, it->depth - LG__CALLED_BELOW);
    add_word(walk, it, it->tuple, it->depth);
    add_word(walk, it, it->dict, it->depth + 1);
}

/** Adds the referents of a tuple or dict that have such labels, as far as they
 *  miss a reference. */
static void
add_referents(lg__heap_walk *walk, const call *it, uint32_t container,
              unsigned kind)
{
    const lg_builder *builder = walk->builder;
    uint64_t edge, end;
    if (container == LG_NONE)
        return;
    lg_builder_edges(builder, container, &edge, &end);
    for (; edge < end; edge++)
        if ((lg_builder_kind(builder, edge) & LG_EDGE_KIND_MASK) == kind)
            add_word(walk, it, lg_builder_target(builder, edge), it->depth);
}

/** A call of a function with keywords has all arguments in an array, too, which
 *  owns references (Objects/call.c, _PyStack_UnpackDict). */
static void
add_array(lg__heap_walk *walk, const call *it)
{
    if (!it->has_keywords ||
        (!is_of_type(walk, it->function, &PyFunction_Type) &&
         !is_of_type(walk, it->function, &PyMethod_Type)))
        return;
    add_referents(walk, it, it->tuple, LG_EDGE_INDEX);
    add_referents(walk, it, it->dict, LG_EDGE_VALUE);
}

/** Adds the arguments of the call that a frame, which has that node, is in.
 * Call it after the walk. */
static void
call_arguments_of(lg__heap_walk *walk, uint32_t node, const lg__frame *frame,
                  const lg__frame_view *view)
{
    call found = {.frame = node, .dict = LG_NONE};
    lg__tuple_call words;
    if (node != LG_NONE && lg__frame_calls_with_tuple(frame, view, &words) &&
        find_call(walk, view, &words, &found)) {
        add_call(walk, &found);
        add_array(walk, &found);
    }
}

static uint32_t
add_synthetic(lg__heap_walk *walk, const void *address, uint32_t type)
{
    uint32_t node = lg__walk_node(walk, address);
    if (node == LG_NONE)
        return node;
    lg_builder_mark(walk->builder, node, LG_NODE_SYNTHETIC | LG_NODE_IMMORTAL);
    lg_builder_put_type(walk->builder, node, type);
    walk->builder->size[node] = 0;
    walk->builder->refcount[node] = 0;
    return node;
}

/** The node that stands for a frame: the generator or frame object if there is
 *  one, otherwise a synthetic node at the frame's address. */
static const void *
frame_identity(lg__frame *frame, const lg__frame_view *view)
{
    if (view->generator != NULL && view->function != NULL)
        return view->generator;
    return view->object != NULL ? (const void *)view->object
                                : (const void *)frame;
}

/** Name of a thread from threading._active, read in place. */
static void
thread_name(lg__heap_walk *walk, PyThreadState *thread, lg__name *name)
{
    const unsigned long ident = lg__thread_ident(thread);
    name->length = 0;
    PyObject *threading = lg__dict_find(PyImport_GetModuleDict(), "threading");
    PyObject *names = threading != NULL && PyModule_Check(threading)
                          ? lg__module_dict(threading)
                          : NULL;
    PyObject *active = names != NULL ? lg__dict_find(names, "_active") : NULL;
    Py_ssize_t position = 0;
    PyObject *key, *value;
    while (active != NULL && PyDict_CheckExact(active) &&
           PyDict_Next(active, &position, &key, &value)) {
        int overflow = 0;
        if (!PyLong_CheckExact(key) ||
            (unsigned long)PyLong_AsLongLongAndOverflow(key, &overflow) !=
                ident)
            continue;
        PyObject *text = lg__instance_find(walk, value, "_name");
        if (text != NULL && PyUnicode_Check(text))
            lg__name_add_str(name, text, 128);
    }
    if (name->length)
        return;
    if (ident == lg__main_thread())
        lg__name_add(name, "MainThread");
    else
        lg__name_addf(name, "%lu", ident);
}

static void
number_frames(lg__heap_walk *walk, PyThreadState *thread, uint32_t type)
{
    for (lg__frame *frame = lg__first_seen_frame(thread); frame != NULL;
         frame = lg__frame_previous(frame)) {
        lg__frame_view view = lg__frame_view_of(frame);
        if (view.code != NULL && frame_identity(frame, &view) == frame)
            add_synthetic(walk, frame, type);
    }
}

/** The interpreter gets the number 0, the threads 1 to `thread_count`, and the
 *  frames that have no object come behind them: lg__roots_walk tells them apart
 *  by that. */
void
lg__roots_open(lg__heap_walk *walk)
{
    lg_builder *builder = walk->builder;
    uint32_t interpreter_type =
        lg_builder_add_type(builder, "interpreter", 11, LG_NONE, NULL, 0);
    uint32_t thread_type =
        lg_builder_add_type(builder, "thread", 6, LG_NONE, NULL, 0);
    uint32_t frame_type =
        lg_builder_add_type(builder, "frame", 5, LG_NONE, NULL, 0);
    add_synthetic(walk, walk->interpreter, interpreter_type);
    lg__calling_frame_find(walk);
    PyThreadState *first = PyInterpreterState_ThreadHead(walk->interpreter);
    for (PyThreadState *thread = first; thread != NULL;
         thread = lg__thread_next(thread, walk->internal))
        if (add_synthetic(walk, thread, thread_type) != LG_NONE)
            walk->thread_count++;
    if (walk->internal)
        for (PyThreadState *thread = first; thread != NULL;
             thread = lg__thread_next(thread, true))
            number_frames(walk, thread, frame_type);
    walk->synthetic_count = builder->node_count;
    walk->walked = walk->asked = builder->node_count;
    walk->looked = builder->node_count;
}

static void
walk_native_fields(lg__heap_walk *walk, const void *base,
                   const lg__field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lg__walk_edge(
            walk, *(PyObject *const *)((const char *)base + fields[i].offset),
            fields[i].kind, lg__walk_intern(walk, fields[i].name));
}

static void
walk_words(lg__heap_walk *walk, const lg__words *words)
{
    uint32_t name = lg__walk_intern(walk, words->name);
    for (size_t i = 0; i < words->count; i++)
        if (lg__words_at(words, i) != Py_None)
            lg__walk_edge(walk, lg__words_at(words, i), LG_EDGE_NATIVE, name);
}

static void
walk_exit_handlers(lg__heap_walk *walk)
{
    uint32_t name = lg__walk_intern(walk, "atexit handlers");
    int count = lg__exit_handler_count(walk->interpreter);
    for (int i = 0; i < count; i++) {
        lg__exit_handler handler = lg__exit_handler_at(walk->interpreter, i);
        for (size_t part = 0; part < LG__COUNT(handler.parts); part++)
            lg__walk_edge(walk, handler.parts[part], LG_EDGE_NATIVE, name);
    }
}

/*
 * What signal.signal() keeps: one array of the process
 * (Modules/signalmodule.c), whose symbol CPython does not export. At import,
 * the module's own function tells what is in it, and the variables around
 * CPython's runtime are searched for that. Where the search fails, each capture
 * asks the function, which writes the reference counts of the handlers, but
 * runs no code of a program.
 */

#ifndef NSIG
#define NSIG 0
#endif

/** Returns _signal.getsignal; NULL if the module is not loaded, or has
 *  something else there. Borrowed. */
static const PyCFunctionObject *
find_getter(void)
{
    PyObject *module = lg__dict_find(PyImport_GetModuleDict(), "_signal");
    if (module == NULL || !PyModule_CheckExact(module))
        return NULL;
    PyObject *names = lg__module_dict(module);
    PyObject *found = names != NULL ? lg__dict_find(names, "getsignal") : NULL;
    if (found == NULL || !PyCFunction_CheckExact(found))
        return NULL;
    const PyCFunctionObject *getter = (PyCFunctionObject *)found;
    bool sound = getter->m_self == module && getter->m_ml->ml_flags == METH_O &&
                 strcmp(getter->m_ml->ml_name, "getsignal") == 0;
    return sound ? getter : NULL;
}

/** A row of the array, the same in CPython 3.9 to 3.15. */
typedef struct row {
    int tripped; /**< whether the signal waits for Python's handler */
    PyObject *handler;
} row;

/** NULL: not found. Written once, at import. */
static const row *array;

/** Returns the handler of a signal, borrowed: an int stands for SIG_DFL and
 *  SIG_IGN, None for a handler in C. The number is a small int, so that CPython
 *  has it already. */
static PyObject *
asked_for(const PyCFunctionObject *getter, int number)
{
    PyObject *argument = PyLong_FromLong(number);
    PyObject *handler = getter->m_ml->ml_meth(getter->m_self, argument);
    Py_XDECREF(argument);
    Py_XDECREF(handler);
    return handler;
}

static bool
has_all(const row *rows, PyObject *const *handlers)
{
    for (int i = 1; i < NSIG; i++) {
        PyObject *expected = handlers[i] != Py_None ? handlers[i] : NULL;
        if ((rows[i].handler != handlers[i] && rows[i].handler != expected) ||
            (unsigned)rows[i].tripped > 1)
            return false;
    }
    return true;
}

/** The only rows that have these handlers, among the variables of CPython. */
static const row *
search(PyObject *const *handlers)
{
    lg__range range = lg__image_of(lg__runtime());
    const row *found = NULL;
    for (uintptr_t at = range.start; at + NSIG * sizeof *found <= range.end;
         at += sizeof at) {
        if (!has_all((const row *)at, handlers))
            continue;
        if (found != NULL)
            return NULL;
        found = (const row *)at;
    }
    return found;
}

void
lg__signal_handlers_find(void)
{
    const PyCFunctionObject *getter = find_getter();
    PyObject *handlers[NSIG + 1];
    bool known = getter != NULL && NSIG > 1;
    for (int number = 1; known && number < NSIG; number++) {
        handlers[number] = asked_for(getter, number);
        known = handlers[number] != NULL;
    }
    PyErr_Clear();
    array = known ? search(handlers) : NULL;
}

static PyObject *
handler_of(const PyCFunctionObject *getter, int number)
{
    return array != NULL ? array[number].handler : asked_for(getter, number);
}

/** Adds the handlers to the open node, one edge for each signal. */
static void
walk_signal_handlers(lg__heap_walk *walk)
{
    const PyCFunctionObject *getter = array == NULL ? find_getter() : NULL;
    if ((array == NULL && getter == NULL) ||
        walk->interpreter != PyInterpreterState_Main())
        return;
    for (int number = 1; number < NSIG; number++) {
        PyObject *handler = handler_of(getter, number);
        if (handler == NULL || handler == Py_None || PyLong_CheckExact(handler))
            continue;
        char label[32];
        snprintf(label, sizeof label, "signal handler %d", number);
        lg__walk_edge(walk, handler, LG_EDGE_NATIVE,
                      lg__walk_intern(walk, label));
    }
}

static void
walk_interpreter(lg__heap_walk *walk)
{
    walk_exit_handlers(walk);
    walk_signal_handlers(walk);
    walk_native_fields(walk, walk->interpreter, lg__interpreter_fields,
                       LG__COUNT(lg__interpreter_fields));
    lg__words words[LG__WORDS_MAX];
    size_t count = lg__interpreter_words(walk->interpreter, words);
    for (size_t i = 0; i < count; i++)
        walk_words(walk, &words[i]);
}

/** A thread refers to its frames. A frame object is owned by its frame, a
 *  generator by whoever runs it: neither reference is the thread's. */
static void
walk_thread(lg__heap_walk *walk, PyThreadState *thread)
{
    uint32_t depth = 0;
    for (lg__frame *frame = lg__first_seen_frame(thread);
         walk->internal && frame != NULL; frame = lg__frame_previous(frame)) {
        lg__frame_view view = lg__frame_view_of(frame);
        if (view.code == NULL)
            continue;
        const void *identity = frame_identity(frame, &view);
        bool owned = identity == view.object && view.function != NULL;
        lg_builder_append_edge(walk->builder, lg__walk_node(walk, identity),
                               LG_EDGE_FRAME | (owned ? 0 : LG_EDGE_UNCOUNTED),
                               depth++);
    }
    if (!walk->internal)
        return;
    walk_native_fields(walk, thread, lg__thread_fields,
                       LG__COUNT(lg__thread_fields));
    lg__locals_of_thread(walk, thread);
}

static void
count_found(lg__heap_walk *walk, PyObject *object)
{
    if (object != NULL)
        lg_builder_add_found(walk->builder, lg__walk_node(walk, object), 1);
}

/** Counts what leakgraph's own frames hold as found. */
static void
count_own_frames(lg__heap_walk *walk)
{
    PyThreadState *thread = PyThreadState_Get();
    lg__frame *end = lg__first_seen_frame(thread);
    for (lg__frame *frame = lg__thread_top_frame(thread);
         frame != NULL && frame != end; frame = lg__frame_previous(frame)) {
        lg__frame_view view = lg__frame_view_of(frame);
        Py_ssize_t count =
            view.code != NULL ? view.local_count + view.stack_count : 0;
        for (Py_ssize_t i = 0; i < count; i++)
            if (lg__slot_is_counted(view.slots[i]))
                count_found(walk, lg__slot_object(view.slots[i]));
        if (view.function_counted)
            count_found(walk, view.function);
        if (view.code_counted)
            count_found(walk, (PyObject *)view.code);
    }
}

/** Counts names in the cache as found, unless only the cache holds them. */
static void
count_cached_names(lg__heap_walk *walk)
{
    lg__words names = lg__type_cache_names(walk->interpreter);
    for (size_t i = 0; i < names.count; i++) {
        PyObject *name = lg__words_at(&names, i);
        if (name != NULL && name != Py_None && Py_REFCNT(name) > 1)
            count_found(walk, name);
    }
}

static void
walk_synthetic_frame(lg__heap_walk *walk, uint32_t node)
{
    lg__frame *frame =
        (lg__frame *)(uintptr_t)lg_builder_address(walk->builder, node);
    lg__frame_view view = lg__frame_view_of(frame);
    lg__name name;
    name.length = 0;
    lg__name_frame(&name, frame, view.code);
    lg_builder_set_text(walk->builder, node, name.data, name.length);
    walk->names.count = 0;
    walk->names.indexed = false;
    lg__name_edges_of_frame(walk, &view);
    lg__bounds_note_frame(walk, &view);
    lg__bounds_note_running(walk, view.code);
    /* If there is a function, it refers to the namespace instead. */
    if (view.function == NULL)
        lg__name_edge(walk, view.globals, LG_EDGE_GLOBALS,
                      lg__walk_intern(walk, "f_globals"));
}

void
lg__roots_walk(lg__heap_walk *walk)
{
    lg_builder *builder = walk->builder;
    if (walk->synthetic_count == 0)
        return;
    lg_builder_begin_edges(builder, 0);
    lg_builder_set_text(builder, 0, "state", 5);
    if (walk->internal)
        walk_interpreter(walk);
    for (uint32_t node = 1; node < walk->synthetic_count; node++) {
        lg_builder_begin_edges(builder, node);
        if (node > walk->thread_count) {
            walk_synthetic_frame(walk, node);
            continue;
        }
        PyThreadState *thread =
            (PyThreadState *)(uintptr_t)lg_builder_address(builder, node);
        lg__name name;
        thread_name(walk, thread, &name);
        lg_builder_set_text(builder, node, name.data, name.length);
        walk_thread(walk, thread);
        lg_builder_add_root(builder, node, LG_ROOT_THREAD, name.data,
                            name.length);
    }
    lg_builder_add_root(builder, 0, LG_ROOT_INTERPRETER, "", 0);
    if (walk->internal) {
        count_own_frames(walk);
        count_cached_names(walk);
    }
}

/** Returns whether the frame is in a call with a tuple for this capture. */
static bool
calling_frame_is_in(const lg__heap_walk *walk, const lg__frame_view *view)
{
    for (uint32_t i = 0; i < walk->own_call_count; i++)
        if (walk->own_calls[i].slots == view->slots)
            return true;
    return false;
}

/** Adds the arguments of the calls in which a thread's frames are. The call
 * that takes the capture is no holder. */
static void
add_calls(lg__heap_walk *walk, PyThreadState *thread)
{
    for (lg__frame *frame = lg__first_seen_frame(thread); frame != NULL;
         frame = lg__frame_previous(frame)) {
        lg__frame_view view = lg__frame_view_of(frame);
        if (view.code != NULL && !calling_frame_is_in(walk, &view))
            call_arguments_of(walk,
                              lg__walk_node(walk, frame_identity(frame, &view)),
                              frame, &view);
    }
}

void
lg__call_arguments_finish(lg__heap_walk *walk)
{
    bool finished = walk->builder->status == LG_OK;
    if (!walk->internal || walk->partial || LG__FREE_THREADED || !finished)
        return;
    for (PyThreadState *thread =
             PyInterpreterState_ThreadHead(walk->interpreter);
         thread != NULL; thread = lg__thread_next(thread, true))
        add_calls(walk, thread);
}
