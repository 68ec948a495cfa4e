// Addresses and marks: sizes of objects, neighbours, large marks, memory.
#include "test.h"

#include "capture/memory/capture_memory.h"

enum { POOL = 1 << 14, POOLS = 24, FIRST = 48, MOST = POOL / 16 };

/** Objects of one size, one behind the other. */
typedef struct pool {
    uintptr_t start;
    size_t size;
    size_t count;
} pool;

static pool
pool_of(size_t number, size_t size)
{
    const uintptr_t start = ((uintptr_t)0x7f0000000 + number) * POOL;
    return (pool){start + FIRST, size, (POOL - FIRST) / size};
}

static const void *
object_of(const pool *objects, size_t i)
{
    return (const void *)(objects->start + i * objects->size);
}

static void
set(lg__address_map *map, const void *address, uint32_t mark)
{
    lg__address_map_set(map, lg__address_map_place(map, address), address,
                        mark);
}

static lg__address_map
open_map(uint64_t max_bytes)
{
    lg__address_map map;
    REQUIRE(lg__address_map_open(&map, max_bytes, false));
    return map;
}

/** What a map uses for the addresses of all pools, without their leaves. */
static size_t
table_bytes(void)
{
    const pool objects = pool_of(0, 512);
    lg__address_map map = open_map(0);
    lg__address_map_place(&map, object_of(&objects, 0));
    const size_t used = map.used - POOL / 256 * sizeof(uint32_t);
    lg__address_map_close(&map);
    return used;
}

