// Writes the view as DOT, without Graphviz.
#include "view/view_private.h"
#include "write/write_private.h"

#include <leakgraph/internal/options.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>
#include <string.h>

// Writes the box of a node as Graphviz's HTML-like text.

#define TITLE_LIMIT 44u
#define DETAIL_LIMIT 56u
#define RETAINED_LABEL_LIMIT 80u
/* The picture stresses sizes from here on. */
#define LARGE (1u << 20)
/* The picture omits an object's own size below this. */
#define NOTEWORTHY 1024u
/* A smaller share would read 0. */
#define LEAST_PERCENT 0.05

static void
escape_html(lg_text *out, const char *bytes, size_t length)
{
    // Graphviz reads `\\N` as the node's name even here, and past the end of a
    // text that ends in one backslash.
    const char *entity = length != 1      ? NULL
                         : *bytes == '\\' ? "\\\\"
                         : *bytes == '&'  ? "&amp;"
                         : *bytes == '<'  ? "&lt;"
                         : *bytes == '>'  ? "&gt;"
                         : *bytes == '"'  ? "&quot;"
                         : *bytes == '\'' ? "&#39;"
                                          : NULL;
    if (entity)
        lg_text_add(out, entity);
    else
        lg_text_add_bytes(out, bytes, length);
}

// Adds text in an HTML-like label, cut to `limit` characters.
static void
html_add(lg_text *out, const lg_text *word, size_t limit)
{
    lg__add_word(out, word, limit, escape_html);
}

// Writes `list of 1,000`, with the kind in bold; also in `997 more Tensor`.
static void
add_title(lg_text *out, const lg__view_node *node)
{
    const lg_text *title = &node->title;
    if (!title->length)
        return;
    const char *space = node->kind == LG__VIEW_GROUP ? strrchr(title->data, ' ')
                                                     : strchr(title->data, ' ');
    bool group = node->kind == LG__VIEW_GROUP && space;
    size_t split = space ? (size_t)(space - title->data) : title->length;
    lg_text head = {.data = title->data, .length = split};
    const char *bold = split && !group ? "<B>" : ""; // never around an empty
                                                     // text
    lg_text_add(out, bold);
    html_add(out, &head, TITLE_LIMIT);
    lg_text_add(out, group ? "<B>" : *bold ? "</B>" : "");
    if (space) {
        // SVG drops a plain space at the beginning of a text.
        lg_text tail = {.data = title->data + split + 1,
                        .length = title->length - split - 1};
        lg_text_add(out, "&#160;");
        html_add(out, &tail, TITLE_LIMIT);
    }
    lg_text_add(out, group ? "</B>" : "");
}

// Adds the abbreviation of the kind: white on black; on white for a fold.
static bool
is_dark(const lg__view_node *node, const lg__view_look *look)
{
    return node->kind == LG__VIEW_OBJECT && look->fill &&
           !strcmp(look->fill, LG__INK);
}

static const char *
text_colour(const lg__view_node *node, const lg__view_look *look)
{
    bool pale = !strcmp(look->text, "white");
    return pale && !is_dark(node, look) ? LG__INK : look->text;
}

// Whether the picture only mentions the node.
static bool
is_small(const lg__view_node *node)
{
    return node->category == LG_CATEGORY_ATOM ||
           (node->context && !node->subject);
}

static void
open_font(lg_text *out, const char *colour, const char *size)
{
    lg_text_add(out, "<FONT");
    if (size)
        lg_text_addf(out, " POINT-SIZE=\"%s\"", size);
    lg_text_addf(out, " COLOR=\"%s\">", colour);
}

static void
add_badge(lg_text *out, const lg__view_look *look, const char *badge)
{
    lg_text_addf(out,
                 "<TD><TABLE BORDER=\"0\" CELLBORDER=\"0\" "
                 "CELLSPACING=\"0\" CELLPADDING=\"0\" BGCOLOR=\"%s\" "
                 "STYLE=\"ROUNDED\" FIXEDSIZE=\"TRUE\" WIDTH=\"19\" "
                 "HEIGHT=\"16\"><TR><TD FIXEDSIZE=\"TRUE\" WIDTH=\"19\" "
                 "HEIGHT=\"16\">"
                 "<FONT POINT-SIZE=\"9\" COLOR=\"white\"><B>%s</B></FONT>"
                 "</TD></TR></TABLE></TD>",
                 look->border ? look->border : LG__QUIET, badge);
}

