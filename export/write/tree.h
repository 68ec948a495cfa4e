/** What the text tree and the text path share. */
#ifndef LEAKGRAPH_TREE_H
#define LEAKGRAPH_TREE_H

#include "view/view_private.h"

/* The most characters; a longer title loses its middle. */
#define LG__TREE_TITLE 60u
#define LG__TREE_LABEL 48u

#endif
