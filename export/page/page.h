/**
 * What the parts of the report page share.
 */
#ifndef LEAKGRAPH_PAGE_PRIVATE_H
#define LEAKGRAPH_PAGE_PRIVATE_H

#include <leakgraph/advice.h>
#include <leakgraph/page.h>
#include <leakgraph/report.h>
#include <leakgraph/view.h>

/** The answers that the page shows, each asked for once. */
typedef struct lg__page {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_page_options *options;
    const lg_monitor *monitor;
    lg_findings findings;
    lg_cycles cycles;
    lg_accounts accounts;
    lg_top top;
    lg_growth growth;
    bool grows;              /* there is a comparison */
    const lg_places *places; /* of the snapshot */
    lg_places *own_places;   /* the same, if nobody else has them */
    lg_text nav;
    lg_text *out;
} lg__page;

/** The page's script and style sheet, and what its policy knows them by. */
extern const unsigned char lg__page_script[];
extern const size_t lg__page_script_length;
extern const char lg__page_script_hash[];
extern const unsigned char lg__page_style[];
extern const size_t lg__page_style_length;
extern const char lg__page_style_hash[];

/** Adds a string of the user's, escaped. */
void lg__page_escape(lg__page *page, lg_string string);
/** Adds bytes by device of the graph: `1.93 GiB cuda:0 · 12 MiB host`. */
void lg__page_sizes(lg__page *page, const uint64_t *bytes);
/** Begins a section with a heading, and adds it to the navigation. */
void lg__page_section(lg__page *page, const char *id, const char *heading);
void lg__page_section_end(lg__page *page);
/** Adds a table in a section of its own, `limit` rows of it (0: all), and frees
 *  it. */
lg_status lg__page_table(lg__page *page, const char *id, const char *heading,
                         lg_table *table, size_t limit, lg_error *err);
/** Adds a picture, or the text tree with the reason, and frees the view. The
 *  label is read aloud in place of a picture. */
lg_status lg__page_picture(lg__page *page, lg_view *view, const char *label,
                           lg_error *err);

/** What the process is, and what it holds, in words. */
void lg__page_say_process(lg__page *page);
/** What is worth doing, with a picture each. */
lg_status lg__page_add_advice(lg__page *page, lg_error *err);
/** The accounts of memory, as bars and as a table. */
lg_status lg__page_add_memory(lg__page *page, lg_error *err);
lg_status lg__page_add_cycles(lg__page *page, lg_error *err);
/** Threads and what is suspended, with their variables. */
lg_status lg__page_add_threads(lg__page *page, lg_error *err);
/** The data that the page's script reads: places, and their history. */
lg_status lg__page_add_data(lg__page *page, lg_error *err);
/** Members of the data: the places with the most bytes, and their history. */
lg_status lg__page_write_map(const lg__page *page, lg_json *json,
                             lg_error *err);

#endif
