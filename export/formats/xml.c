// Writes GraphML and GEXF: the same nodes and references in two dialects.
#include "formats/formats.h"

#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/writing.h>

typedef struct dialect {
    const char *node_value; // before an attribute's number
    const char *node_text;  // between the number and the text
    const char *node_end;
    bool gexf;
} dialect;

static const dialect graphml = {"<data key=\"", "\">", "</data>", false};
static const dialect gexf = {"<attvalue for=\"", "\" value=\"", "\"/>", true};

// Attributes of nodes are d0, d1 ..., and those of edges e0, e1 ...
static void
open_value(lg__stream *out, const dialect *in, const char *key)
{
    lg_text_add(&out->text, in->node_value);
    lg_text_add(&out->text, key);
    lg_text_add(&out->text, in->node_text);
}

static const char *
escape_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

// XML forbids U+FFFE and U+FFFF.
static bool
is_barred(const char *at, uint32_t left)
{
    return left >= 3 && at[0] == '\xef' && at[1] == '\xbf' &&
           (unsigned char)at[2] >= 0xbe;
}

// Adds text for attributes and texts of XML, without characters that XML
// forbids.
static void
stream_xml(lg__stream *stream, lg_string string)
{
    uint32_t begin = 0;
    for (uint32_t i = 0; i < string.length; i++) {
        bool barred = is_barred(string.data + i, string.length - i);
        const char *escape = barred ? "?" : escape_of(string.data[i]);
        if (escape == NULL)
            continue;
        lg_text_add_bytes(&stream->text, string.data + begin, i - begin);
        lg_text_add(&stream->text, escape);
        i += barred ? 2 : 0;
        begin = i + 1;
    }
    lg_text_add_bytes(&stream->text, string.data + begin,
                      string.length - begin);
}

static void
add_text(lg__stream *out, const dialect *in, const char *key, lg_string value)
{
    open_value(out, in, key);
    stream_xml(out, value);
    lg_text_add(&out->text, in->node_end);
}

static void
add_number(lg__stream *out, const dialect *in, const char *key, uint64_t value)
{
    open_value(out, in, key);
    lg__stream_number(out, value);
    lg_text_add(&out->text, in->node_end);
}

static lg_string
string_of(const lg_text *text)
{
    return (lg_string){text->data ? text->data : "", (uint32_t)text->length};
}

static void
write_node(lg__stream *out, const dialect *in, const lg_graph *graph,
           uint32_t node, lg_text *title)
{
    const lg_columns *columns = lg_graph_columns(graph);
    title->length = 0;
    lg_node_title(graph, node, false, title);
    out->text.failed |= title->failed;
    lg_text_add(&out->text, "<node id=\"n");
    lg__stream_number(out, node);
    if (in->gexf) {
        lg_text_add(&out->text, "\" label=\"");
        stream_xml(out, string_of(title));
        lg_text_add(&out->text, "\"><attvalues>");
    } else {
        lg_text_add(&out->text, "\">");
        add_text(out, in, "d0", string_of(title));
    }
    add_text(out, in, "d1",
             lg_graph_type(graph, lg_columns_type(columns, node)).name);
    add_number(out, in, "d2", lg_node_size(graph, node));
    add_text(out, in, "d3",
             lg_graph_device_name(graph, lg_node_device(graph, node)));
    lg_text_add(&out->text, in->gexf ? "</attvalues></node>\n" : "</node>\n");
}

static void
write_edge(lg__stream *out, const dialect *in, const lg_graph *graph,
           uint32_t source, uint64_t edge, lg_text *label)
{
    const lg_columns *columns = lg_graph_columns(graph);
    unsigned kind = lg_columns_kind(columns, edge);
    const char *name = lg_edge_kind_name(kind & LG_EDGE_KIND_MASK);
    lg_text kind_name = {(char *)(uintptr_t)name, 0, 0, false};
    while (name[kind_name.length] != '\0')
        kind_name.length++;
    label->length = 0;
    lg_edge_label(graph, edge, label);
    out->text.failed |= label->failed;
    lg_text_add(&out->text, "<edge id=\"e");
    lg__stream_number(out, edge);
    lg_text_add(&out->text, "\" source=\"n");
    lg__stream_number(out, source);
    lg_text_add(&out->text, "\" target=\"n");
    lg__stream_number(out, lg_columns_target(columns, edge));
    if (in->gexf) {
        lg_text_add(&out->text, "\" label=\"");
        stream_xml(out, string_of(label));
        lg_text_add(&out->text, "\"><attvalues>");
    } else {
        lg_text_add(&out->text, "\">");
        add_text(out, in, "e0", string_of(label));
    }
    add_text(out, in, "e1", string_of(&kind_name));
    add_number(out, in, "e2", (kind & LG_EDGE_WEAK) != 0);
    lg_text_add(&out->text, in->gexf ? "</attvalues></edge>\n" : "</edge>\n");
}

