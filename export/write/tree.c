// Writes the view as an indented tree for a terminal.

#include "write/tree.h"

#include <stdlib.h>

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
        lg__add_word(tree->out, &edge->label, LG__TREE_LABEL, NULL);
        lg_text_add(tree->out, "  ");
    }
    lg__tree_add_title(tree->out, &view->nodes[branch->node]);
    if (labelled && back) {
        lg_text_add(tree->out, "  ");
        lg__add_word(tree->out, &edge->label, LG__TREE_LABEL, NULL);
    }
    if (edge && edge->weak)
        lg_text_add(tree->out, "  (weak)");
    lg__tree_add_facts(tree->out, &view->nodes[branch->node], back);
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
            lg_text_add(tree->out, " more");
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

void
lg__tree_add_title(lg_text *out, const lg__view_node *node)
{
    lg__add_word(out, &node->title, LG__TREE_TITLE, NULL);
    if (!node->detail.length || node->kind == LG__VIEW_NATIVE)
        return;
    lg_text_add(out, node->kind == LG__VIEW_VALUES ? ": " : " · ");
    lg__add_word(out, &node->detail, LG__TREE_TITLE, NULL);
}

void
lg__tree_add_size(lg_text *out, const lg__view_node *node)
{
    if (!lg__has_size(node))
        return;
    lg_text_add(out, "  ");
    if (node->retained_label.length)
        lg__add_word(out, &node->retained_label, LG__TREE_TITLE, NULL);
    else
        lg__add_own(out, node);
}

void
lg__tree_add_facts(lg_text *out, const lg__view_node *node, bool rooted)
{
    lg__tree_add_size(out, node);
    if (rooted && node->root.length) {
        lg_text_add(out, "  root: ");
        lg_text_add(out, lg__root_words(&node->root));
    }
    if (node->unseen) {
        lg_text_add(out, "  ");
        lg__add_unseen(out, node->unseen);
    }
}

lg_status
lg_view_text(const lg_view *view, lg_text *out, lg_error *err)
{
    lg_text text = {0};
    lg_status status = LG_OK;
    if (view->direction == LG_PATH) {
        status = lg__chain_print(view, &text, err);
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
