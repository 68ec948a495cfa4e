// The verb what-if: says what would die if references were cut.

#include "command/command.h"

#include <leakgraph/internal/report.h>

/* The report shows this many survivors; nobody reads more. */
#define SURVIVORS 5u

static lg_status
collect(const lg__arguments *arguments, const lg_graph *graph, lg_edges *out,
        lg_error *err)
{
    lg_status status = LG_OK;
    for (uint32_t i = 0; i < arguments->cut_count && status == LG_OK; i++)
        status = lg_graph_references(graph, arguments->cuts[i], lg__monitor(),
                                     out, err);
    return status;
}

static lg_status
report(const lg__arguments *arguments, const lg_analysis *analysis,
       const lg_scope *scope, const lg_edges *edges, lg_text *out,
       lg_error *err)
{
    lg_what_if answer;
    size_t limit = lg__limit_of(arguments);
    const lg_what_if_options options = {
        .size = sizeof options, .limit = SURVIVORS, .scope = scope};
    lg_status status =
        lg_analysis_what_if(analysis, edges->items, edges->count, &options,
                            lg__monitor(), &answer, err);
    if (status != LG_OK)
        return status;
    status = lg_report_what_if(lg_analysis_graph(analysis), &answer, limit,
                               lg__format_of(arguments), out, err);
    lg_what_if_free(&answer);
    return status;
}

int
lg__verb_what_if(const lg__arguments *arguments)
{
    int code;
    lg_graph *graph;
    lg_analysis *analysis = NULL;
    lg_scope *scope = NULL;
    lg_edges edges = {0};
    lg_text text = {0};
    lg_error error = {0};
    if (arguments->cut_count == 0) {
        lg__complain("what-if needs a reference: give --cut "
                     "train.trainer.losses");
        return LG__EXIT_USAGE;
    }
    if (!lg__open(arguments->words[0], &graph, &code))
        return code;
    lg_status status = lg__find_scope(graph, arguments, &scope, &error);
    if (status == LG_OK)
        status = collect(arguments, graph, &edges, &error);
    if (status != LG_OK)
        code = lg__fail(&error);
    else if (lg__analyse(graph, &analysis, &code))
        code = report(arguments, analysis, scope, &edges, &text, &error)
                   ? lg__fail(&error)
                   : lg__print(&text);
    lg_text_free(&text);
    lg_edges_free(&edges);
    lg_scope_free(scope);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return code;
}
