// Lists the verbs with their options and help, and has those that are short:
// what tells about one snapshot, and what makes a file of it.

#include "command/command.h"
#include "command/comparison.h"

#include <leakgraph/export.h>
#include <leakgraph/file.h>
#include <leakgraph/internal/export_formats.h>
#include <leakgraph/internal/report.h>
#include <leakgraph/internal/writing.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
verb_info(const lg__arguments *arguments)
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

static const lg__verb info_verb = {
    .name = "info",
    .run = verb_info,
    .options = "j",
    .words = 1,
    .summary = "see when, where and how the snapshot was taken",
    .usage = "leakgraph info SNAP [--json]",
    .help =
        "Prints when, where and how the snapshot was taken, how much it "
        "holds,\n"
        "which libraries the capture inspected, and whether it is partial.\n"
        "\n"
        "Example:\n"
        "  leakgraph info run.lgs\n",
};

static int
verb_questions(const lg__arguments *arguments)
{
    lg_text text = {0};
    lg_error error = {0};
    const lg_question *question;
    if (arguments->json && lg_questions_json(&text, &error))
        return lg__fail(&error);
    for (size_t i = 0; !arguments->json && (question = lg_question_at(i)); i++)
        lg_text_addf(&text, "%-11s %s\n", lg__question_verb_name(question),
                     question->help);
    return lg__print(&text);
}

static const lg__verb questions_verb = {
    .name = "questions",
    .run = verb_questions,
    .options = "j",
    .summary = "list the questions that have a table",
    .usage = "leakgraph questions [--json]",
    .help = "Prints the questions that a snapshot answers with a table. With "
            "--json,\n"
            "prints the options and columns of each, too.\n"
            "\n"
            "Example:\n"
            "  leakgraph questions --json\n",
};

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
static int
verb_why(const lg__arguments *arguments)
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

static const lg__verb why_verb = {
    .name = "why",
    .run = verb_why,
    .options = "j",
    .words = 2,
    .summary = "see why an object is alive, and what to cut",
    .usage = "leakgraph why SNAP SELECTOR [--json]",
    .help = "Prints what keeps the object alive: the path from a root, the "
            "immediate\n"
            "dominator, the retained size, and every reference that you must "
            "cut. It\n"
            "marks each reference on the path that frees the object when you "
            "cut it\n"
            "alone. For several objects, `why` prints their merged paths (see\n"
            "`paths`), and then why the one that retains the most is "
            "alive.\n" LG__SELECTORS_HELP "\n"
            "Example:\n"
            "  leakgraph why run.lgs name:train.trainer\n"
            "  leakgraph why run.lgs type:torch.Tensor\n",
};

// The scripts with which shells complete command lines: they ask the command.

// bash breaks words at colons and equals signs; so the part that stands before
// the last of these is not repeated.
static const char bash[] =
    "_leakgraph() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} IFS=$'\\n' word\n"
    "    word=${line##* }\n"
    "    local before=${word%\"${word##*[:=]}\"}\n"
    "    COMPREPLY=($(leakgraph completion --line \"$line\" 2>/dev/null))\n"
    "    COMPREPLY=(\"${COMPREPLY[@]#\"$before\"}\")\n"
    "    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == */ ]] &&\n"
    "        compopt -o nospace\n"
    "}\n"
    "complete -F _leakgraph leakgraph\n";

static const char zsh[] =
    "#compdef leakgraph\n"
    "_leakgraph() {\n"
    "    local -a found\n"
    "    found=(\"${(@f)$(leakgraph completion --line \"$LBUFFER\" "
    "2>/dev/null)}\")\n"
    "    found=(${found:#})\n"
    "    compadd -Q -U -- \"${found[@]}\"\n"
    "}\n"
    "compdef _leakgraph leakgraph\n";

static const char fish[] =
    "complete -c leakgraph -f -a "
    "'(leakgraph completion --line (commandline -cp) 2>/dev/null)'\n";

// Prints the script with which a shell completes command lines.
static int
verb_completion(const lg__arguments *arguments)
{
    const char *shell = arguments->words[0];
    if (!strcmp(shell, "bash"))
        fputs(bash, stdout);
    else if (!strcmp(shell, "zsh"))
        fputs(zsh, stdout);
    else if (!strcmp(shell, "fish"))
        fputs(fish, stdout);
    else {
        lg__complain("completion takes bash, zsh or fish, not '%s'", shell);
        return LG__EXIT_USAGE;
    }
    return LG__EXIT_FINE;
}

