/**
 * JAX arrays, from their public attributes: pointer, size and device of each
 * shard that this process can address.
 */
#include "bytes/common/bytes_common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
jax_prepare(lg__adapter_pass *pass, void **state)
{
    if (lg__pass_module("jax") == NULL)
        return false;
    lg__array_types *types = calloc(1, sizeof *types);
    if (types == NULL)
        return false;
    lg__array_types_add(types, "jax._src.array", "ArrayImpl");
    lg__array_types_add(types, "jaxlib._jax", "ArrayImpl");
    lg__array_types_add(types, "jaxlib.xla_extension", "ArrayImpl");
    if (lg__array_types_empty(types)) {
        free(types);
        lg__pass_note(pass, "not inspected: the class of jax.Array is missing "
                            "from its known place");
        return false;
    }
    lg__pass_note(pass, "inspected: %s", lg__ask_version("jax"));
    *state = types;
    return true;
}

/* JAX says "gpu" where PyTorch and the driver say "cuda". */
static uint32_t
device_of(lg__adapter_pass *pass, PyObject *device)
{
    static const char *const gpus[] = {"gpu", "cuda", "rocm"};
    PyObject *platform = lg__ask_attribute(device, "platform");
    const char *name = platform && PyUnicode_Check(platform)
                           ? PyUnicode_AsUTF8(platform)
                           : NULL;
    PyErr_Clear();
    uint64_t ordinal = 0;
    if (!lg__ask_number(lg__ask_attribute(device, "local_hardware_id"),
                        &ordinal))
        lg__ask_number(lg__ask_attribute(device, "id"), &ordinal);
    uint32_t id = LG_NONE;
    char text[64];
    for (size_t i = 0; name && i < sizeof gpus / sizeof *gpus; i++)
        if (strcmp(name, gpus[i]) == 0)
            id = lg__cuda_device(pass, ordinal);
    if (name != NULL && strcmp(name, "cpu") == 0) {
        id = 0;
    } else if (name != NULL && id == LG_NONE) {
        snprintf(text, sizeof text, "%.40s:%llu", name,
                 (unsigned long long)ordinal);
        id = lg__pass_device(pass, text);
    }
    Py_XDECREF(platform);
    return id;
}

/* Adds the memory that an array keeps on its one device. False if JAX does not
   report all of it. */
static bool
add_part(lg__adapter_pass *pass, const lg__instance *array, PyObject *device,
         PyObject *data, const lg__array_form *form)
{
    lg__array_memory memory = {.owned = true};
    bool known =
        device != NULL && data != NULL &&
        lg__ask_number(lg__ask_method(data, "unsafe_buffer_pointer"),
                       &memory.address) &&
        (lg__ask_number(lg__ask_method(data, "on_device_size_in_bytes"),
                        &memory.length) ||
         lg__ask_number(lg__ask_attribute(data, "nbytes"), &memory.length)) &&
        (memory.device = device_of(pass, device)) != LG_NONE;
    if (known)
        lg__array_keeps(pass, array, &memory, "jax.memory", form);
    return known;
}

/* Adds the shards of an array on several devices. JAX makes and keeps these
   objects on the first access; this reads them only if the program has made
   them. */
static bool
add_shards(lg__adapter_pass *pass, const lg__instance *array, PyObject *shards,
           const lg__array_form *form)
{
    bool known = PyList_CheckExact(shards);
    for (Py_ssize_t i = 0; known && i < PyList_GET_SIZE(shards); i++) {
        PyObject *shard = PyList_GET_ITEM(shards, i);
        PyObject *data = lg__pass_attribute(pass, shard, "_data");
        known =
            data != NULL && Py_TYPE(data) == Py_TYPE(array->object) &&
            add_part(pass, array, lg__pass_attribute(pass, shard, "_device"),
                     data, form);
    }
    return known;
}

/* Returns whether a sharding is of one of JAX's own classes. Other classes may
   run any code. */
static bool
is_own_sharding(PyObject *sharding)
{
    static const char *const names[] = {"SingleDeviceSharding", "NamedSharding",
                                        "GSPMDSharding", "PmapSharding"};
    PyObject *module = lg__pass_module("jax._src.sharding_impls");
    for (size_t i = 0; module && i < sizeof names / sizeof *names; i++)
        if ((PyObject *)Py_TYPE(sharding) == lg__pass_member(module, names[i]))
            return true;
    return false;
}

/* The one device that an array is on, or NULL; a new reference. */
static PyObject *
only_device(PyObject *array)
{
    PyObject *sharding = lg__ask_attribute(array, "_sharding");
    PyObject *devices =
        sharding != NULL && is_own_sharding(sharding)
            ? lg__ask_attribute(sharding, "_internal_device_list")
            : NULL;
    PyObject *device = devices != NULL && PyObject_Length(devices) == 1
                           ? PySequence_GetItem(devices, 0)
                           : NULL;
    PyErr_Clear();
    Py_XDECREF(devices);
    Py_XDECREF(sharding);
    return device;
}

static void
ask_array(lg__adapter_pass *pass, const lg__instance *array)
{
    if (lg__ask_true(lg__ask_method(array->object, "is_deleted")))
        return;
    lg__array_form form = lg__array_describe(pass, array);
    /* Reading its pointer would wait for the computation. */
    if (!lg__ask_true(lg__ask_method(array->object, "is_ready"))) {
        lg__array_unknown(pass, array, "JAX is still computing it");
        return;
    }
    PyObject *shards =
        lg__pass_attribute(pass, array->object, "addressable_shards");
    PyObject *device = shards == NULL ? only_device(array->object) : NULL;
    if (shards == NULL && device == NULL)
        lg__array_unknown(
            pass, array,
            "JAX reports the memory of an array on several devices "
            "only after an access to its addressable_shards");
    else if (shards != NULL
                 ? !add_shards(pass, array, shards, &form)
                 : !add_part(pass, array, device, array->object, &form))
        lg__array_unknown(pass, array, "JAX does not report its memory");
    Py_XDECREF(device);
}

static void
jax_ask(lg__adapter_pass *pass, void *state)
{
    (void)state;
    lg__instance array;
    while (lg__pass_next(pass, &array))
        if (!array.frontier)
            ask_array(pass, &array);
}

const lg__adapter lg__jax_adapter = {
    .name = "jax",
    .prepare = jax_prepare,
    .kind = lg__array_types_kind,
    .pass = lg__array_types_scan,
    .ask = jax_ask,
    .finish = lg__array_types_finish,
};
