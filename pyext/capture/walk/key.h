/** Texts of keys and names. */
#ifndef LEAKGRAPH_KEY_H
#define LEAKGRAPH_KEY_H

#include "capture/walk/heap_walk.h"

/** Sets the text of a short key or name as the walk looks at it, unless the
 *  follower will: in the end it is out of the cache. Call it for ascending
 *  nodes. */
void lg__text_early(lg__heap_walk *walk, uint32_t node, PyObject *object);
/** The text of a key or name that can be given early, borrowed. False: it
 *  cannot. */
bool lg__text_of_key(const lg__heap_walk *walk, PyObject *object,
                     lg_string *out);
/** Sets the text of one node now, if it is a key, a name or needs a preview;
 *  again if it turns out to be more than one of these. */
void lg__text_record(lg__heap_walk *walk, uint32_t node);
/** Marks the keys of a namespace as names, and sets their texts. */
void lg__text_record_names(lg__heap_walk *walk, uint32_t dict);
/** Call it after the walk. Marks the elements of tuples that are keys. */
void lg__keys_finish(lg__heap_walk *walk);
/** Call it then, when no follower runs any more. Sets the texts of functions,
 *  frames, keys ... */
void lg__texts_finish(lg__heap_walk *walk);

#endif