// Adds the retained size first: it is what the reader can free.
static uint64_t
weight(const lg__view_node *node)
{
    return node->retained_label.length ? node->weight : node->size;
}

// Escapes the device's name, because it comes from a file.
static void
add_own(lg_text *out, const lg__view_node *node)
{
    if (node->own.length)
        html_add(out, &node->own, RETAINED_LABEL_LIMIT);
    else
        lg_text_add_size(out, node->size);
}

// Adds sizes to the cell of the title. Cells of their own would have different
// base lines.
static void
add_size(lg_text *out, const lg__view_node *node, const lg__view_look *look)
{
    bool large = weight(node) >= LARGE;
    bool dark = is_dark(node, look);
    const char *colour = large  ? text_colour(node, look)
                         : dark ? LG__PALE
                                : LG__QUIET;
    open_font(out, colour, is_small(node) ? "9" : NULL);
    lg_text_add(out, large ? "&#160;&#160;<B>" : "&#160;&#160;");
    if (node->retained_label.length)
        html_add(out, &node->retained_label, RETAINED_LABEL_LIMIT);
    else
        add_own(out, node);
    lg_text_add(out, large ? "</B></FONT>" : "</FONT>");
}

// Adds an object's own size, unless it is all that it retains.
static bool
has_own_size(const lg__view_node *node)
{
    return node->retained_label.length && node->kind == LG__VIEW_OBJECT &&
           node->size >= NOTEWORTHY && node->size < weight(node) / 10 * 9;
}

static const char *
mark_words(const lg__view_node *node)
{
    static const char *const words[] = {
        [LG__MARK_NONE] = NULL,
        [LG__MARK_DOMINATOR] = "every path goes through here",
        [LG__MARK_CULPRIT] = "this keeps the collector from it",
    };
    return words[node->mark];
}

// Adds what the analysis knows to the second line.
static void
add_fact_rows(lg_text *out, const lg__view_node *node, const char *gap)
{
    double percent = 100 * node->share;
    if (percent >= LEAST_PERCENT) {
        lg_text_add(out, gap);
        lg_text_add_fixed(out, percent, percent < 10 ? 1 : 0);
        lg_text_add(out, " %");
        gap = " · ";
    }
    if (has_own_size(node)) {
        lg_text_add(out, gap);
        add_own(out, node);
        lg_text_add(out, " itself");
        gap = " · ";
    }
    if (node->mark)
        lg_text_addf(out, "%s<B>%s</B>", gap, mark_words(node));
}

static bool
has_second_line(const lg__view_node *node)
{
    return node->detail.length || node->more || node->unreached || node->mark ||
           100 * node->share >= LEAST_PERCENT || has_own_size(node);
}

enum { SPARK_BYTES = 3, SPARK_STEPS = 8, SPARK_WIDTH = 4, SPARK_HEIGHT = 3 };

// Returns how many blocks the detail begins with, each higher or lower: a small
// chart.
static size_t
count_sparks(const lg_text *detail)
{
    const unsigned char *at = (const unsigned char *)detail->data;
    size_t count = 0;
    while (SPARK_BYTES * (count + 1) < detail->length && at[0] == 0xe2 &&
           at[1] == 0x96 && at[2] > 0x80 && at[2] <= 0x80 + SPARK_STEPS) {
        at += SPARK_BYTES;
        count++;
    }
    return count;
}

// Draws these blocks as bars. As characters, they would reach into the line
// above.
static void
add_sparks(lg_text *out, const lg__view_node *node)
{
    size_t count = count_sparks(&node->detail);
    if (count == 0)
        return;
    lg_text_add(out, "<TD><TABLE BORDER=\"0\" "
                     "CELLBORDER=\"0\" CELLSPACING=\"1\" CELLPADDING=\"0\">"
                     "<TR>");
    for (size_t i = 0; i < count; i++) {
        int height =
            (unsigned char)node->detail.data[i * SPARK_BYTES + 2] - 0x80;
        lg_text_add(out, "<TD><TABLE BORDER=\"0\" CELLBORDER=\"0\" "
                         "CELLSPACING=\"0\" CELLPADDING=\"0\">");
        if (height < SPARK_STEPS)
            lg_text_addf(out,
                         "<TR><TD FIXEDSIZE=\"TRUE\" WIDTH=\"%d\" "
                         "HEIGHT=\"%d\"></TD></TR>",
                         SPARK_WIDTH, (SPARK_STEPS - height) * SPARK_HEIGHT);
        lg_text_addf(out,
                     "<TR><TD FIXEDSIZE=\"TRUE\" WIDTH=\"%d\" HEIGHT=\"%d\" "
                     "BGCOLOR=\"" LG__SUSPECT "\"></TD></TR></TABLE></TD>",
                     SPARK_WIDTH, height * SPARK_HEIGHT);
    }
    lg_text_add(out, "</TR></TABLE></TD>");
}

