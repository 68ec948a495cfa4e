// Writes a graph as a .lgs file.
#include "file/checksum.h"
#include "file/file_private.h"

#include <leakgraph/file.h>
#include <leakgraph/internal/options.h>
#include <leakgraph/internal/draft.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

typedef struct writer {
    lg__sink sink;
    ZSTD_CCtx *zstd; /**< NULL: sections are stored without compression */
    int level;       /**< compression level */
    void *buffer;
    size_t buffer_size;
    lg__section_room room;
    const lg_graph *graph;   /**< has the narrow columns */
    const lg__array *arrays; /**< those of narrow columns have no data */
    lg__file_section sections[LG__ARRAY_COUNT];
    uint32_t section_count;
    const lg_monitor *monitor;
    uint64_t total; /**< bytes of all arrays */
    uint64_t done;
} writer;

enum {
    /** A sample has one block of this number of elements of a column. */
    SAMPLE_ELEMENTS = 16 * LG__BLOCK_ELEMENTS,
};

/** A column in an encoding. */
typedef struct column_coding {
    enum lg__array_name name;
    uint32_t encoding;
    uint64_t *ends;       /**< for planes, write a sample, and note here the
                               offset in the file after each block; or NULL */
    const uint64_t *most; /**< for targets, as a sample finds it for another
                               encoding; or NULL */
    bool stopped;         /**< targets need more */
} column_coding;

// Encodes a column.

static lg_status
goes_on(writer *out, size_t more, lg_error *err)
{
    out->done += more;
    double part = out->total ? (double)out->done / (double)out->total : 1;
    return lg__monitor_goes_on(out->monitor, "saving", part, err)
               ? LG_OK
               : LG_ECANCELLED;
}

// Needs no memory, so that a file can always be written.
static lg_status
write_narrow(writer *out, enum lg__array_name name, lg_error *err)
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

// Writes a part of a section, which may be its last one.
typedef lg_status write_part(writer *out, const uint8_t *bytes, size_t length,
                             bool last, lg_error *err);

static lg_status
write_parts(writer *out, const uint8_t *bytes, uint64_t length,
            write_part *write, lg_error *err)
{
    const size_t step = 1u << 22;
    lg_status status = LG_OK;
    for (uint64_t at = 0; at < length && status == LG_OK;) {
        size_t part = length - at < step ? (size_t)(length - at) : step;
        status = write(out, bytes + at, part, at + part == length, err);
        at += part;
        if (status == LG_OK)
            status = goes_on(out, part, err);
    }
    return status;
}

