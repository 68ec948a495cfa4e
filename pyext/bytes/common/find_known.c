/**
 * Finds the types of capture/common/known.h. A class made in Python may have
 * any name, so each name is looked up in its library's module, and the type is
 * taken if it is made in C and has that name there, too.
 */
#include "bytes/common/bytes_common.h"

#include <string.h>

/** Where to find a type, and the name that it has in C. */
typedef struct known_origin {
    const char *module;
    const char *name;
    const char *own_name;
} known_origin;

static const known_origin places[LG__KNOWN_COUNT] = {
    [LG__KNOWN_LRU_CACHE] = {"_functools", "_lru_cache_wrapper",
                             "functools._lru_cache_wrapper"},
    [LG__KNOWN_ARRAY] = {"array", "array", "array.array"},
    [LG__KNOWN_MMAP] = {"mmap", "mmap", "mmap.mmap"},
    [LG__KNOWN_BYTESIO] = {"_io", "BytesIO", "_io.BytesIO"},
    [LG__KNOWN_NDARRAY] = {"numpy", "ndarray", "numpy.ndarray"},
    [LG__KNOWN_LOCK] = {"_thread", "LockType", "_thread.lock"},
    [LG__KNOWN_RLOCK] = {"_thread", "RLock", "_thread.RLock"},
    [LG__KNOWN_NEWLINE_DECODER] = {"_io", "IncrementalNewlineDecoder",
                                   "_io.IncrementalNewlineDecoder"},
    [LG__KNOWN_SIMPLE_QUEUE] = {"_queue", "SimpleQueue", "_queue.SimpleQueue"},
    [LG__KNOWN_DEQUE] = {"_collections", "deque", "collections.deque"},
    [LG__KNOWN_DECIMAL] = {"_decimal", "Decimal", "decimal.Decimal"},
    [LG__KNOWN_STRINGIO] = {"_io", "StringIO", "_io.StringIO"},
    [LG__KNOWN_BUFFERED_READER] = {"_io", "BufferedReader",
                                   "_io.BufferedReader"},
    [LG__KNOWN_BUFFERED_WRITER] = {"_io", "BufferedWriter",
                                   "_io.BufferedWriter"},
    [LG__KNOWN_BUFFERED_RANDOM] = {"_io", "BufferedRandom",
                                   "_io.BufferedRandom"},
    [LG__KNOWN_BUFFERED_PAIR] = {"_io", "BufferedRWPair", "_io.BufferedRWPair"},
    [LG__KNOWN_PATTERN] = {"re", "Pattern", "re.Pattern"},
    [LG__KNOWN_MATCH] = {"re", "Match", "re.Match"},
    [LG__KNOWN_ELEMENT] = {"_elementtree", "Element",
                           "xml.etree.ElementTree.Element"},
    [LG__KNOWN_PICKLER] = {"_pickle", "Pickler", "_pickle.Pickler"},
    [LG__KNOWN_UNPICKLER] = {"_pickle", "Unpickler", "_pickle.Unpickler"},
    [LG__KNOWN_PRODUCT] = {"itertools", "product", "itertools.product"},
    [LG__KNOWN_COMBINATIONS] = {"itertools", "combinations",
                                "itertools.combinations"},
    [LG__KNOWN_REPEATED_COMBINATIONS] =
        {"itertools", "combinations_with_replacement",
         "itertools.combinations_with_replacement"},
    [LG__KNOWN_PERMUTATIONS] = {"itertools", "permutations",
                                "itertools.permutations"},
};

/** Returns the type if it is made in C and has that name; otherwise NULL. */
static PyTypeObject *
confirm(PyTypeObject *type, const char *own_name)
{
    return type != NULL && !lg__type_is_pythons(type) &&
                   strcmp(type->tp_name, own_name) == 0
               ? type
               : NULL;
}

/** Finds the base of ctypes' types, which no module exports and which has no
 *  destructor. */
static PyTypeObject *
find_cdata(void)
{
    PyTypeObject *simple = lg__type_in("_ctypes", "_SimpleCData");
    return simple != NULL ? confirm(simple->tp_base, "_ctypes._CData") : NULL;
}

/** Finds the type of the namespaces of ctypes' classes, which no module
 *  exports; it is a dict since 3.13. */
static PyTypeObject *
find_ctypes_dict(void)
{
    PyTypeObject *number = lg__type_in("ctypes", "c_byte");
    PyObject *names = number != NULL ? number->tp_dict : NULL;
    PyTypeObject *type =
        names != NULL ? confirm(Py_TYPE(names), "StgDict") : NULL;
    return type != NULL && PyType_IsSubtype(type, &PyDict_Type) ? type : NULL;
}

/** Finds types that some or all versions show only through such objects. */
static void
find_behind_view(lg__known *out)
{
    PyObject *stream =
        lg__ask_callf((PyObject *)out->type[LG__KNOWN_BYTESIO], "()");
    PyObject *view =
        stream != NULL ? lg__ask_method(stream, "getbuffer") : NULL;
    if (view != NULL && PyMemoryView_Check(view)) {
        _PyManagedBufferObject *managed = ((PyMemoryViewObject *)view)->mbuf;
        out->type[LG__KNOWN_MANAGED_BUFFER] = Py_TYPE((PyObject *)managed);
        out->type[LG__KNOWN_BYTESIO_VIEW] = Py_TYPE(managed->master.obj);
    }
    Py_XDECREF(view);
    Py_XDECREF(stream);
}

void
lg__known_find(lg__known *out)
{
    PyTypeObject **type = out->type;
    for (size_t i = 0; i < LG__KNOWN_COUNT; i++)
        type[i] = places[i].module != NULL
                      ? confirm(lg__type_in(places[i].module, places[i].name),
                                places[i].own_name)
                      : NULL;
    type[LG__KNOWN_CDATA] = find_cdata();
    type[LG__KNOWN_ORDERED_DICT] = &PyODict_Type;
    type[LG__KNOWN_CTYPES_DICT] = find_ctypes_dict();
    find_behind_view(out);
}
