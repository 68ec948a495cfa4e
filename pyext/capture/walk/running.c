/**
 * The program that runs: the edges of its frames and its code, and which of
 * them is the call that takes the capture: the frame that calls leakgraph,
 * leakgraph's own frames inside it, and what C code holds for the call. None of
 * these is a holder.
 *
 * The arguments are on the stack of the caller, which some versions show
 * (LG__STACK_IS_VISIBLE). In a call f(*args, **kwargs) they are in a tuple and
 * a dict instead, most of which exist for the call alone. The walk passes over
 * those: their addresses stand for node 0, so that nothing numbers them, and
 * their references count as found. A tuple or dict that somebody else has, too,
 * such as the variable `args`, stays; only the call's reference to it counts.
 *
 * Where the stack is hidden, a word of it may be stale (see compat_calls.h).
 * The lowest word that is the function which the call is in belongs to the
 * call: all below it are in use. The same holds for the lowest word that passes
 * a call on to leakgraph, such as partial(why, x) or map(why, items): the
 * stack's reference to it counts as found, so that it holds nothing unless
 * somebody else has it, too.
 */
#include "capture/walk/collector_lists.h"
#include "capture/walk/running.h"
#include "capture/walk/edge_names.h"

#include <string.h>

/** Returns whether a frame runs leakgraph's own Python code, which is the
 *  observer. */
static bool
runs_leakgraph(const lg__frame_view *view)
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

lg__frame *
lg__first_seen_frame(PyThreadState *thread)
{
    lg__frame *frame = lg__thread_top_frame(thread);
    if (thread != PyThreadState_Get())
        return frame;
    while (frame != NULL) {
        lg__frame_view view = lg__frame_view_of(frame);
        if (view.code != NULL && !runs_leakgraph(&view))
            break;
        frame = lg__frame_previous(frame);
    }
    return frame;
}

/** Copies the head of what a word of a stack leads to; false if it leads
 *  nowhere. */
static bool
read_word(void *to, PyObject *word, size_t size)
{
    if (!LG__STACK_IS_VISIBLE)
        return lg__peek(to, word, size);
    if (word != NULL)
        memcpy(to, word, size);
    return word != NULL;
}

static bool
is_of_type(PyObject *word, const PyTypeObject *type)
{
    PyObject head;
    return read_word(&head, word, sizeof head) && Py_TYPE(&head) == type;
}

/** Returns whether the word is a function of leakgraph's extension. */
static bool
is_own_function(PyObject *word)
{
    PyCFunctionObject function;
    PyObject *core = lg__dict_find(PyImport_GetModuleDict(), "leakgraph._core");
    return core != NULL && is_of_type(word, &PyCFunction_Type) &&
           read_word(&function, word, sizeof function) &&
           function.m_self == core;
}

/** Returns whether the word is what runs this code, and is called through C. */
static bool
is_caller_of(PyObject *word, const PyCodeObject *code)
{
    PyMethodObject method;
    PyFunctionObject function;
    bool is_method = is_of_type(word, &PyMethod_Type) &&
                     read_word(&method, word, sizeof method);
    if (!is_method && !LG__CALLS_FUNCTIONS_BY_C)
        return false;
    PyObject *called = is_method ? method.im_func : word;
    return is_of_type(called, &PyFunction_Type) &&
           read_word(&function, called, sizeof function) &&
           function.func_code == (PyObject *)code;
}

/** Returns whether one of the call's arguments in the tuple or the dict is what
 *  the capture is for. */
static bool
has_held(const lg__own_call *call, const PyObject *held)
{
    Py_ssize_t position = 0;
    PyObject *key, *value;
    if (is_of_type(call->tuple, &PyTuple_Type))
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(call->tuple); i++)
            if (PyTuple_GET_ITEM(call->tuple, i) == held)
                return true;
    while (call->dict != NULL &&
           PyDict_Next(call->dict, &position, &key, &value))
        if (value == held)
            return true;
    return false;
}

