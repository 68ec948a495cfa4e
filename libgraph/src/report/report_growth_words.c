// Words a comparison: what grows, who holds it, how fast, and the series of its
// numbers and bytes.
#include "growth/growth_private.h"
#include "report/report_growth_facts.h"

#include <leakgraph/internal/wording.h>

#include <string.h>

// Writes `idle in the last 2 intervals`.
static void
format_idle(uint32_t idle, lg_text *out)
{
    if (idle == 1) {
        lg_text_add(out, "idle in the last interval");
        return;
    }
    lg_text_add(out, "idle in the last ");
    lg_text_add_count(out, idle);
    lg_text_add(out, " intervals");
}

void
lg_growth_degree_format(const lg_growth_row *row, lg_text *out)
{
    static const char *const texts[LG_GROWTH_DEGREE_COUNT] = {
        [LG_GROWTH_SLOWING] = "slowing",
        [LG_GROWTH_IN_BURSTS] = "in bursts",
        [LG_GROWTH_LATE] = "only in the last interval",
    };
    if (row->degree == LG_GROWTH_IDLE)
        format_idle(row->idle, out);
    else if (texts[row->degree] != NULL)
        lg_text_add(out, texts[row->degree]);
}

const char *
lg_growth_caveat(const lg_growth *growth)
{
    return growth->snapshots == 2
               ? "two snapshots cannot tell a leak from memory that is "
                 "allocated once"
               : NULL;
}

void
lg_growth_rate_format(const lg_growth *growth, double rate, lg_text *out)
{
    lg_text_add_change(out, rate);
    lg_text_addf(out, " %s", lg_growth_unit_text(growth->unit));
}

static lg_string
string_of(const lg_text *text)
{
    return (lg_string){text->length > 0 ? text->data : "",
                       (uint32_t)text->length};
}

static void
format_example_holder(const lg_growth *growth, const lg_graph *graph,
                      const lg_growth_row *row, lg_text *out)
{
    if (row->verdict == LG_GROWTH_NATIVE && row->place == LG_NONE)
        lg_text_add(out, lg_native_kind_text(row->native));
    else if (row->path.start != LG_STARTS_NOWHERE && graph != NULL)
        lg__format_folded_path(graph, &row->path, out);
    else if (row->place != LG_NONE)
        lg_place_format(growth->places, row->place, out);
}

// Returns the label of the place that contains the members of this one.
static lg_string
label_above(const lg_places *places, uint32_t place)
{
    const lg__place_item *item = lg__place_at(places, place);
    return item->kind == LG_PLACE_ITEM && item->parent != LG_NONE
               ? lg__places_text(places,
                                 lg__place_at(places, item->parent)->label)
               : (lg_string){"", 0};
}

// Writes `._modules` if the members of a row are in that dict of a
// torch.nn.Module, and likewise of its other dicts. The place of a dict has no
// name if something else refers to the dict, too; then the path tells.
static void
find_dict_of_parts(const lg_growth *growth, const lg_graph *graph,
                   const lg_growth_row *row, lg_text *out)
{
    static const char *const labels[] = {"._modules", "._parameters",
                                         "._buffers"};
    lg_string label = label_above(growth->places, row->place);
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (lg__string_is(label, labels[i]))
            lg_text_add(out, labels[i]);
    if (out->length == 0 && graph != NULL && row->path.count > 1 &&
        !lg__hop_opens_parts(graph, &row->path.hops[row->path.count - 2], out))
        out->length = 0;
}

// Returns where the last step of a path begins, or NULL.
static char *
find_last_step(const lg_text *path)
{
    char *name = path->length > 0 ? strrchr(path->data, '.') : NULL;
    char *item = path->length > 0 ? strrchr(path->data, '[') : NULL;
    return name > item ? name : item;
}

// A module's part has its name as if it were an attribute: `model.tenant_17`.
// The name of one is not that of all that accumulate: `model._modules[*]`.
static void
name_all_parts(const lg_text *dict, lg_text *out)
{
    const char *step = find_last_step(out);
    if (dict->length == 0 || step == NULL || strcmp(step, "[*]") == 0 ||
        strchr(step, ' ') != NULL)
        return;
    out->length = (size_t)(step - out->data);
    lg_text_addf(out, "%s[*]", dict->data);
}

