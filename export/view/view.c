// The picked nodes and edges: storage, the two names that JSON shows, and a
// look for each category that readers should recognise at a glance.
#include "view/view_private.h"

#include <leakgraph/internal/answer_views.h>
#include <leakgraph/internal/writing.h>

#include <stdlib.h>
#include <string.h>

lg_status
lg__view_no_memory(lg_error *err)
{
    return lg_error_set(err, LG_ENOMEM, "memory ran out while drawing");
}

bool
lg__view_room(void *array, size_t count, size_t *capacity, size_t item)
{
    if (count < *capacity)
        return true;
    size_t wanted = *capacity ? 2 * *capacity : 8;
    void *items;
    memcpy(&items, array, sizeof items);
    items = realloc(items, wanted * item);
    if (!items)
        return false;
    memcpy(array, &items, sizeof items);
    *capacity = wanted;
    return true;
}

lg_status
lg__view_add_node(lg_view *view, lg__view_kind kind, size_t *out, lg_error *err)
{
    if (!lg__view_room(&view->nodes, view->node_count, &view->node_capacity,
                       sizeof *view->nodes))
        return lg__view_no_memory(err);
    lg__view_node *node = &view->nodes[view->node_count];
    memset(node, 0, sizeof *node);
    node->kind = kind;
    node->node = LG_NONE;
    *out = view->node_count++;
    return LG_OK;
}

lg_status
lg__view_name_devices(lg_view *view, const lg_graph *graph, lg_error *err)
{
    uint32_t count = lg_graph_device_count(graph);
    view->devices = calloc((size_t)count + 1, sizeof *view->devices);
    if (!view->devices)
        return lg__view_no_memory(err);
    view->device_count = count;
    for (uint32_t on = 0; on <= count; on++) {
        lg_string name = lg_graph_device_name(graph, on);
        lg_text_add_bytes(&view->devices[on], name.data, name.length);
    }
    return LG_OK;
}

uint64_t *
lg__view_make_retained(lg_view *view, lg__view_node *node)
{
    free(node->retained);
    node->retained =
        calloc((size_t)view->device_count + 1, sizeof *node->retained);
    view->failed |= !node->retained;
    return node->retained;
}

lg_status
lg__view_add_edge(lg_view *view, size_t source, size_t target,
                  lg__view_edge **out, lg_error *err)
{
    if (!lg__view_room(&view->edges, view->edge_count, &view->edge_capacity,
                       sizeof *view->edges))
        return lg__view_no_memory(err);
    lg__view_edge *edge = &view->edges[view->edge_count++];
    memset(edge, 0, sizeof *edge);
    edge->source = (uint32_t)source;
    edge->target = (uint32_t)target;
    edge->count = 1;
    edge->key = LG_NONE;
    *out = edge;
    return LG_OK;
}

lg_status
lg__view_settle(const lg_view *view, lg_error *err)
{
    bool failed = view->failed || view->pid.failed || view->headline.failed ||
                  view->note.failed;
    for (size_t i = 0; view->devices && i <= view->device_count; i++)
        failed |= view->devices[i].failed;
    for (size_t i = 0; i < view->node_count; i++) {
        const lg__view_node *node = &view->nodes[i];
        failed |= node->title.failed || node->detail.failed ||
                  node->type.failed || node->root.failed ||
                  node->retained_label.failed;
    }
    for (size_t i = 0; i < view->edge_count; i++)
        failed |= view->edges[i].label.failed;
    return failed ? lg__view_no_memory(err) : LG_OK;
}

void
lg_view_free(lg_view *view)
{
    if (!view)
        return;
    for (size_t i = 0; i < view->node_count; i++) {
        lg_text_free(&view->nodes[i].title);
        lg_text_free(&view->nodes[i].detail);
        lg_text_free(&view->nodes[i].type);
        lg_text_free(&view->nodes[i].root);
        lg_text_free(&view->nodes[i].own);
        lg_text_free(&view->nodes[i].retained_label);
        free(view->nodes[i].retained);
    }
    for (size_t i = 0; view->devices && i <= view->device_count; i++)
        lg_text_free(&view->devices[i]);
    free(view->devices);
    for (size_t i = 0; i < view->edge_count; i++)
        lg_text_free(&view->edges[i].label);
    lg_text_free(&view->pid);
    lg_text_free(&view->headline);
    lg_text_free(&view->note);
    free(view->nodes);
    free(view->edges);
    free(view);
}

size_t
lg_view_node_count(const lg_view *view)
{
    return view->node_count;
}

