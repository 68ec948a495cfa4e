// What the level of a word depends on, beside how many words of its kind agree.
#include "asked.h"
#include "native_heap.h"
#include "test.h"

#include <leakgraph/internal/columns.h>

enum { HEAD = 200, INNER = 88, CHAIN = HEAD + INNER + 2 * NATIVE_CHUNK };

// Adds an object that has a struct that leads to another one, and returns that.
// An object does not lead there, so words of it are not believed for that.
static uint64_t *
inner_of(native_heap *heap)
{
    uint64_t *head = native_heap_block(heap, HEAD);
    uint64_t *inner = native_heap_block(heap, INNER);
    native_heap_object(heap, true)[2] = native_heap_address(head);
    head[20] = native_heap_address(inner);
    return inner;
}

// Adds an object with an array of structs, and lists these.
static void
add_structs(native_heap *heap, uint32_t count, uint64_t *structs[])
{
    uint64_t *array = native_heap_block(heap, 8 * (size_t)count);
    native_heap_object(heap, true)[2] = native_heap_address(array);
    for (uint32_t i = 0; i < count; i++) {
        structs[i] = native_heap_block(heap, INNER);
        structs[i][1] = native_heap_address(native_heap_block(heap, 24));
        array[i] = native_heap_address(structs[i]);
    }
}

// Two of four structs lead into the middle of a struct of one size, and a third
// into one of another size. What is left behind a text is worth as much.
static void
two_of_several_that_lead_into_the_middle_are_weak(void)
{
    enum { OBJECTS = 4, LAST = 168, OTHER = 104, NOTE = 1000, MIDDLE = 24 };
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *note = native_heap_block(&heap, NOTE);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        uint64_t *inner = inner_of(&heap);
        uint64_t *last = native_heap_block(&heap, i < 2 ? LAST : OTHER);
        inner[2] = i < 3 ? native_heap_address(last) + MIDDLE : 1000;
        note[100] = i == 0 ? native_heap_address(last) : note[100];
    }
    memset(note, 'x', 96);
    native_heap_other(&heap)[2] = native_heap_address(note);
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) == CHAIN);
    native_heap_close(&heap);
}

// Three of many structs have a pointer where the others have nothing, and no
// two lead to the same.
static void
few_pointers_of_many_structs_are_leftovers(void)
{
    enum { STRUCTS = 200, STALE = 3, LAST = 168 };
    uint64_t *structs[STRUCTS];
    uint64_t lost = 0;
    native_heap heap;
    native_heap_open(&heap);
    add_structs(&heap, STRUCTS, structs);
    for (uint32_t i = 0; i < STALE; i++) {
        const size_t bytes = LAST + 16 * (size_t)i;
        structs[i][4] = native_heap_address(native_heap_block(&heap, bytes));
        lost += bytes + NATIVE_CHUNK;
    }
    native_heap_finish(&heap);
    CHECK(native_heap_of(&heap, "lost native memory") == lost);
    native_heap_close(&heap);
}

// Some structs have a pointer behind the beginning of a block where others have
// a number. A handle is worth as much.
static void
pointers_beside_numbers_lead_to_beginnings(void)
{
    enum { STRUCTS = 100, LEADING = 12, LAST = 168, BEHIND = 16 };
    uint64_t *structs[STRUCTS];
    native_heap heap;
    native_heap_open(&heap);
    add_structs(&heap, STRUCTS, structs);
    for (uint32_t i = 0; i < STRUCTS; i++) {
        uint64_t *last = i < LEADING ? native_heap_block(&heap, LAST) : NULL;
        structs[i][4] = last ? native_heap_address(last) + BEHIND : 1000 + i;
        if (i == 0)
            native_heap_int(&heap, native_heap_address(last), true);
    }
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) ==
          8 * STRUCTS + NATIVE_CHUNK +
              STRUCTS * (INNER + 24 + 2 * NATIVE_CHUNK) +
              (LEADING - 1) * (LAST + NATIVE_CHUNK));
    native_heap_close(&heap);
}

