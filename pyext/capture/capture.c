#include "survey.h"
#include "arena.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double
seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void
describe(lg_walk *walk, double seconds)
{
    char text[160];
    lg_builder *builder = walk->builder;
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    lg_builder_set_info(builder, "time", text);
    snprintf(text, sizeof text, "%ld", (long)getpid());
    lg_builder_set_info(builder, "pid", text);
    snprintf(text, sizeof text, "%s", Py_GetVersion());
    text[strcspn(text, " ")] = '\0';
    lg_builder_set_info(builder, "python", text);
    lg_builder_set_info(builder, "platform", Py_GetPlatform());
    lg_builder_set_info(builder, "leakgraph", LG_VERSION);
    lg_capture_describe(text, sizeof text);
    lg_builder_set_info(builder, "capture.method", text);
    snprintf(text, sizeof text, "%.3f", seconds);
    lg_builder_set_info(builder, "capture.seconds", text);
    lg_builder_set_info(builder, "keys", walk->options->no_keys ? "no" : "yes");
    lg_builder_set_info(builder, "previews",
                        walk->options->previews ? "yes" : "no");
}

static lg_status
open_walk(lg_walk *walk, const lg_capture_options *options, lg_error *err)
{
    memset(walk, 0, sizeof *walk);
    walk->options = options;
    walk->interpreter = PyInterpreterState_Get();
    walk->internal = lg_capture_internal();
    walk->interned = lg_interned_dict(walk->interpreter);
    walk->partial = options->roots != NULL;
    walk->allocator = lg_arena_new(options->max_bytes);
    if (walk->allocator.context == NULL)
        return lg_error_set(err, LG_ENOMEM, "no memory to begin a capture");
    lg_status status = lg_builder_new(&walk->allocator, &walk->builder, err);
    if (status == LG_OK &&
        !lg_shadow_open(&walk->shadow, options->max_bytes, !walk->partial)) {
        lg_builder_free(walk->builder);
        status = lg_error_set(err, LG_ENOMEM,
                              "no address space for a capture: raise the limit "
                              "on virtual memory (ulimit -v)");
    }
    return status;
}

static void
note_held(lg_walk *walk)
{
    const lg_capture_options *options = walk->options;
    for (size_t i = 0; i < options->held_count; i++) {
        uint32_t node = lg_walk_node(walk, options->held[i]);
        if (node != LG_NONE)
            lg_builder_add_found(walk->builder, node, 1);
    }
}

/** The walk proper: in it nothing of Python's runs or changes. */
static lg_status
walk_heap(lg_walk *walk, lg_error *err)
{
    lg_status status = LG_OK;
    if (walk->partial) {
        lg_builder_set_partial(walk->builder,
                               "only what the given roots reach");
        lg_walk_roots_given(walk);
    } else {
        lg_roots_open(walk);
        status = lg_enumerate(walk, err);
        lg_roots_walk(walk);
        note_held(walk);
    }
    if (status != LG_OK)
        return status;
    lg_walk_run(walk);
    lg_surveys_run(walk);
    if (!walk->partial)
        lg_roots_finish(walk);
    lg_texts_finish(walk);
    return LG_OK;
}

/** One sentence for a capture that ran out of memory or budget. */
static lg_status
explain_shortage(const lg_capture_options *options, lg_error *err)
{
    if (options->max_bytes)
        return lg_error_set(err, LG_ELIMIT,
                            "the capture needs more than max_bytes=%llu: raise "
                            "it, or capture less with roots= and max_depth=",
                            (unsigned long long)options->max_bytes);
    return lg_error_set(err, LG_ENOMEM,
                        "memory ran out: a capture needs about 100 bytes for "
                        "each object");
}

lg_status
lg_capture(const lg_capture_options *options, lg_graph **out, lg_error *err)
{
    lg_walk walk;
    double start = seconds_now();
    lg_status status = open_walk(&walk, options, err);
    if (status != LG_OK)
        return options->max_bytes ? explain_shortage(options, err) : status;
    lg_numpy_find(&walk);
    if (lg_surveys_open(&walk))
        status = walk_heap(&walk, err);
    else
        walk.builder->status = LG_ENOMEM;
    if (status == LG_OK && walk.builder->status == LG_OK)
        lg_surveys_ask(&walk);
    if (status == LG_OK && walk.builder->status != LG_OK)
        status = explain_shortage(options, err);
    describe(&walk, seconds_now() - start);
    lg_surveys_close(&walk);
    lg_walk_free(&walk);
    if (status != LG_OK) {
        lg_builder_free(walk.builder);
        return status;
    }
    Py_BEGIN_ALLOW_THREADS
    status = lg_builder_finish(walk.builder, out, err);
    Py_END_ALLOW_THREADS
    return status == LG_ENOMEM ? explain_shortage(options, err) : status;
}
