// Says what the process is and what it holds: the head of the page.

#include "page/page_private.h"

#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>

#include <string.h>

static void
format_info(lg__page *page, const char *before, const char *key,
            const char *after)
{
    lg_string value = lg_graph_info_find(page->graph, key);
    if (!value.length)
        return;
    lg_text_add(page->out, before);
    lg__page_escape(page, value);
    lg_text_add(page->out, after);
}

// `2026-11-22T16:14:48Z` as `2026-11-22 16:14:48 UTC`.
static void
format_time(lg__page *page)
{
    lg_string time = lg_graph_info_find(page->graph, "time");
    if (time.length != strlen("2026-11-22T16:14:48Z"))
        return;
    lg_text_add(page->out, ", taken <time>");
    lg__page_escape(page, (lg_string){time.data, 10});
    lg_text_add(page->out, " ");
    lg__page_escape(page, (lg_string){time.data + 11, 8});
    lg_text_add(page->out, " UTC</time>");
}

static void
format_sizes(lg__page *page, const uint64_t *bytes)
{
    lg_text_add(page->out, "<b>");
    lg__page_sizes(page, bytes);
    lg_text_add(page->out, "</b>");
}

static void
format_objects(lg__page *page)
{
    const lg_top *top = &page->top;
    lg_text *out = page->out;
    lg_text_add(out, "<p>It has <b>");
    lg_text_add_count(out, lg_graph_columns(page->graph)->node_count);
    lg_text_add(out, "</b> objects. Those that roots reach hold ");
    format_sizes(page, top->reachable);
    if (lg_bytes_sum(top->libraries, (size_t)top->devices + 1)) {
        lg_text_add(out, ", of which libraries keep ");
        format_sizes(page, top->libraries);
        lg_text_add(out, " for themselves");
    }
    lg_text_add(out, ".");
    if (lg_bytes_sum(top->garbage, (size_t)top->devices + 1)) {
        lg_text_add(out, " Garbage that waits for the collector holds ");
        format_sizes(page, top->garbage);
        lg_text_add(out, ".");
    }
    if (page->accounts.host[LG_HOST_RSS] > 0) {
        lg_text_add(out, " The system counts <b>");
        lg_text_add_size(out, (uint64_t)page->accounts.host[LG_HOST_RSS]);
        lg_text_add(out, "</b> of memory for the process.");
    }
    lg_text_add(out, "</p>\n");
}

static void
format_growth(lg__page *page)
{
    lg_text said = {0};
    if (!page->grows)
        return;
    lg_growth_headline(&page->growth, &said);
    lg_text_add(page->out, "<p>");
    lg_text_add_html(page->out, said.data ? said.data : "", said.length);
    lg_text_add(page->out, ".</p>\n");
    page->out->failed |= said.failed;
    lg_text_free(&said);
}

void
lg__page_format_process(lg__page *page)
{
    const char *title = page->title.data;
    lg_text *out = page->out;
    lg_text_add(out, "<h1>");
    if (title)
        lg_text_add_html(out, title, strlen(title));
    else
        lg_text_add(out, "What keeps these bytes alive?");
    lg_text_add(out, "</h1>\n<p class=\"what\">A process of CPython");
    format_info(page, " ", "python", "");
    format_info(page, " on ", "platform", "");
    format_info(page, " that runs ", "program", "");
    format_info(page, ", pid ", "pid", "");
    format_time(page);
    lg_text_add(out, ".</p>\n");
    format_objects(page);
    format_growth(page);
}
