// Formats nodes, hops, paths and sizes for reports.
#include "report/words.h"

#include "graph/graph_private.h"
#include "paths/paths_private.h"
#include "analysis/analysis_private.h"

#include <string.h>

// Longer paths show only their ends.
enum { PATH_HEAD = 6, PATH_TAIL = 4 };

void
lg__format_step(const lg_graph *graph, uint32_t node, lg_text *out)
{
    lg_string type = lg_graph_type(graph, graph->columns.type[node]).name;
    size_t start = out->length;
    lg_node_title(graph, node, false, out);
    if (!out->failed && memchr(type.data, '.', type.length) != NULL &&
        out->length - start < type.length) {
        lg_text_add(out, " · ");
        lg__text_add_string(out, type);
    }
    lg_text_addf(out, " #%u", node);
}

void
lg__format_label(const lg_graph *graph, const lg_hop *hop, lg_text *out)
{
    size_t start = out->length;
    lg_text_add(out, " ");
    lg_hop_label(graph, hop, out);
    if (out->failed ||
        (out->data[start + 1] != '.' && out->data[start + 1] != '['))
        return;
    memmove(out->data + start, out->data + start + 1, out->length - start);
    out->length--;
}

// Writes where a path begins.
static void
format_start(const lg_graph *graph, const lg_path *path, lg_text *out)
{
    const lg_root *root = &path->root;
    if (path->start != LG_STARTS_AT_ROOT) {
        lg__format_node(graph, root->node, out);
        return;
    }
    switch (root->kind) {
    case LG_ROOT_MODULE:
        lg__text_add_string(out, root->name);
        return;
    case LG_ROOT_THREAD:
        lg_text_add(out, "thread ");
        lg__text_add_string(out, root->name.length > 0
                                     ? root->name
                                     : lg_node_text(graph, root->node));
        return;
    case LG_ROOT_NATIVE:
        lg_text_add(out, "native code: ");
        lg__format_node(graph, root->node, out);
        return;
    default:
        lg__format_node(graph, root->node, out);
    }
}

// Returns whether a hop leads to an element of a container, or to a value of
// one that is not folded away.
static bool
is_position(const lg_graph *graph, const lg_hop *hop)
{
    unsigned kind = lg__edge_kind(graph, hop->edges[hop->edge_count - 1]);
    return kind == LG_EDGE_INDEX || kind == LG_EDGE_ELEMENT ||
           (kind == LG_EDGE_VALUE && hop->edge_count == 1);
}

// Writes a hop. A frame has its name instead of a number.
static void
format_hop(const lg_graph *graph, const lg_hop *hop, bool folded, lg_text *out)
{
    if (folded && is_position(graph, hop)) {
        lg_text_add(out, "[*]");
    } else if (folded && lg__edge_kind(graph, hop->edges[0]) == LG_EDGE_KEY) {
        lg_text_add(out, " key");
    } else if (lg__edge_kind(graph, hop->edges[0]) == LG_EDGE_FRAME) {
        lg_text_add(out, " in ");
        lg__format_node(graph, hop->target, out);
    } else {
        lg__format_label(graph, hop, out);
    }
}

// Counts the steps through an autograd graph that begin with a hop.
static size_t
count_backward_steps(const lg_graph *graph, const lg_path *path, size_t from)
{
    size_t count = 0;
    while (from + count < path->count &&
           lg__hop_is_backward(graph, &path->hops[from + count]))
        count++;
    return count;
}

// Writes two hops through a dict of a torch.nn.Module as one. In a folded path,
// writes what a thread has in a threading.local as an attribute.
static bool
format_part(const lg_graph *graph, const lg_path *path, size_t at, bool folded,
            lg_text *scratch, lg_text *out)
{
    const lg_hop *hop = &path->hops[at];
    if (at + 1 >= path->count)
        return false;
    if (lg__hop_opens_parts(graph, hop, scratch))
        return lg__format_part(graph, hop + 1, scratch, out);
    size_t length = out->length;
    if (!folded || !lg__edge_opens_local(graph, hop->edges[0]))
        return false;
    lg__format_label(graph, hop, out);
    bool written = lg__format_part(graph, hop + 1, scratch, out);
    if (!written)
        out->length = length;
    return written;
}

// Writes a path. Of several steps through an autograd graph, names only the
// last node.
static void
format_path(const lg_graph *graph, const lg_path *path, bool folded,
            lg_text *out)
{
    lg_text scratch = {0};
    format_start(graph, path, out);
    size_t shown = 0;
    for (size_t i = 0; i < path->count; shown++) {
        if (format_part(graph, path, i, folded, &scratch, out)) {
            i += 2;
            continue;
        }
        size_t steps = count_backward_steps(graph, path, i);
        if (steps > 1) {
            i += steps;
            lg_text_add(out, " … ");
            lg__format_node(graph, path->hops[i - 1].target, out);
            continue;
        }
        if (shown == PATH_HEAD && path->count > i + PATH_TAIL + 1) {
            lg_text_add(out, " … ");
            i = path->count - PATH_TAIL;
        }
        format_hop(graph, &path->hops[i++], folded, out);
    }
    out->failed |= scratch.failed;
    lg_text_free(&scratch);
}