// Returns whether the example of a row stands for others.
static bool
has_several(const lg_growth *growth, const lg_growth_row *row)
{
    return row->verdict == LG_GROWTH_ACCUMULATES ||
           lg__place_at(growth->places, row->place)->members > 1;
}

// A number that is in the name of the example, but not in that of its place, is
// not that of all members: `app.req_*`.
static void
name_all_numbers(const lg_places *places, uint32_t place, lg_text *out)
{
    lg_text steps = {0};
    lg_place_format(places, place, &steps);
    if (lg__string_fits(string_of(out), string_of(&steps))) {
        out->length = 0;
        lg_text_add_bytes(out, steps.data, steps.length);
    }
    out->failed |= steps.failed;
    lg_text_free(&steps);
}

void
lg__format_growth_holder(const lg_growth *growth, const lg_graph *graph,
                         const lg_growth_row *row, lg_text *out)
{
    lg_text holder = {0};
    lg_text dict = {0};
    format_example_holder(growth, graph, row, &holder);
    if (row->verdict == LG_GROWTH_ACCUMULATES && row->place != LG_NONE) {
        find_dict_of_parts(growth, graph, row, &dict);
        name_all_parts(&dict, &holder);
    }
    if (row->place != LG_NONE && has_several(growth, row))
        name_all_numbers(growth->places, row->place, &holder);
    lg_text_add(out, holder.length > 0 ? holder.data : "");
    out->failed |= holder.failed || dict.failed;
    lg_text_free(&holder);
    lg_text_free(&dict);
}

// Returns the last part of the type's name, or which function, class or method
// the members are.
static lg_string
name_of(const lg_growth *growth, const lg_growth_row *row)
{
    lg_string title = lg__place_title(growth->places, row->place);
    return title.length > 0 ? title : lg__last_part(row->type);
}

// Writes what a row counts: `Session`, and of one module `module pandas`,
// unless the module itself is where the row is.
static void
add_name(const lg_growth *growth, const lg_growth_row *row, lg_text *out)
{
    lg_place place = {.label = {"", 0}};
    if (row->place != LG_NONE && row->path.count > 0 &&
        lg__string_is(row->type, "module"))
        place = lg_places_at(growth->places, row->place);
    lg__text_add_string(out, name_of(growth, row));
    if (place.members == 1 && place.label.length > 0) {
        lg_text_add(out, " ");
        lg__text_add_string(out, place.label);
    }
}

// Writes ` with Queue, Thread and 5 more`.
static void
format_companions(const lg_growth_row *row, lg_text *out)
{
    uint32_t named =
        row->companions < LG_COMPANIONS ? row->companions : LG_COMPANIONS;
    for (uint32_t i = 0; i < named; i++) {
        bool last = i + 1 == named && named == row->companions;
        lg_text_add(out, i == 0 ? " with " : last ? " and " : ", ");
        lg__text_add_string(out, lg__last_part(row->companion[i]));
    }
    if (row->companions > named)
        lg_text_addf(out, " and %u more", row->companions - named);
}

// Writes `fills: 120 elements leave after 300 s (seen for 60 s), about 12.0 MiB
// then`.
static void
format_lifetime(const lg_growth_row *row, lg_text *out)
{
    lg_text_add(out, "fills: ");
    lg_text_add_count(out, row->filled);
    lg_text_addf(out, " elements, which leave after %.4g s", row->lifetime);
    lg_text_addf(out, " (seen for %.3g s), about ", row->observed);
    lg_text_add_size(out, row->at_limit);
    lg_text_add(out, " then");
}

// Writes `fills: 120 of 1,024, 200 MiB at its limit`, or, if it has not grown
// in the last interval, `settled: 120 of 1,024`.
static void
format_limit(const lg_growth *growth, const lg_growth_row *row, lg_text *out)
{
    uint32_t last = growth->snapshots - 1;
    bool fills = row->degree == LG_GROWTH_FILLING ||
                 row->counts[last] > row->counts[last - 1];
    if (fills && row->lifetime > 0) {
        format_lifetime(row, out);
        return;
    }
    lg_text_add(out, fills ? "fills: " : "settled: ");
    lg_text_add_count(out, row->filled);
    lg_text_add(out, " of ");
    lg_text_add_count(out, row->limit);
    if (!fills)
        return;
    lg_text_add(out, ", ");
    lg_text_add_size(out, row->at_limit);
    lg_text_add(out, " at its limit");
}

