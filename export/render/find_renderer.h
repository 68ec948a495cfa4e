/** Finds the renderer. */
#ifndef LEAKGRAPH_FIND_RENDERER_H
#define LEAKGRAPH_FIND_RENDERER_H

#include <leakgraph/base.h>

#include <limits.h>

/** Returns the path that LEAKGRAPH_RENDERER names, or else that of
 *  leakgraph-render, found from the command or from the extension module.
 *  LG_ERENDER if there is none. */
lg_status lg__renderer_find(char path[PATH_MAX], lg_error *err);

#endif
