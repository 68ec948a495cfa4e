/**
 * UTF-8, as far as names need it: what a terminal, a picture or a JSON reader
 * may be handed.
 */
#ifndef LG_UTF8_H
#define LG_UTF8_H

#include <leakgraph/leakgraph.h>

/** Length of the character that `bytes` begins with; 0 if it is not valid
 *  UTF-8 (overlong forms, surrogates and what lies above U+10FFFF are not). */
size_t lg__utf8_length(const char *bytes, size_t length);

/** The same, but 0 for control characters (C0, DEL, C1) too. */
size_t lg__utf8_clean_length(const char *bytes, size_t length);

/** Whether all of it is valid UTF-8 without control characters. */
bool lg__utf8_is_clean(const char *bytes, size_t length);

/** The largest cut <= length that does not split a character, for bytes that
 *  continue past `length`. */
size_t lg__utf8_cut(const char *bytes, size_t length);

/** Sets LG_ENOMEM with its sentence. */
lg_status lg__error_memory(lg_error *err);

#endif
