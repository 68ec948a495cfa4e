// Writes what grows, who holds it, and how fast, as a table.
#include "growth/growth_private.h"
#include "paths/paths_private.h"
#include "report/report_growth_facts.h"

#include <leakgraph/internal/findings.h>
#include <leakgraph/internal/wording.h>

#include <inttypes.h>
#include <string.h>

typedef struct report {
    const lg_ask *ask;
    const lg_growth *growth;
    const lg_graph *graph; // of the newest snapshot, or NULL
    lg_table *table;
} report;

enum {
    HOLDER,
    TYPE,
    VERDICT,
    COUNTS,
    BYTES,
    GAINED,
    PER_INTERVAL,
    PER_STEP,
    PLACE,
    NODE,
    OTHERS,
    FINDING,
    REASON,
    SENTENCE,
    FIX,
    IS_MINOR,
    DEGREE,
    IDLE,
    CAME_LAST,
    LIMIT,
    FILLED,
    AT_LIMIT,
    LIFETIME,
    OBSERVED,
    HOLDERS,
    FREED,
    LEAD,
    SHOWN_GAIN,
    SHOWN_RATE,
    SHOWN_CHART,
    SHOWN_COUNTS,
    SHOWN_WHAT,
    SHOWN_HOLDER,
    SHOWN_CUT,
    SHOWN_FIX,
    COLUMNS,
};

enum {
    OF_PATTERN,
    OF_HOLDER,
    OF_PATH,
    OF_EXAMPLE,
    OF_COUNT,
    OF_ALONE,
    OF_HOLDERS
};

// The same columns as the holders of a finding have.
static const lg_field holder_fields[OF_HOLDERS + 1] = {
    [OF_PATTERN] = {"pattern", NULL, "`other-holder`", .together = true},
    [OF_HOLDER] = {"holder", NULL, "what must let go", LG_COLUMN_NODE,
                   .optional = true},
    [OF_PATH] = {"held_by", NULL, "the path from a root to it", LG_COLUMN_PATH,
                 .together = true},
    [OF_EXAMPLE] = {"example", NULL, "one of what it keeps", LG_COLUMN_NODE,
                    .optional = true},
    [OF_COUNT] = {"count", NULL, "number of such holders", LG_COLUMN_COUNT,
                  .together = true},
    [OF_ALONE] = {"alone", NULL, "what you free if only these let go",
                  LG_COLUMN_SIZE, .together = true},
};

static const char *
rate_heading(const void *growth)
{
    return lg_growth_unit_text(((const lg_growth *)growth)->unit);
}

#define ROW(member) .offset = offsetof(lg_growth_row, member)
#define IN_DATA .look = {.in = LG_IN_DATA}

