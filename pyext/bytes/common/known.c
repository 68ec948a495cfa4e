#include "capture/walk/known.h"
#include "capture/adapters/adapter.h"
#include "bytes/common/ask.h"

#include <string.h>

/** Where to find a type, and the name that it has in C. */
typedef struct whereabouts {
    const char *module;
    const char *name;
    const char *own_name;
} whereabouts;

static const whereabouts places[LG_KNOWN_COUNT] = {
    [LG_KNOWN_LRU_CACHE] = {"_functools", "_lru_cache_wrapper",
                            "functools._lru_cache_wrapper"},
    [LG_KNOWN_ARRAY] = {"array", "array", "array.array"},
    [LG_KNOWN_MMAP] = {"mmap", "mmap", "mmap.mmap"},
    [LG_KNOWN_BYTESIO] = {"_io", "BytesIO", "_io.BytesIO"},
    [LG_KNOWN_NDARRAY] = {"numpy", "ndarray", "numpy.ndarray"},
    [LG_KNOWN_DEQUE] = {"_collections", "deque", "collections.deque"},
    [LG_KNOWN_DECIMAL] = {"_decimal", "Decimal", "decimal.Decimal"},
    [LG_KNOWN_STRINGIO] = {"_io", "StringIO", "_io.StringIO"},
    [LG_KNOWN_BUFFERED_READER] = {"_io", "BufferedReader",
                                  "_io.BufferedReader"},
    [LG_KNOWN_BUFFERED_WRITER] = {"_io", "BufferedWriter",
                                  "_io.BufferedWriter"},
    [LG_KNOWN_BUFFERED_RANDOM] = {"_io", "BufferedRandom",
                                  "_io.BufferedRandom"},
    [LG_KNOWN_BUFFERED_PAIR] = {"_io", "BufferedRWPair", "_io.BufferedRWPair"},
    [LG_KNOWN_PATTERN] = {"re", "Pattern", "re.Pattern"},
    [LG_KNOWN_MATCH] = {"re", "Match", "re.Match"},
    [LG_KNOWN_ELEMENT] = {"_elementtree", "Element",
                          "xml.etree.ElementTree.Element"},
    [LG_KNOWN_PICKLER] = {"_pickle", "Pickler", "_pickle.Pickler"},
    [LG_KNOWN_UNPICKLER] = {"_pickle", "Unpickler", "_pickle.Unpickler"},
    [LG_KNOWN_PRODUCT] = {"itertools", "product", "itertools.product"},
    [LG_KNOWN_COMBINATIONS] = {"itertools", "combinations",
                               "itertools.combinations"},
    [LG_KNOWN_REPEATED_COMBINATIONS] =
        {"itertools", "combinations_with_replacement",
         "itertools.combinations_with_replacement"},
    [LG_KNOWN_PERMUTATIONS] = {"itertools", "permutations",
                               "itertools.permutations"},
};

static PyTypeObject *
type_in(const char *module, const char *name)
{
    PyObject *loaded = lg_pass_module(module);
    PyObject *found = loaded != NULL ? lg_pass_member(loaded, name) : NULL;
    return found != NULL && PyType_Check(found) ? (PyTypeObject *)found : NULL;
}

PyTypeObject *
lg_c_type_in(const char *module, const char *name)
{
    PyTypeObject *type = type_in(module, name);
    return type != NULL && !lg_type_is_pythons(type) ? type : NULL;
}

PyTypeObject *
lg_c_type_of(const PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    while (type->tp_base != NULL && lg_type_is_pythons(type))
        type = type->tp_base;
    return type;
}

/** Returns the type if it is made in C and has that name; otherwise NULL. */
static PyTypeObject *
confirm(PyTypeObject *type, const char *own_name)
{
    return type != NULL && !lg_type_is_pythons(type) &&
                   strcmp(type->tp_name, own_name) == 0
               ? type
               : NULL;
}

/** Finds the base of ctypes' types, which no module exports and which has no
 *  destructor. */
static PyTypeObject *
find_cdata(void)
{
    PyTypeObject *simple = type_in("_ctypes", "_SimpleCData");
    return simple != NULL ? confirm(simple->tp_base, "_ctypes._CData") : NULL;
}

/** Finds the type of the namespaces of ctypes' classes, which no module
 *  exports; it is a dict since 3.13. */
static PyTypeObject *
find_ctypes_dict(void)
{
    PyTypeObject *number = type_in("ctypes", "c_byte");
    PyObject *names = number != NULL ? number->tp_dict : NULL;
    PyTypeObject *type =
        names != NULL ? confirm(Py_TYPE(names), "StgDict") : NULL;
    return type != NULL && PyType_IsSubtype(type, &PyDict_Type) ? type : NULL;
}

/** Finds types that some or all versions show only through such objects. */
static void
find_behind_view(lg_known *out)
{
    PyObject *stream =
        lg_ask_callf((PyObject *)out->type[LG_KNOWN_BYTESIO], "()");
    PyObject *view = stream != NULL ? lg_ask_method(stream, "getbuffer") : NULL;
    if (view != NULL && PyMemoryView_Check(view)) {
        _PyManagedBufferObject *managed = ((PyMemoryViewObject *)view)->mbuf;
        out->type[LG_KNOWN_MANAGED_BUFFER] = Py_TYPE((PyObject *)managed);
        out->type[LG_KNOWN_BYTESIO_VIEW] = Py_TYPE(managed->master.obj);
    }
    Py_XDECREF(view);
    Py_XDECREF(stream);
}

void
lg_known_find(lg_known *out)
{
    PyTypeObject **type = out->type;
    for (size_t i = 0; i < LG_KNOWN_COUNT; i++)
        type[i] = places[i].module != NULL
                      ? confirm(type_in(places[i].module, places[i].name),
                                places[i].own_name)
                      : NULL;
    type[LG_KNOWN_CDATA] = find_cdata();
    type[LG_KNOWN_ORDERED_DICT] = &PyODict_Type;
    type[LG_KNOWN_CTYPES_DICT] = find_ctypes_dict();
    find_behind_view(out);
}

bool
lg_known_is(const lg_known *known, const PyTypeObject *type, lg_known_name name)
{
    const PyTypeObject *wanted = known->type[name];
    while (wanted != NULL && type != NULL && type != wanted)
        type = type->tp_base;
    return wanted != NULL && type != NULL;
}

bool
lg_known_has_size(const lg_known *known, const PyTypeObject *type)
{
    for (size_t i = LG_KNOWN_DEQUE; i < LG_KNOWN_COUNT; i++)
        if (known->type[i] == type)
            return true;
    return false;
}
