// Reads one section, and computes the checksum of those of a graph. A
// compressed section gets all its memory at once. The length of the file limits
// that memory, and only what decoded bytes reach is used.
#include "file/checksum.h"
#include "file/file_private.h"

#include <errno.h>
#include <stdlib.h>
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
damaged(const lg__source *source, const lg__stored *stored, lg_error *err)
{
    return lg_error_set(err, LG_EFORMAT, "%s: its %s section is damaged",
                        source->name, lg__array_infos[stored->name].title);
}

static lg_status
read_raw(const lg__source *source, const lg__file_section *section,
         const lg__array *out, lg_error *err)
{
    if (out->owned == NULL)
        return LG_OK;
    return lg__source_read(source, section->offset, out->owned,
                           (size_t)section->raw_length, err);
}

typedef struct decoder {
    const lg__source *source;
    const lg__stored *stored;
    uint8_t *output;           // as many bytes as the directory says
    size_t count;              // bytes of `output` that are complete
    lg__planes planes;         // a width of 0: none
    lg__targets targets;       // a count of 0: none
    lg__targets_pieces pieces; // of the next block, when its codes are there
    lg__payloads payloads;     // for kinds and payloads
    lg__section_room *room;
    uint8_t *block; // where the next block's bytes go; NULL: to `output`
    size_t filled;  // how many there are so far
    size_t size;    // how many there will be, as far as these tell; 0: not
                    // known, or the end
} decoder;

// Returns the element of the output at which the next block begins.
static uint64_t
next_element(const decoder *in)
{
    return in->count / in->stored->section->element;
}

// Returns how many elements the next block has; 0 at the end.
static size_t
next_count(const decoder *in)
{
    return lg__block_count(in->planes.count, next_element(in));
}

// Expects the next block: all of it, or its codes.
static void
begin_block(decoder *in)
{
    in->filled = 0;
    in->size = next_count(in) * (in->targets.count > 0 ? 1 : in->planes.width);
}

// Expects what complete codes call for.
static void
expect_pieces(decoder *in)
{
    size_t count = next_count(in);
    if (in->targets.count == 0 || in->size != count)
        return;
    in->pieces = lg__targets_measure(in->block, count);
    in->size = in->pieces.total;
}

// Returns where the next output goes.
static ZSTD_outBuffer
next_output(const decoder *in)
{
    if (in->block != NULL)
        return (ZSTD_outBuffer){in->block, in->size, in->filled};
    return (ZSTD_outBuffer){in->output, (size_t)in->stored->section->raw_length,
                            in->count};
}

// Joins a complete block. Returns false if it is damaged.
static bool
join_block(decoder *in)
{
    uint64_t at = next_element(in);
    size_t count = next_count(in);
    in->count += count * in->stored->section->element;
    if (in->targets.count > 0)
        return lg__targets_join(&in->targets, (void *)in->output, at,
                                &in->pieces, in->block);
    lg__planes_join(&in->planes, in->output, at, &in->room->planes);
    if (in->stored->section->encoding == LG__ENCODING_KINDS)
        lg__kinds_add(&in->payloads.contexts, at, count, in->output + at);
    if (in->stored->section->encoding == LG__ENCODING_PAYLOADS)
        lg__payloads_add(&in->payloads, at, count,
                         (uint32_t *)(void *)in->output + at);
    return true;
}

// Takes over the decoded output. Returns false if it is damaged.
static bool
take_output(decoder *in, const ZSTD_outBuffer *out)
{
    if (in->block == NULL) {
        in->count = out->pos;
        return true;
    }
    in->filled = out->pos;
    if (in->filled == in->size)
        expect_pieces(in);
    if (in->filled < in->size || in->size == 0)
        return true;
    bool sound = join_block(in);
    begin_block(in);
    return sound;
}

// Decodes from a window of input. Sets *left to 0 at the end of the frame.
// Fails if nothing moves.
static lg_status
decode_some(decoder *in, ZSTD_inBuffer *window, size_t *left, lg_error *err)
{
    ZSTD_outBuffer output = next_output(in);
    size_t read = window->pos;
    size_t written = output.pos;
    *left = ZSTD_decompressStream(in->room->zstd, &output, window);
    bool stuck = window->pos == read && output.pos == written;
    if (ZSTD_isError(*left) || (stuck && *left != 0) ||
        !take_output(in, &output))
        return damaged(in->source, in->stored, err);
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
    ZSTD_inBuffer none = {in->room->input, 0, 0};
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
    begin_block(in);
    for (uint64_t at = 0; at < section->stored_length && !status;) {
        uint64_t rest = section->stored_length - at;
        size_t part =
            rest < LG__SECTION_INPUT ? (size_t)rest : LG__SECTION_INPUT;
        status = lg__source_read(in->source, section->offset + at,
                                 in->room->input, part, err);
        ZSTD_inBuffer window = {in->room->input, part, 0};
        if (status == LG_OK)
            status = decode_window(in, &window, &left, err);
        at += part;
        if (status == LG_OK && left == 0 &&
            (at < section->stored_length || window.pos < part))
            status = damaged(in->source, in->stored, err);
    }
    if (status == LG_OK)
        status = drain(in, &left, err);
    if (status == LG_OK && (left != 0 || in->count != section->raw_length))
        status = damaged(in->source, in->stored, err);
    return status;
}

// Once both are read, words may have targets and kinds, without `data`.
static bool
has_words(const lg__array *arrays)
{
    return arrays[LG__EDGE_TARGET].data == NULL &&
           arrays[LG__EDGE_TARGET].owned != NULL;
}

