/**
 * How tables are made, and what those who write them may see.
 *
 * A report describes its columns, adds rows and puts cells into the row that it
 * added last. A table remembers that memory ran out, and lg__table_finish
 * returns it. Every function that adds accepts NULL, a table that could not be
 * made, and then does nothing.
 */
#ifndef LG_TABLE_WRITER_H
#define LG_TABLE_WRITER_H

#include <leakgraph/report.h>

#include "report/words.h"

/** Who sees a column. */
enum {
    LG__IN_TEXT = 1,
    LG__IN_HTML = 2,
    LG__IN_JSON = 4,
    LG__IN_PROGRAMS = 8, /**< those that read the table itself */
    LG__IN_DATA = LG__IN_JSON | LG__IN_PROGRAMS,
    LG__SHOWN = LG__IN_TEXT | LG__IN_HTML,
};

/** By type: numbers, sizes and shares are flush right. */
typedef enum lg__flush { LG__BY_TYPE = 0, LG__LEFT, LG__RIGHT } lg__flush;

typedef enum lg__tree { LG__FLAT = 0, LG__INDENTED, LG__BRANCHED } lg__tree;

/** Strings are literals, but the name, which the table copies. */
typedef struct lg__column {
    const char *name;    /**< NULL: of people only */
    const char *heading; /**< NULL: as the name */
    const char *none;    /**< shown where nothing is, or zero */
    const char *below;   /**< text has it on a line below the row, after this */
    lg_column_type type;
    uint8_t faces; /**< LG__IN_TEXT and its like; 0: all */
    uint8_t gap;   /**< spaces before it in text */
    uint8_t least; /**< width in text that it has at least */
    uint8_t most;  /**< wider cells do not widen it; 0: LG__WIDEST */
    lg__flush flush;
    bool chart;    /**< HTML draws several numbers as a line */
    bool lines;    /**< a list with each element on a line, in JSON */
    bool optional; /**< JSON leaves it out where nothing is, instead of null */
    lg__tree tree; /**< this column shows the depth of rows */
} lg__column;

enum { LG__WIDEST = 60 };

/** What text and HTML do with a table. */
typedef struct lg__layout {
    const char *rows; /**< name of the rows in JSON; NULL: "rows" */
    const char *noun; /**< of rows that are left out, as "types"; may be NULL */
    uint8_t indent;   /**< of all lines of text */
    bool bare;        /**< without a line of headings */
    bool blocks;      /**< an empty line before each row */
    uint8_t faces;    /**< who sees it; 0: all */
} lg__layout;

/** A table whose sizes are by the devices of the graph; NULL: memory ran out.
 */
lg_table *lg__table_new(const lg_graph *graph, lg__layout layout,
                        const lg__column *columns, size_t count);
/** The same with the names of the devices, the host first. */
lg_table *lg__table_new_on(const lg_string *devices, uint32_t count,
                           lg__layout layout, const lg__column *columns,
                           size_t column_count);
/** LG_ENOMEM if memory ran out on the way, the table then freed. */
lg_status lg__table_finish(lg_table *made, lg_table **out, lg_error *err);

/** Writes a table and frees it: what reports end with. */
lg_status lg__table_report(lg_table *table, lg_format format, lg_text *out,
                           lg_error *err);

/** The object that lg_table_json writes, as part of another document. */
void lg__table_write(const lg_table *table, const char *name, lg_json *json);

void lg__table_row(lg_table *table);
/** A row below all others, of people only. */
void lg__table_total_row(lg_table *table);
/** A row of people only, among the others. */
void lg__table_heading_row(lg_table *table);
/** Hides the row added last from people, as long as others stand before it:
 *  lg_table_select shows what it selects. */
void lg__table_hide_row(lg_table *table);
/** Sets the depth of the row added last. */
void lg__table_set_depth(lg_table *table, uint32_t depth);
/** Says how many rows there are when not all of them are added. */
void lg__table_set_count(lg_table *table, size_t count);

/** Each puts a cell into the row added last. */
void lg__put_count(lg_table *table, size_t column, uint64_t count);
void lg__put_number(lg_table *table, size_t column, int64_t number);
void lg__put_real(lg_table *table, size_t column, double real);
void lg__put_bool(lg_table *table, size_t column, bool value);
void lg__put_numbers(lg_table *table, size_t column, const uint64_t *numbers,
                     uint32_t count);
void lg__put_share(lg_table *table, size_t column, uint64_t part,
                   uint64_t whole);
