/**
 * Questions about a snapshot, as data: what each is called, which options it
 * takes, and which columns its answer has.
 *
 * The conventions of leakgraph.h hold. The command, the explorer, the report
 * page, Python and the server for agents read the same description, so a
 * question has one name, one set of options and one table everywhere. A
 * description is constant and stands beside the function that answers.
 */
#ifndef LEAKGRAPH_QUESTIONS_H
#define LEAKGRAPH_QUESTIONS_H

#include <leakgraph/internal/baseline.h>
#include <leakgraph/internal/cells.h>
#include <leakgraph/internal/changes.h>
#include <leakgraph/internal/json.h>
#include <leakgraph/internal/what_if.h>
#include <leakgraph/graph.h>
#include <leakgraph/question.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What an option is, and in brackets the member of the answer's options that
 *  receives it. */
typedef enum lg_option_type {
    LG_OPTION_FLAG = 0, /**< yes or no (bool) */
    LG_OPTION_LIMIT,    /**< the most rows, or `all` (size_t; 0: all) */
    LG_OPTION_CHOICE,   /**< one of `words` (an enum that numbers them) */
    LG_OPTION_DEVICE,   /**< a device of the snapshot (uint32_t; LG_NONE: all)
                         */
    LG_OPTION_SET,      /**< several of `words`, with commas (unsigned: bits
                             1 << index; 0: all) */
    LG_OPTION_TEXT,     /**< any text (const char *; borrowed) */
    LG_OPTION_BYTES,    /**< 4096, 64KiB, 1.5MiB, 2GB (int64_t) */
    LG_OPTION_MINE,     /**< yes or no; with the next (const lg_scope *) */
    LG_OPTION_MODULE,   /**< a pattern for names of modules (the same member) */
    LG_OPTION_WORDS,    /**< any text that may stand alone: the command takes it
                             behind the file, Python as the first argument
                             (const char *; borrowed) */
    LG_OPTION_TYPE,     /**< the name of a type (lg_asked_type) */
    LG_OPTION_BASELINE, /**< a file that lists what is known
                             (lg_asked_baseline) */
    LG_OPTION_UPDATE,   /**< yes or no: add the rest to that file (the same
                             member) */
    LG_OPTION_SHARE,    /**< a part of 1: 0.01 or 1% (double) */
    LG_OPTION_OBJECT,   /**< an object that may stand alone: a selector, of
                             several the first (lg_node; LG_NONE: none) */
    LG_OPTION_OBJECTS,  /**< the objects that the question is about, without
                             which there is no answer; as LG_OPTION_OBJECT, but
                             all of them (lg_nodes) */
    LG_OPTION_CHECK,    /**< yes or no: the command fails if there are leaks (no
                             member) */
    LG_OPTION_CUTS,     /**< the references that the question is about, without
                             which there is no answer: several texts, as
                             lg_graph_references takes them (lg_edges) */
} lg_option_type;

/** Types that an answer is asked for: those that a name stands for, or a
 *  program's own choice. NULL and NULL: any. */
typedef struct lg_asked_type {
    const char *name;      /**< borrowed */
    const uint8_t *chosen; /**< [type] 1 or 0; borrowed */
} lg_asked_type;

/** What an answer leaves out. */
typedef struct lg_asked_baseline {
    lg_baseline *known; /**< or NULL; whoever asks has opened it */
    bool update;        /**< the answer adds what it does not leave out; whoever
                             asks then saves it */
} lg_asked_baseline;

/** An option: a keyword in Python, `--name` of the command, a field of a form.
 */
typedef struct lg_option {
    const char *name;
    lg_option_type type;
    const char *const *words; /**< of a choice, the default first; NULL at the
                                   end */
    const char *preset; /**< what stands for a missing value; NULL: nothing */
    const char *help;   /**< one clause, without a full stop */
    size_t offset;      /**< of the member */
} lg_option;

