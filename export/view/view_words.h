/** Words that a writer adds to the texts of a view. */
#ifndef LEAKGRAPH_VIEW_WORDS_H
#define LEAKGRAPH_VIEW_WORDS_H

#include "view/view_parts.h"

/** Adds UTF-8 text of at most `limit` characters: a longer one loses its middle
 *  to an ellipsis. Control and direction characters, which could forge a line
 *  or turn the picture around, become U+FFFD. `escape` writes one character, or
 *  is NULL for plain text. */
typedef void (*lg__word_escape)(lg_text *out, const char *bytes, size_t length);
void lg__add_word(lg_text *out, const lg_text *word, size_t limit,
                  lg__word_escape escape);

/** `held by native code (1 reference leakgraph cannot see)`. */
void lg__add_unseen(lg_text *out, uint64_t count);
/** Writes what the picture shows: `pid 4127 · 1,284,301 objects · ...`. */
void lg__add_caption(lg_text *out, const lg_view *view);
/** Names a root's kind: `an imported module (sys.modules)`. */
const char *lg__root_words(const lg_text *root);
/** Writes the node's own size: `1.00 MiB cuda:0`. */
void lg__add_own(lg_text *out, const lg__view_node *node);
/** Whether the size of the node means something. */
bool lg__has_size(const lg__view_node *node);

#endif
