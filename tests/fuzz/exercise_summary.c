// Reads any bytes as a summary, and compares it.
#include "exercise.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#include <leakgraph/internal/growth.h>
#include <leakgraph/internal/ranks.h>
#include <leakgraph/internal/report.h>
#include <leakgraph/internal/writing.h>

// A header of 56 bytes, and one zstd frame (libgraph/src/growth).
enum {
    HEADER = 56,
    COUNTS_AT = 8,
    LENGTH_AT = 32,
    SUM_AT = 40,
    HEADER_SUM_AT = 48,
};

static void
ask(const lg_summary *summary)
{
    const lg_summary *const twice[] = {summary, summary};
    const lg_places *places = lg_summary_places(summary);
    lg_growth growth;
    lg_string key;
    lg_string value;
    lg_text text = {0};
    for (uint32_t i = 0; lg_summary_info(summary, i, &key, &value); i++)
        lg_text_add_bytes(&text, key.data, key.length);
    for (uint32_t i = 0; i < lg_places_count(places) && i < 100; i++) {
        lg_places_find(places, lg_places_at(places, i).key);
        lg_place_format(places, i, &text);
    }
    if (lg_growth_find(twice, 2, NULL, NULL, NULL, &growth, NULL) == LG_OK) {
        lg_report_growth(&growth, NULL, 20, LG_FORMAT_TEXT, &text, NULL);
        lg_report_growth(&growth, NULL, 20, LG_FORMAT_JSON, &text, NULL);
        lg_growth_free(&growth);
    }
    lg_ranks ranks;
    if (lg_ranks_find(twice, 2, NULL, &ranks, NULL) == LG_OK) {
        lg_report_ranks(&ranks, 20, LG_FORMAT_TEXT, &text, NULL);
        lg_report_ranks(&ranks, 20, LG_FORMAT_JSON, &text, NULL);
        lg_ranks_free(&ranks);
    }
    lg_text_free(&text);
}

static void
put(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

// The bytes as a file: the version and the counts of its header, and what
// becomes the frame.
static uint8_t *
make_file(const uint8_t *data, size_t size, size_t *length)
{
    size_t raw = size - EXERCISE_COUNTS;
    size_t room = ZSTD_compressBound(raw);
    uint8_t *file = calloc(1, HEADER + room);
    if (file == NULL)
        return NULL;
    memcpy(file, "\x89LGP\r\n\x1a\n", 8);
    memcpy(file + COUNTS_AT, data, EXERCISE_COUNTS);
    put(file + LENGTH_AT, raw);
    put(file + SUM_AT, XXH3_64bits(data + EXERCISE_COUNTS, raw));
    put(file + HEADER_SUM_AT, XXH3_64bits(file, HEADER_SUM_AT));
    size_t stored =
        ZSTD_compress(file + HEADER, room, data + EXERCISE_COUNTS, raw, 1);
    *length = HEADER + (ZSTD_isError(stored) ? 0 : stored);
    return file;
}

bool
exercise_summary(const uint8_t *data, size_t size)
{
    lg_summary *summary = NULL;
    size_t length;
    if (lg_summary_load_memory(data, size, &summary, NULL) == LG_OK)
        lg_summary_free(summary);
    if (size < EXERCISE_COUNTS)
        return false;
    uint8_t *file = make_file(data, size, &length);
    bool accepted = file != NULL && lg_summary_load_memory(
                                        file, length, &summary, NULL) == LG_OK;
    free(file);
    if (!accepted)
        return false;
    ask(summary);
    lg_summary_free(summary);
    return true;
}

uint8_t *
exercise_unpack(const uint8_t *file, size_t size, size_t *length)
{
    uint64_t raw;
    if (size < HEADER)
        return NULL;
    memcpy(&raw, file + LENGTH_AT, sizeof raw);
    uint8_t *bytes = malloc(EXERCISE_COUNTS + (size_t)raw);
    if (bytes == NULL)
        return NULL;
    memcpy(bytes, file + COUNTS_AT, EXERCISE_COUNTS);
    *length = EXERCISE_COUNTS + (size_t)raw;
    if (ZSTD_decompress(bytes + EXERCISE_COUNTS, (size_t)raw, file + HEADER,
                        size - HEADER) == raw)
        return bytes;
    free(bytes);
    return NULL;
}
