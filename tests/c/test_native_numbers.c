// What Python has of native memory without a pointer to it: addresses in ints,
// names of entries of a library's table, and what a table keeps for an object.
#include "native_heap.h"

#include "test.h"

// ctypes gives a handle of C code to Python as an int. A number near one is
// none, and id() gives those of objects.
static void
ints_are_handles(void)
{
    native_heap heap;
    native_heap_open(&heap);
    for (uint32_t i = 0; i < 4; i++)
        native_heap_int(
            &heap, native_heap_address(native_heap_list(&heap, 20 + i)), i % 2);
    native_heap_int(&heap, native_heap_address(native_heap_list(&heap, 9)) + 8,
                    true);
    uint64_t *object = native_heap_object(&heap, true);
    object[2] = native_heap_address(native_heap_list(&heap, 10));
    native_heap_int(&heap, native_heap_address(object), true);
    native_heap_finish(&heap);
    for (uint32_t i = 0; i < 4; i++)
        CHECK(native_heap_held(&heap, i) == (20 + i) * NATIVE_LIST_BYTES);
    CHECK(native_heap_held(&heap, 4) == 0);
    CHECK(native_heap_of(&heap, "lost native memory") == 9 * NATIVE_LIST_BYTES);
    CHECK(native_heap_held(&heap, 5) == 10 * NATIVE_LIST_BYTES);
    CHECK(native_heap_held(&heap, 6) == 0);
    native_heap_close(&heap);
}

// An int that is a stale handle takes nothing from whoever has the memory.
static void
owners_outweigh_handles(void)
{
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *object = native_heap_object(&heap, true);
    object[2] = native_heap_address(native_heap_list(&heap, 30));
    native_heap_int(&heap, object[2], true);
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) == 30 * NATIVE_LIST_BYTES);
    CHECK(native_heap_held(&heap, 1) == 0);
    native_heap_close(&heap);
}

// A library that gives out numbers has a table of what they stand for. Returns
// how much of it an object has that has one of eight numbers.
static uint64_t
named_from(uint64_t first)
{
    enum { ENTRIES = 8 };
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *object = native_heap_object(&heap, true);
    uint64_t *data = native_heap_range(&heap, LG_RANGE_DATA, "libids.so", 8);
    uint64_t *table = native_heap_block(&heap, 8 * ENTRIES);
    data[1] = native_heap_address(table);
    for (uint64_t i = 0; i < ENTRIES; i++) {
        uint64_t *entry = native_heap_block(&heap, 64);
        table[i] = native_heap_address(entry);
        entry[0] = first + i;
        entry[2] = native_heap_address(native_heap_list(&heap, 10));
    }
    object[2] = first + 3;
    native_heap_finish(&heap);
    uint64_t held = native_heap_held(&heap, 0);
    native_heap_close(&heap);
    return held;
}

// What an object has the number of is the object's. No library gives out
// negative numbers.
static void
numbers_name_entries(void)
{
    CHECK(named_from(UINT64_C(1) << 56) ==
          64 + NATIVE_CHUNK + 10 * NATIVE_LIST_BYTES);
    CHECK(named_from(UINT64_C(0xf) << 60) == 0);
}

enum { NAMED = 4 };

// Returns how much of an entry of a table one of several objects has, which has
// its number where the others have what `others` begins with, or nothing.
static uint64_t
named_by_one_of(uint32_t objects, uint64_t others)
{
    const uint64_t number = UINT64_C(1) << 56;
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *entry = native_heap_block(&heap, 64);
    entry[0] = number;
    entry[2] = native_heap_address(native_heap_list(&heap, 10));
    for (uint32_t i = 0; i < objects; i++) {
        uint64_t other = others == 0 ? 0 : others + i;
        native_heap_object(&heap, true)[2] = i == NAMED ? number : other;
    }
    native_heap_finish(&heap);
    uint64_t held = native_heap_held(&heap, NAMED);
    native_heap_close(&heap);
    return held;
}

