// Who owns native memory: heaps with known structures.
#include "native/native_private.h"
#include "native_heap.h"

#include <leakgraph/internal/columns.h>
#include <leakgraph/internal/places.h>
#include "test.h"

typedef struct heard {
    uint32_t times;
    double done;
} heard;

static bool
hear(void *context, const char *phase, double done)
{
    heard *so_far = context;
    CHECK(strcmp(phase, "finding who holds native memory") == 0);
    CHECK(done >= so_far->done && done <= 1);
    so_far->done = done;
    so_far->times++;
    return true;
}

// Whoever waits for a capture hears that it goes on.
static void
work_reports_its_progress(void)
{
    heard so_far = {0, 0};
    const lg_monitor monitor = {hear, &so_far};
    native_heap heap;
    native_heap_open(&heap);
    heap.monitor = &monitor;
    uint64_t *object = native_heap_object(&heap, true);
    object[2] = native_heap_address(native_heap_list(&heap, 12000));
    native_heap_finish(&heap);
    CHECK(so_far.times >= 2);
    CHECK(so_far.done > 0.1);
    native_heap_close(&heap);
}

static void
lists_belong_to_their_objects(void)
{
    native_heap heap;
    native_heap_open(&heap);
    for (uint32_t i = 0; i < 5; i++) {
        uint64_t *object = native_heap_object(&heap, true);
        object[2] = native_heap_address(native_heap_list(&heap, 50 + i));
    }
    native_heap_finish(&heap);
    for (uint32_t i = 0; i < 5; i++)
        CHECK(native_heap_held(&heap, i) == (50 + i) * NATIVE_LIST_BYTES);
    CHECK(native_heap_of(&heap, "lost native memory") == 0);
    CHECK(native_heap_nodes(&heap) <= 10);
    native_heap_close(&heap);
}

static uint64_t *
make_tree(native_heap *heap, uint64_t *parent, int depth, uint64_t *bytes)
{
    uint64_t *node = native_heap_block(heap, 112);
    *bytes += 112 + NATIVE_CHUNK;
    node[0] = parent != NULL ? native_heap_address(parent) : 0;
    for (int child = 0; child < 3 && depth > 0; child++)
        node[1 + child] =
            native_heap_address(make_tree(heap, node, depth - 1, bytes));
    return node;
}

// Trees whose nodes know their parents.
static void
trees_belong_to_their_objects(void)
{
    native_heap heap;
    uint64_t bytes[4] = {0};
    native_heap_open(&heap);
    for (int i = 0; i < 4; i++) {
        uint64_t *object = native_heap_object(&heap, true);
        object[3] =
            native_heap_address(make_tree(&heap, NULL, 2 + i, &bytes[i]));
    }
    native_heap_finish(&heap);
    for (uint32_t i = 0; i < 4; i++)
        CHECK(native_heap_held(&heap, i) == bytes[i]);
    native_heap_close(&heap);
}

// What two objects share belongs to neither.
static void
shared_memory_belongs_to_neither(void)
{
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *shared = native_heap_list(&heap, 40);
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t *object = native_heap_object(&heap, true);
        object[2] = native_heap_address(shared);
        object[3] = native_heap_address(native_heap_list(&heap, 10));
    }
    native_heap_finish(&heap);
    for (uint32_t i = 0; i < 4; i++)
        CHECK(native_heap_held(&heap, i) == 10 * NATIVE_LIST_BYTES);
    CHECK(lg_node_retained(heap.found, 0).host >=
          80 * NATIVE_LIST_BYTES + 4 * NATIVE_FIXED);
    native_heap_close(&heap);
}

// A hash map as libstdc++ has it: buckets, and nodes in one list.
static void
hash_maps(void)
{
    native_heap heap;
    native_heap_open(&heap);
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t *object = native_heap_object(&heap, true);
        uint64_t *map = native_heap_block(&heap, 64);
        uint64_t *buckets = native_heap_block(&heap, 61 * 8 + 8);
        object[2] = native_heap_address(map);
        map[0] = native_heap_address(buckets);
        map[1] = 61;
        map[3] = 60;
        uint64_t *last = &map[2];
        for (uint32_t k = 0; k < 60; k++) {
            uint64_t *node = native_heap_block(&heap, 40);
            *last = native_heap_address(node);
            buckets[k] = native_heap_address(last);
            node[1] = k * 7919;
            last = node;
        }
    }
    native_heap_finish(&heap);
    for (uint32_t i = 0; i < 4; i++)
        CHECK(native_heap_held(&heap, i) == 64 + NATIVE_CHUNK + 61 * 8 + 8 +
                                                NATIVE_CHUNK +
                                                60 * (40 + NATIVE_CHUNK));
    native_heap_close(&heap);
}

