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

static void
write_where(const lg_ask *ask, const void *answer, const void *row,
            lg_text *out)
{
    (void)answer;
    if (lg__format_holder(ask->analysis, row, out, NULL) != LG_OK)
        out->failed = true;
}

#define OF_HOLDER(member) .offset = offsetof(lg_holder, member)

static void
write_holder_pattern(const lg_ask *ask, const void *answer, const void *row,
                     lg_text *out)
{
    (void)ask, (void)answer;
    lg_text_add(out, ((const lg_holder *)row)->pattern->name);
}

static const lg_field holder_fields[] = {
    {"pattern", NULL, "the mistake there; `other-holder`: none that is known",
     .write = write_holder_pattern},
    {"holder", NULL, "what keeps the memory, or None: nothing in the snapshot",
     LG_COLUMN_NODE, OF_HOLDER(node), .optional = true},
    {"held_by", NULL, "the path from a root to the holder", LG_COLUMN_PATH,
     .write = write_where},
    {"example", NULL, "one of what it keeps, or None", LG_COLUMN_NODE,
     OF_HOLDER(example), .optional = true},
    {"count", NULL, "number of things kept", LG_COLUMN_COUNT, OF_HOLDER(count)},
    {"alone", NULL, "what you free if only this one lets go", LG_COLUMN_SIZE,
     OF_HOLDER(retained)},
    {0},
};

static const lg_holder *
first_of(const void *row)
{
    return ((const lg_finding *)row)->holders;
}

static void
write_pattern(const lg_ask *ask, const void *answer, const void *row,
              lg_text *out)
{
    write_holder_pattern(ask, answer, first_of(row), out);
}

static void
write_held_by(const lg_ask *ask, const void *answer, const void *row,
              lg_text *out)
{
    write_where(ask, answer, first_of(row), out);
}

static void
write_cause(const lg_ask *ask, const void *answer, const void *row,
            lg_text *out)
{
    (void)answer;
    lg__format_advice(ask->graph, row, false, out);
}

static void
write_fix(const lg_ask *ask, const void *answer, const void *row, lg_text *out)
{
    (void)answer;
    lg__format_advice(ask->graph, row, true, out);
}

static void
write_evidence(const lg_ask *ask, const void *answer, const void *row,
               lg_text *out)
{
    (void)answer;
    lg__format_evidence(ask->graph, row, out);
}

static void
put_holder(const lg_ask *ask, const void *answer, const void *row,
           const lg_field *field, lg_table *table, size_t column)
{
    (void)answer, (void)field;
    lg__put_node(table, column, ask->graph, first_of(row)->node);
}

static void
put_example(const lg_ask *ask, const void *answer, const void *row,
            const lg_field *field, lg_table *table, size_t column)
{
    (void)answer, (void)field;
    lg__put_node(table, column, ask->graph, first_of(row)->example);
}

static void
put_holders(const lg_ask *ask, const void *answer, const void *row,
            const lg_field *field, lg_table *table, size_t column)
{
    const lg_finding *finding = row;
    const lg__rows rows = {finding->holders, finding->holder_count,
                           sizeof *finding->holders};
    lg__put_list(ask, answer, field, &rows, table, column);
}

#define ROW(member) .offset = offsetof(lg_finding, member)

static const lg_field fields[] = {
    {"pattern", NULL, "its name: `loss-history`", .write = write_pattern},
    {"holder", NULL, "where to cut; None for C++ that no snapshot sees",
     LG_COLUMN_NODE, .put = put_holder, .optional = true},
    {"example", NULL,
     "one of the kept objects; None for C++ that no snapshot sees",
     LG_COLUMN_NODE, .put = put_example, .optional = true},
    {"count", NULL, "number of kept objects", LG_COLUMN_COUNT, ROW(count)},
    {"retained", NULL, "bytes that go when all holders let go", LG_COLUMN_SIZE,
     ROW(retained)},
    {"freed", NULL, "of these, what the fix alone frees", LG_COLUMN_SIZE,
     ROW(freed)},
    {"cause", NULL, "what keeps the memory, in a sentence",
     .write = write_cause},
    {"fix", NULL, "what to do, in a line", .write = write_fix},
    {"alike", NULL, "index of the biggest finding that it is like",
     LG_COLUMN_COUNT, ROW(alike)},
    {"held_by", NULL, "the path from a root to the holder", LG_COLUMN_PATH,
     .write = write_held_by},
    {"holders", NULL, "who share what they keep", LG_COLUMN_LIST,
     .put = put_holders, .inner = holder_fields, .row = "FindingHolder"},
    {"evidence", NULL,
     "what else is known of the holders, in sentences; often empty",
     .write = write_evidence},
    {0},
};

