// Derives the category of a thing from the names of its type and bases.
#include "graph/graph_private.h"

#include <string.h>

typedef struct rule {
    const char *name; // a trailing `*` matches any rest
    lg__trait trait;
} rule;

#define RULE(name, category, role)                                             \
    {                                                                          \
        name,                                                                  \
        {                                                                      \
            LG_CATEGORY_##category, LG__ROLE_##role, 0                         \
        }                                                                      \
    }

// The first matching rule wins. The names of a type end with its bases, so a
// subclass of dict is a container, too.
static const rule rules[] = {
    RULE("dict", CONTAINER, SIZED),
    RULE("list", CONTAINER, SIZED),
    RULE("tuple", CONTAINER, TUPLE),
    RULE("set", CONTAINER, SIZED),
    RULE("frozenset", CONTAINER, SIZED),
    RULE("frozendict", CONTAINER, SIZED),
    RULE("collections.deque", CONTAINER, SIZED),
    RULE("dict_keys", CONTAINER, NONE),
    RULE("dict_values", CONTAINER, NONE),
    RULE("dict_items", CONTAINER, NONE),
    RULE("mappingproxy", CONTAINER, NONE),
    RULE("collections.UserDict", CONTAINER, NONE),
    RULE("collections.UserList", CONTAINER, NONE),
    RULE("module", MODULE, NONE),
    RULE("type", TYPE, NONE),
    RULE("function", FUNCTION, FUNCTION),
    RULE("cell", FUNCTION, CELL),
    RULE("method", FUNCTION, WRAPPER),
    RULE("code", FUNCTION, NONE),
    RULE("builtin_function_or_method", FUNCTION, NONE),
    RULE("method-wrapper", FUNCTION, NONE),
    RULE("method_descriptor", FUNCTION, DESCRIPTOR),
    RULE("wrapper_descriptor", FUNCTION, DESCRIPTOR),
    RULE("classmethod_descriptor", FUNCTION, DESCRIPTOR),
    RULE("getset_descriptor", FUNCTION, DESCRIPTOR),
    RULE("member_descriptor", FUNCTION, DESCRIPTOR),
    RULE("_ctypes.CField", FUNCTION, NONE),
    RULE("classmethod", FUNCTION, WRAPPER),
    RULE("staticmethod", FUNCTION, WRAPPER),
    RULE("property", FUNCTION, WRAPPER),
    RULE("functools.partial", FUNCTION, WRAPPER),
    RULE(LG__LRU_CACHE, FUNCTION, NONE),
    RULE("instancemethod", FUNCTION, NONE),
    RULE("frame", FRAME, NONE),
    RULE("generator", FRAME, SUSPENDED),
    RULE("coroutine", FRAME, SUSPENDED),
    RULE("async_generator", FRAME, SUSPENDED),
    // A task holds the frames that it waits in, and people look for it as for a
    // coroutine.
    RULE("_asyncio.Task", FRAME, SUSPENDED),
    RULE("asyncio.tasks.Task", FRAME, SUSPENDED),
    RULE("traceback", FRAME, NONE),
    // Python/hamt.c, 3.9 to 3.15.
    RULE("hamt", OTHER, CONTEXT),
    RULE("hamt_*", OTHER, CONTEXT_NODE),
    RULE("thread", ROOT, NONE),
    RULE("interpreter", ROOT, NONE),
    RULE("BaseException", EXCEPTION, NONE),
    RULE("torch._C.TensorBase", TENSOR, NONE),
    RULE("torch._C._TensorBase", TENSOR, NONE),
    RULE("torch.Tensor", TENSOR, NONE),
    RULE("torch.storage.*Storage", TENSOR, NONE),
    RULE("torch._C.StorageBase", TENSOR, NONE),
    RULE("torch.storage", TENSOR, NONE),
    RULE("jax.memory", TENSOR, NONE),
    RULE("cupy.memory", TENSOR, NONE),
    RULE("numba.memory", TENSOR, NONE),
    RULE("jaxlib.*.ArrayImpl", TENSOR, NONE),
    RULE("cupy.ndarray", TENSOR, NONE),
    RULE("cupy._core.core.ndarray", TENSOR, NONE),
    RULE("numpy.ndarray", ARRAY, NONE),
    RULE("array.array", ARRAY, NONE),
    RULE("memoryview", ARRAY, NONE),
    RULE("bytearray", ARRAY, NONE),
    RULE("mmap.mmap", ARRAY, NONE),
    RULE("pandas.core.generic.NDFrame", ARRAY, NONE),
    RULE("pandas.core.indexes.base.Index", ARRAY, NONE),
    RULE("pandas.core.arrays.base.ExtensionArray", ARRAY, NONE),
    RULE("pandas._libs.internals.BlockManager", ARRAY, NONE),
    RULE("matplotlib.figure.FigureBase", FIGURE, NONE),
    RULE("matplotlib.figure.Figure", FIGURE, NONE),
    RULE("matplotlib.backend_bases.FigureCanvasBase", FIGURE, NONE),
    RULE("matplotlib.canvas", FIGURE, NONE),
    // Storages, of bytearray, array, mmap, ctypes, numpy and registered types.
    RULE("*.memory", ARRAY, NONE),
    RULE("str", ATOM, STR),
    RULE("bytes", ATOM, NONE),
    RULE("int", ATOM, NONE),
    RULE("float", ATOM, NONE),
    RULE("bool", ATOM, NONE),
    RULE("complex", ATOM, NONE),
    RULE("NoneType", ATOM, NONE),
    RULE("ellipsis", ATOM, NONE),
    RULE("NotImplementedType", ATOM, NONE),
    RULE("range", ATOM, NONE),
    RULE("slice", ATOM, NONE),
};

