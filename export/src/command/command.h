/**
 * The command `leakgraph`: what its verbs share. A verb returns an exit code;
 * it prints its report to standard output and at most one line of complaint to
 * standard error.
 */
#ifndef LEAKGRAPH_COMMAND_H
#define LEAKGRAPH_COMMAND_H

#include <leakgraph/export.h>

enum {
    EXIT_FINE = 0,
    EXIT_USAGE = 2,
    EXIT_UNREADABLE = 3,
    EXIT_INCOMPLETE = 4,
};

/* More than this many subjects make no readable picture. */
#define MOST_SUBJECTS 8u

typedef struct lg_arguments {
    const char *words[2]; /* what is not an option, in order */
    int word_count;
    const char *output;
    const char *format;
    const char *title;
    lg_direction direction;
    lg_sort sort;
    uint32_t limit; /* 0: not given */
    uint32_t depth;
    uint32_t max_nodes;
    int compress;
    bool json;
    bool weak;
    bool types;
    bool legend;
} lg_arguments;

typedef struct lg_verb {
    const char *name;
    int (*run)(const lg_arguments *arguments);
    const char *options; /* letters of those that it takes */
    int words;           /* how many it needs */
    const char *summary; /* one line for the list of verbs */
    const char *usage;
    const char *help; /* what it prints and an example */
} lg_verb;

/** Reads the command line after the verb. False: complained already. */
bool lg__arguments_read(const lg_verb *verb, int argc, char **argv,
                        lg_arguments *out);
/** The options that the verb takes, one line each. */
void lg__arguments_print_help(const lg_verb *verb);

/** One line on standard error: `leakgraph: ...`. */
void lg__complain(const char *format, ...) LG_PRINTF(1, 2);
/** Complains, and says which exit code the failure deserves. */
int lg__fail(const lg_error *error);
/** The one of `count` names closest to `word`, or NULL when none is close. */
const char *lg__nearest(const char *word, const char *const *names,
                        size_t count);
/** Writes a report out. A reader that closed the pipe has read enough. */
int lg__print(lg_text *text);

/** Stops long work after Ctrl-C. */
const lg_monitor *lg__monitor(void);
/** Watches for Ctrl-C and for a file cut short while it is mapped. */
void lg__signals_watch(void);

/** Opens a snapshot. False: complained, the exit code is in *code. */
bool lg__open(const char *path, lg_graph **out, int *code);
/** The nodes that a selector names, the first ones only. */
bool lg__select(const lg_graph *graph, const char *selector, lg_nodes *out,
                int *code);

int lg__verb_info(const lg_arguments *arguments);
int lg__verb_types(const lg_arguments *arguments);
int lg__verb_threads(const lg_arguments *arguments);
int lg__verb_refs(const lg_arguments *arguments);
int lg__verb_referrers(const lg_arguments *arguments);
int lg__verb_path(const lg_arguments *arguments);
int lg__verb_render(const lg_arguments *arguments);
int lg__verb_strip(const lg_arguments *arguments);
/** Hands over to Python; returns only when that fails. */
int lg__run_python(char **argv);

#endif