static const lg_field fields[COLUMNS + 1] = {
    [HOLDER] = {"held_by", NULL,
                "where it accumulates, or what grows: `__main__.losses[*]`",
                LG_COLUMN_PATH, .together = true, IN_DATA},
    [TYPE] = {"type", NULL, "the type that gained the most", LG_COLUMN_TEXT,
              ROW(type), IN_DATA},
    [VERDICT] = {"verdict", NULL, "how it grows", LG_COLUMN_TEXT, ROW(verdict),
                 .words = lg__growth_verdicts, IN_DATA},
    [COUNTS] = {"counts", NULL, "number of objects in each snapshot",
                LG_COLUMN_NUMBERS, .together = true, IN_DATA},
    [BYTES] = {"bytes", NULL,
               "what they retain in each snapshot, and what their container "
               "itself gained",
               LG_COLUMN_LIST, .together = true, .inner = lg__sizes_of_list,
               IN_DATA},
    [GAINED] = {"gained", NULL,
                "bytes of the last snapshot less those of the first",
                LG_COLUMN_NUMBER, .together = true, IN_DATA},
    [PER_INTERVAL] = {"per_interval", NULL,
                      "bytes from one snapshot to the next", LG_COLUMN_REAL,
                      .together = true, IN_DATA},
    [PER_STEP] = {"per_step", NULL,
                  "bytes that a step adds; None: the steps are unknown",
                  LG_COLUMN_REAL, .together = true, .optional = true, IN_DATA},
    [PLACE] = {"place", NULL,
               "the same in every process that runs the program: 16 "
               "hexadecimal digits",
               LG_COLUMN_TEXT, .together = true, IN_DATA},
    [NODE] = {"node", NULL, "one of the objects, in the last snapshot",
              LG_COLUMN_NODE, .together = true, .optional = true, IN_DATA},
    [OTHERS] = {"other_holders", NULL, "if there are several", LG_COLUMN_LIST,
                .together = true, .inner = lg__paths_of_list, IN_DATA},
    [FINDING] = {"finding", NULL,
                 "the pattern of the finding that it belongs to, or None",
                 LG_COLUMN_TEXT, .together = true, .optional = true, IN_DATA},
    [REASON] = {"reason", NULL, "why garbage piles up, or None", LG_COLUMN_TEXT,
                .together = true, .optional = true, IN_DATA},
    [SENTENCE] = {"text", NULL, "all of it in one sentence", LG_COLUMN_TEXT,
                  .together = true, IN_DATA},
    [FIX] = {"fix", NULL,
             "how to mend the finding that it belongs to, or what helps "
             "against growth of native memory; or None",
             LG_COLUMN_TEXT, .together = true, .optional = true, IN_DATA},
    [IS_MINOR] = {"minor", NULL,
                  "whether it gained next to nothing beside the first row, so "
                  "that reports only count it",
                  LG_COLUMN_BOOL, ROW(minor), IN_DATA},
    [DEGREE] = {"degree", NULL, "how it goes on", LG_COLUMN_TEXT, ROW(degree),
                .words = lg__growth_degrees, IN_DATA},
    [IDLE] = {"idle", NULL, "how many intervals at the end gained nothing",
              LG_COLUMN_COUNT, .together = true, IN_DATA},
    [CAME_LAST] = {"came_last", NULL,
                   "whether nearly all that it gained came with the last of "
                   "three snapshots or more",
                   LG_COLUMN_BOOL, .together = true, IN_DATA},
    [LIMIT] = {"limit", NULL,
               "how many elements its container keeps at most, or None",
               LG_COLUMN_COUNT, .together = true, .optional = true, IN_DATA},
    [FILLED] = {"filled", NULL, "how many of these there are, or None",
                LG_COLUMN_COUNT, .together = true, .optional = true, IN_DATA},
    [AT_LIMIT] = {"at_limit", NULL,
                  "about how many bytes there are when it is full, or None",
                  LG_COLUMN_COUNT, .together = true, .optional = true, IN_DATA},
    [LIFETIME] = {"lifetime", NULL,
                  "after how many seconds elements leave its container, where "
                  "that limits it, or None",
                  LG_COLUMN_REAL, .together = true, .optional = true, IN_DATA},
    [OBSERVED] = {"observed", NULL,
                  "for how many seconds the snapshots have seen that "
                  "container, or None",
                  LG_COLUMN_REAL, .together = true, .optional = true, IN_DATA},
    [HOLDERS] = {"holders", NULL,
                 "of a row that leads its leak, all that must let go",
                 LG_COLUMN_LIST, .together = true, .inner = holder_fields,
                 .row = "FindingHolder", IN_DATA},
    [FREED] = {"freed", NULL, "what goes when all of them let go, or None",
               LG_COLUMN_SIZE, ROW(freed), .optional = true, IN_DATA},
    [LEAD] = {"lead", NULL,
              "index of the row that leads the leak: its own, or that of "
              "another row",
              LG_COLUMN_COUNT, .together = true, IN_DATA},
    [SHOWN_GAIN] = {NULL, "gained", NULL, LG_COLUMN_SIZE, .together = true,
                    .look = {.least = 12}},
    [SHOWN_RATE] = {NULL, "", NULL, LG_COLUMN_TEXT, .together = true,
                    .look = {.least = 14, .right = true, .head = rate_heading}},
    [SHOWN_CHART] = {NULL, "series", NULL, LG_COLUMN_NUMBERS, .together = true,
                     .look = {.in = LG_IN_HTML, .chart = LG__LINE}},
    [SHOWN_COUNTS] = {NULL, "objects", NULL, LG_COLUMN_TEXT, .together = true,
                      .look = {.gap = 2}},
    [SHOWN_WHAT] = {NULL, "what", NULL, LG_COLUMN_TEXT, .together = true,
                    .look = {.gap = 2}},
    [SHOWN_HOLDER] = {NULL, "held by", NULL, LG_COLUMN_PATH, .together = true,
                      .look = {.below = "              in  "}},
    [SHOWN_CUT] = {NULL, "to free it", NULL, LG_COLUMN_TEXT, .together = true,
                   .look = {.below = "            free  "}},
    [SHOWN_FIX] = {NULL, "fix", NULL, LG_COLUMN_TEXT, .together = true,
                   .look = {.in = LG_IN_TEXT, .below = "             fix  "}},
};

