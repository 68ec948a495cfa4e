// The verbs that ask one question each, and `questions`, which lists them. What
// they are called, take and print, the descriptions say.

#include "command/command.h"

#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The options of a question, and those of every verb.
enum { JSON = LG_MOST_OPTIONS, HELP, MOST_NAMES };

enum { NAME_LENGTH = 24, FIRST_LETTER = 256, WIDTH = 80, OPTION_WIDTH = 21 };

enum { MOST_CUTS = 64 };

static const char references_help[] =
    "\n"
    "REF names references:\n"
    "  train.trainer.losses      the last reference of a path from a module,\n"
    "                            or from #17 or an address: #17.x\n"
    "  train.losses[*].graph     [*] is every item, .* every attribute\n"
    "  train.server.request_*    every attribute with a number there\n"
    "  '#17->#42'                all from the objects of one selector to "
    "those\n"
    "                            of another; * stands for all objects\n";

// A command line, read.
typedef struct request {
    const lg_question *question;
    bool fails; // if there are leaks
    char names[MOST_NAMES][NAME_LENGTH];
    const char *listed[MOST_NAMES];
    struct option own[MOST_NAMES + 1];
    size_t count;
    lg_given given[LG_MOST_OPTIONS];
    char **words; // what stands alone for the first of them
    int word_count;
    lg_text joined; // these words
    lg_nodes nodes; // that they name
    const char *cuts[MOST_CUTS];
    size_t cut_count;
    lg_edges edges; // that these name
    const char *path;
    bool json;
} request;

// Writes the name of an option as the command has it: `min-bytes`.
static void
write_name(const char *name, char out[NAME_LENGTH])
{
    snprintf(out, NAME_LENGTH, "%s", name);
    for (char *at = out; *at; at++)
        *at = *at == '_' ? '-' : *at;
}

// Returns what stands for the value of an option that needs no name; NULL: the
// option needs it.
static const char *
stands_alone(const lg_option *option)
{
    return option->type == LG_OPTION_WORDS     ? "WORDS"
           : option->type == LG_OPTION_OBJECT  ? "SELECTOR"
           : option->type == LG_OPTION_OBJECTS ? "SELECTOR"
                                               : NULL;
}

static bool
takes_several(const lg_option *option)
{
    return option->type == LG_OPTION_WORDS || option->type == LG_OPTION_OBJECTS;
}

static void
list_option(request *to, const char *name, int has_value, int letter)
{
    size_t at = to->count++;
    write_name(name, to->names[at]);
    to->listed[at] = to->names[at];
    to->own[at] = (struct option){to->names[at], has_value, NULL, letter};
}

static void
list_options(request *to)
{
    const lg_option *options = to->question->options;
    for (int i = 0; options[i].name; i++)
        list_option(to, options[i].name,
                    lg_option_is_flag(&options[i]) ? no_argument
                                                   : required_argument,
                    FIRST_LETTER + i);
    list_option(to, "json", no_argument, FIRST_LETTER + JSON);
    list_option(to, "help", no_argument, FIRST_LETTER + HELP);
}

void
lg__question_visit(const lg_question *question, lg__option_visit *visit,
                   void *context)
{
    request all = {.question = question};
    list_options(&all);
    for (size_t i = 0; i < all.count; i++) {
        int index = all.own[i].val - FIRST_LETTER;
        const lg__option_face face = {
            .name = all.names[i],
            .takes_value = all.own[i].has_arg == required_argument,
            .words = index < JSON ? question->options[index].words : NULL};
        visit(context, &face);
    }
}

static bool
take_cut(request *to)
{
    if (to->cut_count < MOST_CUTS) {
        to->cuts[to->cut_count++] = optarg;
        return true;
    }
    lg__complain("--cut can be given %d times at most: name many references "
                 "by one text, such as train.losses[*]",
                 MOST_CUTS);
    return false;
}

static bool
take_option(request *to, int index)
{
    char called[NAME_LENGTH + 2];
    lg_error error;
    if (index == JSON)
        return to->json = true;
    if (to->question->options[index].type == LG_OPTION_CUTS)
        return take_cut(to);
    to->fails |= to->question->options[index].type == LG_OPTION_CHECK;
    snprintf(called, sizeof called, "--%s", to->names[index]);
    if (!lg_option_read(&to->question->options[index], called,
                        optarg ? optarg : "", &to->given[index], &error))
        return true;
    lg__complain("%s", error.message);
    return false;
}