// Returns the detail without these blocks.
static lg_text
detail_text(const lg__view_node *node)
{
    size_t skip = SPARK_BYTES * count_sparks(&node->detail);
    while (skip > 0 && skip < node->detail.length &&
           node->detail.data[skip] == ' ')
        skip++;
    return (lg_text){.data = node->detail.data + skip,
                     .length = node->detail.length - skip};
}

// Returns whether a text has Chinese, Japanese, Korean or emoji. A machine
// without a font for them draws boxes that are taller than the line.
static bool
is_tall(const lg_text *text)
{
    for (size_t i = 0; i < text->length; i++)
        if ((unsigned char)text->data[i] >= 0xe3)
            return true;
    return false;
}

// Writes the second line: what the title leaves out, and why the node is drawn.
// It shares the cell of the first, so that both keep clear of the border.
static void
add_second_line(lg_text *out, const lg__view_node *node,
                const lg__view_look *look)
{
    bool dark = is_dark(node, look);
    const char *colour = dark ? LG__PALE : LG__QUIET;
    const char *gap = "";
    lg_text_add(out, "<BR ALIGN=\"LEFT\"/>");
    open_font(out, node->kind == LG__VIEW_NATIVE ? LG__ALARM : colour, "9");
    if (node->detail.length) {
        lg_text detail = detail_text(node);
        html_add(out, &detail, DETAIL_LIMIT);
        gap = " · ";
    }
    if (node->more) {
        lg_text_addf(out, "%s+", gap);
        lg_text_add_count(out, node->more);
        lg_text_add(out, " not drawn");
        gap = " · ";
    }
    if (node->unreached) {
        lg_text_addf(out, "%sgarbage: no root reaches it", gap);
        gap = " · ";
    }
    add_fact_rows(out, node, gap);
    if (is_tall(&node->title) || is_tall(&node->detail))
        lg_text_add(out, "<FONT POINT-SIZE=\"16\"> </FONT>");
    lg_text_add(out, "</FONT><BR ALIGN=\"LEFT\"/>");
}

static void
open_box(lg_text *out, const lg__view_node *node, const lg__view_look *look)
{
    bool dashed = node->kind != LG__VIEW_OBJECT;
    const char *border = look->border;
    const char *fill = dashed ? "white" : look->fill;
    if (!border && !node->subject) {
        lg_text_add(out, "<TABLE BORDER=\"0\" CELLBORDER=\"0\" "
                         "CELLSPACING=\"0\" CELLPADDING=\"1\">");
        return;
    }
    if (node->subject) {
        border = LG__SUSPECT;
        fill = is_dark(node, look) ? look->fill : LG__SUSPECT_FILL;
    } else if (node->mark) {
        border = node->mark == LG__MARK_CULPRIT ? LG__ALARM : LG__INK;
    }
    lg_text_addf(out,
                 "<TABLE BORDER=\"%d\" COLOR=\"%s\" BGCOLOR=\"%s\" "
                 "CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"5\"",
                 node->subject ? 3
                 : node->mark  ? 2
                               : 1,
                 border, fill ? fill : "white");
    if (!look->square || dashed)
        lg_text_addf(out, " STYLE=\"%s%s%s\"", look->square ? "" : "ROUNDED",
                     !look->square && dashed ? "," : "",
                     dashed ? "DASHED" : "");
    lg_text_add(out, ">");
}

// Adds the HTML-like label of a node, brackets included.
static void
label_add(lg_text *out, const lg__view_node *node)
{
    const lg__view_look *look = lg__look_of(node);
    const char *badge = lg__badge_of(node, look);
    bool sized = lg__has_size(node);
    lg_text_add(out, "<");
    open_box(out, node, look);
    lg_text_add(out, "<TR>");
    if (badge && (!is_small(node) || !look->border))
        add_badge(out, look, badge);
    add_sparks(out, node);
    lg_text_add(out, "<TD ALIGN=\"LEFT\">");
    open_font(out, text_colour(node, look), is_small(node) ? "10" : NULL);
    add_title(out, node);
    lg_text_add(out, "</FONT>");
    if (sized)
        add_size(out, node, look);
    if (has_second_line(node))
        add_second_line(out, node, look);
    lg_text_add(out, "</TD></TR></TABLE>>");
}

