// What a comparison reports besides its rows: types, accounts, and growth that
// no object explains. Splits the memory of a process on the host into areas
// that add up: what the biggest leaks keep, all other objects, and what no
// object explains.
#include "growth/growth_comparison.h"

#include <stdlib.h>
#include <string.h>

const lg__type_sum *
lg__summary_find_type(const lg_summary *summary, lg_string name)
{
    uint32_t id = lg__places_seek(summary->places, name);
    return id == LG_NONE
               ? NULL
               : lg_items_find(summary->types.data, summary->types.count,
                               LG_ITEM_KEY(lg__type_sum, name), id);
}

static void
read_type(const lg__comparison *state, lg_string name, uint64_t *counts,
          uint64_t *bytes)
{
    for (uint32_t i = 0; i < state->count; i++) {
        const lg__type_sum *sum =
            lg__summary_find_type(state->summaries[i], name);
        if (sum == NULL)
            continue;
        counts[i] = sum->count;
        lg__comparison_add_bytes(
            state, i, lg__summary_bytes_at(state->summaries[i], sum->bytes),
            bytes);
    }
}

static int
compare_gains(const void *left, const void *right)
{
    const lg_growth_type *a = left;
    const lg_growth_type *b = right;
    if (a->gained != b->gained)
        return a->gained > b->gained ? -1 : 1;
    return a->counts < b->counts ? -1 : a->counts > b->counts;
}

static void
add_types(const lg__comparison *state, uint64_t *numbers, lg_growth *out)
{
    const lg_summary *newest = state->summaries[state->count - 1];
    const lg__type_sum *sums = newest->types.data;
    size_t each = lg__comparison_numbers(state);
    for (size_t i = 0; i < newest->types.count; i++) {
        lg_string name = lg__places_text(newest->places, sums[i].name);
        uint64_t *counts = numbers + out->type_count * each;
        uint64_t *bytes = counts + state->count;
        memset(counts, 0, each * sizeof *counts);
        read_type(state, name, counts, bytes);
        int64_t gained = lg__comparison_gained(state, bytes);
        if (gained > 0)
            out->types[out->type_count++] =
                (lg_growth_type){name, counts, bytes, gained};
    }
    if (out->type_count > 0)
        lg__sort(out->types, out->type_count, sizeof *out->types,
                 compare_gains);
}

// tracemalloc says how large its tables are. It leaves out what malloc spends
// on 16 bytes for each block, and on headers: up to as much again.
enum { TRACED_TIMES = 2 };

static int64_t
traced_by(const lg_summary *summary)
{
    int64_t bytes = lg__summary_bytes(summary, "memory.tracemalloc");
    return bytes < 0 ? 0 : TRACED_TIMES * bytes;
}

// Deducts what observers of the program have: leakgraph for snapshots that wait
// to be compared, and tracemalloc for a record of each block.
static int64_t
without_own(const lg_summary *summary, const char *key, const char *own_key)
{
    int64_t bytes = lg__summary_bytes(summary, key);
    int64_t own = lg__summary_bytes(summary, own_key);
    own = (own < 0 ? 0 : own) + traced_by(summary);
    if (bytes < 0)
        return bytes;
    return bytes > own ? bytes - own : 0;
}

static int64_t
account_of(const lg_summary *summary, lg_growth_account_kind kind)
{
    switch (kind) {
    case LG_ACCOUNT_OBJECTS:
        return (int64_t)summary->objects;
    case LG_ACCOUNT_RSS:
        return without_own(summary, "memory.rss", "memory.leakgraph");
    case LG_ACCOUNT_MALLOC:
        return without_own(summary, "memory.malloc", "memory.leakgraph_malloc");
    default:
        return lg__summary_bytes(summary, "memory.python");
    }
}

int64_t
lg__summary_rss(const lg_summary *summary)
{
    return account_of(summary, LG_ACCOUNT_RSS);
}

