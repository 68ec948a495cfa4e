// Snapshots of one program: opens them, one after the other, and sorts them.
// The verbs that compare them (diff, render --diff, ranks), and summarize,
// which saves what a comparison needs.

#include "command/comparison.h"

#include <leakgraph/internal/growth.h>
#include <leakgraph/internal/page.h>
#include <leakgraph/internal/report.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>
#include <leakgraph/view.h>
#include <leakgraph/internal/answer_views.h>
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

// Makes a summary of the snapshot that is open.
static lg_status
summary_of(const lg__compared_files *state, bool newest, lg_summary **out,
           lg_error *error)
{
    lg_summary *made = NULL;
    lg_status status =
        state->words
            ? lg_summary_new(state->analysis, lg__monitor(), &made, error)
            : lg_summary_new_compared(state->analysis, newest, lg__monitor(),
                                      &made, error);
    if (!status && state->rows)
        status =
            lg_summary_count_rows(made, state->analysis, lg__monitor(), error);
    if (status)
        lg_summary_free(made);
    else
        *out = made;
    return status;
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
        status = summary_of(state, at + 1 == state->count,
                            &state->summaries[at], &error);
    }
    if (status)
        *code = lg__fail(&error);
    return !status;
}

// Reads `--steps`: `count` numbers with commas between them. The caller
// frees them.
static bool
steps_read(const char *word, size_t count, double **out)
{
    double *steps = malloc(count * sizeof *steps);
    const char *at = word;
    size_t taken = 0;
    while (steps && taken < count) {
        const char *number = at + strspn(at, " ");
        bool negative = *number == '-';
        number += negative || *number == '+';
        const char *end = lg_number_read(number, &steps[taken]);
        if (end == number || (*end && *end != ','))
            break;
        steps[taken] = negative ? -steps[taken] : steps[taken];
        taken++;
        at = end + (*end == ',');
        if (!*end)
            break;
    }
    if (steps && taken == count && !*at && at > word && at[-1] != ',') {
        *out = steps;
        return true;
    }
    lg__complain("--steps takes %zu numbers with commas between them, one for "
                 "each snapshot, not '%s'",
                 count, word);
    free(steps);
    return false;
}

