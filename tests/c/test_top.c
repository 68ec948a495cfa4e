// What top shows: where bytes gather, bit by bit, in many small objects, or in
// tables of libraries. It loses none.
#include "drawn.h"
#include "heaps.h"
#include "story.h"
#include "test.h"

#include <leakgraph/internal/answers.h>
#include <leakgraph/internal/capture_builder.h>

typedef struct answer {
    lg_graph *graph;
    lg_analysis *analysis;
    lg_top top;
} answer;

static uint64_t
total_of(const answer *all)
{
    return all->top.reachable[0] + all->top.garbage[0];
}

// The rows, the libraries and the rest make up the whole heap.
static void
check_sum(const answer *all)
{
    uint64_t sum = all->top.libraries[0] + all->top.more[0];
    for (size_t i = 0; i < all->top.count; i++)
        sum += all->top.rows[i].retained[0];
    CHECK(sum == total_of(all));
}

static answer
ask(story *made, size_t limit, bool libraries)
{
    answer all = {.graph = story_end(made)};
    lg_top_options options = TOP_OPTIONS(LG_GROUP_OBJECT, LG_NONE, limit);
    options.libraries = libraries;
    all.analysis = analysed(all.graph);
    REQUIRE(lg_analysis_top(all.analysis, &options, NULL, &all.top, NULL) ==
            LG_OK);
    check_sum(&all);
    return all;
}

static void
end(answer *all)
{
    lg_top_free(&all->top);
    lg_analysis_free(all->analysis);
    lg_graph_free(all->graph);
}

// A list of this many links is one row, whoever holds it.
static void
expect_list(uint32_t links, bool found)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t owner = story_add(&made, "app.Owner", NULL, 10);
    uint32_t before = owner;
    uint32_t first = LG_NONE;
    story_attribute(&made, app, "owner", owner);
    for (uint32_t i = 0; i < links; i++) {
        uint32_t link = story_add(&made, "app.Link", NULL, 1000);
        story_attribute(&made, before, "next", link);
        story_attribute(&made, link, "data",
                        story_add(&made, "bytearray", NULL, 100000 - 10));
        before = link;
        first = i == 0 ? link : first;
    }
    answer all = ask(&made, 1, false);
    REQUIRE(all.top.count == 1);
    CHECK((all.top.rows[0].node == first) == found);
    if (found)
        CHECK(all.top.more[0] < 200);
    end(&all);
}

static void
lists(void)
{
    expect_list(25, true);
    expect_list(15, true);
    expect_list(14, true);
}

// Checks which link of a list with these sizes has the row. Three links make a
// list, whose first link has it.
static void
expect_link(const uint32_t *sizes, size_t count, uint32_t expected)
{
    story made = story_begin();
    uint32_t before = story_module(&made, "app");
    uint32_t first = LG_NONE;
    for (size_t i = 0; i < count; i++) {
        uint32_t link = story_add(&made, "app.Link", NULL, sizes[i] * 1000);
        story_attribute(&made, before, "next", link);
        before = link;
        first = i == 0 ? link : first;
    }
    answer all = ask(&made, 1, false);
    REQUIRE(all.top.count == 1);
    CHECK(all.top.rows[0].node == first + expected);
    end(&all);
}

static void
links(void)
{
    const uint32_t three[] = {3, 14, 10, 73};
    const uint32_t two[] = {3, 19, 78};
    expect_link(three, 4, 0);
    expect_link(two, 3, 1);
}

// Objects of different types spend bytes on the way: the row goes to the last
// one that has nearly all of them.
static void
expect_spender(uint32_t before, const char *expected)
{
    static const char *const types[] = {"app.A", "app.B", "app.C", "app.D"};
    const uint32_t sizes[] = {before, 100000 - before, 100000, 800000};
    story made = story_begin();
    uint32_t above = story_module(&made, "app");
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t node = story_add(&made, types[i], NULL, sizes[i]);
        story_attribute(&made, above, "below", node);
        above = node;
    }
    // No child of the last but one has 80 % of all, but of what is left here.
    story_attribute(&made, above - 1, "rest",
                    story_add(&made, "app.E", NULL, 20000));
    answer all = ask(&made, 1, false);
    lg_text title = {0};
    REQUIRE(all.top.count == 1);
    lg_node_title(all.graph, all.top.rows[0].node, false, &title);
    CHECK_TEXT(title, expected);
    lg_text_free(&title);
    end(&all);
}

static void
spenders(void)
{
    expect_spender(51000, "B");
    expect_spender(52000, "A");
}

// Equal objects of one place share a row from five on.
static void
expect_group(uint32_t objects, size_t rows)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t other = story_module(&made, "other");
    for (uint32_t i = 0; i < objects; i++) {
        uint32_t task = story_add(&made, "app.Task", NULL, 1000);
        story_attribute(&made, app, "task", task);
        story_attribute(&made, other, "task", task);
    }
    answer all = ask(&made, 0, false);
    CHECK(all.top.count == rows);
    CHECK(all.top.rows[0].count == (rows == 1 ? objects : 1));
    CHECK(all.top.rows[0].retained[0] == (rows == 1 ? objects * 1000 : 1000));
    CHECK(all.top.rows[0].size[0] == all.top.rows[0].retained[0]);
    end(&all);
}