static lg_edge_targets
targets_of(const lg__array *arrays)
{
    const lg__array *array = &arrays[LG__EDGE_TARGET];
    return has_words(arrays) ? lg_edge_targets_packed(array->owned)
                             : (lg_edge_targets){array->data, UINT32_MAX};
}

static lg_edge_kinds
kinds_of(const lg__array *arrays)
{
    return has_words(arrays)
               ? lg_edge_kinds_packed(arrays[LG__EDGE_TARGET].owned)
               : (lg_edge_kinds){arrays[LG__EDGE_KIND].data, 0};
}

// Makes room for the blocks of a section that has blocks.
static bool
begin_blocks(decoder *in, uint64_t count)
{
    const lg__stored *stored = in->stored;
    const lg_columns columns = {
        .type = lg_type_ids_wide(stored->arrays[LG__TYPE].data),
        .first_edge = {.wide = stored->arrays[LG__FIRST_EDGE].data},
        .target = targets_of(stored->arrays),
        .kind = kinds_of(stored->arrays)};
    uint32_t encoding = stored->section->encoding;
    in->planes =
        lg__encoding_planes(encoding, stored->name, stored->arrays, count);
    in->planes.kinds = columns.kind;
    if (in->planes.width > 0) {
        bool fits = lg__planes_room_fit(&in->room->planes, &in->planes);
        in->block = in->room->planes.planes;
        if (!lg__encoding_is_of_contexts(encoding))
            return fits;
        in->payloads = lg__encoding_payloads(stored->arrays, &columns);
        return fits && lg__contexts_begin(&in->payloads.contexts, 0);
    }
    if (encoding != LG__ENCODING_TARGETS)
        return true;
    in->targets = (lg__targets){
        .count = count,
        .contexts = lg__encoding_contexts(stored->arrays, &columns)};
    in->block = lg__section_room_block(in->room);
    return in->block != NULL && lg__targets_begin(&in->targets, false);
}

// Makes room to decode, which sections have in common.
static bool
begin_zstd(lg__section_room *room)
{
    if (room->zstd == NULL)
        room->zstd = ZSTD_createDCtx();
    if (room->input == NULL)
        room->input = lg__alloc(LG__SECTION_INPUT);
    if (room->zstd == NULL || room->input == NULL)
        return false;
    ZSTD_DCtx_reset(room->zstd, ZSTD_reset_session_only);
    return true;
}

static lg_status
read_zstd(const lg__source *source, const lg__stored *stored,
          lg__section_room *room, const lg__array *out, lg_error *err)
{
    decoder in = {
        .source = source, .stored = stored, .room = room, .output = out->owned};
    bool fits = begin_zstd(room) && begin_blocks(&in, out->count);
    lg_status status = fits ? decode(&in, err) : lg__error_memory(err);
    lg__targets_end(&in.targets);
    lg__contexts_end(&in.payloads.contexts);
    return status;
}

uint8_t *
lg__section_room_block(lg__section_room *room)
{
    if (room->block == NULL)
        room->block = lg__alloc(LG__TARGETS_ROOM);
    return room->block;
}

void
lg__section_room_free(lg__section_room *room)
{
    lg__planes_room_free(&room->planes);
    ZSTD_freeDCtx(room->zstd);
    lg__free(room->input);
    lg__free(room->block);
}

lg_status
lg__section_begin(const lg__source *source, const lg__file_section *section,
                  const lg_allocator *allocator, lg__array *out, lg_error *err)
{
    size_t size = (size_t)section->raw_length;
    out->count = section->raw_length / section->element;
    if (size == 0)
        return LG_OK;
    if (section->encoding == LG__ENCODING_RAW && source->memory != NULL &&
        section->id != lg__array_infos[LG__FIRST_EDGE].id) {
        out->data = source->memory + section->offset;
        return LG_OK;
    }
    out->data = out->owned = lg__allocate(allocator, size);
    out->owned_size = out->owned != NULL ? size : 0;
    return out->owned != NULL ? LG_OK : lg__error_memory(err);
}

lg_status
lg__section_read(const lg__source *source, const lg__stored *stored,
                 lg__section_room *room, lg_error *err)
{
    const lg__file_section *section = stored->section;
    const lg__array *out = &stored->arrays[stored->name];
    if (section->raw_length == 0)
        return LG_OK;
    if (!lg__encoding_is_ready(section->encoding, stored->name, out->count,
                               stored->arrays))
        return damaged(source, stored, err);
    lg_status status = section->encoding == LG__ENCODING_RAW
                           ? read_raw(source, section, out, err)
                           : read_zstd(source, stored, room, out, err);
    if (status == LG_OK &&
        lg__checksum(out->data, (size_t)section->raw_length) !=
            section->checksum)
        status = damaged(source, stored, err);
    return status;
}

static int
compare_sections(const void *left, const void *right)
{
    const lg__file_section *a = left;
    const lg__file_section *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

uint64_t
lg__file_graph_checksum(const lg__file_section *sections, uint32_t count)
{
    lg__file_section sorted[LG__FILE_SECTIONS_MAX];
    uint64_t sums[LG__FILE_SECTIONS_MAX];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (sections[i].id < LG__FILE_BEYOND_GRAPH)
            sorted[kept++] = sections[i];
    lg__sort(sorted, kept, sizeof *sorted, compare_sections);
    for (uint32_t i = 0; i < kept; i++)
        sums[i] = sorted[i].checksum;
    return lg__checksum(sums, kept * sizeof *sums);
}