/** An empty string is no value. */
void lg__put_string(lg_table *table, size_t column, lg_string string);
void lg__put_literal(lg_table *table, size_t column, const char *string);
/** Takes over the text, which is freed. */
void lg__put_formatted(lg_table *table, size_t column, lg_text *text);
void lg__put_node(lg_table *table, size_t column, const lg_graph *graph,
                  uint32_t node);
void lg__put_vector(lg_table *table, size_t column, lg__vector_on *on,
                    const void *context);
void lg__put_retained(lg_table *table, size_t column,
                      const lg_analysis *analysis, lg__retained_on *on,
                      uint32_t which);
/** By device. */
void lg__put_each(lg_table *table, size_t column, const uint64_t *bytes);
/** A record of texts: names and values by turns, `count` of each. NULL: memory
 *  ran out. */
void lg__put_pairs(lg_table *table, size_t column, const lg_string *pairs,
                   size_t count);
/** The table that is the cell's list or record. */
lg_table *lg__put_table(lg_table *table, size_t column,
                        const lg__column *columns, size_t count);

/** Adds the one row of facts that hold for all rows, to put cells into. */
lg_table *lg__table_facts(lg_table *table, const lg__column *columns,
                          size_t count);
/** Add lines above and below the rows, for people. The text is freed. */
void lg__table_format_above(lg_table *table, lg_text *text);
void lg__table_format_below(lg_table *table, lg_text *text);
/** Known mistakes that concern the nodes of a report: for people the biggest
 *  few below the table, for programs all as a list among the facts, or null
 *  without an analysis. *any: there are some. */
lg_status lg__put_mistakes(lg_table *table, lg_table *facts, size_t column,
                           const lg_analysis *analysis, const uint32_t *nodes,
                           size_t count, bool *any, lg_error *err);
/** The libraries whose memory the capture could not inspect, each with the
 *  reason, as a record. */
void lg__put_uninspected(lg_table *table, size_t column, const lg_graph *graph);
/** A table that people see below this one. */
lg_table *lg__table_part(lg_table *table, lg__layout layout,
                         const lg__column *columns, size_t count);

/* ------------------------------------------------------------- writers --- */

typedef struct lg__cell {
    uint64_t value;  /**< itself; or where it is: in strings, numbers, tables */
    uint32_t length; /**< of a string, or of numbers; the number of a node */
    uint8_t kind;    /**< 0: nothing; else a column type + 1 */
} lg__cell;

typedef struct lg__row {
    uint16_t depth;
    bool total;
    bool heading;
    bool hidden;
} lg__row;

struct lg_table {
    const lg_table *root; /**< knows the devices */
    lg__layout layout;
    lg__column *columns;
    char **names; /**< of columns */
    size_t column_count;
    lg__row *rows;
    lg__cell *cells; /**< [row_count * column_count] */
    size_t row_count;
    size_t row_capacity;
    size_t shown_of; /**< rows there are */
    lg_text strings;
    uint64_t *numbers;
    size_t number_count;
    size_t number_capacity;
    lg_table **tables; /**< of cells */
    size_t table_count;
    lg_table *facts;
    lg_table *first_part;
    lg_table *next_part;
    lg_text above;
    lg_text below;
    char **devices; /**< of the root: names, [device_count + 1] */
    uint32_t device_count;
    bool failed;
    bool borrows; /**< all but rows and cells, from another table */
};

/** A table for a cell of another one, or NULL. */
lg_table *lg__table_within(const lg_table *table, const lg__column *columns,
                           size_t count);
const lg__cell *lg__cell_at(const lg_table *table, size_t row, size_t column);
/** Of a cell that has one. */
lg_string lg__cell_string(const lg_table *table, const lg__cell *cell);
const lg_table *lg__cell_table(const lg_table *table, const lg__cell *cell);
/** A cell as people read it. */
void lg__cell_format(const lg_table *table, size_t row, size_t column,
                     lg_text *out);
bool lg__column_is_right(const lg__column *column);
bool lg__column_is_in(const lg__column *column, unsigned face);
bool lg__table_is_in(const lg_table *table, unsigned face);
const char *lg__column_heading(const lg__column *column);
/** Rows to show: all but totals, or the limit. */
size_t lg__table_shown(const lg_table *table, size_t limit);
/** `... and 12 more types`, of what is not shown; false: all is. */
bool lg__table_format_more(const lg_table *table, size_t shown, lg_text *out);

#endif
