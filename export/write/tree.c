// Writes the view as an indented tree for a terminal.

#include "view/view_private.h"

#include <leakgraph/internal/writing.h>

#include <stdlib.h>

// The most characters; a longer title loses its middle.
#define TITLE_LENGTH 60u
#define LABEL_LENGTH 48u

// Writes a path as text: the root at the top, one hop per line below it.

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

// Adds what the node retains if known, or else its own size.
static void
tree_add_size(lg_text *out, const lg__view_node *node)
{
    if (!lg__has_size(node))
        return;
    lg_text_add(out, "  ");
    if (node->retained_label.length)
        lg__add_word(out, &node->retained_label, TITLE_LENGTH, NULL);
    else
        lg__add_own(out, node);
}

// Adds the size, the references from native code and, if `root` asks for it,
// why the node is a root.
static void
tree_add_facts(lg_text *out, const lg__view_node *node, bool rooted)
{
    tree_add_size(out, node);
    if (rooted && node->root.length) {
        lg_text_add(out, "  root: ");
        lg_text_add(out, lg__root_words(&node->root));
    }
    if (node->unseen) {
        lg_text_add(out, "  ");
        lg__add_unseen(out, node->unseen);
    }
}

// Adds `Trainer · train.Trainer`.
static void
tree_add_title(lg_text *out, const lg__view_node *node)
{
    lg__add_word(out, &node->title, TITLE_LENGTH, NULL);
    if (!node->detail.length || node->kind == LG__VIEW_NATIVE)
        return;
    lg_text_add(out, node->kind == LG__VIEW_VALUES ? ": " : " · ");
    lg__add_word(out, &node->detail, TITLE_LENGTH, NULL);
}