static void
put_others(const report *to, const lg_growth_row *row)
{
    lg_table *list = lg__put_empty_list(to->ask, to->growth, &fields[OTHERS],
                                        to->table, OTHERS);
    for (size_t i = 0; i < row->other_count; i++) {
        lg_text holder = {0};
        lg__format_folded_path(to->graph, &row->others[i], &holder);
        lg__table_row(list);
        lg__put_formatted(list, 0, &holder);
    }
}

// Adds who must let go, of a row that leads its leak.
static void
put_holders(const report *to, const lg_growth_row *row)
{
    lg_table *list = lg__put_empty_list(to->ask, to->growth, &fields[HOLDERS],
                                        to->table, HOLDERS);
    for (size_t i = 0; to->graph != NULL && i < row->holder_count; i++) {
        const lg_growth_holder *holder = &row->holders[i];
        lg_text path = {0};
        lg__format_keeper(to->graph, holder, &path);
        lg__table_row(list);
        lg__put_literal(list, OF_PATTERN, "other-holder");
        lg__put_node(list, OF_HOLDER, to->graph, holder->node);
        lg__put_formatted(list, OF_PATH, &path);
        lg__put_node(list, OF_EXAMPLE, to->graph, row->node);
        lg__put_count(list, OF_COUNT, holder->count);
        lg__put_each(list, OF_ALONE, holder->alone);
    }
    lg__put_count(to->table, LEAD, row->lead);
}

static void
put_limit(lg_table *table, const lg_growth_row *row)
{
    if (row->limit == 0)
        return;
    lg__put_count(table, LIMIT, row->limit);
    lg__put_count(table, FILLED, row->filled);
    lg__put_count(table, AT_LIMIT, row->at_limit);
    if (row->lifetime == 0)
        return;
    lg__put_real(table, LIFETIME, row->lifetime);
    lg__put_real(table, OBSERVED, row->observed);
}

static void
put_data(const report *to, const lg_growth_row *row, const char *fix)
{
    lg_table *table = to->table;
    lg_text holder = {0};
    lg_text place = {0};
    lg_text sentence = {0};
    lg__format_growth_holder(to->growth, to->graph, row, &holder);
    lg__put_formatted(table, HOLDER, &holder);
    put_others(to, row);
    lg__put_numbers(table, COUNTS, row->counts, to->growth->snapshots);
    lg__put_sizes(table, BYTES, to->growth, row->bytes);
    lg__put_number(table, GAINED, row->gained);
    lg__put_real(table, PER_INTERVAL, row->per_interval);
    if (to->growth->has_steps)
        lg__put_real(table, PER_STEP, row->per_step);
    lg_text_addf(&place, "%016" PRIx64, row->key);
    lg__put_formatted(table, PLACE, &place);
    if (to->graph != NULL)
        lg__put_node(table, NODE, to->graph, row->node);
    if (row->finding != LG_NONE)
        lg__put_string(table, FINDING, to->growth->tallies[row->finding].name);
    if (fix != NULL)
        lg__put_literal(table, FIX, fix);
    if (row->reason != LG_GROWTH_NO_REASON)
        lg__put_literal(table, REASON, lg_growth_reason_text(row->reason));
    lg_growth_row_format(to->growth, to->graph, row, &sentence);
    lg__put_formatted(table, SENTENCE, &sentence);
    lg__put_count(table, IDLE, row->idle);
    lg__put_bool(table, CAME_LAST, lg_growth_came_last(to->growth, row));
    put_limit(table, row);
    put_holders(to, row);
}

static const char *
fix_of(lg_string pattern, lg_string registry)
{
    const lg_pattern *found = lg_pattern_find(pattern);
    return found != NULL ? lg_pattern_fix(found, registry) : NULL;
}

// What libraries keep until the process ends, by how the place begins, and the
// finding whose fix helps.
static const struct {
    const char *place;
    const char *pattern;
    const char *registry;
} keepers[] = {
    {"torch.jit.", "per-call-classes", "torch.jit"},
};

