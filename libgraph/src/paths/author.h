/** Whose code sets an attribute: the program's or a library's. */
#ifndef LEAKGRAPH_AUTHOR_H
#define LEAKGRAPH_AUTHOR_H

#include "graph/graph_private.h"

/** Returns the str that is the name of an attribute of `owner`: the key in its
 *  dict, or a name that its class has for its instances. LG_NONE if nothing
 *  says. */
uint32_t lg__attribute_key(const lg_graph *graph, uint32_t owner,
                           uint64_t edge);
/** Returns whose code sets an attribute of `owner`, judging by the names in the
 *  heap's code: the program's if only the program has the name, the library's
 *  if only the libraries have it that the object's class or its bases come
 *  from. O(code that has the name), but nothing for names that much code has.
 */
lg__origin lg__attribute_author(const lg_graph *graph, uint32_t owner,
                                uint64_t edge);
/** Returns whether the author is the program. Quicker, because it stops at the
 *  first library. */
bool lg__attribute_is_of_program(const lg_graph *graph, uint32_t owner,
                                 uint64_t edge);
/** Returns whether lg__attribute_author may know whose an attribute of `owner`
 *  is: not of a class or a module, whose attributes C code or code that is gone
 *  may have set. */
bool lg__attributes_have_authors(const lg_graph *graph, uint32_t owner);

#endif
