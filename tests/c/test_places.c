// Places of random graphs against a slow oracle, and what keys depend on.
#include "drawn.h"
#include "growth/growth_private.h"
#include "planned.h"
#include "story.h"
#include "test.h"

#include <leakgraph/internal/capture_builder.h>

enum { GRAPHS = 4000 };

static bool
is_part(const planned_places *of, uint32_t node)
{
    uint32_t owner = lg_node_folded_into(of->graph, node);
    uint32_t above = lg_node_dominator(of->analysis, node);
    return owner != LG_NONE && above != LG_NONE &&
           (owner == above || owner == lg_node_folded_into(of->graph, above));
}

static bool
dominates(const planned_places *of, uint32_t above, uint32_t node)
{
    while (node != LG_NONE && node != above)
        node = lg_node_dominator(of->analysis, node);
    return node == above;
}

static bool
is_at_top_of_garbage(const planned_places *of, uint32_t node)
{
    return lg_node_dominator(of->analysis, node) == LG_NONE &&
           !lg_node_is_reachable(of->analysis, node);
}

// Returns whether the node is a namespace of garbage that goes into its owner's
// place.
static bool
is_loose_part(const planned_places *of, uint32_t node)
{
    uint32_t owner = lg_node_folded_into(of->graph, node);
    return owner != LG_NONE && is_at_top_of_garbage(of, node) &&
           is_at_top_of_garbage(of, owner);
}

// Returns the sums over what the node dominates, itself included.
static uint64_t
subtree(const planned_places *of, uint32_t node, uint32_t device)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < lg_graph_columns(of->graph)->node_count; i++)
        if (dominates(of, node, i) && lg_node_device(of->graph, i) == device)
            sum += lg_node_size(of->graph, i);
    return sum;
}

static bool
has_member_above(const planned_places *of, uint32_t node)
{
    uint32_t above = lg_node_dominator(of->analysis, node);
    for (; above != LG_NONE; above = lg_node_dominator(of->analysis, above))
        if (!is_part(of, above) && of->place_of[above] == of->place_of[node])
            return true;
    return false;
}

static void
compare_sums(const planned_places *of, uint32_t index)
{
    uint64_t own[2] = {0};
    uint64_t retained[2] = {0};
    uint64_t members = 0;
    for (uint32_t i = 0; i < lg_graph_columns(of->graph)->node_count; i++) {
        if (of->place_of[i] != index)
            continue;
        own[lg_node_device(of->graph, i)] += lg_node_size(of->graph, i);
        if (is_part(of, i))
            continue;
        members += !is_loose_part(of, i);
        for (uint32_t on = 0; on < 2 && !has_member_above(of, i); on++)
            retained[on] += subtree(of, i, on);
    }
    lg_place place = lg_places_at(of->places, index);
    CHECK(members > 0 && place.members == members);
    CHECK(memcmp(place.own, own, sizeof own) == 0);
    CHECK(memcmp(place.retained, retained, sizeof retained) == 0);
    CHECK(of->place_of[place.example] == index &&
          !has_member_above(of, place.example) &&
          !is_loose_part(of, place.example));
}

// Returns whether a reference from the node's dominator, or from what is folded
// into it, has that label.
static bool
is_label(const planned_places *of, uint32_t node, lg_string label)
{
    const lg_columns *columns = lg_graph_columns(of->graph);
    uint32_t above = lg_node_dominator(of->analysis, node);
    bool found = false;
    for (uint32_t i = 0; i < columns->node_count; i++) {
        bool part = lg_node_folded_into(of->graph, i) != LG_NONE;
        bool inside = lg_node_folded_into(of->graph, i) == above;
        for (uint64_t e = lg_columns_first_edge(columns, i);
             (i == above || inside) &&
             e < lg_columns_first_edge(columns, i + 1);
             e++) {
            lg_text text = {0};
            unsigned kind = lg_columns_kind(columns, e) & LG_EDGE_KIND_MASK;
            uint32_t key = lg_columns_payload(columns, e);
            if (lg_columns_target(columns, e) != node)
                continue;
            if (kind == LG_EDGE_KEY)
                lg_text_add(&text, "key");
            else if (kind == LG_EDGE_INDEX || (kind == LG_EDGE_VALUE && !part))
                lg_text_add(&text, "[*]");
            else if (kind == LG_EDGE_VALUE) {
                lg_string name = lg_node_text(of->graph, key);
                bool named = name.length > 0;
                lg_text_addf(&text, named ? ".%.*s" : "[*]", (int)name.length,
                             name.data);
            } else
                lg_edge_label(of->graph, e, &text);
            found |= text.length == label.length &&
                     memcmp(text.data, label.data, label.length) == 0;
            lg_text_free(&text);
        }
    }
    return found;
}

