#include "heaps.h"

#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/writing.h>
#include "drawn.h"

#include <stdio.h>
#include <string.h>

uint32_t
heap_tensor(story *to, uint64_t bytes, uint32_t grad_fn)
{
    char text[32];
    uint32_t tensor = story_add(to, "torch.Tensor", NULL, 64);
    int length = snprintf(text, sizeof text, "%llu", (unsigned long long)bytes);
    lg_builder_add_fact(to->builder, tensor, "bytes", text, (size_t)length);
    if (grad_fn != LG_NONE)
        story_attribute(to, tensor, ".grad_fn", grad_fn);
    return tensor;
}

void
heap_memory(story *to, uint32_t tensor)
{
    heap_memory_of(to, tensor, HEAP_BIG);
}

void
heap_memory_of(story *to, uint32_t tensor, uint64_t bytes)
{
    static uint64_t address = 0x10000000;
    lg_span span = {.holder = tensor,
                    .address = address,
                    .length = bytes,
                    .flags = LG_SPAN_OWNER};
    address += 2 * HEAP_BIG;
    lg_builder_add_span(to->builder, &span);
}

uint32_t
heap_grad_fn(story *to, const char *operation, uint32_t first, uint32_t second)
{
    unsigned flags = to->flags;
    to->flags = LG_NODE_SYNTHETIC | LG_NODE_CPP;
    uint32_t node = story_add(to, operation, NULL, 200);
    to->flags = flags;
    if (first != LG_NONE)
        story_attribute(to, node, ".next_functions[0][0]", first);
    if (second != LG_NONE)
        story_attribute(to, node, ".next_functions[1][0]", second);
    return node;
}

uint32_t
heap_leaf(story *to, uint32_t variable)
{
    uint32_t leaf = heap_grad_fn(to, "AccumulateGrad", LG_NONE, LG_NONE);
    story_attribute(to, leaf, ".variable", variable);
    return leaf;
}

uint32_t
heap_list(story *to, uint32_t element)
{
    uint32_t list = story_add(to, "list", NULL, 56);
    if (element != LG_NONE)
        heap_append(to, list, element);
    return list;
}

void
heap_append(story *to, uint32_t list, uint32_t element)
{
    story_edge(to, list, element, LG_EDGE_INDEX, element);
}

void
heap_item(story *to, uint32_t dict, const char *key, uint32_t value)
{
    unsigned flags = to->flags;
    to->flags = LG_NODE_NAME;
    uint32_t name = story_add(to, "str", key, 50);
    to->flags = flags;
    story_edge(to, dict, name, LG_EDGE_KEY, 0);
    story_edge(to, dict, value, LG_EDGE_VALUE, name);
}

uint32_t
heap_function(story *to, uint32_t variable)
{
    uint32_t function = story_add(to, "function", "app.f", 100);
    if (variable == LG_NONE)
        return function;
    uint32_t tuple = story_add(to, "tuple", NULL, 48);
    uint32_t cell = story_add(to, "cell", NULL, 40);
    story_attribute(to, function, "__closure__", tuple);
    story_edge(to, tuple, cell, LG_EDGE_INDEX, 0);
    story_edge(to, cell, variable, LG_EDGE_CELL, 0);
    return function;
}

uint32_t
heap_loss(story *to)
{
    return heap_tensor(to, 4,
                       heap_grad_fn(to, "MeanBackward0", LG_NONE, LG_NONE));
}

story
heap_begin(uint32_t *app)
{
    story made = story_begin();
    story_type(&made, "torch.nn.modules.module.Module", "object");
    story_type(&made, "app.Net", "torch.nn.modules.module.Module");
    story_type(&made, "torch.nn.modules.container.ModuleDict",
               "torch.nn.modules.module.Module");
    story_type(&made, "torch.optim.SGD", "torch.optim.optimizer.Optimizer");
    story_type(&made, "Loader",
               "torch.utils.data.dataloader._BaseDataLoaderIter");
    story_type(&made, "FuncAnimation", "matplotlib.animation.Animation");
    *app = story_module(&made, "app");
    return made;
}

void
heap_findings(story *made, lg_text *out)
{
    lg_graph *graph = story_end(made);
    lg_analysis *analysis = analysed(graph);
    lg_findings findings = {0};
    lg_text_add(out, "");
    if (lg_analysis_findings(analysis, NULL, NULL, &findings, NULL) != LG_OK)
        lg_text_add(out, "failed");
    for (size_t i = 0; i < findings.count; i++)
        lg_text_addf(out, "%s ", findings.items[i].pattern->name);
    lg_findings_free(&findings);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

bool
heap_finds(story *made, const char *expected)
{
    lg_text found = {0};
    heap_findings(made, &found);
    bool same = strcmp(found.data, expected) == 0;
    if (!same)
        fprintf(stderr, "found '%s', not '%s'\n", found.data, expected);
    lg_text_free(&found);
    return same;
}

bool
heap_finding_shows(story *made, const char *type)
{
    lg_graph *graph = story_end(made);
    lg_analysis *analysis = analysed(graph);
    lg_findings findings = {0};
    bool shows = false;
    if (lg_analysis_findings(analysis, NULL, NULL, &findings, NULL) == LG_OK &&
        findings.count > 0) {
        uint32_t example = findings.items[0].holders->example;
        uint32_t number = lg_columns_type(lg_graph_columns(graph), example);
        lg_string name = lg_graph_type(graph, number).name;
        shows = name.length == strlen(type) &&
                memcmp(name.data, type, name.length) == 0;
    }
    lg_findings_free(&findings);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return shows;
}

uint64_t
heap_finding_bytes(story *made)
{
    lg_graph *graph = story_end(made);
    lg_analysis *analysis = analysed(graph);
    lg_findings findings = {0};
    uint64_t bytes = 0;
    if (lg_analysis_findings(analysis, NULL, NULL, &findings, NULL) == LG_OK &&
        findings.count > 0)
        bytes = findings.items[0].total;
    lg_findings_free(&findings);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
    return bytes;
}
