#include "adapter.h"

const lg_adapter *const lg_adapters[] = {NULL};
