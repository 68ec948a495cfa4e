/**
 * DataFrames and Series of pandas, whose arrays are numpy's or pyarrow's. The
 * adapter names the references to the arrays and the columns of blocks, and
 * adds the bytes of the hash tables of indexes.
 */
#include "capture/adapters/capture_adapters.h"
#include "bytes/common/bytes_common.h"
#include "bytes/libraries/numpy.h"

#include <leakgraph/internal/writing.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    PANDAS_PLACEMENT, /**< the columns of a block */
    PANDAS_BLOCK,
    PANDAS_MANAGER, /**< blocks and axes of a DataFrame or Series */
    PANDAS_REFS,    /**< the objects that share a block's values */
    PANDAS_BACKED,  /**< arrays that wrap an array: Categorical ... */
    PANDAS_ENGINE,  /**< looks up labels for an Index */
    PANDAS_CLASSES,
    PANDAS_FIELDS = 3,
};

/** What the adapter knows of a process's pandas. */
typedef struct lg__pandas {
    PyTypeObject *type[PANDAS_CLASSES]; /**< NULL: pandas has none */
    PyTypeObject *table;                /**< HashTable, or NULL */
    PyTypeObject *frame;                /**< the base of DataFrame and Series */
    PyTypeObject *array;                /**< numpy.ndarray */
    PyTypeObject *strings; /**< pandas' array of pyarrow's strings, or NULL */
    PyTypeObject *chunks;  /**< pyarrow's ChunkedArray, or NULL */
    uint32_t described;
    bool recognised; /**< a block or a manager has the expected fields */
    bool strange;    /**< a block or a manager lacks them */
} lg__pandas;

/*
 * The length and the labels of an Index or a column of pandas. It reads them
 * from memory, because the methods may belong to a user's subclass.
 */

/** How many arrays wrapped in arrays to follow. */
enum { NESTED_MAX = 4, LABEL_MAX = 60 };

/** Objects/rangeobject.c: rangeobject. */
typedef struct range_layout {
    PyObject_HEAD
    PyObject *start;
    PyObject *stop;
    PyObject *step;
    PyObject *length;
} range_layout;

/** A whole number that fits, read without running __index__. */
static bool
number_of(PyObject *object, Py_ssize_t *out)
{
    int overflow = 1;
    long long value = object != NULL && PyLong_CheckExact(object)
                          ? PyLong_AsLongLongAndOverflow(object, &overflow)
                          : 0;
    *out = (Py_ssize_t)value;
    return overflow == 0;
}

typedef struct search {
    const lg__pandas *pandas;
    unsigned holds;
    PyObject *found;
} search;

static bool
is_a(const PyObject *object, PyTypeObject *type)
{
    return type != NULL && PyType_IsSubtype(Py_TYPE(object), type);
}

/* Finds the fields of pandas' own C structures. */

/** What a field holds. */
enum {
    HOLDS_TUPLE = 1 << 0,
    HOLDS_LIST = 1 << 1,
    HOLDS_SLICE = 1 << 2,
    HOLDS_ARRAY = 1 << 3, /**< an array of numpy */
    HOLDS_PLACEMENT = 1 << 4,
    HOLDS_REFS = 1 << 5,
    HOLDS_TABLE = 1 << 6, /**< a hash table */
    HOLDS_OTHER = 1 << 7, /**< an array of pandas, its dtype ... */
};

/** What a field with this object holds; 0 for None, and for the class and the
 *  __dict__ of an instance, which are no fields. */
static unsigned
held(const lg__pandas *pandas, PyObject *object)
{
    const PyTypeObject *type = Py_TYPE(object);
    if (object == Py_None || PyType_Check(object) || type == &PyDict_Type)
        return 0;
    return type == &PyTuple_Type                          ? HOLDS_TUPLE
           : type == &PyList_Type                         ? HOLDS_LIST
           : type == &PySlice_Type                        ? HOLDS_SLICE
           : type == pandas->array                        ? HOLDS_ARRAY
           : is_a(object, pandas->type[PANDAS_PLACEMENT]) ? HOLDS_PLACEMENT
           : is_a(object, pandas->type[PANDAS_REFS])      ? HOLDS_REFS
           : is_a(object, pandas->table)                  ? HOLDS_TABLE
                                                          : HOLDS_OTHER;
}

