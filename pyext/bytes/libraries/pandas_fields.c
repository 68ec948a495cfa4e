/** Finds the fields of pandas' own C structures. */
#include "bytes/common/ask.h"
#include "bytes/libraries/pandas.h"

#include <string.h>

/** A class, its fields, and the attribute that returns each. */
typedef struct detector {
    const char *module;
    const char *name;
    const char *former; /**< the name of the class up to pandas 1.5 */
    struct {
        const char *name;
        const char *attribute;
    } field[LG_PANDAS_FIELDS];
} detector;

static const detector detectors[LG_PANDAS_CLASSES] = {
    [LG_PANDAS_PLACEMENT] = {"pandas._libs.internals",
                             "BlockPlacement",
                             NULL,
                             {{"_as_slice", "indexer"},
                              {"_as_array", "as_array"}}},
    [LG_PANDAS_BLOCK] = {"pandas._libs.internals",
                         "Block",
                         "SharedBlock",
                         {{"values", "values"},
                          {"mgr_locs", "mgr_locs"},
                          {"refs", "refs"}}},
    [LG_PANDAS_MANAGER] = {"pandas._libs.internals",
                           "BlockManager",
                           NULL,
                           {{"blocks", "blocks"}, {"axes", "axes"}}},
    [LG_PANDAS_REFS] = {"pandas._libs.internals",
                        "BlockValuesRefs",
                        NULL,
                        {{"referenced_blocks", "referenced_blocks"}}},
    [LG_PANDAS_BACKED] = {"pandas._libs.arrays",
                          "NDArrayBacked",
                          NULL,
                          {{"_ndarray", "_ndarray"}, {"_dtype", "_dtype"}}},
    [LG_PANDAS_ENGINE] = {"pandas._libs.index",
                          "IndexEngine",
                          NULL,
                          {{"values", "values"}, {"mapping", "mapping"}}},
};

static PyObject *
member(const char *module, const char *name)
{
    PyObject *loaded = lg_pass_module(module);
    return loaded != NULL ? lg_pass_member(loaded, name) : NULL;
}

/** The offset of the only word with this value; 0 if there is none, or if there
 *  are several. */
static uint32_t
offset_of(PyObject *made, const PyObject *value)
{
    size_t size = (size_t)Py_TYPE(made)->tp_basicsize;
    uint32_t found = 0;
    for (uint32_t at = sizeof(PyObject); at + sizeof value <= size;
         at += sizeof value) {
        const PyObject *word = *(PyObject **)((char *)made + at);
        if (word == value && found != 0)
            return 0;
        if (word == value)
            found = at;
    }
    return found;
}

/** The class of the new object; NULL if it is another one. */
static PyTypeObject *
class_of(const detector *from, PyObject *made)
{
    const char *const names[] = {from->former, from->name};
    for (size_t i = 0; made != NULL && i < 2; i++) {
        PyObject *type =
            names[i] != NULL ? member(from->module, names[i]) : NULL;
        if (type != NULL && PyType_Check(type) &&
            PyType_IsSubtype(Py_TYPE(made), (PyTypeObject *)type))
            return (PyTypeObject *)type;
    }
    return NULL;
}

/** Finds those fields of the new object that are not None. */
static void
find_fields(const detector *from, PyObject *made, lg_pandas_class *out)
{
    PyTypeObject *type = class_of(from, made);
    if (type == NULL)
        return;
    for (size_t i = 0; i < LG_PANDAS_FIELDS; i++) {
        PyObject *value = from->field[i].name != NULL
                              ? lg_ask_attribute(made, from->field[i].attribute)
                              : NULL;
        if (value != NULL && value != Py_None && out->field[i].offset == 0)
            out->field[i].offset = offset_of(made, value);
        out->field[i].name = from->field[i].name;
        Py_XDECREF(value);
    }
    out->type = type;
}

typedef struct making {
    lg_pandas_class *classes;
    PyObject *array; /**< with two objects */
} making;

static PyObject *
class_named(size_t which)
{
    return member(detectors[which].module, detectors[which].name);
}

