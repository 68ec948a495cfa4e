// What can be saved in instances and dicts by the thousand, to the byte.
#include "test.h"
#include "wasted.h"

#include <leakgraph/internal/capture_builder.h>

#include <stdarg.h>

enum {
    MANY = 1000,
    SLOTTED_2 = 48, // an instance with two __slots__
};

// A class whose namespace has these names, NULL at the end.
static uint32_t
add_class(heap *to, const char *title, uint32_t base, ...)
{
    va_list names;
    uint32_t node = wasted_add(to, TYPE, 1000);
    uint32_t space = wasted_add(to, DICT, WASTED_DICT);
    wasted_refer(to, node, space, LG_EDGE_DICT, 0);
    wasted_name(to, title, node);
    va_start(names, base);
    for (const char *key; (key = va_arg(names, const char *)) != NULL;)
        wasted_put(to, space, wasted_str(to, key), wasted_add(to, OBJECT, 16),
                   0);
    va_end(names);
    return wasted_type(to, title, node, base);
}

// Instances with the attributes x and y, in a dict of their own or not.
static uint32_t
add_instances(heap *to, uint32_t type, uint32_t count, bool dicts,
              uint32_t *list)
{
    uint32_t first = 0;
    uint32_t x = wasted_str(to, "x");
    uint32_t y = wasted_str(to, "y");
    *list = wasted_add(to, LIST, WASTED_LIST + 8 * (uint64_t)count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = wasted_add(to, type, dicts ? 48 : 88);
        first = i == 0 ? node : first;
        wasted_refer(to, *list, node, LG_EDGE_INDEX, i);
        if (dicts) {
            uint32_t dict = wasted_add(to, DICT, 104);
            wasted_refer(to, node, dict, LG_EDGE_DICT, 0);
            wasted_put(to, dict, x, to->app, 0);
            wasted_put(to, dict, y, to->app, 1);
        } else {
            wasted_refer(to, node, to->app, LG_EDGE_ATTRIBUTE,
                         wasted_intern(to, "x"));
            wasted_refer(to, node, to->app, LG_EDGE_ATTRIBUTE,
                         wasted_intern(to, "y"));
        }
    }
    return first;
}

static void
test_slots(void)
{
    heap to = wasted_begin();
    uint32_t list;
    uint32_t plain =
        add_class(&to, "app.Plain", OBJECT, "__dict__", "__module__", NULL);
    uint32_t slotted =
        add_class(&to, "app.Slotted", OBJECT, "__slots__", "__module__", NULL);
    uint32_t text =
        add_class(&to, "app.Text", STR, "__dict__", "__module__", NULL);
    uint32_t few =
        add_class(&to, "app.Few", OBJECT, "__dict__", "__module__", NULL);
    uint32_t split =
        add_class(&to, "app.Split", OBJECT, "__dict__", "__module__", NULL);
    uint32_t first = add_instances(&to, plain, MANY, true, &list);
    wasted_name(&to, "plain", list);
    uint32_t inlined = add_instances(&to, split, MANY, false, &list);
    wasted_name(&to, "split", list);
    add_instances(&to, slotted, MANY, false, &list);
    wasted_name(&to, "slotted", list);
    add_instances(&to, text, MANY, true, &list);
    wasted_name(&to, "text", list);
    add_instances(&to, few, MANY - 1, true, &list);
    wasted_name(&to, "few", list);
    answer got = wasted_end(&to);
    EXPECT(got, LG_WASTE_SLOTS, first, MANY * (48 + 112 - SLOTTED_2), 2, 0);
    EXPECT(got, LG_WASTE_SLOTS, inlined, MANY * (96 - SLOTTED_2), 2, 0);
    CHECK(got.waste.count == 2 && got.waste.rows[0].at_most);
    CHECK(got.waste.rows[0].count == MANY);
    CHECK(got.waste.rows[0].size[0] == MANY * (48 + 112));
    wasted_free(&got);
}

