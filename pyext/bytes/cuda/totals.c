#include "bytes/cuda/totals.h"
#include "bytes/common/bytes_common.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A number of dicts in dicts, such as "allocated_bytes.all.current", or -1.
   Does not call PyTorch's functions that return one flat dict: each call leaves
   a closure that refers to itself, and this garbage would look like the
   program's. */
static int64_t
item_of(PyObject *dict, const char *path)
{
    uint64_t number;
    PyObject *value = dict;
    while (value != NULL && *path != '\0') {
        size_t length = strcspn(path, ".");
        PyObject *key = PyUnicode_FromStringAndSize(path, (Py_ssize_t)length);
        value = key != NULL && PyDict_Check(value) ? PyDict_GetItem(value, key)
                                                   : NULL;
        Py_XDECREF(key);
        path += length + (path[length] == '.');
    }
    PyErr_Clear();
    Py_XINCREF(value);
    return lg__ask_number(value, &number) && number <= INT64_MAX
               ? (int64_t)number
               : -1;
}

/* Returns whether this process has a context on the device. */
static bool
has_context(int ordinal)
{
    PyObject *module = lg__pass_module("torch._C");
    return module != NULL &&
           lg__ask_true(
               lg__ask_callf(lg__pass_member(module, "_cuda_hasPrimaryContext"),
                             "(i)", ordinal));
}

void
lg__cuda_devices_find(lg__cuda_totals *devices)
{
    PyObject *cuda = lg__pass_module("torch.cuda");
    uint64_t count = 0;
    if (cuda != NULL)
        lg__ask_number(
            lg__ask_call(lg__pass_member(cuda, "device_count"), NULL, NULL),
            &count);
    for (int i = 0; i < LG__CUDA_DEVICES && (uint64_t)i < count; i++)
        devices[i].seen |= has_context(i);
}

/* The handle of NVML for a device, found by the device's UUID. */
static PyObject *
nvml_handle(PyObject *nvml, int ordinal)
{
    PyObject *cuda = lg__pass_module("torch.cuda");
    PyObject *properties =
        cuda != NULL
            ? lg__ask_callf(lg__pass_member(cuda, "get_device_properties"),
                            "(i)", ordinal)
            : NULL;
    PyObject *uuid =
        properties != NULL ? lg__ask_attribute(properties, "uuid") : NULL;
    PyObject *text = uuid != NULL ? PyUnicode_FromFormat("GPU-%S", uuid) : NULL;
    PyErr_Clear();
    PyObject *handle =
        text != NULL
            ? lg__ask_callf(lg__pass_member(nvml, "nvmlDeviceGetHandleByUUID"),
                            "(O)", text)
            : NULL;
    Py_XDECREF(text);
    Py_XDECREF(uuid);
    Py_XDECREF(properties);
    return handle;
}

/* What this process has on a device, if the program itself has loaded and begun
   NVML. In a container the driver may know the process by another number; then
   the bytes are unknown. */
static int64_t
process_bytes(int ordinal)
{
    PyObject *nvml = lg__pass_module("pynvml");
    PyObject *handle = nvml != NULL ? nvml_handle(nvml, ordinal) : NULL;
    PyObject *processes =
        handle != NULL
            ? lg__ask_callf(
                  lg__pass_member(nvml, "nvmlDeviceGetComputeRunningProcesses"),
                  "(O)", handle)
            : NULL;
    int64_t found = -1;
    Py_ssize_t count = processes != NULL && PyList_Check(processes)
                           ? PyList_GET_SIZE(processes)
                           : 0;
    for (Py_ssize_t i = 0; i < count && i < PyList_GET_SIZE(processes); i++) {
        PyObject *at = PyList_GET_ITEM(processes, i);
        uint64_t pid, bytes;
        if (lg__ask_number(lg__ask_attribute(at, "pid"), &pid) &&
            pid == (uint64_t)getpid() &&
            lg__ask_number(lg__ask_attribute(at, "usedGpuMemory"), &bytes) &&
            bytes <= INT64_MAX)
            found = (int64_t)bytes;
    }
    Py_XDECREF(processes);
    Py_XDECREF(handle);
    return found;
}

static PyObject *
ask_stats(PyObject *memory, int ordinal)
{
    return lg__ask_callf(lg__pass_member(memory, "memory_stats_as_nested_dict"),
                         "(i)", ordinal);
}

