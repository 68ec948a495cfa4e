/**
 * One capture, from its description to its graph, and the lines that allocated
 * the objects.
 */
#include "capture/adapters/capture_adapters.h"
#include "capture/run/capture.h"
#include "capture/run/steps.h"
#include "bytes/bytes.h"
#include "bytes/common/bytes_common.h"
#include "capture/walk/capture_walk.h"
#include "capture/memory/capture_memory.h"
#include "capture/common/capture_common.h"

#include <leakgraph/internal/program.h>
#include <leakgraph/internal/ranks.h>
#include <leakgraph/internal/lock.h>
#include <leakgraph/internal/writing.h>
#include <leakgraph/version.h>
#include <leakgraph/internal/contents.h>
#include <leakgraph/internal/wording.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct counting {
    size_t count;
    size_t limit;
} counting;

static int
count_one(PyObject *Py_UNUSED(object), void *context)
{
    counting *at = context;
    return ++at->count <= at->limit;
}

/** Follows the forward links, which are intact during a collection, too. */
static void
count_list(const lg__gc_link *list, counting *at)
{
    const lg__gc_link *head = lg__gc_next(list);
    while (head != list && count_one(NULL, at))
        head = lg__gc_next(head);
}

bool
lg__capture_is_small(size_t limit)
{
    counting at = {0, limit};
    if (!lg__capture_internal())
        return false;
    if (LG__FREE_THREADED)
        lg__visit_stopped(count_one, &at);
    for (int i = 0; i < LG__GENERATIONS && at.count <= limit; i++)
        count_list(lg__gc_head(PyInterpreterState_Get(), i), &at);
    return at.count <= limit;
}

static unsigned
days_of(unsigned year, unsigned month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30,
                                   31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month] + (leap && month == 1 ? 1u : 0u);
}

/** A time since 1970 as UTC. gmtime and strftime wait for the lock of the time
 *  zone. In a child of os.fork(), a thread that no longer exists may hold it.
 *  */
static void
write_time(time_t time, char *out, size_t size)
{
    unsigned long days = (unsigned long)time / 86400;
    unsigned rest = (unsigned)((unsigned long)time % 86400);
    unsigned year = 1970;
    unsigned month = 0;
    while (days >= days_of(year, month)) {
        days -= days_of(year, month);
        month = (month + 1) % 12;
        year += month == 0;
    }
    snprintf(out, size, "%04u-%02u-%02uT%02u:%02u:%02uZ", year, month + 1,
             (unsigned)days + 1, rest / 3600, rest / 60 % 60, rest % 60);
}

static void
add_flag(char *text, size_t size, int flags, int flag, const char *name)
{
    size_t length = strlen(text);
    if (flags & flag)
        snprintf(text + length, size - length, "%s%s", length > 0 ? "|" : "",
                 name);
}

/** Adds the state of the collector, from its fields. */
static void
describe_collector(lg__heap_walk *walk)
{
    const lg__collector_facts facts = lg__collector_facts_of(walk->interpreter);
    char text[96] = "";
    lg_builder_set_info(walk->builder, "gc.enabled",
                        facts.enabled ? "yes" : "no");
    add_flag(text, sizeof text, facts.flags, 1, "DEBUG_STATS");
    add_flag(text, sizeof text, facts.flags, 2, "DEBUG_COLLECTABLE");
    add_flag(text, sizeof text, facts.flags, 4, "DEBUG_UNCOLLECTABLE");
    add_flag(text, sizeof text, facts.flags, 32, "DEBUG_SAVEALL");
    lg_builder_set_info(walk->builder, "gc.debug", *text ? text : "no");
    snprintf(text, sizeof text, "%d, %d, %d", facts.thresholds[0],
             facts.thresholds[1], facts.thresholds[2]);
    lg_builder_set_info(walk->builder, "gc.thresholds", text);
    snprintf(text, sizeof text, "%d, %d, %d", facts.counts[0], facts.counts[1],
             facts.counts[2]);
    lg_builder_set_info(walk->builder, "gc.counts", text);
    snprintf(text, sizeof text, "%zd", facts.garbage);
    lg_builder_set_info(walk->builder, "gc.garbage", text);
}