static const lg__verb completion_verb = {
    .name = "completion",
    .run = verb_completion,
    .options = "",
    .words = 1,
    .summary = "complete command lines in bash, zsh or fish",
    .usage = "leakgraph completion bash|zsh|fish",
    .help = "Prints a script with which the shell completes verbs, options and "
            "their\n"
            "words, files, and selectors, which it takes from the snapshot.\n"
            "\n"
            "Example:\n"
            "  source <(leakgraph completion bash)\n"
            "  leakgraph completion fish > "
            "~/.config/fish/completions/leakgraph.fish\n",
};

// The verb strip: writes a snapshot without the user's own texts, to share it.

static int
verb_strip(const lg__arguments *arguments)
{
    int code;
    lg_graph *graph;
    lg_graph *stripped = NULL;
    lg_error error = {0};
    lg_save_options options = {.size = sizeof options,
                               .compress = (int)arguments->compress};
    if (!arguments->output) {
        lg__complain("strip needs a file to write: give -o stripped.lgs");
        return LG__EXIT_USAGE;
    }
    if (!lg__open(arguments->words[0], &graph, &code))
        return code;
    lg_status status = lg_graph_strip(graph, &stripped, &error);
    if (!status)
        status = lg_graph_save(stripped, arguments->output, &options,
                               lg__monitor(), &error);
    code = status ? lg__fail(&error) : LG__EXIT_FINE;
    lg_graph_free(stripped);
    lg_graph_free(graph);
    return status == LG_EIO ? LG__EXIT_INCOMPLETE : code;
}

static const lg__verb strip_verb = {
    .name = "strip",
    .run = verb_strip,
    .options = "oz",
    .words = 1,
    .summary = "write a copy without string keys and previews",
    .usage = "leakgraph strip SNAP -o FILE [--compress LEVEL]",
    .help =
        "Writes a copy of the snapshot without string keys, previews, and what "
        "is\n"
        "known about equal contents. The names of types, attributes, variables "
        "and\n"
        "modules stay.\n"
        "\n"
        "Example:\n"
        "  leakgraph strip run.lgs -o share.lgs\n",
};

// The verb `report`: makes a page of one snapshot, or of several.

static int
verb_analyze(const lg__arguments *arguments)
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

static const lg__verb analyze_verb = {
    .name = "analyze",
    .run = verb_analyze,
    .options = "oz",
    .words = 1,
    .summary = "write a copy that answers at once",
    .usage = "leakgraph analyze IN -o OUT [--compress N]",
    .help =
        "Analyses the snapshot and writes a copy with the results, from which\n"
        "`top`, `why`, `cycles` and the others answer at once.\n"
        "\n"
        "Example:\n"
        "  leakgraph analyze run.lgs -o analysed.lgs\n",
};

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
    options.settled = arguments->settled;
    if (lg__comparison_page(&state, &options, &code))
        code = write_page(arguments, state.analysis, &options);
    lg__comparison_end(&state);
    return code;
}

static int
verb_report(const lg__arguments *arguments)
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

static const lg__verb report_verb = {
    .name = "report",
    .run = verb_report,
    .options = "opae",
    .words = 1,
    .more_words = LG__ANY_WORDS,
    .summary = "write one web page with all answers",
    .usage = "leakgraph report SNAP -o FILE.html\n"
             "       leakgraph report OLD [NEWER ...] NEWEST -o FILE.html "
             "[--steps A,B,...]\n"
             "                        [--samples FILE] [--settled]",
    .help =
        "Writes one HTML file that needs no network: what to do first, a map "
        "of\n"
        "who owns the bytes, and the tables of all answers. With several\n"
        "snapshots of one program, the oldest first, the page also shows what\n"
        "grows; all but the last may be summaries. With --samples, it shows\n"
        "memory over time, as watch() or attach wrote it. The page shows "
        "names\n"
        "from the snapshot, so `strip` the snapshot before you share the page\n"
        "with strangers.\n"
        "\n"
        "Example:\n"
        "  leakgraph report run.lgs -o run.html\n"
        "  leakgraph report a.lgs b.lgs c.lgs -o growth.html\n",
};

// Writes a snapshot in the format of another tool.