// A vector of vectors: begin, end, capacity.
static void
vectors(void)
{
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *object = native_heap_object(&heap, true);
    uint64_t *outer = native_heap_block(&heap, 3 * 8 * 20);
    uint64_t *head = native_heap_block(&heap, 40);
    object[2] = native_heap_address(head);
    head[1] = native_heap_address(outer);
    head[2] = head[3] = native_heap_address(outer) + 3 * 8 * 20;
    for (uint32_t i = 0; i < 20; i++) {
        uint64_t *inner = native_heap_block(&heap, 8 * (20 + (i & ~1u)));
        memset(inner, 0x11, 8 * 20);
        outer[3 * i] = native_heap_address(inner);
        outer[3 * i + 1] = native_heap_address(inner) + 8 * 20;
        outer[3 * i + 2] = native_heap_address(inner) + 8 * (20 + (i & ~1u));
    }
    native_heap_finish(&heap);
    uint64_t bytes = 40 + NATIVE_CHUNK + 3 * 8 * 20 + NATIVE_CHUNK;
    for (uint32_t i = 0; i < 20; i++)
        bytes += 8 * (20 + (i & ~1u)) + NATIVE_CHUNK;
    CHECK(native_heap_held(&heap, 0) == bytes);
    native_heap_close(&heap);
}

// Blocks that are held at a place inside of them, as pages of SQLite are.
static void
interior_pointers(void)
{
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *object = native_heap_object(&heap, true);
    uint64_t *table = native_heap_block(&heap, 40 * 8);
    object[2] = native_heap_address(table);
    for (uint32_t i = 0; i < 40; i++)
        table[i] =
            native_heap_address(native_heap_block(&heap, 4 * 136)) + 4 * 128;
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) ==
          40 * 8 + NATIVE_CHUNK + 40 * (4 * 136 + NATIVE_CHUNK));
    native_heap_close(&heap);
}

// A loop that does the same each time leaves a pointer to a buffer that was
// freed, and whose memory is now deep in the block of the next object.
static void
a_pointer_deep_into_a_block_holds_nothing(void)
{
    enum { OBJECTS = 8, BYTES = 4096, DEPTH = 2048 };
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *blocks[OBJECTS];
    for (uint32_t i = 0; i < OBJECTS; i++)
        blocks[i] = native_heap_block(&heap, BYTES);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        uint64_t *object = native_heap_object(&heap, true);
        object[2] = native_heap_address(blocks[i]);
        object[3] = native_heap_address(blocks[(i + 1) % OBJECTS]) + DEPTH;
    }
    native_heap_finish(&heap);
    for (uint32_t i = 0; i < OBJECTS; i++)
        CHECK(native_heap_held(&heap, i) == BYTES + NATIVE_CHUNK);
    native_heap_close(&heap);
}

// A registry of a library keeps what objects only borrow.
static void
registry(void)
{
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *variables =
        native_heap_range(&heap, LG_RANGE_DATA, "/usr/lib/libfoo.so.1", 16);
    uint64_t *registered = native_heap_list(&heap, 100);
    variables[3] = native_heap_address(registered);
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t *object = native_heap_object(&heap, true);
        object[2] = native_heap_address(registered);
        object[3] = native_heap_address(native_heap_list(&heap, 5));
    }
    native_heap_finish(&heap);
    for (uint32_t i = 0; i < 4; i++)
        CHECK(native_heap_held(&heap, i) == 5 * NATIVE_LIST_BYTES);
    native_heap_close(&heap);
}

static void
variables_of_a_library_have_a_node(void)
{
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *variables =
        native_heap_range(&heap, LG_RANGE_DATA, "/usr/lib/libfoo.so.1", 16);
    variables[3] = native_heap_address(native_heap_list(&heap, 100));
    native_heap_finish(&heap);
    CHECK(native_heap_of(&heap, "library variables") ==
          100 * NATIVE_LIST_BYTES);
    native_heap_close(&heap);
}

