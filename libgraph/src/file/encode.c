// Encodes a section to the file.
#include "file/writer.h"

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

// Needs no memory, so that a file can always be written.
static lg_status
write_narrow(lg__writer *out, enum lg__array_name name, lg_error *err)
{
    uint64_t block[LG__COPY_ELEMENTS];
    const size_t element = lg__array_infos[name].element;
    const uint64_t count = out->arrays[name].count;
    lg_status status = LG_OK;
    for (uint64_t at = 0; at < count && status == LG_OK;) {
        const uint64_t left = count - at;
        const size_t part =
            left < LG__COPY_ELEMENTS ? (size_t)left : LG__COPY_ELEMENTS;
        lg__array_copy(out->graph, name, at, part, block);
        status = lg__sink_write(&out->sink, block, part * element, err);
        at += part;
        if (status == LG_OK)
            status = goes_on(out, part * element, err);
    }
    return status;
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
// becomes differences there or the column is narrow.
static const uint8_t *
block_of(lg__writer *out, lg__payloads *payloads, const lg__coding *coding,
         uint64_t at, size_t count)
{
    uint8_t *block = out->room.block;
    const uint8_t *column = out->arrays[coding->name].data;
    if (column == NULL)
        lg__array_copy(out->graph, coding->name, at, count, block);
    else
        column += at * lg__array_infos[coding->name].element;
    const uint8_t *numbers = column != NULL ? column : block;
    if (coding->encoding == LG__ENCODING_KINDS)
        lg__kinds_subtract(&payloads->contexts, numbers, at, count, block);
    else if (coding->encoding == LG__ENCODING_PAYLOADS)
        lg__payloads_subtract(payloads, (const void *)numbers, at, count,
                              (void *)block);
    else
        return numbers;
    return block;
}

static bool
begin_planes(lg__writer *out, lg__planes *planes, const lg__coding *coding,
             lg__payloads *payloads)
{
    const bool differs = lg__encoding_is_of_contexts(coding->encoding);
    const bool is_narrow = out->arrays[coding->name].data == NULL;
    if (!lg__planes_room_fit(&out->room.planes, planes) ||
        ((differs || is_narrow) && lg__section_room_block(&out->room) == NULL))
        return false;
    if (!differs)
        return true;
    *payloads = lg__encoding_payloads(out->arrays, &out->graph->columns);
    return lg__contexts_begin(&payloads->contexts, 0);
}

static lg_status
write_planes(lg__writer *out, lg__planes *planes, const lg__coding *coding,
             lg_error *err)
{
    lg__planes_room *room = &out->room.planes;
    lg__payloads payloads = {0};
    bool fits = begin_planes(out, planes, coding, &payloads);
    lg_status status = fits ? LG_OK : lg__error_memory(err);
    for (uint64_t at = 0; at < planes->count && status == LG_OK;) {
        size_t count = lg__block_count(planes->count, at);
        lg__planes_split(planes, block_of(out, &payloads, coding, at, count),
                         at, room);
        for (size_t i = 0; i < planes->width && status == LG_OK; i++)
            status = write_plane(out, room->planes + i * count, count, err);
        if (coding->ends != NULL)
            coding->ends[at / LG__SAMPLE_ELEMENTS] = out->sink.offset;
        if (status == LG_OK && coding->ends == NULL)
            status = goes_on(out, count * planes->width, err);
        at += coding->ends ? LG__SAMPLE_ELEMENTS : LG__BLOCK_ELEMENTS;
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

// Returns whether targets need more bytes so far than another encoding would.
// The first ones need more than their share, because nothing is known of
// earlier ones.
static bool
is_worse(const lg__writer *out, const lg__coding *coding, uint64_t begin,
         uint64_t at, bool last)
{
    if (coding->most == NULL || (!last && at % LG__SAMPLE_ELEMENTS != 0))
        return false;
    uint64_t most = coding->most[(at - 1) / LG__SAMPLE_ELEMENTS];
    return out->sink.offset - begin > most + (last ? 0 : most / 8);
}

static lg_status
write_targets(lg__writer *out, lg__targets *targets, lg__coding *coding,
              lg_error *err)
{
    const uint32_t *column = out->arrays[coding->name].data;
    uint64_t begin = out->sink.offset;
    bool fits = lg__targets_begin(targets, true) &&
                lg__section_room_block(&out->room) != NULL;
    lg_status status = fits ? LG_OK : lg__error_memory(err);
    for (uint64_t at = 0;
         at < targets->count && status == LG_OK && !coding->stopped;) {
        size_t count = lg__block_count(targets->count, at);
        lg__targets_pieces pieces =
            lg__targets_split(targets, column, at, out->room.block);
        at += count;
        status = write_pieces(out, &pieces, err);
        if (status == LG_OK)
            status = goes_on(out, count * sizeof *column, err);
        coding->stopped = is_worse(out, coding, begin, at, false);
    }
    lg__targets_end(targets);
    if (status == LG_OK)
        status = compress(out, NULL, 0, ZSTD_e_end, err);
    coding->stopped =
        coding->stopped || is_worse(out, coding, begin, targets->count, true);
    return status;
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

lg_status
lg__encode(lg__writer *out, lg__coding *coding, lg_error *err)
{
    enum lg__array_name name = coding->name;
    const lg__array *array = &out->arrays[name];
    uint64_t length = array->count * lg__array_infos[name].element;
    if (coding->encoding == LG__ENCODING_RAW)
        return array->data == NULL ? write_narrow(out, name, err)
                                   : write_raw(out, array->data, length, err);
    ZSTD_CCtx_reset(out->zstd, ZSTD_reset_session_only);
    set_up(out, name == LG__STRING_BYTES && out->level < FOR_TEXTS);
    if (coding->encoding == LG__ENCODING_TARGETS) {
        lg__targets targets = {.count = array->count,
                               .contexts = lg__encoding_contexts(
                                   out->arrays, &out->graph->columns)};
        return write_targets(out, &targets, coding, err);
    }
    if (coding->ends == NULL)
        ZSTD_CCtx_setPledgedSrcSize(out->zstd, length);
    lg__planes planes =
        lg__encoding_planes(coding->encoding, name, out->arrays, array->count);
    planes.types = out->graph->columns.type;
    return planes.width == 0 ? write_zstd(out, array->data, length, err)
                             : write_planes(out, &planes, coding, err);
}