const char *
lg__view_kind_name(lg__view_kind kind)
{
    static const char *const names[LG__VIEW_KIND_COUNT] = {
        [LG__VIEW_OBJECT] = "object", [LG__VIEW_GROUP] = "group",
        [LG__VIEW_VALUES] = "values", [LG__VIEW_REST] = "rest",
        [LG__VIEW_NATIVE] = "native", [LG__VIEW_SKIP] = "skip",
    };
    return names[kind];
}

// In the order of the legend.
enum {
    LOOK_ROOT,
    LOOK_OBJECT,
    LOOK_CONTAINER,
    LOOK_TENSOR,
    LOOK_ARRAY,
    LOOK_FIGURE,
    LOOK_FUNCTION,
    LOOK_TYPE,
    LOOK_FRAME,
    LOOK_EXCEPTION,
    LOOK_NATIVE,
    LOOK_MEMORY,
    LOOK_ATOM,
    LOOK_REST,
    LOOK_COUNT,
};

static const lg__view_look looks[LOOK_COUNT] = {
    [LOOK_ROOT] = {"root", LG__INK, LG__INK, "white", NULL, false},
    [LOOK_OBJECT] = {"object", LG__QUIET, "white", LG__INK, NULL, false},
    [LOOK_CONTAINER] = {"container", LG__FAINT, "#F6F8FA", LG__INK, "[ ]",
                        false},
    [LOOK_TENSOR] = {"tensor", "#0969DA", "#DDF4FF", LG__INK, "T", true},
    [LOOK_ARRAY] = {"array", "#0969DA", "#F3FAFF", LG__INK, "A", true},
    [LOOK_FIGURE] = {"figure", "#1A7F37", "#DAFBE1", LG__INK, "F", true},
    [LOOK_FUNCTION] = {"function", "#8250DF", "#FBEFFF", LG__INK, "ƒ", false},
    [LOOK_TYPE] = {"class", "#9A6700", "#FFF8C5", LG__INK, "C", false},
    [LOOK_FRAME] = {"frame", "#BF3989", "#FFEFF7", LG__INK, "›_", false},
    [LOOK_EXCEPTION] = {"exception", LG__ALARM, LG__ALARM_FILL, LG__INK, "!",
                        false},
    [LOOK_NATIVE] = {"native code", LG__ALARM, "white", LG__ALARM, NULL, false},
    [LOOK_MEMORY] = {"memory of C code", "#1B7C83", "#E1F7F5", LG__INK, NULL,
                     false},
    [LOOK_ATOM] = {"value", NULL, NULL, LG__QUIET, NULL, false},
    [LOOK_REST] = {"several", LG__FAINT, "white", LG__QUIET, NULL, false},
};

const lg__view_look *
lg__look_of(const lg__view_node *node)
{
    static const unsigned char by_category[] = {
        [LG_CATEGORY_OTHER] = LOOK_OBJECT,
        [LG_CATEGORY_CONTAINER] = LOOK_CONTAINER,
        [LG_CATEGORY_MODULE] = LOOK_ROOT,
        [LG_CATEGORY_TYPE] = LOOK_TYPE,
        [LG_CATEGORY_FUNCTION] = LOOK_FUNCTION,
        [LG_CATEGORY_FRAME] = LOOK_FRAME,
        [LG_CATEGORY_TENSOR] = LOOK_TENSOR,
        [LG_CATEGORY_ARRAY] = LOOK_ARRAY,
        [LG_CATEGORY_FIGURE] = LOOK_FIGURE,
        [LG_CATEGORY_ROOT] = LOOK_ROOT,
        [LG_CATEGORY_EXCEPTION] = LOOK_EXCEPTION,
        [LG_CATEGORY_ATOM] = LOOK_ATOM,
    };
    if (node->kind == LG__VIEW_NATIVE)
        return &looks[LOOK_NATIVE];
    if (node->kind == LG__VIEW_REST || node->kind == LG__VIEW_SKIP)
        return &looks[LOOK_REST];
    if (node->native)
        return &looks[LOOK_MEMORY];
    return &looks[by_category[node->category]];
}

const lg__view_look *
lg__look_at(size_t index)
{
    return index < LOOK_REST ? &looks[index] : NULL;
}

const char *
lg__badge_of(const lg__view_node *node, const lg__view_look *look)
{
    static const char *const badges[][2] = {
        {"dict", "{ }"},       {"tuple", "( )"},        {"set", "{ }"},
        {"frozenset", "{ }"},  {"mappingproxy", "{ }"}, {"cell", "·"},
        {"frozendict", "{ }"},
    };
    if (!node->type.data)
        return look->badge;
    for (size_t i = 0; i < sizeof badges / sizeof *badges; i++) {
        if (!strcmp(node->type.data, badges[i][0]))
            return badges[i][1];
    }
    return look->badge;
}
