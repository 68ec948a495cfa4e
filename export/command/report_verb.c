// The verb `report`: makes a page of one snapshot, or of several.

#include "command/comparison.h"

static int
write_page(const lg__arguments *arguments, const lg_analysis *analysis,
           const lg_page_options *options)
{
    lg_error error = {0};
    lg_status status = lg_page_save(analysis, options, arguments->output,
                                    lg__monitor(), &error);
    lg__progress_end();
    int code = status ? lg__fail(&error) : LG__EXIT_FINE;
    return status == LG_EIO ? LG__EXIT_INCOMPLETE : code;
}

static int
report_one(const lg__arguments *arguments)
{
    int code;
    lg_graph *graph;
    lg_analysis *analysis;
    lg_page_options options = LG_PAGE_OPTIONS_INIT;
    options.name = lg__file_name(arguments->words[0]);
    if (!lg__open_analysed(arguments->words[0], &graph, &analysis, &code))
        return code;
    code = write_page(arguments, analysis, &options);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return code;
}

static int
report_several(const lg__arguments *arguments)
{
    int code = LG__EXIT_USAGE;
    lg__compared_files state = {.arguments = arguments,
                                .count = (size_t)arguments->word_count};
    lg_page_options options = LG_PAGE_OPTIONS_INIT;
    if (lg__comparison_page(&state, &options, &code))
        code = write_page(arguments, state.analysis, &options);
    lg__comparison_end(&state);
    return code;
}

int
lg__verb_report(const lg__arguments *arguments)
{
    if (!arguments->output) {
        lg__complain("report needs a file to write: give -o run.html");
        return LG__EXIT_USAGE;
    }
    return arguments->word_count == 1 ? report_one(arguments)
                                      : report_several(arguments);
}