// An old frame of a stack points into the middle of a list.
static void
stale_stack(void)
{
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *stack = native_heap_range(&heap, LG_RANGE_STACK, "main", 64);
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t *object = native_heap_object(&heap, true);
        uint64_t *list = native_heap_list(&heap, 60);
        object[2] = native_heap_address(list);
        stack[7 * i] = *(uint64_t *)(uintptr_t)list[0];
        stack[7 * i + 1] = list[2];
    }
    native_heap_finish(&heap);
    for (uint32_t i = 0; i < 4; i++)
        CHECK(native_heap_held(&heap, i) == 60 * NATIVE_LIST_BYTES);
    native_heap_close(&heap);
}

// A block that nobody has written since it was free still has its old words.
static void
leftovers(void)
{
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *lists[4];
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t *object = native_heap_object(&heap, true);
        lists[i] = native_heap_list(&heap, 60);
        object[2] = native_heap_address(lists[i]);
    }
    for (uint32_t i = 0; i < 40; i++) {
        uint64_t *object = native_heap_object(&heap, true);
        uint64_t *text = native_heap_block(&heap, 208);
        object[2] = native_heap_address(text);
        memset(text, 'a', 200);
        if (i < 4)
            text[20 - 2 * i] = *(uint64_t *)(uintptr_t)lists[i][0];
    }
    native_heap_finish(&heap);
    for (uint32_t i = 0; i < 4; i++)
        CHECK(native_heap_held(&heap, i) == 60 * NATIVE_LIST_BYTES);
    for (uint32_t i = 4; i < 44; i++)
        CHECK(native_heap_held(&heap, i) == 208 + NATIVE_CHUNK);
    native_heap_close(&heap);
}

// Adds an owner of a struct of 32 bytes, in which nobody clears what malloc
// gives beyond them. Returns the struct.
static uint64_t *
owned_struct(native_heap *heap)
{
    uint64_t *object = native_heap_object(heap, true);
    uint64_t *state = native_heap_block(heap, 136);
    uint64_t *made = native_heap_block(heap, 40);
    object[2] = native_heap_address(state);
    state[7] = native_heap_address(made);
    return made;
}

// In a loop, the spare word of an empty struct leads each time to what the loop
// has made just then.
static void
spare_words(void)
{
    enum { TURNS = 20 };
    const uint64_t states = 136 + NATIVE_CHUNK + 40 + NATIVE_CHUNK;
    native_heap heap;
    native_heap_open(&heap);
    for (uint32_t i = 0; i < TURNS; i++) {
        uint64_t *empty = owned_struct(&heap);
        uint64_t *full = owned_struct(&heap);
        full[0] = full[2] = 600;
        full[1] = native_heap_address(native_heap_block(&heap, 600));
        empty[4] = native_heap_address(full);
    }
    native_heap_finish(&heap);
    for (uint32_t i = 0; i < 2 * TURNS; i += 2) {
        CHECK(native_heap_held(&heap, i) == states);
        CHECK(native_heap_held(&heap, i + 1) == states + 600 + NATIVE_CHUNK);
    }
    native_heap_close(&heap);
}

static void
lost_blocks(void)
{
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *object = native_heap_object(&heap, true);
    object[2] = native_heap_address(native_heap_list(&heap, 30));
    for (uint32_t i = 0; i < 20; i++)
        memset(native_heap_block(&heap, 200), 'y', 190);
    native_heap_finish(&heap);
    CHECK(native_heap_of(&heap, "lost native memory") ==
          20 * (200 + NATIVE_CHUNK));
    CHECK(native_heap_held(&heap, 0) == 30 * NATIVE_LIST_BYTES);
    native_heap_close(&heap);
}

// An object that a block holds: its missing reference is explained, and what it
// has belongs to the holder of the block.
static void
blocks_hold_objects(void)
{
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *object = native_heap_object(&heap, true);
    uint64_t *callback = native_heap_object(&heap, false);
    uint64_t *entry = native_heap_block(&heap, 64);
    object[2] = native_heap_address(entry);
    entry[3] = native_heap_address(callback);
    callback[2] = native_heap_address(native_heap_list(&heap, 25));
    native_heap_finish(&heap);
    CHECK(lg_node_unexplained(heap.graph, 2) == 1);
    CHECK(lg_node_unexplained(heap.joined, 2) == 0);
    CHECK(native_heap_held(&heap, 1) == 25 * NATIVE_LIST_BYTES);
    CHECK(native_heap_held(&heap, 0) ==
          64 + NATIVE_CHUNK + NATIVE_FIXED + 25 * NATIVE_LIST_BYTES);
    native_heap_close(&heap);
}

