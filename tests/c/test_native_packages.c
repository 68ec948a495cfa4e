// What the classes of packages and the company of other libraries say of words.
#include "native_heap.h"
#include "test.h"

#define PACKAGES "/venv/lib/python3.11/site-packages/"
enum { FIRST = 328, SECOND = 1000, LISTED = 10, CLASS = 440 };
static const uint64_t list_bytes = LISTED * NATIVE_LIST_BYTES;

// Gives the type lib.Other to a library, as if it were a type of C code.
static void
type_of_library(native_heap *heap, const char *library)
{
    heap->ranges[heap->range_count++] = (lg_native_range){
        NATIVE_OTHER_TYPE, NATIVE_OTHER_TYPE + 8, LG_RANGE_CODE, library};
}

// Adds a struct that an object alone has, and returns it.
static uint64_t *
struct_of(native_heap *heap, uint64_t *object, size_t bytes)
{
    uint64_t *place = native_heap_block(heap, bytes);
    object[2] = native_heap_address(place);
    return place;
}

static uint64_t *
object_of(native_heap *heap, uint64_t class, size_t bytes)
{
    uint64_t *place = native_heap_block(heap, bytes);
    place[0] = class;
    place[1] = 7;
    return place;
}

// Two structs lead to a struct that leads to a list, and that has the address
// of a class, or of a table of functions, in a word. Returns what the first
// has.
static uint64_t
held_beside(const char *type, uint32_t word)
{
    native_heap heap;
    native_heap_open(&heap);
    type_of_library(&heap, type);
    const uint64_t class = native_heap_address(native_heap_range(
        &heap, LG_RANGE_CODE, PACKAGES "b/lib/libb.so.1", 16));
    uint64_t *one = struct_of(&heap, native_heap_object(&heap, true), FIRST);
    uint64_t *other = struct_of(&heap, native_heap_other(&heap), SECOND);
    uint64_t *shared = object_of(&heap, 3, CLASS);
    shared[word] = class;
    shared[3] = native_heap_address(native_heap_list(&heap, LISTED));
    one[20] = other[20] = native_heap_address(shared);
    native_heap_finish(&heap);
    const uint64_t held = native_heap_held(&heap, 0);
    CHECK(native_heap_held(&heap, 1) == SECOND + NATIVE_CHUNK);
    native_heap_close(&heap);
    return held;
}

// What one package has leads to a class of another, or to a struct with
// functions of another, only if the other has left a pointer there.
static void
structs_belong_to_the_package_that_they_show(void)
{
    enum { IN_CLASS = 0, IN_STRUCT = 15 };
    static const char *const types[] = {
        PACKAGES "a/x.so", PACKAGES "b/x.so", PACKAGES "b.libs/y.so",
        PACKAGES "_b.cpython-311.so", "/usr/lib/x.so"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const uint64_t held = FIRST + NATIVE_CHUNK +
                              (i == 0 ? CLASS + NATIVE_CHUNK + list_bytes : 0);
        CHECK(held_beside(types[i], IN_CLASS) == held);
        CHECK(held_beside(types[i], IN_STRUCT) == held);
    }
}

// That a word leads into what another package has makes a weak one no better: a
// stack that leads to the beginning has the block.
static void
a_weak_word_to_another_package_stays_weak(void)
{
    enum { DATA = 8000, DEPTH = 6000 };
    native_heap heap;
    native_heap_open(&heap);
    type_of_library(&heap, PACKAGES "a/x.so");
    const uint64_t class = native_heap_address(native_heap_range(
        &heap, LG_RANGE_CODE, PACKAGES "b/lib/libb.so.1", 16));
    uint64_t *stack = native_heap_range(&heap, LG_RANGE_STACK, "stack", 8);
    uint64_t *own = struct_of(&heap, native_heap_other(&heap), SECOND);
    const uint64_t data = native_heap_address(object_of(&heap, class, DATA));
    stack[3] = data;
    own[20] = data + DEPTH;
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) == SECOND + NATIVE_CHUNK);
    native_heap_close(&heap);
}

