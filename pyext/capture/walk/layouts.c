#include "capture/walk/layouts.h"
#include "capture/common/capture_common.h"

#include <string.h>

/* The structs of CPython 3.9 to 3.15: Objects/, Python/ and Modules/. A version
   with another size of instances has a row of its own; a type that matches no
   row gets no names. Names are Python's if there are any, otherwise the
   struct's. Sorted by type. */
static const lg__type_layout layouts[] = {
    {"Context", 4, 0, LG__SHAPE_PLAIN, "previous variables"},
    {"ContextVar", 6, 0, LG__SHAPE_CONTEXT_VARIABLE, ".name default"},
    {"TaskStepMethWrapper", 2, 0, LG__SHAPE_PLAIN, "task argument"},
    {"TaskWakeupMethWrapper", 1, 0, LG__SHAPE_PLAIN, "task"},
    {"Token", 4, 0, LG__SHAPE_PLAIN, "context .var .old_value"},
    {"_abc._abc_data", 4, 0, LG__SHAPE_PLAIN,
     "_abc_registry _abc_cache _abc_negative_cache"},
    {"_asyncio.Future", 16, 0, LG__SHAPE_PLAIN,
     "._loop _callback0 _context0 ._callbacks ._exception ._result "
     "._source_traceback ._cancel_message"},
    {"_asyncio.Future", 17, 0, LG__SHAPE_PLAIN,
     "._loop _callback0 _context0 ._callbacks ._exception _exception_tb "
     "._result ._source_traceback ._cancel_message"},
    {"_asyncio.Future", 14, 0, LG__SHAPE_PLAIN,
     "._loop _callback0 _context0 ._callbacks ._exception _exception_tb "
     "._result ._source_traceback ._cancel_message"},
    {"_asyncio.Future", 11, 0, LG__SHAPE_PLAIN,
     "._loop _callback0 _context0 ._callbacks ._exception _exception_tb "
     "._result ._source_traceback ._cancel_message"},
    {"_asyncio.Future", 12, 0, LG__SHAPE_PLAIN,
     "._loop _callback0 _context0 ._callbacks ._exception _exception_tb "
     "._result ._source_traceback ._cancel_message - awaited_by"},
    {"_asyncio.FutureIter", 1, 0, LG__SHAPE_PLAIN, "future"},
    {"_asyncio.Task", 21, 16, LG__SHAPE_TASK,
     "._fut_waiter ._coro _name _context"},
    {"_asyncio.Task", 22, 17, LG__SHAPE_TASK,
     "._fut_waiter ._coro _name _context"},
    {"_asyncio.Task", 19, 13, LG__SHAPE_TASK,
     "._fut_waiter ._coro _name _context"},
    {"_asyncio.Task", 20, 14, LG__SHAPE_TASK,
     "._fut_waiter ._coro _name _context"},
    {"_asyncio.Task", 16, 12, LG__SHAPE_TASK,
     "._fut_waiter ._coro _name _context"},
    {"_asyncio.TaskStepMethWrapper", 2, 0, LG__SHAPE_PLAIN, "task argument"},
    {"_collections._deque_iterator", 5, 2, LG__SHAPE_PLAIN, "deque"},
    {"_collections._deque_reverse_iterator", 5, 2, LG__SHAPE_PLAIN, "deque"},
    {"_contextvars.Context", 4, 0, LG__SHAPE_PLAIN, "previous variables"},
    {"_contextvars.ContextVar", 6, 0, LG__SHAPE_CONTEXT_VARIABLE,
     ".name default"},
    {"_contextvars.Token", 4, 0, LG__SHAPE_PLAIN, "context .var .old_value"},
    {"_csv.Dialect", 4, 3, LG__SHAPE_PLAIN, ".lineterminator"},
    {"_csv.reader", 9, 0, LG__SHAPE_PLAIN, "iterator .dialect fields"},
    {"_csv.writer", 6, 0, LG__SHAPE_PLAIN, "write .dialect"},
    {"_csv.writer", 7, 0, LG__SHAPE_PLAIN, "write .dialect - - - - Error"},
    {"_ctypes.CFuncPtr", 18, 10, LG__SHAPE_PLAIN,
     "thunk callable converters =argtypes =restype checker =errcheck"},
    {"_ctypes.CThunkObject", 14, 8, LG__SHAPE_PLAIN,
     "converters callable restype"},
    {"_ctypes.DictRemover", 2, 0, LG__SHAPE_PLAIN, "key dict"},
    {"_ctypes.PyCArrayType", 134, 121, LG__SHAPE_PLAIN,
     "._type_ - - - argtypes converters restype checker module"},
    {"_ctypes.PyCArrayType", 138, 123, LG__SHAPE_PLAIN,
     "._type_ - - - argtypes converters restype checker pointer module"},
    {"_ctypes.PyCFuncPtr", 18, 10, LG__SHAPE_PLAIN,
     "thunk callable converters =argtypes =restype checker =errcheck"},
    {"_ctypes.PyCFuncPtrType", 134, 121, LG__SHAPE_PLAIN,
     "_type_ - - - argtypes converters restype checker module"},
    {"_ctypes.PyCFuncPtrType", 138, 123, LG__SHAPE_PLAIN,
     "_type_ - - - argtypes converters restype checker pointer module"},
    {"_ctypes.PyCPointerType", 134, 121, LG__SHAPE_PLAIN,
     "._type_ - - - argtypes converters restype checker module"},
    {"_ctypes.PyCPointerType", 138, 123, LG__SHAPE_PLAIN,
     "._type_ - - - argtypes converters restype checker pointer module"},
    {"_ctypes.PyCSimpleType", 134, 121, LG__SHAPE_PLAIN,
     "._type_ - - - argtypes converters restype checker module"},
    {"_ctypes.PyCSimpleType", 138, 123, LG__SHAPE_PLAIN,
     "._type_ - - - argtypes converters restype checker pointer module"},
    {"_ctypes.PyCStructType", 134, 121, LG__SHAPE_PLAIN,
     "_type_ - - - argtypes converters restype checker module"},
    {"_ctypes.PyCStructType", 138, 123, LG__SHAPE_PLAIN,
     "_type_ - - - argtypes converters restype checker pointer module"},
    {"_ctypes.UnionType", 134, 121, LG__SHAPE_PLAIN,
     "_type_ - - - argtypes converters restype checker module"},
    {"_ctypes.UnionType", 138, 123, LG__SHAPE_PLAIN,
     "_type_ - - - argtypes converters restype checker pointer module"},
    {"_io.BufferedRWPair", 4, 0, LG__SHAPE_PLAIN, "reader writer"},
    {"_io.IncrementalNewlineDecoder", 3, 0, LG__SHAPE_PLAIN, "decoder errors"},
    {"_io.StringIO", 19, 13, LG__SHAPE_PLAIN,
     "decoder newline newline_to_write"},
    {"_io.TextIOWrapper", 22, 4, LG__SHAPE_PLAIN,
     "encoder decoder newline .errors - - - - - - - - - - - raw"},
    {"_io.TextIOWrapper", 23, 2, LG__SHAPE_PLAIN,
     ".buffer .encoding encoder decoder newline .errors - - - - - - - - - - - "
     "raw"},
    {"_json.Scanner", 7, 6, LG__SHAPE_PLAIN, "memo"},
    {"_pickle.Pickler", 17, 5, LG__SHAPE_PLAIN, "write"},
    {"_pickle.Pickler", 16, 4, LG__SHAPE_PLAIN, "write"},
    {"_pickle.Unpickler", 32, 0, LG__SHAPE_PLAIN,
     "stack - - - - - - - - - - - - - - - - - - - - read readinto readline "
     "peek"},
    {"_pickle.Unpickler", 31, 0, LG__SHAPE_PLAIN,
     "stack - - - - - - - - - - - - - - - - - - - read readinto readline peek"},
    {"_pickle.Unpickler", 35, 0, LG__SHAPE_PLAIN,
     "stack - - - - - - - - - - - - - - - - - - - - - - read readinto readline "
     "peek"},
    {"_pickle.Unpickler", 36, 0, LG__SHAPE_PLAIN,
     "stack - - - - - - - - - - - - - - - - - - - - - - - read readinto "
     "readline peek"},
    {"_queue.SimpleQueue", 5, 2, LG__SHAPE_PLAIN, "items"},
    {"_queue.SimpleQueue", 7, 7, LG__SHAPE_DEQUE, ""},
    {"_struct.Struct", 5, 3, LG__SHAPE_PLAIN, ".format"},
    {"_thread._local", 6, 0, LG__SHAPE_LOCAL, "key args kwargs - dummies"},
    {"_thread._local", 5, 0, LG__SHAPE_LOCAL,
     "args kwargs - dummies watchdogs"},
    {"anext_awaitable", 2, 0, LG__SHAPE_PLAIN, "awaitable default"},
    {"array.arrayiterator", 3, 1, LG__SHAPE_PLAIN, "array"},
    {"arrayiterator", 3, 1, LG__SHAPE_PLAIN, "array"},
    {"async_generator_asend", 3, 0, LG__SHAPE_PLAIN, "generator value"},
    {"async_generator_athrow", 3, 0, LG__SHAPE_PLAIN, "generator args"},
    {"async_generator_athrow", 5, 0, LG__SHAPE_PLAIN,
     "generator type value traceback"},
    {"bytearray_iterator", 2, 1, LG__SHAPE_PLAIN, "sequence"},
    {"bytes_iterator", 2, 1, LG__SHAPE_PLAIN, "sequence"},
    {"callable_iterator", 2, 0, LG__SHAPE_PLAIN, "callable sentinel"},
    {"collections._deque_iterator", 5, 2, LG__SHAPE_PLAIN, "deque"},
    {"collections._deque_reverse_iterator", 5, 2, LG__SHAPE_PLAIN, "deque"},
    {"coroutine_wrapper", 1, 0, LG__SHAPE_PLAIN, "coroutine"},
    {"decimal.Context", 10, 6, LG__SHAPE_PLAIN, "=traps =flags"},
    {"decimal.Context", 11, 6, LG__SHAPE_PLAIN, "=traps =flags"},
    {"decimal.ContextManager", 2, 0, LG__SHAPE_PLAIN, "local global"},
    {"dict_itemiterator", 5, 0, LG__SHAPE_PLAIN, "dict - - result"},
    {"dict_items", 1, 0, LG__SHAPE_PLAIN, ".mapping"},
    {"dict_keyiterator", 5, 0, LG__SHAPE_PLAIN, "dict - - result"},
    {"dict_keys", 1, 0, LG__SHAPE_PLAIN, ".mapping"},
    {"dict_reverseitemiterator", 5, 0, LG__SHAPE_PLAIN, "dict - - result"},
    {"dict_reversekeyiterator", 5, 0, LG__SHAPE_PLAIN, "dict - - result"},
    {"dict_reversevalueiterator", 5, 0, LG__SHAPE_PLAIN, "dict - - result"},
    {"dict_valueiterator", 5, 0, LG__SHAPE_PLAIN, "dict - - result"},
    {"dict_values", 1, 0, LG__SHAPE_PLAIN, ".mapping"},
    {"enumerate", 4, 1, LG__SHAPE_PLAIN, "iterator result index"},
    {"enumerate", 5, 1, LG__SHAPE_PLAIN, "iterator result index"},
    {"filter", 2, 0, LG__SHAPE_PLAIN, "function iterator"},
    {"functools.KeyWrapper", 2, 0, LG__SHAPE_PLAIN, "cmp"},
    {"hamt", 3, 0, LG__SHAPE_PLAIN, "root"},
    {"hamt_array_node", 33, 0, LG__SHAPE_PLAIN, "#"},
    {"hamt_bitmap_node", 2, 2, LG__SHAPE_HAMT, ""},
    {"hamt_collision_node", 2, 2, LG__SHAPE_HAMT, ""},
    {"iterator", 2, 1, LG__SHAPE_PLAIN, "sequence"},
    {"itertools._grouper", 2, 0, LG__SHAPE_PLAIN, "groupby key"},
    {"itertools._tee", 3, 0, LG__SHAPE_PLAIN, "data"},
    {"itertools._tee", 4, 0, LG__SHAPE_PLAIN, "data"},
    {"itertools._tee_dataobject", 60, 0, LG__SHAPE_PLAIN, "iterator - next *"},
    {"itertools.accumulate", 4, 0, LG__SHAPE_PLAIN,
     "total iterator function initial"},
    {"itertools.accumulate", 5, 0, LG__SHAPE_PLAIN,
     "total iterator function initial"},
    {"itertools.batched", 2, 0, LG__SHAPE_PLAIN, "iterator"},
    {"itertools.batched", 3, 0, LG__SHAPE_PLAIN, "iterator"},
    {"itertools.chain", 2, 0, LG__SHAPE_PLAIN, "source active"},
    {"itertools.combinations", 5, 0, LG__SHAPE_PLAIN, "pool - result"},
    {"itertools.combinations_with_replacement", 5, 0, LG__SHAPE_PLAIN,
     "pool - result"},
    {"itertools.compress", 2, 0, LG__SHAPE_PLAIN, "data selectors"},
    {"itertools.count", 3, 1, LG__SHAPE_PLAIN, "count step"},
    {"itertools.cycle", 4, 0, LG__SHAPE_PLAIN, "iterator saved"},
    {"itertools.cycle", 3, 0, LG__SHAPE_PLAIN, "iterator saved"},
    {"itertools.dropwhile", 3, 0, LG__SHAPE_PLAIN, "function iterator"},
    {"itertools.filterfalse", 2, 0, LG__SHAPE_PLAIN, "function iterator"},
    {"itertools.groupby", 6, 0, LG__SHAPE_PLAIN,
     "iterator keyfunc target_key key value"},
    {"itertools.groupby", 7, 0, LG__SHAPE_PLAIN,
     "iterator keyfunc target_key key value"},
    {"itertools.islice", 5, 0, LG__SHAPE_PLAIN, "iterator"},
    {"itertools.pairwise", 2, 0, LG__SHAPE_PLAIN, "iterator previous"},
    {"itertools.pairwise", 3, 0, LG__SHAPE_PLAIN, "iterator previous result"},
    {"itertools.permutations", 6, 0, LG__SHAPE_PLAIN, "pool - - result"},
    {"itertools.product", 4, 0, LG__SHAPE_PLAIN, "pools - result"},
    {"itertools.repeat", 2, 0, LG__SHAPE_PLAIN, "element"},
    {"itertools.starmap", 2, 0, LG__SHAPE_PLAIN, "function iterator"},
    {"itertools.takewhile", 3, 0, LG__SHAPE_PLAIN, "function iterator"},
    {"itertools.zip_longest", 5, 2, LG__SHAPE_PLAIN,
     "iterators result fillvalue"},
    {"lazy_import", 5, 0, LG__SHAPE_LAZY, "builtins from attribute code"},
    {"list_iterator", 2, 1, LG__SHAPE_PLAIN, "sequence"},
    {"list_reverseiterator", 2, 1, LG__SHAPE_PLAIN, "sequence"},
    {"map", 2, 0, LG__SHAPE_PLAIN, "iterators function"},
    {"map", 3, 0, LG__SHAPE_PLAIN, "iterators function"},
    {"mappingproxy", 1, 0, LG__SHAPE_PLAIN, "mapping"},
    {"memory_iterator", 4, 1, LG__SHAPE_PLAIN, "sequence"},
    {"method-wrapper", 2, 0, LG__SHAPE_PLAIN, "descriptor"},
    {"numpy.random._generator.Generator", 24, 1, LG__SHAPE_PLAIN,
     "._bit_generator"},
    {"numpy.random.bit_generator.BitGenerator", 10, 0, LG__SHAPE_PLAIN,
     "_seed_seq .lock - - - - - _ctypes _cffi .capsule"},
    {"numpy.random.bit_generator.SeedSequence", 6, 1, LG__SHAPE_PLAIN,
     ".entropy .spawn_key - .pool"},
    {"numpy.random.mtrand.RandomState", 28, 1, LG__SHAPE_PLAIN,
     "._bit_generator - - - - - - - - - - - - - - - - - - - - - - - - - .lock"},
    {"odict_items", 1, 0, LG__SHAPE_PLAIN, ".mapping"},
    {"odict_iterator", 6, 1, LG__SHAPE_PLAIN, "dict - - current result"},
    {"odict_keys", 1, 0, LG__SHAPE_PLAIN, ".mapping"},
    {"odict_values", 1, 0, LG__SHAPE_PLAIN, ".mapping"},
    {"operator.attrgetter", 2, 1, LG__SHAPE_PLAIN, "attributes"},
    {"operator.attrgetter", 3, 1, LG__SHAPE_PLAIN, "attributes"},
    {"operator.itemgetter", 3, 1, LG__SHAPE_PLAIN, "item"},
    {"operator.itemgetter", 4, 1, LG__SHAPE_PLAIN, "item"},
    {"operator.methodcaller", 3, 0, LG__SHAPE_PLAIN, "name args kwargs"},
    {"operator.methodcaller", 6, 0, LG__SHAPE_PLAIN,
     "name args kwargs vectorcall_args vectorcall_kwnames"},
    {"pandas._libs.properties.AxisProperty", 2, 1, LG__SHAPE_PLAIN, ".__doc__"},
    {"pandas._libs.properties.CachedProperty", 3, 0, LG__SHAPE_PLAIN,
     "func .name .__doc__"},
    {"property", 6, 4, LG__SHAPE_PLAIN, ".__name__"},
    {"re.Pattern", 10, 2, LG__SHAPE_PLAIN, ".groupindex indexgroup"},
    {"reversed", 2, 1, LG__SHAPE_PLAIN, "sequence"},
    {"sentinel", 3, 0, LG__SHAPE_SENTINEL, ".__name__ .__module__ repr"},
    {"set_iterator", 4, 0, LG__SHAPE_PLAIN, "set"},
    {"sqlite3.Cache", 6, 1, LG__SHAPE_PLAIN, "mapping factory first last"},
    {"sqlite3.Connection", 28, 4, LG__SHAPE_PLAIN,
     "=isolation_level - - - statement_cache statements cursors - - - "
     "trace_callback progress_handler authorizer collations"},
    {"sqlite3.Connection", 24, 7, LG__SHAPE_PLAIN,
     "statement_cache blobs =row_factory =text_factory"},
    {"sqlite3.Connection", 25, 6, LG__SHAPE_PLAIN,
     "statement_cache cursors blobs"},
    {"sqlite3.Connection", 26, 7, LG__SHAPE_PLAIN,
     "statement_cache cursors blobs - =row_factory =text_factory"},
    {"sqlite3.Cursor", 12, 7, LG__SHAPE_PLAIN, "statement - - next_row"},
    {"sqlite3.Cursor", 11, 7, LG__SHAPE_PLAIN, "statement"},
    {"sqlite3.Node", 5, 0, LG__SHAPE_PLAIN, "key data"},
    {"sqlite3.Row", 2, 0, LG__SHAPE_PLAIN, "data description"},
    {"sqlite3.Statement", 5, 2, LG__SHAPE_PLAIN, "sql"},
    {"str_ascii_iterator", 2, 1, LG__SHAPE_PLAIN, "sequence"},
    {"str_iterator", 2, 1, LG__SHAPE_PLAIN, "sequence"},
    {"tuple_iterator", 2, 1, LG__SHAPE_PLAIN, "sequence"},
    {"types.GenericAlias", 4, 0, LG__SHAPE_PLAIN,
     ".__origin__ .__args__ .__parameters__"},
    {"types.GenericAlias", 6, 0, LG__SHAPE_PLAIN,
     ".__origin__ .__args__ .__parameters__"},
    {"types.UnionType", 2, 0, LG__SHAPE_PLAIN, ".__args__ .__parameters__"},
    {"typing.ParamSpec", 3, 0, LG__SHAPE_PLAIN, ".__name__ .__bound__"},
    {"typing.ParamSpec", 5, 0, LG__SHAPE_PLAIN,
     ".__name__ .__bound__ .__default__ evaluate_default"},
    {"typing.TypeAliasType", 5, 0, LG__SHAPE_PLAIN,
     ".__name__ .__type_params__ compute_value .__value__ .__module__"},
    {"typing.TypeAliasType", 6, 0, LG__SHAPE_PLAIN,
     ".__name__ .__qualname__ .__type_params__ compute_value .__value__ "
     ".__module__"},
    {"typing.TypeVar", 6, 0, LG__SHAPE_PLAIN,
     ".__name__ .__bound__ evaluate_bound .__constraints__ "
     "evaluate_constraints"},
    {"typing.TypeVar", 8, 0, LG__SHAPE_PLAIN,
     ".__name__ .__bound__ evaluate_bound .__constraints__ "
     "evaluate_constraints .__default__ evaluate_default"},
    {"typing.TypeVarTuple", 3, 0, LG__SHAPE_PLAIN,
     ".__name__ .__default__ evaluate_default"},
    {"typing.Union", 5, 0, LG__SHAPE_PLAIN,
     ".__args__ hashable_args unhashable_args .__parameters__"},
    {"xml.etree.ElementTree.Element", 5, 0, LG__SHAPE_PLAIN,
     "=tag =text =tail"},
    {"xml.etree.ElementTree.TreeBuilder", 18, 0, LG__SHAPE_PLAIN,
     "root this last last_for_tail data stack - element_factory "
     "comment_factory pi_factory"},
    {"xml.etree.ElementTree.TreeBuilder", 19, 0, LG__SHAPE_PLAIN,
     "root this last last_for_tail data stack - element_factory "
     "comment_factory pi_factory"},
    {"xml.etree.ElementTree.XMLParser", 13, 1, LG__SHAPE_PLAIN,
     ".target .entity names start_ns end_ns start data end comment pi doctype "
     "close"},
    {"xml.etree.ElementTree.XMLParser", 14, 1, LG__SHAPE_PLAIN,
     ".target .entity names start_ns end_ns start data end comment pi doctype "
     "close"},
    {"xml.etree.ElementTree.XMLParser", 15, 1, LG__SHAPE_PLAIN,
     ".target .entity names start_ns end_ns start data end comment pi doctype "
     "close"},
    {"zip", 3, 1, LG__SHAPE_PLAIN, "iterators result"},
    {"zip", 4, 1, LG__SHAPE_PLAIN, "iterators result"},
};

