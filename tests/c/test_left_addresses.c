// Addresses of nodes that the producer of a builder has left: packed while it
// goes on, and read as before by it and by a second thread.
#include "test.h"

#include <leakgraph/internal/capture_builder.h>
#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/second_thread.h>

#include "build/build_private.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>

enum { NODES = 700000, EDGES = 2 };

// Most are close to each other. Some have upper halves that stand for something
// else: none, and those of addresses that need more bits.
static uint64_t
address_of(uint32_t node)
{
    const uint64_t near = UINT64_C(0x7f1200000000) + 48 * (uint64_t)node;
    if (node % 1009 == 0)
        return node;
    if (node % 2003 == 0)
        return (uint64_t)LG__FAR_HALF << 32 | node;
    return node % 3001 == 0 ? ~near : near;
}

static void
check_addresses(const lg_builder *builder, uint32_t from, uint32_t end)
{
    for (uint32_t node = from; node < end; node++)
        CHECK(lg_builder_address(builder, node) == address_of(node));
}

static lg_builder *
new_builder(bool packs)
{
    lg_builder *builder;
    REQUIRE(lg_builder_new(&builder, NULL) == LG_OK);
    if (packs)
        lg_builder_pack_addresses(builder);
    return builder;
}

// Opens a node, which refers to those that get the next numbers.
static void
open_next(lg_builder *builder, uint32_t node)
{
    lg_builder_leave_nodes(builder, node);
    lg_builder_open(builder, node);
    for (uint32_t i = 0; i < EDGES; i++) {
        const uint32_t next = builder->node_count;
        if (next < NODES)
            REQUIRE(lg_builder_add_node(builder, address_of(next)) == next);
        lg_builder_add_edge(builder, next < NODES ? next : 0, LG_EDGE_INDEX, i);
    }
}

static void
fill(lg_builder *builder)
{
    REQUIRE(lg_builder_add_node(builder, address_of(0)) == 0);
    for (uint32_t node = 0; node < NODES; node++)
        open_next(builder, node);
}

static void
finish(lg_builder *builder)
{
    lg_graph *graph;
    REQUIRE(lg_builder_finish(builder, &graph, NULL) == LG_OK);
    const lg_columns *columns = lg_graph_columns(graph);
    CHECK(columns->node_count >= NODES);
    for (uint32_t node = 0; node < NODES; node++)
        CHECK(lg_columns_address(columns, node) == address_of(node));
    lg_graph_free(graph);
}

static bool
is_plain(const lg_builder *builder, uint32_t node)
{
    return builder->address_high[node] != 0;
}

static void
alone(void)
{
    lg_builder *builder = new_builder(true);
    fill(builder);
    CHECK(!is_plain(builder, 1) && !is_plain(builder, NODES / 2));
    CHECK(is_plain(builder, NODES - 1));
    check_addresses(builder, 0, NODES);
    lg_builder_leave_all_nodes(builder);
    CHECK(!is_plain(builder, NODES - 200));
    check_addresses(builder, 0, NODES);
    const uint64_t more = 1 << 20;
    REQUIRE(lg_builder_add_node(builder, more) == NODES);
    CHECK(lg_builder_address(builder, NODES) == more);
    finish(builder);
}

static void
unwanted(void)
{
    lg_builder *builder = new_builder(false);
    fill(builder);
    lg_builder_leave_all_nodes(builder);
    CHECK(is_plain(builder, 1) && is_plain(builder, NODES - 200));
    finish(builder);
}

static void
few(void)
{
    lg_builder *builder = new_builder(true);
    for (uint32_t node = 0; node < 200; node++)
        REQUIRE(lg_builder_add_node(builder, address_of(node)) == node);
    lg_builder_leave_all_nodes(builder);
    CHECK(!is_plain(builder, 127) && is_plain(builder, 128));
    check_addresses(builder, 0, 200);
    lg_builder_free(builder);
}

static void *
resize_few(void *context, void *old, size_t old_size, size_t new_size)
{
    enum { MOST = 1 << 20 };
    (void)context;
    (void)old_size;
    if (new_size == 0) {
        free(old);
        return NULL;
    }
    return new_size <= MOST ? realloc(old, new_size) : NULL;
}

