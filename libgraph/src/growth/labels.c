// The reference by which a node's dominator holds it, and its label in a place.
#include "growth/growth_private.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// If a dominator refers to a node several times, the label is that of the kind
// with the lowest rank; of the same kind, the label that comes first in the
// order of bytes. So it depends on the order of references never.
static const uint8_t ranks[LG_EDGE_KIND_COUNT] = {
    [LG_EDGE_ATTRIBUTE] = 0, [LG_EDGE_LOCAL] = 1,      [LG_EDGE_VALUE] = 2,
    [LG_EDGE_INDEX] = 3,     [LG_EDGE_ELEMENT] = 4,    [LG_EDGE_CELL] = 5,
    [LG_EDGE_FRAME] = 6,     [LG_EDGE_DICT] = 7,       [LG_EDGE_NATIVE] = 8,
    [LG_EDGE_REFERENT] = 9,  [LG_EDGE_KEY] = 10,       [LG_EDGE_STACK] = 11,
    [LG_EDGE_FIELD] = 12,    [LG_EDGE_REFERENCE] = 13, [LG_EDGE_GLOBALS] = 14,
    [LG_EDGE_TYPE] = 15,
};

// A namespace that is folded into its owner: its values are attributes.
static bool
is_namespace(const lg__labels *labels, uint32_t source)
{
    return labels->folds[source].owner != LG_NONE &&
           lg__node_category(labels->graph, source) == LG_CATEGORY_CONTAINER &&
           lg__node_role(labels->graph, source) != LG__ROLE_TUPLE;
}

// As lg__node_text_id, which searches.
static uint32_t
text_of_key(lg__labels *labels, uint32_t key)
{
    uint32_t at = key % LG__NAMES_CACHED;
    if (labels->named[at] != key) {
        labels->named[at] = key;
        labels->names[at] = lg__node_text_id(labels->graph, key);
    }
    return labels->names[at];
}

// The number of the graph's string that names the reference; LG_NONE: a folded
// position, or no name.
static uint32_t
name_of(lg__labels *labels, uint32_t source, uint64_t edge)
{
    const lg_graph *graph = labels->graph;
    uint32_t payload = graph->columns.edge_payload[edge];
    switch (lg__edge_kind(graph, edge)) {
    case LG_EDGE_ATTRIBUTE:
    case LG_EDGE_LOCAL:
    case LG_EDGE_NATIVE:
        return payload < graph->string_count ? payload : LG_NONE;
    case LG_EDGE_VALUE:
        return payload != LG_NONE && is_namespace(labels, source)
                   ? text_of_key(labels, payload)
                   : LG_NONE;
    default:
        return LG_NONE;
    }
}

