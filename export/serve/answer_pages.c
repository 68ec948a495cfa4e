// Pages of one answer: why an object is alive, a picture, a cycle, or what
// would die.

#include "serve/server.h"

#include <leakgraph/internal/answer_views.h>
#include <leakgraph/internal/hops.h>
#include <leakgraph/internal/questions.h>
#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/what_if.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>

#include <stdlib.h>
#include <string.h>

static void
head_object(lg__sheet *sheet, const char *before, lg_node node)
{
    lg_text title = {0};
    lg_text name = {0};
    lg_node_title(sheet->page.graph, node, false, &name);
    lg_text_addf(&name, " #%u", node);
    lg_text_add(&title, before);
    lg__sheet_heading(sheet, &title, NULL);
    lg_text_add(sheet->page.out, "<p>");
    lg__page_link(&sheet->page, node, &name);
    lg_text_add(sheet->page.out, "</p>\n");
    sheet->page.out->failed |= name.failed;
    lg_text_free(&name);
}

static lg_status
add_why(lg__sheet *sheet, const lg_why *why, lg_error *err)
{
    lg_text report = {0};
    lg_view *view = NULL;
    lg_status status =
        lg_report_why(why, NULL, NULL, LG_FORMAT_TEXT, &report, err);
    if (!status) {
        lg__page_pre(&sheet->page, &report);
        status = lg_view_why(why, NULL, sheet->page.monitor, &view, err);
    }
    if (!status)
        status =
            lg__page_picture(&sheet->page, view, "what keeps it alive", err);
    lg_text_free(&report);
    return status;
}

static lg_status
make_why(lg__sheet *sheet, lg_error *err)
{
    lg_why why;
    lg_node node = 0;
    lg_status status = lg__sheet_node(sheet, &node, err);
    if (!status)
        status = lg_node_why(sheet->page.analysis, node, sheet->page.monitor,
                             &why, err);
    if (status)
        return status;
    head_object(sheet, "Why is it alive?", node);
    lg_text_add(sheet->page.out, "<div class=\"answer\">");
    status = add_why(sheet, &why, err);
    lg_text_add(sheet->page.out, "</div>\n");
    lg_why_clear(&why);
    return status;
}

const lg__sheet_kind lg__why_sheet = {"why", make_why, LG__SLOW, NULL};

static lg_status
make_picture(lg__sheet *sheet, lg_error *err)
{
    static const char *const words[] = {"referrers", "references",
                                        "dominators"};
    static const char *const headings[] = {
        "What refers to it", "What it refers to", "What goes with it"};
    const lg__page *page = &sheet->page;
    lg_view_options options = LG_VIEW_OPTIONS_INIT;
    lg_view *view = NULL;
    lg_node node = 0;
    unsigned of = 0;
    lg_status status = lg__sheet_node(sheet, &node, err);
    if (status)
        return status;
    if (!lg__request_choice(sheet->request, "of", words, 3, &of))
        return lg_error_set(err, LG_EINVAL,
                            "of takes referrers, references or dominators.");
    const lg_dominator_options tree = {
        .size = sizeof tree, .node = &node, .min_share = 0.01};
    options.direction = of == 0 ? LG_BACKREFS : LG_REFS;
    options.max_nodes = 60;
    options.analysis = page->analysis;
    status = of == 2 ? lg_view_dominators(page->analysis, &tree, NULL,
                                          page->monitor, &view, err)
                     : lg_view_new(page->graph, &node, 1, &options,
                                   page->monitor, &view, err);
    if (status)
        return status;
    head_object(sheet, headings[of], node);
    lg_text_add(page->out, "<div class=\"answer\">");
    status = lg__page_picture(&sheet->page, view, headings[of], err);
    lg_text_add(page->out, "</div>\n");
    return status;
}

const lg__sheet_kind lg__picture_sheet = {"picture", make_picture, LG__SLOW,
                                          NULL};

