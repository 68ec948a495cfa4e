// Lists each thread with its frames and their locals, then what is suspended,
// and describes the table of them: a tree for browsers, a text for terminals.
#include "graph/graph_private.h"

#include <leakgraph/internal/retained.h>
#include <leakgraph/internal/wording.h>
#include "report/report_private.h"

enum { SUSPENDED_SHOWN = 50, TITLE_WIDEST = 44, NAME_WIDEST = 24 };

typedef struct threads_options {
    size_t limit;
    const lg_scope *scope;
} threads_options;

// Rows of a tree. With a limit, none is just like another.
typedef struct threads_answer {
    lg_threads threads;
    size_t count;
} threads_answer;

typedef struct report {
    const lg_graph *graph;
    const lg_threads *threads;
    size_t count; // of the rows that the text may show
    lg_text text;
} report;

static const lg_thread_row *
row_at(const report *to, size_t at)
{
    return &to->threads->rows[at];
}

// Returns the row after those that belong to a row.
static size_t
end_of(const report *to, size_t at)
{
    size_t end = at + 1;
    while (end < to->count && row_at(to, end)->depth > row_at(to, at)->depth)
        end++;
    return end;
}

static size_t
first_suspended(const report *to)
{
    size_t at = 0;
    while (at < to->count && row_at(to, at)->kind != LG_THREAD_SUSPENDED)
        at = end_of(to, at);
    return at;
}

// Measures how wide the columns of names and titles must be, up to a limit.
static void
measure_locals(report *to, size_t at, size_t *name_width, size_t *title_width)
{
    lg_text title = {0};
    *name_width = *title_width = 0;
    for (size_t i = at + 1, end = end_of(to, at); i < end; i++) {
        title.length = 0;
        lg__text_add_string(&title, row_at(to, i)->name);
        size_t width = lg__text_width(&title, 0);
        if (width > *name_width && width <= NAME_WIDEST)
            *name_width = width;
        title.length = 0;
        lg_node_title(to->graph, row_at(to, i)->node, false, &title);
        width = lg__text_width(&title, 0);
        if (width > *title_width && width <= TITLE_WIDEST)
            *title_width = width;
    }
    to->text.failed |= title.failed;
    lg_text_free(&title);
}

// Returns whether there is somebody to name who holds the value, too.
static bool
has_other_holder(const lg_thread_row *row)
{
    return row->held_elsewhere && !row->shared;
}

// Names who else holds the value of a variable.
static void
add_elsewhere(const lg_graph *graph, const lg_thread_row *row, lg_text *out)
{
    if (row->elsewhere.kind == LG_WHERE_PATH)
        lg_path_label(graph, &row->elsewhere.path, out);
    else
        lg_text_add(out, "something else");
}

// Adds what a row retains, unless it retains only itself.
static void
add_retained(report *to, const lg_thread_row *row)
{
    size_t each = (size_t)to->threads->devices + 1;
    if (lg_bytes_sum(row->retained, each) <= lg_bytes_sum(row->size, each))
        return;
    lg_text_add(&to->text, "  retains ");
    lg__format_each(to->graph, row->retained, &to->text);
    if (!has_other_holder(row))
        return;
    lg_text_add(&to->text, ", held by ");
    add_elsewhere(to->graph, row, &to->text);
    lg_text_add(&to->text, " too");
}

static void
add_local(report *to, const lg_thread_row *row, size_t name_width,
          size_t title_width)
{
    lg_text *out = &to->text;
    lg_text_add(out, "        ");
    size_t start = out->length;
    lg__text_add_string(out, row->name);
    lg__text_pad(out, start, name_width + 2);
    start = out->length;
    lg_node_title(to->graph, row->node, false, out);
    lg__text_pad(out, start, title_width + 2);
    lg_node_bytes_format(to->graph, row->node, out);
    add_retained(to, row);
    lg_text_add(out, "\n");
}

static void
add_locals(report *to, size_t at)
{
    size_t name_width;
    size_t title_width;
    measure_locals(to, at, &name_width, &title_width);
    for (size_t i = at + 1, end = end_of(to, at); i < end; i++)
        add_local(to, row_at(to, i), name_width, title_width);
}