/** The newest tuple that begins with the object, has one referrer and so many
 *  items; -1: any number. NULL: there is none near the end of a list of the
 *  collector's. The collector puts what is new at the end of its youngest list,
 *  so this goes backward from the ends, and not far. */
static PyObject *
newest_tuple_of(const lg__heap_walk *walk, const PyObject *first,
                Py_ssize_t size)
{
    enum { MOST = 1000 };
    if (lg__gc_collecting(walk->interpreter))
        return NULL;
    for (int list = 0; list < LG__GENERATIONS; list++) {
        const lg__gc_link *end = lg__gc_head(walk->interpreter, list);
        const lg__gc_link *head = lg__gc_prev(end);
        for (int i = 0; i < MOST && head != end;
             i++, head = lg__gc_prev(head)) {
            PyObject *object = (PyObject *)(uintptr_t)(head + 1);
            if (PyTuple_CheckExact(object) && Py_REFCNT(object) == 1 &&
                PyTuple_GET_SIZE(object) > 0 &&
                (size < 0 || PyTuple_GET_SIZE(object) == size) &&
                PyTuple_GET_ITEM(object, 0) == first)
                return object;
        }
    }
    return NULL;
}

/** Finds the tuple and the dict of a call among the words of a stack. `inner`
 *  is the code that the call runs, NULL for C code. */
static bool
find_words(const lg__frame_view *view, const lg__tuple_call *in,
           const PyCodeObject *inner, lg__own_call *out)
{
    const lg__slot *stack = lg__frame_stack(view);
    for (uint32_t i = in->first; i < in->last; i++) {
        PyObject *function = lg__slot_object(stack[i - LG__CALLED_BELOW]);
        if (inner != NULL ? !is_caller_of(function, inner)
                          : !is_own_function(function))
            continue;
        out->tuple = lg__slot_object(stack[i]);
        out->dict = in->with_dict ? lg__slot_object(stack[i + 1]) : NULL;
        out->owns_tuple = lg__slot_is_counted(stack[i]);
        return !in->with_dict || is_of_type(out->dict, &PyDict_Type);
    }
    return false;
}

/** Finds them, also if the stack still has the list in f(*list), of which the
 *  interpreter has just made the tuple. */
static bool
find_arguments(const lg__heap_walk *walk, const lg__frame_view *view,
               const lg__tuple_call *in, const PyCodeObject *inner,
               lg__own_call *out)
{
    const lg__capture_options *options = walk->options;
    if (!find_words(view, in, inner, out))
        return false;
    if (inner == NULL && options->held_count > 0 && !LG__STACK_IS_VISIBLE &&
        !has_held(out, options->held[0]))
        out->tuple = newest_tuple_of(walk, options->held[0], -1);
    return is_of_type(out->tuple, &PyTuple_Type);
}

/** Makes the object's address stand for node 0 if only the call refers to it.
 */
static bool
pass_over(lg__heap_walk *walk, PyObject *object)
{
    if (object == NULL || lg__reference_count(walk->interpreter, object) != 1)
        return false;
    const lg__address_place place =
        lg__address_map_place(&walk->address_map, object);
    if (walk->address_map.failed)
        return false;
    lg__address_map_set(&walk->address_map, place, object, 1);
    return !walk->address_map.failed;
}

/** C code has the arguments of a call with keywords once more, in an array that
 *  owns references, and a tuple of the names (Objects/call.c,
 *  _PyStack_UnpackDict). */
static void
note_array(lg__heap_walk *walk, lg__own_call *call)
{
    Py_ssize_t position = 0;
    PyObject *key, *value;
    if (call->dict == NULL || !PyDict_Next(call->dict, &position, &key, &value))
        return;
    call->in_array = true;
    PyObject *names = newest_tuple_of(walk, key, PyDict_GET_SIZE(call->dict));
    if (pass_over(walk, names))
        call->names = names;
}

