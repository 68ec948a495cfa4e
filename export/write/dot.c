// Writes the view as DOT, without Graphviz.

#include "view/view_private.h"
#include "write/dot_label.h"
#include "write/write_private.h"

#include <leakgraph/options.h>

#include <string.h>

#define LABEL_LIMIT 36u
#define LINE_LIMIT 110u
/* A picture with fewer nodes explains itself. */
#define NARROW 4u
/* A tree with more boxes in a row is wider than a screen. */
#define WIDE 6u
/* Larger pictures are not measured, and deeper ones only down to this depth. */
#define MEASURED 1024
#define DEEPEST 256

// Adds a tooltip. Graphviz reads backslashes in this quoted string twice, and
// then entities.
static void
escape_quoted(lg_text *out, const char *bytes, size_t length)
{
    const char *entity = length != 1      ? NULL
                         : *bytes == '"'  ? "&quot;"
                         : *bytes == '<'  ? "&lt;"
                         : *bytes == '>'  ? "&gt;"
                         : *bytes == '\\' ? "\\\\\\\\"
                         : *bytes == '&'  ? "&amp;"
                                          : NULL;
    if (entity)
        lg_text_add(out, entity);
    else
        lg_text_add_bytes(out, bytes, length);
}

static void
add_legend_entry(lg_text *out, const lg__view_look *look)
{
    bool framed = look->border;
    lg_text_addf(out,
                 "<TD><TABLE BORDER=\"%d\" COLOR=\"%s\" BGCOLOR=\"%s\" "
                 "CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"2\"%s>",
                 framed, framed ? look->border : "white",
                 look->fill ? look->fill : "white",
                 look->square ? "" : " STYLE=\"ROUNDED\"");
    lg_text_addf(out,
                 "<TR><TD><FONT POINT-SIZE=\"8\" COLOR=\"%s\">%s</FONT></TD>"
                 "</TR></TABLE></TD>",
                 look->text, look->name);
}

static bool
is_used(const lg_view *view, const lg__view_look *look)
{
    for (size_t i = 0; i < view->node_count; i++) {
        if (lg__look_of(&view->nodes[i]) == look)
            return true;
    }
    return false;
}

// The looks that the picture uses, for the legend.
static void
add_legend(const lg_view *view, lg_text *out)
{
    const lg__view_look *look;
    for (size_t i = 0; (look = lg__look_at(i)); i++) {
        if (is_used(view, look))
            add_legend_entry(out, look);
    }
}

// Says what the picture shows, in one row or, if that is too wide, one fact per
// line.
static void
add_facts(const lg_text *caption, bool narrow, lg_text *out)
{
    const char *gap = " · ", *at = caption->data;
    while (at) {
        const char *end = narrow ? strstr(at, gap) : NULL;
        size_t start = (size_t)(at - caption->data);
        lg_text fact = {.data = caption->data + start,
                        .length = end ? (size_t)(end - at) : strlen(at)};
        lg_text_add(out, "<TR><TD ALIGN=\"LEFT\"><FONT POINT-SIZE=\"9\" "
                         "COLOR=\"" LG__FAINT "\">");
        lg__html_add(out, &fact, 160);
        lg_text_add(out, "&#160;&#160;</FONT></TD>");
        at = end ? end + strlen(gap) : NULL;
        lg_text_add(out, at ? "</TR>" : "");
    }
}

// Returns the length of a text's next line: up to the end of the line, or to a
// space if it is too long.
static size_t
line_length(const char *sentence, size_t length)
{
    const char *stop = memchr(sentence, '\n', length);
    size_t end = stop ? (size_t)(stop - sentence) : length;
    while (end > LINE_LIMIT) {
        size_t at = end - 1;
        while (at > 0 && sentence[at] != ' ')
            at--;
        if (at == 0)
            break;
        end = at;
    }
    return end;
}

static void
add_line(const lg_text *sentence, const char *size, const char *colour,
         bool bold, lg_text *out)
{
    for (size_t at = 0; at < sentence->length;) {
        char *data = sentence->data + at;
        size_t length = line_length(data, sentence->length - at);
        lg_text line = {.data = data, .length = length};
        lg_text_addf(out,
                     "<TR><TD ALIGN=\"LEFT\" COLSPAN=\"20\">"
                     "<FONT POINT-SIZE=\"%s\" COLOR=\"%s\">%s",
                     size, colour, bold ? "<B>" : "");
        lg__html_add(out, &line, LINE_LIMIT);
        lg_text_addf(out, "%s</FONT></TD></TR>", bold ? "</B>" : "");
        at += length;
        at += at < sentence->length; // skips the space or the end of the line
    }
}

