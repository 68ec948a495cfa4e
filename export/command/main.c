// The command: its help, and the choice of the verb.
#include "command/command.h"

#include <leakgraph/internal/writing.h>
#include <leakgraph/version.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// `leakgraph FILE`: what somebody asks first of a snapshot, in one text: the
// known mistakes, what retains the most, and what to ask next.

static lg_status
add_findings(const lg_analysis *analysis, lg_text *out, lg_error *err)
{
    lg_findings findings = {0};
    lg_status status =
        lg_analysis_findings(analysis, NULL, lg__monitor(), &findings, err);
    if (!status)
        status =
            lg_report_findings(analysis, &findings, LG_FORMAT_TEXT, out, err);
    lg_findings_free(&findings);
    return status;
}

// Returns the object of the first row, or LG_NONE.
static lg_node
first_node(const lg_table *table)
{
    for (size_t i = 0; i < lg_table_column_count(table); i++)
        if (lg_table_row_count(table) > 0 &&
            lg_table_column(table, i).type == LG_COLUMN_NODE)
            return lg_table_cell(table, 0, i).node;
    return LG_NONE;
}

static lg_status
add_top(const lg_graph *graph, const lg_analysis *analysis, lg_node *biggest,
        lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    const lg_ask ask = {
        .graph = graph, .analysis = analysis, .monitor = lg__monitor()};
    lg_status status =
        lg_question_ask(lg_question_find("top"), &ask, &table, err);
    if (!status) {
        *biggest = first_node(table);
        status = lg_table_text(table, 0, out, err);
    }
    lg_table_free(table);
    return status;
}

static void
add_next(const char *path, lg_node biggest, lg_text *out)
{
    static const struct {
        const char *verb, *rest, *what;
    } next[] = {
        {"dominators", " --mine", "what the program's own modules own"},
        {"diff", " NEWER.lgs", "what has grown since, with a later snapshot"},
        {"report", " -o report.html", "all of it on one page, with a map"},
        {"view", "", "look around in a browser"},
    };
    lg_text_add(out, "\nNext:\n");
    if (biggest != LG_NONE)
        lg_text_addf(out,
                     "  leakgraph why %s '#%u'\n"
                     "      what keeps the biggest object alive, and what to "
                     "cut\n",
                     path, biggest);
    for (size_t i = 0; i < sizeof next / sizeof *next; i++) {
        lg_text_addf(out, "  leakgraph %s %s%s\n", next[i].verb, path,
                     next[i].rest);
        lg_text_addf(out, "      %s\n", next[i].what);
    }
}

// Answers `leakgraph FILE`: what to know first of a snapshot.
static int
overview_run(const char *path)
{
    int code;
    lg_graph *graph;
    lg_analysis *analysis;
    lg_node biggest = LG_NONE;
    lg_text text = {0};
    lg_error error = {0};
    lg__signals_watch();
    if (!lg__open_analysed(path, &graph, &analysis, &code))
        return code;
    lg_status status = add_findings(analysis, &text, &error);
    lg_text_add(&text, "\n");
    if (!status)
        status = add_top(graph, analysis, &biggest, &text, &error);
    add_next(path, biggest, &text);
    code = status ? lg__fail(&error) : lg__print(&text);
    lg_text_free(&text);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return code;
}

#define MOST_VERBS 48u

static void
print_python_verbs(size_t first, size_t end)
{
    const lg__python_verb *verb;
    for (size_t i = first; i < end && (verb = lg__python_verb_at(i)); i++)
        printf("  %-11s %s\n", verb->name, verb->summary);
}