static lg_status
store(writer *out, const uint8_t *bytes, size_t length, bool last,
      lg_error *err)
{
    (void)last;
    return lg__sink_write(&out->sink, bytes, length, err);
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
compress(writer *out, const void *bytes, size_t length, ZSTD_EndDirective how,
         lg_error *err)
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
store_compressed(writer *out, const uint8_t *bytes, size_t length, bool last,
                 lg_error *err)
{
    return compress(out, bytes, length, last ? ZSTD_e_end : ZSTD_e_continue,
                    err);
}

// What zstd gets as one block of its own: a part of a long plane or all of a
// shorter one, but nothing shorter than the second number.
enum { PART_OF_PLANE = LG__BLOCK_ELEMENTS / 2, LONG_PLANE = 1 << 12 };

// Writes a plane as blocks of its own, because planes differ in their
// statistics: zstd's longer blocks would have one table of codes for two
// planes.
static lg_status
write_plane(writer *out, const uint8_t *plane, size_t length, lg_error *err)
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
block_of(writer *out, lg__payloads *payloads, const column_coding *coding,
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
begin_planes(writer *out, lg__planes *planes, const column_coding *coding,
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
write_planes(writer *out, lg__planes *planes, const column_coding *coding,
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
            coding->ends[at / SAMPLE_ELEMENTS] = out->sink.offset;
        if (status == LG_OK && coding->ends == NULL)
            status = goes_on(out, count * planes->width, err);
        at += coding->ends ? SAMPLE_ELEMENTS : LG__BLOCK_ELEMENTS;
    }
    lg__contexts_end(&payloads.contexts);
    return status == LG_OK ? compress(out, NULL, 0, ZSTD_e_end, err) : status;
}

// Writes the pieces of a block of targets like planes.
static lg_status
write_pieces(writer *out, const lg__targets_pieces *pieces, lg_error *err)
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
is_worse(const writer *out, const column_coding *coding, uint64_t begin,
         uint64_t at, bool last)
{
    if (coding->most == NULL || (!last && at % SAMPLE_ELEMENTS != 0))
        return false;
    uint64_t most = coding->most[(at - 1) / SAMPLE_ELEMENTS];
    return out->sink.offset - begin > most + (last ? 0 : most / 8);
}

static lg_status
write_targets(writer *out, lg__targets *targets, column_coding *coding,
              lg_error *err)
{
    uint64_t begin = out->sink.offset;
    bool fits = lg__targets_begin(targets, true) &&
                lg__section_room_block(&out->room) != NULL;
    lg_status status = fits ? LG_OK : lg__error_memory(err);
    for (uint64_t at = 0;
         at < targets->count && status == LG_OK && !coding->stopped;) {
        size_t count = lg__block_count(targets->count, at);
        lg__targets_pieces pieces = lg__targets_split(
            targets, &out->graph->columns.target, at, out->room.block);
        at += count;
        status = write_pieces(out, &pieces, err);
        if (status == LG_OK)
            status = goes_on(out, count * sizeof(uint32_t), err);
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
set_up(writer *out, bool texts)
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

// Writes the column to the file, in an encoding that its array may have.
static lg_status
encode(writer *out, column_coding *coding, lg_error *err)
{
    enum lg__array_name name = coding->name;
    const lg__array *array = &out->arrays[name];
    uint64_t length = array->count * lg__array_infos[name].element;
    if (coding->encoding == LG__ENCODING_RAW)
        return array->data == NULL
                   ? write_narrow(out, name, err)
                   : write_parts(out, array->data, length, store, err);
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
    planes.kinds = out->graph->columns.kind;
    return planes.width == 0
               ? write_parts(out, array->data, length, store_compressed, err)
               : write_planes(out, &planes, coding, err);
}

// Finds from samples of a column how long it is in an encoding.

// Turns the ends of blocks in the file into the lengths of what they stand for.
static void
scale(uint64_t *ends, uint64_t begin, uint64_t count)
{
    uint64_t sampled = 0;
    for (uint64_t at = 0; at < count; at += SAMPLE_ELEMENTS) {
        uint64_t left = count - at;
        sampled += lg__block_count(count, at);
        uint64_t stands =
            at + (left < SAMPLE_ELEMENTS ? left : SAMPLE_ELEMENTS);
        uint64_t *end = &ends[at / SAMPLE_ELEMENTS];
        *end = (uint64_t)((double)(*end - begin) / (double)sampled *
                          (double)stands);
    }
}

// Finds from a sample how many bytes planes of a column, which is not empty,
// need up to the end of each SAMPLE_ELEMENTS. Writes nothing. The caller
// frees *lengths.
static lg_status
take_sample(writer *out, const column_coding *of, uint64_t **lengths,
            lg_error *err)
{
    uint64_t count = out->arrays[of->name].count;
    size_t groups = (size_t)((count + SAMPLE_ELEMENTS - 1) / SAMPLE_ELEMENTS);
    uint64_t begin = out->sink.offset;
    column_coding coding = *of;
    coding.ends = lg__alloc((groups + 1) * sizeof *coding.ends);
    if (coding.ends == NULL)
        return lg__error_memory(err);
    lg_status status = encode(out, &coding, err);
    if (status == LG_OK) {
        coding.ends[groups - 1] = out->sink.offset;
        scale(coding.ends, begin, count);
        status = lg__sink_rewind(&out->sink, begin, err);
    }
    if (status == LG_OK)
        *lengths = coding.ends;
    else
        lg__free(coding.ends);
    return status;
}

// Writes sections of a file.

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
best_encoding(const writer *out, enum lg__array_name name, uint64_t length)
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

// Writes the section that was just written again, with another encoding.
static lg_status
rewrite(writer *out, uint64_t begin, uint64_t done, column_coding *coding,
        lg_error *err)
{
    out->done = done;
    lg_status status = lg__sink_rewind(&out->sink, begin, err);
    return status == LG_OK ? encode(out, coding, err) : status;
}

// Writes targets, unless the encoding of earlier versions suits them better, as
// it does those of objects in any order.
static lg_status
write_better_targets(writer *out, column_coding *coding, lg_error *err)
{
    const column_coding other = {.name = coding->name,
                                 .encoding = LG__ENCODING_SORTED};
    uint64_t begin = out->sink.offset;
    uint64_t done = out->done;
    uint64_t *most = NULL;
    lg_status status = take_sample(out, &other, &most, err);
    coding->most = most;
    if (status == LG_OK)
        status = encode(out, coding, err);
    lg__free(most);
    if (status != LG_OK || !coding->stopped)
        return status;
    *coding = other;
    return rewrite(out, begin, done, coding, err);
}

// Writes addresses in the better of two orders. A sample is longer than its
// share of the column, because its blocks are far from each other, so samples
// are compared.
static lg_status
write_better_addresses(writer *out, column_coding *coding, lg_error *err)
{
    const column_coding other = {.name = coding->name,
                                 .encoding = LG__ENCODING_SORTED_DIFFERENCES};
    uint64_t *most = NULL;
    uint64_t *other_most = NULL;
    uint64_t last = (out->arrays[coding->name].count - 1) / SAMPLE_ELEMENTS;
    lg_status status = take_sample(out, coding, &most, err);
    if (status == LG_OK)
        status = take_sample(out, &other, &other_most, err);
    if (status == LG_OK && other_most[last] < most[last])
        *coding = other;
    lg__free(most);
    lg__free(other_most);
    return status == LG_OK ? encode(out, coding, err) : status;
}

static lg_status
write_better(writer *out, column_coding *coding, lg_error *err)
{
    switch (coding->encoding) {
    case LG__ENCODING_TARGETS:
        return write_better_targets(out, coding, err);
    case LG__ENCODING_BY_SIZE:
        return write_better_addresses(out, coding, err);
    default:
        return encode(out, coding, err);
    }
}

// The checksum of an array as the file has it.
static uint64_t
checksum_of(const writer *out, enum lg__array_name name)
{
    const lg__array *array = &out->arrays[name];
    const size_t element = lg__array_infos[name].element;
    uint64_t block[LG__COPY_ELEMENTS];
    XXH3_state_t state;
    if (array->data != NULL)
        return lg__checksum(array->data, array->count * element);
    XXH3_64bits_reset(&state);
    for (uint64_t at = 0; at < array->count; at += LG__COPY_ELEMENTS) {
        const uint64_t left = array->count - at;
        const size_t part =
            left < LG__COPY_ELEMENTS ? (size_t)left : LG__COPY_ELEMENTS;
        lg__array_copy(out->graph, name, at, part, block);
        XXH3_64bits_update(&state, block, part * element);
    }
    return XXH3_64bits_digest(&state);
}

// Pads with zeros to the alignment of sections.
static lg_status
align(lg__sink *sink, lg_error *err)
{
    static const char zeros[LG__FILE_ALIGNMENT];
    size_t over = sink->offset % LG__FILE_ALIGNMENT;
    return over == 0 ? LG_OK
                     : lg__sink_write(sink, zeros, sizeof zeros - over, err);
}

// Writes the section as it is if compression does not help.
static lg_status
writer_section(writer *out, enum lg__array_name name, lg__file_section *section,
               lg_error *err)
{
    const lg__array *array = &out->arrays[name];
    const lg__array_info *info = &lg__array_infos[name];
    uint64_t length = array->count * info->element;
    uint64_t done = out->done;
    column_coding coding = {.name = name,
                            .encoding = best_encoding(out, name, length)};
    lg_status status = align(&out->sink, err);
    if (status != LG_OK)
        return status;
    uint64_t begin = out->sink.offset;
    status = write_better(out, &coding, err);
    if (status == LG_OK && coding.encoding != LG__ENCODING_RAW &&
        out->sink.offset - begin >= length) {
        coding = (column_coding){.name = name, .encoding = LG__ENCODING_RAW};
        status = rewrite(out, begin, done, &coding, err);
    }
    *section = (lg__file_section){
        .id = info->id,
        .element = info->element,
        .encoding = coding.encoding,
        .offset = begin,
        .stored_length = out->sink.offset - begin,
        .raw_length = length,
        .checksum = checksum_of(out, name),
    };
    return status;
}

static void *
zstd_allocate(void *context, size_t size)
{
    (void)context;
    return lg__alloc(size);
}

static void
zstd_deallocate(void *context, void *block)
{
    (void)context;
    lg__free(block);
}

// Prepares to compress at a level; 0: not at all.
static lg_status
writer_compress(writer *out, int level, lg_error *err)
{
    if (level == 0)
        return LG_OK;
    if (level < 0 || level > 19)
        return lg_error_set(err, LG_EINVAL,
                            "compression level %d is not one of 0 to 19",
                            level);
    out->buffer_size = ZSTD_CStreamOutSize();
    out->buffer = lg__alloc(out->buffer_size);
    out->zstd = ZSTD_createCCtx_advanced(
        (ZSTD_customMem){zstd_allocate, zstd_deallocate, NULL});
    if (out->buffer == NULL || out->zstd == NULL)
        return lg__error_memory(err);
    ZSTD_CCtx_setParameter(out->zstd, ZSTD_c_compressionLevel, level);
    out->level = level;
    return LG_OK;
}

// Frees what the writer has, but not its sink.
static void
writer_free(writer *out)
{
    lg__free(out->buffer);
    lg__section_room_free(&out->room);
    ZSTD_freeCCtx(out->zstd);
}

// Lengthens the file until readers accept what its sections hold.
static lg_status
write_padding(writer *out, lg_error *err)
{
    uint64_t raw = 0;
    for (uint32_t i = 0; i < out->section_count; i++)
        if (out->sections[i].encoding != LG__ENCODING_RAW)
            raw += out->sections[i].raw_length;
    lg_status status = LG_OK;
    while (status == LG_OK && raw > lg__file_raw_limit(out->sink.offset)) {
        const uint8_t zeros[4096] = {0};
        status = lg__sink_write(&out->sink, zeros, sizeof zeros, err);
    }
    return status;
}

static lg_status
write_directory(writer *out, lg_error *err)
{
    size_t size = out->section_count * sizeof *out->sections;
    lg__file_header header = {
        .major = LG__FILE_MAJOR,
        .minor = LG__FILE_MINOR,
        .section_count = out->section_count,
        .directory_offset = sizeof header,
        .file_length = out->sink.offset,
        .directory_checksum = lg__checksum(out->sections, size),
        .graph_checksum =
            lg__file_graph_checksum(out->sections, out->section_count),
    };
    memcpy(header.magic, LG__FILE_MAGIC, sizeof header.magic);
    header.header_checksum =
        lg__checksum(&header, offsetof(lg__file_header, header_checksum));
    out->sink.offset = 0;
    lg_status status = lg__sink_write(&out->sink, &header, sizeof header, err);
    if (status == LG_OK)
        status = lg__sink_write(&out->sink, out->sections, size, err);
    return status;
}

static bool
is_written(const lg__array *arrays, size_t array)
{
    return array < LG__ARRAY_OPTIONAL || arrays[array].count > 0;
}

// Writes one section. To compress addresses, whose key sizes are, needs these
// as the file has them.
static lg_status
write_array(writer *out, lg__array *arrays, enum lg__array_name name,
            lg_error *err)
{
    lg__array *sizes = &arrays[LG__SIZE];
    const lg__array before = *sizes;
    if (name == LG__ADDRESS && out->zstd != NULL && sizes->data == NULL) {
        void *wide = lg__alloc(sizes->count * sizeof(uint32_t));
        if (wide == NULL)
            return lg__error_memory(err);
        lg__array_copy(out->graph, LG__SIZE, 0, sizes->count, wide);
        sizes->data = wide;
    }
    lg_status status =
        writer_section(out, name, &out->sections[out->section_count++], err);
    if (sizes->data != before.data)
        lg__free((void *)(uintptr_t)sizes->data);
    *sizes = before;
    return status;
}

// Writes the sections of the graph first, because the analysis is bound to
// their checksum.
static lg_status
write_all(writer *out, lg__array *arrays, uint64_t *bound, lg_error *err)
{
    uint32_t count = 0;
    out->arrays = arrays;
    for (size_t i = 0; i < LG__ARRAY_COUNT; i++) {
        out->total += arrays[i].count * lg__array_infos[i].element;
        count += is_written(arrays, i);
    }
    out->sink.offset = sizeof(lg__file_header) + count * sizeof *out->sections;
    lg_status status = LG_OK;
    for (size_t i = 0; i < LG__ARRAY_COUNT && status == LG_OK; i++) {
        if (i == LG__ARRAY_ANALYSIS)
            *bound = lg__file_graph_checksum(out->sections, out->section_count);
        if (is_written(arrays, i))
            status = write_array(out, arrays, (enum lg__array_name)i, err);
    }
    if (status == LG_OK)
        status = write_padding(out, err);
    return status == LG_OK ? write_directory(out, err) : status;
}

// Files have wider first edges than graphs, so these are copied block by block.
static void
begin_arrays(const lg_graph *graph, lg__array arrays[LG__ARRAY_COUNT])
{
    memcpy(arrays, graph->array, LG__ARRAY_ANALYSIS * sizeof *arrays);
    arrays[LG__FIRST_EDGE].data = NULL;
}

lg_status
lg_graph_save(const lg_graph *graph, const char *path,
              const lg_save_options *options, const lg_monitor *monitor,
              lg_error *err)
{
    lg_save_options whole = LG_SAVE_OPTIONS_INIT;
    lg_status status = lg_options_read(&whole, options, "lg_save_options", err);
    if (status != LG_OK)
        return status;
    writer out = {
        .graph = graph, .monitor = monitor, .sink = {.descriptor = -1}};
    const lg_analysis *analysis = whole.analysis;
    lg__array arrays[LG__ARRAY_COUNT] = {{0}};
    uint64_t binding[LG__ANALYSIS_WORDS];
    uint32_t *dominators = NULL;
    status = lg__file_check_machine(err);
    begin_arrays(graph, arrays);
    if (status == LG_OK && analysis != NULL)
        status = lg__analysis_arrays(analysis, graph, arrays, binding,
                                     &dominators, err);
    if (status == LG_OK)
        status = writer_compress(&out, whole.compress, err);
    if (status == LG_OK)
        status = lg__sink_open(&out.sink, path, err);
    if (status == LG_OK)
        status = write_all(&out, arrays, &binding[0], err);
    if (status == LG_OK)
        status = lg__sink_commit(&out.sink, err);
    lg__sink_close(&out.sink);
    writer_free(&out);
    lg__free(dominators);
    return status;
}

static lg_status
write_to(const lg_graph *graph, int descriptor, int compress,
         const lg_monitor *monitor, lg_error *err)
{
    writer out = {
        .graph = graph, .monitor = monitor, .sink = {.descriptor = descriptor}};
    lg__array arrays[LG__ARRAY_COUNT] = {{0}};
    uint64_t unbound;
    begin_arrays(graph, arrays);
    lg_status status = writer_compress(&out, compress, err);
    if (status == LG_OK)
        status = write_all(&out, arrays, &unbound, err);
    int code = errno;
    writer_free(&out);
    errno = code;
    return status;
}

lg_status
lg_graph_write(const lg_graph *graph, int descriptor, int compress,
               const lg_monitor *monitor, lg_error *err)
{
    lg_status status = lg__file_check_machine(err);
    if (status != LG_OK)
        return status;
    lg__map_all_blocks(true);
    status = write_to(graph, descriptor, compress, monitor, err);
    if (status == LG_ENOMEM && ftruncate(descriptor, 0) == 0)
        status = write_to(graph, descriptor, 0, monitor, err);
    lg__map_all_blocks(false);
    return status;
}