/** The value of an option. Zeros: it is missing. */
typedef struct lg_given {
    bool given;
    bool usual; /**< whoever asks for a person gives it, who has said nothing */
    uint64_t number;  /**< a limit, bytes; the index of a word, or bits; 1 or
                           0 of a flag; a node, if there is no text */
    const char *text; /**< the name of a device, a pattern; borrowed */
    const lg_nodes *nodes; /**< objects, besides their text or without one;
                                borrowed */
    const lg_edges *edges; /**< references to cut; borrowed */
    const uint8_t *types;  /**< of a type, instead of a name: as in
                                lg_asked_type */
    double share;
} lg_given;

/** Reads the value that a word stands for; *out borrows the word. LG_EINVAL:
 *  the option takes no such value; the message calls the option `called`, such
 *  as "--limit". O(1). */
lg_status lg_option_read(const lg_option *option, const char *called,
                         const char *word, lg_given *out, lg_error *err);

/** Whether the option is given or not, and takes no value. */
bool lg_option_is_flag(const lg_option *option);
/** Whether the question has no answer without a value for it. */
bool lg_option_is_required(const lg_option *option);
/** Whether a form has the option: none that names a file, or that only a
 *  command can obey. */
bool lg_option_in_form(const lg_option *option);

/** No question has more options. */
enum { LG_MOST_OPTIONS = 16 };

/** Several snapshots, the oldest first. */
typedef struct lg_compared {
    const lg_summary *const *summaries;
    size_t count;
    const double *steps; /**< one for each; NULL: not known */
    const char *note;    /**< lines about the choice of them; or NULL */
} lg_compared;

/** How whoever reads an answer can ask for more. */
typedef enum lg_reader {
    LG_READER_ASKS = 0, /**< by options of Python or of the command */
    LG_READER_FILLS,    /**< by a form on the same page */
    LG_READER_READS,    /**< not at all: somebody else made the page */
} lg_reader;

/** A question to a snapshot. Begins as {.graph = graph}. */
typedef struct lg_ask {
    const lg_graph *graph; /**< of several the newest; NULL if that is only a
                                summary */
    const lg_analysis *analysis; /**< of the graph; NULL: see `needs` */
    const lg_given *given; /**< for each option a value; NULL: all missing */
    const lg_monitor *monitor;
    const void *options;       /**< set by lg_question_ask: the answer's own */
    const lg_changes *changes; /**< since earlier snapshots, which pages show
                                    in columns; or NULL */
    const lg_compared *compared; /**< for questions to several snapshots */
    size_t limit; /**< of an answer that the caller has, at most this many rows
                       (0: all) */
    lg_reader reader;
} lg_ask;

/** Who sees a column; 0 stands for all. */
enum {
    LG_IN_TEXT = 1,
    LG_IN_HTML = 2,
    LG_IN_JSON = 4,
    LG_IN_PROGRAMS = 8, /**< programs that read the table itself */
    LG_IN_DATA = LG_IN_JSON | LG_IN_PROGRAMS,
    LG_SHOWN = LG_IN_TEXT | LG_IN_HTML,
};

/** Writes the text of a cell; none if there is nothing to say. */
typedef void lg_write(const lg_ask *ask, const void *answer, const void *row,
                      lg_text *out);

struct lg_field;
/** Puts the cell of a column itself, such as a list. */
typedef void lg_put(const lg_ask *ask, const void *answer, const void *row,
                    const struct lg_field *field, lg_table *table,
                    size_t column);

/** How people see a column. */
typedef struct lg_look {
    const char *none;    /**< stands for nothing or zero */
    const char *below;   /**< in text, the cell comes on a line below the row,
                              after this */
    bool lines;          /**< of a list: JSON has a line for each element */
    bool left;           /**< numbers are flush left */
    bool right;          /**< a text is flush right */
    unsigned char in;    /**< LG_IN_TEXT and others; 0: all */
    unsigned char gap;   /**< spaces before it in text */
    unsigned char least; /**< its least width in text */
    bool indented;       /**< by the depth of the row */
    bool branched;       /**< the same, with lines of a tree */
    unsigned char chart; /**< how HTML draws it: an lg__chart */
    unsigned char delta; /**< numbers with a sign: an lg__delta */
    const char *(*head)(const void *answer); /**< the heading, if the answer
                             decides; NULL: it does not */
    bool (*shown)(const lg_ask *ask, const void *answer); /**< whether people
                             see it in this answer; NULL: always */
} lg_look;

