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

/** Adds bytes to the end of a text, as reports show them: "812 B", "12.0 MiB",
 *  "1.93 GiB". */
LG_API void lg_text_add_size(lg_text *text, uint64_t bytes);
/** Frees the buffer and zeroes *text. */
LG_API void lg_text_free(lg_text *text);

#ifdef __cplusplus
}
#endif

#endif
