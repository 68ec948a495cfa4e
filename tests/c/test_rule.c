// Which hop of a cycle is the one to cut, and the advice about it.
#include "drawn.h"
#include "story.h"
#include "test.h"

// Ends the story and returns the report on its only cycle.
static void
expect_cut(story *made, const char *cut)
{
    lg_graph *graph = story_end(made);
    lg_analysis *analysis = analysed(graph);
    lg_cycles cycles;
    lg_text text = {0};
    REQUIRE(lg_analysis_cycles(analysis, NULL, NULL, &cycles, NULL) == LG_OK);
    CHECK(cycles.count == 1);
    REQUIRE(lg_report_cycles(analysis, &cycles, LG_FORMAT_TEXT, &text, NULL) ==
            LG_OK);
    if (strstr(text.data, cut) == NULL)
        CHECK_TEXT(text, cut);
    lg_text_free(&text);
    lg_cycles_free(&cycles);
    lg_analysis_free(analysis);
    lg_graph_free(graph);
}

// What a function captures through a cell of its closure.
static void
capture(story *made, uint32_t function, const char *name, uint32_t target)
{
    uint32_t tuple = story_add(made, "tuple", NULL, 56);
    uint32_t cell = story_add(made, "cell", NULL, 40);
    uint32_t code = story_add(made, "code", NULL, 200);
    uint32_t names = story_add(made, "tuple", NULL, 48);
    story_attribute(made, function, "__code__", code);
    story_attribute(made, code, "co_freevars", names);
    story_edge(made, names, story_add(made, "str", name, 50), LG_EDGE_INDEX, 0);
    story_attribute(made, function, "__closure__", tuple);
    story_edge(made, tuple, cell, LG_EDGE_INDEX, 0);
    story_edge(made, cell, target, LG_EDGE_CELL, 0);
}

// button.on_press is a callable that holds the rest.
static story
begin_button(const char *type, const char *text, uint32_t *button,
             uint32_t *callable)
{
    story made = story_begin();
    *button = story_add(&made, "app.Button", NULL, 48);
    *callable = story_add(&made, type, text, 64);
    story_attribute(&made, *button, "on_press", *callable);
    return made;
}

// The cut is the reference that stores a callable, not the one to its capture.
static void
stored(void)
{
    uint32_t button;
    uint32_t callable;
    story made = begin_button("method", "app.Button.press", &button, &callable);
    story_attribute(&made, callable, "__self__", button);
    expect_cut(&made,
               "     Button.on_press -> method app.Button.press.__self__ -> "
               "back to Button\n"
               "           ~~~~~~~~~\n"
               "     cut Button.on_press: a bound method stored where its own "
               "object reaches it: store a weakref.WeakMethod, look the method "
               "up when it is called, or clear this when done\n");
    made = begin_button("function", "app.press", &button, &callable);
    capture(&made, callable, "button", button);
    expect_cut(&made, "cut Button.on_press: what is stored here captures the "
                      "object that stores it: ");
    made = begin_button("functools.partial", NULL, &button, &callable);
    uint32_t method = story_add(&made, "method", "app.Button.press", 64);
    story_attribute(&made, callable, "func", method);
    story_attribute(&made, method, "__self__", button);
    expect_cut(&made, "cut Button.on_press: a bound method");
    made = begin_button("functools.partial", NULL, &button, &callable);
    uint32_t given = story_add(&made, "tuple", NULL, 56);
    story_attribute(&made, callable, "args", given);
    story_edge(&made, given, button, LG_EDGE_INDEX, 0);
    expect_cut(&made, "cut Button.on_press: what is stored here captures");
    made = begin_button("function", "app.press", &button, &callable);
    given = story_add(&made, "tuple", NULL, 56);
    method = story_add(&made, "method", "app.Button.press", 64);
    story_attribute(&made, callable, "__defaults__", given);
    story_edge(&made, given, method, LG_EDGE_INDEX, 0);
    story_attribute(&made, method, "__self__", button);
    expect_cut(&made, "cut Button.on_press: a bound method");
    made = begin_button("generator", "app.wait()", &button, &callable);
    story_local(&made, callable, "button", button);
    expect_cut(&made, "cut Button.on_press: a generator or coroutine that is "
                      "not finished");
}

// The advice for a container names its holder.
static void
registered(void)
{
    story made = story_begin();
    uint32_t model = story_add(&made, "app.Model", NULL, 4 << 10);
    uint32_t hooks = story_add(&made, "dict", NULL, 64);
    uint32_t number = story_add(&made, "int", "0", 28);
    uint32_t hook = story_add(&made, "method", "app.Model.log", 64);
    story_attribute(&made, model, "_forward_hooks", hooks);
    story_edge(&made, hooks, hook, LG_EDGE_VALUE, number);
    story_attribute(&made, hook, "__self__", model);
    expect_cut(&made,
               "     Model._forward_hooks -> dict[0] -> method "
               "app.Model.log.__self__ -> back to Model\n"
               "                                 ~~~\n"
               "     cut Model._forward_hooks[0]: a hook captures what it is "
               "registered on: remove the hook, or let it hold a weakref\n");
}

// A program cannot make a library's back reference weak.
static void
figure(const char *closed, const char *advice)
{
    story made = story_begin();
    uint32_t figure = story_add(&made, "matplotlib.figure.Figure", NULL, 48);
    uint32_t patch = story_add(&made, "matplotlib.patches.Rectangle", NULL, 48);
    story_attribute(&made, figure, "patch", patch);
    story_attribute(&made, patch, "_parent_figure", figure);
    if (closed != NULL)
        lg_builder_add_fact(made.builder, figure, "closed", closed,
                            strlen(closed));
    expect_cut(&made, advice);
}

