/**
 * Describes a type of pyarrow by Arrow's C data interface. pyarrow itself would
 * run code of the user, if a type is or contains an extension type with a class
 * of the user.
 */
#include "bytes/libraries/pyarrow.h"
#include "bytes/common/bytes_common.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 32 };

/** The Arrow C data interface. */
struct arrow_type {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t child_count;
    struct arrow_type **children;
    struct arrow_type *dictionary;
    void (*release)(struct arrow_type *);
    void *private_data;
};

/** The Arrow C stream interface. */
typedef struct arrow_stream {
    int (*get_schema)(struct arrow_stream *, struct arrow_type *);
    int (*get_next)(struct arrow_stream *, void *);
    const char *(*get_last_error)(struct arrow_stream *);
    void (*release)(struct arrow_stream *);
    void *private_data;
} arrow_stream;

static int32_t
take_length(const char **at)
{
    int32_t length;
    memcpy(&length, *at, sizeof length);
    *at += sizeof length;
    return length;
}

/** The name of an extension type, which follows its length; NULL if the type is
 *  no extension type. */
static const char *
extension_name(const struct arrow_type *schema)
{
    static const char key[] = "ARROW:extension:name";
    const char *at = schema->metadata;
    int32_t count = at != NULL ? take_length(&at) : 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t length = take_length(&at);
        bool found =
            length == sizeof key - 1 && memcmp(at, key, sizeof key - 1) == 0;
        at += length;
        if (found)
            return at;
        length = take_length(&at);
        at += length;
    }
    return NULL;
}

static void
look_inside(const struct arrow_type *schema, int depth, lg__arrow_form *out)
{
    if (depth > DEPTH_MAX || (depth > 0 && extension_name(schema) != NULL))
        out->extension_inside = true;
    if (schema->dictionary != NULL)
        out->dictionaries = true;
    if (depth > DEPTH_MAX)
        return;
    for (int64_t i = 0; i < schema->child_count; i++)
        look_inside(schema->children[i], depth + 1, out);
    if (schema->dictionary != NULL)
        look_inside(schema->dictionary, depth + 1, out);
}

static lg__arrow_form
form_of(const struct arrow_type *schema)
{
    lg__arrow_form form = {.known = true};
    const char *name = extension_name(schema);
    form.extension = name != NULL;
    if (name != NULL) {
        int32_t length = take_length(&name);
        snprintf(form.text, sizeof form.text, "extension<%.*s>",
                 length < 40 ? length : 40, name);
    }
    look_inside(schema, 0, &form);
    if (form.extension_inside && name == NULL)
        snprintf(form.text, sizeof form.text, "extension types inside");
    return form;
}

static void
release(struct arrow_type *schema)
{
    if (schema->release != NULL)
        schema->release(schema);
}

/** Makes a DataType or Schema describe itself. */
static bool export(PyObject *object, struct arrow_type *out)
{
    PyObject *method =
        object != NULL ? lg__arrow_get(object, "_export_to_c") : NULL;
    PyObject *done =
        lg__ask_callf(method, "(K)", (unsigned long long)(uintptr_t)out);
    bool fine = done != NULL && out->release != NULL;
    Py_XDECREF(done);
    Py_XDECREF(method);
    return fine;
}

/** Writes str() of a type without extensions, which is pyarrow's own code. */
static void
format_type(PyObject *type, lg__arrow_form *form)
{
    PyObject *string = type != NULL && !lg__type_is_pythons(Py_TYPE(type))
                           ? PyObject_Str(type)
                           : NULL;
    const char *text = string != NULL ? PyUnicode_AsUTF8(string) : NULL;
    PyErr_Clear();
    snprintf(form->text, sizeof form->text, "%s", text != NULL ? text : "?");
    Py_XDECREF(string);
}

static lg__arrow_form
form_of_array(PyObject *array)
{
    struct arrow_type schema = {0};
    lg__arrow_form form = {.text = "?"};
    PyObject *type = lg__arrow_get(array, "type");
    if (export(type, &schema))
        form = form_of(&schema);
    if (form.known && !form.extension && !form.extension_inside)
        format_type(type, &form);
    release(&schema);
    Py_XDECREF(type);
    return form;
}

static lg__arrow_form
form_of_chunks(PyObject *chunked)
{
    struct arrow_type schema = {0};
    lg__arrow_form form = {.text = "?"};
    PyObject *method = lg__arrow_get(chunked, "__arrow_c_stream__");
    PyObject *capsule = lg__ask_call(method, NULL, NULL);
    arrow_stream *stream =
        capsule != NULL ? PyCapsule_GetPointer(capsule, "arrow_array_stream")
                        : NULL;
    PyErr_Clear();
    if (stream != NULL && stream->get_schema(stream, &schema) == 0)
        form = form_of(&schema);
    if (form.known && !form.extension && !form.extension_inside) {
        PyObject *type = lg__arrow_get(chunked, "type");
        format_type(type, &form);
        Py_XDECREF(type);
    }
    release(&schema);
    Py_XDECREF(capsule);
    Py_XDECREF(method);
    return form;
}

lg__arrow_form
lg__arrow_form_of(PyObject *object, bool chunked)
{
    return chunked ? form_of_chunks(object) : form_of_array(object);
}

static bool
is_plain(const struct arrow_type *column)
{
    const lg__arrow_form form = form_of(column);
    return !form.extension && !form.extension_inside;
}

const bool *
lg__arrow_plain_columns(lg__adapter_pass *pass, PyObject *schema,
                        Py_ssize_t count)
{
    struct arrow_type type = {0};
    bool *plain = lg__pass_keep(pass, (size_t)count + 1);
    const bool described = plain != NULL && export(schema, &type);
    for (Py_ssize_t i = 0; described && i < count; i++)
        plain[i] = i < type.child_count && is_plain(type.children[i]);
    release(&type);
    return described ? plain : NULL;
}

PyObject *
lg__arrow_get(PyObject *object, const char *name)
{
    return lg__ask_as(lg__c_type_of(object), object, name);
}