static int
compare_names(const lg_graph *graph, uint32_t left, uint32_t right)
{
    lg_string a = lg_graph_string(graph, left);
    lg_string b = lg_graph_string(graph, right);
    uint32_t shorter = a.length < b.length ? a.length : b.length;
    int order = memcmp(a.data, b.data, shorter);
    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

// Whether `edge` labels its target rather than `other` does.
static bool
is_preferred(lg__labels *labels, uint32_t source, uint64_t edge, uint64_t other)
{
    const lg_graph *graph = labels->graph;
    uint32_t before = lg_edge_source(graph, other);
    uint32_t name = name_of(labels, source, edge);
    uint32_t known = name_of(labels, before, other);
    // An attribute is one, whether the instance has a namespace or not.
    uint8_t rank = name != LG_NONE ? 0 : ranks[lg__edge_kind(graph, edge)];
    uint8_t least = known != LG_NONE ? 0 : ranks[lg__edge_kind(graph, other)];
    if (rank != least || name == LG_NONE)
        return rank < least;
    return compare_names(graph, name, known) < 0;
}

static void
choose_of(lg__labels *labels, uint32_t source)
{
    const lg_columns *columns = &labels->graph->columns;
    const uint32_t *dominator = labels->dominator;
    uint32_t owner = labels->folds[source].owner;
    uint64_t end = columns->first_edge[source + 1];
    for (uint64_t edge = columns->first_edge[source]; edge < end; edge++) {
        uint32_t target = columns->edge_target[edge];
        uint32_t above = dominator[target];
        if ((above != source && above != owner) ||
            (columns->edge_kind[edge] & LG_EDGE_WEAK))
            continue;
        uint64_t known = labels->via[target];
        if (known == LG__NO_EDGE || is_preferred(labels, source, edge, known))
            labels->via[target] = edge;
    }
}

// Most labels are one of a few.
static bool
make_frequent(lg__labels *labels)
{
    lg_places *to = labels->places;
    labels->item = lg__places_string(to, (lg_string){"[*]", 3});
    labels->key = lg__places_string(to, (lg_string){"key", 3});
    labels->none = lg__places_string(to, (lg_string){"", 0});
    return labels->item != LG_NONE && labels->key != LG_NONE &&
           labels->none != LG_NONE;
}

lg_status
lg__labels_begin(lg__labels *labels, lg_error *err)
{
    const lg_graph *graph = labels->graph;
    size_t nodes = graph->columns.node_count;
    size_t strings = graph->string_count;
    labels->via = lg__wide_alloc((nodes + 1) * sizeof *labels->via);
    labels->dotted = malloc((strings + 1) * sizeof *labels->dotted);
    if (labels->via == NULL || labels->dotted == NULL || !make_frequent(labels))
        return lg__error_memory(err);
    memset(labels->named, 0xff, sizeof labels->named);
    memset(labels->via, 0xff, nodes * sizeof *labels->via);
    memset(labels->dotted, 0xff, strings * sizeof *labels->dotted);
    for (uint32_t node = 0; node < nodes; node++)
        choose_of(labels, node);
    return LG_OK;
}

void
lg__labels_free(lg__labels *labels)
{
    free(labels->via);
    free(labels->dotted);
    lg_text_free(&labels->scratch);
}

// Interns what the scratch text holds, and empties it.
static bool
take_scratch(lg__labels *labels, lg__step *out)
{
    lg_text *text = &labels->scratch;
    lg_string string = {text->data != NULL ? text->data : "",
                        (uint32_t)text->length};
    out->label =
        text->failed ? LG_NONE : lg__places_string(labels->places, string);
    text->length = 0;
    return out->label != LG_NONE;
}

static bool
take_literal(lg__labels *labels, const char *label, lg__step *out)
{
    lg_string string = {label, (uint32_t)strlen(label)};
    out->label = lg__places_string(labels->places, string);
    return out->label != LG_NONE;
}

static bool
take_item(const lg__labels *labels, lg__step *out)
{
    *out = (lg__step){LG_PLACE_ITEM, labels->item};
    return true;
}

static bool
take_dotted(lg__labels *labels, uint32_t name, lg__step *out)
{
    out->kind = LG_PLACE_NAMED;
    out->label = labels->dotted[name];
    if (out->label != LG_NONE)
        return true;
    lg_string string = lg_graph_string(labels->graph, name);
    lg_text_add(&labels->scratch, ".");
    lg_text_add_bytes(&labels->scratch, string.data, string.length);
    bool taken = take_scratch(labels, out);
    labels->dotted[name] = out->label;
    return taken;
}

// A frame's text ends with the line that it is in.
static uint32_t
length_without_line(lg_string text)
{
    uint32_t length = text.length;
    while (length > 0 && isdigit((unsigned char)text.data[length - 1]))
        length--;
    return length > 0 && text.data[length - 1] == ':' ? length - 1
                                                      : text.length;
}

// Adds a text with each number in it as `*`: threads of a pool are alike.
static void
add_uncounted(lg_string text, lg_text *out)
{
    for (uint32_t i = 0; i < text.length; i++) {
        bool digit = isdigit((unsigned char)text.data[i]);
        if (!digit)
            lg_text_add_bytes(out, text.data + i, 1);
        else if (i == 0 || !isdigit((unsigned char)text.data[i - 1]))
            lg_text_add(out, "*");
    }
}

// A node's own name, of the kinds that have one: nothing else tells it from
// others where no reference does.
static bool
take_own_name(lg__labels *labels, uint32_t node, lg__step *out)
{
    const lg_graph *graph = labels->graph;
    lg_text *to = &labels->scratch;
    lg_category category = lg__node_category(graph, node);
    bool named = category == LG_CATEGORY_MODULE ||
                 category == LG_CATEGORY_TYPE ||
                 category == LG_CATEGORY_FUNCTION ||
                 category == LG_CATEGORY_FRAME || category == LG_CATEGORY_ROOT;
    out->label = labels->none;
    if (!named)
        return true;
    lg_string text = lg_node_text(graph, node);
    if (category == LG_CATEGORY_FRAME)
        text.length = length_without_line(text);
    if (category == LG_CATEGORY_ROOT)
        add_uncounted(text, to);
    else
        lg_text_add_bytes(to, text.data, text.length);
    return take_scratch(labels, out);
}

// The content of a cell, which belongs to a function's closure.
static bool
take_cell(lg__labels *labels, uint32_t cell, uint64_t edge, lg__step *out)
{
    const lg_graph *graph = labels->graph;
    uint32_t tuple = labels->dominator[cell];
    uint32_t owner = labels->folds[cell].owner;
    out->kind = LG_PLACE_NAMED;
    if (owner == LG_NONE || tuple >= graph->columns.node_count ||
        labels->folds[tuple].owner != owner)
        return take_literal(labels, ".cell_contents", out);
    uint64_t opener =
        graph->columns.first_edge[owner] + labels->folds[tuple].rank;
    lg_hop hop = {.source = owner,
                  .target = graph->columns.edge_target[edge],
                  .edges = {opener, labels->via[cell], edge},
                  .edge_count = 3};
    lg_hop_label(graph, &hop, &labels->scratch);
    return take_scratch(labels, out);
}

static bool
take_edge(lg__labels *labels, uint32_t node, uint32_t source, uint64_t edge,
          lg__step *out)
{
    const lg_graph *graph = labels->graph;
    unsigned kind = lg__edge_kind(graph, edge);
    uint32_t name = name_of(labels, source, edge);
    out->kind = LG_PLACE_NAMED;
    switch (kind) {
    case LG_EDGE_VALUE:
        if (name != LG_NONE)
            return take_dotted(labels, name, out);
        return take_item(labels, out);
    case LG_EDGE_INDEX:
    case LG_EDGE_ELEMENT:
        return take_item(labels, out);
    case LG_EDGE_KEY:
        *out = (lg__step){LG_PLACE_KEY, labels->key};
        return true;
    case LG_EDGE_CELL:
        return take_cell(labels, source, edge, out);
    case LG_EDGE_FRAME:
        return take_own_name(labels, node, out);
    case LG_EDGE_FIELD: // its offset depends on the version
    case LG_EDGE_REFERENCE:
        out->kind = LG_PLACE_SEVERAL;
        return take_own_name(labels, node, out);
    case LG_EDGE_ATTRIBUTE:
        if (name != LG_NONE)
            return take_dotted(labels, name, out);
        break;
    case LG_EDGE_GLOBALS:
        return take_literal(labels, ".__globals__", out);
    case LG_EDGE_TYPE:
        return take_literal(labels, ".__class__", out);
    }
    lg_edge_label(graph, edge, &labels->scratch);
    return take_scratch(labels, out);
}

bool
lg__label_step(lg__labels *labels, uint32_t node, lg__step *out)
{
    const lg_columns *columns = &labels->graph->columns;
    uint32_t above = labels->dominator[node];
    uint64_t edge = labels->via[node];
    if (above >= columns->node_count) {
        out->kind =
            above == columns->node_count ? LG_PLACE_ROOT : LG_PLACE_GARBAGE;
        return take_own_name(labels, node, out);
    }
    if (edge == LG__NO_EDGE) {
        out->kind = LG_PLACE_SEVERAL;
        return take_own_name(labels, node, out);
    }
    bool direct = edge >= columns->first_edge[above] &&
                  edge < columns->first_edge[above + 1];
    uint32_t source = direct ? above : lg_edge_source(labels->graph, edge);
    return take_edge(labels, node, source, edge, out);
}
