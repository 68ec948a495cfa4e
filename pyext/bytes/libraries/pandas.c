/**
 * DataFrames and Series of pandas, whose arrays are numpy's or pyarrow's. The
 * adapter names the references to the arrays and the columns of blocks, and
 * adds the bytes of the hash tables of indexes.
 */
#include "bytes/libraries/pandas.h"
#include "bytes/common/bytes_common.h"
#include "bytes/libraries/numpy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    KIND_TABLE = LG__PANDAS_CLASSES + 1, /**< below: 1 + a class */
    KIND_FRAME,
};
enum {
    NAMES_SHOWN = 4,
    DESCRIBED = 10000, /**< the most managers and frames to describe */
};

static PyTypeObject *
type_in(const char *module, const char *name)
{
    PyObject *loaded = lg__pass_module(module);
    PyObject *found = loaded != NULL ? lg__pass_member(loaded, name) : NULL;
    return found != NULL && PyType_Check(found) ? (PyTypeObject *)found : NULL;
}

static void
note_strange(lg__adapter_pass *pass)
{
    lg__pass_note(pass,
                  "not inspected: pandas %s stores its columns in "
                  "a layout that leakgraph does not know",
                  lg__ask_version("pandas"));
}

static bool
prepare(lg__adapter_pass *pass, void **out)
{
    PyTypeObject *frame = type_in("pandas.core.generic", "NDFrame");
    /* If pandas has no DataFrame, its import is not complete. */
    if (frame == NULL || type_in("pandas", "DataFrame") == NULL)
        return false;
    lg__pandas *state = lg__pass_keep(pass, sizeof *state);
    if (state == NULL)
        return false;
    if (!lg__pandas_find(state)) {
        note_strange(pass);
        return false;
    }
    state->frame = frame;
    state->array = lg__pass_types(pass)->type[LG__KNOWN_NDARRAY];
    state->strings =
        type_in("pandas.core.arrays.string_arrow", "ArrowStringArray");
    state->chunks = lg__c_type_in("pyarrow.lib", "ChunkedArray");
    lg__pass_note(pass, "inspected: %s", lg__ask_version("pandas"));
    *out = state;
    return true;
}

static unsigned
kind_of(void *context, PyTypeObject *type)
{
    const lg__pandas *state = context;
    for (unsigned i = 0; i < LG__PANDAS_CLASSES; i++)
        if (state->type[i] != NULL && PyType_IsSubtype(type, state->type[i]))
            return i + 1;
    return state->table != NULL && PyType_IsSubtype(type, state->table)
               ? KIND_TABLE
           : PyType_IsSubtype(type, state->frame) ? KIND_FRAME
                                                  : 0;
}

static void
visit(lg__adapter_pass *pass, void *context, PyObject *object, unsigned kind)
{
    lg__pandas *state = context;
    if (kind > LG__PANDAS_CLASSES)
        return;
    unsigned which = kind - 1;
    for (size_t i = 0; i < LG__PANDAS_FIELDS; i++) {
        PyObject *value = lg__pandas_field(state, which, object, i);
        lg__pass_name_edge(pass, value, LG_EDGE_ATTRIBUTE,
                           lg__pandas_field_name(which, i));
        if (i == 0 &&
            (which == LG__PANDAS_BLOCK || which == LG__PANDAS_MANAGER))
            *(value != NULL ? &state->recognised : &state->strange) = true;
    }
}

/** One object may lack its fields because it is not filled yet. If all objects
 *  lack them, this version keeps them elsewhere. */
static void
settle(lg__adapter_pass *pass, void *context)
{
    const lg__pandas *state = context;
    if (state->strange && !state->recognised)
        note_strange(pass);
}

static void
scan_all(lg__adapter_pass *pass, void *context)
{
    static const char why[] = "its code may not run in a forked child";
    lg__instance instance;
    (void)context;
    while (!lg__pass_will_ask(pass) && lg__pass_next(pass, &instance))
        if (instance.kind == KIND_TABLE)
            lg_builder_add_fact(lg__pass_builder(pass), instance.node,
                                "not inspected", why, sizeof why - 1);
}

static void
finish(void *state)
{
    (void)state;
}

/** `[a, b, c, d ... (12 columns)]`. */
static void
format_columns(lg__adapter_pass *pass, const lg__pandas *state, PyObject *place,
               PyObject *columns, lg_text *out)
{
    Py_ssize_t column, count = 0;
    lg_text_add(out, "[");
    for (; lg__pandas_column(state, place, count, &column); count++) {
        if (count >= NAMES_SHOWN)
            continue;
        lg_text_add(out, count > 0 ? ", " : "");
        lg__pandas_add_label(pass, state, columns, column, out);
    }
    if (count > NAMES_SHOWN)
        lg_text_addf(out, " ... (%zd columns)", count);
    lg_text_add(out, "]");
}

