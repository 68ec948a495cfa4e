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
/** Adds bytes by device: "1.93 GiB cuda:0 · 12 MiB host", without what is zero;
 *  a host alone is not named. bytes[i] lie on devices[i], of which the first is
 *  the host. */
LG_API void lg_text_add_sizes(lg_text *text, const lg_string *devices,
                              const uint64_t *bytes, size_t count);
/** Adds a count with thousands separators: "1,284,301". */
LG_API void lg_text_add_count(lg_text *text, uint64_t count);
/** Frees the buffer and zeroes *text. */
LG_API void lg_text_free(lg_text *text);

#ifdef __cplusplus
}
#endif

#endif
