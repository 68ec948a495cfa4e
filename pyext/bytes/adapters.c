#include "bytes/common/adapters.h"

const lg_adapter *const lg_adapters[] = {
    &lg_host_adapter,
    &lg_builtin_adapter,
    &lg_numpy_adapter,
    &lg_torch_adapter,
    &lg_cuda_adapter,
    &lg_jax_adapter,
    &lg_cupy_adapter,
    &lg_numba_adapter,
    &lg_matplotlib_adapter,
    &lg_pillow_adapter,
    &lg_pyarrow_adapter,
    &lg_pandas_adapter,
    &lg_greenlet_adapter,
    &lg_registered_adapter,
    &lg_torch_parameter_adapter,
    NULL,
};

_Static_assert(sizeof lg_adapters / sizeof *lg_adapters - 1 <= LG_ADAPTERS_MAX,
               "there are more adapters than a capture can have: raise "
               "LG_ADAPTERS_MAX");
