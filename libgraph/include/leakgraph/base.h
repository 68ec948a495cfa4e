/**
 * What every other header needs: nodes, errors, strings.
 *
 * leakgraph.h has the conventions.
 */
#ifndef LEAKGRAPH_BASE_H
#define LEAKGRAPH_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LG_API __attribute__((visibility("default")))
#define LG_PRINTF(string, first) __attribute__((format(printf, string, first)))
#else
#define LG_API
#define LG_PRINTF(string, first)
#endif

/** A snapshot's objects and references: see graph.h. */
typedef struct lg_graph lg_graph;
/** Who retains what in a graph: see analysis.h. */
typedef struct lg_analysis lg_analysis;

/** A node of a graph: its index, below lg_graph_node_count. 32 bits wide. */
typedef uint32_t lg_node;
/** An edge of a graph: its index, below lg_graph_edge_count. 64 bits wide. */
typedef uint64_t lg_edge;

/** No node; where another index is expected, none either; where a device is
 *  expected, all of them together. */
#define LG_NONE UINT32_MAX

typedef enum lg_status {
    LG_OK = 0,
    LG_ENOMEM,       /**< memory ran out */
    LG_EINVAL,       /**< an argument makes no sense: message says which */
    LG_EIO,          /**< the system refused to read or write */
    LG_EFORMAT,      /**< the file is damaged, cut short or not ours */
    LG_EVERSION,     /**< the file was written by a newer major version */
    LG_ENOTFOUND,    /**< nothing in the graph answers to that name */
    LG_ELIMIT,       /**< a limit that the caller set was reached */
    LG_ECANCELLED,   /**< the caller's monitor asked to stop */
    LG_EPARTIAL,     /**< the question needs a whole snapshot, and this one is
                        partial */
    LG_EUNSUPPORTED, /**< this build or machine cannot do that */
    LG_ECHILD,       /**< the process that did the work died */
    LG_ERENDER, /**< the picture cannot be drawn; the text of the view still can
                 */
} lg_status;

typedef struct lg_error {
    lg_status status;
    char message[512]; /**< one sentence, UTF-8, NUL-terminated */
} lg_error;

/** Watches over long work. The working thread calls `tick` now and then with
 *  the name of the phase and the part that is done (0 to 1). If `tick` returns
 *  false, the work stops and fails with LG_ECANCELLED. Every function accepts
 *  a NULL monitor. */
typedef struct lg_monitor {
    bool (*tick)(void *context, const char *phase, double done);
    void *context;
} lg_monitor;

/** A borrowed string: not NUL-terminated. Valid UTF-8 without control
 *  characters and others that nobody sees, such as U+202E, also when it comes
 *  from a file. */
typedef struct lg_string {
    const char *data;
    uint32_t length;
} lg_string;

#ifdef __cplusplus
}
#endif

#endif
