/**
 * A program with objects of equal contents.
 */
#ifndef LG_TWINS_H
#define LG_TWINS_H

#include <leakgraph/builder.h>

enum twin {
    TWIN_APP,     /* module app */
    TWIN_LIST,    /* app.all, a list of all that follow */
    TWIN_TEXT,    /* a str */
    TWIN_SAME,    /* an equal str */
    TWIN_OTHER,   /* another str of that length */
    TWIN_BYTES,   /* bytes with the characters of the first str */
    TWIN_ARRAY,   /* an array */
    TWIN_COPY,    /* an equal array */
    TWIN_CHANGED, /* one that differs in its last byte */
    TWIN_ALIAS,   /* one that owns the memory of the first array, too */
    TWIN_TYPED,   /* equal bytes of another type */
    TWIN_DOUBLE,  /* one with two spans, the first an equal one */
    TWIN_MAPPED,  /* equal bytes of a file */
    TWIN_DEVICE,  /* one on a GPU, whose address cannot be read */
    TWIN_GONE,    /* one whose memory cannot be read */
    TWIN_COUNT,
};

/** Bytes of each array. */
enum { TWIN_MEMORY = 6000 };
/** What the strs say. */
#define TWIN_SECRET "correct horse battery"

/** How twins_made compares: seed, most, read. */
lg_comparison twins_options(void);
/** The program with these options (NULL: it compares nothing). */
lg_status twins_made(const lg_allocator *allocator,
                     const lg_comparison *options, lg_graph **out,
                     lg_error *err);
/** The same with twins_options(). */
lg_status twins_new(const lg_allocator *allocator, lg_graph **out,
                    lg_error *err);

#endif
