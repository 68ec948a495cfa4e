// Writes summaries.
#include "growth/summary_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

enum {
    LEVEL = 6,
    MOST_PLACES = 8192, // the biggest places are written
    MOST_TYPES = 1024,  // the types with the most bytes are written
};

typedef struct writer {
    lg_allocator allocator;
    lg__vector raw;
    bool failed;
} writer;

static void
put(writer *to, const void *bytes, size_t length)
{
    void *place = to->failed || length == 0
                      ? NULL
                      : lg__vector_extend(&to->allocator, &to->raw, length);
    if (place != NULL)
        memcpy(place, bytes, length);
    else
        to->failed |= length > 0;
}

static void
put_strings(writer *to, const lg_places *places)
{
    size_t count = places->string_hash.count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length = lg__places_text(places, i).length;
        put(to, &length, sizeof length);
    }
    put(to, places->string_bytes.data, places->string_bytes.count);
    // Aligns what follows.
    put(to, "\0\0\0\0\0\0\0", (8 - to->raw.count % 8) % 8);
}

static void
put_places(writer *to, const lg_places *places)
{
    size_t each = places->each * sizeof(uint64_t);
    for (uint32_t i = 0; i < places->items.count; i++) {
        const lg__place_item *item = lg__place_at(places, i);
        const lg__summary_place place = {item->parent,  item->label,
                                         item->type,    item->kind,
                                         item->members, item->references};
        put(to, &place, sizeof place);
        put(to, lg__place_own(places, i), each);
        put(to, lg__place_retained(places, i), each);
    }
}

static int
compare_bytes(const void *left, const void *right)
{
    const lg__summary_type *a = left;
    const lg__summary_type *b = right;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return a->name < b->name ? -1 : a->name > b->name;
}

static bool
copy_tallies(const lg_summary *from, lg_places *to, lg__summary_tally *out)
{
    const lg__tally *tallies = from->tallies.data;
    for (size_t i = 0; i < from->tallies.count; i++) {
        const lg__tally *tally = &tallies[i];
        uint32_t name =
            lg__places_string(to, lg__places_text(from->places, tally->name));
        uint32_t detail =
            lg__places_string(to, lg__places_text(from->places, tally->detail));
        if (name == LG_NONE || detail == LG_NONE)
            return false;
        out[i] = (lg__summary_tally){
            tally->holder, tally->kept, tally->count, tally->bytes,
            name,          detail,      tally->kind,  0};
    }
    return true;
}

// Copies the types with the most bytes, and the info texts, with strings of
// `to`.
static lg_status
copy_rest(const lg_summary *from, lg_places *to, lg__summary_type *types,
          lg__info_text *infos, lg_error *err)
{
    const lg__type_sum *sums = from->types.data;
    const lg__info_text *texts = from->infos.data;
    for (size_t i = 0; i < from->types.count; i++) {
        lg_string name = lg__places_text(from->places, sums[i].name);
        types[i] = (lg__summary_type){.count = sums[i].count,
                                      .bytes = sums[i].bytes,
                                      .name = lg__places_string(to, name)};
        if (types[i].name == LG_NONE)
            return lg__error_memory(err);
    }
    for (size_t i = 0; i < from->infos.count; i++) {
        infos[i].key =
            lg__places_string(to, lg__places_text(from->places, texts[i].key));
        infos[i].value = lg__places_string(
            to, lg__places_text(from->places, texts[i].value));
        if (infos[i].key == LG_NONE || infos[i].value == LG_NONE)
            return lg__error_memory(err);
    }
    if (from->types.count > 0)
        lg__sort(types, from->types.count, sizeof *types, compare_bytes);
    return LG_OK;
}

// Makes the file in memory; release it with free().
static lg_status
make_frame(const writer *from, lg__summary_header *header, void **data,
           size_t *length, lg_error *err)
{
    size_t room = ZSTD_compressBound(from->raw.count);
    char *frame = malloc(sizeof *header + room);
    if (frame == NULL)
        return lg__error_memory(err);
    header->raw_length = from->raw.count;
    header->checksum = XXH3_64bits(from->raw.data, from->raw.count);
    header->header_checksum =
        XXH3_64bits(header, offsetof(lg__summary_header, header_checksum));
    memcpy(frame, header, sizeof *header);
    size_t packed = ZSTD_compress(frame + sizeof *header, room, from->raw.data,
                                  from->raw.count, LEVEL);
    if (ZSTD_isError(packed)) {
        free(frame);
        return lg__error_memory(err);
    }
    *data = frame;
    *length = sizeof *header + packed;
    return LG_OK;
}

