// Reads summaries. A file is hostile until every check has passed.
#include "growth/summary_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

enum {
    MOST_DEVICES = 256,
    MOST_FILE = 1 << 26, // bytes of a file
};
// Sums of this many numbers fit into 63 bits.
#define MOST_NUMBER (UINT64_C(1) << 53)

typedef struct reader {
    const char *name; // for messages
    lg__summary_header header;
    const uint8_t *raw;
    size_t length;
    size_t at;
    uint32_t *strings; // [header.strings] number of each in the table
    uint64_t tallies;  // number of tallies
    lg_summary *out;
} reader;

static lg_status
damaged(const reader *from, const char *what, uint64_t where, lg_error *err)
{
    return lg_error_set(err, LG_EFORMAT,
                        "%s is damaged: %s is out of range or order (at %llu)",
                        from->name, what, (unsigned long long)where);
}

// Takes the next bytes; NULL if there are not enough.
static const void *
take(reader *from, uint64_t count, size_t size)
{
    if (count > (from->length - from->at) / size)
        return NULL;
    const void *bytes = from->raw + from->at;
    from->at += (size_t)count * size;
    return bytes;
}

static bool
read_number(const uint8_t *bytes, size_t index, uint64_t *out)
{
    memcpy(out, bytes + index * sizeof *out, sizeof *out);
    return *out <= MOST_NUMBER;
}

static lg_status
read_strings(reader *from, lg_error *err)
{
    uint32_t count = from->header.strings;
    const uint8_t *lengths = take(from, count, sizeof(uint32_t));
    if (lengths == NULL)
        return damaged(from, "the number of strings", count, err);
    from->strings = malloc(((size_t)count + 1) * sizeof *from->strings);
    if (from->strings == NULL)
        return lg__error_memory(err);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length;
        memcpy(&length, lengths + (size_t)i * sizeof length, sizeof length);
        const char *bytes =
            length <= LG__STRING_MAX ? take(from, length, 1) : NULL;
        if (bytes == NULL || !lg__utf8_is_clean(bytes, length))
            return damaged(from, "a string", i, err);
        from->strings[i] =
            lg__places_string(from->out->places, (lg_string){bytes, length});
        if (from->strings[i] == LG_NONE)
            return lg__error_memory(err);
    }
    return take(from, (8 - from->at % 8) % 8, 1) == NULL
               ? damaged(from, "the end of the strings", count, err)
               : LG_OK;
}

static lg_status
read_sums(reader *from, lg_error *err)
{
    lg_summary *to = from->out;
    const uint8_t *sums = take(from, 6, sizeof(uint64_t));
    return sums != NULL && read_number(sums, 0, &to->objects) &&
                   read_number(sums, 1, &to->large) &&
                   read_number(sums, 2, &to->mapped) &&
                   read_number(sums, 3, &to->rest) &&
                   read_number(sums, 4, &from->tallies) &&
                   read_number(sums, 5, &to->small)
               ? LG_OK
               : damaged(from, "a sum", 0, err);
}

static lg_status
read_place(reader *from, uint32_t index, lg_error *err)
{
    lg_places *to = from->out->places;
    uint32_t each = from->header.devices;
    lg__summary_place place;
    const void *bytes = take(from, 1, sizeof place);
    const uint8_t *numbers = take(from, 2 * (uint64_t)each, sizeof(uint64_t));
    if (bytes == NULL || numbers == NULL)
        return damaged(from, "the number of places", index, err);
    memcpy(&place, bytes, sizeof place);
    if ((place.parent != LG_NONE && place.parent >= index) ||
        place.label >= from->header.strings ||
        place.type >= from->header.strings || place.kind > LG_PLACE_SEVERAL ||
        place.members > MOST_NUMBER || place.references > MOST_NUMBER)
        return damaged(from, "a place", index, err);
    uint32_t made =
        lg__places_add(to, place.parent, (lg_place_kind)place.kind,
                       from->strings[place.label], from->strings[place.type]);
    if (made == LG_NONE)
        return lg__error_memory(err);
    if (made != index)
        return damaged(from, "a place that is there already", index, err);
    lg__place_item *item = lg__place_at(to, made);
    item->members = place.members;
    item->references = place.references;
    for (uint32_t i = 0; i < each; i++)
        if (!read_number(numbers, i, &lg__place_own(to, made)[i]) ||
            !read_number(numbers, each + i, &lg__place_retained(to, made)[i]))
            return damaged(from, "the bytes of a place", index, err);
    return LG_OK;
}

