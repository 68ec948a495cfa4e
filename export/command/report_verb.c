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
report_one(const lg__arguments *arguments, const lg_samples *samples)
{
    int code;
    lg_graph *graph;
    lg_analysis *analysis;
    lg_page_options options = LG_PAGE_OPTIONS_INIT;
    options.name = lg__file_name(arguments->words[0]);
    options.samples = samples;
    if (!lg__open_analysed(arguments->words[0], &graph, &analysis, &code))
        return code;
    code = write_page(arguments, analysis, &options);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return code;
}

static int
report_several(const lg__arguments *arguments, const lg_samples *samples)
{
    int code = LG__EXIT_USAGE;
    lg__compared_files state = {.arguments = arguments,
                                .count = (size_t)arguments->word_count};
    lg_page_options options = LG_PAGE_OPTIONS_INIT;
    options.samples = samples;
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
    lg_samples read = {0};
    lg_error error = {0};
    const lg_samples *samples = arguments->samples ? &read : NULL;
    if (samples && lg_samples_load(arguments->samples, &read, &error))
        return lg__fail(&error);
    int code = arguments->word_count == 1 ? report_one(arguments, samples)
                                          : report_several(arguments, samples);
    lg_samples_free(&read);
    return code;
}