/** Adds which script or module the process runs, as the kernel knows it. The
 *  program's arguments are not kept: they are the user's own texts. */
static void
describe_program(lg_builder *builder)
{
    enum { MOST_ARGUMENTS = 4096, MOST_PATH = 1024 };
    char arguments[MOST_ARGUMENTS];
    char text[MOST_PATH];
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t length = file >= 0 ? read(file, arguments, sizeof arguments) : -1;
    if (file >= 0)
        close(file);
    lg_program program =
        lg_program_of_arguments(arguments, length > 0 ? (size_t)length : 0);
    if (program.text.length == 0 || program.text.length + 4 > sizeof text)
        return;
    snprintf(text, sizeof text, "%s%.*s", program.is_module ? "-m " : "",
             (int)program.text.length, program.text.data);
    lg_builder_set_info(builder, "program", text);
}

/** Adds the facts that are known before the walk. */
static void
describe(lg__heap_walk *walk)
{
    char text[160];
    lg_builder *builder = walk->builder;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    write_time(now.tv_sec, text, sizeof text);
    lg_builder_set_info(builder, "time", text);
    snprintf(text, sizeof text, "%06ld", now.tv_nsec / 1000);
    lg_builder_set_info(builder, "time.fraction", text);
    snprintf(text, sizeof text, "%ld", (long)getpid());
    lg_builder_set_info(builder, "pid", text);
    describe_program(builder);
    const char *rank = lg_process_rank();
    if (rank != NULL)
        lg_builder_set_info(builder, "rank", rank);
    snprintf(text, sizeof text, "%s", Py_GetVersion());
    text[strcspn(text, " ")] = '\0';
    lg_builder_set_info(builder, "python", text);
    lg_builder_set_info(builder, "platform", Py_GetPlatform());
    lg_builder_set_info(builder, "leakgraph", lg_version());
    lg__capture_describe(text, sizeof text);
    lg_builder_set_info(builder, "capture.method", text);
    if (walk->options->attached != NULL)
        lg_builder_set_info(builder, "attach.method", walk->options->attached);
    lg_builder_set_info(builder, "keys", walk->options->no_keys ? "no" : "yes");
    lg_builder_set_info(builder, "previews",
                        walk->options->previews ? "yes" : "no");
    if (walk->internal)
        describe_collector(walk);
    lg__contents_open(walk);
}

/** Finds the images of the program, which the walk needs to follow the
 *  collector's lists (see collector_lists.h). Without them, it goes through the
 * lists instead. In a child of os.fork() a thread that no longer exists may
 * hold the loader's lock, and the search would wait for ever. */
static void
read_images(lg__heap_walk *walk)
{
    if (walk->partial || !walk->internal || LG__FREE_THREADED ||
        lg_process_is_forked())
        return;
    lg__images images = {.capacity = 0};
    lg__images_read(&images);
    images.capacity = images.count;
    images.items = lg__walk_keep(walk, images.capacity * sizeof *images.items);
    if (images.items != NULL && lg__images_read(&images))
        walk->images = images;
}

static bool
is_partial(const lg__capture_options *options)
{
    return options->roots != NULL || options->leading != NULL;
}

static lg_status
open_walk(lg__heap_walk *walk, const lg__capture_options *options,
          lg_error *err)
{
    memset(walk, 0, sizeof *walk);
    walk->options = options;
    walk->hooks = &lg__passes_hooks;
    walk->interpreter = PyInterpreterState_Get();
    walk->internal = lg__capture_internal();
    if (walk->internal)
        walk->interned = lg__interned_dict(walk->interpreter);
    walk->partial = is_partial(options);
    walk->tracked.done = true;
    walk->allocator = lg__arena_new(options->max_bytes);
    if (walk->allocator.context == NULL)
        return lg_error_set(err, LG_ENOMEM,
                            "memory ran out before the capture began");
    lg_status status = lg_builder_new_in(&walk->allocator, &walk->builder, err);
    if (status == LG_OK &&
        !lg__address_map_open(&walk->address_map, options->max_bytes,
                              !walk->partial && !options->spill)) {
        lg_builder_free(walk->builder);
        status = lg_error_set(err, LG_ENOMEM,
                              "no address space for a capture: raise the limit "
                              "on virtual memory (ulimit -v)");
    }
    return status;
}