static lg_status
read_types(reader *from, lg_error *err)
{
    lg_allocator allocator = lg_allocator_default();
    uint32_t count = from->header.types;
    const uint8_t *rows = take(from, count, sizeof(lg__summary_type));
    if (rows == NULL)
        return damaged(from, "the number of types", count, err);
    for (uint32_t i = 0; i < count; i++) {
        lg__summary_type type;
        memcpy(&type, rows + i * sizeof type, sizeof type);
        if (type.name >= from->header.strings || type.count > MOST_NUMBER ||
            type.bytes > MOST_NUMBER)
            return damaged(from, "a type", i, err);
        lg__type_sum *sum = lg__vector_extend(&allocator, &from->out->types, 1);
        if (sum == NULL)
            return lg__error_memory(err);
        *sum = (lg__type_sum){from->strings[type.name], type.count, type.bytes};
    }
    lg__types_join(&from->out->types);
    return LG_OK;
}

static lg_status
read_infos(reader *from, lg_error *err)
{
    lg_allocator allocator = lg_allocator_default();
    uint32_t count = from->header.infos;
    const uint8_t *rows = take(from, count, sizeof(lg__info_text));
    if (rows == NULL)
        return damaged(from, "the number of info texts", count, err);
    for (uint32_t i = 0; i < count; i++) {
        lg__info_text text;
        memcpy(&text, rows + i * sizeof text, sizeof text);
        if (text.key >= from->header.strings ||
            text.value >= from->header.strings)
            return damaged(from, "an info text", i, err);
        lg__info_text *info =
            lg__vector_extend(&allocator, &from->out->infos, 1);
        if (info == NULL)
            return lg__error_memory(err);
        *info =
            (lg__info_text){from->strings[text.key], from->strings[text.value]};
    }
    return LG_OK;
}

static lg_status
read_tallies(reader *from, lg_error *err)
{
    const uint8_t *rows = take(from, from->tallies, sizeof(lg__summary_tally));
    if (rows == NULL)
        return damaged(from, "the number of tallies", from->tallies, err);
    for (uint64_t i = 0; i < from->tallies; i++) {
        lg__summary_tally tally;
        memcpy(&tally, rows + i * sizeof tally, sizeof tally);
        if (tally.name >= from->header.strings ||
            tally.detail >= from->header.strings ||
            tally.kind >= LG__TALLY_COUNT || tally.count > MOST_NUMBER ||
            tally.bytes > MOST_NUMBER)
            return damaged(from, "a tally", i, err);
        if (!lg__summary_count(from->out,
                               (lg__tally){
                                   .holder = tally.holder,
                                   .kept = tally.kept,
                                   .count = tally.count,
                                   .bytes = tally.bytes,
                                   .name = from->strings[tally.name],
                                   .detail = from->strings[tally.detail],
                                   .kind = tally.kind,
                               }))
            return lg__error_memory(err);
    }
    lg__tallies_join(&from->out->tallies);
    return LG_OK;
}

// Reads the devices. They are last in the file, but places need them. The host
// comes first, and no name comes twice.
static lg_status
read_devices(reader *from, lg_error *err)
{
    lg_places *to = from->out->places;
    uint32_t count = from->header.devices;
    size_t size = count * sizeof(uint32_t);
    if (count == 0 || count > MOST_DEVICES || size > from->length - from->at)
        return damaged(from, "the number of devices", count, err);
    from->length -= size;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t name;
        memcpy(&name, from->raw + from->length + i * sizeof name, sizeof name);
        if (name >= from->header.strings)
            return damaged(from, "a device", i, err);
        lg_string string = lg__places_text(to, from->strings[name]);
        bool fine = lg__string_is(string, "host") == (i == 0);
        for (uint32_t j = 0; j < i; j++)
            fine &= !lg__string_same(string, lg_places_device_name(to, j));
        if (!fine)
            return damaged(from, "a device", i, err);
        if (!lg__places_add_device(to, string))
            return lg__error_memory(err);
    }
    return LG_OK;
}

static lg_status
read_raw(reader *from, lg_error *err)
{
    lg_status status = read_strings(from, err);
    if (status == LG_OK)
        status = read_devices(from, err);
    if (status == LG_OK)
        status = read_sums(from, err);
    for (uint32_t i = 0; i < from->header.places && status == LG_OK; i++)
        status = read_place(from, i, err);
    if (status == LG_OK)
        status = read_types(from, err);
    if (status == LG_OK)
        status = read_infos(from, err);
    if (status == LG_OK)
        status = read_tallies(from, err);
    if (status == LG_OK && from->at != from->length)
        status = damaged(from, "its length", from->at, err);
    return status;
}