// Garbage in a cycle, whose references are all known: a word that an earlier
// owner left in a block holds nothing of it. One more reference is the word's.
static void
blocks_hold_no_object_whose_references_are_known(void)
{
    for (uint32_t references = 1; references <= 2; references++) {
        native_heap heap;
        native_heap_open(&heap);
        uint64_t *object = native_heap_object(&heap, true);
        uint64_t *garbage = native_heap_object(&heap, false);
        uint64_t *entry = native_heap_block(&heap, 64);
        uint64_t held = NATIVE_FIXED + 25 * NATIVE_LIST_BYTES;
        heap.refers_to[1] = 2;
        heap.refcounts[1] = references;
        object[2] = native_heap_address(entry);
        entry[3] = native_heap_address(garbage);
        garbage[2] = native_heap_address(native_heap_list(&heap, 25));
        native_heap_finish(&heap);
        CHECK(native_heap_held(&heap, 1) == 25 * NATIVE_LIST_BYTES);
        CHECK(native_heap_held(&heap, 0) ==
              64 + NATIVE_CHUNK + (references > 1 ? held : 0));
        native_heap_close(&heap);
    }
}

// A block that was lost with its reference to an object.
static void
lost_blocks_hold_objects(void)
{
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *callback = native_heap_object(&heap, false);
    uint64_t *entry = native_heap_block(&heap, 64);
    entry[3] = native_heap_address(callback);
    callback[2] = native_heap_address(native_heap_list(&heap, 25));
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) == 25 * NATIVE_LIST_BYTES);
    CHECK(native_heap_of(&heap, "lost native memory") ==
          64 + NATIVE_CHUNK + NATIVE_FIXED + 25 * NATIVE_LIST_BYTES);
    native_heap_close(&heap);
}

// A std::shared_ptr that an earlier owner has left in one of many blocks proves
// nothing, if most others hold something else there.
static void
a_leftover_that_looks_shared_proves_nothing(void)
{
    enum { BLOCKS = 60, PLACE = 5 };
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *code = native_heap_range(&heap, LG_RANGE_CODE, "lib.so", 8);
    uint64_t *owner = native_heap_object(&heap, true);
    uint64_t *state = native_heap_block(&heap, 96);
    uint64_t *shared = native_heap_block(&heap, 184);
    owner[2] = native_heap_address(state);
    state[4] = native_heap_address(shared);
    shared[3] = native_heap_address(native_heap_list(&heap, 30));
    uint64_t *other = native_heap_object(&heap, true);
    uint64_t *array = native_heap_block(&heap, 8 * BLOCKS);
    other[2] = native_heap_address(array);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        uint64_t *block = native_heap_block(&heap, 320);
        block[0] = native_heap_address(code);
        block[PLACE] = native_heap_address(array) + 8 * (uint64_t)(3 + i % 9);
        array[i] = native_heap_address(block);
    }
    uint64_t *stale = (uint64_t *)(uintptr_t)array[7];
    stale[PLACE] = native_heap_address(shared) + 16;
    stale[PLACE + 1] = native_heap_address(shared);
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) ==
          96 + NATIVE_CHUNK + 184 + NATIVE_CHUNK + 30 * NATIVE_LIST_BYTES);
    native_heap_close(&heap);
}

// An object that only C code has, which the graph lacks.
static uint64_t *
make_unlisted(native_heap *heap, uint64_t references, lg_allocator_kind kind)
{
    uint64_t *words = native_heap_block(heap, 64);
    heap->blocks[heap->block_count - 1].kind = kind & 7;
    words[0] = references;
    words[1] = NATIVE_HOLDER_TYPE;
    return words;
}

static void
unlisted_objects_belong_to_who_has_them(void)
{
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *object = native_heap_object(&heap, true);
    uint64_t *array = native_heap_block(&heap, 160);
    object[2] = native_heap_address(array);
    for (uint32_t i = 0; i < 20; i++)
        array[i] =
            native_heap_address(make_unlisted(&heap, 1, LG_ALLOCATOR_PYTHON));
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) == 160 + NATIVE_CHUNK + 20 * 64);
    native_heap_close(&heap);
}

