// Writes sections of a file.
#include "file/writer.h"
#include "file/checksum.h"

#include <stdlib.h>
#include <string.h>
#include <zstd_errors.h>

static lg_status
goes_on(lg__writer *out, size_t more, lg_error *err)
{
    out->done += more;
    double part = out->total ? (double)out->done / (double)out->total : 1;
    return lg__monitor_goes_on(out->monitor, "saving", part, err)
               ? LG_OK
               : LG_ECANCELLED;
}

static lg_status
write_raw(lg__writer *out, const uint8_t *bytes, uint64_t length, lg_error *err)
{
    const size_t step = 1u << 24;
    lg_status status = LG_OK;
    for (uint64_t at = 0; at < length && status == LG_OK;) {
        size_t part = length - at < step ? (size_t)(length - at) : step;
        status = lg__sink_write(&out->sink, bytes + at, part, err);
        at += part;
        if (status == LG_OK)
            status = goes_on(out, part, err);
    }
    return status;
}

static lg_status
zstd_failed(size_t code, lg_error *err)
{
    if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation)
        return lg__error_memory(err);
    return lg_error_set(err, LG_EUNSUPPORTED, "cannot compress: %s",
                        ZSTD_getErrorName(code));
}

// Compresses a part of a section to the file.
static lg_status
compress(lg__writer *out, const void *bytes, size_t length,
         ZSTD_EndDirective how, lg_error *err)
{
    ZSTD_inBuffer input = {bytes, length, 0};
    for (bool done = false; !done;) {
        ZSTD_outBuffer output = {out->buffer, out->buffer_size, 0};
        size_t left = ZSTD_compressStream2(out->zstd, &output, &input, how);
        if (ZSTD_isError(left))
            return zstd_failed(left, err);
        lg_status status =
            lg__sink_write(&out->sink, out->buffer, output.pos, err);
        if (status != LG_OK)
            return status;
        done = how == ZSTD_e_continue ? input.pos == length : left == 0;
    }
    return LG_OK;
}

static lg_status
write_zstd(lg__writer *out, const uint8_t *bytes, uint64_t length,
           lg_error *err)
{
    const size_t step = 1u << 22;
    lg_status status = LG_OK;
    for (uint64_t at = 0; at < length && status == LG_OK;) {
        size_t part = length - at < step ? (size_t)(length - at) : step;
        status =
            compress(out, bytes + at, part,
                     at + part == length ? ZSTD_e_end : ZSTD_e_continue, err);
        at += part;
        if (status == LG_OK)
            status = goes_on(out, part, err);
    }
    return status;
}

// What zstd gets as one block of its own: a part of a long plane or all of a
// shorter one, but nothing shorter than the second number.
enum { PART_OF_PLANE = LG__BLOCK_ELEMENTS / 2, LONG_PLANE = 1 << 12 };

// Writes a plane as blocks of its own, because planes differ in their
// statistics: zstd's longer blocks would have one table of codes for two
// planes.
static lg_status
write_plane(lg__writer *out, const uint8_t *plane, size_t length, lg_error *err)
{
    size_t step = length == LG__BLOCK_ELEMENTS ? PART_OF_PLANE : length;
    lg_status status = LG_OK;
    for (size_t at = 0; at < length && status == LG_OK; at += step)
        status =
            compress(out, plane + at, step,
                     length < LONG_PLANE ? ZSTD_e_continue : ZSTD_e_flush, err);
    return status;
}

// Returns the block of a column that begins at an element: in the room, if it
// becomes differences there.
static const uint8_t *
block_of(lg__writer *out, lg__payloads *payloads,
         const lg__file_section *section, const uint8_t *column, uint64_t at,
         size_t count)
{
    uint8_t *block = out->room.block;
    column += at * section->element;
    if (section->encoding == LG__ENCODING_KINDS)
        lg__kinds_subtract(&payloads->contexts, column, at, count, block);
    else if (section->encoding == LG__ENCODING_PAYLOADS)
        lg__payloads_subtract(payloads, (const void *)column, at, count,
                              (void *)block);
    else
        return column;
    return block;
}

// Writes one block of `each`.
static lg_status
write_planes(lg__writer *out, lg__planes *planes,
             const lg__file_section *section, const uint8_t *column,
             uint64_t each, lg_error *err)
{
    lg__planes_room *room = &out->room.planes;
    lg__payloads payloads = lg__encoding_payloads(out->arrays);
    bool fits = lg__planes_room_fit(room, planes) &&
                lg__section_room_block(&out->room) != NULL &&
                lg__contexts_begin(&payloads.contexts, 0);
    lg_status status = fits ? LG_OK : lg__error_memory(err);
    for (uint64_t at = 0; at < planes->count && status == LG_OK;) {
        size_t count = lg__block_count(planes->count, at);
        lg__planes_split(planes,
                         block_of(out, &payloads, section, column, at, count),
                         at, room);
        at += each * LG__BLOCK_ELEMENTS;
        for (size_t i = 0; i < planes->width && status == LG_OK; i++)
            status = write_plane(out, room->planes + i * count, count, err);
        if (status == LG_OK)
            status = goes_on(out, count * planes->width, err);
    }
    lg__contexts_end(&payloads.contexts);
    return status == LG_OK ? compress(out, NULL, 0, ZSTD_e_end, err) : status;
}

