/** Checks of the sections of a file that lie in source files of their own. */
#ifndef LEAKGRAPH_CHECK_H
#define LEAKGRAPH_CHECK_H

#include "graph/graph_private.h"

lg_status lg__check_facts(const lg_graph *graph, lg_error *err);

#endif
