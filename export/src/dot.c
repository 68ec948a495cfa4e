// The view as DOT: our own text, no Graphviz here.

#include "look.h"
#include "words.h"

#define LABEL_LIMIT 36u
#define SANS "Helvetica,Arial,sans-serif"
#define MONO "DejaVu Sans Mono,Menlo,Consolas,monospace"

// A tooltip is a quoted string in which Graphviz still reads backslashes and
// entities.
static void
escape_quoted(lg_text *out, const char *bytes, size_t length)
{
    const char *entity = length != 1      ? NULL
                         : *bytes == '"'  ? "\\\""
                         : *bytes == '\\' ? "\\\\"
                         : *bytes == '&'  ? "&amp;"
                                          : NULL;
    if (entity)
        lg_text_add(out, entity);
    else
        lg_text_add_bytes(out, bytes, length);
}

static void
add_legend_entry(lg_text *out, const view_look *look)
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
is_used(const lg_view *view, const view_look *look)
{
    for (size_t i = 0; i < view->node_count; i++) {
        if (lg__look_of(&view->nodes[i]) == look)
            return true;
    }
    return false;
}

// The looks that the picture uses, in one row below the caption.
static void
add_legend(const lg_view *view, lg_text *out)
{
    lg_text_add(out, "<TR><TD ALIGN=\"LEFT\"><TABLE BORDER=\"0\" "
                     "CELLBORDER=\"0\" CELLSPACING=\"3\" CELLPADDING=\"0\">"
                     "<TR>");
    const view_look *look;
    for (size_t i = 0; (look = lg__look_at(i)); i++) {
        if (is_used(view, look))
            add_legend_entry(out, look);
    }
    lg_text_add(out, "<TD></TD></TR></TABLE></TD></TR>");
}

static void
add_caption(const lg_view *view, bool legend, lg_text *out)
{
    lg_text caption = {0};
    lg__add_caption(&caption, view);
    lg_text_add(out, "<<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" "
                     "CELLPADDING=\"2\"><TR><TD ALIGN=\"LEFT\">"
                     "<FONT POINT-SIZE=\"9\" COLOR=\"" FAINT "\">");
    lg__html_add(out, &caption, 160);
    lg_text_add(out, "</FONT></TD></TR>");
    if (legend)
        add_legend(view, out);
    lg_text_add(out, "</TABLE>>");
    out->failed |= caption.failed;
    lg_text_free(&caption);
}

static void
add_head(const lg_view *view, bool legend, lg_text *out)
{
    lg_text_add(out,
                "digraph leakgraph {\n"
                "  graph [rankdir=LR, bgcolor=white, pad=0.25, nodesep=0.16, "
                "ranksep=0.5, fontname=\"" SANS "\", labelloc=b, labeljust=l, "
                "nslimit=4, nslimit1=4, mclimit=0.7, label=");
    add_caption(view, legend, out);
    lg_text_add(out,
                "];\n"
                "  node [shape=plain, fontname=\"" SANS "\", fontsize=11];\n"
                "  edge [fontname=\"" MONO "\", fontsize=9.5, "
                "color=\"" FAINT "\", fontcolor=\"" QUIET "\", "
                "arrowsize=0.7, penwidth=1.1];\n");
}

// The title stands above everything else: the label of a box around it all.
static void
add_title(const char *title, lg_text *out)
{
    lg_text word = {0};
    lg_text_add(&word, title);
    lg_text_add(out, "  subgraph cluster_all {\n"
                     "  graph [peripheries=0, labelloc=t, labeljust=l, "
                     "label=<<FONT POINT-SIZE=\"14\" COLOR=\"" INK "\"><B>");
    lg__html_add(out, &word, 120);
    lg_text_add(out, "</B></FONT>>];\n");
    out->failed |= word.failed;
    lg_text_free(&word);
}

static void
add_tip(const view_node *node, lg_text *out)
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
add_node(const view_node *node, size_t index, lg_text *out)
{
    lg_text_addf(out, "  n%zu [label=", index);
    lg__label_add(out, node);
    add_tip(node, out);
    lg_text_add(out, "];\n");
}

static const char *
edge_style(const lg_view *view, const view_edge *edge)
{
    const view_node *source = &view->nodes[edge->source];
    const view_node *target = &view->nodes[edge->target];
    if (source->kind == VIEW_NATIVE)
        return ", style=dashed, color=\"" ALARM "\"";
    if (edge->path)
        return ", color=\"" SUSPECT "\", fontcolor=\"" SUSPECT
               "\", penwidth=2.4";
    if (edge->weak)
        return ", style=dotted";
    if (source->kind == VIEW_VALUES || target->kind == VIEW_VALUES)
        return ", color=\"#D0D7DE\", arrowhead=none";
    return "";
}

static void
add_edge(const lg_view *view, const view_edge *edge, lg_text *out)
{
    lg_text_addf(out, "  n%u -> n%u [tooltip=\" \"", edge->source,
                 edge->target);
    if (edge->label.length) {
        lg_text_add(out, ", label=<&#160;");
        lg__html_add(out, &edge->label, LABEL_LIMIT);
        lg_text_add(out, "&#160;>");
    }
    lg_text_add(out, edge_style(view, edge));
    lg_text_add(out, "];\n");
}

lg_status
lg_view_dot(const lg_view *view, const lg_dot_options *options, lg_text *out,
            lg_error *err)
{
    bool titled = options && options->title && options->title[0];
    add_head(view, options && options->legend, out);
    if (titled)
        add_title(options->title, out);
    for (size_t i = 0; i < view->node_count; i++)
        add_node(&view->nodes[i], i, out);
    if (titled)
        lg_text_add(out, "  }\n");
    for (size_t i = 0; i < view->edge_count; i++)
        add_edge(view, &view->edges[i], out);
    lg_text_add(out, "}\n");
    return out->failed ? lg__view_no_memory(err) : LG_OK;
}