void
lg_path_label(const lg_graph *graph, const lg_path *path, lg_text *out)
{
    format_path(graph, path, false, out);
}

void
lg__format_folded_path(const lg_graph *graph, const lg_path *path, lg_text *out)
{
    format_path(graph, path, true, out);
}

void
lg__format_vector(const lg_graph *graph, lg__vector_on *on, const void *context,
                  lg_text *out)
{
    bool any = false;
    for (uint32_t i = 1; i <= lg_graph_device_count(graph); i++)
        lg__text_add_part(out, on(context, i), lg_graph_device_name(graph, i),
                          &any);
    lg__text_add_host(out, on(context, 0), lg_graph_device_name(graph, 0), any);
}

typedef struct own {
    const lg_graph *graph;
    uint32_t node;
} own;

static uint64_t
own_on(const void *context, uint32_t device)
{
    const own *of = context;
    return lg_node_bytes_on(of->graph, of->node, device);
}

void
lg_node_bytes_format(const lg_graph *graph, lg_node node, lg_text *out)
{
    const own of = {graph, node};
    lg__format_vector(graph, own_on, &of, out);
}

uint64_t
lg__retainer_on(const void *context, uint32_t device)
{
    const lg__retainer *of = context;
    return of->on(of->analysis, of->which, device);
}

void
lg__format_retained(const lg_analysis *analysis, lg__retained_on *on,
                    uint32_t which, lg_text *out)
{
    const lg__retainer of = {analysis, on, which};
    lg__format_vector(lg_analysis_graph(analysis), lg__retainer_on, &of, out);
}

static uint64_t
item_on(const void *context, uint32_t device)
{
    const uint64_t *bytes = context;
    return bytes[device];
}

void
lg__format_each(const lg_graph *graph, const uint64_t *bytes, lg_text *out)
{
    lg__format_vector(graph, item_on, bytes, out);
}

void
lg__format_bytes(const lg_graph *graph, lg_bytes bytes, lg_text *out)
{
    if (bytes.devices == 0) {
        lg_text_add_size(out, bytes.host);
        return;
    }
    if (lg_graph_device_count(graph) == 1) {
        const uint64_t each[] = {bytes.host, bytes.devices};
        lg__format_each(graph, each, out);
        return;
    }
    lg_text_add_size(out, bytes.devices);
    lg_text_add(out, " on devices");
    if (bytes.host == 0)
        return;
    lg_text_add(out, " · ");
    lg_text_add_size(out, bytes.host);
    lg_text_add(out, " host");
}

void
lg_unexplained_format(uint64_t count, lg_text *out)
{
    lg_text_add_count(out, count);
    lg_text_add(out, count == 1 ? " reference" : " references");
    lg_text_add(out, " leakgraph cannot see");
}

static void
format_culprit(const lg_graph *graph, uint32_t culprit, lg_text *out)
{
    if (culprit == LG_NONE) {
        lg_text_add(out, "it");
        return;
    }
    lg__format_node(graph, culprit, out);
    lg_text_addf(out, " #%u", culprit);
}

void
lg__format_reason(const lg_graph *graph, lg_cycle_reason reason,
                  uint32_t culprit, lg_text *out)
{
    int64_t unseen =
        culprit == LG_NONE ? 0 : lg_node_unexplained(graph, culprit);
    switch (reason) {
    case LG_REASON_UNTRAVERSED:
        lg_text_add(out, "the collector does not see what ");
        format_culprit(graph, culprit, out);
        lg_text_add(out, " refers to");
        return;
    case LG_REASON_FROZEN:
        format_culprit(graph, culprit, out);
        lg_text_add(out, " was frozen with gc.freeze()");
        return;
    case LG_REASON_UNTRACKED:
        lg_text_add(out, "the collector does not track ");
        format_culprit(graph, culprit, out);
        if (culprit != LG_NONE &&
            graph->columns.node_flags[culprit] & LG_NODE_IMMORTAL)
            lg_text_add(out, ", which is immortal");
        return;
    default:
        lg_text_add(out, "native code holds ");
        format_culprit(graph, culprit, out);
        if (unseen > 0) {
            lg_text_add(out, " (");
            lg_unexplained_format((uint64_t)unseen, out);
            lg_text_add(out, ")");
        }
    }
}

void
lg__format_share(uint64_t part, uint64_t whole, lg_text *out)
{
    double share = whole > 0 ? (double)part / (double)whole : 0;
    unsigned thousandths = (unsigned)(share * 1000 + 0.5);
    lg_text_addf(out, "%u.%u %%", thousandths / 10, thousandths % 10);
}

void
lg__format_repeats(size_t count, lg_text *out)
{
    if (count == 0)
        return;
    lg_text_add(out, "   and ");
    lg_text_add_count(out, count);
    lg_text_add(out, " more just like it\n");
}

void
lg__format_right(lg_text *cell, size_t width, lg_text *out)
{
    for (size_t i = lg__text_width(cell, 0); i < width; i++)
        lg_text_add(out, " ");
    lg_text_add(out, cell->data ? cell->data : "");
    out->failed |= cell->failed;
    cell->length = 0;
    if (cell->data)
        cell->data[0] = '\0';
}