/** The figures of the last whole capture of this process, as a hint for the
 *  next one. A race between threads does no harm. */
static struct {
    _Atomic uint32_t nodes;
    _Atomic uint64_t edges;
    _Atomic uint64_t strings;
    _Atomic uint64_t string_bytes;
    _Atomic uint64_t texts;
    _Atomic uint64_t added_texts;
    _Atomic uint64_t added_bytes;
} last;

/** Room beyond the last capture's figures for the walkers' blocks. It is small,
 *  so that the kept pages are of the right number. If the heap has grown since,
 *  the columns move to new addresses without copying their bytes. */
enum { SLACK = 1 << 13 };

static void
expect_texts(lg__heap_walk *walk)
{
    const lg_builder_texts texts = {
        .strings = last.strings,
        .bytes = last.string_bytes,
        .texts = last.texts,
        .added_texts = last.added_texts,
        .added_bytes = last.added_bytes,
    };
    lg_builder_reserve_texts(walk->builder, &texts);
}

static bool
may_reserve(const lg__heap_walk *walk)
{
    const lg__capture_options *options = walk->options;
    return !options->max_bytes && !options->spill && !options->forks;
}

/** Guesses high, because a large guess costs only address space. */
static void
expect_size(lg__heap_walk *walk)
{
    if (walk->partial)
        return;
    if (!lg__page_cache_keeps())
        lg_builder_pack_addresses(walk->builder);
    uint64_t tracked =
        walk->internal ? lg__gc_long_lived(walk->interpreter) : 0;
    walk->expected = last.nodes ? last.nodes : 2 * tracked;
    if (!may_reserve(walk))
        return;
    uint64_t nodes = last.nodes ? last.nodes + SLACK : 4 * tracked;
    uint64_t edges = last.nodes ? last.edges + SLACK : 4 * nodes;
    if (nodes < UINT32_MAX / 2)
        lg_builder_reserve(walk->builder, (uint32_t)nodes, edges);
    expect_texts(walk);
}

static void
remember_size(const lg__heap_walk *walk)
{
    if (walk->partial)
        return;
    last.nodes = walk->builder->node_count;
    last.edges = walk->builder->edge_count;
    lg_builder_texts texts = lg_builder_count_texts(walk->builder);
    last.strings = texts.strings;
    last.string_bytes = texts.bytes;
    last.texts = texts.texts;
    last.added_texts = texts.added_texts;
    last.added_bytes = texts.added_bytes;
}

/** The error of a capture that ran out of memory or budget. */
static lg_status
explain_shortage(const lg__capture_options *options, lg_error *err)
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

/** The builder's error so far; its failures are sticky. */
static lg_status
builder_status(const lg__heap_walk *walk, lg_error *err)
{
    switch (walk->builder->status) {
    case LG_OK:
        return LG_OK;
    case LG_ECANCELLED:
        return lg_error_set(err, LG_ECANCELLED, "cancelled while capturing");
    case LG_ELIMIT:
        return lg_error_set(err, LG_ELIMIT,
                            "the heap has more objects or references than a "
                            "snapshot can hold (4 billion of each): capture "
                            "less with roots= and max_depth=");
    default:
        return explain_shortage(walk->options, err);
    }
}

static void
close_walk(lg__heap_walk *walk)
{
    lg__passes_close(walk);
    lg__walk_free(walk);
}

/** Looks for what libraries have. Stops collections meanwhile: one that an
 *  adapter's allocation starts would free the garbage that the capture looks
 *  for. */
static bool
prepare_libraries(lg__heap_walk *walk)
{
    bool collecting = lg__collector_pause(walk->interpreter);
    lg__known_find(&walk->known);
    bool opened = lg__passes_open(walk, lg__adapters);
    lg__collector_resume(walk->interpreter, collecting);
    return opened;
}