static void
compare_step(const planned_places *of, uint32_t node)
{
    lg_place place = lg_places_at(of->places, of->place_of[node]);
    uint32_t above = lg_node_dominator(of->analysis, node);
    bool loose = is_loose_part(of, node);
    uint32_t named = loose ? lg_node_folded_into(of->graph, node) : node;
    uint32_t type = lg_columns_type(lg_graph_columns(of->graph), named);
    CHECK(lg__string_same(place.type, lg_graph_type(of->graph, type).name));
    bool top = above == LG_NONE;
    bool live = lg_node_is_reachable(of->analysis, node);
    CHECK((place.kind == LG_PLACE_ROOT) == (top && live));
    CHECK((place.kind == LG_PLACE_GARBAGE) == (top && !live));
    CHECK(top || place.kind == LG_PLACE_SEVERAL ||
          is_label(of, node, place.label));
    // The step leads from the dominator's place, or back to one above it.
    uint32_t at = top ? LG_NONE : of->place_of[above];
    bool found = place.parent == at;
    for (int i = 0; i < LG__RECURSION && at != LG_NONE && !found; i++) {
        found = at == of->place_of[node];
        at = lg_places_at(of->places, at).parent;
    }
    CHECK(found);
}

static void
sums_agree_with_the_oracle(void)
{
    for (uint64_t seed = 0; seed < GRAPHS && test_failures == 0; seed++) {
        planned from = planned_graph(seed);
        uint32_t number[PLANNED_NODES];
        planned_numbers(number, from.nodes, 0);
        planned_places of = planned_build(&from, number);
        for (uint32_t i = 0; i < lg_places_count(of.places); i++) {
            lg_place place = lg_places_at(of.places, i);
            compare_sums(&of, i);
            CHECK(lg_places_find(of.places, place.key) == i);
            CHECK(place.parent == LG_NONE || place.parent < i);
        }
        for (uint32_t i = 0; i < from.nodes; i++)
            if (!is_part(&of, i))
                compare_step(&of, i);
        planned_forget(&of);
        if (test_failures > 0)
            fprintf(stderr, "seed %u\n", (unsigned)seed);
    }
}

static void
check_same(const lg_places *a, const lg_places *b)
{
    CHECK(lg_places_count(a) == lg_places_count(b));
    CHECK(lg_places_device_count(a) == lg_places_device_count(b));
    for (uint32_t i = 0; i < lg_places_count(a); i++) {
        lg_place left = lg_places_at(a, i);
        uint32_t index = lg_places_find(b, left.key);
        REQUIRE(index != LG_NONE);
        lg_place right = lg_places_at(b, index);
        size_t size = (lg_places_device_count(a) + 1) * sizeof *left.own;
        CHECK(left.members == right.members);
        CHECK(left.references == right.references);
        CHECK(memcmp(left.own, right.own, size) == 0);
        CHECK(memcmp(left.retained, right.retained, size) == 0);
        CHECK(lg__string_same(left.label, right.label));
        CHECK(lg__string_same(left.type, right.type));
    }
}

static void
numbers_of_nodes_do_not_matter(void)
{
    for (uint64_t seed = 0; seed < GRAPHS && test_failures == 0; seed++) {
        planned from = planned_graph(seed);
        uint32_t number[PLANNED_NODES];
        planned_numbers(number, from.nodes, 0);
        planned_places one = planned_build(&from, number);
        planned_numbers(number, from.nodes, seed + 1);
        planned_places other = planned_build(&from, number);
        check_same(one.places, other.places);
        planned_forget(&one);
        planned_forget(&other);
        if (test_failures > 0)
            fprintf(stderr, "seed %u\n", (unsigned)seed);
    }
}

static void
parts_add_up_to_the_whole(void)
{
    for (uint64_t seed = 0; seed < GRAPHS && test_failures == 0; seed++) {
        planned left = planned_graph(seed);
        planned right = planned_graph(seed + GRAPHS);
        uint32_t number[PLANNED_NODES];
        planned_numbers(number, PLANNED_NODES, 0);
        planned_places one = planned_build(&left, number);
        planned_places other = planned_build(&right, number);
        lg_builder *builder = planned_begin();
        planned_nodes(builder, &left, number, 0);
        planned_nodes(builder, &right, number, left.nodes);
        planned_references(builder, &left, number, 0);
        planned_references(builder, &right, number, left.nodes);
        planned_places whole = planned_analyse(builder);
        const lg_places *const parts[] = {one.places, other.places};
        lg_places *sum = NULL;
        REQUIRE(lg_places_merge(parts, 2, &sum, NULL) == LG_OK);
        check_same(sum, whole.places);
        CHECK(lg_places_count(sum) == 0 ||
              lg_places_at(sum, 0).example == LG_NONE);
        lg_places_free(sum);
        planned_forget(&one);
        planned_forget(&other);
        planned_forget(&whole);
    }
}

