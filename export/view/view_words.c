// Words that every writer needs: shortened texts, captions, kinds of roots, and
// retained bytes at the nodes of a view. Devices come first, because they are
// scarce.
#include "view/view_private.h"

#include <leakgraph/internal/answer_views.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>

#include <string.h>

#define OWN_LIMIT 60

// Bytes of the character that starts at s; damaged ones count as one.
static size_t
char_length(const unsigned char *s, size_t left)
{
    size_t length = s[0] < 0x80   ? 1
                    : s[0] < 0xc2 ? 0
                    : s[0] < 0xe0 ? 2
                    : s[0] < 0xf0 ? 3
                    : s[0] < 0xf5 ? 4
                                  : 0;
    if (!length || length > left)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    }
    return length;
}

static uint32_t
char_code(const unsigned char *s, size_t length)
{
    static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = s[0] & masks[length];
    for (size_t i = 1; i < length; i++)
        code = code << 6 | (s[i] & 0x3f);
    return code;
}

// Controls, direction marks and overrides, surrogates and noncharacters must
// not reach a terminal or an XML file. Characters without width would make
// invisible names, but joiners shape letters.
static bool
is_unfit(uint32_t code)
{
    if (code < 0x20 || (code >= 0x7f && code < 0xa0))
        return true;
    if (code == 0x061c || (code >= 0x200e && code <= 0x200f))
        return true;
    if (code == 0x00ad || code == 0x200b || code == 0xfeff ||
        (code >= 0x2060 && code <= 0x2064))
        return true;
    if ((code >= 0x2028 && code <= 0x202e) ||
        (code >= 0x2066 && code <= 0x2069))
        return true;
    return (code >= 0xd800 && code < 0xe000) || (code & 0xfffe) == 0xfffe ||
           (code >= 0xfdd0 && code <= 0xfdef);
}

static size_t
count_chars(const lg_text *word)
{
    const unsigned char *s = (const unsigned char *)word->data;
    size_t count = 0;
    for (size_t at = 0; at < word->length; count++) {
        size_t length = char_length(s + at, word->length - at);
        at += length ? length : 1;
    }
    return count;
}

static void
add_char(lg_text *out, const char *bytes, size_t length, lg__word_escape escape)
{
    static const char unfit[] = "\xef\xbf\xbd";
    if (!length || is_unfit(char_code((const unsigned char *)bytes, length))) {
        bytes = unfit;
        length = sizeof unfit - 1;
    }
    if (escape)
        escape(out, bytes, length);
    else
        lg_text_add_bytes(out, bytes, length);
}

void
lg__add_word(lg_text *out, const lg_text *word, size_t limit,
             lg__word_escape escape)
{
    size_t count = count_chars(word);
    size_t head = count, tail = count;
    if (count > limit) {
        head = limit - limit / 2 - 1;
        tail = count - limit / 2;
    }
    size_t index = 0;
    for (size_t at = 0; at < word->length; index++) {
        const char *bytes = word->data + at;
        size_t length =
            char_length((const unsigned char *)bytes, word->length - at);
        if (index == head && head < tail)
            lg_text_add(out, LG__ELLIPSIS);
        if (index < head || index >= tail)
            add_char(out, bytes, length, escape);
        at += length ? length : 1;
    }
}

void
lg__add_unseen(lg_text *out, uint64_t count)
{
    lg_text_add(out, "held by native code (");
    lg_unexplained_format(count, out);
    lg_text_add(out, ")");
}

void
lg__add_caption(lg_text *out, const lg_view *view)
{
    if (view->pid.length) {
        lg_text_add(out, "pid ");
        lg_text_add_bytes(out, view->pid.data, view->pid.length);
        lg_text_add(out, " · ");
    }
    if (!view->partial && view->heap_count > 0) {
        lg_text_add_count(out, view->heap_count);
        lg_text_add(out, view->heap_count == 1 ? " object" : " objects");
        lg_text_add(out, " in the snapshot · ");
    }
    lg_text_add(out, view->weighed ? "bytes are what would be freed with it"
                                   : "sizes are each object's own bytes · "
                                     "why() shows what would be freed");
}

