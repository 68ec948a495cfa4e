/**
 * Writing texts and messages.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_WRITING_H
#define LEAKGRAPH_WRITING_H

#include <leakgraph/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Fills *err (if not NULL) and returns status, so that a caller can write
 *  `return lg_error_set(err, LG_EINVAL, "...")`. Truncates, never fails. */
lg_status lg_error_set(lg_error *err, lg_status status, const char *format, ...)
    LG_PRINTF(3, 4);

/** Each adds to the end of the text. */
void lg_text_add(lg_text *text, const char *string);
void lg_text_add_bytes(lg_text *text, const char *bytes, size_t length);
void lg_text_addf(lg_text *text, const char *format, ...) LG_PRINTF(2, 3);
/** Adds bytes by device: "1.93 GiB cuda:0 · 12 MiB host", without what is zero;
 *  a host alone is not named. bytes[i] lie on devices[i], of which the first is
 *  the host. */
void lg_text_add_sizes(lg_text *text, const lg_string *devices,
                       const uint64_t *bytes, size_t count);
/** Adds a count with thousands separators: "1,284,301". */
void lg_text_add_count(lg_text *text, uint64_t count);

#ifdef __cplusplus
}
#endif

#endif
