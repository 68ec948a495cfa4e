/**
 * What reports are made of: a writer of JSON, and tables that become text, JSON
 * or HTML.
 *
 * See leakgraph.h for the conventions.
 */
#ifndef LEAKGRAPH_REPORT_H
#define LEAKGRAPH_REPORT_H

#include <leakgraph/bytes.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------- JSON --- */

#define LG_JSON_DEPTH 32

/**
 * Writes one JSON document to a text, value by value: nothing is kept but what
 * is open. Start from `lg_json json = {.out = &text}`; end with lg_json_finish.
 * The writer places commas, and never writes what is not JSON: after a misuse
 * (a member of an object without a name, an element of an array with one, a
 * second document, more than LG_JSON_DEPTH open at once) it writes nothing
 * more, and lg_json_finish fails. Want of memory sticks in the text.
 */
typedef struct lg_json {
    lg_text *out;
    size_t start;
    uint32_t depth;
    uint32_t indent;
    bool begun;
    bool named;
    bool misused;
    uint8_t open[LG_JSON_DEPTH];
} lg_json;

/** Of each function below: `name` is that of a member of an object; NULL for an
 *  element of an array, for the document itself, and after lg_json_name. */
LG_API void lg_json_object(lg_json *json, const char *name);
LG_API void lg_json_array(lg_json *json, const char *name);
/** An array with each element on a line of its own. */
LG_API void lg_json_lines(lg_json *json, const char *name);
/** Ends what was opened last. */
LG_API void lg_json_end(lg_json *json);
/** Names the value that follows, for names that are no C strings. */
LG_API void lg_json_name(lg_json *json, const char *name, size_t length);
/** As lg_text_add_json has it; a `string` of NULL is null. */
LG_API void lg_json_string(lg_json *json, const char *name, const char *string,
                           size_t length);
LG_API void lg_json_count(lg_json *json, const char *name, uint64_t count);
LG_API void lg_json_integer(lg_json *json, const char *name, int64_t integer);
/** The shortest digits that read back as the same number, with a point
 *  whatever the locale; null for infinities and what is not a number. */
LG_API void lg_json_number(lg_json *json, const char *name, double number);
LG_API void lg_json_bool(lg_json *json, const char *name, bool value);
LG_API void lg_json_null(lg_json *json, const char *name);
/** Ends the document with a line feed. LG_EINVAL: the writer was misused, or
 *  something is still open; LG_ENOMEM. Either way the text is cut to what it
 *  was before the document. */
LG_API lg_status lg_json_finish(lg_json *json, lg_error *err);

/* -------------------------------------------------------------- tables --- */

/**
 * Rows of cells in named, typed columns, with what there is to say above and
 * below them. A table owns all it shows: it outlives the graph and the analysis
 * that it tells of. It never changes once made; any number of threads may read
 * it.
 */
typedef struct lg_table lg_table;

typedef enum lg_column_type {
    LG_COLUMN_TEXT = 0,
    LG_COLUMN_PATH,   /**< text: an expression that leads to an object */
    LG_COLUMN_NODE,   /**< a node, with its title and type */
    LG_COLUMN_COUNT,  /**< how many */
    LG_COLUMN_NUMBER, /**< a number that names something: pyplot's of a figure
                       */
    LG_COLUMN_BYTES,  /**< bytes of one device */
    LG_COLUMN_SIZE,   /**< bytes by device */
    LG_COLUMN_SHARE,  /**< a part of 1 */
    LG_COLUMN_BOOL,
    LG_COLUMN_NUMBERS, /**< several numbers: a shape */
    LG_COLUMN_LIST,    /**< a table of its own: a row for each element */
    LG_COLUMN_RECORD,  /**< a table of its own, with one row */
} lg_column_type;

typedef struct lg_column {
    lg_string name; /**< the same in every version: for programs */
    lg_string heading;
    lg_column_type type;
    bool data; /**< of programs: not put together for people only */
} lg_column;

/** What a cell holds, by the type of its column; the rest is zero. A text may
 *  stand in a column of numbers. */
typedef struct lg_cell {
    bool present;   /**< false: nothing is known, or applies */
    lg_string text; /**< of a text, a path; the title of a node */
    lg_string type; /**< of a node */
    uint32_t node;  /**< its number */
    uint64_t count; /**< a count, bytes, 0 or 1 of a bool; the sum of a
                         size */
    int64_t number;
    double share;
    const uint64_t *size;    /**< [lg_table_device_count + 1], the host first */
    const uint64_t *numbers; /**< several of them, [count] */
    const lg_table *table;   /**< of a list or a record */
} lg_cell;

