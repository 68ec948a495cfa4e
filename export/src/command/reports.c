// The verbs that print a report of the library's own: info, types, threads.

#include "command.h"

static int
print_report(lg_graph *graph, lg_status status, lg_text *text,
             const lg_error *error)
{
    int code = status ? lg__fail(error) : lg__print(text);
    lg_text_free(text);
    lg_graph_free(graph);
    return code;
}

static lg_format
format_of(const lg_arguments *arguments)
{
    return arguments->json ? LG_FORMAT_JSON : LG_FORMAT_TEXT;
}

int
lg__verb_info(const lg_arguments *arguments)
{
    int code;
    lg_graph *graph;
    lg_text text = {0};
    lg_error error = {0};
    if (!lg__open(arguments->words[0], &graph, &code))
        return code;
    lg_status status =
        lg_report_info(graph, format_of(arguments), &text, &error);
    return print_report(graph, status, &text, &error);
}

int
lg__verb_types(const lg_arguments *arguments)
{
    int code;
    lg_graph *graph;
    lg_text text = {0};
    lg_error error = {0};
    if (!lg__open(arguments->words[0], &graph, &code))
        return code;
    size_t limit = arguments->limit ? arguments->limit : 20;
    lg_status status = lg_report_types(graph, arguments->sort, limit,
                                       format_of(arguments), &text, &error);
    return print_report(graph, status, &text, &error);
}

int
lg__verb_threads(const lg_arguments *arguments)
{
    int code;
    lg_graph *graph;
    lg_text text = {0};
    lg_error error = {0};
    if (!lg__open(arguments->words[0], &graph, &code))
        return code;
    lg_status status =
        lg_report_threads(graph, format_of(arguments), &text, &error);
    return print_report(graph, status, &text, &error);
}
