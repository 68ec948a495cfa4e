// What belongs to the place of the function, class or module that it defines.
#include "planned.h"
#include "test.h"

#include <leakgraph/internal/capture_builder.h>

typedef struct row {
    const char *above; // a type
    const char *name;  // of the reference
    const char *type;
    bool part;
} row;

// What a function has in fields of its own, not in its namespace.
static const row fields[] = {
    {"function", "__code__", "code", true},
    {"function", "text", "str", true},
    {"function", "text", "list", false},
    {"cell", "text", "str", false},
};

static const row attributes[] = {
    {"function", "__annotations__", "dict", true},
    {"function", "__type_params__", "tuple", true},
    {"function", "__defaults__", "tuple", false},
    {"function", "__kwdefaults__", "dict", false},
    {"function", "__wrapped__", "function", false},
    {"function", "descriptor", "method_descriptor", false},
    {"type", "__mro__", "tuple", true},
    {"type", "__bases__", "tuple", true},
    {"type", "__orig_bases__", "tuple", true},
    {"type", "__parameters__", "tuple", true},
    {"type", "__match_args__", "tuple", true},
    {"type", "__slots__", "list", true},
    {"type", "__name__", "str", true},
    {"type", "__qualname__", "str", true},
    {"type", "__module__", "str", true},
    {"type", "__doc__", "str", true},
    {"type", "text", "str", false},
    {"type", "_names", "tuple", false},
    {"type", "__names__", "tuple", false},
    {"type", "method", "function", false},
    {"type", "a", "wrapper_descriptor", true},
    {"type", "a", "method_descriptor", true},
    {"type", "a", "classmethod_descriptor", true},
    {"type", "a", "getset_descriptor", true},
    {"type", "a", "member_descriptor", true},
    {"type", "a", "property", false},
    {"type", "a", "builtin_function_or_method", false},
    {"module", "__spec__", "ModuleSpec", true},
    {"module", "__loader__", "Loader", true},
    {"module", "__package__", "str", true},
    {"module", "__path__", "list", true},
    {"module", "__file__", "str", true},
    {"module", "__cached__", "str", true},
    {"module", "__all__", "list", false},
    {"module", "cache", "dict", false},
    {"A", "__doc__", "str", false},
    {"list", "__spec__", "ModuleSpec", false},
};

// In a namespace, a text is a value of the program's.
static const row values[] = {
    {"function", "text", "str", false},
};

static void
add_node(lg_builder *builder, uint32_t number, const char *type)
{
    uint32_t node = lg_builder_add_node(builder, 64 * (uint64_t)(number + 1));
    lg_builder_put_type(
        builder, node,
        lg_builder_add_type(builder, type, strlen(type), LG_NONE, NULL, 0));
    lg_builder_set_size(builder, node, 8);
}

static void
refer(lg_builder *builder, uint32_t source, const char *name)
{
    lg_builder_open(builder, source);
    lg_builder_add_edge(builder, source + 1, LG_EDGE_ATTRIBUTE,
                        lg_builder_intern(builder, name, strlen(name)));
}

enum { TOP, ABOVE, NODE, INSIDE, NODES };

// A list that a root holds leads to the upper node of the row, that to the
// other one, and that to a list inside of it.
static planned_places
build(const row *of)
{
    const char *const types[NODES] = {"list", of->above, of->type, "list"};
    const char *const names[NODES - 1] = {"top", of->name, "inside"};
    lg_builder *builder = planned_begin();
    for (uint32_t i = 0; i < NODES; i++)
        add_node(builder, i, types[i]);
    lg_builder_add_root(builder, TOP, LG_ROOT_MODULE, "app", 3);
    for (uint32_t i = 0; i + 1 < NODES; i++)
        refer(builder, i, names[i]);
    return planned_analyse(builder);
}

// The same, where the upper node has the other one in its namespace.
static planned_places
build_spaced(const row *of)
{
    enum { SPACE = NODES, KEY };
    const char *const types[] = {"list", of->above, of->type,
                                 "list", "dict",    "str"};
    lg_builder *builder = planned_begin();
    for (uint32_t i = 0; i <= KEY; i++)
        add_node(builder, i, types[i]);
    lg_builder_set_text(builder, KEY, of->name, strlen(of->name));
    lg_builder_add_root(builder, TOP, LG_ROOT_MODULE, "app", 3);
    lg_builder_add_root(builder, KEY, LG_ROOT_MODULE, "key", 3);
    refer(builder, TOP, "top");
    lg_builder_open(builder, ABOVE);
    lg_builder_add_edge(builder, SPACE, LG_EDGE_DICT, 0);
    refer(builder, NODE, "inside");
    lg_builder_open(builder, SPACE);
    lg_builder_add_edge(builder, NODE, LG_EDGE_VALUE, KEY);
    return planned_analyse(builder);
}

static void
check_row(const row *of, planned_places made, uint32_t sizes)
{
    const uint32_t *place = made.place_of;
    int before = test_failures;
    CHECK((place[NODE] == place[ABOVE]) == of->part);
    CHECK((place[INSIDE] == place[NODE]) == of->part);
    lg_place above = lg_places_at(made.places, place[ABOVE]);
    CHECK(above.members == 1);
    CHECK(above.own[0] == sizes - (of->part ? 0 : 16));
    CHECK(above.retained[0] == sizes);
    if (test_failures > before)
        fprintf(stderr, "%s %s %s\n", of->above, of->name, of->type);
    planned_forget(&made);
}

static void
definitions_are_parts_of_what_they_define(void)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        check_row(&fields[i], build(&fields[i]), 24);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        check_row(&attributes[i], build(&attributes[i]), 24);
}

static void
so_are_those_in_a_namespace(void)
{
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        check_row(&attributes[i], build_spaced(&attributes[i]), 32);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        check_row(&values[i], build_spaced(&values[i]), 32);
}

SUITE(place_parts)
{
    RUN(definitions_are_parts_of_what_they_define);
    RUN(so_are_those_in_a_namespace);
    return test_result();
}