// Objects that C code forgot to let go of are lost by the names of their types.
// A free list has objects without references, and some live for ever.
static void
forgotten_objects_are_lost(void)
{
    const uint64_t immortal = UINT32_MAX;
    native_heap heap;
    native_heap_open(&heap);
    for (uint32_t i = 0; i < 7; i++) {
        make_unlisted(&heap, 1, LG_ALLOCATOR_PYTHON);
        make_unlisted(&heap, 0, LG_ALLOCATOR_PYTHON);
        make_unlisted(&heap, immortal, LG_ALLOCATOR_PYTHON);
        make_unlisted(&heap, 1, LG_ALLOCATOR_MALLOC);
    }
    native_heap_finish(&heap);
    CHECK(native_heap_of(&heap, "hidden lib.Holder") > 0);
    CHECK(native_heap_of(&heap, "lost native memory") ==
          7 * 64 + 7 * (64 + NATIVE_CHUNK));
    native_heap_close(&heap);
}

// An object with a reference that nothing explains is lost if no word leads to
// it, be it as weak as it may. Else C code has it. What leads to the head
// before it is a list of the collector.
static void
objects_to_which_nothing_points_are_lost(void)
{
    enum { NOTHING, COLLECTOR, VARIABLE, MIDDLE, BLOCK, COUNT };
    static const uint64_t depth[] = {[VARIABLE] = 16, [MIDDLE] = 28};
    for (int from = 0; from < COUNT; from++) {
        native_heap heap;
        native_heap_open(&heap);
        uint64_t *object = native_heap_tracked(&heap);
        uint64_t *block = native_heap_block(&heap, 64);
        object[2] = native_heap_address(native_heap_list(&heap, 10));
        uint64_t *range =
            native_heap_range(&heap, LG_RANGE_DATA, "/usr/lib/libfoo.so.1", 8);
        range[1] = native_heap_address(block);
        if (from >= COLLECTOR && from <= MIDDLE)
            range[2] = native_heap_address(object - 2) + depth[from];
        if (from == BLOCK)
            block[3] = native_heap_address(object);
        native_heap_finish(&heap);
        CHECK(native_heap_of(&heap, "lost native memory") ==
              (from <= COLLECTOR ? NATIVE_FIXED + 10 * NATIVE_LIST_BYTES : 0));
        CHECK(native_heap_held(&heap, 0) == 10 * NATIVE_LIST_BYTES);
        CHECK(lg_node_unexplained(heap.joined, 1) == (from != BLOCK));
        native_heap_close(&heap);
    }
}

// Adds up what is lost by the level of the reference to it.
static void
sum_lost(const native_heap *heap, uint64_t bytes[LG_LEVEL_EXACT + 1])
{
    const lg_columns *columns = lg_graph_columns(heap->joined);
    memset(bytes, 0, (LG_LEVEL_EXACT + 1) * sizeof *bytes);
    for (uint32_t node = 0; node < columns->node_count; node++) {
        lg_string name =
            lg_graph_type(heap->joined, lg_columns_type(columns, node)).name;
        const lg_edge_range edges = lg_columns_edges(columns, node);
        if (!lg__string_is(name, LG__NATIVE_LOST))
            continue;
        for (uint64_t edge = edges.begin; edge < edges.end; edge++)
            bytes[lg_edge_level(heap->joined, edge)] +=
                lg_node_size(heap->joined, lg_columns_target(columns, edge));
    }
}

// Of lost blocks that are alike, those to which a word that is left over leads
// are told from those to which nothing does.
static void
a_leftover_is_told_from_no_pointer(void)
{
    enum { ALL = 7, BYTES = 640, SPENT = BYTES + NATIVE_CHUNK };
    for (uint32_t met = 0; met <= ALL; met++) {
        native_heap heap;
        uint64_t bytes[LG_LEVEL_EXACT + 1];
        native_heap_open(&heap);
        uint64_t *stack = native_heap_range(&heap, LG_RANGE_STACK, "", ALL);
        uint64_t *before = NULL;
        for (uint32_t i = 0; i < ALL; i++) {
            uint64_t *block = native_heap_block(&heap, BYTES);
            block[4] = before != NULL ? native_heap_address(before) : 0;
            stack[i] = i < met ? native_heap_address(block) + 44 : 0;
            before = block;
        }
        native_heap_finish(&heap);
        sum_lost(&heap, bytes);
        CHECK(bytes[LG_LEVEL_LEFTOVER] == (uint64_t)met * SPENT);
        CHECK(bytes[LG_LEVEL_NONE] == (uint64_t)(ALL - met) * SPENT);
        native_heap_close(&heap);
    }
}