// Returns the members that the cycle is said to have: namespaces and closures
// are part of their objects.
static size_t
find_members(const lg_graph *graph, const lg_component *of, lg_node *out)
{
    size_t count = 0;
    for (size_t i = 0; i < of->count; i++)
        if (lg_node_folded_into(graph, of->nodes[i]) == LG_NONE)
            out[count++] = of->nodes[i];
    return count;
}

static lg_status
add_members(lg__sheet *sheet, uint32_t component, lg_error *err)
{
    const lg_analysis *analysis = sheet->page.analysis;
    lg_component of = lg_analysis_component(analysis, component);
    lg_node *members = malloc((of.count + 1) * sizeof *members);
    lg_nodes nodes = {0};
    lg_table *table = NULL;
    uint64_t first = 0;
    if (!members)
        return lg_error_set(err, LG_ENOMEM, "memory ran out");
    size_t count = find_members(sheet->page.graph, &of, members);
    lg__page_section(&sheet->page, "first", "Its objects");
    lg_status status =
        lg__sheet_number(sheet, "first", UINT32_MAX, &first, err);
    if (!status)
        status = lg_nodes_ranked(analysis, members, count, (size_t)first,
                                 LG__SHEET_ROWS, &nodes, err);
    if (!status)
        status =
            lg_tabulate_nodes(analysis, nodes.items, nodes.count, &table, err);
    if (!status)
        status = lg__sheet_list(sheet, table, err);
    lg__sheet_pager(sheet, "first", first, nodes.count,
                    first + nodes.count < count);
    lg__page_section_end(&sheet->page);
    lg_nodes_free(&nodes);
    free(members);
    return status;
}

static lg_status
add_cycle(lg__sheet *sheet, const lg_cycles *cycles, lg_error *err)
{
    const lg__page *page = &sheet->page;
    lg_table *table = NULL;
    lg_view *view = NULL;
    lg_text label = {0};
    const lg_ask ask = {.graph = page->graph, .analysis = page->analysis};
    lg_status status = lg_question_tabulate(lg_question_find("cycles"), &ask,
                                            cycles, &table, err);
    if (!status)
        status = lg__sheet_rows(sheet, table, 0, err);
    if (!status && cycles->count > 0)
        status = lg_view_cycle(page->analysis, &cycles->items[0], &view, err);
    if (!status && view) {
        lg_cycle_label(page->graph, &cycles->items[0], &label);
        status = lg__page_picture(&sheet->page, view,
                                  label.data ? label.data : "", err);
    }
    lg_text_free(&label);
    return status;
}

// A cycle has a number, or is that of an object.
static lg_status
find_cycle(const lg__sheet *sheet, uint64_t *out, lg_error *err)
{
    lg_node node;
    if (!*lg__request_text(sheet->request, "node", ""))
        return lg__sheet_number(sheet, "of", UINT32_MAX, out, err);
    lg_status status = lg__sheet_node(sheet, &node, err);
    if (status)
        return status;
    *out = lg_node_component(sheet->page.analysis, node);
    return *out != LG_NONE ? LG_OK
                           : lg_error_set(err, LG_ENOTFOUND,
                                          "#%u is part of no cycle.", node);
}

static lg_status
make_cycle(lg__sheet *sheet, lg_error *err)
{
    const lg__page *page = &sheet->page;
    lg_cycles cycles;
    lg_text title = {0};
    uint64_t component = 0;
    lg_status status = find_cycle(sheet, &component, err);
    if (!status && component >= lg_analysis_component_count(page->analysis))
        status = lg_error_set(err, LG_ENOTFOUND, "There is no cycle %llu.",
                              (unsigned long long)component);
    if (!status)
        status = lg_component_cycle(page->analysis, (uint32_t)component,
                                    page->monitor, &cycles, err);
    if (status)
        return status;
    lg_text_add(&title, "A cycle");
    lg__sheet_heading(sheet, &title, NULL);
    status = add_cycle(sheet, &cycles, err);
    if (!status)
        status = add_members(sheet, (uint32_t)component, err);
    lg_cycles_free(&cycles);
    return status;
}

