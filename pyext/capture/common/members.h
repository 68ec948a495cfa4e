/** The words of its instances that a C type declares by name. */
#ifndef LEAKGRAPH_MEMBERS_H
#define LEAKGRAPH_MEMBERS_H

#include <Python.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <structmember.h>

/** Copies declaration `i` of a type itself, bases left out; false beyond the
 *  last. Copied, since some libraries keep the table at an odd address. */
static inline bool
lg__member_at(const PyTypeObject *type, size_t i, PyMemberDef *out)
{
    const char *table = (const char *)type->tp_members;
    if (table == NULL)
        return false;
    memcpy(out, table + i * sizeof *out, sizeof *out);
    return out->name != NULL;
}

#endif
