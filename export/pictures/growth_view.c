// Draws what grows: a tree of the places that lead from the roots to each row,
// and the row's series.

#include "pick/pick_private.h"
#include "view/view_private.h"

#include <leakgraph/internal/options.h>
#include <leakgraph/internal/growth.h>
#include <leakgraph/internal/answer_views.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>

#include <stdlib.h>
#include <string.h>

#define MOST_ROWS 12u
#define MOST_STEPS 24u // steps of a way that are drawn
#define SPARKS 16u

typedef struct growth_view {
    const lg_growth *growth;
    lg_view *view;
    size_t *at; // [places] 1 + the index of the box; 0: none yet
} growth_view;

// Draws a small chart of the numbers, from zero to the greatest.
static void
add_spark(const uint64_t *numbers, uint32_t count, lg_text *out)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    uint64_t most = 1;
    for (uint32_t i = 0; i < count; i++)
        most = numbers[i] > most ? numbers[i] : most;
    for (uint32_t i = count > SPARKS ? count - SPARKS : 0; i < count; i++)
        lg_text_add(out,
                    bars[(size_t)(7.0 * (double)numbers[i] / (double)most)]);
}

// Writes the first and last numbers: the chart shows those between.
static void
add_ends(const uint64_t *numbers, uint32_t count,
         void (*add)(lg_text *text, uint64_t number), lg_text *out)
{
    add(out, numbers[0]);
    lg_text_add(out, " → ");
    add(out, numbers[count - 1]);
}

// Writes `▂▅█ 100 → 300 · +939 B per step · loss-history`.
static lg_status
describe(const lg_growth *growth, const lg_growth_row *row, double rate,
         lg_text *out, lg_error *err)
{
    uint64_t *series = calloc(growth->snapshots, sizeof *series);
    if (!series)
        return lg__view_no_memory(err);
    bool counted = lg_growth_series(growth, row, series);
    add_spark(series, growth->snapshots, out);
    lg_text_add(out, " ");
    add_ends(series, growth->snapshots,
             counted ? lg_text_add_count : lg_text_add_size, out);
    free(series);
    lg_text_add(out, " · ");
    lg_growth_rate_format(growth, rate, out);
    if (row->finding == LG_NONE)
        return LG_OK;
    lg_text_add(out, " · ");
    lg_text_add_bytes(out, growth->tallies[row->finding].name.data,
                      growth->tallies[row->finding].name.length);
    return LG_OK;
}

static void
add_last_part(lg_string name, lg_text *out)
{
    size_t start = name.length;
    while (start > 0 && name.data[start - 1] != '.')
        start--;
    lg_text_add_bytes(out, name.data + start, name.length - start);
}

static void
add_title(const lg_place *place, lg_text *out)
{
    bool root = place->parent == LG_NONE;
    if (place->members > 1) {
        lg_text_add_count(out, place->members);
        lg_text_add(out, " ");
    }
    add_last_part(place->type, out);
    if (root && place->label.length > 0) {
        lg_text_add(out, " ");
        lg_text_add_bytes(out, place->label.data, place->label.length);
    }
}

static void
weigh(const growth_view *picture, const uint64_t *retained,
      lg__view_node *drawn)
{
    lg_view *view = picture->view;
    size_t each = (size_t)lg_places_device_count(picture->growth->places) + 1;
    uint64_t *bytes = lg__view_make_retained(view, drawn);
    if (!bytes)
        return;
    for (size_t on = 0; on < each; on++) {
        bytes[on] = retained[on];
        drawn->weight += retained[on];
    }
    lg_text_add_sizes(&drawn->retained_label, picture->growth->device_names,
                      bytes, each);
}

