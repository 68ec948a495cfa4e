/**
 * The layout of instances of a type in C, and the names of their words.
 */
#include "capture/common/capture_common.h"
#include "capture/walk/heap_walk.h"

#include <string.h>

/** The layout of one type, in the versions whose instances have this size.
 *
 *  `names` has a name for each word, separated by spaces. `=x` is an attribute
 *  that a program may set, `.x` one that it may only read, `x` none; `-` holds
 *  no reference. From `#` on come elements, and from `*` on elements of which
 *  the type never clears those not in use. */
typedef struct type_layout {
    const char *type; /**< its tp_name */
    uint16_t words;   /**< tp_basicsize in words, less the object's head;
                           0: any */
    uint16_t start;   /**< the first word with a name, after the head */
    lg__shape shape;  /**< LG__SHAPE_PLAIN: nothing more is known */
    const char *names;
} type_layout;

/** Where the names begin in a Task of 20 words: one of 3.11, or one of 3.14 and
 *  later without a global lock, whose last word is the id of its thread. */
enum { TASK_OF_20_WORDS = LG__FREE_THREADED ? 13 : 14 };

/* The structs of CPython 3.9 to 3.15: Objects/, Python/ and Modules/. A version
   with another size of instances has a row of its own; a type that matches no
   row gets no names. Names are Python's if there are any, otherwise the
   struct's. Sorted by type. */
static const type_layout layouts[] = {
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
    {"_asyncio.Task", 20, TASK_OF_20_WORDS, LG__SHAPE_TASK,
     "._fut_waiter ._coro _name _context"},
    {"_asyncio.Task", 16, 12, LG__SHAPE_TASK,
     "._fut_waiter ._coro _name _context"},
    {"_asyncio.TaskStepMethWrapper", 2, 0, LG__SHAPE_PLAIN, "task argument"},
    {"_collections._deque_iterator", 5, 2, LG__SHAPE_PLAIN, "deque"},
    {"_collections._deque_reverse_iterator", 5, 2, LG__SHAPE_PLAIN, "deque"},
    {"_contextvars.Context", 4, 0, LG__SHAPE_PLAIN, "previous variables"},
    {"_contextvars.ContextVar", 6, 0, LG__SHAPE_CONTEXT_VARIABLE,
     ".name default"},
    {"_contextvars.ContextVar", 3, 0, LG__SHAPE_CONTEXT_VARIABLE,
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
    type_layout layout;
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
static const type_layout cython_scope = {"", 0, 0, LG__SHAPE_PLAIN, "#"};

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

/** Words of an instance's struct behind the object's head. */
static size_t
word_count(const PyTypeObject *type)
{
    return ((size_t)type->tp_basicsize - sizeof(PyObject)) / sizeof(PyObject *);
}

/** The same for a type that Cython made. */
static const type_layout *
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
        if (row->layout.words == word_count(type) &&
            type->tp_dictoffset ==
                (Py_ssize_t)(sizeof(PyObject) + row->dict * sizeof(void *)) &&
            strcmp(row->layout.type, name) == 0)
            return &row->layout;
    }
    return NULL;
}

/** The layout of the type itself, without its bases. NULL if the table does not
 *  have it, if Python made it, or if its instances have another size. Other
 *  libraries may use the name, so do not read a word that the traverser does
 *  not confirm. */
static const type_layout *
type_layout_of(const PyTypeObject *type)
{
    const size_t end = sizeof layouts / sizeof layouts[0];
    /* Metaclasses in C share the destructor of Python's classes. The names of
       the latter have no dot. */
    if (lg__type_is_pythons(type) && strchr(type->tp_name, '.') == NULL)
        return NULL;
    for (size_t i = first_row(type->tp_name);
         i < end && strcmp(layouts[i].type, type->tp_name) == 0; i++)
        if (layouts[i].words == word_count(type))
            return &layouts[i];
    return cython_layout_of(type);
}

/*
 * Finds which words of a struct its traverser reports. Versions differ in that,
 * so the walk probes each type's traverser once, with an object whose words are
 * marks. From then on the walker reads the words, and neither calls the
 * traverser nor searches what it reports.
 *
 * A traverser may follow pointers of the object that are no references. So this
 * probes only traversers that are known to pass their words on, on 3.9 to 3.15.
 * The words that are no references lead to zeros.
 */

enum { MOST_WORDS = 64 };

/** An object of marks: a named word holds its own address. */
typedef struct marked {
    uintptr_t words[MOST_WORDS];
    uintptr_t zeros[MOST_WORDS];
    lg__type_info *info;
    uint32_t reported; /**< the fields before this one are in order */
    bool unknown;      /**< the traverser reports something else, too */
} marked;

