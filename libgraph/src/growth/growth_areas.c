// Splits the memory of a process on the host into areas that add up: what the
// biggest leaks keep, all other objects, and what no object explains.
#include "growth/growth_comparison.h"

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
