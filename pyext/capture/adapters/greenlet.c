/**
 * Suspended greenlets (gevent, eventlet, SQLAlchemy's asyncio). Each keeps the
 * frames of its calls. No thread leads to them meanwhile, and the greenlet's
 * tp_traverse leaves them out.
 *
 * A greenlet's own struct lies behind a pointer (greenlet.h, PyGreenlet), and
 * differs between releases of Python. It begins with a table of methods and the
 * greenlet. Its next words contain, in this order, the context and the frame
 * object at which the greenlet resumes (TGreenlet.hpp). Both may be NULL; a
 * running greenlet has no frame there.
 *
 * Before the context are five words about the C stack (TStackState.cpp): where
 * it starts and ends, the copy of what others have overwritten, how many bytes
 * that is, and the next greenlet's. The copy is a block of the greenlet's own.
 */
#include "capture/adapters/adapter_pass.h"
#include "capture/common/capture_common.h"

#include <string.h>

enum { FIRST = 8, WORDS = 17, FRAMES_MAX = 10000 };

/** greenlet.h: PyGreenlet. */
typedef struct greenlet_layout {
    PyObject_HEAD
    PyObject *weak_references;
    PyObject *dict;
    const void *own;
} greenlet_layout;

typedef struct greenlet_state {
    PyTypeObject *type;
    uint32_t frame_type;
    uint32_t word; /**< index of the frame's word; 0: not found yet */
} greenlet_state;

static bool
prepare(lg__adapter_pass *pass, void **out)
{
    static const char module[] = "greenlet._greenlet";
    PyTypeObject *type = lg__c_type_in(module, "greenlet");
    if (type == NULL || !pass->walk->internal)
        return false;
    greenlet_state *state = lg__pass_keep(pass, sizeof *state);
    if (state == NULL)
        return false;
    if (strcmp(type->tp_name, "greenlet.greenlet") != 0 ||
        type->tp_basicsize != (Py_ssize_t)sizeof(greenlet_layout)) {
        lg__pass_note(pass, "not inspected: greenlets have a layout that "
                            "leakgraph does not know");
        return false;
    }
    state->type = type;
    state->frame_type = lg__pass_type(pass, "frame", LG_NONE);
    lg__pass_note(pass, "inspected");
    *out = state;
    return true;
}

static unsigned
kind_of(void *context, PyTypeObject *type)
{
    const greenlet_state *state = context;
    return PyType_IsSubtype(type, state->type) ? 1 : 0;
}

static bool
leads_to(const void *word, const PyTypeObject *type)
{
    PyObject found;
    return word != NULL && (uintptr_t)word % sizeof(void *) == 0 &&
           lg__peek(&found, word, sizeof found) && Py_TYPE(&found) == type;
}

/** Whether a word is the frame, and the word before it the context. */
static bool
is_frame_at(const void *const *word)
{
    return leads_to(word[0], &PyFrame_Type) &&
           (word[-1] == NULL || leads_to(word[-1], &PyContext_Type));
}

/** Copies the words of a greenlet. Returns the one with the frame object at
 *  which it resumes, or NULL. */
static const void *const *
frame_word(greenlet_state *state, PyObject *object, const void **words)
{
    const void *own = ((greenlet_layout *)object)->own;
    if (own == NULL || !lg__peek(words, own, WORDS * sizeof *words) ||
        words[1] != object)
        return NULL;
    for (uint32_t i = FIRST; state->word == 0 && i < WORDS; i++)
        if (is_frame_at(&words[i]))
            state->word = i;
    return state->word != 0 && is_frame_at(&words[state->word])
               ? &words[state->word]
               : NULL;
}

static PyObject *
top_frame(greenlet_state *state, PyObject *object)
{
    const void *words[WORDS];
    const void *const *word = frame_word(state, object, words);
    return word != NULL ? (PyObject *)(uintptr_t)*word : NULL;
}

/** The bytes of a waiting greenlet's copy of its stack; 0 if those words are
 *  not what they should be. */
static int64_t
copied_stack(greenlet_state *state, PyObject *object)
{
    enum { FROM_START = 6, FROM_END = 5, FROM_COPY = 4, FROM_SIZE = 3 };
    const void *words[WORDS];
    const void *const *word = frame_word(state, object, words);
    if (word == NULL)
        return 0;
    uintptr_t start = (uintptr_t)word[-FROM_START];
    uintptr_t end = (uintptr_t)word[-FROM_END];
    uintptr_t size = (uintptr_t)word[-FROM_SIZE];
    bool is_copy =
        start < end && size <= end - start && word[-FROM_COPY] != NULL;
    return is_copy ? (int64_t)size : 0;
}

/** Adds one frame of a greenlet. As with threads, the generator or the frame
 *  object stands for it, if there is one; otherwise it has a node of its own.
 *  The frame keeps its frame object; up to 3.10, the call does. Others keep the
 *  generator. */
