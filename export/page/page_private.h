/**
 * What the parts of the report page share.
 */
#ifndef LEAKGRAPH_PAGE_PRIVATE_H
#define LEAKGRAPH_PAGE_PRIVATE_H

#include <leakgraph/internal/advice.h>
#include <leakgraph/internal/page.h>
#include <leakgraph/question.h>
#include <leakgraph/internal/report.h>
#include <leakgraph/view.h>
#include <leakgraph/internal/cells.h>

/** Whether the server has a page with all rows of a table. */
typedef bool lg__page_has_table(const char *id);

/** The answers that the page shows. The page asks for each once. */
typedef struct lg__page {
    const lg_analysis *analysis;
    const lg_graph *graph;
    const lg_page_options *options;
    const lg_monitor *monitor;
    bool served;                   /* a server has a page for each object */
    lg__page_has_table *has_table; /* and for longer tables; may be NULL */
    const char *rows_lead; /* where rows lead, before the number of a node;
                              NULL: to objects */
    bool undrawn;          /* the renderer failed: pictures become text */
    lg_findings findings;
    lg_cycles cycles;
    lg_accounts accounts;
    lg_top top;
    lg_growth growth;
    bool grows;                    /* there is a comparison */
    const lg_places *places;       /* of the snapshot */
    lg_places *own_places;         /* the same, if the page must free them */
    const lg_changes *changes;     /* since earlier snapshots; or NULL */
    const lg_changes *own_changes; /* the same, if the page must free them */
    lg_text title;                 /* empty: there is none */
    lg_text nav;
    lg_text *out;
} lg__page;

/** The page's script and style sheet, and their hashes for its policy. */
extern const unsigned char lg__page_script[];
extern const size_t lg__page_script_length;
extern const char lg__page_script_hash[];
extern const unsigned char lg__page_style[];
extern const size_t lg__page_style_length;
extern const char lg__page_style_hash[];

/** The same for a notebook's cell. */
extern const unsigned char lg__page_cell_script[];
extern const size_t lg__page_cell_script_length;
extern const unsigned char lg__page_cell_style[];
extern const size_t lg__page_cell_style_length;

/** Where a served page leads: to objects, searches and cuts. */
extern const lg_table_links lg__page_links;

/** Makes the whole page as lg_page_html does, for a server. */
lg_status lg__page_serve(const lg_analysis *analysis,
                         const lg_page_options *options,
                         lg__page_has_table *has_table,
                         const lg_monitor *monitor, lg_text *out,
                         lg_error *err);
/** Writes everything up to and including <body>. A file contains its script,
 *  style sheet and policy; a served page asks the server for them. `title` may
 *  be NULL. */
void lg__page_head(lg__page *page, const char *title);
/** Adds the line of a served page that links to the first page and searches. */
void lg__page_search(lg__page *page, const char *query);
/** Adds what a comparison says about the choice of its snapshots: which it has
 *  sorted or left out. */
void lg__page_notes(lg__page *page);
/** Ends what lg__page_head began. */
void lg__page_tail(lg__page *page);
/** Adds text as people read it in a terminal. */
void lg__page_pre(lg__page *page, const lg_text *text);
/** What links to the cycle that a node is part of begin with. */
#define LG__PAGE_CYCLE "cycle?node="
/** Adds up to `limit` rows of a table (0: all), with links if served. */
lg_status lg__page_rows(lg__page *page, const lg_table *table, size_t limit,
                        lg_error *err);
/** Adds the name of an object; if served, as a link to its page. LG_NONE: no
 *  link. */
void lg__page_link(lg__page *page, lg_node node, const lg_text *name);
/** The script of served pages only. */
extern const unsigned char lg__page_view[];
extern const size_t lg__page_view_length;

/** Adds a user's string, escaped. */
void lg__page_escape(lg__page *page, lg_string string);
/** Adds bytes by device of the graph: `1.93 GiB cuda:0 · 12 MiB host`. */
void lg__page_sizes(lg__page *page, const uint64_t *bytes);
/** Begins a section with a heading, and adds it to the navigation. */
void lg__page_section(lg__page *page, const char *id, const char *heading);
void lg__page_section_end(lg__page *page);
/** Adds a table in a section of its own, up to `limit` rows of it (0: all), and
 *  frees it. */
lg_status lg__page_table(lg__page *page, const char *id, const char *heading,
                         lg_table *table, size_t limit, lg_error *err);
/** Adds a picture, or the text tree and the reason, and frees the view. Screen
 *  readers read the label instead of a picture. */
lg_status lg__page_picture(lg__page *page, lg_view *view, const char *label,
                           lg_error *err);

/** Draws the memory of the process over its snapshots, of which there are
 *  several, or over samples. */
lg_status lg__page_draw_memory(lg__page *page, lg_error *err);
/** Draws which line has allocated what, and who holds it. The graph knows
 *  lines. */
lg_status lg__page_draw_allocations(lg__page *page, lg_error *err);
/** Says what is worth doing, with a picture each. */
lg_status lg__page_add_advice(lg__page *page, lg_error *err);
/** Writes the biggest places as a tree. */
lg_status lg__page_write_tree(lg__page *page, lg_error *err);
/** Begins the table of a tree, up to its first row. */
void lg__page_tree_begin(lg__page *page);
/** Adds the first values of the object of a row behind a word, if the snapshot
 *  has values. */
void lg__page_tree_values(lg__page *page, lg_node node, const char *before);
/** Adds the cells behind the name of a row: bytes on all devices, objects, and
 *  in a comparison how these changed in the place of the node. */
void lg__page_tree_numbers(lg__page *page, lg_node node, uint64_t retained,
                           uint64_t own, uint64_t objects);
/** Shows the accounts of memory, as bars and as a table. */
lg_status lg__page_add_memory(lg__page *page, lg_error *err);
/** Adds the data that the page's script reads: places and their history. */
lg_status lg__page_add_data(lg__page *page, lg_error *err);

#endif
