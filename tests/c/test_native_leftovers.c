// What earlier owners of a block's memory have left in it, and what garbage
// has.
#include "native_heap.h"
#include "test.h"

#include <leakgraph/internal/columns.h>

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

// The last letters of a text change some bytes of the address that lay there
// before, and the rest still leads to a block. What lies behind a text whose
// letters fill whole words is no part of it, if it begins with no letter.
static void
the_last_letters_of_a_text_are_no_address(void)
{
    enum { COPIES = 10, ROOM = 48, BYTES = 1 << 18 };
    for (uint32_t whole = 0; whole <= 1; whole++) {
        native_heap heap;
        native_heap_open(&heap);
        uint64_t *copies = native_heap_block(&heap, 8 * (size_t)COPIES);
        native_heap_object(&heap, true)[2] = native_heap_address(copies);
        uint64_t *block = native_heap_block(&heap, BYTES);
        const uint64_t middle =
            (native_heap_address(block) + BYTES / 2) & ~UINT64_C(0xffff);
        const uint64_t unlike_letters =
            (native_heap_address(block) | UINT64_C(0xff)) + 0x11;
        for (uint32_t copy = 0; copy < COPIES; copy++) {
            uint64_t *text = native_heap_block(&heap, ROOM);
            copies[copy] = native_heap_address(text);
            memcpy(text, "a number", 8);
            text[1] = whole ? unlike_letters : middle + '1';
        }
        native_heap_finish(&heap);
        CHECK(native_heap_of(&heap, "lost native memory") ==
              (whole ? 0 : BYTES + NATIVE_CHUNK));
        native_heap_close(&heap);
    }
}

// Adds up the levels of all references to a node.
static unsigned
levels_to(const native_heap *heap, uint32_t node)
{
    const lg_columns *columns = lg_graph_columns(heap->joined);
    unsigned sum = 0;
    for (uint64_t edge = 0; edge < columns->edge_count; edge++)
        if (lg_columns_target(columns, edge) == node)
            sum += lg_edge_level(heap->joined, edge);
    return sum;
}

// A block that nobody has written since it was free has two words into the C
// library's lists, and explains no reference, though another block may.
static void
unwritten_blocks_explain_no_object(void)
{
    enum { WRITTEN, UNWRITTEN, BOTH, COUNT };
    for (int which = 0; which < COUNT; which++) {
        native_heap heap;
        native_heap_open(&heap);
        uint64_t *object = native_heap_object(&heap, false);
        uint64_t *unwritten = native_heap_block(&heap, 64);
        uint64_t *written = native_heap_block(&heap, 200);
        uint64_t *libc =
            native_heap_range(&heap, LG_RANGE_DATA, "/usr/lib/libc.so.6", 64);
        uint64_t *range =
            native_heap_range(&heap, LG_RANGE_DATA, "/usr/lib/libfoo.so.1", 8);
        range[1] = native_heap_address(unwritten);
        range[2] = native_heap_address(written);
        unwritten[0] = unwritten[1] = native_heap_address(libc);
        if (which != WRITTEN)
            unwritten[3] = native_heap_address(object);
        if (which != UNWRITTEN)
            written[3] = native_heap_address(object);
        native_heap_finish(&heap);
        CHECK(lg_node_unexplained(heap.joined, 1) == (which == UNWRITTEN));
        CHECK(levels_to(&heap, 1) == (which == UNWRITTEN ? 0 : LG_LEVEL_EXACT));
        native_heap_close(&heap);
    }
}

// malloc's lists lead to free chunks, each of which begins in the last word of
// the block before it. Variables of other libraries may lead there, too.
static void
lists_of_malloc_hold_no_block(void)
{
    enum { ITEMS = 10, ITEM = 48 };
    static const char *const libraries[] = {"/usr/lib/libc.so.6",
                                            "/usr/lib/libfoo.so.1"};
    for (size_t i = 0; i < 2; i++) {
        native_heap heap;
        native_heap_open(&heap);
        uint64_t *data =
            native_heap_range(&heap, LG_RANGE_DATA, libraries[i], 64);
        uint64_t *first = native_heap_list(&heap, ITEMS);
        data[9] = native_heap_address(first) + ITEM - 8;
        native_heap_finish(&heap);
        CHECK(native_heap_of(&heap, "lost native memory") ==
              (i == 0 ? ITEMS * NATIVE_LIST_BYTES : 0));
        native_heap_close(&heap);
    }
}

