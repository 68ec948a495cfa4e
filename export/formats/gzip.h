/** Compresses a file part by part while it is written. */
#ifndef LEAKGRAPH_GZIP_H
#define LEAKGRAPH_GZIP_H

#include <leakgraph/text.h>

typedef struct lg__gzip lg__gzip;

/** NULL: memory ran out. */
lg__gzip *lg__gzip_new(void);
void lg__gzip_free(lg__gzip *gzip);

/** Appends what is ready of the file to `out`; with `last`, all of it. The same
 *  bytes give the same file, because the file contains no time. */
void lg__gzip_add(lg__gzip *gzip, const lg_text *part, bool last, lg_text *out);

#endif
