// The accounts of memory: a bar for the host and each device, and a table of
// all numbers.

#include "page/page_private.h"

#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>

#include <string.h>

/* A bar is drawn 1,000 units wide, and the page stretches it. */
#define WIDTH 1000.0
#define HEIGHT 28
/* The numbers of colours in the style sheet, and of greys for quiet parts. */
#define COLOURS 9u
#define GREYS 4u
#define MOST_PARTS 24u

typedef struct part {
    const char *name;
    uint64_t bytes;
    bool quiet; /* known, but free or without an owner */
} part;

typedef struct bar {
    const char *heading;
    lg_string device; /* if there is no heading */
    part parts[MOST_PARTS];
    size_t count;
    uint64_t total;
} bar;

static void
add_part(bar *to, const char *name, int64_t bytes, bool quiet)
{
    if (bytes <= 0 || to->count == MOST_PARTS)
        return;
    to->parts[to->count++] = (part){name, (uint64_t)bytes, quiet};
    to->total += (uint64_t)bytes;
}

static void
add_name(lg__page *page, const bar *of)
{
    if (of->heading)
        lg_text_add(page->out, of->heading);
    else
        lg__page_escape(page, of->device);
}

// Writes the class of a part: the how-manieth it is among those as quiet.
static void
add_class(const bar *of, size_t at, lg_text *out)
{
    size_t before = 0;
    for (size_t i = 0; i < at; i++)
        before += of->parts[i].quiet == of->parts[at].quiet;
    if (of->parts[at].quiet)
        lg_text_addf(out, "quiet q%zu", before % GREYS);
    else
        lg_text_addf(out, "c%zu", before % COLOURS);
}

static void
draw_part(lg__page *page, const bar *of, size_t at, double *x)
{
    const part *item = &of->parts[at];
    double width = WIDTH * (double)item->bytes / (double)of->total;
    lg_text *out = page->out;
    lg_text_add(out, "<rect y=\"0\" x=\"");
    lg_text_add_fixed(out, *x, 2);
    lg_text_add(out, "\" width=\"");
    lg_text_add_fixed(out, width > 1 ? width - 1 : width, 2);
    lg_text_addf(out, "\" height=\"%d\" class=\"", HEIGHT);
    add_class(of, at, out);
    lg_text_addf(out, "\"><title>%s: ", item->name);
    lg_text_add_size(out, item->bytes);
    lg_text_add(out, "</title></rect>");
    *x += width;
}

static void
add_legend(lg__page *page, const bar *of)
{
    lg_text_add(page->out, "<ul class=\"legend\">");
    for (size_t i = 0; i < of->count; i++) {
        lg_text_add(page->out, "<li><svg class=\"swatch\" width=\"12\" "
                               "height=\"12\" aria-hidden=\"true\"><rect "
                               "width=\"12\" height=\"12\" class=\"");
        add_class(of, i, page->out);
        lg_text_addf(page->out, "\"/></svg>%s <b>", of->parts[i].name);
        lg_text_add_size(page->out, of->parts[i].bytes);
        lg_text_add(page->out, "</b></li>");
    }
    lg_text_add(page->out, "</ul>\n");
}

static void
draw(lg__page *page, const bar *of)
{
    double x = 0;
    lg_text *out = page->out;
    if (of->total == 0)
        return;
    lg_text_add(out, "<h3>");
    add_name(page, of);
    lg_text_add(out, " <span class=\"bytes\">");
    lg_text_add_size(out, of->total);
    lg_text_addf(out,
                 "</span></h3><svg class=\"bar\" role=\"img\" "
                 "viewBox=\"0 0 %.0f %d\" preserveAspectRatio=\"none\" "
                 "aria-label=\"",
                 WIDTH, HEIGHT);
    add_name(page, of);
    lg_text_add(out, ": the parts are listed below\">");
    for (size_t i = 0; i < of->count; i++)
        draw_part(page, of, i, &x);
    lg_text_add(out, "</svg>");
    add_legend(page, of);
}

static void
draw_host(lg__page *page)
{
    const lg_accounts *accounts = &page->accounts;
    bar host = {.heading = "host"};
    for (int i = 0; i < LG_HOST_COUNT; i++) {
        lg_host_line line = lg_host_words((lg_host)i);
        if (line.role == LG_HOST_PART)
            add_part(&host, line.name, accounts->host[i],
                     i == LG_HOST_ALLOCATIONS || i == LG_HOST_MALLOC_FREE ||
                         i == LG_HOST_ARENAS_FREE || i == LG_HOST_ELSE);
    }
    draw(page, &host);
}

static void
draw_device(lg__page *page, const lg_account *account)
{
    bar device = {.device = account->name};
    for (size_t i = 0; i < LG_TENSOR_KIND_COUNT; i++)
        add_part(&device, lg_tensor_kind_name((lg_tensor_kind)i),
                 (int64_t)account->by_kind[i], false);
    add_part(&device, "unattributed", (int64_t)account->unattributed, true);
    add_part(&device, "pending", (int64_t)account->pending, true);
    add_part(&device, "inactive", (int64_t)account->inactive, true);
    draw(page, &device);
}

static void
format_device(lg__page *page, const lg_account *account)
{
    lg_text *out = page->out;
    if (!account->known)
        return;
    lg_text_add(out, "<p class=\"note\">allocated ");
    lg_text_add_size(out, account->allocated);
    lg_text_add(out, " = attributed ");
    lg_text_add_size(out, account->attributed);
    lg_text_add(out, " + unattributed ");
    lg_text_add_size(out, account->unattributed);
    lg_text_add(out, "</p>\n");
}

lg_status
lg__page_add_memory(lg__page *page, lg_error *err)
{
    lg_table *table = NULL;
    lg_status status =
        lg_tabulate_accounts(page->graph, &page->accounts, &table, err);
    if (status)
        return status;
    lg__page_section(page, "memory", "Where the memory is");
    draw_host(page);
    for (size_t i = 0; i < page->accounts.count; i++) {
        draw_device(page, &page->accounts.items[i]);
        format_device(page, &page->accounts.items[i]);
    }
    lg_text_add(page->out, "<details><summary>All numbers</summary>"
                           "<div class=\"table\" tabindex=\"0\">");
    status = lg_table_html_plain(table, 0, page->out, err);
    lg_text_add(page->out, "</div></details>");
    lg__page_section_end(page);
    lg_table_free(table);
    return status;
}
