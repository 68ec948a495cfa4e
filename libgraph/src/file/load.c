// Reads .lgs files. A file is hostile until every check has passed.
#include "file/file_private.h"
#include "file/checksum.h"
#include "base/base_private.h"

#include <leakgraph/file.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

lg_status
lg__file_check_machine(lg_error *err)
{
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
        return LG_OK;
    return lg_error_set(err, LG_EUNSUPPORTED,
                        "snapshot files need a little-endian machine");
}

static lg_status
read_header(const lg__source *source, lg__file_header *header, lg_error *err)
{
    const char *name = source->name;
    if (source->length < sizeof *header)
        return lg_error_set(err, LG_EFORMAT,
                            "%s is too short for a leakgraph snapshot", name);
    lg_status status = lg__source_read(source, 0, header, sizeof *header, err);
    if (status != LG_OK)
        return status;
    if (memcmp(header->magic, LG__FILE_MAGIC, sizeof header->magic) != 0)
        return lg_error_set(err, LG_EFORMAT, "%s is not a leakgraph snapshot",
                            name);
    if (header->major > LG__FILE_MAJOR)
        return lg_error_set(
            err, LG_EVERSION,
            "%s has format version %u.%u, this leakgraph reads up to %u.x: "
            "open it with a newer leakgraph",
            name, header->major, header->minor, (unsigned)LG__FILE_MAJOR);
    uint64_t sum =
        lg__checksum(header, offsetof(lg__file_header, header_checksum));
    if (sum != header->header_checksum || header->major == 0 ||
        header->section_count > LG__FILE_SECTIONS_MAX)
        return lg_error_set(err, LG_EFORMAT,
                            "%s has a damaged header: copy it again", name);
    if (header->file_length > source->length)
        return lg_error_set(err, LG_EFORMAT,
                            "%s is cut short: %llu of %llu bytes", name,
                            (unsigned long long)source->length,
                            (unsigned long long)header->file_length);
    if (header->file_length < source->length)
        return lg_error_set(err, LG_EFORMAT,
                            "%s has more bytes than its header says", name);
    return LG_OK;
}

static lg_status
read_directory(const lg__source *source, const lg__file_header *header,
               lg__file_section **out, lg_error *err)
{
    size_t size = header->section_count * sizeof(lg__file_section);
    lg__file_section *sections = lg__wide_alloc(size ? size : 1);
    if (sections == NULL)
        return lg__error_memory(err);
    lg_status status =
        lg__source_read(source, header->directory_offset, sections, size, err);
    if (status == LG_OK &&
        lg__checksum(sections, size) != header->directory_checksum)
        status = lg_error_set(err, LG_EFORMAT,
                              "%s has a damaged directory: copy it again",
                              source->name);
    if (status == LG_OK)
        *out = sections;
    else
        lg__wide_free(sections);
    return status;
}

static bool
is_sound(const lg__source *source, const lg__file_section *section,
         enum lg__array_name name)
{
    const lg__array_info *info = &lg__array_infos[name];
    if (section->offset > source->length ||
        section->stored_length > source->length - section->offset)
        return false;
    if (section->element != info->element ||
        section->raw_length % info->element != 0)
        return false;
    if (section->encoding != LG__ENCODING_RAW)
        return lg__encoding_is_for(section->encoding, name);
    return section->raw_length == section->stored_length &&
           (section->raw_length == 0 ||
            section->offset % LG__FILE_ALIGNMENT == 0);
}

static size_t
array_of(uint32_t id)
{
    size_t i = 0;
    while (i < LG__ARRAY_COUNT && lg__array_infos[i].id != id)
        i++;
    return i;
}

// Sorts the directory's entries into the graph's arrays. Each array must be
// there once.
static lg_status
match_sections(const lg__source *source, const lg__file_section *sections,
               uint32_t count, const lg__file_section *found[LG__ARRAY_COUNT],
               lg_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        size_t array = array_of(sections[i].id);
        if (array == LG__ARRAY_COUNT) {
            if (sections[i].flags & LG__SECTION_REQUIRED)
                return lg_error_set(err, LG_EVERSION,
                                    "%s needs section %u, which this leakgraph "
                                    "does not know: open it with a newer one",
                                    source->name, sections[i].id);
            continue;
        }
        if (found[array] != NULL ||
            !is_sound(source, &sections[i], (enum lg__array_name)array))
            return lg_error_set(err, LG_EFORMAT,
                                "%s: its %s section is damaged", source->name,
                                lg__array_infos[array].title);
        found[array] = &sections[i];
    }
    for (size_t i = 0; i < LG__ARRAY_OPTIONAL; i++)
        if (found[i] == NULL)
            return lg_error_set(err, LG_EFORMAT, "%s has no %s section",
                                source->name, lg__array_infos[i].title);
    return LG_OK;
}

// Checks the lengths of compressed sections together: one section alone may be
// as short as a column of equal numbers gets.
static lg_status
check_lengths(const lg__source *source,
              const lg__file_section *found[LG__ARRAY_COUNT], lg_error *err)
{
    uint64_t left = lg__file_raw_limit(source->length);
    for (size_t i = 0; i < LG__ARRAY_COUNT; i++) {
        if (found[i] == NULL || found[i]->encoding == LG__ENCODING_RAW)
            continue;
        if (found[i]->raw_length > left)
            return lg_error_set(err, LG_EFORMAT,
                                "%s: its %s section is damaged", source->name,
                                lg__array_infos[i].title);
        left -= found[i]->raw_length;
    }
    return LG_OK;
}

