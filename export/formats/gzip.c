#define ZLIB_CONST // zlib only reads its input
#include "formats/gzip.h"

#include <leakgraph/internal/writing.h>

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

enum { WITH_GZIP_HEADER = 15 + 16, MEMORY = 8, ROOM = 1 << 15 };

struct lg__gzip {
    z_stream stream;
    Bytef room[ROOM];
};

lg__gzip *
lg__gzip_new(void)
{
    lg__gzip *gzip = calloc(1, sizeof *gzip);
    if (gzip != NULL &&
        deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                     WITH_GZIP_HEADER, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(gzip);
        return NULL;
    }
    return gzip;
}

void
lg__gzip_free(lg__gzip *gzip)
{
    if (gzip != NULL)
        deflateEnd(&gzip->stream);
    free(gzip);
}

void
lg__gzip_add(lg__gzip *gzip, const lg_text *part, bool last, lg_text *out)
{
    const char *data = part->data;
    size_t left = part->length;
    do {
        uInt now = left < UINT_MAX ? (uInt)left : UINT_MAX;
        gzip->stream.next_in = (const Bytef *)data;
        gzip->stream.avail_in = now;
        left -= now;
        data += now;
        do {
            gzip->stream.next_out = gzip->room;
            gzip->stream.avail_out = ROOM;
            deflate(&gzip->stream, last && left == 0 ? Z_FINISH : Z_NO_FLUSH);
            lg_text_add_bytes(out, (const char *)gzip->room,
                              ROOM - gzip->stream.avail_out);
        } while (gzip->stream.avail_out == 0);
    } while (left > 0);
}
