// The check finds each broken invariant: arrays are spoilt one at a time.
#include "graph.h"
#include "sample.h"
#include "test.h"

static lg_graph *graph;

// Spoils the given bytes of an array, expects a refusal, and repairs them.
static void
refuses(enum lg__array_name name, uint64_t index, uint64_t value)
{
    lg__array *array = &graph->array[name];
    size_t element = lg__array_infos[name].element;
    lg_error err = {0};
    uint64_t old = 0;
    REQUIRE(index < array->count && array->owned != NULL);
    char *place = (char *)array->owned + index * element;
    memcpy(&old, place, element);
    memcpy(place, &value, element);
    if (lg_graph_check(graph, &err) != LG_EFORMAT) {
        test_failures++;
        fprintf(stderr, "%s [%llu] is not checked\n",
                lg__array_infos[name].title, (unsigned long long)index);
    }
    memcpy(place, &old, element);
    CHECK(lg_graph_check(graph, NULL) == LG_OK);
}

static void
spoilt(void)
{
    REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
    CHECK(lg_graph_check(graph, NULL) == LG_OK);
    refuses(LG__TYPE, 3, graph->type_count);
    refuses(LG__SIZE, 3, UINT32_MAX);
    refuses(LG__SIZE, SAMPLE_HUGE, 1);
    refuses(LG__BIG_NODE, 0, 2);
    refuses(LG__FIRST_EDGE, 0, 1);
    refuses(LG__FIRST_EDGE, 3, 1000000);
    refuses(LG__FIRST_EDGE, SAMPLE_COUNT, 1);
    refuses(LG__EDGE_TARGET, 5, SAMPLE_COUNT);
    refuses(LG__EDGE_KIND, 5, LG_EDGE_KIND_COUNT);
    refuses(LG__EDGE_PAYLOAD, 1, graph->string_count);
    refuses(LG__STRING_OFFSET, 0, 1);
    refuses(LG__STRING_OFFSET, 4, UINT64_MAX);
    refuses(LG__STRING_BYTES, 0, '\n');
    refuses(LG__STRING_BYTES, 0, 0xff);
    refuses(LG__TEXT_NODE, 1, 0);
    refuses(LG__TEXT_NODE, graph->text_count - 1, SAMPLE_COUNT);
    refuses(LG__TEXT_STRING, 0, graph->string_count);
    refuses(LG__TYPE_NAME, 0, graph->string_count);
    refuses(LG__TYPE_NODE, 1, SAMPLE_COUNT);
    refuses(LG__TYPE_FIRST_BASE, 1, 0);
    refuses(LG__TYPE_FIRST_BASE, graph->type_count, 1);
    refuses(LG__TYPE_BASE, 0, 1);
    refuses(LG__TYPE_BASE, 0, graph->type_count);
    refuses(LG__ROOT_NODE, 0, SAMPLE_COUNT);
    refuses(LG__ROOT_KIND, 0, LG_ROOT_GIVEN + 1);
    refuses(LG__ROOT_NAME, 0, graph->string_count);
    refuses(LG__INFO_KEY, 0, graph->string_count);
    refuses(LG__INFO_VALUE, 0, graph->string_count);
    lg_graph_free(graph);
}

// Columns of different lengths are refused before anything is read.
static void
lengths(void)
{
    for (int name = 0; name < LG__ARRAY_COUNT; name++) {
        REQUIRE(sample_new(NULL, &graph, NULL) == LG_OK);
        graph->array[name].count++;
        lg_status status = lg__graph_bind(graph, NULL);
        if (name == LG__STRING_BYTES || name == LG__TYPE_BASE ||
            name == LG__STRING_OFFSET)
            CHECK(status == LG_OK);
        else
            CHECK(status == LG_EFORMAT);
        graph->array[name].count--;
        lg_graph_free(graph);
    }
}

int
main(void)
{
    RUN(spoilt);
    RUN(lengths);
    return test_result();
}