static void
nothing_changes_without_blocks(void)
{
    native_heap heap;
    native_heap_open(&heap);
    native_heap_object(&heap, true);
    heap.block_count = 0;
    native_heap_finish(&heap);
    CHECK(native_heap_nodes(&heap) == 0);
    CHECK(native_heap_held(&heap, 0) == 0);
    native_heap_close(&heap);
}

static void
what_could_not_be_listed_is_an_error(void)
{
    native_heap heap;
    native_heap_open(&heap);
    native_heap_object(&heap, true);
    native_heap_finish(&heap);
    lg_native_memory memory = {.failure = "the heap is damaged"};
    lg_graph *made = NULL;
    lg_error error;
    CHECK(lg_graph_with_native(heap.graph, &memory, NULL, &made, &error) ==
          LG_EINVAL);
    heap.graph = NULL;
    CHECK(strcmp(error.message,
                 "no native memory is listed: the heap is damaged") == 0);
    CHECK(made == NULL);
    native_heap_close(&heap);
}

static void
levels_are_kept(void)
{
    native_heap heap;
    native_heap_open(&heap);
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t *object = native_heap_object(&heap, true);
        object[2] = native_heap_address(native_heap_list(&heap, 3));
    }
    native_heap_finish(&heap);
    const lg_columns *columns = lg_graph_columns(heap.joined);
    uint64_t edge = lg_columns_first_edge(columns, 1);
    REQUIRE(lg_columns_first_edge(columns, 2) == edge + 1);
    CHECK(lg_edge_level(heap.joined, edge) == LG_LEVEL_FIELD);
    CHECK(lg_edge_level(heap.joined, 0) == LG_LEVEL_EXACT);
    CHECK(lg_node_blocks(heap.joined, lg_columns_target(columns, edge)) == 3);
    CHECK(lg_node_blocks(heap.joined, 1) == 0);
    native_heap_close(&heap);
}

// Which of the words of C code point to other blocks is partly chance, so
// places count blocks instead.
static void
places_count_blocks_as_references(void)
{
    enum { OBJECTS = 4, ITEMS = 10 };
    native_heap heap;
    native_heap_open(&heap);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        uint64_t *object = native_heap_object(&heap, true);
        object[2] = native_heap_address(native_heap_list(&heap, ITEMS));
    }
    native_heap_finish(&heap);
    const lg_columns *columns = lg_graph_columns(heap.joined);
    uint64_t expected = 0;
    uint64_t found = 0;
    for (uint32_t node = 0; node < columns->node_count; node++) {
        uint64_t blocks = lg_node_blocks(heap.joined, node);
        expected += blocks > 0 ? blocks
                               : lg_columns_first_edge(columns, node + 1) -
                                     lg_columns_first_edge(columns, node);
    }
    lg_places *places;
    REQUIRE(lg_places_new(heap.found, NULL, &places, NULL) == LG_OK);
    for (uint32_t i = 0; i < lg_places_count(places); i++)
        found += lg_places_at(places, i).references;
    CHECK(found == expected && found > 2 * OBJECTS * ITEMS);
    lg_places_free(places);
    native_heap_close(&heap);
}

// Rows: one for the objects of a place, one for what is lost, and the sums.
static void
answers_have_rows(void)
{
    native_heap heap;
    native_heap_open(&heap);
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t *object = native_heap_object(&heap, true);
        object[2] = native_heap_address(native_heap_list(&heap, 10));
    }
    for (uint32_t i = 0; i < 5; i++)
        memset(native_heap_block(&heap, 200), 'y', 190);
    native_heap_finish(&heap);
    lg_native found = {0};
    REQUIRE(lg_analysis_native(heap.found, NULL, NULL, &found, NULL) == LG_OK);
    CHECK(found.inspected);
    REQUIRE(found.count == 2);
    CHECK(found.rows[0].holder == LG_BLOCKS_OBJECTS);
    CHECK(found.rows[0].count == 4 && found.rows[0].blocks == 80);
    CHECK(found.rows[0].by == LG_LEVEL_FIELD);
    CHECK(found.rows[0].bytes[0] == 40 * NATIVE_LIST_BYTES);
    CHECK(found.rows[1].holder == LG_BLOCKS_LOST);
    CHECK(found.rows[1].blocks == 5);
    CHECK(found.lost[0] == 5 * (200 + NATIVE_CHUNK));
    CHECK(found.all[0] == 40 * NATIVE_LIST_BYTES + 5 * (200 + NATIVE_CHUNK));
    CHECK(found.objects[0] == 4 * (NATIVE_FIXED + NATIVE_CHUNK));
    lg_native_free(&found);
    native_heap_close(&heap);
}

