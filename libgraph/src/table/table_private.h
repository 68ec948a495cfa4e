/**
 * How to make tables, and what their writers may see.
 *
 * A report describes its columns, adds rows, and puts cells into the last row.
 * A table remembers that memory ran out, and lg__table_finish returns it. Every
 * function that adds accepts NULL, a table that could not be made, and then
 * does nothing.
 */
#ifndef LEAKGRAPH_TABLE_PRIVATE_H
#define LEAKGRAPH_TABLE_PRIVATE_H

#include <leakgraph/question.h>
#include <leakgraph/internal/report.h>
#include <leakgraph/internal/questions.h>

#include "table/words.h"

/** Who sees a column. */
enum {
    LG__IN_TEXT = LG_IN_TEXT,
    LG__IN_HTML = LG_IN_HTML,
    LG__IN_JSON = LG_IN_JSON,
    LG__IN_PROGRAMS = LG_IN_PROGRAMS,
    LG__IN_DATA = LG_IN_DATA,
    LG__SHOWN = LG_SHOWN,
};

/** By type: numbers, sizes and shares are flush right. */
typedef enum lg__flush { LG__BY_TYPE = 0, LG__LEFT, LG__RIGHT } lg__flush;

typedef enum lg__tree { LG__FLAT = 0, LG__INDENTED, LG__BRANCHED } lg__tree;

/** How HTML draws the cells of a column. */
typedef enum lg__chart {
    LG__NO_CHART = 0,
    LG__LINE,  /**< numbers, as a line */
    LG__BARS,  /**< the parts of lg__put_parts side by side, each as high as its
                    share */
    LG__PARTS, /**< these parts as one bar, each as long as its share */
} lg__chart;

/** Numbers that are more or less than before: `+1.90 MiB`, `+12`. */
typedef enum lg__delta { LG__NO_DELTA = 0, LG__BYTES_MORE, LG__MORE } lg__delta;

/** What distinguishes a cell or a part of a chart. */
typedef enum lg__mark { LG__UNMARKED = 0, LG__APART, LG__QUIET } lg__mark;

/** A column. Strings are literals, except the name, which the table copies. */
typedef struct lg__column {
    const char *name;    /**< NULL: the column is only for people */
    const char *heading; /**< NULL: the name */
    const char *none;    /**< shown instead of nothing or zero */
    const char *below;   /**< in text, the cell comes on a line below the
                              row, after this */
    lg_column_type type;
    uint8_t shown_in; /**< LG__IN_TEXT and others; 0: all */
    uint8_t gap;      /**< spaces before the column in text */
    uint8_t least;    /**< its least width in text */
    uint8_t most;     /**< wider cells do not widen it; 0: LG__WIDEST */
    lg__flush flush;
    lg__chart chart;
    lg__delta delta;
    bool lines;    /**< a list with one element per line in JSON */
    bool optional; /**< JSON leaves out an empty cell, instead of writing
                        null */
    bool always;   /**< JSON has "" for an empty text, instead of null */
    bool alone;    /**< JSON has no type and title beside the node */
    lg__tree tree; /**< it shows the depth of rows */
} lg__column;

enum { LG__WIDEST = 60 };

/** How text and HTML show a table. */
typedef struct lg__layout {
    const char *noun; /**< for a row that is left out, such as "type";
                           may be NULL */
    uint8_t indent;   /**< of every line of text */
    bool bare;        /**< no line of headings */
    bool blocks;      /**< an empty line before each row */
    uint8_t shown_in; /**< who sees the table; 0: all */
} lg__layout;

/** Makes a table whose sizes are by the devices of the graph; NULL if memory
 *  ran out. */
lg_table *lg__table_new(const lg_graph *graph, lg__layout layout,
                        const lg__column *columns, size_t count);
/** Makes a table with these names of devices, the host first. */
lg_table *lg__table_new_on(const lg_string *devices, uint32_t count,
                           lg__layout layout, const lg__column *columns,
                           size_t column_count);
/** Finishes a table. If memory ran out, frees it and returns LG_ENOMEM. */
lg_status lg__table_finish(lg_table *made, lg_table **out, lg_error *err);

/** Writes a table and frees it, as reports do at their end. */
lg_status lg__table_report(lg_table *table, lg_format format, lg_text *out,
                           lg_error *err);

/** Writes the object that lg_table_json writes, as part of another document. */
void lg__table_write(const lg_table *table, const char *name, lg_json *json);

void lg__table_row(lg_table *table);
/** Adds a row below all others, for people only. */
void lg__table_total_row(lg_table *table);
/** Adds a row among the others, for people only. */
void lg__table_heading_row(lg_table *table);
/** Hides the last row from people while other rows stand before it.
 *  lg_table_select shows what it selects. */
void lg__table_hide_row(lg_table *table);
/** Adds what the reader can do to see more, if there is something: these words
 *  for who asks by options, those for who has a form. */
void lg__add_remedy(const lg_ask *ask, const char *options, const char *form,
                    lg_text *out);
