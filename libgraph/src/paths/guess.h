/** Names that users write, with globs, and suggestions if nothing matches. */
#ifndef LEAKGRAPH_GUESS_H
#define LEAKGRAPH_GUESS_H

#include "base/base_private.h"

/** Returns whether `name` matches `pattern`, in which `*` matches any text. */
bool lg__glob_matches(const char *pattern, size_t length, lg_string name);

/** The nearest known name. Keep the sought name while you use the guess. */
typedef struct lg__guess {
    const char *wanted;
    size_t length;
    lg_string best;
    size_t distance;
} lg__guess;

lg__guess lg__guess_new(const char *wanted, size_t length);
void lg__guess_offer(lg__guess *guess, lg_string candidate);

#endif
