// Writes why a node is alive, as JSON, and the sentence that helps to cut.
#include "report/report_private.h"

#include <string.h>

// Writes the members of a path.
static void
write_path(lg_json *json, const lg_graph *graph, const lg_path *path)
{
    // A path that begins at a dominator has no root.
    if (path->start == LG_STARTS_AT_ROOT)
        lg__write_root(json, "root", &path->root);
    else
        lg_json_null(json, "root");
    lg_json_count(json, "from", path->root.node);
    lg__write_hops(json, "hops", graph, path->hops, path->count);
}

// Writes the cuts. If there is none, the list is empty and the count says so.
static void
write_cuts(lg_json *json, const lg_why *why)
{
    const lg_graph *graph = lg_analysis_graph(why->analysis);
    const lg_cuts *cuts = &why->cuts;
    lg_json_lines(json, "cuts");
    for (size_t i = 0; i < cuts->count; i++) {
        lg_json_object(json, NULL);
        write_path(json, graph, &cuts->items[i].path);
        lg_json_count(json, "cut", cuts->items[i].hop);
        lg_json_end(json);
    }
    lg_json_end(json);
    lg_json_count(json, "cut_count", cuts->total);
    if (!cuts->is_kept) {
        lg_json_null(json, "kept");
        return;
    }
    lg_json_object(json, "kept");
    write_path(json, graph, &cuts->kept);
    lg_json_end(json);
}

// What cuts a reference of the interpreter.
static const char *const calls[] = {
    [LG_CALL_NONE] = "",
    [LG_CALL_ATEXIT] = "atexit.unregister() drops the function.",
    [LG_CALL_PROFILE] =
        "sys.setprofile(None) in the same thread drops the profile function.",
    [LG_CALL_TRACE] =
        "sys.settrace(None) in the same thread drops the trace function.",
    [LG_CALL_ASYNCGEN] = ("sys.set_asyncgen_hooks(None, None) in the same "
                          "thread drops the hooks."),
    [LG_CALL_SIGNAL] =
        "signal.signal(N, signal.SIG_DFL) drops the handler of signal N.",
    [LG_CALL_COMPLETER] = "readline.set_completer(None) drops the completer.",
    [LG_CALL_STARTUP_HOOK] = "readline.set_startup_hook(None) drops the hook.",
    [LG_CALL_INPUT_HOOK] = "readline.set_pre_input_hook(None) drops the hook.",
    [LG_CALL_DISPLAY_HOOK] =
        "readline.set_completion_display_matches_hook(None) drops the hook.",
    [LG_CALL_CODECS] = "codecs.unregister() drops a search function.",
};

// Writes which cache to clear, and what that does.
static void
format_clearing(const lg_why *why, lg_text *out)
{
    lg_string name =
        lg_node_text(lg_analysis_graph(why->analysis), why->cached);
    lg_text_add(out, why->hint == LG_HINT_CACHED
                         ? "It is a cached function. Call "
                         : "Call ");
    if (name.length > 0)
        lg_text_addf(out, "%.*s.cache_clear()", (int)name.length, name.data);
    else
        lg_text_add(out, "cache_clear() of the cached function");
    lg_text_add(out, why->hint == LG_HINT_CACHED
                         ? " to free what its cache keeps."
                     : why->hint == LG_HINT_CACHE
                         ? " to free it, with all else in that cache."
                         : " to cut the references of that cache.");
}

void
lg_why_hint_format(const lg_why *why, lg_text *out)
{
    switch (why->hint) {
    case LG_HINT_NONE:
        break;
    case LG_HINT_CALL:
        lg_text_add(out, calls[why->call]);
        break;
    case LG_HINT_CACHED:
    case LG_HINT_CACHE:
    case LG_HINT_CACHE_IN:
        format_clearing(why, out);
        break;
    case LG_HINT_CYCLE:
        lg_text_add(out, "The collector does not see all references of the "
                         "cycle that it is part of: break the cycle, too, or "
                         "it stays as garbage.");
        break;
    case LG_HINT_SHELL:
        lg_text_add(out, "IPython keeps the results of cells: %xdel with the "
                         "name of a variable drops the variables and results "
                         "that are its value, but not references of other "
                         "objects.");
        break;
    case LG_HINT_LOCALS:
        lg_text_add(out, "f_locals is a copy of a function's variables, made "
                         "for a debugger or locals(): it goes with its frame.");
        break;
    }
}

static void
write_alive(lg_json *json, const lg_why *why)
{
    lg__write_root(json, "root", &why->path.root);
    lg__write_hops(json, "path", lg_analysis_graph(why->analysis),
                   why->path.hops, why->path.count);
    lg_json_array(json, "frees");
    for (size_t i = 0; i < why->path.count; i++)
        if (why->frees[i])
            lg_json_count(json, NULL, i);
    lg_json_end(json);
    write_cuts(json, why);
    lg_text hint = {0};
    lg_why_hint_format(why, &hint);
    if (hint.length > 0)
        lg__write_formatted(json, "hint", &hint);
}

static void
write_garbage(lg_json *json, const lg_why *why)
{
    lg_cycle_reason reason = why->reason;
    lg_json_bool(json, "collectable", reason == LG_REASON_NONE);
    if (reason != LG_REASON_NONE) {
        const char *name = lg_cycle_reason_name(reason);
        lg_json_string(json, "reason", name, strlen(name));
        lg_json_count(json, "culprit", why->culprit);
    }
    lg__write_hops(json, "cycle", lg_analysis_graph(why->analysis),
                   why->cycle.items, why->cycle.count);
}

void
lg__write_why(lg_json *json, const char *name, const lg_why *why,
              const char *note)
{
    const lg_graph *graph = lg_analysis_graph(why->analysis);
    lg_json_object(json, name);
    lg__write_node(json, graph, why->node);
    lg_json_bool(json, "reachable", !why->garbage);
    lg__write_retained(json, "retained", why->analysis, lg_node_retained_on,
                       why->node);
    lg_json_count(json, "spent", why->spent);
    lg_json_integer(json, "unseen", lg_node_unexplained(graph, why->node));
    lg__write_node_or_null(json, "dominator", why->dominator);
    if (note != NULL)
        lg_json_string(json, "note", note, strlen(note));
    (why->garbage ? write_garbage : write_alive)(json, why);
    lg_json_array(json, "findings");
    for (size_t i = 0; i < why->findings.count; i++)
        lg__write_finding(json, NULL, graph, &why->findings.items[i]);
    lg_json_end(json);
    lg_json_end(json);
}
