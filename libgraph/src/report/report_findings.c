// Formats known mistakes, for readers and for programs.
#include "analysis/analysis_private.h"
#include "report/report_private.h"
#include "report/words_findings.h"

#include <string.h>

enum { MISTAKES_SHOWN = 5 }; // most mistakes below another report

#define NONE                                                                   \
    "No known mistake was recognised.\n"                                       \
    "That does not rule out a leak: top shows who keeps the most, diff of "    \
    "snapshots what grows, waste what can go.\n"

enum {
    PATTERN,
    HOLDER,
    EXAMPLE,
    COUNT,
    RETAINED,
    FREED,
    CAUSE,
    FIX,
    ALIKE,
    HELD_BY,
    HOLDERS,
    EVIDENCE
};

static const lg__column columns[] = {
    [PATTERN] = {.name = "pattern"},
    [HOLDER] = {"holder", .type = LG_COLUMN_NODE},
    [EXAMPLE] = {"example", .type = LG_COLUMN_NODE},
    [COUNT] = {"count", .type = LG_COLUMN_COUNT},
    [RETAINED] = {"retained", .type = LG_COLUMN_SIZE},
    [FREED] = {"freed", .type = LG_COLUMN_SIZE},
    [CAUSE] = {.name = "cause"},
    [FIX] = {.name = "fix"},
    [ALIKE] = {"alike", .type = LG_COLUMN_COUNT},
    [HELD_BY] = {"held_by", .type = LG_COLUMN_PATH},
    [HOLDERS] = {"holders", .type = LG_COLUMN_LIST},
    [EVIDENCE] = {.name = "evidence"},
};

enum { OF_PATTERN, OF_HOLDER, OF_PATH, OF_EXAMPLE, OF_COUNT, OF_ALONE };

static const lg__column of_holder[] = {
    [OF_PATTERN] = {.name = "pattern"},
    [OF_HOLDER] = {"holder", .type = LG_COLUMN_NODE},
    [OF_PATH] = {"held_by", .type = LG_COLUMN_PATH},
    [OF_EXAMPLE] = {"example", .type = LG_COLUMN_NODE},
    [OF_COUNT] = {"count", .type = LG_COLUMN_COUNT},
    [OF_ALONE] = {"alone", .type = LG_COLUMN_SIZE},
};

// Adds a row for each holder that shares what it keeps.
static lg_status
put_holders(lg_table *list, const lg_analysis *analysis,
            const lg_finding *finding, lg_error *err)
{
    const lg_graph *graph = lg_analysis_graph(analysis);
    lg_status status = LG_OK;
    for (size_t i = 0; i < finding->holder_count && status == LG_OK; i++) {
        const lg_holder *holder = &finding->holders[i];
        lg_text place = {0};
        status = lg__format_holder(analysis, holder, &place, err);
        lg__table_row(list);
        lg__put_literal(list, OF_PATTERN, holder->pattern->name);
        lg__put_node(list, OF_HOLDER, graph, holder->node);
        lg__put_formatted(list, OF_PATH, &place);
        lg__put_node(list, OF_EXAMPLE, graph, holder->example);
        lg__put_count(list, OF_COUNT, holder->count);
        lg__put_each(list, OF_ALONE, holder->retained);
    }
    return status;
}

static void
put_advice(lg_table *table, size_t column, const lg_graph *graph,
           const lg_finding *finding, bool fix)
{
    lg_text text = {0};
    lg__format_advice(graph, finding, fix, &text);
    lg__put_formatted(table, column, &text);
}

static void
put_evidence(lg_table *table, size_t column, const lg_graph *graph,
             const lg_finding *finding)
{
    lg_text text = {0};
    lg__format_evidence(graph, finding, &text);
    if (text.length > 0 || text.failed)
        lg__put_formatted(table, column, &text);
}

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
        lg__put_node(table, HOLDER, graph, finding->holders->node);
        lg__put_node(table, EXAMPLE, graph, finding->holders->example);
        lg__put_count(table, COUNT, finding->count);
        lg__put_each(table, RETAINED, finding->retained);
        lg__put_each(table, FREED, finding->freed);
        put_advice(table, CAUSE, graph, finding, false);
        put_advice(table, FIX, graph, finding, true);
        put_evidence(table, EVIDENCE, graph, finding);
        lg__put_count(table, ALIKE, finding->alike);
        status = lg__format_holder(analysis, finding->holders, &holder, err);
        lg__put_formatted(table, HELD_BY, &holder);
        lg_table *list = lg__put_table(table, HOLDERS, of_holder,
                                       sizeof of_holder / sizeof *of_holder);
        if (status == LG_OK)
            status = put_holders(list, analysis, finding, err);
    }
    return status;
}

enum {
    HEADLINE,
    TOGETHER,
    THINGS,
    MISTAKE,
    PLACES,
    WHY,
    KNOWN,
    WHAT_TO_DO,
    LINKED
};

