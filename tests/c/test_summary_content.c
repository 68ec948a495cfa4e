// Both versions of a summary's file.
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#include "growing.h"
#include "growth/summary_file.h"
#include "test.h"

// A file of version 2, with a type and two tallies.
typedef struct old_file {
    uint32_t lengths[5];
    char strings[20];
    uint64_t sums[6];
    lg__summary_place place;
    uint64_t bytes[4];
    lg__summary_type type;
    lg__summary_tally tallies[2];
    uint32_t devices[2];
} old_file;

static lg_summary *
load_old(uint32_t devices)
{
    old_file raw = {.lengths = {4, 6, 4, 6, 0},
                    .strings = "hostcuda:0listtensor",
                    .sums = {[4] = 2},
                    .place = {LG_NONE, 4, 2, 0, 1, 1},
                    .bytes = {300, 500, 300, 500},
                    .type = {.count = 3, .host = 800, .name = 2},
                    .tallies = {{.count = 1,
                                 .host = 500,
                                 .name = 3,
                                 .detail = 4,
                                 .kind = LG_TALLY_TENSOR},
                                {.count = 1,
                                 .host = 9,
                                 .name = 4,
                                 .detail = 4,
                                 .kind = LG__TALLY_LIMIT}},
                    .devices = {0, 1}};
    lg__summary_header header = {.magic = LG__SUMMARY_MAGIC,
                                 .major = 2,
                                 .devices = devices,
                                 .strings = 5,
                                 .places = 1,
                                 .types = 1,
                                 .raw_length = sizeof raw,
                                 .checksum = XXH3_64bits(&raw, sizeof raw)};
    uint8_t data[sizeof header + ZSTD_COMPRESSBOUND(sizeof raw)];
    lg_summary *summary = NULL;
    header.header_checksum =
        XXH3_64bits(&header, offsetof(lg__summary_header, header_checksum));
    memcpy(data, &header, sizeof header);
    size_t length =
        ZSTD_compress(data + sizeof header, sizeof data, &raw, sizeof raw, 1);
    REQUIRE(!ZSTD_isError(length));
    lg_summary_load_memory(data, sizeof header + length, &summary, NULL);
    return summary;
}

// Version 2 has one number for all devices. It is on none of those known.
static void
old_files_can_be_read(void)
{
    lg_summary *old = load_old(2);
    REQUIRE(old != NULL && old->places->each == 3);
    CHECK(
        lg__string_is(lg_places_device_name(old->places, 2), "unknown device"));
    CHECK(lg__place_own(old->places, 0)[0] == 300);
    CHECK(lg__place_retained(old->places, 0)[1] == 500);
    const lg__type_sum *type = old->types.data;
    const uint64_t *bytes = lg__summary_bytes_at(old, type->bytes);
    CHECK(bytes[0] == 0 && bytes[1] == 0 && bytes[2] == 800);
    const lg__tally *tallies = old->tallies.data;
    REQUIRE(old->tallies.count == 2);
    for (int i = 0; i < 2; i++) {
        bytes = lg__summary_bytes_at(old, tallies[i].bytes);
        bool limit = tallies[i].kind == LG__TALLY_LIMIT;
        CHECK(bytes[0] == (limit ? 9 : 0));
        CHECK(bytes[2] == (limit ? 0 : 500));
    }
    lg_summary_free(old);
    CHECK(load_old(3) == NULL);
}

static void
check_version(const lg_summary *summary, uint32_t version)
{
    void *data = NULL;
    size_t length;
    lg__summary_header header;
    REQUIRE(!lg_summary_save_memory(summary, &data, &length, NULL));
    memcpy(&header, data, sizeof header);
    CHECK(header.major == version);
    free(data);
}

// Version 2 is enough for a file without devices.
static void
versions_are_as_old_as_can_be(void)
{
    const growing_heap heaps[] = {{.items = 3}, {.batches = 2}};
    growing_series made = growing_compare(heaps, 2, NULL);
    check_version(made.summary[0], 2);
    check_version(made.summary[1], 3);
    growing_forget(&made);
}

// Makes the place with the most members one of keys that nothing has, and
// reads the summary again.
static lg_summary *
with_keys_of_nothing(lg_summary *summary)
{
    void *data = NULL;
    size_t length;
    lg_summary *read = NULL;
    uint32_t most = 0;
    for (uint32_t i = 1; i < summary->places->items.count; i++)
        if (lg__place_at(summary->places, i)->members >
            lg__place_at(summary->places, most)->members)
            most = i;
    lg__place_at(summary->places, most)->kind = LG_PLACE_KEY;
    lg__place_at(summary->places, most)->parent = LG_NONE;
    REQUIRE(!lg_summary_save_memory(summary, &data, &length, NULL));
    REQUIRE(!lg_summary_load_memory(data, length, &read, NULL));
    free(data);
    return read;
}

static void
keys_of_nothing_are_rows(void)
{
    const growing_heap heaps[] = {
        {.items = 100}, {.items = 200}, {.items = 300}};
    growing_series made = growing_compare(heaps, 3, NULL);
    lg_growth growth = {0};
    for (uint32_t i = 0; i < 3; i++) {
        lg_summary *read = with_keys_of_nothing(made.summary[i]);
        lg_summary_free(made.summary[i]);
        made.summary[i] = read;
    }
    REQUIRE(lg_growth_find((const lg_summary *const *)made.summary, 3, NULL,
                           NULL, NULL, &growth, NULL) == LG_OK);
    REQUIRE(growth.count > 0);
    CHECK(growth.rows[0].counts[2] == 300);
    lg_growth_free(&growth);
    growing_forget(&made);
}

SUITE(summary_content)
{
    RUN(old_files_can_be_read);
    RUN(versions_are_as_old_as_can_be);
    RUN(keys_of_nothing_are_rows);
    return test_result();
}
