// Each thread with its frames and their locals, then what is suspended: the
// first question after running out of memory.
#include "bytes/bytes_private.h"
#include "report/words.h"

#include <leakgraph/report.h>

#include <stdlib.h>

enum { SUSPENDED_SHOWN = 50, TITLE_WIDEST = 44, NAME_WIDEST = 24 };

typedef struct report {
    const lg_graph *graph;
    const lg_analysis *analysis; // or NULL
    lg_text text;
    lg__gathered suspended; // that retain the most first
} report;

static uint64_t
next_edge(const lg_graph *graph, uint32_t node, uint64_t edge, unsigned kind)
{
    uint64_t end = graph->columns.first_edge[node + 1];
    while (edge < end && lg__edge_kind(graph, edge) != kind)
        edge++;
    return edge < end ? edge : UINT64_MAX;
}

// A variable that an inner function names lives in a cell: what is in it, or an
// empty cell itself.
static uint32_t
value_of(const lg_graph *graph, uint32_t target)
{
    if (lg__node_role(graph, target) != LG__ROLE_CELL)
        return target;
    uint64_t edge = next_edge(graph, target, graph->columns.first_edge[target],
                              LG_EDGE_CELL);
    return edge != UINT64_MAX ? graph->columns.edge_target[edge] : target;
}

// How wide the columns of names and titles must be, within reason.
static void
measure_locals(report *to, uint32_t node, size_t *name_width,
               size_t *title_width)
{
    const lg_columns *columns = &to->graph->columns;
    lg_text title = {0};
    *name_width = *title_width = 0;
    for (uint64_t edge = columns->first_edge[node];
         edge < columns->first_edge[node + 1]; edge++) {
        if (lg__edge_kind(to->graph, edge) != LG_EDGE_LOCAL)
            continue;
        title.length = 0;
        lg__text_add_string(
            &title, lg_graph_string(to->graph, columns->edge_payload[edge]));
        size_t width = lg__text_width(&title, 0);
        if (width > *name_width && width <= NAME_WIDEST)
            *name_width = width;
        title.length = 0;
        lg_node_title(to->graph,
                      value_of(to->graph, columns->edge_target[edge]), false,
                      &title);
        width = lg__text_width(&title, 0);
        if (width > *title_width && width <= TITLE_WIDEST)
            *title_width = width;
    }
    to->text.failed |= title.failed;
    lg_text_free(&title);
}

// Whether the frame is the only holder: what the local retains goes with it.
static bool
is_only_holder(const report *to, uint32_t frame, uint32_t target)
{
    uint32_t value = value_of(to->graph, target);
    return lg_node_dominator(to->analysis, target) == frame &&
           (value == target ||
            lg_node_dominator(to->analysis, value) == target);
}

// Of what retains nothing but itself there is no more to say.
static void
add_retained(report *to, uint32_t frame, uint32_t target)
{
    lg_text *out = &to->text;
    uint32_t value = value_of(to->graph, target);
    lg_bytes retained = {0};
    if (to->analysis != NULL)
        retained = lg_node_retained(to->analysis, value);
    if (retained.host + retained.device <=
        lg_node_bytes_on(to->graph, value, LG_NONE))
        return;
    lg_text_add(out, "  retains ");
    lg__format_retained(to->analysis, lg_node_retained_on, value, out);
    if (!is_only_holder(to, frame, target))
        lg_text_add(out, ", held elsewhere too");
}

static void
add_local(report *to, uint32_t frame, uint64_t edge, size_t name_width,
          size_t title_width)
{
    const lg_columns *columns = &to->graph->columns;
    uint32_t target = columns->edge_target[edge];
    uint32_t value = value_of(to->graph, target);
    lg_text *out = &to->text;
    lg_text_add(out, "        ");
    size_t start = out->length;
    lg__text_add_string(
        out, lg_graph_string(to->graph, columns->edge_payload[edge]));
    lg__text_pad(out, start, name_width + 2);
    start = out->length;
    lg_node_title(to->graph, value, false, out);
    lg__text_pad(out, start, title_width + 2);
    lg_node_bytes_format(to->graph, value, out);
    add_retained(to, frame, target);
    lg_text_add(out, "\n");
}

