// Reads all sections of a file. References take about half of the time, and the
// other sections, with the exception of types, do not need them: where there
// are processors, a second thread reads these.
#include "file/file_private.h"
#include "base/base_private.h"

#include <stdatomic.h>

// Below this many bytes, a thread takes longer than it saves.
enum { FOR_THREADS = 1 << 24 };

// Sections that one thread reads, in an order in which what encodings need
// comes before the columns that they encode, and columns that are sorted by one
// key follow each other.
typedef struct batch {
    const lg__source *source;
    lg_graph *graph;
    const lg__file_section *const *found; // [LG__ARRAY_COUNT]
    const lg_monitor *monitor;            // or NULL
    uint64_t *done;                       // of what the monitor hears; or NULL
    uint64_t total;
    atomic_bool *stop;
    uint8_t order[LG__ARRAY_COUNT];
    size_t count;
    lg_status status;
    lg_error error;
} batch;

// Returns whether a brief graph has only the length of the column. Such columns
// are nearly all of a file.
static bool
is_left_out(const lg__source *source, size_t array)
{
    if (!source->brief)
        return false;
    switch (array) {
    case LG__ADDRESS:
    case LG__REFCOUNT:
    case LG__FOUND:
    case LG__FIRST_EDGE:
    case LG__EDGE_TARGET:
    case LG__EDGE_PAYLOAD:
    case LG__EDGE_KIND:
        return true;
    default:
        return array >= LG__ARRAY_ANALYSIS;
    }
}

static bool
goes_on(batch *self, const lg__file_section *section)
{
    if (self->done == NULL)
        return !atomic_load(self->stop);
    double part = self->total ? (double)*self->done / (double)self->total : 1;
    *self->done += section->raw_length;
    return lg__monitor_goes_on(self->monitor, "loading", part, &self->error);
}

static void
read_batch(batch *self)
{
    lg_graph *graph = self->graph;
    lg__section_room room = {0};
    for (size_t i = 0; i < self->count && self->status == LG_OK; i++) {
        enum lg__array_name name = (enum lg__array_name)self->order[i];
        const lg__file_section *section = self->found[name];
        lg__stored stored = {section, name, graph->array};
        self->status =
            goes_on(self, section)
                ? lg__section_read(self->source, &stored, &room, &self->error)
                : LG_ECANCELLED;
    }
    lg__section_room_free(&room);
}

static void
run(void *context)
{
    read_batch(context);
}

// Adds a section to a batch, if there is something to read. Takes the memory
// for it, because that of another thread would stay with the process.
static void
add(batch *to, enum lg__array_name name)
{
    const lg__file_section *section = to->found[name];
    lg__array *array = &to->graph->array[name];
    if (section == NULL || to->status != LG_OK)
        return;
    if (is_left_out(to->source, name)) {
        array->count = section->raw_length / section->element;
        return;
    }
    to->order[to->count++] = (uint8_t)name;
    to->total += section->raw_length;
    to->status = lg__section_begin(to->source, section, &to->graph->allocator,
                                   array, &to->error);
}

static bool
is_of_references(enum lg__array_name name)
{
    return name == LG__FIRST_EDGE || name == LG__EDGE_KIND ||
           name == LG__EDGE_TARGET || name == LG__EDGE_PAYLOAD;
}

// Sorts the sections into what comes first, references, and all others.
static void
sort(batch *first, batch *references, batch *others)
{
    static const uint8_t early[] = {
        LG__SIZE, LG__REFCOUNT, LG__FOUND, LG__NODE_FLAGS, LG__ADDRESS,
    };
    add(first, LG__TYPE);
    add(references, LG__FIRST_EDGE);
    add(references, LG__EDGE_KIND);
    add(references, LG__EDGE_TARGET);
    add(references, LG__EDGE_PAYLOAD);
    for (size_t i = 0; i < sizeof early; i++)
        add(others, (enum lg__array_name)early[i]);
    for (size_t i = 0; i < LG__ARRAY_COUNT; i++) {
        enum lg__array_name name = (enum lg__array_name)i;
        bool known = name == LG__TYPE || is_of_references(name);
        for (size_t j = 0; j < sizeof early; j++)
            known = known || name == early[j];
        if (!known)
            add(others, name);
    }
}

// Reads both batches, the second one in a thread of its own if that helps.
static void
read_both(batch *mine, batch *other)
{
    uint64_t *done = other->done;
    bool large =
        mine->total > FOR_THREADS / 2 && other->total > FOR_THREADS / 2;
    other->done = NULL;
    lg_helper *helper = large ? lg_helper_start(run, other) : NULL;
    if (helper != NULL) {
        read_batch(mine);
        atomic_store(mine->stop, mine->status != LG_OK);
        lg_helper_end(helper);
        return;
    }
    other->done = done;
    mine->total = other->total = mine->total + other->total;
    read_batch(mine);
    if (mine->status == LG_OK)
        read_batch(other);
}

lg_status
lg__sections_read(const lg__source *source, const lg_monitor *monitor,
                  lg_graph *graph, const lg__file_section *const *found,
                  lg_error *err)
{
    atomic_bool stop = false;
    uint64_t done = 0;
    const batch empty = {.source = source,
                         .graph = graph,
                         .found = found,
                         .monitor = monitor,
                         .done = &done,
                         .stop = &stop};
    batch batches[] = {empty, empty, empty};
    sort(&batches[0], &batches[1], &batches[2]);
    batches[1].total += batches[0].total;
    bool fits = batches[1].status == LG_OK && batches[2].status == LG_OK;
    if (fits)
        read_batch(&batches[0]);
    if (fits && batches[0].status == LG_OK)
        read_both(&batches[1], &batches[2]);
    for (size_t i = 0; i < 3; i++)
        if (batches[i].status != LG_OK) {
            if (err != NULL)
                *err = batches[i].error;
            return batches[i].status;
        }
    return LG_OK;
}
