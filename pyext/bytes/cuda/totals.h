/**
 * What PyTorch's allocator and the driver say of each device as a whole.
 * Private to this folder.
 */
#ifndef LEAKGRAPH_CUDA_TOTALS_H
#define LEAKGRAPH_CUDA_TOTALS_H

#include "capture/adapters/adapter.h"

enum { LG_CUDA_DEVICES = 64 };

/** Numbers of one device; -1: unknown. */
typedef struct lg_cuda_device {
    bool seen; /**< it has a context, so that reading totals makes none */
    int64_t allocated, reserved;
    int64_t peak_allocated, peak_reserved;
    int64_t driver_free, driver_total;
    int64_t driver_process; /**< this process's */
} lg_cuda_device;

/** What ever happened in the allocators of all devices with a context, as sums
 *  that only grow. */
typedef struct lg_cuda_activity {
    bool known;
    uint64_t events;
} lg_cuda_activity;

/** Marks the devices with a context; `memory` is the module torch.cuda.memory,
 *  here and below. */
void lg_cuda_devices_find(lg_cuda_device *devices);
/** Asks for the numbers of the devices that are marked. */
void lg_cuda_totals_ask(PyObject *memory, lg_cuda_device *devices);
/** Adds them to the snapshot, and those of pinned memory. */
void lg_cuda_totals_add(lg_adapter_pass *pass, const lg_cuda_device *devices);
/** Adds what PyTorch's allocator of pinned memory says. */
void lg_cuda_pinned_add(lg_adapter_pass *pass, PyObject *memory);

/** Two calls with the same events in between which nothing was allocated or
 *  freed, by any thread. */
lg_cuda_activity lg_cuda_activity_ask(PyObject *memory,
                                      const lg_cuda_device *devices);

/** The id of a device by its number. */
uint32_t lg_cuda_device_id(lg_adapter_pass *pass, unsigned ordinal);

#endif
