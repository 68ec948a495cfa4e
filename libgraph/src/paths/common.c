// What nodes and paths have in common with similar ones.
#include "paths/paths_private.h"
#include "paths/path_hops.h"

#include <ctype.h>
#include <string.h>

// Cuts off the line number with which the text of a frame ends.
static lg_string
without_line(lg_string text)
{
    uint32_t length = text.length;
    while (length > 0 && isdigit((unsigned char)text.data[length - 1]))
        length--;
    if (length > 0 && text.data[length - 1] == ':')
        text.length = length - 1;
    return text;
}

static bool
has_name(const lg_graph *graph, uint32_t node)
{
    lg_category category = lg__node_category(graph, node);
    return category == LG_CATEGORY_FUNCTION || category == LG_CATEGORY_TYPE ||
           category == LG_CATEGORY_MODULE || category == LG_CATEGORY_FRAME;
}

void
lg__sort_number(const lg_graph *graph, uint32_t node, lg_text *out)
{
    const uint32_t *name =
        &graph->type_name[lg_columns_type(&graph->columns, node)];
    if (has_name(graph, node))
        lg__sort_common(graph, node, out);
    else
        lg_text_add_bytes(out, (const char *)name, sizeof *name);
}

void
lg__sort_common(const lg_graph *graph, uint32_t node, lg_text *out)
{
    lg_text_add(out, "\n");
    if (node == LG_NONE)
        return;
    lg__text_add_string(
        out, lg_graph_type(graph, lg_columns_type(&graph->columns, node)).name);
    lg_text_add(out, " ");
    if (has_name(graph, node))
        lg__text_add_string(out, without_line(lg_node_text(graph, node)));
}

// Adds what a hop shares with others that differ in an index, a key or a line.
// Returns how much it added.
size_t
lg__hop_facts(const lg_graph *graph, const lg_hop *hop, lg_text *out)
{
    size_t start = out->length;
    lg_text_add(out, "\n");
    lg__hop_common(graph, hop, out);
    if (out->failed)
        return 0;
    char *bracket = memchr(out->data + start, '[', out->length - start);
    lg_string label = {out->data + start, (uint32_t)(out->length - start)};
    out->length = bracket != NULL ? (size_t)(bracket - out->data)
                                  : start + without_line(label).length;
    return out->length - start;
}

// Of equal facts in a row, one remains, so paths through longer and shorter
// chains of links are alike.
void
lg__path_common(const lg_graph *graph, const lg_path *path, lg_text *out)
{
    size_t last = 0;
    lg_text_addf(out, "\n%u %u ", (unsigned)path->start,
                 (unsigned)path->root.kind);
    if (path->root.kind != LG_ROOT_THREAD)
        lg__text_add_string(out, path->root.name);
    for (size_t i = 0; i < path->count && !out->failed; i++) {
        size_t length = lg__hop_facts(graph, &path->hops[i], out);
        const char *end = out->data + out->length;
        if (length == last && memcmp(end - length, end - 2 * length, last) == 0)
            out->length -= length;
        last = length;
    }
}