static lg_status
draw_place(growth_view *picture, uint32_t index, uint32_t depth, lg_error *err)
{
    size_t at;
    lg_place place = lg_places_at(picture->growth->places, index);
    lg_status status = lg__view_add_node(
        picture->view, place.members > 1 ? LG__VIEW_GROUP : LG__VIEW_OBJECT,
        &at, err);
    if (status)
        return status;
    lg__view_node *drawn = &picture->view->nodes[at];
    drawn->node = LG_NONE;
    drawn->depth = depth;
    drawn->category = lg_place_category(picture->growth->places, index, NULL);
    drawn->count = place.members;
    drawn->unreached = place.kind == LG_PLACE_GARBAGE;
    if (place.parent == LG_NONE && drawn->category == LG_CATEGORY_MODULE)
        lg_text_add(&drawn->root, "module");
    add_title(&place, &drawn->title);
    lg_text_add_bytes(&drawn->type, place.type.data, place.type.length);
    weigh(picture, place.retained, drawn);
    picture->at[index] = at + 1;
    return LG_OK;
}

static void
add_label(const lg_place *place, lg_text *out)
{
    if (place->kind == LG_PLACE_ITEM)
        lg_text_add(out, "[*]");
    else if (place->kind == LG_PLACE_KEY)
        lg_text_add(out, "key");
    else if (place->label.length > 0)
        lg_text_add_bytes(out, place->label.data, place->label.length);
    else
        lg_text_add(out, "several ways");
}

static lg_status
join(growth_view *picture, uint32_t from, uint32_t to, bool way, lg_error *err)
{
    lg__view_edge *edge;
    lg_place place = lg_places_at(picture->growth->places, to);
    lg_status status = lg__view_add_edge(picture->view, picture->at[from] - 1,
                                         picture->at[to] - 1, &edge, err);
    if (status)
        return status;
    edge->kind = LG_EDGE_ATTRIBUTE;
    edge->count = place.members;
    edge->tone = way ? LG__TONE_PATH : LG__TONE_PLAIN;
    add_label(&place, &edge->label);
    return LG_OK;
}

// Draws the part of the way from the root to a place that is not drawn yet.
static lg_status
draw_way(growth_view *picture, uint32_t place, bool first, lg_error *err)
{
    uint32_t way[MOST_STEPS];
    size_t length = 0;
    uint32_t depth = 0;
    uint32_t at = place;
    lg_status status = LG_OK;
    for (; at != LG_NONE && !picture->at[at] && length < MOST_STEPS;
         at = lg_places_at(picture->growth->places, at).parent)
        way[length++] = at;
    bool joined = at != LG_NONE && picture->at[at];
    if (joined)
        depth = picture->view->nodes[picture->at[at] - 1].depth + 1;
    for (size_t i = length; i-- > 0 && !status; depth++) {
        status = draw_place(picture, way[i], depth, err);
        if (!status && (joined || i + 1 < length))
            status = join(picture, i + 1 < length ? way[i + 1] : at, way[i],
                          first, err);
    }
    return status;
}

static lg_status
draw_native(growth_view *picture, const lg_growth_row *row, size_t *at,
            lg_error *err)
{
    lg_status status =
        lg__view_add_node(picture->view, LG__VIEW_OBJECT, at, err);
    if (status)
        return status;
    lg__view_node *drawn = &picture->view->nodes[*at];
    drawn->node = LG_NONE;
    drawn->category = LG_CATEGORY_OTHER;
    lg_text_add(&drawn->title, lg_native_kind_text(row->native));
    return LG_OK;
}

// Says that a place has members of other types, too: `600 Tensor and 1 more`.
static void
add_types(const lg_growth_row *row, lg__view_node *drawn)
{
    if (row->types > 1)
        lg_text_addf(&drawn->title, " and %u more", row->types - 1);
}

static lg_status
draw_row(growth_view *picture, const lg_growth_row *row, bool first,
         lg_error *err)
{
    size_t at;
    lg_status status;
    if (row->verdict != LG_GROWTH_NATIVE && row->place != LG_NONE) {
        status = draw_way(picture, row->place, first, err);
        at = status ? 0 : picture->at[row->place] - 1;
    } else {
        status = draw_native(picture, row, &at, err);
    }
    if (status)
        return status;
    lg__view_node *drawn = &picture->view->nodes[at];
    drawn->subject = true;
    add_types(row, drawn);
    return describe(picture->growth, row, lg_growth_rate(picture->growth, row),
                    &drawn->detail, err);
}