static void
add_frame(lg__adapter_pass *pass, const greenlet_state *state, lg__frame *frame,
          const lg__frame_view *view, uint32_t depth)
{
    lg__heap_walk *walk = pass->walk;
    const unsigned lent = LG_EDGE_FRAME | LG_EDGE_UNCOUNTED;
    if (view->generator != NULL && view->function != NULL) {
        lg__name_edge(walk, view->generator, lent, depth);
    } else if (view->object != NULL) {
        lg__name_edge(walk, view->object,
                      view->generator == NULL ? LG_EDGE_FRAME : lent, depth);
    } else {
        uint32_t node =
            lg__pass_native(pass, frame, state->frame_type, 0, NULL);
        if (node != LG_NONE)
            lg_builder_append_edge(walk->builder, node, lent, depth);
    }
}

static void
visit(lg__adapter_pass *pass, void *context, PyObject *object, unsigned kind)
{
    greenlet_state *state = context;
    PyObject *top = top_frame(state, object);
    lg__frame *frame = top != NULL ? lg__frame_of_object(top) : NULL;
    (void)kind;
    for (uint32_t depth = 0; frame != NULL && depth < FRAMES_MAX;
         frame = lg__frame_previous(frame)) {
        lg__frame_view view = lg__frame_view_of(frame);
        if (view.code != NULL)
            add_frame(pass, state, frame, &view, depth++);
    }
}

/** Adds the variables of a frame that is a node of its own. */
static void
add_variables(lg__adapter_pass *pass, uint32_t node, const lg__frame_view *view)
{
    lg__heap_walk *walk = pass->walk;
    lg__name name;
    for (Py_ssize_t i = 0; i < view->local_count; i++) {
        PyObject *object = lg__slot_object(view->slots[i]);
        if (object == NULL)
            continue;
        PyObject *variable = lg__code_slot_name(view->code, i);
        name.length = 0;
        if (variable != NULL)
            lg__name_add_str(&name, variable, LG__NAME_LIMIT);
        name.data[name.length] = '\0';
        lg__pass_edge(pass, node, lg__walk_node(walk, object), LG_EDGE_LOCAL,
                      name.data);
    }
    if (view->function != NULL)
        lg__pass_edge(pass, node, lg__walk_node(walk, view->function),
                      LG_EDGE_ATTRIBUTE, "function");
    lg__pass_edge(pass, node, lg__walk_node(walk, view->code),
                  LG_EDGE_ATTRIBUTE, "f_code");
}

/** Adds `"work"`: the name of the function that a greenlet runs. */
static void
name_greenlet(lg__adapter_pass *pass, uint32_t node, const PyCodeObject *code)
{
    PyObject *text = lg__code_qualified_name(code);
    lg__name name;
    name.length = 0;
    lg__name_add(&name, "\"");
    if (text != NULL && PyUnicode_Check(text))
        lg__name_add_str(&name, text, LG__NAME_LIMIT);
    lg__name_add(&name, "\"");
    lg_builder_set_text(pass->walk->builder, node, name.data, name.length);
}

static void
scan_frame(lg__adapter_pass *pass, lg__frame *frame, const lg__frame_view *view)
{
    uint32_t node = lg__pass_known(pass, frame);
    lg__name name;
    if (view->object != NULL || node == LG_NONE ||
        (view->generator != NULL && view->function != NULL))
        return;
    name.length = 0;
    lg__name_frame(&name, frame, view->code);
    lg_builder_set_text(pass->walk->builder, node, name.data, name.length);
    add_variables(pass, node, view);
}

static void
scan_frames(lg__adapter_pass *pass, const lg__instance *instance,
            greenlet_state *state)
{
    const PyCodeObject *code = NULL;
    PyObject *top = top_frame(state, instance->object);
    lg__frame *frame = top != NULL ? lg__frame_of_object(top) : NULL;
    for (uint32_t depth = 0; frame != NULL && depth < FRAMES_MAX;
         frame = lg__frame_previous(frame), depth++) {
        lg__frame_view view = lg__frame_view_of(frame);
        if (view.code == NULL)
            continue;
        code = view.code;
        if (!instance->frontier)
            scan_frame(pass, frame, &view);
    }
    if (code != NULL)
        name_greenlet(pass, instance->node, code);
    lg__pass_add_size(pass, instance->node,
                      copied_stack(state, instance->object));
}

static void
scan(lg__adapter_pass *pass, void *context)
{
    lg__instance instance;
    while (lg__pass_next(pass, &instance))
        scan_frames(pass, &instance, context);
}

static void
finish(void *state)
{
    (void)state;
}

const lg__adapter lg__greenlet_adapter = {
    .name = "greenlet",
    .prepare = prepare,
    .kind = kind_of,
    .visit = visit,
    .pass = scan,
    .finish = finish,
};
