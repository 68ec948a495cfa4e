// The page of a job's processes: a bar for each, their differences side by
// side, and what all of them have.

#include "page/page_private.h"

#include <string.h>

/* A bar is drawn 1,000 units wide, and the page stretches it. */
#define UNITS 1000.0
/* With more ranks than these, bars replace the columns of numbers. */
#define COLUMNS 8u
#define ROWS 200u

typedef struct ranks_page {
    lg__page page;
    const lg_ranks *ranks;
    uint64_t most; // bytes of the longest bar
} ranks_page;

static uint64_t
known(int64_t bytes)
{
    return bytes > 0 ? (uint64_t)bytes : 0;
}

static void
add_cell(lg_text *out, const char *class, uint64_t bytes)
{
    lg_text_addf(out, "<td class=\"%s\" data-v=\"%llu\">", class,
                 (unsigned long long)bytes);
    lg_text_add_size(out, bytes);
    lg_text_add(out, "</td>");
}

static void
add_sizes(const lg_ranks *ranks, const uint64_t *bytes, uint64_t sum,
          lg_text *out)
{
    lg_text_addf(out, "<td class=\"n\" data-v=\"%llu\">",
                 (unsigned long long)sum);
    lg_text_add_sizes(out, ranks->device_names, bytes,
                      ranks->devices + (size_t)1);
    lg_text_add(out, "</td>");
}

static void
add_known(lg_text *out, int64_t bytes)
{
    if (bytes < 0)
        lg_text_add(out, "<td class=\"n\"></td>");
    else
        add_cell(out, "n", (uint64_t)bytes);
}

static void
add_name(ranks_page *to, uint32_t rank)
{
    lg__page_escape(&to->page, to->ranks->ranks[rank].name);
}

static void
add_place(ranks_page *to, const lg_rank_row *row)
{
    lg_text place = {0};
    lg_text *out = to->page.out;
    lg_place_format(to->ranks->places, row->place, &place);
    lg_text_add(out, "<td>");
    lg__page_escape(&to->page, row->type);
    lg_text_add(out, "</td><td class=\"path\">");
    lg_text_add_html(out, place.data ? place.data : "", place.length);
    lg_text_add(out, "</td>");
    out->failed |= place.failed;
    lg_text_free(&place);
}

static void
begin_table(ranks_page *to, const char *id, const char *heading)
{
    lg__page_section(&to->page, id, heading);
    lg_text_add(to->page.out, "<div class=\"table\"><table><thead><tr>");
}

static void
end_table(ranks_page *to)
{
    lg_text_add(to->page.out, "</tbody></table></div>\n");
    lg__page_section_end(&to->page);
}

// Draws a part of a rank's bar.
static void
draw_part(ranks_page *to, const char *class, lg_string name, uint64_t bytes,
          double *x)
{
    lg_text *out = to->page.out;
    double width = UNITS * (double)bytes / (double)to->most;
    if (bytes == 0)
        return;
    lg_text_addf(out, "<rect class=\"%s\" height=\"1\" x=\"", class);
    lg_text_add_fixed(out, *x, 2);
    lg_text_add(out, "\" width=\"");
    lg_text_add_fixed(out, width, 2);
    lg_text_add(out, "\"><title>");
    lg__page_escape(&to->page, name);
    lg_text_add(out, ": ");
    lg_text_add_size(out, bytes);
    lg_text_add(out, "</title></rect>");
    *x += width;
}

// Draws objects by device, then what malloc has in use for no object.
static void
draw_rank(ranks_page *to, const lg_rank *rank)
{
    static const char *const classes[] = {"c0", "c1", "c2", "c3", "c4", "c5"};
    static const char unknown[] = "unexplained malloc";
    const lg_ranks *ranks = to->ranks;
    double x = 0;
    lg_text_addf(to->page.out,
                 "<td><svg class=\"ranks\" viewBox=\"0 0 %.0f 1\" "
                 "preserveAspectRatio=\"none\" aria-hidden=\"true\">",
                 UNITS);
    for (uint32_t i = 0; i <= ranks->devices; i++)
        draw_part(to, classes[i % (sizeof classes / sizeof *classes)],
                  ranks->device_names[i], rank->bytes[i], &x);
    draw_part(to, "quiet", (lg_string){unknown, sizeof unknown - 1},
              known(rank->unexplained), &x);
    lg_text_add(to->page.out, "</svg></td>");
}

static void
add_ranks(ranks_page *to)
{
    const lg_ranks *ranks = to->ranks;
    lg_text *out = to->page.out;
    begin_table(to, "ranks", "The ranks");
    lg_text_add(out, "<th class=\"n\">rank</th>");
    for (uint32_t i = 0; i <= ranks->devices; i++) {
        lg_text_add(out, "<th class=\"n\">objects on ");
        lg__page_escape(&to->page, ranks->device_names[i]);
        lg_text_add(out, "</th>");
    }
    lg_text_add(out, "<th class=\"n\">unexplained malloc</th>"
                     "<th class=\"n\">resident</th><th>objects, and "
                     "unexplained malloc</th></tr></thead><tbody>\n");
    for (uint32_t i = 0; i < ranks->count; i++) {
        lg_text_add(out, "<tr><td class=\"n\">");
        add_name(to, i);
        lg_text_add(out, "</td>");
        for (uint32_t on = 0; on <= ranks->devices; on++)
            add_cell(out, "n", ranks->ranks[i].bytes[on]);
        add_known(out, ranks->ranks[i].unexplained);
        add_known(out, ranks->ranks[i].rss);
        draw_rank(to, &ranks->ranks[i]);
        lg_text_add(out, "</tr>\n");
    }
    end_table(to);
}

