/** TypeTable: how many objects of which type, and their bytes. */
#ifndef LEAKGRAPH_TABLE_H
#define LEAKGRAPH_TABLE_H

#include "shim.h"

extern PyType_Spec table_spec;

#endif
