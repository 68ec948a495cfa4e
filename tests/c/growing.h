/** Hand-made snapshots of a small program that grows. */
#ifndef LEAKGRAPH_GROWING_H
#define LEAKGRAPH_GROWING_H

#include <leakgraph/internal/growth.h>

/** What a snapshot of the program contains. */
typedef struct growing_heap {
    uint32_t module;  // further bytes of app itself
    uint32_t items;   // in app.items, a list
    uint32_t names;   // in app.names, of type str
    uint32_t entries; // in app.table: keys and values
    uint32_t blob;    // bytes of app.blob
    uint32_t batches; // objects of 1 MiB on cuda:0, in app.batches
    uint32_t numbers; // references in app.counts, none of them to a node
    uint32_t padding; // bytes of app.counts beyond its table
    uint32_t handle;  // bytes of app.handle, an app.Request; 0: there is none
    uint32_t blocks;  // references of app.handle, none of them to a node
    bool native;      // native memory is listed
    uint32_t garbage; // cycles of one object, which the collector is not to
                      // look at
    uint32_t dead;    // bytes of each of them; 0: 300
    const char *thresholds; // of the collector, which then looks at those
                            // cycles; NULL: unknown
    uint32_t shared;        // objects that are in two lists
    uint32_t sharers;  // lists beyond these two that have the shared objects
    uint32_t deep;     // objects in a list GROWING_DEPTH attributes below app
    uint32_t requests; // app.requests[*], each with one Item
    uint32_t without;  // of these requests, those without an Item
    uint32_t weak;     // weak references, in app.weak
    bool old;          // their type has the name that CPython 3.9 gives it
    uint32_t parts;    // objects that the requests share, each in turn
    uint32_t malloc;   // bytes that malloc has in use; 0: unknown
    uint32_t own;      // of malloc and rss, the bytes that leakgraph keeps
    uint32_t traced;   // of malloc and rss, the bytes that tracemalloc keeps
    uint32_t pymalloc; // bytes that pymalloc has in use; 0: unknown
    uint32_t own_list; // objects in a list of leakgraph
    uint32_t code;     // bytes that may be executed; 0: unknown
    uint32_t freed;    // bytes that malloc keeps; 0: unknown
    uint32_t stacks;   // bytes of the stacks of threads; 0: unknown
    uint32_t rss;      // resident bytes; 0: unknown
    uint32_t pid;      // 0: unknown
    uint32_t second;   // of the minute in which it was taken; 0: unknown
    uint32_t rank;     // 1 + its number in a job; 0: not in a job
} growing_heap;

enum { GROWING_DEPTH = 30, GROWING_MOST = 9 };

typedef struct growing_series {
    uint32_t count;
    lg_graph *graph[GROWING_MOST];
    lg_analysis *analysis[GROWING_MOST];
    lg_summary *summary[GROWING_MOST];
    lg_growth growth;
} growing_series;

/** Makes a snapshot of each heap, and compares them. */
growing_series growing_compare(const growing_heap *heaps, uint32_t count,
                               const lg_growth_options *options);
/** Compares graphs, which then belong to the series. */
growing_series growing_of_graphs(lg_graph *const *graphs, uint32_t count);
void growing_forget(growing_series *made);

#endif