// Writes `--group object|type|module`.
static void
add_form(const lg_option *option, lg_text *out)
{
    static const char *const values[] = {
        [LG_OPTION_LIMIT] = " N|all",
        [LG_OPTION_DEVICE] = " DEVICE",
        [LG_OPTION_TEXT] = " TEXT",
        [LG_OPTION_BYTES] = " BYTES",
        [LG_OPTION_MODULE] = " GLOB",
        [LG_OPTION_CHOICE] = " ",
        [LG_OPTION_SET] = " ",
        [LG_OPTION_FLAG] = "",
        [LG_OPTION_WORDS] = " WORDS",
        [LG_OPTION_MINE] = "",
        [LG_OPTION_TYPE] = " TYPE",
        [LG_OPTION_BASELINE] = " FILE",
        [LG_OPTION_UPDATE] = "",
        [LG_OPTION_CHECK] = "",
        [LG_OPTION_SHARE] = " F",
        [LG_OPTION_OBJECT] = " SELECTOR",
        [LG_OPTION_OBJECTS] = " SELECTOR",
        [LG_OPTION_CUTS] = " REF",
    };
    char name[NAME_LENGTH];
    write_name(option->name, name);
    if (stands_alone(option))
        lg_text_addf(out, "%s, ", stands_alone(option));
    lg_text_addf(out, "--%s%s", name, values[option->type]);
    for (size_t i = 0; option->words && option->words[i]; i++)
        lg_text_addf(out, "%s%s", i > 0 ? "|" : "", option->words[i]);
}

// Adds a form in brackets to the usage, on the next line if it does not fit.
static void
add_usage_part(const char *form, size_t *column, lg_text *out)
{
    enum { INDENT = 7 };
    size_t length = strlen(form) + 3;
    if (*column + length > WIDTH) {
        lg_text_addf(out, "\n%*s", INDENT - 1, "");
        *column = INDENT - 1;
    }
    lg_text_addf(out, " [%s]", form);
    *column += length;
}

static void
add_usage(const lg_question *question, lg_text *out)
{
    lg_text_addf(out, "leakgraph %s SNAP", lg__question_verb_name(question));
    size_t column = out->length;
    const char *alone = stands_alone(question->options);
    if (alone && lg_option_is_required(question->options)) {
        lg_text_addf(out, " %s%s", alone,
                     takes_several(question->options) ? " ..." : "");
        column = out->length;
    } else if (alone) {
        add_usage_part(alone, &column, out);
    }
    for (const lg_option *option = question->options; option->name; option++) {
        if (stands_alone(option))
            continue;
        lg_text form = {0};
        add_form(option, &form);
        add_usage_part(form.data ? form.data : "", &column, out);
        lg_text_free(&form);
    }
    add_usage_part("--json", &column, out);
    lg_text_add(out, "\n");
}

static void
take_words(request *to, char **words, int count)
{
    to->words = words;
    to->word_count = count;
    for (int i = 0; i < count; i++) {
        lg_text_add(&to->joined, i > 0 ? " " : "");
        lg_text_add(&to->joined, words[i]);
    }
    if (count > 0)
        to->given[0] = (lg_given){.given = true, .text = to->joined.data};
}

static bool
check_words(const lg_question *question, char **words, int least, int most)
{
    lg_text usage = {0};
    add_usage(question, &usage);
    const bool fine =
        lg__words_check(lg__question_verb_name(question),
                        usage.data ? usage.data : "", words, least, most);
    lg_text_free(&usage);
    return fine;
}