void
lg_thread_label(const lg_graph *graph, const lg_thread_row *row, lg_text *out)
{
    lg_string type =
        lg_graph_type(graph, lg_columns_type(&graph->columns, row->node)).name;
    lg_string text = lg_node_text(graph, row->node);
    if (row->kind == LG_THREAD_STACK || row->kind == LG_THREAD_LOCAL)
        lg__text_add_string(out, row->name);
    else if (text.length > 0 && lg__string_is(type, "frame"))
        lg__text_add_string(out, text);
    else
        lg_node_title(graph, row->node, false, out);
}

static void
add_line_end(report *to, const lg_thread_row *row)
{
    if (to->threads->analysed) {
        lg_text_add(&to->text, "  retains ");
        lg__format_each(to->graph, row->retained, &to->text);
    }
    lg_text_add(&to->text, "\n");
}

static void
add_thread(report *to, size_t at)
{
    lg_text_add(&to->text, to->text.length > 0 ? "\nThread " : "Thread ");
    lg_thread_label(to->graph, row_at(to, at), &to->text);
    add_line_end(to, row_at(to, at));
    for (size_t i = at + 1, end = end_of(to, at); i < end; i = end_of(to, i)) {
        lg_text_addf(&to->text, "  #%u ", row_at(to, i)->number);
        lg_thread_label(to->graph, row_at(to, i), &to->text);
        add_line_end(to, row_at(to, i));
        add_locals(to, i);
    }
}

static void
add_rest(report *to, size_t at)
{
    size_t rest = 0;
    for (; at < to->count; at = end_of(to, at))
        rest++;
    if (rest == 0)
        return;
    lg_text_add(&to->text, "  ... and ");
    lg_text_add_count(&to->text, rest);
    lg_text_add(&to->text, " more\n");
}

// Adds what is suspended, and how many are just like it. Returns the row after
// them.
static size_t
add_one_suspended(report *to, size_t at)
{
    size_t repeats = row_at(to, at)->repeats;
    lg_text_add(&to->text, "  ");
    lg_node_title(to->graph, row_at(to, at)->node, false, &to->text);
    add_line_end(to, row_at(to, at));
    add_locals(to, at);
    lg__format_repeats(repeats, &to->text);
    for (at = end_of(to, at); at < to->count && row_at(to, at)->repeated;)
        at = end_of(to, at);
    return at;
}

static void
add_suspended(report *to, size_t at)
{
    if (at < to->count)
        lg_text_add(&to->text,
                    to->text.length > 0 ? "\nSuspended\n" : "Suspended\n");
    for (size_t shown = 0; shown < SUSPENDED_SHOWN && at < to->count; shown++)
        at = add_one_suspended(to, at);
    add_rest(to, at);
}

static void
format_rows(report *to)
{
    size_t suspended = first_suspended(to);
    for (size_t i = 0; i < suspended; i = end_of(to, i))
        add_thread(to, i);
    add_suspended(to, suspended);
    if (to->text.length == 0)
        lg_text_add(&to->text,
                    to->threads->scoped
                        ? "no thread runs code of the chosen modules, and none "
                          "of it is suspended\n"
                        : "no thread was captured\n");
    if (to->count < to->threads->count) {
        lg_text_add(&to->text, "\n... and ");
        lg_text_add_count(&to->text, to->threads->count - to->count);
        lg_text_add(&to->text, " more rows\n");
    }
    if (to->count > 0 && !to->threads->analysed)
        lg_text_addf(
            &to->text,
            "\nsizes are the objects' own: what they retain needs %s\n",
            to->graph->partial ? "a whole snapshot" : "an analysis");
}

// Leaves out what is just like a row before it.
static void
leave_repeats(lg_threads *threads)
{
    size_t kept = 0;
    for (size_t i = 0; i < threads->count; i++)
        if (!threads->rows[i].repeated)
            threads->rows[kept++] = threads->rows[i];
    threads->count = kept;
}

static lg_status
ask_threads(const lg_ask *ask, void *answer, lg_error *err)
{
    threads_answer *to = answer;
    const threads_options *options = ask->options;
    lg_status status = lg_graph_threads(ask->graph, ask->analysis,
                                        options->scope, &to->threads, err);
    if (status != LG_OK)
        return status;
    if (options->limit > 0)
        leave_repeats(&to->threads);
    bool all = options->limit == 0 || options->limit > to->threads.count;
    to->count = all ? to->threads.count : options->limit;
    return LG_OK;
}

