// Writes the whole view as JSON, for other programs.

#include "view/view_private.h"

#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/json.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void
write_text(lg_json *json, const char *name, const lg_text *text)
{
    lg_json_string(json, name, text->data ? text->data : "", text->length);
}

static void
write_word(lg_json *json, const char *name, const char *word)
{
    lg_json_string(json, name, word, strlen(word));
}

static void
write_address(lg_json *json, uint64_t address)
{
    char digits[32];
    snprintf(digits, sizeof digits, "0x%" PRIx64, address);
    write_word(json, "address", digits);
}

static void
write_retained(lg_json *json, const lg_view *view, const uint64_t *bytes)
{
    lg_json_object(json, "retained");
    for (uint32_t on = 0; on <= view->device_count; on++) {
        const lg_text *device = &view->devices[on];
        lg_json_name(json, device->data, device->length);
        lg_json_count(json, NULL, bytes[on]);
    }
    lg_json_end(json);
}

static void
write_node(lg_json *json, const lg_view *view, size_t index)
{
    const lg__view_node *node = &view->nodes[index];
    lg_json_object(json, NULL);
    lg_json_count(json, "id", index);
    write_word(json, "kind", lg__view_kind_name(node->kind));
    if (node->node != LG_NONE) {
        lg_json_count(json, "node", node->node);
        write_address(json, node->address);
    }
    write_word(json, "category", lg_category_name(node->category));
    write_text(json, "title", &node->title);
    write_text(json, "detail", &node->detail);
    write_text(json, "type", &node->type);
    if (node->root.length)
        write_text(json, "root", &node->root);
    lg_json_count(json, "count", node->count);
    lg_json_count(json, "size", node->size);
    lg_json_count(json, "more", node->more);
    lg_json_count(json, "unexplained", node->unseen);
    lg_json_count(json, "depth", node->depth);
    if (node->retained && node->kind == LG__VIEW_OBJECT)
        write_retained(json, view, node->retained);
    if (node->mark)
        lg_json_bool(json,
                     node->mark == LG__MARK_CULPRIT ? "culprit" : "dominator",
                     true);
    lg_json_bool(json, "subject", node->subject);
    if (node->unreached)
        lg_json_bool(json, "garbage", true);
    lg_json_end(json);
}

static void
write_edge(lg_json *json, const lg__view_edge *edge)
{
    static const char *const tones[] = {[LG__TONE_PATH] = "path",
                                        [LG__TONE_CUT] = "cut",
                                        [LG__TONE_OWNER] = "owner",
                                        [LG__TONE_FREES] = "frees"};
    lg_json_object(json, NULL);
    lg_json_count(json, "source", edge->source);
    lg_json_count(json, "target", edge->target);
    write_word(json, "kind", lg_edge_kind_name(edge->kind));
    write_text(json, "label", &edge->label);
    lg_json_count(json, "count", edge->count);
    lg_json_bool(json, "weak", edge->weak);
    lg_json_bool(json, "path", edge->path);
    if (edge->tone)
        write_word(json, "role", tones[edge->tone]);
    lg_json_end(json);
}

lg_status
lg_view_json(const lg_view *view, lg_text *out, lg_error *err)
{
    static const char *const directions[] = {"refs", "backrefs", "path"};
    static const char *const forms[] = {NULL,         "why",   "cycle",
                                        "dominators", "paths", "growth"};
    lg_json json = {.out = out};
    lg_json_object(&json, NULL);
    write_word(&json, "direction",
               view->form ? forms[view->form] : directions[view->direction]);
    if (view->headline.length)
        write_text(&json, "headline", &view->headline);
    if (view->note.length)
        write_text(&json, "note", &view->note);
    lg_json_lines(&json, "nodes");
    for (size_t i = 0; i < view->node_count; i++)
        write_node(&json, view, i);
    lg_json_end(&json);
    lg_json_lines(&json, "edges");
    for (size_t i = 0; i < view->edge_count; i++)
        write_edge(&json, &view->edges[i]);
    lg_json_end(&json);
    lg_json_end(&json);
    return lg_json_finish(&json, err);
}
