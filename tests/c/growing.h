/**
 * Snapshots of a small program that grows, made by hand.
 */
#ifndef LG_GROWING_H
#define LG_GROWING_H

#include <leakgraph/growth.h>

/** What one snapshot of the program has. */
typedef struct growing_heap {
    uint32_t module;   // further bytes of app itself
    uint32_t items;    // in app.items, a list
    uint32_t entries;  // in app.table: keys and values
    uint32_t blob;     // bytes of app.blob
    uint32_t batches;  // objects of 1 MiB on cuda:0, in app.batches
    uint32_t numbers;  // references in app.counts, of which nothing is a node
    uint32_t garbage;  // cycles of one object
    uint32_t shared;   // objects in two lists
    uint32_t deep;     // objects in a list GROWING_DEPTH attributes below app
    uint32_t requests; // app.requests[*], each with one Item
    uint32_t without;  // of these, those that have none
    uint32_t weak;     // weak references, in app.weak
    bool old;          // and their type has the name that CPython 3.9 gives it
    uint32_t parts;    // objects that the requests have among them, in turn
    uint32_t malloc;   // bytes in use, 0: not known
    uint32_t own;      // of these, and of rss, what leakgraph keeps
    uint32_t traced;   // of these, and of rss, what tracemalloc keeps
    uint32_t pymalloc; // bytes in use of pymalloc, 0: not known
    uint32_t own_list; // objects in a list of leakgraph's
    uint32_t stacks;   // bytes of the stacks of threads, 0: not known
    uint32_t rss;      // resident bytes, 0: not known
    uint32_t pid;      // 0: not known
    uint32_t rank;     // 1 + its number in a job; 0: of none
} growing_heap;

enum { GROWING_DEPTH = 30 };

typedef struct growing_series {
    uint32_t count;
    lg_graph *graph[8];
    lg_analysis *analysis[8];
    lg_summary *summary[8];
    lg_growth growth;
} growing_series;

/** Makes a snapshot of each, and compares them. */
growing_series growing_compare(const growing_heap *heaps, uint32_t count,
                               const lg_growth_options *options);
void growing_forget(growing_series *made);

#endif