static bool
read_request(request *to, int argc, char **argv)
{
    const char *verb = lg__question_verb_name(to->question);
    list_options(to);
    opterr = 0;
    for (;;) {
        int letter = getopt_long(argc, argv, ":h", to->own, NULL);
        if (letter == -1)
            break;
        if (letter == ':') {
            lg__complain("%s needs a value: see leakgraph %s --help",
                         argv[optind - 1], verb);
            return false;
        }
        if (letter < FIRST_LETTER) {
            lg__complain_option(verb, argv, to->listed, to->count);
            return false;
        }
        if (!take_option(to, letter - FIRST_LETTER))
            return false;
    }
    to->path = argv[optind];
    const lg_option *first = to->question->options;
    bool needed = first->type == LG_OPTION_OBJECTS && !to->given[0].given;
    int least = needed ? 2 : 1, count = argc - optind;
    int most = takes_several(first) && count > least ? count
               : stands_alone(first)                 ? 2
                                                     : 1;
    if (!check_words(to->question, argv + optind, least, most))
        return false;
    if (first->type == LG_OPTION_CUTS && to->cut_count == 0) {
        lg__complain("%s needs a reference: give --cut train.trainer.losses",
                     verb);
        return false;
    }
    take_words(to, argv + optind + 1, count - 1);
    return true;
}

// Whether the option that updates a file comes with the file.
static bool
has_file(const request *asked)
{
    bool file = false, update = false;
    const lg_option *options = asked->question->options;
    for (size_t i = 0; options[i].name; i++) {
        file |= options[i].type == LG_OPTION_BASELINE && asked->given[i].given;
        update |= options[i].type == LG_OPTION_UPDATE && asked->given[i].given;
    }
    if (update && !file)
        lg__complain("--update-baseline needs a file: give --baseline FILE");
    return file || !update;
}

// Whether the answer has leaks: those that a fact counts, or its rows.
static bool
has_leaks(const lg_question *question, const lg_table *table)
{
    const lg_table *facts = lg_table_facts(table);
    if (!question->leaks)
        return lg_table_row_count(table) > 0;
    size_t leaks = lg_table_column_find(facts, question->leaks);
    return leaks != SIZE_MAX && lg_table_count_at(facts, 0, leaks) > 0;
}

// A partial snapshot has no analysis: this then gives NULL.
static lg_status
find_analysis_if_any(const lg_graph *graph, lg_analysis **out, lg_error *err)
{
    *out = NULL;
    lg_status status = lg__find_analysis(graph, out, err);
    return status == LG_EPARTIAL || status == LG_EUNSUPPORTED ? LG_OK : status;
}

static lg_status
find_analysis(const request *asked, const lg_graph *graph, lg_analysis **out,
              lg_error *err)
{
    unsigned needs = lg_question_needs(asked->question, asked->given);
    if (needs & LG_NEEDS_ANALYSIS)
        return lg__find_analysis(graph, out, err);
    return needs ? find_analysis_if_any(graph, out, err) : LG_OK;
}

static lg_status
answer(const request *asked, const lg_graph *graph, lg_text *out, bool *leaks,
       lg_error *err)
{
    lg_analysis *analysis = NULL;
    lg_table *table = NULL;
    lg_ask ask = {
        .graph = graph, .given = asked->given, .monitor = lg__monitor()};
    lg_status status = lg_question_check(asked->question, &ask, err);
    if (!status)
        status = find_analysis(asked, graph, &analysis, err);
    ask.analysis = analysis;
    if (!status)
        status = lg_question_ask(asked->question, &ask, &table, err);
    if (!status)
        status = asked->json ? lg_table_json(table, out, err)
                             : lg_table_text(table, 0, out, err);
    *leaks = !status && asked->fails && has_leaks(asked->question, table);
    lg_table_free(table);
    lg_analysis_free(analysis);
    return status;
}

// Adds what a selector names; false after a complaint.
static bool
add_objects(request *to, const lg_graph *graph, const char *selector, int *code)
{
    lg_nodes found = {0};
    lg_nodes *all = &to->nodes;
    if (!lg__select_all(graph, selector, &found, code))
        return false;
    bool enough = lg_nodes_reserve(all, all->count + found.count);
    if (enough) {
        memcpy(all->items + all->count, found.items,
               found.count * sizeof *found.items);
        all->count += found.count;
    } else {
        lg__complain("memory ran out");
        *code = LG__EXIT_INCOMPLETE;
    }
    lg_nodes_free(&found);
    return enough;
}

// Finds what the selectors name, each object once; false after a complaint.
static bool
find_all(request *to, const lg_graph *graph, int *code)
{
    if (to->word_count < 2)
        return lg__select_all(graph, to->given[0].text, &to->nodes, code);
    for (int i = 0; i < to->word_count; i++)
        if (!add_objects(to, graph, to->words[i], code))
            return false;
    to->nodes.count = lg_nodes_unify(to->nodes.items, to->nodes.count);
    return true;
}