#define LABEL_LIMIT 36u
#define LINE_LIMIT 110u
#define UPRIGHT_LINE_LIMIT 30u
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

static bool
has_tone(const lg_view *view, lg__view_tone tone)
{
    for (size_t i = 0; i < view->edge_count; i++)
        if (view->edges[i].tone == tone)
            return true;
    return false;
}

// Returns whether the picture has the subject, or what stands for several
// objects.
static bool
has_box(const lg_view *view, bool subject)
{
    for (size_t i = 0; i < view->node_count; i++)
        if (subject ? view->nodes[i].subject
                    : view->nodes[i].kind == LG__VIEW_GROUP)
            return true;
    return false;
}

// Explains what colours, dashes and widths mean, where the picture has them.
static void
add_marks(const lg_view *view, lg_text *out)
{
    const struct {
        bool used;
        const char *words;
    } marks[] = {
        {has_tone(view, LG__TONE_FREES), "orange line: cut it"},
        {has_box(view, true), "orange box: what this is about"},
        {has_box(view, false), "dashed box: several objects"},
        {has_tone(view, LG__TONE_PATH), "thick line: the way there"},
        {has_tone(view, LG__TONE_OWNER),
         "dashed line: owns it by several ways"},
    };
    const char *gap = "<TD><FONT POINT-SIZE=\"8\" COLOR=\"" LG__QUIET "\">";
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (marks[i].used) {
            lg_text_addf(out, "%s%s", gap, marks[i].words);
            gap = " · ";
        }
    if (gap[0] == ' ')
        lg_text_add(out, "</FONT></TD>");
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
    add_marks(view, out);
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
        html_add(out, &fact, 160);
        lg_text_add(out, "&#160;&#160;</FONT></TD>");
        at = end ? end + strlen(gap) : NULL;
        lg_text_add(out, at ? "</TR>" : "");
    }
}

// Returns the length of a text's next line: up to the end of the line, or to a
// space if it is too long.
static size_t
line_length(const char *sentence, size_t length, size_t limit)
{
    const char *stop = memchr(sentence, '\n', length);
    size_t end = stop ? (size_t)(stop - sentence) : length;
    while (end > limit) {
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
add_line(const lg_text *sentence, size_t limit, const char *size,
         const char *colour, bool bold, lg_text *out)
{
    for (size_t at = 0; at < sentence->length;) {
        char *data = sentence->data + at;
        size_t length = line_length(data, sentence->length - at, limit);
        lg_text line = {.data = data, .length = length};
        lg_text_addf(out,
                     "<TR><TD ALIGN=\"LEFT\" COLSPAN=\"20\">"
                     "<FONT POINT-SIZE=\"%s\" COLOR=\"%s\">%s",
                     size, colour, bold ? "<B>" : "");
        html_add(out, &line, limit);
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
    size_t limit = options->upright ? UPRIGHT_LINE_LIMIT : LINE_LIMIT;
    add_line(&title, limit, "14", LG__INK, true, out);
    add_line(&view->headline, limit, title.length ? "11" : "14", LG__INK,
             !title.length, out);
    add_line(&view->note, limit, "10", LG__QUIET, false, out);
    bool narrow = options->upright || view->node_count < NARROW;
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
    lg_text_add(out, options->upright ? "rankdir=TB" : direction_of(view));
    lg_text_add(out, ", bgcolor=white, pad=");
    lg_text_add(out, options->upright ? "0.05" : "0.25");
    lg_text_add(out, ", nodesep=0.16, ranksep=0.5, "
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
    label_add(out, node);
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
        html_add(out, &edge->label, LABEL_LIMIT);
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

// Graphviz stacks parts that nothing connects from the bottom. Parts begin with
// the boxes of depth 0; the last part comes first, so that the first is on top.
static void
add_nodes(const lg_view *view, const char *links, lg_text *out)
{
    bool turned = view->form == LG__VIEW_GROWTH;
    for (size_t end = view->node_count, start = 0; end > 0; end = start) {
        start = turned ? end - 1 : 0;
        while (start > 0 && view->nodes[start].depth > 0)
            start--;
        for (size_t i = start; i < end; i++)
            add_node(&view->nodes[i], i, links, out);
    }
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
    add_nodes(view, whole.links, out);
    for (size_t i = 0; i < view->edge_count; i++)
        add_edge(view, &view->edges[i], out);
    lg_text_add(out, "}\n");
    return out->failed ? lg__view_no_memory(err) : LG_OK;
}