// Garbage has what a living object would have, though a registry of a library
// leads there, too.
static void
garbage_has_what_a_registry_borrows(void)
{
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *object = native_heap_object(&heap, false);
    uint64_t *data = native_heap_range(&heap, LG_RANGE_DATA, "liba.so", 8);
    uint64_t *entry = native_heap_block(&heap, 32);
    heap.refers_to[0] = 1;
    data[1] = native_heap_address(entry);
    entry[1] = native_heap_address(object);
    object[2] = entry[2] = native_heap_address(native_heap_block(&heap, 640));
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) == 640 + NATIVE_CHUNK);
    native_heap_close(&heap);
}

// An object to which C code may have a reference is worth what leads to it.
static void
what_c_code_may_keep_is_no_garbage(void)
{
    for (uint32_t kept = 0; kept <= 1; kept++) {
        native_heap heap;
        native_heap_open(&heap);
        uint64_t *object = native_heap_object(&heap, false);
        uint64_t *other = native_heap_object(&heap, true);
        uint64_t *data =
            native_heap_range(&heap, LG_RANGE_DATA, "ld-2.31.so", 8);
        uint64_t *entry = native_heap_block(&heap, 32);
        uint64_t *own = native_heap_block(&heap, 48);
        heap.refers_to[0] = 1;
        heap.refcounts[0] = 1 + kept;
        data[1] = native_heap_address(entry);
        entry[1] = native_heap_address(object);
        other[2] = native_heap_address(own);
        object[2] = own[1] = native_heap_address(native_heap_block(&heap, 640));
        native_heap_finish(&heap);
        CHECK(native_heap_held(&heap, kept ? 1 : 0) >= 640 + NATIVE_CHUNK);
        native_heap_close(&heap);
    }
}

// Adds an object that has a list by a lone pointer of its state, and returns
// the list. What it holds is STATE and the list.
enum { LISTED = 20, STATE = 72 + NATIVE_CHUNK };

static uint64_t *
listed_by_state(native_heap *heap)
{
    uint64_t *state = native_heap_block(heap, 72);
    uint64_t *list = native_heap_list(heap, LISTED);
    native_heap_object(heap, true)[2] = native_heap_address(state);
    state[3] = native_heap_address(list);
    return list;
}

// Adds an object with an array of structs, and lists these.
enum { STRUCTS = 10, STRUCT_BYTES = 104 };

static void
structs_of_object(native_heap *heap, uint64_t **structs)
{
    uint64_t *array = native_heap_block(heap, 8 * (size_t)STRUCTS);
    native_heap_object(heap, true)[2] = native_heap_address(array);
    for (uint32_t i = 0; i < STRUCTS; i++) {
        structs[i] = native_heap_block(heap, STRUCT_BYTES);
        array[i] = native_heap_address(structs[i]);
    }
}

// A vector that grew has room behind its end, in which lies what was there
// before, even where malloc gave it the rest of a chunk along. Of two that lead
// to a block, one is a copy of what it was.
static void
the_room_behind_a_vector_holds_nothing(void)
{
    enum { GROWN, GIVEN, COPIED, FULL, COUNT };
    for (int which = 0; which < COUNT; which++) {
        const uint64_t room = which == GIVEN ? 2 : 3;
        uint64_t *structs[STRUCTS];
        native_heap heap;
        native_heap_open(&heap);
        const uint64_t list = native_heap_address(listed_by_state(&heap));
        structs_of_object(&heap, structs);
        for (uint32_t i = 0; i < STRUCTS; i++) {
            uint64_t *items =
                native_heap_block(&heap, which == GIVEN ? 40 : 24);
            const uint64_t begin = native_heap_address(items);
            const bool is_short = i == 4 && which != FULL;
            structs[i][3] = begin;
            structs[i][4] = begin + 8 * (is_short ? 1 : room);
            structs[i][5] = begin + 8 * room;
            for (uint32_t item = 0; item < room; item++)
                items[item] =
                    native_heap_address(native_heap_block(&heap, 200));
            if (i == 4)
                items[room - 1] = list;
            if (i == 4 && which == COPIED) {
                structs[i][7] = begin;
                structs[i][8] = structs[i][9] = begin + 8 * room;
            }
        }
        native_heap_finish(&heap);
        CHECK(native_heap_held(&heap, 0) ==
              (which <= GIVEN ? STATE + LISTED * NATIVE_LIST_BYTES : STATE));
        native_heap_close(&heap);
    }
}

