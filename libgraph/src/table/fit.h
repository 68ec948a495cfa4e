/** Texts in fewer columns. */
#ifndef LEAKGRAPH_FIT_H
#define LEAKGRAPH_FIT_H

#include <leakgraph/internal/layout.h>

/** Adds a text in at most `columns` columns: a longer one loses its middle to
 *  `…`. */
void lg__fit_word(const char *text, size_t length, size_t columns,
                  lg_text *out);
/** Adds a text in lines of at most `columns` columns, which end between words;
 *  a size and its unit are one. A word that is longer loses its middle. */
void lg__fit_words(const char *text, size_t length, size_t columns,
                   lg_text *out);
void lg__add_spaces(lg_text *out, size_t count);

#endif