int64_t
lg__summary_unexplained(const lg_summary *summary)
{
    int64_t used = account_of(summary, LG_ACCOUNT_MALLOC);
    int64_t known = (int64_t)summary->large;
    return used < 0 ? -1 : used > known ? used - known : 0;
}

// Computes what pymalloc has in use that no object explains, plus a constant.
// It may be negative, because objects in the program's own image count as
// objects.
static int64_t
in_arenas(const lg_summary *summary)
{
    int64_t used = lg__summary_bytes(summary, "memory.python_used");
    return used < 0
               ? -1
               : used + (int64_t)LG__RESIDENT_ZERO - (int64_t)summary->small;
}

// Computes what is mapped and nobody's, plus a constant. While tracemalloc
// traces, Python says nothing of its arenas, and they look like that.
static int64_t
mapped_rest(const lg_summary *summary)
{
    if (traced_by(summary) > 0 &&
        lg__summary_bytes(summary, "memory.python") < 0)
        return -1;
    return (int64_t)summary->rest - (summary->rest == 0);
}

static int64_t
native_of(const lg_summary *summary, lg_native_kind kind)
{
    switch (kind) {
    case LG_NATIVE_MALLOC:
        return lg__summary_unexplained(summary);
    case LG_NATIVE_SMALL:
        return in_arenas(summary);
    case LG_NATIVE_STACKS:
        return lg__summary_bytes(summary, "memory.stacks");
    case LG_NATIVE_CODE:
        return lg__summary_bytes(summary, "memory.jit");
    case LG_NATIVE_FREE:
        return lg__summary_bytes(summary, "memory.malloc_free");
    default:
        return mapped_rest(summary);
    }
}

static bool
is_known(const lg__comparison *state, const int64_t *numbers)
{
    for (uint32_t i = 0; i < state->count; i++)
        if (numbers[i] < 0)
            return false;
    return true;
}

// Computes by how much that memory grew. Returns false if it is unknown.
static bool
gain_of(const lg__comparison *state, const lg_growth *growth,
        lg_native_kind kind, int64_t *out)
{
    const int64_t *each = growth->native[kind];
    bool known = is_known(state, each);
    *out = known ? each[state->count - 1] - each[0] : 0;
    return known;
}

static void
add_accounts(const lg__comparison *state, int64_t *numbers, lg_growth *out)
{
    for (int kind = 0; kind < LG_ACCOUNT_COUNT; kind++) {
        out->accounts[kind] = numbers;
        for (uint32_t i = 0; i < state->count; i++)
            *numbers++ =
                account_of(state->summaries[i], (lg_growth_account_kind)kind);
    }
    for (int kind = 0; kind < LG_NATIVE_COUNT; kind++) {
        out->native[kind] = numbers;
        for (uint32_t i = 0; i < state->count; i++)
            *numbers++ = native_of(state->summaries[i], (lg_native_kind)kind);
    }
    out->unexplained_known =
        gain_of(state, out, LG_NATIVE_MALLOC, &out->unexplained_malloc);
    out->unexplained_small_known =
        gain_of(state, out, LG_NATIVE_SMALL, &out->unexplained_small);
    out->unexplained = out->unexplained_malloc + out->unexplained_small;
}

lg_status
lg__growth_accounts(lg__comparison *state, lg_growth *out, lg_error *err)
{
    const lg_summary *newest = state->summaries[state->count - 1];
    size_t types = newest->types.count;
    size_t numbers = types * lg__comparison_numbers(state);
    lg_status status = lg__comparison_check(state, types, "types", err);
    if (status != LG_OK)
        return status;
    size_t accounts = LG_ACCOUNT_COUNT + LG_NATIVE_COUNT;
    out->types = lg__calloc(types + 1, sizeof *out->types);
    out->sums =
        lg__calloc(numbers + accounts * state->count + 1, sizeof *out->sums);
    if (out->types == NULL || out->sums == NULL)
        return lg__error_memory(err);
    add_types(state, out->sums, out);
    add_accounts(state, (int64_t *)out->sums + numbers, out);
    return LG_OK;
}