// Classes that share the keys of their dicts each have all names.
static void
test_shared_keys(void)
{
    enum { CLASSES = 2 };
    heap to = wasted_begin();
    uint32_t type[CLASSES], first[CLASSES];
    type[0] = add_class(&to, "app.A", OBJECT, "__dict__", "__module__", NULL);
    type[1] = add_class(&to, "app.B", OBJECT, "__dict__", "__module__", NULL);
    uint32_t x = wasted_str(&to, "x");
    uint32_t y = wasted_str(&to, "y");
    for (uint32_t kind = 0; kind < CLASSES; kind++) {
        uint32_t list = wasted_add(&to, LIST, WASTED_LIST + 8 * MANY);
        for (uint32_t i = 0; i < MANY; i++) {
            uint32_t node = wasted_add(&to, type[kind], 48);
            uint32_t dict = wasted_add(&to, DICT, 104);
            first[kind] = i == 0 ? node : first[kind];
            wasted_refer(&to, list, node, LG_EDGE_INDEX, i);
            wasted_refer(&to, node, dict, LG_EDGE_DICT, 0);
            wasted_put(&to, dict, x, to.app, 0);
            wasted_put(&to, dict, y, to.app, 1);
        }
        wasted_name(&to, kind ? "b" : "a", list);
    }
    answer got = wasted_end(&to);
    for (uint32_t kind = 0; kind < CLASSES; kind++)
        EXPECT(got, LG_WASTE_SLOTS, first[kind], MANY * (48 + 112 - SLOTTED_2),
               2, 0);
    wasted_free(&got);
}

// Nobody writes a class with 65 names.
static void
test_too_many_names(void)
{
    static const uint32_t many[] = {64, 65, 80};
    for (size_t at = 0; at < 3; at++) {
        uint32_t names = many[at];
        heap to = wasted_begin();
        uint32_t list;
        uint32_t type =
            add_class(&to, "app.Wide", OBJECT, "__dict__", "__module__", NULL);
        uint32_t first = add_instances(&to, type, MANY, true, &list);
        wasted_name(&to, "wide", list);
        to.builder->size[first + 1] = 5000;
        for (uint32_t i = 2; i < names; i++) {
            char key[16];
            snprintf(key, sizeof key, "name%u", i);
            wasted_put(&to, first + 1, wasted_str(&to, key), to.app, i);
        }
        answer got = wasted_end(&to);
        CHECK(got.waste.count == (names == 64));
        wasted_free(&got);
    }
}

static void
test_records(void)
{
    heap to = wasted_begin();
    uint32_t list = wasted_list(&to, MANY, 0, DICT, 0);
    uint32_t odd = wasted_list(&to, MANY, 0, DICT, 0);
    uint32_t first = LG_NONE;
    for (uint32_t i = 0; i < MANY; i++) {
        // Each has strs of its own as keys, in another order.
        uint32_t dict = wasted_add(&to, DICT, WASTED_DICT + 120);
        uint32_t fewer = wasted_add(&to, DICT, WASTED_DICT + 120);
        first = i == 0 ? dict : first;
        wasted_refer(&to, list, dict, LG_EDGE_INDEX, i);
        wasted_put(&to, dict, wasted_str(&to, i % 2 ? "x" : "y"), to.app, 0);
        wasted_put(&to, dict, wasted_str(&to, i % 2 ? "y" : "x"), to.app, 1);
        wasted_refer(&to, odd, fewer, LG_EDGE_INDEX, i);
        wasted_put(&to, fewer, wasted_str(&to, i > 0 ? "x" : "z"), to.app, 0);
    }
    wasted_name(&to, "all", list);
    wasted_name(&to, "odd", odd);
    answer got = wasted_end(&to);
    EXPECT(got, LG_WASTE_RECORDS, first, MANY * (64 + 128 - SLOTTED_2), 2, 0);
    CHECK(got.waste.count == 1 && got.waste.rows[0].count == MANY);
    wasted_free(&got);
}

// Dicts that once had more entries are reported only as records.
static void
test_records_with_room(void)
{
    enum { TABLE_OF_21 = 40 + 32 + 21 * 24 };
    heap to = wasted_begin();
    uint32_t list = wasted_list(&to, MANY, 0, DICT, 0);
    uint32_t x = wasted_str(&to, "x");
    uint32_t first = LG_NONE;
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t dict = wasted_add(&to, DICT, WASTED_DICT + TABLE_OF_21);
        first = i == 0 ? dict : first;
        wasted_refer(&to, list, dict, LG_EDGE_INDEX, i);
        wasted_put(&to, dict, x, to.app, 0);
    }
    wasted_name(&to, "all", list);
    answer got = wasted_end(&to);
    CHECK(got.waste.count == 1 && got.waste.rows[0].count == MANY);
    CHECK(got.waste.rows[0].kind == LG_WASTE_RECORDS);
    CHECK(got.waste.rows[0].node == first);
    wasted_free(&got);
}

SUITE(waste_objects)
{
    RUN(test_slots);
    RUN(test_shared_keys);
    RUN(test_too_many_names);
    RUN(test_records);
    RUN(test_records_with_room);
    return test_result();
}