// The columns of as many nodes as a graph can have: pages that nobody writes.
static void
last_numbers(void)
{
    const uint32_t nodes = LG_NONE - 1, prepared = nodes - 2 * LG_PACKED_BLOCK;
    const uint32_t first = prepared - prepared % LG_PACKED_BLOCK;
    const lg_allocator few = {.resize = resize_few};
    const size_t size = (size_t)nodes * sizeof(uint32_t);
    void *columns = mmap(NULL, size, PROT_READ,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    lg_builder *builder;
    if (columns == MAP_FAILED)
        return;
    REQUIRE(lg_builder_new_in(&few, &builder, NULL) == LG_OK);
    lg_builder_pack_addresses(builder);
    builder->rest->left.prepared = first;
    builder->rest->left.packed = first;
    builder->address_low = columns;
    builder->address_high = columns;
    lg_builder_leave_nodes(builder, nodes);
    CHECK(builder->rest->left.prepared == nodes - nodes % LG_PACKED_BLOCK);
    builder->address_low = NULL;
    builder->address_high = NULL;
    lg_builder_free(builder);
    munmap(columns, size);
}

typedef struct other {
    lg_builder *builder;
    pthread_mutex_t lock;
    atomic_uint left;   // nodes below are left
    atomic_uint packed; // so were those when the thread had nothing to do
    atomic_bool ends;
} other;

static void
hold(void *context, bool begin)
{
    other *self = context;
    if (begin)
        pthread_mutex_lock(&self->lock);
    else
        pthread_mutex_unlock(&self->lock);
}

static void *
follow(void *context)
{
    other *self = context;
    while (!self->ends) {
        const uint32_t left = self->left;
        pthread_mutex_lock(&self->lock);
        lg_builder_code_labels(self->builder);
        if (!lg_builder_pack_some(self->builder, left))
            self->packed = left;
        pthread_mutex_unlock(&self->lock);
    }
    return NULL;
}

// The producer reads all addresses while the other thread packs more.
static void
fill_followed(other *self)
{
    lg_builder *builder = self->builder;
    REQUIRE(lg_builder_add_node(builder, address_of(0)) == 0);
    for (uint32_t node = 0; node < NODES; node++) {
        open_next(builder, node);
        self->left = node;
        while (node == NODES / 2 && self->packed < node)
            sched_yield();
        if (node % (NODES / 8) == 1)
            check_addresses(builder, 0, builder->node_count);
    }
    CHECK(!is_plain(builder, NODES / 2 - LG_PACKED_BLOCK));
}

static void
followed(void)
{
    other self = {.builder = new_builder(true),
                  .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t thread;
    REQUIRE(lg_builder_additions(self.builder) != NULL);
    lg_builder_share(self.builder, hold, &self);
    REQUIRE(pthread_create(&thread, NULL, follow, &self) == 0);
    fill_followed(&self);
    self.ends = true;
    pthread_join(thread, NULL);
    lg_builder_share(self.builder, NULL, NULL);
    lg_builder_leave_all_nodes(self.builder);
    check_addresses(self.builder, 0, NODES);
    finish(self.builder);
}

static void
count_hold(void *context, bool begin)
{
    unsigned *counts = context;
    counts[begin]++;
}

// The list may move while a second thread reads it.
static void
lists_alone(void)
{
    unsigned counts[2] = {0, 0};
    lg_builder *builder = new_builder(true);
    REQUIRE(lg_builder_reserve(builder, 2, 1));
    lg_builder_share(builder, count_hold, counts);
    REQUIRE(lg_builder_add_node(builder, 16) == 0);
    CHECK(counts[true] == 0);
    REQUIRE(lg_builder_add_node(builder, UINT64_MAX) == 1);
    CHECK(counts[true] == 1 && counts[false] == 1);
    CHECK(lg_builder_address(builder, 1) == UINT64_MAX);
    lg_builder_share(builder, NULL, NULL);
    lg_builder_free(builder);
}

// What lies before and behind the pages stays.
static void
drops_pages(void)
{
    enum { SIZE = 1 << 20, BEGIN = 100, END = SIZE / 2 + 100 };
    unsigned char *block = lg__alloc(SIZE);
    REQUIRE(block != NULL);
    memset(block, 7, SIZE);
    lg__pages_drop(block, BEGIN, END);
    CHECK(block[SIZE / 4] == 0);
    CHECK(block[END] == 7 && block[SIZE - 1] == 7);
    memset(block, 9, SIZE);
    lg__pages_drop(block, BEGIN, BEGIN + 200);
    CHECK(block[0] == 9 && block[BEGIN] == 9 && block[BEGIN + 200] == 9);
    lg__free(block);
}

SUITE(left_addresses)
{
    RUN(alone);
    RUN(unwanted);
    RUN(few);
    RUN(last_numbers);
    RUN(followed);
    RUN(lists_alone);
    RUN(drops_pages);
    return test_result();
}