// A module whose attribute `head` begins a chain of that many nodes, linked by
// as many names in turn.
static planned_places
chain(uint32_t nodes, uint32_t period)
{
    lg_builder *builder = planned_begin();
    lg_builder_add_root(builder, 0, LG_ROOT_MODULE, "app", 3);
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t node = lg_builder_add_node(builder, 64 * (uint64_t)(i + 1));
        lg_builder_put_type(builder, node,
                            planned_type(i == 0 ? PLANNED_MODULE : PLANNED_A));
        lg_builder_set_size(builder, node, 8);
    }
    lg_builder_set_text(builder, 0, "app", 3);
    for (uint32_t i = 0; i + 1 < nodes; i++) {
        char name[16];
        int length = i == 0 ? snprintf(name, sizeof name, "head")
                            : snprintf(name, sizeof name, "n%u", i % period);
        lg_builder_open(builder, i);
        lg_builder_add_edge(builder, i + 1, LG_EDGE_ATTRIBUTE,
                            lg_builder_intern(builder, name, (size_t)length));
    }
    return planned_analyse(builder);
}

static void
recursion_is_one_place(void)
{
    enum { NODES = 200000 };
    planned_places of = chain(NODES, 1);
    CHECK(lg_places_count(of.places) == 3);
    lg_place last = lg_places_at(of.places, 2);
    CHECK(last.members == NODES - 2);
    CHECK(last.own[0] == 8 * (NODES - 2));
    CHECK(last.retained[0] == 8 * (NODES - 2));
    CHECK(last.example == 2);
    lg_text text = {0};
    lg_place_format(of.places, 2, &text);
    CHECK_TEXT(text, "app.head.n0");
    lg_text_free(&text);
    planned_forget(&of);
    of = chain(NODES, 3);
    CHECK(lg_places_count(of.places) == 5);
    planned_forget(&of);
}

// A place is only as deep as paths without recursion are.
static void
deep_places_are_no_problem(void)
{
    enum { NODES = 100000 };
    planned_places of = chain(NODES, NODES);
    CHECK(lg_places_count(of.places) == NODES);
    lg_text text = {0};
    lg_place_format(of.places, NODES - 1, &text);
    CHECK(text.length > 50 && text.length < 400);
    CHECK(strncmp(text.data, "app.head.n1.n2", 14) == 0);
    CHECK(strstr(text.data, " … ") != NULL);
    lg_text_free(&text);
    planned_forget(&of);
}

typedef struct listener {
    double done;
    int calls;
} listener;

// Stops at the third call.
static bool
listen(void *context, const char *phase, double done)
{
    listener *heard = context;
    CHECK(strcmp(phase, "finding places") == 0);
    CHECK(done > heard->done && done < 1);
    heard->done = done;
    return ++heard->calls < 3;
}

static void
progress_is_told_and_can_be_stopped(void)
{
    planned_places of = chain(200000, 1);
    listener heard = {0};
    lg_monitor monitor = {listen, &heard};
    lg_places *none = NULL;
    CHECK(lg_places_new(of.analysis, &monitor, &none, NULL) == LG_ECANCELLED);
    CHECK(none == NULL && heard.calls == 3);
    planned_forget(&of);
}

static void
nothing_adds_up_to_nothing(void)
{
    lg_places *none = NULL;
    REQUIRE(lg_places_merge(NULL, 0, &none, NULL) == LG_OK);
    CHECK(lg_places_count(none) == 0);
    CHECK(lg_places_find(none, 1) == LG_NONE);
    CHECK(lg__string_is(lg_places_device_name(none, 0), "host"));
    CHECK(lg_places_device_name(none, 1).length == 0);
    lg_places_free(none);
    lg_places_free(NULL);
}

