// The references by which dominators hold nodes, and the labels by them.
#include "planned.h"
#include "test.h"

#include <leakgraph/internal/capture_builder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t
add_node(lg_builder *builder, uint32_t number, const char *type)
{
    uint32_t node = lg_builder_add_node(builder, 64 * (uint64_t)(number + 1));
    lg_builder_put_type(
        builder, node,
        lg_builder_add_type(builder, type, strlen(type), LG_NONE, NULL, 0));
    lg_builder_set_size(builder, node, 8);
    return node;
}

// A node that a root holds refers to `count` others by that kind.
static planned_places
star(uint32_t count, unsigned kind, uint32_t payload, lg_builder *builder)
{
    add_node(builder, 0, "list");
    for (uint32_t i = 1; i <= count; i++)
        add_node(builder, i, "A");
    lg_builder_add_root(builder, 0, LG_ROOT_MODULE, "app", 3);
    lg_builder_open(builder, 0);
    for (uint32_t i = 1; i <= count; i++)
        lg_builder_add_edge(builder, i, kind, payload);
    return planned_analyse(builder);
}

static void
all_of_many_references_are_seen(void)
{
    enum { COUNT = 5000 };
    planned_places of = star(COUNT, LG_EDGE_INDEX, 0, planned_begin());
    CHECK(lg_places_count(of.places) == 2);
    lg_place place = lg_places_at(of.places, 1);
    CHECK(place.kind == LG_PLACE_ITEM);
    CHECK(place.members == COUNT);
    CHECK(place.own[0] == 8 * COUNT);
    CHECK(place.example == COUNT);
    planned_forget(&of);
}

// A weak reference comes first, and would be preferred.
static void
weak_references_name_nothing(void)
{
    lg_builder *builder = planned_begin();
    add_node(builder, 0, "list");
    add_node(builder, 1, "A");
    lg_builder_add_root(builder, 0, LG_ROOT_MODULE, "app", 3);
    lg_builder_open(builder, 0);
    lg_builder_add_edge(builder, 1, LG_EDGE_ATTRIBUTE | LG_EDGE_WEAK,
                        lg_builder_intern(builder, "weak", 4));
    lg_builder_add_edge(builder, 1, LG_EDGE_INDEX, 0);
    planned_places of = planned_analyse(builder);
    CHECK(lg_places_count(of.places) == 2);
    CHECK(lg_places_at(of.places, 1).kind == LG_PLACE_ITEM);
    planned_forget(&of);
}

// With its dot, a name of 4,096 bytes is too long for a string.
static void
check_name(size_t length)
{
    char *name = malloc(length);
    if (name == NULL)
        return;
    memset(name, 'x', length);
    lg_builder *builder = planned_begin();
    uint32_t string = lg_builder_intern(builder, name, length);
    planned_places of = star(1, LG_EDGE_ATTRIBUTE, string, builder);
    lg_string label = lg_places_at(of.places, 1).label;
    CHECK(label.length == (length < 4096 ? length + 1 : 4096));
    CHECK(label.data[0] == '.');
    CHECK(memcmp(label.data + 1, name, label.length - 1) == 0);
    planned_forget(&of);
    free(name);
}

static void
long_names_are_cut(void)
{
    check_name(1);
    check_name(4095);
    check_name(4096);
}

// Adds a function that a root holds.
static void
add_function(lg_builder *builder, uint32_t number, const char *name)
{
    uint32_t node = add_node(builder, number, "function");
    lg_builder_set_text(builder, node, name, strlen(name));
    lg_builder_add_root(builder, node, LG_ROOT_MODULE, "app", 3);
}

static bool
has_label(const planned_places *of, lg_node node, const char *label)
{
    lg_string text = lg_places_at(of->places, of->place_of[node]).label;
    return text.length == strlen(label) &&
           memcmp(text.data, label, text.length) == 0;
}

// Texts of nodes are not interned, so the graph has one of these twice.
static void
one_text_is_one_label(void)
{
    lg_builder *builder = planned_begin();
    add_function(builder, 0, "app.twice");
    add_function(builder, 1, "app.twice");
    add_function(builder, 2, "app.other");
    planned_places of = planned_analyse(builder);
    CHECK(lg_places_count(of.places) == 2);
    CHECK(has_label(&of, 0, "app.twice"));
    CHECK(of.place_of[1] == of.place_of[0]);
    CHECK(has_label(&of, 2, "app.other"));
    planned_forget(&of);
}

// Writes three letters, others for each number.
static void
write_letters(uint32_t number, char *out)
{
    for (int i = 0; i < 3; i++, number /= 26)
        out[i] = (char)('a' + number % 26);
}

// More names than are read at a time.
static void
many_names_are_labels(void)
{
    enum { COUNT = 3000 };
    lg_builder *builder = planned_begin();
    char name[] = "app.fxxx";
    for (uint32_t i = 0; i < COUNT; i++) {
        write_letters(i, name + 5);
        add_function(builder, i, name);
    }
    planned_places of = planned_analyse(builder);
    CHECK(lg_places_count(of.places) == COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        write_letters(i, name + 5);
        CHECK(has_label(&of, i, name));
    }
    planned_forget(&of);
}

// Names that are read together need not all be short.
static void
names_of_any_length_are_labels(void)
{
    static const size_t lengths[] = {0, 1, 4095, 0, 2, 4096, 3};
    enum { COUNT = sizeof lengths / sizeof *lengths };
    char name[4097] = "";
    lg_builder *builder = planned_begin();
    for (uint32_t i = 0; i < COUNT; i++) {
        memset(name, 'a' + (int)i, lengths[i]);
        name[lengths[i]] = 0;
        add_function(builder, i, name);
    }
    planned_places of = planned_analyse(builder);
    CHECK(lg_places_count(of.places) == COUNT - 1);
    for (uint32_t i = 0; i < COUNT; i++) {
        memset(name, 'a' + (int)i, lengths[i]);
        name[lengths[i]] = 0;
        CHECK(has_label(&of, i, name));
    }
    planned_forget(&of);
}

SUITE(place_vias)
{
    RUN(names_of_any_length_are_labels);
    RUN(one_text_is_one_label);
    RUN(many_names_are_labels);
    RUN(all_of_many_references_are_seen);
    RUN(weak_references_name_nothing);
    RUN(long_names_are_cut);
    return test_result();
}
