// The verbs that print a report of the graph: info and memory.

#include "command/command.h"

#include <leakgraph/file.h>
#include <leakgraph/internal/report.h>

// A partial snapshot has no analysis: this then gives NULL.
lg_status
lg__find_analysis_if_any(const lg_graph *graph, lg_analysis **out,
                         lg_error *err)
{
    *out = NULL;
    lg_status status = lg__find_analysis(graph, out, err);
    return status == LG_EPARTIAL || status == LG_EUNSUPPORTED ? LG_OK : status;
}

int
lg__verb_info(const lg__arguments *arguments)
{
    int code;
    lg_text text = {0};
    lg_error error = {0};
    const char *path = lg__input_path(arguments->words[0], &code);
    if (path == NULL)
        return code;
    lg_status status =
        lg_report_info_file(path, LG_LOAD_MAPPED, lg__format_of(arguments),
                            lg__monitor(), &text, &error);
    code = status ? lg__fail_to_open(&error) : lg__print(&text);
    lg_text_free(&text);
    return code;
}

int
lg__verb_memory(const lg__arguments *arguments)
{
    int code;
    lg_graph *graph;
    lg_text text = {0};
    lg_error error = {0};
    if (!lg__open(arguments->words[0], &graph, &code))
        return code;
    lg_status status =
        lg_report_memory(graph, NULL, lg__format_of(arguments), &text, &error);
    code = status ? lg__fail(&error) : lg__print(&text);
    lg_text_free(&text);
    lg_graph_free(graph);
    return code;
}
