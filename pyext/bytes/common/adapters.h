/** The list of all adapters. The file of each adapter documents it. */
#ifndef LEAKGRAPH_BYTES_ADAPTERS_H
#define LEAKGRAPH_BYTES_ADAPTERS_H

#include "capture/adapters/adapter.h"

extern const lg_adapter lg_greenlet_adapter;
extern const lg_adapter lg_host_adapter;
extern const lg_adapter lg_builtin_adapter;
extern const lg_adapter lg_numpy_adapter;
extern const lg_adapter lg_torch_adapter;
extern const lg_adapter lg_cuda_adapter;
extern const lg_adapter lg_jax_adapter;
extern const lg_adapter lg_cupy_adapter;
extern const lg_adapter lg_numba_adapter;
extern const lg_adapter lg_matplotlib_adapter;
extern const lg_adapter lg_pillow_adapter;
extern const lg_adapter lg_pyarrow_adapter;
extern const lg_adapter lg_pandas_adapter;
extern const lg_adapter lg_registered_adapter;
extern const lg_adapter lg_torch_parameter_adapter;

#endif