/** A column of an answer, or a fact about the whole answer. The member at its
 *  offset is a lg_string of a text, uint64_t of a count, bytes, and the part of
 *  a share, uint64_t for each device of a size (a pointer), int64_t of a number
 *  (negative: none), a lg_node, a bool. */
typedef struct lg_field {
    const char *name;    /**< in JSON and Python; NULL: for people only */
    const char *heading; /**< NULL: the name */
    const char *help;    /**< one clause, without a full stop */
    lg_column_type type;
    size_t offset; /**< of the member of the row; of a fact, of the answer */
    const char *const *words;     /**< of a text whose member is an enum that
                                       numbers them; NULL at the end */
    lg_write *write;              /**< of a text or path without a member */
    lg_put *put;                  /**< of any other cell without a member */
    const struct lg_field *inner; /**< of a list or record: its columns */
    const char *row; /**< of a list: what Python calls the type of its rows;
                          NULL: tuples */
    enum {
        LG_FIELD_OWN = 0,
        LG_FIELD_TYPE,  /**< text: the type of the node at the offset */
        LG_FIELD_TITLE, /**< text: the title of the node at the offset */
        LG_FIELD_SHORT, /**< count: the member is a uint32_t; LG_NONE: none */
    } of;
    size_t whole;  /**< of a share: the offset in the answer of its whole */
    bool optional; /**< some rows have no value: null in JSON, None in Python;
                        a text without one is "" otherwise */
    bool richer;   /**< in Python, an attribute of that name has more, and the
                        row has no such field */
    bool together; /**< `row` or `facts` of lg_answering puts the cell, together
                        with others */
    bool or_text;  /**< of numbers: a text where they are not known */
    lg_look look;
} lg_field;

/** What a question needs besides the graph. */
enum {
    LG_NEEDS_ANALYSIS = 1,
    LG_USES_ANALYSIS = 2,  /**< says more with one */
    LG_NEEDS_CONTENTS = 4, /**< says more if the capture compared contents */
    LG_NEEDS_NATIVE = 16,  /**< of what the capture finds with native=True */
    LG_NEEDS_LINES = 32,   /**< and with allocations=True */
    LG_NEEDS_SEVERAL = 64, /**< of several snapshots; see lg_compared */
};

enum { LG_MORE_COLUMNS = 8 };

/** What lg_question_ask does, and what an answer is, in C. */
typedef struct lg_answering {
    size_t options_size;
    const void *usual;  /**< the options before any is given */
    size_t answer_size; /**< of the value that `ask` sets */
    lg_status (*ask)(const lg_ask *ask, void *answer, lg_error *err);
    void (*free)(void *answer);
    size_t row_size;
    size_t rows;     /**< offset in the answer: of a pointer to the rows */
    size_t count;    /**< of their number, a size_t */
    size_t total;    /**< of their number before the limit; 0: the same */
    size_t node;     /**< of rows that are objects of one place, for other
                          snapshots: the offset of one of them, */
    size_t retained; /**< and of what all retain, by device; 0: they are not */
    /** says what any other row is about; false: other snapshots cannot be asked
     *  for it. May be NULL */
    bool (*thing)(const lg_ask *ask, const void *answer, const void *row,
                  lg_thing *out);
    /** if these are LG_THING_ROW: options to ask each snapshot with for all of
     *  its rows; NULL at the end */
    const void *const *every;
    const char *counted; /**< the heading of how many more there are; NULL:
                              "Δ objects" */
    const char *tallied; /**< what the rows are, if they are all tallies of the
                              next kind: pages say below how these changed */
    lg_tally_kind tally;
    const char *noun;    /**< of a row that is left out; NULL: "row" */
    unsigned char in;    /**< who sees the rows, as in lg_look */
    bool blocks;         /**< in text, an empty line stands before each row */
    bool bare;           /**< an answer without rows has no headings */
    size_t devices;      /**< offset of the number of devices besides the host,
                              a uint32_t, */
    size_t device_names; /**< and of their names, the host's first, a pointer to
                              strings; 0: those of the graph */
    /** names columns of bytes that only pages have, at most LG_MORE_COLUMNS,
     *  and returns how many; `row` puts them behind the fields. May be NULL */
    size_t (*more)(const void *answer, lg_text *names);
    /** puts the cells of a row, or of the facts, that are put together */
    void (*row)(const lg_ask *ask, const void *answer, const void *row,
                lg_table *table);
    void (*facts)(const lg_ask *ask, const void *answer, lg_table *facts);
    /** whether a row is a heading, for people only; NULL: none is */
    bool (*heads)(const void *row);
    /** writes the lines above the rows; may be NULL */
    void (*above)(const lg_ask *ask, const void *answer, lg_text *out);
    void (*after)(const lg_ask *ask, const void *answer, size_t row,
                  lg_table *table);
    /**< adds rows for people after a row, or hides it; may be NULL */
    /** writes the text for terminals, if it is no table of rows */
    void (*text)(const lg_ask *ask, const void *answer, lg_text *out);
    void (*below)(const lg_ask *ask, const void *answer, lg_table *table);
    /**< adds sums and lines for people; may be NULL */
} lg_answering;

