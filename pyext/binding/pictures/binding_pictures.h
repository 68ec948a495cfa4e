/** What other rooms may use of pictures. */
#ifndef LEAKGRAPH_BINDING_PICTURES_H
#define LEAKGRAPH_BINDING_PICTURES_H

#include "binding/pictures/drawing.h"
#include "binding/pictures/show.h"

#endif