const char *
lg__root_words(const lg_text *root)
{
    static const char *const words[][2] = {
        {"module", "an imported module (sys.modules)"},
        {"thread", "a running thread"},
        {"interpreter", "the interpreter itself"},
        {"static", "a static or immortal object"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (root->data && !strcmp(root->data, words[i][0]))
            return words[i][1];
    }
    return root->data ? root->data : "";
}

void
lg__add_own(lg_text *out, const lg__view_node *node)
{
    if (node->own.length)
        lg__add_word(out, &node->own, OWN_LIMIT, NULL);
    else
        lg_text_add_size(out, node->size);
}

bool
lg__has_size(const lg__view_node *node)
{
    return node->kind != LG__VIEW_NATIVE && node->kind != LG__VIEW_SKIP &&
           (node->size > 0 || node->retained_label.length);
}

uint64_t
lg__bytes_total(lg_bytes bytes)
{
    uint64_t total = bytes.host + bytes.devices;
    return total < bytes.host ? UINT64_MAX : total;
}

static void
add_part(lg_text *out, uint64_t bytes, lg_string place, bool *first)
{
    if (!*first)
        lg_text_add(out, " · ");
    *first = false;
    lg_text_add_size(out, bytes);
    lg_text_add(out, " ");
    lg_text_add_bytes(out, place.data, place.length);
}

static void
add_host(lg_text *out, const lg_graph *graph, lg_bytes bytes, bool first)
{
    if (!bytes.devices)
        lg_text_add_size(out, bytes.host);
    // Next to gigabytes on a device, a few objects need no mention.
    else if (bytes.host >= bytes.devices / 1000 && bytes.host)
        add_part(out, bytes.host, lg_graph_device_name(graph, 0), &first);
}

void
lg__bytes_add(lg_text *out, const lg_graph *graph, lg_bytes bytes)
{
    static const lg_string several = {"on devices", 10};
    bool first = true;
    if (bytes.devices) {
        bool one = lg_graph_device_count(graph) == 1;
        add_part(out, bytes.devices,
                 one ? lg_graph_device_name(graph, 1) : several, &first);
    }
    add_host(out, graph, bytes, first);
}

void
lg__each_add(lg_text *out, const lg_graph *graph, const uint64_t *bytes)
{
    lg_bytes sum = {.host = bytes[0]};
    bool first = true;
    for (uint32_t on = 1; on <= lg_graph_device_count(graph); on++) {
        sum.devices += bytes[on];
        if (bytes[on])
            add_part(out, bytes[on], lg_graph_device_name(graph, on), &first);
    }
    add_host(out, graph, sum, first);
}

void
lg__own_set(lg__view_node *node, const lg_graph *graph, lg_bytes bytes)
{
    node->size = lg__bytes_total(bytes);
    lg_text_free(&node->own);
    if (bytes.devices)
        lg__bytes_add(&node->own, graph, bytes);
}

void
lg__retained_label_add(lg_text *out, const lg_analysis *analysis, uint32_t node)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    uint32_t devices = lg_graph_device_count(graph);
    bool first = true;
    for (uint32_t device = 1; device <= devices; device++) {
        uint64_t bytes = lg_node_retained_on(analysis, node, device);
        if (bytes)
            add_part(out, bytes, lg_graph_device_name(graph, device), &first);
    }
    add_host(out, graph, lg_node_retained(analysis, node), first);
}

static void
weigh(lg_view *view, const lg_analysis *analysis, lg__view_node *node)
{
    uint64_t *bytes = lg__view_make_retained(view, node);
    for (uint32_t on = 0; bytes && on <= view->device_count; on++)
        bytes[on] = lg_node_retained_on(analysis, node->node, on);
    node->weight = lg__bytes_total(lg_node_retained(analysis, node->node));
    lg__retained_label_add(&node->retained_label, analysis, node->node);
}

void
lg__view_weigh(lg_view *view, const lg_analysis *analysis)
{
    if (!analysis)
        return;
    view->weighed = true;
    for (size_t i = 0; i < view->node_count; i++) {
        lg__view_node *node = &view->nodes[i];
        if (node->kind == LG__VIEW_OBJECT && node->node != LG_NONE &&
            !node->retained_label.length)
            weigh(view, analysis, node);
    }
}

bool
lg_view_is_quick(const lg_graph *graph)
{
    return !lg_graph_is_partial(graph) &&
           lg_graph_columns(graph)->node_count <= LG_VIEW_QUICK_NODES;
}