static int
look(PyObject *referent, void *context)
{
    search *to = context;
    if ((held(to->pandas, referent) & to->holds) == 0)
        return 0;
    to->found = referent;
    return 1;
}

/** A class and its fields. */
typedef struct structure {
    const char *module;
    const char *name;
    const char *former; /**< the name of the class up to pandas 1.5 */
    struct {
        const char *name;
        unsigned holds;
    } field[PANDAS_FIELDS];
} structure;

static const structure structures[PANDAS_CLASSES] = {
    [PANDAS_PLACEMENT] = {"pandas._libs.internals",
                          "BlockPlacement",
                          NULL,
                          {{"_as_slice", HOLDS_SLICE},
                           {"_as_array", HOLDS_ARRAY}}},
    [PANDAS_BLOCK] = {"pandas._libs.internals",
                      "Block",
                      "SharedBlock",
                      {{"values", HOLDS_ARRAY | HOLDS_OTHER},
                       {"mgr_locs", HOLDS_PLACEMENT},
                       {"refs", HOLDS_REFS}}},
    [PANDAS_MANAGER] = {"pandas._libs.internals",
                        "BlockManager",
                        NULL,
                        {{"blocks", HOLDS_TUPLE}, {"axes", HOLDS_LIST}}},
    [PANDAS_REFS] = {"pandas._libs.internals",
                     "BlockValuesRefs",
                     NULL,
                     {{"referenced_blocks", HOLDS_LIST}}},
    [PANDAS_BACKED] = {"pandas._libs.arrays",
                       "NDArrayBacked",
                       NULL,
                       {{"_ndarray", HOLDS_ARRAY}, {"_dtype", HOLDS_OTHER}}},
    [PANDAS_ENGINE] = {"pandas._libs.index",
                       "IndexEngine",
                       NULL,
                       {{"values", HOLDS_ARRAY | HOLDS_OTHER},
                        {"mapping", HOLDS_TABLE}}},
};

/* Cython's classes report their fields in the order of their declaration, those
   of a base first, so take the first that fits. Ask the class that C made,
   because a subclass may add attributes. */
static PyObject *
pandas_field(const lg__pandas *pandas, unsigned which, PyObject *object,
             size_t index)
{
    search to = {pandas, structures[which].field[index].holds, NULL};
    traverseproc traverse = lg__c_type_of(object)->tp_traverse;
    if (traverse != NULL && to.holds != 0)
        traverse(object, look, &to);
    return to.found;
}

/** The object that holds the elements of an Index or an array of pandas: a
 *  range, an array of numpy, or chunks of pyarrow; borrowed, or NULL. */
static PyObject *
elements_of(lg__adapter_pass *pass, const lg__pandas *pandas, PyObject *object)
{
    static const char *const names[] = {"_range", "_data", "_pa_array"};
    PyTypeObject *backed = pandas->type[PANDAS_BACKED];
    for (int depth = 0; object != NULL && depth < NESTED_MAX; depth++) {
        PyTypeObject *type = Py_TYPE(object);
        PyObject *inner = NULL;
        if (type == &PyRange_Type || type == pandas->array ||
            (type == pandas->chunks && type != NULL))
            return object;
        if (backed != NULL && PyType_IsSubtype(type, backed))
            inner = pandas_field(pandas, PANDAS_BACKED, object, 0);
        for (size_t i = 0; inner == NULL && i < 3; i++)
            inner = lg__pass_attribute(pass, object, names[i]);
        object = inner;
    }
    return NULL;
}

static Py_ssize_t
pandas_length(lg__adapter_pass *pass, const lg__pandas *pandas,
              PyObject *object)
{
    Py_ssize_t length = -1;
    PyObject *elements = elements_of(pass, pandas, object);
    PyObject *codes =
        elements == NULL ? lg__pass_attribute(pass, object, "_codes") : NULL;
    /* A MultiIndex has an array of numbers for each level. */
    if (codes != NULL && PyList_Check(codes) && PyList_GET_SIZE(codes) > 0)
        elements = elements_of(pass, pandas, PyList_GET_ITEM(codes, 0));
    if (elements == NULL)
        return -1;
    const lg__numpy_array *array = (lg__numpy_array *)elements;
    if (Py_TYPE(elements) == &PyRange_Type)
        return number_of(((range_layout *)elements)->length, &length) ? length
                                                                      : -1;
    if (Py_TYPE(elements) == pandas->array)
        return array->dimension_count > 0
                   ? array->dimensions[array->dimension_count - 1]
                   : -1;
    length = PyObject_Length(elements);
    PyErr_Clear();
    return length;
}

