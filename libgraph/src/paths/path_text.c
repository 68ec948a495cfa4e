// Writes paths from roots as text.
#include "graph/graph_private.h"
#include "paths/path_hops.h"
#include "paths/measure.h"
#include "paths/suspended.h"

#include <leakgraph/internal/native.h>

#include <string.h>

// Longer paths show only their ends.
enum { PATH_HEAD = 6, PATH_TAIL = 4 };

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

// Writes where a path begins. In a folded path, only the type of what native
// code keeps.
static void
format_start(const lg_graph *graph, const lg_path *path, bool folded,
             lg_text *out)
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
        if (lg__node_is_native(graph, root->node)) {
            lg_node_title(graph, root->node, true, out);
            return;
        }
        lg_text_add(out, "native code: ");
        if (folded && lg__node_role(graph, root->node) != LG__ROLE_SUSPENDED)
            lg__text_add_string(out, lg__node_kind(graph, root->node));
        else
            lg__format_node(graph, root->node, out);
        return;
    default:
        lg__format_node(graph, root->node, out);
    }
}

bool
lg__hop_is_position(const lg_graph *graph, const lg_hop *hop)
{
    unsigned kind = lg__edge_kind(graph, hop->edges[hop->edge_count - 1]);
    return kind == LG_EDGE_INDEX || kind == LG_EDGE_ELEMENT ||
           kind == LG_EDGE_REFERENCE ||
           (kind == LG_EDGE_VALUE && hop->edge_count == 1 &&
            !lg__edge_is_of_variable(graph, hop->source, hop->edges[0]));
}

// Leaves out what tells the globals of torch.compile apart.
static void
fold_compiled(size_t start, lg_text *out)
{
    static const char begin[] = "." LG__COMPILED;
    enum { LENGTH = sizeof begin - 1 };
    if (out->failed || out->length < start + LENGTH ||
        memcmp(out->data + start, begin, LENGTH) != 0)
        return;
    out->length = start + LENGTH;
    lg_text_add(out, "*");
}

