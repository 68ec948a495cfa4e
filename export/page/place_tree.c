// Shows who owns the bytes as a tree: a row for each place, with what it holds
// indented below it, and how it changed.
#include "page/page_private.h"

#include <leakgraph/internal/hops.h>
#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>

#include <stdlib.h>

// Places that retain a smaller part of all bytes have no row, and neither do
// places below so many steps, or beyond so many rows.
enum { SHOWN_PART = 200, DEEPEST = 10, MOST_ROWS = 300 };

// The most values of an object in a row.
enum { VALUES = 3 };

// A place that has a row.
typedef struct branch {
    uint64_t total; // what it retains on all devices
    uint32_t place;
    uint32_t depth;
} branch;

typedef struct tree {
    lg__page *page;
    const lg_places *places;
    branch *kept; // the smallest first
    size_t count;
    branch *open; // rows to come, the next one last
    size_t open_count;
} tree;

void
lg__page_tree_begin(lg__page *page)
{
    lg_text_add(page->out, "<table class=\"tree\"><thead><tr>"
                           "<th scope=\"col\">place</th>"
                           "<th scope=\"col\" class=\"n\">retained</th>"
                           "<th scope=\"col\" class=\"n\">own</th>"
                           "<th scope=\"col\" class=\"n\">objects</th>");
    if (page->changes != NULL)
        lg_text_addf(page->out,
                     "<th scope=\"col\" class=\"n\">Δ objects</th>"
                     "<th scope=\"col\" class=\"n\">Δ bytes</th>"
                     "<th scope=\"col\" class=\"n\">%s</th>",
                     page->changes->each);
    lg_text_add(page->out, "</tr></thead><tbody>");
}

void
lg__page_tree_values(lg__page *page, lg_node node, const char *before)
{
    lg_text *out = page->out;
    lg_text values = {0};
    lg_node_values(page->graph, node, VALUES, &values);
    if (values.length > 0) {
        lg_text_addf(out, " <span class=\"values\">%s", before);
        lg_text_add_html(out, values.data, values.length);
        lg_text_add(out, "</span>");
    }
    out->failed |= values.failed;
    lg_text_free(&values);
}

static void
add_change(lg_text *out, int64_t number, bool bytes)
{
    lg_text_addf(out, "<td class=\"n\" data-v=\"%lld\">", (long long)number);
    lg_text_add_delta(out, number, bytes);
    lg_text_add(out, "</td>");
}

static void
add_changes(lg__page *page, const lg_thing *thing)
{
    lg_change change;
    if (!page->changes->find(page->changes, thing, &change)) {
        lg_text_add(page->out, "<td class=\"n\"></td><td class=\"n\"></td>"
                               "<td class=\"n\"></td>");
        return;
    }
    add_change(page->out, change.objects, false);
    add_change(page->out, change.bytes, true);
    add_change(page->out, change.each, true);
}

static void
add_number(lg_text *out, uint64_t number, bool bytes)
{
    lg_text_addf(out, "<td class=\"n\" data-v=\"%llu\">",
                 (unsigned long long)number);
    (bytes ? lg_text_add_size : lg_text_add_count)(out, number);
    lg_text_add(out, "</td>");
}

void
lg__page_tree_numbers(lg__page *page, lg_node node, uint64_t retained,
                      uint64_t own, uint64_t objects)
{
    const lg_thing thing = {.node = node, .bytes = retained};
    add_number(page->out, retained, true);
    add_number(page->out, own, true);
    add_number(page->out, objects, false);
    if (page->changes != NULL)
        add_changes(page, &thing);
}

// Adds up the bytes of a place on all devices.
static uint64_t
sum_of(const lg_places *places, const uint64_t *bytes)
{
    return lg_bytes_sum(bytes, (size_t)lg_places_device_count(places) + 1);
}

static uint64_t
total_of(const lg_places *places, uint32_t place)
{
    return sum_of(places, lg_places_at(places, place).retained);
}

static int
compare(const void *left, const void *right)
{
    const branch *a = left;
    const branch *b = right;
    if (a->total != b->total)
        return a->total < b->total ? -1 : 1;
    return a->place > b->place ? -1 : a->place < b->place;
}

// Keeps the places that are big enough.
static bool
keep_big(tree *to)
{
    uint32_t count = lg_places_count(to->places);
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; i++)
        if (lg_places_at(to->places, i).parent == LG_NONE)
            all += total_of(to->places, i);
    to->kept = malloc((count + (size_t)1) * sizeof *to->kept);
    to->open = malloc((count + (size_t)1) * sizeof *to->open);
    if (!to->kept || !to->open)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t total = total_of(to->places, i);
        if (total > 0 && total >= all / SHOWN_PART)
            to->kept[to->count++] = (branch){total, i, 0};
    }
    qsort(to->kept, to->count, sizeof *to->kept, compare);
    return true;
}

// Puts the places below a place before all other rows to come, the biggest
// next.
static void
open_below(tree *to, uint32_t place, uint32_t depth)
{
    for (size_t i = 0; i < to->count; i++)
        if (lg_places_at(to->places, to->kept[i].place).parent == place)
            to->open[to->open_count++] =
                (branch){to->kept[i].total, to->kept[i].place, depth};
}

static void
add_name(tree *to, const lg_place *place)
{
    lg_text name = {0};
    lg_place_step_format(place, &name);
    lg__page_link(to->page, place->example, &name);
    to->page->out->failed |= name.failed;
    lg_text_free(&name);
}

static void
add_row(tree *to, const branch *row)
{
    lg_text *out = to->page->out;
    lg_place place = lg_places_at(to->places, row->place);
    lg_text_addf(out, "<tr data-level=\"%u\"><td", row->depth + 1);
    if (row->depth > 0)
        lg_text_addf(out, " class=\"d%u\"", row->depth);
    lg_text_add(out, ">");
    add_name(to, &place);
    lg__page_tree_values(to->page, place.example,
                         place.members > 1 ? "such as " : "");
    lg_text_add(out, "</td>");
    lg__page_tree_numbers(to->page, place.example, row->total,
                          sum_of(to->places, place.own), place.members);
    lg_text_add(out, "</tr>");
}

static void
add_rows(tree *to)
{
    open_below(to, LG_NONE, 0);
    for (size_t rows = 0; to->open_count > 0 && rows < MOST_ROWS; rows++) {
        const branch row = to->open[--to->open_count];
        add_row(to, &row);
        if (row.depth + 1 < DEEPEST)
            open_below(to, row.place, row.depth + 1);
    }
}

lg_status
lg__page_write_tree(lg__page *page, lg_error *err)
{
    tree to = {.page = page, .places = page->places};
    lg_text *out = page->out;
    bool enough = keep_big(&to);
    if (enough) {
        lg_text_addf(out,
                     "<p class=\"note\">Places that retain at least %g %% of "
                     "all bytes, each below the one that holds it; ~ stands "
                     "for several paths.</p>"
                     "<div class=\"table\" tabindex=\"0\">",
                     100.0 / SHOWN_PART);
        lg__page_tree_begin(page);
        add_rows(&to);
        lg_text_add(out, "</tbody></table></div>");
    }
    free(to.kept);
    free(to.open);
    return enough ? LG_OK : lg_error_set(err, LG_ENOMEM, "memory ran out");
}
