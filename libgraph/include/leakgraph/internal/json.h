/**
 * A writer of JSON.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_JSON_H
#define LEAKGRAPH_JSON_H

#include <leakgraph/text.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LG_JSON_DEPTH 32

/**
 * Writes one JSON document to a text, value by value: nothing is kept but what
 * is open. Start from `lg_json json = {.out = &text}`; end with lg_json_finish.
 * The writer places commas, and never writes what is not JSON: after a misuse
 * (a member of an object without a name, an element of an array with one, a
 * second document, more than LG_JSON_DEPTH open at once) it writes nothing
 * more, and lg_json_finish fails. The
 * text remembers that memory ran out (`failed`).
 */
typedef struct lg_json {
    lg_text *out;
    size_t start;
    uint32_t depth;
    uint32_t indent;
    bool begun;
    bool named;
    bool misused;
    uint8_t open[LG_JSON_DEPTH];
} lg_json;

/** Of each function below: `name` is that of a member of an object; NULL for an
 *  element of an array, for the document itself, and after lg_json_name. */
void lg_json_object(lg_json *json, const char *name);
/** An array of millions of numbers may bypass the writer: the caller adds all
 *  elements to the text itself, with their commas, before lg_json_end. */
void lg_json_array(lg_json *json, const char *name);
/** An array with each element on a line of its own. */
void lg_json_lines(lg_json *json, const char *name);
/** Ends what was opened last. */
void lg_json_end(lg_json *json);
/** Names the value that follows, for names that are no C strings. */
void lg_json_name(lg_json *json, const char *name, size_t length);
/** As lg_text_add_json has it; a `string` of NULL is null. */
void lg_json_string(lg_json *json, const char *name, const char *string,
                    size_t length);
void lg_json_count(lg_json *json, const char *name, uint64_t count);
void lg_json_integer(lg_json *json, const char *name, int64_t integer);
/** The shortest digits that read back as the same number, with a point
 *  whatever the locale; null for infinities and what is not a number. */
void lg_json_number(lg_json *json, const char *name, double number);
void lg_json_bool(lg_json *json, const char *name, bool value);
void lg_json_null(lg_json *json, const char *name);
/** Ends the document with a line feed. LG_EINVAL: the writer was misused, or
 *  something is still open; LG_ENOMEM. Either way the text is cut to what it
 *  was before the document. */
lg_status lg_json_finish(lg_json *json, lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