// Of twenty objects of one place, the biggest has a row of its own from a tenth
// of their bytes on.
static void
expect_biggest(uint32_t bytes, size_t rows)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    uint32_t other = story_module(&made, "other");
    for (uint32_t i = 0; i < 20; i++) {
        uint32_t size = i == 7 ? bytes : (1900000 - bytes) / 19;
        uint32_t task = story_add(&made, "app.Task", NULL, size);
        story_attribute(&made, app, "task", task);
        story_attribute(&made, other, "task", task);
    }
    answer all = ask(&made, 0, false);
    CHECK(all.top.count == rows);
    CHECK(all.top.rows[rows - 1].count == (rows == 1 ? 20 : 1));
    end(&all);
}

static void
biggest(void)
{
    expect_biggest(188000, 1);
    expect_biggest(192000, 2);
}

static void
groups(void)
{
    expect_group(4, 4);
    expect_group(5, 1);
    expect_group(40, 1);
}

// Five objects of one place, of which the biggest is a tenth above the average,
// share a row; with a byte more, each has its own.
static void
expect_spread(uint32_t biggest, uint32_t smallest, size_t rows)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    const uint32_t sizes[] = {biggest, 100, 100, 100, smallest};
    for (uint32_t i = 0; i < 5; i++)
        story_attribute(&made, app, "task",
                        story_add(&made, "app.Task", NULL, sizes[i]));
    answer all = ask(&made, 0, false);
    CHECK(all.top.count == rows);
    end(&all);
}

static void
spread(void)
{
    expect_spread(110, 90, 1);
    expect_spread(111, 89, 5);
}

// A big object among many small ones has a row of its own, and objects held
// under another name are another group.
static void
mixed_groups(void)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "app");
    for (uint32_t i = 0; i < 24; i++)
        story_attribute(&made, app, i % 2 ? "a" : "b",
                        story_add(&made, "app.Task", NULL, 100));
    story_attribute(&made, app, "a", story_add(&made, "app.Task", NULL, 5000));
    answer all = ask(&made, 0, false);
    REQUIRE(all.top.count == 3);
    CHECK(all.top.rows[0].count == 1 && all.top.rows[0].retained[0] == 5000);
    CHECK(all.top.rows[1].count == 12 && all.top.rows[2].count == 12);
    end(&all);
}

// Adds the module `name`, from a file if there is one, with a table, which
// contains an object if `type` is a type.
static void
expect_library(const char *name, const char *path, const char *type,
               uint32_t size, bool hidden)
{
    story made = story_begin();
    uint32_t app = story_module(&made, "__main__");
    uint32_t module = story_module(&made, name);
    uint32_t table = story_add(&made, "dict", NULL, size);
    if (path != NULL)
        lg_builder_set_origin(made.builder, module,
                              (lg_string){path, (uint32_t)strlen(path)});
    story_attribute(&made, app, "mine", story_add(&made, "list", NULL, 60));
    story_attribute(&made, app, "data",
                    story_add(&made, "bytearray", NULL, 80 << 20));
    story_attribute(&made, module, "table", table);
    if (type != NULL)
        story_attribute(&made, table, "entry",
                        story_add(&made, type, NULL, size));
    answer all = ask(&made, 0, false);
    CHECK((all.top.library_objects > 0) == hidden);
    CHECK(all.top.count == (hidden ? 2 : 3));
    CHECK(all.top.package_count == (hidden ? 1 : 0));
    end(&all);
}

static void
libraries(void)
{
    static const char *const installed[] = {
        "/venv/lib/python3.11/site-packages/table/__init__.py",
        "/usr/lib/python3/dist-packages/table.py",
        "/usr/lib/python3.12/table.py",
        "/usr/lib64/python3.9/table.py",
        "/usr/lib/python313.zip/table.pyc",
    };
    for (size_t i = 0; i < sizeof installed / sizeof *installed; i++)
        expect_library("table", installed[i], NULL, 9000, true);
    expect_library("table", "/srv/app/table.py", NULL, 9000, false);
    expect_library("json", "/srv/app/json.py", NULL, 9000, false);
    expect_library("__main__", installed[0], NULL, 9000, false);
    expect_library("json", NULL, NULL, 9000, true);
    expect_library("leakgraph", "/src/leakgraph/__init__.py", NULL, 9000, true);
    expect_library("_imp", NULL, NULL, 9000, true);
    expect_library("table", NULL, NULL, 9000, false);
}