// Writes the pieces of a block of targets like planes.
static lg_status
write_pieces(lg__writer *out, const lg__targets_pieces *pieces, lg_error *err)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < LG__TARGETS_PIECES && status == LG_OK; i++)
        status = write_plane(out, out->room.block + i * LG__BLOCK_ELEMENTS,
                             pieces->size[i], err);
    return status;
}

static lg_status
write_targets(lg__writer *out, lg__targets *targets, const uint32_t *column,
              lg_error *err)
{
    bool fits = lg__targets_begin(targets, true) &&
                lg__section_room_block(&out->room) != NULL;
    lg_status status = fits ? LG_OK : lg__error_memory(err);
    for (uint64_t at = 0; at < targets->count && status == LG_OK;) {
        size_t count = lg__block_count(targets->count, at);
        lg__targets_pieces pieces =
            lg__targets_split(targets, column, at, out->room.block);
        at += count;
        status = write_pieces(out, &pieces, err);
        if (status == LG_OK)
            status = goes_on(out, count * sizeof *column, err);
    }
    lg__targets_end(targets);
    return status == LG_OK ? compress(out, NULL, 0, ZSTD_e_end, err) : status;
}

// From this level on, zstd itself finds that names of one package are alike and
// far from each other.
enum { FOR_TEXTS = 3 };

// Chooses how zstd searches. In long texts, it searches far back, with tables
// that fit into the processor's caches. Otherwise the level decides, which is 0
// here.
static void
set_up(lg__writer *out, bool texts)
{
    static const struct {
        ZSTD_cParameter name;
        int value;
    } choices[] = {
        {ZSTD_c_strategy, ZSTD_dfast}, {ZSTD_c_windowLog, 22},
        {ZSTD_c_hashLog, 16},          {ZSTD_c_chainLog, 15},
        {ZSTD_c_minMatch, 5},
    };
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        ZSTD_CCtx_setParameter(out->zstd, choices[i].name,
                               texts ? choices[i].value : 0);
}

static lg_status
write_encoded(lg__writer *out, enum lg__array_name name,
              const lg__file_section *section, lg_error *err)
{
    const lg__array *array = &out->arrays[name];
    uint64_t length = section->raw_length;
    if (section->encoding == LG__ENCODING_RAW)
        return write_raw(out, array->data, length, err);
    ZSTD_CCtx_reset(out->zstd, ZSTD_reset_session_only);
    set_up(out, name == LG__STRING_BYTES && out->level < FOR_TEXTS);
    if (section->encoding == LG__ENCODING_TARGETS) {
        lg__targets targets = {.count = array->count,
                               .contexts = lg__encoding_contexts(out->arrays)};
        return write_targets(out, &targets, array->data, err);
    }
    ZSTD_CCtx_setPledgedSrcSize(out->zstd, length);
    lg__planes planes =
        lg__encoding_planes(section->encoding, name, out->arrays, array->count);
    return planes.width == 0
               ? write_zstd(out, array->data, length, err)
               : write_planes(out, &planes, section, array->data, 1, err);
}

// Writes the section that was just written again, with another encoding.
static lg_status
rewrite(lg__writer *out, enum lg__array_name name, lg__file_section *section,
        uint32_t encoding, uint64_t done, lg_error *err)
{
    section->encoding = encoding;
    out->done = done;
    lg_status status = lg__sink_rewind(&out->sink, section->offset, err);
    return status == LG_OK ? write_encoded(out, name, section, err) : status;
}

// How many blocks of a column one block of a sample stands for.
enum { SAMPLE = 16 };

// Finds how long the section would be with an encoding that sorts by the key of
// earlier versions. Writes and drops some of its blocks.
static lg_status
estimate(lg__writer *out, enum lg__array_name name,
         const lg__file_section *section, uint64_t *length, lg_error *err)
{
    const lg__array *array = &out->arrays[name];
    uint64_t begin = out->sink.offset;
    uint64_t done = out->done;
    uint64_t sampled = 0;
    lg__planes planes =
        lg__encoding_planes(section->encoding, name, out->arrays, array->count);
    ZSTD_CCtx_reset(out->zstd, ZSTD_reset_session_only);
    lg_status status =
        write_planes(out, &planes, section, array->data, SAMPLE, err);
    uint64_t sample = out->sink.offset - begin;
    for (uint64_t at = 0; at < array->count; at += SAMPLE * LG__BLOCK_ELEMENTS)
        sampled += lg__block_count(planes.count, at);
    *length =
        (uint64_t)((double)sample / (double)sampled * (double)array->count);
    out->done = done;
    return status == LG_OK ? lg__sink_rewind(&out->sink, begin, err) : status;
}

