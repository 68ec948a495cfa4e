/** Finds the fields of pandas' own C structures. */
#include "bytes/libraries/pandas.h"

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

/** A class and its fields. */
typedef struct structure {
    const char *module;
    const char *name;
    const char *former; /**< the name of the class up to pandas 1.5 */
    struct {
        const char *name;
        unsigned holds;
    } field[LG__PANDAS_FIELDS];
} structure;

static const structure structures[LG__PANDAS_CLASSES] = {
    [LG__PANDAS_PLACEMENT] = {"pandas._libs.internals",
                              "BlockPlacement",
                              NULL,
                              {{"_as_slice", HOLDS_SLICE},
                               {"_as_array", HOLDS_ARRAY}}},
    [LG__PANDAS_BLOCK] = {"pandas._libs.internals",
                          "Block",
                          "SharedBlock",
                          {{"values", HOLDS_ARRAY | HOLDS_OTHER},
                           {"mgr_locs", HOLDS_PLACEMENT},
                           {"refs", HOLDS_REFS}}},
    [LG__PANDAS_MANAGER] = {"pandas._libs.internals",
                            "BlockManager",
                            NULL,
                            {{"blocks", HOLDS_TUPLE}, {"axes", HOLDS_LIST}}},
    [LG__PANDAS_REFS] = {"pandas._libs.internals",
                         "BlockValuesRefs",
                         NULL,
                         {{"referenced_blocks", HOLDS_LIST}}},
    [LG__PANDAS_BACKED] = {"pandas._libs.arrays",
                           "NDArrayBacked",
                           NULL,
                           {{"_ndarray", HOLDS_ARRAY},
                            {"_dtype", HOLDS_OTHER}}},
    [LG__PANDAS_ENGINE] = {"pandas._libs.index",
                           "IndexEngine",
                           NULL,
                           {{"values", HOLDS_ARRAY | HOLDS_OTHER},
                            {"mapping", HOLDS_TABLE}}},
};

bool
lg__pandas_find(lg__pandas *pandas)
{
    for (size_t i = 0; i < LG__PANDAS_CLASSES; i++) {
        const structure *from = &structures[i];
        PyTypeObject *type = from->former != NULL
                                 ? lg__c_type_in(from->module, from->former)
                                 : NULL;
        pandas->type[i] =
            type != NULL ? type : lg__c_type_in(from->module, from->name);
    }
    pandas->table = lg__c_type_in("pandas._libs.hashtable", "HashTable");
    return pandas->type[LG__PANDAS_BLOCK] != NULL &&
           pandas->type[LG__PANDAS_MANAGER] != NULL;
}

static bool
is_a(const PyObject *object, PyTypeObject *type)
{
    return type != NULL && PyType_IsSubtype(Py_TYPE(object), type);
}

/** What a field with this object holds; 0 for None, and for the class and the
 *  __dict__ of an instance, which are no fields. */
static unsigned
held(const lg__pandas *pandas, PyObject *object)
{
    const PyTypeObject *type = Py_TYPE(object);
    if (object == Py_None || PyType_Check(object) || type == &PyDict_Type)
        return 0;
    return type == &PyTuple_Type                              ? HOLDS_TUPLE
           : type == &PyList_Type                             ? HOLDS_LIST
           : type == &PySlice_Type                            ? HOLDS_SLICE
           : type == pandas->array                            ? HOLDS_ARRAY
           : is_a(object, pandas->type[LG__PANDAS_PLACEMENT]) ? HOLDS_PLACEMENT
           : is_a(object, pandas->type[LG__PANDAS_REFS])      ? HOLDS_REFS
           : is_a(object, pandas->table)                      ? HOLDS_TABLE
                                                              : HOLDS_OTHER;
}

typedef struct search {
    const lg__pandas *pandas;
    unsigned holds;
    PyObject *found;
} search;

static int
look(PyObject *referent, void *context)
{
    search *to = context;
    if ((held(to->pandas, referent) & to->holds) == 0)
        return 0;
    to->found = referent;
    return 1;
}

/* Cython's classes report their fields in the order of their declaration, those
   of a base first, so take the first that fits. Ask the class that C made,
   because a subclass may add attributes. */
PyObject *
lg__pandas_field(const lg__pandas *pandas, unsigned which, PyObject *object,
                 size_t index)
{
    search to = {pandas, structures[which].field[index].holds, NULL};
    traverseproc traverse = lg__c_type_of(object)->tp_traverse;
    if (traverse != NULL && to.holds != 0)
        traverse(object, look, &to);
    return to.found;
}

const char *
lg__pandas_field_name(unsigned which, size_t index)
{
    return structures[which].field[index].name;
}
