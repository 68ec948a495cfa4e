/** The version of leakgraph. */
#ifndef LEAKGRAPH_VERSION_H
#define LEAKGRAPH_VERSION_H

#include <leakgraph/base.h>

#define LG_VERSION "0.1.0"

#endif