/** Whether people see a row only in a line that adds up such rows: it has less
 *  than a thousandth of the whole, is none of the first three, and nobody said
 *  how many rows to show. `limit` is the index of that option. */
bool lg__row_is_little(const lg_ask *ask, size_t limit, size_t before,
                       uint64_t bytes, uint64_t whole);
/** Sets the depth of the last row. */
void lg__table_set_depth(lg_table *table, uint32_t depth);
/** Says how many rows there are if not all of them are added. */
void lg__table_set_count(lg_table *table, size_t count);

/** Put a cell each into the last row. */
void lg__put_count(lg_table *table, size_t column, uint64_t count);
void lg__put_number(lg_table *table, size_t column, int64_t number);
void lg__put_real(lg_table *table, size_t column, double real);
void lg__put_bool(lg_table *table, size_t column, bool value);
void lg__put_numbers(lg_table *table, size_t column, const uint64_t *numbers,
                     uint32_t count);
/** Puts their numbers. */
void lg__put_nodes(lg_table *table, size_t column, const lg_nodes *nodes);
void lg__put_share(lg_table *table, size_t column, uint64_t part,
                   uint64_t whole);
/** Puts a string. An empty string is no value. */
void lg__put_string(lg_table *table, size_t column, lg_string string);
void lg__put_literal(lg_table *table, size_t column, const char *string);
/** Puts the text, and frees it. */
void lg__put_formatted(lg_table *table, size_t column, lg_text *text);
void lg__put_node(lg_table *table, size_t column, const lg_graph *graph,
                  uint32_t node);
void lg__put_vector(lg_table *table, size_t column, lg__vector_on *on,
                    const void *context);
void lg__put_retained(lg_table *table, size_t column,
                      const lg_analysis *analysis, lg__retained_on *on,
                      uint32_t which);
/** Puts bytes by device. */
void lg__put_each(lg_table *table, size_t column, const uint64_t *bytes);
/** Puts a record of texts: `count` names and values, alternating. NULL: memory
 *  ran out. */
void lg__put_pairs(lg_table *table, size_t column, const lg_string *pairs,
                   size_t count);
/** Puts an empty list of parts, for LG__BARS and LG__PARTS, and returns it. */
lg_table *lg__put_parts(lg_table *table, size_t column);
/** Adds a part with its share of the whole. */
void lg__put_part(lg_table *list, const lg_text *name, uint64_t bytes,
                  uint64_t whole);
/** Marks the last part. */
void lg__mark_part(lg_table *list, lg__mark mark);
/** Marks a cell of the last row, for HTML. */
void lg__mark_cell(lg_table *table, size_t column, lg__mark mark);
/** Returns the table of a new cell that is a list or record. */
lg_table *lg__put_table(lg_table *table, size_t column,
                        const lg__column *columns, size_t count);

/** Columns that say how a thing changed: objects, bytes, and bytes per step. */
enum { LG__CHANGES = 3 };
/** Fills those of the last row, if the table has any and the change is known.
 */
void lg__put_change(lg_table *table, const lg_ask *ask, const lg_thing *thing);
/** The same of all objects in the place of a node, which retain so much, by
 *  device. */
void lg__put_object_change(lg_table *table, const lg_ask *ask, lg_node node,
                           const uint64_t *retained);

/** Adds a table that people see below this one, with those columns behind the
 *  others; `counted` is as in lg_answering, and ask may be NULL. */
lg_table *lg__table_compared_part(lg_table *table, const lg_ask *ask,
                                  lg__layout layout, const lg__column *columns,
                                  size_t count, const char *counted);
/** Hides these columns if no row has a change. */
void lg__hide_unchanged(lg_table *table);

/** Adds the one row of facts that hold for all rows, and returns its table, to
 *  put cells into. */
lg_table *lg__table_facts(lg_table *table, const lg__column *columns,
                          size_t count);
/** Add lines above and below the rows, for people. They free the text. */
void lg__table_format_above(lg_table *table, lg_text *text);
void lg__table_format_below(lg_table *table, lg_text *text);
/** Puts the libraries whose memory the capture could not inspect, each with the
 *  reason, as a record. */
void lg__put_uninspected(const lg_ask *ask, const void *answer, const void *row,
                         const lg_field *field, lg_table *table, size_t column);
/** Adds a table that people see below this one. */
lg_table *lg__table_part(lg_table *table, lg__layout layout,
                         const lg__column *columns, size_t count);

/** Rows of a list: `count` structs of this size. */
typedef struct lg__rows {
    const void *items;
    size_t count;
    size_t size;
} lg__rows;

/** No answer has more columns. */
enum { LG__MOST_FIELDS = 32 };

/** Describes the columns of fields, for a table that is a part of another, and
 *  returns how many there are. */
size_t lg__list_columns(const lg_ask *ask, const void *answer,
                        const lg_field *fields, lg__column *out);
/** Puts a list or a record without rows, with the columns that the field has,
 *  and returns its table. */