// Adds the note, whose lines end each with a line break.
static void
add_note(lg_view *view, const lg_growth *growth)
{
    size_t length = growth->note ? strlen(growth->note) : 0;
    if (length == 0)
        return;
    if (view->note.length > 0)
        lg_text_add(&view->note, "\n");
    lg_text_add_bytes(&view->note, growth->note, length - 1);
}

// Says what the bars of the charts are.
static void
add_axis(const lg_growth *growth, lg_text *out)
{
    uint32_t first =
        growth->snapshots > SPARKS ? growth->snapshots - SPARKS : 0;
    if (!growth->has_steps)
        return;
    lg_text_add(out, "\nbars: from step ");
    lg_text_add_fixed(out, growth->steps[first], 0);
    lg_text_add(out, " to ");
    lg_text_add_fixed(out, growth->steps[growth->snapshots - 1], 0);
    lg_text_add(out, ", from zero");
}

static void
add_words(lg_view *view, const lg_growth *growth)
{
    const char *caveat = lg_growth_caveat(growth);
    lg_growth_headline(growth, &view->headline);
    if (lg_growth_growing(growth) > 0) {
        lg_text_add(&view->note, "boxes are places in the newest snapshot; "
                                 "thick: the way to what gained the most");
        add_axis(growth, &view->note);
        if (caveat)
            lg_text_addf(&view->note, "\n%s", caveat);
    }
    add_note(view, growth);
}

static lg_status
name_devices(lg_view *view, const lg_growth *growth, lg_error *err)
{
    view->devices = calloc((size_t)growth->devices + 1, sizeof *view->devices);
    if (!view->devices)
        return lg__view_no_memory(err);
    view->device_count = growth->devices;
    for (uint32_t i = 0; i <= growth->devices; i++)
        lg_text_add_bytes(&view->devices[i], growth->device_names[i].data,
                          growth->device_names[i].length);
    return LG_OK;
}

static lg_status
draw(growth_view *picture, lg_error *err)
{
    const lg_growth *growth = picture->growth;
    uint32_t count = lg_places_count(growth->places);
    lg_status status = name_devices(picture->view, growth, err);
    picture->at = calloc((size_t)count + 1, sizeof *picture->at);
    if (!picture->at)
        return lg__view_no_memory(err);
    for (size_t i = 0; i < growth->count && i < MOST_ROWS && !status; i++)
        status = draw_row(picture, &growth->rows[i], i == 0, err);
    if (status)
        return status;
    add_words(picture->view, growth);
    return lg__view_settle(picture->view, err);
}

lg_status
lg_view_growth(const lg_growth *growth, lg_view **out, lg_error *err)
{
    growth_view picture = {.growth = growth,
                           .view = calloc(1, sizeof *picture.view)};
    if (!picture.view)
        return lg__view_no_memory(err);
    picture.view->direction = LG_REFS;
    picture.view->form = LG__VIEW_GROWTH;
    picture.view->weighed = true;
    lg_status status = draw(&picture, err);
    free(picture.at);
    if (status)
        lg_view_free(picture.view);
    else
        *out = picture.view;
    return status;
}

// A leak is drawn by its holders. Containers of one place that are too many to
// have a path each are one box, and so is every place above them that has
// several members: the path to one of them is drawn as far as it leads to all.
// So everything that the headline counts is orange.

enum { HOLDERS = 6, PATH_NODES = 7, LEAK_NODES = 40 };

typedef struct leak_view {
    const lg_growth *growth;
    const lg_growth_row *row;
    lg__view_picker picker;
    growth_view places;  // boxes of what a path to one does not show
    size_t members;      // index of their box
    uint64_t references; // that are orange
    uint64_t objects;    // that are orange
} leak_view;

