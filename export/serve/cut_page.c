// Asks which references to cut, and says what would die.

#include "serve/server.h"

#include <leakgraph/internal/questions.h>
#include <leakgraph/internal/wording.h>
#include <leakgraph/internal/writing.h>

#include <string.h>

#define TYPES 200u

static bool
is_cut(const lg__pair *pair)
{
    return !strcmp(pair->name, "cut") && *pair->value;
}

static lg_status
collect(const lg__sheet *sheet, lg_edges *out, lg_error *err)
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
answer(lg__sheet *sheet, const lg_edges *edges, lg_error *err)
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
lg_status
lg__sheet_what_if(lg__sheet *sheet, lg_error *err)
{
    lg_edges edges = {0};
    lg_text title = {0};
    lg_error why = {0};
    lg_text_add(&title, "What if you cut these references?");
    lg__sheet_heading(sheet, &title, NULL);
    add_form(sheet);
    lg_status status = collect(sheet, &edges, &why);
    if (status == LG_EINVAL || status == LG_ENOTFOUND) {
        lg_text_add(sheet->page.out, "<p role=\"alert\">");
        lg_text_add_html(sheet->page.out, why.message, strlen(why.message));
        lg_text_add(sheet->page.out, "</p>");
        status = LG_OK;
    } else if (status) {
        status = lg_error_set(err, status, "%s", why.message);
    } else if (edges.count > 0) {
        status = answer(sheet, &edges, err);
    }
    lg_edges_free(&edges);
    return status;
}