lg_table *lg__put_empty_list(const lg_ask *ask, const void *answer,
                             const lg_field *field, lg_table *table,
                             size_t column);
/** Adds a row to such a list. */
void lg__put_list_row(const lg_ask *ask, const void *answer,
                      const lg_field *field, const void *row, lg_table *list);
/** Puts a list or a record, with the columns that the field has. */
void lg__put_list(const lg_ask *ask, const void *answer, const lg_field *field,
                  const lg__rows *rows, lg_table *table, size_t column);

/* The usual options. `of` is the struct of the answer's options. */

#define LG__LIMIT(of, first)                                                   \
    {                                                                          \
        .name = "limit", .type = LG_OPTION_LIMIT, .preset = "20",              \
        .help = "at most this many rows, " first ", or `all`",                 \
        .offset = offsetof(of, limit)                                          \
    }
#define LG__OBJECTS(of)                                                        \
    {                                                                          \
        .name = "target", .type = LG_OPTION_OBJECTS,                           \
        .help = "the objects: a selector, or in Python a Node, several of "    \
                "them, or a live object",                                      \
        .offset = offsetof(of, target)                                         \
    }
#define LG__LIBRARIES(of, what)                                                \
    {                                                                          \
        .name = "libraries", .type = LG_OPTION_FLAG,                           \
        .help = "include what " what " for themselves",                        \
        .offset = offsetof(of, libraries)                                      \
    }
#define LG__MINE(of)                                                           \
    {                                                                          \
        .name = "mine", .type = LG_OPTION_MINE,                                \
        .help = "only what the program's own modules hold",                    \
        .offset = offsetof(of, scope)                                          \
    }
#define LG__MODULE(of)                                                         \
    {                                                                          \
        .name = "module", .type = LG_OPTION_MODULE,                            \
        .help = "only what matching modules hold: `train.*`",                  \
        .offset = offsetof(of, scope)                                          \
    }

#define LG__BASELINE(of, what)                                                 \
    {                                                                          \
        .name = "baseline", .type = LG_OPTION_BASELINE,                        \
        .help = "leave out the " what " that this file lists",                 \
        .offset = offsetof(of, baseline)                                       \
    }
#define LG__UPDATE_BASELINE(of, what)                                          \
    {                                                                          \
        .name = "update_baseline", .type = LG_OPTION_UPDATE,                   \
        .help = "add the other " what " to that file, which may be missing",   \
        .offset = offsetof(of, baseline)                                       \
    }
#define LG__CHECK(what)                                                        \
    {                                                                          \
        .name = "check", .type = LG_OPTION_CHECK,                              \
        .help = "exit with 1 if there are " what                               \
    }

typedef struct lg__cell {
    uint64_t value;  /**< the value itself, or its index among strings,
                          numbers or tables */
    uint32_t length; /**< length of a string, or count of numbers; the number
                          of a node */
    uint8_t kind;    /**< 0: empty; else 1 + a column type */
    uint8_t mark;
} lg__cell;

typedef struct lg__row {
    uint16_t depth;
    bool total;
    bool heading;
    bool hidden;
} lg__row;

struct lg_table {
    const lg_table *root; /**< it knows the devices */
    lg__layout layout;
    lg__column *columns;
    char **names; /**< names of columns */
    size_t column_count;
    lg__row *rows;
    lg__cell *cells; /**< [row_count * column_count] */
    size_t row_count;
    size_t row_capacity;
    size_t shown_of; /**< number of all rows there are */
    lg_text strings;
    size_t changes; /**< the first of LG__CHANGES columns, which HTML shows
                         before the texts; 0: there are none */
    bool changed;   /**< a row has some */
    uint64_t *numbers;
    size_t number_count;
    size_t number_capacity;
    lg_table **tables; /**< tables of cells */
    size_t table_count;
    lg_table *facts;
    lg_table *first_part;
    lg_table *next_part;
    lg_text above;
    lg_text below;
    lg_text text;   /**< stands for all of it on terminals, unless empty */
    char **devices; /**< of the root: names, [device_count + 1] */
    uint32_t device_count;
    bool failed;
    bool borrows; /**< everything but rows and cells belongs to another table */
};

/** Returns the table of a cell of another table, or NULL. */
lg_table *lg__table_within(const lg_table *table, const lg__column *columns,
                           size_t count);
const lg__cell *lg__cell_at(const lg_table *table, size_t row, size_t column);
/** Writes a cell as people read it. */
void lg__cell_format(const lg_table *table, size_t row, size_t column,
                     lg_text *out);
bool lg__column_is_right(const lg__column *column);
bool lg__column_is_in(const lg__column *column, unsigned face);
bool lg__table_is_in(const lg_table *table, unsigned face);
const char *lg__column_heading(const lg__column *column);
/** Returns how many rows to show: all but totals, or the limit. */
size_t lg__table_shown(const lg_table *table, size_t limit);
/** Writes `... and 12 more types` for rows that are not shown. Returns false if
 *  all are. */
bool lg__table_format_more(const lg_table *table, size_t shown, lg_text *out);

#endif