static int64_t
element(PyObject *row, Py_ssize_t index)
{
    uint64_t number = 0;
    PyObject *value = row != NULL ? PySequence_GetItem(row, index) : NULL;
    PyErr_Clear();
    return lg__ask_number(value, &number) && number <= INT64_MAX
               ? (int64_t)number
               : -1;
}

void
lg__cuda_totals_ask(PyObject *memory, lg__cuda_totals *devices)
{
    for (int i = 0; i < LG__CUDA_DEVICES; i++) {
        lg__cuda_totals *at = &devices[i];
        if (!at->seen)
            continue;
        PyObject *stats = ask_stats(memory, i);
        at->allocated = item_of(stats, "allocated_bytes.all.current");
        at->reserved = item_of(stats, "reserved_bytes.all.current");
        at->peak_allocated = item_of(stats, "allocated_bytes.all.peak");
        at->peak_reserved = item_of(stats, "reserved_bytes.all.peak");
        Py_XDECREF(stats);
        PyObject *driver =
            lg__ask_callf(lg__pass_member(memory, "mem_get_info"), "(i)", i);
        at->driver_free = element(driver, 0);
        at->driver_total = element(driver, 1);
        Py_XDECREF(driver);
        at->driver_process = process_bytes(i);
    }
}

static void
add_number(lg__adapter_pass *pass, const char *key, int64_t number)
{
    char value[32];
    snprintf(value, sizeof value, "%lld", (long long)number);
    if (number >= 0)
        lg_builder_set_info(lg__pass_builder(pass), key, value);
}

uint32_t
lg__cuda_device_id(lg__adapter_pass *pass, unsigned ordinal)
{
    char name[32];
    snprintf(name, sizeof name, "cuda:%u", ordinal);
    return lg__pass_device(pass, name);
}

static void
add_device(lg__adapter_pass *pass, unsigned ordinal, const lg__cuda_totals *at)
{
    const struct {
        const char *name;
        int64_t number;
    } facts[] = {
        {"allocated", at->allocated},
        {"reserved", at->reserved},
        {"driver_total", at->driver_total},
        {"driver_free", at->driver_free},
        {"driver_process", at->driver_process},
        {"peak_allocated", at->peak_allocated},
        {"peak_reserved", at->peak_reserved},
    };
    lg__cuda_device_id(pass, ordinal);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        char key[64];
        snprintf(key, sizeof key, "device.cuda:%u.%s", ordinal, facts[i].name);
        add_number(pass, key, facts[i].number);
    }
}

void
lg__cuda_totals_add(lg__adapter_pass *pass, const lg__cuda_totals *devices)
{
    for (unsigned i = 0; i < LG__CUDA_DEVICES; i++)
        if (devices[i].seen)
            add_device(pass, i, &devices[i]);
}

void
lg__cuda_pinned_add(lg__adapter_pass *pass, PyObject *memory)
{
    PyObject *stats = lg__ask_call(
        lg__pass_member(memory, "host_memory_stats_as_nested_dict"), NULL,
        NULL);
    add_number(pass, "memory.pinned_pool",
               item_of(stats, "allocated_bytes.current"));
    add_number(pass, "memory.pinned_used",
               item_of(stats, "active_bytes.current"));
    add_number(pass, "memory.pinned_peak",
               item_of(stats, "allocated_bytes.peak"));
    Py_XDECREF(stats);
}

lg__cuda_activity
lg__cuda_activity_ask(PyObject *memory, const lg__cuda_totals *devices)
{
    static const char *const keys[] = {
        "allocation.all.allocated", "allocation.all.freed", "active.all.freed",
        "segment.all.allocated",    "segment.all.freed",
    };
    lg__cuda_activity out = {.known = true};
    for (int i = 0; i < LG__CUDA_DEVICES; i++) {
        PyObject *stats = devices[i].seen ? ask_stats(memory, i) : NULL;
        for (size_t k = 0; devices[i].seen && k < sizeof keys / sizeof *keys;
             k++) {
            int64_t number = item_of(stats, keys[k]);
            out.known = out.known && number >= 0;
            out.events += (uint64_t)number;
        }
        Py_XDECREF(stats);
    }
    return out;
}