/** Returns whether this very type's traverser passes words on, and nothing
 *  else. */
static bool
may_be_asked(const PyTypeObject *type)
{
    const PyTypeObject *const plain[] = {
        &PyFunction_Type,         &PyCode_Type,         &PyCell_Type,
        &PyMethod_Type,           &PyCFunction_Type,    &PyMemberDescr_Type,
        &PyGetSetDescr_Type,      &PyMethodDescr_Type,  &PyWrapperDescr_Type,
        &PyProperty_Type,         &PyStaticMethod_Type, &PyClassMethod_Type,
        &PyClassMethodDescr_Type,
    };
    for (size_t i = 0; i < LG__COUNT(plain); i++)
        if (plain[i] == type)
            return true;
    return false;
}

/** Moves the field of a reported word behind those reported before. */
static int
note(PyObject *child, void *context)
{
    marked *object = context;
    lg__named_field *fields = object->info->fields;
    uintptr_t offset = (uintptr_t)child - (uintptr_t)object->words;
    for (uint32_t i = object->reported; i < object->info->field_count; i++) {
        if (fields[i].offset != offset)
            continue;
        lg__named_field found = fields[i];
        memmove(&fields[object->reported + 1], &fields[object->reported],
                (i - object->reported) * sizeof found);
        found.kind |= LG_EDGE_TRAVERSED;
        fields[object->reported++] = found;
        return 0;
    }
    object->unknown = true;
    return 0;
}

static void
mark_words(marked *object)
{
    const lg__type_info *info = object->info;
    PyObject *head = (PyObject *)object->words;
    for (size_t i = 0; i < MOST_WORDS; i++)
        object->words[i] = (uintptr_t)object->zeros;
    head->ob_type = info->type;
    for (uint32_t i = 0; i < info->field_count; i++) {
        uintptr_t *word = &object->words[info->fields[i].offset / sizeof *word];
        *word = (uintptr_t)word;
    }
}

/** A declared word that is not reported may hold anything. */
static bool
all_are_sure(const lg__type_info *info)
{
    for (uint32_t i = 0; i < info->field_count; i++)
        if (info->fields[i].declared &&
            !(info->fields[i].kind & LG_EDGE_TRAVERSED))
            return false;
    return true;
}

static void
unmark_fields(lg__type_info *info)
{
    for (uint32_t i = 0; i < info->field_count; i++)
        info->fields[i].kind &= (uint8_t) ~(unsigned)LG_EDGE_TRAVERSED;
}

bool
lg__probe_struct(lg__type_info *info)
{
    marked object = {.info = info};
    if (!may_be_asked(info->type) || info->dict_kind != LG__DICT_NONE ||
        (size_t)info->type->tp_basicsize > sizeof object.words)
        return false;
    mark_words(&object);
    if (info->traverse)
        info->type->tp_traverse((PyObject *)object.words, note, &object);
    if (!object.unknown && (!info->traverse || all_are_sure(info)))
        return true;
    unmark_fields(info);
    return false;
}

/** Returns whether a member is declared as an object word inside the struct.
 *  Leaves out the dict and the list of weak references: only the type says
 *  where they are, although bases may declare them (mypyc's traits). */
static bool
is_object_member(const PyTypeObject *type, const PyMemberDef *member)
{
    return (member->type == T_OBJECT || member->type == T_OBJECT_EX) &&
           member->offset >= (Py_ssize_t)sizeof(PyObject) &&
           member->offset % (Py_ssize_t)sizeof(PyObject *) == 0 &&
           member->offset + (Py_ssize_t)sizeof(PyObject *) <=
               type->tp_basicsize &&
           member->offset != type->tp_weaklistoffset &&
           strcmp(member->name, "__dict__") != 0 &&
           strcmp(member->name, "__weakref__") != 0;
}

typedef struct known_shape {
    const PyTypeObject *type;
    lg__shape shape;
    const lg__field *fields;
    size_t count;
} known_shape;

#define FIELDS(table) table, LG__FIELD_COUNT(table)

