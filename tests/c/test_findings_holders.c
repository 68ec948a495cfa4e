// Which object a finding names as the holder, and what belongs to it.
#include "drawn.h"
#include "heaps.h"
#include "test.h"

#include <leakgraph/internal/findings.h>

#include <string.h>

// Ends the story and returns its findings.
static lg_findings
findings_of(story *made, lg_graph **graph, lg_analysis **analysis)
{
    lg_findings found = {0};
    *graph = story_end(made);
    *analysis = analysed(*graph);
    REQUIRE(lg_analysis_findings(*analysis, NULL, NULL, &found, NULL) == LG_OK);
    return found;
}

// The fix changes the lists in which a closure has an activation. The list that
// would live on without the closure is the holder, and nothing else is.
static void
closures_of_lists(void)
{
    for (uint32_t lists = 0; lists < 4; lists++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t kept =
            heap_tensor(&made, HEAP_BIG,
                        heap_grad_fn(&made, "ReluBackward0", LG_NONE, LG_NONE));
        uint32_t seen = LG_NONE;
        for (uint32_t i = 0; i < lists; i++) {
            kept = heap_list(&made, kept);
            if (i == 0)
                story_attribute(&made, app, "seen", seen = kept);
        }
        uint32_t function = heap_function(&made, kept);
        story_attribute(&made, app, "callbacks", heap_list(&made, function));
        lg_graph *graph;
        lg_analysis *analysis;
        lg_findings found = findings_of(&made, &graph, &analysis);
        REQUIRE(found.count == (lists < 3));
        if (found.count == 1) {
            CHECK(found.items->holder_count == 1 && found.items->others == 0);
            CHECK(found.items->holders->node ==
                  (seen != LG_NONE ? seen : function));
        }
        lg_findings_free(&found);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

static uint32_t
add_tuple(story *made)
{
    uint32_t node = heap_grad_fn(made, "ReluBackward0", LG_NONE, LG_NONE);
    uint32_t tuple = story_add(made, "tuple", NULL, 56);
    story_edge(made, tuple, heap_tensor(made, HEAP_BIG, node), LG_EDGE_INDEX,
               0);
    return tuple;
}

// A tuple in the list of a closure has the activation, and is kept elsewhere,
// too. The fix changes what the list holds, so the tuple is no other holder.
static void
closure_of_a_tuple(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t tuple = add_tuple(&made);
    uint32_t list = heap_list(&made, tuple);
    uint32_t function = heap_function(&made, list);
    story_attribute(&made, app, "seen", list);
    story_attribute(&made, app, "last", tuple);
    story_attribute(&made, app, "callbacks", heap_list(&made, function));
    lg_graph *graph;
    lg_analysis *analysis;
    lg_findings found = findings_of(&made, &graph, &analysis);
    REQUIRE(found.count == 1);
    CHECK(found.items->holder_count == 1 && found.items->others == 0);
    CHECK(found.items->holders->node == function);
    lg_findings_free(&found);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// Classes in two lists are two mistakes: emptying one of the lists frees what
// it has.
static void
classes_in_two_lists(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t lists[] = {heap_list(&made, LG_NONE), heap_list(&made, LG_NONE)};
    story_attribute(&made, app, "first", lists[0]);
    story_attribute(&made, app, "rest", lists[1]);
    for (uint32_t n = 0; n < 18; n++)
        heap_append(
            &made, lists[n % 3 == 0],
            story_add(&made, "type", "app.make.<locals>.Row", HEAP_BIG));
    lg_graph *graph;
    lg_analysis *analysis;
    lg_findings found = findings_of(&made, &graph, &analysis);
    REQUIRE(found.count == 2);
    CHECK(found.items[0].holders->node == lists[0]);
    CHECK(found.items[0].count == 12);
    CHECK(found.items[1].holders->node == lists[1]);
    CHECK(found.items[1].count == 6);
    lg_findings_free(&found);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

enum { SHARED = 16 };

// Adds classes to a list, and the first ones to a dict as well. Each is in an
// object of its own, if `wrapped`.
static void
pile_up(story *made, uint32_t app, uint32_t count, bool wrapped, uint32_t *list,
        uint32_t *dict)
{
    *list = heap_list(made, LG_NONE);
    *dict = story_add(made, "dict", NULL, 100);
    story_attribute(made, app, "list", *list);
    story_attribute(made, app, "dict", *dict);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t kept =
            story_add(made, "type", "app.make.<locals>.Row", HEAP_BIG);
        if (wrapped) {
            uint32_t job = story_add(made, "app.Job", NULL, 48);
            story_attribute(made, job, "row", kept);
            kept = job;
        }
        heap_append(made, *list, kept);
        if (n < SHARED)
            story_edge(made, *dict, kept, LG_EDGE_VALUE, LG_NONE);
    }
}

// Classes that two containers share have both for holders. The list has them
// all, so emptying it frees those that are in nothing else.
static void
classes_that_two_containers_share(void)
{
    for (int wrapped = 0; wrapped < 2; wrapped++) {
        uint32_t app, list, dict;
        story made = heap_begin(&app);
        pile_up(&made, app, SHARED + 1, wrapped, &list, &dict);
        lg_graph *graph;
        lg_analysis *analysis;
        lg_findings found = findings_of(&made, &graph, &analysis);
        REQUIRE(found.count == 1);
        const lg_finding *first = found.items;
        CHECK(first->count == SHARED + 1);
        REQUIRE(first->holder_count == 2);
        CHECK(first->holders[0].node == list);
        CHECK(first->holders[0].count == SHARED + 1);
        CHECK(first->holders[0].total == HEAP_BIG);
        CHECK(first->holders[1].node == dict);
        CHECK(first->holders[1].count == SHARED);
        CHECK(first->holders[1].total == 0);
        lg_findings_free(&found);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

// Sessions that two containers share have a list of classes each. Each of these
// lists is a holder, and all are alike.
static void
classes_in_many_containers(void)
{
    enum { SESSIONS = 20, EACH = 3 };
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t all = heap_list(&made, LG_NONE);
    uint32_t recent = heap_list(&made, LG_NONE);
    uint32_t first = LG_NONE;
    story_attribute(&made, app, "all", all);
    story_attribute(&made, app, "recent", recent);
    for (int n = 0; n < SESSIONS; n++) {
        uint32_t session = story_add(&made, "app.Session", NULL, 48);
        uint32_t rows = heap_list(&made, LG_NONE);
        first = n == 0 ? rows : first;
        story_attribute(&made, session, "rows", rows);
        heap_append(&made, all, session);
        heap_append(&made, recent, session);
        for (int i = 0; i < EACH; i++)
            heap_append(
                &made, rows,
                story_add(&made, "type", "app.make.<locals>.Row", HEAP_BIG));
    }
    lg_graph *graph;
    lg_analysis *analysis;
    lg_findings found = findings_of(&made, &graph, &analysis);
    REQUIRE(found.count == SESSIONS);
    CHECK(found.group_count == 1 && found.groups->count == SESSIONS * EACH);
    CHECK(found.items->holder_count == 1 && found.items->count == EACH);
    CHECK(found.items->holders->node == first);
    lg_findings_free(&found);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// What leads to a module leads to all that the module has: a list of jobs, each
// of which knows its module, has none of the classes in the module's tuples.
static void
modules_lead_to_all(void)
{
    enum { LISTED = 14, OTHERS = 6, CONTAINERS = 2 };
    static const char *const names[] = {"list", "rest"};
    uint32_t app, listed[CONTAINERS], others[CONTAINERS];
    story made = heap_begin(&app);
    for (uint32_t i = 0; i < CONTAINERS; i++) {
        listed[i] = heap_list(&made, LG_NONE);
        others[i] = story_add(&made, "tuple", NULL, 56);
        story_attribute(&made, app, names[i], listed[i]);
        story_attribute(&made, app, i == 0 ? "pair" : "also", others[i]);
    }
    for (uint32_t n = 0; n < LISTED + OTHERS; n++) {
        uint32_t job = story_add(&made, "app.Job", NULL, 48);
        story_attribute(&made, job, "module", app);
        story_attribute(
            &made, job, "row",
            story_add(&made, "type", "app.make.<locals>.Row", HEAP_BIG));
        for (uint32_t i = 0; i < CONTAINERS; i++)
            heap_append(&made, n < LISTED ? listed[i] : others[i], job);
    }
    lg_graph *graph;
    lg_analysis *analysis;
    lg_findings found = findings_of(&made, &graph, &analysis);
    REQUIRE(found.count > 0 && found.items->holder_count == CONTAINERS);
    for (uint32_t i = 0; i < CONTAINERS; i++)
        CHECK(found.items->holders[i].count == LISTED);
    lg_findings_free(&found);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// A hook is found in a namespace, one of whose keys the snapshot does not have.
static void
unknown_keys(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t net = story_add(&made, "app.Net", NULL, 48);
    uint32_t space = story_add(&made, "dict", NULL, 100);
    uint32_t all = story_add(&made, "collections.OrderedDict", NULL, 100);
    story_attribute(&made, app, "net", net);
    story_edge(&made, net, space, LG_EDGE_DICT, 0);
    story_edge(&made, space, app, LG_EDGE_VALUE, LG_NONE);
    heap_item(&made, space, "_forward_hooks", all);
    uint32_t node = heap_grad_fn(&made, "ReluBackward0", LG_NONE, LG_NONE);
    uint32_t kept = heap_tensor(&made, HEAP_BIG, node);
    heap_item(&made, all, "1", heap_function(&made, heap_list(&made, kept)));
    CHECK(heap_finds(&made, "kept-activations "));
}

// Adds a module with a hook: a method of `self`. Returns the method.
static uint32_t
add_hooked(story *made, uint32_t net, uint32_t self)
{
    uint32_t all = story_add(made, "collections.OrderedDict", NULL, 100);
    uint32_t method = story_add(made, "method", NULL, 64);
    story_attribute(made, net, "_forward_hooks", all);
    heap_item(made, all, "1", method);
    story_attribute(made, method, "__self__", self);
    story_attribute(made, method, "__func__", heap_function(made, LG_NONE));
    return method;
}

// Nobody can empty a tuple. A list of tuples that lives on without the hook is
// the holder; a list that has the module of the hook, too, is not.
static void
hooks_with_tuples(void)
{
    enum { TUPLES = 6 };
    for (int inside = 0; inside < 2; inside++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t list = heap_list(&made, LG_NONE);
        uint32_t agent = story_add(&made, "app.Agent", NULL, 48);
        uint32_t net = story_add(&made, "app.Net", NULL, 48);
        uint32_t method = add_hooked(&made, net, agent);
        story_attribute(&made, app, "all", list);
        story_attribute(&made, inside ? net : app, "agent", agent);
        if (inside)
            heap_append(&made, list, net);
        else
            story_attribute(&made, agent, "net", net);
        if (inside)
            story_attribute(&made, agent, "seen", add_tuple(&made));
        else
            story_attribute(&made, agent, "all", list);
        for (int i = 0; i < TUPLES; i++)
            heap_append(&made, list,
                        inside ? story_add(&made, "app.Other", NULL, 48)
                               : add_tuple(&made));
        lg_graph *graph;
        lg_analysis *analysis;
        lg_findings found = findings_of(&made, &graph, &analysis);
        REQUIRE(found.count == 1);
        CHECK(found.items->holders[0].node == (inside ? method : list));
        lg_findings_free(&found);
        lg_analysis_free(analysis);
        lg_graph_free(graph);
    }
}

// Adds an exception whose frame has a tensor behind many elements of a list,
// and then the crowd.
static void
add_error(story *made, uint32_t errors, uint32_t crowd, uint32_t element)
{
    enum { ELEMENTS = 600 };
    uint32_t error = story_add(made, "ValueError", NULL, 72);
    uint32_t traceback = story_add(made, "traceback", NULL, 64);
    uint32_t frame = story_add(made, "frame", "load() app.py:7", 400);
    uint32_t batch = heap_list(made, LG_NONE);
    uint32_t tensor = heap_tensor(made, HEAP_BIG, LG_NONE);
    heap_memory(made, tensor);
    for (int i = 0; i < ELEMENTS; i++)
        heap_append(made, batch, element);
    heap_append(made, batch, tensor);
    story_local(made, frame, "batch", batch);
    story_local(made, frame, "crowd", crowd);
    story_attribute(made, traceback, "tb_frame", frame);
    story_attribute(made, error, "__traceback__", traceback);
    heap_append(made, errors, error);
}

// Searches that each pass through one crowd of objects share an allowance. Once
// it is used up, they see only what is near: the lists, but not the tensors.
static void
frames_that_share_a_crowd(void)
{
    enum { CROWD = 1 << 18, TENSORS = 16, ERRORS = 20 };
    uint32_t app;
    story made = heap_begin(&app);
    story_type(&made, "ValueError", "BaseException");
    uint32_t errors = heap_list(&made, LG_NONE);
    uint32_t crowd = heap_list(&made, LG_NONE);
    uint32_t element = story_add(&made, "int", NULL, 28);
    for (int i = 0; i < CROWD; i++)
        heap_append(&made, crowd, element);
    for (int i = 0; i < ERRORS; i++)
        add_error(&made, errors, crowd, element);
    story_attribute(&made, app, "errors", errors);
    lg_graph *graph;
    lg_analysis *analysis;
    lg_findings found = findings_of(&made, &graph, &analysis);
    REQUIRE(found.count == 1);
    CHECK(strcmp(found.items->pattern->name, "exception-traceback") == 0);
    CHECK(found.items->count == TENSORS + (ERRORS - TENSORS) + 1);
    lg_findings_free(&found);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

SUITE(findings_holders)
{
    RUN(closures_of_lists);
    RUN(closure_of_a_tuple);
    RUN(classes_in_two_lists);
    RUN(classes_that_two_containers_share);
    RUN(classes_in_many_containers);
    RUN(modules_lead_to_all);
    RUN(unknown_keys);
    RUN(hooks_with_tuples);
    RUN(frames_that_share_a_crowd);
    return test_result();
}
