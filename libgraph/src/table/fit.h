/** How many columns of a terminal a text takes, and texts in fewer columns. */
#ifndef LEAKGRAPH_FIT_H
#define LEAKGRAPH_FIT_H

#include <leakgraph/internal/layout.h>

#include <stddef.h>

/** Adds a text in at most `columns` columns: a longer one loses its middle to
 *  `…`. */
void lg__fit_word(const char *text, size_t length, size_t columns,
                  lg_text *out);
/** Adds a text in lines of at most `columns` columns, which end between words;
 *  a size and its unit are one. A word that is longer loses its middle. */
void lg__fit_words(const char *text, size_t length, size_t columns,
                   lg_text *out);
void lg__add_spaces(lg_text *out, size_t count);

/** Returns two columns for each wide character (Chinese, Japanese, Korean,
 *  emoji), none for a mark that combines with the character before it, and one
 *  for any other. Bytes that are not UTF-8 take one each. */
size_t lg__display_width(const char *bytes, size_t length);

#endif
