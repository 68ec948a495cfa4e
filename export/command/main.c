// The command: its help, and the choice of the verb.

#include "command/command.h"

#include <leakgraph/version.h>

#include <stdio.h>
#include <string.h>

#define MOST_VERBS 40u

// The verbs that Python runs.
static const struct {
    const char *name;
    const char *summary;
} python_verbs[] = {
    {"run", "run a script and save a snapshot when it exits"},
    {"watch", "run a script and report what grows"},
    {"attach", "take a snapshot of a running process"},
    {"tree", "see what a running process and its children hold and share"},
    {"sql", "query the tables of a snapshot with DuckDB"},
    {"mcp", "serve a snapshot to an agent"},
};

enum {
    TAKING_VERBS = 4, // the first verbs, which take a snapshot
    PYTHON_VERBS = sizeof python_verbs / sizeof *python_verbs,
};

static void
print_python_verbs(size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        printf("  %-11s %s\n", python_verbs[i].name, python_verbs[i].summary);
}

static void
print_help(void)
{
    printf("leakgraph %s - what keeps these bytes alive?\n"
           "\nUsage: leakgraph VERB SNAPSHOT [OPTIONS]\n"
           "\nTake a snapshot:\n",
           lg_version());
    print_python_verbs(0, TAKING_VERBS);
    printf("\nRead a snapshot (.lgs):\n");
    for (size_t i = 0; lg__question_verb_at(i); i++)
        printf("  %-11s %s\n", lg__question_verb_at(i)->name,
               lg__question_verb_at(i)->help);
    for (size_t i = 0; lg__verb_at(i); i++)
        printf("  %-11s %s\n", lg__verb_at(i)->name, lg__verb_at(i)->summary);
    print_python_verbs(TAKING_VERBS, PYTHON_VERBS);
    printf(
        "\n`leakgraph VERB --help` explains a verb.\n"
        "\nExit codes: 0 fine, 1 leaks found (cycles, findings or diff "
        "--check),\n"
        "2 wrong usage, 3 unreadable file, 4 incomplete analysis or unwritten "
        "output.\n"
        "\nExamples:\n"
        "  leakgraph run --at-exit run.lgs train.py\n"
        "  leakgraph run --arm 'run-{n}.lgs' train.py    # before memory runs "
        "out\n"
        "  leakgraph top run.lgs\n"
        "  leakgraph why run.lgs name:train.trainer.losses\n"
        "  leakgraph render run.lgs type:torch.Tensor -o why.svg\n");
}

static void
print_verb_help(const lg__verb *verb)
{
    printf("Usage: %s\n\n%s", verb->usage, verb->help);
    lg__arguments_print_help(verb);
}

static bool
wants_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return true;
    }
    return false;
}

static int
complain_verb(const char *word)
{
    const char *names[MOST_VERBS];
    size_t count = 0;
    for (; count < PYTHON_VERBS; count++)
        names[count] = python_verbs[count].name;
    for (size_t i = 0; count < MOST_VERBS && lg__verb_at(i); i++)
        names[count++] = lg__verb_at(i)->name;
    for (size_t i = 0; count < MOST_VERBS && lg__question_verb_at(i); i++)
        names[count++] = lg__question_verb_at(i)->name;
    const char *nearest = lg__nearest(word, names, count);
    if (nearest)
        lg__complain("there is no verb %s: did you mean %s?", word, nearest);
    else
        lg__complain("there is no verb %s: see leakgraph --help", word);
    return LG__EXIT_USAGE;
}

static int
run_verb(const lg__verb *verb, int argc, char **argv)
{
    lg__arguments arguments;
    if (wants_help(argc, argv)) {
        print_verb_help(verb);
        return LG__EXIT_FINE;
    }
    if (!lg__arguments_read(verb, argc, argv, &arguments))
        return LG__EXIT_USAGE;
    lg__signals_watch();
    int code = verb->run(&arguments);
    lg__progress_end();
    return code;
}

static const lg__verb *
find_verb(const char *word)
{
    size_t i = 0;
    while (lg__verb_at(i) && strcmp(word, lg__verb_at(i)->name))
        i++;
    return lg__verb_at(i);
}

static const lg_question *
find_question(const char *word)
{
    size_t i = 0;
    while (lg__question_verb_at(i) &&
           strcmp(word, lg__question_verb_at(i)->name))
        i++;
    return lg__question_verb_at(i);
}

// Answers a question, or explains its verb.
static int
run_question(const lg_question *question, int argc, char **argv)
{
    if (wants_help(argc, argv)) {
        lg__question_print_help(question);
        return LG__EXIT_FINE;
    }
    lg__signals_watch();
    int code = lg__question_run(question, argc, argv);
    lg__progress_end();
    return code;
}

static bool
is_python_verb(const char *word)
{
    size_t i = 0;
    while (i < PYTHON_VERBS && strcmp(word, python_verbs[i].name))
        i++;
    return i < PYTHON_VERBS;
}

// Runs `help` and `help VERB`.
static int
help(char *verb)
{
    static char option[] = "--help";
    if (!verb) {
        print_help();
        return LG__EXIT_FINE;
    }
    if (is_python_verb(verb))
        return lg__run_python((char *[]){verb, option, NULL});
    if (find_question(verb)) {
        lg__question_print_help(find_question(verb));
        return LG__EXIT_FINE;
    }
    if (!find_verb(verb))
        return complain_verb(verb);
    print_verb_help(find_verb(verb));
    return LG__EXIT_FINE;
}

int
main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    if (argc < 2) {
        lg__complain("a verb is missing: see leakgraph --help");
        return LG__EXIT_USAGE;
    }
    if (!strcmp(word, "--help") || !strcmp(word, "-h"))
        return help(NULL);
    if (!strcmp(word, "help"))
        return help(argv[2]);
    if (!strcmp(word, "--version")) {
        printf("leakgraph %s\n", lg_version());
        return LG__EXIT_FINE;
    }
    if (is_python_verb(word))
        return lg__run_python(argv + 1);
    const lg_question *question = find_question(word);
    const lg__verb *verb = find_verb(word);
    if (question)
        return run_question(question, argc - 1, argv + 1);
    return verb ? run_verb(verb, argc - 1, argv + 1) : complain_verb(word);
}
