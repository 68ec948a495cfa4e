// Writes sections of a file.
#include "file/writer.h"
#include "file/checksum.h"

#include <stdlib.h>

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

// Writes the section that was just written again, with another encoding.
static lg_status
rewrite(lg__writer *out, uint64_t begin, uint64_t done, lg__coding *coding,
        lg_error *err)
{
    out->done = done;
    lg_status status = lg__sink_rewind(&out->sink, begin, err);
    return status == LG_OK ? lg__encode(out, coding, err) : status;
}

// Writes targets, unless the encoding of earlier versions suits them better, as
// it does those of objects in any order.
static lg_status
write_targets(lg__writer *out, lg__coding *coding, lg_error *err)
{
    const lg__coding other = {.name = coding->name,
                              .encoding = LG__ENCODING_SORTED};
    uint64_t begin = out->sink.offset;
    uint64_t done = out->done;
    uint64_t *most = NULL;
    lg_status status = lg__sample(out, &other, &most, err);
    coding->most = most;
    if (status == LG_OK)
        status = lg__encode(out, coding, err);
    lg__wide_free(most);
    if (status != LG_OK || !coding->stopped)
        return status;
    *coding = other;
    return rewrite(out, begin, done, coding, err);
}

// Writes addresses in the better of two orders. A sample is longer than its
// share of the column, because its blocks are far from each other, so samples
// are compared.
static lg_status
write_addresses(lg__writer *out, lg__coding *coding, lg_error *err)
{
    const lg__coding other = {.name = coding->name,
                              .encoding = LG__ENCODING_SORTED_DIFFERENCES};
    uint64_t *most = NULL;
    uint64_t *other_most = NULL;
    uint64_t last = (out->arrays[coding->name].count - 1) / LG__SAMPLE_ELEMENTS;
    lg_status status = lg__sample(out, coding, &most, err);
    if (status == LG_OK)
        status = lg__sample(out, &other, &other_most, err);
    if (status == LG_OK && other_most[last] < most[last])
        *coding = other;
    lg__wide_free(most);
    lg__wide_free(other_most);
    return status == LG_OK ? lg__encode(out, coding, err) : status;
}

static lg_status
write_better(lg__writer *out, lg__coding *coding, lg_error *err)
{
    switch (coding->encoding) {
    case LG__ENCODING_TARGETS:
        return write_targets(out, coding, err);
    case LG__ENCODING_BY_SIZE:
        return write_addresses(out, coding, err);
    default:
        return lg__encode(out, coding, err);
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
    lg__coding coding = {.name = name,
                         .encoding = best_encoding(out, name, length)};
    lg_status status = lg__sink_align(&out->sink, err);
    if (status != LG_OK)
        return status;
    uint64_t begin = out->sink.offset;
    status = write_better(out, &coding, err);
    if (status == LG_OK && coding.encoding != LG__ENCODING_RAW &&
        out->sink.offset - begin >= length) {
        coding = (lg__coding){.name = name, .encoding = LG__ENCODING_RAW};
        status = rewrite(out, begin, done, &coding, err);
    }
    *section = (lg__file_section){
        .id = info->id,
        .element = info->element,
        .encoding = coding.encoding,
        .offset = begin,
        .stored_length = out->sink.offset - begin,
        .raw_length = length,
        .checksum = lg__checksum(array->data, length),
    };
    return status;
}

static void *
zstd_allocate(void *context, size_t size)
{
    (void)context;
    return lg__wide_alloc(size);
}

static void
zstd_deallocate(void *context, void *block)
{
    (void)context;
    lg__wide_free(block);
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
    out->buffer = lg__wide_alloc(out->buffer_size);
    out->zstd = ZSTD_createCCtx_advanced(
        (ZSTD_customMem){zstd_allocate, zstd_deallocate, NULL});
    if (out->buffer == NULL || out->zstd == NULL)
        return lg__error_memory(err);
    ZSTD_CCtx_setParameter(out->zstd, ZSTD_c_compressionLevel, level);
    out->level = level;
    return LG_OK;
}

void
lg__writer_free(lg__writer *out)
{
    lg__wide_free(out->buffer);
    lg__section_room_free(&out->room);
    ZSTD_freeCCtx(out->zstd);
}
