/** How many columns of a terminal a text takes, whatever the locale. */
#ifndef LEAKGRAPH_WIDTH_H
#define LEAKGRAPH_WIDTH_H

#include <stddef.h>

/** Returns two columns for each wide character (Chinese, Japanese, Korean,
 *  emoji), none for a mark that combines with the character before it, and one
 *  for any other. Bytes that are not UTF-8 take one each. */
size_t lg__display_width(const char *bytes, size_t length);

#endif