const char *
lg_growth_account_name(lg_growth_account_kind kind)
{
    static const char *const names[] = {"objects", "rss", "malloc", "arenas"};
    return (unsigned)kind < LG_ACCOUNT_COUNT ? names[kind] : "unknown";
}

const char *
lg_area_kind_name(lg_area_kind kind)
{
    static const char *const names[] = {"objects", "leak", "unexplained"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind]
                                                         : "unknown";
}

static const int64_t *
known_account(const lg_growth *growth, lg_growth_account_kind kind)
{
    for (uint32_t i = 0; i < growth->snapshots; i++)
        if (growth->accounts[kind][i] < 0)
            return NULL;
    return growth->accounts[kind];
}

static void
add_host_bytes(const lg_growth *growth, size_t lead, uint64_t *bytes)
{
    size_t each = (size_t)growth->devices + 1;
    for (size_t r = 0; r < growth->count; r++)
        for (uint32_t i = 0;
             growth->rows[r].lead == lead && i < growth->snapshots; i++)
            bytes[i] += growth->rows[r].bytes[i * each];
}

// Returns whether the row leads a leak of objects of some size.
static bool
is_shown(const lg_growth *growth, size_t row)
{
    const lg_growth_row *of = &growth->rows[row];
    return of->lead == row && !of->minor && of->verdict != LG_GROWTH_NATIVE &&
           of->verdict != LG_GROWTH_SETTLED;
}

static uint64_t *
add_area(const lg_growth *growth, lg_growth_areas *to, lg_area_kind kind,
         size_t row)
{
    uint64_t *bytes = to->bytes + to->count * growth->snapshots;
    to->items[to->count++] = (lg_growth_area){kind, row, bytes};
    return bytes;
}

// Other objects are what is left of all objects; a garbage row may count what
// the account of objects does not.
static void
fill(const lg_growth *growth, lg_growth_areas *to)
{
    const int64_t *objects = growth->accounts[LG_ACCOUNT_OBJECTS];
    uint64_t *others = add_area(growth, to, LG_AREA_OBJECTS, SIZE_MAX);
    for (size_t row = 0; row < growth->count && to->count <= LG_LEAK_AREAS;
         row++)
        if (is_shown(growth, row))
            add_host_bytes(growth, row,
                           add_area(growth, to, LG_AREA_LEAK, row));
    for (uint32_t i = 0; i < growth->snapshots; i++) {
        uint64_t leaks = 0;
        for (size_t area = 1; area < to->count; area++)
            leaks += to->items[area].bytes[i];
        others[i] = objects[i] > 0 && (uint64_t)objects[i] > leaks
                        ? (uint64_t)objects[i] - leaks
                        : 0;
    }
    to->rss = known_account(growth, LG_ACCOUNT_RSS);
    if (to->rss == NULL)
        return;
    size_t shown = to->count;
    uint64_t *rest = add_area(growth, to, LG_AREA_UNEXPLAINED, SIZE_MAX);
    for (uint32_t i = 0; i < growth->snapshots; i++) {
        uint64_t sum = 0;
        for (size_t area = 0; area < shown; area++)
            sum += to->items[area].bytes[i];
        rest[i] = (uint64_t)to->rss[i] > sum ? (uint64_t)to->rss[i] - sum : 0;
    }
}

lg_status
lg_growth_areas_find(const lg_growth *growth, lg_growth_areas *out,
                     lg_error *err)
{
    lg_growth_areas made = {0};
    made.bytes = lg__calloc((size_t)(LG_LEAK_AREAS + 2) *
                                (growth->snapshots + (size_t)1),
                            sizeof *made.bytes);
    if (made.bytes == NULL)
        return lg__error_memory(err);
    fill(growth, &made);
    *out = made;
    return LG_OK;
}

void
lg_growth_areas_free(lg_growth_areas *areas)
{
    lg__free(areas->bytes);
    *areas = (lg_growth_areas){0};
}