// Opens what the arguments name: a summary of each, and the graph and the
// analysis of the newest. Returns false after a complaint, with the exit
// code in *code. The caller ends it either way.
static bool
comparison_begin(lg__compared_files *state, int *code)
{
    const lg__arguments *arguments = state->arguments;
    state->summaries = calloc(state->count, sizeof *state->summaries);
    if (!state->summaries) {
        *code = lg__fail(&(lg_error){LG_ENOMEM, "memory ran out"});
        return false;
    }
    if (arguments->steps &&
        !steps_read(arguments->steps, state->count, &state->steps)) {
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

// Makes the summary of the newest snapshot anew: that of an older one has no
// words.
static bool
renew_newest(lg__compared_files *state, int *code)
{
    lg_error error = {0};
    lg_summary *made = NULL;
    lg_status status = summary_of(state, true, &made, &error);
    if (status) {
        *code = lg__fail(&error);
        return false;
    }
    lg_summary_free(state->summaries[state->count - 1]);
    state->summaries[state->count - 1] = made;
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
        return renew_newest(state, code);
    state->graph = NULL;
    state->analysis = NULL;
    return false;
}

// Sorts the snapshots, leaves out those that cannot be compared with the
// others, and says so in state->order. Returns false after a complaint.
static bool
comparison_line_up(lg__compared_files *state, int *code)
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

// Says on the standard error what was sorted or left out.
static void
comparison_say(const lg__compared_files *state)
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
    if (!comparison_begin(state, code) || !comparison_line_up(state, code))
        return false;
    comparison_say(state);
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

// How many rows to show: 20 where nothing is given; 0: no limit.
static size_t
limit_of(const lg__arguments *arguments)
{
    enum { USUAL_LIMIT = 20 };
    if (arguments->all)
        return 0;
    return arguments->limit ? arguments->limit : USUAL_LIMIT;
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
    size_t limit = limit_of(arguments);
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
    comparison_say(state);
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
                                .count = (size_t)arguments->word_count,
                                .words = !in_time};
    if (!open_baseline(arguments, &state.baseline, &code))
        return code;
    if (comparison_begin(&state, &code) &&
        (!in_time || comparison_line_up(&state, &code)))
        code = tell(&state);
    lg__comparison_end(&state);
    lg_baseline_free(state.baseline);
    return code;
}

static int
verb_diff(const lg__arguments *arguments)
{
    return compare(arguments, true, print_growth);
}

const lg__verb lg__verb_diff = {
    .name = "diff",
    .run = verb_diff,
    .options = "pniELeFxcKUj",
    .words = 2,
    .more_words = LG__ANY_WORDS,
    .summary = "see what grows from snapshot to snapshot, and who holds it",
    .usage =
        "leakgraph diff OLD NEW [NEWER ...] [--steps A,B,...] [--min-bytes N]\n"
        "       [--mine] [--module GLOB] [--settled] [--limit N|all]\n"
        "       [--other-programs] [--check [--max-growth N]]\n"
        "       [--baseline FILE [--update-baseline]] [--json]",
    .help =
        "Compares snapshots of one program, or their summaries, the oldest "
        "first.\n"
        "Prints what grows, who holds it, and how fast it grows, the\n"
        "most bytes gained first. Three snapshots or more tell a leak from "
        "memory\n"
        "that is allocated once, that goes up and down, or that fills up to a\n"
        "limit. With --mine and --module, only what the modules hold in the "
        "newest\n"
        "snapshot has rows. With --check, the exit code is 1 if the rows "
        "together\n"
        "gained more than --max-growth.\n"
        "\n"
        "Example:\n"
        "  leakgraph diff step-100.lgs step-200.lgs step-300.lgs --steps "
        "100,200,300\n"
        "  leakgraph diff a.lgsum b.lgsum c.lgsum --check --max-growth 64KiB\n",
};

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
    size_t limit = limit_of(arguments);
    lg_status status = find_ranks(state, &ranks, &error);
    if (!status)
        status = lg_report_ranks(&ranks, limit, lg__format_of(arguments), &text,
                                 &error);
    lg_ranks_free(&ranks);
    int code = status ? lg__fail(&error) : lg__print(&text);
    lg_text_free(&text);
    return code;
}

static int
verb_ranks(const lg__arguments *arguments)
{
    if (arguments->output && arguments->json) {
        lg__complain("ranks prints JSON or writes a page: leave out --json or "
                     "-o");
        return LG__EXIT_USAGE;
    }
    return compare(arguments, false,
                   arguments->output ? save_ranks : print_ranks);
}

const lg__verb lg__verb_ranks = {
    .name = "ranks",
    .run = verb_ranks,
    .options = "nLoj",
    .words = 2,
    .more_words = LG__ANY_WORDS,
    .summary = "compare the processes of a job",
    .usage = "leakgraph ranks SNAP SNAP [...] [--min-bytes N] [--limit N|all]\n"
             "       [--json | -o FILE.html]",
    .help =
        "Compares the processes of one job, such as the ranks of a training "
        "run.\n"
        "Takes a snapshot or summary of each, all from the same moment. Prints "
        "the\n"
        "places where one has --min-bytes (1 MiB) more or less than the "
        "others\n"
        "usually have, the biggest difference first, then what every process "
        "has,\n"
        "and the processes. Devices of one kind count as one: cuda:3 of rank "
        "3\n"
        "compares with cuda:0 of rank 0. With -o, writes a web page instead.\n"
        "\n"
        "Example:\n"
        "  leakgraph ranks rank-*.lgs\n"
        "  leakgraph ranks rank-*.lgs -o ranks.html\n"
        "  leakgraph ranks rank-*.lgsum --min-bytes 64MiB\n",
};

static int
verb_summarize(const lg__arguments *arguments)
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

const lg__verb lg__verb_summarize = {
    .name = "summarize",
    .run = verb_summarize,
    .options = "o",
    .words = 1,
    .summary = "write a small file that diff and ranks read",
    .usage = "leakgraph summarize SNAP -o FILE",
    .help =
        "Writes a summary of the snapshot: its places, types and accounts,\n"
        "without its objects. The file is usually smaller than 200 KB, and "
        "`diff`\n"
        "and `ranks` read it like a snapshot.\n"
        "\n"
        "Example:\n"
        "  leakgraph summarize run.lgs -o run.lgsum\n",
};