/** Makes a placement of a slice and one of an array: pandas keeps both kinds.
 *  */
static void
find_placement(making *to, PyObject *slice, PyObject *numbers)
{
    PyObject *type = class_named(LG_PANDAS_PLACEMENT);
    PyObject *const made[] = {lg_ask_callf(type, "(O)", slice),
                              lg_ask_callf(type, "(O)", numbers)};
    for (size_t i = 0; i < 2; i++) {
        lg_pandas_class found = {0};
        find_fields(&detectors[LG_PANDAS_PLACEMENT], made[i], &found);
        if (found.type != NULL && i == 0)
            to->classes[LG_PANDAS_PLACEMENT] = found;
        to->classes[LG_PANDAS_PLACEMENT].field[i] = found.field[i];
        Py_XDECREF(made[i]);
    }
}

static void
find_blocks(making *to, PyObject *slice)
{
    PyObject *place =
        lg_ask_callf(class_named(LG_PANDAS_PLACEMENT), "(O)", slice);
    PyObject *block =
        place != NULL
            ? lg_ask_callf(member("pandas.core.internals.blocks", "NumpyBlock"),
                           "(OOi)", to->array, place, 1)
            : NULL;
    PyObject *manager = block != NULL
                            ? lg_ask_callf(class_named(LG_PANDAS_MANAGER),
                                           "((O)[O])", block, slice)
                            : NULL;
    find_fields(&detectors[LG_PANDAS_BLOCK], block,
                &to->classes[LG_PANDAS_BLOCK]);
    find_fields(&detectors[LG_PANDAS_MANAGER], manager,
                &to->classes[LG_PANDAS_MANAGER]);
    Py_XDECREF(manager);
    Py_XDECREF(block);
    Py_XDECREF(place);
}

static void
find_others(making *to)
{
    PyObject *refs = lg_ask_callf(class_named(LG_PANDAS_REFS), "()");
    PyObject *dtype = lg_ask_attribute(to->array, "dtype");
    PyObject *backed = dtype != NULL
                           ? lg_ask_callf(class_named(LG_PANDAS_BACKED), "(OO)",
                                          to->array, dtype)
                           : NULL;
    PyObject *engine = lg_ask_callf(
        member("pandas._libs.index", "ObjectEngine"), "(O)", to->array);
    /* The engine makes its table on the first lookup of an unsorted index. */
    PyObject *look = engine ? lg_ask_attribute(engine, "get_loc") : NULL;
    Py_XDECREF(lg_ask_callf(look, "(s)", "a"));
    find_fields(&detectors[LG_PANDAS_REFS], refs, &to->classes[LG_PANDAS_REFS]);
    find_fields(&detectors[LG_PANDAS_BACKED], backed,
                &to->classes[LG_PANDAS_BACKED]);
    find_fields(&detectors[LG_PANDAS_ENGINE], engine,
                &to->classes[LG_PANDAS_ENGINE]);
    Py_XDECREF(look);
    Py_XDECREF(engine);
    Py_XDECREF(backed);
    Py_XDECREF(dtype);
    Py_XDECREF(refs);
}

bool
lg_pandas_find(lg_pandas_class *classes)
{
    PyObject *make = member("numpy", "array");
    PyObject *array = lg_ask_callf(make, "([ss]s)", "b", "a", "O");
    PyObject *numbers = lg_ask_callf(make, "([iii])", 1, 3, 7);
    PyObject *slice = lg_ask_callf((PyObject *)&PySlice_Type, "(iii)", 0, 2, 1);
    making to = {classes, array};
    memset(classes, 0, LG_PANDAS_CLASSES * sizeof *classes);
    if (array != NULL && numbers != NULL && slice != NULL) {
        find_placement(&to, slice, numbers);
        find_blocks(&to, slice);
        find_others(&to);
    }
    Py_XDECREF(slice);
    Py_XDECREF(numbers);
    Py_XDECREF(array);
    return classes[LG_PANDAS_BLOCK].field[0].offset != 0 &&
           classes[LG_PANDAS_MANAGER].field[0].offset != 0;
}
