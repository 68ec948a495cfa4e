/**
 * Files of graphs: load, save, strip.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_FILE_H
#define LEAKGRAPH_FILE_H

#include <leakgraph/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    /** Use the file straight from a mapping. Fast, but a file cut short while
     *  mapped raises SIGBUS: only for programs that own their signals, as the
     *  command does. Without it the file is read into private memory. */
    LG_LOAD_MAPPED = 1 << 0,
};

/** Opens a saved graph. Everything in the file is checked before *out is set:
 *  checksums, every index, every string; a hostile file gives LG_EFORMAT, never
 *  a crash. O(file). */
LG_API lg_status lg_graph_load(const char *path, unsigned flags,
                               const lg_monitor *monitor, lg_graph **out,
                               lg_error *err);
/** The same from memory, which must stay until the graph is freed and be
 *  aligned to 64 bytes. */
LG_API lg_status lg_graph_load_memory(const void *data, size_t length,
                                      lg_graph **out, lg_error *err);

/** Start from LG_SAVE_OPTIONS_INIT. */
typedef struct lg_save_options {
    size_t size;  /**< of this struct */
    int compress; /**< zstd level 1 to 19 for every section; 0: none */
    /** Kept in the file with the graph that it is of (lg_analysis_load); NULL:
     *  none. */
    const lg_analysis *analysis;
} lg_save_options;

#define LG_SAVE_OPTIONS_INIT                                                   \
    {                                                                          \
        .size = sizeof(lg_save_options)                                        \
    }

/** Writes the graph to a file without a name, or a temporary one beside `path`,
 *  syncs it and puts it there: an interrupted save leaves the old file whole.
 *  The file is the user's alone (mode 0600), unless it takes the place of one
 * of the user's, whose mode it keeps. A symbolic link stays and its target is
 *  replaced; one of another user, root aside, is refused. options may be NULL.
 */
LG_API lg_status lg_graph_save(const lg_graph *graph, const char *path,
                               const lg_save_options *options,
                               const lg_monitor *monitor, lg_error *err);

/** A file that is being written. It has no name, or a temporary one beside its
 *  place, until it is complete. For writers other than lg_graph_save. */
typedef struct lg_draft lg_draft;

/** Makes an empty one, with the mode that lg_graph_save gives. */
LG_API lg_status lg_draft_new(const char *path, lg_draft **out, lg_error *err);
/** The descriptor to write to: an open, empty file that belongs to the draft.
 */
LG_API int lg_draft_descriptor(const lg_draft *draft);
/** Syncs the file and puts it into its place. Once. */
LG_API lg_status lg_draft_commit(lg_draft *draft, lg_error *err);
/** Removes the file, unless it was committed. */
LG_API void lg_draft_free(lg_draft *draft);

/** Writes the graph to an open and empty file, as lg_graph_save does at that
 *  level; 0: uncompressed. Takes no lock, and calls nothing that might: a
 *  forked child of a process with threads may call it. Uncompressed, it
 *  allocates nothing. To compress, it maps up to 32 MiB, or leaves the file
 *  uncompressed if it cannot. On LG_EIO errno says why, and the message only
 *  gives its number. */
LG_API lg_status lg_graph_write(const lg_graph *graph, int descriptor,
                                int compress, const lg_monitor *monitor,
                                lg_error *err);

/** A copy of the graph without the user's own text: str keys, previews, facts
 *  under other keys than those of lg_node_fact. Names of types, attributes,
 *  variables and modules stay. An analysis that was saved
 *  with the graph is left out. */
LG_API lg_status lg_graph_strip(const lg_graph *graph, lg_graph **out,
                                lg_error *err);

/** Checks every invariant of a graph (ranges, order, payloads); what load runs
 *  on a file. O(nodes + edges). */
LG_API lg_status lg_graph_check(const lg_graph *graph, lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
