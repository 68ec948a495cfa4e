// What the interpreter holds because a program asked it to, and which call lets
// go of it.
#include "paths/measure.h"

#include <string.h>

// The labels that the capture gives such references. A label of several, one
// for each signal, has a number after these words.
static const struct {
    const char *label;
    lg_cutting_call call;
} calls[] = {
    {"atexit handlers", LG_CALL_ATEXIT},
    {"profile function", LG_CALL_PROFILE},
    {"trace function", LG_CALL_TRACE},
    {"async_gen_firstiter", LG_CALL_ASYNCGEN},
    {"async_gen_finalizer", LG_CALL_ASYNCGEN},
    {"signal handler", LG_CALL_SIGNAL},
    {"completer", LG_CALL_COMPLETER},
    {"startup_hook", LG_CALL_STARTUP_HOOK},
    {"pre_input_hook", LG_CALL_INPUT_HOOK},
    {"completion_display_matches_hook", LG_CALL_DISPLAY_HOOK},
};

// Returns whether the label consists of the words, or of these and a number.
static bool
has_words(lg_string label, const char *words)
{
    size_t length = strlen(words);
    return label.length >= length && memcmp(label.data, words, length) == 0 &&
           (label.length == length || label.data[length] == ' ');
}

// Returns whether the edge is that of the interpreter to the list of what
// codecs.register() gets.
static bool
leads_to_codecs(const lg_graph *graph, uint64_t edge)
{
    return lg__edge_kind(graph, edge) == LG_EDGE_NATIVE &&
           lg__string_is(lg_graph_string(
                             graph, lg_columns_payload(&graph->columns, edge)),
                         "codec_search_path");
}

// Returns whether the edge is an item of that list.
static bool
is_of_codecs(const lg_graph *graph, uint64_t edge)
{
    lg__reverse reverse;
    uint32_t list = lg_edge_source(graph, edge);
    if (lg__edge_kind(graph, edge) != LG_EDGE_INDEX ||
        !lg__graph_reverse(graph, &reverse))
        return false;
    for (uint64_t i = lg__first_in(&reverse, list);
         i < lg__first_in(&reverse, list + 1); i++) {
        lg__in_edge in = lg__in_at(&reverse, i);
        if (leads_to_codecs(graph, in.edge))
            return true;
    }
    return false;
}

// Returns whether the heap is one of CPython 3.9, which has no
// codecs.unregister().
static bool
keeps_codecs(const lg_graph *graph)
{
    lg_string version = lg_graph_info_find(graph, "python");
    return version.length > 4 && memcmp(version.data, "3.9.", 4) == 0;
}

lg_cutting_call
lg__native_edge_call(const lg_graph *graph, uint64_t edge)
{
    if (is_of_codecs(graph, edge))
        return keeps_codecs(graph) ? LG_CALL_NONE : LG_CALL_CODECS;
    if (lg__edge_kind(graph, edge) != LG_EDGE_NATIVE)
        return LG_CALL_NONE;
    lg_string label =
        lg_graph_string(graph, lg_columns_payload(&graph->columns, edge));
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (has_words(label, calls[i].label))
            return calls[i].call;
    return LG_CALL_NONE;
}

// Lists of what a program registers for good: it has neither the list nor a
// call that takes anything out of it.
bool
lg__native_edge_lasts(const lg_graph *graph, uint64_t edge)
{
    static const char *const lists[] = {
        "before_forkers",
        "after_forkers_parent",
        "after_forkers_child",
        "audit_hooks",
    };
    if (lg__edge_kind(graph, edge) != LG_EDGE_NATIVE)
        return false;
    if (leads_to_codecs(graph, edge))
        return keeps_codecs(graph);
    lg_string label =
        lg_graph_string(graph, lg_columns_payload(&graph->columns, edge));
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lg__string_is(label, lists[i]))
            return true;
    return false;
}
