// Known mistakes that take many things: with one less, there is no mistake.
#include "drawn.h"
#include "heaps.h"
#include "test.h"

#include <stdio.h>

enum { BIG = 300 * 1024 };

// Makes the mistake with this many things.
typedef void mistake(story *made, uint32_t app, uint32_t count);

static uint32_t
container(story *made, uint32_t app)
{
    uint32_t list = heap_list(made, LG_NONE);
    story_attribute(made, app, "all", list);
    for (int n = 0; n < 4; n++)
        heap_append(made, list, story_add(made, "int", NULL, 28));
    return list;
}

static uint32_t
function_with_code(story *made, uint32_t code, uint32_t variable)
{
    uint32_t function = heap_function(made, variable);
    story_attribute(made, function, "__code__", code);
    return function;
}

static void
keep_methods(story *made, uint32_t app, uint32_t count)
{
    uint32_t list = container(made, app);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t view = story_add(made, "app.View", NULL, BIG);
        for (int method = 0; method < 2; method++) {
            uint32_t bound = story_add(made, "method", NULL, 64);
            story_attribute(made, bound, "__self__", view);
            heap_append(made, list, bound);
        }
    }
}

// What the interpreter keeps for atexit from Python 3.14 on. One handler more
// keeps nothing.
static void
keep_exit_handlers(story *made, uint32_t app, uint32_t count)
{
    static const char label[] = "atexit handlers";
    (void)app;
    uint32_t state = story_add(made, "interpreter state", NULL, 0);
    uint32_t list = heap_list(made, LG_NONE);
    lg_builder_add_root(made->builder, state, LG_ROOT_INTERPRETER, "", 0);
    story_edge(made, state, list, LG_EDGE_NATIVE,
               lg_builder_intern(made->builder, label, strlen(label)));
    for (uint32_t n = 0; n < count; n++) {
        uint32_t handler = story_add(made, "tuple", NULL, 64);
        uint32_t bound = story_add(made, "method", NULL, 64);
        story_attribute(made, bound, "__self__",
                        story_add(made, "app.View", NULL, BIG));
        heap_append(made, handler, bound);
        heap_append(made, list, handler);
    }
    heap_append(made, list, story_add(made, "tuple", NULL, 64));
}

static void
keep_closures(story *made, uint32_t app, uint32_t count)
{
    uint32_t list = container(made, app);
    uint32_t code = story_add(made, "code", NULL, 100);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t view = story_add(made, "app.View", NULL, BIG);
        heap_append(made, list, function_with_code(made, code, view));
    }
}

static void
keep_partials(story *made, uint32_t app, uint32_t count)
{
    uint32_t list = container(made, app);
    uint32_t code = story_add(made, "code", NULL, 100);
    uint32_t function = function_with_code(made, code, LG_NONE);
    story_attribute(made, app, "handle", function);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t partial = story_add(made, "functools.partial", NULL, 80);
        uint32_t arguments = story_add(made, "tuple", NULL, 48);
        story_attribute(made, partial, "func", function);
        story_attribute(made, partial, "args", arguments);
        heap_append(made, arguments, story_add(made, "app.View", NULL, BIG));
        heap_append(made, list, partial);
    }
}

static void
keep(story *made, uint32_t app, const char *type, uint32_t count)
{
    uint32_t list = container(made, app);
    for (uint32_t n = 0; n < count; n++)
        heap_append(made, list, story_add(made, type, NULL, BIG));
}

static void
keep_log_handlers(story *made, uint32_t app, uint32_t count)
{
    keep(made, app, "logging.Handler", count);
}

static void
keep_log_records(story *made, uint32_t app, uint32_t count)
{
    keep(made, app, "logging.LogRecord", count);
}

static void
keep_tasks(story *made, uint32_t app, uint32_t count)
{
    keep(made, app, "_asyncio.Task", count);
}

// Tasks that are done; `awaited` more are not, and somebody awaits them.
static void
keep_done_tasks_beside(story *made, uint32_t app, uint32_t count,
                       uint32_t awaited)
{
    uint32_t list = container(made, app);
    for (uint32_t n = 0; n < count + awaited; n++) {
        uint32_t task = story_add(made, "_asyncio.Task", NULL, BIG);
        heap_append(made, list, task);
        if (n < count)
            story_attribute(made, task, "_result",
                            story_add(made, "str", NULL, 100));
        else
            story_attribute(made, task, "_callback0",
                            story_add(made, "method", NULL, 64));
    }
}

