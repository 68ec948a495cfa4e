/** The list of all adapters. The file of each adapter documents it. */
#ifndef LEAKGRAPH_ADAPTERS_H
#define LEAKGRAPH_ADAPTERS_H

#include "capture/adapters/capture_adapters.h"

extern const lg__adapter lg__greenlet_adapter;
extern const lg__adapter lg__host_adapter;
extern const lg__adapter lg__builtin_adapter;
extern const lg__adapter lg__numpy_adapter;
extern const lg__adapter lg__torch_adapter;
extern const lg__adapter lg__cuda_adapter;
extern const lg__adapter lg__jax_adapter;
extern const lg__adapter lg__cupy_adapter;
extern const lg__adapter lg__numba_adapter;
extern const lg__adapter lg__matplotlib_adapter;
extern const lg__adapter lg__pillow_adapter;
extern const lg__adapter lg__pyarrow_adapter;
extern const lg__adapter lg__pandas_adapter;
extern const lg__adapter lg__registered_adapter;
extern const lg__adapter lg__torch_parameter_adapter;

#endif
