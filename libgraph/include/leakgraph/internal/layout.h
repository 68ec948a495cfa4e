/**
 * How texts fit a terminal.
 *
 * The conventions of leakgraph.h hold. Answers write lines of any length, which
 * suits files and pipes. Where somebody reads them on a terminal, tables become
 * narrower and prose wraps: that is decided here, once, for all answers.
 */
#ifndef LEAKGRAPH_LAYOUT_H
#define LEAKGRAPH_LAYOUT_H

#include <leakgraph/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Sets how many columns the tables have at most that this process writes as
 *  text from now on. 0, the default: any number. */
void lg_layout_set_columns(unsigned columns);
unsigned lg_layout_columns(void);

/** Adds a text whose lines have at most that many columns. Prose wraps below
 * its beginning; a longer word, such as a path, loses its middle to `…`. A line
 *  that underlines a part of the line above wraps with it. O(length). */
void lg_layout_fit(const char *text, size_t length, unsigned columns,
                   lg_text *out);

/** Adds a text with the escape sequences of a terminal's colours: sizes are
 *  bold, paths cyan, and what to cut yellow. O(length). */
void lg_layout_paint(const char *text, size_t length, lg_text *out);

#ifdef __cplusplus
}
#endif

#endif
