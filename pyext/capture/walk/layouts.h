/**
 * The words of instances of C types whose structs are in no header: CPython's
 * iterators, contexts, futures, and types of its extension modules.
 */
#ifndef LEAKGRAPH_LAYOUTS_H
#define LEAKGRAPH_LAYOUTS_H

#include "capture/walk/type_table.h"

/** The layout of one type, in the versions whose instances have this size.
 *
 *  `names` has a name for each word, separated by spaces. `=x` is an attribute
 *  that a program may set, `.x` one that it may only read, `x` none; `-` holds
 *  no reference. From `#` on come elements, and from `*` on elements of which
 *  the type never clears those not in use. */
typedef struct lg__type_layout {
    const char *type; /**< its tp_name */
    uint16_t words;   /**< tp_basicsize in words, less the object's head;
                           0: any */
    uint16_t start;   /**< the first word with a name, after the head */
    lg__shape shape;  /**< LG__SHAPE_PLAIN: nothing more is known */
    const char *names;
} lg__type_layout;

/** Words of an instance's struct behind the object's head. */
size_t lg__word_count(const PyTypeObject *type);

/** The layout of the type itself, without its bases. NULL if the table does not
 *  have it, if Python made it, or if its instances have another size. Other
 *  libraries may use the name, so do not read a word that the traverser does
 *  not confirm. */
const lg__type_layout *lg__type_layout_of(const PyTypeObject *type);

#endif
