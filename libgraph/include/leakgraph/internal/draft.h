/**
 * Files that appear whole or not at all.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_DRAFT_H
#define LEAKGRAPH_DRAFT_H

#include <leakgraph/file.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A file that is being written. It has no name, or a temporary one beside its
 *  place, until it is complete. For writers other than lg_graph_save. */
typedef struct lg_draft lg_draft;

/** Makes an empty one, with the mode that lg_graph_save gives. */
lg_status lg_draft_new(const char *path, lg_draft **out, lg_error *err);

/** The descriptor to write to: an open, empty file that belongs to the draft.
 */
int lg_draft_descriptor(const lg_draft *draft);

/** Syncs the file and puts it into its place. Once. */
lg_status lg_draft_commit(lg_draft *draft, lg_error *err);

/** Removes the file, unless it was committed. */
void lg_draft_free(lg_draft *draft);

/** Writes the graph to an open and empty file, as lg_graph_save does at that
 *  level; 0: uncompressed. Takes no lock, and calls nothing that might: a
 *  forked child of a process with threads may call it. Uncompressed, it
 *  allocates nothing. To compress, it maps up to 32 MiB, or leaves the file
 *  uncompressed if it cannot. On LG_EIO errno says why, and the message only
 *  gives its number. */
lg_status lg_graph_write(const lg_graph *graph, int descriptor, int compress,
                         const lg_monitor *monitor, lg_error *err);

/** Checks every invariant of a graph (ranges, order, payloads); what load runs
 *  on a file. O(nodes + edges). */
lg_status lg_graph_check(const lg_graph *graph, lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