// One of several structs is an array, and the others have numbers.
static void
numbers_do_not_contradict_an_array(void)
{
    enum { STRUCTS = 10, ITEMS = 25, ITEM = 40 };
    native_heap heap;
    native_heap_open(&heap);
    for (uint32_t i = 0; i < STRUCTS; i++) {
        uint64_t *items = native_heap_block(&heap, 8 * (size_t)ITEMS);
        native_heap_object(&heap, true)[2] = native_heap_address(items);
        for (uint32_t j = 0; j < ITEMS; j++)
            items[j] = i == 0
                           ? native_heap_address(native_heap_block(&heap, ITEM))
                           : 1000 * i + j;
    }
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) ==
          8 * ITEMS + NATIVE_CHUNK + ITEMS * (ITEM + NATIVE_CHUNK));
    native_heap_close(&heap);
}

// A large block lies where a tree was that has been freed, and a tree of the
// same shape lies where the other half of it was.
static void
what_is_left_of_a_tree_is_no_array(void)
{
    enum { BYTES = 300 << 10, NODES = 64, NODE = 120, TEXT = 40 };
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *large = native_heap_block(&heap, BYTES);
    native_heap_object(&heap, true)[2] = native_heap_address(large);
    uint64_t *before = &native_heap_other(&heap)[2];
    uint64_t first = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        uint64_t *node = native_heap_block(&heap, NODE);
        uint64_t *text = native_heap_block(&heap, TEXT);
        uint64_t *left = &large[20 * i + i % 3];
        first = i == 0 ? native_heap_address(node) : first;
        *before = native_heap_address(node);
        before = &node[6];
        node[2] = left[2] = native_heap_address(text);
        node[5] = first;
        left[5] = left[6] = native_heap_address(node);
        left[1] = i % 2;
    }
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) == BYTES + NATIVE_CHUNK);
    CHECK(native_heap_held(&heap, 1) ==
          NODES * (NODE + TEXT + 2 * NATIVE_CHUNK));
    native_heap_close(&heap);
}

// A field of an object that leads far behind the beginning of a block borrows
// it from a handle.
static void
objects_borrow_what_they_lead_far_into(void)
{
    enum { BYTES = 1000, FAR = 600 };
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *block = native_heap_block(&heap, BYTES);
    native_heap_object(&heap, true)[2] = native_heap_address(block) + FAR;
    native_heap_int(&heap, native_heap_address(block), true);
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) == 0);
    CHECK(native_heap_held(&heap, 1) == BYTES + NATIVE_CHUNK);
    native_heap_close(&heap);
}

// One of three structs has a vector where the others have a number.
static void
a_vector_of_one_of_a_few_is_believed(void)
{
    enum { OBJECTS = 3, BYTES = 168 };
    native_heap heap;
    native_heap_open(&heap);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        uint64_t *inner = inner_of(&heap);
        uint64_t *items = native_heap_block(&heap, BYTES);
        inner[4] = i == 0 ? native_heap_address(items) : 1000 + i;
        inner[5] = inner[6] =
            i == 0 ? native_heap_address(items) + BYTES : 1000 + i;
    }
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) == CHAIN + BYTES + NATIVE_CHUNK);
    native_heap_close(&heap);
}

// Structs lead to blocks of many sizes. One of them shares what it leads to.
static void
one_of_several_pointers_may_be_shared(void)
{
    enum { OBJECTS = 10, COUNTS = 168 };
    native_heap heap;
    native_heap_open(&heap);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        uint64_t *inner = inner_of(&heap);
        uint64_t at = native_heap_address(
            native_heap_block(&heap, COUNTS + 16 * (size_t)i));
        inner[4] = i == 0 ? at + 16 : at;
        inner[5] = i == 0 ? at : 1000 + i;
    }
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) == CHAIN + COUNTS + NATIVE_CHUNK);
    native_heap_close(&heap);
}

