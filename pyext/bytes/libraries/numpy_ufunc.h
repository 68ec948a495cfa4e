/** The references of numpy's ufuncs that the collector does not see. */
#ifndef LEAKGRAPH_NUMPY_UFUNC_H
#define LEAKGRAPH_NUMPY_UFUNC_H

#include "capture/adapters/capture_adapters.h"

/** The type of ufuncs, or NULL if the loaded numpy lays them out in another
 *  way. Call it before the walk. */
PyTypeObject *lg__ufunc_type(void);

/** Names the loops that a ufunc keeps. */
void lg__ufunc_visit(lg__adapter_pass *pass, PyObject *ufunc);

#endif
