// The page of a job's processes: their differences side by side, a bar for
// each, and what all of them have.

#include "page/page_private.h"

#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>

#include <string.h>

/* More rows of a table than people look at are left out. */
#define ROWS 200u

typedef struct ranks_page {
    lg__page page;
    const lg_ranks *ranks;
} ranks_page;

typedef lg_status tabulate(const lg_ranks *ranks, size_t limit, lg_table **out,
                           lg_error *err);

static lg_status
add_table(ranks_page *to, tabulate *make, const char *id, const char *heading,
          lg_error *err)
{
    lg_table *table = NULL;
    lg_status status = make(to->ranks, ROWS, &table, err);
    if (status || lg_table_row_count(table) == 0) {
        lg_table_free(table);
        return status;
    }
    return lg__page_table(&to->page, id, heading, table, 0, err);
}

static void
say(ranks_page *to)
{
    lg_text said = {0};
    lg_ranks_format(to->ranks, &said);
    for (const char *at = said.data; at && *at;) {
        size_t length = strcspn(at, "\n");
        lg_text_add(to->page.out, "<p>");
        lg_text_add_html(to->page.out, at, length);
        lg_text_add(to->page.out, "</p>\n");
        at += length + (at[length] == '\n');
    }
    to->page.out->failed |= said.failed;
    lg_text_free(&said);
}

static void
add_header(ranks_page *to)
{
    const char *title = to->page.options->title;
    lg_text *out = to->page.out;
    lg_text_add(out, "<header>\n<h1>");
    if (title)
        lg_text_add_html(out, title, strlen(title));
    else
        lg_text_addf(out, "%u ranks", to->ranks->count);
    lg_text_add(out, "</h1>\n");
    say(to);
    lg_text_add(out, "</header>\n<nav aria-label=\"Sections\">");
    lg_text_add_bytes(out, to->page.nav.data, to->page.nav.length);
    lg_text_add(out, "</nav>\n<main>\n");
}

static lg_status
add_sections(ranks_page *to, lg_error *err)
{
    lg_status status = add_table(to, lg_tabulate_rank_differences, "apart",
                                 "Where they differ", err);
    if (!status)
        status =
            add_table(to, lg_tabulate_rank_sizes, "ranks", "The ranks", err);
    if (!status)
        status = add_table(to, lg_tabulate_rank_repeats, "repeated",
                           "What every rank has", err);
    return status;
}

static void
add_whole(ranks_page *to, const lg_text *sections)
{
    lg__page_head(&to->page, to->page.options->title);
    add_header(to);
    lg_text_add_bytes(to->page.out, sections->data, sections->length);
    lg_text_add(to->page.out, "</main>\n");
    lg__page_tail(&to->page);
    to->page.out->failed |= sections->failed || to->page.nav.failed;
}

lg_status
lg_page_ranks_html(const lg_ranks *ranks, const lg_page_options *options,
                   lg_text *out, lg_error *err)
{
    static const lg_page_options usual = LG_PAGE_OPTIONS_INIT;
    lg_text sections = {0};
    lg_text whole = {0};
    ranks_page to = {
        .page = {.options = options ? options : &usual, .out = &sections},
        .ranks = ranks};
    lg_status status = add_sections(&to, err);
    to.page.out = &whole;
    if (!status)
        add_whole(&to, &sections);
    if (!status && !whole.failed)
        lg_text_add_bytes(out, whole.data, whole.length);
    if (!status && (whole.failed || out->failed))
        status = lg_error_set(err, LG_ENOMEM, "memory ran out");
    lg_text_free(&to.page.nav);
    lg_text_free(&sections);
    lg_text_free(&whole);
    return status;
}
