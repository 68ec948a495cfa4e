// Resolves selectors: the text that names objects.
#include "paths/selection.h"

#include <leakgraph/internal/growth.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static lg_status
malformed(const char *selector, lg_error *err)
{
    return lg_error_set(
        err, LG_EINVAL,
        "cannot read the selector '%.100s': write node:17 or #17, an address "
        "such as 0x7f1200, type:torch.Tensor (with * for any text, a trailing "
        "+ for subclasses too), name:train.losses[0]['x'].y (also without "
        "name:), module:train, or garbage",
        selector);
}

static lg_status
select_one(uint32_t node, lg_nodes *out, lg_error *err)
{
    uint32_t *items = lg__wide_alloc(sizeof *items);
    if (items == NULL)
        return lg__error_memory(err);
    *items = node;
    *out = (lg_nodes){items, 1};
    return LG_OK;
}

static bool
read_number(const char *digits, int base, uint64_t *out)
{
    char *end;
    if (strspn(digits, base == 16 ? "0123456789abcdefABCDEF" : "0123456789") !=
            strlen(digits) ||
        *digits == '\0')
        return false;
    errno = 0;
    *out = strtoull(digits, &end, base);
    return errno == 0;
}

static lg_status
select_node(const lg_graph *graph, const char *digits, const char *selector,
            lg_nodes *out, lg_error *err)
{
    uint64_t node;
    if (!read_number(digits, 10, &node))
        return malformed(selector, err);
    if (node >= graph->columns.node_count)
        return lg_error_set(err, LG_ENOTFOUND,
                            "there is no %s: nodes go from 0 to %lld", selector,
                            (long long)graph->columns.node_count - 1);
    return select_one((uint32_t)node, out, err);
}

static lg_status
select_address(const lg_graph *graph, const char *selector, lg_nodes *out,
               lg_error *err)
{
    uint64_t address;
    if (!read_number(selector + 2, 16, &address))
        return malformed(selector, err);
    uint32_t node = lg_graph_find(graph, address);
    if (node == LG_NONE)
        return lg_error_set(err, LG_ENOTFOUND, "no object is at %s", selector);
    return select_one(node, out, err);
}

// Finds the one node that a text names.
typedef lg_status finder(const lg_graph *graph, const char *text,
                         uint32_t *node, lg_error *err);

static lg_status
select_found(const lg_graph *graph, const char *text, finder *find,
             lg_nodes *out, lg_error *err)
{
    uint32_t node;
    lg_status status = find(graph, text, &node, err);
    return status == LG_OK ? select_one(node, out, err) : status;
}

static lg_status
select_module(const lg_graph *graph, const char *name, lg_nodes *out,
              lg_error *err)
{
    uint32_t root = lg__module_find(graph, name, strlen(name));
    if (root != LG_NONE)
        return select_one(graph->root_node[root], out, err);
    lg__guess guess = lg__guess_new(name, strlen(name));
    for (uint32_t i = 0; i < graph->root_count; i++)
        if (graph->root_kind[i] == LG_ROOT_MODULE)
            lg__guess_offer(&guess,
                            lg_graph_string(graph, graph->root_name[i]));
    if (guess.best.length == 0)
        return lg_error_set(err, LG_ENOTFOUND, "there is no module:%.200s",
                            name);
    return lg_error_set(err, LG_ENOTFOUND,
                        "there is no module:%.200s; did you mean module:%.*s?",
                        name, (int)guess.best.length, guess.best.data);
}

// Marks the types whose name matches, and with a trailing `+` also their
// subclasses. Returns false if there is none.
static bool
mark_types(const lg_graph *graph, const char *pattern, bool *marked)
{
    size_t length = strlen(pattern);
    bool subclasses = length > 1 && pattern[length - 1] == '+';
    bool any = false;
    for (uint32_t type = 0; type < graph->type_count; type++) {
        lg_type about = lg_graph_type(graph, type);
        uint32_t looked_at = subclasses ? about.mro_count : 1;
        for (uint32_t i = 0; i < looked_at && !marked[type]; i++)
            marked[type] = lg__glob_matches(
                pattern, length - subclasses,
                lg_graph_string(graph, graph->type_name[about.mro[i]]));
        any |= marked[type];
    }
    return any;
}

static lg_status
no_type(const lg_graph *graph, const char *pattern, bool known, lg_error *err)
{
    if (known)
        return lg_error_set(err, LG_ENOTFOUND,
                            "there is no instance of type:%.200s", pattern);
    size_t length = strlen(pattern);
    if (length > 1 && pattern[length - 1] == '+')
        length--;
    lg__guess guess = lg__guess_new(pattern, length);
    for (uint32_t type = 0; type < graph->type_count; type++)
        lg__guess_offer(&guess, lg_graph_string(graph, graph->type_name[type]));
    if (guess.best.length == 0)
        return lg_error_set(err, LG_ENOTFOUND, "there is no type:%.200s",
                            pattern);
    return lg_error_set(err, LG_ENOTFOUND,
                        "there is no type:%.200s; did you mean type:%.*s?",
                        pattern, (int)guess.best.length, guess.best.data);
}

