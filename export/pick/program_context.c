// Tells what belongs to the program rather than to the subject: classes,
// modules, code, and what functions read by name. Pictures name it and do not
// expand it.

#include "pick/pick_private.h"

#include <string.h>

lg_string
lg__hop_name(const lg__view_picker *picker, const lg_hop *hop)
{
    const lg_columns *columns = picker->columns;
    uint64_t edge = hop->edges[hop->edge_count - 1];
    unsigned kind = columns->edge_kind[edge] & LG_EDGE_KIND_MASK;
    uint32_t payload = columns->edge_payload[edge];
    if (kind == LG_EDGE_ATTRIBUTE)
        return lg_graph_string(picker->graph, payload);
    if (kind == LG_EDGE_VALUE && hop->edge_count > 1)
        return lg_node_text(picker->graph, payload);
    return (lg_string){NULL, 0};
}

bool
lg__is_dunder(lg_string name)
{
    return name.length > 4 && !memcmp(name.data, "__", 2) &&
           !memcmp(name.data + name.length - 2, "__", 2);
}

static bool
is_one_of(lg_string name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (name.length == strlen(words[i]) &&
            !memcmp(name.data, words[i], name.length))
            return true;
    }
    return false;
}

// True for the dunder fields of a function that hold no data of the user's.
static bool
is_bookkeeping(lg_string name)
{
    static const char *const data[] = {"__self__", "__wrapped__", "__closure__",
                                       "__defaults__", "__kwdefaults__"};
    return lg__is_dunder(name) &&
           !is_one_of(name, data, sizeof data / sizeof *data);
}

static bool
is_code(const lg__view_picker *picker, uint32_t node)
{
    static const char *const code[] = {"code"};
    lg_type type = lg_graph_type(picker->graph, picker->columns->type[node]);
    return is_one_of(type.name, code, 1);
}

bool
lg__is_weak_reference(const lg__view_picker *picker, uint32_t node)
{
    static const char *const names[] = {
        "weakref.ReferenceType", "weakref.KeyedRef", "weakref.ProxyType",
        "weakref.CallableProxyType", "weakref.WeakMethod"};
    lg_type type = lg_graph_type(picker->graph, picker->columns->type[node]);
    return is_one_of(type.name, names, sizeof names / sizeof *names);
}

static bool
is_program(const lg__view_picker *picker, uint32_t node)
{
    lg_category category = lg__picker_category(picker, node);
    return category == LG_CATEGORY_TYPE || category == LG_CATEGORY_MODULE ||
           lg__picker_is_root(picker, node) || is_code(picker, node);
}

// True if the function holds no data: no closure, no bound object. It reads
// edges instead of hops, because some heaps have lists of a million methods.
static bool
is_bare(const lg__view_picker *picker, uint32_t node)
{
    const lg_columns *columns = picker->columns;
    for (uint64_t edge = columns->first_edge[node];
         edge < columns->first_edge[node + 1]; edge++) {
        lg_hop hop = {node, columns->edge_target[edge], {edge}, 1, false};
        lg_category category = lg__picker_category(picker, hop.target);
        hop.weak = columns->edge_kind[edge] & LG_EDGE_WEAK;
        if (category != LG_CATEGORY_ATOM && category != LG_CATEGORY_FUNCTION &&
            !lg__hop_leads_out(picker, &hop))
            return false;
    }
    return true;
}

bool
lg__is_context(const lg__view_picker *picker, uint32_t node)
{
    return is_program(picker, node) ||
           (lg__picker_category(picker, node) == LG_CATEGORY_FUNCTION &&
            is_bare(picker, node));
}

bool
lg__hop_leads_out(const lg__view_picker *picker, const lg_hop *hop)
{
    unsigned kind = lg__hop_kind(picker, hop);
    if (hop->weak || kind == LG_EDGE_GLOBALS || kind == LG_EDGE_TYPE ||
        is_program(picker, hop->target))
        return true;
    return lg__picker_category(picker, hop->source) == LG_CATEGORY_FUNCTION &&
           is_bookkeeping(lg__hop_name(picker, hop));
}
