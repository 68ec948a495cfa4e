// Calls every accessor on any graph.
#include "exercise.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include <leakgraph/file.h>
#include <leakgraph/internal/writing.h>
#include <leakgraph/question.h>
#include <leakgraph/internal/report.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/questions.h>
#include <leakgraph/internal/draft.h>
#include <leakgraph/internal/facts.h>

/* Sections from BEYOND_GRAPH on are not part of the graph. */
enum { HEADER = 64, ENTRY = 64, BEYOND_GRAPH = 64, ANALYSIS = 69, SHOWN = 200 };

static uint64_t
number(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint32_t
section_id(const uint8_t *entry)
{
    uint32_t id;
    memcpy(&id, entry, sizeof id);
    return id;
}

static void
put(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

// The directory entry of a section whose bytes lie raw in the file, or NULL.
static uint8_t *
raw_section(uint8_t *data, size_t size, uint8_t *entry)
{
    uint64_t offset = number(entry + 16);
    uint64_t length = number(entry + 24);
    bool raw = entry[8] == 0 && offset <= size && length <= size - offset;
    return raw ? data + offset : NULL;
}

static void
mend_section(uint8_t *data, size_t size, uint8_t *entry)
{
    uint8_t *bytes = raw_section(data, size, entry);
    if (bytes != NULL)
        put(entry + 40, XXH3_64bits(bytes, number(entry + 24)));
}

// The graph's checksum covers the checksums of its sections, by their ids.
static uint64_t
graph_checksum(uint8_t *directory, uint32_t count)
{
    uint64_t sums[1024];
    uint32_t kept = 0;
    for (uint32_t id = 0; id < BEYOND_GRAPH; id++)
        for (uint32_t i = 0; i < count && kept < 1024; i++)
            if (section_id(directory + i * (size_t)ENTRY) == id)
                sums[kept++] = number(directory + i * (size_t)ENTRY + 40);
    return XXH3_64bits(sums, kept * sizeof *sums);
}

// Makes the analysis belong to this graph, whatever else is wrong with it.
static void
bind_analysis(uint8_t *data, size_t size, uint8_t *entry, uint64_t sum)
{
    uint8_t *bytes = raw_section(data, size, entry);
    if (section_id(entry) != ANALYSIS || bytes == NULL ||
        number(entry + 24) < sizeof sum)
        return;
    put(bytes, sum);
    mend_section(data, size, entry);
}

// Corrects the checksums of raw sections, of the graph, of the directory and of
// the header, as far as they lie within the file.
static void
mend(uint8_t *data, size_t size)
{
    if (size < HEADER)
        return;
    uint32_t count;
    memcpy(&count, data + 12, sizeof count);
    uint64_t at = number(data + 16);
    if (count <= 1024 && at <= size && count * (size_t)ENTRY <= size - at) {
        uint8_t *directory = data + at;
        for (uint32_t i = 0; i < count; i++)
            mend_section(data, size, directory + i * (size_t)ENTRY);
        uint64_t sum = graph_checksum(directory, count);
        for (uint32_t i = 0; i < count; i++)
            bind_analysis(data, size, directory + i * (size_t)ENTRY, sum);
        put(data + 32, XXH3_64bits(directory, count * (size_t)ENTRY));
        put(data + 40, sum);
    }
    put(data + 24, size);
    put(data + 56, XXH3_64bits(data, 56));
}

static void
exercise_node(const lg_graph *graph, uint32_t node)
{
    lg_text text = {0};
    lg_hops hops;
    lg_path path;
    uint64_t edges[8];
    lg_node_size(graph, node);
    lg_node_unexplained(graph, node);
    lg_node_device(graph, node);
    lg_node_fact_number(graph, node, "bytes", 0);
    lg_fact fact;
    for (uint32_t i = 0; lg_node_fact_at(graph, node, i, &fact); i++)
        lg_text_add_bytes(&text, fact.text.data, fact.text.length);
    lg_node_referrers(graph, node, edges, 8);
    lg_graph_find(graph, lg_columns_address(lg_graph_columns(graph), node));
    lg_node_title(graph, node, true, &text);
    for (int inward = 0; inward < 2; inward++) {
        if ((inward ? lg_node_hops_in : lg_node_hops_out)(graph, node, &hops,
                                                          NULL) != LG_OK)
            continue;
        for (size_t i = 0; i < hops.count && i < SHOWN; i++)
            lg_hop_label(graph, &hops.items[i], &text);
        lg_hops_free(&hops);
    }
    if (lg_path_from_root(graph, node, NULL, &path, NULL) == LG_OK)
        lg_path_free(&path);
    lg_text_free(&text);
}

// Asks what needs no analysis.
static void
exercise_questions(const lg_graph *graph)
{
    const lg_ask ask = {.graph = graph};
    const lg_question *question;
    for (size_t i = 0; (question = lg_question_at(i)) != NULL; i++) {
        lg_text text = {0};
        lg_table *table;
        if ((question->needs & LG_NEEDS_ANALYSIS) ||
            lg_question_ask(question, &ask, &table, NULL) != LG_OK)
            continue;
        lg_table_text(table, 0, &text, NULL);
        lg_table_json(table, &text, NULL);
        lg_table_free(table);
        lg_text_free(&text);
    }
}

static void
exercise_tables(const lg_graph *graph)
{
    lg_text text = {0};
    lg_nodes nodes;
    lg_graph *stripped;
    for (uint32_t i = 0; i < lg_graph_type_count(graph) && i < SHOWN; i++)
        lg_graph_type(graph, i);
    for (uint32_t i = 0; i < lg_graph_root_count(graph) && i < SHOWN; i++)
        lg_graph_root(graph, i);
    for (int format = 0; format < 2; format++) {
        lg_report_info(graph, (lg_format)format, &text, NULL);
        lg_report_memory(graph, NULL, (lg_format)format, &text, NULL);
    }
    lg_tensor_rows rows;
    lg_accounts accounts;
    if (lg_graph_storages(graph, LG_NONE, 9, &rows, NULL) == LG_OK)
        lg_tensor_rows_free(&rows);
    if (lg_graph_accounts(graph, NULL, &accounts, NULL) == LG_OK)
        lg_accounts_free(&accounts);
    lg_text_free(&text);
    if (lg_graph_select(graph, "type:t*+", NULL, &nodes, NULL) == LG_OK)
        lg_nodes_free(&nodes);
    if (lg_graph_select(graph, "name:train.losses[0]", NULL, &nodes, NULL) ==
        LG_OK)
        lg_nodes_free(&nodes);
    if (lg_graph_strip(graph, &stripped, NULL) == LG_OK) {
        if (lg_graph_check(stripped, NULL) != LG_OK)
            abort();
        lg_graph_free(stripped);
    }
}

void
exercise_graph(const lg_graph *graph)
{
    const lg_columns *columns = lg_graph_columns(graph);
    lg_text text = {0};
    for (uint32_t n = 0; n < columns->node_count && n < SHOWN; n++)
        exercise_node(graph, n);
    for (uint64_t e = 0; e < columns->edge_count && e < SHOWN; e++)
        lg_edge_label(graph, e, &text);
    lg_text_free(&text);
    exercise_questions(graph);
    exercise_tables(graph);
}

bool
exercise_load(const uint8_t *data, size_t size,
              void (*ask)(const lg_graph *graph))
{
    lg_graph *graph = NULL;
    lg_error err;
    uint8_t *copy = aligned_alloc(64, (size / 64 + 1) * 64);
    if (copy == NULL)
        return false;
    if (size > 0)
        memcpy(copy, data, size);
    mend(copy, size);
    bool loaded = lg_graph_load_memory(copy, size, &graph, &err) == LG_OK;
    if (loaded)
        ask(graph);
    lg_graph_free(graph);
    free(copy);
    return loaded;
}
