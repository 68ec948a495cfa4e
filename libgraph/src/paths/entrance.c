// Chooses the last step of a path. A parameter of a module belongs to the
// module, though the path through the optimizer may be shorter. The rest of the
// path is the best one to the module's dict. A gradient belongs to its
// parameter in the same way.
#include "paths/path_hops.h"
#include "paths/measure.h"

// An object with more referrers, such as None, is no module's parameter.
enum { FEW = 1000 };

// torch.nn.Module names its own dicts `_parameters` and `_buffers`.
static bool
is_named_so(const lg_graph *graph, uint64_t edge)
{
    lg_string name = lg__edge_name(graph, edge);
    return lg__string_is(name, "_parameters") ||
           lg__string_is(name, "_buffers");
}

static bool
is_modules_dict(const lg_graph *graph, const lg__reverse *reverse,
                uint32_t dict)
{
    uint64_t begin = lg__first_in(reverse, dict);
    uint64_t end = lg__first_in(reverse, dict + 1);
    if (lg__node_category(graph, dict) != LG_CATEGORY_CONTAINER ||
        end - begin > FEW)
        return false;
    for (uint64_t i = begin; i < end; i++)
        if (is_named_so(graph, lg__in_number(reverse, i)))
            return true;
    return false;
}

typedef bool (*is_entrance)(const lg_graph *graph, const lg__reverse *reverse,
                            lg__in_edge in);

static uint32_t
find_source(const lg_graph *graph, const lg__reverse *reverse, uint32_t target,
            is_entrance suits)
{
    uint64_t end = lg__first_in(reverse, target + 1);
    if (end - lg__first_in(reverse, target) > FEW)
        return LG_NONE;
    for (uint64_t i = lg__first_in(reverse, target); i < end; i++) {
        lg__in_edge in = lg__in_at(reverse, i);
        if (suits(graph, reverse, in))
            return in.source;
    }
    return LG_NONE;
}

static bool
comes_from_modules_dict(const lg_graph *graph, const lg__reverse *reverse,
                        lg__in_edge in)
{
    return lg__edge_kind(graph, in.edge) == LG_EDGE_VALUE &&
           is_modules_dict(graph, reverse, in.source);
}

static bool
comes_from_parameter(const lg_graph *graph, const lg__reverse *reverse,
                     lg__in_edge in)
{
    return lg__node_category(graph, in.source) == LG_CATEGORY_TENSOR &&
           lg__string_is(lg__edge_name(graph, in.edge), "grad") &&
           find_source(graph, reverse, in.source, comes_from_modules_dict) !=
               LG_NONE;
}

static bool
is_telling(const lg_path *path)
{
    return path->start == LG_STARTS_AT_ROOT &&
           path->root.kind != LG_ROOT_NATIVE;
}

uint32_t
lg__path_entrance(const lg__hop_walk *walk, uint32_t target)
{
    const lg_graph *graph = walk->graph;
    const lg__reverse *reverse = &walk->reverse;
    uint32_t entrance =
        find_source(graph, reverse, target, comes_from_modules_dict);
    if (entrance == LG_NONE &&
        lg__node_category(graph, target) == LG_CATEGORY_TENSOR)
        entrance = find_source(graph, reverse, target, comes_from_parameter);
    if (entrance == LG_NONE)
        return LG_NONE;
    lg_path own = lg__path_at(walk, target);
    return is_telling(&own) ? LG_NONE : entrance;
}

bool
lg__entrance_has_one(const lg_graph *graph, uint32_t entrance)
{
    return lg__node_category(graph, entrance) == LG_CATEGORY_TENSOR;
}

bool
lg__path_enters(const lg_path *path, uint32_t target)
{
    bool passes = path->root.node == target;
    for (size_t i = 0; i < path->count; i++)
        passes |= path->hops[i].target == target;
    return !passes && is_telling(path);
}
