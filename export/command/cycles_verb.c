// The verb cycles, and how it finds the cycle that a picture shows.

#include "command/command.h"

#include <leakgraph/report.h>

static bool
search(const lg_analysis *analysis, const lg__arguments *arguments,
       size_t limit, const lg_baseline *baseline, lg_cycles *out, int *code)
{
    lg_error error = {0};
    lg_scope *scope = NULL;
    lg_cycle_options options = {
        .size = sizeof options,
        .holding = arguments->holding,
        .kinds = arguments->kinds,
        .min_bytes = arguments->min_bytes,
        .limit = limit,
        .baseline = baseline,
    };
    if (!lg__by_find(lg_analysis_graph(analysis), arguments, &options.device,
                     code))
        return false;
    lg_status status =
        lg__find_scope(lg_analysis_graph(analysis), arguments, &scope, &error);
    options.scope = scope;
    if (!status)
        status =
            lg_analysis_cycles(analysis, &options, lg__monitor(), out, &error);
    lg_scope_free(scope);
    if (status)
        *code = lg__fail(&error);
    return !status;
}

bool
lg__find_cycles(const lg_analysis *analysis, const lg__arguments *arguments,
                size_t limit, lg_cycles *out, int *code)
{
    return search(analysis, arguments, limit, NULL, out, code);
}

// Adds the leaks to the baseline, and saves it.
static bool
update(const lg_analysis *analysis, const lg__arguments *arguments,
       lg_baseline *baseline, int *code)
{
    lg_error error = {0};
    lg_cycles cycles = {0};
    if (!search(analysis, arguments, 0, baseline, &cycles, code))
        return false;
    lg_status status =
        lg_cycles_note(lg_analysis_graph(analysis), &cycles, baseline, &error);
    if (!status)
        status = lg_baseline_save(baseline, arguments->baseline, &error);
    lg_cycles_free(&cycles);
    if (status)
        *code = lg__fail(&error);
    return !status;
}

static int
print_cycles(const lg__arguments *arguments, const lg_analysis *analysis,
             const lg_baseline *baseline)
{
    int code = LG__EXIT_FINE;
    lg_text text = {0};
    lg_error error = {0};
    lg_cycles cycles = {0};
    size_t limit = lg__limit_of(arguments);
    if (!search(analysis, arguments, limit, baseline, &cycles, &code))
        return code;
    lg_status status = lg_report_cycles(
        analysis, &cycles, lg__format_of(arguments), &text, &error);
    bool leaks = cycles.leaks > 0;
    lg_cycles_free(&cycles);
    code = status ? lg__fail(&error) : lg__print(&text);
    lg_text_free(&text);
    return !code && arguments->check && leaks ? LG__EXIT_LEAKS : code;
}

int
lg__verb_cycles(const lg__arguments *arguments)
{
    int code;
    lg_graph *graph;
    lg_analysis *analysis;
    lg_baseline *baseline = NULL;
    if (!lg__baseline_open(arguments, &baseline, &code))
        return code;
    if (lg__open_analysed(arguments->words[0], &graph, &analysis, &code)) {
        if (!arguments->update_baseline ||
            update(analysis, arguments, baseline, &code))
            code = print_cycles(arguments, analysis, baseline);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
    lg_baseline_free(baseline);
    return code;
}
