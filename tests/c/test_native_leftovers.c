// What earlier owners of a block's memory have left in it.
#include "native_heap.h"
#include "test.h"

// A block that nobody has filled holds addresses of a list that was freed. Some
// lead to the beginning of an object, between others that lead where no
// reference of C code does.
static void
words_between_stray_ones_hold_no_object(void)
{
    enum { TABLE, HEAD, BEFORE_ALONE, BEHIND_ALONE, COUNT };
    for (int stray = 0; stray < COUNT; stray++) {
        native_heap heap;
        native_heap_open(&heap);
        uint64_t *object = native_heap_tracked(&heap);
        uint64_t table = native_heap_address(native_heap_block(&heap, 64));
        uint64_t head = native_heap_address(object - 2);
        uint64_t other = native_heap_address(native_heap_block(&heap, 64));
        uint64_t *block = native_heap_block(&heap, 128);
        object[2] = native_heap_address(native_heap_list(&heap, 10));
        native_heap_pattern(&heap)[2] = table;
        uint64_t *holder = native_heap_object(&heap, true);
        holder[2] = native_heap_address(block);
        holder[3] = other;
        block[3] = stray == BEHIND_ALONE ? other : table + 32;
        block[5] = native_heap_address(object);
        block[8] = stray == BEFORE_ALONE ? other : stray == HEAD ? head : table;
        native_heap_finish(&heap);
        CHECK(native_heap_of(&heap, "lost native memory") ==
              (stray <= HEAD ? NATIVE_FIXED + 10 * NATIVE_LIST_BYTES : 0));
        CHECK(lg_node_unexplained(heap.joined, 1) == (stray <= HEAD));
        native_heap_close(&heap);
    }
}

// Behind a copied text, the rest of the block is what lay there before. A
// struct that begins with a text may have pointers.
static void
what_lies_behind_a_copied_text_holds_nothing(void)
{
    enum { COPIES = 10, STALE = 3, BYTES = 640 };
    static const uint32_t room[] = {16, 24, 32, 48};
    for (size_t i = 0; i < sizeof room / sizeof *room; i++) {
        native_heap heap;
        native_heap_open(&heap);
        uint64_t *copies = native_heap_block(&heap, 8 * (size_t)COPIES);
        native_heap_object(&heap, true)[2] = native_heap_address(copies);
        for (uint32_t copy = 0; copy < COPIES; copy++) {
            uint64_t *text = native_heap_block(&heap, room[i]);
            const char *words = room[i] == 32 ? "seventeen letters" : "utf-8";
            memcpy(text, words, strlen(words) + 1);
            copies[copy] = native_heap_address(text);
            if (copy < STALE)
                text[room[i] / 8 - 1] =
                    native_heap_address(native_heap_block(&heap, BYTES));
        }
        native_heap_finish(&heap);
        CHECK(native_heap_of(&heap, "lost native memory") ==
              (room[i] < 48 ? STALE * (BYTES + NATIVE_CHUNK) : 0));
        native_heap_close(&heap);
    }
}

SUITE(native_leftovers)
{
    RUN(words_between_stray_ones_hold_no_object);
    RUN(what_lies_behind_a_copied_text_holds_nothing);
    return test_result();
}
