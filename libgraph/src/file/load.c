// Reads .lgs files. A file is hostile until every check has passed.
#include "file/file_private.h"
#include "file/checksum.h"
#include "base/base_private.h"

#include <leakgraph/file.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Reads all sections of a file. References take about half of the time, and the
// other sections, with the exception of types, do not need them: where there
// are processors, a second thread reads these.

// Below this many bytes, a thread takes longer than it saves.
enum { FOR_THREADS = 1 << 24 };

// Sections that one thread reads, in an order in which what encodings need
// comes before the columns that they encode, and columns that are sorted by one
// key follow each other.
typedef struct batch {
    const lg__source *source;
    lg_graph *graph;
    const lg__file_section *const *found; // [LG__ARRAY_COUNT]
    const lg_monitor *monitor;            // or NULL
    uint64_t *done;                       // of what the monitor hears; or NULL
    uint64_t total;
    atomic_bool *stop;
    uint8_t order[LG__ARRAY_COUNT];
    size_t count;
    lg_status status;
    lg_error error;
} batch;

// Returns whether a brief graph has only the length of the column. Such columns
// are nearly all of a file.
static bool
is_left_out(const lg__source *source, size_t array)
{
    if (!source->brief)
        return false;
    switch (array) {
    case LG__ADDRESS:
    case LG__REFCOUNT:
    case LG__FOUND:
    case LG__FIRST_EDGE:
    case LG__EDGE_TARGET:
    case LG__EDGE_PAYLOAD:
    case LG__EDGE_KIND:
        return true;
    default:
        return array >= LG__ARRAY_ANALYSIS;
    }
}

static bool
goes_on(batch *self, const lg__file_section *section)
{
    if (self->done == NULL)
        return !atomic_load(self->stop);
    double part = self->total ? (double)*self->done / (double)self->total : 1;
    *self->done += section->raw_length;
    return lg__monitor_goes_on(self->monitor, "loading", part, &self->error);
}

// Halves first edges, which have four bytes in memory, in their own block.
static lg_status
narrow_first_edges(const lg__source *source, lg_graph *graph, lg_error *err)
{
    lg__array *array = &graph->array[LG__FIRST_EDGE];
    const uint64_t *wide = array->owned;
    char *low = array->owned;
    for (uint64_t i = 0; i < array->count; i++) {
        const uint64_t edge = wide[i];
        if (edge >= LG_NONE)
            return lg_error_set(err, LG_EFORMAT,
                                "%s is damaged, or has more references than "
                                "leakgraph can load (%u)",
                                source->name, LG_NONE - 1);
        memcpy(low + i * sizeof(uint32_t), &edge, sizeof(uint32_t));
    }
    const bool kept = lg__array_keep_front(
        graph, array, (size_t)array->count * sizeof(uint32_t));
    array->data = array->owned;
    return kept ? LG_OK : lg__error_memory(err);
}

// Gives a column the form that it has in memory as soon as no other column is
// decoded by the plain one. Only the length of columns needs to be sound.
static lg_status
shorten(const lg__source *source, lg_graph *graph, enum lg__array_name name,
        lg_error *err)
{
    bool enough = true;
    switch (name) {
    case LG__FIRST_EDGE:
        return narrow_first_edges(source, graph, err);
    case LG__REFCOUNT:
        enough = lg__column_narrow(graph, LG_NARROW_REFCOUNT);
        break;
    case LG__FOUND:
        enough = lg__column_narrow(graph, LG_NARROW_FOUND);
        break;
    case LG__ADDRESS:
        enough = lg__column_narrow(graph, LG_NARROW_ADDRESS) &&
                 lg__column_narrow(graph, LG_NARROW_SIZE);
        break;
    case LG__EDGE_TARGET:
        lg__edges_pack(graph);
        break;
    default:
        break;
    }
    return enough ? LG_OK : lg__error_memory(err);
}

static void
read_batch(batch *self)
{
    lg_graph *graph = self->graph;
    lg__section_room room = {0};
    for (size_t i = 0; i < self->count && self->status == LG_OK; i++) {
        enum lg__array_name name = (enum lg__array_name)self->order[i];
        const lg__file_section *section = self->found[name];
        lg__stored stored = {section, name, graph->array};
        self->status =
            goes_on(self, section)
                ? lg__section_read(self->source, &stored, &room, &self->error)
                : LG_ECANCELLED;
        if (self->status == LG_OK)
            self->status = shorten(self->source, graph, name, &self->error);
    }
    lg__section_room_free(&room);
}

