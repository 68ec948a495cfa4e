// Known mistakes that were recognised, for people and for programs.
#include <leakgraph/bytes.h>

#include "report/alike.h"
#include "report/words.h"

#include <string.h>

enum { MISTAKES_SHOWN = 5 }; // below other reports

static void
format_count(uint64_t count, const lg_text *kept, lg_text *out)
{
    lg_text_add_count(out, count);
    if (kept->length == 0) {
        lg_text_add(out, count == 1 ? " block" : " blocks");
        return;
    }
    lg_text_add(out, " x ");
    lg_text_add_bytes(out, kept->data, kept->length);
}

static void
format_pattern(const lg_graph *graph, const lg_pattern *pattern,
               lg_bytes retained, lg_text *out)
{
    lg_text_addf(out, "%s: ", pattern->name);
    lg__format_bytes(graph, retained, out);
    lg_text_add(out, ", ");
}

static void
format_advice(const lg_pattern *pattern, lg_text *out)
{
    lg_text_addf(out, "  cause    %s\n  fix      %s\n", pattern->cause,
                 pattern->fix);
}

void
lg__format_finding(const lg_graph *graph, const lg_finding *finding,
                   lg_text *out)
{
    lg_text kept = {0};
    lg__format_kept(graph, finding, &kept);
    out->failed |= kept.failed;
    lg_text_add(out, "\nA known mistake, ");
    format_pattern(graph, finding->pattern, finding->retained, out);
    format_count(finding->count, &kept, out);
    lg_text_add(out, "\n");
    format_advice(finding->pattern, out);
    lg_text_free(&kept);
}

static void
format_alike(const lg_graph *graph, const lg__alike *alike, lg_text *out)
{
    lg_text_add(out, "\n");
    format_pattern(graph, alike->first->pattern, alike->retained, out);
    format_count(alike->count, &alike->kept, out);
    lg_text_add(out, "\n  held by  ");
    lg_text_add(out, alike->held_by.data);
    lg_text_add(out, "\n");
    if (alike->findings > 1) {
        lg_text_add(out, "           and ");
        lg_text_add_count(out, alike->findings - 1);
        lg_text_add(out, " more like it\n");
    }
    format_advice(alike->first->pattern, out);
}

static lg_status
findings_text(lg__where *where, const lg_findings *findings, lg_text *out,
              lg_error *err)
{
    lg__alikes all;
    if (findings->count == 0) {
        lg_text_add(out, "No known mistake was recognised.\n");
        return LG_OK;
    }
    lg_status status = lg__alikes_new(where, findings, &all, err);
    if (status != LG_OK)
        return status;
    lg_text_add_count(out, findings->count);
    lg_text_add(out, findings->count == 1 ? " finding" : " findings");
    lg_text_add(out, all.count < findings->count ? ", look-alikes together\n"
                                                 : "\n");
    for (size_t i = 0; i < all.count; i++)
        format_alike(lg_analysis_graph(where->analysis), &all.items[i], out);
    lg__alikes_free(&all);
    return LG_OK;
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

// Without the braces around it. Each with the first of those that it is like.
static lg_status
findings_json(lg__where *where, const lg_findings *findings, lg_text *out,
              lg_error *err)
{
    lg__alikes all;
    lg_text said = {0};
    lg_status status = lg__alikes_new(where, findings, &all, err);
    if (status != LG_OK)
        return status;
    lg_text_add(out, "\"findings\": [");
    for (size_t i = 0; i < findings->count && status == LG_OK; i++) {
        const lg_finding *finding = &findings->items[i];
        status = lg__format_holder(where, finding, &said, err);
        lg_text_add(out, i > 0 ? ",\n " : "\n ");
        open_json(finding, out);
        lg_text_addf(out,
                     ",\n  \"alike\": %zu,\n  \"held_by\": ", all.first_of[i]);
        lg__json_formatted(&said, out);
        lg_text_add(out, "}");
    }
    lg_text_add(out, "]");
    lg_text_free(&said);
    lg__alikes_free(&all);
    return status;
}

// The biggest ones, below the rows that they are about.
static lg_status
mistakes_text(lg__where *where, const lg_findings *findings, lg_text *out,
              lg_error *err)
{
    lg__alikes all;
    lg_status status = lg__alikes_new(where, findings, &all, err);
    if (status != LG_OK)
        return status;
    for (size_t i = 0; i < all.count && i < MISTAKES_SHOWN; i++) {
        lg_text_add(out, i == 0 ? "\nKnown mistakes among these:\n" : "");
        format_alike(lg_analysis_graph(where->analysis), &all.items[i], out);
    }
    if (all.count > MISTAKES_SHOWN) {
        lg_text_add(out, "\n... and ");
        lg_text_add_count(out, all.count - MISTAKES_SHOWN);
        lg_text_add(out, " more: findings lists all\n");
    }
    lg__alikes_free(&all);
    return LG_OK;
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
