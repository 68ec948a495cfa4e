/**
 * CuPy arrays: `data` points into `data.mem`, a block of the pool or foreign
 * memory, which lives as long as any array on it.
 */
#include "bytes/common/adapters.h"
#include "bytes/common/ask.h"
#include "bytes/common/device_array.h"

#include <stdlib.h>

static bool
cupy_prepare(lg_adapter_pass *pass, void **state)
{
    if (lg_pass_module("cupy") == NULL)
        return false;
    lg_array_types *types = calloc(1, sizeof *types);
    if (types == NULL)
        return false;
    lg_array_types_add(types, "cupy", "ndarray");
    if (lg_array_types_empty(types)) {
        free(types);
        lg_pass_note(pass, "not inspected: there is no cupy.ndarray");
        return false;
    }
    lg_pass_note(pass, "inspected: %s", lg_ask_version("cupy"));
    *state = types;
    return true;
}

/* Memory that another library lent has an `owner`. */
static bool
ask_memory(lg_adapter_pass *pass, PyObject *array, lg_array_memory *out)
{
    uint64_t ordinal;
    PyObject *memory = lg_ask_inner(array, "data", "mem");
    PyObject *owner = memory ? lg_ask_attribute(memory, "_owner") : NULL;
    bool known =
        memory != NULL &&
        lg_ask_number(lg_ask_attribute(memory, "ptr"), &out->address) &&
        lg_ask_number(lg_ask_attribute(memory, "size"), &out->length) &&
        lg_ask_number(lg_ask_attribute(memory, "device_id"), &ordinal);
    if (known)
        out->device = lg_cuda_device(pass, ordinal);
    out->owned = owner == NULL;
    Py_XDECREF(owner);
    Py_XDECREF(memory);
    return known;
}

static void
cupy_ask(lg_adapter_pass *pass, void *state)
{
    (void)state;
    lg_instance array;
    while (lg_pass_next(pass, &array)) {
        if (array.frontier)
            continue;
        lg_array_form form = lg_array_describe(pass, &array);
        lg_array_memory memory = {0};
        if (ask_memory(pass, array.object, &memory))
            lg_array_keeps(pass, &array, &memory, "cupy.memory", &form);
        else
            lg_array_unknown(pass, &array, "CuPy does not report its memory");
    }
}

const lg_adapter lg_cupy_adapter = {
    .name = "cupy",
    .prepare = cupy_prepare,
    .kind = lg_array_types_kind,
    .pass = lg_array_types_scan,
    .ask = cupy_ask,
    .finish = lg_array_types_finish,
};
