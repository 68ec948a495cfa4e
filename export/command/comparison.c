// Opens the snapshots of a comparison, one after the other.

#include "command/comparison.h"

#include <leakgraph/internal/questions.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
close_newest(lg__compared_files *state)
{
    lg_analysis_free(state->analysis);
    lg_graph_free(state->graph);
    state->analysis = NULL;
    state->graph = NULL;
}

void
lg__comparison_end(lg__compared_files *state)
{
    for (size_t i = 0; state->summaries && i < state->count; i++)
        lg_summary_free(state->summaries[i]);
    free(state->summaries);
    free(state->steps);
    lg_growth_order_free(&state->order);
    close_newest(state);
}

// Reads a summary, or opens a snapshot, keeps it open and summarises it.
static bool
summarise(lg__compared_files *state, size_t at, int *code)
{
    const char *path = lg__input_path(state->arguments->words[at], code);
    lg_error error = {0};
    lg_status status;
    close_newest(state);
    if (path == NULL)
        return false;
    if (lg_summary_is_file(path)) {
        status = lg_summary_load(path, &state->summaries[at], &error);
    } else {
        if (!lg__open_analysed(path, &state->graph, &state->analysis, code)) {
            state->graph = NULL;
            state->analysis = NULL;
            return false;
        }
        status = lg_summary_new(state->analysis, lg__monitor(),
                                &state->summaries[at], &error);
        if (!status && state->rows)
            status = lg_summary_count_rows(
                state->summaries[at], state->analysis, lg__monitor(), &error);
    }
    if (status)
        *code = lg__fail(&error);
    return !status;
}

bool
lg__comparison_begin(lg__compared_files *state, int *code)
{
    const lg__arguments *arguments = state->arguments;
    state->summaries = calloc(state->count, sizeof *state->summaries);
    if (!state->summaries) {
        *code = lg__fail(&(lg_error){LG_ENOMEM, "memory ran out"});
        return false;
    }
    if (arguments->steps &&
        !lg__steps_read(arguments->steps, state->count, &state->steps)) {
        *code = LG__EXIT_USAGE;
        return false;
    }
    for (size_t i = 0; i < state->count; i++)
        if (!summarise(state, i, code))
            return false;
    return true;
}

// Puts summaries and steps into their order. The summaries that are left out
// move behind the others.
static bool
reorder(lg__compared_files *state)
{
    const lg_growth_order *order = &state->order;
    size_t count = (size_t)state->arguments->word_count;
    lg_summary **summaries = calloc(count, sizeof *summaries);
    double *steps = state->steps ? calloc(count, sizeof *steps) : NULL;
    if (!summaries || (state->steps && !steps)) {
        free(summaries);
        free(steps);
        return false;
    }
    for (size_t i = 0; i < order->count; i++) {
        summaries[i] = state->summaries[order->index[i]];
        state->summaries[order->index[i]] = NULL;
        if (steps)
            steps[i] = state->steps[order->index[i]];
    }
    for (size_t i = 0; i < count; i++)
        lg_summary_free(state->summaries[i]);
    free(state->summaries);
    free(state->steps);
    state->summaries = summaries;
    state->steps = steps;
    state->count = order->count;
    return true;
}

// Opens the newest snapshot again if another one was opened last.
static bool
open_newest(lg__compared_files *state, int *code)
{
    size_t newest = state->order.index[state->order.count - 1];
    const char *path = lg__input_path(state->arguments->words[newest], code);
    if (newest + 1 == (size_t)state->arguments->word_count)
        return true;
    close_newest(state);
    if (lg_summary_is_file(path))
        return true;
    if (lg__open_analysed(path, &state->graph, &state->analysis, code))
        return true;
    state->graph = NULL;
    state->analysis = NULL;
    return false;
}

bool
lg__comparison_line_up(lg__compared_files *state, int *code)
{
    lg_error error = {0};
    lg_status status = lg_growth_order_find(
        (const lg_summary *const *)state->summaries, state->count,
        state->arguments->other_programs, &state->order, &error);
    if (status) {
        *code = lg__fail(&error);
        return false;
    }
    if (!reorder(state)) {
        *code = lg__fail(&(lg_error){LG_ENOMEM, "memory ran out"});
        return false;
    }
    return open_newest(state, code);
}

void
lg__comparison_say(const lg__compared_files *state)
{
    if (state->order.said.length > 0)
        fputs(state->order.said.data, stderr);
}

const char *
lg__file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!strcmp(path, "-"))
        return "standard input";
    return slash ? slash + 1 : path;
}

bool
lg__comparison_page(lg__compared_files *state, lg_page_options *options,
                    int *code)
{
    const lg__arguments *arguments = state->arguments;
    const char *last =
        lg__input_path(arguments->words[arguments->word_count - 1], code);
    if (last == NULL)
        return false;
    if (lg_summary_is_file(last)) {
        *code = LG__EXIT_USAGE;
        lg__complain("the last of several must be a snapshot, and %s is a "
                     "summary",
                     last);
        return false;
    }
    state->rows = true;
    if (!lg__comparison_begin(state, code) ||
        !lg__comparison_line_up(state, code))
        return false;
    lg__comparison_say(state);
    if (!state->analysis) {
        *code = LG__EXIT_USAGE;
        lg__complain("the newest of several must be a snapshot, not a summary");
        return false;
    }
    size_t newest = state->order.index[state->count - 1];
    options->name = lg__file_name(arguments->words[newest]);
    options->summaries = (const lg_summary *const *)state->summaries;
    options->summary_count = state->count;
    options->steps = state->steps;
    options->note = state->order.said.data;
    return true;
}
