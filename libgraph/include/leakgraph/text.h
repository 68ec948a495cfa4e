/**
 * Growing text, and numbers as reports write them.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_TEXT_H
#define LEAKGRAPH_TEXT_H

#include <leakgraph/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A growing UTF-8 string. Start from `lg_text t = {0}`. `data` is NULL until
 *  something is added, and NUL-terminated afterwards. A failure to grow is
 *  sticky (`failed`), so a writer checks once, at the end. */
typedef struct lg_text {
    char *data;
    size_t length;
    size_t capacity;
    bool failed;
} lg_text;

/** Each adds to the end of the text. */
LG_API void lg_text_add(lg_text *text, const char *string);
LG_API void lg_text_add_bytes(lg_text *text, const char *bytes, size_t length);
LG_API void lg_text_addf(lg_text *text, const char *format, ...)
    LG_PRINTF(2, 3);
/** Adds bytes as reports show them: "812 B", "12.0 MiB", "1.93 GiB". */
LG_API void lg_text_add_size(lg_text *text, uint64_t bytes);
/** Adds a difference of bytes: "+12.0 MiB", "-812 B". */
LG_API void lg_text_add_change(lg_text *text, double bytes);
/** Adds bytes by device: "1.93 GiB cuda:0 · 12 MiB host", without what is zero;
 *  a host alone is not named. bytes[i] lie on devices[i], of which the first is
 *  the host. */
LG_API void lg_text_add_sizes(lg_text *text, const lg_string *devices,
                              const uint64_t *bytes, size_t count);
/** Adds a count with thousands separators: "1,284,301". */
LG_API void lg_text_add_count(lg_text *text, uint64_t count);
/** Makes the decimal point of what printf wrote a `.`, whatever the locale;
 *  `digits` is a number in decimal notation, and of no other grouping. */
LG_API void lg_number_point(char *digits);
/** Adds a number with that many decimals, 9 at most, and a decimal point. */
LG_API void lg_text_add_fixed(lg_text *text, double number, int decimals);
/** Adds a JSON string literal, quotes included. Bytes that are not valid UTF-8
 *  become U+FFFD. */
LG_API void lg_text_add_json(lg_text *text, const char *string, size_t length);
/** Adds text for HTML: <, >, & and " escaped, line feeds as <br>, characters
 *  that nobody sees as in names. */
LG_API void lg_text_add_html(lg_text *text, const char *string, size_t length);
/** Adds text for a query of a URL: all but letters, digits and `-._~` as `%3A`.
 */
LG_API void lg_text_add_url(lg_text *text, const char *string, size_t length);
/** Frees the buffer and zeroes *text. */
LG_API void lg_text_free(lg_text *text);

/** Adds prose in lines of at most `width` columns. The first line begins in
 *  `column`, the others after `indent` spaces. Writes `quote` instead of each
 *  backtick, the mark of code; 0: nothing. */
LG_API void lg_text_add_wrapped(lg_text *text, const char *prose, size_t indent,
                                size_t column, size_t width, char quote);

#ifdef __cplusplus
}
#endif

#endif