// Parquet is written by pyarrow.
static int
write_parquet(const lg__arguments *arguments)
{
    static char verb[] = "export", option[] = "--parquet", end[] = "--";
    if (arguments->output || arguments->format) {
        lg__complain("export writes tables or a file: give --parquet or -o");
        return LG__EXIT_USAGE;
    }
    int code = LG__EXIT_INCOMPLETE;
    const char *path = lg__input_path(arguments->words[0], &code);
    char *folder = strdup(arguments->parquet);
    char *file = path ? strdup(path) : NULL;
    char *words[] = {verb, option, folder, end, file, NULL};
    if (folder && file)
        code = lg__run_python(words);
    free(file);
    free(folder);
    return code;
}

static int
verb_export(const lg__arguments *arguments)
{
    int code;
    lg_graph *graph;
    lg_analysis *analysis = NULL;
    lg_export_format format;
    lg_error error = {0};
    if (arguments->parquet)
        return write_parquet(arguments);
    if (!arguments->output) {
        lg__complain("export needs a file to write: give -o run.graphml");
        return LG__EXIT_USAGE;
    }
    if (lg_export_format_find(arguments->format, arguments->output, &format,
                              &error))
        return lg__fail(&error);
    if (!lg__open(arguments->words[0], &graph, &code))
        return code;
    if (!lg_export_needs_analysis(format) ||
        lg__analyse(graph, &analysis, &code)) {
        lg_status status = lg_export_file(
            graph, analysis, format, arguments->output, lg__monitor(), &error);
        code = status ? lg__fail(&error) : LG__EXIT_FINE;
        if (status == LG_EIO)
            code = LG__EXIT_INCOMPLETE;
    }
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return code;
}

static const lg__verb export_verb = {
    .name = "export",
    .run = verb_export,
    .options = "ofQ",
    .words = 1,
    .summary = "write the snapshot for another tool",
    .usage = "leakgraph export SNAP -o FILE [--format NAME]\n"
             "       leakgraph export SNAP --parquet DIR",
    .help =
        "Writes the snapshot in the format of another tool. The suffix of the "
        "file\n"
        "chooses the format, or --format does:\n"
        "  .heapsnapshot       Chrome DevTools, the Memory panel\n"
        "  .graphml            networkx, igraph, yEd\n"
        "  .gexf               Gephi\n"
        "  .folded             flame graphs\n"
        "  .speedscope.json    speedscope\n"
        "  .pb, .pb.gz         pprof (format pprof), compressed\n"
        "  .allocations.folded the lines that allocated, and who holds\n"
        "The first three have all objects and references, the others the bytes "
        "of\n"
        "each place in the dominator tree. --parquet writes the tables nodes,\n"
        "edges and types, for which it starts Python with pyarrow.\n"
        "\n"
        "Example:\n"
        "  leakgraph export run.lgs -o run.heapsnapshot\n"
        "  leakgraph export run.lgs -o run.pb && go tool pprof -top run.pb\n",
};

// In the order of the help.
static const lg__verb *const verbs[] = {
    &info_verb,      &questions_verb, &lg__verb_refs,   &lg__verb_referrers,
    &lg__verb_path,  &why_verb,       &lg__verb_render, &lg__verb_diff,
    &lg__verb_ranks, &report_verb,    &lg__verb_view,   &lg__verb_summarize,
    &analyze_verb,   &export_verb,    &strip_verb,      &completion_verb,
};

const lg__verb *
lg__verb_at(size_t index)
{
    return index < sizeof verbs / sizeof *verbs ? verbs[index] : NULL;
}

const lg__verb *
lg__verb_find(const char *name)
{
    size_t i = 0;
    while (lg__verb_at(i) && strcmp(name, lg__verb_at(i)->name))
        i++;
    return lg__verb_at(i);
}

// Returns whether a verb of the same name is written by hand, because it does
// more than to ask.
static bool
has_verb(const lg_question *question)
{
    size_t i = 0;
    while (lg__verb_at(i) && strcmp(lg__verb_at(i)->name, question->name))
        i++;
    return lg__verb_at(i) != NULL || (question->needs & LG_NEEDS_SEVERAL);
}

const lg_question *
lg__question_verb_at(size_t index)
{
    const lg_question *question;
    for (size_t i = 0; (question = lg_question_at(i)) != NULL; i++)
        if (!has_verb(question) && index-- == 0)
            return question;
    return NULL;
}

const lg_question *
lg__question_verb_find(const char *name)
{
    size_t i = 0;
    while (lg__question_verb_at(i) &&
           strcmp(name, lg__question_verb_name(lg__question_verb_at(i))))
        i++;
    return lg__question_verb_at(i);
}