/** The shape of a type that CPython has a struct for. */
static known_shape
shape_of(const lg__heap_walk *walk, PyTypeObject *type)
{
    const known_shape known[] = {
        {&PyList_Type, LG__SHAPE_LIST, NULL, 0},
        {&PyTuple_Type, LG__SHAPE_TUPLE, NULL, 0},
        {&PyDict_Type, LG__SHAPE_DICT, NULL, 0},
        {lg__frozen_dict_type(), LG__SHAPE_DICT, NULL, 0},
        {&PySet_Type, LG__SHAPE_SET, NULL, 0},
        {&PyFrozenSet_Type, LG__SHAPE_SET, NULL, 0},
        {&PyUnicode_Type, LG__SHAPE_STR, NULL, 0},
        {&PyLong_Type, LG__SHAPE_INT, NULL, 0},
        {&PyBytes_Type, LG__SHAPE_BYTES, NULL, 0},
        {&PyType_Type, LG__SHAPE_TYPE, NULL, 0},
        {&PyRange_Type, LG__SHAPE_PLAIN, FIELDS(lg__range_fields)},
        {&PyFunction_Type, LG__SHAPE_FUNCTION, FIELDS(lg__function_fields)},
        {&PyCode_Type, LG__SHAPE_CODE, FIELDS(lg__code_fields)},
        {&PyFrame_Type, LG__SHAPE_FRAME, FIELDS(lg__frame_object_fields)},
        {&PyGen_Type, LG__SHAPE_GENERATOR, FIELDS(lg__generator_fields)},
        {&PyCoro_Type, LG__SHAPE_GENERATOR, FIELDS(lg__coroutine_fields)},
        {&PyAsyncGen_Type, LG__SHAPE_GENERATOR, FIELDS(lg__coroutine_fields)},
        {&PyModule_Type, LG__SHAPE_MODULE, FIELDS(lg__module_fields)},
        {&_PyWeakref_RefType, LG__SHAPE_WEAKREF, FIELDS(lg__weakref_fields)},
        {&_PyWeakref_ProxyType, LG__SHAPE_WEAKREF, FIELDS(lg__weakref_fields)},
        {&_PyWeakref_CallableProxyType, LG__SHAPE_WEAKREF,
         FIELDS(lg__weakref_fields)},
        {&PyCell_Type, LG__SHAPE_PLAIN, FIELDS(lg__cell_fields)},
        {&PyMethod_Type, LG__SHAPE_PLAIN, FIELDS(lg__method_fields)},
        {&PyTraceBack_Type, LG__SHAPE_PLAIN, FIELDS(lg__traceback_fields)},
        {&PyCFunction_Type, LG__SHAPE_BUILTIN,
         FIELDS(lg__builtin_method_fields)},
        {&PyCMethod_Type, LG__SHAPE_BUILTIN, FIELDS(lg__class_method_fields)},
        {&PyMemoryView_Type, LG__SHAPE_PLAIN, FIELDS(lg__memoryview_fields)},
        {walk->known.type[LG__KNOWN_MANAGED_BUFFER], LG__SHAPE_PLAIN,
         FIELDS(lg__managed_buffer_fields)},
        {walk->known.type[LG__KNOWN_DEQUE], LG__SHAPE_DEQUE, NULL, 0},
        {walk->known.type[LG__KNOWN_LRU_CACHE], LG__SHAPE_LRU_CACHE, NULL, 0},
        {&PyMemberDescr_Type, LG__SHAPE_DESCRIPTOR,
         FIELDS(lg__descriptor_fields)},
        {&PyGetSetDescr_Type, LG__SHAPE_DESCRIPTOR,
         FIELDS(lg__descriptor_fields)},
        {&PyMethodDescr_Type, LG__SHAPE_DESCRIPTOR,
         FIELDS(lg__descriptor_fields)},
        {&PyWrapperDescr_Type, LG__SHAPE_DESCRIPTOR,
         FIELDS(lg__descriptor_fields)},
        {&PyClassMethodDescr_Type, LG__SHAPE_DESCRIPTOR,
         FIELDS(lg__descriptor_fields)},
        {(PyTypeObject *)PyExc_BaseException, LG__SHAPE_EXCEPTION,
         FIELDS(lg__exception_fields)},
    };
    for (size_t i = 0; i < LG__COUNT(known); i++)
        if (known[i].type == type)
            return known[i];
    return (known_shape){type, LG__SHAPE_PLAIN, NULL, 0};
}

static bool
has_field_at(const lg__type_info *info, uint32_t offset)
{
    for (uint32_t i = 0; i < info->field_count; i++)
        if (info->fields[i].offset == offset)
            return true;
    return false;
}

static void
add_field(lg__type_info *info, lg__named_field field)
{
    if (!has_field_at(info, field.offset))
        info->fields[info->field_count++] = field;
}

/** An upper bound on the named words of a type: its own and its bases', and
 *  its dict. */
static size_t
field_bound(const lg__heap_walk *walk, PyTypeObject *type)
{
    size_t count = 1;
    PyMemberDef member;
    for (PyTypeObject *base = type; base != NULL; base = base->tp_base) {
        count += shape_of(walk, base).count;
        if (type_layout_of(base) != NULL)
            count += word_count(base);
        for (size_t i = 0; lg__member_at(base, i, &member); i++)
            count++;
    }
    return count;
}

