// The table of cycles, and pictures of the biggest ones.

#include "page/page_private.h"

#include <leakgraph/internal/answer_views.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/questions.h>
#include <leakgraph/internal/writing.h>

#define PICTURES 4u

static lg_status
add_picture(lg__page *page, const lg_cycle *cycle, lg_error *err)
{
    lg_view *view = NULL;
    lg_text label = {0};
    lg_status status = lg_view_cycle(page->analysis, cycle, &view, err);
    if (status)
        return status;
    lg_cycle_label(page->graph, cycle, &label);
    lg_text_add(page->out, "<figure><figcaption class=\"path\">");
    lg_text_add_html(page->out, label.data ? label.data : "", label.length);
    lg_text_add(page->out, "</figcaption>");
    status = lg__page_picture(page, view, label.data ? label.data : "", err);
    lg_text_add(page->out, "</figure>");
    page->out->failed |= label.failed;
    lg_text_free(&label);
    return status;
}

static lg_status
add_pictures(lg__page *page, lg_error *err)
{
    const lg_cycles *cycles = &page->cycles;
    lg_status status = LG_OK;
    unsigned drawn = 0;
    for (size_t i = 0; i < cycles->group_count && drawn < PICTURES; i++) {
        const lg_cycle *first = &cycles->items[cycles->groups[i].first];
        if (first->library.length > 0 || status)
            continue;
        status = add_picture(page, first, err);
        drawn++;
    }
    return status;
}

lg_status
lg__page_add_cycles(lg__page *page, lg_error *err)
{
    lg_table *table = NULL;
    const lg_question *cycles = lg_question_find("cycles");
    const lg_ask ask = {.graph = page->graph,
                        .analysis = page->analysis,
                        .changes = page->changes,
                        .reader = LG_READER_READS};
    page->rows_lead = LG__PAGE_CYCLE;
    lg__page_section(page, cycles->name, cycles->title);
    lg_status status =
        lg_question_tabulate(cycles, &ask, &page->cycles, &table, err);
    if (!status) {
        lg_text_add(page->out, "<div class=\"table\" tabindex=\"0\">");
        status = lg__page_rows(page, table, 0, err);
        page->rows_lead = NULL;
        lg_text_add(page->out, "</div>");
        lg_table_free(table);
    }
    lg__page_all_rows(page, "cycles");
    if (!status)
        status = add_pictures(page, err);
    lg__page_section_end(page);
    return status;
}
