/** Compares results with the reviewed files in tests/golden. */
#ifndef LEAKGRAPH_GOLDEN_H
#define LEAKGRAPH_GOLDEN_H

#include <leakgraph/text.h>

/** Reads `PROGRAM FOLDER`, which compares; with `write` after the folder, the
 *  program writes the files anew. Returns false if there is no folder. */
bool golden_begin(int argc, char **argv);
/** Whether the text equals FOLDER/name.suffix. If not, prints the text. */
bool golden_matches(const char *name, const char *suffix, const lg_text *text);

#endif
