// Writes a graph as a .lgs file.
#include "file/checksum.h"
#include "file/file_private.h"
#include "file/saved.h"

#include <leakgraph/file.h>
#include <leakgraph/options.h>

#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

typedef struct writer {
    lg__sink sink;
    ZSTD_CCtx *zstd; // NULL: sections are stored without compression
    int level;       // compression level
    void *buffer;
    size_t buffer_size;
    lg__planes_room room;
    const lg__array *arrays;
    lg__file_section sections[LG__ARRAY_COUNT];
    uint32_t section_count;
    const lg_monitor *monitor;
    uint64_t total; // bytes of all arrays
    uint64_t done;
} writer;

static lg_status
goes_on(writer *out, size_t more, lg_error *err)
{
    out->done += more;
    double part = out->total ? (double)out->done / (double)out->total : 1;
    return lg__monitor_goes_on(out->monitor, "saving", part, err)
               ? LG_OK
               : LG_ECANCELLED;
}

static lg_status
write_raw(writer *out, const uint8_t *bytes, uint64_t length, lg_error *err)
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
    return goes_on(out, length, err);
}

static lg_status
write_zstd(writer *out, const uint8_t *bytes, uint64_t length, lg_error *err)
{
    const size_t step = 1u << 22;
    lg_status status = LG_OK;
    for (uint64_t at = 0; at < length && status == LG_OK;) {
        size_t part = length - at < step ? (size_t)(length - at) : step;
        status =
            compress(out, bytes + at, part,
                     at + part == length ? ZSTD_e_end : ZSTD_e_continue, err);
        at += part;
    }
    return status;
}

// What zstd gets as one block of its own: a part of a long plane or all of a
// shorter one, but nothing shorter than the second number.
enum { PART_OF_PLANE = LG__PLANES_BLOCK / 2, LONG_PLANE = 1 << 12 };

// Writes each plane as blocks of its own, because planes differ in their
// statistics: zstd's longer blocks would have one table of codes for two
// planes.
static lg_status
write_block(writer *out, const lg__planes *planes, size_t count, bool last,
            lg_error *err)
{
    size_t step = count == LG__PLANES_BLOCK ? PART_OF_PLANE : count;
    size_t length = count * planes->width;
    lg_status status = LG_OK;
    for (size_t at = 0; at < length && status == LG_OK; at += step) {
        ZSTD_EndDirective how = last && at + step == length ? ZSTD_e_end
                                : count >= LONG_PLANE       ? ZSTD_e_flush
                                                            : ZSTD_e_continue;
        status = compress(out, out->room.planes + at, step, how, err);
    }
    return status;
}