/** Notes the call that the frame is in, if it is one with a tuple. */
static void
note_call(lg__heap_walk *walk, const lg__frame *frame,
          const lg__frame_view *view, const PyCodeObject *inner)
{
    lg__tuple_call words;
    lg__own_call call = {.slots = view->slots,
                         .is_innermost = inner == NULL,
                         .is_own_frame = runs_leakgraph(view)};
    if (LG__FREE_THREADED || walk->own_call_count == LG__OWN_CALLS ||
        !lg__frame_calls_with_tuple(frame, view, &words) ||
        !find_arguments(walk, view, &words, inner, &call))
        return;
    note_array(walk, &call);
    call.passes_tuple = call.owns_tuple && pass_over(walk, call.tuple);
    call.passes_dict = pass_over(walk, call.dict);
    walk->own_calls[walk->own_call_count++] = call;
}

#if LG__STACK_IS_VISIBLE
/** The stack shows it: the frame holds it. */
static void
find_forwarder(lg__heap_walk *walk, lg__frame *frame)
{
    (void)walk, (void)frame;
}
#else
/** Types of C whose objects call a function, with the words behind the head
 *  that are the function or what has it. Of a methodcaller that is a name. */
static const struct {
    const char *module;
    const char *name;
    uint8_t first;
    uint8_t last;
} forwarders[] = {
    {"_functools", "partial", 0, 0},     {"builtins", "map", 1, 1},
    {"builtins", "filter", 0, 1},        {"itertools", "starmap", 0, 0},
    {"_operator", "methodcaller", 0, 0},
};

enum { FORWARDERS = sizeof forwarders / sizeof *forwarders, NESTED = 4 };

/** Returns what a module has by that name; NULL: nothing. */
static PyObject *
find_in_module(const char *module, const char *name)
{
    PyObject *found = lg__dict_find(PyImport_GetModuleDict(), module);
    return found != NULL && PyModule_Check(found)
               ? lg__dict_find(PyModule_GetDict(found), name)
               : NULL;
}

/** Finds these types, as far as their modules are there. */
static void
find_forwarders(PyTypeObject **types)
{
    for (size_t i = 0; i < FORWARDERS; i++) {
        PyObject *type =
            find_in_module(forwarders[i].module, forwarders[i].name);
        types[i] =
            type != NULL && PyType_Check(type) ? (PyTypeObject *)type : NULL;
    }
}

/** Returns whether it is the name of a function of leakgraph's extension. */
static bool
is_own_name(PyObject *word)
{
    lg__name name = {.length = 0};
    if (!is_of_type(word, &PyUnicode_Type))
        return false;
    lg__name_add_str(&name, word, 32);
    name.data[name.length] = '\0';
    PyObject *named = find_in_module("leakgraph._core", name.data);
    return named != NULL && is_own_function(named);
}

/** Returns whether the word calls a function of leakgraph's extension when it
 *  is called, or asked for an item, perhaps through others like it. */
static bool
passes_on(PyObject *word, PyTypeObject *const *types, int nested)
{
    struct {
        PyObject head;
        PyObject *words[2];
    } object;
    size_t type = 0;
    while (type < FORWARDERS &&
           (types[type] == NULL || !is_of_type(word, types[type])))
        type++;
    if (type == FORWARDERS || nested == NESTED)
        return nested > 0 && (is_own_function(word) || is_own_name(word));
    size_t last = forwarders[type].last;
    if (!read_word(&object, word,
                   sizeof object.head + (last + 1) * sizeof *object.words))
        return false;
    for (size_t i = forwarders[type].first; i <= last; i++)
        if (passes_on(object.words[i], types, nested + 1))
            return true;
    return false;
}

/** Returns how many references the call has to what is at a word of the stack:
 *  C code that takes all items of an iterator has one, too, but next() has
 *  none. */
