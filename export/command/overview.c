// `leakgraph FILE`: what somebody asks first of a snapshot, in one text: the
// known mistakes, what retains the most, and what to ask next.

#include "command/command.h"

static lg_status
add_findings(const lg_analysis *analysis, lg_text *out, lg_error *err)
{
    lg_findings findings = {0};
    lg_status status =
        lg_analysis_findings(analysis, NULL, lg__monitor(), &findings, err);
    if (!status)
        status =
            lg_report_findings(analysis, &findings, LG_FORMAT_TEXT, out, err);
    lg_findings_free(&findings);
    return status;
}

// Returns the object of the first row, or LG_NONE.
static lg_node
first_node(const lg_table *table)
{
    for (size_t i = 0; i < lg_table_column_count(table); i++)
        if (lg_table_row_count(table) > 0 &&
            lg_table_column(table, i).type == LG_COLUMN_NODE)
            return lg_table_cell(table, 0, i).node;
    return LG_NONE;
}

static lg_status
add_top(const lg_graph *graph, const lg_analysis *analysis, lg_node *biggest,
        lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    const lg_ask ask = {
        .graph = graph, .analysis = analysis, .monitor = lg__monitor()};
    lg_status status =
        lg_question_ask(lg_question_find("top"), &ask, &table, err);
    if (!status) {
        *biggest = first_node(table);
        status = lg_table_text(table, 0, out, err);
    }
    lg_table_free(table);
    return status;
}

static void
add_next(const char *path, lg_node biggest, lg_text *out)
{
    static const struct {
        const char *verb, *rest, *what;
    } next[] = {
        {"dominators", " --mine", "what the program's own modules own"},
        {"report", " -o report.html", "all of it on one page, with a map"},
        {"view", "", "look around in a browser"},
    };
    lg_text_add(out, "\nNext:\n");
    if (biggest != LG_NONE)
        lg_text_addf(out,
                     "  leakgraph why %s '#%u'\n"
                     "      what keeps the biggest object alive, and what to "
                     "cut\n",
                     path, biggest);
    for (size_t i = 0; i < sizeof next / sizeof *next; i++) {
        lg_text_addf(out, "  leakgraph %s %s%s\n", next[i].verb, path,
                     next[i].rest);
        lg_text_addf(out, "      %s\n", next[i].what);
    }
}

int
lg__overview_run(const char *path)
{
    int code;
    lg_graph *graph;
    lg_analysis *analysis;
    lg_node biggest = LG_NONE;
    lg_text text = {0};
    lg_error error = {0};
    lg__signals_watch();
    if (!lg__open_analysed(path, &graph, &analysis, &code))
        return code;
    lg_status status = add_findings(analysis, &text, &error);
    lg_text_add(&text, "\n");
    if (!status)
        status = add_top(graph, analysis, &biggest, &text, &error);
    add_next(path, biggest, &text);
    code = status ? lg__fail(&error) : lg__print(&text);
    lg_text_free(&text);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return code;
}
