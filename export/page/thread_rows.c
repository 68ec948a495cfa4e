// Threads, their frames and variables, as rows of a tree.

#include "page/page_private.h"

#define ROWS 400u

static void
add_sizes(lg__page *page, const lg_threads *threads, const uint64_t *bytes)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i <= threads->devices; i++)
        total += bytes[i];
    lg_text_addf(page->out, "<td class=\"n\" data-v=\"%llu\">",
                 (unsigned long long)total);
    if (total > 0)
        lg__page_sizes(page, bytes);
    lg_text_add(page->out, "</td>");
}

static void
add_value(lg__page *page, const lg_thread_row *row)
{
    lg_text title = {0};
    lg_text_add(page->out, "<td>");
    if (row->kind == LG_THREAD_LOCAL) {
        lg_node_title(page->graph, row->node, false, &title);
        lg__page_link(page, row->node, &title);
    }
    if (row->held_elsewhere)
        lg_text_add(page->out, " <span class=\"note\">held elsewhere too"
                               "</span>");
    lg_text_add(page->out, "</td></tr>");
    page->out->failed |= title.failed;
    lg_text_free(&title);
}

static void
add_row(lg__page *page, const lg_threads *threads, const lg_thread_row *row)
{
    lg_text label = {0};
    lg_thread_label(page->graph, row, &label);
    lg_text_add(page->out, "<tr>");
    add_sizes(page, threads, row->retained);
    lg_text_addf(page->out, "<td class=\"d%u\">", row->depth);
    if (row->kind == LG_THREAD_STACK)
        lg_text_add(page->out, "thread ");
    lg_text_add_html(page->out, label.data ? label.data : "", label.length);
    if (row->repeats > 0) {
        lg_text_add(page->out, " and ");
        lg_text_add_count(page->out, row->repeats);
        lg_text_add(page->out, " more just like it");
    }
    lg_text_add(page->out, "</td>");
    add_value(page, row);
    page->out->failed |= label.failed;
    lg_text_free(&label);
}

// Returns the row after those that belong to this row and to its repeats.
static size_t
next_of(const lg_threads *threads, size_t at)
{
    size_t skipped = threads->rows[at].repeats;
    do {
        uint32_t depth = threads->rows[at].depth;
        for (at++; at < threads->count && threads->rows[at].depth > depth;)
            at++;
    } while (skipped-- > 0 && at < threads->count);
    return at;
}

static void
add_rows(lg__page *page, const lg_threads *threads, size_t limit)
{
    size_t shown = 0;
    size_t at = 0;
    lg_text_add(page->out, "<div class=\"table\"><table><thead><tr>"
                           "<th scope=\"col\" class=\"n\">retained</th>"
                           "<th scope=\"col\">thread, frame, variable</th>"
                           "<th scope=\"col\">value</th></tr></thead><tbody>");
    while (at < threads->count && shown < limit) {
        size_t next = next_of(threads, at);
        uint32_t depth = threads->rows[at].depth;
        add_row(page, threads, &threads->rows[at++]);
        for (shown++; at < next && threads->rows[at].depth > depth; shown++)
            add_row(page, threads, &threads->rows[at++]);
        at = next;
    }
    lg_text_add(page->out, "</tbody></table></div>");
    if (at < threads->count) {
        lg_text_add(page->out, "<p>... and ");
        lg_text_add_count(page->out, threads->count - at);
        lg_text_add(page->out, " more rows: leakgraph threads shows all</p>");
    }
}

lg_status
lg__page_thread_rows(lg__page *page, const lg_scope *scope, size_t limit,
                     lg_error *err)
{
    lg_threads threads;
    lg_status status =
        lg_graph_threads(page->graph, page->analysis, scope, &threads, err);
    if (status)
        return status;
    add_rows(page, &threads, limit);
    lg_threads_free(&threads);
    return status;
}

lg_status
lg__page_add_threads(lg__page *page, lg_error *err)
{
    lg__page_section(page, "threads", "Threads and tasks");
    lg_status status = lg__page_thread_rows(page, NULL, ROWS, err);
    lg__page_all_rows(page, "threads");
    lg__page_section_end(page);
    return status;
}