// A pool of texts says where its free rest begins and ends. Nobody clears that
// rest. Two addresses are no such account if one of them is not the end of the
// block, or if the pair itself would be free. A pool that also says where its
// first text begins has all of it when it is full.
static void
the_free_rest_of_a_pool_holds_nothing(void)
{
    enum {
        REST,
        ROUNDED,
        BEGUN,
        FULL,
        MIDDLE,
        WHOLE,
        WITHIN,
        BEGUN_AND_FULL,
        COUNT
    };
    enum { BYTES = 512, ITEMS = 40, ITEM = 200, BEFORE = 16 };
    static const uint64_t account[COUNT][3] = {
        [REST] = {93, BYTES},       [ROUNDED] = {93, BYTES - 24},
        [BEGUN] = {64, 93, BYTES},  [FULL] = {BYTES, BYTES},
        [MIDDLE] = {93, BYTES / 2}, [WHOLE] = {0, BYTES},
        [WITHIN] = {16, BYTES},     [BEGUN_AND_FULL] = {64, BYTES, BYTES},
    };
    for (int which = 0; which < COUNT; which++) {
        native_heap heap;
        native_heap_open(&heap);
        uint64_t *pool = native_heap_block(&heap, BYTES);
        uint64_t *state = native_heap_block(&heap, BYTES);
        native_heap_object(&heap, true)[2] = native_heap_address(pool);
        native_heap_object(&heap, true)[2] = native_heap_address(state);
        for (uint32_t at = 0; at < 3; at++)
            pool[1 + at] = at < 2 || account[which][at] > 0
                               ? native_heap_address(pool) + account[which][at]
                               : 0;
        for (uint32_t item = 0; item < ITEMS; item++)
            pool[BEFORE + item] = state[BEFORE + item] =
                native_heap_address(native_heap_block(&heap, ITEM));
        native_heap_finish(&heap);
        CHECK(native_heap_held(&heap, 1) ==
              BYTES + NATIVE_CHUNK +
                  (which <= BEGUN ? ITEMS * (ITEM + NATIVE_CHUNK) : 0));
        native_heap_close(&heap);
    }
}

// A string that was freed leaves its address and its length, and its block may
// be a struct of others by now. A length of whole words may be that of a table,
// and a number beside a pointer may be as large by chance.
static void
a_freed_text_holds_nothing(void)
{
    enum { BYTES = 40, NODES = 10, CHANCE = 6 };
    static const uint64_t lengths[] = {33, 38, 32, 39, 23, 41, 34};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        uint64_t *structs[STRUCTS];
        native_heap heap;
        native_heap_open(&heap);
        uint64_t *state = native_heap_block(&heap, 72);
        uint64_t *link = &state[3];
        native_heap_object(&heap, true)[2] = native_heap_address(state);
        structs_of_object(&heap, structs);
        for (uint32_t node = 0; node < NODES; node++) {
            uint64_t *next = native_heap_block(&heap, BYTES);
            *link = native_heap_address(next);
            structs[node][6] = native_heap_address(next);
            structs[node][7] = i == CHANCE && node != 0 ? 7 : lengths[i];
            link = next;
        }
        *link = native_heap_address(native_heap_block(&heap, BYTES));
        native_heap_finish(&heap);
        const bool is_text = i != 2 && i < 4;
        CHECK(native_heap_held(&heap, 0) ==
              (is_text ? STATE + (NODES + 1) * (BYTES + NATIVE_CHUNK) : STATE));
        native_heap_close(&heap);
    }
}

// Adds an object with a chain of blocks, each of which begins with a text and
// leads to the next by the word `link`. To one of `given`, malloc has given the
// rest of a chunk along.
enum { CHAIN = 60, CHAINED = 56, GIFT = 16 };

static void
chain_of_object(native_heap *heap, uint32_t link, const char *text,
                uint32_t given, uint64_t **blocks)
{
    uint64_t *place = native_heap_object(heap, true) + 2;
    for (uint32_t i = 0; i < CHAIN; i++) {
        blocks[i] = native_heap_block(
            heap, CHAINED + (i % given == given - 1 ? GIFT : 0));
        memcpy(blocks[i], text, strlen(text));
        *place = native_heap_address(blocks[i]);
        place = &blocks[i][link];
    }
}

