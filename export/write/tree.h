/** What the text tree and the text path share. */
#ifndef LEAKGRAPH_TREE_H
#define LEAKGRAPH_TREE_H

#include "view/view_private.h"

/* The most characters; a longer title loses its middle. */
#define LG__TREE_TITLE 60u
#define LG__TREE_LABEL 48u

/** Adds `Trainer · train.Trainer`. */
void lg__tree_add_title(lg_text *out, const lg__view_node *node);
/** Adds what the node retains if known, or else its own size. */
void lg__tree_add_size(lg_text *out, const lg__view_node *node);
/** Adds the size, the references from native code and, if `root` asks for it,
 *  why the node is a root. */
void lg__tree_add_facts(lg_text *out, const lg__view_node *node, bool rooted);
/** Writes the path of each subject, its root at the top. */
lg_status lg__chain_print(const lg_view *view, lg_text *out, lg_error *err);

#endif