static void
print_garbage(const lg__view_node *node, lg_text *out)
{
    tree_add_title(out, node);
    tree_add_facts(out, node, false);
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
    tree_add_title(out, step);
    tree_add_size(out, step);
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
    lg__add_word(out, &edge->label, LABEL_LENGTH, NULL);
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

// Writes the path of each subject, its root at the top.
static lg_status
chain_print(const lg_view *view, lg_text *out, lg_error *err)
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

// One line to print: the edge to it, and its indent.
typedef struct view_branch {
    size_t edge; /* SIZE_MAX: a subject */
    size_t node;
    size_t depth;
    bool last; /* the last sibling */
} view_branch;

typedef struct view_tree {
    const lg_view *view;
    lg_text *out;
    size_t *head;   /* [nodes] last edge printed under the node, or SIZE_MAX */
    size_t *next;   /* [edges] the edge before it */
    size_t *parent; /* [nodes] the edge under which it is printed, or SIZE_MAX
                     */
    bool *printed;  /* [nodes] */
    bool *closed;   /* [depths] no more siblings follow at this depth */
    view_branch *stack;
    size_t stack_count;
} view_tree;

static size_t
near_end(const lg_view *view, size_t edge)
{
    return view->direction == LG_BACKREFS ? view->edges[edge].target
                                          : view->edges[edge].source;
}

static size_t
far_end(const lg_view *view, size_t edge)
{
    return view->direction == LG_BACKREFS ? view->edges[edge].source
                                          : view->edges[edge].target;
}

// Prints merged paths and growth from the roots down, and all else from the
// subject.
static bool
is_start(const lg_view *view, const lg__view_node *node)
{
    return view->form == LG__VIEW_PATHS || view->form == LG__VIEW_GROWTH
               ? node->depth == 0
               : node->subject;
}

static lg_status
open_tree(view_tree *tree, lg_error *err)
{
    const lg_view *view = tree->view;
    size_t nodes = view->node_count, edges = view->edge_count;
    tree->head = malloc((nodes + 1) * sizeof *tree->head);
    tree->next = malloc((edges + 1) * sizeof *tree->next);
    tree->parent = malloc((nodes + 1) * sizeof *tree->parent);
    tree->printed = calloc(nodes + 1, sizeof *tree->printed);
    tree->closed = calloc(nodes + 2, sizeof *tree->closed);
    tree->stack = malloc((nodes + edges + 1) * sizeof *tree->stack);
    if (!tree->head || !tree->next || !tree->parent || !tree->printed ||
        !tree->closed || !tree->stack)
        return lg__view_no_memory(err);
    for (size_t i = 0; i < nodes; i++)
        tree->head[i] = tree->parent[i] = SIZE_MAX;
    for (size_t i = 0; i < edges; i++) {
        size_t near = near_end(view, i), far = far_end(view, i);
        // The object's own line mentions native code.
        if (view->nodes[view->edges[i].source].kind == LG__VIEW_NATIVE)
            continue;
        tree->next[i] = tree->head[near];
        tree->head[near] = i;
        if (tree->parent[far] == SIZE_MAX && !is_start(view, &view->nodes[far]))
            tree->parent[far] = i;
    }
    return LG_OK;
}

static void
close_tree(view_tree *tree)
{
    free(tree->head);
    free(tree->next);
    free(tree->parent);
    free(tree->printed);
    free(tree->closed);
    free(tree->stack);
}

// Pushes what to print under a node. The last item goes first.
static void
push_children(view_tree *tree, size_t node, size_t depth)
{
    bool last = true;
    for (size_t i = tree->head[node]; i != SIZE_MAX; i = tree->next[i]) {
        tree->stack[tree->stack_count++] =
            (view_branch){i, far_end(tree->view, i), depth, last};
        last = false;
    }
}

static void
print_indent(const view_tree *tree, const view_branch *branch)
{
    for (size_t depth = 1; depth < branch->depth; depth++)
        lg_text_add(tree->out, tree->closed[depth] ? "   " : "│  ");
    if (branch->depth)
        lg_text_add(tree->out, branch->last ? "└─ " : "├─ ");
}

// Writes one step in Python's notation: forward `.losses  list of 3`, backward
// `Trainer .losses`.
static void
print_branch(const view_tree *tree, const view_branch *branch)
{
    const lg_view *view = tree->view;
    bool back = view->direction == LG_BACKREFS;
    const lg__view_edge *edge =
        branch->edge == SIZE_MAX ? NULL : &view->edges[branch->edge];
    bool labelled = edge && edge->label.length;
    if (labelled && !back) {
        lg__add_word(tree->out, &edge->label, LABEL_LENGTH, NULL);
        lg_text_add(tree->out, "  ");
    }
    tree_add_title(tree->out, &view->nodes[branch->node]);
    if (labelled && back) {
        lg_text_add(tree->out, "  ");
        lg__add_word(tree->out, &edge->label, LABEL_LENGTH, NULL);
    }
    if (edge && edge->weak)
        lg_text_add(tree->out, "  (weak)");
    tree_add_facts(tree->out, &view->nodes[branch->node], back);
}

static void
print_line(view_tree *tree, const view_branch *branch)
{
    const lg__view_node *node = &tree->view->nodes[branch->node];
    print_indent(tree, branch);
    print_branch(tree, branch);
    bool home = tree->parent[branch->node] == branch->edge;
    if (!home) {
        bool seen = tree->printed[branch->node];
        lg_text_add(tree->out, seen ? "  (seen above)" : "  (see below)");
    } else {
        tree->printed[branch->node] = true;
        if (node->more) {
            lg_text_add(tree->out, "  +");
            lg_text_add_count(tree->out, node->more);
            lg_text_add(tree->out, " not shown");
        }
    }
    lg_text_add(tree->out, "\n");
    tree->closed[branch->depth] = branch->last;
    if (home)
        push_children(tree, branch->node, branch->depth + 1);
}

static void
print_tree(view_tree *tree)
{
    const lg_view *view = tree->view;
    for (size_t i = 0; i < view->node_count; i++) {
        if (!is_start(view, &view->nodes[i]))
            continue;
        tree->stack[tree->stack_count++] = (view_branch){SIZE_MAX, i, 0, true};
        while (tree->stack_count) {
            view_branch branch = tree->stack[--tree->stack_count];
            print_line(tree, &branch);
        }
    }
}

lg_status
lg_view_text(const lg_view *view, lg_text *out, lg_error *err)
{
    lg_text text = {0};
    lg_status status = LG_OK;
    if (view->direction == LG_PATH) {
        status = chain_print(view, &text, err);
    } else {
        view_tree tree = {.view = view, .out = &text};
        status = open_tree(&tree, err);
        if (!status)
            print_tree(&tree);
        close_tree(&tree);
    }
    if (!status && text.failed)
        status = lg__view_no_memory(err);
    if (!status)
        lg_text_add_bytes(out, text.data, text.length);
    lg_text_free(&text);
    return status ? status : out->failed ? lg__view_no_memory(err) : LG_OK;
}