// What structs of one size that one type of object has have in common says
// nothing of those among them that begin with a text.
static void
structs_with_a_name_are_no_texts(void)
{
    uint64_t *chain[CHAIN], *structs[STRUCTS];
    native_heap heap;
    native_heap_open(&heap);
    for (uint32_t i = 0; i < 2; i++)
        chain_of_object(&heap, 1, "", CHAIN + 1, chain);
    chain_of_object(&heap, 5, "name", CHAIN + 1, chain);
    structs_of_object(&heap, structs);
    structs[4][6] = native_heap_address(chain[1]);
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 2) == CHAIN * (CHAINED + NATIVE_CHUNK));
    native_heap_close(&heap);
}

// A block of a list to which malloc has given the rest of a chunk along is one
// of the list, so its pointer is as good as those of the others.
static void
blocks_of_a_list_may_have_gifts(void)
{
    enum { GIVEN = 20, STEPS = 4, OTHER = 200 };
    uint64_t *chain[CHAIN];
    native_heap heap;
    native_heap_open(&heap);
    chain_of_object(&heap, 0, "", GIVEN, chain);
    uint64_t *place = native_heap_object(&heap, true) + 2;
    for (size_t i = 0; i < STEPS; i++) {
        uint64_t *step = native_heap_block(&heap, OTHER + 32 * i);
        *place = native_heap_address(step);
        place = &step[3];
    }
    *place = native_heap_address(chain[GIVEN]);
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) ==
          CHAIN * (CHAINED + NATIVE_CHUNK) + CHAIN / GIVEN * GIFT);
    native_heap_close(&heap);
}

// To some blocks malloc has given the rest of a chunk along. That they have
// the size of what they lead to says nothing of that.
static void
what_leads_on_has_no_gift_of_its_own(void)
{
    enum { OBJECTS = 20, STRUCT = 200, SMALL = 24, LARGE = 40, TAIL = 120 };
    enum { EACH = STRUCT + SMALL + LARGE + TAIL + 4 * NATIVE_CHUNK };
    native_heap heap;
    native_heap_open(&heap);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        const bool given = i % 5 == 4;
        uint64_t *own = native_heap_block(&heap, STRUCT);
        uint64_t *small = native_heap_block(&heap, given ? LARGE : SMALL);
        uint64_t *large = native_heap_block(&heap, LARGE);
        native_heap_object(&heap, true)[2] = native_heap_address(own);
        own[1] = native_heap_address(small);
        own[2] = native_heap_address(large);
        small[0] = native_heap_address(large);
        large[4] = native_heap_address(native_heap_block(&heap, TAIL));
    }
    native_heap_finish(&heap);
    for (uint32_t i = 0; i < OBJECTS; i++)
        CHECK(native_heap_held(&heap, i) == EACH + (i % 5 == 4 ? GIFT : 0));
    native_heap_close(&heap);
}

// The same, where structs have gifts, too, and what they lead to is of one kind
// but for its gift.
static void
what_structs_with_gifts_lead_to_has_none_of_its_own(void)
{
    enum { OBJECTS = 20, STRUCT = 200, SMALL = 24, TAIL = 120 };
    enum { EACH = STRUCT + SMALL + TAIL + 3 * NATIVE_CHUNK };
    size_t given[OBJECTS];
    native_heap heap;
    native_heap_open(&heap);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        const size_t first = i % 5 == 0 ? GIFT : 0;
        const size_t second = i % 5 <= 1 ? GIFT : 0;
        uint64_t *own = native_heap_block(&heap, STRUCT + first);
        uint64_t *small = native_heap_block(&heap, SMALL + second);
        native_heap_object(&heap, true)[2] = native_heap_address(own);
        own[1] = native_heap_address(small);
        small[2] = native_heap_address(native_heap_block(&heap, TAIL));
        given[i] = first + second;
    }
    native_heap_finish(&heap);
    for (uint32_t i = 0; i < OBJECTS; i++)
        CHECK(native_heap_held(&heap, i) == EACH + given[i]);
    native_heap_close(&heap);
}