typedef struct lg_question {
    const char *name;    /**< "waste": a verb, a function, a page */
    const char *verb;    /**< what the command calls it; NULL: the name */
    const char *title;   /**< "Memory that you could save" */
    const char *help;    /**< what to ask it for: a clause that begins with a
                              verb */
    const char *about;   /**< a few sentences for manuals */
    const char *order;   /**< how rows are sorted: "the most waste first" */
    const char *example; /**< options of an example; may be NULL */
    const char *result;  /**< what Python calls the type of its answer */
    const char *row;     /**< and the type of a row */
    const char *leaks;   /**< of a question with the option `check`: the fact
                              that counts the leaks; NULL: the rows are leaks */
    unsigned needs;
    unsigned analysed; /**< how many words of its choice need the analysis, the
                            first ones; 0: all */
    const lg_option *options; /**< this and the next two end with zeros */
    const lg_field *fields;
    const lg_field *facts;
    const lg_answering *in_c;
} lg_question;

/** Returns which of LG_NEEDS_ANALYSIS and LG_USES_ANALYSIS hold with these
 *  options (NULL: none is given). */
unsigned lg_question_needs(const lg_question *question, const lg_given *given);
/** Returns the index of the option; SIZE_MAX if the question has none by that
 *  name. */
size_t lg_question_option(const lg_question *question, const char *name);
/** Checks what the options alone do not show, before a long analysis: the names
 *  of devices, and the file of a baseline. O(options + entries). */
lg_status lg_question_check(const lg_question *question, const lg_ask *ask,
                            lg_error *err);
/** Answers a question with a table, which is the caller's, and saves the
 *  baseline if it was asked to. LG_EINVAL: there is no such device, or an
 *  analysis is missing; LG_ENOTFOUND: no such module. */
lg_status lg_question_ask(const lg_question *question, const lg_ask *ask,
                          lg_table **out, lg_error *err);
/** Makes the table of an answer that the caller has: of the type that `ask` in
 *  lg_answering sets, such as lg_waste. */
lg_status lg_question_tabulate(const lg_question *question, const lg_ask *ask,
                               const void *answer, lg_table **out,
                               lg_error *err);

/** Finds what a row of an answer is about, of a question with `thing`. False:
 *  it cannot be compared. */
bool lg_question_thing(const lg_question *question, const lg_ask *ask,
                       const void *answer, const void *row, lg_thing *out);
/** Counts what the rows of all answers are about, so that pages can compare
 *  them. Files of summaries do not have that. O(as much as the answers). */
lg_status lg_summary_count_rows(lg_summary *summary,
                                const lg_analysis *analysis,
                                const lg_monitor *monitor, lg_error *err);

/** How many options it takes. */
size_t lg_question_option_count(const lg_question *question);

#ifdef __cplusplus
}
#endif

#endif
