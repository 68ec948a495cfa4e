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

/** A copy of the graph without the user's own text: str keys, previews, facts
 *  under other keys than those of lg_node_fact. Names of types, attributes,
 *  variables and modules stay. An analysis that was saved
 *  with the graph is left out. */
LG_API lg_status lg_graph_strip(const lg_graph *graph, lg_graph **out,
                                lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
