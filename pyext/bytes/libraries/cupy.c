/**
 * CuPy arrays: `data` is a pointer into `data.mem`, the block of the pool (or
 * the foreign memory) that stays as long as any array on it.
 */
#include "bytes/common/adapters.h"
#include "bytes/common/ask.h"
#include "bytes/common/device_array.h"

#include <stdlib.h>

static bool
cupy_prepare(lg_survey *survey, void **state)
{
    if (lg_survey_module("cupy") == NULL)
        return false;
    lg_array_types *types = calloc(1, sizeof *types);
    if (types == NULL)
        return false;
    lg_array_types_add(types, "cupy", "ndarray");
    if (lg_array_types_empty(types)) {
        free(types);
        lg_survey_note(survey, "not inspected: there is no cupy.ndarray");
        return false;
    }
    lg_survey_note(survey, "inspected: %s", lg_ask_version("cupy"));
    *state = types;
    return true;
}

/* Memory that another library lent has an `owner`. */
static bool
ask_memory(lg_survey *survey, PyObject *array, lg_array_memory *out)
{
    uint64_t ordinal;
    PyObject *memory = lg_ask_inner(array, "data", "mem");
    PyObject *owner = memory ? lg_ask_attribute(memory, "_owner") : NULL;
    bool told = memory != NULL &&
                lg_ask_number(lg_ask_attribute(memory, "ptr"), &out->address) &&
                lg_ask_number(lg_ask_attribute(memory, "size"), &out->length) &&
                lg_ask_number(lg_ask_attribute(memory, "device_id"), &ordinal);
    if (told)
        out->device = lg_cuda_device(survey, ordinal);
    out->owned = owner == NULL;
    Py_XDECREF(owner);
    Py_XDECREF(memory);
    return told;
}

static void
cupy_ask(lg_survey *survey, void *state)
{
    (void)state;
    lg_instance array;
    while (lg_survey_next(survey, &array)) {
        if (array.frontier)
            continue;
        lg_array_form form = lg_array_describe(survey, &array);
        lg_array_memory memory = {0};
        if (ask_memory(survey, array.object, &memory))
            lg_array_keeps(survey, &array, &memory, "cupy.memory", &form);
        else
            lg_array_unknown(survey, &array, "CuPy does not tell its memory");
    }
}

const lg_adapter lg_cupy_adapter = {
    .name = "cupy",
    .prepare = cupy_prepare,
    .kind = lg_array_types_kind,
    .survey = lg_array_types_survey,
    .ask = cupy_ask,
    .finish = lg_array_types_finish,
};
