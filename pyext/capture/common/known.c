#include "capture/common/known.h"

traverseproc lg__subtype_traverse;
destructor lg__subtype_dealloc;

bool
lg__type_is_pythons(const PyTypeObject *type)
{
    return (type->tp_flags & Py_TPFLAGS_HEAPTYPE) &&
           type->tp_dealloc == lg__subtype_dealloc;
}

PyTypeObject *
lg__c_type_of(const PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    while (type->tp_base != NULL && lg__type_is_pythons(type))
        type = type->tp_base;
    return type;
}

bool
lg__known_is(const lg__known *known, const PyTypeObject *type,
             lg__known_name name)
{
    const PyTypeObject *wanted = known->type[name];
    while (wanted != NULL && type != NULL && type != wanted)
        type = type->tp_base;
    return wanted != NULL && type != NULL;
}

bool
lg__known_has_size(const lg__known *known, const PyTypeObject *type)
{
    for (size_t i = LG__KNOWN_SIMPLE_QUEUE; i < LG__KNOWN_COUNT; i++)
        if (known->type[i] == type)
            return true;
    return false;
}
