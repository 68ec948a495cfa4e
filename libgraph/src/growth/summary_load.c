// Opens the files of summaries.
#include "growth/summary_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

// Reads the content of a summary's file, which is hostile until every check has
// passed.

enum {
    MOST_DEVICES = 256,
    MOST_DEVICES_OF_TOTALS =
        16, // their bytes take memory, not room in the file
};
// Sums of this many numbers fit into 63 bits.
#define MOST_NUMBER (UINT64_C(1) << 53)

typedef struct reader {
    const char *name; // for messages
    const lg__summary_header *header;
    const uint8_t *raw;
    size_t length;
    size_t at;
    uint32_t *strings; // [header.strings] number of each in the table
    uint64_t tallies;  // number of tallies
    uint64_t words;    // number of words
    uint64_t bytes[MOST_DEVICES]; // scratch memory
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
    uint32_t count = from->header->strings;
    const uint8_t *lengths = take(from, count, sizeof(uint32_t));
    if (lengths == NULL)
        return damaged(from, "the number of strings", count, err);
    from->strings = lg__alloc(((size_t)count + 1) * sizeof *from->strings);
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
    bool has_words = from->header->major == LG__SUMMARY_MAJOR;
    const uint8_t *sums = take(from, has_words ? 7 : 6, sizeof(uint64_t));
    return sums != NULL && read_number(sums, 0, &to->objects) &&
                   read_number(sums, 1, &to->large) &&
                   read_number(sums, 2, &to->mapped) &&
                   read_number(sums, 3, &to->rest) &&
                   read_number(sums, 4, &from->tallies) &&
                   read_number(sums, 5, &to->small) &&
                   (!has_words || read_number(sums, 6, &from->words))
               ? LG_OK
               : damaged(from, "a sum", 0, err);
}

