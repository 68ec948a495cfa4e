// What can be saved in containers, to the byte: what the allocators spend on a
// container less what they spend on one that suffices.
#include "test.h"
#include "wasted.h"

enum { ARRAY = 80 }; // an array.array besides its items

static uint32_t
add_dict(heap *to, uint64_t table, uint32_t items)
{
    uint32_t dict = wasted_add(to, DICT, WASTED_DICT + table);
    for (uint32_t i = 0; i < items; i++)
        wasted_put(to, dict, wasted_add(to, INT, 28),
                   wasted_add(to, OBJECT, 16), i);
    return dict;
}

static uint32_t
add_set(heap *to, uint64_t entries, uint32_t items)
{
    uint32_t set =
        wasted_add(to, SET, WASTED_SET + (entries > 8 ? 16 * entries : 0));
    for (uint32_t i = 0; i < items; i++)
        wasted_refer(to, set, wasted_add(to, INT, 28), LG_EDGE_ELEMENT, i);
    return set;
}

static void
test_room_of_lists(void)
{
    heap to = wasted_begin();
    uint32_t wide = wasted_list(&to, 1000, 10, OBJECT, 16);
    uint32_t empty = wasted_list(&to, 100, 0, OBJECT, 16);
    uint32_t third = wasted_list(&to, 100, 75, OBJECT, 16);
    wasted_name(&to, "wide", wide);
    wasted_name(&to, "empty", empty);
    wasted_name(&to, "third", third);
    wasted_name(&to, "usual", wasted_list(&to, 100, 76, OBJECT, 16));
    wasted_name(&to, "short", wasted_list(&to, 16, 9, OBJECT, 16));
    answer got = wasted_end(&to);
    // malloc has 8 bytes before a block; up to 512 bytes pymalloc has none.
    EXPECT(got, LG_WASTE_ROOM, wide, 8016 - 80, 10, 1000);
    EXPECT(got, LG_WASTE_ROOM, empty, 816, 0, 100);
    EXPECT(got, LG_WASTE_ROOM, third, 816 - 608, 75, 100);
    CHECK(got.waste.count == 3 && got.waste.rows[0].node == wide);
    CHECK(got.waste.waste[0] == 8016 - 80 + 816 + 208);
    wasted_free(&got);
}

// Tables of 3.9 and 3.10, and those of later versions with any keys and with
// only str keys.
static void
test_room_of_dicts(void)
{
    heap to = wasted_begin();
    uint32_t old = add_dict(&to, 40 + 16 + 10 * 24, 5);
    uint32_t general = add_dict(&to, 32 + 2 * 256 + 170 * 24, 5);
    uint32_t of_strs = add_dict(&to, 32 + 2 * 256 + 170 * 16, 6);
    uint32_t empty = add_dict(&to, 32 + 2 * 256 + 170 * 16, 0);
    wasted_name(&to, "old", old);
    wasted_name(&to, "general", general);
    wasted_name(&to, "of_strs", of_strs);
    wasted_name(&to, "empty", empty);
    wasted_name(&to, "full", add_dict(&to, 32 + 2 * 256 + 170 * 16, 86));
    wasted_name(&to, "shared", add_dict(&to, 8 * 30, 2));
    answer got = wasted_end(&to);
    EXPECT(got, LG_WASTE_ROOM, old, 304 - 176, 5, 10);
    EXPECT(got, LG_WASTE_ROOM, general, 4640 - 160, 5, 170);
    EXPECT(got, LG_WASTE_ROOM, of_strs, 3280 - 208, 6, 170);
    EXPECT(got, LG_WASTE_ROOM, empty, 3280, 0, 170);
    CHECK(got.waste.count == 4);
    wasted_free(&got);
}

// A namespace is its owner's, however wide it is.
static void
test_room_of_namespaces(void)
{
    heap to = wasted_begin();
    uint32_t dict = add_dict(&to, 32 + 2 * 256 + 170 * 16, 0);
    uint32_t owner = wasted_add(&to, OBJECT, 48);
    wasted_name(&to, "owner", owner);
    wasted_refer(&to, owner, dict, LG_EDGE_DICT, 0);
    answer got = wasted_end(&to);
    CHECK(got.waste.count == 0);
    wasted_free(&got);
}

static void
test_room_of_sets(void)
{
    heap to = wasted_begin();
    uint32_t wide = add_set(&to, 4096, 10);
    uint32_t empty = add_set(&to, 4096, 4);
    wasted_name(&to, "wide", wide);
    wasted_name(&to, "empty", empty);
    wasted_name(&to, "usual", add_set(&to, 32, 5));
    wasted_name(&to, "small", add_set(&to, 8, 0));
    answer got = wasted_end(&to);
    EXPECT(got, LG_WASTE_ROOM, wide, 65552 - 512, 10, 4096 * 3 / 5);
    EXPECT(got, LG_WASTE_ROOM, empty, 65552, 4, 4096 * 3 / 5);
    CHECK(got.waste.count == 2);
    wasted_free(&got);
}

static void
test_boxed(void)
{
    heap to = wasted_begin();
    uint32_t floats = wasted_list(&to, 100, 100, FLOAT, 24);
    uint32_t shared = wasted_list(&to, 100, 100, INT, 32);
    uint32_t other = wasted_list(&to, 100, 99, INT, 28);
    wasted_name(&to, "floats", floats);
    wasted_name(&to, "shared", shared);
    // One of its ints also belongs to the first list, so it stays.
    wasted_refer(&to, other, shared + 1, LG_EDGE_INDEX, 99);
    wasted_name(&to, "other", other);
    wasted_name(&to, "few", wasted_list(&to, 63, 63, FLOAT, 24));
    wasted_name(&to, "wide", wasted_list(&to, 100, 100, INT, 36));
    uint32_t mixed = wasted_list(&to, 101, 100, FLOAT, 24);
    wasted_refer(&to, mixed, wasted_add(&to, INT, 28), LG_EDGE_INDEX, 100);
    wasted_name(&to, "mixed", mixed);
    // Small ints exist only once, so there is nothing to save.
    uint32_t small = wasted_list(&to, 100, 0, INT, 28);
    uint32_t one = wasted_add(&to, INT, 28);
    for (uint32_t i = 0; i < 100; i++)
        wasted_refer(&to, small, one, LG_EDGE_INDEX, i);
    wasted_name(&to, "small", small);
    answer got = wasted_end(&to);
    uint64_t items = 816;
    EXPECT(got, LG_WASTE_BOXED, floats, 64 + items + 100 * 32 - ARRAY - items,
           100, 0);
    EXPECT(got, LG_WASTE_BOXED, shared, 64 + items + 99 * 32 - ARRAY - items,
           100, 0);
    EXPECT(got, LG_WASTE_BOXED, other, 64 + items + 99 * 32 - ARRAY - items,
           100, 0);
    CHECK(got.waste.count == 3);
    wasted_free(&got);
}

SUITE(waste_items)
{
    RUN(test_room_of_lists);
    RUN(test_room_of_dicts);
    RUN(test_room_of_namespaces);
    RUN(test_room_of_sets);
    RUN(test_boxed);
    return test_result();
}
