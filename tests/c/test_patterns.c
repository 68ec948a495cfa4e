// Known mistakes of Python, PyTorch and matplotlib, each next to the same heap
// without the mistake.
#include "drawn.h"
#include "heaps.h"
#include "test.h"

static void
exceptions(void)
{
    for (int running = 0; running < 2; running++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t all = heap_list(&made, LG_NONE);
        story_attribute(&made, app, "failures", all);
        for (int n = 0; n < 2; n++) {
            uint32_t error = story_add(&made, "ValueError", NULL, 80);
            uint32_t outer = story_add(&made, "traceback", NULL, 64);
            uint32_t inner = story_add(&made, "traceback", NULL, 64);
            uint32_t frame = story_add(&made, "frame", NULL, 300);
            uint32_t tensor = heap_tensor(&made, HEAP_BIG, LG_NONE);
            heap_append(&made, all, error);
            heap_memory(&made, tensor);
            story_attribute(&made, error, "__traceback__", outer);
            story_attribute(&made, outer, "tb_next", inner);
            story_attribute(&made, inner, "tb_frame", frame);
            story_local(&made, frame, "parts", heap_list(&made, tensor));
            if (running)
                story_edge(&made, app, frame, LG_EDGE_FRAME, 0);
        }
        CHECK(heap_finds(&made, running ? "" : "exception-traceback "));
    }
}

// All variables of a frame go with its traceback, and not only tensors.
static void
locals_of_exceptions(void)
{
    uint64_t bytes[2];
    for (uint32_t more = 0; more < 2; more++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t error = story_add(&made, "ValueError", NULL, 80);
        uint32_t traceback = story_add(&made, "traceback", NULL, 64);
        uint32_t frame = story_add(&made, "frame", NULL, 300);
        uint32_t tensor = heap_tensor(&made, HEAP_BIG, LG_NONE);
        uint32_t text = story_add(&made, "str", NULL, 5000);
        heap_memory(&made, tensor);
        story_attribute(&made, app, "failure", error);
        story_attribute(&made, error, "__traceback__", traceback);
        story_attribute(&made, traceback, "tb_frame", frame);
        story_local(&made, frame, "parts", heap_list(&made, tensor));
        if (more)
            story_local(&made, frame, "text", text);
        bytes[more] = heap_finding_bytes(&made);
    }
    CHECK(bytes[0] >= HEAP_BIG && bytes[1] == bytes[0] + 5000);
}

static void
caches(void)
{
    static const char *const limits[] = {NULL, "16", "17"};
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t entries = 1 + i % 2;
        const char *limit = limits[i / 2];
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t cache =
            story_add(&made, "functools._lru_cache_wrapper", NULL, 100);
        uint32_t dict = story_add(&made, "dict", NULL, 100);
        story_attribute(&made, app, "load", cache);
        story_attribute(&made, cache, "cache", dict);
        for (uint32_t n = 0; n < entries; n++) {
            uint32_t array = story_add(&made, "numpy.ndarray", NULL, 100);
            heap_memory(&made, array);
            heap_item(&made, dict, n ? "a" : "b", array);
        }
        if (limit != NULL)
            lg_builder_add_fact(made.builder, cache, "maxsize", limit, 2);
        CHECK(
            heap_finds(&made, entries == 2 && i / 2 != 1 ? "lru-cache " : ""));
    }
}

static void
outputs(void)
{
    for (int named = 0; named < 2; named++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t names = story_add(&made, "dict", NULL, 200);
        uint32_t all = story_add(&made, "dict", NULL, 200);
        uint32_t value = heap_tensor(&made, HEAP_BIG, LG_NONE);
        heap_memory(&made, value);
        story_edge(&made, app, names, LG_EDGE_DICT, 0);
        heap_item(&made, names, "Out", all);
        heap_item(&made, names, "_oh", all);
        heap_item(&made, all, "1", value);
        heap_item(&made, names, "_", value);
        heap_item(&made, names, named ? "x" : "_1", value);
        CHECK(heap_finds(&made, named ? "" : "notebook-output "));
    }
}