static void
format_object(PyObject *label, lg_text *out)
{
    Py_ssize_t number;
    if (label != NULL && PyUnicode_CheckExact(label))
        lg__pass_add_text(out, label, LABEL_MAX);
    else if (number_of(label, &number))
        lg_text_addf(out, "%zd", number);
    else
        lg_text_add(out, "?");
}

static void
format_range_item(const range_layout *range, Py_ssize_t i, lg_text *out)
{
    Py_ssize_t start, step, length;
    if (number_of(range->start, &start) && number_of(range->step, &step) &&
        number_of(range->length, &length) && i < length)
        lg_text_addf(out, "%zd", start + i * step);
    else
        lg_text_add(out, "?");
}

static void
format_array_item(const lg__numpy_array *array, Py_ssize_t i, lg_text *out)
{
    if (array->dimension_count != 1 || i >= array->dimensions[0]) {
        lg_text_add(out, "?");
        return;
    }
    const char *item = array->data + i * array->strides[0];
    lg__descriptor kind =
        lg__descriptor_read(array->descriptor, lg__numpy_generation() == 2);
    PyObject *object;
    int64_t number;
    if (kind.is_object && kind.item_size == sizeof object) {
        memcpy(&object, item, sizeof object);
        format_object(object, out);
    } else if (kind.kind == 'i' && kind.item_size == sizeof number) {
        memcpy(&number, item, sizeof number);
        lg_text_addf(out, "%lld", (long long)number);
    } else {
        lg_text_add(out, "?");
    }
}

/** Only for pandas' own arrays of strings: code of a user's type might make an
 *  element of another type. */
static void
format_chunk_item(const lg__pandas *pandas, PyObject *values, PyObject *chunks,
                  Py_ssize_t i, lg_text *out)
{
    PyObject *scalar = values != NULL && Py_TYPE(values) == pandas->strings
                           ? PySequence_GetItem(chunks, i)
                           : NULL;
    PyObject *label = scalar != NULL ? lg__ask_method(scalar, "as_py") : NULL;
    PyErr_Clear();
    format_object(label, out);
    Py_XDECREF(label);
    Py_XDECREF(scalar);
}

/** Adds the label at a position of an Index, "?" if it is neither a str nor a
 *  whole number. Runs no code but pyarrow's own. */
static void
pandas_add_label(lg__adapter_pass *pass, const lg__pandas *pandas,
                 PyObject *index, Py_ssize_t i, lg_text *out)
{
    PyObject *elements = elements_of(pass, pandas, index);
    if (elements == NULL || i < 0)
        lg_text_add(out, "?");
    else if (Py_TYPE(elements) == &PyRange_Type)
        format_range_item((range_layout *)elements, i, out);
    else if (Py_TYPE(elements) == pandas->array)
        format_array_item((lg__numpy_array *)elements, i, out);
    else
        format_chunk_item(pandas, lg__pass_attribute(pass, index, "_data"),
                          elements, i, out);
}

/** Element `row` of a slice; false beyond the last. */
static bool
slice_at(const PySliceObject *slice, Py_ssize_t row, Py_ssize_t *out)
{
    Py_ssize_t start, stop, step = 1;
    if (!number_of(slice->start, &start) || !number_of(slice->stop, &stop) ||
        (slice->step != Py_None && !number_of(slice->step, &step)))
        return false;
    *out = start + row * step;
    return step > 0 ? *out < stop : *out > stop;
}

/** Finds the column of a block's row, which pandas keeps in a slice or in an
 *  array of numbers; false beyond the last row. */
static bool
pandas_column(const lg__pandas *pandas, PyObject *place, Py_ssize_t row,
              Py_ssize_t *out)
{
    PyObject *slice = pandas_field(pandas, PANDAS_PLACEMENT, place, 0);
    PyObject *numbers = pandas_field(pandas, PANDAS_PLACEMENT, place, 1);
    const lg__numpy_array *array = (lg__numpy_array *)numbers;
    if (slice != NULL && PySlice_Check(slice))
        return slice_at((PySliceObject *)slice, row, out);
    if (numbers == NULL || Py_TYPE(numbers) != pandas->array ||
        array->dimension_count != 1 || row >= array->dimensions[0])
        return false;
    memcpy(out, array->data + row * array->strides[0], sizeof *out);
    return true;
}