// Structs lead to data that have their size. What the data have in a word says
// nothing against the pointers that the structs have there.
static void
data_of_the_size_of_a_struct_are_none_of_its_list(void)
{
    enum { OBJECTS = 10, BYTES = 168, TABLE = 208, DATA = 25, OTHER = 1000 };
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *other = native_heap_block(&heap, OTHER);
    uint64_t *range = native_heap_range(&heap, LG_RANGE_DATA, "liba.so", 8);
    range[1] = native_heap_address(other);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        uint64_t *own = native_heap_block(&heap, BYTES);
        uint64_t *table = native_heap_block(&heap, TABLE);
        native_heap_object(&heap, true)[2] = native_heap_address(own);
        own[9] = native_heap_address(table);
        for (uint32_t entry = 0; entry < DATA; entry++) {
            uint64_t *data = native_heap_block(&heap, BYTES);
            table[entry] = native_heap_address(data);
            for (size_t word = 0; word < BYTES / 8; word++)
                data[word] = 0x0123456789ull * (entry + word + 2);
            data[20] = i == 0 ? native_heap_address(other) : 0;
        }
        other[100] = i == 4 ? native_heap_address(table) : other[100];
    }
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 4) ==
          BYTES + TABLE + DATA * BYTES + (2 + DATA) * NATIVE_CHUNK);
    native_heap_close(&heap);
}

// Objects lead to structs in which a word is a number. Where it leads to
// a block, it is what was there before.
static void
a_number_of_most_structs_is_no_pointer(void)
{
    enum { OBJECTS = 10, BYTES = 56, OTHER = 1000, ITEMS = 10 };
    native_heap heap;
    native_heap_open(&heap);
    const uint64_t list = native_heap_address(native_heap_list(&heap, ITEMS));
    uint64_t *other = native_heap_block(&heap, OTHER);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        uint64_t *own = native_heap_block(&heap, BYTES);
        native_heap_object(&heap, true)[2] = native_heap_address(own);
        own[0] = 1;
        own[1] = native_heap_address(native_heap_block(&heap, 24));
        own[4] = i == 4 ? list : 0x30;
    }
    native_heap_other(&heap)[2] = native_heap_address(other);
    other[40] = list;
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 4) ==
          BYTES + NATIVE_CHUNK + 24 + NATIVE_CHUNK);
    CHECK(native_heap_held(&heap, OBJECTS) ==
          OTHER + NATIVE_CHUNK + ITEMS * NATIVE_LIST_BYTES);
    native_heap_close(&heap);
}

// Adds blocks of a size that have a number in a word, where others of that
// size have a pointer.
static void
add_noise(native_heap *heap, size_t bytes, uint32_t word)
{
    enum { BLOCKS = 20 };
    for (uint32_t i = 0; i < BLOCKS; i++) {
        uint64_t *block = native_heap_block(heap, bytes);
        block[word] = 1000 + i;
        block[word + 3] =
            native_heap_address(native_heap_block(heap, 32 + 16 * (size_t)i));
    }
}

// Two objects have structs that lead to structs of one size, and a third has a
// number there. What is told of the kinds of those structs says nothing
// against them: a word on a stack leads to one.
static void
few_structs_lead_to_what_has_one_size(void)
{
    enum { OBJECTS = 3, HEAD = 200, INNER = 88, LAST = 168 };
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *stack = native_heap_range(&heap, LG_RANGE_STACK, "", 8);
    add_noise(&heap, INNER, 2);
    add_noise(&heap, HEAD, 20);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        uint64_t *head = native_heap_block(&heap, HEAD);
        uint64_t *inner = native_heap_block(&heap, INNER);
        uint64_t *last = native_heap_block(&heap, LAST);
        native_heap_object(&heap, true)[2] = native_heap_address(head);
        head[20] = native_heap_address(inner);
        inner[2] = i < 2 ? native_heap_address(last) : 1000;
        inner[4] = native_heap_address(native_heap_block(&heap, 24));
        if (i == 0)
            stack[2] = native_heap_address(last);
    }
    native_heap_finish(&heap);
    for (uint32_t i = 0; i < 2; i++)
        CHECK(native_heap_held(&heap, i) ==
              HEAD + INNER + LAST + 24 + 4 * NATIVE_CHUNK);
    native_heap_close(&heap);
}