// A number that others of its type have no such number beside is chance, and so
// is that of one of very many which have nothing there.
static void
a_number_by_chance_names_nothing(void)
{
    CHECK(named_by_one_of(9, 32) == 0);
    CHECK(named_by_one_of(60, 0) == 0);
}

// The graph has all that a compiled pattern refers to. What lies beside its
// small numbers is left over.
static void
a_pattern_names_nothing(void)
{
    const uint64_t number = UINT64_C(1) << 56;
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *entry = native_heap_block(&heap, 64);
    entry[0] = number;
    entry[2] = native_heap_address(native_heap_list(&heap, 10));
    native_heap_object(&heap, true)[2] = number;
    for (uint32_t i = 0; i < 5; i++)
        native_heap_pattern(&heap)[3] = number;
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) ==
          64 + NATIVE_CHUNK + 10 * NATIVE_LIST_BYTES);
    native_heap_close(&heap);
}

// A fraction, a text or a count that a block begins with, too, names nothing.
static void
usual_values_name_nothing(void)
{
    static const uint64_t values[] = {0x3ff8000000000000, 0x6f77206f6c6c6568,
                                      4711, UINT64_MAX};
    native_heap heap;
    native_heap_open(&heap);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        uint64_t *object = native_heap_object(&heap, true);
        uint64_t *block = native_heap_block(&heap, 64);
        object[2] = block[0] = values[i];
        block[2] = native_heap_address(native_heap_list(&heap, 10));
    }
    native_heap_finish(&heap);
    for (uint32_t i = 0; i < sizeof values / sizeof *values; i++)
        CHECK(native_heap_held(&heap, i) == 0);
    native_heap_close(&heap);
}

enum { KEPT_ITEMS = 10 };
#define KEPT_BYTES (NATIVE_FIXED + KEPT_ITEMS * (uint64_t)NATIVE_LIST_BYTES)

// An object that C code alone holds, by this vector.
static uint64_t *
kept_by(native_heap *heap, uint64_t *vector)
{
    uint64_t *kept = native_heap_object(heap, false);
    kept[2] = native_heap_address(native_heap_list(heap, KEPT_ITEMS));
    vector[0] = native_heap_address(kept);
    return kept;
}

// An entry of a table, which has a vector under the address of an object.
static uint64_t *
entry_of(native_heap *heap, const uint64_t *key, const uint64_t *vector)
{
    uint64_t *entry = native_heap_block(heap, 40);
    entry[1] = native_heap_address(key);
    entry[2] = native_heap_address(vector);
    entry[3] = entry[4] = native_heap_address(vector + 1);
    return entry;
}

// pybind11 has a table of objects that it keeps as long as others live, and a
// table of all objects, which it borrows. Of three entries, each is that of
// another object.
static void
a_table_keeps_for_an_object(void)
{
    enum { ENTRIES = 3, VECTOR = 24 };
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *data = native_heap_range(&heap, LG_RANGE_DATA, "libkeep.so", 8);
    uint64_t next = 0;
    for (uint32_t i = 0; i < ENTRIES; i++) {
        uint64_t *nurse = native_heap_object(&heap, true);
        uint64_t *vector = native_heap_block(&heap, VECTOR);
        kept_by(&heap, vector);
        uint64_t *entry = entry_of(&heap, nurse, vector);
        entry[0] = next;
        next = native_heap_address(entry);
    }
    data[1] = next;
    uint64_t *borrowed = native_heap_block(&heap, 8 * ENTRIES);
    data[2] = native_heap_address(borrowed);
    for (uint32_t i = 0; i < ENTRIES; i++)
        borrowed[i] = native_heap_address(heap.objects[2 * i + 1]);
    for (uint32_t i = 0; i < 5; i++)
        native_heap_object(&heap, true);
    native_heap_finish(&heap);
    for (uint32_t i = 0; i < ENTRIES; i++)
        CHECK(native_heap_held(&heap, 2 * i) ==
              VECTOR + NATIVE_CHUNK + KEPT_BYTES);
    native_heap_close(&heap);
}