// Draws the box of all members of the row that leads the leak.
static lg_status
draw_members(leak_view *picture, lg_error *err)
{
    const lg_growth *growth = picture->growth;
    const lg_growth_row *row = picture->row;
    lg_view *view = picture->picker.view;
    uint64_t count = row->counts[growth->snapshots - 1];
    lg_status status =
        lg__view_add_node(view, count > 1 ? LG__VIEW_GROUP : LG__VIEW_OBJECT,
                          &picture->members, err);
    if (status)
        return status;
    lg__view_node *drawn = &view->nodes[picture->members];
    drawn->node = LG_NONE;
    drawn->category = lg__picker_category(&picture->picker, row->node);
    drawn->count = count;
    drawn->subject = true;
    lg_text_add_count(&drawn->title, count);
    lg_text_add(&drawn->title, " ");
    lg__picker_name_type(
        &picture->picker,
        lg_columns_type(lg_graph_columns(picture->picker.graph), row->node),
        &drawn->title);
    add_types(row, drawn);
    lg_text_add_bytes(&drawn->type, row->type.data, row->type.length);
    double rate = lg_growth_leak_rate(growth, (size_t)(row - growth->rows));
    return describe(growth, row, rate, &drawn->detail, err);
}

// Returns the hop of a path that leaves the holder, or one like it: as far from
// the root, and of the same type.
static size_t
find_holder(const leak_view *picture, const lg_growth_holder *holder,
            const lg_path *path)
{
    const lg_columns *columns = lg_graph_columns(picture->picker.graph);
    size_t deep = holder->path.count;
    for (size_t i = 0; i < path->count; i++)
        if (path->hops[i].source == holder->node)
            return i;
    return deep < path->count &&
                   lg_columns_type(columns, path->hops[deep].source) ==
                       lg_columns_type(columns, holder->node)
               ? deep
               : path->count;
}

// Writes what leads from the holder to its members: `[*].__self__`.
static bool
add_rest(const leak_view *picture, const lg_growth_holder *holder,
         const lg_path *path, lg_text *out)
{
    size_t at = find_holder(picture, holder, path);
    for (size_t i = at; i < path->count; i++) {
        lg_text label = {0};
        bool key =
            lg__hop_kind(&picture->picker, &path->hops[i]) == LG_EDGE_KEY;
        lg_hop_label(picture->picker.graph, &path->hops[i], &label);
        lg_text_add(out, key                                        ? "key"
                         : label.length > 0 && label.data[0] == '[' ? "[*]"
                         : label.length > 0                         ? label.data
                                                                    : "");
        lg_text_free(&label);
    }
    return at < path->count;
}

static void
label_members(const leak_view *picture, const lg_growth_holder *holder,
              lg_text *out)
{
    const lg_growth_row *row = picture->row;
    bool found = add_rest(picture, holder, &row->path, out);
    for (size_t i = 0; i < row->other_count && !found; i++)
        found = add_rest(picture, holder, &row->others[i], out);
    if (!found)
        lg_text_add(out, "…");
}

// Draws a path, and gives the box at its end.
static lg_status
draw_path(leak_view *picture, const lg_path *path, size_t *at, lg_error *err)
{
    lg__view_picker *picker = &picture->picker;
    lg_status status =
        lg__picker_draw_path(picker, path, NULL, PATH_NODES, err);
    if (!status)
        *at = lg__picker_find(picker, path->count > 0
                                          ? path->hops[path->count - 1].target
                                          : path->root.node);
    return status;
}

// Draws one box for all members of a place, to one of which the path leads.
static lg_status
draw_all_of(leak_view *picture, uint32_t place, lg_path path, size_t *at,
            lg_error *err)
{
    growth_view *boxes = &picture->places;
    const lg_places *places = picture->growth->places;
    uint32_t above = place;
    lg_status status = LG_OK;
    for (; above != LG_NONE && lg_places_at(places, above).members > 1 &&
           path.count > 0;
         path.count--)
        above = lg_places_at(places, above).parent;
    if (above == place)
        return draw_path(picture, &path, at, err);
    if (above != LG_NONE && !boxes->at[above]) {
        status = draw_path(picture, &path, at, err);
        boxes->at[above] = *at + 1;
    }
    if (!status)
        status = draw_way(boxes, place, false, err);
    if (!status)
        *at = boxes->at[place] - 1;
    return status;
}

// Says how many of the containers of a place are emptied, unless all are.
static void
add_part(lg__view_node *drawn, uint64_t count)
{
    if (drawn->kind != LG__VIEW_GROUP || drawn->detail.length > 0 ||
        count >= drawn->count)
        return;
    lg_text_add_count(&drawn->detail, count);
    lg_text_add(&drawn->detail, " of them hold it");
}

