// The verb `report`: makes a page of one snapshot, or of several.

#include "command/comparison.h"

#include <leakgraph/page.h>

#include <string.h>

// Returns the name of the newest snapshot's file without its folder.
static const char *
find_name(const lg__arguments *arguments, const lg__compared_files *compared)
{
    size_t newest = compared ? compared->order.index[compared->count - 1] : 0;
    const char *path = arguments->words[newest];
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int
write_page(const lg__arguments *arguments, const lg_analysis *analysis,
           const lg__compared_files *compared)
{
    lg_error error = {0};
    lg_page_options options = LG_PAGE_OPTIONS_INIT;
    options.name = find_name(arguments, compared);
    if (compared) {
        options.summaries = (const lg_summary *const *)compared->summaries;
        options.summary_count = compared->count;
        options.steps = compared->steps;
        options.note = compared->order.said.data;
    }
    lg_status status = lg_page_save(analysis, &options, arguments->output,
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
    if (!lg__open_analysed(arguments->words[0], &graph, &analysis, &code))
        return code;
    code = write_page(arguments, analysis, NULL);
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
    const char *newest = arguments->words[arguments->word_count - 1];
    if (lg_summary_is_file(newest))
        lg__complain("the last of several must be a snapshot, and %s is a "
                     "summary",
                     newest);
    else if (lg__comparison_begin(&state, &code) &&
             lg__comparison_line_up(&state, &code)) {
        lg__comparison_say(&state);
        if (state.analysis)
            code = write_page(arguments, state.analysis, &state);
        else
            lg__complain("the newest of several must be a snapshot, not a "
                         "summary");
    }
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
