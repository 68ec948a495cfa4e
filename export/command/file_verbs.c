// Lists the verbs that compare snapshots or make files of them, with their
// options and help.
#include "command/file_verbs.h"
#include "command/command.h"
#include "command/comparison.h"

#include <leakgraph/export.h>
#include <leakgraph/file.h>
#include <leakgraph/internal/export_formats.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// The verb `report`: makes a page of one snapshot, or of several.

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

static const lg__verb verbs[] = {
    {"diff", lg__verb_diff, "pniELeFxcKUj", 2, LG__ANY_WORDS,
     "see what grows from snapshot to snapshot, and who holds it",
     "leakgraph diff OLD NEW [NEWER ...] [--steps A,B,...] [--min-bytes N]\n"
     "       [--mine] [--module GLOB] [--settled] [--limit N|all]\n"
     "       [--other-programs] [--check [--max-growth N]]\n"
     "       [--baseline FILE [--update-baseline]] [--json]",
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
     "  leakgraph diff a.lgsum b.lgsum c.lgsum --check --max-growth 64KiB\n"},
    {"ranks", lg__verb_ranks, "nLoj", 2, LG__ANY_WORDS,
     "compare the processes of a job",
     "leakgraph ranks SNAP SNAP [...] [--min-bytes N] [--limit N|all]\n"
     "       [--json | -o FILE.html]",
     "Compares the processes of one job, such as the ranks of a training run.\n"
     "Takes a snapshot or summary of each, all from the same moment. Prints "
     "the\n"
     "places where one has --min-bytes (1 MiB) more or less than the others\n"
     "usually have, the biggest difference first, then what every process "
     "has,\n"
     "and the processes. Devices of one kind count as one: cuda:3 of rank 3\n"
     "compares with cuda:0 of rank 0. With -o, writes a web page instead.\n"
     "\n"
     "Example:\n"
     "  leakgraph ranks rank-*.lgs\n"
     "  leakgraph ranks rank-*.lgs -o ranks.html\n"
     "  leakgraph ranks rank-*.lgsum --min-bytes 64MiB\n"},
    {"report", verb_report, "opae", 1, LG__ANY_WORDS,
     "write one web page with all answers",
     "leakgraph report SNAP -o FILE.html\n"
     "       leakgraph report OLD [NEWER ...] NEWEST -o FILE.html "
     "[--steps A,B,...]\n"
     "                        [--samples FILE] [--settled]",
     "Writes one HTML file that needs no network: what to do first, a map of\n"
     "who owns the bytes, and the tables of all answers. With several\n"
     "snapshots of one program, the oldest first, the page also shows what\n"
     "grows; all but the last may be summaries. With --samples, it shows\n"
     "memory over time, as watch() or attach wrote it. The page shows names\n"
     "from the snapshot, so `strip` the snapshot before you share the page\n"
     "with strangers.\n"
     "\n"
     "Example:\n"
     "  leakgraph report run.lgs -o run.html\n"
     "  leakgraph report a.lgs b.lgs c.lgs -o growth.html\n"},
    {"view", lg__verb_view, "NOp", 1, LG__ANY_WORDS,
     "browse snapshots, with a page for each object",
     "leakgraph view SNAP [NEWER ...] [--steps A,B,...] [--no-browser]\n"
     "       [--port N]",
     "Serves pages about the snapshot to the browser of this machine, and\n"
     "opens it: the page of `report`, a search by words or selectors, a page\n"
     "for each object with all references to it and from it, tables to group\n"
     "and filter, and what would die if you cut references. With several\n"
     "snapshots of one program, or their summaries, the pages are about the\n"
     "newest, and say what has grown since the first. The address contains\n"
     "a secret, and the server answers only requests from this machine that\n"
     "know it. To open the pages elsewhere, forward the port with\n"
     "ssh -L 8000:127.0.0.1:8000. Ctrl-C ends the server.\n"
     "\n"
     "Example:\n"
     "  leakgraph view run.lgs\n"
     "  leakgraph view a.lgs b.lgs c.lgs --steps 100,200,300\n"
     "  leakgraph view run.lgs --no-browser --port 8000\n"},
    {"summarize", lg__verb_summarize, "o", 1, 0,
     "write a small file that diff and ranks read",
     "leakgraph summarize SNAP -o FILE",
     "Writes a summary of the snapshot: its places, types and accounts,\n"
     "without its objects. The file is usually smaller than 200 KB, and "
     "`diff`\n"
     "and `ranks` read it like a snapshot.\n"
     "\n"
     "Example:\n"
     "  leakgraph summarize run.lgs -o run.lgsum\n"},
    {"analyze", lg__verb_analyze, "oz", 1, 0,
     "write a copy that answers at once",
     "leakgraph analyze IN -o OUT [--compress N]",
     "Analyses the snapshot and writes a copy with the results, from which\n"
     "`top`, `why`, `cycles` and the others answer at once.\n"
     "\n"
     "Example:\n"
     "  leakgraph analyze run.lgs -o analysed.lgs\n"},
    {"export", verb_export, "ofQ", 1, 0, "write the snapshot for another tool",
     "leakgraph export SNAP -o FILE [--format NAME]\n"
     "       leakgraph export SNAP --parquet DIR",
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
     "  leakgraph export run.lgs -o run.pb && go tool pprof -top run.pb\n"},
    {"strip", verb_strip, "oz", 1, 0,
     "write a copy without string keys and previews",
     "leakgraph strip SNAP -o FILE [--compress LEVEL]",
     "Writes a copy of the snapshot without string keys, previews, and what "
     "is\n"
     "known about equal contents. The names of types, attributes, variables "
     "and\n"
     "modules stay.\n"
     "\n"
     "Example:\n"
     "  leakgraph strip run.lgs -o share.lgs\n"},
    {"completion", verb_completion, "", 1, 0,
     "complete command lines in bash, zsh or fish",
     "leakgraph completion bash|zsh|fish",
     "Prints a script with which the shell completes verbs, options and their\n"
     "words, files, and selectors, which it takes from the snapshot.\n"
     "\n"
     "Example:\n"
     "  source <(leakgraph completion bash)\n"
     "  leakgraph completion fish > "
     "~/.config/fish/completions/leakgraph.fish\n"},
};

const lg__verb *
lg__file_verb_at(size_t index)
{
    return index < sizeof verbs / sizeof *verbs ? &verbs[index] : NULL;
}