static void
native_part_of_what_is_retained(void)
{
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *object = native_heap_object(&heap, true);
    object[2] = native_heap_address(native_heap_list(&heap, 10));
    native_heap_finish(&heap);
    uint64_t bytes = 0;
    CHECK(lg_node_native(heap.found, 1, &bytes, NULL) == LG_OK);
    CHECK(bytes == 10 * NATIVE_LIST_BYTES);
    native_heap_close(&heap);
}

// The interpreter's name in a path makes no module a part of it.
static void
variables_of_any_module_are_a_registry(void)
{
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *object = native_heap_object(&heap, true);
    uint64_t *data = native_heap_range(
        &heap, LG_RANGE_DATA,
        "/venv/lib/python3.11/site-packages/lib.cpython-311.so", 8);
    uint64_t *own = native_heap_block(&heap, 48);
    uint64_t *global = native_heap_block(&heap, 640);
    object[2] = native_heap_address(own);
    own[1] = data[1] = native_heap_address(global);
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) == 48 + NATIVE_CHUNK);
    CHECK(native_heap_of(&heap, "library variables") == 640 + NATIVE_CHUNK);
    native_heap_close(&heap);
}

// Among a library's own structures are words that earlier ones have left.
static void
objects_outvote_lone_words_below_variables(void)
{
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *object = native_heap_object(&heap, true);
    uint64_t *data = native_heap_range(&heap, LG_RANGE_DATA, "liba.so", 8);
    uint64_t *own = native_heap_block(&heap, 48);
    uint64_t *state = native_heap_block(&heap, 264);
    uint64_t *target = native_heap_block(&heap, 640);
    data[1] = native_heap_address(state);
    object[2] = native_heap_address(own);
    own[1] = state[8] = native_heap_address(target);
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) == 48 + NATIVE_CHUNK + 640 + NATIVE_CHUNK);
    native_heap_close(&heap);
}

// A cache of std::weak_ptr holds nothing: the block counts fewer owners than
// there are pairs.
static void
weak_pointers_below_variables_hold_nothing(void)
{
    const uint64_t weak_part = UINT64_C(2) << 32;
    native_heap heap;
    for (uint64_t owners = 1; owners <= 2; owners++) {
        native_heap_open(&heap);
        uint64_t *object = native_heap_object(&heap, true);
        uint64_t *data = native_heap_range(&heap, LG_RANGE_DATA, "liba.so", 8);
        uint64_t *own = native_heap_block(&heap, 48);
        uint64_t *cache = native_heap_block(&heap, 264);
        uint64_t *target = native_heap_block(&heap, 640);
        data[1] = native_heap_address(cache);
        object[2] = native_heap_address(own);
        own[1] = cache[8] = native_heap_address(target) + 16;
        own[2] = cache[9] = native_heap_address(target);
        target[1] = owners | weak_part;
        native_heap_finish(&heap);
        CHECK(native_heap_held(&heap, 0) ==
              48 + NATIVE_CHUNK + (owners == 1 ? 640 + NATIVE_CHUNK : 0));
        native_heap_close(&heap);
    }
}

static void
tables_that_a_size_counts_count_once(void)
{
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *object = native_heap_object(&heap, true);
    heap.tables[0] = 4096;
    object[2] = native_heap_address(native_heap_block(&heap, 4104));
    object[3] = native_heap_address(native_heap_list(&heap, 10));
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) == 10 * NATIVE_LIST_BYTES);
    native_heap_close(&heap);
}

enum { BUFFER = 8000 };
static const uint64_t buffer_bytes = 40 + NATIVE_CHUNK + BUFFER + NATIVE_CHUNK;

// An object with a struct of its own, which has a buffer.
static uint64_t *
make_buffer(native_heap *heap)
{
    uint64_t *head = native_heap_block(heap, 40);
    uint64_t *buffer = native_heap_block(heap, BUFFER);
    native_heap_object(heap, true)[2] = native_heap_address(head);
    head[1] = native_heap_address(buffer);
    return buffer;
}