void
lg__put_findings(lg_table *table, size_t column, const lg_ask *ask,
                 const lg_findings *findings)
{
    const lg_field list = {.inner = fields};
    const lg__rows rows = {findings->items, findings->count,
                           sizeof *findings->items};
    lg__put_list(ask, findings, &list, &rows, table, column);
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
    lg__put_formatted(table, column, &text);
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
    [HEADLINE] = {.shown_in = LG__IN_TEXT},
    [TOGETHER] = {NULL, "retained", .type = LG_COLUMN_SIZE,
                  .shown_in = LG__IN_HTML},
    [THINGS] = {NULL, "things", .type = LG_COLUMN_COUNT,
                .shown_in = LG__IN_HTML},
    [MISTAKE] = {NULL, "known mistake", .shown_in = LG__IN_HTML},
    [PLACES] = {NULL, "held by", .type = LG_COLUMN_PATH, .shown_in = LG__SHOWN,
                .below = "  held by  "},
    [WHY] = {NULL, "cause", .shown_in = LG__SHOWN, .below = "  cause    "},
    [KNOWN] = {NULL, "evidence", .shown_in = LG__SHOWN, .below = "  evidence "},
    [WHAT_TO_DO] = {NULL, "fix", .shown_in = LG__SHOWN, .below = "  fix      "},
    [LINKED] = {"node", .type = LG_COLUMN_NODE, .shown_in = LG__IN_PROGRAMS},
};

// Summaries count findings by their first holder.
static void
put_group_change(lg_table *table, const lg_ask *ask, const lg_finding *first,
                 const lg_finding_group *group)
{
    const char *name = first->pattern->name;
    const char *registry = lg_holder_registry(ask->graph, first->holders);
    const lg_thing thing = {
        .kind = LG_THING_TALLY,
        .tally = LG_TALLY_FINDING,
        .node = first->holders->node,
        .name = lg__string_of(name),
        .detail = lg__string_of(registry),
        .count = group->count,
        .bytes = group->total,
    };
    lg__put_change(table, ask, &thing);
}

static lg_status
put_group(lg_table *table, const lg_ask *ask, const lg_findings *findings,
          const lg_finding_group *group, lg_error *err)
{
    const lg_analysis *analysis = ask->analysis;
    const lg_graph *graph = ask->graph;
    const lg_finding *first = &findings->items[group->first];
    lg_text headline = {0};
    lg_text holders = {0};
    lg__format_mistake(graph, first->pattern, group->retained, &headline);
    lg__format_kept(graph, group->count, group->of_type,
                    first->holders->example, group->varied, &headline);
    lg__format_freed(graph, group->retained, group->freed, &headline);
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
    put_group_change(table, ask, first, group);
    return status;
}

// Leaves a column out of pages where no row has anything in it.
static void
hide_empty(lg_table *table, size_t column)
{
    size_t rows = table != NULL ? lg_table_row_count(table) : 0;
    for (size_t row = 0; row < rows; row++)
        if (lg__cell_at(table, row, column)->kind != 0)
            return;
    if (rows > 0)
        table->columns[column].shown_in = LG__IN_TEXT;
}

// Adds rows for readers as a part of a table, which may have no other rows: at
// most so many groups, and none whose findings are all behind the limit.
static lg_status
add_groups(lg_table *table, const lg_ask *ask, const lg_findings *findings,
           size_t most, lg_table **out, lg_error *err)
{
    size_t added = 0;
    lg_status status = LG_OK;
    *out = lg__table_compared_part(
        table, ask, (lg__layout){.blocks = true, .shown_in = LG__SHOWN}, shown,
        sizeof shown / sizeof *shown, "Δ things");
    for (size_t i = 0; i < findings->group_count && added < most; i++)
        if (status == LG_OK && findings->groups[i].first < findings->count) {
            status = put_group(*out, ask, findings, &findings->groups[i], err);
            added++;
        }
    lg__hide_unchanged(*out);
    hide_empty(*out, KNOWN);
    return status;
}

