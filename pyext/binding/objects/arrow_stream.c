/* Hands batches out: streams and schemas of Arrow's C data interface. */
#include "binding/objects/arrow_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The specification defines these structures as a part of its ABI. */
struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

enum { NULLABLE = 2 };

static void
release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i]->release != NULL)
            schema->children[i]->release(schema->children[i]);
        free(schema->children[i]);
    }
    free(schema->children);
    free((void *)(uintptr_t)schema->name);
    free((void *)(uintptr_t)schema->format);
    schema->release = NULL;
}

static void
release_array(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release != NULL)
            array->children[i]->release(array->children[i]);
        free(array->children[i]);
    }
    for (int64_t i = 0; i < array->n_buffers; i++)
        free((void *)(uintptr_t)array->buffers[i]);
    free(array->children);
    free(array->buffers);
    array->release = NULL;
}

static int64_t
count_children(const lg__arrow_batch *batch, uint32_t parent)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < batch->count; i++)
        count += batch->columns[i].parent == parent;
    return count;
}

static bool
fill_schema(const lg__arrow_batch *batch, uint32_t parent, const char *format,
            const char *name, struct ArrowSchema *out)
{
    int64_t count = count_children(batch, parent);
    *out = (struct ArrowSchema){.format = strdup(format),
                                .name = strdup(name),
                                .flags = NULLABLE,
                                .release = release_schema};
    out->children = calloc((size_t)count + 1, sizeof *out->children);
    bool fine = out->format && out->name && out->children;
    for (uint32_t i = 0; fine && i < batch->count; i++) {
        const lg__column_object *one = &batch->columns[i];
        if (one->parent != parent)
            continue;
        struct ArrowSchema *child = calloc(1, sizeof *child);
        fine = child != NULL;
        if (!fine)
            break;
        out->children[out->n_children++] = child;
        bool record = *one->format == '+';
        fine = fill_schema(batch, record ? i + 1 : UINT32_MAX, one->format,
                           one->name, child);
    }
    return fine;
}

/* Hands over the buffers of a column. */
static bool
take_buffers(lg__column_object *one, struct ArrowArray *out)
{
    bool text = *one->format == 'U', record = *one->format == '+';
    out->n_buffers = text ? 3 : record ? 1 : 2;
    out->buffers = calloc(3, sizeof *out->buffers);
    if (out->buffers == NULL) {
        out->n_buffers = 0;
        return false;
    }
    out->buffers[0] = one->validity;
    if (record)
        free(one->values);
    else
        out->buffers[1] = one->values;
    if (text)
        out->buffers[2] = one->bytes ? one->bytes : calloc(1, 1);
    one->validity = NULL;
    one->values = one->bytes = NULL;
    return true;
}

static bool
fill_array(lg__arrow_batch *batch, uint32_t parent, lg__column_object *own,
           struct ArrowArray *out)
{
    lg__column_object whole = {.format = "+s"};
    int64_t count = count_children(batch, parent);
    own = own ? own : &whole;
    *out = (struct ArrowArray){.length = (int64_t)batch->rows,
                               .null_count = (int64_t)own->nulls,
                               .release = release_array};
    out->children = calloc((size_t)count + 1, sizeof *out->children);
    bool fine = out->children != NULL && take_buffers(own, out);
    for (uint32_t i = 0; fine && i < batch->count; i++) {
        lg__column_object *one = &batch->columns[i];
        if (one->parent != parent)
            continue;
        struct ArrowArray *child = calloc(1, sizeof *child);
        fine = child != NULL;
        if (!fine)
            break;
        out->children[out->n_children++] = child;
        bool record = *one->format == '+';
        fine = fill_array(batch, record ? i + 1 : UINT32_MAX, one, child);
    }
    return fine;
}

static int
get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    if (fill_schema(stream->private_data, 0, "+s", "", out))
        return 0;
    release_schema(out);
    return ENOMEM;
}

static int
get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    lg__arrow_batch *batch = stream->private_data;
    if (batch->taken) {
        *out = (struct ArrowArray){0};
        return 0;
    }
    /* The batch still owns, and frees, what was not handed over. */
    batch->taken = fill_array(batch, 0, NULL, out);
    if (!batch->taken)
        release_array(out);
    return batch->taken ? 0 : ENOMEM;
}

static const char *
get_last_error(struct ArrowArrayStream *Py_UNUSED(stream))
{
    return "memory ran out";
}

static void
release_stream(struct ArrowArrayStream *stream)
{
    lg__arrow_batch_free(stream->private_data);
    stream->release = NULL;
}

static void
drop_capsule(PyObject *capsule)
{
    struct ArrowArrayStream *stream =
        PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (stream != NULL && stream->release != NULL)
        stream->release(stream);
    free(stream);
}

PyObject *
lg__arrow_stream(lg__arrow_batch *batch)
{
    struct ArrowArrayStream *stream = malloc(sizeof *stream);
    if (batch == NULL || batch->failed || stream == NULL) {
        free(stream);
        lg__arrow_batch_free(batch);
        return PyErr_NoMemory();
    }
    *stream = (struct ArrowArrayStream){get_schema, get_next, get_last_error,
                                        release_stream, batch};
    PyObject *capsule =
        PyCapsule_New(stream, "arrow_array_stream", drop_capsule);
    if (capsule == NULL) {
        release_stream(stream);
        free(stream);
    }
    return capsule;
}

static void
drop_schema(PyObject *capsule)
{
    struct ArrowSchema *schema = PyCapsule_GetPointer(capsule, "arrow_schema");
    if (schema != NULL && schema->release != NULL)
        schema->release(schema);
    free(schema);
}

PyObject *
lg__arrow_schema(lg__arrow_batch *batch)
{
    struct ArrowSchema *schema = calloc(1, sizeof *schema);
    bool fine = batch != NULL && !batch->failed && schema != NULL &&
                fill_schema(batch, 0, "+s", "", schema);
    lg__arrow_batch_free(batch);
    PyObject *capsule = fine
                            ? PyCapsule_New(schema, "arrow_schema", drop_schema)
                            : PyErr_NoMemory();
    if (capsule == NULL && schema != NULL && schema->release != NULL)
        schema->release(schema);
    if (capsule == NULL)
        free(schema);
    return capsule;
}
