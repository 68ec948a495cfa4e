// Known mistakes that were recognised, for people and for programs.
#include <leakgraph/bytes.h>

#include "where.h"
#include "words.h"

#include <string.h>

enum { MISTAKES_SHOWN = 5 }; // below other reports

static void
say_count(const lg_graph *graph, const lg_finding *finding, lg_text *out)
{
    lg_text_add_count(out, finding->count);
    if (finding->example == LG_NONE) {
        lg_text_add(out, finding->count == 1 ? " block" : " blocks");
        return;
    }
    uint32_t type = graph->columns.type[finding->example];
    lg_text_add(out, " x ");
    if (lg__node_category(graph, finding->example) != LG_CATEGORY_FIGURE)
        lg__say_node(graph, finding->example, out);
    else // whose title would be that of one figure
        lg__text_add_string(out,
                            lg__last_part(lg_graph_type(graph, type).name));
}

static lg_status
say_holder(lg__where *where, const lg_finding *finding, lg_text *out,
           lg_error *err)
{
    if (finding->holder == LG_NONE) {
        lg_text_add(out, "C++, which no snapshot sees");
        return LG_OK;
    }
    lg_status status = lg__where_say(where, finding->holder, NULL, out, err);
    lg_text_add(out, "  ");
    lg_node_title(lg_analysis_graph(where->analysis), finding->holder, false,
                  out);
    lg_text_addf(out, " #%u", finding->holder);
    return status;
}

static void
say_pattern(const lg_graph *graph, const lg_finding *finding, lg_text *out)
{
    lg_text_addf(out, "%s: ", finding->pattern->name);
    lg__say_bytes(graph, finding->retained, out);
    lg_text_add(out, ", ");
    say_count(graph, finding, out);
    lg_text_add(out, "\n");
}

static void
say_advice(const lg_finding *finding, lg_text *out)
{
    lg_text_addf(out, "  cause    %s\n  fix      %s\n", finding->pattern->cause,
                 finding->pattern->fix);
}

void
lg__say_finding(const lg_graph *graph, const lg_finding *finding, lg_text *out)
{
    lg_text_add(out, "\nA known mistake, ");
    say_pattern(graph, finding, out);
    say_advice(finding, out);
}

static lg_status
finding_text(lg__where *where, const lg_finding *finding, lg_text *out,
             lg_error *err)
{
    lg_text_add(out, "\n");
    say_pattern(lg_analysis_graph(where->analysis), finding, out);
    lg_text_add(out, "  held by  ");
    lg_status status = say_holder(where, finding, out, err);
    lg_text_add(out, "\n");
    say_advice(finding, out);
    return status;
}

static lg_status
findings_text(lg__where *where, const lg_findings *findings, lg_text *out,
              lg_error *err)
{
    lg_status status = LG_OK;
    if (findings->count == 0) {
        lg_text_add(out, "No known mistake was recognised.\n");
        return LG_OK;
    }
    lg_text_add_count(out, findings->count);
    lg_text_add(out, findings->count == 1 ? " finding\n" : " findings\n");
    for (size_t i = 0; i < findings->count && status == LG_OK; i++)
        status = finding_text(where, &findings->items[i], out, err);
    return status;
}

static void
add_string(const char *key, const char *value, lg_text *out)
{
    lg_text_addf(out, ",\n  \"%s\": ", key);
    lg_text_add_json(out, value, strlen(value));
}

static void
add_node(const char *key, uint32_t node, lg_text *out)
{
    if (node == LG_NONE)
        lg_text_addf(out, ",\n  \"%s\": null", key);
    else
        lg_text_addf(out, ",\n  \"%s\": %u", key, node);
}

// Without the brace that ends it.
static void
open_json(const lg_finding *finding, lg_text *out)
{
    lg_text_add(out, "{\"pattern\": ");
    lg_text_add_json(out, finding->pattern->name,
                     strlen(finding->pattern->name));
    add_node("holder", finding->holder, out);
    add_node("example", finding->example, out);
    lg_text_addf(out, ",\n  \"count\": %llu,\n  \"retained\": ",
                 (unsigned long long)finding->count);
    lg__json_bytes(finding->retained, out);
    add_string("cause", finding->pattern->cause, out);
    add_string("fix", finding->pattern->fix, out);
}

void
lg__json_finding(const lg_finding *finding, lg_text *out)
{
    open_json(finding, out);
    lg_text_add(out, "}");
}

static lg_status
finding_json(lg__where *where, const lg_finding *finding, lg_text *out,
             lg_error *err)
{
    lg_text said = {0};
    lg_status status = say_holder(where, finding, &said, err);
    lg_text_add(out, "\n ");
    open_json(finding, out);
    lg_text_add(out, ",\n  \"held_by\": ");
    lg__json_said(&said, out);
    lg_text_add(out, "}");
    lg_text_free(&said);
    return status;
}

// Without the braces around it.
static lg_status
findings_json(lg__where *where, const lg_findings *findings, lg_text *out,
              lg_error *err)
{
    lg_status status = LG_OK;
    lg_text_add(out, "\"findings\": [");
    for (size_t i = 0; i < findings->count && status == LG_OK; i++) {
        lg_text_add(out, i > 0 ? "," : "");
        status = finding_json(where, &findings->items[i], out, err);
    }
    lg_text_add(out, "]");
    return status;
}

// The biggest ones, below the rows that they are about.
static lg_status
mistakes_text(lg__where *where, const lg_findings *findings, lg_text *out,
              lg_error *err)
{
    lg_status status = LG_OK;
    for (size_t i = 0;
         i < findings->count && i < MISTAKES_SHOWN && status == LG_OK; i++) {
        lg_text_add(out, i == 0 ? "\nKnown mistakes among these:\n" : "");
        status = finding_text(where, &findings->items[i], out, err);
    }
    if (findings->count > MISTAKES_SHOWN) {
        lg_text_add(out, "\n... and ");
        lg_text_add_count(out, findings->count - MISTAKES_SHOWN);
        lg_text_add(out, " more: findings lists all\n");
    }
    return status;
}

lg_status
lg__report_mistakes(const lg_analysis *analysis, const uint32_t *nodes,
                    size_t count, lg_format format, lg_text *out, lg_error *err)
{
    lg_findings findings;
    lg__where where = {.analysis = analysis};
    bool json = format == LG_FORMAT_JSON;
    if (analysis == NULL) {
        lg_text_add(out, json ? "\"findings\": null" : "");
        return LG_OK;
    }
    lg_status status =
        lg_nodes_findings(analysis, nodes, count, NULL, &findings, err);
    if (status != LG_OK)
        return status;
    status =
        (json ? findings_json : mistakes_text)(&where, &findings, out, err);
    lg__where_free(&where);
    lg_findings_free(&findings);
    return status;
}

static lg_status
report_json(lg__where *where, const lg_findings *findings, lg_text *out,
            lg_error *err)
{
    lg_text_add(out, "{");
    lg_status status = findings_json(where, findings, out, err);
    lg_text_add(out, "}\n");
    return status;
}

lg_status
lg_report_findings(const lg_analysis *analysis, const lg_findings *findings,
                   lg_format format, lg_text *out, lg_error *err)
{
    lg_text text = {0};
    lg__where where = {.analysis = analysis};
    lg_status status = format == LG_FORMAT_JSON
                           ? report_json(&where, findings, &text, err)
                           : findings_text(&where, findings, &text, err);
    lg__where_free(&where);
    if (status == LG_OK)
        return lg__report_finish(&text, out, err);
    lg_text_free(&text);
    return status;
}
