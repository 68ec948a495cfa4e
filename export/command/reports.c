// The verbs that print a report of the graph: info, threads, memory.

#include "command/command.h"

#include <leakgraph/file.h>
#include <leakgraph/report.h>

typedef lg_status report_function(const lg__arguments *arguments,
                                  const lg_graph *graph, const lg_scope *scope,
                                  lg_format format, lg_text *out,
                                  lg_error *err);

static int
print_report(const lg__arguments *arguments, report_function *write)
{
    int code;
    lg_graph *graph;
    lg_scope *scope = NULL;
    lg_text text = {0};
    lg_error error = {0};
    lg_format format = lg__format_of(arguments);
    if (!lg__open(arguments->words[0], &graph, &code))
        return code;
    lg_status status = lg__find_scope(graph, arguments, &scope, &error);
    if (!status)
        status = write(arguments, graph, scope, format, &text, &error);
    code = status ? lg__fail(&error) : lg__print(&text);
    lg_scope_free(scope);
    lg_text_free(&text);
    lg_graph_free(graph);
    return code;
}

// A partial snapshot has no analysis: this then gives NULL.
lg_status
lg__find_analysis_if_any(const lg_graph *graph, lg_analysis **out,
                         lg_error *err)
{
    *out = NULL;
    lg_status status = lg__find_analysis(graph, out, err);
    return status == LG_EPARTIAL || status == LG_EUNSUPPORTED ? LG_OK : status;
}

// Without an analysis, the report shows the objects' own sizes.
static lg_status
write_threads(const lg__arguments *arguments, const lg_graph *graph,
              const lg_scope *scope, lg_format format, lg_text *out,
              lg_error *err)
{
    (void)arguments;
    lg_analysis *analysis;
    lg_status status = lg__find_analysis_if_any(graph, &analysis, err);
    if (!status)
        status = lg_report_threads(graph, analysis, scope, format, out, err);
    lg_analysis_free(analysis);
    return status;
}

static lg_status
write_memory(const lg__arguments *arguments, const lg_graph *graph,
             const lg_scope *scope, lg_format format, lg_text *out,
             lg_error *err)
{
    (void)arguments;
    (void)scope;
    return lg_report_memory(graph, NULL, format, out, err);
}

int
lg__verb_info(const lg__arguments *arguments)
{
    lg_text text = {0};
    lg_error error = {0};
    lg_status status = lg_report_info_file(arguments->words[0], LG_LOAD_MAPPED,
                                           lg__format_of(arguments),
                                           lg__monitor(), &text, &error);
    int code = status ? lg__fail_to_open(&error) : lg__print(&text);
    lg_text_free(&text);
    return code;
}

int
lg__verb_threads(const lg__arguments *arguments)
{
    return print_report(arguments, write_threads);
}

int
lg__verb_memory(const lg__arguments *arguments)
{
    return print_report(arguments, write_memory);
}
