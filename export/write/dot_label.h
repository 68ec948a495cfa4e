/** Labels of nodes and edges in DOT, which are like HTML. */
#ifndef LEAKGRAPH_DOT_LABEL_H
#define LEAKGRAPH_DOT_LABEL_H

#include "view/view_private.h"

/** Adds text in an HTML-like label, cut to `limit` characters. */
void lg__html_add(lg_text *out, const lg_text *word, size_t limit);
/** Adds the HTML-like label of a node, brackets included. */
void lg__label_add(lg_text *out, const lg__view_node *node);

#endif
