/**
 * A minimal test framework: CHECK counts failures and continues, RUN names the
 * current test, and `return test_result();` ends the suite.
 */
#ifndef LEAKGRAPH_TEST_H
#define LEAKGRAPH_TEST_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

/** Counts the failed checks of the program, also those of files that several
 *  suites share. */
extern int test_failures;
extern const char *test_name; /**< what RUN runs now */

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            test_failures++;                                                   \
            fprintf(stderr, "%s:%d: in %s: not so: %s\n", __FILE__, __LINE__,  \
                    test_name, #condition);                                    \
        }                                                                      \
    } while (0)

/** Ends the program, because nothing after this check can work. */
#define REQUIRE(condition)                                                     \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "%s:%d: in %s: cannot go on: %s\n", __FILE__,      \
                    __LINE__, test_name, #condition);                          \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

#define CHECK_TEXT(text, expected)                                             \
    do {                                                                       \
        const char *test_got = (text).data ? (text).data : "";                 \
        if (strcmp(test_got, (expected)) != 0) {                               \
            test_failures++;                                                   \
            fprintf(stderr, "%s:%d: in %s: got\n%s\nnot\n%s\n", __FILE__,      \
                    __LINE__, test_name, test_got, (expected));                \
        }                                                                      \
    } while (0)

#define RUN(test)                                                              \
    do {                                                                       \
        test_name = #test;                                                     \
        test();                                                                \
    } while (0)

static inline int
test_result(void)
{
    if (test_failures > 0)
        fprintf(stderr, "%d checks failed\n", test_failures);
    return test_failures > 0;
}

/** Returns the next number of a small generator, which is the same on every
 *  machine. */
static inline uint32_t
test_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/** The options of lg_analysis_top. */
#define TOP_OPTIONS(by, on, most)                                              \
    ((lg_top_options){.size = sizeof(lg_top_options),                          \
                      .group = (by),                                           \
                      .device = (on),                                          \
                      .limit = (most)})

#endif