// Draws a bar for each rank, as high as its bytes, and marks the furthest.
static void
draw_row(ranks_page *to, const lg_rank_row *row)
{
    const lg_ranks *ranks = to->ranks;
    lg_text *out = to->page.out;
    uint64_t most = 1;
    for (uint32_t i = 0; i < ranks->count; i++) {
        uint64_t sum = lg_rank_row_bytes(ranks, row, i);
        most = sum > most ? sum : most;
    }
    lg_text_addf(out,
                 "<td><svg class=\"ranks\" viewBox=\"0 0 %u 100\" "
                 "preserveAspectRatio=\"none\" aria-hidden=\"true\">",
                 ranks->count * 10);
    for (uint32_t i = 0; i < ranks->count; i++) {
        uint64_t sum = lg_rank_row_bytes(ranks, row, i);
        double height = 100 * (double)sum / (double)most;
        lg_text_addf(out, "<rect class=\"%s\" x=\"%u\" width=\"8\" y=\"",
                     i == row->outlier ? "apart" : "quiet", i * 10 + 1);
        lg_text_add_fixed(out, 100 - height, 1);
        lg_text_add(out, "\" height=\"");
        lg_text_add_fixed(out, height, 1);
        lg_text_add(out, "\"><title>rank ");
        add_name(to, i);
        lg_text_add(out, ": ");
        lg_text_add_size(out, sum);
        lg_text_add(out, "</title></rect>");
    }
    lg_text_add(out, "</svg></td>");
}

static void
add_outlier(ranks_page *to, const lg_rank_row *row)
{
    lg_text *out = to->page.out;
    lg_text_addf(out, "<tr><td class=\"n\" data-v=\"%lld\">%s",
                 (long long)row->apart, row->apart < 0 ? "-" : "+");
    lg_text_add_size(out,
                     (uint64_t)(row->apart < 0 ? -row->apart : row->apart));
    lg_text_add(out, "</td><td class=\"n\">");
    add_name(to, row->outlier);
    if (row->others > 0)
        lg_text_addf(out, " and %u more", row->others);
    lg_text_add(out, "</td>");
    add_cell(out, "n", row->usual);
}

static void
add_difference(ranks_page *to, const lg_rank_row *row)
{
    const lg_ranks *ranks = to->ranks;
    add_outlier(to, row);
    draw_row(to, row);
    add_place(to, row);
    for (uint32_t i = 0; i < ranks->count && ranks->count <= COLUMNS; i++)
        add_cell(to->page.out, i == row->outlier ? "n apart" : "n",
                 lg_rank_row_bytes(ranks, row, i));
    lg_text_add(to->page.out, "</tr>\n");
}

static void
add_headings(ranks_page *to)
{
    lg_text *out = to->page.out;
    lg_text_add(out, "<th class=\"n\">apart</th><th class=\"n\">on rank</th>"
                     "<th class=\"n\">usually</th><th>by rank</th>"
                     "<th>what</th><th>where</th>");
    for (uint32_t i = 0; i < to->ranks->count && to->ranks->count <= COLUMNS;
         i++) {
        lg_text_add(out, "<th class=\"n\">rank ");
        add_name(to, i);
        lg_text_add(out, "</th>");
    }
    lg_text_add(out, "</tr></thead><tbody>\n");
}

static void
add_rest(ranks_page *to, size_t count)
{
    if (count > ROWS)
        lg_text_addf(to->page.out,
                     "<p class=\"note\">%zu more have less.</p>\n",
                     count - ROWS);
}

static void
add_differences(ranks_page *to)
{
    const lg_ranks *ranks = to->ranks;
    begin_table(to, "apart", "Where they differ");
    add_headings(to);
    for (size_t i = 0; i < ranks->row_count && i < ROWS; i++)
        add_difference(to, &ranks->rows[i]);
    end_table(to);
    add_rest(to, ranks->row_count);
}

static void
add_repeated(ranks_page *to)
{
    const lg_ranks *ranks = to->ranks;
    lg_text *out = to->page.out;
    begin_table(to, "repeated", "What every rank has");
    lg_text_add(out, "<th class=\"n\">each</th><th class=\"n\">together</th>"
                     "<th>what</th><th>where</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < ranks->repeated_count && i < ROWS; i++) {
        lg_text_add(out, "<tr>");
        const lg_rank_row *row = &ranks->repeated[i];
        add_sizes(ranks, row->each, row->least, out);
        add_sizes(ranks, row->together, row->least * ranks->count, out);
        add_place(to, row);
        lg_text_add(out, "</tr>\n");
    }
    end_table(to);
    add_rest(to, ranks->repeated_count);
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

static void
find_most(ranks_page *to)
{
    to->most = 1;
    for (uint32_t i = 0; i < to->ranks->count; i++) {
        uint64_t sum = lg_rank_bytes(to->ranks, i) +
                       known(to->ranks->ranks[i].unexplained);
        to->most = sum > to->most ? sum : to->most;
    }
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
    find_most(&to);
    add_differences(&to);
    add_ranks(&to);
    add_repeated(&to);
    to.page.out = &whole;
    lg__page_head(&to.page, to.page.options->title);
    add_header(&to);
    lg_text_add_bytes(&whole, sections.data, sections.length);
    lg_text_add(&whole, "</main>\n");
    lg__page_tail(&to.page);
    bool failed = whole.failed || sections.failed || to.page.nav.failed;
    if (!failed)
        lg_text_add_bytes(out, whole.data, whole.length);
    lg_text_free(&to.page.nav);
    lg_text_free(&sections);
    lg_text_free(&whole);
    return failed || out->failed
               ? lg_error_set(err, LG_ENOMEM, "memory ran out")
               : LG_OK;
}
