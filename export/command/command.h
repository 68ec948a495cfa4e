/**
 * The command `leakgraph`: what the verbs share. A verb returns an exit code,
 * prints its report to standard output, and prints at most one line of
 * complaint to standard error.
 */
#ifndef LEAKGRAPH_COMMAND_H
#define LEAKGRAPH_COMMAND_H

#include <leakgraph/internal/answers.h>
#include <leakgraph/question.h>
#include <leakgraph/internal/report.h>
#include <leakgraph/view.h>
#include <leakgraph/internal/questions.h>

enum {
    LG__EXIT_FINE = 0,
    LG__EXIT_LEAKS = 1, /* only for a verb with --check */
    LG__EXIT_USAGE = 2,
    LG__EXIT_UNREADABLE = 3,
    LG__EXIT_INCOMPLETE = 4,
};

/* A picture of more subjects is unreadable. */
#define LG__MOST_SUBJECTS 8u

#define LG__ANY_WORDS (-1)

/* What `render` draws. */
typedef enum lg__picture {
    LG__PICTURE_VIEW = 0, /* the direction decides */
    LG__PICTURE_WHY,
    LG__PICTURE_CYCLE,
    LG__PICTURE_DOMINATORS,
    LG__PICTURE_PATHS,
    LG__PICTURE_GROWTH, /* needs several snapshots */
} lg__picture;

typedef struct lg__arguments {
    char *const *words; /* the arguments that are not options, in order */
    int word_count;
    const char *output;
    const char *format;
    const char *title;
    lg_direction direction;
    lg__picture picture;
    const char *drawn; /* the option that chose the picture, or NULL */
    const char *holding;
    const char *by;
    const char *steps;
    const char *samples;
    unsigned kinds;    /* bits 1 << lg_cycle_kind; 0: not given */
    int64_t min_bytes; /* -1: not given */
    int64_t max_growth;
    double min_share;  /* -1: not given */
    uint32_t cycle;    /* from 1 */
    uint32_t compress; /* 0: not given */
    uint32_t limit;    /* 0: not given */
    bool all;          /* no limit at all */
    bool check;
    bool settled;
    bool other_programs;
    uint32_t depth;
    uint32_t max_nodes;
    bool json;
    bool weak;
    bool types;
    bool mine;
    const char *module;
    const char *baseline;
    const char *parquet;
    bool update_baseline;
    bool legend;
    uint32_t port; /* 0: any */
    bool no_browser;
} lg__arguments;

/** An option of a verb, for the completion. */
typedef struct lg__option_face {
    const char *name; /* without hyphens; one letter has one */
    bool takes_value;
    const char *const *words; /* of a choice; or NULL */
} lg__option_face;

typedef void lg__option_visit(void *context, const lg__option_face *option);

typedef struct lg__verb {
    const char *name;
    int (*run)(const lg__arguments *arguments);
    const char *options; /* letters of the options that it takes */
    int words;           /* number of arguments that it needs */
    int more_words;      /* number of further arguments that it may take;
                            LG__ANY_WORDS:      no limit */
    const char *summary; /* one line for the list of verbs */
    const char *usage;
    const char *help; /* what it prints, and an example */
} lg__verb;

/** Runs the verb on the command line after it, or explains it. Returns the exit
 *  code. */
int lg__verb_run(const lg__verb *verb, int argc, char **argv);
/** Whether an option asks what the verb does. */
bool lg__wants_help(int argc, char **argv);
/** --json chooses JSON; text is the default. */
lg_format lg__format_of(const lg__arguments *arguments);
/** Complains about an option that is none of the verb's `count` names. getopt
 *  has just refused it. */
void lg__complain_option(const char *verb, char **argv,
                         const char *const *names, size_t count);
/** Complains unless the verb has from `least` to `most` arguments, and names
 *  those that its usage has. NULL ends the words. */
bool lg__words_check(const char *verb, const char *usage, char *const *words,
                     int least, int most);
/** Calls `visit` for each option that the verb takes. */
void lg__arguments_visit(const lg__verb *verb, lg__option_visit *visit,
                         void *context);

/** Prints one line on standard error: `leakgraph: ...`. */
void lg__complain(const char *format, ...) LG_PRINTF(1, 2);
/** Has complaints say this name for a path. They borrow both. */
void lg__complaints_name(const char *path, const char *name);
/** Complains, and returns the exit code for the failure. */
int lg__fail(const lg_error *error);
/** Returns the one of `count` names closest to `word`, or NULL when none is
 *  close. */
const char *lg__nearest(const char *word, const char *const *names,
                        size_t count);
/** The option that goes with all verbs, and its words. NULL ends them. */
#define LG__COLOR "color"
extern const char *const lg__color_words[];
/** Takes `--color WORD` out of the first `own` words of the command line, and
 *  finds out how wide the reader's lines are. False after a complaint. */
bool lg__output_begin(int own, int *argc, char **argv);
/** Prints a report as the terminal shows it best, and frees it. It is no error
 *  if the reader closes the pipe early. */
int lg__print(lg_text *text);

/** Stops long work after Ctrl-C. Work of more than a second shows its progress
 *  on a terminal. */
const lg_monitor *lg__monitor(void);
/** Whether anybody sees progress: it goes to a terminal. */
bool lg__progress_is_seen(void);
/** Shows lines that stay, such as a part of the answer, and below them, after
 *  an empty line, the progress of what comes next. */