static lg_status
read_place(reader *from, uint32_t index, lg_error *err)
{
    lg_places *to = from->out->places;
    uint32_t each = from->header->devices;
    lg__summary_place place;
    const void *bytes = take(from, 1, sizeof place);
    const uint8_t *numbers = take(from, 2 * (uint64_t)each, sizeof(uint64_t));
    if (bytes == NULL || numbers == NULL)
        return damaged(from, "the number of places", index, err);
    memcpy(&place, bytes, sizeof place);
    if ((place.parent != LG_NONE && place.parent >= index) ||
        place.label >= from->header->strings ||
        place.type >= from->header->strings || place.kind > LG_PLACE_SEVERAL ||
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

// Returns whether bytes of types and tallies are sums over several devices.
static bool
has_totals(const reader *from)
{
    return from->header->major == LG__SUMMARY_TOTALS &&
           from->header->devices > 1;
}

// Reads the bytes of a row: `host` is a field of it, and those on other devices
// come after it. A sum over devices is on an unknown one, unless it is no size.
static bool
read_bytes(reader *from, uint64_t host, bool is_size)
{
    uint32_t others = from->header->devices - 1;
    memset(from->bytes, 0, sizeof from->bytes);
    from->bytes[has_totals(from) && is_size ? others + 1 : 0] = host;
    if (host > MOST_NUMBER || has_totals(from))
        return host <= MOST_NUMBER;
    const uint8_t *numbers = take(from, others, sizeof(uint64_t));
    bool fine = numbers != NULL;
    for (uint32_t i = 0; i < others && fine; i++)
        fine = read_number(numbers, i, &from->bytes[i + 1]);
    return fine;
}

static lg_status
read_type(reader *from, uint32_t index, lg_error *err)
{
    lg_allocator allocator = lg_allocator_default();
    lg_summary *to = from->out;
    lg__summary_type type;
    const void *row = take(from, 1, sizeof type);
    if (row == NULL)
        return damaged(from, "the number of types", index, err);
    memcpy(&type, row, sizeof type);
    if (type.name >= from->header->strings || type.count > MOST_NUMBER ||
        !read_bytes(from, type.host, true))
        return damaged(from, "a type", index, err);
    uint32_t bytes = lg__summary_add_bytes(to, from->bytes, to->places->each);
    lg__type_sum *sum = lg__vector_extend(&allocator, &to->types, 1);
    if (sum == NULL || bytes == LG_NONE)
        return lg__error_memory(err);
    *sum = (lg__type_sum){from->strings[type.name], bytes, type.count};
    return LG_OK;
}

static lg_status
read_infos(reader *from, lg_error *err)
{
    lg_allocator allocator = lg_allocator_default();
    uint32_t count = from->header->infos;
    const uint8_t *rows = take(from, count, sizeof(lg__info_text));
    if (rows == NULL)
        return damaged(from, "the number of info texts", count, err);
    for (uint32_t i = 0; i < count; i++) {
        lg__info_text text;
        memcpy(&text, rows + i * sizeof text, sizeof text);
        if (text.key >= from->header->strings ||
            text.value >= from->header->strings)
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
read_tally(reader *from, uint64_t index, lg_error *err)
{
    lg_summary *to = from->out;
    lg__summary_tally tally;
    const void *row = take(from, 1, sizeof tally);
    if (row == NULL)
        return damaged(from, "the number of tallies", index, err);
    memcpy(&tally, row, sizeof tally);
    if (tally.name >= from->header->strings ||
        tally.detail >= from->header->strings ||
        tally.kind >= LG__TALLY_COUNT || tally.count > MOST_NUMBER ||
        !read_bytes(from, tally.host, tally.kind != LG__TALLY_LIMIT))
        return damaged(from, "a tally", index, err);
    lg__tally made = {.holder = tally.holder,
                      .kept = tally.kept,
                      .count = tally.count,
                      .name = from->strings[tally.name],
                      .detail = from->strings[tally.detail],
                      .kind = tally.kind};
    return lg__summary_count(to, made, from->bytes, to->places->each)
               ? LG_OK
               : lg__error_memory(err);
}

// Looks up a string that may be missing. Returns false for one out of range.
static bool
find_string(const reader *from, uint32_t *string)
{
    if (*string == LG_NONE)
        return true;
    if (*string >= from->header->strings)
        return false;
    *string = from->strings[*string];
    return true;
}

static lg_status
read_words(reader *from, uint64_t index, lg_error *err)
{
    lg_places *to = from->out->places;
    const lg__place_words *last = to->words.data;
    lg__place_words words;
    const void *row = take(from, 1, sizeof words);
    if (row == NULL)
        return damaged(from, "the number of words", index, err);
    memcpy(&words, row, sizeof words);
    if (words.place >= from->header->places ||
        (words.keeper != LG_NONE && words.keeper >= from->header->places) ||
        (index > 0 && last[index - 1].place >= words.place) ||
        !find_string(from, &words.holder) || !find_string(from, &words.title))
        return damaged(from, "words", index, err);
    return lg__places_add_words(to, words) ? LG_OK : lg__error_memory(err);
}

// Reads the devices. They are last in the file, but places need them. The host
// comes first, and no name comes twice.
static lg_status
read_devices(reader *from, lg_error *err)
{
    static const lg_string unknown = {"unknown device", 14};
    lg_places *to = from->out->places;
    uint32_t count = from->header->devices;
    size_t size = count * sizeof(uint32_t);
    uint32_t most = has_totals(from) ? MOST_DEVICES_OF_TOTALS : MOST_DEVICES;
    if (count == 0 || count > most || size > from->length - from->at)
        return damaged(from, "the number of devices", count, err);
    from->length -= size;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t name;
        memcpy(&name, from->raw + from->length + i * sizeof name, sizeof name);
        if (name >= from->header->strings)
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
    if (has_totals(from) && !lg__places_add_device(to, unknown))
        return lg__error_memory(err);
    return LG_OK;
}

static lg_status
read_all(reader *from, lg_error *err)
{
    lg_status status = read_strings(from, err);
    if (status == LG_OK)
        status = read_devices(from, err);
    if (status == LG_OK)
        status = read_sums(from, err);
    for (uint32_t i = 0; i < from->header->places && status == LG_OK; i++)
        status = read_place(from, i, err);
    for (uint32_t i = 0; i < from->header->types && status == LG_OK; i++)
        status = read_type(from, i, err);
    if (status == LG_OK)
        status = read_infos(from, err);
    for (uint64_t i = 0; i < from->tallies && status == LG_OK; i++)
        status = read_tally(from, i, err);
    for (uint64_t i = 0; i < from->words && status == LG_OK; i++)
        status = read_words(from, i, err);
    if (status == LG_OK && from->at != from->length)
        status = damaged(from, "its length", from->at, err);
    if (status != LG_OK)
        return status;
    lg__summary_join_types(from->out);
    lg__summary_join_tallies(from->out);
    return LG_OK;
}

// Reads the content into an empty summary.
static lg_status
summary_read(const char *name, const lg__summary_header *header,
             const uint8_t *raw, size_t length, lg_summary *out, lg_error *err)
{
    reader from = {.name = name,
                   .header = header,
                   .raw = raw,
                   .length = length,
                   .out = out};
    lg_status status = read_all(&from, err);
    lg__free(from.strings);
    return status;
}

enum { MOST_FILE = 1 << 26 }; // bytes of a file

static lg_status
check_header(const char *name, const lg__summary_header *header, size_t length,
             lg_error *err)
{
    if (memcmp(header->magic, LG__SUMMARY_MAGIC, sizeof header->magic) != 0)
        return lg_error_set(err, LG_EFORMAT, "%s is not a leakgraph summary",
                            name);
    if (header->major > LG__SUMMARY_MAJOR || header->major < LG__SUMMARY_TOTALS)
        return lg_error_set(err, LG_EVERSION,
                            "%s has format version %u, this leakgraph reads "
                            "%u and %u: %s",
                            name, header->major, (unsigned)LG__SUMMARY_TOTALS,
                            (unsigned)LG__SUMMARY_MAJOR,
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

// Unpacks the content and reads it.
static lg_status
read_frame(const char *name, const lg__summary_header *header,
           const uint8_t *frame, size_t length, lg_summary *out, lg_error *err)
{
    size_t size = (size_t)header->raw_length;
    uint8_t *raw = lg__alloc(size + 1);
    if (raw == NULL)
        return lg__error_memory(err);
    size_t got = ZSTD_decompress(raw, size, frame, length);
    lg_status status;
    if (ZSTD_isError(got) || got != size ||
        XXH3_64bits(raw, size) != header->checksum)
        status =
            lg_error_set(err, LG_EFORMAT, "%s is damaged: copy it again", name);
    else
        status = summary_read(name, header, raw, size, out, err);
    lg__free(raw);
    return status;
}

static lg_status
read_summary(const char *name, const void *data, size_t length,
             lg_summary **out, lg_error *err)
{
    lg__summary_header header;
    lg_status status = lg__file_check_machine(err);
    if (status != LG_OK)
        return status;
    if (length < sizeof header)
        return lg_error_set(err, LG_EFORMAT,
                            "%s is too short for a leakgraph summary", name);
    memcpy(&header, data, sizeof header);
    status = check_header(name, &header, length, err);
    if (status != LG_OK)
        return status;
    lg_places *places = lg__places_begin();
    lg_summary *made = places != NULL ? lg__summary_begin(places) : NULL;
    if (made == NULL)
        return lg__error_memory(err);
    status = read_frame(name, &header, (const uint8_t *)data + sizeof header,
                        length - sizeof header, made, err);
    if (status == LG_OK)
        *out = made;
    else
        lg_summary_free(made);
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
    *data = lg__alloc(*length + 1);
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
    lg__free(data);
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