// The shell keeps the record of the last cell, with its result; a program that
// keeps the record keeps the result.
static void
last_output(void)
{
    for (int kept = 0; kept < 2; kept++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t names = story_add(&made, "dict", NULL, 200);
        uint32_t all = story_add(&made, "dict", NULL, 200);
        uint32_t value = heap_tensor(&made, HEAP_BIG, LG_NONE);
        uint32_t shell = story_add(
            &made, "IPython.core.interactiveshell.InteractiveShell", NULL, 48);
        uint32_t record = story_add(
            &made, "IPython.core.interactiveshell.ExecutionResult", NULL, 48);
        heap_memory(&made, value);
        story_edge(&made, app, names, LG_EDGE_DICT, 0);
        heap_item(&made, names, "Out", all);
        heap_item(&made, names, "_oh", all);
        heap_item(&made, all, "1", value);
        story_attribute(&made, app, "shell", shell);
        story_attribute(&made, shell, "last_execution_result", record);
        story_attribute(&made, record, "result", value);
        if (kept)
            story_attribute(&made, app, "record", record);
        CHECK(heap_finds(&made, kept ? "" : "notebook-output "));
    }
}

// A shell that a program embeds has a namespace that is no module.
static void
outputs_of_a_shell(void)
{
    static const char *const names_of[] = {"_user_ns", "user_ns", "ns"};
    for (size_t i = 0; i < 3; i++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t shell = story_add(
            &made, "IPython.core.interactiveshell.InteractiveShell", NULL, 48);
        uint32_t names = story_add(&made, "dict", NULL, 200);
        uint32_t all = story_add(&made, "dict", NULL, 200);
        uint32_t value = heap_tensor(&made, HEAP_BIG, LG_NONE);
        heap_memory(&made, value);
        story_attribute(&made, app, "shell", shell);
        story_attribute(&made, shell, names_of[i], names);
        heap_item(&made, names, "Out", all);
        heap_item(&made, names, "_oh", all);
        heap_item(&made, all, "1", value);
        CHECK(heap_finds(&made, i < 2 ? "notebook-output " : ""));
    }
}

static void
loaders(void)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t loader = story_add(&made, "Loader", NULL, 48);
    uint32_t tasks = story_add(&made, "dict", NULL, 100);
    uint32_t tensor = heap_tensor(&made, HEAP_BIG, LG_NONE);
    heap_memory(&made, tensor);
    story_attribute(&made, app, "batches", loader);
    story_attribute(&made, loader, "_task_info", tasks);
    heap_item(&made, tasks, "3", heap_list(&made, tensor));
    CHECK(heap_finds(&made, "prefetched-batches "));
}

static void
compiled(void)
{
    for (int count = 1; count < 3; count++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t names = story_add(&made, "dict", NULL, 200);
        story_edge(&made, app, names, LG_EDGE_DICT, 0);
        for (int n = 0; n < count; n++) {
            uint32_t workspace = heap_tensor(&made, HEAP_BIG, LG_NONE);
            heap_memory(&made, workspace);
            heap_item(&made, names, n ? "__compiled_fn_1" : "__compiled_fn_2",
                      heap_function(&made, workspace));
        }
        CHECK(heap_finds(&made, count == 2 ? "compiled-code " : ""));
    }
}

