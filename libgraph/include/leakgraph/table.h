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

typedef struct lg_column {
    lg_string name; /**< the same in every version: for programs */
    lg_string heading;
    lg_column_type type;
    bool data; /**< for programs, not only for people */
} lg_column;

/** What a cell holds, by the type of its column; the rest is zero. A column of
 *  numbers may have a text, too. */
typedef struct lg_cell {
    bool present;   /**< false: nothing is known, or applies */
    lg_string text; /**< of a text, a path; the title of a node */
    lg_string type; /**< of a node */
    lg_node node;   /**< its number */
    uint64_t count; /**< a count, bytes, 0 or 1 of a bool; the sum of a
                         size */
    int64_t number;
    double share;
    double real;
    const uint64_t *size;    /**< [lg_table_device_count + 1], the host first */
    const uint64_t *numbers; /**< several of them, [count] */
    const lg_table *table;   /**< of a list or a record */
} lg_cell;

/** Texts to lay out. */
typedef struct lg_table_texts {
    const char *const *headings; /**< [columns] */
    const lg_string *cells;      /**< [rows * columns], row by row */
    size_t columns;
    size_t rows;
    size_t right; /**< the first `right` columns are flush right */
} lg_table_texts;

/** Makes a table of texts, which text and HTML lay out like any other.
 * LG_EINVAL for more than 32 columns; LG_ENOMEM. */
LG_API lg_status lg_table_of_texts(const lg_table_texts *texts, lg_table **out,
                                   lg_error *err);
LG_API void lg_table_free(lg_table *table);
/** Counts the columns for programs and those for people. */
LG_API size_t lg_table_column_count(const lg_table *table);
LG_API lg_column lg_table_column(const lg_table *table, size_t column);
/** Counts the rows, without a row of totals. */
LG_API size_t lg_table_row_count(const lg_table *table);
LG_API lg_cell lg_table_cell(const lg_table *table, size_t row, size_t column);
/** Whether a row is a heading among the rows, for people only. */
LG_API bool lg_table_is_heading(const lg_table *table, size_t row);
/** The depth of a row in a tree; 0 if the rows are not a tree. */
LG_API uint32_t lg_table_depth(const lg_table *table, size_t row);
/** The facts that hold for all rows together: a table with one row, or NULL. */
LG_API const lg_table *lg_table_facts(const lg_table *table);
/** Devices of its sizes, and their names: of 0 "host". */
LG_API uint32_t lg_table_device_count(const lg_table *table);
LG_API lg_string lg_table_device_name(const lg_table *table, uint32_t device);

/** Makes a table of the rows with these numbers, in this order, without totals.
 *  It borrows everything else from `table`, which must outlive it. LG_EINVAL
 *  for a row that does not exist; LG_ENOMEM. */
LG_API lg_status lg_table_select(const lg_table *table, const size_t *rows,
                                 size_t count, lg_table **out, lg_error *err);

/** How lg_table_arrange arranges rows. Start from LG_ARRANGEMENT_INIT. */
typedef struct lg_arrangement {
    size_t size;        /**< of this struct */
    const char *filter; /**< only rows whose cells, as people read them, have
                             all these words in any case; NULL: all rows */
    size_t column;      /**< what to sort by; SIZE_MAX: keep the order */
    bool descending;
} lg_arrangement;

#define LG_ARRANGEMENT_INIT                                                    \
    {                                                                          \
        .size = sizeof(lg_arrangement), .column = SIZE_MAX                     \
    }

/** Makes a table of the rows that a filter leaves, sorted by a column: numbers
 *  by value, texts as people read them, without respect to case; empty cells
 *  come last. Equal rows keep their order, and so do the rows of a tree. It
 *  borrows everything else from `table`, as lg_table_select does. LG_EINVAL:
 *  there is no such column; LG_ENOMEM. O(rows log rows). */
LG_API lg_status lg_table_arrange(const lg_table *table,
                                  const lg_arrangement *arrangement,
                                  lg_table **out, lg_error *err);
/** Whether people see the column on a page. */
LG_API bool lg_table_column_on_page(const lg_table *table, size_t column);

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
/** The same without styles, for a page with a style sheet: cells that are flush
 *  right have the class "n", expressions that lead to an object the class
 *  "path", rows of a tree "d1" and so on. LG_ENOMEM. */
LG_API lg_status lg_table_html_plain(const lg_table *table, size_t limit,
                                     lg_text *out, lg_error *err);

/** What links of a page begin with; NULL: there are no such links. */
typedef struct lg_table_links {
    const char *node;      /**< to the object of a row; its number follows */
    const char *selector;  /**< to the objects of a type; `type%3Atrain.Model`
                                follows, for a query */
    const char *reference; /**< to what a cut would free; the text of the
                                reference follows, for a query */
} lg_table_links;

/** The same with links: a row leads to its object, a type to its objects, and a
 *  column of the name "cut" to what would go with that reference. LG_ENOMEM. */
LG_API lg_status lg_table_html_linked(const lg_table *table, size_t limit,
                                      const lg_table_links *links, lg_text *out,
                                      lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
