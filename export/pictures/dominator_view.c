// The dominator tree: who owns the bytes, the biggest first.

#include "pick/picker.h"
#include "view/retained_label.h"

#include <stdlib.h>

#define USUAL_NODES 60u
#define MOST_DRAWN 2000u
/* Children looked at of one node, and how deep. */
#define MOST_CHILDREN 24u
#define DEEPEST 10u
/* Parts of one type that are drawn of one owner. */
#define MOST_ALIKE 4u

typedef struct dominator_view_part {
    uint32_t node;
    size_t owner; /* in the view */
    uint64_t bytes;
} dominator_view_part;

typedef struct dominator_view {
    const lg_analysis *analysis;
    view_picker picker;
    uint64_t whole;
    uint64_t least;            /* bytes worth a box */
    size_t most;               /* boxes of objects */
    dominator_view_part *heap; /* parts to draw, the biggest on top */
    size_t count;
    size_t capacity;
    uint64_t *parts; /* [boxes] how many hang from each, namespaces opened */
} dominator_view;

static uint64_t
bytes_of(const dominator_view *picture, uint32_t node)
{
    if (node == LG_NONE)
        return lg__bytes_total(lg_analysis_reachable_bytes(picture->analysis));
    return lg__bytes_total(lg_node_retained(picture->analysis, node));
}

// Equal ones keep the order of the snapshot.
static bool
is_before(const dominator_view_part *left, const dominator_view_part *right)
{
    if (left->bytes != right->bytes)
        return left->bytes > right->bytes;
    return left->node < right->node;
}

static lg_status
push(dominator_view *picture, dominator_view_part part, lg_error *err)
{
    if (picture->count == picture->capacity) {
        size_t wanted = picture->capacity ? 2 * picture->capacity : 64;
        void *grown = realloc(picture->heap, wanted * sizeof *picture->heap);
        if (!grown)
            return lg__view_no_memory(err);
        picture->heap = grown;
        picture->capacity = wanted;
    }
    size_t at = picture->count++;
    while (at && is_before(&part, &picture->heap[(at - 1) / 2])) {
        picture->heap[at] = picture->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    picture->heap[at] = part;
    return LG_OK;
}

static dominator_view_part
pop(dominator_view *picture)
{
    dominator_view_part top = picture->heap[0];
    dominator_view_part last = picture->heap[--picture->count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= picture->count)
            break;
        if (child + 1 < picture->count &&
            is_before(&picture->heap[child + 1], &picture->heap[child]))
            child++;
        if (!is_before(&picture->heap[child], &last))
            break;
        picture->heap[at] = picture->heap[child];
        at = child;
    }
    if (picture->count)
        picture->heap[at] = last;
    return top;
}

// A linked list dominates its rest in each element: three say enough.
static bool
is_in_chain(const dominator_view *picture, uint32_t node)
{
    const lg_columns *columns = picture->picker.columns;
    for (int links = 0; links < 3; links++) {
        uint32_t above = lg_node_dominator(picture->analysis, node);
        if (above == LG_NONE || columns->type[above] != columns->type[node])
            return false;
        node = above;
    }
    return true;
}

// The parts of a drawn node; those of a namespace are its owner's.
static lg_status
push_parts(dominator_view *picture, size_t owner, uint32_t node, lg_error *err)
{
    uint32_t nodes[MOST_CHILDREN];
    lg_status status = LG_OK;
    uint32_t count =
        lg_node_dominated(picture->analysis, node, nodes, MOST_CHILDREN);
    picture->parts[owner] += count;
    if (picture->picker.view->nodes[owner].depth >= DEEPEST ||
        (node != LG_NONE && is_in_chain(picture, node)))
        return LG_OK;
    for (uint32_t i = 0; !status && i < count && i < MOST_CHILDREN; i++) {
        uint64_t bytes = bytes_of(picture, nodes[i]);
        if (bytes >= picture->least)
            status = push(picture,
                          (dominator_view_part){nodes[i], owner, bytes}, err);
    }
    return status;
}

// A namespace, which is drawn with its owner.
static bool
is_namespace(const dominator_view *picture, dominator_view_part part)
{
    uint32_t owner = lg_node_folded_into(picture->picker.graph, part.node);
    return owner != LG_NONE &&
           owner == picture->picker.view->nodes[part.owner].node;
}

