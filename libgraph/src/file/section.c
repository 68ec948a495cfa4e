// Reads one section. It believes a length in the file only as far as the file's
// bytes prove it: the memory for a compressed section grows as its bytes come.
#include "file/file_private.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
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
    const lg__file_section *section;
    const char *title;
    const lg_allocator *allocator;
    ZSTD_DCtx *zstd;
    void *input; // a window on the stored bytes
    size_t input_size;
    lg__vector output;
} decoder;

// Room for more output: doubled, never beyond what the directory says.
static bool
make_room(decoder *in)
{
    size_t wanted = (size_t)in->section->raw_length;
    size_t capacity = in->output.capacity;
    if (in->output.count < capacity || capacity == wanted)
        return true;
    size_t next = capacity ? capacity : 1u << 20;
    next = next > wanted / 2 ? wanted : next * 2;
    if (!lg__column_grow(in->allocator, &in->output.data, 1, capacity, next))
        return false;
    in->output.capacity = next;
    return true;
}

// Decodes one window of input. *left is 0 at the end of the frame.
static lg_status
decode_window(decoder *in, ZSTD_inBuffer *window, size_t *left, lg_error *err)
{
    while (window->pos < window->size && *left != 0) {
        if (!make_room(in))
            return lg__error_memory(err);
        ZSTD_outBuffer output = {in->output.data, in->output.capacity,
                                 in->output.count};
        size_t before = window->pos;
        *left = ZSTD_decompressStream(in->zstd, &output, window);
        bool stuck = window->pos == before && output.pos == in->output.count;
        in->output.count = output.pos;
        if (ZSTD_isError(*left) || (stuck && *left != 0))
            return damaged(in->source, in->title, err);
    }
    return LG_OK;
}

// The decoder may hold back output when its buffer is full.
static lg_status
drain(decoder *in, size_t *left, lg_error *err)
{
    while (*left != 0 && in->output.count < in->section->raw_length) {
        if (!make_room(in))
            return lg__error_memory(err);
        ZSTD_inBuffer none = {in->input, 0, 0};
        ZSTD_outBuffer output = {in->output.data, in->output.capacity,
                                 in->output.count};
        *left = ZSTD_decompressStream(in->zstd, &output, &none);
        if (ZSTD_isError(*left) || output.pos == in->output.count)
            return damaged(in->source, in->title, err);
        in->output.count = output.pos;
    }
    return LG_OK;
}

static lg_status
decode(decoder *in, lg_error *err)
{
    const lg__file_section *section = in->section;
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
            status = damaged(in->source, in->title, err);
    }
    if (status == LG_OK)
        status = drain(in, &left, err);
    if (status == LG_OK &&
        (left != 0 || in->output.count != section->raw_length))
        status = damaged(in->source, in->title, err);
    return status;
}

static lg_status
read_zstd(const lg__source *source, const lg__file_section *section,
          const char *title, const lg_allocator *allocator, lg__array *out,
          lg_error *err)
{
    decoder in = {.source = source,
                  .section = section,
                  .title = title,
                  .allocator = allocator,
                  .input_size = 1u << 17,
                  .output = {.element = 1}};
    in.input = lg__allocate(allocator, in.input_size);
    in.zstd = ZSTD_createDCtx();
    lg_status status = in.input == NULL || in.zstd == NULL
                           ? lg__error_memory(err)
                           : decode(&in, err);
    ZSTD_freeDCtx(in.zstd);
    lg__deallocate(allocator, in.input, in.input_size);
    out->data = out->owned = in.output.data;
    out->owned_size = in.output.capacity;
    return status;
}

static lg_status
join_planes(const lg__file_section *section, const lg_allocator *allocator,
            lg__array *out, lg_error *err)
{
    lg__planes planes =
        lg__encoding_planes(section->encoding, out->count, section->element);
    if (planes.width == 0)
        return LG_OK;
    size_t room = lg__planes_room(&planes);
    void *spare = lg__allocate(allocator, room);
    if (spare == NULL)
        return lg__error_memory(err);
    lg__planes_join(&planes, out->owned, spare);
    lg__deallocate(allocator, spare, room);
    return LG_OK;
}

lg_status
lg__section_read(const lg__source *source, const lg__file_section *section,
                 const char *title, const lg_allocator *allocator,
                 lg__array *out, lg_error *err)
{
    out->count = section->raw_length / section->element;
    if (section->raw_length == 0)
        return LG_OK;
    lg_status status =
        section->encoding == LG__ENCODING_RAW
            ? read_raw(source, section, allocator, out, err)
            : read_zstd(source, section, title, allocator, out, err);
    if (status == LG_OK)
        status = join_planes(section, allocator, out, err);
    if (status == LG_OK &&
        XXH3_64bits(out->data, (size_t)section->raw_length) !=
            section->checksum)
        status = damaged(source, title, err);
    return status;
}