static lg_status
write_planes(writer *out, lg__planes *planes, const uint8_t *bytes,
             lg_error *err)
{
    lg_status status =
        lg__planes_room_fit(&out->room, planes) ? LG_OK : lg__error_memory(err);
    for (uint64_t at = 0; at < planes->count && status == LG_OK;) {
        size_t count = lg__planes_block(planes, at);
        lg__planes_split(planes, bytes, at, &out->room);
        at += count;
        status = write_block(out, planes, count, at == planes->count, err);
    }
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

static lg_status
write_encoded(writer *out, enum lg__array_name name,
              const lg__file_section *section, lg_error *err)
{
    const lg__array *array = &out->arrays[name];
    const lg__array *key = NULL;
    uint32_t key_element = 0;
    uint64_t length = section->raw_length;
    if (section->encoding == LG__ENCODING_RAW)
        return write_raw(out, array->data, length, err);
    if (lg__encoding_sorts(section->encoding)) {
        key = &out->arrays[lg__array_key(name)];
        key_element = lg__array_infos[lg__array_key(name)].element;
    }
    ZSTD_CCtx_reset(out->zstd, ZSTD_reset_session_only);
    set_up(out, name == LG__STRING_BYTES && out->level < FOR_TEXTS);
    ZSTD_CCtx_setPledgedSrcSize(out->zstd, length);
    lg__planes planes = lg__encoding_planes(section->encoding, array->count,
                                            section->element, key, key_element);
    return planes.width == 0 ? write_zstd(out, array->data, length, err)
                             : write_planes(out, &planes, array->data, err);
}

// Returns whether the numbers of a column rise, or differ little from the one
// before.
static bool
is_rising(enum lg__array_name name)
{
    switch (name) {
    case LG__ADDRESS:
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
    if (lg__array_infos[name].element == 1)
        return LG__ENCODING_ZSTD;
    bool rises = is_rising(name);
    if (lg__array_key(name) != LG__ARRAY_COUNT)
        return rises ? LG__ENCODING_SORTED_DIFFERENCES : LG__ENCODING_SORTED;
    return rises ? LG__ENCODING_DIFFERENCES : LG__ENCODING_PLANES;
}

// Writes the section as it is if compression does not help.
static lg_status
write_section(writer *out, enum lg__array_name name, lg__file_section *section,
              lg_error *err)
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
    if (status == LG_OK && section->encoding != LG__ENCODING_RAW &&
        out->sink.offset - section->offset >= length) {
        section->encoding = LG__ENCODING_RAW;
        out->done = done;
        status = lg__sink_rewind(&out->sink, section->offset, err);
        if (status == LG_OK)
            status = write_encoded(out, name, section, err);
    }
    section->stored_length = out->sink.offset - section->offset;
    return status;
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

// Writes the sections of the graph first, because the analysis is bound to
// their checksum.
static lg_status
write_all(writer *out, const lg__array *arrays, uint64_t *bound, lg_error *err)
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
            status = write_section(out, (enum lg__array_name)i,
                                   &out->sections[out->section_count++], err);
    }
    if (status == LG_OK)
        status = write_padding(out, err);
    return status == LG_OK ? write_directory(out, err) : status;
}

static lg_status
prepare_zstd(writer *out, int level, lg_error *err)
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

lg_status
lg_graph_save(const lg_graph *graph, const char *path,
              const lg_save_options *options, const lg_monitor *monitor,
              lg_error *err)
{
    lg_save_options whole = LG_SAVE_OPTIONS_INIT;
    lg_status status = lg_options_read(&whole, options, "lg_save_options", err);
    if (status != LG_OK)
        return status;
    writer out = {.monitor = monitor, .sink = {.descriptor = -1}};
    const lg_analysis *analysis = whole.analysis;
    lg__array arrays[LG__ARRAY_COUNT] = {{0}};
    uint64_t binding[LG__ANALYSIS_WORDS];
    status = lg__file_check_machine(err);
    memcpy(arrays, graph->array, LG__ARRAY_ANALYSIS * sizeof *arrays);
    if (status == LG_OK && analysis != NULL)
        status = lg__analysis_arrays(analysis, graph, arrays, binding, err);
    if (status == LG_OK)
        status = prepare_zstd(&out, whole.compress, err);
    if (status == LG_OK)
        status = lg__sink_open(&out.sink, path, err);
    if (status == LG_OK)
        status = write_all(&out, arrays, &binding[0], err);
    if (status == LG_OK)
        status = lg__sink_commit(&out.sink, err);
    lg__sink_close(&out.sink);
    free(out.buffer);
    lg__planes_room_free(&out.room);
    ZSTD_freeCCtx(out.zstd);
    return status;
}

lg_status
lg_graph_write(const lg_graph *graph, int descriptor, const lg_monitor *monitor,
               lg_error *err)
{
    writer out = {.monitor = monitor, .sink = {.descriptor = descriptor}};
    lg__array arrays[LG__ARRAY_COUNT] = {{0}};
    uint64_t unbound;
    lg_status status = lg__file_check_machine(err);
    memcpy(arrays, graph->array, LG__ARRAY_ANALYSIS * sizeof *arrays);
    return status == LG_OK ? write_all(&out, arrays, &unbound, err) : status;
}