static bool
matches(const char *pattern, lg_string name)
{
    const char *star = strchr(pattern, '*');
    if (star == NULL)
        return lg__string_is(name, pattern);
    size_t head = (size_t)(star - pattern);
    size_t tail = strlen(star + 1);
    return name.length >= head + tail && !memcmp(name.data, pattern, head) &&
           !memcmp(name.data + name.length - tail, star + 1, tail);
}

static const rule *
find_rule(lg_string name)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (name.length > 0 &&
            (rules[i].name[0] == name.data[0] || rules[i].name[0] == '*') &&
            matches(rules[i].name, name))
            return &rules[i];
    return NULL;
}

lg__trait
lg__type_trait(const lg_graph *graph, uint32_t type)
{
    uint32_t first = graph->type_first_base[type];
    uint32_t end = graph->type_first_base[type + 1];
    for (uint32_t i = first; i < end; i++) {
        uint32_t base = graph->type_base[i];
        const rule *found =
            find_rule(lg_graph_string(graph, graph->type_name[base]));
        if (found == NULL)
            continue;
        lg__trait trait = found->trait;
        // Walks treat only this exact type as a closure, because a subclass may
        // contain more.
        if (i > first &&
            (trait.role == LG__ROLE_CELL || trait.role == LG__ROLE_FUNCTION))
            trait.role = LG__ROLE_NONE;
        if (i > first && trait.role == LG__ROLE_TUPLE)
            trait.role = LG__ROLE_SIZED;
        return trait;
    }
    return (lg__trait){LG_CATEGORY_OTHER, LG__ROLE_NONE, 0};
}

lg_category
lg__category_of_name(lg_string type)
{
    const rule *found = find_rule(type);
    return found == NULL ? LG_CATEGORY_OTHER
                         : (lg_category)found->trait.category;
}

const char *const lg__category_words[] = {
    [LG_CATEGORY_OTHER] = "object",
    [LG_CATEGORY_CONTAINER] = "container",
    [LG_CATEGORY_MODULE] = "module",
    [LG_CATEGORY_TYPE] = "type",
    [LG_CATEGORY_FUNCTION] = "function",
    [LG_CATEGORY_FRAME] = "frame",
    [LG_CATEGORY_TENSOR] = "tensor",
    [LG_CATEGORY_ARRAY] = "array",
    [LG_CATEGORY_FIGURE] = "figure",
    [LG_CATEGORY_ROOT] = "root",
    [LG_CATEGORY_EXCEPTION] = "exception",
    [LG_CATEGORY_ATOM] = "atom",
    NULL,
};

const char *
lg_category_name(lg_category category)
{
    return lg__category_words[category];
}
