/**
 * Baselines: a text file of what is known to grow, to be a cycle or a mistake,
 * so that checks fail only for what is new.
 *
 * The conventions of leakgraph.h hold. The first line is `leakgraph baseline
 * 1`. Every other line is empty, a comment that begins with `#`, or an entry:
 * its kind, its key in 16 hexadecimal digits, and a note for people. Keys are
 * the same in every run and on every machine.
 */
#ifndef LEAKGRAPH_BASELINE_H
#define LEAKGRAPH_BASELINE_H

#include <leakgraph/text.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum lg_baseline_kind {
    LG_BASELINE_GROWTH = 0, /**< the key of lg_growth_row */
    LG_BASELINE_CYCLE,      /**< the key of lg_cycle */
    LG_BASELINE_FINDING,    /**< the key of lg_finding */
} lg_baseline_kind;

/** "growth", "cycle", "finding". */
const char *lg_baseline_kind_name(lg_baseline_kind kind);

typedef struct lg_baseline lg_baseline;

/** Reads a file. If it may be missing, and is, the baseline is empty. LG_EIO:
 *  it cannot be read. LG_EFORMAT: it is no baseline; the message has the line.
 */
lg_status lg_baseline_load(const char *path, bool may_be_missing,
                           lg_baseline **out, lg_error *err);
/** O(entries). */
bool lg_baseline_knows(const lg_baseline *baseline, lg_baseline_kind kind,
                       uint64_t key);
/** Adds a line, unless the key is known. Control characters of the note become
 *  spaces. */
lg_status lg_baseline_add(lg_baseline *baseline, lg_baseline_kind kind,
                          uint64_t key, lg_string note, lg_error *err);
size_t lg_baseline_count(const lg_baseline *baseline);
/** The key of an entry, and its kind; `index` is below the count. */
uint64_t lg_baseline_key(const lg_baseline *baseline, size_t index,
                         lg_baseline_kind *kind);
/** Writes all lines, as lg_graph_save writes a graph: those that were read stay
 *  as they were, those that were added come last. */
lg_status lg_baseline_save(const lg_baseline *baseline, const char *path,
                           lg_error *err);
void lg_baseline_free(lg_baseline *baseline);

#ifdef __cplusplus
}
#endif

#endif
