/**
 * The report on all cycles of a story.
 */
#ifndef LEAKGRAPH_EXPECTED_CYCLES_H
#define LEAKGRAPH_EXPECTED_CYCLES_H

#include "story.h"

/** Ends the story and compares the report. */
void expect_cycles(story *made, const char *expected);

#endif
