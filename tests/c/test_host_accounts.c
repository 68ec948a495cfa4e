// The account of the host: its lines add up to what the kernel counts.
#include <leakgraph/builder.h>
#include <leakgraph/internal/bytes.h>
#include <leakgraph/internal/capture_builder.h>

#include "stored.h"
#include "test.h"

// What bytes.h promises about the account of the host.
static void
check_host(const lg_accounts *accounts)
{
    int64_t sum[LG_HOST_NUMBER + 1] = {0};
    for (int i = 0; i < LG_HOST_COUNT; i++)
        if (accounts->host[i] > 0)
            sum[lg_host_words((lg_host)i).role] += accounts->host[i];
    if (accounts->host[LG_HOST_RSS] >= 0)
        CHECK(sum[LG_HOST_WHOLE] == sum[LG_HOST_PART] - sum[LG_HOST_DEDUCTED]);
}

// Facts of a process, and lines that follow from them.
static void
host_of(const char *const (*facts)[2], lg_accounts *out)
{
    lg_builder *builder;
    lg_graph *graph;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    lg_builder_add_node(builder, 1);
    builder->size[0] = 1000;
    for (; (*facts)[0] != NULL; facts++)
        lg_builder_set_info(builder, (*facts)[0], (*facts)[1]);
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    REQUIRE(lg_graph_accounts(graph, NULL, out, NULL) == LG_OK);
    check_host(out);
    lg_graph_free(graph);
}

#define NUMBERS                                                                \
    {"memory.swap", "500"}, {"memory.files", "2000"},                          \
        {"memory.changed", "300"}, {"memory.shmem", "400"},                    \
        {"memory.jit", "50"}, {"memory.stacks", "60"},                         \
        {"memory.leakgraph", "70"}, {"memory.leakgraph_malloc", "20"},         \
        {"memory.malloc", "1500"}, {"memory.malloc_free", "700"},              \
        {"memory.python", "900"}, {"memory.python_used", "600"},               \
    {                                                                          \
        NULL, NULL                                                             \
    }

static void
host_lines(void)
{
    static const char *const facts[][2] = {{"memory.rss", "10000"}, NUMBERS};
    lg_accounts accounts;
    host_of(facts, &accounts);
    const int64_t *host = accounts.host;
    CHECK(host[LG_HOST_ALLOCATIONS] == 1500 + 600 - 1000 - 8 - 20);
    CHECK(host[LG_HOST_ROUNDING] == 8 && host[LG_HOST_NATIVE] == 0);
    CHECK(host[LG_HOST_MALLOC_FREE] == 700);
    CHECK(host[LG_HOST_ARENAS_FREE] == 300);
    CHECK(host[LG_HOST_FILES] == 2000 && host[LG_HOST_STACKS] == 60);
    CHECK(host[LG_HOST_ABSENT] == 0);
    CHECK(host[LG_HOST_ELSE] == 10500 - 2810 - 1000 - 70 - 1080 - 700 - 300);
    lg_accounts_free(&accounts);
}

// Free memory takes no part of what is not resident, and resident memory bounds
// the rest.
static void
host_of_less(void)
{
    static const char *const some[][2] = {{"memory.rss", "4900"}, NUMBERS};
    static const char *const less[][2] = {{"memory.rss", "3000"}, NUMBERS};
    static const char *const least[][2] = {{"memory.rss", "1000"}, NUMBERS};
    lg_accounts accounts;
    host_of(some, &accounts);
    CHECK(accounts.host[LG_HOST_ALLOCATIONS] == 1072);
    CHECK(accounts.host[LG_HOST_MALLOC_FREE] == 5400 - 2810 - 1070 - 1080);
    CHECK(accounts.host[LG_HOST_ARENAS_FREE] == 0);
    CHECK(accounts.host[LG_HOST_ELSE] == 0);
    lg_accounts_free(&accounts);
    host_of(less, &accounts);
    CHECK(accounts.host[LG_HOST_ABSENT] == 2810 + 1078 - 3500);
    CHECK(accounts.host[LG_HOST_ALLOCATIONS] == 0);
    lg_accounts_free(&accounts);
    host_of(least, &accounts);
    CHECK(accounts.host[LG_HOST_FILES] == 1500);
    CHECK(accounts.host[LG_HOST_STACKS] == 0);
    CHECK(accounts.host[LG_HOST_ABSENT] == 1078);
    lg_accounts_free(&accounts);
}

