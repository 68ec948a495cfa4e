/**
 * Numbers, prose and escapes as reports write them.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_WORDING_H
#define LEAKGRAPH_WORDING_H

#include <leakgraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What stands for the part of a text that is cut: behind the beginning of a
 *  key or a value in a snapshot, and in the middle of a word that is too wide
 *  for a table or a picture. It is one column wide. */
#define LG__ELLIPSIS "…"

/** Adds a difference of bytes: "+12.0 MiB", "-812 B". */
void lg_text_add_change(lg_text *text, double bytes);
/** Adds by how much a number rose or fell: `+12`, `-3`, `0`; of bytes `+1.90
 *  MiB`. */
void lg_text_add_delta(lg_text *text, int64_t number, bool bytes);

/** Makes the decimal point of what printf wrote a `.`, whatever the locale;
 *  `digits` is a number in decimal notation, and of no other grouping. */
void lg_number_point(char *digits);
/** Reads a number without a sign, such as `12`, `1.5`, `.5` or `1e-3`, with `.`
 *  as its point, whatever the locale. Returns where it ends; `text` itself,
 *  and leaves *out alone, if there is none. */
const char *lg_number_read(const char *text, double *out);

/** Adds a number with that many decimals, 9 at most, and a decimal point. */
void lg_text_add_fixed(lg_text *text, double number, int decimals);

/** Adds a JSON string literal, quotes included. Bytes that are not valid UTF-8
 *  become U+FFFD. */
void lg_text_add_json(lg_text *text, const char *string, size_t length);

/** Adds text for HTML: <, >, & and " escaped, line feeds as <br>, characters
 *  that nobody sees as in names. */
void lg_text_add_html(lg_text *text, const char *string, size_t length);

/** Copies text, with escapes such as `\x1b` for control characters, ones that
 *  nobody sees, and bytes that are not UTF-8. Cuts what has no room. Returns
 *  the length of the copy, which does not end with 0. */
size_t lg_string_clean(char *out, size_t room, const char *bytes,
                       size_t length);

/** Adds text for a query of a URL: all but letters, digits and `-._~` as `%3A`.
 */
void lg_text_add_url(lg_text *text, const char *string, size_t length);

/** Adds prose in lines of at most `width` columns. The first line begins in
 *  `column`, the others after `indent` spaces. Writes `quote` instead of each
 *  backtick, the mark of code; 0: nothing. */
void lg_text_add_wrapped(lg_text *text, const char *prose, size_t indent,
                         size_t column, size_t width, char quote);

/** Adds lg_node_bytes as text: `1.93 GiB cuda:0 · 72 B host`, `72 B`. */
void lg_node_bytes_format(const lg_graph *graph, lg_node node, lg_text *out);

/** Adds a positive number of unexplained references: `2 references leakgraph
 *  cannot see`. */
void lg_unexplained_format(uint64_t count, lg_text *out);

#ifdef __cplusplus
}
#endif

#endif
