/**
 * Advice: the few things that are worth doing first, out of the other answers.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_ADVICE_H
#define LEAKGRAPH_ADVICE_H

#include <leakgraph/internal/answers.h>
#include <leakgraph/internal/cycles.h>
#include <leakgraph/internal/findings.h>
#include <leakgraph/internal/growth.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What there is to choose from: answers about one snapshot. Each but the
 *  analysis may be NULL. */
typedef struct lg_answers {
    const lg_analysis *analysis;
    const lg_findings *findings;
    const lg_cycles *cycles;
    const lg_growth *growth; /**< of which it is the newest */
    const lg_accounts *accounts;
    const lg_top *top; /**< of objects */
} lg_answers;

/** What an item is, and what its index counts. */
typedef enum lg_advice_kind {
    LG_ADVICE_FINDING = 0,  /**< lg_findings.groups */
    LG_ADVICE_GROWTH,       /**< lg_growth.rows: the one that leads a leak */
    LG_ADVICE_CYCLE,        /**< lg_cycles.groups */
    LG_ADVICE_UNATTRIBUTED, /**< lg_accounts.items: blocks of no known object */
    LG_ADVICE_HOLDER,       /**< lg_top.rows */
} lg_advice_kind;

/** "finding", "growth", "cycle", "unattributed", "holder". */
const char *lg_advice_kind_name(lg_advice_kind kind);

typedef struct lg_advice_item {
    lg_advice_kind kind;
    size_t index;
    uint64_t bytes; /**< what goes now if you do what the advice says, on the
                         host and all devices */
    size_t grows; /**< of a finding: the row that leads the leak that belongs to
                       it; else SIZE_MAX */
} lg_advice_item;

enum { LG_ADVICE_MOST = 8 };

typedef struct lg_advice {
    lg_advice_item items[LG_ADVICE_MOST];
    size_t count;
} lg_advice;

/**
 * Chooses up to `limit` (LG_ADVICE_MOST at most) items: first what is wrong
 * (known mistakes, growth, garbage that piles up, blocks of no known object but
 * workspaces and pools), the most bytes first, and if that is not enough, what
 * the program itself holds the most with. Nothing is there twice: one leak
 * is one item, growth of which a finding explains half or more or has a holder
 * goes with the finding, other findings inside a leak go with that, and garbage
 * that cycles explain is left out. So is what holds, or is held by, what a
 * finding is about, and what goes once all that the items name is gone. O(nodes
 * + edges, items of the answers, and for each holder the depth of its
 * dominators).
 */
lg_advice lg_advice_choose(const lg_answers *answers, size_t limit);

/** Lists up to LG_ADVICE_MOST rows of the growth that lead the leaks of an
 * item, and returns how many: a finding with several holders may explain a leak
 * of each. */
size_t lg_advice_leads(const lg_answers *answers, const lg_advice_item *item,
                       size_t rows[LG_ADVICE_MOST]);

#ifdef __cplusplus
}
#endif

#endif