static void
keep_done_tasks(story *made, uint32_t app, uint32_t count)
{
    keep_done_tasks_beside(made, app, count, 3);
}

static void
keep_gathered_tasks(story *made, uint32_t app, uint32_t count)
{
    keep_done_tasks_beside(made, app, count, 4);
}

// Futures of executors; `pending` more are not done.
static void
keep_jobs_beside(story *made, uint32_t app, uint32_t count, uint32_t pending)
{
    uint32_t list = container(made, app);
    uint32_t module = story_add(made, "module", NULL, 100);
    uint32_t finished = story_add(made, "str", NULL, 50);
    uint32_t running = story_add(made, "str", NULL, 50);
    static const char name[] = "concurrent.futures._base";
    lg_builder_add_root(made->builder, module, LG_ROOT_MODULE, name,
                        strlen(name));
    story_attribute(made, module, "FINISHED", finished);
    story_attribute(made, module, "RUNNING", running);
    for (uint32_t n = 0; n < count + pending; n++) {
        uint32_t job =
            story_add(made, "concurrent.futures._base.Future", NULL, BIG);
        heap_append(made, list, job);
        story_attribute(made, job, "_state", n < count ? finished : running);
    }
}

static void
keep_jobs(story *made, uint32_t app, uint32_t count)
{
    keep_jobs_beside(made, app, count, 3);
}

static void
keep_pending_jobs(story *made, uint32_t app, uint32_t count)
{
    keep_jobs_beside(made, app, count, 4);
}

static void
keep_generators(story *made, uint32_t app, uint32_t count)
{
    keep(made, app, "generator", count);
}

static uint32_t
add_work(story *made, uint32_t app)
{
    uint32_t code = story_add(made, "code", NULL, 100);
    uint32_t function = function_with_code(made, code, LG_NONE);
    story_attribute(made, app, "work", function);
    return function;
}

// Threads of three frames, to which something unseen refers.
static void
keep_threads_with(story *made, uint32_t app, uint32_t count, uint32_t unseen)
{
    uint32_t function = add_work(made, app);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t thread = story_add(made, "threading.Thread", NULL, 100);
        story_run(made, thread, 3, LG_NONE, 0);
        story_hold(made, thread, unseen);
        story_attribute(made, thread, "_target", function);
    }
}

static void
keep_threads(story *made, uint32_t app, uint32_t count)
{
    keep_threads_with(made, app, count, 0);
}

// Before CPython 3.11, the stacks of two frames refer to the thread unseen.
static void
keep_stacked_threads(story *made, uint32_t app, uint32_t count)
{
    keep_threads_with(made, app, count, 2);
}

// C code keeps each thread.
static void
keep_native_threads(story *made, uint32_t app, uint32_t count)
{
    keep_threads_with(made, app, count, 3);
}

// Each thread runs a recursive method of a worker, to which something unseen
// refers.
static void
keep_workers_with(story *made, uint32_t app, uint32_t count, uint32_t unseen)
{
    uint32_t function = add_work(made, app);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t thread = story_add(made, "threading.Thread", NULL, 100);
        uint32_t worker = story_add(made, "app.Worker", NULL, BIG);
        uint32_t bound = story_add(made, "method", NULL, 64);
        story_run(made, thread, 5, worker, 2);
        story_hold(made, worker, unseen);
        story_attribute(made, worker, "thread", thread);
        story_attribute(made, thread, "_target", bound);
        story_attribute(made, bound, "__self__", worker);
        story_attribute(made, bound, "__func__", function);
    }
}

// Before CPython 3.11, the stack of the outer of two frames refers to the
// worker unseen.
static void
keep_stacked_workers(story *made, uint32_t app, uint32_t count)
{
    keep_workers_with(made, app, count, 1);
}

// C code keeps each worker.
static void
keep_native_workers(story *made, uint32_t app, uint32_t count)
{
    keep_workers_with(made, app, count, 2);
}

