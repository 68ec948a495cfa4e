// Writes each thread with its frames and their variables, and then what is
// suspended, as the rows of a tree.
#include "report/report_private.h"

enum { BYTES, NAME, VALUE, NOTE, COLUMNS };

static lg_table *
new_table(const lg_graph *graph, bool analysed)
{
    const lg__column columns[COLUMNS] = {
        [BYTES] = {analysed ? "retained" : "size", .type = LG_COLUMN_SIZE,
                   .least = 10},
        [NAME] = {"name", "thread, frame, variable", .gap = 2,
                  .tree = LG__INDENTED},
        [VALUE] = {"node", "value", .type = LG_COLUMN_NODE, .gap = 2},
        [NOTE] = {NULL, "", .faces = LG__SHOWN, .gap = 2},
    };
    return lg__table_new(graph, (lg__layout){.noun = "row"}, columns, COLUMNS);
}

static void
put_name(const lg_graph *graph, const lg_thread_row *row, lg_table *table)
{
    lg_text name = {0};
    if (row->kind == LG_THREAD_STACK)
        lg_text_add(&name, "thread ");
    lg_thread_label(graph, row, &name);
    if (row->repeats > 0) {
        lg_text_add(&name, " and ");
        lg_text_add_count(&name, row->repeats);
        lg_text_add(&name, " more just like it");
    }
    lg__put_formatted(table, NAME, &name);
}

// Puts no bytes where there are none.
static void
put_bytes(const lg_threads *threads, const lg_thread_row *row, lg_table *table)
{
    const uint64_t *bytes = threads->analysed ? row->retained : row->size;
    uint64_t sum = 0;
    for (uint32_t on = 0; on <= threads->devices; on++)
        sum += bytes[on];
    if (sum > 0)
        lg__put_each(table, BYTES, bytes);
}

static void
put_row(const lg_graph *graph, const lg_threads *threads,
        const lg_thread_row *row, lg_table *table)
{
    lg__table_row(table);
    lg__table_set_depth(table, row->depth);
    put_bytes(threads, row, table);
    put_name(graph, row, table);
    if (row->kind == LG_THREAD_LOCAL)
        lg__put_node(table, VALUE, graph, row->node);
    if (row->held_elsewhere)
        lg__put_literal(table, NOTE, "held elsewhere too");
}

// Returns the row after those that belong to this row and to its repeats.
static size_t
next_of(const lg_threads *threads, size_t at)
{
    size_t skipped = threads->rows[at].repeats;
    do {
        uint32_t depth = threads->rows[at].depth;
        for (at++; at < threads->count && threads->rows[at].depth > depth;)
            at++;
    } while (skipped-- > 0 && at < threads->count);
    return at;
}

// Puts a row and those that belong to it. Returns the row after its repeats.
static size_t
put_branch(const lg_graph *graph, const lg_threads *threads, size_t at,
           lg_table *table)
{
    size_t next = next_of(threads, at);
    uint32_t depth = threads->rows[at].depth;
    do
        put_row(graph, threads, &threads->rows[at++], table);
    while (at < next && threads->rows[at].depth > depth);
    return next;
}

lg_status
lg_tabulate_threads(const lg_graph *graph, const lg_threads *threads,
                    size_t limit, lg_table **out, lg_error *err)
{
    lg_table *table = new_table(graph, threads->analysed);
    size_t at = 0;
    while (table != NULL && at < threads->count &&
           (limit == 0 || table->row_count < limit))
        at = put_branch(graph, threads, at, table);
    if (table != NULL)
        lg__table_set_count(table, table->row_count + threads->count - at);
    return lg__table_finish(table, out, err);
}

/* ---------------------------------------------------------- the question */

typedef struct threads_options {
    size_t limit;
    const lg_scope *scope;
} threads_options;

static lg_status
ask_threads(const lg_ask *ask, lg_table **out, lg_error *err)
{
    lg_threads threads;
    const threads_options *options = ask->options;
    lg_status status = lg_graph_threads(ask->graph, ask->analysis,
                                        options->scope, &threads, err);
    if (status != LG_OK)
        return status;
    status =
        lg_tabulate_threads(ask->graph, &threads, options->limit, out, err);
    lg_threads_free(&threads);
    return status;
}

static const threads_options usual = {0};

static const lg_option options[] = {
    LG__LIMIT(threads_options, "threads first"),
    LG__MINE(threads_options),
    LG__MODULE(threads_options),
    {0},
};

static const lg_field none[] = {{0}};

static const lg_answering in_c = {
    .options_size = sizeof usual, .usual = &usual, .table = ask_threads};

const lg_question lg__ask_threads = {
    .name = "threads",
    .title = "Threads and tasks",
    .help = "see each thread's frames and their local variables",
    .about = "Lists each thread with its frames, innermost first, and each "
             "suspended generator, coroutine and task, with the local "
             "variables of each and what they retain.",
    .order = NULL,
    .example = NULL,
    .needs = LG_USES_ANALYSIS,
    .options = options,
    .fields = none,
    .facts = none,
    .in_c = &in_c,
};