static void
print_help(void)
{
    printf("leakgraph %s - what keeps these bytes alive?\n"
           "\nUsage: leakgraph VERB SNAPSHOT [OPTIONS]\n"
           "       leakgraph SNAPSHOT       mistakes, what is big, what to ask "
           "next\n"
           "\nTake a snapshot:\n",
           lg_version());
    print_python_verbs(0, LG__TAKING_VERBS);
    printf("\nRead a snapshot (.lgs):\n");
    for (size_t i = 0; lg__question_verb_at(i); i++)
        printf("  %-11s %s\n", lg__question_verb_name(lg__question_verb_at(i)),
               lg__question_verb_at(i)->help);
    for (size_t i = 0; lg__verb_at(i); i++)
        printf("  %-11s %s\n", lg__verb_at(i)->name, lg__verb_at(i)->summary);
    print_python_verbs(LG__TAKING_VERBS, SIZE_MAX);
    printf(
        "\n`leakgraph VERB --help` explains a verb. `-` as SNAPSHOT is "
        "standard input.\n"
        "--color auto|always|never says when to colour (auto: on a terminal, "
        "unless\n"
        "NO_COLOR is set). Lines fit the terminal, or COLUMNS. PAGER shows "
        "long answers.\n"
        "\nExit codes: 0 fine, whether or not leaks are found; 1 leaks found, "
        "only with\n"
        "--check (cycles, findings, diff); 2 wrong usage; 3 unreadable file;\n"
        "4 incomplete analysis or unwritten output.\n"
        "\nExamples:\n"
        "  leakgraph run --at-exit run.lgs train.py\n"
        "  leakgraph run --arm 'run-{n}.lgs' train.py    # before memory runs "
        "out\n"
        "  leakgraph top run.lgs\n"
        "  leakgraph why run.lgs name:train.trainer.losses\n"
        "  leakgraph render run.lgs type:torch.Tensor -o why.svg\n");
}

// What people type as a verb, and is an option.
static const char version_option[] = "--version";

static const char *
nearest_verb(const char *word)
{
    const char *names[MOST_VERBS];
    size_t count = 0;
    while (count < MOST_VERBS - 2 && lg__verb_name(count)) {
        names[count] = lg__verb_name(count);
        count++;
    }
    names[count++] = "help";
    names[count++] = version_option + 2;
    const char *nearest = lg__nearest(word, names, count);
    return nearest == version_option + 2 ? version_option : nearest;
}

static int
complain_verb(const char *word)
{
    const char *nearest = nearest_verb(word);
    if (nearest)
        lg__complain("there is no verb %s: did you mean %s?", word, nearest);
    else
        lg__complain("there is no verb %s: see leakgraph --help", word);
    return LG__EXIT_USAGE;
}

static bool
is_file(const char *word)
{
    size_t length = strlen(word);
    return !strcmp(word, "-") || strchr(word, '/') || !access(word, R_OK) ||
           (length > 4 && !strcmp(word + length - 4, ".lgs"));
}

// Runs a verb on the words behind its own, if there is one by that name. False
// if there is none.
static bool
run_verb(int argc, char **argv, int *code)
{
    const lg_question *question = lg__question_verb_find(argv[0]);
    const lg__verb *verb = lg__verb_find(argv[0]);
    const bool python = lg__python_verb_find(argv[0]);
    if (python)
        *code = lg__run_python(argv);
    else if (question)
        *code = lg__question_run(question, argc, argv);
    else if (verb)
        *code = lg__verb_run(verb, argc, argv);
    return python || question || verb;
}

// Runs `help` and `help VERB`.
static int
help(char *verb)
{
    static char option[] = "--help";
    int code;
    if (verb)
        return run_verb(2, (char *[]){verb, option, NULL}, &code)
                   ? code
                   : complain_verb(verb);
    print_help();
    return LG__EXIT_FINE;
}

static int
run_word(const char *word, int argc, char **argv)
{
    int code;
    if (!strcmp(word, "completion") && argc == 4 && !strcmp(argv[2], "--line"))
        return lg__complete_line(argv[3]);
    if (run_verb(argc - 1, argv + 1, &code))
        return code;
    if (argc == 2 && is_file(word))
        return overview_run(word);
    return complain_verb(word);
}

int
main(int argc, char **argv)
{
    size_t own = argc > 1 ? lg__script_at(argv + 1, (size_t)argc - 1) : 0;
    if (!lg__output_begin((int)own + 1, &argc, argv))
        return LG__EXIT_USAGE;
    const char *word = argc > 1 ? argv[1] : "";
    if (argc < 2) {
        lg__complain("a verb is missing: see leakgraph --help");
        return LG__EXIT_USAGE;
    }
    if (!strcmp(word, "--help") || !strcmp(word, "-h"))
        return help(NULL);
    if (!strcmp(word, "help"))
        return help(argv[2]);
    if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
        printf("leakgraph %s\n", lg_version());
        return LG__EXIT_FINE;
    }
    return run_word(word, argc, argv);
}