static bool
has_many_alike(const dominator_view *picture, dominator_view_part part)
{
    size_t alike = 0;
    const lg_view *view = picture->picker.view;
    const uint32_t *types = picture->picker.columns->type;
    for (size_t i = 0; i < view->edge_count; i++) {
        const view_edge *edge = &view->edges[i];
        alike += edge->source == part.owner &&
                 types[view->nodes[edge->target].node] == types[part.node];
    }
    return alike >= MOST_ALIKE;
}

static lg_status
draw_part(dominator_view *picture, dominator_view_part part, lg_error *err)
{
    size_t at;
    if (is_namespace(picture, part)) {
        picture->parts[part.owner]--;
        return push_parts(picture, part.owner, part.node, err);
    }
    if (has_many_alike(picture, part))
        return LG_OK;
    lg_status status = lg__picker_draw_owned(&picture->picker, part.owner,
                                             part.node, &at, err);
    return status ? status : push_parts(picture, at, part.node, err);
}

static lg_status
draw_parts(dominator_view *picture, const lg_monitor *monitor, lg_error *err)
{
    lg_status status = LG_OK;
    while (!status && picture->count &&
           picture->picker.view->node_count < picture->most) {
        if (monitor && !monitor->tick(monitor->context, "drawing",
                                      (double)picture->picker.view->node_count /
                                          (double)picture->most))
            return lg_error_set(err, LG_ECANCELLED, "drawing was stopped");
        status = draw_part(picture, pop(picture), err);
    }
    return status;
}

typedef struct dominator_view_rest {
    uint64_t bytes; /* drawn below the node */
    uint64_t count;
} dominator_view_rest;

// The size of a node's own lies on it and not below.
static uint64_t
bytes_below(const dominator_view *picture, const view_node *node)
{
    uint64_t whole = bytes_of(picture, node->node);
    uint64_t own =
        node->node == LG_NONE
            ? 0
            : lg_node_bytes_on(picture->picker.graph, node->node, LG_NONE);
    return whole > own ? whole - own : 0;
}

static lg_status
draw_rest(dominator_view *picture, size_t owner, uint64_t bytes, uint64_t count,
          bool drawn, lg_error *err)
{
    size_t at;
    view_edge *edge;
    lg_view *view = picture->picker.view;
    lg_status status = lg__view_add_node(view, VIEW_REST, &at, err);
    if (status)
        return status;
    view_node *rest = &view->nodes[at];
    rest->depth = view->nodes[owner].depth + 1;
    rest->count = count;
    rest->size = bytes;
    if (count > 1 || drawn)
        lg_text_add_count(&rest->title, count);
    lg_text_add(&rest->title, drawn       ? " more"
                              : count > 1 ? " objects"
                                          : "more below");
    lg_text_add_size(&rest->retained_label, bytes);
    status = lg__view_add_edge(view, owner, at, &edge, err);
    if (!status)
        edge->tone = TONE_OWNER;
    return status;
}

// What is too small for a box, below the node at `index`. Where nothing is
// drawn, it is worth one only if it is most of the node.
static lg_status
draw_rest_below(dominator_view *picture, size_t index,
                const dominator_view_rest *drawn, lg_error *err)
{
    const view_node *node = &picture->picker.view->nodes[index];
    uint64_t below = bytes_below(picture, node);
    uint64_t bytes = below > drawn->bytes ? below - drawn->bytes : 0;
    uint64_t least = drawn->count ? picture->least / 4 : picture->least;
    if (!bytes || bytes < least || picture->parts[index] <= drawn->count)
        return LG_OK;
    if (!drawn->count && bytes < bytes_of(picture, node->node) / 2)
        return LG_OK;
    return draw_rest(picture, index, bytes,
                     picture->parts[index] - drawn->count, drawn->count > 0,
                     err);
}

static lg_status
draw_rests(dominator_view *picture, lg_error *err)
{
    lg_view *view = picture->picker.view;
    size_t count = view->node_count, edges = view->edge_count;
    dominator_view_rest *drawn = calloc(count, sizeof *drawn);
    if (!drawn)
        return lg__view_no_memory(err);
    for (size_t i = 0; i < edges; i++) {
        dominator_view_rest *owner = &drawn[view->edges[i].source];
        owner->bytes +=
            bytes_of(picture, view->nodes[view->edges[i].target].node);
        owner->count++;
    }
    lg_status status = LG_OK;
    for (size_t i = 0;
         !status && i < count && lg__picker_room(&picture->picker); i++)
        status = draw_rest_below(picture, i, &drawn[i], err);
    free(drawn);
    return status;
}