lg_status
lg__capture_begin(lg__heap_walk *walk, const lg__capture_options *options,
                  lg_error *err)
{
    double start = lg__clock();
    const uint64_t own = is_partial(options) ? 0 : lg__own_pages_bytes();
    lg_status status = open_walk(walk, options, err);
    if (status != LG_OK)
        return options->max_bytes ? explain_shortage(options, err) : status;
    walk->started = start;
    walk->own_before = own;
    expect_size(walk);
    describe(walk);
    read_images(walk);
    if (!lg__types_open(walk) || !prepare_libraries(walk))
        walk->builder->status = LG_ENOMEM;
    else if (!walk->internal && !walk->partial && !LG__FREE_THREADED) {
        lg__roots_open(walk);
        status = lg__enumerate_public(walk, err);
    }
    if (status == LG_OK)
        status = builder_status(walk, err);
    if (status != LG_OK)
        lg__capture_abandon(walk);
    return status;
}

lg_status
lg__capture_walk(lg__heap_walk *walk, lg_error *err)
{
    char text[32];
    if (LG__FREE_THREADED) {
        lg__stopped_walk(walk);
    } else {
        lg__walk_roots(walk);
        lg__walk_run(walk);
        lg__passes_run(walk);
        lg__keys_finish(walk);
        lg__follower_end(walk);
        lg_builder_leave_all_nodes(walk->builder);
        lg__texts_finish(walk);
        lg__contents_finish(walk);
    }
    lg__locals_finish(walk);
    lg__call_arguments_finish(walk);
    lg__passes_settle(walk);
    lg_builder_add_span_contents(walk->builder);
    lg__contents_close(walk);
    remember_size(walk);
    snprintf(text, sizeof text, "%.3f", lg__clock() - walk->started);
    lg_number_point(text);
    lg_builder_set_info(walk->builder, "capture.seconds", text);
    return builder_status(walk, err);
}

lg_status
lg__capture_end(lg__heap_walk *walk, lg_graph **out, lg_error *err)
{
    lg_status status = lg_builder_finish(walk->builder, out, err);
    return status == LG_ENOMEM ? explain_shortage(walk->options, err) : status;
}

void
lg__capture_abandon(lg__heap_walk *walk)
{
    close_walk(walk);
    lg_builder_free(walk->builder);
}

/** Lets a second thread follow the walk, if that pays. */
static void
be_followed(lg__heap_walk *walk)
{
    if (!lg__follower_open(walk))
        return;
    if (may_reserve(walk))
        expect_texts(walk);
    lg__follower_start(walk);
}

/*
 * The lines that allocated each object, and those that allocated its table.
 *
 * A list, dict or set has its items in a block of its own, its table, and gets
 * a new one when it outgrows that. So the line that adds the last item may have
 * allocated most of the bytes of an object that another line made, maybe before
 * tracemalloc began. A table has lines of its own only where they differ from
 * those of its object. The block of a bytearray or an array grows in the same
 * way, and becomes a buffer of the graph.
 */

/** Python's own blocks, and those of numpy. */
enum { PYTHONS_DOMAIN = 0, NUMPYS_DOMAIN = 389047 };

/** Frames that lead from a library that allocates to the program. */
enum { MOST_FRAMES = 16 };

/** The frames of a block that tracemalloc traced, the innermost first, as
 *  tuples of a file and a line; None if it did not. */
typedef PyObject *traceback_of(unsigned domain, uintptr_t block);

static traceback_of *
find_function(void)
{
    traceback_of *function = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "_PyTraceMalloc_GetTraceback");
    memcpy(&function, &symbol, sizeof function);
    return function;
}

/** Adds `train.py:42`, and before it what separates it from the last. Returns
 *  false, and adds nothing, if there is no room. */
static bool
add_frame(lg__name *name, PyObject *frame)
{
    const size_t before = name->length;
    if (!PyTuple_Check(frame) || PyTuple_GET_SIZE(frame) < 2 ||
        !PyUnicode_Check(PyTuple_GET_ITEM(frame, 0)))
        return false;
    if (before > 0)
        lg__name_add(name, " < ");
    lg__name_add_str(name, PyTuple_GET_ITEM(frame, 0), LG__NAME_LIMIT);
    lg__name_add(name, ":");
    lg__name_add_int(name, PyLong_AsLong(PyTuple_GET_ITEM(frame, 1)));
    if (name->length < sizeof name->data)
        return true;
    name->length = before;
    return false;
}

