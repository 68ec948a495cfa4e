/**
 * Why an object is alive, and what to cut to free it.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_WHY_H
#define LEAKGRAPH_WHY_H

#include <leakgraph/path.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The answer for one object. It borrows the analysis. */
typedef struct lg_why lg_why;

/** Explains one node. O(nodes + edges). */
LG_API lg_status lg_why_new(const lg_analysis *analysis, lg_node node,
                            const lg_monitor *monitor, lg_why **out,
                            lg_error *err);
LG_API void lg_why_free(lg_why *why);

/** The node that the answer is about: the one asked for, or what it is folded
 *  into. */
LG_API lg_node lg_why_node(const lg_why *why);
/** Whether no root reaches the node. */
LG_API bool lg_why_is_garbage(const lg_why *why);
/** A shortest path from a root; NULL for garbage. Lent by the answer. */
LG_API const lg_path *lg_why_path(const lg_why *why);
/** Whether the node goes when this hop of the path alone is cut. */
LG_API bool lg_why_frees(const lg_why *why, size_t hop);
/** How many references the smallest set has that frees the node when all of
 *  them are cut. 0: there is no such set. */
LG_API size_t lg_why_cut_count(const lg_why *why);
/** A path over one reference of that set; *hop is the hop to cut. Lent by the
 *  answer; NULL past the last. */
LG_API const lg_path *lg_why_cut(const lg_why *why, size_t index, size_t *hop);

/** Writes the answer as the command does: for people, and as one JSON object.
 */
LG_API lg_status lg_why_text(const lg_why *why, lg_text *out, lg_error *err);
LG_API lg_status lg_why_json(const lg_why *why, lg_text *out, lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
