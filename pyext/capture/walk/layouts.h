/**
 * Words of instances of C types whose structs no header shows: CPython's own
 * iterators, contexts, futures, and those of its extension modules.
 */
#ifndef LEAKGRAPH_LAYOUTS_H
#define LEAKGRAPH_LAYOUTS_H

#include "capture/walk/type_table.h"

/** The layout of one type, as of the versions whose instances have this size.
 */
typedef struct lg_layout {
    const char *type;  /**< its tp_name */
    uint16_t words;    /**< tp_basicsize in words, less the object's head;
                            0: any */
    uint16_t start;    /**< the first word with a name, after the head */
    lg_shape shape;    /**< LG_SHAPE_PLAIN: no more to know */
    const char *names; /**< a word each, separated by a space. `=x` is an
                            attribute that a program may set, `.x` one that it
                            may only read, `x` none; `-` holds no reference, and
                            from `#` on come elements */
} lg_layout;

/** Words of an instance's struct behind the object's head. */
size_t lg_word_count(const PyTypeObject *type);

/** The layout of the type itself, without its bases; NULL if it is none of
 *  these, Python made it, or its instances have another size. Others may give
 *  their types such a name: do not read a word that the traverser does not
 *  confirm. */
const lg_layout *lg_layout_of(const PyTypeObject *type);

#endif
