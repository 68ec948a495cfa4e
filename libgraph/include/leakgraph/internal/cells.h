/**
 * The columns and cells of a table, and tables for web pages.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_CELLS_H
#define LEAKGRAPH_CELLS_H

#include <leakgraph/table.h>

#ifdef __cplusplus
extern "C" {
#endif

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
lg_status lg_table_of_texts(const lg_table_texts *texts, lg_table **out,
                            lg_error *err);

/** A column; one of the table's. */
lg_column lg_table_column(const lg_table *table, size_t column);

/** What a cell holds. */
lg_cell lg_table_cell(const lg_table *table, size_t row, size_t column);

/** Makes a table of the rows with these numbers, in this order, without totals.
 *  People see it even if what they see of `table` is not its rows. It borrows
 * everything else from `table`, which must outlive it. LG_EINVAL for a row that
 * does not exist; LG_ENOMEM. */
lg_status lg_table_select(const lg_table *table, const size_t *rows,
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
lg_status lg_table_arrange(const lg_table *table,
                           const lg_arrangement *arrangement, lg_table **out,
                           lg_error *err);

/** Whether people see the column on a page. */
bool lg_table_column_on_page(const lg_table *table, size_t column);
/** Whether people see rows on a page: false if all rows are for programs. */
bool lg_table_rows_on_page(const lg_table *table);

/** lg_table_html without styles, for a page with a style sheet: cells that are
 * flush right have the class "n", expressions that lead to an object the class
 *  "path", rows of a tree "d1" and so on. LG_ENOMEM. */
lg_status lg_table_html_plain(const lg_table *table, size_t limit, lg_text *out,
                              lg_error *err);

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
lg_status lg_table_html_linked(const lg_table *table, size_t limit,
                               const lg_table_links *links, lg_text *out,
                               lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
