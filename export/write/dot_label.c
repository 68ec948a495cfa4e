// Writes the box of a node as Graphviz's HTML-like text.

#include "view/view_private.h"
#include "write/dot_label.h"

#include <string.h>

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

void
lg__html_add(lg_text *out, const lg_text *word, size_t limit)
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
    lg__html_add(out, &head, TITLE_LIMIT);
    lg_text_add(out, group ? "<B>" : *bold ? "</B>" : "");
    if (space) {
        // SVG drops a plain space at the beginning of a text.
        lg_text tail = {.data = title->data + split + 1,
                        .length = title->length - split - 1};
        lg_text_add(out, "&#160;");
        lg__html_add(out, &tail, TITLE_LIMIT);
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
        lg__html_add(out, &node->own, RETAINED_LABEL_LIMIT);
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
        lg__html_add(out, &node->retained_label, RETAINED_LABEL_LIMIT);
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
add_facts(lg_text *out, const lg__view_node *node, const char *gap)
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
        lg__html_add(out, &node->detail, DETAIL_LIMIT);
        gap = " · ";
    }
    if (node->more) {
        lg_text_addf(out, "%s+", gap);
        lg_text_add_count(out, node->more);
        lg_text_add(out, " more");
        gap = " · ";
    }
    if (node->unreached) {
        lg_text_addf(out, "%sgarbage: no root reaches it", gap);
        gap = " · ";
    }
    add_facts(out, node, gap);
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

void
lg__label_add(lg_text *out, const lg__view_node *node)
{
    const lg__view_look *look = lg__look_of(node);
    const char *badge = lg__badge_of(node, look);
    bool sized = lg__has_size(node);
    lg_text_add(out, "<");
    open_box(out, node, look);
    lg_text_add(out, "<TR>");
    if (badge && (!is_small(node) || !look->border))
        add_badge(out, look, badge);
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
