/**
 * The formats. Each has a function that writes the whole file; the stream keeps
 * what fails.
 */
#ifndef LEAKGRAPH_FORMATS_H
#define LEAKGRAPH_FORMATS_H

#include <leakgraph/graph.h>
#include <leakgraph/path.h>
#include <leakgraph/internal/allocations.h>
#include <leakgraph/internal/json.h>
#include <leakgraph/internal/places.h>

typedef struct lg__gzip lg__gzip;

/** A file that is written part by part. The first failure sticks: the stream
 *  writes nothing after it. */
typedef struct lg__stream {
    int descriptor;
    const char *path; /**< for messages */
    lg_text text;     /**< written later: writers append to it */
    lg__gzip *gzip;   /**< NULL: the file is not compressed */
    const lg_monitor *monitor;
    lg_status status;
    lg_error *err;
} lg__stream;

/** Compresses all that is written from now on. */
void lg__stream_compress(lg__stream *stream);
/** Adds a decimal number. This must be quick, because graphs have hundreds of
 *  millions. */
void lg__stream_number(lg__stream *stream, uint64_t number);
/** Ends a record, and writes when enough has gathered. Returns false after a
 *  failure: stop then. */
bool lg__stream_next(lg__stream *stream);
/** Does the same, and asks the monitor from time to time. */
bool lg__stream_step(lg__stream *stream, uint64_t done, uint64_t all);
/** Ends a JSON document whose text is the stream's. */
void lg__stream_json(lg__stream *stream, lg_json *json);
/** Writes the rest, and releases what the stream has; not the descriptor. */
lg_status lg__stream_finish(lg__stream *stream);

typedef struct lg__format {
    const char *name;
    const char *suffix;
    const char *other_suffix; /* or NULL */
    bool packed;              /* its files are compressed */
    /* One of them. */
    void (*write_graph)(lg__stream *out, const lg_graph *graph);
    void (*write_places)(lg__stream *out, const lg_places *places);
    void (*write_stacks)(lg__stream *out, const lg_allocation_stacks *stacks);
} lg__format;

extern const lg__format lg__heapsnapshot;
extern const lg__format lg__graphml, lg__gexf;
extern const lg__format lg__folded, lg__speedscope, lg__allocations;
extern const lg__format lg__pprof;

#endif
