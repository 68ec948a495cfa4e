// Writes a path as text: the root at the top, one hop per line below it.

#include "write/tree.h"

#include <stdlib.h>

static size_t
edge_into(const lg_view *view, size_t node)
{
    for (size_t i = 0; i < view->edge_count; i++) {
        if (view->edges[i].path && view->edges[i].target == node)
            return i;
    }
    return SIZE_MAX;
}

static bool
is_held_natively(const lg_view *view, size_t node)
{
    return !view->nodes[node].root.length && view->nodes[node].unseen;
}

static void
print_root(const lg_view *view, size_t node, lg_text *out)
{
    const lg__view_node *root = &view->nodes[node];
    lg_text_add(out, "┬───\n│ GC root: ");
    if (root->root.length)
        lg_text_add(out, lg__root_words(&root->root));
    else if (is_held_natively(view, node))
        lg_text_add(out, "native code");
    else
        lg_text_add(out, "given");
    lg_text_add(out, "\n│\n");
}

static void
print_garbage(const lg__view_node *node, lg_text *out)
{
    lg__tree_add_title(out, node);
    lg__tree_add_facts(out, node, false);
    lg_text_add(out, "\n   no root reaches it: it is garbage, kept only until "
                     "the collector runs\n");
}

static void
print_step(const lg_view *view, size_t node, bool last, lg_text *out)
{
    const lg__view_node *step = &view->nodes[node];
    lg_text_add(out, step->kind == LG__VIEW_SKIP ? "┊  "
                     : last                      ? "╰→ "
                                                 : "├─ ");
    lg__tree_add_title(out, step);
    lg__tree_add_size(out, step);
    lg_text_add(out, "\n");
    if (step->unseen) {
        lg_text_add(out, last ? "     " : "│    ");
        lg__add_unseen(out, step->unseen);
        lg_text_add(out, "\n");
    }
}

static void
print_label(const lg__view_edge *edge, lg_text *out)
{
    if (!edge->label.length)
        return;
    lg_text_add(out, "│    ↓ ");
    lg__add_word(out, &edge->label, LG__TREE_LABEL, NULL);
    lg_text_add(out, "\n");
}

// Finds the edges from the root to the subject, starting from the subject.
static size_t
trace(const lg_view *view, size_t subject, size_t *edges)
{
    size_t count = 0, at = subject;
    while (count < view->node_count) {
        size_t edge = edge_into(view, at);
        if (edge == SIZE_MAX)
            break;
        edges[count++] = edge;
        at = view->edges[edge].source;
    }
    return count;
}

static void
print_chain(const lg_view *view, size_t subject, size_t *edges, lg_text *out)
{
    size_t count = trace(view, subject, edges);
    size_t root = count ? view->edges[edges[count - 1]].source : subject;
    print_root(view, root, out);
    print_step(view, root, !count, out);
    while (count-- > 0) {
        const lg__view_edge *edge = &view->edges[edges[count]];
        print_label(edge, out);
        print_step(view, edge->target, !count, out);
    }
}

lg_status
lg__chain_print(const lg_view *view, lg_text *out, lg_error *err)
{
    size_t *edges = malloc((view->node_count + 1) * sizeof *edges);
    if (!edges)
        return lg__view_no_memory(err);
    bool first = true;
    for (size_t i = 0; i < view->node_count; i++) {
        if (!view->nodes[i].subject)
            continue;
        if (!first)
            lg_text_add(out, "\n");
        first = false;
        if (view->nodes[i].unreached)
            print_garbage(&view->nodes[i], out);
        else
            print_chain(view, i, edges, out);
    }
    free(edges);
    return LG_OK;
}
