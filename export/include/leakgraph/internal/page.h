/**
 * The report of a snapshot, or of several: one web page in one file.
 *
 * The conventions of leakgraph.h hold.
 */
#ifndef LEAKGRAPH_PAGE_H
#define LEAKGRAPH_PAGE_H

#include <leakgraph/internal/changes.h>
#include <leakgraph/internal/ranks.h>
#include <leakgraph/internal/samples.h>
#include <leakgraph/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Start from LG_PAGE_OPTIONS_INIT. */
typedef struct lg_page_options {
    size_t size;       /**< of this struct */
    const char *title; /**< NULL: the program that ran, if the snapshot
                        knows it */
    /** Summaries of snapshots of the same program, the oldest first, the last
     *  one made of the analysis: the page then says what grows. NULL: none */
    const lg_summary *const *summaries;
    size_t summary_count;
    const lg_changes *changes; /**< of the same, if somebody has made them */
    const double *steps;       /**< as in lg_growth_options */
    const char *note;          /**< as in lg_growth_options */
    bool settled;              /**< likewise */
    const char *name; /**< the title if there is no other: a file's name */
    const lg_samples *samples; /**< the memory of the process at more moments,
                                    which the chart shows; or NULL */
} lg_page_options;

#define LG_PAGE_OPTIONS_INIT                                                   \
    {                                                                          \
        .size = sizeof(lg_page_options)                                        \
    }

/**
 * Writes an HTML page that needs no network and no other file: a summary in
 * words, the dominator tree as areas, and the tables of all answers, with the
 * pictures of the biggest cycles. A policy in the page allows no script and no
 * style but the page's own. The same input makes the same page. It is less than
 * 3 MB, however big the heap is. Where Graphviz cannot draw, text trees replace
 * pictures. options may be NULL.
 */
lg_status lg_page_html(const lg_analysis *analysis,
                       const lg_page_options *options,
                       const lg_monitor *monitor, lg_text *out, lg_error *err);
/** Writes the same page to a file, as lg_graph_save does: whole or not at all,
 *  and readable by the user alone. "-" is standard output. */
lg_status lg_page_save(const lg_analysis *analysis,
                       const lg_page_options *options, const char *path,
                       const lg_monitor *monitor, lg_error *err);

/**
 * Writes such a page of how the processes of a job differ: places side by side,
 * the furthest apart first, each rank as a bar, and what all of them repeat. It
 * uses only the title of the options. LG_ENOMEM.
 */
lg_status lg_page_ranks_html(const lg_ranks *ranks,
                             const lg_page_options *options, lg_text *out,
                             lg_error *err);
lg_status lg_page_ranks_save(const lg_ranks *ranks,
                             const lg_page_options *options, const char *path,
                             lg_error *err);

/**
 * Writes a table as the output of a notebook's cell: what lg_table_html makes,
 * and a script of 4 KB that sorts it at a click on a heading, filters it by
 * words, and folds all but its first rows. Where no script runs, as in a
 * preview of a repository or a notebook that is not trusted, it is the plain
 * table. The kernel keeps nothing of it. `limit` is lg_table_html's. LG_ENOMEM.
 */
lg_status lg_page_cell(const lg_table *table, size_t limit, lg_text *out,
                       lg_error *err);

#ifdef __cplusplus
}
#endif

#endif