static lg_status
read_sections(const lg__source *source, const lg_monitor *monitor,
              lg_graph *graph, const lg__file_section *sections, uint32_t count,
              lg_error *err)
{
    const lg__file_section *found[LG__ARRAY_COUNT] = {NULL};
    lg_status status = match_sections(source, sections, count, found, err);
    if (status == LG_OK)
        status = check_lengths(source, found, err);
    if (status != LG_OK)
        return status;
    graph->checksum = lg__file_graph_checksum(sections, count);
    return lg__sections_read(source, monitor, graph, found, err);
}

// Puts the file's name before the message of a failed check.
static lg_status
with_name(lg_status status, const char *name, lg_error *err)
{
    if (err == NULL || status != LG_EFORMAT)
        return status;
    lg_error inner = *err;
    return lg_error_set(err, status, "%s is damaged: %.400s", name,
                        inner.message);
}

static lg_status
complete(lg_graph *graph, const lg__source *source, lg_error *err)
{
    lg_status status = lg__graph_bind(graph, err);
    if (status == LG_OK)
        status = lg__check_strings(graph, err);
    if (status == LG_OK)
        status = lg__check_tables(graph, err);
    if (status == LG_OK && !source->brief)
        status = lg__check_edges(graph, err);
    if (status == LG_OK)
        status = lg__graph_settle(graph, err);
    return with_name(status, source->name, err);
}

lg_status
lg__file_read(const lg__source *source, const lg_monitor *monitor,
              lg_graph **out, lg_error *err)
{
    lg__file_header header;
    lg__file_section *sections = NULL;
    lg_graph *graph = NULL;
    lg_allocator allocator = lg_allocator_default();
    lg_status status = lg__file_check_machine(err);
    if (status == LG_OK)
        status = read_header(source, &header, err);
    if (status == LG_OK)
        status = read_directory(source, &header, &sections, err);
    if (status == LG_OK)
        status = lg__graph_new(&allocator, &graph, err);
    if (status == LG_OK)
        status = read_sections(source, monitor, graph, sections,
                               header.section_count, err);
    if (status == LG_OK)
        status = complete(graph, source, err);
    lg__wide_free(sections);
    if (status == LG_OK)
        *out = graph;
    else
        lg_graph_free(graph);
    return status;
}

lg_status
lg_graph_load_memory(const void *data, size_t length, lg_graph **out,
                     lg_error *err)
{
    if (data == NULL || (uintptr_t)data % LG__FILE_ALIGNMENT != 0)
        return lg_error_set(err, LG_EINVAL,
                            "a snapshot in memory must be aligned to 64 bytes");
    lg__source source = {"the snapshot", data, -1, length, false};
    return lg__file_read(&source, NULL, out, err);
}

// Opens the file. O_NONBLOCK, because opening a FIFO must not wait for a
// writer.
static lg_status
open_source(const char *path, lg__source *source, lg_error *err)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about;
    if (descriptor < 0 || fstat(descriptor, &about) != 0) {
        int code = errno;
        if (descriptor >= 0)
            close(descriptor);
        return lg_error_set(err, LG_EIO, "cannot open %s: %s", path,
                            strerror(code));
    }
    if (!S_ISREG(about.st_mode)) {
        close(descriptor);
        return lg_error_set(err, LG_EIO,
                            "cannot open %s: it is not a regular file", path);
    }
    *source =
        (lg__source){path, NULL, descriptor, (uint64_t)about.st_size, false};
    return LG_OK;
}

static lg_status
load_mapped(lg__source *source, const lg_monitor *monitor, lg_graph **out,
            lg_error *err)
{
    size_t size = (size_t)source->length;
    void *map = MAP_FAILED;
    if (size > 0)
        map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, source->descriptor, 0);
    if (map == MAP_FAILED)
        return lg__file_read(source, monitor, out, err);
    source->memory = map;
    lg_graph *graph = NULL;
    lg_status status = lg__file_read(source, monitor, &graph, err);
    if (status != LG_OK) {
        munmap(map, size);
        return status;
    }
    graph->map = map;
    graph->map_size = size;
    *out = graph;
    return LG_OK;
}

static lg_status
load(const char *path, unsigned flags, bool brief, const lg_monitor *monitor,
     lg_graph **out, lg_error *err)
{
    lg__source source;
    lg_status status = open_source(path, &source, err);
    if (status != LG_OK)
        return status;
    source.brief = brief;
    if (flags & LG_LOAD_MAPPED)
        status = load_mapped(&source, monitor, out, err);
    else
        status = lg__file_read(&source, monitor, out, err);
    close(source.descriptor);
    return status;
}

lg_status
lg_graph_load(const char *path, unsigned flags, const lg_monitor *monitor,
              lg_graph **out, lg_error *err)
{
    return load(path, flags, false, monitor, out, err);
}

lg_status
lg__graph_load_brief(const char *path, unsigned flags,
                     const lg_monitor *monitor, lg_graph **out, lg_error *err)
{
    return load(path, flags, true, monitor, out, err);
}
