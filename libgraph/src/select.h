/**
 * Parts of selecting: names walked through hops, globs, and what to suggest
 * when nothing answers.
 */
#ifndef LG_SELECT_H
#define LG_SELECT_H

#include "graph.h"

/** Whether `name` matches `pattern`, in which `*` stands for any text. */
bool lg__glob_matches(const char *pattern, size_t length, lg_string name);

/** The node that a name such as `train.losses[0]['x'].y` stands for. */
lg_status lg__name_resolve(const lg_graph *graph, const char *name,
                           uint32_t *out, lg_error *err);

/** A module's root index, or LG_NONE. */
uint32_t lg__module_find(const lg_graph *graph, const char *name,
                         size_t length);

/** The nearest known name, to be kept until the guess is used. */
typedef struct lg__guess {
    const char *wanted;
    size_t length;
    lg_string best;
    size_t distance;
} lg__guess;

lg__guess lg__guess_new(const char *wanted, size_t length);
void lg__guess_offer(lg__guess *guess, lg_string candidate);

#endif