// Writes the graph's own label: caption and legend in one row, below the title
// if there is one. (A box around everything could carry the title, but it makes
// Graphviz 2.42 reverse the order of siblings.)
static void
add_caption(const lg_view *view, const lg_dot_options *options, lg_text *out)
{
    lg_text caption = {0}, title = {0};
    lg__add_caption(&caption, view);
    lg_text_add(&title, options->title ? options->title : "");
    lg_text_add(out, "<<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"3\" "
                     "CELLPADDING=\"0\">");
    add_line(&title, "14", LG__INK, true, out);
    add_line(&view->headline, title.length ? "11" : "14", LG__INK,
             !title.length, out);
    add_line(&view->note, "10", LG__QUIET, false, out);
    bool narrow = view->node_count < NARROW;
    add_facts(&caption, narrow, out);
    if (options->legend && !narrow)
        add_legend(view, out);
    lg_text_add(out, "</TR></TABLE>>");
    out->failed |= caption.failed || title.failed;
    lg_text_free(&caption);
    lg_text_free(&title);
}

// Measures the depth of a tree and the most boxes side by side. In a tree,
// parents come before children; for other pictures the result is a guess.
static void
measure(const lg_view *view, uint32_t *deep, uint32_t *wide)
{
    uint32_t depth[DEEPEST] = {0}, of[MEASURED] = {0};
    *deep = *wide = 0;
    if (view->node_count > MEASURED)
        return;
    for (size_t i = 0; i < view->edge_count; i++) {
        const lg__view_edge *edge = &view->edges[i];
        if (of[edge->target] < of[edge->source] + 1 &&
            of[edge->source] + 1 < DEEPEST)
            of[edge->target] = of[edge->source] + 1;
    }
    for (size_t i = 0; i < view->node_count; i++) {
        uint32_t level = of[i];
        depth[level]++;
        *deep = level > *deep ? level : *deep;
        *wide = depth[level] > *wide ? depth[level] : *wide;
    }
}

// Long paths, and trees wider than any screen, run down the page. All other
// pictures run from left to right, where a step with its label takes the width
// of four thirds of a box.
static const char *
direction_of(const lg_view *view)
{
    uint32_t deep, wide;
    measure(view, &deep, &wide);
    bool down = view->direction == LG_PATH ? view->node_count > 8
                                           : deep > WIDE && 3 * wide < 4 * deep;
    return down ? "rankdir=TB" : "rankdir=LR";
}

static void
add_head(const lg_view *view, const lg_dot_options *options, lg_text *out)
{
    bool titled =
        (options->title && options->title[0]) || view->headline.length;
    lg_text_add(out, "digraph leakgraph {\n  graph [");
    lg_text_add(out, direction_of(view));
    lg_text_add(out, ", bgcolor=white, pad=0.25, nodesep=0.16, ranksep=0.5, "
                     "fontname=\"" LG__SANS "\", labeljust=l, nslimit=4, "
                     "nslimit1=4, mclimit=0.7, labelloc=");
    lg_text_add(out, titled ? "t, label=" : "b, label=");
    add_caption(view, options, out);
    lg_text_add(out, "];\n"
                     "  node [shape=plain, fontname=\"" LG__SANS
                     "\", fontsize=11];\n"
                     "  edge [fontname=\"" LG__MONO "\", fontsize=9.5, "
                     "color=\"" LG__FAINT "\", fontcolor=\"" LG__QUIET "\", "
                     "arrowsize=0.7, penwidth=1.1];\n");
}

static void
add_tip(const lg__view_node *node, lg_text *out)
{
    lg_text tip = {0};
    lg_text_add_bytes(&tip, node->title.data ? node->title.data : "",
                      node->title.length);
    if (node->detail.length)
        lg_text_addf(&tip, " · %s", node->detail.data);
    if (node->node != LG_NONE)
        lg_text_addf(&tip, " · node:%u at 0x%llx", node->node,
                     (unsigned long long)node->address);
    lg_text_add(out, ", tooltip=\"");
    lg__add_word(out, &tip, 400, escape_quoted);
    lg_text_add(out, "\"");
    out->failed |= tip.failed;
    lg_text_free(&tip);
}

static void
add_link(const lg__view_node *node, const char *links, lg_text *out)
{
    lg_text link = {0};
    lg_text_addf(&link, "%s%u", links, node->node);
    lg_text_add(out, ", URL=\"");
    lg__add_word(out, &link, 400, escape_quoted);
    lg_text_add(out, "\"");
    out->failed |= link.failed;
    lg_text_free(&link);
}

static void
add_node(const lg__view_node *node, size_t index, const char *links,
         lg_text *out)
{
    lg_text_addf(out, "  n%zu [label=", index);
    lg__label_add(out, node);
    add_tip(node, out);
    if (links && node->kind == LG__VIEW_OBJECT && node->node != LG_NONE)
        add_link(node, links, out);
    lg_text_add(out, "];\n");
}