static void
add_locals(report *to, uint32_t node)
{
    const lg_columns *columns = &to->graph->columns;
    size_t name_width;
    size_t title_width;
    measure_locals(to, node, &name_width, &title_width);
    for (uint64_t edge = columns->first_edge[node];
         edge < columns->first_edge[node + 1]; edge++)
        if (lg__edge_kind(to->graph, edge) == LG_EDGE_LOCAL)
            add_local(to, node, edge, name_width, title_width);
}

// A frame is called by its text, "train() train.py:12"; a generator on the
// stack, or anything without a text, by its title.
static void
add_frame_name(report *to, uint32_t node, lg_text *out)
{
    lg_string type =
        lg_graph_type(to->graph, to->graph->columns.type[node]).name;
    lg_string text = lg_node_text(to->graph, node);
    if (text.length > 0 && lg__string_is(type, "frame"))
        lg__text_add_string(out, text);
    else
        lg_node_title(to->graph, node, false, out);
}

static void
add_line_end(report *to, uint32_t node)
{
    if (to->analysis != NULL) {
        lg_text_add(&to->text, "  retains ");
        lg__format_retained(to->analysis, lg_node_retained_on, node, &to->text);
    }
    lg_text_add(&to->text, "\n");
}

static void
add_thread(report *to, const lg_root *root)
{
    const lg_columns *columns = &to->graph->columns;
    lg_text_add(&to->text, to->text.length > 0 ? "\nThread " : "Thread ");
    lg__text_add_string(&to->text, root->name.length > 0
                                       ? root->name
                                       : lg_node_text(to->graph, root->node));
    add_line_end(to, root->node);
    for (uint64_t edge = columns->first_edge[root->node];
         edge < columns->first_edge[root->node + 1]; edge++) {
        if (lg__edge_kind(to->graph, edge) != LG_EDGE_FRAME)
            continue;
        lg_text_addf(&to->text, "  #%u ", columns->edge_payload[edge]);
        add_frame_name(to, columns->edge_target[edge], &to->text);
        add_line_end(to, columns->edge_target[edge]);
        add_locals(to, columns->edge_target[edge]);
    }
}

static report
tell_suspended(const report *to, uint32_t node)
{
    report one = {.graph = to->graph, .analysis = to->analysis};
    lg_text_add(&one.text, "  ");
    lg_node_title(one.graph, node, false, &one.text);
    add_line_end(&one, node);
    add_locals(&one, node);
    return one;
}

// Those that would read the same, one after the other, are shown once.
static void
add_suspended(report *to)
{
    lg_text last = {0};
    size_t shown = 0;
    size_t repeats = 0;
    size_t at = 0;
    if (to->suspended.count > 0)
        lg_text_add(&to->text,
                    to->text.length > 0 ? "\nSuspended\n" : "Suspended\n");
    for (; at < to->suspended.count; at++) {
        report one = tell_suspended(to, to->suspended.items[at]);
        to->text.failed |= one.text.failed;
        bool same = lg__text_same(&one.text, &last);
        if (!same && shown++ == SUSPENDED_SHOWN) {
            lg_text_free(&one.text);
            break;
        }
        if (!same) {
            lg__format_repeats(repeats, &to->text);
            lg_text_add(&to->text, one.text.data ? one.text.data : "");
        }
        repeats = same ? repeats + 1 : 0;
        lg_text_free(&last);
        last = one.text;
    }
    lg__format_repeats(repeats, &to->text);
    lg_text_free(&last);
    if (at < to->suspended.count) {
        lg_text_add(&to->text, "  ... and ");
        lg_text_add_count(&to->text, to->suspended.count - at);
        lg_text_add(&to->text, " more\n");
    }
}

static void
threads_text(report *to)
{
    for (uint32_t i = 0; i < to->graph->root_count; i++) {
        lg_root root = lg_graph_root(to->graph, i);
        if (root.kind == LG_ROOT_THREAD)
            add_thread(to, &root);
    }
    add_suspended(to);
    if (to->text.length == 0)
        lg_text_add(&to->text, "no thread was captured\n");
    else if (to->analysis == NULL)
        lg_text_addf(
            &to->text,
            "\nsizes are the objects' own: what they retain needs %s\n",
            to->graph->partial ? "a whole snapshot" : "an analysis");
}

