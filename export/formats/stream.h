/**
 * A file on its way out: text in, parts of it written. The first failure
 * sticks, and nothing is written after it.
 */
#ifndef LG_STREAM_H
#define LG_STREAM_H

#include "formats/gzip.h"

#include <leakgraph/graph.h>
#include <leakgraph/text.h>

typedef struct lg__stream {
    int descriptor;
    const char *path; /**< for messages */
    lg_text text;     /**< what is not yet written: writers add to it */
    lg__gzip *gzip;   /**< or NULL: the file is not compressed */
    const lg_monitor *monitor;
    lg_status status;
    lg_error *err;
} lg__stream;

/** A decimal number, quickly: graphs have hundreds of millions. */
void lg__stream_number(lg__stream *stream, uint64_t number);
/** For attributes and texts of XML, without what XML cannot have. */
void lg__stream_xml(lg__stream *stream, lg_string string);
/** Ends a record: writes when there is enough. False: it failed, stop. */
bool lg__stream_next(lg__stream *stream);
/** The same, and asks the monitor from time to time. */
bool lg__stream_step(lg__stream *stream, uint64_t done, uint64_t all);
/** Writes the rest. */
lg_status lg__stream_finish(lg__stream *stream);

#endif
