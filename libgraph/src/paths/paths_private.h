/**
 * Paths from roots: what makes one better than another, the shortest to one
 * node and to every node, and how names select nodes.
 */
#ifndef LEAKGRAPH_PATHS_PRIVATE_H
#define LEAKGRAPH_PATHS_PRIVATE_H

#include "analysis/analysis_private.h"
#include "paths/keepers.h"
#include "paths/merged_tree.h"
#include "paths/path_hops.h"
#include "paths/measure.h"
#include "paths/momentary.h"
#include "paths/root_tree.h"
#include "graph/graph_private.h"
#include "base/base_private.h"

#include <leakgraph/internal/scope.h>
#include <leakgraph/internal/why_facts.h>

// Names that users write, with globs, and suggestions if nothing matches.

/** Returns whether `name` matches `pattern`, in which `*` matches any text. */
bool lg__glob_matches(const char *pattern, size_t length, lg_string name);

/** The nearest known name. Keep the sought name while you use the guess. */
typedef struct lg__guess {
    const char *wanted;
    size_t length;
    lg_string best;
    size_t distance;
} lg__guess;

lg__guess lg__guess_new(const char *wanted, size_t length);
void lg__guess_offer(lg__guess *guess, lg_string candidate);

// Facts that are equal for similar things. They are keys to group by, not text
// for people. Each begins on a line of its own.

/** Adds the type of a node; for a function, class, module or frame, also its
 *  name. Adds nothing for LG_NONE. */
void lg__sort_common(const lg_graph *graph, uint32_t node, lg_text *out);
/** Adds what is equal for the same nodes, within this graph only: of most types
 *  the number of the name, which takes less time than the name. */
void lg__sort_number(const lg_graph *graph, uint32_t node, lg_text *out);
/** Adds a hop without its index, key or line. Returns how much it added. */
size_t lg__hop_facts(const lg_graph *graph, const lg_hop *hop, lg_text *out);
/** Adds the root and the hops of a path. A hop that repeats counts once. */
void lg__path_common(const lg_graph *graph, const lg_path *path, lg_text *out);

// Whose code sets an attribute: the program's or a library's.

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