/** A layout of Cython's functions, which are of a type per module or per
 *  version of Cython: Cython/Utility/CythonFunction.c. */
typedef struct cython_layout {
    lg__type_layout layout;
    uint16_t dict; /**< the word that holds the dict */
} cython_layout;

#define CYTHON_HEAD                                                            \
    "__dict__ .__name__ .__qualname__ .__doc__ .__globals__ .__code__ "        \
    ".__closure__ "
#define CYTHON_TAIL ".__defaults__ .__kwdefaults__ - .__annotations__"
#define CYTHON_029 CYTHON_HEAD "defining_class - - - - " CYTHON_TAIL
#define CYTHON_30                                                              \
    "defining_class " CYTHON_HEAD "- - - - " CYTHON_TAIL " ._is_coroutine"
#define CYTHON_31                                                              \
    "defining_class " CYTHON_HEAD "defaults - " CYTHON_TAIL " ._is_coroutine"
#define CYTHON_32 "defining_class " CYTHON_HEAD "defaults - " CYTHON_TAIL

static const cython_layout cython_layouts[] = {
    {{"cython_function_or_method", 21, 5, LG__SHAPE_PLAIN, CYTHON_029}, 5},
    {{"cython_function_or_method", 22, 5, LG__SHAPE_PLAIN, CYTHON_30}, 6},
    {{"cython_function_or_method", 20, 5, LG__SHAPE_PLAIN, CYTHON_31}, 6},
    {{"cython_function_or_method", 19, 5, LG__SHAPE_PLAIN, CYTHON_32}, 6},
    {{"fused_cython_function", 24, 5, LG__SHAPE_PLAIN,
      CYTHON_029 " .__signatures__ type .__self__"},
     5},
    {{"fused_cython_function", 24, 5, LG__SHAPE_PLAIN,
      CYTHON_30 " .__signatures__ .__self__"},
     6},
    {{"fused_cython_function", 22, 5, LG__SHAPE_PLAIN,
      CYTHON_31 " .__signatures__ .__self__"},
     6},
    {{"fused_cython_function", 21, 5, LG__SHAPE_PLAIN,
      CYTHON_32 " .__signatures__ .__self__"},
     6},
};