/** Finds the classes; runs nothing. False if pandas has no blocks and managers
 *  made in C. */
static bool
pandas_find(lg__pandas *pandas)
{
    for (size_t i = 0; i < PANDAS_CLASSES; i++) {
        const structure *from = &structures[i];
        PyTypeObject *type = from->former != NULL
                                 ? lg__c_type_in(from->module, from->former)
                                 : NULL;
        pandas->type[i] =
            type != NULL ? type : lg__c_type_in(from->module, from->name);
    }
    pandas->table = lg__c_type_in("pandas._libs.hashtable", "HashTable");
    return pandas->type[PANDAS_BLOCK] != NULL &&
           pandas->type[PANDAS_MANAGER] != NULL;
}

/** NULL: the class has fewer fields. */
static const char *
pandas_field_name(unsigned which, size_t index)
{
    return structures[which].field[index].name;
}

enum {
    KIND_TABLE = PANDAS_CLASSES + 1, /**< below: 1 + a class */
    KIND_FRAME,
};
enum {
    NAMES_SHOWN = 4,
    DESCRIBED = 10000, /**< the most managers and frames to describe */
};

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
    PyTypeObject *frame = lg__type_in("pandas.core.generic", "NDFrame");
    /* If pandas has no DataFrame, its import is not complete. */
    if (frame == NULL || lg__type_in("pandas", "DataFrame") == NULL)
        return false;
    lg__pandas *state = lg__pass_keep(pass, sizeof *state);
    if (state == NULL)
        return false;
    if (!pandas_find(state)) {
        note_strange(pass);
        return false;
    }
    state->frame = frame;
    state->array = lg__pass_types(pass)->type[LG__KNOWN_NDARRAY];
    state->strings =
        lg__type_in("pandas.core.arrays.string_arrow", "ArrowStringArray");
    state->chunks = lg__c_type_in("pyarrow.lib", "ChunkedArray");
    lg__pass_note(pass, "inspected: %s", lg__ask_version("pandas"));
    *out = state;
    return true;
}

static unsigned
kind_of(void *context, PyTypeObject *type)
{
    const lg__pandas *state = context;
    for (unsigned i = 0; i < PANDAS_CLASSES; i++)
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
    if (kind > PANDAS_CLASSES)
        return;
    unsigned which = kind - 1;
    for (size_t i = 0; i < PANDAS_FIELDS; i++) {
        PyObject *value = pandas_field(state, which, object, i);
        lg__pass_name_edge(pass, value, LG_EDGE_ATTRIBUTE,
                           pandas_field_name(which, i));
        if (i == 0 && (which == PANDAS_BLOCK || which == PANDAS_MANAGER))
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
    for (; pandas_column(state, place, count, &column); count++) {
        if (count >= NAMES_SHOWN)
            continue;
        lg_text_add(out, count > 0 ? ", " : "");
        pandas_add_label(pass, state, columns, column, out);
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
    PyObject *place = pandas_field(state, PANDAS_BLOCK, block, 1);
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
    PyObject *blocks = pandas_field(state, PANDAS_MANAGER, manager, 0);
    PyObject *axes = pandas_field(state, PANDAS_MANAGER, manager, 1);
    if (blocks == NULL || !PyTuple_CheckExact(blocks) || axes == NULL ||
        !PyList_CheckExact(axes) || PyList_GET_SIZE(axes) != 2)
        return;
    PyObject *columns = PyList_GET_ITEM(axes, 0);
    Py_INCREF(columns);
    Py_INCREF(blocks);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(blocks); i++) {
        PyObject *block = PyTuple_GET_ITEM(blocks, i);
        if (PyType_IsSubtype(Py_TYPE(block), state->type[PANDAS_BLOCK]))
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
        PyType_IsSubtype(Py_TYPE(manager), state->type[PANDAS_MANAGER]))
        axes = pandas_field(state, PANDAS_MANAGER, manager, 1);
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
        pandas_length(pass, state, PyList_GET_ITEM(axes, count - 1));
    Py_ssize_t columns = pandas_length(pass, state, PyList_GET_ITEM(axes, 0));
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
        else if (instance.kind == PANDAS_MANAGER + 1)
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
