// Parts of a torch.nn.Module: their names in paths, and the selectors that find
// them.
#include "heaps.h"
#include "paths/paths_private.h"
#include "test.h"

#include <leakgraph/path.h>

typedef struct net {
    uint32_t model, layer, weight;
} net;

// app.net = Model with `._modules[key]._parameters['weight']`
static lg_graph *
net_with(const char *type, const char *key, net *out)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t modules = story_add(&made, "dict", NULL, 64);
    uint32_t parameters = story_add(&made, "dict", NULL, 64);
    out->model = story_add(&made, type, NULL, 48);
    out->layer = story_add(&made, "torch.nn.modules.module.Module", NULL, 48);
    out->weight = heap_tensor(&made, 64, LG_NONE);
    story_attribute(&made, app, "net", out->model);
    story_attribute(&made, out->model, "_modules", modules);
    story_attribute(&made, out->layer, "_parameters", parameters);
    heap_item(&made, modules, key, out->layer);
    heap_item(&made, parameters, "weight", out->weight);
    return story_end(&made);
}

static void
check_path(const lg_graph *graph, uint32_t node, const char *expected)
{
    lg_path path;
    lg_text label = {0};
    uint32_t found = LG_NONE;
    lg_nodes nodes = {0};
    char selector[120];
    REQUIRE(lg_path_from_root(graph, node, NULL, &path, NULL) == LG_OK);
    lg_path_label(graph, &path, &label);
    CHECK_TEXT(label, expected);
    snprintf(selector, sizeof selector, "name:%s", expected);
    if (lg_graph_select(graph, selector, NULL, &nodes, NULL) == LG_OK)
        found = nodes.items[0];
    CHECK(found == node);
    lg_nodes_free(&nodes);
    lg_text_free(&label);
    lg_path_free(&path);
}

static void
named(void)
{
    static const struct {
        const char *type, *key, *expected;
    } cases[] = {
        {"torch.nn.modules.module.Module", "fc_1", "app.net.fc_1.weight"},
        {"app.Net", "12", "app.net[12].weight"},
        {"torch.nn.modules.module.Module", "a-b",
         "app.net._modules['a-b'].weight"},
        {"torch.nn.modules.module.Module", "1st",
         "app.net._modules['1st'].weight"},
        {"app.Other", "fc_1", "app.net._modules['fc_1'].weight"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        net made;
        lg_graph *graph = net_with(cases[i].type, cases[i].key, &made);
        check_path(graph, made.weight, cases[i].expected);
        lg_graph_free(graph);
    }
}

// What a container of modules has are positions, in a folded path and in a
// selector.
static void
folded(void)
{
    net made;
    lg_graph *graph =
        net_with("torch.nn.modules.container.ModuleDict", "fc_1", &made);
    lg_path path;
    lg_text text = {0};
    lg_nodes nodes = {0};
    REQUIRE(lg_path_from_root(graph, made.weight, NULL, &path, NULL) == LG_OK);
    lg__format_folded_path(graph, &path, &text);
    CHECK_TEXT(text, "app.net[*].weight");
    REQUIRE(lg_graph_select(graph, "name:app.net[*].weight", NULL, &nodes,
                            NULL) == LG_OK);
    CHECK(nodes.count == 1 && nodes.items[0] == made.weight);
    lg_nodes_free(&nodes);
    lg_text_free(&text);
    lg_path_free(&path);
    lg_graph_free(graph);
}

// Selectors in the older form still work, and selectors for absent parts find
// nothing.
static void
selected(void)
{
    static const struct {
        const char *name;
        bool found;
    } cases[] = {
        {"name:app.net._modules['fc']._parameters['weight']", true},
        {"name:app.net.fc._parameters['weight']", true},
        {"name:app.net.fc.bias", false},
        {"name:app.net[0]", false},
        {"name:app.net.fc[weight]", false},
    };
    net made;
    lg_graph *graph = net_with("torch.nn.modules.module.Module", "fc", &made);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg_nodes nodes = {0};
        lg_status status =
            lg_graph_select(graph, cases[i].name, NULL, &nodes, NULL);
        CHECK(status == (cases[i].found ? LG_OK : LG_ENOTFOUND));
        CHECK(!cases[i].found || nodes.items[0] == made.weight);
        lg_nodes_free(&nodes);
    }
    lg_graph_free(graph);
}

SUITE(part)
{
    RUN(named);
    RUN(folded);
    RUN(selected);
    return test_result();
}