// The control bytes of a hash table begin at a word, so the numbers behind an
// odd address are none of a table.
static void
hash_tables_begin_at_words(void)
{
    enum { OBJECTS = 3, BYTES = 168, ODD = 17, MASK = 7 };
    for (uint32_t depth = ODD - 1; depth <= ODD; depth++) {
        native_heap heap;
        native_heap_open(&heap);
        for (uint32_t i = 0; i < OBJECTS; i++) {
            uint64_t *inner = inner_of(&heap);
            uint64_t *table = native_heap_block(&heap, BYTES);
            inner[4] = i == 0 ? native_heap_address(table) + depth : 1000 + i;
            inner[5] = MASK;
            inner[6] = 3;
            inner[7] = MASK - 3;
        }
        native_heap_finish(&heap);
        CHECK(native_heap_held(&heap, 0) ==
              CHAIN + (depth < ODD ? BYTES + NATIVE_CHUNK : 0));
        native_heap_close(&heap);
    }
}

// Objects that did the same lead into the middle of the same structs, such as
// by addresses of buffers that are freed by now. What leads behind a header,
// as a library puts it before its structs, may well be a field.
static void
objects_borrow_the_middle_of_a_struct(void)
{
    enum { ITEMS = 10, CURSORS = 4, HEADER = 16, FAR = 32 };
    for (uint64_t depth = HEADER; depth <= FAR; depth += FAR - HEADER) {
        native_heap heap;
        native_heap_open(&heap);
        uint64_t *first = native_heap_list(&heap, ITEMS);
        const uint64_t *item = first;
        for (uint32_t i = 0; i < CURSORS; i++) {
            native_heap_object(&heap, true)[3] = item[0] + depth;
            item = (const uint64_t *)(uintptr_t)item[0];
        }
        native_heap_object(&heap, true)[2] = native_heap_address(first);
        native_heap_finish(&heap);
        CHECK(native_heap_held(&heap, CURSORS) ==
              (depth == FAR ? ITEMS : 1) * NATIVE_LIST_BYTES);
        native_heap_close(&heap);
    }
}

// A word that nothing confirms leads to the beginning of a struct.
static void
a_lone_word_outvotes_what_leads_into_the_middle(void)
{
    enum { ITEMS = 10, STATE = 200, MIDDLE = 32 };
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *first = native_heap_list(&heap, ITEMS);
    uint64_t *state = native_heap_block(&heap, STATE);
    state[5] = native_heap_address(first);
    native_heap_object(&heap, true)[3] = native_heap_address(first) + MIDDLE;
    native_heap_object(&heap, true)[2] = native_heap_address(state);
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) == 0);
    CHECK(native_heap_held(&heap, 1) ==
          STATE + NATIVE_CHUNK + ITEMS * NATIVE_LIST_BYTES);
    native_heap_close(&heap);
}

// Rows say how sure it is who has the memory: half of it is held by words of a
// level, or by better ones.
static void
weak_claims_are_told(void)
{
    enum { BYTES = 1000, FAR = 600, LESS = 400, MORE = 1200 };
    enum { SURE, WEAK, PARTLY_WEAK, COUNT };
    static const char *const questions[] = {"native", "top"};
    for (int which = 0; which < COUNT; which++) {
        native_heap heap;
        native_heap_open(&heap);
        uint64_t *block = native_heap_block(&heap, BYTES);
        uint64_t *object = native_heap_object(&heap, true);
        object[2] = native_heap_address(block) + (which == SURE ? 0 : FAR);
        object[3] = native_heap_address(
            native_heap_block(&heap, which == PARTLY_WEAK ? MORE : LESS));
        native_heap_finish(&heap);
        for (size_t i = 0; i < (which == PARTLY_WEAK ? 1 : 2); i++) {
            lg_text text = {0};
            CHECK(question_report(questions[i], heap.joined, heap.found, NULL,
                                  LG_FORMAT_TEXT, &text) == LG_OK);
            CHECK((strstr(text.data, "perhaps ") != NULL) == (which == WEAK));
            lg_text_free(&text);
        }
        native_heap_close(&heap);
    }
}