/** The variables of a closure and the defaults of parameters of a Cython
 *  function, whose names are in its C code alone. */
static const lg__type_layout cython_scope = {"", 0, 0, LG__SHAPE_PLAIN, "#"};

/** The first row of a type, or where it would be. */
static size_t
first_row(const char *type)
{
    size_t low = 0, high = sizeof layouts / sizeof layouts[0];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(layouts[middle].type, type) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t
lg__word_count(const PyTypeObject *type)
{
    return ((size_t)type->tp_basicsize - sizeof(PyObject)) / sizeof(PyObject *);
}

/** The same for a type that Cython made. */
static const lg__type_layout *
cython_layout_of(const PyTypeObject *type)
{
    const char *dot = strrchr(type->tp_name, '.');
    const char *name = dot != NULL ? dot + 1 : type->tp_name;
    if (strncmp(name, "__pyx_scope_struct", 18) == 0 ||
        strncmp(name, "__pyx_defaults", 14) == 0)
        return &cython_scope;
    for (size_t i = 0; i < sizeof cython_layouts / sizeof cython_layouts[0];
         i++) {
        const cython_layout *row = &cython_layouts[i];
        if (row->layout.words == lg__word_count(type) &&
            type->tp_dictoffset ==
                (Py_ssize_t)(sizeof(PyObject) + row->dict * sizeof(void *)) &&
            strcmp(row->layout.type, name) == 0)
            return &row->layout;
    }
    return NULL;
}

const lg__type_layout *
lg__type_layout_of(const PyTypeObject *type)
{
    const size_t end = sizeof layouts / sizeof layouts[0];
    /* Metaclasses in C share the destructor of Python's classes. The names of
       the latter have no dot. */
    if (lg__type_is_pythons(type) && strchr(type->tp_name, '.') == NULL)
        return NULL;
    for (size_t i = first_row(type->tp_name);
         i < end && strcmp(layouts[i].type, type->tp_name) == 0; i++)
        if (layouts[i].words == lg__word_count(type))
            return &layouts[i];
    return cython_layout_of(type);
}
