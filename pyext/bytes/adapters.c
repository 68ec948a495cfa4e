#include "bytes/bytes.h"
#include "bytes/common/bytes_common.h"

const lg__adapter *const lg__adapters[] = {
    &lg__host_adapter,
    &lg__builtin_adapter,
    &lg__numpy_adapter,
    &lg__torch_adapter,
    &lg__cuda_adapter,
    &lg__jax_adapter,
    &lg__cupy_adapter,
    &lg__numba_adapter,
    &lg__matplotlib_adapter,
    &lg__pillow_adapter,
    &lg__pyarrow_adapter,
    &lg__pandas_adapter,
    &lg__greenlet_adapter,
    &lg__registered_adapter,
    &lg__torch_parameter_adapter,
    NULL,
};

_Static_assert(sizeof lg__adapters / sizeof *lg__adapters - 1 <=
                   LG__ADAPTERS_MAX,
               "there are more adapters than a capture can have: raise "
               "LG__ADAPTERS_MAX");
