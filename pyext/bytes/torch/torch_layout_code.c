/** Finds what compiled code keeps in PyTorch's layout: from a unit to its
 *  functions, their graphs, the nodes of these and the nodes' attributes. */
#include "bytes/torch/torch_finder.h"
#include "bytes/torch/torch_layout.h"

enum { WORD = sizeof(uintptr_t), NODES = 16 };

/** A member that leads to a value. */
typedef bool leads(lg__torch_finder *finder, uintptr_t member, uintptr_t value);

/** A vector whose only element is the value. */
static bool
is_only_element(lg__torch_finder *finder, uintptr_t member, uintptr_t value)
{
    uintptr_t begin = lg__memory_word(finder->memory, member);
    uintptr_t end = lg__memory_word(finder->memory, member + WORD);
    return lg__is_address(begin) && end - begin == WORD &&
           lg__memory_word(finder->memory, begin) == value;
}

/** A vector whose only element is an attribute with the value. */
static bool
is_only_attribute(lg__torch_finder *finder, uintptr_t member, uintptr_t value)
{
    uintptr_t begin = lg__memory_word(finder->memory, member);
    uintptr_t only =
        lg__is_address(begin) ? lg__memory_word(finder->memory, begin) : 0;
    return lg__is_address(only) && is_only_element(finder, member, only) &&
           lg__memory_word(finder->memory, only + LG__TORCH_SYMBOL) == value;
}

/** A list, before the number of its elements, with the value in it. */
static bool
is_in_list(lg__torch_finder *finder, uintptr_t member, uintptr_t value)
{
    uintptr_t at = lg__memory_word(finder->memory, member);
    uintptr_t count = lg__memory_word(finder->memory, member + WORD), i = 0;
    bool found = false;
    for (; i < NODES && lg__is_address(at); i++) {
        found = found || lg__memory_word(finder->memory, at + WORD) == value;
        at = lg__memory_word(finder->memory, at);
    }
    return found && at == 0 && i == count;
}

/** The only offset at which a member leads to the value. The object begins so
 *  many bytes into its block. */
static uint16_t
find(lg__torch_finder *finder, const char *what, lg__sample of, size_t skipped,
     leads *fits)
{
    size_t end = lg__finder_end(finder, of.base - skipped);
    uint16_t found = 0;
    unsigned matches = 0;
    for (size_t k = 0; skipped + k + 2 * WORD <= end; k += WORD) {
        if (!fits(finder, of.base + k, of.value))
            continue;
        found = (uint16_t)k;
        matches++;
    }
    lg__finder_check(finder, matches == 1, what);
    return found;
}

/** The C++ object behind an object of pybind11. */
static uintptr_t
value_of(lg__torch_finder *finder, const char *name)
{
    return lg__finder_word(finder,
                           lg__finder_at(finder, name) + sizeof(PyObject));
}

bool
lg__torch_find_code(lg__torch_finder *finder, lg__torch_code_layout *layout)
{
    if (lg__finder_optional(finder, "code function") == NULL)
        return false;
    uintptr_t unit = value_of(finder, "code unit");
    uintptr_t graph = value_of(finder, "code graph");
    uintptr_t node = value_of(finder, "code node");
    /* A function comes with the shared_ptr to its unit. */
    uintptr_t function =
        lg__finder_word(finder, value_of(finder, "code function") + 2 * WORD);
    uintptr_t constant = lg__finder_address(finder, "code constant");
    if (finder->failed)
        return false;
    layout->functions =
        find(finder, "a unit's functions", lg__sample_of(unit, function),
             LG__TORCH_COUNTS, is_only_element);
    lg__sought sought = {"a function's graph", WORD,
                         lg__finder_end(finder, function), WORD, 0};
    lg__sample sample = lg__sample_of(function, graph);
    layout->graph = lg__finder_find(finder, &sought, &sample, 1);
    layout->nodes = find(finder, "a graph's nodes", lg__sample_of(graph, node),
                         0, is_in_list);
    layout->attributes =
        find(finder, "a node's attributes", lg__sample_of(node, constant), 0,
             is_only_attribute);
    return !finder->failed;
}
