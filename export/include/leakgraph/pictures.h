/**
 * Pictures of a graph, and files for other tools: includes all headers about
 * them.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_PICTURES_H
#define LEAKGRAPH_PICTURES_H

#include <leakgraph/export.h>
#include <leakgraph/render.h>
#include <leakgraph/view.h>

#endif
