// lg_view_new: fills in the options, then picks by walk or by path.

#include "pick/pick_private.h"
#include "view/view_private.h"

#include <leakgraph/options.h>

#include <stdlib.h>

#define MOST_PATHS 8u

static lg_status
check_room(uint32_t max_nodes, lg_error *err)
{
    if (max_nodes < 3 || max_nodes > LG_VIEW_MOST_NODES)
        return lg_error_set(err, LG_EINVAL,
                            "a picture takes a limit of 3 to %u nodes, not %u",
                            LG_VIEW_MOST_NODES, max_nodes);
    return LG_OK;
}

static lg_status
check_node(const lg_graph *graph, uint32_t node, lg_error *err)
{
    uint32_t known = lg_graph_columns(graph)->node_count;
    if (node < known)
        return LG_OK;
    return lg_error_set(err, LG_EINVAL,
                        "node %u is not in the graph, which has %u", node,
                        known);
}

lg_status
lg__view_tree_options(lg_view_options *out, const lg_view_options *given,
                      uint32_t usual, lg_error *err)
{
    lg_view_options whole = LG_VIEW_OPTIONS_INIT;
    lg_status status = lg_options_read(&whole, given, "lg_view_options", err);
    if (!status)
        *out = (lg_view_options){.size = sizeof *out,
                                 .direction = LG_REFS,
                                 .max_nodes =
                                     whole.max_nodes ? whole.max_nodes : usual};
    return status;
}

lg_status
lg__view_check(const lg_graph *graph, uint32_t node, uint32_t max_nodes,
               lg_error *err)
{
    lg_status status = check_room(max_nodes, err);
    return status ? status : check_node(graph, node, err);
}

static lg_status
complete_options(const lg_view_options *given, lg_view_options *out,
                 lg_error *err)
{
    lg_view_options options = LG_VIEW_OPTIONS_INIT;
    lg_status status = lg_options_read(&options, given, "lg_view_options", err);
    if (status)
        return status;
    if (!options.max_depth)
        options.max_depth = 3;
    if (!options.max_nodes)
        options.max_nodes = 120;
    if (!options.max_siblings)
        options.max_siblings = 3;
    status = check_room(options.max_nodes, err);
    if (status)
        return status;
    if (options.max_siblings > options.max_nodes)
        options.max_siblings = options.max_nodes;
    if (options.direction > LG_PATH)
        return lg_error_set(err, LG_EINVAL,
                            "direction %d is not one of LG_REFS, LG_BACKREFS "
                            "and LG_PATH",
                            (int)options.direction);
    *out = options;
    return LG_OK;
}

static lg_status
check_nodes(const lg_graph *graph, const uint32_t *nodes, size_t count,
            const lg_view_options *options, lg_error *err)
{
    bool paths = options->direction == LG_PATH;
    if (!count)
        return lg_error_set(err, LG_EINVAL,
                            "there is nothing to draw: give at least one node");
    if (paths && (count > MOST_PATHS || 3 * count > options->max_nodes))
        return lg_error_set(err, LG_EINVAL,
                            "%zu paths are too many for one picture: give at "
                            "most %u nodes, and max_nodes of 3 for each",
                            count, MOST_PATHS);
    lg_status status = LG_OK;
    for (size_t i = 0; !status && i < count; i++)
        status = check_node(graph, nodes[i], err);
    return status;
}

static lg_status
draw_subjects(lg__view_picker *picker, const uint32_t *nodes, size_t count,
              lg_error *err)
{
    for (size_t i = 0; i < count && lg__picker_room(picker); i++) {
        size_t at;
        lg_status status = lg__picker_draw(picker, nodes[i], 0, &at, err);
        if (status)
            return status;
        picker->view->nodes[at].subject = true;
    }
    return LG_OK;
}

lg_status
lg_view_new(const lg_graph *graph, const lg_node *nodes, size_t count,
            const lg_view_options *options, const lg_monitor *monitor,
            lg_view **out, lg_error *err)
{
    lg__view_picker picker = {0};
    lg_view_options whole;
    lg_status status = complete_options(options, &whole, err);
    if (!status)
        status = check_nodes(graph, nodes, count, &whole, err);
    if (status)
        return status;
    status = lg__picker_open(&picker, graph, &whole, err);
    if (status)
        goto done;
    if (whole.direction == LG_PATH) {
        status = lg__picker_trail(&picker, nodes, count, monitor, err);
    } else {
        status = draw_subjects(&picker, nodes, count, err);
        if (!status && whole.direction == LG_BACKREFS)
            status = lg__picker_mark_inside(&picker, err);
        if (!status)
            status = lg__picker_walk(&picker, monitor, err);
        if (!status && whole.direction == LG_BACKREFS)
            status = lg__picker_root_path(&picker, nodes[0], monitor, err);
    }
    lg__picker_name_keys(&picker);
    if (!status) {
        lg__view_weigh(picker.view, whole.analysis);
        status = lg__view_settle(picker.view, err);
    }
done:
    lg__picker_close(&picker);
    if (status)
        lg_view_free(picker.view);
    else
        *out = picker.view;
    return status;
}