// Objects have structs two steps away, of which half lead to a struct of one
// size and the others have a number there. What is left behind a text outvotes
// none, but the last word of a struct, which malloc may have given along, is
// worth less.
static void
check_several(uint32_t place)
{
    enum { OBJECTS = 4, HEAD = 200, INNER = 88, LAST = 168, NOTE = 1000 };
    enum { LAST_PLACE = INNER / 8 - 1 };
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *note = native_heap_block(&heap, NOTE);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        uint64_t *head = native_heap_block(&heap, HEAD);
        uint64_t *inner = native_heap_block(&heap, INNER);
        uint64_t *last = native_heap_block(&heap, LAST);
        native_heap_object(&heap, true)[2] = native_heap_address(head);
        head[20] = native_heap_address(inner);
        inner[place] = i < 2 ? native_heap_address(last) : 1000 + i;
        note[100] = i == 0 ? native_heap_address(last) : note[100];
    }
    memset(note, 'x', 96);
    native_heap_other(&heap)[2] = native_heap_address(note);
    native_heap_finish(&heap);
    for (uint32_t i = 0; i < 2; i++)
        CHECK(native_heap_held(&heap, i) ==
              HEAD + INNER + 2 * NATIVE_CHUNK +
                  (place < LAST_PLACE ? LAST + NATIVE_CHUNK : 0));
    native_heap_close(&heap);
}

static void
two_of_several_structs_agree(void)
{
    check_several(2);
    check_several(10);
}

// A table of structs leads to structs, each of which leads to a block of as
// many bytes as the table has. Earlier owners have left a word in each of
// these.
static void
tables_are_no_kind_of_what_their_structs_lead_to(void)
{
    enum { ROWS = 64, BYTES = 24 * ROWS, ROW = 40, NOTE = 1000, NOTED = 3 };
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *table = native_heap_block(&heap, BYTES);
    uint64_t *note = native_heap_block(&heap, NOTE);
    native_heap_object(&heap, true)[2] = native_heap_address(table);
    native_heap_other(&heap)[2] = native_heap_address(note);
    for (uint32_t i = 0; i < ROWS; i++) {
        uint64_t *row = native_heap_block(&heap, ROW);
        uint64_t *cells = native_heap_block(&heap, BYTES);
        table[3 * i] = i + 1;
        table[3 * i + 1] = 1;
        table[3 * i + 2] = native_heap_address(row);
        row[0] = native_heap_address(cells);
        cells[2 * i + 1] = native_heap_address(note) + 8 * (uint64_t)i;
        if (i < NOTED)
            note[20 + 7 * i] = native_heap_address(row);
    }
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) ==
          BYTES + NATIVE_CHUNK + ROWS * (ROW + BYTES + 2 * NATIVE_CHUNK));
    native_heap_close(&heap);
}

// An object leads to the first node of a list. Of the others it says nothing: a
// word that few of them have, where most have nothing or a number, is what was
// there before.
static void
an_object_says_nothing_of_the_next_nodes_of_a_list(void)
{
    enum { NUMBERED = 10, OTHER = 5000 };
    uint64_t *chain[CHAIN];
    native_heap heap;
    native_heap_open(&heap);
    chain_of_object(&heap, 0, "", CHAIN + 1, chain);
    uint64_t *stack = native_heap_range(&heap, LG_RANGE_STACK, "stack", 8);
    uint64_t *other = native_heap_block(&heap, OTHER);
    stack[3] = native_heap_address(other);
    for (uint32_t i = 0; i < NUMBERED; i++)
        chain[20 + i][4] = 17 + i;
    chain[7][4] = native_heap_address(other);
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) == CHAIN * (CHAINED + NATIVE_CHUNK));
    native_heap_close(&heap);
}

// Adds up the levels of all references to so many blocks of one node.
static unsigned
levels_to_blocks(const native_heap *heap, uint64_t blocks)
{
    unsigned sum = 0;
    for (uint32_t node = 0; node < lg_graph_columns(heap->joined)->node_count;
         node++)
        if (lg_node_blocks(heap->joined, node) == blocks)
            sum += levels_to(heap, node);
    return sum;
}

// Adds an object with a list, some of whose nodes lead to a block by a word
// that is a number in others. Returns the last of these blocks.
enum { NODES = 600, SOME = 20, OTHER = 400 };

static uint64_t
blocks_of_few_nodes(native_heap *heap, uint32_t numbered)
{
    uint64_t last = 0;
    uint64_t *node = native_heap_list(heap, NODES);
    native_heap_object(heap, true)[2] = native_heap_address(node);
    for (uint32_t i = 0; i < SOME + numbered; i++) {
        node = (uint64_t *)(uintptr_t)node[0];
        if (i < SOME)
            last = native_heap_address(native_heap_block(heap, OTHER));
        node[4] = i < SOME ? last : 17 + i;
    }
    return last;
}

