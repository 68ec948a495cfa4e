// Known mistakes that were recognised, for people and for programs.
#include <leakgraph/bytes.h>

#include "analysis/analysis_private.h"
#include "report/alike.h"
#include "report/table.h"

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

/* -------------------------------------------------------------- tables --- */

enum { PATTERN, HOLDER, EXAMPLE, COUNT, RETAINED, CAUSE, FIX, ALIKE, HELD_BY };

static const lg__column columns[] = {
    [PATTERN] = {.name = "pattern"},
    [HOLDER] = {"holder", .type = LG_COLUMN_NODE},
    [EXAMPLE] = {"example", .type = LG_COLUMN_NODE},
    [COUNT] = {"count", .type = LG_COLUMN_COUNT},
    [RETAINED] = {"retained", .type = LG_COLUMN_SIZE, .folded = true},
    [CAUSE] = {.name = "cause"},
    [FIX] = {.name = "fix"},
    [ALIKE] = {"alike", .type = LG_COLUMN_COUNT},
    [HELD_BY] = {"held_by", .type = LG_COLUMN_PATH},
};

// Rows for programs: all findings, each with the first of those that it is
// like.
static lg_status
put_findings(lg_table *table, lg__where *where, const lg_findings *findings,
             const lg__alikes *all, lg_error *err)
{
    const lg_graph *graph = lg_analysis_graph(where->analysis);
    lg_status status = LG_OK;
    for (size_t i = 0; i < findings->count && status == LG_OK; i++) {
        const lg_finding *finding = &findings->items[i];
        lg_text holder = {0};
        lg__table_row(table);
        lg__put_literal(table, PATTERN, finding->pattern->name);
        lg__put_node(table, HOLDER, graph, finding->holder);
        lg__put_node(table, EXAMPLE, graph, finding->example);
        lg__put_count(table, COUNT, finding->count);
        lg__put_bytes(table, RETAINED, finding->retained);
        lg__put_literal(table, CAUSE, finding->pattern->cause);
        lg__put_literal(table, FIX, finding->pattern->fix);
        lg__put_count(table, ALIKE, all->first_of[i]);
        status = lg__format_holder(where, finding, &holder, err);
        lg__put_formatted(table, HELD_BY, &holder);
    }
    return status;
}

enum { HEADLINE, TOGETHER, THINGS, MISTAKE, HOLDERS, WHY, WHAT_TO_DO };

static const lg__column shown[] = {
    [HEADLINE] = {.faces = LG__IN_TEXT},
    [TOGETHER] = {NULL, "retained", .type = LG_COLUMN_SIZE, .folded = true,
                  .faces = LG__IN_HTML},
    [THINGS] = {NULL, "things", .type = LG_COLUMN_COUNT, .faces = LG__IN_HTML},
    [MISTAKE] = {NULL, "known mistake", .faces = LG__IN_HTML},
    [HOLDERS] = {NULL, "held by", .type = LG_COLUMN_PATH, .faces = LG__SHOWN,
                 .below = "  held by  "},
    [WHY] = {NULL, "cause", .faces = LG__SHOWN, .below = "  cause    "},
    [WHAT_TO_DO] = {NULL, "fix", .faces = LG__SHOWN, .below = "  fix      "},
};

static void
put_alike(lg_table *table, const lg_graph *graph, const lg__alike *alike)
{
    const lg_pattern *pattern = alike->first->pattern;
    lg_text headline = {0};
    lg_text holders = {0};
    format_pattern(graph, pattern, alike->retained, &headline);
    format_count(alike->count, &alike->kept, &headline);
    lg_text_add_bytes(&holders, alike->held_by.data, alike->held_by.length);
    if (alike->findings > 1) {
        lg_text_add(&holders, "\nand ");
        lg_text_add_count(&holders, alike->findings - 1);
        lg_text_add(&holders, " more like it");
    }
    lg__table_row(table);
    lg__put_formatted(table, HEADLINE, &headline);
    lg__put_bytes(table, TOGETHER, alike->retained);
    lg__put_count(table, THINGS, alike->count);
    lg__put_literal(table, MISTAKE, pattern->name);
    lg__put_formatted(table, HOLDERS, &holders);
    lg__put_literal(table, WHY, pattern->cause);
    lg__put_literal(table, WHAT_TO_DO, pattern->fix);
}

