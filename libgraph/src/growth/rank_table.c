// Puts what each rank has at each place side by side.
#include "growth/ranks_private.h"

#include <stdlib.h>
#include <string.h>

// How many of the biggest places of each rank are compared: as many as a
// summary's file has.
enum { MOST_PLACES = 8192 };

lg_string
lg__device_kind(lg_string device)
{
    const char *colon = memchr(device.data, ':', device.length);
    if (colon)
        device.length = (uint32_t)(colon - device.data);
    return device;
}

static int
compare_numbers(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

uint64_t
lg__rank_median(uint64_t *numbers, uint32_t count)
{
    lg__sort(numbers, count, sizeof *numbers, compare_numbers);
    return numbers[(count - 1) / 2];
}

uint64_t
lg__rank_bytes(const lg__rank_table *table, uint32_t place, uint32_t rank)
{
    uint64_t sum = 0;
    for (uint32_t kind = 0; kind < table->each; kind++)
        sum += table->bytes[lg__rank_cell(table, place, kind, rank)];
    return sum;
}

uint64_t
lg__rank_rest(const lg__rank_table *table, uint32_t place, uint32_t kind,
              uint32_t rank)
{
    size_t at = lg__rank_cell(table, place, kind, rank);
    return table->bytes[at] > table->covered[at]
               ? table->bytes[at] - table->covered[at]
               : 0;
}

static uint32_t
kind_of(const lg__rank_table *table, lg_string device)
{
    lg_string kind = lg__device_kind(device);
    for (uint32_t i = 0; i < table->each; i++)
        if (lg__string_same(table->kinds[i], kind))
            return i;
    return LG_NONE;
}

static bool
find_kinds(lg__rank_table *table)
{
    uint32_t devices = table->places->each;
    table->kinds = lg__wide_calloc(devices, sizeof *table->kinds);
    for (uint32_t i = 0; table->kinds && i < devices; i++) {
        lg_string name = lg_places_device_name(table->places, i);
        if (kind_of(table, name) == LG_NONE)
            table->kinds[table->each++] = lg__device_kind(name);
    }
    return table->kinds != NULL;
}

static bool
make_room(lg__rank_table *table)
{
    size_t places = table->count;
    size_t cells = places * table->each;
    table->members =
        lg__wide_calloc(places * table->ranks + 1, sizeof(uint64_t));
    table->bytes = lg__wide_calloc(cells * table->ranks + 1, sizeof(uint64_t));
    table->usual_members = lg__wide_calloc(places + 1, sizeof(uint64_t));
    table->covered =
        lg__wide_calloc(cells * table->ranks + 1, sizeof(uint64_t));
    table->sorted = lg__wide_calloc(table->ranks, sizeof(uint64_t));
    table->rest = lg__wide_calloc(table->ranks, sizeof(uint64_t));
    table->is_own = lg__wide_calloc(places + 1, 1);
    return table->members && table->bytes && table->usual_members &&
           table->covered && table->sorted && table->rest && table->is_own;
}

// Fills in a rank, also at places that are big only on other ranks.
static void
fill_rank(lg__rank_table *table, uint32_t rank, const lg_places *from)
{
    uint32_t count = lg_places_count(from);
    for (uint32_t i = 0; i < count; i++) {
        lg_place place = lg_places_at(from, i);
        size_t at = lg_places_find(table->places, place.key);
        if (at == LG_NONE)
            continue;
        uint64_t *bytes = table->bytes + at * table->each * table->ranks + rank;
        table->members[at * table->ranks + rank] += place.members;
        for (uint32_t on = 0; on < from->each; on++) {
            uint32_t kind = kind_of(table, lg_places_device_name(from, on));
            bytes[(size_t)kind * table->ranks] += place.retained[on];
        }
    }
}

static void
find_usual(lg__rank_table *table)
{
    for (uint32_t i = 0; i < table->count; i++) {
        lg_place place = lg_places_at(table->places, i);
        memcpy(table->sorted, table->members + (size_t)i * table->ranks,
               table->ranks * sizeof *table->sorted);
        table->usual_members[i] = lg__rank_median(table->sorted, table->ranks);
        table->is_own[i] = place.parent == LG_NONE
                               ? lg__growth_is_own(place.label)
                               : table->is_own[place.parent];
    }
}

static bool
prune(const lg_summary *const *summaries, uint32_t count, lg_places **out)
{
    uint64_t least;
    for (uint32_t i = 0; i < count; i++)
        if (!lg__places_prune(lg_summary_places(summaries[i]), MOST_PLACES,
                              &out[i], &least))
            return false;
    return true;
}

lg_status
lg__rank_table_new(const lg_summary *const *summaries, size_t count,
                   lg__rank_table *out, lg_error *err)
{
    lg__rank_table table = {.ranks = (uint32_t)count};
    lg_places **pruned = lg__wide_calloc(count, sizeof *pruned);
    lg_status status = LG_OK;
    if (!pruned || !prune(summaries, table.ranks, pruned))
        status = lg__error_memory(err);
    if (!status)
        status = lg_places_merge((const lg_places *const *)pruned, count,
                                 &table.places, err);
    table.count = status ? 0 : lg_places_count(table.places);
    if (!status && (!find_kinds(&table) || !make_room(&table)))
        status = lg__error_memory(err);
    for (uint32_t i = 0; !status && i < table.ranks; i++)
        fill_rank(&table, i, lg_summary_places(summaries[i]));
    if (!status)
        find_usual(&table);
    for (size_t i = 0; pruned && i < count; i++)
        lg_places_free(pruned[i]);
    lg__wide_free(pruned);
    if (status)
        lg__rank_table_free(&table);
    else
        *out = table;
    return status;
}

void
lg__rank_table_free(lg__rank_table *table)
{
    lg_places_free(table->places);
    lg__wide_free(table->kinds);
    lg__wide_free(table->members);
    lg__wide_free(table->bytes);
    lg__wide_free(table->usual_members);
    lg__wide_free(table->covered);
    lg__wide_free(table->sorted);
    lg__wide_free(table->rest);
    lg__wide_free(table->is_own);
    *table = (lg__rank_table){0};
}