static void
write_nodes(lg__stream *out, const dialect *in, const lg_graph *graph)
{
    uint32_t count = lg_graph_columns(graph)->node_count;
    lg_text title = {0};
    for (uint32_t node = 0; node < count && lg__stream_step(out, node, count);
         node++)
        write_node(out, in, graph, node, &title);
    lg_text_free(&title);
}

static void
write_edges(lg__stream *out, const dialect *in, const lg_graph *graph)
{
    const lg_columns *columns = lg_graph_columns(graph);
    uint32_t source = 0;
    lg_text label = {0};
    for (uint64_t edge = 0; edge < columns->edge_count &&
                            lg__stream_step(out, edge, columns->edge_count);
         edge++) {
        while (lg_columns_first_edge(columns, source + 1) <= edge)
            source++;
        write_edge(out, in, graph, source, edge, &label);
    }
    lg_text_free(&label);
}

static void
write_graphml(lg__stream *out, const lg_graph *graph)
{
    lg_text_add(
        &out->text,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
        "<key id=\"d0\" for=\"node\" attr.name=\"title\" "
        "attr.type=\"string\"/>\n"
        "<key id=\"d1\" for=\"node\" attr.name=\"type\" "
        "attr.type=\"string\"/>\n"
        "<key id=\"d2\" for=\"node\" attr.name=\"size\" attr.type=\"long\"/>\n"
        "<key id=\"d3\" for=\"node\" attr.name=\"device\" "
        "attr.type=\"string\"/>\n"
        "<key id=\"e0\" for=\"edge\" attr.name=\"label\" "
        "attr.type=\"string\"/>\n"
        "<key id=\"e1\" for=\"edge\" attr.name=\"kind\" "
        "attr.type=\"string\"/>\n"
        "<key id=\"e2\" for=\"edge\" attr.name=\"weak\" attr.type=\"int\"/>\n"
        "<graph id=\"G\" edgedefault=\"directed\">\n");
    write_nodes(out, &graphml, graph);
    write_edges(out, &graphml, graph);
    lg_text_add(&out->text, "</graph>\n</graphml>\n");
}

const lg__format lg__graphml = {
    .name = "graphml",
    .suffix = ".graphml",
    .write_graph = write_graphml,
};

static void
write_gexf(lg__stream *out, const lg_graph *graph)
{
    lg_text_add(
        &out->text,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<gexf xmlns=\"http://www.gexf.net/1.2draft\" version=\"1.2\">\n"
        "<graph defaultedgetype=\"directed\">\n"
        "<attributes class=\"node\">\n"
        "<attribute id=\"d1\" title=\"type\" type=\"string\"/>\n"
        "<attribute id=\"d2\" title=\"size\" type=\"long\"/>\n"
        "<attribute id=\"d3\" title=\"device\" type=\"string\"/>\n"
        "</attributes>\n<attributes class=\"edge\">\n"
        "<attribute id=\"e1\" title=\"kind\" type=\"string\"/>\n"
        "<attribute id=\"e2\" title=\"weak\" type=\"integer\"/>\n"
        "</attributes>\n<nodes>\n");
    write_nodes(out, &gexf, graph);
    lg_text_add(&out->text, "</nodes>\n<edges>\n");
    write_edges(out, &gexf, graph);
    lg_text_add(&out->text, "</edges>\n</graph>\n</gexf>\n");
}

const lg__format lg__gexf = {
    .name = "gexf",
    .suffix = ".gexf",
    .write_graph = write_gexf,
};