static lg_status
draw_reference(leak_view *picture, size_t from, uint64_t count,
               lg__view_edge **out, lg_error *err)
{
    lg_status status = lg__view_add_edge(picture->picker.view, from,
                                         picture->members, out, err);
    if (status)
        return status;
    (*out)->kind = LG_EDGE_ATTRIBUTE;
    (*out)->count = count;
    (*out)->key = LG_NONE;
    (*out)->tone = LG__TONE_FREES;
    picture->references += count;
    return LG_OK;
}

// Draws what a program empties. What grows in place is what leaks itself.
static lg_status
draw_emptied(leak_view *picture, const lg_growth_holder *holder, lg_error *err)
{
    size_t at = 0;
    lg__view_edge *edge;
    uint32_t place = lg_places_find(picture->growth->places, holder->key);
    lg_status status =
        holder->path.start == LG_STARTS_NOWHERE
            ? lg__picker_draw(&picture->picker, holder->node, 0, &at, err)
        : holder->count > 1
            ? draw_all_of(picture, place, holder->path, &at, err)
            : draw_path(picture, &holder->path, &at, err);
    if (status)
        return status;
    add_part(&picture->picker.view->nodes[at], holder->count);
    if (picture->row->verdict == LG_GROWTH_IN_PLACE) {
        picture->picker.view->nodes[at].subject = true;
        picture->objects += holder->count;
        return LG_OK;
    }
    status = draw_reference(picture, at, holder->count, &edge, err);
    if (!status)
        label_members(picture, holder, &edge->label);
    return status;
}

// Draws the references of one place to members that the path leads to, in the
// orange of what is cut.
static lg_status
draw_whole_cut(leak_view *picture, const lg_growth_holder *holder,
               lg_error *err)
{
    size_t at = 0;
    lg_view *view = picture->picker.view;
    lg_status status = draw_path(picture, &holder->path, &at, err);
    for (size_t i = 0; i < view->edge_count && !status; i++)
        if (view->edges[i].target == at && view->edges[i].path)
            view->edges[i].tone = LG__TONE_FREES;
    picture->references += holder->count;
    return status;
}

// Draws references to cut, from what has them to the box of all members.
static lg_status
draw_cut(leak_view *picture, const lg_growth_holder *holder, lg_error *err)
{
    size_t at = 0;
    lg__view_edge *edge;
    const lg_places *places = picture->growth->places;
    uint32_t place = lg_places_find(places, holder->key);
    lg_path path = holder->path;
    const lg_hop *last = &path.hops[--path.count];
    if (picture->row->verdict == LG_GROWTH_IN_PLACE)
        return draw_whole_cut(picture, holder, err);
    lg_status status =
        holder->count > 1 && place != LG_NONE
            ? draw_all_of(picture, lg_places_at(places, place).parent, path,
                          &at, err)
            : draw_path(picture, &path, &at, err);
    if (!status)
        status = draw_reference(picture, at, holder->count, &edge, err);
    if (!status)
        lg__picker_label(&picture->picker, last, &edge->label);
    return status;
}

// Draws one box for the holders that have none of their own.
static lg_status
draw_others(leak_view *picture, size_t holders, uint64_t count, lg_error *err)
{
    size_t at;
    lg__view_edge *edge;
    lg_view *view = picture->picker.view;
    if (holders == 0)
        return LG_OK;
    lg_status status = lg__view_add_node(view, LG__VIEW_REST, &at, err);
    if (status)
        return status;
    view->nodes[at].count = count;
    lg_text_add_count(&view->nodes[at].title, holders);
    lg_text_add(&view->nodes[at].title,
                holders == 1 ? " more holder" : " more holders");
    if (picture->row->verdict != LG_GROWTH_IN_PLACE)
        return draw_reference(picture, at, count, &edge, err);
    view->nodes[at].subject = true;
    picture->objects += count;
    return LG_OK;
}