/** Returns whether a frame is of what carries out an import statement. Each
 *  import has five or six, which are the same for all modules. */
static bool
imports(PyObject *frame)
{
    static const char *const files[] = {
        "<frozen importlib._bootstrap>",
        "<frozen importlib._bootstrap_external>",
    };
    PyObject *file = PyTuple_Check(frame) && PyTuple_GET_SIZE(frame) > 0
                         ? PyTuple_GET_ITEM(frame, 0)
                         : NULL;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (file != NULL && PyUnicode_Check(file) &&
            PyUnicode_CompareWithASCIIString(file, files[i]) == 0)
            return true;
    return false;
}

/** Writes the frames of a block; nothing if it was not traced. What an import
 *  allocates has the line of its statement, unless that is not among them. */
static void
write_traceback(traceback_of *traceback, unsigned domain, uintptr_t block,
                lg__name *out)
{
    PyObject *frames = traceback(domain, block);
    Py_ssize_t count = 0;
    int written = 0;
    if (frames != NULL && PyTuple_Check(frames))
        count = PyTuple_GET_SIZE(frames);
    out->length = 0;
    for (Py_ssize_t i = 0; i < count && written < MOST_FRAMES; i++) {
        if (imports(PyTuple_GET_ITEM(frames, i)))
            continue;
        if (!add_frame(out, PyTuple_GET_ITEM(frames, i)))
            break;
        written++;
    }
    if (count > 0 && out->length == 0)
        add_frame(out, PyTuple_GET_ITEM(frames, 0));
    Py_XDECREF(frames);
    PyErr_Clear();
}

/** A block that has the items of an object; no bytes if it has none. */
typedef struct item_table {
    uintptr_t block;
    uint64_t bytes;
} item_table;

static item_table
table_of_list(const PyListObject *list)
{
#ifdef Py_GIL_DISABLED
    const size_t before = sizeof(Py_ssize_t);
#else
    const size_t before = 0;
#endif
    return (item_table){
        .block = (uintptr_t)list->ob_item - before,
        .bytes = (uint64_t)list->allocated * sizeof(PyObject *),
    };
}

static item_table
table_of_set(const PySetObject *set)
{
    if (set->table == set->smalltable)
        return (item_table){0};
    return (item_table){
        .block = (uintptr_t)set->table,
        .bytes = (uint64_t)(set->mask + 1) * sizeof(setentry),
    };
}

/** Dicts that share their keys have no table of their own. */
static item_table
table_of_dict(const PyDictObject *dict)
{
    if (dict->ma_values != NULL)
        return (item_table){0};
    return (item_table){
        .block = (uintptr_t)dict->ma_keys,
        .bytes = lg__dict_size_behind(dict),
    };
}

static item_table
table_of(const lg__heap_walk *walk, uint32_t node, const lg__type_info *info)
{
    const void *object =
        (void *)(uintptr_t)lg_builder_address(walk->builder, node);
    switch ((lg__shape)info->shape) {
    case LG__SHAPE_LIST:
        return table_of_list(object);
    case LG__SHAPE_SET:
        return table_of_set(object);
    case LG__SHAPE_DICT:
        return walk->internal ? table_of_dict(object) : (item_table){0};
    default:
        return (item_table){0};
    }
}

/** Makes the frames of an object's table a fact of it, unless the object has
 *  the same. */
static void
add_table(lg__heap_walk *walk, uint32_t node, const item_table *table,
          const lg__name *own, traceback_of *traceback)
{
    lg__name name = {.length = 0};
    write_traceback(traceback, PYTHONS_DOMAIN, table->block, &name);
    bool same = name.length == own->length &&
                memcmp(name.data, own->data, name.length) == 0;
    if (name.length == 0 || same)
        return;
    lg_builder_add_fact(walk->builder, node, "table allocation", name.data,
                        name.length);
    lg_builder_add_fact_number(walk->builder, node, "table bytes",
                               table->bytes);
}