/* ---------------------------------------------------------------- JSON --- */

static void
write_retained(const report *to, uint32_t node, lg_json *json)
{
    if (to->analysis != NULL)
        lg__write_retained(json, "retained", to->analysis, lg_node_retained_on,
                           node);
}

static void
write_local(const report *to, uint32_t frame, uint64_t edge, lg_json *json)
{
    const lg_columns *columns = &to->graph->columns;
    uint32_t target = columns->edge_target[edge];
    uint32_t value = value_of(to->graph, target);
    lg_text title = {0};
    lg_json_object(json, NULL);
    lg__write_string(json, "name",
                     lg_graph_string(to->graph, columns->edge_payload[edge]));
    lg_json_count(json, "node", value);
    lg_node_title(to->graph, value, false, &title);
    lg__write_formatted(json, "title", &title);
    lg_json_count(json, "size", lg_node_bytes_on(to->graph, value, LG_NONE));
    write_retained(to, value, json);
    if (to->analysis != NULL)
        lg_json_bool(json, "held_elsewhere",
                     !is_only_holder(to, frame, target));
    lg_json_end(json);
}

static void
write_frame(report *to, uint32_t node, lg_json *json)
{
    const lg_columns *columns = &to->graph->columns;
    lg_text name = {0};
    add_frame_name(to, node, &name);
    lg_json_object(json, NULL);
    lg_json_count(json, "node", node);
    lg__write_formatted(json, "name", &name);
    write_retained(to, node, json);
    lg_json_array(json, "locals");
    for (uint64_t edge = columns->first_edge[node];
         edge < columns->first_edge[node + 1]; edge++)
        if (lg__edge_kind(to->graph, edge) == LG_EDGE_LOCAL)
            write_local(to, node, edge, json);
    lg_json_end(json);
    lg_json_end(json);
}

static void
write_thread(report *to, const lg_root *root, lg_json *json)
{
    const lg_columns *columns = &to->graph->columns;
    lg_json_object(json, NULL);
    lg__write_string(json, "name",
                     root->name.length > 0
                         ? root->name
                         : lg_node_text(to->graph, root->node));
    lg_json_count(json, "node", root->node);
    write_retained(to, root->node, json);
    lg_json_lines(json, "frames");
    for (uint64_t edge = columns->first_edge[root->node];
         edge < columns->first_edge[root->node + 1]; edge++)
        if (lg__edge_kind(to->graph, edge) == LG_EDGE_FRAME)
            write_frame(to, columns->edge_target[edge], json);
    lg_json_end(json);
    lg_json_end(json);
}

static lg_status
threads_json(report *to, lg_error *err)
{
    lg_json json = {.out = &to->text};
    lg_json_object(&json, NULL);
    lg_json_lines(&json, "threads");
    for (uint32_t i = 0; i < to->graph->root_count; i++) {
        lg_root root = lg_graph_root(to->graph, i);
        if (root.kind == LG_ROOT_THREAD)
            write_thread(to, &root, &json);
    }
    lg_json_end(&json);
    lg_json_lines(&json, "suspended");
    for (size_t i = 0; i < to->suspended.count; i++)
        write_frame(to, to->suspended.items[i], &json);
    lg_json_end(&json);
    lg_json_end(&json);
    return lg_json_finish(&json, err);
}

lg_status
lg_report_threads(const lg_graph *graph, const lg_analysis *analysis,
                  lg_format format, lg_text *out, lg_error *err)
{
    report to = {.graph = graph, .analysis = analysis};
    lg_status status = lg__suspended_list(graph, analysis, &to.suspended, err);
    if (status == LG_OK && format == LG_FORMAT_JSON)
        status = threads_json(&to, err);
    else if (status == LG_OK)
        threads_text(&to);
    free(to.suspended.items);
    if (status == LG_OK)
        return lg__report_finish(&to.text, out, err);
    lg_text_free(&to.text);
    return status;
}
