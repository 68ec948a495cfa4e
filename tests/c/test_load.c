// Loading a damaged file gives an error, never a crash.
#include <unistd.h>

#include <leakgraph/file.h>

#include "lgs.h"
#include "sample.h"
#include "test.h"

static lg_status
load(bytes from, lg_error *err)
{
    lg_graph *graph = NULL;
    lg_status status =
        lg_graph_load_memory(from.data, from.length, &graph, err);
    CHECK((status == LG_OK) == (graph != NULL));
    CHECK(status == LG_OK || err->message[0] != '\0');
    lg_graph_free(graph);
    return status;
}

static void
newer_version(void)
{
    lg_graph *graph = sample_chain(10);
    lg_error err;
    bytes file = saved(graph, 0);
    lg_graph_free(graph);
    file.data[8] = 5; // the major version
    CHECK(load(file, &err) == LG_EVERSION);
    CHECK(strstr(err.message, "5.0") != NULL);
    free(file.data);
}

// Files of earlier versions have fewer encodings.
static void
older_versions(void)
{
    lg_graph *graph = sample_chain(10);
    lg_error err;
    bytes file = saved(graph, 0);
    lg_graph_free(graph);
    for (uint8_t version = 1; version < 4; version++) {
        file.data[8] = version;
        seal(file);
        CHECK(load(file, &err) == LG_OK);
    }
    file.data[8] = 0;
    seal(file);
    CHECK(load(file, &err) == LG_EFORMAT);
    free(file.data);
}

static bool
is_refusal(lg_status status)
{
    return status == LG_EFORMAT || status == LG_EVERSION;
}

static void
flipped_at(bytes file, size_t at)
{
    lg_error err;
    for (unsigned bit = 0; bit < 8; bit++) {
        file.data[at] ^= (uint8_t)(1u << bit);
        CHECK(is_refusal(load(file, &err)));
        file.data[at] ^= (uint8_t)(1u << bit);
    }
    file.data[at] ^= 0xff;
    CHECK(is_refusal(load(file, &err)));
    file.data[at] ^= 0xff;
}

// Damages every byte of the header and the directory, and the first and last
// byte of each section.
static void
flipped(void)
{
    lg_graph *graph;
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    for (int level = 0; level <= 3; level += 3) {
        bytes file = saved(graph, level);
        uint32_t count = section_count(file);
        for (size_t at = 0; at < 64 + count * sizeof(section); at++)
            flipped_at(file, at);
        for (uint32_t i = 0; i < count; i++) {
            section about = section_at(file, i);
            if (about.stored > 0) {
                flipped_at(file, about.offset);
                flipped_at(file, about.offset + about.stored - 1);
            }
        }
        lg_error err;
        CHECK(load(file, &err) == LG_OK);
        free(file.data);
    }
    lg_graph_free(graph);
}

static void
cut_at(bytes file, size_t length)
{
    lg_error err;
    bytes part = aligned(length);
    memcpy(part.data, file.data, length);
    CHECK(load(part, &err) == LG_EFORMAT);
    CHECK(truncate(path_of("graph"), (off_t)length) == 0);
    lg_graph *graph = NULL;
    for (unsigned flags = 0; flags <= LG_LOAD_MAPPED; flags++)
        CHECK(lg_graph_load(path_of("graph"), flags, NULL, &graph, &err) ==
              LG_EFORMAT);
    free(part.data);
}

static void
cut_short(void)
{
    lg_graph *graph;
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    for (int level = 0; level <= 3; level += 3) {
        bytes file = saved(graph, level);
        cut_at(file, file.length - 1);
        for (uint32_t i = section_count(file); i-- > 0;) {
            section about = section_at(file, i);
            if (about.offset + about.stored < file.length)
                cut_at(file, about.offset + about.stored);
            if (about.offset < file.length)
                cut_at(file, about.offset);
        }
        for (size_t length = 64 + 16 * sizeof(section); length-- > 0;)
            cut_at(file, length);
        free(file.data);
    }
    lg_graph_free(graph);
}

// Sections that only a newer or a malicious writer makes.
static void
crafted_sections(void)
{
    lg_graph *graph;
    lg_error err;
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    bytes file = saved(graph, 3);
    for (uint32_t i = 0; i < section_count(file); i++) {
        section good = section_at(file, i);
        section bad[11];
        for (size_t j = 0; j < 11; j++)
            bad[j] = good;
        bad[0].id = 1 + good.id % section_count(file);
        bad[1].id = 999;
        bad[2].element = 3;
        bad[3].encoding = 10;
        bad[4].offset = UINT64_MAX - 8;
        bad[5].stored = UINT64_MAX;
        bad[6].raw = UINT64_MAX - 7;
        bad[7].raw = good.raw + good.element;
        bad[8].raw = (uint64_t)1 << 40;
        // Only numbers have differences.
        bool numbers = good.element == 4 || good.element == 8;
        bad[9].encoding = good.raw == 0 ? 10 : numbers ? good.encoding + 10 : 3;
        // Only some sections are sorted, and only one has targets.
        bad[10].encoding = good.encoding < 4    ? 4
                           : good.element == 2  ? 5
                           : good.encoding == 7 ? 8
                                                : 7;
        for (size_t j = 0; j < 11; j++) {
            put_section(file, i, bad[j]);
            CHECK(load(file, &err) == LG_EFORMAT);
        }
        put_section(file, i, good);
    }
    CHECK(load(file, &err) == LG_OK);
    free(file.data);
    lg_graph_free(graph);
}

static bytes
with_unknown_section(bytes file, uint32_t flags)
{
    // The new entry overwrites the first section, so all sections move.
    const size_t more = sizeof(section);
    bytes out = aligned(file.length + more);
    uint32_t count = section_count(file);
    size_t directory = 64 + count * sizeof(section);
    memcpy(out.data, file.data, directory);
    memcpy(out.data + directory + more, file.data + directory,
           file.length - directory);
    for (uint32_t i = 0; i < count; i++) {
        section about = section_at(file, i);
        about.offset += more;
        memcpy(out.data + 64 + i * sizeof about, &about, sizeof about);
    }
    section unknown = {.id = 999, .flags = flags, .encoding = 5, .element = 9};
    memcpy(out.data + directory, &unknown, sizeof unknown);
    count++;
    uint64_t length = out.length;
    memcpy(out.data + 12, &count, sizeof count);
    memcpy(out.data + 24, &length, sizeof length);
    seal(out);
    return out;
}

static void
unknown_sections(void)
{
    lg_graph *graph;
    lg_graph *again = NULL;
    lg_error err;
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    bytes file = saved(graph, 0);
    bytes more = with_unknown_section(file, 0);
    CHECK(lg_graph_load_memory(more.data, more.length, &again, &err) == LG_OK);
    CHECK(again != NULL && sample_equal(graph, again));
    lg_graph_free(again);
    bytes required = with_unknown_section(file, 1);
    CHECK(load(required, &err) == LG_EVERSION);
    CHECK(strstr(err.message, "999") != NULL);
    free(file.data);
    free(more.data);
    free(required.data);
    lg_graph_free(graph);
}

SUITE(load)
{
    folder_make();
    RUN(newer_version);
    RUN(older_versions);
    RUN(flipped);
    RUN(cut_short);
    RUN(crafted_sections);
    RUN(unknown_sections);
    folder_remove();
    return test_result();
}
