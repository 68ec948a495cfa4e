/**
 * Names PyTorch's parameters: "fc1.weight" after the modules that have them, or
 * "param 3" after their place in an optimizer's param_groups. The name is a
 * fact of the tensor, and also its text as the key of a dict, as in the state
 * of an optimizer.
 *
 * This adapter comes after all others, because a user may have registered the
 * memory of a module's type.
 */
#include "bytes/common/bytes_common.h"
#include "bytes/torch/torch_table.h"

#include <stdio.h>
#include <string.h>

enum { MODULE = 1, OPTIMIZER, NAME = 200, DEPTH = 32 };

/** Where the pass first found a module or a parameter. */
typedef struct place {
    PyObject *module; /**< NULL: in an optimizer */
    const char *name; /**< the name there; kept */
    bool parameter;
} place;

typedef struct names {
    lg__adapter_pass *pass;
    PyTypeObject *module;
    PyTypeObject *optimizer;
    lg__torch_table places; /**< by object */
} names;

static bool
prepare(lg__adapter_pass *pass, void **state)
{
    PyTypeObject *module = lg__type_in("torch.nn.modules.module", "Module");
    if (module == NULL || lg__pass_hides_keys(pass))
        return false;
    names *self = lg__pass_keep(pass, sizeof *self);
    if (self == NULL)
        return false;
    self->pass = pass;
    self->module = module;
    self->optimizer = lg__type_in("torch.optim.optimizer", "Optimizer");
    *state = self;
    return true;
}

static unsigned
kind(void *state, PyTypeObject *type)
{
    const names *self = state;
    if (PyType_IsSubtype(type, self->module))
        return MODULE;
    return self->optimizer != NULL && PyType_IsSubtype(type, self->optimizer)
               ? OPTIMIZER
               : 0;
}

/** Remembers the place of an object; a module takes precedence over an
 *  optimizer. */
static void
put(names *self, PyObject *object, PyObject *module, const char *name,
    bool parameter)
{
    uintptr_t key = (uintptr_t)object;
    lg__torch_slot *slot = lg__torch_slot_of(self->pass, &self->places, key);
    if (slot == NULL)
        return;
    place *known = slot->value;
    if (known != NULL && (known->module != NULL || module == NULL))
        return;
    size_t size = strlen(name) + 1;
    char *copy = lg__pass_keep(self->pass, size);
    place *fresh =
        known != NULL ? known : lg__pass_keep(self->pass, sizeof *fresh);
    if (copy == NULL || fresh == NULL)
        return;
    memcpy(copy, name, size);
    *fresh = (place){module, copy, parameter};
    if (known == NULL)
        lg__torch_fill(&self->places, slot, key, fresh);
}

/** Remembers what a module's dict holds, by name. Skips names that are not
 *  plain strs, because no attribute has such a name. */
static void
put_all(names *self, PyObject *module, const char *dict_name, bool parameters)
{
    PyObject *dict = lg__pass_attribute(self->pass, module, dict_name);
    PyObject *key, *value;
    Py_ssize_t at = 0;
    if (dict == NULL || !PyDict_Check(dict))
        return;
    while (PyDict_Next(dict, &at, &key, &value))
        if (value != Py_None && PyUnicode_Check(key) &&
            PyUnicode_IS_COMPACT_ASCII(key) && PyUnicode_GET_LENGTH(key) < NAME)
            put(self, value, module, PyUnicode_DATA(key), parameters);
}

/** Numbers parameters through all groups, like an optimizer's state_dict(). */
static void
number_parameters(names *self, PyObject *optimizer)
{
    PyObject *groups =
        lg__pass_attribute(self->pass, optimizer, "param_groups");
    char name[32];
    unsigned number = 0;
    if (groups == NULL || !PyList_CheckExact(groups))
        return;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(groups); i++) {
        PyObject *list = lg__pass_item(PyList_GET_ITEM(groups, i), "params");
        if (list == NULL || !PyList_CheckExact(list))
            continue;
        for (Py_ssize_t k = 0; k < PyList_GET_SIZE(list); k++) {
            snprintf(name, sizeof name, "param %u", number++);
            put(self, PyList_GET_ITEM(list, k), NULL, name, true);
        }
    }
}

static void
pass(lg__adapter_pass *pass, void *state)
{
    lg__instance instance;
    while (lg__pass_next(pass, &instance)) {
        if (instance.frontier)
            continue;
        if (instance.kind == OPTIMIZER) {
            number_parameters(state, instance.object);
            continue;
        }
        put_all(state, instance.object, "_parameters", true);
        put_all(state, instance.object, "_modules", false);
    }
}

static const place *
place_of(names *self, PyObject *object)
{
    lg__torch_slot *slot =
        object != NULL
            ? lg__torch_slot_of(self->pass, &self->places, (uintptr_t)object)
            : NULL;
    return slot != NULL ? slot->value : NULL;
}

/** Writes "encoder.0.weight" from its end, up to the module that is in no
 *  other. False if it would be too long. */
static bool
write_name(names *self, const place *from, char out[NAME], const char **begin)
{
    size_t at = NAME - 1;
    unsigned depth = 0;
    out[at] = '\0';
    for (const place *step = from; step != NULL;
         step = place_of(self, step->module)) {
        size_t length = strlen(step->name);
        if (length + 1 > at || ++depth > DEPTH)
            return false;
        if (step != from)
            out[--at] = '.';
        at -= length;
        memcpy(out + at, step->name, length);
    }
    *begin = out + at;
    return true;
}

static void
settle(lg__adapter_pass *pass, void *state)
{
    names *self = state;
    char text[NAME];
    const char *name;
    for (size_t i = 0; i < self->places.capacity; i++) {
        const lg__torch_slot *slot = &self->places.slots[i];
        const place *found = slot->value;
        if (found == NULL || !found->parameter)
            continue;
        uint32_t node = lg__pass_known(pass, (const void *)slot->key);
        if (node != LG_NONE && write_name(self, found, text, &name))
            lg_builder_add_fact(lg__pass_builder(pass), node, "parameter", name,
                                strlen(name));
    }
}

static void
finish(void *state)
{
    (void)state;
}

const lg__adapter lg__torch_parameter_adapter = {
    .name = "torch.nn",
    .prepare = prepare,
    .kind = kind,
    .pass = pass,
    .settle = settle,
    .finish = finish,
};
