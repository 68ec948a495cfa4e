/**
 * Numba's device arrays: `gpu_data` is a pointer, or a view of one. Its `owner`
 * is the whole allocation, which lives as long as any array on it.
 */
#include "bytes/common/bytes_common.h"

#include <stdlib.h>

static bool
numba_prepare(lg__adapter_pass *pass, void **state)
{
    static const char module[] = "numba.cuda.cudadrv.devicearray";
    if (lg__pass_module(module) == NULL)
        return false;
    lg__array_types *types = calloc(1, sizeof *types);
    if (types == NULL)
        return false;
    lg__array_types_add(types, module, "DeviceNDArray");
    lg__array_types_add(types, module, "DeviceRecord");
    if (lg__array_types_empty(types)) {
        free(types);
        lg__pass_note(pass, "not inspected: there is no DeviceNDArray in %s",
                      module);
        return false;
    }
    lg__pass_note(pass, "inspected: %s", lg__ask_version("numba"));
    *state = types;
    return true;
}

static bool
ask_range(PyObject *pointer, lg__array_memory *out)
{
    PyObject *value = lg__ask_attribute(pointer, "device_pointer_value");
    if (value == Py_None) {
        Py_DECREF(value); /* an array without elements */
        return true;
    }
    return lg__ask_number(value, &out->address) &&
           lg__ask_number(lg__ask_attribute(pointer, "size"), &out->length);
}

/* The owner of memory that another library lent is no pointer. */
static bool
ask_memory(lg__adapter_pass *pass, PyObject *array, lg__array_memory *out)
{
    uint64_t ordinal = 0;
    PyObject *pointer = lg__ask_attribute(array, "gpu_data");
    PyObject *owner = pointer ? lg__ask_attribute(pointer, "owner") : NULL;
    PyObject *device =
        pointer ? lg__ask_inner(pointer, "context", "device") : NULL;
    bool known = pointer != NULL && device != NULL &&
                 lg__ask_number(lg__ask_attribute(device, "id"), &ordinal);
    if (known) {
        out->owned = owner != NULL && ask_range(owner, out);
        known = out->owned || ask_range(pointer, out);
        out->device = lg__cuda_device(pass, ordinal);
    }
    Py_XDECREF(device);
    Py_XDECREF(owner);
    Py_XDECREF(pointer);
    return known;
}

static void
numba_ask(lg__adapter_pass *pass, void *state)
{
    (void)state;
    lg__arrays_ask(pass, ask_memory, "numba.memory",
                   "Numba does not report its memory");
}

const lg__adapter lg__numba_adapter = {
    .name = "numba",
    .prepare = numba_prepare,
    .kind = lg__array_types_kind,
    .pass = lg__array_types_scan,
    .ask = numba_ask,
    .finish = lg__array_types_finish,
};
