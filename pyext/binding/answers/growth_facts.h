/** What a Growth has besides its rows. */
#ifndef LEAKGRAPH_GROWTH_FACTS_H
#define LEAKGRAPH_GROWTH_FACTS_H

#include "binding/objects/binding_objects.h"

#include <leakgraph/table.h>

extern PyGetSetDef lg__growth_getset[];

/** Returns the facts of the table as a tuple, with the drawing; NULL with an
 *  exception. */
PyObject *lg__growth_facts_new(lg__snapshot_object *snapshot,
                               const lg_table *table, PyObject *drawing);

#endif