static void
views(void)
{
    static const struct {
        uint64_t bytes; // bytes of the view
        bool base_known;
        const char *expected;
    } cases[] = {
        {400, true, ""},
        {400, false, "small-view "},
        {HEAP_BIG / 8, false, "small-view "}, // at most an eighth of the base
        {HEAP_BIG / 8 + 1, false, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t base = heap_tensor(&made, HEAP_BIG, LG_NONE);
        uint32_t view = heap_tensor(&made, cases[i].bytes, LG_NONE);
        heap_memory(&made, base);
        story_attribute(&made, view, "._base", base);
        story_attribute(&made, app, "view", view);
        if (cases[i].base_known)
            story_attribute(&made, app, "table", base);
        CHECK(heap_finds(&made, cases[i].expected));
    }
}

static story
pyplot_with(int count, uint64_t canvas_bytes)
{
    uint32_t app;
    story made = heap_begin(&app);
    uint32_t helpers = story_module(&made, "matplotlib._pylab_helpers");
    uint32_t registry = story_add(&made, "type", "Gcf", 100);
    uint32_t all = story_add(&made, "collections.OrderedDict", NULL, 100);
    story_attribute(&made, helpers, "Gcf", registry);
    story_attribute(&made, registry, "figs", all);
    for (int n = 0; n < count; n++) {
        uint32_t manager = story_add(&made, "Manager", NULL, 48);
        uint32_t canvas = story_add(&made, "Canvas", NULL, canvas_bytes);
        uint32_t figure =
            story_add(&made, "matplotlib.figure.Figure", NULL, 48);
        heap_item(&made, all, "1", manager);
        story_attribute(&made, manager, "canvas", canvas);
        story_attribute(&made, canvas, "figure", figure);
    }
    return made;
}

// A figure's canvas and manager go with it, although it does not hold them
// here.
static void
figures(void)
{
    story few = pyplot_with(4, HEAP_BIG);
    story many = pyplot_with(5, 48); // of any size
    story weighed = pyplot_with(5, HEAP_BIG);
    CHECK(heap_finds(&few, ""));
    CHECK(heap_finds(&many, "open-figures "));
    CHECK(heap_finding_bytes(&weighed) == 5 * (HEAP_BIG + 48 + 48));
}

// A callback is no mistake if something else has its data, or if matplotlib
// itself has made it.
static void
callbacks(void)
{
    static const char own[] = "matplotlib.axes._base._AxesBase.update";
    for (int i = 0; i < 3; i++) {
        bool shared = i == 1;
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t reference =
            story_add(&made, "matplotlib.cbook._StrongRef", NULL, 48);
        uint32_t tensor = heap_tensor(&made, HEAP_BIG, LG_NONE);
        heap_memory(&made, tensor);
        story_attribute(&made, app, "reference", reference);
        uint32_t function = heap_function(&made, heap_list(&made, tensor));
        if (i == 2)
            lg_builder_set_text(made.builder, function, own, sizeof own - 1);
        story_attribute(&made, reference, "_obj", function);
        if (shared)
            story_attribute(&made, app, "tensor", tensor);
        CHECK(heap_finds(&made, i > 0 ? "" : "canvas-callback "));
    }
}

static void
animations(void)
{
    for (int big = 0; big < 2; big++) {
        uint32_t app;
        story made = heap_begin(&app);
        uint32_t animation = story_add(&made, "FuncAnimation", NULL, 48);
        uint32_t frames = heap_list(&made, LG_NONE);
        story_attribute(&made, app, "animation", animation);
        story_attribute(&made, animation, "_save_seq", frames);
        for (int n = 0; n < 3; n++)
            heap_append(&made, frames,
                        story_add(&made, "bytes", NULL, big ? HEAP_BIG : 100));
        CHECK(heap_finds(&made, big ? "animation-frames " : ""));
    }
}

static void
finalizers(void)
{
    for (int own = 0; own < 2; own++) {
        uint32_t app;
        story made = heap_begin(&app);
        lg_text found = {0};
        uint32_t info = story_add(&made, "weakref.finalize._Info", NULL, 80);
        uint32_t reference = story_add(&made, "weakref", NULL, 72);
        uint32_t file = story_add(&made, "app.File", NULL, HEAP_BIG);
        story_attribute(&made, app, "info", info);
        story_attribute(&made, info, "weakref", reference);
        unsigned flags = made.edge_flags;
        made.edge_flags = LG_EDGE_WEAK;
        story_edge(&made, reference, file, LG_EDGE_REFERENT, 0);
        made.edge_flags = flags;
        story_attribute(&made, own ? info : app, "args", file);
        heap_findings(&made, &found);
        CHECK_TEXT(found, own ? "finalizer-cycle " : "");
        lg_text_free(&found);
    }
}

SUITE(patterns)
{
    RUN(exceptions);
    RUN(locals_of_exceptions);
    RUN(caches);
    RUN(outputs);
    RUN(outputs_of_a_shell);
    RUN(last_output);
    RUN(loaders);
    RUN(compiled);
    RUN(views);
    RUN(figures);
    RUN(callbacks);
    RUN(animations);
    RUN(finalizers);
    return test_result();
}
