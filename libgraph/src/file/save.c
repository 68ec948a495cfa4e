// Writes a graph as a .lgs file.
#include "file/checksum.h"
#include "file/saved.h"
#include "file/writer.h"

#include <leakgraph/file.h>
#include <leakgraph/options.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

// Lengthens the file until readers accept what its sections hold.
static lg_status
write_padding(lg__writer *out, lg_error *err)
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
write_directory(lg__writer *out, lg_error *err)
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
write_all(lg__writer *out, const lg__array *arrays, uint64_t *bound,
          lg_error *err)
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
            status =
                lg__writer_section(out, (enum lg__array_name)i,
                                   &out->sections[out->section_count++], err);
    }
    if (status == LG_OK)
        status = write_padding(out, err);
    return status == LG_OK ? write_directory(out, err) : status;
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
    lg__writer out = {.monitor = monitor, .sink = {.descriptor = -1}};
    const lg_analysis *analysis = whole.analysis;
    lg__array arrays[LG__ARRAY_COUNT] = {{0}};
    uint64_t binding[LG__ANALYSIS_WORDS];
    status = lg__file_check_machine(err);
    memcpy(arrays, graph->array, LG__ARRAY_ANALYSIS * sizeof *arrays);
    if (status == LG_OK && analysis != NULL)
        status = lg__analysis_arrays(analysis, graph, arrays, binding, err);
    if (status == LG_OK)
        status = lg__writer_compress(&out, whole.compress, err);
    if (status == LG_OK)
        status = lg__sink_open(&out.sink, path, err);
    if (status == LG_OK)
        status = write_all(&out, arrays, &binding[0], err);
    if (status == LG_OK)
        status = lg__sink_commit(&out.sink, err);
    lg__sink_close(&out.sink);
    lg__writer_free(&out);
    return status;
}

static lg_status
write_to(const lg_graph *graph, int descriptor, int compress,
         const lg_monitor *monitor, lg_error *err)
{
    lg__writer out = {.monitor = monitor, .sink = {.descriptor = descriptor}};
    lg__array arrays[LG__ARRAY_COUNT] = {{0}};
    uint64_t unbound;
    memcpy(arrays, graph->array, LG__ARRAY_ANALYSIS * sizeof *arrays);
    lg_status status = lg__writer_compress(&out, compress, err);
    if (status == LG_OK)
        status = write_all(&out, arrays, &unbound, err);
    int code = errno;
    lg__writer_free(&out);
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
    lg__wide_map_all(true);
    status = write_to(graph, descriptor, compress, monitor, err);
    if (status == LG_ENOMEM && ftruncate(descriptor, 0) == 0)
        status = write_to(graph, descriptor, 0, monitor, err);
    lg__wide_map_all(false);
    return status;
}
