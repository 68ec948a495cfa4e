// Writes the frame of a page: its head, its search line, its links and its end.

#include "page/page_private.h"

#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>

#include <string.h>

const lg_table_links lg__page_links = {.node = "object?node=",
                                       .selector = "search?q=",
                                       .reference = "what-if?cut="};

static void
add_policy(lg_text *out)
{
    lg_text_add(out, "<meta http-equiv=\"Content-Security-Policy\" content=\""
                     "default-src 'none'; base-uri 'none'; form-action 'none'; "
                     "script-src '");
    lg_text_add(out, lg__page_script_hash);
    lg_text_add(out, "'; style-src '");
    lg_text_add(out, lg__page_style_hash);
    lg_text_add(out, "'\">\n");
}

void
lg__page_head(lg__page *page, const char *title)
{
    lg_text *out = page->out;
    lg_text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                     "<meta charset=\"utf-8\">\n");
    if (!page->served)
        add_policy(out);
    lg_text_add(out,
                "<meta name=\"referrer\" content=\"no-referrer\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, "
                "initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    if (title) {
        lg_text_add_html(out, title, strlen(title));
        lg_text_add(out, " · ");
    }
    lg_text_add(out, "leakgraph</title>\n");
    if (page->served) {
        lg_text_add(out, "<link rel=\"stylesheet\" href=\"page.css\">\n"
                         "<link rel=\"icon\" href=\"icon.svg\">\n"
                         "<script src=\"page.js\" defer></script>\n"
                         "<script src=\"view.js\" defer></script>\n");
    } else {
        lg_text_add(out, "<style>");
        lg_text_add_bytes(out, (const char *)lg__page_style,
                          lg__page_style_length);
        lg_text_add(out, "</style>\n");
    }
    lg_text_add(out, "</head>\n<body>\n");
}

void
lg__page_search(lg__page *page, const char *query)
{
    if (!page->served)
        return;
    lg_text_add(page->out,
                "<form class=\"search\" action=\"search\" role=\"search\">"
                "<a href=\"./\">Overview</a>"
                "<a href=\"what-if\">What if</a>"
                "<input type=\"search\" name=\"q\" list=\"known\" "
                "autocomplete=\"off\" spellcheck=\"false\" aria-label=\"Search "
                "for names and objects\" placeholder=\"losses, "
                "train.losses[0], type:torch.Tensor, #17\" value=\"");
    lg_text_add_html(page->out, query, strlen(query));
    lg_text_add(page->out, "\"><datalist id=\"known\"></datalist>"
                           "<button>Search</button></form>\n");
}

void
lg__page_notes(lg__page *page)
{
    const char *at = page->options->note;
    while (at != NULL && *at != '\0') {
        size_t length = strcspn(at, "\n");
        lg_text_add(page->out, "<p class=\"note\">");
        lg_text_add_html(page->out, at, length);
        lg_text_add(page->out, "</p>\n");
        at += length + (at[length] == '\n');
    }
}

void
lg__page_tail(lg__page *page)
{
    if (!page->served) {
        lg_text_add(page->out, "<script>");
        lg_text_add_bytes(page->out, (const char *)lg__page_script,
                          lg__page_script_length);
        lg_text_add(page->out, "</script>\n");
    }
    lg_text_add(page->out, "</body>\n</html>\n");
}

void
lg__page_escape(lg__page *page, lg_string string)
{
    lg_text_add_html(page->out, string.data, string.length);
}

void
lg__page_sizes(lg__page *page, const uint64_t *bytes)
{
    enum { MOST = 64 };
    lg_text sizes = {0};
    lg_string names[MOST];
    uint32_t count = lg_graph_device_count(page->graph) + 1;
    count = count < MOST ? count : MOST;
    for (uint32_t i = 0; i < count; i++)
        names[i] = lg_graph_device_name(page->graph, i);
    lg_text_add_sizes(&sizes, names, bytes, count);
    lg_text_add_html(page->out, sizes.data ? sizes.data : "", sizes.length);
    page->out->failed |= sizes.failed;
    lg_text_free(&sizes);
}

void
lg__page_section(lg__page *page, const char *id, const char *heading)
{
    lg_text_addf(&page->nav, "<a href=\"#%s\">%s</a>", id, heading);
    lg_text_addf(page->out,
                 "<section id=\"%s\" aria-labelledby=\"%s-title\">"
                 "<h2 id=\"%s-title\">%s</h2>\n",
                 id, id, id, heading);
}

void
lg__page_section_end(lg__page *page)
{
    lg_text_add(page->out, "</section>\n");
}

void
lg__page_pre(lg__page *page, const lg_text *text)
{
    lg_text_add(page->out, "<pre tabindex=\"0\">");
    for (const char *at = text->data; at && *at;) {
        size_t length = strcspn(at, "\n");
        lg_text_add_html(page->out, at, length);
        lg_text_add(page->out, "\n");
        at += length + (at[length] == '\n');
    }
    lg_text_add(page->out, "</pre>\n");
    page->out->failed |= text->failed;
}

lg_status
lg__page_rows(lg__page *page, const lg_table *table, size_t limit,
              lg_error *err)
{
    lg_table_links links = lg__page_links;
    if (page->rows_lead)
        links.node = page->rows_lead;
    return page->served
               ? lg_table_html_linked(table, limit, &links, page->out, err)
               : lg_table_html_plain(table, limit, page->out, err);
}

void
lg__page_link(lg__page *page, lg_node node, const lg_text *name)
{
    bool linked = page->served && node != LG_NONE;
    if (linked)
        lg_text_addf(page->out, "<a href=\"%s%u\">", lg__page_links.node, node);
    lg_text_add_html(page->out, name->data ? name->data : "", name->length);
    lg_text_add(page->out, linked ? "</a>" : "");
}
