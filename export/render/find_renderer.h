/** Where the renderer is. */
#ifndef LEAKGRAPH_FIND_RENDERER_H
#define LEAKGRAPH_FIND_RENDERER_H

#include <leakgraph/base.h>

#include <limits.h>

/** What LEAKGRAPH_RENDERER in the environment names, or leakgraph-render from
 *  where it is installed: found from the command, or from the extension module.
 *  LG_ERENDER says where there is none. */
lg_status lg__renderer_find(char path[PATH_MAX], lg_error *err);

#endif