// C code of a package may keep an object of a type of another package, which
// has what its fields lead to. A lone word elsewhere does not outvote these.
static void
packages_keep_objects_of_others(void)
{
    native_heap heap;
    native_heap_open(&heap);
    heap.ranges[heap.range_count++] =
        (lg_native_range){NATIVE_HOLDER_TYPE, NATIVE_HOLDER_TYPE + 8,
                          LG_RANGE_CODE, PACKAGES "b/x.so"};
    type_of_library(&heap, PACKAGES "a/x.so");
    uint64_t *kept = native_heap_object(&heap, false);
    uint64_t *one = struct_of(&heap, native_heap_object(&heap, true), FIRST);
    for (uint32_t i = 0; i < 2; i++)
        struct_of(&heap, native_heap_other(&heap),
                  SECOND + 80 * (size_t)i)[20] = native_heap_address(kept);
    kept[2] = one[20] = native_heap_address(native_heap_list(&heap, LISTED));
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 1) == FIRST + NATIVE_CHUNK);
    native_heap_close(&heap);
}

// The same for a class of which there are many objects, and the word of an
// object of Python leads to any class.
static void
classes_of_many_objects_belong_to_their_package(void)
{
    enum { ALIKE = 4, NUMBERS = 8, OWN, FOREIGN, COUNT };
    for (int which = OWN; which < COUNT; which++) {
        native_heap heap;
        native_heap_open(&heap);
        type_of_library(&heap, PACKAGES "a/x.so");
        const uint64_t class = native_heap_address(
            native_heap_range(&heap, LG_RANGE_CODE, PACKAGES "b/x.so", 16));
        uint64_t *one =
            struct_of(&heap, native_heap_object(&heap, true), FIRST);
        uint64_t *owner = native_heap_other(&heap);
        uint64_t *other = struct_of(&heap, owner, SECOND);
        for (uint32_t i = 0; i < ALIKE; i++)
            one[20 + i] = native_heap_address(object_of(&heap, class, CLASS));
        for (uint32_t i = 0; i < NUMBERS; i++)
            one[8 + i] = 1000 + i;
        (which == OWN ? owner : other)[which == OWN ? 3 : 20] = one[20];
        native_heap_finish(&heap);
        CHECK(native_heap_held(&heap, 0) ==
              FIRST + NATIVE_CHUNK +
                  (which == OWN ? ALIKE - 1 : ALIKE) * (CLASS + NATIVE_CHUNK));
        CHECK(native_heap_held(&heap, 1) ==
              SECOND + NATIVE_CHUNK +
                  (which == OWN ? CLASS + NATIVE_CHUNK : 0));
        native_heap_close(&heap);
    }
}

// Who makes an object of a class writes its fields, but nobody clears a struct
// of C.
static void
classes_outvote_structs(void)
{
    enum { STRUCT, OBJECT, COUNT };
    for (int which = 0; which < COUNT; which++) {
        native_heap heap;
        native_heap_open(&heap);
        const uint64_t class = native_heap_address(
            native_heap_range(&heap, LG_RANGE_CODE, PACKAGES "b/x.so", 16));
        uint64_t *one =
            struct_of(&heap, native_heap_object(&heap, true), FIRST);
        uint64_t *other =
            struct_of(&heap, native_heap_object(&heap, true), SECOND);
        if (which == OBJECT)
            one[0] = class;
        one[20] = other[20] =
            native_heap_address(native_heap_list(&heap, LISTED));
        native_heap_finish(&heap);
        CHECK(native_heap_held(&heap, 0) ==
              FIRST + NATIVE_CHUNK + (which == OBJECT ? list_bytes : 0));
        CHECK(native_heap_held(&heap, 1) == SECOND + NATIVE_CHUNK);
        native_heap_close(&heap);
    }
}

