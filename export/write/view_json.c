// The view as JSON, for other programs: nothing is cut.

#include "view/view.h"

#include <inttypes.h>

static void
add_field(lg_text *out, const char *name, const lg_text *value)
{
    lg_text_addf(out, ", \"%s\": ", name);
    lg_text_add_json(out, value->data ? value->data : "", value->length);
}

static void
add_flag(lg_text *out, const char *name, bool value)
{
    lg_text_addf(out, ", \"%s\": %s", name, value ? "true" : "false");
}

static void
add_node(lg_text *out, const view_node *node, size_t index)
{
    lg_text_addf(out, "{\"id\": %zu, \"kind\": \"%s\"", index,
                 lg__view_kind_name(node->kind));
    if (node->node != LG_NONE)
        lg_text_addf(out,
                     ", \"node\": %" PRIu32 ", \"address\": \"0x%" PRIx64 "\"",
                     node->node, node->address);
    lg_text_addf(out, ", \"category\": \"%s\"",
                 lg__category_name(node->category));
    add_field(out, "title", &node->title);
    add_field(out, "detail", &node->detail);
    add_field(out, "type", &node->type);
    if (node->root.length)
        add_field(out, "root", &node->root);
    lg_text_addf(out, ", \"count\": %" PRIu64 ", \"size\": %" PRIu64,
                 node->count, node->size);
    lg_text_addf(out,
                 ", \"more\": %" PRIu64 ", \"unexplained\": %" PRIu64
                 ", \"depth\": %" PRIu32,
                 node->more, node->unseen, node->depth);
    if (node->retained_label.length && node->kind == VIEW_OBJECT)
        lg_text_addf(out,
                     ", \"retained\": {\"host\": %" PRIu64
                     ", \"device\": %" PRIu64 "}",
                     node->retained.host, node->retained.device);
    if (node->mark)
        add_flag(out, node->mark == MARK_CULPRIT ? "culprit" : "dominator",
                 true);
    add_flag(out, "subject", node->subject);
    if (node->unreached)
        add_flag(out, "garbage", true);
    lg_text_add(out, "}");
}

static void
add_edge(lg_text *out, const view_edge *edge)
{
    static const char *const tones[] = {[TONE_WAY] = "way",
                                        [TONE_CUT] = "cut",
                                        [TONE_OWNER] = "owner",
                                        [TONE_FREES] = "frees"};
    lg_text_addf(out,
                 "{\"source\": %" PRIu32 ", \"target\": %" PRIu32
                 ", \"kind\": \"%s\"",
                 edge->source, edge->target, lg_edge_kind_name(edge->kind));
    add_field(out, "label", &edge->label);
    lg_text_addf(out, ", \"count\": %" PRIu64, edge->count);
    add_flag(out, "weak", edge->weak);
    add_flag(out, "path", edge->path);
    if (edge->tone)
        lg_text_addf(out, ", \"role\": \"%s\"", tones[edge->tone]);
    lg_text_add(out, "}");
}

lg_status
lg_view_json(const lg_view *view, lg_text *out, lg_error *err)
{
    static const char *const directions[] = {"refs", "backrefs", "path"};
    static const char *const forms[] = {NULL, "why", "cycle", "dominators",
                                        "paths"};
    lg_text_addf(out, "{\"direction\": \"%s\",\n",
                 view->form ? forms[view->form] : directions[view->direction]);
    if (view->headline.length) {
        lg_text_add(out, " \"headline\": ");
        lg_text_add_json(out, view->headline.data, view->headline.length);
        lg_text_add(out, ",\n");
    }
    lg_text_add(out, " \"nodes\": [");
    for (size_t i = 0; i < view->node_count; i++) {
        lg_text_add(out, i ? ",\n  " : "\n  ");
        add_node(out, &view->nodes[i], i);
    }
    lg_text_add(out, "],\n \"edges\": [");
    for (size_t i = 0; i < view->edge_count; i++) {
        lg_text_add(out, i ? ",\n  " : "\n  ");
        add_edge(out, &view->edges[i]);
    }
    lg_text_add(out, "]}\n");
    return out->failed ? lg__view_no_memory(err) : LG_OK;
}
