// The state of picking: which objects the view has, and how an object, a hop
// and an unseen reference become nodes and edges.
#include "pick/pick_private.h"
#include "view/view_private.h"

#include <leakgraph/internal/ascending.h>
#include <leakgraph/internal/hops.h>
#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>

#include <stdlib.h>
#include <string.h>

// Tells what belongs to the program rather than to the subject: classes,
// modules, code, and what functions read by name. Pictures name it and do not
// expand it.

lg_string
lg__hop_name(const lg__view_picker *picker, const lg_hop *hop)
{
    const lg_columns *columns = picker->columns;
    uint64_t edge = hop->edges[hop->edge_count - 1];
    unsigned kind = lg_columns_kind(columns, edge) & LG_EDGE_KIND_MASK;
    uint32_t payload = lg_columns_payload(columns, edge);
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
    lg_type type =
        lg_graph_type(picker->graph, lg_columns_type(picker->columns, node));
    return is_one_of(type.name, code, 1);
}

bool
lg__is_weak_reference(const lg__view_picker *picker, uint32_t node)
{
    static const char *const names[] = {
        "weakref.ReferenceType", "weakref.KeyedRef", "weakref.ProxyType",
        "weakref.CallableProxyType", "weakref.WeakMethod"};
    lg_type type =
        lg_graph_type(picker->graph, lg_columns_type(picker->columns, node));
    return is_one_of(type.name, names, sizeof names / sizeof *names);
}

static const lg__root_mark *
find_root(const lg__view_picker *picker, uint32_t node)
{
    return lg_items_find(picker->roots, picker->root_count,
                         LG_ITEM_KEY(lg__root_mark, node), node);
}

static bool
picker_is_root(const lg__view_picker *picker, uint32_t node)
{
    return find_root(picker, node) != NULL;
}

static bool
is_program(const lg__view_picker *picker, uint32_t node)
{
    lg_category category = lg__picker_category(picker, node);
    return category == LG_CATEGORY_TYPE || category == LG_CATEGORY_MODULE ||
           picker_is_root(picker, node) || is_code(picker, node);
}

