/** What other rooms may use of the account of the CUDA allocator. */
#ifndef LEAKGRAPH_BYTES_CUDA_H
#define LEAKGRAPH_BYTES_CUDA_H

#include "bytes/cuda/dump.h"

#endif