const lg__sheet_kind lg__cycle_sheet = {"cycle", make_cycle, LG__SLOW, NULL};

enum { TYPES = 200 }; // most types of what would die

static bool
is_cut(const lg__pair *pair)
{
    return !strcmp(pair->name, "cut") && *pair->value;
}

static lg_status
collect_cuts(const lg__sheet *sheet, lg_edges *out, lg_error *err)
{
    lg_status status = LG_OK;
    for (size_t i = 0; i < sheet->request->count && !status; i++) {
        const lg__pair *pair = &sheet->request->pairs[i];
        if (is_cut(pair))
            status = lg_graph_references(sheet->page.graph, pair->value,
                                         sheet->page.monitor, out, err);
    }
    return status;
}

static void
add_field(lg__sheet *sheet, const char *value)
{
    lg_text *out = sheet->page.out;
    lg_text_add(out, "<input type=\"search\" name=\"cut\" autocomplete=\"off\" "
                     "spellcheck=\"false\" aria-label=\"A reference to cut\" "
                     "placeholder=\"train.trainer.losses, #17-&gt;#42, "
                     "*-&gt;type:torch.Tensor\" value=\"");
    lg_text_add_html(out, value, strlen(value));
    lg_text_add(out, "\">");
}

static void
add_form(lg__sheet *sheet)
{
    lg_text *out = sheet->page.out;
    lg_text_add(
        out,
        "<p>Name references: the last one of a path, or all from the "
        "objects of one selector to those of another. The page cuts all of "
        "them together.</p>"
        "<form class=\"cuts\" action=\"what-if\">");
    for (size_t i = 0; i < sheet->request->count; i++) {
        if (is_cut(&sheet->request->pairs[i]))
            add_field(sheet, sheet->request->pairs[i].value);
    }
    add_field(sheet, "");
    lg_text_add(out, "<button>What would die?</button></form>\n");
}

static lg_status
add_dead(lg__sheet *sheet, const lg_edges *edges, lg_error *err)
{
    const lg_question *question = lg_question_find("what_if");
    lg_given given[LG_MOST_OPTIONS] = {{0}};
    given[0] = (lg_given){.given = true, .edges = edges};
    given[lg_question_option(question, "limit")] =
        (lg_given){.given = true, .number = TYPES};
    const lg_ask ask = {.graph = sheet->page.graph,
                        .analysis = sheet->page.analysis,
                        .given = given,
                        .monitor = sheet->page.monitor};
    lg_table *table = NULL;
    lg_status status = lg_question_ask(question, &ask, &table, err);
    return status ? status : lg__sheet_rows(sheet, table, TYPES, err);
}

// The complaint about a reference stands below the form, which keeps its text.
static lg_status
make_what_if(lg__sheet *sheet, lg_error *err)
{
    lg_edges edges = {0};
    lg_text title = {0};
    lg_error why = {0};
    lg_text_add(&title, "What if you cut these references?");
    lg__sheet_heading(sheet, &title, NULL);
    add_form(sheet);
    lg_status status = collect_cuts(sheet, &edges, &why);
    if (status == LG_EINVAL || status == LG_ENOTFOUND) {
        lg_text_add(sheet->page.out, "<p role=\"alert\">");
        lg_text_add_html(sheet->page.out, why.message, strlen(why.message));
        lg_text_add(sheet->page.out, "</p>");
        status = LG_OK;
    } else if (status) {
        status = lg_error_set(err, status, "%s", why.message);
    } else if (edges.count > 0) {
        status = add_dead(sheet, &edges, err);
    }
    lg_edges_free(&edges);
    return status;
}

const lg__sheet_kind lg__what_if_sheet = {"what-if", make_what_if, LG__SLOW,
                                          NULL};