// Writes a hop. A frame has its name instead of a number.
static void
format_hop(const lg_graph *graph, const lg_hop *hop, bool folded, lg_text *out)
{
    if (folded && lg__hop_is_position(graph, hop)) {
        lg_text_add(out, "[*]");
    } else if (folded && lg__edge_kind(graph, hop->edges[0]) == LG_EDGE_KEY) {
        lg_text_add(out, " key");
    } else if (lg__edge_kind(graph, hop->edges[0]) == LG_EDGE_FRAME) {
        lg_text_add(out, " in ");
        lg__format_node(graph, hop->target, out);
    } else {
        size_t start = out->length;
        lg__format_label(graph, hop, out);
        if (folded)
            fold_compiled(start, out);
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

// Counts the hops from one that lead through native memory. *weakest is the
// lowest level among them.
static size_t
count_native_hops(const lg_graph *graph, const lg_path *path, size_t from,
                  lg_native_level *weakest)
{
    size_t count = 0;
    *weakest = LG_LEVEL_EXACT;
    for (; from + count < path->count; count++) {
        const lg_hop *hop = &path->hops[from + count];
        if (!lg__node_is_native(graph, hop->source) &&
            !lg__node_is_native(graph, hop->target))
            break;
        lg_native_level level =
            lg_edge_level(graph, hop->edges[hop->edge_count - 1]);
        *weakest = level < *weakest ? level : *weakest;
    }
    return count;
}

static const char *
native_words(lg_native_level weakest)
{
    if (weakest == LG_LEVEL_NONE)
        return ", without a pointer";
    if (weakest == LG_LEVEL_LEFTOVER)
        return ", as far as a lone word tells";
    return weakest < LG_LEVEL_POINTER ? ", perhaps by native memory"
                                      : ", by native memory";
}

// Writes the words once, and without a comma if nothing stands before them.
static void
add_native_words(lg_native_level weakest, lg_text *out)
{
    const char *words = native_words(weakest);
    const size_t length = strlen(words);
    const bool said =
        out->length >= length &&
        memcmp(out->data + out->length - length, words, length) == 0;
    if (!said)
        lg_text_add(out, out->length > 0 ? words : words + strlen(", "));
}

// Returns whether a module's submodules are its elements, not its attributes.
static bool
is_module_container(const lg_graph *graph, uint32_t module)
{
    static const char *const types[] = {
        "torch.nn.modules.container.ModuleDict",
        "torch.nn.modules.container.ModuleList",
        "torch.nn.modules.container.ParameterDict",
        "torch.nn.modules.container.ParameterList",
        "torch.nn.modules.container.Sequential",
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (lg__node_is_a(graph, module, types[i]))
            return true;
    return false;
}

// Writes two hops through a dict of a torch.nn.Module as one, and what a thread
// has in a threading.local as an attribute.
static bool
format_part(const lg_graph *graph, const lg_path *path, size_t at, bool folded,
            lg_text *scratch, lg_text *out)
{
    const lg_hop *hop = &path->hops[at];
    if (at + 1 >= path->count)
        return false;
    if (lg__hop_opens_parts(graph, hop, scratch)) {
        if (!folded || !is_module_container(graph, hop->source))
            return lg__format_part(graph, hop + 1, scratch, out);
        lg_text_add(out, "[*]");
        return true;
    }
    size_t length = out->length;
    if (!lg__edge_opens_local(graph, hop->edges[0]))
        return false;
    lg__format_label(graph, hop, out);
    bool written = lg__format_part(graph, hop + 1, scratch, out);
    if (!written)
        out->length = length;
    return written;
}

// Returns the first hop from one on that is written: none leads to a node that
// answers pass over, or to a coroutine that is named by its own variable.
static size_t
next_written(const lg_graph *graph, const lg_path *path, size_t from)
{
    while (from < path->count && lg__passes_over(graph, path->hops[from].source,
                                                 path->hops[from].target))
        from++;
    return from + lg__path_awaits(graph, path, from);
}

// Names the suspended coroutine or generator that a hop leads out of, unless
// what comes before the hop has named it.
static void
name_suspended(const lg_graph *graph, const lg_path *path, size_t at,
               lg_text *out)
{
    const lg_hop *hop = &path->hops[at];
    bool named = at == 0 ? path->root.node == hop->source
                         : lg__edge_kind(graph, path->hops[at - 1].edges[0]) ==
                               LG_EDGE_FRAME;
    if (!named && lg__hop_is_of_suspended(graph, hop))
        lg__format_suspended(graph, hop->source, out);
}

size_t
lg_hops_seen(const lg_graph *graph, const lg_hop *hops, size_t count,
             const bool *marks, lg_hop *seen, bool *seen_marks)
{
    size_t kept = 0;
    lg_node holder = LG_NONE;
    for (size_t i = 0; i < count; i++) {
        lg_hop hop = hops[i];
        if (holder != LG_NONE)
            hop.source = holder;
        const bool passed =
            i + 1 < count && lg__passes_over(graph, hop.source, hop.target);
        holder = passed ? hop.source : LG_NONE;
        if (passed)
            continue;
        if (marks)
            seen_marks[kept] = marks[i];
        seen[kept++] = hop;
    }
    return kept;
}

// Of several steps through an autograd graph, names only the last node.
void
lg__format_path_end(const lg_graph *graph, const lg_path *path, size_t first,
                    bool folded, lg_text *out)
{
    lg_text scratch = {0};
    size_t shown = 0;
    for (size_t i = first; (i = next_written(graph, path, i)) < path->count;
         shown++) {
        name_suspended(graph, path, i, out);
        if (format_part(graph, path, i, folded, &scratch, out)) {
            i += 2;
            continue;
        }
        lg_native_level weakest;
        size_t steps = count_native_hops(graph, path, i, &weakest);
        if (steps > 0) {
            bool said = i == 0 && lg__node_is_native(graph, path->root.node);
            i += steps;
            if (!said)
                add_native_words(weakest, out);
            continue;
        }
        steps = count_backward_steps(graph, path, i);
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

static void
format_path(const lg_graph *graph, const lg_path *path, bool folded,
            lg_text *out)
{
    size_t task = lg__path_task(graph, path);
    if (task < path->count)
        lg__format_task(graph, path->hops[task].source, path->hops[task].target,
                        out);
    else
        format_start(graph, path, folded, out);
    lg__format_path_end(graph, path, task < path->count ? task : 0, folded,
                        out);
}

void
lg_path_label(const lg_graph *graph, const lg_path *path, lg_text *out)
{
    format_path(graph, path, false, out);
}

// A chain of objects, such as a linked list, repeats this many steps at most,
// and at least so often.
enum { PERIOD_MOST = 4, REPEATS_LEAST = 3 };

// Returns whether two hops say the same and lead to objects of one type.
static bool
are_alike(const lg_graph *graph, const lg_hop *one, const lg_hop *other)
{
    uint64_t edge = one->edges[one->edge_count - 1];
    uint64_t same = other->edges[other->edge_count - 1];
    const lg_columns *columns = &graph->columns;
    if (lg_columns_type(columns, one->target) !=
            lg_columns_type(columns, other->target) ||
        lg__edge_kind(graph, edge) != lg__edge_kind(graph, same))
        return false;
    return lg__hop_is_position(graph, one) ||
           lg__string_same(lg__edge_name(graph, edge),
                           lg__edge_name(graph, same));
}

// Returns how many hops a path has without the repetitions at its end.
static size_t
count_without_chain(const lg_graph *graph, const lg_path *path)
{
    for (size_t period = 1; period <= PERIOD_MOST; period++) {
        size_t from = path->count;
        while (from > period && are_alike(graph, &path->hops[from - 1],
                                          &path->hops[from - 1 - period]))
            from--;
        size_t whole = (path->count - from) / period;
        if (whole >= REPEATS_LEAST)
            return path->count - whole * period;
    }
    return path->count;
}

void
lg__format_folded_path(const lg_graph *graph, const lg_path *path, lg_text *out)
{
    lg_path shown = *path;
    shown.count = count_without_chain(graph, path);
    format_path(graph, &shown, true, out);
}

void
lg__format_path_in_modules(const lg_graph *graph, const lg_path *path,
                           lg_text *out)
{
    lg_path shown = *path;
    if (path->root.node == LG_NONE ||
        lg__node_category(graph, path->root.node) != LG_CATEGORY_MODULE) {
        lg__format_folded_path(graph, path, out);
        return;
    }
    shown.count = count_without_chain(graph, path);
    lg_text_add(out, "sys.modules[*]");
    lg__format_path_end(graph, &shown, 0, true, out);
}