static void
run(void *context)
{
    read_batch(context);
}

// Adds a section to a batch, if there is something to read. Takes the memory
// for it, because that of another thread would stay with the process.
static void
add(batch *to, enum lg__array_name name)
{
    const lg__file_section *section = to->found[name];
    lg__array *array = &to->graph->array[name];
    if (section == NULL || to->status != LG_OK)
        return;
    if (is_left_out(to->source, name)) {
        array->count = section->raw_length / section->element;
        return;
    }
    to->order[to->count++] = (uint8_t)name;
    to->total += section->raw_length;
    to->status = lg__section_begin(to->source, section, &to->graph->allocator,
                                   array, &to->error);
}

static bool
is_of_references(enum lg__array_name name)
{
    return name == LG__FIRST_EDGE || name == LG__EDGE_KIND ||
           name == LG__EDGE_TARGET || name == LG__EDGE_PAYLOAD;
}

// Sorts the sections into what comes first, references, and all others.
static void
sort(batch *first, batch *references, batch *others)
{
    static const uint8_t early[] = {
        LG__SIZE, LG__REFCOUNT, LG__FOUND, LG__NODE_FLAGS, LG__ADDRESS,
    };
    add(first, LG__TYPE);
    add(references, LG__FIRST_EDGE);
    add(references, LG__EDGE_KIND);
    add(references, LG__EDGE_TARGET);
    add(references, LG__EDGE_PAYLOAD);
    for (size_t i = 0; i < sizeof early; i++)
        add(others, (enum lg__array_name)early[i]);
    for (size_t i = 0; i < LG__ARRAY_COUNT; i++) {
        enum lg__array_name name = (enum lg__array_name)i;
        bool known = name == LG__TYPE || is_of_references(name);
        for (size_t j = 0; j < sizeof early; j++)
            known = known || name == early[j];
        if (!known)
            add(others, name);
    }
}

// Reads both batches, the second one in a thread of its own if that helps.
static void
read_both(batch *mine, batch *other)
{
    uint64_t *done = other->done;
    bool large =
        mine->total > FOR_THREADS / 2 && other->total > FOR_THREADS / 2;
    other->done = NULL;
    lg_helper *helper = large ? lg_helper_start(run, other) : NULL;
    if (helper != NULL) {
        read_batch(mine);
        atomic_store(mine->stop, mine->status != LG_OK);
        lg_helper_end(helper);
        return;
    }
    other->done = done;
    mine->total = other->total = mine->total + other->total;
    read_batch(mine);
    if (mine->status == LG_OK)
        read_batch(other);
}

// Reads the sections of a graph that were found, NULL for none. If it fails,
// the message is that of one section, the same each time. A second thread may
// read some of them.
static lg_status
sections_read(const lg__source *source, const lg_monitor *monitor,
              lg_graph *graph, const lg__file_section *const *found,
              lg_error *err)
{
    atomic_bool stop = false;
    uint64_t done = 0;
    const batch empty = {.source = source,
                         .graph = graph,
                         .found = found,
                         .monitor = monitor,
                         .done = &done,
                         .stop = &stop};
    batch batches[] = {empty, empty, empty};
    sort(&batches[0], &batches[1], &batches[2]);
    batches[1].total += batches[0].total;
    bool fits = batches[1].status == LG_OK && batches[2].status == LG_OK;
    if (fits)
        read_batch(&batches[0]);
    if (fits && batches[0].status == LG_OK)
        read_both(&batches[1], &batches[2]);
    for (size_t i = 0; i < 3; i++)
        if (batches[i].status != LG_OK) {
            if (err != NULL)
                *err = batches[i].error;
            return batches[i].status;
        }
    return LG_OK;
}

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
    lg__file_section *sections = lg__alloc(size ? size : 1);
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
        lg__free(sections);
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
    return sections_read(source, monitor, graph, found, err);
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

// Loads a graph from a source.
static lg_status
file_read(const lg__source *source, const lg_monitor *monitor, lg_graph **out,
          lg_error *err)
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
    lg__free(sections);
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
    return file_read(&source, NULL, out, err);
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
        return file_read(source, monitor, out, err);
    source->memory = map;
    lg_graph *graph = NULL;
    lg_status status = file_read(source, monitor, &graph, err);
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
        status = file_read(&source, monitor, out, err);
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