// A canvas may come before its figure.
static void
canvas(void)
{
    story made = story_begin();
    uint32_t canvas =
        story_add(&made, "matplotlib.backend_bases.FigureCanvasBase", NULL, 48);
    uint32_t figure = story_add(&made, "matplotlib.figure.Figure", NULL, 48);
    story_attribute(&made, canvas, "figure", figure);
    story_attribute(&made, figure, "canvas", canvas);
    lg_builder_add_fact(made.builder, figure, "closed", "no", 2);
    expect_cut(&made, "close it with pyplot.close()");
}

// Only a figure that pyplot holds can be closed.
static void
figures(void)
{
    const char *whole = "nothing to cut: the parts of a figure refer back to "
                        "it; drop the last reference to it\n";
    figure("no", "nothing to cut: the parts of a figure refer back to it; "
                 "close it with pyplot.close() and drop the last reference to "
                 "it\n");
    figure("yes", whole);
    figure(NULL, whole);
}

// In a cycle of library and program, the cut is the program's reference.
static void
between(void)
{
    story made = story_begin();
    uint32_t plot = story_add(&made, "app.Plot", NULL, 48);
    uint32_t animation =
        story_add(&made, "matplotlib.animation.FuncAnimation", NULL, 48);
    uint32_t source = story_add(&made, "matplotlib.animation.Timer", NULL, 48);
    story_attribute(&made, plot, "animation", animation);
    story_attribute(&made, animation, "event_source", source);
    story_attribute(&made, source, "owner", plot);
    expect_cut(&made, "cut Plot.animation: the attribute that closes the "
                      "cycle: make it a weakref, or set it to None when "
                      "done\n");
}

// What an autograd function saves on its ctx.
static void
stashed(void)
{
    story made = story_begin();
    story_type(&made, "torch.autograd.function.ExpBackward",
               "torch.autograd.function.FunctionCtx");
    uint32_t tensor = story_add(&made, "torch.Tensor", NULL, 80);
    uint32_t ctx =
        story_add(&made, "torch.autograd.function.ExpBackward", NULL, 80);
    story_attribute(&made, tensor, "grad_fn", ctx);
    story_attribute(&made, ctx, "result", tensor);
    expect_cut(&made, "cut ExpBackward.result: an output stored on ctx refers "
                      "back to ctx through its graph: give it to "
                      "ctx.save_for_backward() instead\n");
}

// A cycle begins at the best object, and not at one that is only better than
// what the cut leads to: here a tuple, and then a function.
static void
begins_at_an_object(void)
{
    story made = story_begin();
    uint32_t thing = story_add(&made, "app.Thing", NULL, 48);
    uint32_t list = story_add(&made, "list", NULL, 48);
    uint32_t tuple = story_add(&made, "tuple", NULL, 48);
    uint32_t function = story_add(&made, "function", "app.f", 150);
    story_attribute(&made, thing, "handlers", list);
    story_edge(&made, list, tuple, LG_EDGE_INDEX, 0);
    story_edge(&made, tuple, function, LG_EDGE_INDEX, 0);
    capture(&made, function, "self", thing);
    expect_cut(&made,
               "     Thing.handlers -> list[0] -> tuple[0] -> function f "
               "closure self -> back to Thing\n"
               "                           ~~~\n");
}

// Functions that capture each other, and that nothing else stores.
static void
among_themselves(void)
{
    story made = story_begin();
    uint32_t walk = story_add(&made, "function", "app.f.<locals>.walk", 150);
    uint32_t step = story_add(&made, "function", "app.f.<locals>.step", 150);
    capture(&made, walk, "step", step);
    capture(&made, step, "walk", walk);
    expect_cut(&made, "cut function step closure walk: a nested function "
                      "captures itself: ");
    made = story_begin();
    uint32_t thing = story_add(&made, "app.Thing", NULL, 48);
    uint32_t outer = story_add(&made, "function", "app.wrapper", 150);
    uint32_t inner = story_add(&made, "function", "app.call", 150);
    story_attribute(&made, thing, "call", outer);
    capture(&made, outer, "function", inner);
    capture(&made, inner, "self", thing);
    expect_cut(&made, "cut Thing.call: what is stored here captures");
}

// In an autograd graph a program can cut only what a hook added.
static void
differentiated(void)
{
    story made = story_begin();
    uint32_t tensor = story_add(&made, "torch.Tensor", "float32[3]", 80);
    uint32_t node = story_add(&made, "TanhBackward0", NULL, 500);
    uint32_t packed = story_add(&made, "tuple", NULL, 56);
    story_attribute(&made, tensor, "grad_fn", node);
    story_attribute(&made, node, "_raw_saved_result.data", packed);
    story_edge(&made, packed, tensor, LG_EDGE_INDEX, 1);
    expect_cut(&made, "cut TanhBackward0._raw_saved_result.data: a hook on "
                      "saved tensors keeps an output");
}

// An element that refers back to its holder, by any name.
static void
element(void)
{
    story made = story_begin();
    uint32_t line = story_add(&made, "app.Pipeline", NULL, 48);
    uint32_t list = story_add(&made, "list", NULL, 72);
    story_attribute(&made, line, "steps", list);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t step = story_add(&made, "app.Step", NULL, 48);
        story_edge(&made, list, step, LG_EDGE_INDEX, i);
        story_attribute(&made, step, "pipeline", line);
    }
    expect_cut(&made,
               "cut Step.pipeline: the reference from an element back to "
               "what holds it: make it a weakref\n");
}

SUITE(rule)
{
    RUN(element);
    RUN(stored);
    RUN(registered);
    RUN(figures);
    RUN(canvas);
    RUN(between);
    RUN(stashed);
    RUN(begins_at_an_object);
    RUN(among_themselves);
    RUN(differentiated);
    return test_result();
}