// Gives two objects with these texts to two lists of one module, or of two.
// Checks the paths of both; one place has them if these are the same.
static void
check_two(const char *type, const char *const texts[2], bool one_module,
          const char *const paths[2])
{
    story made = story_begin();
    lg_places *places = NULL;
    uint32_t *place_of = NULL;
    uint32_t held[2];
    uint32_t app = story_module(&made, "app");
    uint32_t other = one_module ? app : story_module(&made, "other");
    for (int i = 0; i < 2; i++)
        held[i] = story_add(&made, type, texts[i], 100);
    for (int i = 0; i < 2; i++) {
        uint32_t list = story_add(&made, "list", NULL, 56);
        story_attribute(&made, i ? app : other, i ? "left" : "right", list);
        for (uint32_t j = 0; j < 2; j++)
            story_edge(&made, list, held[j], LG_EDGE_INDEX, j);
    }
    lg_graph *graph = story_end(&made);
    lg_analysis *analysis = analysed(graph);
    REQUIRE(lg_places_walk(analysis, NULL, &places, &place_of, NULL) == LG_OK);
    CHECK((place_of[held[0]] == place_of[held[1]]) ==
          (strcmp(paths[0], paths[1]) == 0));
    for (int i = 0; i < 2; i++) {
        lg_text text = {0};
        lg_place_format(places, place_of[held[i]], &text);
        CHECK_TEXT(text, paths[i]);
        lg_text_free(&text);
    }
    free(place_of);
    lg_places_free(places);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

static void
check_several(const char *type, const char *const texts[2], bool one_module,
              const char *path)
{
    check_two(type, texts, one_module, (const char *const[]){path, path});
}

// What several paths lead to is named by its own name, if its kind has one. But
// a program may give each class and function that it makes another name.
static void
names_behind_several_paths(void)
{
    const char *const plain[] = {"app.work", "app.work"};
    const char *const numbered[] = {"app.run_7", "app.run_12"};
    const char *const classes[] = {"app.Red", "app.Blue"};
    const char *const inner[] = {"app.f.<locals>.Red", "app.f.<locals>.Red"};
    const char *const two[] = {"app.work", "app.rest"};
    check_several("function", plain, true, "app … app.work");
    check_several("function", plain, false, "app.work");
    check_several("function", numbered, true, "app … app.run_*");
    check_several("function", numbered, false, "app.run_*");
    check_several("type", classes, true, "app … type");
    check_several("type", classes, false, "app.*");
    check_several("type", inner, false, "app.f.<locals>.Red");
    check_two("function", two, false, two);
}

// Gives two classes of one list a descriptor each. All are immortal, as without
// a GIL, and so is a descriptor of garbage that has the same name.
static lg_graph *
immortal_descriptors(uint32_t descriptors[2])
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t list = story_add(&made, "list", NULL, 56);
    story_attribute(&made, app, "classes", list);
    made.flags = LG_NODE_IMMORTAL;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t class = story_add(&made, "type", "app.Local", 900);
        descriptors[i] =
            story_add(&made, "getset_descriptor", "__weakref__", 64);
        story_edge(&made, list, class, LG_EDGE_INDEX, i);
        story_attribute(&made, class, "__weakref__", descriptors[i]);
    }
    story_add(&made, "getset_descriptor", "__weakref__", 64);
    return story_end(&made);
}

// The name alone of such a descriptor is no path to anything.
static void
immortal_descriptors_are_found_by_their_classes(void)
{
    uint32_t held[2];
    lg_graph *graph = immortal_descriptors(held);
    lg_analysis *analysis = analysed(graph);
    lg_places *places = NULL;
    uint32_t *place_of = NULL;
    lg_text text = {0};
    REQUIRE(lg_places_walk(analysis, NULL, &places, &place_of, NULL) == LG_OK);
    CHECK(place_of[held[0]] == place_of[held[1]]);
    REQUIRE(lg__places_find_words(places, place_of, analysis, NULL, NULL) ==
            LG_OK);
    lg_place_format(places, place_of[held[0]], &text);
    CHECK_TEXT(text, "app.classes[*].__weakref__");
    lg_text_free(&text);
    free(place_of);
    lg_places_free(places);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

static void
types_are_like_without_their_numbers(void)
{
    static const struct {
        const char *text, *uncounted;
        bool alike;
    } cases[] = {
        {"Model12", "Model*", true},   {"Model12", "Model12", true},
        {"Model12", "Model**", false}, {"Model", "Model*", false},
        {"a1b22", "a*b*", true},       {"a1b22", "a*b", false},
        {"Model12", "Mode*", false},   {"", "", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lg_string text = {cases[i].text, (uint32_t)strlen(cases[i].text)};
        lg_string uncounted = {cases[i].uncounted,
                               (uint32_t)strlen(cases[i].uncounted)};
        CHECK(lg__text_is_like(text, uncounted) == cases[i].alike);
    }
}

SUITE(places)
{
    RUN(sums_agree_with_the_oracle);
    RUN(numbers_of_nodes_do_not_matter);
    RUN(parts_add_up_to_the_whole);
    RUN(recursion_is_one_place);
    RUN(deep_places_are_no_problem);
    RUN(progress_is_told_and_can_be_stopped);
    RUN(nothing_adds_up_to_nothing);
    RUN(names_behind_several_paths);
    RUN(immortal_descriptors_are_found_by_their_classes);
    RUN(types_are_like_without_their_numbers);
    return test_result();
}
