// Opens the snapshots of a comparison, one after the other.

#include "command/comparison.h"

#include <stdlib.h>

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
    close_newest(state);
}

// Reads a summary, or opens a snapshot, keeps it open and summarises it.
static bool
summarise(lg__compared_files *state, size_t at, int *code)
{
    const char *path = state->arguments->words[at];
    lg_error error = {0};
    lg_status status;
    close_newest(state);
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