static void
keep_locals(story *made, uint32_t app, uint32_t count)
{
    uint32_t local = story_add(made, "_thread._local", NULL, 80);
    uint32_t all = story_add(made, "dict", NULL, 100);
    story_attribute(made, app, "local", local);
    story_edge(made, local, all, LG_EDGE_FIELD, 48);
    heap_item(made, all, "empty", story_add(made, "dict", NULL, 64));
    for (uint32_t n = 0; n < count; n++) {
        uint32_t one = story_add(made, "dict", NULL, BIG);
        heap_item(made, one, "buffer", story_add(made, "int", NULL, 28));
        heap_item(made, all, "thread", one);
    }
}

static void
keep_classes(story *made, uint32_t app, uint32_t count)
{
    uint32_t list = container(made, app);
    for (uint32_t n = 0; n < count; n++)
        heap_append(made, list,
                    story_add(made, "type", "app.make.<locals>.Row", BIG));
}

enum { NAME = 64 };

// Keeps each class in a list of its own, as a registry by names does.
static void
keep_named_classes(story *made, uint32_t app, uint32_t count,
                   void (*write)(char name[NAME], uint32_t number))
{
    char name[NAME];
    uint32_t registry = container(made, app);
    for (uint32_t n = 0; n < count; n++) {
        write(name, n);
        uint32_t list = story_add(made, "list", NULL, 64);
        heap_append(made, registry, list);
        heap_append(made, list, story_add(made, "type", name, BIG));
    }
}

static void
write_numbered(char name[NAME], uint32_t number)
{
    snprintf(name, NAME, "app.Payload%u", 5 + number);
}

static void
write_hexadecimal(char name[NAME], uint32_t number)
{
    snprintf(name, NAME, "types.make.<locals>.Code%x_7-c0de",
             0xa0000 + 0x1f35 * number);
}

static void
write_nested(char name[NAME], uint32_t number)
{
    snprintf(name, NAME, "app.Payload%u.Meta", 5 + number);
}

static void
keep_numbered_classes(story *made, uint32_t app, uint32_t count)
{
    keep_named_classes(made, app, count, write_numbered);
}

static void
keep_hexadecimal_classes(story *made, uint32_t app, uint32_t count)
{
    keep_named_classes(made, app, count, write_hexadecimal);
}

static void
keep_nested_classes(story *made, uint32_t app, uint32_t count)
{
    keep_named_classes(made, app, count, write_nested);
}

static void
keep_wrappers(story *made, uint32_t app, uint32_t count)
{
    uint32_t code = story_add(made, "code", NULL, 100);
    uint32_t function = function_with_code(made, code, LG_NONE);
    for (uint32_t n = 1; n < count; n++)
        function = function_with_code(made, code, function);
    story_attribute(made, app, "call", function);
}

// The objects of a story have addresses from 0x1000 on.
static void
keep_by_number(story *made, uint32_t app, uint32_t count, unsigned first,
               unsigned step)
{
    char text[32];
    uint32_t dict = story_add(made, "dict", NULL, 100);
    story_attribute(made, app, "cache", dict);
    for (uint32_t n = 0; n < count; n++) {
        snprintf(text, sizeof text, "%u", first + n * step);
        uint32_t key = story_add(made, "int", text, 28);
        story_edge(made, dict, story_add(made, "app.View", NULL, BIG),
                   LG_EDGE_VALUE, key);
    }
}

static void
keep_by_id(story *made, uint32_t app, uint32_t count)
{
    keep_by_number(made, app, count, 0x1100, 8);
}

static const struct {
    const char *pattern;
    uint32_t many;
    mistake *make;
} groups[] = {
    {"event-handlers ", 16, keep_methods},
    {"event-handlers ", 16, keep_exit_handlers},
    {"event-handlers ", 16, keep_closures},
    {"event-handlers ", 16, keep_partials},
    {"log-handlers ", 8, keep_log_handlers},
    {"log-records ", 16, keep_log_records},
    {"unawaited-tasks ", 16, keep_tasks},
    {"done-tasks ", 16, keep_done_tasks},
    {"done-tasks ", 17, keep_gathered_tasks},
    {"done-tasks ", 16, keep_jobs},
    {"done-tasks ", 17, keep_pending_jobs},
    {"unfinished-generators ", 16, keep_generators},
    {"endless-threads ", 16, keep_threads},
    {"endless-threads ", 16, keep_stacked_threads},
    {"endless-threads ", 16, keep_stacked_workers},
    {"thread-locals ", 8, keep_locals},
    {"per-call-classes ", 16, keep_classes},
    {"per-call-classes ", 100, keep_numbered_classes},
    {"per-call-classes ", 100, keep_hexadecimal_classes},
    {"wrapped-functions ", 16, keep_wrappers},
    {"id-keyed-cache ", 16, keep_by_id},
};