static void
describe_block(lg__adapter_pass *pass, const lg__pandas *state, PyObject *block,
               PyObject *columns)
{
    lg_builder *builder = lg__pass_builder(pass);
    PyObject *place = lg__pandas_field(state, LG__PANDAS_BLOCK, block, 1);
    uint32_t node = lg__pass_known(pass, block);
    lg_text text = {0};
    if (place == NULL || node == LG_NONE)
        return;
    format_columns(pass, state, place, columns, &text);
    if (text.length > 0 && !text.failed) {
        lg_builder_set_text(builder, node, text.data, text.length);
        lg_builder_add_fact(builder, node, "columns", text.data + 1,
                            text.length - 2);
    }
    lg_text_free(&text);
}

/** Names a Series: it has one axis, and its block has no columns. */
static void
describe_manager(lg__adapter_pass *pass, const lg__pandas *state,
                 PyObject *manager)
{
    PyObject *blocks = lg__pandas_field(state, LG__PANDAS_MANAGER, manager, 0);
    PyObject *axes = lg__pandas_field(state, LG__PANDAS_MANAGER, manager, 1);
    if (blocks == NULL || !PyTuple_CheckExact(blocks) || axes == NULL ||
        !PyList_CheckExact(axes) || PyList_GET_SIZE(axes) != 2)
        return;
    PyObject *columns = PyList_GET_ITEM(axes, 0);
    Py_INCREF(columns);
    Py_INCREF(blocks);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(blocks); i++) {
        PyObject *block = PyTuple_GET_ITEM(blocks, i);
        if (PyType_IsSubtype(Py_TYPE(block), state->type[LG__PANDAS_BLOCK]))
            describe_block(pass, state, block, columns);
    }
    Py_DECREF(blocks);
    Py_DECREF(columns);
}

/** The axes of a frame's manager, borrowed, or NULL. The manager of a Series is
 *  written in Python. */
static PyObject *
axes_of(lg__adapter_pass *pass, const lg__pandas *state, PyObject *frame)
{
    PyObject *manager = lg__pass_attribute(pass, frame, "_mgr");
    PyObject *axes = NULL;
    if (manager != NULL &&
        PyType_IsSubtype(Py_TYPE(manager), state->type[LG__PANDAS_MANAGER]))
        axes = lg__pandas_field(state, LG__PANDAS_MANAGER, manager, 1);
    else if (manager != NULL)
        axes = lg__pass_attribute(pass, manager, "axes");
    return axes != NULL && PyList_CheckExact(axes) ? axes : NULL;
}

/** Writes `1000x3` for a DataFrame, `losses[1000]` for a Series. */
static void
describe_frame(lg__adapter_pass *pass, const lg__pandas *state,
               const lg__instance *instance)
{
    lg_text text = {0};
    PyObject *axes = axes_of(pass, state, instance->object);
    Py_ssize_t count = axes != NULL ? PyList_GET_SIZE(axes) : 0;
    if (count != 1 && count != 2)
        return;
    PyObject *name = lg__pass_attribute(pass, instance->object, "_name");
    Py_ssize_t rows =
        lg__pandas_length(pass, state, PyList_GET_ITEM(axes, count - 1));
    Py_ssize_t columns =
        lg__pandas_length(pass, state, PyList_GET_ITEM(axes, 0));
    if (rows < 0 || columns < 0)
        return;
    if (count == 1 && name != NULL && PyUnicode_CheckExact(name))
        lg__pass_add_text(&text, name, 60);
    if (count == 1)
        lg_text_addf(&text, "[%zd]", rows);
    else
        lg_text_addf(&text, "%zdx%zd", rows, columns);
    if (!text.failed)
        lg_builder_set_text(lg__pass_builder(pass), instance->node, text.data,
                            text.length);
    lg_text_free(&text);
}

/** Adds the slots of a hash table, which lie in C beside the object. A subclass
 *  written in Python may run any code, so it has none. */
static void
ask_table(lg__adapter_pass *pass, const lg__instance *instance)
{
    static const char why[] = "pandas does not report its size";
    uint64_t bytes;
    if (!lg__type_is_pythons(Py_TYPE(instance->object)) &&
        lg__ask_number(lg__ask_method(instance->object, "sizeof"), &bytes))
        lg__pass_add_size(pass, instance->node, (int64_t)bytes);
    else
        lg_builder_add_fact(lg__pass_builder(pass), instance->node,
                            "not inspected", why, sizeof why - 1);
}

static void
ask(lg__adapter_pass *pass, void *context)
{
    lg__pandas *state = context;
    lg__instance instance;
    while (lg__pass_next(pass, &instance)) {
        if (instance.kind == KIND_TABLE)
            ask_table(pass, &instance);
        else if (state->described >= DESCRIBED)
            continue;
        else if (instance.kind == KIND_FRAME)
            describe_frame(pass, state, &instance);
        else if (instance.kind == LG__PANDAS_MANAGER + 1)
            describe_manager(pass, state, instance.object);
        else
            continue;
        state->described++;
    }
}

const lg__adapter lg__pandas_adapter = {
    .name = "pandas",
    .prepare = prepare,
    .kind = kind_of,
    .visit = visit,
    .pass = scan_all,
    .settle = settle,
    .ask = ask,
    .finish = finish,
};
