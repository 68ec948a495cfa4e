/**
 * Finds which words of a struct its traverser reports. Versions differ in that,
 * so the walk probes each type's traverser once, with an object whose words are
 * marks. From then on the walker reads the words, and neither calls the
 * traverser nor searches what it reports.
 *
 * A traverser may follow pointers of the object that are no references. So this
 * probes only traversers that are known to pass their words on, on 3.9 to 3.15.
 * The words that are no references lead to zeros.
 */
#include "capture/walk/heap_walk.h"

#include <string.h>

enum { MOST_WORDS = 64 };

/** An object of marks: a named word holds its own address. */
typedef struct marked {
    uintptr_t words[MOST_WORDS];
    uintptr_t zeros[MOST_WORDS];
    lg__type_info *info;
    uint32_t reported; /**< the fields before this one are in order */
    bool unknown;      /**< the traverser reports something else, too */
} marked;

/** Returns whether this very type's traverser passes words on, and nothing
 *  else. */
static bool
may_be_asked(const PyTypeObject *type)
{
    const PyTypeObject *const plain[] = {
        &PyFunction_Type,         &PyCode_Type,         &PyCell_Type,
        &PyMethod_Type,           &PyCFunction_Type,    &PyMemberDescr_Type,
        &PyGetSetDescr_Type,      &PyMethodDescr_Type,  &PyWrapperDescr_Type,
        &PyProperty_Type,         &PyStaticMethod_Type, &PyClassMethod_Type,
        &PyClassMethodDescr_Type,
    };
    for (size_t i = 0; i < LG__COUNT(plain); i++)
        if (plain[i] == type)
            return true;
    return false;
}

/** Moves the field of a reported word behind those reported before. */
static int
note(PyObject *child, void *context)
{
    marked *object = context;
    lg__named_field *fields = object->info->fields;
    uintptr_t offset = (uintptr_t)child - (uintptr_t)object->words;
    for (uint32_t i = object->reported; i < object->info->field_count; i++) {
        if (fields[i].offset != offset)
            continue;
        lg__named_field found = fields[i];
        memmove(&fields[object->reported + 1], &fields[object->reported],
                (i - object->reported) * sizeof found);
        found.kind |= LG_EDGE_TRAVERSED;
        fields[object->reported++] = found;
        return 0;
    }
    object->unknown = true;
    return 0;
}

static void
mark_words(marked *object)
{
    const lg__type_info *info = object->info;
    PyObject *head = (PyObject *)object->words;
    for (size_t i = 0; i < MOST_WORDS; i++)
        object->words[i] = (uintptr_t)object->zeros;
    head->ob_type = info->type;
    for (uint32_t i = 0; i < info->field_count; i++) {
        uintptr_t *word = &object->words[info->fields[i].offset / sizeof *word];
        *word = (uintptr_t)word;
    }
}

/** A declared word that is not reported may hold anything. */
static bool
all_are_sure(const lg__type_info *info)
{
    for (uint32_t i = 0; i < info->field_count; i++)
        if (info->fields[i].declared &&
            !(info->fields[i].kind & LG_EDGE_TRAVERSED))
            return false;
    return true;
}

static void
unmark_fields(lg__type_info *info)
{
    for (uint32_t i = 0; i < info->field_count; i++)
        info->fields[i].kind &= (uint8_t) ~(unsigned)LG_EDGE_TRAVERSED;
}

bool
lg__probe_struct(lg__type_info *info)
{
    marked object = {.info = info};
    if (!may_be_asked(info->type) || info->dict_kind != LG__DICT_NONE ||
        (size_t)info->type->tp_basicsize > sizeof object.words)
        return false;
    mark_words(&object);
    if (info->traverse)
        info->type->tp_traverse((PyObject *)object.words, note, &object);
    if (!object.unknown && (!info->traverse || all_are_sure(info)))
        return true;
    unmark_fields(info);
    return false;
}