void lg__progress_tell(const lg_text *lines, const char *next);
/** Clears the line of progress, if there is one. */
void lg__progress_end(void);
/** Whether Ctrl-C was pressed. */
bool lg__interrupted(void);
/** Watches for Ctrl-C, and for a mapped file that another process cuts short.
 *  */
void lg__signals_watch(void);
/** Treats SIGTERM and SIGHUP like Ctrl-C, too, when the caller must clean
 *  up. */
void lg__signals_watch_ends(void);

/** Complains, and returns the exit code for a snapshot that could not be
 *  opened. */
int lg__fail_to_open(const lg_error *error);
/** Returns the path of a file to open: `-` is what standard input has, which is
 *  read once. NULL after a complaint, with the exit code in *code. */
const char *lg__input_path(const char *path, int *code);
/** Opens a snapshot. False after a complaint, with the exit code in *code. */
bool lg__open(const char *path, lg_graph **out, int *code);
/** Finds all nodes that a selector names. */
bool lg__select_all(const lg_graph *graph, const char *selector, lg_nodes *out,
                    int *code);
/** Finds the one object that a selector names. */
bool lg__select_one(const lg_graph *graph, const char *selector, lg_node *out,
                    int *code);
/** Takes the analysis from the file, or makes one. */
lg_status lg__find_analysis(const lg_graph *graph, lg_analysis **out,
                            lg_error *err);
/** The same. Returns false after a complaint, with the exit
 * code in *code. */
bool lg__analyse(const lg_graph *graph, lg_analysis **out, int *code);
/** Opens and analyses a snapshot. On success the caller owns both. */
bool lg__open_analysed(const char *path, lg_graph **graph, lg_analysis **out,
                       int *code);
/** Finds what the modules hold that the options name; NULL: everything. */
lg_status lg__find_scope(const lg_graph *graph, const lg__arguments *arguments,
                         lg_scope **out, lg_error *err);
/** Starts the renderer for that format, does the work, which may draw, and ends
 *  the renderer. Returns the exit code of the work. */
int lg__draw_while(const char *format, int (*work)(const lg__arguments *),
                   const lg__arguments *arguments);
/** Draws the view into the output that the options name. */
int lg__draw(const lg__arguments *arguments, const lg_view *view);

/** Lists the verbs in the order of the help; NULL at the end. */
const lg__verb *lg__verb_at(size_t index);
/** Returns NULL if there is none by that name. */
const lg__verb *lg__verb_find(const char *name);

/** A verb that Python runs. */
typedef struct lg__python_verb {
    const char *name;
    const char *summary;
    const lg__option_face *options; /* ends with one without a name */
    bool script; /* a script and its arguments follow the options */
} lg__python_verb;

/** The first of them, which take a snapshot. */
enum { LG__TAKING_VERBS = 4 };

/** NULL at the end. */
const lg__python_verb *lg__python_verb_at(size_t index);
/** Returns NULL if there is none by that name. */
const lg__python_verb *lg__python_verb_find(const char *name);
/** Returns the name of an option as a word has it, or NULL if the word is none.
 */
const char *lg__option_name(const char *word);
/** Returns where a script begins among the words of a command line behind its
 *  name: that word and those behind it are the script's. `count` if there is
 *  none. */
size_t lg__script_at(char *const *words, size_t count);
/** The names of all verbs: those of Python, of this program, and the questions.
 *  NULL at the end. */
const char *lg__verb_name(size_t index);

/** Lists the questions that are verbs by themselves: their descriptions say
 *  which options they take and what they print. NULL at the end. */
const lg_question *lg__question_verb_at(size_t index);
/** What a help says of selectors. */
#define LG__SELECTORS_HELP                                                     \
    "\n"                                                                       \
    "SELECTOR names objects:\n"                                                \
    "  node:17 or #17            the node with this number\n"                  \
    "  0x7f12a4c0                the object at this address\n"                 \
    "  type:torch.Tensor         all objects of a type; * stands for any "     \
    "text,\n"                                                                  \
    "                            a trailing + adds subclasses\n"               \
    "  name:train.losses[0].x    a module, then attributes and keys\n"         \
    "  module:train              the module\n"                                 \
    "  garbage                   all objects that no root reaches\n"
/** Returns NULL if there is none by that name. */
const lg_question *lg__question_verb_find(const char *name);
/** What the command calls it: "what-if". */
static inline const char *
lg__question_verb_name(const lg_question *question)
{
    return question->verb ? question->verb : question->name;
}
/** Calls `visit` for each option of the verb. */
void lg__question_visit(const lg_question *question, lg__option_visit *visit,
                        void *context);
/** Reads the command line after the verb, and prints the answer, or explains
 *  the verb. Returns the exit code. */
int lg__question_run(const lg_question *question, int argc, char **argv);

extern const lg__verb lg__verb_refs, lg__verb_referrers, lg__verb_path,
    lg__verb_render;
extern const lg__verb lg__verb_diff, lg__verb_ranks, lg__verb_summarize;
extern const lg__verb lg__verb_view;

/** Draws what grows, for `render --diff`. */
int lg__render_growth(const lg__arguments *arguments);

/** Prints what the last word of a command line may become, a line each. */
int lg__complete_line(const char *text);

/** Replaces this process by Python; returns only if that fails. */
int lg__run_python(char **argv);

#endif
