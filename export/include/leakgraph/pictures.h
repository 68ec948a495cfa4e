/**
 * Pictures of a graph: all that the library leakgraph-pictures adds.
 *
 * The conventions of leakgraph.h hold. Link with leakgraph::pictures.
 */
#ifndef LEAKGRAPH_PICTURES_H
#define LEAKGRAPH_PICTURES_H

#include <leakgraph/export.h>
#include <leakgraph/page.h>
#include <leakgraph/render.h>
#include <leakgraph/view.h>

#endif