// Rows for people, below those that they are about or below nothing.
static lg_table *
add_alikes(lg_table *table, const lg_graph *graph, const lg__alikes *all,
           size_t count)
{
    lg_table *part =
        lg__table_part(table, (lg__layout){.blocks = true, .faces = LG__SHOWN},
                       shown, sizeof shown / sizeof *shown);
    for (size_t i = 0; i < all->count && i < count; i++)
        put_alike(part, graph, &all->items[i]);
    return part;
}

static void
add_mistakes(lg_table *table, const lg_graph *graph, const lg__alikes *all)
{
    lg_text above = {0};
    lg_text below = {0};
    lg_table *part = add_alikes(table, graph, all, MISTAKES_SHOWN);
    lg_text_add(&above, "\nKnown mistakes among these:\n");
    lg__table_format_above(part, &above);
    if (all->count <= MISTAKES_SHOWN)
        return;
    lg_text_add(&below, "\n... and ");
    lg_text_add_count(&below, all->count - MISTAKES_SHOWN);
    lg_text_add(&below, " more: findings lists all\n");
    lg__table_format_below(part, &below);
}

lg_status
lg__put_mistakes(lg_table *table, lg_table *facts, size_t column,
                 const lg_analysis *analysis, const uint32_t *nodes,
                 size_t count, bool *any, lg_error *err)
{
    lg_findings findings;
    lg__alikes all;
    lg__where where = {.analysis = analysis};
    *any = false;
    if (analysis == NULL)
        return LG_OK;
    lg_status status =
        lg_nodes_findings(analysis, nodes, count, NULL, &findings, err);
    if (status != LG_OK)
        return status;
    status = lg__alikes_new(&where, &findings, &all, err);
    if (status == LG_OK) {
        lg_table *list = lg__put_table(facts, column, columns,
                                       sizeof columns / sizeof *columns);
        status = put_findings(list, &where, &findings, &all, err);
        *any = all.count > 0;
        if (*any)
            add_mistakes(table, analysis->graph, &all);
        lg__alikes_free(&all);
    }
    lg__where_free(&where);
    lg_findings_free(&findings);
    return status;
}

// What is said above all findings.
static void
format_number(size_t findings, size_t alikes, lg_text *out)
{
    if (findings == 0) {
        lg_text_add(out, "No known mistake was recognised.\n");
        return;
    }
    lg_text_add_count(out, findings);
    lg_text_add(out, findings == 1 ? " finding" : " findings");
    lg_text_add(out, alikes < findings ? ", look-alikes together\n" : "\n");
}

lg_status
lg_tabulate_findings(const lg_analysis *analysis, const lg_findings *findings,
                     lg_table **out, lg_error *err)
{
    lg__alikes all;
    lg_text above = {0};
    lg__where where = {.analysis = analysis};
    lg_status status = lg__alikes_new(&where, findings, &all, err);
    if (status != LG_OK) {
        lg__where_free(&where);
        return status;
    }
    lg_table *table = lg__table_new(
        analysis->graph, (lg__layout){.rows = "findings", .faces = LG__IN_DATA},
        columns, sizeof columns / sizeof *columns);
    format_number(findings->count, all.count, &above);
    lg__table_format_above(table, &above);
    status = put_findings(table, &where, findings, &all, err);
    add_alikes(table, analysis->graph, &all, SIZE_MAX);
    lg__alikes_free(&all);
    lg__where_free(&where);
    if (status == LG_OK)
        return lg__table_finish(table, out, err);
    lg_table_free(table);
    return status;
}

lg_status
lg_report_findings(const lg_analysis *analysis, const lg_findings *findings,
                   lg_format format, lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    lg_status status = lg_tabulate_findings(analysis, findings, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}
