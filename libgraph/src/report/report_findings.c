// Formats known mistakes, for readers and for programs.
#include "analysis/analysis_private.h"
#include "report/table.h"
#include "report/where.h"

#include <string.h>

enum { MISTAKES_SHOWN = 5 }; // below other reports

// Formats the holder: its place, its title, and its number.
static lg_status
format_holder(const lg_analysis *analysis, const lg_finding *finding,
              lg_text *out, lg_error *err)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    lg_status status = LG_OK;
    if (finding->holder == LG_NONE) {
        lg_text_add(out, "C++, which no snapshot sees");
        return LG_OK;
    }
    if (finding->path.root.kind != LG_ROOT_NONE)
        lg_path_label(graph, &finding->path, out);
    else if (lg_node_is_reachable(analysis, finding->holder))
        lg_text_add(out, "the interpreter");
    else
        status = lg__garbage_format(analysis, finding->holder, out, err);
    lg_text_add(out, "  ");
    lg_node_title(graph, finding->holder, false, out);
    lg_text_addf(out, " #%u", finding->holder);
    return status;
}

// Formats one of the kept objects as an example; none for blocks. The title of
// a figure would show one of several.
static void
format_kept(const lg_graph *graph, uint32_t example, bool varied, lg_text *out)
{
    if (!varied && lg__node_category(graph, example) != LG_CATEGORY_FIGURE) {
        lg__format_node(graph, example, out);
        return;
    }
    uint32_t type = graph->columns.type[example];
    lg__text_add_string(out, lg__last_part(lg_graph_type(graph, type).name));
}

static void
format_count(const lg_graph *graph, uint64_t count, uint32_t example,
             bool varied, lg_text *out)
{
    lg_text_add_count(out, count);
    if (example == LG_NONE) {
        lg_text_add(out, count == 1 ? " block" : " blocks");
        return;
    }
    lg_text_add(out, " x ");
    format_kept(graph, example, varied, out);
}

static void
format_pattern(const lg_graph *graph, const lg_pattern *pattern,
               const uint64_t *retained, lg_text *out)
{
    lg_text_addf(out, "%s: ", pattern->name);
    lg__format_each(graph, retained, out);
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
    lg_text_add(out, "\nA known mistake, ");
    format_pattern(graph, finding->pattern, finding->retained, out);
    format_count(graph, finding->count, finding->example, false, out);
    lg_text_add(out, "\n");
    format_advice(finding->pattern, out);
}

void
lg__write_finding(lg_json *json, const char *name, const lg_graph *graph,
                  const lg_finding *finding)
{
    const lg_pattern *pattern = finding->pattern;
    lg_json_object(json, name);
    lg_json_string(json, "pattern", pattern->name, strlen(pattern->name));
    lg__write_node_or_null(json, "holder", finding->holder);
    lg__write_node_or_null(json, "example", finding->example);
    lg_json_count(json, "count", finding->count);
    lg_json_bytes(json, "retained", graph, finding->retained);
    lg_json_string(json, "cause", pattern->cause, strlen(pattern->cause));
    lg_json_string(json, "fix", pattern->fix, strlen(pattern->fix));
    lg_json_end(json);
}

enum { PATTERN, HOLDER, EXAMPLE, COUNT, RETAINED, CAUSE, FIX, ALIKE, HELD_BY };

static const lg__column columns[] = {
    [PATTERN] = {.name = "pattern"},
    [HOLDER] = {"holder", .type = LG_COLUMN_NODE},
    [EXAMPLE] = {"example", .type = LG_COLUMN_NODE},
    [COUNT] = {"count", .type = LG_COLUMN_COUNT},
    [RETAINED] = {"retained", .type = LG_COLUMN_SIZE},
    [CAUSE] = {.name = "cause"},
    [FIX] = {.name = "fix"},
    [ALIKE] = {"alike", .type = LG_COLUMN_COUNT},
    [HELD_BY] = {"held_by", .type = LG_COLUMN_PATH},
};

// Adds rows for programs: all findings, each with the first one that is like
// it.
static lg_status
put_findings(lg_table *table, const lg_analysis *analysis,
             const lg_findings *findings, lg_error *err)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    lg_status status = LG_OK;
    for (size_t i = 0; i < findings->count && status == LG_OK; i++) {
        const lg_finding *finding = &findings->items[i];
        lg_text holder = {0};
        lg__table_row(table);
        lg__put_literal(table, PATTERN, finding->pattern->name);
        lg__put_node(table, HOLDER, graph, finding->holder);
        lg__put_node(table, EXAMPLE, graph, finding->example);
        lg__put_count(table, COUNT, finding->count);
        lg__put_each(table, RETAINED, finding->retained);
        lg__put_literal(table, CAUSE, finding->pattern->cause);
        lg__put_literal(table, FIX, finding->pattern->fix);
        lg__put_count(table, ALIKE, finding->alike);
        status = format_holder(analysis, finding, &holder, err);
        lg__put_formatted(table, HELD_BY, &holder);
    }
    return status;
}

enum { HEADLINE, TOGETHER, THINGS, MISTAKE, HOLDERS, WHY, WHAT_TO_DO };

