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
    uint8_t *raw = lg__wide_alloc(size + 1);
    if (raw == NULL)
        return lg__error_memory(err);
    size_t got = ZSTD_decompress(raw, size, frame, length);
    lg_status status;
    if (ZSTD_isError(got) || got != size ||
        XXH3_64bits(raw, size) != header->checksum)
        status =
            lg_error_set(err, LG_EFORMAT, "%s is damaged: copy it again", name);
    else
        status = lg__summary_read(name, header, raw, size, out, err);
    lg__wide_free(raw);
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
    *data = lg__wide_alloc(*length + 1);
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
    lg__wide_free(data);
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
