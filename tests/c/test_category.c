// The category of each type that leakgraph knows by name: pictures colour nodes
// by it, and paths, findings and reports depend on it.
#include "graph/graph_private.h"

#include <leakgraph/builder.h>

#include "test.h"

#include <string.h>

typedef struct row {
    const char *name;
    lg_category category;
    lg__role role;
} row;

static const row rows[] = {
    {"dict", LG_CATEGORY_CONTAINER, LG__ROLE_SIZED},
    {"list", LG_CATEGORY_CONTAINER, LG__ROLE_SIZED},
    {"tuple", LG_CATEGORY_CONTAINER, LG__ROLE_TUPLE},
    {"set", LG_CATEGORY_CONTAINER, LG__ROLE_SIZED},
    {"frozenset", LG_CATEGORY_CONTAINER, LG__ROLE_SIZED},
    {"frozendict", LG_CATEGORY_CONTAINER, LG__ROLE_SIZED},
    {"collections.deque", LG_CATEGORY_CONTAINER, LG__ROLE_SIZED},
    {"dict_keys", LG_CATEGORY_CONTAINER, LG__ROLE_NONE},
    {"dict_values", LG_CATEGORY_CONTAINER, LG__ROLE_NONE},
    {"dict_items", LG_CATEGORY_CONTAINER, LG__ROLE_NONE},
    {"mappingproxy", LG_CATEGORY_CONTAINER, LG__ROLE_NONE},
    {"collections.UserDict", LG_CATEGORY_CONTAINER, LG__ROLE_NONE},
    {"collections.UserList", LG_CATEGORY_CONTAINER, LG__ROLE_NONE},
    {"module", LG_CATEGORY_MODULE, LG__ROLE_NONE},
    {"type", LG_CATEGORY_TYPE, LG__ROLE_NONE},
    {"function", LG_CATEGORY_FUNCTION, LG__ROLE_FUNCTION},
    {"cell", LG_CATEGORY_FUNCTION, LG__ROLE_CELL},
    {"method", LG_CATEGORY_FUNCTION, LG__ROLE_WRAPPER},
    {"code", LG_CATEGORY_FUNCTION, LG__ROLE_NONE},
    {"builtin_function_or_method", LG_CATEGORY_FUNCTION, LG__ROLE_NONE},
    {"method-wrapper", LG_CATEGORY_FUNCTION, LG__ROLE_NONE},
    {"method_descriptor", LG_CATEGORY_FUNCTION, LG__ROLE_DESCRIPTOR},
    {"wrapper_descriptor", LG_CATEGORY_FUNCTION, LG__ROLE_DESCRIPTOR},
    {"classmethod_descriptor", LG_CATEGORY_FUNCTION, LG__ROLE_DESCRIPTOR},
    {"getset_descriptor", LG_CATEGORY_FUNCTION, LG__ROLE_DESCRIPTOR},
    {"member_descriptor", LG_CATEGORY_FUNCTION, LG__ROLE_DESCRIPTOR},
    {"classmethod", LG_CATEGORY_FUNCTION, LG__ROLE_WRAPPER},
    {"staticmethod", LG_CATEGORY_FUNCTION, LG__ROLE_WRAPPER},
    {"property", LG_CATEGORY_FUNCTION, LG__ROLE_WRAPPER},
    {"functools.partial", LG_CATEGORY_FUNCTION, LG__ROLE_WRAPPER},
    {"functools._lru_cache_wrapper", LG_CATEGORY_FUNCTION, LG__ROLE_NONE},
    {"instancemethod", LG_CATEGORY_FUNCTION, LG__ROLE_NONE},
    {"frame", LG_CATEGORY_FRAME, LG__ROLE_NONE},
    {"generator", LG_CATEGORY_FRAME, LG__ROLE_SUSPENDED},
    {"coroutine", LG_CATEGORY_FRAME, LG__ROLE_SUSPENDED},
    {"async_generator", LG_CATEGORY_FRAME, LG__ROLE_SUSPENDED},
    {"_asyncio.Task", LG_CATEGORY_FRAME, LG__ROLE_SUSPENDED},
    {"asyncio.tasks.Task", LG_CATEGORY_FRAME, LG__ROLE_SUSPENDED},
    {"traceback", LG_CATEGORY_FRAME, LG__ROLE_NONE},
    {"thread", LG_CATEGORY_ROOT, LG__ROLE_NONE},
    {"interpreter", LG_CATEGORY_ROOT, LG__ROLE_NONE},
    {"BaseException", LG_CATEGORY_EXCEPTION, LG__ROLE_NONE},
    {"torch._C.TensorBase", LG_CATEGORY_TENSOR, LG__ROLE_NONE},
    {"torch._C._TensorBase", LG_CATEGORY_TENSOR, LG__ROLE_NONE},
    {"torch.Tensor", LG_CATEGORY_TENSOR, LG__ROLE_NONE},
    {"torch.storage.UntypedStorage", LG_CATEGORY_TENSOR, LG__ROLE_NONE},
    {"torch._C.StorageBase", LG_CATEGORY_TENSOR, LG__ROLE_NONE},
    {"torch.storage", LG_CATEGORY_TENSOR, LG__ROLE_NONE},
    {"jax.memory", LG_CATEGORY_TENSOR, LG__ROLE_NONE},
    {"cupy.memory", LG_CATEGORY_TENSOR, LG__ROLE_NONE},
    {"numba.memory", LG_CATEGORY_TENSOR, LG__ROLE_NONE},
    {"jaxlib.xla_extension.ArrayImpl", LG_CATEGORY_TENSOR, LG__ROLE_NONE},
    {"cupy.ndarray", LG_CATEGORY_TENSOR, LG__ROLE_NONE},
    {"cupy._core.core.ndarray", LG_CATEGORY_TENSOR, LG__ROLE_NONE},
    {"numpy.ndarray", LG_CATEGORY_ARRAY, LG__ROLE_NONE},
    {"array.array", LG_CATEGORY_ARRAY, LG__ROLE_NONE},
    {"memoryview", LG_CATEGORY_ARRAY, LG__ROLE_NONE},
    {"bytearray", LG_CATEGORY_ARRAY, LG__ROLE_NONE},
    {"mmap.mmap", LG_CATEGORY_ARRAY, LG__ROLE_NONE},
    {"pandas.core.generic.NDFrame", LG_CATEGORY_ARRAY, LG__ROLE_NONE},
    {"pandas.core.indexes.base.Index", LG_CATEGORY_ARRAY, LG__ROLE_NONE},
    {"pandas.core.arrays.base.ExtensionArray", LG_CATEGORY_ARRAY,
     LG__ROLE_NONE},
    {"pandas._libs.internals.BlockManager", LG_CATEGORY_ARRAY, LG__ROLE_NONE},
    {"numpy.memory", LG_CATEGORY_ARRAY, LG__ROLE_NONE},
    {"bytearray.memory", LG_CATEGORY_ARRAY, LG__ROLE_NONE},
    {"array.memory", LG_CATEGORY_ARRAY, LG__ROLE_NONE},
    {"mmap.memory", LG_CATEGORY_ARRAY, LG__ROLE_NONE},
    {"memoryview.memory", LG_CATEGORY_ARRAY, LG__ROLE_NONE},
    {"ctypes.memory", LG_CATEGORY_ARRAY, LG__ROLE_NONE},
    {"lib.memory", LG_CATEGORY_ARRAY, LG__ROLE_NONE},
    {"matplotlib.figure.FigureBase", LG_CATEGORY_FIGURE, LG__ROLE_NONE},
    {"matplotlib.figure.Figure", LG_CATEGORY_FIGURE, LG__ROLE_NONE},
    {"matplotlib.backend_bases.FigureCanvasBase", LG_CATEGORY_FIGURE,
     LG__ROLE_NONE},
    {"matplotlib.canvas", LG_CATEGORY_FIGURE, LG__ROLE_NONE},
    {"str", LG_CATEGORY_ATOM, LG__ROLE_STR},
    {"bytes", LG_CATEGORY_ATOM, LG__ROLE_NONE},
    {"int", LG_CATEGORY_ATOM, LG__ROLE_NONE},
    {"float", LG_CATEGORY_ATOM, LG__ROLE_NONE},
    {"bool", LG_CATEGORY_ATOM, LG__ROLE_NONE},
    {"complex", LG_CATEGORY_ATOM, LG__ROLE_NONE},
    {"NoneType", LG_CATEGORY_ATOM, LG__ROLE_NONE},
    {"ellipsis", LG_CATEGORY_ATOM, LG__ROLE_NONE},
    {"NotImplementedType", LG_CATEGORY_ATOM, LG__ROLE_NONE},
    {"range", LG_CATEGORY_ATOM, LG__ROLE_NONE},
    {"slice", LG_CATEGORY_ATOM, LG__ROLE_NONE},
    {"app.Model", LG_CATEGORY_OTHER, LG__ROLE_NONE},
    {"lists", LG_CATEGORY_OTHER, LG__ROLE_NONE},
    {"", LG_CATEGORY_OTHER, LG__ROLE_NONE},
    {"torch.storage.Storages", LG_CATEGORY_OTHER, LG__ROLE_NONE},
    {"jaxlib.ArrayImplementation", LG_CATEGORY_OTHER, LG__ROLE_NONE},
    {"memory", LG_CATEGORY_OTHER, LG__ROLE_NONE},
    {"app.dict", LG_CATEGORY_OTHER, LG__ROLE_NONE},
};