static void
free_threads(void *answer)
{
    lg_threads_free(&((threads_answer *)answer)->threads);
}

static void
write_text(const lg_ask *ask, const void *answer, lg_text *out)
{
    const threads_answer *of = answer;
    report to = {
        .graph = ask->graph, .threads = &of->threads, .count = of->count};
    format_rows(&to);
    if (lg__report_finish(&to.text, out, NULL) != LG_OK)
        out->failed = true;
}

// Hides what is just like the row before it.
static void
place(const lg_ask *ask, const void *answer, size_t at, lg_table *table)
{
    const threads_answer *of = answer;
    const lg_thread_row *row = &of->threads.rows[at];
    (void)ask;
    lg__table_set_depth(table, row->depth);
    if (row->repeated)
        lg__table_hide_row(table);
}

static bool
is_analysed(const lg_ask *ask, const void *answer)
{
    (void)ask;
    return ((const threads_answer *)answer)->threads.analysed;
}

static bool
has_any_other_holder(const lg_ask *ask, const void *answer)
{
    const threads_answer *of = answer;
    (void)ask;
    for (size_t i = 0; i < of->count; i++)
        if (has_other_holder(&of->threads.rows[i]))
            return true;
    return false;
}

static bool
is_not_analysed(const lg_ask *ask, const void *answer)
{
    return !is_analysed(ask, answer);
}

static void
write_name(const lg_ask *ask, const void *answer, const void *row, lg_text *out)
{
    (void)answer;
    lg_thread_label(ask->graph, row, out);
}

static void
write_line(const lg_ask *ask, const void *answer, const void *of, lg_text *out)
{
    const lg_thread_row *row = of;
    (void)answer;
    if (row->kind == LG_THREAD_STACK)
        lg_text_add(out, "thread ");
    lg_thread_label(ask->graph, row, out);
    if (row->repeats > 0) {
        lg_text_add(out, " and ");
        lg_text_add_count(out, row->repeats);
        lg_text_add(out, " more just like it");
    }
}

static void
write_elsewhere(const lg_ask *ask, const void *answer, const void *of,
                lg_text *out)
{
    const lg_thread_row *row = of;
    (void)answer;
    if (has_other_holder(row))
        add_elsewhere(ask->graph, row, out);
}

// Puts the value of a variable, with a link to it.
static void
put_value(const lg_ask *ask, const void *answer, const void *of,
          const lg_field *field, lg_table *table, size_t column)
{
    const lg_thread_row *row = of;
    (void)answer, (void)field;
    if (row->kind == LG_THREAD_LOCAL)
        lg__put_node(table, column, ask->graph, row->node);
}

// Puts no bytes where there are none.
static void
put_bytes(const lg_ask *ask, const void *answer, const void *of,
          const lg_field *field, lg_table *table, size_t column)
{
    const lg_thread_row *row = of;
    const uint64_t *bytes =
        is_analysed(ask, answer) ? row->retained : row->size;
    (void)field;
    if (lg_bytes_sum(bytes, (size_t)ask->graph->device_count + 1) > 0)
        lg__put_each(table, column, bytes);
}

static void
put_retained(const lg_ask *ask, const void *answer, const void *of,
             const lg_field *field, lg_table *table, size_t column)
{
    (void)field;
    if (is_analysed(ask, answer))
        lg__put_each(table, column, ((const lg_thread_row *)of)->retained);
}

static void
put_elsewhere(const lg_ask *ask, const void *answer, const void *of,
              const lg_field *field, lg_table *table, size_t column)
{
    const lg_thread_row *row = of;
    (void)field;
    if (is_analysed(ask, answer) && row->kind == LG_THREAD_LOCAL)
        lg__put_bool(table, column, row->held_elsewhere);
}

static const char *const kinds[] = {
    [LG_THREAD_STACK] = "thread",
    [LG_THREAD_FRAME] = "frame",
    [LG_THREAD_SUSPENDED] = "suspended",
    [LG_THREAD_LOCAL] = "local",
    NULL,
};

#define ROW(member) .offset = offsetof(lg_thread_row, member)