// Rewrites a section that was just written if its encoding suits it worse than
// that of earlier versions, as the references of objects in any order do.
static lg_status
write_better(lg__writer *out, enum lg__array_name name,
             lg__file_section *section, uint64_t done, lg_error *err)
{
    uint64_t written = out->sink.offset - section->offset;
    uint64_t length = 0;
    lg__file_section other = *section;
    lg_status status = LG_OK;
    if (section->encoding == LG__ENCODING_TARGETS)
        other.encoding = LG__ENCODING_SORTED;
    else if (section->encoding == LG__ENCODING_BY_SIZE)
        other.encoding = LG__ENCODING_SORTED_DIFFERENCES;
    else
        return LG_OK;
    // A sample is longer than its share of the column, because its blocks are
    // far from each other, so samples are compared. Targets have none.
    if (section->encoding == LG__ENCODING_BY_SIZE)
        status = estimate(out, name, section, &written, err);
    if (status == LG_OK)
        status = estimate(out, name, &other, &length, err);
    if (status != LG_OK || length >= written)
        return status;
    return rewrite(out, name, section, other.encoding, done, err);
}

// Returns whether the numbers of a column rise, or differ little from the one
// before.
static bool
is_rising(enum lg__array_name name)
{
    switch (name) {
    case LG__FIRST_EDGE:
    case LG__STRING_OFFSET:
    case LG__TEXT_NODE:
    case LG__TEXT_STRING:
    case LG__BIG_NODE:
    case LG__TYPE_FIRST_BASE:
    case LG__DEVICE_NODE:
    case LG__FACT_NODE:
    case LG__EQUAL_NODE:
    case LG__COMPONENT_FIRST:
        return true;
    default:
        return false;
    }
}

static lg__encoding
best_encoding(const lg__writer *out, enum lg__array_name name, uint64_t length)
{
    if (out->zstd == NULL || length == 0)
        return LG__ENCODING_RAW;
    if (is_rising(name))
        return LG__ENCODING_DIFFERENCES;
    switch (name) {
    case LG__ADDRESS:
        return LG__ENCODING_BY_SIZE;
    case LG__EDGE_PAYLOAD:
        return LG__ENCODING_PAYLOADS;
    case LG__EDGE_TARGET:
        return LG__ENCODING_TARGETS;
    case LG__EDGE_KIND:
        return LG__ENCODING_KINDS;
    case LG__SIZE:
    case LG__REFCOUNT:
    case LG__FOUND:
    case LG__NODE_FLAGS:
        return LG__ENCODING_SORTED;
    default:
        return lg__array_infos[name].element == 1 ? LG__ENCODING_ZSTD
                                                  : LG__ENCODING_PLANES;
    }
}

// Writes the section as it is if compression does not help.
lg_status
lg__writer_section(lg__writer *out, enum lg__array_name name,
                   lg__file_section *section, lg_error *err)
{
    const lg__array *array = &out->arrays[name];
    const lg__array_info *info = &lg__array_infos[name];
    uint64_t length = array->count * info->element;
    uint64_t done = out->done;
    lg_status status = lg__sink_align(&out->sink, err);
    if (status != LG_OK)
        return status;
    *section = (lg__file_section){
        .id = info->id,
        .element = info->element,
        .encoding = best_encoding(out, name, length),
        .offset = out->sink.offset,
        .raw_length = length,
        .checksum = lg__checksum(array->data, length),
    };
    status = write_encoded(out, name, section, err);
    if (status == LG_OK)
        status = write_better(out, name, section, done, err);
    if (status == LG_OK && section->encoding != LG__ENCODING_RAW &&
        out->sink.offset - section->offset >= length)
        status = rewrite(out, name, section, LG__ENCODING_RAW, done, err);
    section->stored_length = out->sink.offset - section->offset;
    return status;
}

lg_status
lg__writer_compress(lg__writer *out, int level, lg_error *err)
{
    if (level == 0)
        return LG_OK;
    if (level < 0 || level > 19)
        return lg_error_set(err, LG_EINVAL,
                            "compression level %d is not one of 0 to 19",
                            level);
    out->buffer_size = ZSTD_CStreamOutSize();
    out->buffer = malloc(out->buffer_size);
    out->zstd = ZSTD_createCCtx();
    if (out->buffer == NULL || out->zstd == NULL)
        return lg__error_memory(err);
    ZSTD_CCtx_setParameter(out->zstd, ZSTD_c_compressionLevel, level);
    out->level = level;
    return LG_OK;
}

void
lg__writer_free(lg__writer *out)
{
    free(out->buffer);
    lg__section_room_free(&out->room);
    ZSTD_freeCCtx(out->zstd);
}
