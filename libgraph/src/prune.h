/**
 * Which of the merged paths are worth a line.
 */
#ifndef LG_PRUNE_H
#define LG_PRUNE_H

#include <leakgraph/analysis.h>

enum {
    LG__PRUNE_FOLDED = 0, /**< one of "12 more", with all that is below it */
    LG__PRUNE_SHOWN,
    LG__PRUNE_PASSED, /**< in the middle of a long way without branches */
};

typedef struct lg__pruned {
    uint32_t *end;  /**< [count] the index behind all that is below */
    uint8_t *state; /**< [count]; of siblings those folded come last */
    size_t shown;
} lg__pruned;

/** Shows the `limit` (0: all) biggest, each with all above it. O(count log
 *  count). Free with lg__pruned_free, also on failure. */
lg_status lg__paths_prune(const lg_merged_paths *paths, size_t limit,
                          lg__pruned *out, lg_error *err);
void lg__pruned_free(lg__pruned *pruned);

#endif