// malloc gives eight bytes more than some structs ask for, so the last word of
// a struct may be left over. From class to class of a package, it is a field.
static void
the_last_field_of_a_class_leads_to_a_class(void)
{
    enum { TO_STRUCT, TO_CLASS, TO_OTHER, COUNT };
    for (int which = 0; which < COUNT; which++) {
        native_heap heap;
        native_heap_open(&heap);
        const uint64_t class = native_heap_address(
            native_heap_range(&heap, LG_RANGE_CODE, PACKAGES "b/x.so", 16));
        const uint64_t foreign = native_heap_address(
            native_heap_range(&heap, LG_RANGE_CODE, PACKAGES "c/x.so", 16));
        uint64_t *one =
            struct_of(&heap, native_heap_object(&heap, true), FIRST);
        uint64_t *other =
            struct_of(&heap, native_heap_object(&heap, true), SECOND);
        uint64_t *shared = object_of(&heap,
                                     which == TO_CLASS   ? class
                                     : which == TO_OTHER ? foreign
                                                         : 3,
                                     CLASS);
        one[0] = class;
        one[FIRST / 8 - 1] = other[20] = native_heap_address(shared);
        native_heap_finish(&heap);
        CHECK(native_heap_held(&heap, 0) ==
              FIRST + NATIVE_CHUNK +
                  (which == TO_CLASS ? CLASS + NATIVE_CHUNK : 0));
        CHECK(native_heap_held(&heap, 1) ==
              SECOND + NATIVE_CHUNK +
                  (which != TO_CLASS ? CLASS + NATIVE_CHUNK : 0));
        native_heap_close(&heap);
    }
}

// Variables of a library lead to structs of one size that have nothing in
// common. Those of a class are told from all others, and nothing contradicts
// the one that has a list.
static void
classes_below_variables_have_kinds_of_their_own(void)
{
    enum { STRUCTS = 12, BYTES = 72, ALONE, ALIKE, COUNT };
    for (int which = ALONE; which < COUNT; which++) {
        native_heap heap;
        native_heap_open(&heap);
        uint64_t *classes =
            native_heap_range(&heap, LG_RANGE_CODE, PACKAGES "b/x.so", 64);
        uint64_t *data =
            native_heap_range(&heap, LG_RANGE_DATA, PACKAGES "b/x.so", 64);
        for (uint32_t i = 0; i < STRUCTS; i++) {
            uint64_t *place = native_heap_block(&heap, BYTES);
            uint64_t *table = native_heap_block(&heap, 32);
            data[i] = native_heap_address(place);
            place[0] = which == ALONE ? native_heap_address(&classes[i])
                                      : UINT64_C(0x1000) + i;
            place[2] = native_heap_address(table);
            place[4] =
                i == 3 ? native_heap_address(native_heap_list(&heap, LISTED))
                       : 1000 + i;
        }
        native_heap_finish(&heap);
        CHECK(native_heap_of(&heap, "lost native memory") ==
              (which == ALONE ? 0 : list_bytes));
        native_heap_close(&heap);
    }
}

// What leads into the middle of a struct borrows it, as a rule: it belongs to
// neither an object that does, nor to a variable that leads to its beginning by
// a lone word.
static void
pointers_into_the_middle_borrow(void)
{
    enum { OBJECTS = 8, OWN = 88, NODE = 120 };
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *data = native_heap_range(&heap, LG_RANGE_DATA, "liba.so", 8);
    uint64_t *registry = native_heap_block(&heap, FIRST);
    uint64_t *place = &registry[8];
    data[1] = native_heap_address(registry);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        uint64_t *node = native_heap_block(&heap, NODE);
        uint64_t *own = struct_of(&heap, native_heap_object(&heap, true), OWN);
        *place = native_heap_address(node);
        place = &node[1];
        own[4] = native_heap_address(&node[8]);
    }
    native_heap_finish(&heap);
    for (uint32_t i = 0; i < OBJECTS; i++)
        CHECK(native_heap_held(&heap, i) == OWN + NATIVE_CHUNK);
    native_heap_close(&heap);
}

SUITE(native_packages)
{
    RUN(a_weak_word_to_another_package_stays_weak);
    RUN(structs_belong_to_the_package_that_they_show);
    RUN(packages_keep_objects_of_others);
    RUN(classes_of_many_objects_belong_to_their_package);
    RUN(classes_outvote_structs);
    RUN(the_last_field_of_a_class_leads_to_a_class);
    RUN(classes_below_variables_have_kinds_of_their_own);
    RUN(pointers_into_the_middle_borrow);
    return test_result();
}
