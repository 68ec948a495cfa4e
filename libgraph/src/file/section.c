// Reads one section. A compressed section gets all its memory at once. The
// length of the file limits that memory, and only what decoded bytes reach is
// used.
#include "file/checksum.h"
#include "file/file_private.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

lg_status
lg__source_read(const lg__source *source, uint64_t offset, void *buffer,
                size_t length, lg_error *err)
{
    if (offset > source->length || length > source->length - offset)
        return lg_error_set(err, LG_EFORMAT, "%s is cut short", source->name);
    if (source->memory != NULL) {
        memcpy(buffer, source->memory + offset, length);
        return LG_OK;
    }
    for (uint8_t *at = buffer; length > 0;) {
        ssize_t got = pread(source->descriptor, at, length, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return lg_error_set(err, LG_EIO, "cannot read %s: %s", source->name,
                                strerror(errno));
        if (got == 0)
            return lg_error_set(err, LG_EFORMAT,
                                "%s was cut short while it was read",
                                source->name);
        at += got;
        offset += (uint64_t)got;
        length -= (size_t)got;
    }
    return LG_OK;
}

static lg_status
damaged(const lg__source *source, const char *title, lg_error *err)
{
    return lg_error_set(err, LG_EFORMAT, "%s: its %s section is damaged",
                        source->name, title);
}

static lg_status
read_raw(const lg__source *source, const lg__file_section *section,
         const lg_allocator *allocator, lg__array *out, lg_error *err)
{
    size_t size = (size_t)section->raw_length;
    if (source->memory != NULL) {
        out->data = source->memory + section->offset;
        return LG_OK;
    }
    void *block = lg__allocate(allocator, size);
    if (block == NULL)
        return lg__error_memory(err);
    out->data = out->owned = block;
    out->owned_size = size;
    return lg__source_read(source, section->offset, block, size, err);
}

typedef struct decoder {
    const lg__source *source;
    const lg__stored *stored;
    ZSTD_DCtx *zstd;
    void *input; // a window on the stored bytes
    size_t input_size;
    uint8_t *output;   // as many bytes as the directory says
    size_t count;      // bytes of `output` that are complete
    lg__planes planes; // a width of 0: none
    lg__planes_room *room;
    size_t filled; // bytes of the next block's planes so far
} decoder;

// Returns the bytes of the next block of planes; 0 at the end.
static size_t
block_size(const decoder *in)
{
    uint64_t at = in->count / in->planes.width;
    return lg__planes_block(&in->planes, at) * in->planes.width;
}

// Returns where the next output goes.
static ZSTD_outBuffer
next_output(const decoder *in)
{
    if (in->planes.width > 0)
        return (ZSTD_outBuffer){in->room->planes, block_size(in), in->filled};
    return (ZSTD_outBuffer){in->output, (size_t)in->stored->section->raw_length,
                            in->count};
}

// Takes over the decoded output.
static void
take_output(decoder *in, const ZSTD_outBuffer *out)
{
    if (in->planes.width == 0) {
        in->count = out->pos;
        return;
    }
    in->filled = out->pos;
    if (in->filled < out->size || out->size == 0)
        return;
    lg__planes_join(&in->planes, in->output, in->count / in->planes.width,
                    in->room);
    in->count += out->size;
    in->filled = 0;
}

// Decodes from a window of input. Sets *left to 0 at the end of the frame.
// Fails if nothing moves.
static lg_status
decode_some(decoder *in, ZSTD_inBuffer *window, size_t *left, lg_error *err)
{
    ZSTD_outBuffer output = next_output(in);
    size_t read = window->pos;
    size_t written = output.pos;
    *left = ZSTD_decompressStream(in->zstd, &output, window);
    bool stuck = window->pos == read && output.pos == written;
    if (ZSTD_isError(*left) || (stuck && *left != 0))
        return damaged(in->source, in->stored->title, err);
    take_output(in, &output);
    return LG_OK;
}

static lg_status
decode_window(decoder *in, ZSTD_inBuffer *window, size_t *left, lg_error *err)
{
    lg_status status = LG_OK;
    while (window->pos < window->size && *left != 0 && status == LG_OK)
        status = decode_some(in, window, left, err);
    return status;
}

// Drains the decoder, which may hold back output when its buffer is full.
static lg_status
drain(decoder *in, size_t *left, lg_error *err)
{
    ZSTD_inBuffer none = {in->input, 0, 0};
    lg_status status = LG_OK;
    while (*left != 0 && status == LG_OK &&
           in->count + in->filled < in->stored->section->raw_length)
        status = decode_some(in, &none, left, err);
    return status;
}

static lg_status
decode(decoder *in, lg_error *err)
{
    const lg__file_section *section = in->stored->section;
    size_t left = 1;
    lg_status status = LG_OK;
    for (uint64_t at = 0; at < section->stored_length && !status;) {
        uint64_t rest = section->stored_length - at;
        size_t part = rest < in->input_size ? (size_t)rest : in->input_size;
        status = lg__source_read(in->source, section->offset + at, in->input,
                                 part, err);
        ZSTD_inBuffer window = {in->input, part, 0};
        if (status == LG_OK)
            status = decode_window(in, &window, &left, err);
        at += part;
        if (status == LG_OK && left == 0 &&
            (at < section->stored_length || window.pos < part))
            status = damaged(in->source, in->stored->title, err);
    }
    if (status == LG_OK)
        status = drain(in, &left, err);
    if (status == LG_OK && (left != 0 || in->count != section->raw_length))
        status = damaged(in->source, in->stored->title, err);
    return status;
}

static lg_status
read_zstd(const lg__source *source, const lg__stored *stored,
          lg__planes_room *room, const lg_allocator *allocator, lg__array *out,
          lg_error *err)
{
    const lg__file_section *section = stored->section;
    decoder in = {.source = source, .stored = stored, .room = room};
    size_t size = (size_t)section->raw_length;
    in.planes =
        lg__encoding_planes(section->encoding, out->count, section->element,
                            stored->key, stored->key_element);
    in.input_size = 1u << 17;
    in.input = lg__allocate(allocator, in.input_size);
    in.output = lg__allocate(allocator, size);
    in.zstd = ZSTD_createDCtx();
    bool fits = in.planes.width == 0 || lg__planes_room_fit(room, &in.planes);
    lg_status status =
        !fits || in.input == NULL || in.output == NULL || in.zstd == NULL
            ? lg__error_memory(err)
            : decode(&in, err);
    ZSTD_freeDCtx(in.zstd);
    lg__deallocate(allocator, in.input, in.input_size);
    out->data = out->owned = in.output;
    out->owned_size = size;
    return status;
}

lg_status
lg__section_read(const lg__source *source, const lg__stored *stored,
                 lg__planes_room *room, const lg_allocator *allocator,
                 lg__array *out, lg_error *err)
{
    const lg__file_section *section = stored->section;
    out->count = section->raw_length / section->element;
    if (stored->key != NULL && stored->key->count != out->count)
        return damaged(source, stored->title, err);
    if (section->raw_length == 0)
        return LG_OK;
    lg_status status =
        section->encoding == LG__ENCODING_RAW
            ? read_raw(source, section, allocator, out, err)
            : read_zstd(source, stored, room, allocator, out, err);
    if (status == LG_OK &&
        lg__checksum(out->data, (size_t)section->raw_length) !=
            section->checksum)
        status = damaged(source, stored->title, err);
    return status;
}
