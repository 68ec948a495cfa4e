/**
 * CuPy arrays: `data` points into `data.mem`, a block of the pool or foreign
 * memory, which lives as long as any array on it.
 */
#include "bytes/common/bytes_common.h"

#include <stdlib.h>

static bool
cupy_prepare(lg__adapter_pass *pass, void **state)
{
    if (lg__pass_module("cupy") == NULL)
        return false;
    lg__array_types *types = calloc(1, sizeof *types);
    if (types == NULL)
        return false;
    lg__array_types_add(types, "cupy", "ndarray");
    if (lg__array_types_empty(types)) {
        free(types);
        lg__pass_note(pass, "not inspected: there is no cupy.ndarray");
        return false;
    }
    lg__pass_note(pass, "inspected: %s", lg__ask_version("cupy"));
    *state = types;
    return true;
}

/* Memory that another library lent has an `owner`. */
static bool
ask_memory(lg__adapter_pass *pass, PyObject *array, lg__array_memory *out)
{
    uint64_t ordinal;
    PyObject *memory = lg__ask_inner(array, "data", "mem");
    PyObject *owner = memory ? lg__ask_attribute(memory, "_owner") : NULL;
    bool known =
        memory != NULL &&
        lg__ask_number(lg__ask_attribute(memory, "ptr"), &out->address) &&
        lg__ask_number(lg__ask_attribute(memory, "size"), &out->length) &&
        lg__ask_number(lg__ask_attribute(memory, "device_id"), &ordinal);
    if (known)
        out->device = lg__cuda_device(pass, ordinal);
    out->owned = owner == NULL;
    Py_XDECREF(owner);
    Py_XDECREF(memory);
    return known;
}

static void
cupy_ask(lg__adapter_pass *pass, void *state)
{
    (void)state;
    lg__arrays_ask(pass, ask_memory, "cupy.memory",
                   "CuPy does not report its memory");
}

const lg__adapter lg__cupy_adapter = {
    .name = "cupy",
    .prepare = cupy_prepare,
    .kind = lg__array_types_kind,
    .pass = lg__array_types_scan,
    .ask = cupy_ask,
    .finish = lg__array_types_finish,
};
