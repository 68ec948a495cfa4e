/**
 * The roots: the interpreter's own references, the threads with their frames,
 * the modules. Each becomes a synthetic node, because it has no Python object,
 * with ordinary edges.
 */
#include "capture/cpython/capture_cpython.h"
#include "capture/walk/call_arguments.h"
#include "capture/walk/signal_handlers.h"

#include <stdio.h>
#include <string.h>

static uint32_t
add_synthetic(lg__heap_walk *walk, const void *address, uint32_t type)
{
    uint32_t node = lg__walk_node(walk, address);
    if (node == LG_NONE)
        return node;
    walk->builder->node_flags[node] |= LG_NODE_SYNTHETIC | LG_NODE_IMMORTAL;
    walk->builder->type[node] = type;
    walk->builder->size[node] = 0;
    walk->builder->refcount[node] = 0;
    return node;
}

bool
lg__is_own_frame(const lg__frame_view *view)
{
    if (view->globals == NULL || !PyDict_Check(view->globals))
        return false;
    PyObject *module = lg__dict_find(view->globals, "__name__");
    if (module == NULL || !PyUnicode_Check(module))
        return false;
    lg__name name;
    name.length = 0;
    lg__name_add_str(&name, module, 32);
    return (name.length == 9 && memcmp(name.data, "leakgraph", 9) == 0) ||
           (name.length > 10 && memcmp(name.data, "leakgraph.", 10) == 0);
}

/** The first visible frame of a thread: on the capturing thread, the first that
 * is not leakgraph's own. */
static lg__frame *
first_seen_frame(PyThreadState *thread)
{
    lg__frame *frame = lg__thread_top_frame(thread);
    if (thread != PyThreadState_Get())
        return frame;
    while (frame != NULL) {
        lg__frame_view view = lg__frame_view_of(frame);
        if (view.code != NULL && !lg__is_own_frame(&view))
            break;
        frame = lg__frame_previous(frame);
    }
    return frame;
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
    for (lg__frame *frame = first_seen_frame(thread); frame != NULL;
         frame = lg__frame_previous(frame)) {
        lg__frame_view view = lg__frame_view_of(frame);
        if (view.code != NULL && frame_identity(frame, &view) == frame)
            add_synthetic(walk, frame, type);
    }
}

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

static void
walk_interpreter(lg__heap_walk *walk)
{
    walk_exit_handlers(walk);
    lg__walk_signal_handlers(walk);
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
    for (lg__frame *frame = first_seen_frame(thread);
         walk->internal && frame != NULL; frame = lg__frame_previous(frame)) {
        lg__frame_view view = lg__frame_view_of(frame);
        if (view.code == NULL)
            continue;
        const void *identity = frame_identity(frame, &view);
        bool owned = identity == view.object && view.function != NULL;
        lg_builder_add_edge(walk->builder, lg__walk_node(walk, identity),
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
    lg__frame *end = first_seen_frame(thread);
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
    lg__frame *frame = (lg__frame *)(uintptr_t)walk->builder->address[node];
    lg__frame_view view = lg__frame_view_of(frame);
    lg__name name;
    name.length = 0;
    lg__name_frame(&name, frame, view.code);
    lg_builder_set_text(walk->builder, node, name.data, name.length);
    walk->names.count = 0;
    walk->names.indexed = false;
    lg__name_edges_of_frame(walk, &view);
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
    lg_builder_open(builder, 0);
    lg_builder_set_text(builder, 0, "state", 5);
    if (walk->internal)
        walk_interpreter(walk);
    for (uint32_t node = 1; node < walk->synthetic_count; node++) {
        lg_builder_open(builder, node);
        if (node > walk->thread_count) {
            walk_synthetic_frame(walk, node);
            continue;
        }
        PyThreadState *thread =
            (PyThreadState *)(uintptr_t)builder->address[node];
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

/** Adds the arguments of the calls in which a thread's frames are. The call
 * that takes the capture is no holder. */
static void
add_calls(lg__heap_walk *walk, PyThreadState *thread)
{
    lg__frame *frame = first_seen_frame(thread);
    if (frame != NULL && thread == PyThreadState_Get())
        frame = lg__frame_previous(frame);
    for (; frame != NULL; frame = lg__frame_previous(frame)) {
        lg__frame_view view = lg__frame_view_of(frame);
        if (view.code != NULL)
            lg__call_arguments_of(
                walk, lg__walk_node(walk, frame_identity(frame, &view)), frame,
                &view);
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

/** The folder of its file distinguishes a program's module from a library's. */
static void
note_origin(lg__heap_walk *walk, PyObject *module)
{
    uint32_t node = lg__walk_node(walk, module);
    if (node == LG_NONE || !PyModule_Check(module))
        return;
    PyObject *names = lg__module_dict(module);
    PyObject *file =
        names != NULL
            ? lg__dict_find_common(walk, names, walk->keys.file, "__file__")
            : NULL;
    lg__name path;
    path.length = 0;
    if (file != NULL && PyUnicode_Check(file))
        lg__name_add_str(&path, file, LG__NAME_LIMIT);
    if (path.length > 0)
        lg_builder_set_origin(walk->builder, node,
                              (lg_string){path.data, (uint32_t)path.length});
}

void
lg__roots_finish(lg__heap_walk *walk)
{
    PyObject *modules = PyImport_GetModuleDict();
    Py_ssize_t position = 0;
    PyObject *key, *module;
    while (PyDict_Next(modules, &position, &key, &module)) {
        if (!PyUnicode_Check(key) || module == Py_None)
            continue;
        lg__name name;
        name.length = 0;
        lg__name_add_str(&name, key, 512);
        lg_builder_add_root(walk->builder, lg__walk_node(walk, module),
                            LG_ROOT_MODULE, name.data, name.length);
        note_origin(walk, module);
    }
}
