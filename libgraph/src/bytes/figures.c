// Finds each figure, its parts, and what it keeps alive.
#include "bytes/bytes_private.h"

#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/facts.h>

#include <stdlib.h>
#include <string.h>

typedef struct named_class {
    const char *name;
    uint8_t bit;
} named_class;

static const named_class named_classes[] = {
    {"matplotlib.figure.Figure", LG__IS_FIGURE},
    {"matplotlib.figure.SubFigure", LG__IS_PART},
    {"matplotlib.artist.Artist", LG__IS_ARTIST},
    {"matplotlib.canvas", LG__IS_PIXELS},
    {"matplotlib.animation.Animation", LG__IS_ANIMATION},
};

static uint8_t
class_of(const lg_graph *graph, uint32_t type)
{
    lg_type about = lg_graph_type(graph, type);
    uint8_t bits = 0;
    for (uint32_t i = 0; i < about.mro_count; i++) {
        lg_string name = lg_graph_type(graph, about.mro[i]).name;
        for (size_t j = 0; j < sizeof named_classes / sizeof *named_classes;
             j++)
            if (lg__string_is(name, named_classes[j].name))
                bits |= named_classes[j].bit;
    }
    return bits;
}

typedef struct gathering {
    lg__figures *to;
    const char *name; // name of the attribute to follow
    uint32_t number;
    lg_text label;
    bool failed;
} gathering;

static bool
is_labelled(gathering *state, const lg_hop *hop, const char *name)
{
    state->label.length = 0;
    lg_hop_label(state->to->graph, hop, &state->label);
    state->failed |= state->label.failed;
    return !state->failed && state->label.length == strlen(name) &&
           memcmp(state->label.data, name, state->label.length) == 0;
}

static void
add_member(gathering *state, uint32_t node)
{
    lg__figures *to = state->to;
    if (to->label[node] != 0)
        return;
    to->label[node] = state->number;
    state->failed |= !lg__gather_append(&to->members, node);
}

// Follows the attribute, unless it is None.
static bool
follow_attribute(void *context, const lg_hop *hop)
{
    gathering *state = context;
    if (!hop->weak && is_labelled(state, hop, state->name) &&
        lg__node_category(state->to->graph, hop->target) != LG_CATEGORY_ATOM)
        add_member(state, hop->target);
    return !state->failed;
}

// Finds artists that refer to their figure. The attribute is named `figure` up
// to matplotlib 3.9.
static bool
find_artist(void *context, const lg_hop *hop)
{
    gathering *state = context;
    if (!hop->weak &&
        (lg__figures_class(state->to, hop->source) &
         (LG__IS_ARTIST | LG__IS_PART)) &&
        (is_labelled(state, hop, "._parent_figure") ||
         is_labelled(state, hop, ".figure")))
        add_member(state, hop->source);
    return !state->failed;
}

static void
follow(gathering *state, uint32_t node, const char *name)
{
    lg__hop_walk walk = state->to->walk;
    walk.visit = follow_attribute;
    walk.context = state;
    state->name = name;
    lg__hops_out_walk(&walk, node);
}

// Gathers the figure, its canvas, the canvas's manager, and the artists of the
// figure and of its parts. What the loop finds comes at the end of its list, so
// parts of parts have their turn, too. Each object is added once, so it ends.
static bool
gather(lg__figures *to, uint32_t figure, uint32_t number)
{
    gathering state = {.to = to, .number = number};
    lg__hop_walk walk = to->walk;
    size_t from = to->members.count;
    walk.visit = find_artist;
    walk.context = &state;
    add_member(&state, figure);
    follow(&state, figure, ".canvas");
    if (to->members.count > from + 1)
        follow(&state, to->members.items[from + 1], ".manager");
    for (size_t i = from; i < to->members.count && !state.failed; i++) {
        uint32_t node = to->members.items[i];
        if (lg__figures_class(to, node) & (LG__IS_FIGURE | LG__IS_PART))
            lg__hops_in_walk(&walk, node);
    }
    lg_text_free(&state.label);
    return !state.failed;
}

static void
read_facts(const lg_graph *graph, lg_figure_row *row)
{
    lg_string size = lg_node_fact_text(graph, row->node, "size");
    uint64_t number =
        lg_node_fact_number(graph, row->node, "number", UINT64_MAX);
    uint64_t *side = &row->width;
    row->number = number <= INT64_MAX ? (int64_t)number : -1;
    for (uint32_t i = 0; i < size.length; i++)
        if (size.data[i] == 'x')
            side = &row->height;
        else
            *side = *side * 10 + (uint64_t)(size.data[i] - '0');
    row->axes = lg_node_fact_number(graph, row->node, "axes", 0);
    row->artists = lg_node_fact_number(graph, row->node, "artists", 0);
    row->canvas = lg_node_fact_number(graph, row->node, "canvas", 0);
    row->closed = lg_node_fact_bool(graph, row->node, "closed", true);
}