LG_API void lg_table_free(lg_table *table);
/** Counts the columns for programs and those for people. */
LG_API size_t lg_table_column_count(const lg_table *table);
LG_API lg_column lg_table_column(const lg_table *table, size_t column);
/** Counts the rows, without a row of totals. */
LG_API size_t lg_table_row_count(const lg_table *table);
LG_API lg_cell lg_table_cell(const lg_table *table, size_t row, size_t column);
/** Whether a row is a heading among the rows, for people only. */
LG_API bool lg_table_is_heading(const lg_table *table, size_t row);
/** How deep a row lies in a tree; 0 where rows are none. */
LG_API uint32_t lg_table_depth(const lg_table *table, size_t row);
/** The facts that hold for all rows together: a table with one row, or NULL. */
LG_API const lg_table *lg_table_facts(const lg_table *table);
/** Devices of its sizes, and their names: of 0 "host". */
LG_API uint32_t lg_table_device_count(const lg_table *table);
LG_API lg_string lg_table_device_name(const lg_table *table, uint32_t device);

/** The rows with these numbers, in this order, as a table of their own without
 *  totals. It borrows all else from `table`, which must outlive it. LG_EINVAL
 * of a row that is not there; LG_ENOMEM. */
LG_API lg_status lg_table_select(const lg_table *table, const size_t *rows,
                                 size_t count, lg_table **out, lg_error *err);

/** As text for terminals, aligned by what characters take there. No more than
 *  `limit` rows (0: all), the others counted. LG_ENOMEM. */
LG_API lg_status lg_table_text(const lg_table *table, size_t limit,
                               lg_text *out, lg_error *err);
/** As one JSON object, a line a row: the facts, then the rows, by the names of
 *  columns. Bytes and counts are numbers, a size is an object by device, a node
 *  its number; beside the node that is called so stand its type and title.
 * LG_ENOMEM. */
LG_API lg_status lg_table_json(const lg_table *table, lg_text *out,
                               lg_error *err);
/** As a piece of HTML that needs nothing else, everything escaped; long texts
 *  are folded. No more than `limit` rows (0: all), the others counted.
 *  LG_ENOMEM. */
LG_API lg_status lg_table_html(const lg_table *table, size_t limit,
                               lg_text *out, lg_error *err);

/* ------------------------------------------------ what reports tabulate --- */

/** The types of a snapshot: count, bytes, type. This and each function below
 *  makes what the report of the same name shows; the table is the caller's.
 *  `limit` is the greatest number of rows (0: all). */
LG_API lg_status lg_tabulate_types(const lg_graph *graph, lg_sort sort,
                                   size_t limit, lg_table **out, lg_error *err);
/** What is known of a snapshot: all of it stands in the facts. */
LG_API lg_status lg_tabulate_info(const lg_graph *graph, lg_table **out,
                                  lg_error *err);
/** Who retains the most; see lg_report_top. */
LG_API lg_status lg_tabulate_top(const lg_analysis *analysis, lg_group group,
                                 uint32_t device, size_t limit,
                                 const lg_monitor *monitor, lg_table **out,
                                 lg_error *err);
/** The dominator tree, as rows with a depth; see lg_report_dominators. */
LG_API lg_status lg_tabulate_dominators(const lg_analysis *analysis,
                                        uint32_t node, double min_share,
                                        lg_table **out, lg_error *err);
/** Where the memory is, as lines for people: text and HTML only. See
 *  lg_report_memory. */
LG_API lg_status lg_tabulate_memory(const lg_graph *graph,
                                    const lg_allocator_state *state,
                                    lg_table **out, lg_error *err);
/** The figures of matplotlib; see lg_report_figures. */
LG_API lg_status lg_tabulate_figures(const lg_analysis *analysis, size_t limit,
                                     lg_table **out, lg_error *err);
/** Storages of torch, one by one or in groups; see lg_report_tensors. */
LG_API lg_status lg_tabulate_tensors(const lg_graph *graph,
                                     const lg_analysis *analysis,
                                     uint32_t device, lg_tensor_group group,
                                     size_t limit, lg_table **out,
                                     lg_error *err);
/** Known mistakes: a row for each finding. Text and HTML show look-alikes
 *  together. */
LG_API lg_status lg_tabulate_findings(const lg_analysis *analysis,
                                      const lg_findings *findings,
                                      lg_table **out, lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
