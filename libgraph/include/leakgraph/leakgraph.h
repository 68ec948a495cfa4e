/**
 * leakgraph: an immutable graph of a process's objects, its file, and questions
 * about it.
 *
 * This header includes every header that a program needs to read a snapshot.
 * Programs that make graphs include builder.h as well, and programs that draw
 * include pictures.h.
 *
 * Conventions that hold for every function of leakgraph:
 *
 * - A function that can fail returns lg_status and takes `lg_error *err` last;
 *   err may be NULL. On failure outputs are untouched and err->message holds
 *   one sentence: what, where, what to do.
 * - `lg_x **out` hands over ownership; the matching lg_x_free(NULL) is a no-op.
 *   Getters lend: what they return lives as long as what they ask.
 * - Structs that a function returns, fills or takes, such as lg_hop and
 * lg_span, never gain a member, and structs of options carry their size. All
 * else is behind a pointer. So a newer library serves an older program.
 * - A graph never changes once made. Any number of threads may use it at once,
 *   as long as none frees it meanwhile.
 * - A `limit` is the greatest number of rows, lines or items that a call gives;
 *   0 is no limit. What is left out is counted. A `max_...` of a picture has a
 *   default for 0, because a picture without a limit cannot be drawn.
 * - Nothing prints, exits or aborts. Besides these values, the process keeps
 *   the bridge to igraph once it is loaded, a renderer that waits for the next
 *   picture (render.h), and a count of the bytes that it has allocated.
 *
 * Sizes are bytes. Addresses are opaque numbers, never dereferenced.
 */
#ifndef LEAKGRAPH_LEAKGRAPH_H
#define LEAKGRAPH_LEAKGRAPH_H

#include <leakgraph/analysis.h>
#include <leakgraph/base.h>
#include <leakgraph/file.h>
#include <leakgraph/graph.h>
#include <leakgraph/kinds.h>
#include <leakgraph/path.h>
#include <leakgraph/question.h>
#include <leakgraph/summary.h>
#include <leakgraph/table.h>
#include <leakgraph/text.h>
#include <leakgraph/version.h>
#include <leakgraph/why.h>

#endif