static lg_status
check_header(const reader *from, size_t length, lg_error *err)
{
    const lg__summary_header *header = &from->header;
    const char *name = from->name;
    if (memcmp(header->magic, LG__SUMMARY_MAGIC, sizeof header->magic) != 0)
        return lg_error_set(err, LG_EFORMAT, "%s is not a leakgraph summary",
                            name);
    if (header->major != LG__SUMMARY_MAJOR)
        return lg_error_set(err, LG_EVERSION,
                            "%s has format version %u, this leakgraph reads "
                            "%u: %s",
                            name, header->major, (unsigned)LG__SUMMARY_MAJOR,
                            header->major > LG__SUMMARY_MAJOR
                                ? "open it with a newer leakgraph"
                                : "summarize the snapshot again");
    if (XXH3_64bits(header, offsetof(lg__summary_header, header_checksum)) !=
            header->header_checksum ||
        header->raw_length > lg__file_raw_limit(length))
        return lg_error_set(err, LG_EFORMAT,
                            "%s has a damaged header: copy it again", name);
    return LG_OK;
}

static lg_status
read_frame(reader *from, const uint8_t *frame, size_t length, lg_error *err)
{
    size_t size = (size_t)from->header.raw_length;
    uint8_t *raw = malloc(size + 1);
    if (raw == NULL)
        return lg__error_memory(err);
    size_t got = ZSTD_decompress(raw, size, frame, length);
    from->raw = raw;
    from->length = size;
    lg_status status = LG_OK;
    if (ZSTD_isError(got) || got != size ||
        XXH3_64bits(raw, size) != from->header.checksum)
        status = lg_error_set(err, LG_EFORMAT, "%s is damaged: copy it again",
                              from->name);
    if (status == LG_OK)
        status = read_raw(from, err);
    free(raw);
    return status;
}

static lg_status
read_summary(const char *name, const void *data, size_t length,
             lg_summary **out, lg_error *err)
{
    reader from = {.name = name};
    lg_status status = lg__file_check_machine(err);
    if (status != LG_OK)
        return status;
    if (length < sizeof from.header)
        return lg_error_set(err, LG_EFORMAT,
                            "%s is too short for a leakgraph summary", name);
    memcpy(&from.header, data, sizeof from.header);
    status = check_header(&from, length, err);
    lg_places *places = status == LG_OK ? lg__places_begin() : NULL;
    if (places != NULL)
        from.out = lg__summary_begin(places);
    if (status == LG_OK && from.out == NULL)
        status = lg__error_memory(err);
    if (status == LG_OK)
        status = read_frame(&from, (const uint8_t *)data + sizeof from.header,
                            length - sizeof from.header, err);
    free(from.strings);
    if (status == LG_OK)
        *out = from.out;
    else
        lg_summary_free(from.out);
    return status;
}

lg_status
lg_summary_load_memory(const void *data, size_t length, lg_summary **out,
                       lg_error *err)
{
    return read_summary("the summary", data, length, out, err);
}

// Reads an open file into memory, which the caller frees.
static lg_status
read_file(const char *path, int descriptor, void **data, size_t *length,
          lg_error *err)
{
    struct stat known;
    if (descriptor < 0 || fstat(descriptor, &known) != 0)
        return lg_error_set(err, LG_EIO, "cannot open %s: %s", path,
                            strerror(errno));
    if (!S_ISREG(known.st_mode) || known.st_size > MOST_FILE)
        return lg_error_set(err, LG_EFORMAT, "%s is not a leakgraph summary",
                            path);
    lg__source source = {.name = path,
                         .descriptor = descriptor,
                         .length = (uint64_t)known.st_size};
    *length = (size_t)known.st_size;
    *data = malloc(*length + 1);
    return *data == NULL ? lg__error_memory(err)
                         : lg__source_read(&source, 0, *data, *length, err);
}

lg_status
lg_summary_load(const char *path, lg_summary **out, lg_error *err)
{
    void *data = NULL;
    size_t length = 0;
    // O_NONBLOCK, because a FIFO would wait for a writer.
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    lg_status status = read_file(path, descriptor, &data, &length, err);
    if (status == LG_OK)
        status = read_summary(path, data, length, out, err);
    free(data);
    if (descriptor >= 0)
        close(descriptor);
    return status;
}

bool
lg_summary_is_file(const char *path)
{
    char magic[sizeof LG__SUMMARY_MAGIC - 1];
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return false;
    bool is = read(descriptor, magic, sizeof magic) == sizeof magic &&
              memcmp(magic, LG__SUMMARY_MAGIC, sizeof magic) == 0;
    close(descriptor);
    return is;
}