static void
format_verdict(const lg_growth *growth, const lg_growth_row *row, lg_text *out)
{
    lg_text degree = {0};
    lg_text_add(out, " ");
    if (row->limit > 0 && row->degree >= LG_GROWTH_FILLING) {
        format_limit(growth, row, out);
        return;
    }
    lg_text_add(out, lg_growth_verdict_name(row->verdict));
    lg_growth_degree_format(row, &degree);
    if (degree.length > 0)
        lg_text_addf(out, ", %s", degree.data);
    lg_text_free(&degree);
}

// Writes `, in step with sqlite3.Connection: probably 150 KiB each`, or, of
// these objects, `, each probably with 2.24 KiB of native memory`. Of lost
// memory it also says where the objects are that lose it.
static void
format_in_step(const lg_growth *growth, const lg_growth_row *row, lg_text *out)
{
    if (row->each_in_step == 0)
        return;
    if (row->in_step.length == 0) {
        lg_text_add(out, ", each probably with ");
        lg_text_add_size(out, row->each_in_step);
        lg_text_add(out, " of native memory");
        return;
    }
    lg_text_add(out, ", in step with ");
    lg__text_add_string(out, row->in_step);
    if (row->losers != LG_NONE) {
        lg_text_add(out, " in ");
        lg_place_format(growth->places, row->losers, out);
    }
    if (row->rivals > 0)
        lg_text_addf(out, ", as %u other type%s: perhaps ", row->rivals,
                     row->rivals == 1 ? " is" : "s are");
    else
        lg_text_add(out, ": probably ");
    lg_text_add_size(out, row->each_in_step);
    lg_text_add(out, " each");
}

// Writes the native memory of one member, which is about that of each.
static void
format_blocks(const lg_growth_row *row, lg_text *out)
{
    if (row->blocks == 0 || row->verdict != LG_GROWTH_ACCUMULATES)
        return;
    lg_text_add(out, ", each with about ");
    lg_text_add_size(out, row->blocks_bytes);
    lg_text_add(out, " of native memory in ");
    lg_text_add_count(out, row->blocks);
    lg_text_add(out, row->blocks == 1 ? " block" : " blocks");
}

// Writes how many containers there are like the one that the row names, unless
// the row that leads names all that must let go.
static void
format_alike(const lg_growth *growth, const lg_growth_row *row, lg_text *out)
{
    bool named =
        row->freed != NULL ||
        (row->lead < growth->count && growth->rows[row->lead].holder_count > 0);
    uint64_t alike = row->verdict == LG_GROWTH_ACCUMULATES && !named
                         ? lg__place_alike(growth->places, row->place)
                         : 1;
    if (alike < 2)
        return;
    lg_text_add(out, " (there are ");
    lg_text_add_count(out, alike);
    lg_text_add(out, " such containers)");
}

void
lg__format_growth_what(const lg_growth *growth, const lg_growth_row *row,
                       lg_text *out)
{
    if (row->verdict == LG_GROWTH_NATIVE) {
        lg_text_add(out, lg__native_kind_what(row->native));
        format_in_step(growth, row, out);
        return;
    }
    add_name(growth, row, out);
    if (row->types > 1)
        lg_text_addf(out, " and %u more", row->types - 1);
    format_verdict(growth, row, out);
    if (row->reason != LG_GROWTH_NO_REASON)
        lg_text_addf(out, ": %s", lg_growth_reason_text(row->reason));
    if (row->finding != LG_NONE) {
        lg_text_add(out, " (");
        lg__text_add_string(out, growth->tallies[row->finding].name);
        lg_text_add(out, ")");
    }
    format_companions(row, out);
    format_blocks(row, out);
    format_alike(growth, row, out);
    format_in_step(growth, row, out);
}

// Writes `100 → 200 → 300 objects`, or once what stays the same.
static void
format_objects(const lg_growth *growth, const lg_growth_row *row, lg_text *out)
{
    const uint64_t *counts = row->counts;
    bool same = true;
    for (uint32_t i = 1; i < growth->snapshots; i++)
        same &= counts[i] == counts[0];
    lg__format_series(counts, same ? 1 : growth->snapshots, out);
    lg_text_add(out, same && counts[0] == 1 ? " object" : " objects");
}