// Says in one more info text what the places that are left out retain at most.
static bool
add_least(lg_places *to, uint64_t least, lg__info_text *out)
{
    static const char key[] = LG__SUMMARY_LEAST;
    char text[24];
    int length = snprintf(text, sizeof text, "%llu", (unsigned long long)least);
    out->key = lg__places_string(to, (lg_string){key, sizeof key - 1});
    out->value = lg__places_string(to, (lg_string){text, (uint32_t)length});
    return out->key != LG_NONE && out->value != LG_NONE;
}

static lg_status
write_summary(const lg_summary *summary, lg_places *places, uint64_t least,
              void **data, size_t *length, lg_error *err)
{
    size_t types = summary->types.count;
    size_t texts = summary->infos.count;
    lg__summary_type *rows = malloc((types + 1) * sizeof *rows);
    lg__info_text *infos = malloc((summary->infos.count + 1) * sizeof *infos);
    writer to = {.allocator = lg_allocator_default(), .raw = {.element = 1}};
    size_t tallies = summary->tallies.count;
    lg__summary_tally *counts = malloc((tallies + 1) * sizeof *counts);
    uint64_t sums[] = {summary->objects, summary->large, summary->mapped,
                       summary->rest,    tallies,        summary->small};
    lg_status status = rows == NULL || infos == NULL || counts == NULL ||
                               !copy_tallies(summary, places, counts)
                           ? lg__error_memory(err)
                           : copy_rest(summary, places, rows, infos, err);
    if (status == LG_OK && least > 0 &&
        !add_least(places, least, &infos[texts++]))
        status = lg__error_memory(err);
    if (status == LG_OK) {
        if (types > MOST_TYPES && !lg__summary_is_sum(summary))
            types = MOST_TYPES;
        put_strings(&to, places);
        put(&to, sums, sizeof sums);
        put_places(&to, places);
        put(&to, rows, types * sizeof *rows);
        put(&to, infos, texts * sizeof *infos);
        put(&to, counts, tallies * sizeof *counts);
        put(&to, places->devices.data, places->each * sizeof(uint32_t));
        if (to.failed)
            status = lg__error_memory(err);
    }
    lg__summary_header header = {
        .magic = LG__SUMMARY_MAGIC,
        .major = LG__SUMMARY_MAJOR,
        .devices = places->each,
        .strings = (uint32_t)places->string_hash.count,
        .places = (uint32_t)places->items.count,
        .types = (uint32_t)types,
        .infos = (uint32_t)texts,
    };
    if (status == LG_OK)
        status = make_frame(&to, &header, data, length, err);
    lg__vector_free(&to.allocator, &to.raw);
    free(rows);
    free(infos);
    free(counts);
    return status;
}

lg_status
lg_summary_save_memory(const lg_summary *summary, void **data, size_t *length,
                       lg_error *err)
{
    bool whole = lg__summary_is_sum(summary) ||
                 lg__summary_bytes(summary, LG__SUMMARY_LEAST) >= 0;
    uint32_t most = whole ? UINT32_MAX : MOST_PLACES;
    uint64_t least = 0;
    lg_places *places = NULL;
    lg_status status = lg__file_check_machine(err);
    if (status != LG_OK)
        return status;
    if (!lg__places_prune(summary->places, most, &places, &least))
        return lg__error_memory(err);
    status = write_summary(summary, places, least, data, length, err);
    lg_places_free(places);
    return status;
}

lg_status
lg_summary_save(const lg_summary *summary, const char *path, lg_error *err)
{
    lg__sink sink = {.descriptor = -1};
    void *data = NULL;
    size_t length;
    lg_status status = lg_summary_save_memory(summary, &data, &length, err);
    if (status == LG_OK)
        status = lg__sink_open(&sink, path, err);
    if (status == LG_OK)
        status = lg__sink_write(&sink, data, length, err);
    if (status == LG_OK)
        status = lg__sink_commit(&sink, err);
    lg__sink_close(&sink);
    free(data);
    return status;
}
