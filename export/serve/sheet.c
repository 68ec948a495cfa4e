// Parts that several pages of the explorer share.

#include "serve/server.h"

#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>

#include <string.h>

lg_status
lg__sheet_number(const lg__sheet *sheet, const char *name, uint64_t most,
                 uint64_t *out, lg_error *err)
{
    if (lg__request_number(sheet->request, name, most, 0, out))
        return LG_OK;
    return lg_error_set(err, LG_EINVAL, "%s takes a number from 0 to %llu.",
                        name, (unsigned long long)most);
}

lg_status
lg__sheet_node(const lg__sheet *sheet, lg_node *out, lg_error *err)
{
    uint32_t count = lg_graph_columns(sheet->server->graph)->node_count;
    uint64_t node = 0;
    const char *text = lg__request_text(sheet->request, "node", "");
    if (!*text || !count ||
        !lg__request_number(sheet->request, "node", count - 1, 0, &node))
        return lg_error_set(err, LG_ENOTFOUND,
                            "There is no node %.40s: nodes go from 0 to %lld.",
                            text, (long long)count - 1);
    *out = (lg_node)node;
    return LG_OK;
}

void
lg__sheet_heading(lg__sheet *sheet, lg_text *title, const char *note)
{
    lg_text *out = sheet->page.out;
    lg_text_add(out, "<h1>");
    lg_text_add_html(out, title->data ? title->data : "", title->length);
    if (note && *note) {
        lg_text_add(out, " <span class=\"note\">");
        lg_text_add_html(out, note, strlen(note));
        lg_text_add(out, "</span>");
    }
    lg_text_add(out, "</h1>\n");
    lg_text_free(&sheet->title);
    sheet->title = *title;
    *title = (lg_text){0};
}

static lg_status
add_table(lg__sheet *sheet, const char *class, lg_table *table, size_t limit,
          lg_error *err)
{
    lg_text_addf(sheet->page.out, "<div class=\"%s\" tabindex=\"0\">", class);
    lg_status status = lg__page_rows(&sheet->page, table, limit, err);
    lg_text_add(sheet->page.out, "</div>\n");
    lg_table_free(table);
    return status;
}

lg_status
lg__sheet_list(lg__sheet *sheet, lg_table *table, lg_error *err)
{
    return add_table(sheet, "table list", table, 0, err);
}

lg_status
lg__sheet_rows(lg__sheet *sheet, lg_table *table, size_t limit, lg_error *err)
{
    return add_table(sheet, "table", table, limit, err);
}

void
lg__sheet_later(lg__sheet *sheet, const char *id, const char *heading,
                const lg_text *address, const char *text)
{
    lg_text *out = sheet->page.out;
    lg__page_section(&sheet->page, id, heading);
    lg_text_add(out, "<p class=\"later\"><a href=\"");
    lg_text_add_html(out, address->data ? address->data : "", address->length);
    lg_text_addf(out, "\">%s</a></p>", text);
    lg__page_section_end(&sheet->page);
    out->failed |= address->failed;
}

// Adds the address of the same question with one parameter changed.
static void
add_address(const lg__sheet *sheet, const char *name, uint64_t first,
            lg_text *out)
{
    lg__request other = {.page = sheet->request->page};
    lg_text address = {0};
    for (size_t i = 0; i < sheet->request->count; i++) {
        if (strcmp(sheet->request->pairs[i].name, name))
            other.pairs[other.count++] = sheet->request->pairs[i];
    }
    lg__request_write(&other, &address);
    lg_text_addf(&address, "%s%s=%llu", other.count > 0 ? "&" : "?", name,
                 (unsigned long long)first);
    lg_text_add_html(out, address.data ? address.data : "", address.length);
    out->failed |= address.failed;
    lg_text_free(&address);
}

static void
add_link(lg__sheet *sheet, const char *name, uint64_t first, const char *rel,
         const char *text)
{
    lg_text *out = sheet->page.out;
    lg_text_add(out, "<a href=\"");
    add_address(sheet, name, first, out);
    lg_text_addf(out, "#%s\" rel=\"%s\">%s</a>", name, rel, text);
}

void
lg__sheet_pager(lg__sheet *sheet, const char *name, uint64_t first,
                uint64_t shown, bool more)
{
    lg_text *out = sheet->page.out;
    if (first == 0 && !more)
        return;
    lg_text_add(out, "<p class=\"pager\">");
    if (first > 0) {
        add_link(sheet, name, 0, "first", "First");
        add_link(sheet, name,
                 first > LG__SHEET_ROWS ? first - LG__SHEET_ROWS : 0, "prev",
                 "Previous");
    }
    if (shown > 0) {
        lg_text_add(out, "<span>");
        lg_text_add_count(out, first + 1);
        lg_text_add(out, " to ");
        lg_text_add_count(out, first + shown);
        lg_text_add(out, "</span>");
    }
    if (more)
        add_link(sheet, name, first + shown, "next", "Next");
    lg_text_add(out, "</p>\n");
}