static lg_status
draw_holders(leak_view *picture, lg_error *err)
{
    const lg_growth_row *row = picture->row;
    lg_status status = LG_OK;
    size_t drawn = 0, others = 0;
    uint64_t count = 0;
    for (size_t i = 0; i < row->holder_count && !status; i++) {
        const lg_growth_holder *holder = &row->holders[i];
        bool known =
            holder->empties ||
            (holder->path.start != LG_STARTS_NOWHERE && holder->path.count > 0);
        if (!known || drawn == HOLDERS) {
            count += holder->count;
            others++;
            continue;
        }
        status = holder->empties ? draw_emptied(picture, holder, err)
                                 : draw_cut(picture, holder, err);
        drawn++;
    }
    return status ? status : draw_others(picture, others, count, err);
}

// Writes `both orange references`.
static void
add_orange(lg_text *out, uint64_t count, const char *what)
{
    lg_text_add(out, count == 1   ? "the orange "
                     : count == 2 ? "both orange "
                                  : "all ");
    if (count > 2) {
        lg_text_add_count(out, count);
        lg_text_add(out, " orange ");
    }
    lg_text_add(out, what);
    lg_text_add(out, count == 1 ? "" : "s");
}

static void
add_leak_words(const leak_view *picture, const uint64_t *freed)
{
    lg_view *view = picture->picker.view;
    lg_text *line = &view->headline;
    if (picture->references > 0) {
        lg_text_add(line, "Cut ");
        add_orange(line, picture->references, "reference");
    }
    if (picture->objects > 0) {
        lg_text_add(line, picture->references > 0 ? " and empty " : "Empty ");
        add_orange(line, picture->objects, "object");
    }
    lg_text_add(line, " to free ");
    lg_text_add_sizes(line, picture->growth->device_names, freed,
                      (size_t)picture->growth->devices + 1);
    for (size_t i = 0; i < view->edge_count; i++)
        if (view->edges[i].tone != LG__TONE_FREES)
            view->edges[i].tone = LG__TONE_PATH;
}

static lg_status
draw_leak(leak_view *picture, lg_error *err)
{
    bool itself = picture->row->verdict == LG_GROWTH_IN_PLACE;
    lg_status status = itself ? LG_OK : draw_members(picture, err);
    return status ? status : draw_holders(picture, err);
}

static lg_status
draw_leaks(leak_view *picture, const size_t *rows, size_t count,
           const uint64_t *freed, const lg_analysis *analysis, lg_error *err)
{
    lg_status status = LG_OK;
    size_t places = lg_places_count(picture->growth->places);
    picture->places =
        (growth_view){.growth = picture->growth,
                      .view = picture->picker.view,
                      .at = calloc(places + 1, sizeof *picture->places.at)};
    if (!picture->places.at)
        return lg__view_no_memory(err);
    for (size_t i = 0; i < count && !status; i++) {
        picture->row = &picture->growth->rows[rows[i]];
        if (picture->row->holder_count > 0)
            status = draw_leak(picture, err);
    }
    if (status)
        return status;
    add_leak_words(picture, freed);
    lg__view_weigh(picture->picker.view, analysis);
    return lg__view_settle(picture->picker.view, err);
}

lg_status
lg_view_leaks(const lg_growth *growth, const size_t *rows, size_t count,
              const uint64_t *freed, const lg_analysis *analysis, lg_view **out,
              lg_error *err)
{
    lg_view_options options = {
        .size = sizeof options, .direction = LG_REFS, .max_nodes = LEAK_NODES};
    leak_view picture = {.growth = growth};
    const lg_growth_row *first = count > 0 ? &growth->rows[rows[0]] : NULL;
    if (first == NULL || first->holder_count == 0)
        return lg_error_set(err, LG_ENOTFOUND, "the leak has no known holder");
    lg_status status = lg__picker_open(
        &picture.picker, lg_analysis_graph(analysis), &options, err);
    if (!status) {
        picture.picker.view->form = LG__VIEW_GROWTH;
        status =
            draw_leaks(&picture, rows, count,
                       freed != NULL ? freed : first->freed, analysis, err);
    }
    lg__picker_close(&picture.picker);
    free(picture.places.at);
    if (status)
        lg_view_free(picture.picker.view);
    else
        *out = picture.picker.view;
    return status;
}