static const char *
edge_style(const lg_view *view, const lg__view_edge *edge)
{
    static const char *const tones[] = {
        [LG__TONE_PATH] = ", color=\"" LG__QUIET "\", penwidth=2.0",
        [LG__TONE_CUT] = ", style=dashed, color=\"" LG__ALARM
                         "\", fontcolor=\"" LG__ALARM "\", penwidth=2.4",
        [LG__TONE_OWNER] = ", style=dashed, arrowhead=none",
        [LG__TONE_FREES] = ", color=\"" LG__SUSPECT
                           "\", fontcolor=\"" LG__SUSPECT "\", penwidth=2.4",
    };
    const lg__view_node *source = &view->nodes[edge->source];
    const lg__view_node *target = &view->nodes[edge->target];
    if (source->kind == LG__VIEW_NATIVE)
        return ", style=dashed, color=\"" LG__ALARM "\"";
    if (edge->tone)
        return tones[edge->tone];
    if (edge->path)
        return ", color=\"" LG__SUSPECT "\", fontcolor=\"" LG__SUSPECT
               "\", penwidth=2.4";
    if (edge->weak)
        return ", style=dotted";
    if (target->category == LG_CATEGORY_ATOM)
        return ", color=\"" LG__PALE "\", arrowhead=none";
    return "";
}

// Ranks holders left of what they hold, by their distance from the subject.
// Otherwise a subject that holds its holder would push it to the other side.
static bool
turns_back(const lg_view *view, const lg__view_edge *edge)
{
    return view->direction == LG_BACKREFS &&
           view->nodes[edge->source].depth < view->nodes[edge->target].depth;
}

// Writes a label beside the edge, without room of its own. A label with its own
// room on an edge within a rank makes Graphviz 2.42 free that rank twice.
static void
add_edge_label(const lg__view_edge *edge, bool beside, lg_text *out)
{
    bool cut = edge->tone == LG__TONE_CUT;
    if (!edge->label.length && !cut)
        return;
    lg_text_add(out, beside ? ", xlabel=" : ", label=");
    lg_text_add(out, "<<TABLE BORDER=\"0\" CELLBORDER=\"0\" "
                     "CELLSPACING=\"0\" CELLPADDING=\"2\">");
    if (edge->label.length) {
        lg_text_add(out, "<TR><TD>");
        lg__html_add(out, &edge->label, LABEL_LIMIT);
        lg_text_add(out, "</TD></TR>");
    }
    if (cut)
        lg_text_add(out, "<TR><TD><FONT FACE=\"" LG__SANS "\"><B>✂ cut here</B>"
                         "</FONT></TD></TR>");
    lg_text_add(out, "</TABLE>>");
}

// In a dominator tree, the width of a line shows its share of the bytes.
static void
add_width(const lg_view *view, const lg__view_edge *edge, lg_text *out)
{
    const lg__view_node *target = &view->nodes[edge->target];
    if (view->form == LG__VIEW_DOMINATORS && target->kind == LG__VIEW_OBJECT) {
        lg_text_add(out, ", penwidth=");
        lg_text_add_fixed(out, 1 + 3 * target->share, 1);
    }
}

static void
add_edge(const lg_view *view, const lg__view_edge *edge, lg_text *out)
{
    // Reversed in DOT, the hop to cut leads back below the others and leaves
    // the direction of the cycle unchanged.
    bool turned = edge->tone == LG__TONE_CUT && edge->source != edge->target;
    lg_text_addf(out, "  n%u -> n%u [tooltip=\" \"",
                 turned ? edge->target : edge->source,
                 turned ? edge->source : edge->target);
    if (turned)
        lg_text_add(out, ", dir=back");
    bool back = turns_back(view, edge);
    add_edge_label(edge, back, out);
    lg_text_add(out, edge_style(view, edge));
    if (back)
        lg_text_add(out, ", constraint=false");
    add_width(view, edge, out);
    lg_text_add(out, "];\n");
}

lg_status
lg_view_dot(const lg_view *view, const lg_dot_options *options, lg_text *out,
            lg_error *err)
{
    lg_dot_options whole = LG_DOT_OPTIONS_INIT;
    lg_status status = lg_options_read(&whole, options, "lg_dot_options", err);
    if (status)
        return status;
    add_head(view, &whole, out);
    for (size_t i = 0; i < view->node_count; i++)
        add_node(&view->nodes[i], i, whole.links, out);
    for (size_t i = 0; i < view->edge_count; i++)
        add_edge(view, &view->edges[i], out);
    lg_text_add(out, "}\n");
    return out->failed ? lg__view_no_memory(err) : LG_OK;
}
