/**
 * Tables, which become text, JSON or HTML.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_TABLE_H
#define LEAKGRAPH_TABLE_H

#include <leakgraph/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Rows of cells in named, typed columns, with lines above and below them. A
 * table owns all it shows: it outlives its graph and analysis. It never changes
 * once made; any number of threads may read it.
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
    LG_COLUMN_REAL,    /**< a number with a fraction: bytes per step */
} lg_column_type;

LG_API void lg_table_free(lg_table *table);
/** Counts the columns for programs and those for people. */
LG_API size_t lg_table_column_count(const lg_table *table);
/** The name of a column, the same in every version: for programs. Empty for a
 *  column that only people see. */
LG_API lg_string lg_table_column_name(const lg_table *table, size_t column);
/** What the column is called where people read it. */
LG_API lg_string lg_table_column_heading(const lg_table *table, size_t column);
LG_API lg_column_type lg_table_column_type(const lg_table *table,
                                           size_t column);
/** The column of that name; SIZE_MAX if there is none. */
LG_API size_t lg_table_column_find(const lg_table *table, const char *name);
/** Counts the rows, without a row of totals. */
LG_API size_t lg_table_row_count(const lg_table *table);

/** Whether the cell has a value: something is known, and applies. A cell of
 *  another type than a function below reads, or without a value, gives an empty
 *  text, 0, LG_NONE or NULL. */
LG_API bool lg_table_is_present(const lg_table *table, size_t row,
                                size_t column);
/** Of a text or a path; the title of a node. */
LG_API lg_string lg_table_text_at(const lg_table *table, size_t row,
                                  size_t column);
/** Of a node. */
LG_API lg_node lg_table_node_at(const lg_table *table, size_t row,
                                size_t column);
/** Of a count, bytes or a bool; the sum of a size; how many numbers there are.
 */
LG_API uint64_t lg_table_count_at(const lg_table *table, size_t row,
                                  size_t column);
/** The bytes of a size on one device; 0: the host. */
LG_API uint64_t lg_table_bytes_at(const lg_table *table, size_t row,
                                  size_t column, uint32_t device);
/** Of a number, a share, or a number with a fraction. */
LG_API double lg_table_real_at(const lg_table *table, size_t row,
                               size_t column);
/** Of a list or a record: the table that it is. Lent by the table. */
LG_API const lg_table *lg_table_table_at(const lg_table *table, size_t row,
                                         size_t column);

/** Whether a row is a heading among the rows, for people only. */
LG_API bool lg_table_is_heading(const lg_table *table, size_t row);
/** The facts that hold for all rows together: a table with one row, or NULL. */
LG_API const lg_table *lg_table_facts(const lg_table *table);
/** Devices of its sizes, and their names: of 0 "host". */
LG_API uint32_t lg_table_device_count(const lg_table *table);
LG_API lg_string lg_table_device_name(const lg_table *table, uint32_t device);

/** Writes text for terminals, aligned by the widths of characters there. Writes
 *  at most `limit` rows (0: all), and counts the others. LG_ENOMEM. */
LG_API lg_status lg_table_text(const lg_table *table, size_t limit,
                               lg_text *out, lg_error *err);
/** Writes one JSON object, a line for each row: the facts, then the rows, by
 * the names of columns. Bytes and counts are numbers, a size is an object by
 *  device, and a node its number; a column "node" adds "type" and "title".
 *  LG_ENOMEM. */
LG_API lg_status lg_table_json(const lg_table *table, lg_text *out,
                               lg_error *err);
/** Writes a piece of HTML that needs nothing else. Escapes everything, and
 * folds long texts. Counts, bytes and shares have their number in data-v.
 * Writes at most `limit` rows (0: all), and counts the others. LG_ENOMEM. */
LG_API lg_status lg_table_html(const lg_table *table, size_t limit,
                               lg_text *out, lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
