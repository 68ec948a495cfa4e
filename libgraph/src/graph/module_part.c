// Writes model.fc.weight instead of model._modules['fc']._parameters['weight'],
// and threading.local.cache instead of threading.local['cache'].
#include "graph/graph_private.h"

#include <string.h>

static bool
read_label(const lg_graph *graph, const lg_hop *hop, lg_text *scratch)
{
    scratch->length = 0;
    lg_hop_label(graph, hop, scratch);
    return !scratch->failed && scratch->length > 0;
}

bool
lg__hop_opens_parts(const lg_graph *graph, const lg_hop *hop, lg_text *scratch)
{
    static const char *const names[] = {"._modules", "._parameters",
                                        "._buffers"};
    if (hop->weak || !read_label(graph, hop, scratch))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(scratch->data, names[i]) == 0)
            return lg__node_is_a(graph, hop->source, LG__TORCH_MODULE);
    return false;
}

bool
lg__edge_opens_local(const lg_graph *graph, uint64_t edge)
{
    lg_string name =
        lg_graph_string(graph, lg_columns_payload(&graph->columns, edge));
    return lg__edge_kind(graph, edge) == LG_EDGE_NATIVE &&
           lg__string_begins(name, "threading.local");
}

static bool
is_number(const char *text, size_t length)
{
    return length > 0 && strspn(text, "0123456789") >= length;
}

static bool
is_identifier(const char *text, size_t length)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return length > 0 && !is_number(text, 1) && strspn(text, letters) >= length;
}

bool
lg__format_part(const lg_graph *graph, const lg_hop *hop, lg_text *scratch,
                lg_text *out)
{
    if (hop->weak || !read_label(graph, hop, scratch) || scratch->length < 5 ||
        memcmp(scratch->data, "['", 2) != 0)
        return false;
    const char *key = scratch->data + 2;
    size_t length = scratch->length - 4;
    if (is_number(key, length))
        lg_text_addf(out, "[%.*s]", (int)length, key);
    else if (is_identifier(key, length))
        lg_text_addf(out, ".%.*s", (int)length, key);
    else
        return false;
    return true;
}