// Returns what helps against growth of what a library keeps, or NULL.
static const char *
fix_of_keeper(const lg_growth *growth, const lg_growth_row *row)
{
    lg_text place = {0};
    const char *fix = NULL;
    if (row->place == LG_NONE)
        return NULL;
    lg_place_format(growth->places, row->place, &place);
    const lg_string named = {place.data, (uint32_t)place.length};
    for (size_t i = 0; !place.failed && i < sizeof keepers / sizeof *keepers;
         i++)
        if (lg__string_begins(named, keepers[i].place))
            fix = fix_of(lg__string_of(keepers[i].pattern),
                         lg__string_of(keepers[i].registry));
    lg_text_free(&place);
    return fix;
}

// Returns what helps against the growth of a row: that of native memory, or of
// the known mistake that it is; NULL if that is not known.
static const char *
growth_fix(const lg_growth *growth, const lg_growth_row *row)
{
    const char *fix = fix_of_keeper(growth, row);
    if (fix != NULL || row->fix != NULL || row->finding == LG_NONE)
        return fix != NULL ? fix : row->fix;
    const lg_growth_tally *finding = &growth->tallies[row->finding];
    return fix_of(finding->name, finding->detail);
}

// Adds what helps, unless a row above says the same, or the cell of what to cut
// ends with it.
static void
put_fix(const report *to, const lg_growth_row *row, const char *fix,
        const lg_text *cut)
{
    if (fix == NULL || (cut->length > 0 && strstr(cut->data, fix) != NULL))
        return;
    for (const lg_growth_row *above = to->growth->rows; above < row; above++)
        if (!above->minor && growth_fix(to->growth, above) == fix)
            return;
    lg__put_literal(to->table, SHOWN_FIX, fix);
}

// Draws the bytes of the last snapshots.
static void
put_chart(const report *to, const lg_growth_row *row)
{
    enum { MOST = 64 };
    uint32_t snapshots = to->growth->snapshots;
    uint32_t first = snapshots > MOST ? snapshots - MOST : 0;
    uint64_t *series = lg__alloc(snapshots * sizeof *series);
    if (series == NULL) {
        if (to->table != NULL)
            to->table->failed = true;
        return;
    }
    size_t each = (size_t)to->growth->devices + 1;
    for (uint32_t i = 0; i < snapshots; i++) {
        series[i] = 0;
        for (size_t on = 0; on < each; on++)
            series[i] += row->bytes[i * each + on];
    }
    lg__put_numbers(to->table, SHOWN_CHART, series + first, snapshots - first);
    lg__free(series);
}

static void
put_shown(const report *to, const lg_growth_row *row, const char *fix)
{
    const lg_growth *growth = to->growth;
    lg_table *table = to->table;
    lg_text rate = {0};
    lg_text counts = {0};
    lg_text what = {0};
    lg_text holder = {0};
    lg_text cut = {0};
    lg__put_gain(table, SHOWN_GAIN, growth, row->bytes);
    lg_text_add_change(&rate, lg_growth_rate(growth, row));
    lg__put_formatted(table, SHOWN_RATE, &rate);
    if (row->verdict != LG_GROWTH_NATIVE)
        lg__format_series(row->counts, growth->snapshots, &counts);
    put_chart(to, row);
    lg__put_formatted(table, SHOWN_COUNTS, &counts);
    lg__format_growth_what(growth, row, &what);
    if (to->graph != NULL && row->node != LG_NONE)
        lg_text_addf(&what, "%s #%u",
                     row->verdict == LG_GROWTH_IN_PLACE ? "" : ", such as",
                     row->node);
    lg__put_formatted(table, SHOWN_WHAT, &what);
    lg__format_growth_holder(to->growth, to->graph, row, &holder);
    for (size_t i = 0; i < row->other_count; i++) {
        lg_text_add(&holder, "\nand ");
        lg__format_folded_path(to->graph, &row->others[i], &holder);
    }
    lg__put_formatted(table, SHOWN_HOLDER, &holder);
    lg__format_growth_cut(growth, to->graph, row, &cut);
    put_fix(to, row, fix, &cut);
    lg__put_formatted(table, SHOWN_CUT, &cut);
}

