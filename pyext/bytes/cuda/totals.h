/**
 * The numbers that PyTorch's allocator and the driver give for each whole
 * device. Private to this folder.
 */
#ifndef LEAKGRAPH_CUDA_TOTALS_H
#define LEAKGRAPH_CUDA_TOTALS_H

#include "capture/adapters/adapter.h"

enum { LG_CUDA_DEVICES = 64 };

/** Numbers of one device; -1: unknown. */
typedef struct lg_cuda_device {
    bool seen; /**< it has a context, so reading the numbers makes none */
    int64_t allocated, reserved;
    int64_t peak_allocated, peak_reserved;
    int64_t driver_free, driver_total;
    int64_t driver_process; /**< bytes of this process */
} lg_cuda_device;

/** Counts all events in the allocators of the devices with a context; the count
 *  only grows. */
typedef struct lg_cuda_activity {
    bool known;
    uint64_t events;
} lg_cuda_activity;

/** Marks the devices with a context; `memory` is the module torch.cuda.memory,
 *  here and below. */
void lg_cuda_devices_find(lg_cuda_device *devices);
/** Reads the numbers of the devices that are marked. */
void lg_cuda_totals_ask(PyObject *memory, lg_cuda_device *devices);
/** Adds these numbers, and those of pinned memory, to the snapshot. */
void lg_cuda_totals_add(lg_adapter_pass *pass, const lg_cuda_device *devices);
/** Adds the numbers of PyTorch's allocator of pinned memory. */
void lg_cuda_pinned_add(lg_adapter_pass *pass, PyObject *memory);

/** Counts events. If two calls give the same count, no thread has allocated or
 *  freed anything between them. */
lg_cuda_activity lg_cuda_activity_ask(PyObject *memory,
                                      const lg_cuda_device *devices);

/** The id of a device by its number. */
uint32_t lg_cuda_device_id(lg_adapter_pass *pass, unsigned ordinal);

#endif
