/**
 * A program with objects of equal contents.
 */
#ifndef LEAKGRAPH_TWINS_H
#define LEAKGRAPH_TWINS_H

#include <leakgraph/builder.h>
#include <leakgraph/internal/allocator.h>
#include <leakgraph/internal/contents.h>

enum twin {
    TWIN_APP,     /* module app */
    TWIN_LIST,    /* app.all, a list of all that follow */
    TWIN_TEXT,    /* a str */
    TWIN_SAME,    /* an equal str */
    TWIN_OTHER,   /* another str of that length */
    TWIN_BYTES,   /* bytes with the characters of the first str */
    TWIN_ARRAY,   /* an array */
    TWIN_COPY,    /* an equal array */
    TWIN_CHANGED, /* an array that differs in its last byte */
    TWIN_ALIAS,   /* an array that also owns the memory of the first array */
    TWIN_TYPED,   /* an array of another type with equal bytes */
    TWIN_DOUBLE,  /* an array with two spans, the first one equal */
    TWIN_MAPPED,  /* an array of a file with equal bytes */
    TWIN_DEVICE,  /* an array on a GPU, whose address cannot be read */
    TWIN_GONE,    /* an array whose memory cannot be read */
    TWIN_COUNT,
};

/** Bytes of each array. */
enum { TWIN_MEMORY = 6000 };
/** The text of the strs. */
#define TWIN_SECRET "correct horse battery"

/** Returns the options of twins_made: seed, most, read. */
lg_comparison twins_options(void);
/** Makes the program with these options (NULL: it compares nothing). */
lg_status twins_made(const lg_allocator *allocator,
                     const lg_comparison *options, lg_graph **out,
                     lg_error *err);
/** Makes the program with twins_options(). */
lg_status twins_new(const lg_allocator *allocator, lg_graph **out,
                    lg_error *err);

#endif
