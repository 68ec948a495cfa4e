// The verbs that compare snapshots (diff, render --diff, ranks), and summarize,
// which saves what a comparison needs.

#include "command/comparison.h"

#include <leakgraph/internal/growth.h>
#include <leakgraph/internal/page.h>
#include <leakgraph/internal/report.h>
#include <leakgraph/internal/writing.h>
#include <leakgraph/view.h>
#include <leakgraph/internal/answer_views.h>

static lg_status
find_scope(const lg__compared_files *state, lg_scope **out, lg_error *error)
{
    const lg__arguments *arguments = state->arguments;
    if (state->graph)
        return lg__find_scope(state->graph, arguments, out, error);
    if (!arguments->mine && !arguments->module)
        return LG_OK;
    return lg_error_set(error, LG_EINVAL,
                        "--mine and --module need a snapshot as the last file, "
                        "and %s is a summary",
                        arguments->words[state->order.index[state->count - 1]]);
}

static lg_status
find_growth(const lg__compared_files *state, lg_growth *out, lg_error *error)
{
    const lg__arguments *arguments = state->arguments;
    lg_scope *scope = NULL;
    lg_growth_options options = LG_GROWTH_OPTIONS_INIT;
    options.steps = state->steps;
    options.settled = arguments->settled;
    options.min_bytes =
        arguments->min_bytes > 0 ? (uint64_t)arguments->min_bytes : 0;
    lg_status status = find_scope(state, &scope, error);
    options.scope = scope;
    options.note = state->order.said.data;
    if (!status)
        status = lg_growth_find((const lg_summary *const *)state->summaries,
                                state->count, state->analysis, &options,
                                lg__monitor(), out, error);
    lg_scope_free(scope);
    return status;
}

// Leaves out what the baseline knows. --update-baseline first adds all rows to
// it.
static lg_status
leave_out(const lg__compared_files *state, lg_growth *growth, lg_error *error)
{
    const lg__arguments *arguments = state->arguments;
    lg_status status = LG_OK;
    if (state->baseline == NULL)
        return LG_OK;
    if (arguments->update_baseline)
        status = lg_growth_note(growth, state->baseline, error);
    if (!status && arguments->update_baseline)
        status = lg_baseline_save(state->baseline, arguments->baseline, error);
    if (!status)
        lg_growth_leave_out(growth, state->baseline);
    return status;
}

static int
print_growth(const lg__compared_files *state)
{
    const lg__arguments *arguments = state->arguments;
    lg_growth growth = {0};
    lg_text text = {0};
    lg_error error = {0};
    lg_status status = find_growth(state, &growth, &error);
    if (!status)
        status = leave_out(state, &growth, &error);
    size_t limit = lg__limit_of(arguments);
    bool leaks = !status && arguments->check &&
                 !lg_growth_check(&growth, arguments->max_growth);
    if (!status)
        status = lg_report_growth(&growth, state->graph, limit,
                                  lg__format_of(arguments), &text, &error);
    lg_growth_free(&growth);
    int code = status ? lg__fail(&error) : lg__print(&text);
    lg_text_free(&text);
    return code == LG__EXIT_FINE && leaks ? LG__EXIT_LEAKS : code;
}

static int
draw_growth(const lg__compared_files *state)
{
    lg_growth growth = {0};
    lg_view *view = NULL;
    lg_error error = {0};
    lg_status status = find_growth(state, &growth, &error);
    if (!status)
        status = lg_view_growth(&growth, &view, &error);
    lg_growth_free(&growth);
    lg__comparison_say(state);
    int code = status ? lg__fail(&error) : lg__draw(state->arguments, view);
    lg_view_free(view);
    return code;
}

// Opens the baseline that the options name; NULL: they name none.
static bool
open_baseline(const lg__arguments *arguments, lg_baseline **out, int *code)
{
    lg_error error = {0};
    if (arguments->update_baseline && !arguments->baseline) {
        lg__complain("--update-baseline needs a file: give --baseline FILE");
        *code = LG__EXIT_USAGE;
        return false;
    }
    if (!arguments->baseline ||
        !lg_baseline_load(arguments->baseline, arguments->update_baseline, out,
                          &error))
        return true;
    *code = lg__fail(&error);
    return false;
}

static int
compare(const lg__arguments *arguments, bool in_time,
        int (*tell)(const lg__compared_files *state))
{
    int code = LG__EXIT_FINE;
    lg__compared_files state = {.arguments = arguments,
                                .count = (size_t)arguments->word_count};
    if (!open_baseline(arguments, &state.baseline, &code))
        return code;
    if (lg__comparison_begin(&state, &code) &&
        (!in_time || lg__comparison_line_up(&state, &code)))
        code = tell(&state);
    lg__comparison_end(&state);
    lg_baseline_free(state.baseline);
    return code;
}

int
lg__verb_diff(const lg__arguments *arguments)
{
    return compare(arguments, true, print_growth);
}

int
lg__render_growth(const lg__arguments *arguments)
{
    return compare(arguments, true, draw_growth);
}

static lg_status
find_ranks(const lg__compared_files *state, lg_ranks *out, lg_error *error)
{
    lg_ranks_options options = LG_RANKS_OPTIONS_INIT;
    if (state->arguments->min_bytes >= 0)
        options.min_bytes = (uint64_t)state->arguments->min_bytes;
    return lg_ranks_find((const lg_summary *const *)state->summaries,
                         state->count, &options, out, error);
}

static int
save_ranks(const lg__compared_files *state)
{
    lg_ranks ranks = {0};
    lg_error error = {0};
    lg_status status = find_ranks(state, &ranks, &error);
    if (!status)
        status =
            lg_page_ranks_save(&ranks, NULL, state->arguments->output, &error);
    lg_ranks_free(&ranks);
    int code = status ? lg__fail(&error) : LG__EXIT_FINE;
    return status == LG_EIO ? LG__EXIT_INCOMPLETE : code;
}

static int
print_ranks(const lg__compared_files *state)
{
    const lg__arguments *arguments = state->arguments;
    lg_ranks ranks = {0};
    lg_text text = {0};
    lg_error error = {0};
    size_t limit = lg__limit_of(arguments);
    lg_status status = find_ranks(state, &ranks, &error);
    if (!status)
        status = lg_report_ranks(&ranks, limit, lg__format_of(arguments), &text,
                                 &error);
    lg_ranks_free(&ranks);
    int code = status ? lg__fail(&error) : lg__print(&text);
    lg_text_free(&text);
    return code;
}

int
lg__verb_ranks(const lg__arguments *arguments)
{
    if (arguments->output && arguments->json) {
        lg__complain("ranks prints JSON or writes a page: leave out --json or "
                     "-o");
        return LG__EXIT_USAGE;
    }
    return compare(arguments, false,
                   arguments->output ? save_ranks : print_ranks);
}

int
lg__verb_summarize(const lg__arguments *arguments)
{
    int code;
    lg_graph *graph;
    lg_analysis *analysis;
    lg_summary *summary = NULL;
    lg_error error = {0};
    if (!arguments->output) {
        lg__complain("summarize needs a file to write: give -o run.lgsum");
        return LG__EXIT_USAGE;
    }
    if (!lg__open_analysed(arguments->words[0], &graph, &analysis, &code))
        return code;
    lg_status status =
        lg_summary_new(analysis, lg__monitor(), &summary, &error);
    if (!status)
        status = lg_summary_save(summary, arguments->output, &error);
    code = status ? lg__fail(&error) : LG__EXIT_FINE;
    lg_summary_free(summary);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return status == LG_EIO ? LG__EXIT_INCOMPLETE : code;
}