// What a program made has a row wherever it is, and so has a very big object.
static void
not_for_themselves(void)
{
    static const struct {
        const char *type;
        bool hidden;
    } cases[] = {
        {"str", true},
        {"bytes", true},
        {"json.JSONDecoder", true},
        {"function", true},
        {"app.Callback", false},
        {"numpy.ndarray", false},
        {"matplotlib.figure.Figure", false},
        {"coroutine", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_library("json", NULL, cases[i].type, 9000, cases[i].hidden);
    expect_library("json", NULL, NULL, 9 << 20, true);
    expect_library("json", NULL, NULL, 17 << 20, false);
}

// Adds a container of this many members and bytes to a module in a heap of
// `whole` bytes, and returns whether it has a row.
static bool
has_row(const char *module, const char *type, uint32_t members, uint32_t size,
        uint32_t whole)
{
    enum { MEMBER = 10 };
    story made = story_begin();
    uint32_t app = story_module(&made, "__main__");
    uint32_t owner = story_module(&made, module);
    uint32_t registry = story_add(&made, type, NULL, size - members * MEMBER);
    uint32_t data = story_add(&made, "bytearray", NULL, whole - size - 144);
    story_attribute(&made, app, "data", data);
    story_attribute(&made, owner, "registry", registry);
    for (uint32_t i = 0; i < members; i++)
        story_edge(&made, registry, story_add(&made, "str", NULL, MEMBER),
                   LG_EDGE_ELEMENT, 0);
    answer all = ask(&made, 0, false);
    CHECK(total_of(&all) == whole);
    bool found = all.top.count == 2;
    CHECK(all.top.package_count == (found ? 0 : 1));
    CHECK(all.top.libraries[0] == (found ? 0 : size));
    end(&all);
    return found;
}

// A container of the standard library that has more than the library puts there
// was filled by somebody else.
static void
filled_registries(void)
{
    enum { KIB = 1 << 10, MIB = 1 << 20 };
    CHECK(has_row("logging", "dict", 256, 512 * KIB, 32 * MIB));
    CHECK(has_row("xml.etree.ElementTree", "set", 256, 512 * KIB, 32 * MIB));
    CHECK(has_row("_warnings", "list", 256, 512 * KIB, 32 * MIB));
    CHECK(!has_row("logging", "dict", 255, 512 * KIB, 32 * MIB));
    CHECK(!has_row("logging", "dict", 256, 512 * KIB - 1, 8 * MIB));
    CHECK(!has_row("logging", "dict", 256, 512 * KIB, 32 * MIB + 256 * KIB));
    CHECK(has_row("logging", "dict", 256, 4 * MIB, 512 * MIB));
    CHECK(!has_row("logging", "dict", 256, 4 * MIB - 1, 512 * MIB));
    CHECK(!has_row("logging", "tuple", 256, 512 * KIB, 32 * MIB));
    CHECK(!has_row("torch", "dict", 256, 512 * KIB, 32 * MIB));
    CHECK(!has_row("_pytest.logging", "dict", 256, 512 * KIB, 32 * MIB));
}

// Many strings that no object holds alone are of one place, whoever holds them.
static void
of_several_holders(void)
{
    enum { STRINGS = 100, SIZE = 1000, MINE = 1500 };
    story made = story_begin();
    uint32_t app = story_module(&made, "__main__");
    uint32_t one = story_module(&made, "json");
    uint32_t other = story_module(&made, "inspect");
    for (int i = 0; i < STRINGS; i++) {
        uint32_t text = story_add(&made, "str", NULL, SIZE);
        story_attribute(&made, one, "text", text);
        story_attribute(&made, other, "text", text);
    }
    uint32_t mine = story_add(&made, "str", NULL, MINE);
    story_attribute(&made, app, "mine", mine);
    story_attribute(&made, one, "text", mine);
    answer all = ask(&made, 0, false);
    CHECK(all.top.count == 1 && all.top.rows[0].node == mine);
    CHECK(all.top.rows[0].count == 1 && all.top.rows[0].weight == MINE);
    CHECK(all.top.libraries[0] == STRINGS * SIZE);
    CHECK(all.top.library_objects == STRINGS);
    end(&all);
    made = story_begin();
    app = story_module(&made, "__main__");
    one = story_module(&made, "app");
    for (int i = 0; i < STRINGS; i++) {
        uint32_t text = story_add(&made, "str", NULL, SIZE);
        story_attribute(&made, app, "text", text);
        story_attribute(&made, one, "text", text);
    }
    all = ask(&made, 0, false);
    CHECK(all.top.count == 1 && all.top.rows[0].count == STRINGS);
    end(&all);
}

// If asked for, they have rows like any other.
static void
asked_for(void)
{
    story made = story_begin();
    uint32_t module = story_module(&made, "json");
    story_attribute(&made, module, "table",
                    story_add(&made, "dict", NULL, 9000));
    answer all = ask(&made, 0, true);
    CHECK(all.top.count == 1 && all.top.libraries[0] == 0);
    end(&all);
}

SUITE(top)
{
    RUN(lists);
    RUN(links);
    RUN(spenders);
    RUN(groups);
    RUN(biggest);
    RUN(spread);
    RUN(mixed_groups);
    RUN(libraries);
    RUN(not_for_themselves);
    RUN(filled_registries);
    RUN(of_several_holders);
    RUN(asked_for);
    return test_result();
}