static const lg__column shown[] = {
    [HEADLINE] = {.faces = LG__IN_TEXT},
    [TOGETHER] = {NULL, "retained", .type = LG_COLUMN_SIZE,
                  .faces = LG__IN_HTML},
    [THINGS] = {NULL, "things", .type = LG_COLUMN_COUNT, .faces = LG__IN_HTML},
    [MISTAKE] = {NULL, "known mistake", .faces = LG__IN_HTML},
    [PLACES] = {NULL, "held by", .type = LG_COLUMN_PATH, .faces = LG__SHOWN,
                .below = "  held by  "},
    [WHY] = {NULL, "cause", .faces = LG__SHOWN, .below = "  cause    "},
    [KNOWN] = {NULL, "evidence", .faces = LG__SHOWN, .below = "  evidence "},
    [WHAT_TO_DO] = {NULL, "fix", .faces = LG__SHOWN, .below = "  fix      "},
    [LINKED] = {"node", .type = LG_COLUMN_NODE, .faces = LG__IN_PROGRAMS},
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
    lg__format_mistake(graph, first->pattern, group->retained, &headline);
    lg__format_kept(graph, group->count, group->of_type,
                    first->holders->example, group->varied, &headline);
    lg__format_freed(graph, first->others, group->freed, &headline);
    lg_status status = lg__format_holders(analysis, first, &holders, err);
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
    lg__put_formatted(table, PLACES, &holders);
    put_advice(table, WHY, graph, first, false);
    put_evidence(table, KNOWN, graph, first);
    put_advice(table, WHAT_TO_DO, graph, first, true);
    lg__put_node(table, LINKED, graph, first->holders->node);
    return status;
}

// Adds rows for readers as a part of a table, which may have no other rows.
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

void
lg__add_mistakes(lg_table *table, const lg_analysis *analysis,
                 const lg_findings *findings)
{
    if (findings->count > 0 &&
        add_mistakes(table, analysis, findings, NULL) != LG_OK && table != NULL)
        table->failed = true;
}

void
lg__put_findings(lg_table *table, size_t column, const lg_analysis *analysis,
                 const lg_findings *findings)
{
    lg_table *list =
        lg__put_table(table, column, columns, sizeof columns / sizeof *columns);
    if (put_findings(list, analysis, findings, NULL) != LG_OK && list != NULL)
        list->failed = true;
}

// Writes the line above all findings.
static void
format_number(const lg_findings *findings, lg_text *out)
{
    if (findings->count == 0 && findings->known == 0) {
        lg_text_add(out, NONE);
        return;
    }
    lg_text_add_count(out, findings->count);
    lg_text_add(out, findings->count == 1 ? " finding" : " findings");
    if (findings->group_count < findings->count)
        lg_text_add(out, ", similar ones together");
    if (findings->known > 0) {
        lg_text_add(out, "; ");
        lg_text_add_count(out, findings->known);
        lg_text_add(out, " more known to the baseline");
    }
    lg_text_add(out, "\n");
}

lg_status
lg_tabulate_findings(const lg_analysis *analysis, const lg_findings *findings,
                     lg_table **out, lg_error *err)
{
    static const lg__column facts[] = {{"known", .type = LG_COLUMN_COUNT}};
    lg_text above = {0};
    lg_table *part;
    lg_table *table = lg__table_new(
        analysis->graph, (lg__layout){.rows = "findings", .faces = LG__IN_DATA},
        columns, sizeof columns / sizeof *columns);
    lg__put_count(lg__table_facts(table, facts, 1), 0, findings->known);
    format_number(findings, &above);
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

/* ---------------------------------------------------------- the question */

typedef struct findings_options {
    const lg_scope *scope;
} findings_options;

static lg_status
ask_findings(const lg_ask *ask, lg_table **out, lg_error *err)
{
    lg_findings findings;
    const findings_options *options = ask->options;
    lg_status status = lg_analysis_findings(ask->analysis, options->scope,
                                            ask->monitor, &findings, err);
    if (status != LG_OK)
        return status;
    status = lg_tabulate_findings(ask->analysis, &findings, out, err);
    lg_findings_free(&findings);
    return status;
}

static const findings_options usual = {0};

static const lg_option options[] = {
    LG__MINE(findings_options),
    LG__MODULE(findings_options),
    {0},
};

static const lg_field none[] = {{0}};

static const lg_answering in_c = {
    .options_size = sizeof usual, .usual = &usual, .table = ask_findings};

const lg_question lg__ask_findings = {
    .name = "findings",
    .title = "Findings",
    .help = "recognise known mistakes, with their fixes",
    .about = "Lists each known mistake that the snapshot shows, such as losses "
             "kept with their graphs, figures that nobody closed, or "
             "exceptions that keep a frame's tensors. Says who holds what, how "
             "much it retains, the cause and the fix.",
    .order = NULL,
    .example = NULL,
    .needs = LG_NEEDS_ANALYSIS,
    .options = options,
    .fields = none,
    .facts = none,
    .in_c = &in_c,
};