// A type with that name, or a subclass of it.
static lg__trait
trait_of(const char *name, bool subclass)
{
    lg_builder *builder;
    lg_graph *graph;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    uint32_t type =
        lg_builder_add_type(builder, name, strlen(name), LG_NONE, NULL, 0);
    if (subclass)
        type = lg_builder_add_type(builder, "app.Own", 7, LG_NONE, &type, 1);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    lg__trait trait = lg__type_trait(graph, type);
    CHECK(lg_graph_type(graph, type).category == trait.category);
    lg_graph_free(graph);
    return trait;
}

static void
check_trait(const row *expected, bool subclass, lg__role role)
{
    lg__trait trait = trait_of(expected->name, subclass);
    if (trait.category != expected->category || trait.role != role)
        fprintf(stderr, "%s%s has category %d and role %d\n",
                subclass ? "a subclass of " : "", expected->name,
                trait.category, trait.role);
    CHECK(trait.category == expected->category);
    CHECK(trait.role == role);
}

static void
known_types(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_trait(&rows[i], false, rows[i].role);
}

// A subclass has the category of its base, but it may hold more than a closure
// does, and a closure is not folded with it.
static void
subclasses(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        lg__role role = rows[i].role;
        if (role == LG__ROLE_CELL || role == LG__ROLE_FUNCTION)
            role = LG__ROLE_NONE;
        else if (role == LG__ROLE_TUPLE)
            role = LG__ROLE_SIZED;
        check_trait(&rows[i], true, role);
    }
}

// Of a name alone, the same; the bases of a type are not known then.
static void
names_alone(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK(lg__category_of_name(
                  (lg_string){rows[i].name, (uint32_t)strlen(rows[i].name)}) ==
              rows[i].category);
    CHECK(lg__category_of_name((lg_string){"app.Table", 9}) ==
          LG_CATEGORY_OTHER);
}

static bool
is_familiar(const char *package)
{
    return lg__package_is_well_known(
        (lg_string){package, (uint32_t)strlen(package)});
}

// The first and the last of the list, names that begin alike, and others.
static void
familiar_packages(void)
{
    static const char *const known[] = {
        "IPython", "PIL",      "_abc",     "_collections", "_collections_abc",
        "abc",     "os",       "posix",    "posixpath",    "torch",
        "zmq",     "zoneinfo", "zstandard"};
    static const char *const others[] = {
        "",     "A",   "IPytho",  "IPythons", "_collections_", "ab",
        "abcd", "tor", "torches", "os sys",   "zstandard ",    "zzz"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        CHECK(is_familiar(known[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(!is_familiar(others[i]));
}

SUITE(category)
{
    RUN(familiar_packages);
    RUN(known_types);
    RUN(subclasses);
    RUN(names_alone);
    return test_result();
}
