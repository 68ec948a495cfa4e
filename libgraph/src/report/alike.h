/**
 * Findings that read alike: of one pattern, and the same but for numbers, keys
 * and indexes in what is kept and in who holds it.
 */
#ifndef LG_ALIKE_H
#define LG_ALIKE_H

#include <leakgraph/bytes.h>

#include "report/where.h"

typedef struct lg__alike {
    const lg_finding *first; /**< the biggest of them; borrowed */
    lg_text held_by;         /**< of the first: who, in words */
    lg_text kept;      /**< a thing in words, what differs as `*`; empty: blocks
                            that no object has */
    size_t findings;   /**< how many there are */
    uint64_t count;    /**< things kept, of all */
    lg_bytes retained; /**< what each retains, added up */
} lg__alike;

typedef struct lg__alikes {
    lg__alike *items; /**< biggest first */
    size_t count;
    size_t *first_of; /**< [finding] the first of those that it is like */
} lg__alikes;

/** O(n log n) of the findings, which must outlive the result, and the search
 *  for their holders. */
lg_status lg__alikes_new(lg__where *where, const lg_findings *findings,
                         lg__alikes *out, lg_error *err);
void lg__alikes_free(lg__alikes *alikes);

/** Who holds what was found: where it is, what it is, and its number. */
lg_status lg__format_holder(lg__where *where, const lg_finding *finding,
                            lg_text *out, lg_error *err);
/** One of the things that a finding keeps; nothing of blocks. */
void lg__format_kept(const lg_graph *graph, const lg_finding *finding,
                     lg_text *out);

#endif
