/** What strs and bytes have: texts of keys and names, and contents that are
 *  compared with others. */
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

/** Begins to compare contents, if the options say so; otherwise the next two
 *  functions do nothing. */
void lg__contents_open(lg__heap_walk *walk);
/** Notes the contents of one node, if it is a str or bytes; once. */
void lg__contents_add(lg__heap_walk *walk, uint32_t node);
/** Notes the contents of all nodes. */
void lg__contents_finish(lg__heap_walk *walk);

/** A flag of nodes, during a capture only: a str with more room than text. Its
 *  room is memory that nobody has written, so neither its text nor its contents
 *  are read. */
enum { LG__NODE_ROOMY = 1 << 15 };
/** Sets the flag if something would be read. */
void lg__contents_leave_out(lg__heap_walk *walk, PyObject *str);
/** Clears the flags. */
void lg__contents_close(lg__heap_walk *walk);

#endif