// Beside the elements of an array of structs lie words that lead elsewhere.
static void
an_array_of_structs_has_its_elements(void)
{
    enum { COUNT = 20, STRIDE = 3, DEEP = 5000 };
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *buffer = make_buffer(&heap);
    uint64_t *array = native_heap_block(&heap, 8 * STRIDE * COUNT);
    native_heap_object(&heap, true)[2] = native_heap_address(array);
    for (uint32_t i = 0; i < COUNT; i++)
        array[STRIDE * i] = native_heap_address(native_heap_block(&heap, 48));
    array[STRIDE * (COUNT - 1)] = native_heap_address(buffer) + DEEP;
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) == buffer_bytes);
    CHECK(native_heap_held(&heap, 1) == 8 * STRIDE * COUNT + NATIVE_CHUNK +
                                            (COUNT - 1) * (48 + NATIVE_CHUNK));
    native_heap_close(&heap);
}

// The only object of a class that has the rest of a chunk is one of its class.
static void
a_gift_makes_no_class(void)
{
    enum { COUNT = 12, BYTES = 176, GIFT = 16, FIELD = 4 };
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *vtable =
        native_heap_range(&heap, LG_RANGE_CODE, "/lib/libshapes.so", 4);
    uint64_t *buffer = make_buffer(&heap);
    for (uint32_t i = 0; i <= COUNT; i++) {
        bool given = i == COUNT;
        uint64_t *item = native_heap_block(&heap, BYTES + (given ? GIFT : 0));
        native_heap_object(&heap, true)[2] = native_heap_address(item);
        item[0] = native_heap_address(vtable);
        item[FIELD] = given ? native_heap_address(buffer) : 1000 + i;
    }
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) == buffer_bytes);
    CHECK(native_heap_held(&heap, 1 + COUNT) == BYTES + GIFT + NATIVE_CHUNK);
    native_heap_close(&heap);
}

// Behind a semaphore lies what was there before.
static void
a_lock_holds_nothing_but_its_semaphore(void)
{
    native_heap heap;
    native_heap_open(&heap);
    uint64_t *buffer = make_buffer(&heap);
    uint64_t *semaphore = native_heap_block(&heap, 40);
    native_heap_lock(&heap)[2] = native_heap_address(semaphore);
    semaphore[2] = native_heap_address(buffer);
    native_heap_finish(&heap);
    CHECK(native_heap_held(&heap, 0) == buffer_bytes);
    CHECK(native_heap_held(&heap, 1) == 40 + NATIVE_CHUNK);
    native_heap_close(&heap);
}

SUITE(native)
{
    RUN(an_array_of_structs_has_its_elements);
    RUN(a_gift_makes_no_class);
    RUN(a_lock_holds_nothing_but_its_semaphore);
    RUN(answers_have_rows);
    RUN(native_part_of_what_is_retained);
    RUN(work_reports_its_progress);
    RUN(lists_belong_to_their_objects);
    RUN(trees_belong_to_their_objects);
    RUN(shared_memory_belongs_to_neither);
    RUN(hash_maps);
    RUN(vectors);
    RUN(interior_pointers);
    RUN(registry);
    RUN(variables_of_a_library_have_a_node);
    RUN(stale_stack);
    RUN(leftovers);
    RUN(spare_words);
    RUN(lost_blocks);
    RUN(blocks_hold_objects);
    RUN(blocks_hold_no_object_whose_references_are_known);
    RUN(lost_blocks_hold_objects);
    RUN(a_leftover_that_looks_shared_proves_nothing);
    RUN(unlisted_objects_belong_to_who_has_them);
    RUN(forgotten_objects_are_lost);
    RUN(objects_to_which_nothing_points_are_lost);
    RUN(a_leftover_is_told_from_no_pointer);
    RUN(nothing_changes_without_blocks);
    RUN(levels_are_kept);
    RUN(places_count_blocks_as_references);
    RUN(a_pointer_deep_into_a_block_holds_nothing);
    RUN(what_could_not_be_listed_is_an_error);
    RUN(variables_of_any_module_are_a_registry);
    RUN(objects_outvote_lone_words_below_variables);
    RUN(weak_pointers_below_variables_hold_nothing);
    RUN(tables_that_a_size_counts_count_once);
    return test_result();
}
