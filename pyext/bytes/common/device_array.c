#include "bytes/common/device_array.h"
#include "bytes/common/ask.h"

#include <leakgraph/internal/writing.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t
lg__cuda_device(lg__adapter_pass *pass, uint64_t ordinal)
{
    char name[32];
    snprintf(name, sizeof name, "cuda:%llu", (unsigned long long)ordinal);
    return lg__pass_device(pass, name);
}

static void
add_fact(lg__adapter_pass *pass, const lg__instance *array, const char *key,
         const lg_text *value)
{
    if (value->length > 0 && !value->failed)
        lg_builder_add_fact(lg__pass_builder(pass), array->node, key,
                            value->data, value->length);
}

static void
format_dtype(PyObject *array, lg_text *out)
{
    PyObject *name = lg__ask_inner(array, "dtype", "name");
    const char *text =
        name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    PyErr_Clear();
    if (text != NULL)
        lg_text_add(out, text);
    Py_XDECREF(name);
}

/* False unless it is a tuple of whole numbers. */
static bool
format_shape(PyObject *array, lg_text *out)
{
    PyObject *shape = lg__ask_attribute(array, "shape");
    bool fine = shape != NULL && PyTuple_Check(shape);
    for (Py_ssize_t i = 0; fine && i < PyTuple_GET_SIZE(shape); i++) {
        uint64_t extent = 0;
        PyObject *item = PyTuple_GET_ITEM(shape, i);
        Py_INCREF(item);
        fine = lg__ask_number(item, &extent);
        lg_text_addf(out, "%s%llu", i ? ", " : "", (unsigned long long)extent);
    }
    Py_XDECREF(shape);
    return fine;
}

lg__array_form
lg__array_describe(lg__adapter_pass *pass, const lg__instance *array)
{
    lg_text dtype = {0}, shape = {0}, text = {0}, size = {0};
    lg__array_form form = {0};
    format_dtype(array->object, &dtype);
    bool has_shape = format_shape(array->object, &shape);
    if (lg__ask_number(lg__ask_attribute(array->object, "nbytes"), &form.bytes))
        lg_text_addf(&size, "%llu", (unsigned long long)form.bytes);
    add_fact(pass, array, "dtype", &dtype);
    add_fact(pass, array, "bytes", &size);
    if (has_shape && dtype.length > 0) {
        add_fact(pass, array, "shape", &shape);
        lg_text_addf(&text, "%s[%s]", dtype.data,
                     shape.data != NULL ? shape.data : "");
        if (!text.failed)
            form.text = lg_builder_intern(lg__pass_builder(pass), text.data,
                                          text.length);
    }
    lg_text_free(&dtype);
    lg_text_free(&shape);
    lg_text_free(&text);
    lg_text_free(&size);
    return form;
}

void
lg__array_keeps(lg__adapter_pass *pass, const lg__instance *array,
                const lg__array_memory *memory, const char *type,
                const lg__array_form *form)
{
    lg_builder *builder = lg__pass_builder(pass);
    bool fills = form->bytes >= memory->length / 2;
    lg_span span = {
        .holder = array->node,
        .device = memory->device,
        .address = memory->address,
        .length = memory->length,
        .type = lg__pass_type(pass, type, LG_NONE),
        .text = fills ? form->text : 0,
        .label = lg_builder_intern(builder, "data", 4),
        .flags = memory->owned && fills ? LG_SPAN_OWNER : 0,
    };
    lg_builder_add_span(builder, &span);
}

void
lg__array_unknown(lg__adapter_pass *pass, const lg__instance *array,
                  const char *why)
{
    lg_builder_add_fact(lg__pass_builder(pass), array->node, "not inspected",
                        why, strlen(why));
}

void
lg__arrays_ask(lg__adapter_pass *pass, lg__array_asks *ask, const char *type,
               const char *unknown)
{
    lg__instance array;
    while (lg__pass_next(pass, &array)) {
        if (array.frontier)
            continue;
        lg__array_form form = lg__array_describe(pass, &array);
        lg__array_memory memory = {0};
        if (ask(pass, array.object, &memory))
            lg__array_keeps(pass, &array, &memory, type, &form);
        else
            lg__array_unknown(pass, &array, unknown);
    }
}

void
lg__array_types_add(lg__array_types *types, const char *module,
                    const char *name)
{
    PyTypeObject *found = lg__type_in(module, name);
    if (found == NULL)
        return;
    for (size_t i = 0; i < sizeof types->type / sizeof *types->type; i++) {
        if (types->type[i] == found)
            return;
        if (types->type[i] == NULL) {
            types->type[i] = found;
            return;
        }
    }
}

bool
lg__array_types_empty(const lg__array_types *types)
{
    return types->type[0] == NULL;
}

unsigned
lg__array_types_kind(void *state, PyTypeObject *type)
{
    const lg__array_types *types = state;
    for (size_t i = 0; i < sizeof types->type / sizeof *types->type; i++)
        if (types->type[i] != NULL && types->type[i] == type)
            return 1;
    return 0;
}

void
lg__array_types_scan(lg__adapter_pass *pass, void *state)
{
    (void)pass;
    (void)state;
}

void
lg__array_types_finish(void *state)
{
    free(state);
}