// pyarrow's pool lies beside malloc if it has an allocator of its own.
static void
host_with_pool(void)
{
    static const char *const facts[][4][2] = {
        {{"memory.pyarrow_allocator", "mimalloc"}, {"memory.mimalloc", "900"}},
        {{"memory.pyarrow_allocator", "mimalloc"}, {"memory.mimalloc", "300"}},
        {{"memory.pyarrow_allocator", "jemalloc"}, {"memory.mimalloc", "900"}},
        {{"memory.pyarrow_allocator", "jemalloc"}, {"memory.jemalloc", "700"}},
        {{"memory.pyarrow_allocator", "mimalloc"}, {"memory.jemalloc", "700"}},
        {{"memory.pyarrow_allocator", "system"}, {"memory.mimalloc", "900"}},
        {{"memory.pyarrow_allocator", "mimalloc"}},
        {{"memory.mimalloc", "900"}},
    };
    static const int64_t expected[][2] = {
        {500, 900 + 400}, {0, 900 + 400}, {-1, 900 + 400}, {300, 900 + 400},
        {-1, 900 + 400},  {-1, 900},      {-1, 900 + 400}, {-1, 900}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        const char *const all[][2] = {
            {"memory.rss", "9000"},           {"memory.malloc", "1908"},
            {"memory.pyarrow", "400"},        {facts[i][0][0], facts[i][0][1]},
            {facts[i][1][0], facts[i][1][1]}, {NULL, NULL}};
        lg_accounts accounts;
        host_of(all, &accounts);
        int64_t free = accounts.host[LG_HOST_POOL_FREE];
        CHECK(free == expected[i][0]);
        CHECK(accounts.host[LG_HOST_ALLOCATIONS] == expected[i][1]);
        CHECK(accounts.host[LG_HOST_ELSE] ==
              9000 - 1008 - expected[i][1] - (free > 0 ? free : 0));
        lg_accounts_free(&accounts);
    }
}

// Unknown lines stay unknown, as in snapshots of earlier versions.
static void
host_of_little(void)
{
    static const char *const old[][2] = {
        {"memory.rss", "5000"}, {"memory.malloc", "900"}, {NULL, NULL}};
    static const char *const none[][2] = {{"memory.jit", "5"}, {NULL, NULL}};
    lg_accounts accounts;
    host_of(old, &accounts);
    CHECK(accounts.host[LG_HOST_SWAP] == -1 &&
          accounts.host[LG_HOST_JIT] == -1);
    CHECK(accounts.host[LG_HOST_ARENAS_FREE] == -1);
    CHECK(accounts.host[LG_HOST_ELSE] == 3992);
    lg_accounts_free(&accounts);
    host_of(none, &accounts);
    CHECK(accounts.host[LG_HOST_RSS] == -1 &&
          accounts.host[LG_HOST_ELSE] == -1);
    CHECK(accounts.host[LG_HOST_ABSENT] == -1);
    CHECK(accounts.host[LG_HOST_ALLOCATIONS] == -1);
    lg_accounts_free(&accounts);
}

static void
host_words(void)
{
    for (int i = 0; i < LG_HOST_COUNT; i++)
        for (int j = 0; j < i; j++)
            CHECK(strcmp(lg_host_words((lg_host)i).key,
                         lg_host_words((lg_host)j).key) != 0);
    CHECK(strcmp(lg_host_words(LG_HOST_ABSENT).key, "absent") == 0);
    CHECK(strcmp(lg_host_words(LG_HOST_SEGMENTS).key, "segments") == 0);
    CHECK(*lg_host_words(LG_HOST_COUNT).key == '\0');
}

// The sample has no account of the kernel, only its resident memory.
static void
host_of_sample(void)
{
    lg_graph *graph;
    lg_accounts accounts;
    REQUIRE(stored_new(NULL, &graph, NULL) == LG_OK);
    REQUIRE(lg_graph_accounts(graph, NULL, &accounts, NULL) == LG_OK);
    CHECK(accounts.host[LG_HOST_RSS] == 123456789);
    check_host(&accounts);
    lg_accounts_free(&accounts);
    lg_graph_free(graph);
}

SUITE(host_accounts)
{
    RUN(host_lines);
    RUN(host_of_less);
    RUN(host_with_pool);
    RUN(host_of_little);
    RUN(host_of_sample);
    RUN(host_words);
    return test_result();
}