/** Sets the marks of all objects, mark 1 first, in an order that jumps. */
static void
set_all(lg__address_map *map, const pool *objects, uint32_t before)
{
    static uint32_t order[MOST];
    uint64_t state = objects->size;
    for (uint32_t i = 0; i < objects->count; i++) {
        const uint32_t other = test_random(&state) % (i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    for (size_t i = 0; i < objects->count; i++)
        set(map, object_of(objects, order[i]), before + order[i] + 1);
}

static void
test_every_object_has_its_mark(void)
{
    lg__address_map map = open_map(0);
    uint32_t before[POOLS];
    uint32_t count = 0;
    for (size_t i = 0; i < POOLS; i++) {
        const pool objects = pool_of(i, 16 * (i + 1));
        before[i] = count;
        set_all(&map, &objects, count);
        count += (uint32_t)objects.count;
    }
    size_t wrong = 0;
    for (size_t i = 0; i < POOLS; i++) {
        const pool objects = pool_of(i, 16 * (i + 1));
        const uintptr_t begin = objects.start - FIRST;
        for (uintptr_t at = begin; at < begin + POOL; at += 16) {
            const uintptr_t behind = at - objects.start;
            const bool is_object = at >= objects.start &&
                                   behind % objects.size == 0 &&
                                   behind / objects.size < objects.count;
            const uint32_t mark =
                is_object ? before[i] + (uint32_t)(behind / objects.size) + 1
                          : 0;
            wrong += lg__address_map_find(&map, (void *)at) != mark;
        }
    }
    CHECK(wrong == 0);
    CHECK(!map.failed);
    lg__address_map_close(&map);
}

/** The greatest step that no two objects of a size share, if their pool begins
 *  with its head. */
static size_t
step_of(size_t size)
{
    return size < 256 ? size : 256;
}

/** Leaves whose steps became too long serve the next pool, so the last pool's
 *  are all that is in vain. */
static void
test_memory_follows_the_objects(void)
{
    const size_t tables = table_bytes();
    for (size_t size = 16; size <= 512; size += 16) {
        lg__address_map map = open_map(0);
        const size_t slots = (POOL - 16) / step_of(size) + 1;
        const size_t leaf = (slots + 15) / 16 * 16 * sizeof(uint32_t);
        uint32_t count = 0;
        for (size_t i = 0; i < POOLS; i++) {
            const pool objects = pool_of(i, size);
            set_all(&map, &objects, count);
            count += (uint32_t)objects.count;
        }
        CHECK(map.used - tables < POOLS * leaf + leaf);
        lg__address_map_close(&map);
    }
}

/** Where each object of a pool begins: its block has 0 to 2 words of links and
 *  attributes before it. */
static const void *
headed(const pool *objects, size_t i, unsigned kind)
{
    const size_t before = (i * kind / 3 + i / (kind + 1)) % 3 * 16;
    return (const char *)object_of(objects, i) + before;
}

static void
check_headed(lg__address_map *map, const pool *objects, unsigned kind)
{
    for (size_t i = 0; i < objects->count; i++)
        set(map, headed(objects, i, kind), (uint32_t)i + 1);
    for (size_t i = 0; i < objects->count; i++)
        CHECK(lg__address_map_find(map, headed(objects, i, kind)) == i + 1);
}

/** The step is the size of the blocks, though not all objects begin where their
 *  blocks do. */
static void
test_objects_with_and_without_heads(void)
{
    const size_t tables = table_bytes();
    for (size_t size = 64; size <= 256; size += 16) {
        lg__address_map map = open_map(0);
        const size_t slots = (POOL - 16) / size + 1;
        const size_t leaf = (slots + 15) / 16 * 16 * sizeof(uint32_t);
        for (unsigned i = 0; i < POOLS; i++) {
            const pool objects = pool_of(i, size);
            check_headed(&map, &objects, i % 8);
        }
        CHECK(map.used - tables < POOLS * leaf + 4 * (size_t)POOL / 16);
        lg__address_map_close(&map);
    }
}

/** Memory that is no pool: any two objects may be neighbours. */
static void
test_any_places(void)
{
    static uint32_t marks[MOST];
    uint64_t state = 7;
    for (uint32_t round = 0; round < 200; round++) {
        lg__address_map map = open_map(0);
        const uintptr_t begin = (uintptr_t)0x7f00000 * POOL;
        memset(marks, 0, sizeof marks);
        for (uint32_t i = 0; i < 1 + round * 4; i++) {
            const uint32_t at = test_random(&state) % MOST;
            marks[at] = i + 1;
            set(&map, (void *)(begin + at * 16), i + 1);
        }
        size_t wrong = 0;
        for (uint32_t at = 0; at < MOST; at++)
            wrong += lg__address_map_find(&map, (void *)(begin + at * 16)) !=
                     marks[at];
        CHECK(wrong == 0);
        CHECK(!map.failed);
        lg__address_map_close(&map);
    }
}

static void
test_large_marks(void)
{
    lg__address_map map = open_map(0);
    const pool objects = pool_of(1, 512);
    for (unsigned i = 0; i < 31; i++)
        set(&map, object_of(&objects, i), (uint32_t)2 << i);
    set(&map, object_of(&objects, 0), UINT32_MAX);
    CHECK(lg__address_map_find(&map, object_of(&objects, 0)) == UINT32_MAX);
    for (unsigned i = 1; i < 31; i++)
        CHECK(lg__address_map_find(&map, object_of(&objects, i)) == (uint32_t)2
                                                                        << i);
    lg__address_map_close(&map);
}

static void
test_later_marks_replace_earlier_ones(void)
{
    lg__address_map map = open_map(0);
    const pool objects = pool_of(1, 48);
    set_all(&map, &objects, 0);
    const size_t used = map.used;
    set(&map, object_of(&objects, 3), 77);
    CHECK(lg__address_map_find(&map, object_of(&objects, 3)) == 77);
    CHECK(lg__address_map_find(&map, object_of(&objects, 4)) == 5);
    CHECK(map.used == used);
    lg__address_map_close(&map);
}

/** Static objects are aligned to 8 bytes only. */
static void
test_odd_addresses(void)
{
    lg__address_map map = open_map(0);
    const uintptr_t page = (uintptr_t)0x55550000 << 12;
    for (uint32_t i = 0; i < 100; i++)
        set(&map, (void *)(page + i * 40 + 8), i + 1);
    for (uint32_t i = 0; i < 100; i++)
        CHECK(lg__address_map_find(&map, (void *)(page + i * 40 + 8)) == i + 1);
    lg__address_map_close(&map);
}

static size_t
marks_of(const lg__address_map *map, const void *address)
{
    const lg__address_page page = lg__address_map_page(map, address);
    size_t count = 0;
    for (size_t i = 0; i < page.count; i++)
        count += lg__address_page_mark(&page, i) != 0;
    return count;
}

static void
test_pages(void)
{
    lg__address_map map = open_map(0);
    const pool large = {pool_of(1, 64).start - FIRST, 64, 0};
    for (uint32_t i = 0; i < 3; i++)
        set(&map, object_of(&large, i * 64), i + 1);
    set(&map, object_of(&large, 2), 9);
    CHECK(marks_of(&map, object_of(&large, 5)) == 2);
    CHECK(marks_of(&map, object_of(&large, 127)) == 1);
    CHECK(marks_of(&map, object_of(&large, 192)) == 0);
    CHECK(marks_of(&map, object_of(&large, 1 << 20)) == 0);
    lg__address_map_close(&map);
}

/** The budget ends at any point: what was set stays, and the map says so. */
static void
test_budgets(void)
{
    const pool objects = pool_of(0, 32);
    const size_t enough = table_bytes() + 3 * (1 << 12);
    bool ended[2] = {false, false};
    for (size_t budget = 1; budget < enough + 4096; budget += 256) {
        lg__address_map map = open_map(budget);
        uint32_t count = 0;
        for (; count < objects.count; count++) {
            set(&map, object_of(&objects, count), count + 1);
            if (map.failed)
                break;
        }
        ended[map.failed] = true;
        size_t wrong = 0;
        for (uint32_t i = 0; i < count; i++)
            wrong +=
                lg__address_map_find(&map, object_of(&objects, i)) != i + 1;
        CHECK(wrong == 0);
        set(&map, object_of(&objects, count), 1);
        set(&map, object_of(&objects, count), 2);
        lg__address_map_close(&map);
    }
    CHECK(ended[false] && ended[true]);
}

SUITE(address_map)
{
    RUN(test_every_object_has_its_mark);
    RUN(test_memory_follows_the_objects);
    RUN(test_objects_with_and_without_heads);
    RUN(test_any_places);
    RUN(test_large_marks);
    RUN(test_later_marks_replace_earlier_ones);
    RUN(test_odd_addresses);
    RUN(test_pages);
    RUN(test_budgets);
    return test_result();
}