static uint32_t
references_of_call(const lg__heap_walk *walk, const lg__frame_view *view,
                   uint32_t at)
{
    const lg__slot *stack = lg__frame_stack(view);
    PyObject *word = lg__slot_object(stack[at]);
    const PyObject *next = find_in_module("builtins", "next");
    Py_ssize_t others = lg__reference_count(walk->interpreter, word) - 1;
    for (Py_ssize_t i = 0; i < view->local_count; i++)
        others -= lg__slot_object(view->slots[i]) == word;
    for (uint32_t i = 0; i < at; i++)
        if (lg__slot_object(stack[i]) == next)
            return 1;
    return PyIter_Check(word) && others > 0 ? 2 : 1;
}

/** Finds what the frame calls, or asks for items, if that passes the call on to
 *  leakgraph. */
static void
find_forwarder(lg__heap_walk *walk, lg__frame *frame)
{
    PyTypeObject *types[FORWARDERS];
    lg__frame_view view = lg__frame_view_of(frame);
    if (LG__FREE_THREADED || view.code == NULL ||
        !lg__frame_stack_is_hidden(frame))
        return;
    const lg__slot *stack = lg__frame_stack(&view);
    find_forwarders(types);
    for (uint32_t i = 0; i < (uint32_t)view.code->co_stacksize; i++) {
        PyObject *word = lg__slot_object(stack[i]);
        if (word == NULL || !passes_on(word, types, 0))
            continue;
        walk->forwarder = word;
        walk->forwarder_held = references_of_call(walk, &view, i);
        return;
    }
}
#endif

void
lg__calling_frame_find(lg__heap_walk *walk)
{
    if (!walk->internal)
        return;
    PyThreadState *thread = PyThreadState_Get();
    lg__frame *seen = lg__first_seen_frame(thread);
    lg__frame *end = seen != NULL ? lg__frame_previous(seen) : NULL;
    const PyCodeObject *inner = NULL;
    for (lg__frame *frame = lg__thread_top_frame(thread); frame != end;
         frame = lg__frame_previous(frame)) {
        lg__frame_view view = lg__frame_view_of(frame);
        if (view.code == NULL)
            continue;
        if (LG__STACK_IS_VISIBLE && inner == NULL)
            walk->calling_frame = view;
        note_call(walk, frame, &view, inner);
        inner = view.code;
    }
    if (seen != NULL)
        find_forwarder(walk, seen);
}

/** Returns whether a frame's stack has the object as the tuple or the dict of
 *  such a call. */
static bool
is_of_call(const lg__heap_walk *walk, const lg__frame_view *view,
           const PyObject *object)
{
    for (uint32_t i = 0; i < walk->own_call_count; i++) {
        const lg__own_call *call = &walk->own_calls[i];
        if (call->slots == view->slots &&
            (object == call->tuple || object == call->dict))
            return true;
    }
    return false;
}

/** Returns whether an object is on a frame's stack only for that call. */
static bool
calling_frame_holds(const lg__heap_walk *walk, const lg__frame_view *view,
                    PyObject *object)
{
    const lg__capture_options *options = walk->options;
    if (is_of_call(walk, view, object))
        return true;
    if (walk->calling_frame.slots == NULL ||
        view->slots != walk->calling_frame.slots)
        return false;
    for (size_t i = 0; i < options->held_count; i++)
        if (options->held[i] == object)
            return true;
    return object == options->hidden;
}

static void
count_references(lg__heap_walk *walk, PyObject *object, uint32_t count)
{
    uint32_t node = count > 0 ? lg__walk_node(walk, object) : LG_NONE;
    if (node != LG_NONE)
        lg_builder_add_found(walk->builder, node, count);
}

// Goes on behind an object that the walk passes over.
static void
pass_over_chain(lg__heap_walk *walk, const PyObject *object)
{
    const lg__tracked *lists = &walk->tracked;
    const lg__gc_link *next = lg__gc_next((const lg__gc_link *)object - 1);
    if (lists->followed && next != NULL &&
        (uintptr_t)next - lists->heads >= lists->heads_size)
        lg__walk_node(walk, next + 1);
}

/** Counts what the call's tuple, dict and array refer to, as far as no edge
 *  does, and goes on behind them in the collector's lists. */