static lg_status
list_figures(lg__figures *to, lg_error *err)
{
    const lg_columns *columns = &to->graph->columns;
    lg__gathered nodes = {0};
    bool going = true;
    for (uint32_t node = 0; node < columns->node_count && going; node++)
        if (lg__figures_class(to, node) & LG__IS_FIGURE)
            going =
                lg__gather_append(&nodes, node) &&
                lg__gather_append(&to->first, (uint32_t)to->members.count) &&
                gather(to, node, (uint32_t)nodes.count);
    going = going && lg__gather_append(&to->first, (uint32_t)to->members.count);
    to->rows.items =
        going ? lg__calloc(nodes.count + 1, sizeof *to->rows.items) : NULL;
    for (size_t i = 0; i < nodes.count && to->rows.items != NULL; i++) {
        lg_figure_row *row = &to->rows.items[to->rows.count++];
        row->node = nodes.items[i];
        row->reachable = lg_node_is_reachable(to->analysis, row->node);
        read_facts(to->graph, row);
    }
    lg__free(nodes.items);
    return to->rows.items != NULL ? LG_OK : lg__error_memory(err);
}

// Adds up the pixels that only the figure keeps. A figure has more than those
// of its canvas if one of its texts still refers to the renderer of a saved
// picture.
static void
sum_pixels(lg__figures *to, uint64_t *pixels)
{
    const lg_columns *columns = &to->graph->columns;
    for (uint32_t node = 0; node < columns->node_count; node++)
        if (to->label[node] != 0 && to->label[node] != LG__SHARED &&
            (lg__figures_class(to, node) & LG__IS_PIXELS))
            pixels[to->label[node]] += lg_node_size(to->graph, node);
}

static void
set_bytes(lg__figures *to, uint32_t index, const uint64_t *pixels)
{
    size_t devices = (size_t)to->graph->device_count + 1;
    lg_figure_row *row = &to->rows.items[index];
    row->retained = to->rows.bytes + (index + 1) * devices;
    row->total = lg_bytes_sum(row->retained, devices);
    if (pixels[index + 1] > row->canvas)
        row->canvas = pixels[index + 1];
}

static lg_status
weigh(lg__figures *to, lg_error *err)
{
    uint32_t count = (uint32_t)to->rows.count;
    size_t devices = (size_t)to->graph->device_count + 1;
    uint64_t *pixels = lg__calloc((size_t)count + 1, sizeof *pixels);
    to->rows.bytes =
        lg__calloc(((size_t)count + 1) * devices, sizeof *to->rows.bytes);
    lg_status status = to->rows.bytes == NULL || pixels == NULL
                           ? lg__error_memory(err)
                           : lg__sets_retained(to->analysis, to->label, count,
                                               NULL, to->rows.bytes, err);
    if (status == LG_OK)
        sum_pixels(to, pixels);
    for (uint32_t i = 0; i < count && status == LG_OK; i++)
        set_bytes(to, i, pixels);
    lg__free(pixels);
    return status;
}

static int
biggest_first(const void *left, const void *right)
{
    const lg_figure_row *a = left;
    const lg_figure_row *b = right;
    if (a->total != b->total)
        return a->total > b->total ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

lg_status
lg__figures_find(const lg_analysis *analysis, lg__figures *out, lg_error *err)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    *out = (lg__figures){
        .analysis = analysis,
        .graph = graph,
        .walk = {.graph = graph, .fold = lg__graph_folds(graph)},
        .classes = lg__alloc((size_t)graph->type_count + 1),
        .label = lg__calloc((size_t)graph->columns.node_count + 1,
                            sizeof *out->label),
    };
    if (out->walk.fold == NULL || out->classes == NULL || out->label == NULL ||
        !lg__graph_reverse(graph, &out->walk.reverse))
        return lg__error_memory(err);
    for (uint32_t type = 0; type < graph->type_count; type++)
        out->classes[type] = class_of(graph, type);
    lg_status status = list_figures(out, err);
    if (status == LG_OK)
        status = weigh(out, err);
    if (status == LG_OK)
        qsort(out->rows.items, out->rows.count, sizeof *out->rows.items,
              biggest_first);
    return status;
}

void
lg__figures_free(lg__figures *figures)
{
    lg__free(figures->rows.items);
    lg__free(figures->rows.bytes);
    lg__free(figures->classes);
    lg__free(figures->label);
    lg__free(figures->members.items);
    lg__free(figures->first.items);
    *figures = (lg__figures){0};
}