// Writes gained bytes by device; if something lost bytes on a device, their
// sum.
static void
format_gained(const lg_growth *growth, const lg_growth_row *row, lg_text *out)
{
    size_t each = (size_t)growth->devices + 1;
    const uint64_t *last = row->bytes + (growth->snapshots - 1) * each;
    bool lost = row->gained < 0;
    bool any = false;
    for (size_t i = 0; i < each; i++)
        lost |= last[i] < row->bytes[i];
    if (lost) {
        lg_text_add_change(out, (double)row->gained);
        return;
    }
    lg_text_add(out, "+");
    for (size_t i = 1; i < each; i++)
        lg__text_add_part(out, last[i] - row->bytes[i], growth->device_names[i],
                          &any);
    lg__text_add_host(out, last[0] - row->bytes[0], growth->device_names[0],
                      any);
}

void
lg_growth_row_format(const lg_growth *growth, const lg_graph *newest,
                     const lg_growth_row *row, lg_text *out)
{
    const char *caveat = lg_growth_caveat(growth);
    lg__format_growth_holder(growth, newest, row, out);
    lg_text_add(out, ": ");
    lg__format_growth_what(growth, row, out);
    lg_text_add(out, ", ");
    if (row->verdict != LG_GROWTH_NATIVE) {
        format_objects(growth, row, out);
        lg_text_add(out, ", ");
    }
    format_gained(growth, row, out);
    if (caveat != NULL) {
        lg_text_addf(out, "; %s", caveat);
        return;
    }
    lg_text_add(out, " in all, ");
    lg_growth_rate_format(growth, lg_growth_rate(growth, row), out);
}

void
lg__format_growth_things(const lg_growth *growth, const lg_growth_row *row,
                         lg_text *out)
{
    if (row->verdict != LG_GROWTH_ACCUMULATES) {
        lg__format_growth_what(growth, row, out);
        return;
    }
    lg_text_add_count(out, row->counts[growth->snapshots - 1]);
    lg_text_add(out, " ");
    add_name(growth, row, out);
    if (row->types > 1)
        lg_text_addf(out, " and %u more", row->types - 1);
    if (row->finding != LG_NONE) {
        lg_text_add(out, " (");
        lg__text_add_string(out, growth->tallies[row->finding].name);
        lg_text_add(out, ")");
    }
    format_companions(row, out);
    if (row->degree != LG_GROWTH_STEADY)
        lg_text_add(out, ", ");
    lg_growth_degree_format(row, out);
}

void
lg__format_keeper(const lg_graph *graph, const lg_growth_holder *holder,
                  lg_text *out)
{
    if (holder->count > 1)
        lg__format_folded_path(graph, &holder->path, out);
    else
        lg_path_label(graph, &holder->path, out);
}

// Writes the references that differ in their numbers as the row does:
// `app.req_*`.
static void
format_keeper_of(const lg_growth *growth, const lg_graph *graph,
                 const lg_growth_row *row, const lg_growth_holder *holder,
                 lg_text *out)
{
    lg_text path = {0};
    lg_text name = {0};
    lg__format_keeper(graph, holder, &path);
    lg__format_growth_holder(growth, graph, row, &name);
    bool numbered = holder->count > 1 &&
                    lg__string_fits(string_of(&path), string_of(&name));
    out->failed |= path.failed || name.failed;
    lg__text_add_string(out, string_of(numbered ? &name : &path));
    lg_text_free(&path);
    lg_text_free(&name);
}

// Writes `empty app.sessions (frees 1.08 MiB alone)`, and the most of many.
// What only one holder has needs no number of its own.
static void
format_keepers(const lg_growth *growth, const lg_graph *graph,
               const lg_growth_row *row, bool empties, lg_text *out)
{
    enum { MOST = 4 };
    size_t told = 0;
    size_t all = 0;
    for (size_t i = 0; i < row->holder_count; i++)
        all += row->holders[i].empties == empties;
    for (size_t i = 0; i < row->holder_count; i++) {
        const lg_growth_holder *holder = &row->holders[i];
        if (holder->empties != empties)
            continue;
        if (told == MOST && all > MOST + 1) {
            lg_text_addf(out, " and %zu more", all - told);
            return;
        }
        lg_text_add(out, told == 0         ? empties ? "empty " : "cut "
                         : told + 1 == all ? " and "
                                           : ", ");
        format_keeper_of(growth, graph, row, holder, out);
        if (holder->count > 1) {
            lg_text_add(out, ", ");
            lg_text_add_count(out, holder->count);
            lg_text_add(out, empties ? " of them" : " references");
        }
        if (row->holder_count > 1) {
            lg_text_add(out, " (frees ");
            lg_text_add_sizes(out, growth->device_names, holder->alone,
                              (size_t)growth->devices + 1);
            lg_text_add(out, " alone)");
        }
        told++;
    }
}