static void
count_call(lg__heap_walk *walk, const lg__own_call *call)
{
    const uint32_t array = call->in_array;
    const uint32_t names = call->names != NULL;
    Py_ssize_t position = 0;
    PyObject *key, *value;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(call->tuple); i++)
        count_references(walk, PyTuple_GET_ITEM(call->tuple, i),
                         array + call->passes_tuple);
    while (call->dict != NULL &&
           PyDict_Next(call->dict, &position, &key, &value)) {
        count_references(walk, key, names + call->passes_dict);
        count_references(walk, value, array + call->passes_dict);
    }
    if (call->passes_tuple)
        pass_over_chain(walk, call->tuple);
    else if (!LG__STACK_IS_VISIBLE || !call->is_own_frame)
        count_references(walk, call->tuple, call->owns_tuple);
    if (call->passes_dict)
        pass_over_chain(walk, call->dict);
    if (call->names != NULL)
        pass_over_chain(walk, call->names);
}

/** Counts the references of the capturing call to one of its arguments. */
static uint32_t
references_to(const lg__heap_walk *walk, PyObject *argument)
{
    const lg__frame_view *view = &walk->calling_frame;
    uint32_t counted = 0;
    bool shown = false;
    for (Py_ssize_t i = 0; i < view->stack_count; i++) {
        lg__slot slot = view->slots[view->local_count + i];
        if (lg__slot_object(slot) != argument)
            continue;
        shown = true;
        counted += lg__slot_is_counted(slot);
    }
    if (!shown)
        return 1;
    /* The references on the stack of leakgraph's own frames count with the
       frame. */
    return runs_leakgraph(view) ? 0 : counted;
}

void
lg__calling_frame_note(lg__heap_walk *walk)
{
    const lg__capture_options *options = walk->options;
    for (uint32_t i = 0; i < walk->own_call_count; i++)
        count_call(walk, &walk->own_calls[i]);
    if (walk->forwarder != NULL)
        count_references(walk, walk->forwarder, walk->forwarder_held);
    bool by_tuple = walk->own_call_count > 0 && walk->own_calls[0].is_innermost;
    for (size_t i = 0; i < options->held_count; i++) {
        uint32_t node = lg__walk_node(walk, options->held[i]);
        uint32_t count = by_tuple ? 0 : references_to(walk, options->held[i]);
        if (node != LG_NONE && count > 0)
            lg_builder_add_found(walk->builder, node, count);
    }
}

static void
mark_names(lg__heap_walk *walk, PyObject *tuple)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
        uint32_t name = lg__walk_node(walk, PyTuple_GET_ITEM(tuple, i));
        if (name != LG_NONE)
            lg_builder_mark(walk->builder, name, LG_NODE_NAME);
    }
}

/** Flags a tuple of names, which many code objects may share. The walk marks
 *  its elements when it comes to it (lg__walk_tuple), or it has been there. */
static void
flag_variables(lg__heap_walk *walk, PyObject *tuple)
{
    uint32_t node = lg__walk_node(walk, tuple);
    size_t size = (walk->names_count + (size_t)1) * sizeof node;
    if (node == LG_NONE ||
        (walk->builder->node_flags[node] & LG__NODE_VARIABLES) ||
        !lg__walk_scratch(walk, &walk->name_tuples, size))
        return;
    lg_builder_mark(walk->builder, node, LG__NODE_VARIABLES);
    ((uint32_t *)walk->name_tuples.data)[walk->names_count++] = node;
    if (node < walk->builder->open_node)
        mark_names(walk, tuple);
}

/** Names of closure variables are looked up through the code object: see
 *  lg_hop. A whole walk meets the elements of the tuples anyway. */
static void
mark_slot_names(lg__heap_walk *walk, const PyCodeObject *code)
{
    PyObject *tuple;
    for (size_t i = 0; (tuple = lg__code_names(code, i)) != NULL; i++) {
        if (walk->partial || LG__FREE_THREADED || !PyTuple_CheckExact(tuple))
            mark_names(walk, tuple);
        else
            flag_variables(walk, tuple);
    }
}