static void
put_row(const lg_ask *ask, const void *growth, const void *row, lg_table *table)
{
    const report to = {ask, growth, ask->graph, table};
    const char *fix = growth_fix(growth, row);
    put_data(&to, row, fix);
    put_shown(&to, row, fix);
}

static void
hide_minor(const lg_ask *ask, const void *growth, size_t row, lg_table *table)
{
    (void)ask;
    if (((const lg_growth *)growth)->rows[row].minor)
        lg__table_hide_row(table);
}

static void
write_above(const lg_ask *ask, const void *answer, lg_text *out)
{
    const lg_growth *growth = answer;
    (void)ask;
    lg_growth_headline(growth, out);
    lg_text_add(out, growth->count > 0 ? ".\n\n" : ".\n");
}

static void
add_below(const lg_ask *ask, const void *growth, lg_table *table)
{
    lg__format_growth_notes(table, ask, growth);
    lg__format_growth_check(table, growth, ask->graph);
}

typedef struct growth_options {
    bool settled;
    int64_t min_bytes;
    const lg_scope *scope;
} growth_options;

static lg_status
ask_growth(const lg_ask *ask, void *answer, lg_error *err)
{
    const growth_options *asked = ask->options;
    const lg_compared *compared = ask->compared;
    lg_growth_options options = LG_GROWTH_OPTIONS_INIT;
    options.steps = compared->steps;
    options.note = compared->note;
    options.settled = asked->settled;
    options.min_bytes = asked->min_bytes > 0 ? (uint64_t)asked->min_bytes : 0;
    options.scope = asked->scope;
    return lg_growth_find(compared->summaries, compared->count, ask->analysis,
                          &options, ask->monitor, answer, err);
}

static void
free_growth(void *answer)
{
    lg_growth_free(answer);
}

static const growth_options usual = {0};

static const lg_option options[] = {
    {"settled", LG_OPTION_FLAG, NULL, NULL,
     "also what grew and stopped, or is small",
     offsetof(growth_options, settled)},
    {"min_bytes", LG_OPTION_BYTES, NULL, NULL, "only what gained as much",
     offsetof(growth_options, min_bytes)},
    LG__MINE(growth_options),
    LG__MODULE(growth_options),
    {0},
};

static const lg_answering in_c = {
    .options_size = sizeof usual,
    .usual = &usual,
    .answer_size = sizeof(lg_growth),
    .ask = ask_growth,
    .free = free_growth,
    .row_size = sizeof(lg_growth_row),
    .rows = offsetof(lg_growth, rows),
    .count = offsetof(lg_growth, count),
    .devices = offsetof(lg_growth, devices),
    .device_names = offsetof(lg_growth, device_names),
    .row = put_row,
    .facts = lg__put_growth_facts,
    .above = write_above,
    .after = hide_minor,
    .below = add_below,
};

const lg_question lg__ask_growth = {
    .name = "growth",
    .verb = "diff",
    .title = "Growth",
    .help = "find what grows from snapshot to snapshot, and who holds it",
    .about = "Compares snapshots of one program by where objects are held. "
             "Three or more can tell a leak from memory that is allocated "
             "once.",
    .order = "the most bytes gained first",
    .result = "Growth",
    .row = "GrowthRow",
    .needs = LG_NEEDS_SEVERAL,
    .options = options,
    .fields = fields,
    .facts = lg__growth_facts,
    .in_c = &in_c,
};

lg_status
lg_report_growth(const lg_growth *growth, const lg_graph *newest, size_t limit,
                 lg_format format, lg_text *out, lg_error *err)
{
    lg_table *table = NULL;
    const lg_ask ask = {.graph = newest, .limit = limit};
    lg_status status =
        lg_question_tabulate(&lg__ask_growth, &ask, growth, &table, err);
    return status == LG_OK ? lg__table_report(table, format, out, err) : status;
}

lg_status
lg_growth_table(const lg_summary *const *summaries, size_t count,
                const lg_analysis *newest, const lg_monitor *monitor,
                lg_table **out, lg_error *err)
{
    const lg_compared compared = {.summaries = summaries, .count = count};
    const lg_ask ask = {.graph = newest ? lg_analysis_graph(newest) : NULL,
                        .analysis = newest,
                        .monitor = monitor,
                        .compared = &compared};
    return lg_question_ask(&lg__ask_growth, &ask, out, err);
}