// Lost memory is what nothing leads to, so that is no doubt.
static void
lost_memory_is_no_claim(void)
{
    native_heap heap;
    lg_text text = {0};
    native_heap_open(&heap);
    memset(native_heap_block(&heap, 200), 'y', 190);
    native_heap_finish(&heap);
    CHECK(question_report("top", heap.joined, heap.found, NULL, LG_FORMAT_TEXT,
                          &text) == LG_OK);
    CHECK(strstr(text.data, "perhaps ") == NULL);
    lg_text_free(&text);
    native_heap_close(&heap);
}

// One of ten hidden objects has a table where the others have numbers: their
// type is one that the graph knows, so the word is a field all the same.
static void
a_hidden_object_has_its_table(void)
{
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *variables =
        native_heap_range(&heap, LG_RANGE_DATA, "libx.so", 10);
    native_heap_object(&heap, true);
    for (uint32_t i = 0; i < 10; i++) {
        uint64_t *hidden = native_heap_block(&heap, 64);
        hidden[0] = 1;
        hidden[1] = NATIVE_PATTERN_TYPE;
        hidden[2] = i == 0 ? native_heap_address(native_heap_block(&heap, 5000))
                           : 2 * i + 1;
        variables[i] = native_heap_address(hidden);
    }
    native_heap_finish(&heap);
    CHECK(native_heap_of(&heap, "lost native memory") == 0);
    CHECK(native_heap_of(&heap, "library variables") >= 5000);
    native_heap_close(&heap);
}

// Counts the references to an object.
static uint32_t
references_to(const native_heap *heap, uint32_t object)
{
    const lg_columns *columns = lg_graph_columns(heap->joined);
    uint32_t count = 0;
    for (uint64_t edge = 0; edge < columns->edge_count; edge++)
        count += lg_columns_target(columns, edge) == object + 1;
    return count;
}

// Each block holds an object, and borrows what this object refers to. If that
// has one more reference, it is the block's.
static void
blocks_borrow_what_an_object_keeps(void)
{
    enum { PAIRS = 20 };
    for (uint32_t references = 1; references <= 2; references++) {
        native_heap heap;
        native_heap_open(&heap);
        uint64_t *object = native_heap_object(&heap, true);
        uint64_t *entries = native_heap_block(&heap, 8 * PAIRS);
        object[2] = native_heap_address(entries);
        for (uint32_t i = 1; i < 2 * PAIRS; i += 2) {
            uint64_t *entry = native_heap_block(&heap, 64);
            entries[i / 2] = native_heap_address(entry);
            entry[0] = native_heap_address(native_heap_object(&heap, false));
            entry[1] = native_heap_address(native_heap_object(&heap, false));
            heap.refers_to[i] = i + 2;
            heap.refcounts[i + 1] = references;
        }
        native_heap_finish(&heap);
        for (uint32_t i = 1; i < 2 * PAIRS; i += 2) {
            CHECK(references_to(&heap, i) == 1);
            CHECK(references_to(&heap, i + 1) == references);
        }
        native_heap_close(&heap);
    }
}

SUITE(native_levels)
{
    RUN(a_hidden_object_has_its_table);
    RUN(two_of_several_that_lead_into_the_middle_are_weak);
    RUN(few_pointers_of_many_structs_are_leftovers);
    RUN(pointers_beside_numbers_lead_to_beginnings);
    RUN(numbers_do_not_contradict_an_array);
    RUN(what_is_left_of_a_tree_is_no_array);
    RUN(objects_borrow_what_they_lead_far_into);
    RUN(objects_borrow_the_middle_of_a_struct);
    RUN(a_lone_word_outvotes_what_leads_into_the_middle);
    RUN(a_vector_of_one_of_a_few_is_believed);
    RUN(one_of_several_pointers_may_be_shared);
    RUN(hash_tables_begin_at_words);
    RUN(weak_claims_are_told);
    RUN(lost_memory_is_no_claim);
    RUN(blocks_borrow_what_an_object_keeps);
    return test_result();
}