static lg_status
collect_marked(const lg_graph *graph, const bool *marked, lg_nodes *out,
               lg_error *err)
{
    const lg_columns *columns = &graph->columns;
    size_t count = 0;
    for (uint32_t node = 0; node < columns->node_count; node++)
        count += marked[columns->type[node]];
    if (count == 0)
        return LG_ENOTFOUND;
    uint32_t *items = lg__wide_alloc(count * sizeof *items);
    if (items == NULL)
        return lg__error_memory(err);
    *out = (lg_nodes){items, count};
    for (uint32_t node = 0; node < columns->node_count; node++)
        if (marked[columns->type[node]])
            *items++ = node;
    return LG_OK;
}

static lg_status
select_type(const lg_graph *graph, const char *pattern, lg_nodes *out,
            lg_error *err)
{
    bool *marked = lg__wide_calloc(graph->type_count, sizeof *marked);
    if (marked == NULL)
        return lg__error_memory(err);
    bool known = mark_types(graph, pattern, marked);
    lg_status status =
        known ? collect_marked(graph, marked, out, err) : LG_ENOTFOUND;
    if (status == LG_ENOTFOUND)
        status = no_type(graph, pattern, known, err);
    lg__wide_free(marked);
    return status;
}

static const char *
after(const char *selector, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(selector, prefix, length) == 0 && selector[length] != '\0'
               ? selector + length
               : NULL;
}

static lg_status
select_whole(const lg_graph *graph, const char *selector,
             const lg_monitor *monitor, lg_nodes *out, lg_error *err)
{
    const char *rest;
    if ((rest = after(selector, "node:")) || (rest = after(selector, "#")))
        return select_node(graph, rest, selector, out, err);
    if (after(selector, "0x") || after(selector, "0X"))
        return select_address(graph, selector, out, err);
    if ((rest = after(selector, "type:")))
        return select_type(graph, rest, out, err);
    if ((rest = after(selector, "name:")))
        return select_found(graph, rest, lg__name_resolve, out, err);
    if ((rest = after(selector, "module:")))
        return select_module(graph, rest, out, err);
    if (strcmp(selector, "garbage") == 0)
        return lg__garbage_select(graph, monitor, out, err);
    if (strcmp(selector, "native code") == 0)
        return lg__native_select(graph, monitor, out, err);
    if (lg__unrooted_is(selector))
        return lg__unrooted_select(graph, selector, monitor, out, err);
    if (after(selector, "native code: ") || after(selector, "garbage: "))
        return lg__unnamed_select(graph, selector, monitor, out, err);
    // This is how reports write paths.
    if ((rest = after(selector, "thread ")))
        return select_found(graph, rest, lg__thread_resolve, out, err);
    if (lg__name_is_likely(selector))
        return select_found(graph, selector, lg__name_resolve, out, err);
    return malformed(selector, err);
}

// Reads a text that a report writes for an object, or for several.
static lg_status
select_pasted(const lg_graph *graph, const char *text,
              const lg_monitor *monitor, lg_nodes *out, lg_error *err)
{
    lg_status status = select_found(graph, text, lg__numbered_find, out, NULL);
    if (status != LG_OK && strstr(text, " … ") != NULL)
        status =
            lg__elided_select(graph, text, lg_graph_select, monitor, out, err);
    if (status == LG_ENOTFOUND || status == LG_EINVAL)
        status = lg__folded_select(graph, text, monitor, out, err);
    return status;
}

// Native memory that grows has a row in reports, too.
static bool
is_native_memory(const char *text)
{
    for (int kind = 0; kind < LG_NATIVE_COUNT; kind++)
        if (strcmp(text, lg_native_kind_text((lg_native_kind)kind)) == 0)
            return true;
    return false;
}

// A key may look as if a report had left something out, or as a title does.
lg_status
lg_graph_select(const lg_graph *graph, const char *selector,
                const lg_monitor *monitor, lg_nodes *out, lg_error *err)
{
    lg_nodes nodes;
    lg_error ignored;
    const char *name = after(selector, "name:");
    const char *text = name != NULL ? name : selector;
    lg_status status = select_whole(graph, selector, monitor, out, err);
    if (status != LG_ENOTFOUND && status != LG_EINVAL)
        return status;
    if (is_native_memory(text))
        return lg_error_set(err, LG_ENOTFOUND,
                            "'%s' is no object: `memory` accounts for it",
                            text);
    lg_status pasted =
        name != NULL ? select_whole(graph, name, monitor, &nodes, &ignored)
                     : LG_ENOTFOUND;
    if (pasted == LG_ENOTFOUND || pasted == LG_EINVAL)
        pasted = select_pasted(graph, text, monitor, &nodes, &ignored);
    if (pasted == LG_ECANCELLED)
        return lg_error_set(err, pasted, "%s", ignored.message);
    if (pasted != LG_OK)
        return status;
    *out = nodes;
    return LG_OK;
}