static lg_status
add_mistakes(lg_table *table, const lg_ask *ask, const lg_findings *findings,
             lg_error *err)
{
    lg_text above = {0};
    lg_text below = {0};
    lg_table *part;
    lg_status status =
        add_groups(table, ask, findings, MISTAKES_SHOWN, &part, err);
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
lg__add_mistakes(lg_table *table, const lg_ask *ask,
                 const lg_findings *findings)
{
    if (findings->count > 0 &&
        add_mistakes(table, ask, findings, NULL) != LG_OK && table != NULL)
        table->failed = true;
}

// Counts the findings of each group whose biggest one comes before `end`,
// whatever the limit.
static size_t
count_findings(const lg_findings *findings, size_t end)
{
    size_t count = 0;
    for (size_t i = 0; i < findings->group_count; i++)
        if (findings->groups[i].first < end)
            count += findings->groups[i].findings;
    return count;
}

static void
put_total(const lg_ask *ask, const void *answer, const void *row,
          const lg_field *field, lg_table *table, size_t column)
{
    (void)ask, (void)row, (void)field;
    lg__put_count(table, column, count_findings(answer, SIZE_MAX));
}

static void
write_above(const lg_ask *ask, const void *answer, lg_text *out)
{
    const lg_findings *findings = answer;
    size_t total = count_findings(findings, SIZE_MAX);
    size_t told = count_findings(findings, findings->count);
    (void)ask;
    if (total == 0 && findings->known == 0) {
        lg_text_add(out, NONE);
        return;
    }
    lg_text_add_count(out, total);
    lg_text_add(out, total == 1 ? " finding" : " findings");
    if (findings->group_count < total)
        lg_text_add(out, ", similar ones together");
    if (told < total) {
        lg_text_add(out, "; the biggest ");
        lg_text_add_count(out, told);
        lg_text_add(out, " shown");
    }
    if (findings->known > 0) {
        lg_text_add(out, "; ");
        lg_text_add_count(out, findings->known);
        lg_text_add(out, " more known to the baseline");
    }
    lg_text_add(out, "\n");
}

static void
add_all_groups(const lg_ask *ask, const void *answer, lg_table *table)
{
    lg_table *part;
    if (add_groups(table, ask, answer, SIZE_MAX, &part, NULL) && table != NULL)
        table->failed = true;
}

typedef struct findings_options {
    size_t limit;
    const lg_scope *scope;
    lg_asked_baseline baseline;
} findings_options;

// The baseline learns of all findings, whatever the limit.
static lg_status
ask_findings(const lg_ask *ask, void *answer, lg_error *err)
{
    const findings_options *options = ask->options;
    lg_baseline *known = options->baseline.known;
    lg_findings findings;
    lg_status status = lg_analysis_findings(ask->analysis, options->scope,
                                            ask->monitor, &findings, err);
    if (status != LG_OK)
        return status;
    if (options->baseline.update)
        status = lg_findings_note(ask->graph, &findings, known, err);
    if (status == LG_OK && known != NULL)
        status = lg_findings_leave_out(&findings, known, err);
    if (options->limit > 0 && options->limit < findings.count)
        findings.count = options->limit;
    if (status == LG_OK)
        *(lg_findings *)answer = findings;
    else
        lg_findings_free(&findings);
    return status;
}

static void
free_findings(void *answer)
{
    lg_findings_free(answer);
}

static const findings_options usual = {0};

static const lg_option options[] = {
    {"limit", LG_OPTION_LIMIT, NULL, "all",
     "at most this many rows, the biggest first, or `all`",
     offsetof(findings_options, limit)},
    LG__MINE(findings_options),
    LG__MODULE(findings_options),
    LG__BASELINE(findings_options, "findings"),
    LG__UPDATE_BASELINE(findings_options, "findings"),
    LG__CHECK("findings"),
    {0},
};

static const lg_field facts[] = {
    {"total", NULL, "number of findings before the limit", LG_COLUMN_COUNT,
     .put = put_total},
    {"known", NULL,
     "number of those that the baseline lists, which are left out",
     LG_COLUMN_COUNT, .offset = offsetof(lg_findings, known)},
    {0},
};

static const lg_answering in_c = {
    .options_size = sizeof usual,
    .usual = &usual,
    .answer_size = sizeof(lg_findings),
    .ask = ask_findings,
    .free = free_findings,
    .row_size = sizeof(lg_finding),
    .rows = offsetof(lg_findings, items),
    .count = offsetof(lg_findings, count),
    .in = LG_IN_DATA,
    .above = write_above,
    .below = add_all_groups,
};

const lg_question lg__ask_findings = {
    .name = "findings",
    .title = "Findings",
    .help = "recognise known mistakes, with their fixes",
    .about = "Lists each known mistake that the snapshot shows, such as losses "
             "kept with their graphs, figures that nobody closed, or "
             "exceptions that keep a frame's tensors. Says who holds what, how "
             "much it retains, the cause and the fix. Holders that share what "
             "they keep are one finding. The report shows similar findings "
             "once, and `limit` counts each of them. `mine` and `module` "
             "choose it if the "
             "modules hold either its holder or what it keeps.",
    .order = "the biggest first",
    .example = "--check --baseline known.txt --update-baseline",
    .result = "Findings",
    .row = "Finding",
    .needs = LG_NEEDS_ANALYSIS,
    .options = options,
    .fields = fields,
    .facts = facts,
    .in_c = &in_c,
};

lg_status
lg_report_findings(const lg_analysis *analysis, const lg_findings *findings,
                   lg_format format, lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    const lg_ask ask = {.graph = analysis->graph, .analysis = analysis};
    lg_status status =
        lg_question_tabulate(&lg__ask_findings, &ask, findings, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}