// Finds the references to cut; false after a complaint.
static bool
find_cuts(request *asked, const lg_graph *graph, int *code)
{
    lg_error error = {0};
    for (size_t i = 0; i < asked->cut_count; i++)
        if (lg_graph_references(graph, asked->cuts[i], lg__monitor(),
                                &asked->edges, &error)) {
            *code = lg__fail(&error);
            return false;
        }
    asked->given[0] = (lg_given){.given = true, .edges = &asked->edges};
    return true;
}

// Finds what the options name; false after a complaint.
static bool
find_objects(request *asked, const lg_graph *graph, int *code)
{
    lg_node node;
    lg_given *first = &asked->given[0];
    lg_option_type type = asked->question->options->type;
    if (type == LG_OPTION_CUTS)
        return find_cuts(asked, graph, code);
    if (type == LG_OPTION_OBJECTS) {
        first->nodes = &asked->nodes;
        return find_all(asked, graph, code);
    }
    if (type != LG_OPTION_OBJECT || !first->given)
        return true;
    if (!lg__select_one(graph, first->text, &node, code))
        return false;
    *first = (lg_given){.given = true, .number = node};
    return true;
}

static int
answer_request(const lg_question *question, int argc, char **argv)
{
    request asked = {.question = question};
    int code = LG__EXIT_USAGE;
    lg_graph *graph;
    lg_text text = {0};
    lg_error error = {0};
    bool leaks;
    if (!read_request(&asked, argc, argv) || !has_file(&asked) ||
        !lg__open(asked.path, &graph, &code))
        return code;
    if (find_objects(&asked, graph, &code)) {
        bool fine = !answer(&asked, graph, &text, &leaks, &error);
        code = fine ? lg__print(&text) : lg__fail(&error);
        code = fine && !code && leaks ? LG__EXIT_LEAKS : code;
    }
    lg_nodes_free(&asked.nodes);
    lg_text_free(&asked.joined);
    lg_edges_free(&asked.edges);
    lg_text_free(&text);
    lg_graph_free(graph);
    return code;
}

static void
add_option_line(const lg_option *option, lg_text *out)
{
    lg_text help = {0};
    const char *preset = option->words && option->type == LG_OPTION_CHOICE
                             ? option->words[0]
                             : option->preset;
    size_t start = out->length;
    lg_text_add(out, "  ");
    add_form(option, out);
    if (out->length - start >= OPTION_WIDTH)
        lg_text_addf(out, "\n%*s", OPTION_WIDTH, "");
    else
        lg_text_addf(out, "%*s", (int)(OPTION_WIDTH - (out->length - start)),
                     "");
    lg_text_add(&help, option->help);
    if (preset)
        lg_text_addf(&help, " (%s)", preset);
    lg_text_add_wrapped(out, help.data ? help.data : "", OPTION_WIDTH,
                        OPTION_WIDTH, WIDTH, '\0');
    lg_text_add(out, "\n");
    lg_text_free(&help);
}

static void
print_help(const lg_question *question)
{
    lg_text help = {0};
    lg_text_add(&help, "Usage: ");
    add_usage(question, &help);
    lg_text_add(&help, "\n");
    lg_text_add_wrapped(&help, question->about, 0, 0, WIDTH, '\0');
    lg_text_addf(&help,
                 "\n\nExample:\n  leakgraph %s run.lgs%s%s\n\nOptions:\n",
                 lg__question_verb_name(question), question->example ? " " : "",
                 question->example ? question->example : "");
    for (const lg_option *option = question->options; option->name; option++)
        add_option_line(option, &help);
    lg_text_add(&help, "  --json             print JSON\n"
                       "  -h, --help         print this text\n");
    if (question->options->type == LG_OPTION_OBJECT ||
        question->options->type == LG_OPTION_OBJECTS)
        lg_text_add(&help, LG__SELECTORS_HELP);
    if (question->options->type == LG_OPTION_CUTS)
        lg_text_add(&help, references_help);
    lg__print(&help);
}

int
lg__question_run(const lg_question *question, int argc, char **argv)
{
    if (lg__wants_help(argc, argv)) {
        print_help(question);
        return LG__EXIT_FINE;
    }
    lg__signals_watch();
    int code = answer_request(question, argc, argv);
    lg__progress_end();
    return code;
}
