/* Draws why an object of a snapshot is alive.
 *
 *     cc picture.c $(pkg-config --cflags --libs leakgraph) -o picture
 *     ./picture run.lgs type:torch.Tensor why.svg
 *
 * If the selector names several objects, this draws the one that retains the
 * most. The suffix of the last argument chooses the format.
 */
#include <inttypes.h>
#include <stdio.h>

#include <leakgraph/leakgraph.h>
#include <leakgraph/pictures.h>

/* The picture owns all it shows, and outlives the answer. */
static lg_status
explain(const lg_analysis *analysis, lg_node node, lg_view **out, lg_error *err)
{
    lg_why *why = NULL;
    lg_status status = lg_why_new(analysis, node, NULL, &why, err);
    if (status != LG_OK)
        return status;
    lg_bytes retained = lg_node_retained(analysis, lg_why_node(why));
    printf("retains %" PRIu64 " bytes on the host, %" PRIu64 " on devices\n",
           retained.host, retained.devices);

    lg_view_options options = LG_VIEW_OPTIONS_INIT;
    options.max_nodes = 40;
    status = lg_view_why(why, &options, NULL, out, err);
    lg_why_free(why);
    return status;
}

/* Starts Graphviz in a process of its own. */
static lg_status
draw(const lg_view *view, const char *path, lg_error *err)
{
    lg_dot_options look = LG_DOT_OPTIONS_INIT;
    look.title = "Why is it alive?";
    look.legend = true;
    return lg_view_save(view, &look, NULL, path, NULL, err);
}

int
main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: picture SNAPSHOT SELECTOR PICTURE\n");
        return 2;
    }

    lg_error err;
    lg_graph *graph = NULL;
    lg_analysis *analysis = NULL;
    lg_nodes nodes = {0};
    lg_view *view = NULL;
    lg_status status = lg_graph_load(argv[1], 0, NULL, &graph, &err);
    if (status == LG_OK)
        status = lg_graph_select(graph, argv[2], NULL, &nodes, &err);
    if (status == LG_OK)
        status = lg_analysis_new(graph, NULL, &analysis, &err);
    if (status == LG_OK)
        status = explain(analysis,
                         lg_nodes_biggest(analysis, nodes.items, nodes.count),
                         &view, &err);
    if (status == LG_OK)
        status = draw(view, argv[3], &err);
    if (status != LG_OK)
        fprintf(stderr, "picture: %s\n", err.message);

    lg_view_free(view);
    lg_nodes_free(&nodes);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return status == LG_OK ? 0 : 3;
}