static const lg__column shown[] = {
    [HEADLINE] = {.faces = LG__IN_TEXT},
    [TOGETHER] = {NULL, "retained", .type = LG_COLUMN_SIZE,
                  .faces = LG__IN_HTML},
    [THINGS] = {NULL, "things", .type = LG_COLUMN_COUNT, .faces = LG__IN_HTML},
    [MISTAKE] = {NULL, "known mistake", .faces = LG__IN_HTML},
    [HOLDERS] = {NULL, "held by", .type = LG_COLUMN_PATH, .faces = LG__SHOWN,
                 .below = "  held by  "},
    [WHY] = {NULL, "cause", .faces = LG__SHOWN, .below = "  cause    "},
    [WHAT_TO_DO] = {NULL, "fix", .faces = LG__SHOWN, .below = "  fix      "},
};

static lg_status
put_group(lg_table *table, const lg_analysis *analysis,
          const lg_findings *findings, const lg_finding_group *group,
          lg_error *err)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    const lg_finding *first = &findings->items[group->first];
    lg_text headline = {0};
    lg_text holders = {0};
    format_pattern(graph, first->pattern, group->retained, &headline);
    format_count(graph, group->count, first->example, group->varied, &headline);
    lg_status status = format_holder(analysis, first, &holders, err);
    if (group->findings > 1) {
        lg_text_add(&holders, "\nand ");
        lg_text_add_count(&holders, group->findings - 1);
        lg_text_add(&holders, " more like it");
    }
    lg__table_row(table);
    lg__put_formatted(table, HEADLINE, &headline);
    lg__put_each(table, TOGETHER, group->retained);
    lg__put_count(table, THINGS, group->count);
    lg__put_literal(table, MISTAKE, first->pattern->name);
    lg__put_formatted(table, HOLDERS, &holders);
    lg__put_literal(table, WHY, first->pattern->cause);
    lg__put_literal(table, WHAT_TO_DO, first->pattern->fix);
    return status;
}

// Adds rows for readers, below the table that they concern, or below none.
static lg_status
add_groups(lg_table *table, const lg_analysis *analysis,
           const lg_findings *findings, size_t count, lg_table **out,
           lg_error *err)
{
    lg_status status = LG_OK;
    *out =
        lg__table_part(table, (lg__layout){.blocks = true, .faces = LG__SHOWN},
                       shown, sizeof shown / sizeof *shown);
    for (size_t i = 0; i < findings->group_count && i < count; i++)
        if (status == LG_OK)
            status =
                put_group(*out, analysis, findings, &findings->groups[i], err);
    return status;
}

static lg_status
add_mistakes(lg_table *table, const lg_analysis *analysis,
             const lg_findings *findings, lg_error *err)
{
    lg_text above = {0};
    lg_text below = {0};
    lg_table *part;
    lg_status status =
        add_groups(table, analysis, findings, MISTAKES_SHOWN, &part, err);
    lg_text_add(&above, "\nKnown mistakes among these:\n");
    lg__table_format_above(part, &above);
    if (findings->group_count <= MISTAKES_SHOWN)
        return status;
    lg_text_add(&below, "\n... and ");
    lg_text_add_count(&below, findings->group_count - MISTAKES_SHOWN);
    lg_text_add(&below, " more: findings lists all\n");
    lg__table_format_below(part, &below);
    return status;
}

lg_status
lg__put_mistakes(lg_table *table, lg_table *facts, size_t column,
                 const lg_analysis *analysis, const uint32_t *nodes,
                 size_t count, bool *any, lg_error *err)
{
    lg_findings findings;
    *any = false;
    if (analysis == NULL)
        return LG_OK;
    lg_status status =
        lg_nodes_findings(analysis, nodes, count, NULL, &findings, err);
    if (status != LG_OK)
        return status;
    lg_table *list =
        lg__put_table(facts, column, columns, sizeof columns / sizeof *columns);
    status = put_findings(list, analysis, &findings, err);
    *any = findings.count > 0;
    if (*any && status == LG_OK)
        status = add_mistakes(table, analysis, &findings, err);
    lg_findings_free(&findings);
    return status;
}

// Writes the line above all findings.
static void
format_number(size_t findings, size_t groups, lg_text *out)
{
    if (findings == 0) {
        lg_text_add(out, "No known mistake was recognised.\n");
        return;
    }
    lg_text_add_count(out, findings);
    lg_text_add(out, findings == 1 ? " finding" : " findings");
    lg_text_add(out, groups < findings ? ", similar ones together\n" : "\n");
}

lg_status
lg_tabulate_findings(const lg_analysis *analysis, const lg_findings *findings,
                     lg_table **out, lg_error *err)
{
    lg_text above = {0};
    lg_table *part;
    lg_table *table = lg__table_new(
        analysis->graph, (lg__layout){.rows = "findings", .faces = LG__IN_DATA},
        columns, sizeof columns / sizeof *columns);
    format_number(findings->count, findings->group_count, &above);
    lg__table_format_above(table, &above);
    lg_status status = put_findings(table, analysis, findings, err);
    if (status == LG_OK)
        status = add_groups(table, analysis, findings, SIZE_MAX, &part, err);
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
