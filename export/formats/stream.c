// Writes a file part by part, and compresses it if it should be.
#define ZLIB_CONST // zlib only reads its input
#include "formats/formats.h"

#include <leakgraph/internal/writing.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { ENOUGH = 1 << 18, OFTEN = 1 << 16 };

enum { WITH_GZIP_HEADER = 15 + 16, MEMORY = 8, ROOM = 1 << 15 };

struct lg__gzip {
    z_stream stream;
    Bytef room[ROOM];
};

static lg__gzip *
gzip_new(void)
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

static void
gzip_free(lg__gzip *gzip)
{
    if (gzip != NULL)
        deflateEnd(&gzip->stream);
    free(gzip);
}

// Appends what is ready of the compressed file to `out`; with `last`, all of
// it. The same bytes give the same file, because the file contains no time.
static void
gzip_add(lg__gzip *gzip, const lg_text *part, bool last, lg_text *out)
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

static void
fail(lg__stream *stream, lg_status status)
{
    if (stream->status == LG_OK)
        stream->status = status;
}

static void
write_all(lg__stream *stream, const lg_text *text)
{
    const char *data = text->data;
    size_t left = text->length;
    if (text->failed)
        fail(stream, lg_error_set(stream->err, LG_ENOMEM, "memory ran out"));
    while (left > 0 && stream->status == LG_OK) {
        ssize_t written = write(stream->descriptor, data, left);
        if (written < 0 && errno != EINTR)
            fail(stream,
                 lg_error_set(stream->err, LG_EIO, "cannot write %.300s: %s",
                              stream->path, strerror(errno)));
        if (written > 0) {
            data += written;
            left -= (size_t)written;
        }
    }
}

static void
flush(lg__stream *stream, bool last)
{
    if (stream->gzip != NULL && !stream->text.failed) {
        lg_text packed = {0};
        gzip_add(stream->gzip, &stream->text, last, &packed);
        write_all(stream, &packed);
        lg_text_free(&packed);
    } else {
        write_all(stream, &stream->text);
    }
    stream->text.length = 0;
}

void
lg__stream_compress(lg__stream *stream)
{
    stream->gzip = gzip_new();
    if (stream->gzip == NULL)
        fail(stream, lg_error_set(stream->err, LG_ENOMEM, "memory ran out"));
}

void
lg__stream_number(lg__stream *stream, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    lg_text_add_bytes(&stream->text, digits + at, sizeof digits - at);
}

bool
lg__stream_next(lg__stream *stream)
{
    if (stream->text.length >= ENOUGH || stream->text.failed)
        flush(stream, false);
    return stream->status == LG_OK;
}

bool
lg__stream_step(lg__stream *stream, uint64_t done, uint64_t all)
{
    const lg_monitor *monitor = stream->monitor;
    if (done % OFTEN == 0 && monitor && monitor->tick &&
        !monitor->tick(monitor->context, "writing",
                       all ? (double)done / (double)all : 0))
        fail(stream, lg_error_set(stream->err, LG_ECANCELLED,
                                  "cancelled while writing"));
    return lg__stream_next(stream);
}

void
lg__stream_json(lg__stream *stream, lg_json *json)
{
    lg_status status = lg_json_finish(json, stream->err);
    if (status != LG_OK)
        fail(stream, status);
}

lg_status
lg__stream_finish(lg__stream *stream)
{
    flush(stream, true);
    lg_text_free(&stream->text);
    gzip_free(stream->gzip);
    stream->gzip = NULL;
    return stream->status;
}
