// Writes summaries.
#include "growth/summary_file.h"

#include <leakgraph/internal/retained.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

enum {
    LEVEL = 6,
    MOST_TYPES = 1024, // the types with the most bytes are written
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

// What a file keeps besides the places, with strings of its table of places.
typedef struct rest {
    lg__type_sum *types;
    uint32_t type_count;
    lg__info_text *infos;
    uint32_t info_count;
    lg__tally *tallies;
    uint64_t tally_count;
} rest;

typedef struct ranked_type {
    lg__type_sum sum;
    uint64_t total;
} ranked_type;

static int
compare_totals(const void *left, const void *right)
{
    const ranked_type *a = left;
    const ranked_type *b = right;
    if (a->total != b->total)
        return a->total > b->total ? -1 : 1;
    return a->sum.name < b->sum.name ? -1 : a->sum.name > b->sum.name;
}

static bool
copy_string(const lg_summary *from, lg_places *to, uint32_t *string)
{
    *string = lg__places_string(to, lg__places_text(from->places, *string));
    return *string != LG_NONE;
}

// Returns whether the summary is a sum of several.
static bool
is_sum(const lg_summary *summary)
{
    return lg__summary_bytes(summary, "snapshots") >= 0;
}

// Copies the types with the most bytes.
static bool
copy_types(const lg_summary *from, lg_places *to, rest *out)
{
    const lg__type_sum *sums = from->types.data;
    size_t count = from->types.count;
    ranked_type *all = lg__calloc(count + 1, sizeof *all);
    bool enough = all != NULL;
    for (size_t i = 0; i < count && enough; i++) {
        all[i].sum = sums[i];
        all[i].total = lg_bytes_sum(lg__summary_bytes_at(from, sums[i].bytes),
                                    from->places->each);
        enough = copy_string(from, to, &all[i].sum.name);
    }
    if (enough && count > 0)
        lg__sort(all, count, sizeof *all, compare_totals);
    if (count > MOST_TYPES && !is_sum(from))
        count = MOST_TYPES;
    for (size_t i = 0; i < count && enough; i++)
        out->types[out->type_count++] = all[i].sum;
    lg__free(all);
    return enough;
}

static bool
copy_infos(const lg_summary *from, lg_places *to, rest *out)
{
    const lg__info_text *texts = from->infos.data;
    for (size_t i = 0; i < from->infos.count; i++) {
        lg__info_text *info = &out->infos[out->info_count++];
        *info = texts[i];
        if (!copy_string(from, to, &info->key) ||
            !copy_string(from, to, &info->value))
            return false;
    }
    return true;
}

static bool
copy_tallies(const lg_summary *from, lg_places *to, rest *out)
{
    const lg__tally *tallies = from->tallies.data;
    for (size_t i = 0; i < from->tallies.count; i++) {
        lg__tally *tally = &out->tallies[out->tally_count++];
        *tally = tallies[i];
        if (!copy_string(from, to, &tally->name) ||
            !copy_string(from, to, &tally->detail))
            return false;
    }
    return true;
}

// Says in one more info text what the places that are left out retain at most.
static bool
add_least(lg_places *to, uint64_t least, rest *out)
{
    static const char key[] = LG__SUMMARY_LEAST;
    lg__info_text *info = &out->infos[out->info_count++];
    char text[24];
    int length = snprintf(text, sizeof text, "%llu", (unsigned long long)least);
    info->key = lg__places_string(to, (lg_string){key, sizeof key - 1});
    info->value = lg__places_string(to, (lg_string){text, (uint32_t)length});
    return info->key != LG_NONE && info->value != LG_NONE;
}

static bool
copy_rest(const lg_summary *from, lg_places *to, uint64_t least, rest *out)
{
    *out = (rest){
        .types = lg__calloc(from->types.count + 1, sizeof *out->types),
        .infos = lg__calloc(from->infos.count + 2, sizeof *out->infos),
        .tallies = lg__calloc(from->tallies.count + 1, sizeof *out->tallies),
    };
    return out->types != NULL && out->infos != NULL && out->tallies != NULL &&
           copy_types(from, to, out) && copy_infos(from, to, out) &&
           copy_tallies(from, to, out) &&
           (least == 0 || add_least(to, least, out));
}

static void
rest_free(rest *from)
{
    lg__free(from->types);
    lg__free(from->infos);
    lg__free(from->tallies);
}

static void
put_types(writer *to, const lg_summary *summary, const rest *from)
{
    size_t others = (summary->places->each - 1) * sizeof(uint64_t);
    for (uint32_t i = 0; i < from->type_count; i++) {
        const lg__type_sum *sum = &from->types[i];
        const uint64_t *bytes = lg__summary_bytes_at(summary, sum->bytes);
        const lg__summary_type type = {
            .count = sum->count, .host = bytes[0], .name = sum->name};
        put(to, &type, sizeof type);
        put(to, bytes + 1, others);
    }
}

static void
put_tallies(writer *to, const lg_summary *summary, const rest *from)
{
    size_t others = (summary->places->each - 1) * sizeof(uint64_t);
    for (uint64_t i = 0; i < from->tally_count; i++) {
        const lg__tally *tally = &from->tallies[i];
        const uint64_t *bytes = lg__summary_bytes_at(summary, tally->bytes);
        const lg__summary_tally row = {
            .holder = tally->holder,
            .kept = tally->kept,
            .count = tally->count,
            .host = bytes[0],
            .name = tally->name,
            .detail = tally->detail,
            .kind = tally->kind,
        };
        put(to, &row, sizeof row);
        put(to, bytes + 1, others);
    }
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

static void
put_all(writer *to, const lg_summary *summary, const lg_places *places,
        const rest *from)
{
    uint64_t words = places->words.count;
    const uint64_t sums[] = {summary->objects,
                             summary->large,
                             summary->mapped,
                             summary->rest,
                             from->tally_count,
                             summary->small,
                             words};
    put_strings(to, places);
    put(to, sums, words > 0 ? sizeof sums : sizeof sums - sizeof words);
    put_places(to, places);
    put_types(to, summary, from);
    put(to, from->infos, from->info_count * sizeof *from->infos);
    put_tallies(to, summary, from);
    put(to, places->words.data, words * sizeof(lg__place_words));
    put(to, places->devices.data, places->each * sizeof(uint32_t));
}

static uint32_t
version_of(const lg_places *places)
{
    if (places->words.count > 0)
        return LG__SUMMARY_MAJOR;
    return places->each > 1 ? LG__SUMMARY_DEVICES : LG__SUMMARY_TOTALS;
}

static lg_status
write_summary(const lg_summary *summary, lg_places *places, uint64_t least,
              void **data, size_t *length, lg_error *err)
{
    writer to = {.allocator = lg_allocator_default(), .raw = {.element = 1}};
    rest others;
    to.failed = !copy_rest(summary, places, least, &others);
    if (!to.failed)
        put_all(&to, summary, places, &others);
    lg__summary_header header = {
        .major = version_of(places),
        .devices = places->each,
        .strings = (uint32_t)places->string_hash.count,
        .places = (uint32_t)places->items.count,
        .types = others.type_count,
        .infos = others.info_count,
    };
    memcpy(header.magic, LG__SUMMARY_MAGIC, sizeof header.magic);
    lg_status status = to.failed ? lg__error_memory(err)
                                 : make_frame(&to, &header, data, length, err);
    lg__vector_free(&to.allocator, &to.raw);
    rest_free(&others);
    return status;
}

lg_status
lg_summary_save_memory(const lg_summary *summary, void **data, size_t *length,
                       lg_error *err)
{
    bool whole =
        is_sum(summary) || lg__summary_bytes(summary, LG__SUMMARY_LEAST) >= 0;
    uint32_t most = whole ? UINT32_MAX : LG__PLACES_SAVED;
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
