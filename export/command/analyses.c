// The verbs about one snapshot that are no question: info, why, and analyze,
// which saves the analysis.

#include "command/command.h"

#include <leakgraph/file.h>
#include <leakgraph/internal/report.h>

#include <stdio.h>

static lg_status
tabulate_paths(const lg_analysis *analysis, const lg_node *nodes, size_t count,
               lg_table **out, lg_error *err)
{
    lg_merged_paths paths;
    const lg_merged_options options = {.size = sizeof options,
                                       .limit = LG_WHY_PATHS};
    lg_status status = lg_analysis_merged_paths(
        analysis, nodes, count, &options, lg__monitor(), &paths, err);
    if (status)
        return status;
    status = lg_tabulate_paths(lg_analysis_graph(analysis), &paths, out, err);
    lg_merged_paths_free(&paths);
    return status;
}

static lg_status
report_why(const lg__arguments *arguments, const lg_analysis *analysis,
           const lg_nodes *nodes, lg_text *out, lg_error *err)
{
    lg_why why;
    lg_table *paths = NULL;
    lg_format format = lg__format_of(arguments);
    uint32_t node = lg_nodes_biggest(analysis, nodes->items, nodes->count);
    lg_status status = lg_node_why(analysis, node, lg__monitor(), &why, err);
    if (status)
        return status;
    // The text about one object shows no merged paths.
    if (nodes->count > 1 || format == LG_FORMAT_JSON)
        status = tabulate_paths(analysis,
                                nodes->count > 1 ? nodes->items : &why.node,
                                nodes->count, &paths, err);
    if (!status)
        status = lg_report_why(&why, paths, NULL, format, out, err);
    lg_table_free(paths);
    lg_why_clear(&why);
    return status;
}

// Tells who holds the object while the reader waits for the answer. If that
// fails, so does the answer, which says why.
static void
tell_ahead(const lg_graph *graph, const lg_nodes *nodes)
{
    lg_text text = {0};
    lg_error error;
    if (lg__progress_is_seen() &&
        !lg_report_why_ahead(graph, nodes, lg__monitor(), &text, &error) &&
        text.length > 0)
        lg__progress_tell(&text, "computing what each of these retains");
    lg_text_free(&text);
}

// Prints why all that the selector names is alive.
int
lg__verb_why(const lg__arguments *arguments)
{
    int code;
    lg_graph *graph;
    lg_analysis *analysis = NULL;
    lg_nodes nodes = {0};
    lg_text text = {0};
    lg_error error = {0};
    if (!lg__open(arguments->words[0], &graph, &code))
        return code;
    bool selected = lg__select_all(graph, arguments->words[1], &nodes, &code);
    if (selected)
        tell_ahead(graph, &nodes);
    if (selected && lg__analyse(graph, &analysis, &code))
        code = report_why(arguments, analysis, &nodes, &text, &error)
                   ? lg__fail(&error)
                   : lg__print(&text);
    lg_text_free(&text);
    lg_nodes_free(&nodes);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return code;
}

int
lg__verb_analyze(const lg__arguments *arguments)
{
    int code;
    lg_graph *graph;
    lg_analysis *analysis;
    lg_error error = {0};
    if (!arguments->output) {
        lg__complain("analyze needs a file to write: give -o analysed.lgs");
        return LG__EXIT_USAGE;
    }
    if (!lg__open_analysed(arguments->words[0], &graph, &analysis, &code))
        return code;
    lg_save_options options = {.size = sizeof options,
                               .compress = (int)arguments->compress,
                               .analysis = analysis};
    lg_status status = lg_graph_save(graph, arguments->output, &options,
                                     lg__monitor(), &error);
    code = status ? lg__fail(&error) : LG__EXIT_FINE;
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return status == LG_EIO ? LG__EXIT_INCOMPLETE : code;
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
