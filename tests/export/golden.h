/** What was made against reviewed files in tests/golden. */
#ifndef LEAKGRAPH_TEST_GOLDEN_H
#define LEAKGRAPH_TEST_GOLDEN_H

#include <leakgraph/text.h>

/** `PROGRAM FOLDER`, and with `write` behind it the files are made anew. False:
 *  there is no folder. */
bool golden_begin(int argc, char **argv);
/** Whether the text is that of FOLDER/name.suffix; prints it if it is not. */
bool golden_matches(const char *name, const char *suffix, const lg_text *text);

#endif