static void
add_lines(lg__heap_walk *walk, uint32_t node, const lg__type_info *info,
          traceback_of *traceback)
{
    lg__name own = {.length = 0};
    uintptr_t object = (uintptr_t)lg_builder_address(walk->builder, node);
    write_traceback(traceback, PYTHONS_DOMAIN,
                    object - lg__preheader_size(info->type), &own);
    if (own.length > 0)
        lg_builder_add_fact(walk->builder, node, "allocation", own.data,
                            own.length);
    item_table table = table_of(walk, node, info);
    if (table.bytes > 0)
        add_table(walk, node, &table, &own, traceback);
}

/** Makes the frames of a buffer a fact of the object that has it. */
static void
add_buffer(lg__heap_walk *walk, const lg_span *span, traceback_of *traceback)
{
    lg__name name = {.length = 0};
    if (span->device != 0 || span->address == 0)
        return;
    write_traceback(traceback, PYTHONS_DOMAIN, span->address, &name);
    if (name.length == 0)
        write_traceback(traceback, NUMPYS_DOMAIN, span->address, &name);
    if (name.length > 0)
        lg_builder_add_fact(walk->builder, span->holder, "buffer allocation",
                            name.data, name.length);
}

static void
add_buffers(lg__heap_walk *walk, traceback_of *traceback)
{
    const lg_span *span;
    for (size_t i = 0; (span = lg_builder_span_at(walk->builder, i)) != NULL;
         i++)
        add_buffer(walk, span, traceback);
}

/** Asks tracemalloc for the frames that allocated each object of the walk, and
 *  gives them to the nodes. Makes short-lived tuples and ints, so call it when
 *  nothing more is walked, with the GIL, and not in a forked child. */
static void
allocations_find(lg__heap_walk *walk)
{
    traceback_of *traceback = find_function();
    bool collecting = lg__collector_pause(walk->interpreter);
    for (uint32_t node = 0; node < walk->looked && traceback != NULL; node++) {
        const lg__type_info *info = lg__walk_info(walk, node);
        if (info != NULL)
            add_lines(walk, node, info, traceback);
    }
    if (traceback != NULL)
        add_buffers(walk, traceback);
    lg__collector_resume(walk->interpreter, collecting);
}

lg_status
lg__capture(const lg__capture_options *options, lg_graph **out, lg_error *err)
{
    lg__heap_walk walk;
    PyObject *raised[3] = {NULL};
    lg_status status = lg__capture_begin(&walk, options, err);
    if (status != LG_OK)
        return status;
    be_followed(&walk);
    status = lg__capture_walk(&walk, err);
    if (status == LG_OK) {
        if (options->allocations)
            allocations_find(&walk);
        lg__sizes_finish(&walk);
        lg__passes_ask(&walk);
        lg__passes_take_raised(&walk, raised);
        status = builder_status(&walk, err);
    }
    if (status != LG_OK) {
        lg__capture_abandon(&walk);
        if (raised[0] != NULL)
            PyErr_Restore(raised[0], raised[1], raised[2]);
        return status;
    }
    close_walk(&walk);
    if (options->pause != NULL)
        *options->pause = lg__clock() - walk.started;
    Py_BEGIN_ALLOW_THREADS
    status = lg__capture_end(&walk, out, err);
    if (status == LG_OK)
        lg__arena_rest(&walk.allocator);
    Py_END_ALLOW_THREADS
    return status;
}

lg_status
lg__capture_leading(const lg__capture_options *options, lg_graph **out,
                    lg_error *err)
{
    lg__capture_options chosen = *options;
    lg_status status = LG_ENOTFOUND;
    lg__leading *leading = malloc(sizeof *leading);
    if (leading == NULL)
        return lg_error_set(err, LG_ENOMEM, "memory ran out");
    chosen.leading = leading;
    if (lg__capture_internal() && lg__leading_find(leading, options->held, 1))
        status = lg__capture(&chosen, out, err);
    free(leading);
    return status;
}