// True if the function holds no data: no closure, no bound object. It reads
// edges instead of hops, because some heaps have lists of a million methods.
static bool
is_bare(const lg__view_picker *picker, uint32_t node)
{
    const lg_columns *columns = picker->columns;
    const lg_edge_range edges = lg_columns_edges(columns, node);
    for (uint64_t edge = edges.begin; edge < edges.end; edge++) {
        lg_hop hop = {node, lg_columns_target(columns, edge), {edge}, 1, false};
        lg_category category = lg__picker_category(picker, hop.target);
        hop.weak = lg_columns_kind(columns, edge) & LG_EDGE_WEAK;
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

static int
compare_marks(const void *left, const void *right)
{
    const lg__root_mark *a = left, *b = right;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return a->root < b->root ? -1 : a->root > b->root;
}

static lg_status
mark_roots(lg__view_picker *picker, lg_error *err)
{
    uint32_t count = lg_graph_root_count(picker->graph);
    picker->roots = malloc((count ? count : 1) * sizeof *picker->roots);
    if (!picker->roots)
        return lg__view_no_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        lg_root root = lg_graph_root(picker->graph, i);
        if (root.kind == LG_ROOT_NATIVE || root.kind == LG_ROOT_GIVEN)
            continue;
        picker->roots[picker->root_count++] = (lg__root_mark){root.node, i};
    }
    qsort(picker->roots, picker->root_count, sizeof *picker->roots,
          compare_marks);
    return LG_OK;
}

lg_status
lg__picker_open(lg__view_picker *picker, const lg_graph *graph,
                const lg_view_options *options, lg_error *err)
{
    memset(picker, 0, sizeof *picker);
    picker->graph = graph;
    picker->columns = lg_graph_columns(graph);
    picker->options = *options;
    picker->slot_count = 64;
    while (picker->slot_count < 2 * (size_t)options->max_nodes)
        picker->slot_count *= 2;
    size_t words = picker->columns->node_count / 64 + 1;
    picker->slots = calloc(picker->slot_count, sizeof *picker->slots);
    picker->seen = calloc(words, sizeof *picker->seen);
    picker->view = calloc(1, sizeof *picker->view);
    if (!picker->slots || !picker->seen || !picker->view)
        return lg__view_no_memory(err);
    lg_view *view = picker->view;
    lg_string pid = lg_graph_info_find(graph, "pid");
    if (pid.length)
        lg_text_add_bytes(&view->pid, pid.data, pid.length);
    view->direction = options->direction;
    view->heap_count = picker->columns->node_count;
    view->partial = lg_graph_is_partial(graph);
    lg_status status = lg__view_name_devices(view, graph, err);
    return status ? status : mark_roots(picker, err);
}

void
lg__picker_close(lg__view_picker *picker)
{
    free(picker->slots);
    free(picker->seen);
    free(picker->inside);
    free(picker->roots);
}

static size_t
slot_of(const lg__view_picker *picker, uint32_t node)
{
    size_t slot = (node * 2654435761u) & (picker->slot_count - 1);
    while (picker->slots[slot] &&
           picker->view->nodes[picker->slots[slot] - 1].node != node)
        slot = (slot + 1) & (picker->slot_count - 1);
    return slot;
}

size_t
lg__picker_find(const lg__view_picker *picker, uint32_t node)
{
    uint32_t index = picker->slots[slot_of(picker, node)];
    return index ? index - 1 : SIZE_MAX;
}

lg_category
lg__picker_category(const lg__view_picker *picker, uint32_t node)
{
    uint32_t type = lg_columns_type(picker->columns, node);
    return lg_graph_type(picker->graph, type).category;
}

void
lg__picker_name_type(const lg__view_picker *picker, uint32_t type, lg_text *out)
{
    lg_string name = lg_graph_type(picker->graph, type).name;
    uint32_t start = name.length;
    while (start && name.data[start - 1] != '.')
        start--;
    lg_text_add_bytes(out, name.data + start, name.length - start);
}

// Adds what the title leaves out: the full name of the type, or a string's
// text.
static void
describe(const lg__view_picker *picker, lg__view_node *drawn)
{
    lg_type type = lg_graph_type(picker->graph,
                                 lg_columns_type(picker->columns, drawn->node));
    lg_text_add_bytes(&drawn->type, type.name.data, type.name.length);
    lg_node_title(picker->graph, drawn->node, false, &drawn->title);
    bool named = memchr(type.name.data, '.', type.name.length) != NULL;
    if (named && drawn->title.data &&
        !strstr(drawn->title.data, drawn->type.data ? drawn->type.data : "."))
        lg_text_add_bytes(&drawn->detail, type.name.data, type.name.length);
}

// Whether unexplained references tell the reader anything. Tables that the
// snapshot does not list share names and small numbers, and the interpreter
// holds each root.
static uint64_t
unseen_references(const lg__view_picker *picker, uint32_t node)
{
    if (lg__picker_category(picker, node) == LG_CATEGORY_ATOM ||
        find_root(picker, node))
        return 0;
    int64_t unexplained = lg_node_unexplained(picker->graph, node);
    return unexplained > 0 ? (uint64_t)unexplained : 0;
}

lg_status
lg__picker_draw(lg__view_picker *picker, uint32_t node, uint32_t depth,
                size_t *out, lg_error *err)
{
    size_t slot = slot_of(picker, node);
    if (picker->slots[slot]) {
        *out = picker->slots[slot] - 1;
        return LG_OK;
    }
    size_t index;
    lg_status status =
        lg__view_add_node(picker->view, LG__VIEW_OBJECT, &index, err);
    if (status)
        return status;
    lg__view_node *drawn = &picker->view->nodes[index];
    drawn->node = node;
    drawn->address = lg_columns_address(picker->columns, node);
    drawn->category = lg__picker_category(picker, node);
    drawn->native = lg_columns_flags(picker->columns, node) & LG_NODE_NATIVE;
    drawn->depth = depth;
    drawn->count = 1;
    lg__own_set(drawn, picker->graph, lg_node_bytes(picker->graph, node));
    drawn->unseen = unseen_references(picker, node);
    drawn->context =
        picker->options.direction == LG_REFS && lg__is_context(picker, node);
    describe(picker, drawn);
    const lg__root_mark *mark = find_root(picker, node);
    if (mark) {
        lg_root root = lg_graph_root(picker->graph, mark->root);
        lg_text_add(&drawn->root, lg_root_kind_name(root.kind));
    }
    picker->slots[slot] = (uint32_t)index + 1;
    *out = index;
    return LG_OK;
}

unsigned
lg__hop_kind(const lg__view_picker *picker, const lg_hop *hop)
{
    const lg_edge_kinds *kinds = &picker->columns->kind;
    unsigned first = lg_edge_kinds_at(kinds, hop->edges[0]) & LG_EDGE_KIND_MASK;
    if (hop->edge_count > 1 && first == LG_EDGE_DICT)
        return LG_EDGE_ATTRIBUTE;
    return lg_edge_kinds_at(kinds, hop->edges[hop->edge_count - 1]) &
           LG_EDGE_KIND_MASK;
}

uint32_t
lg__hop_end(const lg__view_picker *picker, const lg_hop *hop)
{
    return picker->options.direction == LG_BACKREFS ? hop->source : hop->target;
}

// The key of a mapping's value, if it is an object that labels do not write.
static uint32_t
object_key(const lg__view_picker *picker, const lg_hop *hop)
{
    uint64_t edge = hop->edges[hop->edge_count - 1];
    unsigned kind = lg_columns_kind(picker->columns, edge) & LG_EDGE_KIND_MASK;
    uint32_t key = lg_columns_payload(picker->columns, edge);
    bool known = kind == LG_EDGE_VALUE && key < picker->columns->node_count;
    if (!known || lg_key_is_written(picker->graph, key) ||
        lg__picker_category(picker, key) == LG_CATEGORY_ATOM)
        return LG_NONE;
    return key;
}

// `[Parameter …e2b0]`: the end of the address distinguishes keys of one type.
static void
add_key_label(const lg__view_picker *picker, uint32_t key, lg_text *out)
{
    lg_text_add(out, "[");
    lg__picker_name_type(picker, lg_columns_type(picker->columns, key), out);
    lg_text_addf(out, " …%04llx]",
                 (unsigned long long)lg_columns_address(picker->columns, key) &
                     0xffff);
}

void
lg__picker_label(const lg__view_picker *picker, const lg_hop *hop, lg_text *out)
{
    uint32_t key = object_key(picker, hop);
    if (key != LG_NONE)
        add_key_label(picker, key, out);
    else if (lg__hop_kind(picker, hop) == LG_EDGE_KEY)
        lg_text_add(out, "key");
    else
        lg_hop_label(picker->graph, hop, out);
}

lg_status
lg__picker_link(lg__view_picker *picker, const lg_hop *hop, size_t source,
                size_t target, lg__view_edge **out, lg_error *err)
{
    lg__view_edge *edge;
    lg_status status =
        lg__view_add_edge(picker->view, source, target, &edge, err);
    if (status)
        return status;
    edge->kind = lg__hop_kind(picker, hop);
    edge->weak = hop->weak;
    lg__picker_label(picker, hop, &edge->label);
    edge->key = object_key(picker, hop);
    *out = edge;
    return LG_OK;
}

lg_status
lg__picker_draw_native(lg__view_picker *picker, size_t index, lg_error *err)
{
    lg__view_node *held = &picker->view->nodes[index];
    uint64_t unseen = held->unseen;
    uint32_t depth = held->depth;
    size_t native;
    lg_status status =
        lg__view_add_node(picker->view, LG__VIEW_NATIVE, &native, err);
    if (status)
        return status;
    lg__view_node *drawn = &picker->view->nodes[native];
    drawn->depth = depth + 1;
    drawn->count = unseen;
    lg_text_add(&drawn->title, "native code");
    lg_unexplained_format(unseen, &drawn->detail);
    lg__view_edge *edge;
    status = lg__view_add_edge(picker->view, native, index, &edge, err);
    if (status)
        return status;
    edge->kind = LG_EDGE_NATIVE;
    edge->count = unseen;
    return LG_OK;
}

size_t
lg__picker_room(const lg__view_picker *picker)
{
    size_t drawn = picker->view->node_count;
    size_t limit = picker->options.max_nodes;
    if (picker->target && picker->target < limit)
        limit = picker->target;
    return drawn < limit ? limit - drawn : 0;
}

lg_status
lg__hops_each(const lg_graph *graph, uint32_t node, lg_direction direction,
              lg__picked_visit visit, void *context, lg_error *err)
{
    lg_hops hops = {0};
    lg_status status = direction == LG_BACKREFS
                           ? lg_node_hops_in(graph, node, &hops, err)
                           : lg_node_hops_out(graph, node, &hops, err);
    if (status)
        return status;
    for (size_t i = 0; i < hops.count; i++) {
        if (!visit(context, &hops.items[i]))
            break;
    }
    lg_hops_free(&hops);
    return LG_OK;
}

// An object is drawn below its owner by their reference if there is one, and
// otherwise by a line of its own kind.

typedef struct view_search {
    uint32_t target;
    lg_hop hop;
    bool found;
} view_search;

static bool
seek(void *context, const lg_hop *hop)
{
    view_search *search = context;
    if (hop->target != search->target || hop->weak)
        return true;
    search->hop = *hop;
    search->found = true;
    return false;
}

lg_status
lg__picker_draw_owned(lg__view_picker *picker, size_t owner, uint32_t node,
                      size_t *out, lg_error *err)
{
    lg__view_edge *edge;
    view_search search = {.target = node};
    uint32_t depth = picker->view->nodes[owner].depth + 1;
    uint32_t source = picker->view->nodes[owner].node;
    lg_status status = lg__picker_draw(picker, node, depth, out, err);
    if (!status && source != LG_NONE)
        status =
            lg__hops_each(picker->graph, source, LG_REFS, seek, &search, err);
    if (status)
        return status;
    if (search.found)
        return lg__picker_link(picker, &search.hop, owner, *out, &edge, err);
    status = lg__view_add_edge(picker->view, owner, *out, &edge, err);
    if (!status)
        edge->tone = LG__TONE_OWNER;
    return status;
}