// Of a table that keeps its keys, or of what only looks like an entry, nothing
// is the key's.
static void
what_is_no_such_table_keeps_nothing(void)
{
    enum { KEY_KEPT, KEY_INSIDE, NO_ENTRY, NO_OBJECT, NO_ROOM, LARGER, COUNT };
    for (int fault = 0; fault < COUNT; fault++) {
        native_heap heap;
        native_heap_open(&heap);
        uint64_t *data =
            native_heap_range(&heap, LG_RANGE_DATA, "libkeep.so", 8);
        uint64_t *nurse = native_heap_object(&heap, true);
        heap.refcounts[0] = fault == KEY_KEPT ? 2 : 1;
        uint64_t *vector = native_heap_block(&heap, 24);
        kept_by(&heap, vector);
        uint64_t *entry = entry_of(&heap, nurse, vector);
        if (fault == LARGER) {
            uint64_t *other = native_heap_block(&heap, 56);
            memcpy(other, entry, 40);
            entry[2] = 0;
            entry = other;
        }
        data[1] = native_heap_address(entry);
        entry[0] = fault == NO_ENTRY ? 4711 : 0;
        entry[1] += fault == KEY_INSIDE ? 16 : 0;
        entry[3] += fault == NO_OBJECT ? 8 : 0;
        entry[4] = fault == NO_ROOM ? entry[2] + 800 : entry[3];
        native_heap_finish(&heap);
        CHECK(native_heap_held(&heap, 0) == 0);
        native_heap_close(&heap);
    }
}

// A block's row is packed. Of a large block, the header of its chunk says the
// size: a chunk that has a mapping of its own ends with that, or a header
// before.
static void
rows_of_blocks(void)
{
    enum { FLAGS = 3, CHUNK = 3 * LG_MALLOC_PAGE };
    static _Alignas(LG_MALLOC_PAGE) uint64_t page[4];
    const uint64_t far = LG_BLOCK_ADDRESS_END - 16;
    lg_native_block block =
        lg_block_make(far, 8 * (LG_BLOCK_LARGE - 1), LG_ALLOCATOR_PYTHON);
    lg_block_set_lead(&block, LG_BLOCK_MOST_LEAD);
    CHECK(sizeof block == 12);
    CHECK(lg_block_address(&block) == far);
    CHECK(lg_block_bytes(&block) == 8 * (LG_BLOCK_LARGE - 1));
    CHECK(block.kind == LG_ALLOCATOR_PYTHON && block.node == LG_NONE);
    CHECK(lg_block_lead(&block) == LG_BLOCK_MOST_LEAD);
    lg_block_set_lead(&block, 16);
    CHECK(lg_block_lead(&block) == 16 && lg_block_address(&block) == far);

    page[1] = CHUNK | FLAGS;
    block = lg_block_make((uintptr_t)&page[2], CHUNK, LG_ALLOCATOR_MALLOC);
    CHECK(lg_block_bytes(&block) == CHUNK - 8);
    block = lg_block_make((uintptr_t)&page[2], CHUNK, LG_ALLOCATOR_MAPPED);
    CHECK(lg_block_bytes(&block) == CHUNK - 16);
    page[1] = (CHUNK - 16) | FLAGS;
    CHECK(lg_block_bytes(&block) == CHUNK - 24);
}

SUITE(native_numbers)
{
    RUN(ints_are_handles);
    RUN(owners_outweigh_handles);
    RUN(numbers_name_entries);
    RUN(a_number_by_chance_names_nothing);
    RUN(a_pattern_names_nothing);
    RUN(usual_values_name_nothing);
    RUN(a_table_keeps_for_an_object);
    RUN(what_is_no_such_table_keeps_nothing);
    RUN(rows_of_blocks);
    return test_result();
}