/** The words that CPython's own structs give names to. */
static void
add_known(lg__heap_walk *walk, lg__type_info *info)
{
    for (PyTypeObject *base = info->type; base != NULL; base = base->tp_base) {
        known_shape known = shape_of(walk, base);
        if (info->shape == LG__SHAPE_PLAIN)
            info->shape = (uint8_t)known.shape;
        for (size_t i = 0; i < known.count; i++)
            add_field(info, (lg__named_field){
                                .offset = known.fields[i].offset,
                                .name = lg__walk_intern_literal(
                                    walk, known.fields[i].name),
                                .kind = known.fields[i].kind,
                            });
    }
}

static void
find_dict(lg__type_info *info)
{
    PyTypeObject *type = info->type;
    if (lg__type_has_managed_dict(type))
        info->dict_kind = LG__DICT_MANAGED;
    else if (type->tp_dictoffset > 0)
        add_field(info, (lg__named_field){
                            .offset = (uint32_t)type->tp_dictoffset,
                            .kind = LG_EDGE_DICT,
                        });
    else if (type->tp_dictoffset < 0)
        info->dict_kind = LG__DICT_OFFSET;
}

/** Adds the words that the type and its bases declare. In a named tuple of C,
 *  such as os.stat_result, they are the elements of the tuple. */
static void
add_declared(lg__heap_walk *walk, lg__type_info *info)
{
    PyMemberDef member;
    if (PyType_HasFeature(info->type, Py_TPFLAGS_TUPLE_SUBCLASS))
        return;
    for (PyTypeObject *base = info->type; base != NULL; base = base->tp_base)
        for (size_t i = 0; lg__member_at(base, i, &member); i++)
            if (is_object_member(info->type, &member))
                add_field(info, (lg__named_field){
                                    .offset = (uint32_t)member.offset,
                                    .name = lg__walk_intern(walk, member.name),
                                    .kind = LG_EDGE_ATTRIBUTE,
                                    .declared = true,
                                });
}

/** Returns whether all words from this one on are elements. */
static bool
is_element(const char *name)
{
    return *name == '#' || *name == '*';
}

/** One word of a layout. An attribute that cannot be set is like a part of the
 *  struct: nobody can cut the reference. */
static lg__named_field
word_named(lg__heap_walk *walk, const char *name, size_t length, uint32_t rank)
{
    lg__named_field field = {.declared = true, .kind = LG_EDGE_NATIVE};
    if (is_element(name)) {
        field.kind = LG_EDGE_INDEX;
        field.name = rank;
        field.stale = *name == '*';
        return field;
    }
    bool settable = *name == '=';
    if (settable)
        field.kind = LG_EDGE_ATTRIBUTE;
    field.name =
        lg_builder_intern(walk->builder, name + settable, length - settable);
    return field;
}

/** Adds the words of one layout, whose contents the traverser must confirm. */
static void
add_words(lg__heap_walk *walk, lg__type_info *info, const type_layout *layout,
          size_t words)
{
    const char *name = layout->names;
    uint32_t rank = 0;
    for (size_t i = layout->start; i < words && *name != '\0'; i++) {
        size_t length = strcspn(name, " ");
        bool element = is_element(name);
        lg__named_field field =
            word_named(walk, name, length, element ? rank++ : 0);
        field.offset = (uint32_t)(sizeof(PyObject) + i * sizeof(PyObject *));
        if (*name != '-')
            add_field(info, field);
        if (!element)
            name += length + (name[length] == ' ');
    }
}

/** Adds the words of structs that are in no header, if there is a traverser, or
 *  if they are references for sure. */
static void
add_layouts(lg__heap_walk *walk, lg__type_info *info)
{
    if (!(info->type->tp_flags & Py_TPFLAGS_HAVE_GC) && !info->holds_unseen)
        return;
    for (PyTypeObject *base = info->type; base != NULL; base = base->tp_base) {
        const type_layout *layout = type_layout_of(base);
        if (layout == NULL)
            continue;
        if (info->shape == LG__SHAPE_PLAIN)
            info->shape = (uint8_t)layout->shape;
        add_words(walk, info, layout, word_count(base));
    }
}

bool
lg__type_lay_out(lg__heap_walk *walk, lg__type_info *info)
{
    info->fields = lg__walk_keep(walk, field_bound(walk, info->type) *
                                           sizeof *info->fields);
    if (info->fields == NULL)
        return false;
    add_known(walk, info);
    find_dict(info);
    add_declared(walk, info);
    add_layouts(walk, info);
    return true;
}