static const lg_field fields[] = {
    {NULL, "retained", NULL, LG_COLUMN_SIZE, .put = put_bytes,
     .look = {.least = 10, .shown = is_analysed}},
    {NULL, "size", NULL, LG_COLUMN_SIZE, .put = put_bytes,
     .look = {.least = 10, .shown = is_not_analysed}},
    {"depth", NULL, "0 of a thread and of a suspended frame", LG_COLUMN_COUNT,
     ROW(depth), .of = LG_FIELD_SHORT, .look = {.in = LG_IN_DATA}},
    {"kind", NULL, "what the row is", LG_COLUMN_TEXT, ROW(kind), .words = kinds,
     .look = {.in = LG_IN_DATA}},
    {"name", NULL,
     "of the thread or variable; of a frame `train() train.py:12`",
     LG_COLUMN_TEXT, .write = write_name, .look = {.in = LG_IN_DATA}},
    {NULL, "thread, frame, variable", NULL, LG_COLUMN_TEXT, .write = write_line,
     .look = {.gap = 2, .indented = true}},
    {NULL, "value", NULL, LG_COLUMN_NODE, .put = put_value, .look = {.gap = 2}},
    {"node", NULL, "of a variable: its value", LG_COLUMN_NODE, ROW(node),
     .look = {.in = LG_IN_DATA}},
    {"type", NULL, "module and qualified name of its type", LG_COLUMN_TEXT,
     ROW(node), .of = LG_FIELD_TYPE, .look = {.in = LG_IN_DATA}},
    {"title", NULL, "it in a few words", LG_COLUMN_TEXT, ROW(node),
     .of = LG_FIELD_TITLE, .look = {.in = LG_IN_DATA}},
    {"size", NULL, "its shallow size", LG_COLUMN_SIZE, ROW(size),
     .look = {.in = LG_IN_DATA}},
    {"retained", NULL, "what you would free with it; none without an analysis",
     LG_COLUMN_SIZE, .put = put_retained, .optional = true,
     .look = {.in = LG_IN_DATA}},
    {"held_elsewhere", NULL,
     "of a variable: whether something besides its frame holds it, too",
     LG_COLUMN_BOOL, .put = put_elsewhere, .optional = true,
     .look = {.in = LG_IN_DATA}},
    {"repeats", NULL,
     "of what is suspended: how many are just like it (function, line, "
     "variables, sizes)",
     LG_COLUMN_COUNT, ROW(repeats), .look = {.in = LG_IN_DATA}},
    {NULL, "also held by", NULL, LG_COLUMN_TEXT, .write = write_elsewhere,
     .look = {.gap = 2, .shown = has_any_other_holder}},
    {0},
};

#define FACT(member) .offset = offsetof(threads_answer, threads.member)

static const lg_field facts[] = {
    {"analysed", NULL, "whether rows have retained sizes", LG_COLUMN_BOOL,
     FACT(analysed)},
    {0},
};

static const threads_options usual = {0};

static const lg_option options[] = {
    {"limit", LG_OPTION_LIMIT, NULL, "all",
     "at most this many rows, threads first, or `all`; a number leaves out "
     "what "
     "is just like the row before it",
     offsetof(threads_options, limit)},
    LG__MINE(threads_options),
    LG__MODULE(threads_options),
    {0},
};

static const lg_answering in_c = {
    .options_size = sizeof usual,
    .usual = &usual,
    .answer_size = sizeof(threads_answer),
    .ask = ask_threads,
    .free = free_threads,
    .row_size = sizeof(lg_thread_row),
    .rows = offsetof(threads_answer, threads.rows),
    .count = offsetof(threads_answer, count),
    .total = offsetof(threads_answer, threads.count),
    .node = offsetof(lg_thread_row, node),
    .retained = offsetof(lg_thread_row, retained),
    .tallied = "threads",
    .tally = LG_TALLY_THREAD,
    .after = place,
    .text = write_text,
};

const lg_question lg__ask_threads = {
    .name = "threads",
    .title = "Threads and tasks",
    .help = "see each thread's frames and their local variables",
    .about = "Lists each thread with its frames, innermost first, and each "
             "suspended generator, coroutine and task, with the local "
             "variables of each and what they retain. A snapshot of a part of "
             "the heap shows the objects' own sizes.",
    .order = "threads first, each frame with its variables behind it",
    .example = "--mine",
    .result = "Threads",
    .row = "ThreadRow",
    .needs = LG_USES_ANALYSIS,
    .options = options,
    .fields = fields,
    .facts = facts,
    .in_c = &in_c,
};