/** The compiler keeps its executors alive through the code they are for. */
static void
walk_executors(lg__heap_walk *walk, const PyCodeObject *code)
{
    size_t count = walk->internal ? lg__code_executor_count(code) : 0;
    for (size_t i = 0; i < count; i++)
        lg__walk_edge(walk, lg__code_executor(code, i), LG_EDGE_NATIVE,
                      lg__walk_intern_literal(walk, "executor"));
}

void
lg__name_edges_of_code(lg__heap_walk *walk, PyObject *object)
{
    PyCodeObject *code = (PyCodeObject *)object;
    const char *cached = LG__CODE_CACHED(code);
    for (size_t i = 0; cached != NULL && i < LG__COUNT(lg__code_cached_fields);
         i++) {
        const lg__field *field = &lg__code_cached_fields[i];
        lg__walk_edge(walk, *(PyObject *const *)(cached + field->offset),
                      field->kind, lg__walk_intern_literal(walk, field->name));
    }
    walk_executors(walk, code);
    mark_slot_names(walk, code);
}

typedef void (*namer)(lg__heap_walk *, PyObject *, unsigned, uint32_t);

/** Does not count what owns no reference, whoever reports it. */
static unsigned
counted_as(unsigned kind, bool counted)
{
    return counted ? kind : kind | LG_EDGE_UNCOUNTED;
}

/** Variables and stack. */
static void
name_slots(lg__heap_walk *walk, const lg__frame_view *view, namer edge_name)
{
    for (Py_ssize_t i = 0; i < view->local_count + view->stack_count; i++) {
        lg__slot slot = view->slots[i];
        PyObject *object = lg__slot_object(slot);
        bool counted = lg__slot_is_counted(slot);
        if (object != NULL && i < view->local_count)
            edge_name(
                walk, object, counted_as(LG_EDGE_LOCAL, counted),
                lg__walk_intern_str(walk, lg__code_slot_name(view->code, i)));
        else if (object != NULL && !calling_frame_holds(walk, view, object))
            edge_name(walk, object, counted_as(LG_EDGE_STACK, counted),
                      (uint32_t)(i - view->local_count));
    }
}

/** Names what a frame holds. `edge_name` decides how an edge that tp_traverse
 * does not report counts. */
static void
name_frame_with(lg__heap_walk *walk, const lg__frame_view *view,
                namer edge_name)
{
    edge_name(walk, view->function,
              counted_as(LG_EDGE_ATTRIBUTE, view->function_counted),
              lg__walk_intern_literal(walk, "function"));
    if (view->function != NULL)
        edge_name(walk, (PyObject *)view->code,
                  counted_as(LG_EDGE_ATTRIBUTE, view->code_counted),
                  lg__walk_intern_literal(walk, "f_code"));
    edge_name(walk, view->locals_mapping,
              view->locals_mapping == view->globals ? LG_EDGE_GLOBALS
                                                    : LG_EDGE_ATTRIBUTE,
              lg__walk_intern_literal(walk, "f_locals"));
    name_slots(walk, view, edge_name);
}

void
lg__name_edges_of_frame(lg__heap_walk *walk, const lg__frame_view *view)
{
    name_frame_with(walk, view, lg__name_edge);
}

void
lg__name_edges_of_frame_object(lg__heap_walk *walk, PyObject *object)
{
    if (!walk->internal)
        return;
    lg__frame *frame = lg__frame_of_object(object);
    if (frame == NULL)
        return;
    lg__frame_view view = lg__frame_view_of(frame);
    if (view.code == NULL)
        return;
    /* The frame of a generator is a part of the generator, which has the
       edges. */
    if (view.generator != NULL && view.function != NULL)
        name_frame_with(walk, &view, lg__name_edges_of_shared);
    else
        lg__name_edges_of_frame(walk, &view);
}
