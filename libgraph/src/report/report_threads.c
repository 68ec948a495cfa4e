// Writes each thread with its frames and their locals, then what is suspended.
#include "graph/graph_private.h"
#include "report/report_private.h"

#include <leakgraph/report.h>

enum { SUSPENDED_SHOWN = 50, TITLE_WIDEST = 44, NAME_WIDEST = 24 };

typedef struct report {
    const lg_graph *graph;
    const lg_threads *threads;
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
    while (end < to->threads->count &&
           row_at(to, end)->depth > row_at(to, at)->depth)
        end++;
    return end;
}

static size_t
first_suspended(const report *to)
{
    size_t at = 0;
    while (at < to->threads->count &&
           row_at(to, at)->kind != LG_THREAD_SUSPENDED)
        at = end_of(to, at);
    return at;
}

static uint64_t
sum_of(const report *to, const uint64_t *bytes)
{
    uint64_t sum = 0;
    for (uint32_t on = 0; on <= to->threads->devices; on++)
        sum += bytes[on];
    return sum;
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

// Adds what a row retains, unless it retains only itself.
static void
add_retained(report *to, const lg_thread_row *row)
{
    if (sum_of(to, row->retained) <= sum_of(to, row->size))
        return;
    lg_text_add(&to->text, "  retains ");
    lg__format_each(to->graph, row->retained, &to->text);
    if (row->held_elsewhere)
        lg_text_add(&to->text, ", held elsewhere too");
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
    lg_string type = lg_graph_type(graph, graph->columns.type[row->node]).name;
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
    for (; at < to->threads->count; at = end_of(to, at))
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
    for (at = end_of(to, at); repeats > 0; repeats--)
        at = end_of(to, at);
    return at;
}

static void
add_suspended(report *to, size_t at)
{
    if (at < to->threads->count)
        lg_text_add(&to->text,
                    to->text.length > 0 ? "\nSuspended\n" : "Suspended\n");
    for (size_t shown = 0; shown < SUSPENDED_SHOWN && at < to->threads->count;
         shown++)
        at = add_one_suspended(to, at);
    add_rest(to, at);
}

static void
threads_text(report *to)
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
    else if (!to->threads->analysed)
        lg_text_addf(
            &to->text,
            "\nsizes are the objects' own: what they retain needs %s\n",
            to->graph->partial ? "a whole snapshot" : "an analysis");
}

static void
write_retained(const report *to, const lg_thread_row *row, lg_json *json)
{
    if (to->threads->analysed)
        lg_json_bytes(json, "retained", to->graph, row->retained);
}

static void
write_local(const report *to, const lg_thread_row *row, lg_json *json)
{
    lg_text title = {0};
    lg_json_object(json, NULL);
    lg__write_string(json, "name", row->name);
    lg_json_count(json, "node", row->node);
    lg_node_title(to->graph, row->node, false, &title);
    lg__write_formatted(json, "title", &title);
    lg_json_bytes(json, "size", to->graph, row->size);
    write_retained(to, row, json);
    if (to->threads->analysed)
        lg_json_bool(json, "held_elsewhere", row->held_elsewhere);
    lg_json_end(json);
}

static void
write_frame(const report *to, size_t at, lg_json *json)
{
    lg_text name = {0};
    lg_thread_label(to->graph, row_at(to, at), &name);
    lg_json_object(json, NULL);
    lg_json_count(json, "node", row_at(to, at)->node);
    lg__write_formatted(json, "name", &name);
    write_retained(to, row_at(to, at), json);
    lg_json_array(json, "locals");
    for (size_t i = at + 1, end = end_of(to, at); i < end; i++)
        write_local(to, row_at(to, i), json);
    lg_json_end(json);
    lg_json_end(json);
}

static void
write_thread(const report *to, size_t at, lg_json *json)
{
    lg_json_object(json, NULL);
    lg__write_string(json, "name", row_at(to, at)->name);
    lg_json_count(json, "node", row_at(to, at)->node);
    write_retained(to, row_at(to, at), json);
    lg_json_lines(json, "frames");
    for (size_t i = at + 1, end = end_of(to, at); i < end; i = end_of(to, i))
        write_frame(to, i, json);
    lg_json_end(json);
    lg_json_end(json);
}

static lg_status
threads_json(report *to, lg_error *err)
{
    lg_json json = {.out = &to->text};
    size_t at = 0;
    lg_json_object(&json, NULL);
    lg_json_lines(&json, "threads");
    for (size_t end = first_suspended(to); at < end; at = end_of(to, at))
        write_thread(to, at, &json);
    lg_json_end(&json);
    lg_json_lines(&json, "suspended");
    for (; at < to->threads->count; at = end_of(to, at))
        write_frame(to, at, &json);
    lg_json_end(&json);
    lg_json_end(&json);
    return lg_json_finish(&json, err);
}

lg_status
lg_format_threads(const lg_graph *graph, const lg_threads *threads,
                  lg_format format, lg_text *out, lg_error *err)
{
    report to = {.graph = graph, .threads = threads};
    lg_status status = LG_OK;
    if (format == LG_FORMAT_JSON)
        status = threads_json(&to, err);
    else
        threads_text(&to);
    if (status == LG_OK)
        return lg__report_finish(&to.text, out, err);
    lg_text_free(&to.text);
    return status;
}

lg_status
lg_report_threads(const lg_graph *graph, const lg_analysis *analysis,
                  const lg_scope *scope, lg_format format, lg_text *out,
                  lg_error *err)
{
    lg_threads threads;
    lg_status status = lg_graph_threads(graph, analysis, scope, &threads, err);
    if (status != LG_OK)
        return status;
    status = lg_format_threads(graph, &threads, format, out, err);
    lg_threads_free(&threads);
    return status;
}
