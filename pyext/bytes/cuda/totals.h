/**
 * The numbers that PyTorch's allocator and the driver give for each whole
 * device.
 */
#ifndef LEAKGRAPH_TOTALS_H
#define LEAKGRAPH_TOTALS_H

#include "capture/adapters/capture_adapters.h"

enum { LG__CUDA_DEVICES = 64 };

/** Numbers of one device; -1: unknown. */
typedef struct lg__cuda_totals {
    bool seen; /**< it has a context, so reading the numbers makes none */
    int64_t allocated, reserved;
    int64_t peak_allocated, peak_reserved;
    int64_t driver_free, driver_total;
    int64_t driver_process; /**< bytes of this process */
} lg__cuda_totals;

/** Counts all events in the allocators of the devices with a context; the count
 *  only grows. */
typedef struct lg__cuda_activity {
    bool known;
    uint64_t events;
} lg__cuda_activity;

/** Marks the devices with a context; `memory` is the module torch.cuda.memory,
 *  here and below. */
void lg__cuda_devices_find(lg__cuda_totals *devices);
/** Reads the numbers of the devices that are marked. */
void lg__cuda_totals_ask(PyObject *memory, lg__cuda_totals *devices);
/** Adds these numbers, and those of pinned memory, to the snapshot. */
void lg__cuda_totals_add(lg__adapter_pass *pass,
                         const lg__cuda_totals *devices);
/** Adds the numbers of PyTorch's allocator of pinned memory. */
void lg__cuda_pinned_add(lg__adapter_pass *pass, PyObject *memory);

/** Counts events. If two calls give the same count, no thread has allocated or
 *  freed anything between them. */
lg__cuda_activity lg__cuda_activity_ask(PyObject *memory,
                                        const lg__cuda_totals *devices);

/** The id of a device by its number. */
uint32_t lg__cuda_device_id(lg__adapter_pass *pass, unsigned ordinal);

#endif