static void
check_made(mistake *make, uint32_t count, const char *expected)
{
    uint32_t app;
    story made = heap_begin(&app);
    lg_text found = {0};
    make(&made, app, count);
    heap_findings(&made, &found);
    CHECK_TEXT(found, expected);
    lg_text_free(&found);
}

static void
fewest(void)
{
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        check_made(groups[i].make, groups[i].many, groups[i].pattern);
        check_made(groups[i].make, groups[i].many + 1, groups[i].pattern);
        check_made(groups[i].make, groups[i].many - 1, "");
    }
}

static void
keep_by_other_number(story *made, uint32_t app, uint32_t count)
{
    keep_by_number(made, app, count, 0x1100, 4);
    keep_by_number(made, app, count, 8, 8); // below all addresses
}

static void
keep_in_local(story *made, uint32_t app, uint32_t count)
{
    uint32_t frame = story_add(made, "frame", NULL, 100);
    uint32_t list = heap_list(made, LG_NONE);
    story_edge(made, app, frame, LG_EDGE_FRAME, 0);
    story_local(made, frame, "tasks", list);
    for (uint32_t n = 0; n < count; n++)
        heap_append(made, list, story_add(made, "_asyncio.Task", NULL, BIG));
}

static void
keep_awaited(story *made, uint32_t app, uint32_t count)
{
    uint32_t list = container(made, app);
    uint32_t callback = heap_function(made, LG_NONE);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t task = story_add(made, "_asyncio.Task", NULL, BIG);
        story_edge(made, task, callback, LG_EDGE_FIELD, 24);
        heap_append(made, list, task);
    }
}

static void
keep_one_object(story *made, uint32_t app, uint32_t count)
{
    uint32_t list = container(made, app);
    uint32_t view = story_add(made, "app.View", NULL, BIG);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t bound = story_add(made, "method", NULL, 64);
        story_attribute(made, bound, "__self__", view);
        heap_append(made, list, bound);
    }
}

static void
keep_own_methods(story *made, uint32_t app, uint32_t count)
{
    uint32_t list = container(made, app);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t view = story_add(made, "app.View", NULL, BIG);
        uint32_t bound = story_add(made, "method", NULL, BIG);
        story_attribute(made, bound, "__self__", view);
        story_attribute(made, view, "callback", bound);
        heap_append(made, list, view);
    }
}

// Functions that enclose nothing keep nothing of a program.
static void
keep_functions(story *made, uint32_t app, uint32_t count)
{
    uint32_t list = container(made, app);
    uint32_t code = story_add(made, "code", NULL, BIG);
    for (uint32_t n = 0; n < count; n++)
        heap_append(made, list, function_with_code(made, code, LG_NONE));
}

static void
innocent(void)
{
    static mistake *const all[] = {
        keep_by_other_number, keep_in_local,    keep_awaited,
        keep_one_object,      keep_own_methods, keep_native_threads,
        keep_native_workers,  keep_functions,   keep_nested_classes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        check_made(all[i], 120, "");
}

// Records of up to four references pass for their contents.
static void
records(void)
{
    for (uint32_t width = 4; width <= 5; width++) {
        uint32_t app;
        story made = heap_begin(&app);
        lg_text found = {0};
        uint32_t list = container(&made, app);
        for (uint32_t n = 0; n < 16; n++) {
            uint32_t record = heap_list(
                &made, story_add(&made, "logging.LogRecord", NULL, BIG));
            for (uint32_t more = 1; more < width; more++)
                heap_append(&made, record, story_add(&made, "int", NULL, 28));
            heap_append(&made, list, record);
        }
        heap_findings(&made, &found);
        CHECK_TEXT(found, width == 4 ? "log-records " : "");
        lg_text_free(&found);
    }
}

SUITE(many_things)
{
    RUN(fewest);
    RUN(innocent);
    RUN(records);
    return test_result();
}