// What few of many nodes have is perhaps a pointer where more of them have
// a number. Where the others have nothing, it may be one.
static void
what_few_nodes_have_beside_numbers_is_weak(void)
{
    enum { NUMBERED = 60 };
    for (uint32_t numbered = 0; numbered <= NUMBERED; numbered += NUMBERED) {
        native_heap heap;
        native_heap_open(&heap);
        blocks_of_few_nodes(&heap, numbered);
        native_heap_finish(&heap);
        CHECK(levels_to_blocks(&heap, SOME) ==
              (numbered > 0 ? LG_LEVEL_WEAK : LG_LEVEL_POSSIBLE));
        native_heap_close(&heap);
    }
}

// A variable of the runtime leads to one of the blocks, too. That block is of
// another kind by then, but it looks like the others.
static void
a_variable_and_few_nodes_share_a_block(void)
{
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *data = native_heap_range(&heap, LG_RANGE_DATA, "ld-2.31.so", 8);
    data[1] = blocks_of_few_nodes(&heap, 0);
    native_heap_finish(&heap);
    CHECK(native_heap_of(&heap, "library variables") == 0);
    native_heap_close(&heap);
}

// A word on a stack that leads to the beginning of a block is better than a
// lone one that leads into the middle, which holds the block if nothing else
// does.
static void
a_stack_has_what_a_lone_word_leads_into(void)
{
    enum { DATA = 8000, DEPTH = 6000 };
    for (uint32_t stacked = 0; stacked <= 1; stacked++) {
        native_heap heap;
        native_heap_open(&heap);
        uint64_t *stack = native_heap_range(&heap, LG_RANGE_STACK, "stack", 8);
        uint64_t *state = native_heap_block(&heap, 72);
        const uint64_t data =
            native_heap_address(native_heap_block(&heap, DATA));
        native_heap_object(&heap, true)[2] = native_heap_address(state);
        state[5] = data + DEPTH;
        stack[3] = stacked ? data : 0;
        native_heap_finish(&heap);
        CHECK(native_heap_held(&heap, 0) ==
              STATE + (stacked ? 0 : DATA + NATIVE_CHUNK));
        native_heap_close(&heap);
    }
}

// So it is better than a weak one that few of many nodes have.
static void
a_stack_has_what_few_nodes_lead_to(void)
{
    enum { NUMBERED = 60 };
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *stack = native_heap_range(&heap, LG_RANGE_STACK, "stack", 8);
    stack[3] = blocks_of_few_nodes(&heap, NUMBERED);
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) ==
          NODES * NATIVE_LIST_BYTES + (SOME - 1) * (OTHER + NATIVE_CHUNK));
    native_heap_close(&heap);
}

SUITE(native_leftovers)
{
    RUN(a_stack_has_what_a_lone_word_leads_into);
    RUN(a_stack_has_what_few_nodes_lead_to);
    RUN(an_object_says_nothing_of_the_next_nodes_of_a_list);
    RUN(the_last_letters_of_a_text_are_no_address);
    RUN(a_variable_and_few_nodes_share_a_block);
    RUN(what_few_nodes_have_beside_numbers_is_weak);
    RUN(tables_are_no_kind_of_what_their_structs_lead_to);
    RUN(two_of_several_structs_agree);
    RUN(lists_of_malloc_hold_no_block);
    RUN(a_number_of_most_structs_is_no_pointer);
    RUN(few_structs_lead_to_what_has_one_size);
    RUN(structs_with_a_name_are_no_texts);
    RUN(blocks_of_a_list_may_have_gifts);
    RUN(what_leads_on_has_no_gift_of_its_own);
    RUN(what_structs_with_gifts_lead_to_has_none_of_its_own);
    RUN(data_of_the_size_of_a_struct_are_none_of_its_list);
    RUN(the_room_behind_a_vector_holds_nothing);
    RUN(the_free_rest_of_a_pool_holds_nothing);
    RUN(a_freed_text_holds_nothing);
    RUN(words_between_stray_ones_hold_no_object);
    RUN(what_lies_behind_a_copied_text_holds_nothing);
    RUN(unwritten_blocks_explain_no_object);
    RUN(garbage_has_what_a_registry_borrows);
    RUN(what_c_code_may_keep_is_no_garbage);
    return test_result();
}