// Returns what helps if only a registry of the interpreter or of a future holds
// the members: no program empties that, or cuts what it refers to.
static const char *
fix_of_registry(const lg_growth *growth, const lg_growth_row *row)
{
    if (row->holder_count != 1 || row->finding == LG_NONE)
        return NULL;
    const lg_growth_tally *finding = &growth->tallies[row->finding];
    const lg_pattern *pattern = lg_pattern_find(finding->name);
    return finding->detail.length > 0 && pattern != NULL &&
                   lg__string_is(finding->name, "event-handlers") &&
                   !lg__string_is(finding->detail, LG_REGISTRY_OF_FUNCTIONS)
               ? lg_pattern_fix(pattern, finding->detail)
               : NULL;
}

void
lg__format_growth_cut(const lg_growth *growth, const lg_graph *graph,
                      const lg_growth_row *row, lg_text *out)
{
    lg_text cut = {0};
    if (row < growth->rows || row >= growth->rows + growth->count)
        return;
    const lg_growth_row *lead = &growth->rows[row->lead];
    if (graph == NULL || lead->holder_count == 0)
        return;
    if (lead != row) {
        lg_text_add(out, "goes with ");
        lg__text_add_string(out, name_of(growth, lead));
        lg_text_add(out, " above");
        return;
    }
    const char *fix = fix_of_registry(growth, row);
    lg_text_add_sizes(out, growth->device_names, row->freed,
                      (size_t)growth->devices + 1);
    if (fix != NULL) {
        lg_text_add(out, ". ");
        lg_text_add(out, fix);
        return;
    }
    lg_text_add(out, ": ");
    format_keepers(growth, graph, row, true, out);
    format_keepers(growth, graph, row, false, &cut);
    if (cut.length > 0 && out->data[out->length - 1] != ' ')
        lg_text_add(out, ", and ");
    lg_text_add_bytes(out, cut.data != NULL ? cut.data : "", cut.length);
    if (lead->threads_end)
        lg_text_add(out, "; their threads end then, and free the rest");
    else if (lg_growth_shared(growth, row) > 0)
        lg_text_add(out, "; something else holds the rest, too");
    out->failed |= cut.failed;
    lg_text_free(&cut);
}

// Most numbers of a series to show. A longer one loses its middle.
enum { SERIES_SHOWN = 6 };

void
lg__format_series(const uint64_t *numbers, uint32_t count, lg_text *out)
{
    for (uint32_t i = 0; i < count; i++) {
        lg_text_add(out, i > 0 ? " → " : "");
        if (count > SERIES_SHOWN && i == SERIES_SHOWN / 2) {
            lg_text_add(out, "… → ");
            i = count - SERIES_SHOWN / 2;
        }
        lg_text_add_count(out, numbers[i]);
    }
}

void
lg__put_sizes(lg_table *table, size_t column, const lg_growth *growth,
              const uint64_t *bytes)
{
    static const lg__column columns[] = {
        {.type = LG_COLUMN_SIZE},
    };
    size_t each = (size_t)growth->devices + 1;
    lg_table *list = lg__put_table(table, column, columns, 1);
    for (size_t i = 0; i < growth->snapshots; i++) {
        lg__table_row(list);
        lg__put_each(list, 0, bytes + i * each);
    }
}

typedef struct gain {
    const uint64_t *first;
    const uint64_t *last;
} gain;

// Returns gained bytes. Something may lose bytes on one device while it gains
// on another.
static uint64_t
gained_on(const void *context, uint32_t device)
{
    const gain *of = context;
    uint64_t first = of->first[device];
    return of->last[device] > first ? of->last[device] - first : 0;
}

void
lg__put_gain(lg_table *table, size_t column, const lg_growth *growth,
             const uint64_t *bytes)
{
    size_t last = (growth->snapshots - 1) * ((size_t)growth->devices + 1);
    const gain of = {bytes, bytes + last};
    lg__put_vector(table, column, gained_on, &of);
}
