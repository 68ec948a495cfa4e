/** Compresses a file on its way out, part by part. */
#ifndef LG_GZIP_H
#define LG_GZIP_H

#include <leakgraph/text.h>

typedef struct lg__gzip lg__gzip;

/** NULL: memory ran out. */
lg__gzip *lg__gzip_new(void);
void lg__gzip_free(lg__gzip *gzip);

/** Appends to `out` what is ready of the file; with `last`, all of it. The same
 *  bytes give the same file: it has no time in it. */
void lg__gzip_add(lg__gzip *gzip, const lg_text *part, bool last, lg_text *out);

#endif