static void
note_shares(dominator_view *picture)
{
    lg_view *view = picture->picker.view;
    for (size_t i = 0; i < view->node_count; i++) {
        view_node *node = &view->nodes[i];
        uint64_t bytes = node->kind == VIEW_REST
                             ? node->size
                             : bytes_of(picture, node->node);
        if (picture->whole)
            node->share = (double)bytes / (double)picture->whole;
    }
}

static lg_status
draw_heap(dominator_view *picture, lg_error *err)
{
    size_t at;
    lg_view *view = picture->picker.view;
    lg_status status = lg__view_add_node(view, VIEW_OBJECT, &at, err);
    if (status)
        return status;
    view_node *heap = &view->nodes[at];
    heap->category = LG_CATEGORY_ROOT;
    heap->count = view->heap_count;
    heap->retained = lg_analysis_reachable_bytes(picture->analysis);
    lg_text_add(&heap->title, "everything alive");
    lg__bytes_add(&heap->retained_label, picture->picker.graph, heap->retained);
    heap->subject = true;
    return LG_OK;
}

static void
add_headline(dominator_view *picture)
{
    lg_view *view = picture->picker.view;
    const view_node *whole = &view->nodes[0];
    bool heap = whole->node == LG_NONE;
    lg_text_add(&view->headline, heap ? "Who owns the " : "What owns the ");
    lg_text_add_bytes(&view->headline,
                      whole->retained_label.data ? whole->retained_label.data
                                                 : "",
                      whole->retained_label.length);
    lg_text_add(&view->headline, heap ? " alive" : " below it");
    lg_text_add(&view->note, "each box is freed with the one left of it: no "
                             "other path leads there");
}

static lg_status
draw_dominators(dominator_view *picture, uint32_t node,
                const lg_monitor *monitor, lg_error *err)
{
    size_t at = 0;
    lg_view *view = picture->picker.view;
    lg_status status =
        node == LG_NONE ? draw_heap(picture, err)
                        : lg__picker_draw(&picture->picker, node, 0, &at, err);
    if (status)
        return status;
    view->nodes[0].subject = true;
    status = push_parts(picture, 0, node, err);
    if (!status)
        status = draw_parts(picture, monitor, err);
    if (!status)
        status = draw_rests(picture, err);
    if (status)
        return status;
    lg__view_weigh(view, picture->analysis);
    note_shares(picture);
    add_headline(picture);
    return lg__view_settle(view, err);
}

static lg_status
check(const lg_analysis *analysis, uint32_t node, double min_share,
      uint32_t max_nodes, lg_error *err)
{
    if (!(min_share >= 0 && min_share <= 1))
        return lg_error_set(err, LG_EINVAL,
                            "min_share is %g: give a share from 0 to 1",
                            min_share);
    if (max_nodes > MOST_DRAWN)
        return lg_error_set(err, LG_EINVAL,
                            "max_nodes is %u: give a number from 3 to %u",
                            max_nodes, MOST_DRAWN);
    return lg__view_check(lg_analysis_graph(analysis),
                          node == LG_NONE ? 0 : node, max_nodes, err);
}

lg_status
lg_view_dominators(const lg_analysis *analysis, uint32_t node, double min_share,
                   uint32_t max_nodes, const lg_monitor *monitor, lg_view **out,
                   lg_error *err)
{
    dominator_view picture = {.analysis = analysis};
    lg_view_options options = {
        .direction = LG_REFS, .max_nodes = max_nodes ? max_nodes : USUAL_NODES};
    lg_status status = check(analysis, node, min_share, options.max_nodes, err);
    if (status)
        return status;
    status = lg__picker_open(&picture.picker, lg_analysis_graph(analysis),
                             &options, err);
    picture.parts = calloc(options.max_nodes, sizeof *picture.parts);
    if (!status && !picture.parts)
        status = lg__view_no_memory(err);
    if (!status) {
        picture.picker.view->form = VIEW_DOMINATORS;
        picture.whole = bytes_of(&picture, node);
        picture.least = (uint64_t)((double)picture.whole * min_share);
        picture.most = options.max_nodes - options.max_nodes / 4;
        status = draw_dominators(&picture, node, monitor, err);
    }
    lg__picker_close(&picture.picker);
    free(picture.heap);
    free(picture.parts);
    if (status)
        lg_view_free(picture.picker.view);
    else
        *out = picture.picker.view;
    return status;
}
